//! What the options of `grep` mean, once all are read.

use super::Opt;
use super::color::Colors;
use super::selection::Selection;
use crate::memory::{HashSet, String, ToMetered, Vec, format};
use crate::utility::context::options::help;
use crate::utility::format::keyword::meaning;
use crate::utility::prelude::*;

/// How patterns are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Syntax {
    Fixed,
    Basic,
    Extended,
    Perl,
}

/// What is told of each input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Report {
    Lines,
    Count,
    /// `-l`
    NamesWith,
    /// `-L`
    NamesWithout,
    /// `-q`
    Nothing,
}

/// What is done with an input that is not text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    Report,
    Text,
    WithoutMatch,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Directories {
    Read,
    Skip,
    Recurse,
}

#[derive(Debug)]
pub(super) struct GrepOptions {
    pub(super) syntax: Syntax,
    /// One for each line of each pattern, none twice.
    pub(super) patterns: Vec<Vec<u8>>,
    /// File and line of each pattern that stands in a file.
    pub(super) places: Vec<Option<(Text, usize)>>,
    pub(super) ignore_case: bool,
    pub(super) whole_word: bool,
    pub(super) whole_line: bool,
    pub(super) is_inverted: bool,
    pub(super) report: Report,
    pub(super) is_quiet: bool,
    pub(super) only_matching: bool,
    pub(super) line_number: bool,
    pub(super) byte_offset: bool,
    pub(super) initial_tab: bool,
    /// Matches are marked, in these colours.
    pub(super) colors: Option<Colors>,
    pub(super) null_after_name: bool,
    pub(super) line_buffered: bool,
    /// `None`: where there are several inputs, or a directory.
    pub(super) with_name: Option<bool>,
    pub(super) label: Text,
    pub(super) max_count: u64,
    /// Context lines; both are `None` where no option asks for any.
    pub(super) before: Option<u64>,
    pub(super) after: Option<u64>,
    pub(super) separator: Option<Text>,
    pub(super) no_messages: bool,
    /// What ends a line.
    pub(super) eol: u8,
    pub(super) binary: Binary,
    pub(super) directories: Directories,
    /// Symbolic links met in a directory are followed.
    pub(super) follows_links: bool,
    pub(super) skips_devices: Option<bool>,
    pub(super) files: Selection,
    pub(super) excluded_directories: Selection,
}

impl GrepOptions {
    /// Whether no line of any input can be selected, so that inputs are not even opened: without a pattern, or where `-v`
    /// excludes the empty one.
    pub(super) fn selects_nothing(&self) -> bool {
        if self.patterns.is_empty() {
            return !self.is_inverted;
        }
        self.is_inverted && !self.whole_line && !self.whole_word && self.patterns.iter().all(Vec::is_empty)
    }
}

/// Reads options and patterns; what is left are the operands.
pub(super) async fn parse(
    ctx: &mut Context,
    utility: &'static Utility,
    syntax: Syntax,
) -> Result<(GrepOptions, Vec<Text>), UtilityError> {
    let (options, end) = ctx.parse_options_in_order::<Opt>(utility);
    let mut chosen = (syntax != Syntax::Basic).then_some(syntax);
    let mut sources = Sources::default();
    for (option, argument) in options.given() {
        choose(&mut chosen, option)?;
        check(ctx, utility, option, argument.map_or(b"", Text::as_bytes))?;
        if let Some(argument) = argument {
            sources.take(ctx, option, argument).await?;
        }
    }
    if let Err(end) = end {
        return Err(match end.tell(&mut ctx.stdout) {
            UtilityError::Usage(message) => UtilityError::Usage(format!("{message}\n{}", usage(utility))),
            error => error,
        });
    }
    if options.has(Opt::Version) {
        let version = format!("{} (hookbox) {}\n", utility.name, env!("CARGO_PKG_VERSION"));
        ctx.stdout.push(version.as_bytes());
        return Err(UtilityError::Exit(ExitStatus::SUCCESS));
    }
    let syntax = chosen.unwrap_or(syntax);
    let has_colors = is_colored(ctx, utility, &options)?;
    let mut operands = options.operands.clone();
    if !sources.has_patterns {
        if operands.is_empty() {
            return Err(usage_error(ctx, utility));
        }
        sources.add_lines(&operands.remove(0));
    }
    let Sources { mut patterns, places, files, excluded_directories, .. } = sources;
    if matches!(syntax, Syntax::Basic | Syntax::Extended) {
        complete_last(&mut patterns, syntax == Syntax::Extended);
    }
    let (before, after) = context_lines(&options)?;
    let is_recursive = options.last_of([Opt::Recursive, Opt::DereferenceRecursive, Opt::Directories]);
    let directories = match is_recursive {
        Some(Opt::Directories) => {
            directories(ctx, utility, options.value(Opt::Directories).map_or(b"", Text::as_bytes))?
        }
        Some(_) => Directories::Recurse,
        None => Directories::Read,
    };
    let with_name = match options.last_of([Opt::WithFilename, Opt::NoFilename]) {
        Some(Opt::WithFilename) => Some(true),
        Some(_) => Some(false),
        None => None,
    };
    let settings = GrepOptions {
        syntax,
        patterns,
        places,
        ignore_case: matches!(
            options.last_of([Opt::IgnoreCase, Opt::ObsoleteIgnoreCase, Opt::NoIgnoreCase]),
            Some(Opt::IgnoreCase | Opt::ObsoleteIgnoreCase)
        ),
        whole_word: options.has(Opt::WordRegexp),
        whole_line: options.has(Opt::LineRegexp),
        is_inverted: options.has(Opt::InvertMatch),
        report: report(&options),
        is_quiet: options.has_any([Opt::Quiet, Opt::Silent]),
        only_matching: options.has(Opt::OnlyMatching),
        line_number: options.has(Opt::LineNumber),
        byte_offset: options.has(Opt::ByteOffset),
        initial_tab: options.has(Opt::InitialTab),
        colors: if has_colors { Some(Colors::of_environment(ctx)) } else { None },
        null_after_name: options.has(Opt::Null),
        line_buffered: options.has(Opt::LineBuffered),
        with_name,
        label: options.value(Opt::Label).cloned().unwrap_or(Text::from_static(b"(standard input)")),
        max_count: max_count(&options)?,
        before,
        after,
        separator: match options.last_of([Opt::GroupSeparator, Opt::NoGroupSeparator]) {
            Some(Opt::NoGroupSeparator) => None,
            Some(_) => options.value(Opt::GroupSeparator).cloned(),
            None => Some(Text::from_static(b"--")),
        },
        no_messages: options.has(Opt::NoMessages),
        eol: if options.has(Opt::NullData) { 0 } else { b'\n' },
        binary: binary(&options)?,
        directories,
        follows_links: matches!(
            options.last_of([Opt::Recursive, Opt::DereferenceRecursive]),
            Some(Opt::DereferenceRecursive)
        ),
        skips_devices: devices(&options)?,
        files,
        excluded_directories,
    };
    Ok((settings, operands))
}

fn usage(utility: &Utility) -> String {
    format!("Usage: {}", utility.usage)
}

/// The usage alone, without a message before it.
fn usage_error(ctx: &mut Context, utility: &Utility) -> UtilityError {
    let text = format!("{}\nTry '{} --help' for more information.\n", usage(utility), ctx.name);
    ctx.stderr.push(text.as_bytes());
    UtilityError::Exit(ExitStatus(2))
}

fn failed(message: impl Into<String>) -> UtilityError {
    UtilityError::Failed { message: message.into(), status: 2 }
}

/// What options name: patterns, files of patterns, and which inputs are left out. An option's file is read when the option is
/// reached.
#[derive(Default)]
struct Sources {
    patterns: Vec<Vec<u8>>,
    places: Vec<Option<(Text, usize)>>,
    seen: HashSet<Vec<u8>>,
    /// An option named patterns, so the first operand is none.
    has_patterns: bool,
    files: Selection,
    excluded_directories: Selection,
}

impl Sources {
    async fn take(&mut self, ctx: &mut Context, option: Opt, argument: &Text) -> Result<(), UtilityError> {
        match option {
            Opt::Regexp => self.add_lines(argument),
            Opt::File => {
                self.has_patterns = true;
                for (index, line) in read_lines(ctx, argument).await?.into_iter().enumerate() {
                    self.add(line, Some((argument.clone(), index + 1)));
                }
            }
            Opt::Include => self.files.push(argument, true),
            Opt::Exclude => self.files.push(argument, false),
            Opt::ExcludeDir => {
                let last = argument.iter().rposition(|&byte| byte != b'/');
                let trimmed = argument.get(..last.map_or(1, |last| last + 1));
                self.excluded_directories.push(trimmed.unwrap_or(argument), false);
            }
            Opt::ExcludeFrom => {
                for line in read_lines(ctx, argument).await? {
                    self.files.push(&line, false);
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn add_lines(&mut self, text: &Text) {
        self.has_patterns = true;
        text.split(|&byte| byte == b'\n').for_each(|line| self.add(line.to_metered(), None));
    }

    fn add(&mut self, pattern: Vec<u8>, place: Option<(Text, usize)>) {
        if self.seen.insert(pattern.clone()) {
            self.patterns.push(pattern);
            self.places.push(place);
        }
    }
}

async fn read_lines(ctx: &mut Context, name: &Text) -> Result<Vec<Vec<u8>>, UtilityError> {
    let failure = |error: FsError| match error {
        FsError::Errno(errno) => failed(format!("{name}: {}", errno.message())),
        FsError::Limit(limit) => limit.into(),
    };
    let mut input = ctx.open_input(name).map_err(failure)?;
    let bytes = input.read_to_end().await.map_err(failure)?;
    let text = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
    if bytes.is_empty() {
        return Ok(Vec::new());
    }
    Ok(text.split(|&byte| byte == b'\n').map(<[u8]>::to_metered).collect())
}

/// A backslash that ends the last of several patterns stands for itself where all of them are plain texts, as for GNU grep,
/// which looks for such texts without an expression.
fn complete_last(patterns: &mut [Vec<u8>], is_extended: bool) {
    let special: &[u8] = if is_extended { b"$*.[^+?|(){}" } else { b"$*.[^" };
    let [_, .., last] = &*patterns else { return };
    let backslashes = last.iter().rev().take_while(|byte| **byte == b'\\').count();
    let is_plain = |pattern: &Vec<u8>| {
        let mut bytes = pattern.iter();
        while let Some(byte) = bytes.next() {
            let is_operator = match byte {
                b'\\' => bytes
                    .next()
                    .is_some_and(|next| next.is_ascii_alphanumeric() || b"(){}|<>+?`'".contains(next)),
                byte => special.contains(byte),
            };
            if is_operator {
                return false;
            }
        }
        true
    };
    if backslashes % 2 == 1
        && patterns.iter().all(is_plain)
        && let Some(last) = patterns.last_mut()
    {
        last.push(b'\\');
    }
}

/// Notes the syntax that an option asks for, which an earlier one or the tool's name may contradict.
fn choose(chosen: &mut Option<Syntax>, option: Opt) -> Result<(), UtilityError> {
    let syntax = match option {
        Opt::ExtendedRegexp => Syntax::Extended,
        Opt::FixedStrings => Syntax::Fixed,
        Opt::BasicRegexp => Syntax::Basic,
        Opt::PerlRegexp => Syntax::Perl,
        _ => return Ok(()),
    };
    if chosen.is_some_and(|chosen| chosen != syntax) {
        return Err(failed("conflicting matchers specified"));
    }
    *chosen = Some(syntax);
    Ok(())
}

fn context_lines(options: &Options<Opt>) -> Result<(Option<u64>, Option<u64>), UtilityError> {
    let (mut before, mut after, mut both) = (None, None, None);
    for (option, argument) in options.given() {
        let target = match option {
            Opt::BeforeContext => &mut before,
            Opt::AfterContext => &mut after,
            Opt::Context | Opt::Digits => &mut both,
            _ => continue,
        };
        let text = argument.cloned().unwrap_or_default();
        let count =
            parse_count(&text).ok_or_else(|| failed(format!("{text}: invalid context length argument")))?;
        *target = Some(count);
    }
    let (before, after) = (before.or(both), after.or(both));
    Ok((before.or(after.map(|_| 0)), after.or(before.map(|_| 0))))
}

/// Decimal digits; a number too large counts as the largest.
fn parse_count(text: &[u8]) -> Option<u64> {
    let is_number = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    is_number.then(|| std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()).unwrap_or(u64::MAX))
}

fn max_count(options: &Options<Opt>) -> Result<u64, UtilityError> {
    options.value(Opt::MaxCount).map_or(Ok(u64::MAX), |text| count_of(text))
}

fn count_of(text: &[u8]) -> Result<u64, UtilityError> {
    match text.strip_prefix(b"-") {
        Some(digits) if parse_count(digits).is_some() => Ok(u64::MAX),
        _ => parse_count(text).ok_or_else(|| failed("invalid max count")),
    }
}

fn report(options: &Options<Opt>) -> Report {
    if options.has_any([Opt::Quiet, Opt::Silent]) {
        return Report::Nothing;
    }
    match options.last_of([Opt::FilesWithMatches, Opt::FilesWithoutMatch]) {
        Some(Opt::FilesWithMatches) => Report::NamesWith,
        Some(_) => Report::NamesWithout,
        None if options.has(Opt::Count) => Report::Count,
        None => Report::Lines,
    }
}

fn binary(options: &Options<Opt>) -> Result<Binary, UtilityError> {
    match options.last_of([Opt::Text, Opt::WithoutMatch, Opt::BinaryFiles]) {
        Some(Opt::Text) => Ok(Binary::Text),
        Some(Opt::WithoutMatch) => Ok(Binary::WithoutMatch),
        Some(_) => match options.value(Opt::BinaryFiles).map(Text::as_bytes) {
            Some(b"binary") => Ok(Binary::Report),
            Some(b"text") => Ok(Binary::Text),
            Some(b"without-match") => Ok(Binary::WithoutMatch),
            _ => Err(failed("unknown binary-files type")),
        },
        None => Ok(Binary::Report),
    }
}

/// Looks at an option-argument when its option is reached: what is wrong first is told.
fn check(ctx: &mut Context, utility: &Utility, option: Opt, argument: &[u8]) -> Result<(), UtilityError> {
    match option {
        Opt::AfterContext | Opt::BeforeContext | Opt::Context if parse_count(argument).is_none() => {
            Err(failed(format!("{}: invalid context length argument", bstr::BStr::new(argument))))
        }
        Opt::MaxCount => count_of(argument).map(drop),
        Opt::Directories => directories(ctx, utility, argument).map(drop),
        Opt::Devices if !matches!(argument, b"read" | b"skip") => Err(failed("unknown devices method")),
        Opt::UnixByteOffsets => {
            ctx.warn("warning: --unix-byte-offsets (-u) is obsolete");
            Ok(())
        }
        Opt::BinaryFiles if !matches!(argument, b"binary" | b"text" | b"without-match") => {
            Err(failed("unknown binary-files type"))
        }
        _ => Ok(()),
    }
}

/// The action may be abbreviated.
fn directories(ctx: &mut Context, utility: &Utility, argument: &[u8]) -> Result<Directories, UtilityError> {
    let actions: [(&[&str], Directories); 3] = [
        (&["read"], Directories::Read),
        (&["recurse"], Directories::Recurse),
        (&["skip"], Directories::Skip),
    ];
    meaning("--directories", &actions, argument).map_err(|message| {
        ctx.warn(message);
        usage_error(ctx, utility);
        UtilityError::Exit(ExitStatus::FAILURE)
    })
}

fn devices(options: &Options<Opt>) -> Result<Option<bool>, UtilityError> {
    match options.value(Opt::Devices).map(Text::as_bytes) {
        None => Ok(None),
        Some(b"read") => Ok(Some(false)),
        Some(b"skip") => Ok(Some(true)),
        Some(_) => Err(failed("unknown devices method")),
    }
}

/// `auto` is never: output goes to no terminal. A word that is none of those prints the help.
fn is_colored(ctx: &mut Context, utility: &Utility, options: &Options<Opt>) -> Result<bool, UtilityError> {
    let mut is_colored = false;
    for (_, argument) in options.given().filter(|(option, _)| *option == Opt::Color) {
        let word = argument.map_or(b"auto".as_slice(), Text::as_bytes);
        let is_one_of =
            |words: &[&str]| words.iter().any(|known| word.eq_ignore_ascii_case(known.as_bytes()));
        is_colored = is_one_of(&["always", "yes", "force"]);
        if !is_colored && !is_one_of(&["never", "no", "none", "auto", "tty", "if-tty"]) {
            ctx.stdout.push(help(utility, utility.options).as_bytes());
            return Err(UtilityError::Exit(ExitStatus::SUCCESS));
        }
    }
    Ok(is_colored)
}
