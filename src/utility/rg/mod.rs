//! `rg`: searches files and folders for patterns. ripgrep(1) 13, as `rg --sort path` orders what it finds.
//!
//! `arguments` reads the command line (`option` names the options), `settings`, `pattern`, `types`, `filter` and `color` what
//! they mean; `walk` goes through operands and folders, `search` through one input, `print` and `json` tell what is found. Lines are found by the matcher of `grep`, ignore files are read as git reads them.
//!
//! Files come in the order of their names, always: there are no threads. Encodings other than UTF-8, and UTF-16 with a byte
//! order mark, are refused by name, as are `-z`, `--pre` and what is there for those who debug ripgrep.

mod arguments;
mod color;
mod filter;
mod json;
mod option;
mod pattern;
mod print;
mod replace;
mod search;
mod settings;
mod statistics;
mod type_table;
mod types;
mod walk;

use crate::memory::{String, ToMetered, Vec, format};
use crate::utility::context::options::help;
use crate::utility::prelude::*;
use crate::vfs::FileKind;
use arguments::Arguments;
use filter::Filter;
use option::Opt;
use pattern::Patterns;
use replace::Replacement;
use settings::Settings;
use statistics::Statistics;
use types::Types;

pub(super) const UTILITY: Utility = Utility {
    name: "rg",
    summary: "search recursively for lines that match a pattern",
    usage: "rg [OPTIONS] PATTERN [PATH ...]\nrg [OPTIONS] -e PATTERN ... [PATH ...]\nrg [OPTIONS] --files [PATH ...]",
    options: Opt::TABLE,
    examples: &[
        example("mkdir d; echo abc >d/f; rg -n b .", "./d/f:1:abc\n"),
        example("echo 'key=value' | rg -o '(\\w+)=(\\w+)' -r '$2'", "value\n"),
    ],
    usage_status: 2,
    run: start!(run),
    ..Utility::BASE
};

/// What is known while inputs are searched.
struct Rg {
    settings: Settings,
    walk: walk::Settings,
    filter: Filter,
    patterns: Patterns,
    replacement: Option<Replacement>,
    statistics: Statistics,
    /// Whether output lines begin with the file's name.
    with_name: bool,
    /// Standard input is searched where no path is given.
    reads_input: bool,
    /// Whether a line was printed, so that something stands between it and the next file's.
    has_printed: bool,
    has_matched: bool,
    has_failed: bool,
}

/// Exit status: 0 when something was found, 1 when nothing was, 2 after an error (with `-q`, only when nothing was found).
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    match search(ctx).await {
        // Messages are ripgrep's, without a name before them.
        Err(UtilityError::Failed { message, status }) => {
            ctx.stdout.flush().await?;
            say(ctx, format_args!("{message}"));
            Ok(ExitStatus(status))
        }
        ended => ended,
    }
}

async fn search(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let started = ctx.session.clock.monotonic();
    ctx.utility = Some(&UTILITY);
    let words = words(ctx).await?;
    let mut arguments = Arguments::parse(words).map_err(|message| arguments::told(&message))?;
    if arguments.has(Opt::Help) {
        ctx.stdout.push(help(&UTILITY, UTILITY.options).as_bytes());
        return Ok(ExitStatus::SUCCESS);
    }
    if arguments.has(Opt::Version) {
        ctx.stdout.push(b"ripgrep 13.0.0\n");
        return Ok(ExitStatus::SUCCESS);
    }
    if arguments.has(Opt::TypeList) {
        ctx.stdout.push(&Types::new(&arguments)?.list());
        return Ok(ExitStatus::SUCCESS);
    }
    let mut operands = std::mem::take(&mut arguments.operands);
    let terminal = ctx.env.get(b"TERM").filter(|_| ctx.env.get(b"NO_COLOR").is_none());
    let has_terminal = terminal.is_some_and(|name| name.as_bytes() != b"dumb");
    let settings = Settings::new(&arguments, has_terminal)?;
    let walk = walk::Settings::new(&arguments)?;
    let given =
        if walk.only_names { Vec::new() } else { pattern::given(ctx, &arguments, &mut operands).await? };
    let filter = Filter::new(ctx, &arguments).await?;
    let patterns = pattern::compile(ctx, &arguments, &settings, given).await?;
    let replacement = settings.replacement.as_ref().map(|text| Replacement::new(text, &patterns));
    let is_folder = |path: &Text| ctx.stat(path).is_ok_and(|metadata| metadata.is_directory());
    let reads_input = operands.is_empty() && !walk.only_names && has_input(ctx);
    let with_name = settings.with_name.unwrap_or_else(|| match operands.as_slice() {
        [] => !reads_input,
        [only] => is_folder(only),
        _ => true,
    });
    let mut rg = Rg {
        settings,
        walk,
        filter,
        patterns,
        replacement,
        statistics: Statistics::default(),
        with_name,
        reads_input,
        has_printed: false,
        has_matched: false,
        has_failed: false,
    };
    if rg.settings.max_count > 0 || rg.walk.only_names {
        walk::search_operands(ctx, &mut rg, operands).await?;
    }
    statistics::finish(ctx, &rg, started).await?;
    Ok(match (rg.has_matched, rg.has_failed) {
        (true, true) if rg.settings.report == settings::Report::Nothing => ExitStatus::SUCCESS,
        (_, true) => ExitStatus(2),
        (true, false) => ExitStatus::SUCCESS,
        (false, false) => ExitStatus::FAILURE,
    })
}

/// The words of the configuration file, then those of the command line.
async fn words(ctx: &mut Context) -> Result<Vec<Text>, UtilityError> {
    let given = std::mem::take(&mut ctx.args);
    let is_off = given
        .iter()
        .take_while(|word| word.as_bytes() != b"--")
        .any(|word| word.as_bytes() == b"--no-config");
    let path = ctx.env.get(b"RIPGREP_CONFIG_PATH").filter(|path| !path.is_empty() && !is_off).cloned();
    let Some(path) = path else { return Ok(given) };
    let mut words = Vec::new();
    let mut input = match ctx.open(&path) {
        Ok(input) => input,
        Err(FsError::Limit(limit)) => return Err(limit.into()),
        Err(FsError::Errno(errno)) => {
            say(ctx, format_args!("{path}: {}\n", os_error(errno)));
            return Ok(given);
        }
    };
    while let Ok(Some(line)) = input.next_line(b'\n').await {
        let line = line.trim_ascii().to_metered();
        ctx.tick().await?;
        if !line.is_empty() && !line.starts_with(b"#") {
            words.push(Text::from(line));
        }
    }
    words.extend(given);
    Ok(words)
}

/// Whether standard input is something to be searched: a file or a pipe.
fn has_input(ctx: &Context) -> bool {
    let Some(description) = ctx.description(0).filter(|description| description.is_readable()) else {
        return false;
    };
    match description.metadata() {
        Some(metadata) => matches!(metadata.kind, FileKind::Regular | FileKind::Fifo),
        None => true,
    }
}

/// Prints a message at once, as it is.
fn say(ctx: &mut Context, message: std::fmt::Arguments<'_>) {
    ctx.stderr.push(format!("{message}").as_bytes());
    ctx.stderr.flush_now();
}

/// An error as the library of ripgrep's language tells it.
fn os_error(errno: Errno) -> String {
    format!("{} (os error {})", errno.message(), errno.number())
}
