//! What a template asks of the payload that no payload has: such a prompt fails its hook whenever it is rendered.
//!
//! Only fields of the payload itself are known before there is one; what `with` and `range` make the dot is not.

use super::parser::{Block, BlockKind, Command, Node, Operand, Pipeline};
use super::render::ROOT;
use super::value::is_field;

/// The first field of the payload that there is not.
pub(super) fn unknown_field(nodes: &[Node]) -> Option<&str> {
    of_nodes(nodes, true)
}

/// `is_payload`: the dot is the payload.
fn of_nodes(nodes: &[Node], is_payload: bool) -> Option<&str> {
    nodes.iter().find_map(|node| match node {
        Node::Action(pipeline) => of_pipeline(pipeline, is_payload),
        Node::Block(block) => of_block(block, is_payload),
        Node::Text(_) | Node::Break | Node::Continue => None,
    })
}

fn of_block(block: &Block, is_payload: bool) -> Option<&str> {
    let Block { kind, pipeline, body, otherwise } = block;
    of_pipeline(pipeline, is_payload)
        .or_else(|| of_nodes(body, is_payload && *kind == BlockKind::If))
        .or_else(|| of_nodes(otherwise, is_payload))
}

fn of_pipeline(pipeline: &Pipeline, is_payload: bool) -> Option<&str> {
    pipeline.commands.iter().find_map(|command| match command {
        Command::Value(operand) => of_operand(operand, is_payload),
        Command::BuiltinCall(_, operands) => {
            operands.iter().find_map(|operand| of_operand(operand, is_payload))
        }
    })
}

fn of_operand(operand: &Operand, is_payload: bool) -> Option<&str> {
    let path = match operand {
        Operand::Dot(path) if is_payload => path,
        Operand::Variable(name, path) if name == ROOT => path,
        Operand::Group(pipeline, _) => return of_pipeline(pipeline, is_payload),
        _ => return None,
    };
    path.first().map(String::as_str).filter(|name| !is_field(name))
}
