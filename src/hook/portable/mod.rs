//! Hooks apart from the dialect they are written in: what the linter looks at and what conversion carries over.
//!
//! Each dialect's file has its facts (events, what its scripts read and print), a reader (config to [`PortableHook`]s,
//! lenient: what does not fit is left to the dialect's own loader), a writer, and four jq programs that translate its
//! payload and its answers from and to a neutral form. The neutral payload is the neutral event of [`crate::hook::Event`];
//! the neutral answer is `{verdict, reason, user_message, contexts, arguments, message, result, error, failure}`, with
//! `verdict` one of `none`, `allow`, `ask`, `deny`.

pub(crate) mod agentao;
pub(crate) mod claude_code;
pub(crate) mod docker_agent;
pub(crate) mod everruns;
pub(crate) mod goclaw;
pub(crate) mod infer;
mod tools;

pub(crate) use tools::Tools;

use super::event_table::{EventRow, Failure};
use super::unread;
use crate::document::{Node, NodeKind};
use crate::hook::dialect::list::Dialect;
use serde_json::Value;
use std::fmt::Write as _;
use std::sync::OnceLock;
use std::time::Duration;

/// What a dialect is, as data.
pub(crate) struct Facts {
    pub(crate) events: &'static [EventRow],
    /// Keys of JSON that its scripts print, beside those that the table of events has.
    pub(crate) more_output: &'static [&'static str],
    /// Values of the key `decision`.
    pub(crate) decisions: &'static [&'static str],
    /// Roots of what its scripts read from the payload of every event with `jq`.
    pub(crate) payload: &'static [&'static str],
    /// Whether the members that are an event's own are roots, too.
    pub(crate) is_flat: bool,
    /// What the table of events says of outputs and payloads, once somebody asks.
    pub(crate) names: OnceLock<EventNames>,
    /// Variables that a hook of it has, by name.
    pub(crate) variables: &'static [&'static str],
    /// Names beginning with one of these belong to the dialect.
    pub(crate) variable_prefixes: &'static [&'static str],
    /// The shell tool's name.
    pub(crate) shell_tool: &'static str,
    /// The keys of the shell tool's argument that is the command.
    pub(crate) shell_argument: &'static [&'static str],
    /// Its name in payloads, where that is another one.
    pub(crate) shell_in_payload: &'static str,
    /// Whether the first block ends the chain.
    pub(crate) stops_early: bool,
    /// Whether rewritten arguments are laid over the call's own.
    pub(crate) merges_arguments: bool,
    /// What an exit status means.
    pub(crate) exit: ExitRule,
    /// Time of a hook that says nothing.
    pub(crate) default_timeout: Duration,
    /// The longest that counts.
    pub(crate) longest_timeout: Option<Duration>,
    /// The unit in which configs write timeouts, for messages.
    pub(crate) timeout_unit: &'static str,
    /// Reads hooks from a config.
    pub(crate) read: fn(&Node) -> Vec<PortableHook>,
    /// Writes hooks as a config.
    pub(crate) write: fn(&[Draft]) -> Value,
    /// jq: the dialect's payload to the neutral one; `$moment` is the neutral name of what happened.
    pub(crate) payload_in: &'static str,
    /// jq: the neutral payload to the dialect's; `$hook` is the hook's name, `$event` the dialect's event.
    pub(crate) payload_out: &'static str,
    /// jq: `$stdout`, `$stderr`, `$status` and the neutral payload `$payload` to the neutral answer.
    pub(crate) answer_in: &'static str,
    /// jq: the neutral answer to `{stdout, stderr, status}`; `$payload` is the neutral payload, `$event` the dialect's
    /// event.
    pub(crate) answer_out: &'static str,
    /// What a matcher can say.
    pub(crate) matching: Matching,
}

/// The names in a dialect's table of events, each once.
#[derive(Debug, Default)]
pub(crate) struct EventNames {
    output: Vec<&'static str>,
    roots: Vec<&'static str>,
}

impl Facts {
    fn names(&self) -> &EventNames {
        self.names.get_or_init(|| {
            let mut output = Vec::new();
            self.events.iter().for_each(|row| unread::names(row.output, &mut output));
            output.extend(self.more_output);
            let mut roots = self.payload.to_vec();
            let own = self.events.iter().filter(|_| self.is_flat).flat_map(|row| row.payload);
            own.for_each(|name| roots.extend(Some(*name).filter(|name| !roots.contains(name))));
            EventNames { output, roots }
        })
    }

    /// Keys of JSON that its scripts print, at any depth.
    pub(crate) fn output(&self) -> &[&'static str] {
        &self.names().output
    }

    /// Roots of what its scripts read from the payload.
    pub(crate) fn roots(&self) -> &[&'static str] {
        &self.names().roots
    }
}

/// What an exit status means to a dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExitRule {
    /// Any other than 0, with nothing printed, blocks; a printed object decides alone.
    NonZeroBlocks,
    /// 2 blocks, others are failures.
    TwoBlocks,
    /// Never looked at.
    Ignored,
}

impl ExitRule {
    /// Whether a status blocks.
    pub(crate) const fn blocks(self, status: u8) -> bool {
        match self {
            Self::NonZeroBlocks => status != 0,
            Self::TwoBlocks => status == 2,
            Self::Ignored => false,
        }
    }

    /// The status by which a hook blocks; 0 where none does.
    pub(crate) const fn blocking_status(self) -> u8 {
        match self {
            Self::NonZeroBlocks => 1,
            Self::TwoBlocks => 2,
            Self::Ignored => 0,
        }
    }
}

/// What a dialect's matchers can say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Matching {
    /// Nothing.
    None,
    /// Names and beginnings, and one argument.
    NamesAndArgument,
    /// Any expression over the name.
    Regex,
}

/// A hook of any dialect.
#[derive(Clone, Debug)]
pub(crate) struct PortableHook {
    pub(crate) name: Option<String>,
    /// As written.
    pub(crate) event: String,
    /// `None`: the dialect has no such event.
    pub(crate) facts: Option<&'static EventRow>,
    pub(crate) tools: Tools,
    /// As written, for messages.
    pub(crate) matcher: Option<String>,
    pub(crate) argument: Option<ArgumentTest>,
    /// Other filters: field and text.
    pub(crate) conditions: Vec<(&'static str, String)>,
    pub(crate) handler: PortableHandler,
    pub(crate) environment: Vec<(String, String)>,
    pub(crate) cwd: Option<String>,
    pub(crate) timeout: Option<Duration>,
    /// What the config says of failures, in its own word.
    pub(crate) policy: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) enabled: bool,
    pub(crate) priority: i64,
    /// Fields set that no other dialect has.
    pub(crate) own_fields: Vec<String>,
    pub(crate) places: Places,
}

/// A test of one argument of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ArgumentTest {
    pub(crate) path: Vec<String>,
    pub(crate) regex: Option<String>,
    /// Everruns' `deny_regex`: the same test, under the name that tells the author's intent.
    pub(crate) deny: bool,
}

/// What a hook runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PortableHandler {
    /// A text for a shell.
    Script(String),
    /// A program without a shell.
    Program { name: String, arguments: Vec<String> },
    /// Anything else; its kind.
    Other(String),
}

/// Byte offsets in the config.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Places {
    pub(crate) hook: Option<usize>,
    pub(crate) matcher: Option<usize>,
    pub(crate) script: Option<usize>,
    pub(crate) timeout: Option<usize>,
}

impl PortableHook {
    /// A hook of which nothing but its event is known.
    pub(crate) fn of_event(facts: &Facts, event: &str) -> Self {
        Self::new(facts, event, None)
    }

    /// As [`PortableHook::of_event`], with its place.
    fn new(facts: &Facts, event: &str, at: Option<usize>) -> Self {
        Self {
            name: None,
            event: event.to_owned(),
            facts: facts.event(event),
            tools: Tools::Any,
            matcher: None,
            argument: None,
            conditions: Vec::new(),
            handler: PortableHandler::Other(String::new()),
            environment: Vec::new(),
            cwd: None,
            timeout: None,
            policy: None,
            description: None,
            enabled: true,
            priority: 0,
            own_fields: Vec::new(),
            places: Places { hook: at, ..Places::default() },
        }
    }

    /// Whether a failure of this hook blocks what it guards.
    pub(crate) fn fails_closed(&self) -> bool {
        self.facts.is_some_and(|facts| match facts.failure {
            Failure::Open => false,
            Failure::Closed => true,
            Failure::Choice => self.closes() == Some(true),
        })
    }

    /// Whether the config says that a failure blocks; `None`: it says nothing.
    pub(crate) fn closes(&self) -> Option<bool> {
        self.policy.as_deref().map(|policy| policy == "block")
    }

    /// For messages.
    pub(crate) fn label(&self) -> String {
        match &self.name {
            Some(name) => format!("{name} ({})", self.event),
            None => self.event.clone(),
        }
    }

    pub(crate) fn script(&self) -> Option<&str> {
        match &self.handler {
            PortableHandler::Script(text) => Some(text),
            _ => None,
        }
    }
}

impl Facts {
    pub(crate) fn event(&self, name: &str) -> Option<&'static EventRow> {
        self.events.iter().find(|event| event.name == name)
    }
}

/// A hook to be written in a dialect.
#[derive(Clone, Debug)]
pub(crate) struct Draft {
    pub(crate) name: Option<String>,
    pub(crate) event: &'static EventRow,
    pub(crate) tools: Tools,
    pub(crate) argument: Option<ArgumentTest>,
    pub(crate) script: String,
    pub(crate) environment: Vec<(String, String)>,
    pub(crate) cwd: Option<String>,
    pub(crate) timeout: Option<Duration>,
    pub(crate) closed: bool,
    /// The dialect's own word for that, where the hook comes from it.
    pub(crate) policy: Option<String>,
    /// Filters that are not about tools or arguments, where the hook comes from the dialect.
    pub(crate) conditions: Vec<(&'static str, String)>,
    pub(crate) description: Option<String>,
    pub(crate) enabled: bool,
    pub(crate) priority: i64,
}

impl Draft {
    /// What a condition asks for.
    fn condition(&self, field: &str) -> Option<&str> {
        self.conditions.iter().find(|(name, _)| *name == field).map(|(_, text)| text.as_str())
    }
}

/// Whether an event's payload tells what another dialect's condition tests, a member of the neutral form.
pub(crate) fn tells(dialect: Dialect, event: &EventRow, field: &str) -> bool {
    let name = match (dialect, field) {
        (Dialect::DockerAgent, "trigger") => "source",
        _ => field,
    };
    event.payload.contains(&name)
}

/// The time that a config of the dialect can say and that comes closest, not below.
pub(crate) fn writable(dialect: Dialect, time: Duration) -> Duration {
    match dialect {
        Dialect::ClaudeCode | Dialect::Goclaw => time,
        Dialect::Everruns => time.max(Duration::from_millis(100)),
        Dialect::DockerAgent | Dialect::Agentao | Dialect::Infer => Duration::from_secs(whole_seconds(time)),
    }
}

/// The facts of a dialect.
pub(crate) const fn facts(dialect: Dialect) -> &'static Facts {
    match dialect {
        Dialect::Everruns => &everruns::FACTS,
        Dialect::DockerAgent => &docker_agent::FACTS,
        Dialect::ClaudeCode => &claude_code::FACTS,
        Dialect::Agentao => &agentao::FACTS,
        Dialect::Infer => &infer::FACTS,
        Dialect::Goclaw => &goclaw::FACTS,
    }
}

/// What a matcher about something else than a tool lets through, as an expression over the value.
pub(crate) fn condition(dialect: Dialect, event: &str, text: &str) -> Tools {
    match dialect {
        Dialect::ClaudeCode => claude_code::matcher_of(event, text),
        _ => Tools::whole_regex(text),
    }
}

// Lenient readers of nodes.

fn text(node: &Node, name: &str) -> Option<String> {
    node.get(name).and_then(Node::as_str).map(str::to_owned)
}

fn texts(node: Option<&Node>) -> Vec<String> {
    node.and_then(Node::as_array).unwrap_or(&[]).iter().filter_map(Node::as_str).map(str::to_owned).collect()
}

fn number(node: &Node, name: &str) -> Option<f64> {
    match &node.get(name)?.kind {
        NodeKind::Number(number) => number.as_f64(),
        _ => None,
    }
}

fn flag(node: &Node, name: &str) -> Option<bool> {
    match &node.get(name)?.kind {
        NodeKind::Bool(value) => Some(*value),
        _ => None,
    }
}

/// Seconds that make sense as a time.
fn seconds(number: f64) -> Option<Duration> {
    (number > 0.0).then(|| Duration::try_from_secs_f64(number).ok()).flatten()
}

fn pairs(node: Option<&Node>) -> Vec<(String, String)> {
    let members = node.map_or(&[][..], Node::members);
    members
        .iter()
        .filter_map(|member| Some((member.name.clone(), member.value.as_str()?.to_owned())))
        .collect()
}

fn place(node: &Node, name: &str) -> Option<usize> {
    node.get(name).and_then(|value| value.at)
}

/// The elements of a list, or the value itself.
fn one_or_more(node: &Node) -> &[Node] {
    node.as_array().unwrap_or(std::slice::from_ref(node))
}

/// Which of these fields are set.
fn set_fields(node: &Node, names: &[&str]) -> Vec<String> {
    names.iter().filter(|name| node.get(name).is_some()).map(|&name| name.to_owned()).collect()
}

/// Whole seconds, at least one.
fn whole_seconds(time: Duration) -> u64 {
    let seconds = time.as_secs().saturating_add(u64::from(time.subsec_nanos() > 0));
    seconds.max(1)
}

/// The script with the hook's variables in front, for dialects whose hooks have none of their own.
fn with_environment(hook: &Draft) -> String {
    let mut script = String::new();
    for (name, value) in &hook.environment {
        let _ = writeln!(script, "export {name}={}", quoted(value));
    }
    script.push_str(&hook.script);
    script
}

/// A text as one word of a shell.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

fn object(pairs: &[(String, String)]) -> Value {
    Value::Object(pairs.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str()))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of events in the documentation: for each dialect its column's cells.
    fn columns() -> Vec<Vec<String>> {
        let page = include_str!("../dialect/EVENTS.md");
        let rows: Vec<Vec<String>> = page
            .lines()
            .skip_while(|line| !line.starts_with("| moment | everruns |"))
            .take_while(|line| line.starts_with('|'))
            .map(|line| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect())
            .collect();
        let names: Vec<&str> = Dialect::ALL.iter().map(|dialect| dialect.name()).collect();
        assert_eq!(rows[0][1..], names);
        (1..=names.len()).map(|column| rows[2..].iter().map(|row| row[column].clone()).collect()).collect()
    }

    #[test]
    fn the_documentation_lists_every_event_and_what_it_can_stop() {
        for (dialect, cells) in Dialect::ALL.iter().zip(columns()) {
            let shown: Vec<&str> = cells.iter().flat_map(|cell| cell.split(", ")).collect();
            let shown: Vec<&str> = shown.into_iter().filter(|cell| !cell.is_empty()).collect();
            let wanted = facts(*dialect).events.iter().map(|event| {
                if event.blocks { format!("**`{}`**", event.name) } else { format!("`{}`", event.name) }
            });
            let (mut shown, mut wanted): (Vec<_>, Vec<_>) =
                (shown.into_iter().map(str::to_owned).collect(), wanted.collect());
            shown.sort();
            wanted.sort();
            assert_eq!(shown, wanted, "{dialect}");
        }
    }
}
