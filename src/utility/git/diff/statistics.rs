//! `--stat`, `--numstat`, `--shortstat` and `--summary`: how much of each file changed.

use super::change::Change;
use super::lines::{File, runs};
use super::options::DiffOptions;
use super::rename::FULL;
use crate::memory::{JoinMetered, String, Vec, format, repeat_text};
use crate::text::Text;
use crate::utility::format::width::width;
use crate::utility::git::Git;
use crate::utility::git::error::Result;
use crate::utility::git::object::tree::LINK;

/// What changed in a file.
pub(super) struct Figures {
    /// As it is shown.
    name: Vec<u8>,
    pub(super) path: Text,
    old_path: Option<Text>,
    /// Its name is made of two.
    has_two_names: bool,
    /// Lines; of a binary file bytes.
    added: u64,
    deleted: u64,
    is_binary: bool,
    is_unmerged: bool,
    /// It counts though no line changed.
    counts: bool,
}

/// `dir/{old => new}/file`
pub(crate) fn rename_name(git: &Git, old: &[u8], new: &[u8]) -> Vec<u8> {
    let (old_quoted, new_quoted) = (git.quoted(old), git.quoted(new));
    if old_quoted != old || new_quoted != new {
        return [&old_quoted[..], b" => ", &new_quoted].concat_metered();
    }
    let mut front = 0;
    for (at, (one, other)) in old.iter().zip(new).enumerate() {
        if one != other {
            break;
        }
        if *one == b'/' {
            front = at + 1;
        }
    }
    let mut back = 0;
    // The slash of the front may be that of the back too.
    let room = old.len().min(new.len()) + 1 - front.max(1);
    for length in 1..=room {
        let (Some(one), Some(other)) = (
            old.len().checked_sub(length).and_then(|at| old.get(at)),
            new.len().checked_sub(length).and_then(|at| new.get(at)),
        ) else {
            break;
        };
        if one != other {
            break;
        }
        if *one == b'/' {
            back = length;
        }
    }
    let middle = |path: &'_ [u8]| -> Vec<u8> {
        let end = path.len() - back;
        Vec::from(path.get(front..end.max(front)).unwrap_or(&[]))
    };
    let (one, other) = (middle(old), middle(new));
    let tail = old.get(old.len() - back..).unwrap_or(&[]);
    if front + back == 0 {
        return [old, b" => ", new].concat_metered();
    }
    let head = old.get(..front).unwrap_or(&[]);
    [head, b"{", &one, b" => ", &other, b"}", tail].concat_metered()
}

impl Git {
    /// Counts what changed.
    pub(super) async fn figures(
        &mut self,
        changes: &[Change],
        options: &DiffOptions,
    ) -> Result<Vec<Figures>> {
        let mut all = Vec::new();
        for change in changes {
            // A conflict is told by what its file came from.
            let path = if change.status == b'U' { &change.old_path } else { &change.path };
            let path = Text::from(options.shown(path));
            let is_pair = change.is_pair() || (change.status != b'U' && change.old_path != change.path);
            let mut old_path = is_pair.then(|| Text::from(options.shown(&change.old_path)));
            let nothing = Text::from_static(b"/dev/null");
            let mut name = match (&old_path, change.status) {
                (_, b'A') if options.names_nothing => rename_name(self, &nothing, &path),
                (_, b'D') if options.names_nothing => rename_name(self, &path, &nothing),
                (Some(old), _) => rename_name(self, old, &path),
                (None, _) => self.quoted(&path),
            };
            let has_two_names = old_path.is_some() || options.names_nothing;
            old_path = old_path.filter(|_| change.is_pair());
            if options.is_compact {
                name.extend_from_slice(compact(change));
            }
            let mut figures = Figures {
                name,
                path,
                old_path,
                has_two_names,
                added: 0,
                deleted: 0,
                is_binary: false,
                is_unmerged: change.status == b'U',
                counts: change.is_pair() || change.old.mode != change.new.mode,
            };
            if !figures.is_unmerged {
                self.count_lines(change, options, &mut figures).await?;
            }
            // A file that only looks changed is not told.
            let is_same = figures.added + figures.deleted == 0 && !figures.counts && !figures.is_binary;
            if !is_same || figures.is_unmerged {
                all.push(figures);
            }
        }
        Ok(all)
    }

    async fn count_lines(
        &mut self,
        change: &Change,
        options: &DiffOptions,
        figures: &mut Figures,
    ) -> Result<()> {
        let is_stored = !change.old.is_in_work_tree && !change.new.is_in_work_tree;
        if change.old.id == change.new.id
            && change.old.mode != 0
            && is_stored
            && !change.dirt.is_modified
            && self.given.is_empty()
        {
            let text = self.side_content(change.old, &change.old_path).await?;
            figures.is_binary = self.has_binary_content(&change.path, &text)?;
            return Ok(());
        }
        let left = self.side_content(change.old, &change.old_path).await?;
        let right = self.side_content(change.new, &change.path).await?;
        let is_binary = self.has_binary_content(&change.old_path, &left)?
            || self.has_binary_content(&change.path, &right)?;
        if is_binary {
            figures.is_binary = left != right || change.old.mode == 0 || change.new.mode == 0;
            if left != right {
                (figures.deleted, figures.added) = (left.len() as u64, right.len() as u64);
            }
            return Ok(());
        }
        if change.old.mode == 0 || change.new.mode == 0 || change.status == b'T' {
            let count = |text: &[u8]| {
                memchr::memchr_iter(b'\n', text).count() as u64
                    + u64::from(!text.is_empty() && !text.ends_with(b"\n"))
            };
            (figures.deleted, figures.added) = (count(&left), count(&right));
            if change.status != b'T' && !options.blanks_ignored() {
                return Ok(());
            }
        }
        let (mut left, mut right) =
            (File::new(&mut self.ctx, left).await?, File::new(&mut self.ctx, right).await?);
        File::cut_common_tail(&mut left, &mut right);
        let runs = runs(&mut self.ctx, &left, &right, options.blanks, options.is_minimal).await?;
        figures.deleted = runs.iter().map(|run| run.deleted as u64).sum();
        figures.added = runs.iter().map(|run| run.inserted as u64).sum();
        Ok(())
    }
}

/// What `--compact-summary` says of a file.
fn compact(change: &Change) -> &'static [u8] {
    let (old, new) = (change.old.mode, change.new.mode);
    let is_link = |mode: u32| mode & 0o170_000 == LINK;
    let runs = |mode: u32| mode & 0o111 != 0;
    match change.status {
        b'A' if is_link(new) => b" (new +l)",
        b'A' if runs(new) => b" (new +x)",
        b'A' => b" (new)",
        b'D' => b" (gone)",
        _ if is_link(old) && !is_link(new) => b" (mode -l)",
        _ if !is_link(old) && is_link(new) => b" (mode +l)",
        _ if runs(old) && !runs(new) => b" (mode -x)",
        _ if !runs(old) && runs(new) => b" (mode +x)",
        _ => b"",
    }
}

fn digits(number: u64) -> usize {
    itoa::Buffer::new().format(number).len()
}

fn scaled(number: u64, width: u64, most: u64) -> u64 {
    if number == 0 { 0 } else { 1 + number * (width.saturating_sub(1)) / most.max(1) }
}

/// Columns that a name takes.
pub(crate) fn columns(name: &[u8]) -> usize {
    String::from_utf8_lossy(name).chars().map(|letter| width(letter).unwrap_or(0)).sum()
}

/// The widths that `--stat=WIDTH,NAME,COUNT` gives.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Widths {
    pub(crate) whole: Option<usize>,
    pub(crate) name: Option<usize>,
    pub(crate) graph: Option<usize>,
    pub(crate) count: Option<usize>,
}

/// The lines of `--stat`.
pub(super) fn stat(all: &[Figures], widths: Widths, columns_there: usize) -> Vec<u8> {
    let shown = all.get(..widths.count.unwrap_or(all.len()).min(all.len())).unwrap_or(all);
    let most = shown
        .iter()
        .filter(|one| !one.is_binary && !one.is_unmerged)
        .map(|one| one.added + one.deleted)
        .max();
    let most = most.unwrap_or(0);
    let longest = shown.iter().map(|one| columns(&one.name)).max().unwrap_or(0);
    let has_binary = shown.iter().any(|one| one.is_binary);
    let number_width = digits(most).max(if has_binary { 3 } else { 0 });
    let width = widths.whole.unwrap_or(columns_there).max(16 + 6 + number_width);
    let mut graph = widths.graph.map_or(most as usize, |graph| graph.min(most as usize));
    let mut name_width = widths.name.map_or(longest, |name| name.min(longest));
    if name_width + number_width + 6 + graph > width {
        let share = (width * 3 / 8).saturating_sub(number_width + 6);
        if graph > share {
            graph = share.max(6);
        }
        if let Some(limit) = widths.graph {
            graph = graph.min(limit);
        }
        let room = width.saturating_sub(number_width + 6 + graph);
        if name_width > room {
            name_width = room;
        } else {
            graph = width - number_width - 6 - name_width;
        }
    }
    let mut out: Vec<u8> = Vec::new();
    for one in shown {
        let (mut front, mut name) = ("", one.name.as_slice());
        if columns(name) > name_width {
            front = "...";
            let keep = name_width.saturating_sub(3);
            while columns(name) > keep && !name.is_empty() {
                let text = String::from_utf8_lossy(name);
                let first = text.chars().next().map_or(1, char::len_utf8);
                name = name.get(first..).unwrap_or(&[]);
            }
            if let Some(slash) = memchr::memchr(b'/', name) {
                name = name.get(slash..).unwrap_or(name);
            }
        }
        let padding = repeat_text(" ", name_width.saturating_sub(front.len() + columns(name)));
        out.extend_from_slice(&[b" ", front.as_bytes(), name, padding.as_bytes(), b" | "].concat_metered());
        if one.is_unmerged {
            out.extend_from_slice(b"Unmerged\n");
            continue;
        }
        if one.is_binary {
            let sizes = if one.added + one.deleted == 0 {
                String::new()
            } else {
                format!(" {} -> {} bytes", one.deleted, one.added)
            };
            out.extend_from_slice(format!("{:>number_width$}{sizes}\n", "Bin").as_bytes());
            continue;
        }
        let (mut added, mut deleted) = (one.added, one.deleted);
        let total = added + deleted;
        if graph as u64 <= most {
            let mut whole = scaled(total, graph as u64, most);
            if whole < 2 && added > 0 && deleted > 0 {
                whole = 2;
            }
            if added < deleted {
                added = scaled(added, graph as u64, most);
                deleted = whole - added.min(whole);
            } else {
                deleted = scaled(deleted, graph as u64, most);
                added = whole - deleted.min(whole);
            }
        }
        let bar = [repeat_text("+", added as usize), repeat_text("-", deleted as usize)];
        let [plus, minus] = &bar;
        let space = if total > 0 { " " } else { "" };
        out.extend_from_slice(format!("{total:>number_width$}{space}{plus}{minus}\n").as_bytes());
    }
    if shown.len() < all.len() {
        out.extend_from_slice(b" ...\n");
    }
    out
}

/// ` 2 files changed, 1 insertion(+)`
pub(super) fn short_stat(all: &[Figures]) -> Vec<u8> {
    let counted = all.iter().filter(|one| !one.is_unmerged);
    let files = counted.clone().count();
    let (mut added, mut deleted) = (0, 0);
    for one in counted.filter(|one| !one.is_binary) {
        added += one.added;
        deleted += one.deleted;
    }
    if files == 0 {
        return b" 0 files changed\n".as_slice().into();
    }
    let plural = |count: u64| if count == 1 { "" } else { "s" };
    let mut text = format!(" {files} file{} changed", plural(files as u64));
    if added > 0 || deleted == 0 {
        text.push_str(&format!(", {added} insertion{}(+)", plural(added)));
    }
    if deleted > 0 || added == 0 {
        text.push_str(&format!(", {deleted} deletion{}(-)", plural(deleted)));
    }
    text.push('\n');
    text.into_bytes()
}

/// The lines of `--numstat`.
pub(super) fn num_stat(git: &Git, all: &[Figures], ends_in_nul: bool) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::new();
    for one in all {
        if one.is_binary {
            out.extend_from_slice(b"-\t-\t");
        } else {
            out.extend_from_slice(format!("{}\t{}\t", one.added, one.deleted).as_bytes());
        }
        match &one.old_path {
            Some(old) if ends_in_nul => {
                out.extend_from_slice(&[b"\0", &old[..], b"\0", &one.path, b"\0"].concat_metered());
            }
            _ if ends_in_nul => out.extend_from_slice(&[&one.path[..], b"\0"].concat_metered()),
            _ if one.has_two_names => out.extend_from_slice(&[&one.name[..], b"\n"].concat_metered()),
            _ => out.extend_from_slice(&[&git.quoted(&one.path)[..], b"\n"].concat_metered()),
        }
    }
    out
}

/// The lines of `--summary`.
pub(super) fn summary(git: &Git, changes: &[Change], options: &DiffOptions) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::new();
    for change in changes {
        let path = git.quoted(options.shown(&change.path));
        let path = bstr::BStr::new(&path);
        let (old, new) = (change.old.mode, change.new.mode);
        let line = match change.status {
            b'A' => format!(" create mode {new:06o} {path}\n"),
            b'D' => format!(" delete mode {old:06o} {path}\n"),
            b'R' | b'C' => {
                let word = if change.status == b'R' { "rename" } else { "copy" };
                let name = rename_name(git, options.shown(&change.old_path), options.shown(&change.path));
                let percent = change.score * 100 / FULL;
                let mut line = format!(" {word} {} ({percent}%)\n", bstr::BStr::new(&name));
                if old != new {
                    line.push_str(&format!(" mode change {old:06o} => {new:06o}\n"));
                }
                line
            }
            b'U' if change.score > 0 => format!(" rewrite {path} ({}%)\n", change.score * 100 / FULL),
            _ if old != 0 && new != 0 && old != new => {
                format!(" mode change {old:06o} => {new:06o} {path}\n")
            }
            _ => continue,
        };
        out.extend_from_slice(line.as_bytes());
    }
    out
}
