//! From a built word to fields: pathname expansion and quote removal; brace expansion of long sequences.

use super::super::builder::Finished;
use super::super::option::ShellOption;
use super::super::process::{Halt, Process, Step};
use super::super::run::Run;
use crate::limit::Limit;
use crate::pattern::{Pattern, PatternOptions};
use crate::program::{BraceError, Index, Program, UNIT_BYTES};
use crate::syntax::ast::WordPart;
use crate::text::Text;
use crate::utility::ticker::MeterTicker;
use std::num::NonZeroU32;

/// The halt for a match that its ticker stopped.
pub(crate) fn stopped(run: &Run) -> Halt {
    crate::utility::ticker::stopped(&run.services.meter).into()
}

impl Process {
    /// Ends the word: its fields join the command's.
    pub(crate) fn end_field(&mut self, run: &mut Run) -> Step {
        if let Some(text) = self.x.builder.take_plain() {
            self.x.fields.push(text);
            return Ok(());
        }
        if self.x.builder.is_empty() {
            self.x.builder.take_fields();
            return Ok(());
        }
        let fields = self.x.builder.take_finished();
        let count = self.x.fields.len() + fields.len();
        if count as u64 > run.services.meter.limits().expansion_results {
            return Err(run.services.meter.fail(Limit::ExpansionResults).into());
        }
        self.bytes.set((count * size_of::<Text>()) as u64)?;
        let globs = !self.shell.state.options.has(ShellOption::NoGlob);
        for field in fields {
            match field {
                Finished::Plain { text, .. } => self.x.fields.push(text),
                Finished::Mixed(field) if field.special && globs => self.expand_pathname(run, &field)?,
                Finished::Mixed(field) => self.x.fields.push(Text::from(field.bytes)),
            }
        }
        Ok(())
    }

    /// The pattern of an operator: a constant of the program, or what the builder has. `keep`: the builder is not one that
    /// was suspended for it (`case`).
    pub(crate) fn pattern(
        &mut self,
        run: &mut Run,
        program: &Program,
        constant: Option<NonZeroU32>,
        keep: bool,
    ) -> Step<Pattern> {
        let _ = run;
        let options = self.pattern_options(keep);
        if let Some(constant) = constant.and_then(|index| program.patterns.get(index.get() as usize)) {
            return Ok(constant.compiled(options).into_owned());
        }
        let field = self.x.builder.take_joined();
        if !keep {
            self.x.builder = self.x.builders.pop().unwrap_or_default();
        }
        Ok(field.pattern(options))
    }

    /// How patterns are read now; `nocasematch` counts for `case`, `[[` and `${x/p/r}`.
    pub(crate) fn pattern_options(&self, folds: bool) -> PatternOptions {
        let options = self.shell.state.options;
        PatternOptions {
            extglob: options.has(ShellOption::ExtGlob),
            ignore_case: folds && options.has(ShellOption::NoCaseMatch),
            bytes: self.shell.state.locale.bytes,
            ..PatternOptions::default()
        }
    }

    pub(crate) fn matches(&mut self, run: &mut Run, pattern: &Pattern, text: &[u8]) -> Step<bool> {
        let mut ticker = MeterTicker::new(&run.services.meter);
        pattern.matches(text, &mut ticker).map_err(|_| stopped(run))
    }

    /// A brace expansion with many results, without other expansions in it.
    pub(crate) fn brace_fields(&mut self, run: &mut Run, program: &Program, index: Index) -> Step {
        let Some(word) = program.braces.get(index as usize) else { return Ok(()) };
        let most = usize::try_from(run.services.meter.limits().expansion_results).unwrap_or(usize::MAX);
        let most = most.min(4_000_000);
        if let Some(texts) = crate::program::braces_of_text(word, most) {
            let (texts, length) = texts.map_err(|_| run.services.meter.fail(Limit::ExpansionResults))?;
            let count = texts.len() + self.x.fields.len();
            if count > most {
                return Err(run.services.meter.fail(Limit::ExpansionResults).into());
            }
            let each = size_of::<Text>() + if length > 24 { length } else { 0 };
            self.bytes.set(count.saturating_mul(each) as u64)?;
            self.x.fields.extend(texts);
            return Ok(());
        }
        let mut held = run.services.meter.empty_charge();
        let mut units = 0_u64;
        let mut grow = |more: usize| {
            units = units.saturating_add(more as u64);
            // In large steps: the meter is asked seldom.
            let bytes = units.saturating_mul(UNIT_BYTES).div_ceil(1 << 20).saturating_mul(1 << 20);
            if bytes <= held.bytes() { Ok(()) } else { held.set(bytes).map_err(|_| BraceError::Length) }
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
                    WordPart::Literal(text) => self.x.builder.push_raw(text),
                    WordPart::Quoted(text) => self.x.builder.push_quoted(text),
                    WordPart::DoubleQuoted(parts) => {
                        self.x.builder.push_quoted(b"");
                        for part in parts {
                            match part {
                                WordPart::Quoted(text) | WordPart::Literal(text) => {
                                    self.x.builder.push_quoted(text);
                                }
                                part => self.brace_parameter(run, part)?,
                            }
                        }
                    }
                    part => self.brace_parameter(run, part)?,
                }
            }
            self.end_field(run)?;
        }
        drop(held);
        self.bytes.set(units.max(self.x.fields.len() as u64 * size_of::<Text>() as u64))?;
        Ok(())
    }

    /// A plain `$name` beside a long brace expansion; anything else there is too much.
    fn brace_parameter(&mut self, run: &mut Run, part: &WordPart) -> Step {
        use crate::program::Quoting;
        use crate::syntax::ast::{Parameter, ParameterOperation};
        if let WordPart::Parameter(expansion) = part
            && let (Parameter::Variable(name), ParameterOperation::Value, false) =
                (&expansion.parameter, &expansion.operation, expansion.indirect)
        {
            let id = run.services.names.intern(name);
            return self.append_variable(run, id, Quoting::Quoted);
        }
        Err(run.services.meter.fail(Limit::ExpansionResults).into())
    }
}
