//! The arguments of `zip`. Letters stand together, some in pairs; lists of patterns end at the next option, or at `@`.

use super::{Failure, Opt, error};
use crate::memory::{JoinMetered, Vec};
use crate::pattern::{Pattern, PatternOptions};
use crate::utility::OptionSet;
use crate::utility::compress::zip::{self, Method};
use crate::utility::file::last_component;
use crate::utility::prelude::*;

/// What is done with the files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Mode {
    #[default]
    Add,
    Update,
    Freshen,
    Delete,
}

/// A date as options have it: year, month, day.
pub(super) type Date = (u32, u32, u32);

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct ZipOptions {
    pub(super) mode: Mode,
    /// With its suffix; `-` is standard output.
    pub(super) archive: Text,
    pub(super) paths: Vec<Text>,
    pub(super) include: Vec<Pattern>,
    pub(super) exclude: Vec<Pattern>,
    pub(super) recurses: bool,
    pub(super) recurses_patterns: bool,
    pub(super) moves: bool,
    pub(super) junks: bool,
    pub(super) no_directories: bool,
    pub(super) is_quiet: bool,
    pub(super) is_verbose: bool,
    pub(super) keeps_links: bool,
    pub(super) no_extra: bool,
    pub(super) latest_time: bool,
    pub(super) tests: bool,
    pub(super) comment: bool,
    pub(super) names_stdin: bool,
    pub(super) no_wild: bool,
    stops_at_slash: bool,
    pub(super) stored_suffixes: Vec<Text>,
    pub(super) from: Option<Date>,
    pub(super) before: Option<Date>,
    pub(super) method: Method,
    pub(super) level: u8,
    pub(super) temporary: Option<Text>,
}

fn wrong(message: impl std::fmt::Display) -> Failure {
    error(16, format_args!("Invalid command arguments ({message})"))
}

/// Options of two letters.
const PAIRS: [(&[u8], &str); 7] = [
    (b"nw", "no-wild"),
    (b"ws", "wild-stop-dirs"),
    (b"tt", "before-date"),
    (b"fd", "force-descriptors"),
    (b"FS", "filesync"),
    (b"sf", "show-files"),
    (b"ll", "to-crlf"),
];

/// Options that are not supported.
const REFUSED: [Opt; 13] = [
    Opt::Descriptors,
    Opt::FixLines,
    Opt::Encrypt,
    Opt::Password,
    Opt::Split,
    Opt::Fix,
    Opt::FileSync,
    Opt::Copy,
    Opt::Out,
    Opt::ShowFiles,
    Opt::EntryComments,
    Opt::AdjustOffsets,
    Opt::JunkPrefix,
];

impl ZipOptions {
    pub(super) fn parse(args: &[Text]) -> Result<Self, Failure> {
        let mut settings = Self {
            mode: Mode::Add,
            archive: Text::default(),
            paths: Vec::new(),
            include: Vec::new(),
            exclude: Vec::new(),
            recurses: false,
            recurses_patterns: false,
            moves: false,
            junks: false,
            no_directories: false,
            is_quiet: false,
            is_verbose: false,
            keeps_links: false,
            no_extra: false,
            latest_time: false,
            tests: false,
            comment: false,
            names_stdin: false,
            no_wild: false,
            stops_at_slash: false,
            stored_suffixes: Vec::new(),
            from: None,
            before: None,
            method: Method::Deflated,
            level: 6,
            temporary: None,
        };
        settings.suffixes(b".Z:.zip:.zoo:.arc:.lzh:.arj");
        let mut names: Vec<Text> = Vec::new();
        let mut at = 0;
        let mut ends = false;
        while let Some(arg) = args.get(at) {
            at += 1;
            match arg.as_bytes() {
                b"--" if !ends => ends = true,
                [b'-', b'-', long @ ..] if !ends => at = settings.long(long, args, at)?,
                [b'-', letters @ ..] if !ends && !letters.is_empty() => {
                    at = settings.letters(letters, args, at)?;
                }
                b"@" if !ends && settings.takes_list() => {}
                _ => names.push(arg.clone()),
            }
        }
        let mut names = names.into_iter();
        settings.archive = match names.next() {
            Some(name) => name,
            // Without names it is a filter.
            None => {
                settings.paths.push(Text::from_static(b"-"));
                Text::from_static(b"-")
            }
        };
        settings.paths.extend(names);
        let has_suffix = last_component(&settings.archive).contains(&b'.');
        if settings.archive.as_bytes() != b"-" && !has_suffix {
            settings.archive = [&settings.archive[..], b".zip"].concat_metered().into();
        }
        if settings.recurses && settings.recurses_patterns {
            return Err(wrong("can't use -r and -R together"));
        }
        Ok(settings)
    }

    pub(super) fn to_stdout(&self) -> bool {
        self.archive.as_bytes() == b"-"
    }

    /// Whether a list of patterns was given, which `@` ends.
    fn takes_list(&self) -> bool {
        !self.include.is_empty() || !self.exclude.is_empty()
    }

    fn long(&mut self, long: &[u8], args: &[Text], at: usize) -> Result<usize, Failure> {
        let end = memchr::memchr(b'=', long).unwrap_or(long.len());
        let (name, value) = long.split_at_checked(end).unwrap_or((long, &[]));
        let Some(option) = Opt::of_long(name) else {
            return Err(wrong(format_args!("long option '{}' not supported", bstr::BStr::new(name))));
        };
        self.take(option, value.strip_prefix(b"="), args, at)
    }

    fn letters(&mut self, letters: &[u8], args: &[Text], at: usize) -> Result<usize, Failure> {
        let mut rest = letters;
        let mut at = at;
        while let Some((&letter, behind)) = rest.split_first() {
            let pair = PAIRS.iter().find(|(pair, _)| rest.starts_with(pair));
            let (option, behind) = match pair {
                Some((pair, name)) => {
                    (Opt::of_long(name.as_bytes()), rest.strip_prefix(*pair).unwrap_or(&[]))
                }
                None if letter.is_ascii_digit() => {
                    self.level = letter - b'0';
                    rest = behind;
                    continue;
                }
                None => (Opt::of_short(char::from(letter)), behind),
            };
            let Some(option) = option else {
                return Err(wrong(format_args!("short option '{}' not supported", char::from(letter))));
            };
            if takes_value(option) {
                let value =
                    if behind.is_empty() { None } else { Some(behind.strip_prefix(b"=").unwrap_or(behind)) };
                return self.take(option, value, args, at);
            }
            at = self.take(option, None, args, at)?;
            rest = behind;
        }
        Ok(at)
    }

    /// Takes an option with its value, or with the arguments that follow.
    fn take(
        &mut self,
        option: Opt,
        value: Option<&[u8]>,
        args: &[Text],
        at: usize,
    ) -> Result<usize, Failure> {
        if REFUSED.contains(&option) {
            let row = Opt::NAMES.iter().position(|one| *one == option).and_then(|row| Opt::TABLE.get(row));
            let name = row.map_or("", |row| row.long);
            return Err(wrong(format_args!("option --{name} is not supported")));
        }
        if matches!(option, Opt::Include | Opt::Exclude) {
            return Ok(self.list(option, value, args, at));
        }
        let mut next = at;
        let mut text = value.map(Text::from);
        if takes_value(option) && text.is_none() {
            text = args.get(at).cloned();
            next += 1;
            if text.is_none() {
                let (name, what) = named(option);
                return Err(wrong(format_args!("option '{name}' ({what}) requires a value")));
            }
        }
        let text = text.unwrap_or_default();
        match option {
            Opt::Recurse => self.recurses = true,
            Opt::RecursePatterns => self.recurses_patterns = true,
            Opt::Update => self.mode = Mode::Update,
            Opt::Freshen => self.mode = Mode::Freshen,
            Opt::Delete => self.mode = Mode::Delete,
            Opt::Move => self.moves = true,
            Opt::Junk => self.junks = true,
            Opt::NoDirectories => self.no_directories = true,
            Opt::Quiet => self.is_quiet = true,
            Opt::Verbose => self.is_verbose = true,
            Opt::Symlinks => self.keeps_links = true,
            Opt::NoExtra => self.no_extra = true,
            Opt::LatestTime => self.latest_time = true,
            Opt::Test => self.tests = true,
            Opt::Comment => self.comment = true,
            Opt::NamesStdin => self.names_stdin = true,
            Opt::NoWild => self.no_wild = true,
            Opt::WildStop => self.stops_at_slash = true,
            Opt::Suffixes => self.suffixes(&text),
            Opt::FromDate => self.from = Some(date(&text, "-t")?),
            Opt::BeforeDate => self.before = Some(date(&text, "-tt")?),
            Opt::Method => self.method = method(&text)?,
            Opt::TempPath => self.temporary = Some(text),
            _ => {}
        }
        Ok(next)
    }

    /// The patterns of a list.
    fn list(&mut self, option: Opt, value: Option<&[u8]>, args: &[Text], at: usize) -> usize {
        let mut next = at;
        let mut patterns: Vec<Text> = value.map(Text::from).into_iter().collect();
        // What stands in the argument of the option itself is all of its list.
        while let Some(arg) = args.get(next).filter(|arg| value.is_none() && !arg.starts_with(b"-")) {
            next += 1;
            if arg.as_bytes() == b"@" {
                break;
            }
            patterns.push(arg.clone());
        }
        for text in patterns {
            let pattern = self.pattern(&text);
            if option == Opt::Include {
                self.include.push(pattern);
            } else {
                self.exclude.push(pattern);
            }
        }
        next
    }

    /// A pattern that is compared with names in the archive.
    pub(super) fn pattern(&self, text: &[u8]) -> Pattern {
        let options = PatternOptions { pathname: self.stops_at_slash, ..PatternOptions::default() };
        if self.no_wild { Pattern::of_literal(text.into(), options) } else { zip::pattern(text, options) }
    }

    fn suffixes(&mut self, list: &[u8]) {
        let parts = list.split(|byte| matches!(byte, b':' | b';')).filter(|suffix| !suffix.is_empty());
        self.stored_suffixes = parts.map(Text::from).collect();
    }
}

fn takes_value(option: Opt) -> bool {
    matches!(
        option,
        Opt::Include
            | Opt::Exclude
            | Opt::Suffixes
            | Opt::FromDate
            | Opt::BeforeDate
            | Opt::Method
            | Opt::TempPath
            | Opt::Password
            | Opt::Split
            | Opt::Out
    )
}

/// How an option is called that lacks its value.
const fn named(option: Opt) -> (&'static str, &'static str) {
    match option {
        Opt::Suffixes => ("n", "suffixes to not compress: .gz:.zip"),
        Opt::FromDate => ("t", "exclude before date"),
        Opt::BeforeDate => ("tt", "include before date"),
        Opt::Method => ("Z", "compression method"),
        _ => ("b", "dir to use for temp archive"),
    }
}

fn method(text: &[u8]) -> Result<Method, Failure> {
    match text {
        b"store" => Ok(Method::Stored),
        b"deflate" => Ok(Method::Deflated),
        b"bzip2" => Ok(Method::Bzip2),
        _ => Err(wrong("Option -Z (--compression-method):  unknown method")),
    }
}

/// `mmddyyyy` or `yyyy-mm-dd`.
fn date(text: &[u8], option: &str) -> Result<Date, Failure> {
    let number = |from: usize, to: usize| {
        let digits = text.get(from..to).filter(|digits| digits.iter().all(u8::is_ascii_digit))?;
        std::str::from_utf8(digits).ok()?.parse::<u32>().ok()
    };
    let parts = match text {
        [_, _, _, _, b'-', _, _, b'-', _, _] => (number(0, 4), number(5, 7), number(8, 10)),
        [_, _, _, _, _, _, _, _] => (number(4, 8), number(0, 2), number(2, 4)),
        _ => (None, None, None),
    };
    match parts {
        (Some(year), Some(month @ 1..=12), Some(day @ 1..=31)) if year >= 1980 => Ok((year, month, day)),
        _ => {
            Err(wrong(format_args!("invalid date entered for {option} option - use mmddyyyy or yyyy-mm-dd")))
        }
    }
}
