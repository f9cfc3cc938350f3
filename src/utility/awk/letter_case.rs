//! Texts in upper and lower case: `tolower`, `toupper`, `IGNORECASE`.

use crate::character::{fold, push_unit, unfold, unit_at};
use crate::memory::Vec;

/// Appends a text in lower or upper case.
pub(super) fn push_in_case(text: &[u8], is_upper: bool, out: &mut Vec<u8>) {
    if text.is_ascii() {
        out.extend(
            text.iter()
                .map(|byte| if is_upper { byte.to_ascii_uppercase() } else { byte.to_ascii_lowercase() }),
        );
        return;
    }
    let mut at = 0;
    while let Some((unit, length)) = unit_at(text, at) {
        push_unit(out, if is_upper { unfold(unit) } else { fold(unit) });
        at += length;
    }
}
