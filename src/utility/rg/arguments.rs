//! The command line of `rg`: long names in full, clusters of letters, `=` before an option-argument of either, and what is wrong
//! told as ripgrep tells it.

use super::option::{Opt, REFUSED};
use crate::memory::{JoinText as _, String, Vec, format};
use crate::text::Text;
use crate::utility::context::options::OptionArgument;
use crate::utility::{OptionSet as _, UtilityError};

/// What was given, in order.
#[derive(Debug, Default)]
pub(super) struct Arguments {
    given: Vec<(Opt, Text)>,
    pub(super) operands: Vec<Text>,
}

/// How ripgrep says how it is called.
pub(super) const USAGE: &str = "USAGE:
    
    rg [OPTIONS] PATTERN [PATH ...]
    rg [OPTIONS] -e PATTERN ... [PATH ...]
    rg [OPTIONS] -f PATTERNFILE ... [PATH ...]
    rg [OPTIONS] --files [PATH ...]
    rg [OPTIONS] --type-list
    command | rg [OPTIONS] PATTERN
    rg [OPTIONS] --help
    rg [OPTIONS] --version

For more information try --help

";

/// A message of the parser, with how `rg` is called.
pub(super) fn with_usage(message: &str) -> String {
    format!("error: {message}\n\n{USAGE}")
}

/// An option and its argument as the messages name them.
fn shown(option: Opt) -> String {
    let row = Opt::NAMES.iter().position(|name| *name == option).and_then(|at| Opt::TABLE.get(at));
    let name = match row.map(|row| row.argument) {
        Some(OptionArgument::Required(name)) => name,
        _ => "",
    };
    let more = match option {
        Opt::Colors | Opt::File | Opt::Glob | Opt::Iglob | Opt::IgnoreFile | Opt::Regexp => "...",
        Opt::Type | Opt::TypeAdd | Opt::TypeClear | Opt::TypeNot => "...",
        _ => "",
    };
    format!("--{} <{name}>{more}", option.long())
}

impl Arguments {
    /// Reads the words after the name.
    ///
    /// # Errors
    /// The message, for standard error as it is.
    pub(super) fn parse(words: Vec<Text>) -> Result<Self, String> {
        let mut arguments = Self::default();
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            match word.as_bytes() {
                b"--" => arguments.operands.extend(words.by_ref()),
                [b'-', b'-', long @ ..] => arguments.take_long(long, &mut words)?,
                [b'-', letters @ ..] if !letters.is_empty() => arguments.take_letters(letters, &mut words)?,
                _ => arguments.operands.push(word),
            }
        }
        Ok(arguments)
    }

    fn take_long(&mut self, long: &[u8], words: &mut impl Iterator<Item = Text>) -> Result<(), String> {
        let (name, attached) = match memchr::memchr(b'=', long) {
            Some(at) => (long.get(..at).unwrap_or(long), long.get(at + 1..)),
            None => (long, None),
        };
        let shown_name = bstr::BStr::new(name);
        let Some(option) = Opt::of_long(name) else {
            if REFUSED.iter().any(|(known, _)| known.as_bytes() == name) {
                return Err(format!("error: The option '--{shown_name}' is not supported\n"));
            }
            let message = format!(
                "Found argument '--{shown_name}' which wasn't expected, or isn't valid in this context"
            );
            return Err(with_usage(&message));
        };
        let value = match (takes_value(option), attached) {
            (true, Some(value)) => Text::from(value),
            (true, None) => words.next().ok_or_else(|| self.missing(option))?,
            (false, Some(_)) => {
                let message = format!(
                    "The value '{}' was not expected for '--{shown_name}'",
                    bstr::BStr::new(attached.unwrap_or_default())
                );
                return Err(with_usage(&message));
            }
            (false, None) => Text::EMPTY,
        };
        self.given.push((option, value));
        Ok(())
    }

    /// What is said of an option without its argument: that a pattern is missing comes first.
    fn missing(&self, option: Opt) -> String {
        let names_patterns =
            |option: &Opt| matches!(option, Opt::Regexp | Opt::File | Opt::Files | Opt::TypeList);
        let has_pattern =
            !self.operands.is_empty() || self.given.iter().any(|(given, _)| names_patterns(given));
        if has_pattern || names_patterns(&option) { missing(option) } else { with_usage(NO_PATTERN) }
    }

    fn take_letters(&mut self, letters: &[u8], words: &mut impl Iterator<Item = Text>) -> Result<(), String> {
        for (at, &letter) in letters.iter().enumerate() {
            let letter = char::from(letter);
            let Some(option) = Opt::of_short(letter) else {
                if REFUSED.iter().any(|(_, known)| *known == letter) {
                    return Err(format!("error: The option '-{letter}' is not supported\n"));
                }
                let rest = String::from_utf8_lossy(letters.get(at..).unwrap_or_default());
                let first = rest.chars().next().unwrap_or_default();
                let message = format!(
                    "Found argument '-{first}' which wasn't expected, or isn't valid in this context"
                );
                return Err(with_usage(&message));
            };
            if !takes_value(option) {
                self.given.push((option, Text::EMPTY));
                continue;
            }
            let attached = letters.get(at + 1..).unwrap_or_default();
            let value = match attached.strip_prefix(b"=").unwrap_or(attached) {
                b"" if attached.is_empty() => words.next().ok_or_else(|| self.missing(option))?,
                value => Text::from(value),
            };
            self.given.push((option, value));
            break;
        }
        Ok(())
    }

    pub(super) fn has(&self, option: Opt) -> bool {
        self.given.iter().any(|(given, _)| *given == option)
    }

    pub(super) fn count(&self, option: Opt) -> usize {
        self.given.iter().filter(|(given, _)| *given == option).count()
    }

    /// The options in order.
    pub(super) fn given(&self) -> impl DoubleEndedIterator<Item = (Opt, &Text)> {
        self.given.iter().map(|(option, value)| (*option, value))
    }

    pub(super) fn values(&self, option: Opt) -> impl Iterator<Item = &Text> {
        self.given.iter().filter(move |(given, _)| *given == option).map(|(_, value)| value)
    }

    pub(super) fn value(&self, option: Opt) -> Option<&Text> {
        self.values(option).last()
    }

    /// The one of these options that was given last.
    pub(super) fn last_of(&self, options: &[Opt]) -> Option<Opt> {
        self.given().rev().map(|(option, _)| option).find(|option| options.contains(option))
    }

    /// Whether an option was given, and not taken back after that.
    pub(super) fn is_on(&self, on: Opt, off: Opt) -> bool {
        self.last_of(&[on, off]) == Some(on)
    }

    /// The number that an option was given.
    pub(super) fn number(&self, option: Opt) -> Result<Option<u64>, UtilityError> {
        let Some(value) = self.value(option) else { return Ok(None) };
        parse_number(value)
            .map(Some)
            .map_err(|problem| told(&format!("error: Invalid value for '{}': {problem}\n\n", shown(option))))
    }

    /// As [`Arguments::number`], told without the option's name.
    pub(super) fn number_plainly(&self, option: Opt) -> Result<Option<u64>, UtilityError> {
        let Some(value) = self.value(option) else { return Ok(None) };
        parse_number(value).map(Some).map_err(|problem| told(&format!("{problem}\n")))
    }

    /// One of some words.
    pub(super) fn word(&self, option: Opt, words: &[&str]) -> Result<Option<&Text>, UtilityError> {
        let Some(value) = self.value(option) else { return Ok(None) };
        if words.iter().any(|word| word.as_bytes() == value.as_bytes()) {
            return Ok(Some(value));
        }
        let list = words.join_text(", ");
        let message =
            format!("'{value}' isn't a valid value for '{}'\n\t[possible values: {list}]\n", shown(option));
        Err(told(&with_usage(&message)))
    }
}

fn takes_value(option: Opt) -> bool {
    let row = Opt::NAMES.iter().position(|name| *name == option).and_then(|at| Opt::TABLE.get(at));
    row.is_some_and(|row| matches!(row.argument, OptionArgument::Required(_)))
}

/// The message where a pattern is missing.
pub(super) const NO_PATTERN: &str = "The following required arguments were not provided:\n    <PATTERN>";

fn missing(option: Opt) -> String {
    with_usage(&format!("The argument '{}' requires a value but none was supplied", shown(option)))
}

/// Says a message as it is and ends with status 2.
pub(super) fn told(message: &str) -> UtilityError {
    UtilityError::Failed { message: message.into(), status: 2 }
}

/// A number, or what is wrong with it.
pub(super) fn parse_number(text: &[u8]) -> Result<u64, &'static str> {
    match text.strip_prefix(b"+").unwrap_or(text) {
        b"" if text.is_empty() => Err("cannot parse integer from empty string"),
        digits if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) => {
            Err("invalid digit found in string")
        }
        digits => {
            let text = std::str::from_utf8(digits).unwrap_or_default();
            text.parse().map_err(|_| "number too large to fit in target type")
        }
    }
}
