//! `expr`: evaluates its arguments as an expression. GNU coreutils expr(1).
//!
//! Recursive descent over the arguments, values computed on the way; what `|` and `&` decide is not computed. Integers have
//! 128 bits.

use crate::character::unit_at;
use crate::memory::{HashSet, JoinMetered, String, ToDecimal, ToMeteredString, Vec, format};
use crate::utility::context::ticker::{MeterTicker, regex_options, stopped};
use crate::utility::prelude::*;
use crate::utility::regex::{Regex, RegexError, Syntax};
use std::cmp::Ordering;

pub(super) const UTILITY: Utility = Utility {
    name: "expr",
    summary: "evaluate expressions",
    usage: "expr EXPRESSION\nexpr OPTION",
    examples: &[example("expr 6 '*' 7", "42\n"), example(r"expr key=value : '[^=]*=\(.*\)'", "value\n")],
    usage_status: 2,
    run: start!(run),
    ..Utility::BASE
};

/// How deep parentheses and functions may nest.
const GREATEST_DEPTH: u32 = 200;

/// Exit status: 0; 1 when the value is empty or zero; 2 for a wrong expression; 3 when it cannot be computed.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    if let [only] = ctx.args.as_slice()
        && (*only == b"--help".as_slice() || *only == b"--version".as_slice())
    {
        ctx.parse_options::<NoOption>(&UTILITY)?;
    }
    ctx.utility = Some(&UTILITY);
    let mut arguments = std::mem::take(&mut ctx.args);
    if arguments.first().is_some_and(|first| *first == b"--".as_slice()) {
        arguments.remove(0);
    }
    if arguments.is_empty() {
        return Err(UtilityError::Usage("missing operand".into()));
    }
    let mut parser = Parser { ctx, arguments: &arguments, at: 0, depth: 0 };
    let value = parser.disjunction(true)?;
    if let Some(extra) = arguments.get(parser.at) {
        return Err(wrong(format!("syntax error: unexpected argument ‘{extra}’")));
    }
    ctx.stdout.write(&value).await?;
    ctx.stdout.write(b"\n").await?;
    Ok(if is_null(&value) { ExitStatus::FAILURE } else { ExitStatus::SUCCESS })
}

fn wrong(message: impl Into<String>) -> UtilityError {
    UtilityError::Failed { message: message.into(), status: 2 }
}

struct Parser<'a> {
    ctx: &'a Context,
    arguments: &'a [Text],
    at: usize,
    depth: u32,
}

type Operator = (&'static [u8], Operation);

#[derive(Clone, Copy)]
enum Operation {
    Compare(fn(Ordering) -> bool),
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

const COMPARISONS: &[Operator] = &[
    (b"<", Operation::Compare(Ordering::is_lt)),
    (b"<=", Operation::Compare(Ordering::is_le)),
    (b"=", Operation::Compare(Ordering::is_eq)),
    (b"==", Operation::Compare(Ordering::is_eq)),
    (b"!=", Operation::Compare(Ordering::is_ne)),
    (b">=", Operation::Compare(Ordering::is_ge)),
    (b">", Operation::Compare(Ordering::is_gt)),
];
const SUMS: &[Operator] = &[(b"+", Operation::Add), (b"-", Operation::Subtract)];
const PRODUCTS: &[Operator] =
    &[(b"*", Operation::Multiply), (b"/", Operation::Divide), (b"%", Operation::Remainder)];

impl Parser<'_> {
    fn take(&mut self, wanted: &[u8]) -> bool {
        let is_next = self.arguments.get(self.at).is_some_and(|argument| argument.as_bytes() == wanted);
        self.at += usize::from(is_next);
        is_next
    }

    fn take_operator(&mut self, operators: &[Operator]) -> Option<Operation> {
        let found = operators.iter().find(|(text, _)| self.take(text))?;
        Some(found.1)
    }

    fn missing(&self) -> UtilityError {
        let last = self.at.checked_sub(1).and_then(|last| self.arguments.get(last));
        let last = last.cloned().unwrap_or_default();
        wrong(format!("syntax error: missing argument after ‘{last}’"))
    }

    fn disjunction(&mut self, evaluates: bool) -> Result<Text, UtilityError> {
        let mut left = self.conjunction(evaluates)?;
        while self.take(b"|") {
            let is_decided = !is_null(&left);
            let right = self.conjunction(evaluates && !is_decided)?;
            if !is_decided {
                left = if is_null(&right) { Text::from_static(b"0") } else { right };
            }
        }
        Ok(left)
    }

    fn conjunction(&mut self, evaluates: bool) -> Result<Text, UtilityError> {
        let mut left = self.comparison(evaluates)?;
        while self.take(b"&") {
            let is_decided = is_null(&left);
            let right = self.comparison(evaluates && !is_decided)?;
            if is_decided || is_null(&right) {
                left = Text::from_static(b"0");
            }
        }
        Ok(left)
    }

    fn comparison(&mut self, evaluates: bool) -> Result<Text, UtilityError> {
        self.chain(COMPARISONS, evaluates, |parser| parser.sum(evaluates))
    }

    fn sum(&mut self, evaluates: bool) -> Result<Text, UtilityError> {
        self.chain(SUMS, evaluates, |parser| parser.product(evaluates))
    }

    fn product(&mut self, evaluates: bool) -> Result<Text, UtilityError> {
        self.chain(PRODUCTS, evaluates, |parser| parser.matching(evaluates))
    }

    /// Operands with operators of one level between them, from left to right.
    fn chain(
        &mut self,
        operators: &[Operator],
        evaluates: bool,
        operand: impl Fn(&mut Self) -> Result<Text, UtilityError>,
    ) -> Result<Text, UtilityError> {
        let mut left = operand(self)?;
        while let Some(operation) = self.take_operator(operators) {
            let right = operand(self)?;
            if evaluates {
                left = compute(operation, &left, &right)?;
            }
        }
        Ok(left)
    }

    fn matching(&mut self, evaluates: bool) -> Result<Text, UtilityError> {
        let mut left = self.function(evaluates)?;
        while self.take(b":") {
            let right = self.function(evaluates)?;
            if evaluates {
                left = self.match_text(&left, &right)?;
            }
        }
        Ok(left)
    }

    fn function(&mut self, evaluates: bool) -> Result<Text, UtilityError> {
        if self.depth >= GREATEST_DEPTH {
            return Err(wrong(format!("nested more than {GREATEST_DEPTH} levels deep")));
        }
        self.depth += 1;
        let value = self.function_here(evaluates);
        self.depth -= 1;
        value
    }

    fn function_here(&mut self, evaluates: bool) -> Result<Text, UtilityError> {
        if self.take(b"+") {
            let argument = self.arguments.get(self.at).cloned().ok_or_else(|| self.missing())?;
            self.at += 1;
            return Ok(argument);
        }
        if self.take(b"length") {
            let text = self.function(evaluates)?;
            return Ok(count_text(&text));
        }
        if self.take(b"match") {
            let (text, pattern) = (self.function(evaluates)?, self.function(evaluates)?);
            return if evaluates { self.match_text(&text, &pattern) } else { Ok(text) };
        }
        if self.take(b"index") {
            let (text, set) = (self.function(evaluates)?, self.function(evaluates)?);
            return Ok(Text::from(index(&text, &set).to_decimal()));
        }
        if self.take(b"substr") {
            let text = self.function(evaluates)?;
            let (start, length) = (self.function(evaluates)?, self.function(evaluates)?);
            return Ok(substr(&text, &start, &length));
        }
        self.primary(evaluates)
    }

    fn primary(&mut self, evaluates: bool) -> Result<Text, UtilityError> {
        let Some(argument) = self.arguments.get(self.at).cloned() else { return Err(self.missing()) };
        self.at += 1;
        match argument.as_bytes() {
            b"(" => {
                let value = self.disjunction(evaluates)?;
                if self.take(b")") {
                    return Ok(value);
                }
                let message = if let Some(other) = self.arguments.get(self.at) {
                    format!("syntax error: expecting ')' instead of ‘{other}’")
                } else {
                    let last = self.arguments.last().cloned().unwrap_or_default();
                    format!("syntax error: expecting ')' after ‘{last}’")
                };
                Err(wrong(message))
            }
            b")" => Err(wrong("syntax error: unexpected ')'")),
            _ => Ok(argument),
        }
    }

    /// The text of the first group, or how many characters match; anchored at the start.
    fn match_text(&self, text: &[u8], pattern: &[u8]) -> Result<Text, UtilityError> {
        let meter = &self.ctx.meter;
        let failure = |error: RegexError| match error {
            RegexError::Stopped(_) => stopped(meter).into(),
            RegexError::UnmatchedBracket => wrong("Invalid regular expression"),
            error => wrong(error.to_metered_string()),
        };
        let regex = Regex::new(pattern, Syntax::Basic, &regex_options(meter)).map_err(failure)?;
        let mut groups = Vec::new();
        let ticker = &mut MeterTicker::new(meter);
        regex.captures_at_ticked(text, 0, &mut groups, ticker).map_err(failure)?;
        let span = |group: usize| groups.get(group).copied().flatten();
        let whole = span(0).filter(|(start, _)| *start == 0);
        if regex.group_count() > 0 {
            let group = whole.and(span(1)).and_then(|(start, end)| text.get(start..end));
            return Ok(Text::from(group.unwrap_or(&[])));
        }
        Ok(count_text(whole.and_then(|(_, end)| text.get(..end)).unwrap_or(&[])))
    }
}

/// Empty, or zeros alone, with or without a sign.
fn is_null(value: &[u8]) -> bool {
    let digits = value.strip_prefix(b"-").unwrap_or(value);
    value.is_empty() || (!digits.is_empty() && digits.iter().all(|&byte| byte == b'0'))
}

/// A decimal integer; `Err` when it has more than 128 bits.
fn integer(text: &[u8]) -> Option<Result<i128, ()>> {
    let digits = text.strip_prefix(b"-").unwrap_or(text);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(text).ok().map(|text| text.parse().map_err(|_| ()))
}

fn compute(operation: Operation, left: &[u8], right: &[u8]) -> Result<Text, UtilityError> {
    let too_large = || UtilityError::Failed { message: "Numerical result out of range".into(), status: 3 };
    let numbers = match (integer(left), integer(right)) {
        (Some(left), Some(right)) => {
            Some((left.map_err(|()| too_large())?, right.map_err(|()| too_large())?))
        }
        _ => None,
    };
    if let Operation::Compare(holds) = operation {
        let order = numbers.map_or_else(|| left.cmp(right), |(left, right)| left.cmp(&right));
        return Ok(Text::from_static(if holds(order) { b"1" } else { b"0" }));
    }
    let (left, right) = numbers.ok_or_else(|| wrong("non-integer argument"))?;
    let divides = matches!(operation, Operation::Divide | Operation::Remainder);
    if divides && right == 0 {
        return Err(wrong("division by zero"));
    }
    let result = match operation {
        Operation::Add => left.checked_add(right),
        Operation::Subtract => left.checked_sub(right),
        Operation::Multiply => left.checked_mul(right),
        Operation::Divide => left.checked_div(right),
        Operation::Remainder | Operation::Compare(_) => left.checked_rem(right),
    };
    Ok(Text::from(result.ok_or_else(too_large)?.to_decimal()))
}

fn characters(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let (_, length) = unit_at(text, at)?;
        let character = text.get(at..at + length);
        at += length;
        character
    })
}

fn count_text(text: &[u8]) -> Text {
    Text::from(characters(text).count().to_decimal())
}

/// Where the first character stands that is in `set`, from 1; 0 when there is none.
fn index(text: &[u8], set: &[u8]) -> usize {
    let wanted: HashSet<&[u8]> = characters(set).collect();
    characters(text).position(|character| wanted.contains(character)).map_or(0, |place| place + 1)
}

fn substr(text: &[u8], start: &[u8], length: &[u8]) -> Text {
    let number = |text: &[u8]| match integer(text) {
        Some(Ok(number)) => usize::try_from(number.clamp(0, 1 << 62)).unwrap_or(0),
        Some(Err(())) if !text.starts_with(b"-") => usize::MAX,
        _ => 0,
    };
    let (start, length) = (number(start), number(length));
    let Some(skip) = start.checked_sub(1) else { return Text::EMPTY };
    let picked: Vec<&[u8]> = characters(text).skip(skip).take(length).collect();
    Text::from(picked.concat_metered())
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::run;

    #[test]
    fn evaluates() {
        let rows: [(&[&str], &str, u8); 12] = [
            (&["1", "+", "2", "*", "3"], "7\n", 0),
            (&["-7", "/", "2"], "-3\n", 0),
            (&["(", "1", "+", "2", ")", "*", "3"], "9\n", 0),
            (&["abc", ":", r"a\(.\)c"], "b\n", 0),
            (&["abc", ":", "x"], "0\n", 1),
            (&["10", "<", "9a"], "1\n", 0),
            (&["0", "|", "5"], "5\n", 0),
            (&["1", "|", "1", "/", "0"], "1\n", 0),
            (&["3", "&", ""], "0\n", 1),
            (&["length", "héllo"], "5\n", 0),
            (&["substr", "hello", "2", "3"], "ell\n", 0),
            (&["9223372036854775807", "+", "1"], "9223372036854775808\n", 0),
        ];
        for (args, stdout, status) in rows {
            let outcome = run("expr", args, b"", &[]);
            assert_eq!((outcome.stdout.as_str(), outcome.status), (stdout, status), "{args:?}");
        }
    }

    #[test]
    fn reports_faults() {
        let rows: [(&[&str], &str); 7] = [
            (&["1", "+"], "syntax error: missing argument after ‘+’"),
            (&["1", "2"], "syntax error: unexpected argument ‘2’"),
            (&["(", "1"], "syntax error: expecting ')' after ‘1’"),
            (&["(", "1", "2"], "syntax error: expecting ')' instead of ‘2’"),
            (&[")"], "syntax error: unexpected ')'"),
            (&["a", "+", "1"], "non-integer argument"),
            (&["1", "/", "0"], "division by zero"),
        ];
        for (args, message) in rows {
            let outcome = run("expr", args, b"", &[]);
            assert_eq!((outcome.stderr, outcome.status), (format!("expr: {message}\n"), 2), "{args:?}");
        }
        let deep = vec!["("; 100_000];
        assert_eq!(run("expr", &deep, b"", &[]).status, 2);
    }
}
