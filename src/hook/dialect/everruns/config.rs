//! Reading and checking a config (1 of the contract).
//!
//! Three shapes are taken: a host document with `capabilities`, the bare config of `user_hooks`, and a bundle file; beside
//! them the declarative bundle (R16). All end as lists of specs with an origin. Each spec is read ([`spec`]), gets its id
//! from its origin (R12, R13), and is kept, dropped with a warning, or an error, as the purpose says (R9, R10).

use super::bundle::{EverrunsBundle, Extra, USER};
use super::event::EventName;
use super::log;
use super::payload::Variables;
use super::settings::SETTINGS;
use crate::document::{Node, NodeKind, Source};
use crate::hook::contract::{LoadOptions, Loaded, Purpose};
use crate::hook::error::ConfigError;
use crate::hook::field::{Fault, Fields};
use crate::hook::hooks::{Hook, Hooks};
use crate::hook::id::HookId;
use crate::hook::loading::Loading;
use crate::hook::notice::{Notice, NoticeKind};
use crate::limit::Limits;
use rustc_hash::{FxHashMap, FxHashSet};

mod spec;

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

pub(super) fn load(source: &Source<'_>, options: &LoadOptions) -> Result<Loaded, ConfigError> {
    if let Some(name) = options.settings.keys().next() {
        let known: Vec<_> = SETTINGS.iter().map(|row| row.name).collect();
        let known = known.join(", ");
        let why =
            format!("settings: unknown name `{name}`: what there is are fields of the options ({known})");
        return Err(source.problem(None, why).into());
    }
    let node = source.json(PARSE_FAILED)?;
    let loading = Loading::new(options, Limits::everruns);
    let mut loader = Loader { source, loading, specs: Vec::new(), muted: FxHashSet::default() };
    loader.document(&node).map_err(|fault| fault.of(source))?;
    loader.finish()
}

/// What every message about the shape of a config starts with.
const PARSE_FAILED: &str = "user_hooks config parse failed: ";

/// A fault of the config's shape.
fn of_shape(mut fault: Fault) -> Fault {
    fault.message.insert_str(0, PARSE_FAILED);
    fault
}

/// Who ships a list of specs.
#[derive(Clone, Copy)]
enum Origin<'a> {
    User,
    Capability(&'a str),
}

/// What is wrong with a spec.
enum SpecFault {
    /// Its shape.
    Shape(Fault),
    /// A value that is not allowed.
    Value(Fault),
}

impl From<Fault> for SpecFault {
    fn from(fault: Fault) -> Self {
        Self::Shape(fault)
    }
}

/// A spec, read.
struct Spec {
    hook: Hook,
    extra: Extra,
    at: Option<usize>,
}

struct Loader<'a> {
    source: &'a Source<'a>,
    loading: Loading<'a>,
    specs: Vec<Spec>,
    /// Ids.
    muted: FxHashSet<String>,
}

impl Loader<'_> {
    fn notice(&mut self, kind: NoticeKind, hook: Option<HookId>, at: Option<usize>, text: &str) {
        let log = match (&hook, kind) {
            (Some(hook), NoticeKind::Muted) => Some(log::muted(hook)),
            (Some(hook), NoticeKind::Dropped | NoticeKind::Warning) => Some(log::warning(hook, text)),
            _ => None,
        };
        let problem = self.source.problem(at, text);
        self.loading.notices.push(Notice { log, ..Notice::new(kind, hook, problem) });
    }

    fn problem(&mut self, fault: Fault) {
        self.loading.problems.push(fault.of(self.source));
    }

    fn document(&mut self, node: &Node) -> Result<(), Fault> {
        if node.get("capabilities").is_some() {
            return self.capabilities(Fields { node, prefix: "" });
        }
        self.contributions(|_| true);
        match node.get("definition") {
            Some(node) => self.definition(Fields { node, prefix: "definition." }),
            None => self.user_config(node, ""),
        }
    }

    /// A host document. What is shipped by a capability that the document does not list is a dependency and comes first
    /// (R38).
    fn capabilities(&mut self, document: Fields<'_, '_>) -> Result<(), Fault> {
        let entries = document.list("capabilities", "an array").map_err(of_shape)?;
        let reference = |entry: &Node| entry.get("ref").and_then(Node::as_str).map(str::to_owned);
        let listed: FxHashSet<_> = entries.iter().filter_map(reference).collect();
        self.contributions(|origin| !listed.contains(origin));
        for (index, entry) in entries.iter().enumerate() {
            let Some(name) = reference(entry) else {
                let why = format!("capabilities[{index}]: missing field `ref`");
                return Err(of_shape(Fault::new(entry.at, why)));
            };
            match entry.get("config") {
                _ if name != CAPABILITY.id => self.contributions(|origin| origin == name),
                Some(config) => self.user_config(config, &format!("capabilities[{index}].config."))?,
                None => self.gate(entry.at)?,
            }
        }
        Ok(())
    }

    /// Adds what the host says other capabilities ship (R15).
    fn contributions(&mut self, is_wanted: impl Fn(&str) -> bool) {
        let all = &self.loading.options.contributions;
        for contribution in all.iter().filter(|contribution| is_wanted(&contribution.origin)) {
            let specs: Vec<_> = contribution.hooks.iter().map(Node::from_value).collect();
            self.specs(Origin::Capability(&contribution.origin), &specs);
        }
    }

    /// R50.
    fn gate(&self, at: Option<usize>) -> Result<(), Fault> {
        if self.loading.options.may_assign_high_risk {
            return Ok(());
        }
        let Capability { id, risk, .. } = CAPABILITY;
        let message =
            format!("the capability `{id}` is of risk {risk} and may be assigned by administrators only");
        Err(Fault::new(at, message))
    }

    /// The config of `user_hooks` itself (1.2).
    fn user_config(&mut self, node: &Node, path: &str) -> Result<(), Fault> {
        self.gate(node.at)?;
        if matches!(node.kind, NodeKind::Null) {
            return Ok(());
        }
        Fields::new(node, if path.is_empty() { "config" } else { path }).map_err(of_shape)?;
        self.check_size(node)?;
        let fields = Fields { node, prefix: path };
        for member in fields.unknown(&["hooks", "disabled_contributions"]) {
            let name = &member.name;
            let why = format!("unknown field `{name}`, expected `hooks` or `disabled_contributions`");
            let fault = of_shape(Fault::new(member.at, why));
            match self.loading.options.purpose {
                Purpose::Save => self.problem(fault),
                Purpose::Run => {
                    self.notice(NoticeKind::Warning, None, fault.at, &format!("{}; ignored", fault.message));
                }
            }
        }
        let muted = fields.list("disabled_contributions", "an array").map_err(of_shape)?;
        for (index, id) in muted.iter().enumerate() {
            let path = format!("disabled_contributions[{index}]");
            let text = id.as_str().ok_or_else(|| of_shape(fields.wrong_type(id, &path, "a string")))?;
            self.muted.insert(text.to_owned());
        }
        let specs = fields.list("hooks", "an array").map_err(of_shape)?;
        let known = self.loading.problems.len();
        self.specs(Origin::User, specs);
        if specs.len() > MOST_HOOKS {
            self.too_many(known, fields.at("hooks"), specs.len());
        }
        Ok(())
    }

    /// A config that is too large is not looked at before it is saved. What was saved before runs.
    fn check_size(&self, node: &Node) -> Result<(), Fault> {
        // Shorter in its own text, it is not much longer in another.
        let is_short = self.source.text.len() <= MOST_CONFIG_BYTES / 2;
        if self.loading.options.purpose == Purpose::Run || is_short {
            return Ok(());
        }
        let bytes = node.to_value().to_string().len();
        if bytes <= MOST_CONFIG_BYTES {
            return Ok(());
        }
        let message = format!("user_hooks config is {bytes} bytes; maximum is {MOST_CONFIG_BYTES}");
        Err(Fault::new(node.at, message))
    }

    /// Too many hooks come after faults of the shape and before those of values.
    fn too_many(&mut self, known: usize, at: Option<usize>, count: usize) {
        let message = format!("user_hooks.hooks has {count} entries; maximum is {MOST_HOOKS}");
        if self.loading.options.purpose == Purpose::Run {
            return self.notice(NoticeKind::Warning, None, at, &message);
        }
        let mut found = self.loading.problems.split_off(known);
        found.retain(|problem| problem.message.starts_with(PARSE_FAILED));
        if found.is_empty() {
            self.problem(Fault::new(at, message));
        }
        self.loading.problems.extend(found);
    }

    /// R16: `definition.name` takes the place of a capability id.
    fn definition(&mut self, fields: Fields<'_, '_>) -> Result<(), Fault> {
        let specs = fields.list("user_hooks", "an array").map_err(of_shape)?;
        let at = fields.at("user_hooks");
        if fields.node.get("user_hooks").is_none() {
            return Ok(());
        }
        if !self.loading.options.declarative_bundles {
            self.notice(NoticeKind::Warning, None, at, "definition.user_hooks is ignored");
            return Ok(());
        }
        self.gate(at)?;
        let why = match fields.node.get("name").and_then(Node::as_str) {
            Some("" | USER) => "definition.name: empty or reserved",
            Some(name) => {
                self.specs(Origin::Capability(name), specs);
                return Ok(());
            }
            None => "definition: missing field `name`",
        };
        Err(of_shape(Fault::new(fields.node.at, why)))
    }

    fn specs(&mut self, origin: Origin<'_>, nodes: &[Node]) {
        for (index, node) in nodes.iter().enumerate() {
            let id = spec::resolve_id(origin, index, node);
            match spec::read(id.clone(), node, &mut self.loading) {
                Ok((hook, extra, warnings)) => {
                    for warning in warnings {
                        self.notice(NoticeKind::Warning, Some(id.clone()), node.at, &warning);
                    }
                    self.specs.push(Spec { hook, extra, at: node.at });
                }
                Err(fault) => self.faulty(origin, index, id, fault),
            }
        }
    }

    fn faulty(&mut self, origin: Origin<'_>, index: usize, id: HookId, fault: SpecFault) {
        let (Fault { at, message }, is_value) = match fault {
            SpecFault::Shape(fault) => (fault, false),
            SpecFault::Value(fault) => (fault, true),
        };
        let message = match origin {
            Origin::User if is_value => format!("user_hooks.hooks[{index}]: {message}"),
            Origin::User => format!("{PARSE_FAILED}hooks[{index}]{message}"),
            Origin::Capability(id) if is_value => format!("{id} hooks[{index}]: {message}"),
            Origin::Capability(id) => format!("{id} hooks[{index}]{message}"),
        };
        if self.loading.options.purpose == Purpose::Save && matches!(origin, Origin::User) {
            return self.problem(Fault { at, message });
        }
        self.notice(NoticeKind::Dropped, Some(id), at, &format!("hook dropped: {message}"));
    }

    fn finish(mut self) -> Result<Loaded, ConfigError> {
        self.warn_of_doubles();
        let specs = std::mem::take(&mut self.specs);
        let is_muted = |spec: &Spec| self.muted.contains(spec.hook.id.as_str());
        let (off, on): (Vec<_>, Vec<_>) = specs.into_iter().partition(is_muted);
        for Spec { hook, at, .. } in off {
            self.notice(NoticeKind::Muted, Some(hook.id), at, "hook muted by disabled_contributions");
        }
        let hooks = Hooks::new(on.into_iter().map(|spec| (spec.hook, spec.extra)));
        if !hooks.due(EventName::UserPromptSubmit.name()).is_empty() {
            let text = "a user_prompt_submit hook exists: tools that read the stored prompt must be hidden from the model";
            self.notice(NoticeKind::Obligation, None, None, text);
        }
        let variables = Variables::new(self.loading.options.variable_prefix.as_deref());
        self.loading.loaded(EverrunsBundle { hooks, variables })
    }

    /// One warning for each id that more than one hook has; all of them run.
    fn warn_of_doubles(&mut self) {
        let mut seen: FxHashMap<HookId, usize> = FxHashMap::default();
        let mut doubles = Vec::new();
        for Spec { hook, at, .. } in &self.specs {
            let count = seen.entry(hook.id.clone()).or_default();
            *count += 1;
            if *count == 2 {
                doubles.push((hook.id.clone(), *at));
            }
        }
        for (id, at) in doubles {
            let text = format!("more than one hook has the id {id}; all run, and muting it mutes all");
            self.notice(NoticeKind::Warning, Some(id), at, &text);
        }
    }
}
