//! Days: numbers of days over the switch from the Julian calendar to the Gregorian one, weeks, Easter.

use crate::memory::Vec;

/// When a country changed its calendar: the last day of the Julian one, and the first of the Gregorian one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reform {
    last: i64,
    first: i64,
}

/// A day in a calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Date {
    pub(super) year: i64,
    /// From 1.
    pub(super) month: i64,
    pub(super) day: i64,
}

const fn date(year: i64, month: i64, day: i64) -> Date {
    Date { year, month, day }
}

/// The number of a day of the Gregorian calendar; that of 1970-01-01 is 0.
fn gregorian(date: Date) -> i64 {
    let year = date.year - i64::from(date.month <= 2);
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year(date) - 719_468
}

/// The same of the Julian calendar.
fn julian(date: Date) -> i64 {
    let year = date.year - i64::from(date.month <= 2);
    year * 365 + year.div_euclid(4) + of_year(date) - 719_470
}

/// The number of a day in a year that begins in March.
const fn of_year(date: Date) -> i64 {
    let month = if date.month > 2 { date.month - 3 } else { date.month + 9 };
    (153 * month + 2) / 5 + date.day - 1
}

/// A day of the Gregorian calendar from its number.
fn from_gregorian(number: i64) -> Date {
    let number = number + 719_468;
    let era = number.div_euclid(146_097);
    let of_era = number.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let day = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let in_month = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    date(year + era * 400 + i64::from(month <= 2), month, in_month)
}

impl Reform {
    /// Where the last day of the Julian calendar was `date` in it.
    pub(super) fn after(year: i64, month: i64, day: i64) -> Self {
        let last = julian(date(year, month, day));
        Self { last, first: last + 1 }
    }

    /// The Julian calendar for ever.
    pub(super) const fn never() -> Self {
        Self { last: i64::MAX, first: i64::MAX }
    }

    /// The number of a day.
    pub(super) fn number(&self, date: Date) -> i64 {
        let number = julian(date);
        if number <= self.last { number } else { gregorian(date) }
    }

    /// The days of a month, as their numbers in it.
    pub(super) fn days(&self, year: i64, month: i64) -> Vec<i64> {
        let is_leap_julian = year.rem_euclid(4) == 0;
        let is_leap = is_leap_julian && (year.rem_euclid(100) != 0 || year.rem_euclid(400) == 0);
        let length = |is_leap: bool| match month {
            2 => 28 + i64::from(is_leap),
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        let julian_days =
            (1..=length(is_leap_julian)).filter(|&day| julian(date(year, month, day)) <= self.last);
        let gregorian_days =
            (1..=length(is_leap)).filter(|&day| gregorian(date(year, month, day)) >= self.first);
        julian_days.chain(gregorian_days).collect()
    }

    /// The day of the year of a day number.
    pub(super) fn of_year(&self, year: i64, number: i64) -> i64 {
        number - self.number(date(year, 1, 1)) + 1
    }

    /// The number of the week that begins with the day `start`, where weeks begin on `first_day` (0 is Sunday) and the first of a
    /// year has at least `least` of its days.
    pub(super) fn week(&self, year: i64, start: i64, first_day: i64, least: i64) -> i64 {
        let first = |year: i64| {
            let day = self.number(date(year, 1, 1));
            let start = day - weekday(day, first_day);
            if 7 - (day - start) >= least { start } else { start + 7 }
        };
        if start >= first(year + 1) {
            return (start - first(year + 1)) / 7 + 1;
        }
        let begin = if start >= first(year) { first(year) } else { first(year - 1) };
        (start - begin) / 7 + 1
    }
}

/// The first year whose Easter is told by the Gregorian calendar, whatever the country.
const FIRST_GREGORIAN_EASTER: i64 = 1583;

/// Easter of the western churches.
pub(super) fn easter(year: i64) -> Date {
    if year < FIRST_GREGORIAN_EASTER {
        return julian_easter(year);
    }
    let golden = year % 19;
    let (century, rest) = (year / 100, year % 100);
    let moon = (19 * golden + century - century / 4 - (century - (century + 8) / 25 + 1) / 3 + 15) % 30;
    let weekday = (32 + 2 * (century % 4) + 2 * (rest / 4) - moon - rest % 4) % 7;
    let shift = (golden + 11 * moon + 22 * weekday) / 451;
    let sum = moon + weekday - 7 * shift + 114;
    date(year, sum / 31, sum % 31 + 1)
}

/// Easter of the orthodox churches, by the calendar of that year or the Julian one.
pub(super) fn orthodox_easter(year: i64, in_julian: bool) -> Date {
    let easter = julian_easter(year);
    if in_julian || year < FIRST_GREGORIAN_EASTER { easter } else { from_gregorian(julian(easter)) }
}

fn julian_easter(year: i64) -> Date {
    let moon = (19 * (year % 19) + 15) % 30;
    let weekday = (2 * (year % 4) + 4 * (year % 7) - moon + 34) % 7;
    let sum = moon + weekday + 114;
    date(year, sum / 31, sum % 31 + 1)
}

/// The day of the week, from the one with which weeks begin (0 is Sunday).
pub(super) const fn weekday(number: i64, first_day: i64) -> i64 {
    (number + 4 - first_day).rem_euclid(7)
}

/// A country and the last day of the Julian calendar there.
pub(super) struct Country {
    pub(super) code: &'static str,
    pub(super) name: &'static str,
    pub(super) last: Date,
}

const fn country(code: &'static str, name: &'static str, year: i64, month: i64, day: i64) -> Country {
    Country { code, name, last: date(year, month, day) }
}

/// Sorted by code.
pub(super) const COUNTRIES: &[Country] = &[
    country("AL", "Albania", 1912, 11, 30),
    country("AT", "Austria", 1583, 10, 5),
    country("AU", "Australia", 1752, 9, 2),
    country("BE", "Belgium", 1582, 12, 14),
    country("BG", "Bulgaria", 1916, 3, 31),
    country("CA", "Canada", 1752, 9, 2),
    country("CH", "Switzerland", 1655, 2, 28),
    country("CN", "China", 1911, 12, 18),
    country("CZ", "Czech Republic", 1584, 1, 6),
    country("DE", "Germany", 1700, 2, 18),
    country("DK", "Denmark", 1700, 2, 18),
    country("ES", "Spain", 1582, 10, 4),
    country("FI", "Finland", 1753, 2, 17),
    country("FR", "France", 1582, 12, 9),
    country("GB", "United Kingdom", 1752, 9, 2),
    country("GR", "Greece", 1924, 3, 9),
    country("HU", "Hungary", 1587, 10, 21),
    country("IS", "Iceland", 1700, 11, 16),
    country("IT", "Italy", 1582, 10, 4),
    country("JP", "Japan", 1918, 12, 18),
    country("LI", "Lithuania", 1918, 2, 1),
    country("LU", "Luxembourg", 1582, 12, 14),
    country("LV", "Latvia", 1918, 2, 1),
    country("NL", "Netherlands", 1582, 12, 14),
    country("NO", "Norway", 1700, 2, 18),
    country("PL", "Poland", 1582, 10, 4),
    country("PT", "Portugal", 1582, 10, 4),
    country("RO", "Romania", 1919, 3, 31),
    country("RU", "Russia", 1918, 1, 31),
    country("SI", "Slovenia", 1919, 3, 4),
    country("SE", "Sweden", 1753, 2, 17),
    country("TR", "Turkey", 1926, 12, 18),
    country("US", "United States", 1752, 9, 2),
    country("YU", "Yugoslavia", 1919, 3, 4),
];
