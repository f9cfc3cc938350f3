//! `tac`: prints lines in reverse order. GNU coreutils tac(1).

use super::context::pace::Pace;
use super::context::ticker::{regex_options, search_error, stopped};
use super::find::regex::extended_from_emacs;
use super::regex::{Regex, RegexError, RegexOptions, Syntax};
use crate::memory::{Vec, format};
use crate::utility::prelude::*;

options! {
    enum Opt {
        Before = flag('b', "before", "attach the separator before instead of after"),
        Regex = flag('r', "regex", "interpret the separator as a regular expression"),
        Separator = value('s', "separator", "STRING", "use STRING as the separator instead of newline"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "tac",
    summary: "write each FILE to standard output, last line first",
    usage: "tac [OPTION]... [FILE]...",
    options: Opt::TABLE,
    examples: &[example("seq 3 | tac", "3\n2\n1\n")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let before = options.has(Opt::Before);
    let given = options.value(Opt::Separator).map(Text::as_bytes);
    let separator = if options.has(Opt::Regex) {
        let source = given.unwrap_or(b"\n");
        if source.is_empty() {
            return Err(UtilityError::failed("separator cannot be empty"));
        }
        Separator::Regex(compile(ctx, source)?)
    } else {
        Separator::Text(match given {
            None => b"\n",
            Some([]) => b"\0",
            Some(separator) => separator,
        })
    };
    let mut status = ExitStatus::SUCCESS;
    for operand in ctx.inputs(&options.operands) {
        let input = match ctx.open_input(&operand) {
            Ok(input) => input,
            Err(error) => {
                let (errno, name) = (OperandError::from(error).errno()?, quote_name(&operand));
                status = ctx.warn(format_args!("failed to open {name} for reading: {}", errno.message()));
                continue;
            }
        };
        if let Err(error) = reverse(ctx, input, &separator, before).await {
            let errno = match error.errno()? {
                Errno::IsDirectory => Errno::Invalid,
                errno => errno,
            };
            status = ctx.warn(format_args!("{}: read error: {}", quote_input(&operand), errno.message()));
        }
    }
    Ok(status)
}

/// What is between records.
enum Separator<'s> {
    Text(&'s [u8]),
    Regex(Regex),
}

fn compile(ctx: &Context, source: &[u8]) -> Result<Regex, UtilityError> {
    // Where an anchor stands in it, it is about lines. (That `.` matches a newline then is not done.)
    let has_anchor = has_anchor(source);
    let options = RegexOptions { newline_sensitive: has_anchor, ..regex_options(&ctx.meter) };
    Regex::new(&extended_from_emacs(source), Syntax::Extended, &options).map_err(|error| match error {
        RegexError::Stopped(_) => stopped(&ctx.meter).into(),
        error => UtilityError::failed(format!("{error}")),
    })
}

/// Whether `^` or `$` stands outside of brackets and without a backslash.
fn has_anchor(source: &[u8]) -> bool {
    let mut bytes = source.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => {
                bytes.next();
            }
            b'^' | b'$' => return true,
            b'[' => {
                // A bracket right at the start of the list is one of it.
                let rest = bytes.as_slice();
                let start = rest.strip_prefix(b"^").unwrap_or(rest);
                let first = rest.len() - start.len() + usize::from(!start.is_empty());
                let end = memchr::memchr(b']', rest.get(first..).unwrap_or(&[]));
                bytes = rest.get(end.map_or(rest.len(), |end| first + end + 1)..).unwrap_or(&[]).iter();
            }
            _ => {}
        }
    }
    false
}

/// The separator that begins last before `end`, as it is found by who goes back from there: a longer one that begins earlier
/// does not count.
async fn last_match(
    ctx: &mut Context,
    regex: &Regex,
    text: &[u8],
    end: usize,
) -> Result<Option<(usize, usize)>, UtilityError> {
    let text = text.get(..end).unwrap_or(text);
    let mut window = 1_usize;
    let mut found = None;
    while found.is_none() {
        // The window doubles, so that what is looked through is not more than twice the record.
        let start = end.saturating_sub(window);
        let mut from = start;
        while from < end {
            ctx.tick().await?;
            let next = regex.find_at(text, from, &mut Pace::Shared(&ctx.meter)).await;
            match next.map_err(|error| search_error(&ctx.meter, &error, 1))? {
                Some((at, after)) if at < end => {
                    found = Some((at, after));
                    from = at + 1;
                }
                _ => break,
            }
        }
        if start == 0 {
            break;
        }
        window = window.saturating_mul(2);
    }
    Ok(found)
}

async fn reverse(
    ctx: &mut Context,
    mut input: Input,
    separator: &Separator<'_>,
    before: bool,
) -> Result<(), OperandError> {
    // Of a file all is reversed, wherever its offset was.
    let metadata = input.description().metadata().filter(crate::vfs::Metadata::is_regular);
    let size = metadata.map(|metadata| metadata.size);
    match separator {
        Separator::Regex(regex) => {
            if size.is_some() {
                input.description().seek(0);
            }
            let text = read_all(ctx, &mut input).await?;
            reverse_by_regex(ctx, &text, regex, before).await
        }
        Separator::Text(separator) => match size {
            Some(size) => reverse_file(ctx, input, size, separator, before).await,
            None => {
                let text = read_all(ctx, &mut input).await?;
                let mut reverser = Reverser::new(separator, before);
                reverser.prepend(ctx, text).await?;
                reverser.finish(ctx).await
            }
        },
    }
}

async fn read_all(ctx: &mut Context, input: &mut Input) -> Result<Vec<u8>, OperandError> {
    let mut text = Vec::new();
    loop {
        ctx.check().await?;
        let block = input.fill().await?;
        if block.is_empty() {
            return Ok(text);
        }
        text.extend_from_slice(block);
        let count = block.len();
        input.consume(count);
    }
}

/// Bytes of a file that are read together, from its end on.
const WINDOW: u64 = 64 * 1024;

/// Reverses a regular file from its end on: no more is kept of it than its longest record takes.
async fn reverse_file(
    ctx: &mut Context,
    mut input: Input,
    size: u64,
    separator: &[u8],
    before: bool,
) -> Result<(), OperandError> {
    let mut reverser = Reverser::new(separator, before);
    let mut end = size;
    while end > 0 {
        // As much again as is kept, so that a long record is not moved for each window.
        let window = WINDOW.max(reverser.kept.len() as u64).max(2 * separator.len() as u64);
        let start = end.saturating_sub(window);
        input.restart();
        input.description().seek(start);
        let mut text: Vec<u8> = Vec::new();
        while text.len() < (end - start) as usize {
            ctx.check().await?;
            let block = input.fill().await?;
            if block.is_empty() {
                // The file is shorter than it was.
                break;
            }
            let block = block.get(..(end - start) as usize - text.len()).unwrap_or(block);
            text.extend_from_slice(block);
            let count = block.len();
            input.consume(count);
        }
        reverser.prepend(ctx, text).await?;
        end = start;
    }
    reverser.finish(ctx).await
}

/// Prints records last first, of a text that comes in parts, its last part first.
struct Reverser<'s> {
    finder: memchr::memmem::FinderRev<'s>,
    before: bool,
    /// What was not printed: the end of a record.
    kept: Vec<u8>,
    /// Where in it the next separator has to end at the latest; `None` before the first part.
    from: Option<usize>,
}

impl<'s> Reverser<'s> {
    fn new(separator: &'s [u8], before: bool) -> Self {
        let finder = memchr::memmem::FinderRev::new(separator);
        Self { finder, before, kept: Vec::new(), from: None }
    }

    /// Takes what stands before the text that was taken, and prints the records that end with it.
    async fn prepend(&mut self, ctx: &mut Context, mut text: Vec<u8>) -> Result<(), OperandError> {
        let separator = self.finder.needle();
        let mut from = match self.from {
            // What is kept has no separator of its own.
            Some(from) => text.len() + from.min(separator.len() - 1),
            // A separator at the very end belongs to the record before it.
            None if !self.before && text.ends_with(separator) => text.len() - separator.len(),
            None => text.len(),
        };
        text.extend_from_slice(&self.kept);
        let mut end = text.len();
        while let Some(at) = self.finder.rfind(text.get(..from).unwrap_or(&[])) {
            let start = if self.before { at } else { at + separator.len() };
            ctx.stdout.write(text.get(start..end).unwrap_or(&[])).await?;
            (end, from) = (start, at);
            ctx.tick_many((end.saturating_sub(from) / 64) as u32);
            ctx.tick().await?;
        }
        text.truncate(end);
        (self.kept, self.from) = (text, Some(from));
        Ok(())
    }

    /// Prints the first record.
    async fn finish(self, ctx: &mut Context) -> Result<(), OperandError> {
        Ok(ctx.stdout.write(&self.kept).await?)
    }
}

async fn reverse_by_regex(
    ctx: &mut Context,
    text: &[u8],
    regex: &Regex,
    before: bool,
) -> Result<(), OperandError> {
    let (mut end, mut from) = (text.len(), text.len());
    let mut is_first = true;
    while let Some((at, after)) = last_match(ctx, regex, text, from).await? {
        ctx.tick().await?;
        let start = if before { at } else { after };
        // A separator at the very end belongs to the record before it.
        if before || !is_first || start != end {
            ctx.stdout.write(text.get(start..end).unwrap_or(&[])).await?;
        }
        is_first = false;
        (end, from) = (start, at);
    }
    ctx.stdout.write(text.get(..end).unwrap_or(&[])).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::run;

    #[test]
    fn records_come_last_first() {
        for (args, input, want) in [
            (&[][..], "a\nb\nc\n", "c\nb\na\n"),
            (&[], "a\nb", "ba\n"),
            (&["-b"], "\na\nb", "\nb\na"),
            (&["-s:"], "a:b:c", "cb:a:"),
            (&["-s", "--"], "a--b--", "b--a--"),
            (&[], "", ""),
        ] {
            assert_eq!(run("tac", args, input.as_bytes(), &[]).stdout, want, "{args:?}");
        }
    }
}
