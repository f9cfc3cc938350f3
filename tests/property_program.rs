//! Programs by proptest: what is printed of a program does what the program does; a run that is polled in small steps,
//! beside another session's, does what it does when it is polled to its end; sessions that go on from one snapshot do what
//! sessions do that came to the same files by themselves.
//!
//! Some programs have a loop without end. What a run of several processes has written when a limit ends it depends on whose
//! turn it was, and so on what the session has kept from earlier runs: such programs are passed over.
//!
//! The programs are the same in each run of the tests; `PROPTEST_CASES=2000 PROPTEST_RNG_SEED=$RANDOM cargo test --release
//! --test property_program` tries more and others.

#![allow(clippy::unwrap_used, reason = "a test")]

mod generated;

use generated::{render, script_of};
use hookbox::internal::syntax::{NoAliases, ParseOptions, Parser, print_list};
use hookbox::limit::Limits;
use hookbox::sandbox::{CommandGate, End, Output, Running, Sandbox, SandboxBuilder, Script, Sink, Source};
use hookbox::sandbox::{InputStream, OutputStream};
use hookbox::text::Text;
use hookbox::vfs::{FsError, Snapshot, diff};
use proptest::prelude::*;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::time::{Duration, Instant};

/// What every program finds in its directory.
const TREE: &[(&str, &str)] = &[
    ("a1", "one\n"),
    ("a2", ""),
    ("b.txt", "first line\nsecond:  x\\y \n last"),
    (".hid", "h\n"),
    ("d/x", "x\n"),
    ("d/y.txt", "y\n"),
    ("sp ace", "s\n"),
];
const STDIN: &str = "l1\nl2 x:y\n\nlast";

fn program() -> impl Strategy<Value = String> {
    (any::<u64>(), prop::collection::vec(any::<u64>(), 1..8))
        .prop_map(|(options, statements)| render(&script_of(options, &statements)))
}

fn settings() -> ProptestConfig {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(200);
    ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 300, ..ProptestConfig::default() }
}

fn builder() -> SandboxBuilder {
    let mut limits = Limits::hook();
    limits.wall_time_ms = 60_000;
    limits.commands = 1_000;
    Sandbox::builder().limits(limits).deterministic()
}

fn filled() -> SandboxBuilder {
    TREE.iter().fold(builder(), |builder, (path, content)| {
        builder.file(format!("/workspace/{path}").as_str(), *content)
    })
}

/// What there is to compare of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Seen {
    end: End,
    status: u8,
    stdout: String,
    stderr: String,
}

impl From<Output> for Seen {
    fn from(output: Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        Self { end: output.end, status: output.status, stdout, stderr }
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap()
}

fn script(text: &str) -> Script {
    let mut script = Script::command(text);
    script.stdin = Source::Bytes(STDIN.into());
    script
}

/// Polls a run until it is over.
fn at_once(sandbox: &Sandbox, text: &str) -> Seen {
    runtime().block_on(sandbox.start(script(text))).into()
}

#[track_caller]
fn assert_same_files(one: &Snapshot, two: &Snapshot) {
    assert_eq!(diff(one, two), []);
}

// ---- printing

/// The program as it is printed, command by command; `None` where printing changes more than the layout (`declare -f` of bash
/// moves what follows a here-document) or a line of an error would tell it apart.
fn printed(text: &str) -> Option<String> {
    if ["<<", "LINENO", "extglob", "coproc"].iter().any(|design| text.contains(design)) {
        return None;
    }
    let mut parser = Parser::new(text.as_bytes().into(), 1);
    let mut out = Vec::new();
    while let Some(list) = parser.next_command(&ParseOptions::default(), &NoAliases).ok()? {
        out.extend(print_list(&list, text.as_bytes()));
        out.push(b'\n');
    }
    String::from_utf8(out).ok()
}

/// Without the lines of messages, and without the source that some of them quote as it was written.
fn without_lines(stderr: &str) -> String {
    const QUOTES_SOURCE: &str = ": bad substitution";
    let number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let line = |line: &str| match line.split_once("line ") {
        _ if line.ends_with(QUOTES_SOURCE) => QUOTES_SOURCE.to_owned(),
        Some((before, after)) => match after.split_once(':') {
            Some((digits, rest)) if number(digits) => format!("{before}{rest}"),
            _ => line.to_owned(),
        },
        None => line.to_owned(),
    };
    stderr.lines().map(line).collect::<Vec<_>>().join("\n")
}

// ---- steps

/// Keeps the thread after each command for longer than a run may: the run gives it back wherever it can.
struct Slow;

impl CommandGate for Slow {
    fn allow(&self, _name: &[u8], _args: &[Text]) -> Result<(), Text> {
        let end = Instant::now() + Duration::from_micros(450);
        while Instant::now() < end {
            std::hint::spin_loop();
        }
        Ok(())
    }
}

/// Standard input that arrives byte by byte, and each byte late.
struct Drops {
    left: Vec<u8>,
    late: bool,
}

impl InputStream for Drops {
    fn poll_read(
        &mut self,
        cx: &mut Context<'_>,
        consume: &mut dyn FnMut(&[u8]) -> usize,
    ) -> Poll<Result<usize, FsError>> {
        self.late = !self.late;
        if self.late {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let taken = consume(self.left.get(..1).unwrap_or_default());
        self.left.drain(..taken);
        Poll::Ready(Ok(taken))
    }
}

/// An output that takes three bytes every other time.
struct Trickle {
    into: Arc<Mutex<Vec<u8>>>,
    late: bool,
}

impl OutputStream for Trickle {
    fn poll_write(&mut self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize, FsError>> {
        self.late = !self.late;
        if self.late {
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let taken = bytes.get(..3).unwrap_or(bytes);
        self.into.lock().unwrap().extend_from_slice(taken);
        Poll::Ready(Ok(taken.len()))
    }
}

struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A run in small steps, with what it wrote so far.
struct Steps {
    running: Pin<Box<Running>>,
    stdout: Arc<Mutex<Vec<u8>>>,
    stderr: Arc<Mutex<Vec<u8>>>,
    woken: Arc<Woken>,
    seen: Option<Seen>,
}

impl Steps {
    fn new(sandbox: &Sandbox, text: &str) -> Self {
        let (stdout, stderr) = <(Arc<Mutex<Vec<u8>>>, Arc<Mutex<Vec<u8>>>)>::default();
        let sink = |into: &Arc<Mutex<Vec<u8>>>| {
            Sink::Stream(Box::new(Trickle { into: Arc::clone(into), late: false }))
        };
        let mut script = Script::command(text);
        script.stdin = Source::Stream(Box::new(Drops { left: STDIN.into(), late: false }));
        (script.stdout, script.stderr) = (sink(&stdout), sink(&stderr));
        let running = Box::pin(sandbox.start(script));
        let woken = Arc::new(Woken(AtomicBool::new(true)));
        Self { running, stdout, stderr, woken, seen: None }
    }

    /// Polls once, if it is not over. A run that waits and was not woken until it is its turn again would wait for ever.
    fn step(&mut self) -> bool {
        if self.seen.is_some() {
            return false;
        }
        assert!(self.woken.0.swap(false, Ordering::Relaxed), "it waits for nothing");
        let waker = Waker::from(Arc::clone(&self.woken));
        match self.running.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Pending => {}
            Poll::Ready(mut output) => {
                output.stdout.clone_from(&self.stdout.lock().unwrap());
                output.stderr.clone_from(&self.stderr.lock().unwrap());
                self.seen = Some(output.into());
            }
        }
        true
    }
}

proptest! {
    #![proptest_config(settings())]

    #[test]
    fn a_printed_program_does_the_same(text in program()) {
        if let Some(printed) = printed(&text) {
            let (one, two) = (filled().build().unwrap(), filled().build().unwrap());
            let (mut first, mut second) = (at_once(&one, &text), at_once(&two, &printed));
            prop_assume!(first.end == End::Exited);
            for seen in [&mut first, &mut second] {
                (seen.stdout, seen.stderr) = (without_lines(&seen.stdout), without_lines(&seen.stderr));
            }
            prop_assert_eq!(first, second, "{}\n---\n{}", text, printed);
            assert_same_files(&one.fs().snapshot(), &two.fs().snapshot());
        }
    }

    #[test]
    fn a_run_in_steps_beside_another_does_the_same(text in program(), other in program()) {
        let plain = filled().build().unwrap();
        let expected = at_once(&plain, &text);
        prop_assume!(expected.end == End::Exited);
        // Here each poll is told of when it was woken for, so nobody else may poll the run.
        let stays = || filled().threads(false);
        let (stepped, beside) = (stays().gate(Arc::new(Slow)).build().unwrap(), stays().build().unwrap());
        runtime().block_on(async {
            let (mut one, mut two) = (Steps::new(&stepped, &text), Steps::new(&beside, &other));
            while one.step() | two.step() {
                tokio::task::yield_now().await;
            }
            assert_eq!(one.seen.unwrap(), expected, "{text}");
        });
        assert_same_files(&stepped.fs().snapshot(), &plain.fs().snapshot());
    }

    #[test]
    fn forked_sessions_do_the_same(before in program(), left in program(), right in program()) {
        // By themselves: each session does all of its own.
        let alone = |after: &str| {
            let sandbox = filled().build().unwrap();
            at_once(&sandbox, &before);
            let seen = at_once(&sandbox, after);
            (seen, sandbox.fs().snapshot())
        };
        let (expected_left, expected_right) = (alone(&left), alone(&right));
        let ends = [expected_left.0.end, expected_right.0.end];
        prop_assume!(ends == [End::Exited, End::Exited]);
        // From one snapshot: both side by side.
        let first = filled().build().unwrap();
        at_once(&first, &before);
        let snapshot = first.fs().snapshot();
        let fork = || builder().snapshot(snapshot.clone()).build().unwrap();
        let (one, two) = (fork(), fork());
        let (seen_one, seen_two) = runtime().block_on(async {
            tokio::join!(one.start(script(&left)), two.start(script(&right)))
        });
        prop_assert_eq!(&Seen::from(seen_one), &expected_left.0, "{}\n---\n{}", before, left);
        prop_assert_eq!(&Seen::from(seen_two), &expected_right.0, "{}\n---\n{}", before, right);
        assert_same_files(&one.fs().snapshot(), &expected_left.1);
        assert_same_files(&two.fs().snapshot(), &expected_right.1);
        // A session that was put back goes on as if nothing had been.
        at_once(&first, &right);
        first.fs().restore(&snapshot);
        assert_same_files(&first.fs().snapshot(), &snapshot);
        prop_assert_eq!(&at_once(&first, &left), &expected_left.0, "{}\n---\n{}", before, left);
        assert_same_files(&first.fs().snapshot(), &expected_left.1);
    }
}
