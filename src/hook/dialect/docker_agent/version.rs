//! The versions of the contract.

use crate::hook::version::versions;

versions! {
    "manual" "what the manual documents: 26 events, and tool_input_transform and tool_guard"
        [legacy_context_events = "true", merge_updated_input = "false"] {}
    "1.149" "release 1.149: agents are routed by hooks, guards of skills and prompt files, evaluators"
        [legacy_context_events = "false", merge_updated_input = "true"] {
        Event: "before_agent_run" "after_agent_complete" "skill_content_guard" "prompt_file_guard";
        Kind: "evaluator";
        Builtin: "add_context" "http_post" "elide_repeated_tool_results" "transform_json";
        Field: "system_prompt" "evaluator" "evaluator_policy" "routing_policy";
        Schema: "guard_decision";
        Payload: "tool_category";
        Output: "transition" "instruction_context";
        Way: "strict_config" "redact_before_approval" "strict_transition" "safer_shell_labels";
    }
}
