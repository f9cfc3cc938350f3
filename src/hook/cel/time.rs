//! Times and spans of time. A time is between the year 1 and the last days of 9999, a span what 64 bits of nanoseconds
//! hold, as in Go.

use super::evaluate::{EvaluationError, overload, wrong};
use super::expression::{Arithmetic, Function, TimePart};
use super::value::Value;
use jiff::Timestamp;
use jiff::tz::{Offset, TimeZone};

/// Nanoseconds of a second.
pub(super) const SECOND: i128 = 1_000_000_000;

/// The first second of the year 1.
const FIRST_SECOND: i128 = -62_135_596_800;

type Outcome<T> = Result<T, EvaluationError>;

fn in_range(nanos: i128) -> Outcome<i128> {
    let fits = nanos >= FIRST_SECOND.saturating_mul(SECOND) && Timestamp::from_nanosecond(nanos).is_ok();
    if fits { Ok(nanos) } else { Err(wrong("timestamp overflow")) }
}

fn span(nanos: i128) -> Outcome<i64> {
    i64::try_from(nanos).map_err(|_| wrong("duration overflow"))
}

/// `timestamp(...)` and `duration(...)`.
pub(super) fn convert<'a>(function: &Function, value: &Value<'a>) -> Outcome<Value<'a>> {
    match (function, value) {
        (Function::Timestamp, Value::Timestamp(_)) | (Function::Duration, Value::Duration(_)) => {
            Ok(value.clone())
        }
        (Function::Timestamp, Value::Int(seconds)) => {
            in_range(i128::from(*seconds).saturating_mul(SECOND)).map(Value::Timestamp)
        }
        (Function::Timestamp, Value::String(text)) => {
            let text = text.as_str();
            let is_whole = text.as_bytes().get(10).is_some_and(|letter| matches!(letter, b'T' | b't'));
            let time = text.parse::<Timestamp>().ok().filter(|_| is_whole);
            let time = time.ok_or_else(|| wrong("not a timestamp"))?;
            in_range(time.as_nanosecond()).map(Value::Timestamp)
        }
        (Function::Duration, Value::String(text)) => {
            let nanos = parse_span(text.as_str()).ok_or_else(|| wrong("not a duration"))?;
            span(nanos).map(Value::Duration)
        }
        (_, other) => Err(overload(
            if matches!(function, Function::Duration) { "duration" } else { "timestamp" },
            &[other],
        )),
    }
}

/// A span as Go writes it: `1h30m`, `-1.5s`, `100ms`, `0`.
fn parse_span(text: &str) -> Option<i128> {
    let (sign, mut rest) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if rest == "0" {
        return Some(0);
    }
    let mut total: i128 = 0;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let end = rest.find(|letter: char| !(letter.is_ascii_digit() || letter == '.'))?;
        let (number, after) = rest.split_at_checked(end)?;
        let end = after.find(|letter: char| letter.is_ascii_digit() || letter == '.').unwrap_or(after.len());
        let (unit, left) = after.split_at_checked(end)?;
        let unit: i128 = match unit {
            "ns" => 1,
            "us" | "\u{b5}s" | "\u{3bc}s" => 1_000,
            "ms" => 1_000_000,
            "s" => SECOND,
            "m" => SECOND.checked_mul(60)?,
            "h" => SECOND.checked_mul(3600)?,
            _ => return None,
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let whole: i128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
        total = total.checked_add(whole.checked_mul(unit)?)?;
        let mut worth = unit;
        for digit in fraction.chars() {
            worth /= 10;
            total = total.checked_add(worth.checked_mul(i128::from(digit.to_digit(10)?))?)?;
        }
        rest = left;
    }
    total.checked_mul(sign)
}

/// Sums and differences; `None` where the operator is not for times.
pub(super) fn arithmetic<'a>(
    operator: Arithmetic,
    a: &Value<'a>,
    b: &Value<'a>,
) -> Option<Outcome<Value<'a>>> {
    use Value::{Duration as Span, Timestamp as Time};
    let result = match (operator, a, b) {
        (Arithmetic::Add, Time(time), Span(by)) | (Arithmetic::Add, Span(by), Time(time)) => {
            in_range(time.saturating_add(i128::from(*by))).map(Time)
        }
        (Arithmetic::Subtract, Time(time), Span(by)) => {
            in_range(time.saturating_sub(i128::from(*by))).map(Time)
        }
        (Arithmetic::Subtract, Time(a), Time(b)) => span(a.saturating_sub(*b)).map(Span),
        (Arithmetic::Add, Span(a), Span(b)) => span(i128::from(*a).saturating_add(i128::from(*b))).map(Span),
        (Arithmetic::Subtract, Span(a), Span(b)) => {
            span(i128::from(*a).saturating_sub(i128::from(*b))).map(Span)
        }
        _ => return None,
    };
    Some(result)
}

/// `time.getHours()`, `time.getHours('Europe/Berlin')`, `span.getHours()`.
pub(super) fn part<'a>(part: TimePart, values: &[Value<'a>]) -> Outcome<Value<'a>> {
    let none = || overload("a part of a time", &values.iter().collect::<Vec<_>>());
    match values {
        [Value::Duration(nanos)] => {
            let unit: i64 = match part {
                TimePart::Hours => 3_600_000_000_000,
                TimePart::Minutes => 60_000_000_000,
                TimePart::Seconds => 1_000_000_000,
                TimePart::Milliseconds => 1_000_000,
                _ => return Err(none()),
            };
            Ok(Value::Int(nanos / unit))
        }
        [Value::Timestamp(nanos)] => of_time(part, *nanos, &TimeZone::UTC),
        [Value::Timestamp(nanos), Value::String(name)] => of_time(part, *nanos, &zone(name.as_str())?),
        _ => Err(none()),
    }
}

/// By name, or by an offset as `+02:00`.
fn zone(name: &str) -> Outcome<TimeZone> {
    let unknown = || wrong(&format!("unknown time zone {name}"));
    let Some((hours, minutes)) = name.split_once(':') else {
        return TimeZone::get(name).map_err(|_| unknown());
    };
    let sign = if hours.starts_with('-') { -1 } else { 1 };
    let hours: i32 = hours.trim_start_matches(['+', '-']).parse().map_err(|_| unknown())?;
    let minutes: i32 = minutes.parse().map_err(|_| unknown())?;
    let seconds = hours.saturating_mul(3600).saturating_add(minutes.saturating_mul(60)).saturating_mul(sign);
    Offset::from_seconds(seconds).map(TimeZone::fixed).map_err(|_| unknown())
}

fn of_time<'a>(part: TimePart, nanos: i128, zone: &TimeZone) -> Outcome<Value<'a>> {
    let time = Timestamp::from_nanosecond(nanos).map_err(|_| wrong("timestamp overflow"))?;
    let civil = zone.to_datetime(time);
    Ok(Value::Int(i64::from(match part {
        TimePart::FullYear => civil.year(),
        TimePart::Month => i16::from(civil.month()).saturating_sub(1),
        TimePart::Date => i16::from(civil.day()),
        TimePart::DayOfMonth => i16::from(civil.day()).saturating_sub(1),
        TimePart::DayOfWeek => i16::from(civil.weekday().to_sunday_zero_offset()),
        TimePart::DayOfYear => civil.day_of_year().saturating_sub(1),
        TimePart::Hours => i16::from(civil.hour()),
        TimePart::Minutes => i16::from(civil.minute()),
        TimePart::Seconds => i16::from(civil.second()),
        TimePart::Milliseconds => civil.millisecond(),
    })))
}

/// As `string(time)` gives it.
pub(super) fn text(nanos: i128) -> Outcome<String> {
    let time = Timestamp::from_nanosecond(nanos).map_err(|_| wrong("timestamp overflow"))?;
    Ok(time.to_string())
}

/// As `string(span)` gives it: seconds.
pub(super) fn span_text(nanos: i64) -> String {
    let (whole, rest) = (nanos / 1_000_000_000, nanos % 1_000_000_000);
    if rest == 0 {
        return format!("{whole}s");
    }
    let sign = if nanos < 0 { "-" } else { "" };
    let fraction = format!("{:09}", rest.unsigned_abs());
    format!("{sign}{}.{}s", whole.unsigned_abs(), fraction.trim_end_matches('0'))
}
