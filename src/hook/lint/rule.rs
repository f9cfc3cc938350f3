//! The rules of the linter, as data: one row each.

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Probably not what was meant.
    Warning,
    /// It does not work.
    Error,
}

impl Severity {
    /// `note`, `warning`, `error`
    pub const fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// A rule of the linter.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name in reports.
    pub id: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in a line.
    pub summary: &'static str,
    /// What to do about it.
    pub hint: &'static str,
}

macro_rules! rules {
    ($($name:ident: $severity:ident, $id:literal, $summary:literal, $hint:literal;)*) => {
        $(pub(crate) static $name: Rule =
            Rule { id: $id, severity: Severity::$severity, summary: $summary, hint: $hint };)*

        /// Every rule, sorted by id.
        ///
        /// | rule | severity | what is wrong | what to do |
        /// |---|---|---|---|
        $(#[doc = concat!("| `", $id, "` | ", stringify!($severity), " | ", $summary, " | ", $hint, " |")])*
        pub static RULES: &[&Rule] = &[$(&$name),*];
    };
}

rules! {
    CANNOT_BLOCK: Warning, "cannot-block", "the hook blocks on an event that cannot be blocked",
        "move it to an event before the action, or let it only report";
    COMMAND_MISSING: Warning, "command-missing", "the sandbox has no such command",
        "use a builtin or a utility of the sandbox, let the host bring it (SandboxBuilder::command; for a trial --stub NAME or a fixture), or test for it with command -v";
    CONDITION_NEVER: Warning, "condition-never", "the condition can never hold on this event",
        "remove the condition, or move the hook to an event that has what it asks for";
    CONFIG_INVALID: Error, "config-invalid", "the config is not accepted",
        "correct it as the message says";
    CONFIG_NOTICE: Warning, "config-notice", "the loader had something to say",
        "see the message";
    CONFIG_UNREAD: Warning, "config-unread", "the platform reads no hooks from a file of this name",
        "put the hooks into .claude/settings.json, or name the file in `hooks` of a plug-in's .claude-plugin/plugin.json";
    DUPLICATE_KEY: Error, "duplicate-key", "a key stands twice in one object; the last one counts",
        "put both values under one key";
    ERREXIT_EMPTY: Warning, "errexit-empty", "set -e ends the script where nothing was found, though it asks for that later",
        "let the search fail: VALUE=$(grep ... || true)";
    EVAL_COMPUTED: Warning, "eval-computed", "a computed text is run as a script",
        "run the command directly, with its arguments in quotes or in an array";
    EVAL_PAYLOAD: Error, "eval-payload", "text from the payload is run as a script",
        "never evaluate what the model wrote: pass it as an argument in quotes";
    EVENT_FOREIGN: Warning, "event-foreign", "the event has another platform's name",
        "use this platform's name of the event";
    EXIT_FAILURE: Warning, "exit-failure", "this exit status is a failure of the hook, not a decision",
        "use exit 2 with the reason on standard error, so that the reason is shown";
    EXIT_NOT_BLOCKING: Error, "exit-not-blocking", "this exit status does not block",
        "use exit 2 with the reason on standard error";
    FAIL_OPEN: Warning, "fail-open", "when the guard fails, what it guards goes through",
        "let a failure block: on_error: block, onFailure: \"block\", on_timeout: \"block\"";
    FAIL_OPEN_DEFAULT: Note, "fail-open-default", "the dialect lets actions through when a guard fails",
        "where the dialect can do otherwise, say so (onFailure: \"block\"); else test in the script that its tools work";
    HOOKS_ELSEWHERE: Note, "hooks-elsewhere", "the hooks stand in another file",
        "check that file, too";
    INPUT_LOST: Error, "input-lost", "what is piped in is never read: a here-document takes its place",
        "give the program by -c or in a file, so that its standard input stays the pipe";
    JQ_STATUS: Error, "jq-status", "the status of jq is taken for its answer",
        "let it say so: jq -e '...'";
    JSON_BY_HAND: Warning, "json-by-hand", "JSON is put together from text that may hold quotes, backslashes or newlines",
        "build it with jq: jq -n --arg reason \"$reason\" '{reason: $reason}'";
    LINE_ENDINGS: Warning, "line-endings", "the script has carriage returns",
        "save it with newlines alone";
    MACHINE_PATH: Warning, "machine-path", "a hook that others get names a file by a path of one machine",
        "begin it with \"$CLAUDE_PROJECT_DIR\" or ${CLAUDE_PLUGIN_ROOT}, or the platform's own word for the project's folder";
    MATCHER_EVERY: Warning, "matcher-every", "the matcher names tools and passes every one",
        "name the tools alone, with one bar between them: Edit|Write";
    MATCHER_FOREIGN_TOOL: Warning, "matcher-foreign-tool", "the matcher names a tool by another dialect's name",
        "use the name that this platform gives the tool";
    MATCHER_IGNORED: Warning, "matcher-ignored", "the event has no matcher",
        "remove the matcher, or test in the script";
    MATCHER_MISSPELT: Warning, "matcher-misspelt", "the matcher has a name that is nearly that of a tool",
        "correct the name, if that tool is meant";
    MATCHER_NEVER: Warning, "matcher-never", "the matcher can never pass",
        "correct the matcher";
    OUTPUT_ASK: Warning, "output-ask", "nobody is asked on this event",
        "allow or deny; ask on the event before a tool call where the platform can";
    OUTPUT_DECISION: Error, "output-decision", "the dialect has no such decision",
        "use one of the dialect's own decisions";
    OUTPUT_EVENT_NAME: Error, "output-event-name", "hookSpecificOutput lacks the event's name, or has another",
        "add hookEventName with the name of the hook's event";
    OUTPUT_FIELD: Error, "output-field", "the hook prints a field that this dialect does not read",
        "print the dialect's own fields";
    OUTPUT_IGNORED: Warning, "output-ignored", "the dialect never reads a decision",
        "its hooks only observe; nothing that they print or return changes anything";
    OUTPUT_PLACE: Error, "output-place", "the field stands where the dialect does not look for it",
        "put it into the object where the dialect reads it";
    OUTPUT_UNREAD: Warning, "output-unread", "the hook prints an object of which nothing is read",
        "print the dialect's own fields, or text where the event takes it";
    PAYLOAD_ARGUMENT: Warning, "payload-argument", "the tool's argument has another name here",
        "read the argument by the name that this platform gives it";
    PAYLOAD_FIELD: Error, "payload-field", "the hook reads a field that this dialect's payload lacks",
        "read the dialect's own field";
    PAYLOAD_TWICE: Error, "payload-twice", "the payload is read twice, and the second time nothing is left of it",
        "read it once: input=$(cat), then jq ... <<<\"$input\"";
    PAYLOAD_UNQUOTED: Warning, "payload-unquoted", "text from the payload is used without quotes",
        "put it into double quotes, or it is split at blanks and its * and ? become file names";
    PLACEHOLDER: Error, "placeholder", "the command has a placeholder that nobody fills in",
        "read the payload from standard input: jq -r .tool_input.file_path";
    REASON_LOST: Warning, "reason-lost", "the reason is printed where nobody reads it",
        "print it on standard error: echo \"...\" >&2";
    SCRIPT_MISSING: Error, "script-missing", "a file that is called is not there",
        "correct the path, or bring the file; test for it with [ -f FILE ] where it may be missing";
    SCRIPT_NOT_EXECUTABLE: Error, "script-not-executable", "a file that is called by its path is not executable",
        "chmod +x it, or call it by its shell: bash FILE";
    SCRIPT_SYNTAX: Error, "script-syntax", "the script has a syntax error",
        "correct it; bash runs the commands before the error and then fails";
    TARGET_CHANGED: Note, "target-changed", "the other dialect does it in another way",
        "read what changes; `hookbox convert --to` writes the config";
    TARGET_LOST: Warning, "target-lost", "the other dialect has no counterpart",
        "do without it, or leave it to the platforms that have it";
    TIMEOUT_CAP: Warning, "timeout-cap", "the timeout is longer than what counts",
        "make it shorter than the host's cap";
    TIMEOUT_UNIT: Warning, "timeout-unit", "the timeout seems to be in another unit",
        "seconds and milliseconds differ by 1000: see the dialect's unit";
    VARIABLE_UNKNOWN: Warning, "variable-unknown", "hooks of this dialect have no such variable",
        "read the payload where the dialect gives it";
    VERSION_UNKNOWN: Error, "version-unknown", "the version of the contract that was asked for does not know it",
        "leave it out for that version, or ask for the one that brought it";
}

#[cfg(test)]
mod tests {
    use super::RULES;

    #[test]
    fn rows_are_sorted_and_complete() {
        for pair in RULES.windows(2) {
            assert!(pair[0].id < pair[1].id, "{} before {}", pair[0].id, pair[1].id);
        }
        assert!(RULES.iter().all(|rule| !rule.summary.is_empty() && !rule.hint.is_empty()));
    }
}
