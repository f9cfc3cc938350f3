//! The options that `diff`, `log`, `show` and their like have in common.

use super::lines::Blanks;
use super::rename::{FULL, RenameOptions};
use super::statistics::Widths;
use crate::memory::{ToMetered, Vec};
use crate::text::Text;
use crate::utility::git::Git;
use crate::utility::git::arguments::Arguments;
use crate::utility::git::config;
use crate::utility::git::error::{GitError, Result, fatal};
use crate::utility::{OptionSpec, flag, optional, value};

/// The rows of these options.
pub(crate) const DIFF_OPTIONS: &[OptionSpec] = &[
    flag('p', "patch", "generate patch"),
    flag('u', "", "generate patch"),
    flag('s', "no-patch", "suppress diff output"),
    optional('U', "unified", "n", "generate diffs with <n> lines context"),
    flag('\0', "raw", "generate the diff in raw format"),
    flag('\0', "patch-with-raw", "synonym for '-p --raw'"),
    flag('\0', "patch-with-stat", "synonym for '-p --stat'"),
    flag('\0', "numstat", "machine friendly --stat"),
    flag('\0', "shortstat", "output only the last line of --stat"),
    optional('\0', "stat", "width", "generate diffstat"),
    value('\0', "stat-width", "width", "generate diffstat with a given width"),
    value('\0', "stat-name-width", "width", "generate diffstat with a given name width"),
    value('\0', "stat-graph-width", "width", "generate diffstat with a given graph width"),
    value('\0', "stat-count", "count", "generate diffstat with limited lines"),
    flag('\0', "compact-summary", "generate compact summary in diffstat"),
    value(
        '\0',
        "inter-hunk-context",
        "n",
        "show context between diff hunks up to the specified number of lines",
    ),
    flag('W', "function-context", "not supported"),
    flag('\0', "binary", "output a binary diff that can be applied; not supported for binary files"),
    flag('\0', "check", "warn if changes introduce conflict markers or whitespace errors"),
    flag('\0', "patience", "not supported"),
    flag('\0', "histogram", "not supported"),
    optional('\0', "word-diff", "mode", "not supported"),
    optional('X', "dirstat", "param", "not supported"),
    optional('\0', "color-moved", "mode", "not supported"),
    flag('\0', "no-color-moved", "accepted"),
    flag('\0', "summary", "condensed summary such as creations, renames and mode changes"),
    flag('\0', "name-only", "show only names of changed files"),
    flag('\0', "name-status", "show only names and status of changed files"),
    flag('z', "", "do not munge pathnames and use NULs as output field terminators in --raw or --numstat"),
    flag('\0', "full-index", "show full pre- and post-image object names on the \"index\" lines"),
    optional('\0', "abbrev", "n", "use <n> digits to display object names"),
    optional('\0', "color", "when", "show colored diff"),
    value('\0', "src-prefix", "prefix", "show the given source prefix instead of \"a/\""),
    value('\0', "dst-prefix", "prefix", "show the given destination prefix instead of \"b/\""),
    flag('\0', "no-prefix", "do not show any source or destination prefix"),
    flag('\0', "default-prefix", "use default prefixes a/ and b/"),
    flag('R', "", "swap two inputs"),
    flag('a', "text", "treat all files as text"),
    flag('w', "ignore-all-space", "ignore whitespace when comparing lines"),
    flag('b', "ignore-space-change", "ignore changes in amount of whitespace"),
    flag('\0', "ignore-space-at-eol", "ignore changes in whitespace at EOL"),
    flag('\0', "ignore-cr-at-eol", "ignore carrier-return at the end of line"),
    flag('\0', "ignore-blank-lines", "ignore changes whose lines are all blank"),
    flag('\0', "minimal", "produce the smallest possible diff"),
    value('\0', "diff-algorithm", "algorithm", "choose a diff algorithm"),
    flag('\0', "indent-heuristic", "heuristic to shift diff hunk boundaries for easy reading"),
    optional('M', "find-renames", "n", "detect renames"),
    optional('C', "find-copies", "n", "detect copies"),
    flag('\0', "renames", "detect renames"),
    value('l', "", "n", "prevent rename/copy detection if the number of targets exceeds the limit"),
    flag('\0', "exit-code", "exit with 1 if there were differences, 0 otherwise"),
    flag('\0', "quiet", "disable all output of the program"),
    flag('\0', "ext-diff", "allow an external diff helper to be executed"),
    flag('\0', "textconv", "run external text conversion filters when comparing binary files"),
    optional('\0', "ignore-submodules", "when", "ignore changes to submodules in the diff generation"),
    optional('\0', "submodule", "format", "specify how differences in submodules are shown"),
    value('\0', "diff-filter", "types", "select files by diff type"),
    optional('\0', "relative", "prefix", "exclude changes outside and show relative paths"),
    value('S', "", "string", "look for differences that change the number of occurrences of the string"),
    value('G', "", "regex", "look for differences that change lines that match the regex"),
    flag('\0', "pickaxe-regex", "treat <string> in -S as regular expression"),
    flag('\0', "pickaxe-all", "show all changes in the changeset with -S or -G"),
];

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
    /// `--check`: errors of white space are told instead of the changes.
    pub(crate) checks: bool,
    pub(crate) renames: Option<RenameOptions>,
    pub(crate) widths: Widths,
    /// Columns that something else takes before each line.
    pub(crate) prefix_width: usize,
    pub(crate) abbreviation: Option<usize>,
    pub(crate) full_index: bool,
    pub(crate) ends_in_nul: bool,
    pub(crate) old_prefix: Text,
    pub(crate) new_prefix: Text,
    pub(crate) is_reversed: bool,
    pub(crate) text: bool,
    pub(crate) blanks: Blanks,
    pub(crate) is_minimal: bool,
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

/// A similarity: `50%`, `50` (a fraction: 0.50) or `5` (0.5).
fn similarity(text: &[u8]) -> Option<u32> {
    let (digits, is_percent) = match text.strip_suffix(b"%") {
        Some(digits) => (digits, true),
        None => (text, false),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) || digits.len() > 5 {
        return None;
    }
    let number: u32 = std::str::from_utf8(digits).ok()?.parse().ok()?;
    let scale = if is_percent { 100 } else { 10_u32.pow(digits.len() as u32) };
    Some((u64::from(number) * u64::from(FULL) / u64::from(scale)).min(u64::from(FULL)) as u32)
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
            renames,
            old_prefix: prefix("diff.srcprefix", b"a/"),
            new_prefix: prefix("diff.dstprefix", b"b/"),
            ..DiffOptions::default()
        }
    }

    /// The options that were given.
    pub(crate) fn diff_options(&self, arguments: &Arguments) -> Result<DiffOptions> {
        let mut options = self.diff_defaults();
        for (spec, given) in arguments.in_order() {
            let name = if spec.long.is_empty() { "" } else { spec.long };
            self.take_diff_option(&mut options, (spec.short, name), given)?;
        }
        if arguments.truth("renames") == Some(false) {
            options.renames = None;
        }
        if arguments.truth("abbrev") == Some(false) {
            options.full_index = true;
        }
        if arguments.truth("relative") == Some(false) {
            options.relative = None;
        }
        options.full_index |= arguments.has("full-index");
        if options.quiet {
            options.exit_code = true;
        }
        if options.is_reversed {
            std::mem::swap(&mut options.old_prefix, &mut options.new_prefix);
        }
        Ok(options)
    }

    fn take_diff_option(
        &self,
        options: &mut DiffOptions,
        name: (char, &str),
        given: Option<&Text>,
    ) -> Result<()> {
        let number = || -> Result<usize> {
            let text = given.and_then(|text| std::str::from_utf8(text).ok()).unwrap_or("");
            text.parse().map_err(|_| {
                GitError::Error(crate::memory::format!("option `{}' expects a numerical value", name.1), 129)
            })
        };
        let formats = &mut options.formats;
        match name {
            (_, "patch") | ('u', _) => (formats.patch, formats.none) = (true, false),
            (_, "no-patch") => *formats = super::options::Formats { none: true, ..Formats::default() },
            (_, "unified") => {
                (formats.patch, formats.none) = (true, false);
                if given.is_some() {
                    options.context = number()?;
                }
            }
            (_, "raw") => (formats.raw, formats.none) = (true, false),
            (_, "patch-with-raw") => (formats.patch, formats.raw) = (true, true),
            (_, "patch-with-stat") => (formats.patch, formats.stat) = (true, true),
            (_, "numstat") => (formats.numstat, formats.none) = (true, false),
            (_, "shortstat") => (formats.shortstat, formats.none) = (true, false),
            (_, "summary") => (formats.summary, formats.none) = (true, false),
            (_, "name-only") => (formats.name_only, formats.none) = (true, false),
            (_, "name-status") => (formats.name_status, formats.none) = (true, false),
            (_, "stat") => {
                (formats.stat, formats.none) = (true, false);
                let mut parts = given.map_or(&b""[..], |text| text).split(|byte| *byte == b',');
                let mut next = || parts.next().and_then(|text| std::str::from_utf8(text).ok()?.parse().ok());
                options.widths.whole = next().or(options.widths.whole);
                options.widths.name = next().or(options.widths.name);
                options.widths.count = next().or(options.widths.count);
            }
            (_, "stat-width") => options.widths.whole = Some(number()?),
            (_, "stat-name-width") => options.widths.name = Some(number()?),
            (_, "stat-graph-width") => options.widths.graph = Some(number()?),
            (_, "stat-count") => options.widths.count = Some(number()?),
            ('z', _) => options.ends_in_nul = true,
            (_, "abbrev") => {
                options.full_index = false;
                if given.is_some() {
                    options.abbreviation = Some(number()?.clamp(4, 40));
                }
            }
            (_, "color") if !matches!(given.map(Text::as_bytes), Some(b"never" | b"auto")) => {
                return Err(fatal!("colors are not supported"));
            }
            (_, "compact-summary") => (formats.stat, options.is_compact) = (true, true),
            (_, "inter-hunk-context") => options.between_hunks = number()?,
            (_, "check") => options.checks = true,
            (_, "binary") => {
                (formats.patch, formats.none, options.wants_binary, options.full_index) =
                    (true, false, true, true);
            }
            (
                _,
                name @ ("function-context" | "patience" | "histogram" | "word-diff" | "dirstat"
                | "color-moved"),
            ) => {
                return Err(fatal!("--{name} is not supported"));
            }
            (_, "src-prefix") => options.old_prefix = given.cloned().unwrap_or_default(),
            (_, "dst-prefix") => options.new_prefix = given.cloned().unwrap_or_default(),
            (_, "no-prefix") => (options.old_prefix, options.new_prefix) = (Text::EMPTY, Text::EMPTY),
            (_, "default-prefix") => {
                (options.old_prefix, options.new_prefix) =
                    (Text::from_static(b"a/"), Text::from_static(b"b/"));
            }
            ('R', _) => options.is_reversed = true,
            (_, "text") => options.text = true,
            (_, "ignore-all-space") => options.blanks.all = true,
            (_, "ignore-space-change") => options.blanks.change = true,
            (_, "ignore-space-at-eol") => options.blanks.trailing = true,
            (_, "ignore-cr-at-eol") => options.blanks.carriage_return = true,
            (_, "ignore-blank-lines") => options.blanks.lines = true,
            (_, "minimal") => options.is_minimal = true,
            (_, "diff-algorithm") => match given.map(Text::as_bytes) {
                Some(b"myers" | b"default") => options.is_minimal = false,
                Some(b"minimal") => options.is_minimal = true,
                _ => {
                    return Err(fatal!("diff algorithms other than 'myers' and 'minimal' are not supported"));
                }
            },
            (_, "find-renames" | "find-copies") => {
                let mut renames = options.renames.unwrap_or_default();
                renames.copies = name.1 == "find-copies";
                if let Some(text) = given {
                    let Some(least) = similarity(text) else {
                        return Err(GitError::Error(
                            crate::memory::format!("invalid argument to {}", name.1),
                            129,
                        ));
                    };
                    renames.least = if least == 0 { FULL / 2 } else { least };
                }
                options.renames = Some(renames);
            }
            (_, "renames") => options.renames = Some(RenameOptions::default()),
            ('l', _) => {
                let limit = number()?;
                if let Some(renames) = &mut options.renames {
                    renames.limit = if limit == 0 { usize::MAX } else { limit };
                }
            }
            (_, "exit-code") => options.exit_code = true,
            (_, "quiet") => options.quiet = true,
            (_, "diff-filter") => options.filter = given.cloned().unwrap_or_default(),
            (_, "relative") => {
                options.relative =
                    Some(given.map_or_else(|| self.repo.prefix.clone(), |text| text.to_metered()));
            }
            ('S', _) => options.occurrences = given.cloned(),
            ('G', _) => options.matching = given.cloned(),
            (_, "pickaxe-regex") => options.pickaxe_regex = true,
            (_, "pickaxe-all") => options.pickaxe_all = true,
            _ => {}
        }
        Ok(())
    }

    /// Whether `diff.relative` says that names are those of the working directory.
    pub(crate) fn is_relative_by_default(&self) -> bool {
        self.config.get("diff.relative").and_then(config::truth) == Some(true)
    }
}
