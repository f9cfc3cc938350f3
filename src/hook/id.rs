//! The name of a hook ([`HookId`]).

use serde::{Serialize, Serializer};
use std::fmt;
use std::sync::Arc;

/// The name of a hook, unique in a well-kept config: `user:guard_rm`.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HookId(Arc<str>);

impl HookId {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for HookId {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl From<&str> for HookId {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl fmt::Display for HookId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for HookId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl Serialize for HookId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}
