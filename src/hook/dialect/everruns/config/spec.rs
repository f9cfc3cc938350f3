//! One hook spec (1.3 to 1.5 of the contract): types first, then values, in the order of the contract's table; the first
//! fault is the one that is told.

use super::{Fault, FaultKind, Origin, Spec, file_safe};
use crate::document::Node;
use crate::hook::dialect::everruns::bundle::{ArgumentRule, Extra, Matcher, OnError};
use crate::hook::dialect::everruns::event::EventName;
use crate::hook::field::Fields;
use crate::hook::hooks::{Handler, Hook};
use crate::hook::id::HookId;
use crate::hook::json::append_json;
use crate::hook::matcher::{ArgumentPattern, NamePattern, Regex, RegexCompiler, no_character_of_a_name};
use crate::hook::script::{Capture, HookIdentity, Shell};
use crate::hook::word::Word;
use crate::limit::Limits;
use crate::text::Text;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::time::Duration;

/// Standard output and standard error together, in bytes (5.2).
const OUTPUT_CAP: u64 = 65_536;
const MOST_VARIABLES: usize = 16;
/// Bytes of a text of a matcher.
const MOST_MATCHER_BYTES: usize = 2048;
const TIMEOUT_RANGE: std::ops::RangeInclusive<i128> = 100..=30_000;
const DEFAULT_TIMEOUT: i128 = 5_000;
/// `source` is the loader's own: what a spec says there is overwritten (R13).
const FIELDS: [&str; 8] =
    ["id", "event", "matcher", "executor", "timeout_ms", "on_error", "description", "source"];
const MATCHER_FIELDS: [&str; 5] =
    ["tool_name", "tool_name_glob", "args_jsonpath", "match_regex", "deny_regex"];

/// R12. A spec too broken to have a name or an event gets its place in the list.
pub(super) fn resolve_id(origin: Origin<'_>, index: usize, node: &Node) -> HookId {
    let name = match node.get("id").and_then(Node::as_str) {
        Some(id) => id.to_owned(),
        None => format!("{}_{index}", node.get("event").and_then(Node::as_str).unwrap_or("hook")),
    };
    let origin = match origin {
        Origin::User => "user",
        Origin::Capability(id) => id,
    };
    HookId::from(format!("{origin}:{name}"))
}

pub(super) fn read(
    origin: Origin<'_>,
    index: usize,
    node: &Node,
    limits: &Arc<Limits>,
    regexes: &mut RegexCompiler,
) -> Result<Spec, Fault> {
    let raw = Raw::read(node)?;
    let regex = raw.check(regexes)?;
    let id = resolve_id(origin, index, node);
    let mut warnings = unknown_fields(node);
    let (matcher, warning) = raw.matcher(regex)?;
    warnings.extend(warning);
    warnings.extend(raw.name_warnings());
    warnings.extend(raw.command_warnings(limits));
    let mut id_json = Vec::new();
    append_json(&mut id_json, id.as_str());
    let extra = Extra {
        matcher,
        on_error: raw.on_error,
        environment: raw.environment,
        id_json,
        safe_id: file_safe(&id),
    };
    let timeout = Duration::from_millis(u64::try_from(raw.timeout_ms).unwrap_or(0));
    let capture = Capture { total: OUTPUT_CAP, ..Capture::of_each(OUTPUT_CAP) };
    let handler = Handler::script(raw.command.to_owned(), Shell::Bash);
    let hook = Hook {
        cwd: Some(Text::from_static(b"/workspace")),
        inherit_environment: false,
        identity: Some(HookIdentity {
            user: Text::from_static(b"everruns"),
            host: Text::from_static(b"everruns-hook"),
        }),
        description: raw.description,
        ..Hook::new(id, raw.event.name(), handler, timeout, limits, capture)
    };
    Ok(Spec { hook, extra, at: node.at, warnings })
}

/// Names and values; names are unique.
type Variables = Vec<(Text, Text)>;

/// A spec whose types are right.
struct Raw<'n> {
    event: EventName,
    event_at: Option<usize>,
    matcher: Option<&'n Node>,
    command: &'n str,
    command_at: Option<usize>,
    environment: Variables,
    environment_at: Option<usize>,
    timeout_ms: i128,
    timeout_at: Option<usize>,
    on_error: OnError,
    description: Option<String>,
}

impl<'n> Raw<'n> {
    fn read(node: &'n Node) -> Result<Self, Fault> {
        let fields = Fields::new(node, ".")?;
        fields.text("id")?;
        let event_node = required(node, "", "event")?;
        let event_text = fields.text("event")?.unwrap_or_default();
        let event = EventName::from_name(event_text).ok_or_else(|| {
            let reserved =
                ["pre_model_call", "post_model_call", "subagent_stop", "pre_compact", "notification"];
            unknown(event_node, ".event", "event", event_text, &reserved, &EventName::all_names())
        })?;
        let matcher = fields.object("matcher")?;
        for field in MATCHER_FIELDS {
            matcher.map_or(Ok(None), |node| Fields { node, prefix: ".matcher." }.text(field))?;
        }
        let executor = required(node, "", "executor")?;
        let (command, environment) = read_executor(executor)?;
        let timeout_ms = fields.integer("timeout_ms")?.unwrap_or(DEFAULT_TIMEOUT);
        let on_error = fields.word("on_error", |found| {
            let why = format!("unknown variant `{found}`, expected one of: {}", OnError::NAMES.join(", "));
            fields.fault("on_error", &why)
        })?;
        Ok(Self {
            event,
            event_at: event_node.at,
            matcher,
            command: command.as_str().unwrap_or(""),
            command_at: command.at,
            environment,
            environment_at: executor.get("env").and_then(|env| env.at),
            timeout_ms,
            timeout_at: fields.at("timeout_ms"),
            on_error: on_error.unwrap_or(OnError::Warn),
            description: fields.text("description")?.map(str::to_owned),
        })
    }

    fn matcher_is_empty(&self) -> bool {
        self.matcher.is_none_or(|matcher| MATCHER_FIELDS.iter().all(|field| matcher.get(field).is_none()))
    }

    /// The rows of 1.5, in the order in which the product checks them; the glob comes last (`matcher`).
    fn check(&self, regexes: &mut RegexCompiler) -> Result<Option<Regex>, Fault> {
        if !TIMEOUT_RANGE.contains(&self.timeout_ms) {
            let message = format!("hook timeout_ms {} is out of range (100..=30000)", self.timeout_ms);
            return Err(value_fault(self.timeout_at, message));
        }
        if !self.event.row().tool && !self.matcher_is_empty() {
            let message = format!("hook event `{}` does not accept a matcher", self.event.name());
            return Err(value_fault(self.matcher.and_then(|matcher| matcher.at).or(self.event_at), message));
        }
        if self.command.trim().is_empty() {
            return Err(value_fault(self.command_at, "hook bash command is empty"));
        }
        if self.environment.len() > MOST_VARIABLES {
            return Err(value_fault(self.environment_at, "hook has more than 16 env vars"));
        }
        for field in MATCHER_FIELDS {
            if let Some((_, node)) = self.field(field).filter(|(text, _)| text.len() > MOST_MATCHER_BYTES) {
                let message =
                    format!("hook matcher field `{field}` is longer than {MOST_MATCHER_BYTES} bytes");
                return Err(value_fault(node.at, message));
            }
        }
        self.regex(regexes)
    }

    fn regex(&self, regexes: &mut RegexCompiler) -> Result<Option<Regex>, Fault> {
        let (found, denied) = (self.field("match_regex"), self.field("deny_regex"));
        if let (Some(_), Some((_, node))) = (found, denied) {
            let message = "hook has both match_regex and deny_regex set; choose one";
            return Err(value_fault(node.at, message));
        }
        let Some((regex, node)) = found.or(denied) else { return Ok(None) };
        let compiled = regexes
            .compile(regex)
            .map_err(|why| value_fault(node.at, format!("hook regex `{regex}` failed to compile: {why}")))?;
        Ok(Some(compiled))
    }

    fn field(&self, name: &str) -> Option<(&'n str, &'n Node)> {
        let node = self.matcher?.get(name)?;
        Some((node.as_str()?, node))
    }

    /// The compiled matcher, and a warning when it can never pass.
    fn matcher(&self, regex: Option<Regex>) -> Result<(Matcher, Option<String>), Fault> {
        let glob = match self.field("tool_name_glob") {
            None => None,
            Some((glob, node)) => Some(NamePattern::parse_prefixes(glob).ok_or_else(|| {
                value_fault(node.at, format!("hook tool_name_glob `{glob}` contains unsupported syntax"))
            })?),
        };
        let name = self.field("tool_name").map(|(name, _)| NamePattern::Exact(name.to_owned()));
        let path = self.field("args_jsonpath").map(|(path, _)| ArgumentPattern::parse_path(path));
        let argument = match (path, regex) {
            (None, None) => ArgumentRule::Any,
            (Some(path), regex) => ArgumentRule::Test(ArgumentPattern { path, regex }),
            (None, Some(_)) => ArgumentRule::Never("R6: a regex without args_jsonpath never fires"),
        };
        let warning = matches!(argument, ArgumentRule::Never(_))
            .then(|| "the matcher never fires: it has a regex but no args_jsonpath".to_owned());
        Ok((Matcher { name, glob, argument }, warning))
    }

    /// Names that were meant as patterns.
    fn name_warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if let Some((name, _)) = self.field("tool_name")
            && let Some(letter) = no_character_of_a_name(name)
        {
            warnings.push(format!(
                "tool_name `{name}` is compared as it is, and no tool has `{letter}` in its name; use tool_name_glob"
            ));
        }
        if let Some((path, _)) = self.field("args_jsonpath") {
            let keys = ArgumentPattern::parse_path(path);
            let is_odd = |key: &String| {
                key.contains(|letter: char| !letter.is_alphanumeric() && !matches!(letter, '_' | '-' | ' '))
            };
            if let Some(key) = keys.iter().find(|key| is_odd(key)) {
                warnings.push(format!(
                    "args_jsonpath `{path}` is a path of names with dots between, and `{key}` is one of the names"
                ));
            }
        }
        warnings
    }

    /// R53, and a command that no run will accept.
    fn command_warnings(&self, limits: &Limits) -> Vec<String> {
        let mut warnings = Vec::new();
        let first = self.command.split_whitespace().next().unwrap_or("").trim_matches(['"', '\'']);
        let relative = first.contains('/') && !first.starts_with('/');
        if relative || first.starts_with("/workspace/") {
            warnings.push(format!(
                "the script `{first}` is read when the hook runs: who can write that file controls the hook"
            ));
        }
        if self.command.len() as u64 > limits.script_bytes {
            warnings.push(format!(
                "the command is longer than {} bytes, every run will fail",
                limits.script_bytes
            ));
        }
        warnings
    }
}

/// The command's node (a string) and the variables.
fn read_executor(node: &Node) -> Result<(&Node, Variables), Fault> {
    let fields = Fields::new(node, ".executor.")?;
    let kind = required(node, ".executor", "type")?;
    let name = fields.text("type")?.unwrap_or_default();
    if name != "bash" {
        let reserved = ["webhook", "wasm", "blueprint"];
        return Err(unknown(kind, ".executor.type", "executor type", name, &reserved, "bash"));
    }
    let command = required(node, ".executor", "command")?;
    fields.text("command")?;
    let mut environment: Variables = Vec::new();
    let mut places: FxHashMap<&str, usize> = FxHashMap::default();
    for (member, value) in fields.text_members("env")? {
        let place = *places.entry(&member.name).or_insert(environment.len());
        match environment.get_mut(place) {
            Some((_, old)) => *old = Text::from(value),
            None => environment.push((Text::from(member.name.as_str()), Text::from(value))),
        }
    }
    Ok((command, environment))
}

fn unknown_fields(node: &Node) -> Vec<String> {
    let parts: [(&str, Option<&Node>, &'static [&str]); 3] = [
        ("", Some(node), &FIELDS),
        ("matcher.", node.get("matcher"), &MATCHER_FIELDS),
        ("executor.", node.get("executor"), &["type", "command", "env"]),
    ];
    let parts =
        parts.into_iter().filter_map(|(prefix, node, known)| Some((Fields { node: node?, prefix }, known)));
    let told = |fields: Fields<'_, '_>, known| {
        let path = |name: &str| format!("unknown field `{}` is ignored", fields.path(name));
        fields.unknown(known).map(|member| path(&member.name)).collect::<Vec<_>>()
    };
    parts.flat_map(|(fields, known)| told(fields, known)).collect()
}

fn value_fault(at: Option<usize>, message: impl Into<String>) -> Fault {
    Fault { at, message: message.into(), kind: FaultKind::Value }
}

/// `message` starts with the path inside the spec.
fn parse_fault(at: Option<usize>, message: String) -> Fault {
    Fault { at, message, kind: FaultKind::Parse }
}

fn unknown(node: &Node, path: &str, what: &str, found: &str, reserved: &[&str], known: &str) -> Fault {
    let note = if reserved.contains(&found) { " is reserved and not supported yet" } else { "" };
    let word = if note.is_empty() { "unknown " } else { "" };
    parse_fault(node.at, format!("{path}: {word}{what} `{found}`{note}, expected one of: {known}"))
}

fn required<'n>(node: &'n Node, path: &str, field: &str) -> Result<&'n Node, Fault> {
    node.get(field).ok_or_else(|| parse_fault(node.at, format!("{path}: missing field `{field}`")))
}
