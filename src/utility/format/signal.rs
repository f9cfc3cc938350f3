//! Signals by their names and numbers. Linux, x86-64.

/// `SIGTERM`
pub(crate) const TERM: u8 = 15;

/// Names without `SIG`, by number from 1.
pub(crate) const NAMES: [&str; 31] = [
    "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2", "PIPE",
    "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ",
    "VTALRM", "PROF", "WINCH", "POLL", "PWR", "SYS",
];

/// The number of a signal given as `TERM`, `SIGTERM`, in any case, or by its number; 0 is a signal that does nothing.
pub(crate) fn number(name: &[u8]) -> Option<u8> {
    if !name.is_empty() && name.iter().all(u8::is_ascii_digit) {
        return std::str::from_utf8(name).ok()?.parse().ok().filter(|&number| number <= 64);
    }
    let bare = match name.split_at_checked(3) {
        Some((prefix, bare)) if prefix.eq_ignore_ascii_case(b"SIG") => bare,
        _ => name,
    };
    let same = |known: &&str| known.as_bytes().eq_ignore_ascii_case(bare);
    let index = NAMES.iter().position(same).or_else(|| match bare {
        _ if bare.eq_ignore_ascii_case(b"IO") => Some(28),
        _ if bare.eq_ignore_ascii_case(b"IOT") => Some(5),
        _ if bare.eq_ignore_ascii_case(b"CLD") => Some(16),
        _ => None,
    })?;
    u8::try_from(index + 1).ok()
}

/// A set of signals, by their numbers from 1 to 64.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct SignalSet(u64);

impl SignalSet {
    pub(crate) fn insert(&mut self, signal: u8) {
        self.0 |= bit(signal);
    }

    pub(crate) fn contains(self, signal: u8) -> bool {
        self.0 & bit(signal) != 0
    }

    pub(crate) const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// In ascending order.
    pub(crate) fn iter(self) -> impl Iterator<Item = u8> {
        (1..=64).filter(move |signal| self.contains(*signal))
    }
}

impl FromIterator<u8> for SignalSet {
    fn from_iter<T: IntoIterator<Item = u8>>(signals: T) -> Self {
        let mut set = Self::default();
        for signal in signals {
            set.insert(signal);
        }
        set
    }
}

/// The bit of a signal; of what is not a signal's number there is none.
fn bit(signal: u8) -> u64 {
    signal.checked_sub(1).and_then(|place| 1_u64.checked_shl(u32::from(place))).unwrap_or(0)
}
