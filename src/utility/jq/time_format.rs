//! `strftime` of the C library in the POSIX locale, with GNU's flags and widths. A conversion that is not known stays.

use super::calendar::BrokenDown;
use crate::memory::{String, ToMeteredString, format};
use crate::utility::format::time_format::{MONTHS, WEEKDAYS};

/// A time with what is known of its zone.
pub(super) struct Zoned<'z> {
    pub(super) time: BrokenDown,
    /// Seconds east of UTC.
    pub(super) offset: i64,
    pub(super) zone: &'z str,
    /// Seconds from the Epoch if the fields are local time.
    pub(super) seconds: i64,
}

/// Flags and width of a conversion.
#[derive(Clone, Copy, Default)]
struct Style {
    /// `_`, `-` or `0`; by default a conversion has its own.
    pad: Option<char>,
    upper: bool,
    swap: bool,
    width: usize,
}

/// Appends `time` by `format` until the text has `limit` bytes.
pub(super) fn format_time(format: &str, time: &Zoned<'_>, limit: usize, out: &mut String) {
    let mut rest = format;
    while out.len() < limit
        && let Some(at) = rest.find('%')
    {
        let (plain, conversion) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(plain);
        let (style, length) = style_of(conversion);
        let letter = conversion.get(length..).and_then(|rest| rest.chars().next());
        let end = length + letter.map_or(0, char::len_utf8);
        match letter.and_then(|letter| converted(letter, style, time, limit)) {
            Some(text) => push_padded(&text, style, limit, out),
            None => out.push_str(conversion.get(..end).unwrap_or(conversion)),
        }
        rest = conversion.get(end..).unwrap_or_default();
    }
    out.push_str(rest);
}

/// The style that `%` and what follows it say, and its length.
fn style_of(conversion: &str) -> (Style, usize) {
    let mut style = Style::default();
    let mut length = 1;
    let bytes = conversion.as_bytes();
    while let Some(flag @ (b'_' | b'-' | b'0' | b'^' | b'#')) = bytes.get(length) {
        match flag {
            b'^' => style.upper = true,
            b'#' => style.swap = true,
            _ => style.pad = Some(char::from(*flag)),
        }
        length += 1;
    }
    while let Some(digit @ b'0'..=b'9') = bytes.get(length) {
        style.width = style.width.saturating_mul(10).saturating_add(usize::from(digit - b'0'));
        length += 1;
    }
    if let Some(b'E' | b'O') = bytes.get(length) {
        length += 1;
    }
    (style, length)
}

/// Appends a text that is narrower than asked for with what fills it up.
fn push_padded(text: &str, style: Style, limit: usize, out: &mut String) {
    let missing = style.width.saturating_sub(text.len()).min(limit);
    let fill = if style.pad == Some('0') { '0' } else { ' ' };
    if style.pad != Some('-') {
        out.extend(std::iter::repeat_n(fill, missing));
    }
    out.push_str(text);
}

fn converted(letter: char, style: Style, zoned: &Zoned<'_>, limit: usize) -> Option<String> {
    let time = &zoned.time;
    let number = |value: i64, digits: usize| Some(padded(value, digits, '0', style, limit));
    let spaced = |value: i64| Some(padded(value, 2, ' ', style, limit));
    let name = |text: &str| Some(cased(text, style.upper || style.swap));
    let pick = |names: &'static [&'static str], at: i64| {
        usize::try_from(at).ok().and_then(|at| names.get(at)).copied().unwrap_or("?")
    };
    let short = |text: &'static str| text.get(..3).unwrap_or(text);
    let composed = |format: &str| {
        let mut text = String::new();
        format_time(format, zoned, limit, &mut text);
        Some(cased(&text, style.upper))
    };
    let twelve = if time.hour.rem_euclid(12) == 0 { 12 } else { time.hour.rem_euclid(12) };
    match letter {
        '%' => Some("%".into()),
        'n' => Some("\n".into()),
        't' => Some("\t".into()),
        'a' => name(short(pick(&WEEKDAYS, time.weekday))),
        'A' => name(pick(&WEEKDAYS, time.weekday)),
        'b' | 'h' => name(short(pick(&MONTHS, time.month))),
        'B' => name(pick(&MONTHS, time.month)),
        'c' => composed("%a %b %e %H:%M:%S %Y"),
        'C' => number(time.year.div_euclid(100), 2),
        'd' => number(time.day, 2),
        'D' | 'x' => composed("%m/%d/%y"),
        'e' => spaced(time.day),
        'F' => composed("%Y-%m-%d"),
        'g' => number(time.iso_week().0.rem_euclid(100), 2),
        'G' => number(time.iso_week().0, 1),
        'H' => number(time.hour, 2),
        'I' => number(twelve, 2),
        'j' => number(time.yearday + 1, 3),
        'k' => spaced(time.hour),
        'l' => spaced(twelve),
        'm' => number(time.month + 1, 2),
        'M' => number(time.minute, 2),
        'p' if style.swap => Some(if time.hour > 11 { "pm" } else { "am" }.into()),
        'p' => Some(if time.hour > 11 { "PM" } else { "AM" }.into()),
        'P' => Some(if time.hour > 11 { "pm" } else { "am" }.into()),
        'r' => composed("%I:%M:%S %p"),
        'R' => composed("%H:%M"),
        's' => number(zoned.seconds, 1),
        'S' => number(time.second, 2),
        'T' | 'X' => composed("%H:%M:%S"),
        'u' => number((time.weekday + 6).rem_euclid(7) + 1, 1),
        'U' => number((time.yearday - time.weekday + 7) / 7, 2),
        'V' => number(time.iso_week().1, 2),
        'w' => number(time.weekday, 1),
        'W' => number((time.yearday - (time.weekday + 6).rem_euclid(7) + 7) / 7, 2),
        'y' => number(time.year.rem_euclid(100), 2),
        'Y' => number(time.year, 1),
        'z' => {
            let sign = if zoned.offset < 0 { '-' } else { '+' };
            let minutes = zoned.offset.abs() / 60;
            Some(format!("{sign}{:02}{:02}", minutes / 60, minutes % 60))
        }
        'Z' if style.swap => Some(zoned.zone.chars().map(|letter| letter.to_ascii_lowercase()).collect()),
        'Z' => Some(cased(zoned.zone, style.upper)),
        _ => None,
    }
}

fn cased(text: &str, upper: bool) -> String {
    if upper {
        text.chars().map(|letter| letter.to_ascii_uppercase()).collect()
    } else {
        text.to_metered_string()
    }
}

/// `value` in so many digits, or in the style's width.
fn padded(value: i64, digits: usize, fill: char, style: Style, limit: usize) -> String {
    let fill = match style.pad {
        Some('_') => ' ',
        Some('-') => return format!("{value}"),
        Some(_) => '0',
        None => fill,
    };
    let text = format!("{}", value.unsigned_abs());
    let sign = if value < 0 { "-" } else { "" };
    let width = digits.max(style.width).min(limit);
    let missing = width.saturating_sub(text.len() + sign.len());
    let mut out = String::new();
    if fill == '0' {
        out.push_str(sign);
    }
    out.extend(std::iter::repeat_n(fill, missing));
    if fill != '0' {
        out.push_str(sign);
    }
    out.push_str(&text);
    out
}
