//! A host's command that panics ends as a crashed program would: with a message, and the status of SIGABRT. The run and the
//! host go on. (Where panics abort, nothing can be contained.)

use crate::machine::HostCommand;
use crate::utility::{BoxFuture, Context, ExitStatus, Output};
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::task::Poll;

/// 128 + SIGABRT.
const ABORTED: ExitStatus = ExitStatus(134);

/// The command, with its panics caught.
pub(super) fn contained(command: HostCommand) -> HostCommand {
    Arc::new(move |context: Context| {
        let mut stderr = Output::new(context.descriptors.get(2).cloned());
        let message = [context.name.as_bytes(), b": crashed\n"].concat();
        let started = catch_unwind(AssertUnwindSafe(|| command(context))).ok();
        Box::pin(async move {
            let mut future = started;
            let end = poll_fn(|cx| {
                let Some(running) = &mut future else { return Poll::Ready(None) };
                match catch_unwind(AssertUnwindSafe(|| running.as_mut().poll(cx))) {
                    Ok(poll) => poll.map(Some),
                    Err(_) => Poll::Ready(None),
                }
            })
            .await;
            if let Some(status) = end {
                return status;
            }
            // Dropping what is left of it may panic once more.
            let _ = catch_unwind(AssertUnwindSafe(|| drop(future)));
            if stderr.write(&message).await.is_ok() {
                // Nobody is left to be told.
                let _ = stderr.flush().await;
            }
            ABORTED
        }) as BoxFuture<ExitStatus>
    })
}
