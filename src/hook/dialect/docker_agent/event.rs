//! The events (2.1 of the contract) and what each of them can do: one row for an event, read by everything else.

use crate::hook::event::{Channel, Event, Moment};
use crate::hook::event_table::{EventRow, Failure, event_table};

/// What an event can do.
#[derive(Debug)]
pub(super) struct Row {
    /// What every dialect says of its events. Those about a tool have a list of matcher entries.
    event: EventRow,
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
    event: EventRow::new("", ""),
    context: false,
    mute: false,
    rewrites: false,
    rewritten: None,
    permission: false,
};
const MUTE: Row = Row { mute: true, ..PLAIN };
const CONTEXT: Row = Row { context: true, ..PLAIN };
const GATE: Row = Row { rewrites: true, rewritten: Some(Rewritten::Input), ..PLAIN };

macro_rules! events {
    ($($name:ident $text:literal $moment:literal [$($say:tt)*] $row:expr;)*) => {
        event_table! {
            /// An event.
            enum EventName: Row {
                $($name Row { event: EventRow::new($text, $moment)$($say)*, ..$row };)*
            }
        }

        impl EventName {
            /// The name of the record of a firing (7).
            pub(super) const fn record_name(self) -> &'static str {
                match self { $(Self::$name => concat!("hook.", $text),)* }
            }
        }
    };
}

events! {
    PreToolUse "pre_tool_use" "tool_call_starting" [.tool().blocks(Failure::Closed)] Row { permission: true, ..GATE };
    ToolResponseTransform "tool_response_transform" "tool_call_ended" [.tool().aside()]
        Row { rewrites: true, rewritten: Some(Rewritten::Response), ..PLAIN };
    PostToolUse "post_tool_use" "tool_call_ended" [.tool().blocks(Failure::Choice)] CONTEXT;
    PermissionRequest "permission_request" "permission_requested" [.tool().blocks(Failure::Choice)] Row { permission: true, ..GATE };
    SessionStart "session_start" "session_started" [] CONTEXT;
    UserPromptSubmit "user_prompt_submit" "prompt_submitted" [.blocks(Failure::Choice)] CONTEXT;
    UserSteeringMessagesSubmit "user_steering_messages_submit" "" [.blocks(Failure::Choice)] CONTEXT;
    UserFollowupSubmit "user_followup_submit" "" [.blocks(Failure::Choice)] CONTEXT;
    TurnStart "turn_start" "turn_started" [] CONTEXT;
    TurnEnd "turn_end" "turn_ended" [.aside()] MUTE;
    BeforeLlmCall "before_llm_call" "model_call_starting" [.blocks(Failure::Choice)]
        Row { rewrites: true, rewritten: Some(Rewritten::Messages), ..PLAIN };
    AfterLlmCall "after_llm_call" "model_call_ended" [] MUTE;
    SessionEnd "session_end" "session_ended" [] MUTE;
    PreCompact "pre_compact" "compaction_starting" [.blocks(Failure::Choice)] CONTEXT;
    BeforeCompaction "before_compaction" "" [.blocks(Failure::Choice)]
        Row { rewritten: Some(Rewritten::Summary), ..PLAIN };
    AfterCompaction "after_compaction" "compaction_ended" [] MUTE;
    SubagentStop "subagent_stop" "subagent_ended" [] MUTE;
    OnUserInput "on_user_input" "" [] MUTE;
    Stop "stop" "turn_ended" [] CONTEXT;
    Notification "notification" "notified" [] MUTE;
    OnError "on_error" "" [] MUTE;
    OnMaxIterations "on_max_iterations" "" [] MUTE;
    OnAgentSwitch "on_agent_switch" "" [] MUTE;
    OnSessionResume "on_session_resume" "" [] MUTE;
    OnToolApprovalDecision "on_tool_approval_decision" "permission_decided" [] MUTE;
    WorktreeCreate "worktree_create" "" [.blocks(Failure::Choice)] CONTEXT;
    ToolInputTransform "tool_input_transform" "" [.tool().blocks(Failure::Choice)] GATE;
    ToolGuard "tool_guard" "" [.tool().blocks(Failure::Closed)] Row { permission: true, ..PLAIN };
}

impl Row {
    const fn event(&self) -> &EventRow {
        &self.event
    }
}

impl EventName {
    pub(super) const fn is_matched(self) -> bool {
        self.row().event.tool
    }

    pub(super) const fn can_block(self) -> bool {
        self.row().event.blocks
    }

    /// A failed hook denies.
    pub(super) const fn fails_closed(self) -> bool {
        matches!(self.row().event.failure, Failure::Closed)
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
    /// to other dialects; so does the name of [`Moment::Other`].
    pub(super) fn of(event: &Event) -> Option<Self> {
        if let Some(name) = event.facts.get("hook_event_name").and_then(serde_json::Value::as_str) {
            return Self::from_name(name);
        }
        match &event.moment {
            Moment::PromptSubmitted { channel: Channel::Steering, .. } => {
                Some(Self::UserSteeringMessagesSubmit)
            }
            Moment::PromptSubmitted { channel: Channel::FollowUp, .. } => Some(Self::UserFollowupSubmit),
            // `stop` stands for the moment where hooks are ported: its text reaches the model.
            Moment::TurnEnded { .. } => Some(Self::TurnEnd),
            Moment::Other { name } => Self::from_name(name),
            moment => Self::at(moment),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(wanted: impl Fn(EventName) -> bool) -> Vec<&'static str> {
        EventName::ALL.iter().copied().filter(|event| wanted(*event)).map(EventName::name).collect()
    }

    #[test]
    fn rows_are_those_of_the_table() {
        assert_eq!(EventName::ALL.len(), 28);
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
