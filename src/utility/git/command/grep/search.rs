//! How `git grep` searches one text and prints what it finds.

use super::Opt;
use super::expression::Expression;
use crate::memory::{JoinMetered, ToMetered, Vec, format, vec};
use crate::utility::git::Git;
use crate::utility::git::arguments::Arguments;
use crate::utility::git::diff::lines::is_binary;
use crate::utility::git::diff::patch::is_function_line;
use crate::utility::git::error::{GitError, Result};

/// How lines are found and shown.
pub(super) struct GrepSearch<'s> {
    pub(super) arguments: &'s Arguments<Opt>,
    pub(super) expression: &'s Expression,
    pub(super) hides_names: bool,
    pub(super) shows_numbers: bool,
    pub(super) shows_columns: bool,
    pub(super) full_names: bool,
    pub(super) skips_binary: bool,
    pub(super) as_text: bool,
    pub(super) before: usize,
    pub(super) after: usize,
    pub(super) most: usize,
    /// Something of another file was shown.
    pub(super) has_shown: bool,
}

/// A text that is searched.
struct Searched<'t> {
    name: Vec<u8>,
    lines: Vec<&'t [u8]>,
    /// How many lines were looked at when the last was shown.
    last_shown: usize,
}

impl Searched<'_> {
    fn line(&self, number: usize) -> &[u8] {
        number.checked_sub(1).and_then(|at| self.lines.get(at)).copied().unwrap_or(&[])
    }

    fn is_function(&self, number: usize) -> bool {
        is_function_line(self.line(number))
    }
}

impl GrepSearch<'_> {
    const fn has_context(&self) -> bool {
        self.before > 0 || self.after > 0
    }

    fn has(&self, option: Opt) -> bool {
        self.arguments.has(option)
    }

    fn separator(&self, sign: u8) -> u8 {
        if self.has(Opt::Null) { 0 } else { sign }
    }

    /// What stands before a line; the column is left out where it is 0.
    fn head(&self, text: &Searched<'_>, number: usize, column: usize, sign: u8) -> Vec<u8> {
        let mut head: Vec<u8> = Vec::new();
        let separator = self.separator(sign);
        if !self.hides_names && !self.has(Opt::Heading) {
            head.extend_from_slice(&text.name);
            head.push(separator);
        }
        if self.shows_numbers {
            head.extend_from_slice(format!("{number}").as_bytes());
            head.push(separator);
        }
        if self.shows_columns && column > 0 {
            head.extend_from_slice(format!("{column}").as_bytes());
            head.push(separator);
        }
        head
    }

    /// Shows a line, after what stands between it and the last.
    async fn show(
        &mut self,
        git: &mut Git,
        text: &mut Searched<'_>,
        (number, column, sign): (usize, usize, u8),
    ) -> Result<()> {
        let is_first = text.last_shown == 0;
        let mut out: Vec<u8> = Vec::new();
        if self.has(Opt::Break) && is_first {
            if self.has_shown {
                out.push(b'\n');
            }
        } else if self.has_context() || self.has(Opt::FunctionContext) {
            let is_apart = if is_first { self.has_shown } else { number > text.last_shown + 1 };
            if is_apart {
                out.extend_from_slice(b"--\n");
            }
        }
        if self.has(Opt::Heading) && is_first {
            out.extend_from_slice(&text.name);
            out.push(b'\n');
        }
        (text.last_shown, self.has_shown) = (number, true);
        let line = text.line(number).to_metered();
        if !self.has(Opt::OnlyMatching) || self.has(Opt::InvertMatch) {
            out.extend_from_slice(&self.head(text, number, column, sign));
            out.extend_from_slice(&line);
            out.push(b'\n');
            return git.print(&out).await;
        }
        let mut span = if sign == b':' { self.expression.find(git, &line, 0).await } else { None };
        while let Some((start, end)) = span {
            git.ctx.tick().await?;
            if end > start {
                out.extend_from_slice(&self.head(text, number, start + 1, sign));
                out.extend_from_slice(line.get(start..end).unwrap_or(&[]));
                out.push(b'\n');
            }
            let next = end.max(start + 1);
            span = if next <= line.len() { self.expression.find(git, &line, next).await } else { None };
        }
        git.print(&out).await
    }

    /// Shows the lines before a hit that belong to it.
    async fn show_before(&mut self, git: &mut Git, text: &mut Searched<'_>, number: usize) -> Result<()> {
        let whole = self.has(Opt::FunctionContext);
        let names = self.has(Opt::ShowFunction);
        let plain = number.saturating_sub(self.before).max(text.last_shown + 1);
        let mut from = plain;
        let (mut wants_name, mut wants_start) = (names, false);
        if whole {
            wants_start = text.is_function(number);
            wants_name |= !wants_start;
            from = text.last_shown + 1;
        }
        let (mut current, mut name_at) = (number, 0);
        while current > 1 && current > from {
            git.ctx.tick().await?;
            let above = current - 1;
            // What stands right above a function belongs to it.
            let is_end = text.line(above).iter().all(u8::is_ascii_whitespace) || text.is_function(above);
            if wants_start && is_end {
                (wants_start, from) = (false, plain);
                if above < from {
                    break;
                }
            }
            current = above;
            if wants_name && text.is_function(current) {
                (name_at, wants_name) = (current, false);
                if whole {
                    wants_start = true;
                } else {
                    from = plain;
                }
            }
        }
        if names && wants_name {
            self.show_name(git, text, current).await?;
        }
        while current < number {
            let sign = if current == name_at { b'=' } else { b'-' };
            self.show(git, text, (current, 0, sign)).await?;
            current += 1;
        }
        Ok(())
    }

    /// Shows the line that names the function which a line is in.
    async fn show_name(&mut self, git: &mut Git, text: &mut Searched<'_>, number: usize) -> Result<()> {
        let above = (text.last_shown + 1..number).rev().find(|above| text.is_function(*above));
        match above {
            Some(above) => self.show(git, text, (above, 0, b'=')).await,
            None => Ok(()),
        }
    }

    /// Whether the function that is shown goes on in a line; empty lines belong to what follows them.
    fn goes_on(text: &Searched<'_>, number: usize) -> bool {
        let is_empty = |number: usize| text.line(number).iter().all(u8::is_ascii_whitespace);
        let next = (number..=text.lines.len()).find(|next| !is_empty(*next));
        next.is_some_and(|next| !text.is_function(next))
    }

    /// Whether all alternatives match somewhere in a text.
    async fn has_all(&self, git: &mut Git, lines: &[&[u8]]) -> Result<bool> {
        let mut hits = vec![false; self.expression.count()];
        for line in lines {
            git.ctx.tick().await?;
            self.expression.matches(git, line, &mut hits).await;
        }
        Ok(hits.iter().all(|hit| *hit))
    }

    /// Searches a file; whether it counts as a hit.
    pub(super) async fn file(
        &mut self,
        git: &mut Git,
        front: &[u8],
        path: &[u8],
        bytes: &[u8],
    ) -> Result<bool> {
        let binary = !self.as_text
            && match git.attribute(path, b"diff")? {
                Some(value) if *value == *b"-" => true,
                Some(value) if *value == *b"+" => false,
                _ => is_binary(bytes),
            };
        if binary && self.skips_binary {
            return Ok(false);
        }
        let shown = if self.full_names { path.to_metered() } else { git.seen_from_here(path) };
        let name = [front, &if self.has(Opt::Null) { shown.to_metered() } else { git.quoted(&shown) }]
            .concat_metered();
        let body = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let mut lines: Vec<&[u8]> = Vec::new();
        if !bytes.is_empty() {
            for line in body.split(|byte| *byte == b'\n') {
                git.ctx.tick().await?;
                lines.push(line);
            }
        }
        if self.has(Opt::AllMatch) && !self.has_all(git, &lines).await? {
            return Ok(false);
        }
        let mut text = Searched { name, lines, last_shown: 0 };
        self.lines(git, &mut text, binary).await
    }

    async fn lines(&mut self, git: &mut Git, text: &mut Searched<'_>, binary: bool) -> Result<bool> {
        let without = self.has(Opt::FilesWithoutMatch);
        let only_names = self.has(Opt::FilesWithMatches) || self.has(Opt::NameOnly);
        let whole = self.has(Opt::FunctionContext);
        let end: u8 = if self.has(Opt::Null) { 0 } else { b'\n' };
        let (mut count, mut last_hit, mut in_function) = (0, 0, false);
        let mut hits = vec![false; self.expression.count()];
        for number in 1..=text.lines.len() {
            git.ctx.tick().await?;
            let line = text.line(number);
            let is_hit = self.expression.matches(git, line, &mut hits).await != self.has(Opt::InvertMatch);
            if without {
                if is_hit {
                    return Ok(false);
                }
                continue;
            }
            if is_hit && count < self.most {
                count += 1;
                if self.has(Opt::Quiet) {
                    return Err(GitError::Exit(0));
                }
                if only_names {
                    git.print(&[&text.name[..], &[end]].concat_metered()).await?;
                    return Ok(true);
                }
                if self.has(Opt::Count) {
                    continue;
                }
                if binary {
                    let line = [&b"Binary file "[..], &text.name, b" matches\n"].concat_metered();
                    git.print(&line).await?;
                    return Ok(true);
                }
                let column = if self.shows_columns && !self.has(Opt::InvertMatch) {
                    self.expression.find(git, text.line(number), 0).await.map_or(0, |span| span.0)
                } else {
                    0
                };
                if self.before > 0 || whole {
                    self.show_before(git, text, number).await?;
                } else if self.has(Opt::ShowFunction) {
                    self.show_name(git, text, number).await?;
                }
                self.show(git, text, (number, column + 1, b':')).await?;
                (last_hit, in_function) = (number, whole);
                continue;
            }
            in_function = in_function && Self::goes_on(text, number);
            if in_function || (last_hit > 0 && number <= last_hit + self.after) {
                self.show(git, text, (number, 0, b'-')).await?;
            }
        }
        if without {
            if self.has(Opt::Quiet) {
                return Err(GitError::Exit(0));
            }
            git.print(&[&text.name[..], &[end]].concat_metered()).await?;
            return Ok(true);
        }
        if self.has(Opt::Count) && count > 0 {
            let separator = self.separator(b':');
            let head =
                if self.hides_names { Vec::new() } else { [&text.name[..], &[separator]].concat_metered() };
            git.print(&[&head[..], format!("{count}\n").as_bytes()].concat_metered()).await?;
        }
        Ok(count > 0)
    }
}
