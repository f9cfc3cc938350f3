//! Where a word of a script leads, as far as the text shows it: a file of the project, of a plug-in, or at a path of the
//! session. Variables are followed through assignments (`HERE="$(cd "$(dirname "$0")" && pwd)"`), in source order.

use rustc_hash::FxHashMap;

/// Substitutions in substitutions that are looked into.
const MOST_NESTING: u32 = 8;
/// Longest path that is followed, in bytes.
const LONGEST: usize = 4096;

/// A place in a session, told from one of its roots.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ScriptPath {
    /// From where.
    pub root: Root,
    /// Names joined by `/`, without `.`, `..` and a `/` at either end; empty is the root itself.
    pub path: String,
}

/// What a [`ScriptPath`] begins at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Root {
    /// The folder in which hooks run: `$CLAUDE_PROJECT_DIR`, a relative path.
    Project,
    /// The folder of the plug-in: `${CLAUDE_PLUGIN_ROOT}`.
    Plugin,
    /// The session's `/`.
    Session,
}

/// What a word says: a text, after a root where it has one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Value {
    root: Option<Root>,
    text: String,
}

impl Value {
    const fn at(root: Root) -> Self {
        Self { root: Some(root), text: String::new() }
    }

    fn of(path: &ScriptPath) -> Self {
        Self { root: Some(path.root), text: format!("/{}", path.path) }
    }

    /// `None`: a root stands after a text.
    fn append(&mut self, more: &Self) -> Option<()> {
        if more.root.is_some() {
            if !self.text.is_empty() || self.root.is_some() {
                return None;
            }
            self.root = more.root;
        }
        self.text.push_str(&more.text);
        (self.text.len() <= LONGEST).then_some(())
    }

    /// The folder of the file; `None` where that is not in the text.
    fn folder(mut self) -> Option<Self> {
        let end = self.text.trim_end_matches('/').len();
        self.text.truncate(end);
        match self.text.rfind('/') {
            Some(at) => self.text.truncate(at),
            None if self.root.is_none() && !self.text.is_empty() => ".".clone_into(&mut self.text),
            None => return None,
        }
        Some(self)
    }
}

/// The working directory.
#[derive(Clone, Debug, Default)]
enum Folder {
    /// The project's.
    #[default]
    Project,
    /// It was changed.
    At(Value),
    /// It was changed, and where to is not known.
    Unknown,
}

/// What is known where a script has got to.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    variables: FxHashMap<String, Value>,
    /// The file that is read; `None`: a text of a config.
    file: Option<ScriptPath>,
    folder: Folder,
}

impl Scope {
    /// At the start of a file that is called with these words.
    pub(super) fn of_file(path: &ScriptPath, arguments: &[Option<String>]) -> Self {
        let mut scope = Self { file: Some(path.clone()), ..Self::default() };
        for (index, text) in arguments.iter().enumerate().take(9) {
            if let Some(text) = text {
                scope.variables.insert((index + 1).to_string(), Value { root: None, text: text.clone() });
            }
        }
        scope
    }

    /// The words given to the script are other ones from here on.
    pub(super) fn shift(&mut self) {
        self.variables.retain(|name, _| !name.starts_with(|letter: char| letter.is_ascii_digit()));
    }

    pub(super) fn assign(&mut self, name: &str, source: &str) {
        match self.value(source, 0) {
            Some(value) => {
                self.variables.insert(name.to_owned(), value);
            }
            None => {
                self.variables.remove(name);
            }
        }
    }

    /// `cd WORD`
    pub(super) fn change_folder(&mut self, source: Option<&str>) {
        let to = source.and_then(|source| self.value(source, 0));
        let is_whole = |to: &Value| to.root.is_some() || to.text.starts_with('/');
        let to = to.and_then(|to| if is_whole(&to) { Some(to) } else { self.under(&to) });
        self.folder = to.map_or(Folder::Unknown, Folder::At);
    }

    /// The text of a word, where the script shows it.
    pub(super) fn text(&self, source: &str) -> Option<String> {
        self.value(source, 0).filter(|value| value.root.is_none()).map(|value| value.text)
    }

    /// Where a word leads.
    pub(super) fn place(&self, source: &str) -> Option<ScriptPath> {
        let mut value = self.value(source, 0)?;
        if value.root.is_none() && has_drive(&value.text) {
            return None;
        }
        if value.root.is_none() && !value.text.starts_with('/') {
            value = self.under(&value)?;
        }
        let root = value.root.unwrap_or(Root::Session);
        let mut names: Vec<&str> = Vec::new();
        for name in value.text.split('/') {
            match name {
                "" | "." => {}
                // What lies above a root is not the linter's to see.
                ".." => {
                    names.pop()?;
                }
                name => names.push(name),
            }
        }
        (!names.is_empty()).then(|| ScriptPath { root, path: names.join("/") })
    }

    /// A relative path from the working directory.
    fn under(&self, value: &Value) -> Option<Value> {
        if value.text.is_empty() {
            return None;
        }
        let mut from = self.current_folder()?;
        from.text.push('/');
        from.append(value)?;
        Some(from)
    }

    fn current_folder(&self) -> Option<Value> {
        match &self.folder {
            Folder::Project => Some(Value::at(Root::Project)),
            Folder::At(value) => Some(value.clone()),
            Folder::Unknown => None,
        }
    }

    /// `None`: something in the word is not known.
    fn value(&self, source: &str, depth: u32) -> Option<Value> {
        if depth > MOST_NESTING || source.len() > LONGEST {
            return None;
        }
        let mut value = Value::default();
        let mut quote = None;
        let mut at = 0;
        while let Some(letter) = source.get(at..).and_then(|rest| rest.chars().next()) {
            let rest = source.get(at..)?;
            match letter {
                '"' | '\'' if quote.is_none_or(|open| open == letter) => {
                    quote = if quote.is_some() { None } else { Some(letter) };
                }
                '\\' if quote != Some('\'') => {
                    let next = rest.chars().nth(1)?;
                    value.text.push(next);
                    at += next.len_utf8();
                }
                '$' if quote != Some('\'') => {
                    let (length, piece) = self.expansion(rest, depth)?;
                    value.append(&piece)?;
                    at += length;
                    continue;
                }
                '`' if quote != Some('\'') => return None,
                '~' if at == 0 => return None,
                '*' | '?' | '[' | '{' | '(' | ';' | '|' | '&' | ' ' | '\n' if quote.is_none() => return None,
                letter => value.text.push(letter),
            }
            at += letter.len_utf8();
        }
        Some(value)
    }

    /// What the text begins with (`$name`, `${...}`, `$(...)`), and its length.
    fn expansion(&self, text: &str, depth: u32) -> Option<(usize, Value)> {
        let after = text.get(1..)?;
        if after.starts_with('(') {
            let inner = enclosed(after, '(', ')')?;
            let value = self.substitution(inner, depth + 1)?;
            return Some((inner.len() + 3, value));
        }
        if after.starts_with('{') {
            let inner = enclosed(after, '{', '}')?;
            return Some((inner.len() + 3, self.braces(inner, depth + 1)?));
        }
        let length = name_length(after);
        let name = after.get(..length).filter(|name| !name.is_empty())?;
        Some((length + 1, self.variable(name)?))
    }

    /// `name`, `name:-word`, `name%/*`
    fn braces(&self, inner: &str, depth: u32) -> Option<Value> {
        let length = name_length(inner);
        let (name, mut rest) = (inner.get(..length)?, inner.get(length..)?);
        if name == "BASH_SOURCE" {
            rest = rest.strip_prefix("[0]").unwrap_or(rest);
        }
        let value = self.variable(name);
        match rest {
            "" => value,
            "%/*" => value?.folder(),
            "%/" => value,
            _ => match rest.strip_prefix(":-").or_else(|| rest.strip_prefix('-')) {
                Some(word) => value.or_else(|| self.value(word, depth)),
                None => rest.starts_with(":?").then_some(value)?,
            },
        }
    }

    fn variable(&self, name: &str) -> Option<Value> {
        if let Some(value) = self.variables.get(name) {
            return Some(value.clone());
        }
        match name {
            "CLAUDE_PROJECT_DIR" => Some(Value::at(Root::Project)),
            "CLAUDE_PLUGIN_ROOT" => Some(Value::at(Root::Plugin)),
            "PWD" => self.current_folder(),
            "0" | "BASH_SOURCE" => self.file.as_ref().map(Value::of),
            _ => None,
        }
    }

    /// What commands print that tell folders.
    fn substitution(&self, text: &str, depth: u32) -> Option<Value> {
        let mut text = text.trim();
        if text.starts_with("git rev-parse --show-toplevel") {
            return Some(Value::at(Root::Project));
        }
        if text == "pwd" || text == "pwd -P" {
            return self.current_folder();
        }
        if let Some(rest) = text.strip_prefix("cd ") {
            // `cd WORD >/dev/null 2>&1 && pwd -P`
            let (word, then) = rest.rsplit_once("&&")?;
            if !matches!(then.trim(), "pwd" | "pwd -P") {
                return None;
            }
            return self.value(operand(word), depth);
        }
        for name in ["realpath ", "readlink -f "] {
            if let Some(rest) = text.strip_prefix(name) {
                return self.value(operand(rest), depth);
            }
        }
        text = text.strip_prefix("dirname ")?;
        self.value(operand(text), depth)?.folder()
    }
}

/// Whether it is a path of Windows: `C:/Users/x`.
fn has_drive(path: &str) -> bool {
    matches!(path.as_bytes(), [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic())
}

/// The operand of a command without `--`, `-P` and redirections.
fn operand(text: &str) -> &str {
    let mut text = text.trim();
    for option in ["-P ", "-- "] {
        text = text.strip_prefix(option).unwrap_or(text).trim_start();
    }
    for redirection in ["2>&1", "2>/dev/null", "2> /dev/null", ">/dev/null", "> /dev/null", "&>/dev/null"] {
        text = text.strip_suffix(redirection).unwrap_or(text).trim_end();
    }
    text
}

/// Letters of a name, or of one special parameter.
fn name_length(text: &str) -> usize {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    match text.as_bytes().first() {
        Some(byte) if byte.is_ascii_digit() => 1,
        _ => text.bytes().take_while(|byte| is_name(*byte)).count(),
    }
}

/// What stands between the first bracket and the one that closes it.
fn enclosed(text: &str, open: char, close: char) -> Option<&str> {
    let mut depth = 0_u32;
    for (at, letter) in text.char_indices() {
        if letter == open {
            depth += 1;
        } else if letter == close {
            depth = depth.checked_sub(1)?;
            if depth == 0 {
                return text.get(open.len_utf8()..at);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(place: Option<ScriptPath>) -> String {
        place.map_or_else(|| "-".to_owned(), |place| format!("{:?}:{}", place.root, place.path))
    }

    #[test]
    fn words_lead_to_places() {
        let here = ScriptPath { root: Root::Plugin, path: "hooks/run.sh".to_owned() };
        let mut scope = Scope::of_file(&here, &[Some("start".to_owned()), None]);
        scope.assign("HERE", r#""$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)""#);
        scope.assign("ROOT", r#""${PLUGIN_ROOT:-$(dirname "$HERE")}""#);
        scope.assign("NAME", "$1");
        for (word, wanted) in [
            (r#""$CLAUDE_PROJECT_DIR"/.claude/hooks/a.sh"#, "Project:.claude/hooks/a.sh"),
            ("${CLAUDE_PROJECT_DIR:-.}/a.sh", "Project:a.sh"),
            ("./a.sh", "Project:a.sh"),
            ("b/../a.sh", "Project:a.sh"),
            ("../a.sh", "-"),
            ("'$x'/a", "Project:$x/a"),
            ("/opt/a.sh", "Session:opt/a.sh"),
            ("~/a.sh", "-"),
            ("C:/Users/x/a.sh", "-"),
            ("$x/a.sh", "-"),
            ("hooks/*.sh", "-"),
            ("\"$HERE/lib/a.sh\"", "Plugin:hooks/lib/a.sh"),
            ("\"$HERE/../a.sh\"", "Plugin:a.sh"),
            ("\"$ROOT/a.sh\"", "Plugin:a.sh"),
            ("\"${HERE}/${NAME}.sh\"", "Plugin:hooks/start.sh"),
            ("\"$HERE/$2.sh\"", "-"),
            ("\"$(dirname \"$0\")/a.sh\"", "Plugin:hooks/a.sh"),
            ("\"${0%/*}/a.sh\"", "Plugin:hooks/a.sh"),
            ("\"$(git rev-parse --show-toplevel 2>/dev/null || pwd)/a.sh\"", "Project:a.sh"),
            ("$HERE", "Plugin:hooks"),
        ] {
            assert_eq!(shown(scope.place(word)), wanted, "{word}");
        }
        scope.change_folder(Some("\"$CLAUDE_PROJECT_DIR/sub\""));
        assert_eq!(shown(scope.place("./a.sh")), "Project:sub/a.sh");
        scope.change_folder(Some("\"$unknown\""));
        assert_eq!(shown(scope.place("./a.sh")), "-");
    }
}
