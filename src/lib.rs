//! hookbox.

pub mod clock;
pub mod limit;
pub mod text;
pub mod vfs;
