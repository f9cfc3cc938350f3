//! `truncate`: sets the size of files. GNU coreutils truncate(1).

use super::file::BLOCK_SIZE;
use super::format::block_size::{SizeError, parse_scaled};
use super::format::quote::{quote, quote_name};
use crate::memory::format;
use crate::utility::prelude::*;
use crate::vfs::OpenOptions;

options! {
    enum Opt {
        IoBlocks = flag('o', "io-blocks", "treat SIZE as number of IO blocks instead of bytes"),
        NoCreate = flag('c', "no-create", "do not create any files"),
        Reference = value('r', "reference", "RFILE", "base size on RFILE"),
        Size = value(
            's',
            "size",
            "SIZE",
            "set or adjust the file size by SIZE bytes: + extend, - reduce, < at most, > at least, / round down, % round up",
        ),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "truncate",
    summary: "shrink or extend the size of each FILE to the specified size",
    usage: "truncate OPTION... FILE...",
    options: Opt::TABLE,
    examples: &[example("truncate -s 1K f; stat -c %s f", "1024\n")],
    run: start!(run),
    ..Utility::BASE
};

/// What the message for a number ends in that no file can have as its size.
const TOO_LARGE: &str = ": Value too large for defined data type";

/// How the operand of `-s` changes a size.
#[derive(Clone, Copy, Debug)]
struct Size {
    operator: u8,
    value: u64,
}

impl Size {
    fn parse(text: &[u8]) -> Result<Self, SizeError> {
        let (operator, number) = match text {
            [operator @ (b'+' | b'-' | b'<' | b'>' | b'/' | b'%'), number @ ..] => (*operator, number),
            number => (b'=', number),
        };
        if !number.first().is_some_and(u8::is_ascii_digit) {
            return Err(SizeError::Invalid);
        }
        let value = parse_scaled(number)?;
        if i64::try_from(value).is_err() { Err(SizeError::TooLarge) } else { Ok(Self { operator, value }) }
    }

    /// `None` when the size would be too large.
    fn apply(self, size: u64) -> Option<u64> {
        match self.operator {
            b'+' => size.checked_add(self.value),
            b'-' => Some(size.saturating_sub(self.value)),
            b'<' => Some(size.min(self.value)),
            b'>' => Some(size.max(self.value)),
            b'/' => Some(size - size.checked_rem(self.value)?),
            b'%' => size.checked_next_multiple_of(self.value),
            _ => Some(self.value),
        }
    }
}

/// Exit status: 0, or 1 when a file's size could not be set (the others still are).
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let size = match options.value(Opt::Size) {
        Some(text) => {
            let wrong = |error| {
                let why = if error == SizeError::TooLarge { TOO_LARGE } else { "" };
                UtilityError::failed(format!("Invalid number: {}{why}", quote(text)))
            };
            Some(Size::parse(text).map_err(wrong)?)
        }
        None => None,
    };
    if let Some(Size { operator: b'/' | b'%', value: 0 }) = size {
        return Err(UtilityError::failed("division by zero"));
    }
    let reference = match options.value(Opt::Reference) {
        Some(file) => Some(
            ctx.stat(file)
                .map_err(|error| {
                    UtilityError::operand(format!("cannot stat {}", quote_name(file)).as_bytes(), error)
                })?
                .size,
        ),
        None => None,
    };
    if size.is_none() && reference.is_none() {
        return Err(UtilityError::Usage("you must specify either ‘--size’ or ‘--reference’".into()));
    }
    if reference.is_some() && size.is_some_and(|size| size.operator == b'=') {
        return Err(UtilityError::Usage("you must specify a relative ‘--size’ with ‘--reference’".into()));
    }
    if options.has(Opt::IoBlocks) && size.is_none() {
        return Err(UtilityError::Usage("‘--io-blocks’ was specified but ‘--size’ was not".into()));
    }
    let unit = if options.has(Opt::IoBlocks) { BLOCK_SIZE } else { 1 };
    if options.operands.is_empty() {
        return Err(UtilityError::Usage("missing file operand".into()));
    }
    let mut status = ExitStatus::SUCCESS;
    for operand in &options.operands {
        ctx.tick().await?;
        let blocks = size.map_or(0, |size| size.value);
        let scaled = blocks.checked_mul(unit).filter(|bytes| i64::try_from(*bytes).is_ok());
        let Some(bytes) = scaled else {
            status = ctx.warn(format_args!(
                "overflow in {blocks} * {unit} byte blocks for file {}",
                quote_name(operand)
            ));
            continue;
        };
        let size = size.map(|size| Size { value: bytes, ..size });
        match resize(ctx, operand, size, reference, !options.has(Opt::NoCreate)) {
            Ok(()) => {}
            Err(FsError::Errno(Errno::NotFound)) if options.has(Opt::NoCreate) => {}
            Err(FsError::Errno(Errno::FileTooBig)) => {
                status = ctx.warn(format_args!("overflow extending size of file {}", quote_name(operand)));
            }
            Err(error) => {
                status =
                    ctx.complain(format_args!("cannot open {} for writing", quote_name(operand)), error)?;
            }
        }
    }
    Ok(status)
}

fn resize(
    ctx: &Context,
    operand: &[u8],
    size: Option<Size>,
    reference: Option<u64>,
    create: bool,
) -> Result<(), FsError> {
    let path = ctx.path(operand)?;
    let mode = 0o666 & !ctx.umask;
    ctx.fs().open(&path, &OpenOptions { write: true, create, mode, ..OpenOptions::default() })?;
    let base = match reference {
        Some(size) => size,
        None => ctx.fs().metadata(&path)?.size,
    };
    let wanted = size.map_or(Some(base), |size| size.apply(base)).ok_or(Errno::FileTooBig)?;
    ctx.fs().truncate(&path, wanted)
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::Fixture;

    #[test]
    fn sizes_are_set_and_adjusted() {
        let fixture = Fixture::new(&[]);
        for (size, want) in [
            ("10", "10"),
            ("+5", "15"),
            ("<3", "3"),
            ("%4", "4"),
            ("-1", "3"),
            (">1K", "1024"),
            ("/1000", "1000"),
        ] {
            assert_eq!(fixture.run("truncate", &["-s", size, "f"], b"").status, 0);
            assert_eq!(fixture.run("stat", &["-c", "%s", "f"], b"").stdout, format!("{want}\n"), "{size}");
        }
        let outcome = fixture.run("truncate", &["-s", "x", "f"], b"");
        assert_eq!(outcome.stderr, "truncate: Invalid number: ‘x’\n");
    }
}
