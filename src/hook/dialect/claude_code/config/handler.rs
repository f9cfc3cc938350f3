//! One handler (1.3): types first, then what it means. All its faults are told.

use super::{File, Loader};
use crate::document::{Member, Node, NodeKind};
use crate::hook::dialect::claude_code::event::EventName;
use crate::hook::dialect::claude_code::hook::{Background, Extra, Kind, Rewake};
use crate::hook::dialect::claude_code::matcher::Matcher;
use crate::hook::dialect::claude_code::request::HttpHandler;
use crate::hook::dialect::claude_code::rule::IfRule;
use crate::hook::dialect::claude_code::settings::HookSource;
use crate::hook::field::{Fault, Faults, Fields};
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

impl Loader<'_, '_> {
    /// # Errors
    /// All its faults.
    pub(super) fn handler(
        &mut self,
        file: &File<'_>,
        event: EventName,
        node: &Node,
        id: HookId,
        matcher: &Arc<Matcher>,
        path: &str,
    ) -> Result<(Hook, Extra), Vec<Fault>> {
        let (known, later) = self
            .loading
            .options
            .contract
            .map_or_else(|| (Cow::Borrowed(node), Vec::new()), |contract| contract.without_later(node));
        for (member, since) in later {
            let text = format!("unknown field `{}`, which came with {since}, is ignored", member.name);
            self.warn(&id, member.at, &text);
        }
        let node = &*known;
        let prefix = format!("{path}.");
        let fields = Fields::new(node, &prefix).map_err(|fault| vec![fault])?;
        let mut faults = Faults::default();
        let kind = faults.keep(self.kind(&fields, event, path));
        let timeout = faults.keep(timeout(&fields));
        let message = faults.keep(fields.text("statusMessage"));
        let rule = faults.keep(rule(&fields));
        let once = faults.keep(fields.boolean("once")) == Some(true);
        let closes = faults.keep(word(&fields, "onFailure", &["block"])).is_some();
        let (handler, kind_of, fault) = work(file, kind, &fields, &mut faults);
        let apart = match kind {
            "command" if faults.keep(fields.boolean("asyncRewake")) == Some(true) => Some(Background::Rewake),
            "command" if faults.keep(fields.boolean("async")) == Some(true) => Some(Background::Silent),
            _ => None,
        };
        let mut text = |name: &str| faults.keep(fields.text(name)).map(Arc::from);
        let rewake = Rewake { message: text("rewakeMessage"), summary: text("rewakeSummary") };
        faults.none()?;
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
        let hook = Hook::new(id, event.name(), handler, time, &self.loading.limits, capture);
        Ok((Hook { description: message.map(str::to_owned), ..hook }, extra))
    }

    /// The type of handler, which must be possible on the event.
    fn kind<'n>(&self, fields: &Fields<'n, '_>, event: EventName, path: &str) -> Result<&'n str, Fault> {
        required(fields, "type")?;
        let kind = word(fields, "type", &KINDS)?.unwrap_or_default();
        if let Some(since) = self.since(Part::Kind, kind) {
            return Err(fields.fault("type", &format!("`{kind}` came with {since}")));
        }
        if !event.allows(kind) {
            let message = format!("{path}: a handler of type `{kind}` is not possible on {}", event.name());
            return Err(Fault::new(fields.node.at, message));
        }
        Ok(kind)
    }
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
    faults: &mut Faults,
) -> (Handler, Kind, Option<String>) {
    match kind {
        "command" => {
            let (handler, fault) = command(file, fields, faults);
            (handler, Kind::Command, fault)
        }
        "http" => {
            let handler = HttpHandler {
                url: faults.keep(required(fields, "url")).to_owned(),
                headers: faults.keep(headers(fields)),
                variables: faults.keep(fields.texts("allowedEnvVars")).unwrap_or_default(),
            };
            (Handler::Other("http"), Kind::Http(handler), None)
        }
        "mcp_tool" => {
            let server = faults.keep(required(fields, "server")).to_owned();
            let tool = faults.keep(required(fields, "tool")).to_owned();
            let input = faults.keep(fields.object("input"));
            let input = input.map_or_else(|| serde_json::json!({}), Node::to_value);
            (Handler::Other("mcp_tool"), Kind::Tool { server, tool, input }, None)
        }
        _ => {
            let agent = kind == "agent";
            let prompt = match kind {
                "" => String::new(),
                _ => faults.keep(required(fields, "prompt")).to_owned(),
            };
            let goes_on = faults.keep(fields.boolean("continueOnBlock")) == Some(true) || agent;
            let model = faults.keep(fields.text("model")).map(str::to_owned);
            let kind_of = Kind::Model { prompt, model, agent, goes_on };
            (Handler::Other(if agent { "agent" } else { "prompt" }), kind_of, None)
        }
    }
}

/// Shell form or exec form (R19, R20, R12).
fn command(file: &File<'_>, fields: &Fields<'_, '_>, faults: &mut Faults) -> (Handler, Option<String>) {
    let command = faults.keep(required(fields, "command"));
    let arguments = faults.keep(fields.texts("args"));
    let shell = faults.keep(word(fields, "shell", &["bash", "powershell"]));
    let name = if shell == Some("bash") { Shell::Bash } else { Shell::Sh };
    let mut fault =
        (shell == Some("powershell")).then(|| "powershell is not available in the sandbox".to_owned());
    let Some(arguments) = arguments else {
        let script = |text: String| Handler::script(text, name);
        return match file.places.in_command(command) {
            Ok(text) if fault.is_none() => (script(text), None),
            placed => (script(command.to_owned()), fault.or(placed.err())),
        };
    };
    let mut place = |text: &str| match file.places.in_argument(text) {
        Ok(text) => Text::from(text),
        Err(why) => {
            fault.get_or_insert(why);
            Text::from(text)
        }
    };
    let name = place(command);
    let arguments = arguments.iter().map(|text| place(text)).collect();
    (Handler::Program { name, arguments }, fault)
}

fn headers(fields: &Fields<'_, '_>) -> Result<Vec<(String, String)>, Fault> {
    let members = fields.text_members("headers")?;
    Ok(members.into_iter().map(|(member, value)| (member.name.clone(), value.to_owned())).collect())
}
