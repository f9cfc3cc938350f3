//! `cal` and `ncal`: calendars of months and years, with the switch from the Julian calendar, and the date of Easter. cal(1) of
//! Debian 12's ncal.
//!
//! Today is what the session's clock says. It is marked on a terminal alone, so that `-h` and `-H` change nothing that is seen.
//! `date.rs` counts days, `print.rs` lays months out.

mod date;
mod print;

use crate::memory::{String, format};
use crate::utility::context::options::OptionsEnd;
use crate::utility::format::time_format::{MONTHS, Zone};
use crate::utility::prelude::*;
use date::{COUNTRIES, Reform};

options! {
    pub(super) enum Opt {
        Three = flag('3', "", "the previous, the current and the next month"),
        One = flag('1', "", "only the current month (default)"),
        Year = flag('y', "", "all months of the year"),
        After = value('A', "", "NUMBER", "NUMBER months more at the end"),
        Before = value('B', "", "NUMBER", "NUMBER months more at the beginning"),
        Month = value('m', "", "MONTH", "this month; f or p after its number is the next or last year's"),
        Debug = value('d', "", "YYYY-MM", "the current month"),
        DayOfYear = flag('j', "", "days are counted from January 1"),
        Highlight = value('H', "", "YYYY-MM-DD", "the current day (ncal)"),
        NoHighlight = flag('h', "", "do not mark today (ncal)"),
        JulianCalendar = flag('J', "", "the Julian calendar (ncal)"),
        Easter = flag('e', "", "the date of Easter (ncal)"),
        Orthodox = flag('o', "", "the date of Easter of the orthodox churches (ncal)"),
        Countries = flag('p', "", "print countries with the last day of the Julian calendar (ncal)"),
        Country = value('s', "", "CODE", "the calendars of a country (ncal)"),
        Weeks = flag('w', "", "number weeks (ncal)"),
        FirstWeek = value('W', "", "DAYS", "the first week of a year has at least DAYS days (ncal)"),
        Monday = flag('M', "", "weeks begin on Monday (ncal)"),
        Sunday = flag('S', "", "weeks begin on Sunday (ncal)"),
        OldLayout = flag('b', "", "lay out as cal does (ncal)"),
        CalMode = flag('C', "", "be cal"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "cal",
    summary: "display a calendar",
    usage: "cal [general options] [-jy] [[month] year]\ncal [general options] [-j] [-m month] [year]",
    options: Opt::TABLE,
    examples: &[example("cal 9 1752 | head -n 3 | tr -d ' '", "September1752\nSuMoTuWeThFrSa\n12141516\n")],
    usage_status: 64,
    run: start!(run),
    ..Utility::BASE
};

const USAGE: &str = "Usage: cal [general options] [-jy] [[month] year]
       cal [general options] [-j] [-m month] [year]
       ncal -C [general options] [-jy] [[month] year]
       ncal -C [general options] [-j] [-m month] [year]
       ncal [general options] [-bhJjpwySM] [-H yyyy-mm-dd] [-s country_code] [-W number of days] [[month] year]
       ncal [general options] [-Jeo] [year]
General options: [-31] [-A months] [-B months] [-d yyyy-mm]
";

/// What is shown.
#[derive(Debug)]
struct Calendar {
    reform: Reform,
    /// As `cal` lays it out.
    in_rows: bool,
    by_day_of_year: bool,
    /// The first day of a week, and how many days the first week of a year has; `None`: weeks have no numbers.
    first_day: i64,
    weeks: Option<i64>,
    /// Months since January of the year 0, the first and the last.
    first: i64,
    last: i64,
}

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    run_as(ctx, &UTILITY, true).await
}

pub(super) async fn start_ncal(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    run_as(ctx, &super::ncal::UTILITY, false).await
}

fn failed(message: impl Into<String>) -> UtilityError {
    UtilityError::Failed { message: message.into(), status: 64 }
}

/// Exit status: 0; 64 for usage.
async fn run_as(
    ctx: &mut Context,
    utility: &'static Utility,
    is_cal: bool,
) -> Result<ExitStatus, UtilityError> {
    let (options, end) = ctx.parse_options_in_order::<Opt>(utility);
    match end {
        Ok(()) => {}
        Err(OptionsEnd::Fault(UtilityError::Usage(message))) => {
            ctx.warn(message);
            return Ok(usage(ctx));
        }
        Err(end) => return Err(end.tell(&mut ctx.stdout)),
    }
    let is_cal = is_cal || options.has(Opt::CalMode);
    let of_ncal = [
        Opt::Highlight,
        Opt::NoHighlight,
        Opt::JulianCalendar,
        Opt::Easter,
        Opt::Orthodox,
        Opt::Countries,
        Opt::Country,
        Opt::Weeks,
        Opt::FirstWeek,
        Opt::Monday,
        Opt::Sunday,
        Opt::OldLayout,
    ];
    if (is_cal && options.has_any(of_ncal)) || options.operands.len() > 2 {
        return Ok(usage(ctx));
    }
    let code = options.value(Opt::Country);
    let reform = match code {
        Some(code) => {
            let known = COUNTRIES.iter().find(|country| country.code.as_bytes() == code.as_bytes());
            let last = known.ok_or_else(|| failed(format!("{code}: invalid country code")))?.last;
            Reform::after(last.year, last.month, last.day)
        }
        None => Reform::after(1752, 9, 2),
    };
    if options.has(Opt::Countries) {
        ctx.stdout.push(countries().as_bytes());
        return Ok(ExitStatus::SUCCESS);
    }
    let wanted = Wanted::new(ctx, &options)?;
    if options.has_any([Opt::Easter, Opt::Orthodox]) {
        let is_orthodox = options.has(Opt::Orthodox);
        let easter = if is_orthodox {
            date::orthodox_easter(wanted.year, options.has(Opt::JulianCalendar))
        } else {
            date::easter(wanted.year)
        };
        let line = format!("{:02}/{:02}/{:02}\n", easter.month, easter.day, easter.year % 100);
        ctx.stdout.push(line.as_bytes());
        return Ok(ExitStatus::SUCCESS);
    }
    let first_week = match options.value(Opt::FirstWeek) {
        None => 4,
        Some(text) => leading_number(text).unwrap_or(0),
    };
    let calendar = Calendar {
        reform: if options.has(Opt::JulianCalendar) { Reform::never() } else { reform },
        in_rows: is_cal || options.has(Opt::OldLayout),
        by_day_of_year: options.has(Opt::DayOfYear),
        first_day: i64::from(options.last_of([Opt::Monday, Opt::Sunday]) == Some(Opt::Monday)),
        weeks: options.has(Opt::Weeks).then_some(first_week),
        first: wanted.first,
        last: wanted.last,
    };
    calendar.print(ctx).await?;
    Ok(ExitStatus::SUCCESS)
}

fn usage(ctx: &mut Context) -> ExitStatus {
    ctx.stderr.push(USAGE.as_bytes());
    ExitStatus(64)
}

/// The table of `-p`, in two columns; the country of the locale is marked, whatever `-s` says.
fn countries() -> String {
    let mut text = String::new();
    let half = COUNTRIES.len().div_ceil(2);
    let cell = |country: &date::Country| {
        let mark = if country.code == "US" { '*' } else { ' ' };
        let last = country.last;
        let (year, month, day) = (last.year, last.month, last.day);
        format!("{mark}{} {:<15}{year:04}-{month:02}-{day:02}", country.code, country.name)
    };
    for row in 0..half {
        if let Some(country) = COUNTRIES.get(row) {
            text.push_str(&cell(country));
        }
        if let Some(country) = COUNTRIES.get(row + half) {
            text.push_str("     ");
            text.push_str(&cell(country));
        }
        text.push('\n');
    }
    text
}

/// Which months are asked for.
struct Wanted {
    year: i64,
    first: i64,
    last: i64,
}

impl Wanted {
    fn new(ctx: &Context, options: &Options<Opt>) -> Result<Self, UtilityError> {
        let today = Zone::of(&ctx.env).since_epoch(ctx.session.clock.now());
        let (mut year, mut month) = (i64::from(today.year()), i64::from(today.month()));
        if let Some(text) = options.value(Opt::Debug) {
            let mut parts = text.splitn(2, |&byte| byte == b'-');
            year = parts.next().and_then(leading_number).unwrap_or(0);
            month = parts.next().and_then(leading_number).unwrap_or(month);
            (year, month) = (year.saturating_add((month - 1).div_euclid(12)), (month - 1).rem_euclid(12) + 1);
        }
        let mut shows_year = false;
        let mut given_month = None;
        let mut year_text = None;
        match options.operands.as_slice() {
            [] => {}
            [only] => year_text = Some(only),
            [first, second, ..] => {
                given_month = Some(month_number(first)?.0);
                year_text = Some(second);
            }
        }
        let mut shift = 0;
        if let Some(text) = options.value(Opt::Month) {
            let (number, of_year) = month_number(text)?;
            given_month = Some(number);
            // The last one before this month, or the next one after it.
            shift = match of_year {
                -1 if number >= month => -1,
                1 if number <= month => 1,
                _ => 0,
            };
        }
        if let Some(text) = year_text {
            let number = leading_number(text).filter(|_| text.iter().all(u8::is_ascii_digit));
            year = number.ok_or_else(|| failed(format!("not a valid year {text}")))?;
            shows_year = given_month.is_none();
        }
        year = year.saturating_add(shift);
        if !(1..=9999).contains(&year) {
            return Err(failed(format!("year `{year}' not in range 1..9999")));
        }
        month = given_month.unwrap_or(month);
        let (mut before, mut after) = (0, 0);
        match options.last_of([Opt::Three, Opt::One, Opt::Year]) {
            Some(option @ (Opt::Three | Opt::One)) => {
                if shows_year {
                    let letter = option.short();
                    return Err(failed(format!(
                        "-{letter} together with a given year but no given month is not supported."
                    )));
                }
                if option == Opt::Three {
                    (before, after) = (1, 1);
                }
            }
            Some(_) => shows_year = true,
            None => {}
        }
        if shows_year {
            (month, before, after) = (1, 0, 11);
        }
        let months = |option| {
            let number = options.value(option).and_then(|text| leading_number(text)).unwrap_or(0);
            number.clamp(-120_000, 120_000)
        };
        before += months(Opt::Before);
        after += months(Opt::After);
        let at = year * 12 + month - 1;
        let (first, last) = ((at - before).max(12), (at + after).min(9999 * 12 + 11));
        Ok(Self { year, first, last: last.max(first) })
    }
}

/// The number that a text begins with.
fn leading_number(text: &[u8]) -> Option<i64> {
    let (sign, digits) = match text {
        [b'-', digits @ ..] => (-1, digits),
        digits => (1, digits),
    };
    let count = digits.iter().take_while(|byte| byte.is_ascii_digit()).count().min(9);
    let text = std::str::from_utf8(digits.get(..count)?).ok()?;
    text.parse::<i64>().ok().map(|number| sign * number)
}

fn month_number(text: &Text) -> Result<(i64, i64), UtilityError> {
    month_of(text).ok_or_else(|| failed(format!("{text} is neither a month number (1..12) nor a name")))
}

/// A month by its number, with `f` or `p` after it for another year, or by the first three letters or more of its name.
fn month_of(text: &[u8]) -> Option<(i64, i64)> {
    let is_name = |name: &str| {
        let part = name.as_bytes().get(..text.len());
        text.len() >= 3 && part.is_some_and(|part| part.eq_ignore_ascii_case(text))
    };
    if let Some(index) = MONTHS.iter().position(|name| is_name(name)) {
        return Some((index as i64 + 1, 0));
    }
    let (digits, shift) = match text {
        [digits @ .., b'f' | b'F'] => (digits, 1),
        [digits @ .., b'p' | b'P'] => (digits, -1),
        digits => (digits, 0),
    };
    let number = leading_number(digits).filter(|_| digits.iter().all(u8::is_ascii_digit))?;
    (1..=12).contains(&number).then_some((number, shift))
}
