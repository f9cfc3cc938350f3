//! XML into a tree, as yq's reader does it: an element is a mapping of its attributes (`@name`), its elements, several of a name
//! being a list, and its text (`#text`); one with nothing but text is that text, an empty one null. Entities of the
//! document's own stand for nothing.

use super::tree::{Id, Node, Tree};
use crate::memory::{HashMap, String, ToMetered as _, Vec, format};
use crate::text::Text;
use crate::utility::{Context, UtilityError};

/// An open element.
#[derive(Debug, Default)]
struct Element {
    name: Text,
    members: Vec<(Text, Vec<Id>)>,
    places: HashMap<Text, usize>,
    attributes: Vec<(Text, Text)>,
    text: Vec<u8>,
}

struct Reader<'t> {
    text: &'t [u8],
    at: usize,
    open: Vec<Element>,
    root: Option<(Text, Id)>,
    lists: &'t [Text],
    tree: &'t mut Tree,
}

type Fault = &'static str;

/// Reads a document; the inner error is what is wrong with it.
pub(super) async fn read(
    ctx: &mut Context,
    text: &str,
    lists: &[Text],
    tree: &mut Tree,
) -> Result<Result<Id, String>, UtilityError> {
    if text.len() > 16 << 10 {
        ctx.may_take_long().await;
    }
    let mut reader = Reader { text: text.as_bytes(), at: 0, open: Vec::new(), root: None, lists, tree };
    loop {
        ctx.tick_now()?;
        match reader.step() {
            Ok(true) => {}
            Ok(false) => break,
            Err(fault) => {
                let before = text.as_bytes().get(..reader.at).unwrap_or_default();
                let line = 1 + memchr::memchr_iter(b'\n', before).count();
                let column = before.len() - memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
                return Ok(Err(format!("ExpatError: {fault}: line {line}, column {column}")));
            }
        }
    }
    let Some((name, id)) = reader.root.take() else {
        return Ok(Err("ExpatError: no element found: line 1, column 0".into()));
    };
    Ok(Ok(tree.add(Node::Map(crate::memory::vec![(name, id)]))))
}

impl Reader<'_> {
    fn rest(&self) -> &[u8] {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Goes after a text that ends something.
    fn skip_to(&mut self, end: &[u8]) -> Result<&[u8], Fault> {
        let start = self.at;
        let length = memchr::memmem::find(self.rest(), end).ok_or("unclosed token")?;
        self.at += length + end.len();
        Ok(self.text.get(start..start + length).unwrap_or_default())
    }

    /// Takes the next piece; false at the end.
    fn step(&mut self) -> Result<bool, Fault> {
        let rest = self.rest();
        if rest.is_empty() {
            return if self.open.is_empty() && self.root.is_some() {
                Ok(false)
            } else {
                Err("no element found")
            };
        }
        let starts = |text: &[u8]| rest.starts_with(text);
        if starts(b"<!--") {
            self.at += 4;
            self.skip_to(b"-->")?;
        } else if starts(b"<![CDATA[") {
            self.at += 9;
            let text = self.skip_to(b"]]>")?.to_metered();
            let element = self.open.last_mut().ok_or("not well-formed (invalid token)")?;
            element.text.extend_from_slice(&text);
        } else if starts(b"<?") {
            self.skip_to(b"?>")?;
        } else if starts(b"<!DOCTYPE") {
            self.document_type()?;
        } else if starts(b"</") {
            self.at += 2;
            let name = self.name()?;
            self.blanks();
            self.expect(b'>')?;
            match self.open.last() {
                Some(element) if element.name == name => self.close(),
                _ => return Err("mismatched tag"),
            }
        } else if starts(b"<") {
            self.at += 1;
            self.begin()?;
        } else {
            self.characters()?;
        }
        Ok(true)
    }

    fn document_type(&mut self) -> Result<(), Fault> {
        let mut is_inside = false;
        while let Some(&byte) = self.text.get(self.at) {
            self.at += 1;
            match byte {
                b'[' => is_inside = true,
                b']' => is_inside = false,
                quote @ (b'"' | b'\'') => {
                    self.skip_to(&[quote])?;
                }
                b'>' if !is_inside => return Ok(()),
                _ => {}
            }
        }
        Err("unclosed token")
    }

    fn blanks(&mut self) {
        self.at += self.rest().iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    }

    fn expect(&mut self, wanted: u8) -> Result<(), Fault> {
        if self.rest().first() != Some(&wanted) {
            return Err("not well-formed (invalid token)");
        }
        self.at += 1;
        Ok(())
    }

    fn name(&mut self) -> Result<Text, Fault> {
        let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte >= 0x80 || b"_-.:".contains(byte);
        let length = self.rest().iter().take_while(is_part).count();
        let name = self.rest().get(..length).unwrap_or_default();
        let begins = name.first().is_some_and(|byte| !byte.is_ascii_digit() && !b"-.".contains(byte));
        if !begins {
            return Err("not well-formed (invalid token)");
        }
        let name = Text::from(name);
        self.at += length;
        Ok(name)
    }

    /// The start of an element.
    fn begin(&mut self) -> Result<(), Fault> {
        if self.open.is_empty() && self.root.is_some() {
            return Err("junk after document element");
        }
        let mut element = Element { name: self.name()?, ..Element::default() };
        loop {
            self.blanks();
            match self.rest().first() {
                Some(b'>') => {
                    self.at += 1;
                    self.open.push(element);
                    return Ok(());
                }
                Some(b'/') => {
                    self.at += 1;
                    self.expect(b'>')?;
                    self.open.push(element);
                    self.close();
                    return Ok(());
                }
                None => return Err("unclosed token"),
                Some(_) => {}
            }
            let name = self.name()?;
            self.blanks();
            self.expect(b'=')?;
            self.blanks();
            let quote = self.rest().first().copied().filter(|quote| matches!(quote, b'"' | b'\''));
            let quote = quote.ok_or("not well-formed (invalid token)")?;
            self.at += 1;
            let value = self.skip_to(&[quote])?.to_metered();
            let mut text = Vec::new();
            push_text(&value, &mut text)?;
            text.iter_mut().filter(|byte| matches!(byte, b'\n' | b'\t')).for_each(|byte| *byte = b' ');
            element.attributes.push((name, Text::from(text)));
        }
    }

    fn characters(&mut self) -> Result<(), Fault> {
        let length = memchr::memchr(b'<', self.rest()).unwrap_or(self.rest().len());
        let text = self.rest().get(..length).unwrap_or_default().to_metered();
        match self.open.last_mut() {
            Some(element) => push_text(&text, &mut element.text)?,
            None if text.iter().all(u8::is_ascii_whitespace) => {}
            None => {
                return Err(if self.root.is_some() { "junk after document element" } else { "syntax error" });
            }
        }
        self.at += length;
        Ok(())
    }

    fn close(&mut self) {
        let Some(element) = self.open.pop() else { return };
        let text = element.text.trim_ascii();
        let text = (!text.is_empty()).then(|| Node::Text(Text::from(text)));
        let node = if element.attributes.is_empty() && element.members.is_empty() {
            text.unwrap_or(Node::Literal(Text::from_static(b"null")))
        } else {
            let mut members = Vec::new();
            for (name, value) in element.attributes {
                let name = Text::from(format!("@{name}"));
                members.push((name, self.tree.add(Node::Text(value))));
            }
            for (name, ids) in element.members {
                let is_list = ids.len() > 1 || self.lists.contains(&name);
                let id = match ids.first() {
                    Some(&only) if !is_list => only,
                    _ => self.tree.add(Node::List(ids)),
                };
                members.push((name, id));
            }
            if let Some(text) = text {
                members.push((Text::from_static(b"#text"), self.tree.add(text)));
            }
            Node::Map(members)
        };
        let mut id = self.tree.add(node);
        match self.open.last_mut() {
            Some(parent) => match parent.places.get(&element.name).and_then(|&at| parent.members.get_mut(at))
            {
                Some((_, ids)) => ids.push(id),
                None => {
                    parent.places.insert(element.name.clone(), parent.members.len());
                    parent.members.push((element.name, crate::memory::vec![id]));
                }
            },
            None => {
                if self.lists.contains(&element.name) {
                    id = self.tree.add(Node::List(crate::memory::vec![id]));
                }
                self.root = Some((element.name, id));
            }
        }
    }
}

/// Appends text in which references are replaced.
fn push_text(text: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'&', rest) {
        out.extend_from_slice(rest.get(..at).unwrap_or_default());
        let after = rest.get(at + 1..).unwrap_or_default();
        let end = memchr::memchr(b';', after).ok_or("not well-formed (invalid token)")?;
        let name = after.get(..end).unwrap_or_default();
        match name {
            b"amp" => out.push(b'&'),
            b"lt" => out.push(b'<'),
            b"gt" => out.push(b'>'),
            b"quot" => out.push(b'"'),
            b"apos" => out.push(b'\''),
            [b'#', digits @ ..] => {
                let (digits, base) = digits.strip_prefix(b"x").map_or((digits, 10), |digits| (digits, 16));
                let (value, used) = crate::character::digits(digits, 0, base, 9);
                let character = char::from_u32(value).filter(|_| used > 0 && used == digits.len());
                let character = character.ok_or("reference to invalid character number")?;
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            }
            // An entity of the document: it is not looked at.
            _ => {}
        }
        rest = after.get(end + 1..).unwrap_or_default();
    }
    out.extend_from_slice(rest);
    Ok(())
}
