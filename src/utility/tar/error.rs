//! How `tar` ends, and what it says on the way.

use crate::limit::LimitError;
use crate::memory::{String, format};
use crate::utility::compress::Fault;
use crate::utility::{Context, UtilityError};
use crate::vfs::FsError;

/// What ends the work on an archive.
#[derive(Clone, Debug)]
pub(super) enum TarError {
    /// `tar: MESSAGE`, `tar: Error is not recoverable: exiting now`; status 2.
    Fatal(String),
    /// The filter that decodes the archive failed.
    Filter(Fault),
    /// The data of a member ended too early; in the filter, if that says why.
    Cut(Option<Fault>),
    End(UtilityError),
}

pub(super) type Result<T> = std::result::Result<T, TarError>;

pub(super) fn fatal<T>(message: impl Into<String>) -> Result<T> {
    Err(TarError::Fatal(message.into()))
}

impl From<UtilityError> for TarError {
    fn from(error: UtilityError) -> Self {
        Self::End(error)
    }
}

impl From<LimitError> for TarError {
    fn from(error: LimitError) -> Self {
        Self::End(error.into())
    }
}

impl From<Fault> for TarError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Limit(limit) => Self::End(limit.into()),
            other => Self::Filter(other),
        }
    }
}

/// Counts the faults that do not end the work.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Faults {
    /// Something could not be done: status 2.
    pub(super) failed: bool,
    /// Files differ: status 1.
    pub(super) differs: bool,
}

impl Faults {
    /// Reports a fault.
    pub(super) fn report(&mut self, ctx: &mut Context, message: impl std::fmt::Display) {
        self.failed = true;
        ctx.warn(message);
    }

    /// Reports `NAME: Cannot VERB: error text`; a limit ends the run.
    pub(super) fn cannot(
        &mut self,
        ctx: &mut Context,
        name: &[u8],
        what: impl std::fmt::Display,
        error: FsError,
    ) -> Result<()> {
        match error {
            FsError::Errno(errno) => {
                let shown = super::shown::shown_name(name);
                self.report(ctx, format_args!("{shown}: Cannot {what}: {}", errno.message()));
                Ok(())
            }
            FsError::Limit(limit) => Err(limit.into()),
        }
    }
}

/// What the filter says on standard error, and its status.
pub(super) fn filter_words(program: &str, fault: &Fault) -> (String, u8) {
    let words = |gzip: &str, other: &str| match program {
        "gzip" => format!("\ngzip: stdin: {gzip}"),
        "bzip2" => format!("\nbzip2: {other}"),
        "zstd" => format!("zstd: /*stdin*\\: {other}"),
        _ => format!("{program}: (stdin): {other}"),
    };
    let text = match (program, fault) {
        ("bzip2", Fault::NotInFormat) => "bzip2: (stdin) is not a bzip2 file.".into(),
        ("zstd", Fault::NotInFormat) => "zstd: /*stdin*\\: unsupported format ".into(),
        (_, Fault::NotInFormat) => words("not in gzip format", "File format not recognized"),
        (_, Fault::UnexpectedEnd) => words("unexpected end of file", "Unexpected end of input"),
        (_, Fault::Checksum) => words("invalid compressed data--crc error", "Compressed data is corrupt"),
        (_, Fault::ChecksumAndLength) => words(
            "invalid compressed data--crc error\n\ngzip: stdin: invalid compressed data--length error",
            "Compressed data is corrupt",
        ),
        (_, Fault::Length) => words("invalid compressed data--length error", "Compressed data is corrupt"),
        (_, Fault::TrailingGarbage) => {
            words("decompression OK, trailing garbage ignored", "trailing garbage after EOF ignored")
        }
        (_, Fault::NotSupported(what)) => {
            let text = format!("{what} is not supported");
            words(&text, &text)
        }
        (_, Fault::Read(errno)) => words(errno.message(), errno.message()),
        (_, Fault::Corrupt | Fault::WindowTooLarge(_) | Fault::HeaderChecksum { .. } | Fault::Limit(_)) => {
            words("invalid compressed data--format violated", "Compressed data is corrupt")
        }
    };
    let status = if program == "bzip2" || *fault == Fault::TrailingGarbage { 2 } else { 1 };
    (text, status)
}
