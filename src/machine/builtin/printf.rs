//! `printf`. Bash manual 4.2; the formats are those of [`crate::utility::format::print_format`].

use super::context::Context;
use super::error::BuiltinError;
use super::options::value;
use super::row::{Act, Builtin, Flow};
use crate::machine::error::Message;
use crate::machine::process::Process;
use crate::machine::run::Run;
use crate::machine::variable::decimal;
use crate::machine::work::LONG;
use crate::machine::{name, quote};
use crate::memory::{Box, Vec};
use crate::text::Text;
use crate::utility::format::print_format::{Dialect, Formatter, FormatterPlace, Printed, Surroundings};
use crate::utility::format::time_format;
use std::fmt::Display;

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
    let is_invalid = |name: &&Text| !crate::machine::name::is_assignable(name);
    let parsed = ctx.options();
    // The name is looked at when its option is, before those that follow.
    let named = match (&parsed, ctx.arguments()) {
        (Ok(options), _) => options.value(b'v'),
        (Err(_), [option, name, ..]) if *option.as_bytes() == *b"-v" => Some(name),
        _ => None,
    };
    if let Some(name) = named.filter(is_invalid).cloned() {
        ctx.complain(BuiltinError::InvalidName(name));
        return Ok(Flow::Status(2));
    }
    let options = parsed?;
    let variable = options.value(b'v');
    let Some((format, args)) = ctx.operands(&options).split_first() else { return Err(BuiltinError::Usage) };
    if is_long(format, args, variable.is_some()) && !ctx.may_take_long() {
        return Ok(Flow::Wait);
    }
    let meter = std::sync::Arc::clone(&ctx.run.services.meter);
    let place = ctx.resumed::<FormatterPlace>().map_or_else(FormatterPlace::default, Box::into_inner);
    let mut shell = ShellOfFormat { stored: variable.is_some(), process: ctx.process, run: ctx.run };
    let most = if variable.is_some() { usize::MAX } else { BLOCK };
    let out = ctx.call.out.end();
    let start = out.len();
    let formatter = Formatter::new(Dialect::Bash, format, args, out, &meter, &mut shell);
    let status = match formatter.run_from(place, most)? {
        Printed::All(status) => status,
        Printed::Part(place) => {
            ctx.keep(Box::new(place));
            return Ok(Flow::Again);
        }
    };
    if let Some(name) = variable {
        let value = cut_value(ctx.call.out.end(), start);
        ctx.assign_reference(name, value)?;
    }
    Ok(Flow::Status(status))
}

/// Whether one step can make very much: a directive with a large width, a large argument, or a text for a variable, which is
/// made as a whole.
fn is_long(format: &[u8], args: &[Text], stored: bool) -> bool {
    let has_number = |text: &[u8]| text.split(|byte| !byte.is_ascii_digit()).any(|digits| digits.len() > 4);
    let bytes: usize = args.iter().map(|arg| arg.len()).sum();
    let uses = if stored { args.len() } else { 1 };
    let is_much = bytes.saturating_add(format.len().saturating_mul(uses)) > LONG;
    is_much || has_number(format) || format.contains(&b'*') && args.iter().any(|arg| has_number(arg))
}

/// What a format says.
struct FormatMessage<'m>(&'m dyn Display);

impl Display for FormatMessage<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl Message for FormatMessage<'_> {}

/// Takes the text from `start` on for a variable, which ends at the first null byte.
fn cut_value(out: &mut Vec<u8>, start: usize) -> Text {
    let text = out.get(start..).unwrap_or(&[]);
    let end = start + memchr::memchr(0, text).unwrap_or(text.len());
    if start == 0 && end > BLOCK {
        // A long text is not copied.
        out.truncate(end);
        return Text::from(std::mem::take(out));
    }
    let value = Text::from(out.get(start..end).unwrap_or(&[]));
    out.truncate(start);
    value
}

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
