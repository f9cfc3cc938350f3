//! `e`, and the flag `e` of `s`: commands that a script runs, whose output it takes.

use crate::io::{Description, pipe};
use crate::memory::{Vec, vec};
use crate::utility::context::pace::append;
use crate::utility::prelude::*;
use crate::utility::{CommandError, Relation};
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;

/// What a command writes to its standard output.
pub(super) async fn output_of(ctx: &mut Context, command: &[u8]) -> Result<Vec<u8>, UtilityError> {
    ctx.stdout.flush().await?;
    let (reader, writer) = pipe();
    let mut request =
        ctx.command(vec![Text::from_static(b"sh"), Text::from_static(b"-c"), Text::from(command)]);
    request.stdout = Some(Description::pipe_writer(writer));
    let mut running = Some(ctx.start_command(request, Relation::Child));
    let mut input = Input::new(Description::pipe_reader(reader), &ctx.meter);
    let mut output = Vec::new();
    loop {
        let count = {
            let mut read = pin!(input.fill());
            // The command goes on while its output is waited for.
            let filled = poll_fn(|cx| {
                if let Some(future) = &mut running
                    && let Poll::Ready(result) = Pin::new(future).poll(cx)
                {
                    running = None;
                    if let Err(CommandError::Limit(limit)) = result {
                        return Poll::Ready(Err(FsError::Limit(limit)));
                    }
                }
                read.as_mut().poll(cx)
            });
            match filled.await {
                Ok([]) | Err(FsError::Errno(_)) => break,
                Ok(bytes) => {
                    append(&ctx.meter, &mut output, bytes).await?;
                    bytes.len()
                }
                Err(FsError::Limit(limit)) => return Err(limit.into()),
            }
        };
        input.consume(count);
        ctx.tick().await?;
    }
    drop(input);
    if let Some(future) = running
        && let Err(CommandError::Limit(limit)) = future.await
    {
        return Err(limit.into());
    }
    Ok(output)
}
