//! Points in time and UUIDs as records and payloads show them.

use std::ops::Range;
use std::time::Duration;

/// [`append_time`] as a text of its own.
pub(crate) fn time_text(since_epoch: Duration) -> String {
    let mut text = Vec::with_capacity(24);
    append_time(&mut text, since_epoch);
    String::from_utf8(text).unwrap_or_default()
}

/// The point in time, to the millisecond; what lies after the last representable moment is that moment.
pub(crate) fn timestamp(since_epoch: Duration) -> jiff::Timestamp {
    let millis = i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX);
    jiff::Timestamp::from_millisecond(millis).unwrap_or(jiff::Timestamp::MAX)
}

/// RFC 3339, UTC, milliseconds, `Z`. Years past 9999 are shown as the last representable moment.
pub(crate) fn append_time(out: &mut Vec<u8>, since_epoch: Duration) {
    let time = jiff::tz::Offset::UTC.to_datetime(timestamp(since_epoch));
    let mut text = *b"0000-00-00T00:00:00.000Z";
    let mut put = |places: Range<usize>, mut value: i16| {
        for place in text.get_mut(places).unwrap_or_default().iter_mut().rev() {
            *place += (value % 10) as u8;
            value /= 10;
        }
    };
    put(0..4, time.year());
    put(5..7, time.month().into());
    put(8..10, time.day().into());
    put(11..13, time.hour().into());
    put(14..16, time.minute().into());
    put(17..19, time.second().into());
    put(20..23, time.millisecond());
    out.extend_from_slice(&text);
}

/// A random UUID (RFC 9562, version 4).
pub(crate) fn random_uuid(random: impl Fn() -> u64) -> String {
    let (high, low) = (random(), random());
    let text = uuid(high & !0xf000 | 0x4000, low & !(0b11 << 62) | 0b10 << 62);
    String::from_utf8_lossy(&text).into_owned()
}

/// The text of the UUID (RFC 9562, section 4) with these two halves.
pub(crate) fn uuid(high: u64, low: u64) -> [u8; 36] {
    let mut text = [b'-'; 36];
    let mut put = |at: usize, digits: &[u8]| {
        if let Some(room) = text.get_mut(at..at + digits.len()) {
            room.copy_from_slice(digits);
        }
    };
    let [a, b, c, d, e, f, g, h] = hex_digits(high as u32);
    put(0, &hex_digits((high >> 32) as u32));
    put(9, &[a, b, c, d]);
    put(14, &[e, f, g, h]);
    let [a, b, c, d, e, f, g, h] = hex_digits((low >> 32) as u32);
    put(19, &[a, b, c, d]);
    put(24, &[e, f, g, h]);
    put(28, &hex_digits(low as u32));
    text
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
        let out = uuid(0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210);
        assert_eq!(out.as_slice(), b"01234567-89ab-cdef-fedc-ba9876543210");
    }

    #[test]
    fn a_random_uuid_says_its_version() {
        assert_eq!(random_uuid(|| u64::MAX), "ffffffff-ffff-4fff-bfff-ffffffffffff");
        assert_eq!(random_uuid(|| 0), "00000000-0000-4000-8000-000000000000");
    }

    #[test]
    fn a_time_has_its_digits_in_place() {
        assert_eq!(time_text(Duration::from_millis(1_234_567_890_123)), "2009-02-13T23:31:30.123Z");
        assert_eq!(time_text(Duration::MAX), "9999-12-30T22:00:00.999Z");
    }
}
