//! `printf`. Bash manual 4.2; the formats are those of [`crate::utility::print_format`].

use super::context::Context;
use super::error::BuiltinError;
use super::options::value;
use super::{Act, Builtin, Flow};
use crate::machine::error::Message;
use crate::machine::name;
use crate::machine::process::Process;
use crate::machine::quote;
use crate::machine::run::Run;
use crate::machine::variable::decimal;
use crate::memory::Vec;
use crate::text::Text;
use crate::utility::print_format::{Dialect, Formatter, Place, Printed, Surroundings};
use crate::utility::time_format;
use std::fmt::Display;
use std::sync::Arc;

pub(super) static PRINTF: Builtin = Builtin {
    name: "printf",
    special: false,
    synopsis: "printf [-v var] format [arguments]",
    help: "Formats and prints ARGUMENTS under control of the FORMAT.",
    options: &[value(b'v', "var", "assign the text to a variable")],
    act: Act::Machine(printf),
};

/// Bytes that are made before they are handed on.
const BLOCK: usize = 16 * 1024;

fn printf(ctx: &mut Context<'_, '_>) -> Result<Flow, BuiltinError> {
    let options = ctx.options()?;
    let variable = options.value(b'v');
    if let Some(name) = variable.filter(|name| !crate::machine::name::is_assignable(name)) {
        ctx.complain(BuiltinError::InvalidName(name.clone()));
        return Ok(Flow::Status(2));
    }
    let Some((format, args)) = ctx.operands(&options).split_first() else { return Err(BuiltinError::Usage) };
    let meter = Arc::clone(&ctx.run.services.meter);
    let place = ctx.resumed::<Place>().unwrap_or_default();
    let mut own = Vec::new();
    let mut shell = ShellOfFormat { stored: variable.is_some(), process: ctx.process, run: ctx.run };
    let (out, most) = match variable {
        Some(_) => (&mut own, usize::MAX),
        None => (ctx.call.out.end(), BLOCK),
    };
    let formatter = Formatter::new(Dialect::Bash, format, args, out, &meter, &mut shell);
    let status = match formatter.run_from(*place, most)? {
        Printed::All(status) => status,
        Printed::Part(place) => {
            ctx.keep(Box::new(place));
            return Ok(Flow::Again);
        }
    };
    if let Some(name) = variable {
        // A variable ends at the first null byte.
        let end = memchr::memchr(0, &own).unwrap_or(own.len());
        own.truncate(end);
        ctx.assign_reference(name, Text::from(own))?;
    }
    Ok(Flow::Status(status))
}

/// What a format says.
struct FormatMessage<'m>(&'m dyn Display);

impl Display for FormatMessage<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl Message for FormatMessage<'_> {}

/// What the formats see of the shell.
struct ShellOfFormat<'s> {
    /// The output is for a variable.
    stored: bool,
    process: &'s mut Process,
    run: &'s mut Run,
}

impl Surroundings for ShellOfFormat<'_> {
    fn report(&mut self, out: &mut Vec<u8>, message: &dyn Display) {
        if !self.stored {
            let shell = &mut self.process.shell;
            shell.outputs.write_lines(shell.state.descriptors.get(1), out);
        }
        self.process.shell.report_for(b"printf", FormatMessage(message));
    }

    fn time(&mut self, format: &[u8], seconds: i64) -> Vec<u8> {
        let zone = self.process.shell.zone(self.run);
        let clock = &self.run.services.session.clock;
        let moment = match seconds {
            -1 => time_format::timestamp(clock.now()),
            -2 => {
                let age = clock.monotonic().saturating_sub(self.process.shell.state.counters.started);
                time_format::timestamp(clock.now().saturating_sub(age))
            }
            seconds => jiff::Timestamp::from_second(seconds).unwrap_or_default(),
        };
        let text = zone.format(format, &zone.at(moment));
        // Bash has room for 127 bytes, and shows nothing of what is longer.
        if text.len() < 128 { text } else { Vec::new() }
    }

    fn store(&mut self, name: &[u8], count: usize) -> bool {
        if !name::is_name(name) {
            self.process.shell.report_for(b"printf", BuiltinError::InvalidName(Text::from(name)));
            return false;
        }
        let id = self.run.services.names.intern(name);
        self.process.shell.assign_variable(self.run, id, decimal(count as i64), false).is_ok()
    }

    fn quote(&self, text: &[u8]) -> Vec<u8> {
        quote::printf_q(text)
    }
}
