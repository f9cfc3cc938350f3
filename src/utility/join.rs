//! `join`: joins lines of two sorted files on a common field. GNU coreutils join(1).
//!
//! Of both files the lines with the current key are held: all pairs of a group are printed, then the next groups are read.

use super::comm::two_operands;
use super::format::count::parse_digits;
use crate::limit::{LimitError, Meter};
use crate::memory::{Vec, format, vec};
use crate::utility::context::pace::{append, compare, position, tick_bytes};
use crate::utility::prelude::*;
use std::cmp::Ordering;

options! {
    enum Opt {
        AlsoUnpaired = value(
            'a',
            "",
            "FILENUM",
            "also print unpairable lines from file FILENUM, which is 1 or 2",
        ),
        Missing = value('e', "", "STRING", "replace missing input fields with STRING"),
        IgnoreCase = flag('i', "ignore-case", "ignore differences in case when comparing fields"),
        Field = value('j', "", "FIELD", "equivalent to '-1 FIELD -2 FIELD'"),
        Format = value('o', "", "FORMAT", "obey FORMAT while constructing output line"),
        Separator = value('t', "", "CHAR", "use CHAR as input and output field separator"),
        OnlyUnpaired = value('v', "", "FILENUM", "like -a FILENUM, but suppress joined output lines"),
        Field1 = value('1', "", "FIELD", "join on this FIELD of file 1"),
        Field2 = value('2', "", "FIELD", "join on this FIELD of file 2"),
        CheckOrder = flag('\0', "check-order", "check that the input is correctly sorted"),
        NocheckOrder = flag('\0', "nocheck-order", "do not check that the input is correctly sorted"),
        Header = flag('\0', "header", "treat the first line in each file as field headers"),
        ZeroTerminated = flag('z', "zero-terminated", "line delimiter is NUL, not newline"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "join",
    summary: "join lines of two files on a common field",
    usage: "join [OPTION]... FILE1 FILE2",
    options: Opt::TABLE,
    examples: &[example("printf 'a 1\\nb 2\\n' >x; printf 'b 3\\n' >y; join x y", "b 2 3\n")],
    run: start!(run),
    ..Utility::BASE
};

/// A field of an output line: the join field, or a field (from 0) of a file (0 or 1).
#[derive(Clone, Copy)]
enum Field {
    Key,
    Of(usize, usize),
}

struct JoinOptions {
    keys: [usize; 2],
    unpaired: [bool; 2],
    paired: bool,
    ignore_case: bool,
    /// `None`: blanks.
    separator: Option<u8>,
    /// `-t ''`: the whole line is the field.
    whole_line: bool,
    missing: Text,
    format: Vec<Field>,
    auto_format: bool,
    delimiter: u8,
    header: bool,
    check: Option<bool>,
}

/// A file with the lines of its current group.
struct Side {
    name: Text,
    input: Input,
    /// Lines one after the other, and where each ends.
    text: Vec<u8>,
    ends: Vec<usize>,
    /// The line after the group.
    next: Vec<u8>,
    has_next: bool,
    line: u64,
    /// The line after the group is out of order; told when it is taken, if it matters then.
    suspect: bool,
    disorder: bool,
}

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let mut settings = settings(&options)?;
    if let Some(extra) = options.operands.get(2) {
        return Err(UtilityError::Usage(format!("extra operand {}", quote_name(extra))));
    }
    let names = two_operands(&options.operands)?;
    if names.iter().all(|name| name.as_bytes() == b"-") {
        return Err(UtilityError::failed("both files cannot be standard input"));
    }
    let mut sides = Vec::new();
    for name in &names {
        let input = ctx
            .open_input(name)
            .map_err(|error| UtilityError::operand(quote_operand(name).as_bytes(), error))?;
        let new = || Vec::new();
        let (text, next, ends) = (new(), new(), Vec::new());
        let mut side = Side {
            name: name.clone(),
            input,
            text,
            ends,
            next,
            has_next: false,
            line: 0,
            suspect: false,
            disorder: false,
        };
        side.read_next(&ctx.meter, &settings).await?;
        sides.push(side);
    }
    let Ok([mut left, mut right]) = <[Side; 2]>::try_from(sides) else { return Ok(ExitStatus::FAILURE) };
    let mut unpaired_seen = false;
    left.read_group(ctx, &settings, 0, settings.header, false).await?;
    right.read_group(ctx, &settings, 1, settings.header, false).await?;
    if settings.auto_format {
        settings.format = auto_format(ctx, &settings, [left.first(), right.first()]).await?;
    }
    if settings.header {
        if !(left.ends.is_empty() && right.ends.is_empty()) {
            print(ctx, &settings, [left.lines().next(), right.lines().next()]).await?;
        }
        left.read_group(ctx, &settings, 0, false, false).await?;
        right.read_group(ctx, &settings, 1, false, false).await?;
    }
    loop {
        let order = match (left.ends.is_empty(), right.ends.is_empty()) {
            (true, true) => break,
            (true, false) => Ordering::Greater,
            (false, true) => Ordering::Less,
            (false, false) => {
                let keys =
                    (settings.key(ctx, 0, left.first()).await?, settings.key(ctx, 1, right.first()).await?);
                settings.compare(ctx, keys.0, keys.1).await?
            }
        };
        // What one file has after the end of the other is not counted. The line after a group was read before its last
        // line was known to be unpaired.
        let is_unpaired = order.is_ne() && !left.ends.is_empty() && !right.ends.is_empty();
        let seen_before = [&left, &right].map(|side| unpaired_seen || (is_unpaired && side.ends.len() > 1));
        unpaired_seen |= is_unpaired;
        match order {
            Ordering::Equal => {
                for one in left.lines() {
                    for two in right.lines() {
                        if settings.paired {
                            print(ctx, &settings, [Some(one), Some(two)]).await?;
                        }
                        ctx.tick().await?;
                    }
                }
            }
            Ordering::Less if settings.unpaired[0] => {
                for line in left.lines() {
                    print(ctx, &settings, [Some(line), None]).await?;
                }
            }
            Ordering::Greater if settings.unpaired[1] => {
                for line in right.lines() {
                    print(ctx, &settings, [None, Some(line)]).await?;
                }
            }
            _ => {}
        }
        if order.is_le() {
            left.read_group(ctx, &settings, 0, false, seen_before[0]).await?;
        }
        if order.is_ge() {
            right.read_group(ctx, &settings, 1, false, seen_before[1]).await?;
        }
    }
    if left.disorder || right.disorder {
        return Err(UtilityError::failed("input is not in sorted order"));
    }
    Ok(ExitStatus::SUCCESS)
}

fn settings(options: &Options<Opt>) -> Result<JoinOptions, UtilityError> {
    let mut settings = JoinOptions {
        keys: [0, 0],
        unpaired: [false, false],
        paired: !options.has(Opt::OnlyUnpaired),
        ignore_case: options.has(Opt::IgnoreCase),
        separator: None,
        whole_line: false,
        missing: Text::EMPTY,
        format: Vec::new(),
        auto_format: false,
        delimiter: if options.has(Opt::ZeroTerminated) { 0 } else { b'\n' },
        header: options.has(Opt::Header),
        check: match options.last_of([Opt::CheckOrder, Opt::NocheckOrder]) {
            Some(Opt::CheckOrder) => Some(true),
            Some(_) => Some(false),
            None => None,
        },
    };
    let field = |text: &[u8]| {
        parse_digits(text)
            .and_then(|number| usize::try_from(number).ok()?.checked_sub(1))
            .ok_or_else(|| UtilityError::failed(format!("invalid field number: {}", quote(text))))
    };
    let mut keys = [None; 2];
    let mut set = |side: usize, key: usize| {
        let Some(slot) = keys.get_mut(side) else { return Ok(()) };
        if let Some(before) = slot.filter(|before: &usize| *before != key) {
            let (before, key) = (before + 1, key + 1);
            return Err(UtilityError::failed(format!("incompatible join fields {before}, {key}")));
        }
        *slot = Some(key);
        Ok(())
    };
    let mut separator = None;
    for (option, argument) in options.given() {
        let text = argument.map(Text::as_bytes).unwrap_or_default();
        match option {
            Opt::AlsoUnpaired | Opt::OnlyUnpaired => match text {
                b"1" => settings.unpaired[0] = true,
                b"2" => settings.unpaired[1] = true,
                _ => return Err(UtilityError::failed(format!("invalid field number: {}", quote(text)))),
            },
            Opt::Field => {
                [field(text)?; 2].into_iter().enumerate().try_for_each(|(side, key)| set(side, key))?;
            }
            Opt::Field1 => set(0, field(text)?)?,
            Opt::Field2 => set(1, field(text)?)?,
            Opt::Separator => {
                let chosen = match text {
                    [] => None,
                    [byte] => Some(*byte),
                    b"\\0" => Some(0),
                    _ => return Err(UtilityError::failed(format!("multi-character tab {}", quote(text)))),
                };
                if separator.is_some_and(|before| before != chosen) {
                    return Err(UtilityError::failed("incompatible tabs"));
                }
                separator = Some(chosen);
            }
            Opt::Missing if settings.missing.is_empty() || settings.missing.as_bytes() == text => {
                settings.missing = Text::from(text);
            }
            Opt::Missing => {
                return Err(UtilityError::failed("conflicting empty-field replacement strings"));
            }
            Opt::Format if text == b"auto" => settings.auto_format = true,
            Opt::Format => {
                for item in text.split(|byte| matches!(byte, b',' | b' ' | b'\t')) {
                    settings.format.push(match item {
                        b"0" => Field::Key,
                        [b'1', b'.', number @ ..] => Field::Of(0, field(number)?),
                        [b'2', b'.', number @ ..] => Field::Of(1, field(number)?),
                        _ => {
                            let text = format!("invalid file number in field spec: {}", quote(item));
                            return Err(UtilityError::failed(text));
                        }
                    });
                }
            }
            Opt::IgnoreCase | Opt::CheckOrder | Opt::NocheckOrder | Opt::Header | Opt::ZeroTerminated => {}
        }
    }
    settings.keys = keys.map(|key| key.unwrap_or(0));
    if let Some(chosen) = separator {
        (settings.separator, settings.whole_line) = (chosen, chosen.is_none());
    }
    Ok(settings)
}

/// All fields that the first lines have.
async fn auto_format(
    ctx: &Context,
    settings: &JoinOptions,
    lines: [&[u8]; 2],
) -> Result<Vec<Field>, LimitError> {
    let mut format = vec![Field::Key];
    for (side, line) in lines.into_iter().enumerate() {
        let count = settings.fields(ctx, line).await?.len();
        format.extend(
            (0..count).filter(|index| *index != settings.keys[side]).map(|index| Field::Of(side, index)),
        );
    }
    Ok(format)
}

impl JoinOptions {
    async fn fields<'l>(&self, ctx: &Context, line: &'l [u8]) -> Result<Vec<&'l [u8]>, LimitError> {
        // An empty line has no field, whatever separates fields.
        if line.is_empty() {
            return Ok(Vec::new());
        }
        if self.whole_line {
            return Ok(vec![line]);
        }
        let mut fields = Vec::new();
        let mut rest = line;
        loop {
            let end = position(&ctx.meter, rest, |byte| self.separates(*byte)).await?;
            let field = rest.get(..end.unwrap_or(rest.len())).unwrap_or(&[]);
            // Blanks at the end are followed by a field, an empty one.
            if self.separator.is_some() || !field.is_empty() || (end.is_none() && !fields.is_empty()) {
                fields.push(field);
            }
            let Some(end) = end else { return Ok(fields) };
            rest = rest.get(end + 1..).unwrap_or(&[]);
            tick_bytes(&ctx.meter, 4).await?;
        }
    }

    /// The field that a line is joined by; empty when it has none.
    async fn key<'l>(&self, ctx: &Context, side: usize, line: &'l [u8]) -> Result<&'l [u8], LimitError> {
        let mut number = self.keys.get(side).copied().unwrap_or(0);
        if self.whole_line {
            return Ok(if number == 0 { line } else { &[] });
        }
        let mut rest = line;
        loop {
            let end = position(&ctx.meter, rest, |byte| self.separates(*byte)).await?;
            let field = rest.get(..end.unwrap_or(rest.len())).unwrap_or(&[]);
            if self.separator.is_some() || !field.is_empty() {
                if number == 0 {
                    return Ok(field);
                }
                number -= 1;
            }
            let Some(end) = end else { return Ok(&[]) };
            rest = rest.get(end + 1..).unwrap_or(&[]);
        }
    }

    fn separates(&self, byte: u8) -> bool {
        match self.separator {
            Some(separator) => byte == separator,
            None => matches!(byte, b' ' | b'\t' | b'\n'),
        }
    }

    async fn compare(&self, ctx: &Context, one: &[u8], two: &[u8]) -> Result<Ordering, LimitError> {
        if !self.ignore_case {
            return compare(&ctx.meter, one, two).await;
        }
        for (left, right) in one.chunks(STRETCH).zip(two.chunks(STRETCH)) {
            // The last stretches may differ in length alone.
            let upper = right.iter().map(u8::to_ascii_uppercase);
            let order = left.iter().map(u8::to_ascii_uppercase).cmp(upper);
            if order.is_ne() {
                return Ok(order);
            }
            tick_bytes(&ctx.meter, left.len()).await?;
        }
        Ok(one.len().cmp(&two.len()))
    }
}

impl Side {
    fn lines(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(self.ends.iter()).map(|(start, end)| self.text.get(start..*end).unwrap_or(&[]))
    }

    fn first(&self) -> &[u8] {
        self.lines().next().unwrap_or(&[])
    }

    async fn read_next(&mut self, meter: &Meter, settings: &JoinOptions) -> Result<(), UtilityError> {
        self.next.clear();
        match self.input.next_line(settings.delimiter).await {
            Ok(None) => self.has_next = false,
            Ok(Some(line)) => {
                append(meter, &mut self.next, split_delimiter(line, settings.delimiter).0).await?;
                self.has_next = true;
                self.line += 1;
            }
            Err(error) => {
                let errno = OperandError::from(error).errno()?;
                return Err(UtilityError::failed(format!("read error: {}", errno.message())));
            }
        }
        Ok(())
    }

    /// Reads the lines with the next key, or `one` line only.
    async fn read_group(
        &mut self,
        ctx: &mut Context,
        settings: &JoinOptions,
        side: usize,
        one: bool,
        unpaired_seen: bool,
    ) -> Result<(), UtilityError> {
        self.text.clear();
        self.ends.clear();
        if std::mem::take(&mut self.suspect) {
            self.report_disorder(ctx, settings, unpaired_seen)?;
        }
        while self.has_next {
            ctx.tick().await?;
            if !self.ends.is_empty() {
                let first = settings.key(ctx, side, self.first()).await?;
                let next = settings.key(ctx, side, &self.next).await?;
                let order = settings.compare(ctx, first, next).await?;
                self.suspect = order.is_gt();
                if self.suspect && settings.check == Some(true) {
                    self.report_disorder(ctx, settings, unpaired_seen)?;
                }
                if order.is_ne() {
                    break;
                }
            }
            let Self { text, ends, next, .. } = self;
            append(&ctx.meter, text, next).await?;
            ends.push(text.len());
            self.read_next(&ctx.meter, settings).await?;
            if one {
                break;
            }
        }
        Ok(())
    }

    fn report_disorder(
        &mut self,
        ctx: &mut Context,
        settings: &JoinOptions,
        unpaired: bool,
    ) -> Result<(), UtilityError> {
        if self.disorder || !settings.check.unwrap_or(unpaired) {
            return Ok(());
        }
        self.disorder = true;
        let text = format!("{}:{}: is not sorted: {}", self.name, self.line, bstr::BStr::new(&*self.next));
        if settings.check == Some(true) {
            return Err(UtilityError::failed(text));
        }
        ctx.warn(text);
        Ok(())
    }
}

async fn print(
    ctx: &mut Context,
    settings: &JoinOptions,
    lines: [Option<&[u8]>; 2],
) -> Result<(), UtilityError> {
    let mut fields = [None, None];
    for (fields, line) in fields.iter_mut().zip(lines) {
        if let Some(line) = line {
            *fields = Some(settings.fields(ctx, line).await?);
        }
    }
    let key = |side: usize| {
        let fields = fields.get(side).and_then(Option::as_ref)?;
        fields.get(settings.keys.get(side).copied()?).copied()
    };
    // With whole lines as fields a newline is between them.
    let separator = [settings.separator.unwrap_or(if settings.whole_line { b'\n' } else { b' ' })];
    let mut first = true;
    if settings.format.is_empty() {
        put(ctx, settings, &separator, &mut first, key(0).or(key(1))).await?;
        for (side, fields) in fields.iter().enumerate() {
            let Some(fields) = fields else { continue };
            for (index, field) in fields.iter().enumerate() {
                if settings.keys.get(side) != Some(&index) {
                    put(ctx, settings, &separator, &mut first, Some(field)).await?;
                }
            }
        }
    }
    for field in &settings.format {
        let field = match field {
            Field::Key => key(0).or(key(1)),
            Field::Of(side, index) => {
                let fields = fields.get(*side).and_then(Option::as_ref);
                fields.and_then(|fields| fields.get(*index)).copied()
            }
        };
        put(ctx, settings, &separator, &mut first, field).await?;
    }
    ctx.stdout.push(&[settings.delimiter]);
    ctx.stdout.flush_if_full().await
}

/// Bytes that are compared at once.
const STRETCH: usize = 16 << 10;

/// Prints a field, and before it the separator, unless it is the first one.
async fn put(
    ctx: &mut Context,
    settings: &JoinOptions,
    separator: &[u8],
    first: &mut bool,
    field: Option<&[u8]>,
) -> Result<(), UtilityError> {
    if !std::mem::take(first) {
        ctx.stdout.push(separator);
    }
    ctx.tick().await?;
    ctx.stdout.write(field.filter(|field| !field.is_empty()).unwrap_or(&settings.missing)).await
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::run;

    #[test]
    fn joins() {
        let files = [("x", "a 1\nb 2\nc 3\n"), ("y", "a x\na w\nc y\nd z\n")];
        for (args, want) in [
            (&["x", "y"][..], "a 1 x\na 1 w\nc 3 y\n"),
            (&["-a1", "x", "y"], "a 1 x\na 1 w\nb 2\nc 3 y\n"),
            (&["-v2", "x", "y"], "d z\n"),
            (&["-e-", "-a2", "-o", "0,1.2,2.2", "x", "y"], "a 1 x\na 1 w\nc 3 y\nd - z\n"),
        ] {
            assert_eq!(run("join", args, b"", &files).stdout, want, "{args:?}");
        }
    }
}
