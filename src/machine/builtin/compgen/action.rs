//! The actions of `compgen`: names that the shell, the session or its files have.

use super::super::context::Context;
use super::super::describe::RESERVED_WORDS;
use super::super::error::BuiltinError;
use super::super::help;
use super::super::options::Options;
use crate::machine::builder::Field;
use crate::machine::executable::Found;
use crate::machine::job::JobStatus;
use crate::machine::option::OPTIONS;
use crate::machine::variable::{Attributes, Value};
use crate::machine::{name, trap};
use crate::memory::{JoinMetered, Vec};
use crate::text::Text;
use crate::vfs::FileKind;

/// What a row offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    Aliases,
    ArrayVariables,
    Builtins,
    Commands,
    Directories,
    Disabled,
    Enabled,
    Exported,
    Files,
    Functions,
    Groups,
    HelpTopics,
    HostNames,
    Jobs,
    Keywords,
    Running,
    SetOptions,
    ShoptOptions,
    Signals,
    Users,
    Variables,
    /// There are no network services, key bindings or stopped jobs.
    Nothing,
}

/// An action.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Action {
    /// For `-A`.
    pub(in super::super) name: &'static str,
    pub(in super::super) letter: Option<u8>,
    source: Source,
    /// Bash looks at the actions in this order.
    order: u8,
}

const fn action(name: &'static str, letter: Option<u8>, order: u8, source: Source) -> Action {
    Action { name, letter, source, order }
}

/// The actions, by name.
pub(in super::super) const ACTIONS: [Action; 24] = [
    action("alias", Some(b'a'), 0, Source::Aliases),
    action("arrayvar", None, 1, Source::ArrayVariables),
    action("binding", None, 2, Source::Nothing),
    action("builtin", Some(b'b'), 3, Source::Builtins),
    action("command", Some(b'c'), 18, Source::Commands),
    action("directory", Some(b'd'), 23, Source::Directories),
    action("disabled", None, 4, Source::Disabled),
    action("enabled", None, 5, Source::Enabled),
    action("export", Some(b'e'), 6, Source::Exported),
    action("file", Some(b'f'), 19, Source::Files),
    action("function", None, 7, Source::Functions),
    action("group", Some(b'g'), 21, Source::Groups),
    action("helptopic", None, 8, Source::HelpTopics),
    action("hostname", None, 9, Source::HostNames),
    action("job", Some(b'j'), 10, Source::Jobs),
    action("keyword", Some(b'k'), 11, Source::Keywords),
    action("running", None, 12, Source::Running),
    action("service", Some(b's'), 22, Source::Nothing),
    action("setopt", None, 13, Source::SetOptions),
    action("shopt", None, 14, Source::ShoptOptions),
    action("signal", None, 15, Source::Signals),
    action("stopped", None, 16, Source::Nothing),
    action("user", Some(b'u'), 20, Source::Users),
    action("variable", Some(b'v'), 17, Source::Variables),
];

/// What the actions and `-G` offer.
pub(super) fn offered(
    ctx: &mut Context<'_, '_>,
    options: &Options,
    word: &Text,
    words: &mut Vec<Text>,
) -> Result<(), BuiltinError> {
    let mut asked: Vec<Action> = ACTIONS
        .into_iter()
        .filter(|action| {
            action.letter.is_some_and(|letter| options.has(letter))
                || options.has_value(b'A', action.name.as_bytes())
        })
        .collect();
    asked.sort_by_key(|action| action.order);
    for action in asked {
        offer(ctx, action.source, word, words);
    }
    if let Some(pattern) = options.value(b'G') {
        words.extend(glob(ctx, pattern)?);
    }
    Ok(())
}

/// Adds what begins with `word`.
fn offer(ctx: &mut Context<'_, '_>, source: Source, word: &Text, words: &mut Vec<Text>) {
    match source {
        Source::Commands => return command_names(ctx, word, words),
        Source::Files | Source::Directories => {
            return files(ctx, word, source == Source::Directories, words);
        }
        _ => {}
    }
    let mut found = names(ctx, source);
    found.retain(|candidate| candidate.starts_with(word));
    if !matches!(source, Source::Keywords | Source::Signals) {
        found.sort();
    }
    words.append(&mut found);
}

fn names(ctx: &Context<'_, '_>, source: Source) -> Vec<Text> {
    let state = &ctx.process.shell.state;
    let session = &ctx.run.services.session;
    match source {
        Source::Aliases => state.commands.aliases.keys().cloned().collect(),
        Source::Builtins => ctx.table.rows.iter().map(|builtin| Text::from(builtin.name)).collect(),
        Source::Enabled => {
            let enabled = ctx.table.rows.iter().filter(|builtin| ctx.process.shell.state.is_enabled(builtin));
            enabled.map(|builtin| Text::from(builtin.name)).collect()
        }
        Source::Disabled => state.commands.disabled.iter().map(|name| Text::from(*name)).collect(),
        Source::Keywords => RESERVED_WORDS.into_iter().map(Text::from).collect(),
        Source::Functions => {
            state.commands.functions.keys().map(|id| ctx.run.services.names.text(*id)).collect()
        }
        Source::HelpTopics => {
            help::topics(ctx.table).into_iter().map(|topic| Text::from(topic.name)).collect()
        }
        Source::SetOptions | Source::ShoptOptions => {
            let in_set = source == Source::SetOptions;
            let options = OPTIONS.iter().filter(|option| option.in_set == in_set);
            options.map(|option| Text::from(option.name)).collect()
        }
        Source::Signals => (0..=64).filter_map(trap::signal_name).map(Text::from).collect(),
        Source::Users | Source::Groups => std::iter::once(session.identity.user.clone()).collect(),
        Source::HostNames => std::iter::once(session.identity.host.clone()).collect(),
        Source::Jobs | Source::Running => {
            let jobs = state.jobs.list.iter();
            let jobs = jobs.filter(|job| job.status == JobStatus::Running && job.number != 0);
            jobs.map(|job| Text::from(job.text.split(|&byte| byte == b' ').next().unwrap_or(&[]))).collect()
        }
        Source::Variables | Source::Exported | Source::ArrayVariables => variables(ctx, source),
        Source::Commands | Source::Files | Source::Directories | Source::Nothing => Vec::new(),
    }
}

fn variables(ctx: &Context<'_, '_>, source: Source) -> Vec<Text> {
    let mut found = Vec::new();
    for (id, slot) in ctx.process.shell.variables.existing() {
        let is_wanted = match source {
            Source::Exported => slot.attributes.has(Attributes::EXPORTED) && slot.value != Value::Unset,
            Source::ArrayVariables => slot.value.is_array(),
            _ => true,
        };
        if is_wanted {
            found.push(ctx.run.services.names.text(id));
        }
    }
    found
}

/// Keywords, functions, builtins, aliases, and the files along `PATH`.
fn command_names(ctx: &mut Context<'_, '_>, word: &Text, words: &mut Vec<Text>) {
    for source in [Source::Aliases, Source::Keywords, Source::Functions, Source::Enabled] {
        offer(ctx, source, word, words);
    }
    let path = ctx.process.shell.scalar(ctx.run, name::PATH).unwrap_or_default();
    for directory in path.split(|&byte| byte == b':') {
        let pattern = Text::from([directory, b"/", word.as_bytes()].concat_metered());
        let mut found = Vec::new();
        files(ctx, &pattern, false, &mut found);
        for file in found {
            if matches!(ctx.process.shell.state.search_path(ctx.run, &file), Found::Path(_)) {
                words.push(Text::from(file.rsplit(|&byte| byte == b'/').next().unwrap_or(&file)));
            }
        }
    }
}

/// Files that begin with a text.
pub(super) fn files(ctx: &Context<'_, '_>, word: &Text, directories: bool, words: &mut Vec<Text>) {
    let fs = &ctx.run.services.session.fs;
    let state = &ctx.process.shell.state;
    let cut = word.iter().rposition(|&byte| byte == b'/').map_or(0, |at| at + 1);
    let (folder, start) = word.split_at(cut);
    let Ok(entries) = fs.read_dir(&state.absolute(fs, folder)) else { return };
    let mut found = Vec::new();
    for entry in entries {
        if !entry.name.starts_with(start) {
            continue;
        }
        let name = Text::from([folder, &entry.name].concat_metered());
        let is_directory = match entry.kind {
            FileKind::Directory => true,
            FileKind::Symlink => {
                fs.metadata(&state.absolute(fs, &name)).is_ok_and(|metadata| metadata.is_directory())
            }
            _ => false,
        };
        if is_directory || !directories {
            found.push(name);
        }
    }
    found.sort();
    words.append(&mut found);
}

/// `-G`
fn glob(ctx: &mut Context<'_, '_>, pattern: &Text) -> Result<Vec<Text>, BuiltinError> {
    let fields = std::mem::take(&mut ctx.process.x.fields);
    let field = Field::unquoted(pattern);
    let step = ctx.process.x.expand_pathname(&mut ctx.process.shell, ctx.run, &field);
    let found = std::mem::replace(&mut ctx.process.x.fields, fields);
    step?;
    Ok(found.into_iter().filter(|path| path.as_bytes() != pattern.as_bytes()).collect())
}
