//! The arguments of `unzip`: options, the archive, names, and after them `-x` and `-d`.

use super::{NO_ARCHIVE, Opt};
use crate::memory::{Vec, format};
use crate::pattern::{Pattern, PatternOptions};
use crate::utility::OptionSet;
use crate::utility::context::pace::Pace;
use crate::utility::context::ticker::stopped;
use crate::utility::prelude::*;

/// What is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Task {
    #[default]
    Extract,
    /// To standard output, with names or without.
    Screen,
    Pipe,
    Test,
    List,
    Comment,
    Stamp,
    Info,
}

impl Task {
    pub(super) const fn is_pipe(self) -> bool {
        matches!(self, Self::Pipe)
    }
}

/// What becomes of files that are there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Old {
    #[default]
    Ask,
    Keep,
    Replace,
}

/// A name or pattern of the arguments.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) text: Text,
    pattern: Pattern,
    pub(super) is_found: bool,
}

/// How `zipinfo` lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Format {
    /// Names alone; `-2` allows headers beside them.
    Names,
    NamesWithMore,
    #[default]
    Short,
    Medium,
    Long,
}

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct UnzipOptions {
    pub(super) task: Task,
    pub(super) archive: Text,
    pub(super) members: Vec<Member>,
    pub(super) excluded: Vec<Member>,
    pub(super) directory: Option<Text>,
    pub(super) old: Old,
    /// `-f` and `-u`.
    pub(super) freshens: bool,
    pub(super) updates: bool,
    pub(super) quiet: usize,
    pub(super) is_verbose: bool,
    /// `-a`: 1, text files; 2, all.
    pub(super) text: usize,
    pub(super) is_binary: bool,
    pub(super) junks: bool,
    pub(super) ignores_case: bool,
    pub(super) lowercase: usize,
    pub(super) owners: bool,
    pub(super) keeps_bits: bool,
    pub(super) no_times: usize,
    stops_at_slash: bool,
    pub(super) control: bool,
    /// Of `zipinfo`.
    pub(super) format: Format,
    pub(super) shows_header: Option<bool>,
    pub(super) shows_totals: Option<bool>,
    pub(super) decimal_times: bool,
    pub(super) shows_comment: bool,
}

fn wrong(message: impl std::fmt::Display) -> UtilityError {
    UtilityError::Failed { message: format!("{message}"), status: 10 }
}

impl UnzipOptions {
    pub(super) fn parse(args: &[Text], lists: bool) -> Result<Self, UtilityError> {
        let mut settings = Self { task: if lists { Task::Info } else { Task::Extract }, ..Self::default() };
        let mut args = args.iter().enumerate();
        loop {
            let Some((index, arg)) = args.next() else {
                return Err(UtilityError::Failed {
                    message: "no archive was named".into(),
                    status: NO_ARCHIVE.0,
                });
            };
            let Some(letters) = arg.strip_prefix(b"-").filter(|letters| !letters.is_empty()) else {
                settings.archive = arg.clone();
                break;
            };
            let mut letters = letters.iter();
            while let Some(&letter) = letters.next() {
                if letter == b'Z' && index == 0 {
                    settings.task = Task::Info;
                    continue;
                }
                if settings.task == Task::Info {
                    settings.info_option(letter)?;
                    continue;
                }
                if letter == b'd' {
                    let rest = letters.as_slice();
                    let next = if rest.is_empty() {
                        args.next().map(|(_, arg)| arg.clone())
                    } else {
                        Some(rest.into())
                    };
                    settings.directory = Some(next.ok_or_else(no_directory)?);
                    break;
                }
                settings.option(letter)?;
            }
        }
        settings.names(args.map(|(_, arg)| arg))?;
        if settings.task == Task::List && settings.freshens {
            settings.freshens = false;
        }
        Ok(settings)
    }

    fn option(&mut self, letter: u8) -> Result<(), UtilityError> {
        let shown = char::from(letter);
        let Some(option) = Opt::of_short(shown) else {
            return Err(wrong(format_args!("invalid option -- '{shown}'")));
        };
        match option {
            Opt::Pipe => self.task = Task::Pipe,
            Opt::Screen => self.task = Task::Screen,
            Opt::List => self.task = Task::List,
            Opt::Test => self.task = Task::Test,
            Opt::ShowComment => self.task = Task::Comment,
            Opt::Stamp => self.task = Task::Stamp,
            Opt::Verbose => {
                self.is_verbose = true;
                if self.task == Task::Extract {
                    self.task = Task::List;
                }
            }
            Opt::Freshen => (self.freshens, self.updates) = (true, true),
            Opt::Update => self.updates = true,
            Opt::Never => self.old = Old::Keep,
            Opt::Overwrite => self.old = Old::Replace,
            Opt::Quiet => self.quiet += 1,
            Opt::Text => self.text += 1,
            Opt::Binary => self.is_binary = true,
            Opt::Junk => self.junks = true,
            Opt::Escapes => {}
            Opt::IgnoreCase => self.ignores_case = true,
            Opt::Lowercase => self.lowercase += 1,
            Opt::Owners => self.owners = true,
            Opt::KeepBits => self.keeps_bits = true,
            Opt::NoTimes => self.no_times += 1,
            Opt::StopAtSlash => self.stops_at_slash = true,
            Opt::Control => self.control = true,
            Opt::Exclude => return Err(wrong("-x belongs behind the archive")),
            Opt::Info
            | Opt::Directory
            | Opt::Outside
            | Opt::Password
            | Opt::Pager
            | Opt::Versions
            | Opt::Backup
            | Opt::Help => return Err(wrong(format_args!("option -{shown} is not supported"))),
        }
        Ok(())
    }

    fn info_option(&mut self, letter: u8) -> Result<(), UtilityError> {
        match letter {
            b'1' => self.format = Format::Names,
            b'2' => self.format = Format::NamesWithMore,
            b's' => self.format = Format::Short,
            b'm' => self.format = Format::Medium,
            b'l' => self.format = Format::Long,
            b'h' => self.shows_header = Some(true),
            b't' => self.shows_totals = Some(true),
            b'T' => self.decimal_times = true,
            b'z' => self.shows_comment = true,
            b'C' => self.ignores_case = true,
            b'U' => {}
            b'W' => self.stops_at_slash = true,
            _ => {
                let shown = char::from(letter);
                return Err(wrong(format_args!("option -{shown} of zipinfo is not supported")));
            }
        }
        Ok(())
    }

    /// What stands behind the archive.
    fn names<'a>(&mut self, mut args: impl Iterator<Item = &'a Text>) -> Result<(), UtilityError> {
        let mut excludes = false;
        while let Some(arg) = args.next() {
            if let Some(directory) = arg.strip_prefix(b"-d").filter(|_| self.directory.is_none()) {
                let named = if directory.is_empty() { args.next().cloned() } else { Some(directory.into()) };
                self.directory = Some(named.ok_or_else(no_directory)?);
                continue;
            }
            if arg.as_bytes() == b"-x" && !excludes {
                excludes = true;
                continue;
            }
            let options = PatternOptions {
                ignore_case: self.ignores_case,
                pathname: self.stops_at_slash,
                ..PatternOptions::default()
            };
            let pattern = crate::utility::compress::zip::pattern(arg, options);
            let member = Member { text: arg.clone(), pattern, is_found: false };
            if excludes {
                self.excluded.push(member);
            } else {
                self.members.push(member);
            }
        }
        Ok(())
    }

    /// Whether the arguments select the name.
    pub(super) async fn selects(&mut self, ctx: &Context, name: &[u8]) -> Result<bool, UtilityError> {
        let mut is_selected = self.members.is_empty();
        let mut pace = Pace::Shared(&ctx.meter);
        for member in &mut self.members {
            if member.pattern.matches_paced(name, &mut pace).await.map_err(|_| stopped(&ctx.meter))? {
                member.is_found = true;
                is_selected = true;
                break;
            }
        }
        for member in self.excluded.iter_mut().filter(|_| is_selected) {
            if member.pattern.matches_paced(name, &mut pace).await.map_err(|_| stopped(&ctx.meter))? {
                member.is_found = true;
                return Ok(false);
            }
        }
        Ok(is_selected)
    }

    /// Whether names or exclusions were given.
    pub(super) fn is_partial(&self) -> bool {
        !self.members.is_empty() || !self.excluded.is_empty()
    }
}

fn no_directory() -> UtilityError {
    wrong("must specify directory to which to extract with -d option")
}
