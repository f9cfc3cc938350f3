//! Reading and checking configs (1 of the contract).
//!
//! 1. The text is a settings file, a plug-in's `hooks.json`, or a Markdown file with YAML frontmatter; what else ships hooks
//!    comes as contributions whose origin says from where ([`HookSource::parse`]). Their hooks are concatenated (R1), the text's
//!    first.
//! 2. Each file is an event map of groups of handlers. A fault costs the handler, group or event that has it (R11); when a
//!    config is checked before it is saved, it is an error.
//! 3. The switches of all settings files are joined; then hooks that they, or the host's lack of trust, turn off are taken
//!    out (R2 to R4).
//! 4. Handlers that are equal in all fields get the same class; of a class one runs (R49).

mod handler;

use super::bundle::ClaudeBundle;
use super::event::EventName;
use super::hook::Extra;
use super::matcher::Matcher;
use super::placeholder::Places;
use super::request::HttpAllowList;
use super::settings::{ClaudeSettings, HookSource};
use crate::document::{Member, Node, NodeKind, Source as Text};
use crate::hook::contract::{LoadOptions, Loaded, Purpose};
use crate::hook::error::{ConfigError, ConfigProblem};
use crate::hook::field::{Fault, Fields};
use crate::hook::hooks::{Hook, Hooks};
use crate::hook::id::HookId;
use crate::hook::loading::Loading;
use crate::hook::notice::NoticeKind;
use crate::hook::version::Part;
use crate::limit::Limits;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use std::time::Duration;

/// What messages about the syntax of a text start with.
const PARSE_FAILED: &str = "hooks config parse failed: ";
/// The shared time of the hooks of `SessionEnd`, and how far a config may raise it (5.3).
const SESSION_END: Duration = Duration::from_millis(1500);
const LONGEST_SESSION_END: Duration = Duration::from_mins(1);

pub(super) fn load(text: &Text<'_>, options: &LoadOptions) -> Result<Loaded, ConfigError> {
    let settings = ClaudeSettings::of(options).map_err(|why| text.problem(None, why))?;
    let node = parse(text)?;
    let mut loader = Loader {
        text,
        settings: &settings,
        loading: Loading::new(options, Limits::hook),
        hooks: Vec::new(),
        switches: Switches::default(),
        classes: FxHashMap::default(),
        files: FxHashMap::default(),
        watched: Vec::new(),
    };
    let given = options.settings.contains_key("source");
    let source = if given {
        settings.source.clone()
    } else {
        HookSource::of_file(text.name, &node).unwrap_or(settings.source.clone())
    };
    loader.file(&source, &node, false);
    for contribution in &options.contributions {
        let source = HookSource::parse(&contribution.origin);
        for hooks in &contribution.hooks {
            loader.file(&source, &Node::from_value(hooks), true);
        }
    }
    loader.turn_off();
    let Loader { hooks, switches, mut loading, mut watched, .. } = loader;
    let budget = session_end_budget(&hooks, &settings);
    let mut seen = FxHashSet::default();
    watched.retain(|name| seen.insert(name.clone()));
    if !watched.is_empty() {
        let message = format!(
            "FileChanged hooks need these files of the working directory watched: {}",
            watched.join(", ")
        );
        let problem = ConfigProblem { file: String::new(), place: None, field: None, message };
        loading.notice(NoticeKind::Obligation, None, problem);
    }
    let http = HttpAllowList::new(switches.urls, switches.variables);
    let contract = options.contract;
    loading.loaded(ClaudeBundle { hooks: Hooks::new(hooks), settings, http, budget, contract })
}

/// JSON, YAML, or the YAML between the first two lines `---` of a Markdown file.
pub(super) fn parse(text: &Text<'_>) -> Result<Node, ConfigProblem> {
    let Some(start) =
        text.text.strip_prefix(b"---").filter(|rest| rest.starts_with(b"\n") || rest.starts_with(b"\r\n"))
    else {
        return text.json_or_yaml(PARSE_FAILED);
    };
    let offset = text.text.len().saturating_sub(start.len());
    let mut at = offset;
    for line in start.split_inclusive(|&byte| byte == b'\n') {
        if line.trim_ascii_end() == b"---" {
            let front = text.text.get(..at).unwrap_or_default();
            let read = |front: &[u8]| Text::new(text.name, front).yaml(PARSE_FAILED);
            return read(front).or_else(|problem| read(&with_plain_values(front)).map_err(|_| problem));
        }
        at = at.saturating_add(line.len());
    }
    text.yaml(PARSE_FAILED)
}

/// The frontmatter with values that YAML does not take as they stand (`description: Use it so. Example: x`), and that the platform
/// takes as texts, written over, so that every other byte keeps its place.
fn with_plain_values(front: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(front.len());
    for line in front.split_inclusive(|&byte| byte == b'\n') {
        let text = line.trim_ascii_end();
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let name = text.iter().take_while(|byte| is_name(byte)).count();
        let value =
            text.get(name..).and_then(|rest| rest.strip_prefix(b": ")).unwrap_or_default().trim_ascii_start();
        let is_special = |byte: &u8| b"{}[]*&#!|>%@`".contains(byte);
        let is_fault = name > 0
            && !matches!(value.first(), None | Some(b'"' | b'\'' | b'|' | b'>'))
            && (value.iter().any(is_special) || value.windows(2).any(|pair| pair == b": "));
        let kept = if is_fault { text.len().saturating_sub(value.len()) } else { line.len() };
        out.extend_from_slice(line.get(..kept).unwrap_or(line));
        if is_fault {
            out.resize(out.len().saturating_add(value.len()), b'x');
            out.extend_from_slice(line.get(text.len()..).unwrap_or_default());
        }
    }
    out
}

/// Whether it is the manifest of a plug-in: it has a name.
fn is_manifest(node: &Node) -> bool {
    node.get("name").is_some_and(|name| name.as_str().is_some())
}

/// 5.3: 1.5 s, or the longest time that a settings file gives one of the hooks, or what the host's environment says.
fn session_end_budget(hooks: &[(Hook, Extra)], settings: &ClaudeSettings) -> Duration {
    if let Some(millis) = settings.number("CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS") {
        return Duration::from_millis(millis);
    }
    let raising = hooks.iter().filter(|(_, extra)| {
        extra.event == EventName::SessionEnd && extra.has_timeout && extra.source.is_settings()
    });
    let longest = raising.map(|(hook, _)| hook.timeout.min(LONGEST_SESSION_END)).max();
    longest.map_or(SESSION_END, |longest| longest.max(SESSION_END))
}

/// What settings files say beside their hooks.
#[derive(Default)]
struct Switches {
    /// `disableAllHooks` of the file that wins so far, and that file's rank.
    disable: (u8, bool),
    managed_only: bool,
    urls: Option<Vec<String>>,
    variables: Option<Vec<String>>,
}

struct Loader<'a, 'o> {
    text: &'a Text<'a>,
    settings: &'a ClaudeSettings,
    loading: Loading<'o>,
    hooks: Vec<(Hook, Extra)>,
    switches: Switches,
    /// Canonical texts of handlers with the scope in which they are compared.
    classes: FxHashMap<Vec<u8>, usize>,
    /// How many files each source has had.
    files: FxHashMap<String, usize>,
    watched: Vec<String>,
}

/// The file that is being read.
struct File<'f> {
    source: &'f HookSource,
    /// What its hooks' ids start with.
    prefix: String,
    places: Places<'f>,
}

impl Loader<'_, '_> {
    fn notice(&mut self, kind: NoticeKind, hook: Option<HookId>, at: Option<usize>, text: &str) {
        let problem = self.text.problem(at, text);
        self.loading.notice(kind, hook, problem);
    }

    /// The version that brought something, where the one that holds lacks it.
    fn since(&self, part: Part, name: &str) -> Option<&'static str> {
        self.loading.options.contract?.since(part, name)
    }

    fn warn(&mut self, hook: &HookId, at: Option<usize>, text: &str) {
        self.notice(NoticeKind::Warning, Some(hook.clone()), at, &format!("{hook}: {text}"));
    }

    /// R11.
    fn fault(&mut self, fault: &Fault) {
        let more = if self.loading.options.purpose == Purpose::Save { "" } else { "; skipped" };
        let problem = self.text.problem(fault.at, format!("{}{more}", fault.message));
        self.loading.left_out(None, problem);
    }

    /// `is_part`: it is handed in beside the text, and may be the map of events that a manifest has under `hooks`.
    fn file(&mut self, source: &HookSource, node: &Node, is_part: bool) {
        let name = source.name();
        let count = self.files.entry(name.clone()).or_default();
        *count = count.saturating_add(1);
        let prefix = if *count == 1 { name } else { format!("{name}#{count}") };
        if !node.is_object() {
            if !matches!(node.kind, NodeKind::Null) {
                self.fault(&Fault::wrong_type(node, "config", "an object"));
            }
            return;
        }
        if source.is_settings() {
            self.switches(source, node);
        }
        let is_event = |member: &Member| EventName::from_name(&member.name).is_some();
        for member in node.members() {
            if member.name != "hooks" && member.value.members().iter().any(is_event) {
                let text = format!("unknown field `{}` is ignored: hooks stand under `hooks`", member.name);
                self.notice(NoticeKind::Warning, None, member.at, &text);
            }
        }
        let whole = (is_part && !source.is_settings()).then_some(node);
        let Some(hooks) = node.get("hooks").or(whole) else {
            if let Some(event) = node.members().iter().find(|member| is_event(member)) {
                let text =
                    format!("{}: hooks stand under `hooks`: {{\"hooks\": {{\"{0}\": [...]}}}}", event.name);
                self.fault(&Fault::new(event.at, text));
            }
            return;
        };
        let places = Places::new(self.settings, source);
        let file = File { source, prefix, places };
        // A frontmatter has a name, too.
        let is_manifest = is_manifest(node) && !matches!(source, HookSource::Agent(_) | HookSource::Skill(_));
        match (&hooks.kind, hooks.as_array()) {
            // The manifest of a plug-in may name files, or list files and maps.
            (NodeKind::String(_), _) if is_manifest => self.part(&file, hooks),
            (_, Some(parts)) if is_manifest => parts.iter().for_each(|part| self.part(&file, part)),
            _ => self.part(&file, hooks),
        }
    }

    /// A map of events, or the name of a file that has one.
    fn part(&mut self, file: &File<'_>, part: &Node) {
        if let (Some(path), HookSource::Plugin(_)) = (part.as_str(), file.source) {
            let text = format!("hooks: those of the file `{path}` are not read from here: load that file");
            self.notice(NoticeKind::Dropped, None, part.at, &text);
            return;
        }
        if !part.is_object() {
            self.fault(&Fault::wrong_type(part, "hooks", "an object"));
            return;
        }
        let nested = part.get("hooks").filter(|nested| nested.is_object());
        for member in nested.unwrap_or(part).members() {
            self.event(file, member);
        }
    }

    /// The switches of a settings file (1.1).
    fn switches(&mut self, source: &HookSource, node: &Node) {
        if let Some(disable) = self.switch(node, "disableAllHooks")
            && source.rank() >= self.switches.disable.0
        {
            self.switches.disable = (source.rank(), disable);
        }
        let managed_only = self.switch(node, "allowManagedHooksOnly");
        match (managed_only, source) {
            (Some(on), HookSource::Managed) => self.switches.managed_only |= on,
            (Some(true), _) => {
                let text = "allowManagedHooksOnly counts in managed settings only; ignored";
                self.notice(NoticeKind::Warning, None, node.at, text);
            }
            _ => {}
        }
        if let Some(urls) = self.texts(node, "allowedHttpHookUrls") {
            self.switches.urls.get_or_insert_default().extend(urls);
        }
        if let Some(names) = self.texts(node, "httpHookAllowedEnvVars") {
            self.switches.variables.get_or_insert_default().extend(names);
        }
    }

    fn switch(&mut self, node: &Node, name: &str) -> Option<bool> {
        Fields { node, prefix: "" }.boolean(name).unwrap_or_else(|fault| {
            self.fault(&fault);
            None
        })
    }

    /// A list of strings. One that is faulty allows nothing: an allow-list that cannot be read must not be as none.
    fn texts(&mut self, node: &Node, name: &str) -> Option<Vec<String>> {
        Fields { node, prefix: "" }.texts(name).unwrap_or_else(|fault| {
            self.fault(&fault);
            Some(Vec::new())
        })
    }

    fn event(&mut self, file: &File<'_>, member: &Member) {
        let path = format!("hooks.{}", member.name);
        let Some(event) = EventName::from_name(&member.name) else {
            if handler::is_comment(&member.name) {
                self.notice(NoticeKind::Warning, None, member.at, &format!("{path}: a comment, ignored"));
            } else {
                // It may be of a version to come: no error, also when it is saved.
                self.notice(NoticeKind::Dropped, None, member.at, &format!("{path}: unknown event; skipped"));
            }
            return;
        };
        if let Some(since) = self.since(Part::Event, event.name()) {
            let text = format!("{path}: unknown event, which came with {since}; skipped");
            self.notice(NoticeKind::Dropped, None, member.at, &text);
            return;
        }
        // 1.1: in a subagent's frontmatter the end of the turn is the subagent's.
        let event = match (event, file.source) {
            (EventName::Stop, HookSource::Agent(_)) => EventName::SubagentStop,
            _ => event,
        };
        let Some(groups) = member.value.as_array() else {
            self.fault(&Fault::wrong_type(&member.value, &path, "a list"));
            return;
        };
        for (index, group) in groups.iter().enumerate() {
            if let Err(fault) = self.group(file, event, index, group, &format!("{path}[{index}]")) {
                self.fault(&fault);
            }
        }
    }

    fn group(
        &mut self,
        file: &File<'_>,
        event: EventName,
        index: usize,
        group: &Node,
        path: &str,
    ) -> Result<(), Fault> {
        let prefix = format!("{path}.");
        let read = Fields::new(group, &prefix)?.text("matcher");
        if let Err(fault) = &read {
            // Its handlers do not run; what is wrong with them is told all the same.
            self.fault(fault);
        }
        let is_faulty = read.is_err();
        let matcher = read.ok().flatten().unwrap_or_default();
        let at = group.get("matcher").and_then(|node| node.at);
        for member in handler::unknown(group, &["matcher", "hooks"]) {
            let text = format!("{path}: unknown field `{}` is ignored", member.name);
            self.notice(NoticeKind::Warning, None, member.at, &text);
        }
        let path = format!("{path}.hooks");
        let Some(hooks) = group.get("hooks") else {
            let hint = if group.get("type").is_some() || group.get("command").is_some() {
                ": a handler stands in the list `hooks` of a group, as in {\"hooks\": [{\"type\": \"command\", …}]}"
            } else {
                ""
            };
            return Err(Fault::new(group.at, format!("{path}: missing{hint}")));
        };
        let Some(handlers) = hooks.as_array() else {
            return Err(Fault::wrong_type(hooks, &path, "a list"));
        };
        if event == EventName::FileChanged {
            let names = matcher.split('|').map(str::trim).filter(|name| !matches!(*name, "" | "*"));
            self.watched.extend(names.map(str::to_owned));
        }
        let (compiled, mut never) = Matcher::read(matcher, event, &mut self.loading.regexes);
        let compiled = Arc::new(compiled);
        for (place, node) in handlers.iter().enumerate() {
            let id = HookId::from(format!("{}:{}_{index}_{place}", file.prefix, event.name()));
            if let Some(why) = never.take() {
                self.warn(&id, at, &why);
            }
            match self.handler(file, event, node, id, &compiled, &format!("{path}[{place}]")) {
                Ok(_) if is_faulty => {}
                Ok((hook, mut extra)) => {
                    if !matcher.is_empty() {
                        extra.matcher_text = Some(matcher.to_owned());
                    }
                    self.hooks.push((hook, extra));
                }
                Err(faults) => faults.iter().for_each(|fault| self.fault(fault)),
            }
        }
        Ok(())
    }

    /// The class of a handler: equal for equal handlers of settings files, or of one plug-in, skill or agent (R49).
    fn class(&mut self, source: &HookSource, handler: &Node) -> usize {
        let mut key = if source.is_settings() { Vec::new() } else { source.name().into_bytes() };
        key.push(0);
        crate::hook::json::append_sorted(&mut key, &handler.to_value());
        let next = self.classes.len();
        *self.classes.entry(key).or_insert(next)
    }

    /// R2 to R4. R3 names settings files and plug-ins; what skills and agents bring is not managed either and goes with
    /// them.
    fn turn_off(&mut self) {
        let (rank, disabled) = self.switches.disable;
        let all = disabled && rank == HookSource::Managed.rank();
        let managed_only = self.switches.managed_only;
        let trusted = self.settings.trusted;
        let why = |source: &HookSource| match source {
            _ if all => Some("disableAllHooks is set in managed settings"),
            HookSource::Managed => None,
            _ if disabled => Some("disableAllHooks is set"),
            _ if managed_only => Some("allowManagedHooksOnly is set"),
            HookSource::Project | HookSource::Local if !trusted => Some("the workspace is not trusted"),
            _ => None,
        };
        let mut muted = Vec::new();
        self.hooks.retain(|(hook, extra)| {
            let why = why(&extra.source);
            muted.extend(why.map(|why| (hook.id.clone(), why)));
            why.is_none()
        });
        for (id, why) in muted {
            self.notice(NoticeKind::Muted, Some(id.clone()), None, &format!("{id} does not run: {why}"));
        }
    }
}
