//! The versions of the contract: releases, as far as the public changelog dates what they brought. What it does not date is in all.

use crate::hook::version::versions;

versions! {
    "1.0.38" "hooks are there" [] {}
    "1.0.41" "SubagentStop is an event of its own; timeouts" [] { Event: "SubagentStop"; Field: "timeout"; }
    "1.0.48" "PreCompact" [] { Event: "PreCompact"; }
    "1.0.54" "UserPromptSubmit; the working directory is in payloads" [] { Event: "UserPromptSubmit"; Payload: "cwd"; }
    "1.0.59" "UserPromptSubmit adds context" [] { Output of UserPromptSubmit: "additionalContext"; }
    "1.0.62" "SessionStart" [] { Event: "SessionStart"; }
    "1.0.64" "systemMessage" [] { Output: "systemMessage"; }
    "1.0.85" "SessionEnd" [] { Event: "SessionEnd"; }
    "2.0.10" "PreToolUse rewrites a call's input" [] { Output of PreToolUse: "updatedInput"; }
    "2.0.30" "hooks that ask a model" [] { Kind: "prompt"; Field: "prompt"; }
    "2.0.41" "which model is asked" [] { Field: "model"; }
    "2.0.42" "SubagentStop tells the agent" [] { Payload of SubagentStop: "agent_id" "agent_transcript_path"; }
    "2.0.43" "SubagentStart; the id of a call" [] {
        Event: "SubagentStart";
        Payload of PreToolUse: "tool_use_id";
        Payload of PostToolUse: "tool_use_id";
    }
    "2.0.45" "PermissionRequest" [] { Event: "PermissionRequest"; }
    "2.1.0" "hooks in the frontmatter of skills and agents; once" [] { Field: "once"; }
    "2.1.2" "SessionStart tells the agent's type" [] { Payload of SessionStart: "agent_type"; }
    "2.1.9" "PreToolUse adds context" [] { Output of PreToolUse: "additionalContext"; }
    "2.1.10" "Setup" [] { Event: "Setup"; }
    "2.1.33" "TeammateIdle, TaskCompleted" [] { Event: "TeammateIdle" "TaskCompleted"; }
    "2.1.47" "the last message at the end of a turn" [] {
        Payload of Stop: "last_assistant_message";
        Payload of SubagentStop: "last_assistant_message";
    }
    "2.1.49" "ConfigChange" [] { Event: "ConfigChange"; }
    "2.1.50" "WorktreeCreate, WorktreeRemove" [] { Event: "WorktreeCreate" "WorktreeRemove"; }
    "2.1.63" "hooks that post to a URL" [] { Kind: "http"; Field: "url" "headers" "allowedEnvVars"; }
    "2.1.69" "InstructionsLoaded" [] { Event: "InstructionsLoaded"; }
    "2.1.76" "Elicitation, ElicitationResult, PostCompact" [] { Event: "Elicitation" "ElicitationResult" "PostCompact"; }
    "2.1.78" "StopFailure" [] { Event: "StopFailure"; }
    "2.1.83" "CwdChanged, FileChanged" [] { Event: "CwdChanged" "FileChanged"; }
    "2.1.84" "TaskCreated; WorktreeCreate by http" [] { Event: "TaskCreated"; Output of WorktreeCreate: "worktreePath"; }
    "2.1.85" "conditions by permission rules" [] { Field: "if"; }
    "2.1.89" "PermissionDenied" [] { Event: "PermissionDenied"; Output: "retry"; }
    "2.1.94" "UserPromptSubmit names the session" [] { Output of UserPromptSubmit: "sessionTitle"; }
    "2.1.118" "hooks that call MCP tools" [] { Kind: "mcp_tool"; Field: "server" "tool" "input"; }
    "2.1.119" "how long a call took" [] {
        Payload of PostToolUse: "duration_ms";
        Payload of PostToolUseFailure: "duration_ms";
    }
    "2.1.121" "PostToolUse rewrites the output of every tool" [] { Output of PostToolUse: "updatedToolOutput"; }
    "2.1.133" "the effort level" [] { Payload: "effort"; }
    "2.1.139" "programs without a shell; a block that goes on" [] { Field: "args" "continueOnBlock"; }
    "2.1.141" "terminalSequence" [] { Output: "terminalSequence"; }
    "2.1.145" "work in the background at the end of a turn" [] {
        Payload of Stop: "background_tasks" "session_crons";
        Payload of SubagentStop: "background_tasks" "session_crons";
    }
    "2.1.152" "MessageDisplay; SessionStart names the session and reloads skills" [] {
        Event: "MessageDisplay";
        Output of SessionStart: "sessionTitle" "reloadSkills";
    }
    "2.1.163" "Stop and SubagentStop add context" [] {
        Output of Stop: "additionalContext";
        Output of SubagentStop: "additionalContext";
    }
    "2.1.219" "DirectoryAdded" [] { Event: "DirectoryAdded"; }
    "2.1.295" "the manual of that release" [] {}
}
