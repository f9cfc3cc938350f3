//! The events: their names, and which of ours each is (G4).

use crate::hook::event::Happening;

/// The eight events (G4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventName {
    UserPromptSubmit,
    SessionStart,
    SessionEnd,
    PreToolUse,
    PostToolUse,
    PostToolUseFailure,
    Stop,
    PreCompact,
}

impl EventName {
    pub(super) const ALL: [Self; 8] = [
        Self::UserPromptSubmit,
        Self::SessionStart,
        Self::SessionEnd,
        Self::PreToolUse,
        Self::PostToolUse,
        Self::PostToolUseFailure,
        Self::Stop,
        Self::PreCompact,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::UserPromptSubmit => "UserPromptSubmit",
            Self::SessionStart => "SessionStart",
            Self::SessionEnd => "SessionEnd",
            Self::PreToolUse => "PreToolUse",
            Self::PostToolUse => "PostToolUse",
            Self::PostToolUseFailure => "PostToolUseFailure",
            Self::Stop => "Stop",
            Self::PreCompact => "PreCompact",
        }
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.name() == name)
    }

    pub(super) const fn of(happening: &Happening) -> Option<Self> {
        match happening {
            Happening::PromptSubmitted { .. } => Some(Self::UserPromptSubmit),
            Happening::SessionStarted { .. } => Some(Self::SessionStart),
            Happening::SessionEnded { .. } => Some(Self::SessionEnd),
            Happening::ToolCallStarting(_) => Some(Self::PreToolUse),
            Happening::ToolCallEnded { error: None, .. } => Some(Self::PostToolUse),
            Happening::ToolCallEnded { .. } => Some(Self::PostToolUseFailure),
            Happening::TurnEnded { .. } => Some(Self::Stop),
            Happening::CompactionStarting { .. } => Some(Self::PreCompact),
            _ => None,
        }
    }

    pub(super) const fn is_about_a_tool(self) -> bool {
        matches!(self, Self::PreToolUse | Self::PostToolUse | Self::PostToolUseFailure)
    }

    pub(super) fn all_names() -> String {
        Self::ALL.map(Self::name).join(", ")
    }
}
