//! What a template asks of the payload that no payload has: such a template fails whenever it is rendered.
//!
//! Only fields of the payload itself are known before there is one; what `with` and `range` make the dot is not.

use super::parser::{Block, BlockKind, Command, Node, Operand, Pipeline};
use super::render::ROOT;
use super::structure::Structure;

/// The first field that the payload's structure does not have.
pub(super) fn unknown_field<'n>(nodes: &'n [Node], payload: &Structure) -> Option<&'n str> {
    of_nodes(nodes, payload, true)
}

/// `is_payload`: the dot is the payload.
fn of_nodes<'n>(nodes: &'n [Node], payload: &Structure, is_payload: bool) -> Option<&'n str> {
    nodes.iter().find_map(|node| match node {
        Node::Action(pipeline) => of_pipeline(pipeline, payload, is_payload),
        Node::Block(block) => of_block(block, payload, is_payload),
        Node::Text(_) | Node::Break | Node::Continue => None,
    })
}

fn of_block<'n>(block: &'n Block, payload: &Structure, is_payload: bool) -> Option<&'n str> {
    let Block { kind, pipeline, body, otherwise } = block;
    of_pipeline(pipeline, payload, is_payload)
        .or_else(|| of_nodes(body, payload, is_payload && *kind == BlockKind::If))
        .or_else(|| of_nodes(otherwise, payload, is_payload))
}

fn of_pipeline<'n>(pipeline: &'n Pipeline, payload: &Structure, is_payload: bool) -> Option<&'n str> {
    pipeline.commands.iter().find_map(|command| match command {
        Command::Value(operand) => of_operand(operand, payload, is_payload),
        Command::BuiltinCall(_, operands) => {
            operands.iter().find_map(|operand| of_operand(operand, payload, is_payload))
        }
    })
}

fn of_operand<'n>(operand: &'n Operand, payload: &Structure, is_payload: bool) -> Option<&'n str> {
    let path = match operand {
        Operand::Dot(path) if is_payload => path,
        Operand::Variable(name, path) if name == ROOT => path,
        Operand::Group(pipeline, _) => return of_pipeline(pipeline, payload, is_payload),
        _ => return None,
    };
    path.first().map(String::as_str).filter(|name| payload.field(name).is_none())
}
