//! Members of a config's object, read by their types. What is wrong is a [`Fault`]: a message with the member's path, and its
//! place. Absent and `null` are the same.

use super::word::Word;
use crate::document::{ConfigProblem, Member, Node, NodeKind, Source};

/// What is wrong with a config, and where.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) at: Option<usize>,
    pub(crate) message: String,
}

impl Fault {
    pub(crate) fn new(at: Option<usize>, message: impl Into<String>) -> Self {
        Self { at, message: message.into() }
    }

    /// As a problem of the text in which its place is.
    pub(crate) fn of(self, source: &Source<'_>) -> ConfigProblem {
        source.problem(self.at, self.message)
    }

    /// A value of another type than it must be.
    pub(crate) fn wrong_type(node: &Node, path: &str, expected: &str) -> Self {
        Self::new(node.at, format!("{path}: expected {expected}, found {}", node.describe()))
    }
}

/// The faults of one entry, in the order in which they are met: most platforms tell the first alone, a linter wants all.
#[derive(Debug, Default)]
pub(crate) struct Faults(Vec<Fault>);

impl Faults {
    /// What was read; the default in the place of what is faulty.
    pub(crate) fn keep<T: Default>(&mut self, read: Result<T, Fault>) -> T {
        self.keep_some(read).unwrap_or_default()
    }

    /// What was read, unless it is faulty.
    pub(crate) fn keep_some<T>(&mut self, read: Result<T, Fault>) -> Option<T> {
        read.map_err(|fault| self.0.push(fault)).ok()
    }

    /// # Errors
    /// All that was met, of which there is one at least.
    pub(crate) fn none(self) -> Result<(), Vec<Fault>> {
        if self.0.is_empty() { Ok(()) } else { Err(self.0) }
    }
}

/// The members of an object, with what stands before their names in messages.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'n, 'p> {
    pub(crate) node: &'n Node,
    pub(crate) prefix: &'p str,
}

impl<'n, 'p> Fields<'n, 'p> {
    /// # Errors
    /// It is not an object.
    pub(crate) fn new(node: &'n Node, prefix: &'p str) -> Result<Self, Fault> {
        let fields = Self { node, prefix };
        if node.is_object() {
            return Ok(fields);
        }
        Err(Fault::wrong_type(node, prefix.trim_end_matches('.'), "an object"))
    }

    /// The path of a member, for messages.
    pub(crate) fn path(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// The place of a member, else of the object.
    pub(crate) fn at(&self, name: &str) -> Option<usize> {
        self.node.get(name).map_or(self.node.at, |value| value.at)
    }

    /// A fault of a member.
    pub(crate) fn fault(&self, name: &str, why: &str) -> Fault {
        Fault::new(self.at(name), format!("{}: {why}", self.path(name)))
    }

    pub(crate) fn wrong_type(&self, node: &Node, name: &str, expected: &str) -> Fault {
        Fault::wrong_type(node, &self.path(name), expected)
    }

    fn typed<T>(
        &self,
        name: &str,
        expected: &str,
        read: impl FnOnce(&'n Node) -> Option<T>,
    ) -> Result<Option<T>, Fault> {
        let Some(node) = self.node.get(name) else { return Ok(None) };
        read(node).map(Some).ok_or_else(|| self.wrong_type(node, name, expected))
    }

    pub(crate) fn text(&self, name: &str) -> Result<Option<&'n str>, Fault> {
        self.typed(name, "a string", Node::as_str)
    }

    pub(crate) fn boolean(&self, name: &str) -> Result<Option<bool>, Fault> {
        self.typed(name, "a boolean", |node| match node.kind {
            NodeKind::Bool(value) => Some(value),
            _ => None,
        })
    }

    pub(crate) fn texts(&self, name: &str) -> Result<Option<Vec<String>>, Fault> {
        let Some(node) = self.node.get(name) else { return Ok(None) };
        texts(node).map(Some).ok_or_else(|| {
            let other = node.as_array().and_then(|items| items.iter().find(|item| item.as_str().is_none()));
            match other {
                Some(item) => {
                    let why = format!("expected a list of strings, found {} in it", item.describe());
                    Fault { at: item.at.or(node.at), ..self.fault(name, &why) }
                }
                None => self.wrong_type(node, name, "a list of strings"),
            }
        })
    }

    /// The items of a list, which is `expected` in messages; none where it is absent.
    pub(crate) fn list(&self, name: &str, expected: &str) -> Result<&'n [Node], Fault> {
        Ok(self.typed(name, expected, Node::as_array)?.unwrap_or_default())
    }

    pub(crate) fn object(&self, name: &str) -> Result<Option<&'n Node>, Fault> {
        self.typed(name, "an object", |node| Some(node).filter(|node| node.is_object()))
    }

    /// An object of texts, by its members in order.
    pub(crate) fn text_members(&self, name: &str) -> Result<Vec<(&'n Member, &'n str)>, Fault> {
        let members = self.object(name)?.map_or(&[][..], Node::members);
        let text = |member: &'n Member| {
            let path = format!("{name}.{}", member.name);
            let text = member.value.as_str();
            Ok((member, text.ok_or_else(|| self.wrong_type(&member.value, &path, "a string"))?))
        };
        members.iter().map(text).collect()
    }

    pub(crate) fn integer(&self, name: &str) -> Result<Option<i128>, Fault> {
        let Some(node) = self.node.get(name) else { return Ok(None) };
        let NodeKind::Number(number) = &node.kind else {
            return Err(self.wrong_type(node, name, "an integer"));
        };
        whole(node).map(Some).ok_or_else(|| self.fault(name, &format!("expected an integer, found {number}")))
    }

    /// A text that is one of some words; the error of another one is `unknown`'s.
    pub(crate) fn word<T: Word>(
        &self,
        name: &str,
        unknown: impl FnOnce(&str) -> Fault,
    ) -> Result<Option<T>, Fault> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        T::from_name(text).map(Some).ok_or_else(|| unknown(text))
    }

    /// The members that are not among the known ones.
    pub(crate) fn unknown(self, known: &'static [&str]) -> impl Iterator<Item = &'n Member> + use<'n, 'p> {
        self.node.members().iter().filter(|member| !known.contains(&member.name.as_str()))
    }
}

/// The texts of a list; `None` when it is not a list of texts.
pub(crate) fn texts(node: &Node) -> Option<Vec<String>> {
    node.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect()
}

/// A whole number.
pub(crate) fn whole(node: &Node) -> Option<i128> {
    let NodeKind::Number(number) = &node.kind else { return None };
    number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn members_are_read_by_their_types() {
        let node = Node::from_value(
            &json!({"t": "x", "b": true, "n": 3, "f": 1.5, "l": ["a"], "m": ["a", null], "o": {"k": 1}, "z": null}),
        );
        let fields = Fields::new(&node, "h.").ok().unwrap();
        assert_eq!(fields.text("t").ok(), Some(Some("x")));
        assert_eq!((fields.text("z").ok(), fields.integer("none").ok()), (Some(None), Some(None)));
        assert_eq!((fields.boolean("b").ok(), fields.integer("n").ok()), (Some(Some(true)), Some(Some(3))));
        assert_eq!(fields.texts("l").ok().flatten().as_deref(), Some(&["a".to_owned()][..]));
        let told = |fault: Option<Fault>| fault.unwrap().message;
        assert_eq!(told(fields.text("n").err()), "h.n: expected a string, found a number");
        assert_eq!(told(fields.integer("f").err()), "h.f: expected an integer, found 1.5");
        assert_eq!(told(fields.texts("t").err()), "h.t: expected a list of strings, found a string");
        assert_eq!(told(fields.texts("m").err()), "h.m: expected a list of strings, found null in it");
        assert_eq!(told(fields.text_members("o").err()), "h.o.k: expected a string, found a number");
        assert_eq!(
            told(Fields::new(&Node::from_value(&json!(1)), "h.").err()),
            "h: expected an object, found a number"
        );
        let unknown: Vec<_> =
            fields.unknown(&["t", "b", "n", "f", "l", "m"]).map(|member| member.name.as_str()).collect();
        assert_eq!(unknown, ["o", "z"]);
    }
}
