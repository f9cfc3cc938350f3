//! `xargs`: builds commands from standard input and runs them. POSIX XCU xargs, GNU findutils xargs(1).

use super::format::quote::quote_if_needed;
use super::{CommandError, Relation, RunningCommand};
use crate::io::Description;
use crate::memory::{Arc, JoinText, String, ToDecimal, Vec, format, vec};
use crate::utility::format::escape::{Escape, Escapes};
use crate::utility::prelude::*;
use std::future::poll_fn;
use std::num::IntErrorKind;
use std::pin::Pin;
use std::task::Poll;

options! {
    enum Opt {
        Null = flag('0', "null", "items are separated by a null, not whitespace"),
        ArgFile = value('a', "arg-file", "FILE", "read arguments from FILE, not standard input"),
        Delimiter = value('d', "delimiter", "CHARACTER", "items in input stream are separated by CHARACTER"),
        End = value('E', "", "END", "set logical EOF string"),
        Eof = optional('e', "eof", "END", "as -E END; without END there is none"),
        ReplaceText = value('I', "", "R", "replace R in INITIAL-ARGS with names read from input, one a line"),
        Replace = optional('i', "replace", "R", "as -I, with {} where R is left out"),
        Lines = value('L', "", "MAX-LINES", "use at most MAX-LINES non-blank input lines per command line"),
        MaxLines = optional('l', "max-lines", "MAX-LINES", "as -L, with 1 where MAX-LINES is left out"),
        MaxArgs = value('n', "max-args", "MAX-ARGS", "use at most MAX-ARGS arguments per command line"),
        MaxProcs = value('P', "max-procs", "MAX-PROCS", "run at most MAX-PROCS processes at a time"),
        NoRunIfEmpty = flag('r', "no-run-if-empty", "if there are no arguments, then do not run COMMAND"),
        MaxChars = value('s', "max-chars", "MAX-CHARS", "limit length of command line to MAX-CHARS"),
        ShowLimits = flag('\0', "show-limits", "show the limits on the length of command lines"),
        SlotVariable = value('\0', "process-slot-var", "VAR", "set environment variable VAR in child processes"),
        Interactive = flag('p', "interactive", "prompt before running commands"),
        OpenTty = flag('o', "open-tty", "reopen stdin as /dev/tty in the child process"),
        Verbose = flag('t', "verbose", "print commands before executing them"),
        Exit = flag('x', "exit", "exit if the size (see -s) is exceeded"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "xargs",
    summary: "run COMMAND with arguments INITIAL-ARGS and more arguments read from input",
    usage: "xargs [OPTION]... COMMAND [INITIAL-ARGS]...",
    options: Opt::TABLE,
    examples: &[
        example("printf 'a b\\nc\\n' | xargs -n2 echo", "a b\nc\n"),
        example("printf 'a b\\nc\\n' | xargs -I{} echo '<{}>'", "<a b>\n<c>\n"),
    ],
    operands_end_options: true,
    run: start!(run),
    ..Utility::BASE
};

/// Bytes of one command line, each argument with a NUL.
const MAX_BYTES: u64 = 128 * 1024;
/// What is said of one argument that does not fit, and of several.
const LINE_TOO_LONG: &str = "argument line too long";
const LIST_TOO_LONG: &str = "argument list too long";
/// Most commands at a time where no bound is given.
const MAX_PROCESSES: u64 = 32;

/// What the options say.
struct XargsOptions {
    initial: Vec<Text>,
    replace: Option<Text>,
    max_args: Option<u64>,
    max_lines: Option<u64>,
    max_bytes: u64,
    exit_when_too_long: bool,
    /// Items end here and quotes mean nothing; `None`: blanks and quotes.
    delimiter: Option<u8>,
    end: Option<Text>,
    skip_empty: bool,
    verbose: bool,
    /// There is no terminal to ask, or to read from: the first command says so.
    asks: bool,
    opens_terminal: bool,
    /// The variable that has the number of a command's place.
    slot: Option<Text>,
    processes: u64,
    has_file: bool,
}

struct Runner {
    settings: XargsOptions,
    items: Vec<Text>,
    /// Bytes of `items`, and of the initial arguments.
    bytes: u64,
    initial_bytes: u64,
    lines: u64,
    running: Vec<(Text, u64, RunningCommand)>,
    status: ExitStatus,
    ran: bool,
}

/// Exit status: 0; 123 when a command failed, 124 when one ended with 255, 126 and 127 when one could not be started.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let settings = settings(ctx, &options)?;
    if settings.slot.as_ref().is_some_and(|name| name.contains(&b'=')) {
        let message = "option --process-slot-var may not be set to a value which includes `='";
        return Err(UtilityError::failed(message));
    }
    let mut input = match options.value(Opt::ArgFile) {
        Some(file) => ctx.open_input(file).map_err(|error| {
            let shown = format!("Cannot open input file ‘{file}’");
            UtilityError::operand(shown.as_bytes(), error)
        })?,
        None => ctx.standard_input(),
    };
    if options.has(Opt::ShowLimits) {
        show_limits(ctx, settings.max_bytes);
    }
    let initial_bytes = settings.initial.iter().map(|arg| arg.len() as u64 + 1).sum();
    let mut runner = Runner {
        settings,
        items: Vec::new(),
        bytes: 0,
        initial_bytes,
        lines: 0,
        running: Vec::new(),
        status: ExitStatus::SUCCESS,
        ran: false,
    };
    let read = match runner.settings.delimiter {
        Some(delimiter) => runner.read_delimited(ctx, &mut input, delimiter).await,
        None => runner.read_words(ctx, &mut input).await,
    };
    let read = match read {
        Ok(()) => runner.last(ctx).await,
        error => error,
    };
    runner.wait(ctx, 0).await?;
    read.map(|()| runner.status)
}

/// Tells the limits as the real program does on Linux, where the environment counts twice.
fn show_limits(ctx: &mut Context, used: u64) {
    /// Bytes that a kernel takes as arguments, less what POSIX wants to be left free.
    const SYSTEM: u64 = (2 << 20) - 2048;
    let environment: u64 = ctx.env.iter().map(|(name, value)| (name.len() + value.len() + 2) as u64).sum();
    let upper = SYSTEM.saturating_sub(environment);
    let text = format!(
        "Your environment variables take up {environment} bytes\n\
         POSIX upper limit on argument length (this system): {upper}\n\
         POSIX smallest allowable upper limit on argument length (all systems): 4096\n\
         Maximum length of command we could actually use: {}\n\
         Size of command buffer we are actually using: {used}\n\
         Maximum parallelism (--max-procs must be no greater): 2147483647\n",
        upper.saturating_sub(environment)
    );
    ctx.stderr.push(text.as_bytes());
    ctx.stderr.flush_now();
}

/// The number that an option was given, taken as C's `strtol` does: white space before it, and no more than fits.
fn number(option: Opt, text: &Text) -> Result<i64, UtilityError> {
    match std::str::from_utf8(text.trim_ascii_start()).ok().map(str::parse::<i64>) {
        Some(Ok(value)) => Ok(value),
        Some(Err(error)) if *error.kind() == IntErrorKind::PosOverflow => Ok(i64::MAX),
        Some(Err(error)) if *error.kind() == IntErrorKind::NegOverflow => Ok(i64::MIN),
        _ => Err(UtilityError::Usage(format!("invalid number \"{text}\" for -{} option", option.short()))),
    }
}

/// The number that an option was given, which is `least` or more.
fn bounded(option: Opt, text: &Text, least: u64) -> Result<u64, UtilityError> {
    u64::try_from(number(option, text)?).ok().filter(|value| *value >= least).ok_or_else(|| {
        let name = option.short();
        UtilityError::Usage(format!("value {text} for -{name} option should be >= {least}"))
    })
}

/// Which items make a command line. Of the three kinds of options the last one counts, and those before are told of.
#[derive(Default)]
struct Grouping {
    replace: Option<Text>,
    max_lines: Option<u64>,
    max_args: Option<u64>,
}

impl Grouping {
    fn of(ctx: &mut Context, options: &Options<Opt>) -> Result<Self, UtilityError> {
        let mut kept = Self::default();
        for (option, argument) in options.given() {
            let count = |default: u64| argument.map_or(Ok(default), |text| bounded(option, text, 1));
            match option {
                Opt::ReplaceText | Opt::Replace => {
                    kept.drop_lines(ctx, "--replace/-I/-i");
                    kept.drop_args(ctx, "--replace/-I/-i");
                    kept.replace = Some(argument.cloned().unwrap_or_else(|| Text::from_static(b"{}")));
                }
                Opt::Lines | Opt::MaxLines => {
                    let name = if option == Opt::Lines { "-L" } else { "--max-lines/-l" };
                    kept.max_lines = Some(count(1)?);
                    kept.drop_args(ctx, name);
                    kept.drop_replace(ctx, name);
                }
                Opt::MaxArgs => {
                    kept.max_args = Some(count(1)?);
                    kept.drop_lines(ctx, "--max-args/-n");
                    // An item that replaces is a command line anyway.
                    if kept.max_args == Some(1) && kept.replace.is_some() {
                        kept.max_args = None;
                    } else {
                        kept.drop_replace(ctx, "--max-args/-n");
                    }
                }
                _ => {}
            }
        }
        Ok(kept)
    }

    fn drop_lines(&mut self, ctx: &mut Context, for_option: &str) {
        if self.max_lines.take().is_some() {
            exclusive(ctx, "--max-lines", for_option);
        }
    }

    fn drop_args(&mut self, ctx: &mut Context, for_option: &str) {
        if self.max_args.take().is_some() {
            exclusive(ctx, "--max-args", for_option);
        }
    }

    fn drop_replace(&mut self, ctx: &mut Context, for_option: &str) {
        if self.replace.take().is_some() {
            exclusive(ctx, "--replace", for_option);
        }
    }
}

fn exclusive(ctx: &mut Context, dropped: &str, kept: &str) {
    ctx.warn(format_args!(
        "warning: options {dropped} and {kept} are mutually exclusive, ignoring previous {dropped} value"
    ));
}

/// The bytes of a command line; too few are told of, and are one.
fn max_bytes(ctx: &mut Context, given: Option<&Text>) -> Result<u64, UtilityError> {
    let Some(text) = given else { return Ok(MAX_BYTES) };
    let value = number(Opt::MaxChars, text)?;
    if value < 1 {
        ctx.warn(format_args!("value {text} for -s option should be >= 1"));
    }
    Ok(u64::try_from(value).unwrap_or(1).max(1))
}

fn settings(ctx: &mut Context, options: &Options<Opt>) -> Result<XargsOptions, UtilityError> {
    let Grouping { replace, max_lines, max_args } = Grouping::of(ctx, options)?;
    let ends = options.given().filter(|(option, _)| matches!(option, Opt::End | Opt::Eof));
    let last_end = ends.last().and_then(|(_, end)| end);
    let initial =
        if options.operands.is_empty() { vec![Text::from_static(b"echo")] } else { options.operands.clone() };
    Ok(XargsOptions {
        initial,
        max_args,
        max_lines,
        max_bytes: max_bytes(ctx, options.value(Opt::MaxChars))?,
        exit_when_too_long: options.has(Opt::Exit) || replace.is_some() || max_lines.is_some(),
        delimiter: match options.last_of([Opt::Null, Opt::Delimiter]) {
            Some(Opt::Null) => Some(0),
            Some(_) => {
                Some(delimiter(options.value(Opt::Delimiter).map_or(&b""[..], |text| text.as_bytes()))?)
            }
            None => None,
        },
        end: last_end.filter(|text| !text.is_empty()).cloned(),
        skip_empty: options.has(Opt::NoRunIfEmpty) || replace.is_some(),
        verbose: options.has(Opt::Verbose),
        asks: options.has(Opt::Interactive),
        opens_terminal: options.has(Opt::OpenTty),
        slot: options.value(Opt::SlotVariable).cloned(),
        processes: match options.value(Opt::MaxProcs) {
            Some(text) => {
                Some(bounded(Opt::MaxProcs, text, 0)?).filter(|count| *count > 0).unwrap_or(MAX_PROCESSES)
            }
            None => 1,
        },
        has_file: options.has(Opt::ArgFile),
        replace,
    })
}

/// A character, or an escape as in C.
fn delimiter(text: &[u8]) -> Result<u8, UtilityError> {
    let radix = |digits: &[u8], radix| {
        let text = std::str::from_utf8(digits).ok()?;
        u8::from_str_radix(text, radix).ok()
    };
    let byte = match text {
        [byte] => Some(*byte),
        [b'\\', letter] if let (Escape::Byte(byte), _) = Escapes::XARGS.read(&[*letter]) => Some(byte),
        [b'\\', b'x', digits @ ..] => radix(digits, 16),
        [b'\\', digits @ ..] => radix(digits, 8),
        _ => None,
    };
    byte.ok_or_else(|| {
        let shown = String::from_utf8_lossy(text);
        UtilityError::failed(format!(
            "Invalid input delimiter specification {shown}: the delimiter must be either a single character or an \
             escape sequence starting with \\."
        ))
    })
}

fn reading(error: FsError) -> UtilityError {
    UtilityError::operand(b"read error", error)
}

impl Runner {
    async fn read_delimited(
        &mut self,
        ctx: &mut Context,
        input: &mut Input,
        delimiter: u8,
    ) -> Result<(), UtilityError> {
        while let Some(item) = input.next_line(delimiter).await.map_err(reading)? {
            let item = Text::from(item.strip_suffix(&[delimiter]).unwrap_or(item));
            ctx.tick().await?;
            self.item(ctx, item).await?;
            self.line_ends(ctx).await?;
        }
        Ok(())
    }

    /// Blanks separate; quotes and backslashes quote. With `-I` a line is an item.
    async fn read_words(&mut self, ctx: &mut Context, input: &mut Input) -> Result<(), UtilityError> {
        let by_line = self.settings.replace.is_some();
        let mut word: Option<Vec<u8>> = None;
        while let Some(line) = input.next_line(b'\n').await.map_err(reading)? {
            ctx.tick().await?;
            let line = Text::from(line);
            let (body, has_newline) = match line.split_last() {
                Some((b'\n', body)) => (body, true),
                _ => (line.as_bytes(), false),
            };
            let (mut quote, mut at, mut continued) = (None, 0, false);
            let mut words: Vec<Vec<u8>> = Vec::new();
            while let Some(&byte) = body.get(at) {
                at += 1;
                match (byte, quote) {
                    (_, Some(open)) if byte == open => quote = None,
                    (_, Some(_)) => word.get_or_insert_default().push(byte),
                    (b'\'' | b'"', None) => {
                        quote = Some(byte);
                        word.get_or_insert_default();
                    }
                    (b'\\', None) => match body.get(at) {
                        Some(&next) => {
                            at += 1;
                            word.get_or_insert_default().push(next);
                        }
                        None if has_newline => {
                            word.get_or_insert_default().push(b'\n');
                            continued = true;
                        }
                        None => {}
                    },
                    (b' ' | b'\t', None) if by_line && word.is_some() => {
                        word.get_or_insert_default().push(byte);
                    }
                    (b' ' | b'\t', None) => words.extend(word.take()),
                    // Before the item of `-I`, other white space does not count either.
                    (0x0b | 0x0c | b'\r', None) if by_line && word.is_none() => {}
                    (_, None) => word.get_or_insert_default().push(byte),
                }
            }
            if let Some(open) = quote {
                let kind = if open == b'"' { "double" } else { "single" };
                if self.settings.replace.is_none() {
                    for word in words {
                        self.item(ctx, Text::from(word)).await?;
                    }
                }
                if !self.settings.exit_when_too_long {
                    self.flush(ctx).await?;
                }
                return Err(UtilityError::failed(format!(
                    "unmatched {kind} quote; by default quotes are special to xargs unless you use the -0 option"
                )));
            }
            if !continued {
                words.extend(word.take());
            }
            let is_blank = words.is_empty();
            for word in words {
                ctx.tick().await?;
                if self.settings.end.as_ref().is_some_and(|end| **end == *word.as_slice()) {
                    return Ok(());
                }
                self.item(ctx, Text::from(word)).await?;
            }
            let goes_on = matches!(body.last(), Some(b' ' | b'\t')) || continued;
            if !(is_blank || (goes_on && self.settings.max_lines.is_some())) {
                self.line_ends(ctx).await?;
            }
        }
        match word {
            Some(word) => self.item(ctx, Text::from(word)).await,
            None => Ok(()),
        }
    }

    async fn item(&mut self, ctx: &mut Context, item: Text) -> Result<(), UtilityError> {
        if self.settings.replace.is_some() {
            return self.replaced(ctx, &item).await;
        }
        let most = self.settings.max_bytes;
        if self.initial_bytes > most {
            return Err(UtilityError::failed("cannot fit single argument within argument list size limit"));
        }
        let size = item.len() as u64 + 1;
        if self.initial_bytes + size > most {
            if !self.settings.exit_when_too_long {
                self.flush(ctx).await?;
            }
            return Err(UtilityError::failed(LINE_TOO_LONG));
        }
        if self.initial_bytes + self.bytes + size > most {
            let has_count = self.settings.max_lines.is_some() || self.settings.max_args.is_some();
            if self.settings.exit_when_too_long && has_count {
                return Err(UtilityError::failed(LIST_TOO_LONG));
            }
            self.flush(ctx).await?;
        }
        self.bytes += size;
        self.items.push(item);
        if self.settings.max_args.is_some_and(|most| self.items.len() as u64 >= most) {
            self.flush(ctx).await?;
        }
        Ok(())
    }

    async fn line_ends(&mut self, ctx: &mut Context) -> Result<(), UtilityError> {
        self.lines += 1;
        if self.settings.max_lines.is_some_and(|most| self.lines >= most) {
            self.flush(ctx).await?;
        }
        Ok(())
    }

    /// Runs a command for one item that replaces a string in the arguments.
    async fn replaced(&mut self, ctx: &mut Context, item: &Text) -> Result<(), UtilityError> {
        let mark = self.settings.replace.clone().unwrap_or_default();
        let Some((name, args)) = self.settings.initial.split_first() else { return Ok(()) };
        let most = self.settings.max_bytes;
        if item.len() as u64 >= most {
            return Err(UtilityError::failed(LINE_TOO_LONG));
        }
        // The whole is measured before any of it is built.
        let mut size = name.len() as u64 + 1;
        for arg in args {
            ctx.tick().await?;
            let length = replaced_length(arg, &mark, item).saturating_add(1);
            if length >= most {
                return Err(UtilityError::failed("command too long"));
            }
            size = size.saturating_add(length);
        }
        if size > most {
            return Err(UtilityError::failed(LIST_TOO_LONG));
        }
        let mut argv = vec![name.clone()];
        for arg in args {
            ctx.tick().await?;
            argv.push(replace(arg, &mark, item));
        }
        self.start(ctx, argv).await
    }

    /// Runs a command with the items collected so far, if there are any.
    async fn flush(&mut self, ctx: &mut Context) -> Result<(), UtilityError> {
        self.lines = 0;
        if self.items.is_empty() {
            return Ok(());
        }
        let mut argv = self.settings.initial.clone();
        argv.append(&mut self.items);
        self.bytes = 0;
        self.start(ctx, argv).await
    }

    async fn last(&mut self, ctx: &mut Context) -> Result<(), UtilityError> {
        self.flush(ctx).await?;
        if !self.ran && !self.settings.skip_empty {
            let argv = self.settings.initial.clone();
            self.start(ctx, argv).await?;
        }
        Ok(())
    }

    async fn start(&mut self, ctx: &mut Context, argv: Vec<Text>) -> Result<(), UtilityError> {
        self.ran = true;
        self.wait(ctx, self.settings.processes.saturating_sub(1) as usize).await?;
        ctx.stdout.flush().await?;
        if self.settings.verbose || self.settings.asks {
            let shown: Vec<String> = argv.iter().map(|arg| quote_if_needed(arg)).collect();
            let end = if self.settings.asks { "" } else { "\n" };
            ctx.stderr.push(format!("{}{end}", shown.join_text(" ")).as_bytes());
            ctx.stderr.flush().await?;
        }
        let no_terminal = Errno::NoDeviceOrAddress.message();
        if self.settings.asks {
            return Err(UtilityError::failed(format!("failed to open /dev/tty for reading: {no_terminal}")));
        }
        if self.settings.opens_terminal {
            return Err(UtilityError::Failed {
                message: format!("‘/dev/tty’: {no_terminal}"), status: 125
            });
        }
        let name = argv.first().cloned().unwrap_or_default();
        let mut request = ctx.command(argv);
        if !self.settings.has_file {
            request.stdin = Some(Description::null());
        }
        let taken = |slot: &u64| self.running.iter().any(|(_, other, _)| other == slot);
        let slot = (0..self.settings.processes).find(|slot| !taken(slot)).unwrap_or(0);
        if let Some(variable) = &self.settings.slot {
            Arc::make_mut(&mut request.environment)
                .set(variable.clone(), Text::from(slot.to_decimal().as_bytes()));
        }
        self.running.push((name, slot, ctx.start_command(request, Relation::Child)));
        if self.settings.processes == 1 {
            self.wait(ctx, 0).await?;
        }
        Ok(())
    }

    /// Waits until at most `most` commands run.
    async fn wait(&mut self, ctx: &mut Context, most: usize) -> Result<(), UtilityError> {
        while self.running.len() > most {
            let running = &mut self.running;
            let (index, result) = poll_fn(|cx| {
                for (index, (_, _, future)) in running.iter_mut().enumerate() {
                    if let Poll::Ready(result) = Pin::new(future).poll(cx) {
                        return Poll::Ready((index, result));
                    }
                }
                Poll::Pending
            })
            .await;
            let (name, _, future) = self.running.remove(index);
            drop(future);
            self.ended(ctx, &name, result)?;
        }
        Ok(())
    }

    fn ended(
        &mut self,
        ctx: &mut Context,
        name: &Text,
        result: Result<ExitStatus, CommandError>,
    ) -> Result<(), UtilityError> {
        match result {
            Ok(ExitStatus(0)) => Ok(()),
            Ok(ExitStatus(255)) => Err(UtilityError::Failed {
                message: format!("{name}: exited with status 255; aborting"),
                status: 124,
            }),
            Ok(_) => {
                self.status = ExitStatus(123);
                Ok(())
            }
            Err(CommandError::Limit(limit)) => Err(limit.into()),
            Err(error) => {
                ctx.warn(format_args!("{}: {error}", quote_if_needed(name)));
                let status = if error == CommandError::NotFound {
                    ExitStatus::NOT_FOUND
                } else {
                    ExitStatus::NOT_EXECUTABLE
                };
                Err(UtilityError::Exit(status))
            }
        }
    }
}

/// The length of `arg` when `mark` is replaced by `item`.
fn replaced_length(arg: &[u8], mark: &[u8], item: &[u8]) -> u64 {
    if mark.is_empty() {
        return arg.len() as u64;
    }
    let count = memchr::memmem::find_iter(arg, mark).count() as u64;
    arg.len() as u64 - count * mark.len() as u64 + count.saturating_mul(item.len() as u64)
}

fn replace(arg: &Text, mark: &[u8], item: &[u8]) -> Text {
    if mark.is_empty() || memchr::memmem::find(arg, mark).is_none() {
        return arg.clone();
    }
    let mut out = Vec::with_capacity(arg.len() + item.len());
    let mut rest: &[u8] = arg;
    while let Some(at) = memchr::memmem::find(rest, mark) {
        out.extend_from_slice(rest.get(..at).unwrap_or(&[]));
        out.extend_from_slice(item);
        rest = rest.get(at + mark.len()..).unwrap_or(&[]);
    }
    out.extend_from_slice(rest);
    Text::from(out)
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::run;

    #[test]
    fn items_become_arguments() {
        let rows: [(&[&str], &str, &str); 12] = [
            (&["c"], "a b\n'c d' \"e\" f\\ g\n", "c a b c d e f g\n"),
            (&["-n", "2", "c"], "1 2 3\n", "c 1 2\nc 3\n"),
            (&["-L", "1", "c"], "1 2\n\n3 \n4\n5\n", "c 1 2\nc 3 4\nc 5\n"),
            (&["-I", "{}", "c", "<{}{}>"], "  a b\n\nc\n", "c <a ba b>\nc <cc>\n"),
            (&["-0", "c"], "a\nb\0c\0", "c a\nb c\n"),
            (&["-d", ",", "-n1", "c"], "a,b c", "c a\nc b c\n"),
            (&["c"], "", "c\n"),
            (&["-r", "c"], "", ""),
            (&[], "x", "echo x\n"),
            (&["-E", "stop", "c"], "a stop b", "c a\n"),
            (&["-s", "6", "c"], "aa bb", "c aa\nc bb\n"),
            (&["-P", "4", "-n1", "c"], "1 2 3", "c 1\nc 2\nc 3\n"),
        ];
        for (args, stdin, want) in rows {
            let outcome = run("xargs", args, stdin.as_bytes(), &[]);
            assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), (want, ""), "{args:?}");
        }
    }

    #[test]
    fn errors() {
        let outcome = run("xargs", &["c"], b"a q'b\n", &[]);
        assert_eq!(
            outcome.stderr,
            "xargs: unmatched single quote; by default quotes are special to xargs unless you use the -0 option\n"
        );
        assert_eq!((outcome.stdout.as_str(), outcome.status), ("c a\n", 1));
        let outcome = run("xargs", &["-n", "x"], b"", &[]);
        assert_eq!(
            outcome.stderr,
            "xargs: invalid number \"x\" for -n option\nTry 'xargs --help' for more information.\n"
        );
    }
}
