//! A session for one input, and what holds of every run in it: it ends, it says how, it stays within its limits, it gives its
//! thread back in time, and with a fixed clock it gives the same bytes again.

use hookbox::limit::{Limit, Limits};
use hookbox::sandbox::{End, Output, Sandbox, Script, Source};
use hookbox::text::Text;
use hookbox::vfs::{Snapshot, diff};
use nix::time::{ClockId, clock_gettime};
use std::cell::OnceCell;
use std::future::poll_fn;
use std::pin::pin;
use std::time::Duration;

/// CPU time that one poll may take. A fuzzer's build is many times slower than a release build, and the machine may be
/// busy: what is looked for is work that is not cut at all.
const LONGEST_POLL: Duration = Duration::from_millis(500);

/// What stands before a text that a script of ours prints when something does not hold.
pub(super) const WRONG: &str = "\u{1}wrong: ";

/// Bounds that an input reaches quickly.
pub(super) fn limits() -> Limits {
    let mut limits = Limits::hook();
    limits.wall_time_ms = 2_000;
    limits.operations = 3_000_000;
    limits.commands = 5_000;
    limits.loop_iterations = 20_000;
    limits.processes = 16;
    limits.frames = 200;
    limits.live_bytes = 4 << 20;
    limits.output_bytes = 64 << 10;
    limits.file_system_bytes = 4 << 20;
    limits.value_bytes = 1 << 20;
    limits.script_bytes = 64 << 10;
    limits.expansion_results = 5_000;
    limits.regex_bytes = 1 << 20;
    limits
}

fn cpu_time() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map(Duration::from).unwrap_or_default()
}

/// Runs a future to its end on this thread; no poll of it may take long.
pub(super) fn wait<F: Future>(future: F) -> F::Output {
    thread_local! {
        static RUNTIME: OnceCell<tokio::runtime::Runtime> = const { OnceCell::new() };
    }
    RUNTIME.with(|runtime| {
        let new = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.get_or_init(new).block_on(async {
            let mut future = pin!(future);
            poll_fn(|context| {
                let start = cpu_time();
                let progress = future.as_mut().poll(context);
                let taken = cpu_time().saturating_sub(start);
                assert!(taken <= LONGEST_POLL, "a poll took {taken:?} of CPU time");
                progress
            })
            .await
        })
    })
}

/// What is run, and with which files of its working directory.
pub(super) struct Trial<'a> {
    pub(super) script: &'a [u8],
    pub(super) arguments: Vec<&'a [u8]>,
    pub(super) stdin: &'a [u8],
    pub(super) files: &'a [(&'static str, &'a [u8])],
}

impl Trial<'_> {
    /// A session with the files.
    fn sandbox(&self) -> Sandbox {
        let mut builder = Sandbox::builder().limits(limits()).deterministic();
        for &(name, content) in self.files {
            builder = builder.file(format!("/workspace/{name}").as_str(), content);
        }
        builder.build().unwrap()
    }

    fn script(&self) -> Script {
        let mut script = Script::command(self.script);
        script.args = self.arguments.iter().copied().map(Text::from).collect();
        script.stdin = Source::Bytes(self.stdin.into());
        script
    }

    /// Runs it in a session of its own.
    pub(super) fn run(&self) -> Ran {
        Ran::of(self.sandbox(), self.script())
    }

    /// Runs it, and one in four inputs again; both runs are the same.
    pub(super) fn run_twice(&self) -> Ran {
        let first = self.run();
        let files = self.files.iter().map(|(_, content)| content);
        let parts = self.arguments.iter().chain(files).chain([&self.script, &self.stdin]);
        if parts.map(|part| sum(part)).sum::<usize>() % 4 == 0 {
            first.equals(&self.run());
        }
        first
    }
}

/// A run that is over.
pub(super) struct Ran {
    pub(super) output: Output,
    before: Snapshot,
    pub(super) files: Snapshot,
    pub(super) sandbox: Sandbox,
}

impl Ran {
    /// Runs a script in a session.
    pub(super) fn of(sandbox: Sandbox, script: Script) -> Self {
        let before = sandbox.fs().snapshot();
        let output = wait(sandbox.start(script));
        keeps_to_limits(&output);
        let used = sandbox.fs().usage();
        assert!(used.bytes <= limits().file_system_bytes, "{used:?}");
        Self { output, before, files: sandbox.fs().snapshot(), sandbox }
    }

    /// Whether the clock of the host had a part in how it ended.
    fn ended_by_host_clock(&self) -> bool {
        ended_by_host_clock(&self.output)
    }

    /// Asserts that two runs of one script are the same.
    pub(super) fn equals(&self, other: &Self) {
        if self.ended_by_host_clock() || other.ended_by_host_clock() {
            return;
        }
        let (one, two) = (&self.output, &other.output);
        assert_eq!((one.end, one.status), (two.end, two.status), "two runs end differently");
        assert_eq!(shown(&one.stdout), shown(&two.stdout), "standard output of two runs");
        assert_eq!(shown(&one.stderr), shown(&two.stderr), "standard error of two runs");
        assert_eq!(diff(&self.files, &other.files), [], "files of two runs");
    }

    /// Whether it ended by itself.
    pub(super) fn exited(&self) -> bool {
        self.output.end == End::Exited
    }

    /// Asserts that the script of ours found nothing wrong.
    pub(super) fn found_nothing(&self) {
        let said = shown(&self.output.stdout);
        assert!(!said.contains(WRONG), "{said}");
    }

    /// Asserts that nothing was changed outside of a folder.
    pub(super) fn changed_within(&self, folder: &str) {
        for change in diff(&self.before, &self.files) {
            assert!(change.path.starts_with(folder.as_bytes()), "{change:?}");
        }
    }

    /// Asserts that the session is still of use, whatever the script did to its files.
    pub(super) fn session_lives(&self) {
        let alive = || wait(self.sandbox.start(Script::command("echo alive")));
        // On a busy machine the host's clock may end a run that did nothing; it does not end five of them.
        let mut output = alive();
        for _ in 1..5 {
            if !ended_by_host_clock(&output) {
                break;
            }
            output = alive();
        }
        assert_eq!((output.stdout.as_slice(), output.status), (b"alive\n".as_slice(), 0), "{output:?}");
    }
}

fn ended_by_host_clock(output: &Output) -> bool {
    let limits = [Limit::WallTime, Limit::ParseTime];
    matches!(output.end, End::Limit(error) if limits.contains(&error.limit))
}

fn shown(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

/// Asserts that a run used no more than it may.
fn keeps_to_limits(output: &Output) {
    let (limits, usage) = (limits(), &output.usage);
    // A run that was refused memory holds a little more while it ends.
    let was_refused = matches!(output.end, End::Limit(error) if error.limit == Limit::LiveBytes);
    let slack = if was_refused { 256 << 10 } else { 0 };
    assert!(usage.peak_live_bytes <= limits.live_bytes + slack, "{usage:?} {:?}", output.end);
    // What was refused is counted.
    assert!(usage.commands <= limits.commands + 1, "{usage:?}");
    assert!(usage.loop_iterations <= limits.loop_iterations + 1, "{usage:?}");
    assert!(usage.peak_processes <= limits.processes, "{usage:?}");
    for stream in [&output.stdout, &output.stderr] {
        assert!(stream.len() as u64 <= limits.output_bytes, "{} bytes of output", stream.len());
    }
    let status = match output.end {
        End::Exited => return,
        End::Limit(error) if error.limit == Limit::WallTime => 124,
        End::Limit(_) => 125,
    };
    assert_eq!(output.status, status, "{:?}", output.end);
}

/// A number that the bytes give.
pub(super) fn sum(bytes: &[u8]) -> usize {
    bytes.iter().copied().map(usize::from).sum()
}
