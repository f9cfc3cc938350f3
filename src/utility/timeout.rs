//! `timeout`: runs a command and ends it when its time is over. GNU coreutils timeout(1). Ending a command drops it, so
//! that no signal can be ignored and `-k` is never needed; the statuses are those of the signals.

use super::CommandError;
use super::quote::quote;
use super::time_interval;
use crate::utility::prelude::*;
use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

pub(super) const UTILITY: Utility = Utility {
    name: "timeout",
    summary: "start COMMAND, and end it if still running after DURATION",
    usage: "timeout [OPTION] DURATION COMMAND [ARG]...",
    options: &[
        flag('\0', "preserve-status", "exit with the same status as COMMAND, even when the command times out"),
        flag('\0', "foreground", "(there is no terminal: as without)"),
        value('k', "kill-after", "DURATION", "a command never outlives its signal; the duration is checked"),
        value('s', "signal", "SIGNAL", "specify the signal to be sent on timeout, a name or a number"),
        flag('v', "verbose", "diagnose to stderr any signal sent upon timeout"),
    ],
    examples: &[example("timeout 0.1 sleep 10; echo $?", "124\n")],
    usage_status: 125,
    operands_end_options: true,
    run: start!(run),
};

const SIGNALS: [(&str, u8); 16] = [
    ("HUP", 1),
    ("INT", 2),
    ("QUIT", 3),
    ("ILL", 4),
    ("TRAP", 5),
    ("ABRT", 6),
    ("BUS", 7),
    ("FPE", 8),
    ("KILL", 9),
    ("USR1", 10),
    ("SEGV", 11),
    ("USR2", 12),
    ("PIPE", 13),
    ("ALRM", 14),
    ("TERM", 15),
    ("XCPU", 24),
];

/// Exit status: the command's; 124 when it timed out (137 with KILL), 125 when `timeout` fails, 126 and 127 as `env`.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options(&UTILITY)?;
    let [duration, argv @ ..] = options.operands.as_slice() else {
        return Err(UtilityError::Usage("missing operand".into()));
    };
    let interval = |text: &[u8]| {
        let wrong = || UtilityError::Usage(format!("invalid time interval {}", quote(text)));
        time_interval::parse(text).ok_or_else(wrong)
    };
    if argv.is_empty() {
        return Err(UtilityError::Usage("missing operand".into()));
    }
    if let Some(text) = options.value("kill-after") {
        interval(text)?;
    }
    let (signal, number) = match options.value("signal") {
        Some(text) => {
            signal(text).ok_or_else(|| UtilityError::Usage(format!("{}: invalid signal", quote(text))))?
        }
        None => ("TERM", 15),
    };
    let time = interval(duration)?;
    ctx.stdout.flush().await?;
    let Some(result) = limited(ctx, argv, time).await else {
        let name = argv.first().map_or(&b""[..], |name| name.as_bytes());
        if options.has("verbose") {
            ctx.warn(format_args!("sending signal {signal} to command {}", quote(name)));
        }
        let by_signal = options.has("preserve-status") || number == 9;
        return Ok(ExitStatus(if by_signal { 128 + number } else { 124 }));
    };
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

/// Runs the command; `None` when its time was over first. No time at all is no limit.
async fn limited(
    ctx: &Context,
    argv: &[Text],
    time: Duration,
) -> Option<Result<ExitStatus, CommandError>> {
    let mut command = pin!(ctx.run_command(ctx.command(argv.to_vec())));
    if time.is_zero() {
        return Some(command.await);
    }
    let mut timer = pin!(ctx.sleep(time));
    poll_fn(|cx| {
        if let Poll::Ready(result) = command.as_mut().poll(cx) {
            return Poll::Ready(Some(result));
        }
        timer.as_mut().poll(cx).map(|()| None)
    })
    .await
}

/// The name and number of a signal given as `TERM`, `SIGTERM` or `15`.
fn signal(text: &[u8]) -> Option<(&'static str, u8)> {
    let text = std::str::from_utf8(text).ok()?.to_ascii_uppercase();
    let name = text.strip_prefix("SIG").unwrap_or(&text);
    SIGNALS.iter().copied().find(|(known, number)| *known == name || name.parse() == Ok(*number))
}

#[cfg(test)]
mod tests {
    use crate::utility::testing::run;

    #[test]
    fn operands_are_checked_and_the_command_is_run() {
        assert_eq!(run("timeout", &["5", "echo", "-n"], b"", &[]).stdout, "echo -n\n");
        let outcome = run("timeout", &["x", "echo"], b"", &[]);
        assert_eq!(
            (outcome.stderr.as_str(), outcome.status),
            ("timeout: invalid time interval ‘x’\nTry 'timeout --help' for more information.\n", 125)
        );
        let outcome = run("timeout", &["-s", "zork", "1", "echo"], b"", &[]);
        assert_eq!(outcome.stderr, "timeout: ‘zork’: invalid signal\nTry 'timeout --help' for more information.\n");
    }
}
