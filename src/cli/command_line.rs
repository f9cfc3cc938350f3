//! The command's table of subcommands, and what is made from it: completions of shells and manual pages.

use super::{CommandFailure, Streams, check, convert, finish, fire, init, lock, record, schema, sh, test};
use clap::{CommandFactory as _, Parser, Subcommand};

/// Runs the hook scripts of AI-agent platforms in a bash of its own, on an in-memory file system
#[derive(Parser)]
#[command(name = "hookbox", version)]
pub struct CommandLine {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Subcommand)]
pub enum Command {
    /// Run a script in a fresh sandbox
    ///
    /// The script is SCRIPT, FILE, standard input, or what is typed at a terminal. Standard streams and the exit status pass
    /// through; 124 on the time limit, 125 on another limit, with one line on standard error that names it.
    Sh(Box<sh::ShArguments>),
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
    /// Write down what a bundle of hooks is and does, so that changes are seen
    Lock(lock::LockArguments),
    /// Make cases of real payloads, or of the transcript of a session
    Record(record::RecordArguments),
    /// Print the completions of a shell: `source <(hookbox completions bash)`
    Completions(CompletionsArguments),
    /// Print the manual page, or that of a subcommand: `man -l <(hookbox man test)`
    Man(ManArguments),
}

/// Arguments of `hookbox completions`.
#[derive(Clone, Debug, clap::Args)]
pub struct CompletionsArguments {
    /// The shell
    #[arg(value_name = "SHELL", value_parser = ["bash", "zsh", "fish"])]
    pub shell: String,
}

/// Arguments of `hookbox man`.
#[derive(Clone, Debug, clap::Args)]
pub struct ManArguments {
    /// A subcommand; without it the page of the whole command
    #[arg(value_name = "SUBCOMMAND")]
    pub subcommand: Option<String>,
}

/// Prints completions.
pub fn completions(arguments: &CompletionsArguments, streams: &mut Streams<'_>) -> u8 {
    let shell = match arguments.shell.as_str() {
        "bash" => clap_complete::Shell::Bash,
        "zsh" => clap_complete::Shell::Zsh,
        _ => clap_complete::Shell::Fish,
    };
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut CommandLine::command(), "hookbox", &mut text);
    let written = streams.stdout.write_all(&text).map_err(CommandFailure::Write);
    finish(written.map(|()| 0), streams)
}

/// Prints a page of the manual.
pub fn man(arguments: &ManArguments, streams: &mut Streams<'_>) -> u8 {
    let result =
        page(arguments).and_then(|page| streams.stdout.write_all(&page).map_err(CommandFailure::Write));
    finish(result.map(|()| 0), streams)
}

fn page(arguments: &ManArguments) -> Result<Vec<u8>, CommandFailure> {
    let mut all = CommandLine::command();
    all.build();
    let command = match &arguments.subcommand {
        None => all,
        Some(name) => match all.find_subcommand(name) {
            Some(found) => found.clone(),
            None => {
                let names: Vec<_> = all.get_subcommands().map(clap::Command::get_name).collect();
                let message = format!("man: there is no subcommand `{name}`; there are {}", names.join(", "));
                return Err(CommandFailure::Other(message));
            }
        },
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(command).render(&mut text).map_err(CommandFailure::Write)?;
    Ok(text)
}
