//! hookbox.

pub(crate) mod character;
pub mod cli;
pub mod clock;
pub mod hook;
pub mod io;
pub mod limit;
#[allow(dead_code, missing_docs)]
pub(crate) mod machine;
#[cfg_attr(not(test), allow(dead_code, reason = "its callers follow"))]
pub(crate) mod pattern;
#[allow(dead_code)]
pub(crate) mod program;
pub mod sandbox;
pub mod syntax;
pub mod text;
pub mod utility;
pub mod vfs;
