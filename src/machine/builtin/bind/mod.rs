//! `bind`: Readline's key bindings and variables. No line is edited here; a script can still set and ask for them, as it
//! can in a bash without a terminal. Bash manual 4.2, 8.3.

mod key;
mod table;

use super::context::ShellContext;
use super::error::BuiltinError;
use super::options::{flag, value};
use super::row::{Act, Builtin, Flow};
use crate::machine::key_binding::{Action, Bindings};
use crate::machine::option::ShellOption;
use crate::memory::{Arc, BTreeMap, JoinMetered, String, Vec, vec};
use crate::text::Text;
use crate::vfs::FsError;
use std::fmt::Write as _;
use table::{FUNCTIONS, VARIABLES};

pub(super) static BIND: Builtin = Builtin {
    name: "bind",
    special: false,
    synopsis: "bind [-lpsvPSVX] [-m keymap] [-f filename] [-q name] [-u name] [-r keyseq] \
               [-x keyseq:shell-command] [keyseq:readline-function or readline-command]",
    help: "Set Readline key bindings and variables.",
    options: &[
        flag(b'l', "list the names of functions"),
        flag(b'p', "show functions and their keys as they are bound"),
        flag(b's', "show macros as they are bound"),
        flag(b'v', "show variables as they are set"),
        flag(b'P', "say which keys functions have"),
        flag(b'S', "say what macros put out"),
        flag(b'V', "say what variables are set to"),
        flag(b'X', "show commands as they are bound"),
        value(b'm', "keymap", "the keymap that is meant"),
        value(b'f', "filename", "read bindings from a file"),
        value(b'q', "name", "say which keys a function has"),
        value(b'u', "name", "unbind the keys of a function"),
        value(b'r', "keyseq", "unbind keys"),
        value(b'x', "keyseq:shell-command", "bind keys to a command"),
    ],
    act: Act::Shell(bind),
};

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
            for (prefix, letter) in
                [0x18_u8, 0x1b].into_iter().flat_map(|prefix| (b'A'..=b'Z').map(move |l| (prefix, l)))
            {
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
        let own = bound
            .into_iter()
            .filter(|(_, action)| *action == Action::Function(function(name.as_bytes()).unwrap_or("")));
        own.map(|(keys, _)| key::encode(&keys)).collect()
    }
}

/// A keymap by its number, and what stands before its key sequences.
#[derive(Clone, Copy)]
struct Keymap {
    number: usize,
    prefix: &'static [u8],
}

impl Keymap {
    fn named(name: &[u8]) -> Option<Self> {
        keymap(name).map(|(number, prefix)| Self { number, prefix })
    }

    fn keys(self, keys: &[u8]) -> Vec<u8> {
        [self.prefix, keys].concat_metered()
    }
}

fn bind(ctx: &mut ShellContext<'_>) -> Result<Flow, BuiltinError> {
    if !ctx.shell.state.invoked.interactive {
        ctx.remark(BuiltinError::NoLineEditing);
    }
    let options = ctx.options()?;
    let vi = ctx.shell.state.options.has(ShellOption::Vi);
    let default = Text::from_static(if vi { b"vi-insert" } else { b"emacs" });
    let name = options.value(b'm').unwrap_or(&default);
    let map = Keymap::named(name).ok_or_else(|| BuiltinError::InvalidKeymap(name.clone()))?;
    for given in options.given() {
        let value = given.value.clone().unwrap_or_default();
        let done = match given.letter {
            b'q' => query(ctx, map, &value),
            b'u' => unbind(ctx, map, &value),
            b'r' => {
                change(ctx, map, map.keys(&key::decode(&value)), Action::Nothing);
                Ok(())
            }
            b'x' => bind_command(ctx, map, &value),
            b'f' => read_file(ctx, map, &value),
            b'm' => Ok(()),
            letter => {
                // Writing into a printout does not fail.
                let _ = list(ctx, map, letter);
                Ok(())
            }
        };
        match done {
            Ok(()) => {}
            Err(error @ BuiltinError::Halt(_)) => return Err(error),
            Err(error) => ctx.complain(error),
        }
    }
    for operand in ctx.operands(&options) {
        bind_line(ctx, map, operand);
    }
    Ok(ctx.flow())
}

fn change(ctx: &mut ShellContext<'_>, map: Keymap, keys: Vec<u8>, action: Action) {
    Arc::make_mut(&mut ctx.shell.state.editor.bindings).set(map.number, keys, action);
}

/// The function of that name.
fn known_function(name: &Text) -> Result<&'static str, BuiltinError> {
    function(name).ok_or_else(|| BuiltinError::UnknownFunction(name.clone()))
}

/// `-q function`
fn query(ctx: &mut ShellContext<'_>, map: Keymap, name: &Text) -> Result<(), BuiltinError> {
    let name = known_function(name)?;
    let keys = ctx.shell.state.editor.bindings.keys_of(map.number, name);
    let _ = if keys.is_empty() {
        ctx.raise(1);
        writeln!(ctx.out, "{name} is not bound to any keys.")
    } else {
        writeln!(ctx.out, "{name} can be invoked via {}", shown_keys(&keys))
    };
    Ok(())
}

/// Up to five keys.
fn shown_keys(keys: &[String]) -> String {
    let mut text = String::new();
    for (at, keys) in keys.iter().take(5).enumerate() {
        let _ = write!(text, "{}\"{keys}\"", if at > 0 { ", " } else { "" });
    }
    text.push_str(if keys.len() > 5 { ", ..." } else { "." });
    text
}

/// `-u function`
fn unbind(ctx: &mut ShellContext<'_>, map: Keymap, name: &Text) -> Result<(), BuiltinError> {
    let name = known_function(name)?;
    let bound = ctx.shell.state.editor.bindings.bound(map.number);
    for (keys, _) in bound.into_iter().filter(|(_, action)| *action == Action::Function(name)) {
        change(ctx, map, keys, Action::Nothing);
    }
    Ok(())
}

/// `-x '"keys": command'`
fn bind_command(ctx: &mut ShellContext<'_>, map: Keymap, text: &Text) -> Result<(), BuiltinError> {
    let (keys, rest) = key::split(text).ok_or_else(|| BuiltinError::NoKeySequence(text.clone()))?;
    let command = match rest {
        [b'"', inner @ .., b'"'] => inner,
        command => command,
    };
    let action = Action::Command(Text::from(command));
    change(ctx, map, map.keys(&keys), action);
    Ok(())
}

/// `-f file`
fn read_file(ctx: &mut ShellContext<'_>, map: Keymap, name: &Text) -> Result<(), BuiltinError> {
    let path = ctx.shell.state.absolute(&ctx.session.fs, name);
    let content = match ctx.session.fs.read(&path) {
        Ok(content) => content,
        Err(FsError::Limit(limit)) => return Err(limit.into()),
        Err(FsError::Errno(errno)) => return Err(BuiltinError::CannotRead { name: name.clone(), errno }),
    };
    for line in content.as_bytes().split(|&byte| byte == b'\n') {
        bind_line(ctx, map, line);
    }
    Ok(())
}

/// A line as in an init file: `keys: function`, `keys: "macro"`, `set variable value`.
fn bind_line(ctx: &mut ShellContext<'_>, map: Keymap, line: &[u8]) {
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
            let bindings = Arc::make_mut(&mut ctx.shell.state.editor.bindings);
            bindings.variables.insert(own, Text::from(value.trim_ascii()));
        }
        return;
    }
    let split = if line.starts_with(b"\"") { key::split(line) } else { key::split_named(line) };
    let Some((keys, rest)) = split else {
        return ctx.remark(BuiltinError::NoTerminator(Text::from(line)));
    };
    let action = match rest {
        [b'"', inner @ .., b'"'] | [b'\'', inner @ .., b'\''] => {
            Action::Macro(Text::from(key::decode(inner)))
        }
        name => match function(name) {
            Some(name) => Action::Function(name),
            None => return,
        },
    };
    change(ctx, map, map.keys(&keys), action);
}

/// `-l`, `-p`, `-P`, `-s`, `-S`, `-v`, `-V`, `-X`.
fn list(ctx: &mut ShellContext<'_>, map: Keymap, letter: u8) -> std::fmt::Result {
    let bindings = Arc::clone(&ctx.shell.state.editor.bindings);
    match letter {
        b'l' => FUNCTIONS.iter().try_for_each(|row| writeln!(ctx.out, "{}", row.0)),
        b'v' => VARIABLES.iter().try_for_each(|(name, default)| {
            writeln!(ctx.out, "set {name} {}", bindings.value(name, default))
        }),
        b'V' => VARIABLES.iter().try_for_each(|(name, default)| {
            writeln!(ctx.out, "{name} is set to `{}'", bindings.value(name, default))
        }),
        b'p' | b'P' => list_functions(ctx, &bindings.bound(map.number), letter),
        _ => bindings.bound(map.number).into_iter().try_for_each(|(keys, action)| {
            let keys = key::encode(&keys);
            match (action, letter) {
                (Action::Macro(text), b's') => writeln!(ctx.out, "\"{keys}\": \"{}\"", key::encode(&text)),
                (Action::Macro(text), b'S') => writeln!(ctx.out, "{keys} outputs {}", key::encode(&text)),
                (Action::Command(text), b'X') => writeln!(ctx.out, "\"{keys}\": \"{text}\""),
                _ => Ok(()),
            }
        }),
    }
}

/// `-p`, `-P`
fn list_functions(
    ctx: &mut ShellContext<'_>,
    bound: &BTreeMap<Vec<u8>, Action>,
    letter: u8,
) -> std::fmt::Result {
    let mut keys: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for (own, action) in bound {
        if let Action::Function(name) = action
            && let Some(keys) = keys.get_or_default(name)
        {
            keys.push(key::encode(own));
        }
    }
    ctx.out.bytes(b"\n");
    for name in FUNCTIONS.iter().map(|row| row.0) {
        match (keys.get(name), letter) {
            (None, b'p') => writeln!(ctx.out, "# {name} (not bound)")?,
            (None, _) => writeln!(ctx.out, "{name} is not bound to any keys")?,
            (Some(keys), b'p') => {
                keys.iter().try_for_each(|keys| writeln!(ctx.out, "\"{keys}\": {name}"))?;
            }
            (Some(keys), _) => writeln!(ctx.out, "{name} can be found on {}", shown_keys(keys))?,
        }
    }
    Ok(())
}
