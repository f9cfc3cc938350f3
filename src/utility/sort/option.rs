//! The options of `sort`, and how it fails: what its other files share.

use crate::memory::format;
use crate::utility::prelude::*;

options! {
    pub(super) enum Opt {
        IgnoreLeadingBlanks = flag('b', "ignore-leading-blanks", "ignore leading blanks"),
        DictionaryOrder = flag('d', "dictionary-order", "consider only blanks and alphanumeric characters"),
        IgnoreCase = flag('f', "ignore-case", "fold lower case to upper case characters"),
        GeneralNumericSort = flag(
            'g',
            "general-numeric-sort",
            "compare according to general numerical value",
        ),
        IgnoreNonprinting = flag('i', "ignore-nonprinting", "consider only printable characters"),
        MonthSort = flag('M', "month-sort", "compare (unknown) < 'JAN' < ... < 'DEC'"),
        HumanNumericSort = flag('h', "human-numeric-sort", "compare human readable numbers (2K 1G)"),
        NumericSort = flag('n', "numeric-sort", "compare according to string numerical value"),
        RandomSort = flag('R', "random-sort", "shuffle, but group identical keys"),
        Reverse = flag('r', "reverse", "reverse the result of comparisons"),
        Sort = value(
            '\0',
            "sort",
            "WORD",
            "general-numeric, human-numeric, month, numeric, random or version",
        ),
        VersionSort = flag('V', "version-sort", "natural sort of version numbers within text"),
        Check = optional('\0', "check", "WORD", "check for sorted input: diagnose-first, quiet or silent"),
        CheckFirst = flag('c', "", "check for sorted input; do not sort"),
        CheckQuietly = flag('C', "", "like -c, but do not report the first bad line"),
        Key = value('k', "key", "KEYDEF", "sort by a key: F[.C][OPTS][,F[.C][OPTS]]"),
        Merge = flag('m', "merge", "merge already sorted files; do not sort"),
        Output = value('o', "output", "FILE", "write to FILE instead of standard output"),
        Stable = flag('s', "stable", "do not compare whole lines as a last resort"),
        FieldSeparator = value(
            't',
            "field-separator",
            "SEP",
            "use SEP instead of the change from non-blank to blank",
        ),
        BufferSize = value('\0', "buffer-size", "SIZE", "checked; all input is held in memory anyway"),
        BufferSizeLetter = value('S', "", "SIZE", "the same as --buffer-size"),
        TemporaryDirectory = value('T', "temporary-directory", "DIR", "temporary files would go to DIR; none are made"),
        Parallel = value('\0', "parallel", "N", "checked; lines are sorted one by one"),
        BatchSize = value('\0', "batch-size", "NMERGE", "checked; all inputs are merged at once"),
        CompressProgram = value(
            '\0',
            "compress-program",
            "PROG",
            "temporary files would be compressed with PROG; none are made",
        ),
        Debug = flag('\0', "debug", "mark what of each line is compared, and warn of questionable usage"),
        Files0From = value(
            '\0',
            "files0-from",
            "F",
            "read the files named in F, names ending in NUL; '-' is standard input",
        ),
        RandomSource = value('\0', "random-source", "FILE", "get random bytes from FILE"),
        Unique = flag(
            'u',
            "unique",
            "only the first of lines that compare equal; with -c, check for strict order",
        ),
        ZeroTerminated = flag('z', "zero-terminated", "line delimiter is NUL, not newline"),
    }
}

/// Exit status of everything that goes wrong.
pub(super) const TROUBLE: u8 = 2;

/// `what: file: reason`, status 2.
pub(super) fn trouble(what: &str, file: &[u8], error: FsError) -> UtilityError {
    match error {
        FsError::Limit(limit) => limit.into(),
        FsError::Errno(errno) => UtilityError::Failed {
            message: format!("{what}: {}: {}", quote_operand(file), errno.message()),
            status: TROUBLE,
        },
    }
}

pub(super) fn read_failed(file: &[u8], error: OperandError) -> UtilityError {
    error.errno().map_or_else(|end| end, |errno| trouble("read failed", file, errno.into()))
}
