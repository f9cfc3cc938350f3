//! `git ls-files`: what is in the index and the work tree.

use super::prelude::*;
use crate::memory::format;
use crate::utility::git::object::tree::SUBMODULE;
use crate::utility::git::status::{Ignored, Status, Untracked};

options! {
    enum Opt {
        Nul = flag('z', "", "separate paths with the NUL character"),
        Tags = flag('t', "", "identify the file status with tags"),
        LowerCase = flag('v', "", "use lowercase letters for 'assume unchanged' files"),
        Cached = flag('c', "cached", "show cached files in the output (default)"),
        Deleted = flag('d', "deleted", "show deleted files in the output"),
        Modified = flag('m', "modified", "show modified files in the output"),
        Others = flag('o', "others", "show other files in the output"),
        Ignored = flag('i', "ignored", "show ignored files in the output"),
        Stage = flag('s', "stage", "show staged contents' object name in the output"),
        Unmerged = flag('u', "unmerged", "show unmerged files in the output"),
        Killed = flag('k', "killed", "not supported"),
        Directory = flag('\0', "directory", "show 'other' directories' names only"),
        EmptyDirectory = flag('\0', "empty-directory", "don't show empty directories"),
        ExcludeStandard = flag('\0', "exclude-standard", "add the standard git exclusions"),
        Exclude = value('x', "exclude", "pattern", "skip files matching pattern"),
        ExcludeFrom = value('X', "exclude-from", "file", "read exclude patterns from <file>"),
        FullName = flag('\0', "full-name", "make the output relative to the project top directory"),
        ErrorUnmatch = flag('\0', "error-unmatch", "if any <file> is not in the index, treat this as an error"),
        Abbrev = optional('\0', "abbrev", "n", "use <n> digits to display object names"),
        Deduplicate = flag('\0', "deduplicate", "suppress duplicate entries"),
        Eol = flag('\0', "eol", "show line endings of files"),
        Format = value('\0', "format", "format", "format to use for the output"),
        Debug = flag('\0', "debug", "not supported"),
        Fsmonitor = flag('f', "", "use lowercase letters for fsmonitor clean files"),
        WithTree = value('\0', "with-tree", "tree", "not supported"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "ls-files",
    usage: "git ls-files [<options>] [<file>...]",
    options: Opt::TABLE,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    if let Some(option) = arguments.first_of([Opt::Killed, Opt::Debug, Opt::WithTree]) {
        return Err(fatal!("ls-files --{} is not supported", option.long()));
    }
    let bad_formats = [Opt::Stage, Opt::Others, Opt::Killed, Opt::Tags, Opt::Deduplicate, Opt::Eol];
    if arguments.has(Opt::Format) && arguments.has_any(bad_formats) {
        let text = "--format cannot be used with -s, -o, -k, -t, --resolve-undo, --deduplicate, --eol";
        return Err(COMMAND.usage_error_after(&format!("fatal: {text}\n\n")));
    }
    let has_excludes = take_excludes(git, &arguments).await?;
    let (others, deleted, modified) =
        (arguments.has(Opt::Others), arguments.has(Opt::Deleted), arguments.has(Opt::Modified));
    let stage = arguments.has(Opt::Stage) || arguments.has(Opt::Unmerged);
    let ignored = arguments.has(Opt::Ignored);
    let cached = arguments.has(Opt::Cached) || !(others || deleted || modified || stage);
    if ignored && !arguments.has(Opt::ExcludeStandard) && !has_excludes {
        return Err(fatal!("ls-files --ignored needs some exclude pattern"));
    }
    if ignored && !others && !arguments.has(Opt::Cached) {
        return Err(fatal!("ls-files -i must be used with either -o or -c"));
    }
    let mut operands = arguments.operands.clone();
    let has_operands = !operands.is_empty();
    if !has_operands && !git.repo.prefix.is_empty() {
        operands.push(Text::from_static(b"."));
    }
    let spec = git.pathspec(&operands)?;
    let index = git.read_index().await?;
    let lister = Lister {
        tags: arguments.first_of([Opt::Tags, Opt::LowerCase, Opt::Fsmonitor]).is_some(),
        lower: arguments.has(Opt::LowerCase),
        ends_in_nul: arguments.has(Opt::Nul),
        full_name: arguments.has(Opt::FullName),
        stage,
        digits: digits(&arguments)?,
        eol: arguments.has(Opt::Eol),
        abbreviates: arguments.has(Opt::Abbrev),
        format: arguments.value(Opt::Format).cloned(),
    };
    let mut unmatched = if has_operands && arguments.has(Opt::ErrorUnmatch) {
        spec.unmatched(&index.entries.iter().map(|entry| entry.path.as_bytes()))
    } else {
        Vec::new()
    };
    let is_single = arguments.has(Opt::Deduplicate) && !stage;
    if others {
        let mut status = Status::default();
        let shown = match (arguments.has(Opt::Directory), arguments.truth(Opt::EmptyDirectory)) {
            (false, _) => Untracked::All,
            (true, Some(false)) => Untracked::Normal,
            (true, _) => Untracked::Folders,
        };
        git.find_unknown(&index, &spec, (shown, Ignored::Traditional), &mut status).await?;
        let mut paths =
            if ignored { std::mem::take(&mut status.ignored) } else { std::mem::take(&mut status.untracked) };
        if !arguments.has(Opt::ExcludeStandard) && !has_excludes {
            paths.extend(std::mem::take(&mut status.ignored));
            paths.sort();
        }
        for path in &paths {
            lister.line(git, b'?', None, path).await?;
        }
        unmatched.retain(|given| !paths.iter().any(|path| **path == **given));
    }
    let mut last: Option<&Text> = None;
    for entry in &index.entries {
        git.ctx.tick().await?;
        let is_told = arguments.has(Opt::Deduplicate) && !stage && last == Some(&entry.path);
        if is_told || !spec.matches(&entry.path) || (arguments.has(Opt::Unmerged) && entry.stage == 0) {
            continue;
        }
        if ignored && !git.is_listed_as_ignored(&entry.path).await? {
            continue;
        }
        let mut tag = match entry.stage {
            1.. => b'M',
            0 if entry.skip_work_tree => b'S',
            0 => b'H',
        };
        if lister.lower && entry.assume_valid {
            tag = tag.to_ascii_lowercase();
        }
        if cached || stage {
            last = Some(&entry.path);
            lister.line(git, tag, Some(entry), &entry.path).await?;
            if is_single {
                continue;
            }
        }
        if entry.skip_work_tree || !(deleted || modified) {
            continue;
        }
        let mode = git.work_mode(&entry.path)?;
        if mode.is_none() && deleted {
            last = Some(&entry.path);
            lister.line(git, b'R', Some(entry), &entry.path).await?;
            if is_single {
                continue;
            }
        }
        let is_changed = match mode {
            None => true,
            // A submodule that is not there is not changed.
            Some(mode) if mode == entry.mode && mode == SUBMODULE => {
                let id = git.work_id(&entry.path, mode).await?;
                !id.is_zero() && id != entry.id
            }
            Some(mode) => mode != entry.mode || !git.is_unchanged(&index, entry).await?,
        };
        if modified && is_changed {
            last = Some(&entry.path);
            lister.line(git, b'C', Some(entry), &entry.path).await?;
        }
    }
    if unmatched.is_empty() {
        return Ok(0);
    }
    git.ctx.stdout.flush().await?;
    for given in &unmatched {
        git.say(&format!("error: pathspec '{given}' did not match any file(s) known to git"));
    }
    git.say("Did you forget to 'git add'?");
    Ok(1)
}

/// The digits of an abbreviation.
fn digits(arguments: &Arguments<Opt>) -> Result<Option<usize>> {
    let Some(value) = arguments.value(Opt::Abbrev) else { return Ok(None) };
    match std::str::from_utf8(value).ok().and_then(|text| text.parse::<usize>().ok()) {
        Some(digits) => Ok(Some(digits.clamp(4, 40))),
        None => Err(not_a_number("option `abbrev'")),
    }
}

/// Takes the patterns of the command line; whether there are some.
async fn take_excludes(git: &mut Git, arguments: &Arguments<Opt>) -> Result<bool> {
    let mut has_some = false;
    for (option, value) in arguments.in_order() {
        let (Opt::Exclude | Opt::ExcludeFrom, Some(value)) = (option, value) else { continue };
        has_some = true;
        if option == Opt::Exclude {
            git.add_ignored(value, b"--exclude option");
            continue;
        }
        let text = git.read_named(value).await?;
        let text = text.ok_or_else(|| fatal!("cannot use {value} as exclude file"))?;
        git.add_ignored(&text, value);
    }
    if has_some && !arguments.has(Opt::ExcludeStandard) {
        git.ignore_only_given();
    }
    Ok(has_some)
}

/// How the lines of a text end.
fn line_ends(text: &[u8]) -> &'static str {
    let (mut has_lf, mut has_crlf) = (false, false);
    let mut last = 0;
    for &byte in text {
        match (last, byte) {
            (_, 0) => return "-text",
            (b'\r', b'\n') => has_crlf = true,
            (b'\r', _) => return "-text",
            (_, b'\n') => has_lf = true,
            _ => {}
        }
        last = byte;
    }
    match (has_lf, has_crlf) {
        _ if last == b'\r' => "-text",
        (true, true) => "mixed",
        (true, false) => "lf",
        (false, true) => "crlf",
        (false, false) => "none",
    }
}

impl Git {
    /// How the lines of a file end: in the index, in the work tree, and what its attributes say.
    async fn ends_of(
        &mut self,
        entry: Option<&crate::utility::git::index::IndexEntry>,
        path: &[u8],
    ) -> Result<(&'static str, &'static str, String)> {
        let stored = match entry {
            Some(entry) if entry.mode & 0o170_000 == 0o100_000 => line_ends(&self.object(&entry.id).await?.1),
            _ => "",
        };
        let live = match self.work_mode(path)? {
            Some(mode) if mode & 0o170_000 == 0o100_000 => line_ends(&self.work_bytes(path, mode).await?),
            _ => "",
        };
        let text = self.attribute(path, b"text")?;
        let eol = self.attribute(path, b"eol")?;
        let eol = eol.filter(|eol| matches!(eol.as_bytes(), b"lf" | b"crlf"));
        let mut attribute: String = match text.as_ref().map(Text::as_bytes) {
            Some(b"-") => "-text".into(),
            Some(b"+") => "text".into(),
            Some(b"auto") => "text=auto".into(),
            _ if eol.is_some() => "text".into(),
            _ => String::new(),
        };
        if let Some(eol) = eol.filter(|_| attribute != "-text") {
            attribute.push_str(&format!(" eol={eol}"));
        }
        Ok((stored, live, attribute))
    }

    /// Whether a pattern says that a path is ignored, by itself or by a folder above it.
    async fn is_listed_as_ignored(&mut self, path: &[u8]) -> Result<bool> {
        Ok(self.deciding_pattern(path, false).await?.is_some_and(|(_, pattern)| !pattern.is_negated))
    }
}

struct Lister {
    tags: bool,
    lower: bool,
    ends_in_nul: bool,
    full_name: bool,
    stage: bool,
    digits: Option<usize>,
    abbreviates: bool,
    eol: bool,
    format: Option<Text>,
}

impl Lister {
    async fn line(
        &self,
        git: &mut Git,
        tag: u8,
        entry: Option<&crate::utility::git::index::IndexEntry>,
        path: &[u8],
    ) -> Result<()> {
        let shown = if self.full_name { path.to_metered() } else { git.seen_from_here(path) };
        let shown = if self.ends_in_nul { shown } else { git.quoted(&shown) };
        let mut line: Vec<u8> = Vec::new();
        if let (Some(format), Some(entry)) = (&self.format, entry) {
            self.fill(git, format, (entry, &shown), &mut line).await?;
        } else {
            if self.tags {
                line.extend_from_slice(&[tag, b' ']);
            }
            if let Some(entry) = entry.filter(|_| self.stage) {
                let id = if self.abbreviates {
                    git.abbreviate(&entry.id, self.digits)?
                } else {
                    entry.id.hex().into()
                };
                line.extend_from_slice(format!("{:06o} {id} {}\t", entry.mode, entry.stage).as_bytes());
            }
            if self.eol {
                let (stored, live, attribute) = git.ends_of(entry, path).await?;
                let attribute = attribute.as_str();
                line.extend_from_slice(
                    format!("i/{stored:<5} w/{live:<5} attr/{attribute:<17}\t").as_bytes(),
                );
            }
            line.extend_from_slice(&shown);
        }
        line.push(if self.ends_in_nul { 0 } else { b'\n' });
        git.print(&line).await
    }

    /// Fills a format in.
    async fn fill(
        &self,
        git: &mut Git,
        format: &[u8],
        (entry, shown): (&crate::utility::git::index::IndexEntry, &[u8]),
        line: &mut Vec<u8>,
    ) -> Result<()> {
        let mut rest: &[u8] = format;
        while let Some(at) = memchr::memchr(b'%', rest) {
            git.ctx.tick().await?;
            line.extend_from_slice(rest.get(..at).unwrap_or(&[]));
            rest = rest.get(at + 1..).unwrap_or(&[]);
            if let Some(more) = rest.strip_prefix(b"%") {
                line.push(b'%');
                rest = more;
                continue;
            }
            let digits = rest.strip_prefix(b"x").and_then(|rest| rest.get(..2));
            let digits = digits.and_then(|digits| std::str::from_utf8(digits).ok());
            if let Some(byte) = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
                line.push(byte);
                rest = rest.get(3..).unwrap_or(&[]);
                continue;
            }
            if !rest.starts_with(b"(") {
                let fault = bstr::BStr::new(rest);
                return Err(fatal!("bad ls-files format: element '{fault}' does not start with '('"));
            }
            let Some(close) = memchr::memchr(b')', rest) else {
                let fault = bstr::BStr::new(rest);
                return Err(fatal!("bad ls-files format: element '{fault}' does not end in ')'"));
            };
            let name = rest.get(1..close).unwrap_or(&[]);
            match name {
                b"path" => line.extend_from_slice(shown),
                b"objectname" => {
                    let digits = self.digits;
                    let id = if self.abbreviates {
                        git.abbreviate(&entry.id, digits)?
                    } else {
                        entry.id.hex().into()
                    };
                    line.extend_from_slice(&id);
                }
                b"objectmode" => line.extend_from_slice(format!("{:06o}", entry.mode).as_bytes()),
                b"stage" => line.push(b'0' + entry.stage),
                b"objecttype" => {
                    let is_commit = entry.mode == SUBMODULE;
                    line.extend_from_slice(if is_commit { b"commit" } else { b"blob" });
                }
                b"objectsize" | b"objectsize:padded" => {
                    let size = match entry.mode {
                        SUBMODULE => "-".into(),
                        _ => git
                            .object_header(&entry.id)
                            .await?
                            .map_or_else(String::new, |header| format!("{}", header.1)),
                    };
                    let padded = format!("{size:>7}");
                    let size = if name.ends_with(b"padded") { padded } else { size };
                    line.extend_from_slice(size.as_bytes());
                }
                b"eolinfo:index" | b"eolinfo:worktree" | b"eolattr" => {
                    let (stored, live, attribute) = git.ends_of(Some(entry), &entry.path).await?;
                    line.extend_from_slice(match name {
                        b"eolattr" => attribute.as_bytes(),
                        b"eolinfo:index" => stored.as_bytes(),
                        _ => live.as_bytes(),
                    });
                }
                _ => {
                    let name = bstr::BStr::new(name);
                    return Err(fatal!("bad ls-files format: %({name})"));
                }
            }
            rest = rest.get(close + 1..).unwrap_or(&[]);
        }
        line.extend_from_slice(rest);
        Ok(())
    }
}
