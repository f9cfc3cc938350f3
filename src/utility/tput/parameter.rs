//! Strings of terminfo(5): their notation, and the language of their parameters, which works on a stack.

use crate::memory::{String, Vec, format};
use crate::text::Text;

/// A parameter or a value on the stack.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Number(i64),
    Text(Text),
}

impl Value {
    fn number(&self) -> i64 {
        match self {
            Self::Number(number) => *number,
            Self::Text(_) => 0,
        }
    }
}

/// The bytes that a description's notation stands for.
pub(super) fn bytes(notation: &str) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = notation.as_bytes().iter().copied().peekable();
    while let Some(byte) = rest.next() {
        match byte {
            b'^' => match rest.next() {
                Some(b'?') => out.push(0x7f),
                Some(letter) => out.push(letter & 0x1f),
                None => out.push(b'^'),
            },
            b'\\' => match rest.next() {
                Some(b'E' | b'e') => out.push(0x1b),
                Some(b'n') => out.push(b'\n'),
                Some(b'l') => out.push(b'\n'),
                Some(b'r') => out.push(b'\r'),
                Some(b't') => out.push(b'\t'),
                Some(b'b') => out.push(8),
                Some(b'f') => out.push(12),
                Some(b'a') => out.push(7),
                Some(b's') => out.push(b' '),
                Some(digit @ b'0'..=b'7') => {
                    let mut code = u32::from(digit - b'0');
                    for _ in 0..2 {
                        if let Some(next) = rest.next_if(|next| (b'0'..=b'7').contains(next)) {
                            code = code * 8 + u32::from(next - b'0');
                        }
                    }
                    // NUL ends a string there.
                    out.push(if code == 0 { 0x80 } else { (code & 0xff) as u8 });
                }
                Some(other) => out.push(other),
                None => {}
            },
            _ => out.push(byte),
        }
    }
    out
}

/// Leaves out the delays, `$<20/>`, for which there is no terminal to wait.
pub(super) fn without_delays(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(at) = memchr::memmem::find(rest, b"$<") {
        let inner = rest.get(at + 2..).unwrap_or_default();
        let end = memchr::memchr(b'>', inner);
        let is_delay = |delay: &[u8]| {
            delay.first().is_some_and(u8::is_ascii_digit)
                && delay.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'*' | b'/'))
        };
        match end.and_then(|end| inner.get(..end)).filter(|delay| is_delay(delay)) {
            Some(delay) => {
                out.extend_from_slice(rest.get(..at).unwrap_or_default());
                rest = inner.get(delay.len() + 1..).unwrap_or_default();
            }
            None => {
                out.extend_from_slice(rest.get(..at + 2).unwrap_or_default());
                rest = inner;
            }
        }
    }
    out.extend_from_slice(rest);
    out
}

/// How many parameters a string takes.
pub(super) fn count(text: &[u8]) -> usize {
    let named = text.windows(3).filter_map(|window| match window {
        [b'%', b'p', digit @ b'1'..=b'9'] => Some(usize::from(digit - b'0')),
        _ => None,
    });
    named.max().unwrap_or(0)
}

/// A string with its parameters put in. Each byte of it is looked at once, or is passed over.
pub(super) fn expand(text: &[u8], parameters: &[Value]) -> Vec<u8> {
    let mut given: Vec<Value> = Vec::with_capacity(9);
    given.extend(parameters.iter().take(9).cloned());
    given.resize(9, Value::Number(0));
    let mut state = State { text, at: 0, stack: Vec::new(), given, variables: Vec::new(), out: Vec::new() };
    state.variables.resize(52, 0);
    while let Some(byte) = state.next() {
        if byte == b'%' {
            state.operation();
        } else {
            state.out.push(byte);
        }
    }
    state.out
}

struct State<'t> {
    text: &'t [u8],
    at: usize,
    stack: Vec<Value>,
    given: Vec<Value>,
    variables: Vec<i64>,
    out: Vec<u8>,
}

impl State<'_> {
    fn next(&mut self) -> Option<u8> {
        let byte = self.text.get(self.at).copied();
        self.at += usize::from(byte.is_some());
        byte
    }

    fn pop(&mut self) -> i64 {
        self.stack.pop().map_or(0, |value| value.number())
    }

    fn push(&mut self, number: i64) {
        self.stack.push(Value::Number(number));
    }

    fn variable(&mut self) -> Option<&mut i64> {
        let place = match self.next()? {
            letter @ b'a'..=b'z' => letter - b'a',
            letter @ b'A'..=b'Z' => letter - b'A' + 26,
            _ => return None,
        };
        self.variables.get_mut(usize::from(place))
    }

    fn operation(&mut self) {
        let Some(letter) = self.next() else { return };
        match letter {
            b'%' => self.out.push(b'%'),
            b'p' => {
                let digit = self.next().unwrap_or(b'1').wrapping_sub(b'1');
                let value = self.given.get(usize::from(digit)).cloned().unwrap_or(Value::Number(0));
                self.stack.push(value);
            }
            b'P' => {
                let value = self.pop();
                if let Some(variable) = self.variable() {
                    *variable = value;
                }
            }
            b'g' => {
                let value = self.variable().map_or(0, |variable| *variable);
                self.push(value);
            }
            b'\'' => {
                let value = self.next().unwrap_or(0);
                self.next();
                self.push(i64::from(value));
            }
            b'{' => {
                let (value, used) = crate::character::digits(self.text, self.at, 10, 9);
                self.at += used + 1;
                self.push(i64::from(value));
            }
            b'i' => {
                for value in self.given.iter_mut().take(2) {
                    if let Value::Number(number) = value {
                        *number = number.wrapping_add(1);
                    }
                }
            }
            b'l' => {
                let length = match self.stack.pop() {
                    Some(Value::Text(text)) => text.len() as i64,
                    _ => 0,
                };
                self.push(length);
            }
            b'c' => {
                let code = self.pop() as u8;
                self.out.push(if code == 0 { 0x80 } else { code });
            }
            b'!' => {
                let value = self.pop();
                self.push(i64::from(value == 0));
            }
            b'~' => {
                let value = self.pop();
                self.push(!value);
            }
            b'+' | b'-' | b'*' | b'/' | b'm' | b'&' | b'|' | b'^' | b'=' | b'<' | b'>' | b'A' | b'O' => {
                let (right, left) = (self.pop(), self.pop());
                self.push(calculated(letter, left, right));
            }
            b'?' | b';' => {}
            b't' if self.pop() == 0 => {
                self.skip(true);
            }
            b'e' => self.skip(false),
            b's' | b'd' | b'o' | b'x' | b'X' | b':' | b'0'..=b'9' | b'.' | b' ' | b'#' => self.print(letter),
            _ => {}
        }
    }

    /// Passes over a branch: to the `%e` of its own condition, if that is wanted, or to its end.
    fn skip(&mut self, to_else: bool) {
        let mut depth = 0_usize;
        while let Some(byte) = self.next() {
            if byte != b'%' {
                continue;
            }
            match self.next() {
                Some(b'?') => depth += 1,
                Some(b';') if depth == 0 => return,
                Some(b';') => depth -= 1,
                Some(b'e') if depth == 0 && to_else => return,
                _ => {}
            }
        }
    }

    /// Prints as `printf` does: `%[[:]flags][width[.precision]][doxXs]`.
    fn print(&mut self, first: u8) {
        let mut flags = Vec::new();
        let mut letter = Some(first);
        if letter == Some(b':') {
            letter = self.next();
        }
        while let Some(flag @ (b'-' | b'+' | b'#' | b' ' | b'0')) = letter {
            flags.push(flag);
            letter = self.next();
        }
        let mut width = 0_usize;
        while let Some(digit @ b'0'..=b'9') = letter {
            width = (width * 10 + usize::from(digit - b'0')).min(1000);
            letter = self.next();
        }
        let mut precision = None;
        if letter == Some(b'.') {
            letter = self.next();
            let mut number = 0_usize;
            while let Some(digit @ b'0'..=b'9') = letter {
                number = (number * 10 + usize::from(digit - b'0')).min(1000);
                letter = self.next();
            }
            precision = Some(number);
        }
        let value = self.stack.pop().unwrap_or(Value::Number(0));
        let mut body: String = match (letter, &value) {
            (Some(b's'), Value::Text(text)) => {
                let text = String::from(text.to_string_lossy());
                match precision {
                    Some(most) => text.chars().take(most).collect(),
                    None => text,
                }
            }
            (Some(b's'), Value::Number(_)) => String::new(),
            (Some(b'o'), value) => format!("{:o}", value.number()),
            (Some(b'x'), value) => format!("{:x}", value.number()),
            (Some(b'X'), value) => format!("{:X}", value.number()),
            (_, value) => format!("{}", value.number()),
        };
        if letter != Some(b's') {
            let digits = precision.unwrap_or(if flags.contains(&b'0') { width } else { 0 });
            let missing = digits.saturating_sub(body.len());
            body = format!("{}{body}", crate::memory::repeat_text("0", missing));
            if flags.contains(&b'+') && value.number() >= 0 {
                body = format!("+{body}");
            }
        }
        let missing = crate::memory::repeat(b" ", width.saturating_sub(body.len()));
        if flags.contains(&b'-') {
            self.out.extend_from_slice(body.as_bytes());
            self.out.extend_from_slice(&missing);
        } else {
            self.out.extend_from_slice(&missing);
            self.out.extend_from_slice(body.as_bytes());
        }
    }
}

fn calculated(operator: u8, left: i64, right: i64) -> i64 {
    match operator {
        b'+' => left.wrapping_add(right),
        b'-' => left.wrapping_sub(right),
        b'*' => left.wrapping_mul(right),
        b'/' => left.checked_div(right).unwrap_or(0),
        b'm' => left.checked_rem(right).unwrap_or(0),
        b'&' => left & right,
        b'|' => left | right,
        b'^' => left ^ right,
        b'=' => i64::from(left == right),
        b'<' => i64::from(left < right),
        b'>' => i64::from(left > right),
        b'A' => i64::from(left != 0 && right != 0),
        _ => i64::from(left != 0 || right != 0),
    }
}
