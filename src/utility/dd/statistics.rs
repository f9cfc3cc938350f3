//! What `dd` says at its end: records, bytes, time and rate.

use super::settings::Status;
use crate::memory::{String, ToMetered, format};
use crate::utility::format::float::format_float;
use crate::utility::prelude::*;
use std::fmt::Write as _;
use std::time::Duration;

pub(super) struct Statistics {
    pub(super) full_in: u64,
    pub(super) partial_in: u64,
    full_out: u64,
    partial_out: u64,
    pub(super) truncated: u64,
    pub(super) bytes: u64,
    start: Duration,
    /// Seconds after the start for which progress was told.
    told: u64,
}

impl Statistics {
    pub(super) fn new(ctx: &Context) -> Self {
        Self {
            full_in: 0,
            partial_in: 0,
            full_out: 0,
            partial_out: 0,
            truncated: 0,
            bytes: 0,
            start: ctx.session.clock.monotonic(),
            told: 0,
        }
    }

    pub(super) const fn records_in(&self) -> u64 {
        self.full_in.saturating_add(self.partial_in)
    }

    /// A block was written.
    pub(super) const fn wrote(&mut self, bytes: u64, block: u64) {
        self.bytes += bytes;
        if bytes == block {
            self.full_out += 1;
        } else {
            self.partial_out += 1;
        }
    }

    /// Once a second.
    pub(super) fn progress(&mut self, ctx: &mut Context) {
        let seconds = ctx.session.clock.monotonic().saturating_sub(self.start).as_secs();
        if seconds > self.told {
            self.told = seconds;
            let line = format!("\r{}", self.transfer(ctx));
            ctx.stderr.push(line.as_bytes());
            ctx.stderr.flush_now();
        }
    }

    pub(super) fn finish(&self, ctx: &mut Context, status: Status) {
        if status == Status::None {
            return;
        }
        let mut text = String::new();
        if self.told > 0 {
            text.push('\n');
        }
        let _ = writeln!(text, "{}+{} records in", self.full_in, self.partial_in);
        let _ = writeln!(text, "{}+{} records out", self.full_out, self.partial_out);
        match self.truncated {
            0 => {}
            1 => text += "1 truncated record\n",
            more => {
                let _ = writeln!(text, "{more} truncated records");
            }
        }
        if status != Status::NoTransfer {
            text += &self.transfer(ctx);
            text.push('\n');
        }
        ctx.stderr.push(text.as_bytes());
        ctx.stderr.flush_now();
    }

    fn transfer(&self, ctx: &Context) -> String {
        let bytes = self.bytes;
        let sizes = match bytes {
            1 => "1 byte copied".to_metered(),
            0..1000 => format!("{bytes} bytes copied"),
            1000..1024 => format!("{bytes} bytes ({}) copied", size(bytes, 1000)),
            _ => format!("{bytes} bytes ({}, {}) copied", size(bytes, 1000), size(bytes, 1024)),
        };
        let seconds = ctx.session.clock.monotonic().saturating_sub(self.start).as_secs_f64();
        let rate = if seconds > 0.0 { rate(bytes as f64 / seconds) } else { "Infinity B".to_metered() };
        format!("{sizes}, {} s, {rate}/s", format_float(seconds, b'g', 6, false))
    }
}

const UNITS: [&str; 9] = ["", "k", "M", "G", "T", "P", "E", "Z", "Y"];

/// A number of bytes with one decimal below 10 units, to the nearest.
fn size(bytes: u64, base: u64) -> String {
    let mut unit = 1_u128;
    let mut power = 0;
    let (bytes, base) = (u128::from(bytes), u128::from(base));
    while bytes >= unit * base && power + 1 < UNITS.len() {
        unit *= base;
        power += 1;
    }
    let tenths = (bytes * 10 + unit / 2) / unit;
    let whole = (bytes + unit / 2) / unit;
    let name = match (UNITS.get(power).copied().unwrap_or(""), base) {
        ("k", 1024) => "Ki".to_metered(),
        ("", _) => String::new(),
        (name, 1024) => format!("{name}i"),
        (name, _) => name.to_metered(),
    };
    if power > 0 && tenths < 100 {
        return format!("{}.{} {name}B", tenths / 10, tenths % 10);
    }
    if power > 0 && whole >= base && power + 1 < UNITS.len() {
        let next = UNITS.get(power + 1).copied().unwrap_or("");
        return format!("1.0 {next}{}B", if base == 1024 { "i" } else { "" });
    }
    format!("{whole} {name}B")
}

/// Bytes a second: in thousands at least, with one decimal below 100.
fn rate(value: f64) -> String {
    let mut scaled = value / 1000.0;
    let mut power = 1;
    while scaled >= 1000.0 && power + 1 < UNITS.len() {
        scaled /= 1000.0;
        power += 1;
    }
    let mut text = format!("{scaled:.1}");
    if text.len() > 4 {
        text = format!("{scaled:.0}");
    }
    format!("{text} {}B", UNITS.get(power).copied().unwrap_or(""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_rates() {
        for (bytes, si, iec) in [
            (1000, "1.0 kB", "1000 B"),
            (2000, "2.0 kB", "2.0 KiB"),
            (12_345, "12 kB", "12 KiB"),
            (3_145_728, "3.1 MB", "3.0 MiB"),
            (999_999, "1.0 MB", "977 KiB"),
        ] {
            assert_eq!((size(bytes, 1000).as_str(), size(bytes, 1024).as_str()), (si, iec));
        }
        assert_eq!(rate(24_390.0), "24.4 kB");
        assert_eq!(rate(743_900_000.0), "744 MB");
        assert_eq!(rate(0.0), "0.0 kB");
    }
}
