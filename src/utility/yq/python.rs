//! Values as Python writes them (`repr`), which is what yq prints of a value that XML has no form for.

use super::tree::{Id, Notation, Tree, Unwritten};
use crate::memory::{Vec, format};
use crate::text::Text;
use crate::utility::{Context, UtilityError};

const PYTHON: Notation = Notation { text: quoted, literal };

/// A value as Python writes it.
pub(super) async fn write(ctx: &mut Context, tree: &Tree, root: Id) -> Result<Text, UtilityError> {
    let mut out = Vec::new();
    match tree.write(ctx, &PYTHON, (root, usize::MAX), &mut out).await {
        // Nothing is longer than the greatest number.
        Ok(()) | Err(Unwritten::Expansion) => Ok(Text::from(out)),
        Err(Unwritten::End(error)) => Err(error),
    }
}

fn literal(text: &[u8]) -> &[u8] {
    match text {
        b"null" => b"None",
        b"true" => b"True",
        b"false" => b"False",
        number => number,
    }
}

/// A string in single quotes, or in double ones where it holds single ones alone.
fn quoted(out: &mut Vec<u8>, text: &[u8]) {
    let quote = if text.contains(&b'\'') && !text.contains(&b'"') { b'"' } else { b'\'' };
    out.push(quote);
    for &byte in text {
        match byte {
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0..0x20 | 0x7f => out.extend_from_slice(format!("\\x{byte:02x}").as_bytes()),
            _ if byte == quote => out.extend_from_slice(&[b'\\', byte]),
            _ => out.push(byte),
        }
    }
    out.push(quote);
}
