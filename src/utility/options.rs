//! The option parser of every utility, after GNU `getopt_long`: clusters (`-rn`), option-arguments (`-n5`, `-n 5`,
//! `--lines=5`, `--lines 5`), unique abbreviations of long names, options behind operands, `--`. `--help` and `--version`
//! come from the same table.
//!
//! The macro [`options!`] makes the table of a utility together with an enum of its options. What was given is asked for by
//! the enum's variants, so that a misspelt option, or one of another utility, does not compile.

use super::{ExitStatus, Output, Utility, UtilityError};
use crate::memory::{String, ToMetered, Vec, format};
use crate::text::Text;
use std::fmt::Write as _;

/// Whether an option takes an argument; the text is its name in the help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionArgument {
    /// No argument.
    None,
    /// `-n NUM`, `--lines=NUM`
    Required(&'static str),
    /// `-i[SUFFIX]`, `--in-place[=SUFFIX]`
    Optional(&'static str),
    /// `-NUM`: digits as an option of their own.
    Number(&'static str),
}

/// One option.
#[derive(Clone, Copy, Debug)]
pub struct OptionSpec {
    /// The letter; NUL when there is none.
    pub short: char,
    /// The long name; empty when there is none.
    pub long: &'static str,
    /// Its argument.
    pub argument: OptionArgument,
    /// One line of help.
    pub help: &'static str,
}

/// An option without argument; `'\0'` or `""` for a name that it lacks.
pub const fn flag(short: char, long: &'static str, help: &'static str) -> OptionSpec {
    OptionSpec { short, long, argument: OptionArgument::None, help }
}

/// An option with an argument.
pub const fn value(short: char, long: &'static str, name: &'static str, help: &'static str) -> OptionSpec {
    OptionSpec { short, long, argument: OptionArgument::Required(name), help }
}

/// An option whose argument may be left out.
pub const fn optional(short: char, long: &'static str, name: &'static str, help: &'static str) -> OptionSpec {
    OptionSpec { short, long, argument: OptionArgument::Optional(name), help }
}

/// `-NUM` (`head -5`); found by the key `name`.
pub const fn number(name: &'static str, help: &'static str) -> OptionSpec {
    OptionSpec { short: '\0', long: name, argument: OptionArgument::Number(name), help }
}

/// The options of a utility as the variants of an enum; the macro [`options!`] implements it.
pub trait OptionSet: Copy + PartialEq + 'static {
    /// The rows, in the order of `--help`.
    const TABLE: &'static [OptionSpec];
    /// The option that each row stands for.
    const NAMES: &'static [Self];

    /// Its long name; empty when there is none.
    fn long(self) -> &'static str {
        row(self).map_or("", |row| row.long)
    }

    /// Its letter; NUL when there is none.
    fn short(self) -> char {
        row(self).map_or('\0', |row| row.short)
    }
}

/// The first row that stands for an option.
fn row<O: OptionSet>(option: O) -> Option<&'static OptionSpec> {
    O::NAMES.iter().position(|name| *name == option).and_then(|row| O::TABLE.get(row))
}

/// Declares the options of a utility: an enum, and the table with a row for each name that an option has.
///
/// ```text
/// options! {
///     enum Opt {
///         Bytes = value('c', "bytes", "NUM", "print the first NUM bytes"),
///         Quiet = flag('q', "quiet", "never print headers") | flag('\0', "silent", "the same as --quiet"),
///     }
/// }
/// ```
macro_rules! options {
    (@same $kind:ident $name:path) => { $name };
    ($visibility:vis enum $Opt:ident { $($name:ident = $($kind:ident $row:tt)|+),* $(,)? }) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $visibility enum $Opt { $($name),* }

        impl $crate::utility::OptionSet for $Opt {
            const TABLE: &'static [$crate::utility::OptionSpec] = &[$($($crate::utility::$kind $row),+),*];
            const NAMES: &'static [Self] =
                &[$($($crate::utility::options::options!(@same $kind Self::$name)),+),*];
        }
    };
}
pub(crate) use options;

/// The options of a utility that has none beside `--help` and `--version`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoOption {}

impl OptionSet for NoOption {
    const TABLE: &'static [OptionSpec] = &[];
    const NAMES: &'static [Self] = &[];
}

/// A command and what it prints.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// A shell command.
    pub command: &'static str,
    /// Its standard output.
    pub output: &'static str,
}

/// An example of a row.
pub const fn example(command: &'static str, output: &'static str) -> Example {
    Example { command, output }
}

/// What a utility was given: options in order, then operands.
#[derive(Clone, Debug, Default)]
pub struct Options {
    given: Vec<(OptionSpec, Option<Text>)>,
    /// The operands.
    pub operands: Vec<Text>,
}

/// Why the arguments are not all taken.
pub(super) enum OptionsEnd {
    /// `--help` or `--version`: the text is printed, and that is all.
    Text(String),
    Fault(UtilityError),
}

impl From<UtilityError> for OptionsEnd {
    fn from(error: UtilityError) -> Self {
        Self::Fault(error)
    }
}

impl OptionsEnd {
    /// Prints the text, if it is one; what ends the utility.
    pub(super) fn tell(self, stdout: &mut Output) -> UtilityError {
        match self {
            Self::Text(text) => {
                stdout.push(text.as_bytes());
                UtilityError::Exit(ExitStatus::SUCCESS)
            }
            Self::Fault(error) => error,
        }
    }
}

impl Options {
    /// Whether an option was given, by its letter or long name.
    pub fn has(&self, name: &str) -> bool {
        self.given.iter().any(|(spec, _)| is_named(spec, name))
    }

    /// How often an option was given.
    pub fn count(&self, name: &str) -> usize {
        self.given.iter().filter(|(spec, _)| is_named(spec, name)).count()
    }

    /// The option-argument given last.
    pub fn value(&self, name: &str) -> Option<&Text> {
        self.values(name).last()
    }

    /// Every option-argument of an option, in order.
    pub fn values(&self, name: &str) -> impl Iterator<Item = &Text> {
        self.given
            .iter()
            .filter(move |(spec, _)| is_named(spec, name))
            .filter_map(|(_, value)| value.as_ref())
    }

    /// The name (as in `names`) of the one that was given last.
    pub fn last_of<'n>(&self, names: &[&'n str]) -> Option<&'n str> {
        self.given.iter().rev().find_map(|(spec, _)| names.iter().copied().find(|name| is_named(spec, name)))
    }

    /// Options in the order in which they were given.
    pub fn given(&self) -> impl Iterator<Item = (&OptionSpec, Option<&Text>)> {
        self.given.iter().map(|(spec, value)| (spec, value.as_ref()))
    }

    pub(super) fn parse(
        utility: &'static Utility,
        args: Vec<Text>,
        stdout: &mut Output,
    ) -> Result<Self, UtilityError> {
        let mut options = Self::default();
        match options.take_all(utility, args) {
            Ok(()) => Ok(options),
            Err(end) => Err(end.tell(stdout)),
        }
    }

    /// Takes the arguments in order; what was taken before one that ends it stays.
    pub(super) fn take_all(&mut self, utility: &'static Utility, args: Vec<Text>) -> Result<(), OptionsEnd> {
        let mut args = args.into_iter();
        while let Some(arg) = args.next() {
            match arg.as_bytes() {
                b"--" => {
                    self.operands.extend(args.by_ref());
                }
                [b'-', b'-', long @ ..] => {
                    if let Some(text) = self.take_long(utility, long, &mut args)? {
                        return Err(OptionsEnd::Text(text));
                    }
                }
                [b'-', cluster @ ..] if !cluster.is_empty() => {
                    self.take_cluster(utility, cluster, &mut args)?;
                }
                _ => {
                    self.operands.push(arg);
                    if utility.operands_end_options {
                        self.operands.extend(args.by_ref());
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the text to print for `--help` and `--version`.
    fn take_long(
        &mut self,
        utility: &'static Utility,
        long: &[u8],
        rest: &mut impl Iterator<Item = Text>,
    ) -> Result<Option<String>, UtilityError> {
        let (name, attached) = match memchr::memchr(b'=', long) {
            Some(at) => (long.get(..at).unwrap_or(long), long.get(at + 1..)),
            None => (long, None),
        };
        let shown = bstr::BStr::new(name);
        let is_long =
            |spec: &&OptionSpec| !spec.long.is_empty() && !matches!(spec.argument, OptionArgument::Number(_));
        let exact = utility.options.iter().filter(is_long).find(|spec| spec.long.as_bytes() == name);
        let spec = if let Some(spec) = exact {
            *spec
        } else {
            let candidates: Vec<&OptionSpec> = utility
                .options
                .iter()
                .filter(is_long)
                .filter(|s| s.long.as_bytes().starts_with(name))
                .collect();
            let builtin =
                |text: &str| candidates.is_empty() && !name.is_empty() && text.as_bytes().starts_with(name);
            match candidates.as_slice() {
                [one] => **one,
                [] if builtin("help") => return Ok(Some(help(utility, utility.options))),
                [] if builtin("version") => return Ok(Some(version(utility))),
                [] => {
                    return Err(UtilityError::Usage(format!(
                        "unrecognized option '--{}'",
                        bstr::BStr::new(long)
                    )));
                }
                many => {
                    let mut message = format!("option '--{shown}' is ambiguous; possibilities:");
                    for spec in many {
                        let _ = write!(message, " '--{}'", spec.long);
                    }
                    return Err(UtilityError::Usage(message));
                }
            }
        };
        let value = match (spec.argument, attached) {
            (OptionArgument::None | OptionArgument::Number(_), Some(_)) => {
                return Err(UtilityError::Usage(format!(
                    "option '--{}' doesn't allow an argument",
                    spec.long
                )));
            }
            (OptionArgument::Required(_), None) => match rest.next() {
                Some(value) => Some(value),
                None => {
                    return Err(UtilityError::Usage(format!(
                        "option '--{}' requires an argument",
                        spec.long
                    )));
                }
            },
            (_, attached) => attached.map(Text::from),
        };
        self.given.push((spec, value));
        Ok(None)
    }

    fn take_cluster(
        &mut self,
        utility: &'static Utility,
        cluster: &[u8],
        rest: &mut impl Iterator<Item = Text>,
    ) -> Result<(), UtilityError> {
        let mut at = 0;
        while let Some(&letter) = cluster.get(at) {
            at += 1;
            if letter.is_ascii_digit()
                && let Some(spec) =
                    utility.options.iter().find(|spec| matches!(spec.argument, OptionArgument::Number(_)))
            {
                let digits: Vec<u8> =
                    cluster.iter().skip(at - 1).copied().take_while(u8::is_ascii_digit).collect();
                at += digits.len() - 1;
                self.given.push((*spec, Some(digits.into())));
                continue;
            }
            let Some(spec) =
                utility.options.iter().find(|spec| spec.short == char::from(letter) && letter != 0)
            else {
                let shown = cluster.get(at - 1..).and_then(|rest| {
                    let text = String::from_utf8_lossy(rest);
                    text.chars().next()
                });
                return Err(UtilityError::Usage(format!("invalid option -- '{}'", shown.unwrap_or('?'))));
            };
            let attached = cluster.get(at..).filter(|rest| !rest.is_empty());
            let value = match spec.argument {
                OptionArgument::None | OptionArgument::Number(_) => {
                    self.given.push((*spec, None));
                    continue;
                }
                OptionArgument::Optional(_) => attached.map(Text::from),
                OptionArgument::Required(_) => match attached.map(Text::from).or_else(|| rest.next()) {
                    Some(value) => Some(value),
                    None => {
                        let message = format!("option requires an argument -- '{}'", char::from(letter));
                        return Err(UtilityError::Usage(message));
                    }
                },
            };
            self.given.push((*spec, value));
            return Ok(());
        }
        Ok(())
    }
}

fn is_named(spec: &OptionSpec, name: &str) -> bool {
    spec.long == name || (spec.short != '\0' && name.chars().eq([spec.short]))
}

pub(super) fn version(utility: &Utility) -> String {
    format!("{} (hookbox) {}\n", utility.name, env!("CARGO_PKG_VERSION"))
}

/// The text of `--help`.
pub(super) fn help(utility: &Utility, options: &[OptionSpec]) -> String {
    let mut text = String::new();
    for (index, line) in utility.usage.lines().enumerate() {
        let _ = writeln!(text, "{} {line}", if index == 0 { "Usage:" } else { "  or: " });
    }
    let _ = writeln!(text, "{}\n", utility.summary);
    for spec in options {
        let _ = writeln!(text, "{:<28} {}", synopsis(spec), spec.help);
    }
    let _ = writeln!(text, "{:<28} display this help and exit", "      --help");
    let _ = writeln!(text, "{:<28} output version information and exit", "      --version");
    text
}

fn synopsis(spec: &OptionSpec) -> String {
    let short = if spec.short == '\0' { "    ".to_metered() } else { format!("  -{}", spec.short) };
    let long = if spec.long.is_empty() { String::new() } else { format!("--{}", spec.long) };
    let joined = match (spec.short, spec.long.is_empty()) {
        ('\0', _) => format!("{short}  {long}"),
        (_, true) => short,
        (_, false) => format!("{short}, {long}"),
    };
    match spec.argument {
        OptionArgument::None => joined,
        OptionArgument::Number(name) => format!("  -{name}"),
        OptionArgument::Required(name) if spec.long.is_empty() => format!("{joined} {name}"),
        OptionArgument::Required(name) => format!("{joined}={name}"),
        OptionArgument::Optional(name) if spec.long.is_empty() => format!("{joined}[{name}]"),
        OptionArgument::Optional(name) => format!("{joined}[={name}]"),
    }
}
