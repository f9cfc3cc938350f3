//! `git diff --no-index`: two files, or the files of two folders, wherever they are.

use crate::memory::{ToMetered, Vec, format};
use crate::text::Text;
use crate::utility::file::{join, last_component};
use crate::utility::git::Git;
use crate::utility::git::diff::change::{Change, Side};
use crate::utility::git::diff::options::DiffOptions;
use crate::utility::git::error::{GitError, Result, found};
use crate::utility::git::index::mode_of;
use crate::utility::git::object::id::ObjectId;
use crate::utility::git::object::tree::REGULAR;

/// What a name stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Given {
    Folder,
    /// A file, or nothing.
    File(Side),
}

/// Two names that are compared; `None`: on that side there is nothing.
type Pair = (Option<Text>, Option<Text>);

/// Compares what two names stand for.
pub(super) async fn no_index(git: &mut Git, one: &Text, other: &Text, options: &DiffOptions) -> Result<u8> {
    // Nothing is looked for in the work tree: what is read is kept by its name.
    git.repo.work_tree = Some(b"/".to_metered());
    git.repo.prefix = Vec::new();
    let (one, other) = if options.is_reversed { (other, one) } else { (one, other) };
    let options = DiffOptions { names_nothing: true, is_reversed: false, ..options.clone() };
    let kinds = (look(git, Some(one)).await?, look(git, Some(other)).await?);
    // A file is compared with the one of its name in a folder.
    let inside = |folder: &Text, file: &Text| Text::from(join(folder, last_component(file)));
    let first = match kinds {
        (Given::Folder, Given::File(file)) if file.mode != 0 => (inside(one, other), other.clone()),
        (Given::File(file), Given::Folder) if file.mode != 0 => (one.clone(), inside(other, one)),
        _ => (one.clone(), other.clone()),
    };
    let mut changes = Vec::new();
    let mut pending: Vec<Pair> = Vec::new();
    pending.push((Some(first.0), Some(first.1)));
    while let Some((old, new)) = pending.pop() {
        git.ctx.tick().await?;
        let kinds = (look(git, old.as_ref()).await?, look(git, new.as_ref()).await?);
        match kinds {
            (Given::File(left), Given::File(right)) => {
                changes.extend(change(git, (old, left), (new, right)));
            }
            // What stands in the place of a folder is told by itself.
            (Given::File(left), Given::Folder) => {
                changes.extend(change(git, (old, left), (None, Side::NONE)));
                add_names(git, &(None, new), &mut pending).await?;
            }
            (Given::Folder, Given::File(right)) => {
                changes.extend(change(git, (None, Side::NONE), (new, right)));
                add_names(git, &(old, None), &mut pending).await?;
            }
            (Given::Folder, Given::Folder) => add_names(git, &(old, new), &mut pending).await?,
        }
    }
    let has_changes = !changes.is_empty();
    super::finish(git, changes, &options).await?;
    Ok(u8::from(has_changes))
}

/// Adds what is in two folders, so that the first name is taken next.
async fn add_names(git: &mut Git, (old, new): &Pair, pending: &mut Vec<Pair>) -> Result<()> {
    let mut names: Vec<(Text, bool, bool)> = Vec::new();
    for (folder, is_old) in [(old, true), (new, false)] {
        let Some(folder) = folder else { continue };
        for entry in found(git.fs().read_dir(&git.ctx.absolute(folder)))?.unwrap_or_default() {
            git.ctx.tick().await?;
            names.push((entry.name, is_old, !is_old));
        }
    }
    names.sort();
    let inside =
        |folder: &Option<Text>, name: &Text| folder.as_ref().map(|folder| Text::from(join(folder, name)));
    let mut pairs: Vec<(Text, Pair)> = Vec::new();
    for (name, is_old, is_new) in names {
        let left = if is_old { inside(old, &name) } else { None };
        let right = if is_new { inside(new, &name) } else { None };
        match pairs.last_mut() {
            Some((last, pair)) if *last == name => {
                pair.0 = pair.0.take().or(left);
                pair.1 = pair.1.take().or(right);
            }
            _ => pairs.push((name, (left, right))),
        }
    }
    pending.extend(pairs.into_iter().rev().map(|(_, pair)| pair));
    Ok(())
}

/// What a name stands for; the content of a file is kept.
async fn look(git: &mut Git, name: Option<&Text>) -> Result<Given> {
    let Some(name) = name.filter(|name| ***name != *b"/dev/null") else { return Ok(Given::File(Side::NONE)) };
    if **name == *b"-" {
        if !git.given.contains_key(name) {
            let bytes = git.ctx.standard_input().read_to_end().await?;
            git.given.insert(name.clone(), bytes);
        }
        return Ok(Given::File(Side::stored(REGULAR, ObjectId::ZERO)));
    }
    let full = git.ctx.absolute(name);
    let Some(metadata) = found(git.fs().symlink_metadata(&full))? else {
        return Err(GitError::Error(format!("Could not access '{name}'"), 1));
    };
    if metadata.is_directory() {
        return Ok(Given::Folder);
    }
    let target = found(git.fs().metadata(&full))?;
    let is_stream = target.is_some_and(|target| !target.is_regular() && !target.is_directory());
    if git.given.contains_key(name) {
        // A stream can be read only once.
    } else if metadata.is_symlink() && !is_stream {
        let link = found(git.fs().read_link(&full))?.unwrap_or_default().to_metered();
        git.given.insert(name.clone(), link);
    } else {
        let bytes = git.read_named(name).await?;
        let bytes = bytes.ok_or_else(|| GitError::Error(format!("Could not access '{name}'"), 1))?;
        git.given.insert(name.clone(), bytes);
    }
    Ok(Given::File(if is_stream {
        Side::stored(REGULAR, ObjectId::ZERO)
    } else {
        Side::in_work_tree(mode_of(&metadata))
    }))
}

/// The change between two files, if they differ.
fn change(
    git: &Git,
    (old, left): (Option<Text>, Side),
    (new, right): (Option<Text>, Side),
) -> Option<Change> {
    let is_there = |side: Side| side.mode != 0;
    let old = old.filter(|_| is_there(left));
    let new = new.filter(|_| is_there(right));
    if let (Some(old), Some(new)) = (&old, &new)
        && left.mode == right.mode
        && git.given.get(old) == git.given.get(new)
    {
        return None;
    }
    let path = new.clone().or_else(|| old.clone())?;
    let old_path = old.unwrap_or_else(|| path.clone());
    Some(Change { old_path, ..Change::new(path, left, right) })
}
