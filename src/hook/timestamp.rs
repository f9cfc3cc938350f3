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
fn append_digits(out: &mut Vec<u8>, mut value: u64, width: usize) {
    let mut digits = [b'0'; 4];
    for place in digits.iter_mut().rev() {
        *place = b'0' + (value % 10) as u8;
        value /= 10;
    }
    out.extend_from_slice(digits.get(digits.len() - width.min(4)..).unwrap_or_default());
}

/// A value's 16 hexadecimal digits.
pub(crate) fn hex_digits(mut value: u64) -> [u8; 16] {
    let mut digits = [b'0'; 16];
    for place in digits.iter_mut().rev() {
        let digit = (value & 15) as u8;
        *place = if digit < 10 { b'0' + digit } else { b'a' - 10 + digit };
        value >>= 4;
    }
    digits
}
