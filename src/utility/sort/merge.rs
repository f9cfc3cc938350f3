//! `sort -m`: merges sorted inputs line by line. The inputs are kept sorted by their next line; of equal lines that of the
//! earlier input comes first.

use super::option::read_failed;
use super::order::{compare_lines, compare_lines_paced, line_summary};
use super::settings::{SortOptions, open_output};
use crate::limit::Meter;
use crate::memory::Vec;
use crate::utility::context::pace::append;
use crate::utility::prelude::*;
use std::cmp::Ordering;

/// An input with its next line.
struct Source {
    operand: Text,
    input: Input,
    line: Vec<u8>,
    summary: u64,
    rank: usize,
}

impl Source {
    /// Reads the next line; `false` at the end.
    async fn advance(&mut self, meter: &Meter, settings: &SortOptions) -> Result<bool, UtilityError> {
        self.line.clear();
        match self.input.next_line(settings.delimiter).await {
            Ok(None) => return Ok(false),
            Ok(Some(line)) => {
                append(meter, &mut self.line, split_delimiter(line, settings.delimiter).0).await?;
            }
            Err(error) => return Err(read_failed(&self.operand, error.into())),
        }
        self.summary = line_summary(settings, &self.line);
        Ok(true)
    }

    fn compare(&self, other: &Self, settings: &SortOptions) -> Ordering {
        self.summary
            .cmp(&other.summary)
            .then_with(|| compare_lines(settings, &self.line, &other.line))
            .then(self.rank.cmp(&other.rank))
    }
}

pub(super) async fn merge_files(
    ctx: &mut Context,
    settings: &SortOptions,
    inputs: Vec<(Text, Input)>,
) -> Result<ExitStatus, UtilityError> {
    // Sorted with the next line last.
    let mut sources: Vec<Source> = Vec::new();
    for (rank, (operand, input)) in inputs.into_iter().enumerate() {
        let mut source = Source { operand, input, line: Vec::new(), summary: 0, rank };
        if source.advance(&ctx.meter, settings).await? {
            insert(&mut sources, source, settings);
        }
    }
    // The output may be one of the inputs, so it is opened when all was read.
    let mut collected = Vec::new();
    let mut previous = Vec::new();
    let mut any = false;
    while let Some(mut source) = sources.pop() {
        ctx.tick().await?;
        let repeated = settings.unique
            && any
            && compare_lines_paced(&ctx.meter, settings, &previous, &source.line).await?.is_eq();
        if !repeated {
            source.line.push(settings.delimiter);
            if settings.output.is_some() {
                append(&ctx.meter, &mut collected, &source.line).await?;
            } else if settings.debug {
                let body = split_delimiter(&source.line, settings.delimiter).0;
                super::debug::write(ctx, settings, body).await?;
            } else {
                ctx.stdout.write(&source.line).await?;
            }
            if settings.unique {
                let body = split_delimiter(&source.line, settings.delimiter).0;
                previous.clear();
                append(&ctx.meter, &mut previous, body).await?;
                any = true;
            }
        }
        if source.advance(&ctx.meter, settings).await? {
            insert(&mut sources, source, settings);
        }
    }
    if let Some(mut file) = open_output(ctx, settings)? {
        file.write(&collected).await?;
        file.flush().await?;
    }
    Ok(ExitStatus::SUCCESS)
}

fn insert(sources: &mut Vec<Source>, source: Source, settings: &SortOptions) {
    let at = sources.partition_point(|other| other.compare(&source, settings).is_gt());
    sources.insert(at, source);
}
