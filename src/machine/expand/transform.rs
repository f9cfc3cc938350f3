//! `${parameter@operator}`. Bash manual 3.5.3, last part.

use super::super::expansion::{Expansion, Target};
use super::super::halt::Step;
use super::super::quote;
use super::super::run::Run;
use super::super::shell::Shell;
use super::super::variable::{Attributes, Value};
use super::change::Change;
use super::field::refused;
use crate::limit::gauge;
use crate::machine::pending::ListOf;
use crate::memory::{ToMetered, Vec, format, vec};
use crate::program::Quoting;
use crate::syntax::ast::{AllElements, CaseOperator};
use crate::text::Text;

impl Shell {
    fn transformed_value(&mut self, run: &mut Run, operator: u8, text: &Text) -> Text {
        match operator {
            b'E' => Text::from(crate::syntax::expand_ansi_c(text)),
            b'P' => self.expand_prompt(run, text, false),
            _ => text.clone(),
        }
    }

    /// `${x@a}`: the letters of a variable's attributes.
    pub(crate) fn attribute_letters(&mut self, run: &mut Run, target: &Target) -> Option<Text> {
        let id = match target {
            Target::Variable(id) | Target::Index(id, _) | Target::Key(id, _) | Target::Elements(id, _) => *id,
            _ => return None,
        };
        let value = self.value_of(run, id);
        let slot = self.variables.slot(id);
        let attributes = slot.attributes;
        if value == Value::Unset && !slot.exists() {
            return None;
        }
        let mut letters = Vec::new();
        let mut push = |on: bool, letter: u8| {
            if on {
                letters.push(letter);
            }
        };
        // What a reference refers to may be an array; the reference is none.
        let refers = attributes.has(Attributes::NAMEREF);
        push(!refers && matches!(value, Value::Array(_)) || attributes.has(Attributes::ARRAY), b'a');
        push(!refers && matches!(value, Value::Assoc(_)) || attributes.has(Attributes::ASSOC), b'A');
        push(attributes.has(Attributes::INTEGER), b'i');
        push(attributes.has(Attributes::NAMEREF), b'n');
        push(attributes.has(Attributes::READONLY), b'r');
        push(attributes.has(Attributes::TRACE), b't');
        push(attributes.has(Attributes::EXPORTED), b'x');
        push(attributes.has(Attributes::CAPITAL), b'c');
        push(attributes.has(Attributes::LOWER), b'l');
        push(attributes.has(Attributes::UPPER), b'u');
        Some(Text::from(letters))
    }

    /// `${x@A}`: an assignment that makes the variable again.
    fn assignment_text(&mut self, run: &mut Run, target: &Target) -> Text {
        let id = match target {
            Target::Variable(id) | Target::Index(id, _) | Target::Key(id, _) | Target::Elements(id, _) => *id,
            Target::Special(b'@' | b'*') => {
                let mut text = b"set --".to_metered();
                for value in self.target_values(run, target) {
                    if gauge::is_refused() {
                        break;
                    }
                    text.push(b' ');
                    text.extend_from_slice(&quote::at_q(&value));
                }
                return Text::from(text);
            }
            _ => return Text::EMPTY,
        };
        let letters = self.attribute_letters(run, target).unwrap_or_default();
        let name = run.services.names.text(id);
        let mut text = Vec::new();
        if matches!(target, Target::Elements(..)) && self.value_of(run, id).is_array() {
            return Text::from(self.declaration(run, id));
        }
        if !letters.is_empty() {
            text.extend_from_slice(b"declare -");
            text.extend_from_slice(&letters);
            text.push(b' ');
        }
        text.extend_from_slice(&name);
        if let Some(value) = self.target_text(run, target) {
            text.push(b'=');
            text.extend_from_slice(&quote::at_q(&value));
        } else if letters.is_empty() {
            return Text::EMPTY;
        }
        Text::from(text)
    }

    /// A variable as `declare -p` shows it, without the newline.
    pub(crate) fn declaration(&mut self, run: &mut Run, id: super::super::name::NameId) -> Vec<u8> {
        let letters = self.attribute_letters(run, &Target::Variable(id)).unwrap_or_default();
        let value = if self.variables.slot(id).attributes.has(Attributes::NAMEREF) {
            self.variables.slot(id).value.clone()
        } else {
            self.value_of(run, id)
        };
        let mut text = b"declare -".to_metered();
        text.extend_from_slice(if letters.is_empty() { b"-" } else { &letters });
        text.push(b' ');
        text.extend_from_slice(&run.services.names.text(id));
        match value {
            Value::Unset | Value::Dynamic => {}
            Value::Array(array) => {
                text.extend_from_slice(b"=(");
                for (number, (index, value)) in array.iter().enumerate() {
                    if gauge::is_refused() {
                        break;
                    }
                    if number > 0 {
                        text.push(b' ');
                    }
                    text.extend_from_slice(format!("[{index}]=").as_bytes());
                    text.extend_from_slice(&quote::declare(value));
                }
                text.push(b')');
            }
            Value::Assoc(assoc) => {
                text.extend_from_slice(b"=(");
                for (key, value) in assoc.sorted() {
                    if gauge::is_refused() {
                        break;
                    }
                    text.push(b'[');
                    text.extend_from_slice(&quote::key(key));
                    text.extend_from_slice(b"]=");
                    text.extend_from_slice(&quote::declare(value));
                    text.push(b' ');
                }
                text.push(b')');
            }
            value => {
                text.push(b'=');
                text.extend_from_slice(&quote::declare(&value.text().unwrap_or_default()));
            }
        }
        text
    }
}

impl Expansion {
    pub(crate) fn transform(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        operator: u8,
        quoting: Quoting,
    ) -> Step {
        let (target, source) = self.pop_target();
        match operator {
            b'a' => {
                let flags = shell.attribute_letters(run, &target);
                match target.list_kind() {
                    Some(kind) => {
                        let mut count = shell.target_values(run, &target).len();
                        if let Target::Elements(id, _) = &target
                            && shell.value_of(run, *id) == Value::Unset
                            && is_declared_array(shell, run, *id)
                        {
                            // `declare -a name` alone has attributes once.
                            count = 1;
                        }
                        let values = vec![flags.unwrap_or_default(); count];
                        self.append_list(shell, run, &values, kind, quoting, ListOf::Transformed)
                    }
                    None => {
                        if shell.target_text(run, &target).is_none() && !is_array(shell, run, &target) {
                            shell.check_unset_parameter(run, &target, source)?;
                        }
                        if let Some(flags) = flags {
                            self.append_text(shell, &flags, quoting);
                        }
                        Ok(())
                    }
                }
            }
            b'A' => {
                if target.list_kind().is_none()
                    && shell.target_text(run, &target).is_none()
                    && !is_array(shell, run, &target)
                {
                    shell.check_unset_parameter(run, &target, source)?;
                }
                let text = shell.assignment_text(run, &target);
                match quoting {
                    Quoting::Quoted if matches!(target.list_kind(), Some(AllElements::At)) => {
                        self.append_declaration(shell, run, &target, &text)
                    }
                    Quoting::Split
                        if shell.state.separators.join.is_empty() && target.list_kind().is_some() =>
                    {
                        self.append_declaration(shell, run, &target, &text)
                    }
                    _ => {
                        self.append_text(shell, &text, quoting);
                        Ok(())
                    }
                }
            }
            b'K' | b'k' if matches!(target, Target::Elements(..)) => {
                self.append_pairs(shell, run, &target, operator == b'k', quoting)
            }
            b'Q' | b'K' | b'k' | b'U' | b'u' | b'L' => {
                let ascii = shell.state.locale.bytes;
                let case = |operator| Change::Case { operator, pattern: None, ascii };
                let change = match operator {
                    b'U' => case(CaseOperator::UpperAll),
                    b'u' => case(CaseOperator::UpperFirst),
                    b'L' => case(CaseOperator::LowerAll),
                    _ => Change::Quote,
                };
                self.targets.push((target, source));
                self.append_changed(shell, run, quoting, (ListOf::Transformed, ListOf::Transformed), change)
            }
            _ => {
                if let Some(kind) = target.list_kind() {
                    let mut values = shell.target_values(run, &target);
                    for value in &mut values {
                        *value = shell.transformed_value(run, operator, value);
                        refused(run)?;
                    }
                    return self.append_list(shell, run, &values, kind, quoting, ListOf::Transformed);
                }
                match shell.target_text(run, &target) {
                    Some(text) => {
                        let changed = shell.transformed_value(run, operator, &text);
                        self.append_text(shell, &changed, quoting);
                        Ok(())
                    }
                    None => shell.check_unset_parameter(run, &target, source),
                }
            }
        }
    }

    /// `${a[@]@K}`, `${a[@]@k}`: subscripts with values.
    fn append_pairs(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        target: &Target,
        separate: bool,
        quoting: Quoting,
    ) -> Step {
        let Target::Elements(id, kind) = target else { return Ok(()) };
        let pairs: Vec<(Text, Text, bool)> = match shell.value_of(run, *id) {
            Value::Array(array) => array
                .iter()
                .map(|(index, value)| (super::super::variable::decimal(index as i64), value.clone(), false))
                .collect(),
            Value::Assoc(assoc) => {
                assoc.sorted().into_iter().map(|(key, value)| (key.clone(), value.clone(), true)).collect()
            }
            value => value.text().into_iter().map(|text| (Text::from("0"), text, false)).collect(),
        };
        if separate {
            let values: Vec<Text> = pairs.into_iter().flat_map(|(key, value, _)| [key, value]).collect();
            return self.append_list(shell, run, &values, *kind, quoting, ListOf::Transformed);
        }
        let mut text = Vec::new();
        for (key, value, associative) in &pairs {
            refused(run)?;
            if !text.is_empty() && !associative {
                text.push(b' ');
            }
            text.extend_from_slice(&if *associative { quote::key(key) } else { key.to_metered() });
            text.push(b' ');
            text.extend_from_slice(&quote::declare(value));
            if *associative {
                // Bash leaves a blank after each pair of an associative array, the last one too.
                text.push(b' ');
            }
        }
        if pairs.is_empty() && *kind == AllElements::At {
            return self.append_list(shell, run, &[], *kind, quoting, ListOf::Transformed);
        }
        self.append_text(shell, &text, quoting);
        Ok(())
    }

    /// `"${a[@]@A}"`: bash makes words of what stands before the value.
    fn append_declaration(&mut self, shell: &mut Shell, run: &mut Run, target: &Target, text: &Text) -> Step {
        if text.is_empty() {
            return Ok(());
        }
        let separators = &shell.state.separators;
        let splits = separators.class(b' ') == 1 || separators.join.is_empty();
        let words = match target {
            Target::Elements(id, _) if !is_declared_array(shell, run, *id) => 1,
            Target::Elements(..) => 3,
            _ => usize::MAX,
        };
        let words = if splits { words } else { 1 };
        let words: Vec<Text> = text.splitn(words, |&byte| byte == b' ').map(Text::from).collect();
        self.append_list(shell, run, &words, AllElements::At, Quoting::Quoted, ListOf::Elements)
    }
}

/// Whether a name was declared as an array; it may have no value.
fn is_declared_array(shell: &mut Shell, run: &mut Run, id: super::super::name::NameId) -> bool {
    let attributes = shell.variables.slot(id).attributes;
    attributes.has(Attributes::ARRAY)
        || attributes.has(Attributes::ASSOC)
        || shell.value_of(run, id).is_array()
}

/// Whether a name stands for an array: its attributes can be told though it has no first element.
fn is_array(shell: &mut Shell, run: &mut Run, target: &Target) -> bool {
    matches!(target, Target::Variable(id) if shell.value_of(run, *id).is_array())
}
