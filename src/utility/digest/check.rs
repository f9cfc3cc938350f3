//! `--check`: reads lists of digests and compares.

use super::{Algorithm, DigestOptions, digest};
use crate::memory::{ToMetered, Vec, format};
use crate::utility::prelude::*;

#[derive(Debug, Default)]
struct Tally {
    proper: u64,
    improper: u64,
    unreadable: u64,
    mismatched: u64,
    matched: u64,
}

/// Whether all digests of the list are right.
pub(super) async fn run(
    ctx: &mut Context,
    algorithm: Algorithm,
    options: DigestOptions,
    list: &[u8],
) -> Result<bool, UtilityError> {
    let shown = if list == b"-" { quote_operand(b"standard input") } else { quote_operand(list) };
    let mut tally = Tally::default();
    if let Err(error) = check_list(ctx, algorithm, options, list, &shown, &mut tally).await {
        let errno = error.errno()?;
        ctx.warn(format_args!("{shown}: {}", errno.message()));
        if errno == Errno::IsDirectory {
            ctx.warn(format_args!("{shown}: read error"));
        }
        return Ok(false);
    }
    if tally.proper == 0 {
        ctx.warn(format_args!("{shown}: no properly formatted checksum lines found"));
    } else if !options.is_silent {
        warn_about(ctx, tally.improper, ["line is", "lines are"], "improperly formatted");
        warn_about(ctx, tally.unreadable, ["listed file", "listed files"], "could not be read");
        warn_about(ctx, tally.mismatched, ["computed checksum", "computed checksums"], "did NOT match");
        if options.ignores_missing && tally.matched == 0 {
            ctx.warn(format_args!("{shown}: no file was verified"));
        }
    }
    Ok(tally.matched > 0
        && tally.mismatched == 0
        && tally.unreadable == 0
        && (tally.improper == 0 || !options.is_strict))
}

fn warn_about(ctx: &mut Context, count: u64, [one, many]: [&str; 2], what: &str) {
    if count > 0 {
        ctx.warn(format_args!("WARNING: {count} {} {what}", if count == 1 { one } else { many }));
    }
}

async fn check_list(
    ctx: &mut Context,
    algorithm: Algorithm,
    options: DigestOptions,
    list: &[u8],
    shown: &str,
    tally: &mut Tally,
) -> Result<(), OperandError> {
    let mut input = ctx.open_input(list)?;
    let mut number = 0_u64;
    loop {
        ctx.tick().await?;
        let Some(line) = input.next_line(b'\n').await? else { return Ok(()) };
        number += 1;
        let (line, _) = split_delimiter(line, b'\n');
        if line.first() == Some(&b'#') {
            continue;
        }
        let Some((found, wanted, name)) = parse_line(algorithm, line) else {
            tally.improper += 1;
            if options.warns {
                ctx.warn(format_args!(
                    "{shown}: {number}: improperly formatted {} checksum line",
                    algorithm.name()
                ));
            }
            continue;
        };
        tally.proper += 1;
        check_file(ctx, found, options, &wanted, &name, tally).await?;
    }
}

async fn check_file(
    ctx: &mut Context,
    algorithm: Algorithm,
    options: DigestOptions,
    wanted: &[u8],
    name: &[u8],
    tally: &mut Tally,
) -> Result<(), OperandError> {
    let silent = options.is_silent;
    let result = match digest(ctx, algorithm, name).await {
        Ok(found) if found.as_bytes().eq_ignore_ascii_case(wanted) => {
            tally.matched += 1;
            if silent || options.is_quiet {
                return Ok(());
            }
            "OK"
        }
        Ok(_) => {
            tally.mismatched += 1;
            "FAILED"
        }
        Err(error) => {
            let errno = error.errno()?;
            if options.ignores_missing && errno == Errno::NotFound {
                return Ok(());
            }
            ctx.warn(format_args!("{}: {}", quote_operand(name), errno.message()));
            tally.unreadable += 1;
            "FAILED open or read"
        }
    };
    if silent {
        return Ok(());
    }
    if name.contains(&b'\n') {
        ctx.stdout.write(b"\\").await?;
        ctx.stdout.write(&super::escape(name)).await?;
    } else {
        ctx.stdout.write(name).await?;
    }
    ctx.stdout.write(format!(": {result}\n").as_bytes()).await?;
    Ok(())
}

/// Digest and file name of a line: `DIGEST  NAME`, `DIGEST *NAME`, `ALGORITHM (NAME) = DIGEST`; a backslash in front says
/// that the name is escaped.
fn parse_line(algorithm: Algorithm, line: &[u8]) -> Option<(Algorithm, Vec<u8>, Vec<u8>)> {
    let line = line.trim_ascii_start();
    let (line, escaped) = match line.strip_prefix(b"\\") {
        Some(rest) => (rest, true),
        None => (line, false),
    };
    let found = tagged(algorithm, line).or_else(|| {
        // Where a digest may have any length, its own says which.
        let digits = line.iter().take_while(|byte| byte.is_ascii_hexdigit()).count();
        let algorithm = algorithm.with_length(digits / 2)?;
        let (digits, rest) = line.split_at_checked(2 * algorithm.length())?;
        let rest = rest.strip_prefix(b" ")?;
        Some((algorithm, digits, rest.strip_prefix(b" ").or(rest.strip_prefix(b"*")).unwrap_or(rest)))
    });
    let (algorithm, digits, name) = found?;
    let is_digest = digits.len() == 2 * algorithm.length() && digits.iter().all(u8::is_ascii_hexdigit);
    if !is_digest || name.is_empty() {
        return None;
    }
    Some((algorithm, digits.to_metered(), if escaped { unescape(name)? } else { name.to_metered() }))
}

/// The parts of `ALGORITHM (NAME) = DIGEST` or `ALGORITHM-BITS (NAME) = DIGEST`.
fn tagged(algorithm: Algorithm, line: &[u8]) -> Option<(Algorithm, &[u8], &[u8])> {
    let rest = line.strip_prefix(algorithm.name().as_bytes())?;
    let (algorithm, rest) = match rest.strip_prefix(b"-") {
        Some(rest) => {
            let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
            let (bits, rest) = rest.split_at_checked(digits)?;
            let bits: usize = std::str::from_utf8(bits).ok()?.parse().ok()?;
            (algorithm.with_length(bits / 8).filter(|_| bits.is_multiple_of(8))?, rest)
        }
        None => (algorithm.whole(), rest),
    };
    let rest = rest.strip_prefix(b" ").unwrap_or(rest).strip_prefix(b"(")?;
    let close = memchr::memrchr(b')', rest)?;
    let digits = rest.get(close + 1..)?.trim_ascii_start().strip_prefix(b"=")?.trim_ascii();
    Some((algorithm, digits, rest.get(..close)?))
}

fn unescape(name: &[u8]) -> Option<Vec<u8>> {
    let mut plain = Vec::new();
    let mut rest = name;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte != b'\\' {
            plain.push(byte);
            continue;
        }
        let (&escape, tail) = rest.split_first()?;
        rest = tail;
        plain.push(match escape {
            b'n' => b'\n',
            b'r' => b'\r',
            b'\\' => b'\\',
            _ => return None,
        });
    }
    Some(plain)
}
