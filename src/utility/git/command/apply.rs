//! `git apply`: patches change files, the index, or both. `parse.rs` reads a patch, `fragment.rs` finds where its hunks fit.

mod fragment;
mod parse;

use super::prelude::*;
use crate::memory::{HashMap, format};
use crate::utility::git::index::{Index, IndexEntry, Stat};
use crate::utility::git::object::tree::{EXECUTABLE, LINK, REGULAR};
use crate::utility::git::repository::read_file;
use fragment::{Image, apply_fragment};
use parse::Patch;

options! {
    enum Opt {
        Exclude = value('\0', "exclude", "path", "don't apply changes matching the given path"),
        Include = value('\0', "include", "path", "apply changes matching the given path"),
        Strip = value('p', "", "num", "remove <num> leading slashes from traditional diff paths"),
        Add = flag('\0', "add", "not supported"),
        Stat = flag('\0', "stat", "instead of applying the patch, output diffstat for the input"),
        Numstat = flag('\0', "numstat", "show number of added and deleted lines in decimal notation"),
        Summary = flag('\0', "summary", "instead of applying the patch, output a summary for the input"),
        Check = flag('\0', "check", "instead of applying the patch, see if the patch is applicable"),
        Index = flag('\0', "index", "make sure the patch is applicable to the current index"),
        IntentToAdd = flag('N', "intent-to-add", "mark new files with `git add --intent-to-add`"),
        Cached = flag('\0', "cached", "apply a patch without touching the working tree"),
        Apply = flag('\0', "apply", "also apply the patch (use with --stat/--summary/--check)"),
        ThreeWay = flag('3', "3way", "not supported"),
        Nul = flag('z', "", "paths are separated with NUL character"),
        Context = value('C', "", "n", "ensure at least <n> lines of context match"),
        Whitespace = value('\0', "whitespace", "action", "detect new or modified lines that have whitespace errors"),
        IgnoreSpaceChange = flag('\0', "ignore-space-change", "not supported"),
        IgnoreWhitespace = flag('\0', "ignore-whitespace", "not supported"),
        Reverse = flag('R', "reverse", "apply the patch in reverse"),
        UnidiffZero = flag('\0', "unidiff-zero", "don't expect at least one line of context"),
        Reject = flag('\0', "reject", "not supported"),
        AllowOverlap = flag('\0', "allow-overlap", "allow overlapping hunks"),
        Verbose = flag('v', "verbose", "be verbose"),
        Quiet = flag('q', "quiet", "be quiet"),
        Recount = flag('\0', "recount", "do not trust the line counts in the hunk headers"),
        Directory = value('\0', "directory", "root", "prepend <root> to all filenames"),
        AllowEmpty = flag('\0', "allow-empty", "don't return error for empty patches"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "apply",
    usage: "git apply [<options>] [<patch>...]",
    options: Opt::TABLE,
    needs: Needs::Perhaps,
    run: command!(run),
    ..Command::BASE
};

/// How patches are read and applied.
pub(super) struct ApplyOptions {
    pub(super) strips: usize,
    pub(super) directory: Vec<u8>,
    pub(super) recounts: bool,
    pub(super) no_context: bool,
    pub(super) overlaps: bool,
    pub(super) least_context: usize,
    pub(super) is_verbose: bool,
    pub(super) is_quiet: bool,
}

/// What becomes of a file: none, it goes.
type Outcome = Option<(Vec<u8>, u32)>;

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    if let Some(option) = arguments.first_of([
        Opt::ThreeWay,
        Opt::Reject,
        Opt::Add,
        Opt::IgnoreSpaceChange,
        Opt::IgnoreWhitespace,
    ]) {
        return Err(fatal!("apply --{} is not supported", option.long()));
    }
    let number = |option: Opt, usual: usize| -> Result<usize> {
        let Some(value) = arguments.value(option) else { return Ok(usual) };
        std::str::from_utf8(value)
            .ok()
            .and_then(|text| text.parse().ok())
            .ok_or_else(|| not_a_number(&format!("switch `{}'", option.short())))
    };
    let mut directory = arguments.value(Opt::Directory).cloned().unwrap_or_default().to_metered();
    if !directory.is_empty() && !directory.ends_with(b"/") {
        directory.push(b'/');
    }
    let options = ApplyOptions {
        strips: number(Opt::Strip, 1)?,
        directory,
        recounts: arguments.has(Opt::Recount),
        no_context: arguments.has(Opt::UnidiffZero),
        overlaps: arguments.has(Opt::AllowOverlap),
        least_context: number(Opt::Context, usize::MAX)?,
        is_verbose: arguments.has(Opt::Verbose),
        is_quiet: arguments.has(Opt::Quiet),
    };
    match arguments.value(Opt::Whitespace).map(Text::as_bytes) {
        None | Some(b"nowarn" | b"warn" | b"warn-all") => {}
        Some(other) => return Err(fatal!("apply --whitespace={} is not supported", bstr::BStr::new(other))),
    }
    if (arguments.has(Opt::Index) || arguments.has(Opt::Cached)) && !git.is_found {
        let name = if arguments.has(Opt::Index) { "index" } else { "cached" };
        return Err(fatal!("'--{name}' outside a repository"));
    }
    let mut patches: Vec<Patch> = Vec::new();
    let mut names = arguments.operands.clone();
    if names.is_empty() {
        names.push(Text::from_static(b"-"));
    }
    for name in &names {
        let (text, shown) = if **name == *b"-" {
            (git.ctx.standard_input().read_to_end().await?, Text::from_static(b"<stdin>"))
        } else {
            match git.read_named(name).await? {
                Some(text) => (text, name.clone()),
                None => {
                    return Err(GitError::Error(
                        format!("can't open patch '{name}': No such file or directory"),
                        128,
                    ));
                }
            }
        };
        let mut found = parse::patches(git, &text, &options).await?;
        if found.is_empty() && !arguments.has(Opt::AllowEmpty) {
            return Err(GitError::Error(
                "No valid patches in input (allow with \"--allow-empty\")".into(),
                128,
            ));
        }
        if !arguments.has(Opt::Quiet)
            && !arguments.has(Opt::Reverse)
            && arguments.value(Opt::Whitespace).is_none_or(|action| **action != *b"nowarn")
        {
            fragment::warn(git, &found, &shown).await?;
        }
        if arguments.has(Opt::Reverse) {
            found = found.into_iter().rev().map(Patch::reversed).collect();
        }
        patches.append(&mut found);
    }
    let has_patches = !patches.is_empty();
    let prefix = git.repo.prefix.clone();
    for patch in &mut patches {
        patch.place(&prefix);
    }
    let has_include = arguments.values(Opt::Include).next().is_some();
    patches.retain(|patch| {
        let path = patch.path();
        // The first pattern that matches decides.
        let decided = arguments.in_order().find(|(option, pattern)| {
            matches!(option, Opt::Include | Opt::Exclude)
                && pattern.is_some_and(|pattern| {
                    crate::utility::ignore::wildmatch::matches(pattern, path, false, false)
                })
        });
        let is_out = decided.map_or(has_include, |(option, _)| option == Opt::Exclude);
        // What is outside of the working directory is left alone.
        !is_out && patch.path().starts_with(&prefix)
    });
    let only_shows = arguments.has_any([Opt::Stat, Opt::Numstat, Opt::Summary, Opt::Check]);
    let applies = !only_shows || arguments.has(Opt::Apply);
    if applies || arguments.has(Opt::Check) {
        let mut session = Session {
            index: if git.is_found { git.read_index().await? } else { Index::default() },
            uses_index: arguments.has(Opt::Index) || arguments.has(Opt::Cached),
            cached: arguments.has(Opt::Cached),
            outcomes: HashMap::new(),
            order: Vec::new(),
        };
        let mut has_failed = false;
        for patch in &patches {
            if options.is_verbose {
                let path = patch.path();
                git.say(&format!("Checking patch {}...", bstr::BStr::new(path)));
            }
            match session.apply(git, patch, &options).await {
                Ok(()) => {}
                Err(GitError::Error(text, 1)) => {
                    if !arguments.has(Opt::Quiet) {
                        git.say(&format!("error: {text}"));
                    }
                    has_failed = true;
                }
                Err(error) => return Err(error),
            }
        }
        if has_failed {
            return Ok(1);
        }
        if applies {
            if git.is_found && git.repo.work_tree.is_none() && !session.cached {
                return Err(fatal!("this operation must be run in a work tree"));
            }
            session.write(git, arguments.has(Opt::IntentToAdd)).await?;
            if options.is_verbose {
                for patch in &patches {
                    git.say(&format!("Applied patch {} cleanly.", bstr::BStr::new(patch.path())));
                }
            }
        }
    }
    if arguments.has(Opt::Stat) && has_patches {
        parse::print_stat(git, &patches).await?;
    }
    if arguments.has(Opt::Numstat) {
        for patch in &patches {
            let (added, deleted) = patch.counts();
            let front = if patch.is_binary { "-\t-\t".into() } else { format!("{added}\t{deleted}\t") };
            let end: &[u8] = if arguments.has(Opt::Nul) { b"\0" } else { b"\n" };
            let name =
                if arguments.has(Opt::Nul) { patch.path().to_metered() } else { git.quoted(patch.path()) };
            git.print(&[front.as_bytes(), &name, end].concat_metered()).await?;
        }
    }
    if arguments.has(Opt::Summary) {
        parse::print_summary(git, &patches).await?;
    }
    Ok(0)
}

/// Patches that are applied one after another, before anything is written.
struct Session {
    index: Index,
    uses_index: bool,
    cached: bool,
    outcomes: HashMap<Text, Outcome>,
    order: Vec<Text>,
}

fn failure(text: String) -> GitError {
    GitError::Error(text, 1)
}

impl Session {
    /// A file as it is now; `None`: there is none.
    async fn current(&self, git: &mut Git, path: &Text) -> Result<Outcome> {
        if let Some(outcome) = self.outcomes.get(path) {
            return Ok(outcome.clone());
        }
        if self.uses_index {
            let Some(entry) = self.index.get(path).cloned() else { return Ok(None) };
            if !self.cached {
                match git.work_mode(path)? {
                    None => drop(git.check_out(path, entry.mode, &entry.id).await?),
                    Some(mode) if mode != entry.mode || !git.is_unchanged(&self.index, &entry).await? => {
                        return Err(failure(format!("{path}: does not match index")));
                    }
                    Some(_) => {}
                }
            }
            let text = git.object(&entry.id).await?.1;
            return Ok(Some((text, entry.mode)));
        }
        let full = Self::full(git, path);
        match git.fs().symlink_metadata(&full) {
            Ok(metadata) if metadata.is_directory() => Err(failure(format!("{path}: wrong type"))),
            Ok(metadata) => {
                let mode = crate::utility::git::index::mode_of(&metadata);
                let text = if mode == LINK {
                    git.fs().read_link(&full)?.to_metered()
                } else {
                    read_file(git.fs(), &full)?.unwrap_or_default()
                };
                Ok(Some((text, mode)))
            }
            Err(crate::vfs::FsError::Limit(limit)) => Err(limit.into()),
            Err(crate::vfs::FsError::Errno(_)) => Ok(None),
        }
    }

    fn full(git: &Git, path: &[u8]) -> Vec<u8> {
        if git.is_found { git.in_work_tree(path) } else { git.ctx.absolute(path) }
    }

    async fn apply(&mut self, git: &mut Git, patch: &Patch, options: &ApplyOptions) -> Result<()> {
        if patch.is_binary {
            return Err(failure(format!(
                "cannot apply binary patch to '{}' without full index line\nerror: {}: patch does not apply",
                bstr::BStr::new(patch.path()),
                bstr::BStr::new(patch.path())
            )));
        }
        let mut old: Outcome = None;
        if let Some(path) = &patch.old_path {
            old = self.current(git, path).await?;
            if old.is_none() {
                let words =
                    if self.uses_index { "does not exist in index" } else { "No such file or directory" };
                return Err(failure(format!("{path}: {words}")));
            }
        }
        if let (Some((_, mode)), Some(wanted)) = (&old, patch.old_mode)
            && *mode != wanted
        {
            let path = bstr::BStr::new(patch.path());
            if mode & 0o170_000 != wanted & 0o170_000 {
                return Err(failure(format!("{path}: wrong type")));
            }
            git.say(&format!("warning: {path} has type {mode:o}, expected {wanted:o}"));
        }
        if let Some(path) = &patch.new_path
            && (patch.old_path.is_none() || patch.is_moved())
            && patch.old_path.as_ref() != Some(path)
        {
            let is_known = self.outcomes.get(path);
            if is_known.is_none() && self.uses_index && self.index.get(path).is_some() {
                return Err(failure(format!("{path}: already exists in index")));
            }
            let is_there = match is_known {
                Some(outcome) => outcome.is_some(),
                None => {
                    !self.cached
                        && git
                            .fs()
                            .symlink_metadata(&Self::full(git, path))
                            .is_ok_and(|metadata| !metadata.is_directory())
                }
            };
            if is_there {
                return Err(failure(format!("{path}: already exists in working directory")));
            }
        }
        let (text, old_mode) = old.unwrap_or_default();
        let mut image = Image::new(&text);
        for (number, fragment) in patch.fragments.iter().enumerate() {
            if !apply_fragment(git, &mut image, fragment, number + 1, options).await? {
                let name =
                    bstr::BStr::new(patch.old_path.as_ref().map_or_else(|| patch.path(), Text::as_bytes));
                return Err(failure(format!(
                    "patch failed: {name}:{}\nerror: {name}: patch does not apply",
                    fragment.old_start
                )));
            }
        }
        let text = image.into_text();
        match (&patch.old_path, &patch.new_path) {
            (Some(path), None) => {
                if !text.is_empty() {
                    return Err(failure(format!(
                        "removal patch leaves file contents\nerror: {path}: patch does not apply"
                    )));
                }
                self.put(path, None);
            }
            (old_path, Some(path)) => {
                if let Some(old_path) = old_path
                    && old_path != path
                    && !patch.is_copy
                {
                    self.put(old_path, None);
                }
                let mode = patch.new_mode.unwrap_or(if old_mode == 0 { REGULAR } else { old_mode });
                self.put(path, Some((text, mode)));
            }
            (None, None) => {}
        }
        Ok(())
    }

    fn put(&mut self, path: &Text, outcome: Outcome) {
        if self.outcomes.insert(path.clone(), outcome).is_none() {
            self.order.push(path.clone());
        }
    }

    /// Writes what became of the files: first what goes, then what comes.
    async fn write(mut self, git: &mut Git, marks_new: bool) -> Result<()> {
        let mut touches_index = self.uses_index;
        for path in &self.order {
            if self.outcomes.get(path).is_some_and(Option::is_none) {
                if !self.cached {
                    if git.is_found {
                        git.remove_work_file(path)?;
                    } else {
                        crate::utility::git::error::found(git.fs().remove_file(&git.ctx.absolute(path)))?;
                    }
                }
                if self.uses_index {
                    self.index.remove(path);
                }
            }
        }
        for path in &self.order {
            let Some(Some((text, mode))) = self.outcomes.get(path).cloned() else { continue };
            let mut stat = Stat::default();
            if !self.cached {
                let full = Self::full(git, path);
                if git.is_found {
                    git.clear_way(path)?;
                } else {
                    crate::utility::git::error::found(
                        git.fs().create_dir_all(crate::utility::file::parent(&full), 0o777 & !git.ctx.umask),
                    )?;
                }
                if mode == LINK {
                    git.fs().symlink(&text, &full)?;
                } else {
                    let bits = if mode == EXECUTABLE { 0o777 } else { 0o666 };
                    crate::utility::git::error::found(git.fs().remove_file(&full))?;
                    git.fs().write(&full, &text, bits & !git.ctx.umask)?;
                }
                stat = Stat::of(&git.fs().symlink_metadata(&full)?);
            }
            let is_new = git.is_found && marks_new && self.index.get(path).is_none() && !self.uses_index;
            if self.uses_index || is_new {
                touches_index = true;
                let id = git.write_object(Kind::Blob, if is_new { b"" } else { &text }).await?;
                super::add::remove_conflicting(&mut self.index, path);
                self.index.put(IndexEntry {
                    stat,
                    mode,
                    id,
                    path: path.clone(),
                    intent_to_add: is_new,
                    ..IndexEntry::default()
                });
            }
        }
        if touches_index {
            git.write_index(&self.index).await?;
        }
        Ok(())
    }
}
