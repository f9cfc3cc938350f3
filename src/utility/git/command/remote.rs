//! `git remote`: what is configured; nothing is fetched.

use super::prelude::*;
use crate::memory::{BTreeSet, format};

options! {
    enum Opt {
        Verbose = flag('v', "verbose", "be verbose; must be placed before a subcommand"),
        Push = flag('\0', "push", "query push URLs rather than fetch URLs"),
        All = flag('\0', "all", "return all URLs"),
        Fetch = flag('f', "fetch", "not supported"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "remote",
    usage: "git remote [-v | --verbose]\ngit remote add <name> <url>\ngit remote remove <name>\n\
git remote get-url [--push] [--all] <name>\ngit remote set-url [--push] <name> <newurl>",
    options: Opt::TABLE,
    run: command!(run),
    ..Command::BASE
};

fn names(git: &Git) -> BTreeSet<Text> {
    let mut names: BTreeSet<Text> = BTreeSet::new();
    for entry in &git.config.entries {
        if let Some(rest) = entry.name.strip_prefix(b"remote.")
            && let Some(at) = memchr::memrchr(b'.', rest)
        {
            names.insert(Text::from(rest.get(..at).unwrap_or(rest)));
        }
    }
    names
}

/// The addresses of a remote, with `url.*.insteadOf` applied.
fn urls(git: &Git, name: &[u8], is_push: bool) -> Vec<Vec<u8>> {
    let get = |key: &str| -> Vec<Vec<u8>> {
        let full = [b"remote.", name, b".", key.as_bytes()].concat_metered();
        git.config
            .all(&full)
            .filter_map(|entry| entry.value.as_ref().map(|value| value.to_metered()))
            .collect()
    };
    let mut list = if is_push { get("pushurl") } else { Vec::new() };
    if list.is_empty() {
        list = get("url");
    }
    let has_push_urls = is_push && !get("pushurl").is_empty();
    for url in &mut list {
        let is_replaced = is_push && !has_push_urls && replace_front(git, url, b".pushinsteadof");
        if !is_replaced {
            replace_front(git, url, b".insteadof");
        }
    }
    list
}

/// Puts a base in the place of the front of an address that is configured for it; whether one is.
fn replace_front(git: &Git, url: &mut Vec<u8>, key: &[u8]) -> bool {
    let mut best: Option<(usize, Vec<u8>)> = None;
    for entry in &git.config.entries {
        let base = entry.name.strip_prefix(b"url.").and_then(|rest| rest.strip_suffix(key));
        // The longest front counts.
        if let (Some(base), Some(value)) = (base, &entry.value)
            && let Some(rest) = url.strip_prefix(&value[..])
            && best.as_ref().is_none_or(|(length, _)| value.len() > *length)
        {
            best = Some((value.len(), [base, rest].concat_metered()));
        }
    }
    let is_replaced = best.is_some();
    if let Some((_, replaced)) = best {
        *url = replaced;
    }
    is_replaced
}

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    let words = arguments.operands.clone();
    let missing = |name: &Text| GitError::Error(format!("No such remote '{name}'"), 2);
    match words.split_first().map(|(first, rest)| (first.as_bytes(), rest)) {
        None => {
            for name in names(git).iter() {
                if !arguments.has(Opt::Verbose) {
                    git.print(&[&name[..], b"\n"].concat_metered()).await?;
                    continue;
                }
                for (is_push, word) in [(false, &b"fetch"[..]), (true, b"push")] {
                    // Of several addresses one is fetched from.
                    let most = if is_push { usize::MAX } else { 1 };
                    for url in urls(git, name, is_push).into_iter().take(most) {
                        git.print(&[&name[..], b"\t", &url, b" (", word, b")\n"].concat_metered()).await?;
                    }
                }
            }
        }
        Some((b"get-url", [name])) => {
            let all = urls(git, name, arguments.has(Opt::Push));
            if !names(git).contains(name) {
                return Err(missing(name));
            }
            let most = if arguments.has(Opt::All) { all.len() } else { 1 };
            for url in all.iter().take(most) {
                git.print(&[&url[..], b"\n"].concat_metered()).await?;
            }
        }
        Some((b"add", _)) if arguments.has(Opt::Fetch) => {
            return Err(fatal!("'remote add --fetch' is not supported: there is no network"));
        }
        Some((b"add", [name, url])) => {
            if names(git).contains(name) {
                return Err(GitError::Error(format!("remote {name} already exists."), 3));
            }
            git.set_local(&[b"remote.", &name[..], b".url"].concat_metered(), url)?;
            let spec = format!("+refs/heads/*:refs/remotes/{name}/*");
            git.set_local(&[b"remote.", &name[..], b".fetch"].concat_metered(), spec.as_bytes())?;
        }
        Some((b"set-url", [name, url])) => {
            if !names(git).contains(name) {
                return Err(missing(name));
            }
            let key: &[u8] = if arguments.has(Opt::Push) { b".pushurl" } else { b".url" };
            git.set_local(&[b"remote.", &name[..], key].concat_metered(), url)?;
        }
        Some((b"remove" | b"rm", [name])) => {
            if !names(git).contains(name) {
                return Err(missing(name));
            }
            git.drop_section(&[b"remote.", &name[..], b"."].concat_metered())?;
            let front = [b"refs/remotes/", &name[..], b"/"].concat_metered();
            for (name, _) in git.refs(&front).await? {
                git.delete_ref(&name)?;
            }
        }
        Some((b"show" | b"update" | b"prune" | b"set-head" | b"set-branches" | b"rename", _)) => {
            return Err(fatal!(
                "'remote {}' is not supported: there is no network",
                words.first().cloned().unwrap_or_default()
            ));
        }
        Some((b"add" | b"get-url" | b"set-url" | b"remove" | b"rm", _)) => return Err(COMMAND.usage_error()),
        Some((word, _)) => {
            let text = format!("error: unknown subcommand: `{}'\n", bstr::BStr::new(word));
            return Err(COMMAND.usage_error_after(&text));
        }
    }
    Ok(0)
}
