//! Configs (1 of the contract): an agent file, a document with a `hooks` map, an event map alone; YAML or JSON.
//!
//! Sources are read in their order (R3): the file, what the host contributes (user-level hooks, then drop-in files sorted by
//! name), hooks of command-line flags. Each adds to the lists, nothing replaces. Flags of an agent that stand for built-ins
//! (R5) come after that agent's own hooks; `limit_large_tool_results` is always there, and last, so that what is saved whole
//! was redacted before. Any fault makes the config unusable, whatever it is loaded for.

use super::builtin;
use super::bundle::{Action, DockerAgentBundle, Extra, Matcher};
use super::evaluator::{self, Evaluators, default_route};
use super::event::EventName;
use super::routing;
use super::settings::DockerAgentSettings;
use super::version::VERSIONS;
use crate::document::{Node, NodeKind, Source};
use crate::hook::contract::{Contribution, LoadOptions, Loaded};
use crate::hook::error::{ConfigError, ConfigProblem};
use crate::hook::field::texts;
use crate::hook::hooks::{Due, Hook, Hooks};
use crate::hook::loading::Loading;
use crate::hook::matcher::RegexCompiler;
use crate::hook::notice::NoticeKind;
use crate::hook::re2;
use crate::hook::version::{ContractVersion, Part};
use crate::limit::Limits;
use rustc_hash::FxHashMap;
use std::sync::Arc;

mod implied;
mod spec;

/// The prefix of `hooks.d` files among the origins of contributions.
const DROP_IN: &str = "hooks.d/";

pub(super) fn load(source: &Source<'_>, options: &LoadOptions) -> Result<Loaded, ConfigError> {
    let node = source.json_or_yaml("not a docker-agent config: ")?;
    let problem = |why: String| source.problem(None, why);
    let settings = DockerAgentSettings::read(&options.settings).map_err(problem)?;
    if !settings.temp_dir.starts_with('/') {
        return Err(problem("settings: `temp_dir` must be an absolute path".to_owned()).into());
    }
    let mut loader = Loader {
        source,
        loading: Loading::new(options, Limits::hook),
        matchers: FxHashMap::default(),
        contract: options.contract.unwrap_or(ContractVersion::last("docker-agent", VERSIONS)),
        settings,
        agents: Vec::new(),
        evaluators: Evaluators::read(&node),
        specs: Vec::new(),
    };
    loader.document(&node);
    loader.routing(&node, !options.contributions.is_empty());
    loader.contributions(&options.contributions);
    loader.flags();
    loader.forgetting();
    loader.always();
    loader.finish()
}

/// A hook, read.
struct Spec {
    hook: Hook,
    extra: Extra,
    /// All its fields after defaults; equal texts are equal hooks (R20).
    fingerprint: String,
}

/// Where a list of hooks comes from.
#[derive(Clone, Default)]
struct Origin {
    /// The agent whose hooks they are; `None` is every agent.
    agent: Option<Arc<str>>,
    /// What their ids start with.
    prefix: String,
    /// Where evaluators send what they can not decide (`routing.default_agent`).
    default_route: Option<Arc<str>>,
}

/// What the hooks of one matcher entry, or of one flat event, have in common.
struct Group {
    event: EventName,
    matcher: Option<Matcher>,
    preempt: bool,
    origin: Origin,
    /// What the id is where the hook has no name; `None` is the hook's place.
    id: Option<String>,
}

struct Loader<'a> {
    source: &'a Source<'a>,
    loading: Loading<'a>,
    /// By their texts: most entries of a file have one of a few.
    matchers: FxHashMap<String, Matcher>,
    contract: ContractVersion,
    settings: DockerAgentSettings,
    agents: Vec<Arc<str>>,
    evaluators: Evaluators,
    specs: Vec<Spec>,
}

impl Loader<'_> {
    fn problem(&mut self, at: Option<usize>, message: impl Into<String>) {
        let problem = self.source.problem(at, message);
        self.loading.problems.push(problem);
    }

    fn expected(&mut self, node: &Node, path: &str, what: &str) {
        self.problem(node.at, format!("{path}: expected {what}, found {}", node.describe()));
    }

    fn warn(&mut self, at: Option<usize>, text: impl Into<String>) {
        let problem = self.source.problem(at, text);
        self.loading.notice(NoticeKind::Warning, None, problem);
    }

    fn has(&self, part: Part, name: &str) -> bool {
        self.contract.since(part, name).is_none()
    }

    fn document(&mut self, node: &Node) {
        match node.kind {
            NodeKind::Null => {}
            NodeKind::Object(_) if is_event_map(node) => self.event_map(node, &Origin::default()),
            NodeKind::Object(_) => {
                if let Some(agents) = node.get("agents") {
                    self.agents(agents);
                }
                self.agent(node, &Origin::default());
                // A file of the user's settings, whose hooks are every agent's.
                if let Some(hooks) = user_hooks(node) {
                    let origin = Origin { prefix: "settings.hooks:".to_owned(), ..Origin::default() };
                    if hooks.is_object() {
                        self.event_map(hooks, &origin);
                    } else {
                        self.expected(hooks, "settings.hooks", "a mapping of events");
                    }
                }
            }
            _ => self.expected(node, "config", "a mapping"),
        }
    }

    /// What only a whole agent file shows: its evaluators, and where hooks may send a conversation.
    fn routing(&mut self, file: &Node, has_more: bool) {
        if file.get("agents").is_none() || !self.has(Part::Kind, "evaluator") {
            return;
        }
        for fault in evaluator::faults(file).into_iter().chain(routing::faults(file, has_more)) {
            self.problem(fault.at, fault.message);
        }
    }

    fn agents(&mut self, node: &Node) {
        if !node.is_object() {
            return self.expected(node, "agents", "a mapping of agents by name");
        }
        let many = node.members().len() > 1;
        for member in node.members() {
            let name: Arc<str> = member.name.as_str().into();
            self.agents.push(Arc::clone(&name));
            let prefix = if many { format!("{name}.") } else { String::new() };
            let default_route = default_route(&member.value);
            let origin = Origin { agent: Some(name), prefix, default_route };
            match member.value.kind {
                NodeKind::Object(_) => self.agent(&member.value, &origin),
                NodeKind::Null => {}
                _ => self.expected(&member.value, &format!("agents.{}", member.name), "a mapping"),
            }
        }
    }

    /// One agent, or a document without agents: its hooks, then its flags.
    fn agent(&mut self, node: &Node, origin: &Origin) {
        for member in node.members().iter().filter(|member| member.name != "hooks") {
            if is_map_of_events(&member.value) {
                let name = &member.name;
                self.warn(member.at, format!("unknown field `{name}` is ignored: hooks stand under `hooks`"));
            }
        }
        if let Some(hooks) = node.get("hooks") {
            if hooks.is_object() {
                self.event_map(hooks, origin);
            } else {
                self.expected(hooks, "hooks", "a mapping of events");
            }
        }
        for (flag, event, name) in [
            ("add_date", EventName::TurnStart, "add_date"),
            ("add_environment_info", EventName::SessionStart, "add_environment_info"),
        ] {
            if self.flag(node, flag) {
                self.builtin(event, false, name, &[], origin);
            }
        }
        if let Some(files) = node.get("add_prompt_files") {
            match texts(files) {
                Some(names) if !names.is_empty() => {
                    self.builtin(EventName::TurnStart, false, "add_prompt_files", &names, origin);
                }
                Some(_) => {}
                None => self.expected(files, "add_prompt_files", "a list of strings"),
            }
        }
        if self.flag(node, "redact_secrets") {
            // Later releases redact before anything looks at the call.
            let of_call = if self.has(Part::Way, "redact_before_approval") {
                EventName::ToolInputTransform
            } else {
                EventName::PreToolUse
            };
            for event in [of_call, EventName::BeforeLlmCall, EventName::ToolResponseTransform] {
                self.builtin(event, false, "redact_secrets", &[], origin);
            }
        }
        if self.has_safer_shell(node) {
            self.builtin(EventName::PreToolUse, true, "safer_shell", &[], origin);
        }
    }

    fn has_safer_shell(&mut self, node: &Node) -> bool {
        let toolsets = node.get("toolsets").and_then(Node::as_array).unwrap_or_default();
        let shells =
            toolsets.iter().filter(|toolset| toolset.get("type").and_then(Node::as_str) == Some("shell"));
        let mut safer = false;
        for shell in shells {
            safer |= self.flag(shell, "safer");
        }
        safer
    }

    fn flag(&mut self, node: &Node, name: &str) -> bool {
        match node.get(name) {
            None => false,
            Some(Node { kind: NodeKind::Bool(value), .. }) => *value,
            Some(other) => {
                self.expected(other, name, "a boolean");
                false
            }
        }
    }

    fn event_map(&mut self, node: &Node, origin: &Origin) {
        for member in node.members() {
            let Some(event) = EventName::from_name(&member.name) else {
                self.problem(member.at, format!("hooks: unknown event '{}'", member.name));
                continue;
            };
            if let Some(since) = self.contract.since(Part::Event, event.name()) {
                self.problem(
                    member.at,
                    format!("hooks: unknown event '{}', which came with {since}", member.name),
                );
                continue;
            }
            match &member.value.kind {
                NodeKind::Null => {
                    self.warn(member.at, format!("hooks.{}: there are no hooks in it", event.name()));
                }
                _ if event.is_matched() => self.entries(event, &member.value, origin),
                NodeKind::Object(_) | NodeKind::Array(_) => {
                    let group =
                        Group { event, matcher: None, preempt: false, origin: origin.clone(), id: None };
                    self.hooks(&group, event.name(), &member.value);
                }
                _ => self.expected(&member.value, &format!("hooks.{}", event.name()), "a list of hooks"),
            }
        }
    }

    /// The matcher entries of an event (1.2).
    fn entries(&mut self, event: EventName, node: &Node, origin: &Origin) {
        let Some(entries) = node.as_array() else {
            return self.expected(node, &format!("hooks.{}", event.name()), "a list of matcher entries");
        };
        for (index, entry) in entries.iter().enumerate() {
            let path = format!("{}[{index}]", event.name());
            if !entry.is_object() {
                self.expected(entry, &format!("hooks.{path}"), "a mapping");
                continue;
            }
            let known = ["matcher", "preempt_yolo", "hooks"];
            for member in entry.members().iter().filter(|member| !known.contains(&member.name.as_str())) {
                self.warn(member.at, format!("hooks.{path}: unknown field `{}` is ignored", member.name));
            }
            let matcher = match self.matcher(entry, &path) {
                Ok(matcher) => matcher,
                Err(problem) => {
                    self.loading.problems.push(problem);
                    continue;
                }
            };
            let preempt = self.flag(entry, "preempt_yolo");
            if event != EventName::PreToolUse
                && entry.get("preempt_yolo").is_some()
                && self.has(Part::Way, "strict_config")
            {
                self.problem(entry.at, format!("hooks.{path}: preempt_yolo is only valid on pre_tool_use"));
                continue;
            }
            if preempt && event != EventName::PreToolUse {
                let text = format!("hooks.{path}: preempt_yolo has a meaning on pre_tool_use only, ignored");
                self.warn(entry.at, text);
            }
            let preempt = preempt && event == EventName::PreToolUse;
            let group = Group { event, matcher, preempt, origin: origin.clone(), id: None };
            match entry.get("hooks") {
                Some(hooks) if hooks.as_array().is_some_and(|hooks| !hooks.is_empty()) => {
                    self.hooks(&group, &format!("{path}.hooks"), hooks);
                }
                None | Some(Node { kind: NodeKind::Array(_), .. }) => {
                    self.problem(entry.at, format!("hooks.{path}: at least one hook is required"));
                }
                Some(other) => self.expected(other, &format!("hooks.{path}.hooks"), "a list of hooks"),
            }
        }
    }

    /// The expression is compiled alone first: a stray parenthesis must not escape the anchors.
    fn matcher(&mut self, entry: &Node, path: &str) -> Result<Option<Matcher>, ConfigProblem> {
        let Some(node) = entry.get("matcher") else { return Ok(None) };
        let Some(text) = node.as_str() else {
            let message = format!("hooks.{path}.matcher: expected a string, found {}", node.describe());
            return Err(self.source.problem(node.at, message));
        };
        if matches!(text, "" | "*") {
            return Ok(None);
        }
        if let Some(known) = self.matchers.get(text) {
            return Ok(Some(known.clone()));
        }
        let compiled = re2::rewrite(text).and_then(|text| {
            RegexCompiler::new(self.loading.limits.regex_bytes).compile(&text)?;
            self.loading.regexes.compile(&format!("^(?:{text})$"))
        });
        let regex = compiled.map_err(|why| {
            self.source.problem(node.at, format!("hooks.{path}: invalid matcher '{text}': {why}"))
        })?;
        let matcher = Matcher { text: text.into(), regex };
        self.matchers.insert(text.to_owned(), matcher.clone());
        Ok(Some(matcher))
    }

    /// A list of hooks, or one alone.
    fn hooks(&mut self, group: &Group, path: &str, node: &Node) {
        let one = std::slice::from_ref(node);
        for (index, node) in node.as_array().unwrap_or(one).iter().enumerate() {
            let (known, later) = self.contract.without_later(node);
            for (member, since) in later {
                let text = format!("unknown field `{}`, which came with {since}, is ignored", member.name);
                self.warn(member.at, format!("hooks.{path}[{index}]: {text}"));
            }
            match (spec::SpecReader { loader: self, group, path, index }).read(&known) {
                Ok((spec, warnings)) => {
                    for (at, warning) in warnings {
                        self.warn(at, format!("hooks.{path}[{index}]: {warning}"));
                    }
                    self.specs.push(spec);
                }
                Err(fault) => {
                    self.problem(fault.at.or(node.at), format!("hooks.{path}[{index}]{}", fault.message));
                }
            }
        }
    }

    fn builtin(&mut self, event: EventName, preempt: bool, name: &str, args: &[String], origin: &Origin) {
        let node = Node::from_value(&serde_json::json!({"type": "builtin", "command": name, "args": args}));
        let group =
            Group { event, matcher: None, preempt, origin: origin.clone(), id: Some(name.to_owned()) };
        self.hooks(&group, event.name(), &node);
    }

    /// User-level hooks come before drop-in files; these are sorted.
    fn contributions(&mut self, all: &[Contribution]) {
        let mut sorted: Vec<&Contribution> = all.iter().collect();
        sorted.sort_by_key(|contribution| {
            let is_drop_in = contribution.origin.starts_with(DROP_IN);
            (is_drop_in, if is_drop_in { contribution.origin.as_str() } else { "" })
        });
        for contribution in sorted {
            let origin = Origin { prefix: format!("{}:", contribution.origin), ..Origin::default() };
            for map in &contribution.hooks {
                let node = Node::from_value(map);
                let map = node.get("hooks").unwrap_or(&node);
                if map.is_object() {
                    self.event_map(map, &origin);
                } else {
                    self.expected(map, &contribution.origin, "a mapping of events");
                }
            }
        }
    }

    fn finish(mut self) -> Result<Loaded, ConfigError> {
        if let Some(wanted) = &self.settings.agent
            && !self.agents.is_empty()
            && !self.agents.iter().any(|agent| **agent == **wanted)
        {
            let message = format!("setting agent: the file has no agent '{wanted}'");
            self.problem(None, message);
        }
        let mut numbers: FxHashMap<String, usize> = FxHashMap::default();
        let mut due = Due::default();
        let mut hooks = Vec::new();
        // The preempt lane runs before the default one.
        for preempt in [true, false] {
            let lane = self.specs.iter().enumerate().filter(|(_, spec)| spec.extra.preempt == preempt);
            lane.for_each(|(index, spec)| due.add(spec.hook.event, index));
        }
        // Stage 0 comes up again, should the default lane rewrite the arguments (R32).
        let event = EventName::PreToolUse.name();
        let is_guard = |index: &&usize| self.specs.get(**index).is_some_and(|spec| spec.extra.preempt);
        let again: Vec<_> = due.at(event).iter().filter(is_guard).copied().collect();
        if again.len() < due.at(event).len() {
            for guard in again {
                due.add(event, guard);
            }
        }
        for mut spec in self.specs {
            let next = numbers.len();
            spec.extra.twin = *numbers.entry(spec.fingerprint).or_insert(next);
            hooks.push((spec.hook, spec.extra));
        }
        let is_redactor =
            |action: &Action| matches!(action, Action::Builtin { name, .. } if **name == *"redact_secrets");
        let redacts = hooks.iter().any(|(_, extra)| is_redactor(&extra.action));
        let default_agent = self.settings.agent.clone().or_else(|| {
            let root = self.agents.iter().find(|agent| ***agent == *"root");
            root.or(self.agents.first()).map(ToString::to_string)
        });
        let bundle = DockerAgentBundle {
            own_hooks: hooks.len().saturating_sub(implied::ALWAYS.len()),
            hooks: Hooks::new(hooks).with_due(due),
            redactor: redacts.then(builtin::Redactor::new),
            agents: self.agents,
            contract: self.contract,
            default_agent,
            settings: self.settings,
        };
        self.loading.loaded(bundle)
    }
}

/// The hooks of a file of the user's settings.
pub(in crate::hook) fn user_hooks(file: &Node) -> Option<&Node> {
    file.get("settings")?.get("hooks")
}

/// Whether a document is an event map without anything around it.
pub(in crate::hook) fn is_event_map(node: &Node) -> bool {
    node.get("hooks").is_none() && node.get("agents").is_none() && is_map_of_events(node)
}

fn is_map_of_events(node: &Node) -> bool {
    node.members().iter().any(|member| EventName::from_name(&member.name).is_some())
}

/// An agent without hooks shows the dialect too, by what stands for hooks.
pub(super) fn recognises(config: &Node) -> bool {
    let agents = config.get("agents").map_or(&[][..], Node::members);
    agents.iter().any(|agent| agent.value.get("hooks").is_some_and(Node::is_object))
        || config.get("hooks").is_some_and(has_hooks)
        || user_hooks(config).is_some_and(has_hooks)
        || (is_event_map(config) && has_hooks(config))
}

/// Whether an event of the map has hooks of this dialect, or none: other tools have events of the same names, but a hook here
/// has a type.
fn has_hooks(events: &Node) -> bool {
    let is_hook = |entry: &Node| entry.get("type").is_some() || entry.get("hooks").is_some();
    events.members().iter().filter(|member| EventName::from_name(&member.name).is_some()).any(|member| {
        let entries = member.value.as_array().unwrap_or(std::slice::from_ref(&member.value));
        entries.is_empty() || entries.iter().any(is_hook)
    })
}
