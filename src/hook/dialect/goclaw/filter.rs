//! Which rows an event selects: whose they are (R4 to R7), and whether matcher and condition let it through (R8 to R10).

use crate::hook::cel::{Kind, Program, Value};
use crate::hook::dialect::goclaw::config::record::{Row, Scope};
use crate::hook::event::EventContext;
use crate::hook::json::cut;
use crate::hook::matcher::{Mismatch, RegexCompiler};

/// What `if_expr` sees, in this order.
pub(super) const VARIABLES: [(&str, Kind); 3] =
    [("tool_name", Kind::String), ("tool_input", Kind::Map), ("depth", Kind::Int)];

/// Cost limit of `if_expr` (R9).
const COST: u64 = 100_000;

#[cfg_attr(not(feature = "tools"), allow(dead_code, reason = "the linter asks"))]
/// Why a condition lets no call through, whatever the call is; `None` where that depends on the call, or where the condition
/// does not compile.
pub(crate) fn never_true(condition: &str) -> Option<&'static str> {
    let mut regexes = RegexCompiler::new(1 << 20);
    let program = Program::compile(condition, &VARIABLES, &mut regexes).ok()?;
    if !matches!(program.kind(), Kind::Bool | Kind::Dyn) {
        return Some("is not a boolean");
    }
    if VARIABLES.iter().any(|(name, _)| condition.contains(name)) {
        return None;
    }
    let input = serde_json::Value::Null;
    let variables = vec![Value::text(""), Value::from_json(&input), Value::Int(0)];
    match program.evaluate(variables, COST) {
        Ok(Value::Bool(true)) => None,
        Ok(Value::Bool(false)) => Some("is always false"),
        Ok(_) => Some("is not a boolean"),
        Err(_) => Some("has no value"),
    }
}

impl Row {
    /// Why the row does not exist for the event's tenant and agent; a tenant that is not the event's sees nothing of it.
    pub(super) fn hidden_from(&self, context: &EventContext) -> Option<&'static str> {
        if self.scope == Scope::Global {
            return None;
        }
        let mine = self.tenant.as_ref().is_none_or(|tenant| context.org_id.as_ref() == Some(tenant));
        let listed = || context.agent_id.as_ref().is_some_and(|agent| self.agents.contains(agent));
        if !mine {
            return Some("it is another tenant's");
        }
        let is_for_all = self.scope == Scope::Tenant && self.agents.is_empty();
        (!is_for_all && !listed()).then_some("it is another agent's")
    }

    /// The matcher, then the condition. A condition without a value skips the hook, as the product has it, or `undecided_run`:
    /// then it runs, and what is returned says why. The reason is in the record either way.
    pub(super) fn test(
        &self,
        tool: &str,
        input: &serde_json::Value,
        depth: u32,
        undecided_run: bool,
    ) -> Result<Option<String>, Mismatch> {
        if let Some(matcher) = &self.matcher
            && !matcher.is_match(tool)
        {
            return Err(Mismatch::Name { wanted: matcher.as_str().to_owned(), found: tool.to_owned() });
        }
        let Some(condition) = &self.condition else { return Ok(None) };
        let variables = vec![Value::text(tool), Value::from_json(input), Value::Int(depth.into())];
        let value = condition.evaluate(variables, COST);
        let is_undecided = !matches!(value, Ok(Value::Bool(_)));
        let why = match value {
            Ok(Value::Bool(true)) => return Ok(None),
            Ok(Value::Bool(false)) => "is false".to_owned(),
            undecided => {
                let why = undecided.err().map_or("is not a boolean".to_owned(), |error| error.to_string());
                if undecided_run {
                    return Ok(Some(format!("if_expr has no value, so the hook runs: {why}")));
                }
                why
            }
        };
        tracing::debug!(target: "hookbox::hook", if_expr = condition.as_str(), why, "hook skipped");
        Err(Mismatch::Condition {
            text: cut(condition.as_str(), 200).to_owned(),
            why,
            undecided: is_undecided,
        })
    }
}
