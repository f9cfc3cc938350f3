//! `[[ ]]`: tests of words. File tests and comparisons are shared with `test`. Bash manual 6.4.

use super::super::array::Array;
use super::super::builder::Field;
use super::super::expansion::Target;
use super::super::halt::{Halt, Step};
use super::super::name;
use super::super::option::{self, ShellOption};
use super::super::pending::Done;
use super::super::process::Process;
use super::super::run::Run;
use super::super::shell::{Shell, State};
use super::super::variable::Value;
use super::super::work::{LONG, Paced};
use super::field::stopped;
use crate::character;
use crate::limit::gauge;
use crate::memory::{Arc, JoinMetered, ToMetered, Vec};
use crate::program::{ArithmeticContext, Op};
use crate::syntax::ast::ConditionalOperator;
use crate::text::Text;
use crate::utility::context::ticker::{MeterTicker, regex_options};
use crate::utility::regex::RegexOptions;

/// A word of a test as `set -x` shows it.
fn traced(text: &[u8]) -> &[u8] {
    if text.is_empty() { b"''" } else { text }
}

/// An operator as it is written.
const fn operator_text(operator: ConditionalOperator) -> &'static str {
    match operator {
        ConditionalOperator::Match => "==",
        ConditionalOperator::NotMatch => "!=",
        ConditionalOperator::Regex => "=~",
        ConditionalOperator::Before => "<",
        ConditionalOperator::After => ">",
        ConditionalOperator::Equal => "-eq",
        ConditionalOperator::NotEqual => "-ne",
        ConditionalOperator::Less => "-lt",
        ConditionalOperator::LessOrEqual => "-le",
        ConditionalOperator::Greater => "-gt",
        ConditionalOperator::GreaterOrEqual => "-ge",
        ConditionalOperator::SameFile => "-ef",
        ConditionalOperator::Newer => "-nt",
        ConditionalOperator::Older => "-ot",
    }
}

impl State {
    /// `-ef`, `-nt`, `-ot`
    pub(crate) fn compare_files(
        &mut self,
        run: &mut Run,
        operator: ConditionalOperator,
        left: &[u8],
        right: &[u8],
    ) -> bool {
        let fs = &run.services.session.fs;
        let metadata = |path: &[u8]| fs.metadata(&self.absolute(fs, path)).ok();
        match (operator, metadata(left), metadata(right)) {
            (ConditionalOperator::SameFile, Some(left), Some(right)) => left.inode == right.inode,
            (ConditionalOperator::Newer, Some(left), Some(right)) => left.modified > right.modified,
            (ConditionalOperator::Newer, Some(_), None) => true,
            (ConditionalOperator::Older, Some(left), Some(right)) => left.modified < right.modified,
            (ConditionalOperator::Older, None, Some(_)) => true,
            _ => false,
        }
    }
}

impl Shell {
    /// A unary operator of `[[` and `test`.
    pub(crate) fn test_unary(&mut self, run: &mut Run, operator: u8, text: &Text) -> Step<bool> {
        use crate::vfs::FileKind;
        let fs = std::sync::Arc::clone(&run.services.session.fs);
        let path = self.state.absolute(&fs, text);
        let metadata = |follow: bool| {
            if text.is_empty() {
                return None;
            }
            if follow { fs.metadata(&path).ok() } else { fs.symlink_metadata(&path).ok() }
        };
        let descriptor = descriptor_of_path(text);
        Ok(match operator {
            b'z' => text.is_empty(),
            b'n' => !text.is_empty(),
            b'a' | b'e' => match &descriptor {
                Some(number) => self.state.descriptors.get(*number).is_some(),
                None => metadata(true).is_some(),
            },
            b'f' => metadata(true).is_some_and(|file| file.is_regular()),
            b'd' => metadata(true).is_some_and(|file| file.is_directory()),
            b'h' | b'L' => metadata(false).is_some_and(|file| file.is_symlink()),
            b's' => metadata(true).is_some_and(|file| file.size > 0),
            b'p' => match &descriptor {
                Some(number) => self.state.descriptors.get(*number).is_some_and(|open| open.is_pipe()),
                None => metadata(true).is_some_and(|file| file.kind == FileKind::Fifo),
            },
            b'c' => metadata(true).is_some_and(|file| file.kind == FileKind::CharDevice),
            b'b' | b'S' => false,
            b'u' => metadata(true).is_some_and(|file| file.mode & 0o4000 != 0),
            b'g' => metadata(true).is_some_and(|file| file.mode & 0o2000 != 0),
            b'k' => metadata(true).is_some_and(|file| file.mode & 0o1000 != 0),
            b'r' => !text.is_empty() && fs.access(&path, true, false, false).is_ok(),
            b'w' => !text.is_empty() && fs.access(&path, false, true, false).is_ok(),
            b'x' => !text.is_empty() && fs.access(&path, false, false, true).is_ok(),
            b'O' => metadata(true).is_some_and(|file| file.uid == run.services.session.identity.uid),
            b'G' => metadata(true).is_some_and(|file| file.gid == run.services.session.identity.gid),
            b'N' => metadata(true).is_some_and(|file| file.modified > file.accessed),
            b't' => false,
            b'o' => option::find(text, true).is_some_and(|option| self.state.options.has(option)),
            b'v' => match self.parse_reference(run, text)? {
                Some(Target::Elements(id, _)) => match self.value_of(run, id) {
                    Value::Array(array) => array.len() > 0,
                    Value::Assoc(assoc) => assoc.len() > 0 || assoc.get(b"@").is_some(),
                    value => value.text().is_some(),
                },
                Some(target) => self.target_text(run, &target).is_some(),
                None => false,
            },
            b'R' => {
                let id = run.services.names.find(text);
                id.is_some_and(|id| {
                    let slot = self.variables.slot(id);
                    slot.attributes.has(super::super::variable::Attributes::NAMEREF)
                        && slot.value != Value::Unset
                })
            }
            _ => false,
        })
    }

    /// `[[ text =~ regex ]]`; sets `BASH_REMATCH`. `None`: the regex is not valid.
    fn match_regex(
        &mut self,
        run: &mut Run,
        text: &[u8],
        right: &super::super::builder::Field,
    ) -> Step<Option<bool>> {
        let mut source = Vec::with_capacity(right.bytes.len());
        for (bytes, quoted) in right.stretches() {
            // Before bash 3.2 quotes meant nothing here.
            if quoted && !self.state.options.has(ShellOption::Compat31) {
                for &byte in bytes {
                    if memchr::memchr(byte, b"\\^$.[]|()*+?{}").is_some() {
                        source.push(b'\\');
                    }
                    source.push(byte);
                }
            } else {
                source.extend_from_slice(bytes);
            }
        }
        let options = RegexOptions {
            ignore_case: self.state.options.has(ShellOption::NoCaseMatch),
            ..regex_options(&run.services.meter)
        };
        let Some(regex) = run.services.cache.regex(&source, &options) else {
            // bash says nothing of an expression that is not valid; one past a limit is no such.
            return if run.services.meter.failure().is_some() { Err(stopped(run)) } else { Ok(None) };
        };
        let mut groups = Vec::new();
        let matched = regex
            .captures_at_ticked(text, 0, &mut groups, &mut MeterTicker::new(&run.services.meter))
            .map_err(|_| stopped(run))?;
        let mut array = Array::default();
        if matched {
            for group in &groups {
                let found = group.and_then(|(start, end)| text.get(start..end)).unwrap_or(&[]);
                array.push(Text::from(found));
            }
        }
        self.variables.set_plain(name::BASH_REMATCH, Value::Array(Arc::new(array)));
        Ok(Some(matched))
    }
}

impl Process {
    /// `[[ word ]]`
    pub(crate) fn conditional_word(&mut self, run: &mut Run) {
        let text = self.x.builder.take_text();
        if self.shell.state.options.has(ShellOption::XTrace) {
            let line = [b"-n ".as_slice(), traced(&text)].concat_metered();
            self.trace_test(run, &line);
        }
        self.shell.state.status = u8::from(text.is_empty());
    }

    /// Traces one test of `[[ ]]`, with the `!` before it.
    fn trace_test(&mut self, run: &mut Run, test: &[u8]) {
        let negated =
            matches!(self.shell.code.program.code.get(self.shell.code.pc as usize), Some(Op::Negate));
        let sign: &[u8] = if negated { b"! " } else { b"" };
        self.trace_line(run, &[b"[[ ", sign, test, b" ]]"].concat_metered());
    }

    fn trace_comparison(&mut self, run: &mut Run, operator: ConditionalOperator, left: &[u8], right: &Field) {
        let mut line = traced(left).to_metered();
        line.push(b' ');
        line.extend_from_slice(operator_text(operator).as_bytes());
        line.push(b' ');
        if right.bytes.is_empty() {
            line.extend_from_slice(b"''");
        }
        let escapes = matches!(
            operator,
            ConditionalOperator::Match | ConditionalOperator::NotMatch | ConditionalOperator::Regex
        );
        let every = operator != ConditionalOperator::Regex;
        let by_bytes = self.shell.state.locale.bytes;
        for (bytes, quoted) in right.stretches() {
            let mut rest = bytes;
            while let Some((_, length)) = character::unit_at(rest, 0) {
                let length = if by_bytes { 1 } else { length };
                let (character, behind) = rest.split_at_checked(length).unwrap_or((rest, &[]));
                rest = behind;
                let is_special = every || character.iter().any(|byte| b"\\.[^$()*+?{|".contains(byte));
                if quoted && escapes && is_special {
                    line.push(b'\\');
                }
                line.extend_from_slice(character);
            }
        }
        self.trace_test(run, &line);
    }

    /// `[[ -x word ]]`
    pub(crate) fn conditional_unary(&mut self, run: &mut Run, operator: u8) -> Step {
        self.x.builder.forget_joins();
        let text = self.x.builder.take_text();
        if self.shell.state.options.has(ShellOption::XTrace) {
            let line = [b"-".as_slice(), &[operator], b" ", traced(&text)].concat_metered();
            self.trace_test(run, &line);
        }
        let result = self.shell.test_unary(run, operator, &text)?;
        self.shell.state.set_status(u8::from(!result));
        Ok(())
    }

    /// `[[ left op right ]]`
    pub(crate) fn conditional_binary(&mut self, run: &mut Run, operator: ConditionalOperator) -> Step {
        let right = self.x.builder.take_joined();
        self.x.builder = self.x.builders.pop().unwrap_or_default();
        self.x.builder.forget_joins();
        let left = self.x.builder.take_text();
        if self.shell.state.options.has(ShellOption::XTrace) {
            self.trace_comparison(run, operator, &left, &right);
        }
        let result = match operator {
            ConditionalOperator::Match | ConditionalOperator::NotMatch => {
                let mut options = self.shell.state.pattern_options(true);
                options.extglob = true;
                let wanted = operator == ConditionalOperator::Match;
                let matched = if right.is_literal(options) {
                    gauge::spend_bytes(left.len().min(right.bytes.len()));
                    *left == *right.bytes
                } else if left.len() > LONG {
                    let pattern = right.into_pattern(options);
                    let mut pace = Paced::new(run);
                    self.x.start_work(async move {
                        Ok(Done::Test(pattern.matches_paced(&left, &mut pace).await? == wanted))
                    });
                    return Ok(());
                } else {
                    super::field::matches(run, &right.into_pattern(options), &left)?
                };
                matched == wanted
            }
            ConditionalOperator::Regex => match self.shell.match_regex(run, &left, &right)? {
                Some(matched) => matched,
                None => {
                    self.shell.state.set_status(2);
                    return Ok(());
                }
            },
            ConditionalOperator::Before => left.as_bytes() < right.bytes.as_slice(),
            ConditionalOperator::After => left.as_bytes() > right.bytes.as_slice(),
            ConditionalOperator::SameFile | ConditionalOperator::Newer | ConditionalOperator::Older => {
                self.shell.state.compare_files(run, operator, &left, &right.bytes)
            }
            number => {
                self.shell.arithmetic.prefix = Some("[[");
                let numbers = self
                    .shell
                    .evaluate_text(run, &left, 0)
                    .and_then(|left| Ok((left, self.shell.evaluate_text(run, &right.bytes, 0)?)));
                self.shell.arithmetic.prefix = None;
                match numbers {
                    Ok((left, right)) => compare(number, left, right),
                    Err(Halt::Discard(status))
                        if self.shell.arithmetic.context == ArithmeticContext::Subscript
                            && memchr::memchr2(b'$', b'`', &left).is_none() =>
                    {
                        self.shell.arithmetic.context = ArithmeticContext::Plain;
                        return Err(Halt::Abandon(status));
                    }
                    Err(Halt::Discard(_)) => false,
                    Err(halt) => return Err(halt),
                }
            }
        };
        self.shell.state.set_status(u8::from(!result));
        Ok(())
    }
}

/// `-eq` and its kin.
pub(crate) fn compare(operator: ConditionalOperator, left: i64, right: i64) -> bool {
    match operator {
        ConditionalOperator::Equal => left == right,
        ConditionalOperator::NotEqual => left != right,
        ConditionalOperator::Less => left < right,
        ConditionalOperator::LessOrEqual => left <= right,
        ConditionalOperator::Greater => left > right,
        ConditionalOperator::GreaterOrEqual => left >= right,
        _ => false,
    }
}

/// The descriptor that `/dev/fd/N`, `/dev/stdin` and the like name.
fn descriptor_of_path(path: &[u8]) -> Option<u32> {
    match path {
        b"/dev/stdin" => Some(0),
        b"/dev/stdout" => Some(1),
        b"/dev/stderr" => Some(2),
        path => std::str::from_utf8(path.strip_prefix(b"/dev/fd/")?).ok()?.parse().ok(),
    }
}
