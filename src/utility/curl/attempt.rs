//! One try of a transfer: the request, the redirects that follow it, and what becomes of the last answer.

use super::address::{self, Address, AddressOf, Reading};
use super::config::{Config, OnHttpError};
use super::cookie::CookieJar;
use super::date::http_date;
use super::failure::{Failure, Stop};
use super::head::{head_text, request_length, told_answer, told_request};
use super::output::{Sink, note};
use super::receive::{body, save_etag};
use super::report::Report;
use super::request::{Circumstances, Message, build};
use super::transfer::Job;
use crate::clock::real_monotonic;
use crate::memory::{String, ToMetered, ToMeteredString, Vec, format};
use crate::network::{NetworkError, NetworkResponse, Scheme, Url};
use crate::utility::prelude::*;
use std::time::Duration;

/// What one try needs of what came before.
pub(super) struct Try<'a> {
    pub(super) job: &'a Job<'a>,
    pub(super) message: &'a Message,
    pub(super) first: &'a Address,
    pub(super) etag: Option<Vec<u8>>,
    pub(super) started: Duration,
}

/// What an answer says about the next try.
#[derive(Default)]
pub(super) struct Again {
    pub(super) after: Option<Duration>,
}

impl Try<'_> {
    /// What is left of the time for all of it.
    fn time_left(&self) -> Option<Duration> {
        let passed = real_monotonic().saturating_sub(self.started);
        self.job.config.max_time.map(|most| most.saturating_sub(passed))
    }
}

/// Whether two URLs are of one host, as far as secrets go.
fn is_same_host(a: &Url, b: &Url) -> bool {
    a.host == b.host && a.port == b.port && a.scheme == b.scheme
}

/// Where a try is.
struct Attempt<'a> {
    of: &'a Try<'a>,
    config: &'a Config,
    message: Message,
    url: Url,
    user: Option<Text>,
    referer: Option<Vec<u8>>,
    /// Where to go on (`-C`).
    offset: u64,
    /// Of `-D`, if it is a file.
    dump: Option<Output>,
    /// By the session's clock.
    began: Duration,
}

/// Tries once.
pub(super) async fn run(
    ctx: &mut Context,
    of: &Try<'_>,
    jar: &mut CookieJar,
    report: &mut Report,
    sink: &mut Sink,
    again: &mut Again,
) -> Result<(), Stop> {
    let mut attempt = Attempt::new(ctx, of, sink)?;
    *report = Report {
        url: std::mem::take(&mut report.url),
        number: report.number,
        redirect_time: report.redirect_time,
        ..Report::default()
    };
    let config = attempt.config;
    loop {
        let mut answer = attempt.ask(ctx, jar, report).await?;
        let head = head_text(&answer);
        attempt.dump(ctx, &head).await?;
        again.after = answer.header("retry-after").and_then(|value| {
            let text = std::str::from_utf8(value).ok()?;
            text.trim().parse().ok().map(Duration::from_secs)
        });
        let is_error = answer.status >= 400;
        let http_error = Failure::new(22, format!("The requested URL returned error: {}", answer.status));
        let is_redirect = (300..400).contains(&answer.status) && answer.status != 304;
        let location = answer.header("location").filter(|_| is_redirect);
        let next = location.map(|location| address::join(&attempt.url, location));
        let fails = is_error && config.on_http_error == OnHttpError::Fail;
        let follows = config.follow && next.is_some();
        if (fails || follows) && (config.include || config.head) {
            sink.write(ctx, config, &head).await?;
        }
        if fails {
            return Err(http_error.into());
        }
        if let Some(next) = next.as_ref().filter(|_| follows) {
            attempt.follow(ctx, &mut answer, next, report).await?;
            continue;
        }
        report.redirect_url = next;
        attempt.keep(ctx, &mut answer, &head, sink, report).await?;
        return if is_error && config.on_http_error == OnHttpError::FailWithBody {
            Err(http_error.into())
        } else {
            Ok(())
        };
    }
}

impl<'a> Attempt<'a> {
    fn new(ctx: &mut Context, of: &'a Try<'a>, sink: &Sink) -> Result<Self, Stop> {
        let config = of.job.config;
        let mut user = config.user.clone().or_else(|| of.first.user.clone());
        if let Some(user) = &mut user
            && !user.contains(&b':')
        {
            user.push_bytes(b":");
        }
        let referer = config.referer.as_ref();
        let offset = match config.continue_at.as_deref() {
            Some(b"-") => sink.present(ctx),
            Some(text) => std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()).unwrap_or(0),
            None => 0,
        };
        let dump = match &config.dump_header {
            Some(name) if name.as_bytes() != b"-" => match ctx.create(name, !of.job.is_first) {
                Ok(file) => Some(file),
                Err(FsError::Limit(limit)) => return Err(limit.into()),
                Err(FsError::Errno(errno)) => {
                    note(ctx, config, format_args!("Failed to open {name}: {}", errno.message()));
                    return Err(Failure::write().into());
                }
            },
            _ => None,
        };
        Ok(Self {
            of,
            config,
            message: of.message.clone(),
            url: of.first.url.clone(),
            user,
            referer: referer.map(|referer| referer.strip_suffix(b";auto").unwrap_or(referer).to_metered()),
            offset,
            dump,
            began: ctx.session.clock.monotonic(),
        })
    }

    fn failed(&self, error: &NetworkError) -> Stop {
        let took = real_monotonic().saturating_sub(self.of.started);
        Failure::of(error, &self.url, took, 0, None).into()
    }

    /// Sends the request; the head of its answer.
    async fn ask(
        &mut self,
        ctx: &mut Context,
        jar: &mut CookieJar,
        report: &mut Report,
    ) -> Result<NetworkResponse, Stop> {
        let now = i64::try_from(ctx.session.clock.now().as_secs()).unwrap_or(i64::MAX);
        let at = Circumstances {
            url: &self.url,
            user: self.user.as_deref(),
            is_first_host: is_same_host(&self.url, &self.of.first.url),
            referer: self.referer.as_deref().filter(|referer| !referer.is_empty()),
            jar,
            now,
            offset: self.offset,
            etag: self.of.etag.as_deref(),
        };
        let mut request = build(self.config, &self.message, &at);
        request.timeout = self.of.time_left();
        request.connect_timeout = self.config.connect_timeout;
        told_request(ctx, self.config, &request);
        report.method = request.method.as_bytes().to_metered();
        report.scheme = if self.url.scheme == Scheme::Https { "HTTPS" } else { "HTTP" };
        report.effective = self.url.to_metered_string().into_bytes();
        report.referer = at.referer.map(ToMetered::to_metered);
        report.uploaded = request.body.as_ref().map_or(0, |body| body.len() as u64);
        report.request_bytes = report.request_bytes.saturating_add(request_length(&request));
        let Some(network) = ctx.session.network.clone() else {
            return Err(self.failed(&NetworkError::none()));
        };
        let answer = network.send(request).await.map_err(|error| self.failed(&error))?;
        ctx.check().await?;
        took_head(report, &answer);
        if jar.is_on {
            let cookies = answer.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("set-cookie"));
            for (_, value) in cookies {
                jar.set(value, &self.url, now);
            }
        }
        told_answer(ctx, self.config, &answer);
        Ok(answer)
    }

    /// `-D`.
    async fn dump(&mut self, ctx: &mut Context, head: &[u8]) -> Result<(), Stop> {
        match &mut self.dump {
            Some(file) => {
                file.write(head).await?;
                file.flush().await?;
            }
            None if self.config.dump_header.is_some() => ctx.stdout.write(head).await?,
            None => {}
        }
        Ok(())
    }

    /// Goes where a redirect points.
    async fn follow(
        &mut self,
        ctx: &mut Context,
        answer: &mut NetworkResponse,
        next: &[u8],
        report: &mut Report,
    ) -> Result<(), Stop> {
        let config = self.config;
        if config.max_redirects >= 0 && report.redirects >= config.max_redirects.unsigned_abs() {
            let most = config.max_redirects;
            return Err(Failure::new(47, format!("Maximum ({most}) redirects followed")).into());
        }
        report.redirects = report.redirects.saturating_add(1);
        // What stands beside a redirect is not for anybody.
        while let Some(piece) = answer.piece().await.map_err(|error| self.failed(&error))? {
            ctx.tick_many(u32::try_from(piece.len() / 64).unwrap_or(u32::MAX));
            ctx.check().await?;
        }
        let reading = Reading {
            default_scheme: "http",
            keeps_dots: config.path_as_is,
            protocols: config.redirect_protocols,
        };
        let there = match address::parse(next, reading) {
            Ok(AddressOf::Network(there)) => there,
            Ok(AddressOf::File(_)) => return Err(Failure::protocol("file").into()),
            Err(failure) if failure.code == 1 && !next.starts_with(b"http") => {
                let what = "The redirect target URL could not be parsed: Unsupported URL scheme";
                return Err(Failure::new(1, what).into());
            }
            Err(failure) => return Err(failure.into()),
        };
        if config.referer.as_ref().is_some_and(|referer| referer.ends_with(b";auto")) {
            self.referer = Some(report.effective.clone());
        }
        change_method(config, answer.status, &mut self.message);
        if there.user.is_some() && is_same_host(&there.url, &self.of.first.url) {
            self.user = there.user;
        }
        self.url = there.url;
        report.redirect_time = ctx.session.clock.monotonic().saturating_sub(self.began);
        Ok(())
    }

    /// Keeps the last answer: its head where that was asked for, its body.
    async fn keep(
        &mut self,
        ctx: &mut Context,
        answer: &mut NetworkResponse,
        head: &[u8],
        sink: &mut Sink,
        report: &mut Report,
    ) -> Result<(), Stop> {
        let config = self.config;
        if self.offset > 0 && answer.status != 206 && answer.status < 400 {
            let what = "HTTP server doesn't seem to support byte ranges. Cannot resume.";
            return Err(Failure::new(33, what).into());
        }
        if self.offset > 0 {
            sink.append();
        }
        if let (true, Some(value)) = (config.remote_header_name, answer.header("content-disposition")) {
            sink.rename(config, value);
        }
        let etag = answer.header("etag").map(ToMetered::to_metered);
        save_etag(ctx, config, etag).await?;
        if config.include || config.head {
            sink.write(ctx, config, head).await?;
        }
        let modified =
            answer.header("last-modified").and_then(|value| http_date(std::str::from_utf8(value).ok()?));
        body(ctx, config, self.of.started, answer, sink, report, &self.url).await?;
        sink.finish(ctx, config).await?;
        report.file_name.clone_from(&sink.path);
        if let (true, Some(path), Some(time)) = (config.remote_time, &sink.path, modified) {
            let time = Duration::from_secs(time.unsigned_abs());
            // The file is there; a host that refuses leaves it with its own time.
            let _ = ctx.session.fs.set_times(&ctx.absolute(path), Some(time), Some(time), true);
        }
        Ok(())
    }
}

fn change_method(config: &Config, status: u16, message: &mut Message) {
    let keeps = match status {
        301 => config.keep_post[0],
        302 => config.keep_post[1],
        303 => config.keep_post[2],
        _ => true,
    };
    let was_post = message.body.is_some() && config.data.is_some() | !config.form.is_empty();
    let drops = !keeps && (was_post || status == 303 && message.method != "HEAD");
    if drops {
        (message.body, message.kind) = (None, None);
        // What `-X` says holds for all of them.
        if config.method.is_none() {
            message.method = String::from(if config.head { "HEAD" } else { "GET" });
        }
    }
}

fn took_head(report: &mut Report, answer: &NetworkResponse) {
    report.status = answer.status;
    report.version = answer.version;
    report.connects = report.connects.saturating_add(1);
    report.address = answer.address;
    report.moments = answer.moments;
    report.headers = answer
        .headers
        .iter()
        .map(|(name, value)| (String::from(name.as_str()), value.to_metered()))
        .collect();
    report.content_type = answer.header("content-type").map(ToMetered::to_metered);
    report.header_bytes = report.header_bytes.saturating_add(head_text(answer).len() as u64);
}
