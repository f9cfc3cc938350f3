//! `bc`: a calculator with a language. POSIX XCU bc, GNU bc(1) 1.07.1.
//!
//! `lex.rs` makes tokens, `parse.rs` compiles statements to operations (`op.rs`), `run.rs` runs them, `library.rs` has the functions
//! of `-l`, `source.rs` reads standard input. The numbers are in `decimal/`. A line is run when it is complete.

mod lex;
mod library;
mod op;
mod parse;
mod run;
mod source;

use super::context::options::{help, version};
use super::decimal::fold::line_length;
use crate::memory::{Arc, Vec, format};
use crate::utility::prelude::*;
use parse::{Fault, Item, Names, Parser, message};
use run::{End, Machine};
use source::Source;

options! {
    enum Opt {
        Help = flag('h', "help", "print this usage and exit"),
        Interactive = flag('i', "interactive", "force interactive mode"),
        Mathlib = flag('l', "mathlib", "use the predefined math routines"),
        Quiet = flag('q', "quiet", "don't print initial banner"),
        Standard = flag('s', "standard", "non-standard bc constructs are errors"),
        Warn = flag('w', "warn", "warn about non-standard bc constructs"),
        Version = flag('v', "version", "print version information and exit"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "bc",
    summary: "an arbitrary precision calculator language",
    usage: "bc [options] [file ...]",
    options: Opt::TABLE,
    examples: &[example("echo 'scale=3; 10/3' | bc", "3.333\n")],
    run: start!(run),
    ..Utility::BASE
};

/// Exit status: 0, or 1 when a file is not there.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    if ctx.args.iter().any(|arg| matches!(arg.as_bytes(), b"--help" | b"-h")) {
        ctx.stdout.push(help(&UTILITY, UTILITY.options).as_bytes());
        return Ok(ExitStatus::SUCCESS);
    }
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    if options.has(Opt::Version) {
        ctx.stdout.push(version(&UTILITY).as_bytes());
        return Ok(ExitStatus::SUCCESS);
    }
    let is_interactive = options.has(Opt::Interactive);
    if is_interactive && !options.has(Opt::Quiet) {
        ctx.stdout.push(version(&UTILITY).as_bytes());
    }
    let mut calculator = Calculator {
        machine: Machine::new(line_length(ctx, b"BC_LINE_LENGTH")),
        names: Names::default(),
        source: Source::new(),
        line: 1,
        extensions: Extensions::Taken,
    };
    if options.has(Opt::Mathlib) {
        calculator.text(ctx, "(library)", library::LIBRARY.as_bytes().into()).await?;
    }
    if options.has(Opt::Standard) {
        calculator.extensions = Extensions::Refused;
    } else if options.has(Opt::Warn) {
        calculator.extensions = Extensions::Noted;
    }
    for name in &options.operands {
        let text: Result<Vec<u8>, FsError> = match ctx.open_input(name) {
            Ok(mut input) => input.read_to_end().await,
            Err(error) => Err(error),
        };
        let text = match text {
            Ok(text) => text,
            Err(FsError::Limit(limit)) => return Err(limit.into()),
            Err(FsError::Errno(_)) => {
                ctx.stdout.flush().await?;
                ctx.warn_plain(format_args!("File {name} is unavailable."));
                return Ok(ExitStatus::FAILURE);
            }
        };
        calculator.line = 1;
        if calculator.text(ctx, &format!("{name}"), text).await? {
            return Ok(ExitStatus::SUCCESS);
        }
    }
    calculator.line = 1;
    let mut text: Vec<u8> = Vec::new();
    while let Some(line) = calculator.source.line(ctx).await? {
        text.extend_from_slice(&line);
        ctx.tick().await?;
        if is_interactive {
            // The line stands where a person would have typed it.
            ctx.stdout.write(&line).await?;
        }
        if lex::is_open(&text) && line.last() == Some(&b'\n') {
            continue;
        }
        match calculator.lines(ctx, "(standard_in)", &text, false).await? {
            Outcome::Quit => return Ok(ExitStatus::SUCCESS),
            Outcome::Incomplete => {}
            Outcome::Done => text.clear(),
        }
    }
    if !text.is_empty() {
        calculator.lines(ctx, "(standard_in)", &text, true).await?;
    }
    Ok(ExitStatus::SUCCESS)
}

/// What is done with constructs that POSIX does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extensions {
    Taken,
    Noted,
    Refused,
}

enum Outcome {
    Done,
    Quit,
    /// The text goes on.
    Incomplete,
}

struct Calculator {
    machine: Machine,
    names: Names,
    source: Source,
    /// The line that comes next.
    line: u64,
    extensions: Extensions,
}

impl Calculator {
    /// A whole text; whether it said to quit.
    async fn text(&mut self, ctx: &mut Context, name: &str, text: Vec<u8>) -> Result<bool, UtilityError> {
        Ok(matches!(self.lines(ctx, name, &text, true).await?, Outcome::Quit))
    }

    /// Complete lines. At the last of them, what is incomplete is wrong.
    async fn lines(
        &mut self,
        ctx: &mut Context,
        name: &str,
        text: &[u8],
        is_last: bool,
    ) -> Result<Outcome, UtilityError> {
        ctx.compiles(text).await;
        let is_standard = self.extensions == Extensions::Refused;
        let tokens = match lex::tokens(text, self.line, is_standard) {
            Ok(tokens) => tokens,
            Err((wrong, line)) => {
                ctx.stdout.flush().await?;
                ctx.warn_plain(message(name, line, &wrong));
                self.line = line + 1;
                return Ok(Outcome::Done);
            }
        };
        let mut at = 0;
        loop {
            ctx.tick().await?;
            let rest = tokens.get(at..).unwrap_or(&[]);
            let last_line = tokens.last().map_or(self.line, |(_, line)| *line);
            let wants_notes = self.extensions != Extensions::Taken;
            let mut parser = Parser::new(rest, last_line, &mut self.names, wants_notes);
            let item = parser.item();
            let taken = parser.taken();
            let notes = parser.take_notes();
            for (token, _) in rest.iter().take(taken) {
                if let lex::Token::Name(name) = token {
                    let number = self.names.number(name);
                    self.machine.function_names.insert(number, name.clone());
                }
            }
            let is_incomplete = matches!(item, Err(Fault::Incomplete)) && !is_last;
            if !is_incomplete && !notes.is_empty() {
                let kind = if is_standard { "Error:" } else { "(Warning)" };
                ctx.stdout.flush().await?;
                for (note, line) in notes {
                    ctx.warn_plain(message(name, line, &format!("{kind} {note}")));
                }
                if is_standard && item.is_ok() {
                    at += taken;
                    continue;
                }
            }
            match item {
                Ok(None) => break,
                Ok(Some(Item::Quit)) => return Ok(Outcome::Quit),
                Ok(Some(Item::Define(number, function))) => {
                    self.machine.functions.insert(number, Arc::new(function));
                }
                Ok(Some(Item::Code(code))) => {
                    if self.machine.run(ctx, &mut self.source, code).await? == End::Halt {
                        return Ok(Outcome::Quit);
                    }
                }
                Err(Fault::Incomplete) if !is_last => return Ok(Outcome::Incomplete),
                Err(fault) => {
                    let (wrong, line) = match fault {
                        Fault::Wrong(wrong, line) => (wrong, line),
                        Fault::Incomplete => {
                            ("syntax error".into(), tokens.last().map_or(self.line, |(_, line)| *line))
                        }
                    };
                    ctx.stdout.flush().await?;
                    ctx.warn_plain(message(name, line, &wrong));
                    // What follows on the line is passed over.
                    let rest = tokens.get(at + taken..).unwrap_or(&[]);
                    let end = rest.iter().position(|(token, _)| *token == lex::Token::Newline);
                    at += taken + end.map_or(rest.len(), |end| end + 1);
                    continue;
                }
            }
            at += taken;
        }
        if let Some((_, line)) = tokens.last() {
            self.line = *line;
        }
        Ok(Outcome::Done)
    }
}
