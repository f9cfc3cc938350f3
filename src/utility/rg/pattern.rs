//! The patterns of `rg`: from where they come, what is done to their text, and what they become.

use super::arguments::{Arguments, told};
use super::option::Opt;
use super::settings::Settings;
use crate::memory::{JoinMetered as _, String, ToMetered, ToMeteredString as _, Vec, format, vec};
use crate::utility::context::ticker::{regex_options, stopped};
use crate::utility::grep::matcher::Matcher;
use crate::utility::prelude::*;
use crate::utility::regex::{Regex, RegexError, RegexOptions, Syntax};

/// The compiled patterns.
#[derive(Debug)]
pub(super) struct Patterns {
    /// Finds lines.
    pub(super) lines: Matcher,
    /// Finds matches; `None`: there is no pattern, and so no match.
    pub(super) regex: Option<Regex>,
    /// Whether a match may hold a newline, so that lines alone do not tell.
    pub(super) crosses_lines: bool,
}

/// What the options say about the patterns.
struct Wanted {
    is_perl: bool,
    may_be_perl: bool,
    ignore_case: bool,
    by_line: bool,
    by_word: bool,
    is_unicode: bool,
    dot_all: bool,
    is_multiline: bool,
    crlf: bool,
}

/// The patterns that are given; `operands` loses the first where that is the pattern.
pub(super) async fn given(
    ctx: &mut Context,
    arguments: &Arguments,
    operands: &mut Vec<Text>,
) -> Result<Vec<Vec<u8>>, UtilityError> {
    let mut patterns: Vec<Vec<u8>> = Vec::new();
    if !arguments.has(Opt::Regexp) && !arguments.has(Opt::File) {
        if operands.is_empty() {
            return Err(told(&super::arguments::with_usage(super::arguments::NO_PATTERN)));
        }
        patterns.push(operands.remove(0).as_bytes().to_metered());
        return Ok(patterns);
    }
    patterns.extend(arguments.values(Opt::Regexp).map(|text| text.as_bytes().to_metered()));
    for file in arguments.values(Opt::File) {
        let failed = |error: FsError| match error {
            FsError::Errno(errno) => told(&format!("{file}: {}\n", super::os_error(errno))),
            FsError::Limit(limit) => limit.into(),
        };
        let mut input = ctx.open_input(file).map_err(failed)?;
        loop {
            ctx.tick().await?;
            let Some(line) = input.next_line(b'\n').await.map_err(failed)? else { break };
            let line = line.strip_suffix(b"\n").unwrap_or(line);
            patterns.push(line.strip_suffix(b"\r").unwrap_or(line).to_metered());
        }
    }
    Ok(patterns)
}

/// Compiles the patterns.
pub(super) async fn compile(
    ctx: &mut Context,
    arguments: &Arguments,
    settings: &Settings,
    patterns: Vec<Vec<u8>>,
) -> Result<Patterns, UtilityError> {
    for pattern in &patterns {
        if let Err(error) = std::str::from_utf8(pattern) {
            let at = error.valid_up_to();
            let shown = escaped_bytes(pattern);
            return Err(told(&format!(
                "found invalid UTF-8 in pattern at byte offset {at}: {shown} (use hex escape sequences to match arbitrary bytes in a pattern, e.g., \\xFF)\n"
            )));
        }
    }
    let is_fixed = arguments.is_on(Opt::FixedStrings, Opt::NoFixedStrings);
    let wanted = wanted(arguments, settings, &patterns, is_fixed)?;
    let sources: Vec<Vec<u8>> = patterns
        .iter()
        .map(|pattern| {
            let pattern = if is_fixed { escaped(pattern) } else { pattern.clone() };
            match pattern.is_empty() {
                true => b"(?:)".to_metered(),
                false if wanted.by_line => [b"^(?:".as_slice(), &pattern, b")$"].concat_metered(),
                false => pattern,
            }
        })
        .collect();
    if sources.is_empty() {
        let lines = matcher(ctx, Vec::new(), b"", Syntax::Rust, &RegexOptions::default(), settings)?;
        return Ok(Patterns { lines, regex: None, crosses_lines: false });
    }
    let joined = sources.join_metered(b"|");
    ctx.compiles(&joined).await;
    if !wanted.is_perl {
        match compile_rust(ctx, &wanted, &joined, settings) {
            Ok(patterns) => return Ok(patterns),
            Err(UtilityError::Limit(limit)) => return Err(limit.into()),
            Err(error) if !wanted.may_be_perl => return Err(error),
            Err(_) => {}
        }
    }
    compile_perl(ctx, &wanted, &joined, settings)
}

fn wanted(
    arguments: &Arguments,
    settings: &Settings,
    patterns: &[Vec<u8>],
    is_fixed: bool,
) -> Result<Wanted, UtilityError> {
    arguments.word(Opt::Engine, &["auto", "default", "pcre2"])?;
    super::settings::size(arguments, Opt::RegexSizeLimit)?;
    super::settings::size(arguments, Opt::DfaSizeLimit)?;
    let engines = [Opt::Pcre2, Opt::NoPcre2, Opt::AutoHybridRegex, Opt::NoAutoHybridRegex, Opt::Engine];
    let engine = arguments.last_of(&engines);
    let name = arguments.value(Opt::Engine).map(Text::as_bytes).filter(|_| engine == Some(Opt::Engine));
    let case = arguments.last_of(&[Opt::IgnoreCase, Opt::CaseSensitive, Opt::SmartCase]);
    let by = arguments.last_of(&[Opt::LineRegexp, Opt::WordRegexp]);
    Ok(Wanted {
        is_perl: engine == Some(Opt::Pcre2) || name == Some(b"pcre2"),
        may_be_perl: engine == Some(Opt::AutoHybridRegex) || name == Some(b"auto"),
        ignore_case: match case {
            Some(Opt::IgnoreCase) => true,
            Some(Opt::SmartCase) => is_lower(patterns, is_fixed),
            _ => false,
        },
        by_line: by == Some(Opt::LineRegexp),
        by_word: by == Some(Opt::WordRegexp),
        is_unicode: !arguments.is_on(Opt::NoUnicode, Opt::Unicode),
        dot_all: arguments.is_on(Opt::MultilineDotall, Opt::NoMultilineDotall),
        is_multiline: settings.is_multiline,
        crlf: arguments.is_on(Opt::Crlf, Opt::NoCrlf),
    })
}

fn compile_rust(
    ctx: &Context,
    wanted: &Wanted,
    joined: &[u8],
    settings: &Settings,
) -> Result<Patterns, UtilityError> {
    if !wanted.is_multiline && settings.eol == b'\n' && names_newline(joined) {
        return Err(told(
            "the literal '\"\\n\"' is not allowed in a regex\n\nConsider enabling multiline mode with the --multiline flag (or -U for short).\nWhen multiline mode is enabled, new line characters can be matched.\n",
        ));
    }
    let options = RegexOptions {
        ignore_case: wanted.ignore_case,
        newline_sensitive: true,
        ..regex_options(&ctx.meter)
    };
    let mut flags = String::new();
    for (letters, is_set) in
        [("s", wanted.dot_all && wanted.is_multiline), ("R", wanted.crlf), ("-u", !wanted.is_unicode)]
    {
        flags.push_str(if is_set { letters } else { "" });
    }
    let is_plain = flags.is_empty() && !wanted.by_word;
    let flags = if flags.is_empty() { String::new() } else { format!("(?{flags})") };
    let source = if wanted.by_word {
        [flags.as_bytes(), br"\b{start-half}(?:", joined, br")\b{end-half}"].concat_metered()
    } else {
        [flags.as_bytes(), joined].concat_metered()
    };
    let compiled = Regex::new(&source, Syntax::Rust, &options).map_err(|error| {
        // What is wrong is told of the text that was given.
        match error {
            RegexError::Stopped(_) => error,
            _ if is_plain => error,
            _ => Regex::new(joined, Syntax::Rust, &options).err().unwrap_or(error),
        }
    });
    let regex = compiled.map_err(|error| rust_error(ctx, &error))?;
    let crosses_lines =
        wanted.is_multiline && settings.eol == b'\n' && may_hold_newline(joined, wanted.dot_all);
    let lines = matcher(ctx, vec![regex.clone()], &source, Syntax::Rust, &options, settings)?;
    Ok(Patterns { lines, regex: Some(regex), crosses_lines })
}

fn compile_perl(
    ctx: &Context,
    wanted: &Wanted,
    joined: &[u8],
    settings: &Settings,
) -> Result<Patterns, UtilityError> {
    let options = RegexOptions {
        ignore_case: wanted.ignore_case,
        whole_word: wanted.by_word,
        newline_sensitive: true,
        ..regex_options(&ctx.meter)
    };
    let source = if wanted.dot_all && wanted.is_multiline {
        [b"(?s)", joined].concat_metered()
    } else {
        joined.to_metered()
    };
    let regex = Regex::new(&source, Syntax::Perl, &options).map_err(|error| match error {
        RegexError::Stopped(_) => stopped(&ctx.meter).into(),
        error => told(&format!("PCRE2: error compiling pattern: {error}\n")),
    })?;
    let lines = matcher(ctx, vec![regex.clone()], &source, Syntax::Perl, &options, settings)?;
    Ok(Patterns { lines, regex: Some(regex), crosses_lines: wanted.is_multiline })
}

fn matcher(
    ctx: &Context,
    expressions: Vec<Regex>,
    source: &[u8],
    syntax: Syntax,
    options: &RegexOptions,
    settings: &Settings,
) -> Result<Matcher, UtilityError> {
    Matcher::of(expressions, source, syntax, options, (settings.eol, &ctx.meter))
        .map_err(|error| told(&format!("{error}\n")))
}

fn rust_error(ctx: &Context, error: &RegexError) -> UtilityError {
    match error {
        RegexError::Stopped(_) => stopped(&ctx.meter).into(),
        RegexError::TooBig => told("Compiled regex exceeds size limit of the session.\n"),
        error => {
            let mut message = error.to_metered_string();
            message.push('\n');
            if message.contains("look-around") || message.contains("backreferences are not supported") {
                message.push_str(
                    "\nConsider enabling PCRE2 with the --pcre2 flag, which can handle backreferences\nand look-around.\n",
                );
            }
            told(&message)
        }
    }
}

/// The text as an expression that matches it.
fn escaped(text: &[u8]) -> Vec<u8> {
    let mut source = Vec::with_capacity(text.len() + 8);
    for &byte in text {
        if br"\.+*?()|[]{}^$#&-~".contains(&byte) {
            source.push(b'\\');
        }
        source.push(byte);
    }
    source
}

/// Bytes that are not text, for a message.
fn escaped_bytes(text: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bstr::ByteSlice::utf8_chunks(text) {
        out.push_str(chunk.valid());
        for byte in chunk.invalid() {
            out.push_str(&format!("\\x{byte:02X}"));
        }
    }
    out
}

/// Characters of an expression outside of escapes and, with the places of classes, how they stand there.
fn literals(pattern: &[u8], mut see: impl FnMut(&[u8], bool)) {
    let mut at = 0;
    let mut depth = 0_usize;
    while let Some(&byte) = pattern.get(at) {
        match byte {
            b'\\' => {
                let escape = pattern.get(at + 1).copied().unwrap_or_default();
                let rest = pattern.get(at + 2..).unwrap_or_default();
                let in_braces = rest.first() == Some(&b'{') && b"pPxuU".contains(&escape);
                let length = if in_braces {
                    memchr::memchr(b'}', rest).map_or(rest.len(), |end| end + 1)
                } else {
                    match escape {
                        b'p' | b'P' => 1,
                        b'x' => 2,
                        b'u' => 4,
                        b'U' => 8,
                        _ => 0,
                    }
                };
                let end = (at + 2 + length).min(pattern.len());
                see(pattern.get(at..end).unwrap_or_default(), depth > 0);
                at = end;
                continue;
            }
            b'[' => depth += 1,
            b']' if depth > 0 => depth -= 1,
            _ => see(&[byte], depth > 0),
        }
        at += 1;
    }
}

/// The number in an escape, `\xHH` and its like.
fn number(escape: &[u8]) -> Option<u32> {
    let [b'\\', b'x' | b'u' | b'U', number @ ..] = escape else { return None };
    let number = number.strip_prefix(b"{").unwrap_or(number);
    let number = number.strip_suffix(b"}").unwrap_or(number);
    let text = std::str::from_utf8(number).unwrap_or_default();
    u32::from_str_radix(text, 16).ok()
}

/// Whether an escape stands for a newline.
fn is_newline(escape: &[u8]) -> bool {
    escape == br"\n" || number(escape) == Some(10)
}

/// Whether a newline is asked for.
fn names_newline(pattern: &[u8]) -> bool {
    let mut is_named = false;
    literals(pattern, |piece, in_class| {
        is_named |= !in_class && (piece == b"\n" || is_newline(piece));
    });
    is_named
}

/// Whether a match may hold a newline.
fn may_hold_newline(pattern: &[u8], dot_all: bool) -> bool {
    let mut may = dot_all && pattern.contains(&b'.');
    let has = |text: &str| memchr::memmem::find(pattern, text.as_bytes()).is_some();
    literals(pattern, |piece, _| {
        may |= piece == b"\n"
            || is_newline(piece)
            || matches!(piece, [b'\\', b's' | b'W' | b'D' | b'P' | b'p' | b'A' | b'z', ..]);
    });
    may || has("[^") || has("[[:") || has("(?s") || has("s:") || has("s)")
}

/// Whether there are letters, and none of them is upper case.
fn is_lower(patterns: &[Vec<u8>], is_fixed: bool) -> bool {
    let (mut has_letter, mut has_upper) = (false, false);
    for pattern in patterns {
        let mut text = Vec::new();
        if is_fixed {
            text.extend_from_slice(pattern);
        } else {
            literals(pattern, |piece, _| match piece {
                [only] => text.push(*only),
                [b'\\', b'x' | b'u' | b'U', ..] => {
                    let character = number(piece).and_then(char::from_u32).unwrap_or_default();
                    text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                }
                _ => {}
            });
        }
        for character in String::from_utf8_lossy(&text).chars() {
            has_letter |= true;
            has_upper |= character.is_uppercase();
        }
    }
    has_letter && !has_upper
}
