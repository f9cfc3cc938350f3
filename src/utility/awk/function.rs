//! The functions of the language that need nothing but the machine.

use super::error::Fault;
use super::letter_case::push_in_case;
use super::machine::{Machine, Pause};
use super::op::Function;
use super::sort::{Order, Purpose};
use super::value::Value;
use crate::character::unit_at;
use crate::memory::{String, ToDecimal, Vec, format, repeat};
use crate::text::Text;
use crate::utility::context::pace::{Pace, in_place};
use crate::utility::context::ticker::{MeterTicker, stopped};
use std::pin::pin;

impl Machine<'_> {
    /// Calls a function with the `count` values on top of the stack; some need a pause, after which their value is pushed.
    pub(super) fn function(&mut self, function: Function, count: usize) -> Result<Option<Pause>, Fault> {
        let arguments = self.take_arguments(count);
        let number = |index: usize| arguments.get(index).map_or(0.0, Value::number);
        let value = match function {
            Function::Sin => Value::Number(number(0).sin()),
            Function::Cos => Value::Number(number(0).cos()),
            Function::Atan2 => Value::Number(number(0).atan2(number(1))),
            Function::Exp => {
                let result = number(0).exp();
                if number(0).is_finite() && (result.is_infinite() || result == 0.0) {
                    let shown = shown(number(0));
                    self.warnings.push(format!("warning: exp: argument {shown} is out of range"));
                }
                Value::Number(result)
            }
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
            Function::Lshift | Function::Rshift => {
                let (value, count) = (number(0), number(1));
                if value < 0.0 || count < 0.0 {
                    let name = function.name();
                    return Err(Fault::fatal(format!(
                        "{name}({value:.6}, {count:.6}): negative values are not allowed"
                    )));
                }
                let is_left = function == Function::Lshift;
                let (value, count) = (whole(value), count as u32);
                Value::Number(exact(if is_left {
                    value.wrapping_shl(count)
                } else {
                    value.wrapping_shr(count)
                }))
            }
            Function::Compl => {
                let value = number(0);
                if value < 0.0 {
                    return Err(Fault::fatal(format!("compl({value:.6}): negative value is not allowed")));
                }
                Value::Number(exact(!whole(value)))
            }
            Function::Length => self.length(&arguments)?,
            Function::TypeOf => Value::Text(Text::from_static(match arguments.first() {
                Some(Value::Array(_)) => b"array".as_slice(),
                Some(Value::Number(_)) => b"number",
                Some(Value::Input(text)) if text.is_empty() => b"unassigned",
                Some(value @ Value::Input(_)) if value.is_numeric() => b"strnum",
                Some(Value::Text(_) | Value::Input(_)) => b"string",
                Some(Value::Regex(_)) => b"regexp",
                Some(Value::Untyped(_)) => b"untyped",
                Some(Value::Unset | Value::Unassigned) | None => b"unassigned",
            })),
            Function::IsArray => Value::truth(matches!(arguments.first(), Some(Value::Array(_)))),
            Function::Index => self.index(&arguments),
            Function::Substr => self.substr(&arguments),
            Function::Tolower | Function::Toupper => {
                let text = self.argument_text(&arguments, 0);
                let mut out = Vec::with_capacity(text.len());
                push_in_case(&text, function == Function::Toupper, &mut out);
                Value::Text(Text::from(out))
            }
            Function::Sprintf => {
                let mut text = Vec::new();
                self.format_at_once(&arguments, &mut text)?;
                Value::Text(Text::from(text))
            }
            Function::Strtonum => Value::Number(strtonum(&self.argument_text(&arguments, 0))),
            Function::Asort | Function::Asorti => return self.sort(function, &arguments),
            Function::Systime => Value::Number(self.clock.now().as_secs() as f64),
            Function::Strftime => self.strftime(&arguments),
            Function::Mktime => {
                let text = self.argument_text(&arguments, 0);
                let is_utc = arguments.get(1).is_some_and(Value::is_true);
                Value::Number(super::time::mktime(&text, &self.zone, is_utc) as f64)
            }
            Function::System => return Ok(Some(Pause::System(self.argument_text(&arguments, 0)))),
            Function::Close => return Ok(Some(Pause::Close(self.argument_text(&arguments, 0)))),
            Function::Fflush => {
                let name = arguments.first().map(|value| self.text(value));
                return Ok(Some(Pause::Fflush(name)));
            }
            // They are operations of their own, or `slow`.
            Function::Sub
            | Function::Gsub
            | Function::Split
            | Function::Patsplit
            | Function::Match
            | Function::Gensub => Value::Unset,
        };
        self.push(value);
        Ok(None)
    }

    /// Pops the arguments of a function.
    pub(super) fn take_arguments(&mut self, count: usize) -> Vec<Value> {
        let first = self.stack.len().saturating_sub(count);
        let mut arguments = Vec::with_capacity(count);
        arguments.extend(self.stack.iter().skip(first).cloned());
        self.stack.truncate(first);
        arguments
    }

    pub(super) fn argument_text(&self, arguments: &[Value], index: usize) -> Text {
        arguments.get(index).map_or(Text::EMPTY, |value| self.text(value))
    }

    fn warn_negative(&mut self, name: &str, number: f64) {
        if number < 0.0 {
            let shown = shown(number);
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
        if arguments.len() < 2 {
            let name = function.name();
            return Err(Fault::fatal(format!("{name}: called with less than two arguments")));
        }
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
        Ok(Value::Number(exact(combined.unwrap_or(0))))
    }

    fn length(&mut self, arguments: &[Value]) -> Result<Value, Fault> {
        match arguments.first() {
            Some(Value::Array(number)) => Ok(Value::Number(self.table(*number)?.len() as f64)),
            Some(Value::Untyped(origin)) => {
                // Its value was looked at.
                self.set_origin(*origin, &Value::Unassigned);
                Ok(Value::Number(0.0))
            }
            Some(value) => Ok(Value::Number(count_characters(&self.text(value)) as f64)),
            None => {
                let record = self.field(0.0)?;
                Ok(Value::Number(count_characters(&self.text(&record)) as f64))
            }
        }
    }

    fn index(&self, arguments: &[Value]) -> Value {
        let (mut text, mut wanted) = (self.argument_text(arguments, 0), self.argument_text(arguments, 1));
        if self.ignore_case {
            for side in [&mut text, &mut wanted] {
                let mut folded = Vec::new();
                push_in_case(side, false, &mut folded);
                *side = Text::from(folded);
            }
        }
        let found = memchr::memmem::find(&text, &wanted);
        let place = found.map_or(0, |at| 1 + count_characters(text.get(..at).unwrap_or(&[])));
        Value::Number(place as f64)
    }

    fn substr(&self, arguments: &[Value]) -> Value {
        let text = self.argument_text(arguments, 0);
        let Some((skip, count)) = substr_range(arguments) else { return Value::Text(Text::EMPTY) };
        let (from, to) = if text.is_ascii() {
            let from = skip.min(text.len());
            (from, from.saturating_add(count).min(text.len()))
        } else {
            let from = skip_characters(&text, 0, skip);
            (from, skip_characters(&text, from, count))
        };
        Value::Text(Text::from(text.get(from..to).unwrap_or(&[])))
    }

    /// `printf`: the first argument is the format.
    pub(super) async fn format(
        &self,
        arguments: &[Value],
        out: &mut Vec<u8>,
        pace: &mut Pace<'_>,
    ) -> Result<(), Fault> {
        use super::format::{FormatError, format};
        let text = self.argument_text(arguments, 0);
        let rest = arguments.get(1..).unwrap_or(&[]);
        let formatted = format(&text, rest, &self.settings.convfmt, &self.meter, out, pace).await;
        formatted.map_err(|error| match error {
            FormatError::Limit(limit) => limit.into(),
            FormatError::Stopped => stopped(&self.meter).into(),
            FormatError::Mixed => Fault::fatal("must use `count$' on all formats or none"),
            FormatError::IndexZero => Fault::fatal("argument index with `$' must be > 0"),
            FormatError::IndexTooLarge(number) => Fault::fatal(format!(
                "argument index {number} greater than total number of supplied arguments"
            )),
            FormatError::OutOfArguments(at) => {
                let shown = String::from_utf8_lossy(&text);
                let pad = repeat(b" ", at + 1);
                let pad = bstr::BStr::new(&pad);
                Fault::fatal(format!(
                    "not enough arguments to satisfy format string\n\t`{shown}'\n\t{pad}^ ran out for this one"
                ))
            }
        })
    }

    /// As `format`, where no text is long.
    pub(super) fn format_at_once(&self, arguments: &[Value], out: &mut Vec<u8>) -> Result<(), Fault> {
        let ticker = &mut MeterTicker::new(&self.meter);
        in_place(pin!(self.format(arguments, out, &mut Pace::Alone(ticker)))).unwrap_or(Ok(()))
    }

    /// `asort` by value, `asorti` by subscript, or in the order of the third argument: the result has subscripts from 1.
    fn sort(&mut self, function: Function, arguments: &[Value]) -> Result<Option<Pause>, Fault> {
        let Some(Value::Array(source)) = arguments.first() else {
            self.push(Value::Number(0.0));
            return Ok(None);
        };
        let target = match arguments.get(1) {
            Some(Value::Array(target)) => *target,
            _ => *source,
        };
        if arguments.len() == 2 && target == *source && !std::mem::replace(&mut self.has_warned_of_sort, true)
        {
            self.warnings.push(format!(
                "warning: asort/asorti: using the same array as source and destination without a third argument is \
                 silly."
            ));
        }
        let subscripts = function == Function::Asorti;
        let given = match arguments.get(2) {
            Some(order) => self.known_order(&self.text(order))?,
            None => None,
        };
        let order = match given {
            Some(name) => Order::named(&name),
            None if subscripts => Order::SUBSCRIPTS,
            None => Order::VALUES,
        };
        self.start_job(*source, Purpose::Fill { target, subscripts }, order);
        Ok(Some(Pause::Tick))
    }

    fn strftime(&self, arguments: &[Value]) -> Value {
        let format = match arguments.first() {
            Some(value) => self.text(value),
            None => Text::from_static(b"%a %b %e %H:%M:%S %Z %Y"),
        };
        let seconds = arguments.get(1).map_or(self.clock.now().as_secs() as f64, Value::number);
        let is_utc = arguments.get(2).is_some_and(Value::is_true);
        let text = super::time::strftime(&format, seconds as i64, &self.zone, is_utc);
        Value::Text(Text::from(text))
    }
}

pub(super) fn number_key(number: usize) -> Text {
    Text::from(number.to_decimal())
}

/// A number as `%g` shows it.
fn shown(number: f64) -> String {
    let mut shown = Vec::new();
    super::number::push_number(number, b"%.6g", &mut shown);
    String::from_utf8_lossy(&shown)
}

/// The bits that a number holds exactly: as many of the upper ones are dropped as it has too many.
fn exact(bits: u64) -> f64 {
    if bits < 1 << 53 {
        return bits as f64;
    }
    // gawk keeps the lower bits.
    let low_zeros = bits.trailing_zeros();
    let width = u64::BITS - bits.leading_zeros() - low_zeros;
    if width <= 53 { bits as f64 } else { (bits & (u64::MAX >> (11_u32.saturating_sub(low_zeros)))) as f64 }
}

fn whole(number: f64) -> u64 {
    number.trunc() as u64
}

/// What `substr` takes of its text: how many characters it skips, and how many it keeps; `None`: nothing.
pub(super) fn substr_range(arguments: &[Value]) -> Option<(usize, usize)> {
    // gawk takes what is before the text for its first character, and keeps the length.
    let start = arguments.get(1).map_or(0.0, Value::number).trunc().max(1.0);
    let length = arguments.get(2).map_or(f64::INFINITY, |value| value.number().trunc());
    let end = start + length;
    if end.partial_cmp(&start) != Some(std::cmp::Ordering::Greater) {
        return None;
    }
    Some(((start - 1.0) as usize, (end - start).min(1e18) as usize))
}

pub(super) fn count_characters(text: &[u8]) -> usize {
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
pub(super) fn skip_characters(text: &[u8], mut at: usize, count: usize) -> usize {
    let mut left = count;
    while left > 0
        && let Some((_, length)) = unit_at(text, at)
    {
        at += length;
        left -= 1;
    }
    at
}

/// Decimal, `0x` hexadecimal, or `0` octal; the last two without sign or blanks before them.
fn strtonum(text: &[u8]) -> f64 {
    let base = |digits: &[u8], base: u32| {
        let numbers = digits.iter().map_while(|&byte| char::from(byte).to_digit(base));
        numbers.fold(0.0, |sum, digit| sum * f64::from(base) + f64::from(digit))
    };
    let run = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (digits, rest) = text.split_at_checked(run).unwrap_or((text, &[]));
    match (digits, rest) {
        ([b'0'], [b'x' | b'X', rest @ ..]) => base(rest, 16),
        ([b'0', octal @ ..], rest)
            if octal.iter().all(|byte| matches!(byte, b'0'..=b'7'))
                && !matches!(rest, [b'.' | b'e' | b'E', ..]) =>
        {
            base(octal, 8)
        }
        _ => super::number::to_number(text),
    }
}
