//! The `hookbox` command: flags to `cli`, exit status out.

use clap::Parser;
use hookbox::internal::cli::command_line::{Command, CommandLine, completions, man};
use hookbox::internal::cli::{Streams, check, convert, fire, init, lock, record, schema, sh, test};
use hookbox::sandbox::SandboxSource;
use std::io::IsTerminal as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    let (mut stdin, mut stdout, mut stderr) = (std::io::stdin(), std::io::stdout(), std::io::stderr());
    // <https://no-color.org>
    let wants_none = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let is_coloured = stdout.is_terminal() && !wants_none;
    let mut streams = Streams { stdin: &mut stdin, stdout: &mut stdout, stderr: &mut stderr, is_coloured };
    let command_line = match CommandLine::try_parse_from(sh::keep_dashes(std::env::args_os().collect())) {
        Ok(command_line) => command_line,
        Err(error) => return ExitCode::from(hookbox::internal::cli::usage(&error, &mut streams)),
    };
    ExitCode::from(match &command_line.command {
        Command::Sh(arguments) => sh::run(arguments, &mut streams),
        Command::Fire(arguments) => fire::run(arguments, &SandboxSource, &mut streams),
        Command::Check(arguments) => check::run(arguments, &SandboxSource, &mut streams),
        Command::Convert(arguments) => convert::run(arguments, &mut streams),
        Command::Schema(arguments) => schema::run(arguments, &mut streams),
        Command::Init(arguments) => init::run(arguments, &mut streams),
        Command::Completions(arguments) => completions(arguments, &mut streams),
        Command::Man(arguments) => man(arguments, &mut streams),
        Command::Test(arguments) => test::run(arguments, &SandboxSource, &mut streams),
        Command::Lock(arguments) => lock::run(arguments, &SandboxSource, &mut streams),
        Command::Record(arguments) => record::run(arguments, &SandboxSource, &mut streams),
    })
}
