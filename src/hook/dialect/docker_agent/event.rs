//! The events (2.1 of the contract) and what each of them can do: one row for an event, read by everything else.

use crate::hook::event::{Channel, Event, Moment};
use crate::hook::event_table::{EventRow, Failure, Mark, event_table};
use crate::hook::unread::{Members, Shape};

/// What an event can do.
#[derive(Debug)]
pub(super) struct Row {
    /// What every dialect says of its events. Those about a tool have a list of matcher entries.
    pub(super) event: EventRow,
    /// Plain text on standard output, and `additional_context`, are taken.
    context: bool,
    /// Whatever is printed is ignored.
    mute: bool,
    /// The one field of `hook_specific_output` that rewrites something.
    rewritten: Option<Rewritten>,
    /// `permission_decision` is taken.
    permission: bool,
    /// What hooks of the event are for, where that is not a verdict or text.
    role: Role,
}

/// See [`Row::role`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Usual,
    /// Its hooks may send the conversation to another agent; outputs are held to their form.
    Route,
    /// Every hook must say that it goes on; nothing that hooks print is shown.
    Guard,
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

/// What is read of an output; of its types the reading is sure.
pub(super) const OUTPUT: Members = &[
    ("continue", Shape::Any),
    ("stop_reason", Shape::Any),
    ("suppress_output", Shape::Any),
    ("system_message", Shape::Any),
    ("decision", Shape::Any),
    ("reason", Shape::Any),
    (
        "hook_specific_output",
        Shape::Object(&[
            ("hook_event_name", Shape::Any),
            ("permission_decision", Shape::Any),
            ("permission_decision_reason", Shape::Any),
            ("updated_input", Shape::Any),
            ("metadata", Shape::Any),
            ("additional_context", Shape::Any),
            ("updated_tool_response", Shape::Any),
            ("updated_messages", Shape::Any),
            ("summary", Shape::Any),
            ("transition", Shape::Any),
            ("instruction_context", Shape::Any),
        ]),
    ),
];

const PLAIN: Row = Row {
    event: EventRow::new("", ""),
    context: false,
    mute: false,
    rewritten: None,
    permission: false,
    role: Role::Usual,
};
const MUTE: Row = Row { mute: true, ..PLAIN };
const CONTEXT: Row = Row { context: true, ..PLAIN };
const GATE: Row = Row { rewritten: Some(Rewritten::Input), ..PLAIN };

const ROUTE: Row = Row { role: Role::Route, ..PLAIN };
const GUARD: Row = Row { role: Role::Guard, ..PLAIN };

const CALL: [&str; 4] = ["agent_name", "tool_name", "tool_use_id", "tool_input"];
const ACTIVATION: [&str; 7] =
    ["agent_name", "invocation_id", "step_id", "task_input", "previous_output", "output", "conversation"];
const ALERT: [&str; 2] = ["notification_level", "notification_message"];

macro_rules! events {
    ($($name:ident $text:literal $moment:literal [$($say:tt)*] $row:expr, $fields:expr;)*) => {
        event_table! {
            /// An event.
            enum EventName: Row {
                $($name Row {
                    event: EventRow::new($text, $moment)$($say)*
                        .payload(&$fields)
                        .output(if $row.mute { &[] } else { OUTPUT }),
                    ..$row
                };)*
            }
        }
    };
}

events! {
    PreToolUse "pre_tool_use" "tool_call_starting" [.tool().blocks(Failure::Closed).marks([Mark::Ask, Mark::Allow, Mark::Arguments])]
        Row { permission: true, ..GATE }, CALL;
    ToolResponseTransform "tool_response_transform" "tool_call_ended" [.tool().aside().marks([Mark::Result])]
        Row { rewritten: Some(Rewritten::Response), ..PLAIN },
        ["tool_name", "tool_use_id", "tool_input", "tool_response"];
    PostToolUse "post_tool_use" "tool_call_ended" [.tool().blocks(Failure::Choice)]
        CONTEXT,
        ["agent_name", "tool_name", "tool_use_id", "tool_input", "tool_response", "tool_error"];
    PermissionRequest "permission_request" "permission_requested" [.tool().blocks(Failure::Choice).marks([Mark::Ask, Mark::Allow, Mark::Arguments])]
        Row { permission: true, ..GATE }, CALL;
    SessionStart "session_start" "session_started" [.marks([Mark::Context, Mark::PlainText])
        .values(&["startup", "resume", "clear", "compact"])] CONTEXT, ["source"];
    UserPromptSubmit "user_prompt_submit" "prompt_submitted" [.blocks(Failure::Choice).marks([Mark::Context, Mark::PlainText])]
        CONTEXT, ["prompt"];
    UserSteeringMessagesSubmit "user_steering_messages_submit" "" [.blocks(Failure::Choice).marks([Mark::PlainText])]
        CONTEXT, ["steering_messages"];
    UserFollowupSubmit "user_followup_submit" "" [.blocks(Failure::Choice).marks([Mark::PlainText])]
        CONTEXT, ["prompt"];
    TurnStart "turn_start" "turn_started" [.marks([Mark::Context, Mark::PlainText])] CONTEXT, [];
    TurnEnd "turn_end" "turn_ended" [.aside()] MUTE, ["agent_name", "reason"];
    BeforeLlmCall "before_llm_call" "model_call_starting" [.blocks(Failure::Choice)]
        Row { rewritten: Some(Rewritten::Messages), ..PLAIN }, ["iteration", "model_id", "messages"];
    AfterLlmCall "after_llm_call" "model_call_ended" [] MUTE,
        ["agent_name", "stop_response", "last_user_message", "model_id", "usage", "cost"];
    SessionEnd "session_end" "session_ended" [.values(&["clear", "logout", "prompt_input_exit", "other"])] MUTE, ["reason"];
    PreCompact "pre_compact" "compaction_starting" [.blocks(Failure::Choice).marks([Mark::Context, Mark::PlainText, Mark::PlatformStep])
        .values(&["manual", "auto", "overflow", "tool_overflow"])] CONTEXT, ["source"];
    BeforeCompaction "before_compaction" "" [.blocks(Failure::Choice).marks([Mark::PlatformStep])]
        Row { rewritten: Some(Rewritten::Summary), ..PLAIN },
        ["input_tokens", "output_tokens", "context_limit", "compaction_reason"];
    AfterCompaction "after_compaction" "compaction_ended" [] MUTE,
        ["input_tokens", "output_tokens", "context_limit", "compaction_reason", "summary"];
    SubagentStop "subagent_stop" "subagent_ended" [] MUTE, ["agent_name", "parent_session_id", "stop_response"];
    OnUserInput "on_user_input" "" [] MUTE, [];
    Stop "stop" "turn_ended" []
        CONTEXT, ["agent_name", "stop_response", "last_user_message"];
    Notification "notification" "notified" [] MUTE, ALERT;
    OnError "on_error" "" [] MUTE, ALERT;
    OnMaxIterations "on_max_iterations" "" [] MUTE, ALERT;
    OnAgentSwitch "on_agent_switch" "" [] MUTE, ["from_agent", "to_agent", "agent_switch_kind", "from_agent_models"];
    OnSessionResume "on_session_resume" "" [] MUTE, ["previous_max_iterations", "new_max_iterations"];
    OnToolApprovalDecision "on_tool_approval_decision" "permission_decided" [] MUTE,
        ["tool_name", "tool_use_id", "tool_input", "approval_decision", "approval_source"];
    WorktreeCreate "worktree_create" "" [.blocks(Failure::Choice).marks([Mark::PlatformStep])] CONTEXT,
        ["worktree_path", "worktree_branch", "worktree_source_dir"];
    ToolInputTransform "tool_input_transform" "" [.tool().blocks(Failure::Choice)] GATE, CALL;
    ToolGuard "tool_guard" "" [.tool().blocks(Failure::Closed).marks([Mark::Ask, Mark::Allow])]
        Row { permission: true, ..PLAIN }, CALL;
    BeforeAgentRun "before_agent_run" "" [.blocks(Failure::Closed).marks([Mark::PlatformStep])] ROUTE, ACTIVATION;
    AfterAgentComplete "after_agent_complete" "" [.blocks(Failure::Closed).marks([Mark::PlatformStep])] ROUTE, ACTIVATION;
    SkillContentGuard "skill_content_guard" "" [.blocks(Failure::Closed).marks([Mark::PlatformStep])] GUARD,
        ["agent_name", "skill"];
    PromptFileGuard "prompt_file_guard" "" [.blocks(Failure::Closed).marks([Mark::PlatformStep])] GUARD,
        ["agent_name", "source", "prompt_file"];
}

impl Row {
    const fn event(&self) -> &EventRow {
        &self.event
    }
}

impl EventName {
    /// Members of the payload that are the event's own, in order.
    pub(super) const fn fields(self) -> &'static [&'static str] {
        self.row().event.payload
    }

    /// The moment as which a payload is read, where that is not the one that the event stands for.
    pub(super) const fn read_as(self) -> &'static str {
        match self {
            Self::ToolInputTransform | Self::ToolGuard => "tool_call_starting",
            Self::UserSteeringMessagesSubmit | Self::UserFollowupSubmit => "prompt_submitted",
            Self::BeforeCompaction => "compaction_starting",
            Self::OnError | Self::OnMaxIterations => "notified",
            _ => self.row().event.moment,
        }
    }

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

    /// Hooks may send the conversation to another agent.
    pub(super) fn routes(self) -> bool {
        self.row().role == Role::Route
    }

    /// Every hook must say that it goes on.
    pub(super) fn is_guard(self) -> bool {
        self.row().role == Role::Guard
    }

    /// Instructions are taken.
    pub(super) const fn takes_instructions(self) -> bool {
        matches!(self, Self::SessionStart | Self::TurnStart)
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

    /// Hooks run in sequence, each sees what the ones before it changed (R21). Of summaries the first counts.
    pub(super) const fn is_sequential(self) -> bool {
        matches!(self.rewritten(), Some(Rewritten::Input | Rewritten::Response | Rewritten::Messages))
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
        assert_eq!(EventName::ALL.len(), 32);
        let matched = names(EventName::is_matched);
        assert_eq!(matched.len(), 6);
        assert_eq!(names(EventName::can_block).len(), 16);
        assert_eq!(names(|event| event.takes_context(true)).len(), 9); // eight, and what the user of the CLI sees
        assert_eq!(names(|event| event.takes_context(false)).len(), 7);
        assert_eq!(names(EventName::routes), ["before_agent_run", "after_agent_complete"]);
        assert_eq!(names(EventName::is_guard), ["skill_content_guard", "prompt_file_guard"]);
        assert_eq!(names(EventName::fails_closed).len(), 6);
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
