//! The stack machine. `step` runs until it needs something that takes waiting: input, a command, room in an output, or work
//! that may be long (`slow`); then it gives a [`Pause`] back and goes on where it was. Calls use frames of its own, so a
//! program can recurse as deep as the limit on frames allows.
//!
//! `variable` and `record` hold what operations read and change, `output` and `sorting` what they make.

mod frame;

use super::arithmetic::{calculate, calculate_assigned, holds};
use super::array::Arrays;
use super::error::Fault;
use super::field::{Need, Record, Splitter};
use super::op::*;
use super::sorting::Sorting;
use super::value::{Origin, Value};
use crate::clock::Clock;
use crate::limit::{Meter, gauge};
use crate::memory::{Box, HashMap, String, ToDecimal, Vec, format, vec};
use crate::text::Text;
use crate::utility::regex::{Dialect, Regex, RegexOptions};
use crate::utility::{Environment, Output};
use std::sync::Arc;

pub(super) use frame::Frame;

/// Jumps back and calls between two ticks.
const TURNS_PER_TICK: u32 = 256;

/// Why the machine stopped for a while.
#[derive(Debug)]
pub(super) enum Pause {
    /// Others may run.
    Tick,
    /// The operation may take long; `Machine::slow` does it.
    Slow(Op),
    /// The record is large and not yet as the next operation needs it; `Machine::prepare` sees to that.
    Prepare(Need),
    /// Standard output is to be handed on.
    Flush,
    /// These texts, of which some are long, go to standard output.
    Print(Vec<Text>),
    /// A record is wanted; `getline_done` takes it.
    Getline(Source, Option<Place>, Text),
    /// `Machine::output` goes to that file or command.
    Write(Redirect, Text),
    System(Text),
    Close(Text),
    /// A file or command; `None`: all.
    Fflush(Option<Text>),
    Next,
    NextFile,
    Exit,
    Done,
}

/// Texts of variables that are used all the time.
#[derive(Debug)]
pub(super) struct CachedVariables {
    pub(super) convfmt: Text,
    pub(super) ofmt: Text,
    pub(super) ofs: Text,
    pub(super) ors: Text,
    pub(super) subsep: Text,
    pub(super) rs: Text,
}

pub(super) struct Machine<'p> {
    pub(super) program: &'p Program,
    pub(super) meter: Arc<Meter>,
    pub(super) stack: Vec<Value>,
    pub(super) globals: Vec<Value>,
    pub(super) arrays: Arrays,
    pub(super) record: Record,
    pub(super) settings: CachedVariables,
    pub(super) splitter: Splitter,
    /// `IGNORECASE`
    pub(super) ignore_case: bool,
    pub(super) frames: Vec<Frame>,
    pub(super) iterators: Vec<crate::memory::IntoIter<Text>>,
    pub(super) ranges: Vec<bool>,
    pub(super) base: usize,
    pub(super) pc: usize,
    pub(super) turns: u32,
    pub(super) output: Vec<u8>,
    pub(super) status: u8,
    pub(super) regexes: HashMap<Vec<u8>, Regex>,
    pub(super) regex_options: RegexOptions,
    /// A sort of an array into itself was warned of.
    pub(super) has_warned_of_sort: bool,
    /// Bytes after a backslash in expressions of which gawk has warned.
    pub(super) warned_escapes: Vec<u8>,
    /// Warnings to be printed.
    pub(super) warnings: Vec<String>,
    /// State of `rand`, and the seed it started from.
    pub(super) random: u64,
    pub(super) seed: f64,
    pub(super) clock: Arc<Clock>,
    pub(super) zone: jiff::tz::TimeZone,
    /// A sort that the operation at hand waits for.
    pub(super) sorting: Option<Box<Sorting>>,
}

impl<'p> Machine<'p> {
    pub(super) fn new(
        program: &'p Program,
        meter: &Arc<Meter>,
        regex_options: RegexOptions,
        zone: jiff::tz::TimeZone,
        clock: Arc<Clock>,
    ) -> Self {
        let text = |text: &'static [u8]| Text::from_static(text);
        let mut globals = vec![Value::Unset; program.globals.len()];
        let defaults: [(u32, Value); 18] = [
            (NF, Value::Number(0.0)),
            (NR, Value::Number(0.0)),
            (FNR, Value::Number(0.0)),
            (FS, Value::Text(text(b" "))),
            (OFS, Value::Text(text(b" "))),
            (ORS, Value::Text(text(b"\n"))),
            (RS, Value::Text(text(b"\n"))),
            (SUBSEP, Value::Text(text(b"\x1c"))),
            (RSTART, Value::Number(0.0)),
            (ARGIND, Value::Number(0.0)),
            (IGNORECASE, Value::Number(0.0)),
            (FPAT, Value::Text(text(b"[^[:space:]]+"))),
            (RLENGTH, Value::Number(0.0)),
            (FILENAME, Value::Text(Text::EMPTY)),
            (RT, Value::Text(Text::EMPTY)),
            (ERRNO, Value::Text(Text::EMPTY)),
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
            stack: Vec::new(),
            globals,
            arrays: Arrays::default(),
            record: Record::default(),
            settings: CachedVariables {
                convfmt: text(b"%.6g"),
                ofmt: text(b"%.6g"),
                ofs: text(b" "),
                ors: text(b"\n"),
                subsep: text(b"\x1c"),
                rs: text(b"\n"),
            },
            splitter: Splitter::Blanks,
            ignore_case: false,
            frames: Vec::new(),
            iterators: Vec::new(),
            ranges: vec![false; program.ranges as usize],
            base: 0,
            pc: 0,
            turns: 0,
            output: Vec::new(),
            status: 0,
            regexes: HashMap::default(),
            regex_options: RegexOptions { dialect: Dialect::Awk, ..regex_options },
            has_warned_of_sort: false,
            warned_escapes: program.warned_escapes.clone(),
            warnings: Vec::new(),
            random: 0,
            seed: 1.0,
            clock,
            zone,
            sorting: None,
        }
    }

    /// Fills `ENVIRON` and `ARGV`.
    pub(super) fn set_arrays(&mut self, environment: &Environment, arguments: &[Text]) -> Result<(), Fault> {
        let environ = self.array(Var::Global(ENVIRON))?;
        for (name, value) in environment.iter() {
            let (name, value) = (name.clone(), value.clone());
            if let Some(table) = self.arrays.get_mut(environ) {
                *table.entry(name) = Value::input(value);
            }
        }
        if self.program.asks_about_process {
            let facts: [(&[u8], &[u8]); 4] = [
                (b"FS", b"FS"),
                (b"platform", b"posix"),
                (b"strftime", b"%a %b %e %H:%M:%S %Z %Y"),
                (b"version", b"5.2.1"),
            ];
            for (name, value) in facts {
                self.set_process_fact(name, value)?;
            }
        }
        let argv = self.array(Var::Global(ARGV))?;
        for (index, argument) in arguments.iter().enumerate() {
            let (key, value) = (Text::from(index.to_decimal()), argument.clone());
            if let Some(table) = self.arrays.get_mut(argv) {
                *table.entry(key) = Value::input(value);
            }
        }
        self.set_global(ARGC, Value::Number(arguments.len() as f64))
    }

    /// Sets an element of `PROCINFO`.
    pub(super) fn set_process_fact(
        &mut self,
        name: &'static [u8],
        value: &'static [u8],
    ) -> Result<(), Fault> {
        if self.program.asks_about_process {
            let number = self.array(Var::Global(PROCINFO))?;
            if let Some(table) = self.arrays.get_mut(number) {
                *table.entry(Text::from_static(name)) = Value::Text(Text::from_static(value));
            }
        }
        Ok(())
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

    pub(super) fn push(&mut self, value: Value) {
        self.stack.push(value);
    }

    pub(super) fn text(&self, value: &Value) -> Text {
        value.text(&self.settings.convfmt)
    }

    pub(super) fn pop_text(&mut self) -> Text {
        let value = self.pop();
        self.text(&value)
    }

    /// Whether the next operation drops the value that this one would push; then it is skipped.
    pub(super) fn is_dropped(&mut self) -> bool {
        let is_dropped = self.program.code.get(self.pc) == Some(&Op::Pop);
        self.pc += usize::from(is_dropped);
        is_dropped
    }

    fn set_top(&mut self, value: Value) {
        match self.stack.last_mut() {
            Some(top) => *top = value,
            None => self.push(value),
        }
    }

    fn turn(&mut self) -> bool {
        self.turns += 1;
        // What was done may have cost more than turns do.
        self.turns >= TURNS_PER_TICK || gauge::burn(0)
    }

    /// Runs to the next pause.
    pub(super) fn step(&mut self, stdout: &mut Output) -> Result<Pause, Fault> {
        if self.arrays.free_some() {
            return Ok(self.tick());
        }
        if let Some(sorting) = self.sorting.take() {
            self.sort_on(sorting);
            return Ok(self.tick());
        }
        loop {
            let Some(&op) = self.program.code.get(self.pc) else { return Ok(Pause::Done) };
            if self.record.is_large()
                && let Some(need) = self.missing(op)
            {
                return Ok(Pause::Prepare(need));
            }
            self.pc += 1;
            match op {
                Op::Constant(number) => {
                    let value = self.program.constants.get(number as usize).cloned().unwrap_or(Value::Unset);
                    self.stack.push(value);
                }
                Op::Regex(number) => self.stack.push(Value::Regex(number)),
                Op::Load(variable) => {
                    let value = match self.slot(variable) {
                        Value::Number(number) if variable != Var::Global(NF) => Value::Number(*number),
                        _ => self.load(variable)?,
                    };
                    self.stack.push(value);
                }
                Op::Argument(variable) => self.argument(variable)?,
                Op::Array(variable, function, index) => {
                    let is_scalar =
                        !matches!(self.slot(variable), Value::Unset | Value::Untyped(_) | Value::Array(_));
                    if is_scalar {
                        return Err(Self::no_array(function, index));
                    }
                    let number = self.array(variable)?;
                    self.stack.push(Value::Array(number));
                }
                Op::LoadField => {
                    let number = self.pop().number();
                    let value = self.field(number)?;
                    self.stack.push(value);
                }
                Op::Field(number) => {
                    let value = self.field_for(number, self.program.code.get(self.pc).copied())?;
                    self.stack.push(value);
                }
                Op::LoadElement(array) => {
                    let key = self.pop();
                    let value = self.load_place(Place::Element(array), &key)?;
                    self.stack.push(value);
                }
                Op::ElementArgument(array) => {
                    let key = self.pop();
                    let value = match self.load_place(Place::Element(array), &key)? {
                        Value::Unset => Value::Untyped(Origin::Nowhere),
                        value => value,
                    };
                    self.stack.push(value);
                }
                Op::NoArray(function, index) => return Err(Self::no_array(function, index)),
                Op::Swap => {
                    let top = self.stack.len();
                    if top > 1 {
                        self.stack.swap(top - 1, top - 2);
                    }
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
                        self.stack.push(value);
                    }
                }
                Op::Update(place, operator) => {
                    let right = self.pop().number();
                    if let Place::Var(Var::Global(slot)) = place
                        && slot >= SPECIAL.len() as u32
                        && let Some(Value::Number(number)) = self.globals.get_mut(slot as usize)
                    {
                        *number = calculate_assigned(operator, *number, right)?;
                        let new = *number;
                        if !self.is_dropped() {
                            self.stack.push(Value::Number(new));
                        }
                        continue;
                    }
                    let (_, new) = self.change(place, |left| calculate_assigned(operator, left, right))?;
                    if !self.is_dropped() {
                        self.stack.push(Value::Number(new));
                    }
                }
                Op::Step { place, delta, gives_old } => {
                    let (old, new) = self.change(place, |old| Ok(old + f64::from(delta)))?;
                    if !self.is_dropped() {
                        self.stack.push(Value::Number(if gives_old { old } else { new }));
                    }
                }
                Op::Append(variable, count) => self.append(variable, count as usize)?,
                Op::Binary(operator) => {
                    let right = self.pop().number();
                    let left = self.stack.last().map_or(0.0, Value::number);
                    let value = Value::Number(calculate(operator, left, right)?);
                    self.set_top(value);
                }
                Op::Compare(comparison) => {
                    let (right, left) = (self.pop(), self.pop());
                    let order = if self.ignore_case {
                        left.compare_folded(&right, &self.settings.convfmt)
                    } else {
                        left.compare(&right, &self.settings.convfmt)
                    };
                    let is_true = holds(comparison, order);
                    match self.program.code.get(self.pc) {
                        Some(&Op::JumpIfFalse(target)) => {
                            self.pc = if is_true { self.pc + 1 } else { target as usize };
                        }
                        _ => self.stack.push(Value::truth(is_true)),
                    }
                }
                Op::Concatenate(count) => {
                    if self.has_large(count as usize) {
                        return Ok(Pause::Slow(op));
                    }
                    self.join(count as usize, false);
                }
                Op::Subscripts(count) => self.join(count as usize, true),
                Op::MatchRecord(number) => match self.known_match(number) {
                    Some(is_match) => self.stack.push(Value::truth(is_match)),
                    None => return Ok(Pause::Slow(op)),
                },
                Op::Match { .. } | Op::Substitute { .. } => return Ok(Pause::Slow(op)),
                Op::In(array) => {
                    let key = self.pop_text();
                    let number = self.array(array)?;
                    let has = self.table(number)?.contains(&key);
                    self.stack.push(Value::truth(has));
                }
                Op::Not => {
                    let is_true = self.pop().is_true();
                    self.stack.push(Value::truth(!is_true));
                }
                Op::Negate => {
                    let number = self.pop().number();
                    self.stack.push(Value::Number(-number));
                }
                Op::Number => {
                    let number = self.pop().number();
                    self.stack.push(Value::Number(number));
                }
                Op::Truth => {
                    let is_true = self.pop().is_true();
                    self.stack.push(Value::truth(is_true));
                }
                Op::Pop => {
                    self.pop();
                }
                Op::Duplicate => {
                    let value = self.stack.last().cloned().unwrap_or(Value::Unset);
                    self.stack.push(value);
                }
                Op::JumpCase(target) => {
                    if self.pop().is_true() {
                        self.pop();
                        self.pc = target as usize;
                        if self.turn() {
                            return Ok(self.tick());
                        }
                    }
                }
                // The end is not a line that runs.
                Op::Jump(target) if self.program.code.get(target as usize) == Some(&Op::Done) => {
                    return Ok(Pause::Done);
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
                Op::Return => {
                    self.leave();
                    if self.arrays.has_rubbish() {
                        return Ok(self.tick());
                    }
                }
                Op::Function(function, count) => {
                    if self.is_slow(function, count as usize) {
                        return Ok(Pause::Slow(op));
                    }
                    if let Some(pause) = self.function(function, count as usize)? {
                        return Ok(pause);
                    }
                    if !self.warnings.is_empty() {
                        return Ok(self.tick());
                    }
                }
                Op::Getline(source, place) => return Ok(self.getline(source, place)),
                Op::Print(count, redirect) => {
                    if let Some(pause) = self.print(count as usize, redirect, stdout)? {
                        return Ok(pause);
                    }
                }
                Op::Printf(count, Redirect::Stdout) if self.has_large(count as usize) => {
                    return Ok(Pause::Slow(op));
                }
                Op::Printf(count, redirect) => {
                    if let Some(pause) = self.printf(count as usize, redirect, stdout)? {
                        return Ok(pause);
                    }
                }
                Op::Delete(array) => {
                    let number = self.array(array)?;
                    self.arrays.clear(number);
                    if self.arrays.has_rubbish() {
                        return Ok(self.tick());
                    }
                }
                Op::DeleteElement(array) => {
                    let key = self.pop_text();
                    let number = self.array(array)?;
                    self.table(number)?.remove(&key);
                }
                Op::ForIn(array) => {
                    if self.for_in(array)? {
                        return Ok(self.tick());
                    }
                }
                Op::ForNext(target) => match self.iterators.last_mut().and_then(Iterator::next) {
                    Some(key) => self.stack.push(Value::Text(key)),
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

    fn no_array(function: Function, index: u8) -> Fault {
        let place = ["first", "second", "third", "fourth"];
        let place = place.get(usize::from(index)).copied().unwrap_or("last");
        let name = function.name();
        Fault::fatal(format!("{name}: {place} argument is not an array"))
    }

    fn tick(&mut self) -> Pause {
        self.turns = 0;
        Pause::Tick
    }
}
