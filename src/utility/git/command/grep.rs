//! `git grep`: lines of files that git knows, of the work tree, the index or a tree.

use super::prelude::*;
use crate::memory::format;
use crate::utility::context::pace::Pace;
use crate::utility::context::ticker::regex_options;
use crate::utility::git::diff::lines::is_binary;
use crate::utility::git::diff::tree::files;
use crate::utility::regex::{Dialect, Regex, RegexOptions, Syntax};

options! {
    enum Opt {
        Cached = flag('\0', "cached", "search in index instead of in the work tree"),
        Untracked = flag('\0', "untracked", "search in both tracked and untracked files"),
        InvertMatch = flag('v', "invert-match", "show non-matching lines"),
        IgnoreCase = flag('i', "ignore-case", "case insensitive matching"),
        WordRegexp = flag('w', "word-regexp", "match patterns only at word boundaries"),
        Text = flag('a', "text", "process binary files as text"),
        SkipBinary = flag('I', "", "don't match patterns in binary files"),
        Recursive = flag('r', "recursive", "search in subdirectories (default)"),
        ExtendedRegexp = flag('E', "extended-regexp", "use extended POSIX regular expressions"),
        BasicRegexp = flag('G', "basic-regexp", "use basic POSIX regular expressions (default)"),
        FixedStrings = flag('F', "fixed-strings", "interpret patterns as fixed strings"),
        PerlRegexp = flag('P', "perl-regexp", "use Perl-compatible regular expressions"),
        LineNumber = flag('n', "line-number", "show line numbers"),
        HideNames = flag('h', "", "don't show filenames"),
        ShowNames = flag('H', "", "show filenames"),
        FullName = flag('\0', "full-name", "show filenames relative to top directory"),
        FilesWithMatches = flag('l', "files-with-matches", "show only filenames instead of matching lines"),
        NameOnly = flag('\0', "name-only", "synonym for --files-with-matches"),
        FilesWithoutMatch = flag('L', "files-without-match", "show only the names of files without match"),
        Null = flag('z', "null", "print NUL after filenames"),
        OnlyMatching = flag('o', "only-matching", "show only matching parts of a line"),
        Count = flag('c', "count", "show the number of matches instead of matching lines"),
        Color = optional('\0', "color", "when", "highlight matches; refused where it is asked for"),
        Pattern = value('e', "", "pattern", "match <pattern>"),
        Quiet = flag('q', "quiet", "indicate hit with exit status without output"),
        MaxCount = value('m', "max-count", "n", "maximum number of results per file"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "grep",
    usage: "git grep [<options>] [-e] <pattern> [<rev>...] [[--] <path>...]",
    options: Opt::TABLE,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    arguments.refuse_color(Opt::Color)?;
    let (before, after) = arguments.parts();
    let mut before = before.to_metered();
    let mut patterns: Vec<Text> = arguments.values(Opt::Pattern).cloned().collect();
    if patterns.is_empty() {
        if before.is_empty() {
            return Err(fatal!("no pattern given"));
        }
        patterns.push(before.remove(0));
    }
    let syntax = match arguments.last_of([
        Opt::ExtendedRegexp,
        Opt::BasicRegexp,
        Opt::FixedStrings,
        Opt::PerlRegexp,
    ]) {
        Some(Opt::ExtendedRegexp) => Syntax::Extended,
        Some(Opt::PerlRegexp) => Syntax::Perl,
        Some(Opt::FixedStrings) => Syntax::Texts,
        _ => Syntax::Basic,
    };
    let options = RegexOptions {
        ignore_case: arguments.has(Opt::IgnoreCase),
        whole_word: arguments.has(Opt::WordRegexp),
        dialect: Dialect::Grep,
        ..regex_options(&git.ctx.meter)
    };
    let mut regexes = Vec::new();
    for pattern in &patterns {
        match Regex::new(pattern, syntax, &options) {
            Ok(regex) => regexes.push(regex),
            Err(error) => return Err(fatal!("command line, '{pattern}': {error}")),
        }
    }
    let mut trees: Vec<(Text, ObjectId)> = Vec::new();
    let mut paths: Vec<Text> = Vec::new();
    for word in &before {
        match git.resolve(word).await? {
            Some(id) if paths.is_empty() => {
                let Some(tree) = git.peel(id, Kind::Tree).await? else {
                    return Err(fatal!("unable to grep from object of type blob"));
                };
                trees.push((word.clone(), tree));
            }
            _ => {
                let is_there = git.fs().symlink_metadata(&git.ctx.absolute(word)).is_ok();
                if !is_there && !word.iter().any(|byte| b"*?[:".contains(byte)) {
                    return Err(crate::utility::git::revision::ambiguous(word));
                }
                paths.push(word.clone());
            }
        }
    }
    paths.extend(after.iter().cloned());
    if paths.is_empty() && !git.repo.prefix.is_empty() {
        paths.push(Text::from_static(b"."));
    }
    let mut spec = git.pathspec(&paths)?;
    spec.is_flat = arguments.truth(Opt::Recursive) == Some(false);
    let mut has_hit = false;
    let mut search = GrepSearch {
        arguments: &arguments,
        regexes: &regexes,
        hides_names: arguments.last_of([Opt::HideNames, Opt::ShowNames]) == Some(Opt::HideNames),
    };
    if trees.is_empty() {
        let index = git.read_index().await?;
        let mut known: Vec<(Text, u32, ObjectId)> = Vec::new();
        let cached = arguments.has(Opt::Cached);
        for entry in index.entries.iter().filter(|entry| spec.matches(&entry.path)) {
            // Of a conflict the file of the work tree is searched, once.
            let is_known = entry.stage > 0 && known.last().is_some_and(|last| last.0 == entry.path);
            let is_absent = entry.stage > 0 || entry.intent_to_add;
            if is_known || (cached && is_absent) || (!cached && entry.skip_work_tree) {
                continue;
            }
            known.push((entry.path.clone(), entry.mode, entry.id));
        }
        if arguments.has(Opt::Untracked) {
            use crate::utility::git::status::{Ignored, Status, Untracked};
            let mut status = Status::default();
            git.find_unknown(&index, &spec, (Untracked::All, Ignored::No), &mut status).await?;
            known.extend(status.untracked.iter().map(|path| (path.clone(), 0o100_644, ObjectId::ZERO)));
            known.sort();
        }
        for (path, mode, id) in known {
            if mode & 0o170_000 != 0o100_000 {
                continue;
            }
            let text = if arguments.has(Opt::Cached) {
                git.object(&id).await?.1
            } else {
                match git.work_mode(&path)? {
                    Some(mode) if mode & 0o170_000 == 0o100_000 => git.work_bytes(&path, mode).await?,
                    _ => continue,
                }
            };
            has_hit |= search.file(git, b"", &path, &text).await?;
        }
    } else {
        for (name, tree) in &trees {
            let front = [&name[..], b":"].concat_metered();
            for file in files(git, *tree, &spec).await? {
                if file.mode & 0o170_000 != 0o100_000 {
                    continue;
                }
                let text = git.object(&file.id).await?.1;
                has_hit |= search.file(git, &front, &file.path, &text).await?;
            }
        }
    }
    Ok(u8::from(!has_hit))
}

struct GrepSearch<'s> {
    arguments: &'s Arguments<Opt>,
    regexes: &'s [Regex],
    hides_names: bool,
}

impl GrepSearch<'_> {
    async fn find(&self, git: &Git, line: &[u8], start: usize) -> Option<(usize, usize)> {
        let mut best: Option<(usize, usize)> = None;
        for regex in self.regexes {
            let found = regex.find_at(line, start, &mut Pace::Shared(&git.ctx.meter)).await.ok().flatten();
            if let Some(span) = found
                && best.is_none_or(|best| span.0 < best.0)
            {
                best = Some(span);
            }
        }
        best
    }

    /// Searches a file; whether it counts as a hit.
    async fn file(&mut self, git: &mut Git, front: &[u8], path: &[u8], text: &[u8]) -> Result<bool> {
        let arguments = self.arguments;
        let binary = !arguments.has(Opt::Text)
            && match git.attribute(path, b"diff")? {
                Some(value) if *value == *b"-" => true,
                Some(value) if *value == *b"+" => false,
                _ => is_binary(text),
            };
        if binary && arguments.has(Opt::SkipBinary) {
            return Ok(false);
        }
        let shown = if arguments.has(Opt::FullName) { path.to_metered() } else { git.seen_from_here(path) };
        let name = [front, &if arguments.has(Opt::Null) { shown.to_metered() } else { git.quoted(&shown) }]
            .concat_metered();
        let only_names = arguments.has(Opt::FilesWithMatches) || arguments.has(Opt::NameOnly);
        let without = arguments.has(Opt::FilesWithoutMatch);
        let quiet = arguments.has(Opt::Quiet);
        let most = arguments
            .number(Opt::MaxCount)?
            .filter(|most| *most >= 0)
            .map_or(usize::MAX, |most| most as usize);
        let numbers = arguments.has(Opt::LineNumber) || git.config.truth("grep.linenumber") == Some(true);
        let mut count = 0;
        let body = text.strip_suffix(b"\n").unwrap_or(text);
        for (at, line) in body.split(|byte| *byte == b'\n').enumerate() {
            git.ctx.tick().await?;
            if text.is_empty() || count >= most {
                break;
            }
            let found = self.find(git, line, 0).await;
            if found.is_some() == arguments.has(Opt::InvertMatch) {
                continue;
            }
            count += 1;
            if quiet {
                return Err(GitError::Exit(0));
            }
            if only_names || without {
                break;
            }
            if arguments.has(Opt::Count) {
                continue;
            }
            if binary {
                git.print(&[&b"Binary file "[..], &name, b" matches\n"].concat_metered()).await?;
                return Ok(true);
            }
            let mut head: Vec<u8> = Vec::new();
            if !self.hides_names {
                head.extend_from_slice(&name);
                head.push(if arguments.has(Opt::Null) { 0 } else { b':' });
            }
            if numbers {
                head.extend_from_slice(format!("{}:", at + 1).as_bytes());
            }
            if !arguments.has(Opt::OnlyMatching) {
                git.print(&[&head[..], line, b"\n"].concat_metered()).await?;
                continue;
            }
            let mut span = found;
            while let Some((start, end)) = span {
                git.ctx.tick().await?;
                if end > start {
                    let piece = line.get(start..end).unwrap_or(&[]);
                    git.print(&[&head[..], piece, b"\n"].concat_metered()).await?;
                }
                let next = end.max(start + 1);
                span = if next <= line.len() { self.find(git, line, next).await } else { None };
            }
        }
        let end: &[u8] = if arguments.has(Opt::Null) { b"\0" } else { b"\n" };
        if without {
            if count == 0 {
                git.print(&[&name[..], end].concat_metered()).await?;
            }
            return Ok(count == 0);
        }
        if only_names && count > 0 {
            git.print(&[&name[..], end].concat_metered()).await?;
        } else if arguments.has(Opt::Count) && count > 0 {
            let text = format!("{count}\n");
            let head = if self.hides_names { Vec::new() } else { [&name[..], b":"].concat_metered() };
            git.print(&[&head[..], text.as_bytes()].concat_metered()).await?;
        }
        Ok(count > 0)
    }
}
