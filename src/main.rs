//! The `hookbox` command: flags to `cli`, exit status out.

use clap::{Parser, Subcommand};
use hookbox::internal::cli::{Streams, check, convert, fire, init, schema, sh, test};
use hookbox::sandbox::SandboxSource;
use std::process::ExitCode;

/// Runs the hook scripts of AI-agent platforms in a bash of its own, on an in-memory file system
#[derive(Parser)]
#[command(name = "hookbox", version)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a script in a fresh sandbox
    Sh(sh::ShArguments),
    /// Fire one event through the hooks of a file
    Fire(Box<fire::FireArguments>),
    /// Check hook configs: validation and a linter
    Check(check::CheckArguments),
    /// Port the hooks of a config to another dialect
    Convert(convert::ConvertArguments),
    /// Print the JSON Schema of a dialect's config, payload or output
    Schema(schema::SchemaArguments),
    /// Write a start for a dialect: a config, a script, a fixture and a case
    Init(init::InitArguments),
    /// Run fixture cases
    Test(test::TestArguments),
}

fn main() -> ExitCode {
    let (mut stdin, mut stdout, mut stderr) = (std::io::stdin(), std::io::stdout(), std::io::stderr());
    let mut streams = Streams { stdin: &mut stdin, stdout: &mut stdout, stderr: &mut stderr };
    let command_line = match CommandLine::try_parse_from(sh::keep_dashes(std::env::args_os().collect())) {
        Ok(command_line) => command_line,
        Err(error) => return ExitCode::from(hookbox::internal::cli::usage(&error, &mut streams)),
    };
    ExitCode::from(match &command_line.command {
        Command::Sh(arguments) => sh::run(arguments, &mut streams),
        Command::Fire(arguments) => fire::run(arguments, &SandboxSource, &mut streams),
        Command::Check(arguments) => check::run(arguments, &mut streams),
        Command::Convert(arguments) => convert::run(arguments, &mut streams),
        Command::Schema(arguments) => schema::run(arguments, &mut streams),
        Command::Init(arguments) => init::run(arguments, &mut streams),
        Command::Test(arguments) => test::run(arguments, &SandboxSource, &mut streams),
    })
}
