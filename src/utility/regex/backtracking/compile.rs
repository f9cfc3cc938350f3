//! Nodes → a program.

use super::node::{Assertion, Greed, Node};
use super::set::Set;
use crate::character::Unit;
use crate::memory::Vec;
use crate::utility::regex::error::RegexError;

/// A step of the program; places are indexes into the code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Instruction {
    Character(Unit),
    Folded(Unit),
    NotNewline,
    Any,
    Set(u32),
    Assert(Assertion),
    Save(u32),
    /// Tries the first, then the second.
    Split(u32, u32),
    Jump(u32),
    /// Consumes what the group matched; whether case does not matter.
    Reference(u32, bool),
    /// Notes the place at which a turn of a loop begins.
    Mark(u32),
    /// Goes back to the loop's start if the turn consumed something, else on.
    Repeat(u32, u32),
    /// Goes back that many characters.
    Back(u32),
    /// Begins what is tried by itself; where to go on if that fails and is to fail.
    Open {
        is_negated: bool,
        end: u32,
    },
    /// It matched: what else could be tried is forgotten, and the place is that of `Open`.
    CloseLook,
    /// As `CloseLook`; the place stays.
    CloseAtomic,
    /// It matched, and was not to.
    CloseNegated,
    Keep,
    Match,
}

#[derive(Debug, Default)]
pub(super) struct Program {
    pub(super) code: Vec<Instruction>,
    pub(super) sets: Vec<Set>,
    /// Loops that note where their turns begin.
    pub(super) marks: u32,
    /// Every match begins with this byte.
    pub(super) first: Option<u8>,
}

/// What `Greed` makes of a choice between going on in a loop and leaving it.
const fn choice(greed: Greed, inside: u32, outside: u32) -> Instruction {
    match greed {
        Greed::Lazy => Instruction::Split(outside, inside),
        _ => Instruction::Split(inside, outside),
    }
}

pub(super) struct Compiler {
    pub(super) program: Program,
    pub(super) limit: usize,
}

impl Compiler {
    fn here(&self) -> u32 {
        self.program.code.len() as u32
    }

    fn emit(&mut self, instruction: Instruction) -> Result<u32, RegexError> {
        if self.program.code.len() >= self.limit {
            return Err(RegexError::Size);
        }
        Ok(self.program.code.add(instruction) as u32)
    }

    fn set(&mut self, at: u32, instruction: Instruction) {
        if let Some(place) = self.program.code.get_mut(at as usize) {
            *place = instruction;
        }
    }

    pub(super) fn whole(mut self, node: &Node) -> Result<Program, RegexError> {
        self.emit(Instruction::Save(0))?;
        self.node(node)?;
        self.emit(Instruction::Save(1))?;
        self.emit(Instruction::Match)?;
        let mut consuming =
            self.program.code.iter().skip_while(|instruction| matches!(instruction, Instruction::Save(_)));
        if let Some(Instruction::Character(unit)) = consuming.next() {
            self.program.first = u8::try_from(*unit).ok().filter(u8::is_ascii);
        }
        Ok(self.program)
    }

    fn node(&mut self, node: &Node) -> Result<(), RegexError> {
        match node {
            Node::Empty => {}
            Node::Character(unit) => drop(self.emit(Instruction::Character(*unit))?),
            Node::Folded(unit) => drop(self.emit(Instruction::Folded(crate::character::fold(*unit)))?),
            Node::NotNewline => drop(self.emit(Instruction::NotNewline)?),
            Node::Any => drop(self.emit(Instruction::Any)?),
            Node::Set(set) => {
                let number = self.program.sets.add(set.clone()) as u32;
                self.emit(Instruction::Set(number))?;
            }
            Node::Assert(assertion) => drop(self.emit(Instruction::Assert(*assertion))?),
            Node::Keep => drop(self.emit(Instruction::Keep)?),
            Node::Reference(group, ignore_case) => {
                self.emit(Instruction::Reference(*group, *ignore_case))?;
            }
            Node::Group(node, number) => {
                self.emit(Instruction::Save(2 * number))?;
                self.node(node)?;
                self.emit(Instruction::Save(2 * number + 1))?;
            }
            Node::Sequence(nodes) => {
                for node in nodes {
                    self.node(node)?;
                }
            }
            Node::Alternatives(nodes) => self.alternatives(nodes, Self::node)?,
            Node::Repeat { node, least, most, greed: Greed::Possessive } => {
                self.enclosed(Instruction::CloseAtomic, |compiler| {
                    compiler.repeat(node, *least, *most, Greed::Greedy)
                })?;
            }
            Node::Repeat { node, least, most, greed } => self.repeat(node, *least, *most, *greed)?,
            Node::Atomic(node) => {
                self.enclosed(Instruction::CloseAtomic, |compiler| compiler.node(node))?;
            }
            Node::LookAhead { node, is_negated } => {
                self.enclosed(look(*is_negated), |compiler| compiler.node(node))?;
            }
            Node::LookBehind { branches, is_negated } => {
                self.enclosed(look(*is_negated), |compiler| {
                    compiler.alternatives(branches, |compiler, (node, width)| {
                        compiler.emit(Instruction::Back(*width))?;
                        compiler.node(node)
                    })
                })?;
            }
        }
        Ok(())
    }

    /// What is tried by itself.
    fn enclosed(
        &mut self,
        close: Instruction,
        body: impl FnOnce(&mut Self) -> Result<(), RegexError>,
    ) -> Result<(), RegexError> {
        let is_negated = close == Instruction::CloseNegated;
        let open = self.emit(Instruction::Open { is_negated, end: 0 })?;
        body(self)?;
        self.emit(close)?;
        let end = self.here();
        self.set(open, Instruction::Open { is_negated, end });
        Ok(())
    }

    fn alternatives<T>(
        &mut self,
        branches: &[T],
        mut compile: impl FnMut(&mut Self, &T) -> Result<(), RegexError>,
    ) -> Result<(), RegexError> {
        let mut exits = Vec::new();
        for (index, branch) in branches.iter().enumerate() {
            if index + 1 == branches.len() {
                compile(self, branch)?;
                break;
            }
            let split = self.emit(Instruction::Jump(0))?;
            compile(self, branch)?;
            exits.push(self.emit(Instruction::Jump(0))?);
            let next = self.here();
            self.set(split, Instruction::Split(split + 1, next));
        }
        let end = self.here();
        for exit in exits {
            self.set(exit, Instruction::Jump(end));
        }
        Ok(())
    }

    fn repeat(&mut self, node: &Node, least: u32, most: Option<u32>, greed: Greed) -> Result<(), RegexError> {
        for _ in 0..least {
            let start = self.here();
            self.node(node)?;
            // What leaves no code is not repeated: it may be repeated many times.
            if self.here() == start {
                return Ok(());
            }
        }
        let Some(most) = most else {
            let split = self.emit(Instruction::Jump(0))?;
            // What always consumes something needs no look at where it began.
            let is_consuming = node.width().is_some_and(|width| width > 0);
            let mark = self.program.marks;
            if !is_consuming {
                self.program.marks += 1;
                self.emit(Instruction::Mark(mark))?;
            }
            self.node(node)?;
            self.emit(if is_consuming {
                Instruction::Jump(split)
            } else {
                Instruction::Repeat(mark, split)
            })?;
            let end = self.here();
            self.set(split, choice(greed, split + 1, end));
            return Ok(());
        };
        let mut splits = Vec::new();
        for _ in least..most {
            splits.push(self.emit(Instruction::Jump(0))?);
            self.node(node)?;
        }
        let end = self.here();
        for split in splits {
            self.set(split, choice(greed, split + 1, end));
        }
        Ok(())
    }
}

const fn look(is_negated: bool) -> Instruction {
    if is_negated { Instruction::CloseNegated } else { Instruction::CloseLook }
}
