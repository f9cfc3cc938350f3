//! `compgen`: the words that a completion would offer. Bash manual 8.7.

use crate::memory::{JoinMetered, Vec};
use super::describe::RESERVED_WORDS;
use super::letter_options::Letters;
use super::{BUILTINS, Builtin, Flow, Invocation, letter_options};
use crate::machine::builder::Field;
use crate::machine::name;
use crate::machine::option::{OPTIONS, Options, ShellOption};
use crate::machine::process::{Halt, Process, Step};
use crate::machine::run::Run;
use crate::machine::variable::{Attributes, Value};
use crate::machine::{job::JobStatus, quote, trap};
use crate::pattern::{NoTicker, Pattern, PatternOptions};
use crate::text::Text;
use crate::vfs::FileKind;
use std::sync::Arc;
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
    let word = invocation.args.get(letters.first).cloned().unwrap_or_default();
    let mut work = match invocation.resumed::<Work>() {
        Some(work) => work,
        None => {
            for letter in [b'F', b'C'] {
                if letters.has(letter) {
                    let letter = char::from(letter);
                    let warning = format_args!("warning: -{letter} option may not work as you expect");
                    process.report_for(&own, warning);
                }
            }
            let mut words = Vec::new();
            offered(process, run, &letters, &word, &mut words)?;
            Box::new(Work { words, step: 0, options: process.shell.state.options })
        }
    };
    // Lists, functions and commands may run script: each is a callback, and this builtin goes on behind it.
    while work.step < 6 {
        let step = work.step;
        work.step += 1;
        let text = match step {
            0 => letters.value(b'W').and_then(|list| list_callback(process, run, list)),
            2 => letters.value(b'F').map(|function| {
                set_completion_variables(process, run, true);
                let call = [function.as_bytes(), b" compgen ", &quote::single(&word), b" ''; "].concat_metered();
                [call.as_slice(), LIST, b"=."].concat_metered()
            }),
            4 => letters.value(b'C').map(|command| {
                let call = [command.as_bytes(), b" compgen ", &quote::single(&word), b" ''"].concat_metered();
                [b"builtin mapfile -t COMPREPLY <<< \"$(", call.as_slice(), b")\""].concat_metered()
            }),
            1 => {
                process.shell.state.options = work.options;
                if let Some(list) = letters.value(b'W') {
                    let found = match taken(process, run, LIST) {
                        Some(found) => found,
                        None if list.iter().any(|byte| matches!(byte, b'$' | b'`')) => {
                            return Err(Halt::Discard(1));
                        }
                        None => {
                            let separators = process.scalar(run, name::IFS);
                            split_words(list, separators.as_ref().map_or(b" \t\n", |text| text.as_bytes()))
                        }
                    };
                    work.words.extend(found.into_iter().filter(|found| found.starts_with(&word)));
                }
                None
            }
            3 | 5 => {
                let letter = if step == 3 { b'F' } else { b'C' };
                if letters.has(letter) {
                    if step == 3 {
                        set_completion_variables(process, run, false);
                    }
                    // An error that gave up the function leaves nothing.
                    if step == 3 && taken(process, run, LIST).is_none() {
                        return Err(Halt::Discard(1));
                    }
                    let found = taken(process, run, b"COMPREPLY").unwrap_or_default();
                    work.words.extend(found.into_iter().filter(|found| step == 3 || !found.is_empty()));
                }
                None
            }
            _ => None,
        };
        if let Some(text) = text {
            if step == 0 {
                process.shell.state.options.set(ShellOption::NoGlob, true);
                process.shell.state.options.set(ShellOption::BraceExpand, false);
            }
            let own = invocation.args.first().cloned();
            invocation.progress = Some(work);
            let waiting = std::mem::replace(invocation, Invocation::empty(&COMPGEN));
            invocation.args.extend(own);
            return process.start_callback(run, waiting, Arc::from(text));
        }
    }
    let mut words = work.words;
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
    let around = prefix.map_or(0, |text| text.len()) + suffix.map_or(0, |text| text.len()) + 1;
    let total = words.iter().fold(0_usize, |total, word| total.saturating_add(around + word.len()));
    let _held = run.services.meter.charge(total as u64)?;
    for word in &words {
        process.out.extend_from_slice(prefix.map_or(&[], |prefix| prefix.as_bytes()));
        process.out.extend_from_slice(word);
        process.out.extend_from_slice(suffix.map_or(&[], |suffix| suffix.as_bytes()));
        process.out.push(b'\n');
    }
    Ok(Flow::Status(u8::from(words.is_empty())))
}

/// A completion that is being made: what was found, and the next step.
struct Work {
    words: Vec<Text>,
    step: u8,
    /// Options before the words of `-W` were expanded.
    options: Options,
}

/// Where the words of `-W` are put when they have expansions.
const LIST: &[u8] = b"_compgen_list";

/// The order in which bash looks at what actions offer.
const ORDER: [&str; 24] = [
    "alias", "arrayvar", "binding", "builtin", "disabled", "enabled", "export", "function", "helptopic", "hostname",
    "job", "keyword", "running", "setopt", "shopt", "signal", "stopped", "variable", "command", "file", "user", "group",
    "service", "directory",
];

/// What the actions and `-G` offer.
fn offered(
    process: &mut Process,
    run: &mut Run,
    letters: &Letters,
    word: &Text,
    words: &mut Vec<Text>,
) -> Step {
    for name in ORDER {
        let letter = ACTIONS.iter().find(|(own, _)| *own == name).map_or(0, |(_, letter)| *letter);
        let asked = letter != 0 && letters.has(letter)
            || letters.given.iter().any(|(given, value)| {
                *given == b'A' && value.as_ref().is_some_and(|value| value.as_bytes() == name.as_bytes())
            });
        if asked {
            action(process, run, name, word, words)?;
        }
    }
    if let Some(pattern) = letters.value(b'G') {
        words.extend(glob(process, run, pattern)?);
    }
    Ok(())
}

/// A script that puts the expanded words of `-W` into [`LIST`]; `None`: there is nothing to expand.
fn list_callback(process: &mut Process, run: &mut Run, list: &[u8]) -> Option<Vec<u8>> {
    if !list.iter().any(|byte| matches!(byte, b'$' | b'`')) {
        return None;
    }
    let separators = process.scalar(run, name::IFS).unwrap_or_else(|| Text::from_static(b" \t\n"));
    let mut text = [LIST, b"=("].concat_metered();
    let mut quote = 0;
    let mut depth = 0_usize;
    let mut bytes = list.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if quote != b'\'' => {
                text.push(byte);
                text.extend(bytes.next());
            }
            b'\'' | b'"' | b'`' if quote == 0 => {
                quote = byte;
                text.push(byte);
            }
            byte if byte == quote => {
                quote = 0;
                text.push(byte);
            }
            b'$' if quote != b'\'' && matches!(bytes.peek(), Some(b'(' | b'{')) => {
                depth += 1;
                text.push(byte);
                text.extend(bytes.next());
            }
            b'(' | b'{' if depth > 0 => {
                depth += 1;
                text.push(byte);
            }
            b')' | b'}' if depth > 0 => {
                depth -= 1;
                text.push(byte);
            }
            byte if quote != 0 || depth > 0 => text.push(byte),
            byte if separators.contains(&byte) => text.push(b' '),
            byte if b" \t\n;&|<>()*?[]~#".contains(&byte) => text.extend([b'\\', byte]),
            byte => text.push(byte),
        }
    }
    text.push(b')');
    Some(text)
}

/// Takes the values of an array or a variable away; `None`: it is unset.
fn taken(process: &mut Process, run: &mut Run, name: &[u8]) -> Option<Vec<Text>> {
    let id = run.services.names.intern(name);
    let value = process.value_of(run, id);
    process.set_plain(id, Value::Unset);
    match value {
        Value::Unset => None,
        Value::Array(array) => Some(array.iter().map(|(_, value)| value.clone()).collect()),
        Value::Assoc(assoc) => Some(assoc.sorted().into_iter().map(|(_, value)| value.clone()).collect()),
        value => Some(value.text().into_iter().collect()),
    }
}

/// The variables that a completion function sees: no line is edited, so they are empty.
fn set_completion_variables(process: &mut Process, run: &mut Run, on: bool) {
    let values: [(&[u8], Value); 4] = [
        (b"COMP_WORDS", Value::Array(Arc::default())),
        (b"COMP_CWORD", Value::Integer(-1)),
        (b"COMP_LINE", Value::Text(Text::EMPTY)),
        (b"COMP_POINT", Value::Integer(0)),
    ];
    for (name, value) in values {
        let id = run.services.names.intern(name);
        process.set_plain(id, if on { value } else { Value::Unset });
    }
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
        let path = Text::from([folder, &entry.name].concat_metered());
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
