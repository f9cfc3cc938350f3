//! `git rev-parse`: names of objects and facts about the repository, in the order in which they are asked for.

use super::prelude::*;
use crate::memory::format;
use crate::utility::file::{join, parent, relative_path};
use crate::utility::git::repository::{is_git_dir, linked};
use crate::vfs::path::normalise;

pub(super) static COMMAND: Command = Command {
    name: "rev-parse",
    usage: "git rev-parse [<options>] [<arg>...]",
    needs: Needs::Perhaps,
    run: command!(run),
    ..Command::BASE
};

/// Options that stay as they are said, up to the end.
#[derive(Default)]
struct RevParseOptions {
    verify: bool,
    quiet: bool,
    /// `--short`, and its digits.
    is_short: bool,
    digits: Option<usize>,
    symbolic: bool,
    symbolic_full: bool,
    /// `--abbrev-ref`, perhaps strict.
    abbrev_ref: bool,
    is_negated: bool,
    /// `Some(true)`: absolute, `Some(false)`: relative.
    path_format: Option<bool>,
    only_revs: bool,
    no_revs: bool,
    only_flags: bool,
    no_flags: bool,
    default: Option<Text>,
    prefix: Option<Text>,
    sq: bool,
    /// `--` stands somewhere: what stands before it are revisions.
    has_separator: bool,
    printed: usize,
    pending: Option<ObjectId>,
    /// Revisions that were met where one is to be verified.
    verified: usize,
}

async fn run(git: &mut Git) -> Result<u8> {
    let args = std::mem::take(&mut git.ctx.args);
    let mut settings = RevParseOptions::default();
    match args.first().map(Text::as_bytes) {
        Some(b"--parseopt") => return Err(fatal!("--parseopt is not supported")),
        Some(b"--sq-quote") => {
            for arg in args.iter().skip(1) {
                git.ctx.tick().await?;
                git.print(&[b" ", &quoted_word(arg)[..]].concat_metered()).await?;
            }
            git.print(b"\n").await?;
            return Ok(0);
        }
        _ => {}
    }
    settings.has_separator = args.iter().any(|arg| **arg == *b"--");
    let mut at = 0;
    let mut only_paths = false;
    while let Some(arg) = args.get(at).cloned() {
        at += 1;
        git.ctx.tick().await?;
        if only_paths {
            if !settings.only_revs {
                told(git, &settings, b"", &arg).await?;
            }
            continue;
        }
        match arg.as_bytes() {
            b"--" => {
                only_paths = true;
                if !settings.only_revs && !settings.verify {
                    told(git, &settings, b"", b"--").await?;
                }
            }
            b"--git-path" => {
                let path = args.get(at).cloned().ok_or_else(|| fatal!("--git-path requires an argument"))?;
                at += 1;
                needed(git)?;
                let is_own = !path.starts_with(b"objects")
                    && !path.starts_with(b"refs")
                    && !path.starts_with(b"config")
                    && !path.starts_with(b"hooks")
                    && !path.starts_with(b"info")
                    && !path.starts_with(b"packed-refs");
                let hooks = git.config.get("core.hookspath").filter(|_| path.starts_with(b"hooks"));
                if let Some(folder) = hooks {
                    let rest = path.strip_prefix(b"hooks").unwrap_or(&path);
                    let text = [folder, rest].concat_metered();
                    // A relative name is that of the work tree.
                    let shown = match &git.repo.work_tree {
                        Some(top) if !text.starts_with(b"/") => {
                            relative_path(&git.repo.cwd, &normalise(&join(top, &text)))
                        }
                        _ => text,
                    };
                    line(git, &shown).await?;
                    continue;
                }
                let full = join(if is_own { &git.repo.git_dir } else { &git.repo.common_dir }, &path);
                print_path(git, &settings, &full, false).await?;
            }
            b"--resolve-git-dir" => {
                let Some(path) = args.get(at).cloned() else {
                    return Err(fatal!("--resolve-git-dir requires an argument"));
                };
                at += 1;
                let full = normalise(&git.ctx.absolute(&path));
                if is_git_dir(git.fs(), &full)? {
                    line(git, &path).await?;
                } else if git.fs().metadata(&full).is_ok_and(|metadata| metadata.is_regular()) {
                    let target = linked(git.fs(), &full, parent(&full))?;
                    line(git, &target).await?;
                } else {
                    return Err(fatal!("not a gitdir '{path}'"));
                }
            }
            b"--default" => {
                settings.default = args.get(at).cloned();
                at += 1;
            }
            b"--prefix" => {
                settings.prefix = args.get(at).cloned();
                at += 1;
            }
            _ => {
                let operand =
                    arg.starts_with(b"-") && arg.len() > 1 && !option(git, &mut settings, &arg).await?;
                if operand && !flag_like(git, &mut settings, &arg).await? {
                    continue;
                }
                if !arg.starts_with(b"-") || arg.len() == 1 {
                    revision(git, &mut settings, &arg).await?;
                    if !settings.verify && settings.printed == usize::MAX {
                        settings.printed = 0;
                        only_paths = true;
                        if !settings.only_revs {
                            told(git, &settings, b"", &arg).await?;
                        }
                    }
                }
            }
        }
    }
    if settings.verify {
        if settings.verified == 0
            && let Some(default) = settings.default.take()
        {
            settings.pending = git.resolve(&default).await?;
            settings.verified = usize::from(settings.pending.is_some());
        }
        return match settings.pending.take() {
            Some(id) if settings.verified == 1 => {
                show(git, &settings, &id, false, None).await?;
                Ok(0)
            }
            _ => no_single(&settings),
        };
    }
    if settings.printed == 0
        && let Some(default) = settings.default.take()
        && let Some(id) = git.resolve(&default).await?
    {
        show(git, &settings, &id, false, Some(&default)).await?;
    }
    Ok(0)
}

fn no_single(settings: &RevParseOptions) -> Result<u8> {
    if settings.quiet { Err(GitError::Exit(1)) } else { Err(fatal!("Needed a single revision")) }
}

async fn line(git: &mut Git, text: &[u8]) -> Result<()> {
    git.print(text).await?;
    git.print(b"\n").await
}

/// A word in quotes, as a shell reads it.
fn quoted_word(text: &[u8]) -> Vec<u8> {
    let mut out: Vec<u8> = b"'".to_metered();
    for &byte in text {
        match byte {
            b'\'' | b'!' => out.extend_from_slice(&[b'\'', b'\\', byte, b'\'']),
            _ => out.push(byte),
        }
    }
    out.push(b'\'');
    out
}

/// Prints a word on a line of its own; with `--sq` in quotes, beside the others.
async fn told(git: &mut Git, settings: &RevParseOptions, sign: &[u8], text: &[u8]) -> Result<()> {
    if settings.sq {
        return git.print(&[sign, &quoted_word(text), b" "].concat_metered()).await;
    }
    line(git, &[sign, text].concat_metered()).await
}

fn needed(git: &Git) -> Result<()> {
    if git.is_found {
        Ok(())
    } else {
        Err(fatal!("not a git repository (or any of the parent directories): .git"))
    }
}

/// Prints a path as `--path-format` says; else absolute only where `is_absolute`.
async fn print_path(git: &mut Git, settings: &RevParseOptions, path: &[u8], is_absolute: bool) -> Result<()> {
    let shown = match settings.path_format {
        Some(true) => path.to_metered(),
        Some(false) => relative_path(&git.repo.cwd, path),
        None if is_absolute => path.to_metered(),
        None => {
            // As the git directory is shown.
            match path.strip_prefix(git.repo.git_dir.as_slice()) {
                Some(rest) if rest.is_empty() || rest.starts_with(b"/") => {
                    [&git.repo.shown_git_dir[..], rest].concat_metered()
                }
                _ => match path.strip_prefix(git.repo.common_dir.as_slice()) {
                    Some(_) => path.to_metered(),
                    None => relative_path(&git.repo.cwd, path),
                },
            }
        }
    };
    line(git, &shown).await
}

async fn answer(git: &mut Git, truth: bool) -> Result<()> {
    line(git, if truth { b"true" } else { b"false" }).await
}

/// An option that is known; `false`: it is not.
async fn option(git: &mut Git, settings: &mut RevParseOptions, arg: &[u8]) -> Result<bool> {
    let text = String::from_utf8_lossy(arg);
    let (name, given) = match text.split_once('=') {
        Some((name, given)) => (name, Some(given)),
        None => (text.as_str(), None),
    };
    match name {
        "--verify" => settings.verify = true,
        "-q" | "--quiet" => settings.quiet = true,
        "--short" => {
            settings.is_short = true;
            settings.digits =
                given.and_then(|digits| digits.parse().ok()).map(|digits: usize| digits.clamp(4, 40));
            settings.verify = true;
        }
        "--symbolic" => settings.symbolic = true,
        "--symbolic-full-name" => settings.symbolic_full = true,
        "--abbrev-ref" => settings.abbrev_ref = true,
        "--not" => settings.is_negated = !settings.is_negated,
        "--sq" => settings.sq = true,
        "--revs-only" => settings.only_revs = true,
        "--no-revs" => settings.no_revs = true,
        "--flags" => settings.only_flags = true,
        "--no-flags" => settings.no_flags = true,
        "--end-of-options" => {}
        "--path-format" => match given {
            Some("absolute") => settings.path_format = Some(true),
            Some("relative") => settings.path_format = Some(false),
            other => return Err(fatal!("unknown argument to --path-format: {}", other.unwrap_or(""))),
        },
        "--local-env-vars" => {
            for name in [
                "GIT_ALTERNATE_OBJECT_DIRECTORIES",
                "GIT_CONFIG",
                "GIT_CONFIG_PARAMETERS",
                "GIT_CONFIG_COUNT",
                "GIT_OBJECT_DIRECTORY",
                "GIT_DIR",
                "GIT_WORK_TREE",
                "GIT_IMPLICIT_WORK_TREE",
                "GIT_GRAFT_FILE",
                "GIT_INDEX_FILE",
                "GIT_NO_REPLACE_OBJECTS",
                "GIT_REPLACE_REF_BASE",
                "GIT_PREFIX",
                "GIT_SHALLOW_FILE",
                "GIT_COMMON_DIR",
            ] {
                line(git, name.as_bytes()).await?;
            }
        }
        "--is-inside-work-tree"
        | "--is-inside-git-dir"
        | "--is-bare-repository"
        | "--is-shallow-repository"
        | "--git-dir"
        | "--absolute-git-dir"
        | "--git-common-dir"
        | "--show-toplevel"
        | "--show-cdup"
        | "--show-prefix"
        | "--show-superproject-working-tree"
        | "--show-object-format"
        | "--show-ref-format"
        | "--shared-index-path" => {
            needed(git)?;
            fact(git, settings, name).await?;
        }
        "--all" | "--branches" | "--tags" | "--remotes" | "--glob" => {
            needed(git)?;
            let front = match name {
                "--branches" => "refs/heads/",
                "--tags" => "refs/tags/",
                "--remotes" => "refs/remotes/",
                _ => "refs/",
            };
            for (full, id) in git.refs(front.as_bytes()).await? {
                let short = full.strip_prefix(front.as_bytes()).unwrap_or(&full);
                let pattern = given.map(|pattern| {
                    if pattern.contains(['*', '?', '[']) {
                        format!("{pattern}")
                    } else {
                        format!("{pattern}/*")
                    }
                });
                if pattern.is_none_or(|pattern| {
                    crate::utility::ignore::wildmatch::matches(pattern.as_bytes(), short, false, false)
                }) {
                    let is_short = settings.symbolic
                        && !settings.symbolic_full
                        && !settings.abbrev_ref
                        && name != "--all";
                    let told = if is_short { short } else { &full[..] };
                    show(git, settings, &id, settings.is_negated, Some(told)).await?;
                    settings.printed += 1;
                }
            }
        }
        "--since" | "--after" | "--until" | "--before" => {
            let Some(moment) =
                given.and_then(|text| crate::utility::git::date::parse_about(text.as_bytes(), git))
            else {
                return Ok(false);
            };
            let word = if matches!(name, "--since" | "--after") { "max" } else { "min" };
            line(git, format!("--{word}-age={moment}").as_bytes()).await?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// A fact about the repository.
async fn fact(git: &mut Git, settings: &RevParseOptions, name: &str) -> Result<()> {
    let within = |folder: &[u8], path: &[u8]| crate::utility::git::repository::is_within(path, folder);
    let cwd = git.repo.cwd.clone();
    let is_in_git_dir = within(&git.repo.git_dir, &cwd);
    let is_in_tree = git.repo.work_tree.as_ref().is_some_and(|tree| within(tree, &cwd)) && !is_in_git_dir;
    match name {
        "--is-inside-work-tree" => answer(git, is_in_tree).await,
        "--is-inside-git-dir" => answer(git, is_in_git_dir).await,
        "--is-bare-repository" => answer(git, git.repo.is_bare).await,
        "--is-shallow-repository" => {
            let is_shallow = git.fs().metadata(&join(&git.repo.common_dir, b"shallow")).is_ok();
            answer(git, is_shallow).await
        }
        "--git-dir" => {
            let path = git.repo.git_dir.clone();
            match settings.path_format {
                Some(_) => print_path(git, settings, &path, true).await,
                None => {
                    let shown = git.repo.shown_git_dir.clone();
                    line(git, &shown).await
                }
            }
        }
        "--absolute-git-dir" => {
            let path = git.repo.git_dir.clone();
            let absolute = RevParseOptions {
                path_format: settings.path_format.or(Some(true)),
                ..RevParseOptions::default()
            };
            print_path(git, &absolute, &path, true).await
        }
        "--git-common-dir" => {
            let path = git.repo.common_dir.clone();
            let is_own = path == git.repo.git_dir;
            match settings.path_format {
                None if is_own && git.variable("GIT_DIR").is_none() => {
                    let shown = if git.repo.shown_git_dir == b".git" || git.repo.is_bare {
                        git.repo.shown_git_dir.clone()
                    } else {
                        relative_path(&cwd, &path)
                    };
                    line(git, &shown).await
                }
                _ => print_path(git, settings, &path, true).await,
            }
        }
        "--show-toplevel" => {
            let path = git.work_tree()?.to_metered();
            if is_in_git_dir {
                return Err(fatal!("this operation must be run in a work tree"));
            }
            print_path(git, settings, &path, true).await
        }
        "--show-cdup" => {
            let depth = memchr::memchr_iter(b'/', &git.repo.prefix).count();
            let text = crate::memory::repeat(b"../", depth);
            line(git, &text).await
        }
        "--show-prefix" => {
            let text = git.repo.prefix.clone();
            line(git, &text).await
        }
        "--show-object-format" => line(git, b"sha1").await,
        "--show-ref-format" => line(git, b"files").await,
        _ => Ok(()),
    }
}

/// What looks like an option is passed on; whether it is to be taken as a revision.
async fn flag_like(git: &mut Git, settings: &mut RevParseOptions, arg: &Text) -> Result<bool> {
    if settings.verify {
        no_single(settings)?;
    }
    if !settings.no_flags && !settings.only_revs {
        line(git, arg).await?;
    }
    Ok(false)
}

/// Prints an object's name as the settings say.
async fn show(
    git: &mut Git,
    settings: &RevParseOptions,
    id: &ObjectId,
    is_negated: bool,
    name: Option<&[u8]>,
) -> Result<()> {
    let sign: &[u8] = if is_negated { b"^" } else { b"" };
    if (settings.symbolic || settings.symbolic_full || settings.abbrev_ref)
        && let Some(name) = name
    {
        if settings.symbolic && !settings.symbolic_full && !settings.abbrev_ref {
            return told(git, settings, sign, name).await;
        }
        let full = full_name(git, name)?;
        return match full {
            Some(full) if settings.abbrev_ref => {
                let short = git.shorten(&full)?;
                told(git, settings, sign, &short).await
            }
            Some(full) => told(git, settings, sign, &full).await,
            // An object that no ref leads to has no such name.
            None => Ok(()),
        };
    }
    let text = if settings.is_short { git.abbreviate(id, settings.digits)? } else { Text::from(id.hex()) };
    told(git, settings, sign, &text).await
}

/// The ref that a name is.
fn full_name(git: &mut Git, name: &[u8]) -> Result<Option<Text>> {
    let bare = name.strip_suffix(b"@{0}").unwrap_or(name);
    if bare == b"@" || bare == b"HEAD" {
        return Ok(Some(git.head_ref()?.unwrap_or_else(|| Text::from_static(b"HEAD"))));
    }
    if name.ends_with(b"}")
        && let Some(at) = memchr::memmem::rfind(name, b"@{")
    {
        let inside = name.get(at + 2..name.len() - 1).unwrap_or(&[]);
        let front = name.get(..at).unwrap_or(&[]);
        if [&b"u"[..], b"upstream", b"push"].iter().any(|word| word.eq_ignore_ascii_case(inside)) {
            return git.upstream_or_fail(front).map(Some);
        }
        if let Some(count) =
            inside.strip_prefix(b"-").and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok())
        {
            let branch = git.previous_branch(count)?;
            return Ok(match branch {
                Some(branch) => git.find_ref(&branch)?.map(|found| found.0),
                None => None,
            });
        }
        return Ok(None);
    }
    match git.find_ref(bare)? {
        Some((full, _)) => Ok(Some(git.follow(&full)?.0)),
        None => Ok(None),
    }
}

/// A revision, a range or, from here on, paths.
async fn revision(git: &mut Git, settings: &mut RevParseOptions, arg: &Text) -> Result<()> {
    needed(git)?;
    if !settings.verify
        && let Some(dots) = memchr::memmem::find(arg, b"..")
    {
        let is_symmetric = arg.get(dots + 2) == Some(&b'.');
        let front = arg.get(..dots).filter(|front| !front.is_empty()).unwrap_or(b"HEAD");
        let back = arg
            .get(dots + 2 + usize::from(is_symmetric)..)
            .filter(|back| !back.is_empty())
            .unwrap_or(b"HEAD");
        if arg.as_bytes() != b".."
            && let (Some(one), Some(other)) = (git.resolve(front).await?, git.resolve(back).await?)
        {
            settings.printed += 1;
            show(git, settings, &other, settings.is_negated, Some(back)).await?;
            show(git, settings, &one, is_symmetric == settings.is_negated, Some(front)).await?;
            if is_symmetric {
                let one = git.peel(one, Kind::Commit).await?.unwrap_or(one);
                let other = git.peel(other, Kind::Commit).await?.unwrap_or(other);
                for base in git.merge_bases(one, &[other]).await? {
                    show(git, settings, &base, !settings.is_negated, None).await?;
                }
            }
            return Ok(());
        }
    }
    let (name, is_negated) = match arg.strip_prefix(b"^") {
        Some(name) => (name, true),
        None => (&arg[..], false),
    };
    for (suffix, shift) in [(&b"^@"[..], 0_usize), (b"^!", 1)] {
        if let Some(base) = name.strip_suffix(suffix)
            && let Some(id) = git.resolve_commit(base).await?
        {
            settings.printed += 1;
            if shift == 1 {
                show(git, settings, &id, false, Some(base)).await?;
            }
            for parent in &git.commit(&id).await?.parents {
                show(git, settings, parent, shift == 1, None).await?;
            }
            return Ok(());
        }
    }
    if let Some((id, parent)) = git.without_parent(name).await? {
        settings.printed += 1;
        show(git, settings, &id, false, None).await?;
        return show(git, settings, &parent, true, None).await;
    }
    if let Some(id) = git.resolve(name).await? {
        settings.printed += 1;
        if settings.verify {
            settings.pending = Some(id);
            settings.verified += 1;
            if settings.verified == 1 && (settings.symbolic || settings.symbolic_full || settings.abbrev_ref)
            {
                show(git, settings, &id, false, Some(name)).await?;
                return Err(GitError::Exit(0));
            }
            if is_negated {
                settings.pending = None;
                settings.verified = 0;
                show(git, settings, &id, true, None).await?;
                return Err(GitError::Exit(0));
            }
            return Ok(());
        }
        if !settings.no_revs {
            show(git, settings, &id, is_negated != settings.is_negated, Some(name)).await?;
        }
        return Ok(());
    }
    if settings.verify {
        return no_single(settings).map(drop);
    }
    if settings.has_separator {
        return Err(fatal!("bad revision '{arg}'"));
    }
    let is_path = git.fs().symlink_metadata(&normalise(&git.ctx.absolute(arg))).is_ok();
    if !is_path && !settings.only_revs {
        // What cannot be understood is printed all the same.
        line(git, arg).await?;
        return Err(git.unresolved(arg).await?);
    }
    if is_path {
        settings.printed = usize::MAX;
    }
    Ok(())
}
