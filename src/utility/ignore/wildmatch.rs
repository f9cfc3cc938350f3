//! Patterns of ignore files, attributes and pathspecs: `*`, `?`, `[...]`, and `**` over folders.

/// Whether the whole text matches. With `by_path` a `*` stays in a folder.
pub(crate) fn matches(pattern: &[u8], text: &[u8], by_path: bool, ignore_case: bool) -> bool {
    Matcher { pattern, text, by_path, ignore_case }.matches()
}

#[derive(Clone, Copy)]
struct Matcher<'a> {
    pattern: &'a [u8],
    text: &'a [u8],
    by_path: bool,
    ignore_case: bool,
}

/// What stars stand for.
#[derive(Clone, Copy)]
enum Reach {
    /// Any bytes but `/`.
    Name,
    /// Any bytes.
    Anything,
    /// Whole folders, each with its `/`.
    Folders,
}

/// Stars that were met: the pattern after them, and where in the text that was tried last.
#[derive(Clone, Copy)]
struct Tried {
    reach: Reach,
    rest: usize,
    from: usize,
}

impl Matcher<'_> {
    fn fold(&self, byte: u8) -> u8 {
        if self.ignore_case { byte.to_ascii_lowercase() } else { byte }
    }

    /// Where something does not fit, the last stars are made longer. Those before need not be: what follows stars over
    /// folders can begin anywhere after the first place that fits, and stars in a name end before a `/` that stands in the
    /// pattern, or are followed by others that can be made longer as well.
    fn matches(self) -> bool {
        let (mut at, mut place) = (0, 0);
        let (mut in_name, mut over_folders): (Option<Tried>, Option<Tried>) = (None, None);
        loop {
            if self.pattern.get(at) == Some(&b'*') {
                let (reach, rest) = self.stars(at);
                let tried = Some(Tried { reach, rest, from: place });
                match reach {
                    Reach::Name => in_name = tried,
                    Reach::Anything if rest == self.pattern.len() => return true,
                    Reach::Anything | Reach::Folders => (in_name, over_folders) = (None, tried),
                }
                at = rest;
                continue;
            }
            if at == self.pattern.len() && place == self.text.len() {
                return true;
            }
            if let Some(next) = self.symbol(at, place) {
                (at, place) = (next, place + 1);
                continue;
            }
            if let Some(tried) = in_name.and_then(|tried| self.longer(tried)) {
                in_name = Some(tried);
                (at, place) = (tried.rest, tried.from);
            } else if let Some(tried) = over_folders.and_then(|tried| self.longer(tried)) {
                (in_name, over_folders) = (None, Some(tried));
                (at, place) = (tried.rest, tried.from);
            } else {
                return false;
            }
        }
    }

    /// What the stars at a place stand for, and where the pattern goes on.
    fn stars(&self, at: usize) -> (Reach, usize) {
        let stars = self.pattern.get(at..).unwrap_or(&[]).iter().take_while(|byte| **byte == b'*').count();
        let rest = at + stars;
        let before = at.checked_sub(1).and_then(|before| self.pattern.get(before));
        match self.pattern.get(rest) {
            _ if !self.by_path => (Reach::Anything, rest),
            None if stars > 1 && matches!(before, None | Some(b'/')) => (Reach::Anything, rest),
            Some(b'/') if stars > 1 && matches!(before, None | Some(b'/')) => (Reach::Folders, rest + 1),
            _ => (Reach::Name, rest),
        }
    }

    /// The same stars over the next byte or folder; `None`: they do not reach any further.
    fn longer(&self, tried: Tried) -> Option<Tried> {
        let left = self.text.get(tried.from..)?;
        let more = match tried.reach {
            Reach::Name => usize::from(*left.first()? != b'/'),
            Reach::Anything => usize::from(!left.is_empty()),
            Reach::Folders => memchr::memchr(b'/', left)? + 1,
        };
        (more > 0).then_some(Tried { from: tried.from + more, ..tried })
    }

    /// Where the pattern goes on after a symbol that stands for the byte at a place of the text.
    fn symbol(&self, at: usize, place: usize) -> Option<usize> {
        let (symbol, byte) = (*self.pattern.get(at)?, *self.text.get(place)?);
        let is = |wanted: u8| self.fold(byte) == self.fold(wanted);
        match symbol {
            b'?' | b'[' if byte == b'/' && self.by_path => None,
            b'?' => Some(at + 1),
            b'[' => {
                self.bracket(self.pattern, at + 1, byte).filter(|(is_in, _)| *is_in).map(|(_, next)| next)
            }
            b'\\' if at + 1 < self.pattern.len() => {
                let wanted = *self.pattern.get(at + 1)?;
                is(wanted).then_some(at + 2)
            }
            symbol => is(symbol).then_some(at + 1),
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

    /// The meaning of a pattern, by trying everything.
    fn matches_slowly(pattern: &[u8], text: &[u8], before: Option<u8>) -> bool {
        let stars = pattern.iter().take_while(|byte| **byte == b'*').count();
        if stars == 0 {
            return match (pattern.split_first(), text.split_first()) {
                (None, None) => true,
                (Some((b'?', rest)), Some((byte, left))) => {
                    *byte != b'/' && matches_slowly(rest, left, Some(b'?'))
                }
                (Some((symbol, rest)), Some((byte, left))) => {
                    symbol == byte && matches_slowly(rest, left, Some(*symbol))
                }
                _ => false,
            };
        }
        let rest = &pattern[stars..];
        let is_wide =
            stars > 1 && matches!(before, None | Some(b'/')) && matches!(rest.first(), None | Some(b'/'));
        let skips = is_wide && rest.first() == Some(&b'/') && matches_slowly(&rest[1..], text, Some(b'/'));
        skips
            || (0..=text.len())
                .take_while(|end| is_wide || !text[..*end].contains(&b'/'))
                .any(|end| matches_slowly(rest, &text[end..], Some(b'*')))
    }

    #[test]
    fn a_match_is_found_where_there_is_one() {
        let mut state = 7_u64;
        let mut random = move |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        for _ in 0..200_000 {
            let pieces: [&[u8]; 8] = [b"a", b"b", b"/", b"*", b"**", b"**/", b"/**/", b"?"];
            let pattern: Vec<u8> = (0..random(7)).flat_map(|_| pieces[random(8)].to_vec()).collect();
            let text: Vec<u8> = (0..random(9)).map(|_| b"ab/"[random(3)]).collect();
            assert_eq!(
                matches(&pattern, &text, true, false),
                matches_slowly(&pattern, &text, None),
                "{} {}",
                bstr::BStr::new(&pattern),
                bstr::BStr::new(&text)
            );
        }
    }

    #[test]
    fn many_stars_take_no_time() {
        let text = [b"a/".repeat(2_000), b"b".to_vec()].concat();
        for pattern in [&b"*a"[..], b"**/a/", b"**/*a*a*", b"*?", b"[a]*"] {
            assert!(!matches(&[&pattern.repeat(5_000), &b"c"[..]].concat(), &text, true, false));
            assert!(!matches(&[&pattern.repeat(5_000), &b"c"[..]].concat(), &text, false, false));
        }
    }
}
