//! What the printer makes of a command is a command again, and the same one: `parse(print(parse(script)))` has the tree
//! of `parse(script)`, apart from where things stand and from what the layout of `declare -f` changes by design. Over
//! random scripts and the scripts of all case files.

#![allow(clippy::unwrap_used, reason = "a test")]

mod generated;
#[allow(dead_code, reason = "the cases' scripts alone are used")]
mod support;

use generated::{render, script};
use hookbox::internal::syntax::ast::List;
use hookbox::internal::syntax::{NoAliases, ParseOptions, Parser, print_list};
use regex::Regex;
use std::path::Path;
use std::sync::LazyLock;

/// Every line's commands: printed, and as a tree without places. `None`: not valid.
fn parsed(text: &[u8]) -> Option<Vec<(Vec<u8>, String)>> {
    let options = ParseOptions { extglob: true, ..ParseOptions::default() };
    let mut parser = Parser::new(text.into(), 1);
    let mut commands = Vec::new();
    while let Some(list) = parser.next_command(&options, &NoAliases).ok()? {
        commands.push((print_list(&list, text).into_std(), tree(&list)));
    }
    Some(commands)
}

fn tree(list: &List) -> String {
    static PLACES: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"span: Span \{[^}]*\}|source: (Some\()?\[[0-9, ]*\]\)?|line: [0-9]+|token: [0-9]+|keyword: (true|false)",
        )
        .unwrap()
    });
    PLACES.replace_all(&format!("{list:?}"), "").into_owned()
}

/// What the layout changes in the tree: a reason to compare the printed text alone.
fn changed_by_design(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    // `for x` becomes `for x in "$@"`, `[[ x ]]` becomes `[[ -n x ]]`, the 1 of `1<>` is left out, `coproc` gets a name,
    // a here-document takes the `;` behind it away: all of it as `declare -f` of bash does. `elif` becomes `else if`, `$'...'` is decoded, descriptors are written out, `<<-` has lost its tabs.
    [
        "elif",
        "[[",
        "$'",
        "$\"",
        "<<",
        "<&",
        ">&",
        "|&",
        "&>",
        "<>",
        "coproc",
        "((",
        "$[",
        "!",
        "in \"$@\"",
        "esac)",
    ]
    .iter()
    .any(|design| text.contains(design))
}

/// The same, seen in the script: `elif`, `$'...'`, a descriptor that is the default, a function's body without braces, and a
/// subscript that goes on in the next line, which is parsed when it is evaluated.
fn changed_in(script: &[u8]) -> bool {
    let text = String::from_utf8_lossy(script);
    ["elif", "$'", "1>", "0<", "()", "function", "\\\n"].iter().any(|design| text.contains(design))
}

/// What is wrong with the round trip of each command of a script.
fn wrong(script: &[u8], compared: &mut usize, by_design: &mut usize) -> Vec<String> {
    let Some(commands) = parsed(script) else { return Vec::new() };
    let mut found = Vec::new();
    for (printed, before) in commands {
        let shown = String::from_utf8_lossy(&printed).into_owned();
        *compared += 1;
        let Some(again) = parsed(&printed) else {
            // A here-document takes a `;` with it, and a pattern `esac` loses its parenthesis: in bash too.
            if shown.contains("<<") || shown.contains("esac)") {
                *by_design += 1;
                continue;
            }
            found.push(format!("does not parse:\n{shown}"));
            continue;
        };
        let mut twice: Vec<u8> = Vec::new();
        for (text, _) in &again {
            twice.extend_from_slice(text);
            if !twice.ends_with(b"\n") {
                twice.push(b'\n');
            }
        }
        if twice.trim_ascii_end() != printed.trim_ascii_end() {
            if ["<<", "<>", "coproc"].iter().any(|design| shown.contains(design)) {
                *by_design += 1;
                continue;
            }
            found.push(format!("printed:\n{shown}\nprinted again:\n{}", String::from_utf8_lossy(&twice)));
        } else if let [(_, after)] = again.as_slice()
            && *after != before
            && !changed_by_design(&printed)
            && !changed_in(script)
        {
            found.push(format!("printed:\n{shown}\n  tree {before}\n  then {after}"));
        }
    }
    found
}

#[test]
fn printed_commands_parse_to_the_same_tree() {
    let cases = support::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/shell"));
    let random = (0..1500).map(|seed| (format!("random script {seed}"), render(&script(seed)).into_bytes()));
    let cases = cases.into_iter().map(|case| (format!("{} {}", case.file.display(), case.name), case.script));
    let (mut compared, mut by_design, mut failed) = (0, 0, 0);
    for (name, text) in cases.chain(random) {
        for problem in wrong(&text, &mut compared, &mut by_design) {
            failed += 1;
            println!("{name}: {problem}");
        }
    }
    println!("{compared} commands, {failed} differ, {by_design} by design");
    assert!(compared > 10_000, "only {compared} commands were compared");
    assert_eq!(failed, 0, "{failed} of {compared} commands differ");
}
