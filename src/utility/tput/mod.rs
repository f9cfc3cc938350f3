//! `tput`: what a terminal can do, and the strings that make it do that. tput(1) of ncurses 6.4.
//!
//! `terminal.rs` has the terminals that are known: `xterm`, `xterm-256color`, `screen`, `screen-256color`, `tmux`,
//! `tmux-256color`, `linux`, `vt100`, `ansi` and `dumb`; `name.rs` the names of capabilities, `parameter.rs` the language of
//! their strings. A session has no terminal: its size is that of the description, or what `COLUMNS` and `LINES` say, and
//! `init` and `reset` fail as they do without one.

mod name;
mod parameter;
mod terminal;

use crate::memory::{ToDecimal as _, Vec, format};
use crate::utility::context::options::OptionsEnd;
use crate::utility::prelude::*;
use parameter::Value;
use terminal::{DESCRIPTIONS, Description};

options! {
    enum Opt {
        Standard = flag('S', "", "read commands from standard input"),
        Type = value('T', "", "TERM", "use this instead of $TERM"),
        Version = flag('V', "", "print the version of ncurses"),
        KeepScrollback = flag('x', "", "do not try to clear the scrollback"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "tput",
    summary: "ask what a terminal can do",
    usage: "tput [options] [command]",
    options: Opt::TABLE,
    examples: &[
        example("tput -T xterm colors", "8\n"),
        example("tput -T xterm cup 2 3 | od -An -c", " 033   [   3   ;   4   H\n"),
    ],
    usage_status: 2,
    run: start!(run),
    ..Utility::BASE
};

const USAGE: &str = "Usage: tput [options] [command]

Options:
  -S <<       read commands from standard input
  -T TERM     use this instead of $TERM
  -V          print curses-version
  -x          do not try to clear scrollback

Commands:
  clear       clear the screen
  init        initialize the terminal
  reset       reinitialize the terminal
  capname     unlike clear/init/reset, print value for capability \"capname\"
";

/// What `-V` says, here and for `clear`.
pub(super) const VERSION: &[u8] = b"ncurses 6.4.20221231\n";

/// A capability of a terminal.
#[derive(Debug)]
pub(super) enum Capability {
    True,
    Number(i64),
    Text(Vec<u8>),
}

/// The terminal of that name.
pub(super) fn find(name: &[u8]) -> Option<&'static Description> {
    DESCRIPTIONS.iter().copied().find(|known| {
        // The last name is the long one, and no name to be called by.
        let names = known.names.split_last().map_or(&[][..], |(_, names)| names);
        names.iter().any(|known| known.as_bytes() == name)
    })
}

impl Description {
    /// A capability by its name.
    pub(super) fn get(&self, name: &[u8]) -> Option<Capability> {
        for row in self.capabilities {
            let Some(rest) = row.as_bytes().strip_prefix(name) else { continue };
            match rest {
                [] => return Some(Capability::True),
                [b'@'] => return None,
                [b'#', digits @ ..] => {
                    let text = std::str::from_utf8(digits).unwrap_or_default();
                    let number = match text.strip_prefix("0x") {
                        Some(digits) => i64::from_str_radix(digits, 16),
                        None => text.parse(),
                    };
                    return number.ok().map(Capability::Number);
                }
                [b'=', notation @ ..] => {
                    let text = std::str::from_utf8(notation).unwrap_or_default();
                    return Some(Capability::Text(parameter::bytes(text)));
                }
                _ => {}
            }
        }
        self.base.and_then(|base| base.get(name))
    }

    /// What clears the screen, with the lines that were scrolled out of it unless they are kept.
    pub(super) fn clear(&self, keeps_scrollback: bool) -> Option<Vec<u8>> {
        let text = |name: &[u8]| match self.get(name) {
            Some(Capability::Text(text)) => Some(parameter::without_delays(&text)),
            _ => None,
        };
        let mut clear = text(b"clear")?;
        if let Some(more) = text(b"E3").filter(|_| !keeps_scrollback) {
            clear.extend_from_slice(&more);
        }
        Some(clear)
    }
}

/// Exit status: 0; 1 for a capability that the terminal lacks; 2 for usage, 3 for an unknown terminal, 4 for an unknown capability,
/// 10 where a terminal is needed.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let (options, end) = ctx.parse_options_in_order::<Opt>(&UTILITY);
    match end {
        Ok(()) => {}
        Err(OptionsEnd::Fault(UtilityError::Usage(message))) => return Ok(usage(ctx, &message)),
        Err(end) => return Err(end.tell(&mut ctx.stdout)),
    }
    if options.has(Opt::Version) {
        ctx.stdout.push(VERSION);
        return Ok(ExitStatus::SUCCESS);
    }
    let given = options.value(Opt::Type).cloned();
    let from_environment = given.is_none();
    let name = given.or_else(|| ctx.env.get(b"TERM").filter(|name| !name.is_empty()).cloned());
    let Some(name) = name else {
        ctx.warn("No value for $TERM and no -T specified");
        return Ok(ExitStatus(2));
    };
    let reads_commands = options.has(Opt::Standard);
    if options.operands.is_empty() && !reads_commands {
        return Ok(usage(ctx, ""));
    }
    let Some(terminal) = find(&name) else {
        ctx.warn(format_args!("unknown terminal \"{name}\""));
        return Ok(ExitStatus(3));
    };
    let call = Call { terminal, from_environment, keeps_scrollback: options.has(Opt::KeepScrollback) };
    if !reads_commands {
        return call.all(ctx, &options.operands).await;
    }
    let mut input = ctx.standard_input();
    loop {
        ctx.tick().await?;
        let line = match input.next_line(b'\n').await {
            Ok(Some(line)) => line,
            Ok(None) | Err(FsError::Errno(_)) => return Ok(ExitStatus::SUCCESS),
            Err(FsError::Limit(limit)) => return Err(limit.into()),
        };
        let words: Vec<Text> =
            line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).map(Text::from).collect();
        let status = call.all(ctx, &words).await?;
        // With -S, what the terminal lacks is no failure.
        if status.0 > 1 {
            return Ok(status);
        }
    }
}

/// A message, and how the program is called.
fn usage(ctx: &mut Context, message: &str) -> ExitStatus {
    if !message.is_empty() {
        ctx.warn(message);
    }
    ctx.stderr.push(USAGE.as_bytes());
    ExitStatus(2)
}

struct Call {
    terminal: &'static Description,
    from_environment: bool,
    keeps_scrollback: bool,
}

impl Call {
    /// Does what commands say, each with as many words after it as it has parameters.
    async fn all(&self, ctx: &mut Context, words: &[Text]) -> Result<ExitStatus, UtilityError> {
        let mut rest = words;
        let mut status = ExitStatus::SUCCESS;
        while let Some((name, after)) = rest.split_first() {
            ctx.tick().await?;
            let (one, used) = self.one(ctx, name, after).await?;
            rest = after.get(used..).unwrap_or_default();
            status = one;
            if !status.is_success() {
                break;
            }
        }
        Ok(status)
    }

    /// Does one command; how many of the words after it it took.
    async fn one(
        &self,
        ctx: &mut Context,
        name: &Text,
        words: &[Text],
    ) -> Result<(ExitStatus, usize), UtilityError> {
        match name.as_bytes() {
            b"clear" => {
                let clear = self.terminal.clear(self.keeps_scrollback);
                let status = if clear.is_some() { ExitStatus::SUCCESS } else { ExitStatus(2) };
                ctx.stdout.write(&clear.unwrap_or_default()).await?;
                return Ok((status, 0));
            }
            b"init" | b"reset" => {
                ctx.stdout.flush().await?;
                ctx.warn("terminal attributes: No such device or address\n");
                return Ok((ExitStatus(10), 0));
            }
            b"longname" => {
                let long = self.terminal.names.last().copied().unwrap_or_default();
                ctx.stdout.write(long.as_bytes()).await?;
                return Ok((ExitStatus::SUCCESS, 0));
            }
            _ => {}
        }
        match self.terminal.get(name) {
            Some(Capability::True) => Ok((ExitStatus::SUCCESS, 0)),
            Some(Capability::Number(number)) => {
                let number = self.size(ctx, name).unwrap_or(number);
                ctx.stdout.write(format!("{number}\n").as_bytes()).await?;
                Ok((ExitStatus::SUCCESS, 0))
            }
            Some(Capability::Text(text)) => {
                let count = parameter::count(&text).min(words.len());
                let given = words.get(..count).unwrap_or_default();
                let text = if given.is_empty() {
                    text
                } else {
                    let values: Vec<Value> = given.iter().enumerate().map(|word| value(name, word)).collect();
                    parameter::expand(&text, &values)
                };
                ctx.stdout.write(&parameter::without_delays(&text)).await?;
                Ok((ExitStatus::SUCCESS, count))
            }
            None => self.lacking(ctx, name).await,
        }
    }

    /// The size of the window, as the environment has it.
    fn size(&self, ctx: &Context, name: &[u8]) -> Option<i64> {
        let variable: &[u8] = match name {
            b"cols" => b"COLUMNS",
            b"lines" => b"LINES",
            _ => return None,
        };
        let text = ctx.env.get(variable).filter(|_| self.from_environment)?;
        text.to_string_lossy().parse().ok().filter(|&number| number > 0)
    }

    /// A capability that the terminal has not, or that there is not.
    async fn lacking(&self, ctx: &mut Context, name: &Text) -> Result<(ExitStatus, usize), UtilityError> {
        let is_in = |names: &[&str]| names.binary_search_by(|known| known.as_bytes().cmp(name)).is_ok();
        if is_in(name::NUMBERS) {
            let number = self.size(ctx, name).unwrap_or(-1);
            let mut line = number.to_decimal();
            line.push('\n');
            ctx.stdout.write(line.as_bytes()).await?;
            return Ok((ExitStatus::SUCCESS, 0));
        }
        if is_in(name::OTHERS) {
            return Ok((ExitStatus::FAILURE, 0));
        }
        ctx.stdout.flush().await?;
        ctx.warn(format_args!("unknown terminfo capability '{name}'"));
        Ok((ExitStatus(4), 0))
    }
}

/// A word as a parameter: a number, but for the few capabilities that take texts.
fn value(name: &[u8], (index, word): (usize, &Text)) -> Value {
    let takes_text = match name {
        b"Ms" | b"Cs" => true,
        b"pfkey" | b"pfloc" | b"pfx" | b"pln" => index == 1,
        b"pfxl" => index > 0,
        _ => false,
    };
    if takes_text {
        return Value::Text(word.clone());
    }
    let digits = word.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let text = std::str::from_utf8(word.get(..digits).unwrap_or_default()).unwrap_or_default();
    Value::Number(text.parse::<i32>().map_or(if digits > 0 { i64::from(i32::MAX) } else { 0 }, i64::from))
}
