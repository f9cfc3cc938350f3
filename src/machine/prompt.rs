//! Backslash escapes of prompts: `${x@P}`, `PS4`. Bash manual 6.9.

use super::process::Process;
use super::run::Run;

/// Decodes the escapes; parameters are not expanded here.
pub(crate) fn decode(process: &mut Process, run: &mut Run, prompt: &[u8]) -> Vec<u8> {
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
            b'$' => out.push(if identity.uid == 0 { b'#' } else { b'$' }),
            b'h' => out.extend_from_slice(identity.host.split(|&byte| byte == b'.').next().unwrap_or(&[])),
            b'H' => out.extend_from_slice(&identity.host),
            b'u' => out.extend_from_slice(&identity.user),
            b's' => {
                let name = process.shell.state.arg0.clone();
                out.extend_from_slice(name.rsplit(|&byte| byte == b'/').next().unwrap_or(&name));
            }
            b'v' => out.extend_from_slice(b"5.2"),
            b'V' => out.extend_from_slice(b"5.2.15"),
            b'j' => out.extend_from_slice(process.shell.state.jobs.list.len().to_string().as_bytes()),
            b'l' => out.extend_from_slice(b"tty"),
            b'!' | b'#' => out.push(b'1'),
            b'[' | b']' => {}
            b'w' | b'W' => {
                let home = process.scalar(run, super::name::HOME).unwrap_or_default();
                let cwd = process.shell.state.cwd.clone();
                let shown = match cwd.strip_prefix(home.as_bytes()) {
                    Some(rest) if !home.is_empty() && (rest.is_empty() || rest.first() == Some(&b'/')) => {
                        [b"~".as_slice(), rest].concat()
                    }
                    _ => cwd.to_vec(),
                };
                if escape == b'W' && shown != b"/" && shown != b"~" {
                    out.extend_from_slice(shown.rsplit(|&byte| byte == b'/').next().unwrap_or(&shown));
                } else {
                    out.extend_from_slice(&shown);
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
