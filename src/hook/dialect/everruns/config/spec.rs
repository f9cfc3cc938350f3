//! One hook spec (1.3 to 1.5 of the contract): types first, then values, in the order of the contract's table; the first
//! fault is the one that is told.

use super::{Origin, SpecFault};
use crate::document::Node;
use crate::hook::dialect::everruns::bundle::{Extra, Matcher, OnError, USER, hook_id};
use crate::hook::dialect::everruns::event::EventName;
use crate::hook::dialect::everruns::payload::safe_id;
use crate::hook::field::{Fault, Fields};
use crate::hook::hooks::{Handler, Hook};
use crate::hook::id::HookId;
use crate::hook::json::append_json;
use crate::hook::loading::Loading;
use crate::hook::matcher::{ArgumentPattern, NamePattern, Regex, RegexCompiler, no_character_of_a_name};
use crate::hook::script::{Capture, HookIdentity, Shell};
use crate::hook::word::Word;
use crate::text::Text;
use rustc_hash::FxHashMap;
use std::time::Duration;

/// Standard output and standard error together, in bytes (5.2).
const OUTPUT_CAP: u64 = 65_536;
const MOST_VARIABLES: usize = 16;
/// Bytes of a text of a matcher.
const MOST_MATCHER_BYTES: usize = 2048;
/// Milliseconds.
const TIMEOUTS: std::ops::RangeInclusive<i128> = 100..=30_000;
const DEFAULT_TIMEOUT: i128 = 5_000;
/// `source` is the loader's own: what a spec says there is overwritten (R13).
const FIELDS: [&str; 8] =
    ["id", "event", "matcher", "executor", "timeout_ms", "on_error", "description", "source"];
const MATCHER_FIELDS: [&str; 5] =
    ["tool_name", "tool_name_glob", "args_jsonpath", "match_regex", "deny_regex"];

/// R12. A spec too broken to have a name or an event gets its place in the list.
pub(super) fn resolve_id(origin: Origin<'_>, index: usize, node: &Node) -> HookId {
    let text = |name: &str| node.get(name).and_then(Node::as_str);
    let origin = match origin {
        Origin::User => USER,
        Origin::Capability(id) => id,
    };
    hook_id(origin, text("id"), text("event").unwrap_or("hook"), index).into()
}

/// A hook, and what to warn of.
pub(super) fn read(
    id: HookId,
    node: &Node,
    loading: &mut Loading<'_>,
) -> Result<(Hook, Extra, Vec<String>), SpecFault> {
    let spec = Spec::read(node)?;
    let matcher = spec.checked_matcher(&mut loading.regexes).map_err(SpecFault::Value)?;
    let mut warnings = spec.unknown_fields();
    if matcher.argument.as_ref().is_some_and(Result::is_err) {
        warnings.push("the matcher never fires: it has a regex but no args_jsonpath".to_owned());
    }
    warnings.extend(spec.name_warnings());
    warnings.extend(spec.command_warnings(loading.limits.script_bytes));
    let mut id_json = Vec::new();
    append_json(&mut id_json, id.as_str());
    let extra = Extra {
        matcher,
        on_error: spec.on_error,
        environment: spec.environment,
        id_json,
        safe_id: safe_id(id.as_str()),
    };
    let timeout = Duration::from_millis(u64::try_from(spec.timeout_ms).unwrap_or(0));
    let capture = Capture { total: OUTPUT_CAP, ..Capture::of_each(OUTPUT_CAP) };
    let handler = Handler::script(spec.command.to_owned(), Shell::Bash);
    let hook = Hook {
        cwd: Some(Text::from_static(b"/workspace")),
        inherit_environment: false,
        identity: Some(HookIdentity {
            user: Text::from_static(b"everruns"),
            host: Text::from_static(b"everruns-hook"),
        }),
        description: spec.description,
        ..Hook::new(id, spec.event.name(), handler, timeout, &loading.limits, capture)
    };
    Ok((hook, extra, warnings))
}

/// A spec whose types are right.
struct Spec<'n> {
    fields: Fields<'n, 'static>,
    event: EventName,
    matcher: Option<Fields<'n, 'static>>,
    executor: Fields<'n, 'static>,
    command: &'n str,
    /// Names are unique, and the last value of equal ones counts.
    environment: Vec<(Text, Text)>,
    timeout_ms: i128,
    on_error: OnError,
    description: Option<String>,
}

impl<'n> Spec<'n> {
    fn read(node: &'n Node) -> Result<Self, Fault> {
        let fields = Fields::new(node, ".")?;
        fields.text("id")?;
        required(node, "", "event")?;
        let event = fields.text("event")?.unwrap_or_default();
        let event = EventName::from_name(event).ok_or_else(|| {
            let reserved =
                ["pre_model_call", "post_model_call", "subagent_stop", "pre_compact", "notification"];
            unknown(fields, "event", "event", &reserved, &EventName::all_names())
        })?;
        let matcher = fields.object("matcher")?.map(|node| Fields { node, prefix: ".matcher." });
        for field in MATCHER_FIELDS {
            matcher.map_or(Ok(None), |matcher| matcher.text(field))?;
        }
        let executor = Fields::new(required(node, "", "executor")?, ".executor.")?;
        required(executor.node, ".executor", "type")?;
        if executor.text("type")? != Some("bash") {
            return Err(unknown(
                executor,
                "type",
                "executor type",
                &["webhook", "wasm", "blueprint"],
                "bash",
            ));
        }
        required(executor.node, ".executor", "command")?;
        let command = executor.text("command")?.unwrap_or_default();
        let mut environment: Vec<(Text, Text)> = Vec::new();
        let mut places = FxHashMap::default();
        for (member, value) in executor.text_members("env")? {
            let place = *places.entry(&member.name).or_insert(environment.len());
            match environment.get_mut(place) {
                Some((_, old)) => *old = Text::from(value),
                None => environment.push((Text::from(member.name.as_str()), Text::from(value))),
            }
        }
        let unknown_policy = |found: &str| {
            let why = format!("unknown variant `{found}`, expected one of: {}", OnError::NAMES.join(", "));
            fields.fault("on_error", &why)
        };
        Ok(Self {
            fields,
            event,
            matcher,
            executor,
            command,
            environment,
            timeout_ms: fields.integer("timeout_ms")?.unwrap_or(DEFAULT_TIMEOUT),
            on_error: fields.word("on_error", unknown_policy)?.unwrap_or(OnError::Warn),
            description: fields.text("description")?.map(str::to_owned),
        })
    }

    /// A text of the matcher, and its place.
    fn of_matcher(&self, name: &str) -> Option<(&'n str, Option<usize>)> {
        let node = self.matcher?.node.get(name)?;
        Some((node.as_str()?, node.at))
    }

    /// The rows of 1.5, in the order in which the product checks them.
    fn checked_matcher(&self, regexes: &mut RegexCompiler) -> Result<Matcher, Fault> {
        let fields = self.fields;
        if !TIMEOUTS.contains(&self.timeout_ms) {
            let message = format!("hook timeout_ms {} is out of range (100..=30000)", self.timeout_ms);
            return Err(Fault::new(fields.at("timeout_ms"), message));
        }
        if !self.event.row().tool && MATCHER_FIELDS.iter().any(|name| self.of_matcher(name).is_some()) {
            let message = format!("hook event `{}` does not accept a matcher", self.event.name());
            return Err(Fault::new(fields.at("matcher"), message));
        }
        if self.command.trim().is_empty() {
            return Err(Fault::new(self.executor.at("command"), "hook bash command is empty"));
        }
        if self.environment.len() > MOST_VARIABLES {
            let message = format!("hook has more than {MOST_VARIABLES} env vars");
            return Err(Fault::new(self.executor.at("env"), message));
        }
        for name in MATCHER_FIELDS {
            if let Some((_, at)) = self.of_matcher(name).filter(|(text, _)| text.len() > MOST_MATCHER_BYTES) {
                let message =
                    format!("hook matcher field `{name}` is longer than {MOST_MATCHER_BYTES} bytes");
                return Err(Fault::new(at, message));
            }
        }
        let regex = self.regex(regexes)?;
        let glob = self.of_matcher("tool_name_glob").map(|(glob, at)| {
            let message = format!("hook tool_name_glob `{glob}` contains unsupported syntax");
            NamePattern::parse_prefixes(glob).ok_or_else(|| Fault::new(at, message))
        });
        let name = self.of_matcher("tool_name").map(|(name, _)| NamePattern::Exact(name.to_owned()));
        let path = self.of_matcher("args_jsonpath").map(|(path, _)| ArgumentPattern::parse_path(path));
        let argument = match (path, regex) {
            (None, None) => None,
            (Some(path), regex) => Some(Ok(ArgumentPattern { path, regex })),
            (None, Some(_)) => Some(Err("R6: a regex without args_jsonpath never fires")),
        };
        Ok(Matcher { names: name.into_iter().chain(glob.transpose()?).collect(), argument })
    }

    fn regex(&self, regexes: &mut RegexCompiler) -> Result<Option<Regex>, Fault> {
        let (found, denied) = (self.of_matcher("match_regex"), self.of_matcher("deny_regex"));
        if let (Some(_), Some((_, at))) = (found, denied) {
            return Err(Fault::new(at, "hook has both match_regex and deny_regex set; choose one"));
        }
        let Some((regex, at)) = found.or(denied) else { return Ok(None) };
        let fault = |why| Fault::new(at, format!("hook regex `{regex}` failed to compile: {why}"));
        regexes.compile(regex).map(Some).map_err(fault)
    }

    /// Names that were meant as patterns.
    fn name_warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if let Some((name, _)) = self.of_matcher("tool_name")
            && let Some(letter) = no_character_of_a_name(name)
        {
            warnings.push(format!(
                "tool_name `{name}` is compared as it is, and no tool has `{letter}` in its name; use tool_name_glob"
            ));
        }
        if let Some((path, _)) = self.of_matcher("args_jsonpath") {
            let is_odd = |letter: char| !letter.is_alphanumeric() && !matches!(letter, '_' | '-' | ' ');
            if let Some(key) = ArgumentPattern::parse_path(path).iter().find(|key| key.contains(is_odd)) {
                warnings.push(format!(
                    "args_jsonpath `{path}` is a path of names with dots between, and `{key}` is one of the names"
                ));
            }
        }
        warnings
    }

    /// R53, and a command that no run will accept.
    fn command_warnings(&self, most_bytes: u64) -> Vec<String> {
        let mut warnings = Vec::new();
        let first = self.command.split_whitespace().next().unwrap_or("").trim_matches(['"', '\'']);
        let is_relative = first.contains('/') && !first.starts_with('/');
        if is_relative || first.starts_with("/workspace/") {
            warnings.push(format!(
                "the script `{first}` is read when the hook runs: who can write that file controls the hook"
            ));
        }
        if self.command.len() as u64 > most_bytes {
            warnings.push(format!("the command is longer than {most_bytes} bytes, every run will fail"));
        }
        warnings
    }

    fn unknown_fields(&self) -> Vec<String> {
        let own = |prefix| Fields { prefix, ..self.fields };
        let told = |fields: Fields<'n, 'static>, known: &'static [&str]| {
            let path = move |name: &str| format!("unknown field `{}` is ignored", fields.path(name));
            fields.unknown(known).map(move |member| path(&member.name)).collect::<Vec<_>>()
        };
        let mut all = told(own(""), &FIELDS);
        all.extend(
            self.matcher
                .iter()
                .flat_map(|fields| told(Fields { prefix: "matcher.", ..*fields }, &MATCHER_FIELDS)),
        );
        all.extend(told(Fields { prefix: "executor.", ..self.executor }, &["type", "command", "env"]));
        all
    }
}

/// A word that is not one of the contract's.
fn unknown(fields: Fields<'_, '_>, name: &str, what: &str, reserved: &[&str], known: &str) -> Fault {
    let found = fields.node.get(name).and_then(Node::as_str).unwrap_or_default();
    fields.fault(
        name,
        &if reserved.contains(&found) {
            format!("{what} `{found}` is reserved and not supported yet, expected one of: {known}")
        } else {
            format!("unknown {what} `{found}`, expected one of: {known}")
        },
    )
}

fn required<'n>(node: &'n Node, path: &str, field: &str) -> Result<&'n Node, Fault> {
    node.get(field).ok_or_else(|| Fault::new(node.at, format!("{path}: missing field `{field}`")))
}
