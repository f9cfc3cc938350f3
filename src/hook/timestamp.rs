//! Points in time as records and payloads show them.

use std::time::Duration;

/// [`append_time`] as a text of its own.
pub(crate) fn time_text(since_epoch: Duration) -> String {
    let mut text = Vec::with_capacity(24);
    append_time(&mut text, since_epoch);
    String::from_utf8(text).unwrap_or_default()
}

/// RFC 3339, UTC, milliseconds, `Z`. Years past 9999 are shown as the last representable moment.
pub(crate) fn append_time(out: &mut Vec<u8>, since_epoch: Duration) {
    let millis = i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX);
    let stamp = jiff::Timestamp::from_millisecond(millis).unwrap_or(jiff::Timestamp::MAX);
    let time = jiff::tz::Offset::UTC.to_datetime(stamp);
    let parts = [
        (time.year(), 4, b'-'),
        (time.month().into(), 2, b'-'),
        (time.day().into(), 2, b'T'),
        (time.hour().into(), 2, b':'),
        (time.minute().into(), 2, b':'),
        (time.second().into(), 2, b'.'),
        (time.millisecond(), 3, b'Z'),
    ];
    for (value, width, end) in parts {
        append_digits(out, u64::from(value.unsigned_abs()), width);
        out.push(end);
    }
}

/// The lowest `width` decimal digits of `value`. `write!` would cost as much as the rest of a hook's delivery together.
fn append_digits(out: &mut Vec<u8>, value: u64, width: u32) {
    append_each(out, width, value, |rest| (rest % 10, rest / 10));
}

/// The lowest `width` hexadecimal digits of `value`.
pub(crate) fn append_hex(out: &mut Vec<u8>, value: u64, width: u32) {
    append_each(out, width, value, |rest| (rest & 15, rest >> 4));
}

fn append_each(out: &mut Vec<u8>, width: u32, mut rest: u64, split: impl Fn(u64) -> (u64, u64)) {
    let mut digits = [b'0'; 16];
    let room = digits.get_mut(..width as usize).unwrap_or_default();
    for place in room.iter_mut().rev() {
        let (digit, more) = split(rest);
        *place = b"0123456789abcdef".get(digit as usize).copied().unwrap_or(b'0');
        rest = more;
    }
    out.extend_from_slice(room);
}
