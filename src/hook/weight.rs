//! What reading an output takes: the memory of the tree of a JSON text, found without building it.
//!
//! The tree of `[[],[],...]` is thirty times as large as its text. What a hook printed is weighed before it is parsed, in one
//! pass and without memory: the same sum as [`json::memory`] of the tree, and the room that its largest list or object needs
//! while it grows. Where the text is not JSON, it is what a parser can have made of it before it gives up.
//!
//! A config is charged by its length ([`charge_text`]).

use super::json;
use super::script::{Ended, ScriptOutcome};
use crate::limit::{Limit, LimitError, gauge};

/// Memory that a byte of a config is charged for: what the smallest hooks that can be written in it take.
const MEMORY_PER_BYTE: usize = 88;

/// Charges the text of a config, or of what comes with one, to its loading; `false` where there is no room for it.
#[must_use]
pub(super) fn charge_text(bytes: usize) -> bool {
    gauge::charge(bytes.saturating_mul(MEMORY_PER_BYTE))
}

/// Nesting at which the parser gives up.
const DEEPEST: usize = 128;
/// Copies of a text while it is read: as characters, without the blanks around it, in the tree, in what is shown.
const TEXTS: u64 = 4;

/// A list or an object that is open.
#[derive(Clone, Copy)]
struct Level {
    is_object: bool,
    is_empty: bool,
    commas: u64,
}

impl Level {
    /// Bytes that it takes beside its parts.
    fn own(self) -> u64 {
        match (self.is_empty, self.is_object) {
            (true, _) => 0,
            (false, true) => json::members_memory(self.commas.saturating_add(1)),
            (false, false) => json::items_memory(self.commas.saturating_add(1)),
        }
    }
}

/// The sum of a tree.
#[derive(Default)]
struct Sum {
    all: u64,
    largest: u64,
}

impl Sum {
    fn add(&mut self, level: Level) {
        let own = level.own();
        self.all = self.all.saturating_add(own);
        self.largest = self.largest.max(own);
    }

    /// A list that grows holds half of its new room a second time.
    fn peak(&self) -> u64 {
        self.all.saturating_add(self.largest / 2)
    }
}

/// Bytes that the tree of a text takes beside its strings, at most; of several texts in a row, the largest tree.
pub(super) fn of_tree(text: &[u8]) -> u64 {
    let mut levels = [Level { is_object: false, is_empty: true, commas: 0 }; DEEPEST];
    let mut depth = 0_usize;
    let (mut sum, mut most) = (Sum::default(), 0);
    let mut rest =
        memchr::memchr2(b'{', b'[', text).map_or(&[][..], |start| text.get(start..).unwrap_or(&[]));
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        let top = depth.checked_sub(1).and_then(|top| levels.get_mut(top));
        match byte {
            b' ' | b'\n' | b'\r' | b'\t' => {}
            b'[' | b'{' => {
                if let Some(top) = top {
                    top.is_empty = false;
                }
                let Some(next) = levels.get_mut(depth) else { break };
                *next = Level { is_object: byte == b'{', is_empty: true, commas: 0 };
                depth = depth.saturating_add(1);
            }
            b']' | b'}' => {
                if let Some(top) = top {
                    sum.add(*top);
                    depth = depth.saturating_sub(1);
                }
                if depth == 0 {
                    most = most.max(std::mem::take(&mut sum).peak());
                }
            }
            b',' => {
                if let Some(top) = top {
                    top.commas = top.commas.saturating_add(1);
                }
            }
            _ => {
                if let Some(top) = top {
                    top.is_empty = false;
                }
                if byte == b'"' {
                    rest = after_string(rest);
                }
            }
        }
    }
    levels.iter().take(depth).for_each(|level| sum.add(*level));
    most.max(sum.peak())
}

/// What follows a string whose quote was read. A newline ends it, too: no string of JSON has one.
fn after_string(mut text: &[u8]) -> &[u8] {
    while let Some(at) = memchr::memchr3(b'"', b'\\', b'\n', text) {
        let skipped = if text.get(at) == Some(&b'\\') { 2 } else { 1 };
        text = text.get(at.saturating_add(skipped)..).unwrap_or(&[]);
        if skipped == 1 {
            return text;
        }
    }
    &[]
}

/// Charges a run for the reading of what it printed, before it is read: for the bytes of its `trees` and for its texts. Where
/// that is more than the `allowed` bytes, the run has met its limit of memory.
pub(super) fn charge(outcome: &mut ScriptOutcome, trees: u64, allowed: u64) {
    let texts =
        (outcome.stdout.len() as u64).saturating_add(outcome.stderr.len() as u64).saturating_mul(TEXTS);
    let bytes = trees.saturating_add(texts);
    // A run that was cut off is not read: how it ended stays.
    let is_refused = bytes > allowed && matches!(outcome.end, Ended::Exited | Ended::Syntax(_));
    if is_refused {
        outcome.end = Ended::Limit(LimitError { limit: Limit::LiveBytes, allowed, line: None });
    }
    let held = if is_refused { texts } else { bytes };
    outcome.usage.peak_live_bytes = outcome.usage.peak_live_bytes.max(held);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    /// Memory of the tree of a text, without that of strings.
    fn of_value(value: &Value) -> u64 {
        match value {
            Value::Array(items) => {
                items.iter().map(of_value).sum::<u64>() + json::items_memory(items.len() as u64)
            }
            Value::Object(members) => {
                members.values().map(of_value).sum::<u64>() + json::members_memory(members.len() as u64)
            }
            _ => 0,
        }
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<i64>().prop_map(Value::from),
            "[\\PC\"\\\\\n\\[\\],{}]{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(6, 200, 12, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..12).prop_map(Value::from),
                prop::collection::vec(("[a-z\",{}]{0,3}", inner), 0..12)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        /// Blanks, strings with brackets and nesting do not mislead it.
        #[test]
        fn a_text_weighs_what_its_tree_does(value in values(), pretty: bool) {
            let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
            let (weight, tree) = (of_tree(text.unwrap().as_bytes()), of_value(&value));
            // Brackets in a text that stands alone are taken for a list's.
            let most = if value.is_string() { u64::MAX } else { tree + tree / 2 };
            prop_assert!(weight >= tree && weight <= most, "{weight} for {tree}");
            prop_assert!(json::memory(&value) >= tree);
        }

        /// What is not JSON weighs no less than what a parser can make of its beginning.
        #[test]
        fn a_text_that_ends_early_weighs_what_was_read(value in values(), end: prop::sample::Index) {
            let text = serde_json::to_string(&value).unwrap();
            let text = &text.as_bytes()[..end.index(text.len() + 1)];
            prop_assert!(of_tree(text) <= of_tree(serde_json::to_string(&value).unwrap().as_bytes()));
        }
    }

    #[test]
    fn lists_are_weighed_by_what_they_become() {
        let item = size_of::<Value>() as u64;
        assert_eq!(of_tree(b"plain, text: no tree"), 0);
        assert_eq!(of_tree(b"[]"), 0);
        assert_eq!(of_tree(b"[1]"), 4 * item + 2 * item);
        assert_eq!(of_tree(b"[[],[],[],[],[]]"), 8 * item + 4 * item);
        // One after another: the largest.
        assert_eq!(of_tree(b"[1]\n[1,2,3,4,5]\n[2]"), 12 * item);
        // Deeper than the parser goes.
        assert_eq!(of_tree(&[b'['; 1000]), of_tree(&[b'['; DEEPEST + 1]));
    }

    #[test]
    fn a_run_is_charged_before_its_output_is_read() {
        let of = |stdout: String, allowed: u64| {
            let mut outcome = ScriptOutcome::exited(0, stdout, "");
            let trees = of_tree(&outcome.stdout) * 2;
            charge(&mut outcome, trees, allowed);
            (outcome.end == Ended::Exited, outcome.usage.peak_live_bytes)
        };
        let (is_read, bytes) = of("[],".repeat(1000), 1 << 20);
        assert!(is_read && bytes == 3000 * TEXTS, "{bytes}");
        let (is_read, bytes) = of(format!("[{}1]", "[],".repeat(1000)), 1 << 20);
        assert!(is_read && bytes > 80_000, "{bytes}");
        assert!(!of(format!("[{}1]", "[],".repeat(10_000)), 1 << 20).0);
    }
}
