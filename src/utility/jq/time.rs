//! Builtins over times. A broken down time is `[year, month from 0, day, hour, minute, second, weekday, day of year
//! from 0]`; missing numbers at its end are zeros. Local time is that of the session's `TZ`, from the bundled time zones;
//! without one it is UTC.

#![expect(clippy::needless_pass_by_value, clippy::unnecessary_wraps, reason = "builtins share one signature")]

use super::calendar::BrokenDown;
use super::context::Context;
use super::error::Raise;
use super::time_format::{Zoned, format_time};
use super::time_parse::parse_time;
use super::value::Value;
use crate::memory::{String, ToMeteredString, Vec, format};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

type Output = Result<Value, Raise>;

pub(super) fn now(context: &mut Context<'_>, _: Value, _: &[Value]) -> Output {
    Ok(Value::number(context.host.clock.now().as_secs_f64()))
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

/// Seconds east of UTC at a moment; 0 for moments that the time zones do not know.
fn offset_at(zone: &TimeZone, seconds: i64) -> i64 {
    Timestamp::from_second(seconds).map_or(0, |at| i64::from(zone.to_offset(at).seconds()))
}

/// The moment of a local time.
fn moment_of(time: &BrokenDown, zone: &TimeZone) -> i64 {
    let seconds = time.seconds();
    let civil = BrokenDown::of(seconds).and_then(|time| {
        let part = |number: i64| i8::try_from(number).ok();
        DateTime::new(
            i16::try_from(time.year).ok()?,
            part(time.month + 1)?,
            part(time.day)?,
            part(time.hour)?,
            part(time.minute)?,
            part(time.second)?,
            0,
        )
        .ok()
    });
    let zoned = civil.and_then(|civil| civil.to_zoned(zone.clone()).ok());
    zoned.map_or(seconds, |zoned| zoned.timestamp().as_second())
}

/// The time in a zone so many seconds after the Epoch, as an array.
fn broken_down(seconds: f64, zone: &TimeZone) -> Output {
    let unknown = || Raise::message("error converting number of seconds since epoch to datetime");
    let in_range = seconds.abs() < 9e18;
    let whole = if in_range { seconds.trunc() as i64 } else { return Err(unknown()) };
    let local = whole.checked_add(offset_at(zone, whole)).and_then(BrokenDown::of).ok_or_else(unknown)?;
    Ok(array_of(&local, seconds - seconds.floor()))
}

fn array_of(time: &BrokenDown, fraction: f64) -> Value {
    let whole = [time.year, time.month, time.day, time.hour, time.minute];
    let numbers = whole.map(|number| number as f64).into_iter();
    let second = time.second as f64 + fraction;
    let numbers = numbers.chain([second, time.weekday as f64, time.yearday as f64]);
    Value::array(numbers.map(Value::number).collect())
}

fn seconds_of(input: &Value, name: &str) -> Result<f64, Raise> {
    match input {
        Value::Number(number) => Ok(number.value()),
        _ => Err(Raise::message(format!("{name}() requires numeric inputs"))),
    }
}

pub(super) fn gmtime(_: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    broken_down(seconds_of(&input, "gmtime")?, &TimeZone::UTC)
}

pub(super) fn localtime(context: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    broken_down(seconds_of(&input, "localtime")?, &zone(context))
}

/// The time that an array of numbers tells; `None` where it holds something else.
fn time_of(items: &[Value]) -> Option<BrokenDown> {
    let mut numbers = [0_i64; 8];
    for (place, (item, number)) in items.iter().zip(&mut numbers).enumerate() {
        let Value::Number(given) = item else { return None };
        if given.is_nan() {
            return None;
        }
        // C counts years from 1900, and all in `int`s.
        let base = if place == 0 { 1900.0 } else { 0.0 };
        *number = i64::from((given.value() - base) as i32) + base as i64;
    }
    if items.is_empty() {
        numbers[0] = 1900;
    }
    let [year, month, day, hour, minute, second, weekday, yearday] = numbers;
    Some(BrokenDown { year, month, day, hour, minute, second, weekday, yearday })
}

/// The first second of the first year that C can tell.
const FIRST_SECOND: i64 = -67_768_040_609_740_800;

pub(super) fn mktime(_: &mut Context<'_>, input: Value, _: &[Value]) -> Output {
    let Value::Array(items) = &input else { return Err(Raise::message("mktime requires array inputs")) };
    let Some(time) = time_of(items.items()) else {
        return Err(Raise::message("mktime requires parsed datetime inputs"));
    };
    match time.seconds() {
        // What C gives for a time that it cannot tell, in a year that is not an `int`.
        -1 | ..FIRST_SECOND => Err(Raise::message("invalid gmtime representation")),
        -2 => Err(Raise::message("mktime not supported on this platform")),
        seconds => Ok(Value::number(seconds as f64)),
    }
}

fn formatted(input: Value, arguments: &[Value], name: &str, zone: &TimeZone, is_local: bool) -> Output {
    let input = match input {
        Value::Number(number) if is_local => broken_down(number.value(), zone)?,
        Value::Number(number) => broken_down(number.value(), &TimeZone::UTC)?,
        other => other,
    };
    let unparsed = || Raise::message(format!("{name}/1 requires parsed datetime inputs"));
    let Value::Array(items) = &input else { return Err(unparsed()) };
    let Some(Value::String(format)) = arguments.first() else {
        return Err(Raise::message(format!("{name}/1 requires a string format")));
    };
    let time = time_of(items.items()).ok_or_else(unparsed)?;
    let local = moment_of(&time, zone);
    let moment = if is_local { local } else { time.seconds() };
    let offset = if is_local { offset_at(zone, moment) } else { 0 };
    let time = moment.checked_add(offset).and_then(BrokenDown::of).unwrap_or(time);
    let abbreviation = match Timestamp::from_second(moment) {
        Ok(at) if is_local => zone.to_offset_info(at).abbreviation().to_metered_string(),
        _ => "GMT".to_metered_string(),
    };
    let zoned = Zoned { time, offset, zone: &abbreviation, seconds: local };
    // jq has so much room for the text.
    let limit = format.len() + 100;
    let mut text = String::new();
    format_time(format.as_str(), &zoned, limit, &mut text);
    if text.len() >= limit || (text.is_empty() && format.len() > 0) {
        return Err(Raise::message(format!("{name}/1: unknown system failure")));
    }
    Ok(Value::from(text))
}

pub(super) fn strftime(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    let zone = zone(context);
    formatted(input, arguments, "strftime", &zone, false)
}

pub(super) fn strflocaltime(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    let zone = zone(context);
    formatted(input, arguments, "strflocaltime", &zone, true)
}

/// What C sees of a text.
fn before_nul(text: &str) -> &str {
    text.split('\0').next().unwrap_or_default()
}

pub(super) fn strptime(context: &mut Context<'_>, input: Value, arguments: &[Value]) -> Output {
    let (Value::String(text), Some(Value::String(format))) = (&input, arguments.first()) else {
        return Err(Raise::message("strptime/1 requires string inputs and arguments"));
    };
    context.work.steps(1 + (text.len() + format.len()) / 16)?;
    let [text, format] = [text, format].map(|text| before_nul(text.as_str()));
    let zone = zone(context);
    match parse_time(text, format, &zone) {
        Some((time, rest)) if rest.is_empty() || rest.starts_with(|c: char| c.is_ascii_whitespace()) => {
            let mut parts: Vec<Value> = match array_of(&time, 0.0) {
                Value::Array(items) => items.into_items(),
                _ => Vec::new(),
            };
            if !rest.is_empty() {
                parts.push(Value::text(rest));
            }
            Ok(Value::array(parts))
        }
        _ => Err(Raise::message(format!("date \"{text}\" does not match format \"{format}\""))),
    }
}
