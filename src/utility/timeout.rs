//! `timeout`: runs a command and ends it when its time is over. GNU coreutils timeout(1).
//!
//! The command has a process group of its own, and the signal goes to all of that.

use super::format::quote::quote;
use super::format::time_interval;
use super::{CommandError, Reach, Relation, RunningCommand};
use crate::memory::{String, ToMetered, format};
use crate::utility::prelude::*;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

options! {
    enum Opt {
        PreserveStatus = flag(
            '\0',
            "preserve-status",
            "exit with the same status as COMMAND, even when the command times out",
        ),
        Foreground = flag('\0', "foreground", "send the signal to COMMAND alone, not to what it started"),
        KillAfter = value(
            'k',
            "kill-after",
            "DURATION",
            "also send a KILL signal if COMMAND is still running this long after the first one",
        ),
        Signal = value(
            's',
            "signal",
            "SIGNAL",
            "specify the signal to be sent on timeout, a name or a number",
        ),
        Verbose = flag('v', "verbose", "diagnose to stderr any signal sent upon timeout"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "timeout",
    summary: "start COMMAND, and end it if still running after DURATION",
    usage: "timeout [OPTION] DURATION COMMAND [ARG]...",
    options: Opt::TABLE,
    examples: &[example("timeout 0.1 sleep 10; echo $?", "124\n")],
    usage_status: 125,
    operands_end_options: true,
    run: start!(run),
    ..Utility::BASE
};

/// A signal.
#[derive(Clone, Copy)]
struct Signal {
    name: &'static str,
    number: u8,
}

const fn signal(name: &'static str, number: u8) -> Signal {
    Signal { name, number }
}

const KILL: Signal = signal("KILL", 9);
const TERM: Signal = signal("TERM", 15);

/// The first name of a number is the one that is shown.
const SIGNALS: [Signal; 35] = [
    signal("EXIT", 0),
    signal("HUP", 1),
    signal("INT", 2),
    signal("QUIT", 3),
    signal("ILL", 4),
    signal("TRAP", 5),
    signal("ABRT", 6),
    signal("IOT", 6),
    signal("BUS", 7),
    signal("FPE", 8),
    KILL,
    signal("USR1", 10),
    signal("SEGV", 11),
    signal("USR2", 12),
    signal("PIPE", 13),
    signal("ALRM", 14),
    TERM,
    signal("STKFLT", 16),
    signal("CHLD", 17),
    signal("CLD", 17),
    signal("CONT", 18),
    signal("STOP", 19),
    signal("TSTP", 20),
    signal("TTIN", 21),
    signal("TTOU", 22),
    signal("URG", 23),
    signal("XCPU", 24),
    signal("XFSZ", 25),
    signal("VTALRM", 26),
    signal("PROF", 27),
    signal("WINCH", 28),
    signal("POLL", 29),
    signal("IO", 29),
    signal("PWR", 30),
    signal("SYS", 31),
];

/// What stops a command; nothing can be stopped here.
const STOPS: std::ops::RangeInclusive<u8> = 19..=22;

/// Exit status: the command's; 124 when it timed out (137 with KILL), 125 when `timeout` fails, 126 and 127 as `env`.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let (duration, argv) = match options.operands.as_slice() {
        [duration, argv @ ..] if !argv.is_empty() => (duration, argv),
        _ => {
            let hint = "Try 'timeout --help' for more information.\n";
            ctx.stderr.push(hint.as_bytes());
            return Ok(ExitStatus(125));
        }
    };
    let interval = |text: &[u8]| {
        let wrong = || UtilityError::Usage(format!("invalid time interval {}", quote(text)));
        time_interval::parse(text).ok_or_else(wrong)
    };
    let kill_after = match options.value(Opt::KillAfter) {
        Some(text) => interval(text)?,
        None => Duration::ZERO,
    };
    let signal = options.value(Opt::Signal).map_or(Ok(TERM), |text| parse_signal(text))?;
    let time = interval(duration)?;
    ctx.stdout.flush().await?;
    let is_foreground = options.has(Opt::Foreground);
    let relation = if is_foreground { Relation::StandIn } else { Relation::Group };
    let mut timed = Timed {
        name: argv.first().map_or(&b""[..], |name| name.as_bytes()),
        command: ctx.start_command(ctx.command(argv.to_metered()), relation),
        reach: if is_foreground { Reach::Command } else { Reach::Group },
        is_verbose: options.has(Opt::Verbose),
    };
    if let Some(result) = timed.within(ctx, time).await {
        return status(argv, result);
    }
    timed.send(ctx, signal);
    let result = match timed.within(ctx, kill_after).await {
        Some(result) => result,
        None => {
            timed.send(ctx, KILL);
            (&mut timed.command).await
        }
    };
    let status = status(argv, result)?;
    let is_killed = timed.command.killed_by() == Some(KILL.number);
    Ok(if options.has(Opt::PreserveStatus) || is_killed { status } else { ExitStatus(124) })
}

/// A command whose time is counted.
struct Timed<'a> {
    name: &'a [u8],
    command: RunningCommand,
    reach: Reach,
    is_verbose: bool,
}

impl Timed<'_> {
    fn send(&self, ctx: &mut Context, signal: Signal) {
        if self.is_verbose {
            ctx.warn(format_args!("sending signal {} to command {}", signal.name, quote(self.name)));
        }
        self.command.signal(signal.number, self.reach);
    }

    /// Waits for the command; `None` when the time was over first. No time at all is not a limit.
    async fn within(&mut self, ctx: &Context, time: Duration) -> Option<Result<ExitStatus, CommandError>> {
        if time.is_zero() {
            return Some((&mut self.command).await);
        }
        let mut timer = pin!(ctx.sleep(time));
        poll_fn(|cx| {
            if let Poll::Ready(result) = Pin::new(&mut self.command).poll(cx) {
                return Poll::Ready(Some(result));
            }
            timer.as_mut().poll(cx).map(|()| None)
        })
        .await
    }
}

/// The command's own status, or why it was not started.
fn status(argv: &[Text], result: Result<ExitStatus, CommandError>) -> Result<ExitStatus, UtilityError> {
    match result {
        Ok(status) => Ok(status),
        Err(CommandError::Limit(limit)) => Err(limit.into()),
        Err(error) => {
            let status = if error == CommandError::NotFound { 127 } else { 126 };
            let name = argv.first().map_or(&b""[..], |name| name.as_bytes());
            let message = format!("failed to run command {}: {error}", quote(name));
            Err(UtilityError::Failed { message, status })
        }
    }
}

/// A signal given as `TERM`, `SIGTERM`, `15`, or by the status of a command that it ended.
fn parse_signal(text: &[u8]) -> Result<Signal, UtilityError> {
    let mut shown = String::from_utf8_lossy(text);
    shown.make_ascii_uppercase();
    let name = shown.strip_prefix("SIG").unwrap_or(&shown);
    let number = shown.parse::<u8>().ok().map(|number| if number > 128 { number - 128 } else { number });
    let found = SIGNALS.into_iter().find(|known| known.name == name || Some(known.number) == number);
    match found {
        Some(Signal { name, number }) if STOPS.contains(&number) => Err(UtilityError::Failed {
            message: format!("signal {name} is not supported: no command can be stopped"),
            status: 125,
        }),
        Some(known) => Ok(SIGNALS.into_iter().find(|first| first.number == known.number).unwrap_or(known)),
        None => Err(UtilityError::Usage(format!("{}: invalid signal", quote(text)))),
    }
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::run;

    #[test]
    fn operands_are_checked_and_the_command_is_run() {
        assert_eq!(run("timeout", &["5", "echo", "-n"], b"", &[]).stdout, "echo -n\n");
        let outcome = run("timeout", &["x", "echo"], b"", &[]);
        assert_eq!(
            (outcome.stderr.as_str(), outcome.status),
            ("timeout: invalid time interval ‘x’\nTry 'timeout --help' for more information.\n", 125)
        );
        let outcome = run("timeout", &["-s", "zork", "1", "echo"], b"", &[]);
        assert_eq!(
            outcome.stderr,
            "timeout: ‘zork’: invalid signal\nTry 'timeout --help' for more information.\n"
        );
    }
}
