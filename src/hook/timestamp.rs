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

/// The text of the UUID (RFC 9562, section 4) with these two halves, in three pieces.
pub(crate) fn uuid(high: u64, low: u64) -> ([u8; 8], [[u8; 5]; 4], [u8; 8]) {
    let middle = |digits| {
        let [a, b, c, d, e, f, g, h] = digits;
        [[b'-', a, b, c, d], [b'-', e, f, g, h]]
    };
    let [first, second] = middle(hex_digits(high as u32));
    let [third, fourth] = middle(hex_digits((low >> 32) as u32));
    (hex_digits((high >> 32) as u32), [first, second, third, fourth], hex_digits(low as u32))
}

/// The 8 hexadecimal digits of `value`, all at once.
fn hex_digits(value: u32) -> [u8; 8] {
    // A digit to a byte, then to its letter: 39 lies between `9` and `a`.
    let mut digits = u64::from(value);
    for (shift, mask) in [(16, 0x0000_ffff_0000_ffff), (8, 0x00ff_00ff_00ff_00ff), (4, 0x0f0f_0f0f_0f0f_0f0f)]
    {
        digits = (digits | digits << shift) & mask;
    }
    let letters = (digits + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101;
    (digits + 0x3030_3030_3030_3030 + letters * 39).to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uuid_has_its_digits_in_place() {
        let (start, middle, end) = uuid(0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210);
        let out = [start.as_slice(), middle.as_flattened(), &end].concat();
        assert_eq!(String::from_utf8(out).unwrap(), "01234567-89ab-cdef-fedc-ba9876543210");
    }
}
