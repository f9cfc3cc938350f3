//! Words and figures of dates: units, ordinals, months, days of the week, halves of the day, zones.

use crate::utility::format::time_format::MONTHS;

#[derive(Clone, Copy, Debug)]
pub(super) enum Unit {
    Months(i64),
    Days(i64),
    Seconds(i64),
}

pub(super) fn unit(word: &str) -> Option<Unit> {
    let singular = word.strip_suffix('s').unwrap_or(word);
    Some(match singular {
        "year" => Unit::Months(12),
        "month" => Unit::Months(1),
        "fortnight" => Unit::Days(14),
        "week" => Unit::Days(7),
        "day" => Unit::Days(1),
        "hour" => Unit::Seconds(3600),
        "minute" | "min" => Unit::Seconds(60),
        "second" | "sec" => Unit::Seconds(1),
        _ => return None,
    })
}

pub(super) fn ordinal(word: &str) -> Option<i64> {
    const WORDS: [&str; 12] = [
        "first", "", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
        "twelfth",
    ];
    match word {
        "last" => Some(-1),
        "this" => Some(0),
        "next" => Some(1),
        _ => WORDS.iter().position(|&known| known == word).map(|index| index as i64 + 1),
    }
}

pub(super) fn month_number(word: &str) -> Option<i64> {
    if word == "sept" {
        return Some(9);
    }
    let found = MONTHS.iter().position(|month| {
        let is_short =
            word.len() == 3 && month.get(..3).is_some_and(|short| short.eq_ignore_ascii_case(word));
        is_short || month.eq_ignore_ascii_case(word)
    });
    found.map(|index| index as i64 + 1)
}

pub(super) fn weekday_number(word: &str) -> Option<i64> {
    const DAYS: [&str; 7] = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
    match word {
        "tues" => return Some(2),
        "wednes" => return Some(3),
        "thur" | "thurs" => return Some(4),
        _ => {}
    }
    DAYS.iter().position(|day| word == *day || (word.len() == 3 && day.starts_with(word))).map(|at| at as i64)
}

/// Whether the word is `pm` (true) or `am` (false).
pub(super) fn meridian(word: &str) -> Option<bool> {
    match word {
        "am" => Some(false),
        "pm" => Some(true),
        _ => None,
    }
}

pub(super) fn twelve_hours(hour: i64, afternoon: bool) -> Option<i64> {
    (1..=12).contains(&hour).then(|| hour % 12 + if afternoon { 12 } else { 0 })
}

pub(super) fn zone_offset(word: &str) -> Option<i64> {
    let hours = match word {
        "utc" | "gmt" | "z" | "ut" | "wet" => 0,
        "cet" | "met" | "bst" | "west" => 1,
        "cest" | "mest" | "eet" => 2,
        "eest" | "msk" => 3,
        "jst" => 9,
        "edt" => -4,
        "est" | "cdt" => -5,
        "cst" | "mdt" => -6,
        "mst" | "pdt" => -7,
        "pst" => -8,
        _ => return None,
    };
    Some(hours * 3600)
}

/// Two digits mean 1969 to 2068.
pub(super) const fn full_year(year: i64, digits: usize) -> i64 {
    if digits > 2 {
        year
    } else if year < 69 {
        year + 2000
    } else {
        year + 1900
    }
}
