//! Values as Python writes them (`repr`), which is what yq prints of a value that XML has no form for.

use super::tree::{Id, Node, Tree};
use crate::memory::{Vec, format};
use crate::text::Text;
use crate::utility::{Context, UtilityError};

/// A value as Python writes it; what is open is on a stack of its own.
pub(super) async fn write(ctx: &mut Context, tree: &Tree, root: Id) -> Result<Text, UtilityError> {
    let mut out = Vec::new();
    let mut open: Vec<(Id, usize)> = Vec::new();
    let mut next = Some(root);
    loop {
        ctx.tick().await?;
        if let Some(id) = next.take() {
            match tree.get(id) {
                Node::Text(text) => quoted(text, &mut out),
                Node::Literal(text) => out.extend_from_slice(match text.as_bytes() {
                    b"null" => b"None",
                    b"true" => b"True",
                    b"false" => b"False",
                    number => number,
                }),
                Node::List(_) => {
                    out.push(b'[');
                    open.push((id, 0));
                }
                Node::Map(_) => {
                    out.push(b'{');
                    open.push((id, 0));
                }
            }
        }
        let Some((id, place)) = open.last_mut() else { return Ok(Text::from(out)) };
        let at = *place;
        *place += 1;
        let separator: &[u8] = if at == 0 { b"" } else { b", " };
        match tree.get(*id) {
            Node::List(items) => match items.get(at) {
                Some(&item) => {
                    out.extend_from_slice(separator);
                    next = Some(item);
                }
                None => {
                    out.push(b']');
                    open.pop();
                }
            },
            Node::Map(members) => match members.get(at) {
                Some((name, item)) => {
                    out.extend_from_slice(separator);
                    quoted(name, &mut out);
                    out.extend_from_slice(b": ");
                    next = Some(*item);
                }
                None => {
                    out.push(b'}');
                    open.pop();
                }
            },
            Node::Text(_) | Node::Literal(_) => {
                open.pop();
            }
        }
    }
}

/// A string in single quotes, or in double ones where it holds single ones alone.
fn quoted(text: &[u8], out: &mut Vec<u8>) {
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
