//! What `file` tells of programs and libraries in the format ELF.

use super::kind::{Kind, Numbers, text};
use crate::memory::{String, format};

/// Headers that are looked at.
const HEADERS: usize = 2048;

/// The kind of an ELF file; `details` are what its program and section headers tell.
pub(super) fn elf(data: &[u8], wants_details: bool) -> Option<Kind> {
    if !data.starts_with(b"\x7fELF") {
        return None;
    }
    let (&class, &order) = (data.get(4)?, data.get(5)?);
    let is_wide = class == 2;
    let numbers = Numbers { data, is_big: order == 2 };
    let programs = programs(numbers, is_wide);
    let (kind, mime) = match numbers.half(16) {
        1 => ("relocatable", "application/x-object"),
        2 => ("executable", "application/x-executable"),
        3 if programs.has_interpreter => ("pie executable", "application/x-pie-executable"),
        3 => ("shared object", "application/x-sharedlib"),
        4 => ("core file", "application/x-coredump"),
        _ => ("unknown type", "application/octet-stream"),
    };
    let bits = match class {
        1 => "32-bit",
        2 => "64-bit",
        _ => "invalid class",
    };
    let ends = match order {
        1 => "LSB",
        2 => "MSB",
        _ => "invalid byte order",
    };
    let machine = match numbers.half(18) {
        3 => "Intel 80386",
        8 => "MIPS",
        20 => "PowerPC or cisco 4500",
        21 => "64-bit PowerPC or cisco 7500",
        22 => "IBM S/390",
        40 => "ARM",
        62 => "x86-64",
        183 => "ARM aarch64",
        243 => "UCB RISC-V",
        247 => "eBPF",
        258 => "LoongArch",
        _ => "unknown arch",
    };
    let system = match data.get(7) {
        Some(0) => "SYSV",
        Some(3) => "GNU/Linux",
        Some(9) => "FreeBSD",
        _ => "unknown",
    };
    let mut words = format!("ELF {bits} {ends} {kind}, {machine}, version {} ({system})", numbers.word(20));
    if wants_details {
        words.push_str(&programs.words);
        words.push_str(&sections(numbers, is_wide));
    }
    Some(Kind::new(words, mime, if kind == "shared object" { "so" } else { "" }))
}

#[derive(Default)]
struct Programs {
    has_interpreter: bool,
    words: String,
}

/// What the program headers tell: linkage, interpreter, notes.
fn programs(numbers: Numbers<'_>, is_wide: bool) -> Programs {
    let mut found = Programs::default();
    let (start, size, count) = if is_wide {
        (numbers.long(32), numbers.half(54), numbers.half(56))
    } else {
        (u64::from(numbers.word(28)), numbers.half(42), numbers.half(44))
    };
    if numbers.half(16) == 1 || count == 0 {
        return found;
    }
    let (mut is_dynamic, mut interpreter, mut notes) = (false, String::new(), String::new());
    for index in 0..usize::from(count).min(HEADERS) {
        let at = place(start).saturating_add(index.saturating_mul(usize::from(size)));
        let (offset, length) = if is_wide {
            (numbers.long(at.saturating_add(8)), numbers.long(at.saturating_add(32)))
        } else {
            (u64::from(numbers.word(at.saturating_add(4))), u64::from(numbers.word(at.saturating_add(16))))
        };
        match numbers.word(at) {
            2 => is_dynamic = true,
            3 => {
                found.has_interpreter = true;
                let name = numbers.data.get(place(offset)..).unwrap_or_default();
                interpreter = format!(", interpreter {}", text(name, place(length).min(256)));
            }
            4 => read_notes(numbers, place(offset), place(length), &mut notes),
            _ => {}
        }
    }
    let linkage = if is_dynamic { "dynamically" } else { "statically" };
    found.words = format!(", {linkage} linked{interpreter}{notes}");
    found
}

/// Notes of GNU: the identity of the build, and the system it is for.
fn read_notes(numbers: Numbers<'_>, start: usize, length: usize, out: &mut String) {
    let end = start.saturating_add(length).min(numbers.data.len());
    let mut at = start;
    for _ in 0..256 {
        if at.saturating_add(12) > end {
            return;
        }
        let (name, size, kind) =
            (numbers.word(at) as usize, numbers.word(at + 4) as usize, numbers.word(at + 8));
        let body = at.saturating_add(12).saturating_add(name.saturating_add(3) & !3);
        let is_gnu = name == 4 && super::kind::has(numbers.data, at + 12, b"GNU\0");
        if is_gnu && kind == 3 {
            let known = match size {
                8 => "xxHash",
                16 => "md5/uuid",
                20 => "sha1",
                _ => "",
            };
            if let Some(bytes) =
                numbers.data.get(body..body.saturating_add(size)).filter(|_| !known.is_empty())
            {
                out.push_str(&format!(", BuildID[{known}]="));
                for byte in bytes {
                    out.push_str(&format!("{byte:02x}"));
                }
            }
        } else if is_gnu && kind == 1 && size == 16 {
            let system = match numbers.word(body) {
                0 => "GNU/Linux",
                1 => "GNU/Hurd",
                _ => "<unknown>",
            };
            let version = [4, 8, 12].map(|offset| numbers.word(body.saturating_add(offset)));
            out.push_str(&format!(", for {system} {}.{}.{}", version[0], version[1], version[2]));
        }
        at = body.saturating_add(size.saturating_add(3) & !3);
    }
}

/// What the section headers tell: symbols for a debugger, symbols at all.
fn sections(numbers: Numbers<'_>, is_wide: bool) -> String {
    let (start, size, count, names) = if is_wide {
        (numbers.long(40), numbers.half(58), numbers.half(60), numbers.half(62))
    } else {
        (u64::from(numbers.word(32)), numbers.half(46), numbers.half(48), numbers.half(50))
    };
    if count == 0 {
        return if start == 0 && size != 0 { ", no section header".into() } else { String::new() };
    }
    let header = |index: usize| place(start).saturating_add(index.saturating_mul(usize::from(size)));
    if header(usize::from(count)) > numbers.data.len() {
        return String::new();
    }
    let offset = |at: usize| {
        if is_wide {
            numbers.long(at.saturating_add(24))
        } else {
            u64::from(numbers.word(at.saturating_add(16)))
        }
    };
    let table = place(offset(header(usize::from(names))));
    let (mut has_symbols, mut has_debug) = (false, false);
    for index in 0..usize::from(count).min(HEADERS * 16) {
        let at = header(index);
        let name = table.saturating_add(numbers.word(at) as usize);
        has_symbols |= numbers.word(at.saturating_add(4)) == 2;
        has_debug |= super::kind::has(numbers.data, name, b".debug_info\0");
    }
    let debug = if has_debug { ", with debug_info" } else { "" };
    format!("{debug}, {}", if has_symbols { "not stripped" } else { "stripped" })
}

fn place(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
