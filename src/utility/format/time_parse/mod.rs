//! Dates in words and figures, as `date -d`, `touch -d` and `find -newermt` take them.
//!
//! The text is cut into tokens (numbers, words, signs); items are recognised from left to right: calendar dates, times of
//! day, time zones, days of the week, relative items. What was given replaces the same part of the current time, then
//! relative items move it: years and months and days on the calendar, the rest in seconds.
//!
//! The crate `parse_datetime` reads such texts as well as this does (of 57 each has two other than GNU date), but it turns on
//! jiff's features that read the host's zones and clock.

mod word;

use super::time_format::Zone;
use crate::memory::{String, Vec};
use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{Offset, TimeZone};
use word::{
    Unit, full_year, meridian, month_number, ordinal, twelve_hours, unit, weekday_number, zone_offset,
};

/// The moment that `text` means; `None` when it means none. `now` fills in what it leaves out.
pub(crate) fn parse(text: &[u8], now: Timestamp, zone: &Zone) -> Option<Timestamp> {
    let text = String::from_utf8_lossy(text);
    let text = text.trim();
    if let Some(quoted) = text.strip_prefix("TZ=\"") {
        let (name, rest) = quoted.split_once('"')?;
        return parse_in(rest.trim(), now, &Zone::named(name.as_bytes()));
    }
    parse_in(text, now, zone)
}

fn parse_in(text: &str, now: Timestamp, zone: &Zone) -> Option<Timestamp> {
    if let Some(seconds) = text.strip_prefix('@') {
        return seconds_since_epoch(seconds);
    }
    let tokens = tokens(text)?;
    let mut parser = Parser { tokens: &tokens, at: 0, items: Items::default() };
    while parser.at < tokens.len() {
        parser.item()?;
    }
    parser.items.resolve(now, zone)
}

fn seconds_since_epoch(text: &str) -> Option<Timestamp> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = digits.split_once(['.', ',']).unwrap_or((digits, ""));
    if whole.is_empty() || !whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let seconds = whole.parse::<i64>().ok()?;
    Timestamp::new(sign * seconds, (sign * nanoseconds(fraction)) as i32).ok()
}

/// The first nine digits of a fraction.
fn nanoseconds(fraction: &str) -> i64 {
    let digits = fraction.bytes().map(|byte| i64::from(byte) - 48).chain(std::iter::repeat(0));
    digits.take(9).fold(0, |value, digit| value * 10 + digit)
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    /// Digits without a sign: value, how many digits, nanoseconds after a decimal point.
    Number(i64, usize, Option<i64>),
    /// `+` or `-` and digits.
    Signed(i64, usize),
    /// Lower case, dots taken out.
    Word(String),
    Sign(char),
}

/// Most tokens of a text.
const MAX_TOKENS: usize = 1000;

fn tokens(text: &str) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next() else { return Some(tokens) };
        if tokens.len() >= MAX_TOKENS {
            return None;
        }
        if first == '(' {
            rest = skip_comment(rest)?;
            continue;
        }
        let tail = rest.get(first.len_utf8()..)?;
        let (token, after) = if first.is_ascii_digit() {
            number(rest)?
        } else if matches!(first, '+' | '-') && tail.trim_start().starts_with(|c: char| c.is_ascii_digit()) {
            signed(first == '-', tail.trim_start())?
        } else if first.is_ascii_alphabetic() {
            let end = rest.find(|c: char| !c.is_ascii_alphabetic() && c != '.').unwrap_or(rest.len());
            let word =
                rest.get(..end)?.chars().filter(|c| *c != '.').map(|c| c.to_ascii_lowercase()).collect();
            (Token::Word(word), rest.get(end..)?)
        } else if matches!(first, ':' | '/' | ',' | '-') {
            (Token::Sign(first), tail)
        } else {
            return None;
        };
        tokens.push(token);
        rest = after;
    }
}

/// Comments are in parentheses, which nest.
fn skip_comment(text: &str) -> Option<&str> {
    let mut depth = 0_usize;
    for (at, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return text.get(at + 1..);
        }
    }
    None
}

fn number(text: &str) -> Option<(Token, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at_checked(end)?;
    let value = digits.parse().ok()?;
    if let Some(fraction) = rest.strip_prefix(['.', ','])
        && fraction.starts_with(|c: char| c.is_ascii_digit())
    {
        let end = fraction.find(|c: char| !c.is_ascii_digit()).unwrap_or(fraction.len());
        let (digits, rest) = fraction.split_at_checked(end)?;
        return Some((Token::Number(value, end, Some(nanoseconds(digits))), rest));
    }
    Some((Token::Number(value, digits.len(), None), rest))
}

fn signed(negative: bool, text: &str) -> Option<(Token, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at_checked(end)?;
    let value: i64 = digits.parse().ok()?;
    Some((Token::Signed(if negative { -value } else { value }, digits.len()), rest))
}

/// Relative items, summed up.
#[derive(Clone, Copy, Debug, Default)]
struct Relative {
    months: i64,
    days: i64,
    seconds: i64,
}

/// What was recognised.
#[derive(Clone, Debug, Default)]
struct Items {
    /// Year (if given), month, day.
    date: Option<(Option<i64>, i64, i64)>,
    /// Hour, minute, second, nanosecond.
    time: Option<(i64, i64, i64, i64)>,
    /// Seconds east of UTC.
    offset: Option<i64>,
    /// Which of them (1: the next one), and the day's number from Sunday.
    weekday: Option<(i64, i64)>,
    relative: Relative,
    is_relative: bool,
}

struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
    items: Items,
}

impl Parser<'_> {
    fn peek(&self, ahead: usize) -> Option<&Token> {
        self.tokens.get(self.at + ahead)
    }

    fn is_sign(&self, ahead: usize, sign: char) -> bool {
        self.peek(ahead) == Some(&Token::Sign(sign))
    }

    fn word(&self, ahead: usize) -> Option<&str> {
        match self.peek(ahead) {
            Some(Token::Word(word)) => Some(word),
            _ => None,
        }
    }

    /// A number without sign or fraction.
    fn plain(&self, ahead: usize) -> Option<(i64, usize)> {
        match self.peek(ahead) {
            Some(Token::Number(value, digits, None)) => Some((*value, *digits)),
            _ => None,
        }
    }

    fn signed(&self, ahead: usize) -> Option<(i64, usize)> {
        match self.peek(ahead) {
            Some(Token::Signed(value, digits)) => Some((*value, *digits)),
            _ => None,
        }
    }

    fn item(&mut self) -> Option<()> {
        match self.peek(0)?.clone() {
            Token::Number(..) => self.number_item(),
            Token::Signed(value, digits) => self.signed_item(value, digits),
            Token::Word(word) => self.word_item(&word),
            Token::Sign(_) => None,
        }
    }

    fn set_date(&mut self, year: Option<i64>, month: i64, day: i64, used: usize) -> Option<()> {
        self.at += used;
        self.items.date.replace((year, month, day)).is_none().then_some(())
    }

    fn number_item(&mut self) -> Option<()> {
        let Token::Number(value, digits, fraction) = self.peek(0)?.clone() else { return None };
        if self.is_sign(1, ':') {
            return self.time_of_day(value);
        }
        if fraction.is_some() {
            return None;
        }
        // 1/2, 1/2/2024, 2024/1/2
        if self.is_sign(1, '/') {
            let (second, _) = self.plain(2)?;
            if self.is_sign(3, '/') {
                let (third, third_digits) = self.plain(4)?;
                return if digits >= 4 {
                    self.set_date(Some(value), second, third, 5)
                } else {
                    self.set_date(Some(full_year(third, third_digits)), value, second, 5)
                };
            }
            return self.set_date(None, value, second, 3);
        }
        // 2024-01-02: the second and third number carry the dash as a sign.
        if let (Some((month, _)), Some((day, _))) = (self.signed(1), self.signed(2))
            && month <= 0
            && day <= 0
        {
            self.set_date(Some(full_year(value, digits)), -month, -day, 3)?;
            self.skip_date_time_separator();
            return Some(());
        }
        // 2-Jan-2024, 2 Jan 2024, 2 Jan
        let dash = usize::from(self.is_sign(1, '-'));
        if let Some(month) = self.word(1 + dash).and_then(month_number) {
            return match (self.signed(2 + dash), self.plain(2 + dash)) {
                (Some((year, year_digits)), _) if year <= 0 => {
                    self.set_date(Some(full_year(-year, year_digits)), month, value, 3 + dash)
                }
                (_, Some((year, year_digits))) if !self.is_sign(3 + dash, ':') && !self.is_unit(3 + dash) => {
                    self.set_date(Some(full_year(year, year_digits)), month, value, 3 + dash)
                }
                _ => self.set_date(None, month, value, 2 + dash),
            };
        }
        if let Some(word) = self.word(1) {
            if let Some(afternoon) = meridian(word) {
                self.at += 2;
                return self.set_time(twelve_hours(value, afternoon)?, 0, 0, 0);
            }
            if let Some(day) = weekday_number(word) {
                self.at += 2;
                return self.set_weekday(value, day);
            }
            if let Some(unit) = unit(word) {
                self.at += 2;
                return self.add_relative(unit, value);
            }
        }
        self.bare_number(value, digits)
    }

    /// A number that nothing explains: a year after a date with a time, a day, or a time.
    fn bare_number(&mut self, value: i64, digits: usize) -> Option<()> {
        self.at += 1;
        if let Some((year @ None, ..)) = &mut self.items.date
            && !self.items.is_relative
            && (self.items.time.is_some() || digits > 2)
        {
            *year = Some(full_year(value, digits));
            return Some(());
        }
        if digits > 4 {
            let year = full_year(value / 10_000, digits - 4);
            self.set_date(Some(year), value / 100 % 100, value % 100, 0)?;
            self.skip_date_time_separator();
            return Some(());
        }
        let (hour, minute) = if digits <= 2 { (value, 0) } else { (value / 100, value % 100) };
        self.set_time(hour, minute, 0, 0)
    }

    fn skip_date_time_separator(&mut self) {
        if self.word(0) == Some("t") && matches!(self.peek(1), Some(Token::Number(..))) {
            self.at += 1;
        }
    }

    fn is_unit(&self, ahead: usize) -> bool {
        self.word(ahead).is_some_and(|word| unit(word).is_some())
    }

    fn set_time(&mut self, hour: i64, minute: i64, second: i64, nanosecond: i64) -> Option<()> {
        self.items.time.replace((hour, minute, second, nanosecond)).is_none().then_some(())
    }

    /// `10:20`, `10:20:30.5`, then `am`, `pm` or an offset.
    fn time_of_day(&mut self, hour: i64) -> Option<()> {
        let Some(Token::Number(minute, _, fraction)) = self.peek(2).cloned() else { return None };
        self.at += 3;
        let (mut second, mut nanosecond) = (0, 0);
        if fraction.is_some() {
            return None;
        }
        if self.is_sign(0, ':') {
            let Some(Token::Number(value, _, fraction)) = self.peek(1).cloned() else { return None };
            second = value;
            nanosecond = fraction.unwrap_or(0);
            self.at += 2;
        }
        let mut hour = hour;
        if let Some(afternoon) = self.word(0).and_then(meridian) {
            hour = twelve_hours(hour, afternoon)?;
            self.at += 1;
        } else if let Some((value, digits)) = self.signed(0) {
            self.at += 1;
            let offset = self.offset(value, digits)?;
            self.set_offset(offset)?;
        }
        self.set_time(hour, minute, second, nanosecond)
    }

    /// The seconds of `+1`, `+0100`, `+01:00`; the sign token was passed already.
    fn offset(&mut self, value: i64, digits: usize) -> Option<i64> {
        let sign = if value < 0 { -1 } else { 1 };
        let value = value.abs();
        let (hours, minutes) = if self.is_sign(0, ':') {
            let (minutes, _) = self.plain(1)?;
            self.at += 2;
            (value, minutes)
        } else if digits <= 2 {
            (value, 0)
        } else {
            (value / 100, value % 100)
        };
        (hours <= 24 && minutes < 60).then_some(sign * (hours * 3600 + minutes * 60))
    }

    fn set_offset(&mut self, offset: i64) -> Option<()> {
        self.items.offset.replace(offset).is_none().then_some(())
    }

    fn set_weekday(&mut self, ordinal: i64, day: i64) -> Option<()> {
        if self.is_sign(0, ',') {
            self.at += 1;
        }
        self.items.weekday.replace((ordinal, day)).is_none().then_some(())
    }

    fn signed_item(&mut self, value: i64, digits: usize) -> Option<()> {
        if let Some(unit) = self.word(1).and_then(unit) {
            self.at += 2;
            return self.add_relative(unit, value);
        }
        if self.items.time.is_some() && self.items.offset.is_none() {
            self.at += 1;
            let offset = self.offset(value, digits)?;
            return self.set_offset(offset);
        }
        None
    }

    /// Adds a relative item; `ago` after it turns it around.
    fn add_relative(&mut self, unit: Unit, count: i64) -> Option<()> {
        let count = if self.word(0) == Some("ago") {
            self.at += 1;
            count.checked_neg()?
        } else {
            count
        };
        let relative = &mut self.items.relative;
        let (sum, factor) = match unit {
            Unit::Months(factor) => (&mut relative.months, factor),
            Unit::Days(factor) => (&mut relative.days, factor),
            Unit::Seconds(factor) => (&mut relative.seconds, factor),
        };
        *sum = sum.checked_add(count.checked_mul(factor)?)?;
        self.items.is_relative = true;
        Some(())
    }

    fn word_item(&mut self, word: &str) -> Option<()> {
        self.at += 1;
        if let Some(month) = month_number(word) {
            return self.month_first(month);
        }
        if let Some(day) = weekday_number(word) {
            return self.set_weekday(0, day);
        }
        let shift = match word {
            "now" | "today" => Some(0),
            "yesterday" => Some(-1),
            "tomorrow" => Some(1),
            _ => None,
        };
        if let Some(days) = shift {
            return self.add_relative(Unit::Days(1), days);
        }
        if let Some(count) = ordinal(word) {
            let next = self.word(0)?;
            let (day, unit) = (weekday_number(next), unit(next));
            self.at += 1;
            return match (day, unit) {
                (Some(day), _) => self.set_weekday(count, day),
                (_, Some(unit)) => self.add_relative(unit, count),
                _ => None,
            };
        }
        if let Some(unit) = unit(word) {
            return self.add_relative(unit, 1);
        }
        let offset = zone_offset(word)?;
        // `UTC+1`, `EST DST`
        let offset = match self.signed(0) {
            Some((value, digits)) if !self.is_unit(1) => {
                self.at += 1;
                offset + self.offset(value, digits)?
            }
            _ if self.word(0) == Some("dst") => {
                self.at += 1;
                offset + 3600
            }
            _ => offset,
        };
        self.set_offset(offset)
    }

    /// `Jan 2`, `Jan 2, 2024`, `Jan 2 2024`, `Jan-2-2024`; the month was passed already.
    fn month_first(&mut self, month: i64) -> Option<()> {
        if let (Some((day, _)), Some((year, digits))) = (self.signed(0), self.signed(1)) {
            return self.set_date(Some(full_year(-year, digits)), month, -day, 2);
        }
        let (day, _) = self.plain(0)?;
        if self.is_sign(1, ',') {
            let (year, digits) = self.plain(2)?;
            return self.set_date(Some(full_year(year, digits)), month, day, 3);
        }
        self.set_date(None, month, day, 1)
    }
}

impl Items {
    fn resolve(&self, now: Timestamp, zone: &Zone) -> Option<Timestamp> {
        let local = zone.at(now);
        let (year, month, day) = match self.date {
            Some((year, month, day)) => (year.unwrap_or_else(|| i64::from(local.year())), month, day),
            None => (i64::from(local.year()), i64::from(local.month()), i64::from(local.day())),
        };
        let date = Date::new(i16::try_from(year).ok()?, month.try_into().ok()?, day.try_into().ok()?).ok()?;
        let (hour, minute, second, nanosecond) = match self.time {
            Some(time) => time,
            None if self.date.is_some() || self.weekday.is_some() => (0, 0, 0, 0),
            None if !self.is_relative => (0, 0, 0, 0),
            None => {
                let time = local.time();
                (
                    i64::from(time.hour()),
                    i64::from(time.minute()),
                    i64::from(time.second()),
                    i64::from(time.subsec_nanosecond()),
                )
            }
        };
        let time = Time::new(
            i8::try_from(hour).ok()?,
            i8::try_from(minute).ok()?,
            i8::try_from(second).ok()?,
            nanosecond as i32,
        )
        .ok()?;
        let date = self.moved(date)?;
        let zone = match self.offset {
            Some(seconds) => TimeZone::fixed(Offset::from_seconds(i32::try_from(seconds).ok()?).ok()?),
            None => zone.zone().clone(),
        };
        let moment = DateTime::from_parts(date, time).to_zoned(zone).ok()?.timestamp();
        moment.checked_add(jiff::SignedDuration::from_secs(self.relative.seconds)).ok()
    }

    /// The date after days of the week and relative months and days. A day past its month's end runs into the next.
    fn moved(&self, date: Date) -> Option<Date> {
        let months = i64::from(date.year()) * 12 + i64::from(date.month()) - 1;
        let months = months.checked_add(self.relative.months)?;
        let first = Date::new(
            i16::try_from(months.div_euclid(12)).ok()?,
            i8::try_from(months.rem_euclid(12) + 1).ok()?,
            1,
        )
        .ok()?;
        let mut days = (i64::from(date.day()) - 1).checked_add(self.relative.days)?;
        if let Some((ordinal, day)) = self.weekday.filter(|_| self.date.is_none()) {
            let today = i64::from(date.weekday().to_sunday_zero_offset());
            let skipped = ordinal - i64::from(ordinal > 0 && today != day);
            days = days.checked_add((day - today + 7) % 7)?.checked_add(skipped.checked_mul(7)?)?;
        }
        first.checked_add(jiff::Span::new().try_days(days).ok()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Thursday, 29 February 2024, 13:14:05 UTC.
    const NOW: i64 = 1_709_212_445;

    fn shown(text: &str) -> String {
        let now = Timestamp::from_second(NOW).unwrap();
        parse(text.as_bytes(), now, &Zone::UTC).map_or_else(
            || String::from("invalid"),
            |moment| String::from_utf8(Zone::UTC.format(b"%F %T", &Zone::UTC.at(moment))).unwrap(),
        )
    }

    #[test]
    fn absolute_dates() {
        let rows = [
            ("2024-01-02", "2024-01-02 00:00:00"),
            ("2024-01-02 10:20", "2024-01-02 10:20:00"),
            ("2024-01-02T10:20:30Z", "2024-01-02 10:20:30"),
            ("2024-01-02T10:20:30.25+01:30", "2024-01-02 08:50:30"),
            ("20240102", "2024-01-02 00:00:00"),
            ("1/2/2024", "2024-01-02 00:00:00"),
            ("2 Jan 2024 5pm", "2024-01-02 17:00:00"),
            ("Jan 2, 2024", "2024-01-02 00:00:00"),
            ("Tue, 2 Jan 2024 10:20:30 -0500", "2024-01-02 15:20:30"),
            ("Jan 2 10:20:30 2024", "2024-01-02 10:20:30"),
            ("2-Jan-2024", "2024-01-02 00:00:00"),
            ("@123", "1970-01-01 00:02:03"),
            ("", "2024-02-29 00:00:00"),
            ("10:20", "2024-02-29 10:20:00"),
            ("2024-02-30", "invalid"),
            ("25:00", "invalid"),
            ("zork", "invalid"),
            ("2024-01-02 2024-01-03", "invalid"),
        ];
        for (text, want) in rows {
            assert_eq!(shown(text), want, "{text}");
        }
    }

    #[test]
    fn relative_dates() {
        let rows = [
            ("now", "2024-02-29 13:14:05"),
            ("yesterday", "2024-02-28 13:14:05"),
            ("2 days ago", "2024-02-27 13:14:05"),
            ("+1 week", "2024-03-07 13:14:05"),
            ("-1 hour", "2024-02-29 12:14:05"),
            ("next monday", "2024-03-04 00:00:00"),
            ("last friday", "2024-02-23 00:00:00"),
            ("thursday", "2024-02-29 00:00:00"),
            ("next thursday", "2024-03-07 00:00:00"),
            ("next month", "2024-03-29 13:14:05"),
            ("last year", "2023-03-01 13:14:05"),
            ("2024-01-31 +1 month", "2024-03-02 00:00:00"),
            ("2024-01-01 1 day ago", "2023-12-31 00:00:00"),
            ("tomorrow 10:00", "2024-03-01 10:00:00"),
            ("1 year 2 months 3 days", "2025-05-02 13:14:05"),
            ("today 00:00 UTC", "2024-02-29 00:00:00"),
        ];
        for (text, want) in rows {
            assert_eq!(shown(text), want, "{text}");
        }
    }
}
