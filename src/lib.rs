//! hookbox.

pub mod clock;
pub mod limit;
pub mod syntax;
pub mod text;
pub mod vfs;
