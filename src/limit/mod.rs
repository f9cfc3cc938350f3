//! Limits (what a run is allowed), the meter (what it has used), deadlines and cancellation.
//!
//! One [`Meter`] is shared by every process of a run. Growth is charged before it happens: the containers of
//! [`crate::memory`] do it by themselves, over the `gauge` of the run that is polled; a [`Charge`] stands for memory that
//! somebody else's code holds. The first limit that is reached is kept in the meter and ends the run, whatever the code
//! that met it does with the error: a script cannot catch it.

pub(crate) mod apart;
#[cfg_attr(not(feature = "faults"), allow(dead_code, unreachable_pub, reason = "only tests ask for faults"))]
pub mod fault;
pub(crate) mod gauge;
pub(crate) mod limits;
mod meter;
mod parse_time;

pub(crate) use apart::{Apart, GRACE, dispose, live_bytes};
pub use limits::{Limit, LimitError, Limits, Usage};
pub use meter::{Charge, Meter};
pub(crate) use meter::{ProcessCharge, Turn};
