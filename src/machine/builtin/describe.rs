//! What a command name means, for `type`, `command -v` and `command -V`. Bash manual 3.7.2.

use super::context::Context;
use super::output::{Printout, Style};
use crate::machine::executable::Found;
use crate::machine::option::ShellOption;
use crate::memory::{Arc, Vec};
use crate::syntax::ast::FunctionDefinition;
use crate::text::Text;

/// The reserved words, as `compgen -k` lists them.
pub(super) const RESERVED_WORDS: [&str; 22] = [
    "if", "then", "else", "elif", "fi", "case", "esac", "for", "select", "while", "until", "do", "done",
    "in", "function", "time", "{", "}", "!", "[[", "]]", "coproc",
];

/// One meaning of a name.
pub(super) enum Meaning {
    Alias(Text),
    Keyword,
    Function(Arc<FunctionDefinition>),
    Builtin {
        special: bool,
    },
    /// A file that was remembered.
    Hashed(Text),
    File(Text),
}

/// What to look for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CommandSearch {
    pub(super) all: bool,
    pub(super) no_functions: bool,
    /// Only files along `PATH`.
    pub(super) files_only: bool,
    /// `command -p`
    pub(super) default_path: bool,
}

/// The path that `command -p` searches.
pub(super) const DEFAULT_PATH: &[u8] = b"/bin:/usr/bin";

/// The meanings of a name, in the order in which they are taken.
pub(super) fn meanings(ctx: &mut Context<'_, '_>, name: &Text, search: CommandSearch) -> Vec<Meaning> {
    let mut found = Vec::new();
    if !search.files_only {
        shell_meanings(ctx, name, search, &mut found);
        if !search.all {
            found.truncate(1);
            if !found.is_empty() {
                return found;
            }
        }
    }
    if name.contains(&b'/') {
        if let Found::Path(path) = ctx.process.shell.state.search_path(ctx.run, name) {
            found.push(Meaning::File(path));
        }
        return found;
    }
    if (!search.all || search.files_only)
        && !search.default_path
        && let Some((path, _)) = ctx.process.shell.state.commands.hashed.get(name)
    {
        found.push(Meaning::Hashed(super::hash::shown(path)));
        return found;
    }
    let path = if search.default_path {
        Text::from(DEFAULT_PATH)
    } else {
        ctx.process.shell.scalar(ctx.run, crate::machine::name::PATH).unwrap_or_default()
    };
    if search.all {
        for directory in path.split(|&byte| byte == b':') {
            if let Found::Path(path) = ctx.process.shell.search_along(ctx.run, name, directory) {
                found.push(Meaning::File(path));
            }
        }
    } else {
        match ctx.process.shell.search_along(ctx.run, name, &path) {
            // One that cannot be run is better than none.
            Found::Path(path) | Found::NotExecutable(path, _) => found.push(Meaning::File(path)),
            Found::Missing => {}
        }
    }
    found
}

fn shell_meanings(ctx: &Context<'_, '_>, name: &Text, search: CommandSearch, found: &mut Vec<Meaning>) {
    let state = &ctx.process.shell.state;
    if state.options.has(ShellOption::ExpandAliases)
        && let Some(text) = state.commands.aliases.get(name)
    {
        found.push(Meaning::Alias(text.clone()));
    }
    if RESERVED_WORDS.iter().any(|word| word.as_bytes() == name.as_bytes()) {
        found.push(Meaning::Keyword);
    }
    let function = ctx.run.services.names.find(name).and_then(|id| state.commands.functions.get(&id));
    if let Some(function) = function.filter(|_| !search.no_functions) {
        found.push(Meaning::Function(Arc::clone(&function.definition)));
    }
    if let Some(builtin) =
        ctx.find_builtin(name).filter(|builtin| ctx.process.shell.state.is_enabled(builtin))
    {
        let special = builtin.special && state.options.has(ShellOption::Posix);
        found.push(Meaning::Builtin { special });
    }
}

impl Meaning {
    /// The word of `type -t`.
    pub(super) const fn word(&self) -> &'static str {
        match self {
            Self::Alias(_) => "alias",
            Self::Keyword => "keyword",
            Self::Function(_) => "function",
            Self::Builtin { .. } => "builtin",
            Self::Hashed(_) | Self::File(_) => "file",
        }
    }

    /// The sentence of `type` and `command -V`.
    pub(super) fn describe(&self, name: &Text, out: &mut Printout) {
        out.text(name);
        match self {
            Self::Alias(text) => {
                out.bytes(b" is aliased to `");
                out.text(text);
                out.bytes(b"'");
            }
            Self::Keyword => out.bytes(b" is a shell keyword"),
            Self::Function(definition) => {
                out.bytes(b" is a function\n");
                out.function(definition);
            }
            Self::Builtin { special: true } => out.bytes(b" is a special shell builtin"),
            Self::Builtin { special: false } => out.bytes(b" is a shell builtin"),
            Self::Hashed(path) => {
                out.bytes(b" is hashed (");
                out.text(path);
                out.bytes(b")");
            }
            Self::File(path) => {
                out.bytes(b" is ");
                out.text(path);
            }
        }
        out.bytes(b"\n");
    }

    /// The line of `command -v`.
    pub(super) fn reuse(&self, name: &Text, out: &mut Printout) {
        match self {
            Self::Alias(text) => {
                out.bytes(b"alias ");
                out.text(name);
                out.bytes(b"=");
                out.quoted(text, Style::Single);
            }
            Self::Hashed(path) | Self::File(path) => out.text(path),
            _ => out.text(name),
        }
        out.bytes(b"\n");
    }
}
