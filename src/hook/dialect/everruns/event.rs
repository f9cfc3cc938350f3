//! The events: their names, and which of ours each is.

use crate::hook::event::Happening;

/// The six events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventName {
    SessionStart,
    UserPromptSubmit,
    PreToolUse,
    PostToolUse,
    TurnEnd,
    SessionEnd,
}

impl EventName {
    pub(super) const ALL: [Self; 6] = [
        Self::SessionStart,
        Self::UserPromptSubmit,
        Self::PreToolUse,
        Self::PostToolUse,
        Self::TurnEnd,
        Self::SessionEnd,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::SessionStart => "session_start",
            Self::UserPromptSubmit => "user_prompt_submit",
            Self::PreToolUse => "pre_tool_use",
            Self::PostToolUse => "post_tool_use",
            Self::TurnEnd => "turn_end",
            Self::SessionEnd => "session_end",
        }
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.name() == name)
    }

    /// Every channel of a user's message is a prompt here: the contract fires for messages that come in later, too.
    pub(super) const fn of(happening: &Happening) -> Option<Self> {
        match happening {
            Happening::SessionStarted { .. } => Some(Self::SessionStart),
            Happening::PromptSubmitted { .. } => Some(Self::UserPromptSubmit),
            Happening::ToolCallStarting(_) => Some(Self::PreToolUse),
            Happening::ToolCallEnded { .. } => Some(Self::PostToolUse),
            Happening::TurnEnded { .. } => Some(Self::TurnEnd),
            Happening::SessionEnded { .. } => Some(Self::SessionEnd),
            _ => None,
        }
    }

    pub(super) const fn is_about_a_tool(self) -> bool {
        matches!(self, Self::PreToolUse | Self::PostToolUse)
    }

    pub(super) fn all_names() -> String {
        Self::ALL.map(Self::name).join(", ")
    }
}
