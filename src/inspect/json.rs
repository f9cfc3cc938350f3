//! A view as JSON: one object for each command and for each opaque place.

use super::{CommandView, Opaque, Via, View, WordView};
use serde_json::{Value, json};

impl View {
    /// The commands, then the opaque places, each an object in one value. `script` is what was inspected.
    pub fn records(&self, script: &[u8]) -> impl Iterator<Item = Value> {
        let commands = self.commands.iter().map(CommandView::to_json);
        commands.chain(self.opaque.iter().map(|opaque| opaque.to_json(script)))
    }
}

impl CommandView {
    /// `{"name", "text", "words", "assignments", "redirects", "line", "via"}`; a computed word is `null` in `words`, and
    /// so is a computed name.
    pub fn to_json(&self) -> Value {
        let words: Vec<Option<&str>> = self.words.iter().map(|word| word.text.as_deref()).collect();
        let assignments: Vec<Value> = self
            .assignments
            .iter()
            .map(|(name, value)| json!({"name": name, "value": value.text, "source": value.source}))
            .collect();
        let redirects: Vec<Value> = self
            .redirects
            .iter()
            .map(|redirect| {
                let WordView { text, source } = &redirect.target;
                json!({
                    "descriptor": redirect.descriptor,
                    "operator": redirect.operator,
                    "target": text,
                    "source": source,
                    "writes": redirect.writes(),
                })
            })
            .collect();
        json!({
            "name": self.name(),
            "text": self.text(),
            "words": words,
            "assignments": assignments,
            "redirects": redirects,
            "line": self.line,
            "via": self.via.iter().map(Via::name).collect::<Vec<_>>(),
        })
    }
}

impl Opaque {
    /// `{"opaque": why, "line", "source"}`
    fn to_json(&self, script: &[u8]) -> Value {
        let source = script.get(self.span.clone()).unwrap_or(&[]);
        let source = String::from_utf8_lossy(source.get(..MAX_SOURCE).unwrap_or(source)).into_owned();
        json!({"opaque": self.what.name(), "line": self.line, "source": source})
    }
}

/// Bytes of an opaque place that are shown.
const MAX_SOURCE: usize = 200;
