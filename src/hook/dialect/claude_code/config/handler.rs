//! One handler (1.3): types first, then what it means. The first fault is the one that is told.

use super::{Fault, File, Loader};
use crate::hook::dialect::claude_code::event::EventName;
use crate::hook::dialect::claude_code::hook::{Apart, Extra, Kind, Rewake};
use crate::hook::dialect::claude_code::matcher::Matcher;
use crate::hook::dialect::claude_code::request::HttpHandler;
use crate::hook::dialect::claude_code::rule::Rule;
use crate::hook::dialect::claude_code::settings::Source;
use crate::hook::document::{Member, Node, NodeKind};
use crate::hook::hooks::{Handler, Hook};
use crate::hook::id::HookId;
use crate::hook::script::{Capture, Excess, HookScript, Shell};
use crate::text::Text;
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

/// A handler's members with their path for messages.
struct Fields<'n> {
    node: &'n Node,
    path: &'n str,
}

impl<'n> Fields<'n> {
    fn wrong(&self, node: &Node, name: &str, expected: &str) -> Fault {
        Fault::wrong_type(node, &format!("{}.{name}", self.path), expected)
    }

    fn text(&self, name: &str) -> Result<Option<&'n str>, Fault> {
        let Some(node) = self.node.get(name) else { return Ok(None) };
        node.as_str().map(Some).ok_or_else(|| self.wrong(node, name, "a string"))
    }

    fn required(&self, name: &str) -> Result<&'n str, Fault> {
        match self.text(name)? {
            Some(text) if !text.trim().is_empty() => Ok(text),
            Some(_) => Err(Fault::new(self.node.at, format!("{}.{name}: empty", self.path))),
            None => Err(Fault::new(self.node.at, format!("{}.{name}: missing", self.path))),
        }
    }

    fn boolean(&self, name: &str) -> Result<bool, Fault> {
        match self.node.get(name) {
            None => Ok(false),
            Some(Node { kind: NodeKind::Bool(value), .. }) => Ok(*value),
            Some(node) => Err(self.wrong(node, name, "a boolean")),
        }
    }

    fn texts(&self, name: &str) -> Result<Option<Vec<&'n str>>, Fault> {
        let Some(node) = self.node.get(name) else { return Ok(None) };
        let texts = node.as_array().map(|items| items.iter().map(Node::as_str).collect::<Option<Vec<_>>>());
        texts.flatten().map(Some).ok_or_else(|| self.wrong(node, name, "a list of strings"))
    }

    /// Seconds above 0.
    fn timeout(&self) -> Result<Option<Duration>, Fault> {
        let Some(node) = self.node.get("timeout") else { return Ok(None) };
        let NodeKind::Number(number) = &node.kind else {
            return Err(self.wrong(node, "timeout", "a number"));
        };
        let seconds = number.as_f64().filter(|seconds| *seconds > 0.0);
        let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        time.map(Some).ok_or_else(|| {
            Fault::new(node.at, format!("{}.timeout: {number} is not a number of seconds above 0", self.path))
        })
    }

    /// One of some words.
    fn word(&self, name: &str, words: &[&str]) -> Result<Option<&'n str>, Fault> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        if words.contains(&text) {
            return Ok(Some(text));
        }
        let at = self.node.get(name).and_then(|node| node.at);
        let message = format!("{}.{name}: `{text}` is not one of: {}", self.path, words.join(", "));
        Err(Fault::new(at, message))
    }
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
        if !node.is_object() {
            return Err(Fault::wrong_type(node, path, "an object"));
        }
        let fields = Fields { node, path };
        fields.required("type")?;
        let kind = fields.word("type", &KINDS)?.unwrap_or_default();
        if !event.allows(kind) {
            let message = format!("{path}: a handler of type `{kind}` is not possible on {}", event.name());
            return Err(Fault::new(node.at, message));
        }
        let timeout = fields.timeout()?;
        let message = fields.text("statusMessage")?;
        let rule = Self::rule(&fields)?;
        let once = fields.boolean("once")?;
        let closes = fields.word("onFailure", &["block"])?.is_some();
        let (handler, kind_of, fault) = Self::work(file, kind, &fields)?;
        let apart = match kind {
            "command" if fields.boolean("asyncRewake")? => Some(Apart::Rewake),
            "command" if fields.boolean("async")? => Some(Apart::Silent),
            _ => None,
        };
        let text = |name: &str| fields.text(name).map(|text| text.map(Arc::from));
        let rewake = Rewake { message: text("rewakeMessage")?, summary: text("rewakeSummary")? };
        if apart != Some(Apart::Rewake) && (rewake.message.is_some() || rewake.summary.is_some()) {
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
        if let Some(why) = rule.as_ref().and_then(Rule::never) {
            self.warn(&id, node.get("if").and_then(|node| node.at), &why);
        }
        for member in unknown(node, &FIELDS) {
            self.warn(&id, member.at, &format!("unknown field `{}` is ignored", member.name));
        }
        let is_skill = matches!(file.source, Source::Skill(_));
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
            variables: file
                .places
                .variables()
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        };
        let time = timeout.unwrap_or_else(|| Duration::from_secs(event.default_timeout(kind)));
        let time = self.settings.longest_timeout.map_or(time, |longest| time.min(longest));
        Ok((self.hook(id, event, handler, time, message), extra))
    }

    fn hook(
        &self,
        id: HookId,
        event: EventName,
        handler: Handler,
        timeout: Duration,
        message: Option<&str>,
    ) -> Hook {
        Hook {
            id,
            event: event.name(),
            handler,
            timeout,
            limits: self.limits.clone(),
            capture: Capture {
                stdout: OUTPUT_CAP,
                stderr: OUTPUT_CAP,
                total: OUTPUT_CAP.saturating_mul(2),
                merge: false,
                excess: Excess::Fail,
            },
            cwd: None,
            inherit_environment: true,
            identity: None,
            description: message.map(str::to_owned),
        }
    }

    fn rule(fields: &Fields<'_>) -> Result<Option<Rule>, Fault> {
        let Some(text) = fields.text("if")? else { return Ok(None) };
        let at = fields.node.get("if").and_then(|node| node.at);
        let fault = |why| Fault::new(at, format!("{}.if: {why}", fields.path));
        Rule::read(text).map(Some).map_err(fault)
    }

    /// What the handler does. Beside it stands why it can not start, for one that can not.
    fn work(
        file: &File<'_>,
        kind: &str,
        fields: &Fields<'_>,
    ) -> Result<(Handler, Kind, Option<String>), Fault> {
        match kind {
            "command" => {
                let (handler, fault) = command(file, fields)?;
                Ok((handler, Kind::Command, fault))
            }
            "http" => {
                let handler = HttpHandler {
                    url: fields.required("url")?.to_owned(),
                    headers: headers(fields)?,
                    variables: fields
                        .texts("allowedEnvVars")?
                        .unwrap_or_default()
                        .into_iter()
                        .map(str::to_owned)
                        .collect(),
                };
                Ok((Handler::Other("http"), Kind::Http(handler), None))
            }
            "mcp_tool" => {
                let input = match fields.node.get("input") {
                    None => serde_json::json!({}),
                    Some(input) if input.is_object() => input.to_value(),
                    Some(input) => return Err(fields.wrong(input, "input", "an object")),
                };
                let server = fields.required("server")?.to_owned();
                let tool = fields.required("tool")?.to_owned();
                Ok((Handler::Other("mcp_tool"), Kind::Tool { server, tool, input }, None))
            }
            _ => {
                let agent = kind == "agent";
                let goes_on = agent || fields.boolean("continueOnBlock")?;
                let prompt = fields.required("prompt")?.to_owned();
                let model = fields.text("model")?.map(str::to_owned);
                let kind_of = Kind::Model { prompt, model, agent, goes_on };
                Ok((Handler::Other(if agent { "agent" } else { "prompt" }), kind_of, None))
            }
        }
    }
}

/// Shell form or exec form (R19, R20, R12).
fn command(file: &File<'_>, fields: &Fields<'_>) -> Result<(Handler, Option<String>), Fault> {
    let command = fields.required("command")?;
    let arguments = fields.texts("args")?;
    let shell = fields.word("shell", &["bash", "powershell"])?;
    let name = if shell == Some("bash") { Shell::Bash } else { Shell::Sh };
    let script = |text: String| Handler::Script { script: HookScript::new(text), shell: name };
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
    let arguments = arguments.into_iter().map(&mut place).collect();
    Ok((Handler::Program { name, arguments }, fault))
}

fn headers(fields: &Fields<'_>) -> Result<Vec<(String, String)>, Fault> {
    let Some(node) = fields.node.get("headers") else { return Ok(Vec::new()) };
    if !node.is_object() {
        return Err(fields.wrong(node, "headers", "an object"));
    }
    let mut headers = Vec::new();
    for member in node.members() {
        let Some(value) = member.value.as_str() else {
            return Err(fields.wrong(&member.value, &format!("headers.{}", member.name), "a string"));
        };
        headers.push((member.name.clone(), value.to_owned()));
    }
    Ok(headers)
}
