//! Redirections to operations: the target is built, then the redirection is made.

use super::compiler::Compiler;
use super::{Index, Op, Quoting, RedirectionOperator, RedirectionReference};
use crate::syntax::ast::{Redirection, RedirectionKind};

impl Compiler {
    pub(super) fn redirection(&mut self, redirection: &Redirection) {
        let (mut operator, target) = match &redirection.kind {
            RedirectionKind::Read(word) => (RedirectionOperator::Read, Some(word)),
            RedirectionKind::Write(word) => (RedirectionOperator::Write, Some(word)),
            RedirectionKind::Clobber(word) => (RedirectionOperator::Clobber, Some(word)),
            RedirectionKind::Append(word) => (RedirectionOperator::Append, Some(word)),
            RedirectionKind::ReadWrite(word) => (RedirectionOperator::ReadWrite, Some(word)),
            RedirectionKind::DuplicateInput(word) => (RedirectionOperator::DuplicateInput, Some(word)),
            RedirectionKind::DuplicateOutput(word) => (RedirectionOperator::DuplicateOutput, Some(word)),
            RedirectionKind::BothWrite(word) => (RedirectionOperator::BothWrite, Some(word)),
            RedirectionKind::BothAppend(word) => (RedirectionOperator::BothAppend, Some(word)),
            RedirectionKind::HereString(word) => {
                self.word(word, Quoting::Raw);
                (RedirectionOperator::HereString, None)
            }
            RedirectionKind::HereDocument(document) => {
                let empty = self.static_text(b"");
                self.emit(Op::Quoted(empty));
                // Without its leading tabs a body has a source of its own, which its spans refer to.
                let body = document.body();
                let own = body.source.clone();
                let outer = own.map(|source| std::mem::replace(&mut self.source, source));
                self.word(&body.word, Quoting::Document);
                if let Some(outer) = outer {
                    self.source = outer;
                }
                (RedirectionOperator::HereDocument, None)
            }
        };
        let mut source = crate::text::Text::EMPTY;
        if let Some(word) = target {
            source = self.source_text(word.span);
            let braces = super::brace::has_braces(word)
                && super::brace::expand(word, 2).map_or(true, |words| words.len() > 1);
            if braces {
                operator = RedirectionOperator::Ambiguous;
            } else {
                self.word(word, Quoting::Split);
            }
        }
        let index = self.program.redirections.len() as Index;
        let descriptor = redirection.descriptor.clone();
        self.program.redirections.push(RedirectionReference { descriptor, operator, source });
        self.emit(Op::Redirect(index));
    }
}

/// Whether redirections have expansions; `Some(true)`: such that change nothing and can only fail with `set -u`.
pub(super) fn expands(redirections: &[Redirection]) -> Option<bool> {
    redirections
        .iter()
        .map(|redirection| redirection.kind.word())
        .filter(|word| super::effect::expands(word))
        .fold(None, |plain, word| Some(plain.unwrap_or(true) && super::effect::is_plain(word)))
}
