//! Tests of what a file is: its kind, size, permissions, owner and times.

use super::expression::*;
use super::parse::{DAY, Parser, SECOND, decimal, fail};
use crate::memory::{String, Vec, format};
use crate::utility::UtilityError;
use crate::utility::format::file_mode::ModeChange;
use crate::utility::format::quote::quote;
use crate::utility::format::time_format::{Zone, timestamp};
use crate::utility::format::time_parse;
use crate::vfs::{FileKind, Metadata};
use std::time::Duration;

impl Parser<'_> {
    pub(super) fn metadata_test(&mut self, name: &str) -> Result<bool, UtilityError> {
        let test = match name {
            "-true" => Test::True,
            "-false" => Test::False,
            "-empty" => Test::Empty,
            "-nouser" => Test::NoUser,
            "-nogroup" => Test::NoGroup,
            "-readable" => Test::Readable,
            "-writable" => Test::Writable,
            "-executable" => Test::Executable,
            "-type" => Test::Type(self.kinds(name)?),
            "-xtype" => Test::TargetType(self.kinds(name)?),
            "-size" => self.size()?,
            "-perm" => self.permissions()?,
            "-links" => Test::Links(self.number(name)?),
            "-inum" => Test::Inode(self.number(name)?),
            "-uid" => Test::User(self.number(name)?),
            "-gid" => Test::Group(self.number(name)?),
            "-user" => {
                let user = self.argument(name)?;
                let known = self.ctx.user_id(&user);
                Test::User(exactly(known, || format!("{} is not the name of a known user", quote(&user)))?)
            }
            "-group" => {
                let group = self.argument(name)?;
                let known = self.ctx.group_id(&group);
                Test::Group(exactly(known, || {
                    format!("{} is not the name of an existing group", quote(&group))
                })?)
            }
            "-samefile" => {
                let inode = self.reference(name)?.inode;
                Test::Inode(Number { comparison: Comparison::Equal, value: inode })
            }
            "-fstype" => Test::FileSystem(self.argument(name)?.as_bytes() == b"tmpfs"),
            "-mtime" => self.days(name, Time::Modified)?,
            "-atime" => self.days(name, Time::Accessed)?,
            "-ctime" => self.days(name, Time::Changed)?,
            "-mmin" => self.minutes(name, Time::Modified)?,
            "-amin" => self.minutes(name, Time::Accessed)?,
            "-cmin" => self.minutes(name, Time::Changed)?,
            "-newer" => newer(Time::Modified, self.reference(name)?.modified),
            "-anewer" => newer(Time::Accessed, self.reference(name)?.modified),
            "-cnewer" => newer(Time::Changed, self.reference(name)?.modified),
            _ if name.starts_with("-newer") => self.newer_of(name)?,
            _ => return Ok(false),
        };
        self.test(test);
        Ok(true)
    }

    fn kinds(&mut self, name: &str) -> Result<Vec<FileKind>, UtilityError> {
        let text = self.argument(name)?;
        let mut kinds = Vec::new();
        for part in text.split(|&byte| byte == b',') {
            kinds.push(match part {
                b"f" => FileKind::Regular,
                b"d" => FileKind::Directory,
                b"l" => FileKind::Symlink,
                b"p" => FileKind::Fifo,
                b"c" => FileKind::CharDevice,
                // Kinds that no file of a session has.
                b"b" | b"s" => continue,
                [] => {
                    return fail(format!(
                        "Last file type in list argument to {name} is missing, i.e., list is ending on: ','"
                    ));
                }
                [b'f' | b'd' | b'l' | b'p' | b'c' | b'b' | b's', ..] => {
                    return fail(format!("Must separate multiple arguments to {name} using: ','"));
                }
                [first, ..] => {
                    return fail(format!("Unknown argument to {name}: {}", char::from(*first)));
                }
            });
        }
        Ok(kinds)
    }

    fn number(&mut self, name: &str) -> Result<Number, UtilityError> {
        let text = self.argument(name)?;
        let (comparison, digits) = comparison(&text);
        match decimal(digits) {
            Some(value) => Ok(Number { comparison, value }),
            None => fail(format!("invalid argument `{text}' to `{name}'")),
        }
    }

    fn size(&mut self) -> Result<Test, UtilityError> {
        let text = self.argument("-size")?;
        let (comparison, digits) = comparison(&text);
        let (unit, digits) = match digits.split_last() {
            Some((b'b', rest)) => (512, rest),
            Some((b'c', rest)) => (1, rest),
            Some((b'w', rest)) => (2, rest),
            Some((b'k', rest)) => (1 << 10, rest),
            Some((b'M', rest)) => (1 << 20, rest),
            Some((b'G', rest)) => (1 << 30, rest),
            Some((b'0'..=b'9', _)) => (512, digits),
            Some((other, _)) => return fail(format!("invalid -size type `{}'", char::from(*other))),
            None => return fail("invalid null argument to -size"),
        };
        match decimal(digits) {
            Some(value) => Ok(Test::Size { unit, count: Number { comparison, value } }),
            None => fail(format!("Invalid argument `{text}' to -size")),
        }
    }

    fn permissions(&mut self) -> Result<Test, UtilityError> {
        let text = self.argument("-perm")?;
        let (how, mode) = match text.as_bytes() {
            [b'-', mode @ ..] => (Permissions::All, mode),
            [b'/', mode @ ..] => (Permissions::Any, mode),
            mode => (Permissions::Exactly, mode),
        };
        match ModeChange::parse(mode) {
            Some(change) => {
                let (directory, other) = (change.apply(0, true, 0), change.apply(0, false, 0));
                Ok(Test::Permissions { how, directory, other })
            }
            None => fail(format!("invalid mode {}", quote(&text))),
        }
    }

    /// A time some units ago, in nanoseconds since the epoch.
    fn ago(&mut self, name: &str, unit: i128, origin: i128) -> Result<(Comparison, i128), UtilityError> {
        let text = self.argument(name)?;
        let (comparison, number) = comparison(&text);
        let value = std::str::from_utf8(number).ok().filter(|number| {
            !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        });
        match value.and_then(|number| number.parse::<f64>().ok()) {
            // A float becomes the nearest integer, or the largest.
            Some(value) => Ok((comparison, origin.saturating_sub((value * unit as f64) as i128))),
            None => fail(format!("invalid argument `{text}' to `{name}'")),
        }
    }

    fn days(&mut self, name: &str, time: Time) -> Result<Test, UtilityError> {
        let now = self.day_start.unwrap_or(self.now);
        let is_less = self.args.get(self.at).is_some_and(|text| text.first() == Some(&b'-'));
        let origin = if is_less { now - SECOND } else { now - DAY };
        let (comparison, moment) = self.ago(name, DAY, origin)?;
        Ok(Test::Time { time, comparison, moment, window: DAY })
    }

    fn minutes(&mut self, name: &str, time: Time) -> Result<Test, UtilityError> {
        let origin = self.day_start.unwrap_or(self.now);
        let (comparison, moment) = self.ago(name, 60 * SECOND, origin)?;
        Ok(Test::Time { time, comparison, moment, window: 60 * SECOND })
    }

    /// Metadata of a file that is named in the expression.
    fn reference(&mut self, name: &str) -> Result<Metadata, UtilityError> {
        let file = self.argument(name)?;
        self.look(&file)
    }

    fn look(&self, file: &[u8]) -> Result<Metadata, UtilityError> {
        let metadata =
            if self.plan.follow == Follow::Never { self.ctx.lstat(file) } else { self.ctx.stat(file) };
        metadata.map_err(|error| UtilityError::operand(quote(file).as_bytes(), error))
    }

    /// `-newerXY`
    fn newer_of(&mut self, name: &str) -> Result<Test, UtilityError> {
        let invalid = || UtilityError::failed(format!("invalid predicate `{name}'"));
        let [x, y] = name.strip_prefix("-newer").unwrap_or("").as_bytes() else { return Err(invalid()) };
        let time = match x {
            b'a' => Time::Accessed,
            b'c' => Time::Changed,
            b'm' => Time::Modified,
            _ => return Err(invalid()),
        };
        if !matches!(y, b'a' | b'c' | b'm' | b't') {
            return Err(invalid());
        }
        let reference = self.argument(name)?;
        if *y == b't' {
            let now = timestamp(self.ctx.session.clock.now());
            let Some(moment) = time_parse::parse(&reference, now, &Zone::of(&self.ctx.env)) else {
                return fail(format!(
                    "I cannot figure out how to interpret {} as a date or time",
                    quote(&reference)
                ));
            };
            let moment = moment.as_nanosecond();
            return Ok(Test::Time { time, comparison: Comparison::Less, moment, window: 0 });
        }
        let metadata = self.look(&reference)?;
        Ok(newer(
            time,
            match y {
                b'a' => metadata.accessed,
                b'c' => metadata.changed,
                _ => metadata.modified,
            },
        ))
    }
}

fn exactly(id: Option<u32>, message: impl Fn() -> String) -> Result<Number, UtilityError> {
    match id {
        Some(id) => Ok(Number { comparison: Comparison::Equal, value: u64::from(id) }),
        None => fail(message()),
    }
}

fn newer(time: Time, than: Duration) -> Test {
    let moment = i128::try_from(than.as_nanos()).unwrap_or(i128::MAX);
    Test::Time { time, comparison: Comparison::Less, moment, window: 0 }
}

fn comparison(text: &[u8]) -> (Comparison, &[u8]) {
    match text {
        [b'+', rest @ ..] => (Comparison::More, rest),
        [b'-', rest @ ..] => (Comparison::Less, rest),
        rest => (Comparison::Equal, rest),
    }
}
