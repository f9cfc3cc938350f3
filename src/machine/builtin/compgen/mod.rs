//! `compgen`: the words that a completion would offer. Bash manual 8.7.
//!
//! Words come from actions and `-G` first, then from `-W`, a function and a command. Those three may run script: each is a
//! callback, after which the builtin is called again and goes on with its next stage.

mod action;

use super::context::Context;
use super::error::BuiltinError;
use super::options::{OptionRow, Options, flag, value};
use super::row::{Act, Builtin, Flow};
use crate::machine::halt::Halt;
use crate::machine::option::{ShellOption, ShellOptions};
use crate::machine::variable::Value;
use crate::machine::{name, quote};
use crate::memory::{Arc, Box, Bytes, JoinMetered, Vec};
use crate::pattern::{NoTicker, Pattern, PatternOptions};
use crate::text::Text;
pub(super) use action::ACTIONS;

pub(super) static COMPGEN: Builtin = Builtin {
    name: "compgen",
    special: false,
    synopsis: "compgen [-abcdefgjksuv] [-o option] [-A action] [-G globpat] [-W wordlist] [-F function] [-C command] \
               [-X filterpat] [-P prefix] [-S suffix] [word]",
    help: "Display possible completions depending on the options.",
    options: &COMPGEN_OPTIONS,
    act: Act::Machine(compgen),
};

/// The options of `compgen`.
const COMPGEN_OPTIONS: [OptionRow; 21] = [
    flag(b'a', "names of aliases"),
    flag(b'b', "names of builtins"),
    flag(b'c', "names of commands"),
    flag(b'd', "names of directories"),
    flag(b'e', "names of exported variables"),
    flag(b'f', "names of files"),
    flag(b'g', "names of groups"),
    flag(b'j', "jobs"),
    flag(b'k', "reserved words"),
    flag(b's', "names of services"),
    flag(b'u', "names of users"),
    flag(b'v', "names of variables"),
    value(b'o', "option", "what is done with what was found"),
    value(b'A', "action", "an action by its name"),
    value(b'G', "globpat", "names of files that match a pattern"),
    value(b'W', "wordlist", "words of a list"),
    value(b'F', "function", "what a function puts into COMPREPLY"),
    value(b'C', "command", "what a command prints"),
    value(b'X', "filterpat", "leaves out what matches a pattern"),
    value(b'P', "prefix", "a text before each word"),
    value(b'S', "suffix", "a text after each word"),
];

/// The options of `complete`: those of `compgen` and its own.
pub(super) const COMPLETE_OPTIONS: [OptionRow; 26] = {
    let mut rows = [flag(b'p', "show what is defined as commands"); 26];
    rows[1] = flag(b'r', "remove what is defined");
    rows[2] = flag(b'D', "for commands without a definition of their own");
    rows[3] = flag(b'E', "for an empty line");
    rows[4] = flag(b'I', "for the first word of a line");
    let mut at = 0;
    while at < COMPGEN_OPTIONS.len() {
        rows[5 + at] = COMPGEN_OPTIONS[at];
        at += 1;
    }
    rows
};

/// Values of `-o`.
pub(super) const COMPLETION_OPTIONS: [&str; 8] =
    ["bashdefault", "default", "dirnames", "filenames", "noquote", "nosort", "nospace", "plusdirs"];

/// A pattern for names of a table.
pub(super) fn compiled(pattern: &[u8]) -> Pattern {
    Pattern::parse(pattern, PatternOptions { extglob: true, ..PatternOptions::default() })
}

/// Whether the whole text matches.
pub(super) fn is_match(pattern: &Pattern, text: &[u8]) -> bool {
    pattern.matches(text, &mut NoTicker).unwrap_or(false)
}

/// Looks at the names of actions and options.
pub(super) fn check(options: &Options) -> Result<(), BuiltinError> {
    for given in options.given() {
        let Some(value) = &given.value else { continue };
        if given.letter == b'A' && !ACTIONS.iter().any(|action| action.name.as_bytes() == value.as_bytes()) {
            return Err(BuiltinError::InvalidAction(value.clone()));
        }
        if given.letter == b'o' && !COMPLETION_OPTIONS.iter().any(|name| name.as_bytes() == value.as_bytes())
        {
            return Err(BuiltinError::InvalidOptionName(value.clone()));
        }
    }
    Ok(())
}

/// The next thing to be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    ExpandList,
    TakeList,
    CallFunction,
    TakeFunction,
    CallCommand,
    TakeCommand,
    Print,
}

/// A completion that is being made.
struct Work {
    words: Vec<Text>,
    stage: Stage,
    /// Options of the shell before the words of `-W` were expanded.
    shell_options: ShellOptions,
}

/// Where the words of `-W` are put when they have expansions.
const LIST: &[u8] = b"_compgen_list";

fn compgen(ctx: &mut Context<'_, '_>) -> Result<Flow, BuiltinError> {
    let options = ctx.options()?;
    check(&options)?;
    let word = ctx.operands(&options).first().cloned().unwrap_or_default();
    let mut work = match ctx.resumed::<Work>() {
        Some(work) => work,
        // A folder can have many files, `PATH` many commands.
        None if !ctx.may_take_long() => return Ok(Flow::Wait),
        None => {
            for letter in [b'F', b'C'] {
                if options.has(letter) {
                    ctx.remark(BuiltinError::NotACompletion(letter));
                }
            }
            let mut words = Vec::new();
            action::offered(ctx, &options, &word, &mut words)?;
            let shell_options = ctx.process.shell.state.options;
            Box::new(Work { words, stage: Stage::ExpandList, shell_options })
        }
    };
    loop {
        let call = match work.stage {
            Stage::ExpandList => {
                work.stage = Stage::TakeList;
                expand_list(ctx, &options)
            }
            Stage::TakeList => {
                work.stage = Stage::CallFunction;
                ctx.process.shell.state.options = work.shell_options;
                take_list(ctx, &options, &word, &mut work.words)?;
                None
            }
            Stage::CallFunction => {
                work.stage = Stage::TakeFunction;
                call_function(ctx, &options, &word)
            }
            Stage::TakeFunction => {
                work.stage = Stage::CallCommand;
                take_function(ctx, &options, &mut work.words)?;
                None
            }
            Stage::CallCommand => {
                work.stage = Stage::TakeCommand;
                call_command(&options, &word)
            }
            Stage::TakeCommand => {
                work.stage = Stage::Print;
                if options.has(b'C') {
                    let found = taken(ctx, b"COMPREPLY").unwrap_or_default();
                    work.words.extend(found.into_iter().filter(|found| !found.is_empty()));
                }
                None
            }
            Stage::Print => return Ok(print(ctx, &options, &word, work.into_inner().words)),
        };
        if let Some(text) = call {
            ctx.keep(work);
            return Ok(Flow::Callback(Bytes::from(text)));
        }
    }
}

/// The command that expands the words of `-W`; `None`: there is nothing to expand.
fn expand_list(ctx: &mut Context<'_, '_>, options: &Options) -> Option<Vec<u8>> {
    let list = options.value(b'W').filter(|list| has_expansion(list))?;
    let separators =
        ctx.process.shell.scalar(ctx.run, name::IFS).unwrap_or_else(|| Text::from_static(b" \t\n"));
    ctx.process.shell.state.options.set(ShellOption::NoGlob, true);
    Some(list_command(list, &separators))
}

fn has_expansion(list: &[u8]) -> bool {
    list.iter().any(|byte| matches!(byte, b'$' | b'`' | b'{' | b'~' | b'<' | b'>'))
}

fn take_list(
    ctx: &mut Context<'_, '_>,
    options: &Options,
    word: &Text,
    words: &mut Vec<Text>,
) -> Result<(), BuiltinError> {
    let Some(list) = options.value(b'W') else { return Ok(()) };
    let found = match taken(ctx, LIST) {
        Some(found) => found,
        // The expansion was abandoned.
        None if has_expansion(list) => return Err(Halt::Discard(1).into()),
        None => {
            let separators = ctx.process.shell.scalar(ctx.run, name::IFS);
            split_words(list, separators.as_ref().map_or(b" \t\n", |text| text.as_bytes()))
        }
    };
    words.extend(found.into_iter().filter(|found| found.starts_with(word)));
    Ok(())
}

fn call_function(ctx: &mut Context<'_, '_>, options: &Options, word: &Text) -> Option<Vec<u8>> {
    let function = options.value(b'F')?;
    set_completion_variables(ctx, true);
    let word = quote::single(word);
    Some([function.as_bytes(), b" compgen ", &word, b" ''; ", LIST, b"=."].concat_metered())
}

fn take_function(
    ctx: &mut Context<'_, '_>,
    options: &Options,
    words: &mut Vec<Text>,
) -> Result<(), BuiltinError> {
    if !options.has(b'F') {
        return Ok(());
    }
    set_completion_variables(ctx, false);
    // An error that gave up the function leaves nothing.
    if taken(ctx, LIST).is_none() {
        return Err(Halt::Discard(1).into());
    }
    words.extend(taken(ctx, b"COMPREPLY").unwrap_or_default());
    Ok(())
}

fn call_command(options: &Options, word: &Text) -> Option<Vec<u8>> {
    let command = options.value(b'C')?;
    let word = quote::single(word);
    let parts = [
        b"builtin mapfile -t COMPREPLY <<< \"$(".as_slice(),
        command.as_bytes(),
        b" compgen ",
        &word,
        b" '')\"",
    ];
    Some(parts.concat_metered())
}

/// Filters the words and prints them.
fn print(ctx: &mut Context<'_, '_>, options: &Options, word: &Text, mut words: Vec<Text>) -> Flow {
    if let Some(filter) = options.value(b'X') {
        let (keeps, pattern) = match filter.strip_prefix(b"!") {
            Some(rest) => (true, rest),
            None => (false, filter.as_bytes()),
        };
        let pattern = compiled(pattern);
        words.retain(|word| is_match(&pattern, word) == keeps);
    }
    if words.is_empty() {
        if options.has_value(b'o', b"dirnames") {
            action::files(ctx, word, true, &mut words);
        } else if options.has_value(b'o', b"default") {
            action::files(ctx, word, false, &mut words);
        }
    }
    let (prefix, suffix) = (options.value(b'P'), options.value(b'S'));
    for word in &words {
        if let Some(prefix) = prefix {
            ctx.out.text(prefix);
        }
        ctx.out.text(word);
        if let Some(suffix) = suffix {
            ctx.out.text(suffix);
        }
        ctx.out.bytes(b"\n");
    }
    Flow::Status(u8::from(words.is_empty()))
}

/// An array literal of the words of `-W`, to be expanded by the shell: separators outside of quotes and expansions become
/// blanks, what else means something to the shell there is quoted.
fn list_command(list: &[u8], separators: &[u8]) -> Vec<u8> {
    let mut text = [LIST, b"=("].concat_metered();
    let mut quote = 0;
    let mut depth = 0_usize;
    // Whether a word begins here.
    let mut begins = true;
    let mut bytes = list.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        let first = std::mem::replace(&mut begins, false);
        match byte {
            b'\\' if quote != b'\'' => {
                text.push(byte);
                text.extend(bytes.next());
            }
            b'$' if quote == 0 && depth == 0 && matches!(bytes.peek(), Some(b'\'' | b'"')) => {
                // These quotes are plain ones here.
                text.extend_from_slice(b"\\$");
            }
            b'~' if first => text.push(byte),
            b'<' | b'>' if quote == 0 && depth == 0 && bytes.peek() == Some(&b'(') => {
                depth = 1;
                text.push(byte);
                text.extend(bytes.next());
            }
            b'\'' | b'"' | b'`' if quote == 0 => {
                quote = byte;
                text.push(byte);
            }
            byte if byte == quote => {
                quote = 0;
                text.push(byte);
            }
            b'$' if quote != b'\'' && matches!(bytes.peek(), Some(b'$' | b'#' | b'*' | b'?' | b'!')) => {
                // A special parameter, which takes no parenthesis.
                text.push(byte);
                text.extend(bytes.next());
            }
            b'$' if quote != b'\'' && matches!(bytes.peek(), Some(b'(' | b'{')) => {
                depth += 1;
                text.push(byte);
                text.extend(bytes.next());
            }
            b'(' | b'{' if depth > 0 => {
                depth += 1;
                text.push(byte);
            }
            b')' | b'}' if depth > 0 => {
                depth -= 1;
                text.push(byte);
            }
            byte if quote != 0 || depth > 0 => text.push(byte),
            byte if separators.contains(&byte) => {
                begins = true;
                text.push(b' ');
            }
            byte if b" \t\n;&|<>()*?[]~#".contains(&byte) => text.extend([b'\\', byte]),
            byte => text.push(byte),
        }
    }
    text.push(b')');
    text
}

/// Takes the values of an array or a variable away; `None`: it is unset.
fn taken(ctx: &mut Context<'_, '_>, name: &[u8]) -> Option<Vec<Text>> {
    let id = ctx.run.services.names.intern(name);
    let value = ctx.process.shell.value_of(ctx.run, id);
    ctx.process.shell.variables.set_plain(id, Value::Unset);
    match value {
        Value::Unset => None,
        Value::Array(array) => Some(array.iter().map(|(_, value)| value.clone()).collect()),
        Value::Assoc(assoc) => Some(assoc.sorted().into_iter().map(|(_, value)| value.clone()).collect()),
        value => Some(value.text().into_iter().collect()),
    }
}

/// The variables that a completion function sees: no line is edited, so they are empty.
fn set_completion_variables(ctx: &mut Context<'_, '_>, on: bool) {
    let values: [(&[u8], Value); 4] = [
        (b"COMP_WORDS", Value::Array(Arc::default())),
        (b"COMP_CWORD", Value::Integer(-1)),
        (b"COMP_LINE", Value::Text(Text::EMPTY)),
        (b"COMP_POINT", Value::Integer(0)),
    ];
    for (name, value) in values {
        let id = ctx.run.services.names.intern(name);
        ctx.process.shell.variables.set_plain(id, if on { value } else { Value::Unset });
    }
}

/// The words of `-W`: quotes keep separators in a word.
fn split_words(list: &[u8], separators: &[u8]) -> Vec<Text> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = 0;
    let mut bytes = list.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' if quote != b'\'' => word.get_or_insert_default().extend(bytes.next()),
            b'\'' | b'"' if quote == 0 => {
                quote = byte;
                word.get_or_insert_default();
            }
            byte if byte == quote && quote != 0 => quote = 0,
            byte if quote == 0 && separators.contains(&byte) => words.extend(word.take().map(Text::from)),
            byte => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word.map(Text::from));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_keep_separators_in_a_word() {
        // bash 5.2: compgen -W "a 'b c' d\ e"
        let words = split_words(b"a 'b c' d\\ e", b" \t\n");
        assert_eq!(*words, [Text::from("a"), Text::from("b c"), Text::from("d e")]);
    }

    #[test]
    fn options_of_complete_have_rows_of_their_own() {
        let letters: std::collections::BTreeSet<u8> = COMPLETE_OPTIONS.iter().map(|row| row.letter).collect();
        assert_eq!(letters.len(), COMPLETE_OPTIONS.len());
    }
}
