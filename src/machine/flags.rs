//! `bash` and `sh` as commands: their options and operands. Bash manual 6.1.

use super::halt::Step;
use super::option::{self, OPTIONS, ShellOption};
use super::process::Process;
use super::run::Run;
use super::script_input::{SCRIPT_DESCRIPTOR, ScriptFile};
use super::start::Start;
use super::strings::Strings;
use super::trap::Traps;
use crate::io::DescriptorTable;
use crate::memory::{Arc, Box, Bytes, String, ToMetered, Vec, VecDeque, format, vec};
use crate::program::Program;
use crate::text::Text;
use crate::utility::format::signal::SignalSet;
use crate::utility::{CommandError, CommandRequest, DescriptorHandles, Environment};
use crate::vfs::{Content, Errno, FsError, Place};

/// A shell that is to be started.
pub(crate) struct ShellRequest {
    pub(crate) name: Text,
    pub(crate) args: Vec<Text>,
    pub(crate) environment: Environment,
    pub(crate) posix: bool,
    /// The content of the script, when it was read already.
    pub(crate) script: Option<Content>,
    pub(crate) cwd: Text,
    pub(crate) place: Place,
    pub(crate) descriptors: DescriptorTable,
    pub(crate) parent_pid: u32,
    pub(crate) group: u32,
    pub(crate) umask: u32,
}

/// Options of an invocation of the shell. Bash manual 6.1.
#[derive(Debug, Default)]
pub(crate) struct Flags {
    pub(crate) command: bool,
    pub(crate) stdin: bool,
    pub(crate) interactive: bool,
    pub(crate) login: bool,
    pub(crate) no_rc: bool,
    pub(crate) no_profile: bool,
    pub(crate) rc_file: Option<Text>,
    pub(crate) set: Vec<(ShellOption, bool)>,
    /// The texts of `$"..."` are printed, and nothing is run.
    pub(crate) strings: Option<Strings>,
}

/// The script that an operand names.
enum Source {
    Text(Bytes, Option<Box<ScriptFile>>),
    /// It is not a regular file: it is read while it runs.
    Stream(Arc<crate::io::Description>),
}

/// Reads the script at `path`; `known` is its content where that was read before. What refuses it is a message and a
/// status.
fn script_file(
    run: &Run,
    known: Option<Content>,
    request: &ShellRequest,
    path: &Text,
) -> Step<Result<Source, (String, u8)>> {
    let files = &run.services.session.fs;
    let absolute = crate::vfs::path::join(&request.place.path(files), path);
    let content = match known.map_or_else(|| run.services.session.fs.read(&absolute), Ok) {
        Ok(content) => content,
        Err(FsError::Limit(limit)) => return Err(limit.into()),
        Err(FsError::Errno(Errno::IsDirectory)) => {
            run.note_missing(path, Errno::IsDirectory);
            return Ok(Err((format!("{path}: {path}: Is a directory\n"), 126)));
        }
        Err(FsError::Errno(errno)) => {
            if let Some(description) = stream(run, &absolute, &request.descriptors) {
                return Ok(Ok(Source::Stream(description)));
            }
            run.note_missing(path, errno);
            let status = if errno == Errno::NotFound { 127 } else { 126 };
            return Ok(Err((format!("{}: {path}: {}\n", request.name, errno.message()), status)));
        }
    };
    let bytes = content.as_bytes();
    let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or(&[]);
    if memchr::memchr(0, line.get(..line.len().min(80)).unwrap_or(line)).is_some() {
        run.note_missing(path, Errno::ExecFormat);
        return Ok(Err((format!("{path}: {path}: cannot execute binary file\n"), 126)));
    }
    if memchr::memchr(0, bytes).is_some() {
        let kept: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != 0).collect();
        return Ok(Ok(Source::Text(Bytes::from(kept), None)));
    }
    let file = ScriptFile::new(absolute, bytes);
    Ok(Ok(Source::Text(Bytes::from(bytes), Some(Box::new(file)))))
}

/// Makes the process of `bash ARGS`. `Err`: what to print, and the status.
pub(crate) fn shell_process(
    run: &mut Run,
    pid: u32,
    mut request: ShellRequest,
) -> Step<Result<Box<Process>, (String, u8)>> {
    let mut flags = Flags { login: request.name.starts_with(b"-"), ..Flags::default() };
    let mut args = VecDeque::from(std::mem::take(&mut request.args));
    if let Err(refusal) = take_flags(&mut flags, &mut args, &request.name) {
        return Ok(Err(refusal));
    }
    let mut script = None;
    // A script that is not a regular file: it is read through a descriptor.
    let mut descriptor = None;
    let mut file = None;
    let (arg0, path);
    if flags.command {
        let Some(text) = args.pop_front() else {
            return Ok(Err((format!("{}: -c: option requires an argument\n", request.name), 2)));
        };
        script = Some(Bytes::from(text.as_bytes()));
        arg0 = args.pop_front().unwrap_or_else(|| request.name.clone());
        path = Text::EMPTY;
    } else if let (false, Some(name)) = (flags.stdin, args.front()) {
        path = name.clone();
        arg0 = path.clone();
        args.pop_front();
        match script_file(run, request.script.take(), &request, &path)? {
            Ok(Source::Text(text, from)) => (script, file) = (Some(text), from),
            Ok(Source::Stream(description)) => descriptor = Some(description),
            Err(refusal) => return Ok(Err(refusal)),
        }
    } else {
        arg0 = request.name.clone();
        path = Text::EMPTY;
    }
    let start = Start {
        arg0,
        args: args.into(),
        environment: request.environment,
        cwd: request.cwd,
        place: Some(request.place),
        descriptors: request.descriptors,
        command_string: flags.command,
        script: path,
        posix: request.posix,
        parent_pid: request.parent_pid,
        group: Some(request.group),
        umask: Some(request.umask),
        template: None,
    };
    let inherits_directory = start.environment.get(b"PWD").is_some();
    let mut boxed = Process::new_shell(run, pid, start)?;
    let process = &mut *boxed;
    process.control.script = file;
    if !inherits_directory {
        process.shell.take_physical_directory(run);
    }
    if flags.interactive {
        process.shell.install_interactive(run);
    }
    for (option, on) in std::mem::take(&mut flags.set) {
        process.shell.state.options.set(option, on);
        if option == ShellOption::Posix {
            process.shell.variables.show_posix(on);
        }
    }
    process.shell.state.options.set(ShellOption::LoginShell, flags.login);
    if process.shell.state.options.has(ShellOption::RestrictedShell) {
        super::start::fix_restricted_variables(&mut process.shell.variables);
    }
    if let Some(form) = flags.strings
        && let Err(refusal) = print_strings(process, run, script.as_ref(), form)
    {
        return Ok(Err(refusal));
    }
    let startup = process.shell.startup_files(run, &flags);
    process.control.compiles_at_once = !startup.is_empty();
    match script {
        Some(script) => process.control.start_main(&mut process.shell, run, &script)?,
        None => {
            if let Some(description) = descriptor {
                let _ = process.shell.state.descriptors.replace(SCRIPT_DESCRIPTOR, Some(description));
            }
            process.shell.code.program = Arc::new(Program {
                code: vec![crate::program::Op::RunStandardInput, crate::program::Op::End],
                lines: vec![0, 0],
                ..Program::default()
            });
            if process.shell.state.invoked.interactive
                && process.shell.state.options.has(ShellOption::History)
            {
                process.shell.history(run).load();
            }
        }
    }
    for path in startup.into_iter().rev() {
        process.control.start_startup_file(&mut process.shell, run, &path)?;
    }
    Ok(Ok(boxed))
}

/// `-D`: prints the strings to translate; the script will not be run. `Err`: what to print, and the status.
fn print_strings(
    process: &mut Process,
    run: &Run,
    script: Option<&Bytes>,
    form: Strings,
) -> Result<(), (String, u8)> {
    let name = process.shell.state.invoked.arg0.clone();
    let Some(script) = script else {
        let message = "strings of standard input are not printed: name a script or give -c";
        return Err((format!("{name}: -D: {message}\n"), 2));
    };
    let text = super::strings::printed(script, &name, form, run.services.meter.limits().syntax_depth);
    if let Some(output) = process.shell.state.descriptors.get(1).cloned() {
        process.shell.outputs.write(output, &text);
    }
    process.shell.state.options.set(ShellOption::NoExec, true);
    Ok(())
}

/// A FIFO, a device or a descriptor of the caller (`/dev/fd/63`) that a script can be read from.
fn stream(run: &Run, path: &[u8], descriptors: &DescriptorTable) -> Option<Arc<crate::io::Description>> {
    let session = &run.services.session;
    let options = crate::vfs::OpenOptions { read: true, ..crate::vfs::OpenOptions::default() };
    let opened =
        crate::io::Description::open(&session.fs, &session.fifos, &session.random, path, &options).ok()?;
    match opened {
        crate::io::OpenedPath::Description(description) => Some(description),
        crate::io::OpenedPath::Descriptor(number) => descriptors.get(number).cloned(),
    }
}

/// Reads the options. `Err`: what to print, and the status.
fn take_flags(flags: &mut Flags, args: &mut VecDeque<Text>, name: &Text) -> Result<(), (String, u8)> {
    while let Some(arg) = args.front().cloned() {
        let on = match arg.as_bytes() {
            b"-" | b"--" => {
                args.pop_front();
                return Ok(());
            }
            [b'-', b'-', long @ ..] => {
                args.pop_front();
                match long {
                    b"posix" => flags.set.push((ShellOption::Posix, true)),
                    b"norc" => flags.no_rc = true,
                    b"noprofile" => flags.no_profile = true,
                    b"login" => flags.login = true,
                    b"verbose" => flags.set.push((ShellOption::Verbose, true)),
                    b"noediting" => flags.set.push((ShellOption::Emacs, false)),
                    b"restricted" => flags.set.push((ShellOption::RestrictedShell, true)),
                    b"dump-strings" => flags.strings = Some(Strings::Plain),
                    b"dump-po-strings" => flags.strings = Some(Strings::Portable),
                    b"version" => return Err((VERSION.to_metered(), 0)),
                    b"help" => return Err((help(), 0)),
                    b"rcfile" | b"init-file" => match args.pop_front() {
                        Some(file) => flags.rc_file = Some(file),
                        None => return Err((format!("{name}: {arg}: option requires an argument\n"), 2)),
                    },
                    _ => return Err((format!("{name}: {arg}: invalid option\n{}", usage()), 2)),
                }
                continue;
            }
            [b'-', ..] => true,
            [b'+', ..] => false,
            _ => return Ok(()),
        };
        args.pop_front();
        for &letter in arg.iter().skip(1) {
            match letter {
                b'c' => flags.command = true,
                b's' => flags.stdin = true,
                b'i' => flags.interactive = on,
                b'l' => flags.login = true,
                b'D' => flags.strings = on.then_some(Strings::Plain),
                b'o' | b'O' => {
                    let Some(option) = args.pop_front() else { continue };
                    match option::find(&option, letter == b'o') {
                        Some(found) => flags.set.push((found, on)),
                        None => return Err((format!("{name}: {option}: invalid option name\n"), 2)),
                    }
                }
                letter => match option::find_letter(letter) {
                    Some(found) => flags.set.push((found, on)),
                    None => {
                        let (sign, letter) = (if on { '-' } else { '+' }, char::from(letter));
                        return Err((format!("{name}: {sign}{letter}: invalid option\n{}", usage()), 2));
                    }
                },
            }
        }
    }
    Ok(())
}

/// What `bash --version` says first.
const VERSION: &str = "GNU bash, version 5.2.15(1)-release (x86_64-pc-linux-gnu)\n";

/// Options by their names, in order.
const LONG: [&str; 13] = [
    "dump-po-strings",
    "dump-strings",
    "help",
    "init-file",
    "login",
    "noediting",
    "noprofile",
    "norc",
    "posix",
    "rcfile",
    "restricted",
    "verbose",
    "version",
];

/// What follows the message about an option that there is not.
fn usage() -> String {
    let mut text = String::from("Usage:\tbash [GNU long option] [option] ...\n");
    text.push_str("\tbash [GNU long option] [option] script-file ...\nGNU long options:\n");
    for name in LONG {
        text.push_str(&format!("\t--{name}\n"));
    }
    text.push_str("Shell options:\n\t-ilrsD or -c command or -O shopt_option\t\t(invocation only)\n\t-");
    let letters = |is_upper: bool| {
        let mut letters: Vec<u8> = OPTIONS.iter().filter_map(|row| row.letter).collect();
        letters.retain(|letter| letter.is_ascii_uppercase() == is_upper && *letter != b'r');
        letters.sort_unstable();
        letters.into_iter().map(char::from)
    };
    text.extend(letters(false).chain(letters(true)));
    text.push_str(" or -o option\n");
    text
}

/// What `bash --help` says.
fn help() -> String {
    let mut text = format!("{VERSION}Usage:\tbash [options] script-file [argument ...]\n");
    text.push_str("\tbash [options] -c command [name [argument ...]]\n\tbash [options] -s [argument ...]\n");
    text.push_str(
        "Options:\n\t--help, --version, --login, --noediting, --noprofile, --norc, --posix, --verbose\n",
    );
    text.push_str(
        "\t--rcfile file, --init-file file\n\t-i, -l, -c command, -s, -O shopt_option, -o option\n\t-",
    );
    text.extend(OPTIONS.iter().filter_map(|row| row.letter).map(char::from));
    text.push('\n');
    text
}

impl Process {
    /// A process for a command that a utility asked for, in this process group or in one of its own.
    pub(crate) fn for_request(
        run: &mut Run,
        request: CommandRequest,
        descriptors: DescriptorHandles,
        group: Option<u32>,
        ignored: SignalSet,
    ) -> Result<Box<Self>, CommandError> {
        let limit = |halt| match halt {
            super::halt::Halt::Limit(error) => CommandError::Limit(error),
            _ => CommandError::NotFound,
        };
        let pid = run.new_pid();
        let mut table = descriptors.0;
        if let Some(stdin) = request.stdin {
            let _ = table.replace(0, Some(stdin));
        }
        if let Some(stdout) = request.stdout {
            let _ = table.replace(1, Some(stdout));
        }
        let start = Start {
            arg0: Text::from_static(b"bash"),
            environment: request.environment.as_ref().clone(),
            cwd: request.cwd,
            place: None,
            descriptors: table,
            parent_pid: 1,
            group,
            ..Start::default()
        };
        let mut boxed = Self::new_shell(run, pid, start).map_err(limit)?;
        let process = &mut *boxed;
        let Some(name) = request.argv.first() else { return Err(CommandError::NotFound) };
        match process.x.search(&mut process.shell, run, name) {
            super::executable::Found::Path(_) => {}
            super::executable::Found::Missing => {
                run.note_not_found(name);
                return Err(CommandError::NotFound);
            }
            super::executable::Found::NotExecutable(path, errno) => {
                run.note_missing(&path, errno);
                return Err(CommandError::NotExecutable);
            }
        }
        process.control.becomes_command = true;
        let ignored = ignored.without(request.defaults).with(request.ignores);
        if ignored != SignalSet::default() {
            process.shell.state.traps = Arc::new(Traps::ignoring(ignored));
        }
        process.x.fields = request.argv;
        // No shell stands between: nothing that one sets is there.
        process.shell.state.environment = Some((process.shell.variables.exports, request.environment));
        process.shell.code.program = Arc::new(Program {
            code: vec![crate::program::Op::ExecuteExternal, crate::program::Op::End],
            lines: vec![0, 0],
            ..Program::default()
        });
        Ok(boxed)
    }
}
