//! Images: PNG, GIF, JPEG, WebP. SVG is a text.

use super::kind::{Kind, big, has, little};
use crate::memory::{String, format};

pub(super) fn image(data: &[u8]) -> Option<Kind> {
    png(data).or_else(|| gif(data)).or_else(|| jpeg(data)).or_else(|| riff(data))
}

fn png(data: &[u8]) -> Option<Kind> {
    if !data.starts_with(b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR") {
        return None;
    }
    let (width, height) = (big(data).word(16), big(data).word(20));
    let depth = data.get(24)?;
    let color = match data.get(25)? {
        0 => " grayscale,",
        2 => "/color RGB,",
        3 => " colormap,",
        4 => " gray+alpha,",
        6 => "/color RGBA,",
        _ => "",
    };
    let interlaced = match data.get(28) {
        Some(0) => " non-interlaced",
        Some(1) => " interlaced",
        _ => "",
    };
    let words = format!("PNG image data, {width} x {height}, {depth}-bit{color}{interlaced}");
    Some(Kind::new(words, "image/png", "png"))
}

fn gif(data: &[u8]) -> Option<Kind> {
    let version = data.strip_prefix(b"GIF8")?.get(..2)?;
    if !matches!(version, b"7a" | b"9a") {
        return None;
    }
    let (width, height) = (little(data).half(6), little(data).half(8));
    let version = bstr::BStr::new(version);
    Some(Kind::new(format!("GIF image data, version 8{version}, {width} x {height}"), "image/gif", "gif"))
}

fn jpeg(data: &[u8]) -> Option<Kind> {
    if !data.starts_with(b"\xff\xd8\xff") {
        return None;
    }
    let mut words: String = "JPEG image data".into();
    if has(data, 6, b"JFIF") {
        let byte = |at: usize| data.get(at).copied().unwrap_or(0);
        words.push_str(&format!(", JFIF standard {}.{:02}", byte(11), byte(12)));
        words.push_str(match byte(13) {
            0 => ", aspect ratio",
            1 => ", resolution (DPI)",
            2 => ", resolution (DPCM)",
            _ => "",
        });
        let (across, down) = (big(data).half(14), big(data).half(16));
        words.push_str(&format!(", density {across}x{down}, segment length {}", big(data).half(4)));
        let (wide, high) = (byte(18), byte(19));
        if wide != 0 && high != 0 {
            words.push_str(&format!(", thumbnail {wide}x{high}"));
        }
    }
    words.push_str(&frame(data).unwrap_or_default());
    Some(Kind::new(words, "image/jpeg", "jpeg/jpg/jpe/jfif"))
}

/// The frame of a JPEG: how it is coded, and its size.
fn frame(data: &[u8]) -> Option<String> {
    let mut at = 2;
    for _ in 0..1024 {
        if *data.get(at)? != 0xff {
            return None;
        }
        let marker = *data.get(at + 1)?;
        let coding = match marker {
            0xc0 => "baseline",
            0xc1 => "extended sequential",
            0xc2 => "progressive",
            0xd9 | 0xda => return None,
            _ => "",
        };
        if !coding.is_empty() {
            let (height, width) = (big(data).half(at + 5), big(data).half(at + 7));
            let (precision, components) = (data.get(at + 4)?, data.get(at + 9)?);
            return Some(format!(
                ", {coding}, precision {precision}, {width}x{height}, components {components}"
            ));
        }
        at += 2 + usize::from(big(data).half(at + 2));
    }
    None
}

/// WebP, and sound that stands in the same container.
fn riff(data: &[u8]) -> Option<Kind> {
    const LEAD: &str = "RIFF (little-endian) data";
    if !data.starts_with(b"RIFF") {
        return None;
    }
    if !has(data, 8, b"WEBP") {
        return Some(Kind::new(LEAD, "application/octet-stream", ""));
    }
    let numbers = little(data);
    let mut words = format!("{LEAD}, Web/P image");
    if has(data, 12, b"VP8 ") && has(data, 23, b"\x9d\x01\x2a") {
        let scaling = |bits: u16| match bits >> 14 {
            0 => "none",
            1 => "5/4",
            2 => "5/3",
            _ => "2",
        };
        let (width, height) = (numbers.half(26), numbers.half(28));
        words.push_str(&format!(
            ", VP8 encoding, {}x{}, Scaling: [{}]x[{}], YUV color, decoders should clamp",
            width & 0x3fff,
            height & 0x3fff,
            scaling(width),
            scaling(height)
        ));
    }
    Some(Kind::new(words, "image/webp", "webp"))
}
