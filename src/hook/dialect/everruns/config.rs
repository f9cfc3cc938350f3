//! Reading and checking a config (1 of the contract).
//!
//! Three shapes are taken: a host document with `capabilities`, the bare config of `user_hooks`, and a bundle file; beside
//! them the declarative bundle (R16). All end as lists of specs with an origin. Each spec is read ([`spec`]), gets its id
//! from its origin (R12, R13), and is kept, dropped with a warning, or an error, as the purpose says (R9, R10).

use super::bundle::{EverrunsBundle, Extra};
use super::event::EventName;
use super::log;
use super::payload::{PREFIX, Variables, safe_id};
use crate::document::{Node, Source};
use crate::hook::contract::{Contribution, LoadOptions, Loaded, Purpose};
use crate::hook::error::{ConfigError, ConfigProblem};
use crate::hook::fault_list::FaultList;
use crate::hook::field;
use crate::hook::hooks::{Hook, Hooks};
use crate::hook::id::HookId;
use crate::hook::matcher::RegexCompiler;
use crate::hook::notice::{Notice, NoticeKind};
use crate::limit::Limits;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

mod spec;
#[cfg(test)]
mod tests;

/// What a host shows of the capability that carries user hooks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capability {
    /// Its `ref`.
    pub id: &'static str,
    /// Its category.
    pub category: &'static str,
    /// Its risk; only administrators may assign it.
    pub risk: &'static str,
}

/// The capability `user_hooks`: no dependencies, no tools.
pub const CAPABILITY: Capability = Capability { id: "user_hooks", category: "Automation", risk: "High" };

/// Most hooks of a config that is saved, and the most bytes of it, as compact JSON.
const MOST_HOOKS: usize = 64;
const MOST_CONFIG_BYTES: usize = 256 << 10;

/// What every message about the shape of a config starts with.
const PARSE_FAILED: &str = "user_hooks config parse failed: ";

pub(super) fn load(source: &Source<'_>, options: &LoadOptions) -> Result<Loaded, ConfigError> {
    let node = source.json(PARSE_FAILED)?;
    let limits = Arc::new(options.limits.clone().unwrap_or_else(Limits::everruns));
    let mut loader = Loader {
        source,
        options,
        regexes: RegexCompiler::new(limits.regex_bytes),
        limits,
        hooks: Vec::new(),
        muted: Vec::new(),
        problems: FaultList::default(),
        notices: FaultList::default(),
    };
    loader.document(&node)?;
    loader.finish()
}

/// Who ships a list of specs.
#[derive(Clone, Copy)]
enum Origin<'a> {
    User,
    Capability(&'a str),
}

/// What is wrong with a spec.
struct Fault {
    at: Option<usize>,
    message: String,
    kind: FaultKind,
}

/// Which prefix its message gets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FaultKind {
    /// The shape is wrong: `user_hooks config parse failed: `.
    Parse,
    /// A value is not allowed: `user_hooks.hooks[i]: ` when a config is checked.
    Value,
}

/// A spec, read.
struct Spec {
    hook: Hook,
    extra: Extra,
    at: Option<usize>,
    warnings: Vec<String>,
}

impl From<field::Fault> for Fault {
    fn from(fault: field::Fault) -> Self {
        Self { at: fault.at, message: fault.message, kind: FaultKind::Parse }
    }
}

struct Loader<'a> {
    source: &'a Source<'a>,
    regexes: RegexCompiler,
    options: &'a LoadOptions,
    limits: Arc<Limits>,
    hooks: Vec<Spec>,
    muted: Vec<String>,
    problems: FaultList<ConfigProblem>,
    notices: FaultList<Notice>,
}

impl Loader<'_> {
    fn parse_problem(&self, at: Option<usize>, why: &str) -> ConfigProblem {
        self.source.problem(at, format!("{PARSE_FAILED}{why}"))
    }

    fn wrong_type(&self, node: &Node, path: &str, expected: &str) -> ConfigProblem {
        self.parse_problem(node.at, &format!("{path}: expected {expected}, found {}", node.describe()))
    }

    fn notice(&mut self, kind: NoticeKind, hook: Option<HookId>, at: Option<usize>, text: &str) {
        let log = match (&hook, kind) {
            (Some(hook), NoticeKind::Muted) => Some(log::muted(hook)),
            (Some(hook), NoticeKind::Dropped | NoticeKind::Warning) => Some(log::warning(hook, text)),
            _ => None,
        };
        let problem = self.source.problem(at, text);
        self.notices.push(Notice { log, ..Notice::new(kind, hook, problem) });
    }

    fn document(&mut self, node: &Node) -> Result<(), ConfigProblem> {
        if let Some(capabilities) = node.get("capabilities") {
            return self.capabilities(capabilities);
        }
        if let Some(definition) = node.get("definition") {
            self.contributions(|_| true);
            return self.definition(definition);
        }
        self.contributions(|_| true);
        self.user_config(node, "")
    }

    /// A host document. What is shipped by a capability that the document does not list is a dependency and comes first
    /// (R38).
    fn capabilities(&mut self, node: &Node) -> Result<(), ConfigProblem> {
        let Some(entries) = node.as_array() else {
            return Err(self.wrong_type(node, "capabilities", "an array"));
        };
        let reference = |entry: &Node| entry.get("ref").and_then(Node::as_str).map(str::to_owned);
        let listed: FxHashSet<String> = entries.iter().filter_map(reference).collect();
        self.contributions(|contribution| !listed.contains(&contribution.origin));
        for (index, entry) in entries.iter().enumerate() {
            let Some(name) = entry.get("ref").and_then(Node::as_str) else {
                return Err(
                    self.parse_problem(entry.at, &format!("capabilities[{index}]: missing field `ref`"))
                );
            };
            if name == CAPABILITY.id {
                match entry.get("config") {
                    Some(config) => self.user_config(config, &format!("capabilities[{index}].config."))?,
                    None => self.gate(entry.at)?,
                }
            } else {
                self.contributions(|contribution| contribution.origin == name);
            }
        }
        Ok(())
    }

    /// Adds what the host says other capabilities ship (R15).
    fn contributions(&mut self, wanted: impl Fn(&Contribution) -> bool) {
        for contribution in self.options.contributions.iter().filter(|contribution| wanted(contribution)) {
            let specs: Vec<_> = contribution.hooks.iter().map(Node::from_value).collect();
            self.specs(Origin::Capability(&contribution.origin), &specs);
        }
    }

    /// R50.
    fn gate(&self, at: Option<usize>) -> Result<(), ConfigProblem> {
        if self.options.may_assign_high_risk {
            return Ok(());
        }
        let message = format!(
            "the capability `{}` is of risk {} and may be assigned by administrators only",
            CAPABILITY.id, CAPABILITY.risk
        );
        Err(self.source.problem(at, message))
    }

    /// The config of `user_hooks` itself (1.2).
    fn user_config(&mut self, node: &Node, path: &str) -> Result<(), ConfigProblem> {
        self.gate(node.at)?;
        if !node.is_object() {
            return match node.kind {
                crate::document::NodeKind::Null => Ok(()),
                _ if path.is_empty() => Err(self.wrong_type(node, "config", "an object")),
                _ => Err(self.wrong_type(node, path.trim_end_matches('.'), "an object")),
            };
        }
        self.check_size(node)?;
        for member in node.members() {
            if matches!(member.name.as_str(), "hooks" | "disabled_contributions") {
                continue;
            }
            let why =
                format!("unknown field `{}`, expected `hooks` or `disabled_contributions`", member.name);
            match self.options.purpose {
                Purpose::Save => self.problems.push(self.parse_problem(member.at, &why)),
                Purpose::Run => {
                    self.notice(
                        NoticeKind::Warning,
                        None,
                        member.at,
                        &format!("{PARSE_FAILED}{why}; ignored"),
                    );
                }
            }
        }
        if let Some(muted) = node.get("disabled_contributions") {
            let path = format!("{path}disabled_contributions");
            let Some(ids) = muted.as_array() else { return Err(self.wrong_type(muted, &path, "an array")) };
            for (index, id) in ids.iter().enumerate() {
                let Some(text) = id.as_str() else {
                    return Err(self.wrong_type(id, &format!("{path}[{index}]"), "a string"));
                };
                self.muted.push(text.to_owned());
            }
        }
        if let Some(hooks) = node.get("hooks") {
            let Some(specs) = hooks.as_array() else {
                return Err(self.wrong_type(hooks, &format!("{path}hooks"), "an array"));
            };
            let known = self.problems.len();
            self.specs(Origin::User, specs);
            if specs.len() > MOST_HOOKS {
                self.too_many(known, hooks, specs.len());
            }
        }
        Ok(())
    }

    /// A config that is too large is not looked at before it is saved. What was saved before runs.
    fn check_size(&self, node: &Node) -> Result<(), ConfigProblem> {
        // Shorter in its own text, it is not much longer in another.
        if self.options.purpose == Purpose::Run || self.source.text.len() <= MOST_CONFIG_BYTES / 2 {
            return Ok(());
        }
        let bytes = node.to_value().to_string().len();
        if bytes <= MOST_CONFIG_BYTES {
            return Ok(());
        }
        let message = format!("user_hooks config is {bytes} bytes; maximum is {MOST_CONFIG_BYTES}");
        Err(self.source.problem(node.at, message))
    }

    /// Too many hooks come after faults of the shape and before those of values.
    fn too_many(&mut self, known: usize, hooks: &Node, count: usize) {
        let message = format!("user_hooks.hooks has {count} entries; maximum is {MOST_HOOKS}");
        if self.options.purpose == Purpose::Run {
            return self.notice(NoticeKind::Warning, None, hooks.at, &message);
        }
        let is_of_shape = |problem: &ConfigProblem| problem.message.starts_with(PARSE_FAILED);
        let problems = self.problems.split_off(known);
        self.problems.extend(problems.into_iter().filter(is_of_shape));
        if self.problems.len() == known {
            self.problems.push(self.source.problem(hooks.at, message));
        }
    }

    /// R16: `definition.name` takes the place of a capability id.
    fn definition(&mut self, node: &Node) -> Result<(), ConfigProblem> {
        let Some(hooks) = node.get("user_hooks") else { return Ok(()) };
        let Some(specs) = hooks.as_array() else {
            return Err(self.wrong_type(hooks, "definition.user_hooks", "an array"));
        };
        if !self.options.declarative_bundles {
            self.notice(NoticeKind::Warning, None, hooks.at, "definition.user_hooks is ignored");
            return Ok(());
        }
        self.gate(hooks.at)?;
        match node.get("name").and_then(Node::as_str) {
            Some(name) if !name.is_empty() && name != "user" => {
                self.specs(Origin::Capability(name), specs);
                Ok(())
            }
            Some(_) => Err(self.parse_problem(node.at, "definition.name: empty or reserved")),
            None => Err(self.parse_problem(node.at, "definition: missing field `name`")),
        }
    }

    fn specs(&mut self, origin: Origin<'_>, nodes: &[Node]) {
        for (index, node) in nodes.iter().enumerate() {
            match spec::read(origin, index, node, &self.limits, &mut self.regexes) {
                Ok(spec) => {
                    for warning in &spec.warnings {
                        self.notice(NoticeKind::Warning, Some(spec.hook.id.clone()), spec.at, warning);
                    }
                    self.hooks.push(spec);
                }
                Err(fault) => self.faulty(origin, index, node, &fault),
            }
        }
    }

    fn faulty(&mut self, origin: Origin<'_>, index: usize, node: &Node, fault: &Fault) {
        let message = match (fault.kind, origin) {
            (FaultKind::Parse, Origin::User) => format!("{PARSE_FAILED}hooks[{index}]{}", fault.message),
            (FaultKind::Value, Origin::User) => format!("user_hooks.hooks[{index}]: {}", fault.message),
            (FaultKind::Parse, Origin::Capability(id)) => format!("{id} hooks[{index}]{}", fault.message),
            (FaultKind::Value, Origin::Capability(id)) => format!("{id} hooks[{index}]: {}", fault.message),
        };
        if self.options.purpose == Purpose::Save && matches!(origin, Origin::User) {
            self.problems.push(self.source.problem(fault.at, message));
            return;
        }
        let id = spec::resolve_id(origin, index, node);
        self.notice(NoticeKind::Dropped, Some(id), fault.at, &format!("hook dropped: {message}"));
    }

    fn finish(mut self) -> Result<Loaded, ConfigError> {
        if !self.problems.is_empty() {
            return Err(self.problems.into());
        }
        self.warn_of_doubles();
        let muted: FxHashSet<&str> = self.muted.iter().map(String::as_str).collect();
        let (off, on): (Vec<_>, Vec<_>) = std::mem::take(&mut self.hooks)
            .into_iter()
            .partition(|spec| muted.contains(spec.hook.id.as_str()));
        for spec in off {
            self.notice(
                NoticeKind::Muted,
                Some(spec.hook.id),
                spec.at,
                "hook muted by disabled_contributions",
            );
        }
        let hooks = Hooks::new(on.into_iter().map(|spec| (spec.hook, spec.extra)));
        if !hooks.due(EventName::UserPromptSubmit.name()).is_empty() {
            let text = "a user_prompt_submit hook exists: tools that read the stored prompt must be hidden from the model";
            self.notice(NoticeKind::Obligation, None, None, text);
        }
        let prefix = self.options.variable_prefix.as_deref().unwrap_or(PREFIX);
        let bundle = EverrunsBundle { hooks, variables: Variables::new(prefix) };
        Ok(Loaded { bundle: Box::new(bundle), notices: self.notices })
    }

    /// One warning for each id that more than one hook has; all of them run.
    fn warn_of_doubles(&mut self) {
        let mut seen: FxHashMap<HookId, usize> = FxHashMap::default();
        let mut doubles = Vec::new();
        for spec in &self.hooks {
            let count = seen.entry(spec.hook.id.clone()).or_default();
            *count += 1;
            if *count == 2 {
                doubles.push((spec.hook.id.clone(), spec.at));
            }
        }
        for (id, at) in doubles {
            let text = format!("more than one hook has the id {id}; all run, and muting it mutes all");
            self.notice(NoticeKind::Warning, Some(id), at, &text);
        }
    }
}

pub(super) fn file_safe(id: &HookId) -> String {
    safe_id(id.as_str())
}
