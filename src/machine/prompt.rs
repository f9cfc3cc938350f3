//! Backslash escapes of prompts: `${x@P}`, `PS4`. Bash manual 6.9.

use super::name;
use super::option::ShellOption;
use super::run::Run;
use super::shell::Shell;
use crate::memory::{JoinMetered, ToDecimal, ToMetered, Vec};
use crate::utility::format::time_format::{Zone, timestamp};

/// Decodes the escapes; parameters are not expanded here.
///
/// `primary`: it is `PS1`, whose number in the history is that of the command to come.
pub(crate) fn decode(shell: &mut Shell, run: &mut Run, prompt: &[u8], primary: bool) -> Vec<u8> {
    let mut out = Vec::with_capacity(prompt.len());
    let mut bytes = prompt.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let Some(escape) = bytes.next() else {
            out.push(b'\\');
            break;
        };
        let identity = &run.services.session.identity;
        match escape {
            b'a' => out.push(7),
            b'e' => out.push(27),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b'\\' => out.push(b'\\'),
            b'$' if identity.uid == 0 => out.push(b'#'),
            // The text is expanded afterwards.
            b'$' => out.extend_from_slice(b"\\$"),
            b't' => time(shell, run, b"%H:%M:%S", &mut out),
            b'T' => time(shell, run, b"%I:%M:%S", &mut out),
            b'@' => time(shell, run, b"%I:%M %p", &mut out),
            b'A' => time(shell, run, b"%H:%M", &mut out),
            b'd' => time(shell, run, b"%a %b %d", &mut out),
            b'D' if bytes.peek() == Some(&b'{') => {
                let format: Vec<u8> = bytes.by_ref().skip(1).take_while(|&byte| byte != b'}').collect();
                time(shell, run, if format.is_empty() { b"%X" } else { &format }, &mut out);
            }
            b'h' => out.extend_from_slice(identity.host.split(|&byte| byte == b'.').next().unwrap_or(&[])),
            b'H' => out.extend_from_slice(&identity.host),
            b'u' => out.extend_from_slice(&identity.user),
            b's' => {
                let name = shell.state.invoked.arg0.clone();
                out.extend_from_slice(name.rsplit(|&byte| byte == b'/').next().unwrap_or(&name));
            }
            b'v' => out.extend_from_slice(b"5.2"),
            b'V' => out.extend_from_slice(b"5.2.15"),
            b'j' => out.extend_from_slice(shell.state.jobs.shown().to_decimal().as_bytes()),
            b'l' => out.extend_from_slice(b"tty"),
            b'!' => {
                let history = &shell.state.editor.history;
                let number = if shell.state.options.has(ShellOption::History) {
                    (history.number(history.entries.len()) - usize::from(!primary)).max(1)
                } else {
                    1
                };
                out.extend_from_slice(number.to_decimal().as_bytes());
            }
            // Commands are counted in an interactive shell only.
            b'#' => out.push(if shell.state.invoked.interactive { b'1' } else { b'0' }),
            b'[' | b']' => {}
            b'w' | b'W' => {
                let home = shell.scalar(run, name::HOME).unwrap_or_default();
                let cwd = shell.state.cwd.clone();
                let shown = match cwd.strip_prefix(home.as_bytes()) {
                    Some(rest) if !home.is_empty() && (rest.is_empty() || rest.first() == Some(&b'/')) => {
                        [b"~".as_slice(), rest].concat_metered()
                    }
                    _ => cwd.to_metered(),
                };
                if escape == b'W' && shown != b"/" && shown != b"~" {
                    out.extend_from_slice(shown.rsplit(|&byte| byte == b'/').next().unwrap_or(&shown));
                } else {
                    out.extend_from_slice(&trimmed(shell, run, &shown));
                }
            }
            b'0'..=b'7' => {
                let mut value = u32::from(escape - b'0');
                for _ in 0..2 {
                    match bytes.peek() {
                        Some(&digit @ b'0'..=b'7') => {
                            value = value * 8 + u32::from(digit - b'0');
                            bytes.next();
                        }
                        _ => break,
                    }
                }
                out.push(value as u8);
            }
            other => out.extend_from_slice(&[b'\\', other]),
        }
    }
    out
}

/// A path for `\w`: of one with more directories than `PROMPT_DIRTRIM` the last ones, after `...`.
fn trimmed(shell: &mut Shell, run: &mut Run, path: &[u8]) -> Vec<u8> {
    let most = shell.scalar(run, name::PROMPT_DIRTRIM).and_then(|text| super::variable::plain_integer(&text));
    let most = most.and_then(|most| usize::try_from(most).ok()).filter(|most| *most > 0);
    let (head, rest) = match path.strip_prefix(b"~") {
        Some(rest) => (b"~/...".as_slice(), rest),
        None => (b"...".as_slice(), path),
    };
    let last = most.and_then(|most| memchr::memrchr_iter(b'/', rest).nth(most - 1));
    match last.filter(|at| *at > 0) {
        Some(at) => [head, rest.get(at..).unwrap_or(&[])].concat_metered(),
        None => path.to_metered(),
    }
}

/// The time now, in the zone of `TZ`.
fn time(shell: &mut Shell, run: &mut Run, format: &[u8], out: &mut Vec<u8>) {
    let zone = shell.zone(run);
    let now = timestamp(run.services.session.clock.now());
    out.extend_from_slice(&zone.format(format, &zone.at(now)));
}

impl Shell {
    /// The zone of `TZ`, which counts when it is exported.
    pub(crate) fn zone(&mut self, run: &mut Run) -> Zone {
        if !self.variables.slot(name::TZ).attributes.has(super::variable::Attributes::EXPORTED) {
            return Zone::UTC;
        }
        self.scalar(run, name::TZ).map_or(Zone::UTC, |zone| Zone::named(&zone))
    }
}
