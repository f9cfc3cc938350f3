//! LZMA: matches with what came before, coded with the chances of each bit. `model.rs` has these chances, which readers and
//! writers keep alike; `range_decoder.rs` and `range_encoder.rs` bits; `decode.rs` and `encode.rs` symbols; `chunks.rs` LZMA2,
//! which is LZMA in chunks (xz has it), `alone.rs` the files of the program `lzma`.
//!
//! Ours, because the crates for it allocate the window that a header declares at once, and read or write until they are done.

mod alone;
mod chunks;
mod decode;
mod encode;
mod model;
mod range_decoder;
mod range_encoder;

pub(crate) use alone::{LzmaAloneDecoder, LzmaAloneEncoder, is_lzma_alone};
pub(crate) use chunks::{ChunkDecoder, ChunkEncoder, Chunked};
pub(crate) use encode::{memory_of_level, window_of_level};
