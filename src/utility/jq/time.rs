//! Builtins over times. A broken down time is `[year, month from 0, day, hour, minute, second, weekday, day of year
//! from 0]`. Local time is that of the session's `TZ`, from the bundled time zones; without one it is UTC.

#![expect(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "builtins share one signature")]

use super::error::Raise;
use super::machine::Context;
use super::value::Value;
use crate::memory::{JoinText, String, ToMeteredString, Vec, format};
use jiff::civil::DateTime;
use jiff::fmt::strtime;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

type Output = Result<Value, Raise>;

pub(super) fn now(context: &mut Context<'_>, _: Value, _: &[Value]) -> Output {
    Ok(Value::Number(context.host.clock.now().as_secs_f64()))
}

fn zone(context: &Context<'_>) -> TimeZone {
    let named = context.host.environment.get(b"TZ").map(|name| name.to_string_lossy().into_owned());
    let named = named.filter(|name| !name.is_empty());
    named
        .and_then(|name| {
            let name = name.trim_start_matches(':');
            TimeZone::get(name).or_else(|_| TimeZone::posix(name)).ok()
        })
        .unwrap_or(TimeZone::UTC)
}

fn seconds(input: &Value, name: &str) -> Result<f64, Raise> {
    match input {
        Value::Number(number) if number.is_finite() => Ok(*number),
        _ => Err(Raise::message(format!("{name}() requires a number"))),
    }
}

fn broken_down(input: &Value, name: &str, zone: TimeZone) -> Output {
    let seconds = seconds(input, name)?;
    let whole = seconds.floor();
    let zoned = Timestamp::from_second(whole as i64)
        .map_err(|_| Raise::message("error converting number of seconds since epoch to datetime"))?
        .to_zoned(zone);
    Ok(parts(zoned.datetime(), seconds - whole))
}

fn parts(time: DateTime, fraction: f64) -> Value {
    let numbers = [
        f64::from(time.year()),
        f64::from(time.month()) - 1.0,
        f64::from(time.day()),
        f64::from(time.hour()),
        f64::from(time.minute()),
        f64::from(time.second()) + fraction,
        f64::from(time.date().weekday().to_sunday_zero_offset()),
        f64::from(time.date().day_of_year()) - 1.0,
    ];
    Value::array(numbers.into_iter().map(Value::Number).collect())
}

pub(super) fn gmtime(_: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    broken_down(&input, "gmtime", TimeZone::UTC)
}

pub(super) fn localtime(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    let zone = zone(context);
    broken_down(&input, "localtime", zone)
}

/// The time that a broken down time tells; fields out of range are errors.
fn time_of(input: &Value, name: &str) -> Result<DateTime, Raise> {
    let Value::Array(array) = input else {
        return Err(Raise::message(format!("{name} requires array inputs")));
    };
    let field = |at: usize| match array.items().get(at) {
        Some(Value::Number(number)) => Ok(*number),
        _ => Err(Raise::message(format!("{name} requires parsed datetime inputs"))),
    };
    let days = DateTime::new(field(0)? as i16, 1, 1, 0, 0, 0, 0);
    let invalid = || Raise::message("invalid gmtime representation");
    let start = days.map_err(|_| invalid())?;
    let span = jiff::Span::new()
        .try_months(field(1)? as i64)
        .and_then(|span| span.try_days(field_or(array.items(), 2, 1.0) as i64 - 1))
        .and_then(|span| span.try_hours(field_or(array.items(), 3, 0.0) as i64))
        .and_then(|span| span.try_minutes(field_or(array.items(), 4, 0.0) as i64))
        .and_then(|span| span.try_seconds(field_or(array.items(), 5, 0.0) as i64))
        .map_err(|_| invalid())?;
    start.checked_add(span).map_err(|_| invalid())
}

fn field_or(items: &[Value], at: usize, default: f64) -> f64 {
    match items.get(at) {
        Some(Value::Number(number)) => *number,
        _ => default,
    }
}

pub(super) fn mktime(_: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    let time = time_of(&input, "mktime")?;
    let zoned = time.to_zoned(TimeZone::UTC).map_err(|_| Raise::message("invalid gmtime representation"))?;
    Ok(Value::Number(zoned.timestamp().as_second() as f64))
}

fn formatted(input: &Value, arguments: &[Value], name: &str, zone: TimeZone) -> Output {
    let Some(Value::String(format)) = arguments.first() else {
        return Err(Raise::message(format!("{name}/1 requires a string format")));
    };
    let zoned: Result<Zoned, Raise> = match input {
        Value::Number(_) => {
            let seconds = seconds(input, name)?;
            let invalid = |_| Raise::message("error converting number of seconds since epoch to datetime");
            Timestamp::from_second(seconds.floor() as i64).map_err(invalid).map(|time| time.to_zoned(zone))
        }
        Value::Array(_) => {
            time_of(input, name)?.to_zoned(zone).map_err(|_| Raise::message("invalid gmtime representation"))
        }
        _ => Err(Raise::message(format!("{name}/1 requires parsed datetime inputs"))),
    };
    let text = strtime::format(format.as_str(), &zoned?);
    text.map(|text| Value::from(String::from(text)))
        .map_err(|_| Raise::message(format!("{name}/1: unknown system failure")))
}

pub(super) fn strftime(_: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    formatted(&input, arguments, "strftime", TimeZone::UTC)
}

pub(super) fn strflocaltime(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    let zone = zone(context);
    formatted(&input, arguments, "strflocaltime", zone)
}

pub(super) fn strptime(_: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    let (Value::String(text), Some(Value::String(format))) = (&input, arguments.first()) else {
        return Err(Raise::about(
            &input,
            "cannot be parsed as a date: strptime/1 requires string inputs and arguments",
        ));
    };
    // The zone's name says nothing more here; jiff reads offsets and identifiers only.
    let format = format.as_str().split("%Z").collect::<Vec<_>>().join_text("UTC");
    let mismatch = || {
        let format = arguments.first().map(super::print::compact).unwrap_or_default();
        let format = format.trim_matches('"').to_metered_string();
        Raise::message(format!("date \"{}\" does not match format \"{format}\"", text.as_str()))
    };
    let parsed = strtime::parse(format.as_str(), text.as_str()).map_err(|_| mismatch())?;
    let time = parsed.to_datetime().or_else(|_| parsed.to_date().map(|date| date.at(0, 0, 0, 0)));
    Ok(parts(time.map_err(|_| mismatch())?, 0.0))
}
