//! `git diff`: commits, the index and the work tree against each other.

mod no_index;

use super::prelude::*;
use crate::utility::git::diff::change::{Change, Side};
use crate::utility::git::diff::combined::{CombinedFile, conflict};
use crate::utility::git::diff::files::{
    Telling, index_and_work_tree, tree_and_index_besides, tree_and_work_tree,
};
use crate::utility::git::diff::options::{DiffOpt, DiffOptions};
use crate::utility::git::diff::tree::{TreeOptions, compare};
use crate::utility::git::index::Index;
use crate::utility::git::object::tree::REGULAR;
use crate::utility::git::pathspec::Pathspec;
use crate::utility::git::revision::ambiguous;

options! {
    enum Opt {
        Cached = flag('\0', "cached", "compare the index with a commit"),
        Staged = flag('\0', "staged", "compare the index with a commit"),
        MergeBase = flag('\0', "merge-base", "compare with the merge base"),
        NoIndex = flag('\0', "no-index", "compare two paths of the file system"),
        Recursive = flag('r', "", "recurse into subtrees, as it always does"),
        Side(SideOpt),
        Diff(DiffOpt),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "diff",
    usage: "git diff [<options>] [<commit>] [--] [<path>...]\ngit diff [<options>] --cached [--merge-base] [<commit>] [--] \
[<path>...]\ngit diff [<options>] [--merge-base] <commit> [<commit>...] <commit> [--] [<path>...]\n\
git diff [<options>] <commit>...<commit> [--] [<path>...]\ngit diff [<options>] <blob> <blob>\n\
git diff [<options>] --no-index [--] <path> <path>",
    options: Opt::TABLE,
    needs: Needs::Perhaps,
    style: Style::Diff,
    run: command!(run),
    ..Command::BASE
};

options! {
    /// How files in a conflict are compared.
    pub(super) enum SideOpt {
        Number = number("side", "compare files in a conflict with this side, 0: with none"),
        Base = flag('\0', "base", "compare files in a conflict with the version both sides come from"),
        Ours = flag('\0', "ours", "compare files in a conflict with our version"),
        Theirs = flag('\0', "theirs", "compare files in a conflict with their version"),
        DenseCombined = flag('\0', "cc", "show combined diffs without hunks that are as in one side (default)"),
        Combined = flag('c', "", "show combined diffs"),
    }
}

/// What was named before the paths.
#[derive(Default)]
struct Named {
    objects: Vec<ObjectId>,
    /// `A...B`: from their merge base.
    is_symmetric: bool,
    is_range: bool,
    paths: Vec<Text>,
}

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    let mut options = git.diff_options(&arguments.part())?;
    let is_relative = arguments.truth(DiffOpt::Relative).unwrap_or(git.is_relative_by_default());
    if options.relative.is_none() && is_relative {
        options.relative = Some(git.repo.prefix.clone());
    }
    if options.formats.is_default() {
        options.formats.patch = true;
    }
    if arguments.has(Opt::NoIndex) || !git.is_found {
        let [one, other] = arguments.operands.as_slice() else {
            return Err(GitError::Plain(
                "warning: Not a git repository. Use --no-index to compare two paths outside a working tree\n"
                    .into(),
                129,
            ));
        };
        options.exit_code = true;
        return no_index::no_index(git, one, other, &options).await;
    }
    let named = take_names(git, &arguments).await?;
    let spec = git.pathspec(&named.paths)?;
    let is_cached = arguments.last_of([Opt::Cached, Opt::Staged]).is_some();
    if arguments.has(Opt::MergeBase) {
        if named.is_range {
            return Err(fatal!("--merge-base does not work with ranges"));
        }
        if named.objects.is_empty() && !is_cached {
            return Err(GitError::Error("invalid option: --merge-base".into(), 129));
        }
    }
    let sides = [SideOpt::Number, SideOpt::Base, SideOpt::Ours, SideOpt::Theirs];
    if arguments.last_of(sides).is_some() && (is_cached || !named.objects.is_empty()) {
        return Err(COMMAND.usage_error());
    }
    name_sides(git, &arguments, named.objects.len(), is_cached, &mut options);
    let changes = match named.objects.as_slice() {
        [] | [_] if is_cached => {
            let tree = match named.objects.first() {
                Some(id) => base_tree(git, *id, arguments.has(Opt::MergeBase)).await?,
                None => git.head_tree().await?,
            };
            let (index, trees) = git.read_index_and_trees().await?;
            tree_and_index_besides(git, tree, &index, &spec, &trees).await?
        }
        [] => {
            git.work_tree()?;
            let index = git.read_index().await?;
            compare_files(git, &arguments.part(), &index, &spec, (Telling::CONTENTS, &options)).await?
        }
        [one] => {
            if let Some((Kind::Blob, _)) = git.object_header(one).await? {
                let [path] = named.paths.as_slice() else {
                    return Err(fatal!("a blob is compared with one file"));
                };
                let path = git.relative(path)?;
                let mode = git.work_mode(&path)?.ok_or_else(|| ambiguous(&path))?;
                let path = Text::from(path);
                Vec::from([Change::new(path, Side::stored(mode, *one), Side::in_work_tree(mode))])
            } else {
                git.work_tree()?;
                let tree = base_tree(git, *one, arguments.has(Opt::MergeBase)).await?;
                let index = git.read_index().await?;
                let (is_dense, mut files) = (arguments.has(SideOpt::DenseCombined), Vec::new());
                let combined = (is_dense || arguments.has(SideOpt::Combined)).then_some(&mut files);
                let changes =
                    tree_and_work_tree(git, tree, &index, &spec, (Telling::CONTENTS, combined)).await?;
                print_live(git, &files, &options, is_dense).await?;
                changes
            }
        }
        [one, other] => {
            let kinds = (git.object_header(one).await?, git.object_header(other).await?);
            if let (Some((Kind::Blob, _)), Some((Kind::Blob, _))) = kinds {
                blobs(git, &arguments, *one, *other).await?
            } else {
                let (mut one, mut other) = (*one, *other);
                if named.is_symmetric || arguments.has(Opt::MergeBase) {
                    let (first, second) =
                        (git.peel(one, Kind::Commit).await?, git.peel(other, Kind::Commit).await?);
                    let (Some(first), Some(second)) = (first, second) else {
                        return Err(fatal!("no merge base found"));
                    };
                    let bases = git.merge_bases(first, &[second]).await?;
                    one = *bases.first().ok_or_else(|| fatal!("no merge base found"))?;
                    other = second;
                }
                let (old, new) = (tree_of(git, one).await?, tree_of(git, other).await?);
                compare(git, old, new, &spec, TreeOptions::RECURSIVE).await?
            }
        }
        [merge, parents @ ..] => {
            let mut trees = Vec::new();
            for parent in parents {
                trees.push(tree_of(git, *parent).await?);
            }
            let tree = tree_of(git, *merge).await?;
            let files = git.combined_files(&trees, tree, &spec, &options).await?;
            if options.formats.is_default() {
                options.formats.patch = true;
            }
            git.print_combined(&files, &options, !arguments.has(SideOpt::Combined)).await?;
            return Ok(u8::from(options.exit_code && !files.is_empty()));
        }
    };
    finish(git, changes, &options).await
}

/// Names the sides by what they are, where the configuration asks for that: commit, index, work tree.
fn name_sides(
    git: &Git,
    arguments: &Arguments<Opt>,
    objects: usize,
    is_cached: bool,
    options: &mut DiffOptions,
) {
    let given = [DiffOpt::SrcPrefix, DiffOpt::DstPrefix, DiffOpt::NoPrefix, DiffOpt::DefaultPrefix];
    if git.config.truth("diff.mnemonicprefix") != Some(true)
        || git.config.truth("diff.noprefix") == Some(true)
        || arguments.last_of(given).is_some()
    {
        return;
    }
    let (old, new): (&[u8], &[u8]) = match (objects, is_cached) {
        (_, true) => (b"c/", b"i/"),
        (0, _) => (b"i/", b"w/"),
        (1, _) => (b"c/", b"w/"),
        _ => return,
    };
    let (old, new) = if options.is_reversed { (new, old) } else { (old, new) };
    (options.old_prefix, options.new_prefix) = (Text::from(old), Text::from(new));
}

/// Prints changes and gives the status.
pub(super) async fn finish(git: &mut Git, changes: Vec<Change>, options: &DiffOptions) -> Result<u8> {
    let mut changes = git.refine(changes, options).await?;
    if options.blanks_ignored() && (options.quiet || options.exit_code) {
        // What differs in blanks alone does not count.
        let mut kept = Vec::new();
        for change in changes {
            if !git.patch(&change, options).await?.is_empty() {
                kept.push(change);
            }
        }
        changes = kept;
    }
    if options.checks {
        let mut has_errors = false;
        for change in &changes {
            has_errors |= git.check_change(change, options).await?;
        }
        return Ok(u8::from(has_errors) * 2 + u8::from(options.exit_code && !changes.is_empty()));
    }
    git.print_changes(&changes, options).await?;
    Ok(u8::from(options.exit_code && !changes.is_empty()))
}

/// Compares the work tree with the index. Conflicts with two sides are printed as combined diffs, where no side was chosen
/// and patches are wanted; the rest is left.
pub(super) async fn compare_files(
    git: &mut Git,
    arguments: &Arguments<SideOpt>,
    index: &Index,
    spec: &Pathspec,
    (telling, options): (Telling, &DiffOptions),
) -> Result<Vec<Change>> {
    let sides = [SideOpt::Number, SideOpt::Base, SideOpt::Ours, SideOpt::Theirs];
    let stage = match arguments.last_of(sides) {
        Some(SideOpt::Number) => arguments.number(SideOpt::Number)?.and_then(|side| u8::try_from(side).ok()),
        Some(SideOpt::Base) => Some(1),
        Some(SideOpt::Ours) => Some(2),
        Some(_) => Some(3),
        None => None,
    };
    let telling = Telling { stage: stage.unwrap_or(telling.stage), ..telling };
    let changes = index_and_work_tree(git, index, spec, telling).await?;
    let is_combined = arguments.has(SideOpt::Combined) || arguments.has(SideOpt::DenseCombined);
    let wants_patches = options.formats.patch && !options.quiet && !options.checks;
    if !is_combined && (stage.is_some() || !wants_patches) {
        return Ok(changes);
    }
    let side = |path: &[u8], stage: u8| {
        let entry = index.find(path, stage).ok().and_then(|at| index.entries.get(at));
        entry.map(|entry| Side::stored(entry.mode, entry.id))
    };
    let mut kept = Vec::new();
    let mut files = Vec::new();
    for change in changes {
        let (Some(ours), Some(theirs)) = (side(&change.path, 2), side(&change.path, 3)) else {
            kept.push(change);
            continue;
        };
        // The conflict is told once; the change of a side belongs to it.
        if change.status == b'U' {
            files.push(conflict(&change.path, ours, theirs, change.new));
        }
    }
    print_live(git, &files, options, !arguments.has(SideOpt::Combined)).await?;
    Ok(kept)
}

/// Prints combined diffs of files of the work tree.
async fn print_live(
    git: &mut Git,
    files: &[CombinedFile],
    options: &DiffOptions,
    is_dense: bool,
) -> Result<()> {
    if files.is_empty() {
        return Ok(());
    }
    let mut options = options.clone();
    let formats = &mut options.formats;
    formats.patch &= !(formats.raw || formats.name_only || formats.name_status);
    (formats.stat, formats.numstat, formats.shortstat, formats.summary) = (false, false, false, false);
    git.print_combined(files, &options, is_dense).await
}

async fn tree_of(git: &mut Git, id: ObjectId) -> Result<ObjectId> {
    git.peel(id, Kind::Tree).await?.ok_or_else(|| fatal!("bad object {id}"))
}

/// The tree of an object, or of the merge base of a commit and `HEAD`.
pub(super) async fn base_tree(git: &mut Git, id: ObjectId, from_base: bool) -> Result<ObjectId> {
    if !from_base {
        return tree_of(git, id).await;
    }
    let (Some(commit), Some(head)) = (git.peel(id, Kind::Commit).await?, git.head_id()?) else {
        return Err(fatal!("no merge base found"));
    };
    match git.merge_bases(commit, &[head]).await?.as_slice() {
        [base] => tree_of(git, *base).await,
        [] => Err(fatal!("no merge base found")),
        _ => Err(fatal!("multiple merge bases found")),
    }
}

async fn blobs(
    git: &mut Git,
    arguments: &Arguments<Opt>,
    one: ObjectId,
    other: ObjectId,
) -> Result<Vec<Change>> {
    let mut modes = Vec::new();
    for word in arguments.operands.iter().take(2) {
        modes.push(git.mode_of(word).await?.unwrap_or(REGULAR));
    }
    let mode = |at: usize| modes.get(at).copied().unwrap_or(REGULAR);
    let mut names = arguments.operands.iter().map(|word| {
        let path = word.rsplit(|byte| *byte == b':').next().unwrap_or(word);
        if path.len() < word.len() { Text::from(path) } else { word.clone() }
    });
    let (Some(old), Some(new)) = (names.next(), names.next()) else { return Ok(Vec::new()) };
    if one == other && mode(0) == mode(1) {
        return Ok(Vec::new());
    }
    let mut change = Change::new(new, Side::stored(mode(0), one), Side::stored(mode(1), other));
    change.old_path = old;
    Ok(Vec::from([change]))
}

/// Splits the operands into objects and paths.
async fn take_names(git: &mut Git, arguments: &Arguments<Opt>) -> Result<Named> {
    let mut named = Named::default();
    let (before, after) = arguments.parts();
    let has_separator = arguments.separator.is_some();
    let mut is_path = false;
    for word in before {
        git.ctx.tick().await?;
        let exists = git.is_file(word);
        if !is_path {
            if take_object(git, &mut named, word).await? {
                if exists && !has_separator {
                    return Err(fatal!(
                        "ambiguous argument '{word}': both revision and filename\nUse '--' to separate paths from \
revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'"
                    ));
                }
                continue;
            }
            if has_separator {
                return Err(fatal!("bad revision '{word}'"));
            }
            is_path = true;
        }
        if !git.looks_like_path(word) {
            return Err(git.unresolved(word).await?);
        }
        named.paths.push(word.clone());
    }
    named.paths.extend(after.iter().cloned());
    Ok(named)
}

async fn take_object(git: &mut Git, named: &mut Named, word: &Text) -> Result<bool> {
    if let Some(dots) = memchr::memmem::find(word, b"..")
        && word.as_bytes() != b".."
    {
        let is_symmetric = word.get(dots + 2) == Some(&b'.');
        let front = word.get(..dots).filter(|front| !front.is_empty()).unwrap_or(b"HEAD");
        let start = dots + 2 + usize::from(is_symmetric);
        let back = word.get(start..).filter(|back| !back.is_empty()).unwrap_or(b"HEAD");
        if let (Some(one), Some(other)) = (git.resolve(front).await?, git.resolve(back).await?) {
            (named.is_symmetric, named.is_range) = (is_symmetric, true);
            named.objects.push(one);
            named.objects.push(other);
            return Ok(true);
        }
    }
    if let Some((id, parent)) = git.without_parent(word).await? {
        named.objects.extend([parent, id]);
        return Ok(true);
    }
    for (suffix, with_itself) in [(&b"^@"[..], false), (b"^!", true)] {
        let Some(base) = word.strip_suffix(suffix) else { continue };
        let Some(id) = git.resolve_commit(base).await? else { continue };
        let parents = git.commit(&id).await?.parents.clone();
        match parents.as_slice() {
            // A merge is compared with all of its parents.
            [_, _, ..] if with_itself => {
                named.objects.push(id);
                named.objects.extend(parents);
            }
            _ => {
                named.objects.extend(parents);
                named.objects.extend(with_itself.then_some(id));
            }
        }
        return Ok(true);
    }
    match git.resolve(word).await? {
        Some(id) => {
            if !git.has_object(&id)? {
                return Err(fatal!("bad object {word}"));
            }
            named.objects.push(id);
            Ok(true)
        }
        None => Ok(false),
    }
}
