//! One handler (1.3): types first, then what it means. The first fault refuses it; the others are told too ([`faults`]).

use super::{File, Loader};
use crate::document::{Member, Node, NodeKind};
use crate::hook::dialect::claude_code::event::EventName;
use crate::hook::dialect::claude_code::hook::{Background, Extra, Kind, Rewake};
use crate::hook::dialect::claude_code::matcher::Matcher;
use crate::hook::dialect::claude_code::request::HttpHandler;
use crate::hook::dialect::claude_code::rule::IfRule;
use crate::hook::dialect::claude_code::settings::HookSource;
use crate::hook::field::{Fault, Fields};
use crate::hook::hooks::{Handler, Hook};
use crate::hook::id::HookId;
use crate::hook::script::{Capture, Shell};
use crate::hook::version::Part;
use crate::text::Text;
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

/// Each stream of a run, in bytes (R53).
pub(in crate::hook::dialect::claude_code) const OUTPUT_CAP: u64 = 1 << 20;

/// The members of handlers of all types together.
const FIELDS: [&str; 22] = [
    "type",
    "if",
    "timeout",
    "statusMessage",
    "once",
    "onFailure",
    "command",
    "args",
    "async",
    "asyncRewake",
    "rewakeMessage",
    "rewakeSummary",
    "shell",
    "url",
    "headers",
    "allowedEnvVars",
    "server",
    "tool",
    "input",
    "prompt",
    "model",
    "continueOnBlock",
];

const KINDS: [&str; 5] = ["command", "http", "mcp_tool", "prompt", "agent"];

/// Whether a member's name makes it a comment.
pub(super) fn is_comment(name: &str) -> bool {
    name.starts_with(['_', '$', '#']) || name.starts_with("//")
}

/// Members that are not among the known ones, but for comments.
pub(super) fn unknown<'n>(node: &'n Node, known: &'static [&str]) -> impl Iterator<Item = &'n Member> {
    node.members().iter().filter(move |member| {
        let is_known = known.contains(&member.name.as_str());
        // What is only put out of the way was meant for it.
        !is_known && (!is_comment(&member.name) || known.iter().any(|known| member.name.ends_with(known)))
    })
}

/// A text that must be there.
fn required<'n>(fields: &Fields<'n, '_>, name: &str) -> Result<&'n str, Fault> {
    let fault = |why: &str| Fault::new(fields.node.at, format!("{}: {why}", fields.path(name)));
    match fields.text(name)? {
        Some(text) if !text.trim().is_empty() => Ok(text),
        Some(_) => Err(fault("empty")),
        None => Err(fault("missing")),
    }
}

/// Seconds above 0.
fn timeout(fields: &Fields<'_, '_>) -> Result<Option<Duration>, Fault> {
    let Some(node) = fields.node.get("timeout") else { return Ok(None) };
    let NodeKind::Number(number) = &node.kind else {
        return Err(fields.wrong_type(node, "timeout", "a number"));
    };
    let seconds = number.as_f64().filter(|seconds| *seconds > 0.0);
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let why =
        if seconds.is_some() { "is more seconds than can be" } else { "is not a number of seconds above 0" };
    let wrong = || fields.fault("timeout", &format!("{number} {why}"));
    time.map(Some).ok_or_else(wrong)
}

/// One of some words.
fn word<'n>(fields: &Fields<'n, '_>, name: &str, words: &[&str]) -> Result<Option<&'n str>, Fault> {
    let Some(text) = fields.text(name)? else { return Ok(None) };
    if words.contains(&text) {
        return Ok(Some(text));
    }
    Err(fields.fault(name, &format!("`{text}` is not one of: {}", words.join(", "))))
}

/// All faults of a handler that each of its members shows alone.
pub(super) fn faults(event: EventName, node: &Node, path: &str) -> Vec<Fault> {
    let prefix = format!("{path}.");
    let fields = match Fields::new(node, &prefix) {
        Ok(fields) => fields,
        Err(fault) => return vec![fault],
    };
    let kind = required(&fields, "type").and_then(|_| word(&fields, "type", &KINDS));
    let mut all = Vec::new();
    let mut look = |fault: Option<Fault>| all.extend(fault);
    if let Ok(Some(kind)) = &kind
        && !event.allows(kind)
    {
        let message = format!("{path}: a handler of type `{kind}` is not possible on {}", event.name());
        look(Some(Fault::new(node.at, message)));
    }
    let required_of: &[&str] = match &kind {
        Ok(Some("command")) => &["command"],
        Ok(Some("http")) => &["url"],
        Ok(Some("mcp_tool")) => &["server", "tool"],
        Ok(Some("prompt" | "agent")) => &["prompt"],
        _ => &[],
    };
    look(kind.err());
    look(timeout(&fields).err());
    look(fields.text("statusMessage").err());
    look(Loader::rule(&fields).err());
    look(fields.boolean("once").err());
    look(word(&fields, "onFailure", &["block"]).err());
    for name in required_of {
        look(required(&fields, name).err());
    }
    look(fields.texts("args").err());
    look(word(&fields, "shell", &["bash", "powershell"]).err());
    look(headers(&fields).err());
    look(fields.texts("allowedEnvVars").err());
    look(fields.object("input").err());
    for name in ["async", "asyncRewake", "continueOnBlock"] {
        look(fields.boolean(name).err());
    }
    for name in ["rewakeMessage", "rewakeSummary", "model"] {
        look(fields.text(name).err());
    }
    all
}

impl Loader<'_> {
    pub(super) fn handler(
        &mut self,
        file: &File<'_>,
        event: EventName,
        node: &Node,
        id: HookId,
        matcher: &Arc<Matcher>,
        path: &str,
    ) -> Result<(Hook, Extra), Fault> {
        let (known, later) = self
            .contract
            .map_or_else(|| (Cow::Borrowed(node), Vec::new()), |contract| contract.without_later(node));
        for (member, since) in later {
            let text = format!("unknown field `{}`, which came with {since}, is ignored", member.name);
            self.warn(&id, member.at, &text);
        }
        let node = &*known;
        let prefix = format!("{path}.");
        let fields = Fields::new(node, &prefix)?;
        required(&fields, "type")?;
        let kind = word(&fields, "type", &KINDS)?.unwrap_or_default();
        if let Some(since) = self.since(Part::Kind, kind) {
            return Err(fields.fault("type", &format!("`{kind}` came with {since}")));
        }
        if !event.allows(kind) {
            let message = format!("{path}: a handler of type `{kind}` is not possible on {}", event.name());
            return Err(Fault::new(node.at, message));
        }
        let timeout = timeout(&fields)?;
        let message = fields.text("statusMessage")?;
        let rule = Self::rule(&fields)?;
        let once = fields.boolean("once")? == Some(true);
        let closes = word(&fields, "onFailure", &["block"])?.is_some();
        let (handler, kind_of, fault) = Self::work(file, kind, &fields)?;
        let apart = match kind {
            "command" if fields.boolean("asyncRewake")? == Some(true) => Some(Background::Rewake),
            "command" if fields.boolean("async")? == Some(true) => Some(Background::Silent),
            _ => None,
        };
        let text = |name: &str| fields.text(name).map(|text| text.map(Arc::from));
        let rewake = Rewake { message: text("rewakeMessage")?, summary: text("rewakeSummary")? };
        if apart != Some(Background::Rewake) && (rewake.message.is_some() || rewake.summary.is_some()) {
            let why = "`rewakeMessage` and `rewakeSummary` are for command handlers with `asyncRewake` only; ignored";
            self.warn(&id, node.at, why);
        }
        let at = node.at;
        if rule.is_some() && !event.evaluates_rules() {
            self.warn(
                &id,
                at,
                &format!("`if` is evaluated on events about tools only; on {} it never runs", event.name()),
            );
        }
        if let Some(why) = rule.as_ref().and_then(IfRule::never) {
            self.warn(&id, node.get("if").and_then(|node| node.at), &why);
        }
        for member in unknown(node, &FIELDS) {
            self.warn(&id, member.at, &format!("unknown field `{}` is ignored", member.name));
        }
        let is_skill = matches!(file.source, HookSource::Skill(_));
        if once && !is_skill {
            self.warn(&id, at, "`once` counts in the frontmatter of a skill only; ignored");
        }
        if closes && !matches!(kind, "command" | "http") {
            self.warn(&id, at, "`onFailure` is for command and http handlers only; ignored");
        }
        let extra = Extra {
            event,
            source: file.source.clone(),
            matcher: Arc::clone(matcher),
            matcher_text: None,
            rule,
            kind: kind_of,
            once: once && is_skill,
            closes: closes && apart.is_none() && matches!(kind, "command" | "http"),
            apart,
            rewake,
            class: self.class(file.source, node),
            fault,
            has_timeout: timeout.is_some(),
            variables: Arc::clone(&file.places.variables),
        };
        let time = timeout.unwrap_or_else(|| Duration::from_secs(event.default_timeout(kind)));
        let time = self.settings.max_timeout_seconds.0.map_or(time, |longest| time.min(longest));
        let capture = Capture::of_each(OUTPUT_CAP);
        let hook = Hook::new(id, event.name(), handler, time, &self.limits, capture);
        Ok((Hook { description: message.map(str::to_owned), ..hook }, extra))
    }

    fn rule(fields: &Fields<'_, '_>) -> Result<Option<IfRule>, Fault> {
        let Some(text) = fields.text("if")? else { return Ok(None) };
        IfRule::read(text).map(Some).map_err(|why| fields.fault("if", &why))
    }

    /// What the handler does. Beside it stands why it cannot start, for one that cannot.
    fn work(
        file: &File<'_>,
        kind: &str,
        fields: &Fields<'_, '_>,
    ) -> Result<(Handler, Kind, Option<String>), Fault> {
        match kind {
            "command" => {
                let (handler, fault) = command(file, fields)?;
                Ok((handler, Kind::Command, fault))
            }
            "http" => {
                let handler = HttpHandler {
                    url: required(fields, "url")?.to_owned(),
                    headers: headers(fields)?,
                    variables: fields.texts("allowedEnvVars")?.unwrap_or_default(),
                };
                Ok((Handler::Other("http"), Kind::Http(handler), None))
            }
            "mcp_tool" => {
                let input = fields.object("input")?.map_or_else(|| serde_json::json!({}), Node::to_value);
                let server = required(fields, "server")?.to_owned();
                let tool = required(fields, "tool")?.to_owned();
                Ok((Handler::Other("mcp_tool"), Kind::Tool { server, tool, input }, None))
            }
            _ => {
                let agent = kind == "agent";
                let goes_on = agent || fields.boolean("continueOnBlock")? == Some(true);
                let prompt = required(fields, "prompt")?.to_owned();
                let model = fields.text("model")?.map(str::to_owned);
                let kind_of = Kind::Model { prompt, model, agent, goes_on };
                Ok((Handler::Other(if agent { "agent" } else { "prompt" }), kind_of, None))
            }
        }
    }
}

/// Shell form or exec form (R19, R20, R12).
fn command(file: &File<'_>, fields: &Fields<'_, '_>) -> Result<(Handler, Option<String>), Fault> {
    let command = required(fields, "command")?;
    let arguments = fields.texts("args")?;
    let shell = word(fields, "shell", &["bash", "powershell"])?;
    let name = if shell == Some("bash") { Shell::Bash } else { Shell::Sh };
    let script = |text: String| Handler::script(text, name);
    let Some(arguments) = arguments else {
        if shell == Some("powershell") {
            let fault = "powershell is not available in the sandbox".to_owned();
            return Ok((script(command.to_owned()), Some(fault)));
        }
        return Ok(match file.places.in_command(command) {
            Ok(command) => (script(command), None),
            Err(why) => (script(command.to_owned()), Some(why)),
        });
    };
    let mut fault =
        (shell == Some("powershell")).then(|| "powershell is not available in the sandbox".to_owned());
    let mut place = |text: &str| match file.places.in_argument(text) {
        Ok(text) => Text::from(text),
        Err(why) => {
            fault.get_or_insert(why);
            Text::from(text)
        }
    };
    let name = place(command);
    let arguments = arguments.iter().map(|text| place(text)).collect();
    Ok((Handler::Program { name, arguments }, fault))
}

fn headers(fields: &Fields<'_, '_>) -> Result<Vec<(String, String)>, Fault> {
    let members = fields.text_members("headers")?;
    Ok(members.into_iter().map(|(member, value)| (member.name.clone(), value.to_owned())).collect())
}
