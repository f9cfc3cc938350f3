//! What an expression is made of.

use super::set::Set;
use crate::character::Unit;
use crate::memory::{Box, Vec};

/// What must hold at a place, for which no character is consumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Assertion {
    TextStart,
    TextEnd,
    /// The end of the text, or before a newline that ends it.
    LastLineEnd,
    LineStart,
    LineEnd,
    WordBoundary,
    NotWordBoundary,
    /// Where the search began.
    SearchStart,
}

/// How a repetition chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Greed {
    Greedy,
    Lazy,
    /// What it took is not given back.
    Possessive,
}

#[derive(Debug)]
pub(super) enum Node {
    Empty,
    Character(Unit),
    /// A character whose case does not matter.
    Folded(Unit),
    /// Any but a newline.
    NotNewline,
    Any,
    Set(Set),
    Assert(Assertion),
    /// A group with a number.
    Group(Box<Node>, u32),
    Sequence(Vec<Node>),
    Alternatives(Vec<Node>),
    Repeat {
        node: Box<Node>,
        least: u32,
        most: Option<u32>,
        greed: Greed,
    },
    LookAhead {
        node: Box<Node>,
        is_negated: bool,
    },
    /// Alternatives, each with the number of its characters.
    LookBehind {
        branches: Vec<(Node, u32)>,
        is_negated: bool,
    },
    Atomic(Box<Node>),
    /// What a group matched, and whether its case does not matter.
    Reference(u32, bool),
    /// `\K`: the match begins here.
    Keep,
}

impl Node {
    /// The number of characters that it matches, where that is always the same.
    pub(super) fn width(&self) -> Option<u32> {
        match self {
            Self::Empty | Self::Assert(_) | Self::LookAhead { .. } | Self::LookBehind { .. } | Self::Keep => {
                Some(0)
            }
            Self::Character(_) | Self::Folded(_) | Self::NotNewline | Self::Any | Self::Set(_) => Some(1),
            Self::Group(node, _) | Self::Atomic(node) => node.width(),
            Self::Sequence(nodes) => nodes.iter().try_fold(0_u32, |sum, node| sum.checked_add(node.width()?)),
            Self::Alternatives(nodes) => {
                let first = nodes.first()?.width()?;
                nodes.iter().all(|node| node.width() == Some(first)).then_some(first)
            }
            Self::Repeat { node, least, most, .. } => {
                (Some(*least) == *most).then_some(())?;
                node.width()?.checked_mul(*least)
            }
            Self::Reference(..) => None,
        }
    }

    /// Whether only a machine that goes back can match it.
    pub(super) fn needs_backtracking(&self) -> bool {
        match self {
            Self::LookAhead { .. } | Self::LookBehind { .. } | Self::Atomic(_) | Self::Reference(..) => true,
            Self::Assert(assertion) => *assertion == Assertion::SearchStart,
            Self::Group(node, _) => node.needs_backtracking(),
            Self::Repeat { node, greed, .. } => *greed == Greed::Possessive || node.needs_backtracking(),
            Self::Sequence(nodes) | Self::Alternatives(nodes) => nodes.iter().any(Self::needs_backtracking),
            _ => false,
        }
    }
}
