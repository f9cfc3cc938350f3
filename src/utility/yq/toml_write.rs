//! Trees as TOML, as the library that yq uses writes it: values of a table first, then lists of tables, then tables.

use super::tree::{Id, Node, Tree};
use crate::memory::{JoinMetered as _, ToMetered as _, Vec, format};
use crate::text::Text;
use crate::utility::{Context, UtilityError};

/// A table that is to be written.
struct Pending {
    id: Id,
    /// Its name in a header; empty for the whole.
    path: Vec<u8>,
    is_item: bool,
}

/// Writes a mapping.
pub(super) async fn write(
    ctx: &mut Context,
    tree: &Tree,
    root: Id,
    out: &mut Vec<u8>,
) -> Result<(), UtilityError> {
    let mut pending = crate::memory::vec![Pending { id: root, path: Vec::new(), is_item: false }];
    while let Some(table) = pending.pop() {
        ctx.tick().await?;
        let Node::Map(members) = tree.get(table.id) else { continue };
        let mut values = Vec::new();
        let (mut lists, mut tables) = (Vec::new(), Vec::new());
        for (name, id) in members {
            match tree.get(*id) {
                Node::Literal(text) if text.as_bytes() == b"null" => {}
                Node::Map(_) => tables.push((name, *id)),
                Node::List(items) if is_list_of_tables(tree, items) => {
                    lists.extend(items.iter().map(|&item| (name, item)));
                }
                _ => {
                    values.extend_from_slice(&key(name));
                    values.extend_from_slice(b" = ");
                    value(ctx, tree, *id, &mut values).await?;
                    values.push(b'\n');
                }
            }
        }
        let holds_more = !lists.is_empty() || !tables.is_empty();
        if table.is_item {
            out.extend_from_slice(&[b"[[".as_slice(), &table.path, b"]]\n"].concat_metered());
        } else if !table.path.is_empty() && (!values.is_empty() || !lists.is_empty() || !holds_more) {
            out.extend_from_slice(&[b"[".as_slice(), &table.path, b"]\n"].concat_metered());
        }
        let is_silent = if table.is_item {
            !values.is_empty() && !lists.is_empty()
        } else {
            // No blank line stands before a list of tables.
            !lists.is_empty() || (values.is_empty() && (holds_more || table.path.is_empty()))
        };
        out.extend_from_slice(&values);
        out.extend_from_slice(if is_silent { b"" } else { b"\n" });
        let path = |name: &Text| {
            if table.path.is_empty() {
                key(name)
            } else {
                [table.path.as_slice(), b".", &key(name)].concat_metered()
            }
        };
        for (name, id) in tables.into_iter().rev() {
            pending.push(Pending { id, path: path(name), is_item: false });
        }
        for (name, id) in lists.into_iter().rev() {
            pending.push(Pending { id, path: path(name), is_item: true });
        }
    }
    while out.ends_with(b"\n\n") {
        out.pop();
    }
    Ok(())
}

fn is_list_of_tables(tree: &Tree, items: &[Id]) -> bool {
    !items.is_empty() && items.iter().all(|&item| matches!(tree.get(item), Node::Map(_)))
}

fn key(name: &Text) -> Vec<u8> {
    let is_bare =
        !name.is_empty() && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(byte));
    if is_bare { name.as_bytes().to_metered() } else { quoted(name) }
}

fn quoted(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    out.push(b'"');
    for &byte in text {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\t' => out.extend_from_slice(b"\\t"),
            b'\r' => out.extend_from_slice(b"\\r"),
            8 => out.extend_from_slice(b"\\b"),
            12 => out.extend_from_slice(b"\\f"),
            0..0x20 | 0x7f => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            _ => out.push(byte),
        }
    }
    out.push(b'"');
    out
}

/// A value in a line; what is open is on a stack of its own.
async fn value(ctx: &mut Context, tree: &Tree, id: Id, out: &mut Vec<u8>) -> Result<(), UtilityError> {
    let mut open: Vec<(Id, usize)> = Vec::new();
    let mut next = Some(id);
    loop {
        ctx.tick().await?;
        if let Some(id) = next.take() {
            match tree.get(id) {
                Node::Text(text) => out.extend_from_slice(&quoted(text)),
                Node::Literal(text) => out.extend_from_slice(text),
                Node::List(items) => {
                    out.extend_from_slice(if items.is_empty() { b"[" } else { b"[ " });
                    open.push((id, 0));
                }
                Node::Map(_) => {
                    out.extend_from_slice(b"{ ");
                    open.push((id, 0));
                }
            }
        }
        let Some((id, place)) = open.last_mut() else { return Ok(()) };
        let at = *place;
        *place += 1;
        match tree.get(*id) {
            Node::List(items) => match items.get(at) {
                Some(&item) => {
                    out.extend_from_slice(if at == 0 { b"" } else { b", " });
                    next = Some(item);
                }
                None => {
                    out.extend_from_slice(if items.is_empty() { b"]" } else { b",]" });
                    open.pop();
                }
            },
            Node::Map(members) => match members.get(at) {
                Some((name, item)) => {
                    out.extend_from_slice(if at == 0 { b"" } else { b", " });
                    out.extend_from_slice(&key(name));
                    out.extend_from_slice(b" = ");
                    next = Some(*item);
                }
                None => {
                    out.extend_from_slice(b" }");
                    open.pop();
                }
            },
            Node::Text(_) | Node::Literal(_) => {
                open.pop();
            }
        }
    }
}
