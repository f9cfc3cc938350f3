//! The tree of a template.

use super::function::{self, Function};
use super::lexer::{Part, Token};
use super::render::ROOT;
use std::iter::Peekable;
use std::vec::IntoIter;

/// How deep blocks and parentheses nest at most.
const DEEPEST: usize = 32;

/// A piece of a template.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Text(String),
    Action(Pipeline),
    Block(Box<Block>),
    Break,
    Continue,
}

/// `if`, `with` and `range`.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) kind: BlockKind,
    pub(super) pipeline: Pipeline,
    pub(super) body: Vec<Node>,
    pub(super) otherwise: Vec<Node>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockKind {
    If,
    With,
    Range,
}

/// Commands, each with the result of the one before as its last argument, and the variables that get the result.
#[derive(Clone, Debug)]
pub(super) struct Pipeline {
    pub(super) variables: Vec<String>,
    /// Whether the variables are new.
    pub(super) declares: bool,
    pub(super) commands: Vec<Command>,
}

/// A function with its arguments, or an operand alone.
#[derive(Clone, Debug)]
pub(super) enum Command {
    BuiltinCall(Function, Vec<Operand>),
    Value(Operand),
}

#[derive(Clone, Debug)]
pub(super) enum Operand {
    /// The dot, with fields after it.
    Dot(Vec<String>),
    Variable(String, Vec<String>),
    Text(String),
    Integer(i64),
    Float(f64),
    Bool(bool),
    Nil,
    /// In parentheses, with fields after them.
    Group(Box<Pipeline>, Vec<String>),
    /// A function without arguments, as an argument.
    BuiltinCall(Function),
}

/// The tree of a template's parts.
pub(super) fn parse(parts: Vec<Part<'_>>) -> Result<Vec<Node>, String> {
    let mut parser =
        Parser { parts: parts.into_iter().peekable(), variables: vec![ROOT.to_owned()], depth: 0, loops: 0 };
    match parser.list()? {
        (nodes, None) => Ok(nodes),
        (_, Some(End::Else(_))) => Err("`else` without a block".to_owned()),
        (_, Some(End::End)) => Err("`end` without a block".to_owned()),
    }
}

struct Parser<'t> {
    parts: Peekable<IntoIter<Part<'t>>>,
    /// Those in scope.
    variables: Vec<String>,
    depth: usize,
    loops: usize,
}

/// What ends a list of nodes.
enum End {
    /// With what stands after the word.
    Else(Vec<Token>),
    End,
}

impl Parser<'_> {
    fn list(&mut self) -> Result<(Vec<Node>, Option<End>), String> {
        let mut nodes = Vec::new();
        while let Some(part) = self.parts.next() {
            let tokens = match part {
                Part::Text(text) => {
                    nodes.push(Node::Text(text.to_owned()));
                    continue;
                }
                Part::Action(tokens) => tokens,
            };
            let word = match tokens.first() {
                Some(Token::Word(word)) => word.as_str(),
                _ => "",
            };
            let rest = || tokens.get(1..).unwrap_or_default().to_vec();
            match word {
                "if" => nodes.push(self.block(BlockKind::If, rest())?),
                "with" => nodes.push(self.block(BlockKind::With, rest())?),
                "range" => nodes.push(self.block(BlockKind::Range, rest())?),
                "else" => return Ok((nodes, Some(End::Else(rest())))),
                "end" if is_bare(&rest()) => return Ok((nodes, Some(End::End))),
                "break" | "continue" if is_bare(&rest()) => {
                    if self.loops == 0 {
                        return Err(format!("`{word}` outside of `range`"));
                    }
                    nodes.push(if word == "break" { Node::Break } else { Node::Continue });
                }
                "define" | "template" | "block" => return Err(format!("`{word}` is not supported here")),
                _ => nodes.push(Node::Action(self.pipeline(tokens, false)?)),
            }
        }
        Ok((nodes, None))
    }

    /// What stands after `if`, `with` or `range`, up to its `end`.
    fn block(&mut self, kind: BlockKind, tokens: Vec<Token>) -> Result<Node, String> {
        self.deeper()?;
        let known = self.variables.len();
        let pipeline = self.pipeline(tokens, kind == BlockKind::Range)?;
        let is_loop = usize::from(kind == BlockKind::Range);
        self.loops = self.loops.saturating_add(is_loop);
        let (body, end) = self.list()?;
        self.loops = self.loops.saturating_sub(is_loop);
        let otherwise = match end {
            None => return Err("a block is not closed by `end`".to_owned()),
            Some(End::End) => Vec::new(),
            Some(End::Else(tokens)) => self.otherwise(kind, tokens)?,
        };
        self.variables.truncate(known);
        self.depth = self.depth.saturating_sub(1);
        Ok(Node::Block(Box::new(Block { kind, pipeline, body, otherwise })))
    }

    /// After `else`: what is there instead, or another `if` or `with` that shares the `end`.
    fn otherwise(&mut self, kind: BlockKind, tokens: Vec<Token>) -> Result<Vec<Node>, String> {
        let mut tokens = tokens.into_iter().skip_while(|token| *token == Token::Blank);
        match (tokens.next(), kind) {
            (None, _) => match self.list()? {
                (nodes, Some(End::End)) => Ok(nodes),
                (_, Some(End::Else(_))) => Err("a block has more than one `else`".to_owned()),
                (_, None) => Err("a block is not closed by `end`".to_owned()),
            },
            (Some(Token::Word(word)), BlockKind::If) if word == "if" => {
                Ok(vec![self.block(BlockKind::If, tokens.collect())?])
            }
            (Some(Token::Word(word)), BlockKind::With) if word == "with" => {
                Ok(vec![self.block(BlockKind::With, tokens.collect())?])
            }
            _ => Err("unexpected words after `else`".to_owned()),
        }
    }

    fn deeper(&mut self) -> Result<(), String> {
        self.depth = self.depth.saturating_add(1);
        if self.depth > DEEPEST { Err(format!("it nests deeper than {DEEPEST}")) } else { Ok(()) }
    }

    fn pipeline(&mut self, tokens: Vec<Token>, is_range: bool) -> Result<Pipeline, String> {
        let mut tokens = tokens.into_iter().peekable();
        let pipeline = self.commands(&mut tokens, is_range, false)?;
        Ok(pipeline)
    }

    /// `$x :=`, `$x =`, `$i, $x :=` at the start of a pipeline.
    fn variables(
        &mut self,
        tokens: &mut Peekable<IntoIter<Token>>,
        is_range: bool,
    ) -> Result<(Vec<String>, bool), String> {
        let ahead: Vec<_> = tokens.clone().filter(|token| *token != Token::Blank).take(4).collect();
        let (names, mark) = match ahead.as_slice() {
            [Token::Variable(name, path), mark @ (Token::Declare | Token::Assign), ..] if path.is_empty() => {
                (vec![name.clone()], mark.clone())
            }
            [
                Token::Variable(first, a),
                Token::Comma,
                Token::Variable(second, b),
                mark @ (Token::Declare | Token::Assign),
            ] if is_range && a.is_empty() && b.is_empty() => {
                (vec![first.clone(), second.clone()], mark.clone())
            }
            _ => return Ok((Vec::new(), false)),
        };
        for token in tokens.by_ref() {
            if token == mark {
                break;
            }
        }
        for name in &names {
            if mark == Token::Declare {
                self.variables.push(name.clone());
            } else if !self.variables.contains(name) {
                return Err(format!("undefined variable `${name}`"));
            }
        }
        Ok((names, mark == Token::Declare))
    }

    /// The commands of a pipeline, up to its end or the parenthesis that closes it.
    fn commands(
        &mut self,
        tokens: &mut Peekable<IntoIter<Token>>,
        is_range: bool,
        in_group: bool,
    ) -> Result<Pipeline, String> {
        let (variables, declares) =
            if in_group { (Vec::new(), false) } else { self.variables(tokens, is_range)? };
        let mut commands = Vec::new();
        loop {
            let words = self.operands(tokens)?;
            commands.push(command(words, commands.is_empty())?);
            match tokens.peek() {
                Some(Token::Pipe) => tokens.next(),
                Some(Token::Close(_)) if in_group => break,
                None if !in_group => break,
                None => return Err("a parenthesis is not closed".to_owned()),
                Some(_) => return Err("an unexpected word in an action".to_owned()),
            };
        }
        Ok(Pipeline { variables, declares, commands })
    }

    /// The words of one command.
    fn operands(&mut self, tokens: &mut Peekable<IntoIter<Token>>) -> Result<Vec<Word>, String> {
        let mut words = Vec::new();
        let mut is_apart = true;
        while let Some(token) = tokens.next_if(|token| !matches!(token, Token::Pipe | Token::Close(_))) {
            let word = match token {
                Token::Blank => {
                    is_apart = true;
                    continue;
                }
                Token::Word(name) => Word::Name(name),
                Token::Field(path) => Word::Operand(Operand::Dot(path)),
                Token::Variable(name, path) => {
                    if !self.variables.contains(&name) {
                        return Err(format!("undefined variable `${name}`"));
                    }
                    Word::Operand(Operand::Variable(name, path))
                }
                Token::Text(text) => Word::Operand(Operand::Text(text)),
                Token::Integer(integer) => Word::Operand(Operand::Integer(integer)),
                Token::Float(float) => Word::Operand(Operand::Float(float)),
                Token::Open => {
                    self.deeper()?;
                    let group = self.commands(tokens, false, true)?;
                    self.depth = self.depth.saturating_sub(1);
                    let Some(Token::Close(path)) = tokens.next() else {
                        return Err("a parenthesis is not closed".to_owned());
                    };
                    Word::Operand(Operand::Group(Box::new(group), path))
                }
                Token::Pipe | Token::Close(_) | Token::Comma | Token::Declare | Token::Assign => {
                    return Err("an unexpected word in an action".to_owned());
                }
            };
            if !is_apart {
                return Err("two words of an action stand together".to_owned());
            }
            is_apart = false;
            words.push(word);
        }
        Ok(words)
    }
}

fn is_bare(tokens: &[Token]) -> bool {
    tokens.iter().all(|token| *token == Token::Blank)
}

enum Word {
    Name(String),
    Operand(Operand),
}

/// One command; all but the first get a value from before.
fn command(words: Vec<Word>, is_first: bool) -> Result<Command, String> {
    let mut words = words.into_iter();
    let missing = if is_first { "an action is empty" } else { "a pipe has nothing beside it" };
    let first = words.next().ok_or(missing)?;
    let arguments: Vec<_> = words.map(operand).collect::<Result<_, _>>()?;
    let operand = match first {
        Word::Name(name) => match constant(&name) {
            Some(operand) => operand,
            None => return Ok(Command::BuiltinCall(function::find(&name)?, arguments)),
        },
        Word::Operand(operand) => operand,
    };
    if !arguments.is_empty() {
        return Err("only a function takes arguments".to_owned());
    }
    if !is_first {
        return Err("what a pipe leads to is not a function".to_owned());
    }
    Ok(Command::Value(operand))
}

fn operand(word: Word) -> Result<Operand, String> {
    match word {
        Word::Operand(operand) => Ok(operand),
        Word::Name(name) => match constant(&name) {
            Some(operand) => Ok(operand),
            None => function::find(&name).map(Operand::BuiltinCall),
        },
    }
}

fn constant(name: &str) -> Option<Operand> {
    match name {
        "true" => Some(Operand::Bool(true)),
        "false" => Some(Operand::Bool(false)),
        "nil" => Some(Operand::Nil),
        _ => None,
    }
}
