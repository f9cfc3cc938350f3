//! Variables: their values and arrays, what assigning to a special one does, and the places that operations change.

use super::array::Table;
use super::error::Fault;
use super::field::Splitter;
use super::machine::{Frame, Machine};
use super::op::{
    CONVFMT, FIELDWIDTHS, FNR, FPAT, FS, IGNORECASE, NF, NR, OFMT, OFS, ORS, Op, Place, RS, SPECIAL, SUBSEP,
    Var,
};
use super::value::{Origin, Value};
use crate::memory::{String, Vec, format};

/// How many callers a message names: a recursion is told only so far.
const NAMED_CALLERS: usize = 100;

impl Machine<'_> {
    pub(super) fn name_of(&self, variable: Var) -> String {
        let name = match variable {
            Var::Global(slot) => self.program.globals.get(slot as usize).map(Vec::as_slice),
            Var::Local(slot) => {
                self.current_parameters().and_then(|names| names.get(slot as usize)).map(Vec::as_slice)
            }
        };
        String::from_utf8_lossy(name.unwrap_or(b"?"))
    }

    /// The parameters of the function that runs.
    pub(super) fn current_parameters(&self) -> Option<&Vec<Vec<u8>>> {
        self.parameters_at(self.pc)
    }

    /// The parameters of the function that a place of the code is in: the one whose code begins last before it.
    fn parameters_at(&self, place: usize) -> Option<&Vec<Vec<u8>>> {
        let functions = self.program.functions.iter();
        let running =
            functions.filter(|function| function.entry.is_some_and(|entry| entry as usize <= place));
        running.max_by_key(|function| function.entry).map(|function| &function.parameters)
    }

    /// The array that a value is, or that the variable behind a parameter without a type has become.
    pub(super) fn array_behind<'v>(&'v self, mut value: &'v Value) -> Option<u32> {
        // Parameters stand for variables of callers: there are no more of them than frames.
        for _ in 0..=self.frames.len() {
            value = match value {
                Value::Array(number) => return Some(*number),
                Value::Untyped(Origin::Global(slot)) => self.global(*slot),
                Value::Untyped(Origin::Stack(place)) => self.stack.get(*place)?,
                _ => return None,
            };
        }
        None
    }

    /// An array stands where one value is wanted: it is named by the variable, and by those of the callers that the
    /// parameter stands for.
    fn no_scalar(&self, mut variable: Var, array: u32) -> Fault {
        let mut shown = self.name_of(variable);
        let mut callers = 0;
        for (depth, frame) in self.frames.iter().enumerate().rev().take(NAMED_CALLERS) {
            let Var::Local(slot) = variable else { break };
            if self.arrays.owner(array) > depth {
                break;
            }
            variable = self.argument_of(frame, slot).unwrap_or_else(|| self.holder_of(array, depth));
            let names = match variable {
                Var::Global(_) => Some(&self.program.globals),
                Var::Local(_) => self.parameters_at(frame.return_to),
            };
            let (Var::Global(place) | Var::Local(place)) = variable;
            let name = names.and_then(|names| names.get(place as usize));
            let name = String::from_utf8_lossy(name.map_or(b"?", Vec::as_slice));
            let separator = if callers == 0 { " (" } else { ", " };
            shown = format!("{shown}{separator}from {name}");
            callers += 1;
        }
        if callers > 0 {
            shown.push(')');
        }
        Fault::fatal(format!("attempt to use array `{shown}' in a scalar context"))
    }

    /// The variable that was given for a parameter in the call that made a frame, where all arguments are plain.
    fn argument_of(&self, frame: &Frame, parameter: u32) -> Option<Var> {
        let call = frame.return_to.checked_sub(1)?;
        let Some(Op::Call(_, count)) = self.program.code.get(call) else { return None };
        let arguments = self.program.code.get(call.checked_sub(*count as usize)?..call)?;
        let is_plain = |op: &Op| matches!(op, Op::Argument(_) | Op::Constant(_));
        match arguments.get(parameter as usize) {
            Some(Op::Argument(variable)) if arguments.iter().all(is_plain) => Some(*variable),
            _ => None,
        }
    }

    /// The first variable that is an array, of the call so deep, or of the program.
    fn holder_of(&self, array: u32, depth: usize) -> Var {
        let is_it = |value: &Value| self.array_behind(value) == Some(array);
        let place = |values: &[Value]| values.iter().position(is_it).map_or(u32::MAX, |place| place as u32);
        match self.frames.get(depth).filter(|_| depth > 0) {
            Some(frame) => {
                let end = self.frames.get(depth + 1).map_or(self.base, |above| above.base);
                match place(self.stack.get(frame.base..end).unwrap_or(&[])) {
                    u32::MAX => Var::Global(place(&self.globals)),
                    local => Var::Local(local),
                }
            }
            None => Var::Global(place(&self.globals)),
        }
    }

    pub(super) fn slot(&self, variable: Var) -> &Value {
        match variable {
            Var::Global(slot) => self.global(slot),
            Var::Local(slot) => self.stack.get(self.base + slot as usize).unwrap_or(&Value::Unset),
        }
    }

    pub(super) fn set_slot(&mut self, variable: Var, value: Value) {
        let slot = match variable {
            Var::Global(slot) => self.globals.get_mut(slot as usize),
            Var::Local(slot) => self.stack.get_mut(self.base + slot as usize),
        };
        if let Some(slot) = slot {
            *slot = value;
        }
    }

    /// The value of a variable.
    pub(super) fn load(&mut self, variable: Var) -> Result<Value, Fault> {
        if variable == Var::Global(NF) {
            self.split_record()?;
            if self.record.has_count_of_own {
                return Ok(self.global(NF).clone());
            }
            return Ok(Value::Number(self.record.count() as f64));
        }
        match self.slot(variable) {
            Value::Array(number) => Err(self.no_scalar(variable, *number)),
            Value::Unset => {
                self.set_slot(variable, Value::Unassigned);
                Ok(Value::Unassigned)
            }
            Value::Untyped(origin) => {
                let origin = *origin;
                if let Some(number) = self.array_behind(&Value::Untyped(origin)) {
                    return Err(self.no_scalar(variable, number));
                }
                self.set_slot(variable, Value::Unassigned);
                self.set_origin(origin, &Value::Unassigned);
                Ok(Value::Unassigned)
            }
            value => Ok(value.clone()),
        }
    }

    /// The array of a variable, which becomes one where it has no type yet.
    pub(super) fn array(&mut self, variable: Var) -> Result<u32, Fault> {
        match self.slot(variable) {
            Value::Array(number) => Ok(*number),
            Value::Unset => {
                let owner = if matches!(variable, Var::Global(_)) { 0 } else { self.frames.len() };
                let number = self.arrays.create(owner);
                self.set_slot(variable, Value::Array(number));
                Ok(number)
            }
            Value::Untyped(origin) => {
                let origin = *origin;
                let number = self.origin_array(origin);
                self.set_slot(variable, Value::Array(number));
                Ok(number)
            }
            _ => {
                let name = self.name_of(variable);
                let kind = if matches!(variable, Var::Local(_)) { "scalar parameter" } else { "scalar" };
                Err(Fault::fatal(format!("attempt to use {kind} `{name}' as an array")))
            }
        }
    }

    /// Makes the variable an argument came from an array, and all between.
    pub(super) fn origin_array(&mut self, mut origin: Origin) -> u32 {
        let mut between = Vec::new();
        let number = loop {
            let value = match origin {
                Origin::Global(slot) => self.globals.get(slot as usize),
                Origin::Stack(place) => self.stack.get(place),
                Origin::Nowhere => None,
            };
            match value {
                Some(Value::Array(number)) => break *number,
                Some(Value::Untyped(further)) => {
                    between.push(origin);
                    origin = *further;
                }
                _ => {
                    between.push(origin);
                    let owner = match origin {
                        Origin::Global(_) => 0,
                        Origin::Stack(place) => self.depth_of(place),
                        Origin::Nowhere => self.frames.len(),
                    };
                    break self.arrays.create(owner);
                }
            }
        };
        for origin in between {
            self.set_place(origin, Value::Array(number));
        }
        number
    }

    /// Gives the variable an argument came from, and all between, a value that is not an array.
    pub(super) fn set_origin(&mut self, mut origin: Origin, value: &Value) {
        loop {
            let slot = match origin {
                Origin::Global(slot) => self.globals.get(slot as usize),
                Origin::Stack(place) => self.stack.get(place),
                Origin::Nowhere => None,
            };
            let further = match slot {
                Some(Value::Untyped(further)) => Some(*further),
                Some(Value::Unset) => None,
                _ => return,
            };
            self.set_place(origin, value.clone());
            let Some(further) = further else { return };
            origin = further;
        }
    }

    fn set_place(&mut self, place: Origin, value: Value) {
        let slot = match place {
            Origin::Global(slot) => self.globals.get_mut(slot as usize),
            Origin::Stack(place) => self.stack.get_mut(place),
            Origin::Nowhere => None,
        };
        if let Some(slot) = slot {
            *slot = value;
        }
    }

    pub(super) fn table(&mut self, number: u32) -> Result<&mut Table, Fault> {
        self.arrays.get_mut(number).ok_or_else(|| Fault::fatal("no such array"))
    }

    /// Assigns to a variable of the program; some have effects.
    pub(super) fn set_global(&mut self, slot: u32, mut value: Value) -> Result<(), Fault> {
        match slot {
            NF => {
                self.own_fields()?;
                let count = value.number();
                // What is too large for C becomes negative there.
                if count < 0.0 || count >= i64::MAX as f64 {
                    return Err(Fault::fatal("NF set to negative value"));
                }
                self.record.set_count(count as usize);
            }
            FS => {
                // The current record was there before.
                self.split_record()?;
                let separator = self.text(&value);
                self.splitter = self.splitter_for(&separator)?;
                self.set_process_fact(b"FS", b"FS")?;
            }
            FIELDWIDTHS => {
                self.set_process_fact(b"FS", b"FIELDWIDTHS")?;
                self.split_record()?;
                let widths = self.text(&value);
                self.splitter = Self::widths(&widths)?;
            }
            FPAT => {
                self.set_process_fact(b"FS", b"FPAT")?;
                self.split_record()?;
                let pattern = self.text(&value);
                self.splitter = Splitter::Matches(self.regex(&pattern)?);
            }
            IGNORECASE if self.ignore_case != value.is_true() => {
                self.ignore_case = value.is_true();
                self.regexes.clear();
                if matches!(self.splitter, Splitter::Regex(_)) {
                    self.split_record()?;
                    let separator = self.text(&self.global(FS).clone());
                    self.splitter = self.splitter_for(&separator)?;
                }
            }
            OFS => {
                self.rebuild_record()?;
                self.settings.ofs = self.text(&value);
            }
            ORS => self.settings.ors = self.text(&value),
            RS => {
                self.split_record()?;
                self.settings.rs = self.text(&value);
            }
            SUBSEP => self.settings.subsep = self.text(&value),
            // What is assigned is the value of the assignment; the variable has its whole part.
            NR | FNR if value.number().fract().abs() > 0.0 => value = Value::Number(value.number().trunc()),
            CONVFMT => self.settings.convfmt = self.text(&value),
            OFMT => self.settings.ofmt = self.text(&value),
            _ => {}
        }
        if let Some(global) = self.globals.get_mut(slot as usize) {
            if matches!(global, Value::Array(_)) {
                let name = self.name_of(Var::Global(slot));
                return Err(Fault::fatal(format!("attempt to use array `{name}' in a scalar context")));
            }
            *global = value;
        }
        Ok(())
    }

    pub(super) fn store_variable(&mut self, variable: Var, value: Value) -> Result<(), Fault> {
        if let Var::Global(slot) = variable
            && (slot as usize) < SPECIAL.len()
        {
            return self.set_global(slot, value);
        }
        match self.slot(variable) {
            Value::Array(number) => return Err(self.no_scalar(variable, *number)),
            // The variable it came from is not an array either.
            Value::Untyped(origin) => {
                let origin = *origin;
                if let Some(number) = self.array_behind(&Value::Untyped(origin)) {
                    return Err(self.no_scalar(variable, number));
                }
                self.set_origin(origin, &Value::Unassigned);
            }
            _ => {}
        }
        self.set_slot(variable, value);
        Ok(())
    }

    /// The value at a place; what the place needs is given.
    pub(super) fn load_place(&mut self, place: Place, operand: &Value) -> Result<Value, Fault> {
        match place {
            Place::Var(variable) => self.load(variable),
            Place::Field => self.field(operand.number()),
            Place::Element(array) => {
                let key = self.text(operand);
                let number = self.array(array)?;
                let value = self.table(number)?.entry(key).clone();
                if matches!(value, Value::Array(_)) { Ok(Value::Unset) } else { Ok(value) }
            }
        }
    }

    /// Assigns to a place.
    pub(super) fn store_place(&mut self, place: Place, operand: &Value, value: Value) -> Result<(), Fault> {
        match place {
            Place::Var(variable) => self.store_variable(variable, value),
            Place::Field => self.set_field(operand.number(), value),
            Place::Element(array) => {
                let key = self.text(operand);
                let number = self.array(array)?;
                *self.table(number)?.entry(key) = value;
                Ok(())
            }
        }
    }

    /// Pops what a place needs.
    pub(super) fn pop_operand(&mut self, place: Place) -> Value {
        match place {
            Place::Var(_) => Value::Unset,
            Place::Field | Place::Element(_) => self.pop(),
        }
    }

    /// Changes the number at a place, whose operand is popped; the old and the new one.
    pub(super) fn change(
        &mut self,
        place: Place,
        change: impl FnOnce(f64) -> Result<f64, Fault>,
    ) -> Result<(f64, f64), Fault> {
        let operand = self.pop_operand(place);
        if let Place::Element(array) = place {
            let key = self.text(&operand);
            let number = self.array(array)?;
            let slot = self.table(number)?.entry(key);
            let old = slot.number();
            let new = change(old)?;
            *slot = Value::Number(new);
            return Ok((old, new));
        }
        let old = self.load_place(place, &operand)?.number();
        let new = change(old)?;
        self.store_place(place, &operand, Value::Number(new))?;
        Ok((old, new))
    }
}
