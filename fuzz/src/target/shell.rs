//! The shell: its parser and printer, and a whole run.

use super::session::Trial;
use super::{LONGEST, parts};
use hookbox::inspect::inspect;
use hookbox::internal::program::dump;
use hookbox::internal::syntax::ast::List;
use hookbox::internal::syntax::{
    NoAliases, ParseOptions, Parser, is_well_formed, parse_arithmetic, print_list,
};

const RESERVED: &[&str] = &[
    "!", "[[", "]]", "{", "}", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for",
    "function", "if", "in", "select", "then", "time", "until", "while",
];

/// Parses a text in every mode: skimmed and parsed as a whole are the same, what is surely well formed has no error, and
/// what is printed is a command again that prints the same.
pub fn shell_parser(data: &[u8]) {
    let text = data.get(..LONGEST).unwrap_or(data);
    let is_moved = puts_a_reserved_word_first(text)
        || puts_a_reserved_word_first(&[b"shopt -s extglob\n", text].concat());
    for (extglob, posix) in [(false, false), (true, false), (false, true)] {
        let options = ParseOptions { extglob, posix, ..ParseOptions::default() };
        let whole = parsed(text, &options);
        let deferred = parsed(text, &ParseOptions { defers: true, ..options });
        assert!(whole == deferred, "{options:?}: whole {:?}, deferred {:?}", whole.1, deferred.1);
        if is_well_formed(text, &options) {
            assert_eq!(whole.1, "[]", "{options:?}: it is not well formed");
        }
        if whole.1 == "[]" && !is_moved {
            whole.0.iter().for_each(|list| prints_the_same(list, text, &options));
        }
    }
    let _ = parse_arithmetic(text, 200, usize::MAX);
    let _ = dump(text);
}

/// Redirections are printed behind the words, as by bash, of which the first may be a reserved word only behind them.
fn puts_a_reserved_word_first(text: &[u8]) -> bool {
    let view = inspect(text);
    let mut names = view.commands.iter().filter_map(|command| command.words.first());
    names.any(|name| RESERVED.contains(&name.source.as_str()))
}

/// The commands before the first error, and the error.
fn parsed(text: &[u8], options: &ParseOptions) -> (Vec<List>, String) {
    let mut parser = Parser::new(text.into(), 1);
    let mut lists = Vec::new();
    loop {
        match parser.next_command(options, &NoAliases) {
            Ok(Some(list)) => lists.push(list),
            Ok(None) => return (lists, format!("{:?}", parser.take_warnings())),
            Err(error) => return (lists, format!("{error:?}")),
        }
    }
}

/// Printing is idempotent. `declare -f` of bash moves what follows a here-document and names a coprocess, loses the parenthesis
/// before a pattern `esac`: such commands are left out.
fn prints_the_same(list: &List, text: &[u8], options: &ParseOptions) {
    let printed = print_list(list, text);
    let by_design = ["<<", "<>", "coproc", "esac)"];
    let has = |text: &[u8], part: &str| text.windows(part.len()).any(|window| window == part.as_bytes());
    if by_design.iter().any(|design| has(&printed, design)) {
        return;
    }
    // bash prints `$'x'` within braces within double quotes without its dollar sign.
    if has(text, "$'") && has(text, "${") {
        return;
    }
    let (again, error) = parsed(&printed, options);
    let shown = String::from_utf8_lossy(&printed);
    assert_eq!(error, "[]", "printed:\n{shown}");
    let mut twice = Vec::new();
    for list in &again {
        twice.extend(print_list(list, &printed));
        if !twice.ends_with(b"\n") {
            twice.push(b'\n');
        }
    }
    let twice = String::from_utf8_lossy(&twice);
    assert!(twice.trim_end() == shown.trim_end(), "printed:\n{shown}\nprinted again:\n{twice}");
}

/// A script with standard input and two files.
pub fn run(data: &[u8]) {
    let [script, stdin, one, two] = parts(data);
    let trial = Trial { script, arguments: vec![b"a", b"b c"], stdin, files: &[("one", one), ("two", two)] };
    trial.run_twice().session_lives();
}
