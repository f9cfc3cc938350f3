//! The arguments of a subcommand, after git's own parser: long names may be abbreviated and negated (`--no-NAME`), letters
//! clustered, options stand after operands, `--` ends them. What was given is asked for by the options' variants.

use super::Git;
use super::command::Command;
use super::error::{GitError, Result, fatal};
use crate::memory::{String, Vec, format};
use crate::text::Text;
use crate::utility::context::options::OptionArgument;
use crate::utility::{OptionSet, OptionSpec};

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
struct Given<O> {
    option: O,
    is_negated: bool,
    value: Option<Text>,
    /// How many options were given before it.
    place: usize,
}

/// What a subcommand was given; `O` are the options that it has.
#[derive(Clone, Debug)]
pub(crate) struct Arguments<O> {
    given: Vec<Given<O>>,
    pub(crate) operands: Vec<Text>,
    /// For each operand how many options stand before it.
    marks: Vec<usize>,
    /// How many operands stand before `--`, if it was there.
    pub(crate) separator: Option<usize>,
}

impl<O> Default for Arguments<O> {
    fn default() -> Self {
        Self { given: Vec::new(), operands: Vec::new(), marks: Vec::new(), separator: None }
    }
}

impl<O: Copy + PartialEq> Arguments<O> {
    fn last(&self, option: O) -> Option<&Given<O>> {
        self.given.iter().rev().find(|given| given.option == option)
    }

    /// Whether an option was given and not negated after it.
    pub(crate) fn has(&self, option: impl Into<O>) -> bool {
        self.truth(option) == Some(true)
    }

    /// Whether [`Arguments::has`] is true of one of these options.
    pub(crate) fn has_any<S: Into<O>, const N: usize>(&self, options: [S; N]) -> bool {
        options.into_iter().any(|option| self.has(option))
    }

    /// The first of these options, in the order of the list, that was given and not negated after it.
    pub(crate) fn first_of<S: Copy + Into<O>, const N: usize>(&self, options: [S; N]) -> Option<S> {
        options.into_iter().find(|option| self.has(*option))
    }

    /// Whether an option was given (`true`), negated (`false`) or neither.
    pub(crate) fn truth(&self, option: impl Into<O>) -> Option<bool> {
        self.last(option.into()).map(|given| !given.is_negated)
    }

    pub(crate) fn count(&self, option: impl Into<O>) -> usize {
        let option = option.into();
        self.given.iter().filter(|given| given.option == option && !given.is_negated).count()
    }

    pub(crate) fn value(&self, option: impl Into<O>) -> Option<&Text> {
        self.last(option.into()).filter(|given| !given.is_negated).and_then(|given| given.value.as_ref())
    }

    pub(crate) fn values(&self, option: impl Into<O>) -> impl Iterator<Item = &Text> {
        let option = option.into();
        self.given.iter().filter(move |given| given.option == option).filter_map(|given| given.value.as_ref())
    }

    /// As [`Arguments::values`], where a negated option forgets those before it.
    pub(crate) fn kept_values(&self, option: impl Into<O>) -> impl Iterator<Item = &Text> {
        let option = option.into();
        let from = self.given.iter().rposition(|given| given.option == option && given.is_negated);
        let kept = self.given.iter().skip(from.map_or(0, |at| at + 1));
        kept.filter(move |given| given.option == option).filter_map(|given| given.value.as_ref())
    }

    /// Which of these options was given last.
    pub(crate) fn last_of<S: Copy + Into<O>, const N: usize>(&self, options: [S; N]) -> Option<S> {
        let mut given = self.given.iter().rev().filter(|given| !given.is_negated);
        given.find_map(|given| options.into_iter().find(|option| given.option == (*option).into()))
    }

    /// Which of these options stands last, and whether it was not negated.
    pub(crate) fn truth_of_last<S: Copy + Into<O>, const N: usize>(
        &self,
        options: [S; N],
    ) -> Option<(S, bool)> {
        self.given.iter().rev().find_map(|given| {
            let option = options.into_iter().find(|option| given.option == (*option).into());
            option.map(|option| (option, !given.is_negated))
        })
    }

    /// Options in order.
    pub(crate) fn in_order(&self) -> impl Iterator<Item = (O, Option<&Text>)> {
        self.given.iter().filter(|given| !given.is_negated).map(|given| (given.option, given.value.as_ref()))
    }

    /// Options in order, and whether each is negated.
    pub(crate) fn all_in_order(&self) -> impl Iterator<Item = (O, Option<&Text>, bool)> {
        self.given.iter().map(|given| (given.option, given.value.as_ref(), given.is_negated))
    }

    /// Whether an odd number of times an option stands before an operand.
    pub(crate) fn is_toggled_at(&self, option: impl Into<O>, operand: usize) -> bool {
        let before = self.marks.get(operand).copied().unwrap_or(0);
        let option = option.into();
        let given = self.given.iter().take_while(|given| given.place < before);
        given.filter(|given| given.option == option).count() % 2 == 1
    }

    /// Whether an option stands before an operand.
    pub(crate) fn is_given_before(&self, option: impl Into<O>, operand: usize) -> bool {
        let before = self.marks.get(operand).copied().unwrap_or(0);
        let option = option.into();
        self.given.iter().take_while(|given| given.place < before).any(|given| given.option == option)
    }

    /// Refuses colors where an option asks for them whatever standard output is.
    pub(crate) fn refuse_color(&self, option: impl Into<O>) -> Result<()> {
        let option = option.into();
        if !self.has(option) {
            return Ok(());
        }
        let when = self.value(option).map_or(&b"always"[..], |when| when);
        let is = |word: &str| word.as_bytes().eq_ignore_ascii_case(when);
        if is("always") {
            return Err(fatal!("colors are not supported"));
        }
        if is("never") || is("auto") {
            return Ok(());
        }
        Err(GitError::Error("option `color' expects \"always\", \"auto\", or \"never\"".into(), 129))
    }

    /// As [`Arguments::in_order`], negated ones too, with whether another option reverses the meaning of each.
    pub(crate) fn in_order_toggled(
        &self,
        option: impl Into<O>,
    ) -> impl Iterator<Item = (O, Option<&Text>, bool)> {
        let option = option.into();
        let mut is_toggled = false;
        self.given.iter().map(move |given| {
            let shown = (given.option, given.value.as_ref(), is_toggled);
            is_toggled ^= given.option == option;
            shown
        })
    }

    /// A number that an option has.
    pub(crate) fn number(&self, option: impl Into<O>) -> Result<Option<i64>> {
        let Some(value) = self.value(option) else { return Ok(None) };
        match std::str::from_utf8(value).ok().and_then(|text| text.parse().ok()) {
            Some(number) => Ok(Some(number)),
            None => Err(fatal!("'{value}': not an integer")),
        }
    }

    /// Operands before `--` and those after it.
    pub(crate) fn parts(&self) -> (&[Text], &[Text]) {
        self.operands.split_at(self.separator.unwrap_or(self.operands.len()).min(self.operands.len()))
    }

    /// The same arguments for a part of the program that knows other options; those without a counterpart are left out.
    pub(crate) fn pick<S>(&self, counterpart: impl Fn(O) -> Option<S>) -> Arguments<S> {
        self.clone().into_picked(counterpart)
    }

    /// The same arguments with the options of a set alone that the command shares with others.
    pub(crate) fn part<S: TryFrom<O>>(&self) -> Arguments<S> {
        self.pick(|option| S::try_from(option).ok())
    }

    fn into_picked<S>(self, counterpart: impl Fn(O) -> Option<S>) -> Arguments<S> {
        let picked = self.given.into_iter().filter_map(|given| {
            let Given { option, is_negated, value, place } = given;
            Some(Given { option: counterpart(option)?, is_negated, value, place })
        });
        let given = picked.collect();
        Arguments { given, operands: self.operands, marks: self.marks, separator: self.separator }
    }
}

impl Git {
    /// Splits the arguments by the options of the subcommand.
    pub(crate) fn arguments<O: OptionSet>(&mut self) -> Result<Arguments<O>> {
        let rows = self.given_rows(O::TABLE)?;
        Ok(rows.into_picked(|row| O::NAMES.get(row).copied()))
    }

    /// What was given, by the indices of the rows, so that there is one for all subcommands.
    fn given_rows(&mut self, table: &'static [OptionSpec]) -> Result<Arguments<usize>> {
        let args = std::mem::take(&mut self.ctx.args);
        let mut parser = Parser { row: self.row, table, arguments: Arguments::default() };
        let mut args = args.into_iter();
        let mut only_operands = false;
        while let Some(arg) = args.next() {
            self.ctx.tick_now()?;
            let arguments = &mut parser.arguments;
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
                        self.ctx.stdout.push(usage(self.row).as_bytes());
                        return Err(GitError::Exit(0));
                    }
                    parser.take_long(long, &mut args)?;
                }
                [b'-', cluster @ ..] if !cluster.is_empty() => {
                    if cluster == b"h" && !table.iter().any(|spec| spec.short == 'h') {
                        self.ctx.stdout.push(usage(self.row).as_bytes());
                        return Err(GitError::Exit(129));
                    }
                    parser.take_cluster(cluster, &mut args)?;
                }
                _ => {
                    only_operands = self.row.operands_end_options;
                    arguments.operands.push(arg);
                }
            }
        }
        let mut arguments = parser.arguments;
        arguments.marks.resize(arguments.operands.len(), arguments.given.len());
        Ok(arguments)
    }
}

/// What git says of a value that has to be a number; `named` is "option `NAME'" or "switch `LETTER'".
pub(crate) fn not_a_number(named: &str) -> GitError {
    GitError::Error(format!("{named} expects a numerical value"), 129)
}

impl Command {
    /// Whether `--no-NAME` takes an option back.
    fn may_negate(&self, spec: &OptionSpec) -> bool {
        !self.never_negated.contains(&spec.long)
    }

    /// What a subcommand says of arguments that it cannot take: its usage.
    pub(crate) fn usage_error(&self) -> GitError {
        self.usage_error_after("")
    }

    /// As [`Command::usage_error`], below what is wrong.
    pub(crate) fn usage_error_after(&self, text: &str) -> GitError {
        GitError::Plain(format!("{text}{}", usage(self)), 129)
    }
}

/// The usage of a subcommand.
fn usage(row: &Command) -> String {
    let mut text = String::new();
    for (index, line) in row.usage.lines().enumerate() {
        text.push_str(if index == 0 { "usage: " } else { "   or: " });
        text.push_str(line);
        text.push('\n');
    }
    text.push('\n');
    let mut headings = row.headings.iter();
    let mut next = headings.next();
    for (index, spec) in row.options.iter().enumerate() {
        if let Some((_, heading)) = next.filter(|(first, _)| *first == spec.long) {
            text.push_str(if index == 0 { "" } else { "\n" });
            text.push_str(&format!("{heading}\n"));
            next = headings.next();
        }
        push_option(&mut text, row, spec);
    }
    if !row.options.is_empty() {
        text.push('\n');
    }
    text
}

/// The line of an option in a usage. Rows with headings have git's layout, the names that may be negated are marked there.
fn push_option(text: &mut String, row: &Command, spec: &OptionSpec) {
    let has_layout = !row.headings.is_empty();
    let short = if spec.short == '\0' { String::new() } else { format!("-{}", spec.short) };
    let comma = if spec.short == '\0' || spec.long.is_empty() { "" } else { ", " };
    let negation = if has_layout && row.may_negate(spec) { "[no-]" } else { "" };
    let long = if spec.long.is_empty() { String::new() } else { format!("--{negation}{}", spec.long) };
    let argument = match spec.argument {
        OptionArgument::None => String::new(),
        OptionArgument::Required(name) => format!(" <{name}>"),
        OptionArgument::Optional(name) => format!("[=<{name}>]"),
        OptionArgument::Number(name) => format!("-<{name}>"),
    };
    let left = format!("{short}{comma}{long}{argument}");
    if !has_layout {
        text.push_str(&format!("    {left:<21} {}\n", spec.help));
    } else if left.len() < 22 {
        text.push_str(&format!("    {left:<22}{}\n", spec.help));
    } else {
        text.push_str(&format!("    {left}\n{:26}{}\n", "", spec.help));
    }
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

/// A row of a table and its index.
type Row = (usize, &'static OptionSpec);

/// Takes words by the rows of a table.
struct Parser {
    row: &'static Command,
    table: &'static [OptionSpec],
    arguments: Arguments<usize>,
}

impl Parser {
    fn push(&mut self, row: usize, is_negated: bool, value: Option<Text>) {
        let place = self.arguments.given.len();
        self.arguments.given.push(Given { option: row, is_negated, value, place });
    }

    fn find(&self, is_wanted: impl Fn(&OptionSpec) -> bool) -> Option<Row> {
        self.table.iter().enumerate().find(|(_, spec)| is_wanted(spec))
    }

    fn long(&self, is_wanted: impl Fn(&[u8]) -> bool) -> impl Iterator<Item = Row> {
        let is_long =
            |spec: &OptionSpec| !spec.long.is_empty() && !matches!(spec.argument, OptionArgument::Number(_));
        let rows = self.table.iter().enumerate();
        rows.filter(move |(_, spec)| is_long(spec) && is_wanted(spec.long.as_bytes()))
    }

    /// The row of a long name, and whether the name negates it. `long` is the name with what is attached to it.
    fn find_long(&self, long: &[u8], name: &[u8]) -> Result<(usize, &'static OptionSpec, bool)> {
        if let Some((row, spec)) = self.long(|known| known == name).next() {
            return Ok((row, spec, false));
        }
        if let Some(positive) = name.strip_prefix(b"no-")
            && let Some((row, spec)) = self.long(|known| known == positive).next()
            && self.row.may_negate(spec)
        {
            return Ok((row, spec, true));
        }
        let mut fits = self.long(|known| known.starts_with(name));
        let (mut last, mut before) = (fits.next(), None);
        for fit in fits {
            before = last.replace(fit);
        }
        match (last, before) {
            (Some((row, spec)), None) if name.len() > 1 => Ok((row, spec, false)),
            (Some((_, other)), Some((_, one))) if self.row.style == Style::Options => {
                let (name, one, other, usage) =
                    (bstr::BStr::new(name), one.long, other.long, usage(self.row));
                let text =
                    format!("error: ambiguous option: {name} (could be --{one} or --{other})\n{usage}");
                Err(GitError::Plain(text, 129))
            }
            _ => Err(unknown(self.row, &format!("--{}", bstr::BStr::new(long)), true)),
        }
    }

    fn take_long(&mut self, long: &[u8], rest: &mut impl Iterator<Item = Text>) -> Result<()> {
        let (name, attached) = match memchr::memchr(b'=', long) {
            Some(at) => (long.get(..at).unwrap_or(long), long.get(at + 1..)),
            None => (long, None),
        };
        let (row, spec, is_negated) = self.find_long(long, name)?;
        let value = match (spec.argument, attached) {
            (_, Some(_)) if is_negated => {
                return Err(GitError::Error(format!("option `no-{}' takes no value", spec.long), 129));
            }
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
        self.push(row, is_negated, value);
        Ok(())
    }

    fn take_cluster(&mut self, cluster: &[u8], rest: &mut impl Iterator<Item = Text>) -> Result<()> {
        let mut at = 0;
        while let Some(&letter) = cluster.get(at) {
            at += 1;
            if letter.is_ascii_digit()
                && let Some((row, _)) = self.find(|spec| matches!(spec.argument, OptionArgument::Number(_)))
            {
                let digits: Vec<u8> =
                    cluster.iter().skip(at - 1).copied().take_while(u8::is_ascii_digit).collect();
                at += digits.len() - 1;
                self.push(row, false, Some(digits.into()));
                continue;
            }
            let Some((row, spec)) = self.find(|spec| spec.short == char::from(letter)) else {
                let whole = match self.row.style {
                    Style::Options => format!("-{}", char::from(letter)),
                    _ => format!("-{}", bstr::BStr::new(cluster)),
                };
                return Err(unknown(self.row, &whole, false));
            };
            let attached = cluster.get(at..).filter(|rest| !rest.is_empty());
            let value = match spec.argument {
                OptionArgument::None | OptionArgument::Number(_) => {
                    self.push(row, false, None);
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
            self.push(row, false, value);
            return Ok(());
        }
        Ok(())
    }
}
