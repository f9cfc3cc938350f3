//! `env`: runs a command in a changed environment, or prints it. POSIX XCU env, GNU coreutils env(1).

use super::format::quote::{quote, quote_name};
use super::format::signal::{self, SignalSet};
use super::{CommandError, Relation};
use crate::memory::{Arc, JoinMetered, String, ToMetered, Vec, format};
use crate::utility::prelude::*;

options! {
    enum Opt {
        IgnoreEnvironment = flag('i', "ignore-environment", "start with an empty environment"),
        Null = flag('0', "null", "end each output line with NUL, not newline"),
        Unset = value('u', "unset", "NAME", "remove variable from the environment"),
        Chdir = value('C', "chdir", "DIR", "change working directory to DIR"),
        Debug = flag('v', "debug", "print verbose information for each processing step"),
        BlockSignal = optional('\0', "block-signal", "SIG", "not supported: no signal can be held back"),
        DefaultSignal = optional('\0', "default-signal", "SIG", "reset handling of SIG signal(s) to the default"),
        IgnoreSignal = optional('\0', "ignore-signal", "SIG", "set handling of SIG signal(s) to do nothing"),
        ListSignalHandling = flag('\0', "list-signal-handling", "list non default signal handling to stderr"),
        SplitString = value('S', "split-string", "S", "process and split S into separate arguments"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "env",
    summary: "set each NAME to VALUE in the environment and run COMMAND",
    usage: "env [OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]",
    options: Opt::TABLE,
    examples: &[example("env -i A=1 B=2", "A=1\nB=2\n"), example("env X=y printenv X", "y\n")],
    usage_status: 125,
    operands_end_options: true,
    run: start!(run),
    ..Utility::BASE
};

/// Exit status: the command's; 125 when `env` itself fails, 126 and 127 when the command cannot be run or found.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let args = std::mem::take(&mut ctx.args);
    ctx.args = split_strings(ctx, args).await?;
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let signals = SignalChanges::read(&options)?;
    let mut operands = options.operands.as_slice();
    let mut environment = (*ctx.env).clone();
    let dash = operands.first().is_some_and(|operand| operand.as_bytes() == b"-");
    if dash {
        operands = operands.get(1..).unwrap_or(&[]);
    }
    let debug = options.has(Opt::Debug);
    if dash || options.has(Opt::IgnoreEnvironment) {
        if debug {
            ctx.warn_plain("cleaning environ");
        }
        environment = super::Environment::default();
    }
    for name in options.values(Opt::Unset) {
        if name.is_empty() || name.contains(&b'=') {
            return Err(failed(format!("cannot unset {}: Invalid argument", quote(name)), 125));
        }
        if debug && !(dash || options.has(Opt::IgnoreEnvironment)) {
            ctx.warn_plain(format_args!("unset:    {name}"));
        }
        environment.remove(name);
    }
    while let Some((assignment, rest)) = operands.split_first() {
        let Some(equals) = memchr::memchr(b'=', assignment) else { break };
        ctx.tick().await?;
        let (name, value) = assignment.split_at_checked(equals).unwrap_or((assignment, &[]));
        if debug {
            ctx.warn_plain(format_args!("setenv:   {assignment}"));
        }
        environment.set(Text::from(name), Text::from(value.get(1..).unwrap_or(&[])));
        operands = rest;
    }
    if operands.is_empty() {
        if options.has(Opt::Chdir) {
            return Err(UtilityError::Usage("must specify command with --chdir (-C)".into()));
        }
        return print(ctx, &environment, options.has(Opt::Null)).await;
    }
    if options.has(Opt::Null) {
        return Err(UtilityError::Usage("cannot specify --null (-0) with command".into()));
    }
    signals.tell(ctx, debug, options.has(Opt::ListSignalHandling))?;
    if debug {
        if let Some(directory) = options.value(Opt::Chdir) {
            ctx.warn_plain(format_args!("chdir:    {}", quote_name(directory)));
        }
        if let Some(name) = operands.first() {
            ctx.warn_plain(format_args!("executing: {name}"));
        }
        for (index, operand) in operands.iter().enumerate() {
            ctx.warn_plain(format_args!("   arg[{index}]= {}", quote(operand)));
        }
    }
    execute(ctx, operands, environment, options.value(Opt::Chdir), &signals).await
}

/// What the options do to signals; of several the last one counts.
#[derive(Debug, Default)]
struct SignalChanges {
    defaults: SignalSet,
    ignores: SignalSet,
    /// Those that were named: that they cannot be changed is an error.
    named: SignalSet,
    /// Those that would not be held back any longer, if any had been.
    unblocked: SignalSet,
}

/// The signals whose action nobody can change.
const FIXED: [u8; 2] = [9, 19];
/// Numbers that the C library keeps for itself.
const RESERVED: [u8; 2] = [32, 33];

impl SignalChanges {
    fn read(options: &Options<Opt>) -> Result<Self, UtilityError> {
        let mut changes = Self::default();
        for (option, value) in options.given() {
            match option {
                Opt::BlockSignal => return Err(failed("--block-signal is not supported".into(), 125)),
                Opt::DefaultSignal | Opt::IgnoreSignal => {
                    let (set, other) = match option {
                        Opt::DefaultSignal => (&mut changes.defaults, &mut changes.ignores),
                        _ => (&mut changes.ignores, &mut changes.defaults),
                    };
                    let chosen = match value {
                        Some(names) => named(names)?,
                        None => (1..=64).filter(|number| !RESERVED.contains(number)).collect(),
                    };
                    *set = set.with(chosen);
                    if option == Opt::DefaultSignal {
                        changes.unblocked = changes.unblocked.with(chosen);
                    }
                    *other = other.without(chosen);
                    changes.named = if value.is_some() {
                        changes.named.with(chosen)
                    } else {
                        changes.named.without(chosen)
                    };
                }
                _ => {}
            }
        }
        Ok(changes)
    }

    /// Tells what is done, and what is not as usual afterwards.
    fn tell(&self, ctx: &mut Context, debug: bool, lists: bool) -> Result<(), UtilityError> {
        for number in self.defaults.with(self.ignores).iter() {
            if FIXED.contains(&number) {
                if self.named.contains(number) {
                    let message =
                        format!("failed to set signal action for signal {number}: Invalid argument");
                    return Err(failed(message, 125));
                }
                continue;
            }
            if debug {
                let action = if self.ignores.contains(number) { "IGNORE" } else { "DEFAULT" };
                ctx.warn_plain(format_args!("Reset signal {} ({number}) to {action}", signal_name(number)));
            }
        }
        if debug {
            for number in self.unblocked.iter() {
                let name = signal_name(number);
                ctx.warn_plain(format_args!("signal {name} ({number}) mask set to UNBLOCK"));
            }
        }
        if lists {
            for number in ctx.ignored.without(self.defaults).with(self.ignores).iter() {
                if !FIXED.contains(&number) {
                    ctx.warn_plain(format_args!("{:<10} ({number:2}): IGNORE", signal_name(number)));
                }
            }
        }
        Ok(())
    }
}

/// The signals of a list, `INT,TERM`.
fn named(list: &[u8]) -> Result<SignalSet, UtilityError> {
    let mut set = SignalSet::default();
    for name in list.split(|byte| *byte == b',').filter(|name| !name.is_empty()) {
        let number = real_time(name).or_else(|| signal::number(name));
        match number.filter(|number| *number != 0 && !RESERVED.contains(number)) {
            Some(number) => set.insert(number),
            None => return Err(UtilityError::Usage(format!("{}: invalid signal", quote(name)))),
        }
    }
    Ok(set)
}

/// The number of `RTMIN+1`, `RTMAX-1` and the like.
fn real_time(name: &[u8]) -> Option<u8> {
    let bare = name.strip_prefix(b"SIG").unwrap_or(name);
    let number = |digits: &[u8]| signal::number(digits).filter(|_| digits.iter().all(u8::is_ascii_digit));
    let number = match (bare.strip_prefix(b"RTMIN"), bare.strip_prefix(b"RTMAX")) {
        (Some([]), _) => 34,
        (_, Some([])) => 64,
        (Some([b'+', digits @ ..]), _) => 34_u8.checked_add(number(digits)?)?,
        (_, Some([b'-', digits @ ..])) => 64_u8.checked_sub(number(digits)?)?,
        _ => return None,
    };
    (34..=64).contains(&number).then_some(number)
}

fn signal_name(number: u8) -> String {
    match number {
        34 => "RTMIN".into(),
        35..=49 => format!("RTMIN+{}", number - 34),
        50..=63 => format!("RTMAX-{}", 64 - number),
        64 => "RTMAX".into(),
        _ => {
            let name = usize::from(number).checked_sub(1).and_then(|index| signal::NAMES.get(index));
            name.copied().unwrap_or_default().into()
        }
    }
}

fn failed(message: String, status: u8) -> UtilityError {
    UtilityError::Failed { message, status }
}

async fn print(
    ctx: &mut Context,
    environment: &super::Environment,
    null: bool,
) -> Result<ExitStatus, UtilityError> {
    for (name, value) in environment.iter() {
        ctx.tick().await?;
        let end: &[u8] = if null { b"\0" } else { b"\n" };
        let line = [name.as_bytes(), b"=", value.as_bytes(), end].concat_metered();
        ctx.stdout.write(&line).await?;
    }
    Ok(ExitStatus::SUCCESS)
}

async fn execute(
    ctx: &mut Context,
    argv: &[Text],
    environment: super::Environment,
    directory: Option<&Text>,
    signals: &SignalChanges,
) -> Result<ExitStatus, UtilityError> {
    let mut request = ctx.command(argv.to_metered());
    (request.ignores, request.defaults) = (signals.ignores, signals.defaults);
    request.environment = Arc::new(environment);
    if let Some(directory) = directory {
        let found = ctx.path(directory).and_then(|path| ctx.fs().canonicalize(&path)).and_then(|path| {
            let is_directory = ctx.fs().metadata(&path)?.is_directory();
            if is_directory { Ok(path) } else { Err(Errno::NotDirectory.into()) }
        });
        request.cwd = match found {
            Ok(path) => Text::from(path),
            Err(FsError::Limit(limit)) => return Err(limit.into()),
            Err(FsError::Errno(errno)) => {
                let message =
                    format!("cannot change directory to {}: {}", quote_name(directory), errno.message());
                return Err(failed(message, 125));
            }
        };
    }
    ctx.stdout.flush().await?;
    match ctx.start_command(request, Relation::StandIn).await {
        Ok(status) => Ok(status),
        Err(CommandError::Limit(limit)) => Err(limit.into()),
        Err(error) => {
            let status = if error == CommandError::NotFound { 127 } else { 126 };
            let name = argv.first().map_or(&b""[..], |name| name.as_bytes());
            Err(failed(format!("{}: {error}", quote(name)), status))
        }
    }
}

/// Replaces `-S STRING` by the arguments in it.
async fn split_strings(ctx: &mut Context, args: Vec<Text>) -> Result<Vec<Text>, UtilityError> {
    let mut out: Vec<Text> = Vec::with_capacity(args.len());
    let mut args = args.into_iter();
    let mut tells = false;
    while let Some(arg) = args.next() {
        // Letters of options without an argument may stand before the `S`.
        let letters = arg.strip_prefix(b"-").unwrap_or_default();
        let flags = letters.iter().take_while(|letter| b"i0v".contains(letter)).count();
        let (flags, rest) = letters.split_at_checked(flags).unwrap_or((letters, &[]));
        tells |= arg.as_bytes() == b"--debug" || flags.contains(&b'v');
        let text = match (arg.as_bytes(), rest) {
            (b"--split-string", _) | (_, [b'S']) => args.next(),
            (_, [b'S', text @ ..]) => Some(Text::from(text)),
            (bytes, _) => bytes.strip_prefix(b"--split-string=").map(Text::from),
        };
        match text {
            Some(text) => {
                if !flags.is_empty() {
                    out.push(Text::from([b"-", flags].concat_metered()));
                }
                let words = split(ctx, &text).await?;
                if tells {
                    ctx.warn_plain(format_args!("split -S:  {}", quote(&text)));
                    for (index, word) in words.iter().enumerate() {
                        let lead = if index == 0 { " into:    " } else { "     &    " };
                        ctx.warn_plain(format_args!("{lead}{}", quote(word)));
                    }
                }
                out.extend(words);
            }
            // An operand ends the options.
            None if !arg.starts_with(b"-") => {
                out.push(arg);
                break;
            }
            None => {
                let takes_argument = matches!(arg.as_bytes(), b"-u" | b"-C" | b"--unset" | b"--chdir");
                out.push(arg);
                if takes_argument {
                    out.extend(args.next());
                }
            }
        }
    }
    out.extend(args);
    Ok(out)
}

/// Splits as GNU env's `-S`: blanks, quotes, backslashes and `${NAME}`.
async fn split(ctx: &mut Context, text: &[u8]) -> Result<Vec<Text>, UtilityError> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote_byte = None;
    let mut rest = text;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        ctx.tick().await?;
        match byte {
            b' ' | b'\t' | b'\n' | 11 | 12 | b'\r' if quote_byte.is_none() => {
                words.extend(word.take().map(Text::from));
            }
            b'#' if word.is_none() && quote_byte.is_none() => break,
            b'\'' | b'"' if quote_byte.is_none() => {
                quote_byte = Some(byte);
                word.get_or_insert_default();
            }
            _ if quote_byte == Some(byte) => quote_byte = None,
            b'\\' => {
                let Some((&escaped, tail)) = rest.split_first() else {
                    return Err(failed("invalid backslash at end of string in -S".into(), 125));
                };
                rest = tail;
                let single = quote_byte == Some(b'\'');
                let value = match escaped {
                    b'"' | b'#' | b'$' | b'\'' | b'\\' if !single || matches!(escaped, b'\'' | b'\\') => {
                        escaped
                    }
                    b'f' if !single => 12,
                    b'n' if !single => b'\n',
                    b'r' if !single => b'\r',
                    b't' if !single => b'\t',
                    b'v' if !single => 11,
                    b'_' if quote_byte == Some(b'"') => b' ',
                    b'_' if !single => {
                        words.extend(word.take().map(Text::from));
                        continue;
                    }
                    b'c' if !single => break,
                    other if single => {
                        word.get_or_insert_default().push(b'\\');
                        other
                    }
                    other => {
                        let message = format!("invalid sequence '\\{}' in -S", char::from(other));
                        return Err(failed(message, 125));
                    }
                };
                word.get_or_insert_default().push(value);
            }
            b'$' if quote_byte != Some(b'\'') => {
                let name = rest.strip_prefix(b"{").and_then(|tail| {
                    let end = memchr::memchr(b'}', tail)?;
                    Some((tail.get(..end)?, tail.get(end + 1..)?))
                });
                let Some((name, tail)) = name else {
                    return Err(failed(
                        "only ${VARNAME} expansion is supported, error at: $".to_metered()
                            + &String::from_utf8_lossy(rest),
                        125,
                    ));
                };
                rest = tail;
                if let Some(value) = ctx.env.get(name) {
                    let word = word.get_or_insert_default();
                    // The word is measured before it grows.
                    ctx.meter.check_value(word.len().saturating_add(value.len()) as u64)?;
                    word.extend_from_slice(value);
                }
            }
            _ => word.get_or_insert_default().push(byte),
        }
    }
    if quote_byte.is_some() {
        return Err(failed("no terminating quote in -S string".into(), 125));
    }
    words.extend(word.map(Text::from));
    Ok(words)
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::Fixture;

    #[test]
    fn prints_or_runs() {
        let mut fixture = Fixture::new(&[]);
        fixture.env.set("A".into(), "1".into());
        fixture.env.set("B".into(), "2".into());
        let rows: [(&[&str], &str); 7] = [
            (&[], "A=1\nB=2\n"),
            (&["-u", "A", "C=3"], "B=2\nC=3\n"),
            (&["-i", "X=y=z"], "X=y=z\n"),
            (&["-", "X=1"], "X=1\n"),
            (&["-0", "-i", "X=1"], "X=1\0"),
            (&["X=1", "cmd", "-i", "Y=2"], "cmd -i Y=2\n"),
            (&["-S", "cmd 'a b' ${A} c\\_d", "e"], "cmd a b 1 c d e\n"),
        ];
        for (args, want) in rows {
            let outcome = fixture.run("env", args, b"");
            assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), (want, ""), "{args:?}");
        }
        let outcome = fixture.run("env", &["--foo"], b"");
        assert_eq!(outcome.status, 125);
    }
}
