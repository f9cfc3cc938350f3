//! The settings of a load ([`LoadOptions::settings`](super::LoadOptions::settings)), read by name and type. Each dialect takes
//! what it knows, with its default; what nobody took is an error, so that no switch is given in vain.

use crate::hook::document::Source;
use crate::hook::error::ConfigProblem;
use serde_json::{Map, Value};

/// Settings that are being read.
pub(super) struct SettingsReader<'a> {
    source: &'a Source<'a>,
    given: &'a Map<String, Value>,
    known: Vec<&'static str>,
}

impl<'a> SettingsReader<'a> {
    pub(super) const fn new(source: &'a Source<'a>, given: &'a Map<String, Value>) -> Self {
        Self { source, given, known: Vec::new() }
    }

    /// `null` counts as absent.
    pub(super) fn value(&mut self, name: &'static str) -> Option<&'a Value> {
        if !self.known.contains(&name) {
            self.known.push(name);
        }
        self.given.get(name).filter(|value| !value.is_null())
    }

    pub(super) fn bool(&mut self, name: &'static str, default: bool) -> Result<bool, ConfigProblem> {
        let Some(value) = self.value(name) else { return Ok(default) };
        value.as_bool().ok_or_else(|| self.wrong(name, "true or false"))
    }

    /// A whole number that is not negative.
    pub(super) fn count(&mut self, name: &'static str, default: u64) -> Result<u64, ConfigProblem> {
        let Some(value) = self.value(name) else { return Ok(default) };
        value.as_u64().ok_or_else(|| self.wrong(name, "a whole number"))
    }

    pub(super) fn text(&mut self, name: &'static str) -> Result<Option<&'a str>, ConfigProblem> {
        let Some(value) = self.value(name) else { return Ok(None) };
        value.as_str().map(Some).ok_or_else(|| self.wrong(name, "a string"))
    }

    /// An object whose values are strings.
    pub(super) fn texts(&mut self, name: &'static str) -> Result<Vec<(&'a str, &'a str)>, ConfigProblem> {
        let Some(value) = self.value(name) else { return Ok(Vec::new()) };
        let pairs = value.as_object().and_then(|object| {
            object.iter().map(|(name, value)| Some((name.as_str(), value.as_str()?))).collect::<Option<_>>()
        });
        pairs.ok_or_else(|| self.wrong(name, "an object of strings"))
    }

    /// To be called when all were asked for.
    pub(super) fn finish(self) -> Result<(), ConfigProblem> {
        match self.given.keys().find(|name| !self.known.contains(&name.as_str())) {
            None => Ok(()),
            Some(name) => {
                let known = self.known.join(", ");
                Err(self.source.problem(None, format!("settings: unknown name `{name}` (known: {known})")))
            }
        }
    }

    /// That a setting has the wrong type.
    pub(super) fn wrong(&self, name: &str, expected: &str) -> ConfigProblem {
        self.source.problem(None, format!("settings: `{name}` must be {expected}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn names_and_types_are_checked() {
        let source = Source::new("f", b"");
        let given = json!({"a": true, "b": 3, "c": "x", "d": {"k": "v"}, "e": null});
        let given = given.as_object().unwrap();
        let mut settings = SettingsReader::new(&source, given);
        assert_eq!(settings.bool("a", false), Ok(true));
        assert_eq!(settings.bool("e", true), Ok(true));
        assert_eq!(settings.count("b", 1), Ok(3));
        assert_eq!(settings.text("c"), Ok(Some("x")));
        assert_eq!(
            settings.bool("b", true).unwrap_err().to_string(),
            "f: settings: `b` must be true or false"
        );
        let unknown = settings.finish().unwrap_err().to_string();
        assert_eq!(unknown, "f: settings: unknown name `d` (known: a, e, b, c)");
        let mut settings = SettingsReader::new(&source, given);
        assert_eq!(settings.texts("d").unwrap(), [("k", "v")]);
    }
}
