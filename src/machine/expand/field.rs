//! From a built word to fields: pathname expansion and quote removal; brace expansion of long sequences.

use super::super::builder::Finished;
use super::super::expansion::Expansion;
use super::super::halt::{Halt, Step};
use super::super::option::ShellOption;
use super::super::run::Run;
use super::super::shell::{Shell, State};
use super::super::work::LONG;
use crate::limit::{Limit, gauge};
use crate::pattern::{Pattern, PatternOptions};
use crate::program::{BraceError, Index, Program};
use crate::syntax::ast::WordPart;
use crate::text::Text;
use crate::utility::context::ticker::MeterTicker;
use std::num::NonZeroU32;

/// Results of a brace expansion that take long to make, and files that take long to look at.
const MANY: usize = 4096;
/// Results that are made for one unit of fuel.
const RESULTS_PER_FUEL: usize = 2;
/// Special characters of a pattern that has few directories to look at, as a rule.
const FEW_WILDCARDS: usize = 2;

/// How many results a brace expansion may have.
fn most_results(run: &Run) -> usize {
    usize::try_from(run.services.meter.limits().expansion_results).unwrap_or(usize::MAX).min(4_000_000)
}

/// Whether a brace expansion takes long, and so has to wait until the run may.
pub(crate) fn defers_braces(run: &Run, program: &Program, index: Index) -> bool {
    if run.services.meter.is_on_worker() {
        return false;
    }
    let is_short = program.braces.get(index as usize).is_none_or(|word| {
        let texts = crate::program::braces_of_text(word, most_results(run));
        texts.is_some_and(|texts| texts.is_ok_and(|texts| texts.len() <= MANY))
    });
    !is_short && !run.services.meter.may_take_long()
}

/// The halt for a match that its ticker stopped.
pub(crate) fn stopped(run: &Run) -> Halt {
    crate::utility::context::ticker::stopped(&run.services.meter).into()
}

/// Ends work that makes much of little once something was refused.
pub(crate) fn refused(run: &Run) -> Step {
    run.services.meter.failure().map_or(Ok(()), |error| Err(error.into()))
}

impl State {
    /// Whether `set -B` is in force.
    pub(crate) fn expands_braces(&self) -> bool {
        self.options.has(ShellOption::BraceExpand)
    }

    /// How patterns are read now; `nocasematch` counts for `case`, `[[` and `${x/p/r}`.
    pub(crate) fn pattern_options(&self, folds: bool) -> PatternOptions {
        let options = self.options;
        PatternOptions {
            extglob: options.has(ShellOption::ExtGlob),
            ignore_case: folds && options.has(ShellOption::NoCaseMatch),
            bytes: self.locale.bytes,
            ..PatternOptions::default()
        }
    }
}

impl Expansion {
    /// Ends the word: its fields join the command's.
    pub(crate) fn end_field(&mut self, shell: &mut Shell, run: &mut Run) -> Step {
        if let Some(text) = self.builder.take_plain() {
            self.fields.push(text);
            return Ok(());
        }
        if self.builder.is_empty() {
            self.builder.take_fields();
            return Ok(());
        }
        let fields = self.builder.take_finished();
        let count = self.fields.len() + fields.len();
        if count as u64 > run.services.meter.limits().expansion_results {
            return Err(run.services.meter.fail(Limit::ExpansionResults).into());
        }
        let globs = !shell.state.options.has(ShellOption::NoGlob);
        for field in fields {
            match field {
                Finished::Plain { text, .. } => self.fields.push(text),
                Finished::Mixed(field) if field.special && globs => {
                    self.expand_pathname(shell, run, &field)?;
                }
                Finished::Mixed(field) => self.fields.push(Text::from(field.bytes)),
            }
        }
        Ok(())
    }

    /// The pattern of an operator: a constant of the program, or what the builder has. `keep`: the builder is not one that
    /// was suspended for it (`case`).
    pub(crate) fn pattern(
        &mut self,
        shell: &mut Shell,
        program: &Program,
        constant: Option<NonZeroU32>,
        keep: bool,
    ) -> Pattern {
        let options = shell.state.pattern_options(keep);
        if let Some(constant) = constant.and_then(|index| program.patterns.get(index.get() as usize)) {
            return constant.compiled(options).into_owned();
        }
        let field = self.builder.take_joined();
        if !keep {
            self.builder = self.builders.pop().unwrap_or_default();
        }
        field.into_pattern(options)
    }

    /// Whether the word's end makes many fields, or looks at many files, perhaps, and so has to wait until the run may.
    pub(crate) fn defers_fields(&self, shell: &Shell, run: &Run) -> bool {
        let looks_at_many = self.builder.wildcards() > 0
            && !shell.state.options.has(ShellOption::NoGlob)
            && (self.builder.wildcards() > FEW_WILDCARDS
                || shell.state.options.has(ShellOption::GlobStar)
                || run.services.session.fs.usage().files > MANY as u64);
        (looks_at_many || self.builder.field_count() > MANY) && !run.services.meter.may_take_long()
    }

    /// A brace expansion with many results, without other expansions in it.
    pub(crate) fn brace_fields(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        program: &Program,
        index: Index,
    ) -> Step {
        let Some(word) = program.braces.get(index as usize) else { return Ok(()) };
        let most = most_results(run);
        if let Some(texts) = crate::program::braces_of_text(word, most) {
            let texts = texts.map_err(|_| run.services.meter.fail(Limit::ExpansionResults))?;
            let count = texts.len() + self.fields.len();
            if count > most {
                return Err(run.services.meter.fail(Limit::ExpansionResults).into());
            }
            // Short texts in a list that has room take no memory, but time.
            gauge::burn((texts.len() / RESULTS_PER_FUEL) as i64);
            for text in texts {
                self.fields.push(text);
                if gauge::is_refused() {
                    return Err(stopped(run));
                }
            }
            return Ok(());
        }
        // What is made is charged by the lists that hold it; here is only looked whether one was refused.
        let mut grow = |more: usize| {
            gauge::burn(more as i64);
            if gauge::is_refused() { Err(BraceError::Length) } else { Ok(()) }
        };
        let words = match crate::program::expand_braces(word, most, &mut grow) {
            Ok(words) => words,
            Err(BraceError::Length) => return Err(stopped(run)),
            Err(BraceError::Count) => return Err(run.services.meter.fail(Limit::ExpansionResults).into()),
            Err(BraceError::Depth) => return Err(run.services.meter.fail(Limit::SyntaxDepth).into()),
        };
        for word in &words {
            for part in &word.parts {
                match part {
                    WordPart::Literal(text) => self.builder.push_raw(text),
                    WordPart::Quoted(text) => self.builder.push_quoted(text),
                    WordPart::DoubleQuoted(parts) => {
                        self.builder.push_quoted(b"");
                        for part in parts {
                            match part {
                                WordPart::Quoted(text) | WordPart::Literal(text) => {
                                    self.builder.push_quoted(text);
                                }
                                part => self.brace_parameter(shell, run, part)?,
                            }
                        }
                    }
                    part => self.brace_parameter(shell, run, part)?,
                }
            }
            self.end_field(shell, run)?;
        }
        Ok(())
    }

    /// A plain `$name` beside a long brace expansion; anything else there is too much.
    fn brace_parameter(&mut self, shell: &mut Shell, run: &mut Run, part: &WordPart) -> Step {
        use crate::program::Quoting;
        use crate::syntax::ast::{Parameter, ParameterOperation};
        if let WordPart::Parameter(expansion) = part
            && let (Parameter::Variable(name), ParameterOperation::Value, false) =
                (&expansion.parameter, &expansion.operation, expansion.indirect)
        {
            let id = run.services.names.intern(name);
            // The word is one of many that are made without a pause.
            if let Some(text) = shell.scalar(run, id).filter(|text| text.len() > LONG) {
                self.append_text(shell, &text, Quoting::Quoted);
                return refused(run);
            }
            return self.append_variable(shell, run, id, Quoting::Quoted);
        }
        Err(run.services.meter.fail(Limit::ExpansionResults).into())
    }
}

/// Whether a pattern matches a text, counted as work of the run.
pub(crate) fn matches(run: &Run, pattern: &Pattern, text: &[u8]) -> Step<bool> {
    let mut ticker = MeterTicker::new(&run.services.meter);
    pattern.matches(text, &mut ticker).map_err(|_| stopped(run))
}
