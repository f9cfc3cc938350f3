//! Operations that may take long: matching, splitting and replacing, and the functions of texts when these are large. They
//! count their steps on a [`Pace`], and others run meanwhile.

use super::error::Fault;
use super::field::{Need, Piece, Splitter, split};
use super::function::{count_characters, number_key, skip_characters, substr_range};
use super::letter_case::push_in_case;
use super::machine::{CachedVariables, Machine, Pause};
use super::op::{FIELDWIDTHS, FPAT, FS, Function, IGNORECASE, NF, OFS, Op, Place, RLENGTH, RS, RSTART, Var};
use super::replacement::{Replacement, Replacements};
use super::value::Value;
use crate::character::{blocks, unit_at};
use crate::limit::{Meter, gauge};
use crate::memory::{JoinMetered, String, ToDecimal, Vec, format};
use crate::pattern::Stopped;
use crate::text::Text;
use crate::utility::context::pace::yield_now;
use crate::utility::context::pace::{Pace, append};
use crate::utility::regex::{Look, Regex, RegexError, Span, find_text};

/// A text from this length on is large: what looks at each of its characters takes turns with others.
const LARGE: usize = 1 << 15;
/// Bytes of a large text that are handled at once.
const BLOCK: usize = 1 << 14;

impl Machine<'_> {
    /// What the operation needs of a large record that is not there yet.
    pub(super) fn missing(&self, op: Op) -> Option<Need> {
        let need = match op {
            Op::Field(number) => Need::Field(number as usize),
            Op::LoadField => Need::Field(self.number_below(0)),
            Op::Load(Var::Global(NF)) => Need::Field(usize::MAX),
            Op::Print(0, _) | Op::Function(Function::Length, 0) => Need::Text,
            // What is assigned lies above the number of the field.
            Op::Store(Place::Field) | Op::Update(Place::Field, _) => self.assignment_need(1),
            Op::Step { place: Place::Field, .. } | Op::Substitute { place: Some(Place::Field), .. } => {
                self.assignment_need(0)
            }
            Op::Store(Place::Var(variable))
            | Op::Update(Place::Var(variable), _)
            | Op::Step { place: Place::Var(variable), .. } => match variable {
                Var::Global(NF) => Need::OwnFields,
                Var::Global(FS | RS | FIELDWIDTHS | FPAT | IGNORECASE) => Need::Field(usize::MAX),
                Var::Global(OFS) => Need::Text,
                _ => return None,
            },
            _ => return None,
        };
        (!self.record.has(need)).then_some(need)
    }

    /// The number of a field that lies so far below the top of the stack.
    fn number_below(&self, depth: usize) -> usize {
        let place = self.stack.len().checked_sub(depth + 1);
        place.and_then(|place| self.stack.get(place)).map_or(0, |value| value.number().max(0.0) as usize)
    }

    /// What assigning to the field of that number needs.
    fn assignment_need(&self, depth: usize) -> Need {
        if self.number_below(depth) == 0 { Need::Text } else { Need::OwnFields }
    }

    /// Makes a large record what the next operation needs.
    pub(super) async fn prepare(&mut self, need: Need, meter: &Meter) -> Result<(), Fault> {
        let pace = &mut Pace::Shared(meter);
        let prepared = match need {
            Need::Text | Need::Field(0) => {
                let CachedVariables { ofs, convfmt, .. } = &self.settings;
                self.record.rebuild(ofs, convfmt, pace).await
            }
            Need::Field(_) | Need::OwnFields => {
                let newline_splits = self.settings.rs.is_empty();
                let mut done = Ok(());
                if !self.record.is_split {
                    done = self.record.split(&self.splitter, newline_splits, pace).await;
                }
                if need == Need::OwnFields && done.is_ok() {
                    done = self.record.own(pace).await;
                }
                done
            }
        };
        prepared.map_err(|error| self.regex_fault(&error, b""))
    }

    /// Whether a call of the function may take long.
    pub(super) fn is_slow(&self, function: Function, count: usize) -> bool {
        match function {
            Function::Split | Function::Patsplit | Function::Match | Function::Gensub => true,
            Function::Length
            | Function::Index
            | Function::Substr
            | Function::Tolower
            | Function::Toupper
            | Function::Sprintf => self.has_large(count),
            _ => false,
        }
    }

    /// Whether one of the `count` values on top of the stack is a large text.
    pub(super) fn has_large(&self, count: usize) -> bool {
        let first = self.stack.len().saturating_sub(count);
        let is_large =
            |value: &Value| matches!(value, Value::Text(text) | Value::Input(text) if text.len() >= LARGE);
        self.stack.get(first..).unwrap_or(&[]).iter().any(is_large)
    }

    /// Does an operation that may take long; what is to be done next, if there is something.
    pub(super) async fn slow(&mut self, op: Op, meter: &Meter) -> Result<Option<Pause>, Fault> {
        let pace = &mut Pace::Shared(meter);
        match op {
            Op::MatchRecord(number) => {
                if self.record.is_stale {
                    self.prepare(Need::Text, meter).await?;
                }
                let regex = self.program_regex(number)?;
                let found = regex.is_match(self.record.text(), pace).await;
                let found = found.map_err(|error| self.regex_fault(&error, b""))?;
                self.push(Value::truth(found));
            }
            Op::Match { is_negated } => {
                let (pattern, text) = (self.pop(), self.pop());
                let regex = self.regex_of(&pattern)?;
                let mut buffer = Vec::new();
                let text = text.bytes(&self.settings.convfmt, &mut buffer);
                let found = regex.is_match(text, pace).await;
                let found = found.map_err(|error| self.regex_fault(&error, b""))?;
                self.push(Value::truth(found != is_negated));
            }
            Op::Substitute { is_global, place } => self.substitute(is_global, place, pace).await?,
            Op::Function(function, count) => {
                let arguments = self.take_arguments(count as usize);
                let value = match function {
                    Function::Split => self.split(&arguments, pace).await?,
                    Function::Patsplit => self.patsplit(&arguments, pace).await?,
                    Function::Match => self.match_function(&arguments, pace).await?,
                    Function::Gensub => self.gensub(&arguments, pace).await?,
                    Function::Sprintf => {
                        let mut text = Vec::new();
                        self.format(&arguments, &mut text, pace).await?;
                        Value::Text(Text::from(text))
                    }
                    function => {
                        let value = self.large_text_function(function, &arguments, pace).await;
                        value.map_err(|error| self.regex_fault(&error.into(), b""))?
                    }
                };
                self.push(value);
            }
            Op::Concatenate(count) => {
                let mut text = Vec::new();
                for value in &self.take_arguments(count as usize) {
                    let mut shown = Vec::new();
                    append(meter, &mut text, value.bytes(&self.settings.convfmt, &mut shown)).await?;
                }
                self.push(Value::Text(Text::from(text)));
            }
            Op::Printf(count, _) => {
                let arguments = self.take_arguments(count as usize);
                let mut text = Vec::new();
                self.format(&arguments, &mut text, pace).await?;
                let mut texts = Vec::new();
                texts.push(Text::from(text));
                return Ok(Some(Pause::Print(texts)));
            }
            _ => {}
        }
        Ok(None)
    }

    /// A function of a text that is large; its value is that of the same function in `function`.
    async fn large_text_function(
        &self,
        function: Function,
        arguments: &[Value],
        pace: &mut Pace<'_>,
    ) -> Result<Value, Stopped> {
        let text = self.argument_text(arguments, 0);
        Ok(match function {
            Function::Length => Value::Number(count_slowly(&text, pace).await? as f64),
            Function::Index => {
                let wanted = self.argument_text(arguments, 1);
                let place = match find_text(&text, &wanted, pace).await? {
                    Some(at) => 1 + count_slowly(text.get(..at).unwrap_or(&[]), pace).await?,
                    None => 0,
                };
                Value::Number(place as f64)
            }
            Function::Substr => {
                let Some((skip, count)) = substr_range(arguments) else {
                    return Ok(Value::Text(Text::EMPTY));
                };
                let from = skip_slowly(&text, 0, skip, pace).await?;
                let to = skip_slowly(&text, from, count, pace).await?;
                let mut part = Vec::new();
                pace.append(&mut part, text.get(from..to).unwrap_or(&[])).await?;
                Value::Text(Text::from(part))
            }
            Function::Tolower | Function::Toupper => {
                let mut out = Vec::with_capacity(text.len());
                for block in blocks(&text, BLOCK) {
                    push_in_case(block, function == Function::Toupper, &mut out);
                    pace.tick(block.len() as u64).await?;
                }
                Value::Text(Text::from(out))
            }
            _ => Value::Unset,
        })
    }

    async fn split(&mut self, arguments: &[Value], pace: &mut Pace<'_>) -> Result<Value, Fault> {
        let text = self.argument_text(arguments, 0);
        if let (Some(Value::Array(array)), Some(Value::Array(seps))) = (arguments.get(1), arguments.get(3))
            && array == seps
        {
            return Err(Fault::fatal("split: cannot use the same array for second and fourth args"));
        }
        if text.is_empty() {
            for array in [1, 3] {
                if let Some(Value::Array(array)) = arguments.get(array) {
                    self.arrays.clear(*array);
                }
            }
            return Ok(Value::Number(0.0));
        }
        let is_empty =
            |number: &u32| self.program.regex_sources.get(*number as usize).is_some_and(Vec::is_empty);
        let separator = match arguments.get(2) {
            Some(Value::Regex(number)) if is_empty(number) => self.splitter_for(b"")?,
            Some(Value::Regex(number)) => Splitter::Regex(self.program_regex(*number)?),
            Some(value) => {
                let separator = self.text(value);
                self.splitter_for(&separator)?
            }
            // Neither FIELDWIDTHS nor FPAT matters here.
            None if matches!(self.splitter, Splitter::Widths(_) | Splitter::Matches(_)) => {
                let separator = self.text(&self.global(FS).clone());
                self.splitter_for(&separator)?
            }
            None => self.field_splitter().clone(),
        };
        let mut pieces: Vec<Piece> = Vec::new();
        // Where paragraphs are records of words, an expression separates words too: blanks before the first are skipped,
        // and a separator at the end begins no further element.
        let takes_words = self.settings.rs.is_empty()
            && matches!(self.splitter, Splitter::Blanks)
            && matches!(separator, Splitter::Regex(_));
        let mut text = text;
        if takes_words {
            let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n');
            let skipped = text.iter().take_while(|byte| blank(byte)).count();
            text = Text::from(text.get(skipped..).unwrap_or(&[]));
        }
        split(&text, &separator, false, &mut pieces, pace)
            .await
            .map_err(|error| self.regex_fault(&error, b""))?;
        if takes_words && pieces.len() > 1 && pieces.last().is_some_and(|(start, end)| start == end) {
            pieces.pop();
        }
        if let Some(Value::Array(seps)) = arguments.get(3) {
            let starts = pieces.iter().map(|piece| piece.0).skip(1);
            let gaps = pieces.iter().map(|piece| piece.1).zip(starts);
            self.fill(*seps, &text, gaps, pace).await?;
            if let (Splitter::Blanks, [(start, _), ..], [.., (_, end)]) =
                (&separator, pieces.as_slice(), pieces.as_slice())
            {
                // Blanks at both ends are separators too.
                for (number, gap) in [(0, text.get(..*start)), (pieces.len(), text.get(*end..))] {
                    if let Some(gap) = gap.filter(|gap| !gap.is_empty()) {
                        *self.table(*seps)?.entry(number_key(number)) = Value::input(gap);
                    }
                }
            }
        }
        if let Some(Value::Array(array)) = arguments.get(1) {
            self.fill(*array, &text, pieces.iter().copied(), pace).await?;
        }
        Ok(Value::Number(pieces.len() as f64))
    }

    /// `patsplit`: what matches is an element; what is between, before and after, from 0, are the separators.
    async fn patsplit(&mut self, arguments: &[Value], pace: &mut Pace<'_>) -> Result<Value, Fault> {
        let text = self.argument_text(arguments, 0);
        let regex = match arguments.get(2) {
            Some(pattern) if !matches!(pattern, Value::Regex(_)) && self.text(pattern).is_empty() => {
                return Err(Fault::fatal("patsplit: third argument must be non-null"));
            }
            Some(pattern) => self.regex_of(pattern)?,
            None => {
                let pattern = self.global(FPAT).clone();
                self.regex_of(&pattern)?
            }
        };
        let mut pieces: Vec<Piece> = Vec::new();
        let splitter = Splitter::Matches(regex);
        let found = split(&text, &splitter, false, &mut pieces, pace).await;
        found.map_err(|error| self.regex_fault(&error, b""))?;
        if let Some(Value::Array(seps)) = arguments.get(3) {
            let ends = std::iter::once(0).chain(pieces.iter().map(|piece| piece.1));
            let starts = pieces.iter().map(|piece| piece.0).chain(std::iter::once(text.len()));
            self.fill_from(*seps, 0, &text, ends.zip(starts), pace).await?;
        }
        if let Some(Value::Array(array)) = arguments.get(1) {
            self.fill(*array, &text, pieces.iter().copied(), pace).await?;
        }
        Ok(Value::Number(pieces.len() as f64))
    }

    /// Makes an array hold pieces of a text, from 1.
    async fn fill(
        &mut self,
        array: u32,
        text: &[u8],
        pieces: impl Iterator<Item = Piece>,
        pace: &mut Pace<'_>,
    ) -> Result<(), Fault> {
        self.fill_from(array, 1, text, pieces, pace).await
    }

    async fn fill_from(
        &mut self,
        array: u32,
        first: usize,
        text: &[u8],
        pieces: impl Iterator<Item = Piece>,
        pace: &mut Pace<'_>,
    ) -> Result<(), Fault> {
        self.arrays.clear(array);
        for (index, (start, end)) in pieces.enumerate() {
            let value = Value::input(text.get(start..end).unwrap_or(&[]));
            *self.table(array)?.entry(number_key(index + first)) = value;
            if pace.count(24).map_err(|error| self.regex_fault(&error.into(), b""))? {
                yield_now().await;
            }
        }
        Ok(())
    }

    async fn match_function(&mut self, arguments: &[Value], pace: &mut Pace<'_>) -> Result<Value, Fault> {
        let text = self.argument_text(arguments, 0);
        let regex = self.regex_of(arguments.get(1).unwrap_or(&Value::Unset))?;
        let mut groups = Vec::new();
        let found =
            find(&regex, &text, 0, matches!(arguments.get(2), Some(Value::Array(_))), &mut groups, pace)
                .await;
        let found = found.map_err(|error| self.regex_fault(&error, b""))?;
        let (start, length) = match found {
            Some((start, end)) => {
                let counted = count_both(&text, (start, end), pace).await;
                let (before, length) = counted.map_err(|error| self.regex_fault(&error.into(), b""))?;
                (1.0 + before as f64, length as f64)
            }
            None => (0.0, -1.0),
        };
        self.set_global(RSTART, Value::Number(start))?;
        self.set_global(RLENGTH, Value::Number(length))?;
        if let Some(Value::Array(array)) = arguments.get(2) {
            self.fill_groups(*array, &text, &groups, pace).await?;
        }
        Ok(Value::Number(start))
    }

    /// The third argument of `match`: each group, and its start and length.
    async fn fill_groups(
        &mut self,
        array: u32,
        text: &[u8],
        groups: &[Option<Span>],
        pace: &mut Pace<'_>,
    ) -> Result<(), Fault> {
        self.arrays.clear(array);
        for (index, group) in groups.iter().enumerate() {
            let Some((start, end)) = *group else { continue };
            let value = Value::input(text.get(start..end).unwrap_or(&[]));
            let counted = count_both(text, (start, end), pace).await;
            let (before, length) = counted.map_err(|error| self.regex_fault(&error.into(), b""))?;
            let subsep = self.settings.subsep.clone();
            let key = |name: &str| {
                Text::from([index.to_decimal().as_bytes(), &subsep, name.as_bytes()].concat_metered())
            };
            let table = self.table(array)?;
            *table.entry(number_key(index)) = value;
            *table.entry(key("start")) = Value::Number(1.0 + before as f64);
            *table.entry(key("length")) = Value::Number(length as f64);
        }
        Ok(())
    }

    /// `sub` and `gsub`: pushes how many were replaced.
    async fn substitute(
        &mut self,
        is_global: bool,
        place: Option<Place>,
        pace: &mut Pace<'_>,
    ) -> Result<(), Fault> {
        let operand = match place {
            Some(place) => self.pop_operand(place),
            None => self.pop(),
        };
        let replacement = self.pop_text();
        let pattern = self.pop();
        let regex = self.regex_of(&pattern)?;
        let target = match place {
            Some(place) => {
                let value = self.load_place(place, &operand)?;
                self.text(&value)
            }
            None => self.text(&operand),
        };
        let mut out = Vec::new();
        let parts = Replacements::simple(&replacement);
        let count = replace(&regex, &target, &parts, usize::from(!is_global), &mut out, pace).await;
        let count = count.map_err(|error| self.regex_fault(&error, b""))?;
        match place {
            Some(place) if count > 0 => {
                self.store_place(place, &operand, Value::Text(Text::from(out)))?;
            }
            Some(Place::Field) => self.reach_field(&operand)?,
            Some(Place::Var(_) | Place::Element(_)) | None => {}
        }
        self.push(Value::Number(count as f64));
        Ok(())
    }

    async fn gensub(&mut self, arguments: &[Value], pace: &mut Pace<'_>) -> Result<Value, Fault> {
        let regex = self.regex_of(arguments.first().unwrap_or(&Value::Unset))?;
        let replacement = self.argument_text(arguments, 1);
        let how = arguments.get(2).cloned().unwrap_or(Value::Unset);
        let target = match arguments.get(3) {
            Some(value) => self.text(value),
            None => {
                let record = self.field(0.0)?;
                self.text(&record)
            }
        };
        let wanted = match self.text(&how).first() {
            Some(b'g' | b'G') => 0,
            _ => {
                if how.number() < 1.0 {
                    let shown = String::from_utf8_lossy(&self.text(&how));
                    self.warnings.push(format!("warning: gensub: third argument `{shown}' treated as 1"));
                }
                how.number().max(1.0) as usize
            }
        };
        let mut out = Vec::new();
        let parts = Replacements::with_groups(&replacement);
        let count = replace(&regex, &target, &parts, wanted, &mut out, pace).await;
        let count = count.map_err(|error| self.regex_fault(&error, b""))?;
        Ok(Value::Text(if count == 0 { target } else { Text::from(out) }))
    }
}

/// The first match at or after `from`; the groups only where they are wanted.
async fn find(
    regex: &Regex,
    text: &[u8],
    from: usize,
    wants_groups: bool,
    groups: &mut Vec<Option<Span>>,
    pace: &mut Pace<'_>,
) -> Result<Option<Span>, RegexError> {
    if !wants_groups {
        return regex.find_at(text, from, pace).await;
    }
    regex.captures_at(text, from, groups, pace).await?;
    Ok(groups.first().copied().flatten())
}

/// Replaces match number `wanted` of a text, or all if that is 0; how many were replaced. What one match becomes is
/// measured before it is appended.
async fn replace(
    regex: &Regex,
    text: &[u8],
    parts: &[Replacement<'_>],
    wanted: usize,
    out: &mut Vec<u8>,
    pace: &mut Pace<'_>,
) -> Result<usize, RegexError> {
    let wants_groups = parts.iter().any(|part| matches!(part, Replacement::Group(1..)));
    let mut groups = Vec::new();
    let (mut from, mut done, mut seen, mut count) = (0, 0, 0, 0);
    let mut last_end = None;
    while from <= text.len() {
        let found = match regex.look(text, from, pace)? {
            // What waits for nothing needs no future.
            Look::Known(found) if found.is_none() || !wants_groups => found,
            _ if wants_groups => {
                regex.captures_at(text, from, &mut groups, pace).await?;
                groups.first().copied().flatten()
            }
            look => regex.find_from(look, text, from, pace).await?,
        };
        let Some((start, end)) = found else { break };
        if !(start == end && last_end == Some(start)) {
            seen += 1;
            if wanted == 0 || seen == wanted {
                let pieces = parts.iter().map(|part| match part {
                    Replacement::Plain(text) => text,
                    Replacement::Text(text) => text.as_slice(),
                    Replacement::Group(0) => text.get(start..end).unwrap_or(&[]),
                    Replacement::Group(number) => {
                        let group = groups.get(*number).copied().flatten();
                        group.and_then(|(start, end)| text.get(start..end)).unwrap_or(&[])
                    }
                });
                let before = text.get(done..start).unwrap_or(&[]);
                let length = pieces.clone().fold(before.len(), |sum, piece| sum.saturating_add(piece.len()));
                if !gauge::admit_value(out.len().saturating_add(length)) {
                    break;
                }
                out.extend_from_slice(before);
                for piece in pieces {
                    out.extend_from_slice(piece);
                    if pace.count(1)? {
                        yield_now().await;
                    }
                }
                done = end;
                count += 1;
                if wanted > 0 {
                    break;
                }
            }
        }
        if pace.count(1)? {
            yield_now().await;
        }
        last_end = Some(end);
        from = if start == end { end + unit_at(text, end).map_or(1, |(_, length)| length) } else { end };
    }
    out.extend_from_slice(text.get(done..).unwrap_or(&[]));
    Ok(count)
}

async fn count_slowly(text: &[u8], pace: &mut Pace<'_>) -> Result<usize, Stopped> {
    let mut count = 0;
    for block in blocks(text, BLOCK) {
        count += count_characters(block);
        pace.tick(block.len() as u64 / 2).await?;
    }
    Ok(count)
}

/// How many characters are before a span and in it.
async fn count_both(text: &[u8], (start, end): Span, pace: &mut Pace<'_>) -> Result<(usize, usize), Stopped> {
    let before = count_slowly(text.get(..start).unwrap_or(&[]), pace).await?;
    Ok((before, count_slowly(text.get(start..end).unwrap_or(&[]), pace).await?))
}

/// The place `count` characters after `at`.
async fn skip_slowly(text: &[u8], at: usize, count: usize, pace: &mut Pace<'_>) -> Result<usize, Stopped> {
    let (mut at, mut left) = (at, count);
    for block in blocks(text.get(at..).unwrap_or(&[]), BLOCK) {
        let characters = count_characters(block);
        if characters >= left {
            return Ok(if block.is_ascii() { at + left } else { skip_characters(text, at, left) });
        }
        left -= characters;
        at += block.len();
        pace.tick(block.len() as u64 / 2).await?;
    }
    Ok(at)
}
