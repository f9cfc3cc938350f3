//! Evaluator hooks (6.4 of the contract): a named assessment of the platform judges a call, or says to which agent a conversation
//! goes. The assessment is the host's ([`Request::Builtin`] with the name `evaluator`); the policy is applied here.

use super::event::EventName;
use super::output::{self, DockerAgentAnswer, Terms, failure};
use crate::document::{Member, Node, NodeKind};
use crate::hook::field::{Fault, Fields};
use crate::hook::request::{BuiltinRequest, Request};
use crate::hook::script::{Ended, ScriptOutcome};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// How far the sum of probabilities may be from one.
const SUM_TOLERANCE: f64 = 0.001;

/// Choices of an evaluator.
pub(super) const MOST_CHOICES: usize = 255;
/// Faults that are told of one file's evaluators.
const MOST_FAULTS: usize = 100;
/// Levels of an evaluator that scores.
const MOST_LEVELS: usize = 10;

/// What an evaluator hook does with an assessment.
#[derive(Clone, Debug)]
pub(super) struct Evaluator {
    name: Arc<str>,
    policy: Policy,
}

#[derive(Clone, Debug)]
struct Policy {
    /// An outcome, and the decision or the agent that it stands for.
    outcomes: BTreeMap<String, String>,
    /// Below it the fallback holds.
    least: f64,
    fallback: Fallback,
}

#[derive(Clone, Debug)]
enum Fallback {
    /// `ask` or `deny`.
    Decision(String),
    /// The agent's default, where it has one.
    Agent(Option<Arc<str>>),
}

/// The evaluators that a file defines, with their types and choices.
#[derive(Debug, Default)]
pub(super) struct Evaluators(Option<BTreeMap<String, Definition>>);

#[derive(Debug)]
struct Definition {
    kind: String,
    choices: Vec<String>,
}

impl Evaluators {
    /// Those of a whole agent file; elsewhere nobody knows which there are.
    pub(super) fn read(file: &Node) -> Self {
        if file.get("agents").is_none() {
            return Self(None);
        }
        let definition = |node: &Node| {
            let kind = node.get("type").and_then(Node::as_str).unwrap_or_default().to_owned();
            let choices = node.get("choices").map_or(&[][..], Node::members);
            let choices = choices.iter().take(MOST_CHOICES).map(|choice| choice.name.clone()).collect();
            Definition { kind, choices }
        };
        let members = file.get("evaluators").map_or(&[][..], Node::members);
        Self(Some(members.iter().map(|member| (member.name.clone(), definition(&member.value))).collect()))
    }
}

/// What is wrong with the evaluators that a file defines, the first fault of each.
pub(super) fn faults(file: &Node) -> Vec<Fault> {
    let Some(all) = file.get("evaluators") else { return Vec::new() };
    if !all.is_object() {
        return vec![Fault::wrong_type(all, "evaluators", "a mapping of evaluators by name")];
    }
    let fault = |member: &Member| {
        let prefix = format!("evaluators.{}.", member.name);
        let read = Fields::new(&member.value, &prefix).and_then(|fields| definition(&fields));
        read.err().map(|fault| Fault { at: fault.at.or(member.at), ..fault })
    };
    all.members().iter().filter_map(fault).take(MOST_FAULTS).collect()
}

/// Whether a definition can be taken.
fn definition(fields: &Fields<'_, '_>) -> Result<(), Fault> {
    for name in ["model", "instructions"] {
        if fields.text(name)?.is_none_or(|text| text.trim().is_empty()) {
            return Err(fields.fault(name, "a text is wanted"));
        }
    }
    let count = |name: &str, items: usize| fields.node.get(name).map_or(0, |_| items);
    let choices = fields.text_members("choices")?;
    let levels = fields.texts("levels")?.unwrap_or_default();
    let (choices, levels) = (count("choices", choices.len()), count("levels", levels.len()));
    let is_one_of = |most: usize, count: usize| (2..=most).contains(&count);
    match fields.text("type")? {
        Some("boolean") if choices > 0 => {
            Err(fields.fault("choices", "an evaluator of type boolean has none"))
        }
        Some("boolean" | "choice") if levels > 0 => {
            Err(fields.fault("levels", "they are for evaluators of type score"))
        }
        Some("choice") if !is_one_of(MOST_CHOICES, choices) => Err(fields
            .fault("choices", &format!("2 to {MOST_CHOICES} are wanted, by name, with what each means"))),
        Some("score") if choices > 0 => {
            Err(fields.fault("choices", "they are for evaluators of type choice"))
        }
        Some("score") if !is_one_of(MOST_LEVELS, levels) => {
            Err(fields.fault("levels", &format!("2 to {MOST_LEVELS} are wanted")))
        }
        Some("boolean" | "choice" | "score") => Ok(()),
        Some(other) => Err(fields.fault("type", &format!("'{other}' is not one of: boolean, choice, score"))),
        None => Err(fields.fault("type", "one of boolean, choice and score is wanted")),
    }
}

/// The agent to which a routing evaluator that can not decide sends the conversation.
pub(super) fn default_route(agent: &Node) -> Option<Arc<str>> {
    agent.get("routing")?.get("default_agent")?.as_str().map(Arc::from)
}

impl Evaluator {
    pub(super) fn read(
        node: &Node,
        event: EventName,
        default_route: Option<Arc<str>>,
        known: &Evaluators,
    ) -> Result<Self, Fault> {
        let fields = Fields { node, prefix: "." };
        let name = fields.text("evaluator")?.filter(|name| !name.trim().is_empty());
        let name = name.ok_or_else(|| Fault::new(node.at, ": evaluator is required for evaluator hooks"))?;
        let (judges, routes) = (fields.object("evaluator_policy")?, fields.object("routing_policy")?);
        let policy = match (judges, routes) {
            (Some(_), Some(_)) => {
                return Err(Fault::new(node.at, ": evaluator_policy and routing_policy exclude each other"));
            }
            (Some(policy), None) if event == EventName::ToolGuard => Policy::judging(policy)?,
            (None, Some(policy)) if event.routes() => Policy::routing(policy, default_route)?,
            _ if event.routes() => {
                return Err(Fault::new(node.at, ": routing_policy is required on this event"));
            }
            _ if event == EventName::ToolGuard => {
                return Err(Fault::new(node.at, ": evaluator_policy is required on this event"));
            }
            _ => {
                let message =
                    ": evaluator hooks are for tool_guard, before_agent_run and after_agent_complete";
                return Err(Fault::new(node.at, message));
            }
        };
        if let Some(all) = &known.0 {
            let Some(definition) = all.get(name) else {
                return Err(fields.fault("evaluator", &format!("unknown evaluator '{name}'")));
            };
            policy.fits(definition).map_err(|why| fields.fault("evaluator", &why))?;
        }
        Ok(Self { name: name.into(), policy })
    }

    /// The question: what an assessment gets to see of the event is little.
    pub(super) fn request(&self, event: EventName, payload: &Map<String, Value>, category: &str) -> Request {
        let member = |name: &str| payload.get(name).cloned().unwrap_or(Value::Null);
        let payload = if event.routes() {
            // What is empty is left out of the payload, and here.
            let others = ["previous_output", "output", "conversation"].into_iter();
            let others = others.filter_map(|name| Some((name.to_owned(), payload.get(name)?.clone())));
            let input = payload.get("task_input").cloned().unwrap_or_else(|| "".into());
            Value::Object([("input".to_owned(), input)].into_iter().chain(others).collect())
        } else {
            json!({"tool_name": member("tool_name"), "tool_input": member("tool_input"), "tool_category": category})
        };
        let arguments = vec![self.name.to_string()];
        Request::Builtin(BuiltinRequest { name: "evaluator".to_owned(), arguments, payload })
    }

    /// What an assessment means, read as a verdict.
    pub(super) fn read_answer(&self, terms: &Terms, outcome: &ScriptOutcome) -> DockerAgentAnswer {
        let is_answer = outcome.end == Ended::Exited && outcome.status == 0;
        let assessed: Value = serde_json::from_slice(&outcome.stdout).unwrap_or_default();
        let verdict = match &self.policy.fallback {
            Fallback::Decision(fallback) => match is_answer.then(|| Policy::outcome(&assessed)) {
                Some(Ok((choice, probability))) => {
                    let found =
                        self.policy.outcomes.get(&choice).filter(|_| probability >= self.policy.least);
                    let reason = found.map_or("was not sure enough", |_| "decided");
                    let of_choice =
                        Route { choice: Some(&choice), probability: Some(probability), ..Route::default() };
                    json!({"hook_specific_output": {"permission_decision": found.unwrap_or(fallback),
                        "permission_decision_reason": format!("the evaluator {reason}: {choice}"),
                        "metadata": self.metadata(Some(&assessed), &of_choice)}})
                }
                Some(Err(why)) => {
                    return failure(
                        outcome,
                        format!("evaluator '{}': {why}", self.name),
                        "6.4: an unusable assessment",
                    );
                }
                None => return output::interrupted_or_failed(terms, outcome),
            },
            Fallback::Agent(None) => {
                let cause =
                    format!("evaluator '{}' routes, and the agent has no routing.default_agent", self.name);
                return failure(outcome, cause, "6.4: no default route");
            }
            // Who gave no answer in the hook's time did not answer otherwise than expected: nothing is known.
            Fallback::Agent(_) if is_interrupted(&outcome.end) => {
                return output::interrupted_or_failed(terms, outcome);
            }
            Fallback::Agent(Some(default)) => {
                let found = if is_answer {
                    self.policy.route(&assessed)
                } else {
                    Route { fallback: Some("evaluator_failed"), ..Route::default() }
                };
                let agent = found.agent.unwrap_or(default);
                json!({"hook_specific_output": {"transition": {"action": "route", "agent": agent},
                    "metadata": self.metadata(is_answer.then_some(&assessed), &found)}})
            }
        };
        output::read(terms, &ScriptOutcome::exited(0, verdict.to_string(), ""))
    }

    /// What is known of an assessment, as far as it was looked at.
    fn metadata(&self, assessed: Option<&Value>, found: &Route<'_>) -> Value {
        let text = |name: &str| assessed?.get(name)?.as_str().filter(|text| !text.trim().is_empty());
        let all = [
            ("evaluator", Some(self.name.to_string())),
            ("evaluator_type", text("type").map(str::to_owned)),
            ("evaluator_choice", found.choice.filter(|choice| !choice.is_empty()).map(str::to_owned)),
            ("evaluator_probability", found.probability.map(|number| number.to_string())),
            ("evaluator_model", text("model").map(str::to_owned)),
            ("fallback_reason", found.fallback.map(str::to_owned)),
        ];
        let known = all.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.into())));
        Value::Object(known.collect())
    }
}

/// The hook's own time or a limit ended the question.
const fn is_interrupted(end: &Ended) -> bool {
    !matches!(end, Ended::Exited | Ended::NotStarted(_))
}

/// What an assessment that says where to go comes to.
#[derive(Debug, Default)]
struct Route<'a> {
    choice: Option<&'a str>,
    probability: Option<f64>,
    agent: Option<&'a str>,
    /// Why the agent's default holds.
    fallback: Option<&'static str>,
}

impl Policy {
    fn judging(node: &Node) -> Result<Self, Fault> {
        let fields = Fields { node, prefix: ".evaluator_policy." };
        let outcomes = outcomes(&fields, "decisions")?;
        if let Some(other) = outcomes.values().find(|word| !matches!(word.as_str(), "allow" | "ask" | "deny"))
        {
            return Err(fields.fault("decisions", &format!("'{other}' is not one of: allow, ask, deny")));
        }
        let fallback = fields.text("fallback")?.filter(|word| matches!(*word, "ask" | "deny"));
        let fallback = fallback.ok_or_else(|| fields.fault("fallback", "must be ask or deny"))?;
        Ok(Self { outcomes, least: least(&fields)?, fallback: Fallback::Decision(fallback.to_owned()) })
    }

    fn routing(node: &Node, default: Option<Arc<str>>) -> Result<Self, Fault> {
        let fields = Fields { node, prefix: ".routing_policy." };
        Ok(Self {
            outcomes: outcomes(&fields, "routes")?,
            least: least(&fields)?,
            fallback: Fallback::Agent(default),
        })
    }

    /// Whether an evaluator can have these outcomes; the error is what it can not.
    fn fits(&self, evaluator: &Definition) -> Result<(), String> {
        let is_guard = matches!(self.fallback, Fallback::Decision(_));
        if evaluator.kind == "boolean" && is_guard {
            let other = self.outcomes.keys().find(|key| !matches!(key.as_str(), "true" | "false"));
            return other.map_or(Ok(()), |key| Err(format!("a boolean has no outcome '{key}'")));
        }
        if evaluator.kind != "choice" {
            return Err(format!("an evaluator of type '{}' does not decide this", evaluator.kind));
        }
        let other = self.outcomes.keys().find(|key| !evaluator.choices.contains(key));
        other.map_or(Ok(()), |key| Err(format!("the evaluator has no choice '{key}'")))
    }

    /// The outcome of an assessment and how probable it is.
    fn outcome(assessed: &Value) -> Result<(String, f64), &'static str> {
        let probability = |value: Option<&Value>| {
            value.and_then(Value::as_f64).filter(|number| (0.0..=1.0).contains(number))
        };
        match assessed.get("type").and_then(Value::as_str) {
            Some("boolean") => {
                let of_true =
                    probability(assessed.get("probability")).ok_or("the assessment has no probability")?;
                let is_true = of_true >= 0.5;
                Ok((is_true.to_string(), if is_true { of_true } else { 1.0 - of_true }))
            }
            Some("choice") => {
                let choice = assessed.get("choice").and_then(Value::as_str).unwrap_or_default();
                let of_choice = assessed.get("probabilities").and_then(|all| all.get(choice));
                let of_choice =
                    probability(of_choice).ok_or("the assessment has no probability of its choice")?;
                Ok((choice.to_owned(), of_choice))
            }
            _ => Err("the assessment is neither a boolean nor a choice"),
        }
    }

    /// Where an assessment sends the conversation: its probabilities are looked at first, then its choice.
    fn route<'a>(&'a self, assessed: &'a Value) -> Route<'a> {
        let because = |fallback: &'static str| Route { fallback: Some(fallback), ..Route::default() };
        if assessed.get("type").and_then(Value::as_str) != Some("choice") {
            return because("invalid_result");
        }
        let choice = assessed.get("choice").and_then(Value::as_str).unwrap_or_default();
        let because = |fallback| Route { choice: Some(choice), ..because(fallback) };
        let empty = Map::new();
        let all = assessed.get("probabilities").and_then(Value::as_object).unwrap_or(&empty);
        let numbers = self.outcomes.keys().map(|key| all.get(key).and_then(Value::as_f64));
        let numbers: Option<Vec<f64>> =
            numbers.map(|number| number.filter(|number| (0.0..=1.0).contains(number))).collect();
        let Some(numbers) = numbers.filter(|numbers| {
            let sum: f64 = numbers.iter().sum();
            numbers.len() == all.len() && (sum - 1.0).abs() <= SUM_TOLERANCE
        }) else {
            return because("invalid_result");
        };
        let Some(agent) = self.outcomes.get(choice) else { return because("unknown_choice") };
        let of_choice = all.get(choice).and_then(Value::as_f64).unwrap_or(0.0);
        let because = |fallback| Route { probability: Some(of_choice), ..because(fallback) };
        if numbers.iter().filter(|number| **number >= of_choice).count() > 1 {
            because("tie")
        } else if of_choice < self.least {
            because("below_threshold")
        } else {
            Route { choice: Some(choice), probability: Some(of_choice), agent: Some(agent), fallback: None }
        }
    }
}

/// An object of texts that has members.
fn outcomes(fields: &Fields<'_, '_>, name: &str) -> Result<BTreeMap<String, String>, Fault> {
    let members = fields.text_members(name)?;
    if members.is_empty() {
        return Err(fields.fault(name, "must not be empty"));
    }
    Ok(members.into_iter().map(|(member, value)| (member.name.clone(), value.to_owned())).collect())
}

fn least(fields: &Fields<'_, '_>) -> Result<f64, Fault> {
    let number = match fields.node.get("min_probability").map(|node| &node.kind) {
        Some(NodeKind::Number(number)) => number.as_f64(),
        _ => None,
    };
    let number = number.filter(|number| *number > 0.0 && *number <= 1.0);
    number.ok_or_else(|| fields.fault("min_probability", "must be greater than 0 and at most 1"))
}
