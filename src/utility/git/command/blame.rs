//! `git blame`: which commit each line comes from. `trace.rs` finds that out, `range.rs` reads `-L`, `print.rs` shows it.

mod print;
mod range;
mod trace;

use super::prelude::*;
use crate::memory::format;
use crate::utility::git::diff::lines::{Blanks, File};
use crate::utility::git::object::id::hash;
use trace::{Origin, Trace};

options! {
    enum Opt {
        Range = value('L', "", "range", "process only line range <start>,<end> or function :<funcname>"),
        Porcelain = flag('p', "porcelain", "show in a format designed for machine consumption"),
        LinePorcelain = flag('\0', "line-porcelain", "show porcelain format with per-line commit information"),
        Annotate = flag('c', "", "use the same output mode as git-annotate (Default: off)"),
        HideAuthor = flag('s', "", "suppress author name and timestamp from the output"),
        LongNames = flag('l', "", "show long commit SHA1"),
        BlankBoundary = flag('b', "", "do not show object names of boundary commits (Default: off)"),
        ShowEmail = flag('e', "show-email", "show author email instead of name"),
        ShowName = flag('f', "show-name", "show original filename (Default: auto)"),
        ShowNumber = flag('n', "show-number", "show original linenumber (Default: off)"),
        IgnoreSpace = flag('w', "", "ignore whitespace differences"),
        RawTime = flag('t', "", "show raw timestamp"),
        Root = flag('\0', "root", "do not treat root commits as boundaries"),
        Minimal = flag('\0', "minimal", "spend extra cycles to find better match"),
        FirstParent = flag('\0', "first-parent", "follow only the first parent"),
        Progress = flag('\0', "progress", "force progress reporting"),
        Since = value('\0', "since", "date", "ignore changes older than <date>"),
        Date = value('\0', "date", "format", "the format of dates"),
        Abbrev = optional('\0', "abbrev", "n", "use <n> digits to display object names"),
        Moved = optional('M', "", "score", "not supported"),
        Copied = optional('C', "", "score", "not supported"),
        RevisionsFile = value('S', "", "file", "not supported"),
        Contents = value('\0', "contents", "file", "not supported"),
        IgnoreRev = value('\0', "ignore-rev", "rev", "not supported"),
        IgnoreRevsFile = value('\0', "ignore-revs-file", "file", "not supported"),
        Incremental = flag('\0', "incremental", "not supported"),
        ShowStats = flag('\0', "show-stats", "not supported"),
        ScoreDebug = flag('\0', "score-debug", "not supported"),
        Reverse = flag('\0', "reverse", "not supported"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "blame",
    usage: "git blame [<options>] [<rev-opts>] [<rev>] [--] <file>",
    options: Opt::TABLE,
    run: command!(run),
    ..Command::BASE
};

/// A part of a file: lines `[from, to)`, from 0.
type Range = (usize, usize);

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    if let Some(option) = arguments.first_of([
        Opt::Contents,
        Opt::IgnoreRev,
        Opt::IgnoreRevsFile,
        Opt::Incremental,
        Opt::ShowStats,
        Opt::ScoreDebug,
        Opt::Reverse,
    ]) {
        return Err(fatal!("--{} is not supported", option.long()));
    }
    if let Some(option) = arguments.first_of([Opt::Moved, Opt::Copied, Opt::RevisionsFile]) {
        return Err(fatal!("-{} is not supported", option.short()));
    }
    let abbrev = arguments.value(Opt::Abbrev);
    if abbrev.is_some_and(|text| !text.iter().all(u8::is_ascii_digit) || text.is_empty()) {
        return Err(not_a_number("option `abbrev'"));
    }
    if arguments.has(Opt::Progress) && arguments.has_any([Opt::Porcelain, Opt::LinePorcelain]) {
        return Err(fatal!("--progress can't be used with --incremental or porcelain formats"));
    }
    let (revisions, file) = operands(git, &arguments)?;
    let path = Text::from(git.relative(&file)?);
    let mut trace = Trace {
        blanks: Blanks { all: arguments.has(Opt::IgnoreSpace), ..Blanks::default() },
        is_minimal: arguments.has(Opt::Minimal),
        first_parent: arguments.has(Opt::FirstParent),
        shows_root: arguments.truth(Opt::Root).unwrap_or(git.config.truth("blame.showroot") == Some(true)),
        since: arguments
            .value(Opt::Since)
            .map(|text| crate::utility::git::date::parse_about(text, git).unwrap_or_else(|| git.now())),
        ..Trace::default()
    };
    let start = take_revisions(git, &mut trace, &revisions).await?;
    let shown = match start {
        Some((name, id)) => {
            let tree = git.commit(&id).await?.tree;
            let Some((mode, blob)) = git.find_in_tree(tree, &path).await? else {
                return Err(fatal!("no such path {path} in {name}"));
            };
            let text = git.object(&blob).await?.1;
            let file = File::new(&mut git.ctx, text).await?;
            trace.start(Origin::new(Some(id), path.clone(), mode, blob), &file);
            file
        }
        None => from_work_tree(git, &mut trace, &path).await?,
    };
    let ranges = range::ranges(git, &arguments, &path, &shown).await?;
    trace.keep(&ranges);
    trace.run(git).await?;
    print::print(git, &arguments, &trace, (&path, &shown), &ranges).await?;
    Ok(0)
}

/// The words that name commits, and the file.
fn operands(git: &Git, arguments: &Arguments<Opt>) -> Result<(Vec<Text>, Text)> {
    let usage = || COMMAND.usage_error();
    let mut words = arguments.operands.clone();
    match arguments.separator {
        Some(before) if before + 1 == words.len() => {
            let file = words.pop().ok_or_else(usage)?;
            Ok((words, file))
        }
        // `FILE -- REVISION` is the order of old.
        Some(1) if words.len() == 2 => {
            let revision = words.pop().ok_or_else(usage)?;
            let file = words.pop().ok_or_else(usage)?;
            Ok((Vec::from([revision]), file))
        }
        Some(_) => Err(usage()),
        None => {
            let file = words.pop().ok_or_else(usage)?;
            if words.len() == 1
                && let Some(first) = words.first().cloned()
                && git.fs().symlink_metadata(&git.ctx.absolute(&file)).is_err()
                && git.fs().symlink_metadata(&git.ctx.absolute(&first)).is_ok()
            {
                return Ok((Vec::from([file]), first));
            }
            if words.is_empty() && git.fs().symlink_metadata(&git.ctx.absolute(&file)).is_err() {
                let shown = bstr::BStr::new(&file);
                return Err(fatal!("no such path '{shown}' in HEAD"));
            }
            Ok((words, file))
        }
    }
}

/// Where the search begins, and what of the history is left out; `None`: with the work tree.
async fn take_revisions(
    git: &mut Git,
    trace: &mut Trace,
    words: &[Text],
) -> Result<Option<(Text, ObjectId)>> {
    let mut start: Option<(Text, ObjectId)> = None;
    let mut excluded = Vec::new();
    for word in words {
        let (hidden, wanted) = match memchr::memmem::find(word, b"..") {
            Some(at) if word.get(at + 2) != Some(&b'.') => {
                let front = word.get(..at).filter(|front| !front.is_empty()).unwrap_or(b"HEAD");
                let back = word.get(at + 2..).filter(|back| !back.is_empty()).unwrap_or(b"HEAD");
                (Some(Text::from(front)), Some(Text::from(back)))
            }
            _ => match word.strip_prefix(b"^") {
                Some(name) => (Some(Text::from(name)), None),
                None => (None, Some(word.clone())),
            },
        };
        for (name, is_excluded) in [(hidden, true), (wanted, false)] {
            let Some(name) = name else { continue };
            let Some(id) = git.resolve_commit(&name).await? else {
                return Err(fatal!("bad revision '{word}'"));
            };
            if is_excluded {
                excluded.push(id);
            } else if start.is_some() {
                return Err(fatal!("More than one commit to dig from {name} and {}?", word));
            } else {
                start = Some((name, id));
            }
        }
    }
    if !excluded.is_empty() {
        trace.exclude(git, &excluded).await?;
    }
    Ok(start)
}

/// The file as it lies in the work tree, a commit to be.
async fn from_work_tree(git: &mut Git, trace: &mut Trace, path: &Text) -> Result<File> {
    git.work_tree()?;
    let Some(head) = git.head_id()? else { return Err(fatal!("no such ref: HEAD")) };
    trace.parents.push(head);
    let merged = crate::utility::file::join(&git.repo.git_dir, b"MERGE_HEAD");
    if let Some(text) = crate::utility::git::repository::read_file(git.fs(), &merged)? {
        trace.parents.extend(text.split(|byte| *byte == b'\n').filter_map(ObjectId::from_hex));
    }
    let mut is_known = !git.read_index().await?.range(path).is_empty();
    for parent in trace.parents.clone() {
        let tree = git.commit(&parent).await?.tree;
        is_known |= git.find_in_tree(tree, path).await?.is_some();
    }
    let name = bstr::BStr::new(&path[..]);
    if !is_known {
        return Err(fatal!("no such path '{name}' in HEAD"));
    }
    let Some(mode) = git.work_mode(path)? else {
        return Err(fatal!("Cannot lstat '{name}': No such file or directory"));
    };
    let text = git.work_content(path, mode).await?;
    let blob = hash(Kind::Blob, &text);
    let file = File::new(&mut git.ctx, text).await?;
    trace.start(Origin::new(None, path.clone(), mode, blob), &file);
    Ok(file)
}

/// `Version of PATH from PATH`: what stands for the message of what is not committed.
fn fresh_commit(git: &Git, path: &[u8]) -> Vec<u8> {
    let now = git.now();
    let zone = git.zone_at(now);
    let sign = if zone < 0 { '-' } else { '+' };
    let who = format!("Not Committed Yet <not.committed.yet> {now} {sign}{:04}", zone.abs());
    let head = format!("author {who}\ncommitter {who}\n\n");
    [head.as_bytes(), b"Version of ", path, b" from ", path, b"\n"].concat_metered()
}
