//! `git config`: values are read, set and removed, with the old options and the new subcommands. Files
//! are changed by `edit.rs`.

mod edit;

use super::prelude::*;
use crate::memory::format;
use crate::utility::context::pace::Pace;
use crate::utility::file::{join, parent};
use crate::utility::git::config::{Config, Entry, Scope, canonical, number, places, truth};
use crate::utility::git::repository::read_file;
use crate::utility::regex::{Regex, RegexOptions, Syntax};
use edit::{edited, rename_section};

options! {
    enum Opt {
        Global = flag('\0', "global", "use global config file"),
        System = flag('\0', "system", "use system config file"),
        Local = flag('\0', "local", "use repository config file"),
        Worktree = flag('\0', "worktree", "use per-worktree config file"),
        File = value('f', "file", "file", "use given config file"),
        Blob = value('\0', "blob", "blob-id", "not supported"),
        Get = flag('\0', "get", "get value: name [<value-pattern>]"),
        GetAll = flag('\0', "get-all", "get all values: key [<value-pattern>]"),
        GetRegexp = flag('\0', "get-regexp", "get values for regexp: name-regex [<value-pattern>]"),
        ReplaceAll = flag('\0', "replace-all", "replace all matching variables: name value [<value-pattern>]"),
        Add = flag('\0', "add", "add a new variable: name value"),
        Unset = flag('\0', "unset", "remove a variable: name [<value-pattern>]"),
        UnsetAll = flag('\0', "unset-all", "remove all matches: name [<value-pattern>]"),
        RenameSection = flag('\0', "rename-section", "rename section: old-name new-name"),
        RemoveSection = flag('\0', "remove-section", "remove a section: name"),
        List = flag('l', "list", "list all"),
        Edit = flag('e', "edit", "not supported"),
        Type = value('t', "type", "type", "value is given this type"),
        Bool = flag('\0', "bool", "value is \"true\" or \"false\""),
        Int = flag('\0', "int", "value is decimal number"),
        BoolOrInt = flag('\0', "bool-or-int", "value is --bool or --int"),
        Path = flag('\0', "path", "value is a path (file or directory name)"),
        Null = flag('z', "null", "terminate values with NUL byte"),
        NameOnly = flag('\0', "name-only", "show variable names only"),
        Includes = flag('\0', "includes", "respect include directives on lookup"),
        ShowOrigin = flag('\0', "show-origin", "show origin of config"),
        ShowScope = flag('\0', "show-scope", "show scope of config"),
        Default = value('\0', "default", "value", "use default value when missing entry"),
        FixedValue = flag('\0', "fixed-value", "use string equality when comparing values to value pattern"),
        All = flag('\0', "all", "return all values for multi-valued config options"),
        Regexp = flag('\0', "regexp", "interpret the name as a regular expression"),
        Value = value('\0', "value", "pattern", "show config with values matching the pattern"),
        Append = flag('\0', "append", "add a new line without altering any existing values"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "config",
    usage: "git config list [<file-option>] [<display-option>] [--includes]\n\
git config get [<file-option>] [<display-option>] [--includes] [--all] [--regexp] [--value=<value>] [--fixed-value] \
[--default=<default>] <name>\n\
git config set [<file-option>] [--type=<type>] [--all] [--value=<value>] [--fixed-value] <name> <value>\n\
git config unset [<file-option>] [--all] [--value=<value>] [--fixed-value] <name>\n\
git config rename-section [<file-option>] <old-name> <new-name>\n\
git config remove-section [<file-option>] <name>",
    options: Opt::TABLE,
    needs: Needs::Perhaps,
    run: command!(run),
    ..Command::BASE
};

/// What is to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    List,
    Get,
    GetAll,
    GetRegexp,
    Set,
    Add,
    ReplaceAll,
    Unset,
    UnsetAll,
    RenameSection,
    RemoveSection,
}

async fn run(git: &mut Git) -> Result<u8> {
    let mut arguments = git.arguments::<Opt>()?;
    let usage = || COMMAND.usage_error();
    let mut operands = std::mem::take(&mut arguments.operands);
    let by_option = [
        (Opt::List, Action::List),
        (Opt::Get, Action::Get),
        (Opt::GetAll, Action::GetAll),
        (Opt::GetRegexp, Action::GetRegexp),
        (Opt::Add, Action::Add),
        (Opt::ReplaceAll, Action::ReplaceAll),
        (Opt::Unset, Action::Unset),
        (Opt::UnsetAll, Action::UnsetAll),
        (Opt::RenameSection, Action::RenameSection),
        (Opt::RemoveSection, Action::RemoveSection),
    ];
    let mut action = by_option.iter().find(|(option, _)| arguments.has(*option)).map(|(_, action)| *action);
    if action.is_none() {
        let word = operands.first().map(Text::as_bytes);
        action = match word {
            Some(b"list") => Some(Action::List),
            Some(b"get") if arguments.has(Opt::Regexp) => Some(Action::GetRegexp),
            Some(b"get") if arguments.has(Opt::All) => Some(Action::GetAll),
            Some(b"get") => Some(Action::Get),
            Some(b"set") if arguments.has(Opt::Append) => Some(Action::Add),
            Some(b"set") if arguments.has(Opt::All) => Some(Action::ReplaceAll),
            Some(b"set") => Some(Action::Set),
            Some(b"unset") if arguments.has(Opt::All) => Some(Action::UnsetAll),
            Some(b"unset") => Some(Action::Unset),
            Some(b"rename-section") => Some(Action::RenameSection),
            Some(b"remove-section") => Some(Action::RemoveSection),
            Some(b"edit") => return Err(fatal!("there is no editor")),
            _ => None,
        };
        if action.is_some() {
            operands.remove(0);
        }
    }
    if arguments.has(Opt::Edit) {
        return Err(fatal!("there is no editor"));
    }
    let action = match (action, operands.len()) {
        (Some(action), _) => action,
        (None, 1) => Action::Get,
        (None, 2 | 3) => Action::Set,
        (None, 0) => return Err(usage()),
        (None, _) => return Err(usage()),
    };
    let scope = scope(git, &arguments)?;
    if arguments.has(Opt::FixedValue) && !has_value_pattern(&arguments, action, &operands) {
        return Err(GitError::Error("--fixed-value only applies with 'value-pattern'".into(), 129));
    }
    match (action, operands.as_slice()) {
        (Action::List, []) => list(git, &arguments, scope.as_ref()).await,
        (Action::Get | Action::GetAll | Action::GetRegexp, [name, rest @ ..]) if rest.len() < 2 => {
            let pattern = rest.first().or_else(|| arguments.value(Opt::Value)).cloned();
            get(git, &arguments, scope.as_ref(), action, name, pattern).await
        }
        (Action::Set | Action::Add | Action::ReplaceAll, [name, value, rest @ ..]) if rest.len() < 2 => {
            let pattern = rest.first().or_else(|| arguments.value(Opt::Value)).cloned();
            let value = typed_value(&arguments, name, value)?;
            let path = writable(git, scope)?;
            let name = valid(name)?;
            let change = Change { name, value: Some(value), action, pattern };
            git.change_config(&arguments, &path, change).await
        }
        (Action::Unset | Action::UnsetAll, [name, rest @ ..]) if rest.len() < 2 => {
            let pattern = rest.first().or_else(|| arguments.value(Opt::Value)).cloned();
            let path = writable(git, scope)?;
            let name = valid(name)?;
            git.change_config(&arguments, &path, Change { name, value: None, action, pattern }).await
        }
        (Action::RemoveSection | Action::RenameSection, [name, rest @ ..]) => {
            let path = writable(git, scope)?;
            rename_section(git, &path, name, rest.first())
        }
        _ => Err(usage()),
    }
}

/// Whether values are chosen by a pattern.
fn has_value_pattern(arguments: &Arguments<Opt>, action: Action, operands: &[Text]) -> bool {
    let before = match action {
        Action::Set | Action::Add | Action::ReplaceAll => 2,
        Action::List | Action::RenameSection | Action::RemoveSection => usize::MAX,
        _ => 1,
    };
    operands.len() > before || (before != usize::MAX && arguments.has(Opt::Value))
}

/// What is changed in a file: the entries of a name whose values fit a pattern.
struct Change {
    name: Text,
    /// `None`: they are removed.
    value: Option<Vec<u8>>,
    action: Action,
    pattern: Option<Text>,
}

/// The file that was chosen, and how it is shown.
fn scope(git: &Git, arguments: &Arguments<Opt>) -> Result<Option<(Scope, Vec<u8>)>> {
    let has_file =
        arguments.last_of([Opt::File, Opt::Global, Opt::System, Opt::Local, Opt::Worktree]).is_some();
    if has_file && arguments.has(Opt::Includes) {
        return Err(fatal!("--includes with one file is not supported"));
    }
    if let Some(file) = arguments.value(Opt::File) {
        return Ok(Some((Scope::Command, git.ctx.absolute(file))));
    }
    Ok(match arguments.last_of([Opt::Global, Opt::System, Opt::Local, Opt::Worktree]) {
        Some(Opt::Global) => {
            let paths = git.global_config_paths();
            let Some(last) = paths.last() else { return Err(fatal!("$HOME not set")) };
            let there = paths.iter().rev().find(|path| git.fs().metadata(path).is_ok());
            Some((Scope::Global, there.unwrap_or(last).clone()))
        }
        Some(Opt::System) => {
            let path = git.ctx.env.get(b"GIT_CONFIG_SYSTEM").map_or(&b"/etc/gitconfig"[..], Text::as_bytes);
            Some((Scope::System, path.to_metered()))
        }
        Some(Opt::Local | Opt::Worktree) => {
            if !git.is_found {
                return Err(fatal!("--local can only be used inside a git repository"));
            }
            Some((Scope::Local, join(&git.repo.common_dir, b"config")))
        }
        _ => None,
    })
}

fn writable(git: &Git, scope: Option<(Scope, Vec<u8>)>) -> Result<Vec<u8>> {
    match scope {
        Some((_, path)) => Ok(path),
        None if git.is_found => Ok(join(&git.repo.common_dir, b"config")),
        None => Err(fatal!("not in a git directory")),
    }
}

fn valid(name: &Text) -> Result<Text> {
    canonical(name).ok_or_else(|| {
        if name.contains(&b'.') {
            GitError::Error(format!("invalid key: {name}"), 1)
        } else {
            GitError::Error(format!("key does not contain a section: {name}"), 2)
        }
    })
}

/// The entries that are looked at.
fn entries(git: &Git, scope: Option<&(Scope, Vec<u8>)>) -> Result<Vec<Entry>> {
    let Some((scope, path)) = scope else { return Ok(git.config.entries.clone()) };
    if *scope == Scope::Command {
        let Some(text) = read_file(git.fs(), path)? else { return Ok(Vec::new()) };
        let mut config = Config::default();
        config.add_file(&text, Scope::Command, path)?;
        return Ok(config.entries);
    }
    Ok(git.config.entries.iter().filter(|entry| entry.scope == *scope).cloned().collect())
}

/// What a value is taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ValueKind {
    Truth,
    Number,
    TruthOrNumber,
    Path,
}

fn kind(arguments: &Arguments<Opt>) -> Result<Option<ValueKind>> {
    Ok(match arguments.last_of([Opt::Type, Opt::Bool, Opt::Int, Opt::BoolOrInt, Opt::Path]) {
        Some(Opt::Type) => match arguments.value(Opt::Type).map(Text::as_bytes) {
            Some(b"bool") => Some(ValueKind::Truth),
            Some(b"int") => Some(ValueKind::Number),
            Some(b"bool-or-int") => Some(ValueKind::TruthOrNumber),
            Some(b"path") => Some(ValueKind::Path),
            Some(other) => {
                let other = bstr::BStr::new(other);
                return Err(GitError::Error(format!("unrecognized --type argument, {other}"), 129));
            }
            None => None,
        },
        Some(Opt::Bool) => Some(ValueKind::Truth),
        Some(Opt::Int) => Some(ValueKind::Number),
        Some(Opt::BoolOrInt) => Some(ValueKind::TruthOrNumber),
        Some(Opt::Path) => Some(ValueKind::Path),
        _ => None,
    })
}

fn bad_number(name: &[u8], value: &[u8]) -> GitError {
    let (name, value) = (bstr::BStr::new(name), bstr::BStr::new(value));
    fatal!("bad numeric config value '{value}' for '{name}': invalid unit")
}

fn bad_truth(name: &[u8], value: &[u8]) -> GitError {
    let (name, value) = (bstr::BStr::new(name), bstr::BStr::new(value));
    fatal!("bad boolean config value '{value}' for '{name}'")
}

/// A value as its type shows it.
fn shown_value(git: &Git, arguments: &Arguments<Opt>, name: &[u8], value: Option<&[u8]>) -> Result<Vec<u8>> {
    let text = value.unwrap_or(&[]);
    let as_truth = || match value {
        None => Some(true),
        Some(value) => truth(value),
    };
    let said = |truth: bool| if truth { b"true".to_metered() } else { b"false".to_metered() };
    Ok(match kind(arguments)? {
        Some(ValueKind::Truth) => as_truth().map(said).ok_or_else(|| bad_truth(name, text))?,
        Some(ValueKind::Number) => {
            format!("{}", number(text).ok_or_else(|| bad_number(name, text))?).into_bytes()
        }
        Some(ValueKind::TruthOrNumber) => match number(text) {
            Some(number) => format!("{number}").into_bytes(),
            None => as_truth().map(said).ok_or_else(|| bad_truth(name, text))?,
        },
        Some(ValueKind::Path) => git.expand_home(text),
        _ => text.to_metered(),
    })
}

/// A value as its type is written.
fn typed_value(arguments: &Arguments<Opt>, name: &[u8], value: &[u8]) -> Result<Vec<u8>> {
    Ok(match kind(arguments)? {
        Some(ValueKind::Truth) => match truth(value) {
            Some(true) => b"true".to_metered(),
            Some(false) => b"false".to_metered(),
            None => return Err(bad_truth(name, value)),
        },
        Some(ValueKind::Number) => {
            format!("{}", number(value).ok_or_else(|| bad_number(name, value))?).into_bytes()
        }
        _ => value.to_metered(),
    })
}

async fn list(git: &mut Git, arguments: &Arguments<Opt>, scope: Option<&(Scope, Vec<u8>)>) -> Result<u8> {
    if let Some((_, path)) = scope
        && git.fs().metadata(path).is_err()
    {
        return Err(fatal!(
            "unable to read config file '{}': No such file or directory",
            bstr::BStr::new(path)
        ));
    }
    for entry in entries(git, scope)? {
        let mut line = front(arguments, &entry);
        line.extend_from_slice(&entry.name);
        let end = if arguments.has(Opt::Null) { 0 } else { b'\n' };
        if let Some(value) = entry.value.as_ref().filter(|_| !arguments.has(Opt::NameOnly)) {
            line.push(if end == 0 { b'\n' } else { b'=' });
            line.extend_from_slice(&shown_value(git, arguments, &entry.name, Some(value))?);
        }
        line.push(end);
        git.print(&line).await?;
    }
    Ok(0)
}

fn front(arguments: &Arguments<Opt>, entry: &Entry) -> Vec<u8> {
    let mut line: Vec<u8> = Vec::new();
    let between = if arguments.has(Opt::Null) { 0 } else { b'\t' };
    if arguments.has(Opt::ShowScope) {
        line.extend_from_slice(entry.scope.name().as_bytes());
        line.push(between);
    }
    if arguments.has(Opt::ShowOrigin) {
        line.extend_from_slice(&entry.origin);
        line.push(between);
    }
    line
}

/// Whether a value is meant by a pattern, which may be negated.
async fn fits(git: &Git, arguments: &Arguments<Opt>, pattern: Option<&Text>, value: &[u8]) -> Result<bool> {
    let Some(pattern) = pattern else { return Ok(true) };
    if arguments.has(Opt::FixedValue) {
        return Ok(**pattern == *value);
    }
    let (source, is_negated) = match pattern.strip_prefix(b"!") {
        Some(rest) => (rest, true),
        None => (&pattern[..], false),
    };
    let Ok(regex) = Regex::new(source, Syntax::Extended, &RegexOptions::default()) else {
        return Err(GitError::Error(format!("invalid pattern: {pattern}"), 6));
    };
    let is_hit = regex.is_match(value, &mut Pace::Shared(&git.ctx.meter)).await.unwrap_or(false);
    Ok(is_hit != is_negated)
}

async fn get(
    git: &mut Git,
    arguments: &Arguments<Opt>,
    scope: Option<&(Scope, Vec<u8>)>,
    action: Action,
    name: &Text,
    pattern: Option<Text>,
) -> Result<u8> {
    let regex = if action == Action::GetRegexp {
        match Regex::new(name, Syntax::Extended, &RegexOptions::default()) {
            Ok(regex) => Some(regex),
            Err(_) => return Err(GitError::Error(format!("invalid key pattern: {name}"), 6)),
        }
    } else {
        None
    };
    let key = if regex.is_some() {
        name.clone()
    } else {
        canonical(name).ok_or_else(|| {
            let words = if name.contains(&b'.') { "invalid key" } else { "key does not contain a section" };
            GitError::Error(format!("{words}: {name}"), 1)
        })?
    };
    let mut found: Vec<Entry> = Vec::new();
    for entry in entries(git, scope)? {
        let is_meant = match &regex {
            Some(regex) => {
                regex.is_match(&entry.name, &mut Pace::Shared(&git.ctx.meter)).await.unwrap_or(false)
            }
            None => entry.name == key,
        };
        let value = entry.value.clone().unwrap_or_default();
        if is_meant && fits(git, arguments, pattern.as_ref(), &value).await? {
            found.push(entry);
        }
    }
    if found.is_empty() {
        let Some(default) = arguments.value(Opt::Default).cloned() else { return Ok(1) };
        let text = shown_value(git, arguments, name, Some(&default))?;
        git.print(&[&text[..], if arguments.has(Opt::Null) { b"\0" } else { b"\n" }].concat_metered())
            .await?;
        return Ok(0);
    }
    if action == Action::Get {
        let last = found.pop();
        found = last.into_iter().collect();
    }
    for entry in &found {
        let mut line = front(arguments, entry);
        let has_names =
            action == Action::GetRegexp && !(arguments.operands.is_empty() && arguments.has(Opt::Regexp));
        if has_names || arguments.has(Opt::NameOnly) {
            line.extend_from_slice(&entry.name);
        }
        if !arguments.has(Opt::NameOnly) {
            let value = shown_value(git, arguments, &entry.name, entry.value.as_ref().map(Text::as_bytes))?;
            if has_names && (entry.value.is_some() || !value.is_empty()) {
                line.push(if arguments.has(Opt::Null) { b'\n' } else { b' ' });
            }
            line.extend_from_slice(&value);
        }
        line.push(if arguments.has(Opt::Null) { 0 } else { b'\n' });
        git.print(&line).await?;
    }
    Ok(0)
}

impl Git {
    async fn change_config(&mut self, arguments: &Arguments<Opt>, path: &[u8], change: Change) -> Result<u8> {
        let Change { name, value, action, pattern } = change;
        let (is_added, is_all) =
            (action == Action::Add, matches!(action, Action::ReplaceAll | Action::UnsetAll));
        let text = read_file(self.fs(), path)?;
        if text.is_none() && value.is_none() {
            return Ok(5);
        }
        let text = text.unwrap_or_default();
        let places = places(&text)
            .map_err(|line| fatal!("bad config line {line} in file {}", bstr::BStr::new(path)))?;
        let mut hits: Vec<usize> = Vec::new();
        for place in places.iter().filter(|place| !place.is_header && place.name == name) {
            let known = place.value.clone().unwrap_or_default();
            if !is_added && fits(self, arguments, pattern.as_ref(), &known).await? {
                hits.push(place.start);
            }
        }
        if hits.len() > 1 && !is_all {
            self.say(&format!("warning: {name} has multiple values"));
            if value.is_some() {
                self.say("error: cannot overwrite multiple values with a single value");
            }
            return Ok(5);
        }
        if hits.is_empty() && value.is_none() {
            return Ok(5);
        }
        let (text, _) = edited(&text, &name, value.as_deref(), &|start| hits.contains(&start), is_added)?;
        self.fs().create_dir_all(parent(path), 0o755)?;
        self.fs().write(path, &text, 0o644)?;
        Ok(0)
    }
}
