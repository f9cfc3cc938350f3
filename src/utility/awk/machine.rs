//! The stack machine. `step` runs until it needs something that takes waiting: input, a command, room in an output; then it
//! gives a [`Pause`] back and goes on where it was. Calls use frames of its own, so a program can recurse as deep as the
//! limit on frames allows.

use crate::memory::{HashMap, String, ToMetered, ToMeteredString, Vec, format, vec};
use super::array::{Arrays, Key, Table};
use super::error::Fault;
use super::field::{Record, SplitError, Splitter};
use super::op::*;
use super::sort::{Entry, Job, Order, Purpose, Rubbish};
use super::text::Str;
use super::value::{Origin, Value};
use crate::clock::Clock;
use crate::limit::{Charge, Limit, Meter};
use crate::text::Text;
use crate::utility::charged::ChargedVec;
use crate::utility::regex::{Dialect, Regex, RegexError, RegexOptions, Syntax};
use crate::utility::ticker::{MeterTicker, stopped};
use crate::utility::{Environment, Output};
use std::cmp::Ordering;
use std::sync::Arc;

/// Jumps back and calls between two ticks.
const TURNS_PER_TICK: u32 = 256;
/// Dynamic regular expressions that are kept.
const GREATEST_REGEXES: usize = 32;
/// Output that is handed on at once.
const OUTPUT_BYTES: usize = 32 * 1024;

/// Why the machine stopped for a while.
#[derive(Debug)]
pub(super) enum Pause {
    /// Others may run.
    Tick,
    /// Standard output is to be handed on.
    Flush,
    /// A record is wanted; `getline_done` takes it.
    Getline(Source, Option<Place>, Str),
    /// `Machine::output` goes to that file or command.
    Write(Redirect, Str),
    System(Str),
    Close(Str),
    /// A file or command; `None`: all.
    Fflush(Option<Str>),
    Next,
    NextFile,
    Exit,
    Done,
}

#[derive(Debug)]
struct Frame {
    return_to: usize,
    base: usize,
    iterators: usize,
}

#[derive(Debug)]
struct Iterator {
    keys: crate::memory::IntoIter<Str>,
    _charge: Charge,
}

/// Texts of variables that are used all the time.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) convfmt: Str,
    pub(super) ofmt: Str,
    pub(super) ofs: Str,
    pub(super) ors: Str,
    pub(super) subsep: Str,
    pub(super) rs: Str,
}

pub(super) struct Machine<'p> {
    pub(super) program: &'p Program,
    pub(super) meter: Arc<Meter>,
    pub(super) stack: ChargedVec<Value>,
    pub(super) globals: Vec<Value>,
    pub(super) arrays: Arrays,
    pub(super) record: Record,
    pub(super) settings: Settings,
    splitter: Splitter,
    frames: ChargedVec<Frame>,
    iterators: ChargedVec<Iterator>,
    ranges: Vec<bool>,
    base: usize,
    pc: usize,
    turns: u32,
    pub(super) output: Vec<u8>,
    pub(super) status: u8,
    regexes: HashMap<Vec<u8>, Regex>,
    pub(super) regex_options: RegexOptions,
    /// Warnings to be printed.
    pub(super) warnings: Vec<String>,
    /// State of `rand`, and the seed it started from.
    pub(super) random: u64,
    pub(super) seed: f64,
    pub(super) clock: Arc<Clock>,
    pub(super) zone: jiff::tz::TimeZone,
    /// A sort that the operation at hand waits for.
    sorting: Option<Box<Sorting>>,
}

/// A sort, and what is left to be done with its result.
#[derive(Debug)]
struct Sorting {
    job: Job,
    sorted: Option<crate::memory::IntoIter<Entry>>,
    rubbish: Option<Rubbish<Key>>,
    keys: Vec<Str>,
    count: usize,
}

impl<'p> Machine<'p> {
    pub(super) fn new(
        program: &'p Program,
        meter: &Arc<Meter>,
        regex_options: RegexOptions,
        zone: jiff::tz::TimeZone,
        clock: Arc<Clock>,
    ) -> Self {
        let text = |text: &'static [u8]| Str::Short(Text::from_static(text));
        let mut globals = vec![Value::Unset; program.globals.len()];
        let defaults: [(u32, Value); 11] = [
            (NF, Value::Number(0.0)),
            (NR, Value::Number(0.0)),
            (FNR, Value::Number(0.0)),
            (FS, Value::Text(text(b" "))),
            (OFS, Value::Text(text(b" "))),
            (ORS, Value::Text(text(b"\n"))),
            (RS, Value::Text(text(b"\n"))),
            (SUBSEP, Value::Text(text(b"\x1c"))),
            (RLENGTH, Value::Number(-1.0)),
            (CONVFMT, Value::Text(text(b"%.6g"))),
            (OFMT, Value::Text(text(b"%.6g"))),
        ];
        for (slot, value) in defaults {
            if let Some(global) = globals.get_mut(slot as usize) {
                *global = value;
            }
        }
        Self {
            program,
            meter: Arc::clone(meter),
            stack: ChargedVec::new(meter),
            globals,
            arrays: Arrays::new(meter),
            record: Record::new(meter),
            settings: Settings {
                convfmt: text(b"%.6g"),
                ofmt: text(b"%.6g"),
                ofs: text(b" "),
                ors: text(b"\n"),
                subsep: text(b"\x1c"),
                rs: text(b"\n"),
            },
            splitter: Splitter::Blanks,
            frames: ChargedVec::new(meter),
            iterators: ChargedVec::new(meter),
            ranges: vec![false; program.ranges as usize],
            base: 0,
            pc: 0,
            turns: 0,
            output: Vec::new(),
            status: 0,
            regexes: HashMap::default(),
            regex_options: RegexOptions { dialect: Dialect::Awk, ..regex_options },
            warnings: Vec::new(),
            random: 0,
            seed: 0.0,
            clock,
            zone,
            sorting: None,
        }
    }

    /// Fills `ENVIRON` and `ARGV`.
    pub(super) fn set_arrays(&mut self, environment: &Environment, arguments: &[Text]) -> Result<(), Fault> {
        let environ = self.array(Var::Global(ENVIRON))?;
        for (name, value) in environment.iter() {
            let (name, value) = (Str::new(name, &self.meter)?, Str::new(value, &self.meter)?);
            if let Some(table) = self.arrays.get_mut(environ) {
                *table.entry(name)? = Value::Input(value);
            }
        }
        let argv = self.array(Var::Global(ARGV))?;
        for (index, argument) in arguments.iter().enumerate() {
            let (key, value) = (Str::Short(Text::from(index.to_metered_string())), Str::new(argument, &self.meter)?);
            if let Some(table) = self.arrays.get_mut(argv) {
                *table.entry(key)? = Value::Input(value);
            }
        }
        self.set_global(ARGC, Value::Number(arguments.len() as f64))
    }

    /// Begins a part of the program.
    pub(super) fn start(&mut self, entry: u32) {
        self.stack.clear();
        self.frames.clear();
        self.iterators.clear();
        self.base = 0;
        self.pc = entry as usize;
    }

    /// The line that runs, counted in the whole text.
    pub(super) fn line(&self) -> u32 {
        self.program.lines.get(self.pc.saturating_sub(1)).copied().unwrap_or(1)
    }

    pub(super) fn global(&self, slot: u32) -> &Value {
        self.globals.get(slot as usize).unwrap_or(&Value::Unset)
    }

    pub(super) fn pop(&mut self) -> Value {
        self.stack.pop().unwrap_or(Value::Unset)
    }

    pub(super) fn push(&mut self, value: Value) -> Result<(), Fault> {
        Ok(self.stack.push(value)?)
    }

    pub(super) fn text(&self, value: &Value) -> Result<Str, Fault> {
        Ok(value.text(&self.settings.convfmt, &self.meter)?)
    }

    pub(super) fn pop_text(&mut self) -> Result<Str, Fault> {
        let value = self.pop();
        self.text(&value)
    }

    fn name_of(&self, variable: Var) -> String {
        let name = match variable {
            Var::Global(slot) => self.program.globals.get(slot as usize).map(Vec::as_slice),
            Var::Local(slot) => self.current_parameters().and_then(|names| names.get(slot as usize)).map(Vec::as_slice),
        };
        String::from_utf8_lossy(name.unwrap_or(b"?"))
    }

    /// The parameters of the function that runs: the one whose code begins last before here.
    fn current_parameters(&self) -> Option<&Vec<Vec<u8>>> {
        let functions = self.program.functions.iter();
        let running = functions.filter(|function| function.entry.is_some_and(|entry| entry as usize <= self.pc));
        running.max_by_key(|function| function.entry).map(|function| &function.parameters)
    }

    fn slot(&self, variable: Var) -> &Value {
        match variable {
            Var::Global(slot) => self.global(slot),
            Var::Local(slot) => self.stack.get(self.base + slot as usize).unwrap_or(&Value::Unset),
        }
    }

    fn set_slot(&mut self, variable: Var, value: Value) {
        let slot = match variable {
            Var::Global(slot) => self.globals.get_mut(slot as usize),
            Var::Local(slot) => self.stack.get_mut(self.base + slot as usize),
        };
        if let Some(slot) = slot {
            *slot = value;
        }
    }

    /// The value of a variable.
    fn load(&mut self, variable: Var) -> Result<Value, Fault> {
        if variable == Var::Global(NF) {
            self.split_record()?;
            return Ok(Value::Number(self.record.count() as f64));
        }
        match self.slot(variable) {
            Value::Array(_) => {
                let name = self.name_of(variable);
                Err(Fault::fatal(format!("attempt to use array `{name}' in a scalar context")))
            }
            Value::Untyped(_) => Ok(Value::Unset),
            value => Ok(value.clone()),
        }
    }

    /// The array of a variable, which becomes one where it has no type yet.
    pub(super) fn array(&mut self, variable: Var) -> Result<u32, Fault> {
        match self.slot(variable) {
            Value::Array(number) => Ok(*number),
            Value::Unset => {
                let owner = if matches!(variable, Var::Global(_)) { 0 } else { self.frames.len() };
                let number = self.arrays.create(owner)?;
                self.set_slot(variable, Value::Array(number));
                Ok(number)
            }
            Value::Untyped(origin) => {
                let origin = *origin;
                let number = self.origin_array(origin)?;
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
    fn origin_array(&mut self, mut origin: Origin) -> Result<u32, Fault> {
        let mut between = Vec::new();
        let number = loop {
            let value = match origin {
                Origin::Global(slot) => self.globals.get(slot as usize),
                Origin::Stack(place) => self.stack.get(place),
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
                    };
                    break self.arrays.create(owner)?;
                }
            }
        };
        for origin in between {
            let slot = match origin {
                Origin::Global(slot) => self.globals.get_mut(slot as usize),
                Origin::Stack(place) => self.stack.get_mut(place),
            };
            if let Some(slot) = slot {
                *slot = Value::Array(number);
            }
        }
        Ok(number)
    }

    pub(super) fn table(&mut self, number: u32) -> Result<&mut Table, Fault> {
        self.arrays.get_mut(number).ok_or_else(|| Fault::fatal("no such array"))
    }

    /// Assigns to a variable of the program; some have effects.
    pub(super) fn set_global(&mut self, slot: u32, value: Value) -> Result<(), Fault> {
        match slot {
            NF => {
                self.split_record()?;
                let count = value.number();
                if count < 0.0 {
                    return Err(Fault::fatal("NF set to negative value"));
                }
                self.record.set_count(count as usize)?;
            }
            FS => {
                // The current record was there before.
                self.split_record()?;
                let separator = self.text(&value)?;
                self.splitter = self.splitter_for(&separator)?;
            }
            OFS => {
                self.rebuild_record()?;
                self.settings.ofs = self.text(&value)?;
            }
            ORS => self.settings.ors = self.text(&value)?,
            RS => {
                self.split_record()?;
                self.settings.rs = self.text(&value)?;
            }
            SUBSEP => self.settings.subsep = self.text(&value)?,
            CONVFMT => self.settings.convfmt = self.text(&value)?,
            OFMT => self.settings.ofmt = self.text(&value)?,
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

    fn store_variable(&mut self, variable: Var, value: Value) -> Result<(), Fault> {
        if let Var::Global(slot) = variable
            && (slot as usize) < SPECIAL.len()
        {
            return self.set_global(slot, value);
        }
        if matches!(self.slot(variable), Value::Array(_)) {
            let name = self.name_of(variable);
            return Err(Fault::fatal(format!("attempt to use array `{name}' in a scalar context")));
        }
        self.set_slot(variable, value);
        Ok(())
    }

    /// What `separator` means as `FS` or as an argument of `split`.
    pub(super) fn splitter_for(&mut self, separator: &[u8]) -> Result<Splitter, Fault> {
        Ok(match separator {
            b" " => Splitter::Blanks,
            [] => Splitter::Characters,
            [byte] if byte.is_ascii() => Splitter::Byte(*byte),
            _ => Splitter::Regex(self.regex(separator)?),
        })
    }

    /// A dynamic regular expression.
    pub(super) fn regex(&mut self, source: &[u8]) -> Result<Regex, Fault> {
        if let Some(regex) = self.regexes.get(source) {
            return Ok(regex.clone());
        }
        let regex = Regex::new(source, Syntax::Extended, &self.regex_options)
            .map_err(|error| self.regex_fault(&error, source))?;
        if self.regexes.len() >= GREATEST_REGEXES {
            self.regexes.clear();
        }
        self.regexes.insert(source.to_metered(), regex.clone());
        Ok(regex)
    }

    pub(super) fn regex_fault(&self, error: &RegexError, source: &[u8]) -> Fault {
        match error {
            RegexError::Stopped(_) => Fault::Limit(stopped(&self.meter)),
            error => Fault::fatal(format!("invalid regexp: {error}: /{}/", String::from_utf8_lossy(source))),
        }
    }

    /// The expression that an argument is.
    pub(super) fn regex_of(&mut self, value: &Value) -> Result<Regex, Fault> {
        if let Value::Regex(number) = value
            && let Some(regex) = self.program.regexes.get(*number as usize)
        {
            return Ok(regex.clone());
        }
        let source = self.text(value)?;
        self.regex(&source)
    }

    pub(super) fn split_fault(&self, error: SplitError) -> Fault {
        match error {
            SplitError::Limit(limit) => Fault::Limit(limit),
            SplitError::Regex(error) => self.regex_fault(&error, b""),
        }
    }

    fn split_record(&mut self) -> Result<(), Fault> {
        if self.record.is_split {
            return Ok(());
        }
        let newline_splits = self.settings.rs.is_empty();
        let ticker = &mut MeterTicker::new(&self.meter);
        match self.record.split(&self.splitter, newline_splits, ticker) {
            Ok(()) => Ok(()),
            Err(error) => Err(self.split_fault(error)),
        }
    }

    fn rebuild_record(&mut self) -> Result<(), Fault> {
        if self.record.is_stale {
            self.record.rebuild(&self.settings.ofs, &self.settings.convfmt)?;
        }
        Ok(())
    }

    pub(super) fn set_record(&mut self, text: &[u8]) -> Result<(), Fault> {
        Ok(self.record.set(text)?)
    }

    pub(super) fn field(&mut self, number: f64) -> Result<Value, Fault> {
        if number < 0.0 {
            return Err(Fault::fatal(format!("attempt to access field {}", number as i64)));
        }
        let number = number as usize;
        if number == 0 {
            self.rebuild_record()?;
            return Ok(Value::Input(self.record.whole()?));
        }
        let newline_splits = self.settings.rs.is_empty();
        let ticker = &mut MeterTicker::new(&self.meter);
        if let Err(error) = self.record.split_to(number, &self.splitter, newline_splits, ticker) {
            return Err(self.split_fault(error));
        }
        Ok(self.record.field(number)?)
    }

    fn set_field(&mut self, number: f64, value: Value) -> Result<(), Fault> {
        if number < 0.0 {
            return Err(Fault::fatal(format!("attempt to access field {}", number as i64)));
        }
        let number = number as usize;
        if number == 0 {
            let text = self.text(&value)?;
            return Ok(self.record.set(&text)?);
        }
        self.split_record()?;
        Ok(self.record.set_field(number, value)?)
    }

    pub(super) const fn field_splitter(&self) -> &Splitter {
        &self.splitter
    }

    /// The value at a place; what the place needs is given.
    pub(super) fn load_place(&mut self, place: Place, operand: &Value) -> Result<Value, Fault> {
        match place {
            Place::Var(variable) => self.load(variable),
            Place::Field => self.field(operand.number()),
            Place::Element(array) => {
                let key = self.text(operand)?;
                let number = self.array(array)?;
                let value = self.table(number)?.entry(key)?.clone();
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
                let key = self.text(operand)?;
                let number = self.array(array)?;
                *self.table(number)?.entry(key)? = value;
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

    /// Whether the next operation drops the value that this one would push; then it is skipped.
    fn is_dropped(&mut self) -> bool {
        let is_dropped = self.program.code.get(self.pc) == Some(&Op::Pop);
        self.pc += usize::from(is_dropped);
        is_dropped
    }

    fn set_top(&mut self, value: Value) -> Result<(), Fault> {
        match self.stack.last_mut() {
            Some(top) => {
                *top = value;
                Ok(())
            }
            None => self.push(value),
        }
    }

    /// Changes the number at a place, whose operand is popped; the old and the new one.
    fn change(
        &mut self,
        place: Place,
        change: impl FnOnce(f64) -> Result<f64, Fault>,
    ) -> Result<(f64, f64), Fault> {
        let operand = self.pop_operand(place);
        if let Place::Element(array) = place {
            let key = self.text(&operand)?;
            let number = self.array(array)?;
            let slot = self.table(number)?.entry(key)?;
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

    fn turn(&mut self) -> bool {
        self.turns += 1;
        self.turns >= TURNS_PER_TICK
    }

    /// Runs to the next pause.
    pub(super) fn step(&mut self, stdout: &mut Output) -> Result<Pause, Fault> {
        if let Some(sorting) = self.sorting.take() {
            self.sort_on(sorting)?;
            return Ok(self.tick());
        }
        loop {
            let Some(&op) = self.program.code.get(self.pc) else { return Ok(Pause::Done) };
            self.pc += 1;
            match op {
                Op::Constant(number) => {
                    let value = self.program.constants.get(number as usize).cloned().unwrap_or(Value::Unset);
                    self.stack.push(value)?;
                }
                Op::Regex(number) => self.stack.push(Value::Regex(number))?,
                Op::MatchRecord(number) => {
                    self.rebuild_record()?;
                    let Some(regex) = self.program.regexes.get(number as usize) else { continue };
                    let found = regex.is_match_ticked(&self.record.bytes, &mut MeterTicker::new(&self.meter));
                    let found = found.map_err(|error| self.regex_fault(&error, b""))?;
                    self.stack.push(Value::truth(found))?;
                }
                Op::Load(variable) => {
                    let value = match self.slot(variable) {
                        Value::Number(number) if variable != Var::Global(NF) => Value::Number(*number),
                        _ => self.load(variable)?,
                    };
                    self.stack.push(value)?;
                }
                Op::Argument(variable) => self.argument(variable)?,
                Op::Array(variable) => {
                    let number = self.array(variable)?;
                    self.stack.push(Value::Array(number))?;
                }
                Op::LoadField => {
                    let number = self.pop().number();
                    let value = self.field(number)?;
                    self.stack.push(value)?;
                }
                Op::Field(number) => {
                    let value = self.field(f64::from(number))?;
                    self.stack.push(value)?;
                }
                Op::LoadElement(array) => {
                    let key = self.pop();
                    let value = self.load_place(Place::Element(array), &key)?;
                    self.stack.push(value)?;
                }
                Op::Store(place) => {
                    let value = match self.pop() {
                        Value::Regex(_) | Value::Array(_) | Value::Untyped(_) => Value::Unset,
                        value => value,
                    };
                    let operand = self.pop_operand(place);
                    if self.is_dropped() {
                        self.store_place(place, &operand, value)?;
                    } else {
                        self.store_place(place, &operand, value.clone())?;
                        self.stack.push(value)?;
                    }
                }
                Op::Update(place, operator) => {
                    let right = self.pop().number();
                    let (_, new) = self.change(place, |left| calculate(operator, left, right))?;
                    if !self.is_dropped() {
                        self.stack.push(Value::Number(new))?;
                    }
                }
                Op::Step { place, delta, gives_old } => {
                    let (old, new) = self.change(place, |old| Ok(old + f64::from(delta)))?;
                    if !self.is_dropped() {
                        self.stack.push(Value::Number(if gives_old { old } else { new }))?;
                    }
                }
                Op::Append(variable, count) => self.append(variable, count as usize)?,
                Op::Binary(operator) => {
                    let right = self.pop().number();
                    let left = self.stack.last().map_or(0.0, Value::number);
                    let value = Value::Number(calculate(operator, left, right)?);
                    self.set_top(value)?;
                }
                Op::Compare(comparison) => {
                    let (right, left) = (self.pop(), self.pop());
                    let order = left.compare(&right, &self.settings.convfmt);
                    let is_true = holds(comparison, order);
                    match self.program.code.get(self.pc) {
                        Some(&Op::JumpIfFalse(target)) => {
                            self.pc = if is_true { self.pc + 1 } else { target as usize };
                        }
                        _ => self.stack.push(Value::truth(is_true))?,
                    }
                }
                Op::Concatenate(count) => self.join(count as usize, false)?,
                Op::Subscripts(count) => self.join(count as usize, true)?,
                Op::Match { is_negated } => {
                    let (pattern, text) = (self.pop(), self.pop());
                    let regex = self.regex_of(&pattern)?;
                    let mut buffer = Vec::new();
                    let text = text.bytes(&self.settings.convfmt, &mut buffer);
                    let found = regex.is_match_ticked(text, &mut MeterTicker::new(&self.meter));
                    let found = found.map_err(|error| self.regex_fault(&error, b""))?;
                    self.stack.push(Value::truth(found != is_negated))?;
                }
                Op::In(array) => {
                    let key = self.pop_text()?;
                    let number = self.array(array)?;
                    let has = self.table(number)?.contains(&key);
                    self.stack.push(Value::truth(has))?;
                }
                Op::Not => {
                    let is_true = self.pop().is_true();
                    self.stack.push(Value::truth(!is_true))?;
                }
                Op::Negate => {
                    let number = self.pop().number();
                    self.stack.push(Value::Number(-number))?;
                }
                Op::Number => {
                    let number = self.pop().number();
                    self.stack.push(Value::Number(number))?;
                }
                Op::Truth => {
                    let is_true = self.pop().is_true();
                    self.stack.push(Value::truth(is_true))?;
                }
                Op::Pop => {
                    self.pop();
                }
                Op::Jump(target) => {
                    let is_back = (target as usize) < self.pc;
                    self.pc = target as usize;
                    if is_back && self.turn() {
                        return Ok(self.tick());
                    }
                }
                Op::JumpIfFalse(target) => {
                    if !self.pop().is_true() {
                        self.pc = target as usize;
                    }
                }
                Op::JumpIfTrue(target) => {
                    if self.pop().is_true() {
                        self.pc = target as usize;
                        if self.turn() {
                            return Ok(self.tick());
                        }
                    }
                }
                Op::Call(function, count) => {
                    self.call(function, count as usize)?;
                    if self.turn() {
                        return Ok(self.tick());
                    }
                }
                Op::Return => self.leave()?,
                Op::Function(function, count) => {
                    if let Some(pause) = self.function(function, count as usize)? {
                        return Ok(pause);
                    }
                    if self.turns >= TURNS_PER_TICK {
                        return Ok(self.tick());
                    }
                }
                Op::Substitute { is_global, place } => self.substitute(is_global, place)?,
                Op::Getline(source, place) => return self.getline(source, place),
                Op::Print(count, redirect) => {
                    if let Some(pause) = self.print(count as usize, redirect, stdout)? {
                        return Ok(pause);
                    }
                }
                Op::Printf(count, redirect) => {
                    if let Some(pause) = self.printf(count as usize, redirect, stdout)? {
                        return Ok(pause);
                    }
                }
                Op::Delete(array) => {
                    let number = self.array(array)?;
                    self.table(number)?.clear()?;
                }
                Op::DeleteElement(array) => {
                    let key = self.pop_text()?;
                    let number = self.array(array)?;
                    self.table(number)?.remove(&key)?;
                }
                Op::ForIn(array) => {
                    if self.for_in(array)? {
                        return Ok(self.tick());
                    }
                }
                Op::ForNext(target) => match self.iterators.last_mut().and_then(|iterator| iterator.keys.next()) {
                    Some(key) => self.stack.push(Value::Input(key))?,
                    None => self.pc = target as usize,
                },
                Op::ForEnd => {
                    self.iterators.pop();
                }
                Op::Next => return Ok(Pause::Next),
                Op::NextFile => return Ok(Pause::NextFile),
                Op::Exit(has_status) => {
                    if has_status {
                        self.status = self.pop().number() as i64 as u8;
                    }
                    return Ok(Pause::Exit);
                }
                Op::RangeIsOpen(range, target) => {
                    if self.ranges.get(range as usize) == Some(&true) {
                        self.pc = target as usize;
                    }
                }
                Op::SetRange(range, is_open) => {
                    if let Some(range) = self.ranges.get_mut(range as usize) {
                        *range = is_open;
                    }
                }
                Op::Done => return Ok(Pause::Done),
            }
        }
    }

    fn tick(&mut self) -> Pause {
        self.turns = 0;
        Pause::Tick
    }

    /// Asks for a tick soon: a function did much work.
    pub(super) fn has_worked(&mut self) {
        self.turns = self.turns.saturating_add(TURNS_PER_TICK / 4);
    }

    fn argument(&mut self, variable: Var) -> Result<(), Fault> {
        let value = match self.slot(variable) {
            Value::Array(number) => Value::Array(*number),
            Value::Unset if variable != Var::Global(NF) => match variable {
                Var::Global(slot) => Value::Untyped(Origin::Global(slot)),
                Var::Local(slot) => Value::Untyped(Origin::Stack(self.base + slot as usize)),
            },
            Value::Untyped(origin) => Value::Untyped(*origin),
            _ => self.load(variable)?,
        };
        self.push(value)
    }

    fn call(&mut self, function: u32, count: usize) -> Result<(), Fault> {
        let Some(definition) = self.program.functions.get(function as usize) else { return Ok(()) };
        let parameters = definition.parameters.len();
        if count > parameters {
            let name = String::from_utf8_lossy(&definition.name);
            return Err(Fault::fatal(format!(
                "function `{name}' called with more arguments than declared"
            )));
        }
        if self.frames.len() as u64 >= self.meter.limits().frames {
            return Err(self.meter.fail(Limit::Frames).into());
        }
        let base = self.stack.len() - count.min(self.stack.len());
        self.frames.push(Frame { return_to: self.pc, base: self.base, iterators: self.iterators.len() })?;
        for _ in count..parameters {
            self.stack.push(Value::Unset)?;
        }
        self.base = base;
        self.pc = definition.entry.unwrap_or(0) as usize;
        Ok(())
    }

    fn leave(&mut self) -> Result<(), Fault> {
        let value = self.pop();
        // Arrays that a local variable made go; those that were given stay with their owner.
        let depth = self.frames.len();
        for local in self.stack.iter().skip(self.base) {
            if let Value::Array(number) = local
                && self.arrays.owner(*number) == depth
            {
                self.arrays.release(*number);
            }
        }
        self.stack.truncate(self.base);
        if let Some(frame) = self.frames.pop() {
            self.base = frame.base;
            self.pc = frame.return_to;
            self.iterators.truncate(frame.iterators);
        }
        self.push(match value {
            Value::Array(_) | Value::Untyped(_) | Value::Regex(_) => Value::Unset,
            value => value,
        })
    }

    /// The depth of the call whose locals hold a place of the stack.
    fn depth_of(&self, place: usize) -> usize {
        if place >= self.base {
            return self.frames.len();
        }
        self.frames.partition_point(|frame| frame.base <= place).saturating_sub(1)
    }

    fn append(&mut self, variable: Var, count: usize) -> Result<(), Fault> {
        let first = self.stack.len().saturating_sub(count);
        let _charge = self.charge_texts(first, 0)?;
        let mut more = std::mem::take(&mut self.output);
        more.clear();
        for value in self.stack.iter().skip(first) {
            value.push_text(&self.settings.convfmt, &mut more);
        }
        self.stack.truncate(first);
        let old = self.load(variable)?;
        let mut text = self.text(&old)?;
        drop(old);
        // Nobody else may hold the text while it grows.
        self.set_slot(variable, Value::Unset);
        let appended = text.append(&more, &self.meter);
        more.clear();
        self.output = more;
        appended?;
        // The value is dropped at once, as a rule: then the variable alone holds the text.
        if !self.is_dropped() {
            self.push(Value::Text(text.clone()))?;
        }
        self.set_slot(variable, Value::Text(text));
        Ok(())
    }

    fn join(&mut self, count: usize, with_separator: bool) -> Result<(), Fault> {
        let first = self.stack.len().saturating_sub(count);
        let _charge = self.charge_texts(first, if with_separator { self.settings.subsep.len() } else { 0 })?;
        let mut text = std::mem::take(&mut self.output);
        text.clear();
        for (index, value) in self.stack.iter().skip(first).enumerate() {
            if with_separator && index > 0 {
                text.extend_from_slice(&self.settings.subsep);
            }
            value.push_text(&self.settings.convfmt, &mut text);
        }
        self.stack.truncate(first);
        let joined = Str::new(&text, &self.meter)?;
        text.clear();
        text.shrink_to(OUTPUT_BYTES);
        self.output = text;
        self.push(Value::Text(joined))
    }

    /// Takes the live bytes that the texts of the values from `first` on need together, `between` bytes after each.
    fn charge_texts(&self, first: usize, between: usize) -> Result<Option<Charge>, Fault> {
        let sizes = self.stack.iter().skip(first).map(|value| text_size(value).saturating_add(between));
        let size = sizes.fold(0_usize, usize::saturating_add);
        Ok(if size > OUTPUT_BYTES { Some(self.meter.charge(size as u64)?) } else { None })
    }

    /// Begins a loop over subscripts; whether they must be sorted first.
    fn for_in(&mut self, array: Var) -> Result<bool, Fault> {
        let number = self.array(array)?;
        if let Some(order) = self.sort_order() {
            self.start_job(number, Purpose::Loop, Order::named(&order));
            return Ok(true);
        }
        let Some(table) = self.arrays.get(number) else { return Ok(false) };
        let charge = self.meter.charge((table.len() * size_of::<Str>()) as u64)?;
        let keys: Vec<Str> = table.iter().map(|(key, _)| key.clone()).collect();
        self.iterators.push(Iterator { keys: Vec::into_iter(keys), _charge: charge })?;
        Ok(false)
    }

    /// Starts a sort; the next steps go on with it.
    pub(super) fn start_job(&mut self, source: u32, purpose: Purpose, order: Order) {
        let job = Job::new(source, purpose, order, self.settings.convfmt.clone(), &self.meter);
        self.sorting =
            Some(Box::new(Sorting { job, sorted: None, rubbish: None, keys: Vec::new(), count: 0 }));
    }

    /// Goes on with a sort, or with what is done with its result.
    fn sort_on(&mut self, mut sorting: Box<Sorting>) -> Result<(), Fault> {
        let Sorting { job, sorted, rubbish, keys, count } = &mut *sorting;
        if rubbish.as_mut().is_some_and(Rubbish::free) {
            self.sorting = Some(sorting);
            return Ok(());
        }
        let Some(entries) = sorted else {
            if let Some(table) = self.arrays.get(job.source) {
                *sorted = job.go_on(table, &self.meter)?;
            }
            if let (Some(_), Purpose::Fill { target, .. }) = (&sorted, job.purpose)
                && let Some(table) = self.arrays.get_mut(target)
            {
                *rubbish = Some(table.take(&self.meter));
            }
            self.sorting = Some(sorting);
            return Ok(());
        };
        for _ in 0..super::sort::AT_ONCE {
            let Some(entry) = job.next(entries) else { return self.sorted(*sorting) };
            *count += 1;
            match job.purpose {
                Purpose::Loop => keys.push(entry.key),
                Purpose::Fill { target, subscripts } => {
                    let value = if subscripts { Value::Text(entry.key) } else { entry.value };
                    if let Some(table) = self.arrays.get_mut(target) {
                        *table.entry(super::function::number_key(*count))? = value;
                    }
                }
            }
        }
        self.sorting = Some(sorting);
        Ok(())
    }

    /// A sort is done: its operation goes on.
    fn sorted(&mut self, sorting: Sorting) -> Result<(), Fault> {
        let Sorting { mut job, keys, count, .. } = sorting;
        match job.purpose {
            Purpose::Fill { .. } => self.push(Value::Number(count as f64)),
            Purpose::Loop => {
                job.charge.set((keys.len() * size_of::<Str>()) as u64)?;
                self.iterators.push(Iterator { keys: keys.into_iter(), _charge: job.charge })?;
                Ok(())
            }
        }
    }

    /// `PROCINFO["sorted_in"]`
    fn sort_order(&self) -> Option<Str> {
        let Value::Array(number) = self.global(PROCINFO) else { return None };
        match self.arrays.get(*number)?.get(b"sorted_in")? {
            Value::Text(text) | Value::Input(text) if text.starts_with(b"@") => Some(text.clone()),
            _ => None,
        }
    }

    fn getline(&mut self, source: Source, place: Option<Place>) -> Result<Pause, Fault> {
        // For a command the place's operand is above the name, for a file below it.
        let name = match source {
            Source::Main => Str::EMPTY,
            Source::File => self.pop_text()?,
            Source::Command => {
                let operand = place.map(|place| self.pop_operand(place));
                let name = self.pop_text()?;
                if let (Some(operand), Some(Place::Field | Place::Element(_))) = (operand, place) {
                    self.push(operand)?;
                }
                name
            }
        };
        Ok(Pause::Getline(source, place, name))
    }

    /// Takes the outcome of a `getline`: 1 and a record, 0 at the end, -1 after an error.
    pub(super) fn getline_done(
        &mut self,
        place: Option<Place>,
        outcome: i8,
        record: &[u8],
    ) -> Result<(), Fault> {
        let operand = place.map_or(Value::Unset, |place| self.pop_operand(place));
        if outcome > 0 {
            match place {
                None => self.set_record(record)?,
                Some(place) => {
                    let value = Value::Input(Str::new(record, &self.meter)?);
                    self.store_place(place, &operand, value)?;
                }
            }
        }
        self.push(Value::Number(f64::from(outcome)))
    }

    /// Counts a record in `NR`, and in `FNR`.
    pub(super) fn count_record(&mut self, in_file: bool) {
        for slot in [NR, FNR].into_iter().take(if in_file { 2 } else { 1 }) {
            if let Some(value) = self.globals.get_mut(slot as usize) {
                *value = Value::Number(value.number() + 1.0);
            }
        }
    }

    fn print(
        &mut self,
        count: usize,
        redirect: Redirect,
        stdout: &mut Output,
    ) -> Result<Option<Pause>, Fault> {
        let target = if redirect == Redirect::Stdout { None } else { Some(self.pop_text()?) };
        let _charge =
            self.charge_texts(self.stack.len().saturating_sub(count), self.settings.ofs.len().max(self.settings.ors.len()))?;
        let mut text = std::mem::take(&mut self.output);
        text.clear();
        if count == 0 {
            self.rebuild_record()?;
            text.extend_from_slice(&self.record.bytes);
        }
        let first = self.stack.len().saturating_sub(count);
        for (index, value) in self.stack.iter().skip(first).enumerate() {
            if index > 0 {
                text.extend_from_slice(&self.settings.ofs);
            }
            value.push_text(&self.settings.ofmt, &mut text);
        }
        text.extend_from_slice(&self.settings.ors);
        self.stack.truncate(first);
        self.output = text;
        self.write(target, redirect, stdout)
    }

    fn printf(
        &mut self,
        count: usize,
        redirect: Redirect,
        stdout: &mut Output,
    ) -> Result<Option<Pause>, Fault> {
        let target = if redirect == Redirect::Stdout { None } else { Some(self.pop_text()?) };
        let mut text = std::mem::take(&mut self.output);
        text.clear();
        self.format(count, &mut text)?;
        self.output = text;
        self.write(target, redirect, stdout)
    }

    fn write(
        &mut self,
        target: Option<Str>,
        redirect: Redirect,
        stdout: &mut Output,
    ) -> Result<Option<Pause>, Fault> {
        match target {
            None => {
                stdout.push(&self.output)?;
                self.output.clear();
                self.output.shrink_to(OUTPUT_BYTES);
                Ok((stdout.buffered() >= OUTPUT_BYTES).then_some(Pause::Flush))
            }
            Some(name) => Ok(Some(Pause::Write(redirect, name))),
        }
    }
}

fn text_size(value: &Value) -> usize {
    match value {
        Value::Text(text) | Value::Input(text) => text.len(),
        _ => 24,
    }
}

fn calculate(operator: Binary, left: f64, right: f64) -> Result<f64, Fault> {
    Ok(match operator {
        Binary::Add => left + right,
        Binary::Subtract => left - right,
        Binary::Multiply => left * right,
        Binary::Divide if right == 0.0 => return Err(Fault::fatal("division by zero attempted")),
        Binary::Divide => left / right,
        Binary::Remainder if right == 0.0 => return Err(Fault::fatal("division by zero attempted in `%'")),
        Binary::Remainder => left % right,
        Binary::Power => left.powf(right),
    })
}

fn holds(comparison: Comparison, order: Option<Ordering>) -> bool {
    match comparison {
        Comparison::Less => order == Some(Ordering::Less),
        Comparison::LessOrEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        Comparison::Equal => order == Some(Ordering::Equal),
        Comparison::NotEqual => order != Some(Ordering::Equal),
        Comparison::Greater => order == Some(Ordering::Greater),
        Comparison::GreaterOrEqual => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
    }
}
