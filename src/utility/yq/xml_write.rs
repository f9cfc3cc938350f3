//! Trees as XML, each element on a line of its own.

use super::python;
use super::tree::{Id, Node, Tree};
use crate::memory::{ToMetered as _, Vec};
use crate::text::Text;
use crate::utility::{Context, UtilityError};

/// What is left to be written.
enum Step {
    /// Elements of a name: one, or one for each item of a list.
    Elements(Text, Id, usize),
    Element(Text, Id, usize),
    /// The text of an element with others in it, and its end.
    End(Text, Option<Text>, usize),
}

/// Writes the members of a mapping as elements.
pub(super) async fn write(
    ctx: &mut Context,
    tree: &Tree,
    members: &[(Text, Id)],
    out: &mut Vec<u8>,
) -> Result<(), UtilityError> {
    let mut steps: Vec<Step> =
        members.iter().rev().map(|(name, id)| Step::Elements(name.clone(), *id, 0)).collect();
    while let Some(step) = steps.pop() {
        ctx.tick().await?;
        match step {
            Step::Elements(name, id, depth) => match tree.get(id) {
                Node::List(items) => {
                    let items = items.iter().rev();
                    steps.extend(items.map(|&item| Step::Element(name.clone(), item, depth)));
                }
                _ => steps.push(Step::Element(name, id, depth)),
            },
            Step::Element(name, id, depth) => element(ctx, tree, &mut steps, (name, id, depth), out).await?,
            Step::End(name, text, depth) => {
                escape(&text.unwrap_or_default(), out);
                out.resize(out.len() + 2 * depth, b' ');
                end(&name, depth, out);
            }
        }
    }
    Ok(())
}

async fn element(
    ctx: &mut Context,
    tree: &Tree,
    steps: &mut Vec<Step>,
    (name, id, depth): (Text, Id, usize),
    out: &mut Vec<u8>,
) -> Result<(), UtilityError> {
    out.resize(out.len() + 2 * depth, b' ');
    out.push(b'<');
    out.extend_from_slice(&name);
    let mut text = None;
    let mut children = Vec::new();
    match tree.get(id) {
        Node::Map(members) => {
            for (key, value) in members {
                if key.as_bytes() == b"#text" {
                    text = Some(content(ctx, tree, *value).await?);
                } else if let Some(attribute) = key.strip_prefix(b"@") {
                    out.push(b' ');
                    out.extend_from_slice(attribute);
                    out.push(b'=');
                    quoted(&attribute_value(ctx, tree, *value).await?, out);
                } else {
                    children.push((key.clone(), *value));
                }
            }
        }
        Node::Text(_) | Node::Literal(_) | Node::List(_) => text = Some(content(ctx, tree, id).await?),
    }
    out.push(b'>');
    if children.is_empty() {
        escape(&text.unwrap_or_default(), out);
        end(&name, depth, out);
        return Ok(());
    }
    out.push(b'\n');
    steps.push(Step::End(name, text, depth));
    let children = children.into_iter().rev();
    steps.extend(children.map(|(key, value)| Step::Elements(key, value, depth + 1)));
    Ok(())
}

fn end(name: &[u8], depth: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(b"</");
    out.extend_from_slice(name);
    out.extend_from_slice(if depth > 0 { b">\n" } else { b">" });
}

/// The text of an element; null is none, and a list in a list is written as Python writes it.
async fn content(ctx: &mut Context, tree: &Tree, id: Id) -> Result<Text, UtilityError> {
    Ok(match tree.get(id) {
        Node::Text(text) => text.clone(),
        Node::Literal(text) if text.as_bytes() == b"null" => Text::EMPTY,
        Node::Literal(text) => text.clone(),
        Node::List(_) | Node::Map(_) => python::write(ctx, tree, id).await?,
    })
}

/// The value of an attribute: what is not a string is written as Python writes it.
async fn attribute_value(ctx: &mut Context, tree: &Tree, id: Id) -> Result<Text, UtilityError> {
    match tree.get(id) {
        Node::Text(text) => Ok(text.clone()),
        _ => python::write(ctx, tree, id).await,
    }
}

fn escape(text: &[u8], out: &mut Vec<u8>) {
    for &byte in text {
        match byte {
            b'&' => out.extend_from_slice(b"&amp;"),
            b'<' => out.extend_from_slice(b"&lt;"),
            b'>' => out.extend_from_slice(b"&gt;"),
            _ => out.push(byte),
        }
    }
}

/// An attribute's value, in the quotes that it does not hold.
fn quoted(text: &[u8], out: &mut Vec<u8>) {
    let has_double = text.contains(&b'"');
    let has_single = text.contains(&b'\'');
    let quote = if has_double && !has_single { b'\'' } else { b'"' };
    let mut escaped = Vec::new();
    escape(text, &mut escaped);
    out.push(quote);
    for byte in escaped.as_slice().to_metered() {
        match byte {
            b'\n' => out.extend_from_slice(b"&#10;"),
            b'\r' => out.extend_from_slice(b"&#13;"),
            b'\t' => out.extend_from_slice(b"&#9;"),
            b'"' if quote == b'"' => out.extend_from_slice(b"&quot;"),
            _ => out.push(byte),
        }
    }
    out.push(quote);
}
