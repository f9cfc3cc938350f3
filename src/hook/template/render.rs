//! Walks the tree of a template over a payload. Blocks and parentheses nest as deep as the parser lets them; steps are counted,
//! for loops can stand in loops.

use super::function::{Function, MOST_BYTES};
use super::parser::{Block, BlockKind, Command, Node, Operand, Pipeline};
use super::print;
use super::structure::Structure;
use super::value::{GoValue, Missing};
use serde_json::{Map, Value};

/// The name of the variable that holds the payload: `$`.
pub(super) const ROOT: &str = "";

/// Most nodes, commands and rounds of loops of one prompt.
const MOST_STEPS: u32 = 100_000;

/// The prompt for a payload.
pub(super) fn render(
    nodes: &[Node],
    of: &'static Structure,
    payload: &Map<String, Value>,
    missing: Missing,
) -> Result<String, String> {
    let root = GoValue::Payload(payload, of);
    let mut renderer =
        Renderer { out: String::new(), steps: 0, missing, variables: vec![(ROOT.to_owned(), root.clone())] };
    renderer.nodes(nodes, &root)?;
    Ok(renderer.out)
}

struct Renderer<'v> {
    out: String,
    steps: u32,
    missing: Missing,
    variables: Vec<(String, GoValue<'v>)>,
}

/// How a list of nodes ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    Through,
    Break,
    Continue,
}

impl<'v> Renderer<'v> {
    fn step(&mut self) -> Result<(), String> {
        self.steps = self.steps.saturating_add(1);
        if self.steps > MOST_STEPS {
            return Err(format!("the prompt takes more than {MOST_STEPS} steps"));
        }
        if self.out.len() > MOST_BYTES {
            return Err(format!("the prompt is longer than {MOST_BYTES} bytes"));
        }
        Ok(())
    }

    fn nodes(&mut self, nodes: &[Node], dot: &GoValue<'v>) -> Result<Flow, String> {
        for node in nodes {
            self.step()?;
            match node {
                Node::Text(text) => self.out.push_str(text),
                Node::Action(pipeline) => {
                    let value = self.pipeline(pipeline, dot)?;
                    if pipeline.variables.is_empty() {
                        print::append(&mut self.out, &value);
                    }
                }
                Node::Break => return Ok(Flow::Break),
                Node::Continue => return Ok(Flow::Continue),
                Node::Block(block) => {
                    let known = self.variables.len();
                    let flow = self.block(block, dot)?;
                    self.variables.truncate(known);
                    if flow != Flow::Through {
                        return Ok(flow);
                    }
                }
            }
        }
        self.step()?;
        Ok(Flow::Through)
    }

    fn block(&mut self, block: &Block, dot: &GoValue<'v>) -> Result<Flow, String> {
        let Block { kind, pipeline, body, otherwise } = block;
        if *kind == BlockKind::Range {
            return self.range(block, dot);
        }
        let value = self.pipeline(pipeline, dot)?;
        if !value.is_true() {
            return self.nodes(otherwise, dot);
        }
        self.nodes(body, if *kind == BlockKind::With { &value } else { dot })
    }

    fn range(&mut self, block: &Block, dot: &GoValue<'v>) -> Result<Flow, String> {
        let over = self.value(&block.pipeline, dot)?;
        let items = Self::items(&over)?;
        let mut is_empty = true;
        let known = self.variables.len();
        for (key, item) in items {
            is_empty = false;
            self.step()?;
            let values = match block.pipeline.variables.len() {
                0 => Vec::new(),
                1 => vec![item.clone()],
                _ => vec![key, item.clone()],
            };
            for (name, value) in block.pipeline.variables.iter().zip(values) {
                self.set(name, value, block.pipeline.declares);
            }
            let flow = self.nodes(&block.body, &item)?;
            self.variables.truncate(known);
            if flow == Flow::Break {
                break;
            }
        }
        if is_empty { self.nodes(&block.otherwise, dot) } else { Ok(Flow::Through) }
    }

    /// Keys and items of what a loop goes over.
    fn items(over: &GoValue<'v>) -> Result<Vec<(GoValue<'v>, GoValue<'v>)>, String> {
        let integer = |place: usize| GoValue::Integer(i64::try_from(place).unwrap_or(i64::MAX));
        match over {
            GoValue::Nil => Ok(Vec::new()),
            GoValue::Integer(count) => {
                let most = i64::from(MOST_STEPS.saturating_add(1));
                let count = usize::try_from((*count).min(most)).unwrap_or(0);
                Ok((0..count).map(|place| (integer(place), integer(place))).collect())
            }
            GoValue::Record(Value::Array(items), _) => Ok((0..items.len())
                .filter_map(|place| Some((integer(place), over.item(|tree| tree.get(place))?)))
                .collect()),
            GoValue::Tree(tree) => Ok(match tree.as_ref() {
                Value::Array(items) => (0..items.len())
                    .filter_map(|place| Some((integer(place), over.item(|tree| tree.get(place))?)))
                    .collect(),
                Value::Object(members) => print::sorted(members)
                    .into_iter()
                    .filter_map(|(key, _)| {
                        Some((GoValue::text(key.clone()), over.item(|tree| tree.get(key))?))
                    })
                    .collect(),
                _ => Vec::new(),
            }),
            other => Err(format!("range can not go over a value of type {}", other.type_name())),
        }
    }

    fn set(&mut self, name: &str, value: GoValue<'v>, declares: bool) {
        let known = self.variables.iter_mut().rev().find(|(known, _)| known == name);
        match known {
            Some((_, old)) if !declares => *old = value,
            _ => self.variables.push((name.to_owned(), value)),
        }
    }

    /// The value of a pipeline, after its variables have it.
    fn pipeline(&mut self, pipeline: &Pipeline, dot: &GoValue<'v>) -> Result<GoValue<'v>, String> {
        let value = self.value(pipeline, dot)?;
        if let Some(name) = pipeline.variables.first() {
            self.set(name, value.clone(), pipeline.declares);
        }
        Ok(value)
    }

    fn value(&mut self, pipeline: &Pipeline, dot: &GoValue<'v>) -> Result<GoValue<'v>, String> {
        let mut last = None;
        for command in &pipeline.commands {
            self.step()?;
            last = Some(match command {
                Command::Value(operand) => self.operand(operand, dot)?,
                Command::BuiltinCall(function, operands) => self.call(*function, operands, last, dot)?,
            });
        }
        Ok(last.unwrap_or(GoValue::Nil))
    }

    fn call(
        &mut self,
        function: Function,
        operands: &[Operand],
        piped: Option<GoValue<'v>>,
        dot: &GoValue<'v>,
    ) -> Result<GoValue<'v>, String> {
        // These two look at no more than they need.
        if matches!(function, Function::And | Function::Or) {
            let mut value = None;
            for operand in operands {
                let one = self.operand(operand, dot)?;
                if one.is_true() == (function == Function::Or) {
                    return Ok(one);
                }
                value = Some(one);
            }
            return piped.or(value).ok_or_else(|| "`and` and `or` need an argument".to_owned());
        }
        let mut arguments = Vec::with_capacity(operands.len().saturating_add(1));
        for operand in operands {
            arguments.push(self.operand(operand, dot)?);
        }
        arguments.extend(piped);
        function.call(&arguments)
    }

    fn operand(&mut self, operand: &Operand, dot: &GoValue<'v>) -> Result<GoValue<'v>, String> {
        match operand {
            Operand::Dot(path) => dot.clone().follow(path, self.missing),
            Operand::Variable(name, path) => {
                let known = self.variables.iter().rev().find(|(known, _)| known == name);
                let (_, value) = known.ok_or_else(|| format!("undefined variable `${name}`"))?;
                value.clone().follow(path, self.missing)
            }
            Operand::Text(text) => Ok(GoValue::text(text.clone())),
            Operand::Integer(integer) => Ok(GoValue::Integer(*integer)),
            Operand::Float(float) => Ok(GoValue::Float(*float)),
            Operand::Bool(flag) => Ok(GoValue::Bool(*flag)),
            Operand::Nil => Ok(GoValue::Nil),
            Operand::Group(pipeline, path) => self.value(pipeline, dot)?.follow(path, self.missing),
            Operand::BuiltinCall(function) => self.call(*function, &[], None, dot),
        }
    }
}
