//! Names of the pieces: a prefix, a suffix that counts in its alphabet, and what is added to each.
//!
//! Where the length may grow, the last letter is a mark: after `xyz` comes `xzaaa`, so that names stay in order.

use super::settings::SplitOptions;
use crate::memory::{ToMetered, Vec, vec};
use crate::utility::prelude::*;

pub(super) struct Names {
    prefix: Vec<u8>,
    alphabet: &'static [u8],
    /// Each an index into the alphabet.
    digits: Vec<usize>,
    additional: Text,
    widens: bool,
    started: bool,
}

impl Names {
    pub(super) fn new(prefix: &[u8], settings: &SplitOptions) -> Self {
        let mut digits = vec![0; settings.suffix_length];
        let start = settings.start.as_deref().unwrap_or(&[]);
        for (digit, letter) in digits.iter_mut().rev().zip(start.iter().rev()) {
            *digit = settings.alphabet.iter().position(|known| known == letter).unwrap_or(0);
        }
        Self {
            prefix: prefix.to_metered(),
            alphabet: settings.alphabet,
            digits,
            additional: settings.additional.clone(),
            widens: settings.widens,
            started: false,
        }
    }

    /// The next name.
    pub(super) fn next(&mut self) -> Result<Vec<u8>, UtilityError> {
        if std::mem::replace(&mut self.started, true) {
            self.count()?;
        }
        let mut name = self.prefix.clone();
        name.extend(self.digits.iter().filter_map(|&digit| self.alphabet.get(digit)));
        name.extend_from_slice(&self.additional);
        Ok(name)
    }

    fn count(&mut self) -> Result<(), UtilityError> {
        let base = self.alphabet.len();
        for digit in self.digits.iter_mut().rev() {
            *digit += 1;
            if *digit < base {
                break;
            }
            *digit = 0;
        }
        let first = self.digits.first().copied().unwrap_or(0);
        if self.widens && first + 1 == base {
            self.prefix.extend(self.alphabet.last());
            self.digits = vec![0; self.digits.len() + 1];
        } else if self.digits.iter().all(|&digit| digit == 0) {
            return Err(UtilityError::failed("output file suffixes exhausted"));
        }
        Ok(())
    }
}
