//! The texts of a script in which a linter finds what it prints and reads: what `echo`, `printf` and here-documents print,
//! and the programs of `jq`.

use crate::inspect::{CommandView, Via, View, WordView};
use regex::Regex;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::LazyLock;

/// Texts among which the bodies of here-documents are looked for.
const MOST_DOCUMENTS: usize = 200;
/// How far after its command a here-document is looked for, in characters.
const NEAR: usize = 16 * 1024;

/// Where a text goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goes {
    /// To standard output of the script.
    Output,
    /// To standard error.
    Error,
    /// Into a file, a variable or another command.
    Elsewhere,
}

/// A text in a script.
pub(super) struct Piece {
    /// After quote removal where that is known, else with the quotes' backslashes gone.
    pub(super) text: String,
    /// Whether all of it is known.
    pub(super) known: bool,
    /// Where its command begins in the script.
    pub(super) offset: usize,
    /// Where it goes.
    pub(super) goes: Goes,
}

/// See the module.
pub(super) struct Texts {
    /// What is printed.
    pub(super) printed: Vec<Piece>,
    /// Programs of `jq`.
    pub(super) jq: Vec<Piece>,
}

impl Texts {
    pub(super) fn of(script: &str, view: &View) -> Self {
        let mut texts = Self { printed: Vec::new(), jq: Vec::new() };
        let streams = Streams::of(script, view);
        for command in &view.commands {
            let goes = || streams.goes(command);
            match command.name() {
                Some("echo" | "printf") => {
                    let goes = goes();
                    for word in command.words.iter().skip(1) {
                        texts.printed.push(piece(word, command, goes));
                    }
                }
                Some("jq") => {
                    if let Some(program) = jq_program(command) {
                        texts.jq.push(piece(program, command, goes()));
                    }
                }
                _ => {}
            }
            for redirect in &command.redirects {
                if matches!(redirect.operator, "<<" | "<<<") && command.name() == Some("cat") {
                    let mut printed = piece(&redirect.target, command, goes());
                    if !printed.known && redirect.operator == "<<" && texts.printed.len() < MOST_DOCUMENTS {
                        // The word's source is cut; the document stands after its command.
                        let rest = script.get(command.span.start..).unwrap_or("");
                        let near: usize = rest.chars().take(NEAR).map(char::len_utf8).sum();
                        let rest = rest.get(..near).unwrap_or(rest);
                        if let Some(at) = rest.find(redirect.target.source.trim_end_matches("...")) {
                            let body = rest.get(at..).unwrap_or("");
                            let body = document_end(rest, body).unwrap_or(body);
                            printed.text = body.chars().take(4096).collect();
                        }
                    }
                    texts.printed.push(printed);
                }
            }
        }
        texts
    }

    /// What the script hands to its platform.
    pub(super) fn output(&self) -> impl Iterator<Item = &Piece> {
        self.printed.iter().chain(&self.jq).filter(|piece| piece.goes == Goes::Output)
    }
}

/// Where commands of a script print to.
pub(super) struct Streams<'v> {
    script: &'v str,
    /// Redirections of groups, loops and functions.
    compound: Vec<&'v CommandView>,
    /// Functions of which all calls stand in substitutions, or print to standard error.
    silent: FxHashMap<&'v str, Goes>,
    /// Variables that are printed on standard output.
    shown: FxHashSet<&'v str>,
    /// Assignments with a substitution, by where they begin.
    assignments: Vec<&'v CommandView>,
    /// From where on standard output is standard error.
    turned: Option<usize>,
}

impl<'v> Streams<'v> {
    pub(super) fn of(script: &'v str, view: &'v View) -> Self {
        let mut streams = Self {
            script,
            compound: Vec::new(),
            silent: FxHashMap::default(),
            shown: FxHashSet::default(),
            assignments: Vec::new(),
            turned: None,
        };
        let functions: FxHashSet<&str> = functions(view).collect();
        let mut loud: FxHashSet<&str> = FxHashSet::default();
        for command in &view.commands {
            if command.words.is_empty() && !command.redirects.is_empty() {
                streams.compound.push(command);
            }
            if command.name() == Some("exec") && command.words.len() == 1 && own(command) == Some(Goes::Error)
            {
                streams.turned.get_or_insert(command.span.start);
            }
            let captured = command.via.iter().any(|via| matches!(via, Via::CommandSubstitution));
            if !command.assignments.is_empty() || is_declaration(command) {
                streams.assignments.push(command);
            }
            if let Some(name) = command.name().filter(|name| functions.contains(name)) {
                match own(command).or_else(|| captured.then_some(Goes::Elsewhere)) {
                    Some(goes) => {
                        streams.silent.insert(name, goes);
                    }
                    None => {
                        loud.insert(name);
                    }
                }
            }
            let is_output = own(command).is_none_or(|goes| goes == Goes::Output);
            if !captured && is_output && matches!(command.name(), Some("echo" | "printf" | "cat" | "jq")) {
                let words =
                    command.words.iter().skip(1).chain(command.redirects.iter().map(|one| &one.target));
                streams.shown.extend(words.flat_map(|word| variables(&word.source).map(|(_, name)| name)));
            }
        }
        streams.silent.retain(|name, _| !loud.contains(name));
        streams
    }

    pub(super) fn goes(&self, command: &CommandView) -> Goes {
        if let Some(goes) = own(command) {
            return goes;
        }
        if command.via.iter().any(|via| matches!(via, Via::CommandSubstitution)) {
            return self.captured(command);
        }
        let rest = self.script.get(command.span.end..).unwrap_or("").trim_start_matches([' ', '\t']);
        if rest.starts_with('|') && !rest.starts_with("||") {
            let next = rest.trim_start_matches(['|', '&', ' ', '\t', '\n', '\\']);
            if !["jq", "cat", "sed", "tr "].iter().any(|name| next.starts_with(name)) {
                return Goes::Elsewhere;
            }
        }
        let around = self
            .compound
            .iter()
            .filter(|group| group.span.start <= command.span.start && command.span.end <= group.span.end);
        if let Some(goes) = around.copied().find_map(own) {
            return goes;
        }
        let by_function = command.via.iter().find_map(|via| match via {
            Via::Function(name) => self.silent.get(name.as_str()).copied(),
            _ => None,
        });
        let turned = self.turned.is_some_and(|from| command.span.start > from).then_some(Goes::Error);
        by_function.or(turned).unwrap_or(Goes::Output)
    }

    /// Whether a variable is printed on standard output.
    pub(super) fn is_shown(&self, name: &str) -> bool {
        self.shown.contains(name)
    }

    /// `x=$(...)` and later `echo "$x"`.
    fn captured(&self, command: &CommandView) -> Goes {
        let behind = self.assignments.partition_point(|one| one.span.start <= command.span.start);
        let before = self.assignments.get(..behind).unwrap_or(&[]).iter().rev().take(8);
        let around = before.into_iter().find(|assignment| command.span.end <= assignment.span.end);
        let names = around.map(|assignment| {
            let plain = assignment.assignments.iter().map(|(name, _)| name.as_str());
            let declared = assignment.words.iter().filter_map(|word| Some(word.source.split_once('=')?.0));
            plain.chain(declared).any(|name| self.shown.contains(name))
        });
        if names == Some(true) { Goes::Output } else { Goes::Elsewhere }
    }
}

/// Where a command's own redirections send its standard output.
fn own(command: &CommandView) -> Option<Goes> {
    command.redirects.iter().rev().find_map(|redirect| {
        let of_output = redirect.descriptor.as_deref().is_none_or(|descriptor| descriptor == "1");
        let target = redirect.target.text.as_deref();
        match redirect.operator {
            ">&" if of_output && target == Some("2") => Some(Goes::Error),
            ">&" if of_output && target == Some("1") => None,
            ">&" | ">" | ">>" | ">|" if of_output => Some(match target {
                Some("/dev/stderr") => Goes::Error,
                Some("/dev/stdout" | "/dev/fd/1") => Goes::Output,
                _ => Goes::Elsewhere,
            }),
            "&>" | "&>>" => Some(Goes::Elsewhere),
            _ => None,
        }
    })
}

/// `export`, `local` and their kin: `name=value` among the words is an assignment.
pub(super) fn is_declaration(command: &CommandView) -> bool {
    matches!(command.name(), Some("export" | "local" | "declare" | "readonly" | "typeset"))
}

/// Names of the variables that a script sets.
pub(super) fn assigned(view: &View) -> impl Iterator<Item = &str> {
    view.commands.iter().flat_map(|command| {
        let reads = matches!(command.name(), Some("read" | "mapfile" | "readarray" | "getopts" | "printf"));
        let declares = is_declaration(command);
        let words = command.words.iter().skip(1).filter_map(move |word| {
            if declares {
                Some(word.source.split('=').next().unwrap_or(""))
            } else {
                word.text.as_deref().filter(|_| reads)
            }
        });
        command.assignments.iter().map(|(name, _)| name.as_str()).chain(words)
    })
}

/// Names of the variables that a script's loops set: `for name in`, `select name in`.
pub(super) fn looped(script: &str) -> impl Iterator<Item = &str> {
    let mut words = script.split_whitespace();
    std::iter::from_fn(move || {
        words.by_ref().find(|word| matches!(*word, "for" | "select"))?;
        words.next()
    })
}

/// Names of the functions that a script defines.
pub(super) fn functions(view: &View) -> impl Iterator<Item = &str> {
    let all = view.commands.iter().flat_map(|command| &command.via);
    all.filter_map(|via| if let Via::Function(name) = via { Some(name.as_str()) } else { None })
}

fn piece(word: &WordView, command: &CommandView, goes: Goes) -> Piece {
    let offset = command.span.start;
    match &word.text {
        Some(text) => Piece { text: text.clone(), known: true, offset, goes },
        None => {
            let text = match word.source.strip_prefix('\'') {
                // Single quotes that are left for a variable: `'{"a":"'"$b"'"}'`.
                Some(source) => source.replace("'\"", ""),
                None => word.source.strip_prefix('"').unwrap_or(&word.source).replace("\\\"", "\""),
            };
            Piece { text, known: false, offset, goes }
        }
    }
}

/// The body up to the line that ends the here-document of the command with which `text` begins.
fn document_end<'t>(text: &str, body: &'t str) -> Option<&'t str> {
    let after = text.split_once("<<")?.1.trim_start_matches(['-', ' ', '"', '\'']);
    let length = after.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    let word = after.get(..length).filter(|word| !word.is_empty())?;
    let end = body.match_indices(word).find(|(at, _)| {
        let before = body.get(..*at).unwrap_or("").trim_end_matches(['\t', ' ']);
        let behind = body.get(at + word.len()..).unwrap_or("");
        before.ends_with('\n') && (behind.is_empty() || behind.starts_with(['\n', ')']))
    });
    body.get(..end?.0)
}

/// The filter of a call of `jq`: the first operand.
fn jq_program(command: &CommandView) -> Option<&WordView> {
    let mut words = command.words.iter().skip(1);
    while let Some(word) = words.next() {
        let text = word.text.as_deref().unwrap_or("");
        match text {
            "--arg" | "--argjson" | "--slurpfile" | "--rawfile" => {
                words.nth(1);
            }
            "--indent" | "-L" => {
                words.next();
            }
            "-f" | "--from-file" => return None,
            _ if text.starts_with('-') && text.len() > 1 => {}
            _ => return Some(word),
        }
    }
    None
}

/// Keys of objects in a text of JSON or jq.
pub(super) fn keys(text: &str) -> impl Iterator<Item = &str> {
    static KEY: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r#"(?:"([A-Za-z_]\w*)"|[{,]\s*([A-Za-z_]\w*))\s*:"#).ok());
    captures(&KEY, text)
}

/// The names of the members of the object that a text of JSON or jq begins with; `None` where it is no object, or one is computed.
pub(super) fn top_keys(text: &str) -> Option<Vec<&str>> {
    let body = text.trim_start().strip_prefix('{')?;
    let (mut depth, mut quote, mut skip) = (1_u32, false, false);
    // Where a name may begin, and whether one is looked for.
    let (mut start, mut wanted) = (0, true);
    let mut found = Vec::new();
    for (at, letter) in body.char_indices() {
        if skip || quote {
            let ends = !skip && letter == '"';
            skip = !skip && letter == '\\';
            quote = quote && !ends;
            continue;
        }
        match letter {
            '\\' => skip = true,
            '"' => quote = true,
            '{' | '[' | '(' => depth = depth.saturating_add(1),
            ':' | ',' | '}' if depth == 1 => {
                let name = body.get(start..at).unwrap_or("").trim().trim_matches('"');
                if wanted && !name.is_empty() {
                    // `{reason: $x}`, and jq's `{reason}` and `{$reason}`.
                    let name = if letter == ':' { name } else { name.strip_prefix('$').unwrap_or(name) };
                    let is_plain =
                        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
                    if !name.bytes().all(is_plain) {
                        return None;
                    }
                    found.push(name);
                }
                wanted = letter == ',';
                start = at + 1;
                if letter == '}' {
                    return Some(found);
                }
            }
            '}' | ']' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    // It is cut, or goes on in another text.
    None
}

/// Roots of paths in a jq program: `tool_input` of `.tool_input.command`.
pub(super) fn roots(text: &str) -> impl Iterator<Item = &str> {
    static ROOT: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r#"(?:^|[^\w.\])}"$?])\.([A-Za-z_]\w*)"#).ok());
    captures(&ROOT, text)
}

/// The members that a program in Python reads: `data["cwd"]`, `data.get('cwd')`.
pub(super) fn members(text: &str) -> impl Iterator<Item = &str> {
    static READ: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r#"(?:\.get\(|\[)\s*\\?["'](\w+)"#).ok());
    captures(&READ, text)
}

/// Values of the string member `name`.
pub(super) fn string_values<'t>(text: &'t str, name: &str) -> Vec<&'t str> {
    static MEMBER: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r#"(?:"([A-Za-z_]\w*)"|[{,]\s*([A-Za-z_]\w*))\s*:\s*"(\w*)""#).ok());
    let Some(regex) = MEMBER.as_ref() else { return Vec::new() };
    regex
        .captures_iter(text)
        .filter(|found| found.get(1).or(found.get(2)).is_some_and(|key| key.as_str() == name))
        .filter_map(|found| found.get(3).map(|value| value.as_str()))
        .collect()
}

fn captures<'t>(regex: &'static LazyLock<Option<Regex>>, text: &'t str) -> impl Iterator<Item = &'t str> {
    let found = regex.as_ref().map(|regex| regex.captures_iter(text));
    found.into_iter().flatten().filter_map(|found| found.get(1).or(found.get(2)).map(|group| group.as_str()))
}

/// Names of variables that a text expands: `$name` and `${name...}`, with the offset of the `$`.
pub(super) fn variables(text: &str) -> impl Iterator<Item = (usize, &str)> {
    static VARIABLE: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\$(?:\{[!#]?)?([A-Za-z_]\w*)").ok());
    named(&VARIABLE, text)
}

/// The same with positional parameters.
pub(super) fn parameters(text: &str) -> impl Iterator<Item = (usize, &str)> {
    static PARAMETER: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\$(?:\{[!#]?)?([A-Za-z_]\w*|[1-9])").ok());
    named(&PARAMETER, text)
}

/// What an expression for expansions finds; behind a backslash a `$` is none.
fn named<'t>(
    regex: &'static LazyLock<Option<Regex>>,
    text: &'t str,
) -> impl Iterator<Item = (usize, &'t str)> {
    let found = regex.as_ref().map(|regex| regex.captures_iter(text));
    let all = found.into_iter().flatten();
    let all = all.filter_map(|found| Some((found.get(0)?.start(), found.get(1)?.as_str())));
    all.filter(move |(at, _)| {
        let before = text.as_bytes().get(..*at).unwrap_or(&[]);
        let slashes = before.iter().rev().take_while(|byte| **byte == b'\\').take(64).count();
        slashes.is_multiple_of(2)
    })
}

/// Names of the variables that a word expands, with their offsets; what stands between single quotes or behind a backslash is none.
pub(super) fn expanded(source: &str) -> Vec<(usize, &str)> {
    let (mut double, mut single, mut escaped) = (false, false, false);
    let mut is_read = Vec::with_capacity(source.len());
    for byte in source.bytes() {
        is_read.push(!single && !escaped);
        match byte {
            _ if escaped => escaped = false,
            b'\\' if !single => escaped = true,
            b'"' if !single => double = !double,
            b'\'' if !double => single = !single,
            _ => {}
        }
    }
    variables(source).filter(|(at, _)| is_read.get(*at) == Some(&true)).collect()
}

/// Names of the variables that a word expands outside of quotes.
pub(super) fn unquoted_variables(source: &str) -> Vec<&str> {
    let outside = outside_quotes(source);
    let is_length = |at: usize| source.get(at..).is_some_and(|rest| rest.starts_with("${#"));
    let outside = |at: &usize| outside.get(*at) == Some(&true) && !is_length(*at);
    variables(source).filter(|(at, _)| outside(at)).map(|(_, name)| name).collect()
}

/// The word from each `$(` on that stands outside of quotes.
pub(super) fn unquoted_substitutions(source: &str) -> Vec<&str> {
    let outside = outside_quotes(source);
    let starts = source.match_indices("$(").filter(|(at, _)| outside.get(*at) == Some(&true));
    // The first one alone: what follows stands in it, or is no better.
    starts.take(1).filter_map(|(at, _)| source.get(at..)).collect()
}

/// For each byte of a word whether it stands outside of quotes.
fn outside_quotes(source: &str) -> Vec<bool> {
    let (mut double, mut single, mut escaped) = (false, false, false);
    let mut outside = Vec::with_capacity(source.len());
    for byte in source.bytes() {
        outside.push(!double && !single && !escaped);
        if escaped {
            escaped = false;
            continue;
        }
        match byte {
            b'\\' if !single => escaped = true,
            b'"' if !single => double = !double,
            b'\'' if !double => single = !single,
            _ => {}
        }
    }
    outside
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scans() {
        assert_eq!(keys(r#"{"a": 1, b: {c : "x:y"}}"#).collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(
            roots(r#".tool_input.command // (.data.x) | .a[.b] | $x.c | "a.d" | ."q""#).collect::<Vec<_>>(),
            ["tool_input", "data", "a", "b"]
        );
        assert_eq!(string_values(r#"{"decision":"deny", x: {decision: "b"}}"#, "decision"), ["deny", "b"]);
        assert_eq!(expanded(r#""a '$b' \$c"'$d'"${e}"$f"#), [(4, "b"), (17, "e"), (22, "f")]);
        for (text, names) in [
            (r#"{"a": {"b": 1, "c": [2]}, d: "x,y:{", $e, f}"#, Some(vec!["a", "d", "e", "f"])),
            ("{}", Some(vec![])),
            ("{a: (.b | {c: 1})} | tostring", Some(vec!["a"])),
            (r#"{"$a": 1}"#, None),
            ("{(.a): 1}", None),
            (r#"{"a": "$x"#, None),
            ("[1]", None),
        ] {
            assert_eq!(top_keys(text), names, "{text}");
        }
        assert_eq!(unquoted_variables(r#"a$b"$c"'$d'\$e${f%x}${#g}"#), ["b", "f"]);
    }
}
