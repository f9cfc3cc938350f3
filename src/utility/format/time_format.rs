//! `strftime` with GNU's flags, widths, `%N`, `%s` and `%:z`; time zones by the sandbox's `TZ`. POSIX XSH strftime, GNU
//! date(1).
//!
//! The calendar and the zones are jiff's. Its own strtime has neither all of GNU's flags and widths nor what is printed of a
//! wrong directive: of 654 formats of all letters and flags it prints 277 other than GNU date.

use crate::memory::{String, ToDecimal, ToMetered, Vec, format, repeat_text};
use crate::utility::Environment;
use jiff::Zoned;
use jiff::civil::Weekday;
use jiff::tz::TimeZone;
use std::time::Duration;

/// A time zone, from the bundled database: nothing is read from the host.
#[derive(Clone, Debug)]
pub(crate) struct Zone {
    zone: TimeZone,
    /// The abbreviation to print when `TZ` names no known zone: UTC under a name of its own.
    unknown: Option<String>,
}

impl Zone {
    /// UTC.
    pub(crate) const UTC: Self = Self { zone: TimeZone::UTC, unknown: None };

    /// The zone that the environment's `TZ` names; UTC without one.
    pub(crate) fn of(environment: &Environment) -> Self {
        environment.get(b"TZ").map_or(Self::UTC, |name| Self::named(name))
    }

    /// The zone with that name, or a POSIX rule such as `EST5EDT,M3.2.0,M11.1.0`.
    pub(crate) fn named(name: &[u8]) -> Self {
        let text = String::from_utf8_lossy(name);
        let text = text.strip_prefix(':').unwrap_or(&text);
        // Reading the database takes milliseconds.
        if text.is_empty() || text == "UTC" {
            return Self::UTC;
        }
        if let Ok(zone) = TimeZone::get(text).or_else(|_| TimeZone::posix(text)) {
            return Self { zone, unknown: None };
        }
        let letters: String = text.chars().take_while(char::is_ascii_alphabetic).collect();
        Self { zone: TimeZone::UTC, unknown: Some(letters) }
    }

    /// The zone itself.
    pub(crate) const fn zone(&self) -> &TimeZone {
        &self.zone
    }

    /// A moment in this zone; what the calendar cannot hold is its end.
    pub(crate) fn at(&self, timestamp: jiff::Timestamp) -> Zoned {
        timestamp.to_zoned(self.zone.clone())
    }

    /// A time since the epoch in this zone.
    pub(crate) fn since_epoch(&self, time: Duration) -> Zoned {
        self.at(timestamp(time))
    }

    /// Formats `moment` as `format` says.
    pub(crate) fn format(&self, format: &[u8], moment: &Zoned) -> Vec<u8> {
        let mut out = Vec::with_capacity(format.len() * 2);
        self.format_into(format, moment, &mut out);
        out
    }

    /// As [`Zone::format`], appended to `out`.
    pub(crate) fn format_into(&self, format: &[u8], moment: &Zoned, out: &mut Vec<u8>) {
        let mut rest = format;
        while let Some(at) = memchr::memchr(b'%', rest) {
            out.extend_from_slice(rest.get(..at).unwrap_or(&[]));
            rest = rest.get(at..).unwrap_or(&[]);
            let (directive, length) = Directive::parse(rest);
            let verbatim = rest.get(..length).unwrap_or(rest);
            match directive {
                Some(directive) => self.put(directive, moment, verbatim, out),
                None => out.extend_from_slice(verbatim),
            }
            rest = rest.get(length..).unwrap_or(&[]);
        }
        out.extend_from_slice(rest);
    }

    fn put(&self, directive: Directive, moment: &Zoned, verbatim: &[u8], out: &mut Vec<u8>) {
        let Some(value) = self.value(directive, moment) else {
            out.extend_from_slice(verbatim);
            return;
        };
        value.put(directive, out);
    }

    fn value(&self, directive: Directive, moment: &Zoned) -> Option<Value> {
        use Value::{Number, Words};
        let number = |value: i64, width: usize| Number { value, width, pad: b'0' };
        let blank = |value: i64, width: usize| Number { value, width, pad: b' ' };
        let hour = i64::from(moment.hour());
        let hour12 = if hour % 12 == 0 { 12 } else { hour % 12 };
        let year = i64::from(moment.year());
        let weekday = i64::from(moment.weekday().to_sunday_zero_offset());
        let yearday = i64::from(moment.day_of_year()) - 1;
        let iso = moment.date().iso_week_date();
        let nested = |format: &[u8]| Words(self.format(format, moment));
        let words = |text: &str| Words(text.as_bytes().to_metered());
        Some(match directive.letter {
            b'%' => words("%"),
            b'n' => words("\n"),
            b't' => words("\t"),
            b'a' => words(weekday_name(moment.weekday()).get(..3).unwrap_or("")),
            b'A' => words(weekday_name(moment.weekday())),
            b'b' | b'h' => words(month_name(moment.month()).get(..3).unwrap_or("")),
            b'B' => words(month_name(moment.month())),
            b'c' => nested(b"%a %b %e %H:%M:%S %Y"),
            b'D' | b'x' => nested(b"%m/%d/%y"),
            b'F' => return Some(iso_date(directive, year, moment)),
            b'r' => nested(b"%I:%M:%S %p"),
            b'R' => nested(b"%H:%M"),
            b'T' | b'X' => nested(b"%H:%M:%S"),
            b'C' => number(year.div_euclid(100), 2),
            b'd' => number(i64::from(moment.day()), 2),
            b'e' => blank(i64::from(moment.day()), 2),
            b'g' => number(i64::from(iso.year()).rem_euclid(100), 2),
            b'G' => number(i64::from(iso.year()), 4),
            b'H' => number(hour, 2),
            b'I' => number(hour12, 2),
            b'j' => number(yearday + 1, 3),
            b'k' => blank(hour, 2),
            b'l' => blank(hour12, 2),
            b'm' => number(i64::from(moment.month()), 2),
            b'M' => number(i64::from(moment.minute()), 2),
            b'N' => Value::Nanoseconds(moment.subsec_nanosecond().unsigned_abs()),
            b'p' => words(if hour < 12 { "AM" } else { "PM" }),
            b'P' => words(if hour < 12 { "am" } else { "pm" }),
            b'q' => number((i64::from(moment.month()) + 2) / 3, 1),
            b's' => number(moment.timestamp().as_nanosecond().div_euclid(1_000_000_000) as i64, 1),
            b'S' => number(i64::from(moment.second()), 2),
            b'u' => number(if weekday == 0 { 7 } else { weekday }, 1),
            b'U' => number((yearday + 7 - weekday) / 7, 2),
            b'V' => number(i64::from(iso.week()), 2),
            b'w' => number(weekday, 1),
            b'W' => number((yearday + 7 - (weekday + 6) % 7) / 7, 2),
            b'y' => number(year.rem_euclid(100), 2),
            b'Y' => number(year, 4),
            b'z' => Value::Offset(moment.offset().seconds(), directive.colons),
            b'Z' => words(&self.abbreviation(moment)),
            _ => return None,
        })
    }

    fn abbreviation(&self, moment: &Zoned) -> String {
        if let Some(name) = &self.unknown {
            return name.clone();
        }
        let info = self.zone.to_offset_info(moment.timestamp());
        info.abbreviation().to_metered()
    }
}

/// The timestamp of a time since the epoch; the last one that the calendar holds when it is past it.
pub(crate) fn timestamp(time: Duration) -> jiff::Timestamp {
    i64::try_from(time.as_secs())
        .ok()
        .and_then(|seconds| jiff::Timestamp::new(seconds, time.subsec_nanos() as i32).ok())
        .unwrap_or(jiff::Timestamp::MAX)
}

/// The time since the epoch of a timestamp; what lies before it is the epoch.
pub(crate) fn duration(timestamp: jiff::Timestamp) -> Duration {
    u64::try_from(timestamp.as_nanosecond()).map_or(Duration::ZERO, Duration::from_nanos)
}

fn iso_date(directive: Directive, year: i64, moment: &Zoned) -> Value {
    let width = directive.width.map_or(4, |width| width.saturating_sub(6));
    let width = if matches!(directive.flag, Some(b'-')) { 1 } else { width.max(1) };
    let width = if directive.width.is_none() && directive.flag.is_none() { 4 } else { width };
    let mut text = Vec::new();
    put_number(year, width, if directive.flag == Some(b'_') { b' ' } else { b'0' }, &mut text);
    text.extend_from_slice(format!("-{:02}-{:02}", moment.month(), moment.day()).as_bytes());
    Value::Words(text)
}

#[derive(Clone, Copy, Debug)]
struct Directive {
    flag: Option<u8>,
    upper: bool,
    swap: bool,
    width: Option<usize>,
    colons: usize,
    letter: u8,
}

impl Directive {
    /// Reads the directive at the start of `text` (a `%`), and how long it is. `None`: it is to be printed as it stands.
    fn parse(text: &[u8]) -> (Option<Self>, usize) {
        let mut directive = Self { flag: None, upper: false, swap: false, width: None, colons: 0, letter: 0 };
        let mut at = 1;
        while let Some(&byte) = text.get(at) {
            match byte {
                b'-' | b'_' | b'0' | b'+' => directive.flag = Some(byte),
                b'^' => directive.upper = true,
                b'#' => directive.swap = true,
                _ => break,
            }
            at += 1;
        }
        while let Some(&byte @ b'0'..=b'9') = text.get(at) {
            let width =
                directive.width.unwrap_or(0).saturating_mul(10).saturating_add(usize::from(byte - b'0'));
            directive.width = Some(width);
            at += 1;
        }
        // With a letter that has no alternative form the modifier is printed too.
        let plain: &[u8] = match text.get(at) {
            Some(b'E') => b"aAbBdDeFgGhHIjklmMNSUVwW%",
            Some(b'O') => b"aAcDFqxXY%",
            _ => b"",
        };
        if let Some(b'E' | b'O') = text.get(at) {
            at += 1;
        }
        while text.get(at) == Some(&b':') && directive.colons < 3 {
            directive.colons += 1;
            at += 1;
        }
        match text.get(at) {
            Some(letter) if plain.contains(letter) => (None, at + 1),
            Some(&letter) if directive.colons == 0 || letter == b'z' => {
                directive.letter = letter;
                (Some(directive), at + 1)
            }
            Some(_) => (None, at + 1),
            None => (None, at),
        }
    }
}

enum Value {
    Number {
        value: i64,
        width: usize,
        pad: u8,
    },
    Words(Vec<u8>),
    Nanoseconds(u32),
    /// Seconds east of UTC, and the colons of the directive.
    Offset(i32, usize),
}

impl Value {
    fn put(self, directive: Directive, out: &mut Vec<u8>) {
        match self {
            Self::Number { value, width, pad } => {
                let width = directive.width.unwrap_or(width);
                let (pad, width) = match directive.flag {
                    Some(b'-') => (b'0', 0),
                    Some(b'_') => (b' ', width),
                    Some(b'0' | b'+') => (b'0', width),
                    _ => (pad, width),
                };
                put_number(value, width, pad, out);
            }
            Self::Words(mut text) => {
                if directive.upper && directive.letter != b'P' {
                    text.make_ascii_uppercase();
                } else if directive.swap {
                    if matches!(directive.letter, b'p' | b'Z') {
                        text.make_ascii_lowercase();
                    } else if matches!(directive.letter, b'a' | b'A' | b'b' | b'B' | b'h') {
                        text.make_ascii_uppercase();
                    }
                }
                let width = if directive.flag == Some(b'-') { 0 } else { directive.width.unwrap_or(0) };
                let pad = if matches!(directive.flag, Some(b'0' | b'+')) { b'0' } else { b' ' };
                out.resize_by(width.saturating_sub(text.len()), pad);
                out.extend_from_slice(&text);
            }
            Self::Nanoseconds(nanoseconds) => put_nanoseconds(nanoseconds, directive, out),
            Self::Offset(seconds, colons) => put_offset(seconds, colons, directive, out),
        }
    }
}

fn put_number(value: i64, width: usize, pad: u8, out: &mut Vec<u8>) {
    let digits = value.unsigned_abs().to_decimal();
    let sign = usize::from(value < 0);
    let fill = width.saturating_sub(digits.len() + sign);
    if pad == b' ' {
        out.resize_by(fill, b' ');
    }
    if value < 0 {
        out.push(b'-');
    }
    if pad == b'0' {
        out.resize_by(fill, b'0');
    }
    out.extend_from_slice(digits.as_bytes());
}

/// `%N`: nine digits, or the first `width` of them; `-` cuts trailing zeros, `_` makes them blanks.
fn put_nanoseconds(nanoseconds: u32, directive: Directive, out: &mut Vec<u8>) {
    let digits = format!("{nanoseconds:09}");
    let width = directive.width.filter(|&width| width > 0).unwrap_or(9);
    let shown = digits.as_bytes().get(..width.min(9)).unwrap_or(digits.as_bytes());
    match directive.flag {
        Some(b'-') if directive.width.is_some() => {
            let kept = shown.iter().rposition(|&digit| digit != b'0').map_or(1, |last| last + 1);
            out.extend_from_slice(shown.get(..kept).unwrap_or(shown));
        }
        Some(b'_') => {
            let kept = shown.iter().rposition(|&digit| digit != b'0').map_or(1, |last| last + 1);
            out.extend_from_slice(shown.get(..kept).unwrap_or(shown));
            out.resize_by(width - kept, b' ');
        }
        _ => {
            out.extend_from_slice(shown);
            out.resize_by(width.saturating_sub(9), b'0');
        }
    }
}

fn put_offset(seconds: i32, colons: usize, directive: Directive, out: &mut Vec<u8>) {
    let sign = if seconds < 0 { '-' } else { '+' };
    let total = seconds.unsigned_abs();
    let (hours, minutes, rest) = (total / 3600, total / 60 % 60, total % 60);
    let tail = match colons {
        0 => format!("{minutes:02}"),
        1 => format!(":{minutes:02}"),
        2 => format!(":{minutes:02}:{rest:02}"),
        _ if rest != 0 => format!(":{minutes:02}:{rest:02}"),
        _ if minutes != 0 => format!(":{minutes:02}"),
        _ => String::new(),
    };
    if let (0, Some(flag @ (b'-' | b'_'))) = (colons, directive.flag) {
        // Hours and minutes are one number.
        let number = (hours * 100 + minutes).to_decimal();
        let width = if flag == b'_' { directive.width.unwrap_or(5) } else { 0 };
        out.resize_by(width.saturating_sub(number.len() + 1), b' ');
        out.extend_from_slice(format!("{sign}{number}").as_bytes());
        return;
    }
    let default = 3 + tail.len();
    let width = directive.width.unwrap_or(default).max(default - 1).saturating_sub(tail.len() + 1);
    let digits = hours.to_decimal();
    // The library's own padding ends at 16 bits.
    let fill = width.saturating_sub(digits.len());
    let text = match directive.flag {
        Some(b'-') => format!("{sign}{digits}{tail}"),
        Some(b'_') => format!("{}{sign}{digits}{tail}", repeat_text(" ", fill)),
        _ => format!("{sign}{}{digits}{tail}", repeat_text("0", fill)),
    };
    out.extend_from_slice(text.as_bytes());
}

/// English names of the days of the week, from Sunday.
pub(crate) const WEEKDAYS: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

fn weekday_name(day: Weekday) -> &'static str {
    let index = usize::try_from(day.to_sunday_zero_offset()).ok();
    index.and_then(|index| WEEKDAYS.get(index)).copied().unwrap_or("")
}

/// English names of the months.
pub(crate) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

fn month_name(month: i8) -> &'static str {
    usize::try_from(month - 1).ok().and_then(|index| MONTHS.get(index)).copied().unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_flags_and_widths() {
        let zone = Zone::named(b"America/New_York");
        let moment = zone.since_epoch(Duration::new(1_709_212_445, 120_000_000));
        let rows = [
            ("%Y-%m-%d %H:%M:%S", "2024-02-29 08:14:05"),
            ("%-d %_H %^a %N %3N %s", "29  8 THU 120000000 120 1709212445"),
            ("%z %:z %::z %:::z %Z", "-0500 -05:00 -05:00:00 -05 EST"),
            (
                "%a %A %b %B %e %j %U %W %V %G %g %u %w",
                "Thu Thursday Feb February 29 060 08 09 09 2024 24 4 4",
            ),
            ("%c|%x|%X|%r|%p|%P", "Thu Feb 29 08:14:05 2024|02/29/24|08:14:05|08:14:05 AM|AM|am"),
            ("%5Y|%_5d|%05d|%10A|%-N|%#p|%^B", "02024|   29|00029|  Thursday|120000000|am|FEBRUARY"),
            (
                "%_3N|%-3N|%12z|%_z|%-z|%_:z|%5:z|%015N",
                "12 |12|-00000000500| -500|-500| -5:00|-5:00|120000000000000",
            ),
            (
                "%010a|%_10a|%-10a|%12F|%_12F|%:Y|%^c",
                "0000000Thu|       Thu|Thu|002024-02-29|  2024-02-29|%:Y|THU FEB 29 08:14:05 2024",
            ),
            ("%Q|%|%%", "%Q|%|%"),
            ("%k|%l|%I|%C|%y|%q|%F|%D|%T|%R|%h", " 8| 8|08|20|24|1|2024-02-29|02/29/24|08:14:05|08:14|Feb"),
        ];
        for (format, want) in rows {
            assert_eq!(String::from_utf8(zone.format(format.as_bytes(), &moment)).unwrap(), want, "{format}");
        }
        let unknown = Zone::named(b"Foo/Bar");
        assert_eq!(unknown.format(b"%Z %z", &unknown.since_epoch(Duration::ZERO)), b"Foo +0000");
    }
}
