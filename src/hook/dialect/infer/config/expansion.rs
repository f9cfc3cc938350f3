//! `$NAME` and `${NAME}` in a config's text, before it is read as YAML (R3).
//!
//! Names that the environment has become their value; others stay for the shell, or become empty as the product has it;
//! `$$` is a dollar sign. Anything else after a dollar sign stays. Where text moved is kept, so that a place in the expanded
//! text can be told as one of the file.

use rustc_hash::FxHashMap;
use std::borrow::Cow;

/// Bytes of an expanded text.
const MOST_BYTES: usize = 4 << 20;

/// Values by name.
type Values<'v> = FxHashMap<&'v [u8], &'v [u8]>;

/// A text after expansion.
#[derive(Debug)]
pub(super) struct Expanded<'a> {
    pub(super) text: Cow<'a, [u8]>,
    /// Offsets in the expanded text and in the file from which on both run alike; ascending.
    steps: Vec<(usize, usize)>,
}

impl Expanded<'_> {
    /// The file's offset for one of the expanded text; inside a value it is that of its dollar sign.
    pub(super) fn original(&self, at: usize) -> usize {
        let next = self.steps.partition_point(|(expanded, _)| *expanded <= at);
        let Some(&(expanded, original)) = next.checked_sub(1).and_then(|index| self.steps.get(index)) else {
            return at;
        };
        let moved = original.saturating_add(at.saturating_sub(expanded));
        let end = self.steps.get(next).map_or(usize::MAX, |(_, original)| *original);
        moved.min(end)
    }
}

/// Expands; `None` when the text grows too large.
pub(super) fn expand<'a>(
    text: &'a [u8],
    environment: &[(String, String)],
    unset_is_empty: bool,
) -> Option<Expanded<'a>> {
    // The first of equal names counts.
    let values = environment.iter().rev().map(|(name, value)| (name.as_bytes(), value.as_bytes()));
    let values: Values<'_> = values.collect();
    let mut out = Vec::new();
    let mut steps = Vec::new();
    let mut done = 0;
    while let Some(dollar) = memchr::memchr(b'$', text.get(done..)?).map(|found| done.saturating_add(found)) {
        out.extend_from_slice(text.get(done..dollar)?);
        let (length, value) = reference(text.get(dollar..)?, &values, unset_is_empty);
        done = dollar.saturating_add(length);
        match value {
            Some(value) => {
                steps.push((out.len(), dollar));
                out.extend_from_slice(value);
                steps.push((out.len(), done));
            }
            None => out.extend_from_slice(text.get(dollar..done)?),
        }
        if out.len() > MOST_BYTES {
            return None;
        }
    }
    if steps.is_empty() {
        return Some(Expanded { text: Cow::Borrowed(text), steps });
    }
    out.extend_from_slice(text.get(done..)?);
    (out.len() <= MOST_BYTES).then_some(Expanded { text: Cow::Owned(out), steps })
}

/// The length of what begins with a dollar sign, and its value; `None` stays as it is.
fn reference<'v>(text: &[u8], values: &Values<'v>, unset_is_empty: bool) -> (usize, Option<&'v [u8]>) {
    let after = text.get(1..).unwrap_or_default();
    let (name, length) = match after.first() {
        Some(b'$') => return (2, Some(b"$")),
        Some(b'{') => {
            let inside = after.get(1..).unwrap_or_default();
            let name = name(inside);
            if inside.get(name.len()) != Some(&b'}') {
                return (1, None);
            }
            (name, name.len().saturating_add(3))
        }
        _ => (name(after), name(after).len().saturating_add(1)),
    };
    if name.is_empty() {
        return (1, None);
    }
    match values.get(name).copied() {
        None if unset_is_empty => (length, Some(b"")),
        value => (length, value),
    }
}

/// The name that the text begins with.
fn name(text: &[u8]) -> &[u8] {
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let length = text.iter().take_while(|byte| is_name(byte)).count();
    match text.first() {
        Some(first) if !first.is_ascii_digit() => text.get(..length).unwrap_or_default(),
        _ => b"",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded<'t>(text: &'t str, variables: &[(&str, &str)]) -> Expanded<'t> {
        let variables: Vec<_> =
            variables.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        expand(text.as_bytes(), &variables, true).unwrap()
    }

    #[test]
    fn places_are_the_files() {
        let expanded = expanded("x$A-${B}y$A", &[("A", "longer"), ("B", "")]);
        assert_eq!(&*expanded.text, b"xlonger-ylonger");
        for (at, original) in [(0, 0), (1, 1), (2, 2), (6, 3), (7, 3), (8, 8), (9, 9), (15, 11)] {
            assert_eq!(expanded.original(at), original, "{at}");
        }
    }

    proptest::proptest! {
        /// Places never run backwards and stay inside the file.
        #[test]
        fn places_keep_their_order(text in "[$A{}x1 ]{0,40}", value in "[a-z]{0,6}") {
            let expanded = expanded(&text, &[("A", &value)]);
            let places: Vec<_> = (0..=expanded.text.len()).map(|at| expanded.original(at)).collect();
            assert!(places.is_sorted() && places.iter().all(|at| *at <= text.len()), "{places:?}");
            assert_eq!(places.last(), Some(&text.len()));
        }
    }
}
