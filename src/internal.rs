//! What the command, the tests, the benches and the fuzz targets of this repository look at. It is not part of the interface:
//! anything here may change or go with any version.

#[cfg(feature = "cli")]
pub mod cli {
    pub use crate::cli::*;
}
pub mod document {
    pub use crate::document::*;
}
pub mod environment {
    pub use crate::environment::*;
}
#[cfg(feature = "tools")]
pub mod case {
    pub use crate::hook::case::update::{UpdateError, update};
}
pub mod io {
    pub use crate::io::*;
}
pub mod memory {
    pub use crate::memory::*;
}
pub mod missing {
    pub use crate::missing::*;
}
pub mod program {
    /// The compiled program of a script as text: what `hookbox sh --dump` prints.
    pub fn dump(script: &[u8]) -> String {
        crate::sandbox::Sandbox::dump(script)
    }
}
pub mod syntax {
    pub use crate::syntax::*;
}
