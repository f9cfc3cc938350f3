//! `diff`: compares files line by line. GNU diffutils diff(1).
//!
//! Lines become numbers, equal lines the same one (`diff/lines.rs`); Myers' algorithm finds which numbers were deleted and
//! inserted (`diff/myers.rs`); runs of those are changes, printed in the normal or the unified format (`diff/format.rs`).
//! Directories are walked with a list of pairs that are still to be compared.

mod format;
mod ignored;
mod lines;
mod myers;

use crate::limit::Meter;
use crate::memory::{BTreeMap, BTreeSet, JoinMetered, String, ToMetered, Vec, format, vec};
use crate::utility::prelude::*;
use crate::vfs::{FileKind, Metadata};
use ignored::Ignored;
use lines::{File, Normal};

options! {
    enum Opt {
        Normal = flag('\0', "normal", "output a normal diff (the default)"),
        Brief = flag('q', "brief", "report only when files differ"),
        ReportIdenticalFiles = flag('s', "report-identical-files", "report when two files are the same"),
        Unified = flag('u', "", "output 3 lines of unified context")
            | value('U', "unified", "NUM", "output NUM lines of unified context"),
        Label = value(
            'L',
            "label",
            "LABEL",
            "use LABEL instead of file name and timestamp (can be repeated)",
        ),
        Recursive = flag('r', "recursive", "recursively compare any subdirectories found"),
        NewFile = flag('N', "new-file", "treat absent files as empty"),
        IgnoreCase = flag('i', "ignore-case", "ignore case differences in file contents"),
        IgnoreAllSpace = flag('w', "ignore-all-space", "ignore all white space"),
        IgnoreSpaceChange = flag('b', "ignore-space-change", "ignore changes in the amount of white space"),
        IgnoreTrailingSpace = flag('Z', "ignore-trailing-space", "ignore white space at line end"),
        IgnoreBlankLines = flag('B', "ignore-blank-lines", "ignore changes where lines are all blank"),
        IgnoreMatchingLines = value(
            'I',
            "ignore-matching-lines",
            "RE",
            "ignore changes where all lines match RE (can be repeated)",
        ),
        StripTrailingCr = flag('\0', "strip-trailing-cr", "strip trailing carriage return on input"),
        Text = flag('a', "text", "treat all files as text"),
        Minimal = flag('d', "minimal", "try hard to find a smaller set of changes"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "diff",
    summary: "compare FILES line by line",
    usage: "diff [OPTION]... FILES",
    options: Opt::TABLE,
    examples: &[example("printf 'a\\n' >x; printf 'b\\n' >y; diff x y", "1c1\n< a\n---\n> b\n")],
    run: start!(run),
    usage_status: 2,
    ..Utility::BASE
};

/// Exit status of everything that goes wrong.
const TROUBLE: ExitStatus = ExitStatus(2);

struct ComparisonOptions {
    brief: bool,
    report_identical: bool,
    /// Lines of context; `None`: the normal format.
    context: Option<usize>,
    labels: Vec<Text>,
    recursive: bool,
    new_file: bool,
    ignored: Ignored,
    text: bool,
    minimal: bool,
    normal: Normal,
    /// The options as given, for the line before each pair of files of two directories.
    command: String,
}

/// Two paths to compare; `None` for one that does not exist.
struct Pair {
    paths: [Option<Text>; 2],
    depth: usize,
}

/// Exit status: 0 the same, 1 different, 2 trouble.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let args = ctx.args.clone();
    let options = ctx.parse_options::<Opt>(&UTILITY).map_err(|error| with_hint("diff", error))?;
    let settings =
        ComparisonOptions::of(&options, &args, &ctx.meter).map_err(|error| with_hint("diff", error))?;
    let paths = match options.operands.as_slice() {
        [left, right] => [left.clone(), right.clone()],
        [] => return Err(with_hint("diff", UtilityError::Usage("missing operand after 'diff'".into()))),
        [only] => {
            let text = format!("missing operand after {}", quote_name(only));
            return Err(with_hint("diff", UtilityError::Usage(text)));
        }
        [_, _, extra, ..] => {
            let text = format!("extra operand {}", quote_name(extra));
            return Err(with_hint("diff", UtilityError::Usage(text)));
        }
    };
    let mut status = ExitStatus::SUCCESS;
    // The pair to be compared next is last.
    let mut pending = vec![Pair { paths: file_in_directory(ctx, paths).map(Some), depth: 0 }];
    while let Some(pair) = pending.pop() {
        ctx.tick().await?;
        status = status.max(compare(ctx, &settings, &pair, &mut pending).await?);
    }
    Ok(status)
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

impl ComparisonOptions {
    fn of(
        options: &Options<Opt>,
        args: &[Text],
        meter: &std::sync::Arc<Meter>,
    ) -> Result<Self, UtilityError> {
        let mut context = None;
        for (option, argument) in options.given() {
            match (option, argument) {
                (Opt::Unified, None) => context = context.max(Some(3)),
                (Opt::Unified, Some(text)) => {
                    let number = super::format::count::parse_digits(text).ok_or_else(|| {
                        UtilityError::Usage(format!("invalid context length {}", quote_name(text)))
                    })?;
                    context = Some(usize::try_from(number).unwrap_or(usize::MAX));
                }
                _ => {}
            }
        }
        let mut operands = options.operands.iter().peekable();
        let mut command = String::from("diff");
        for arg in args {
            if operands.peek() == Some(&arg) {
                operands.next();
            } else {
                command.push(' ');
                command.push_str(&quote_operand(arg));
            }
        }
        Ok(Self {
            brief: options.has(Opt::Brief),
            report_identical: options.has(Opt::ReportIdenticalFiles),
            context,
            labels: options.values(Opt::Label).cloned().collect(),
            recursive: options.has(Opt::Recursive),
            new_file: options.has(Opt::NewFile),
            ignored: Ignored::of(options, meter)?,
            text: options.has(Opt::Text),
            minimal: options.has(Opt::Minimal),
            normal: Normal {
                case: options.has(Opt::IgnoreCase),
                all_space: options.has(Opt::IgnoreAllSpace),
                space_change: options.has(Opt::IgnoreSpaceChange),
                trailing_space: options.has(Opt::IgnoreTrailingSpace),
                carriage_return: options.has(Opt::StripTrailingCr),
            },
            command,
        })
    }
}

fn metadata(ctx: &Context, path: &[u8]) -> Result<Option<Metadata>, FsError> {
    if path == b"-" {
        return Ok(ctx.description(0).and_then(|description| description.metadata()));
    }
    ctx.session.fs.metadata(&ctx.absolute(path)).map(Some)
}

fn is_directory(ctx: &Context, path: &[u8]) -> bool {
    metadata(ctx, path).is_ok_and(|metadata| metadata.is_some_and(|metadata| metadata.is_directory()))
}

/// A file and a directory: the file of that name in the directory is meant.
fn file_in_directory(ctx: &Context, [left, right]: [Text; 2]) -> [Text; 2] {
    let inside = |directory: &Text, file: &Text| {
        let name = file.rsplit(|byte| *byte == b'/').find(|part| !part.is_empty()).unwrap_or(file);
        join(directory, name)
    };
    match (is_directory(ctx, &left), is_directory(ctx, &right)) {
        (true, false) if right.as_bytes() != b"-" && metadata(ctx, &right).is_ok() => {
            [inside(&left, &right), right]
        }
        (false, true) if left.as_bytes() != b"-" && metadata(ctx, &left).is_ok() => {
            let file = inside(&right, &left);
            [left, file]
        }
        _ => [left, right],
    }
}

fn join(directory: &[u8], name: &[u8]) -> Text {
    let slash: &[u8] = if directory.ends_with(b"/") { b"" } else { b"/" };
    Text::from([directory, slash, name].concat_metered())
}

/// Compares a pair; the entries of two directories are put on the list.
async fn compare(
    ctx: &mut Context,
    settings: &ComparisonOptions,
    pair: &Pair,
    pending: &mut Vec<Pair>,
) -> Result<ExitStatus, UtilityError> {
    if !settings.new_file
        && let [Some(only), None] | [None, Some(only)] = &pair.paths
    {
        let slash = only.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
        let (directory, name) = (only.get(..slash).unwrap_or(&[]), only.get(slash + 1..).unwrap_or(&[]));
        ctx.stdout.write(&[b"Only in ", directory, b": ", name, b"\n"].concat_metered()).await?;
        return Ok(ExitStatus::FAILURE);
    }
    let mut found = [None, None];
    let mut status = ExitStatus::SUCCESS;
    for (slot, path) in found.iter_mut().zip(&pair.paths) {
        let Some(path) = path else { continue };
        match metadata(ctx, path) {
            Ok(metadata) => *slot = Some(metadata),
            Err(FsError::Errno(Errno::NotFound)) if settings.new_file => {}
            Err(error) => {
                let errno = OperandError::from(error).errno()?;
                ctx.stdout.flush().await?;
                ctx.warn(format_args!("{}: {}", quote_plain(path), errno.message()));
                status = TROUBLE;
            }
        }
    }
    let name = |index: usize| pair.paths.get(index).cloned().flatten();
    if found.iter().all(Option::is_none) && status.is_success() {
        if let Some(path) = name(0).or(name(1)) {
            for path in [name(0).unwrap_or_else(|| path.clone()), name(1).unwrap_or(path)] {
                ctx.warn(format_args!("{}: {}", quote_plain(&path), Errno::NotFound.message()));
            }
        }
        return Ok(TROUBLE);
    }
    if !status.is_success() {
        return Ok(status);
    }
    let kinds = found.map(|found| found.map(|metadata| metadata.map_or(FileKind::Regular, |data| data.kind)));
    let [left, right] = kinds.map(|kind| kind.map(|kind| kind == FileKind::Directory));
    match (left, right) {
        (Some(true) | None, Some(true)) | (Some(true), None) => {
            if pair.depth > 0 && !settings.recursive {
                let (left, right) = (show(name(0)), show(name(1)));
                let text = [
                    b"Common subdirectories: ",
                    left.as_slice(),
                    b" and ",
                    &right,
                    b"
",
                ]
                .concat_metered();
                ctx.stdout.write(&text).await?;
                return Ok(ExitStatus::SUCCESS);
            }
            list_directories(ctx, settings, pair, pending).await
        }
        (Some(true), Some(false)) | (Some(false), Some(true)) => {
            let [first, second] = if left == Some(true) {
                ["directory", "regular file"]
            } else {
                ["regular file", "directory"]
            };
            let (left, right) = (show(name(0)), show(name(1)));
            let mut text =
                [b"File ", left.as_slice(), b" is a ", first.as_bytes(), b" while file "].concat_metered();
            text.extend([&right, b" is a ".as_slice(), second.as_bytes(), b"\n"].concat_metered());
            ctx.stdout.write(&text).await?;
            Ok(ExitStatus::FAILURE)
        }
        _ => compare_files(ctx, settings, pair, [left.is_some(), right.is_some()]).await,
    }
}

fn show(path: Option<Text>) -> Vec<u8> {
    path.unwrap_or_default().to_metered()
}

/// The diffutils print names in messages as they are.
fn quote_plain(name: &[u8]) -> String {
    String::from_utf8_lossy(name)
}

async fn list_directories(
    ctx: &mut Context,
    settings: &ComparisonOptions,
    pair: &Pair,
    pending: &mut Vec<Pair>,
) -> Result<ExitStatus, UtilityError> {
    let mut names: [BTreeSet<Text>; 2] = [BTreeSet::new(), BTreeSet::new()];
    for (names, path) in names.iter_mut().zip(&pair.paths) {
        let Some(path) = path else { continue };
        match ctx.session.fs.read_dir(&ctx.absolute(path)) {
            Ok(entries) => {
                names.extend(entries.into_iter().map(|entry| entry.name));
            }
            Err(FsError::Errno(Errno::NotFound)) if settings.new_file => {}
            Err(error) => {
                let errno = OperandError::from(error).errno()?;
                ctx.warn(format_args!("{}: {}", quote_plain(path), errno.message()));
                return Ok(TROUBLE);
            }
        }
    }
    let [left, right] = &names;
    let all: BTreeMap<&Text, ()> = left.iter().chain(right.iter()).map(|name| (name, ())).collect();
    let mut inner = Vec::new();
    let mut status = ExitStatus::SUCCESS;
    for &name in all.keys() {
        ctx.tick().await?;
        let both = [left.contains(name), right.contains(name)];
        let within = |index: usize| pair.paths.get(index).cloned().flatten().map(|path| join(&path, name));
        inner.push(Pair { paths: [within(0), within(1)], depth: pair.depth + 1 });
        if both == [true, true] || settings.new_file {
            continue;
        }
        // Not a pair: told in its place among the others, so everything before it has to be compared first.
        if let Some(only) = inner.last_mut() {
            only.paths =
                [within(0).filter(|_| both == [true, false]), within(1).filter(|_| both == [false, true])];
        }
        status = ExitStatus::FAILURE;
    }
    pending.extend(inner.into_iter().rev());
    Ok(status)
}

async fn compare_files(
    ctx: &mut Context,
    settings: &ComparisonOptions,
    pair: &Pair,
    exists: [bool; 2],
) -> Result<ExitStatus, UtilityError> {
    let other = |index: usize| pair.paths.get(index).cloned().flatten();
    let (Some(left), Some(right)) = (other(0).or(other(1)), other(1).or(other(0))) else {
        return Ok(TROUBLE);
    };
    let mut files = Vec::new();
    for (name, exists) in [left, right].into_iter().zip(exists) {
        // Standard input is read once, though it is named twice.
        if let Some(File { name: first, .. }) = files.first()
            && *name == *b"-"
            && *first == name
        {
            files.extend(files.first().cloned());
            continue;
        }
        match File::read(ctx, name.clone(), exists).await {
            Ok(file) => files.push(file),
            Err(error) => {
                let errno = error.errno()?;
                ctx.stdout.flush().await?;
                ctx.warn(format_args!("{}: {}", quote_plain(&name), errno.message()));
                return Ok(TROUBLE);
            }
        }
    }
    let Ok([left, right]) = <[File; 2]>::try_from(files) else { return Ok(TROUBLE) };
    let names = [left.name.as_bytes(), b" and ", right.name.as_bytes()].concat_metered();
    let same = *left.text == *right.text;
    let binary = !settings.text && (left.is_binary() || right.is_binary());
    let mut changes = Vec::new();
    if !same && !binary {
        changes = lines::changes(ctx, settings.normal, settings.minimal, [&left, &right]).await?;
        changes =
            settings.ignored.leave_out(ctx, changes, [&left, &right], settings.context.unwrap_or(0)).await?;
    }
    if same || (!binary && changes.is_empty()) {
        if settings.report_identical {
            ctx.stdout.write(&[b"Files ", names.as_slice(), b" are identical\n"].concat_metered()).await?;
        }
        return Ok(ExitStatus::SUCCESS);
    }
    if settings.brief {
        ctx.stdout.write(&[b"Files ", names.as_slice(), b" differ\n"].concat_metered()).await?;
        return Ok(ExitStatus::FAILURE);
    }
    if binary {
        ctx.stdout.write(&[b"Binary files ", names.as_slice(), b" differ\n"].concat_metered()).await?;
        return Ok(ExitStatus::FAILURE);
    }
    if pair.depth > 0 {
        let (left, right) = (quote_operand(&left.name), quote_operand(&right.name));
        ctx.stdout.write(format!("{} {left} {right}\n", settings.command).as_bytes()).await?;
    }
    match settings.context {
        Some(context) => format::unified(ctx, &settings.labels, context, &changes, [&left, &right]).await?,
        None => format::normal(ctx, &changes, [&left, &right]).await?,
    }
    Ok(ExitStatus::FAILURE)
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
