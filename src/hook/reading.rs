//! Where an output is read. A small one is read where its run ended; a long one, or one of which a parser makes thousands of
//! values, on a thread of the crate, so that it does not keep the host's executor. The run is charged for what reading takes,
//! before anything is read.

use super::script::ScriptOutcome;
use super::weight;
use crate::limit::WorkerTask;

/// Bytes of an output that is read in place, which takes less than a millisecond,
const IN_PLACE: usize = 64 << 10;
/// and of its tree.
const TREE_IN_PLACE: u64 = 256 << 10;

/// How an output is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReadingPlace {
    /// A long one is read here, too.
    pub(super) stays: bool,
    /// Bytes of memory that the run was allowed.
    pub(super) live_bytes: u64,
    /// See [`Chain::TREES`](super::contract::Chain::TREES).
    pub(super) trees: u64,
}

/// Reads an outcome; gives it back with what it means.
pub(super) async fn of<T: Send + 'static>(
    mut outcome: ScriptOutcome,
    place: ReadingPlace,
    read: impl FnOnce(&ScriptOutcome) -> T + Send + 'static,
) -> (T, ScriptOutcome) {
    let is_long = outcome.stdout.len().saturating_add(outcome.stderr.len()) > IN_PLACE;
    // A long one is weighed on the thread that reads it.
    let tree = (place.stays || !is_long).then(|| weight::of_tree(&outcome.stdout));
    let is_here = place.stays || tree.is_some_and(|bytes| bytes <= TREE_IN_PLACE);
    let work = move || {
        let tree = tree.unwrap_or_else(|| weight::of_tree(&outcome.stdout));
        weight::charge(&mut outcome, tree.saturating_mul(place.trees), place.live_bytes);
        (read(&outcome), outcome)
    };
    if is_here {
        return work();
    }
    match WorkerTask::start(Box::pin(async move { work() })) {
        Ok(reading) => reading.await,
        // Without a thread it is read here: slow, but right.
        Err(work) => work.await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread::{ThreadId, current};

    #[tokio::test]
    async fn only_a_long_output_is_read_on_another_thread() {
        let outcome = |bytes: usize| ScriptOutcome::exited(0, vec![b'a'; bytes], "");
        let place = ReadingPlace { stays: false, live_bytes: 1 << 20, trees: 2 };
        let thread = |bytes: usize| of(outcome(bytes), place, |_| current().id());
        let here: ThreadId = current().id();
        let (short, read) = thread(IN_PLACE).await;
        assert_eq!((short, read.stdout.len()), (here, IN_PLACE));
        let (long, read) = thread(IN_PLACE + 1).await;
        assert_eq!((long == here, read.stdout.len()), (false, IN_PLACE + 1));
        let tree = "[0],".repeat(IN_PLACE / 5);
        let heavy = ScriptOutcome::exited(0, format!("[{tree}0]"), "");
        assert!(heavy.stdout.len() < IN_PLACE && of(heavy, place, |_| current().id()).await.0 != here);
        assert_eq!(of(read, ReadingPlace { stays: true, ..place }, |_| current().id()).await.0, here);
    }
}
