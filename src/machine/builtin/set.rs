//! `set`: options and positional parameters; the list of variables. Bash manual 4.3.1.

use crate::memory::{Vec, VecDeque, format};
use super::{Builtin, Flow, Invocation, letters};
use crate::machine::option::{self, OPTIONS, ShellOption};
use crate::machine::process::{Halt, Process, Step};
use crate::machine::run::Run;
use crate::machine::shell::Positional;
use crate::text::Text;
use std::sync::Arc;
use std::task::Context;

pub(super) static SET: Builtin = Builtin {
    name: "set",
    special: true,
    synopsis: "set [-abefhkmnptuvxBCEHPT] [-o option-name] [--] [-] [arg ...]",
    help: "Set or unset values of shell options and positional parameters.",
    run,
};

fn run(process: &mut Process, run: &mut Run, _: &mut Context<'_>, invocation: &mut Invocation) -> Step<Flow> {
    if invocation.operands().is_empty() {
        process.print_all_variables(run, !process.shell.state.options.has(ShellOption::Posix));
        return Ok(Flow::Status(0));
    }
    if let Some(flow) = check(process, invocation) {
        return Ok(flow);
    }
    let mut rest: VecDeque<Text> = invocation.args.iter().skip(1).cloned().collect();
    let mut positional: Option<Vec<Text>> = None;
    while let Some(arg) = rest.pop_front() {
        let (on, cluster) = match arg.as_bytes() {
            b"--" => {
                positional = Some(rest.drain(..).collect());
                break;
            }
            b"-" => {
                process.shell.state.options.set(ShellOption::XTrace, false);
                process.shell.state.options.set(ShellOption::Verbose, false);
                let args: Vec<Text> = rest.drain(..).collect();
                positional = (!args.is_empty()).then_some(args);
                break;
            }
            [b'-', cluster @ ..] => (true, cluster),
            [b'+', cluster @ ..] => (false, cluster),
            _ => {
                positional = Some(std::iter::once(arg).chain(rest.drain(..)).collect());
                break;
            }
        };
        for &letter in cluster {
            if letter != b'o' {
                if let Some(option) = option::find_letter(letter) {
                    process.set_option(run, option, on);
                }
                continue;
            }
            // `-o` with another option behind it lists, as `-o` at the end does.
            match rest.front() {
                Some(name) if !matches!(name.first(), Some(b'-' | b'+')) => {
                    let name = name.clone();
                    rest.pop_front();
                    match option::find(&name, true) {
                        Some(option) if !on || !matches!(option, ShellOption::Keyword | ShellOption::OneCmd) => {
                            process.set_option(run, option, on);
                        }
                        _ => {
                            process.report_for(b"set", format_args!("{name}: invalid option name"));
                            return Ok(Flow::Status(2));
                        }
                    }
                }
                _ => process.list_options(on),
            }
        }
    }
    if let Some(args) = positional {
        process.shell.state.positional = Positional::new(args);
    }
    if process.shell.state.options.has(ShellOption::NoExec) {
        return Err(without_execution(process, run)?);
    }
    Ok(Flow::Status(0))
}

/// `set -n`: the rest is parsed and not run.
fn without_execution(process: &mut Process, run: &mut Run) -> Step<Halt> {
    let mut program = Arc::clone(&process.code.program);
    loop {
        if !program.errors.is_empty() {
            return Ok(process.syntax_error(run, &program, 0));
        }
        let Some(rest) = program.rest else { return Ok(Halt::Killed(0)) };
        program = process.compile(run, Arc::clone(&program.source), rest, false)?;
    }
}

/// Looks for letters that are no options before anything is changed.
fn check(process: &mut Process, invocation: &Invocation) -> Option<Flow> {
    let mut args = invocation.args.iter().skip(1).peekable();
    while let Some(arg) = args.next() {
        let (sign, cluster) = match arg.as_bytes() {
            b"--" | b"-" => return None,
            [sign @ (b'-' | b'+'), cluster @ ..] => (*sign, cluster),
            _ => return None,
        };
        for &letter in cluster {
            if letter == b'o' {
                args.next_if(|name| !matches!(name.first(), Some(b'-' | b'+')));
            } else if option::find_letter(letter).is_none() || (sign == b'-' && is_refused(letter)) {
                let shown = format!("{}{}", char::from(sign), char::from(letter));
                process.report_for(b"set", format_args!("{shown}: invalid option"));
                return Some(letters::usage(process, invocation));
            }
        }
    }
    None
}

/// `-k` and `-t` are not supported: they can not be turned on.
const fn is_refused(letter: u8) -> bool {
    matches!(letter, b'k' | b't')
}

impl Process {
    /// Turns an option on or off, and what depends on it.
    pub(super) fn set_option(&mut self, run: &mut Run, option: ShellOption, on: bool) {
        let options = &mut self.shell.state.options;
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
        let enabled = option == ShellOption::History && on && !options.has(option);
        options.set(option, on);
        if enabled && self.shell.state.history.unsaved == 0 {
            self.load_history(run);
        }
    }

    /// `set -o` as a table, `set +o` as commands.
    pub(super) fn list_options(&mut self, table: bool) {
        let options = self.shell.state.options;
        for (option, name, ..) in OPTIONS.iter().filter(|(_, _, _, in_set, _)| *in_set) {
            let on = options.has(*option);
            let line = if table {
                format!("{name:<15}\t{}\n", if on { "on" } else { "off" })
            } else {
                format!("set {} {name}\n", if on { "-o" } else { "+o" })
            };
            self.out.extend_from_slice(line.as_bytes());
        }
    }
}
