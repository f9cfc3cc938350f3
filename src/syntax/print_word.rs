//! A word as bash shows it: its source without line continuations, with `$'...'` decoded, `$"..."` without the dollar
//! sign, and its command and process substitutions printed anew.

use super::ansi::{decode_ansi, put_single_quoted};
use super::ast::{List, Parameter, ParameterExpansion, ParameterOperation, Span, Word, WordPart};
use super::print::print_list;
use crate::memory::Vec;

pub(super) struct WordPrinter<'a> {
    pub(super) source: &'a [u8],
}

/// A substitution inside a word.
struct Inner<'a> {
    span: Span,
    body: &'a List,
    opening: &'static [u8],
}

impl WordPrinter<'_> {
    pub(super) fn word(&self, word: &Word, out: &mut Vec<u8>) {
        let mut inner = Vec::new();
        collect(&word.parts, &mut inner);
        let (mut at, end) = (word.span.start as usize, word.span.end as usize);
        let mut inner = inner.into_iter().peekable();
        let is_kept = has_quotes_in_quotes(&word.parts);
        let mut in_double_quotes = false;
        while let Some(&byte) = self.source.get(at).filter(|_| at < end) {
            while inner.peek().is_some_and(|next| (next.span.start as usize) < at) {
                inner.next();
            }
            if let Some(next) = inner.next_if(|next| next.span.start as usize == at) {
                self.substitution(&next, out);
                at = (next.span.end as usize).max(at + 1);
                continue;
            }
            let second = self.source.get(at + 1).copied().filter(|_| at + 1 < end);
            let taken = match (byte, second) {
                (b'\\', Some(_)) if is_kept => 2,
                (b'\\', Some(b'\n')) => {
                    at += 2;
                    continue;
                }
                // A backslash that ends the text stands for itself, and may be printed before more.
                (b'\\', None) => {
                    out.extend_from_slice(b"\\\\");
                    at += 1;
                    continue;
                }
                (b'`', _) if is_kept => self.quote_length(at, end, 1),
                _ if is_kept => 1,
                // The second `$` of `$$` begins nothing.
                (b'\\', Some(_)) | (b'$', Some(b'$')) => 2,
                (b'\'', _) if !in_double_quotes => self.quote_length(at, end, 1),
                (b'$', Some(b'\'')) if !in_double_quotes => {
                    let length = self.quote_length(at, end, 2);
                    let text = self.source.get(at + 2..(at + length).saturating_sub(1)).unwrap_or(&[]);
                    put_single_quoted(out, &decode_ansi(text));
                    at += length;
                    continue;
                }
                (b'$', Some(b'"')) if !in_double_quotes => {
                    at += 1;
                    continue;
                }
                (b'`', _) => self.quote_length(at, end, 1),
                (b'"', _) => {
                    in_double_quotes = !in_double_quotes;
                    1
                }
                _ => 1,
            };
            let text = self.source.get(at..(at + taken).min(end)).unwrap_or(&[]);
            if byte == b'`' {
                super::print::put_joined(out, text);
            } else {
                out.extend_from_slice(text);
            }
            at += taken;
        }
    }

    /// Length of the quoted text at `at` with its quotes, of which the opening one has `opening` bytes.
    fn quote_length(&self, at: usize, end: usize, opening: usize) -> usize {
        let quote = self.source.get(at + opening - 1).copied().unwrap_or(0);
        let escapes = opening == 2 || quote == b'`';
        let mut to = at + opening;
        while let Some(&byte) = self.source.get(to).filter(|_| to < end) {
            to += 1;
            if byte == quote {
                break;
            }
            if byte == b'\\' && escapes {
                to += 1;
            }
        }
        to.min(end) - at
    }

    fn substitution(&self, inner: &Inner<'_>, out: &mut Vec<u8>) {
        out.extend_from_slice(inner.opening);
        let text = print_list(inner.body, self.source);
        // `$( (a) )` must not become arithmetic.
        if text.starts_with(b"(") && inner.opening == b"$(" {
            out.push(b' ');
        }
        out.extend_from_slice(&text);
        out.push(b')');
    }
}

/// Whether a part in double quotes has an expansion with quotes of its own, as `"${x:-"a"}"`: which of them are quotes the text alone
/// does not tell, so that such a word is shown as it was written.
fn has_quotes_in_quotes(parts: &[WordPart]) -> bool {
    parts.iter().any(|part| match part {
        WordPart::DoubleQuoted(inner) => inner.iter().any(|part| match part {
            WordPart::Parameter(expansion) => {
                let mut has_quotes = false;
                each_word(expansion, &mut |parts| has_quotes |= has_quotes_within(parts));
                has_quotes
            }
            _ => false,
        }),
        WordPart::Parameter(expansion) => {
            let mut has_quotes = false;
            each_word(expansion, &mut |parts| has_quotes |= has_quotes_in_quotes(parts));
            has_quotes
        }
        _ => false,
    })
}

fn has_quotes_within(parts: &[WordPart]) -> bool {
    parts.iter().any(|part| match part {
        WordPart::Quoted(text) | WordPart::Literal(text) => text.iter().any(|byte| b"'\"".contains(byte)),
        WordPart::DoubleQuoted(_) => true,
        WordPart::Parameter(expansion) => {
            let mut has_quotes = false;
            each_word(expansion, &mut |parts| has_quotes |= has_quotes_within(parts));
            has_quotes
        }
        _ => false,
    })
}

/// The substitutions of a word in source order, those inside others left out.
fn collect<'a>(parts: &'a [WordPart], out: &mut Vec<Inner<'a>>) {
    for part in parts {
        match part {
            WordPart::Literal(_) | WordPart::Quoted(_) | WordPart::Tilde(_) => {}
            WordPart::DoubleQuoted(inner) => collect(inner, out),
            WordPart::Parameter(expansion) => collect_expansion(expansion, out),
            WordPart::CommandSubstitution(substitution) => {
                // What bash parses when it expands it is shown as it is.
                if !substitution.backquoted && substitution.error.is_none() && !substitution.deferred {
                    out.push(Inner { span: substitution.span, body: &substitution.body, opening: b"$(" });
                }
            }
            WordPart::Arithmetic(arithmetic) => collect(&arithmetic.text.parts, out),
            WordPart::ProcessSubstitution(substitution) => {
                let opening = if substitution.output { b">(" } else { b"<(" };
                out.push(Inner { span: substitution.span, body: &substitution.body, opening });
            }
        }
    }
}

fn collect_expansion<'a>(expansion: &'a ParameterExpansion, out: &mut Vec<Inner<'a>>) {
    each_word(expansion, &mut |parts| collect(parts, out));
}

/// The words in an expansion.
fn each_word<'a>(expansion: &'a ParameterExpansion, see: &mut dyn FnMut(&'a [WordPart])) {
    if let Parameter::Element(_, subscript) = &expansion.parameter {
        see(&subscript.word.parts);
    }
    match &expansion.operation {
        ParameterOperation::Default { word, .. } => see(&word.parts),
        ParameterOperation::TrimPrefix { pattern, .. } | ParameterOperation::TrimSuffix { pattern, .. } => {
            see(&pattern.parts);
        }
        ParameterOperation::Replace { pattern, replacement, .. } => {
            see(&pattern.parts);
            if let Some(replacement) = replacement {
                see(&replacement.parts);
            }
        }
        ParameterOperation::Case { pattern: Some(pattern), .. } => see(&pattern.parts),
        ParameterOperation::Substring { offset, length } => {
            see(&offset.text.parts);
            if let Some(length) = length {
                see(&length.text.parts);
            }
        }
        _ => {}
    }
}
