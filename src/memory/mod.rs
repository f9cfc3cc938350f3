//! Containers that ask the run before they grow. They stand below every layer that runs scripts.
//!
//! They are named and used as those of `std`, which do not pass the gate in the layers that run scripts
//! (`disallowed_types` in `.clippy.toml`): whatever a script, a payload or a file can make grow lives in these. Each one
//! charges its capacity to the `gauge` (`src/limit/gauge.rs`) of the run that is polled before it allocates, spends fuel
//! for what it copies, and gives back when it is dropped. Outside of a run the gauge grants everything.
//!
//! Where the gauge refuses, the container keeps what it had, the run ends at its next look at the meter, and nothing is
//! returned to the caller. So what is written against these types must bear that something it has just added is not there,
//! and must not wait in a loop for a container to reach a length.
//!
//! [`Box`] and [`Arc`] charge the size of their value, [`Task`] that of a future; all stand on [`Held`]. A container that is
//! missing here is a new file that wraps the one of `std` and charges what its capacity grows by.

#![allow(missing_docs, reason = "the methods are those of std's containers")]

mod boxed;
mod bytes;
mod copy;
mod few;
mod format;
mod hash_map;
mod held;
pub(crate) mod ordered;
mod queue;
mod sort;
mod string;
mod task;
mod vec;

pub use boxed::{Arc, Box, Weak};
pub use bytes::Bytes;
pub use copy::{JoinMetered, JoinText, ToDecimal, ToMetered, ToMeteredString, repeat, repeat_text};
pub use few::{Few, IntoFew};
pub(crate) use format::format_text;
pub use hash_map::{HashMap, HashSet};
pub use held::{Held, boxed, shared};
pub use ordered::{BTreeMap, BTreeSet};
pub use queue::VecDeque;
pub use string::String;
pub use task::Task;
pub use vec::{IntoIter, Vec};

/// As `std::format!`, into a [`String`].
macro_rules! metered_format {
    // A block, so that the arguments do not live on in a statement that awaits.
    ($($argument:tt)*) => {{
        let text = $crate::memory::format_text(::std::format_args!($($argument)*));
        text
    }};
}
pub(crate) use metered_format as format;

/// As `std::vec!`, a [`Vec`].
macro_rules! metered_vec {
    () => { $crate::memory::Vec::new() };
    ($item:expr; $count:expr) => { $crate::memory::Vec::of_copies($item, $count) };
    ($($item:expr),+ $(,)?) => { $crate::memory::Vec::from([$($item),+]) };
}
pub(crate) use metered_vec as vec;

#[cfg(test)]
mod tests;
