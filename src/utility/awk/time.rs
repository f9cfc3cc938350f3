//! `strftime` and `mktime`.

use crate::memory::{String, Vec, format};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};

/// Seconds after which the calendar repeats itself, and the years that it takes.
const CYCLE: (i64, i64) = (12_622_780_800, 400);

/// The moment in a time zone, and how many years later it is: those past the year 9999 are told by one with the same days.
fn at(seconds: i64, zone: &TimeZone, is_utc: bool) -> Option<(Zoned, i64)> {
    let zone = if is_utc { TimeZone::UTC } else { zone.clone() };
    if let Ok(timestamp) = Timestamp::from_second(seconds) {
        return Some((timestamp.to_zoned(zone), 0));
    }
    let years = seconds.div_euclid(CYCLE.0) * CYCLE.1;
    let moment = Timestamp::from_second(seconds.rem_euclid(CYCLE.0)).ok()?.to_zoned(zone);
    // C counts years by an `int`.
    i32::try_from(years + i64::from(moment.year()) - 1900).ok()?;
    Some((moment, years))
}

/// Formats a moment; a conversion that is not known stays as it is.
pub(super) fn strftime(format: &[u8], seconds: i64, zone: &TimeZone, is_utc: bool) -> Vec<u8> {
    let Some((moment, years)) = at(seconds, zone, is_utc) else { return Vec::new() };
    let mut out = Vec::new();
    let mut rest = format;
    while let Some(found) = memchr::memchr(b'%', rest) {
        out.extend_from_slice(rest.get(..found).unwrap_or(&[]));
        rest = rest.get(found..).unwrap_or(&[]);
        let flags = rest.iter().skip(1).take_while(|byte| b"-_0^#EO".contains(byte)).count();
        let length = (2 + flags).min(rest.len());
        let mut conversion = rest.get(..length).unwrap_or(rest);
        rest = rest.get(length..).unwrap_or(&[]);
        // A locale's other forms are those of the C locale.
        let plain;
        if let [b'%', b'E', b'c' | b'C' | b'x' | b'X' | b'y' | b'Y']
        | [
            b'%',
            b'O',
            b'b' | b'B' | b'h' | b'd' | b'e' | b'H' | b'I' | b'm' | b'M' | b'S' | b'u' | b'U' | b'V' | b'w'
            | b'W' | b'y',
        ] = conversion
        {
            plain = [b'%', conversion.last().copied().unwrap_or(b'%')];
            conversion = &plain;
        }
        match conversion.last() {
            Some(b'n') => out.push(b'\n'),
            Some(b't') => out.push(b'\t'),
            Some(b'%') if length > 1 => out.push(b'%'),
            // What C has no conversion for stays.
            Some(letter) if !b"aAbBCdDeFgGhHIjklmMpPRsSTuUVwWyYzZcxXr".contains(letter) => {
                out.extend_from_slice(conversion);
            }
            Some(letter @ (b'Y' | b'G' | b'C' | b'F' | b's')) if years != 0 => {
                let year = years + i64::from(moment.year());
                let iso_year = years + i64::from(moment.date().iso_week_date().year());
                let text = match letter {
                    b'Y' => format!("{year}"),
                    b'G' => format!("{iso_year}"),
                    b'C' => format!("{:02}", year.div_euclid(100)),
                    b'F' => format!("{year}-{:02}-{:02}", moment.month(), moment.day()),
                    _ => format!("{seconds}"),
                };
                out.extend_from_slice(text.as_bytes());
            }
            Some(b'Z') if is_utc => out.extend_from_slice(b"GMT"),
            Some(b'c') => out.extend(strftime(b"%a %b %e %H:%M:%S %Y", seconds, zone, is_utc)),
            Some(b'x') => out.extend(strftime(b"%m/%d/%y", seconds, zone, is_utc)),
            Some(b'X') => out.extend(strftime(b"%H:%M:%S", seconds, zone, is_utc)),
            Some(b'r') => out.extend(strftime(b"%I:%M:%S %p", seconds, zone, is_utc)),
            _ => {
                let text = std::str::from_utf8(conversion).ok();
                let shown = text.and_then(|text| jiff::fmt::strtime::format(text, &moment).ok());
                out.extend_from_slice(shown.as_ref().map_or(conversion, |shown| shown.as_bytes()));
            }
        }
    }
    out.extend_from_slice(rest);
    out
}

/// Seconds since the Epoch of `YYYY MM DD HH MM SS [DST]`; -1 when that is none.
pub(super) fn mktime(text: &[u8], zone: &TimeZone, is_utc: bool) -> i64 {
    let text = String::from_utf8_lossy(text);
    let numbers: Vec<i64> = text.split_ascii_whitespace().map_while(|word| word.parse().ok()).collect();
    let [year, month, day, hour, minute, second, ..] = *numbers.as_slice() else { return -1 };
    let says_summer = numbers.get(6).copied().unwrap_or(-1);
    let zone = if is_utc { TimeZone::UTC } else { zone.clone() };
    let seconds = || -> Option<i64> {
        // Months, days and the rest may be out of range, and count on.
        let months = year.checked_mul(12)?.checked_add(month.checked_sub(1)?)?;
        let first = DateTime::new(
            i16::try_from(months.div_euclid(12)).ok()?,
            i8::try_from(months.rem_euclid(12) + 1).ok()?,
            1,
            0,
            0,
            0,
            0,
        )
        .ok()?;
        let spread = jiff::Span::new().try_days(day.checked_sub(1)?).ok()?;
        let clock =
            jiff::Span::new().try_hours(hour).ok()?.try_minutes(minute).ok()?.try_seconds(second).ok()?;
        let moment = first.checked_add(spread).ok()?.checked_add(clock).ok()?;
        let seconds = moment.to_zoned(zone.clone()).ok()?.timestamp().as_second();
        // What says that it is summer time where it is none is an hour earlier, and the other way round.
        let is_summer = zone.to_offset_info(Timestamp::from_second(seconds).ok()?).dst().is_dst();
        let shift = match says_summer {
            1.. if !is_summer && !is_utc => -3600,
            0 if is_summer => 3600,
            _ => 0,
        };
        seconds.checked_add(shift)
    };
    seconds().unwrap_or(-1)
}
