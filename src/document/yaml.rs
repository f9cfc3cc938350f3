//! YAML with places: the same tree as JSON gives, from the events of `granit-parser`.
//!
//! 1. The text must be UTF-8 of at most [`MOST_BYTES`]; a byte order mark is skipped.
//! 2. Events build the tree on a stack of open collections, at most [`MOST_DEPTH`] of them.
//! 3. Plain scalars get their type by the core schema of YAML 1.2 (`scalar.rs`), all others are strings; a core tag
//!    (`!!str`, `!!int`, …) overrules that, and an unknown tag is an error.
//! 4. An alias is a copy of the anchor's value. All copies of a text together have a bound that goes by its length, and
//!    they count for the depth, so no chain of aliases can grow.
//! 5. Where a mapping closes, the members of its merge key (`<<`) join it where the key stood: those of the mapping itself
//!    win, then those of the earlier source.
//!
//! Offsets are those of the file: a value's first byte (the quote, the first line of a block scalar, the first key of a block
//! mapping); a copy has the place of its alias, and what is inside it the place where that was written.
//! One text is one document; a key must be a scalar other than null and is taken as written; a key twice in a mapping is an error.

use super::scalar::{self, Type};
use super::{BYTE_ORDER_MARK, ConfigProblem, Member, Node, NodeKind, Source};
use granit_parser::{Event, Parser, ScalarStyle, ScanError, Tag};
use rustc_hash::{FxHashMap, FxHashSet};
use std::mem::size_of;

/// Bytes of a text.
const MOST_BYTES: usize = 4 << 20;
/// Collections inside each other, as in JSON.
const MOST_DEPTH: usize = 128;
/// Memory of all copies that aliases make, in bytes: for each byte of the text, and at most; a short text may have a little
/// more.
const COPIED_PER_BYTE: usize = 16;
const MOST_COPIED: usize = 16 << 20;
const LEAST_COPIED: usize = 128 << 10;
/// Memory of a node beside its text, in bytes.
const NODE_BYTES: usize = size_of::<Member>();

impl Source<'_> {
    /// The text as YAML; the problem's message starts with `prefix`. An empty text is `null`.
    ///
    /// # Errors
    /// Malformed text, more than one document, a bound exceeded, or something that the tree has no form for (a key that is
    /// no scalar, a number without end); the problem has line and column.
    pub fn yaml(&self, prefix: &str) -> Result<Node, ConfigProblem> {
        read(self.text).map_err(|fault| self.problem(Some(fault.at), format!("{prefix}{}", fault.message)))
    }

    /// The text as JSON if its name ends in `.json` or it opens with a brace or a bracket, else as YAML. YAML takes much of what
    /// is wrong in JSON for something else: what follows `//` would be part of a name, and the hooks below it gone. A file whose
    /// name ends in `.yaml` or `.yml` may open with a brace and be YAML all the same.
    ///
    /// # Errors
    /// As [`Self::json`] and [`Self::yaml`].
    pub fn json_or_yaml(&self, prefix: &str) -> Result<Node, ConfigProblem> {
        let is_named = |ends: &[&str]| {
            let extension = self.name.rsplit_once('.').map_or("", |(_, extension)| extension);
            ends.iter().any(|end| extension.eq_ignore_ascii_case(end))
        };
        let first = self.text.iter().find(|byte| !byte.is_ascii_whitespace());
        let is_braced = matches!(first, Some(b'{' | b'['));
        if is_braced && is_named(&["yaml", "yml"]) {
            self.json(prefix).or_else(|problem| self.yaml(prefix).map_err(|_| problem))
        } else if is_braced || is_named(&["json"]) {
            self.json(prefix)
        } else {
            self.yaml(prefix)
        }
    }
}

/// What is wrong, and at which byte.
#[derive(Debug)]
struct Fault {
    at: usize,
    message: String,
}

impl Fault {
    fn new(at: usize, message: impl Into<String>) -> Self {
        Self { at, message: message.into() }
    }
}

fn read(bytes: &[u8]) -> Result<Node, Fault> {
    if bytes.len() > MOST_BYTES {
        return Err(Fault::new(0, format!("the text is longer than {MOST_BYTES} bytes")));
    }
    let base = if bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    let text = std::str::from_utf8(bytes.get(base..).unwrap_or_default())
        .map_err(|error| Fault::new(base.saturating_add(error.valid_up_to()), "invalid UTF-8"))?;
    let mut options = granit_parser::options! {
        flow_nesting_limit: MOST_DEPTH,
        block_nesting_limit: MOST_DEPTH,
    };
    options.set_emit_comments(false);
    let allowed = bytes.len().saturating_mul(COPIED_PER_BYTE).clamp(LEAST_COPIED, MOST_COPIED);
    let mut builder = Builder { allowed, ..Builder::default() };
    for next in Parser::new_from_str_with_options(text, options) {
        let (event, span) = next.map_err(|error| syntax(text, base, &error))?;
        let at = offset(text, &span.start).saturating_add(base);
        builder.take(event, at)?;
    }
    Ok(builder.root.unwrap_or(Node { at: Some(0), kind: NodeKind::Null }))
}

/// The parser's marker in bytes; markers of a borrowed text know theirs.
fn offset(text: &str, marker: &granit_parser::Marker) -> usize {
    marker
        .byte_offset()
        .unwrap_or_else(|| text.char_indices().nth(marker.index()).map_or(text.len(), |(offset, _)| offset))
}

fn syntax(text: &str, base: usize, error: &ScanError) -> Fault {
    Fault::new(offset(text, error.marker()).saturating_add(base), error.info())
}

/// A finished value.
#[derive(Clone)]
struct Built {
    node: Node,
    /// Memory of a copy.
    bytes: usize,
    /// Collections inside each other, itself too.
    height: usize,
}

/// An open collection.
struct Frame {
    at: usize,
    anchor: usize,
    bytes: usize,
    height: usize,
    kind: FrameKind,
}

enum FrameKind {
    Sequence(Vec<Node>),
    Mapping(Mapping),
}

#[derive(Default)]
struct Mapping {
    members: Vec<Member>,
    names: FxHashSet<String>,
    /// The key whose value comes next.
    key: Option<Key>,
    /// Values of the merge key, and before which member they stand.
    merge: Option<(usize, Vec<Node>)>,
}

struct Key {
    name: String,
    at: usize,
    is_merge: bool,
}

#[derive(Default)]
struct Builder {
    stack: Vec<Frame>,
    anchors: FxHashMap<usize, Built>,
    copied: usize,
    /// Memory that copies may take.
    allowed: usize,
    documents: usize,
    root: Option<Node>,
}

impl Builder {
    fn take(&mut self, event: Event<'_>, at: usize) -> Result<(), Fault> {
        match event {
            Event::DocumentStart(..) => {
                self.documents = self.documents.saturating_add(1);
                if self.documents > 1 {
                    return Err(Fault::new(at, "more than one document"));
                }
                Ok(())
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.scalar(text.into_owned(), style, anchor, tag.as_deref(), at)
            }
            Event::SequenceStart(_, anchor, tag) => {
                check_tag(tag.as_deref(), "seq", at)?;
                self.open(at, anchor, FrameKind::Sequence(Vec::new()))
            }
            Event::MappingStart(_, anchor, tag) => {
                check_tag(tag.as_deref(), "map", at)?;
                self.open(at, anchor, FrameKind::Mapping(Mapping::default()))
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            Event::Alias(anchor) => self.alias(anchor, at),
            _ => Ok(()),
        }
    }

    fn scalar(
        &mut self,
        text: String,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        at: usize,
    ) -> Result<(), Fault> {
        let is_plain = matches!(style, ScalarStyle::Plain);
        let is_merge = text == "<<" && (is_plain && tag.is_none() || tag.is_some_and(is_merge_tag));
        let bytes = NODE_BYTES.saturating_add(text.len());
        let key = self.wants_key().then(|| Key { name: text.clone(), at, is_merge });
        let kind = if is_merge && key.is_some() {
            NodeKind::String(text)
        } else {
            let wanted = wanted_type(is_plain, tag).ok_or_else(|| unknown_tag(tag, at))?;
            scalar::resolve(text, wanted).map_err(|message| Fault::new(at, message))?
        };
        if key.is_some() && matches!(kind, NodeKind::Null) {
            return Err(Fault::new(at, "a key must not be null or empty"));
        }
        let built = Built { node: Node { at: Some(at), kind }, bytes, height: 0 };
        self.anchor(anchor, &built)?;
        match key {
            Some(key) => self.key(key),
            None => self.put(built),
        }
    }

    fn alias(&mut self, anchor: usize, at: usize) -> Result<(), Fault> {
        let Some(known) = self.anchors.get(&anchor) else {
            return Err(Fault::new(at, "an alias inside the value that it names"));
        };
        self.copied = self.copied.saturating_add(known.bytes);
        if self.copied > self.allowed {
            return Err(Fault::new(at, format!("aliases copy more than {} bytes", self.allowed)));
        }
        if self.stack.len().saturating_add(known.height) > MOST_DEPTH {
            return Err(too_deep(at));
        }
        let mut built = known.clone();
        built.node.at = Some(at);
        if !self.wants_key() {
            return self.put(built);
        }
        let name = match built.node.kind {
            NodeKind::String(text) => text,
            NodeKind::Array(_) | NodeKind::Object(_) => return Err(no_scalar_key(at)),
            _ => built.node.to_value().to_string(),
        };
        self.key(Key { name, at, is_merge: false })
    }

    fn open(&mut self, at: usize, anchor: usize, kind: FrameKind) -> Result<(), Fault> {
        if self.wants_key() {
            return Err(no_scalar_key(at));
        }
        if self.stack.len() >= MOST_DEPTH {
            return Err(too_deep(at));
        }
        self.stack.push(Frame { at, anchor, bytes: NODE_BYTES, height: 0, kind });
        Ok(())
    }

    fn close(&mut self) -> Result<(), Fault> {
        let Some(frame) = self.stack.pop() else { return Ok(()) };
        let kind = match frame.kind {
            FrameKind::Sequence(items) => NodeKind::Array(items),
            FrameKind::Mapping(mapping) => NodeKind::Object(mapping.close()),
        };
        let node = Node { at: Some(frame.at), kind };
        let built = Built { node, bytes: frame.bytes, height: frame.height.saturating_add(1) };
        self.anchor(frame.anchor, &built)?;
        self.put(built)
    }

    /// Keeps a copy for aliases; anchor 0 is none.
    fn anchor(&mut self, anchor: usize, built: &Built) -> Result<(), Fault> {
        if anchor == 0 {
            return Ok(());
        }
        self.copied = self.copied.saturating_add(built.bytes);
        if self.copied > self.allowed {
            let at = built.node.at.unwrap_or_default();
            return Err(Fault::new(at, format!("anchors and aliases copy more than {} bytes", self.allowed)));
        }
        self.anchors.insert(anchor, built.clone());
        Ok(())
    }

    fn wants_key(&self) -> bool {
        matches!(self.stack.last(), Some(Frame { kind: FrameKind::Mapping(Mapping { key: None, .. }), .. }))
    }

    fn key(&mut self, key: Key) -> Result<(), Fault> {
        let Some(Frame { kind: FrameKind::Mapping(mapping), bytes, .. }) = self.stack.last_mut() else {
            return Ok(());
        };
        let is_new =
            if key.is_merge { mapping.merge.is_none() } else { mapping.names.insert(key.name.clone()) };
        if !is_new {
            return Err(Fault::new(
                key.at,
                format!("duplicate key `{}`", crate::visible::cut(&key.name, 120)),
            ));
        }
        *bytes = bytes.saturating_add(key.name.len());
        mapping.key = Some(key);
        Ok(())
    }

    fn put(&mut self, built: Built) -> Result<(), Fault> {
        let Some(frame) = self.stack.last_mut() else {
            self.root = Some(built.node);
            return Ok(());
        };
        frame.bytes = frame.bytes.saturating_add(built.bytes);
        frame.height = frame.height.max(built.height);
        match &mut frame.kind {
            FrameKind::Sequence(items) => items.push(built.node),
            FrameKind::Mapping(mapping) => mapping.put(built.node)?,
        }
        Ok(())
    }
}

impl Mapping {
    fn put(&mut self, value: Node) -> Result<(), Fault> {
        let Some(key) = self.key.take() else { return Ok(()) };
        if !key.is_merge {
            self.members.push(Member { name: key.name, at: Some(key.at), value });
            return Ok(());
        }
        let at = value.at.unwrap_or(key.at);
        let sources = match value.kind {
            NodeKind::Array(items) => items,
            kind => vec![Node { at: value.at, kind }],
        };
        if !sources.iter().all(Node::is_object) {
            return Err(Fault::new(at, "the value of a merge key must be a mapping or a list of mappings"));
        }
        self.merge = Some((self.members.len(), sources));
        Ok(())
    }

    fn close(mut self) -> Vec<Member> {
        let Some((place, sources)) = self.merge else { return self.members };
        let mut merged = Vec::new();
        for source in sources {
            let NodeKind::Object(members) = source.kind else { continue };
            merged.extend(members.into_iter().filter(|member| self.names.insert(member.name.clone())));
        }
        let place = place.min(self.members.len());
        self.members.splice(place..place, merged);
        self.members
    }
}

fn too_deep(at: usize) -> Fault {
    Fault::new(at, format!("collections are nested more than {MOST_DEPTH} levels deep"))
}

fn no_scalar_key(at: usize) -> Fault {
    Fault::new(at, "a key must be a scalar")
}

fn is_merge_tag(tag: &Tag) -> bool {
    tag.suffix_in_namespace("tag:yaml.org,2002:").is_some_and(|name| name == "merge")
}

/// The type that style and tag ask for; `None` when the tag is not known.
fn wanted_type(is_plain: bool, tag: Option<&Tag>) -> Option<Type> {
    let Some(tag) = tag else { return Some(if is_plain { Type::Any } else { Type::String }) };
    if tag.parts() == ("", "!") || tag.parts() == ("!", "") {
        return Some(Type::String);
    }
    match tag.core_suffix()? {
        "str" => Some(Type::String),
        "null" => Some(Type::Null),
        "bool" => Some(Type::Bool),
        "int" => Some(Type::Integer),
        "float" => Some(Type::Float),
        _ => None,
    }
}

fn check_tag(tag: Option<&Tag>, wanted: &str, at: usize) -> Result<(), Fault> {
    let known = tag.is_none_or(|tag| {
        tag.parts() == ("", "!") || tag.parts() == ("!", "") || tag.is_yaml_core_schema_tag(wanted)
    });
    if known { Ok(()) } else { Err(unknown_tag(tag, at)) }
}

fn unknown_tag(tag: Option<&Tag>, at: usize) -> Fault {
    let tag = tag.map(Tag::original).unwrap_or_default();
    Fault::new(at, format!("tag `{}` is not supported here", crate::visible::cut(&tag, 120)))
}

#[cfg(test)]
mod tests;
