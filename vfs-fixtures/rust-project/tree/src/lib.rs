//! A store of notes in one JSON file.

mod store;

pub use store::Store;
