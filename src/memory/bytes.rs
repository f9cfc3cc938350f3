//! Bytes that never change and are shared: the text of a script.

use super::boxed::Arc;
use super::vec::Vec;
use crate::limit::gauge;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

/// See the module. Who makes one is charged for the bytes, also where they were there before: a run is charged for its
/// script.
#[derive(Clone, Default)]
pub struct Bytes {
    bytes: std::sync::Arc<[u8]>,
    #[expect(dead_code, reason = "gives the bytes back when it is dropped")]
    charge: Option<Arc<Charge>>,
}

/// Bytes of the gauge that are given back on drop.
struct Charge(usize);

impl Drop for Charge {
    fn drop(&mut self) {
        gauge::release(self.0);
    }
}

impl Bytes {
    /// Whether both are the same bytes in memory.
    pub fn ptr_eq(&self, other: &Self) -> bool {
        std::sync::Arc::ptr_eq(&self.bytes, &other.bytes)
    }

    /// So many bytes, if they are granted; else none.
    fn charged(length: usize, bytes: impl FnOnce() -> std::sync::Arc<[u8]>) -> Self {
        if length == 0 || !gauge::charge(length) {
            return Self::default();
        }
        Self { bytes: bytes(), charge: Some(Arc::new(Charge(length))) }
    }
}

/// When the bytes are refused there are none.
impl From<&[u8]> for Bytes {
    fn from(bytes: &[u8]) -> Self {
        Self::charged(bytes.len(), || std::sync::Arc::from(bytes))
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self::from(bytes.as_slice())
    }
}

impl<const N: usize> From<&[u8; N]> for Bytes {
    fn from(bytes: &[u8; N]) -> Self {
        Self::from(bytes.as_slice())
    }
}

impl From<&str> for Bytes {
    fn from(text: &str) -> Self {
        Self::from(text.as_bytes())
    }
}

/// They are not copied. When they are refused there are none.
impl From<std::sync::Arc<[u8]>> for Bytes {
    fn from(bytes: std::sync::Arc<[u8]>) -> Self {
        Self::charged(bytes.len(), || bytes)
    }
}

impl Deref for Bytes {
    type Target = [u8];
    #[inline]
    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Self) -> bool {
        self.ptr_eq(other) || **self == **other
    }
}

impl Eq for Bytes {}

impl Hash for Bytes {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
