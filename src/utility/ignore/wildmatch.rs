//! Patterns of ignore files, attributes and pathspecs: `*`, `?`, `[...]`, and `**` over folders.

/// Steps that a match may take before it counts as none.
const MOST_STEPS: usize = 1 << 18;

/// Whether the whole text matches. With `by_path` a `*` stays in a folder.
pub(crate) fn matches(pattern: &[u8], text: &[u8], by_path: bool, ignore_case: bool) -> bool {
    let mut matcher = Matcher { by_path, ignore_case, steps: 0 };
    matcher.matches(pattern, text, 0) == Some(true)
}

struct Matcher {
    by_path: bool,
    ignore_case: bool,
    steps: usize,
}

/// Stars in stars, at most: each is a call.
const DEEPEST: usize = 64;

impl Matcher {
    fn fold(&self, byte: u8) -> u8 {
        if self.ignore_case { byte.to_ascii_lowercase() } else { byte }
    }

    /// `None`: too much work.
    fn matches(&mut self, pattern: &[u8], text: &[u8], depth: usize) -> Option<bool> {
        let (mut at, mut place) = (0, 0);
        while let Some(&symbol) = pattern.get(at) {
            self.steps += 1;
            if self.steps > MOST_STEPS || depth > DEEPEST {
                return None;
            }
            let byte = text.get(place).copied();
            match symbol {
                b'*' => return self.star(pattern, at, text, place, depth),
                b'?' => match byte {
                    Some(b'/') if self.by_path => return Some(false),
                    Some(_) => at += 1,
                    None => return Some(false),
                },
                b'[' => {
                    let Some(byte) = byte else { return Some(false) };
                    if byte == b'/' && self.by_path {
                        return Some(false);
                    }
                    match self.bracket(pattern, at + 1, byte) {
                        Some((true, next)) => at = next,
                        Some((false, _)) | None => return Some(false),
                    }
                }
                b'\\' if at + 1 < pattern.len() => {
                    let wanted = pattern.get(at + 1).copied().unwrap_or(b'\\');
                    if byte.map(|byte| self.fold(byte)) != Some(self.fold(wanted)) {
                        return Some(false);
                    }
                    at += 2;
                }
                _ => {
                    if byte.map(|byte| self.fold(byte)) != Some(self.fold(symbol)) {
                        return Some(false);
                    }
                    at += 1;
                }
            }
            place += 1;
        }
        Some(place == text.len())
    }

    fn star(&mut self, pattern: &[u8], at: usize, text: &[u8], place: usize, depth: usize) -> Option<bool> {
        let run = pattern.get(at..).unwrap_or(&[]).iter().take_while(|byte| **byte == b'*').count();
        let before = at.checked_sub(1).and_then(|before| pattern.get(before)).copied();
        let after = pattern.get(at + run).copied();
        let over_folders = !self.by_path
            || (run > 1 && matches!(before, None | Some(b'/')) && (matches!(after, None | Some(b'/'))));
        let rest = pattern.get(at + run..).unwrap_or(&[]);
        if over_folders && self.by_path && after == Some(b'/') {
            // `**/` may stand for no folder at all.
            let inner = rest.get(1..).unwrap_or(&[]);
            if self.matches(inner, text.get(place..).unwrap_or(&[]), depth + 1)? {
                return Some(true);
            }
        }
        if rest.is_empty() {
            let left = text.get(place..).unwrap_or(&[]);
            return Some(over_folders || !left.contains(&b'/'));
        }
        let mut from = place;
        loop {
            self.steps += 1;
            if self.steps > MOST_STEPS {
                return None;
            }
            if self.matches(rest, text.get(from..).unwrap_or(&[]), depth + 1)? {
                return Some(true);
            }
            match text.get(from) {
                None => return Some(false),
                Some(b'/') if !over_folders => return Some(false),
                Some(_) => from += 1,
            }
        }
    }

    /// Whether a byte is in the bracket expression that begins at `at`, and where that ends.
    fn bracket(&self, pattern: &[u8], at: usize, byte: u8) -> Option<(bool, usize)> {
        let mut at = at;
        let negated = matches!(pattern.get(at), Some(b'!' | b'^'));
        at += usize::from(negated);
        let first = at;
        let mut is_in = false;
        let byte = self.fold(byte);
        loop {
            let mut low = *pattern.get(at)?;
            match low {
                b']' if at > first => return Some((is_in != negated, at + 1)),
                b'[' if pattern.get(at + 1) == Some(&b':') => {
                    let name = pattern.get(at + 2..)?;
                    let end = memchr::memmem::find(name, b":]")?;
                    is_in |= class(name.get(..end)?, byte);
                    at += end + 4;
                    continue;
                }
                b'\\' => {
                    at += 1;
                    low = *pattern.get(at)?;
                }
                _ => {}
            }
            at += 1;
            let mut high = low;
            if pattern.get(at) == Some(&b'-') && pattern.get(at + 1).is_some_and(|next| *next != b']') {
                at += 1;
                high = *pattern.get(at)?;
                if high == b'\\' {
                    at += 1;
                    high = *pattern.get(at)?;
                }
                at += 1;
            }
            is_in |= (self.fold(low)..=self.fold(high)).contains(&byte) || (low..=high).contains(&byte);
        }
    }
}

fn class(name: &[u8], byte: u8) -> bool {
    match name {
        b"alnum" => byte.is_ascii_alphanumeric(),
        b"alpha" => byte.is_ascii_alphabetic(),
        b"blank" => matches!(byte, b' ' | b'\t'),
        b"cntrl" => byte.is_ascii_control(),
        b"digit" => byte.is_ascii_digit(),
        b"graph" => byte.is_ascii_graphic(),
        b"lower" => byte.is_ascii_lowercase(),
        b"print" => byte.is_ascii_graphic() || byte == b' ',
        b"punct" => byte.is_ascii_punctuation(),
        b"space" => byte.is_ascii_whitespace() || byte == 0x0b,
        b"upper" => byte.is_ascii_uppercase(),
        b"xdigit" => byte.is_ascii_hexdigit(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_stay_in_a_folder_unless_they_are_two() {
        for (pattern, text, is_match) in [
            ("*.rs", "a.rs", true),
            ("*.rs", "d/a.rs", false),
            ("**/a", "a", true),
            ("**/a", "b/c/a", true),
            ("a/**", "a/b/c", true),
            ("a/**/b", "a/b", true),
            ("a/**/b", "a/x/y/b", true),
            ("a[!b-d]?", "aex", true),
            ("a[[:digit:]]", "a7", true),
            ("\\*", "*", true),
        ] {
            assert_eq!(
                matches(pattern.as_bytes(), text.as_bytes(), true, false),
                is_match,
                "{pattern} {text}"
            );
        }
    }
}
