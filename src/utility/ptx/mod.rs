//! `ptx`: a permuted index of the words of files, each with what stands around it. GNU coreutils ptx(1).
//!
//! All files are read. In each one, contexts (sentences or lines) are found, and in each context the words that are wanted
//! (`scan.rs`; what a word is, `word.rs` says). The occurrences are sorted by their words. For each, the text around the word
//! is laid out in fields (`layout.rs`), which become a line of text, of roff or of TeX (`print.rs`).

mod layout;
mod print;
mod scan;
mod settings;
mod word;

use super::context::pace::tick_bytes;
use crate::memory::{Vec, format};
use crate::utility::prelude::*;
use scan::Source;
use settings::PtxOptions;
use std::cmp::Ordering;
use word::Words;

options! {
    enum Opt {
        AutoReference = flag('A', "auto-reference", "output automatically generated references"),
        Traditional = flag('G', "traditional", "behave more like System V 'ptx'"),
        FlagTruncation = value('F', "flag-truncation", "STRING", "use STRING for flagging line truncations, '/' without it"),
        MacroName = value('M', "macro-name", "STRING", "macro name to use instead of 'xx'"),
        Roff = flag('O', "", "generate output as roff directives"),
        Format = value('\0', "format", "roff|tex", "generate output as roff or TeX directives"),
        RightSideRefs = flag('R', "right-side-refs", "put references at right, not counted in -w"),
        SentenceRegexp = value('S', "sentence-regexp", "REGEXP", "for end of lines or end of sentences"),
        Tex = flag('T', "", "generate output as TeX directives"),
        WordRegexp = value('W', "word-regexp", "REGEXP", "use REGEXP to match each keyword"),
        BreakFile = value('b', "break-file", "FILE", "word break characters in this FILE"),
        IgnoreCase = flag('f', "ignore-case", "fold lower case to upper case for sorting"),
        GapSize = value('g', "gap-size", "NUMBER", "gap size in columns between output fields"),
        IgnoreFile = value('i', "ignore-file", "FILE", "read ignore word list from FILE"),
        OnlyFile = value('o', "only-file", "FILE", "read only word list from this FILE"),
        References = flag('r', "references", "first field of each line is a reference"),
        TypesetMode = flag('t', "typeset-mode", "without effect, as in the real program"),
        Width = value('w', "width", "NUMBER", "output width in columns, reference excluded"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "ptx",
    summary: "output a permuted index, including context, of the words in the input files",
    usage: "ptx [OPTION]... [INPUT]...   (without -G)\nptx -G [OPTION]... [INPUT [OUTPUT]]",
    options: Opt::TABLE,
    examples: &[example("echo good day | ptx -w 20", "      good   day\n             good day\n")],
    run: start!(run),
    ..Utility::BASE
};

/// Exit status: 0, or 1 when something could not be read.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let (options, end) = ctx.parse_options_in_order::<Opt>(&UTILITY);
    let settings = PtxOptions::read(&options)?;
    if let Err(end) = end {
        return Err(end.tell(&mut ctx.stdout));
    }
    let inputs = inputs(ctx, &settings, &options.operands)?;
    let words = Words::read(ctx, &settings).await?;
    let mut sources: Vec<Source> = Vec::new();
    let mut found = scan::Found::default();
    for input in inputs {
        let bytes = read_file(ctx, &input).await?;
        let mut source = Source { name: input, bytes, lines: 0 };
        found.add(ctx, &settings, &words, &mut source, sources.len()).await?;
        sources.push(source);
    }
    // What is equal keeps the order in which it was found.
    let compare = |one: &scan::Occurrence, other: &scan::Occurrence| -> Ordering {
        compare_words(one.word(&sources), other.word(&sources), settings.ignores_case)
    };
    let bytes: usize = sources.iter().map(|source| source.bytes.len()).sum();
    tick_bytes(&ctx.meter, bytes).await?;
    found.occurrences.sort_by(compare);
    let layout = layout::Layout::new(&settings, &words, &found, &sources);
    for occurrence in &found.occurrences {
        ctx.tick().await?;
        let Some(source) = sources.get(occurrence.source) else { continue };
        let line = layout.line(ctx, source, occurrence).await?;
        layout.print(ctx, source, &line).await?;
    }
    Ok(ExitStatus::SUCCESS)
}

/// The files to read; with `-G` the second operand is where the output goes.
fn inputs(ctx: &mut Context, settings: &PtxOptions, operands: &[Text]) -> Result<Vec<Text>, UtilityError> {
    if !settings.is_traditional || operands.is_empty() {
        return Ok(ctx.inputs(operands));
    }
    if let Some(output) = operands.get(1) {
        ctx.stdout = ctx.create(output, false).map_err(|error| failure(output, error))?;
    }
    if let Some(extra) = operands.get(2) {
        return Err(UtilityError::Usage(format!("extra operand {}", quote(extra))));
    }
    Ok(operands.iter().take(1).cloned().collect())
}

/// All of a file; an empty name is standard input, too.
async fn read_file(ctx: &mut Context, name: &Text) -> Result<Vec<u8>, UtilityError> {
    let opened = if name.is_empty() { Ok(ctx.standard_input()) } else { ctx.open_input(name) };
    let read = match opened {
        Ok(mut input) => input.read_to_end().await,
        Err(error) => Err(error),
    };
    read.map_err(|error| failure(if name.is_empty() { b"-" } else { name }, error))
}

fn failure(name: &[u8], error: crate::vfs::FsError) -> UtilityError {
    UtilityError::operand(quote_operand(name).as_bytes(), error)
}

/// The order of words: by bytes, or by those of their upper case.
fn compare_words(one: &[u8], other: &[u8], ignores_case: bool) -> Ordering {
    if ignores_case {
        one.iter().map(u8::to_ascii_uppercase).cmp(other.iter().map(u8::to_ascii_uppercase))
    } else {
        one.cmp(other)
    }
}
