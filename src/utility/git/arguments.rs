//! The arguments of a subcommand, after git's own parser: long names may be abbreviated and negated (`--no-NAME`), letters
//! clustered, options stand after operands, `--` ends them.

use super::Git;
use super::command::Command;
use super::error::{GitError, Result, fatal};
use crate::memory::{String, Vec, format};
use crate::text::Text;
use crate::utility::OptionSpec;
use crate::utility::context::options::OptionArgument;

/// How a subcommand words what it does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    /// ``error: unknown option `x'`` and the usage, 129.
    Options,
    /// `fatal: unrecognized argument: --x`, 128.
    Revisions,
    /// `error: invalid option: --x`, 129.
    Diff,
}

#[derive(Clone, Debug)]
struct Given {
    spec: &'static OptionSpec,
    is_negated: bool,
    value: Option<Text>,
}

/// What a subcommand was given.
#[derive(Clone, Debug, Default)]
pub(crate) struct Arguments {
    given: Vec<Given>,
    pub(crate) operands: Vec<Text>,
    /// For each operand how many options stand before it.
    marks: Vec<usize>,
    /// How many operands stand before `--`, if it was there.
    pub(crate) separator: Option<usize>,
}

fn is_named(spec: &OptionSpec, name: &str) -> bool {
    spec.long == name || (spec.short != '\0' && name.chars().eq([spec.short]))
}

impl Arguments {
    fn last(&self, name: &str) -> Option<&Given> {
        self.given.iter().rev().find(|given| is_named(given.spec, name))
    }

    /// Whether an option was given and not negated after it.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.last(name).is_some_and(|given| !given.is_negated)
    }

    /// Whether an option was given (`true`), negated (`false`) or neither.
    pub(crate) fn truth(&self, name: &str) -> Option<bool> {
        self.last(name).map(|given| !given.is_negated)
    }

    pub(crate) fn count(&self, name: &str) -> usize {
        self.given.iter().filter(|given| is_named(given.spec, name) && !given.is_negated).count()
    }

    pub(crate) fn value(&self, name: &str) -> Option<&Text> {
        self.last(name).filter(|given| !given.is_negated).and_then(|given| given.value.as_ref())
    }

    pub(crate) fn values(&self, name: &str) -> impl Iterator<Item = &Text> {
        self.given
            .iter()
            .filter(move |given| is_named(given.spec, name))
            .filter_map(|given| given.value.as_ref())
    }

    /// Which of these options was given last.
    pub(crate) fn last_of<'n>(&self, names: &[&'n str]) -> Option<&'n str> {
        self.given
            .iter()
            .rev()
            .filter(|given| !given.is_negated)
            .find_map(|given| names.iter().copied().find(|name| is_named(given.spec, name)))
    }

    /// Which of these options stands last, and whether it was not negated.
    pub(crate) fn truth_of_last<'n>(&self, names: &[&'n str]) -> Option<(&'n str, bool)> {
        self.given.iter().rev().find_map(|given| {
            names
                .iter()
                .copied()
                .find(|name| is_named(given.spec, name))
                .map(|name| (name, !given.is_negated))
        })
    }

    /// Options in order: their long name, or their letter.
    pub(crate) fn in_order(&self) -> impl Iterator<Item = (&'static OptionSpec, Option<&Text>)> {
        self.given.iter().filter(|given| !given.is_negated).map(|given| (given.spec, given.value.as_ref()))
    }

    /// Whether an odd number of `--NAME` stands before an operand.
    pub(crate) fn is_toggled_at(&self, name: &str, operand: usize) -> bool {
        let before = self.marks.get(operand).copied().unwrap_or(0);
        self.is_toggled(name, before)
    }

    fn is_toggled(&self, name: &str, before: usize) -> bool {
        self.given.iter().take(before).filter(|given| is_named(given.spec, name)).count() % 2 == 1
    }

    /// As [`Arguments::in_order`], with whether `--NAME` reverses the meaning of an option.
    pub(crate) fn in_order_toggled(
        &self,
        name: &str,
    ) -> impl Iterator<Item = (&'static OptionSpec, Option<&Text>, bool)> {
        self.given
            .iter()
            .enumerate()
            .map(move |(at, given)| (given.spec, given.value.as_ref(), self.is_toggled(name, at)))
    }

    /// A number that an option has.
    pub(crate) fn number(&self, name: &str) -> Result<Option<i64>> {
        let Some(value) = self.value(name) else { return Ok(None) };
        match std::str::from_utf8(value).ok().and_then(|text| text.parse().ok()) {
            Some(number) => Ok(Some(number)),
            None => Err(fatal!("'{value}': not an integer")),
        }
    }

    /// Operands before `--` and those after it.
    pub(crate) fn parts(&self) -> (&[Text], &[Text]) {
        self.operands.split_at(self.separator.unwrap_or(self.operands.len()).min(self.operands.len()))
    }
}

impl Git {
    /// Splits the arguments by the rows of the subcommand.
    pub(crate) fn arguments(&mut self) -> Result<Arguments> {
        let args = std::mem::take(&mut self.ctx.args);
        let row = self.row;
        let mut arguments = Arguments::default();
        let mut args = args.into_iter();
        let mut only_operands = false;
        while let Some(arg) = args.next() {
            self.ctx.tick_now()?;
            // Operands that were taken before this word.
            arguments.marks.resize(arguments.operands.len(), arguments.given.len());
            match arg.as_bytes() {
                _ if only_operands => arguments.operands.push(arg),
                b"--" => {
                    arguments.separator = Some(arguments.operands.len());
                    arguments.operands.extend(args.by_ref());
                }
                b"--end-of-options" => only_operands = true,
                [b'-', b'-', long @ ..] => {
                    if long == b"help" {
                        self.ctx.stdout.push(usage(row).as_bytes());
                        return Err(GitError::Exit(0));
                    }
                    let given = take_long(row, long, &mut args)?;
                    arguments.given.push(given);
                }
                [b'-', cluster @ ..] if !cluster.is_empty() => {
                    if cluster == b"h" && !row.specs().any(|spec| spec.short == 'h') {
                        self.ctx.stdout.push(usage(row).as_bytes());
                        return Err(GitError::Exit(129));
                    }
                    take_cluster(row, cluster, &mut args, &mut arguments.given)?;
                }
                _ => arguments.operands.push(arg),
            }
        }
        arguments.marks.resize(arguments.operands.len(), arguments.given.len());
        Ok(arguments)
    }
}

/// The usage of a subcommand.
pub(crate) fn usage(row: &Command) -> String {
    let mut text = String::new();
    for (index, line) in row.usage.lines().enumerate() {
        text.push_str(if index == 0 { "usage: " } else { "   or: " });
        text.push_str(line);
        text.push('\n');
    }
    text.push('\n');
    for spec in row.specs() {
        let short = if spec.short == '\0' { String::new() } else { format!("-{}", spec.short) };
        let comma = if spec.short == '\0' || spec.long.is_empty() { "" } else { ", " };
        let long = if spec.long.is_empty() { String::new() } else { format!("--{}", spec.long) };
        let argument = match spec.argument {
            OptionArgument::None => String::new(),
            OptionArgument::Required(name) => format!(" <{name}>"),
            OptionArgument::Optional(name) => format!("[=<{name}>]"),
            OptionArgument::Number(name) => format!("-<{name}>"),
        };
        let left = format!("{short}{comma}{long}{argument}");
        text.push_str(&format!("    {left:<21} {}\n", spec.help));
    }
    text.push('\n');
    text
}

/// What a subcommand says of an option that it does not know.
fn unknown(row: &Command, arg: &str, is_long: bool) -> GitError {
    match row.style {
        Style::Revisions => fatal!("unrecognized argument: {arg}"),
        Style::Diff => GitError::Error(format!("invalid option: {arg}"), 129),
        Style::Options => {
            let (kind, name) = if is_long {
                ("option", arg.strip_prefix("--").unwrap_or(arg))
            } else {
                ("switch", arg.strip_prefix('-').unwrap_or(arg))
            };
            GitError::Plain(format!("error: unknown {kind} `{name}'\n{}", usage(row)), 129)
        }
    }
}

fn take_long(row: &'static Command, long: &[u8], rest: &mut impl Iterator<Item = Text>) -> Result<Given> {
    let (name, attached) = match memchr::memchr(b'=', long) {
        Some(at) => (long.get(..at).unwrap_or(long), long.get(at + 1..)),
        None => (long, None),
    };
    let is_long = |spec: &&'static OptionSpec| {
        !spec.long.is_empty() && !matches!(spec.argument, OptionArgument::Number(_))
    };
    let exact = row.specs().filter(is_long).find(|spec| spec.long.as_bytes() == name);
    let positive = name.strip_prefix(b"no-");
    let negated =
        positive.and_then(|name| row.specs().filter(is_long).find(|spec| spec.long.as_bytes() == name));
    let (spec, is_negated) = match (exact, negated) {
        (Some(spec), _) => (spec, false),
        (None, Some(spec)) => (spec, true),
        (None, None) => {
            let mut fits = row.specs().filter(is_long).filter(|spec| spec.long.as_bytes().starts_with(name));
            match (fits.next(), fits.next()) {
                (Some(one), None) if name.len() > 1 => (one, false),
                (Some(one), Some(other)) if row.style == Style::Options => {
                    let (name, one, other) = (bstr::BStr::new(name), one.long, other.long);
                    let text = format!("ambiguous option: {name} (could be --{one} or --{other})");
                    return Err(GitError::Error(text, 129));
                }
                _ => return Err(unknown(row, &format!("--{}", bstr::BStr::new(long)), true)),
            }
        }
    };
    let value = match (spec.argument, attached) {
        _ if is_negated => None,
        (OptionArgument::None | OptionArgument::Number(_), Some(_)) => {
            return Err(GitError::Error(format!("option `{}' takes no value", spec.long), 129));
        }
        (OptionArgument::Required(_), None) => match rest.next() {
            Some(value) => Some(value),
            None => return Err(GitError::Error(format!("option `{}' requires a value", spec.long), 129)),
        },
        // What names a commit may stand apart: `--merged main`.
        (OptionArgument::Optional("commit"), None) => rest.next(),
        (_, attached) => attached.map(Text::from),
    };
    Ok(Given { spec, is_negated, value })
}

fn take_cluster(
    row: &'static Command,
    cluster: &[u8],
    rest: &mut impl Iterator<Item = Text>,
    given: &mut Vec<Given>,
) -> Result<()> {
    let mut at = 0;
    while let Some(&letter) = cluster.get(at) {
        at += 1;
        if letter.is_ascii_digit()
            && let Some(spec) = row.specs().find(|spec| matches!(spec.argument, OptionArgument::Number(_)))
        {
            let digits: Vec<u8> =
                cluster.iter().skip(at - 1).copied().take_while(u8::is_ascii_digit).collect();
            at += digits.len() - 1;
            given.push(Given { spec, is_negated: false, value: Some(digits.into()) });
            continue;
        }
        let Some(spec) = row.specs().find(|spec| spec.short == char::from(letter)) else {
            let whole = match row.style {
                Style::Options => format!("-{}", char::from(letter)),
                _ => format!("-{}", bstr::BStr::new(cluster)),
            };
            return Err(unknown(row, &whole, false));
        };
        let attached = cluster.get(at..).filter(|rest| !rest.is_empty());
        let value = match spec.argument {
            OptionArgument::None | OptionArgument::Number(_) => {
                given.push(Given { spec, is_negated: false, value: None });
                continue;
            }
            OptionArgument::Optional(_) => attached.map(Text::from),
            OptionArgument::Required(_) => match attached.map(Text::from).or_else(|| rest.next()) {
                Some(value) => Some(value),
                None => {
                    let text = format!("switch `{}' requires a value", char::from(letter));
                    return Err(GitError::Error(text, 129));
                }
            },
        };
        given.push(Given { spec, is_negated: false, value });
        return Ok(());
    }
    Ok(())
}
