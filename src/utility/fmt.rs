//! `fmt`: fills paragraphs. GNU coreutils fmt(1).
//!
//! Lines are read and told apart into paragraphs by their indentation and prefix here; `fmt/paragraph.rs` chooses where
//! lines break, so that a whole paragraph looks best, and prints it.

mod paragraph;

use super::format::count::parse_digits;
use crate::memory::{ToMetered, Vec, format};
use crate::utility::prelude::*;
use paragraph::{MOST_BYTES, MOST_WORDS, Paragraph, Word};

options! {
    enum Opt {
        CrownMargin = flag('c', "crown-margin", "preserve indentation of first two lines"),
        Prefix = value(
            'p',
            "prefix",
            "STRING",
            "reformat only lines beginning with STRING, reattaching the prefix to them",
        ),
        SplitOnly = flag('s', "split-only", "split long lines, but do not refill"),
        TaggedParagraph = flag('t', "tagged-paragraph", "indentation of first line different from second"),
        UniformSpacing = flag('u', "uniform-spacing", "one space between words, two after sentences"),
        Width = value('w', "width", "WIDTH", "maximum line width (default of 75 columns)"),
        Goal = value('g', "goal", "WIDTH", "goal width (default of 93% of width)"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "fmt",
    summary: "reformat each paragraph in the FILE(s), writing to standard output",
    usage: "fmt [-WIDTH] [OPTION]... [FILE]...",
    options: Opt::TABLE,
    examples: &[example("echo one two three four | fmt -w 10", "one two\nthree\nfour\n")],
    run: start!(run),
    ..Utility::BASE
};

const TAB: usize = 8;
/// The widest line.
const WIDEST: u64 = 2500;
/// The other indentation of a tagged paragraph whose first line has none.
const TAG_INDENT: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Margin {
    Plain,
    Split,
    Crown,
    Tagged,
}

struct FmtOptions {
    margin: Margin,
    uniform: bool,
    width: usize,
    goal: usize,
    /// Blanks before the prefix, the prefix without those around it, and its length with those after it.
    lead: usize,
    prefix: Vec<u8>,
    full_length: usize,
}

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    // `-72` as the first argument
    let first = ctx.args.first().and_then(|arg| arg.strip_prefix(b"-")).map(Text::from);
    let first = first.filter(|rest| rest.first().is_some_and(u8::is_ascii_digit));
    if let Some(width) = first {
        ctx.args.splice(..1, [Text::from_static(b"-w"), width]);
    }
    let mut is_value = false;
    for arg in ctx.args.iter().take_while(|arg| arg.as_bytes() != b"--") {
        let was_value = std::mem::replace(&mut is_value, matches!(arg.as_bytes(), b"-w" | b"-g" | b"-p"));
        if let ([b'-', digit @ b'0'..=b'9', ..], false) = (arg.as_bytes(), was_value) {
            return Err(UtilityError::Usage(format!(
                "invalid option -- {}; -WIDTH is recognized only when it is the first\noption; use -w N instead",
                char::from(*digit)
            )));
        }
    }
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let settings = settings(&options)?;
    let mut status = ExitStatus::SUCCESS;
    for operand in ctx.inputs(&options.operands) {
        let input = match ctx.open_input(&operand) {
            Ok(input) => input,
            Err(error) => {
                status =
                    ctx.complain(format_args!("cannot open {} for reading", quote_name(&operand)), error)?;
                continue;
            }
        };
        if let Err(error) = Filler::new(&settings, input).fill(ctx).await {
            error.errno()?;
            status = ctx.warn("read error");
        }
    }
    Ok(status)
}

fn settings(options: &Options<Opt>) -> Result<FmtOptions, UtilityError> {
    let number = |option: Opt, most: u64| -> Result<Option<usize>, UtilityError> {
        let Some(text) = options.value(option) else { return Ok(None) };
        let fail = |reason: &str| UtilityError::failed(format!("invalid width: {}{reason}", quote(text)));
        match parse_digits(text) {
            None => Err(fail("")),
            Some(u64::MAX) => Err(fail(": Value too large for defined data type")),
            Some(width) if width > most => Err(fail(": Numerical result out of range")),
            Some(width) => Ok(Some(usize::try_from(width).unwrap_or(0))),
        }
    };
    let given = number(Opt::Width, WIDEST)?;
    let goal = number(Opt::Goal, given.map_or(75, |width| width as u64))?;
    let width = given.unwrap_or_else(|| goal.map_or(75, |goal| goal + 10));
    let prefix = options.value(Opt::Prefix).map(Text::as_bytes).unwrap_or_default();
    let lead = prefix.iter().take_while(|byte| **byte == b' ').count();
    let full = prefix.get(lead..).unwrap_or(&[]);
    let end = full.iter().rposition(|byte| *byte != b' ').map_or(0, |last| last + 1);
    Ok(FmtOptions {
        margin: match options {
            options if options.has(Opt::SplitOnly) => Margin::Split,
            options if options.has(Opt::CrownMargin) => Margin::Crown,
            options if options.has(Opt::TaggedParagraph) => Margin::Tagged,
            _ => Margin::Plain,
        },
        uniform: options.has(Opt::UniformSpacing),
        width,
        goal: goal.unwrap_or(width * 187 / 200),
        lead,
        prefix: full.get(..end).unwrap_or(&[]).to_metered(),
        full_length: full.len(),
    })
}

/// A line up to its first word.
struct Line {
    text: Vec<u8>,
    has_newline: bool,
    /// Where the first word begins; the line's end where there is none.
    at: usize,
    column: usize,
    /// Where its prefix begins.
    prefix_indent: usize,
}

struct Filler<'s> {
    settings: &'s FmtOptions,
    input: Input,
    /// `None`: the end.
    line: Option<Line>,
    paragraph: Paragraph,
    other_indent: usize,
}

/// Column after blanks, and where they end.
fn skip_blanks(text: &[u8], at: usize, column: usize, tabs: &mut bool) -> (usize, usize) {
    let (mut at, mut column) = (at, column);
    loop {
        match text.get(at) {
            Some(b' ') => column += 1,
            Some(b'\t') => {
                *tabs = true;
                column = (column / TAB + 1) * TAB;
            }
            _ => return (at, column),
        }
        at += 1;
    }
}

impl<'s> Filler<'s> {
    fn new(settings: &'s FmtOptions, input: Input) -> Self {
        let paragraph = Paragraph::new(settings.width, settings.goal, settings.prefix.clone());
        Self { settings, input, line: None, paragraph, other_indent: 0 }
    }

    /// Reads the next line up to its first word.
    async fn advance(&mut self) -> Result<(), OperandError> {
        let Some(line) = self.input.next_line(b'\n').await? else {
            self.line = None;
            return Ok(());
        };
        let (text, has_newline) = split_delimiter(line, b'\n');
        let text = text.to_metered();
        let (mut at, mut column) = skip_blanks(&text, 0, 0, &mut self.paragraph.tabs);
        let prefix_indent =
            if self.settings.prefix.is_empty() { self.settings.lead.min(column) } else { column };
        let mut is_whole = true;
        for byte in &self.settings.prefix {
            if text.get(at) != Some(byte) {
                is_whole = false;
                break;
            }
            at += 1;
            column += 1;
        }
        if is_whole && !self.settings.prefix.is_empty() {
            (at, column) = skip_blanks(&text, at, column, &mut self.paragraph.tabs);
        }
        self.line = Some(Line { text, has_newline, at, column, prefix_indent });
        Ok(())
    }

    async fn fill(&mut self, ctx: &mut Context) -> Result<(), OperandError> {
        self.advance().await?;
        while self.line.is_some() {
            ctx.tick().await?;
            if self.starts_paragraph() {
                self.fill_one(ctx).await?;
            } else {
                self.copy_line(ctx).await?;
            }
        }
        Ok(())
    }

    fn starts_paragraph(&self) -> bool {
        self.line.as_ref().is_some_and(|line| {
            line.at < line.text.len()
                && line.prefix_indent >= self.settings.lead
                && line.column >= line.prefix_indent + self.settings.full_length
        })
    }

    /// Blank lines, and those without the prefix, stay.
    async fn copy_line(&mut self, ctx: &mut Context) -> Result<(), OperandError> {
        let Some(line) = self.line.take() else { return Ok(()) };
        let rest = line.text.get(line.at..).unwrap_or(&[]);
        let out = &mut self.paragraph;
        out.column = 0;
        let mut ends = line.has_newline;
        if line.column > line.prefix_indent || !rest.is_empty() {
            out.space(ctx, line.prefix_indent).await?;
            let shown = self.settings.prefix.len().min(line.column.saturating_sub(out.column));
            let prefix = self.settings.prefix.get(..shown).unwrap_or(&[]);
            ctx.stdout.write(prefix).await?;
            out.column += shown;
            if !rest.is_empty() {
                out.space(ctx, line.column.saturating_sub(out.column)).await?;
            } else if line.column >= line.prefix_indent + self.settings.prefix.len() {
                ends = true;
            }
        }
        ctx.stdout.write(rest).await?;
        if ends {
            ctx.stdout.write(b"\n").await?;
        }
        self.advance().await
    }

    /// Whether the line at hand goes on with a paragraph of this prefix.
    fn is_same(&self, prefix_indent: usize) -> bool {
        self.starts_paragraph() && self.line.as_ref().is_some_and(|line| line.prefix_indent == prefix_indent)
    }

    fn column(&self) -> usize {
        self.line.as_ref().map_or(0, |line| line.column)
    }

    async fn fill_one(&mut self, ctx: &mut Context) -> Result<(), OperandError> {
        let prefix_indent = self.line.as_ref().map_or(0, |line| line.prefix_indent);
        let first_indent = self.column();
        self.paragraph.begin(prefix_indent, first_indent);
        self.take_line(ctx).await?;
        let is_same = self.is_same(prefix_indent);
        self.other_indent = match self.settings.margin {
            Margin::Crown if is_same => self.column(),
            Margin::Tagged if is_same && self.column() != first_indent => self.column(),
            Margin::Tagged if self.other_indent == first_indent => {
                if first_indent == 0 {
                    TAG_INDENT
                } else {
                    0
                }
            }
            Margin::Tagged => self.other_indent,
            _ => first_indent,
        };
        self.paragraph.other_indent = self.other_indent;
        let goes_on = match self.settings.margin {
            Margin::Split => false,
            Margin::Tagged => is_same && self.column() != first_indent,
            Margin::Plain | Margin::Crown => true,
        };
        while goes_on && self.is_same(prefix_indent) && self.column() == self.other_indent {
            self.take_line(ctx).await?;
        }
        self.paragraph.end(ctx).await?;
        Ok(())
    }

    /// Takes the words of the line at hand, and reads the next.
    async fn take_line(&mut self, ctx: &mut Context) -> Result<(), OperandError> {
        let Some(line) = self.line.take() else { return Ok(()) };
        let (mut at, mut column) = (line.at, line.column);
        while let Some(rest) = line.text.get(at..).filter(|rest| !rest.is_empty()) {
            ctx.tick().await?;
            // A word is at least one byte, even of what is not a blank here.
            let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | 0x0b..=b'\r');
            let length = 1 + rest.iter().skip(1).take_while(|byte| !is_space(byte)).count();
            let mut text = rest.get(..length).unwrap_or(rest);
            while !self.paragraph.has_room(text.len()) {
                if self.paragraph.is_empty() {
                    let (head, tail) = text.split_at_checked(MOST_BYTES).unwrap_or((text, &[]));
                    ctx.stdout.write(head).await?;
                    text = tail;
                } else {
                    self.paragraph.flush(ctx).await?;
                }
            }
            column += text.len();
            let (next, behind) = skip_blanks(&line.text, at + length, column, &mut self.paragraph.tabs);
            let is_last = next >= line.text.len();
            let mut word = Word::new(text, behind - column);
            word.is_final =
                (is_last && !line.has_newline) || (word.has_period && (is_last || word.space > 1));
            if is_last || self.settings.uniform {
                word.space = if word.is_final { 2 } else { 1 };
            }
            if self.paragraph.count() >= MOST_WORDS {
                self.paragraph.flush(ctx).await?;
            }
            self.paragraph.push(word);
            (at, column) = (next, behind);
        }
        self.advance().await
    }
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::run;

    #[test]
    fn paragraphs_are_filled() {
        let rows: [(&[&str], &str, &str); 6] = [
            (&["-w", "10"], "one two three four\n", "one two\nthree\nfour\n"),
            (&["-20"], "a b\nc d\n\n  e\n  f\n", "a b c d\n\n  e f\n"),
            (&["-s", "-w9"], "a\nbbb ccc ddd\n", "a\nbbb\nccc ddd\n"),
            (&["-p", "> "], "> a\n> b\nc\n", "> a b\nc\n"),
            (&["-u"], "a   b.   c\n", "a b.  c\n"),
            (&["-c"], "  a\nb\nb\n", "  a b b\n"),
        ];
        for (args, input, want) in rows {
            assert_eq!(run("fmt", args, input.as_bytes(), &[]).stdout, want, "{args:?}");
        }
    }
}
