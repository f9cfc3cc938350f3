//! What stands before a message: priority, time, host, tag, by the local form, RFC 3164 or RFC 5424.

use crate::memory::{Vec, format};
use crate::utility::format::time_format::Zone;
use crate::utility::prelude::*;

const FACILITIES: [(&str, u32); 22] = [
    ("auth", 4),
    ("authpriv", 10),
    ("cron", 9),
    ("daemon", 3),
    ("ftp", 11),
    ("kern", 0),
    ("lpr", 6),
    ("mail", 2),
    ("news", 7),
    ("security", 4),
    ("syslog", 5),
    ("user", 1),
    ("uucp", 8),
    ("local0", 16),
    ("local1", 17),
    ("local2", 18),
    ("local3", 19),
    ("local4", 20),
    ("local5", 21),
    ("local6", 22),
    ("local7", 23),
    ("mark", 24),
];

const LEVELS: [(&str, u32); 12] = [
    ("alert", 1),
    ("crit", 2),
    ("debug", 7),
    ("emerg", 0),
    ("err", 3),
    ("error", 3),
    ("info", 6),
    ("none", 16),
    ("notice", 5),
    ("panic", 0),
    ("warn", 4),
    ("warning", 4),
];

/// A facility times eight and a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Priority(u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protocol {
    Local,
    Rfc3164,
    Rfc5424,
}

/// An element of structured data.
#[derive(Debug)]
pub(super) struct Structured {
    id: Text,
    parameters: Vec<Text>,
}

#[derive(Debug)]
pub(super) struct Header {
    pub(super) priority: Priority,
    pub(super) tag: Text,
    pub(super) id: Option<u64>,
    pub(super) protocol: Protocol,
    pub(super) without_time: bool,
    pub(super) without_quality: bool,
    pub(super) without_host: bool,
    pub(super) message_id: Option<Text>,
    pub(super) data: Vec<Structured>,
    pub(super) counts_octets: bool,
    pub(super) host: Text,
}

impl Priority {
    /// `user.notice`
    pub(super) const DEFAULT: Self = Self(13);

    /// `FACILITY.LEVEL` or `LEVEL`.
    pub(super) fn parse(text: &[u8]) -> Result<Self, UtilityError> {
        let find = |table: &[(&str, u32)], name: &[u8]| {
            table.iter().find(|(known, _)| known.as_bytes().eq_ignore_ascii_case(name)).map(|(_, code)| *code)
        };
        let mut parts = text.splitn(2, |&byte| byte == b'.');
        let first = parts.next().unwrap_or_default();
        let (facility, level) = match parts.next() {
            Some(level) => {
                let name = bstr::BStr::new(first);
                let known = find(&FACILITIES, first);
                (known.ok_or_else(|| UtilityError::failed(format!("unknown facility name: {name}")))?, level)
            }
            None => (1, first),
        };
        let name = bstr::BStr::new(level);
        let level = find(&LEVELS, level)
            .ok_or_else(|| UtilityError::failed(format!("unknown priority name: {name}")))?;
        // The kernel's is the kernel's alone.
        Ok(Self((if facility == 0 { 1 } else { facility }) * 8 + level))
    }

    /// The priority in angle brackets before a line, and the line without it. One without a facility has this one's.
    pub(super) fn of_line(self, line: &[u8]) -> (Self, &[u8]) {
        let rest = line.strip_prefix(b"<").unwrap_or_default();
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let text = std::str::from_utf8(rest.get(..digits).unwrap_or_default()).unwrap_or_default();
        match (text.parse::<u32>(), rest.get(digits..)) {
            (Ok(number), Some([b'>', body @ ..])) if number <= 191 => {
                let number = if number < 8 { self.0 / 8 * 8 + number } else { number };
                (Self(number), body)
            }
            _ => (self, line),
        }
    }
}

impl Structured {
    /// An id of the standard, or a name with `@` and digits.
    pub(super) fn new(id: &[u8]) -> Result<Self, UtilityError> {
        let is_standard = matches!(id, b"timeQuality" | b"origin" | b"meta");
        let is_own = memchr::memchr(b'@', id).is_some_and(|at| {
            let number = id.get(at + 1..).unwrap_or_default();
            at > 0 && !number.is_empty() && number.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.')
        });
        if !is_standard && !is_own {
            let id = bstr::BStr::new(id);
            return Err(UtilityError::failed(format!("invalid structured data ID: '{id}'")));
        }
        Ok(Self { id: Text::from(id), parameters: Vec::new() })
    }

    /// Adds `name="value"`.
    pub(super) fn add(&mut self, parameter: &[u8]) -> Result<(), UtilityError> {
        let equals = memchr::memchr(b'=', parameter).filter(|&at| at > 0);
        let value = equals.and_then(|at| parameter.get(at + 1..)).unwrap_or_default();
        if !(value.len() >= 2 && value.starts_with(b"\"") && value.ends_with(b"\"")) {
            let parameter = bstr::BStr::new(parameter);
            return Err(UtilityError::failed(format!("invalid structured data parameter: '{parameter}'")));
        }
        self.parameters.push(Text::from(parameter));
        Ok(())
    }
}

impl Header {
    /// A message with what stands before it, as a line.
    pub(super) fn with(&self, ctx: &Context, priority: Priority, message: &[u8]) -> Vec<u8> {
        let mut text = Vec::new();
        let zone = Zone::of(&ctx.env);
        let moment = zone.since_epoch(ctx.session.clock.now());
        let Priority(number) = priority;
        match self.protocol {
            Protocol::Local | Protocol::Rfc3164 => {
                text.extend_from_slice(format!("<{number}>").as_bytes());
                zone.format_into(b"%b %e %T ", &moment, &mut text);
                if self.protocol == Protocol::Rfc3164 {
                    text.extend_from_slice(&self.host);
                    text.push(b' ');
                }
                text.extend_from_slice(self.tag.get(..200).unwrap_or(&self.tag));
                if let Some(id) = self.id {
                    text.extend_from_slice(format!("[{id}]").as_bytes());
                }
                text.extend_from_slice(b": ");
            }
            Protocol::Rfc5424 => {
                text.extend_from_slice(format!("<{number}>1 ").as_bytes());
                if self.without_time {
                    text.extend_from_slice(b"- ");
                } else {
                    zone.format_into(b"%FT%T", &moment, &mut text);
                    let micros = moment.subsec_nanosecond() / 1000;
                    text.extend_from_slice(format!(".{micros:06}").as_bytes());
                    zone.format_into(b"%:z ", &moment, &mut text);
                }
                text.extend_from_slice(if self.without_host { b"-" } else { &self.host });
                text.push(b' ');
                text.extend_from_slice(self.tag.get(..48).unwrap_or(&self.tag));
                let id = self.id.map_or("-".into(), |id| format!("{id}"));
                text.extend_from_slice(format!(" {id} ").as_bytes());
                text.extend_from_slice(self.message_id.as_ref().map_or(b"-", |id| id.as_bytes()));
                text.push(b' ');
                self.push_data(&mut text);
                text.push(b' ');
            }
        }
        text.extend_from_slice(message);
        if self.counts_octets {
            let mut counted = Vec::new();
            counted.extend_from_slice(format!("{} ", text.len()).as_bytes());
            counted.extend_from_slice(&text);
            text = counted;
        }
        text.push(b'\n');
        text
    }

    /// The elements that have parameters, after what is known of the clock.
    fn push_data(&self, text: &mut Vec<u8>) {
        let start = text.len();
        let has_own_quality = self.data.iter().any(|element| element.id.as_bytes() == b"timeQuality");
        if !self.without_quality && !has_own_quality {
            text.extend_from_slice(b"[timeQuality tzKnown=\"1\" isSynced=\"0\"]");
        }
        for element in self.data.iter().filter(|element| !element.parameters.is_empty()) {
            text.push(b'[');
            text.extend_from_slice(&element.id);
            for parameter in &element.parameters {
                text.push(b' ');
                text.extend_from_slice(parameter);
            }
            text.push(b']');
        }
        if text.len() == start {
            text.push(b'-');
        }
    }
}
