//! Redirections and here-documents.

use super::{Parts, Span, Word};
use crate::memory::{Arc, Bytes};
use crate::text::Text;
use std::sync::OnceLock;

/// A redirection. Bash manual 3.6.
#[derive(Clone, Debug, PartialEq)]
pub struct Redirection {
    /// The number or variable before the operator.
    pub descriptor: RedirectionDescriptor,
    /// The operator with its target.
    pub kind: RedirectionKind,
    /// Operator and target.
    pub span: Span,
}

/// What stands before a redirection operator.
#[derive(Clone, Debug, PartialEq)]
pub enum RedirectionDescriptor {
    /// Nothing: 0 for input, 1 for output.
    Default,
    /// `3>`
    Number(u32),
    /// `{name}>`
    Variable(Text),
}

/// Operator and target of a redirection.
#[derive(Clone, Debug, PartialEq)]
pub enum RedirectionKind {
    /// `<`
    Read(Word),
    /// `>`
    Write(Word),
    /// `>|`
    Clobber(Word),
    /// `>>`
    Append(Word),
    /// `<>`
    ReadWrite(Word),
    /// `<&word`: a number, `-`, or a number followed by `-`.
    DuplicateInput(Word),
    /// `>&word`; with the default descriptor and a word that is not a number it means `&>`.
    DuplicateOutput(Word),
    /// `&>word`
    BothWrite(Word),
    /// `&>>word`
    BothAppend(Word),
    /// `<<delimiter`, `<<-delimiter`
    HereDocument(Arc<HereDocument>),
    /// `<<<word`
    HereString(Word),
}

impl RedirectionKind {
    /// The target's word, or a here-document's body.
    pub fn word(&self) -> &Word {
        match self {
            Self::Read(word)
            | Self::Write(word)
            | Self::Clobber(word)
            | Self::Append(word)
            | Self::ReadWrite(word)
            | Self::DuplicateInput(word)
            | Self::DuplicateOutput(word)
            | Self::BothWrite(word)
            | Self::BothAppend(word)
            | Self::HereString(word) => word,
            Self::HereDocument(document) => &document.body().word,
        }
    }
}

/// A here-document.
#[derive(Clone, Debug, PartialEq)]
pub struct HereDocument {
    /// The delimiter after quote removal.
    pub delimiter: Text,
    /// The delimiter was quoted: the body is one `Quoted` part. Else its parts are as in double quotes.
    pub quoted: bool,
    /// `<<-`: leading tabs are already removed from the body.
    pub strip_tabs: bool,
    /// The body, once it was read: it begins after the line of the redirection, which the tree holds by then.
    body: OnceLock<HereDocumentBody>,
}

/// The body of a here-document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HereDocumentBody {
    /// Its text with the last newline.
    pub word: Word,
    /// What the spans of `word` refer to, when it is not the enclosing source: the text without the leading tabs.
    pub source: Option<Bytes>,
}

/// The body of a here-document that has none yet.
static NO_BODY: HereDocumentBody = HereDocumentBody {
    word: Word { parts: Parts::new(), span: Span { start: 0, end: 0, line: 0 } },
    source: None,
};

impl HereDocument {
    /// A here-document whose body is not read yet.
    pub(in crate::syntax) const fn new(delimiter: Text, quoted: bool, strip_tabs: bool) -> Self {
        Self { delimiter, quoted, strip_tabs, body: OnceLock::new() }
    }

    /// The body; an empty one when the text ended in an error before it.
    pub fn body(&self) -> &HereDocumentBody {
        self.body.get().unwrap_or(&NO_BODY)
    }

    /// Sets the body, which is read once.
    pub(in crate::syntax) fn set_body(&self, body: HereDocumentBody) {
        let _ = self.body.set(body);
    }
}
