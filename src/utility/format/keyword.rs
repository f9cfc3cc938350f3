//! The words that an option knows (`--sort=WORD`): whole, or abbreviated as long as one meaning is left.

use super::quote::quote;
use crate::memory::{String, format};
use crate::utility::UtilityError;
use std::fmt::{Display, Write as _};

/// The meaning of `word` among `rows`, each of which has the words of one meaning. `option` is how the message calls what
/// the word was given to.
///
/// # Errors
/// A usage error that lists all words.
pub(crate) fn keyword<T: Copy>(option: &str, rows: &[(&[&str], T)], word: &[u8]) -> Result<T, UtilityError> {
    meaning(option, rows, word).map_err(UtilityError::Usage)
}

/// The error for a word in a utility whose other errors of usage have another status than 1.
pub(crate) fn bad_word(name: impl Display, message: &str) -> UtilityError {
    UtilityError::failed(format!("{message}\nTry '{name} --help' for more information."))
}

/// As [`keyword`], with the message alone, for utilities that end in other ways.
pub(crate) fn meaning<T: Copy>(option: &str, rows: &[(&[&str], T)], word: &[u8]) -> Result<T, String> {
    let exact = rows.iter().find(|(names, _)| names.iter().any(|name| name.as_bytes() == word));
    if let Some((_, meaning)) = exact {
        return Ok(*meaning);
    }
    let begins = |names: &[&str]| names.iter().any(|name| name.as_bytes().starts_with(word));
    let mut candidates = rows.iter().filter(|(names, _)| begins(names));
    let kind = match (candidates.next(), candidates.next()) {
        (Some((_, meaning)), None) => return Ok(*meaning),
        (None, _) => "invalid",
        _ => "ambiguous",
    };
    let mut message = format!("{kind} argument {} for ‘{option}’\nValid arguments are:", quote(word));
    for (names, _) in rows {
        for (index, name) in names.iter().enumerate() {
            let _ = write!(message, "{}‘{name}’", if index == 0 { "\n  - " } else { ", " });
        }
    }
    Err(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_may_be_abbreviated_while_it_means_one_thing() {
        let rows: [(&[&str], u8); 2] = [(&["none", "off"], 1), (&["never", "numbered"], 2)];
        for (word, want) in [("none", 1), ("o", 1), ("ne", 2), ("nu", 2)] {
            assert_eq!(keyword("x", &rows, word.as_bytes()).ok(), Some(want), "{word}");
        }
        for (word, want) in
            [("n", "ambiguous argument ‘n’"), ("", "ambiguous argument ‘’"), ("z", "invalid argument ‘z’")]
        {
            let message = keyword("x", &rows, word.as_bytes()).map_err(|error| error.to_string());
            let rest = " for ‘x’\nValid arguments are:\n  - ‘none’, ‘off’\n  - ‘never’, ‘numbered’";
            assert_eq!(message, Err(std::format!("{want}{rest}")));
        }
    }
}
