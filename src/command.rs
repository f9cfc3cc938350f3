//! Commands of a host's own. A command gets a [`Context`], as the crate's utilities do, and gives an exit status; it reaches
//! the session's files, clock and streams, and nothing else.
//!
//! ```
//! use hookbox::command::{BoxFuture, Context, ExitStatus};
//! use hookbox::sandbox::Sandbox;
//! use std::sync::Arc;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), hookbox::sandbox::Error> {
//! let greet = |mut context: Context| -> BoxFuture<ExitStatus> {
//!     Box::pin(async move {
//!         let name = context.args.first().map_or_else(|| "you".to_owned(), ToString::to_string);
//!         let written = context.stdout.write(format!("hello {name}\n").as_bytes()).await.is_ok();
//!         let flushed = written && context.stdout.flush().await.is_ok();
//!         if flushed { ExitStatus::SUCCESS } else { ExitStatus::FAILURE }
//!     })
//! };
//! let sandbox = Sandbox::builder().command("greet", Arc::new(greet)).build()?;
//! assert_eq!(sandbox.run("greet world | tr a-z A-Z").await.stdout, b"HELLO WORLD\n");
//! # Ok(())
//! # }
//! ```

pub use crate::machine::HostCommand;
pub use crate::utility::{
    BoxFuture, CommandError, CommandRequest, Context, ExitStatus, Input, Output, Session, UtilityError,
};
