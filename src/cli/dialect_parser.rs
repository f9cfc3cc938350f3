//! How the name of a dialect is read from the command line.

use crate::hook::Dialect;
use clap::builder::{PossibleValue, TypedValueParser};
use std::ffi::OsStr;

/// Reads a dialect's name; help and completions list them.
#[derive(Clone, Copy, Debug)]
pub(super) struct DialectParser;

impl TypedValueParser for DialectParser {
    type Value = Dialect;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<Dialect, clap::Error> {
        let parse = |text: &str| text.parse::<Dialect>();
        TypedValueParser::parse_ref(&parse, command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(Dialect::ALL.iter().map(|dialect| PossibleValue::new(dialect.name()))))
    }
}
