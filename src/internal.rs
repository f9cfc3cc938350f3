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
pub mod hook {
    pub use crate::hook::contract::*;
    pub use crate::hook::hooks::*;
    pub use crate::hook::matcher::*;
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
pub mod syntax {
    pub use crate::syntax::*;
}
pub mod utility {
    pub use crate::utility::*;
}
