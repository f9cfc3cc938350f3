//! `date`: shows the session's time, or another. GNU coreutils date(1). The clock cannot be set.

use super::format::keyword::keyword;
use super::format::quote::{quote, quote_if_needed};
use super::format::time_format::{Zone, timestamp};
use super::format::time_parse;
use crate::memory::{ToMetered, Vec, format};
use crate::utility::prelude::*;
use jiff::Timestamp;

options! {
    enum Opt {
        Date = value('d', "date", "STRING", "display time described by STRING, not 'now'"),
        File = value('f', "file", "DATEFILE", "like --date; once for each line of DATEFILE"),
        Iso8601 = optional(
            'I',
            "iso-8601",
            "FMT",
            "output date/time in ISO 8601 format: date, hours, minutes, seconds or ns",
        ),
        RfcEmail = flag('R', "rfc-email", "output date and time in RFC 5322 format")
            | flag('\0', "rfc-2822", "as -R")
            | flag('\0', "rfc-822", "as -R"),
        Resolution = flag('\0', "resolution", "output the available resolution of timestamps"),
        Rfc3339 = value('\0', "rfc-3339", "FMT", "output date/time in RFC 3339 format: date, seconds or ns"),
        Reference = value('r', "reference", "FILE", "display the last modification time of FILE"),
        Set = value('s', "set", "STRING", "set time described by STRING (not permitted)"),
        Utc = flag('u', "utc", "print or set Coordinated Universal Time (UTC)")
            | flag('\0', "universal", "as -u")
            | flag('\0', "uct", "as -u"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "date",
    summary: "display date and time in the given FORMAT",
    usage: "date [OPTION]... [+FORMAT]",
    options: Opt::TABLE,
    examples: &[
        example("date -u -d @0 +%FT%TZ", "1970-01-01T00:00:00Z\n"),
        example("date -d '2024-01-31 +1 day' +%F", "2024-02-01\n"),
    ],
    run: start!(run),
    ..Utility::BASE
};

const RFC_EMAIL: &[u8] = b"%a, %d %b %Y %H:%M:%S %z";
const DEFAULT: &[u8] = b"%a %b %e %H:%M:%S %Z %Y";

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let sources = [Opt::Date, Opt::File, Opt::Reference, Opt::Resolution].map(|option| options.has(option));
    if sources.iter().filter(|&&given| given).count() > 1 {
        let message = "the options to specify dates for printing are mutually exclusive";
        return Err(UtilityError::Usage(message.into()));
    }
    let format = format(&options)?;
    let is_utc = options.has(Opt::Utc);
    let zone = if is_utc { Zone::UTC } else { Zone::of(&ctx.env) };
    let now = timestamp(ctx.session.clock.now());
    if let Some(text) = options.value(Opt::Set) {
        if sources.contains(&true) {
            let message = "the options to print and set the time may not be used together";
            return Err(UtilityError::Usage(message.into()));
        }
        return refuse_to_set(ctx, &zone, &format, text, now).await;
    }
    if let Some(file) = options.value(Opt::File) {
        return each_line(ctx, file, &zone, &format, now).await;
    }
    let moment = if options.has(Opt::Resolution) {
        Timestamp::from_nanosecond(1).unwrap_or(Timestamp::UNIX_EPOCH)
    } else if let Some(text) = options.value(Opt::Date) {
        parse(text, now, &zone)?
    } else if let Some(file) = options.value(Opt::Reference) {
        let metadata = ctx.stat(file);
        let shown = quote_if_needed(file);
        timestamp(metadata.map_err(|error| UtilityError::operand(shown.as_bytes(), error))?.modified)
    } else {
        now
    };
    print(ctx, &zone, &format, moment).await?;
    Ok(ExitStatus::SUCCESS)
}

fn parse(text: &[u8], now: Timestamp, zone: &Zone) -> Result<Timestamp, UtilityError> {
    time_parse::parse(text, now, zone)
        .ok_or_else(|| UtilityError::failed(format!("invalid date {}", quote(text))))
}

async fn print(ctx: &mut Context, zone: &Zone, format: &[u8], moment: Timestamp) -> Result<(), UtilityError> {
    let mut line = zone.format(format, &zone.at(moment));
    line.push(b'\n');
    ctx.stdout.write(&line).await
}

/// Says what the new time would be, as GNU date does, and that it is not permitted.
async fn refuse_to_set(
    ctx: &mut Context,
    zone: &Zone,
    format: &[u8],
    text: &[u8],
    now: Timestamp,
) -> Result<ExitStatus, UtilityError> {
    let moment = parse(text, now, zone)?;
    let status = ctx.warn("cannot set date: Operation not permitted");
    print(ctx, zone, format, moment).await?;
    Ok(status)
}

async fn each_line(
    ctx: &mut Context,
    file: &[u8],
    zone: &Zone,
    format: &[u8],
    now: Timestamp,
) -> Result<ExitStatus, UtilityError> {
    let shown = quote_if_needed(file);
    let failed = |error| UtilityError::operand(shown.as_bytes(), error);
    let mut input = ctx.open_input(file).map_err(failed)?;
    let mut status = ExitStatus::SUCCESS;
    while let Some(line) = input.next_line(b'\n').await.map_err(failed)? {
        ctx.tick().await?;
        let text = line.strip_suffix(b"\n").unwrap_or(line);
        match time_parse::parse(text, now, zone) {
            Some(moment) => print(ctx, zone, format, moment).await?,
            None => status = ctx.warn(format_args!("invalid date {}", quote(text))),
        }
    }
    Ok(status)
}

/// The format that options and operand ask for; more than one is an error.
fn format(options: &Options<Opt>) -> Result<Vec<u8>, UtilityError> {
    let mut formats: Vec<Vec<u8>> = Vec::new();
    for (option, argument) in options.given() {
        match option {
            Opt::Iso8601 => formats.push(iso_8601(argument.map_or(&b"date"[..], |text| text.as_bytes()))?),
            Opt::RfcEmail => formats.push(RFC_EMAIL.to_metered()),
            Opt::Rfc3339 => formats.push(rfc_3339(argument.map_or(&b""[..], |text| text.as_bytes()))?),
            Opt::Date | Opt::File | Opt::Reference | Opt::Resolution | Opt::Set | Opt::Utc => {}
        }
    }
    if let Some(extra) = options.operands.get(1) {
        return Err(UtilityError::Usage(format!("extra operand {}", quote(extra))));
    }
    if let Some(operand) = options.operands.first() {
        match operand.as_bytes() {
            [b'+', format @ ..] => formats.push(format.to_metered()),
            other => {
                let digits = other.iter().all(u8::is_ascii_digit);
                if options.has_any([Opt::Date, Opt::File, Opt::Reference, Opt::Resolution, Opt::Set]) {
                    return Err(UtilityError::Usage(format!(
                        "the argument {} lacks a leading '+';\nwhen using an option to specify date(s), any \
                         non-option\nargument must be a format string beginning with '+'",
                        quote(other)
                    )));
                }
                return Err(UtilityError::failed(if digits && matches!(other.len(), 8 | 10 | 12) {
                    "cannot set date: Operation not permitted".to_metered()
                } else {
                    format!("invalid date {}", quote(other))
                }));
            }
        }
    }
    if formats.len() > 1 {
        return Err(UtilityError::failed("multiple output formats specified"));
    }
    let default = if options.has(Opt::Resolution) { b"%s.%N".as_slice() } else { DEFAULT };
    Ok(formats.pop().unwrap_or_else(|| default.to_metered()))
}

fn iso_8601(word: &[u8]) -> Result<Vec<u8>, UtilityError> {
    let rows: [(&[&str], &[u8]); 5] = [
        (&["hours"], b"%Y-%m-%dT%H%:z"),
        (&["minutes"], b"%Y-%m-%dT%H:%M%:z"),
        (&["date"], b"%Y-%m-%d"),
        (&["seconds"], b"%Y-%m-%dT%H:%M:%S%:z"),
        (&["ns"], b"%Y-%m-%dT%H:%M:%S,%N%:z"),
    ];
    keyword("--iso-8601", &rows, word).map(ToMetered::to_metered)
}

fn rfc_3339(word: &[u8]) -> Result<Vec<u8>, UtilityError> {
    let rows: [(&[&str], &[u8]); 3] = [
        (&["date"], b"%Y-%m-%d"),
        (&["seconds"], b"%Y-%m-%d %H:%M:%S%:z"),
        (&["ns"], b"%Y-%m-%d %H:%M:%S.%N%:z"),
    ];
    keyword("--rfc-3339", &rows, word).map(ToMetered::to_metered)
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::Fixture;

    #[test]
    fn shows_the_sessions_clock_in_the_sandbox_zone() {
        let mut fixture = Fixture::new(&[]);
        assert_eq!(fixture.run("date", &[], b"").stdout, "Thu May 28 12:34:56 UTC 2026\n");
        assert_eq!(fixture.run("date", &["-Ins"], b"").stdout, "2026-05-28T12:34:56,789000000+00:00\n");
        assert_eq!(
            fixture.run("date", &["-d", "yesterday", "+%F %T.%3N"], b"").stdout,
            "2026-05-27 12:34:56.789\n"
        );
        fixture.env.set("TZ".into(), "Europe/Berlin".into());
        assert_eq!(fixture.run("date", &["-R"], b"").stdout, "Thu, 28 May 2026 14:34:56 +0200\n");
        assert_eq!(fixture.run("date", &["-u", "--rfc-3339=s"], b"").stdout, "2026-05-28 12:34:56+00:00\n");
        assert_eq!(fixture.run("date", &["+%s %Z"], b"").stdout, "1779971696 CEST\n");
    }

    #[test]
    fn the_clock_can_not_be_set() {
        let outcome = Fixture::new(&[]).run("date", &["-s", "2024-01-01"], b"");
        assert_eq!(outcome.stdout, "Mon Jan  1 00:00:00 UTC 2024\n");
        assert_eq!(
            (outcome.stderr.as_str(), outcome.status),
            ("date: cannot set date: Operation not permitted\n", 1)
        );
    }

    #[test]
    fn errors() {
        let fixture = Fixture::new(&[]);
        let rows: [(&[&str], &str); 5] = [
            (&["-d", "zork"], "date: invalid date ‘zork’\n"),
            (&["-r", "nope"], "date: nope: No such file or directory\n"),
            (&["foo"], "date: invalid date ‘foo’\n"),
            (&["a", "b"], "date: extra operand ‘b’\nTry 'date --help' for more information.\n"),
            (&["-I", "-R"], "date: multiple output formats specified\n"),
        ];
        for (args, want) in rows {
            let outcome = fixture.run("date", args, b"");
            assert_eq!((outcome.stderr.as_str(), outcome.status), (want, 1), "{args:?}");
        }
    }
}
