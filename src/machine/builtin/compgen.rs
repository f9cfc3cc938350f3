//! `compgen`: the words that a completion would offer. Bash manual 8.7.

use super::describe::RESERVED_WORDS;
use super::letter_options::Letters;
use super::{BUILTINS, Builtin, Flow, Invocation, letter_options};
use crate::machine::builder::Field;
use crate::machine::name;
use crate::machine::option::OPTIONS;
use crate::machine::process::{Process, Step};
use crate::machine::run::Run;
use crate::machine::variable::{Attributes, Value};
use crate::machine::{job::JobStatus, trap};
use crate::pattern::{NoTicker, Pattern, PatternOptions};
use crate::text::Text;
use crate::vfs::FileKind;
use std::task::Context;

pub(super) static COMPGEN: Builtin = Builtin {
    name: "compgen",
    special: false,
    synopsis: "compgen [-abcdefgjksuv] [-o option] [-A action] [-G globpat] [-W wordlist] [-F function] [-C command] \
               [-X filterpat] [-P prefix] [-S suffix] [word]",
    help: "Display possible completions depending on the options.",
    run,
};

/// Names of `-A`, with their letters.
pub(super) const ACTIONS: [(&str, u8); 24] = [
    ("alias", b'a'),
    ("arrayvar", 0),
    ("binding", 0),
    ("builtin", b'b'),
    ("command", b'c'),
    ("directory", b'd'),
    ("disabled", 0),
    ("enabled", 0),
    ("export", b'e'),
    ("file", b'f'),
    ("function", 0),
    ("group", b'g'),
    ("helptopic", 0),
    ("hostname", 0),
    ("job", b'j'),
    ("keyword", b'k'),
    ("running", 0),
    ("service", b's'),
    ("setopt", 0),
    ("shopt", 0),
    ("signal", 0),
    ("stopped", 0),
    ("user", b'u'),
    ("variable", b'v'),
];

/// Options of `-o`.
pub(super) const COMPLETION_OPTIONS: [&str; 8] =
    ["bashdefault", "default", "dirnames", "filenames", "noquote", "nosort", "nospace", "plusdirs"];

/// A pattern of the table of topics; its text is a script's, so the match has no budget of its own but the table is short.
pub(super) fn compiled(pattern: &[u8]) -> Pattern {
    Pattern::parse(pattern, PatternOptions { extglob: true, ..PatternOptions::default() })
}

/// Whether the whole text matches.
pub(super) fn is_match(pattern: &Pattern, text: &[u8]) -> bool {
    pattern.matches(text, &mut NoTicker).unwrap_or(false)
}

fn run(process: &mut Process, run: &mut Run, _: &mut Context<'_>, invocation: &mut Invocation) -> Step<Flow> {
    let letters = match letter_options::parse(process, invocation, b"abcdefgjksuvo:A:G:W:F:C:X:P:S:") {
        Ok(letters) => letters,
        Err(flow) => return Ok(flow),
    };
    let own = invocation.name();
    if let Some(flow) = check(process, &own, &letters) {
        return Ok(flow);
    }
    for (letter, what) in [(b'F', "function"), (b'C', "command")] {
        if letters.has(letter) {
            let letter = char::from(letter);
            process.report_for(&own, format_args!("-{letter}: no {what} is run for a completion here"));
            return Ok(Flow::Status(1));
        }
    }
    let word = invocation.args.get(letters.first).cloned().unwrap_or_default();
    let mut words = Vec::new();
    for (name, letter) in ACTIONS {
        let asked = letter != 0 && letters.has(letter)
            || letters.given.iter().any(|(given, value)| {
                *given == b'A' && value.as_ref().is_some_and(|value| value.as_bytes() == name.as_bytes())
            });
        if asked {
            action(process, run, name, &word, &mut words)?;
        }
    }
    if let Some(pattern) = letters.value(b'G') {
        words.extend(glob(process, run, pattern)?);
    }
    if let Some(list) = letters.value(b'W') {
        let separators = process.scalar(run, name::IFS).unwrap_or_else(|| Text::from_static(b" \t\n"));
        let list = process.expand_parameters(run, list);
        words.extend(split_words(&list, &separators).into_iter().filter(|found| found.starts_with(&word)));
    }
    if let Some(filter) = letters.value(b'X') {
        let (keep, pattern) = match filter.strip_prefix(b"!") {
            Some(rest) => (true, rest),
            None => (false, filter.as_bytes()),
        };
        let pattern = compiled(pattern);
        words.retain(|word| is_match(&pattern, word) == keep);
    }
    if words.is_empty() {
        let dirnames = letters.given.iter().any(|(letter, value)| {
            *letter == b'o' && value.as_ref().is_some_and(|value| value.as_bytes() == b"dirnames")
        });
        let files = letters.given.iter().any(|(letter, value)| {
            *letter == b'o' && value.as_ref().is_some_and(|value| value.as_bytes() == b"default")
        });
        if dirnames || files {
            action(process, run, if dirnames { "directory" } else { "file" }, &word, &mut words)?;
        }
    }
    let (prefix, suffix) = (letters.value(b'P'), letters.value(b'S'));
    for word in &words {
        process.out.extend_from_slice(prefix.map_or(&[], |prefix| prefix.as_bytes()));
        process.out.extend_from_slice(word);
        process.out.extend_from_slice(suffix.map_or(&[], |suffix| suffix.as_bytes()));
        process.out.push(b'\n');
    }
    Ok(Flow::Status(u8::from(words.is_empty())))
}

/// Looks at the names of actions and options.
pub(super) fn check(process: &mut Process, own: &Text, letters: &Letters) -> Option<Flow> {
    for (letter, value) in &letters.given {
        let Some(value) = value else { continue };
        if *letter == b'A' && !ACTIONS.iter().any(|(name, _)| name.as_bytes() == value.as_bytes()) {
            process.report_for(own, format_args!("{value}: invalid action name"));
            return Some(Flow::Status(2));
        }
        if *letter == b'o' && !COMPLETION_OPTIONS.iter().any(|name| name.as_bytes() == value.as_bytes()) {
            process.report_for(own, format_args!("{value}: invalid option name"));
            return Some(Flow::Status(2));
        }
    }
    None
}

/// Adds what an action offers.
fn action(process: &mut Process, run: &mut Run, name: &str, word: &Text, words: &mut Vec<Text>) -> Step {
    let mut found: Vec<Text> = Vec::new();
    let texts = |names: &mut dyn Iterator<Item = &'static str>| names.map(Text::from).collect::<Vec<Text>>();
    let state = &process.shell.state;
    let mut sorts = true;
    match name {
        "alias" => found.extend(state.aliases.keys().cloned()),
        "builtin" => found = texts(&mut BUILTINS.iter().map(|builtin| builtin.name)),
        "enabled" => {
            found = texts(
                &mut BUILTINS
                    .iter()
                    .filter(|builtin| process.is_enabled(builtin))
                    .map(|builtin| builtin.name),
            );
        }
        "disabled" => found = texts(&mut state.disabled.iter().copied()),
        "keyword" => {
            sorts = false;
            found = texts(&mut RESERVED_WORDS.into_iter());
        }
        "function" => found.extend(state.functions.keys().map(|id| run.services.names.text(*id))),
        "helptopic" => found = texts(&mut super::help::topics().into_iter().map(|topic| topic.0)),
        "setopt" | "shopt" => {
            let set = name == "setopt";
            found = texts(&mut OPTIONS.iter().filter(|option| option.3 == set).map(|option| option.1));
        }
        "signal" => {
            sorts = false;
            found = (0..=64).filter_map(trap::signal_name).map(Text::from).collect();
        }
        "user" => found.push(run.services.session.identity.user.clone()),
        "group" => found.push(run.services.session.identity.user.clone()),
        "hostname" => found.push(run.services.session.identity.host.clone()),
        "job" | "running" => {
            let jobs =
                state.jobs.list.iter().filter(|job| job.status == JobStatus::Running && job.number != 0);
            found.extend(
                jobs.map(|job| Text::from(job.text.split(|&byte| byte == b' ').next().unwrap_or(&[]))),
            );
        }
        "variable" | "export" | "arrayvar" => {
            for (id, slot) in process.shell.variables.existing() {
                let wanted = match name {
                    "export" => slot.attributes.has(Attributes::EXPORTED),
                    "arrayvar" => slot.value.is_array() || slot.attributes.has(Attributes::ARRAY),
                    _ => true,
                };
                if wanted && !(slot.value == Value::Unset && name != "variable") {
                    found.push(run.services.names.text(id));
                }
            }
        }
        "command" => return command_names(process, run, word, words),
        "file" | "directory" => return files(process, run, word, name == "directory", words),
        // There are no network services, key bindings or stopped jobs.
        _ => {}
    }
    found.retain(|candidate| candidate.starts_with(word));
    if sorts {
        found.sort();
    }
    words.append(&mut found);
    Ok(())
}

/// Keywords, functions, builtins, aliases, and the files along `PATH`.
fn command_names(process: &mut Process, run: &mut Run, word: &Text, words: &mut Vec<Text>) -> Step {
    for name in ["alias", "keyword", "function", "enabled"] {
        action(process, run, name, word, words)?;
    }
    let path = process.scalar(run, name::PATH).unwrap_or_default();
    for directory in path.split(|&byte| byte == b':') {
        let mut pattern = Text::from(directory);
        pattern.push_bytes(b"/");
        pattern.push_bytes(word);
        let mut found = Vec::new();
        files(process, run, &pattern, false, &mut found)?;
        for file in found {
            if matches!(process.search_path(run, &file), crate::machine::command::Found::Path(_)) {
                words.push(Text::from(file.rsplit(|&byte| byte == b'/').next().unwrap_or(&file)));
            }
        }
    }
    Ok(())
}

/// Files that begin with a text.
fn files(
    process: &mut Process,
    run: &mut Run,
    word: &Text,
    directories: bool,
    words: &mut Vec<Text>,
) -> Step {
    let fs = &run.services.session.fs;
    let cut = word.iter().rposition(|&byte| byte == b'/').map_or(0, |at| at + 1);
    let (folder, start) = word.split_at(cut);
    let absolute = crate::vfs::path::join(&process.shell.state.cwd, folder);
    let Ok(entries) = fs.read_dir(&absolute) else { return Ok(()) };
    let mut found = Vec::new();
    for entry in entries {
        if !entry.name.starts_with(start) || (start.is_empty() && entry.name.starts_with(b".")) {
            continue;
        }
        let path = Text::from([folder, &entry.name].concat());
        let is_directory = match entry.kind {
            FileKind::Directory => true,
            FileKind::Symlink => fs
                .metadata(&crate::vfs::path::join(&process.shell.state.cwd, &path))
                .is_ok_and(|metadata| metadata.is_directory()),
            _ => false,
        };
        if is_directory || !directories {
            found.push(path);
        }
    }
    found.sort();
    words.append(&mut found);
    Ok(())
}

/// `-G`
fn glob(process: &mut Process, run: &mut Run, pattern: &Text) -> Step<Vec<Text>> {
    let fields = std::mem::take(&mut process.x.fields);
    let field = Field::unquoted(pattern);
    let step = process.expand_pathname(run, &field);
    let found = std::mem::replace(&mut process.x.fields, fields);
    step?;
    Ok(found.into_iter().filter(|path| path.as_bytes() != pattern.as_bytes()).collect())
}

/// The words of `-W`: quotes keep separators in a word.
fn split_words(list: &[u8], separators: &[u8]) -> Vec<Text> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = 0;
    let mut bytes = list.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if quote != b'\'' => word.get_or_insert_default().extend(bytes.next()),
            b'\'' | b'"' if quote == 0 => {
                quote = byte;
                word.get_or_insert_default();
            }
            byte if byte == quote && quote != 0 => quote = 0,
            byte if quote == 0 && separators.contains(&byte) => words.extend(word.take().map(Text::from)),
            byte => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word.map(Text::from));
    words
}
