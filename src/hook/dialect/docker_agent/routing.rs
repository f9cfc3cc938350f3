//! Where hooks may send a conversation (6.4 of the contract): what an agent's `routing` allows, held against the hooks of
//! `before_agent_run` and `after_agent_complete`, which select the next agent.
//!
//! Looked at in a whole agent file, where all agents are known. All faults are told, each at its own place; where there are
//! none, the ways from agent to agent, those of `force_handoff` among them, must not lead back.

use super::evaluator::MOST_CHOICES;
use super::event::EventName;
use crate::document::{Member, Node};
use crate::hook::field::{Fault, Fields, texts};
use rustc_hash::{FxHashMap, FxHashSet};

/// The events on which a hook selects the next agent.
const SELECTING: [EventName; 2] = [EventName::BeforeAgentRun, EventName::AfterAgentComplete];
/// Faults that are told of one file.
const MOST_FAULTS: usize = 100;
/// Names that a message lists, and letters of each that it shows.
const MOST_NAMES: usize = 6;
const MOST_LETTERS: usize = 60;

/// What is wrong with the routing of a file; `has_more` says that hooks come from elsewhere, too.
pub(super) fn faults(file: &Node, has_more: bool) -> Vec<Fault> {
    let agents = file.get("agents").map_or(&[][..], Node::members);
    let routes =
        |agent: &Member| agent.value.get("routing").is_some() || selectors(&agent.value).next().is_some();
    if !agents.iter().any(routes) {
        return Vec::new();
    }
    let by_name = agents.iter().enumerate().map(|(index, agent)| (agent.name.as_str(), index)).collect();
    let evaluators = file.get("evaluators").map_or(&[][..], Node::members).iter();
    let evaluators = evaluators.map(|member| (member.name.as_str(), &member.value)).collect();
    let ways = vec![Vec::new(); agents.len()];
    let mut routing = Routing { agents, by_name, evaluators, has_more, faults: Vec::new(), ways };
    for (index, agent) in agents.iter().enumerate() {
        routing.agent(index, agent);
    }
    if routing.faults.is_empty() {
        routing.circle();
    }
    routing.faults
}

/// The hooks of an agent that select, with their events.
fn selectors(agent: &Node) -> impl Iterator<Item = (EventName, &Node)> {
    SELECTING.into_iter().flat_map(|event| hooks_of(agent, event).iter().map(move |hook| (event, hook)))
}

/// A flat event has a list of hooks, or one hook.
fn hooks_of(agent: &Node, event: EventName) -> &[Node] {
    let hooks = agent.get("hooks").and_then(|hooks| hooks.get(event.name()));
    hooks.map_or(&[][..], |hooks| hooks.as_array().unwrap_or(std::slice::from_ref(hooks)))
}

struct Routing<'n> {
    agents: &'n [Member],
    by_name: FxHashMap<&'n str, usize>,
    /// Evaluators by their names.
    evaluators: FxHashMap<&'n str, &'n Node>,
    has_more: bool,
    faults: Vec<Fault>,
    /// To which agents each can send the conversation.
    ways: Vec<Vec<usize>>,
}

impl<'n> Routing<'n> {
    fn fault(&mut self, at: Option<usize>, message: impl FnOnce() -> String) {
        if self.faults.len() < MOST_FAULTS {
            self.faults.push(Fault::new(at, message()));
        }
    }

    fn way(&mut self, from: usize, name: &str) {
        if let (Some(to), Some(ways)) = (self.by_name.get(name), self.ways.get_mut(from)) {
            ways.push(*to);
        }
    }

    fn agent(&mut self, index: usize, member: &'n Member) {
        let (agent, path) = (&member.value, format!("agents.{}", shown(&member.name)));
        let handoff = agent.get("force_handoff").filter(|to| to.as_str() != Some(""));
        if let Some(to) = handoff.and_then(Node::as_str).filter(|to| *to != member.name) {
            self.way(index, to);
        }
        for event in SELECTING {
            self.only_one(agent, event, &path);
        }
        let Some((event, first)) = selectors(agent).next() else {
            if let Some(routing) = agent.get("routing").filter(|_| !self.has_more) {
                self.fault(routing.at, || {
                    format!("{path}.routing: no hook of the agent selects an agent: add one of before_agent_run or after_agent_complete, or leave routing out")
                });
            }
            return;
        };
        let Some(routing) = agent.get("routing") else {
            let event = event.name();
            return self.fault(first.at, || {
                format!("{path}.hooks.{event}: the hook selects the next agent, and the agent has no routing: add `routing: {{ allowed_agents: [...] }}`")
            });
        };
        if agent.get("harness").is_some() {
            self.fault(first.at, || format!("{path}: an agent with a harness has no hooks that route"));
        }
        if let Some(to) = handoff.filter(|_| !hooks_of(agent, EventName::AfterAgentComplete).is_empty()) {
            self.fault(to.at, || {
                format!(
                    "{path}.force_handoff: after_agent_complete selects the next agent already: leave one of both out"
                )
            });
        }
        let Some(allowed) = self.allowed(member, routing, &path) else { return };
        for (event, hook) in selectors(agent) {
            self.selector(index, member, hook, &format!("{path}.hooks.{}", event.name()), &allowed);
        }
    }

    /// Hooks that are the same count as one.
    fn only_one(&mut self, agent: &Node, event: EventName, path: &str) {
        let hooks = hooks_of(agent, event);
        let Some(first) = hooks.first().filter(|_| hooks.len() > 1).map(Node::to_value) else { return };
        if let Some(other) = hooks.iter().find(|hook| hook.to_value() != first) {
            let event = event.name();
            self.fault(other.at, || {
                format!("{path}.hooks.{event}: one hook selects the next agent, and this is another one")
            });
        }
    }

    /// The agents that may be selected, and the default among them.
    fn allowed(&mut self, agent: &Member, routing: &'n Node, path: &str) -> Option<Allowed<'n>> {
        let prefix = format!("{path}.routing.");
        let fields = match Fields::new(routing, &prefix) {
            Ok(fields) => fields,
            Err(fault) => {
                self.fault(fault.at, || fault.message);
                return None;
            }
        };
        for other in fields.unknown(&["allowed_agents", "default_agent"]) {
            self.fault(other.at, || {
                format!(
                    "{prefix}{}: unknown; routing has allowed_agents and default_agent",
                    shown(&other.name)
                )
            });
        }
        let list =
            routing.get("allowed_agents").filter(|list| texts(list).is_some_and(|list| !list.is_empty()));
        let Some(items) = list.and_then(Node::as_array) else {
            self.fault(fields.at("allowed_agents"), || {
                format!("{prefix}allowed_agents: a list of agents of this file is wanted, one at least")
            });
            return None;
        };
        let mut names = FxHashSet::default();
        for item in items {
            let name = item.as_str().unwrap_or_default();
            let why = match self.by_name.get(name).and_then(|index| self.agents.get(*index)) {
                _ if name == agent.name => "the agent itself is none of those that it may select".to_owned(),
                None => format!("the file has no such agent; it has {}", list_of(self.agents, &agent.name)),
                Some(target) if target.value.get("harness").is_some() => {
                    "an agent with a harness cannot be selected".to_owned()
                }
                Some(_) if names.insert(name) => continue,
                Some(_) => "it stands there twice".to_owned(),
            };
            names.insert(name);
            self.fault(item.at, || format!("{prefix}allowed_agents: '{}': {why}", shown(name)));
        }
        let default = match fields.text("default_agent") {
            Ok(default) => default.filter(|name| !name.is_empty()),
            Err(fault) => {
                self.fault(fault.at, || fault.message);
                None
            }
        };
        if let Some(name) = default.filter(|name| !names.contains(name)) {
            self.fault(fields.at("default_agent"), || {
                format!("{prefix}default_agent: '{}' is none of allowed_agents", shown(name))
            });
        }
        Some(Allowed { names, default, at: routing.at, prefix })
    }

    fn selector(&mut self, index: usize, agent: &Member, hook: &'n Node, path: &str, allowed: &Allowed<'n>) {
        let kind = hook.get("type").and_then(Node::as_str).unwrap_or_default();
        if kind == "model" {
            self.fault(hook.at, || {
                format!("{path}: a model hook cannot select an agent: use a command, or an evaluator of type choice")
            });
        }
        if kind != "evaluator" {
            if let Some(policy) = hook.get("routing_policy") {
                self.fault(policy.at, || format!("{path}.routing_policy: it is for hooks of type evaluator"));
            }
            allowed.names.iter().for_each(|name| self.way(index, name));
            return;
        }
        match allowed.default {
            None => self.fault(allowed.at, || {
                format!("{}default_agent: an evaluator selects the agent: name the one for when it cannot decide, one of allowed_agents", allowed.prefix)
            }),
            Some(default) => self.way(index, default),
        }
        let routes = hook.get("routing_policy").and_then(|policy| policy.get("routes"));
        let members = routes.map_or(&[][..], Node::members);
        for route in members {
            let to = route.value.as_str().unwrap_or_default();
            let choice = shown(&route.name);
            if to == agent.name {
                self.fault(route.value.at, || {
                    format!("{path}.routing_policy.routes.{choice}: it leads to the agent itself")
                });
            } else if !allowed.names.contains(to) {
                self.fault(route.value.at, || {
                    format!(
                        "{path}.routing_policy.routes.{choice}: '{}' is none of routing.allowed_agents",
                        shown(to)
                    )
                });
            }
            self.way(index, to);
        }
        // What the evaluator is, and choices that it has not, are looked at with the hook.
        let name = hook.get("evaluator").and_then(Node::as_str).unwrap_or_default();
        let choices = self.evaluators.get(name).and_then(|evaluator| evaluator.get("choices"));
        let choices = choices.map_or(&[][..], Node::members).iter().take(MOST_CHOICES);
        let given: FxHashSet<&str> = members.iter().map(|route| route.name.as_str()).collect();
        let lacking = choices.into_iter().find(|choice| !given.contains(choice.name.as_str()));
        if let Some(choice) = lacking.filter(|_| routes.is_some_and(Node::is_object)) {
            self.fault(routes.and_then(|routes| routes.at), || {
                format!(
                    "{path}.routing_policy.routes: no route for '{}', a choice of the evaluator",
                    shown(&choice.name)
                )
            });
        }
    }

    /// Agents from which a way leads back to them.
    fn circle(&mut self) {
        let mut left: Vec<usize> = self.ways.iter().map(Vec::len).collect();
        let mut from: Vec<Vec<usize>> = vec![Vec::new(); self.ways.len()];
        for (index, ways) in self.ways.iter().enumerate() {
            for to in ways {
                if let Some(from) = from.get_mut(*to) {
                    from.push(index);
                }
            }
        }
        // Agents without a way on are taken away, as long as there are some.
        let mut ends: Vec<usize> =
            left.iter().enumerate().filter(|(_, ways)| **ways == 0).map(|(index, _)| index).collect();
        while let Some(end) = ends.pop() {
            for index in from.get(end).into_iter().flatten() {
                if let Some(ways) = left.get_mut(*index) {
                    *ways = ways.saturating_sub(1);
                    if *ways == 0 {
                        ends.push(*index);
                    }
                }
            }
        }
        let is_left = |index: usize| left.get(index).is_some_and(|ways| *ways > 0);
        let Some(start) = (0..left.len()).find(|index| is_left(*index)) else { return };
        // Each agent that is left has a way to another one: following them comes back to one that was passed.
        let (mut passed, mut path, mut at) = (FxHashMap::default(), Vec::new(), start);
        while !passed.contains_key(&at) {
            passed.insert(at, path.len());
            path.push(at);
            let next = self.ways.get(at).and_then(|ways| ways.iter().copied().find(|to| is_left(*to)));
            let Some(next) = next else { return };
            at = next;
        }
        let begin = passed.get(&at).copied().unwrap_or(0);
        let circle: Vec<&Member> =
            path.iter().skip(begin).filter_map(|index| self.agents.get(*index)).collect();
        let Some(first) = circle.first() else { return };
        let mut names: Vec<&str> = circle.iter().take(MOST_NAMES).map(|agent| shown(&agent.name)).collect();
        if circle.len() > MOST_NAMES {
            names.push("...");
        }
        names.push(shown(&first.name));
        let (at, names) = (first.at, names.join(" -> "));
        self.fault(at, || {
            format!(
                "agents.{}: the routes lead in a circle, {names}: no agent may be reached again",
                shown(&first.name)
            )
        });
    }
}

/// What an agent's routing allows.
struct Allowed<'n> {
    names: FxHashSet<&'n str>,
    default: Option<&'n str>,
    /// The place of the routing.
    at: Option<usize>,
    /// What stands before its members in messages.
    prefix: String,
}

/// The names of the other agents, some of them.
fn list_of(agents: &[Member], own: &str) -> String {
    let mut others = agents.iter().map(|agent| agent.name.as_str()).filter(|name| *name != own);
    let mut names: Vec<&str> = others.by_ref().take(MOST_NAMES).map(shown).collect();
    if others.next().is_some() {
        names.push("...");
    }
    if names.is_empty() { "no other".to_owned() } else { names.join(", ") }
}

/// A name for a message.
fn shown(name: &str) -> &str {
    name.char_indices().nth(MOST_LETTERS).and_then(|(end, _)| name.get(..end)).unwrap_or(name)
}
