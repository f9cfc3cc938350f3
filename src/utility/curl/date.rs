//! Dates of HTTP, and what `-z` takes for one.

use super::config::TimeCondition;
use super::output::warn;
use crate::memory::{String, format};
use crate::utility::prelude::*;

/// A date of HTTP (RFC 9110 5.6.7), in seconds since the epoch.
pub(super) fn http_date(text: &str) -> Option<i64> {
    let text = text.trim();
    let (_, rest) = text.split_once(", ")?;
    let civil = ["%d %b %Y %H:%M:%S GMT", "%d-%b-%Y %H:%M:%S GMT", "%d-%b-%y %H:%M:%S GMT"]
        .iter()
        .find_map(|format| jiff::civil::DateTime::strptime(format, rest).ok())?;
    Some(civil.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_second())
}

/// As a date of HTTP.
pub(super) fn show_http_date(time: i64) -> String {
    let Ok(time) = jiff::Timestamp::from_second(time) else { return String::new() };
    format!("{}", time.strftime("%a, %d %b %Y %H:%M:%S GMT"))
}

/// What `-z` means: a date, or the time of a file; a minus turns it round.
pub(super) fn time_condition(ctx: &mut Context, value: &[u8], is_silent: bool) -> Option<TimeCondition> {
    let (text, is_before) = match value.strip_prefix(b"-") {
        Some(text) => (text, true),
        None => (value.strip_prefix(b"=").or_else(|| value.strip_prefix(b"+")).unwrap_or(value), false),
    };
    let plain = std::str::from_utf8(text).unwrap_or("").trim();
    let date = http_date(plain).or_else(|| {
        let civil = jiff::civil::DateTime::strptime("%Y-%m-%d %H:%M:%S", plain)
            .or_else(|_| jiff::civil::DateTime::strptime("%d %b %Y %H:%M:%S", plain))
            .or_else(|_| jiff::civil::Date::strptime("%Y%m%d", plain).map(|date| date.at(0, 0, 0, 0)))
            .or_else(|_| jiff::civil::Date::strptime("%d %b %Y", plain).map(|date| date.at(0, 0, 0, 0)));
        Some(civil.ok()?.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_second())
    });
    let of_file = || {
        let stat = ctx.session.fs.metadata(&ctx.absolute(text)).ok()?;
        i64::try_from(stat.modified.as_secs()).ok()
    };
    match date.or_else(of_file) {
        Some(time) if is_before => Some(TimeCondition::IfUnmodified(time)),
        Some(time) => Some(TimeCondition::IfModified(time)),
        None => {
            if !is_silent {
                warn(
                    ctx,
                    "Illegal date format for -z, --time-cond (and not a file name). Disabling time condition. See curl_getdate(3) for valid date syntax.",
                );
            }
            None
        }
    }
}
