//! `-w`: a text with variables of the transfer.

use super::report::Report;
use crate::memory::{String, ToMetered, ToMeteredString, Vec, format};
use crate::utility::prelude::*;
use std::time::Duration;

/// What a variable is.
enum Value {
    Text(Vec<u8>),
    Number(u64),
    Seconds(Duration),
    /// Said as `null` in JSON and as nothing elsewhere.
    Nothing,
}

/// The variables, in the order of `%{json}`.
const NAMES: [&str; 41] = [
    "certs",
    "content_type",
    "errormsg",
    "exitcode",
    "filename_effective",
    "ftp_entry_path",
    "http_code",
    "http_connect",
    "http_version",
    "local_ip",
    "local_port",
    "method",
    "num_certs",
    "num_connects",
    "num_headers",
    "num_redirects",
    "proxy_ssl_verify_result",
    "redirect_url",
    "referer",
    "remote_ip",
    "remote_port",
    "response_code",
    "scheme",
    "size_download",
    "size_header",
    "size_request",
    "size_upload",
    "speed_download",
    "speed_upload",
    "ssl_verify_result",
    "time_appconnect",
    "time_connect",
    "time_namelookup",
    "time_pretransfer",
    "time_redirect",
    "time_starttransfer",
    "time_total",
    "url",
    "url_effective",
    "urlnum",
    "curl_version",
];
/// Those of [`NAMES`] that only JSON has.
const IN_JSON_ONLY: [&str; 1] = ["curl_version"];

fn value(report: &Report, name: &str) -> Option<Value> {
    let text =
        |text: &Option<Vec<u8>>| text.as_ref().map_or(Value::Nothing, |text| Value::Text(text.clone()));
    let speed = |bytes: u64| {
        let seconds = report.total.as_secs_f64();
        Value::Number(if seconds > 0.0 { (bytes as f64 / seconds) as u64 } else { 0 })
    };
    Some(match name {
        "certs" => Value::Text(Vec::new()),
        "content_type" => text(&report.content_type),
        "errormsg" => text(&report.error),
        "exitcode" => Value::Number(u64::from(report.code)),
        "filename_effective" => text(&report.file_name),
        "http_code" | "response_code" => Value::Number(u64::from(report.status)),
        "ftp_entry_path" => Value::Nothing,
        "http_connect" | "num_certs" | "proxy_ssl_verify_result" | "ssl_verify_result" | "local_port" => {
            Value::Number(0)
        }
        "http_version" => Value::Text(report.version.as_bytes().to_metered()),
        "local_ip" => Value::Text(Vec::new()),
        "method" => Value::Text(report.method.clone()),
        "num_connects" => Value::Number(report.connects),
        "num_headers" => Value::Number(report.headers.len() as u64),
        "num_redirects" => Value::Number(report.redirects),
        "redirect_url" => text(&report.redirect_url),
        "referer" => text(&report.referer),
        "remote_ip" => {
            let ip = report.address.map_or_else(String::new, |address| address.ip().to_metered_string());
            Value::Text(ip.into_bytes())
        }
        "remote_port" => Value::Number(report.address.map_or(0, |address| u64::from(address.port()))),
        "scheme" => Value::Text(report.scheme.as_bytes().to_metered()),
        "size_download" => Value::Number(report.downloaded),
        "size_header" => Value::Number(report.header_bytes),
        "size_request" => Value::Number(report.request_bytes),
        "size_upload" => Value::Number(report.uploaded),
        "speed_download" => speed(report.downloaded),
        "speed_upload" => speed(report.uploaded),
        "time_appconnect" => Value::Seconds(report.moments.secured),
        "time_connect" => Value::Seconds(report.moments.connected),
        "time_namelookup" => Value::Seconds(report.moments.resolved),
        "time_pretransfer" => Value::Seconds(report.moments.connected.max(report.moments.secured)),
        "time_redirect" => Value::Seconds(report.redirect_time),
        "time_starttransfer" => Value::Seconds(report.moments.answered),
        "time_total" => Value::Seconds(report.total),
        "url" => Value::Text(report.url.clone()),
        "url_effective" => Value::Text(report.effective.clone()),
        "urlnum" => Value::Number(report.number),
        "curl_version" => Value::Text(super::VERSION.as_bytes().to_metered()),
        _ => return None,
    })
}

fn seconds(time: Duration) -> String {
    format!("{}.{:06}", time.as_secs(), time.subsec_micros())
}

/// A JSON string.
fn quoted(text: &[u8]) -> Vec<u8> {
    let mut quoted = Vec::with_capacity(text.len() + 2);
    quoted.push(b'"');
    for byte in text {
        match byte {
            b'"' | b'\\' => quoted.extend_from_slice(&[b'\\', *byte]),
            b'\n' => quoted.extend_from_slice(b"\\n"),
            b'\r' => quoted.extend_from_slice(b"\\r"),
            b'\t' => quoted.extend_from_slice(b"\\t"),
            0x08 => quoted.extend_from_slice(b"\\b"),
            0x0c => quoted.extend_from_slice(b"\\f"),
            byte if *byte < b' ' => quoted.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            byte => quoted.push(*byte),
        }
    }
    quoted.push(b'"');
    quoted
}

fn json(report: &Report) -> Vec<u8> {
    let mut text = b"{".to_metered();
    for name in NAMES {
        if text.len() > 1 {
            text.push(b',');
        }
        text.extend_from_slice(format!("\"{name}\":").as_bytes());
        match value(report, name) {
            Some(Value::Text(value)) => text.extend_from_slice(&quoted(&value)),
            Some(Value::Number(number)) => text.extend_from_slice(format!("{number}").as_bytes()),
            Some(Value::Seconds(time)) => text.extend_from_slice(seconds(time).as_bytes()),
            Some(Value::Nothing) | None => text.extend_from_slice(b"null"),
        }
    }
    text.push(b'}');
    text
}

/// The headers of the last answer, each name once.
fn header_json(report: &Report) -> Vec<u8> {
    let mut text = b"{".to_metered();
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in &report.headers {
        if names.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            continue;
        }
        if !names.is_empty() {
            text.extend_from_slice(b",\n");
        }
        names.push(name);
        let lower: String = name.chars().map(|letter| letter.to_ascii_lowercase()).collect();
        text.extend_from_slice(&quoted(lower.as_bytes()));
        text.extend_from_slice(b":[");
        let values = report.headers.iter().filter(|(own, _)| own.eq_ignore_ascii_case(name));
        for (index, (_, value)) in values.enumerate() {
            if index > 0 {
                text.push(b',');
            }
            text.extend_from_slice(&quoted(value));
        }
        text.push(b']');
    }
    text.extend_from_slice(b"\n}");
    text
}

/// Writes the text.
pub(super) async fn write(ctx: &mut Context, format: &[u8], report: &Report) -> Result<(), UtilityError> {
    let mut to_stderr = false;
    let mut rest = format;
    while let Some((first, after)) = rest.split_first() {
        ctx.tick().await?;
        let mut piece = Vec::new();
        rest = after;
        match (first, after) {
            (b'%', [b'%', tail @ ..]) => {
                piece.push(b'%');
                rest = tail;
            }
            (b'%', [b'{', tail @ ..]) => match memchr::memchr(b'}', tail) {
                Some(end) => {
                    let name = std::str::from_utf8(tail.get(..end).unwrap_or_default()).unwrap_or("");
                    rest = tail.get(end + 1..).unwrap_or_default();
                    match name {
                        "json" => piece = json(report),
                        "header_json" => piece = header_json(report),
                        "stderr" => to_stderr = true,
                        "stdout" => to_stderr = false,
                        "onerror" if report.code == 0 => return Ok(()),
                        "onerror" => {}
                        name => match value(report, name).filter(|_| !IN_JSON_ONLY.contains(&name)) {
                            Some(Value::Text(text)) => piece = text,
                            // A status has three digits.
                            Some(Value::Number(number))
                                if matches!(name, "http_code" | "response_code" | "http_connect") =>
                            {
                                piece = format!("{number:03}").into_bytes();
                            }
                            Some(Value::Number(number)) => piece = format!("{number}").into_bytes(),
                            Some(Value::Seconds(time)) => piece = seconds(time).into_bytes(),
                            Some(Value::Nothing) => {}
                            None => {
                                ctx.warn(format_args!("unknown --write-out variable: '{name}'"));
                            }
                        },
                    }
                }
                None => piece.extend_from_slice(b"%{"),
            },
            (b'%', tail) if tail.starts_with(b"header{") => {
                let inner = tail.get(7..).unwrap_or_default();
                match memchr::memchr(b'}', inner) {
                    Some(end) => {
                        let name = std::str::from_utf8(inner.get(..end).unwrap_or_default()).unwrap_or("");
                        rest = inner.get(end + 1..).unwrap_or_default();
                        let found = report.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name));
                        piece = found.map(|(_, value)| value.to_metered()).unwrap_or_default();
                    }
                    None => piece.extend_from_slice(b"%"),
                }
            }
            (b'\\', [letter, tail @ ..]) => {
                rest = tail;
                match letter {
                    b'n' => piece.push(b'\n'),
                    b't' => piece.push(b'\t'),
                    b'r' => piece.push(b'\r'),
                    other => piece.extend_from_slice(&[b'\\', *other]),
                }
            }
            (byte, _) => piece.push(*byte),
        }
        let output = if to_stderr { &mut ctx.stderr } else { &mut ctx.stdout };
        output.write(&piece).await?;
    }
    ctx.stderr.flush().await
}
