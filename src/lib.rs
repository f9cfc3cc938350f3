//! hookbox.
