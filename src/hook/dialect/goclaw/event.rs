//! The events: their names, which of ours each is, and which can be blocked.

use crate::hook::event::{Channel, Happening};

/// The seven events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventName {
    SessionStart,
    UserPromptSubmit,
    PreToolUse,
    PostToolUse,
    Stop,
    SubagentStart,
    SubagentStop,
}

impl EventName {
    pub(super) const ALL: [Self; 7] = [
        Self::SessionStart,
        Self::UserPromptSubmit,
        Self::PreToolUse,
        Self::PostToolUse,
        Self::Stop,
        Self::SubagentStart,
        Self::SubagentStop,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::SessionStart => "session_start",
            Self::UserPromptSubmit => "user_prompt_submit",
            Self::PreToolUse => "pre_tool_use",
            Self::PostToolUse => "post_tool_use",
            Self::Stop => "stop",
            Self::SubagentStart => "subagent_start",
            Self::SubagentStop => "subagent_stop",
        }
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.name() == name)
    }

    /// `stop` is the end of the session, not that of a turn.
    pub(super) const fn of(happening: &Happening) -> Option<Self> {
        match happening {
            Happening::SessionStarted { .. } => Some(Self::SessionStart),
            Happening::PromptSubmitted { .. } => Some(Self::UserPromptSubmit),
            Happening::ToolCallStarting(_) => Some(Self::PreToolUse),
            Happening::ToolCallEnded { .. } => Some(Self::PostToolUse),
            Happening::SessionEnded { .. } => Some(Self::Stop),
            Happening::SubagentStarted => Some(Self::SubagentStart),
            Happening::SubagentEnded { .. } => Some(Self::SubagentStop),
            _ => None,
        }
    }

    pub(super) const fn blocks(self) -> bool {
        matches!(self, Self::UserPromptSubmit | Self::PreToolUse | Self::SubagentStart)
    }

    /// Whether it begins a user's turn.
    pub(super) const fn starts_turn(happening: &Happening) -> bool {
        matches!(
            happening,
            Happening::SessionStarted { .. }
                | Happening::PromptSubmitted { channel: Channel::Prompt | Channel::FollowUp, .. }
        )
    }

    pub(super) fn all_names() -> String {
        Self::ALL.map(Self::name).join(", ")
    }
}
