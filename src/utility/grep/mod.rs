//! `grep`: prints lines that match patterns. GNU grep(1) 3.8; `egrep` and `fgrep` share it.
//!
//! `settings` reads the options, `matcher` compiles the patterns, `walk` goes through operands and directories, `search`
//! goes through one input block by block, `print` writes lines, `color` marks what stands in them.

mod color;
pub(in crate::utility) mod matcher;
mod print;
mod search;
mod selection;
mod settings;
mod walk;

use crate::utility::prelude::*;
use crate::utility::regex::has_bare_class;
use matcher::Matcher;
use settings::{GrepOptions, Report, Syntax};

pub(super) const UTILITY: Utility = Utility {
    name: "grep",
    summary: "print lines that match patterns",
    usage: "grep [OPTION]... PATTERNS [FILE]...",
    options: Opt::TABLE,
    examples: &[example("printf 'abc\\nxyz\\n' | grep -n y", "2:xyz\n")],
    usage_status: 2,
    run: start!(start_basic),
    ..Utility::BASE
};

// In this order GNU grep names what an abbreviation may mean.
options! {
    pub(super) enum Opt {
        BasicRegexp = flag('G', "basic-regexp", "PATTERNS are basic regular expressions"),
        ExtendedRegexp = flag('E', "extended-regexp", "PATTERNS are extended regular expressions"),
        FixedStrings = flag('F', "fixed-strings", "PATTERNS are strings"),
        PerlRegexp = flag('P', "perl-regexp", "PATTERNS are Perl regular expressions"),
        AfterContext = value('A', "after-context", "NUM", "print NUM lines of trailing context"),
        BeforeContext = value('B', "before-context", "NUM", "print NUM lines of leading context"),
        BinaryFiles = value(
            '\0',
            "binary-files",
            "TYPE",
            "assume that binary files are 'binary', 'text', or 'without-match'",
        ),
        LineBuffered = flag('\0', "line-buffered", "flush output on every line"),
        ByteOffset = flag('b', "byte-offset", "print the byte offset with output lines"),
        Context = value('C', "context", "NUM", "print NUM lines of output context"),
        Color = optional('\0', "color", "WHEN", "mark the matching strings: 'always', 'never', or 'auto'")
            | optional('\0', "colour", "WHEN", "the same as --color"),
        Count = flag('c', "count", "print only a count of selected lines per FILE"),
        Devices = value('D', "devices", "ACTION", "how to handle devices and FIFOs: 'read' or 'skip'"),
        Directories = value(
            'd',
            "directories",
            "ACTION",
            "how to handle directories: 'read', 'recurse', or 'skip'",
        ),
        Exclude = value('\0', "exclude", "GLOB", "skip files that match GLOB"),
        ExcludeFrom = value('\0', "exclude-from", "FILE", "skip files that match any file pattern from FILE"),
        ExcludeDir = value('\0', "exclude-dir", "GLOB", "skip directories that match GLOB"),
        File = value('f', "file", "FILE", "take PATTERNS from FILE"),
        FilesWithMatches = flag('l', "files-with-matches", "print only names of FILEs with selected lines"),
        FilesWithoutMatch = flag(
            'L',
            "files-without-match",
            "print only names of FILEs with no selected lines",
        ),
        GroupSeparator = value(
            '\0',
            "group-separator",
            "SEP",
            "print SEP on line between matches with context",
        ),
        Include = value('\0', "include", "GLOB", "search only files that match GLOB (a file pattern)"),
        IgnoreCase = flag('i', "ignore-case", "ignore case distinctions in patterns and data"),
        NoIgnoreCase = flag('\0', "no-ignore-case", "do not ignore case distinctions (default)"),
        InitialTab = flag('T', "initial-tab", "make tabs line up (if needed)"),
        Label = value('\0', "label", "LABEL", "use LABEL as the standard input file name prefix"),
        LineNumber = flag('n', "line-number", "print line number with output lines"),
        LineRegexp = flag('x', "line-regexp", "match only whole lines"),
        MaxCount = value('m', "max-count", "NUM", "stop after NUM selected lines"),
        NoFilename = flag('h', "no-filename", "suppress the file name prefix on output"),
        NoGroupSeparator = flag(
            '\0',
            "no-group-separator",
            "do not print separator for matches with context",
        ),
        NoMessages = flag('s', "no-messages", "suppress error messages"),
        Null = flag('Z', "null", "print 0 byte after FILE name"),
        NullData = flag('z', "null-data", "a data line ends in 0 byte, not newline"),
        OnlyMatching = flag('o', "only-matching", "show only nonempty parts of lines that match"),
        Quiet = flag('q', "quiet", "suppress all normal output"),
        Recursive = flag('r', "recursive", "like --directories=recurse"),
        DereferenceRecursive = flag('R', "dereference-recursive", "likewise, but follow all symlinks"),
        Regexp = value('e', "regexp", "PATTERNS", "use PATTERNS for matching"),
        InvertMatch = flag('v', "invert-match", "select non-matching lines"),
        Silent = flag('\0', "silent", "suppress all normal output"),
        Text = flag('a', "text", "equivalent to --binary-files=text"),
        Binary = flag('U', "binary", "do not strip CR characters (they never are)"),
        UnixByteOffsets = flag('u', "unix-byte-offsets", "obsolete, has no effect"),
        WithFilename = flag('H', "with-filename", "print file name with output lines"),
        WordRegexp = flag('w', "word-regexp", "match only whole words"),
        ObsoleteIgnoreCase = flag('y', "", "the same as -i"),
        Version = flag('V', "", "display version information and exit"),
        WithoutMatch = flag('I', "", "equivalent to --binary-files=without-match"),
        Digits = number("NUM", "same as --context=NUM"),
    }
}

async fn start_basic(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    run(ctx, &UTILITY, Syntax::Basic).await
}

pub(super) async fn start_extended(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    run(ctx, &super::egrep::UTILITY, Syntax::Extended).await
}

pub(super) async fn start_fixed(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    run(ctx, &super::fgrep::UTILITY, Syntax::Fixed).await
}

/// What is known while operands are searched.
struct Grep {
    settings: GrepOptions,
    matcher: Matcher,
    /// Whether output lines begin with the file's name.
    with_name: bool,
    /// Whether a line was printed, so that a separator goes before the next group.
    has_printed: bool,
    has_selected: bool,
    has_failed: bool,
}

/// Exit status: 0 when a line was selected, 1 when none was, 2 after an error (with `-q`, only when none was selected).
async fn run(
    ctx: &mut Context,
    utility: &'static Utility,
    syntax: Syntax,
) -> Result<ExitStatus, UtilityError> {
    let (settings, operands) = settings::parse(ctx, utility, syntax).await?;
    if settings.report != Report::NamesWithout && (settings.max_count == 0 || settings.selects_nothing()) {
        return Ok(ExitStatus::FAILURE);
    }
    if settings.syntax == Syntax::Perl && settings.patterns.len() > 1 {
        let message = "the -P option only supports a single pattern".into();
        return Err(UtilityError::Failed { message, status: 2 });
    }
    for pattern in &settings.patterns {
        ctx.compiles(pattern).await;
    }
    let matcher = match Matcher::new(&settings, &ctx.meter) {
        Ok(matcher) => matcher,
        Err(error) => {
            if !tell_faults(ctx, &settings) {
                return Err(super::context::ticker::search_error(&ctx.meter, &error, 2));
            }
            return Ok(ExitStatus(2));
        }
    };
    let has_brackets = matches!(settings.syntax, Syntax::Basic | Syntax::Extended);
    if has_brackets && settings.patterns.iter().any(|pattern| has_bare_class(pattern)) {
        let message = "character class syntax is [[:space:]], not [:space:]".into();
        return Err(UtilityError::Failed { message, status: 2 });
    }
    for warning in matcher::warnings(&settings) {
        ctx.warn(warning);
    }
    let mut grep = Grep {
        with_name: settings.with_name.unwrap_or(operands.len() > 1),
        settings,
        matcher,
        has_printed: false,
        has_selected: false,
        has_failed: false,
    };
    walk::search_operands(ctx, &mut grep, operands).await?;
    let is_quiet_success = grep.has_selected && grep.settings.is_quiet;
    Ok(match (grep.has_failed && !is_quiet_success, grep.has_selected) {
        (true, _) => ExitStatus(2),
        (false, true) => ExitStatus::SUCCESS,
        (false, false) => ExitStatus::FAILURE,
    })
}

/// Tells what is wrong with each pattern, and where those of a file stand; false where no pattern by itself is wrong.
fn tell_faults(ctx: &mut Context, settings: &GrepOptions) -> bool {
    let mut is_told = false;
    for (index, pattern) in settings.patterns.iter().enumerate() {
        let Some(error) = matcher::fault(settings, pattern, &ctx.meter) else { continue };
        match settings.places.get(index) {
            Some(Some((file, line))) => ctx.warn(format_args!("{file}:{line}: {error}")),
            _ => ctx.warn(error),
        };
        is_told = true;
    }
    is_told
}

#[cfg(test)]
mod tests;
