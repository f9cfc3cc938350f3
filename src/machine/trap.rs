//! Traps: actions by condition. Signals are those that scripts send to themselves and to their jobs.

use crate::memory::{Arc, BTreeMap, String, ToDecimal, Vec, format};
use crate::text::Text;
use crate::utility::format::signal::SignalSet;

/// A signal's number; 0 is `EXIT`.
pub(crate) type Signal = u8;

/// Signal names without `SIG`, by number from 1. Linux, x86-64.
pub(crate) const SIGNALS: [&str; 31] = [
    "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE",
    "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ",
    "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS",
];

/// `SIGINT`
pub(crate) const INT: Signal = 2;
/// `SIGQUIT`
pub(crate) const QUIT: Signal = 3;
/// `SIGKILL`
pub(crate) const KILL: Signal = 9;
/// `SIGPIPE`
pub(crate) const PIPE: Signal = 13;
/// `SIGTERM`
pub(crate) const TERM: Signal = 15;
/// `SIGCHLD`
pub(crate) const CHLD: Signal = 17;

/// The number of a signal that is named with or without `SIG`, in any case, or by its number.
pub(crate) fn signal_number(name: &[u8]) -> Option<Signal> {
    if !name.is_empty() && name.iter().all(u8::is_ascii_digit) {
        let text = std::str::from_utf8(name).ok()?;
        return text.parse().ok().filter(|number| *number <= 64);
    }
    let bare = match name.split_at_checked(3) {
        Some((prefix, bare)) if prefix.eq_ignore_ascii_case(b"SIG") => bare,
        _ => name,
    };
    if bare.eq_ignore_ascii_case(b"EXIT") {
        return Some(0);
    }
    (1..=64).find(|&number| {
        let known = signal_name(number);
        let known = known.as_ref().and_then(|name| name.as_bytes().strip_prefix(b"SIG"));
        known.is_some_and(|known| known.eq_ignore_ascii_case(bare))
    })
}

/// As `signal_number`, for `kill`: a number out of range is none.
pub(crate) fn kill_signal(name: &[u8]) -> Option<Signal> {
    signal_number(name)
}

/// What a trap is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    /// A signal; 0 is `EXIT`.
    Signal(Signal),
    /// `ERR`
    Err,
    /// `DEBUG`
    Debug,
    /// `RETURN`
    Return,
}

impl Condition {
    /// As `trap -p` shows it.
    pub(crate) fn name(self) -> String {
        match self {
            Self::Signal(signal) => signal_name(signal).unwrap_or_else(|| signal.to_decimal()),
            Self::Err => "ERR".into(),
            Self::Debug => "DEBUG".into(),
            Self::Return => "RETURN".into(),
        }
    }
}

/// The condition of that name or number.
pub(crate) fn condition(name: &[u8]) -> Option<Condition> {
    let is = |names: [&str; 2]| names.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes()));
    if is(["ERR", "SIGERR"]) {
        Some(Condition::Err)
    } else if is(["DEBUG", "SIGDEBUG"]) {
        Some(Condition::Debug)
    } else if is(["RETURN", "SIGRETURN"]) {
        Some(Condition::Return)
    } else {
        signal_number(name).map(Condition::Signal)
    }
}

/// The name of a signal with `SIG`; `EXIT` for 0.
pub(crate) fn signal_name(signal: Signal) -> Option<String> {
    match signal {
        0 => Some("EXIT".into()),
        34 => Some("SIGRTMIN".into()),
        35..=49 => Some(format!("SIGRTMIN+{}", signal - 34)),
        50..=63 => Some(format!("SIGRTMAX-{}", 64 - signal)),
        64 => Some("SIGRTMAX".into()),
        number => SIGNALS.get(usize::from(number).saturating_sub(1)).map(|name| format!("SIG{name}")),
    }
}

/// What is said of a process that a signal ended.
pub(crate) const fn description(signal: Signal) -> Option<&'static str> {
    Some(match signal {
        1 => "Hangup",
        2 => "Interrupt",
        3 => "Quit",
        4 => "Illegal instruction",
        5 => "Trace/breakpoint trap",
        6 => "Aborted",
        7 => "Bus error",
        8 => "Floating point exception",
        9 => "Killed",
        10 => "User defined signal 1",
        11 => "Segmentation fault",
        12 => "User defined signal 2",
        13 => "Broken pipe",
        14 => "Alarm clock",
        15 => "Terminated",
        16 => "Stack fault",
        24 => "CPU time limit exceeded",
        25 => "File size limit exceeded",
        26 => "Virtual timer expired",
        27 => "Profiling timer expired",
        29 => "I/O possible",
        30 => "Power failure",
        31 => "Bad system call",
        _ => return None,
    })
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
    /// In a subshell: what the parent had, which `trap` shows until one is set here.
    pub(crate) shown: Option<Arc<Traps>>,
    /// Signals that were ignored when the shell was started: they cannot be trapped.
    pub(crate) ignored_on_entry: Vec<Signal>,
}

impl Traps {
    /// The traps of a subshell: ignored signals stay ignored, the rest is reset, `ERR` and the like as asked.
    pub(crate) fn for_subshell(&self, keep_err: bool, keep_debug: bool) -> Self {
        Self {
            signals: self
                .signals
                .iter()
                .filter(|(signal, action)| action.is_empty() && **signal != 0)
                .map(|(s, a)| (*s, a.clone()))
                .collect(),
            err: self.err.clone().filter(|_| keep_err),
            debug: self.debug.clone().filter(|_| keep_debug),
            on_return: self.on_return.clone().filter(|_| keep_debug),
            shown: Some(match &self.shown {
                Some(shown) => Arc::clone(shown),
                None => Arc::new(Self { shown: None, ..self.clone() }),
            }),
            ignored_on_entry: self.ignored_on_entry.clone(),
        }
    }

    /// The signals that are ignored.
    pub(crate) fn ignored(&self) -> SignalSet {
        let is_ignored =
            |(signal, action): (&Signal, &Text)| (action.is_empty() && *signal != 0).then_some(*signal);
        self.signals.iter().filter_map(is_ignored).collect()
    }

    /// The traps of a command that is started with these signals ignored.
    pub(crate) fn ignoring(ignored: SignalSet) -> Self {
        let signals: BTreeMap<Signal, Text> = ignored.iter().map(|signal| (signal, Text::EMPTY)).collect();
        Self { ignored_on_entry: signals.keys().copied().collect(), signals, ..Self::default() }
    }

    /// The traps of a shell that is started as a command: what is ignored stays so.
    pub(crate) fn for_command(&self) -> Self {
        Self::ignoring(self.ignored())
    }

    /// The action on a condition.
    pub(crate) fn action(&self, condition: Condition) -> Option<&Text> {
        match condition {
            Condition::Signal(signal) => self.signals.get(&signal),
            Condition::Err => self.err.as_ref(),
            Condition::Debug => self.debug.as_ref(),
            Condition::Return => self.on_return.as_ref(),
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
