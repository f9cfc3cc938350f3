//! `b2sum`: prints or checks `BLAKE2b` digests. GNU coreutils b2sum(1).

use super::digest::{self, Algorithm, BLAKE2B_BYTES};
use super::format::count::parse_digits;
use crate::memory::format;
use crate::utility::prelude::*;

options! {
    enum Opt {
        Binary = flag('b', "binary", "mark the digests as made in binary mode"),
        Check = flag('c', "check", "read checksums from the FILEs and check them"),
        Length = value('l', "length", "BITS", "digest length in bits; at most 512, a multiple of 8"),
        Tag = flag('\0', "tag", "create a BSD-style checksum"),
        Text = flag('t', "text", "mark the digests as made in text mode (default)"),
        Zero = flag('z', "zero", "end each output line with NUL, and disable file name escaping"),
        IgnoreMissing = flag('\0', "ignore-missing", "don't fail or report status for missing files"),
        Quiet = flag('\0', "quiet", "don't print OK for each successfully verified file"),
        Status = flag('\0', "status", "don't output anything, status code shows success"),
        Strict = flag('\0', "strict", "exit non-zero for improperly formatted checksum lines"),
        Warn = flag('w', "warn", "warn about improperly formatted checksum lines"),
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
    let given = digest::Given {
        checks: options.has(Opt::Check),
        tag: options.has(Opt::Tag),
        zero: options.has(Opt::Zero),
        mode: options.last_of([Opt::Binary, Opt::Text]).map(|option| option == Opt::Binary),
        ignore_missing: options.has(Opt::IgnoreMissing),
        quiet: options.has(Opt::Quiet),
        status: options.has(Opt::Status),
        strict: options.has(Opt::Strict),
        warn: options.has(Opt::Warn),
    };
    digest::run_with(ctx, Algorithm::Blake2b(bytes), &options.operands, given.meant()?).await
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
