//! Words as a shell reads them.
use crate::memory::Vec;

/// The rules of a family of shells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quoting {
    None,
    Bourne,
    /// csh: `!` and blanks are special within quotes too.
    C,
}

impl Quoting {
    /// Appends a word.
    pub(super) fn push(self, word: &[u8], out: &mut Vec<u8>) {
        if self == Self::None {
            out.extend_from_slice(word);
            return;
        }
        out.push(b'\'');
        for &byte in word {
            match (byte, self) {
                (b'\'', _) => out.extend_from_slice(b"'\\''"),
                (b'\\', Self::C) => out.extend_from_slice(b"\\\\"),
                (b'\n', Self::C) => out.extend_from_slice(b"\\n"),
                (b'!' | b' ' | b'\t' | 0x0b..=b'\r', Self::C) => {
                    out.extend_from_slice(&[b'\'', b'\\', byte, b'\'']);
                }
                _ => out.push(byte),
            }
        }
        out.push(b'\'');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted() {
        let quoted = |quoting: Quoting, word: &str| {
            let mut out = crate::memory::Vec::new();
            quoting.push(word.as_bytes(), &mut out);
            String::from_utf8(out.into_std()).unwrap()
        };
        assert_eq!(quoted(Quoting::Bourne, "it's a!"), r"'it'\''s a!'");
        assert_eq!(quoted(Quoting::C, "it's a!\n"), r"'it'\''s'\ 'a'\!'\n'");
        assert_eq!(quoted(Quoting::None, "it's"), "it's");
    }
}
