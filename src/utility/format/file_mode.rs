//! File modes: the symbolic notation of chmod(1) (POSIX XCU chmod, with GNU's extensions) and the ten characters of
//! `ls -l`.

use crate::memory::{String, Vec, format};
use crate::vfs::FileKind;

/// A parsed mode operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ModeChange {
    clauses: Vec<Clause>,
    /// An octal operand of up to four digits keeps a directory's set-id bits.
    octal: Option<Octal>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Octal {
    mode: u32,
    keeps_directory_ids: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Clause {
    /// Which bits may change; 0: all but those of the umask.
    who: u32,
    operator: u8,
    permissions: u32,
    /// `X`
    conditional_execute: bool,
    /// `u`, `g` or `o`: copy from there.
    copy: Option<u8>,
}

const SET_IDS: u32 = 0o6000;
const EXECUTE: u32 = 0o111;

impl ModeChange {
    /// Parses `755`, `u+x,go=rX`, `=u`; `None` when it is neither.
    pub(crate) fn parse(text: &[u8]) -> Option<Self> {
        if text.first().is_some_and(u8::is_ascii_digit) {
            let mode = text.iter().try_fold(0_u32, |value, byte| match byte {
                b'0'..=b'7' => value.checked_mul(8)?.checked_add(u32::from(byte - b'0')),
                _ => None,
            })?;
            let keeps_directory_ids = text.len() < 5;
            return (mode <= 0o7777)
                .then_some(Self { clauses: Vec::new(), octal: Some(Octal { mode, keeps_directory_ids }) });
        }
        let mut clauses = Vec::new();
        for clause in text.split(|&byte| byte == b',') {
            parse_clause(clause, &mut clauses)?;
        }
        Some(Self { clauses, octal: None })
    }

    /// The mode that a file with `mode` gets.
    pub(crate) fn apply(&self, mode: u32, is_directory: bool, umask: u32) -> u32 {
        if let Some(octal) = self.octal {
            let kept = if is_directory && octal.keeps_directory_ids { mode & SET_IDS } else { 0 };
            return octal.mode | kept;
        }
        self.clauses.iter().fold(mode & 0o7777, |mode, clause| clause.apply(mode, is_directory, umask).0)
    }

    /// The bits that a directory gets by the change, and those that the change is about: the others stay as they are.
    pub(crate) fn of_directory(&self) -> (u32, u32) {
        if let Some(octal) = self.octal {
            let omitted = if octal.keeps_directory_ids { SET_IDS & !octal.mode } else { 0 };
            return (octal.mode, 0o7777 & !omitted);
        }
        self.clauses.iter().fold((0, 0), |(mode, touched), clause| {
            let (mode, more) = clause.apply(mode, true, 0);
            (mode, touched | more)
        })
    }
}

impl Clause {
    /// The mode that comes of `mode`, and the bits that the clause is about.
    fn apply(&self, mode: u32, is_directory: bool, umask: u32) -> (u32, u32) {
        let affected = if self.who == 0 { 0o7777 } else { self.who };
        let mut bits = match self.copy {
            Some(from) => {
                let shift = match from {
                    b'u' => 6,
                    b'g' => 3,
                    _ => 0,
                };
                ((mode >> shift) & 0o7) * EXECUTE
            }
            None => self.permissions,
        };
        if self.conditional_execute && (is_directory || mode & EXECUTE != 0) {
            bits |= EXECUTE;
        }
        bits &= affected;
        if self.who == 0 {
            bits &= !umask;
        }
        match self.operator {
            b'+' => (mode | bits, bits),
            b'-' => (mode & !bits, bits),
            _ => {
                // `=` leaves a directory's set-id bits unless they are named.
                let ids = if is_directory { SET_IDS & !self.permissions } else { 0 };
                ((mode & (!affected | ids)) | bits, affected & !ids)
            }
        }
    }
}

fn parse_clause(text: &[u8], clauses: &mut Vec<Clause>) -> Option<()> {
    let mut who = 0;
    let mut rest = text;
    while let [letter, tail @ ..] = rest {
        who |= match letter {
            b'u' => 0o4700,
            b'g' => 0o2070,
            b'o' => 0o1007,
            b'a' => 0o7777,
            _ => break,
        };
        rest = tail;
    }
    if rest.is_empty() {
        return None;
    }
    while let [operator @ (b'+' | b'-' | b'='), tail @ ..] = rest {
        rest = tail;
        let mut clause =
            Clause { who, operator: *operator, permissions: 0, conditional_execute: false, copy: None };
        if let [from @ (b'u' | b'g' | b'o'), tail @ ..] = rest {
            clause.copy = Some(*from);
            rest = tail;
        } else if rest.first().is_some_and(|byte| (b'0'..=b'7').contains(byte)) {
            let mut value = 0_u32;
            while let [digit @ b'0'..=b'7', tail @ ..] = rest {
                value = value.checked_mul(8)?.checked_add(u32::from(digit - b'0'))?;
                rest = tail;
            }
            if value > 0o7777 || who != 0 {
                return None;
            }
            clause.permissions = value;
            clause.who = 0o7777;
        } else {
            rest = parse_permissions(rest, &mut clause);
        }
        clauses.push(clause);
    }
    rest.is_empty().then_some(())
}

fn parse_permissions<'t>(mut rest: &'t [u8], clause: &mut Clause) -> &'t [u8] {
    while let [letter, tail @ ..] = rest {
        match letter {
            b'r' => clause.permissions |= 0o444,
            b'w' => clause.permissions |= 0o222,
            b'x' => clause.permissions |= EXECUTE,
            b'X' => clause.conditional_execute = true,
            b's' => clause.permissions |= SET_IDS,
            b't' => clause.permissions |= 0o1000,
            _ => break,
        }
        rest = tail;
    }
    rest
}

/// The letter of a kind: `-`, `d`, `l`, `p`, `c`.
pub(crate) const fn kind_letter(kind: FileKind) -> u8 {
    match kind {
        FileKind::Regular => b'-',
        FileKind::Directory => b'd',
        FileKind::Symlink => b'l',
        FileKind::Fifo => b'p',
        FileKind::CharDevice => b'c',
    }
}

/// The kind in words, as `stat` prints it.
pub(crate) const fn kind_name(kind: FileKind, size: u64) -> &'static str {
    match kind {
        FileKind::Regular if size == 0 => "regular empty file",
        FileKind::Regular => "regular file",
        FileKind::Directory => "directory",
        FileKind::Symlink => "symbolic link",
        FileKind::Fifo => "fifo",
        FileKind::CharDevice => "character special file",
    }
}

/// The kind's bits of `st_mode`.
pub(crate) const fn kind_bits(kind: FileKind) -> u32 {
    match kind {
        FileKind::Regular => 0o100_000,
        FileKind::Directory => 0o040_000,
        FileKind::Symlink => 0o120_000,
        FileKind::Fifo => 0o010_000,
        FileKind::CharDevice => 0o020_000,
    }
}

/// Permissions as `rwxr-xr-x`, with `s`, `S`, `t`, `T` for the special bits.
pub(crate) fn permission_letters(mode: u32) -> String {
    let mut letters = String::with_capacity(9);
    for (shift, special, set, unset) in [(6, 0o4000, 's', 'S'), (3, 0o2000, 's', 'S'), (0, 0o1000, 't', 'T')]
    {
        let bits = mode >> shift;
        letters.push(if bits & 4 != 0 { 'r' } else { '-' });
        letters.push(if bits & 2 != 0 { 'w' } else { '-' });
        letters.push(match (mode & special != 0, bits & 1 != 0) {
            (true, true) => set,
            (true, false) => unset,
            (false, true) => 'x',
            (false, false) => '-',
        });
    }
    letters
}

/// `drwxr-xr-x`
pub(crate) fn mode_letters(kind: FileKind, mode: u32) -> String {
    format!("{}{}", char::from(kind_letter(kind)), permission_letters(mode))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbolic_modes() {
        let rows: [(&str, u32, bool, u32); 14] = [
            ("755", 0o644, false, 0o755),
            ("u+x", 0o644, false, 0o744),
            ("+x", 0o644, false, 0o755),
            ("+w", 0o444, false, 0o644),
            ("go=", 0o777, false, 0o700),
            ("a=rX", 0o700, false, 0o555),
            ("a=rX", 0o600, false, 0o444),
            ("a+X", 0o600, true, 0o711),
            ("g=u,o-rwx", 0o754, false, 0o770),
            ("u+s", 0o755, false, 0o4755),
            ("+t", 0o755, true, 0o1755),
            ("u=rw,g=r,o=", 0o777, false, 0o640),
            ("u+r-w", 0o200, false, 0o400),
            ("=700", 0o644, false, 0o700),
        ];
        for (text, before, is_directory, after) in rows {
            let change = ModeChange::parse(text.as_bytes()).unwrap();
            assert_eq!(change.apply(before, is_directory, 0o022), after, "{text}");
        }
        for bad in ["", "zz", "u", "8", "u+q", "77777", "u+x,"] {
            assert_eq!(ModeChange::parse(bad.as_bytes()), None, "{bad}");
        }
    }

    #[test]
    fn letters() {
        assert_eq!(mode_letters(FileKind::Directory, 0o1777), "drwxrwxrwt");
        assert_eq!(mode_letters(FileKind::Regular, 0o4644), "-rwSr--r--");
    }
}
