//! `rg --json`: a message a line. A text that is not UTF-8 is `bytes` in Base64.

use super::Rg;
use super::print::{self, Lines};
use super::search::{Search, count_lines};
use super::statistics::{Statistics, seconds};
use crate::memory::{String, ToDecimal as _, Vec, format};
use crate::utility::base64::encode_whole;
use crate::utility::context::pace::tick_bytes;
use crate::utility::prelude::*;
use std::time::Duration;

/// A line or lines, selected or context.
pub(super) async fn lines(
    ctx: &mut Context,
    rg: &Rg,
    search: &mut Search,
    lines: Lines<'_>,
) -> Result<(), UtilityError> {
    let mut out = Vec::new();
    if !search.has_begun {
        search.has_begun = true;
        out.extend_from_slice(b"{\"type\":\"begin\",\"data\":{\"path\":");
        data(ctx, &mut out, &search.name).await?;
        out.extend_from_slice(b"}}\n");
    }
    let spans = if lines.is_match == rg.settings.is_inverted {
        Vec::new()
    } else {
        print::spans(ctx, rg, lines.text, lines.span).await?
    };
    let text = lines.text.get(lines.span.0..lines.span.1).unwrap_or_default();
    if lines.is_match {
        search.matches += spans.len() as u64;
        search.matched_lines += count_lines(text, rg.settings.eol);
    }
    let kind = if lines.is_match { "match" } else { "context" };
    out.extend_from_slice(format!("{{\"type\":\"{kind}\",\"data\":{{\"path\":").as_bytes());
    data(ctx, &mut out, &search.name).await?;
    out.extend_from_slice(b",\"lines\":");
    data(ctx, &mut out, text).await?;
    let (number, offset) = (lines.number, lines.offset);
    let place = format!(",\"line_number\":{number},\"absolute_offset\":{offset},\"submatches\":[");
    out.extend_from_slice(place.as_bytes());
    for (index, &(start, end)) in spans.iter().enumerate() {
        ctx.tick().await?;
        out.extend_from_slice(if index == 0 { b"{\"match\":" } else { b",{\"match\":" });
        data(ctx, &mut out, text.get(start..end).unwrap_or_default()).await?;
        out.extend_from_slice(format!(",\"start\":{start},\"end\":{end}}}").as_bytes());
    }
    out.extend_from_slice(b"]}}\n");
    search.bytes_printed += out.len() as u64;
    ctx.stdout.write(&out).await
}

/// The end of an input that had a match.
pub(super) async fn end(ctx: &mut Context, search: &Search) -> Result<(), UtilityError> {
    let mut out = Vec::new();
    out.extend_from_slice(b"{\"type\":\"end\",\"data\":{\"path\":");
    data(ctx, &mut out, &search.name).await?;
    out.extend_from_slice(b",\"binary_offset\":");
    match search.binary_at {
        Some(offset) => out.extend_from_slice(offset.to_decimal().as_bytes()),
        None => out.extend_from_slice(b"null"),
    }
    let of = Statistics::of(search);
    let (secs, nanos) = (of.took.as_secs(), of.took.subsec_nanos());
    let stats = format!(
        ",\"stats\":{{\"elapsed\":{{\"secs\":{secs},\"nanos\":{nanos},\"human\":\"{}s\"}},\"searches\":1,\"searches_with_match\":{},\"bytes_searched\":{},\"bytes_printed\":{},\"matched_lines\":{},\"matches\":{}}}}}}}\n",
        seconds(of.took),
        of.searches_with_match,
        of.bytes_searched,
        of.bytes_printed,
        of.matched_lines,
        of.matches,
    );
    out.extend_from_slice(stats.as_bytes());
    ctx.stdout.write(&out).await
}

/// The last message. Its keys are in the order of the alphabet, as ripgrep has them there.
pub(super) async fn summary(ctx: &mut Context, of: &Statistics, total: Duration) -> Result<(), UtilityError> {
    let elapsed = |time: Duration| -> String {
        let (secs, nanos) = (time.as_secs(), time.subsec_nanos());
        format!("{{\"human\":\"{}s\",\"nanos\":{nanos},\"secs\":{secs}}}", seconds(time))
    };
    let text = format!(
        "{{\"data\":{{\"elapsed_total\":{},\"stats\":{{\"bytes_printed\":{},\"bytes_searched\":{},\"elapsed\":{},\"matched_lines\":{},\"matches\":{},\"searches\":{},\"searches_with_match\":{}}}}},\"type\":\"summary\"}}\n",
        elapsed(total),
        of.bytes_printed,
        of.bytes_searched,
        elapsed(of.took),
        of.matched_lines,
        of.matches,
        of.searches,
        of.searches_with_match,
    );
    ctx.stdout.write(text.as_bytes()).await
}

/// A text as an object.
async fn data(ctx: &mut Context, out: &mut Vec<u8>, bytes: &[u8]) -> Result<(), UtilityError> {
    tick_bytes(&ctx.meter, bytes.len()).await?;
    let Ok(text) = std::str::from_utf8(bytes) else {
        out.extend_from_slice(b"{\"bytes\":\"");
        out.extend_from_slice(&encode_whole(bytes));
        out.extend_from_slice(b"\"}");
        return Ok(());
    };
    out.extend_from_slice(b"{\"text\":\"");
    let mut done = 0;
    for (at, byte) in text.bytes().enumerate() {
        let letter = match byte {
            b'"' | b'\\' => byte,
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            8 => b'b',
            12 => b'f',
            0..0x20 => b'u',
            _ => continue,
        };
        out.extend_from_slice(bytes.get(done..at).unwrap_or_default());
        if letter == b'u' {
            out.extend_from_slice(format!("\\u{byte:04x}").as_bytes());
        } else {
            out.extend_from_slice(&[b'\\', letter]);
        }
        done = at + 1;
    }
    out.extend_from_slice(bytes.get(done..).unwrap_or_default());
    out.extend_from_slice(b"\"}");
    Ok(())
}
