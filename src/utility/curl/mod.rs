//! `curl`: transfers a URL. curl(1) 7.88, over the session's network, which is nobody unless the host of the session says so.
//!
//! `arguments.rs` reads the command line into groups (`config.rs`), `option.rs` has the options of the manual; `glob.rs` makes
//! the URLs, `address.rs` reads them; `transfer.rs` does one, in tries (`attempt.rs`): `request.rs` and `data.rs` say what is sent, `output.rs` and
//! `decode.rs` where the answer goes, `cookie.rs` what is kept of it, `report.rs` and `write_out.rs` what is told.

pub(super) mod address;
mod arguments;
mod attempt;
mod config;
mod cookie;
mod data;
mod date;
mod decode;
mod failure;
mod glob;
mod head;
mod option;
mod output;
mod receive;
mod report;
mod request;
mod transfer;
mod write_out;

use crate::utility::context::options::help;
use crate::utility::prelude::*;
pub(super) use config::Protocols;
use config::{Config, Scope};
use cookie::{CookieJar, CookieSource};
use failure::Failure;
use glob::Glob;
pub(super) use head::head_text;
use option::Opt;
pub(super) use output::disposition_name;
use transfer::Job;

const VERSION: &str = "libcurl/7.88.1 hookbox";

pub(super) const UTILITY: Utility = Utility {
    name: "curl",
    summary: "transfer a URL",
    usage: "curl [options...] <url>",
    options: Opt::TABLE,
    examples: &[example("curl -s http://localhost/; echo $?", "7\n")],
    usage_status: 2,
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    ctx.utility = Some(&UTILITY);
    let line = arguments::parse(ctx).await?;
    if tell(ctx, &line.scope) {
        return Ok(ExitStatus::SUCCESS);
    }
    match line.scope.stderr.as_deref() {
        Some(b"-") => ctx.stderr = Output::new(ctx.stdout.description().cloned()),
        Some(name) => match ctx.create(name, false) {
            Ok(file) => ctx.stderr = file,
            Err(FsError::Limit(limit)) => return Err(limit.into()),
            Err(FsError::Errno(_)) => {
                ctx.warn(format_args!("Warning: Failed to open {}!", bstr::BStr::new(name)));
            }
        },
        None => {}
    }
    let mut jar = CookieJar::default();
    let (mut status, mut number) = (0, 0);
    for config in &line.groups {
        if config.urls.iter().all(|entry| entry.url.is_none()) {
            return Err(arguments::usage(ctx, "", "no URL specified!"));
        }
        if let Some(other) = second_method(config) {
            let what =
                format_args!("You can only select one HTTP request method! You asked for both {other}.");
            output::note(ctx, config, what);
            return Ok(ExitStatus(2));
        }
        load_cookies(ctx, config, &mut jar).await?;
        status = group(ctx, config, &line.scope, &mut jar, &mut number).await?;
        if let Some(name) = &config.cookie_jar {
            save_cookies(ctx, config, &jar, name).await?;
        }
        if status != 0 && line.scope.fail_early {
            break;
        }
    }
    Ok(ExitStatus(status))
}

/// Help, or the version.
fn tell(ctx: &mut Context, scope: &Scope) -> bool {
    if scope.asks_help {
        ctx.stdout.push(help(&UTILITY, Opt::TABLE).as_bytes());
    } else if scope.asks_version {
        ctx.stdout.push(b"curl 7.88.1 (hookbox) libcurl/7.88.1\nProtocols: file http https\n");
        let features: &[u8] = if decode::IS_THERE { b"Features: libz SSL\n" } else { b"Features: SSL\n" };
        ctx.stdout.push(features);
    }
    scope.asks_help || scope.asks_version
}

/// Two options that each want a method of their own.
fn second_method(config: &Config) -> Option<&'static str> {
    let has_upload = config.urls.iter().any(|entry| entry.upload.is_some());
    let has_data = config.data.is_some() && !config.get;
    match (has_data, !config.form.is_empty(), config.head, has_upload) {
        (true, true, ..) => Some("POST (-d, --data) and multipart formpost (-F, --form)"),
        (true, _, true, _) => Some("POST (-d, --data) and HEAD (-I, --head)"),
        (true, _, _, true) => Some("POST (-d, --data) and PUT (-T, --upload-file)"),
        (_, true, true, _) => Some("multipart formpost (-F, --form) and HEAD (-I, --head)"),
        (_, true, _, true) => Some("multipart formpost (-F, --form) and PUT (-T, --upload-file)"),
        (.., true, true) => Some("HEAD (-I, --head) and PUT (-T, --upload-file)"),
        _ => None,
    }
}

/// All URLs of a group, one after the other; the status of the last.
async fn group(
    ctx: &mut Context,
    config: &Config,
    scope: &Scope,
    jar: &mut CookieJar,
    number: &mut u64,
) -> Result<u8, UtilityError> {
    let mut status = 0;
    for (place, entry) in config.urls.iter().enumerate() {
        let Some(url) = &entry.url else {
            output::note(ctx, config, format_args!("Got more output options than URLs"));
            continue;
        };
        let globs = if config.globoff { Ok(Glob::literal(url)) } else { Glob::parse(url) };
        let mut globs = match globs {
            Ok(globs) => globs,
            Err(Failure { code, message }) => {
                if !config.silent || config.show_error {
                    ctx.warn(format_args!("({code}) {message}"));
                }
                return Ok(code);
            }
        };
        while let Some((url, chosen)) = globs.next() {
            ctx.check().await?;
            let job = Job { config, entry, url, chosen, number: place as u64, is_first: *number == 0 };
            status = transfer::run(ctx, &job, jar).await?;
            *number = number.saturating_add(1);
            if status != 0 && scope.fail_early {
                return Ok(status);
            }
        }
    }
    Ok(status)
}

/// Reads the files of cookies and says whether cookies are kept at all.
async fn load_cookies(ctx: &mut Context, config: &Config, jar: &mut CookieJar) -> Result<(), UtilityError> {
    let now = i64::try_from(ctx.session.clock.now().as_secs()).unwrap_or(i64::MAX);
    jar.is_on |= config.cookie_jar.is_some();
    for source in &config.cookies {
        let CookieSource::File(name) = source else { continue };
        jar.is_on = true;
        if name.is_empty() {
            continue;
        }
        if let Ok(mut input) = ctx.open_input(name)
            && let Ok(text) = input.read_to_end().await
        {
            jar.load(&text, config.junk_session_cookies, now);
        }
    }
    Ok(())
}

async fn save_cookies(
    ctx: &mut Context,
    config: &Config,
    jar: &CookieJar,
    name: &Text,
) -> Result<(), UtilityError> {
    let text = jar.save();
    if name.as_bytes() == b"-" {
        return ctx.stdout.write(&text).await;
    }
    match ctx.create(name, false) {
        Ok(mut file) => {
            file.write(&text).await?;
            file.flush().await
        }
        Err(FsError::Limit(limit)) => Err(limit.into()),
        Err(FsError::Errno(_)) => {
            output::note(ctx, config, format_args!("failed to save cookies in {name}"));
            Ok(())
        }
    }
}
