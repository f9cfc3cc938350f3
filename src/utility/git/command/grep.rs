//! `git grep`: lines of files that git knows, of the work tree, the index or a tree. `grep/expression.rs` has the patterns,
//! `grep/search.rs` searches a text.

mod expression;
mod search;

use super::prelude::*;
use crate::utility::context::ticker::regex_options;
use crate::utility::git::diff::tree::files;
use crate::utility::git::error::found;
use crate::utility::git::index::Index;
use crate::utility::git::object::tree::REGULAR;
use crate::utility::git::pathspec::Pathspec;
use crate::utility::git::revision::ambiguous;
use crate::utility::git::status::{Ignored, Status, Untracked};
use crate::utility::regex::{Dialect, RegexOptions, Syntax};
use crate::vfs::FileKind;
use expression::{Expression, Token};
use search::GrepSearch;

options! {
    enum Opt {
        Cached = flag('\0', "cached", "search in index instead of in the work tree"),
        NoIndex = flag('\0', "no-index", "find in contents not managed by git"),
        Untracked = flag('\0', "untracked", "search in both tracked and untracked files"),
        ExcludeStandard = flag('\0', "exclude-standard", "ignore files specified via '.gitignore'"),
        RecurseSubmodules = flag('\0', "recurse-submodules", "accepted; submodules are not searched"),
        InvertMatch = flag('v', "invert-match", "show non-matching lines"),
        IgnoreCase = flag('i', "ignore-case", "case insensitive matching"),
        WordRegexp = flag('w', "word-regexp", "match patterns only at word boundaries"),
        Text = flag('a', "text", "process binary files as text"),
        SkipBinary = flag('I', "", "don't match patterns in binary files"),
        Textconv = flag('\0', "textconv", "process binary files with textconv filters"),
        Recursive = flag('r', "recursive", "search in subdirectories (default)"),
        MaxDepth = value('\0', "max-depth", "n", "descend at most <n> levels"),
        ExtendedRegexp = flag('E', "extended-regexp", "use extended POSIX regular expressions"),
        BasicRegexp = flag('G', "basic-regexp", "use basic POSIX regular expressions (default)"),
        FixedStrings = flag('F', "fixed-strings", "interpret patterns as fixed strings"),
        PerlRegexp = flag('P', "perl-regexp", "use Perl-compatible regular expressions"),
        LineNumber = flag('n', "line-number", "show line numbers"),
        Column = flag('\0', "column", "show column number of first match"),
        HideNames = flag('h', "", "don't show filenames"),
        ShowNames = flag('H', "", "show filenames"),
        FullName = flag('\0', "full-name", "show filenames relative to top directory"),
        FilesWithMatches = flag('l', "files-with-matches", "show only filenames instead of matching lines"),
        NameOnly = flag('\0', "name-only", "synonym for --files-with-matches"),
        FilesWithoutMatch = flag('L', "files-without-match", "show only the names of files without match"),
        Null = flag('z', "null", "print NUL after filenames"),
        OnlyMatching = flag('o', "only-matching", "show only matching parts of a line"),
        Count = flag('c', "count", "show the number of matches instead of matching lines"),
        Color = optional('\0', "color", "when", "highlight matches; refused where it is asked for"),
        Break = flag('\0', "break", "print empty line between matches from different files"),
        Heading = flag('\0', "heading", "show filename only once above matches from same file"),
        Context = value('C', "context", "n", "show <n> context lines before and after matches"),
        Before = value('B', "before-context", "n", "show <n> context lines before matches"),
        After = value('A', "after-context", "n", "show <n> context lines after matches"),
        Threads = value('\0', "threads", "n", "accepted; there are no threads"),
        Lines = number("NUM", "shortcut for -C NUM"),
        ShowFunction = flag('p', "show-function", "show a line with the function name before matches"),
        FunctionContext = flag('W', "function-context", "show the surrounding function"),
        PatternFile = value('f', "", "file", "read patterns from file"),
        Pattern = value('e', "", "pattern", "match <pattern>"),
        And = flag('\0', "and", "combine patterns specified with -e"),
        Or = flag('\0', "or", "combine patterns specified with -e"),
        Not = flag('\0', "not", "combine patterns specified with -e"),
        Open = flag('(', "", "combine patterns specified with -e"),
        Close = flag(')', "", "combine patterns specified with -e"),
        Quiet = flag('q', "quiet", "indicate hit with exit status without output"),
        AllMatch = flag('\0', "all-match", "show only matches from files that match all patterns"),
        ExtGrep = flag('\0', "ext-grep", "accepted"),
        MaxCount = value('m', "max-count", "n", "maximum number of results per file"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "grep",
    usage: "git grep [<options>] [-e] <pattern> [<rev>...] [[--] <path>...]",
    options: Opt::TABLE,
    operands_end_options: true,
    never_negated: &["no-index", "and", "or", "not"],
    needs: Needs::Perhaps,
    run: command!(run),
    ..Command::BASE
};

/// Letters whose argument stands in the next word.
const WITH_VALUE: &[u8] = b"efABCm";
/// Names whose argument stands in the next word.
const LONG_WITH_VALUE: [&str; 6] =
    ["--max-depth", "--context", "--before-context", "--after-context", "--threads", "--max-count"];

/// Parentheses are options: they are given the sign of one.
fn mark_groups(args: &mut [Text]) {
    let mut is_value = false;
    for arg in args {
        if std::mem::take(&mut is_value) {
            continue;
        }
        match arg.as_bytes() {
            b"(" => *arg = Text::from_static(b"-("),
            b")" => *arg = Text::from_static(b"-)"),
            b"--" => return,
            [b'-', b'-', ..] => {
                is_value = LONG_WITH_VALUE.iter().any(|name| name.as_bytes() == arg.as_bytes());
            }
            [b'-', letters @ ..] if !letters.is_empty() => {
                let first = letters.iter().position(|letter| WITH_VALUE.contains(letter));
                is_value = first.is_some_and(|at| at + 1 == letters.len());
            }
            _ => return,
        }
    }
}

/// The kind of expressions; `None`: texts as they are.
fn syntax(git: &Git, arguments: &Arguments<Opt>) -> Option<Syntax> {
    let kinds = [Opt::ExtendedRegexp, Opt::BasicRegexp, Opt::FixedStrings, Opt::PerlRegexp];
    let configured = match git.config.get("grep.patterntype") {
        Some(b"extended") => Some(Opt::ExtendedRegexp),
        Some(b"basic") => Some(Opt::BasicRegexp),
        Some(b"fixed") => Some(Opt::FixedStrings),
        Some(b"perl") => Some(Opt::PerlRegexp),
        _ => (git.config.truth("grep.extendedregexp") == Some(true)).then_some(Opt::ExtendedRegexp),
    };
    match arguments.last_of(kinds).or(configured) {
        Some(Opt::ExtendedRegexp) => Some(Syntax::Extended),
        Some(Opt::PerlRegexp) => Some(Syntax::Perl),
        Some(Opt::FixedStrings) => None,
        _ => Some(Syntax::Basic),
    }
}

/// The number that an option has.
fn count(arguments: &Arguments<Opt>, option: Opt) -> Result<Option<i64>> {
    let Some(value) = arguments.value(option) else { return Ok(None) };
    let number = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok());
    match (number, option) {
        (Some(number), _) => Ok(Some(number)),
        (None, Opt::MaxCount) if !value.is_empty() => Err(not_a_number("switch `m'")),
        (None, _) => Err(not_a_number(&crate::memory::format!("option `{}'", option.long()))),
    }
}

/// Lines before and after a hit.
fn context(arguments: &Arguments<Opt>) -> Result<(usize, usize)> {
    let (mut before, mut after) = (0, 0);
    for (option, value) in arguments.in_order() {
        if !matches!(option, Opt::Context | Opt::Before | Opt::After | Opt::Lines) {
            continue;
        }
        let number = value.and_then(|value| std::str::from_utf8(value).ok()?.parse::<usize>().ok());
        let Some(number) = number else {
            let letter = match option {
                Opt::Before => 'B',
                Opt::After => 'A',
                _ => 'C',
            };
            return Err(not_a_number(&crate::memory::format!("switch `{letter}'")));
        };
        if option != Opt::After {
            before = number;
        }
        if option != Opt::Before {
            after = number;
        }
    }
    Ok((before, after))
}

/// The operator of an expression that an option is.
fn operator(option: Opt) -> Option<Token> {
    Some(match option {
        Opt::And => Token::And,
        Opt::Or => Token::Or,
        Opt::Not => Token::Not,
        Opt::Open => Token::Open,
        Opt::Close => Token::Close,
        _ => return None,
    })
}

/// The words of the expression that options give.
async fn tokens(git: &mut Git, arguments: &Arguments<Opt>) -> Result<Vec<Token>> {
    let mut tokens = Vec::new();
    for (option, value) in arguments.in_order() {
        git.ctx.tick().await?;
        let text = match (option, value) {
            (Opt::Pattern, Some(text)) => text.to_metered(),
            (Opt::PatternFile, Some(name)) => {
                let text = if **name == *b"-" {
                    git.ctx.standard_input().read_to_end().await?
                } else {
                    let text = git.read_named(name).await?;
                    text.ok_or_else(|| fatal!("cannot open '{name}': No such file or directory"))?
                };
                let lines = text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
                tokens.extend(lines.map(|line| Token::Pattern(line.into())));
                continue;
            }
            (option, _) => {
                tokens.extend(operator(option));
                continue;
            }
        };
        tokens.extend(text.split(|byte| *byte == b'\n').map(|line| Token::Pattern(line.into())));
    }
    Ok(tokens)
}

/// What is searched.
#[derive(Default)]
struct Places {
    trees: Vec<(Text, ObjectId)>,
    paths: Vec<Text>,
}

/// Splits operands into revisions and paths.
async fn places(git: &mut Git, operands: &[Text], allows_revisions: bool) -> Result<Places> {
    let mut places = Places::default();
    let separator = operands.iter().position(|word| **word == *b"--");
    let mut at = 0;
    while let Some(word) = operands.get(at).filter(|word| ***word != *b"--") {
        git.ctx.tick().await?;
        if !allows_revisions {
            break;
        }
        match git.resolve(word).await? {
            Some(id) => {
                let Some(tree) = git.peel(id, Kind::Tree).await? else {
                    return Err(fatal!("unable to grep from object of type blob"));
                };
                if separator.is_none() && git.is_file(word) {
                    return Err(fatal!(
                        "ambiguous argument '{word}': both revision and filename\nUse '--' to separate paths from \
revisions, like this:\n'git <command> [<revision>...] -- [<file>...]'"
                    ));
                }
                places.trees.push((word.clone(), tree));
            }
            None if separator.is_some() => return Err(fatal!("unable to resolve revision: {word}")),
            None => break,
        }
        at += 1;
    }
    let first = at;
    while let Some(word) = operands.get(at) {
        at += 1;
        if separator.is_some() {
            if at - 1 != separator.unwrap_or(0) {
                places.paths.push(word.clone());
            }
            continue;
        }
        let is_there = git.fs().symlink_metadata(&git.ctx.absolute(word)).is_ok();
        if word.starts_with(b"-") {
            return Err(fatal!("option '{word}' must come before non-option arguments"));
        }
        if !is_there && !word.iter().any(|byte| b"*?[:".contains(byte)) {
            if at - 1 == first && allows_revisions {
                return Err(ambiguous(word));
            }
            return Err(fatal!(
                "{word}: no such path in the working tree.\n\
                 Use 'git <command> -- <path>...' to specify paths that do not exist locally."
            ));
        }
        places.paths.push(word.clone());
    }
    Ok(places)
}

/// Whether a path lies not too deep in what was named.
fn is_near(spec: &Pathspec, path: &[u8], most: Option<usize>) -> bool {
    let Some(most) = most else { return true };
    let depth = |rest: &[u8]| memchr::memchr_iter(b'/', rest).count();
    if spec.is_empty() {
        return depth(path) <= most;
    }
    spec.plain().any(|(_, front)| {
        match path.strip_prefix(front) {
            Some(rest) if front.is_empty() || rest.is_empty() => depth(rest) <= most,
            Some(rest) if rest.starts_with(b"/") => depth(rest) <= most + 1,
            // Of a pattern the depth is not known.
            _ => front.iter().any(|byte| b"*?[".contains(byte)),
        }
    })
}

async fn run(git: &mut Git) -> Result<u8> {
    mark_groups(&mut git.ctx.args);
    let arguments = git.arguments::<Opt>()?;
    arguments.refuse_color(Opt::Color)?;
    let outside = arguments.has(Opt::NoIndex);
    if !git.is_found && !outside {
        return Err(fatal!("not a git repository (or any of the parent directories): .git"));
    }
    let mut tokens = tokens(git, &arguments).await?;
    let mut operands = arguments.operands.clone();
    if tokens.is_empty() {
        if operands.is_empty() {
            return Err(fatal!("no pattern given"));
        }
        let pattern = operands.remove(0);
        tokens.extend(pattern.split(|byte| *byte == b'\n').map(|line| Token::Pattern(line.into())));
    }
    let options = RegexOptions {
        ignore_case: arguments.has(Opt::IgnoreCase),
        whole_word: arguments.has(Opt::WordRegexp),
        dialect: Dialect::Grep,
        ..regex_options(&git.ctx.meter)
    };
    let expression = Expression::new(&tokens, syntax(git, &arguments), &options)?;
    let (untracked, cached) = (arguments.has(Opt::Untracked), arguments.has(Opt::Cached));
    let pair = match (outside, untracked, cached) {
        (true, _, true) => Some(("--no-index", "--cached")),
        (_, true, true) => Some(("--untracked", "--cached")),
        _ => None,
    };
    if let Some((one, other)) = pair {
        return Err(fatal!("options '{one}' and '{other}' cannot be used together"));
    }
    // A separator that the parser took, where options alone gave patterns.
    if arguments.separator == Some(0) && operands.len() == arguments.operands.len() {
        operands.insert(0, Text::from_static(b"--"));
    }
    let mut places = places(git, &operands, !untracked && !outside).await?;
    if outside {
        git.repo.work_tree = Some(git.ctx.cwd.to_metered());
        git.repo.prefix = Vec::new();
    }
    if places.paths.is_empty() && !git.repo.prefix.is_empty() {
        places.paths.push(Text::from_static(b"."));
    }
    let spec = git.pathspec(&places.paths)?;
    let depth = match arguments.truth_of_last([Opt::MaxDepth, Opt::Recursive]) {
        Some((Opt::Recursive, false)) => Some(0),
        Some((Opt::MaxDepth, true)) => {
            count(&arguments, Opt::MaxDepth)?.and_then(|most| usize::try_from(most).ok())
        }
        _ => None,
    };
    let configured = |name: &str| git.config.truth(name) == Some(true);
    let (before, after) = context(&arguments)?;
    let as_text = arguments.last_of([Opt::Text, Opt::SkipBinary]);
    let mut search = GrepSearch {
        arguments: &arguments,
        expression: &expression,
        hides_names: arguments.last_of([Opt::HideNames, Opt::ShowNames]) == Some(Opt::HideNames),
        shows_numbers: arguments.truth(Opt::LineNumber).unwrap_or(configured("grep.linenumber")),
        shows_columns: arguments.truth(Opt::Column).unwrap_or(configured("grep.column")),
        full_names: arguments.truth(Opt::FullName).unwrap_or(configured("grep.fullname")),
        skips_binary: as_text == Some(Opt::SkipBinary),
        as_text: as_text == Some(Opt::Text),
        before,
        after,
        most: count(&arguments, Opt::MaxCount)?
            .and_then(|most| usize::try_from(most).ok())
            .unwrap_or(usize::MAX),
        has_shown: false,
    };
    let mut has_hit = false;
    for (name, tree) in &places.trees {
        let front = [&name[..], b":"].concat_metered();
        for file in files(git, *tree, &spec).await? {
            if file.mode & 0o170_000 != 0o100_000 || !is_near(&spec, &file.path, depth) {
                continue;
            }
            let text = git.object(&file.id).await?.1;
            has_hit |= search.file(git, &front, &file.path, &text).await?;
        }
    }
    if places.trees.is_empty() {
        let known = if outside {
            loose_files(git, &spec).await?
        } else {
            known_files(git, &arguments, &spec).await?
        };
        for (path, mode, id) in known {
            if mode & 0o170_000 != 0o100_000 || !is_near(&spec, &path, depth) {
                continue;
            }
            let text = if cached {
                git.object(&id).await?.1
            } else {
                match git.work_mode(&path)? {
                    Some(mode) if mode & 0o170_000 == 0o100_000 => git.work_bytes(&path, mode).await?,
                    _ => continue,
                }
            };
            has_hit |= search.file(git, b"", &path, &text).await?;
        }
    }
    Ok(u8::from(!has_hit))
}

/// Paths, modes and objects of the files that are searched.
type Files = Vec<(Text, u32, ObjectId)>;

/// The files that the index knows, and others if they are wanted.
async fn known_files(git: &mut Git, arguments: &Arguments<Opt>, spec: &Pathspec) -> Result<Files> {
    let index: Index = git.read_index().await?;
    let mut known: Files = Vec::new();
    let cached = arguments.has(Opt::Cached);
    for entry in index.entries.iter().filter(|entry| spec.matches(&entry.path)) {
        // Of a conflict the file of the work tree is searched, once.
        let is_known = entry.stage > 0 && known.last().is_some_and(|last| last.0 == entry.path);
        let is_absent = entry.stage > 0 || entry.intent_to_add;
        if is_known || (cached && is_absent) || (!cached && entry.skip_work_tree) {
            continue;
        }
        known.push((entry.path.clone(), entry.mode, entry.id));
    }
    if arguments.has(Opt::Untracked) {
        let all = arguments.truth(Opt::ExcludeStandard) == Some(false);
        let ignored = if all { Ignored::Traditional } else { Ignored::No };
        let mut status = Status::default();
        git.find_unknown(&index, spec, (Untracked::All, ignored), &mut status).await?;
        let others = status.untracked.iter().chain(status.ignored.iter().filter(|_| all));
        known.extend(others.map(|path| (path.clone(), REGULAR, ObjectId::ZERO)));
        known.sort();
    }
    Ok(known)
}

/// All files below the working directory.
async fn loose_files(git: &mut Git, spec: &Pathspec) -> Result<Files> {
    let mut known: Files = Vec::new();
    let mut pending: Vec<Vec<u8>> = Vec::new();
    pending.push(Vec::new());
    while let Some(folder) = pending.pop() {
        for entry in found(git.fs().read_dir(&git.in_work_tree(&folder)))?.unwrap_or_default() {
            git.ctx.tick().await?;
            let path = crate::utility::file::join(&folder, &entry.name);
            match entry.kind {
                FileKind::Directory if *entry.name == *b".git" => {}
                FileKind::Directory => pending.push(path),
                FileKind::Regular if spec.matches(&path) => {
                    known.push((path.into(), REGULAR, ObjectId::ZERO));
                }
                _ => {}
            }
        }
    }
    known.sort();
    Ok(known)
}
