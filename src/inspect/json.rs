//! A view as JSON: one object for each command and for each opaque place.

use super::{CommandView, Opaque, RedirectView, Via, View, WordView};
use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use std::fmt;

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
        serde_json::to_value(self).unwrap_or_default()
    }
}

/// As [`CommandView::to_json`], without a copy of the words.
impl Serialize for CommandView {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(Some(7))?;
        object.serialize_entry("name", &self.name())?;
        object.serialize_entry("text", &Shown(&self.joined_words()))?;
        object.serialize_entry("words", &Listed(|| self.words.iter().map(|word| word.text.as_deref())))?;
        object.serialize_entry("assignments", &Listed(|| self.assignments.iter().map(Assignment::of)))?;
        object.serialize_entry("redirects", &Listed(|| self.redirects.iter().map(Redirect::of)))?;
        object.serialize_entry("line", &self.line)?;
        object.serialize_entry("via", &Listed(|| self.via.iter().map(Via::name)))?;
        object.end()
    }
}

/// What is shown, as a text.
struct Shown<'a, T>(&'a T);

impl<T: fmt::Display> Serialize for Shown<'_, T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self.0)
    }
}

/// What a function iterates over, as a list.
struct Listed<F>(F);

impl<I, F> Serialize for Listed<F>
where
    F: Fn() -> I,
    I: Iterator<Item: Serialize>,
{
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

#[derive(Serialize)]
struct Assignment<'a> {
    name: &'a str,
    value: Option<&'a str>,
    source: &'a str,
}

impl<'a> Assignment<'a> {
    fn of((name, value): &'a (String, WordView)) -> Self {
        Self { name, value: value.text.as_deref(), source: &value.source }
    }
}

#[derive(Serialize)]
struct Redirect<'a> {
    descriptor: Option<&'a str>,
    operator: &'a str,
    target: Option<&'a str>,
    source: &'a str,
    writes: bool,
}

impl<'a> Redirect<'a> {
    fn of(redirect: &'a RedirectView) -> Self {
        let WordView { text, source } = &redirect.target;
        Self {
            descriptor: redirect.descriptor.as_deref(),
            operator: redirect.operator,
            target: text.as_deref(),
            source,
            writes: redirect.writes(),
        }
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
