//! The values of parameters. Bash manual 3.4, 3.5.3.

use crate::limit::gauge;
use crate::machine::error::ExpansionError;
use crate::machine::expansion::Target;
use crate::machine::name::NameId;
use crate::machine::run::Run;
use crate::machine::shell::Shell;
use crate::machine::variable::{Attributes, Value, decimal};
use crate::memory::{ToMetered, Vec};
use crate::program::{Index, Quoting};
use crate::syntax::ast::AllElements;
use crate::text::Text;

impl Shell {
    /// The text of a variable: an array's element 0.
    pub(crate) fn scalar(&mut self, run: &mut Run, id: NameId) -> Option<Text> {
        let slot = self.variables.slot(id);
        match &slot.value {
            Value::Text(text) if !slot.attributes.has(Attributes::NAMEREF) => Some(text.clone()),
            Value::Integer(number) => Some(decimal(*number)),
            Value::Dynamic => self.dynamic(run, id).and_then(|value| value.text()),
            Value::Text(target) if self.variables.scope() > 0 && *target == self.variables.names.text(id) => {
                // A local reference to its own name: the variable of the caller.
                for _ in 0..2 {
                    let text = run.services.names.text(id);
                    self.report(ExpansionError::CircularReference(text));
                }
                self.variables.saved(id).and_then(|slot| slot.value.text())
            }
            _ if slot.attributes.has(Attributes::NAMEREF) => match self.dereference(run, id) {
                Target::Variable(found) if found != id => self.scalar_once(run, found),
                Target::Variable(_) => None,
                target => self.target_text(run, &target),
            },
            value => value.text(),
        }
    }

    fn scalar_once(&mut self, run: &mut Run, id: NameId) -> Option<Text> {
        match &self.variables.slot(id).value {
            Value::Dynamic => self.dynamic(run, id).and_then(|value| value.text()),
            value => value.text(),
        }
    }

    /// The value of a variable with namerefs followed; dynamic ones are computed.
    pub(crate) fn value_of(&mut self, run: &mut Run, id: NameId) -> Value {
        match self.dereference(run, id) {
            Target::Variable(id) => match &self.variables.slot(id).value {
                Value::Dynamic => self.dynamic(run, id).unwrap_or_default(),
                value => value.clone(),
            },
            target => self.target_text(run, &target).map_or(Value::Unset, Value::Text),
        }
    }

    /// The text of a target that is one value; `None` when it is unset.
    pub(crate) fn target_text(&mut self, run: &mut Run, target: &Target) -> Option<Text> {
        match target {
            Target::Variable(id) => self.scalar(run, *id),
            Target::Index(id, index) => match self.value_of(run, *id) {
                Value::Array(array) => array.get(*index).cloned(),
                value if *index == 0 => value.text(),
                _ => None,
            },
            Target::Key(id, key) => match self.value_of(run, *id) {
                Value::Assoc(assoc) => assoc.get(key).cloned(),
                _ => None,
            },
            Target::Positional(0) => Some(self.state.invoked.arg0.clone()),
            Target::Positional(number) => self.state.positional.get(*number).cloned(),
            Target::Special(special) => self.special(run, *special),
            Target::Elements(..) => {
                let values = self.target_values(run, target);
                if values.is_empty() { None } else { Some(joined(&values, b" ")) }
            }
            Target::Referent(text) => Some(text.clone()),
            Target::Nothing => None,
        }
    }

    /// `$?` and its kin.
    fn special(&mut self, run: &mut Run, special: u8) -> Option<Text> {
        let state = &self.state;
        Some(match special {
            b'?' => decimal(i64::from(state.status)),
            b'#' => decimal(state.positional.len() as i64),
            b'$' => decimal(i64::from(state.ids.shell)),
            b'!' => decimal(i64::from(state.ids.background?)),
            b'-' => Text::from(state.options.letters(
                state.invoked.interactive,
                state.invoked.command_string,
                state.invoked.reads_input,
            )),
            b'@' | b'*' => {
                let values = self.target_values(run, &Target::Special(special));
                if values.is_empty() {
                    return None;
                }
                let join = if special == b'*' { self.state.separators.join.clone() } else { Text::from(" ") };
                joined(&values, &join)
            }
            _ => return None,
        })
    }

    /// All values of a target that is a list.
    pub(crate) fn target_values(&mut self, run: &mut Run, target: &Target) -> Vec<Text> {
        match target {
            Target::Special(b'@' | b'*') => self.state.positional.as_slice().to_metered(),
            Target::Elements(id, _) => match self.value_of(run, *id) {
                Value::Array(array) => array.iter().map(|(_, value)| value.clone()).collect(),
                Value::Assoc(assoc) => assoc.sorted().into_iter().map(|(_, value)| value.clone()).collect(),
                value => value.text().into_iter().collect(),
            },
            target => self.target_text(run, target).into_iter().collect(),
        }
    }

    /// Whether a target is set, and with `colon` not null.
    pub(crate) fn is_target_set(&mut self, run: &mut Run, target: &Target, colon: bool) -> bool {
        if target.list_kind().is_some() {
            let values = self.target_values(run, target);
            return match values.as_slice() {
                [] => false,
                [only] => !colon || !only.is_empty(),
                many => !colon || many.iter().any(|value| !value.is_empty()) || many.len() > 1,
            };
        }
        self.target_text(run, target).is_some_and(|text| !colon || !text.is_empty())
    }

    /// As [`Shell::is_target_set`], where the value would be used as `quoting` says: `"$*"` is null when what it joins
    /// to is; a list after `${!x}` is not null.
    pub(crate) fn is_value_used(
        &mut self,
        run: &mut Run,
        target: &Target,
        source: Option<Index>,
        colon: bool,
        quoting: Quoting,
    ) -> bool {
        let Some(kind) = target.list_kind().filter(|_| colon) else {
            return self.is_target_set(run, target, colon);
        };
        let parameter = source.and_then(|source| self.code.program.parameters.get(source as usize));
        if parameter.is_some_and(|parameter| parameter.indirect) {
            return self.is_target_set(run, target, false);
        }
        let set = self.is_target_set(run, target, true);
        set && (kind == AllElements::At
            || !matches!(quoting, Quoting::Quoted | Quoting::Document)
            || !self.state.separators.join.is_empty()
            || self.target_values(run, target).iter().any(|value| !value.is_empty()))
    }
}

/// Values side by side, with a separator between them.
pub(super) fn joined(values: &[Text], separator: &[u8]) -> Text {
    let mut joined = Vec::with_capacity(values.iter().map(|value| value.len() + separator.len()).sum());
    for (index, value) in values.iter().enumerate() {
        if gauge::is_refused() {
            break;
        }
        if index > 0 {
            joined.extend_from_slice(separator);
        }
        joined.extend_from_slice(value);
    }
    Text::from(joined)
}
