//! Complete commands, lists, AND-OR lists and pipelines. POSIX XCU 2.10; bash manual 3.2.3 and 3.2.4.
//!
//! Bash reads a complete command and runs it before it reads on, so that an error on line 10 does not stop lines 1 to 9,
//! and `alias` and `shopt` change how later lines are read. [`Parser`] hands out one at a time. Lists and pipelines are
//! loops; only brackets of some kind recurse, and each recursion is counted ([`Reader::enter`]).
//!
//! Nodes are built in their place in the parent (`&mut`): returning them by value would put several copies of each on
//! the stack at every level.

use super::ast::{AndOr, AndOrOperator, Command, CommandKind, List, ListItem, Pipeline, Simple, Span, Timed};
use super::error::{ParseError, ParseWarning};
use super::lexer::{Input, Keyword, Parsed, Reader};
use crate::text::Text;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// How text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ParseOptions {
    /// `shopt -s extglob`: extended patterns in every word.
    pub extglob: bool,
    /// `set -o posix`: no process substitution, no tildes inside words.
    pub posix: bool,
    /// `shopt -s expand_aliases`.
    pub expand_aliases: bool,
    /// How deep everything together may nest.
    pub depth: u32,
    /// `shopt -s interactive_comments`, and always in a shell that is not interactive: `#` begins a comment.
    pub interactive_comments: bool,
}

impl Default for ParseOptions {
    fn default() -> Self {
        Self { extglob: false, posix: false, expand_aliases: false, depth: 200, interactive_comments: true }
    }
}

/// Where aliases are looked up.
pub trait Aliases {
    /// The text of an alias.
    fn alias(&self, name: &[u8]) -> Option<Text>;
}

/// No aliases.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoAliases;

impl Aliases for NoAliases {
    fn alias(&self, _name: &[u8]) -> Option<Text> {
        None
    }
}

/// Hands out a script's complete commands.
#[derive(Clone, Debug)]
pub struct Parser {
    source: Arc<[u8]>,
    offset: usize,
    line: u32,
    warnings: Vec<ParseWarning>,
}

impl Parser {
    /// A parser at the beginning of `source`, which is line `first_line` of the script. Sources from 4 GiB are cut.
    pub fn new(source: Arc<[u8]>, first_line: u32) -> Self {
        Self { source, offset: 0, line: first_line, warnings: Vec::new() }
    }

    /// A parser that goes on where another stood: at `offset`, which is on `line`.
    pub fn resume(source: Arc<[u8]>, offset: usize, line: u32) -> Self {
        Self { source, offset, line, warnings: Vec::new() }
    }

    /// The next complete command, up to the newline that ends it, with its here-documents. `None` at the end.
    ///
    /// # Errors
    /// The first error of the command. Bash does not read on after one; neither should the caller.
    pub fn next_command(
        &mut self,
        options: &ParseOptions,
        aliases: &dyn Aliases,
    ) -> Result<Option<List>, ParseError> {
        let end = self.source.len().min(u32::MAX as usize);
        let input =
            Input { source: Arc::clone(&self.source), pos: self.offset.min(end), end, line: self.line };
        let mut reader = Reader {
            input,
            options,
            aliases,
            depth: 0,
            substitutions: 0,
            pending: Vec::new(),
            bodies: FxHashMap::default(),
            here_documents: 0,
            warnings: Vec::new(),
            active_aliases: Vec::new(),
            alias_blank: usize::MAX,
            alias_copied: 0,
            salvage: FxHashMap::default(),
            closes: FxHashMap::default(),
        };
        let result = reader.complete_command();
        self.offset = reader.input.pos;
        self.line = reader.input.line;
        self.warnings.append(&mut reader.warnings);
        let list = result?.map(|mut list| {
            if !reader.bodies.is_empty() {
                super::resolve::Resolver { bodies: &mut reader.bodies }.list(&mut list);
            }
            list
        });
        self.source = reader.input.source;
        Ok(list)
    }

    /// Where the next command begins, in [`Parser::source`].
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The line on which the next command begins.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// The text that the spans of the last command refer to. Expanding an alias makes a new one.
    pub fn source(&self) -> &Arc<[u8]> {
        &self.source
    }

    /// Takes the warnings of the commands so far. Bash prints each before it runs the command.
    pub fn take_warnings(&mut self) -> Vec<ParseWarning> {
        std::mem::take(&mut self.warnings)
    }
}

/// An empty command in its place, to be filled.
pub(super) fn empty_command(span: Span) -> Command {
    Command { kind: CommandKind::Simple(Simple::default()), redirections: Vec::new(), span }
}

impl Reader<'_> {
    fn complete_command(&mut self) -> Parsed<Option<List>> {
        self.skip_newlines()?;
        if self.byte().is_none() {
            return Ok(None);
        }
        let mut list = List::default();
        loop {
            self.list_item(&mut list)?;
            self.skip_blanks();
            if self.list_ends() {
                break;
            }
        }
        match self.byte() {
            Some(b'\n') => self.newline()?,
            None => self.end_here_documents()?,
            Some(_) => return Err(self.unexpected()),
        }
        Ok(Some(list))
    }

    /// A list inside a compound command: at least one command.
    pub(super) fn compound_list(&mut self, list: &mut List) -> Parsed<()> {
        self.skip_newlines()?;
        loop {
            self.list_item(list)?;
            self.skip_newlines()?;
            if self.list_ends() {
                return Ok(());
            }
        }
    }

    /// A list that may have no command.
    pub(super) fn possibly_empty_list(&mut self, list: &mut List) -> Parsed<()> {
        self.skip_newlines()?;
        if self.list_ends() { Ok(()) } else { self.compound_list(list) }
    }

    /// Whether no further command follows.
    fn list_ends(&self) -> bool {
        match self.byte() {
            None | Some(b')' | b'\n') => true,
            Some(b';') => matches!(self.second(), Some(b';' | b'&')),
            Some(b'd' | b'e' | b'f' | b't' | b'}' | b'\\') => {
                self.keyword().is_some_and(|(keyword, _)| keyword.closes())
            }
            _ => false,
        }
    }

    /// An AND-OR list and the `;`, `&` or newline behind it.
    fn list_item(&mut self, list: &mut List) -> Parsed<()> {
        self.skip_blanks();
        let (start, line) = (self.pos(), self.input.line);
        let first =
            Pipeline { negated: false, timed: None, stages: Vec::new(), stderr_too: Vec::new(), line };
        let mut item = Box::new(ListItem {
            and_or: AndOr { first, rest: Vec::new() },
            background: false,
            span: Span::default(),
        });
        self.and_or(&mut item)?;
        item.span = self.span_from(start, line);
        self.skip_blanks();
        match self.byte() {
            Some(b';') if !matches!(self.second(), Some(b';' | b'&')) => self.bump(1),
            Some(b'&') => {
                self.bump(1);
                item.background = true;
            }
            Some(b'\n' | b')' | b';') | None => {}
            // Behind a compound command's end, a reserved word can follow at once: `( a ) fi`.
            Some(_) if self.list_ends() && self.follows_compound(&item) => {}
            Some(_) => return Err(self.unexpected()),
        }
        list.items.push(*item);
        Ok(())
    }

    fn follows_compound(&self, item: &ListItem) -> bool {
        let last = item.and_or.rest.last().map_or(&item.and_or.first, |(_, pipeline)| pipeline);
        let Some(command) = last.stages.last() else { return false };
        match &command.kind {
            CommandKind::Simple(_) => false,
            CommandKind::Coprocess { command, .. } => !matches!(command.kind, CommandKind::Simple(_)),
            _ => command.redirections.is_empty(),
        }
    }

    fn and_or(&mut self, item: &mut ListItem) -> Parsed<()> {
        self.pipeline(&mut item.and_or.first)?;
        loop {
            self.skip_blanks_before_operator();
            let operator = match (self.byte(), self.second()) {
                (Some(b'&'), Some(b'&')) => AndOrOperator::And,
                (Some(b'|'), Some(b'|')) => AndOrOperator::Or,
                _ => return Ok(()),
            };
            self.bump(2);
            self.skip_newlines()?;
            let line = self.input.line;
            item.and_or.rest.push((
                operator,
                Pipeline { negated: false, timed: None, stages: Vec::new(), stderr_too: Vec::new(), line },
            ));
            if let Some((_, pipeline)) = item.and_or.rest.last_mut() {
                self.pipeline(pipeline)?;
            }
        }
    }

    /// Skips blanks if an operator of a list stands behind them, so that spans end with the command.
    fn skip_blanks_before_operator(&mut self) {
        let (pos, line) = (self.pos(), self.input.line);
        self.skip_blanks();
        if !matches!(self.byte(), Some(b'&' | b'|')) {
            self.input.pos = pos;
            self.input.line = line;
        }
    }

    fn pipeline(&mut self, pipeline: &mut Pipeline) -> Parsed<()> {
        let mut prefixed = false;
        loop {
            self.skip_blanks();
            self.expand_aliases()?;
            match self.keyword() {
                Some((Keyword::Not, end)) if !self.is_extended_pattern() => {
                    self.advance_to(end);
                    pipeline.negated = !pipeline.negated;
                }
                Some((Keyword::Time, end)) if self.is_time(end) => {
                    self.advance_to(end);
                    pipeline.timed = Some(Timed { posix: self.time_option() });
                }
                _ => break,
            }
            prefixed = true;
        }
        if prefixed && self.pipeline_is_empty() {
            return Ok(());
        }
        self.stage(pipeline)?;
        loop {
            self.skip_blanks_before_operator();
            let stderr_too = match (self.byte(), self.second()) {
                (Some(b'|'), Some(b'|')) => return Ok(()),
                (Some(b'|'), Some(b'&')) => true,
                (Some(b'|'), _) => false,
                _ => return Ok(()),
            };
            self.bump(if stderr_too { 2 } else { 1 });
            pipeline.stderr_too.push(stderr_too);
            self.skip_newlines()?;
            self.expand_aliases()?;
            // `a | ! b` is a syntax error; `a | time b` runs a command named `time`.
            self.stage(pipeline)?;
        }
    }

    fn stage(&mut self, pipeline: &mut Pipeline) -> Parsed<()> {
        pipeline.stages.push(empty_command(self.here()));
        match pipeline.stages.last_mut() {
            Some(command) => self.command(command),
            None => Ok(()),
        }
    }

    /// With `extglob`, `!(` begins a pattern.
    fn is_extended_pattern(&self) -> bool {
        self.options.extglob && self.second() == Some(b'(')
    }

    /// `time` is an ordinary word before an option that it does not have, in POSIX mode.
    fn is_time(&self, end: usize) -> bool {
        if !self.options.posix {
            return true;
        }
        let mut at = end;
        while matches!(self.byte_at(at), Some(b' ' | b'\t')) {
            at += 1;
        }
        self.byte_at(at) != Some(b'-')
    }

    /// Takes `-p` and `--` behind `time`.
    fn time_option(&mut self) -> bool {
        let mut posix = false;
        loop {
            let (pos, line) = (self.pos(), self.input.line);
            self.skip_blanks();
            let word = self.slice(self.pos(), self.pos() + 2);
            let ends = self.byte_at(self.pos() + 2).is_none_or(super::lexer::is_metacharacter);
            match word {
                b"-p" if ends && !posix => posix = true,
                b"--" if ends => {
                    self.input.pos += 2;
                    return posix;
                }
                _ => {
                    self.input.pos = pos;
                    self.input.line = line;
                    return posix;
                }
            }
            self.input.pos += 2;
        }
    }

    /// `!` and `time` can stand alone.
    fn pipeline_is_empty(&self) -> bool {
        match self.byte() {
            None | Some(b'\n' | b';') => true,
            Some(b'&') => self.second() != Some(b'>'),
            Some(b'|') => self.second() == Some(b'|'),
            Some(b')') => true,
            _ => self.keyword().is_some_and(|(keyword, _)| keyword == Keyword::CloseBrace),
        }
    }
}
