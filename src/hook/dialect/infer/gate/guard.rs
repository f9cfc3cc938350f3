//! The clean-command guard (R27): what a command's text may hold to be compared with a restricted list.
//!
//! 1. Each byte is marked as bare, escaped, or inside quotes; the contract's seven checks read those marks, in its order.
//! 2. Harmless redirections at the end are taken off; what is left is what the list is compared with.
//! 3. Marks are not bash: `$'\''` and a quote in a comment shift them. So the shell's own parser has the last word: the text
//!    must parse as one command without substitutions, and its words and redirections are looked at again
//!    ([`crate::inspect`]). This only refuses what the marks would have refused, had they been right.

use crate::inspect::{CommandView, OpaqueKind, RedirectView, Via, View, inspect_briefly};

/// What the guard says of a command's text; the same in every mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::hook::dialect::infer) enum GuardVerdict {
    /// Nothing but blanks.
    Empty,
    /// Not clean; the hint of the check that failed first.
    Refused(String),
    /// Clean; what the list is compared with.
    Clean(String),
}

const SUBSTITUTION: &str =
    "command substitution ($(...), backticks, <(...), >(...)) is not permitted; write out what it would give";
const QUOTES: &str = "the command has unbalanced quotes; close them";
const SEGMENTS: &str = "only a single command is auto-approved; use a hook for each part of a pipe or list (&&, ||, |, ;, &, newline)";
const VARIABLE: &str = "a printing or publishing command (echo, printf, gh issue/pr create/comment/edit) may not expand an \
                        environment variable ($VAR) outside single quotes, it could show a secret";
const REDIRECTION: &str =
    "output redirection to a file ('>' or '>>') is not auto-approved, only to /dev/null";
const FIND: &str = "find actions that execute or mutate (-exec, -delete, ...) are not auto-approved; list with find, act in a command of its own";
const UNREADABLE: &str = "the shell can not read the command";

const FIND_ACTIONS: [&str; 9] =
    ["-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprintf", "-fprint", "-fprint0", "-fls"];
const NULL: &[u8] = b"/dev/null";

/// How a byte stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    Bare,
    /// A backslash outside all quotes, and what it escapes.
    Escaped,
    /// The same inside double quotes.
    EscapedInDouble,
    /// A quote that opens or closes.
    Quote,
    Single,
    Double,
}

pub(in crate::hook::dialect::infer) fn judge(command: &str) -> GuardVerdict {
    let command = command.trim();
    if command.is_empty() {
        return GuardVerdict::Empty;
    }
    let (marks, is_balanced) = marks(command.as_bytes());
    let text = Marked { bytes: command.as_bytes(), marks: &marks };
    let refused = |hint: &str| GuardVerdict::Refused(hint.to_owned());
    if text.has_substitution() {
        return refused(SUBSTITUTION);
    }
    if !is_balanced {
        return refused(QUOTES);
    }
    if text.has_segments() {
        return refused(SEGMENTS);
    }
    let text = text.without_harmless_redirections();
    let rest = String::from_utf8_lossy(text.bytes);
    if rest.is_empty() {
        return refused("");
    }
    let view = inspect_briefly(text.bytes);
    let checks: [(&str, bool); 7] = [
        (UNREADABLE, view.error.is_some() || is_too_large(&view)),
        (
            SUBSTITUTION,
            has_via(&view, |via| matches!(via, Via::CommandSubstitution | Via::ProcessSubstitution)),
        ),
        (SEGMENTS, own(&view).count() > 1 || has_via(&view, |via| matches!(via, Via::Function(_)))),
        (VARIABLE, publishes(&rest, &view) && (text.has_variable() || text.hides_a_variable(&view))),
        (
            REDIRECTION,
            text.has(b'>') || own(&view).any(|command| command.redirects.iter().any(RedirectView::writes)),
        ),
        (FIND, finds_and_acts(&rest, &view)),
        ("", false),
    ];
    match checks.iter().find(|(_, fails)| *fails) {
        Some((hint, _)) => refused(hint),
        None => GuardVerdict::Clean(rest.into_owned()),
    }
}

/// The mark of each byte, and whether all quotes are closed.
fn marks(text: &[u8]) -> (Vec<Mark>, bool) {
    let mut marks = Vec::with_capacity(text.len());
    let mut inside = Mark::Bare;
    let mut escaped = false;
    for &byte in text {
        let escape = if inside == Mark::Double { Mark::EscapedInDouble } else { Mark::Escaped };
        let mark = match (inside, byte) {
            _ if std::mem::take(&mut escaped) => escape,
            (Mark::Bare | Mark::Double, b'\\') => {
                escaped = true;
                escape
            }
            (Mark::Bare, b'\'') => {
                inside = Mark::Single;
                Mark::Quote
            }
            (Mark::Bare, b'"') => {
                inside = Mark::Double;
                Mark::Quote
            }
            (Mark::Single, b'\'') | (Mark::Double, b'"') => {
                inside = Mark::Bare;
                Mark::Quote
            }
            (mark, _) => mark,
        };
        marks.push(mark);
    }
    (marks, inside == Mark::Bare)
}

#[derive(Clone, Copy)]
struct Marked<'a> {
    bytes: &'a [u8],
    marks: &'a [Mark],
}

impl<'a> Marked<'a> {
    fn get(&self, index: usize) -> Option<(u8, Mark)> {
        Some((*self.bytes.get(index)?, *self.marks.get(index)?))
    }

    fn all(&self) -> impl Iterator<Item = (usize, u8, Mark)> + 'a {
        self.bytes.iter().zip(self.marks).enumerate().map(|(index, (&byte, &mark))| (index, byte, mark))
    }

    fn is_bare(&self, index: usize, byte: u8) -> bool {
        self.get(index) == Some((byte, Mark::Bare))
    }

    /// Whether there is such a byte outside all quotes; one behind a backslash is outside, too.
    fn has(&self, byte: u8) -> bool {
        self.all().any(|(_, found, mark)| found == byte && matches!(mark, Mark::Bare | Mark::Escaped))
    }

    /// Check 1.
    fn has_substitution(&self) -> bool {
        self.all().any(|(index, byte, mark)| {
            let next = self.get(index.saturating_add(1));
            let opens =
                |marks: &[Mark]| next.is_some_and(|(byte, mark)| byte == b'(' && marks.contains(&mark));
            match (byte, mark) {
                (b'`', Mark::Bare | Mark::Double) => true,
                (b'$', Mark::Bare | Mark::Double) => opens(&[Mark::Bare, Mark::Double]),
                (b'<' | b'>', Mark::Bare) => opens(&[Mark::Bare]),
                _ => false,
            }
        })
    }

    /// Check 3: `&>` and the `&` of `>&` belong to redirections.
    fn has_segments(&self) -> bool {
        self.all().any(|(index, byte, mark)| match byte {
            _ if mark != Mark::Bare => false,
            b';' | b'|' | b'\n' | b'\r' => true,
            b'&' => {
                let before = index.checked_sub(1).is_some_and(|index| self.is_bare(index, b'>'));
                !before && !self.is_bare(index.saturating_add(1), b'>')
            }
            _ => false,
        })
    }

    /// Check 5: `$name`, `${`, `$1` and the special parameters, outside single quotes.
    fn has_variable(&self) -> bool {
        self.all().any(|(index, byte, mark)| {
            let next = self.bytes.get(index.saturating_add(1)).copied().unwrap_or(b' ');
            byte == b'$'
                && matches!(mark, Mark::Bare | Mark::Double)
                && (next.is_ascii_alphanumeric() || b"_{@*#?!$-".contains(&next))
        })
    }

    /// A computed word with a dollar sign, where `$'…'` may have shifted the marks.
    fn hides_a_variable(&self, view: &View) -> bool {
        let has_ansi_quotes = self.bytes.windows(2).any(|pair| pair == b"$'");
        let computed = |command: &CommandView| {
            command.words.iter().any(|word| word.text.is_none() && word.source.contains('$'))
        };
        has_ansi_quotes && own(view).any(computed)
    }

    /// Check 4: `&>`, `N>` and `N>>` to `/dev/null`, `N>&M` and `N>&-` at the end, one after another.
    fn without_harmless_redirections(self) -> Self {
        let mut text = self.trimmed();
        while let Some(start) = text.redirection_to_null().or_else(|| text.duplication()) {
            text = text.cut(start).trimmed();
        }
        text
    }

    fn cut(self, end: usize) -> Self {
        Self {
            bytes: self.bytes.get(..end).unwrap_or(self.bytes),
            marks: self.marks.get(..end).unwrap_or(self.marks),
        }
    }

    fn trimmed(self) -> Self {
        self.cut(self.back(self.bytes.len(), |byte| byte.is_ascii_whitespace()))
    }

    /// Where the bare bytes before `end` that pass begin.
    fn back(&self, end: usize, passes: impl Fn(u8) -> bool) -> usize {
        let mut start = end;
        while let Some(before) = start.checked_sub(1)
            && self.get(before).is_some_and(|(byte, mark)| mark == Mark::Bare && passes(byte))
        {
            start = before;
        }
        start
    }

    /// Where the redirection to `/dev/null` at the end begins.
    fn redirection_to_null(&self) -> Option<usize> {
        let word = self.bytes.len().checked_sub(NULL.len())?;
        let is_bare = self.marks.get(word..)?.iter().all(|mark| *mark == Mark::Bare);
        if !is_bare || self.bytes.get(word..)? != NULL {
            return None;
        }
        let operator = self.back(word, |byte| byte == b' ' || byte == b'\t');
        let mut start = operator.checked_sub(1).filter(|&index| self.is_bare(index, b'>'))?;
        if let Some(before) = start.checked_sub(1).filter(|&index| self.is_bare(index, b'>')) {
            start = before;
        }
        match start.checked_sub(1).filter(|&index| self.is_bare(index, b'&')) {
            Some(both) => Some(both),
            None => Some(self.with_descriptor(start)),
        }
    }

    /// Where `N>&M` or `N>&-` at the end begins.
    fn duplication(&self) -> Option<usize> {
        let end = self.bytes.len();
        let word = match end.checked_sub(1).filter(|&index| self.is_bare(index, b'-')) {
            Some(dash) => dash,
            None => self.back(end, |byte| byte.is_ascii_digit()),
        };
        if word == end {
            return None;
        }
        let both = word.checked_sub(1).filter(|&index| self.is_bare(index, b'&'))?;
        let start = both.checked_sub(1).filter(|&index| self.is_bare(index, b'>'))?;
        Some(self.with_descriptor(start))
    }

    /// Digits before an operator are its descriptor only when they are a word of their own: not in `a2>&1`.
    fn with_descriptor(&self, operator: usize) -> usize {
        let start = self.back(operator, |byte| byte.is_ascii_digit());
        let stands_alone = start
            .checked_sub(1)
            .and_then(|before| self.get(before))
            .is_none_or(|(byte, mark)| mark == Mark::Bare && byte.is_ascii_whitespace());
        if stands_alone { start } else { operator }
    }
}

/// Commands of the text itself, not of substitutions, functions or nested texts.
fn own(view: &View) -> impl Iterator<Item = &CommandView> {
    view.commands.iter().filter(|command| command.via.is_empty())
}

fn has_via(view: &View, wanted: impl Fn(&Via) -> bool) -> bool {
    view.commands.iter().any(|command| command.via.iter().any(&wanted))
}

fn is_too_large(view: &View) -> bool {
    view.opaque.iter().any(|opaque| opaque.what == OpaqueKind::TooLarge)
}

/// Whether the command shows its words to someone: by the text's words, or by the shell's.
fn publishes(text: &str, view: &View) -> bool {
    let shows = |words: &[&str]| {
        matches!(words, ["echo" | "printf", ..] | ["gh", "issue" | "pr", "create" | "comment" | "edit", ..])
    };
    let written: Vec<_> = text.split_whitespace().take(3).collect();
    shows(&written) || own(view).any(|command| shows(&first_words(command)))
}

/// Up to three words; the first without its folder.
fn first_words(command: &CommandView) -> Vec<&str> {
    let rest = command.words.iter().skip(1).take(2).map(|word| word.text.as_deref().unwrap_or(""));
    command.name().into_iter().chain(rest).collect()
}

/// Check 7.
fn finds_and_acts(text: &str, view: &View) -> bool {
    let mut written = text.split_whitespace();
    let acts = |word: &str| FIND_ACTIONS.contains(&word);
    if written.next() == Some("find") && written.any(acts) {
        return true;
    }
    own(view)
        .filter(|command| command.name() == Some("find"))
        .any(|command| command.words.iter().any(|word| word.text.as_deref().is_some_and(acts)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspect::inspect;

    #[test]
    fn long_commands_take_linear_time() {
        for part in ["2>&1 ", "$", "'a' ", "\\", ">/dev/null ", "a "] {
            judge(&part.repeat(50_000));
        }
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(1500))]

        /// Whatever passes is one command that opens no file for writing and substitutes nothing, as the shell reads it.
        #[test]
        fn what_is_clean_is_one_harmless_command(
            pieces in proptest::collection::vec(proptest::sample::select(vec![
                "echo ", "find ", "a", "é", " ", "'", "\"", "\\", "$", "$'", "$(", "(", ")", "`", "<", ">", ">>", "&", "&>", "|", ";", "\n", "\r",
                "2", "1", "-", "/dev/null", "{", "}", "#", " # ", "X", "$X", "${X}", "=", "-exec ", "!", "[[ ", "]]", "<<E\n", "E\n", "<<<",
            ]), 0..24)
        ) {
            let command = pieces.concat();
            if let GuardVerdict::Clean(text) = judge(&command) {
                let view = inspect(command.trim().as_bytes());
                assert!(own(&view).count() <= 1 && view.error.is_none(), "{command:?}");
                let to_files = view.commands.iter().flat_map(|command| &command.redirects).filter(|to| to.writes());
                assert!(to_files.into_iter().all(|to| to.target.text.as_deref() == Some("/dev/null")), "{command:?}");
                assert!(!has_via(&view, |via| matches!(via, Via::CommandSubstitution | Via::ProcessSubstitution)), "{command:?}");
                assert!(!text.trim().is_empty(), "{command:?}");
            }
        }
    }
}
