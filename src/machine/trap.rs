//! Traps: actions by condition. Signals are those that scripts send to themselves and to their jobs.

use crate::text::Text;
use std::collections::BTreeMap;

/// A signal's number; 0 is `EXIT`.
pub(crate) type Signal = u8;

/// Signal names without `SIG`, by number from 1. Linux, x86-64.
pub(crate) const SIGNALS: [&str; 31] = [
    "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE",
    "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ",
    "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
];

/// `SIGKILL`
pub(crate) const KILL: Signal = 9;
/// `SIGPIPE`
pub(crate) const PIPE: Signal = 13;
/// `SIGTERM`
pub(crate) const TERM: Signal = 15;
/// `SIGCHLD`
pub(crate) const CHLD: Signal = 17;
/// `SIGCONT`
pub(crate) const CONT: Signal = 18;

/// The number of a signal that is named with or without `SIG`, in any case, or by its number.
pub(crate) fn signal_number(name: &[u8]) -> Option<Signal> {
    if !name.is_empty() && name.iter().all(u8::is_ascii_digit) {
        let text = std::str::from_utf8(name).ok()?;
        return text.parse().ok().filter(|number| *number <= 64);
    }
    let upper = name.to_ascii_uppercase();
    let bare = upper.strip_prefix(b"SIG").unwrap_or(&upper);
    if bare == b"EXIT" {
        return Some(0);
    }
    SIGNALS.iter().position(|signal| signal.as_bytes() == bare).map(|index| index as Signal + 1)
}

/// The name of a signal with `SIG`; `EXIT` for 0.
pub(crate) fn signal_name(signal: Signal) -> Option<String> {
    match signal {
        0 => Some("EXIT".into()),
        number => SIGNALS.get(usize::from(number) - 1).map(|name| format!("SIG{name}")),
    }
}

/// Whether a signal that is not trapped ends a process.
pub(crate) const fn is_fatal(signal: Signal) -> bool {
    // CHLD, CONT, URG, WINCH are ignored; STOP and the terminal's stop signals have nobody to continue what they stop.
    !matches!(signal, 17 | 18 | 19 | 20 | 21 | 22 | 23 | 28)
}

/// What to do on a condition. An empty action ignores it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Traps {
    /// By signal; 0 is `EXIT`.
    pub(crate) signals: BTreeMap<Signal, Text>,
    /// `ERR`
    pub(crate) err: Option<Text>,
    /// `DEBUG`
    pub(crate) debug: Option<Text>,
    /// `RETURN`
    pub(crate) on_return: Option<Text>,
    /// In a subshell: what the parent had, which `trap` alone still shows.
    pub(crate) inherited: bool,
}

impl Traps {
    /// The traps of a subshell: ignored signals stay ignored, the rest is reset, `ERR` and the like as asked.
    pub(crate) fn for_subshell(&self, keep_err: bool, keep_debug: bool) -> Self {
        Self {
            signals: self
                .signals
                .iter()
                .filter(|(_, action)| action.is_empty())
                .map(|(s, a)| (*s, a.clone()))
                .collect(),
            err: self.err.clone().filter(|_| keep_err),
            debug: self.debug.clone().filter(|_| keep_debug),
            on_return: self.on_return.clone().filter(|_| keep_debug),
            inherited: false,
        }
    }

    /// Whether there is nothing to look at between commands.
    pub(crate) fn is_empty(&self) -> bool {
        self.signals.is_empty() && self.err.is_none() && self.debug.is_none() && self.on_return.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_have_names_and_numbers() {
        for (name, number) in [("TERM", 15), ("sigint", 2), ("EXIT", 0), ("9", 9), ("USR1", 10)] {
            assert_eq!(signal_number(name.as_bytes()), Some(number), "{name}");
        }
        assert_eq!(signal_number(b"NOPE"), None);
        assert_eq!(signal_name(13).as_deref(), Some("SIGPIPE"));
    }
}
