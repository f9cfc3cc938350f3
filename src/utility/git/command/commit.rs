//! `git commit`: the index becomes a commit. Hooks and editors are not run.

use super::prelude::*;
use crate::memory::format;
use crate::utility::git::diff::options::Formats;
use crate::utility::git::diff::tree::{TreeOptions, compare};
use crate::utility::git::identity::Who;
use crate::utility::git::index::Index;
use crate::utility::git::object::commit::{header, message};
use crate::utility::git::object::tree::{TREE, TreeEntry, write};
use crate::utility::git::pathspec::Pathspec;
use crate::utility::git::pretty::subject;
use crate::utility::git::status::{Ignored, Untracked};

options! {
    enum Opt {
        Quiet = flag('q', "quiet", "suppress summary after successful commit"),
        Verbose = flag('v', "verbose", "accepted; there is no editor"),
        File = value('F', "file", "file", "read message from file"),
        Author = value('\0', "author", "author", "override author for commit"),
        Date = value('\0', "date", "date", "override date for commit"),
        Message = value('m', "message", "message", "commit message"),
        ReeditMessage = value('c', "reedit-message", "commit", "reuse and edit message from specified commit"),
        ReuseMessage = value('C', "reuse-message", "commit", "reuse message from specified commit"),
        Fixup = value('\0', "fixup", "commit", "use autosquash formatted message to fixup specified commit"),
        Squash = value('\0', "squash", "commit", "use autosquash formatted message to squash specified commit"),
        ResetAuthor = flag('\0', "reset-author", "the commit is authored by me now (used with -C/-c/--amend)"),
        Trailer = value('\0', "trailer", "trailer", "add custom trailer(s)"),
        Signoff = flag('s', "signoff", "add a Signed-off-by trailer"),
        Template = value('t', "template", "file", "not supported"),
        Edit = flag('e', "edit", "accepted where a message is given; there is no editor"),
        Cleanup = value('\0', "cleanup", "mode", "how to strip spaces and #comments from message"),
        Status = flag('\0', "status", "accepted"),
        GpgSign = optional('S', "gpg-sign", "key-id", "not supported"),
        All = flag('a', "all", "commit all changed files"),
        Include = flag('i', "include", "add specified files to index for commit"),
        Interactive = flag('\0', "interactive", "not supported"),
        Patch = flag('p', "patch", "not supported"),
        Only = flag('o', "only", "commit only specified files"),
        NoVerify = flag('n', "no-verify", "bypass pre-commit and commit-msg hooks"),
        Verify = flag('\0', "verify", "accepted; hooks are not run"),
        DryRun = flag('\0', "dry-run", "show what would be committed"),
        Short = flag('\0', "short", "show status concisely"),
        Porcelain = flag('\0', "porcelain", "machine-readable output"),
        Amend = flag('\0', "amend", "amend previous commit"),
        NoPostRewrite = flag('\0', "no-post-rewrite", "accepted"),
        UntrackedFiles = optional('u', "untracked-files", "mode", "accepted"),
        AllowEmpty = flag('\0', "allow-empty", "ok to record an empty change"),
        AllowEmptyMessage = flag('\0', "allow-empty-message", "ok to record a change with an empty message"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "commit",
    usage: "git commit [-a | --interactive | --patch] [-s] [-v] [-u[<mode>]] [--amend] [--dry-run] [(-c | -C) <commit>] \
[-F <file> | -m <msg>] [--reset-author] [--allow-empty] [--allow-empty-message] [--no-verify] [-e] [--author=<author>] \
[--date=<date>] [--cleanup=<mode>] [--] [<pathspec>...]",
    options: Opt::TABLE,
    needs: Needs::WorkTree,
    run: command!(run),
    ..Command::BASE
};

impl Git {
    /// Stores the index as trees; the name of the whole.
    pub(super) async fn write_tree(&mut self, index: &Index) -> Result<ObjectId> {
        /// A folder that is being put together.
        struct Level {
            path: Vec<u8>,
            entries: Vec<TreeEntry>,
        }
        let mut levels: Vec<Level> = Vec::new();
        levels.push(Level { path: Vec::new(), entries: Vec::new() });
        for at in 0..=index.entries.len() {
            self.ctx.tick().await?;
            let entry = index.entries.get(at);
            if let Some(entry) = entry
                && entry.stage > 0
            {
                self.say(&format!("{}: unmerged ({})", entry.path, entry.id));
                return Err(fatal!("git-write-tree: error building trees"));
            }
            // What the next path is not in is complete.
            while let Some(level) = levels.last() {
                if entry.is_some_and(|entry| entry.path.starts_with(&level.path)) || levels.len() == 1 {
                    break;
                }
                let Some(level) = levels.pop() else { break };
                let id = self.write_object(Kind::Tree, &write(&level.entries)).await?;
                let path = level.path.strip_suffix(b"/").unwrap_or(&level.path);
                let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or(path);
                if let Some(above) = levels.last_mut()
                    && !level.entries.is_empty()
                {
                    above.entries.push(TreeEntry { mode: TREE, name: name.into(), id });
                }
            }
            let Some(entry) = entry else { break };
            if entry.intent_to_add {
                continue;
            }
            let depth = levels.last().map_or(0, |level| level.path.len());
            let rest = entry.path.get(depth..).unwrap_or(&[]);
            for slash in memchr::memchr_iter(b'/', rest) {
                let path = entry.path.get(..=depth + slash).unwrap_or(&[]).to_metered();
                levels.push(Level { path, entries: Vec::new() });
            }
            let name = entry.path.rsplit(|byte| *byte == b'/').next().unwrap_or(&entry.path);
            if let Some(level) = levels.last_mut() {
                level.entries.push(TreeEntry { mode: entry.mode, name: name.into(), id: entry.id });
            }
        }
        let entries = levels.pop().map(|level| level.entries).unwrap_or_default();
        self.write_object(Kind::Tree, &write(&entries)).await
    }

    /// Stores a commit.
    pub(super) async fn write_commit(
        &mut self,
        tree: ObjectId,
        parents: &[ObjectId],
        author: &[u8],
        message: &[u8],
    ) -> Result<ObjectId> {
        let committer = self.who(Who::Committer)?;
        let mut bytes = format!("tree {tree}\n").into_bytes();
        for parent in parents {
            bytes.extend_from_slice(format!("parent {parent}\n").as_bytes());
        }
        bytes.extend_from_slice(
            &[b"author ", author, b"\ncommitter ", &committer, b"\n\n", message].concat_metered(),
        );
        self.write_object(Kind::Commit, &bytes).await
    }
}

/// A message without comments, blanks at the ends of lines, and more than one blank line.
pub(super) fn cleaned(text: &[u8], strips_comments: bool) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::new();
    let mut blanks = 0;
    for line in text.split(|byte| *byte == b'\n') {
        if strips_comments && line.starts_with(b"#") {
            continue;
        }
        let line = line.trim_ascii_end();
        if line.is_empty() {
            blanks += 1;
            continue;
        }
        if blanks > 0 && !out.is_empty() {
            out.push(b'\n');
        }
        blanks = 0;
        out.extend_from_slice(line);
        out.push(b'\n');
    }
    out
}

/// The message that was given; `None`: none was.
async fn given_message(
    git: &mut Git,
    arguments: &Arguments<Opt>,
    amended: Option<&[u8]>,
) -> Result<Option<Vec<u8>>> {
    let mut text: Option<Vec<u8>> = None;
    let parts: Vec<Text> = arguments.values(Opt::Message).cloned().collect();
    if !parts.is_empty() {
        let mut whole: Vec<u8> = Vec::new();
        for part in &parts {
            if !whole.is_empty() {
                whole.push(b'\n');
            }
            whole.extend_from_slice(part);
            if !whole.ends_with(b"\n") {
                whole.push(b'\n');
            }
        }
        text = Some(whole);
    } else if let Some(file) = arguments.value(Opt::File).cloned() {
        let bytes = if &*file == b"-" {
            git.ctx.standard_input().read_to_end().await?
        } else {
            let path = git.ctx.absolute(&file);
            match crate::utility::git::repository::read_file(git.fs(), &path)? {
                Some(bytes) => bytes,
                None => return Err(fatal!("could not read log file '{file}': No such file or directory")),
            }
        };
        text = Some(bytes);
    } else if let Some(name) =
        arguments.value(Opt::ReuseMessage).or_else(|| arguments.value(Opt::ReeditMessage)).cloned()
    {
        let Some(id) = git.resolve_commit(&name).await? else {
            return Err(fatal!("could not lookup commit '{name}'"));
        };
        let bytes = git.object(&id).await?.1;
        text = Some(message(&bytes).to_metered());
    } else if let Some((word, name)) =
        [Opt::Fixup, Opt::Squash].iter().find_map(|word| Some((*word, arguments.value(*word)?.clone())))
    {
        let Some(id) = git.resolve_commit(&name).await? else {
            return Err(fatal!("could not lookup commit '{name}'"));
        };
        let bytes = git.object(&id).await?.1;
        text = Some([word.long().as_bytes(), b"! ", &subject(message(&bytes)), b"\n"].concat_metered());
    } else if let Some(bytes) = amended {
        text = Some(message(bytes).to_metered());
    }
    Ok(text)
}

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    if let Some(option) = arguments.first_of([Opt::Interactive, Opt::Patch, Opt::GpgSign, Opt::Template]) {
        return Err(fatal!("commit --{} is not supported", option.long()));
    }
    if arguments.has(Opt::All) && !arguments.operands.is_empty() {
        return Err(fatal!(
            "paths '{} ...' with -a does not make sense",
            arguments.operands.first().cloned().unwrap_or_default()
        ));
    }
    let head = git.head_id()?;
    let amends = arguments.has(Opt::Amend);
    if amends && head.is_none() {
        return Err(fatal!("You have nothing yet to amend."));
    }
    let amended = match head.filter(|_| amends) {
        Some(id) => Some(git.object(&id).await?.1),
        None => None,
    };
    let mut index = git.read_index().await?;
    if index.is_unmerged() && arguments.operands.is_empty() && !arguments.has(Opt::All) {
        git.say("error: Committing is not possible because you have unmerged files.");
        git.say("hint: Fix them up in the work tree, and then use 'git add/rm <file>'");
        git.say("hint: as appropriate to mark resolution and make a commit.");
        return Err(fatal!("Exiting because of an unresolved conflict."));
    }
    let spec = git.pathspec(&arguments.operands)?;
    let mut committed = index.clone();
    if arguments.has(Opt::All) {
        git.update_tracked(&mut index, &Pathspec::default(), true, false).await?;
        committed = index.clone();
    } else if !spec.is_empty() {
        let missing = spec.unmatched(&index.entries.iter().map(|entry| entry.path.as_bytes()));
        if let Some(given) = missing.first() {
            return Err(GitError::Error(
                format!("pathspec '{given}' did not match any file(s) known to git"),
                1,
            ));
        }
        git.update_tracked(&mut index, &spec, true, false).await?;
        committed =
            if arguments.has(Opt::Include) { index.clone() } else { only(git, &index, &spec).await? };
    }
    let tree = git.write_tree(&committed).await?;
    let parents: Vec<ObjectId> = match (&amended, head) {
        (Some(_), Some(id)) => git.commit(&id).await?.parents.clone(),
        (None, Some(id)) => {
            let mut parents = Vec::from([id]);
            let path = crate::utility::file::join(&git.repo.git_dir, b"MERGE_HEAD");
            let merged = crate::utility::git::repository::read_file(git.fs(), &path)?.unwrap_or_default();
            parents.extend(merged.split(|byte| *byte == b'\n').filter_map(ObjectId::from_hex));
            parents
        }
        _ => Vec::new(),
    };
    let old_tree = match parents.first() {
        Some(parent) => git.commit(parent).await?.tree,
        None => ObjectId::EMPTY_TREE,
    };
    let is_empty = tree == old_tree && parents.len() < 2;
    let allows_empty = arguments.has(Opt::AllowEmpty) || (amends && parents.is_empty());
    if arguments.has(Opt::DryRun)
        || arguments.has(Opt::Short)
        || arguments.has(Opt::Porcelain)
        || (is_empty && !allows_empty && !amends)
    {
        git.write_index(&index).await?;
        return show_status(git, &arguments, is_empty).await;
    }
    if is_empty && amends && !allows_empty && !parents.is_empty() {
        git.say(
            "You asked to amend the most recent commit, but doing so would make\nit empty. You can repeat your command with \
--allow-empty, or you can\nremove the commit entirely with \"git reset HEAD^\".",
        );
        show_status(git, &arguments, true).await?;
        return Ok(1);
    }
    let author = author(git, &arguments, amended.as_deref()).await?;
    let Some(text) = given_message(git, &arguments, amended.as_deref()).await? else {
        return Err(GitError::Plain(
            "error: Terminal is dumb, but EDITOR unset\nPlease supply the message using either -m or -F option.\n".into(),
            1,
        ));
    };
    let mut text = match arguments.value(Opt::Cleanup).map(Text::as_bytes) {
        Some(b"verbatim") => text,
        Some(b"strip") => cleaned(&text, true),
        _ => cleaned(&text, false),
    };
    if text.trim_ascii().is_empty() && !arguments.has(Opt::AllowEmptyMessage) {
        return Err(GitError::Plain("Aborting commit due to empty commit message.\n".into(), 1));
    }
    add_trailers(git, &arguments, &mut text)?;
    let id = git.write_commit(tree, &parents, &author, &text).await?;
    let title = subject(&text);
    let word: &[u8] = match (amends, parents.len()) {
        (true, _) => b"commit (amend): ",
        (_, 0) => b"commit (initial): ",
        (_, 1) => b"commit: ",
        _ => b"commit (merge): ",
    };
    git.update_ref(b"HEAD", id, &[word, &title].concat_metered())?;
    git.write_index(&index).await?;
    for name in [&b"MERGE_HEAD"[..], b"MERGE_MSG", b"MERGE_MODE", b"CHERRY_PICK_HEAD", b"REVERT_HEAD"] {
        let path = crate::utility::file::join(&git.repo.git_dir, name);
        crate::utility::git::error::found(git.fs().remove_file(&path))?;
    }
    if !arguments.has(Opt::Quiet) {
        let shows_date = amends || arguments.has_any([Opt::Date, Opt::ReuseMessage, Opt::ReeditMessage]);
        summary(git, id, &title, (old_tree, tree), parents.is_empty(), (shows_date, &author)).await?;
    }
    Ok(0)
}

/// The index of the last commit with the named paths as they are now.
async fn only(git: &mut Git, index: &Index, spec: &Pathspec) -> Result<Index> {
    let tree = git.head_tree().await?;
    let mut result = git.index_of_tree(tree, index).await?;
    result.entries.retain(|entry| !spec.matches(&entry.path));
    for entry in index.entries.iter().filter(|entry| spec.matches(&entry.path)) {
        result.put(entry.clone());
    }
    Ok(result)
}

async fn author(git: &mut Git, arguments: &Arguments<Opt>, amended: Option<&[u8]>) -> Result<Vec<u8>> {
    let mut line = match amended.filter(|_| !arguments.has(Opt::ResetAuthor)) {
        Some(bytes) => header(bytes, b"author").unwrap_or(&[]).to_metered(),
        None => {
            match arguments.value(Opt::ReuseMessage).cloned().filter(|_| !arguments.has(Opt::ResetAuthor)) {
                Some(name) => {
                    let Some(id) = git.resolve_commit(&name).await? else {
                        return Err(fatal!("could not lookup commit '{name}'"));
                    };
                    let bytes = git.object(&id).await?.1;
                    header(&bytes, b"author").unwrap_or(&[]).to_metered()
                }
                None => git.who(Who::Author)?,
            }
        }
    };
    let split = memchr::memrchr(b'>', &line).map_or(line.len(), |at| at + 1);
    if let Some(given) = arguments.value(Opt::Author) {
        if !given.contains(&b'<') || !given.ends_with(b">") {
            return Err(fatal!("--author '{given}' is not 'Name <email>' and matches no existing author"));
        }
        line = [&given[..], line.get(split..).unwrap_or(&[])].concat_metered();
    }
    if let Some(date) = arguments.value(Opt::Date) {
        let Some((seconds, zone)) = crate::utility::git::date::parse_exact(date, git) else {
            return Err(fatal!("invalid date format: {date}"));
        };
        let split = memchr::memrchr(b'>', &line).map_or(line.len(), |at| at + 1);
        let sign = if zone < 0 { '-' } else { '+' };
        let when = format!(" {seconds} {sign}{:04}", zone.abs());
        line = [line.get(..split).unwrap_or(&[]), when.as_bytes()].concat_metered();
    }
    Ok(line)
}

fn add_trailers(git: &Git, arguments: &Arguments<Opt>, text: &mut Vec<u8>) -> Result<()> {
    let mut lines: Vec<Vec<u8>> = Vec::new();
    if arguments.has(Opt::Signoff) {
        let who = git.who(Who::Committer)?;
        let end = memchr::memrchr(b'>', &who).map_or(who.len(), |at| at + 1);
        lines.push([&b"Signed-off-by: "[..], who.get(..end).unwrap_or(&who)].concat_metered());
    }
    for trailer in arguments.values(Opt::Trailer) {
        let at = trailer.iter().position(|byte| b"=:".contains(byte)).unwrap_or(trailer.len());
        let (key, value) = (trailer.get(..at).unwrap_or(trailer), trailer.get(at + 1..).unwrap_or(&[]));
        lines.push([key, b": ", value.trim_ascii()].concat_metered());
    }
    for line in lines {
        let is_trailer = |line: &[u8]| {
            memchr::memmem::find(line, b": ").is_some_and(|at| !line.get(..at).unwrap_or(&[]).contains(&b' '))
        };
        let body = text.trim_ascii_end();
        let last = memchr::memmem::rfind(body, b"\n\n").map(|at| body.get(at + 2..).unwrap_or(&[]));
        let has_block = last.is_some_and(|last| last.split(|byte| *byte == b'\n').all(is_trailer));
        if has_block
            && last.is_some_and(|last| last.split(|byte| *byte == b'\n').any(|known| *known == *line))
        {
            continue;
        }
        if !has_block {
            text.push(b'\n');
        }
        text.extend_from_slice(&line);
        text.push(b'\n');
    }
    Ok(())
}

async fn show_status(git: &mut Git, arguments: &Arguments<Opt>, is_empty: bool) -> Result<u8> {
    if arguments.has(Opt::Short) || arguments.has(Opt::Porcelain) {
        return Ok(u8::from(is_empty));
    }
    let status = git.status(&Pathspec::default(), Untracked::Normal, Ignored::No, true).await?;
    super::status::long(git, &status, Untracked::Normal, 0, true).await?;
    Ok(u8::from(is_empty))
}

/// `[main abc1234] subject` and what changed.
async fn summary(
    git: &mut Git,
    id: ObjectId,
    title: &[u8],
    (old, new): (ObjectId, ObjectId),
    is_root: bool,
    (shows_date, author): (bool, &[u8]),
) -> Result<()> {
    let place = match git.current_branch()? {
        Some(branch) => branch,
        None => Text::from_static(b"detached HEAD"),
    };
    let short = git.abbreviate(&id, None)?;
    let root = if is_root { " (root-commit)" } else { "" };
    git.print(format!("[{place}{root} {short}] {}\n", bstr::BStr::new(title)).as_bytes()).await?;
    let end = memchr::memrchr(b'>', author).map_or(author.len(), |at| at + 1);
    let committer = git.who(Who::Committer)?;
    if author.get(..end) != committer.get(..end) {
        git.print(&[b" Author: ", author.get(..end).unwrap_or(author), b"\n"].concat_metered()).await?;
    }
    if shows_date {
        let who = crate::utility::git::object::commit::Signature::parse(author);
        let date = git.show_date(&who, &crate::utility::git::date::DateMode::default());
        git.print(&[&b" Date: "[..], &date, b"\n"].concat_metered()).await?;
    }
    let mut options = git.diff_defaults();
    options.formats = Formats { shortstat: true, summary: true, ..Formats::default() };
    let changes = compare(git, old, new, &Pathspec::default(), TreeOptions::RECURSIVE).await?;
    let changes = git.refine(changes, &options).await?;
    git.print_changes(&changes, &options).await
}
