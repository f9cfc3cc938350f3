//! Limits (what a run is allowed), the meter (what it has used), deadlines and cancellation.
//!
//! One [`Meter`] is shared by every process of a run. Growth is charged before it happens: the containers of
//! `src/memory` do it by themselves, over the `gauge` of the run that is polled; a [`Charge`] stands for memory that
//! somebody else's code holds. Work is counted in fuel, which the gauge hands out in small amounts. When it is used up, the
//! meter looks at the deadline and says whether the process goes on, yields its turn or pauses its slice.
//!
//! The first limit that is reached is kept in the meter and ends the run, whatever the code that met it does with the error: a
//! script cannot catch it. A run that works for longer than a slice moves to a thread of the crate (`worker.rs`). A new
//! limit is a row in `limits.rs` and a call where what it bounds grows.
//!
//! ```
//! use hookbox::limit::{Limit, Limits};
//! use hookbox::sandbox::{End, Sandbox};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), hookbox::sandbox::Error> {
//! let sandbox = Sandbox::builder().limits(Limits::hook().with(Limit::LoopIterations, 1000)).build()?;
//! let output = sandbox.run("while :; do :; done").await;
//! let End::Limit(error) = output.end else { panic!("it never ends by itself") };
//! assert_eq!((error.limit, error.allowed, output.status), (Limit::LoopIterations, 1000, 125));
//! # Ok(())
//! # }
//! ```

#[cfg_attr(not(feature = "faults"), allow(dead_code, unreachable_pub, reason = "only tests ask for faults"))]
#[doc(hidden)]
pub mod fault;
pub(crate) mod gauge;
pub(crate) mod limits;
mod meter;
mod parse_time;
pub(crate) mod worker;

pub use limits::{Limit, LimitError, Limits, Usage};
pub use meter::{Charge, Meter};
pub(crate) use meter::{ProcessCharge, Turn};
pub(crate) use worker::{GRACE, WorkerTask, dispose, live_bytes};
