//! How utilities read and write values as text: numbers, sizes, times, names, modes.

pub(crate) mod block_size;
pub(crate) mod count;
pub(crate) mod escape;
pub(crate) mod extended;
pub(crate) mod file_mode;
pub(crate) mod float;
pub(crate) mod human_size;
pub(crate) mod keyword;
pub(crate) mod print_format;
pub(crate) mod quote;
pub(crate) mod signal;
pub(crate) mod specification;
pub(crate) mod tab_stops;
pub(crate) mod time_format;
pub(crate) mod time_interval;
pub(crate) mod time_parse;
pub(crate) mod width;
