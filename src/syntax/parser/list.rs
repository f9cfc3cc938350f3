//! Lists, AND-OR lists and pipelines, as the reader takes them.

use super::empty_command;
use crate::memory::{Arc, Vec};
use crate::syntax::ast::{
    AndOr, AndOrOperator, Command, CommandKind, DeferredList, List, ListItem, Pipeline, Span, Timed,
};
use crate::syntax::lexer::{Keyword, Parsed, Reader};

impl Reader<'_> {
    pub(super) fn complete_command(&mut self) -> Parsed<Option<List>> {
        self.skip_newlines()?;
        if self.options.expand_aliases {
            // An alias may stand for nothing, or for a comment.
            self.expand_aliases()?;
            self.skip_newlines()?;
        }
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
    pub(in crate::syntax) fn compound_list(&mut self, list: &mut List) -> Parsed<()> {
        self.skip_newlines()?;
        loop {
            self.list_item(list)?;
            self.skip_newlines()?;
            // An alias may stand for the reserved word that ends the list.
            self.expand_aliases()?;
            if self.list_ends() {
                return Ok(());
            }
        }
    }

    /// The same where it may never be run: a long one is skimmed.
    pub(in crate::syntax) fn branch(&mut self, list: &mut List) -> Parsed<()> {
        match self.skimmed_list() {
            Some(skimmed) => {
                *list = skimmed;
                Ok(())
            }
            None => self.compound_list(list),
        }
    }

    /// Takes a list that does not have to be parsed now.
    #[inline(never)]
    fn skimmed_list(&mut self) -> Option<List> {
        // What stands in a loop runs often; deep down the same text would be skimmed again and again.
        if self.loops > 0 || self.depth > DEEPEST_BRANCH || self.substitutions > 0 {
            return None;
        }
        let levels = self.levels_to_skim()?;
        let (start, line) = (self.pos(), self.input.line);
        let end = crate::syntax::skim::skim_list(self.slice(0, self.input.end), start, levels)?;
        self.advance_to(end);
        let list = DeferredList::new(self.span_from(start, line), self.input.source.clone(), *self.options);
        Some(List::deferred(Arc::new(list)))
    }

    /// How many levels the skimmer may go down; `None`: the parser has to read what comes.
    pub(in crate::syntax) fn levels_to_skim(&self) -> Option<u32> {
        let options = self.options;
        (options.defers && options.can_skim() && self.pending.is_empty())
            .then(|| options.depth.saturating_sub(self.depth) / crate::syntax::skim::PARSER_LEVELS)
    }

    /// A list that may have no command.
    pub(in crate::syntax) fn possibly_empty_list(&mut self, list: &mut List) -> Parsed<()> {
        self.skip_newlines()?;
        if self.list_ends() { Ok(()) } else { self.branch(list) }
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

    /// An AND-OR list and the `;`, `&` or newline after it.
    fn list_item(&mut self, list: &mut List) -> Parsed<()> {
        self.skip_blanks();
        // It was refused, and the input has not moved.
        let Some(item) = new_item(list, self.input.line) else { return Err(self.unexpected_end()) };
        let read = self.list_item_into(item);
        if read.is_err() {
            list.items_mut().pop();
        }
        read
    }

    fn list_item_into(&mut self, item: &mut ListItem) -> Parsed<()> {
        let (start, line) = (self.pos(), self.input.line);
        self.and_or(item)?;
        item.span = self.span_from(start, line);
        self.skip_blanks();
        match self.byte() {
            Some(b';') if !matches!(self.second(), Some(b';' | b'&')) => self.bump(1),
            Some(b'&') => {
                self.bump(1);
                item.background = true;
            }
            Some(b'\n' | b')' | b';') | None => {}
            // After a compound command's end, a reserved word can follow at once: `( a ) fi`.
            Some(_) if self.list_ends() && Self::follows_compound(item) => {}
            Some(_) => return Err(self.unexpected()),
        }
        Ok(())
    }

    fn follows_compound(item: &ListItem) -> bool {
        let last = item.and_or.rest.last().map_or(&item.and_or.first, |(_, pipeline)| pipeline);
        let Some(command) = last.stages.last() else { return false };
        match &command.kind {
            CommandKind::Simple(_) => false,
            CommandKind::Coprocess { command, .. } => !matches!(command.kind, CommandKind::Simple(_)),
            _ => command.redirections.is_empty(),
        }
    }

    pub(super) fn and_or(&mut self, item: &mut ListItem) -> Parsed<()> {
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
            if let Some(pipeline) = new_pipeline(&mut item.and_or, operator, line) {
                self.pipeline(pipeline)?;
            }
        }
    }

    /// Skips blanks if an operator of a list stands after them, so that spans end with the command.
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
        self.spend()?;
        match new_stage(pipeline, self.here()) {
            Some(command) => self.command(command),
            // It was refused, and the input has not moved.
            None => Err(self.unexpected_end()),
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

    /// Takes `-p` and `--` after `time`.
    fn time_option(&mut self) -> bool {
        let mut posix = false;
        loop {
            let (pos, line) = (self.pos(), self.input.line);
            self.skip_blanks();
            let word = self.slice(self.pos(), self.pos() + 2);
            let ends = self.byte_at(self.pos() + 2).is_none_or(crate::syntax::byte::is_metacharacter);
            match word {
                b"-p" if ends && !posix => posix = true,
                b"--" if ends => {
                    // Bash takes `time --` for `time -p`.
                    self.input.pos += 2;
                    return true;
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

/// Branches of commands inside of more commands than so many are parsed at once.
const DEEPEST_BRANCH: u32 = 2;

fn empty_pipeline(line: u32) -> Pipeline {
    Pipeline { negated: false, timed: None, stages: Vec::new(), stderr_too: Vec::new(), line }
}

#[inline(never)]
fn new_item(list: &mut List, line: u32) -> Option<&mut ListItem> {
    let items = list.items_mut();
    if items.is_empty() {
        items.reserve_exact(1); // most have one
    }
    let and_or = AndOr { first: empty_pipeline(line), rest: Vec::new() };
    items.push(ListItem { and_or, background: false, span: Span::default() });
    items.last_mut()
}

#[inline(never)]
fn new_pipeline(and_or: &mut AndOr, operator: AndOrOperator, line: u32) -> Option<&mut Pipeline> {
    and_or.rest.push((operator, empty_pipeline(line)));
    and_or.rest.last_mut().map(|(_, pipeline)| pipeline)
}

#[inline(never)]
fn new_stage(pipeline: &mut Pipeline, span: Span) -> Option<&mut Command> {
    if pipeline.stages.is_empty() {
        pipeline.stages.reserve_exact(1); // most have one
    }
    pipeline.stages.push(empty_command(span));
    pipeline.stages.last_mut()
}
