//! hookbox.

pub mod clock;
pub mod hook;
pub mod io;
pub mod limit;
pub mod syntax;
pub mod text;
pub mod utility;
pub mod vfs;
