//! Where an output is read. A small one is read where its run ended; a long one, of which a parser can make a hundred thousand
//! values, on a thread of the crate, so that it does not keep the host's executor.

use super::runner::ScriptOutcome;
use crate::limit::apart::Apart;

/// Bytes of an output that is read in place, which takes less than a millisecond.
const IN_PLACE: usize = 64 << 10;

/// Reads an outcome; gives it back with what it means. `stays` keeps a long one here too.
pub(super) async fn of<T: Send + 'static>(
    outcome: ScriptOutcome,
    stays: bool,
    read: impl FnOnce(&ScriptOutcome) -> T + Send + 'static,
) -> (T, ScriptOutcome) {
    if stays || outcome.stdout.len().saturating_add(outcome.stderr.len()) <= IN_PLACE {
        return (read(&outcome), outcome);
    }
    let work = Box::pin(async move { (read(&outcome), outcome) });
    match Apart::start(work) {
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
        let place = |bytes: usize| of(outcome(bytes), false, |_| current().id());
        let here: ThreadId = current().id();
        let (short, read) = place(IN_PLACE).await;
        assert_eq!((short, read.stdout.len()), (here, IN_PLACE));
        let (long, read) = place(IN_PLACE + 1).await;
        assert_eq!((long == here, read.stdout.len()), (false, IN_PLACE + 1));
        assert_eq!(of(read, true, |_| current().id()).await.0, here);
    }
}
