//! Whole firings.
