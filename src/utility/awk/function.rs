//! The functions of the language that need nothing but the machine.

use crate::memory::{JoinMetered, String, ToMeteredString, Vec, format};
use super::error::Fault;
use super::field::Piece;
use super::machine::{Machine, Pause};
use super::sort::{Order, Purpose};
use super::op::{Function, Place, RLENGTH, RSTART};
use super::text::Str;
use super::value::Value;
use crate::character::{fold, push_unit, unfold, unit_at};
use crate::text::Text;
use crate::utility::charged::ChargedVec;
use crate::utility::regex::{Regex, Span};
use crate::utility::ticker::MeterTicker;

impl Machine<'_> {
    /// Calls a function with the `count` values on top of the stack; some need a pause, after which their value is pushed.
    pub(super) fn function(&mut self, function: Function, count: usize) -> Result<Option<Pause>, Fault> {
        let first = self.stack.len().saturating_sub(count);
        let mut arguments: Vec<Value> = Vec::with_capacity(count);
        arguments.extend(self.stack.iter().skip(first).cloned());
        self.stack.truncate(first);
        let number = |index: usize| arguments.get(index).map_or(0.0, Value::number);
        let value = match function {
            Function::Sin => Value::Number(number(0).sin()),
            Function::Cos => Value::Number(number(0).cos()),
            Function::Atan2 => Value::Number(number(0).atan2(number(1))),
            Function::Exp => Value::Number(number(0).exp()),
            Function::Int => Value::Number(number(0).trunc()),
            Function::Log => {
                self.warn_negative("log", number(0));
                Value::Number(if number(0) < 0.0 { -f64::NAN } else { number(0).ln() })
            }
            Function::Sqrt => {
                self.warn_negative("sqrt", number(0));
                Value::Number(if number(0) < 0.0 { -f64::NAN } else { number(0).sqrt() })
            }
            Function::Rand => Value::Number(self.next_random()),
            Function::Srand => {
                let seed = if count > 0 { number(0) } else { self.clock.now().as_secs() as f64 };
                let old = std::mem::replace(&mut self.seed, seed);
                self.random = seed.to_bits();
                Value::Number(old)
            }
            Function::And | Function::Or | Function::Xor => Self::bits(function, &arguments)?,
            Function::Lshift => Value::Number(whole(number(0)).wrapping_shl(number(1) as u32) as f64),
            Function::Rshift => Value::Number(whole(number(0)).wrapping_shr(number(1) as u32) as f64),
            Function::Compl => Value::Number((!whole(number(0)) & ((1 << 53) - 1)) as f64),
            Function::Length => self.length(&arguments)?,
            Function::IsArray => Value::truth(matches!(arguments.first(), Some(Value::Array(_)))),
            Function::Index => self.index(&arguments)?,
            Function::Substr => self.substr(&arguments)?,
            Function::Tolower | Function::Toupper => {
                let text = self.argument_text(&arguments, 0)?;
                self.in_case(&text, function == Function::Toupper)?
            }
            Function::Sprintf => {
                for argument in arguments {
                    self.push(argument)?;
                }
                let mut text = Vec::new();
                self.format(count, &mut text)?;
                Value::Text(Str::from_vec(text, &self.meter)?)
            }
            Function::Strtonum => Value::Number(strtonum(&self.argument_text(&arguments, 0)?)),
            Function::Split => self.split(&arguments)?,
            Function::Match => self.match_function(&arguments)?,
            Function::Gensub => self.gensub(&arguments)?,
            Function::Asort | Function::Asorti => return self.sort(function, &arguments),
            Function::Systime => Value::Number(self.clock.now().as_secs() as f64),
            Function::Strftime => self.strftime(&arguments)?,
            Function::Mktime => {
                let text = self.argument_text(&arguments, 0)?;
                let is_utc = arguments.get(1).is_some_and(Value::is_true);
                Value::Number(super::time::mktime(&text, &self.zone, is_utc) as f64)
            }
            Function::System => return Ok(Some(Pause::System(self.argument_text(&arguments, 0)?))),
            Function::Close => return Ok(Some(Pause::Close(self.argument_text(&arguments, 0)?))),
            Function::Fflush => {
                let name = match arguments.first() {
                    Some(value) => Some(self.text(value)?),
                    None => None,
                };
                return Ok(Some(Pause::Fflush(name)));
            }
            Function::Sub | Function::Gsub => Value::Unset,
        };
        self.push(value)?;
        Ok(None)
    }

    fn argument_text(&self, arguments: &[Value], index: usize) -> Result<Str, Fault> {
        arguments.get(index).map_or(Ok(Str::EMPTY), |value| self.text(value))
    }

    fn warn_negative(&mut self, name: &str, number: f64) {
        if number < 0.0 {
            let mut shown = Vec::new();
            super::number::push_number(number, b"%.6g", &mut shown);
            let shown = String::from_utf8_lossy(&shown);
            self.warnings.push(format!("warning: {name}: received negative argument {shown}"));
        }
    }

    /// `SplitMix64`; in `[0, 1)`.
    fn next_random(&mut self) -> f64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as f64 / 2_f64.powi(64) * (1.0 - f64::EPSILON)
    }

    fn bits(function: Function, arguments: &[Value]) -> Result<Value, Fault> {
        let mut numbers = Vec::with_capacity(arguments.len());
        for (index, argument) in arguments.iter().enumerate() {
            let number = argument.number();
            if number < 0.0 {
                let name = function.name();
                let place = index + 1;
                return Err(Fault::fatal(format!(
                    "{name}: argument {place} negative value {number} is not allowed"
                )));
            }
            numbers.push(whole(number));
        }
        let combined = numbers.into_iter().reduce(|left, right| match function {
            Function::And => left & right,
            Function::Or => left | right,
            _ => left ^ right,
        });
        Ok(Value::Number(combined.unwrap_or(0) as f64))
    }

    fn length(&mut self, arguments: &[Value]) -> Result<Value, Fault> {
        match arguments.first() {
            Some(Value::Array(number)) => Ok(Value::Number(self.table(*number)?.len() as f64)),
            Some(value) => Ok(Value::Number(count_characters(&self.text(value)?) as f64)),
            None => {
                let record = self.field(0.0)?;
                Ok(Value::Number(count_characters(&self.text(&record)?) as f64))
            }
        }
    }

    fn index(&mut self, arguments: &[Value]) -> Result<Value, Fault> {
        let (text, wanted) = (self.argument_text(arguments, 0)?, self.argument_text(arguments, 1)?);
        let found = memchr::memmem::find(&text, &wanted);
        let place = found.map_or(0, |at| 1 + count_characters(text.get(..at).unwrap_or(&[])));
        Ok(Value::Number(place as f64))
    }

    fn substr(&mut self, arguments: &[Value]) -> Result<Value, Fault> {
        let text = self.argument_text(arguments, 0)?;
        // gawk takes what is before the text for its first character, and keeps the length.
        let start = arguments.get(1).map_or(0.0, Value::number).trunc().max(1.0);
        let length = arguments.get(2).map_or(f64::INFINITY, |value| value.number().trunc());
        let end = start + length;
        if end.partial_cmp(&start) != Some(std::cmp::Ordering::Greater) {
            return Ok(Value::Text(Str::EMPTY));
        }
        let (skip, count) = ((start - 1.0) as usize, (end - start).min(1e18) as usize);
        let piece = if text.is_ascii() {
            let from = skip.min(text.len());
            (from, from.saturating_add(count).min(text.len()))
        } else {
            let from = skip_characters(&text, 0, skip);
            (from, skip_characters(&text, from, count))
        };
        let piece = text.get(piece.0..piece.1).unwrap_or(&[]);
        Ok(Value::Text(Str::new(piece, &self.meter)?))
    }

    fn in_case(&self, text: &[u8], is_upper: bool) -> Result<Value, Fault> {
        let _charge = self.meter.charge(text.len() as u64)?;
        let mut out = Vec::with_capacity(text.len());
        if text.is_ascii() {
            out.extend(text.iter().map(|byte| if is_upper { byte.to_ascii_uppercase() } else { byte.to_ascii_lowercase() }));
        } else {
            let mut at = 0;
            while let Some((unit, length)) = unit_at(text, at) {
                push_unit(&mut out, if is_upper { unfold(unit) } else { fold(unit) });
                at += length;
            }
        }
        Ok(Value::Text(Str::from_vec(out, &self.meter)?))
    }

    /// `printf`: pops `count` values, the first of which is the format.
    pub(super) fn format(&mut self, count: usize, out: &mut Vec<u8>) -> Result<(), Fault> {
        use super::format::{FormatError, format};
        let first = self.stack.len().saturating_sub(count);
        let arguments: Vec<Value> = self.stack.iter().skip(first).cloned().collect();
        self.stack.truncate(first);
        let text = self.argument_text(&arguments, 0)?;
        let rest = arguments.get(1..).unwrap_or(&[]);
        format(&text, rest, &self.settings.convfmt, &self.meter, out).map_err(|error| match error {
            FormatError::Limit(limit) => limit.into(),
            FormatError::OutOfArguments(at) => {
                let shown = String::from_utf8_lossy(&text);
                let pad = " ".repeat(at + 1);
                Fault::fatal(format!(
                    "not enough arguments to satisfy format string\n\t`{shown}'\n\t{pad}^ ran out for this one"
                ))
            }
        })
    }

    fn split(&mut self, arguments: &[Value]) -> Result<Value, Fault> {
        let text = self.argument_text(arguments, 0)?;
        let separator = match arguments.get(2) {
            Some(Value::Regex(number)) => {
                let regex = self.program.regexes.get(*number as usize);
                regex.map_or(super::field::Splitter::Blanks, |regex| super::field::Splitter::Regex(regex.clone()))
            }
            Some(value) => {
                let separator = self.text(value)?;
                self.splitter_for(&separator)?
            }
            None => self.field_splitter().clone(),
        };
        let mut pieces: ChargedVec<Piece> = ChargedVec::new(&self.meter);
        let ticker = &mut MeterTicker::new(&self.meter);
        super::field::split(&text, &separator, false, ticker, &mut pieces)
            .map_err(|error| self.split_fault(error))?;
        self.has_worked();
        if let Some(Value::Array(seps)) = arguments.get(3) {
            let _charge = self.meter.charge((pieces.len() * 2 * size_of::<Piece>()) as u64)?;
            let ends = pieces.iter().map(|piece| piece.1).collect::<Vec<_>>();
            let starts = pieces.iter().map(|piece| piece.0).skip(1);
            let gaps: Vec<Piece> = ends.into_iter().zip(starts).collect();
            self.fill(*seps, &text, &gaps)?;
        }
        if let Some(Value::Array(array)) = arguments.get(1) {
            self.fill(*array, &text, &pieces)?;
        }
        Ok(Value::Number(pieces.len() as f64))
    }

    /// Makes an array hold pieces of a text, from 1.
    fn fill(&mut self, array: u32, text: &[u8], pieces: &[Piece]) -> Result<(), Fault> {
        self.table(array)?.clear()?;
        for (index, &(start, end)) in pieces.iter().enumerate() {
            let value = Value::Input(Str::new(text.get(start..end).unwrap_or(&[]), &self.meter)?);
            *self.table(array)?.entry(number_key(index + 1))? = value;
        }
        Ok(())
    }

    fn match_function(&mut self, arguments: &[Value]) -> Result<Value, Fault> {
        let text = self.argument_text(arguments, 0)?;
        let regex = self.regex_of(arguments.get(1).unwrap_or(&Value::Unset))?;
        let mut groups = Vec::new();
        let ticker = &mut MeterTicker::new(&self.meter);
        let wants_groups = matches!(arguments.get(2), Some(Value::Array(_)));
        let found = if wants_groups {
            regex.captures_at_ticked(&text, 0, &mut groups, ticker).map(|_| groups.first().copied().flatten())
        } else {
            regex.find_at_ticked(&text, 0, ticker)
        };
        let found = found.map_err(|error| self.regex_fault(&error, b""))?;
        let (start, length) = match found {
            Some((start, end)) => (
                1 + count_characters(text.get(..start).unwrap_or(&[])) as i64,
                count_characters(text.get(start..end).unwrap_or(&[])) as i64,
            ),
            None => (0, -1),
        };
        self.set_global(RSTART, Value::Number(start as f64))?;
        self.set_global(RLENGTH, Value::Number(length as f64))?;
        if let Some(Value::Array(array)) = arguments.get(2) {
            self.fill_groups(*array, &text, &groups)?;
        }
        Ok(Value::Number(start as f64))
    }

    /// The third argument of `match`: each group, and its start and length.
    fn fill_groups(&mut self, array: u32, text: &[u8], groups: &[Option<Span>]) -> Result<(), Fault> {
        self.table(array)?.clear()?;
        for (index, group) in groups.iter().enumerate() {
            let Some((start, end)) = *group else { continue };
            let value = Value::Input(Str::new(text.get(start..end).unwrap_or(&[]), &self.meter)?);
            let place = 1 + count_characters(text.get(..start).unwrap_or(&[]));
            let length = count_characters(text.get(start..end).unwrap_or(&[]));
            let key = |name: &str| {
                let key = [index.to_metered_string().as_bytes(), &self.settings.subsep, name.as_bytes()].concat_metered();
                Str::new(&key, &self.meter)
            };
            let (start_key, length_key) = (key("start")?, key("length")?);
            let table = self.table(array)?;
            *table.entry(number_key(index))? = value;
            *table.entry(start_key)? = Value::Number(place as f64);
            *table.entry(length_key)? = Value::Number(length as f64);
        }
        Ok(())
    }

    /// `sub` and `gsub`: pushes how many were replaced.
    pub(super) fn substitute(&mut self, is_global: bool, place: Option<Place>) -> Result<(), Fault> {
        let operand = match place {
            Some(place) => self.pop_operand(place),
            None => self.pop(),
        };
        let replacement = self.pop_text()?;
        let pattern = self.pop();
        let regex = self.regex_of(&pattern)?;
        let target = match place {
            Some(place) => self.place_text(place, &operand)?,
            None => self.text(&operand)?,
        };
        let mut out = Vec::new();
        let parts = Replacement::simple(&replacement);
        let wanted = usize::from(!is_global);
        let count = self.replace(&regex, &target, &parts, wanted, &mut out)?;
        if count > 0
            && let Some(place) = place
        {
            let value = Value::Text(Str::from_vec(out, &self.meter)?);
            self.store_place(place, &operand, value)?;
        }
        self.has_worked();
        self.push(Value::Number(count as f64))
    }

    fn place_text(&mut self, place: Place, operand: &Value) -> Result<Str, Fault> {
        let value = self.load_place(place, operand)?;
        self.text(&value)
    }

    fn gensub(&mut self, arguments: &[Value]) -> Result<Value, Fault> {
        let regex = self.regex_of(arguments.first().unwrap_or(&Value::Unset))?;
        let replacement = self.argument_text(arguments, 1)?;
        let how = arguments.get(2).cloned().unwrap_or(Value::Unset);
        let target = if let Some(value) = arguments.get(3) {
            self.text(value)?
        } else {
            let record = self.field(0.0)?;
            self.text(&record)?
        };
        let how_text = self.text(&how)?;
        let wanted = match how_text.first() {
            Some(b'g' | b'G') => 0,
            _ => (how.number().max(1.0)) as usize,
        };
        let mut out = Vec::new();
        let parts = Replacement::with_groups(&replacement);
        let count = self.replace(&regex, &target, &parts, wanted, &mut out)?;
        self.has_worked();
        if count == 0 { Ok(Value::Text(target)) } else { Ok(Value::Text(Str::from_vec(out, &self.meter)?)) }
    }

    /// Replaces match number `wanted` of a text, or all if that is 0; how many were replaced.
    fn replace(
        &self,
        regex: &Regex,
        text: &[u8],
        parts: &[Replacement],
        wanted: usize,
        out: &mut Vec<u8>,
    ) -> Result<usize, Fault> {
        let needs_groups = parts.iter().any(|part| matches!(part, Replacement::Group(1..)));
        let mut groups = Vec::new();
        let (mut from, mut done, mut seen, mut count) = (0, 0, 0, 0);
        let mut last_end = None;
        let ticker = &mut MeterTicker::new(&self.meter);
        let mut charge = self.meter.empty_charge();
        while from <= text.len() {
            let found = if needs_groups {
                regex.captures_at_ticked(text, from, &mut groups, ticker).map(|_| groups.first().copied().flatten())
            } else {
                regex.find_at_ticked(text, from, ticker)
            };
            let Some((start, end)) = found.map_err(|error| self.regex_fault(&error, b""))? else { break };
            if !(start == end && last_end == Some(start)) {
                seen += 1;
                if wanted == 0 || seen == wanted {
                    out.extend_from_slice(text.get(done..start).unwrap_or(&[]));
                    for part in parts {
                        match part {
                            Replacement::Text(text) => out.extend_from_slice(text),
                            Replacement::Group(0) => out.extend_from_slice(text.get(start..end).unwrap_or(&[])),
                            Replacement::Group(number) => {
                                let group = groups.get(*number).copied().flatten();
                                let group = group.and_then(|(start, end)| text.get(start..end));
                                out.extend_from_slice(group.unwrap_or(&[]));
                            }
                        }
                    }
                    if out.capacity() as u64 > charge.bytes() {
                        self.meter.check_value(out.len() as u64)?;
                        charge.set(out.capacity() as u64)?;
                    }
                    done = end;
                    count += 1;
                    if count % 1024 == 0 {
                        self.meter.tick(1024)?;
                    }
                    if wanted > 0 {
                        break;
                    }
                }
            }
            last_end = Some(end);
            from = if start == end { end + unit_at(text, end).map_or(1, |(_, length)| length) } else { end };
        }
        out.extend_from_slice(text.get(done..).unwrap_or(&[]));
        Ok(count)
    }

    /// `asort` by value, `asorti` by subscript: the result has subscripts from 1.
    fn sort(&mut self, function: Function, arguments: &[Value]) -> Result<Option<Pause>, Fault> {
        let Some(Value::Array(source)) = arguments.first() else {
            self.push(Value::Number(0.0))?;
            return Ok(None);
        };
        let target = match arguments.get(1) {
            Some(Value::Array(target)) => *target,
            _ => *source,
        };
        let subscripts = function == Function::Asorti;
        let order = if subscripts { Order::SUBSCRIPTS } else { Order::VALUES };
        self.start_job(*source, Purpose::Fill { target, subscripts }, order);
        Ok(Some(Pause::Tick))
    }

    fn strftime(&mut self, arguments: &[Value]) -> Result<Value, Fault> {
        let format = match arguments.first() {
            Some(value) => self.text(value)?,
            None => Str::Short(Text::from_static(b"%a %b %e %H:%M:%S %Z %Y")),
        };
        let seconds = arguments.get(1).map_or(self.clock.now().as_secs() as f64, Value::number);
        let is_utc = arguments.get(2).is_some_and(Value::is_true);
        let text = super::time::strftime(&format, seconds as i64, &self.zone, is_utc);
        Ok(Value::Text(Str::from_vec(text, &self.meter)?))
    }
}

/// A part of a replacement.
enum Replacement {
    Text(Vec<u8>),
    Group(usize),
}

impl Replacement {
    /// For `sub` and `gsub`: `&` is the match, `\&` an ampersand, `\\` before either a backslash.
    fn simple(text: &[u8]) -> Vec<Self> {
        let mut parts = Vec::new();
        let mut literal = Vec::new();
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            if byte == b'\\' {
                let rest = text.get(at..).unwrap_or(&[]);
                let run = rest.iter().take_while(|&&byte| byte == b'\\').count();
                at += run;
                if text.get(at) != Some(&b'&') {
                    literal.resize(literal.len() + run, b'\\');
                    continue;
                }
                literal.resize(literal.len() + run / 2, b'\\');
                if run % 2 == 1 {
                    literal.push(b'&');
                    at += 1;
                }
                continue;
            }
            at += 1;
            if byte == b'&' {
                parts.push(Self::Text(std::mem::take(&mut literal)));
                parts.push(Self::Group(0));
            } else {
                literal.push(byte);
            }
        }
        parts.push(Self::Text(literal));
        parts
    }

    /// For `gensub`: also `\0` to `\9`.
    fn with_groups(text: &[u8]) -> Vec<Self> {
        let mut parts = Vec::new();
        let mut literal = Vec::new();
        let mut bytes = text.iter().copied().peekable();
        while let Some(byte) = bytes.next() {
            let group = match byte {
                b'&' => 0,
                b'\\' => match bytes.next() {
                    Some(digit @ b'0'..=b'9') => usize::from(digit - b'0'),
                    Some(escaped) => {
                        if escaped != b'&' && escaped != b'\\' {
                            literal.push(byte);
                        }
                        literal.push(escaped);
                        continue;
                    }
                    None => {
                        literal.push(byte);
                        continue;
                    }
                },
                _ => {
                    literal.push(byte);
                    continue;
                }
            };
            parts.push(Self::Text(std::mem::take(&mut literal)));
            parts.push(Self::Group(group));
        }
        parts.push(Self::Text(literal));
        parts
    }
}

pub(super) fn number_key(number: usize) -> Str {
    Str::Short(Text::from(number.to_metered_string()))
}

fn whole(number: f64) -> u64 {
    number.trunc() as u64
}

fn count_characters(text: &[u8]) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    let (mut at, mut count) = (0, 0);
    while let Some((_, length)) = unit_at(text, at) {
        at += length;
        count += 1;
    }
    count
}

/// The place `count` characters after `at`.
fn skip_characters(text: &[u8], mut at: usize, count: usize) -> usize {
    let mut left = count;
    while left > 0
        && let Some((_, length)) = unit_at(text, at)
    {
        at += length;
        left -= 1;
    }
    at
}

/// Decimal, `0x` hexadecimal, or `0` octal.
fn strtonum(text: &[u8]) -> f64 {
    let start = text.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(0);
    let text = text.get(start..).unwrap_or(&[]);
    let (sign, digits) = match text {
        [b'-', rest @ ..] => (-1.0, rest),
        [b'+', rest @ ..] => (1.0, rest),
        _ => (1.0, text),
    };
    let base = |digits: &[u8], base: u32| {
        let numbers = digits.iter().map_while(|&byte| char::from(byte).to_digit(base));
        sign * numbers.fold(0.0, |sum, digit| sum * f64::from(base) + f64::from(digit))
    };
    match digits {
        [b'0', b'x' | b'X', rest @ ..] => base(rest, 16),
        [b'0', rest @ ..] if rest.iter().all(|byte| matches!(byte, b'0'..=b'7')) => base(rest, 8),
        _ => super::number::to_number(text),
    }
}
