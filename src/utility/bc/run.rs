//! Runs what was compiled: operations on a stack of values; functions are on a stack of their own.

use super::op::{Assignable, Function, Local, Op};
use super::source::Source;
use crate::limit::Limit;
use crate::memory::{Arc, HashMap, String, Vec, format};
use crate::text::Text;
use crate::utility::decimal::Number;
use crate::utility::decimal::fold::push_folded;
use crate::utility::{Context, UtilityError};

type Array = HashMap<u64, Number>;

#[derive(Debug)]
enum Value {
    Number(Number),
    /// The content of an array, and whose it is.
    Array(Array, u32),
}

/// What a call has to put back.
#[derive(Debug)]
enum Saved {
    Variable(u32, Option<Number>),
    Array(u32, Option<Array>),
    /// A parameter that stands for the caller's array.
    Reference(u32, u32, Option<Array>),
}

struct Frame {
    code: Arc<Vec<Op>>,
    at: usize,
    name: Text,
    is_void: bool,
    saved: Vec<Saved>,
    /// Values on the stack that are not the function's.
    base: usize,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Done,
    Halt,
}

/// See the module.
pub(super) struct Machine {
    pub(super) functions: HashMap<u32, Arc<Function>>,
    pub(super) function_names: HashMap<u32, Text>,
    variables: HashMap<u32, Number>,
    arrays: HashMap<u32, Array>,
    stack: Vec<Value>,
    frames: Vec<Frame>,
    pub(super) scale: usize,
    input_base: u32,
    output_base: u64,
    last: Number,
    column: usize,
    line_length: usize,
}

/// What goes wrong in a program: it is told, and the statement ends.
enum Stop {
    Runtime(String),
    End(UtilityError),
}

impl<E: Into<UtilityError>> From<E> for Stop {
    fn from(error: E) -> Self {
        Self::End(error.into())
    }
}

impl Machine {
    pub(super) fn new(line_length: usize) -> Self {
        Self {
            functions: HashMap::default(),
            function_names: HashMap::default(),
            variables: HashMap::default(),
            arrays: HashMap::default(),
            stack: Vec::new(),
            frames: Vec::new(),
            scale: 0,
            input_base: 10,
            output_base: 10,
            last: Number::default(),
            column: 0,
            // One character is kept free.
            line_length: line_length.saturating_sub(1),
        }
    }

    /// Runs statements.
    pub(super) async fn run(
        &mut self,
        ctx: &mut Context,
        source: &mut Source,
        code: Vec<Op>,
    ) -> Result<End, UtilityError> {
        self.frames.clear();
        self.stack.clear();
        self.frames.push(Frame {
            code: Arc::new(code),
            at: 0,
            name: Text::from_static(b"(main)"),
            is_void: false,
            saved: Vec::new(),
            base: 0,
        });
        loop {
            ctx.tick().await?;
            let Some(frame) = self.frames.last_mut() else { return Ok(End::Done) };
            let Some(op) = frame.code.get(frame.at).cloned() else {
                return Ok(End::Done);
            };
            frame.at += 1;
            if matches!(op, Op::Halt) {
                return Ok(End::Halt);
            }
            match self.step(ctx, source, op).await {
                Ok(()) => {}
                Err(Stop::End(error)) => return Err(error),
                Err(Stop::Runtime(message)) => {
                    ctx.stdout.flush().await?;
                    let line = self.placed("error", &message);
                    ctx.warn_plain(line);
                    while let Some(frame) = self.frames.pop() {
                        self.put_back(frame.saved);
                    }
                    return Ok(End::Done);
                }
            }
        }
    }

    /// A message with the function and the place in it.
    fn placed(&self, kind: &str, message: &str) -> String {
        let (name, at) = self.frames.last().map_or((Text::EMPTY, 0), |frame| (frame.name.clone(), frame.at));
        format!("Runtime {kind} (func={name}, adr={at}): {message}")
    }

    async fn warn(&self, ctx: &mut Context, message: &str) -> Result<(), UtilityError> {
        ctx.stdout.flush().await?;
        let line = self.placed("warning", message);
        ctx.warn_plain(line);
        Ok(())
    }

    fn pop(&mut self) -> Number {
        match self.stack.pop() {
            Some(Value::Number(number)) => number,
            _ => Number::default(),
        }
    }

    fn push(&mut self, number: Number) {
        self.stack.push(Value::Number(number));
    }

    fn jump(&mut self, to: usize) {
        if let Some(frame) = self.frames.last_mut() {
            frame.at = to;
        }
    }

    async fn step(&mut self, ctx: &mut Context, source: &mut Source, op: Op) -> Result<(), Stop> {
        match op {
            Op::Number(digits) => {
                let number = Number::read(&digits, self.input_base, &ctx.meter, true).await?;
                self.push(number);
            }
            Op::Load(place) => {
                let value = self.load(place)?;
                self.push(value);
            }
            Op::LoadKeep(name) => {
                let index = self.pop();
                self.push(index.clone());
                self.push(index);
                let value = self.load(Assignable::Element(name))?;
                self.push(value);
            }
            Op::Store(place) => {
                let value = self.pop();
                self.store(ctx, place, value.clone()).await?;
                self.push(value);
            }
            Op::Step { place, down, before } => {
                if matches!(place, Assignable::Element(_)) {
                    let index = self.pop();
                    self.push(index.clone());
                    self.push(index);
                }
                let old = self.load(place)?;
                let new = if down { old.subtract(&Number::of(1)) } else { old.add(&Number::of(1)) };
                self.store(ctx, place, new.clone()).await?;
                self.push(if before { old } else { new });
            }
            Op::Binary(operator) => {
                let (two, one) = (self.pop(), self.pop());
                let value = self.binary(ctx, operator, &one, &two).await?;
                self.push(value);
            }
            Op::Negate => {
                let value = self.pop().negated();
                self.push(value);
            }
            Op::Not => {
                let value = self.pop().is_zero();
                self.push(Number::of(u64::from(value)));
            }
            Op::Truth => {
                let value = !self.pop().is_zero();
                self.push(Number::of(u64::from(value)));
            }
            Op::Jump(to) => self.jump(to),
            Op::JumpZero(to) => {
                if self.pop().is_zero() {
                    self.jump(to);
                }
            }
            Op::JumpNonzero(to) => {
                if !self.pop().is_zero() {
                    self.jump(to);
                }
            }
            Op::Pop => {
                self.stack.pop();
            }
            Op::Print | Op::PrintPart => {
                let is_line = matches!(op, Op::Print);
                // The value of a function that has none.
                let Some(Value::Number(number)) = self.stack.pop() else { return Ok(()) };
                let text = number.write(self.output_base, &ctx.meter).await?;
                self.column = push_folded(ctx, &text, self.column, self.line_length);
                if is_line {
                    self.text(ctx, b"\n");
                }
                self.last = number;
                ctx.stdout.flush_if_full().await?;
            }
            Op::Text(text) => {
                self.text(ctx, &text);
                ctx.stdout.flush_if_full().await?;
            }
            Op::Escaped(text) => {
                let text = unescaped(&text);
                self.text(ctx, &text);
                ctx.stdout.flush_if_full().await?;
            }
            Op::Array(name) => {
                let content = self.arrays.get(&name).cloned().unwrap_or_default();
                self.stack.push(Value::Array(content, name));
            }
            Op::Call(name, kinds) => self.call(ctx, name, &kinds)?,
            Op::Return => self.leave(),
            Op::Length => {
                let length = self.pop().length();
                self.push(Number::of(length as u64));
            }
            Op::ScaleOf => {
                let scale = self.pop().scale();
                self.push(Number::of(scale as u64));
            }
            Op::Root => {
                let root = self.pop().root(self.scale, &ctx.meter).await?;
                let root = root.ok_or_else(|| Stop::Runtime("Square root of a negative number".into()))?;
                self.push(root);
            }
            Op::Read => {
                let word = source.read_word(ctx).await?;
                let number = Number::read(&word, self.input_base, &ctx.meter, true).await?;
                self.push(number);
            }
            Op::Limits => {
                self.text(
                    ctx,
                    b"BC_BASE_MAX     = 2147483647\nBC_DIM_MAX      = 16777215\nBC_SCALE_MAX    = 2147483647\nBC_STRING_MAX   = 2147483647\nMAX Exponent    = 9223372036854775807\nNumber of vars  = 32767\n",
                );
            }
            Op::Warranty => self.text(ctx, b"bc (hookbox) comes with ABSOLUTELY NO WARRANTY.\n"),
            Op::Halt => {}
        }
        Ok(())
    }

    /// Text is not folded.
    fn text(&mut self, ctx: &mut Context, text: &[u8]) {
        ctx.stdout.push(text);
        self.column = match text.iter().rposition(|&byte| byte == b'\n') {
            Some(end) => text.len() - end - 1,
            None => self.column + text.len(),
        };
    }

    fn index(&mut self, name: u32) -> Result<u64, Stop> {
        let index = self.pop();
        let in_range =
            index.to_u64().filter(|&value| value <= 16_777_215 && !(index.is_negative() && value > 0));
        in_range.ok_or_else(|| {
            let shown = self.function_names.get(&name).cloned().unwrap_or(Text::EMPTY);
            Stop::Runtime(format!("Array {shown} subscript out of bounds."))
        })
    }

    fn load(&mut self, place: Assignable) -> Result<Number, Stop> {
        Ok(match place {
            Assignable::Variable(name) => self.variables.get(&name).cloned().unwrap_or_default(),
            Assignable::Element(name) => {
                let index = self.index(name)?;
                self.arrays.get(&name).and_then(|array| array.get(&index)).cloned().unwrap_or_default()
            }
            Assignable::Scale => Number::of(self.scale as u64),
            Assignable::InputBase => Number::of(u64::from(self.input_base)),
            Assignable::OutputBase => Number::of(self.output_base),
            Assignable::Last => self.last.clone(),
        })
    }

    async fn store(&mut self, ctx: &mut Context, place: Assignable, value: Number) -> Result<(), Stop> {
        let whole = value.to_u64();
        match place {
            Assignable::Variable(name) => {
                self.variables.insert(name, value);
            }
            Assignable::Element(name) => {
                let index = self.index(name)?;
                if let Some(array) = self.arrays.get_or_default(name) {
                    array.insert(index, value);
                }
            }
            Assignable::Last => self.last = value,
            Assignable::Scale => {
                self.scale = 0;
                if value.is_negative() {
                    self.warn(ctx, "negative scale, set to 0").await?;
                } else {
                    let most = 2_147_483_647;
                    let scale = whole.filter(|&scale| scale <= most);
                    if scale.is_none() {
                        self.warn(ctx, "scale too large, set to 2147483647").await?;
                    }
                    self.scale = usize::try_from(scale.unwrap_or(most)).unwrap_or(0);
                }
            }
            Assignable::InputBase => match whole {
                Some(base @ 2..=36) if !value.is_negative() => self.input_base = base as u32,
                Some(0 | 1) => {
                    self.warn(ctx, "ibase too small, set to 2").await?;
                    self.input_base = 2;
                }
                _ if value.is_negative() => {
                    self.warn(ctx, "ibase too small, set to 2").await?;
                    self.input_base = 2;
                }
                _ => {
                    self.warn(ctx, "ibase too large, set to 36").await?;
                    self.input_base = 36;
                }
            },
            Assignable::OutputBase => match whole {
                Some(base) if base >= 2 && !value.is_negative() => self.output_base = base.min(2_147_483_647),
                _ => {
                    self.warn(ctx, "obase too small, set to 2").await?;
                    self.output_base = 2;
                }
            },
        }
        Ok(())
    }

    async fn binary(
        &mut self,
        ctx: &mut Context,
        operator: &str,
        one: &Number,
        two: &Number,
    ) -> Result<Number, Stop> {
        let truth = |holds: bool| Number::of(u64::from(holds));
        Ok(match operator {
            "+" => one.add(two),
            "-" => one.subtract(two),
            "*" => one.multiply(two, self.scale, &ctx.meter).await?,
            "/" => one
                .divide(two, self.scale, &ctx.meter)
                .await?
                .ok_or_else(|| Stop::Runtime("Divide by zero".into()))?,
            "%" => {
                let rest = one.divide_with_rest(two, self.scale, &ctx.meter).await?;
                rest.ok_or_else(|| Stop::Runtime("Modulo by zero".into()))?.1
            }
            "^" => {
                if two.scale() > 0 && !two.is_whole() {
                    self.warn(ctx, "non-zero scale in exponent").await?;
                }
                let exponent = two.to_u64().and_then(|value| i64::try_from(value).ok());
                let exponent = exponent.ok_or_else(|| Stop::Runtime("exponent too large in raise".into()))?;
                let exponent = if two.is_negative() { -exponent } else { exponent };
                let power = one.raise(exponent, self.scale, &ctx.meter).await?;
                power.ok_or_else(|| Stop::Runtime("divide by zero".into()))?
            }
            "==" => truth(one.compare(two).is_eq()),
            "!=" => truth(one.compare(two).is_ne()),
            "<" => truth(one.compare(two).is_lt()),
            "<=" => truth(one.compare(two).is_le()),
            ">" => truth(one.compare(two).is_gt()),
            _ => truth(one.compare(two).is_ge()),
        })
    }

    /// Sets a variable or an array of a function's own; what it was is kept.
    fn set_local(&mut self, saved: &mut Vec<Saved>, local: Local, value: Option<Value>) {
        if local.is_array {
            let (content, from) = match value {
                Some(Value::Array(content, from)) => (content, Some(from)),
                _ => (Array::default(), None),
            };
            let old = self.arrays.remove(&local.name);
            self.arrays.insert(local.name, content);
            saved.push(match from.filter(|_| local.is_reference) {
                Some(from) => Saved::Reference(local.name, from, old),
                None => Saved::Array(local.name, old),
            });
        } else {
            let value = match value {
                Some(Value::Number(number)) => number,
                _ => Number::default(),
            };
            let old = self.variables.remove(&local.name);
            self.variables.insert(local.name, value);
            saved.push(Saved::Variable(local.name, old));
        }
    }

    fn put_back(&mut self, saved: Vec<Saved>) {
        for one in saved.into_iter().rev() {
            match one {
                Saved::Variable(name, old) => {
                    self.variables.remove(&name);
                    if let Some(old) = old {
                        self.variables.insert(name, old);
                    }
                }
                Saved::Array(name, old) => {
                    self.arrays.remove(&name);
                    if let Some(old) = old {
                        self.arrays.insert(name, old);
                    }
                }
                Saved::Reference(name, from, old) => {
                    let content = self.arrays.remove(&name).unwrap_or_default();
                    if let Some(old) = old {
                        self.arrays.insert(name, old);
                    }
                    self.arrays.insert(from, content);
                }
            }
        }
    }

    fn call(&mut self, ctx: &Context, name: u32, kinds: &[bool]) -> Result<(), Stop> {
        let shown = self.function_names.get(&name).cloned().unwrap_or(Text::EMPTY);
        let function = self.functions.get(&name).cloned();
        let function = function.ok_or_else(|| Stop::Runtime(format!("Function {shown} not defined.")))?;
        if function.parameters.len() != kinds.len() {
            return Err(Stop::Runtime("Parameter number mismatch".into()));
        }
        if function.parameters.iter().zip(kinds).any(|(local, is_array)| local.is_array != *is_array) {
            return Err(Stop::Runtime(format!("Parameter type mismatch, parameter {shown}.")));
        }
        if self.frames.len() as u64 >= ctx.meter.limits().frames {
            return Err(UtilityError::from(ctx.meter.fail(Limit::Frames)).into());
        }
        let base = self.stack.len().saturating_sub(kinds.len());
        let values = self.stack.split_off(base);
        let mut saved = Vec::new();
        for (local, value) in function.parameters.iter().zip(values) {
            self.set_local(&mut saved, *local, Some(value));
        }
        for local in &function.autos {
            self.set_local(&mut saved, *local, None);
        }
        let code = Arc::clone(&function.code);
        self.frames.push(Frame { code, at: 0, name: shown, is_void: function.is_void, saved, base });
        Ok(())
    }

    /// Returns from a function with the value on top.
    fn leave(&mut self) {
        let value = self.pop();
        let Some(frame) = self.frames.pop() else { return };
        self.stack.truncate(frame.base);
        self.put_back(frame.saved);
        if frame.is_void {
            self.stack.push(Value::Array(Array::default(), 0));
        } else {
            self.push(value);
        }
    }
}

/// The escapes of `print`.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        match bytes.next() {
            Some(b'a') => out.push(7),
            Some(b'b') => out.push(8),
            Some(b'f') => out.push(12),
            Some(b'n') => out.push(b'\n'),
            Some(b'q') => out.push(b'"'),
            Some(b'r') => out.push(b'\r'),
            Some(b't') => out.push(b'\t'),
            Some(b'\\') => out.push(b'\\'),
            Some(_) | None => {}
        }
    }
    out
}
