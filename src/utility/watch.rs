//! `watch`: runs a command again and again on a screen. procps watch(1). There is no terminal, which is told as curses tells it.

use crate::memory::format;
use crate::utility::prelude::*;

options! {
    enum Opt {
        Beep = flag('b', "beep", "beep if command has a non-zero exit"),
        Color = flag('c', "color", "interpret ANSI color and style sequences"),
        Differences = optional('d', "differences", "permanent", "highlight changes between updates"),
        ErrExit = flag('e', "errexit", "exit if command has a non-zero exit"),
        ChgExit = flag('g', "chgexit", "exit when output from command changes"),
        EquExit = value('q', "equexit", "cycles", "exit when output from command does not change"),
        Interval = value('n', "interval", "secs", "seconds to wait between updates"),
        Precise = flag('p', "precise", "attempt run command in precise intervals"),
        NoTitle = flag('t', "no-title", "turn off header"),
        NoWrap = flag('w', "no-wrap", "turn off line wrapping"),
        Exec = flag('x', "exec", "pass command to exec instead of \"sh -c\""),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "watch",
    summary: "execute a program periodically, showing output fullscreen",
    usage: "watch [options] command",
    options: Opt::TABLE,
    examples: &[example("watch date 2>&1", "Error opening terminal: unknown.\n")],
    operands_end_options: true,
    run: start!(run),
    help_letter: Some('h'),
    version_letter: Some('v'),
    ..Utility::BASE
};

/// Exit status: 1, for there is no terminal.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    for option in [Opt::Interval, Opt::EquExit] {
        let Some(text) = options.value(option) else { continue };
        if super::format::float::parse_float(text).is_none() {
            return Err(UtilityError::failed(format!(
                "failed to parse argument: '{text}': Invalid argument"
            )));
        }
    }
    if options.operands.is_empty() {
        return Err(UtilityError::Usage("missing command".into()));
    }
    let terminal = ctx.env.get(b"TERM").filter(|name| !name.is_empty()).cloned();
    let terminal = terminal.unwrap_or(Text::from_static(b"unknown"));
    ctx.warn_plain(format_args!("Error opening terminal: {terminal}."));
    Ok(ExitStatus::FAILURE)
}
