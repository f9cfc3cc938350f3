//! hookbox.

pub(crate) mod character;
#[cfg_attr(not(test), expect(dead_code, reason = "its callers follow"))]
pub(crate) mod pattern;
#[cfg_attr(not(test), expect(dead_code, reason = "its callers follow"))]
pub(crate) mod utility;
