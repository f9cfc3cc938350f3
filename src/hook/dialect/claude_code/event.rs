//! The 33 events (2.1 of the contract): one row each, with all that differs between them by table: what a matcher tests,
//! which handlers are allowed, what a block means, which members the payload has and in which order.

use crate::hook::event::Moment;
use crate::hook::event_table::{EventRow, Failure, Mark, Part, event_table};
use crate::hook::unread::{Members, Shape};

/// Declares the rows with the names of the events in them.
macro_rules! events {
    ($($name:ident $moment:literal [$($say:tt)*]: $on:expr, $kinds:ident, $block:ident, [$($flag:ident)*], $fields:expr, $own:expr;)*) => {
        event_table! {
            /// An event of the contract.
            enum EventName: Row {
                $($name Row {
                    event: EventRow::new(stringify!($name), $moment)$($say)*
                        .matched($on)
                        .marks([Mark::BlankBom])
                        .mark_if(Mark::Feedback, BlockMeans::$block.is_heard())
                        .mark_if(Mark::AnyStatus, matches!(BlockMeans::$block, BlockMeans::Fails))
                        .payload(&$fields)
                        .output(&const { output($own) }),
                    kinds: Kinds::$kinds,
                    block: BlockMeans::$block,
                    flags: &[$(Flag::$flag,)*],
                };)*
            }
        }
    };
}

/// What is fixed of an event.
#[derive(Debug)]
pub(super) struct Row {
    /// What every dialect says of its events.
    pub(super) event: EventRow,
    kinds: Kinds,
    pub(super) block: BlockMeans,
    flags: &'static [Flag],
}

/// Which handlers an event takes (R10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kinds {
    /// Every kind.
    Every,
    /// All but `agent`.
    NoAgent,
    /// `command`, `http`, `mcp_tool`.
    NoModel,
    /// `command`, `mcp_tool`.
    Local,
    /// `command`.
    Command,
}

/// What exit status 2 and `decision: block` do (4.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockMeans {
    /// The call is denied, the model gets the text.
    Deny,
    /// The prompt or expansion is rejected, the user gets the text.
    Reject,
    /// The agent goes on, with the text as its instruction.
    KeepGoing,
    /// The task is not created or not completed; the model gets the text.
    RollBack,
    /// The loop stops before the next model call.
    StopLoop,
    /// It is cancelled.
    Cancel,
    /// The answer is a no.
    Decline,
    /// The model gets the text, nothing is undone.
    ToModel,
    /// The user gets the text.
    ToUser,
    /// Only for a debug log.
    Debug,
    /// Nothing.
    Ignored,
    /// Any exit status but 0 is a failure of the operation.
    Fails,
}

impl BlockMeans {
    /// Whether somebody is told what exit status 2 says.
    const fn is_heard(self) -> bool {
        !matches!(self, Self::Ignored | Self::Debug)
    }
}

/// What else is true of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flag {
    /// `decision: block` is honoured (R35).
    Decides,
    /// `continue: false` has no effect (R36); on `TaskCompleted` that depends on who raised it.
    NoStop,
    /// Plain text is context (R29).
    Plain,
    /// `permission_mode` belongs to the payload.
    Mode,
    /// `if` rules are evaluated (R13).
    Rules,
    /// The hook gets `CLAUDE_ENV_FILE` (R22).
    EnvFile,
    /// Command, http and tool handlers have 30 s (5.3).
    Short,
}

use Shape::{Any, Bool, Map, Object, Text, Texts, Word};

/// What an output may have on every event (4.4), with the members of its `hookSpecificOutput`.
pub(super) const fn output(own: Members) -> [(&'static str, Shape); 8] {
    [
        ("continue", Bool),
        ("stopReason", Text),
        ("suppressOutput", Bool),
        ("systemMessage", Text),
        ("terminalSequence", Text),
        ("decision", Word(&["approve", "block"])),
        ("reason", Text),
        ("hookSpecificOutput", Object(own)),
    ]
}

/// A member of `hookSpecificOutput`.
type OutputMember = (&'static str, Shape);
const NAME: OutputMember = ("hookEventName", Any);
const ADDED: OutputMember = ("additionalContext", Text);
const WHY: OutputMember = ("permissionDecisionReason", Text);
const PATHS: OutputMember = ("watchPaths", Texts);

// What it has, by event.
const NOTHING: Members = &[NAME];
const CONTEXT: Members = &[NAME, ADDED];
const WATCH: Members = &[NAME, PATHS];
const ANSWER: Members = &[NAME, ("action", Word(&["accept", "decline", "cancel"])), ("content", Map)];
const CALL: Members = &[
    NAME,
    ("permissionDecision", Word(&["allow", "deny", "ask", "defer"])),
    WHY,
    ("updatedInput", Map),
    ADDED,
];
const SWITCH: Members = &[NAME, ("permissionDecision", Word(&["allow", "deny", "ask"])), WHY];
const REQUEST: Members = &[
    NAME,
    (
        "decision",
        Object(&[
            ("behavior", Word(&["allow", "deny"])),
            ("updatedInput", Map),
            ("updatedPermissions", Any),
            ("message", Text),
            ("interrupt", Bool),
        ]),
    ),
];
const RETRY: Members = &[NAME, ("retry", Bool)];
const RESULT: Members =
    &[NAME, ADDED, ("updatedToolOutput", Any), ("updatedMCPToolOutput", Any), ("classifierContext", Text)];
const PROMPT: Members = &[NAME, ADDED, ("sessionTitle", Text), ("suppressOriginalPrompt", Bool)];
const START: Members =
    &[NAME, ADDED, ("initialUserMessage", Text), ("sessionTitle", Text), PATHS, ("reloadSkills", Bool)];
const DISPLAY: Members = &[NAME, ("displayContent", Text)];
const WORKTREE: Members = &[NAME, ("worktreePath", Text)];

/// Errors of `StopFailure` (2.3); any other is `unknown`.
pub(super) const STOP_ERRORS: [&str; 12] = [
    "rate_limit",
    "overloaded",
    "authentication_failed",
    "oauth_org_not_allowed",
    "account_on_hold",
    "billing_error",
    "invalid_request",
    "model_not_found",
    "server_error",
    "max_output_tokens",
    "cloud_credential_error",
    "unknown",
];

const TOOL: [&str; 3] = ["tool_name", "tool_input", "tool_use_id"];

events! {
    SessionStart "session_started" [.marks([Mark::Context, Mark::PlainText]).values(&["startup", "resume",
        "clear", "compact", "fork"])]:
        "source", Local, ToUser, [Plain EnvFile],
        ["source", "model", "agent_type", "session_title"], START;
    Setup "" [.values(&["init", "maintenance"])]: "trigger", Command, Ignored, [NoStop EnvFile], ["trigger"], NOTHING;
    InstructionsLoaded "" [.values(&["session_start", "nested_traversal", "path_glob_match", "include", "compact"])]:
        "load_reason", NoModel, Ignored, [NoStop],
        ["file_path", "memory_type", "load_reason"], NOTHING;
    UserPromptSubmit "prompt_submitted" [.blocks(Failure::Choice).marks([Mark::Context, Mark::PlainText])]:
        "", Every, Reject, [Decides Plain Mode Short],
        ["prompt", "session_title"], PROMPT;
    UserPromptExpansion "" [.blocks(Failure::Choice).marks([Mark::PlainText])]:
        "command_name", Every, Reject, [Decides Plain Mode],
        ["expansion_type", "command_name", "command_args", "command_source", "prompt"], CONTEXT;
    MessageDisplay "" []: "", NoModel, Ignored, [NoStop], ["turn_id", "message_id", "index", "final", "delta"], DISPLAY;
    PreToolUse "tool_call_starting" [.tool().blocks(Failure::Choice).marks([Mark::Ask, Mark::Allow,
        Mark::Arguments, Mark::Context])]:
        "tool_name", Every, Deny,
        [Decides Mode Rules], TOOL, CALL;
    PermissionRequest "permission_requested" [.tool().blocks(Failure::Choice).marks([Mark::Allow, Mark::Arguments])]:
        "tool_name", NoAgent, Ignored, [Mode Rules],
        ["tool_name", "tool_input", "permission_suggestions"], REQUEST;
    PermissionDenied "permission_decided" [.tool()]: "tool_name", Every, Ignored, [NoStop Mode Rules],
        ["tool_name", "tool_input", "tool_use_id", "reason"], RETRY;
    PostToolUse "tool_call_ended" [.tool().part(Part::Success).marks([Mark::Result, Mark::Context])]:
        "tool_name", Every, ToModel, [Decides Mode Rules],
        ["tool_name", "tool_input", "tool_response", "tool_use_id", "duration_ms"], RESULT;
    PostToolUseFailure "tool_call_ended" [.tool().part(Part::Failure).marks([Mark::Context])]:
        "tool_name", Every, ToModel, [Decides Mode Rules],
        ["tool_name", "tool_input", "tool_use_id", "error", "is_interrupt", "duration_ms"], CONTEXT;
    PostToolBatch "tool_batch_ended" [.blocks(Failure::Choice).marks([Mark::Context])]:
        "", Every, StopLoop, [Decides Mode],
        ["tool_calls"], CONTEXT;
    Notification "notified" [.values(&["permission_prompt", "idle_prompt", "auth_success", "elicitation_dialog",
        "elicitation_url_dialog", "elicitation_complete", "elicitation_response", "agent_needs_input",
        "agent_completed", "quota_auto_resume_fired", "quota_auto_resume_stale",
        "quota_auto_resume_disabled"])]:
        "notification_type", NoModel, Ignored, [NoStop],
        ["message", "title", "notification_type"], NOTHING;
    SubagentStart "subagent_started" [.marks([Mark::Context])]:
        "agent_type", NoModel, ToUser, [], ["agent_id", "agent_type"], CONTEXT;
    SubagentStop "subagent_ended" [.blocks(Failure::Open).marks([Mark::Context])]:
        "agent_type", Every, KeepGoing, [Decides Mode],
        ["stop_hook_active", "agent_id", "agent_type", "agent_transcript_path", "last_assistant_message",
         "background_tasks", "session_crons"], CONTEXT;
    TaskCreated "" [.blocks(Failure::Choice)]: "", Every, RollBack, [Decides NoStop],
        ["task_id", "task_subject", "task_description", "teammate_name", "team_name"], NOTHING;
    TaskCompleted "" [.blocks(Failure::Open)]: "", Every, RollBack, [Mode],
        ["task_id", "task_subject", "task_description", "teammate_name", "team_name"], NOTHING;
    Stop "turn_ended" [.blocks(Failure::Open).marks([Mark::Context])]: "", Every, KeepGoing, [Decides Mode],
        ["stop_hook_active", "last_assistant_message", "background_tasks", "session_crons"], CONTEXT;
    StopFailure "turn_ended" [.part(Part::Failure).values(&STOP_ERRORS)]: "error", NoModel, Ignored, [NoStop],
        ["error", "error_details", "last_assistant_message"], NOTHING;
    TeammateIdle "" [.blocks(Failure::Open)]: "", Every, KeepGoing, [Mode], ["teammate_name", "team_name"], NOTHING;
    ConfigChange "" [.blocks(Failure::Choice).values(&["user_settings", "project_settings", "local_settings",
        "policy_settings", "skills"])]:
        "source", NoModel, Cancel, [Decides NoStop],
        ["source", "file_path"], NOTHING;
    CwdChanged "" []: "", NoModel, ToUser, [NoStop EnvFile], ["old_cwd", "new_cwd"], WATCH;
    DirectoryAdded "" [.values(&["slash_command", "register_repo_root"])]:
        "source", NoModel, Debug, [NoStop], ["directory", "source"], NOTHING;
    FileChanged "" []: "file_path", NoModel, ToUser, [NoStop EnvFile], ["file_path", "event"], WATCH;
    WorktreeCreate "" [.blocks(Failure::Closed)]: "", NoModel, Fails, [NoStop], ["name"], WORKTREE;
    WorktreeRemove "" [.blocks(Failure::Closed)]: "", NoModel, Fails, [NoStop], ["worktree_path"], NOTHING;
    PreCompact "compaction_starting" [.blocks(Failure::Choice).values(&["manual", "auto"])]:
        "trigger", NoModel, Cancel, [Decides],
        ["trigger", "custom_instructions"], NOTHING;
    PostCompact "compaction_ended" [.values(&["manual", "auto"])]:
        "trigger", NoModel, ToUser, [], ["trigger", "compact_summary"], NOTHING;
    PreModelSwitch "" [.blocks(Failure::Choice)]: "to_model", NoModel, Cancel, [Decides Short],
        ["from_model", "to_model", "requested_model", "source", "context_tokens", "prompt_cache_warm", "cache_ttl",
         "estimated_cache_write_usd", "pricing"], SWITCH;
    PostModelSwitch "" [.marks([Mark::PlainText])]: "to_model", NoModel, ToUser, [Plain Short],
        ["from_model", "to_model", "requested_model", "source", "context_tokens", "prompt_cache_warm", "cache_ttl",
         "estimated_cache_write_usd", "pricing"], CONTEXT;
    Elicitation "" [.blocks(Failure::Choice)]: "mcp_server_name", NoModel, Decline, [],
        ["mcp_server_name", "message", "mode", "requested_schema"], ANSWER;
    ElicitationResult "" [.blocks(Failure::Choice)]: "mcp_server_name", NoModel, Decline, [],
        ["mcp_server_name", "action", "content"], ANSWER;
    SessionEnd "session_ended" [.values(&["clear", "resume", "logout", "prompt_input_exit", "other",
        "bypass_permissions_disabled"])]:
        "reason", NoModel, ToUser, [NoStop], ["reason"], NOTHING;
}

impl Row {
    const fn event(&self) -> &EventRow {
        &self.event
    }
}

impl EventName {
    /// The event of a neutral one. [`Moment::Other`] names those for which the neutral form has no moment.
    pub(super) fn of(moment: &Moment) -> Option<Self> {
        match moment {
            Moment::ModelCallEnded { response: Some(_), .. } => Some(Self::MessageDisplay),
            // What the user refuses is not an event of the contract.
            Moment::PermissionDecided { decision, source, .. } if decision != "deny" || source == "user" => {
                None
            }
            Moment::Other { name } => Self::from_name(name)
                .filter(|event| event.row().event.moment.is_empty() && *event != Self::MessageDisplay),
            moment => Self::at(moment),
        }
    }

    pub(super) fn has(self, flag: Flag) -> bool {
        self.row().flags.contains(&flag)
    }

    /// The payload's member that a matcher tests.
    pub(super) fn matched_field(self) -> Option<&'static str> {
        Some(self.row().event.matched).filter(|field| !field.is_empty())
    }

    pub(super) fn allows(self, kind: &str) -> bool {
        match self.row().kinds {
            Kinds::Every => true,
            Kinds::NoAgent => kind != "agent",
            Kinds::NoModel => !matches!(kind, "prompt" | "agent"),
            Kinds::Local => matches!(kind, "command" | "mcp_tool"),
            Kinds::Command => kind == "command",
        }
    }

    pub(super) fn evaluates_rules(self) -> bool {
        self.has(Flag::Rules)
    }

    /// `Stop` and `SubagentStop`: the loop guard (R58) counts.
    pub(super) const fn is_stop(self) -> bool {
        matches!(self, Self::Stop | Self::SubagentStop)
    }

    /// Seconds of a handler without `timeout` (5.3); `SessionEnd` has a budget instead.
    pub(super) fn default_timeout(self, kind: &str) -> u64 {
        match kind {
            "prompt" => 30,
            "agent" => 60,
            _ if self.has(Flag::Short) => 30,
            _ if self == Self::MessageDisplay => 10,
            _ => 600,
        }
    }
}
