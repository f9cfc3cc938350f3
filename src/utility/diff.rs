//! `diff`: compares files line by line. GNU diffutils diff(1).
//!
//! Lines become numbers, equal lines the same one (`diff/lines.rs`); Myers' algorithm finds which numbers were deleted and
//! inserted (`diff/myers.rs`); runs of those are changes (`diff/change.rs`), printed in one of the formats (`diff/format.rs`,
//! `diff/side.rs`, `diff/merged.rs`). Directories are walked with a list of pairs that are still to be compared
//! (`diff/pair.rs`, `diff/directory.rs`).

mod change;
mod color;
mod directory;
mod discard;
mod format;
mod ignored;
mod lines;
mod merged;
mod myers;
mod pair;
mod printer;
mod settings;
mod side;

use crate::memory::{String, Vec, format, vec};
use crate::utility::prelude::*;
use pair::Pair;
use printer::State;
use settings::Settings;

options! {
    enum Opt {
        Normal = flag('\0', "normal", "output a normal diff (the default)"),
        Brief = flag('q', "brief", "report only when files differ"),
        ReportIdenticalFiles = flag('s', "report-identical-files", "report when two files are the same"),
        Context = flag('c', "", "output 3 lines of copied context")
            | value('C', "", "NUM", "output NUM lines of copied context")
            | optional('\0', "context", "NUM", "output NUM (default 3) lines of copied context"),
        Unified = flag('u', "", "output 3 lines of unified context")
            | value('U', "", "NUM", "output NUM lines of unified context")
            | optional('\0', "unified", "NUM", "output NUM (default 3) lines of unified context"),
        Digits = number("NUM", "NUM lines of context, with -c or -u"),
        Ed = flag('e', "ed", "output an ed script"),
        ForwardEd = flag('f', "forward-ed", "output what looks like an ed script, in the order of the file"),
        Rcs = flag('n', "rcs", "output an RCS format diff"),
        SideBySide = flag('y', "side-by-side", "output in two columns"),
        Width = value('W', "width", "NUM", "output at most NUM (default 130) print columns"),
        LeftColumn = flag('\0', "left-column", "output only the left column of common lines"),
        SuppressCommonLines = flag('\0', "suppress-common-lines", "do not output common lines"),
        ShowCFunction = flag('p', "show-c-function", "show which C function each change is in"),
        ShowFunctionLine = value('F', "show-function-line", "RE", "show the most recent line matching RE"),
        Label = value(
            'L',
            "label",
            "LABEL",
            "use LABEL instead of file name and timestamp (can be repeated)",
        ),
        ExpandTabs = flag('t', "expand-tabs", "expand tabs to spaces in output"),
        InitialTab = flag('T', "initial-tab", "make tabs line up by prepending a tab"),
        TabSize = value('\0', "tabsize", "NUM", "tab stops every NUM (default 8) print columns"),
        SuppressBlankEmpty = flag(
            '\0',
            "suppress-blank-empty",
            "suppress space or tab before empty output lines",
        ),
        Paginate = flag('l', "paginate", "pass output through 'pr' to paginate it"),
        Recursive = flag('r', "recursive", "recursively compare any subdirectories found"),
        NoDereference = flag('\0', "no-dereference", "don't follow symbolic links"),
        NewFile = flag('N', "new-file", "treat absent files as empty"),
        UnidirectionalNewFile = flag('P', "unidirectional-new-file", "treat absent first files as empty"),
        IgnoreFileNameCase = flag('\0', "ignore-file-name-case", "ignore case when comparing file names"),
        NoIgnoreFileNameCase = flag(
            '\0',
            "no-ignore-file-name-case",
            "consider case when comparing file names",
        ),
        Exclude = value('x', "exclude", "PAT", "exclude files that match PAT"),
        ExcludeFrom = value('X', "exclude-from", "FILE", "exclude files that match any pattern in FILE"),
        StartingFile = value('S', "starting-file", "FILE", "start with FILE when comparing directories"),
        FromFile = value('\0', "from-file", "FILE1", "compare FILE1 to all operands"),
        ToFile = value('\0', "to-file", "FILE2", "compare all operands to FILE2"),
        IgnoreCase = flag('i', "ignore-case", "ignore case differences in file contents"),
        IgnoreTabExpansion = flag('E', "ignore-tab-expansion", "ignore changes due to tab expansion"),
        IgnoreTrailingSpace = flag('Z', "ignore-trailing-space", "ignore white space at line end"),
        IgnoreSpaceChange = flag('b', "ignore-space-change", "ignore changes in the amount of white space"),
        IgnoreAllSpace = flag('w', "ignore-all-space", "ignore all white space"),
        IgnoreBlankLines = flag('B', "ignore-blank-lines", "ignore changes where lines are all blank"),
        IgnoreMatchingLines = value(
            'I',
            "ignore-matching-lines",
            "RE",
            "ignore changes where all lines match RE (can be repeated)",
        ),
        Text = flag('a', "text", "treat all files as text"),
        StripTrailingCr = flag('\0', "strip-trailing-cr", "strip trailing carriage return on input"),
        IfDef = value('D', "ifdef", "NAME", "output merged file with '#ifdef NAME' diffs"),
        OldGroupFormat = value('\0', "old-group-format", "GFMT", "format groups of the first file with GFMT"),
        NewGroupFormat = value('\0', "new-group-format", "GFMT", "format groups of the second file with GFMT"),
        UnchangedGroupFormat = value('\0', "unchanged-group-format", "GFMT", "format common groups with GFMT"),
        ChangedGroupFormat = value('\0', "changed-group-format", "GFMT", "format changed groups with GFMT"),
        LineFormat = value('\0', "line-format", "LFMT", "format all input lines with LFMT"),
        OldLineFormat = value('\0', "old-line-format", "LFMT", "format lines of the first file with LFMT"),
        NewLineFormat = value('\0', "new-line-format", "LFMT", "format lines of the second file with LFMT"),
        UnchangedLineFormat = value('\0', "unchanged-line-format", "LFMT", "format common lines with LFMT"),
        Minimal = flag('d', "minimal", "try hard to find a smaller set of changes"),
        HorizonLines = value(
            '\0',
            "horizon-lines",
            "NUM",
            "keep NUM lines of the common prefix and suffix",
        ),
        SpeedLargeFiles = flag(
            'H',
            "speed-large-files",
            "assume large files and many scattered small changes",
        ),
        Color = optional('\0', "color", "WHEN", "color output; WHEN is 'never', 'always', or 'auto' (no terminal)"),
        Palette = value('\0', "palette", "PALETTE", "the colors to use when --color is active"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "diff",
    summary: "compare FILES line by line",
    usage: "diff [OPTION]... FILES",
    options: Opt::TABLE,
    examples: &[example("printf 'a\n' >x; printf 'b\n' >y; diff x y", "1c1\n< a\n---\n> b\n")],
    run: start!(run),
    usage_status: 2,
    ..Utility::BASE
};

/// Exit status of everything that goes wrong.
const TROUBLE: ExitStatus = ExitStatus(2);

/// What ends the program.
fn trouble(message: String) -> UtilityError {
    UtilityError::Failed { message, status: TROUBLE.0 }
}

/// Exit status: 0 the same, 1 different, 2 trouble.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let args = ctx.args.clone();
    let (options, end) = ctx.parse_options_in_order::<Opt>(&UTILITY);
    // An argument that is wrong is told before an option after it that is not known.
    let settings = Settings::of(ctx, &options, &args).await.map_err(|error| with_hint("diff", error))?;
    if let Err(end) = end {
        return Err(with_hint("diff", end.tell(&mut ctx.stdout)));
    }
    let operands = &options.operands;
    let mut pairs = Vec::new();
    match (&settings.from, &settings.to) {
        (Some(_), Some(_)) => return Err(trouble("--from-file and --to-file both specified".into())),
        (Some(from), None) => pairs.extend(operands.iter().map(|operand| [from.clone(), operand.clone()])),
        (None, Some(to)) => pairs.extend(operands.iter().map(|operand| [operand.clone(), to.clone()])),
        (None, None) => match operands.as_slice() {
            [left, right] => pairs.push([left.clone(), right.clone()]),
            [_, _, extra, ..] => return Err(operand_error("extra operand", extra)),
            few => {
                let after = few.last().or(args.last()).cloned().unwrap_or(Text::from_static(b"diff"));
                return Err(operand_error("missing operand after", &after));
            }
        },
    }
    let mut status = ExitStatus::SUCCESS;
    let mut state = State::default();
    for paths in pairs {
        // The pair to be compared next is last.
        let mut pending = vec![Pair { paths: pair::file_in_directory(ctx, paths).map(Some), depth: 0 }];
        while let Some(pair) = pending.pop() {
            ctx.tick().await?;
            status = status.max(pair::compare(ctx, &settings, &pair, &mut pending, &mut state).await?);
        }
    }
    ctx.stdout.write(&state.messages).await?;
    Ok(status)
}

fn operand_error(what: &str, operand: &[u8]) -> UtilityError {
    let text = format!("{what} '{}'", String::from_utf8_lossy(operand));
    with_hint("diff", UtilityError::Usage(text))
}

/// A usage error of the diffutils: their hint has the name of the program too.
pub(super) fn with_hint(name: &str, error: UtilityError) -> UtilityError {
    match error {
        UtilityError::Usage(text) => UtilityError::Failed {
            message: format!("{text}\n{name}: Try '{name} --help' for more information."),
            status: TROUBLE.0,
        },
        error => error,
    }
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::run;

    const FILES: [(&str, &str); 8] = [
        ("a", "abc\nd"),
        ("b", "abc\nd\ne"),
        ("d1/x", "1\n"),
        ("d2/x", "2\n"),
        ("d1/o", "o\n"),
        ("d2/s/q", "q\n"),
        ("d1/s/r", "r\n"),
        ("blank", "abc\n\nd"),
    ];

    fn diff(args: &[&str]) -> (String, u8) {
        let outcome = run("diff", args, b"", &FILES);
        (outcome.stdout + &outcome.stderr, outcome.status)
    }

    #[test]
    fn normal_and_unified() {
        let no_newline = "\\ No newline at end of file\n";
        let body = format!("< d\n{no_newline}---\n> d\n> e\n{no_newline}");
        assert_eq!(diff(&["a", "b"]), (format!("2c2,3\n{body}"), 1));
        let unified = format!("--- x\n+++ y\n@@ -1,2 +1,3 @@\n abc\n-d\n{no_newline}+d\n+e\n{no_newline}");
        assert_eq!(diff(&["-u", "-L", "x", "-L", "y", "a", "b"]), (unified, 1));
        assert_eq!(diff(&["a", "a"]), (String::new(), 0));
        assert_eq!(diff(&["-B", "a", "blank"]), (String::new(), 0));
        assert_eq!(diff(&["-q", "a", "b"]).0, "Files a and b differ\n");
        assert_eq!(diff(&["a", "nope"]), ("diff: nope: No such file or directory\n".into(), 2));
    }

    #[test]
    fn directories() {
        let want = "Only in d1: o\nOnly in d1/s: r\nOnly in d2/s: q\ndiff -r d1/x d2/x\n1c1\n< 1\n---\n> 2\n";
        let (found, status) = diff(&["-r", "d1", "d2"]);
        assert_eq!(
            (
                found.replace("Only in d2/s: q\nOnly in d1/s: r\n", "Only in d1/s: r\nOnly in d2/s: q\n"),
                status
            ),
            (want.into(), 1)
        );
        assert!(diff(&["d1", "d2"]).0.contains("Common subdirectories: d1/s and d2/s\n"));
        assert!(diff(&["-rN", "d1", "d2"]).0.contains("diff -rN d1/o d2/o\n1d0\n< o\n"));
    }
}
