//! Matchers of tool names in a common form, and what of it each dialect can write.

use regex_automata::util::syntax;
use std::fmt::Write as _;

/// Which tools a hook is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Tools {
    /// Every tool.
    Any,
    /// Names and beginnings of names.
    Names(Vec<NameTest>),
    /// An expression that is found in the name; the text may have anchors of its own.
    Regex(String),
    /// Nothing can pass.
    Never,
}

/// A name, or its beginning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NameTest {
    pub(crate) text: String,
    pub(crate) open: bool,
}

impl NameTest {
    pub(crate) fn exact(text: &str) -> Self {
        Self { text: text.to_owned(), open: false }
    }
}

impl Tools {
    /// Exact names.
    pub(crate) fn exact<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        Self::Names(names.into_iter().filter(|name| !name.is_empty()).map(NameTest::exact).collect())
    }

    /// An unanchored expression; one that is a list of plain names becomes that list.
    pub(crate) fn regex(text: &str) -> Self {
        match anchored_names(text) {
            Some(names) => Self::Names(names),
            None => Self::Regex(text.to_owned()),
        }
    }

    /// An expression for the whole name.
    pub(crate) fn whole_regex(text: &str) -> Self {
        Self::regex(&format!("^(?:{text})$"))
    }

    /// A glob with `*` and `?` for the whole name.
    pub(crate) fn glob(text: &str) -> Self {
        match text.strip_suffix('*') {
            None if !text.contains(['*', '?']) => Self::exact([text]),
            Some("") => Self::Any,
            Some(start) if !start.contains(['*', '?']) => {
                Self::Names(vec![NameTest { text: start.to_owned(), open: true }])
            }
            _ => {
                let mut regex = String::from("^");
                for letter in text.chars() {
                    match letter {
                        '*' => regex.push_str(".*"),
                        '?' => regex.push('.'),
                        other => push_escaped(&mut regex, other),
                    }
                }
                regex.push('$');
                Self::Regex(regex)
            }
        }
    }

    /// An unanchored expression with the same meaning; empty for any.
    pub(crate) fn to_regex(&self) -> String {
        match self {
            Self::Any => String::new(),
            Self::Never => "$.".to_owned(),
            Self::Regex(text) => text.clone(),
            Self::Names(names) => format!("^({})$", alternatives(names)),
        }
    }

    /// An expression for the whole name with the same meaning.
    pub(crate) fn to_whole_regex(&self) -> String {
        match self {
            Self::Names(names) => alternatives(names),
            Self::Regex(text) => match text.strip_prefix("^(?:").and_then(|text| text.strip_suffix(")$")) {
                Some(inner) => inner.to_owned(),
                None => format!(".*(?:{text}).*"),
            },
            _ => self.to_regex(),
        }
    }

    /// The exact names, when there is nothing else.
    pub(crate) fn names(&self) -> Option<Vec<&str>> {
        match self {
            Self::Names(names) if names.iter().all(|name| !name.open) => {
                Some(names.iter().map(|name| name.text.as_str()).collect())
            }
            _ => None,
        }
    }

    /// Renames tools.
    pub(crate) fn renamed(&self, rename: impl Fn(&str) -> Option<&'static str>) -> Self {
        match self {
            Self::Names(names) => Self::Names(
                names
                    .iter()
                    .map(|name| match rename(&name.text).filter(|_| !name.open) {
                        Some(new) => NameTest::exact(new),
                        None => name.clone(),
                    })
                    .collect(),
            ),
            other => other.clone(),
        }
    }

    /// Whether a name passes; `None` when the expression does not compile.
    pub(crate) fn passes(&self, name: &str) -> Option<bool> {
        Some(match self {
            Self::Any => true,
            Self::Never => false,
            Self::Names(names) => names
                .iter()
                .any(|test| if test.open { name.starts_with(&test.text) } else { name == test.text }),
            Self::Regex(text) => regex_automata::meta::Regex::builder()
                .configure(regex_automata::meta::Config::new().nfa_size_limit(Some(1 << 20)))
                .syntax(syntax::Config::new().nest_limit(64))
                .build(text)
                .ok()?
                .is_match(name),
        })
    }
}

fn alternatives(names: &[NameTest]) -> String {
    let mut text = String::new();
    for (index, name) in names.iter().enumerate() {
        if index > 0 {
            text.push('|');
        }
        name.text.chars().for_each(|letter| push_escaped(&mut text, letter));
        if name.open {
            text.push_str(".*");
        }
    }
    text
}

fn push_escaped(regex: &mut String, letter: char) {
    if letter.is_ascii_punctuation() && !matches!(letter, '_' | '-' | ',' | ':' | '/') {
        regex.push('\\');
    }
    let _ = write!(regex, "{letter}");
}

/// `^(a|b|c.*)$`, `^(?:a|b)$`, `^a$`: alternatives that are plain names or beginnings.
fn anchored_names(text: &str) -> Option<Vec<NameTest>> {
    let mut inner = text.strip_prefix('^')?.strip_suffix('$')?;
    let mut grouped = false;
    // `^(?:(a|b))$`
    for _ in 0..2 {
        if let Some(group) = inner.strip_prefix('(').and_then(|group| group.strip_suffix(')')) {
            inner = group.strip_prefix("?:").unwrap_or(group);
            grouped = true;
        }
    }
    if inner.contains('|') && !grouped {
        return None;
    }
    let plain = |name: &str| {
        !name.is_empty()
            && name.chars().all(|letter| letter.is_alphanumeric() || matches!(letter, '_' | '-' | ':'))
    };
    inner
        .split('|')
        .map(|name| {
            let (name, open) = name.strip_suffix(".*").map_or((name, false), |name| (name, true));
            plain(name).then(|| NameTest { text: name.to_owned(), open })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_one_matcher() {
        let names = Tools::exact(["Edit", "Write"]);
        assert_eq!(Tools::regex("^(Edit|Write)$"), names);
        assert_eq!(Tools::whole_regex("Edit|Write"), names);
        assert_eq!(names.to_regex(), "^(Edit|Write)$");
        assert_eq!(names.to_whole_regex(), "Edit|Write");
        assert_eq!(Tools::regex("Edit.*"), Tools::Regex("Edit.*".into()));
        assert_eq!(Tools::glob("mcp_*"), Tools::Names(vec![NameTest { text: "mcp_".into(), open: true }]));
        assert_eq!(Tools::glob("a*b?"), Tools::Regex("^a.*b.$".into()));
        assert_eq!(Tools::whole_regex("a+").to_whole_regex(), "a+");
        assert_eq!(Tools::Regex("a+".into()).to_whole_regex(), ".*(?:a+).*");
        assert_eq!(Tools::regex("a|^b$").passes("xa"), Some(true));
        assert_eq!(Tools::Never.to_regex(), "$.");
    }
}
