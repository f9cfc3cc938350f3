//! `cksum`: prints or checks checksums and digests. GNU coreutils cksum(1).

use super::digest::{self, Algorithm, DigestOptions, Sum};
use crate::memory::{JoinMetered, Vec, format};
use crate::utility::format::quote::quote;
use crate::utility::prelude::*;

options! {
    enum Opt {
        Algorithm = value('a', "algorithm", "TYPE", "select the digest type to use"),
        Debug = flag('\0', "debug", "indicate which implementation is used: there is one"),
        Length = value('l', "length", "BITS", "digest length in bits, with --algorithm=blake2b; a multiple of 8"),
        Check = flag('c', "check", "read checksums from the FILEs and check them"),
        Tag = flag('\0', "tag", "create a BSD-style checksum (the default)"),
        Untagged = flag('\0', "untagged", "create a reversed style checksum, without digest type"),
        Zero = flag('z', "zero", "end each output line with NUL, and disable file name escaping"),
        IgnoreMissing = flag('\0', "ignore-missing", "don't fail or report status for missing files"),
        Quiet = flag('\0', "quiet", "don't print OK for each successfully verified file"),
        Status = flag('\0', "status", "don't output anything, status code shows success"),
        Strict = flag('\0', "strict", "exit non-zero for improperly formatted checksum lines"),
        Warn = flag('w', "warn", "warn about improperly formatted checksum lines"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "cksum",
    summary: "print or verify checksums",
    usage: "cksum [OPTION]... [FILE]...",
    options: Opt::TABLE,
    examples: &[example("printf abc | cksum", "1219131554 3\n")],
    run: start!(run),
    ..Utility::BASE
};

const TYPES: [&str; 11] =
    ["bsd", "sysv", "crc", "md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b", "sm3"];

/// Exit status: 0, or 1 when a file could not be read or a checksum was wrong.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let checks = options.has(Opt::Check);
    if checks && options.has(Opt::Zero) {
        let text = "the --zero option is not supported when verifying checksums";
        return Err(UtilityError::Usage(text.into()));
    }
    if !checks {
        for option in [Opt::IgnoreMissing, Opt::Status, Opt::Warn, Opt::Quiet, Opt::Strict] {
            if options.has(option) {
                let name = option.long();
                let text = format!("the --{name} option is meaningful only when verifying checksums");
                return Err(UtilityError::Usage(text));
            }
        }
    }
    let name = match options.value(Opt::Algorithm) {
        Some(text) => algorithm(text)?,
        None if checks => return check_by_tag(ctx, &options).await,
        None => "crc",
    };
    if options.has(Opt::Length) && name != "blake2b" {
        return Err(UtilityError::failed("--length is only supported with --algorithm=blake2b"));
    }
    if checks && matches!(name, "bsd" | "sysv" | "crc") {
        let text = "--check is not supported with --algorithm={bsd,sysv,crc}";
        return Err(UtilityError::failed(text));
    }
    let sum = match name {
        "bsd" => Some(Sum::Bsd(0)),
        "sysv" => Some(Sum::SystemV(0)),
        "crc" => Some(Sum::Crc(0)),
        _ => None,
    };
    match sum {
        Some(sum) => {
            let end: &[u8] = if options.has(Opt::Zero) { b"\0" } else { b"\n" };
            print_sums(ctx, &options.operands, end, sum).await
        }
        None => by_name(ctx, &options, name).await,
    }
}

/// The algorithm that an option-argument names.
fn algorithm(text: &[u8]) -> Result<&'static str, UtilityError> {
    if let Some(name) = TYPES.iter().find(|name| name.as_bytes() == text) {
        return Ok(name);
    }
    let mut message = format!("invalid argument {} for ‘--algorithm’\nValid arguments are:", quote(text));
    for name in TYPES {
        message.push_str(&format!("\n  - ‘{name}’"));
    }
    Err(UtilityError::Usage(message))
}

async fn by_name(ctx: &mut Context, options: &Options<Opt>, name: &str) -> Result<ExitStatus, UtilityError> {
    let algorithm = match name {
        #[cfg(feature = "programs")]
        "md5" => Algorithm::Md5,
        #[cfg(feature = "programs")]
        "sha1" => Algorithm::Sha1,
        "sha224" => Algorithm::Sha224,
        "sha256" => Algorithm::Sha256,
        "sha384" => Algorithm::Sha384,
        "sha512" => Algorithm::Sha512,
        #[cfg(feature = "programs")]
        "blake2b" => Algorithm::Blake2b(match options.value(Opt::Length) {
            Some(text) => super::b2sum::length(ctx, text)?,
            None => digest::BLAKE2B_BYTES,
        }),
        #[cfg(feature = "programs")]
        "sm3" => Algorithm::Sm3,
        other => return Err(UtilityError::failed(format!("--algorithm={other} is not supported"))),
    };
    each(ctx, options, algorithm).await
}

/// Checks lists by the algorithm that the first tag in each names.
async fn check_by_tag(ctx: &mut Context, options: &Options<Opt>) -> Result<ExitStatus, UtilityError> {
    let [list] = options.operands.as_slice() else {
        let text = "--check without --algorithm is supported for one file that names the algorithm";
        return Err(UtilityError::failed(text));
    };
    let tag = match first_tag(ctx, list).await {
        Ok(tag) => tag,
        Err(error) => {
            let errno = error.errno()?;
            return Ok(ctx.warn(format_args!("{}: {}", quote_operand(list), errno.message())));
        }
    };
    match tag {
        Some(name) => by_name(ctx, options, name).await,
        None => {
            let shown = quote_operand(list);
            Ok(ctx.warn(format_args!("{shown}: no properly formatted checksum lines found")))
        }
    }
}

/// The algorithm of the first line that begins with a tag.
async fn first_tag(ctx: &mut Context, list: &[u8]) -> Result<Option<&'static str>, OperandError> {
    let mut input = ctx.open(list)?;
    loop {
        ctx.tick().await?;
        let Some(line) = input.next_line(b'\n').await? else { return Ok(None) };
        let tag = line.split(|&byte| matches!(byte, b' ' | b'-')).next().unwrap_or(&[]);
        let tag = tag.strip_prefix(b"\\").unwrap_or(tag);
        let found = TYPES.iter().skip(3).find(|name| name.as_bytes().eq_ignore_ascii_case(tag));
        if let Some(name) = found {
            return Ok(Some(name));
        }
    }
}

async fn each(
    ctx: &mut Context,
    options: &Options<Opt>,
    algorithm: Algorithm,
) -> Result<ExitStatus, UtilityError> {
    let meant = DigestOptions {
        checks: options.has(Opt::Check),
        is_tagged: options.last_of([Opt::Tag, Opt::Untagged]) != Some(Opt::Untagged),
        is_binary: false,
        ends_in_nul: options.has(Opt::Zero),
        ignores_missing: options.has(Opt::IgnoreMissing),
        is_quiet: options.has(Opt::Quiet),
        is_silent: options.has(Opt::Status),
        is_strict: options.has(Opt::Strict),
        warns: options.has(Opt::Warn),
    };
    digest::run_with(ctx, algorithm, &options.operands, meant).await
}

/// Prints checksums of the older kinds: with the number of bytes, or of blocks.
pub(super) async fn print_sums(
    ctx: &mut Context,
    operands: &[Text],
    end: &[u8],
    sum: Sum,
) -> Result<ExitStatus, UtilityError> {
    let mut status = ExitStatus::SUCCESS;
    for operand in ctx.inputs(operands) {
        let (checksum, length) = match checksum(ctx, &operand, sum).await {
            Ok(found) => found,
            Err(error) => {
                let errno = error.errno()?;
                status = ctx.warn(format_args!("{}: {}", quote_operand(&operand), errno.message()));
                continue;
            }
        };
        let numbers = match sum {
            Sum::Crc(_) => format!("{checksum} {length}"),
            Sum::Bsd(_) => format!("{checksum:05} {:5}", length.div_ceil(1024)),
            Sum::SystemV(_) => format!("{checksum} {}", length.div_ceil(512)),
        };
        let name = if operands.is_empty() { b"".as_slice() } else { &operand };
        let blank: &[u8] = if name.is_empty() { b"" } else { b" " };
        let line: Vec<u8> = [numbers.as_bytes(), blank, name, end].concat_metered();
        ctx.stdout.write(&line).await?;
    }
    Ok(status)
}

async fn checksum(ctx: &mut Context, operand: &[u8], mut sum: Sum) -> Result<(u32, u64), OperandError> {
    let mut input = ctx.open_input(operand)?;
    let mut length = 0;
    loop {
        ctx.check().await?;
        let block = input.fill().await?;
        if block.is_empty() {
            return Ok((sum.finish(length), length));
        }
        for piece in block.chunks(16 * 1024) {
            sum.update(piece);
            ctx.check().await?;
        }
        let count = block.len();
        length += count as u64;
        input.consume(count);
    }
}
