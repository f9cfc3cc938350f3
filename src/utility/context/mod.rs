//! `Context`: all that a utility can reach, with what it reaches: arguments as options and operands, input and output, the
//! session, other commands, and the counting of its work.

pub(crate) mod arguments;
pub(crate) mod byte_queue;
pub(crate) mod error;
pub(in crate::utility) mod headings;
pub(in crate::utility) mod names;
pub(crate) mod operands;
pub(crate) mod options;
pub(crate) mod pace;
pub(crate) mod process_list;
pub(crate) mod running;
pub(crate) mod session;
pub(crate) mod stand_in;
pub(crate) mod stream;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod ticker;

use crate::clock::{Sleep, Timers};
use crate::environment::Environment;
use crate::io::Description;
use crate::io::DescriptorTable;
use crate::limit::{LimitError, Meter, Turn, gauge};
use crate::memory::{Arc, Vec, format};
use crate::text::Text;
use crate::utility::format::signal::SignalSet;
use crate::utility::{ExitStatus, Input, OptionSet, Options, Output, Session, Utility, UtilityError};
use crate::vfs::{self, Errno, FsError, OpenOptions};
use options::OptionsEnd;
use pace::yield_now;
use process_list::ProcessQuery;
use running::{Relation, RunningCommand};
use std::time::Duration;

/// A command that a utility wants to be run (`xargs`, `find -exec`, `env`, `timeout`).
#[derive(Clone, Debug)]
pub struct CommandRequest {
    /// Name and arguments.
    pub argv: Vec<Text>,
    /// Its environment.
    pub environment: Arc<Environment>,
    /// Its working directory.
    pub cwd: Text,
    /// Its standard input; `None`: the utility's own.
    pub(crate) stdin: Option<Arc<Description>>,
    /// Its standard output; `None`: the utility's own.
    pub(crate) stdout: Option<Arc<Description>>,
    /// The signals that it ignores, beside those that the utility ignores.
    pub(crate) ignores: SignalSet,
    /// The signals that it does not ignore, though the utility does.
    pub(crate) defaults: SignalSet,
}

/// Why a command could not be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// Status 127.
    #[error("No such file or directory")]
    NotFound,
    /// Status 126.
    #[error("Permission denied")]
    NotExecutable,
    /// The run is over.
    #[error(transparent)]
    Limit(#[from] LimitError),
}

/// Runs other commands for a utility; the machine implements it.
pub(crate) trait CommandRunner: Send + Sync {
    /// Starts the command with the descriptors of the utility that asks.
    fn start(
        &self,
        request: CommandRequest,
        descriptors: DescriptorHandles,
        relation: Relation,
    ) -> RunningCommand;

    /// Asks for the processes of the run, for a utility with this name and these arguments. A runner that knows of none
    /// answers with none.
    fn processes(&self, argv: Vec<Text>) -> ProcessQuery {
        drop(argv);
        ProcessQuery::answered(Vec::new())
    }

    /// Sends a signal, by its number, to a process of the run that was in an answer. It arrives when the utility waits, or
    /// when it has ended.
    fn signal(&self, pid: u32, signal: u8) {
        let _ = (pid, signal);
    }
}

/// The descriptors of a utility, to be handed on to a command that it runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct DescriptorHandles(pub(crate) DescriptorTable);

/// What a utility is given. It reaches nothing else: no host files, environment, clock or processes.
pub struct Context {
    /// The name it was called by.
    pub name: Text,
    /// Its arguments, without the name.
    pub args: Vec<Text>,
    /// Standard output.
    pub stdout: Output,
    /// Standard error; written at once by [`Context::report`] and [`Context::warn`].
    pub stderr: Output,
    /// Absolute path of the working directory.
    pub cwd: Text,
    /// Its environment.
    pub env: Arc<Environment>,
    /// File mode creation mask.
    pub umask: u32,
    /// The session: files, clock, random numbers, user.
    pub session: std::sync::Arc<Session>,
    /// Counts what the run uses.
    pub meter: std::sync::Arc<Meter>,
    pub(crate) utility: Option<&'static Utility>,
    /// The process that runs it.
    pub(crate) process: u32,
    pub(crate) descriptors: DescriptorTable,
    /// The signals that were ignored when it was started: they stay so.
    pub(crate) ignored: SignalSet,
    pub(crate) timers: std::sync::Arc<Timers>,
    pub(crate) commands: std::sync::Arc<dyn CommandRunner>,
}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context").field("name", &self.name).field("args", &self.args).finish_non_exhaustive()
    }
}

/// Fuel of a loop turn of a utility.
const TICK: i64 = 2;

impl Context {
    /// Splits the arguments into options and operands by the table of the options `O`.
    ///
    /// # Errors
    /// A usage error worded as GNU getopt words it; `--help` and `--version` print and end with status 0.
    pub(crate) fn parse_options<O: OptionSet>(
        &mut self,
        utility: &'static Utility,
    ) -> Result<Options<O>, UtilityError> {
        self.utility = Some(utility);
        let args = std::mem::take(&mut self.args);
        Options::parse(utility, args, &mut self.stdout)
    }

    /// As [`Context::parse_options`], for a utility that acts on options one by one: those before a fault are given with it.
    pub(in crate::utility) fn parse_options_in_order<O: OptionSet>(
        &mut self,
        utility: &'static Utility,
    ) -> (Options<O>, Result<(), OptionsEnd>) {
        self.utility = Some(utility);
        Options::parse_in_order(utility, std::mem::take(&mut self.args))
    }

    /// Standard input; where that is closed, reading it is an error. Reading ahead is undone when it is dropped, where the
    /// input can be seeked.
    pub fn standard_input(&self) -> Input {
        let description = self.descriptors.get(0).cloned().unwrap_or_else(Description::closed);
        Input::new(description, &self.meter)
    }

    /// `path` made absolute.
    pub fn absolute(&self, path: &[u8]) -> Vec<u8> {
        let own = vfs::of_process(path, [self.process; 2]);
        own.unwrap_or_else(|| vfs::path::join(&self.cwd, path))
    }

    /// Opens a file for reading.
    pub fn open(&self, path: &[u8]) -> Result<Input, FsError> {
        let options = OpenOptions { read: true, ..OpenOptions::default() };
        Ok(Input::new(self.open_description(path, &options)?, &self.meter))
    }

    /// Opens a file for writing, created with mode 0666 less the umask; truncated unless `append`.
    pub fn create(&self, path: &[u8], append: bool) -> Result<Output, FsError> {
        let mode = 0o666 & !self.umask;
        let options = OpenOptions {
            write: true,
            create: true,
            truncate: !append,
            append,
            mode,
            ..OpenOptions::default()
        };
        Ok(Output::new(Some(self.open_description(path, &options)?)))
    }

    pub(crate) fn open_description(
        &self,
        path: &[u8],
        options: &OpenOptions,
    ) -> Result<Arc<Description>, FsError> {
        use crate::io::OpenedPath;
        if path.is_empty() {
            return Err(Errno::NotFound.into());
        }
        let Session { fs, fifos, random, .. } = &*self.session;
        match Description::open(fs, fifos, random, &self.absolute(path), options)? {
            OpenedPath::Description(description) => Ok(description),
            OpenedPath::Descriptor(number) => {
                self.descriptors.get(number).cloned().ok_or_else(|| Errno::NotFound.into())
            }
        }
    }

    /// The open description of a descriptor, for example 0.
    pub(crate) fn description(&self, number: u32) -> Option<&Arc<Description>> {
        self.descriptors.get(number)
    }

    /// Prints `name: message` on standard error and gives status 1, for an error that does not end the utility.
    pub fn warn(&mut self, message: impl std::fmt::Display) -> ExitStatus {
        let line = format!("{}: {message}\n", self.name);
        self.stderr.push(line.as_bytes());
        self.stderr.flush_now();
        ExitStatus::FAILURE
    }

    /// Reports an error about one operand (`name: operand: text`) and gives status 1. A limit ends the utility instead.
    pub fn report(&mut self, operand: &[u8], error: FsError) -> Result<ExitStatus, UtilityError> {
        match error {
            FsError::Errno(errno) => {
                Ok(self.warn(format_args!("{}: {}", bstr::BStr::new(operand), errno.message())))
            }
            FsError::Limit(limit) => Err(limit.into()),
        }
    }

    /// Counts a turn of a loop; now and then it checks the deadline and lets others run. Call it in every loop that input
    /// can make long, about once for each 100 ns to 10 µs of work.
    pub async fn tick(&mut self) -> Result<(), LimitError> {
        if gauge::burn(TICK) { self.check().await } else { Ok(()) }
    }

    /// Counts `count` turns at once, for the next [`Context::check`].
    #[expect(clippy::unused_self, reason = "called as `tick` is")]
    pub(crate) fn tick_many(&self, count: u32) {
        gauge::burn(TICK * i64::from(count));
    }

    /// Waits until a text may be compiled, if that can take long for its size or for what its expressions repeat.
    pub(crate) async fn compiles(&self, text: &[u8]) {
        if is_long_to_compile(text) {
            self.may_take_long().await;
        }
    }

    /// Waits until a step may take long.
    pub(crate) async fn may_take_long(&self) {
        while !self.meter.may_take_long() {
            yield_now().await;
        }
    }

    /// As [`Context::tick`] for loops that cannot wait: only the deadline is checked.
    #[cfg(feature = "programs")]
    pub(crate) fn tick_now(&mut self) -> Result<(), LimitError> {
        if gauge::burn(TICK) { self.meter.refuel_in_place() } else { Ok(()) }
    }

    /// Checks the deadline and lets others run when the time slice is over.
    pub async fn check(&mut self) -> Result<(), LimitError> {
        let turn = self.meter.refuel();
        // Also when the run is over: whoever polls it can then drop all of the utility at once, perhaps on a thread.
        if turn != Ok(Turn::Continues) {
            yield_now().await;
        }
        turn.map(|_| ())
    }

    /// Waits; costs no time on a fixed clock.
    pub fn sleep(&self, time: Duration) -> Sleep {
        let clock = &self.session.clock;
        self.timers.sleep_until(clock, clock.monotonic().saturating_add(time))
    }

    /// Writes a byte to standard output so many times.
    pub(crate) async fn write_repeated(&mut self, byte: u8, count: usize) -> Result<(), UtilityError> {
        const STRETCH: usize = 1024;
        let stretch = [byte; STRETCH];
        let mut left = count;
        while left > 0 {
            let now = left.min(STRETCH);
            self.stdout.write(stretch.get(..now).unwrap_or_default()).await?;
            left -= now;
            if left > 0 {
                self.tick().await?;
            }
        }
        Ok(())
    }

    /// Runs another command with this utility's descriptors.
    pub async fn run_command(&self, request: CommandRequest) -> Result<ExitStatus, CommandError> {
        self.start_command(request, Relation::Child).await
    }

    /// Starts another command with this utility's descriptors.
    pub(crate) fn start_command(&self, request: CommandRequest, relation: Relation) -> RunningCommand {
        self.commands.start(request, DescriptorHandles(self.descriptors.clone()), relation)
    }

    /// A request for `argv` in this utility's environment and directory.
    pub fn command(&self, argv: Vec<Text>) -> CommandRequest {
        CommandRequest {
            argv,
            environment: Arc::clone(&self.env),
            cwd: self.cwd.clone(),
            stdin: None,
            stdout: None,
            ignores: SignalSet::default(),
            defaults: SignalSet::default(),
        }
    }

    /// Flushes, reports the error and gives the exit status.
    pub(crate) async fn finish(&mut self, result: Result<ExitStatus, UtilityError>) -> ExitStatus {
        let result = match (result, self.stdout.flush().await) {
            (Ok(status), Ok(())) => Ok(status),
            // What fails once a limit was reached fails by that.
            (Err(error), _) | (Ok(_), Err(error)) => {
                Err(self.meter.failure().map_or(error, UtilityError::Limit))
            }
        };
        let status = match result {
            Ok(status) | Err(UtilityError::Exit(status)) => status,
            Err(UtilityError::Write(Errno::BrokenPipe)) => ExitStatus::BROKEN_PIPE,
            Err(UtilityError::Limit(error)) => {
                // A quota of the session's file system is not the meter's own: it ends the run all the same.
                self.meter.fail_with(error.limit, error.allowed);
                ExitStatus(125)
            }
            Err(error @ UtilityError::Write(_)) => self.warn(error),
            Err(UtilityError::Failed { message, status }) => {
                self.warn(message);
                ExitStatus(status)
            }
            Err(UtilityError::Usage(message)) => {
                self.warn(message);
                let hint = format!("Try '{} --help' for more information.\n", self.name);
                self.stderr.push(hint.as_bytes());
                ExitStatus(self.utility.map_or(1, |utility| utility.usage_status))
            }
        };
        match self.stderr.flush().await {
            Err(UtilityError::Write(Errno::BrokenPipe)) => ExitStatus::BROKEN_PIPE,
            _ => status,
        }
    }
}

/// Whether a program or a regular expression is long, or may repeat a part of it ten times or more.
fn is_long_to_compile(text: &[u8]) -> bool {
    let repeats = |window: &[u8]| matches!(window, [first, second, b'}' | b','] if first.is_ascii_digit() && second.is_ascii_digit());
    text.len() > 4096 || text.windows(3).any(repeats)
}
