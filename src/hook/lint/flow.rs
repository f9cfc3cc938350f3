//! What the variables of a script hold: text from the payload, or what is JSON or a number already. Assignments are followed
//! in source order, by what their words show; nothing is run.

use super::texts::variables;
use crate::hook::portable::Facts;
use crate::inspect::View;
use rustc_hash::FxHashSet;

/// See the module.
#[derive(Default)]
pub(super) struct Flow {
    /// Text from the payload.
    payload: FxHashSet<String>,
    /// Text that is JSON already, or a number.
    safe: FxHashSet<String>,
    /// Variables that the dialect sets from the payload.
    given: &'static [&'static str],
    /// Variables that hold an object put together by hand, and where.
    pub(super) json_by_hand: Vec<(String, usize)>,
}

impl Flow {
    pub(super) fn of(view: &View, facts: &'static Facts) -> Self {
        let mut flow = Self { given: facts.variables, ..Self::default() };
        for command in &view.commands {
            let declares =
                matches!(command.name(), Some("export" | "local" | "declare" | "readonly" | "typeset"));
            let declared = command.words.iter().filter(|_| declares).filter_map(|word| {
                let (name, value) = word.source.split_once('=')?;
                Some((name.to_owned(), value.to_owned(), word.text.is_some()))
            });
            let plain = command.assignments.iter();
            let plain = plain.map(|(name, value)| (name.clone(), value.source.clone(), value.text.is_some()));
            for (name, source, known) in plain.chain(declared) {
                flow.assign(name, &source, known, command.span.start);
            }
            if command.name() == Some("read") {
                let names = command.words.iter().skip(1).filter_map(|word| word.text.as_deref());
                flow.payload.extend(names.filter(|name| !name.starts_with('-')).map(str::to_owned));
            }
        }
        flow
    }

    fn assign(&mut self, name: String, source: &str, known: bool, offset: usize) {
        let text = source.trim_start_matches(['"', '\'']).replace("\\\"", "\"");
        if !known && text.starts_with('{') && text.contains("\":") && self.holds_text(first_value(&text)) {
            self.json_by_hand.push((name.clone(), offset));
        }
        if is_json(source) || is_number(source) {
            self.safe.insert(name.clone());
        }
        if self.is_payload(source) {
            self.payload.insert(name);
        }
    }

    /// Whether what a word says comes from the payload.
    pub(super) fn is_payload(&self, source: &str) -> bool {
        source.contains("$(cat)")
            || source.trim() == "cat"
            || source.contains("$(cat ")
            || source.contains("jq ")
            || source.contains("/dev/stdin")
            || variables(source).any(|(_, name)| self.payload.contains(name) || self.given.contains(&name))
    }

    /// Whether a variable holds text of the payload as it is.
    pub(super) fn is_text(&self, name: &str) -> bool {
        self.payload.contains(name) && !self.safe.contains(name)
    }

    /// Whether the words of an object have text in them that is neither JSON nor a number.
    pub(super) fn holds_text(&self, source: &str) -> bool {
        if let Some(at) = source.find("$(") {
            // `{"n": $(...)}`: what stands without quotes is meant as JSON.
            let bare = source.get(..at).is_some_and(|before| before.trim_end().ends_with([':', ',', '[']));
            let is_safe = bare || is_json(source) || is_number(source);
            return !is_safe && (prints_raw(source) || !source.contains("jq "));
        }
        variables(source).any(|(_, name)| !self.safe.contains(name) && name != "PWD" && name != "SECONDS")
    }
}

/// Whether a word's commands print JSON that can stand in JSON.
pub(super) fn is_json(source: &str) -> bool {
    let quotes = ["-Rs", "-sR", "-R ", "@json", "tojson"].iter().any(|mark| source.contains(mark));
    quotes || !prints_raw(source) && ["jq -n", "jq -c"].iter().any(|mark| source.contains(mark))
}

/// Whether a word's commands print digits and the like.
fn is_number(source: &str) -> bool {
    ["$((", "wc -", "$(date", "grep -c", "${#"].iter().any(|mark| source.contains(mark))
}

/// Whether jq prints texts without their quotes.
pub(super) fn prints_raw(source: &str) -> bool {
    source.match_indices("jq ").any(|(at, _)| {
        let rest = source.get(at + 3..).unwrap_or("");
        rest.split_whitespace().take_while(|word| word.starts_with('-')).any(|word| {
            let letters = word.strip_prefix('-').unwrap_or("");
            matches!(word, "--raw-output" | "--join-output")
                || !letters.starts_with('-') && letters.contains(['r', 'j'])
        })
    })
}

/// The text up to the end of the object's first line; what stands behind is another command's.
pub(super) fn first_value(text: &str) -> &str {
    let end = text.rfind('}').map_or(text.len(), |end| end + 1);
    text.get(..end).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_jq_prints() {
        for raw in ["jq -r .a", "x | jq -cr .", "jq --raw-output .a", "jq -c -j ."] {
            assert!(prints_raw(raw), "{raw}");
        }
        for json in ["jq .a", "jq -c .r", "jq -n --arg r x .", "jq --arg x -r ."] {
            assert!(!prints_raw(json), "{json}");
        }
        assert!(is_json("$(jq -r .a | jq -Rs .)") && is_json("$(jq -c .)") && !is_json("$(jq -nr .a)"));
    }
}
