//! Where a script certainly ends, and which of its exits end less than the script: for the linter, by the shell's own parser.
//!
//! An `exit` in a part of a pipeline, between brackets, or in a background job ends that alone. It is listed where nothing looks at
//! its status: another command follows which does not ask for `$?`. What a caller may look at, the last command of a function or of
//! the script, is not listed.
//!
//! Recursion follows the tree, whose depth the parser bounds.

use super::MAX_SCRIPT;
use crate::syntax::ast::{
    Argument, Command, CommandKind, List, ListItem, Pipeline, Simple, Span, Word, WordPart,
};
use crate::syntax::{NoAliases, ParseOptions, Parser};
use rustc_hash::FxHashMap;

/// Exits that are listed.
const MOST_EXITS: usize = 200;
/// Bytes of the next command in which `$?` is looked for.
const NEAR: usize = 400;

/// What an exit ends instead of the script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// A part of a pipeline.
    Pipeline,
    /// `( ... )`
    Subshell,
    /// `... &`
    Job,
}

impl Part {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Pipeline => "a part of the pipeline, which is a process of its own",
            Self::Subshell => "the subshell between the brackets",
            Self::Job => "the job in the background",
        }
    }
}

/// An exit whose status is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LostExit {
    /// Where the `exit`, or the call of a function that ends with one, begins in the script.
    pub(crate) offset: usize,
    pub(crate) status: u8,
    pub(crate) part: Part,
}

/// See the module.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Endings {
    /// Up to here the script can be run: to its end, or to that of the line with an `exit` on which nothing depends.
    pub(crate) reached: usize,
    pub(crate) lost: Vec<LostExit>,
}

/// Looks at a script; one with a syntax error loses no exits.
pub(crate) fn endings(script: &[u8]) -> Endings {
    let has = |text: &str| memchr::memmem::find(script, text.as_bytes()).is_some();
    let all = Endings { reached: script.len(), lost: Vec::new() };
    if script.len() > MAX_SCRIPT || !has("exit") && !has("exec ") {
        return all;
    }
    let options = ParseOptions { extglob: has("extglob"), ..ParseOptions::default() };
    let mut parser = Parser::new(script.into(), 1);
    let mut lists = Vec::new();
    let mut reached = script.len();
    loop {
        match parser.next_command(&options, &NoAliases) {
            Err(_) => return all,
            Ok(None) => break,
            Ok(Some(list)) => {
                let ends = list.items().iter().any(ends_script);
                lists.push(list);
                if ends {
                    reached = parser.offset().min(script.len());
                    break;
                }
            }
        }
    }
    let items: Vec<&ListItem> = lists.iter().flat_map(List::items).collect();
    // With these the last command's status is that of the pipeline, or somebody asks for that of each.
    if ["lastpipe", "PIPESTATUS", "ERR"].iter().any(|word| has(word)) {
        return Endings { reached, ..all };
    }
    let mut finder = Finder {
        script,
        waits: has("wait"),
        pipefail: has("pipefail"),
        functions: FxHashMap::default(),
        lost: Vec::new(),
    };
    finder.functions(&items);
    finder.items(&items, false, Shell::Own);
    Endings { reached, lost: finder.lost }
}

/// Whether nothing behind it is run: `exit 0`, `exec FILE`, `exec FILE || exec OTHER`.
fn ends_script(item: &ListItem) -> bool {
    let ends = |pipeline: &Pipeline| {
        let simple = alone(pipeline).and_then(simple);
        simple.is_some_and(|simple| match name(simple) {
            Some(b"exit") => true,
            Some(b"exec") => simple.words.len() > 1,
            _ => false,
        })
    };
    let mut rest = item.and_or.rest.iter().map(|(_, pipeline)| pipeline);
    !item.background && ends(&item.and_or.first) && rest.all(ends)
}

/// The one command of a pipeline.
fn alone(pipeline: &Pipeline) -> Option<&Command> {
    match pipeline.stages.as_slice() {
        [command] => Some(command),
        _ => None,
    }
}

const fn simple(command: &Command) -> Option<&Simple> {
    match &command.kind {
        CommandKind::Simple(simple) => Some(simple),
        _ => None,
    }
}

fn literal(word: &Argument) -> Option<&[u8]> {
    let Argument::Word(Word { parts, .. }) = word else { return None };
    match parts.as_slice() {
        [WordPart::Literal(text)] => Some(text),
        _ => None,
    }
}

fn name(simple: &Simple) -> Option<&[u8]> {
    simple.words.first().and_then(literal)
}

/// The status of `exit N`.
fn exit_status(simple: &Simple) -> Option<u8> {
    let is_exit = name(simple) == Some(b"exit");
    let status = simple.words.get(1).filter(|_| is_exit && simple.words.len() == 2)?;
    std::str::from_utf8(literal(status)?).ok()?.parse().ok()
}

/// Which shell a command runs in.
#[derive(Clone, Copy)]
enum Shell {
    /// The script's own, or that of a function's caller.
    Own,
    /// A process of its own whose status somebody may look at.
    Kept,
    /// One whose status nobody looks at.
    Lost(Part),
}

struct Finder<'s> {
    script: &'s [u8],
    waits: bool,
    pipefail: bool,
    /// What functions do with a status.
    functions: FxHashMap<Vec<u8>, Function>,
    lost: Vec<LostExit>,
}

#[derive(Clone, Copy)]
struct Function {
    /// That of the exit that it ends with.
    exit: Option<u8>,
    asks_status: bool,
}

impl Finder<'_> {
    fn text(&self, span: Span) -> &[u8] {
        self.script.get(span.start as usize..span.end as usize).unwrap_or(&[])
    }

    /// Notes the script's functions, each of which is looked at once more in its place.
    fn functions(&mut self, items: &[&ListItem]) {
        for item in items {
            let Some(CommandKind::Function(function)) =
                alone(&item.and_or.first).map(|command| &command.kind)
            else {
                continue;
            };
            let body = self.text(function.body().span);
            let has = |text: &str| memchr::memmem::find(body, text.as_bytes()).is_some();
            let last = match &function.body().kind {
                CommandKind::BraceGroup(list) if !has("return") => list.items().last(),
                _ => None,
            };
            let last = last.filter(|item| !item.background && item.and_or.rest.is_empty());
            let exit = last.and_then(|item| exit_status(simple(alone(&item.and_or.first)?)?));
            let noted = Function { exit, asks_status: has("$?") };
            self.functions.insert(function.name.to_vec(), noted);
        }
    }

    /// A list of which the last command's status is looked at by nobody, or by what the list is a part of.
    fn items(&mut self, items: &[&ListItem], last_is_lost: bool, shell: Shell) {
        for (index, item) in items.iter().enumerate() {
            if self.lost.len() >= MOST_EXITS {
                return;
            }
            let is_lost = match items.get(index + 1) {
                Some(next) => !self.asks_status(next),
                None => last_is_lost,
            };
            self.item(item, is_lost, shell);
        }
    }

    fn list(&mut self, list: &List, last_is_lost: bool, shell: Shell) {
        let items: Vec<&ListItem> = list.items().iter().collect();
        self.items(&items, last_is_lost, shell);
    }

    /// Whether a command may look at the status of the one before it.
    fn asks_status(&self, next: &ListItem) -> bool {
        let text = self.text(next.span);
        let text = text.get(..NEAR).unwrap_or(text);
        let first = alone(&next.and_or.first).and_then(simple);
        let called = first.and_then(name);
        // Without an operand they give it on.
        let gives_on = matches!(called, Some(b"exit" | b"return"))
            && first.is_some_and(|simple| simple.words.len() == 1);
        gives_on
            || memchr::memmem::find(text, b"$?").is_some()
            || memchr::memmem::find(text, b"${?").is_some()
            || called.and_then(|name| self.functions.get(name)).is_some_and(|one| one.asks_status)
    }

    fn item(&mut self, item: &ListItem, is_lost: bool, shell: Shell) {
        let is_lost = is_lost && item.and_or.rest.is_empty() && !item.and_or.first.negated;
        let (is_lost, shell) = match item.background {
            true if self.waits => (false, Shell::Kept),
            true => (true, Shell::Lost(Part::Job)),
            false => (is_lost, shell),
        };
        let rest = item.and_or.rest.iter().map(|(_, pipeline)| pipeline);
        for pipeline in std::iter::once(&item.and_or.first).chain(rest) {
            if let Some(command) = alone(pipeline) {
                self.command(command, is_lost, shell);
                continue;
            }
            let count = pipeline.stages.len();
            for (index, stage) in pipeline.stages.iter().enumerate() {
                // That of another than the last counts with `pipefail` alone.
                let is_lost = is_lost || index + 1 < count && !self.pipefail;
                let shell = if is_lost { Shell::Lost(Part::Pipeline) } else { Shell::Kept };
                self.command(stage, is_lost, shell);
            }
        }
    }

    fn command(&mut self, command: &Command, is_lost: bool, shell: Shell) {
        match &command.kind {
            CommandKind::Simple(simple) => self.simple(simple, command, shell),
            CommandKind::BraceGroup(list) => self.list(list, is_lost, shell),
            CommandKind::Subshell(list) => {
                let shell = if is_lost { Shell::Lost(Part::Subshell) } else { Shell::Kept };
                self.list(list, is_lost, shell);
            }
            CommandKind::If { clauses, otherwise } => {
                for (condition, body) in clauses {
                    self.list(condition, false, shell);
                    self.list(body, is_lost, shell);
                }
                if let Some(list) = otherwise {
                    self.list(list, is_lost, shell);
                }
            }
            CommandKind::While { condition, body, .. } => {
                self.list(condition, false, shell);
                self.list(body, is_lost, shell);
            }
            CommandKind::For { body, .. }
            | CommandKind::Select { body, .. }
            | CommandKind::ArithmeticFor { body, .. } => self.list(body, is_lost, shell),
            CommandKind::Case { arms, .. } => {
                for arm in arms {
                    self.list(&arm.body, is_lost, shell);
                }
            }
            CommandKind::Function(function) => self.command(function.body(), false, Shell::Own),
            CommandKind::Arithmetic(_) | CommandKind::Conditional(_) | CommandKind::Coprocess { .. } => {}
        }
    }

    fn simple(&mut self, simple: &Simple, command: &Command, shell: Shell) {
        let Shell::Lost(part) = shell else { return };
        let of_function = name(simple).and_then(|name| self.functions.get(name)?.exit);
        if let Some(status) = exit_status(simple).or(of_function) {
            self.lost.push(LostExit { offset: command.span.start as usize, status, part });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(script: &str) -> Vec<(u8, Part)> {
        endings(script.as_bytes()).lost.iter().map(|exit| (exit.status, exit.part)).collect()
    }

    #[test]
    fn exits_that_end_a_part() {
        for (script, part) in [
            ("a | while read x; do exit 2; done; exit 0", Part::Pipeline),
            ("a | while read x; do\n  if b; then\n    exit 2\n  fi\ndone\n\nexit 0", Part::Pipeline),
            ("if a; then b | { read x; exit 2; }; fi; c", Part::Pipeline),
            ("{ a; exit 2; } | tee log", Part::Pipeline),
            ("f() { a | while read x; do exit 2; done; b; }; f", Part::Pipeline),
            ("deny() { echo no >&2; exit 2; }\na | while read x; do deny x; done\nexit 0", Part::Pipeline),
            ("(exit 2); a", Part::Subshell),
            ("(a; b | (exit 2)); c", Part::Subshell),
            ("{ a; exit 2; } &\nb", Part::Job),
        ] {
            assert_eq!(lost(script), [(2, part)], "{script}");
        }
    }

    #[test]
    fn exits_that_count() {
        for script in [
            "a | while read x; do exit 2; done",
            "a | while read x; do exit 2; done; exit",
            "a | while read x; do exit 2; done; exit $?",
            "a | while read x; do exit 2; done; s=$?; exit $s",
            "a | while read x; do exit 2; done || exit 2",
            "if a | while read x; do exit 2; done; then b; fi; c",
            "! (exit 2); a",
            "f() { a | while read x; do exit 2; done; }; f",
            "f() { exit 2; }; f; a",
            "end() { local s=$?; exit $s; }; (exit 2); end",
            "while read x; do exit 2; done < <(a); b",
            "{ a; exit 2; } &\nwait; b",
            "set -o pipefail; { a; exit 2; } | b",
            "x=$(exit 2); a",
            "shopt -s lastpipe; a | while read x; do exit 2; done; b",
            "trap 'exit 2' ERR; (exit 2); b",
            "(exit 2); a; if",
        ] {
            assert_eq!(lost(script), [], "{script}");
        }
    }

    #[test]
    fn what_stands_behind_the_end() {
        for (script, reached) in [
            ("a\nexit 0\nb", "a\nexit 0\n"),
            (": ; exec a || exec b\n@echo off\nif \"x\"==\"\" (\n", ": ; exec a || exec b\n"),
            ("exec a <<E\nb\nE\nc (", "exec a <<E\nb\nE\n"),
            ("a && exit 0\nb", "a && exit 0\nb"),
            ("exec 2>&1\nb", "exec 2>&1\nb"),
            ("exec a || b\nc", "exec a || b\nc"),
            ("f() { exit 0; }\nif a; then exit 0; fi\nb", "f() { exit 0; }\nif a; then exit 0; fi\nb"),
            ("a\nif\nexit", "a\nif\nexit"),
        ] {
            assert_eq!(endings(script.as_bytes()).reached, reached.len(), "{script}");
        }
    }
}
