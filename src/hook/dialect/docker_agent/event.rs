//! The events (2.1 of the contract) and what each of them can do: one row for an event, read by everything else.

use crate::hook::event::{Channel, Event, Happening};

/// What an event can do.
#[derive(Debug)]
pub(super) struct Row {
    name: &'static str,
    /// Its config is a list of matcher entries.
    matched: bool,
    blocks: Blocks,
    /// Plain text on standard output, and `additional_context`, are taken.
    context: bool,
    /// Whatever is printed is ignored.
    mute: bool,
    /// Hooks run in sequence, each sees what the ones before it changed (R21).
    rewrites: bool,
    /// The one field of `hook_specific_output` that rewrites something.
    rewritten: Option<Rewritten>,
    /// `permission_decision` is taken.
    permission: bool,
}

/// See [`Row::blocks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Blocks {
    No,
    Yes,
    /// Also when a hook fails, whatever its `on_error` (5.3).
    AlsoByFailure,
}

/// What hooks of an event can rewrite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rewritten {
    Input,
    Response,
    Messages,
    Summary,
}

impl Rewritten {
    /// The field of `hook_specific_output`.
    pub(super) const fn field(self) -> &'static str {
        match self {
            Self::Input => "updated_input",
            Self::Response => "updated_tool_response",
            Self::Messages => "updated_messages",
            Self::Summary => "summary",
        }
    }
}

const PLAIN: Row = Row {
    name: "",
    matched: false,
    blocks: Blocks::No,
    context: false,
    mute: false,
    rewrites: false,
    rewritten: None,
    permission: false,
};
const MUTE: Row = Row { mute: true, ..PLAIN };
const CONTEXT: Row = Row { context: true, ..PLAIN };
const PROMPT: Row = Row { blocks: Blocks::Yes, ..CONTEXT };
const TOOL: Row = Row { matched: true, ..PLAIN };
const GATE: Row = Row { blocks: Blocks::Yes, rewrites: true, rewritten: Some(Rewritten::Input), ..TOOL };

macro_rules! events {
    ($($kind:ident $name:literal $row:expr;)*) => {
        /// An event.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(super) enum EventName { $($kind,)* }

        /// How many events there are.
        pub(super) const COUNT: usize = [$($name,)*].len();

        impl EventName {
            pub(super) const ALL: [Self; COUNT] = [$(Self::$kind,)*];

            /// The name of the record of a firing (7).
            pub(super) const fn record_name(self) -> &'static str {
                match self { $(Self::$kind => concat!("hook.", $name),)* }
            }

            const fn row(self) -> &'static Row {
                match self { $(Self::$kind => &const { Row { name: $name, ..$row } },)* }
            }
        }
    };
}

events! {
    PreToolUse "pre_tool_use" Row { blocks: Blocks::AlsoByFailure, permission: true, ..GATE };
    ToolResponseTransform "tool_response_transform"
        Row { rewrites: true, rewritten: Some(Rewritten::Response), ..TOOL };
    PostToolUse "post_tool_use" Row { blocks: Blocks::Yes, context: true, ..TOOL };
    PermissionRequest "permission_request" Row { permission: true, ..GATE };
    SessionStart "session_start" CONTEXT;
    UserPromptSubmit "user_prompt_submit" PROMPT;
    UserSteeringMessagesSubmit "user_steering_messages_submit" PROMPT;
    UserFollowupSubmit "user_followup_submit" PROMPT;
    TurnStart "turn_start" CONTEXT;
    TurnEnd "turn_end" MUTE;
    BeforeLlmCall "before_llm_call"
        Row { blocks: Blocks::Yes, rewrites: true, rewritten: Some(Rewritten::Messages), ..PLAIN };
    AfterLlmCall "after_llm_call" MUTE;
    SessionEnd "session_end" MUTE;
    PreCompact "pre_compact" PROMPT;
    BeforeCompaction "before_compaction"
        Row { blocks: Blocks::Yes, rewritten: Some(Rewritten::Summary), ..PLAIN };
    AfterCompaction "after_compaction" MUTE;
    SubagentStop "subagent_stop" MUTE;
    OnUserInput "on_user_input" MUTE;
    Stop "stop" CONTEXT;
    Notification "notification" MUTE;
    OnError "on_error" MUTE;
    OnMaxIterations "on_max_iterations" MUTE;
    OnAgentSwitch "on_agent_switch" MUTE;
    OnSessionResume "on_session_resume" MUTE;
    OnToolApprovalDecision "on_tool_approval_decision" MUTE;
    WorktreeCreate "worktree_create" PROMPT;
    ToolInputTransform "tool_input_transform" GATE;
    ToolGuard "tool_guard" Row { blocks: Blocks::AlsoByFailure, permission: true, ..TOOL };
}

impl EventName {
    pub(super) const fn name(self) -> &'static str {
        self.row().name
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|event| event.name() == name)
    }

    pub(super) fn all_names() -> String {
        Self::ALL.map(Self::name).join(", ")
    }

    pub(super) const fn is_matched(self) -> bool {
        self.row().matched
    }

    pub(super) const fn can_block(self) -> bool {
        !matches!(self.row().blocks, Blocks::No)
    }

    /// A failed hook denies.
    pub(super) const fn fails_closed(self) -> bool {
        matches!(self.row().blocks, Blocks::AlsoByFailure)
    }

    /// Text is taken. Newer releases take none on two of the events; `legacy` has them as documented.
    pub(super) const fn takes_context(self, legacy: bool) -> bool {
        self.row().context && (legacy || !matches!(self, Self::PostToolUse | Self::Stop))
    }

    pub(super) const fn is_mute(self) -> bool {
        self.row().mute
    }

    /// Text is for the turn at hand and not stored.
    pub(super) const fn is_transient(self) -> bool {
        matches!(
            self,
            Self::TurnStart
                | Self::UserPromptSubmit
                | Self::UserSteeringMessagesSubmit
                | Self::UserFollowupSubmit
        )
    }

    pub(super) const fn is_sequential(self) -> bool {
        self.row().rewrites
    }

    pub(super) const fn rewritten(self) -> Option<Rewritten> {
        self.row().rewritten
    }

    pub(super) const fn takes_permission(self) -> bool {
        self.row().permission
    }

    /// The event of a neutral one. A fact `hook_event_name` wins, because several of the contract's events are one moment
    /// to other dialects; so does the name of [`Happening::Other`].
    pub(super) fn of(event: &Event) -> Option<Self> {
        if let Some(name) = event.facts.get("hook_event_name").and_then(serde_json::Value::as_str) {
            return Self::from_name(name);
        }
        Some(match &event.happening {
            Happening::SessionStarted { .. } => Self::SessionStart,
            Happening::SessionEnded { .. } => Self::SessionEnd,
            Happening::PromptSubmitted { channel: Channel::Prompt, .. } => Self::UserPromptSubmit,
            Happening::PromptSubmitted { channel: Channel::Steering, .. } => Self::UserSteeringMessagesSubmit,
            Happening::PromptSubmitted { channel: Channel::FollowUp, .. } => Self::UserFollowupSubmit,
            Happening::TurnStarted => Self::TurnStart,
            Happening::TurnEnded { .. } => Self::TurnEnd,
            Happening::ModelCallStarting { .. } => Self::BeforeLlmCall,
            Happening::ModelCallEnded { .. } => Self::AfterLlmCall,
            Happening::ToolCallStarting(_) => Self::PreToolUse,
            Happening::ToolCallEnded { .. } => Self::PostToolUse,
            Happening::PermissionRequested(_) => Self::PermissionRequest,
            Happening::PermissionDecided { .. } => Self::OnToolApprovalDecision,
            Happening::CompactionStarting { .. } => Self::PreCompact,
            Happening::CompactionEnded { .. } => Self::AfterCompaction,
            Happening::SubagentEnded { .. } => Self::SubagentStop,
            Happening::Notified { .. } => Self::Notification,
            Happening::Other { name } => return Self::from_name(name),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(wanted: impl Fn(EventName) -> bool) -> Vec<&'static str> {
        EventName::ALL.into_iter().filter(|event| wanted(*event)).map(EventName::name).collect()
    }

    #[test]
    fn rows_are_those_of_the_table() {
        assert_eq!(COUNT, 28);
        let matched = names(EventName::is_matched);
        assert_eq!(matched.len(), 6);
        assert_eq!(names(EventName::can_block).len(), 12);
        assert_eq!(names(|event| event.takes_context(true)).len(), 9); // eight, and what the user of the CLI sees
        assert_eq!(names(|event| event.takes_context(false)).len(), 7);
        assert_eq!(names(EventName::fails_closed), ["pre_tool_use", "tool_guard"]);
        assert_eq!(names(EventName::is_mute).len(), 12);
        assert_eq!(
            names(EventName::is_sequential),
            [
                "pre_tool_use",
                "tool_response_transform",
                "permission_request",
                "before_llm_call",
                "tool_input_transform"
            ]
        );
        assert_eq!(names(EventName::takes_permission), ["pre_tool_use", "permission_request", "tool_guard"]);
    }
}
