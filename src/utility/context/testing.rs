//! Runs one utility in a session of its own, for unit tests.

use crate::clock::{Clock, Random, Timers};
use crate::io::{Capture, Description, DescriptorTable, OnExcess};
use crate::limit::{Limit, Limits, Meter};
use crate::text::Text;
use crate::utility::context::DescriptorHandles;
use crate::utility::{
    CommandRequest, CommandRunner, Context, Environment, ExitStatus, Identity, Output, Relation,
    RunningCommand, Session,
};
use crate::vfs::{Base, FileSystem, Options};
use std::sync::Arc;
use std::task::{Context as TaskContext, Poll, Waker};
use std::time::Duration;

/// What was written.
type Bytes = crate::memory::Vec<u8>;

/// What a utility did.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) status: u8,
}

/// A session in `/work` whose clock stands at 2026-05-28T12:34:56.789Z.
pub(crate) struct Fixture {
    pub(crate) session: Arc<Session>,
    pub(crate) env: Environment,
    pub(crate) limits: Limits,
}

impl Fixture {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let clock = Arc::new(Clock::fixed(Duration::from_millis(1_779_971_696_789)));
        let options = Options { clock: Arc::clone(&clock), uid: 0, gid: 0, ..Options::default() };
        let fs = Arc::new(FileSystem::from_base(&Base::new(&[]), options));
        fs.create_dir_all(b"/work", 0o755).unwrap();
        for (path, content) in files {
            let path = crate::vfs::path::join(b"/work", path.as_bytes());
            if let Some((directory, _)) = crate::vfs::path::split_last(&path) {
                fs.create_dir_all(directory, 0o755).unwrap();
            }
            fs.write(&path, content.as_bytes(), 0o644).unwrap();
        }
        let session = Session::new(fs, clock, Arc::new(Random::seeded(1)), Identity::default());
        Self { session: Arc::new(session), env: Environment::default(), limits: Limits::default() }
    }

    pub(crate) fn run(&self, name: &str, args: &[&str], stdin: &[u8]) -> Outcome {
        let (stdout, stderr, status) = self.run_raw(name, args, stdin);
        let text = |bytes: Bytes| String::from_utf8_lossy(&bytes).into_owned();
        Outcome { stdout: text(stdout), stderr: text(stderr), status }
    }

    /// As [`Fixture::run`]: output and messages as bytes, and the status.
    pub(crate) fn run_raw(&self, name: &str, args: &[&str], stdin: &[u8]) -> (Bytes, Bytes, u8) {
        let utility = crate::utility::find(name.as_bytes()).expect("a utility of that name");
        let meter = Meter::new(self.limits.clone(), Arc::clone(&self.session.clock));
        let _entered = meter.enter();
        meter.start_slice();
        let sink = || Capture::new(&meter, Limit::OutputBytes, OnExcess::Fail);
        let (stdout, stderr) = (sink(), sink());
        let out = Description::capture(stdout.clone());
        let err = Description::capture(stderr.clone());
        let context = Context {
            name: Text::from(name),
            args: args.iter().map(|arg| Text::from(*arg)).collect(),
            stdout: Output::new(Some(out.clone())),
            stderr: Output::new(Some(err.clone())),
            cwd: Text::from_static(b"/work"),
            env: self.env.clone().into(),
            umask: 0o022,
            session: Arc::clone(&self.session),
            meter: Arc::clone(&meter),
            utility: Some(utility),
            process: 1,
            descriptors: DescriptorTable::standard(Description::memory(stdin), out, err),
            ignored: crate::utility::format::signal::SignalSet::default(),
            timers: Arc::new(Timers::default()),
            commands: Arc::new(NoCommands),
        };
        let timers = Arc::clone(&context.timers);
        let mut future = (utility.run)(context);
        let mut cx = TaskContext::from_waker(Waker::noop());
        let status = loop {
            match future.as_mut().poll(&mut cx) {
                Poll::Ready(status) => break status,
                Poll::Pending => {
                    if let Some(until) = timers.earliest() {
                        self.session.clock.advance_to(until);
                        timers.fire(until);
                    }
                    meter.start_slice();
                }
            }
        };
        if let Some(limit) = meter.failure() {
            let _ = stderr.write(format!("{limit}\n").as_bytes());
        }
        (stdout.take(), stderr.take(), status.0)
    }
}

/// Runs a utility over standard input and files of `/work`.
pub(crate) fn run(name: &str, args: &[&str], stdin: &[u8], files: &[(&str, &str)]) -> Outcome {
    Fixture::new(files).run(name, args, stdin)
}

/// Every command is `echo`: prints its arguments.
struct NoCommands;

impl CommandRunner for NoCommands {
    fn start(
        &self,
        request: CommandRequest,
        descriptors: DescriptorHandles,
        relation: Relation,
    ) -> RunningCommand {
        let line = request.argv.join(&b' ');
        let stdout = request.stdout.or_else(|| descriptors.0.get(1).cloned());
        if let Some(stdout) = stdout {
            let mut cx = TaskContext::from_waker(Waker::noop());
            let _ = stdout.poll_write(&mut cx, &[line.as_slice(), b"\n"].concat());
        }
        let (running, state) = RunningCommand::new(relation);
        state.end(Ok(ExitStatus::SUCCESS), None);
        running
    }
}

#[cfg(test)]
mod tests {
    use super::run;

    #[test]
    fn cat_reads_files_and_goes_on_after_an_error() {
        let outcome = run("cat", &["a", "nope", "-"], b"in", &[("a", "A\n")]);
        assert_eq!((outcome.stdout.as_str(), outcome.status), ("A\nin", 1));
        assert_eq!(outcome.stderr, "cat: nope: No such file or directory\n");
    }

    #[test]
    fn an_unknown_option_is_a_usage_error() {
        let outcome = run("cat", &["-y"], b"", &[]);
        assert_eq!(outcome.stderr, "cat: invalid option -- 'y'\nTry 'cat --help' for more information.\n");
    }
}
