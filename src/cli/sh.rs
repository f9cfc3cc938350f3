//! `hookbox sh`: runs a script in a fresh sandbox. Standard streams and the exit status pass through; 124 on the time
//! limit, 125 on another limit, with one line on standard error that names it.

use super::egress::EgressArguments;
use super::export;
use super::fire::{fixture_folder, report_skipped, split_seed};
use super::{CommandFailure, Streams};
use crate::hook::case::change_lines;
use crate::io::{InputStream, OutputStream};
use crate::limit::{Limit, Limits};
use crate::sandbox::{End, Output, Sandbox, SandboxBuilder, Script, Sink, Source};
use crate::text::Text;
use crate::vfs::fixture::Fixture;
use crate::vfs::fixture::host::{self, MOST_TEXT};
use crate::vfs::{FsError, Snapshot};
use crate::visible;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::{IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc;
use std::task::{Context, Poll, Waker};

/// Arguments of `hookbox sh`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_long_help = super::reference::of_sh())]
pub struct ShArguments {
    /// Run this command string: SCRIPT, then $0 and the arguments
    #[arg(short = 'c', value_name = "SCRIPT")]
    pub command: Option<OsString>,
    /// Copy a folder of the host into the session, to /workspace unless told otherwise (repeatable); `~` is /home/agent there
    #[arg(long, value_name = "HOSTDIR[:VPATH]")]
    pub seed: Vec<String>,
    /// Start from a fixture: a name below vfs-fixtures/, or a folder
    #[arg(long, value_name = "NAME|DIR")]
    pub fixture: Option<String>,
    /// Working directory in the session
    #[arg(long, value_name = "VPATH")]
    pub cwd: Option<OsString>,
    /// Set a variable of the environment (repeatable)
    #[arg(long, value_name = "K=V")]
    pub env: Vec<OsString>,
    /// Limits to start from: default, hook, everruns or interactive
    ///
    /// Without it: default, and interactive for a shell on a terminal.
    #[arg(long, value_name = "PROFILE")]
    pub limits: Option<String>,
    /// Change one limit (repeatable)
    #[arg(long, value_name = "NAME=VALUE")]
    pub limit: Vec<String>,
    /// Time limit in milliseconds
    #[arg(long, value_name = "MS")]
    pub timeout: Option<u64>,
    /// Copy a file or folder of the session to the host afterwards (repeatable); it stays in HOSTDIR, whatever links lie there
    #[arg(long, value_name = "VPATH:HOSTDIR")]
    pub export: Vec<String>,
    /// Report file changes on standard error
    #[arg(long)]
    pub diff: bool,
    /// Report what the run used, and the headroom, on standard error
    #[arg(long)]
    pub usage: bool,
    /// Fixed clock and random numbers; sleeping costs no time
    #[arg(long)]
    pub deterministic: bool,
    /// Run as sh: bash in POSIX mode
    #[arg(long)]
    pub posix: bool,
    /// Print the compiled program instead of running it
    #[arg(long)]
    pub dump: bool,
    /// Whom it may ask.
    #[command(flatten)]
    pub egress: EgressArguments,
    /// FILE and its arguments; with -c: $0 and the arguments
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "FILE|NAME")]
    pub operands: Vec<OsString>,
}

/// Options whose value is the next argument.
const WITH_VALUE: &[&str] = &[
    "--seed",
    "--fixture",
    "--cwd",
    "--env",
    "--limits",
    "--limit",
    "--timeout",
    "--export",
    "--allow-host",
    "--credential",
    "--max-request-time",
    "--max-response-bytes",
    "--max-request-bytes",
    "--max-requests",
];

/// The command line, `sh` with what follows it, for the parser of options: `--` after `-c SCRIPT` is `$0`, as in bash,
/// and not the end of the options.
pub fn keep_dashes(mut args: Vec<OsString>) -> Vec<OsString> {
    if args.get(1).is_none_or(|command| command != "sh") {
        return args;
    }
    let mut at = 2;
    while let Some(arg) = args.get(at).and_then(|arg| arg.to_str()) {
        match arg {
            "-c" => {
                if args.get(at + 2).is_some_and(|arg| arg == "--") {
                    args.insert(at + 2, OsString::from("--"));
                }
                break;
            }
            "--" => break,
            option if WITH_VALUE.contains(&option) => at += 2,
            option if option.starts_with('-') => at += 1,
            _ => break,
        }
    }
    args
}

/// Runs the command; returns the exit status.
pub fn run(arguments: &ShArguments, streams: &mut Streams<'_>) -> u8 {
    super::finish(run_script(arguments, streams), streams)
}

/// What runs: the text, `$0`, its arguments and its path.
struct Program {
    text: Vec<u8>,
    name: Text,
    args: Vec<Text>,
    path: Text,
    /// It comes from a terminal.
    terminal: bool,
}

fn run_script(arguments: &ShArguments, streams: &mut Streams<'_>) -> Result<u8, CommandFailure> {
    let program = program(arguments, streams)?;
    if arguments.dump {
        let dump = Sandbox::dump(&program.text);
        streams.print(&dump)?;
        return Ok(0);
    }
    let limits = limits(arguments, program.terminal)?;
    let sandbox = sandbox(arguments, &limits)?;
    report_skipped(sandbox.skipped(), streams)?;
    let before = sandbox.fs().snapshot();
    let mut script = Script::command(&program.text);
    script.name = program.name;
    script.args = program.args;
    script.path = program.path;
    script.posix = arguments.posix;
    let line = program.terminal.then(LastLine::default);
    script.stdin = Source::Stream(Box::new(HostInput { terminal: line.clone(), ..HostInput::default() }));
    script.stdout = Sink::Stream(Box::new(HostOutput { error: false, terminal: line.clone() }));
    script.stderr = Sink::Stream(Box::new(HostOutput { error: true, terminal: line }));
    let output = super::runtime()?.block_on(sandbox.start(script));
    for wanted in &arguments.export {
        let Some((from, to)) = wanted.split_once(':') else {
            return Err(CommandFailure::Other(format!("--export {wanted}: VPATH:HOSTDIR is needed")));
        };
        export::export(sandbox.fs(), from.as_bytes(), Path::new(to))?;
    }
    report(arguments, &limits, &sandbox, &before, &output, streams)?;
    Ok(output.status)
}

fn program(arguments: &ShArguments, streams: &mut Streams<'_>) -> Result<Program, CommandFailure> {
    let mut operands = arguments.operands.iter().map(|operand| Text::from(operand.as_encoded_bytes()));
    if let Some(command) = &arguments.command {
        let name = operands.next().unwrap_or_else(|| Text::from_static(b"bash"));
        let text = command.as_encoded_bytes().to_vec();
        return Ok(Program { text, name, args: operands.collect(), path: Text::EMPTY, terminal: false });
    }
    if let Some(file) = arguments.operands.first() {
        let name = operands.next().unwrap_or_default();
        // A script over its own limit is for the sandbox to refuse.
        let most = limits(arguments, false)?.script_bytes.max(MOST_TEXT);
        let text =
            host::read_named(Path::new(file), most).map_err(CommandFailure::host(file.to_string_lossy()))?;
        return Ok(Program {
            text,
            name: name.clone(),
            args: operands.collect(),
            path: name,
            terminal: false,
        });
    }
    let terminal = std::io::stdin().is_terminal();
    let text = match (arguments.dump, terminal) {
        (true, _) => streams.read_stdin()?,
        // The script is read as it runs: its commands may read what follows.
        (false, true) => format!("exec {} --norc -i", shell(arguments)).into_bytes(),
        (false, false) => format!("exec {}", shell(arguments)).into_bytes(),
    };
    let name = Text::from(shell(arguments));
    Ok(Program { text, name, args: Vec::new(), path: Text::EMPTY, terminal })
}

fn shell(arguments: &ShArguments) -> &'static str {
    if arguments.posix { "sh" } else { "bash" }
}

/// The profile with the changes of the command line.
fn limits(arguments: &ShArguments, terminal: bool) -> Result<Limits, CommandFailure> {
    let name = arguments.limits.as_deref().unwrap_or(if terminal { "interactive" } else { "default" });
    let mut limits = Limits::profile(name).ok_or_else(|| {
        CommandFailure::Other(format!("--limits {name}: not one of default, hook, everruns, interactive"))
    })?;
    for change in &arguments.limit {
        let wrong = |why: &str| CommandFailure::Other(format!("--limit {change}: {why}"));
        let (name, value) = change.split_once('=').ok_or_else(|| wrong("NAME=VALUE is needed"))?;
        let limit = Limit::from_name(name).ok_or_else(|| {
            let names: Vec<&str> = Limit::ALL.iter().map(|limit| limit.name()).collect();
            wrong(&format!("no such limit; there are {}", names.join(", ")))
        })?;
        limits.set(limit, value.parse().map_err(|_| wrong("the value is not a number"))?);
    }
    if let Some(timeout) = arguments.timeout {
        limits.set(Limit::WallTime, timeout);
    }
    Ok(limits)
}

fn sandbox(arguments: &ShArguments, limits: &Limits) -> Result<Sandbox, CommandFailure> {
    let mut builder: SandboxBuilder = Sandbox::builder().limits(limits.clone());
    if arguments.deterministic {
        builder = builder.deterministic();
    }
    if let Some(name) = &arguments.fixture {
        let fixture = Fixture::load_within(&fixture_folder(name), limits)?;
        builder = builder.fixture(&fixture)?;
    }
    for seed in &arguments.seed {
        let (from, to) = split_seed(seed);
        builder = builder.seed_dir(to, PathBuf::from(from));
    }
    if let Some(cwd) = &arguments.cwd {
        builder = builder.cwd(Text::from(cwd.as_encoded_bytes()));
    }
    if let Some(network) = arguments.egress.network()? {
        builder = builder.network(network);
    }
    for variable in &arguments.env {
        let bytes = variable.as_encoded_bytes();
        let at = bytes.iter().position(|&byte| byte == b'=').ok_or_else(|| {
            CommandFailure::Other(format!("--env {}: K=V is needed", variable.to_string_lossy()))
        })?;
        let (name, value) = bytes.split_at(at);
        builder = builder.env(Text::from(name), Text::from(value.get(1..).unwrap_or(&[])));
    }
    builder.build().map_err(|error| CommandFailure::Other(error.to_string()))
}

fn report(
    arguments: &ShArguments,
    limits: &Limits,
    sandbox: &Sandbox,
    before: &Snapshot,
    output: &Output,
    streams: &mut Streams<'_>,
) -> Result<(), CommandFailure> {
    let mut text = String::new();
    if let End::Limit(error) = output.end {
        let _ = writeln!(text, "hookbox: {error}");
    }
    if arguments.diff {
        for line in change_lines(&sandbox.diff(before)) {
            let _ = writeln!(text, "{}", visible::line(&line));
        }
    }
    if arguments.usage {
        let usage = &output.usage;
        let _ = writeln!(text, "wall_time_us {}", usage.wall_time_us);
        for (limit, left) in usage.headroom(limits) {
            let allowed = limits.get(limit);
            if allowed == u64::MAX {
                let _ = writeln!(text, "{limit}: no limit");
            } else {
                let used = allowed.saturating_sub(left);
                let _ = writeln!(text, "{limit}: {used} of {allowed} used, {left} left");
            }
        }
    }
    streams.report(&text)
}

/// What was written on the last line of the terminal: the editor draws that line and shows it before what is typed.
#[derive(Clone, Default)]
struct LastLine(Arc<std::sync::Mutex<Vec<u8>>>);

/// A longer line is not shown anew.
const LONGEST_PROMPT: usize = 4096;

impl LastLine {
    fn written(&self, bytes: &[u8]) {
        let mut line = crate::clock::lock(&self.0);
        let behind = match bytes.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')) {
            Some(end) => {
                line.clear();
                bytes.get(end + 1..).unwrap_or(&[])
            }
            None => bytes,
        };
        let room = LONGEST_PROMPT.saturating_sub(line.len());
        line.extend_from_slice(behind.get(..room).unwrap_or(behind));
    }

    /// Takes it: the line that is typed ends it.
    fn take(&self) -> String {
        let line = std::mem::take(&mut *crate::clock::lock(&self.0));
        if line.len() >= LONGEST_PROMPT { String::new() } else { String::from_utf8_lossy(&line).into_owned() }
    }
}

/// Standard input of the process, read by a thread once a script asks for it, so that the run goes on meanwhile.
#[derive(Default)]
struct HostInput {
    /// Lines of a terminal: each is asked for.
    terminal: Option<LastLine>,
    thread: Option<ReaderThread>,
    waker: Arc<std::sync::Mutex<Option<Waker>>>,
    buffer: Vec<u8>,
    start: usize,
    ended: bool,
}

/// The thread that reads.
struct ReaderThread {
    asks: mpsc::Sender<()>,
    blocks: mpsc::Receiver<Vec<u8>>,
    /// A line was asked for and has not come.
    asked: bool,
}

impl ReaderThread {
    fn start(terminal: Option<LastLine>, waker: Arc<std::sync::Mutex<Option<Waker>>>) -> Self {
        let (asks, asked) = mpsc::channel();
        let (sender, blocks) = mpsc::sync_channel(4);
        std::thread::spawn(move || {
            let give = |block: Vec<u8>| {
                let sent = sender.send(block).is_ok();
                if let Some(waker) = crate::clock::lock(&waker).take() {
                    waker.wake();
                }
                sent
            };
            match terminal {
                Some(line) => read_lines(&asked, &line, give),
                None => read_blocks(give),
            }
        });
        Self { asks, blocks, asked: false }
    }
}

fn read_blocks(mut give: impl FnMut(Vec<u8>) -> bool) {
    let mut stdin = std::io::stdin().lock();
    loop {
        let mut block = vec![0; 64 * 1024];
        let count = stdin.read(&mut block).unwrap_or(0);
        block.truncate(count);
        if !give(block) || count == 0 {
            return;
        }
    }
}

fn read_lines(asked: &mpsc::Receiver<()>, line: &LastLine, mut give: impl FnMut(Vec<u8>) -> bool) {
    if let Err(error) = super::line_editor::answer(asked, || line.take(), &mut give) {
        // Nobody else is left to be told.
        let _ = writeln!(std::io::stderr(), "hookbox: {}", visible::line(&error.to_string()));
        give(Vec::new());
    }
}

impl InputStream for HostInput {
    fn poll_read(
        &mut self,
        cx: &mut Context<'_>,
        consume: &mut dyn FnMut(&[u8]) -> usize,
    ) -> Poll<Result<usize, FsError>> {
        if self.start >= self.buffer.len() && !self.ended {
            *crate::clock::lock(&self.waker) = Some(cx.waker().clone());
            let (terminal, waker) = (&self.terminal, &self.waker);
            let reader =
                self.thread.get_or_insert_with(|| ReaderThread::start(terminal.clone(), Arc::clone(waker)));
            if !std::mem::replace(&mut reader.asked, true) {
                // A thread that has ended gives no more: seen below.
                let _ = reader.asks.send(());
            }
            match reader.blocks.try_recv() {
                Ok(block) => {
                    reader.asked = false;
                    self.ended = block.is_empty();
                    self.buffer = block;
                    self.start = 0;
                }
                Err(mpsc::TryRecvError::Empty) => return Poll::Pending,
                Err(mpsc::TryRecvError::Disconnected) => self.ended = true,
            }
        }
        let taken = consume(self.buffer.get(self.start..).unwrap_or(&[]));
        self.start = (self.start + taken).min(self.buffer.len());
        Poll::Ready(Ok(taken))
    }
}

/// Standard output or error of the process.
struct HostOutput {
    error: bool,
    terminal: Option<LastLine>,
}

impl OutputStream for HostOutput {
    fn poll_write(&mut self, _: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize, FsError>> {
        if let Some(line) = &self.terminal {
            line.written(bytes);
        }
        let result = if self.error {
            std::io::stderr().write_all(bytes)
        } else {
            let mut stdout = std::io::stdout().lock();
            stdout.write_all(bytes).and_then(|()| stdout.flush())
        };
        Poll::Ready(match result {
            Ok(()) => Ok(bytes.len()),
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {
                Err(FsError::Errno(crate::vfs::Errno::BrokenPipe))
            }
            Err(_) => Err(FsError::Errno(crate::vfs::Errno::InputOutput)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_of_the_terminal_is_the_prompt() {
        let line = LastLine::default();
        line.written(b"output\nbash-5.2$ ");
        assert_eq!(line.take(), "bash-5.2$ ");
        // What was typed ended it.
        assert_eq!(line.take(), "");
        line.written(b"name");
        line.written(b": ");
        assert_eq!(line.take(), "name: ");
        line.written(&[b'x'; 2 * LONGEST_PROMPT]);
        assert_eq!(line.take(), "");
        line.written(b"a\rb");
        assert_eq!(line.take(), "b");
    }
}
