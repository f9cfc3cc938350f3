//! `time`: runs a command, then says what it used. GNU time(1). In a sandbox only the wall clock is measured: processor
//! time, memory, page faults and the like are 0. (`time` without a path in front of a pipeline is the shell's own.)

use super::CommandError;
use crate::limit::{LimitError, Meter};
use crate::memory::{ToDecimal, ToMetered, Vec, format};
use crate::utility::prelude::*;
use std::time::Duration;

options! {
    enum Opt {
        Append = flag('a', "append", "with -o FILE, append instead of overwriting"),
        Format = value('f', "format", "FORMAT", "use the specified FORMAT instead of the default"),
        Output = value('o', "output", "FILE", "write to FILE instead of standard error"),
        Portability = flag('p', "portability", "print the POSIX format: real %e, user %U, sys %S"),
        Quiet = flag('q', "quiet", "do not print information about abnormal program termination"),
        Verbose = flag('v', "verbose", "print all resource usage information"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "time",
    summary: "run COMMAND, then print the time that it took",
    usage: "time [OPTION]... COMMAND [ARG]...",
    options: Opt::TABLE,
    examples: &[example(
        "command time -f '%C: %x' false 2>&1",
        "Command exited with non-zero status 1\nfalse: 1\n",
    )],
    usage_status: 125,
    operands_end_options: true,
    run: start!(run),
    help_letter: Some('h'),
    version_letter: Some('V'),
};

const DEFAULT: &[u8] = b"%Uuser %Ssystem %Eelapsed %PCPU (%Xavgtext+%Davgdata %Mmaxresident)k\n\
%Iinputs+%Ooutputs (%Fmajor+%Rminor)pagefaults %Wswaps";
const POSIX: &[u8] = b"real %e\nuser %U\nsys %S";
const VERBOSE: &[u8] =
    b"\tCommand being timed: \"%C\"\n\tUser time (seconds): %U\n\tSystem time (seconds): %S\n\
\tPercent of CPU this job got: %P\n\tElapsed (wall clock) time (h:mm:ss or m:ss): %E\n\
\tAverage shared text size (kbytes): %X\n\tAverage unshared data size (kbytes): %D\n\
\tAverage stack size (kbytes): %p\n\tAverage total size (kbytes): %K\n\
\tMaximum resident set size (kbytes): %M\n\tAverage resident set size (kbytes): %t\n\
\tMajor (requiring I/O) page faults: %F\n\tMinor (reclaiming a frame) page faults: %R\n\
\tVoluntary context switches: %w\n\tInvoluntary context switches: %c\n\tSwaps: %W\n\tFile system inputs: %I\n\
\tFile system outputs: %O\n\tSocket messages sent: %s\n\tSocket messages received: %r\n\
\tSignals delivered: %k\n\tPage size (bytes): %Z\n\tExit status: %x";

/// Exit status: the command's; 125 when `time` itself fails, 126 and 127 when the command cannot be run or found.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    if options.operands.is_empty() {
        return Err(UtilityError::Usage("missing program to run".into()));
    }
    let named = options.value(Opt::Format).cloned().or_else(|| ctx.env.get(b"TIME").cloned());
    let format = if options.has(Opt::Verbose) {
        Text::from_static(VERBOSE)
    } else if options.has(Opt::Portability) {
        Text::from_static(POSIX)
    } else {
        named.unwrap_or(Text::from_static(DEFAULT))
    };
    let mut file = match options.value(Opt::Output) {
        Some(path) => match ctx.create(path, options.has(Opt::Append)) {
            Ok(file) => Some(file),
            Err(FsError::Limit(limit)) => return Err(limit.into()),
            Err(FsError::Errno(errno)) => {
                let message = format!("{path}: {}", errno.message());
                return Err(UtilityError::Failed { message, status: 125 });
            }
        },
        None => None,
    };
    let before = ctx.session.clock.monotonic();
    let status = execute(ctx, &options.operands).await?;
    let elapsed = ctx.session.clock.monotonic().saturating_sub(before);
    let mut text = Vec::new();
    if status.0 != 0 && !options.has(Opt::Quiet) && format.as_bytes() != POSIX {
        text = format!("Command exited with non-zero status {}\n", status.0).into_bytes();
    }
    let used = Used { elapsed, status: status.0, argv: &options.operands };
    used.append(&format, &mut text, &ctx.meter)?;
    let out = file.as_mut().unwrap_or(&mut ctx.stderr);
    out.write(&text).await?;
    out.flush().await?;
    Ok(status)
}

/// Runs the command; one that cannot be run is said and has a status too.
async fn execute(ctx: &mut Context, argv: &[Text]) -> Result<ExitStatus, UtilityError> {
    match ctx.run_command(ctx.command(argv.to_metered())).await {
        Ok(status) => Ok(status),
        Err(CommandError::Limit(limit)) => Err(limit.into()),
        Err(error) => {
            let name = argv.first().cloned().unwrap_or_default();
            ctx.warn(format_args!("cannot run {name}: {error}"));
            Ok(ExitStatus(if error == CommandError::NotFound { 127 } else { 126 }))
        }
    }
}

/// What is known of a command that has ended.
struct Used<'a> {
    elapsed: Duration,
    status: u8,
    argv: &'a [Text],
}

impl Used<'_> {
    /// Appends the line that a format says; a directive or an escape that is none shows after a `?`, and a `%` at the
    /// end takes the newline.
    ///
    /// # Errors
    /// The line is longer than a value may be.
    fn append(&self, format: &[u8], out: &mut Vec<u8>, meter: &Meter) -> Result<(), LimitError> {
        let mut bytes = format.iter().copied();
        while let Some(byte) = bytes.next() {
            match byte {
                b'%' => match bytes.next() {
                    Some(directive) => {
                        self.directive(directive, out);
                        meter.check_value(out.len() as u64)?;
                    }
                    None => {
                        out.push(b'?');
                        return Ok(());
                    }
                },
                b'\\' => match bytes.next() {
                    Some(b't') => out.push(b'\t'),
                    Some(b'n') => out.push(b'\n'),
                    Some(b'\\') => out.push(b'\\'),
                    other => {
                        out.extend_from_slice(b"?\\");
                        out.extend(other);
                    }
                },
                byte => out.push(byte),
            }
        }
        out.push(b'\n');
        Ok(())
    }

    fn directive(&self, directive: u8, out: &mut Vec<u8>) {
        let (seconds, hundredths) = (self.elapsed.as_secs(), self.elapsed.subsec_millis() / 10);
        let text = match directive {
            b'%' => "%".to_metered(),
            b'C' => {
                for (number, word) in self.argv.iter().enumerate() {
                    out.extend_from_slice(if number == 0 { b"" } else { b" " });
                    out.extend_from_slice(word);
                }
                return;
            }
            b'E' if seconds >= 3600 => {
                format!("{}:{:02}:{:02}", seconds / 3600, seconds % 3600 / 60, seconds % 60)
            }
            b'E' => format!("{}:{:02}.{hundredths:02}", seconds / 60, seconds % 60),
            b'e' => format!("{seconds}.{hundredths:02}"),
            b'U' | b'S' => "0.00".to_metered(),
            b'P' => "0%".to_metered(),
            b'Z' => "4096".to_metered(),
            b'x' => self.status.to_decimal(),
            b'D' | b'F' | b'I' | b'K' | b'M' | b'O' | b'R' | b'W' | b'X' | b'c' | b'k' | b'p' | b'r'
            | b's' | b't' | b'w' => "0".to_metered(),
            other => {
                out.extend([b'?', other]);
                return;
            }
        };
        out.extend_from_slice(text.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Clock;
    use crate::limit::{Limit, Limits};
    use std::sync::Arc;

    #[test]
    fn formats_are_filled_in() {
        let argv = [Text::from("a"), Text::from("b c")];
        let limits = Limits { value_bytes: 1000, ..Limits::default_profile() };
        let meter = Meter::new(limits, Arc::new(Clock::fixed(Duration::ZERO)));
        let shown = |format: &str, elapsed: u64| {
            let mut out = Vec::new();
            Used { elapsed: Duration::from_millis(elapsed), status: 3, argv: &argv }
                .append(format.as_bytes(), &mut out, &meter)
                .map(|()| std::string::String::from_utf8(out.into_std()).unwrap_or_default())
                .map_err(|error| error.limit)
        };
        assert_eq!(shown("%C %x %% %q%", 0), Ok("a b c 3 % ?q?".to_owned()));
        assert_eq!(shown("%e %E", 65_128), Ok("65.12 1:05.12\n".to_owned()));
        assert_eq!(shown("%E", 3_725_128), Ok("1:02:05\n".to_owned()));
        assert_eq!(shown(r"a\tb\n\\\q\", 0), Ok("a\tb\n\\?\\q?\\\n".to_owned()));
        assert_eq!(shown(&"%C".repeat(1000), 0), Err(Limit::ValueBytes));
    }
}
