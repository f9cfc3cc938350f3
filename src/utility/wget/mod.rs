//! `wget`: retrieves files over HTTP. wget(1) 1.21, its common use: one URL after the other, without recursion, over the
//! session's network.

mod option;
mod transfer;

use crate::memory::{String, ToMetered, Vec, format};
use crate::utility::prelude::*;
use option::Opt;
use std::time::Duration;

pub(super) const UTILITY: Utility = Utility {
    name: "wget",
    summary: "retrieve files from the web",
    usage: "wget [OPTION]... [URL]...",
    options: Opt::TABLE,
    examples: &[example("wget -q http://localhost/; echo $?", "4\n")],
    usage_status: 2,
    run: start!(run),
    ..Utility::BASE
};

/// What is not about one URL.
struct WgetOptions {
    quiet: bool,
    verbose: bool,
    server_response: bool,
    spider: bool,
    no_clobber: bool,
    content_on_error: bool,
    content_disposition: bool,
    save_headers: bool,
    trust_names: bool,
    retry_refused: bool,
    always_sends_user: bool,
    prefix: Option<Text>,
    headers: Vec<Text>,
    agent: Option<Text>,
    referer: Option<Text>,
    user: Option<Text>,
    password: Option<Text>,
    method: String,
    body: Option<Text>,
    max_redirects: u64,
    /// 0 is without end.
    tries: u64,
    wait_retry: Duration,
    connect_timeout: Option<Duration>,
    timeout: Duration,
}

/// As wget waits where nothing is said.
const READ_TIMEOUT: Duration = Duration::from_mins(15);
const MOST_TRIES: u64 = 20;
const MOST_REDIRECTS: u64 = 20;

fn wrong(option: &str, value: &[u8]) -> UtilityError {
    let value = bstr::BStr::new(value);
    UtilityError::Failed { message: format!("{option}: Invalid number {}.", quote(value)), status: 2 }
}

fn number(option: &str, value: &[u8]) -> Result<u64, UtilityError> {
    let text = std::str::from_utf8(value).ok();
    text.and_then(|text| text.parse().ok()).ok_or_else(|| wrong(option, value))
}

/// A number of seconds, or of what its letter says.
fn seconds(option: &str, value: &[u8]) -> Result<Duration, UtilityError> {
    let (number, unit) = match value.split_last() {
        Some((letter, number)) if letter.is_ascii_alphabetic() => (number, *letter),
        _ => (value, b's'),
    };
    let factor = match unit {
        b's' => Some(1.0),
        b'm' => Some(60.0),
        b'h' => Some(3600.0),
        b'd' => Some(86_400.0),
        b'w' => Some(604_800.0),
        _ => None,
    };
    let number = std::str::from_utf8(number).ok().and_then(|number| number.parse::<f64>().ok());
    let seconds = number.zip(factor).map(|(number, factor)| number * factor);
    seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()).ok_or_else(|| {
        let what = if seconds.is_some_and(|seconds| seconds < 0.0) { "Negative" } else { "Invalid" };
        let message = format!("{option}: {what} time period {}", quote(bstr::BStr::new(value)));
        UtilityError::Failed { message, status: 2 }
    })
}

async fn file(ctx: &mut Context, name: &[u8]) -> Result<Vec<u8>, UtilityError> {
    let read = match ctx.open_input(name) {
        Ok(mut input) => input.read_to_end().await,
        Err(error) => Err(error),
    };
    read.map_err(|error| match error {
        FsError::Limit(limit) => limit.into(),
        FsError::Errno(errno) => UtilityError::Failed {
            message: format!("{}: {}", bstr::BStr::new(name), errno.message()),
            status: 3,
        },
    })
}

impl WgetOptions {
    async fn of(ctx: &mut Context, options: &Options<Opt>) -> Result<Self, UtilityError> {
        let letters: Vec<u8> =
            options.values(Opt::N).flat_map(|value| value.as_bytes().iter().copied()).collect();
        if let Some(letter) = letters.iter().find(|letter| !b"vcdHp".contains(letter)) {
            return Err(UtilityError::Usage(format!("invalid option -- 'n{}'", char::from(*letter))));
        }
        let is_no_verbose = letters.contains(&b'v') || options.has(Opt::NoVerbose);
        let mut settings = Self {
            quiet: options.has(Opt::Quiet),
            verbose: !is_no_verbose && !options.has(Opt::Quiet),
            server_response: options.has(Opt::ServerResponse),
            spider: options.has(Opt::Spider),
            no_clobber: letters.contains(&b'c') || options.has(Opt::NoClobber),
            content_on_error: options.has(Opt::ContentOnError),
            content_disposition: options.has(Opt::ContentDisposition),
            save_headers: options.has(Opt::SaveHeaders),
            trust_names: options.has(Opt::TrustNames),
            retry_refused: options.has(Opt::RetryConnrefused),
            always_sends_user: options.has(Opt::AuthNoChallenge),
            prefix: options.value(Opt::Prefix).cloned(),
            headers: options.values(Opt::Header).cloned().collect(),
            agent: options.value(Opt::UserAgent).cloned(),
            referer: options.value(Opt::Referer).cloned(),
            user: options.value(Opt::User).cloned(),
            password: options.value(Opt::Password).cloned(),
            method: String::from(if options.has(Opt::Spider) { "HEAD" } else { "GET" }),
            body: None,
            max_redirects: MOST_REDIRECTS,
            tries: MOST_TRIES,
            wait_retry: Duration::from_secs(10),
            connect_timeout: None,
            timeout: READ_TIMEOUT,
        };
        for (option, value) in options.given() {
            let value = value.map_or(&[][..], |value| value.as_bytes());
            match option {
                Opt::PostData | Opt::BodyData => settings.body = Some(Text::from(value)),
                Opt::PostFile | Opt::BodyFile => {
                    let read = file(ctx, value).await;
                    settings.body = Some(Text::from(read.map_err(|error| match error {
                        UtilityError::Failed { status, .. } if settings.quiet => {
                            UtilityError::Exit(ExitStatus(status))
                        }
                        error => error,
                    })?));
                }
                Opt::Method => {
                    settings.method = String::from_utf8_lossy(value)
                        .chars()
                        .map(|letter| letter.to_ascii_uppercase())
                        .collect();
                }
                Opt::MaxRedirect => settings.max_redirects = number("--max-redirect", value)?,
                Opt::Tries => settings.tries = number("--tries", value)?,
                Opt::WaitRetry => settings.wait_retry = seconds("--waitretry", value)?,
                Opt::Timeout => {
                    settings.timeout = seconds("--timeout", value)?;
                    settings.connect_timeout = Some(settings.timeout).filter(|time| !time.is_zero());
                }
                Opt::ReadTimeout => settings.timeout = seconds("--read-timeout", value)?,
                Opt::ConnectTimeout => settings.connect_timeout = Some(seconds("--connect-timeout", value)?),
                _ => {}
            }
            if matches!(option, Opt::PostData | Opt::PostFile) {
                settings.method = String::from("POST");
            }
        }
        if settings.timeout.is_zero() {
            settings.timeout = Duration::MAX;
        }
        if settings.body.is_some() && !options.has_any([Opt::Method, Opt::PostData, Opt::PostFile]) {
            let message = "You must specify a method through --method=HTTPMethod to use with --body-data or --body-file.";
            return Err(UtilityError::Failed { message: message.into(), status: 2 });
        }
        Ok(settings)
    }
}

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let log = match (options.value(Opt::OutputFile), options.value(Opt::AppendOutput)) {
        (_, Some(name)) => Some((name, true)),
        (Some(name), None) => Some((name, false)),
        (None, None) => None,
    };
    if let Some((name, appends)) = log {
        match ctx.create(name, appends) {
            Ok(file) => ctx.stderr = file,
            Err(error) => return Err(UtilityError::operand(name, error)),
        }
    }
    let settings = WgetOptions::of(ctx, &options).await?;
    let mut urls = options.operands.clone();
    for name in options.values(Opt::InputFile) {
        let text = file(ctx, name).await?;
        let lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
        urls.extend(lines.filter(|line| !line.is_empty()).map(Text::from));
    }
    if urls.is_empty() && !options.has(Opt::InputFile) {
        let message = "missing URL\nUsage: wget [OPTION]... [URL]...\n\nTry `wget --help' for more options.";
        return Err(UtilityError::Failed { message: message.into(), status: 1 });
    }
    let mut document = match options.value(Opt::OutputDocument) {
        None => None,
        Some(name) if name.as_bytes() == b"-" => Some((None, name.as_bytes().to_metered())),
        Some(name) => match ctx.create(name, false) {
            Ok(file) => Some((Some(file), name.as_bytes().to_metered())),
            Err(FsError::Limit(limit)) => return Err(limit.into()),
            Err(FsError::Errno(errno)) => {
                transfer::say(ctx, &format!("{name}: {}", errno.message()));
                return Ok(ExitStatus(1));
            }
        },
    };
    let mut status = 0;
    for url in &urls {
        ctx.check().await?;
        let own = transfer::retrieve(ctx, &settings, url, document.as_mut()).await?;
        // The lower of two failures is told.
        status = match (status, own) {
            (0, own) => own,
            (status, 0) => status,
            (status, own) => status.min(own),
        };
    }
    if let Some((Some(file), _)) = &mut document {
        file.flush().await?;
    }
    Ok(ExitStatus(status))
}
