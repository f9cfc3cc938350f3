//! `strptime` of the GNU C library in the POSIX locale.

use super::calendar::BrokenDown;
use crate::utility::format::time_format::{MONTHS, WEEKDAYS};
use jiff::Timestamp;
use jiff::tz::TimeZone;

/// What was read so far.
struct Parser<'t> {
    rest: &'t str,
    zone: &'t TimeZone,
    time: BrokenDown,
    is_afternoon: Option<bool>,
    has_weekday: bool,
    has_yearday: bool,
    has_month: bool,
    has_day: bool,
    wants_days: bool,
    century: Option<i64>,
    /// The year is that of a century.
    is_of_century: bool,
    /// A week of the year, and whether weeks begin on Monday.
    week: Option<(i64, bool)>,
}

/// What stands for a weekday and a day of the year that were not read.
const NO_WEEKDAY: i64 = 8;
const NO_YEARDAY: i64 = 367;

/// The time that `text` tells by `format`, and what is left of the text.
pub(super) fn parse_time<'t>(
    text: &'t str,
    format: &str,
    zone: &'t TimeZone,
) -> Option<(BrokenDown, &'t str)> {
    let time = BrokenDown { year: 1900, weekday: NO_WEEKDAY, yearday: NO_YEARDAY, ..BrokenDown::default() };
    let mut parser = Parser {
        rest: text,
        zone,
        time,
        is_afternoon: None,
        has_weekday: false,
        has_yearday: false,
        has_month: false,
        has_day: false,
        wants_days: false,
        century: None,
        is_of_century: false,
        week: None,
    };
    parser.by(format)?;
    parser.complete();
    Some((parser.time, parser.rest))
}

impl Parser<'_> {
    fn by(&mut self, format: &str) -> Option<()> {
        let mut characters = format.chars();
        while let Some(character) = characters.next() {
            if character.is_ascii_whitespace() {
                self.skip_space();
                continue;
            }
            if character != '%' {
                self.rest = self.rest.strip_prefix(character)?;
                continue;
            }
            let mut letter = characters.next()?;
            while matches!(letter, '-' | '_' | '0' | '^' | '#') {
                letter = characters.next()?;
            }
            if matches!(letter, 'E' | 'O') {
                letter = characters.next()?;
            }
            self.convert(letter)?;
        }
        Some(())
    }

    fn convert(&mut self, letter: char) -> Option<()> {
        match letter {
            '%' => self.rest = self.rest.strip_prefix('%')?,
            'n' | 't' => self.skip_space(),
            'a' | 'A' => {
                self.time.weekday = self.name(&WEEKDAYS)?;
                self.has_weekday = true;
            }
            'b' | 'B' | 'h' => {
                self.time.month = self.name(&MONTHS)?;
                (self.has_month, self.wants_days) = (true, true);
            }
            'c' => self.by("%a %b %e %H:%M:%S %Y")?,
            'C' => {
                self.century = Some(self.number(0, 99, 2)?);
                self.wants_days = true;
            }
            'd' | 'e' => {
                self.time.day = self.number(1, 31, 2)?;
                (self.has_day, self.wants_days) = (true, true);
            }
            'D' | 'x' => self.by("%m/%d/%y")?,
            'F' => self.by("%Y-%m-%d")?,
            'H' | 'k' => {
                self.time.hour = self.number(0, 23, 2)?;
                self.is_afternoon = None;
            }
            'I' | 'l' => {
                self.time.hour = self.number(1, 12, 2)? % 12;
                self.is_afternoon.get_or_insert(false);
            }
            'j' => {
                self.time.yearday = self.number(1, 366, 3)? - 1;
                self.has_yearday = true;
            }
            'm' => {
                self.time.month = self.number(1, 12, 2)? - 1;
                (self.has_month, self.wants_days) = (true, true);
            }
            'M' => self.time.minute = self.number(0, 59, 2)?,
            'p' | 'P' => self.half()?,
            'r' => self.by("%I:%M:%S %p")?,
            'R' => self.by("%H:%M")?,
            's' => self.epoch()?,
            'S' => self.time.second = self.number(0, 61, 2)?,
            'T' | 'X' => self.by("%H:%M:%S")?,
            'u' => {
                self.time.weekday = self.number(1, 7, 1)? % 7;
                self.has_weekday = true;
            }
            'w' => {
                self.time.weekday = self.number(0, 6, 1)?;
                self.has_weekday = true;
            }
            'g' => drop(self.number(0, 99, 2)?),
            'G' => {
                let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
                self.rest = self.rest.get(digits.max(1)..).filter(|_| digits > 0)?;
            }
            'U' => self.week = Some((self.number(0, 53, 2)?, false)),
            'W' => self.week = Some((self.number(0, 53, 2)?, true)),
            'V' => drop(self.number(0, 53, 2)?),
            'y' => {
                let year = self.number(0, 99, 2)?;
                self.time.year = if year >= 69 { 1900 + year } else { 2000 + year };
                (self.is_of_century, self.wants_days) = (true, true);
            }
            'Y' => {
                self.time.year = self.number(0, 9999, 4)?;
                (self.is_of_century, self.century, self.wants_days) = (false, None, true);
            }
            'z' => self.offset()?,
            'Z' => {
                self.skip_space();
                self.rest = self.rest.trim_start_matches(|c: char| !c.is_ascii_whitespace());
            }
            _ => return None,
        }
        Some(())
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '\u{b}');
    }

    /// A number of at most so many digits, after blanks.
    fn number(&mut self, from: i64, upto: i64, digits: usize) -> Option<i64> {
        let rest = self.rest.trim_start_matches(' ');
        let count = rest.bytes().take(digits).take_while(u8::is_ascii_digit).count();
        let (number, rest) = rest.split_at_checked(count)?;
        let number = number.parse().ok().filter(|number| (from..=upto).contains(number))?;
        self.rest = rest;
        Some(number)
    }

    /// A name, whole or its first three letters, in any case: its place.
    fn name(&mut self, names: &[&str]) -> Option<i64> {
        let starts =
            |name: &str| self.rest.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
        for (place, name) in names.iter().enumerate() {
            for form in [*name, name.get(..3)?] {
                if starts(form) {
                    self.rest = self.rest.get(form.len()..)?;
                    return i64::try_from(place).ok();
                }
            }
        }
        None
    }

    fn half(&mut self) -> Option<()> {
        let half = self.rest.get(..2)?;
        let is_afternoon = half.eq_ignore_ascii_case("pm");
        if !is_afternoon && !half.eq_ignore_ascii_case("am") {
            return None;
        }
        self.rest = self.rest.get(2..)?;
        self.is_afternoon = Some(is_afternoon);
        Some(())
    }

    /// Seconds from the Epoch, as local time.
    fn epoch(&mut self) -> Option<()> {
        let digits = self.rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = self.rest.split_at_checked(digits)?;
        let seconds: i64 = number.parse().ok()?;
        let offset = Timestamp::from_second(seconds).map_or(0, |at| self.zone.to_offset(at).seconds());
        self.time = BrokenDown::of(seconds.checked_add(i64::from(offset))?)?;
        (self.has_weekday, self.has_yearday, self.rest) = (true, true, rest);
        Some(())
    }

    /// `Z`, `+hh`, `+hhmm` or `+hh:mm`; it changes nothing.
    fn offset(&mut self) -> Option<()> {
        self.skip_space();
        if let Some(rest) = self.rest.strip_prefix('Z') {
            self.rest = rest;
            return Some(());
        }
        let rest = self.rest.strip_prefix(['+', '-'])?;
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let first = digits(rest).min(4);
        let (hours, after) = rest.split_at_checked(first)?;
        let (minutes, after) = match after.strip_prefix(':') {
            Some(more) if first == 2 && digits(more) >= 2 => more.split_at_checked(2)?,
            _ => ("", after),
        };
        if hours.len() != 2 && hours.len() != 4 {
            return None;
        }
        let value: i64 = crate::memory::format!("{hours}{minutes}").parse().ok()?;
        let value = if hours.len() + minutes.len() == 2 { value * 100 } else { value };
        if value > 1400 || value % 100 >= 60 {
            return None;
        }
        self.rest = after;
        Some(())
    }

    /// Computes the fields that follow from others.
    fn complete(&mut self) {
        if self.is_afternoon == Some(true) && self.time.hour < 12 {
            self.time.hour += 12;
        }
        if let Some(century) = self.century {
            let year = if self.is_of_century { self.time.year.rem_euclid(100) } else { 0 };
            self.time.year = century * 100 + year;
        }
        if self.wants_days && !self.has_weekday {
            if !(self.has_month && self.has_day) && self.has_yearday {
                let first = BrokenDown { day: 1, month: 0, ..self.time };
                if let Some(day) = BrokenDown::of((first.days() + self.time.yearday) * 86_400) {
                    if !self.has_month {
                        self.time.month = day.month;
                    }
                    if !self.has_day {
                        self.time.day = day.day;
                    }
                }
            }
            self.time.set_weekday();
        }
        if self.wants_days && !self.has_yearday {
            self.time.set_yearday();
        }
        if let Some((week, from_monday)) = self.week
            && self.has_weekday
        {
            self.set_week(week, i64::from(from_monday));
        }
        if self.time.day != 0 {
            if self.time.weekday == NO_WEEKDAY {
                self.time.set_weekday();
            }
            if self.time.yearday == NO_YEARDAY {
                self.time.set_yearday();
            }
        }
    }

    /// The day that week and weekday tell, where no other was read.
    fn set_week(&mut self, week: i64, start: i64) {
        let weekday = self.time.weekday;
        let mut first = BrokenDown { day: 1, month: 0, ..self.time };
        first.set_weekday();
        let day = (7 - (first.weekday - start)).rem_euclid(7)
            + (week - 1) * 7
            + (weekday - start + 7).rem_euclid(7);
        if !self.has_yearday {
            self.time.yearday = day;
        }
        if !(self.has_month && self.has_day)
            && let Some(found) = BrokenDown::of((first.days() + day) * 86_400)
        {
            if !self.has_month {
                self.time.month = found.month;
            }
            if !self.has_day {
                self.time.day = found.day;
            }
        }
    }
}
