//! Random calls of the tools that have a language of their own: `tests/host_tools.rs` runs each with the real tool and in
//! a sandbox.
//!
//! A call is a function of the tool and of its number. To add a tool:
//!
//! 1. a file beside this one with `pub(crate) const TOOL: Tool`: its name, its generator, and what is known to differ;
//! 2. its row in [`TOOLS`], and one in `ORACLES` of `tests/host_tools.rs` that says which program is the real one.
//!
//! A generator sees to it that a call ends soon, prints little and always the same (no time, process ids or random
//! numbers), reads and writes nothing outside of its directory, and names no path from the root. It should mostly make
//! what the tool accepts: a wrong program ends at its first fault. How a failing call is cut down is no generator's
//! business: `Call::smaller` drops arguments, files, lines and tokens, whatever the language.

pub(crate) mod awk;
pub(crate) mod expression;
pub(crate) mod grep;
pub(crate) mod jq;
pub(crate) mod random;
pub(crate) mod sed;
mod smaller;

use crate::host_run::Outcome;
use random::Random;

/// All tools, in the order in which they are compared.
pub(crate) const TOOLS: &[&Tool] = &[&jq::TOOL, &awk::TOOL, &sed::TOOL, &grep::TOOL];

/// A tool that is compared.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) generate: fn(&mut Random) -> Call,
    pub(crate) known: &'static [Known],
}

impl Tool {
    pub(crate) fn call(&self, number: u64) -> Call {
        (self.generate)(&mut Random::new(number))
    }
}

/// A difference that is known, as narrow as it can be said of the call and of both outcomes: what the real tool did,
/// and what was done here.
pub(crate) struct Known {
    pub(crate) reason: &'static str,
    pub(crate) explains: fn(&Call, &Outcome, &Outcome) -> bool,
}

/// A call of a tool.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Call {
    /// Without a NUL byte.
    pub(crate) arguments: Vec<Vec<u8>>,
    pub(crate) stdin: Vec<u8>,
    /// Files of the working directory. A name may lie in folders (`d/f`).
    pub(crate) files: Vec<(String, Vec<u8>)>,
}

impl Call {
    pub(crate) fn argument(&mut self, argument: impl Into<Vec<u8>>) -> &mut Self {
        self.arguments.push(argument.into());
        self
    }

    pub(crate) fn file(&mut self, name: &str, content: impl Into<Vec<u8>>) -> &mut Self {
        self.files.push((name.to_owned(), content.into()));
        self
    }

    /// The names of files and what they hold.
    pub(crate) fn contents(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files.iter().map(|(name, content)| (name.as_str(), content.as_slice()))
    }

    /// Everything that is given to the tool.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &Vec<u8>> {
        let files = self.files.iter().map(|(_, content)| content);
        self.arguments.iter().chain(files).chain([&self.stdin])
    }

    /// Lines that may be patterns: those of arguments and of the file `patterns`.
    pub(crate) fn patterns(&self) -> impl Iterator<Item = &[u8]> {
        let files = self.files.iter().filter(|(name, _)| name == "patterns").map(|(_, content)| content);
        let lines = self.arguments.iter().chain(files).flat_map(|text| text.split(|byte| *byte == b'\n'));
        lines.map(|line| line.strip_prefix(b"--regexp=").unwrap_or(line))
    }

    /// Whether a text stands somewhere in what is given.
    pub(crate) fn says(&self, wanted: &[u8]) -> bool {
        self.texts().any(|text| text.windows(wanted.len()).any(|window| window == wanted))
    }

    /// Whether all that is given is UTF-8.
    pub(crate) fn is_text(&self) -> bool {
        self.texts().all(|text| std::str::from_utf8(text).is_ok())
    }

    /// Whether there may be a bracket expression with a range one end of which is not ASCII.
    pub(crate) fn has_wide_range(&self) -> bool {
        let is_wide =
            |window: &[u8]| matches!(window, [from, b'-', to] if !from.is_ascii() || !to.is_ascii());
        self.texts().any(|text| text.contains(&b'[') && text.windows(3).any(is_wide))
    }

    /// The call as a line of a shell.
    pub(crate) fn command(&self, tool: &str) -> Vec<u8> {
        let mut line = tool.as_bytes().to_vec();
        for argument in &self.arguments {
            line.push(b' ');
            line.extend(quoted(argument));
        }
        line
    }

    /// A script that makes the files and does the call.
    pub(crate) fn script(&self, tool: &str) -> String {
        let mut script = Vec::new();
        for (name, content) in &self.files {
            script.extend_from_slice(b"printf %s ");
            script.extend(quoted(content));
            script.extend(format!(" >{name}\n").into_bytes());
        }
        if !self.stdin.is_empty() {
            script.extend_from_slice(b"printf %s ");
            script.extend(quoted(&self.stdin));
            script.extend_from_slice(b" | ");
        }
        script.extend(self.command(tool));
        script.push(b'\n');
        String::from_utf8_lossy(&script).into_owned()
    }
}

/// A word of a shell that is these bytes.
fn quoted(bytes: &[u8]) -> Vec<u8> {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_./=,:".contains(byte);
    if !bytes.is_empty() && bytes.iter().all(plain) {
        return bytes.to_vec();
    }
    let control = |byte: &u8| byte.is_ascii_control() && *byte != b'\n';
    let dollar = bytes.iter().any(control) || std::str::from_utf8(bytes).is_err();
    let mut word = if dollar { b"$'".to_vec() } else { b"'".to_vec() };
    for byte in bytes {
        match byte {
            b'\'' if dollar => word.extend_from_slice(b"\\'"),
            b'\'' => word.extend_from_slice(b"'\\''"),
            b'\\' if dollar => word.extend_from_slice(b"\\\\"),
            _ if dollar && (byte.is_ascii_control() || !byte.is_ascii()) => {
                word.extend(format!("\\{byte:03o}").into_bytes());
            }
            _ => word.push(*byte),
        }
    }
    word.push(b'\'');
    word
}
