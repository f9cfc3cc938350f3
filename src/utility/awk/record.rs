//! The machine's use of the record: fields, regular expressions, and what `getline` reads.

use super::error::Fault;
use super::field::Splitter;
use super::machine::{CachedVariables, Machine, Pause};
use super::number::to_number;
use super::op::{FNR, NR, Op, Place, Source};
use super::value::Value;
use crate::memory::{String, ToMetered, Vec, format};
use crate::text::Text;
use crate::utility::context::pace::{Pace, in_place};
use crate::utility::context::ticker::{MeterTicker, stopped};
use crate::utility::regex::{Look, Regex, RegexError, RegexOptions, Syntax};
use std::pin::pin;

/// Dynamic regular expressions that are kept.
const GREATEST_REGEXES: usize = 32;

impl Machine<'_> {
    /// What `separator` means as `FS` or as an argument of `split`.
    pub(super) fn splitter_for(&mut self, separator: &[u8]) -> Result<Splitter, Fault> {
        Ok(match separator {
            b" " => Splitter::Blanks,
            [] => Splitter::Characters,
            [byte] if byte.is_ascii() => Splitter::Byte(*byte),
            _ => Splitter::Regex(self.regex(separator)?),
        })
    }

    /// A dynamic regular expression.
    pub(super) fn regex(&mut self, source: &[u8]) -> Result<Regex, Fault> {
        if let Some(regex) = self.regexes.get(source) {
            return Ok(regex.clone());
        }
        for byte in super::lexer::unknown_escapes(source, &mut self.warned_escapes) {
            self.warnings.push(super::lexer::regex_escape_warning(byte));
        }
        let options = RegexOptions { ignore_case: self.ignore_case, ..self.regex_options.clone() };
        let regex = Regex::new(source, Syntax::Extended, &options)
            .map_err(|error| self.regex_fault(&error, source))?;
        if self.regexes.len() >= GREATEST_REGEXES {
            self.regexes.clear();
        }
        self.regexes.insert(source.to_metered(), regex.clone());
        Ok(regex)
    }

    pub(super) fn regex_fault(&self, error: &RegexError, source: &[u8]) -> Fault {
        match error {
            RegexError::Stopped(_) => Fault::Limit(stopped(&self.meter)),
            error => Fault::fatal(format!("invalid regexp: {error}: /{}/", String::from_utf8_lossy(source))),
        }
    }

    /// The expression that an argument is.
    pub(super) fn regex_of(&mut self, value: &Value) -> Result<Regex, Fault> {
        if let Value::Regex(number) = value {
            return self.program_regex(*number);
        }
        let source = self.text(value);
        self.regex(&source)
    }

    /// An expression of the program, as `IGNORECASE` has it.
    pub(super) fn program_regex(&mut self, number: u32) -> Result<Regex, Fault> {
        let program = self.program;
        match (program.regexes.get(number as usize), program.regex_sources.get(number as usize)) {
            (Some(_), Some(source)) if self.ignore_case => self.regex(source),
            (Some(regex), _) => Ok(regex.clone()),
            (None, _) => self.regex(b""),
        }
    }

    /// Whether the record matches an expression of the program, where a look tells: most records end here, and need no
    /// future.
    pub(super) fn known_match(&self, number: u32) -> Option<bool> {
        if self.record.is_stale || self.ignore_case {
            return None;
        }
        let regex = self.program.regexes.get(number as usize)?;
        match regex.look(self.record.text(), 0, &mut Pace::Shared(&self.meter)) {
            Ok(Look::Known(found)) => Some(found.is_some()),
            _ => None,
        }
    }

    /// The widths of `FIELDWIDTHS`: what is skipped before a field, and its characters; `*` is the rest.
    pub(super) fn widths(text: &[u8]) -> Result<Splitter, Fault> {
        let mut widths = Vec::new();
        for (index, word) in text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).enumerate() {
            let number = |digits: &[u8]| std::str::from_utf8(digits).ok()?.parse::<u32>().ok();
            let (skip, width) = match memchr::memchr(b':', word) {
                Some(colon) => {
                    (number(word.get(..colon).unwrap_or(&[])), word.get(colon + 1..).unwrap_or(&[]))
                }
                None => (Some(0), word),
            };
            let width = if width == b"*" { Some(u32::MAX) } else { number(width) };
            let (Some(skip), Some(width)) = (skip, width) else {
                let shown = String::from_utf8_lossy(word);
                let field = index + 1;
                let message = format!("invalid FIELDWIDTHS value, for field {field}, near `{shown}'");
                return Err(Fault::fatal(message));
            };
            widths.push((skip as usize, width as usize));
        }
        Ok(Splitter::Widths(widths))
    }

    pub(super) const fn field_splitter(&self) -> &Splitter {
        &self.splitter
    }

    /// Finds the fields of the record in one go; a large one has been prepared, as a rule.
    pub(super) fn split_record(&mut self) -> Result<(), Fault> {
        if self.record.is_split {
            return Ok(());
        }
        let newline_splits = self.settings.rs.is_empty();
        let ticker = &mut MeterTicker::new(&self.meter);
        let split =
            in_place(pin!(self.record.split(&self.splitter, newline_splits, &mut Pace::Alone(ticker))));
        split.unwrap_or(Ok(())).map_err(|error| self.regex_fault(&error, b""))
    }

    /// Builds the record from its fields in one go, if they were changed.
    pub(super) fn rebuild_record(&mut self) -> Result<(), Fault> {
        if !self.record.is_stale {
            return Ok(());
        }
        let ticker = &mut MeterTicker::new(&self.meter);
        let CachedVariables { ofs, convfmt, .. } = &self.settings;
        let rebuilt = in_place(pin!(self.record.rebuild(ofs, convfmt, &mut Pace::Alone(ticker))));
        rebuilt.unwrap_or(Ok(())).map_err(|error| self.regex_fault(&error, b""))
    }

    /// Makes every field a value of its own.
    pub(super) fn own_fields(&mut self) -> Result<(), Fault> {
        self.split_record()?;
        let ticker = &mut MeterTicker::new(&self.meter);
        let owned = in_place(pin!(self.record.own(&mut Pace::Alone(ticker))));
        owned.unwrap_or(Ok(())).map_err(|error| self.regex_fault(&error, b""))
    }

    pub(super) fn field(&mut self, number: f64) -> Result<Value, Fault> {
        if number < 0.0 {
            return Err(Fault::fatal(format!("attempt to access field {}", number as i64)));
        }
        if number >= i64::MAX as f64 {
            return Err(Fault::fatal(format!("attempt to access field {}", i64::MIN)));
        }
        let number = number as usize;
        if number == 0 {
            self.rebuild_record()?;
            return Ok(self.record.value());
        }
        if !self.record.has_found(number) {
            if matches!(self.splitter, Splitter::Blanks) {
                self.record.split_words_to(number);
            } else {
                self.split_record()?;
            }
        }
        Ok(self.record.field(number))
    }

    /// Field `number` for the operation that follows: one that calculates needs its number alone.
    pub(super) fn field_for(&mut self, number: u32, next: Option<Op>) -> Result<Value, Fault> {
        let value = matches!(next, Some(Op::Update(..) | Op::Binary(_)))
            .then(|| self.record.known_field(number as usize, &self.splitter))
            .flatten();
        match value {
            Some(text) => Ok(Value::Number(to_number(text))),
            None => self.field(f64::from(number)),
        }
    }

    pub(super) fn set_field(&mut self, number: f64, value: Value) -> Result<(), Fault> {
        if number < 0.0 {
            return Err(Fault::fatal(format!("attempt to access field {}", number as i64)));
        }
        let number = number as usize;
        if number == 0 {
            let text = self.text(&value);
            self.record.assign(&value, &text);
            return Ok(());
        }
        self.own_fields()?;
        self.record.set_field(number, value);
        Ok(())
    }

    /// Makes the fields up to that one.
    pub(super) fn reach_field(&mut self, number: &Value) -> Result<(), Fault> {
        self.field(number.number())?;
        self.own_fields()?;
        self.record.reach(number.number() as usize);
        Ok(())
    }

    pub(super) fn getline(&mut self, source: Source, place: Option<Place>) -> Pause {
        // For a command the place's operand is above the name, for a file below it.
        let name = match source {
            Source::Main => Text::EMPTY,
            Source::File => self.pop_text(),
            Source::Command => {
                let operand = place.map(|place| self.pop_operand(place));
                let name = self.pop_text();
                if let (Some(operand), Some(Place::Field | Place::Element(_))) = (operand, place) {
                    self.push(operand);
                }
                name
            }
        };
        Pause::Getline(source, place, name)
    }

    /// Takes the outcome of a `getline`: 1 and a record, 0 at the end, -1 after an error.
    pub(super) fn getline_done(
        &mut self,
        place: Option<Place>,
        outcome: i8,
        record: &[u8],
    ) -> Result<(), Fault> {
        let operand = place.map_or(Value::Unset, |place| self.pop_operand(place));
        match place {
            Some(place) if outcome > 0 => {
                let value = Value::input(record);
                self.store_place(place, &operand, value)?;
            }
            None if outcome > 0 => self.record.set(record),
            // The place comes into being all the same.
            Some(Place::Field) => self.reach_field(&operand)?,
            Some(place @ Place::Element(_)) => {
                self.load_place(place, &operand)?;
            }
            Some(Place::Var(_)) | None => {}
        }
        self.push(Value::Number(f64::from(outcome)));
        Ok(())
    }

    /// Counts a record in `NR`, and in `FNR`.
    pub(super) fn count_record(&mut self, in_file: bool) {
        for slot in [NR, FNR].into_iter().take(if in_file { 2 } else { 1 }) {
            if let Some(value) = self.globals.get_mut(slot as usize) {
                // Only the whole part of what was assigned counts on.
                let number = value.number();
                let is_small = number.abs() < 1e15;
                let whole = if is_small { (number as i64) as f64 } else { number.trunc() };
                *value = Value::Number(whole + 1.0);
            }
        }
    }
}
