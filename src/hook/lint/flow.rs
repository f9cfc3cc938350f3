//! What the variables of a script hold: text of the payload, other text, or what can stand in JSON as it is. Assignments are
//! followed in source order, by what their words show; nothing is run.

use super::texts::{is_declaration, parameters, variables};
use crate::hook::portable::Facts;
use crate::inspect::{CommandView, View};
use regex::Regex;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::LazyLock;

/// What a word or a variable holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// The script's own text.
    Fixed,
    /// Numbers, names, identifiers: nothing that quotes or blanks are in.
    Plain,
    /// JSON already, or escaped for it.
    Json,
    /// It cannot be told.
    Unknown,
    /// What a command printed or a file holds.
    Text,
    /// A path that the payload names: the platform's own text, though it may have blanks and quotes in it.
    Place,
    /// Text of the payload.
    Payload,
}

/// See the module.
#[derive(Default)]
pub(super) struct Flow {
    /// The worst of what is assigned.
    kinds: FxHashMap<String, Kind>,
    /// Variables that are JSON after one of their assignments.
    json: FxHashMap<String, usize>,
    /// Variables that the dialect sets from the payload.
    given: &'static [&'static str],
    /// Variables that the script takes for numbers.
    numbers: FxHashSet<String>,
    /// Variables that hold a member of an object, or what was made of one: not all of the payload.
    members: FxHashSet<String>,
    /// Variables that hold an object put together by hand, and where.
    pub(super) json_by_hand: Vec<(String, usize)>,
}

/// Commands whose output has no quotes, blanks or newlines in it.
const PLAIN: &[&str] = &[
    "date",
    "wc",
    "mktemp",
    "pwd",
    "uname",
    "hostname",
    "whoami",
    "id",
    "uuidgen",
    "nproc",
    "git rev-parse",
    "git branch",
    "git symbolic-ref",
    "git rev-list",
    "git config",
    "stat",
    "du",
    "sha256sum",
    "shasum",
    "md5sum",
    "md5",
    "cksum",
    "grep -c",
    "expr",
    "seq",
    "tput",
    "command -v",
    "which",
    "ps",
    "pgrep",
    "git hash-object",
    "git remote",
    "git describe",
];
/// What makes the last command of a pipeline print so.
const PLAIN_END: &[&str] = &["grep -c", "grep -oE '[0-9]"];
/// The same, as the beginning of a stage.
const PLAIN_STAGES: &[&str] = &["wc", "md5", "sha", "cksum", "length", "bc", "tr -cd", "tr -dc", "cut -c"];
/// Fields of payloads that are names and numbers.
const PLAIN_FIELDS: &[&str] = &[
    "tool_name",
    "session_id",
    "hook_event_name",
    "tool_use_id",
    "permission_mode",
    "stop_hook_active",
    "source",
    "trigger",
    "duration_ms",
    "toolName",
    "event",
    "hook_id",
    "agent_id",
    "agent_type",
    "notification_type",
    "exit_code",
    "subagent_type",
    "model",
];
/// Fields of payloads that hold paths of the platform's own.
const PLACE_FIELDS: &[&str] = &["cwd", "transcript_path", "agent_transcript_path", "transcriptPath"];
/// Commands that print text of any form.
const TEXT: &[&str] = &[
    "cat", "head", "tail", "git", "find", "ls", "grep", "sed", "awk", "npm", "npx", "pnpm", "yarn", "cargo",
    "pytest", "ruff", "eslint", "tsc", "make", "go", "curl", "diff", "gh",
];

impl Flow {
    pub(super) fn of(script: &str, view: &View, facts: &'static Facts, has_payload: bool) -> Self {
        let numbers = comparisons(script).map(str::to_owned).collect();
        let mut flow = Self { given: facts.variables, numbers, ..Self::default() };
        if has_payload {
            for name in ["1", "2", "3"] {
                flow.kinds.insert(name.to_owned(), Kind::Payload);
            }
        }
        for command in &view.commands {
            let declared = command.words.iter().filter(|_| is_declaration(command)).filter_map(|word| {
                let (name, value) = word.source.split_once('=')?;
                Some((name.to_owned(), value.to_owned(), word.text.is_some()))
            });
            let plain = command.assignments.iter();
            let plain = plain.map(|(name, value)| {
                // What is appended is shown with the name.
                let source =
                    value.source.strip_prefix(name.as_str()).and_then(|rest| rest.strip_prefix("+="));
                let source = source.unwrap_or(&value.source);
                (name.clone(), whole(script, command, name, source), value.text.is_some())
            });
            for (name, source, known) in plain.chain(declared) {
                flow.assign(name, &source, known, command.span.start);
            }
            if command.name() == Some("read") {
                flow.read(script, command);
            }
        }
        flow
    }

    /// `read NAME`: of the payload, or of what a loop goes through.
    fn read(&mut self, script: &str, command: &CommandView) {
        let before = script.get(..command.span.start).unwrap_or("").trim_end();
        let input = command.redirects.iter().find(|redirect| redirect.operator.starts_with('<'));
        let kind = match input {
            Some(redirect) => self.kind(&redirect.target.source).max(Kind::Unknown),
            None if before.ends_with("while") || before.ends_with('|') => Kind::Text,
            None => Kind::Payload,
        };
        let names = command.words.iter().skip(1).filter_map(|word| word.text.as_deref());
        for name in names.filter(|name| !name.starts_with('-')) {
            self.note(name.to_owned(), kind);
        }
    }

    fn note(&mut self, name: String, kind: Kind) {
        if kind == Kind::Json {
            self.json.insert(name.clone(), 0);
        }
        // What the script compares as a number (`[ "$n" -gt 3 ]`, `[[ $n =~ ^[0-9]+$ ]]`), or shows as one (`$n%`), is one.
        let kind = if self.numbers.contains(&name) { kind.min(Kind::Plain) } else { kind };
        let held = self.kinds.entry(name).or_insert(kind);
        *held = (*held).max(kind);
    }

    fn assign(&mut self, name: String, source: &str, known: bool, offset: usize) {
        let text = match source.strip_prefix('\'') {
            Some(rest) => rest.replace("'\"", ""),
            None => source.trim_start_matches('"').replace("\\\"", "\""),
        };
        if !known && text.starts_with('{') && text.contains("\":") && self.has_text_in_json(&text) {
            self.json_by_hand.push((name.clone(), offset));
        }
        let kind = if known { Kind::Fixed } else { self.kind(source) };
        let reads = source.contains("jq ") && super::texts::roots(source).next().is_some();
        if !known && (reads || self.has_member(source)) {
            self.members.insert(name.clone());
        }
        self.note(name, kind);
    }

    fn of_variable(&self, name: &str) -> Kind {
        if self.json.contains_key(name) {
            return Kind::Json;
        }
        let given = self.given.contains(&name) && !name.ends_with("_DIR") && !name.ends_with("_ROOT");
        match self.kinds.get(name) {
            Some(kind) => *kind,
            None if given && name.contains("PAYLOAD") => Kind::Payload,
            None => Kind::Unknown,
        }
    }

    /// What a word says, as it is written.
    pub(super) fn kind(&self, source: &str) -> Kind {
        if !source.contains(['$', '`']) && !source.contains("<(") {
            return Kind::Fixed;
        }
        if is_json(source) || is_escaped(source) {
            return Kind::Json;
        }
        if let Some(at) =
            source.find("$(").filter(|at| !source.get(*at..).is_some_and(|rest| rest.starts_with("$((")))
        {
            let before = self.of_variables(source.get(..at).unwrap_or(""));
            return before.max(self.substitution(source.get(at + 2..).unwrap_or("")));
        }
        if let Some(at) = source.find("<(") {
            return self.substitution(source.get(at + 2..).unwrap_or(""));
        }
        if source.contains('`') {
            return if self.mentions_payload(source) { Kind::Payload } else { Kind::Unknown };
        }
        self.of_variables(source)
    }

    /// The worst of the variables in a text.
    fn of_variables(&self, source: &str) -> Kind {
        let kinds = parameters(source).map(|(at, name)| {
            let is_length = source.get(at..).is_some_and(|rest| rest.starts_with("${#"));
            if is_length { Kind::Plain } else { self.of_variable(name) }
        });
        kinds.max().unwrap_or(Kind::Fixed)
    }

    /// What a command substitution prints; `text` begins after its bracket.
    fn substitution(&self, text: &str) -> Kind {
        let text = text.trim_start();
        let stages = text.split('|').skip(1).map(str::trim_start);
        if std::iter::once(text).chain(stages.clone()).any(prints_plain) {
            return Kind::Plain;
        }
        if PLAIN_STAGES.iter().any(|name| stages.clone().any(|stage| stage.starts_with(name)))
            || PLAIN_END.iter().any(|mark| text.contains(mark))
        {
            return Kind::Plain;
        }
        let begins = |name: &str| {
            text.strip_prefix(name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', ')', '\n', '|', ';']))
        };
        if PLAIN.iter().any(|name| begins(name)) {
            return Kind::Plain;
        }
        if begins("cat") {
            let operand = text.get(3..).unwrap_or("").trim_start();
            let is_input = operand.is_empty()
                || operand.starts_with([')', '|', '-', ';', '2'])
                || operand.starts_with("/dev/stdin");
            // A file, whatever its name is made of.
            return if is_input { self.through(text) } else { Kind::Text };
        }
        if text.starts_with('<') {
            return if text.starts_with("</dev/stdin") { Kind::Payload } else { Kind::Text };
        }
        let name = text.split([' ', ')', '\n']).next().unwrap_or("");
        if name.contains("escape") || name.contains("json") && !name.contains('/') {
            return Kind::Json;
        }
        if name == "jq" || text.contains("| jq") || text.contains("|jq") {
            return self.through(text);
        }
        if [
            "printf", "echo", "sed", "awk", "grep", "tr", "cut", "head", "tail", "basename", "dirname",
            "realpath",
        ]
        .contains(&name)
        {
            if self.mentions_payload(text) {
                return match named_member(text) {
                    Some(name) if PLAIN_FIELDS.contains(&name) => Kind::Plain,
                    _ if are_places(super::texts::members(text).chain(named_member(text))) => Kind::Place,
                    _ => Kind::Payload,
                };
            }
            return if TEXT.contains(&name) { Kind::Text } else { self.of_variables(text) };
        }
        if TEXT.contains(&name) { Kind::Text } else { Kind::Unknown }
    }

    /// What comes out of a pipeline that reads the payload, a file or a variable through jq.
    fn through(&self, text: &str) -> Kind {
        if !text.contains("jq ") {
            return Kind::Payload;
        }
        if !prints_raw(text) {
            return Kind::Json;
        }
        let fields: Vec<&str> = super::texts::roots(text).collect();
        let deep: Vec<&str> =
            text.match_indices('.').filter_map(|(at, _)| field(text.get(at + 1..)?)).collect();
        if !fields.is_empty() && deep.iter().all(|field| PLAIN_FIELDS.contains(field)) {
            return Kind::Plain;
        }
        let payload = if are_places(deep.iter().copied()) { Kind::Place } else { Kind::Payload };
        let at = text.find("jq ").unwrap_or(0);
        let piped = text.get(..at).unwrap_or("");
        if variables(piped).next().is_some() || text.contains("<<<") {
            // What a variable holds goes through it.
            let held = if text.contains("<<<") { text } else { piped };
            return if self.mentions_payload(held) {
                payload
            } else {
                self.of_variables(held).max(Kind::Unknown)
            };
        }
        if has_file(text.get(at + 3..).unwrap_or("")) || text.contains(" < ") { Kind::Text } else { payload }
    }

    fn mentions_payload(&self, source: &str) -> bool {
        parameters(source).any(|(at, name)| {
            self.of_variable(name) == Kind::Payload
                && !source.get(at..).is_some_and(|rest| rest.starts_with("${#"))
        })
    }

    /// Whether what a word says comes from the payload.
    pub(super) fn is_payload(&self, source: &str) -> bool {
        let bare = source.trim();
        if bare == "cat" || bare.starts_with("jq ") {
            return self.substitution(bare) == Kind::Payload;
        }
        if bare.starts_with("echo ") || bare.starts_with("printf ") {
            return self.mentions_payload(bare) || self.kind(bare) == Kind::Payload;
        }
        self.kind(source) == Kind::Payload || source.contains("/dev/stdin")
    }

    /// Whether a variable holds what blanks may split.
    pub(super) fn is_split(&self, name: &str) -> bool {
        matches!(self.of_variable(name), Kind::Place | Kind::Payload)
    }

    /// Whether a variable holds text of the payload as it is.
    pub(super) fn is_text(&self, name: &str) -> bool {
        self.of_variable(name) == Kind::Payload
    }

    /// Whether a variable holds what a command printed, a file has, or the payload says.
    pub(super) fn holds_text(&self, name: &str) -> bool {
        self.of_variable(name) >= Kind::Text
    }

    /// Whether a text names a variable that holds a member of the payload, or what was made of one.
    pub(super) fn has_member(&self, source: &str) -> bool {
        variables(source).any(|(_, name)| self.members.contains(name))
    }

    /// Whether a text of JSON has text between quotes that may have quotes, backslashes or newlines in it.
    pub(super) fn has_text_in_json(&self, text: &str) -> bool {
        let text = first_value(text);
        let mut inside = false;
        let mut skip = 0;
        for (at, byte) in text.bytes().enumerate() {
            if at < skip {
                continue;
            }
            match byte {
                b'\\' => skip = at + 2,
                b'"' => inside = !inside,
                b'$' => {
                    let rest = text.get(at..).unwrap_or("");
                    let length = expansion_length(rest);
                    skip = at + length.max(1);
                    let kind = self.kind(rest.get(..length).unwrap_or(rest));
                    if inside && matches!(kind, Kind::Text | Kind::Place | Kind::Payload) {
                        return true;
                    }
                }
                _ => {}
            }
        }
        false
    }
}

/// Names of variables that are compared as numbers, or stand before a percent sign.
fn comparisons<'t>(script: &'t str) -> impl Iterator<Item = &'t str> {
    static NUMBER: LazyLock<Option<Regex>> = LazyLock::new(|| {
        let compared = r#"\$\{?([A-Za-z_]\w*)\}?"?\s+(?:-(?:eq|ne|gt|ge|lt|le)\b|=~ \^-?\[0-9\][+*]?\$)"#;
        let shown = r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))%(?:[^\w%{]|$)";
        Regex::new(&format!("{compared}|{shown}")).ok()
    });
    let found = NUMBER.as_ref().map(|regex| regex.captures_iter(script));
    let name = |found: regex::Captures<'t>| found.iter().skip(1).flatten().next().map(|name| name.as_str());
    found.into_iter().flatten().filter_map(name)
}

/// The member that a program in another language is given by name, behind its text: `node -e "$read_member" session_id`.
fn named_member(text: &str) -> Option<&str> {
    let at =
        ["node -e ", "node -pe ", "python3 -c ", "python -c "].iter().find_map(|call| text.find(call))?;
    let words = text.get(at..)?.split(['|', ')', '\n', '>']).next()?;
    let last = words.trim_end().trim_end_matches(" 2").rsplit(' ').next()?.trim_matches(['"', '\'']);
    (PLAIN_FIELDS.contains(&last) || PLACE_FIELDS.contains(&last)).then_some(last)
}

/// The value of an assignment without being cut.
fn whole(script: &str, command: &CommandView, name: &str, source: &str) -> String {
    let Some(start) = source.strip_suffix("...") else { return source.to_owned() };
    let text = script.get(command.span.clone()).unwrap_or("");
    let at = text.find(&format!("{name}=")).map_or(0, |at| at + name.len() + 1);
    let text = text.get(at..).unwrap_or("");
    if text.starts_with(start) { text.chars().take(4096).collect() } else { source.to_owned() }
}

/// The length of the expansion that a text begins with.
fn expansion_length(text: &str) -> usize {
    let (open, close) = match text.as_bytes().get(1) {
        Some(b'(') => ('(', ')'),
        Some(b'{') => ('{', '}'),
        _ => {
            let name =
                text.bytes().skip(1).take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
            return name + 1;
        }
    };
    let mut depth = 0_u32;
    for (at, letter) in text.char_indices() {
        if letter == open {
            depth += 1;
        } else if letter == close {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return at + 1;
            }
        }
    }
    text.len()
}

/// Whether a stage begins with `grep -oE 'BUG-[0-9]+'`: a pattern of letters, digits and some signs prints no others.
fn prints_plain(stage: &str) -> bool {
    let Some((options, rest)) = stage.strip_prefix("grep ").and_then(|rest| rest.split_once('\'')) else {
        return false;
    };
    let mut words = options.split_whitespace();
    let prints_found = words.clone().any(|word| word.starts_with('-') && word.contains('o'));
    // What a bar or brackets hold in quotes is cut off here.
    let Some((pattern, _)) = rest.split_once('\'').filter(|_| words.all(|word| word.starts_with('-'))) else {
        return false;
    };
    let mut before = ' ';
    let is_plain = pattern.chars().all(|letter| {
        let is_class = before == '\\';
        let allowed = match letter {
            '^' => before != '[',
            '.' => is_class,
            's' | 'S' | 'W' | 'D' | 'n' | 't' if is_class => false,
            '\\' => !is_class,
            letter => letter.is_ascii_alphanumeric() || "_-/:@+,=#*?()[]{}|$<>".contains(letter),
        };
        before = letter;
        allowed
    });
    prints_found && is_plain && !pattern.is_empty() && !pattern.contains("[:")
}

/// The name that a text begins with.
fn field(text: &str) -> Option<&str> {
    let length = text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    text.get(..length).filter(|name| name.starts_with(|letter: char| letter.is_ascii_alphabetic()))
}

/// Whether a call of jq (without its name) has a file after its program.
fn has_file(text: &str) -> bool {
    let mut operands = 0;
    let mut quote = None;
    let mut word = String::new();
    let mut skip = 0;
    for letter in text.chars() {
        match (letter, quote) {
            ('\'' | '"', None) => quote = Some(letter),
            (letter, Some(open)) if letter == open => {
                quote = None;
                word.push('q');
            }
            // A newline that a backslash stands before goes on.
            ('\n', None) if word == "\\" => word.clear(),
            (')' | '|' | ';' | '\n' | '<' | '>', None) => break,
            (' ' | '\t', None) => {
                operands += take_operand(&word, &mut skip);
                word.clear();
            }
            _ => word.push(letter),
        }
    }
    operands += take_operand(&word, &mut skip);
    operands > 1
}

/// 1 for a word of jq that is an operand.
fn take_operand(word: &str, skip: &mut u32) -> u32 {
    if word.is_empty() || word == "2" {
        return 0;
    }
    if *skip > 0 {
        *skip -= 1;
        return 0;
    }
    match word {
        "--arg" | "--argjson" | "--slurpfile" | "--rawfile" => {
            *skip = 2;
            0
        }
        word if word.starts_with('-') => 0,
        _ => 1,
    }
}

/// Whether a word escapes what it holds for JSON.
fn is_escaped(source: &str) -> bool {
    [
        "//\\\"",
        "//\\\\",
        "//'\"'",
        "json.dumps",
        "JSON.stringify",
        "json_encode",
        "s/\"/",
        "s/\\\\",
        "escape_json",
        "json_escape",
    ]
    .iter()
    .any(|mark| source.contains(mark))
}

/// Whether a word's commands print JSON that can stand in JSON.
pub(super) fn is_json(source: &str) -> bool {
    let quotes = ["-Rs", "-sR", "-R ", "-Rr", "@json", "tojson"].iter().any(|mark| source.contains(mark));
    quotes || !prints_raw(source) && ["jq -n", "jq -c"].iter().any(|mark| source.contains(mark))
}

/// Whether jq prints texts without their quotes.
pub(super) fn prints_raw(source: &str) -> bool {
    source.match_indices("jq ").any(|(at, _)| {
        let rest = source.get(at + 3..).unwrap_or("");
        rest.split_whitespace().take_while(|word| word.starts_with('-')).any(|word| {
            let letters = word.strip_prefix('-').unwrap_or("");
            matches!(word, "--raw-output" | "--join-output")
                || !letters.starts_with('-') && letters.contains(['r', 'j'])
        })
    })
}

/// The text up to the end of the object's first line; what stands after is another command's.
pub(super) fn first_value(text: &str) -> &str {
    let end = text.rfind('}').map_or(text.len(), |end| end + 1);
    text.get(..end).unwrap_or(text)
}

/// Whether fields of a payload are there and hold paths and names of the platform's own alone.
fn are_places<'t>(fields: impl Iterator<Item = &'t str>) -> bool {
    let mut fields = fields.peekable();
    fields.peek().is_some()
        && fields.all(|field| PLACE_FIELDS.contains(&field) || PLAIN_FIELDS.contains(&field))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::dialect::list::Dialect;

    #[test]
    fn what_jq_prints() {
        for raw in ["jq -r .a", "x | jq -cr .", "jq --raw-output .a", "jq -c -j ."] {
            assert!(prints_raw(raw), "{raw}");
        }
        for json in ["jq .a", "jq -c .r", "jq -n --arg r x .", "jq --arg x -r ."] {
            assert!(!prints_raw(json), "{json}");
        }
        assert!(is_json("$(jq -r .a | jq -Rs .)") && is_json("$(jq -c .)") && !is_json("$(jq -nr .a)"));
        for file in [
            "-r .a f)",
            "-r \\\n --arg a b \\\n '.a' \\\n \"$f\" 2>/dev/null)",
            "-r --arg a b '.a' \"$f\")",
            "'.a // \"x y\"' f 2>/dev/null)",
        ] {
            assert!(has_file(file), "{file}");
        }
        for none in ["-r .a)", "-r '.a b c' 2>/dev/null)", "--arg a b .a)", "-r .a <<< \"$x\")"] {
            assert!(!has_file(none), "{none}");
        }
    }

    #[test]
    fn what_variables_hold() {
        let script = concat!(
            "in=$(cat); c=$(echo \"$in\" | jq -r '.tool_input.command // empty'); t=$(jq -r .tool_name <<< \"$in\")\n",
            "p=$(printf %s \"$in\" | python3 -c \"import json,sys; print(json.load(sys.stdin).get('cwd',''))\"); w=\"${X:-$p}/a\"; v=$(jq -r .cwd)\n",
            "i=$(printf '%s' \"$in\" | node -e \"$read\" session_id 2>/dev/null || echo x); z=$(echo \"$in\" | node -e \"$read\" cwd)\n",
            "y=$(echo \"$in\" | python3 -c \"import json,sys; print(json.load(sys.stdin)['tool_input']['cwd'])\")\n",
            "n=${#c}; e=$(printf '%s' \"$c\" | sed 's/\"/\\\\\"/g'); f=$(cat \"/tmp/$c\"); d=$(date); s=\"x $c\"; l=a; b=$(jq -r .v p.json)"
        );
        let view = crate::inspect::inspect(script.as_bytes());
        let flow = Flow::of(script, &view, crate::hook::portable::facts(Dialect::ClaudeCode), false);
        for (name, kind) in [
            ("in", Kind::Payload),
            ("c", Kind::Payload),
            ("t", Kind::Plain),
            ("n", Kind::Plain),
            ("e", Kind::Json),
            ("f", Kind::Text),
            ("d", Kind::Plain),
            ("s", Kind::Payload),
            ("l", Kind::Fixed),
            ("b", Kind::Text),
            ("p", Kind::Place),
            ("w", Kind::Place),
            ("v", Kind::Place),
            ("y", Kind::Payload),
            ("i", Kind::Plain),
            ("z", Kind::Place),
        ] {
            assert_eq!(flow.of_variable(name), kind, "{name}");
        }
    }
}
