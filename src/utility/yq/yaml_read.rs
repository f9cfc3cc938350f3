//! YAML into trees, a tree for each document, as yq's loader types it: scalars by the core schema of YAML 1.2, numbers as Python
//! reads them. An alias is the node that it names, no copy.

use super::tree::{self, Id, Node, Tree};
use crate::memory::{HashMap, String, Vec, format};
use crate::text::Text;
use crate::utility::base64::encode_whole;
use crate::utility::{Context, UtilityError};
use granit_parser::{Event, Parser, ScalarStyle, StructureStyle, Tag};

/// Collections inside each other.
const MOST_DEPTH: usize = 1000;
/// Bytes of a text that are read while others wait.
const SHORT: usize = 16 << 10;

/// A document and how long its text is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Document {
    pub(super) root: Id,
    pub(super) length: usize,
}

/// A finished value, and how it was written.
#[derive(Clone, Debug)]
struct Built {
    id: Id,
    style: Option<&'static str>,
    tag: Option<Text>,
}

/// A collection that is open.
struct Frame {
    anchor: usize,
    style: Option<&'static str>,
    tag: Option<Text>,
    kind: FrameKind,
}

enum FrameKind {
    List(Vec<Built>),
    Map { pairs: Vec<(Key, Built)>, key: Option<Key>, merged: Vec<(Text, Id)> },
}

#[derive(Clone, Debug)]
struct Key {
    text: Text,
    is_text: bool,
    is_merge: bool,
}

struct Loader<'t> {
    tree: &'t mut Tree,
    open: Vec<Frame>,
    anchors: HashMap<usize, Built>,
    /// Styles and tags become members of their own (`-Y`).
    annotates: bool,
    root: Option<Id>,
}

/// Reads a text. What was read before something is wrong is given with it.
pub(super) async fn read(
    ctx: &mut Context,
    text: &str,
    annotates: bool,
    tree: &mut Tree,
) -> Result<(Vec<Document>, Option<String>), UtilityError> {
    // A merge key brings the members of others in: a short text can have many.
    if text.len() > SHORT || text.contains("<<") {
        ctx.may_take_long().await;
    }
    read_now(ctx, text, annotates, tree)
}

fn read_now(
    ctx: &mut Context,
    text: &str,
    annotates: bool,
    tree: &mut Tree,
) -> Result<(Vec<Document>, Option<String>), UtilityError> {
    // The parser has a copy of a scalar at most.
    let mut charge = crate::limit::Meter::empty_charge(&ctx.meter);
    charge.set(text.len() as u64)?;
    let mut options = granit_parser::options! {
        flow_nesting_limit: MOST_DEPTH,
        block_nesting_limit: MOST_DEPTH,
    };
    options.set_emit_comments(false);
    let mut documents = Vec::new();
    let mut loader = Loader { tree, open: Vec::new(), anchors: HashMap::new(), annotates, root: None };
    let mut done = 0;
    for next in Parser::new_from_str_with_options(text, options) {
        ctx.tick_now()?;
        let (event, span) = match next {
            Ok(next) => next,
            Err(error) => {
                let (line, column) = (error.marker().line(), error.marker().col() + 1);
                let message = format!("ScannerError: {}\n  in line {line}, column {column}", error.info());
                return Ok((documents, Some(message)));
            }
        };
        if matches!(event, Event::DocumentEnd) {
            let end = span.end.byte_offset().unwrap_or(text.len());
            let root = loader.root.take().unwrap_or_else(|| loader.null());
            documents.push(Document { root, length: end.saturating_sub(done) });
            done = end;
            loader.anchors.clear();
            continue;
        }
        if let Err(message) = loader.take(event) {
            return Ok((documents, Some(message)));
        }
    }
    Ok((documents, None))
}

impl Loader<'_> {
    fn null(&mut self) -> Id {
        self.tree.add(Node::Literal(Text::from_static(b"null")))
    }

    fn take(&mut self, event: Event<'_>) -> Result<(), String> {
        match event {
            Event::Scalar(text, style, anchor, tag) => self.scalar(&text, style, anchor, tag.as_deref()),
            Event::SequenceStart(style, anchor, tag) => {
                self.open(style, anchor, tag.as_deref(), FrameKind::List(Vec::new()))
            }
            Event::MappingStart(style, anchor, tag) => {
                let kind = FrameKind::Map { pairs: Vec::new(), key: None, merged: Vec::new() };
                self.open(style, anchor, tag.as_deref(), kind)
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            Event::Alias(anchor) => {
                let known = self.anchors.get(&anchor).cloned();
                let built = known.ok_or("ConstructorError: found unconstructable recursive node")?;
                if !self.wants_key() {
                    return self.put(built);
                }
                match self.tree.get(built.id) {
                    Node::Text(text) => {
                        let key = Key { text: text.clone(), is_text: true, is_merge: false };
                        self.put_key(key);
                        Ok(())
                    }
                    Node::Literal(text) => {
                        let key = Key { text: text.clone(), is_text: false, is_merge: false };
                        self.put_key(key);
                        Ok(())
                    }
                    Node::List(_) | Node::Map(_) => Err(unhashable(self.tree.get(built.id))),
                }
            }
            _ => Ok(()),
        }
    }

    fn wants_key(&self) -> bool {
        matches!(self.open.last(), Some(Frame { kind: FrameKind::Map { key: None, .. }, .. }))
    }

    fn scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
    ) -> Result<(), String> {
        let is_plain = matches!(style, ScalarStyle::Plain);
        let node = resolve(text, is_plain, tag)?;
        let is_merge = is_plain && tag.is_none() && text == "<<";
        let key = self.wants_key().then(|| match &node {
            Node::Text(text) => Key { text: text.clone(), is_text: true, is_merge },
            Node::Literal(text) => Key { text: text.clone(), is_text: false, is_merge },
            Node::List(_) | Node::Map(_) => Key { text: Text::EMPTY, is_text: true, is_merge },
        });
        let style = match style {
            ScalarStyle::Plain => None,
            ScalarStyle::SingleQuoted => Some("'"),
            ScalarStyle::DoubleQuoted => Some("\""),
            ScalarStyle::Literal => Some("|"),
            ScalarStyle::Folded => Some(">"),
        };
        let built = Built { id: self.tree.add(node), style, tag: local(tag) };
        self.name(anchor, &built);
        match key {
            Some(key) => {
                self.put_key(key);
                Ok(())
            }
            None => self.put(built),
        }
    }

    fn open(
        &mut self,
        style: StructureStyle,
        anchor: usize,
        tag: Option<&Tag>,
        kind: FrameKind,
    ) -> Result<(), String> {
        if self.wants_key() {
            let node = if matches!(kind, FrameKind::List(_)) {
                Node::List(Vec::new())
            } else {
                Node::Map(Vec::new())
            };
            return Err(unhashable(&node));
        }
        let style = matches!(style, StructureStyle::Flow).then_some("flow");
        self.open.push(Frame { anchor, style, tag: local(tag), kind });
        Ok(())
    }

    fn close(&mut self) -> Result<(), String> {
        let Some(frame) = self.open.pop() else { return Ok(()) };
        let id = match frame.kind {
            FrameKind::List(items) => self.list(&items),
            FrameKind::Map { pairs, merged, .. } => self.map(merged, pairs),
        };
        let built = Built { id, style: frame.style, tag: frame.tag };
        self.name(frame.anchor, &built);
        self.put(built)
    }

    /// Keeps a value for aliases; anchor 0 is none.
    fn name(&mut self, anchor: usize, built: &Built) {
        if anchor != 0 {
            self.anchors.insert(anchor, built.clone());
        }
    }

    fn put_key(&mut self, new: Key) {
        if let Some(Frame { kind: FrameKind::Map { key, .. }, .. }) = self.open.last_mut() {
            *key = Some(new);
        }
    }

    fn put(&mut self, built: Built) -> Result<(), String> {
        let Some(frame) = self.open.last_mut() else {
            self.root = Some(built.id);
            return Ok(());
        };
        match &mut frame.kind {
            FrameKind::List(items) => items.push(built),
            FrameKind::Map { pairs, key, merged } => {
                let Some(key) = key.take() else { return Ok(()) };
                if !key.is_merge {
                    pairs.push((key, built));
                    return Ok(());
                }
                let sources = match self.tree.get(built.id) {
                    // Of several, the first counts most, and comes last.
                    Node::List(items) => items.iter().rev().copied().collect(),
                    _ => crate::memory::vec![built.id],
                };
                for source in sources {
                    let Some(members) = tree::members(self.tree, source) else {
                        return Err("ConstructorError: while constructing a mapping\nexpected a mapping or list of mappings for merging".into());
                    };
                    merged.extend(members);
                }
            }
        }
        Ok(())
    }

    fn list(&mut self, items: &[Built]) -> Id {
        let mut ids: Vec<Id> = items.iter().map(|item| item.id).collect();
        if self.annotates {
            for (index, item) in items.iter().enumerate() {
                if let Some(tag) = &item.tag {
                    ids.push(self.tree.add(Node::Text(Text::from(format!("__yq_tag_{index}_{tag}__")))));
                }
                if let Some(style) = item.style {
                    ids.push(self.tree.add(Node::Text(Text::from(format!("__yq_style_{index}_{style}__")))));
                }
            }
        }
        self.tree.add(Node::List(ids))
    }

    fn map(&mut self, merged: Vec<(Text, Id)>, own: Vec<(Key, Built)>) -> Id {
        let mut pairs = merged;
        for (key, built) in own {
            pairs.push((key.text.clone(), built.id));
            if !self.annotates || !key.is_text {
                continue;
            }
            let marks = [("tag", built.tag), ("style", built.style.map(Text::from))];
            for (kind, mark) in marks {
                if let Some(mark) = mark {
                    let name = mark_name(kind, &key.text);
                    pairs.push((name, self.tree.add(Node::Text(mark))));
                }
            }
        }
        self.tree.map(pairs)
    }
}

/// The name of the member that holds the style or tag of the member `key`.
fn mark_name(kind: &str, key: &[u8]) -> Text {
    let hash = key_hash(key);
    Text::from(format!("__yq_{kind}_{}__", bstr::BStr::new(&hash)))
}

/// What stands for a key in such a name.
pub(super) fn key_hash(key: &[u8]) -> Vec<u8> {
    use sha2::Digest as _;
    encode_whole(&sha2::Sha224::digest(key))
}

fn unhashable(node: &Node) -> String {
    let kind = if matches!(node, Node::List(_)) { "list" } else { "dict" };
    format!("TypeError: unhashable type: '{kind}'")
}

/// A tag that is the document's own.
fn local(tag: Option<&Tag>) -> Option<Text> {
    let original = tag?.original();
    (original.starts_with('!') && !original.starts_with("!!") && original.len() > 1)
        .then(|| Text::from(original.as_str()))
}

/// The value of a scalar.
fn resolve(text: &str, is_plain: bool, tag: Option<&Tag>) -> Result<Node, String> {
    let literal = |text: &'static str| Ok(Node::Literal(Text::from(text)));
    let string = || Ok(Node::Text(Text::from(text)));
    let core = tag.and_then(Tag::core_suffix);
    match (tag, core) {
        (Some(_), None) => return string(),
        (Some(_), Some("null")) => return literal("null"),
        (Some(_), Some("bool")) => {
            let is_true = ["yes", "true", "on"].iter().any(|word| text.eq_ignore_ascii_case(word));
            return literal(if is_true { "true" } else { "false" });
        }
        (Some(_), Some("int")) => return integer(text),
        (Some(_), Some("float")) => return float(text).map_or_else(string, Ok),
        (Some(_), Some(_)) => return string(),
        (None, _) => {}
    }
    if !is_plain {
        return string();
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return literal("null"),
        "true" | "True" | "TRUE" => return literal("true"),
        "false" | "False" | "FALSE" => return literal("false"),
        _ => {}
    }
    if !text.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '+' | '-' | '.')) {
        return string();
    }
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_whole = |text: &str, is: fn(&u8) -> bool| !text.is_empty() && text.as_bytes().iter().all(is);
    let is_octal = |byte: &u8| (b'0'..=b'7').contains(byte);
    if is_whole(digits, u8::is_ascii_digit)
        || text.strip_prefix("0o").is_some_and(|digits| is_whole(digits, is_octal))
        || text.strip_prefix("0x").is_some_and(|digits| is_whole(digits, u8::is_ascii_hexdigit))
    {
        return integer(text);
    }
    float(text).map_or_else(string, Ok)
}

/// A whole number: `0x` and a leading 0 name the base, as for Python's YAML.
fn integer(text: &str) -> Result<Node, String> {
    let mut plain = String::new();
    plain.extend(text.chars().filter(|&character| character != '_'));
    let (sign, digits) = match plain.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", plain.strip_prefix('+').unwrap_or(&plain)),
    };
    let (base, number) = match digits.as_bytes() {
        [b'0', b'x', ..] => (16, digits.get(2..).unwrap_or_default()),
        [b'0', b'b', ..] => (2, digits.get(2..).unwrap_or_default()),
        [b'0', b'o', ..] => (8, digits.get(2..).unwrap_or_default()),
        [b'0', _, ..] => (8, digits),
        _ => (10, digits),
    };
    if base == 10 && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) {
        return Ok(Node::Literal(Text::from(format!("{sign}{number}"))));
    }
    match u128::from_str_radix(number, base) {
        Ok(value) => Ok(Node::Literal(Text::from(format!("{sign}{value}")))),
        Err(_) => Err(format!("ValueError: invalid literal for int() with base {base}: '{digits}'")),
    }
}

fn float(text: &str) -> Option<Node> {
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    let node = |value: f64| Some(Node::Literal(tree::number(value)));
    match unsigned {
        ".inf" | ".Inf" | ".INF" => {
            return node(if text.starts_with('-') { f64::NEG_INFINITY } else { f64::INFINITY });
        }
        ".nan" | ".NaN" | ".NAN" => return node(f64::NAN),
        _ => {}
    }
    let is_number = unsigned.starts_with(|first: char| first.is_ascii_digit() || first == '.')
        && unsigned.bytes().any(|byte| byte.is_ascii_digit())
        && unsigned
            .bytes()
            .all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'e' | b'E' | b'+' | b'-'));
    if !is_number {
        return None;
    }
    text.parse().ok().and_then(node)
}
