//! Patches: the head of each file, and its hunks.

use super::change::{Change, Side};
use super::lines::{File, Run, is_binary, runs};
use super::options::DiffOptions;
use crate::memory::{JoinMetered, String, ToMetered, Vec, format};
use crate::utility::git::Git;
use crate::utility::git::error::Result;
use crate::utility::git::object::id::{Kind, ObjectId, hash};
use crate::utility::git::quoting::quote_path;

impl Git {
    /// The content of a side.
    pub(crate) async fn side_content(&mut self, side: Side, path: &[u8]) -> Result<Vec<u8>> {
        if side.mode == 0 {
            return Ok(Vec::new());
        }
        if let Some(given) = self.given.get(path) {
            return Ok(given.clone());
        }
        if side.is_submodule() {
            let id = if side.is_in_work_tree { self.work_id(path, side.mode).await? } else { side.id };
            return Ok(format!("Subproject commit {id}\n").into_bytes());
        }
        if side.is_in_work_tree {
            let bytes = self.work_bytes(path, side.mode).await?;
            if side.mode == super::super::object::tree::LINK {
                return Ok(bytes);
            }
            self.warn_of_ends(path, &bytes).await?;
            return self.cleaned(path, bytes).await;
        }
        Ok(self.object(&side.id).await?.1)
    }

    /// The size of a side's content.
    pub(crate) async fn side_size(&mut self, side: Side, path: &[u8]) -> Result<u64> {
        if let Some(given) = self.given.get(path) {
            return Ok(given.len() as u64);
        }
        if side.is_in_work_tree {
            return Ok(self.work_metadata(path)?.map_or(0, |metadata| metadata.size));
        }
        Ok(self.object_header(&side.id).await?.map_or(0, |header| header.1))
    }

    /// Whether the files of a path are compared as binary ones, by their attributes or content.
    pub(crate) fn is_binary_file(&mut self, path: &[u8], text: &[u8], options: &DiffOptions) -> Result<bool> {
        if options.text { Ok(false) } else { self.has_binary_content(path, text) }
    }

    /// As [`Git::is_binary_file`], whatever the options say: figures do not heed them.
    pub(crate) fn has_binary_content(&mut self, path: &[u8], text: &[u8]) -> Result<bool> {
        Ok(match self.attribute(path, b"diff")? {
            Some(value) if *value == *b"-" => true,
            Some(value) if *value == *b"+" => false,
            _ => is_binary(text),
        })
    }

    /// The patch of a change.
    pub(crate) async fn patch(&mut self, change: &Change, options: &DiffOptions) -> Result<Vec<u8>> {
        if change.status == b'U' {
            let path = options.shown(&change.old_path);
            return Ok([&b"* Unmerged path "[..], path, b"\n"].concat_metered());
        }
        if change.status == b'T' {
            // Another type of file: the old one goes, the new one comes.
            let gone = Change::new(change.path.clone(), change.old, Side::NONE);
            let new = Change::new(change.path.clone(), Side::NONE, change.new);
            let mut text = self.patch_of(&gone, options).await?;
            text.extend_from_slice(&self.patch_of(&new, options).await?);
            return Ok(text);
        }
        self.patch_of(change, options).await
    }

    async fn patch_of(&mut self, change: &Change, options: &DiffOptions) -> Result<Vec<u8>> {
        let left = self.side_content(change.old, &change.old_path).await?;
        let mut right = self.side_content(change.new, &change.path).await?;
        if change.dirt.is_modified && right.ends_with(b"\n") {
            right.pop();
            right.extend_from_slice(b"-dirty\n");
        }
        let commit = |content: &[u8]| content.get(18..58).and_then(ObjectId::from_hex).unwrap_or_default();
        let ids = [(change.old, &left), (change.new, &right)].map(|(side, content)| match side {
            Side { mode: 0, .. } => ObjectId::ZERO,
            Side { is_in_work_tree: true, .. } if side.is_submodule() => commit(content),
            Side { is_in_work_tree: true, .. } => hash(Kind::Blob, content),
            _ => side.id,
        });
        let high = self.config.truth("core.quotepath") != Some(false);
        let quoted = |prefix: &[u8], path: &[u8]| {
            let path = path.strip_prefix(b"/").unwrap_or(path);
            quote_path(&[prefix, path].concat_metered(), high, false)
        };
        let (old_shown, new_shown) = (options.shown(&change.old_path), options.shown(&change.path));
        let (old_name, new_name) =
            (quoted(&options.old_prefix, old_shown), quoted(&options.new_prefix, new_shown));
        let mut head: Vec<u8> = [&b"diff --git "[..], &old_name, b" ", &new_name, b"\n"].concat_metered();
        self.extended_head(change, options, ids, &mut head)?;
        if left == right && ids.first() == ids.last() && change.old.mode != 0 && change.new.mode != 0 {
            let is_told = change.old.mode != change.new.mode || change.is_pair();
            return Ok(if is_told { head } else { Vec::new() });
        }
        let null = b"/dev/null".to_metered();
        let old_label = if change.old.mode == 0 { null.clone() } else { old_name };
        let new_label = if change.new.mode == 0 { null } else { new_name };
        let is_binary = self.is_binary_file(&change.old_path, &left, options)?
            || self.is_binary_file(&change.path, &right, options)?;
        if is_binary {
            if options.wants_binary && left != right {
                return Err(crate::utility::git::error::fatal!("binary patches are not supported"));
            }
            if left != right {
                head.extend_from_slice(
                    &[&b"Binary files "[..], &old_label, b" and ", &new_label, b" differ\n"].concat_metered(),
                );
            }
            return Ok(head);
        }
        let (mut left, mut right) =
            (File::new(&mut self.ctx, left).await?, File::new(&mut self.ctx, right).await?);
        if options.context == 0 {
            File::cut_common_tail(&mut left, &mut right);
        }
        let runs = runs(&mut self.ctx, &left, &right, options.blanks, options.is_minimal).await?;
        if runs.is_empty() {
            let is_told = change.old.mode != change.new.mode || change.is_pair();
            return Ok(if is_told || !options.blanks_ignored() { head } else { Vec::new() });
        }
        let tab = |path: &[u8], side: Side| {
            if side.mode != 0 && path.contains(&b' ') { &b"\t\n"[..] } else { b"\n" }
        };
        let labels = [
            &b"--- "[..],
            &old_label,
            tab(old_shown, change.old),
            b"+++ ",
            &new_label,
            tab(new_shown, change.new),
        ];
        head.extend_from_slice(&labels.concat_metered());
        hunks(self, (&left, &right), &runs, (options.context, options.between_hunks), &mut head).await?;
        Ok(head)
    }

    /// Modes, renames and the names of the objects.
    fn extended_head(
        &mut self,
        change: &Change,
        options: &DiffOptions,
        ids: [ObjectId; 2],
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let (old, new) = (change.old, change.new);
        let mut line = |text: String| {
            out.extend_from_slice(text.as_bytes());
            out.push(b'\n');
        };
        match (old.mode, new.mode) {
            (0, mode) => line(format!("new file mode {mode:06o}")),
            (mode, 0) => line(format!("deleted file mode {mode:06o}")),
            (one, other) if one != other => {
                line(format!("old mode {one:06o}"));
                line(format!("new mode {other:06o}"));
            }
            _ => {}
        }
        if change.is_pair() {
            let word = if change.status == b'R' { "rename" } else { "copy" };
            line(format!("similarity index {}%", change.score * 100 / super::rename::FULL));
            for (side, path) in [("from", &change.old_path), ("to", &change.path)] {
                let path = self.quoted(options.shown(path));
                line(format!("{word} {side} {}", bstr::BStr::new(&path)));
            }
        }
        let [one, other] = ids;
        if one != other {
            let least = if options.full_index { Some(40) } else { options.abbreviation };
            let (one, other) = (self.abbreviate(&one, least)?, self.abbreviate(&other, least)?);
            let mode = if old.mode == new.mode { format!(" {:06o}", old.mode) } else { String::new() };
            line(format!("index {one}..{other}{mode}"));
        }
        Ok(())
    }
}

/// Whether a line names what follows: it begins with a letter, `_` or `$`.
pub(crate) fn is_function_line(line: &[u8]) -> bool {
    line.first().is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$'))
}

/// The line above `before` that names what the lines are in.
pub(crate) fn function_line(file: &File, before: usize) -> Option<&[u8]> {
    (0..before).rev().map(|index| file.line(index)).find(|line| is_function_line(line))
}

fn range(start: usize, count: usize) -> String {
    let start = if count == 0 { start } else { start + 1 };
    if count == 1 { format!("{start}") } else { format!("{start},{count}") }
}

/// Prints the hunks of two files.
pub(crate) async fn hunks(
    git: &mut Git,
    (left, right): (&File, &File),
    runs: &[Run],
    (context, between): (usize, usize),
    out: &mut Vec<u8>,
) -> Result<()> {
    let mut first = 0;
    while let Some(start) = runs.get(first) {
        let mut last = first;
        while let (Some(one), Some(next)) = (runs.get(last), runs.get(last + 1)) {
            if next.left - (one.left + one.deleted) > context.saturating_mul(2).saturating_add(between) {
                break;
            }
            last += 1;
        }
        let Some(end) = runs.get(last) else { break };
        let before = context.min(start.left).min(start.right);
        let (left_end, right_end) = (end.left + end.deleted, end.right + end.inserted);
        let after = context.min(left.count() - left_end.min(left.count()));
        let (x, y) = (start.left - before, start.right - before);
        let (count_x, count_y) = (left_end + after - x, right_end + after - y);
        out.extend_from_slice(format!("@@ -{} +{} @@", range(x, count_x), range(y, count_y)).as_bytes());
        if let Some(line) = function_line(left, x) {
            let line = line.get(..80.min(line.len())).unwrap_or(line).trim_ascii_end();
            out.push(b' ');
            out.extend_from_slice(line);
        }
        out.push(b'\n');
        // Common lines are shown as they are in the new file: they may differ in blanks that are ignored.
        let mut at = y;
        for run in runs.get(first..=last).unwrap_or(&[]) {
            for index in at..run.right {
                git.ctx.tick().await?;
                put(b' ', right.line(index), out);
            }
            for index in run.left..run.left + run.deleted {
                git.ctx.tick().await?;
                put(b'-', left.line(index), out);
            }
            for index in run.right..run.right + run.inserted {
                git.ctx.tick().await?;
                put(b'+', right.line(index), out);
            }
            at = run.right + run.inserted;
        }
        for index in at..right_end + after {
            git.ctx.tick().await?;
            put(b' ', right.line(index), out);
        }
        first = last + 1;
    }
    Ok(())
}

fn put(sign: u8, line: &[u8], out: &mut Vec<u8>) {
    out.push(sign);
    out.extend_from_slice(line);
    if !line.ends_with(b"\n") {
        out.extend_from_slice(b"\n\\ No newline at end of file\n");
    }
}
