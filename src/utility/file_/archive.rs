//! Archives and compressed data, documents that are archives, and other formats that are known by their first bytes.

use super::kind::{Kind, big, has, little, text};
use crate::memory::{String, format};
use crate::utility::format::time_format::{Zone, timestamp};
use std::time::Duration;

/// The last four bytes of a file, where they are known.
pub(super) type Tail = Option<[u8; 4]>;

pub(super) fn archive(data: &[u8], tail: Tail) -> Option<Kind> {
    compressed(data, tail).or_else(|| zip(data)).or_else(|| document(data)).or_else(|| other(data))
}

fn compressed(data: &[u8], tail: Tail) -> Option<Kind> {
    if data.starts_with(b"\x1f\x8b") {
        return Some(gzip(data, tail));
    }
    if let Some(&size) = data.strip_prefix(b"BZh").and_then(<[u8]>::first) {
        let words = format!("bzip2 compressed data, block size = {}00k", char::from(size));
        return Some(Kind::new(words, "application/x-bzip2", "bz2"));
    }
    if data.starts_with(b"\xfd7zXZ\0") {
        let check = match data.get(7).map(|byte| byte & 15) {
            Some(0) => ", checksum NONE",
            Some(1) => ", checksum CRC32",
            Some(4) => ", checksum CRC64",
            Some(10) => ", checksum SHA-256",
            _ => "",
        };
        return Some(Kind::new(format!("XZ compressed data{check}"), "application/x-xz", "xz"));
    }
    if data.starts_with(b"\x28\xb5\x2f\xfd") {
        let numbers = little(data);
        let flags = data.get(4).copied().unwrap_or(0);
        // With one segment the size of the window is left out.
        let at = if flags & 0x20 == 0 { 6 } else { 5 };
        let dictionary = match flags & 3 {
            0 => "None".into(),
            1 => format!("{}", data.get(at).copied().unwrap_or(0)),
            2 => format!("{}", numbers.half(at)),
            _ => format!("{}", numbers.word(at)),
        };
        let words = format!("Zstandard compressed data (v0.8+), Dictionary ID: {dictionary}");
        return Some(Kind::new(words, "application/zstd", "zst"));
    }
    if data.starts_with(b"\x5d\0\0") && data.len() > 12 && matches!(data.get(12), Some(0 | 0xff)) {
        let size = little(data).long(5);
        let words = if size == u64::MAX {
            "LZMA compressed data, streamed".into()
        } else {
            format!("LZMA compressed data, non-streamed, size {size}")
        };
        return Some(Kind::new(words, "application/x-lzma", "lzma"));
    }
    if data.starts_with(b"\x04\x22\x4d\x18") {
        return Some(Kind::new("LZ4 compressed data (v1.4+)", "application/x-lz4", "lz4"));
    }
    if let Some(&flags) = data.strip_prefix(b"\x1f\x9d").and_then(<[u8]>::first) {
        let block = if flags & 0x80 == 0 { "" } else { "block compressed " };
        let words = format!("compress'd data {}{} bits", block.trim_start(), flags & 0x1f);
        return Some(Kind::new(words, "application/x-compress", "Z"));
    }
    if data.starts_with(b"7z\xbc\xaf\x27\x1c") {
        let (major, minor) = (data.get(6).copied().unwrap_or(0), data.get(7).copied().unwrap_or(0));
        let words = format!("7-zip archive data, version {major}.{minor}");
        return Some(Kind::new(words, "application/x-7z-compressed", "7z/cb7"));
    }
    None
}

fn gzip(data: &[u8], tail: Tail) -> Kind {
    let byte = |at: usize| data.get(at).copied().unwrap_or(0);
    let flags = byte(3);
    let mut words: String = "gzip compressed data".into();
    if byte(2) < 8 {
        words.push_str(", reserved method");
    }
    if flags & 1 != 0 {
        words.push_str(", ASCII");
    }
    if flags & 2 != 0 {
        words.push_str(", has CRC");
    }
    if flags & 4 != 0 {
        words.push_str(", extra field");
    }
    if flags & 0xc == 8 {
        let name = data.get(10..).unwrap_or_default();
        words.push_str(&format!(", was \"{}\"", text(name, name.len().min(127))));
    }
    if flags & 16 != 0 {
        words.push_str(", has comment");
    }
    if flags & 32 != 0 {
        words.push_str(", encrypted");
    }
    let modified = little(data).word(4);
    if modified > 0 {
        let moment = timestamp(Duration::from_secs(u64::from(modified)));
        let zone = Zone::named(b"UTC");
        let shown = zone.format(b"%a %b %e %H:%M:%S %Y", &zone.at(moment));
        words.push_str(&format!(", last modified: {}", bstr::BStr::new(&shown)));
    }
    match byte(8) {
        2 => words.push_str(", max compression"),
        4 => words.push_str(", max speed"),
        _ => {}
    }
    words.push_str(match byte(9) {
        0 => ", from FAT filesystem (MS-DOS, OS/2, NT)",
        1 => ", from Amiga",
        2 => ", from VMS",
        3 => ", from Unix",
        4 => ", from VM/CMS",
        5 => ", from Atari",
        6 => ", from HPFS filesystem (OS/2, NT)",
        7 => ", from MacOS",
        8 => ", from Z-System",
        9 => ", from CP/M",
        10 => ", from TOPS/20",
        11 => ", from NTFS filesystem (NT)",
        12 => ", from QDOS",
        13 => ", from Acorn RISCOS",
        _ => "",
    });
    if let Some(tail) = tail {
        words.push_str(&format!(", original size modulo 2^32 {}", u32::from_le_bytes(tail)));
    }
    let extensions = if flags & 8 == 0 {
        "gz/tgz/tpz/ipk/vbox-extpack/svgz/blend/dia/gnucash/rdata/xoj"
    } else {
        "gz/tgz/tpz/zabw/svgz/adz/kmy/xcfgz"
    };
    Kind::new(words, "application/gzip", extensions)
}

fn zip(data: &[u8]) -> Option<Kind> {
    if data.starts_with(b"PK\x05\x06") {
        return Some(Kind::new("Zip archive data (empty)", "application/zip", "zip/cbz"));
    }
    if !data.starts_with(b"PK\x03\x04") {
        return None;
    }
    let numbers = little(data);
    let named = |at: usize| {
        let length = usize::from(numbers.half(at + 26));
        data.get(at + 30..).and_then(|rest| rest.get(..length)).unwrap_or_default()
    };
    if has(data, 26, b"\x08\0\0\0mimetype") {
        let open = |words: &str, mime, extension| Some(Kind::new(words, mime, extension));
        let mime = data.get(38..).unwrap_or_default();
        for (name, words, known, extension) in [
            (&b"application/epub+zip"[..], "EPUB document", "application/epub+zip", ""),
            (
                b"application/vnd.oasis.opendocument.text",
                "OpenDocument Text",
                "application/vnd.oasis.opendocument.text",
                "odt",
            ),
            (
                b"application/vnd.oasis.opendocument.spreadsheet",
                "OpenDocument Spreadsheet",
                "application/vnd.oasis.opendocument.spreadsheet",
                "ods",
            ),
            (
                b"application/vnd.oasis.opendocument.presentation",
                "OpenDocument Presentation",
                "application/vnd.oasis.opendocument.presentation",
                "odp",
            ),
        ] {
            if mime.starts_with(name) {
                return open(words, known, extension);
            }
        }
    }
    let first = named(0);
    if first == b"[Content_Types].xml" || first.starts_with(b"_rels/") || first.starts_with(b"docProps") {
        let mut entries = memchr::memmem::find_iter(data, b"PK\x03\x04").map(named);
        let office = entries.find_map(|name| {
            if name.starts_with(b"word/") {
                Some((
                    "Microsoft Word 2007+",
                    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
                    "docx",
                ))
            } else if name.starts_with(b"xl/") {
                Some((
                    "Microsoft Excel 2007+",
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
                    "xlsx",
                ))
            } else if name.starts_with(b"ppt/") {
                Some((
                    "Microsoft PowerPoint 2007+",
                    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
                    "pptx",
                ))
            } else {
                None
            }
        });
        if let Some((words, mime, extension)) = office {
            return Some(Kind::new(words, mime, extension));
        }
    }
    let extra = 30 + usize::from(numbers.half(26));
    // What follows the first name is looked at, and has to be there.
    data.get(extra..)?.get(..2)?;
    if numbers.half(28) > 0 && has(data, extra, b"\xfe\xca") {
        return Some(Kind::new("Java archive data (JAR)", "application/java-archive", "jar"));
    }
    let version = numbers.half(4) & 0xff;
    let method = match numbers.half(8) {
        0 => "store",
        8 => "deflate",
        9 => "deflate64",
        12 => "bzip2",
        14 => "lzma",
        93 => "zstd",
        95 => "xz",
        _ => "unknown",
    };
    let words = format!(
        "Zip archive data, at least v{}.{} to extract, compression method={method}",
        version / 10,
        version % 10
    );
    Some(Kind::new(words, "application/zip", ""))
}

fn document(data: &[u8]) -> Option<Kind> {
    let rest = data.strip_prefix(b"%PDF-")?;
    let version = text(rest, 3);
    let mut words = format!("PDF document, version {version}");
    if let Some(pages) = pages(data) {
        let end = if pages == 1 { "" } else { "s" };
        words.push_str(&format!(", {pages} page{end}"));
    }
    Some(Kind::new(words, "application/pdf", "pdf"))
}

/// The pages that a document's first tree of pages counts.
fn pages(data: &[u8]) -> Option<u32> {
    let looked = data.get(..256.max(data.len().min(1024))).unwrap_or(data);
    let at = memchr::memmem::find(looked, b"/Type /Pages")?;
    let rest = looked.get(at..)?;
    let at = memchr::memmem::find(rest, b"/Count ")?;
    let digits = rest.get(at + 7..)?;
    let count = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(digits.get(..count)?).ok()?.parse().ok()
}

fn other(data: &[u8]) -> Option<Kind> {
    if let Some(rest) = data.strip_prefix(b"!<arch>\n") {
        return Some(if rest.starts_with(b"debian") {
            Kind::new("Debian binary package", "application/vnd.debian.binary-package", "deb/udeb/ipk")
        } else {
            Kind::new("current ar archive", "application/x-archive", "a/lib/ar")
        });
    }
    if data.starts_with(b"\0asm") {
        let version = little(data).word(4);
        let mvp = if version == 1 { " (MVP)" } else { "" };
        let words = format!("WebAssembly (wasm) binary module version {version:#x}{mvp}");
        return Some(Kind::new(words, "application/wasm", "wasm"));
    }
    if let Some(rest) = data.strip_prefix(b"%!PS-Adobe-") {
        let words = format!("PostScript document text conforming DSC level {}", text(rest, 3));
        return Some(Kind::new(words, "application/postscript", ""));
    }
    if data.starts_with(b"{\\rtf") {
        let version = text(data.get(5..).unwrap_or_default(), 1);
        let set = if memchr::memmem::find(data.get(..64).unwrap_or(data), b"\\ansi").is_some() {
            ", ANSI"
        } else {
            ""
        };
        return Some(Kind::new(format!("Rich Text Format data, version {version}{set}"), "text/rtf", "rtf"));
    }
    None
}

/// Whether the first block is that of a tar archive: its checksum says so.
pub(super) fn tar(data: &[u8]) -> Option<Kind> {
    let block = data.get(..512)?;
    let digits = block.get(148..156)?;
    let stated = octal(digits)?;
    let (mut unsigned, mut signed) = (0_i64, 0_i64);
    for (at, &byte) in block.iter().enumerate() {
        let byte = if (148..156).contains(&at) { b' ' } else { byte };
        unsigned += i64::from(byte);
        signed += i64::from(byte.cast_signed());
    }
    if stated != unsigned && stated != signed {
        return None;
    }
    let mime = "application/x-tar";
    Some(if has(block, 257, b"ustar  \0") {
        Kind::new("POSIX tar archive (GNU)", mime, "tar/gtar")
    } else if has(block, 257, b"ustar\0") {
        Kind::new("POSIX tar archive", mime, "tar/ustar")
    } else {
        Kind::new("tar archive", mime, "tar")
    })
}

/// Octal digits after blanks; none is no number.
fn octal(text: &[u8]) -> Option<i64> {
    let digits = text.trim_ascii_start();
    let count = digits.iter().take_while(|byte| matches!(byte, b'0'..=b'7')).count();
    let digits = digits.get(..count).filter(|digits| !digits.is_empty())?;
    Some(digits.iter().fold(0, |value, digit| value * 8 + i64::from(digit - b'0')))
}

/// Data of which all numbers are big-endian: compiled classes of Java.
pub(super) fn class(data: &[u8]) -> Option<Kind> {
    if !data.starts_with(b"\xca\xfe\xba\xbe") {
        return None;
    }
    let (minor, major) = (big(data).half(4), big(data).half(6));
    if !(45..=70).contains(&major) {
        return None;
    }
    let java = match major {
        45 => " (Java 1.1)".into(),
        46..=48 => format!(" (Java 1.{})", major - 44),
        49..=52 => format!(" (Java 1.{})", major - 44),
        _ => format!(" (Java SE {})", major - 44),
    };
    let words = format!("compiled Java class data, version {major}.{minor}{java}");
    Some(Kind::new(words, "application/x-java-applet", "class"))
}
