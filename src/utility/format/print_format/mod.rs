//! The formats of `printf`, for bash's builtin and GNU's utility: POSIX XCU printf, bash manual 4.2, GNU printf(1).
//!
//! The format is walked once for each round; escapes are decoded on the way, a directive takes its arguments as it comes.
//! The rounds end when one took no argument or all are taken.

mod number;

use super::escape::{Escape, Escapes};
use super::extended::Extended;
use super::specification::Specification;
use crate::limit::{LimitError, Meter, gauge};
use crate::memory::{JoinMetered, ToMeteredString, Vec, format, vec};
use crate::text::Text;
use number::Integer;
use std::fmt::Display;
use std::sync::Arc;

/// What differs between the two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Bash,
    Gnu,
}

/// What a format needs of its surroundings.
pub(crate) trait Surroundings {
    /// Prints a message after `printf: `; may write what was made before and take it out of `out`.
    fn report(&mut self, out: &mut Vec<u8>, message: &dyn Display);
    /// A time as `%(format)T` shows it. Seconds since the epoch; -1: now, -2: the start of the shell.
    fn time(&mut self, format: &[u8], seconds: i64) -> Vec<u8>;
    /// `%n`: stores the number of bytes that were printed. `false`: this is not a variable.
    fn store(&mut self, name: &[u8], count: usize) -> bool;
    /// `%q`
    fn quote(&self, text: &[u8]) -> Vec<u8>;
}

/// Fuel of a piece of output.
const PIECE: i64 = 2;

/// Bytes of an argument, or of the format, that are printed at once.
const PART: usize = 32 << 10;

/// How a round ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Round,
    /// There is enough output for now.
    Full,
    /// `\c`, or an error after which nothing follows.
    All,
}

/// See the module.
pub(crate) struct Formatter<'f> {
    dialect: Dialect,
    format: &'f [u8],
    args: &'f [Text],
    place: FormatterPlace,
    out: &'f mut Vec<u8>,
    start: usize,
    meter: &'f Meter,
    around: &'f mut dyn Surroundings,
}

/// How far a formatter has come.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FormatterPlace {
    /// Arguments that were taken.
    next: usize,
    /// Those that were taken before this round.
    before: usize,
    /// Bytes of the format that are done in this round.
    at: usize,
    /// Bytes of a long argument that are done in the directive at `at`.
    inside: usize,
    /// Bytes that were printed and handed on.
    printed: usize,
    status: u8,
}

/// How far a call of a formatter came.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Printed {
    /// To the end: the exit status.
    All(u8),
    /// There is enough output for now; it goes on from here.
    Part(FormatterPlace),
}

impl<'f> Formatter<'f> {
    pub(crate) fn new(
        dialect: Dialect,
        format: &'f [u8],
        args: &'f [Text],
        out: &'f mut Vec<u8>,
        meter: &'f Arc<Meter>,
        around: &'f mut dyn Surroundings,
    ) -> Self {
        let start = out.len();
        Self { dialect, format, args, place: FormatterPlace::default(), out, start, meter, around }
    }

    /// Prints from a place on until there are `most` bytes of output.
    pub(crate) fn run_from(mut self, place: FormatterPlace, most: usize) -> Result<Printed, LimitError> {
        self.place = place;
        loop {
            match self.round(most)? {
                End::All => break,
                End::Full => {
                    self.place.printed += self.out.len().saturating_sub(self.start);
                    return Ok(Printed::Part(self.place));
                }
                End::Round => {}
            }
            if self.place.next >= self.args.len() {
                break;
            }
            if self.place.next == self.place.before {
                if self.dialect == Dialect::Gnu
                    && let Some(arg) = self.args.get(self.place.next)
                {
                    let arg = crate::utility::format::quote::quote(arg);
                    self.around.report(
                        self.out,
                        &format_args!("warning: ignoring excess arguments, starting with {arg}"),
                    );
                }
                break;
            }
            self.place.before = self.place.next;
        }
        Ok(Printed::All(self.place.status))
    }

    fn fail(&mut self, message: &dyn Display) {
        self.around.report(self.out, message);
        self.place.status = 1;
    }

    /// Asks for room for a piece that is as long as a width or a precision says.
    fn ask(&self, length: usize) -> Result<(), LimitError> {
        if gauge::admit_value(length) { self.tick() } else { self.meter.refuel_in_place() }
    }

    /// Counts the work of a piece of output.
    fn tick(&self) -> Result<(), LimitError> {
        if gauge::burn(PIECE) { self.meter.refuel_in_place() } else { Ok(()) }
    }

    /// Goes on with a round, until there are `most` bytes of output.
    fn round(&mut self, most: usize) -> Result<End, LimitError> {
        while let Some(rest) = self.format.get(self.place.at..).filter(|rest| !rest.is_empty()) {
            if self.out.len() >= most {
                return Ok(End::Full);
            }
            self.tick()?;
            let at = self.place.at;
            match rest {
                [b'%', b'%', ..] => {
                    self.out.push(b'%');
                    self.place.at += 2;
                }
                [b'%', ..] => match self.directive(at)? {
                    Some(after) => self.place.at = after,
                    None => return Ok(End::All),
                },
                [b'\\', ..] => {
                    let is_gnu = self.dialect == Dialect::Gnu;
                    let escapes = if is_gnu { Escapes::GNU_FORMAT } else { Escapes::BASH_FORMAT };
                    let (escape, length) = escapes.decode(rest, self.out);
                    if self.ends(escape) {
                        return Ok(End::All);
                    }
                    self.place.at += length;
                }
                plain => {
                    let plain = plain.get(..PART).unwrap_or(plain);
                    let length = memchr::memchr2(b'%', b'\\', plain).unwrap_or(plain.len());
                    self.out.extend_from_slice(plain.get(..length).unwrap_or(plain));
                    self.place.at += length;
                }
            }
        }
        self.place.at = 0;
        Ok(End::Round)
    }

    /// Whether an escape ends everything; says what is wrong with it.
    fn ends(&mut self, escape: Escape) -> bool {
        match (escape, self.dialect) {
            (Escape::End, _) => true,
            (Escape::LacksDigit(letter), Dialect::Bash) => {
                let what = if letter == b'x' { "hex" } else { "unicode" };
                self.around
                    .report(self.out, &format_args!("missing {what} digit for \\{}", char::from(letter)));
                false
            }
            (Escape::LacksDigit(_), Dialect::Gnu) => {
                self.fail(&"missing hexadecimal number in escape");
                true
            }
            _ => false,
        }
    }

    /// The next argument.
    fn take(&mut self) -> Option<Text> {
        let arg = self.args.get(self.place.next)?;
        self.place.next += 1;
        Some(arg.clone())
    }

    /// Does the directive at `start`; where it ends. `None`: it is not valid.
    fn directive(&mut self, start: usize) -> Result<Option<usize>, LimitError> {
        let mut directive = Specification::default();
        let flags = self.format.get(start + 1..).unwrap_or(&[]);
        let mut at = self.format.len() - directive.take_flags(flags, b"-+ #0'").len();
        if self.format.get(at) == Some(&b'*') {
            at += 1;
            let width = self.star();
            directive.left |= width < 0;
            directive.width = width.unsigned_abs() as usize;
        } else {
            directive.width = self.number(&mut at);
        }
        if self.format.get(at) == Some(&b'.') {
            at += 1;
            directive.precision = if self.format.get(at) == Some(&b'*') {
                at += 1;
                usize::try_from(self.star()).ok()
            } else if self.format.get(at) == Some(&b'-') {
                // A negative precision is none.
                at += 1;
                self.number(&mut at);
                None
            } else {
                Some(self.number(&mut at))
            };
        }
        while self.format.get(at).is_some_and(|byte| b"hjlLtzq".contains(byte))
            && !(self.format.get(at) == Some(&b'q') && self.is_quoting(at))
        {
            at += 1;
        }
        let Some(&conversion) = self.format.get(at) else {
            self.missing(start, at);
            return Ok(None);
        };
        if !self.convert(&directive, conversion, start, &mut at)? {
            return Ok(None);
        }
        // There is more of a long argument.
        Ok(Some(if self.place.inside > 0 { start } else { at }))
    }

    /// Whether the `q` at `at` is a conversion: as a length it would stand before another one.
    fn is_quoting(&self, at: usize) -> bool {
        !self.format.get(at + 1).is_some_and(|next| self.dialect == Dialect::Gnu && b"diouxX".contains(next))
            || self.dialect == Dialect::Bash
    }

    fn missing(&mut self, start: usize, end: usize) {
        let text = bstr::BStr::new(self.format.get(start..end).unwrap_or(&[])).to_metered_string();
        match self.dialect {
            Dialect::Bash => self.fail(&format_args!("`{text}': missing format character")),
            Dialect::Gnu => self.fail(&format_args!("{text}: invalid conversion specification")),
        }
    }

    /// Digits in the format; at most what an `int` holds.
    fn number(&self, at: &mut usize) -> usize {
        let mut value = 0_usize;
        while let Some(&digit @ b'0'..=b'9') = self.format.get(*at) {
            value = value.saturating_mul(10).saturating_add(usize::from(digit - b'0')).min(i32::MAX as usize);
            *at += 1;
        }
        value
    }

    /// The argument for a `*`.
    fn star(&mut self) -> i64 {
        match self.take() {
            Some(arg) => {
                let Integer { magnitude, negative, .. } = self.integer(&arg);
                let value = magnitude.min(i32::MAX as u64) as i64;
                if magnitude > i32::MAX as u64 {
                    self.out_of_range(&arg);
                }
                if negative { -value } else { value }
            }
            None => 0,
        }
    }

    /// Converts an argument; `at` is at the conversion's letter and goes after it. `false`: it is not valid.
    fn convert(
        &mut self,
        directive: &Specification,
        conversion: u8,
        start: usize,
        at: &mut usize,
    ) -> Result<bool, LimitError> {
        let bash = self.dialect == Dialect::Bash;
        // GNU's take neither flags nor lengths.
        let is_bare = bash || *at == start + 1;
        match conversion {
            b'd' | b'i' | b'o' | b'u' | b'x' | b'X' => {
                let arg = self.take();
                let integer = arg.as_ref().map_or(Integer::default(), |arg| self.integer(arg));
                let signed = matches!(conversion, b'd' | b'i');
                let (magnitude, negative) = self.clamp(integer, signed, arg.as_ref());
                self.put_integer(directive, conversion, magnitude, negative)?;
            }
            b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' => self.put_float(directive, conversion)?,
            b's' | b'b' if *at == start + 1 && self.is_long() => return Ok(self.put_part(conversion, at)),
            b's' => {
                let arg = self.take().unwrap_or_default();
                self.put_text(directive, &arg)?;
            }
            b'c' => {
                let arg = self.take().unwrap_or_default();
                let byte = arg.first().copied().unwrap_or(0);
                if bash || !arg.is_empty() {
                    self.put_text(&Specification { precision: None, ..*directive }, &[byte])?;
                } else {
                    self.put_text(directive, &[0])?;
                }
            }
            b'b' if is_bare => {
                let arg = self.take().unwrap_or_default();
                if !self.put_escaped(directive, &arg)? {
                    return Ok(false);
                }
            }
            b'q' if is_bare => {
                let arg = self.take().unwrap_or_default();
                self.tick()?;
                let quoted = self.around.quote(&arg);
                self.put_text(directive, &quoted)?;
            }
            b'Q' if bash => {
                let arg = self.take().unwrap_or_default();
                let kept = directive.precision.map_or(arg.len(), |precision| precision.min(arg.len()));
                self.tick()?;
                let quoted = self.around.quote(arg.get(..kept).unwrap_or(&arg));
                self.put_text(&Specification { precision: None, ..*directive }, &quoted)?;
            }
            b'n' if bash => {
                let name = self.take().unwrap_or_default();
                let count = self.place.printed + self.out.len().saturating_sub(self.start);
                if !name.is_empty() && !self.around.store(&name, count) {
                    self.place.status = 1;
                    return Ok(false);
                }
            }
            b'(' if bash => return self.put_time(directive, at),
            _ if bash => {
                let shown = Text::from([conversion].as_slice());
                self.fail(&format_args!("`{shown}': invalid format character"));
                return Ok(false);
            }
            _ => {
                let text = bstr::BStr::new(self.format.get(start..=*at).unwrap_or(&[])).to_metered_string();
                self.fail(&format_args!("{text}: invalid conversion specification"));
                return Ok(false);
            }
        }
        *at += 1;
        Ok(true)
    }

    /// `%(format)T`
    fn put_time(&mut self, directive: &Specification, at: &mut usize) -> Result<bool, LimitError> {
        let inside = *at + 1;
        let mut depth = 1_usize;
        let mut end = inside;
        while depth > 0 {
            match self.format.get(end) {
                Some(b'(') => depth += 1,
                Some(b')') => depth -= 1,
                Some(_) => {}
                None => break,
            }
            end += 1;
        }
        let letter = if depth == 0 { self.format.get(end) } else { None };
        if letter != Some(&b'T') {
            let shown = Text::from(letter.map_or(&[][..], std::slice::from_ref));
            self.around
                .report(self.out, &format_args!("warning: `{shown}': invalid time format specification"));
            self.out.extend_from_slice(b"%(");
            *at = inside;
            return Ok(true);
        }
        let seconds = match self.take() {
            Some(arg) => {
                let integer = self.integer(&arg);
                let (magnitude, negative) = self.clamp(integer, true, Some(&arg));
                let value = i64::try_from(magnitude).unwrap_or(i64::MAX);
                if negative { -value } else { value }
            }
            None => -1,
        };
        let format = self.format.get(inside..end - 1).unwrap_or(&[]);
        let format = if format.is_empty() { b"%X" } else { format };
        let text = self.around.time(format, seconds);
        self.put_text(directive, &text)?;
        *at = end + 1;
        Ok(true)
    }

    /// `%b`; `false` at `\c`.
    /// Whether the next argument is printed in parts.
    fn is_long(&self) -> bool {
        self.args.get(self.place.next).is_some_and(|arg| arg.len() > PART)
    }

    /// Prints the next part of a long argument as it is, or with its escapes decoded. `false`: nothing follows.
    fn put_part(&mut self, conversion: u8, at: &mut usize) -> bool {
        let arg = self.args.get(self.place.next).cloned().unwrap_or_default();
        let mut rest = arg.get(self.place.inside..).unwrap_or(&[]);
        let enough = self.out.len().saturating_add(PART);
        let mut goes_on = true;
        while goes_on && !rest.is_empty() && self.out.len() < enough {
            let part = rest.get(..PART).unwrap_or(rest);
            let escape = if conversion == b'b' { memchr::memchr(b'\\', part) } else { None };
            let (plain, after) = rest.split_at_checked(escape.unwrap_or(part.len())).unwrap_or((rest, &[]));
            self.out.extend_from_slice(plain);
            rest = after;
            if escape.is_some() {
                let (escape, length) = Escapes::ARGUMENT.decode(rest, self.out);
                goes_on = !self.ends(escape);
                rest = rest.get(length..).unwrap_or(&[]);
            }
            if gauge::is_refused() {
                rest = &[];
            }
        }
        if goes_on && !rest.is_empty() {
            self.place.inside = arg.len() - rest.len();
        } else {
            self.place.inside = 0;
            self.place.next += 1;
            *at += 1;
        }
        goes_on
    }

    fn put_escaped(&mut self, directive: &Specification, arg: &[u8]) -> Result<bool, LimitError> {
        self.tick()?;
        let mut text = Vec::with_capacity(arg.len());
        let mut rest = arg;
        let mut goes_on = true;
        while let Some(at) = memchr::memchr(b'\\', rest) {
            text.extend_from_slice(rest.get(..at).unwrap_or(&[]));
            rest = rest.get(at..).unwrap_or(&[]);
            let (escape, length) = Escapes::ARGUMENT.decode(rest, &mut text);
            goes_on = !self.ends(escape);
            rest = if goes_on { rest.get(length..).unwrap_or(&[]) } else { &[] };
        }
        text.extend_from_slice(rest);
        self.put_text(directive, &text)?;
        Ok(goes_on)
    }

    fn put_text(&mut self, directive: &Specification, text: &[u8]) -> Result<(), LimitError> {
        let shown = directive.precision.map_or(text.len(), |precision| precision.min(text.len()));
        self.put_padded(directive, b"", text.get(..shown).unwrap_or(text), false)
    }

    /// A number or a text in its width. `sign` goes before padding with zeros.
    fn put_padded(
        &mut self,
        directive: &Specification,
        sign: &[u8],
        text: &[u8],
        zeros: bool,
    ) -> Result<(), LimitError> {
        self.ask(directive.width)?;
        directive.put(sign, text, zeros, self.out);
        Ok(())
    }

    fn put_integer(
        &mut self,
        directive: &Specification,
        conversion: u8,
        magnitude: u64,
        negative: bool,
    ) -> Result<(), LimitError> {
        let mut decimal = itoa::Buffer::new();
        let other;
        let mut digits = match conversion {
            b'o' | b'x' | b'X' => {
                other = match conversion {
                    b'o' => format!("{magnitude:o}"),
                    b'x' => format!("{magnitude:x}"),
                    _ => format!("{magnitude:X}"),
                };
                other.as_bytes()
            }
            _ => decimal.format(magnitude).as_bytes(),
        };
        if magnitude == 0 && directive.precision == Some(0) {
            digits = b"";
        }
        let signed = matches!(conversion, b'd' | b'i');
        let sign: &[u8] = match conversion {
            _ if negative || signed => directive.sign(negative),
            b'x' if directive.alternate && magnitude != 0 => b"0x",
            b'X' if directive.alternate && magnitude != 0 => b"0X",
            _ => b"",
        };
        let mut least = directive.precision.unwrap_or(0);
        if conversion == b'o' && directive.alternate && !digits.starts_with(b"0") {
            least = least.max(digits.len() + 1);
        }
        let zeros = directive.zero && directive.precision.is_none();
        if least <= digits.len() {
            return self.put_padded(directive, sign, digits, zeros);
        }
        self.ask(least)?;
        let mut text = vec![b'0'; least - digits.len()];
        text.extend_from_slice(digits);
        self.put_padded(directive, sign, &text, zeros)
    }

    fn put_float(&mut self, directive: &Specification, conversion: u8) -> Result<(), LimitError> {
        let value = match self.take() {
            Some(arg) => self.float(&arg),
            None => Extended::ZERO,
        };
        self.ask(directive.precision.unwrap_or(0))?;
        let text = value.format(conversion, directive.precision, directive.alternate);
        let sign = directive.sign(value.is_negative());
        if matches!(conversion, b'a' | b'A') && value.is_finite() {
            // Zeros go after `0x`.
            let prefix = [sign, text.get(..2).unwrap_or(&[])].concat_metered();
            return self.put_padded(directive, &prefix, text.get(2..).unwrap_or(&[]), directive.zero);
        }
        self.put_padded(directive, sign, &text, directive.zero && value.is_finite())
    }
}
