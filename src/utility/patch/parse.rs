//! Reads differences: the text before them with its names, then their hunks.

use super::fatal;
use super::name::Names;
use crate::memory::Vec;
use crate::utility::{Context, UtilityError};
use bstr::ByteSlice as _;

/// The form of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Unified,
    Context,
    Normal,
    /// Commands of `ed`.
    Ed,
}

/// The difference of one file; its hunks come next.
#[derive(Clone, Debug)]
pub(super) struct Patch<'t> {
    pub(super) kind: Kind,
    pub(super) names: Names<'t>,
    /// The text that leads up to it, and the number of the line after that.
    pub(super) lead: &'t [u8],
    pub(super) line: usize,
    /// It has no hunks: a file is renamed, or an empty one made.
    pub(super) is_bare: bool,
}

/// A line of a hunk: what is done with it (` `, `-`, `+`), and its text with the newline that it has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'t> {
    pub(super) mark: u8,
    pub(super) text: &'t [u8],
}

#[derive(Clone, Debug, Default)]
pub(super) struct Hunk<'t> {
    /// First line and count, in the old and in the new file.
    pub(super) old: (usize, usize),
    pub(super) new: (usize, usize),
    pub(super) lines: Vec<Line<'t>>,
    /// What follows the ranges: the function.
    pub(super) label: &'t [u8],
}

impl Hunk<'_> {
    /// Old and new change places; in each change what is taken away comes first.
    pub(super) fn swap(&mut self) {
        std::mem::swap(&mut self.old, &mut self.new);
        for line in &mut self.lines {
            line.mark = match line.mark {
                b'-' => b'+',
                b'+' => b'-',
                mark => mark,
            };
        }
        let mut start = 0;
        while start < self.lines.len() {
            let run = self.lines.iter().skip(start).take_while(|line| line.mark != b' ').count();
            if let Some(change) = self.lines.get_mut(start..start + run) {
                change.sort_unstable_by_key(|line| (line.mark != b'-', line.text.as_ptr() as usize));
            }
            start += run + 1;
        }
    }

    pub(super) fn leading(&self) -> usize {
        self.lines.iter().take_while(|line| line.mark == b' ').count()
    }

    pub(super) fn trailing(&self) -> usize {
        self.lines.iter().rev().take_while(|line| line.mark == b' ').count()
    }
}

/// See the module.
pub(super) struct PatchReader<'t> {
    text: &'t [u8],
    at: usize,
    /// The number of the line at `at`, from 1.
    line: usize,
    only: Option<Kind>,
}

impl<'t> PatchReader<'t> {
    pub(super) fn new(text: &'t [u8], only: Option<Kind>) -> Self {
        Self { text, at: 0, line: 1, only }
    }

    /// The line at the place, with its newline; empty at the end.
    fn peek(&self) -> &'t [u8] {
        self.line_from(self.at)
    }

    fn line_from(&self, at: usize) -> &'t [u8] {
        let rest = self.text.get(at..).unwrap_or(&[]);
        let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
        rest.get(..end).unwrap_or(rest)
    }

    fn take(&mut self) -> &'t [u8] {
        let line = self.peek();
        self.at += line.len();
        self.line += usize::from(!line.is_empty());
        line
    }

    fn takes(&self, kind: Kind) -> bool {
        self.only.is_none_or(|only| only == kind)
    }

    /// Finds the next difference: reads up to its first hunk.
    pub(super) async fn next_header(&mut self, ctx: &mut Context) -> Result<Option<Patch<'t>>, UtilityError> {
        let start = self.at;
        let mut names = Names::default();
        // The first line that may be a command of `ed`, and its number.
        let mut command: Option<(usize, usize)> = None;
        loop {
            ctx.tick().await?;
            let line = self.peek();
            let lead = self.text.get(start..self.at).unwrap_or(&[]);
            let patch = |kind, is_bare, line| Patch { kind, names, lead, line, is_bare };
            // It is a script if a line ends what a command adds, or, whatever was asked for, if nothing else comes.
            if (line.is_empty() || (line == b".\n" && self.takes(Kind::Ed)))
                && let Some((at, number)) = command
            {
                (self.at, self.line) = (at, number);
                let lead = self.text.get(start..at).unwrap_or(&[]);
                return Ok(Some(Patch { kind: Kind::Ed, names, lead, line: number, is_bare: false }));
            }
            if line.is_empty() {
                return Ok(names.is_change_alone().then(|| patch(Kind::Unified, true, self.line)));
            }
            let next = self.line_from(self.at + line.len());
            if names.has_plain() && line.starts_with(b"@@ -") && self.takes(Kind::Unified) {
                return Ok(Some(patch(Kind::Unified, false, self.line)));
            }
            if line.starts_with(b"********") && next.starts_with(b"*** ") && self.takes(Kind::Context) {
                return Ok(Some(patch(Kind::Context, false, self.line)));
            }
            let begins_normal = next.starts_with(b"< ") || next.starts_with(b"> ");
            if begins_normal && normal_command(line).is_some() && self.takes(Kind::Normal) {
                return Ok(Some(patch(Kind::Normal, false, self.line)));
            }
            // The next difference of git's begins: what came before has no hunk.
            if line.starts_with(b"diff --git ") && names.is_change_alone() {
                return Ok(Some(patch(Kind::Unified, true, self.line)));
            }
            if command.is_none() && is_command(line) {
                command = Some((self.at, self.line));
            }
            names.read(line, next);
            self.take();
        }
    }

    /// The commands of `ed` at the place, with what they add.
    pub(super) async fn script(&mut self, ctx: &mut Context) -> Result<&'t [u8], UtilityError> {
        let start = self.at;
        while let Some(letter) = script_command(self.peek()) {
            self.take();
            if matches!(letter, b'd' | b's') {
                continue;
            }
            loop {
                ctx.tick().await?;
                let line = self.take();
                if line.is_empty() || line == b".\n" {
                    break;
                }
            }
        }
        Ok(self.text.get(start..self.at).unwrap_or(&[]))
    }

    /// The next hunk of a difference; `None` when it has no more.
    pub(super) async fn next_hunk(
        &mut self,
        ctx: &mut Context,
        kind: Kind,
    ) -> Result<Option<Hunk<'t>>, UtilityError> {
        ctx.tick().await?;
        match kind {
            Kind::Unified => self.unified(ctx).await,
            Kind::Context => self.context(ctx).await,
            Kind::Normal => self.normal(ctx).await,
            Kind::Ed => Ok(None),
        }
    }

    /// A line that follows says that the one before has no newline.
    fn without_newline(&mut self, text: &'t [u8]) -> &'t [u8] {
        if self.peek().starts_with(b"\\ ") || self.peek().starts_with(b"\\\n") {
            self.take();
            return text.strip_suffix(b"\n").unwrap_or(text);
        }
        text
    }

    async fn unified(&mut self, ctx: &mut Context) -> Result<Option<Hunk<'t>>, UtilityError> {
        let head = self.peek();
        let Some(rest) = head.strip_prefix(b"@@ -") else { return Ok(None) };
        let Some((old, new, label)) = unified_ranges(rest) else {
            return if head.starts_with(b"@@ -") { Err(malformed(head, self.line)) } else { Ok(None) };
        };
        self.take();
        let mut hunk = Hunk { old, new, lines: Vec::new(), label };
        let (mut olds, mut news) = (old.1, new.1);
        while olds > 0 || news > 0 {
            ctx.tick().await?;
            let number = self.line;
            let line = self.take();
            let (mark, text) = match line.split_first() {
                Some((&mark @ (b' ' | b'-' | b'+'), text)) => (mark, text),
                // Blanks at the end were lost on the way.
                Some((b'\n', _)) => (b' ', line),
                Some((b'\t', _)) => (b' ', line),
                // The last lines of context may be missing.
                None if olds == news && olds <= 2 => {
                    for _ in 0..olds {
                        hunk.lines.push(Line { mark: b' ', text: b"\n" });
                    }
                    return Ok(Some(hunk));
                }
                None => return Err(fatal("unexpected end of file in patch")),
                Some((b'\\', _)) => continue,
                Some(_) => return Err(malformed(line, number)),
            };
            let fits = match mark {
                b'-' => olds > 0,
                b'+' => news > 0,
                _ => olds > 0 && news > 0,
            };
            if !fits {
                return Err(malformed(line, number));
            }
            olds -= usize::from(mark != b'+');
            news -= usize::from(mark != b'-');
            let text = self.without_newline(text);
            hunk.lines.push(Line { mark, text });
        }
        Ok(Some(hunk))
    }

    async fn context(&mut self, ctx: &mut Context) -> Result<Option<Hunk<'t>>, UtilityError> {
        if !self.peek().starts_with(b"********") {
            return Ok(None);
        }
        let label = self.take().trim_start_with(|c| c == '*').trim_ascii_end();
        let number = self.line;
        let head = self.take();
        let old = head.strip_prefix(b"*** ").and_then(|range| context_range(range, b" ****"));
        let old = old.ok_or_else(|| malformed(head, number))?;
        let olds = self.context_lines(ctx, b"--- ").await?;
        let number = self.line;
        let head = self.take();
        let new = head.strip_prefix(b"--- ").and_then(|range| context_range(range, b" ----"));
        let new = new.ok_or_else(|| malformed(head, number))?;
        let news = self.context_lines(ctx, b"").await?;
        let mut hunk = Hunk { old, new, lines: Vec::new(), label };
        merge(&mut hunk, &olds, &news);
        Ok(Some(hunk))
    }

    /// The lines of one side of a context difference.
    async fn context_lines(&mut self, ctx: &mut Context, end: &[u8]) -> Result<Vec<Line<'t>>, UtilityError> {
        let mut lines = Vec::new();
        loop {
            ctx.tick().await?;
            let line = self.peek();
            let is_end = !end.is_empty() && line.starts_with(end) && line.trim_ascii_end().ends_with(b"----");
            let mark = match line {
                _ if is_end => return Ok(lines),
                [mark @ (b' ' | b'!' | b'-' | b'+'), b' ' | b'\t', ..] => *mark,
                _ => return Ok(lines),
            };
            self.take();
            let text = self.without_newline(line.get(2..).unwrap_or(&[]));
            lines.push(Line { mark, text });
        }
    }

    async fn normal(&mut self, ctx: &mut Context) -> Result<Option<Hunk<'t>>, UtilityError> {
        let head = self.peek();
        let Some((command, old, new)) = normal_command(head) else { return Ok(None) };
        self.take();
        let mut hunk = Hunk { old, new, lines: Vec::new(), label: b"" };
        let wants = [(b"< ", b'-', old.1, command != b'a'), (b"> ", b'+', new.1, command != b'd')];
        for (lead, mark, count, is_there) in wants {
            if !is_there {
                continue;
            }
            if mark == b'+' && command == b'c' {
                let number = self.line;
                let line = self.take();
                if !line.starts_with(b"---") {
                    return Err(malformed(line, number));
                }
            }
            for _ in 0..count {
                ctx.tick().await?;
                let number = self.line;
                let line = self.take();
                let Some(text) = line.strip_prefix(lead.as_slice()) else {
                    return Err(if line.is_empty() {
                        fatal("unexpected end of file in patch")
                    } else {
                        malformed(line, number)
                    });
                };
                let text = self.without_newline(text);
                hunk.lines.push(Line { mark, text });
            }
        }
        Ok(Some(hunk))
    }
}

/// The two sides of a context difference as one; a side without lines has those of context of the other.
fn merge<'t>(hunk: &mut Hunk<'t>, olds: &[Line<'t>], news: &[Line<'t>]) {
    let is_context = |line: &&Line<'_>| line.mark == b' ';
    let (mut olds, mut news) = (olds, news);
    let (old_context, new_context): (Vec<Line<'t>>, Vec<Line<'t>>);
    if olds.is_empty() {
        old_context = news.iter().filter(is_context).copied().collect();
        olds = &old_context;
    } else if news.is_empty() {
        new_context = olds.iter().filter(is_context).copied().collect();
        news = &new_context;
    }
    let mut rest = news.iter().peekable();
    for line in olds {
        if line.mark == b' ' {
            while let Some(added) = rest.next_if(|line| line.mark != b' ') {
                hunk.lines.push(Line { mark: b'+', text: added.text });
            }
            rest.next();
            hunk.lines.push(*line);
        } else {
            hunk.lines.push(Line { mark: b'-', text: line.text });
        }
    }
    for added in rest {
        let mark = if added.mark == b' ' { b' ' } else { b'+' };
        hunk.lines.push(Line { mark, text: added.text });
    }
}

fn number(text: &[u8]) -> Option<(usize, &[u8])> {
    let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at_checked(end)?;
    Some((std::str::from_utf8(digits).ok()?.parse().ok()?, rest))
}

/// `START` or `START,SECOND`
fn pair(text: &[u8]) -> Option<(usize, Option<usize>, &[u8])> {
    let (start, rest) = number(text)?;
    match rest.strip_prefix(b",") {
        Some(rest) => number(rest).map(|(second, rest)| (start, Some(second), rest)),
        None => Some((start, None, rest)),
    }
}

type Range = (usize, usize);

/// `2,7 +2,7 @@ label`
fn unified_ranges(text: &[u8]) -> Option<(Range, Range, &[u8])> {
    let (old, old_count, rest) = pair(text)?;
    let (new, new_count, rest) = pair(rest.strip_prefix(b" +")?)?;
    let label = rest.strip_prefix(b" @@")?;
    let label = label.strip_suffix(b"\n").unwrap_or(label);
    Some(((old, old_count.unwrap_or(1)), (new, new_count.unwrap_or(1)), label))
}

/// `2,8 ****`: first and last line; 0 is none.
fn context_range(text: &[u8], end: &[u8]) -> Option<Range> {
    let (first, last, rest) = pair(text)?;
    if !rest.trim_ascii_end().is_empty() && !rest.starts_with(end) {
        return None;
    }
    Some(match last {
        Some(last) => (first, (last + 1).saturating_sub(first)),
        None if first == 0 => (0, 0),
        None => (first, 1),
    })
}

/// `5c5`, `3a4,5`, `2,4d1`
fn normal_command(line: &[u8]) -> Option<(u8, Range, Range)> {
    let (old, old_last, rest) = pair(line)?;
    let (&command, rest) = rest.split_first()?;
    if !matches!(command, b'a' | b'c' | b'd') {
        return None;
    }
    let (new, new_last, rest) = pair(rest)?;
    if !rest.trim_ascii_end().is_empty() {
        return None;
    }
    let count = |first: usize, last: Option<usize>| last.map_or(1, |last| (last + 1).saturating_sub(first));
    let olds = if command == b'a' { 0 } else { count(old, old_last) };
    let news = if command == b'd' { 0 } else { count(new, new_last) };
    Some((command, (old, olds), (new, news)))
}

/// Whether a line looks like a command of `ed` with a line's number.
fn is_command(line: &[u8]) -> bool {
    let rest = line.trim_start_with(|c| c.is_ascii_digit() || c == ',');
    let Some((b'a' | b'c' | b'd', rest)) = rest.split_first() else { return false };
    line.first().is_some_and(u8::is_ascii_digit) && rest.ends_with(b"\n") && rest.trim_ascii().is_empty()
}

/// The letter of a command that scripts for `patch` may have.
pub(super) fn script_command(line: &[u8]) -> Option<u8> {
    let rest = line.trim_start_with(|c| c.is_ascii_digit());
    let (rest, is_pair) = match rest.strip_prefix(b",") {
        Some(rest) if rest.len() + 1 < line.len() => (rest.trim_start_with(|c| c.is_ascii_digit()), true),
        _ => (rest, false),
    };
    let (&letter, rest) = rest.split_first()?;
    let rest = match letter {
        b'a' | b'i' if !is_pair => rest,
        b'c' | b'd' => rest,
        b's' => rest.strip_prefix(b"/.//")?,
        _ => return None,
    };
    (rest.ends_with(b"\n") && rest.trim_ascii().is_empty()).then_some(letter)
}

fn malformed(line: &[u8], number: usize) -> UtilityError {
    fatal(format_args!("malformed patch at line {number}: {}", bstr::BStr::new(line)))
}
