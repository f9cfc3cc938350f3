//! Trees as YAML, in blocks, as `PyYAML` writes what yq hands to it: which mappings and lists are compact, how lines are indented
//! and where documents begin. How scalars look is in `yaml_scalar.rs`. The walk keeps its own stack.

use super::tree::{Id, Node, Tree};
use super::yaml_read::key_hash;
use super::yaml_scalar::{Style, analyze};
use crate::memory::{HashMap, ToMetered as _, Vec};
use crate::text::Text;
use crate::utility::{Context, UtilityError};

/// How the output looks.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    /// Columns after which scalars are broken at blanks.
    pub(super) width: usize,
    /// Columns that what is inside stands further in.
    pub(super) indent: usize,
    /// Lists in mappings are not indented.
    pub(super) indentless: bool,
    /// `yes`, dates and their like are texts without quotes.
    pub(super) core_schema: bool,
    pub(super) explicit_start: bool,
    pub(super) explicit_end: bool,
    /// Members that tell styles and tags become those (`-Y`).
    pub(super) annotated: bool,
    /// A text that would be read as something else stands in double quotes.
    pub(super) doubles_quotes: bool,
}

impl Default for Layout {
    fn default() -> Self {
        Self {
            width: 80,
            indent: 2,
            indentless: false,
            core_schema: false,
            explicit_start: false,
            explicit_end: false,
            annotated: false,
            doubles_quotes: false,
        }
    }
}

/// Where a node stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
    Root,
    Item,
    Value,
    Key,
}

/// How a node is to look.
#[derive(Clone, Debug, Default)]
struct Look {
    style: Option<Text>,
    tag: Option<Text>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Block,
    Flow,
}

/// A collection that is being written.
struct Frame {
    children: Vec<(Option<Text>, Id, Look)>,
    next: usize,
    is_map: bool,
    shape: Shape,
    /// The indentation around it.
    outer: Option<usize>,
}

pub(super) struct Writer<'l> {
    pub(super) layout: &'l Layout,
    pub(super) out: Vec<u8>,
    pub(super) column: usize,
    pub(super) indent: Option<usize>,
    pub(super) flow_level: usize,
    pub(super) whitespace: bool,
    pub(super) indention: bool,
    pub(super) open_ended: bool,
}

impl<'l> Writer<'l> {
    pub(super) fn new(layout: &'l Layout) -> Self {
        Self {
            layout,
            out: Vec::new(),
            column: 0,
            indent: None,
            flow_level: 0,
            whitespace: true,
            indention: true,
            open_ended: false,
        }
    }

    /// Writes documents one after the other.
    pub(super) async fn documents(
        &mut self,
        ctx: &mut Context,
        tree: &Tree,
        roots: &[Id],
    ) -> Result<(), UtilityError> {
        for (index, &root) in roots.iter().enumerate() {
            if index > 0 || self.layout.explicit_start {
                self.write_indent();
                self.indicator("---", true, false, false);
            }
            self.document(ctx, tree, root).await?;
            self.write_indent();
            if self.layout.explicit_end {
                self.indicator("...", true, false, false);
                self.write_indent();
            }
            if self.out.len() > 1 << 15 {
                ctx.stdout.write(&self.out).await?;
                self.out.clear();
            }
        }
        if self.open_ended && !self.layout.explicit_end {
            self.indicator("...", true, false, false);
            self.write_indent();
        }
        Ok(())
    }

    async fn document(&mut self, ctx: &mut Context, tree: &Tree, root: Id) -> Result<(), UtilityError> {
        let mut open = Vec::new();
        let mut next = Some((root, Position::Root, Look::default()));
        loop {
            ctx.tick().await?;
            if let Some((id, position, look)) = next.take() {
                match tree.get(id) {
                    Node::Text(text) => self.scalar(text, true, position, &look),
                    Node::Literal(text) => self.scalar(&literal(text), false, position, &look),
                    Node::List(_) | Node::Map(_) => {
                        let frame = self.enter(tree, id, position, &look);
                        open.push(frame);
                    }
                }
            }
            let Some(frame) = open.last_mut() else { break };
            next = if frame.next >= frame.children.len() {
                if frame.shape == Shape::Flow {
                    self.flow_level -= 1;
                    self.indent = frame.outer;
                    self.indicator(if frame.is_map { "}" } else { "]" }, false, false, false);
                } else {
                    self.indent = frame.outer;
                }
                open.pop();
                None
            } else {
                self.step(frame)
            };
        }
        Ok(())
    }

    /// Begins a collection.
    fn enter(&mut self, tree: &Tree, id: Id, position: Position, look: &Look) -> Frame {
        let children = self.children(tree, id);
        let is_map = matches!(tree.get(id), Node::Map(_));
        self.tag(look);
        let is_flow = self.flow_level > 0 || children.is_empty() || look.style.as_deref() == Some(b"flow");
        let outer = self.indent;
        if is_flow {
            self.indicator(if is_map { "{" } else { "[" }, true, true, false);
            self.flow_level += 1;
            let step = self.layout.indent;
            self.indent = Some(outer.map_or(step, |indent| indent + step));
        } else {
            let stays = !is_map && self.layout.indentless && position == Position::Value && !self.indention;
            self.indent = match outer {
                None => Some(0),
                Some(indent) if stays => Some(indent),
                Some(indent) => Some(indent + self.layout.indent),
            };
        }
        let shape = if is_flow { Shape::Flow } else { Shape::Block };
        Frame { children, next: 0, is_map, shape, outer }
    }

    /// Writes what stands before the next child, and its key; gives the child.
    fn step(&mut self, frame: &mut Frame) -> Option<(Id, Position, Look)> {
        let (key, id, look) = frame.children.get(frame.next)?.clone();
        frame.next += 1;
        if frame.shape == Shape::Flow && frame.next > 1 {
            self.indicator(",", false, false, false);
        }
        if frame.shape == Shape::Flow && self.column > self.layout.width {
            self.write_indent();
        }
        let Some(key) = key else {
            if frame.shape == Shape::Block {
                self.write_indent();
                self.indicator("-", true, false, true);
            }
            return Some((id, Position::Item, look));
        };
        if frame.shape == Shape::Block {
            self.write_indent();
        }
        let is_simple = !key.is_empty() && crate::character::count(&key) < 128 && !analyze(&key).is_multiline;
        if is_simple {
            self.scalar(&key, true, Position::Key, &Look::default());
            self.indicator(":", false, false, false);
        } else {
            self.indicator("?", true, false, frame.shape == Shape::Block);
            self.scalar(&key, true, Position::Value, &Look::default());
            if frame.shape == Shape::Block {
                self.write_indent();
            }
            self.indicator(":", true, false, frame.shape == Shape::Block);
        }
        Some((id, Position::Value, look))
    }

    /// The children of a collection, with how they are to look where members tell that.
    fn children(&self, tree: &Tree, id: Id) -> Vec<(Option<Text>, Id, Look)> {
        let mut looks: HashMap<Vec<u8>, Look> = HashMap::new();
        let mut note = |kind: &[u8], key: &[u8], value: &[u8]| {
            if !looks.contains_key(key) {
                looks.insert(key.to_metered(), Look::default());
            }
            if let Some(look) = looks.get_mut(key) {
                let place = if kind == b"tag" { &mut look.tag } else { &mut look.style };
                *place = Some(Text::from(value));
            }
        };
        let mut children = Vec::new();
        match tree.get(id) {
            Node::List(items) => {
                for &item in items {
                    if let (true, Node::Text(text)) = (self.layout.annotated, tree.get(item))
                        && let Some((kind, inner)) = mark(text)
                        && let Some(at) = memchr::memchr(b'_', inner)
                        && let Some((index, value)) = inner.split_at_checked(at)
                        && index.iter().all(u8::is_ascii_digit)
                    {
                        note(kind, index, value.get(1..).unwrap_or_default());
                        continue;
                    }
                    children.push((None, item, Look::default()));
                }
                if !looks.is_empty() {
                    for (index, child) in children.iter_mut().enumerate() {
                        let name = crate::memory::format!("{index}");
                        child.2 = looks.get(name.as_bytes()).cloned().unwrap_or_default();
                    }
                }
            }
            Node::Map(members) => {
                for (key, value) in members {
                    if self.layout.annotated {
                        if key.as_bytes() == b"__yq_alias__" {
                            continue;
                        }
                        if let Some((kind, hash)) = mark(key) {
                            if let Node::Text(text) = tree.get(*value) {
                                note(kind, hash, text);
                            }
                            continue;
                        }
                    }
                    children.push((Some(key.clone()), *value, Look::default()));
                }
                if !looks.is_empty() {
                    for (key, _, look) in &mut children {
                        let hash = key.as_ref().map(|key| key_hash(key)).unwrap_or_default();
                        *look = looks.get(&hash).cloned().unwrap_or_default();
                    }
                }
            }
            Node::Text(_) | Node::Literal(_) => {}
        }
        children
    }

    fn tag(&mut self, look: &Look) {
        if let Some(tag) = &look.tag {
            self.indicator(&tag.to_string_lossy(), true, false, false);
        }
    }

    fn scalar(&mut self, text: &[u8], is_text: bool, position: Position, look: &Look) {
        self.tag(look);
        let wanted = look.style.as_ref().and_then(|style| match style.as_bytes() {
            b"'" => Some(Style::Single),
            b"\"" => Some(Style::Double),
            b"|" => Some(Style::Literal),
            b">" => Some(Style::Folded),
            _ => None,
        });
        let outer = self.indent;
        let step = self.layout.indent;
        self.indent = Some(outer.map_or(step, |indent| indent + step));
        let may_be_plain = look.tag.is_none() && (!is_text || self.reads_as_text(text));
        self.write_scalar(text, may_be_plain, position, wanted);
        self.indent = outer;
    }

    /// Writes a mark, after a blank where one is needed.
    pub(super) fn indicator(&mut self, text: &str, needs_space: bool, whitespace: bool, indention: bool) {
        if needs_space && !self.whitespace {
            self.out.push(b' ');
            self.column += 1;
        }
        self.whitespace = whitespace;
        self.indention = self.indention && indention;
        self.column += text.chars().count();
        self.open_ended = false;
        self.out.extend_from_slice(text.as_bytes());
    }

    pub(super) fn line_break(&mut self) {
        self.whitespace = true;
        self.indention = true;
        self.column = 0;
        self.out.push(b'\n');
    }

    /// Goes to the indentation, on a new line unless this one has nothing but less of it.
    pub(super) fn write_indent(&mut self) {
        let indent = self.indent.unwrap_or(0);
        if !self.indention || self.column > indent || (self.column == indent && !self.whitespace) {
            self.line_break();
        }
        if self.column < indent {
            self.whitespace = true;
            self.out.resize(self.out.len() + indent - self.column, b' ');
            self.column = indent;
        }
    }
}

/// What a member or item tells in place of being one: `__yq_KIND_REST__`.
fn mark(text: &[u8]) -> Option<(&'static [u8], &[u8])> {
    let inner = text.strip_prefix(b"__yq_")?.strip_suffix(b"__")?;
    match inner.strip_prefix(b"tag_") {
        Some(rest) => Some((b"tag", rest)),
        None => inner.strip_prefix(b"style_").map(|rest| (b"style".as_slice(), rest)),
    }
}

/// A number as Python prints it: one with an exponent has a fraction.
fn literal(text: &[u8]) -> Vec<u8> {
    let mut out = text.to_metered();
    if !text.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'a'..=b'd' | b'f'..=b'z'))
        && let Ok(word) = std::str::from_utf8(text)
        && let Ok(value) = word.parse::<f64>()
        && text.iter().any(|byte| matches!(byte, b'.' | b'e' | b'E'))
    {
        out.clear();
        out.extend_from_slice(python_float(value).as_bytes());
    }
    out
}

/// A float as Python prints it, in YAML.
fn python_float(value: f64) -> crate::memory::String {
    let magnitude = value.abs();
    if magnitude != 0.0 && !(1e-4..1e16).contains(&magnitude) {
        let text = crate::memory::format!("{value:e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let mantissa_dot = if mantissa.contains('.') { "" } else { ".0" };
        let (sign, digits) = match exponent.strip_prefix('-') {
            Some(digits) => ("-", digits),
            None => ("+", exponent),
        };
        return crate::memory::format!("{mantissa}{mantissa_dot}e{sign}{digits:0>2}");
    }
    crate::memory::format!("{value:?}")
}
