//! One URL: the tries, the redirects of each, and where what comes goes.

use super::address::{self, AddressOf, Reading};
use super::attempt::{self, Again, Try};
use super::config::{Config, UrlEntry};
use super::cookie::CookieJar;
use super::failure::{Failure, Stop};
use super::output::{Sink, note};
use super::receive::copy_file;
use super::report::Report;
use super::request::Message;
use crate::clock::real_monotonic;
use crate::memory::{ToMetered, Vec};
use crate::network::Moments;
use crate::utility::prelude::*;
use std::time::Duration;

/// The longest wait between tries.
const LONGEST_DELAY: Duration = Duration::from_mins(10);

/// What is transferred.
pub(super) struct Job<'a> {
    pub(super) config: &'a Config,
    pub(super) entry: &'a UrlEntry,
    pub(super) url: Vec<u8>,
    /// What patterns of the URL stand for in it.
    pub(super) chosen: Vec<Vec<u8>>,
    /// Which of the URLs of the command line it is of.
    pub(super) number: u64,
    /// Nothing was transferred before.
    pub(super) is_first: bool,
}

/// Transfers it; the exit status.
pub(super) async fn run(ctx: &mut Context, job: &Job<'_>, jar: &mut CookieJar) -> Result<u8, UtilityError> {
    let config = job.config;
    let began = ctx.session.clock.monotonic();
    let mut report =
        Report { url: job.url.clone(), effective: job.url.clone(), number: job.number, ..Report::default() };
    let result = transfer(ctx, job, jar, &mut report).await;
    report.total = ctx.session.clock.monotonic().saturating_sub(began);
    if ctx.session.clock.is_virtual() {
        (report.moments, report.redirect_time) = (Moments::default(), Duration::ZERO);
    }
    match result {
        Ok(()) => {}
        Err(Stop::Failed(failure)) => {
            report.code = failure.code;
            report.error = Some(failure.message.as_bytes().to_metered());
            tell(ctx, config, &failure).await?;
        }
        Err(Stop::End(error)) => return Err(error),
    }
    if let Some(format) = &config.write_out {
        let format = match format.strip_prefix(b"@") {
            Some(name) => match ctx.open_input(name) {
                Ok(mut input) => {
                    let mut text = input.read_to_end().await.unwrap_or_default();
                    text.retain(|byte| !matches!(byte, b'\r' | b'\n' | 0));
                    text
                }
                Err(_) => Vec::new(),
            },
            None => format.as_bytes().to_metered(),
        };
        match super::write_out::write(ctx, &format, &report).await {
            Err(UtilityError::Write(_)) if report.code == 0 => report.code = 23,
            Err(UtilityError::Write(_)) | Ok(()) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(report.code)
}

async fn transfer(
    ctx: &mut Context,
    job: &Job<'_>,
    jar: &mut CookieJar,
    report: &mut Report,
) -> Result<(), Stop> {
    let config = job.config;
    let scheme =
        config.default_protocol.as_ref().map_or("http", |name| std::str::from_utf8(name).unwrap_or("http"));
    let reading =
        Reading { default_scheme: scheme, keeps_dots: config.path_as_is, protocols: config.protocols };
    let mut first = match address::parse(&job.url, reading)? {
        AddressOf::Network(address) => address,
        AddressOf::File(path) => return copy_file(ctx, config, job.entry, &job.chosen, &path, report).await,
    };
    if config.no_user_in_url && first.user.is_some() {
        return Err(Failure::new(67, "Login denied").into());
    }
    if let (Some(name), true) = (&job.entry.upload, first.url.target.ends_with('/')) {
        let base = name.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
        if name.as_bytes() != b"-" && name.as_bytes() != b"." {
            let mut target = first.url.target.as_bytes().to_metered();
            target.extend_from_slice(&super::data::encode(base, false));
            address::set_target(&mut first.url, &target);
        }
    }
    if let (true, Some(data)) = (config.get, &config.data) {
        address::add_query(&mut first.url, data);
    }
    address::add_query(&mut first.url, &config.query);
    if let Some(target) = &config.target {
        if target.iter().any(|byte| *byte <= b' ') {
            return Err(Failure::bad_url().into());
        }
        address::set_target(&mut first.url, target);
    }
    let message = Message::of(ctx, config, job.entry.upload.as_ref()).await?;
    let etag = match &config.etag_compare {
        Some(name) => Some(match ctx.open_input(name) {
            Ok(mut input) => input.read_to_end().await.unwrap_or_default().trim_ascii().to_metered(),
            Err(_) => b"\"\"".to_metered(),
        }),
        None => None,
    };
    let of = Try { job, message: &message, first: &first, etag, started: real_monotonic() };
    retried(ctx, &of, jar, report).await
}

/// Says what went wrong, after what was said before.
async fn tell(ctx: &mut Context, config: &Config, failure: &Failure) -> Result<(), UtilityError> {
    if let Err(UtilityError::Limit(limit)) = ctx.stdout.flush().await {
        return Err(limit.into());
    }
    if !config.silent || config.show_error {
        ctx.warn(format_args!("({}) {}", failure.code, failure.message));
    }
    Ok(())
}

/// Tries, as often as `--retry` says.
async fn retried(
    ctx: &mut Context,
    of: &Try<'_>,
    jar: &mut CookieJar,
    report: &mut Report,
) -> Result<(), Stop> {
    let config = of.job.config;
    let mut left = config.retries;
    let mut delay = Duration::from_secs(1);
    let began = real_monotonic();
    loop {
        ctx.check().await?;
        let mut sink = Sink::new(config, &of.job.entry.destination, &of.job.chosen, Some(&of.first.url))?;
        let mut again = Again::default();
        let result = attempt::run(ctx, of, jar, report, &mut sink, &mut again).await;
        let code = match &result {
            Ok(()) => 0,
            Err(Stop::Failed(failure)) => {
                sink.close(ctx).await?;
                if config.remove_on_error {
                    sink.remove(ctx);
                }
                failure.code
            }
            Err(Stop::End(_)) => return result,
        };
        let is_http = matches!(report.status, 408 | 429 | 500 | 502 | 503 | 504) && matches!(code, 0 | 22);
        let why = if config.retry_all && code != 0 {
            "(retrying all errors)"
        } else if config.retry_refused && code == 7 {
            "connection refused"
        } else if matches!(code, 6 | 28) {
            "timeout"
        } else if is_http {
            "HTTP error"
        } else {
            return result;
        };
        let wait = again.after.or(config.retry_delay).unwrap_or(delay).min(LONGEST_DELAY);
        let passed = real_monotonic().saturating_sub(began);
        // A wait that the server asks for is to end in time too.
        let asked = again.after.unwrap_or_default();
        if left == 0
            || config.retry_max_time.is_some_and(|most| passed >= most || passed.saturating_add(asked) > most)
        {
            return result;
        }
        if let Err(Stop::Failed(failure)) = &result {
            tell(ctx, config, failure).await?;
        }
        let seconds = wait.as_secs();
        note(
            ctx,
            config,
            format_args!("Problem: {why}. Will retry in {seconds} seconds. {left} retries left."),
        );
        left -= 1;
        delay = delay.saturating_mul(2).min(LONGEST_DELAY);
        ctx.sleep(wait).await;
    }
}
