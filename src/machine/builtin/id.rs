//! [`BuiltinId`]: a builtin by its place in the table of builtins. What lies below the builtins (frames, linked programs)
//! keeps the number, so that it does not depend on their functions.

/// See the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BuiltinId(pub(super) u8);
