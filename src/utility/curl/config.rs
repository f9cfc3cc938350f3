//! What one group of options asks for.

use super::cookie::CookieSource;
use super::data::{Form, add_data};
use super::option::Opt;
use crate::memory::Vec;
use crate::utility::prelude::*;
use std::time::Duration;

/// Redirects that are followed where nothing is said.
const MOST_REDIRECTS: i64 = 50;

/// What holds for all groups.
#[derive(Default)]
pub(super) struct Scope {
    pub(super) fail_early: bool,
    pub(super) asks_help: bool,
    pub(super) asks_version: bool,
    /// Where messages go instead of standard error.
    pub(super) stderr: Option<Text>,
}

/// A URL and where what it gives goes.
#[derive(Clone, Default)]
pub(super) struct UrlEntry {
    pub(super) url: Option<Text>,
    pub(super) destination: Destination,
    pub(super) upload: Option<Text>,
}

/// Where a body goes.
#[derive(Clone, Default, PartialEq)]
pub(super) enum Destination {
    #[default]
    Unsaid,
    File(Text),
    Remote,
}

/// `-f` and its like.
#[derive(Clone, Copy, Default, PartialEq)]
pub(super) enum OnHttpError {
    #[default]
    Show,
    Fail,
    FailWithBody,
}

/// When a resource is wanted (`-z`).
#[derive(Clone, Copy)]
pub(super) enum TimeCondition {
    IfModified(i64),
    IfUnmodified(i64),
}

/// See the module.
#[derive(Clone)]
pub(super) struct Config {
    pub(super) urls: Vec<UrlEntry>,
    pub(super) silent: bool,
    pub(super) show_error: bool,
    pub(super) on_http_error: OnHttpError,
    pub(super) follow: bool,
    pub(super) trusted: bool,
    pub(super) max_redirects: i64,
    pub(super) remote_all: bool,
    pub(super) remote_header_name: bool,
    pub(super) remote_time: bool,
    pub(super) output_dir: Option<Text>,
    pub(super) create_dirs: bool,
    pub(super) no_clobber: bool,
    pub(super) remove_on_error: bool,
    pub(super) write_out: Option<Text>,
    pub(super) data: Option<Vec<u8>>,
    pub(super) is_json: bool,
    pub(super) form: Form,
    pub(super) headers: Vec<Text>,
    pub(super) method: Option<Text>,
    pub(super) user: Option<Text>,
    pub(super) bearer: Option<Text>,
    pub(super) max_time: Option<Duration>,
    pub(super) connect_timeout: Option<Duration>,
    pub(super) retries: u64,
    pub(super) retry_delay: Option<Duration>,
    pub(super) retry_max_time: Option<Duration>,
    pub(super) retry_all: bool,
    pub(super) retry_refused: bool,
    pub(super) compressed: bool,
    pub(super) get: bool,
    pub(super) head: bool,
    pub(super) include: bool,
    pub(super) agent: Option<Text>,
    pub(super) referer: Option<Text>,
    pub(super) cookies: Vec<CookieSource>,
    pub(super) cookie_jar: Option<Text>,
    pub(super) junk_session_cookies: bool,
    pub(super) verbose: bool,
    pub(super) dump_header: Option<Text>,
    pub(super) range: Option<Text>,
    pub(super) continue_at: Option<Text>,
    pub(super) condition: Option<TimeCondition>,
    pub(super) unbuffered: bool,
    pub(super) globoff: bool,
    pub(super) path_as_is: bool,
    pub(super) target: Option<Text>,
    pub(super) keep_post: [bool; 3],
    pub(super) max_filesize: Option<u64>,
    pub(super) protocols: Protocols,
    pub(super) redirect_protocols: Protocols,
    pub(super) default_protocol: Option<Text>,
    pub(super) query: Vec<u8>,
    pub(super) no_user_in_url: bool,
    pub(super) etag_save: Option<Text>,
    pub(super) etag_compare: Option<Text>,
}

/// Which protocols may be used, of the two that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::utility) struct Protocols {
    pub(super) http: bool,
    pub(super) https: bool,
}

impl Protocols {
    /// Both.
    pub(in crate::utility) const ALL: Self = Self { http: true, https: true };

    /// `=https`, `-all,https`, `+http`.
    fn parse(text: &[u8]) -> Option<Self> {
        let mut protocols = Self::ALL;
        for (index, part) in text.split(|byte| *byte == b',').enumerate() {
            let (name, is_on) = match part {
                [b'-', name @ ..] => (name, false),
                [b'=', name @ ..] => {
                    protocols = Self { http: false, https: false };
                    (name, true)
                }
                [b'+', name @ ..] => (name, true),
                name if index == 0 => {
                    protocols = Self { http: false, https: false };
                    (name, true)
                }
                name => (name, true),
            };
            match name {
                b"all" => protocols = Self { http: is_on, https: is_on },
                b"http" => protocols.http = is_on,
                b"https" => protocols.https = is_on,
                b"" => return None,
                // Another protocol of curl's is not there to be allowed.
                _ => {}
            }
        }
        Some(protocols)
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            urls: Vec::new(),
            silent: false,
            show_error: false,
            on_http_error: OnHttpError::Show,
            follow: false,
            trusted: false,
            max_redirects: MOST_REDIRECTS,
            remote_all: false,
            remote_header_name: false,
            remote_time: false,
            output_dir: None,
            create_dirs: false,
            no_clobber: false,
            remove_on_error: false,
            write_out: None,
            data: None,
            is_json: false,
            form: Form::default(),
            headers: Vec::new(),
            method: None,
            user: None,
            bearer: None,
            max_time: None,
            connect_timeout: None,
            retries: 0,
            retry_delay: None,
            retry_max_time: None,
            retry_all: false,
            retry_refused: false,
            compressed: false,
            get: false,
            head: false,
            include: false,
            agent: None,
            referer: None,
            cookies: Vec::new(),
            cookie_jar: None,
            junk_session_cookies: false,
            verbose: false,
            dump_header: None,
            range: None,
            continue_at: None,
            condition: None,
            unbuffered: false,
            globoff: false,
            path_as_is: false,
            target: None,
            keep_post: [false; 3],
            max_filesize: None,
            protocols: Protocols::ALL,
            redirect_protocols: Protocols::ALL,
            default_protocol: None,
            query: Vec::new(),
            no_user_in_url: false,
            etag_save: None,
            etag_compare: None,
        }
    }
}

const NUMBER: &str = "expected a proper numerical parameter";
const POSITIVE: &str = "expected a positive numerical parameter";
/// What is said of a protocol that is not there.
pub(super) const UNSUPPORTED: &str = "a specified protocol is unsupported by libcurl";
const BAD_USE: &str = "is badly used here";

/// What is wrong with a value, in curl's words.
type Setting = Result<(), &'static str>;

fn number(value: &[u8]) -> Result<u64, &'static str> {
    let text = std::str::from_utf8(value).map_err(|_| NUMBER)?;
    if text.starts_with('-') && text.parse::<i64>().is_ok() {
        return Err(POSITIVE);
    }
    text.parse().map_err(|_| NUMBER)
}

fn seconds(value: &[u8]) -> Result<Duration, &'static str> {
    let text = std::str::from_utf8(value).map_err(|_| NUMBER)?;
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if text.starts_with('-') && text.parse::<f64>().is_ok() {
        return Err(POSITIVE);
    }
    let seconds: f64 = text.parse().ok().filter(|_| is_plain).ok_or(NUMBER)?;
    Duration::try_from_secs_f64(seconds).map_err(|_| "the given parameter is too large")
}

/// A number with `k`, `M`, `G`.
fn size(value: &[u8]) -> Result<u64, &'static str> {
    let (digits, shift) = match value.split_last() {
        Some((b'k' | b'K', digits)) => (digits, 10),
        Some((b'm' | b'M', digits)) => (digits, 20),
        Some((b'g' | b'G', digits)) => (digits, 30),
        _ => (value, 0),
    };
    number(digits)?.checked_mul(1 << shift).ok_or("number too large")
}

impl Config {
    /// Takes a URL: for the first destination that lacks one, or as one more.
    pub(super) fn add_url(&mut self, url: Text) {
        match self.urls.iter_mut().find(|entry| entry.url.is_none()) {
            Some(entry) => entry.url = Some(url),
            None => self.urls.push(UrlEntry { url: Some(url), ..UrlEntry::default() }),
        }
    }

    fn add_destination(&mut self, destination: Destination) {
        match self.urls.iter_mut().find(|entry| entry.destination == Destination::Unsaid) {
            Some(entry) => entry.destination = destination,
            None => self.urls.push(UrlEntry { destination, ..UrlEntry::default() }),
        }
    }

    /// Sets an option. The inner error is about its value.
    pub(super) async fn set(
        &mut self,
        ctx: &mut Context,
        scope: &mut Scope,
        option: Opt,
        on: bool,
        value: Text,
    ) -> Result<Setting, UtilityError> {
        match option {
            Opt::Data | Opt::DataBinary | Opt::DataRaw | Opt::DataUrlencode | Opt::Json => {
                return add_data(ctx, self, option, &value).await;
            }
            Opt::UrlQuery => return super::data::add_query(ctx, self, &value).await,
            Opt::Form | Opt::FormString => {
                return Ok(self.form.add(&value, option == Opt::FormString));
            }
            Opt::Header if value.starts_with(b"@") => {
                return super::data::add_header_file(ctx, self, value.get(1..).unwrap_or_default()).await;
            }
            Opt::TimeCond => {
                self.condition = super::date::time_condition(ctx, &value, self.silent);
                return Ok(Ok(()));
            }
            _ => {}
        }
        Ok(self.set_switch(scope, option, on, value))
    }

    fn set_switch(&mut self, scope: &mut Scope, option: Opt, on: bool, value: Text) -> Setting {
        match option {
            Opt::Silent => self.silent = on,
            Opt::ShowError => self.show_error = on,
            Opt::Fail => self.on_http_error = if on { OnHttpError::Fail } else { OnHttpError::Show },
            Opt::FailWithBody => {
                self.on_http_error = if on { OnHttpError::FailWithBody } else { OnHttpError::Show };
            }
            Opt::FailEarly => scope.fail_early = on,
            Opt::Location => self.follow = on,
            Opt::LocationTrusted => (self.follow, self.trusted) = (on, on),
            Opt::MaxRedirs => {
                let text = std::str::from_utf8(&value).map_err(|_| NUMBER)?;
                self.max_redirects = text.parse().map_err(|_| NUMBER)?;
                if self.max_redirects < -1 {
                    return Err(POSITIVE);
                }
            }
            Opt::Output => self.add_destination(Destination::File(value)),
            Opt::RemoteName => self.add_destination(Destination::Remote),
            Opt::RemoteNameAll => self.remote_all = on,
            Opt::RemoteHeaderName => self.remote_header_name = on,
            Opt::RemoteTime => self.remote_time = on,
            Opt::OutputDir => self.output_dir = Some(value),
            Opt::CreateDirs => self.create_dirs = on,
            Opt::CreateFileMode => {
                let mode =
                    std::str::from_utf8(&value).ok().and_then(|text| u32::from_str_radix(text, 8).ok());
                // It is for files that are made at the other end, by protocols that are not here.
                mode.filter(|mode| *mode <= 0o777).ok_or(NUMBER)?;
            }
            Opt::NoClobber => self.no_clobber = on,
            Opt::RemoveOnError => self.remove_on_error = on,
            Opt::WriteOut => self.write_out = Some(value),
            Opt::Header => self.headers.push(value),
            Opt::Request => self.method = Some(value),
            Opt::User => self.user = Some(value),
            Opt::Oauth2Bearer => self.bearer = Some(value),
            Opt::MaxTime => self.max_time = Some(seconds(&value)?).filter(|time| !time.is_zero()),
            Opt::ConnectTimeout => {
                self.connect_timeout = Some(seconds(&value)?).filter(|time| !time.is_zero());
            }
            Opt::Retry => self.retries = number(&value)?,
            Opt::RetryDelay => {
                self.retry_delay = Some(Duration::from_secs(number(&value)?)).filter(|time| !time.is_zero());
            }
            Opt::RetryMaxTime => {
                self.retry_max_time =
                    Some(Duration::from_secs(number(&value)?)).filter(|time| !time.is_zero());
            }
            Opt::RetryAllErrors => self.retry_all = on,
            Opt::RetryConnrefused => self.retry_refused = on,
            Opt::Compressed => {
                if on && !super::decode::IS_THERE {
                    return Err("the installed libcurl version doesn't support this");
                }
                self.compressed = on;
            }
            Opt::Get => self.get = on,
            Opt::Head => self.head = on,
            Opt::Include => self.include = on,
            Opt::UserAgent => self.agent = Some(value),
            Opt::Referer => self.referer = Some(value),
            Opt::Cookie => self.cookies.push(CookieSource::of(value)),
            Opt::CookieJar => self.cookie_jar = Some(value),
            Opt::JunkCookies => self.junk_session_cookies = on,
            Opt::Verbose => self.verbose = on,
            Opt::DumpHeader => self.dump_header = Some(value),
            Opt::Range => {
                let is_range = value.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b','));
                if !is_range || value.is_empty() {
                    return Err("a range is digits, `-` and `,`");
                }
                let alone = value.iter().all(u8::is_ascii_digit);
                let mut range = value;
                if alone {
                    // curl takes a number for where to begin.
                    range.push_bytes(b"-");
                }
                self.range = Some(range);
            }
            Opt::ContinueAt => self.continue_at = Some(value),
            Opt::NoBuffer => self.unbuffered = on,
            Opt::Globoff => self.globoff = on,
            Opt::PathAsIs => self.path_as_is = on,
            Opt::RequestTarget => self.target = Some(value),
            Opt::Post301 => self.keep_post[0] = on,
            Opt::Post302 => self.keep_post[1] = on,
            Opt::Post303 => self.keep_post[2] = on,
            Opt::MaxFilesize => self.max_filesize = Some(size(&value)?),
            Opt::Proto => self.protocols = Protocols::parse(&value).ok_or(BAD_USE)?,
            Opt::ProtoRedir => self.redirect_protocols = Protocols::parse(&value).ok_or(BAD_USE)?,
            Opt::ProtoDefault => match value.as_bytes() {
                b"http" | b"https" => self.default_protocol = Some(value),
                _ => return Err(UNSUPPORTED),
            },
            Opt::DisallowUsername => self.no_user_in_url = on,
            Opt::EtagSave => self.etag_save = Some(value),
            Opt::EtagCompare => self.etag_compare = Some(value),
            Opt::UploadFile => match self.urls.iter_mut().find(|entry| entry.upload.is_none()) {
                Some(entry) => entry.upload = Some(value),
                None => self.urls.push(UrlEntry { upload: Some(value), ..UrlEntry::default() }),
            },
            Opt::Url => self.add_url(value),
            Opt::FormEscape => self.form.escapes = on,
            Opt::Help => scope.asks_help = true,
            Opt::Version => scope.asks_version = true,
            Opt::Stderr => scope.stderr = Some(value),
            // True of what is done here anyway: HTTP/1.1, TLS 1.2 or greater, no meter; basic is what `-u` means. The file of
            // defaults was looked for before.
            Opt::Basic | Opt::Http11 | Opt::Tls1 | Opt::NoProgressMeter | Opt::ProgressBar | Opt::Disable => {
            }
            Opt::Config
            | Opt::Next
            | Opt::Data
            | Opt::DataBinary
            | Opt::DataRaw
            | Opt::DataUrlencode
            | Opt::Json
            | Opt::UrlQuery
            | Opt::Form
            | Opt::FormString
            | Opt::TimeCond => {}
        }
        Ok(())
    }
}
