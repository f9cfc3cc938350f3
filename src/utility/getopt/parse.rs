//! GNU `getopt_long` over options that are known at run time only.

use crate::memory::{JoinMetered, ToMetered, Vec, vec};
use crate::utility::prelude::*;

/// Whether an option has an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Argument {
    None,
    Required,
    Optional,
}

/// A long option.
#[derive(Clone, Debug)]
pub(super) struct Long {
    pub(super) name: Vec<u8>,
    pub(super) argument: Argument,
}

/// The options that a script has.
#[derive(Clone, Debug, Default)]
pub(super) struct Grammar {
    short: Vec<u8>,
    pub(super) long: Vec<Long>,
    /// Long options with one dash (`-a`).
    pub(super) is_alternative: bool,
    /// `+` or `POSIXLY_CORRECT`: the first operand ends the options.
    pub(super) stops_early: bool,
    /// `-`: operands stay where they are.
    keeps_order: bool,
    /// `:`: nothing is said.
    is_silent: bool,
}

/// An option, or an operand that stayed in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// With its dashes.
    pub(super) option: Option<Vec<u8>>,
    pub(super) argument: Option<Vec<u8>>,
}

/// What was found in the parameters.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    pub(super) options: Vec<Found>,
    pub(super) operands: Vec<Vec<u8>>,
    /// Messages, without the name before them.
    pub(super) problems: Vec<Vec<u8>>,
    pub(super) is_wrong: bool,
}

impl Grammar {
    /// Takes the letters, and the signs before them.
    pub(super) fn set_short(&mut self, text: &[u8]) {
        let text = match text {
            [b'-', rest @ ..] => {
                (self.keeps_order, self.stops_early) = (true, false);
                rest
            }
            [b'+', rest @ ..] => {
                self.stops_early = true;
                rest
            }
            text => text,
        };
        self.is_silent = text.first() == Some(&b':');
        self.short = text.to_metered();
    }

    /// Whether a letter is an option, and its argument.
    fn short(&self, letter: u8) -> Option<Argument> {
        if matches!(letter, b':' | b';' | b'-') {
            return None;
        }
        let at = memchr::memchr(letter, &self.short)?;
        Some(match self.short.get(at + 1..) {
            Some([b':', b':', ..]) => Argument::Optional,
            Some([b':', ..]) => Argument::Required,
            _ => Argument::None,
        })
    }
}

/// Parses parameters. Bytes that it keeps are those of the parameters, which are charged already.
pub(super) async fn parse(
    ctx: &mut Context,
    grammar: &Grammar,
    parameters: &[Text],
) -> Result<Parsed, UtilityError> {
    let mut parsed = Parsed::default();
    let mut rest = parameters.iter();
    while let Some(word) = rest.next() {
        ctx.tick().await?;
        match word.as_bytes() {
            b"--" => {
                parsed.operands.extend(rest.by_ref().map(|word| word.to_metered()));
            }
            [b'-', b'-', text @ ..] => parsed.long(grammar, b"--", text, &mut rest),
            [b'-', text @ ..] if !text.is_empty() => {
                let may_be_long = grammar.is_alternative
                    && (text.len() > 1
                        || text.first().is_some_and(|letter| grammar.short(*letter).is_none()));
                let is_short = text.first().is_some_and(|letter| grammar.short(*letter).is_some());
                if may_be_long && (!is_short || grammar.knows(text)) {
                    parsed.long(grammar, b"-", text, &mut rest);
                } else {
                    parsed.cluster(grammar, text, &mut rest);
                }
            }
            operand if grammar.keeps_order => {
                parsed.options.push(Found { option: None, argument: Some(operand.to_metered()) });
            }
            operand => {
                parsed.operands.push(operand.to_metered());
                if grammar.stops_early {
                    parsed.operands.extend(rest.by_ref().map(|word| word.to_metered()));
                }
            }
        }
    }
    Ok(parsed)
}

fn split_value(text: &[u8]) -> (&[u8], Option<&[u8]>) {
    match memchr::memchr(b'=', text) {
        Some(at) => (text.get(..at).unwrap_or(text), text.get(at + 1..)),
        None => (text, None),
    }
}

impl Grammar {
    /// Whether a word is, or begins, a long option.
    fn knows(&self, text: &[u8]) -> bool {
        let (name, _) = split_value(text);
        self.long.iter().any(|long| long.name.starts_with(name))
    }
}

impl Parsed {
    fn wrong(&mut self, grammar: &Grammar, message: Vec<u8>) {
        self.is_wrong = true;
        if !grammar.is_silent {
            self.problems.push(message);
        }
    }

    fn long<'t>(
        &mut self,
        grammar: &Grammar,
        dashes: &[u8],
        text: &[u8],
        rest: &mut impl Iterator<Item = &'t Text>,
    ) {
        let (name, value) = split_value(text);
        let exact = grammar.long.iter().find(|long| long.name == name);
        let candidates = || grammar.long.iter().filter(|long| long.name.starts_with(name));
        let long = match (exact, candidates().count()) {
            (Some(long), _) => long,
            (None, 0) => {
                return self.wrong(grammar, [b"unrecognized option '", dashes, text, b"'"].concat_metered());
            }
            (None, 1) => match candidates().next() {
                Some(long) => long,
                None => return,
            },
            (None, _) => {
                let mut message =
                    [b"option '", dashes, text, b"' is ambiguous; possibilities:"].concat_metered();
                for long in candidates() {
                    message.extend_from_slice(&[b" '", dashes, &long.name, b"'"].concat_metered());
                }
                return self.wrong(grammar, message);
            }
        };
        let argument = match (long.argument, value) {
            (Argument::None, Some(_)) => {
                let message =
                    [b"option '", dashes, &long.name, b"' doesn't allow an argument"].concat_metered();
                return self.wrong(grammar, message);
            }
            (Argument::Required, None) => match rest.next() {
                Some(value) => Some(value.to_metered()),
                None => {
                    let message =
                        [b"option '", dashes, &long.name, b"' requires an argument"].concat_metered();
                    return self.wrong(grammar, message);
                }
            },
            (Argument::Optional, None) => Some(Vec::new()),
            (_, value) => value.map(<[u8]>::to_metered),
        };
        self.options.push(Found { option: Some([b"--", long.name.as_slice()].concat_metered()), argument });
    }

    fn cluster<'t>(&mut self, grammar: &Grammar, text: &[u8], rest: &mut impl Iterator<Item = &'t Text>) {
        for (at, &letter) in text.iter().enumerate() {
            let attached = text.get(at + 1..).filter(|attached| !attached.is_empty()).map(<[u8]>::to_metered);
            let argument = match grammar.short(letter) {
                None => {
                    self.wrong(grammar, [b"invalid option -- '", &[letter][..], b"'"].concat_metered());
                    continue;
                }
                Some(Argument::None) => {
                    self.options.push(Found { option: Some(vec![b'-', letter]), argument: None });
                    continue;
                }
                Some(Argument::Optional) => Some(attached.unwrap_or_default()),
                Some(Argument::Required) => attached.or_else(|| rest.next().map(|word| word.to_metered())),
            };
            if argument.is_none() {
                return self.wrong(
                    grammar,
                    [b"option requires an argument -- '", &[letter][..], b"'"].concat_metered(),
                );
            }
            self.options.push(Found { option: Some(vec![b'-', letter]), argument });
            return;
        }
    }
}
