//! Under `set -e` a search that finds nothing ends the script: `hit=$(grep ...)`, though `-z "$hit"` is asked for later. A guard
//! that ends so lets the action through.

use super::HookLint;
use super::rule::ERREXIT_EMPTY;
use crate::inspect::{CommandView, Via, View};

/// Searches whose status is not 0 when nothing was found.
const SEARCHES: &[&str] = &["grep", "egrep", "fgrep", "rg", "pgrep", "which"];
/// Assignments of one script that are looked at.
const MOST: usize = 200;

/// How a script ends by itself.
#[derive(Clone, Copy, Debug, Default)]
struct Switches {
    /// From where on a failure ends the script.
    errexit: Option<usize>,
    pipefail: bool,
    /// It is turned off somewhere.
    is_turned_off: bool,
}

impl HookLint<'_> {
    pub(super) fn empty_searches(&mut self, script: &str, view: &View) {
        let switches = switches(view);
        let Some(from) = switches.errexit.filter(|_| !switches.is_turned_off) else { return };
        for assignment in view.commands.iter().filter(|command| is_plain(command)).take(MOST) {
            let [(name, value)] = assignment.assignments.as_slice() else { continue };
            if assignment.span.start < from || value.text.is_some() || !stands_alone(script, assignment) {
                continue;
            }
            let after = script.get(assignment.span.end..).unwrap_or("");
            let Some(search) = search(script, view, assignment, switches.pipefail) else { continue };
            if is_known_to_be_there(view, assignment.span.start, search) {
                continue;
            }
            let counts = counts(view, assignment, search);
            let search = search.name().unwrap_or_default();
            if let Some(use_of) = looks_at(after, name).filter(|_| counts) {
                let message =
                    format!("`set -e` ends the script when `{search}` finds nothing: `{use_of}` is never 0");
                self.report_in_script(&ERREXIT_EMPTY, assignment.span.start, message);
                continue;
            }
            if let Some(test) = emptiness_test(after, name) {
                let message = format!(
                    "`set -e` ends the script when `{search}` finds nothing: `{test}` is not reached then"
                );
                self.report_in_script(&ERREXIT_EMPTY, assignment.span.start, message);
            }
        }
    }
}

fn switches(view: &View) -> Switches {
    let mut found = Switches::default();
    for command in view.commands.iter().filter(|command| command.name() == Some("set")) {
        let mut named = false;
        for word in command.words.iter().skip(1).filter_map(|word| word.text.as_deref()) {
            let letters = word.strip_prefix('-').unwrap_or("");
            let sets = if named { word == "errexit" } else { letters.contains('e') };
            found.is_turned_off |= !named && word.strip_prefix('+').is_some_and(|rest| rest.contains('e'));
            found.pipefail |= named && word == "pipefail";
            // In a function it holds from when that is called.
            if sets && command.via.is_empty() {
                found.errexit.get_or_insert(command.span.start);
            }
            named = !named && (letters.ends_with('o') || word == "+o");
        }
    }
    found
}

/// Whether a failure ends the script.
pub(super) fn ends_at_failures(script: &str, view: &View) -> bool {
    let first = script.lines().next().filter(|line| line.starts_with("#!")).unwrap_or("");
    let by_name = first.split_whitespace().skip(1).any(|word| word.starts_with('-') && word.contains('e'));
    by_name || switches(view).errexit.is_some() || script.contains("errexit")
}

/// An assignment at the script's own level: in functions it is not known whether a caller looks at the status.
pub(super) fn is_plain(command: &CommandView) -> bool {
    command.words.is_empty() && command.via.is_empty() && !command.assignments.is_empty()
}

/// Whether the command is no condition and no part of a list.
pub(super) fn stands_alone(script: &str, command: &CommandView) -> bool {
    let before = script.get(..command.span.start).unwrap_or("").trim_end_matches([' ', '\t']);
    let after = script.get(command.span.end..).unwrap_or("").trim_start_matches([' ', '\t']);
    let is_condition =
        ["if", "elif", "while", "until", "!", "&&", "||"].iter().any(|word| before.ends_with(word));
    !is_condition && !after.starts_with("&&") && !after.starts_with("||")
}

/// The search that decides the status of the one pipeline in the assignment's substitution.
fn search<'v>(
    script: &str,
    view: &'v View,
    assignment: &CommandView,
    pipefail: bool,
) -> Option<&'v CommandView> {
    let text = script.get(assignment.span.clone())?;
    let inner = text.split_once('=')?.1.trim_start_matches('"').strip_prefix("$(")?;
    let inner = inner.trim_end_matches('"').strip_suffix(')')?;
    if !is_one_pipeline(inner) {
        return None;
    }
    let inside = |command: &&CommandView| {
        command.span.start > assignment.span.start
            && command.span.end <= assignment.span.end
            && matches!(command.via.as_slice(), [Via::CommandSubstitution])
            && !command.words.is_empty()
    };
    let stages: Vec<&CommandView> = view.commands.iter().filter(inside).collect();
    let decides = if pipefail { stages.as_slice() } else { stages.get(stages.len().checked_sub(1)?..)? };
    decides.iter().copied().find(|stage| {
        let name = stage.name().unwrap_or("");
        let is_asked =
            name == "command" && stage.words.get(1).and_then(|word| word.text.as_deref()) == Some("-v");
        is_asked || SEARCHES.contains(&name)
    })
}

/// Whether what is found is counted, by the search or by what follows it.
fn counts(view: &View, assignment: &CommandView, search: &CommandView) -> bool {
    let by_itself = search.words.iter().skip(1).filter_map(|word| word.text.as_deref()).any(|word| {
        word == "--count" || word.starts_with('-') && !word.starts_with("--") && word.contains('c')
    });
    let is_behind = |command: &&CommandView| {
        command.span.start > search.span.end && command.span.end <= assignment.span.end
    };
    by_itself || view.commands.iter().filter(is_behind).any(|command| command.name() == Some("wc"))
}

/// How a value is looked at later, as it is written.
fn looks_at(after: &str, name: &str) -> Option<String> {
    let forms = [format!("${name}"), format!("${{{name}}}")];
    forms.into_iter().find(|form| after.contains(form.as_str()))
}

/// Whether the same, or what it begins with, is looked for before, with `grep -q`.
fn is_known_to_be_there(view: &View, offset: usize, search: &CommandView) -> bool {
    let Some(pattern) = pattern_of_search(search) else { return false };
    let asks = |command: &&CommandView| {
        let quiet = |word: &str| word.starts_with('-') && !word.starts_with("--") && word.contains('q');
        command.words.iter().skip(1).filter_map(|word| word.text.as_deref()).any(quiet)
    };
    let before = view.commands.iter().filter(|command| {
        command.span.start < offset && command.name().is_some_and(|name| SEARCHES.contains(&name))
    });
    before.filter(asks).filter_map(pattern_of_search).any(|asked| pattern.starts_with(asked))
}

/// The pattern of a search as it is written, without its quotes.
fn pattern_of_search(search: &CommandView) -> Option<&str> {
    let word = search.words.iter().skip(1).find(|word| !word.source.starts_with('-'))?;
    Some(word.source.trim_matches(['"', '\''])).filter(|pattern| !pattern.is_empty())
}

/// No list, no substitution, no group in the text.
fn is_one_pipeline(text: &str) -> bool {
    let (mut quote, mut skip) = (None, false);
    // What stood before, and what of that was no blank.
    let (mut before, mut last) = (' ', '|');
    for letter in text.trim().chars() {
        match (letter, quote) {
            _ if skip => skip = false,
            ('\\', None | Some('"')) => skip = true,
            ('(', None | Some('"')) if before == '$' => return false,
            ('\'' | '"', None) => quote = Some(letter),
            (letter, Some(open)) if letter == open => quote = None,
            (_, Some(_)) => {}
            (';' | '`' | '{', None) => return false,
            ('|' | '&', None) if before == letter => return false,
            ('\n', None) if last != '|' => return false,
            _ => {}
        }
        before = letter;
        if !letter.is_whitespace() {
            last = letter;
        }
    }
    true
}

/// `-z "$name"`, `-n "$name"`, as it is written.
pub(super) fn emptiness_test(after: &str, name: &str) -> Option<String> {
    ["-z", "-n"].iter().find_map(|test| {
        let forms = [
            format!("{test} \"${name}\""),
            format!("{test} \"${{{name}}}\""),
            format!("{test} ${name} "),
            format!("{test} \"${{{name}:-}}\""),
        ];
        forms.into_iter().find(|form| after.contains(form.as_str()))
    })
}
