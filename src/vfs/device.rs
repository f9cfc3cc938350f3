//! Character devices: what `/dev` holds. Opening one returns its name; the descriptor layer does what it stands for.

/// A device that was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Device {
    /// `/dev/null`: empty to read, takes every write.
    Null,
    /// `/dev/zero`: zeros without end.
    Zero,
    /// `/dev/full`: zeros to read, `ENOSPC` to write.
    Full,
    /// `/dev/random` and `/dev/urandom`: bytes of the session's random numbers.
    Random,
    /// `/dev/tty`: there is none, opening fails with `ENXIO`.
    Tty,
    /// `/dev/stdin`, `/dev/fd/N`, `/proc/self/fd/N`: a descriptor of the process that opens it.
    Descriptor(u32),
}

impl Device {
    /// Major and minor number on Linux.
    pub(crate) const fn numbers(self) -> (u32, u32) {
        match self {
            Self::Null => (1, 3),
            Self::Zero => (1, 5),
            Self::Full => (1, 7),
            Self::Random => (1, 9),
            Self::Tty => (5, 0),
            Self::Descriptor(number) => (136, number),
        }
    }
}

/// The descriptor that a name in `/proc/self/fd` stands for: decimal, without zeros in front.
pub(super) fn descriptor(name: &[u8]) -> Option<u32> {
    if name.len() > 9 || (name.len() > 1 && name.first() == Some(&b'0')) {
        return None;
    }
    std::str::from_utf8(name).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors() {
        for (name, number) in [
            ("0", Some(0)),
            ("255", Some(255)),
            ("01", None),
            ("", None),
            ("+1", None),
            ("1x", None),
            ("99999999999", None),
        ] {
            assert_eq!(descriptor(name.as_bytes()), number, "{name}");
        }
    }
}
