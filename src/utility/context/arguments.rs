//! The parser of every utility's arguments, after GNU `getopt_long`: clusters (`-rn`), option-arguments (`-n5`, `-n 5`,
//! `--lines=5`, `--lines 5`), unique abbreviations of long names, options after operands, `--`; and what it found.

use super::options::{OptionArgument, OptionSet, OptionSpec, OptionsEnd, help, version};
use crate::memory::{String, Vec, format};
use crate::text::Text;
use crate::utility::{Output, Utility, UtilityError};
use std::fmt::Write as _;
use std::marker::PhantomData;

/// What a utility was given: options in order, then operands.
#[derive(Clone, Debug)]
pub(crate) struct Options<O> {
    /// Each with the index of its row in the table.
    given: Vec<(usize, Option<Text>)>,
    /// The operands.
    pub(crate) operands: Vec<Text>,
    set: PhantomData<O>,
}

impl<O: OptionSet> Options<O> {
    /// Whether an option was given.
    pub(crate) fn has(&self, option: impl Into<O>) -> bool {
        let option = option.into();
        self.given().any(|(given, _)| given == option)
    }

    /// Whether one of these options was given.
    pub(crate) fn has_any<S: Copy + Into<O>, const N: usize>(&self, options: [S; N]) -> bool {
        self.last_of(options).is_some()
    }

    /// How often an option was given.
    pub(crate) fn count(&self, option: impl Into<O>) -> usize {
        let option = option.into();
        self.given().filter(|(given, _)| *given == option).count()
    }

    /// The option-argument given last.
    pub(crate) fn value(&self, option: impl Into<O>) -> Option<&Text> {
        self.values(option).last()
    }

    /// Every option-argument of an option, in order.
    pub(crate) fn values(&self, option: impl Into<O>) -> impl Iterator<Item = &Text> {
        let option = option.into();
        self.given().filter(move |(given, _)| *given == option).filter_map(|(_, value)| value)
    }

    /// Which of these options was given last.
    pub(crate) fn last_of<S: Copy + Into<O>, const N: usize>(&self, options: [S; N]) -> Option<S> {
        let known = |given: O| options.into_iter().find(|option| given == (*option).into());
        self.given().filter_map(|(given, _)| known(given)).last()
    }

    /// The options in the order in which they were given, with their option-arguments.
    pub(crate) fn given(&self) -> impl Iterator<Item = (O, Option<&Text>)> {
        self.given.iter().filter_map(|(row, value)| Some((*O::NAMES.get(*row)?, value.as_ref())))
    }

    pub(in crate::utility) fn parse(
        utility: &'static Utility,
        args: Vec<Text>,
        stdout: &mut Output,
    ) -> Result<Self, UtilityError> {
        match Self::parse_in_order(utility, args) {
            (options, Ok(())) => Ok(options),
            (_, Err(end)) => Err(end.tell(stdout)),
        }
    }

    /// Takes the arguments in order; what was taken before one that ends it stays.
    pub(in crate::utility) fn parse_in_order(
        utility: &'static Utility,
        args: Vec<Text>,
    ) -> (Self, Result<(), OptionsEnd>) {
        let mut parser = Parser { utility, table: O::TABLE, given: Vec::new(), operands: Vec::new() };
        let end = parser.take_all(args);
        (Self { given: parser.given, operands: parser.operands, set: PhantomData }, end)
    }
}

/// Knows rows by their index only, so that there is one for all utilities.
struct Parser {
    utility: &'static Utility,
    table: &'static [OptionSpec],
    given: Vec<(usize, Option<Text>)>,
    operands: Vec<Text>,
}

impl Parser {
    fn take_all(&mut self, args: Vec<Text>) -> Result<(), OptionsEnd> {
        let mut args = args.into_iter();
        while let Some(arg) = args.next() {
            match arg.as_bytes() {
                b"--" => self.operands.extend(args.by_ref()),
                [b'-', b'-', long @ ..] => self.take_long(long, &mut args)?,
                [b'-', cluster @ ..] if !cluster.is_empty() => self.take_cluster(cluster, &mut args)?,
                _ => {
                    self.operands.push(arg);
                    if self.utility.operands_end_options {
                        self.operands.extend(args.by_ref());
                    }
                }
            }
        }
        Ok(())
    }

    fn take_long(&mut self, long: &[u8], rest: &mut impl Iterator<Item = Text>) -> Result<(), OptionsEnd> {
        let (name, attached) = match memchr::memchr(b'=', long) {
            Some(at) => (long.get(..at).unwrap_or(long), long.get(at + 1..)),
            None => (long, None),
        };
        let (row, spec) = self.find_long(long, name)?;
        let value = match (spec.argument, attached) {
            (OptionArgument::None | OptionArgument::Number(_), Some(_)) => {
                return Err(usage(format!("option '--{}' doesn't allow an argument", spec.long)));
            }
            (OptionArgument::Required(_), None) => match rest.next() {
                Some(value) => Some(value),
                None => return Err(usage(format!("option '--{}' requires an argument", spec.long))),
            },
            (_, attached) => attached.map(Text::from),
        };
        self.given.push((row, value));
        Ok(())
    }

    /// The row of a long name: the one with just this name, else the only one that begins with it. `long` is the name with
    /// what is attached to it.
    fn find_long(&self, long: &[u8], name: &[u8]) -> Result<(usize, &'static OptionSpec), OptionsEnd> {
        let is_long =
            |spec: &OptionSpec| !spec.long.is_empty() && !matches!(spec.argument, OptionArgument::Number(_));
        let rows = || self.table.iter().enumerate().filter(|(_, spec)| is_long(spec));
        if let Some(exact) = rows().find(|(_, spec)| spec.long.as_bytes() == name) {
            return Ok(exact);
        }
        let candidates: Vec<_> = rows().filter(|(_, spec)| spec.long.as_bytes().starts_with(name)).collect();
        let begins = |text: &str| !name.is_empty() && text.as_bytes().starts_with(name);
        match candidates.as_slice() {
            [one] => Ok(*one),
            [] if begins("help") => Err(OptionsEnd::Text(help(self.utility, self.table))),
            [] if begins("version") => Err(OptionsEnd::Text(version(self.utility))),
            [] => Err(usage(format!("unrecognized option '--{}'", bstr::BStr::new(long)))),
            many => {
                let shown = bstr::BStr::new(long);
                let mut message = format!("option '--{shown}' is ambiguous; possibilities:");
                for (_, spec) in many {
                    let _ = write!(message, " '--{}'", spec.long);
                }
                Err(usage(message))
            }
        }
    }

    fn find(&self, is_wanted: impl Fn(&OptionSpec) -> bool) -> Option<(usize, &'static OptionSpec)> {
        self.table.iter().enumerate().find(|(_, spec)| is_wanted(spec))
    }

    fn take_cluster(
        &mut self,
        cluster: &[u8],
        rest: &mut impl Iterator<Item = Text>,
    ) -> Result<(), OptionsEnd> {
        let mut at = 0;
        while let Some(&letter) = cluster.get(at) {
            at += 1;
            if letter.is_ascii_digit()
                && let Some((row, _)) = self.find(|spec| matches!(spec.argument, OptionArgument::Number(_)))
            {
                let digits: Vec<u8> =
                    cluster.iter().skip(at - 1).copied().take_while(u8::is_ascii_digit).collect();
                at += digits.len() - 1;
                self.given.push((row, Some(digits.into())));
                continue;
            }
            let is_letter = |spec: &OptionSpec| spec.short == char::from(letter) && letter != 0;
            let Some((row, spec)) = self.find(is_letter) else {
                let given = Some(char::from(letter));
                if given == self.utility.help_letter {
                    return Err(OptionsEnd::Text(help(self.utility, self.table)));
                }
                if given == self.utility.version_letter {
                    return Err(OptionsEnd::Text(version(self.utility)));
                }
                let shown = cluster.get(at - 1..).and_then(|rest| {
                    let text = String::from_utf8_lossy(rest);
                    text.chars().next()
                });
                return Err(usage(format!("invalid option -- '{}'", shown.unwrap_or('?'))));
            };
            let attached = cluster.get(at..).filter(|rest| !rest.is_empty());
            let value = match spec.argument {
                OptionArgument::None | OptionArgument::Number(_) => {
                    self.given.push((row, None));
                    continue;
                }
                OptionArgument::Optional(_) => attached.map(Text::from),
                OptionArgument::Required(_) => match attached.map(Text::from).or_else(|| rest.next()) {
                    Some(value) => Some(value),
                    None => {
                        let message = format!("option requires an argument -- '{}'", char::from(letter));
                        return Err(usage(message));
                    }
                },
            };
            self.given.push((row, value));
            return Ok(());
        }
        Ok(())
    }
}

fn usage(message: String) -> OptionsEnd {
    OptionsEnd::Fault(UtilityError::Usage(message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::utility::context::options::options;

    options! {
        enum Opt {
            Bytes = value('c', "bytes", "NUM", ""),
            Quiet = flag('q', "quiet", "") | flag('\0', "silent", ""),
            Quote = optional('Q', "quote", "STYLE", ""),
            Digits = number("NUM", ""),
        }
    }

    static UTILITY: Utility = Utility { name: "tool", options: Opt::TABLE, ..Utility::BASE };

    fn parse(args: &[&str]) -> (Options<Opt>, Option<String>) {
        let (options, end) =
            Options::parse_in_order(&UTILITY, args.iter().map(|arg| Text::from(*arg)).collect());
        let fault = match end {
            Err(OptionsEnd::Fault(UtilityError::Usage(message))) => Some(message),
            _ => None,
        };
        (options, fault)
    }

    #[test]
    fn options_come_in_order_by_whichever_name() {
        let (options, fault) = parse(&["-qc5", "x", "--silent", "-12", "--quo=a", "-Q", "--", "-c"]);
        let shown: Vec<_> =
            options.given().map(|(option, value)| (option, value.map(|text| &**text))).collect();
        assert_eq!(
            *shown,
            [
                (Opt::Quiet, None),
                (Opt::Bytes, Some(&b"5"[..])),
                (Opt::Quiet, None),
                (Opt::Digits, Some(b"12")),
                (Opt::Quote, Some(b"a")),
                (Opt::Quote, None),
            ]
        );
        assert_eq!(fault, None);
        assert_eq!(*options.operands, [Text::from("x"), Text::from("-c")]);
        assert_eq!((options.count(Opt::Quiet), options.has(Opt::Bytes)), (2, true));
        assert_eq!(options.value(Opt::Quote), Some(&Text::from("a")));
        assert_eq!(options.last_of([Opt::Quiet, Opt::Bytes]), Some(Opt::Quiet));
        assert!(options.has_any([Opt::Digits]));
        assert_eq!((Opt::Quiet.long(), Opt::Quiet.short(), Opt::Digits.short()), ("quiet", 'q', '\0'));
    }

    #[test]
    fn what_was_taken_before_a_fault_stays() {
        for (args, count, want) in [
            (&["-q", "--qu"][..], 1, "option '--qu' is ambiguous; possibilities: '--quiet' '--quote'"),
            (&["--quiet=x"], 0, "option '--quiet' doesn't allow an argument"),
            (&["-q", "-c"], 1, "option requires an argument -- 'c'"),
            (&["--bytes"], 0, "option '--bytes' requires an argument"),
            (&["-qx"], 1, "invalid option -- 'x'"),
            (&["--NUM"], 0, "unrecognized option '--NUM'"),
        ] {
            let (options, fault) = parse(args);
            assert_eq!((options.given().count(), fault.as_deref()), (count, Some(want)), "{args:?}");
        }
    }
}
