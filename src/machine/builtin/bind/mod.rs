//! `bind`: Readline's key bindings and variables. No line is edited here; a script can still set and ask for them, as it
//! can in a bash without a terminal. Bash manual 4.2, 8.3.

mod key;
mod table;

use crate::memory::{BTreeMap, JoinMetered, String, ToMetered, Vec, format, vec};
use super::{Builtin, Flow, Invocation, letter_options};
use crate::machine::process::{Process, Step};
use crate::machine::run::Run;
use crate::text::Text;
use std::fmt::Write as _;
use std::sync::Arc;
use std::task::Context;
use table::{FUNCTIONS, VARIABLES};

pub(super) static BIND: Builtin = Builtin {
    name: "bind",
    special: false,
    synopsis: "bind [-lpsvPSVX] [-m keymap] [-f filename] [-q name] [-u name] [-r keyseq] \
               [-x keyseq:shell-command] [keyseq:readline-function or readline-command]",
    help: "Set Readline key bindings and variables.",
    run,
};

/// Most bindings that a script can make.
const MOST: usize = 4096;

/// What a key sequence does.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Action {
    Function(&'static str),
    Macro(Text),
    Command(Text),
    Nothing,
}

/// What a script changed: bindings by keymap and key sequence, and variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bindings {
    keys: BTreeMap<(usize, Vec<u8>), Action>,
    variables: BTreeMap<&'static str, Text>,
}

/// The number of a keymap, and what stands before its key sequences.
fn keymap(name: &[u8]) -> Option<(usize, &'static [u8])> {
    Some(match name {
        b"emacs" | b"emacs-standard" => (0, b""),
        b"emacs-meta" => (0, b"\x1b"),
        b"emacs-ctlx" => (0, b"\x18"),
        b"vi-insert" => (1, b""),
        b"vi" | b"vi-command" | b"vi-move" => (2, b""),
        _ => return None,
    })
}

/// The function of that name.
fn function(name: &[u8]) -> Option<&'static str> {
    FUNCTIONS.iter().map(|row| row.0).find(|own| own.as_bytes().eq_ignore_ascii_case(name))
}

impl Bindings {
    /// Everything that is bound in a keymap, in the order of the keys.
    fn bound(&self, map: usize) -> BTreeMap<Vec<u8>, Action> {
        let mut bound = BTreeMap::new();
        for row in FUNCTIONS {
            for keys in row.1.get(map).unwrap_or(&"").split(' ').filter(|keys| !keys.is_empty()) {
                bound.insert(key::decode(keys.as_bytes()), Action::Function(row.0));
            }
        }
        if map < 2 {
            for byte in (b' '..=b'~').chain(0x80..=0xff) {
                bound.insert(vec![byte], Action::Function("self-insert"));
            }
        }
        if map == 0 {
            for (prefix, letter) in [0x18_u8, 0x1b].into_iter().flat_map(|prefix| (b'A'..=b'Z').map(move |l| (prefix, l))) {
                if (prefix, letter) != (0x1b, b'O') {
                    bound.insert(vec![prefix, letter], Action::Function("do-lowercase-version"));
                }
            }
        }
        for ((_, keys), action) in self.keys.iter().filter(|((own, _), _)| *own == map) {
            match action {
                Action::Nothing => bound.remove(keys),
                action => bound.insert(keys.clone(), action.clone()),
            };
        }
        bound
    }

    /// The keys of a function, as they are shown.
    fn keys_of(&self, map: usize, name: &str) -> Vec<String> {
        let bound = self.bound(map);
        let own = bound.into_iter().filter(|(_, action)| *action == Action::Function(function(name.as_bytes()).unwrap_or("")));
        own.map(|(keys, _)| key::encode(&keys)).collect()
    }

    fn set(&mut self, map: usize, keys: Vec<u8>, action: Action) {
        if self.keys.len() < MOST || self.keys.contains_key(&(map, keys.clone())) {
            self.keys.insert((map, keys), action);
        }
    }

    fn value(&self, name: &'static str, default: &'static str) -> Text {
        self.variables.get(name).cloned().unwrap_or_else(|| Text::from_static(default.as_bytes()))
    }
}

fn run(process: &mut Process, run: &mut Run, _: &mut Context<'_>, invocation: &mut Invocation) -> Step<Flow> {
    let own = invocation.name();
    if !process.shell.state.interactive {
        process.report_for(&own, "warning: line editing not enabled");
    }
    let letters = match letter_options::parse(process, invocation, b"lpsvPSVXf:q:u:m:r:x:") {
        Ok(letters) => letters,
        Err(flow) => return Ok(flow),
    };
    let default = if process.shell.state.options.has(crate::machine::option::ShellOption::Vi) { b"vi-insert".as_slice() } else { b"emacs" };
    let name = letters.value(b'm').map_or(default, |name| name.as_bytes());
    let Some((map, prefix)) = keymap(name) else {
        let shown = bstr::BString::from(name);
        process.report_for(&own, format_args!("`{shown}': invalid keymap name"));
        return Ok(Flow::Status(1));
    };
    let mut status = 0;
    for (letter, value) in &letters.given {
        let value = value.clone().unwrap_or_default();
        match letter {
            b'q' => status = status.max(query(process, &own, map, &value)),
            b'u' => status = status.max(unbind(process, &own, map, &value)),
            b'r' => change(process, map, [prefix, &key::decode(&value)].concat_metered(), Action::Nothing),
            b'x' => status = status.max(bind_command(process, &own, (map, prefix), &value)),
            b'f' => {
                let path = crate::vfs::path::join(&process.shell.state.cwd, &value);
                match run.services.session.fs.read(&path) {
                    Ok(content) => {
                        for line in content.as_bytes().split(|&byte| byte == b'\n') {
                            bind_line(process, (map, prefix), line);
                        }
                    }
                    Err(error) => {
                        process.report_for(&own, format_args!("{value}: cannot read: {error}"));
                        status = 1;
                    }
                }
            }
            b'm' => {}
            letter => list(process, map, *letter),
        }
    }
    for operand in invocation.args.get(letters.first..).unwrap_or(&[]).to_metered() {
        bind_line(process, (map, prefix), &operand);
    }
    Ok(Flow::Status(status))
}

fn change(process: &mut Process, map: usize, keys: Vec<u8>, action: Action) {
    Arc::make_mut(&mut process.shell.state.bindings).set(map, keys, action);
}

/// `-q function`
fn query(process: &mut Process, own: &Text, map: usize, name: &Text) -> u8 {
    let Some(name) = function(name) else {
        process.report_for(own, format_args!("`{name}': unknown function name"));
        return 1;
    };
    let keys = process.shell.state.bindings.keys_of(map, name);
    let (text, status) = if keys.is_empty() {
        (format!("{name} is not bound to any keys.\n"), 1)
    } else {
        (format!("{name} can be invoked via {}\n", shown_keys(&keys)), 0)
    };
    process.out.extend_from_slice(text.as_bytes());
    status
}

/// Up to five keys.
fn shown_keys(keys: &[String]) -> String {
    let mut text: Vec<String> = keys.iter().take(5).map(|keys| format!("\"{keys}\"")).collect();
    let end = if keys.len() > 5 { ", ..." } else { "." };
    let joined = text.join(", ");
    text.clear();
    format!("{joined}{end}")
}

/// `-u function`
fn unbind(process: &mut Process, own: &Text, map: usize, name: &Text) -> u8 {
    let Some(name) = function(name) else {
        process.report_for(own, format_args!("`{name}': unknown function name"));
        return 1;
    };
    let bound = process.shell.state.bindings.bound(map);
    for (keys, _) in bound.into_iter().filter(|(_, action)| *action == Action::Function(name)) {
        change(process, map, keys, Action::Nothing);
    }
    0
}

/// `-x '"keys": command'`
fn bind_command(process: &mut Process, own: &Text, (map, prefix): (usize, &[u8]), text: &Text) -> u8 {
    let Some((keys, rest)) = key::split(text) else {
        process.report_for(own, format_args!("{text}: first non-whitespace character is not `\"'"));
        return 1;
    };
    let command = match rest {
        [b'"', inner @ .., b'"'] => inner,
        command => command,
    };
    change(process, map, [prefix, &keys].concat_metered(), Action::Command(Text::from(command)));
    0
}

/// A line as in an init file: `keys: function`, `keys: "macro"`, `set variable value`.
fn bind_line(process: &mut Process, (map, prefix): (usize, &[u8]), line: &[u8]) {
    let line = line.trim_ascii();
    if line.is_empty() || line.starts_with(b"#") || line.starts_with(b"$") {
        return;
    }
    if let Some(setting) = line.strip_prefix(b"set ") {
        let setting = setting.trim_ascii();
        let end = setting.iter().position(u8::is_ascii_whitespace).unwrap_or(setting.len());
        let (name, value) = setting.split_at(end);
        let known = VARIABLES.iter().find(|(own, _)| own.as_bytes().eq_ignore_ascii_case(name));
        if let Some((own, _)) = known {
            let bindings = Arc::make_mut(&mut process.shell.state.bindings);
            bindings.variables.insert(own, Text::from(value.trim_ascii()));
        }
        return;
    }
    let split = if line.starts_with(b"\"") { key::split(line) } else { key::split_named(line) };
    let Some((keys, rest)) = split else {
        let shown = bstr::BString::from(line);
        process.write_error(format!("readline: {shown}: no key sequence terminator\n").as_bytes());
        return;
    };
    let action = match rest {
        [b'"', inner @ .., b'"'] | [b'\'', inner @ .., b'\''] => Action::Macro(Text::from(key::decode(inner))),
        name => match function(name) {
            Some(name) => Action::Function(name),
            None => return,
        },
    };
    change(process, map, [prefix, &keys].concat_metered(), action);
}

/// `-l`, `-p`, `-P`, `-s`, `-S`, `-v`, `-V`, `-X`.
fn list(process: &mut Process, map: usize, letter: u8) {
    let bindings = Arc::clone(&process.shell.state.bindings);
    let mut out = String::new();
    match letter {
        b'l' => FUNCTIONS.iter().for_each(|row| out.extend([row.0, "\n"])),
        b'v' | b'V' => {
            for (name, default) in VARIABLES {
                let value = bindings.value(name, default);
                let _ = if letter == b'v' {
                    writeln!(out, "set {name} {value}")
                } else {
                    writeln!(out, "{name} is set to `{value}'")
                };
            }
        }
        b'p' | b'P' => {
            let mut keys: BTreeMap<&str, Vec<String>> = BTreeMap::new();
            for (own, action) in bindings.bound(map) {
                if let Action::Function(name) = action {
                    if let Some(keys) = keys.get_or_default(name) {
                        keys.push(key::encode(&own));
                    }
                }
            }
            out.push('\n');
            for name in FUNCTIONS.iter().map(|row| row.0) {
                match (keys.get(name), letter) {
                    (None, b'p') => {
                        let _ = writeln!(out, "# {name} (not bound)");
                    }
                    (None, _) => {
                        let _ = writeln!(out, "{name} is not bound to any keys");
                    }
                    (Some(keys), b'p') => {
                        for keys in keys {
                            let _ = writeln!(out, "\"{keys}\": {name}");
                        }
                    }
                    (Some(keys), _) => {
                        let _ = writeln!(out, "{name} can be found on {}", shown_keys(keys));
                    }
                }
            }
        }
        _ => {
            for (keys, action) in bindings.bound(map) {
                let keys = key::encode(&keys);
                match (action, letter) {
                    (Action::Macro(text), b's') => {
                        let _ = writeln!(out, "\"{keys}\": \"{}\"", key::encode(&text));
                    }
                    (Action::Macro(text), b'S') => {
                        let _ = writeln!(out, "{keys} outputs {}", key::encode(&text));
                    }
                    (Action::Command(text), b'X') => {
                        let _ = writeln!(out, "\"{keys}\": \"{text}\"");
                    }
                    _ => {}
                }
            }
        }
    }
    process.out.extend_from_slice(out.as_bytes());
}
