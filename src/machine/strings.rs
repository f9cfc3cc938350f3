//! `bash -D`: prints the texts of `$"..."` in a script, which are those to be translated. Bash manual 3.1.2.5, 6.1.

use crate::memory::{Bytes, Vec};
use crate::syntax::{NoAliases, ParseOptions, Parser};
use crate::text::Text;

/// How the texts of `$"..."` are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strings {
    /// As they stand in the script.
    Plain,
    /// As a portable object file of `gettext` has them.
    Portable,
}

/// The texts of a script, in their order, up to an error of syntax: whoever runs the script tells of that.
pub(super) fn printed(script: &Bytes, name: &Text, form: Strings, depth: u64) -> Vec<u8> {
    let depth = u32::try_from(depth).unwrap_or(200).min(200);
    let options = ParseOptions { depth, extglob: true, ..ParseOptions::default() };
    let mut parser = Parser::new(script.clone(), 1);
    let mut out = Vec::new();
    loop {
        let command = parser.next_command(&options, &NoAliases);
        for (line, text) in parser.take_translatable() {
            match form {
                Strings::Plain => {
                    push(&mut out, &[b"\"", &text, b"\"\n"]);
                }
                Strings::Portable => {
                    use crate::memory::ToDecimal as _;
                    push(&mut out, &[b"#: ", name, b":", line.to_decimal().as_bytes(), b"\nmsgid "]);
                    message(&text, &mut out);
                    push(&mut out, &[b"\nmsgstr \"\"\n"]);
                }
            }
        }
        if !matches!(command, Ok(Some(_))) {
            return out;
        }
    }
}

/// A text of several lines begins with an empty one, and each has its newline as an escape.
fn message(text: &[u8], out: &mut Vec<u8>) {
    let mut lines = text.split(|&byte| byte == b'\n').peekable();
    if memchr::memchr(b'\n', text).is_some() {
        push(out, &[b"\"\"\n"]);
    }
    while let Some(line) = lines.next() {
        let end: &[u8] = if lines.peek().is_some() { b"\\n\"\n" } else { b"\"" };
        push(out, &[b"\"", line, end]);
    }
}

fn push(out: &mut Vec<u8>, pieces: &[&[u8]]) {
    for piece in pieces {
        out.extend_from_slice(piece);
    }
}
