//! `wc`: counts lines, words, characters and bytes. GNU coreutils wc(1).
//!
//! A word is a run of printable characters between white space, so control characters neither make nor part words. Lines
//! and bytes alone are counted without looking at characters; the bytes of a regular file are not read at all.

use super::format::width::width;
use crate::memory::{JoinText, String, ToDecimal, Vec, format};
use crate::utility::context::names::NameList;
use crate::utility::prelude::*;

options! {
    enum Opt {
        Bytes = flag('c', "bytes", "print the byte counts"),
        Chars = flag('m', "chars", "print the character counts"),
        Lines = flag('l', "lines", "print the newline counts"),
        Files0From = value(
            '\0',
            "files0-from",
            "F",
            "read the files named in F, names ending in NUL; '-' is standard input",
        ),
        MaxLineLength = flag('L', "max-line-length", "print the maximum display width"),
        Words = flag('w', "words", "print the word counts"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "wc",
    summary: "print newline, word and byte counts",
    usage: "wc [OPTION]... [FILE]...\nwc [OPTION]... --files0-from=F",
    options: Opt::TABLE,
    examples: &[
        example("printf 'a b\\nc\\n' | wc -l", "2\n"),
        example("printf 'a b\\nc\\n' | wc", "      2       3       6\n"),
    ],
    run: start!(run),
    ..Utility::BASE
};

/// What is printed.
#[derive(Clone, Copy, Debug)]
struct Columns {
    lines: bool,
    words: bool,
    chars: bool,
    bytes: bool,
    longest: bool,
}

impl Columns {
    fn of(options: &Options<Opt>) -> Self {
        let has = |option: Opt| options.has(option);
        let any = options.has_any([Opt::Lines, Opt::Words, Opt::Chars, Opt::Bytes, Opt::MaxLineLength]);
        Self {
            lines: has(Opt::Lines) || !any,
            words: has(Opt::Words) || !any,
            chars: has(Opt::Chars),
            bytes: has(Opt::Bytes) || !any,
            longest: has(Opt::MaxLineLength),
        }
    }

    fn count(self) -> usize {
        [self.lines, self.words, self.chars, self.bytes, self.longest].into_iter().filter(|on| *on).count()
    }
}

/// Counts of one input, and where in a word and line it is.
#[derive(Clone, Debug, Default)]
struct Counter {
    lines: u64,
    words: u64,
    chars: u64,
    bytes: u64,
    longest: u64,
    column: u64,
    in_word: bool,
    /// The first bytes of a character that goes on in the next block.
    pending: Vec<u8>,
}

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let columns = Columns::of(&options);
    let mut status = ExitStatus::SUCCESS;
    let named = match options.value(Opt::Files0From) {
        Some(list) => {
            if let Some(extra) = options.operands.first() {
                return Err(UtilityError::Usage(format!(
                    "extra operand {}\nfile operands cannot be combined with --files0-from",
                    quote_name(extra)
                )));
            }
            read_names(ctx, list, &mut status).await?
        }
        None => options.operands.clone(),
    };
    let from_list = options.has(Opt::Files0From);
    let inputs = if from_list { named.clone() } else { ctx.inputs(&named) };
    let number_width = number_width(ctx, &inputs, columns);
    let mut total = Counter::default();
    for input in &inputs {
        let mut counter = Counter::default();
        if let Err(error) = count_operand(ctx, input, columns, &mut counter).await {
            let (opened, errno) = (matches!(error, Failure::Read(_)), error.errno()?);
            let shown = if named.is_empty() { quote_input(input) } else { quote_operand(input) };
            status = ctx.warn(format_args!("{shown}: {}", errno.message()));
            if !opened {
                continue;
            }
        }
        let name = if named.is_empty() { None } else { Some(input.as_bytes()) };
        print(ctx, columns, number_width, &counter, name).await?;
        total.add(&counter);
    }
    if inputs.len() > 1 {
        print(ctx, columns, number_width, &total, Some(b"total")).await?;
    }
    Ok(status)
}

/// The names in `--files0-from=LIST`.
async fn read_names(
    ctx: &mut Context,
    list: &Text,
    status: &mut ExitStatus,
) -> Result<Vec<Text>, UtilityError> {
    let mut list = NameList::open(ctx, list)?;
    let mut names = Vec::new();
    while let Some(name) = list.next(ctx, status).await? {
        names.push(name);
    }
    Ok(names)
}

/// Columns for each number: enough for the bytes of all regular files, at least 7 when something else is read.
fn number_width(ctx: &mut Context, inputs: &[Text], columns: Columns) -> usize {
    if inputs.is_empty() || (inputs.len() == 1 && columns.count() == 1) {
        return 1;
    }
    let (mut total, mut minimum) = (0_u64, 1);
    for input in inputs {
        let Ok(opened) = ctx.open_input(input) else { continue };
        match opened.description().metadata() {
            Some(metadata) => total = total.saturating_add(metadata.size),
            None => minimum = 7,
        }
    }
    total.to_decimal().len().max(minimum)
}

/// Whether an operand could not be opened, or not be read.
enum Failure {
    Open(OperandError),
    Read(OperandError),
}

impl Failure {
    fn errno(self) -> Result<Errno, UtilityError> {
        match self {
            Self::Open(error) | Self::Read(error) => error.errno(),
        }
    }
}

async fn count_operand(
    ctx: &mut Context,
    operand: &[u8],
    columns: Columns,
    counter: &mut Counter,
) -> Result<(), Failure> {
    let input = ctx.open_input(operand).map_err(|error| Failure::Open(error.into()))?;
    count_input(ctx, input, columns, counter).await.map_err(Failure::Read)
}

async fn count_input(
    ctx: &mut Context,
    mut input: Input,
    columns: Columns,
    counter: &mut Counter,
) -> Result<(), OperandError> {
    let characters = columns.words || columns.chars || columns.longest;
    if !characters
        && !columns.lines
        && let Some(metadata) = input.description().metadata()
    {
        let description = input.description();
        counter.bytes = metadata.size.saturating_sub(description.offset());
        description.seek(metadata.size.max(description.offset()));
        return Ok(());
    }
    loop {
        ctx.check().await?;
        let block = input.fill().await?;
        if block.is_empty() {
            break;
        }
        counter.bytes += block.len() as u64;
        for piece in block.chunks(16 * 1024) {
            if columns.longest {
                counter.add_characters::<true>(piece);
            } else if characters {
                counter.add_characters::<false>(piece);
            } else {
                counter.lines += memchr::memchr_iter(b'\n', piece).count() as u64;
            }
            ctx.check().await?;
        }
        let count = block.len();
        input.consume(count);
    }
    counter.end_word();
    counter.longest = counter.longest.max(counter.column);
    Ok(())
}

impl Counter {
    fn add(&mut self, other: &Self) {
        self.lines = self.lines.saturating_add(other.lines);
        self.words = self.words.saturating_add(other.words);
        self.chars = self.chars.saturating_add(other.chars);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.longest = self.longest.max(other.longest);
    }

    fn end_word(&mut self) {
        self.words += u64::from(std::mem::take(&mut self.in_word));
    }

    /// Counts what is in `block`; `COLUMNS`: line lengths too.
    fn add_characters<const COLUMNS: bool>(&mut self, block: &[u8]) {
        let mut rest = self.finish_pending::<COLUMNS>(block);
        loop {
            if !COLUMNS {
                let (run, others) = ascii_run(rest);
                self.add_ascii_run(run);
                rest = others;
            }
            let Some((&byte, tail)) = rest.split_first() else { break };
            if byte < 0x80 {
                self.add_ascii::<COLUMNS>(byte);
                rest = tail;
                continue;
            }
            let (letter, size) = bstr::decode_utf8(rest);
            match letter {
                Some(letter) => self.add_wide::<COLUMNS>(letter),
                None if size == rest.len() && is_incomplete(rest) => {
                    self.pending.extend_from_slice(rest);
                    return;
                }
                None => {
                    rest = tail;
                    continue;
                }
            }
            rest = rest.get(size..).unwrap_or(&[]);
        }
    }

    /// Ends the character that the last block began, and returns what is left.
    fn finish_pending<'b, const COLUMNS: bool>(&mut self, block: &'b [u8]) -> &'b [u8] {
        let mut rest = block;
        while !self.pending.is_empty() {
            let (letter, size) = bstr::decode_utf8(&self.pending);
            if let Some(letter) = letter {
                self.pending.drain(..size);
                self.add_wide::<COLUMNS>(letter);
            } else if !is_incomplete(&self.pending) {
                self.pending.remove(0);
            } else if let Some((&byte, tail)) = rest.split_first() {
                self.pending.push(byte);
                rest = tail;
            } else {
                break;
            }
        }
        rest
    }

    /// As [`Counter::add_ascii`] for each byte, without line lengths.
    fn add_ascii_run(&mut self, run: &[u8]) {
        self.chars += run.len() as u64;
        self.lines += memchr::memchr_iter(b'\n', run).count() as u64;
        let (mut words, mut in_word) = (0_u32, u8::from(self.in_word));
        for &byte in run {
            let kind = KINDS.get(usize::from(byte)).copied().unwrap_or_default();
            let is_space = kind >> 1;
            words += u32::from(in_word & is_space);
            in_word = (in_word | kind) & 1 & !is_space;
        }
        self.words += u64::from(words);
        self.in_word = in_word != 0;
    }

    fn add_ascii<const COLUMNS: bool>(&mut self, byte: u8) {
        self.chars += 1;
        let printable = (0x21..0x7f).contains(&byte);
        let space = matches!(byte, b' ' | 0x09..=0x0d);
        self.words += u64::from(space & self.in_word);
        self.lines += u64::from(byte == b'\n');
        self.in_word = printable || (self.in_word && !space);
        if COLUMNS {
            match byte {
                b'\n' | b'\r' | 0x0c => {
                    self.longest = self.longest.max(self.column);
                    self.column = 0;
                }
                b'\t' => self.column += 8 - self.column % 8,
                0x20..0x7f => self.column += 1,
                _ => {}
            }
        }
    }

    fn add_wide<const COLUMNS: bool>(&mut self, letter: char) {
        if letter.is_ascii() {
            return self.add_ascii::<COLUMNS>(letter as u8);
        }
        self.chars += 1;
        let columns = width(letter);
        // White space by the C library, with the non-breaking spaces.
        if letter.is_whitespace() && letter != '\u{85}' || letter == '\u{2060}' {
            self.end_word();
        } else if columns.is_some() {
            self.in_word = true;
        }
        if COLUMNS {
            self.column += columns.unwrap_or(0) as u64;
        }
    }
}

/// 1 for printable characters but the space, 2 for white space.
static KINDS: [u8; 256] = {
    let mut kinds = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        kinds[byte] = match byte {
            0x09..=0x0d | 0x20 => 2,
            0x21..0x7f => 1,
            _ => 0,
        };
        byte += 1;
    }
    kinds
};

/// What `bytes` begin with that is ASCII, as far as it is seen at once, and the rest.
fn ascii_run(bytes: &[u8]) -> (&[u8], &[u8]) {
    const STEP: usize = 16;
    let steps = bytes.chunks_exact(STEP).take_while(|step| step.is_ascii()).count();
    bytes.split_at_checked(STEP * steps).unwrap_or((&[], bytes))
}

/// Whether `bytes` could be the beginning of one character.
fn is_incomplete(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
}

async fn print(
    ctx: &mut Context,
    columns: Columns,
    width: usize,
    counter: &Counter,
    name: Option<&[u8]>,
) -> Result<(), UtilityError> {
    let fields = [
        (columns.lines, counter.lines),
        (columns.words, counter.words),
        (columns.chars, counter.chars),
        (columns.bytes, counter.bytes),
        (columns.longest, counter.longest),
    ];
    let shown: Vec<String> =
        fields.iter().filter(|(on, _)| *on).map(|(_, value)| format!("{value:>width$}")).collect();
    let mut line = shown.join_text(" ").into_bytes();
    if let Some(name) = name {
        line.push(b' ');
        line.extend_from_slice(name);
    }
    line.push(b'\n');
    ctx.stdout.write(&line).await
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(blocks: &[&[u8]]) -> (u64, u64, u64, u64) {
        let mut counter = Counter::default();
        for block in blocks {
            counter.add_characters::<true>(block);
        }
        counter.end_word();
        (counter.lines, counter.words, counter.chars, counter.longest.max(counter.column))
    }

    #[test]
    fn characters_may_be_cut_by_a_block() {
        let want = (1, 1, 4, 3);
        assert_eq!(count(&["äöü\n".as_bytes()]), want);
        assert_eq!(count(&[b"\xc3", b"\xa4\xc3", b"\xb6\xc3\xbc\n"]), want);
        assert_eq!(count(&[b"\xe6\xbc", b"\xa2"]), (0, 1, 1, 2));
    }

    #[test]
    fn control_characters_and_invalid_bytes_are_no_words() {
        assert_eq!(count(&[b"a\x01b \x01 \xff x\xffy"]).1, 2);
        assert_eq!(count(&[b"a\x01b \x01 \xff x\xffy"]).2, 9);
        assert_eq!(count(&[b"\xc3", b"a"]), (0, 1, 1, 1));
    }
}
