//! The shell alone: a session with a file, a command of the host's own, a limit, and what changed in the files.
//!
//! `cargo run --example embed`

use hookbox::command::{BoxFuture, Context, ExitStatus};
use hookbox::limit::{Limit, Limits};
use hookbox::sandbox::{End, Sandbox, Script};
use std::sync::Arc;

/// `ticket`: a command that only this host has. It gets the same context as a utility.
fn ticket(mut context: Context) -> BoxFuture<ExitStatus> {
    Box::pin(async move {
        let number = context.args.first().map_or_else(String::new, ToString::to_string);
        let line = format!("ticket {number}: open\n");
        let written = context.stdout.write(line.as_bytes()).await.is_ok();
        if written && context.stdout.flush().await.is_ok() {
            ExitStatus::SUCCESS
        } else {
            ExitStatus::FAILURE
        }
    })
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sandbox = Sandbox::builder()
        .limits(Limits::hook().with(Limit::WallTime, 200))
        .file("/workspace/todo.txt", "water the plants\nread the mail\n")
        .command("ticket", Arc::new(ticket))
        .build()?;

    // A command string; standard output and error are in the output.
    let before = sandbox.fs().snapshot();
    let output = sandbox.run("sort todo.txt > sorted.txt; ticket 7; wc -l < sorted.txt").await;
    print!("{}", String::from_utf8_lossy(&output.stdout));
    for change in sandbox.diff(&before) {
        println!("{:?} {}", change.kind, String::from_utf8_lossy(&change.path));
    }

    // Arguments, standard input, a variable.
    let script = Script::command("tr a-z A-Z; echo \"$GREETING $1\"")
        .args(["world"])
        .env("GREETING", "hello")
        .stdin("from the host\n");
    let output = sandbox.start(script).await;
    print!("{}", String::from_utf8_lossy(&output.stdout));

    // A limit ends the run, not the host.
    let output = sandbox.run("while :; do :; done").await;
    if let End::Limit(error) = output.end {
        println!("status {}: {error}", output.status);
    }
    Ok(())
}
