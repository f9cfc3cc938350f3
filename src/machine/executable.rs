//! What kind of program a file is: a command of the sandbox, a script for this shell or another, or nothing that runs here.

use super::run::Run;
use super::shell::State;
use crate::memory::{ToMetered, Vec};
use crate::text::Text;
use crate::vfs::{COMMAND_MARK, Content, Errno, FsError};

/// What a command name leads to on the file system.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Found {
    /// The path of a file that can be run.
    Path(Text),
    Missing,
    /// A file that cannot be run.
    NotExecutable(Text, Errno),
}

/// See the module.
#[derive(Debug)]
pub(crate) enum Executable {
    /// A utility, a host's command, `bash` or `sh`.
    Command(Text),
    /// A script for this shell, with the options of its `#!` line.
    Shell { posix: bool, options: Vec<Text>, script: Content },
    /// `#!path argument` of something else.
    Interpreter { path: Text, argument: Option<Text> },
    /// Neither text nor a command.
    Binary,
}

/// Looks at the start of a file.
pub(crate) fn identify(run: &Run, state: &State, path: &[u8]) -> Result<Executable, Errno> {
    let (lookups, fs) = (&run.services.cache.lookups, &run.services.session.fs);
    let absolute = state.absolute(fs, path);
    if let Some(name) = lookups.command(fs, &absolute) {
        return Ok(Executable::Command(name));
    }
    let version = fs.version();
    let content = fs.read(&absolute).map_err(|error| match error {
        FsError::Errno(errno) => errno,
        FsError::Limit(_) => Errno::AccessDenied,
    })?;
    let bytes = content.as_bytes();
    if let Some(name) = marked_command(bytes) {
        let name = Text::from(name);
        lookups.keep_command(version, &absolute, &name);
        return Ok(Executable::Command(name));
    }
    let first_line = bytes.split(|&byte| byte == b'\n').next().unwrap_or(&[]);
    let Some(line) = first_line.strip_prefix(b"#!") else {
        let start = first_line.get(..first_line.len().min(80)).unwrap_or(first_line);
        if memchr::memchr(0, start).is_some() {
            return Ok(Executable::Binary);
        }
        return Ok(Executable::Shell { posix: false, options: Vec::new(), script: content });
    };
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let line = trim(line);
    let (interpreter, argument) = match line.iter().position(blank) {
        Some(at) => {
            let (interpreter, rest) = line.split_at(at);
            (interpreter, Some(trim(rest)))
        }
        None => (line, None),
    };
    let base =
        |path: &[u8]| path.rsplit(|&byte| byte == b'/').next().map(<[u8]>::to_metered).unwrap_or_default();
    let (mut name, mut options) = (base(interpreter), Vec::new());
    match (name.as_slice(), argument) {
        (b"env", Some(argument)) => {
            let mut words =
                argument.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty() && *word != b"-S");
            name = words.next().map(base).unwrap_or_default();
            options.extend(words.map(Text::from));
        }
        (_, Some(argument)) => options.push(Text::from(argument)),
        _ => {}
    }
    match name.as_slice() {
        b"bash" | b"sh" | b"dash" => {
            Ok(Executable::Shell { posix: name != b"bash", options, script: content })
        }
        _ => {
            Ok(Executable::Interpreter { path: Text::from(interpreter), argument: argument.map(Text::from) })
        }
    }
}

/// Without blanks around it. A carriage return is part of the name, as for the kernel.
fn trim(mut text: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = text {
        text = rest;
    }
    text
}

/// The mark of a file that stands for a command.
pub(crate) fn marked_command(content: &[u8]) -> Option<&[u8]> {
    let rest = content.strip_prefix(COMMAND_MARK)?;
    Some(rest.split(|&byte| byte == b'\n').next().unwrap_or(rest))
}
