//! `touch`: sets the times of files, and makes those that are missing. POSIX XCU touch, GNU coreutils touch(1).

use super::format::quote::{quote, quote_name};
use super::format::time_format::{Zone, duration, timestamp};
use super::format::time_parse;
use crate::memory::{Vec, format};
use crate::utility::format::keyword::keyword;
use crate::utility::prelude::*;
use crate::vfs::OpenOptions;
use jiff::civil::DateTime;
use std::time::Duration;

options! {
    enum Opt {
        Access = flag('a', "", "change only the access time"),
        NoCreate = flag('c', "no-create", "do not create any files"),
        Date = value('d', "date", "STRING", "parse STRING and use it instead of current time"),
        Ignored = flag('f', "", "(ignored)"),
        NoDereference = flag(
            'h',
            "no-dereference",
            "affect each symbolic link instead of any referenced file",
        ),
        Modification = flag('m', "", "change only the modification time"),
        Reference = value('r', "reference", "FILE", "use this file's times instead of current time"),
        Stamp = value('t', "", "STAMP", "use [[CC]YY]MMDDhhmm[.ss] instead of current time"),
        Time = value(
            '\0',
            "time",
            "WORD",
            "change the specified time: access, atime, use: like -a; modify, mtime: like -m",
        ),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "touch",
    summary: "update the access and modification times of each FILE to the current time",
    usage: "touch [OPTION]... FILE...",
    options: Opt::TABLE,
    examples: &[example("touch -d 2024-01-02 f; date -r f +%F", "2024-01-02\n")],
    run: start!(run),
    ..Utility::BASE
};

struct Times {
    accessed: Option<Duration>,
    modified: Option<Duration>,
    /// Both are now: whoever may write the file may do that.
    is_now: bool,
}

/// Exit status: 0, or 1 when a file's times could not be set (the others still are).
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let times = times(ctx, &options)?;
    if options.operands.is_empty() {
        return Err(UtilityError::Usage("missing file operand".into()));
    }
    let follow = !options.has(Opt::NoDereference);
    let create = follow && !options.has(Opt::NoCreate);
    let mut status = ExitStatus::SUCCESS;
    for operand in &options.operands {
        ctx.tick().await?;
        match touch(ctx, operand, &times, follow, create) {
            Ok(()) => {}
            Err(FsError::Errno(Errno::NotFound)) if !create && follow => {}
            Err(error) => {
                // A slash is refused by opening with another error, which does not count.
                let what =
                    if create && !operand.ends_with(b"/") { "cannot touch" } else { "setting times of" };
                status = ctx.complain(format_args!("{what} {}", quote_name(operand)), error)?;
            }
        }
    }
    Ok(status)
}

fn touch(ctx: &Context, operand: &[u8], times: &Times, follow: bool, create: bool) -> Result<(), FsError> {
    let path = ctx.path(operand)?;
    let fs = ctx.fs();
    let exists = if follow { fs.metadata(&path) } else { fs.symlink_metadata(&path) };
    match exists {
        Err(FsError::Errno(Errno::NotFound)) if create => {
            let mode = 0o666 & !ctx.umask;
            let how = OpenOptions { write: true, create: true, mode, ..OpenOptions::default() };
            fs.open(&path, &how)?;
        }
        Err(error) => return Err(error),
        Ok(_) => {}
    }
    if times.is_now {
        fs.touch(&path, follow)
    } else {
        fs.set_times(&path, times.accessed, times.modified, follow)
    }
}

fn times(ctx: &mut Context, options: &Options<Opt>) -> Result<Times, UtilityError> {
    let (mut access_only, mut modify_only) = (options.has(Opt::Access), options.has(Opt::Modification));
    let words: [(&[&str], bool); 2] = [(&["atime", "access", "use"], true), (&["mtime", "modify"], false)];
    for word in options.values(Opt::Time) {
        if keyword("--time", &words, word)? {
            access_only = true;
        } else {
            modify_only = true;
        }
    }
    let (accessed, modified, is_now) = moments(ctx, options)?;
    let both = access_only == modify_only;
    Ok(Times {
        accessed: (both || access_only).then_some(accessed),
        modified: (both || modify_only).then_some(modified),
        is_now: is_now && both,
    })
}

/// The times to set: of access, of modification, and whether that is now.
fn moments(ctx: &Context, options: &Options<Opt>) -> Result<(Duration, Duration, bool), UtilityError> {
    let now = ctx.session.clock.now();
    let zone = Zone::of(&ctx.env);
    let (date, reference, stamp) =
        (options.value(Opt::Date), options.value(Opt::Reference), options.value(Opt::Stamp));
    if stamp.is_some() && (date.is_some() || reference.is_some()) {
        return Err(UtilityError::Usage("cannot specify times from more than one source".into()));
    }
    let (mut accessed, mut modified) = (now, now);
    if let Some(file) = reference {
        let metadata = if options.has(Opt::NoDereference) { ctx.lstat(file) } else { ctx.stat(file) };
        let metadata = metadata.map_err(|error| {
            UtilityError::operand(
                format!("failed to get attributes of {}", quote_name(file)).as_bytes(),
                error,
            )
        })?;
        (accessed, modified) = (metadata.accessed, metadata.modified);
    }
    if let Some(text) = date {
        let parse = |base: Duration| time_parse::parse(text, timestamp(base), &zone).map(duration);
        let wrong = || UtilityError::failed(format!("invalid date format {}", quote(text)));
        accessed = parse(accessed).ok_or_else(wrong)?;
        modified = parse(modified).ok_or_else(wrong)?;
    }
    if let Some(text) = stamp {
        let moment = parse_stamp(text, &zone, now)
            .ok_or_else(|| UtilityError::failed(format!("invalid date format {}", quote(text))))?;
        (accessed, modified) = (moment, moment);
    }
    let is_now = date.is_none() && reference.is_none() && stamp.is_none();
    Ok((accessed, modified, is_now))
}

/// `[[CC]YY]MMDDhhmm[.ss]`
fn parse_stamp(text: &[u8], zone: &Zone, now: Duration) -> Option<Duration> {
    let (digits, second) = match text.iter().position(|&byte| byte == b'.') {
        Some(dot) => (text.get(..dot)?, pair(text.get(dot + 1..)?)?),
        None => (text, 0),
    };
    let pairs: Vec<i16> = digits.chunks(2).map(pair).collect::<Option<_>>()?;
    let (year, rest) = match pairs.as_slice() {
        [century, year, rest @ ..] if pairs.len() == 6 => (century * 100 + year, rest),
        [year, rest @ ..] if pairs.len() == 5 => (if *year < 69 { 2000 + year } else { 1900 + year }, rest),
        rest => (zone.since_epoch(now).year(), rest),
    };
    let [month, day, hour, minute] = rest else { return None };
    let small = |value: i16| i8::try_from(value).ok();
    let moment =
        DateTime::new(year, small(*month)?, small(*day)?, small(*hour)?, small(*minute)?, small(second)?, 0);
    Some(duration(moment.ok()?.to_zoned(zone.zone().clone()).ok()?.timestamp()))
}

fn pair(digits: &[u8]) -> Option<i16> {
    match digits {
        [tens @ b'0'..=b'9', ones @ b'0'..=b'9'] => {
            Some(i16::from(tens - b'0') * 10 + i16::from(ones - b'0'))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::Fixture;

    #[test]
    fn times_are_set_from_a_date_a_stamp_and_a_file() {
        let fixture = Fixture::new(&[]);
        fixture.run("touch", &["-d", "2024-01-02 03:04:05.5", "a"], b"");
        fixture.run("touch", &["-t", "202401020304.05", "b"], b"");
        fixture.run("touch", &["-r", "a", "-d", "+1 day", "c"], b"");
        fixture.run("touch", &["-am", "-t", "01020304", "d"], b"");
        let outcome = fixture.run("stat", &["-c", "%n %x %Y", "a", "b", "c", "d"], b"");
        assert_eq!(
            outcome.stdout,
            "a 2024-01-02 03:04:05.500000000 +0000 1704164645\n\
             b 2024-01-02 03:04:05.000000000 +0000 1704164645\n\
             c 2024-01-03 03:04:05.500000000 +0000 1704251045\n\
             d 2026-01-02 03:04:00.000000000 +0000 1767323040\n"
        );
    }

    #[test]
    fn errors() {
        let fixture = Fixture::new(&[]);
        assert_eq!(fixture.run("touch", &["-c", "nope"], b"").status, 0);
        let outcome = fixture.run("touch", &["no/pe"], b"");
        assert_eq!(outcome.stderr, "touch: cannot touch 'no/pe': No such file or directory\n");
        let outcome = fixture.run("touch", &["-t", "99", "x"], b"");
        assert_eq!(outcome.stderr, "touch: invalid date format ‘99’\n");
    }
}
