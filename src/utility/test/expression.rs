//! The expressions of `test` and `[`, for bash's builtin and GNU's utility. POSIX XCU test, bash manual 6.4.
//!
//! Up to four arguments are told apart by their number, as POSIX says; more are parsed with `-o` below `-a` below `!`. Both
//! sides of `-a` and `-o` are evaluated.

use crate::memory::ToDecimal;
use crate::text::Text;

/// What a test asks of its surroundings.
pub(crate) trait Facts {
    /// Whether `-operator` is a unary operator here.
    fn is_unary(&self, operator: u8) -> bool;
    /// Whether `-l TEXT` stands for a length where a number is compared, as in GNU's.
    fn has_lengths(&self) -> bool {
        false
    }
    /// A unary operator.
    fn unary(&mut self, operator: u8, operand: &Text) -> bool;
    /// `-nt`, `-ot` or `-ef` by its first letter.
    fn compare_files(&mut self, operator: u8, left: &Text, right: &Text) -> bool;
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TestError {
    IntegerExpected(Text),
    /// The first of two arguments is not an operator.
    UnaryExpected(Text, Text),
    BinaryExpected(Text),
    ArgumentExpected(Text),
    CloseExpected,
    CloseExpectedFound(Text),
    TooMany(Text),
    /// Parentheses are nested too deep.
    Depth,
}

/// Parentheses inside of each other.
const MAX_DEPTH: u32 = 200;

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Binary {
    Equal,
    NotEqual,
    Before,
    After,
    /// `-eq` and its kin: whether it holds for less, equal, greater.
    Number(bool, bool, bool),
    /// `-nt`, `-ot`, `-ef`, by the first letter.
    Files(u8),
}

fn binary(text: &[u8]) -> Option<Binary> {
    Some(match text {
        b"=" | b"==" => Binary::Equal,
        b"!=" => Binary::NotEqual,
        b"<" => Binary::Before,
        b">" => Binary::After,
        b"-eq" => Binary::Number(false, true, false),
        b"-ne" => Binary::Number(true, false, true),
        b"-lt" => Binary::Number(true, false, false),
        b"-le" => Binary::Number(true, true, false),
        b"-gt" => Binary::Number(false, false, true),
        b"-ge" => Binary::Number(false, true, true),
        b"-nt" => Binary::Files(b'n'),
        b"-ot" => Binary::Files(b'o'),
        b"-ef" => Binary::Files(b'e'),
        _ => return None,
    })
}

type Answer = Result<bool, TestError>;

/// Evaluates the arguments of `test`, without the `]` of `[`.
pub(crate) fn evaluate<F: Facts>(args: &[Text], facts: &mut F) -> Answer {
    Test { args, at: 0, depth: 0, facts }.evaluate(args)
}

struct Test<'t, F> {
    args: &'t [Text],
    at: usize,
    depth: u32,
    facts: &'t mut F,
}

impl<F: Facts> Test<'_, F> {
    fn evaluate(&mut self, args: &[Text]) -> Answer {
        match args {
            [] => Ok(false),
            [one] => Ok(!one.is_empty()),
            [first, second] => self.two(first, second),
            [first, second, third] => self.three(first, second, third),
            [bang, rest @ ..] if args.len() == 4 && bang.as_bytes() == b"!" => {
                self.evaluate(rest).map(|answer| !answer)
            }
            [open, first, second, close] if open.as_bytes() == b"(" && close.as_bytes() == b")" => {
                self.two(first, second)
            }
            _ => {
                let answer = self.or()?;
                match self.args.get(self.at) {
                    Some(left) => Err(TestError::TooMany(left.clone())),
                    None => Ok(answer),
                }
            }
        }
    }

    fn two(&mut self, first: &Text, second: &Text) -> Answer {
        if first.as_bytes() == b"!" {
            return Ok(second.is_empty());
        }
        match self.unary_operator(first) {
            Some(operator) => Ok(self.facts.unary(operator, second)),
            None => Err(TestError::UnaryExpected(first.clone(), second.clone())),
        }
    }

    fn three(&mut self, first: &Text, second: &Text, third: &Text) -> Answer {
        if let Some(operator) = binary(second) {
            return self.binary(operator, first, third);
        }
        match (first.as_bytes(), second.as_bytes(), third.as_bytes()) {
            (_, b"-a", _) => Ok(!first.is_empty() && !third.is_empty()),
            (_, b"-o", _) => Ok(!first.is_empty() || !third.is_empty()),
            (b"!", _, _) => self.two(second, third).map(|answer| !answer),
            (b"(", _, b")") => Ok(!second.is_empty()),
            _ => Err(TestError::BinaryExpected(second.clone())),
        }
    }

    fn unary_operator(&self, text: &[u8]) -> Option<u8> {
        match text {
            [b'-', letter] if self.facts.is_unary(*letter) => Some(*letter),
            _ => None,
        }
    }

    fn binary(&mut self, operator: Binary, left: &Text, right: &Text) -> Answer {
        Ok(match operator {
            Binary::Equal => left == right,
            Binary::NotEqual => left != right,
            Binary::Before => left.as_bytes() < right.as_bytes(),
            Binary::After => left.as_bytes() > right.as_bytes(),
            Binary::Number(less, equal, greater) => {
                let left = integer(left).ok_or_else(|| TestError::IntegerExpected(left.clone()))?;
                let right = integer(right).ok_or_else(|| TestError::IntegerExpected(right.clone()))?;
                match left.cmp(&right) {
                    std::cmp::Ordering::Less => less,
                    std::cmp::Ordering::Equal => equal,
                    std::cmp::Ordering::Greater => greater,
                }
            }
            Binary::Files(letter) => self.facts.compare_files(letter, left, right),
        })
    }

    // The general parser.

    fn peek(&self) -> &[u8] {
        self.args.get(self.at).map_or(&[], |arg| arg.as_bytes())
    }

    fn take(&mut self) -> Result<Text, TestError> {
        let Some(arg) = self.args.get(self.at) else {
            let last = self.at.checked_sub(1).and_then(|at| self.args.get(at));
            return Err(TestError::ArgumentExpected(last.cloned().unwrap_or_default()));
        };
        self.at += 1;
        Ok(arg.clone())
    }

    fn or(&mut self) -> Answer {
        let mut answer = self.and()?;
        while self.peek() == b"-o" {
            self.at += 1;
            answer |= self.and()?;
        }
        Ok(answer)
    }

    fn and(&mut self) -> Answer {
        let mut answer = self.term()?;
        while self.peek() == b"-a" {
            self.at += 1;
            answer &= self.term()?;
        }
        Ok(answer)
    }

    fn term(&mut self) -> Answer {
        let mut negated = false;
        while self.peek() == b"!" {
            self.at += 1;
            negated = !negated;
        }
        Ok(self.primary()? != negated)
    }

    fn primary(&mut self) -> Answer {
        let first = self.take()?;
        if first.as_bytes() == b"(" {
            return self.parentheses();
        }
        if let Some(answer) = self.lengths(&first) {
            return answer;
        }
        if let (Some(second), Some(third)) = (self.args.get(self.at), self.args.get(self.at + 1))
            && let Some(operator) = binary(second)
        {
            let third = third.clone();
            self.at += 2;
            return self.binary(operator, &first, &third);
        }
        if self.at < self.args.len()
            && let Some(operator) = self.unary_operator(&first)
        {
            let operand = self.take()?;
            return Ok(self.facts.unary(operator, &operand));
        }
        Ok(!first.is_empty())
    }

    /// After `first`: a comparison of numbers with a length on one side or on both.
    fn lengths(&mut self, first: &Text) -> Option<Answer> {
        if !self.facts.has_lengths() {
            return None;
        }
        let side = |at: usize| {
            let text = self.args.get(at)?;
            match self.args.get(at + 1) {
                Some(measured) if text.as_bytes() == b"-l" => {
                    Some((Text::from(measured.len().to_decimal()), at + 2))
                }
                _ => Some((text.clone(), at + 1)),
            }
        };
        let is_number = |at: usize| self.args.get(at).and_then(|text| binary(text));
        let is_left = first.as_bytes() == b"-l" && self.args.get(self.at + 2).is_some();
        let (left, at) = match is_number(self.at + 1) {
            Some(Binary::Number(..)) if is_left => side(self.at - 1)?,
            _ => (first.clone(), self.at),
        };
        let operator = is_number(at).filter(|operator| matches!(operator, Binary::Number(..)))?;
        let (right, end) = side(at + 1)?;
        self.at = end;
        Some(self.binary(operator, &left, &right))
    }

    /// After a `(`.
    fn parentheses(&mut self) -> Answer {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(TestError::Depth);
        }
        let answer = self.or()?;
        self.depth -= 1;
        match self.args.get(self.at) {
            None => Err(TestError::CloseExpected),
            Some(close) if close.as_bytes() == b")" => {
                self.at += 1;
                Ok(answer)
            }
            Some(found) => Err(TestError::CloseExpectedFound(found.clone())),
        }
    }
}

/// A decimal integer, with white space before it and blanks or newlines behind.
pub(crate) fn integer(text: &[u8]) -> Option<i64> {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n');
    let end = text.iter().rposition(|byte| !is_blank(byte)).map_or(0, |last| last + 1);
    let text = text.get(..end).unwrap_or(text).trim_ascii_start();
    std::str::from_utf8(text).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Strings;

    impl Facts for Strings {
        fn is_unary(&self, operator: u8) -> bool {
            matches!(operator, b'n' | b'z')
        }
        fn unary(&mut self, operator: u8, operand: &Text) -> bool {
            operand.is_empty() == (operator == b'z')
        }
        fn compare_files(&mut self, _: u8, _: &Text, _: &Text) -> bool {
            false
        }
    }

    fn test(args: &str) -> Result<bool, TestError> {
        let args: Vec<Text> = args.split_whitespace().map(Text::from).collect();
        evaluate(&args, &mut Strings)
    }

    #[test]
    fn the_number_of_arguments_decides() {
        for (args, want) in [
            ("", false),
            ("-n", true),
            ("! a", false),
            ("-f = -f", true),
            ("! = !", true),
            ("( a )", true),
            ("! a = b", true),
            ("( -n x )", true),
            ("a = b -o a = a -a b = b", true),
            ("! ! ! a -a b", false),
        ] {
            assert_eq!(test(args), Ok(want), "{args}");
        }
        assert_eq!(test("a b c d e"), Err(TestError::TooMany(Text::from("b"))));
        assert_eq!(test("a b"), Err(TestError::UnaryExpected(Text::from("a"), Text::from("b"))));
    }

    #[test]
    fn deep_nesting_is_an_error() {
        assert_eq!(test(&format!("{}a", "( ".repeat(100_000))), Err(TestError::Depth));
    }
}
