//! The options of `file`.

use super::kind::Kind;
use crate::memory::{String, Vec, format};
use crate::utility::prelude::*;

options! {
    pub(super) enum Opt {
        Brief = flag('b', "brief", "do not prepend filenames to output lines"),
        EndAtErrors = flag('E', "", "filesystem errors are errors, with status 1"),
        Exclude = value('e', "exclude", "TEST", "exclude TEST from the list of tests: ascii, text, csv, elf, json, soft, tar"),
        ExcludeQuiet = value('\0', "exclude-quiet", "TEST", "like exclude, but ignore unknown tests"),
        Extension = flag('\0', "extension", "output a slash-separated list of extensions"),
        FilesFrom = value('f', "files-from", "FILE", "read the filenames to be examined from FILE"),
        Separator = value('F', "separator", "STRING", "use string as separator instead of `:'"),
        NoDereference = flag('h', "no-dereference", "don't follow symlinks (default)"),
        Mime = flag('i', "mime", "output MIME type strings (--mime-type and --mime-encoding)"),
        MimeType = flag('\0', "mime-type", "output the MIME type"),
        MimeEncoding = flag('\0', "mime-encoding", "output the MIME encoding"),
        Dereference = flag('L', "dereference", "follow symlinks"),
        NoBuffer = flag('n', "no-buffer", "do not buffer output"),
        NoPad = flag('N', "no-pad", "do not pad output"),
        Print0 = flag('0', "print0", "terminate filenames with ASCII NUL"),
        PreserveDate = flag('p', "preserve-date", "preserve access times on files: reading changes none"),
        Parameter = value('P', "parameter", "NAME=VALUE", "set file engine parameter limits: bytes"),
        Raw = flag('r', "raw", "don't translate unprintable chars to \\ooo"),
        SpecialFiles = flag('s', "special-files", "treat special (block/char devices) files as ordinary ones"),
        NoSandbox = flag('S', "no-sandbox", "disable system call sandboxing: there is none"),
        Version = flag('v', "", "output version information and exit"),
    }
}

/// A test that can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Test {
    Text,
    Csv,
    Elf,
    Json,
    Soft,
    Tar,
}

/// What is told of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shows {
    Words,
    Mime,
    MimeType,
    MimeEncoding,
    Extensions,
}

pub(super) struct FileOptions {
    pub(super) is_brief: bool,
    pub(super) tells_errors: bool,
    pub(super) follows: bool,
    pub(super) reads_special: bool,
    pub(super) is_raw: bool,
    pub(super) pads: bool,
    pub(super) nuls: usize,
    pub(super) separator: Vec<u8>,
    pub(super) shows: Shows,
    /// Bytes that are read of a file.
    pub(super) most: usize,
    excluded: Vec<Test>,
}

impl FileOptions {
    pub(super) fn new(ctx: &Context) -> Self {
        Self {
            is_brief: false,
            tells_errors: false,
            follows: ctx.env.get(b"POSIXLY_CORRECT").is_some(),
            reads_special: false,
            is_raw: false,
            pads: true,
            nuls: 0,
            separator: crate::memory::vec![b':'],
            shows: Shows::Words,
            most: 1 << 20,
            excluded: Vec::new(),
        }
    }

    /// Takes an option; the later ones count.
    pub(super) fn take(&mut self, option: Opt, argument: Option<&Text>) -> Result<(), UtilityError> {
        match option {
            Opt::Brief => self.is_brief = true,
            Opt::EndAtErrors => self.tells_errors = true,
            Opt::Exclude | Opt::ExcludeQuiet => {
                self.exclude(argument.map_or(&b""[..], |text| text), option == Opt::ExcludeQuiet)?;
            }
            Opt::Extension => self.shows = Shows::Extensions,
            Opt::Separator => self.separator = argument.map_or(&b""[..], |text| text).into(),
            Opt::Dereference => self.follows = true,
            Opt::NoDereference => self.follows = false,
            Opt::Mime => self.shows = Shows::Mime,
            Opt::MimeType if self.shows == Shows::MimeEncoding => self.shows = Shows::Mime,
            Opt::MimeEncoding if self.shows == Shows::MimeType => self.shows = Shows::Mime,
            Opt::MimeType => self.shows = Shows::MimeType,
            Opt::MimeEncoding => self.shows = Shows::MimeEncoding,
            Opt::NoPad => self.pads = false,
            Opt::Print0 => self.nuls += 1,
            Opt::Parameter => self.set(argument.map_or(&b""[..], |text| text))?,
            Opt::Raw => self.is_raw = true,
            Opt::SpecialFiles => self.reads_special = true,
            // Lines are handed on when others want to run; there is no access time to keep and no sandbox to leave.
            Opt::NoBuffer | Opt::PreserveDate | Opt::NoSandbox => {}
            Opt::FilesFrom | Opt::Version => {}
        }
        Ok(())
    }

    fn exclude(&mut self, name: &[u8], is_quiet: bool) -> Result<(), UtilityError> {
        match name {
            b"ascii" | b"text" => self.excluded.push(Test::Text),
            b"csv" => self.excluded.push(Test::Csv),
            b"elf" => self.excluded.push(Test::Elf),
            b"json" => self.excluded.push(Test::Json),
            b"soft" => self.excluded.push(Test::Soft),
            b"tar" => self.excluded.push(Test::Tar),
            // Tests that are never made.
            b"apptype" | b"cdf" | b"compress" | b"tokens" => {}
            _ if is_quiet => {}
            b"encoding" => return Err(UtilityError::failed("the test `encoding' cannot be excluded")),
            _ => return Err(UtilityError::failed(usage_text().trim_end())),
        }
        Ok(())
    }

    fn set(&mut self, text: &[u8]) -> Result<(), UtilityError> {
        let unknown = || UtilityError::failed(format!("Unknown param {}", bstr::BStr::new(text)));
        let digits = text.strip_prefix(b"bytes=").ok_or_else(unknown)?;
        let number = super::super::format::count::parse_digits(digits).ok_or_else(unknown)?;
        self.most = usize::try_from(number).unwrap_or(usize::MAX).min(1 << 24);
        Ok(())
    }

    pub(super) fn tests(&self, test: Test) -> bool {
        !self.excluded.contains(&test)
    }

    /// What is printed of a kind.
    pub(super) fn shown(&self, kind: &Kind, words: &str, charset: &str) -> String {
        match self.shows {
            Shows::Words => words.into(),
            Shows::Mime => format!("{}; charset={charset}", kind.mime),
            Shows::MimeType => kind.mime.into(),
            Shows::MimeEncoding => charset.into(),
            Shows::Extensions if kind.extensions.is_empty() => "???".into(),
            Shows::Extensions => kind.extensions.into(),
        }
    }
}

pub(super) fn usage_text() -> String {
    "Usage: file [-bEhiLNnprsSv0] [--extension] [--mime-encoding] [--mime-type]\n            \
     [-e <testname>] [-F <separator>]  [-f <namefile>] [-P <parameter=value>]\n            \
     [--exclude-quiet] <file> ...\n       file [--help]\n"
        .into()
}
