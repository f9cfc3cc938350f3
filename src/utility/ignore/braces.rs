//! `{a,b}` in patterns of files: alternatives, which `rg` has and git has not. They are written out, so that
//! what matches them knows of none.

use crate::memory::{Vec, vec};

/// Alternatives that a pattern may have, written out.
const MOST: usize = 1024;

/// Why a pattern is none, in the words of `rg`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum GlobError {
    #[error("unclosed alternate group; missing '}}' (maybe escape '{{' with '[{{]'?)")]
    UnclosedGroup,
    #[error("unopened alternate group; missing '{{' (maybe escape '}}' with '[}}]'?)")]
    UnopenedGroup,
    #[error("nested alternate groups are not allowed")]
    NestedGroup,
    #[error("unclosed character class; missing ']'")]
    UnclosedClass,
    #[error("dangling '\\'")]
    DanglingEscape,
    #[error("more than {MOST} alternatives")]
    TooMany,
}

/// A pattern without braces for each combination of alternatives.
pub(crate) fn expand(pattern: &[u8]) -> Result<Vec<Vec<u8>>, GlobError> {
    let mut done = vec![Vec::new()];
    let mut group: Option<Vec<Vec<u8>>> = None;
    let mut piece = Vec::new();
    let mut at = 0;
    while let Some(&byte) = pattern.get(at) {
        match byte {
            b'\\' => {
                let next = *pattern.get(at + 1).ok_or(GlobError::DanglingEscape)?;
                piece.extend_from_slice(&[b'\\', next]);
                at += 1;
            }
            b'[' => {
                let end = class_end(pattern, at).ok_or(GlobError::UnclosedClass)?;
                piece.extend_from_slice(pattern.get(at..end).unwrap_or_default());
                at = end - 1;
            }
            b'{' => {
                if group.is_some() {
                    return Err(GlobError::NestedGroup);
                }
                append_each(&mut done, &[std::mem::take(&mut piece)])?;
                group = Some(Vec::new());
            }
            b',' => match &mut group {
                Some(alternatives) => alternatives.push(std::mem::take(&mut piece)),
                None => piece.push(b','),
            },
            b'}' => {
                let mut alternatives = group.take().ok_or(GlobError::UnopenedGroup)?;
                alternatives.push(std::mem::take(&mut piece));
                append_each(&mut done, &alternatives)?;
            }
            _ => piece.push(byte),
        }
        at += 1;
    }
    if group.is_some() {
        return Err(GlobError::UnclosedGroup);
    }
    append_each(&mut done, &[piece])?;
    Ok(done)
}

/// Puts each alternative behind each text.
fn append_each(texts: &mut Vec<Vec<u8>>, alternatives: &[Vec<u8>]) -> Result<(), GlobError> {
    if texts.len().saturating_mul(alternatives.len()) > MOST {
        return Err(GlobError::TooMany);
    }
    if let [only] = alternatives {
        texts.iter_mut().for_each(|text| text.extend_from_slice(only));
        return Ok(());
    }
    let mut longer = Vec::with_capacity(texts.len() * alternatives.len());
    for text in texts.iter() {
        for alternative in alternatives {
            let mut both = Vec::with_capacity(text.len() + alternative.len());
            both.extend_from_slice(text);
            both.extend_from_slice(alternative);
            longer.push(both);
        }
    }
    *texts = longer;
    Ok(())
}

/// Where the class that begins at `at` ends.
fn class_end(pattern: &[u8], at: usize) -> Option<usize> {
    let mut first = at + 1;
    if matches!(pattern.get(first), Some(b'!' | b'^')) {
        first += 1;
    }
    let rest = pattern.get(first + 1..)?;
    memchr::memchr(b']', rest).map(|found| first + 1 + found + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use bstr::ByteSlice as _;

    #[test]
    fn groups_are_written_out() {
        let shown = |pattern: &str| {
            let texts = expand(pattern.as_bytes())?;
            let texts: std::vec::Vec<_> = texts.iter().map(|text| text.to_str_lossy()).collect();
            Ok(texts.join(" "))
        };
        assert_eq!(shown("a{b,c}{d,e}").as_deref().ok(), Some("abd abe acd ace"));
        assert_eq!(shown("[{]x,y").as_deref().ok(), Some("[{]x,y"));
        assert_eq!(shown("{a"), Err(GlobError::UnclosedGroup));
        assert_eq!(shown("{a,{b}}"), Err(GlobError::NestedGroup));
        assert_eq!(shown("[a"), Err(GlobError::UnclosedClass));
        assert_eq!(shown(&"{a,b}".repeat(11)), Err(GlobError::TooMany));
    }
}
