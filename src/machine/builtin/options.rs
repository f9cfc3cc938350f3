//! Options of builtins: letters with `-` or `+`, in clusters, with option-arguments. POSIX XBD 12.2, bash manual 4.
//!
//! A builtin's options are rows of its entry in the table of builtins. The parser, `help NAME` and the check of the usage
//! line read them.

use super::error::BuiltinError;
use super::row::Builtin;
use crate::memory::Vec;
use crate::text::Text;

/// An option of a builtin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OptionRow {
    pub(super) letter: u8,
    /// The name of its option-argument in the help; `None`: it takes none.
    pub(super) argument: Option<&'static str>,
    /// May be given with `+` too.
    pub(super) signed: bool,
    pub(super) help: &'static str,
}

/// An option without option-argument.
pub(super) const fn flag(letter: u8, help: &'static str) -> OptionRow {
    OptionRow { letter, argument: None, signed: false, help }
}

/// An option that `-` turns on and `+` off.
pub(super) const fn signed(letter: u8, help: &'static str) -> OptionRow {
    OptionRow { letter, argument: None, signed: true, help }
}

/// An option with an option-argument.
pub(super) const fn value(letter: u8, argument: &'static str, help: &'static str) -> OptionRow {
    OptionRow { letter, argument: Some(argument), signed: false, help }
}

/// An option that was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Given {
    pub(super) letter: u8,
    /// Given with `+`.
    pub(super) plus: bool,
    pub(super) value: Option<Text>,
}

/// The options that a builtin was given, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Options {
    /// The first one apart from the others: most calls have no more than that, and need no memory for it.
    leading: Option<Given>,
    others: Vec<Given>,
    /// Index of the first operand among the arguments; the name is number 0.
    pub(super) first: usize,
}

impl Options {
    /// The options in order.
    pub(super) fn given(&self) -> impl DoubleEndedIterator<Item = &Given> {
        self.leading.iter().chain(&*self.others)
    }

    /// Whether an option was given with `-`.
    pub(super) fn has(&self, letter: u8) -> bool {
        self.given().any(|given| given.letter == letter && !given.plus)
    }

    /// The option-argument that was given last.
    pub(super) fn value(&self, letter: u8) -> Option<&Text> {
        self.given().rev().find(|given| given.letter == letter).and_then(|given| given.value.as_ref())
    }

    /// Whether an option was given with this option-argument.
    pub(super) fn has_value(&self, letter: u8, value: &[u8]) -> bool {
        self.given().any(|given| {
            given.letter == letter && given.value.as_ref().is_some_and(|own| own.as_bytes() == value)
        })
    }

    /// Which of `letters` was given last.
    pub(super) fn last_of(&self, letters: &[u8]) -> Option<u8> {
        self.given().rev().map(|given| given.letter).find(|letter| letters.contains(letter))
    }

    /// Reads the options of `builtin` from its arguments, of which the first is its name.
    ///
    /// # Errors
    /// A usage error, or that `--help` was given.
    pub(super) fn parse(builtin: &Builtin, args: &[Text]) -> Result<Self, BuiltinError> {
        let mut options = Self { leading: None, others: Vec::new(), first: 1 };
        let plus_too = builtin.options.iter().any(|row| row.signed);
        while let Some(arg) = args.get(options.first) {
            let plus = match arg.as_bytes() {
                b"--" => {
                    options.first += 1;
                    break;
                }
                b"--help" => return Err(BuiltinError::Help),
                [b'-', _, ..] => false,
                [b'+', _, ..] if plus_too => true,
                _ => break,
            };
            options.first += 1;
            options.take_cluster(builtin, args, arg.get(1..).unwrap_or(&[]), plus)?;
        }
        Ok(options)
    }

    fn take_cluster(
        &mut self,
        builtin: &Builtin,
        args: &[Text],
        mut cluster: &[u8],
        plus: bool,
    ) -> Result<(), BuiltinError> {
        while let Some((&letter, rest)) = cluster.split_first() {
            cluster = rest;
            let Some(row) = builtin.options.iter().find(|row| row.letter == letter) else {
                return Err(BuiltinError::InvalidOption { plus, letter });
            };
            let value = match row.argument {
                None => None,
                Some(_) if !rest.is_empty() => {
                    cluster = &[];
                    Some(Text::from(rest))
                }
                Some(_) => {
                    let next = args.get(self.first).ok_or(BuiltinError::ArgumentRequired { letter })?;
                    self.first += 1;
                    Some(next.clone())
                }
            };
            let given = Given { letter, plus, value };
            match &self.leading {
                None => self.leading = Some(given),
                Some(_) => self.others.push(given),
            }
        }
        Ok(())
    }
}

/// A number as builtins take it: blanks around it and a sign are allowed.
pub(super) fn number(text: &[u8]) -> Option<i64> {
    crate::utility::test_expression::integer(text)
}

/// Whether a text has digits only, and at least one.
pub(super) fn is_digits(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::super::BUILTINS;
    use super::*;

    fn parse(name: &str, args: &[&str]) -> Result<Options, BuiltinError> {
        let args: Vec<Text> = args.iter().map(|arg| Text::from(*arg)).collect();
        Options::parse(super::super::find(name.as_bytes()).unwrap(), &args)
    }

    #[test]
    fn numbers_may_have_a_sign_and_blanks() {
        for (text, want) in
            [("3", Some(3)), (" +4 ", Some(4)), ("-1", Some(-1)), ("", None), ("+-1", None), ("x", None)]
        {
            assert_eq!(number(text.as_bytes()), want, "{text}");
        }
    }

    #[test]
    fn clusters_end_with_an_option_argument() {
        let options = parse("read", &["read", "-rd:", "-n", "3", "--", "-x"]).unwrap();
        assert!(options.has(b'r'));
        assert_eq!(options.value(b'd'), Some(&Text::from(":")));
        assert_eq!(options.value(b'n'), Some(&Text::from("3")));
        assert_eq!(options.first, 5);
    }

    #[test]
    fn plus_is_for_builtins_that_turn_something_off() {
        let options = parse("declare", &["declare", "+x", "a"]).unwrap();
        assert!(!options.has(b'x'));
        assert_eq!(options.first, 2);
        assert_eq!(parse("alias", &["alias", "+p"]).unwrap().first, 1);
    }

    #[test]
    fn every_option_is_in_the_usage_line() {
        for builtin in BUILTINS {
            for row in builtin.options {
                // Those of `local` and `-c` of `declare` are in none of bash's usage lines.
                let is_left_out = builtin.name == "local" || row.letter == b'c' && row.signed;
                let shown = builtin.synopsis.contains(char::from(row.letter));
                assert!(shown || is_left_out, "{} -{}", builtin.name, char::from(row.letter));
            }
        }
    }
}
