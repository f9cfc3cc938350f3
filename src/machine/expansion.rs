//! `Expansion`: the words of one command while they are expanded, and what their operations leave for each other.

use super::builder::Builder;
use super::name::NameId;
use super::pending::Pending;
use super::shell::Shell;
use crate::io::Description;
use crate::memory::{Arc, ToDecimal, Vec};
use crate::program::{Index, Quoting};
use crate::syntax::ast::AllElements;
use crate::text::Text;

/// A descriptor before a redirection.
pub(crate) type SavedDescriptor = (u32, Option<Arc<Description>>);

/// A subscript that was evaluated.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Subscript {
    Index(i64),
    Key(Text),
}

/// A parameter that was resolved.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Target {
    Variable(super::name::NameId),
    Index(super::name::NameId, u64),
    Key(super::name::NameId, Text),
    Elements(super::name::NameId, AllElements),
    Positional(u32),
    Special(u8),
    /// What a nameref refers to, as `${!nameref}` gives it.
    Referent(Text),
    /// An indirect expansion of a name that is unset.
    Nothing,
}

impl Target {
    /// Whether it is a list of values: `@`, `*`, `name[@]`, `name[*]`; and of which kind.
    pub(crate) const fn list_kind(&self) -> Option<AllElements> {
        match self {
            Self::Special(b'@') => Some(AllElements::At),
            Self::Special(b'*') => Some(AllElements::Star),
            Self::Elements(_, all) => Some(*all),
            _ => None,
        }
    }

    /// As messages name it: `name[subscript]`.
    pub(crate) fn shown(&self, names: &super::name::Names) -> Text {
        let element = |name: super::name::NameId, subscript: &[u8]| {
            let mut text = names.text(name);
            text.push_bytes(b"[");
            text.push_bytes(subscript);
            text.push_bytes(b"]");
            text
        };
        match self {
            Self::Variable(name) => names.text(*name),
            Self::Index(name, index) => element(*name, index.to_decimal().as_bytes()),
            Self::Key(name, key) => element(*name, key),
            Self::Elements(name, crate::syntax::ast::AllElements::At) => element(*name, b"@"),
            Self::Elements(name, crate::syntax::ast::AllElements::Star) => element(*name, b"*"),
            Self::Positional(number) => Text::from(number.to_decimal()),
            Self::Special(special) => Text::from(&[*special]),
            Self::Referent(text) => text.clone(),
            Self::Nothing => Text::EMPTY,
        }
    }
}

/// The words of one command while they are expanded. A substitution puts it aside as a whole.
#[derive(Debug, Default)]
pub(crate) struct Expansion {
    pub(crate) fields: Vec<Text>,
    pub(crate) builder: Builder,
    pub(crate) builders: Vec<Builder>,
    pub(crate) numbers: Vec<i64>,
    pub(crate) subscripts: Vec<Subscript>,
    /// With the index of the parameter's source text.
    pub(crate) targets: Vec<(Target, Option<Index>)>,
    pub(crate) literals: Vec<ArrayLiteral>,
    /// Array literals that are arguments of a declaration builtin, by the index of their field.
    pub(crate) arguments: Vec<(usize, ArrayLiteral)>,
    pub(crate) assignments: Vec<TemporaryAssignment>,
    pub(crate) redirections: Vec<SavedDescriptor>,
    /// What the assignments hide that the value of the next one can see.
    pub(crate) shown: Option<super::variable::Temporary>,
    /// A redirection failed: the command is not run.
    pub(crate) failed: bool,
    /// A substitution ran: its status is the command's if there is no command word.
    pub(crate) substituted: Option<u8>,
    /// Work on a long value that has to be done before the next operation.
    pub(crate) pending: Option<Pending>,
}

/// `( ... )` of an array assignment.
#[derive(Debug, Default)]
pub(crate) struct ArrayLiteral {
    pub(crate) elements: Vec<ArrayElement>,
    /// The fields that the literal suspended.
    pub(crate) fields: Vec<Text>,
}

/// An element of an array literal.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ArrayElement {
    /// `[key]=`
    pub(crate) key: Option<Text>,
    /// `+=`
    pub(crate) append: bool,
    pub(crate) value: Text,
}

/// `name=value` before a command.
#[derive(Clone, Debug)]
pub(crate) struct TemporaryAssignment {
    pub(crate) name: NameId,
    pub(crate) value: Text,
    pub(crate) append: bool,
}

impl Expansion {
    /// Appends a text as one value.
    pub(crate) fn append_text(&mut self, shell: &mut Shell, text: &[u8], quoting: Quoting) {
        match quoting {
            Quoting::Quoted | Quoting::Document => self.builder.push_quoted(text),
            Quoting::Raw => self.builder.push_raw(text),
            Quoting::Split => self.builder.push_split(text, &shell.state.separators),
        }
    }

    /// Takes the text of the builder on top, and goes on with the one below.
    pub(crate) fn pop_text(&mut self) -> Text {
        let text = self.builder.take_text();
        self.builder = self.builders.pop().unwrap_or_default();
        text
    }

    /// The text of the builder on top becomes a key in the text of the one below.
    pub(crate) fn escape_key(&mut self) {
        let key = self.pop_text();
        self.builder.push_quoted(&super::quote::escaped_key(&key));
    }

    pub(crate) fn pop_target(&mut self) -> (Target, Option<Index>) {
        self.targets.pop().unwrap_or((Target::Nothing, None))
    }

    /// A list begins: the fields wait.
    pub(crate) fn begin_list(&mut self) {
        let fields = std::mem::take(&mut self.fields);
        self.literals.push(ArrayLiteral { elements: Vec::new(), fields });
    }

    pub(crate) fn array_elements(&mut self) {
        if let Some(literal) = self.literals.last_mut() {
            let elements = self.fields.drain(..);
            literal.elements.extend(elements.map(|value| ArrayElement { key: None, append: false, value }));
        }
    }

    pub(crate) fn array_keyed(&mut self, append: bool) {
        let value = self.builder.take_text();
        self.builder = self.builders.pop().unwrap_or_default();
        let key = Some(self.builder.take_text());
        if let Some(literal) = self.literals.last_mut() {
            literal.elements.push(ArrayElement { key, append, value });
        }
    }

    pub(crate) fn array_argument(&mut self, name: &Text, append: bool) {
        let literal = self.pop_literal();
        let mut field = name.clone();
        field.push_bytes(if append { b"+=" } else { b"=" });
        self.arguments.push((self.fields.len(), literal));
        self.fields.push(field);
    }

    pub(crate) fn pop_literal(&mut self) -> ArrayLiteral {
        let mut literal = self.literals.pop().unwrap_or_default();
        self.fields = std::mem::take(&mut literal.fields);
        literal
    }

    /// A simple command begins.
    pub(crate) fn begin_command(&mut self, shell: &mut Shell) {
        self.undo_redirections(shell);
        let x = self;
        x.fields.clear();
        x.arguments.clear();
        x.assignments.clear();
        x.redirections.clear();
        x.failed = false;
        x.substituted = None;
    }

    /// `$_` after the command.
    pub(crate) fn note_last_argument(&mut self, shell: &mut Shell) {
        let Some(last) = self.fields.last() else { return };
        let is_list =
            !self.arguments.is_empty() && self.arguments.iter().any(|(at, _)| at + 1 == self.fields.len());
        shell.state.last_argument = if is_list {
            // `declare a=(1 2)`: the name.
            let name = last.strip_suffix(b"=").unwrap_or(last);
            Text::from(name.strip_suffix(b"+").unwrap_or(name))
        } else {
            last.clone()
        };
    }

    pub(crate) fn undo_redirections(&mut self, shell: &mut Shell) {
        if !self.redirections.is_empty() {
            let saved = std::mem::take(&mut self.redirections);
            shell.state.restore_descriptors(saved);
        }
    }
}
