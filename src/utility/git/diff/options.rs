//! The options that `diff`, `log`, `show` and their like have in common.

use super::lines::Blanks;
use super::rename::{FULL, RenameOptions};
use super::statistics::Widths;
use crate::memory::{JoinMetered, ToMetered, Vec};
use crate::text::Text;
use crate::utility::OptionSet;
use crate::utility::context::options::options;
use crate::utility::git::Git;
use crate::utility::git::arguments::{Arguments, not_a_number};
use crate::utility::git::config;
use crate::utility::git::error::{GitError, Result, fatal};

options! {
    /// Options of `diff`, `log`, `show` and their like.
    pub(crate) enum DiffOpt {
        Patch = flag('p', "patch", "generate patch") | flag('u', "", "generate patch"),
        NoPatch = flag('s', "no-patch", "suppress diff output"),
        Unified = optional('U', "unified", "n", "generate diffs with <n> lines context"),
        Raw = flag('\0', "raw", "generate the diff in raw format"),
        PatchWithRaw = flag('\0', "patch-with-raw", "synonym for '-p --raw'"),
        PatchWithStat = flag('\0', "patch-with-stat", "synonym for '-p --stat'"),
        Numstat = flag('\0', "numstat", "machine friendly --stat"),
        Shortstat = flag('\0', "shortstat", "output only the last line of --stat"),
        Stat = optional('\0', "stat", "width", "generate diffstat"),
        StatWidth = value('\0', "stat-width", "width", "generate diffstat with a given width"),
        StatNameWidth = value('\0', "stat-name-width", "width", "generate diffstat with a given name width"),
        StatGraphWidth = value('\0', "stat-graph-width", "width", "generate diffstat with a given graph width"),
        StatCount = value('\0', "stat-count", "count", "generate diffstat with limited lines"),
        CompactSummary = flag('\0', "compact-summary", "generate compact summary in diffstat"),
        InterHunkContext = value(
        '\0',
        "inter-hunk-context",
        "n",
        "show context between diff hunks up to the specified number of lines",
    ),
        FunctionContext = flag('W', "function-context", "not supported"),
        Binary = flag('\0', "binary", "output a binary diff that can be applied; not supported for binary files"),
        Check = flag('\0', "check", "warn if changes introduce conflict markers or whitespace errors"),
        Patience = flag('\0', "patience", "not supported"),
        Histogram = flag('\0', "histogram", "not supported"),
        WordDiff = optional('\0', "word-diff", "mode", "not supported"),
        Dirstat = optional('X', "dirstat", "param", "not supported"),
        ColorMoved = optional('\0', "color-moved", "mode", "not supported"),
        NoColorMoved = flag('\0', "no-color-moved", "accepted"),
        Summary = flag('\0', "summary", "condensed summary such as creations, renames and mode changes"),
        NameOnly = flag('\0', "name-only", "show only names of changed files"),
        NameStatus = flag('\0', "name-status", "show only names and status of changed files"),
        Nul = flag('z', "", "do not munge pathnames and use NULs as output field terminators in --raw or --numstat"),
        FullIndex = flag('\0', "full-index", "show full pre- and post-image object names on the \"index\" lines"),
        Abbrev = optional('\0', "abbrev", "n", "use <n> digits to display object names"),
        Color = optional('\0', "color", "when", "show colored diff"),
        SrcPrefix = value('\0', "src-prefix", "prefix", "show the given source prefix instead of \"a/\""),
        DstPrefix = value('\0', "dst-prefix", "prefix", "show the given destination prefix instead of \"b/\""),
        NoPrefix = flag('\0', "no-prefix", "do not show any source or destination prefix"),
        DefaultPrefix = flag('\0', "default-prefix", "use default prefixes a/ and b/"),
        Reverse = flag('R', "", "swap two inputs"),
        Text = flag('a', "text", "treat all files as text"),
        IgnoreAllSpace = flag('w', "ignore-all-space", "ignore whitespace when comparing lines"),
        IgnoreSpaceChange = flag('b', "ignore-space-change", "ignore changes in amount of whitespace"),
        IgnoreSpaceAtEol = flag('\0', "ignore-space-at-eol", "ignore changes in whitespace at EOL"),
        IgnoreCrAtEol = flag('\0', "ignore-cr-at-eol", "ignore carrier-return at the end of line"),
        IgnoreBlankLines = flag('\0', "ignore-blank-lines", "ignore changes whose lines are all blank"),
        Minimal = flag('\0', "minimal", "produce the smallest possible diff"),
        DiffAlgorithm = value('\0', "diff-algorithm", "algorithm", "choose a diff algorithm"),
        IndentHeuristic = flag('\0', "indent-heuristic", "heuristic to shift diff hunk boundaries for easy reading"),
        FindRenames = optional('M', "find-renames", "n", "detect renames"),
        FindCopies = optional('C', "find-copies", "n", "detect copies"),
        Renames = flag('\0', "renames", "detect renames"),
        RenameLimit = value('l', "", "n", "prevent rename/copy detection if the number of targets exceeds the limit"),
        ExitCode = flag('\0', "exit-code", "exit with 1 if there were differences, 0 otherwise"),
        Quiet = flag('\0', "quiet", "disable all output of the program"),
        ExtDiff = flag('\0', "ext-diff", "allow an external diff helper to be executed"),
        Textconv = flag('\0', "textconv", "run external text conversion filters when comparing binary files"),
        IgnoreSubmodules = optional('\0', "ignore-submodules", "when", "ignore changes to submodules in the diff generation"),
        Submodule = optional('\0', "submodule", "format", "specify how differences in submodules are shown"),
        DiffFilter = value('\0', "diff-filter", "types", "select files by diff type"),
        Relative = optional('\0', "relative", "prefix", "exclude changes outside and show relative paths"),
        Occurrences = value('S', "", "string", "look for differences that change the number of occurrences of the string"),
        Matching = value('G', "", "regex", "look for differences that change lines that match the regex"),
        PickaxeRegex = flag('\0', "pickaxe-regex", "treat <string> in -S as regular expression"),
        PickaxeAll = flag('\0', "pickaxe-all", "show all changes in the changeset with -S or -G"),
    }
}

/// What of the changes is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Formats {
    pub(crate) raw: bool,
    pub(crate) name_only: bool,
    pub(crate) name_status: bool,
    pub(crate) numstat: bool,
    pub(crate) stat: bool,
    pub(crate) shortstat: bool,
    pub(crate) summary: bool,
    pub(crate) patch: bool,
    /// `-s`: nothing, whatever the command prints otherwise.
    pub(crate) none: bool,
}

impl Formats {
    /// Whether nothing was asked for.
    pub(crate) fn is_default(self) -> bool {
        self == Self::default()
    }
}

/// How changes are found and shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct DiffOptions {
    pub(crate) formats: Formats,
    pub(crate) context: usize,
    /// Hunks that are not farther apart than their context and so many lines are one.
    pub(crate) between_hunks: usize,
    /// What `--summary` tells stands in the lines of `--stat`.
    pub(crate) is_compact: bool,
    pub(crate) wants_binary: bool,
    /// A side that is not there is named too where files have two names.
    pub(crate) names_nothing: bool,
    /// `--check`: errors of white space are told instead of the changes.
    pub(crate) checks: bool,
    pub(crate) renames: Option<RenameOptions>,
    pub(crate) widths: Widths,
    /// Columns that something else takes before each line.
    pub(crate) prefix_width: usize,
    pub(crate) abbreviation: Option<usize>,
    pub(crate) full_index: bool,
    /// Names of objects are whole in `--raw`.
    pub(crate) full_raw: bool,
    pub(crate) ends_in_nul: bool,
    pub(crate) old_prefix: Text,
    pub(crate) new_prefix: Text,
    pub(crate) is_reversed: bool,
    pub(crate) text: bool,
    pub(crate) blanks: Blanks,
    pub(crate) is_minimal: bool,
    /// Changes of submodules are not told.
    pub(crate) ignores_submodules: bool,
    pub(crate) exit_code: bool,
    pub(crate) quiet: bool,
    /// Letters of statuses that are wanted; small ones are not.
    pub(crate) filter: Text,
    /// Only what is in this folder, which is left out of names.
    pub(crate) relative: Option<Vec<u8>>,
    pub(crate) occurrences: Option<Text>,
    pub(crate) matching: Option<Text>,
    pub(crate) pickaxe_all: bool,
    pub(crate) pickaxe_regex: bool,
}

/// A similarity: `50%`, `50` (a fraction: 0.50), `5` (0.5) or `0.5`; and what follows it.
pub(crate) fn similarity(text: &[u8]) -> (u32, &[u8]) {
    let (mut number, mut scale, mut has_point) = (0_u64, 1_u64, false);
    let mut rest = text;
    while let Some((byte, tail)) = rest.split_first() {
        match byte {
            b'.' if !has_point => (scale, has_point) = (1, true),
            b'%' => {
                scale = if has_point { scale * 100 } else { 100 };
                rest = tail;
                break;
            }
            b'0'..=b'9' if scale < 100_000 => {
                (number, scale) = (number * 10 + u64::from(byte - b'0'), scale * 10);
            }
            b'0'..=b'9' => {}
            _ => break,
        }
        rest = tail;
    }
    ((number.min(scale) * u64::from(FULL) / scale) as u32, rest)
}

/// Whether `--ignore-submodules=WHEN` leaves out all changes of submodules; what is in them is never looked at.
pub(crate) fn ignores_submodules(when: Option<&Text>) -> Result<bool> {
    match when.map(Text::as_bytes) {
        None | Some(b"all") => Ok(true),
        Some(b"none" | b"untracked" | b"dirty") => Ok(false),
        Some(other) => Err(fatal!("bad --ignore-submodules argument: {}", bstr::BStr::new(other))),
    }
}

impl DiffOptions {
    /// A path as it is shown.
    pub(crate) fn shown<'p>(&self, path: &'p [u8]) -> &'p [u8] {
        let inner = self.relative.as_ref().and_then(|folder| path.strip_prefix(folder.as_slice()));
        inner.map_or(path, |inner| inner.strip_prefix(b"/").unwrap_or(inner))
    }

    pub(crate) const fn blanks_ignored(&self) -> bool {
        let blanks = &self.blanks;
        blanks.all || blanks.change || blanks.trailing || blanks.carriage_return || blanks.lines
    }
}

impl Git {
    /// The options as configured.
    pub(crate) fn diff_defaults(&self) -> DiffOptions {
        let renames = match self.config.get("diff.renames") {
            Some(value) if value == b"copies" || value == b"copy" => {
                Some(RenameOptions { copies: true, ..RenameOptions::default() })
            }
            Some(_) if self.config.truth("diff.renames") == Some(false) => None,
            _ => Some(RenameOptions::default()),
        };
        let no_prefix = self.config.truth("diff.noprefix") == Some(true);
        let context = self.config.number("diff.context").map_or(3, |context| context.max(0) as usize);
        let prefix = |name: &str, usual: &'static [u8]| match self.config.get(name) {
            _ if no_prefix => Text::EMPTY,
            Some(value) => Text::from(value),
            None => Text::from_static(usual),
        };
        DiffOptions {
            context,
            between_hunks: self
                .config
                .number("diff.interhunkcontext")
                .map_or(0, |lines| lines.max(0) as usize),
            renames,
            old_prefix: prefix("diff.srcprefix", b"a/"),
            new_prefix: prefix("diff.dstprefix", b"b/"),
            ..DiffOptions::default()
        }
    }

    /// The options that were given.
    pub(crate) fn diff_options(&self, arguments: &Arguments<DiffOpt>) -> Result<DiffOptions> {
        let mut options = self.diff_defaults();
        for (option, given) in arguments.in_order() {
            self.take_diff_option(&mut options, option, given)?;
        }
        let asking = [DiffOpt::Renames, DiffOpt::FindRenames, DiffOpt::FindCopies];
        if arguments.truth_of_last(asking) == Some((DiffOpt::Renames, false)) {
            options.renames = None;
        }
        if arguments.truth(DiffOpt::IndentHeuristic) == Some(false) {
            return Err(fatal!("--no-indent-heuristic is not supported"));
        }
        if arguments.truth(DiffOpt::Abbrev) == Some(false) {
            options.full_raw = true;
        }
        if arguments.truth(DiffOpt::Relative) == Some(false) {
            options.relative = None;
        }
        options.full_index |= arguments.has(DiffOpt::FullIndex);
        let formats = &mut options.formats;
        if formats.name_only || formats.name_status || options.checks {
            // They stand alone.
            *formats = Formats {
                name_only: formats.name_only,
                name_status: formats.name_status,
                none: formats.none,
                ..Formats::default()
            };
        }
        if options.occurrences.is_some() && options.matching.is_some() {
            return Err(fatal!("options '-G', '-S', and '--find-object' cannot be used together"));
        }
        if options.matching.is_some() && options.pickaxe_regex {
            return Err(fatal!(
                "options '-G' and '--pickaxe-regex' cannot be used together, use '--pickaxe-regex' with '-S'"
            ));
        }
        if options.quiet {
            options.exit_code = true;
        }
        if options.is_reversed {
            std::mem::swap(&mut options.old_prefix, &mut options.new_prefix);
        }
        Ok(options)
    }

    /// The options of a command for scripts, which looks for renames only where that is asked for.
    pub(crate) fn plumbing_diff_options(&self, arguments: &Arguments<DiffOpt>) -> Result<DiffOptions> {
        let mut options = self.diff_options(arguments)?;
        let asking = [DiffOpt::FindRenames, DiffOpt::FindCopies, DiffOpt::Renames];
        options.renames = options.renames.filter(|_| arguments.last_of(asking).is_some());
        Ok(options)
    }

    fn take_diff_option(
        &self,
        options: &mut DiffOptions,
        option: DiffOpt,
        given: Option<&Text>,
    ) -> Result<()> {
        let number = || -> Result<usize> {
            let text = given.and_then(|text| std::str::from_utf8(text).ok()).unwrap_or("");
            text.parse().map_err(|_| {
                let name = option.long();
                if name.starts_with("stat-") {
                    not_a_number(name)
                } else {
                    not_a_number(&crate::memory::format!("option `{name}'"))
                }
            })
        };
        let formats = &mut options.formats;
        match option {
            DiffOpt::Patch => (formats.patch, formats.none) = (true, false),
            DiffOpt::NoPatch => *formats = super::options::Formats { none: true, ..Formats::default() },
            DiffOpt::Unified => {
                (formats.patch, formats.none) = (true, false);
                if given.is_some() {
                    options.context = number()?;
                }
            }
            DiffOpt::Raw => (formats.raw, formats.none) = (true, false),
            DiffOpt::PatchWithRaw => (formats.patch, formats.raw) = (true, true),
            DiffOpt::PatchWithStat => (formats.patch, formats.stat) = (true, true),
            DiffOpt::Numstat => (formats.numstat, formats.none) = (true, false),
            DiffOpt::Shortstat => (formats.shortstat, formats.none) = (true, false),
            DiffOpt::Summary => (formats.summary, formats.none) = (true, false),
            DiffOpt::NameOnly => (formats.name_only, formats.none) = (true, false),
            DiffOpt::NameStatus => (formats.name_status, formats.none) = (true, false),
            DiffOpt::Stat => {
                (formats.stat, formats.none) = (true, false);
                let text = given.map_or(&b""[..], |text| text);
                if !text.iter().all(|byte| byte.is_ascii_digit() || *byte == b',') {
                    let text = crate::memory::format!("invalid --stat value: {}", bstr::BStr::new(text));
                    return Err(GitError::Error(text, 129));
                }
                let mut parts = text.split(|byte| *byte == b',');
                let mut next = || parts.next().and_then(|text| std::str::from_utf8(text).ok()?.parse().ok());
                options.widths.whole = next().or(options.widths.whole);
                options.widths.name = next().or(options.widths.name);
                options.widths.count = next().or(options.widths.count);
            }
            DiffOpt::StatWidth => (formats.stat, options.widths.whole) = (true, Some(number()?)),
            DiffOpt::StatNameWidth => (formats.stat, options.widths.name) = (true, Some(number()?)),
            DiffOpt::StatGraphWidth => (formats.stat, options.widths.graph) = (true, Some(number()?)),
            DiffOpt::StatCount => (formats.stat, options.widths.count) = (true, Some(number()?)),
            DiffOpt::Nul => options.ends_in_nul = true,
            DiffOpt::Abbrev => {
                (options.full_index, options.full_raw) = (false, false);
                if given.is_some() {
                    options.abbreviation = Some(number()?.clamp(4, 40));
                }
            }
            DiffOpt::Color if matches!(given.map(Text::as_bytes), None | Some(b"always")) => {
                return Err(fatal!("colors are not supported"));
            }
            DiffOpt::Color if !matches!(given.map(Text::as_bytes), Some(b"never" | b"auto")) => {
                let text = "option `color' expects \"always\", \"auto\", or \"never\"";
                return Err(GitError::Error(text.into(), 129));
            }
            DiffOpt::CompactSummary => (formats.stat, options.is_compact) = (true, true),
            DiffOpt::InterHunkContext => options.between_hunks = number()?,
            DiffOpt::Check => options.checks = true,
            DiffOpt::Binary => {
                (formats.patch, formats.none, options.wants_binary) = (true, false, true);
            }
            DiffOpt::ColorMoved if given.map(Text::as_bytes) == Some(b"no") => {}
            DiffOpt::FunctionContext
            | DiffOpt::Patience
            | DiffOpt::Histogram
            | DiffOpt::WordDiff
            | DiffOpt::Dirstat
            | DiffOpt::ColorMoved => {
                return Err(fatal!("--{} is not supported", option.long()));
            }
            DiffOpt::SrcPrefix => options.old_prefix = given.cloned().unwrap_or_default(),
            DiffOpt::DstPrefix => options.new_prefix = given.cloned().unwrap_or_default(),
            DiffOpt::NoPrefix => (options.old_prefix, options.new_prefix) = (Text::EMPTY, Text::EMPTY),
            DiffOpt::DefaultPrefix => {
                (options.old_prefix, options.new_prefix) =
                    (Text::from_static(b"a/"), Text::from_static(b"b/"));
            }
            DiffOpt::Reverse => options.is_reversed = true,
            DiffOpt::Text => options.text = true,
            DiffOpt::IgnoreAllSpace => options.blanks.all = true,
            DiffOpt::IgnoreSpaceChange => options.blanks.change = true,
            DiffOpt::IgnoreSpaceAtEol => options.blanks.trailing = true,
            DiffOpt::IgnoreCrAtEol => options.blanks.carriage_return = true,
            DiffOpt::IgnoreBlankLines => options.blanks.lines = true,
            DiffOpt::Minimal => options.is_minimal = true,
            DiffOpt::DiffAlgorithm => match given.map(Text::as_bytes) {
                Some(b"myers" | b"default") => options.is_minimal = false,
                Some(b"minimal") => options.is_minimal = true,
                None | Some(b"patience" | b"histogram") => {
                    return Err(fatal!("diff algorithms other than 'myers' and 'minimal' are not supported"));
                }
                Some(_) => {
                    let text = "option diff-algorithm accepts \"myers\", \"minimal\", \"patience\" and \"histogram\"";
                    return Err(GitError::Error(text.into(), 129));
                }
            },
            DiffOpt::FindRenames | DiffOpt::FindCopies => {
                let mut renames = options.renames.unwrap_or_default();
                renames.copies = option == DiffOpt::FindCopies;
                if let Some(text) = given {
                    let (least, rest) = similarity(text);
                    if !rest.is_empty() {
                        return Err(GitError::Error(
                            crate::memory::format!("invalid argument to {}", option.long()),
                            129,
                        ));
                    }
                    renames.least = if least == 0 { FULL / 2 } else { least };
                }
                options.renames = Some(renames);
            }
            DiffOpt::Renames => options.renames = Some(RenameOptions::default()),
            DiffOpt::RenameLimit => {
                let limit = number()?;
                if let Some(renames) = &mut options.renames {
                    renames.limit = if limit == 0 { usize::MAX } else { limit };
                }
            }
            DiffOpt::ExitCode => options.exit_code = true,
            DiffOpt::Quiet => options.quiet = true,
            DiffOpt::DiffFilter => {
                let given = given.cloned().unwrap_or_default();
                if let Some(&letter) = given.iter().find(|letter| !b"ACDMRTUXBacdmrtuxb*".contains(letter)) {
                    let letter = char::from(letter);
                    let text =
                        crate::memory::format!("unknown change class '{letter}' in --diff-filter={given}");
                    return Err(GitError::Error(text, 129));
                }
                options.filter = Text::from([&options.filter[..], &given].concat_metered());
            }
            DiffOpt::Relative => {
                options.relative =
                    Some(given.map_or_else(|| self.repo.prefix.clone(), |text| text.to_metered()));
            }
            DiffOpt::Occurrences => options.occurrences = given.cloned(),
            DiffOpt::Matching => options.matching = given.cloned(),
            DiffOpt::PickaxeRegex => options.pickaxe_regex = true,
            DiffOpt::PickaxeAll => options.pickaxe_all = true,
            DiffOpt::IgnoreSubmodules => options.ignores_submodules = ignores_submodules(given)?,
            DiffOpt::Submodule
                if !matches!(given.map(Text::as_bytes), None | Some(b"short" | b"log" | b"diff")) =>
            {
                let given = given.cloned().unwrap_or_default();
                let text = crate::memory::format!("failed to parse --submodule option parameter: '{given}'");
                return Err(GitError::Error(text, 129));
            }
            DiffOpt::Submodule if given.map(Text::as_bytes) != Some(b"short") => {
                return Err(fatal!("--submodule other than 'short' is not supported"));
            }
            // `diff_options` looks at the first; the others change nothing here.
            DiffOpt::FullIndex
            | DiffOpt::Color
            | DiffOpt::NoColorMoved
            | DiffOpt::IndentHeuristic
            | DiffOpt::ExtDiff
            | DiffOpt::Textconv
            | DiffOpt::Submodule => {}
        }
        Ok(())
    }

    /// Whether `diff.relative` says that names are those of the working directory.
    pub(crate) fn is_relative_by_default(&self) -> bool {
        self.config.get("diff.relative").and_then(config::truth) == Some(true)
    }
}
