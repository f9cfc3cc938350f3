//! Runs programs of `dc`.

use crate::memory::{HashMap, String, Vec, format, vec};
use crate::text::Text;
use crate::utility::context::pace::append;
use crate::utility::decimal::Number;
use crate::utility::decimal::fold::push_folded;
use crate::utility::{Context, UtilityError};

/// What is on the stack.
#[derive(Clone, Debug)]
enum Value {
    Number(Number),
    Text(Text),
}

/// A register: a stack of values, each with an array.
#[derive(Debug, Default)]
struct Register(Vec<Slot>);

#[derive(Debug, Default)]
struct Slot {
    value: Option<Value>,
    array: HashMap<u64, Value>,
}

/// A text that is run, and the place in it.
struct Frame {
    text: Text,
    at: usize,
}

/// See the module.
pub(super) struct Machine {
    stack: Vec<Value>,
    registers: HashMap<u8, Register>,
    frames: Vec<Frame>,
    scale: usize,
    input_base: u32,
    output_base: u64,
    line_length: usize,
}

/// Why a command did nothing.
type Complaint = String;

impl Machine {
    pub(super) fn new(line_length: usize) -> Self {
        Self {
            stack: Vec::new(),
            registers: HashMap::default(),
            frames: Vec::new(),
            scale: 0,
            input_base: 10,
            output_base: 10,
            line_length,
        }
    }

    /// Runs a text; whether it said to quit.
    pub(super) async fn run(&mut self, ctx: &mut Context, text: Vec<u8>) -> Result<bool, UtilityError> {
        self.frames.clear();
        self.frames.push(Frame { text: Text::from(text), at: 0 });
        while !self.frames.is_empty() {
            ctx.tick().await?;
            let Some(byte) = self.next() else {
                self.frames.pop();
                continue;
            };
            if matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0) {
                continue;
            }
            if byte == b'q' {
                if self.frames.len() <= 2 {
                    return Ok(true);
                }
                self.leave(2);
                continue;
            }
            let result = self.command(ctx, byte).await?;
            ctx.stdout.flush_if_full().await?;
            if let Err(complaint) = result {
                ctx.stdout.flush().await?;
                ctx.warn(complaint);
            }
        }
        Ok(false)
    }

    fn next(&mut self) -> Option<u8> {
        let frame = self.frames.last_mut()?;
        let byte = frame.text.get(frame.at).copied()?;
        frame.at += 1;
        Some(byte)
    }

    fn peek(&self) -> Option<u8> {
        let frame = self.frames.last()?;
        frame.text.get(frame.at).copied()
    }

    fn leave(&mut self, levels: usize) {
        self.frames.truncate(self.frames.len().saturating_sub(levels));
    }

    fn pop(&mut self) -> Result<Value, Complaint> {
        self.stack.pop().ok_or_else(|| "stack empty".into())
    }

    /// The two numbers on top, where there are two.
    fn pair(&mut self) -> Result<(Number, Number), Complaint> {
        match self.stack.as_slice() {
            [.., Value::Number(one), Value::Number(two)] => {
                let pair = (one.clone(), two.clone());
                self.stack.truncate(self.stack.len() - 2);
                Ok(pair)
            }
            [_, .., _] => Err("non-numeric value".into()),
            _ => Err("stack empty".into()),
        }
    }

    fn number(&mut self) -> Result<Number, Complaint> {
        match self.pop()? {
            Value::Number(number) => Ok(number),
            Value::Text(_) => Err("non-numeric value".into()),
        }
    }

    fn register_name(&mut self) -> Result<u8, Complaint> {
        self.next().ok_or_else(|| "unexpected EOS".into())
    }

    async fn command(&mut self, ctx: &mut Context, byte: u8) -> Result<Result<(), Complaint>, UtilityError> {
        Ok(match byte {
            b'0'..=b'9' | b'A'..=b'F' | b'_' | b'.' => {
                self.literal(ctx, byte).await?;
                Ok(())
            }
            b'+' | b'-' | b'*' | b'/' | b'%' | b'^' | b'~' => self.arithmetic(ctx, byte).await?,
            b'|' => self.power_modulo(ctx).await?,
            b'v' => self.root(ctx).await?,
            b'[' => {
                self.bracket(ctx).await?;
                Ok(())
            }
            b'p' | b'n' | b'P' | b'f' => self.print(ctx, byte).await?,
            b'x' => self.execute(ctx)?,
            b'<' | b'>' | b'=' => {
                let chosen = self.compare(byte, false);
                self.run_chosen(ctx, chosen)?
            }
            b'!' => match self.peek() {
                Some(relation @ (b'<' | b'>' | b'=')) => {
                    self.next();
                    let chosen = self.compare(relation, true);
                    self.run_chosen(ctx, chosen)?
                }
                _ => self.system(ctx).await?,
            },
            b'?' => {
                let mut input = ctx.standard_input();
                let line = input.next_line_unbuffered(b'\n').await;
                let line = line.map_err(|error| UtilityError::operand(b"-", error))?;
                let line = line.map(Text::from).unwrap_or_default();
                self.enter(ctx, line)?;
                Ok(())
            }
            b'#' => {
                while self.next().is_some_and(|byte| byte != b'\n') {
                    ctx.tick().await?;
                }
                Ok(())
            }
            b'Q' => match self.number() {
                Ok(count) => match count.to_u64().filter(|&value| value > 0 && !count.is_negative()) {
                    Some(count) => {
                        let most = self.frames.len() - 1;
                        self.leave(usize::try_from(count).unwrap_or(most).min(most));
                        Ok(())
                    }
                    None => Err("Q command requires a number >= 1".into()),
                },
                Err(complaint) => Err(complaint),
            },
            byte => self.simple(byte),
        })
    }

    /// Commands that neither wait nor take long.
    fn simple(&mut self, byte: u8) -> Result<(), Complaint> {
        match byte {
            b'c' => self.stack.clear(),
            b'd' => {
                let top = self.stack.last().cloned().ok_or("stack empty")?;
                self.stack.push(top);
            }
            b'r' => {
                let count = self.stack.len();
                if count < 2 {
                    return Err("stack empty".into());
                }
                self.stack.swap(count - 1, count - 2);
            }
            b'R' => {
                let number = self.number()?;
                let count = usize::try_from(number.to_u64().unwrap_or(u64::MAX)).unwrap_or(usize::MAX);
                if count > self.stack.len() {
                    return Ok(());
                }
                let start = self.stack.len() - count;
                if let Some(top) = self.stack.get_mut(start..).filter(|top| top.len() > 1) {
                    if number.is_negative() { top.rotate_right(1) } else { top.rotate_left(1) }
                }
            }
            b's' | b'S' | b'l' | b'L' | b':' | b';' => return self.register(byte),
            b'i' => match self.number()?.to_u64() {
                Some(base @ 2..=16) => self.input_base = base as u32,
                _ => return Err("input base must be a number between 2 and 16 (inclusive)".into()),
            },
            b'o' => match self.number()? {
                base if !base.is_negative() && base.to_u64().is_some_and(|base| base > 1) => {
                    self.output_base = base.to_u64().unwrap_or(10);
                }
                _ => return Err("output base must be a number greater than 1".into()),
            },
            b'k' => match self.number()? {
                scale
                    if !scale.is_negative()
                        && scale.to_u64().is_some_and(|scale| scale <= u64::from(u32::MAX >> 1)) =>
                {
                    self.scale = scale.to_u64().and_then(|scale| usize::try_from(scale).ok()).unwrap_or(0);
                }
                _ => return Err("scale must be a nonnegative number".into()),
            },
            b'I' => self.stack.push(Value::Number(Number::of(u64::from(self.input_base)))),
            b'O' => self.stack.push(Value::Number(Number::of(self.output_base))),
            b'K' => self.stack.push(Value::Number(Number::of(self.scale as u64))),
            b'z' => self.stack.push(Value::Number(Number::of(self.stack.len() as u64))),
            b'Z' => {
                let length = match self.pop()? {
                    Value::Number(number) => number.digit_count(),
                    Value::Text(text) => text.len(),
                };
                self.stack.push(Value::Number(Number::of(length as u64)));
            }
            b'X' => {
                let scale = match self.pop()? {
                    Value::Number(number) => number.scale(),
                    Value::Text(_) => 0,
                };
                self.stack.push(Value::Number(Number::of(scale as u64)));
            }
            b'a' => {
                let byte = match self.pop()? {
                    Value::Number(number) => number.low_byte(),
                    Value::Text(text) => text.first().copied().unwrap_or(0),
                };
                self.stack.push(Value::Text(Text::from(&[byte][..])));
            }
            byte if byte.is_ascii_graphic() => {
                return Err(format!("'{}' (0{byte:o}) unimplemented", char::from(byte)));
            }
            byte => return Err(format!("\\{byte:03o} unimplemented")),
        }
        Ok(())
    }

    fn register(&mut self, byte: u8) -> Result<(), Complaint> {
        let name = self.register_name()?;
        let shown = || {
            if name.is_ascii_graphic() {
                format!("'{}' (0{name:o})", char::from(name))
            } else {
                format!("0{name:o}")
            }
        };
        match byte {
            b's' | b'S' => {
                let value = self.pop()?;
                let Some(register) = self.registers.get_or_default(name) else { return Ok(()) };
                if byte == b'S' || register.0.is_empty() {
                    register.0.push(Slot::default());
                }
                if let Some(slot) = register.0.last_mut() {
                    slot.value = Some(value);
                }
            }
            b'l' => {
                let value = self
                    .registers
                    .get(&name)
                    .and_then(|register| register.0.last())
                    .and_then(|slot| slot.value.clone());
                self.stack.push(value.unwrap_or_else(|| Value::Number(Number::of(0))));
            }
            b'L' => {
                let slot = self.registers.get_mut(&name).and_then(|register| register.0.pop());
                let value = slot.and_then(|slot| slot.value);
                self.stack.push(value.ok_or_else(|| format!("stack register {} is empty", shown()))?);
            }
            _ => {
                let index = self.number()?;
                if index.is_negative() {
                    return Err("array index must be a nonnegative integer".into());
                }
                let index = index.to_u64().ok_or("array index must be a nonnegative integer")?;
                if byte == b':' {
                    let value = self.pop()?;
                    let Some(register) = self.registers.get_or_default(name) else { return Ok(()) };
                    if register.0.is_empty() {
                        register.0.push(Slot::default());
                    }
                    if let Some(slot) = register.0.last_mut() {
                        slot.array.insert(index, value);
                    }
                } else {
                    let slot = self.registers.get(&name).and_then(|register| register.0.last());
                    let value = slot.and_then(|slot| slot.array.get(&index)).cloned();
                    self.stack.push(value.unwrap_or_else(|| Value::Number(Number::of(0))));
                }
            }
        }
        Ok(())
    }

    async fn literal(&mut self, ctx: &mut Context, first: u8) -> Result<(), UtilityError> {
        let mut text: Vec<u8> = vec![if first == b'_' { b'-' } else { first }];
        let mut has_point = first == b'.';
        while let Some(byte) = self.peek() {
            let goes_on =
                byte.is_ascii_digit() || (b'A'..=b'F').contains(&byte) || (byte == b'.' && !has_point);
            if !goes_on {
                break;
            }
            has_point |= byte == b'.';
            text.push(byte);
            self.next();
            ctx.tick().await?;
        }
        let number = Number::read(&text, self.input_base, &ctx.meter, false).await?;
        self.stack.push(Value::Number(number));
        Ok(())
    }

    async fn arithmetic(
        &mut self,
        ctx: &mut Context,
        operator: u8,
    ) -> Result<Result<(), Complaint>, UtilityError> {
        let (one, two) = match self.pair() {
            Ok(pair) => pair,
            Err(complaint) => return Ok(Err(complaint)),
        };
        let (scale, meter) = (self.scale, &ctx.meter);
        let result = match operator {
            b'+' => Some(one.add(&two)),
            b'-' => Some(one.subtract(&two)),
            b'*' => Some(one.multiply(&two, scale, meter).await?),
            b'/' => one.divide(&two, scale, meter).await?,
            b'%' => one.divide_with_rest(&two, scale, meter).await?.map(|(_, rest)| rest),
            b'~' => match one.divide_with_rest(&two, scale, meter).await? {
                Some((quotient, rest)) => {
                    self.stack.push(Value::Number(quotient));
                    Some(rest)
                }
                None => None,
            },
            _ => {
                if !two.is_whole() {
                    ctx.stdout.flush().await?;
                    ctx.warn("warning: non-zero scale in exponent");
                }
                let exponent = two.to_u64().and_then(|value| i64::try_from(value).ok()).unwrap_or(i64::MAX);
                let exponent = if two.is_negative() { -exponent } else { exponent };
                one.raise(exponent, scale, &ctx.meter).await?
            }
        };
        Ok(match result {
            Some(number) => {
                self.stack.push(Value::Number(number));
                Ok(())
            }
            None => {
                self.stack.push(Value::Number(one));
                self.stack.push(Value::Number(two));
                Err(if operator == b'%' || operator == b'~' {
                    "remainder by zero".into()
                } else {
                    "divide by zero".into()
                })
            }
        })
    }

    async fn power_modulo(&mut self, ctx: &mut Context) -> Result<Result<(), Complaint>, UtilityError> {
        if self.stack.len() < 3 {
            return Ok(Err("stack empty".into()));
        }
        let (exponent, modulus) = match self.pair() {
            Ok(pair) => pair,
            Err(complaint) => return Ok(Err(complaint)),
        };
        let base = match self.number() {
            Ok(base) => base,
            Err(complaint) => return Ok(Err(complaint)),
        };
        if modulus.is_zero() {
            return Ok(Err("remainder by zero".into()));
        }
        if exponent.is_negative() {
            return Ok(Err("negative exponent".into()));
        }
        let (base, exponent, modulus) = (base.cut(0), exponent.cut(0), modulus.cut(0));
        let result = base.raise_modulo(&exponent, &modulus, &ctx.meter).await?;
        self.stack.push(Value::Number(result));
        Ok(Ok(()))
    }

    async fn root(&mut self, ctx: &mut Context) -> Result<Result<(), Complaint>, UtilityError> {
        let number = match self.number() {
            Ok(number) => number,
            Err(complaint) => return Ok(Err(complaint)),
        };
        Ok(match number.root(self.scale, &ctx.meter).await? {
            Some(root) => {
                self.stack.push(Value::Number(root));
                Ok(())
            }
            None => Err("square root of negative number".into()),
        })
    }

    /// A string up to the bracket that closes it.
    async fn bracket(&mut self, ctx: &mut Context) -> Result<(), UtilityError> {
        let mut depth = 1_u64;
        let Some(frame) = self.frames.last_mut() else { return Ok(()) };
        let start = frame.at;
        while let Some(&byte) = frame.text.get(frame.at) {
            frame.at += 1;
            match byte {
                b'[' => depth += 1,
                b']' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
            ctx.tick().await?;
        }
        let end = if depth == 0 { frame.at - 1 } else { frame.at };
        let mut text = Vec::new();
        append(&ctx.meter, &mut text, frame.text.get(start..end).unwrap_or(&[])).await?;
        self.stack.push(Value::Text(Text::from(text)));
        Ok(())
    }

    /// Runs a text; one that is the last command of the text around it takes its place.
    fn enter(&mut self, ctx: &Context, text: Text) -> Result<(), UtilityError> {
        let is_last = self.frames.last().is_some_and(|frame| frame.at >= frame.text.len());
        if is_last && self.frames.len() > 1 {
            self.frames.pop();
        } else if self.frames.len() as u64 >= ctx.meter.limits().frames {
            return Err(ctx.meter.fail(crate::limit::Limit::Frames).into());
        }
        self.frames.push(Frame { text, at: 0 });
        Ok(())
    }

    fn execute(&mut self, ctx: &Context) -> Result<Result<(), Complaint>, UtilityError> {
        match self.pop() {
            Ok(Value::Text(text)) => self.enter(ctx, text)?,
            Ok(number) => self.stack.push(number),
            Err(complaint) => return Ok(Err(complaint)),
        }
        Ok(Ok(()))
    }

    /// The value that is run if the two numbers on top are so related.
    fn compare(&mut self, relation: u8, negated: bool) -> Result<Option<Value>, Complaint> {
        let name = self.register_name()?;
        let (two, one) = self.pair()?;
        let order = one.compare(&two);
        let holds = match relation {
            b'<' => order.is_lt(),
            b'>' => order.is_gt(),
            _ => order.is_eq(),
        };
        if holds != negated {
            let value = self
                .registers
                .get(&name)
                .and_then(|register| register.0.last())
                .and_then(|slot| slot.value.clone());
            return Ok(value);
        }
        Ok(None)
    }

    fn run_chosen(
        &mut self,
        ctx: &Context,
        chosen: Result<Option<Value>, Complaint>,
    ) -> Result<Result<(), Complaint>, UtilityError> {
        match chosen {
            Ok(Some(Value::Text(text))) => self.enter(ctx, text)?,
            Ok(Some(number)) => self.stack.push(number),
            Ok(None) => {}
            Err(complaint) => return Ok(Err(complaint)),
        }
        Ok(Ok(()))
    }

    /// `!COMMAND` to the end of the line.
    async fn system(&mut self, ctx: &mut Context) -> Result<Result<(), Complaint>, UtilityError> {
        let mut line = Vec::new();
        while let Some(byte) = self.next().filter(|&byte| byte != b'\n') {
            line.push(byte);
            ctx.tick().await?;
        }
        ctx.stdout.flush().await?;
        let argv: Vec<Text> = vec![Text::from_static(b"sh"), Text::from_static(b"-c"), Text::from(line)];
        match ctx.run_command(ctx.command(argv)).await {
            Err(crate::utility::CommandError::Limit(limit)) => Err(limit.into()),
            _ => Ok(Ok(())),
        }
    }

    async fn print(&mut self, ctx: &mut Context, byte: u8) -> Result<Result<(), Complaint>, UtilityError> {
        if byte == b'f' {
            for value in self.stack.iter().rev() {
                show(ctx, value, self.output_base, self.line_length).await?;
                ctx.stdout.write(b"\n").await?;
            }
            return Ok(Ok(()));
        }
        let value = if byte == b'p' { self.stack.last().cloned() } else { self.stack.pop() };
        let Some(value) = value else { return Ok(Err("stack empty".into())) };
        if byte == b'P'
            && let Value::Number(number) = &value
        {
            let bytes = number.clone().cut(0).to_bytes(&ctx.meter).await?;
            ctx.stdout.write(&bytes).await?;
            return Ok(Ok(()));
        }
        show(ctx, &value, self.output_base, self.line_length).await?;
        if byte == b'p' {
            ctx.stdout.write(b"\n").await?;
        }
        Ok(Ok(()))
    }
}

async fn show(ctx: &mut Context, value: &Value, base: u64, line_length: usize) -> Result<(), UtilityError> {
    match value {
        Value::Text(text) => ctx.stdout.write(text).await,
        Value::Number(number) => {
            let text = number.write(base, &ctx.meter).await?;
            push_folded(ctx, &text, 0, line_length);
            ctx.stdout.flush_if_full().await
        }
    }
}
