//! Utilities: programs that a script runs.

pub(crate) mod regex;
