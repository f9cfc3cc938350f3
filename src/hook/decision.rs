//! Decisions: what the hooks of one event came to, in our own words.
//!
//! A [`Reading`] is what one hook's output means by its dialect's rules; a [`Decision`] is what the whole chain came to.
//! The dialect's own result type goes beside it ([`DialectResult`](super::DialectResult)) and loses nothing.

use super::id::HookId;
use super::json::Json;
use serde::Serialize;

/// What one hook said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Verdict {
    /// Nothing.
    NoOpinion,
    /// It may go on.
    Allow,
    /// It may go on, changed.
    Mutate,
    /// A person should be asked.
    Ask,
    /// Put off.
    Defer,
    /// It must not go on.
    Block,
    /// The hook failed; its dialect's policy decides.
    Error,
}

impl Verdict {
    /// As records spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoOpinion => "none",
            Self::Allow => "allow",
            Self::Mutate => "mutate",
            Self::Ask => "ask",
            Self::Defer => "defer",
            Self::Block => "block",
            Self::Error => "error",
        }
    }
}

/// One hook's output, decoded.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Reading {
    /// What it said.
    pub verdict: Verdict,
    /// Why; for [`Verdict::Error`] the error.
    pub reason: Option<String>,
    /// For the end user.
    pub user_message: Option<String>,
    /// The part of the output that depends on the event (a patch, say), as the hook printed it.
    pub specific: Option<Json>,
    /// Which rule of the dialect's contract turned the output into this.
    pub rule: &'static str,
}

impl Reading {
    /// A verdict without words.
    pub(crate) const fn of(verdict: Verdict, rule: &'static str) -> Self {
        Self { verdict, reason: None, user_message: None, specific: None, rule }
    }

    /// A verdict with its reason.
    pub(crate) fn because(verdict: Verdict, reason: impl Into<String>, rule: &'static str) -> Self {
        Self { reason: Some(reason.into()), ..Self::of(verdict, rule) }
    }
}

/// What the chain came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Decision {
    /// Set when it must not go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub blocked: Option<Block>,
    /// The strongest of allow, ask and defer that was said; `None` leaves it to the platform.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permission: Option<Verdict>,
    /// The call's arguments, if they were rewritten; also after a block, for the audit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Json>,
    /// The user's message, if it was rewritten.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The call's result, if it was rewritten.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<Json>,
    /// The call's error, if a hook set one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Text for the model, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub contexts: Vec<String>,
    /// Text for the user, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub system_messages: Vec<String>,
    /// Who rewrote something, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rewritten_by: Vec<HookId>,
}

impl Decision {
    /// Whether it may go on.
    pub const fn proceeds(&self) -> bool {
        self.blocked.is_none()
    }
}

/// An effective block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Block {
    /// By which hook.
    pub hook: HookId,
    /// For the model and the audit.
    pub reason: String,
    /// For the end user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_message: Option<String>,
}
