//! `git rm`.

use super::prelude::*;
use crate::memory::format;

options! {
    enum Opt {
        DryRun = flag('n', "dry-run", "dry run"),
        Quiet = flag('q', "quiet", "do not list removed files"),
        Cached = flag('\0', "cached", "only remove from the index"),
        Force = flag('f', "force", "override the up-to-date check"),
        Recursive = flag('r', "", "allow recursive removal"),
        IgnoreUnmatch = flag('\0', "ignore-unmatch", "exit with a zero status even if nothing matched"),
        Sparse = flag('\0', "sparse", "allow updating entries outside of the sparse-checkout cone"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "rm",
    usage: "git rm [-f | --force] [-n] [-r] [--cached] [--ignore-unmatch] [--quiet] [--] [<pathspec>...]",
    options: Opt::TABLE,
    needs: Needs::WorkTree,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    if arguments.operands.is_empty() {
        return Err(fatal!("No pathspec was given. Which files should I remove?"));
    }
    let spec = git.pathspec(&arguments.operands)?;
    let mut index = git.read_index().await?;
    let missing = spec.unmatched(&index.entries.iter().map(|entry| entry.path.as_bytes()));
    if let Some(given) = missing.first()
        && !arguments.has(Opt::IgnoreUnmatch)
    {
        return Err(fatal!("pathspec '{given}' did not match any files"));
    }
    if !arguments.has(Opt::Recursive) {
        for (given, path) in spec.plain() {
            if index.range(path).is_empty() && !index.folder(path).is_empty() {
                return Err(fatal!("not removing '{given}' recursively without -r"));
            }
        }
    }
    let mut paths: Vec<Text> = Vec::new();
    for entry in index.entries.iter().filter(|entry| spec.matches(&entry.path)) {
        if paths.last() != Some(&entry.path) {
            paths.push(entry.path.clone());
        }
    }
    if !arguments.has(Opt::Force) {
        check(git, &arguments, &index, &paths).await?;
    }
    for path in &paths {
        if !arguments.has(Opt::Quiet) {
            let shown = git.quoted(path);
            git.print(&[&b"rm '"[..], &shown, b"'\n"].concat_metered()).await?;
        }
        if arguments.has(Opt::DryRun) {
            continue;
        }
        index.remove(path);
        if !arguments.has(Opt::Cached) {
            git.remove_work_file(path)?;
        }
    }
    if !arguments.has(Opt::DryRun) {
        git.write_index(&index).await?;
    }
    Ok(0)
}

/// Files whose changes would be lost are not removed.
async fn check(
    git: &mut Git,
    arguments: &Arguments<Opt>,
    index: &crate::utility::git::index::Index,
    paths: &[Text],
) -> Result<()> {
    let head = git.head_tree().await?;
    let (mut both, mut staged, mut local): (Vec<Text>, Vec<Text>, Vec<Text>) =
        (Vec::new(), Vec::new(), Vec::new());
    for path in paths {
        let Some(entry) = index.get(path).cloned() else { continue };
        let mode = git.work_mode(path)?;
        if mode.is_none() {
            continue;
        }
        let is_local = mode != Some(entry.mode) || !git.is_unchanged(index, &entry).await?;
        let is_staged = git.find_in_tree(head, path).await? != Some((entry.mode, entry.id));
        match (is_local, is_staged) {
            (true, true) => both.push(path.clone()),
            (false, true) if !arguments.has(Opt::Cached) => staged.push(path.clone()),
            (true, false) if !arguments.has(Opt::Cached) => local.push(path.clone()),
            _ => {}
        }
    }
    let mut text = String::new();
    for (list, words, hint) in [
        (&both, "staged content different from both the\nfile and the HEAD", "(use -f to force removal)"),
        (&staged, "changes staged in the index", "(use --cached to keep the file, or -f to force removal)"),
        (&local, "local modifications", "(use --cached to keep the file, or -f to force removal)"),
    ] {
        if list.is_empty() {
            continue;
        }
        let (files, have) = if list.len() == 1 { ("file", "has") } else { ("files", "have") };
        text.push_str(&format!("error: the following {files} {have} {words}:\n"));
        for path in list {
            text.push_str(&format!("    {path}\n"));
        }
        text.push_str(hint);
        text.push('\n');
    }
    if text.is_empty() { Ok(()) } else { Err(GitError::Plain(text, 1)) }
}
