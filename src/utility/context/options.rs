//! The options of utilities as tables, from which the parser (`arguments.rs`) and `--help` come.
//!
//! The macro `options!` makes the table of a utility together with an enum of its options. What was given is asked for by
//! the enum's variants, so that a misspelt option, or one of another utility, does not compile. Options that several commands
//! have are an enum of their own, which is a variant of theirs.

use crate::memory::{String, ToMetered, format};
use crate::utility::{ExitStatus, Output, Utility, UtilityError};
use std::fmt::Write as _;

/// Whether an option takes an argument; the text is its name in the help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OptionArgument {
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
pub(crate) struct OptionSpec {
    /// The letter; NUL when there is none.
    pub(crate) short: char,
    /// The long name; empty when there is none.
    pub(crate) long: &'static str,
    /// Its argument.
    pub(crate) argument: OptionArgument,
    /// One line of help.
    pub(crate) help: &'static str,
}

/// An option without argument; `'\0'` or `""` for a name that it lacks.
pub(crate) const fn flag(short: char, long: &'static str, help: &'static str) -> OptionSpec {
    OptionSpec { short, long, argument: OptionArgument::None, help }
}

/// An option with an argument.
pub(crate) const fn value(
    short: char,
    long: &'static str,
    name: &'static str,
    help: &'static str,
) -> OptionSpec {
    OptionSpec { short, long, argument: OptionArgument::Required(name), help }
}

/// An option whose argument may be left out.
pub(crate) const fn optional(
    short: char,
    long: &'static str,
    name: &'static str,
    help: &'static str,
) -> OptionSpec {
    OptionSpec { short, long, argument: OptionArgument::Optional(name), help }
}

/// `-NUM` (`head -5`); `name` is what the help calls it.
pub(crate) const fn number(name: &'static str, help: &'static str) -> OptionSpec {
    OptionSpec { short: '\0', long: name, argument: OptionArgument::Number(name), help }
}

/// The options of a utility as the variants of an enum; the macro `options!` implements it.
pub(crate) trait OptionSet: Copy + PartialEq + 'static {
    /// The rows, in the order of `--help`.
    const TABLE: &'static [OptionSpec];
    /// The option that each row stands for.
    const NAMES: &'static [Self];

    /// The option with this long name.
    fn of_long(name: &[u8]) -> Option<Self> {
        let row = Self::TABLE.iter().position(|row| !name.is_empty() && row.long.as_bytes() == name);
        row.and_then(|row| Self::NAMES.get(row)).copied()
    }

    /// The option with this letter.
    fn of_short(letter: char) -> Option<Self> {
        let row = Self::TABLE.iter().position(|row| letter != '\0' && row.short == letter);
        row.and_then(|row| Self::NAMES.get(row)).copied()
    }

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

/// The elements of all lists, in order; `N` is how many they are. The compiler runs it, for tables.
pub(in crate::utility) const fn joined<T: Copy, const N: usize>(lists: &[&[T]]) -> [T; N] {
    let mut all = [lists[0][0]; N];
    let (mut list, mut at) = (0, 0);
    while list < lists.len() {
        let mut index = 0;
        while index < lists[list].len() {
            all[at] = lists[list][index];
            (index, at) = (index + 1, at + 1);
        }
        list += 1;
    }
    all
}

/// How many elements all lists have.
pub(in crate::utility) const fn count<T>(lists: &[&[T]]) -> usize {
    let (mut list, mut count) = (0, 0);
    while list < lists.len() {
        count += lists[list].len();
        list += 1;
    }
    count
}

/// Declares the options of a utility: an enum, and the table with a row for each name that an option has. A variant with a
/// type in parentheses stands for all options of another such enum: a set that several commands share is declared once.
///
/// ```text
/// options! {
///     enum Opt {
///         Bytes = value('c', "bytes", "NUM", "print the first NUM bytes"),
///         Quiet = flag('q', "quiet", "never print headers") | flag('\0', "silent", "the same as --quiet"),
///         Diff(DiffOpt),
///     }
/// }
/// ```
macro_rules! options {
    (@name $kind:ident $name:path) => { $name };
    (@names $Opt:ident $name:ident $Set:ty) => {{
        const SET: &[$Set] = <$Set as $crate::utility::OptionSet>::NAMES;
        const NAMES: [$Opt; SET.len()] = {
            let mut names = [$Opt::$name(SET[0]); SET.len()];
            let mut at = 0;
            while at < SET.len() {
                names[at] = $Opt::$name(SET[at]);
                at += 1;
            }
            names
        };
        &NAMES
    }};
    (
        $(#[$attribute:meta])*
        $visibility:vis enum $Opt:ident { $($name:ident $(($Set:ty))? $(= $($kind:ident $row:tt)|+)?),* $(,)? }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $visibility enum $Opt { $($name $(($Set))?),* }

        impl $crate::utility::OptionSet for $Opt {
            const TABLE: &'static [$crate::utility::OptionSpec] = {
                use $crate::utility::context::options::{count, joined};
                const LISTS: &[&[$crate::utility::OptionSpec]] = &[$(
                    $(<$Set as $crate::utility::OptionSet>::TABLE)?
                    $(&[$($crate::utility::$kind $row),+])?
                ),*];
                const ROWS: [$crate::utility::OptionSpec; count(LISTS)] = joined(LISTS);
                &ROWS
            };
            const NAMES: &'static [Self] = {
                use $crate::utility::context::options::{count, joined, options};
                const LISTS: &[&[$Opt]] = &[$(
                    $(options!(@names $Opt $name $Set))?
                    $(&[$(options!(@name $kind $Opt::$name)),+])?
                ),*];
                const NAMES: [$Opt; count(LISTS)] = joined(LISTS);
                &NAMES
            };
        }

        $($(
            impl From<$Set> for $Opt {
                fn from(option: $Set) -> Self {
                    Self::$name(option)
                }
            }

            impl TryFrom<$Opt> for $Set {
                type Error = ();

                fn try_from(option: $Opt) -> std::result::Result<Self, ()> {
                    match option {
                        $Opt::$name(option) => Ok(option),
                        _ => Err(()),
                    }
                }
            }
        )?)*
    };
}
pub(crate) use options;

/// The options of a utility that has none beside `--help` and `--version`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoOption {}

impl OptionSet for NoOption {
    const TABLE: &'static [OptionSpec] = &[];
    const NAMES: &'static [Self] = &[];
}

/// A command and what it prints.
#[cfg_attr(not(test), expect(dead_code, reason = "only tests run them"))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Example {
    /// A shell command.
    pub(crate) command: &'static str,
    /// Its standard output.
    pub(crate) output: &'static str,
}

/// An example of a row.
pub(crate) const fn example(command: &'static str, output: &'static str) -> Example {
    Example { command, output }
}

/// Why the arguments are not all taken.
pub(in crate::utility) enum OptionsEnd {
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
    pub(in crate::utility) fn tell(self, stdout: &mut Output) -> UtilityError {
        match self {
            Self::Text(text) => {
                stdout.push(text.as_bytes());
                UtilityError::Exit(ExitStatus::SUCCESS)
            }
            Self::Fault(error) => error,
        }
    }
}

pub(in crate::utility) fn version(utility: &Utility) -> String {
    format!("{} (hookbox) {}\n", utility.name, env!("CARGO_PKG_VERSION"))
}

/// The text of `--help`.
pub(in crate::utility) fn help(utility: &Utility, options: &[OptionSpec]) -> String {
    let mut text = String::new();
    for (index, line) in utility.usage.lines().enumerate() {
        let _ = writeln!(text, "{} {line}", if index == 0 { "Usage:" } else { "  or: " });
    }
    let _ = writeln!(text, "{}\n", utility.summary);
    for spec in options {
        let _ = writeln!(text, "{:<28} {}", synopsis(spec), spec.help);
    }
    for (letter, long, what) in [
        (utility.help_letter, "help", "display this help and exit"),
        (utility.version_letter, "version", "output version information and exit"),
    ] {
        let spec = flag(letter.unwrap_or('\0'), long, what);
        let _ = writeln!(text, "{:<28} {what}", synopsis(&spec));
    }
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
