//! Reading configs (A1 of the contract): one file or inline object after another, each an event map of rules.
//!
//! Nothing about a rule is fatal: what is faulty is left out with a warning in the contract's words (`config/rule.rs` reads one
//! rule). A config that is checked before it is saved ([`Purpose::Save`](crate::hook::contract::Purpose::Save)) turns every such warning into an error, but for those
//! about what is kept.

mod rule;

use super::bundle::{AgentaoBundle, Extra};
use super::event::EventName;
use super::settings::AgentaoSettings;
use crate::document::{Node, NodeKind, Source};
use crate::hook::contract::{LoadOptions, Loaded};
use crate::hook::error::{ConfigError, ConfigProblem};
use crate::hook::hooks::{Hook, Hooks};
use crate::hook::id::HookId;
use crate::hook::loading::Loading;
use crate::hook::notice::NoticeKind;
use crate::hook::weight;
use crate::limit::Limits;
use rustc_hash::FxHashMap;
use serde_json::Value;

pub(super) fn load(source: &Source<'_>, options: &LoadOptions) -> Result<Loaded, ConfigError> {
    let settings = AgentaoSettings::read(&options.settings).map_err(|why| source.problem(None, why))?;
    let loading = Loading::new(options, Limits::hook);
    let mut loader = Loader { loading, hooks: Vec::new(), entries: FxHashMap::default() };
    loader.file("", source);
    for contribution in &options.contributions {
        for declaration in &contribution.hooks {
            loader.declaration(&contribution.origin, declaration, &settings.files);
        }
    }
    loader.loading.loaded(AgentaoBundle { hooks: Hooks::new(loader.hooks), settings })
}

struct Loader<'a> {
    loading: Loading<'a>,
    hooks: Vec<(Hook, Extra)>,
    /// Entries so far, by plug-in and event: ids count through all declarations of a plug-in.
    entries: FxHashMap<(String, &'static str), usize>,
}

/// Where a rule stands: in which file, of which plug-in, under which event, at which place.
struct RulePlace<'a> {
    source: &'a Source<'a>,
    origin: &'a str,
    event: EventName,
    index: usize,
    /// In a nested group.
    inner: Option<usize>,
}

impl RulePlace<'_> {
    fn id(&self) -> HookId {
        let Self { origin, event, index, inner, .. } = self;
        let separator = if origin.is_empty() { "" } else { ":" };
        let inner = inner.map(|inner| format!("_{inner}")).unwrap_or_default();
        HookId::from(format!("{origin}{separator}{}_{index}{inner}", event.name()))
    }
}

impl Loader<'_> {
    fn declaration(&mut self, origin: &str, declaration: &Value, files: &[(String, String)]) {
        let Value::String(path) = declaration else {
            self.document(origin, &Source::new(origin, b""), &Node::from_value(declaration));
            return;
        };
        match files.iter().find(|(name, _)| name == path) {
            // Each time that it is named it makes hooks of its own.
            Some((_, text)) if weight::charge_text(text.len()) => {
                self.file(origin, &Source::new(path, text.as_bytes()));
            }
            Some(_) => {}
            None => {
                let source = Source::new(path, b"");
                self.fault(&source, None, None, format!("Hooks file not found: {path}"));
            }
        }
    }

    fn file(&mut self, origin: &str, source: &Source<'_>) {
        match source.json("") {
            Ok(node) => self.document(origin, source, &node),
            Err(problem) => {
                let message = format!("Could not parse hooks file {}: {}", source.name, problem.message);
                self.loading.left_out(None, ConfigProblem { message, ..problem });
            }
        }
    }

    /// G1: an event map, with or without its wrapper.
    fn document(&mut self, origin: &str, source: &Source<'_>, node: &Node) {
        let wrapped = node.members().iter().rfind(|member| member.name == "hooks");
        let events = wrapped.map_or(node, |member| &member.value);
        if !events.is_object() {
            self.fault(source, events.at, None, "hooks must be a JSON object".to_owned());
            return;
        }
        for member in events.members() {
            let Some(event) = EventName::from_name(&member.name) else {
                let message = format!("Unsupported hook event '{}' — skipped", member.name);
                self.fault(source, member.at, None, message);
                continue;
            };
            let entries = member.value.as_array().unwrap_or(std::slice::from_ref(&member.value));
            for entry in entries {
                let count = self.entries.entry((origin.to_owned(), event.name())).or_default();
                let index = *count;
                *count = count.saturating_add(1);
                let mut place = RulePlace { source, origin, event, index, inner: None };
                match group(entry) {
                    None => self.rule(&place, entry, rule::Matchers::Flat),
                    Some(handlers) => {
                        for (inner, handler) in handlers.iter().enumerate() {
                            place.inner = Some(inner);
                            self.rule(&place, handler, rule::Matchers::Group(entry.get("matcher")));
                        }
                    }
                }
            }
        }
    }

    /// Something that is left out.
    fn fault(&mut self, source: &Source<'_>, at: Option<usize>, hook: Option<HookId>, message: String) {
        self.loading.left_out(hook, source.problem(at, message));
    }

    /// Something that stays, but perhaps not as meant.
    fn warning(&mut self, place: &RulePlace<'_>, at: Option<usize>, message: String) {
        self.loading.notice(NoticeKind::Warning, Some(place.id()), place.source.problem(at, message));
    }

    fn add(&mut self, hook: Hook, extra: Extra) {
        self.hooks.push((hook, extra));
    }
}

/// The handlers of a nested group (G2).
fn group(entry: &Node) -> Option<&[Node]> {
    let handlers = entry.get("hooks")?;
    if entry.get("type").is_some() {
        return None;
    }
    Some(handlers.as_array().unwrap_or(std::slice::from_ref(handlers)))
}

/// A value as Python's `str` shows it, which the contract's messages do.
fn python_text(node: &Node) -> String {
    match &node.kind {
        NodeKind::String(text) => text.clone(),
        NodeKind::Null => "None".to_owned(),
        NodeKind::Bool(true) => "True".to_owned(),
        NodeKind::Bool(false) => "False".to_owned(),
        _ => crate::hook::json::cut(&node.to_value().to_string(), 120).to_owned(),
    }
}

/// A value's type as Python names it.
fn python_type(node: &Node) -> &'static str {
    match &node.kind {
        NodeKind::String(_) => "str",
        NodeKind::Null => "NoneType",
        NodeKind::Bool(_) => "bool",
        NodeKind::Number(number) if number.is_f64() => "float",
        NodeKind::Number(_) => "int",
        NodeKind::Array(_) => "list",
        NodeKind::Object(_) => "dict",
    }
}
