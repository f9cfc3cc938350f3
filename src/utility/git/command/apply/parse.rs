//! Patches as texts: git's, with their extended heads, and those of `diff -u`.

use super::ApplyOptions;
use crate::memory::{JoinMetered, String, ToMetered, Vec, format, repeat_text};
use crate::text::Text;
use crate::utility::git::Git;
use crate::utility::git::error::{GitError, Result};
use crate::utility::git::unquoting::unquote_front;

/// A hunk: lines with their sign and their newline, if they have one.
#[derive(Clone, Debug, Default)]
pub(super) struct Fragment {
    pub(super) old_start: usize,
    old_count: usize,
    pub(super) new_start: usize,
    new_count: usize,
    pub(super) lines: Vec<(u8, Vec<u8>)>,
    /// Where it stands in the patch.
    pub(super) line: usize,
}

/// What a patch does to a file.
#[derive(Clone, Debug, Default)]
pub(super) struct Patch {
    /// None: a new file.
    pub(super) old_path: Option<Text>,
    /// None: the file goes.
    pub(super) new_path: Option<Text>,
    pub(super) old_mode: Option<u32>,
    pub(super) new_mode: Option<u32>,
    pub(super) is_copy: bool,
    pub(super) is_rename: bool,
    score: u32,
    pub(super) is_binary: bool,
    pub(super) fragments: Vec<Fragment>,
}

impl Patch {
    pub(super) fn path(&self) -> &[u8] {
        self.new_path.as_ref().or(self.old_path.as_ref()).map_or(&[], Text::as_bytes)
    }

    pub(super) const fn is_moved(&self) -> bool {
        self.is_copy || self.is_rename
    }

    /// Lines that come and go.
    pub(super) fn counts(&self) -> (usize, usize) {
        let count = |sign: u8| {
            self.fragments
                .iter()
                .flat_map(|fragment| fragment.lines.iter())
                .filter(|line| line.0 == sign)
                .count()
        };
        (count(b'+'), count(b'-'))
    }

    /// The other way round.
    pub(super) fn reversed(mut self) -> Self {
        std::mem::swap(&mut self.old_path, &mut self.new_path);
        std::mem::swap(&mut self.old_mode, &mut self.new_mode);
        for fragment in &mut self.fragments {
            std::mem::swap(&mut fragment.old_start, &mut fragment.new_start);
            std::mem::swap(&mut fragment.old_count, &mut fragment.new_count);
            for (sign, _) in &mut fragment.lines {
                *sign = match *sign {
                    b'+' => b'-',
                    b'-' => b'+',
                    other => other,
                };
            }
            // What goes stands before what comes.
            let mut sorted: Vec<(u8, Vec<u8>)> = Vec::new();
            let mut coming: Vec<(u8, Vec<u8>)> = Vec::new();
            for line in std::mem::take(&mut fragment.lines) {
                match line.0 {
                    b'+' => coming.push(line),
                    b'-' => sorted.push(line),
                    _ => {
                        sorted.append(&mut coming);
                        sorted.push(line);
                    }
                }
            }
            sorted.append(&mut coming);
            fragment.lines = sorted;
        }
        self
    }

    /// Names of a traditional patch are those of the working directory.
    pub(super) fn place(&mut self, prefix: &[u8]) {
        for path in [&mut self.old_path, &mut self.new_path].into_iter().flatten() {
            *path = Text::from([prefix, &path[..]].concat_metered());
        }
    }
}

struct Lines<'t> {
    lines: Vec<&'t [u8]>,
    at: usize,
}

impl<'t> Lines<'t> {
    fn peek(&self) -> Option<&'t [u8]> {
        self.lines.get(self.at).copied()
    }
}

/// A line without its newline.
fn body(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\n").unwrap_or(line)
}

/// A name, perhaps quoted, up to a tab or the end; and what follows.
fn name(text: &[u8]) -> (Vec<u8>, &[u8]) {
    unquote_front(text).unwrap_or_else(|| {
        let end = memchr::memchr(b'\t', text).unwrap_or(text.len());
        (text.get(..end).unwrap_or(text).to_metered(), text.get(end..).unwrap_or(&[]))
    })
}

/// A name without its first parts, in the folder that was asked for.
fn stripped(path: &[u8], options: &ApplyOptions) -> Option<Text> {
    let mut rest = path;
    for _ in 0..options.strips {
        let slash = memchr::memchr(b'/', rest)?;
        rest = rest.get(slash + 1..)?;
    }
    (!rest.is_empty()).then(|| Text::from([&options.directory[..], rest].concat_metered()))
}

/// The name that both sides of `diff --git a/x b/x` have.
fn common_name(rest: &[u8], options: &ApplyOptions) -> Option<Text> {
    if rest.starts_with(b"\"") {
        let (_, tail) = name(rest);
        return stripped(&name(tail.strip_prefix(b" ")?).0, options);
    }
    memchr::memchr_iter(b' ', rest).find_map(|space| {
        let one = stripped(rest.get(..space)?, options)?;
        let other = stripped(&name(rest.get(space + 1..)?).0, options)?;
        (one == other).then_some(one)
    })
}

fn mode(text: &[u8]) -> Option<u32> {
    u32::from_str_radix(std::str::from_utf8(text.get(..6)?).ok()?, 8).ok()
}

/// The patches of a text.
pub(super) async fn patches(git: &mut Git, text: &[u8], options: &ApplyOptions) -> Result<Vec<Patch>> {
    let mut lines = Lines { lines: text.split_inclusive(|byte| *byte == b'\n').collect(), at: 0 };
    let mut patches = Vec::new();
    while let Some(line) = lines.peek() {
        git.ctx.tick().await?;
        let next = lines.lines.get(lines.at + 1).copied().unwrap_or(&[]);
        let mut patch = Patch::default();
        if let Some(rest) = line.strip_prefix(b"diff --git ") {
            lines.at += 1;
            git_head(&mut lines, body(rest), options, &mut patch);
        } else if line.starts_with(b"--- ") && next.starts_with(b"+++ ") {
            traditional_head(&mut lines, options, &mut patch)?;
        } else {
            if line.starts_with(b"@@ -") {
                return Err(GitError::Error(
                    format!(
                        "patch fragment without header at line {}: {}",
                        lines.at + 1,
                        bstr::BStr::new(body(line))
                    ),
                    128,
                ));
            }
            lines.at += 1;
            continue;
        }
        while lines.peek().is_some_and(|line| line.starts_with(b"@@ -")) {
            let fragment = fragment(git, &mut lines, options).await?;
            patch.fragments.push(fragment);
        }
        if let Some(line) = lines.peek()
            && (line.starts_with(b"GIT binary patch") || line.starts_with(b"Binary files "))
        {
            patch.is_binary = true;
            lines.at += 1;
        }
        let is_told = patch.old_mode != patch.new_mode || patch.is_moved() || patch.is_binary;
        if patch.fragments.is_empty() && !is_told && patch.old_path.is_some() && patch.new_path.is_some() {
            let number = lines.at;
            return Err(GitError::Error(format!("patch with only garbage at line {number}"), 128));
        }
        patches.push(patch);
    }
    Ok(patches)
}

fn git_head(lines: &mut Lines<'_>, rest: &[u8], options: &ApplyOptions, patch: &mut Patch) {
    let both = common_name(rest, options);
    (patch.old_path, patch.new_path) = (both.clone(), both);
    let in_folder = |path: &[u8]| Text::from([&options.directory[..], path].concat_metered());
    // Names of renames have no `a/` before them.
    let kept = ApplyOptions {
        strips: options.strips.saturating_sub(1),
        directory: options.directory.clone(),
        ..*options
    };
    while let Some(line) = lines.peek() {
        let text = body(line);
        if let Some(rest) = text.strip_prefix(b"--- ") {
            if rest.trim_ascii_end() == b"/dev/null" {
                patch.old_path = None;
            } else if let Some(path) = stripped(&name(rest).0, options) {
                patch.old_path = Some(path);
            }
        } else if let Some(rest) = text.strip_prefix(b"+++ ") {
            if rest.trim_ascii_end() == b"/dev/null" {
                patch.new_path = None;
            } else if let Some(path) = stripped(&name(rest).0, options) {
                patch.new_path = Some(path);
            }
        } else if let Some(rest) = text.strip_prefix(b"old mode ") {
            patch.old_mode = mode(rest);
        } else if let Some(rest) = text.strip_prefix(b"new mode ") {
            patch.new_mode = mode(rest);
        } else if let Some(rest) = text.strip_prefix(b"deleted file mode ") {
            (patch.old_mode, patch.new_path) = (mode(rest), None);
        } else if let Some(rest) = text.strip_prefix(b"new file mode ") {
            (patch.new_mode, patch.old_path) = (mode(rest), None);
        } else if let Some(rest) =
            text.strip_prefix(b"rename from ").or_else(|| text.strip_prefix(b"copy from "))
        {
            (patch.is_rename, patch.is_copy) = (text.starts_with(b"rename"), text.starts_with(b"copy"));
            patch.old_path = stripped(&name(rest).0, &kept).or_else(|| Some(in_folder(rest)));
        } else if let Some(rest) = text.strip_prefix(b"rename to ").or_else(|| text.strip_prefix(b"copy to "))
        {
            patch.new_path = stripped(&name(rest).0, &kept).or_else(|| Some(in_folder(rest)));
        } else if let Some(rest) = text.strip_prefix(b"similarity index ") {
            let digits = rest.strip_suffix(b"%").unwrap_or(rest);
            patch.score =
                std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok()).unwrap_or(0);
        } else if let Some(rest) = text.strip_prefix(b"index ") {
            if let Some(space) = memchr::memchr(b' ', rest) {
                patch.old_mode = mode(rest.get(space + 1..).unwrap_or(&[]));
            }
        } else if !text.starts_with(b"dissimilarity index ") {
            break;
        }
        lines.at += 1;
    }
}

fn traditional_head(lines: &mut Lines<'_>, options: &ApplyOptions, patch: &mut Patch) -> Result<()> {
    let mut take = |prefix: &[u8]| {
        let text = lines.peek().map_or(&b""[..], body);
        lines.at += 1;
        let (name, rest) = name(text.strip_prefix(prefix).unwrap_or(text));
        // The epoch as a date says that there is no file.
        let is_epoch = memchr::memmem::find(rest, b"1970-01-01 00:00:00").is_some();
        (name, is_epoch)
    };
    let (old, old_is_epoch) = take(b"--- ");
    let (new, new_is_epoch) = take(b"+++ ");
    let is_null = |name: &[u8]| name.trim_ascii_end() == b"/dev/null";
    if is_null(&old) || (old_is_epoch && !is_null(&new)) {
        patch.new_path = stripped(&new, options);
    } else if is_null(&new) || new_is_epoch {
        patch.old_path = stripped(&old, options);
    } else {
        let shorter = match (stripped(&old, options), stripped(&new, options)) {
            (Some(old), Some(new)) => Some(if old.len() < new.len() { old } else { new }),
            (old, new) => old.or(new),
        };
        (patch.old_path, patch.new_path) = (shorter.clone(), shorter);
    }
    if patch.path().is_empty() {
        return Err(GitError::Error(
            format!("unable to find filename in patch at line {}", lines.at - 1),
            128,
        ));
    }
    Ok(())
}

/// `-START,COUNT +START,COUNT`
fn ranges(line: &[u8]) -> Option<[(usize, usize); 2]> {
    let mut words = line.strip_prefix(b"@@ ")?.split(|byte| *byte == b' ');
    let mut next = |sign: &[u8]| {
        let word = words.next()?.strip_prefix(sign)?;
        let mut parts = word.split(|byte| *byte == b',');
        let mut number = || std::str::from_utf8(parts.next()?).ok()?.parse::<usize>().ok();
        let start = number()?;
        Some((start, number().unwrap_or(1)))
    };
    Some([next(b"-")?, next(b"+")?])
}

async fn fragment(git: &mut Git, lines: &mut Lines<'_>, options: &ApplyOptions) -> Result<Fragment> {
    let corrupt = |at: usize| GitError::Error(format!("corrupt patch at line {at}"), 128);
    let head = lines.peek().unwrap_or(&[]);
    let Some([(old_start, old_count), (new_start, new_count)]) = ranges(head) else {
        return Err(corrupt(lines.at + 1));
    };
    lines.at += 1;
    let mut fragment =
        Fragment { old_start, old_count, new_start, new_count, lines: Vec::new(), line: lines.at };
    let (mut olds, mut news) = (0, 0);
    while let Some(line) = lines.peek() {
        git.ctx.tick().await?;
        let is_full = if options.recounts {
            line.starts_with(b"@@ ") || line.starts_with(b"diff ")
        } else {
            olds >= old_count && news >= new_count
        };
        if line.starts_with(b"\\ ") {
            if let Some((_, last)) = fragment.lines.last_mut() {
                let length = body(last).len();
                last.truncate(length);
            }
            lines.at += 1;
            continue;
        }
        if is_full {
            break;
        }
        let (sign, text) = match line.split_first() {
            Some((b'\n', _)) => (b' ', &b"\n"[..]),
            Some((sign @ (b' ' | b'+' | b'-'), text)) => (*sign, text),
            _ if options.recounts => break,
            _ => return Err(corrupt(lines.at + 1)),
        };
        olds += usize::from(sign != b'+');
        news += usize::from(sign != b'-');
        fragment.lines.push((sign, text.to_metered()));
        lines.at += 1;
    }
    if !options.recounts && (olds != old_count || news != new_count) {
        return Err(corrupt(lines.at + 1));
    }
    (fragment.old_count, fragment.new_count) = (olds, news);
    Ok(fragment)
}

/// `--stat`, in the widths of `apply`.
pub(super) async fn print_stat(git: &mut Git, patches: &[Patch]) -> Result<()> {
    if patches.is_empty() {
        return git.print(b" 0 files changed\n").await;
    }
    let shown: Vec<Vec<u8>> = patches.iter().map(|patch| git.quoted(patch.path())).collect();
    let width = shown.iter().map(Vec::len).max().unwrap_or(0).min(50);
    let most = patches.iter().map(Patch::counts).map(|(added, deleted)| added + deleted).max().unwrap_or(0);
    let (mut all_added, mut all_deleted) = (0, 0);
    for (patch, name) in patches.iter().zip(shown.iter()) {
        let mut name = name.clone();
        if name.len() > width {
            let from = name.len() + 3 - width;
            let cut = name
                .get(from..)
                .and_then(|tail| memchr::memchr(b'/', tail))
                .map_or(from, |slash| from + slash);
            name = [&b"..."[..], name.get(cut..).unwrap_or(&[])].concat_metered();
        }
        name.resize_by(width.saturating_sub(name.len()), b' ');
        let (added, deleted) = patch.counts();
        (all_added, all_deleted) = (all_added + added, all_deleted + deleted);
        if patch.is_binary {
            git.print(&[b" ", &name[..], b" |  Bin\n"].concat_metered()).await?;
            continue;
        }
        let room = if width + most > 70 { 70 - width } else { most };
        let scale = |number: usize| (number * room + most / 2).checked_div(most).unwrap_or(0);
        let (total, plus) =
            if most > 0 { (scale(added + deleted), scale(added)) } else { (added + deleted, added) };
        let (plus, minus) = (repeat_text("+", plus), repeat_text("-", total.saturating_sub(plus)));
        let figures = format!(" |{:>5} {plus}{minus}\n", added + deleted);
        git.print(&[b" ", &name[..], figures.as_bytes()].concat_metered()).await?;
    }
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    let mut text: String = format!(" {} file{} changed", patches.len(), plural(patches.len()));
    if all_added > 0 || all_deleted == 0 {
        text.push_str(&format!(", {all_added} insertion{}(+)", plural(all_added)));
    }
    if all_deleted > 0 || all_added == 0 {
        text.push_str(&format!(", {all_deleted} deletion{}(-)", plural(all_deleted)));
    }
    text.push('\n');
    git.print(text.as_bytes()).await
}

pub(super) async fn print_summary(git: &mut Git, patches: &[Patch]) -> Result<()> {
    for patch in patches {
        let path = git.quoted(patch.path());
        let path = bstr::BStr::new(&path);
        let line = match (&patch.old_path, &patch.new_path) {
            (None, _) => match patch.new_mode {
                Some(mode) => format!(" create mode {mode:06o} {path}\n"),
                None => format!(" create {path}\n"),
            },
            (_, None) => match patch.old_mode {
                Some(mode) => format!(" delete mode {mode:06o} {path}\n"),
                None => format!(" delete {path}\n"),
            },
            (Some(old), Some(new)) if patch.is_moved() => {
                let word = if patch.is_copy { "copy" } else { "rename" };
                let name = crate::utility::git::diff::rename_name(git, old, new);
                format!(" {word} {} ({}%)\n", bstr::BStr::new(&name), patch.score)
            }
            _ => match (patch.old_mode, patch.new_mode) {
                (Some(old), Some(new)) if old != new => format!(" mode change {old:o} => {new:o} {path}\n"),
                _ => continue,
            },
        };
        git.print(line.as_bytes()).await?;
    }
    Ok(())
}
