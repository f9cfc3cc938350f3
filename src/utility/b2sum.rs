//! `b2sum`: prints or checks `BLAKE2b` digests. GNU coreutils b2sum(1).

use super::digest::{self, Algorithm, BLAKE2B_BYTES, DigestOptions, InputOpt, OutputOpt};
use super::format::count::parse_digits;
use crate::memory::format;
use crate::utility::prelude::*;

options! {
    enum Opt {
        Input(InputOpt),
        Length = value('l', "length", "BITS", "digest length in bits; at most 512, a multiple of 8"),
        Output(OutputOpt),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "b2sum",
    summary: "print or check BLAKE2b (512-bit) checksums",
    usage: "b2sum [OPTION]... [FILE]...",
    options: Opt::TABLE,
    examples: &[example("printf abc | b2sum -l 128", "cf4ab791c62b8d2b2109c90275287816  -\n")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let mut bytes = BLAKE2B_BYTES;
    if let Some(text) = options.value(Opt::Length) {
        bytes = length(ctx, text)?;
    }
    let meant = DigestOptions::of(&options)?;
    digest::run_with(ctx, Algorithm::Blake2b(bytes), &options.operands, meant).await
}

/// The bytes of a digest of so many bits; 0 is the usual number.
pub(super) fn length(ctx: &mut Context, text: &[u8]) -> Result<usize, UtilityError> {
    let Some(bits) = parse_digits(text) else {
        return Err(UtilityError::failed(format!("invalid length: {}", quote(text))));
    };
    let why = if bits > 8 * BLAKE2B_BYTES as u64 {
        "maximum digest length for ‘BLAKE2b’ is 512 bits"
    } else if !bits.is_multiple_of(8) {
        "length is not a multiple of 8"
    } else {
        return Ok(if bits == 0 { BLAKE2B_BYTES } else { bits as usize / 8 });
    };
    ctx.warn(format_args!("invalid length: {}", quote(text)));
    Err(UtilityError::failed(why))
}
