//! Assignments of arrays: `name=( ... )`, and one element.

use super::array::{Array, Assoc};
use super::assign::transformed;
use super::error::{AssignError, AssignmentError};
use super::expansion::{ArrayLiteral, Subscript, Target};
use super::name::NameId;
use super::option::ShellOption;
use super::run::Run;
use super::shell::Shell;
use super::variable::{Attributes, Value, Variables, decimal};
use crate::memory::Arc;
use crate::text::Text;

impl Variables {
    /// Makes a variable an array; a scalar becomes element 0.
    pub(crate) fn make_array(&mut self, id: NameId, associative: bool) {
        let slot = self.slot_mut(id);
        match (&slot.value, associative) {
            (Value::Array(_), false) | (Value::Assoc(_), true) => {}
            (_, true) => {
                let mut assoc = Assoc::default();
                if let Some(text) = slot.value.text() {
                    assoc.set(Text::from_static(b"0"), text);
                }
                slot.value = Value::Assoc(Arc::new(assoc));
            }
            (_, false) => {
                let mut array = Array::default();
                if let Some(text) = slot.value.text() {
                    array.set(0, text);
                }
                slot.value = Value::Array(Arc::new(array));
            }
        }
    }
}

impl Shell {
    /// Assigns one element; the variable becomes an array if it is none.
    pub(crate) fn assign_element(
        &mut self,
        run: &mut Run,
        id: NameId,
        subscript: Subscript,
        value: Text,
        append: bool,
    ) -> Result<(), AssignError> {
        let Some(Target::Variable(id)) = self.assignment_target(run, id) else {
            return Err(AssignError::Invalid);
        };
        self.check_writable(run, id)?;
        let attributes = self.variables.slot(id).attributes;
        let associative = self.variables.is_associative(id);
        let subscript = match (subscript, associative) {
            (Subscript::Key(key), false) => {
                if key.is_empty() || matches!(key.as_bytes(), b"@" | b"*") {
                    let name = run.services.names.text(id);
                    self.report_fatal(AssignmentError::NoElement { name, subscript: key })?;
                    return Err(AssignError::Invalid);
                }
                let index = self.evaluate_subscript(run, &key, 0);
                Subscript::Index(self.state.assigned_number(index)?)
            }
            (Subscript::Index(index), true) => Subscript::Key(decimal(index)),
            (subscript, _) => subscript,
        };
        let subscript = match subscript {
            Subscript::Index(index) => match self.array_index(run, id, index) {
                Some(index) => Target::Index(id, index),
                None => {
                    let (name, subscript) = (run.services.names.text(id), decimal(index));
                    self.report_fatal(AssignmentError::NoElement { name, subscript })?;
                    return Err(AssignError::Invalid);
                }
            },
            Subscript::Key(key) => {
                if key.is_empty() {
                    let name = run.services.names.text(id);
                    self.report_fatal(AssignmentError::NoElement { name, subscript: key })?;
                    return Err(AssignError::Invalid);
                }
                Target::Key(id, key)
            }
        };
        let value = if attributes.has(Attributes::INTEGER) {
            let number = self.evaluate_assigned(run, &value)?;
            let before = if append {
                match self.target_text(run, &subscript) {
                    Some(text) => self.evaluate_assigned(run, &text)?,
                    None => 0,
                }
            } else {
                0
            };
            decimal(before.wrapping_add(number))
        } else if append {
            let mut text = self.target_text(run, &subscript).unwrap_or_default();
            text.push_bytes(&value);
            transformed(text, attributes)
        } else {
            transformed(value, attributes)
        };
        self.variables.make_array(id, associative);
        if self.state.options.has(ShellOption::AllExport) {
            self.variables.slot_mut(id).attributes.insert(Attributes::EXPORTED);
        }
        match (&mut self.variables.slot_mut(id).value, subscript) {
            (Value::Array(array), Target::Index(_, index)) => Arc::make_mut(array).set(index, value),
            (Value::Assoc(assoc), Target::Key(_, key)) => Arc::make_mut(assoc).set(key, value),
            _ => {}
        }
        if attributes.has(Attributes::SPECIAL) {
            self.after_special_element(run, id);
        }
        Ok(())
    }

    /// Assigns an array literal.
    pub(crate) fn assign_array(
        &mut self,
        run: &mut Run,
        id: NameId,
        literal: &ArrayLiteral,
        append: bool,
    ) -> Result<(), AssignError> {
        let slot = self.variables.slot(id);
        if slot.attributes.has(Attributes::NAMEREF) && slot.value == Value::Unset {
            let name = run.services.names.text(id);
            self.report(AssignmentError::NamerefRemoved(name));
            self.variables.slot_mut(id).attributes.remove(Attributes::NAMEREF);
        }
        let Some(Target::Variable(id)) = self.assignment_target(run, id) else {
            return Err(AssignError::Invalid);
        };
        self.check_writable(run, id)?;
        let associative = self.variables.is_associative(id);
        let attributes = self.variables.slot(id).attributes;
        if associative {
            self.assign_assoc(run, id, literal, append)?;
        } else {
            self.assign_indexed(run, id, literal, append, attributes)?;
        }
        if attributes.has(Attributes::SPECIAL) {
            self.after_special_element(run, id);
        }
        if attributes.has(Attributes::EXPORTED) {
            // The environment has no arrays.
            self.variables.exports += 1;
        }
        Ok(())
    }

    fn assign_indexed(
        &mut self,
        run: &mut Run,
        id: NameId,
        literal: &ArrayLiteral,
        append: bool,
        attributes: Attributes,
    ) -> Result<(), AssignError> {
        let plain = literal.elements.iter().all(|element| element.key.is_none())
            && !attributes.has(Attributes(
                Attributes::INTEGER.0 | Attributes::LOWER.0 | Attributes::UPPER.0 | Attributes::CAPITAL.0,
            ));
        if plain && !append {
            let array: Array = literal.elements.iter().map(|element| element.value.clone()).collect();
            self.variables.slot_mut(id).value = Value::Array(Arc::new(array));
            return Ok(());
        }
        if append {
            self.variables.make_array(id, false);
        } else {
            self.variables.slot_mut(id).value = Value::Array(Arc::new(Array::default()));
        }
        let mut next = match &self.variables.slot(id).value {
            Value::Array(array) => array.end(),
            _ => 0,
        };
        for element in &literal.elements {
            if let Some(key) = &element.key {
                let index = self.evaluate_assigned(run, key)?;
                match self.array_index(run, id, index) {
                    Some(index) => next = index,
                    None => {
                        // The others are assigned all the same.
                        let (key, value) = (key.clone(), element.value.clone());
                        self.report_fatal(AssignmentError::BadElement { key, value })?;
                        continue;
                    }
                }
            }
            let target = Target::Index(id, next);
            let value = self.element_value(run, &target, &element.value, element.append, attributes)?;
            if let Value::Array(array) = &mut self.variables.slot_mut(id).value {
                Arc::make_mut(array).set(next, value);
            }
            next = next.saturating_add(1);
        }
        Ok(())
    }

    fn element_value(
        &mut self,
        run: &mut Run,
        target: &Target,
        value: &Text,
        append: bool,
        attributes: Attributes,
    ) -> Result<Text, AssignError> {
        let before = if append { self.target_text(run, target) } else { None };
        if attributes.has(Attributes::INTEGER) {
            let number = self.evaluate_assigned(run, value)?;
            let before = match before {
                Some(text) => self.evaluate_assigned(run, &text)?,
                None => 0,
            };
            return Ok(decimal(before.wrapping_add(number)));
        }
        let mut text = before.unwrap_or_default();
        text.push_bytes(value);
        Ok(transformed(text, attributes))
    }

    fn assign_assoc(
        &mut self,
        run: &mut Run,
        id: NameId,
        literal: &ArrayLiteral,
        append: bool,
    ) -> Result<(), AssignError> {
        let attributes = self.variables.slot(id).attributes;
        let before = self.variables.slot(id).value.clone();
        let literal_append = append;
        if append {
            self.variables.make_array(id, true);
        } else {
            self.variables.slot_mut(id).value = Value::Assoc(Arc::new(Assoc::default()));
        }
        let keyed = literal.elements.first().is_some_and(|element| element.key.is_some());
        let mut elements = literal.elements.iter();
        while let Some(element) = elements.next() {
            let (key, value, append) = match (&element.key, keyed) {
                (Some(key), _) => (key.clone(), element.value.clone(), element.append),
                (None, false) => {
                    // Without subscripts keys and values take turns.
                    let value = elements.next().map(|element| element.value.clone()).unwrap_or_default();
                    (element.value.clone(), value, false)
                }
                (None, true) => {
                    let (name, value) = (run.services.names.text(id), element.value.clone());
                    self.report(AssignmentError::NoKey { name, value });
                    continue;
                }
            };
            if key.is_empty() {
                self.report_fatal(AssignmentError::BadElement { key, value })?;
                continue;
            }
            // `m=([a]+=x)` appends to what was there before the assignment.
            let old = match &before {
                Value::Assoc(assoc) if append && !literal_append => assoc.get(&key).cloned(),
                _ => None,
            };
            let target = Target::Key(id, key.clone());
            let mut value = self.element_value(run, &target, &value, append && literal_append, attributes)?;
            if let Some(mut old) = old {
                if attributes.has(Attributes::INTEGER) {
                    let sum =
                        self.evaluate_assigned(run, &old)?.wrapping_add(self.evaluate_assigned(run, &value)?);
                    old = decimal(sum);
                } else {
                    old.push_bytes(&value);
                }
                value = old;
            }
            if let Value::Assoc(assoc) = &mut self.variables.slot_mut(id).value {
                Arc::make_mut(assoc).set(key, value);
            }
        }
        Ok(())
    }
}
