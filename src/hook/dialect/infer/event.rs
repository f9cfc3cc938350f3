//! The points at which hooks run: their names, and which of our events each is.

use crate::hook::event::Happening;

/// The eight points, in loop order (2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Point {
    PreSession,
    PreStream,
    PostStream,
    PreTool,
    PostTool,
    PreQueueDrain,
    PostQueueDrain,
    PostSession,
}

impl Point {
    pub(super) const ALL: [Self; 8] = [
        Self::PreSession,
        Self::PreStream,
        Self::PostStream,
        Self::PreTool,
        Self::PostTool,
        Self::PreQueueDrain,
        Self::PostQueueDrain,
        Self::PostSession,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::PreSession => "pre_session",
            Self::PreStream => "pre_stream",
            Self::PostStream => "post_stream",
            Self::PreTool => "pre_tool",
            Self::PostTool => "post_tool",
            Self::PreQueueDrain => "pre_queue_drain",
            Self::PostQueueDrain => "post_queue_drain",
            Self::PostSession => "post_session",
        }
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|point| point.name() == name)
    }

    /// Separated by blanks.
    pub(super) fn all_names() -> String {
        Self::ALL.map(Self::name).join(" ")
    }

    pub(super) fn of(happening: &Happening) -> Option<Self> {
        match happening {
            Happening::SessionStarted { .. } => Some(Self::PreSession),
            Happening::ModelCallStarting { .. } => Some(Self::PreStream),
            Happening::ModelCallEnded { .. } => Some(Self::PostStream),
            Happening::ToolBatchStarting { .. } => Some(Self::PreTool),
            Happening::ToolBatchEnded { .. } => Some(Self::PostTool),
            Happening::QueueDrainStarting => Some(Self::PreQueueDrain),
            Happening::QueueDrainEnded => Some(Self::PostQueueDrain),
            Happening::SessionEnded { .. } => Some(Self::PostSession),
            // What a payload says of a batch is only that there is one.
            Happening::Other { name } => Self::from_name(name),
            _ => None,
        }
    }
}
