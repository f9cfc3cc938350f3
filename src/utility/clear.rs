//! `clear`: clears the screen of the terminal that `TERM` names. clear(1) of ncurses 6.4; what it prints is in `tput/`.

use super::tput;
use crate::utility::context::options::OptionsEnd;
use crate::utility::prelude::*;

options! {
    enum Opt {
        Type = value('T', "", "TERM", "use this instead of $TERM"),
        Version = flag('V', "", "print the version of ncurses"),
        KeepScrollback = flag('x', "", "do not try to clear the scrollback"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "clear",
    summary: "clear the screen of a terminal",
    usage: "clear [options]",
    options: Opt::TABLE,
    examples: &[example("clear -T vt100 | od -An -c", " 033   [   H 033   [   J\n")],
    usage_status: 1,
    run: start!(run),
    ..Utility::BASE
};

const USAGE: &[u8] = b"Usage: clear [options]

Options:
  -T TERM     use this instead of $TERM
  -V          print curses-version
  -x          do not try to clear scrollback
";

/// Exit status: 0; 1 for usage, an unknown terminal, and one that cannot be cleared.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let (options, end) = ctx.parse_options_in_order::<Opt>(&UTILITY);
    match end {
        Ok(()) if options.operands.is_empty() => {}
        Ok(()) => {
            ctx.stderr.push(USAGE);
            return Ok(ExitStatus::FAILURE);
        }
        Err(OptionsEnd::Fault(UtilityError::Usage(message))) => {
            ctx.warn(message);
            ctx.stderr.push(USAGE);
            return Ok(ExitStatus::FAILURE);
        }
        Err(end) => return Err(end.tell(&mut ctx.stdout)),
    }
    if options.has(Opt::Version) {
        ctx.stdout.push(tput::VERSION);
        return Ok(ExitStatus::SUCCESS);
    }
    let name = options.value(Opt::Type).cloned();
    let Some(name) = name.or_else(|| ctx.env.get(b"TERM").filter(|name| !name.is_empty()).cloned()) else {
        ctx.stderr.push(b"TERM environment variable not set.\n");
        return Ok(ExitStatus::FAILURE);
    };
    let Some(terminal) = tput::find(&name) else {
        ctx.stderr.push(crate::memory::format!("'{name}': unknown terminal type.\n").as_bytes());
        return Ok(ExitStatus::FAILURE);
    };
    match terminal.clear(options.has(Opt::KeepScrollback)) {
        Some(clear) => {
            ctx.stdout.write(&clear).await?;
            Ok(ExitStatus::SUCCESS)
        }
        None => Ok(ExitStatus::FAILURE),
    }
}
