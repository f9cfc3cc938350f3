//! Operators of parameter expansion: trim, replace, case, substring. Bash manual 3.5.3.

use super::super::expansion::{Expansion, Target};
use super::super::halt::{Halt, Step};
use super::super::option::ShellOption;
use super::super::pending::Done;
use super::super::run::Run;
use super::super::shell::{Shell, State};
use super::super::variable::Value;
use super::super::work::Paced;
use super::change::{Change, Piece, Replacement, copied};
use super::field::refused;
use crate::character;
use crate::machine::error::ExpansionError;
use crate::machine::pending::ListOf;
use crate::memory::{Vec, vec};
use crate::pattern::Pattern;
use crate::program::{Index, Pc, Program, Quoting};
use crate::syntax::ast::{AllElements, CaseOperator, ReplaceScope};
use crate::text::Text;

impl State {
    /// The replacement's pieces: literal text, and unquoted `&` for what matched.
    fn replacement(&self, field: &super::super::builder::Field) -> Vec<Piece> {
        if !self.options.has(ShellOption::PatSubReplacement) {
            return vec![Piece::Literal(Text::from(field.bytes.as_slice()))];
        }
        let mut pieces = Vec::new();
        let mut literal = Vec::new();
        for (bytes, quoted) in field.stretches() {
            if quoted {
                literal.extend_from_slice(bytes);
                continue;
            }
            let mut bytes = bytes.iter().copied().peekable();
            while let Some(byte) = bytes.next() {
                match byte {
                    b'\\' if matches!(bytes.peek(), Some(b'&' | b'\\')) => literal.extend(bytes.next()),
                    b'&' => {
                        pieces.push(Piece::Literal(Text::from(std::mem::take(&mut literal))));
                        pieces.push(Piece::Match);
                    }
                    byte => literal.push(byte),
                }
            }
        }
        pieces.push(Piece::Literal(Text::from(literal)));
        pieces
    }
}

/// Whether a pattern begins with `*` and ends with a quoted one: `*\*`. Bash first asks whether the pattern is anywhere in
/// the value, and takes that last star for one that matches all that follows: it is found only where a star ends the value.
fn ends_in_star(pattern: &super::super::builder::Field, extglob: bool) -> bool {
    let begins = match pattern.stretches().next() {
        Some(([b'*', b'(', ..], false)) => !extglob,
        Some(([b'*', ..], false)) => true,
        _ => false,
    };
    begins
        && match pattern.stretches().last() {
            Some(([.., b'*'], true)) => true,
            Some(([before @ .., b'*'], false)) => {
                before.iter().rev().take_while(|&&byte| byte == b'\\').count() % 2 == 1
            }
            _ => false,
        }
}

impl Shell {
    /// Where `${target:offset}` begins; `None`: out of range, bash does not look at the length.
    fn slice_start(&mut self, run: &mut Run, target: &Target, offset: i64) -> Option<i64> {
        let count = match target {
            Target::Special(b'@' | b'*') => self.state.positional.len().saturating_add(1),
            Target::Elements(id, _) => match self.value_of(run, *id) {
                Value::Array(array) => usize::try_from(array.end()).unwrap_or(usize::MAX),
                Value::Assoc(assoc) => assoc.len(),
                value => value.text().map_or(0, |text| character::count(&text)),
            },
            target => self.target_text(run, target).map_or(0, |text| character::count(&text)),
        };
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let start = if offset < 0 { count.saturating_add(offset) } else { offset };
        (0..=count).contains(&start).then_some(start)
    }

    /// The error of a length that is not valid: it shows its source.
    fn negative_length(&mut self, program: &Program, shown: Option<Index>) -> Halt {
        let text = shown.map_or(Text::EMPTY, |shown| program.text(shown));
        self.report(ExpansionError::NegativeLength(text));
        Halt::Discard(1)
    }
}

impl Expansion {
    /// Pops the target and appends each of its values as `change` makes it. `lists`: what a list of elements is then, and
    /// one of parameters.
    pub(crate) fn append_changed(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        quoting: Quoting,
        lists: (ListOf, ListOf),
        change: Change,
    ) -> Step {
        let (target, source) = self.pop_target();
        if let Some(kind) = target.list_kind() {
            let list = if matches!(target, Target::Elements(..)) { lists.0 } else { lists.1 };
            let mut values = shell.target_values(run, &target);
            if change.is_long(values.iter().map(|value| value.len()), values.len()) {
                let mut pace = Paced::new(run);
                self.start_work(async move {
                    for value in &mut values {
                        *value = change.of(value, &mut pace).await?;
                        copied(value.len(), &mut pace).await?;
                    }
                    Ok(Done::List { values, kind, quoting, list })
                });
                return Ok(());
            }
            for value in &mut values {
                *value = change.at_once(run, value)?;
            }
            return self.append_list(shell, run, &values, kind, quoting, list);
        }
        match shell.target_text(run, &target) {
            Some(text) => {
                if change.is_long([text.len()], 1) {
                    let mut pace = Paced::new(run);
                    self.start_work(
                        async move { Ok(Done::Text(change.of(&text, &mut pace).await?, quoting)) },
                    );
                    return Ok(());
                }
                let changed = change.at_once(run, &text)?;
                self.append_text(shell, &changed, quoting);
                refused(run)
            }
            None => shell.check_unset_parameter(run, &target, source),
        }
    }

    /// Before the words of an operator: see [`crate::program::Op::SkipWords`].
    pub(crate) fn skip_words(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        null: bool,
        slice: bool,
        end: Pc,
    ) -> Step {
        if let Some((Target::Variable(id), _)) = self.targets.last()
            && let Value::Text(text) = &shell.variables.slot(*id).value
            && !(null && text.is_empty())
        {
            return Ok(());
        }
        let Some((target, source)) = self.targets.last().cloned() else { return Ok(()) };
        let skips = match &target {
            // `${@:0}` has `$0`.
            Target::Special(b'@' | b'*') if slice => false,
            Target::Special(b'@' | b'*') | Target::Elements(..) => {
                let values = shell.target_values(run, &target);
                values.is_empty() || null && matches!(values.as_slice(), [only] if only.is_empty())
            }
            target => match shell.target_text(run, target) {
                Some(text) => null && text.is_empty(),
                None => {
                    shell.check_unset_parameter(run, target, source)?;
                    true
                }
            },
        };
        if skips {
            self.targets.pop();
            shell.code.pc = end;
        }
        Ok(())
    }

    /// Between offset and length: see [`crate::program::Op::SkipLength`].
    pub(crate) fn skip_length(&mut self, shell: &mut Shell, run: &mut Run, end: Pc) {
        let (Some(&offset), Some((target, _))) = (self.numbers.last(), self.targets.last().cloned()) else {
            return;
        };
        if shell.slice_start(run, &target, offset).is_none() {
            self.targets.pop();
            self.numbers.pop();
            shell.code.pc = end;
        }
    }

    /// `${x#p}` and its kin.
    pub(crate) fn trim(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        prefix: bool,
        longest: bool,
        quoting: Quoting,
        pattern: Pattern,
    ) -> Step {
        let lists = (ListOf::ElementsTrimmed, ListOf::ParametersTrimmed);
        self.append_changed(shell, run, quoting, lists, Change::Trim { pattern, prefix, longest })
    }

    /// `${x/p/r}` and its kin: the builders have the pattern and, if given, the replacement.
    pub(crate) fn replace(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        scope: ReplaceScope,
        replacement: bool,
        quoting: Quoting,
    ) -> Step {
        let string = if replacement {
            let field = self.builder.take_joined();
            self.builder = self.builders.pop().unwrap_or_default();
            shell.state.replacement(&field)
        } else {
            Vec::new()
        };
        let field = self.builder.take_joined();
        self.builder = self.builders.pop().unwrap_or_default();
        // An anchor may come from an expansion: `p='#a'; ${v/$p/x}`.
        let anchor = match field.stretches().next() {
            Some((bytes, false)) if scope == ReplaceScope::First => bytes.first().copied(),
            _ => None,
        };
        let (scope, field) = match anchor {
            Some(b'#') => (ReplaceScope::Prefix, field.without_first()),
            Some(b'%') => (ReplaceScope::Suffix, field.without_first()),
            _ => (scope, field),
        };
        let pattern = field.pattern(shell.state.pattern_options(true));
        let empty_pattern = field.bytes.is_empty();
        // Of all patterns only those that begin with `*` match an empty value; at its end those with `?(` and `!(` too.
        let ends = scope == ReplaceScope::Suffix;
        let matches_nothing = empty_pattern
            || match field.stretches().next() {
                Some(([b'*', ..], false)) => true,
                Some(([b'?' | b'!', b'(', ..], false)) => ends,
                _ => false,
            };
        let ends_in_star = ends_in_star(&field, shell.state.options.has(ShellOption::ExtGlob));
        let lists = (ListOf::Changed, ListOf::Changed);
        let replacement =
            Replacement { pattern, scope, string, empty_pattern, matches_nothing, ends_in_star };
        self.append_changed(shell, run, quoting, lists, Change::Replace(replacement))
    }

    /// `${x^p}` and its kin.
    pub(crate) fn change_case(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        operator: CaseOperator,
        pattern: bool,
        quoting: Quoting,
    ) -> Step {
        let pattern = if pattern {
            let field = self.builder.take_joined();
            self.builder = self.builders.pop().unwrap_or_default();
            Some(field.pattern(shell.state.pattern_options(false))).filter(|_| !field.bytes.is_empty())
        } else {
            None
        };
        let ascii = shell.state.locale.bytes;
        let lists = (ListOf::Changed, ListOf::Changed);
        self.append_changed(shell, run, quoting, lists, Change::Case { operator, pattern, ascii })
    }

    /// `${x:offset:length}`: the numbers are on the stack.
    pub(crate) fn substring(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        program: &Program,
        shown: Option<Index>,
        quoting: Quoting,
    ) -> Step {
        let length = shown.and_then(|_| self.numbers.pop());
        let offset = self.numbers.pop().unwrap_or(0);
        let (target, source) = self.pop_target();
        let scalar = match &target {
            // Of a variable that is not an array `${v[@]:1}` is a substring.
            Target::Elements(id, _) => {
                let value = shell.value_of(run, *id);
                matches!(value, Value::Text(_) | Value::Integer(_))
            }
            _ => false,
        };
        if let (Some(kind), false) = (target.list_kind(), scalar) {
            {
                let negative = length.is_some_and(|length| length < 0);
                if negative && shell.slice_start(run, &target, offset).is_some() {
                    return Err(shell.negative_length(program, shown));
                }
                return self.slice(shell, run, &target, kind, (offset, length), quoting);
            }
        }
        let Some(text) = shell.target_text(run, &target) else {
            return shell.check_unset_parameter(run, &target, source);
        };
        let bytes = shell.state.counts_bytes(&text);
        let count = if bytes { text.len() } else { character::count(&text) } as i64;
        let start = if offset < 0 { count.saturating_add(offset) } else { offset };
        if start < 0 || start > count {
            return Ok(());
        }
        let end = match length {
            None => count,
            Some(length) if length < 0 => {
                let end = count.saturating_add(length);
                if end < start {
                    return Err(shell.negative_length(program, shown));
                }
                end
            }
            Some(length) => start.saturating_add(length).min(count),
        };
        let (from, to) = if bytes || text.is_ascii() {
            (start as usize, end as usize)
        } else {
            (character::offset_of(&text, start as usize), character::offset_of(&text, end as usize))
        };
        self.append_text(shell, text.get(from..to).unwrap_or(&[]), quoting);
        Ok(())
    }

    /// `${@:offset:length}`, `${a[@]:offset:length}`.
    fn slice(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        target: &Target,
        kind: AllElements,
        (offset, length): (i64, Option<i64>),
        quoting: Quoting,
    ) -> Step {
        let length = length.map_or(usize::MAX, |length| usize::try_from(length).unwrap_or(0));
        let values: Vec<Text> = match target {
            Target::Special(_) => {
                let mut all = vec![shell.state.invoked.arg0.clone()];
                all.extend_from_slice(shell.state.positional.as_slice());
                let start = if offset < 0 { all.len() as i64 + offset } else { offset };
                match usize::try_from(start) {
                    Ok(start) => all.into_iter().skip(start).take(length).collect(),
                    Err(_) => Vec::new(),
                }
            }
            Target::Elements(id, _) => match shell.value_of(run, *id) {
                super::super::variable::Value::Array(array) => {
                    let start = if offset < 0 { (array.end() as i64).saturating_add(offset) } else { offset };
                    match u64::try_from(start) {
                        Ok(start) => array
                            .iter()
                            .skip_while(|(index, _)| *index < start)
                            .take(length)
                            .map(|(_, value)| value.clone())
                            .collect(),
                        Err(_) => Vec::new(),
                    }
                }
                _ => {
                    let all = shell.target_values(run, target);
                    let start = if offset < 0 { all.len() as i64 + offset } else { offset };
                    // Bash counts the values of an associative array from 1.
                    let start = if shell.variables.is_associative(*id) { (start - 1).max(0) } else { start };
                    match usize::try_from(start) {
                        Ok(start) => all.into_iter().skip(start).take(length).collect(),
                        Err(_) => Vec::new(),
                    }
                }
            },
            _ => Vec::new(),
        };
        self.append_list(shell, run, &values, kind, quoting, ListOf::Slice)
    }
}
