//! `time`: the times of a pipeline. Bash manual 3.2.3, `TIMEFORMAT`.

use super::control::Control;
use super::error::CommandError;
use super::frame::Frame;
use super::name::TIMEFORMAT;
use super::run::Run;
use super::shell::Shell;
use crate::memory::{String, ToMetered, format};
use std::fmt::Write as _;
use std::time::Duration;

impl Control {
    /// The timed pipeline is over: prints its times. User and system time are not measured apart: both are 0.
    pub(crate) fn time_end(&mut self, shell: &mut Shell, run: &mut Run, posix: bool) {
        let Some(Frame::Time(started)) = self.frames.pop() else { return };
        let elapsed = run.services.session.clock.monotonic().saturating_sub(started);
        let format = match (posix, shell.scalar(run, TIMEFORMAT)) {
            (true, _) => "real %2R\nuser %2U\nsys %2S".to_metered(),
            (false, Some(format)) => format.to_string_lossy().into(),
            (false, None) => "\nreal\t%3lR\nuser\t%3lU\nsys\t%3lS".to_metered(),
        };
        if format.is_empty() {
            return;
        }
        let mut text = match formatted(&format, elapsed) {
            Ok(text) => text,
            Err(character) => {
                shell.report(CommandError::TimeFormat(character));
                return;
            }
        };
        text.push('\n');
        shell.write_error(text.as_bytes());
    }
}

/// `Err`: a character that is not a format.
fn formatted(format: &str, elapsed: Duration) -> Result<String, char> {
    let mut text = String::new();
    let mut rest = format.chars().peekable();
    while let Some(character) = rest.next() {
        if character != '%' {
            text.push(character);
            continue;
        }
        let mut precision = 3;
        if let Some(digit) = rest.peek().and_then(|character| character.to_digit(10)) {
            precision = (digit as usize).min(3);
            rest.next();
        }
        let long = rest.next_if_eq(&'l').is_some();
        match rest.next() {
            Some('R') => duration(&mut text, elapsed, precision, long),
            Some('U' | 'S') => duration(&mut text, Duration::ZERO, precision, long),
            Some('P') => text.push_str("0.00"),
            Some('%') => text.push('%'),
            Some(other) => return Err(other),
            None => text.push('%'),
        }
    }
    Ok(text)
}

fn duration(text: &mut String, time: Duration, precision: usize, long: bool) {
    let (mut seconds, fraction) = (time.as_secs(), time.subsec_millis());
    if long {
        let _ = write!(text, "{}m", seconds / 60);
        seconds %= 60;
    }
    let _ = write!(text, "{seconds}");
    if precision > 0 {
        let digits = format!("{fraction:03}");
        let _ = write!(text, ".{}", digits.get(..precision).unwrap_or(&digits));
    }
    if long {
        text.push('s');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_times() {
        let time = Duration::from_millis(61_234);
        assert_eq!(formatted("%3lR %R %0R %%", time), Ok("1m1.234s 61.234 61 %".into()));
        assert_eq!(formatted("%q", time), Err('q'));
    }
}
