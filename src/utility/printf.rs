//! `printf`: formats and prints its arguments. GNU printf(1); the formats are those of [`super::format::print_format`].

use crate::memory::Vec;
use crate::utility::format::print_format::{Dialect, Formatter, FormatterPlace, Printed, Surroundings};
use crate::utility::prelude::*;
use std::fmt::Display;

pub(super) const UTILITY: Utility = Utility {
    name: "printf",
    summary: "format and print ARGUMENT(s) according to FORMAT",
    usage: "printf FORMAT [ARGUMENT]...",
    examples: &[
        example("env printf '%s-%03d\\n' a 7", "a-007\n"),
        example("env printf '%q\\n' 'a b'", "'a b'\n"),
    ],
    operands_end_options: true,
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let mut args = std::mem::take(&mut ctx.args);
    if matches!(args.as_slice(), [only] if matches!(only.as_bytes(), b"--help" | b"--version")) {
        ctx.args = args;
        args = ctx.parse_options::<NoOption>(&UTILITY)?.operands;
    }
    if args.first().is_some_and(|arg| arg.as_bytes() == b"--") {
        args.remove(0);
    }
    let Some((format, rest)) = args.split_first() else {
        return Err(UtilityError::Usage("missing operand".into()));
    };
    let meter = std::sync::Arc::clone(&ctx.meter);
    let mut place = FormatterPlace::default();
    loop {
        let mut out = Vec::new();
        let printed = Formatter::new(Dialect::Gnu, format, rest, &mut out, &meter, &mut Plain { ctx })
            .run_from(place, BLOCK)?;
        ctx.stdout.write(&out).await?;
        match printed {
            Printed::All(status) => return Ok(ExitStatus(status)),
            Printed::Part(next) => place = next,
        }
        ctx.check().await?;
    }
}

/// Bytes that are made before they are handed on.
const BLOCK: usize = 16 << 10;

/// What the formats see of a utility: neither variables nor times.
struct Plain<'c> {
    ctx: &'c mut Context,
}

impl Surroundings for Plain<'_> {
    fn report(&mut self, _: &mut Vec<u8>, message: &dyn Display) {
        self.ctx.warn(message);
    }

    fn time(&mut self, _: &[u8], _: i64) -> Vec<u8> {
        Vec::new()
    }

    fn store(&mut self, _: &[u8], _: usize) -> bool {
        false
    }

    fn quote(&self, text: &[u8]) -> Vec<u8> {
        super::format::quote::quote_if_needed(text).into_bytes()
    }
}
