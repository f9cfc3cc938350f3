//! Heads of requests and answers as text: for `-i`, `-D` and `-v`, and their lengths.

use super::config::Config;
use crate::memory::{String, Vec, format};
use crate::network::{NetworkRequest, NetworkResponse};
use crate::utility::prelude::*;

/// The head as it came.
pub(in crate::utility) fn head_text(answer: &NetworkResponse) -> Vec<u8> {
    let reason = if answer.reason.is_empty() { String::new() } else { format!(" {}", answer.reason) };
    let mut text = format!("HTTP/{} {}{reason}\r\n", answer.version, answer.status).into_bytes();
    for (name, value) in &answer.headers {
        text.extend_from_slice(name.as_bytes());
        text.extend_from_slice(b": ");
        text.extend_from_slice(value);
        text.extend_from_slice(b"\r\n");
    }
    text.extend_from_slice(b"\r\n");
    text
}

/// The head of a request as it goes out, but for what the session's host adds.
fn request_lines(request: &NetworkRequest) -> Vec<u8> {
    let mut text =
        format!("{} {} HTTP/1.1\nHost: {}\n", request.method, request.url.target, request.url.authority())
            .into_bytes();
    for (name, value) in &request.headers {
        text.extend_from_slice(name.as_bytes());
        text.extend_from_slice(b": ");
        text.extend_from_slice(value);
        text.push(b'\n');
    }
    if let Some(body) = &request.body {
        text.extend_from_slice(format!("Content-Length: {}\n", body.len()).as_bytes());
    }
    text.push(b'\n');
    text
}

pub(super) fn request_length(request: &NetworkRequest) -> u64 {
    let lines = request_lines(request);
    let ends = memchr::memchr_iter(b'\n', &lines).count();
    lines.len().saturating_add(ends) as u64
}

/// `-v`: the request.
pub(super) fn told_request(ctx: &mut Context, config: &Config, request: &NetworkRequest) {
    if !config.verbose {
        return;
    }
    for line in request_lines(request).split(|byte| *byte == b'\n') {
        ctx.stderr.push(b"> ");
        ctx.stderr.push(line);
        ctx.stderr.push(b"\n");
        if line.is_empty() {
            break;
        }
    }
    ctx.stderr.flush_now();
}

/// `-v`: the answer.
pub(super) fn told_answer(ctx: &mut Context, config: &Config, answer: &NetworkResponse) {
    if !config.verbose {
        return;
    }
    let head = head_text(answer);
    for line in head.split_inclusive(|byte| *byte == b'\n') {
        ctx.stderr.push(b"< ");
        ctx.stderr.push(line);
    }
    ctx.stderr.flush_now();
}
