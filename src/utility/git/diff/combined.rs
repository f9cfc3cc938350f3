//! Combined diffs: a merge against all of its parents at once. Each line of the result has a bit for every parent that does
//! not have it, and hangs up the lines that parents have before it; what several parents lost is told once.

use super::change::Side;
use super::lines::{File, is_binary, runs};
use super::options::DiffOptions;
use super::patch::is_function_line;
use super::tree::{TreeOptions, compare};
use crate::memory::{HashMap, JoinMetered, Vec, format, vec};
use crate::text::Text;
use crate::utility::git::Git;
use crate::utility::git::error::Result;
use crate::utility::git::object::id::ObjectId;
use crate::utility::git::pathspec::Pathspec;
use crate::utility::git::quoting::quote_path;

/// A file that differs from that of every parent.
#[derive(Clone, Debug)]
pub(crate) struct CombinedFile {
    pub(crate) path: Text,
    /// The file of each parent, and the letter of its change.
    pub(crate) parents: Vec<(Side, u8)>,
    pub(crate) result: Side,
    /// It is compared with the work tree, where it is not.
    pub(crate) is_gone: bool,
}

/// Parents that bits are kept for, at most.
const MOST_PARENTS: usize = 60;

/// A line that parents had.
#[derive(Clone, Debug)]
struct Lost {
    text: Vec<u8>,
    parents: u64,
}

/// A line of the result, and what was lost before it.
#[derive(Clone, Debug, Default)]
struct Line {
    /// Parents that do not have it.
    added: u64,
    lost: Vec<Lost>,
    /// Lines that the parent that is looked at had here.
    fresh: Vec<Vec<u8>>,
    /// Its number in each parent, from 1.
    numbers: Vec<usize>,
    is_shown: bool,
    /// It is shown as context alone: what was lost before it is not.
    hides_lost: bool,
}

impl Line {
    fn is_changed(&self) -> bool {
        self.added != 0 || !self.lost.is_empty()
    }
}

impl Git {
    /// The files of a tree that differ from those of all others.
    pub(crate) async fn combined_files(
        &mut self,
        parents: &[ObjectId],
        tree: ObjectId,
        spec: &Pathspec,
        options: &DiffOptions,
    ) -> Result<Vec<CombinedFile>> {
        let mut files: Vec<CombinedFile> = Vec::new();
        for (number, parent) in parents.iter().take(MOST_PARENTS).enumerate() {
            let changes = compare(self, *parent, tree, spec, TreeOptions::RECURSIVE).await?;
            let changes = self.refine(changes, options).await?;
            if number == 0 {
                for change in changes {
                    let parents = Vec::from([(change.old, change.status)]);
                    files.push(CombinedFile {
                        path: change.path,
                        parents,
                        result: change.new,
                        is_gone: false,
                    });
                }
                continue;
            }
            let mut by_path: HashMap<Text, (Side, u8)> = HashMap::new();
            for change in changes {
                by_path.insert(change.path.clone(), (change.old, change.status));
            }
            files.retain_mut(|file| match by_path.get(&file.path) {
                Some(side) => {
                    file.parents.push(*side);
                    true
                }
                None => false,
            });
        }
        Ok(files)
    }

    /// Prints combined diffs; `dense` leaves out what is as in one of the parents.
    pub(crate) async fn print_combined(
        &mut self,
        files: &[CombinedFile],
        options: &DiffOptions,
        dense: bool,
    ) -> Result<()> {
        let formats = options.formats;
        let is_raw = formats.raw || formats.name_only || formats.name_status;
        if files.is_empty() || options.quiet || formats.none {
            return Ok(());
        }
        if is_raw {
            for file in files {
                let line = self.combined_raw(file, options)?;
                self.print(&line).await?;
            }
        }
        if formats.patch {
            if is_raw || formats.stat || formats.numstat || formats.shortstat || formats.summary {
                self.print(if options.ends_in_nul { b"\0" } else { b"\n" }).await?;
            }
            for file in files {
                let text = self.combined_patch(file, options, dense).await?;
                self.print(&text).await?;
            }
        }
        Ok(())
    }

    fn combined_raw(&mut self, file: &CombinedFile, options: &DiffOptions) -> Result<Vec<u8>> {
        let mut line: Vec<u8> = Vec::new();
        let formats = options.formats;
        if formats.raw {
            line.resize_by(file.parents.len(), b':');
            for (side, _) in &file.parents {
                line.extend_from_slice(format!("{:06o} ", side.mode).as_bytes());
            }
            line.extend_from_slice(format!("{:06o}", file.result.mode).as_bytes());
            let least = if options.full_raw { Some(40) } else { options.abbreviation };
            for side in file.parents.iter().map(|parent| &parent.0).chain([&file.result]) {
                let id = self.abbreviate(&side.id, least)?;
                line.extend_from_slice(&[b" ", &id[..]].concat_metered());
            }
            line.push(b' ');
        }
        if formats.raw || formats.name_status {
            line.extend(file.parents.iter().map(|parent| parent.1));
            line.push(if options.ends_in_nul { 0 } else { b'\t' });
        }
        let shown = options.shown(&file.path);
        if options.ends_in_nul {
            line.extend_from_slice(shown);
            line.push(0);
        } else {
            line.extend_from_slice(&self.quoted(shown));
            line.push(b'\n');
        }
        Ok(line)
    }

    /// The combined patch of a file; empty where nothing of it is shown.
    pub(crate) async fn combined_patch(
        &mut self,
        file: &CombinedFile,
        options: &DiffOptions,
        dense: bool,
    ) -> Result<Vec<u8>> {
        let is_live = file.result.is_in_work_tree || file.is_gone;
        let result = self.side_content(file.result, &file.path).await?;
        let mut olds: Vec<Vec<u8>> = Vec::new();
        for (side, _) in &file.parents {
            olds.push(self.side_content(*side, &file.path).await?);
        }
        let mode_differs = file.parents.iter().any(|(side, _)| side.mode != file.result.mode);
        let binary = match self.attribute(&file.path, b"diff")? {
            _ if options.text => false,
            Some(value) if *value == *b"-" => true,
            Some(value) if *value == *b"+" => false,
            _ => is_binary(&result) || olds.iter().any(|text| is_binary(text)),
        };
        if binary {
            let mut out = self.combined_head(file, options, (dense, mode_differs), false)?;
            out.extend_from_slice(b"Binary files differ\n");
            return Ok(out);
        }
        let result = File::new(&mut self.ctx, result).await?;
        let mut lines = vec![Line::default(); result.count() + 2];
        for (number, text) in olds.iter().enumerate() {
            if file.is_gone {
                break;
            }
            let old = File::new(&mut self.ctx, text.clone()).await?;
            self.lay(&mut lines, &old, &result, number, options).await?;
        }
        let all = (1_u64 << file.parents.len().min(MOST_PARENTS)) - 1;
        let mut hunks = Hunks { lines: &mut lines, count: result.count(), context: options.context, all };
        let has_hunks = hunks.mark(dense);
        self.ctx.tick_many((result.count() as u32).saturating_mul(4));
        self.ctx.tick().await?;
        if !has_hunks && !mode_differs && !is_live {
            return Ok(Vec::new());
        }
        let mut out = self.combined_head(file, options, (dense, mode_differs), true)?;
        if !file.is_gone {
            dump(self, &lines, &result, file.parents.len(), options.context, &mut out).await?;
        }
        Ok(out)
    }

    /// Lays the lines of a parent over those of the result.
    async fn lay(
        &mut self,
        lines: &mut Vec<Line>,
        old: &File,
        result: &File,
        number: usize,
        options: &DiffOptions,
    ) -> Result<()> {
        let bit = 1_u64 << number.min(MOST_PARENTS);
        let (mut left, mut right) = (old.clone(), result.clone());
        File::cut_common_tail(&mut left, &mut right);
        let found = runs(&mut self.ctx, &left, &right, options.blanks, options.is_minimal).await?;
        for run in found {
            for index in run.right..run.right + run.inserted {
                if let Some(line) = lines.get_mut(index) {
                    line.added |= bit;
                }
            }
            if let Some(line) = lines.get_mut(run.right) {
                for index in run.left..run.left + run.deleted {
                    self.ctx.tick().await?;
                    let text = left.line(index);
                    line.fresh.push(Vec::from(text.strip_suffix(b"\n").unwrap_or(text)));
                }
            }
        }
        let mut place = 1;
        let count = result.count();
        for (index, line) in lines.iter_mut().enumerate() {
            self.ctx.tick().await?;
            line.numbers.push(place);
            let fresh = std::mem::take(&mut line.fresh);
            if !fresh.is_empty() {
                coalesce(self, &mut line.lost, fresh, bit).await?;
            }
            place += line.lost.iter().filter(|lost| lost.parents & bit != 0).count();
            if index < count && line.added & bit == 0 {
                place += 1;
            }
        }
        Ok(())
    }

    fn combined_head(
        &mut self,
        file: &CombinedFile,
        options: &DiffOptions,
        (dense, mode_differs): (bool, bool),
        with_files: bool,
    ) -> Result<Vec<u8>> {
        let high = self.config.truth("core.quotepath") != Some(false);
        let shown = options.shown(&file.path);
        let quoted = |prefix: &[u8], path: &[u8]| quote_path(&[prefix, path].concat_metered(), high, false);
        let word: &[u8] = if dense { b"diff --cc " } else { b"diff --combined " };
        let mut out: Vec<u8> = [word, &quoted(b"", shown), b"\nindex "].concat_metered();
        let least = if options.full_index { Some(40) } else { options.abbreviation };
        for (index, (side, _)) in file.parents.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            out.extend_from_slice(&self.abbreviate(&side.id, least)?);
        }
        let id = self.abbreviate(&file.result.id, least)?;
        out.extend_from_slice(&[b"..", &id[..], b"\n"].concat_metered());
        let is_deleted = mode_differs && file.result.mode == 0;
        let is_added = mode_differs && !is_deleted && file.parents.iter().all(|(_, status)| *status == b'A');
        if is_added {
            out.extend_from_slice(format!("new file mode {:06o}\n", file.result.mode).as_bytes());
        } else if mode_differs {
            out.extend_from_slice(if is_deleted { b"deleted file mode " } else { b"mode " });
            for (index, (side, _)) in file.parents.iter().enumerate() {
                let comma = if index > 0 { "," } else { "" };
                out.extend_from_slice(format!("{comma}{:06o}", side.mode).as_bytes());
            }
            if !is_deleted {
                out.extend_from_slice(format!("..{:06o}", file.result.mode).as_bytes());
            }
            out.push(b'\n');
        }
        if with_files {
            let null = &b"/dev/null"[..];
            // Sides that are swapped keep their prefixes here.
            let (mut old_prefix, mut new_prefix) = (&options.old_prefix, &options.new_prefix);
            if options.is_reversed {
                std::mem::swap(&mut old_prefix, &mut new_prefix);
            }
            let old = if is_added { Vec::from(null) } else { quoted(old_prefix, shown) };
            let new = if is_deleted { Vec::from(null) } else { quoted(new_prefix, shown) };
            out.extend_from_slice(&[&b"--- "[..], &old, b"\n+++ ", &new, b"\n"].concat_metered());
        }
        Ok(out)
    }
}

/// Puts lines that a parent lost among those that others lost, those of a longest common subsequence once.
async fn coalesce(git: &mut Git, known: &mut Vec<Lost>, fresh: Vec<Vec<u8>>, bit: u64) -> Result<()> {
    if known.is_empty() {
        known.extend(fresh.into_iter().map(|text| Lost { text, parents: bit }));
        return Ok(());
    }
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum Way {
        Both,
        Known,
        Fresh,
    }
    let width = fresh.len() + 1;
    let mut ways = vec![Way::Known; width.saturating_mul(known.len() + 1)];
    let mut above = vec![0_u32; width];
    for (row, one) in known.iter().enumerate() {
        let mut here = vec![0_u32; width];
        for (column, other) in fresh.iter().enumerate() {
            git.ctx.tick().await?;
            let at = |row: &[u32], index: usize| row.get(index).copied().unwrap_or(0);
            let (way, length) = if one.text == *other {
                (Way::Both, at(&above, column) + 1)
            } else if at(&here, column) >= at(&above, column + 1) {
                (Way::Fresh, at(&here, column))
            } else {
                (Way::Known, at(&above, column + 1))
            };
            if let Some(slot) = ways.get_mut((row + 1) * width + column + 1) {
                *slot = way;
            }
            if let Some(slot) = here.get_mut(column + 1) {
                *slot = length;
            }
        }
        above = here;
    }
    let (mut row, mut column) = (known.len(), fresh.len());
    let mut joined: Vec<Lost> = Vec::new();
    while row > 0 || column > 0 {
        git.ctx.tick().await?;
        let way = match (row, column) {
            (0, _) => Way::Fresh,
            (_, 0) => Way::Known,
            _ => ways.get(row * width + column).copied().unwrap_or(Way::Known),
        };
        let text = |index: usize| fresh.get(index).cloned().unwrap_or_default();
        match way {
            Way::Both => {
                (row, column) = (row - 1, column - 1);
                joined
                    .extend(known.get(row).map(|lost| Lost { parents: lost.parents | bit, ..lost.clone() }));
            }
            Way::Fresh => {
                column -= 1;
                joined.push(Lost { text: text(column), parents: bit });
            }
            Way::Known => {
                row -= 1;
                joined.extend(known.get(row).cloned());
            }
        }
    }
    joined.as_mut_slice().reverse();
    *known = joined;
    Ok(())
}

/// Finds which lines are shown; the lines of a file are `[0, count)`, at `count` hangs what was lost at its end.
struct Hunks<'h> {
    lines: &'h mut Vec<Line>,
    count: usize,
    context: usize,
    all: u64,
}

impl Hunks<'_> {
    fn is_shown(&self, at: usize) -> bool {
        self.lines.get(at).is_some_and(|line| line.is_shown)
    }

    fn show(&mut self, at: usize, is_shown: bool) {
        if let Some(line) = self.lines.get_mut(at) {
            line.is_shown = is_shown;
        }
    }

    /// The next line from `at` that is shown, or is not.
    fn next(&self, at: usize, is_shown: bool) -> usize {
        (at..=self.count).find(|at| self.is_shown(*at) == is_shown).unwrap_or(self.count + 1)
    }

    /// The end of a hunk: a line that only hangs up lost ones is context already.
    fn tail(&self, start: usize, end: usize) -> usize {
        let is_context =
            end.checked_sub(1).and_then(|at| self.lines.get(at)).is_some_and(|line| line.added == 0);
        if start < end && is_context { end - 1 } else { end }
    }

    /// Marks what is shown; whether there is something.
    fn mark(&mut self, dense: bool) -> bool {
        for line in self.lines.iter_mut().take(self.count + 1) {
            line.is_shown = line.is_changed();
        }
        if dense {
            self.thin();
        }
        self.add_context()
    }

    /// Leaves out hunks in which all changes are those against the same parents, if not against all.
    fn thin(&mut self) {
        let mut at = 0;
        loop {
            at = self.next(at, true);
            if at > self.count {
                return;
            }
            let start = at;
            let mut end = start + 1;
            while end <= self.count {
                if !self.is_shown(end) {
                    let reach = (self.tail(start, end).saturating_add(self.context)).min(self.count + 1);
                    match (end..reach).rev().find(|at| self.is_shown(*at)) {
                        Some(last) => end = last,
                        None => break,
                    }
                }
                end += 1;
            }
            let mut same = 0;
            let mut is_mixed = false;
            for line in self.lines.get(start..end.min(self.count + 1)).unwrap_or(&[]) {
                let bits = [line.added].into_iter().chain(line.lost.iter().map(|lost| lost.parents));
                for bits in bits.filter(|bits| *bits != 0) {
                    is_mixed |= same != 0 && same != bits;
                    same = if same == 0 { bits } else { same };
                }
            }
            if !is_mixed && same != self.all {
                for at in start..end {
                    self.show(at, false);
                }
            }
            at = end;
        }
    }

    fn add_context(&mut self) -> bool {
        let mut at = self.next(0, true);
        if at > self.count {
            return false;
        }
        while at <= self.count {
            for before in at.saturating_sub(self.context)..at {
                if let Some(line) = self.lines.get_mut(before) {
                    line.hides_lost |= !line.is_shown;
                    line.is_shown = true;
                }
            }
            loop {
                let end = self.next(at, false);
                if end > self.count {
                    return true;
                }
                let next = self.next(end, true);
                let tail = self.tail(at, end);
                if next < tail.saturating_add(self.context) {
                    for gap in tail..next {
                        self.show(gap, true);
                    }
                    at = next;
                    continue;
                }
                for after in tail..tail.saturating_add(self.context).min(self.count + 1) {
                    self.show(after, true);
                }
                at = next;
                break;
            }
        }
        true
    }
}

async fn dump(
    git: &mut Git,
    lines: &[Line],
    result: &File,
    parents: usize,
    context: usize,
    out: &mut Vec<u8>,
) -> Result<()> {
    let count = result.count();
    let is_shown = |at: usize| lines.get(at).is_some_and(|line| line.is_shown);
    let number = |at: usize, parent: usize| {
        lines.get(at).and_then(|line| line.numbers.get(parent)).copied().unwrap_or(0)
    };
    let mut at = 0;
    loop {
        let mut comment: &[u8] = &[];
        while at <= count && !is_shown(at) {
            git.ctx.tick().await?;
            let text = result.line(at);
            if is_function_line(text) {
                comment = text;
            }
            at += 1;
        }
        if at > count {
            return Ok(());
        }
        let mut end = at + 1;
        while end <= count && is_shown(end) {
            end += 1;
        }
        let length = end - at - usize::from(end > count);
        // Without context lines that only hang up lost ones are not shown.
        let hidden = if context == 0 {
            lines.get(at..end).unwrap_or(&[]).iter().filter(|line| line.added == 0).count()
        } else {
            0
        };
        // Lines that were lost at the end alone make it less than nothing, which git shows as a large number.
        let length = (length as u64).wrapping_sub(hidden as u64);
        out.resize_by(parents + 1, b'@');
        for parent in 0..parents {
            let (from, to) = (number(at, parent), number(end, parent));
            let size = (to as i64 - from as i64 - hidden as i64) as u64;
            out.extend_from_slice(format!(" -{from},{size}").as_bytes());
        }
        out.extend_from_slice(format!(" +{},{length} ", at + 1).as_bytes());
        out.resize_by(parents + 1, b'@');
        let comment = comment.get(..comment.len().min(40)).unwrap_or(comment);
        let comment = comment.split(|byte| matches!(byte, b'\n' | 0)).next().unwrap_or(&[]);
        let last = comment.iter().rposition(|byte| !byte.is_ascii_whitespace()).unwrap_or(0);
        if last > 0 {
            // As git does it, without the last letter.
            out.push(b' ');
            out.extend_from_slice(comment.get(..last).unwrap_or(&[]));
        }
        out.push(b'\n');
        while at < end {
            git.ctx.tick().await?;
            let Some(line) = lines.get(at) else { break };
            for lost in line.lost.iter().filter(|_| !line.hides_lost) {
                out.extend(
                    (0..parents).map(|parent| if lost.parents >> parent & 1 == 1 { b'-' } else { b' ' }),
                );
                out.extend_from_slice(&lost.text);
                out.push(b'\n');
            }
            at += 1;
            if at > count {
                break;
            }
            if line.added == 0 && context == 0 {
                continue;
            }
            out.extend((0..parents).map(|parent| if line.added >> parent & 1 == 1 { b'+' } else { b' ' }));
            let text = result.line(at - 1);
            out.extend_from_slice(text.strip_suffix(b"\n").unwrap_or(text));
            out.push(b'\n');
        }
    }
}

/// A file in a conflict as `diff` shows it: the work tree's against both sides.
pub(crate) fn conflict(path: &Text, ours: Side, theirs: Side, work: Side) -> CombinedFile {
    let parents = Vec::from([(ours, b'M'), (theirs, b'M')]);
    CombinedFile { path: path.clone(), parents, result: work, is_gone: work.mode == 0 }
}
