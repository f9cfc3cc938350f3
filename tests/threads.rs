//! Runs that are at work for long go on at threads of the crate. Nobody may be able to tell, but by the thread.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use hookbox::command::{Context as CommandContext, ExitStatus};
use hookbox::limit::{Limit, Limits};
use hookbox::sandbox::OutputStream;
use hookbox::sandbox::{End, Sandbox, Script, Sink};
use hookbox::vfs::FsError;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

/// What is at work for longer than a slice.
const LONG: &str = "for ((i = 0; i < 200000; i++)); do :; done; ";

/// Notes the threads that write to it.
#[derive(Clone, Default)]
struct Threads(Arc<Mutex<Vec<ThreadId>>>);

impl OutputStream for Threads {
    fn poll_write(&mut self, _: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize, FsError>> {
        self.0.lock().unwrap().push(std::thread::current().id());
        Poll::Ready(Ok(bytes.len()))
    }
}

fn threads_of(sandbox: &Sandbox, text: &str) -> Vec<ThreadId> {
    let threads = Threads::default();
    let stdout = Sink::Stream(Box::new(threads.clone()));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let output = runtime.block_on(sandbox.start(Script::command(text).stdout(stdout)));
    assert_eq!((output.end, output.status), (End::Exited, 0));
    let threads = threads.0.lock().unwrap();
    threads.clone()
}

#[test]
fn a_long_run_goes_on_at_another_thread_and_a_short_one_stays() {
    let here = std::thread::current().id();
    let sandbox = Sandbox::builder().build().unwrap();
    assert_eq!(threads_of(&sandbox, "echo x"), [here]);
    assert!(threads_of(&sandbox, &format!("{LONG} echo x")).iter().all(|&thread| thread != here));
}

#[test]
fn a_host_that_wants_no_threads_has_none() {
    let here = std::thread::current().id();
    let sandbox = Sandbox::builder().threads(false).build().unwrap();
    assert!(threads_of(&sandbox, &format!("{LONG} echo x {{1..9999}}")).iter().all(|&thread| thread == here));
}

#[test]
fn both_ways_give_the_same() {
    let script = format!(
        "{LONG} seq 9999 | while read -r n; do ((n % 999)) || echo $n; done; a=({{1..9999}}); echo ${{#a[@]}}; \
         (sleep 0.2; echo late) & yes | head -n 99999 | wc -l; wait; echo $i"
    );
    let outputs = [true, false].map(|may_have| {
        let sandbox = Sandbox::builder().deterministic().threads(may_have).build().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let output = runtime.block_on(sandbox.run(&script));
        (output.stdout, output.stderr, output.status, output.usage.operations, output.usage.commands)
    });
    assert_eq!(outputs[0], outputs[1]);
}

#[test]
fn a_run_that_is_dropped_does_nothing_more() {
    let sandbox = Sandbox::builder().build().unwrap();
    for pause in [0, 1, 3, 10] {
        let mut run = Box::pin(sandbox.start(Script::command("while :; do echo x >> f; done")));
        let mut cx = Context::from_waker(Waker::noop());
        for _ in 0..5 {
            assert!(run.as_mut().poll(&mut cx).is_pending());
            std::thread::sleep(Duration::from_millis(pause));
        }
        drop(run);
        let length = || sandbox.fs().metadata(b"/workspace/f").unwrap().size;
        let before = length();
        std::thread::sleep(Duration::from_millis(5));
        assert_eq!(length(), before);
    }
}

/// A step of three seconds that nobody can cut.
const STEP: Duration = Duration::from_secs(3);

/// A sandbox whose command `blocker` takes that long and then writes.
fn with_blocker() -> Sandbox {
    let blocker = Arc::new(|mut context: CommandContext| {
        Box::pin(async move {
            std::thread::sleep(STEP);
            let _ = context.stdout.write(b"late\n").await;
            let _ = context.stdout.flush().await;
            ExitStatus::SUCCESS
        }) as hookbox::command::BoxFuture<ExitStatus>
    });
    Sandbox::builder().command("blocker", blocker).build().unwrap()
}

#[test]
fn who_drops_a_run_does_not_wait_for_a_long_step_and_nothing_comes_of_it() {
    let sandbox = with_blocker();
    let text = "for ((i = 0; i < 9000; i++)); do :; done; blocker > f; echo x > after";
    let mut run = Box::pin(sandbox.start(Script::command(text)));
    let mut cx = Context::from_waker(Waker::noop());
    while sandbox.fs().metadata(b"/workspace/f").is_err() {
        assert!(run.as_mut().poll(&mut cx).is_pending());
        std::thread::sleep(Duration::from_millis(1));
    }
    let start = Instant::now();
    drop(run);
    assert!(start.elapsed() < STEP / 2, "{:?}", start.elapsed());
    std::thread::sleep(STEP + STEP / 4);
    assert_eq!(sandbox.fs().read(b"/workspace/f").unwrap().into_vec(), b"");
    assert!(sandbox.fs().metadata(b"/workspace/after").is_err());
}

/// Polls on a thread that has no runtime.
fn wait(mut run: std::pin::Pin<Box<impl Future>>) {
    struct Unpark(std::thread::Thread);
    impl std::task::Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    while run.as_mut().poll(&mut Context::from_waker(&waker)).is_pending() {
        std::thread::park();
    }
}

#[test]
fn a_script_sleeps_on_any_executor() {
    let sandbox = Sandbox::builder().build().unwrap();
    let script = format!("sleep 0.02; timeout 0.02 sleep 9; read -t 0.02 < <(sleep 9); {LONG} sleep 0.02");
    let start = Instant::now();
    wait(Box::pin(sandbox.start(Script::command(&script))));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(sandbox.run(&script));
    let taken = start.elapsed();
    assert!((Duration::from_millis(160)..Duration::from_secs(5)).contains(&taken), "{taken:?}");
}

#[test]
fn nobody_waits_for_a_step_that_ends_after_the_time_limit_and_nothing_comes_of_it() {
    let sandbox = with_blocker();
    let text = "for ((i = 0; i < 9000; i++)); do :; done; echo early; blocker > f; echo x > after";
    let mut script = Script::command(text);
    let mut limits = sandbox.limits().clone();
    limits.wall_time_ms = 2000;
    script.limits = Some(limits);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let start = Instant::now();
    let output = runtime.block_on(sandbox.start(script));
    assert!(start.elapsed() < STEP, "{:?}", start.elapsed());
    assert!(matches!(output.end, End::Limit(error) if error.limit == Limit::WallTime), "{:?}", output.end);
    assert_eq!((output.status, output.stdout.as_slice()), (124, b"early\n".as_slice()));
    std::thread::sleep(STEP + STEP / 4);
    assert_eq!(sandbox.fs().read(b"/workspace/f").unwrap().into_vec(), b"");
    assert!(sandbox.fs().metadata(b"/workspace/after").is_err());
    // The session works as before.
    let next = runtime.block_on(sandbox.run("echo $((6 * 7)) > g; cat g"));
    assert_eq!(next.stdout, b"42\n");
}

#[test]
fn the_hosts_commands_have_its_runtime() {
    let sleeper = Arc::new(|mut context: CommandContext| {
        Box::pin(async move {
            tokio::time::sleep(Duration::from_millis(5)).await;
            context.stdout.write(b"slept\n").await.unwrap();
            context.stdout.flush().await.unwrap();
            ExitStatus::SUCCESS
        }) as hookbox::command::BoxFuture<ExitStatus>
    });
    let sandbox = Sandbox::builder().command("sleeper", sleeper).build().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let output = runtime.block_on(sandbox.run(format!("{LONG} sleeper; sleep 0.01; echo $?")));
    assert_eq!(output.stdout, b"slept\n0\n");
}

/// A stream of the host that panics.
struct Broken;

impl OutputStream for Broken {
    fn poll_write(&mut self, _: &mut Context<'_>, _: &[u8]) -> Poll<Result<usize, FsError>> {
        panic!("the host's own stream")
    }
}

#[test]
#[should_panic(expected = "the host's own stream")]
fn a_panic_of_the_host_comes_back_to_it() {
    let sandbox = Sandbox::builder().build().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let stdout = Sink::Stream(Box::new(Broken));
    runtime.block_on(sandbox.start(Script::command(format!("{LONG} echo x")).stdout(stdout)));
}

#[test]
fn many_long_runs_share_the_threads() {
    // Forty at once: how long one takes depends on who else is at the machine.
    let mut limits = Limits::default_profile();
    limits.wall_time_ms = 300_000;
    let sandbox = Sandbox::builder().limits(limits).build().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let local = tokio::task::LocalSet::new();
    let outputs = local.block_on(&runtime, async {
        let runs = (0..40).map(|number| {
            tokio::task::spawn_local(
                sandbox.start(Script::command(format!("{LONG} sleep 0.0{number}; echo {number}"))),
            )
        });
        let mut outputs = Vec::new();
        for run in runs.collect::<Vec<_>>() {
            outputs.push(String::from_utf8(run.await.unwrap().stdout).unwrap());
        }
        outputs
    });
    assert_eq!(outputs, (0..40).map(|number| format!("{number}\n")).collect::<Vec<_>>());
}
