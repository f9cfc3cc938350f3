//! `less`: shows files. less(1). There is no terminal: it copies its files, and what its options say of a screen has no effect on
//! that, as with the real one.

use crate::memory::{Vec, format};
use crate::utility::prelude::*;

options! {
    enum Opt {
        QuitIfOneScreen = flag('F', "quit-if-one-screen", "quit if entire file fits on first screen"),
        Raw = flag('R', "RAW-CONTROL-CHARS", "output raw control characters, only color sequences") | flag('r', "raw-control-chars", "output raw control characters"),
        NoInit = flag('X', "no-init", "don't use termcap init/deinit strings"),
        LineNumbers = flag('N', "LINE-NUMBERS", "use line numbers") | flag('n', "line-numbers", "don't use line numbers"),
        Chop = flag('S', "chop-long-lines", "chop (truncate) long lines rather than wrapping"),
        IgnoreCase = flag('i', "ignore-case", "ignore case in searches") | flag('I', "IGNORE-CASE", "ignore case in searches and search patterns"),
        QuitAtEof = flag('e', "quit-at-eof", "quit at end of file") | flag('E', "QUIT-AT-EOF", "quit at end of file"),
        Screen = flag('s', "squeeze-blank-lines", "squeeze multiple blank lines")
            | flag('m', "long-prompt", "set prompt style")
            | flag('M', "LONG-PROMPT", "set prompt style")
            | flag('q', "quiet", "quiet the terminal bell")
            | flag('Q', "QUIET", "quiet the terminal bell")
            | flag('c', "clear-screen", "repaint by clearing rather than scrolling")
            | flag('C', "CLEAR-SCREEN", "repaint by clearing rather than scrolling")
            | flag('d', "dumb", "dumb terminal")
            | flag('g', "hilite-search", "highlight only last match for searches")
            | flag('G', "HILITE-SEARCH", "don't highlight any matches for searches")
            | flag('J', "status-column", "display a status column at left edge of screen")
            | flag('K', "quit-on-intr", "exit less in response to ctrl-C")
            | flag('L', "no-lessopen", "ignore the LESSOPEN environment variable")
            | flag('u', "underline-special", "set handling of backspaces")
            | flag('U', "UNDERLINE-SPECIAL", "set handling of backspaces")
            | flag('w', "hilite-unread", "highlight first new line after forward-screen")
            | flag('W', "HILITE-UNREAD", "highlight first new line after any forward movement")
            | flag('a', "search-skip-screen", "search skips current screen")
            | flag('A', "SEARCH-SKIP-SCREEN", "search starts just after target line")
            | flag('B', "auto-buffers", "don't automatically allocate buffers for pipes")
            | flag('~', "tilde", "don't display tildes after end of file")
            | flag('f', "force", "force open non-regular files")
            | flag('\0', "mouse", "enable mouse input")
            | flag('\0', "use-color", "enables colored text")
            | flag('\0', "follow-name", "the F command changes files if the input file is renamed")
            | flag('\0', "incsearch", "search file as each pattern character is typed in"),
        ScreenValue = value('b', "buffers", "N", "number of buffers")
            | value('h', "max-back-scroll", "N", "backward scroll limit")
            | value('j', "jump-target", "N", "screen position of target lines")
            | value('p', "pattern", "PATTERN", "start at pattern (from command line)")
            | value('P', "prompt", "PROMPT", "define new prompt")
            | value('t', "tag", "TAG", "find a tag")
            | value('T', "tag-file", "FILE", "use an alternate tags file")
            | value('x', "tabs", "N", "set tab stops")
            | value('y', "max-forw-scroll", "N", "forward scroll limit")
            | value('z', "window", "N", "set size of window")
            | value('D', "color", "xCOLOR", "set screen colors")
            | value('k', "lesskey-file", "FILE", "use a lesskey file")
            | value('#', "shift", "N", "set horizontal scroll amount")
            | value('o', "log-file", "FILE", "copy to log file what is shown on a screen")
            | value('O', "LOG-FILE", "FILE", "copy to log file (unconditionally overwrite)"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "less",
    summary: "show files, without a terminal as cat does",
    usage: "less [OPTION]... [FILE]...",
    options: Opt::TABLE,
    examples: &[example("echo a | less", "a\n")],
    run: start!(run),
    version_letter: Some('V'),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let args = std::mem::take(&mut ctx.args);
    ctx.args = args.into_iter().filter(|arg| !arg.starts_with(b"+")).collect::<Vec<Text>>();
    let options = match ctx.parse_options::<Opt>(&UTILITY) {
        Err(UtilityError::Usage(message)) => {
            let letter = message.rsplit('\'').nth(1).unwrap_or("").trim_start_matches('-').trim_start();
            ctx.warn_plain(format_args!("There is no -{letter} option (\"less --help\" for help)"));
            return Ok(ExitStatus::SUCCESS);
        }
        options => options?,
    };
    for operand in ctx.inputs(&options.operands) {
        if let Err(error) = copy(ctx, &operand).await {
            let errno = error.errno()?;
            let line = match errno {
                Errno::IsDirectory => format!("{operand} is a directory\n"),
                _ => format!("{operand}: {}\n", errno.message()),
            };
            ctx.stdout.write(line.as_bytes()).await?;
        }
    }
    Ok(ExitStatus::SUCCESS)
}

/// Copies a file to standard output.
pub(super) async fn copy(ctx: &mut Context, operand: &[u8]) -> Result<(), OperandError> {
    let mut input = ctx.open_input(operand)?;
    loop {
        ctx.check().await?;
        let block = input.fill().await?;
        if block.is_empty() {
            return Ok(());
        }
        ctx.stdout.write(block).await?;
        let count = block.len();
        input.consume(count);
    }
}
