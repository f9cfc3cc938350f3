//! The two layouts: `cal`'s with a week in each row, and `ncal`'s with a week in each column.

use super::Calendar;
use super::date::{Date, weekday};
use crate::memory::{String, Vec, format, repeat_text};
use crate::utility::format::time_format::MONTHS;
use crate::utility::prelude::*;

const WEEKDAYS: [&str; 7] = ["Su", "Mo", "Tu", "We", "Th", "Fr", "Sa"];
/// Weeks of a month, at most.
const WEEKS: usize = 6;

impl Calendar {
    /// Prints months, several beside each other.
    pub(super) async fn print(&self, ctx: &mut Context) -> Result<(), UtilityError> {
        let beside = match (self.in_rows, self.by_day_of_year) {
            (true, false) => 3,
            (true, true) => 2,
            (false, false) => 4,
            (false, true) => 3,
        };
        let width = match (self.in_rows, self.by_day_of_year) {
            (true, false) => 20,
            (true, true) => 27,
            (false, false) => 18,
            (false, true) => 24,
        };
        let width = if self.in_rows && self.weeks.is_some() { width + 5 } else { width };
        // A year stands above its months: with cal where they begin a row of the year, with ncal where they are a whole one or more.
        let is_whole = self.first % 12 == 0 && self.last - self.first >= 11;
        let begins_row = self.first % beside as i64 == 0 && self.last > self.first;
        let has_head = if self.in_rows { begins_row } else { is_whole };
        let mut month = self.first;
        while month <= self.last {
            ctx.tick().await?;
            if month > self.first {
                ctx.stdout.write(b"\n").await?;
            }
            if has_head && (month == self.first || month % 12 == 0) {
                let year = format!("{}", month / 12);
                let before = (width * beside - year.len()) / 2;
                ctx.stdout.write(format!("{}{year}\n", repeat_text(" ", before)).as_bytes()).await?;
            }
            let end = (month + beside as i64 - 1).min(self.last);
            let text = if self.in_rows {
                self.rows(month, end, width, has_head)
            } else {
                self.columns(month, end, width, has_head)
            };
            ctx.stdout.write(text.as_bytes()).await?;
            month = end + 1;
        }
        Ok(())
    }

    fn title(month: i64, has_head: bool) -> String {
        let name = MONTHS.get((month % 12) as usize).copied().unwrap_or_default();
        if has_head { name.into() } else { format!("{name} {}", month / 12) }
    }

    /// A month's days, a cell each, in the place where the first week would have its first day.
    fn cells(&self, month: i64) -> Vec<String> {
        let (year, of_year) = (month / 12, month % 12 + 1);
        let width = if self.by_day_of_year { 3 } else { 2 };
        let number = |day| self.reform.number(Date { year, month: of_year, day });
        let days = self.reform.days(year, of_year);
        let mut cells = Vec::new();
        if let Some(&first) = days.first() {
            for _ in 0..weekday(number(first), self.first_day) {
                cells.push(repeat_text(" ", width));
            }
        }
        for day in days {
            let shown = if self.by_day_of_year { self.reform.of_year(year, number(day)) } else { day };
            cells.push(format!("{shown:width$}"));
        }
        cells.resize_with(7 * WEEKS, || repeat_text(" ", width));
        cells
    }

    /// The numbers of a month's weeks; blank where it has none.
    fn weeks(&self, month: i64) -> Vec<String> {
        let (year, of_year) = (month / 12, month % 12 + 1);
        let mut weeks = Vec::new();
        let (Some(least), days) = (self.weeks, self.reform.days(year, of_year)) else { return weeks };
        let number = |day| self.reform.number(Date { year, month: of_year, day });
        if let Some(&first) = days.first() {
            let start = number(first) - weekday(number(first), self.first_day);
            let last = start + days.len() as i64 + weekday(number(first), self.first_day) - 1;
            for week in 0..WEEKS as i64 {
                let begin = start + 7 * week;
                let is_there = begin <= last;
                weeks.push(if is_there {
                    format!("{:2}", self.reform.week(year, begin, self.first_day, least))
                } else {
                    "  ".into()
                });
            }
        }
        weeks
    }

    fn names(&self) -> impl Iterator<Item = &'static str> {
        let first = self.first_day as usize;
        WEEKDAYS.iter().cycle().skip(first).take(7).copied()
    }

    fn rows(&self, first: i64, last: i64, width: usize, has_head: bool) -> String {
        let mut text = String::new();
        let has_weeks = self.weeks.is_some();
        for month in first..=last {
            let title = Self::title(month, has_head);
            let before = width.saturating_sub(title.len()) / 2;
            let after = width.saturating_sub(title.len() + before);
            text.push_str(&format!("{}{title}{}  ", repeat_text(" ", before), repeat_text(" ", after)));
        }
        text.push('\n');
        let separator = if self.by_day_of_year { "  " } else { " " };
        for _ in first..=last {
            text.push_str(if has_weeks { " w| " } else { "" });
            for (index, name) in self.names().enumerate() {
                let lead = if self.by_day_of_year { " " } else { "" };
                text.push_str(if index == 0 { lead } else { separator });
                text.push_str(name);
            }
            text.push_str(if has_weeks { "   " } else { "  " });
        }
        text.push('\n');
        let months: Vec<(Vec<String>, Vec<String>)> =
            (first..=last).map(|month| (self.cells(month), self.weeks(month))).collect();
        for row in 0..WEEKS {
            for (cells, weeks) in &months {
                if has_weeks {
                    let week = weeks.get(row).filter(|week| !week.trim().is_empty());
                    text.push_str(week.map_or("  ", |week| week));
                    text.push_str(if week.is_some() { "| " } else { "  " });
                }
                for (index, cell) in cells.iter().skip(7 * row).take(7).enumerate() {
                    text.push_str(if index == 0 { "" } else { " " });
                    text.push_str(cell);
                }
                text.push_str(if has_weeks { "   " } else { "  " });
            }
            text.push('\n');
        }
        text
    }

    fn columns(&self, first: i64, last: i64, width: usize, has_head: bool) -> String {
        let mut text = String::from("    ");
        for month in first..=last {
            text.push_str(&format!("{:width$}", Self::title(month, has_head)));
        }
        text.push('\n');
        let months: Vec<(Vec<String>, Vec<String>)> =
            (first..=last).map(|month| (self.cells(month), self.weeks(month))).collect();
        for (row, name) in self.names().enumerate() {
            text.push_str(name);
            for (cells, _) in &months {
                for week in 0..WEEKS {
                    text.push(' ');
                    text.push_str(cells.get(7 * week + row).map_or("", |cell| cell));
                }
            }
            text.push('\n');
        }
        if self.weeks.is_some() {
            text.push_str("  ");
            for (_, weeks) in &months {
                for week in weeks {
                    text.push_str(if self.by_day_of_year { "  " } else { " " });
                    text.push_str(week);
                }
            }
            text.push('\n');
        }
        text
    }
}
