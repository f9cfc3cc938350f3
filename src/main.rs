//! The `hookbox` command: flags to `cli`, exit status out.

use clap::{Parser, Subcommand};
use hookbox::internal::cli::{Streams, check, convert, fire, init, record, schema, sh, test};
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
    ///
    /// The script is SCRIPT, FILE, standard input, or what is typed at a terminal. Standard streams and the exit status pass
    /// through; 124 on the time limit, 125 on another limit, with one line on standard error that names it.
    Sh(sh::ShArguments),
    /// Fire one event through the hooks of a config
    ///
    /// The outcome is JSON on standard output. Exit status: 0 proceed, 2 blocked, 1 the run could not be done.
    ///
    /// Commands and files that a hook wanted and that are not there, what was left out of the config, hooks that failed and
    /// stopped nothing, and members of an output that the dialect does not read are told on standard error, a line each.
    Fire(Box<fire::FireArguments>),
    /// Check hook configs: validation and a linter
    ///
    /// Configs are validated as for saving. The linter (`--rules` lists its rules) looks at them and at the shell scripts that hooks
    /// call, and at what those call; findings name file, line and column, in JSON strings and YAML's block scalars those of the
    /// config. The same finding is told once where a file has it more than three times, with the places. Where the content shows
    /// no dialect, or more than one, the message says what is wrong with it as a config of the likeliest, or which fit.
    ///
    /// Scripts are looked for in the folder above `.claude`, above a plug-in's `hooks` or `.claude-plugin`, else in the config's
    /// own, and in the folders of --seed; links are followed only as far as they stay there. Where a config lies elsewhere, or in
    /// a template, a file counts as missing only if its folder is there. What is built or installed (`node_modules`, `dist`,
    /// `.venv`, ...) is never missing. Of programs in other languages only whether they are there, and whether the sandbox has
    /// what runs them, is looked at.
    ///
    /// Exit status: 0 no error, 1 an error, 2 a file could not be read or its dialect is not clear.
    Check(check::CheckArguments),
    /// Port the hooks of a config to another dialect
    ///
    /// Hooks stay as they are, behind adapters; what is lost or changes its meaning is told on standard error. Converting back gives
    /// the original hooks. Exit status: 0, or 1 when something is lost.
    Convert(convert::ConvertArguments),
    /// Print the JSON Schema (2020-12) of a dialect's config, payload or output
    Schema(schema::SchemaArguments),
    /// Write a start for a dialect: a config, a script, a fixture and a case
    ///
    /// They pass `check` and `test`. Nothing is written over a file that is there.
    Init(init::InitArguments),
    /// Run fixture cases
    ///
    /// Each failure is shown as a difference. Exit status: 0 all passed, 1 not.
    Test(Box<test::TestArguments>),
    /// Make cases of real payloads, or of the transcript of a session
    Record(record::RecordArguments),
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
        Command::Record(arguments) => record::run(arguments, &SandboxSource, &mut streams),
    })
}
