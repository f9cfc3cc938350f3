//! What a script does wrong in any dialect: syntax, text that is run, text without quotes, JSON put together by hand,
//! commands that are not there.

use super::flow::{Flow, Kind};
use super::follow::Role;
use super::rule::{
    COMMAND_MISSING, EVAL_COMPUTED, EVAL_PAYLOAD, INPUT_LOST, JSON_BY_HAND, LINE_ENDINGS, PAYLOAD_UNQUOTED,
    SCRIPT_SYNTAX,
};
use super::texts::{Goes, Texts, functions, is_declaration, unquoted_substitutions, unquoted_variables};
use super::{Fix, HookLint};
use crate::inspect::{CommandView, Opaque, OpaqueKind, RedirectView, Via, View, WordView};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

impl HookLint<'_> {
    pub(super) fn commands(&mut self, script: &str, view: &View, texts: &Texts) {
        if let Some(error) = &view.error {
            let offset = view.opaque.iter().find(|opaque| opaque.what == OpaqueKind::SyntaxError);
            self.report_in_script(
                &SCRIPT_SYNTAX,
                offset
                    .map(|opaque| opaque.span.start)
                    .filter(|start| *start > 0)
                    .unwrap_or_else(|| named_line(script, error)),
                error.clone(),
            );
        }
        if let Some(offset) = memchr::memchr(b'\r', script.as_bytes()) {
            self.report_in_script(&LINE_ENDINGS, offset, "a carriage return");
            if self.file.is_some() && script.contains("\r\n") {
                self.mended_by(Fix::Newlines);
            }
        }
        self.missing_commands(script, view);
        if self.role == Role::Helper {
            return;
        }
        let flow = Flow::of(script, view, self.facts, self.has_payload);
        self.run_texts(script, view, &flow);
        self.programs(script, view, &flow);
        self.lost_inputs(script, view);
        self.empty_searches(script, view);
        self.jq_conditions(script, view);
        self.unquoted(script, view, &flow);
        self.json_by_hand(script, view, texts, &flow);
        if self.role == Role::Hook {
            self.exit_statuses(script, view, texts, &flow);
            self.exits_of_substitutions(script, view);
            self.read_twice(script, view);
        }
    }

    /// `eval` and its kin over computed text, and shells that read what the payload says.
    fn run_texts(&mut self, script: &str, view: &View, flow: &Flow) {
        let mut spans: Vec<Range<usize>> = view.commands.iter().map(|command| command.span.clone()).collect();
        spans.sort_by_key(|span| span.end);
        let given: FxHashSet<&Range<usize>> = view
            .commands
            .iter()
            .filter(|command| here(command).is_some())
            .map(|command| &command.span)
            .collect();
        let texts = shell_texts(script, view);
        let mut seen = FxHashSet::default();
        for opaque in &view.opaque {
            if self.is_full() {
                return;
            }
            // What stands in a nested text has the place of the command that runs it.
            if !seen.insert((opaque.what, opaque.span.clone())) {
                continue;
            }
            let source: String = script.get(opaque.span.clone()).unwrap_or("").chars().take(4096).collect();
            let text = texts.get(&opaque.span).filter(|_| opaque.what == OpaqueKind::ComputedScript);
            let source = text.copied().flatten().map_or(source, str::to_owned);
            let tainted = match opaque.what {
                OpaqueKind::ComputedScript => flow.is_payload(&source),
                OpaqueKind::PipedScript => {
                    source.contains("<<<") && flow.is_payload(&source)
                        || !given.contains(&opaque.span)
                            && writer(script, &spans, opaque).is_some_and(|writer| flow.is_payload(writer))
                }
                OpaqueKind::ScriptFile => source.contains("<(") && flow.is_payload(&source),
                _ => continue,
            };
            // What jq has quoted for a shell; how another program quotes is not in the text.
            let tainted = tainted && !source.contains("@sh");
            if source.contains("$(") && PRINTERS.iter().any(|name| source.contains(name)) {
                continue;
            }
            if !tainted && (opaque.what != OpaqueKind::ComputedScript || is_harmless(&source, flow)) {
                continue;
            }
            let whole = script.get(opaque.span.clone()).unwrap_or("");
            let shown: String = whole.lines().next().unwrap_or("").chars().take(60).collect();
            let rule = if tainted { &EVAL_PAYLOAD } else { &EVAL_COMPUTED };
            self.report_in_script(rule, opaque.span.start, format!("`{shown}` runs a computed text"));
        }
    }

    /// Text of the payload in a program for another interpreter: `python3 -c "print('$command')"`.
    fn programs(&mut self, script: &str, view: &View, flow: &Flow) {
        for command in &view.commands {
            let Some((_, options)) = INTERPRETERS.iter().find(|(name, _)| command.name() == Some(*name))
            else {
                continue;
            };
            if let Some(text) =
                here(command).filter(|here| here.operator == "<<" && here.target.text.is_none())
                && super::texts::variables(&text.target.source).any(|(_, name)| flow.is_text(name))
                && command.words.get(1).is_none_or(|word| word.text.as_deref() == Some("-"))
            {
                let name = command.name().unwrap_or_default();
                let message = format!("text from the payload stands in a program for `{name}`");
                self.report_in_script(&EVAL_PAYLOAD, command.span.start, message);
                continue;
            }
            let is_option =
                |word: &WordView| word.text.as_deref().is_some_and(|text| options.contains(&text));
            let Some(index) = command.words.iter().position(is_option) else { continue };
            let Some(word) = command.words.get(index + 1).filter(|word| word.text.is_none()) else {
                continue;
            };
            let program = whole_word(script, command, word);
            let tainted = super::texts::expanded(program)
                .into_iter()
                .any(|(at, name)| flow.is_text(name) && !program.get(at..).unwrap_or("").starts_with("${#"));
            let reads = ["$(cat)", "$(jq ", "$(</dev/stdin)"].iter().any(|read| program.contains(read));
            if tainted || reads && program.starts_with('"') {
                let name = command.name().unwrap_or_default();
                let message = format!("text from the payload stands in a program for `{name}`");
                self.report_in_script(&EVAL_PAYLOAD, command.span.start, message);
            }
        }
    }

    /// `echo "$INPUT" | python3 - <<'END'`: the program stands where the payload was to come from.
    fn lost_inputs(&mut self, script: &str, view: &View) {
        for command in view.commands.iter().filter(|command| here(command).is_some()) {
            // What stands in a nested text has the place of the command that runs it.
            if command.words.is_empty() || command.via.iter().any(|via| matches!(via, Via::Script(_))) {
                continue;
            }
            let before =
                script.get(..command.span.start).unwrap_or("").trim_end_matches([' ', '\t', '\n', '\\']);
            let before = before.strip_suffix("|&").or_else(|| before.strip_suffix('|'));
            if before.is_some_and(|before| !before.ends_with('|')) {
                let name = command.name().unwrap_or("the command");
                let message =
                    format!("`{name}` reads the here-document, and nothing of what is piped into it");
                self.report_in_script(&INPUT_LOST, command.span.start, message);
            }
        }
    }

    fn unquoted(&mut self, script: &str, view: &View, flow: &Flow) {
        for command in &view.commands {
            // `export x=$(...)` splits nothing.
            if is_declaration(command) || matches!(command.via.last(), Some(Via::Wrapper(_))) {
                continue;
            }
            if is_split_on_purpose(script, command) {
                continue;
            }
            for word in command.words.iter().filter(|word| word.text.is_none()) {
                // What stands in a substitution is a command of its own.
                if word.source.contains("$(") || word.source.contains('`') {
                    let prints = |text: &str| {
                        text.contains("jq ") && matches!(flow.kind(text), Kind::Place | Kind::Payload)
                    };
                    if unquoted_substitutions(&word.source).into_iter().any(prints) {
                        let message = "what jq prints of the payload stands without quotes";
                        self.report_in_script(&PAYLOAD_UNQUOTED, command.span.start, message);
                    }
                    continue;
                }
                let named = unquoted_variables(&word.source).into_iter().find(|name| flow.is_split(name));
                if let Some(name) = named {
                    let message = format!("`${name}` holds text from the payload and stands without quotes");
                    self.report_in_script(&PAYLOAD_UNQUOTED, command.span.start, message);
                }
            }
        }
    }

    fn json_by_hand(&mut self, script: &str, view: &View, texts: &Texts, flow: &Flow) {
        let mut reported = FxHashSet::default();
        for piece in texts.printed.iter().filter(|piece| !piece.known && piece.goes == Goes::Output) {
            let text = piece.text.trim_start();
            let object = text.starts_with('{') && text.contains("\":") || text.starts_with("{\\\"");
            let is_text =
                || flow.has_text_in_json(&super::exit::without_compared(script, piece.offset, text));
            if object && is_text() && reported.insert(piece.offset) {
                let message = "text is put between the quotes of a JSON string as it is";
                self.report_in_script(&JSON_BY_HAND, piece.offset, message);
            }
        }
        let streams = super::texts::Streams::of(script, view);
        for (name, offset) in &flow.json_by_hand {
            if streams.is_shown(name) && reported.insert(*offset) {
                let message =
                    format!("text is put between the quotes of a JSON string as it is, in `{name}`");
                self.report_in_script(&JSON_BY_HAND, *offset, message);
            }
        }
        for command in view.commands.iter().filter(|command| command.name() == Some("printf")) {
            let Some((index, format)) = printf_format(command) else { continue };
            if !format.trim_start().starts_with('{') || streams.goes(command) != Goes::Output {
                continue;
            }
            let arguments = command.words.get(index + 1..).unwrap_or(&[]);
            let is_text = |word: &WordView| {
                word.text.is_none()
                    && matches!(flow.kind(&word.source), Kind::Text | Kind::Place | Kind::Payload)
            };
            let computed =
                quoted_arguments(format).into_iter().filter_map(|index| arguments.get(index)).any(is_text);
            if computed && reported.insert(command.span.start) {
                let message = "printf puts text between the quotes of a JSON string as it is";
                self.report_in_script(&JSON_BY_HAND, command.span.start, message);
            }
        }
    }

    fn missing_commands(&mut self, script: &str, view: &View) {
        let own: FxHashSet<&str> = functions(view).collect();
        let is_function = |name: &str| {
            own.contains(name) || self.beside.is_some_and(|beside| beside.functions.contains(name))
        };
        // Files that are not at hand may define functions; names of programs have no `_`.
        let sources = self.file.is_some()
            || view.commands.iter().any(|command| matches!(command.name(), Some("source" | ".")));
        let is_called_bare = self.file.is_some() && !self.has_arguments;
        // `command -v x`, `type x`, `which x`: the script knows that it may be missing.
        let asked = asked_for(script, view);
        let tested = tested_paths(script);
        let sourced = sourced_names(view);
        let mut reported = FxHashSet::default();
        let mut found = Vec::new();
        for command in &view.commands {
            let Some(name) = command.words.first().and_then(|word| word.text.as_deref()) else { continue };
            // Any other path is a file of the session or of the host.
            let program = SYSTEM_FOLDERS.iter().find_map(|folder| name.strip_prefix(folder));
            let bare = program.filter(|_| !tested.contains(name)).unwrap_or(name);
            if bare.contains(['/', '$']) || bare.is_empty() || is_function(name) || asked.contains(name) {
                continue;
            }
            if sources && name.contains('_') || sourced.contains(name) {
                continue;
            }
            if (self.options.has_command)(bare)
                || is_fallback(script, command, &asked)
                || super::branch::is_for_another(script, command.span.start)
                || is_called_bare && super::branch::wants_arguments(script, command.span.start)
            {
                continue;
            }
            let filter = python_filter(bare, command);
            if reported.insert((name, filter.clone())) {
                let instead = filter.map(|call| format!(": `{call}` reads the same")).unwrap_or_default();
                found.push((command.span.start, format!("the sandbox has no `{name}`{instead}")));
            }
        }
        for (offset, message) in found {
            self.report_in_script(&COMMAND_MISSING, offset, message);
        }
    }
}

/// The texts that shells are given to run, by the places of the commands; what stands behind one (`bash -c TEXT name "$1"`) is not run.
/// `None`: several shells have that place, which run texts within each other.
fn shell_texts<'s>(script: &'s str, view: &'s View) -> FxHashMap<Range<usize>, Option<&'s str>> {
    let is_option = |word: &WordView| {
        let text = word.text.as_deref().unwrap_or("");
        text.starts_with('-') && !text.starts_with("--") && text.ends_with('c')
    };
    let mut texts = FxHashMap::default();
    for command in &view.commands {
        if !matches!(command.name(), Some("bash" | "sh" | "dash" | "zsh" | "ksh")) {
            continue;
        }
        let index = command.words.iter().position(is_option);
        let word = index.and_then(|index| command.words.get(index + 1));
        let text = word.map(|word| whole_word(script, command, word));
        texts.entry(command.span.clone()).and_modify(|text| *text = None).or_insert(text);
    }
    texts
}

/// Programs that the script looks for: by `command -v x` and its kin, by a function that does that, or by `x --version`.
fn asked_for<'v>(script: &str, view: &'v View) -> FxHashSet<&'v str> {
    let looks = |command: &CommandView| matches!(command.name(), Some("command" | "type" | "which" | "hash"));
    let askers: FxHashSet<&str> = view
        .commands
        .iter()
        .filter(|command| looks(command) && command.words.iter().any(|word| word.source.contains("$1")))
        .flat_map(|command| command.via.iter().map(Via::name))
        .collect();
    let mut asked = FxHashSet::default();
    for command in &view.commands {
        let name = command.name().unwrap_or_default();
        let is_asker = askers.contains(name)
            || ["_exists", "has_cmd", "has_command", "is_installed"].iter().any(|part| name.contains(part));
        let operands = command.words.iter().skip(1).filter_map(|word| word.text.as_deref());
        if looks(command) || is_asker {
            asked.extend(operands);
            continue;
        }
        let mut operands = operands.peekable();
        let is_probe = matches!(operands.peek().copied(), Some("--version" | "-V" | "-v" | "version"));
        // `elif printf '{}' | python3 -c ... >/dev/null`: one of several that are tried.
        let is_tried = command.redirects.iter().any(|one| one.target.text.as_deref() == Some("/dev/null"))
            && line_before(script, command).trim_start().starts_with("elif ");
        if is_probe || is_tried {
            asked.insert(command.words.first().and_then(|word| word.text.as_deref()).unwrap_or_default());
        }
    }
    asked
}

/// Whether the author says that the words are to be split: `# shellcheck disable=SC2086` in the line before.
fn is_split_on_purpose(script: &str, command: &CommandView) -> bool {
    let before = script.get(..command.span.start).unwrap_or("");
    let before = before.rsplit_once('\n').map_or("", |(before, _)| before);
    let line = before.rsplit('\n').next().unwrap_or("").trim_start();
    line.starts_with('#') && line.contains("shellcheck disable=") && line.contains("SC2086")
}

/// What stands before a command in its line.
fn line_before<'s>(script: &'s str, command: &CommandView) -> &'s str {
    script.get(..command.span.start).unwrap_or("").rsplit('\n').next().unwrap_or("")
}

/// Programs that are given a program of their own language as an argument, and the options that do so.
const INTERPRETERS: &[(&str, &[&str])] = &[
    ("python", &["-c"]),
    ("python3", &["-c"]),
    ("node", &["-e", "--eval", "-p", "-pe"]),
    ("perl", &["-e", "-E", "-ne", "-pe"]),
    ("ruby", &["-e"]),
    ("php", &["-r"]),
    ("osascript", &["-e"]),
];

/// The here-document or here-string that is a command's standard input.
fn here(command: &CommandView) -> Option<&RedirectView> {
    let is_input = |redirect: &&RedirectView| {
        redirect.operator.starts_with('<') && matches!(redirect.descriptor.as_deref(), None | Some("0"))
    };
    let last = command.redirects.iter().rev().find(is_input)?;
    matches!(last.operator, "<<" | "<<<").then_some(last)
}

/// Programs in other languages at the end of a pipe.
const PRINTERS: &[&str] = &["| node", "| python", "| perl", "| ruby"];

/// A word as written, without being cut.
fn whole_word<'s>(script: &'s str, command: &CommandView, word: &'s WordView) -> &'s str {
    let Some(start) = word.source.strip_suffix("...") else { return &word.source };
    let text = script.get(command.span.clone()).unwrap_or("");
    let Some(at) = text.find(start) else { return &word.source };
    let text = text.get(at..).unwrap_or("");
    let (mut quote, mut skip) = (None, false);
    for (at, letter) in text.char_indices() {
        match (letter, quote) {
            _ if skip => skip = false,
            ('\\', None | Some('"')) => skip = true,
            ('"' | '\'', None) => quote = Some(letter),
            (letter, Some(open)) if letter == open => quote = None,
            (' ' | '\t' | '\n' | ')' | '|' | ';', None) => return text.get(..at).unwrap_or(text),
            _ => {}
        }
    }
    text
}

/// Where systems have their programs; the sandbox's own are in the first two.
const SYSTEM_FOLDERS: &[&str] = &["/usr/bin/", "/bin/", "/usr/local/bin/"];

/// Programs of some systems, and those of others that do the same.
const TWINS: &[(&str, &str)] = &[
    ("gdate", "date"),
    ("gsed", "sed"),
    ("gstat", "stat"),
    ("gtimeout", "timeout"),
    ("md5", "md5sum"),
    ("shasum", "sha256sum"),
    ("shasum", "sha1sum"),
];

/// Whether the command is there for systems that lack another one: behind `||`, or where the script has asked for its twin.
fn is_fallback(script: &str, command: &CommandView, asked: &FxHashSet<&str>) -> bool {
    let before = script.get(..command.span.start).unwrap_or("").trim_end_matches([' ', '\t', '\n', '\\']);
    // `md5 FILE || md5sum FILE`, `md5sum FILE | cut -c1-8 || md5 FILE | cut -c1-8`
    let after = script.get(command.span.end..).unwrap_or("");
    let near = after.get(..after.floor_char_boundary(NEAR)).unwrap_or("").lines().next().unwrap_or("");
    let tried = end_of(before).rsplit('\n').next().unwrap_or("");
    let is_tried_next = |name: &str| near.split_once("||").is_some_and(|(_, next)| next.contains(name));
    let was_tried = |name: &str| tried.rsplit_once("||").is_some_and(|(before, _)| before.contains(name));
    let has_twin = |name: &str| {
        let mut twins = TWINS.iter().filter(|(own, _)| *own == name);
        twins.any(|(_, other)| asked.contains(other) || is_tried_next(other) || was_tried(other))
    };
    before.ends_with("||") || command.name().is_some_and(has_twin)
}

/// Names of the files that the script sources, with and without what follows a dot: any may bring a command of its name, as `. "$NVM_DIR/nvm.sh"`.
fn sourced_names(view: &View) -> FxHashSet<&str> {
    let sources = view.commands.iter().filter(|command| matches!(command.name(), Some("source" | ".")));
    let files = sources.filter_map(|command| command.words.get(1));
    let names =
        files.filter_map(|word| word.source.rsplit('/').next()).map(|file| file.trim_matches(['"', '\'']));
    names.flat_map(|file| [Some(file), file.split_once('.').map(|(stem, _)| stem)]).flatten().collect()
}

/// Bytes around a command that are looked at for what it depends on: the time to look grows with the script alone.
const NEAR: usize = 4096;

/// The end of what stands before a command.
pub(super) fn end_of(before: &str) -> &str {
    before.get(before.ceil_char_boundary(before.len().saturating_sub(NEAR))..).unwrap_or("")
}

/// Where the line begins that a message of the parser names.
fn named_line(script: &str, message: &str) -> usize {
    let digits = message.split_once("line ").map_or("", |(_, rest)| rest);
    let length = digits.bytes().take_while(u8::is_ascii_digit).count();
    let line: usize = digits.get(..length).and_then(|digits| digits.parse().ok()).unwrap_or(1);
    // The end of the text is said to be on the line behind the last one.
    let lines_before = line.min(script.lines().count()).saturating_sub(1);
    script.split_inclusive('\n').take(lines_before).map(str::len).sum()
}

/// The paths that a script tests for (`[ -x /usr/bin/x ]`).
fn tested_paths(script: &str) -> FxHashSet<&str> {
    let is_between = |letter: char| letter.is_whitespace() || matches!(letter, '"' | '\'' | ';' | ']');
    let mut words = script.split(is_between).filter(|word| !word.is_empty());
    let mut tested = FxHashSet::default();
    while let Some(word) = words.next() {
        if matches!(word, "-x" | "-e" | "-f") {
            tested.extend(words.next());
        }
    }
    tested
}

/// The call of `jq` that does what `python3 -c PROGRAM` does.
fn python_filter(name: &str, command: &CommandView) -> Option<String> {
    if !matches!(name, "python" | "python3") {
        return None;
    }
    let mut words = command.words.iter().skip(1);
    words.find(|word| word.text.as_deref() == Some("-c"))?;
    super::python::as_jq(words.next()?.text.as_deref()?)
}

/// Computed texts that are meant to be run: what a program prints for that (`eval "$(direnv hook bash)"`), what jq has
/// quoted, clean-up of the script's own files, and words of the script itself.
fn is_harmless(source: &str, flow: &Flow) -> bool {
    let text = source.trim_start();
    let is_quoted = ["@sh", "%q", "quote", "escape"].iter().any(|mark| source.contains(mark));
    if text.starts_with("trap ") || is_quoted {
        return true;
    }
    let program = source.split_once("$(").map(|(_, inner)| inner);
    if let Some(inner) = program {
        return super::texts::variables(inner).next().is_none()
            && !inner.contains("jq ")
            && !inner.starts_with("cat");
    }
    // A command that a file of the project names is there to be run; the payload's is none.
    let names_command = |name: &str| {
        let name = name.to_ascii_lowercase();
        ["cmd", "command"].iter().any(|word| name.contains(word))
    };
    let mut texts =
        super::texts::variables(source).map(|(_, name)| name).filter(|name| flow.holds_text(name)).peekable();
    if texts.peek().is_some() && texts.all(names_command) && flow.kind(source) == Kind::Text {
        return true;
    }
    // What the script does not fill itself is a setting of its user, or the argument of a function.
    !source.contains("{}") && !matches!(flow.kind(source), Kind::Text | Kind::Place | Kind::Payload)
}

/// Which arguments of printf (from 0) stand between quotes in its format.
fn quoted_arguments(format: &str) -> Vec<usize> {
    let (mut inside, mut index, mut found) = (false, 0, Vec::new());
    let mut letters = format.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                letters.next();
            }
            '"' => inside = !inside,
            '%' if letters.peek() == Some(&'%') => {
                letters.next();
            }
            '%' => {
                if inside && letters.peek() == Some(&'s') {
                    found.push(index);
                }
                index += 1;
            }
            _ => {}
        }
    }
    found
}

/// What writes into the pipe that a shell reads: the command before it. `spans` are those of the commands, by their ends.
fn writer<'s>(script: &'s str, spans: &[Range<usize>], reader: &Opaque) -> Option<&'s str> {
    let before = spans.partition_point(|span| span.end <= reader.span.start);
    let writer = spans.get(before.checked_sub(1)?)?;
    let between = script.get(writer.end..reader.span.start)?;
    (between.trim() == "|" || between.trim() == "|&").then(|| script.get(writer.clone())).flatten()
}

/// The format and its index among the words.
fn printf_format(command: &CommandView) -> Option<(usize, &str)> {
    let (index, word) =
        command.words.iter().enumerate().skip(1).find(|(_, word)| word.text.as_deref() != Some("--"))?;
    Some((index, word.text.as_deref()?))
}
