//! The known name that one was perhaps meant to be, for messages about names that nobody knows.

/// Longer names are not compared.
const LONGEST: usize = 64;

/// The known name nearest to `name`: the same but for case and separators, else one that differs in a letter or two.
pub(crate) fn nearest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let most = if name.len() < 4 { 1 } else { 2 };
    nearest_within(name, known, most)
}

/// The same with how many letters may differ.
pub(crate) fn nearest_within<'n>(
    name: &str,
    known: impl IntoIterator<Item = &'n str>,
    most: usize,
) -> Option<&'n str> {
    let wanted = letters(name);
    if wanted.is_empty() || wanted.len() > LONGEST {
        return None;
    }
    let distances = known.into_iter().filter(|known| *known != name).map(|known| {
        let letters = letters(known);
        (if letters.len() > LONGEST { usize::MAX } else { distance(&wanted, &letters) }, known)
    });
    distances
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, _)| *distance <= most)
        .map(|(_, known)| known)
}

/// `: did you mean X?`, or nothing.
pub(crate) fn hint<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> String {
    nearest(name, known).map_or_else(String::new, |known| format!(": did you mean `{known}`?"))
}

fn letters(name: &str) -> Vec<char> {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Letters that are added, left out, changed, or swapped with the next.
fn distance(one: &[char], other: &[char]) -> usize {
    // The last two rows of the table; each begins with the count of letters so far.
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=other.len()).collect();
    let at = |row: &[usize], place: usize| row.get(place).copied().unwrap_or(usize::MAX / 2);
    for (index, letter) in one.iter().enumerate() {
        let mut row = vec![index + 1];
        for (place, found) in other.iter().enumerate() {
            let changed = at(&last, place) + usize::from(letter != found);
            let mut least = changed.min(at(&last, place + 1) + 1).min(at(&row, place) + 1);
            let is_swap = index > 0
                && place > 0
                && one.get(index - 1) == Some(found)
                && other.get(place - 1) == Some(letter);
            if is_swap {
                least = least.min(at(&before, place - 1) + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    at(&last, other.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found() {
        let known = ["PreToolUse", "PostToolUse", "Stop", "Write", "Read"];
        for (name, found) in [
            ("preToolUse", Some("PreToolUse")),
            ("pre_tool_use", Some("PreToolUse")),
            ("PreToolUsed", Some("PreToolUse")),
            ("Wirte", Some("Write")),
            ("stop", Some("Stop")),
            ("SessionBegins", None),
            ("", None),
            ("Stop", None),
        ] {
            assert_eq!(nearest(name, known), found, "{name}");
        }
        assert_eq!(hint("Wirte", known), ": did you mean `Write`?");
    }
}
