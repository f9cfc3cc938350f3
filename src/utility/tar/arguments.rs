//! The arguments of `tar` as options alone: old-style letters get a dash, a name becomes `--add-file=NAME`, so that names keep
//! their place between `-C` options. What the real program has and this one does not is refused by its name.

use super::options::Opt;
use crate::memory::{JoinMetered, Vec, format};
use crate::text::Text;
use crate::utility::UtilityError;
use crate::utility::context::options::{OptionArgument, OptionSet};

/// Long options that are not here.
const REFUSED: [&str; 51] = [
    "acls",
    "add-backup",
    "backup",
    "check-links",
    "checkpoint",
    "checkpoint-action",
    "compress",
    "confirmation",
    "exclude-caches",
    "exclude-caches-all",
    "exclude-caches-under",
    "exclude-ignore",
    "exclude-ignore-recursive",
    "exclude-tag",
    "exclude-tag-all",
    "exclude-tag-under",
    "exclude-vcs-ignores",
    "group-map",
    "hole-detection",
    "ignore-command-error",
    "incremental",
    "index-file",
    "info-script",
    "interactive",
    "label",
    "level",
    "listed-incremental",
    "lzip",
    "lzop",
    "multi-volume",
    "new-volume-script",
    "no-quote-chars",
    "occurrence",
    "owner-map",
    "preserve-order",
    "quote-chars",
    "quoting-style",
    "recursive-unlink",
    "rmt-command",
    "rsh-command",
    "same-order",
    "selinux",
    "show-omitted-dirs",
    "sparse",
    "sparse-version",
    "suffix",
    "tape-length",
    "test-label",
    "to-command",
    "uncompress",
    "verify",
];

/// And letters.
const REFUSED_LETTERS: &[u8] = b"gGSWMFLVwRlsZ";

/// The hint after an error of the arguments.
const HINT: &str = "Try 'tar --help' or 'tar --usage' for more information.";

/// An error of the arguments, with its status.
pub(super) fn usage(message: impl std::fmt::Display, status: u8) -> UtilityError {
    UtilityError::Failed { message: format!("{message}\n{HINT}"), status }
}

fn needs_argument(letter: u8) -> bool {
    Opt::TABLE
        .iter()
        .any(|row| row.short == char::from(letter) && matches!(row.argument, OptionArgument::Required(_)))
}

/// Whether a long option takes the argument after it.
fn long_needs_argument(name: &[u8]) -> bool {
    let matching = || Opt::TABLE.iter().filter(|row| row.long.as_bytes().starts_with(name));
    let row = matching().find(|row| row.long.as_bytes() == name).or_else(|| {
        let mut rows = matching();
        rows.next().filter(|_| rows.next().is_none())
    });
    row.is_some_and(|row| matches!(row.argument, OptionArgument::Required(_)))
}

fn refuse(name: impl std::fmt::Display) -> UtilityError {
    usage(format_args!("option '{name}' is not supported"), 64)
}

fn check_long(name: &[u8]) -> Result<(), UtilityError> {
    match REFUSED.iter().find(|refused| refused.as_bytes() == name) {
        Some(refused) => Err(refuse(format_args!("--{refused}"))),
        None => Ok(()),
    }
}

fn check_letter(letter: u8) -> Result<(), UtilityError> {
    if REFUSED_LETTERS.contains(&letter) {
        return Err(refuse(format_args!("-{}", char::from(letter))));
    }
    Ok(())
}

/// See the module.
pub(super) fn normalise(args: Vec<Text>) -> Result<Vec<Text>, UtilityError> {
    let mut out: Vec<Text> = Vec::new();
    let mut args = args.into_iter().peekable();
    if let Some(first) = args.next_if(|first| !first.is_empty() && !first.starts_with(b"-")) {
        for &letter in first.iter() {
            check_letter(letter)?;
            out.push([b"-".as_slice(), &[letter]].concat_metered().into());
            if needs_argument(letter) {
                let Some(value) = args.next() else {
                    let shown = char::from(letter);
                    return Err(usage(format_args!("Old option '{shown}' requires an argument."), 2));
                };
                out.push(value);
            }
        }
    }
    let name = |arg: &Text| Text::from([b"--add-file=".as_slice(), arg].concat_metered());
    while let Some(arg) = args.next() {
        match arg.as_bytes() {
            b"--" => {
                out.extend(args.by_ref().map(|arg| name(&arg)));
            }
            [b'-', b'-', long @ ..] => {
                let end = memchr::memchr(b'=', long);
                let word = long.get(..end.unwrap_or(long.len())).unwrap_or(long);
                check_long(word)?;
                let takes_next = end.is_none() && long_needs_argument(word);
                out.push(arg);
                if takes_next {
                    out.extend(args.next());
                }
            }
            [b'-', letters @ ..] if !letters.is_empty() => {
                let mut takes_next = false;
                for (index, &letter) in letters.iter().enumerate() {
                    check_letter(letter)?;
                    if needs_argument(letter) {
                        takes_next = index + 1 == letters.len();
                        break;
                    }
                }
                out.push(arg);
                if takes_next {
                    out.extend(args.next());
                }
            }
            _ => out.push(name(&arg)),
        }
    }
    Ok(out)
}
