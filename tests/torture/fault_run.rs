//! What the torture tests share: which occasions are tried, and one run of a script from its start to its end.

use hookbox::sandbox::{Output, Sandbox, Script};
use std::pin::{Pin, pin};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// Most polls of a run; one that needs more hangs.
pub(crate) const MOST_POLLS: u64 = 100_000;

/// A session with a few files, whose time moves by sleeping alone.
pub(crate) fn session() -> Sandbox {
    Sandbox::builder()
        .deterministic()
        // Faults belong to the thread that asked for them.
        .threads(false)
        .file("/workspace/old", "one\ntwo\nthree\n")
        .file("/workspace/in.json", r#"{"tool": {"name": "Bash", "input": [1, 2, {"a": null}]}}"#)
        .script("/workspace/child.sh", "#!/bin/bash\nread -r line; echo \"child $1 $line\"; exit 3\n")
        .build()
        .unwrap()
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// The occasions to try: every one with `TORTURE_ALL`, otherwise one that the script's number picks of each eighth of an
/// octave, so that all scripts together try early and late ones alike.
pub(crate) fn occasions(script: usize) -> impl Iterator<Item = u64> {
    let all = std::env::var_os("TORTURE_ALL").is_some();
    let mut next = number("TORTURE_FROM").unwrap_or(0);
    let mut turn = script as u64;
    std::iter::from_fn(move || {
        let now = next;
        turn = turn.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        next += if all { 1 } else { 1 + (turn >> 33) % (1 + now) };
        Some(now)
    })
}

/// Runs a script until it ends, or until it has been polled `most` times.
pub(crate) fn run(sandbox: &Sandbox, script: &str, most: u64) -> Option<Output> {
    let mut running = pin!(sandbox.start(Script::command(script)));
    let mut cx = Context::from_waker(Waker::noop());
    (0..most).find_map(|turn| poll_at(turn, running.as_mut(), &mut cx))
}

/// Polls once more; once in a while a thread that the future waits for gets its time.
pub(crate) fn poll_at<F: Future>(turn: u64, future: Pin<&mut F>, cx: &mut Context<'_>) -> Option<F::Output> {
    if turn % 500 == 499 {
        std::thread::sleep(Duration::from_millis(1));
    }
    match future.poll(cx) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    }
}
