//! Values of JSON as a tree in one table, so that nothing recurses, and what an alias names is there once.

use crate::memory::{HashMap, ToMetered as _, Vec, format};
use crate::text::Text;
use crate::utility::context::pace::tick_bytes;
use crate::utility::{Context, UtilityError};

/// The number of a node.
pub(super) type Id = usize;

#[derive(Clone, Debug)]
pub(super) enum Node {
    Text(Text),
    /// A number, `true`, `false` or `null`, as JSON writes it.
    Literal(Text),
    List(Vec<Id>),
    Map(Vec<(Text, Id)>),
}

#[derive(Debug, Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
}

/// How texts and literals are written; lists and mappings are the same in all.
pub(super) struct Notation {
    pub(super) text: fn(&mut Vec<u8>, &[u8]),
    pub(super) literal: fn(&[u8]) -> &[u8],
}

const JSON: Notation = Notation { text: push_text, literal: |text| text };

/// Why a document was not written.
pub(super) enum Unwritten {
    /// Aliases make it much longer than it is.
    Expansion,
    End(UtilityError),
}

impl Tree {
    pub(super) fn add(&mut self, node: Node) -> Id {
        self.nodes.add(node)
    }

    pub(super) fn get(&self, id: Id) -> &Node {
        const NULL: &Node = &Node::Literal(Text::from_static(b"null"));
        self.nodes.get(id).unwrap_or(NULL)
    }

    /// A mapping of these pairs: the last value of a key counts, and stands where the key stood first.
    pub(super) fn map(&mut self, pairs: Vec<(Text, Id)>) -> Id {
        let mut places: HashMap<Text, usize> = HashMap::new();
        let mut members: Vec<(Text, Id)> = Vec::with_capacity(pairs.len());
        for (key, value) in pairs {
            match places.get(&key).and_then(|&place| members.get_mut(place)) {
                Some(member) => member.1 = value,
                None => {
                    places.insert(key.clone(), members.len());
                    members.push((key, value));
                }
            }
        }
        self.add(Node::Map(members))
    }

    /// Appends a value as JSON, of at most `most` bytes.
    pub(super) async fn write_json(
        &self,
        ctx: &mut Context,
        root: Id,
        most: usize,
        out: &mut Vec<u8>,
    ) -> Result<(), Unwritten> {
        self.write(ctx, &JSON, (root, most), out).await
    }

    /// Appends a value in a notation, of at most `most` bytes; what is open is on a stack of its own.
    pub(super) async fn write(
        &self,
        ctx: &mut Context,
        notation: &Notation,
        (root, most): (Id, usize),
        out: &mut Vec<u8>,
    ) -> Result<(), Unwritten> {
        let start = out.len();
        let mut open: Vec<(Id, usize)> = Vec::new();
        let mut next = Some(root);
        loop {
            ctx.tick().await.map_err(|error| Unwritten::End(error.into()))?;
            if out.len() - start > most {
                return Err(Unwritten::Expansion);
            }
            if let Some(id) = next.take() {
                match self.get(id) {
                    Node::Text(text) => {
                        tick_bytes(&ctx.meter, text.len())
                            .await
                            .map_err(|error| Unwritten::End(error.into()))?;
                        (notation.text)(out, text);
                    }
                    Node::Literal(text) => out.extend_from_slice((notation.literal)(text)),
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
            let Some((id, index)) = open.last_mut() else { return Ok(()) };
            let place = *index;
            *index += 1;
            let is_first = place == 0;
            match self.get(*id) {
                Node::List(items) => match items.get(place) {
                    Some(&item) => {
                        out.extend_from_slice(if is_first { b"" } else { b", " });
                        next = Some(item);
                    }
                    None => {
                        out.push(b']');
                        open.pop();
                    }
                },
                Node::Map(members) => match members.get(place) {
                    Some((key, value)) => {
                        out.extend_from_slice(if is_first { b"" } else { b", " });
                        (notation.text)(out, key);
                        out.extend_from_slice(b": ");
                        next = Some(*value);
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
}

/// Appends a string as JSON.
pub(super) fn push_text(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'"');
    let mut done = 0;
    for (at, &byte) in text.iter().enumerate() {
        if byte >= b' ' && byte != b'"' && byte != b'\\' && byte != 0x7f {
            continue;
        }
        out.extend_from_slice(text.get(done..at).unwrap_or_default());
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            _ => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
        }
        done = at + 1;
    }
    out.extend_from_slice(text.get(done..).unwrap_or_default());
    out.push(b'"');
}

/// A number as JSON writes it: one without a fraction is whole. One that is too large has jq's word.
pub(super) fn number(value: f64) -> Text {
    if value.is_nan() {
        return Text::from_static(b"null");
    }
    if value.is_infinite() {
        return Text::from_static(if value > 0.0 { b"Infinity" } else { b"-Infinity" });
    }
    let text =
        if value.fract() == 0.0 && value.abs() < 1e17 { format!("{value:.0}") } else { format!("{value:?}") };
    Text::from(text)
}

/// JSON texts, one after the other.
///
/// # Errors
/// The place where something else stands.
pub(super) async fn read_json(
    ctx: &mut Context,
    text: &[u8],
    tree: &mut Tree,
) -> Result<Result<Vec<Id>, usize>, UtilityError> {
    let mut roots = Vec::new();
    let mut reader = Reader { text, at: 0, open: Vec::new() };
    loop {
        ctx.tick().await?;
        match reader.step(tree) {
            Ok(Some(root)) => roots.push(root),
            Ok(None) if reader.is_at_end() => return Ok(Ok(roots)),
            Ok(None) => {}
            Err(()) => return Ok(Err(reader.at)),
        }
    }
}

/// An open list or mapping.
enum Open {
    List(Vec<Id>),
    Map(Vec<(Text, Id)>, Option<Text>),
}

struct Reader<'t> {
    text: &'t [u8],
    at: usize,
    open: Vec<Open>,
}

impl Reader<'_> {
    fn skip(&mut self) {
        while self
            .text
            .get(self.at)
            .is_some_and(|byte| byte.is_ascii_whitespace() || matches!(byte, b',' | b':'))
        {
            self.at += 1;
        }
    }

    fn is_at_end(&mut self) -> bool {
        self.skip();
        self.open.is_empty() && self.at >= self.text.len()
    }

    /// Reads up to the end of one value; gives it where nothing is open around it. What `jq` printed is well formed, so that
    /// commas and colons need no looking at.
    fn step(&mut self, tree: &mut Tree) -> Result<Option<Id>, ()> {
        self.skip();
        let Some(&byte) = self.text.get(self.at) else {
            return if self.open.is_empty() { Ok(None) } else { Err(()) };
        };
        let node = match byte {
            b'[' => {
                self.at += 1;
                self.open.push(Open::List(Vec::new()));
                return Ok(None);
            }
            b'{' => {
                self.at += 1;
                self.open.push(Open::Map(Vec::new(), None));
                return Ok(None);
            }
            b']' | b'}' => {
                self.at += 1;
                match self.open.pop() {
                    Some(Open::List(items)) => tree.add(Node::List(items)),
                    Some(Open::Map(members, None)) => tree.add(Node::Map(members)),
                    _ => return Err(()),
                }
            }
            b'"' => {
                let text = self.string()?;
                if let Some(Open::Map(_, key @ None)) = self.open.last_mut() {
                    *key = Some(text);
                    return Ok(None);
                }
                tree.add(Node::Text(text))
            }
            b'-' | b'0'..=b'9' | b'a'..=b'z' => {
                let rest = self.text.get(self.at..).unwrap_or_default();
                let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.');
                let length = rest.iter().take_while(is_part).count();
                self.at += length;
                let word = rest.get(..length).unwrap_or_default();
                let is_known = matches!(word, b"true" | b"false" | b"null") || !byte.is_ascii_lowercase();
                if !is_known {
                    return Err(());
                }
                tree.add(Node::Literal(Text::from(word)))
            }
            _ => return Err(()),
        };
        match self.open.last_mut() {
            None => Ok(Some(node)),
            Some(Open::List(items)) => {
                items.push(node);
                Ok(None)
            }
            Some(Open::Map(members, key)) => {
                members.push((key.take().ok_or(())?, node));
                Ok(None)
            }
        }
    }

    fn string(&mut self) -> Result<Text, ()> {
        self.at += 1;
        let mut out = Vec::new();
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let length = memchr::memchr2(b'"', b'\\', rest).ok_or(())?;
            out.extend_from_slice(rest.get(..length).unwrap_or_default());
            self.at += length + 1;
            if rest.get(length) == Some(&b'"') {
                return Ok(Text::from(out));
            }
            let letter = self.text.get(self.at).copied().ok_or(())?;
            self.at += 1;
            match letter {
                b'n' => out.push(b'\n'),
                b't' => out.push(b'\t'),
                b'r' => out.push(b'\r'),
                b'b' => out.push(8),
                b'f' => out.push(12),
                b'u' => {
                    let mut unit = self.unit()?;
                    if (0xd800..0xdc00).contains(&unit) && self.text.get(self.at..self.at + 2) == Some(b"\\u")
                    {
                        self.at += 2;
                        unit = 0x1_0000 + ((unit - 0xd800) << 10) + self.unit()?.wrapping_sub(0xdc00) % 0x400;
                    }
                    let character = char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER);
                    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                }
                other => out.push(other),
            }
        }
    }

    fn unit(&mut self) -> Result<u32, ()> {
        let (value, used) = crate::character::digits(self.text, self.at, 16, 4);
        self.at += used;
        if used == 4 { Ok(value) } else { Err(()) }
    }
}

/// The pairs of a mapping; none where it is not one.
pub(super) fn members(tree: &Tree, id: Id) -> Option<Vec<(Text, Id)>> {
    match tree.get(id) {
        Node::Map(members) => Some(members.as_slice().to_metered()),
        _ => None,
    }
}
