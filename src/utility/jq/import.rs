//! Syntax of what stands before a text's definitions: `module`, `import` and `include`. jq manual, Modules.

use super::lexer::{Token, is_keyword};
use super::object::Object;
use super::parse::{Parsed, Parser};
use super::text::Text;
use super::value::Value;
use crate::memory::{String, ToMeteredString, Vec};

/// What a text says before its definitions.
#[derive(Debug, Default)]
pub(crate) struct Head {
    /// `module {...};`
    pub(crate) metadata: Option<Object>,
    /// In the order of the text.
    pub(crate) imports: Vec<Import>,
}

/// One `import` or `include`.
#[derive(Debug)]
pub(crate) struct Import {
    /// The file's path below a search directory, without its suffix.
    pub(crate) path: Text,
    /// The name in `import ... as NAME`; `include` has none.
    pub(crate) alias: Option<String>,
    /// `as $NAME`: the values of a JSON file.
    pub(crate) is_data: bool,
    /// The object after it.
    pub(crate) metadata: Object,
}

impl Import {
    /// The definitions of the user whose home directory it is: `~/.jq`.
    pub(crate) fn of_user(home: &str) -> Self {
        let mut metadata = Object::default();
        metadata.insert(Text::Static("optional"), Value::Bool(true));
        metadata.insert(Text::Static("search"), Value::text(home));
        Import { path: Text::Static(""), alias: None, is_data: false, metadata }
    }

    /// The directories to search, where the text says them: `{search: ...}`.
    pub(crate) fn search(&self) -> Option<Vec<Text>> {
        let directories = match self.metadata.get("search")? {
            Value::Array(items) => items.items().iter().cloned().collect(),
            other => Vec::from([other.clone()]),
        };
        let text = |value| if let Value::String(text) = value { Some(text) } else { None };
        Some(directories.into_iter().filter_map(text).collect())
    }

    /// Whether the object says `{key: true}`.
    pub(crate) fn says(&self, key: &str) -> bool {
        matches!(self.metadata.get(key), Some(Value::Bool(true)))
    }

    /// As `modulemeta` shows it.
    pub(crate) fn described(&self) -> Value {
        let mut shown = self.metadata.clone();
        if let Some(alias) = &self.alias {
            shown.insert(Text::Static("as"), Value::text(alias));
        }
        shown.insert(Text::Static("is_data"), Value::Bool(self.is_data));
        shown.insert(Text::Static("relpath"), Value::String(self.path.clone()));
        Value::Object(shown)
    }
}

impl Parser<'_, '_, '_> {
    pub(super) fn head(&mut self) -> Parsed<Head> {
        let mut head = Head::default();
        if self.takes_word("module") {
            head.metadata = Some(self.metadata()?);
        }
        loop {
            let is_include = match self.token {
                Token::Name("import") => false,
                Token::Name("include") => true,
                _ => return Ok(head),
            };
            self.advance();
            head.imports.push(self.import(is_include)?);
        }
    }

    fn import(&mut self, is_include: bool) -> Parsed<Import> {
        let path = self.import_path()?;
        let (mut alias, mut is_data) = (None, false);
        if !is_include {
            self.expect_word("as", "as")?;
            (alias, is_data) = match self.token {
                Token::Binding(name) => (Some(name.to_metered_string()), true),
                Token::Name(name) if !is_keyword(name) => (Some(name.to_metered_string()), false),
                _ => return Err(self.unexpected_of("IDENT or BINDING")),
            };
            self.advance();
        }
        let mut metadata = Object::default();
        if !self.takes(";") {
            metadata = self.metadata()?;
        }
        Ok(Import { path, alias, is_data, metadata })
    }

    fn import_path(&mut self) -> Parsed<Text> {
        let start = self.start;
        match self.token {
            Token::Quote => {}
            Token::Format(_) if self.is_format_before_string() => {}
            Token::Format(_) => {
                self.advance();
                return Err(self.unexpected_of("QQSTRING_START"));
            }
            _ => return Err(self.unexpected_of("FORMAT or QQSTRING_START")),
        }
        let id = self.string_term()?;
        let place = (start, self.last.1);
        match self.literal(id, 0) {
            Some(Value::String(path)) => Ok(path),
            _ => Err(self.fault_at("Import path must be constant", place).into()),
        }
    }

    /// A constant object, and the semicolon after it.
    fn metadata(&mut self) -> Parsed<Object> {
        let start = self.start;
        let id = self.pipe()?;
        let place = (start, self.last.1);
        self.expect(";", "'|' or ',' or ';'")?;
        let problem = match self.literal(id, DEPTH) {
            Some(Value::Object(object)) => return Ok(object),
            Some(_) => "Module metadata must be an object",
            None => "Module metadata must be constant",
        };
        Err(self.fault_at(problem, place).into())
    }
}

/// How deep metadata may nest.
const DEPTH: usize = 64;
