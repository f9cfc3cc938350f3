//! Trees as TOML, as the library that yq uses writes it: values of a table first, then lists of tables; tables by their depth.

use super::tree::{Id, Node, Tree};
use crate::memory::{JoinMetered as _, ToMetered as _, Vec, format};
use crate::text::Text;
use crate::utility::{Context, UtilityError};

/// A table, and its name in a header; empty for the whole.
struct Table {
    id: Id,
    path: Vec<u8>,
}

/// What is still to be written.
enum Pending {
    /// The values of a table and its lists of tables.
    Body(Table),
    /// An item of a list of tables, with the tables below it.
    Item(Table),
    /// A table with its header; `true`: it is one of the whole, and not of an item.
    Section(Table, bool),
    /// Tables of one depth, and after them those of the next one.
    Level(Vec<Table>, bool),
    BlankLine,
}

/// Writes a mapping: the tables of one depth come before those below them.
pub(super) async fn write(
    ctx: &mut Context,
    tree: &Tree,
    root: Id,
    out: &mut Vec<u8>,
) -> Result<(), UtilityError> {
    let root = Table { id: root, path: Vec::new() };
    let mut pending: Vec<Pending> = Vec::new();
    pending.push(Pending::Level(root.tables(tree), true));
    pending.push(Pending::Body(root));
    while let Some(next) = pending.pop() {
        ctx.tick().await?;
        match next {
            Pending::BlankLine => out.push(b'\n'),
            Pending::Body(table) => {
                table.values(ctx, tree, out).await?;
                pending.extend(table.items(tree).into_iter().rev().map(Pending::Item));
            }
            Pending::Item(item) => {
                out.extend_from_slice(&[b"[[".as_slice(), &item.path, b"]]\n"].concat_metered());
                pending.push(Pending::Level(item.tables(tree), false));
                // The blank line comes after the values, or before the next header.
                let parts = [Pending::BlankLine, Pending::Body(item)];
                let has_values = matches!(&parts[1], Pending::Body(item) if item.has_values(tree));
                let [blank, body] = parts;
                pending.extend(if has_values { [blank, body] } else { [body, blank] });
            }
            Pending::Section(table, of_whole) => {
                let is_empty = !table.has_values(tree) && table.items(tree).is_empty();
                let has_header = !is_empty || of_whole && table.tables(tree).is_empty();
                if has_header {
                    if of_whole && !out.is_empty() && !out.ends_with(b"\n\n") {
                        out.push(b'\n');
                    }
                    out.extend_from_slice(&[b"[".as_slice(), &table.path, b"]\n"].concat_metered());
                }
                pending.push(Pending::Body(table));
            }
            Pending::Level(level, of_whole) => {
                let mut below = Vec::new();
                for table in &level {
                    ctx.tick().await?;
                    below.extend(table.tables(tree));
                }
                if !below.is_empty() {
                    pending.push(Pending::Level(below, of_whole));
                }
                pending.extend(level.into_iter().rev().map(|table| Pending::Section(table, of_whole)));
            }
        }
    }
    Ok(())
}

impl Table {
    fn members<'t>(&self, tree: &'t Tree) -> &'t [(Text, Id)] {
        match tree.get(self.id) {
            Node::Map(members) => members,
            _ => &[],
        }
    }

    fn below(&self, name: &Text, id: Id) -> Self {
        let path = if self.path.is_empty() {
            key(name)
        } else {
            [self.path.as_slice(), b".", &key(name)].concat_metered()
        };
        Self { id, path }
    }

    /// The tables in it.
    fn tables(&self, tree: &Tree) -> Vec<Self> {
        let tables = self.members(tree).iter().filter(|(_, id)| matches!(tree.get(*id), Node::Map(_)));
        tables.map(|(name, id)| self.below(name, *id)).collect()
    }

    /// The items of its lists of tables.
    fn items(&self, tree: &Tree) -> Vec<Self> {
        let mut all = Vec::new();
        for (name, id) in self.members(tree) {
            if let Node::List(items) = tree.get(*id)
                && is_list_of_tables(tree, items)
            {
                all.extend(items.iter().map(|item| self.below(name, *item)));
            }
        }
        all
    }

    fn has_values(&self, tree: &Tree) -> bool {
        self.members(tree).iter().any(|(_, id)| is_value(tree, *id))
    }

    /// Writes a line for each value.
    async fn values(&self, ctx: &mut Context, tree: &Tree, out: &mut Vec<u8>) -> Result<(), UtilityError> {
        for (name, id) in self.members(tree).iter().filter(|(_, id)| is_value(tree, *id)) {
            out.extend_from_slice(&key(name));
            out.extend_from_slice(b" = ");
            value(ctx, tree, *id, out).await?;
            out.push(b'\n');
        }
        Ok(())
    }
}

/// Whether something stands in a line of its table. What is null stands nowhere.
fn is_value(tree: &Tree, id: Id) -> bool {
    match tree.get(id) {
        Node::Literal(text) => text.as_bytes() != b"null",
        Node::Map(_) => false,
        Node::List(items) => !is_list_of_tables(tree, items),
        Node::Text(_) => true,
    }
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
