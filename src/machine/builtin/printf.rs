//! `printf`. Bash manual 4.2; the formats are those of [`crate::utility::print_format`].

use crate::memory::Vec;
use super::{Builtin, Flow, Invocation};
use crate::machine::assign::AssignError;
use crate::machine::name;
use crate::machine::process::{Process, Step};
use crate::machine::quote;
use crate::machine::run::Run;
use crate::machine::variable::decimal;
use crate::text::Text;
use crate::utility::print_format::{Dialect, Formatter, Surroundings};
use std::fmt::Display;
use std::sync::Arc;
use std::task::Context;

pub(super) static PRINTF: Builtin = Builtin {
    name: "printf",
    special: false,
    synopsis: "printf [-v var] format [arguments]",
    help: "Formats and prints ARGUMENTS under control of the FORMAT.",
    run,
};

fn run(process: &mut Process, run: &mut Run, _: &mut Context<'_>, invocation: &mut Invocation) -> Step<Flow> {
    let mut rest = invocation.operands();
    let mut variable = None;
    while let Some((first, tail)) = rest.split_first() {
        match first.as_bytes() {
            b"--" => {
                rest = tail;
                break;
            }
            b"-v" => {
                let Some((name, tail)) = tail.split_first() else {
                    process.report_for(b"printf", "-v: option requires an argument");
                    return Ok(process.usage(&PRINTF));
                };
                variable = Some(name.clone());
                rest = tail;
            }
            [b'-', b'v', name @ ..] => {
                variable = Some(Text::from(name));
                rest = tail;
            }
            [b'-', letter, ..] => {
                process.report_for(b"printf", format_args!("-{}: invalid option", char::from(*letter)));
                return Ok(process.usage(&PRINTF));
            }
            _ => break,
        }
    }
    if let Some(name) = &variable
        && !Process::is_assignable(name)
    {
        process.report_for(b"printf", format_args!("`{name}': not a valid identifier"));
        return Ok(Flow::Status(2));
    }
    let Some((format, args)) = rest.split_first() else { return Ok(process.usage(&PRINTF)) };
    let mut out = std::mem::take(&mut process.out);
    let meter = Arc::clone(&run.services.meter);
    let mut shell = Shell { stored: variable.is_some(), process, run };
    let status = Formatter::new(Dialect::Bash, format, args, &mut out, &meter, &mut shell).run()?;
    let Some(name) = variable else {
        process.out = out;
        return Ok(Flow::Status(status));
    };
    // A variable ends at the first null byte.
    let end = memchr::memchr(0, &out).unwrap_or(out.len());
    let value = Text::from(out.get(..end).unwrap_or(&out));
    out.clear();
    process.out = out;
    match process.assign_reference(run, b"printf", &name, value) {
        Ok(()) => Ok(Flow::Status(status)),
        Err(AssignError::Halt(halt)) => Err(halt),
        Err(_) => Ok(Flow::Status(1)),
    }
}

/// What the formats see of the shell.
struct Shell<'s> {
    /// The output is for a variable.
    stored: bool,
    process: &'s mut Process,
    run: &'s mut Run,
}

impl Surroundings for Shell<'_> {
    fn report(&mut self, out: &mut Vec<u8>, message: &dyn Display) {
        if !self.stored {
            self.process.write_lines(out);
        }
        self.process.report_for(b"printf", message);
    }

    fn time(&mut self, format: &[u8], seconds: i64) -> Vec<u8> {
        let zone = self.process.zone(self.run);
        let clock = &self.run.services.session.clock;
        let moment = match seconds {
            -1 => crate::utility::time_format::timestamp(clock.now()),
            -2 => {
                let age = clock.monotonic().saturating_sub(self.process.shell.state.started);
                crate::utility::time_format::timestamp(clock.now().saturating_sub(age))
            }
            seconds => jiff::Timestamp::from_second(seconds).unwrap_or_default(),
        };
        let text = zone.format(format, &zone.at(moment));
        // Bash has room for 127 bytes, and shows nothing of what is longer.
        if text.len() < 128 { text } else { Vec::new() }
    }

    fn store(&mut self, name: &[u8], count: usize) -> bool {
        if !name::is_name(name) {
            let shown = bstr::BString::from(name);
            self.process.report_for(b"printf", format_args!("`{shown}': not a valid identifier"));
            return false;
        }
        let id = self.run.services.names.intern(name);
        self.process.assign_variable(self.run, id, decimal(count as i64), false).is_ok()
    }

    fn quote(&self, text: &[u8]) -> Vec<u8> {
        quote::printf_q(text)
    }
}
