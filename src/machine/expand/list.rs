//! Lists of values: `$@`, `${name[*]}`, `${!name[@]}`, `${!prefix*}`. Bash manual 3.4.2, 3.5.3.

use super::field::refused;
use super::value::joined;
use crate::limit::gauge;
use crate::machine::expansion::{Expansion, Target};
use crate::machine::halt::Step;
use crate::machine::pending::ListOf;
use crate::machine::run::Run;
use crate::machine::shell::Shell;
use crate::machine::variable::{Value, decimal};
use crate::memory::{Vec, vec};
use crate::program::Quoting;
use crate::syntax::ast::AllElements;
use crate::text::Text;

impl ListOf {
    /// What joins a list of the `@` kind where no fields are made, if that is what `IFS` begins with.
    fn join(self, quoting: Quoting, first: &Text) -> Option<Text> {
        if first.is_empty() || quoting == Quoting::Document {
            return None;
        }
        let joins = match self {
            Self::Parameters | Self::Elements => false,
            Self::ParametersTrimmed | Self::ElementsTrimmed | Self::Transformed | Self::Names => true,
            Self::Changed | Self::Slice | Self::Keys => quoting == Quoting::Quoted,
        };
        joins.then(|| first.clone())
    }

    /// Whether a list of the `*` kind in a here-document is joined with blanks whatever `IFS` is.
    fn is_joined_with_blanks(self) -> bool {
        !matches!(self, Self::Elements | Self::Changed | Self::Names)
    }
}

impl Expansion {
    /// Appends several values as the kind of list and the quoting ask. Bash manual 3.4.2.
    pub(crate) fn append_list(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        values: &[Text],
        kind: AllElements,
        quoting: Quoting,
        list: ListOf,
    ) -> Step {
        match quoting {
            Quoting::Split if list == ListOf::ElementsTrimmed && shell.state.separators.join.is_empty() => {
                let joined = joined(values, b" ");
                self.append_text(shell, &joined, quoting);
            }
            Quoting::Split => {
                let separators = shell.state.separators.clone();
                self.builder.push_split_list(values, &separators);
            }
            Quoting::Quoted | Quoting::Document | Quoting::Raw => {
                self.append_values(shell, values, kind, quoting, list);
            }
        }
        refused(run)
    }

    fn append_values(
        &mut self,
        shell: &mut Shell,
        values: &[Text],
        all: AllElements,
        quoting: Quoting,
        list: ListOf,
    ) {
        match (all, quoting) {
            (AllElements::Star, Quoting::Document) if list.is_joined_with_blanks() => {
                let joined = joined(values, b" ");
                self.append_text(shell, &joined, quoting);
            }
            (AllElements::Star, Quoting::Quoted | Quoting::Document | Quoting::Raw) => {
                let separator = shell.state.separators.join.clone();
                let joined = joined(values, &separator);
                self.append_text(shell, &joined, quoting);
            }
            (_, Quoting::Split) => {
                for (index, value) in values.iter().enumerate() {
                    if index > 0 {
                        self.builder.end_if_present();
                    }
                    self.append_text(shell, value, quoting);
                }
            }
            (AllElements::At, _) => {
                let join = list.join(quoting, &shell.state.separators.join);
                for (index, value) in values.iter().enumerate() {
                    if index > 0 {
                        match &join {
                            Some(join) => self.builder.end_field_joined(join),
                            None => self.builder.end_field(),
                        }
                    }
                    if gauge::is_refused() {
                        break;
                    }
                    self.append_text(shell, value, quoting);
                }
            }
        }
    }

    /// `${!prefix*}`
    pub(crate) fn names_with_prefix(
        &mut self,
        shell: &mut Shell,
        prefix: &[u8],
        all: AllElements,
        quoting: Quoting,
    ) {
        let mut names: Vec<Text> = shell
            .variables
            .existing()
            .filter(|(_, slot)| slot.value != Value::Unset)
            .map(|(id, _)| shell.variables.names.text(id))
            .filter(|name| name.starts_with(prefix))
            .collect();
        names.sort();
        if all == AllElements::Star && quoting == Quoting::Split && shell.state.separators.join.is_empty() {
            let joined = joined(&names, b"");
            self.append_text(shell, &joined, quoting);
            return;
        }
        self.append_values(shell, &names, all, quoting, ListOf::Names);
    }

    /// `${!name[@]}`
    pub(crate) fn keys(&mut self, shell: &mut Shell, run: &mut Run, all: AllElements, quoting: Quoting) {
        let (target, _) = self.pop_target();
        let keys: Vec<Text> = match &target {
            Target::Elements(id, _) | Target::Variable(id) => match shell.value_of(run, *id) {
                Value::Array(array) => array.iter().map(|(index, _)| decimal(index as i64)).collect(),
                Value::Assoc(assoc) => assoc.sorted().into_iter().map(|(key, _)| key.clone()).collect(),
                Value::Unset => Vec::new(),
                _ => vec![Text::from_static(b"0")],
            },
            _ => Vec::new(),
        };
        if all == AllElements::Star && quoting == Quoting::Split && shell.state.separators.join.is_empty() {
            let joined = joined(&keys, b" ");
            self.append_text(shell, &joined, quoting);
            return;
        }
        self.append_values(shell, &keys, all, quoting, ListOf::Keys);
    }
}
