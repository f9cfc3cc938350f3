//! `killall`: sends a signal to the processes of the run by name. psmisc killall(1).

use crate::memory::{Vec, format};
use crate::utility::ProcessRow;
use crate::utility::context::ticker::{MeterTicker, regex_options, search_error};
use crate::utility::format::signal;
use crate::utility::prelude::*;
use crate::utility::regex::{Regex, RegexError, Syntax};
use std::time::Duration;

options! {
    enum Opt {
        Exact = flag('e', "exact", "require exact match for very long names"),
        IgnoreCase = flag('I', "ignore-case", "case insensitive process name match"),
        Group = flag('g', "process-group", "kill process group instead of process"),
        Younger = value('y', "younger-than", "TIME", "kill processes younger than TIME"),
        Older = value('o', "older-than", "TIME", "kill processes older than TIME"),
        List = flag('l', "list", "list all known signal names"),
        Quiet = flag('q', "quiet", "don't print complaints"),
        Regexp = flag('r', "regexp", "interpret NAME as an extended regular expression"),
        Signal = value('s', "signal", "SIGNAL", "send this signal instead of SIGTERM"),
        User = value('u', "user", "USER", "kill only process(es) running as USER"),
        Verbose = flag('v', "verbose", "report if the signal was successfully sent"),
        Wait = flag('w', "wait", "wait for processes to die"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "killall",
    summary: "kill processes by name",
    usage: "killall [OPTION]... [--] NAME...\nkillall -l, --list",
    options: Opt::TABLE,
    examples: &[example("sleep 9 & killall sleep; wait $!; echo $?", "143\n")],
    run: start!(run),
    version_letter: Some('V'),
    ..Utility::BASE
};

/// Exit status: 0 when a process was found for each name, else 1.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let args = ctx.args.clone();
    let mut chosen = signal::TERM;
    let mut rest: Vec<Text> = Vec::new();
    for arg in &args {
        let is_long =
            arg.strip_prefix(b"-").is_some_and(|name| name.len() > 1 || name.iter().all(u8::is_ascii_digit));
        match arg.strip_prefix(b"-").filter(|_| is_long).and_then(signal::number) {
            Some(number) => chosen = number,
            None => rest.push(arg.clone()),
        }
    }
    ctx.args = rest;
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    if options.has(Opt::List) {
        for (index, name) in signal::NAMES.iter().enumerate() {
            let end = if (index + 1) % 16 == 0 { "\n" } else { " " };
            ctx.stdout.write(format!("{name}{end}").as_bytes()).await?;
        }
        ctx.stdout.write(b"\n").await?;
        return Ok(ExitStatus::SUCCESS);
    }
    if options.operands.is_empty() && !options.has(Opt::User) {
        return Err(UtilityError::Usage("no process selection criteria".into()));
    }
    if let Some(name) = options.value(Opt::Signal) {
        match signal::number(name) {
            Some(number) => chosen = number,
            None => {
                ctx.warn_plain(format_args!("{name}: unknown signal; killall -l lists signals."));
                return Ok(ExitStatus::FAILURE);
            }
        }
    }
    let mut is_own = true;
    if let Some(user) = options.value(Opt::User) {
        match ctx.user_id(user) {
            Some(uid) => is_own = uid == ctx.session.identity.uid,
            None => {
                ctx.warn_plain(format_args!("Cannot find user {user}"));
                return Ok(ExitStatus::FAILURE);
            }
        }
    }
    let mut ages = Vec::new();
    for (option, text) in options.given() {
        let (Opt::Younger | Opt::Older, Some(text)) = (option, text) else { continue };
        let Some(bound) = age(text) else {
            ctx.warn_plain("Invalid time format");
            ctx.stderr.push(super::context::options::help(&UTILITY, Opt::TABLE).as_bytes());
            return Ok(ExitStatus::FAILURE);
        };
        ages.push((option == Opt::Younger, bound));
    }
    let mut patterns = Vec::new();
    for name in options.operands.iter().filter(|_| options.has(Opt::Regexp)) {
        patterns.push(pattern(ctx, &options, name)?);
    }
    let rows = ctx.processes(&args).await;
    let mut status = ExitStatus::SUCCESS;
    let mut killed: Vec<u32> = Vec::new();
    let everything = [Text::EMPTY];
    let names = if options.operands.is_empty() { &everything[..] } else { options.operands.as_slice() };
    for (place, name) in names.iter().enumerate() {
        let mut found = false;
        for row in &rows {
            ctx.tick().await?;
            if row.asks
                || !is_own
                || !(name.is_empty() || is_named(ctx, &options, row, name, patterns.get(place))?)
                || !has_age(ctx, &ages, row)
            {
                continue;
            }
            found = true;
            let targets: Vec<u32> = if options.has(Opt::Group) {
                rows.iter().filter(|other| other.group == row.group).map(|other| other.pid).collect()
            } else {
                crate::memory::vec![row.pid]
            };
            for pid in targets {
                ctx.commands.signal(pid, chosen);
                killed.push(pid);
            }
            if options.has(Opt::Verbose) {
                ctx.warn_plain(format_args!("Killed {}({}) with signal {chosen}", row.name(), row.pid));
            }
        }
        if !found {
            status = ExitStatus::FAILURE;
            if !options.has(Opt::Quiet) {
                ctx.warn_plain(format_args!("{name}: no process found"));
            }
        }
    }
    crate::utility::yield_now().await;
    while options.has(Opt::Wait) {
        let rows = ctx.processes(&args).await;
        if !rows.iter().any(|row| killed.contains(&row.pid)) {
            break;
        }
        ctx.sleep(Duration::from_millis(100)).await;
        ctx.check().await?;
    }
    Ok(status)
}

impl Context {
    /// Prints a line on standard error without the utility's name.
    pub(super) fn warn_plain(&mut self, message: impl std::fmt::Display) {
        self.stderr.push(format!("{message}\n").as_bytes());
        self.stderr.flush_now();
    }
}

fn pattern(ctx: &Context, options: &Options<Opt>, name: &Text) -> Result<Regex, UtilityError> {
    let mut settings = regex_options(&ctx.meter);
    settings.ignore_case = options.has(Opt::IgnoreCase);
    Regex::new(name, Syntax::Extended, &settings).map_err(|error| match error {
        RegexError::Stopped(_) => search_error(&ctx.meter, &error, 1),
        _ => UtilityError::failed(format!("Bad regular expression: {name}")),
    })
}

fn is_named(
    ctx: &Context,
    options: &Options<Opt>,
    row: &ProcessRow,
    name: &Text,
    pattern: Option<&Regex>,
) -> Result<bool, UtilityError> {
    let own = row.name();
    if let Some(pattern) = pattern {
        let mut ticker = MeterTicker::new(&ctx.meter);
        return pattern
            .captures_at_ticked(own.as_bytes(), 0, &mut Vec::new(), &mut ticker)
            .map_err(|error| search_error(&ctx.meter, &error, 1));
    }
    let base = name.rsplit(|&byte| byte == b'/').next().unwrap_or(name);
    Ok(if options.has(Opt::IgnoreCase) {
        own.as_bytes().eq_ignore_ascii_case(base)
    } else {
        own.as_bytes() == base
    })
}

/// A number and its unit, of which the first letter counts.
fn age(text: &[u8]) -> Option<Duration> {
    let text = text.trim_ascii_start();
    let end = text.iter().position(|byte| !byte.is_ascii_digit())?;
    let (number, unit) = text.split_at_checked(end)?;
    let number = std::str::from_utf8(number).ok()?.parse::<u64>().ok().filter(|number| *number > 0)?;
    let seconds = match unit.first()? {
        b's' => 1,
        b'm' => 60,
        b'h' => 3600,
        b'd' => 86_400,
        b'w' => 604_800,
        b'M' => 4 * 604_800,
        b'y' => 48 * 604_800,
        _ => return None,
    };
    Some(Duration::from_secs(number.saturating_mul(seconds)))
}

fn has_age(ctx: &Context, ages: &[(bool, Duration)], row: &ProcessRow) -> bool {
    let age = ctx.session.clock.monotonic().saturating_sub(row.started);
    ages.iter().all(|(is_younger, bound)| (age < *bound) == *is_younger)
}
