//! `set`: options and positional parameters; the list of variables. Bash manual 4.3.1.

use super::super::shell::Shell;
use super::context::Context;
use super::error::BuiltinError;
use super::options::{OptionRow, signed};
use super::row::{Act, Builtin, Flow};
use crate::machine::halt::Halt;
use crate::machine::option::{self, OPTIONS, ShellOption, ShellOptionRow};
use crate::machine::run::Run;
use crate::machine::shell::Positional;
use crate::memory::{Arc, ToMetered};
use crate::text::Text;
use std::fmt::Write as _;

/// For the help; which letters there are is told by the table of options of the shell.
const ROWS: &[OptionRow] = &[
    signed(b'a', "export variables that are assigned"),
    signed(b'b', "report jobs that end at once"),
    signed(b'e', "exit when a command fails"),
    signed(b'f', "no pathname expansion"),
    signed(b'h', "remember where commands are"),
    signed(b'k', "assignments among the arguments go to the environment too"),
    signed(b'm', "job control"),
    signed(b'n', "read commands, run none"),
    signed(b'p', "privileged"),
    signed(b't', "exit after the next command"),
    signed(b'u', "an unset variable is an error"),
    signed(b'v', "print lines as they are read"),
    signed(b'x', "print commands before they run"),
    signed(b'B', "brace expansion"),
    signed(b'C', "redirections do not overwrite files"),
    signed(b'E', "functions inherit the ERR trap"),
    signed(b'H', "history expansion"),
    signed(b'P', "the working directory is a physical one"),
    signed(b'T', "functions inherit the DEBUG and RETURN traps"),
];

pub(super) static SET: Builtin = Builtin {
    name: "set",
    special: true,
    synopsis: "set [-abefhkmnptuvxBCEHPT] [-o option-name] [--] [-] [arg ...]",
    help: "Set or unset values of shell options and positional parameters.",
    options: ROWS,
    act: Act::Machine(set),
};

fn set(ctx: &mut Context<'_, '_>) -> Result<Flow, BuiltinError> {
    let args = ctx.arguments();
    if args.is_empty() {
        let posix = ctx.process.shell.state.options.has(ShellOption::Posix);
        super::declare::all_values(ctx, !posix);
        return Ok(Flow::Status(0));
    }
    check(args, ctx.process.shell.state.options.has(ShellOption::RestrictedShell))?;
    if let Some(args) = set_options(ctx, args)? {
        ctx.process.shell.state.positional = Positional::new(args.to_metered());
    }
    if ctx.process.shell.state.options.has(ShellOption::NoExec) {
        return Err(without_execution(ctx)?.into());
    }
    Ok(Flow::Status(0))
}

/// Sets the options at the front of the arguments. The positional parameters after them; `None`: they stay.
fn set_options<'a>(ctx: &mut Context<'_, '_>, args: &'a [Text]) -> Result<Option<&'a [Text]>, BuiltinError> {
    let mut rest = args;
    while let Some((arg, after)) = rest.split_first() {
        let (on, cluster) = match arg.as_bytes() {
            b"--" => return Ok(Some(after)),
            b"-" => {
                ctx.process.shell.state.options.set(ShellOption::XTrace, false);
                ctx.process.shell.state.options.set(ShellOption::Verbose, false);
                return Ok((!after.is_empty()).then_some(after));
            }
            [b'-', cluster @ ..] => (true, cluster),
            [b'+', cluster @ ..] => (false, cluster),
            _ => return Ok(Some(rest)),
        };
        rest = after;
        for &letter in cluster {
            if letter != b'o' {
                if let Some(option) = option::find_letter(letter) {
                    ctx.process.shell.set_option(ctx.run, option, on);
                }
                continue;
            }
            // `-o` with another option after it lists, as `-o` at the end does.
            match rest.split_first().filter(|(name, _)| !is_option(name)) {
                None => list(ctx, on),
                Some((name, after)) => {
                    rest = after;
                    let option = option::find(name, true)
                        .ok_or_else(|| BuiltinError::InvalidOptionName(name.clone()))?;
                    ctx.process.shell.set_option(ctx.run, option, on);
                }
            }
        }
    }
    Ok(None)
}

fn is_option(arg: &Text) -> bool {
    matches!(arg.first(), Some(b'-' | b'+'))
}

/// `set -o` as a table, `set +o` as commands.
fn list(ctx: &mut Context<'_, '_>, table: bool) {
    let options = ctx.process.shell.state.options;
    for ShellOptionRow { option, name, .. } in OPTIONS.iter().filter(|row| row.in_set) {
        let on = options.has(*option);
        let _ = if table {
            writeln!(ctx.out, "{name:<15}\t{}", if on { "on" } else { "off" })
        } else {
            writeln!(ctx.out, "set {} {name}", if on { "-o" } else { "+o" })
        };
    }
}

/// `set -n`: the rest is parsed and not run.
fn without_execution(ctx: &mut Context<'_, '_>) -> Result<Halt, BuiltinError> {
    let mut program = Arc::clone(&ctx.process.shell.code.program);
    loop {
        if !program.errors.is_empty() {
            return Ok(ctx.process.control.syntax_error(&mut ctx.process.shell, ctx.run, &program, 0));
        }
        let Some(rest) = program.rest else { return Ok(Halt::Killed(0)) };
        program =
            ctx.process.control.compile(&mut ctx.process.shell, ctx.run, &program.source, rest, false)?;
    }
}

/// Looks for letters that are not options before anything is changed.
fn check(args: &[Text], is_restricted: bool) -> Result<(), BuiltinError> {
    let mut args = args.iter().peekable();
    while let Some(arg) = args.next() {
        let (plus, cluster) = match arg.as_bytes() {
            b"--" | b"-" => return Ok(()),
            [sign @ (b'-' | b'+'), cluster @ ..] => (*sign == b'+', cluster),
            _ => return Ok(()),
        };
        for &letter in cluster {
            if letter == b'o' {
                args.next_if(|name| !is_option(name));
            } else if option::find_letter(letter).is_none() || (plus && letter == b'r' && is_restricted) {
                return Err(BuiltinError::InvalidOption { plus, letter });
            }
        }
    }
    Ok(())
}

impl Shell {
    /// Turns an option on or off, and what depends on it.
    pub(super) fn set_option(&mut self, run: &mut Run, option: ShellOption, on: bool) {
        let options = &mut self.state.options;
        match option {
            // Of the two editing modes one is on at most.
            ShellOption::Vi if on => options.set(ShellOption::Emacs, false),
            ShellOption::Emacs if on => options.set(ShellOption::Vi, false),
            ShellOption::InteractiveComments => options.set(ShellOption::InteractiveCommentsShopt, on),
            ShellOption::InteractiveCommentsShopt => options.set(ShellOption::InteractiveComments, on),
            ShellOption::ExtDebug => {
                options.set(ShellOption::ErrTrace, on);
                options.set(ShellOption::FuncTrace, on);
            }
            _ => {}
        }
        if matches!(option, ShellOption::ExtGlob | ShellOption::Posix | ShellOption::ExpandAliases) {
            self.state.commands.parser_changed = true;
        }
        if option == ShellOption::Posix {
            self.variables.show_posix(on);
        }
        let options = &mut self.state.options;
        let is_level = option::is_compatibility(option);
        if is_level && on {
            options.forget_compatibility();
        }
        let enabled = option == ShellOption::History && on && !options.has(option);
        options.set(option, on);
        if is_level {
            self.variables.show_compatibility(self.state.options);
        }
        if option == ShellOption::IgnoreEof {
            self.variables.show_ignore_eof(on);
        }
        if enabled && self.state.editor.history.unsaved == 0 {
            self.history(run).load();
        }
    }
}
