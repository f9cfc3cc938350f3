//! Dates: as git reads them in variables and options, and as it prints them.

use super::Git;
use super::object::commit::Signature;
use crate::memory::{String, Vec, format};
use crate::text::Text;
use crate::utility::format::time_format::{MONTHS, WEEKDAYS, Zone};
use crate::utility::format::time_parse;

/// How dates are printed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum DateStyle {
    #[default]
    Default,
    Iso,
    IsoStrict,
    Rfc,
    Short,
    Raw,
    Unix,
    Relative,
    Human,
    Format(Text),
}

/// A style and whether times are those of the local zone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DateMode {
    pub(crate) style: DateStyle,
    pub(crate) is_local: bool,
}

impl DateMode {
    pub(crate) fn named(name: &[u8]) -> Option<Self> {
        if let Some(format) = name.strip_prefix(b"format:") {
            return Some(Self { style: DateStyle::Format(format.into()), is_local: false });
        }
        if let Some(format) = name.strip_prefix(b"format-local:") {
            return Some(Self { style: DateStyle::Format(format.into()), is_local: true });
        }
        let (name, is_local) = match name.strip_suffix(b"-local") {
            Some(name) => (name, true),
            None => (name, false),
        };
        let style = match name {
            b"default" => DateStyle::Default,
            b"local" => return Some(Self { style: DateStyle::Default, is_local: true }),
            b"iso" | b"iso8601" => DateStyle::Iso,
            b"iso-strict" | b"iso8601-strict" => DateStyle::IsoStrict,
            b"rfc" | b"rfc2822" => DateStyle::Rfc,
            b"short" => DateStyle::Short,
            b"raw" => DateStyle::Raw,
            b"unix" => DateStyle::Unix,
            b"relative" => DateStyle::Relative,
            b"human" => DateStyle::Human,
            _ => return None,
        };
        Some(Self { style, is_local })
    }
}

/// `+hhmm`, the number that stands for it.
fn zone_number(text: &[u8]) -> Option<i32> {
    let (sign, digits) = match text.split_first()? {
        (b'+', digits) => (1, digits),
        (b'-', digits) => (-1, digits),
        _ => return None,
    };
    if digits.len() != 4 || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(sign * std::str::from_utf8(digits).ok()?.parse::<i32>().ok()?)
}

/// The moment and time zone of `GIT_AUTHOR_DATE` and `--date`.
pub(crate) fn parse_exact(text: &[u8], git: &Git) -> Option<(i64, i32)> {
    let text = text.trim_ascii();
    let bare = text.strip_prefix(b"@").unwrap_or(text);
    let mut words = bare.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
    let (first, second, third) = (words.next()?, words.next(), words.next());
    let is_number = first.iter().all(u8::is_ascii_digit) && (first.len() > 8 || text.len() != bare.len());
    if is_number && third.is_none() {
        let seconds: i64 =
            std::str::from_utf8(first).ok()?.parse().ok().filter(|seconds| *seconds < 1 << 45)?;
        return match second {
            None => Some((seconds, if text.len() == bare.len() { git.zone_at(seconds) } else { 0 })),
            Some(zone) => Some((seconds, zone_number(zone)?)),
        };
    }
    let moment = time_parse::parse(text, now(git), &git.zone())?;
    let seconds = moment.as_second();
    let last = text.rsplit(|byte| *byte == b' ').next().unwrap_or(&[]);
    let tail = text.get(text.len().saturating_sub(5)..).unwrap_or(&[]);
    let zone = zone_number(last).or_else(|| zone_number(tail).filter(|_| text.contains(&b':')));
    let zone = zone.or_else(|| {
        let is_utc = text.ends_with(b"Z") || text.ends_with(b"UTC") || text.ends_with(b"GMT");
        is_utc.then_some(0)
    });
    Some((seconds, zone.unwrap_or_else(|| git.zone_at(seconds))))
}

fn now(git: &Git) -> jiff::Timestamp {
    jiff::Timestamp::from_second(git.now()).unwrap_or(jiff::Timestamp::UNIX_EPOCH)
}

/// The moment of `--since`: `2.weeks.ago`, `yesterday`, a date (at the present time of day).
pub(crate) fn parse_about(text: &[u8], git: &Git) -> Option<i64> {
    let text = text.trim_ascii();
    if let Some((seconds, _)) =
        text.iter().all(|byte| !byte.is_ascii_alphabetic()).then(|| parse_exact(text, git)).flatten()
    {
        let is_date = text.len() <= 10 && !text.contains(&b':') && !text.starts_with(b"@");
        if is_date && text.iter().any(|byte| b"-/.".contains(byte)) {
            let zone = git.zone();
            let time = zone.at(now(git)).time();
            let second =
                i64::from(time.hour()) * 3600 + i64::from(time.minute()) * 60 + i64::from(time.second());
            return Some(seconds + second);
        }
        return Some(seconds);
    }
    let words: Vec<u8> = text.iter().map(|byte| if *byte == b'.' { b' ' } else { *byte }).collect();
    match words.as_slice() {
        b"now" => return Some(git.now()),
        b"yesterday" => return Some(git.now() - 86400),
        b"never" => return Some(0),
        b"midnight" | b"today" if words.as_slice() == b"midnight" => {
            return time_parse::parse(b"00:00", now(git), &git.zone()).map(jiff::Timestamp::as_second);
        }
        b"today" => return Some(git.now()),
        _ => {}
    }
    time_parse::parse(text, now(git), &git.zone())
        .or_else(|| time_parse::parse(&words, now(git), &git.zone()))
        .map(jiff::Timestamp::as_second)
}

impl Git {
    /// A moment as a mode shows it.
    pub(crate) fn show_date(&self, signature: &Signature<'_>, mode: &DateMode) -> Vec<u8> {
        let seconds = signature.seconds;
        let zone = if mode.is_local { self.zone_at(seconds) } else { signature.zone };
        let signature = Signature { zone, ..*signature };
        let sign = if zone < 0 { '-' } else { '+' };
        let shown_zone = zone.abs();
        let shifted = seconds.saturating_add(signature.offset());
        let civil = jiff::Timestamp::from_second(shifted).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
        let civil = civil.to_zoned(jiff::tz::TimeZone::UTC).datetime();
        let (year, month, day) = (civil.year(), civil.month(), civil.day());
        let (hour, minute, second) = (civil.hour(), civil.minute(), civil.second());
        let short = |names: &[&'static str], index: usize| -> &'static str {
            names.get(index).and_then(|name| name.get(..3)).unwrap_or("")
        };
        let weekday = short(&WEEKDAYS, civil.weekday().to_sunday_zero_offset() as usize);
        let month_name = short(&MONTHS, (month as usize).saturating_sub(1));
        let clock = format!("{hour:02}:{minute:02}:{second:02}");
        let text = match &mode.style {
            DateStyle::Default if mode.is_local => format!("{weekday} {month_name} {day} {clock} {year}"),
            DateStyle::Default => {
                format!("{weekday} {month_name} {day} {clock} {year} {sign}{shown_zone:04}")
            }
            DateStyle::Iso => format!("{year:04}-{month:02}-{day:02} {clock} {sign}{shown_zone:04}"),
            DateStyle::IsoStrict => {
                let front = format!("{year:04}-{month:02}-{day:02}T{clock}");
                match shown_zone {
                    0 => format!("{front}Z"),
                    zone => format!("{front}{sign}{:02}:{:02}", zone / 100, zone % 100),
                }
            }
            DateStyle::Rfc => format!("{weekday}, {day} {month_name} {year} {clock} {sign}{shown_zone:04}"),
            DateStyle::Short => format!("{year:04}-{month:02}-{day:02}"),
            DateStyle::Raw => format!("{seconds} {sign}{shown_zone:04}"),
            DateStyle::Unix => format!("{seconds}"),
            DateStyle::Relative => relative(seconds, self.now()),
            DateStyle::Human => self.human(&signature, (weekday, month_name)),
            DateStyle::Format(pattern) => {
                let name = format!(
                    "<{sign}{shown_zone:04}>{}{:02}:{:02}",
                    if zone < 0 { '+' } else { '-' },
                    shown_zone / 100,
                    shown_zone % 100
                );
                let moment = jiff::Timestamp::from_second(seconds).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
                let zone = if mode.is_local { self.zone() } else { Zone::named(name.as_bytes()) };
                return zone.format(pattern, &zone.at(moment));
            }
        };
        text.into_bytes()
    }

    fn human(&self, signature: &Signature<'_>, (weekday, month): (&str, &str)) -> String {
        let now = self.now();
        let here = self.zone_at(now);
        let offset = |seconds: i64, zone: i32| seconds + Signature { zone, ..Signature::default() }.offset();
        let civil = |seconds: i64| {
            let moment = jiff::Timestamp::from_second(seconds).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
            moment.to_zoned(jiff::tz::TimeZone::UTC).datetime()
        };
        let (then, present) = (civil(offset(signature.seconds, signature.zone)), civil(offset(now, here)));
        let days = i64::from(present.date().day_of_year()) - i64::from(then.date().day_of_year());
        let same_year = then.year() == present.year();
        if same_year && days == 0 && then.month() == present.month() {
            return relative(signature.seconds, now);
        }
        let mut text = String::new();
        let near = same_year && (0..5).contains(&days);
        text.push_str(weekday);
        if !near {
            text.push_str(&format!(" {month} {}", then.day()));
        }
        if same_year {
            text.push_str(&format!(" {:02}:{:02}", then.hour(), then.minute()));
        } else {
            text = format!("{month} {} {}", then.day(), then.year());
        }
        if signature.zone != here && same_year {
            let sign = if signature.zone < 0 { '-' } else { '+' };
            text.push_str(&format!(" {sign}{:04}", signature.zone.abs()));
        }
        text
    }
}

fn ago(count: i64, unit: &str) -> String {
    format!("{count} {unit}{} ago", if count == 1 { "" } else { "s" })
}

/// `3 days ago`
pub(crate) fn relative(seconds: i64, now: i64) -> String {
    let mut age = now - seconds;
    if age < 0 {
        return "in the future".into();
    }
    if age < 90 {
        return ago(age, "second");
    }
    age = (age + 30) / 60;
    if age < 90 {
        return ago(age, "minute");
    }
    age = (age + 30) / 60;
    if age < 36 {
        return ago(age, "hour");
    }
    age = (age + 12) / 24;
    if age < 14 {
        return ago(age, "day");
    }
    if age < 70 {
        return ago((age + 3) / 7, "week");
    }
    if age < 365 {
        return ago((age + 15) / 30, "month");
    }
    if age < 1825 {
        let months = (age * 12 * 2 + 365) / (365 * 2);
        let (years, months) = (months / 12, months % 12);
        if months == 0 {
            return ago(years, "year");
        }
        return format!("{years} year{}, {}", if years == 1 { "" } else { "s" }, ago(months, "month"));
    }
    ago((age + 183) / 365, "year")
}
