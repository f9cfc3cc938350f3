//! The inputs of `sed`, one after the other, with a look ahead for `$`; and files that are edited in place.

use crate::memory::{JoinMetered, ToMetered, Vec, VecDeque, format};
use crate::utility::context::pace::append;
use crate::utility::prelude::*;
use crate::vfs::Metadata;

/// `-i`: how the old file is kept, if it is.
#[derive(Clone, Debug)]
pub(super) struct InPlace {
    /// Added to the name, or where it has `*`, the pattern of the backup's name.
    pub(super) suffix: Option<Text>,
}

/// What the options say about reading.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reading {
    pub(super) delimiter: u8,
    /// Every file has a last line of its own.
    pub(super) separate: bool,
    pub(super) unbuffered: bool,
    /// A link is replaced by what it leads to.
    pub(super) follows_links: bool,
}

/// A shorter line is copied without a look at others.
const SHORT: usize = 16 << 10;

/// So many links are followed one after the other.
const LONGEST_CHAIN: usize = 40;

#[derive(Debug)]
struct Open {
    name: Text,
    input: Input,
    /// Of the file that will be replaced.
    replaced: Option<(Vec<u8>, Metadata)>,
}

#[derive(Debug)]
pub(super) struct Inputs {
    operands: VecDeque<Text>,
    current: Option<Open>,
    /// Opened while looking for another line.
    ahead: Option<Open>,
    /// The operand that was taken last.
    latest: Option<Text>,
    reading: Reading,
    in_place: Option<InPlace>,
    /// Lines read so far; with `separate`, of this file.
    pub(super) line: u64,
    /// 2 after an input that could not be read.
    pub(super) status: u8,
}

/// What reading a line told.
pub(super) enum Event {
    /// A line was appended; whether it had its newline.
    Line(bool),
    /// Another file begins, with line numbers of its own.
    File,
    /// The current file is at its end; with `-i` its new content is to be stored.
    FileEnd,
    End,
}

impl Inputs {
    pub(super) fn new(operands: Vec<Text>, reading: Reading, in_place: Option<InPlace>) -> Self {
        Self {
            operands: operands.into(),
            current: None,
            ahead: None,
            latest: None,
            reading,
            in_place,
            line: 0,
            status: 0,
        }
    }

    /// The name of the operand that was taken last, `-` for standard input: where a look ahead for `$` went on to the next
    /// one, it is that.
    pub(super) fn name(&self) -> &[u8] {
        self.latest.as_ref().map_or(b"-", Text::as_bytes)
    }

    /// Reads the next line, appended to `line`.
    pub(super) async fn read(
        &mut self,
        ctx: &mut Context,
        line: &mut Vec<u8>,
    ) -> Result<Event, UtilityError> {
        loop {
            let Some(open) = &mut self.current else {
                let next = match self.ahead.take() {
                    Some(next) => next,
                    None => match self.open_next(ctx).await? {
                        Some(next) => next,
                        None => return Ok(Event::End),
                    },
                };
                self.current = Some(next);
                if self.reading.separate {
                    self.line = 0;
                    return Ok(Event::File);
                }
                continue;
            };
            let read = if self.reading.unbuffered {
                open.input.next_line_unbuffered(self.reading.delimiter).await
            } else {
                open.input.next_line(self.reading.delimiter).await
            };
            match read {
                Ok(Some(bytes)) => {
                    let body = bytes.strip_suffix(&[self.reading.delimiter]);
                    let (body, has_newline) = (body.unwrap_or(bytes), body.is_some());
                    if body.len() < SHORT {
                        line.extend_from_slice(body);
                    } else {
                        append(&ctx.meter, line, body).await?;
                    }
                    self.line += 1;
                    return Ok(Event::Line(has_newline));
                }
                Ok(None) if open.replaced.is_some() => return Ok(Event::FileEnd),
                Ok(None) => self.current = None,
                Err(error) => return Err(read_error(&open.name, error)),
            }
        }
    }

    /// Whether no line follows.
    pub(super) async fn is_last(&mut self, ctx: &mut Context) -> Result<bool, UtilityError> {
        if let Some(open) = &mut self.current {
            match open.input.fill().await {
                Ok([]) => {}
                Ok(_) => return Ok(false),
                Err(error) => return Err(read_error(&open.name, error)),
            }
            if self.reading.separate {
                return Ok(true);
            }
        }
        loop {
            if self.ahead.is_none() {
                self.ahead = self.open_next(ctx).await?;
            }
            let Some(open) = &mut self.ahead else { return Ok(true) };
            match open.input.fill().await {
                Ok([]) => self.ahead = None,
                Ok(_) => return Ok(false),
                Err(error) => return Err(read_error(&open.name, error)),
            }
        }
    }

    /// Opens the next operand that can be opened; the others are reported.
    async fn open_next(&mut self, ctx: &mut Context) -> Result<Option<Open>, UtilityError> {
        while let Some(mut name) = self.operands.pop_front() {
            ctx.tick().await?;
            if self.reading.follows_links && name.as_bytes() != b"-" {
                name = follow_links(ctx, name)?;
            }
            self.latest = Some(name.clone());
            match self.open(ctx, &name) {
                Ok(open) => return Ok(Some(open)),
                Err((_, FsError::Limit(limit))) => return Err(limit.into()),
                Err((Refusal::Unreadable, FsError::Errno(errno))) => {
                    self.status = self.status.max(2);
                    ctx.stdout.flush().await?;
                    ctx.warn(format_args!("can't read {name}: {}", errno.message()));
                }
                Err((Refusal::NotRegular, _)) => {
                    let message = format!("couldn't edit {name}: not a regular file");
                    return Err(UtilityError::Failed { message, status: 4 });
                }
            }
        }
        Ok(None)
    }

    fn open(&self, ctx: &mut Context, name: &Text) -> Result<Open, (Refusal, FsError)> {
        let unreadable = |error| (Refusal::Unreadable, error);
        if self.in_place.is_none() {
            let input = ctx.open_input(name).map_err(unreadable)?;
            return Ok(Open { name: name.clone(), input, replaced: None });
        }
        let fs = &ctx.session.fs;
        let path = ctx.absolute(name);
        let metadata = fs.metadata(&path).map_err(unreadable)?;
        if !metadata.is_regular() {
            return Err((Refusal::NotRegular, Errno::Invalid.into()));
        }
        let input = ctx.open(&path).map_err(unreadable)?;
        Ok(Open { name: name.clone(), input, replaced: Some((path, metadata)) })
    }

    /// Stores the new content of the file that ends here, or is left: under a name of its own first, then in the place of
    /// the old one. Nothing can come between the two.
    pub(super) fn store(&mut self, ctx: &Context, content: &[u8]) -> Result<(), UtilityError> {
        let Some(Open { name, replaced: Some((path, metadata)), .. }) = self.current.take() else {
            return Ok(());
        };
        let fs = &ctx.session.fs;
        let directory =
            crate::vfs::path::split_last(&path).map_or(b"/".as_slice(), |(directory, _)| directory);
        let fresh =
            join(directory, format!("sed{:06x}", ctx.session.random.next_u64() & 0xff_ffff).as_bytes());
        let suffix = self.in_place.as_ref().and_then(|in_place| in_place.suffix.as_ref());
        let aside = suffix.map(|suffix| backup(&path, suffix));
        let stored = fs.write(&fresh, content, 0o600).and_then(|()| {
            fs.set_mode(&fresh, metadata.mode)?;
            // Only the superuser can give a file away; for others it becomes their own.
            let _ = fs.set_owner(&fresh, Some(metadata.uid), Some(metadata.gid), false);
            if let Some(aside) = &aside {
                fs.rename(&path, aside)?;
            }
            fs.rename(&fresh, &path)
        });
        stored.map_err(|error| {
            let _ = fs.remove_file(&fresh);
            match error {
                FsError::Limit(limit) => limit.into(),
                FsError::Errno(errno) => UtilityError::Failed {
                    message: format!("cannot rename {name}: {}", errno.message()),
                    status: 4,
                },
            }
        })
    }
}

/// What the links lead to, the first of which is named, as a name that is relative where they are.
fn follow_links(ctx: &Context, mut name: Text) -> Result<Text, UtilityError> {
    let fs = &ctx.session.fs;
    for _ in 0..LONGEST_CHAIN {
        let failure = |error: FsError| match error {
            FsError::Limit(limit) => limit.into(),
            FsError::Errno(errno) => UtilityError::Failed {
                message: format!("couldn't readlink {name}: {}", errno.message()),
                status: 4,
            },
        };
        let path = ctx.absolute(&name);
        if name.is_empty() {
            return Err(failure(Errno::NotFound.into()));
        }
        if !fs.symlink_metadata(&path).map_err(failure)?.is_symlink() {
            return Ok(name);
        }
        let target = fs.read_link(&path).map_err(failure)?;
        let directory = name.as_bytes().iter().rposition(|&byte| byte == b'/');
        name = match directory {
            Some(end) if !target.starts_with(b"/") => {
                [name.get(..=end).unwrap_or_default(), target.as_bytes()].concat_metered().into()
            }
            _ => target,
        };
    }
    Err(UtilityError::Failed {
        message: format!("couldn't follow symlink {name}: {}", Errno::TooManyLevels.message()),
        status: 4,
    })
}

/// Why an operand is not taken.
enum Refusal {
    Unreadable,
    NotRegular,
}

pub(super) fn read_error(name: &Text, error: FsError) -> UtilityError {
    match error {
        FsError::Limit(limit) => limit.into(),
        FsError::Errno(errno) => {
            let shown = match name.as_bytes() {
                b"-" | b"/dev/stdin" => Text::from_static(b"stdin"),
                b"/dev/stderr" => Text::from_static(b"stderr"),
                b"/dev/stdout" => Text::from_static(b"stdout"),
                _ => name.clone(),
            };
            UtilityError::Failed { message: format!("read error on {shown}: {}", errno.message()), status: 4 }
        }
    }
}

fn join(directory: &[u8], name: &[u8]) -> Vec<u8> {
    let mut path = directory.to_metered();
    if !path.ends_with(b"/") {
        path.push(b'/');
    }
    path.extend_from_slice(name);
    path
}

/// The path of the backup: the suffix appended, or each `*` in it replaced by the name; with a `/`, a path of its own.
fn backup(path: &[u8], suffix: &[u8]) -> Vec<u8> {
    let (directory, name) = crate::vfs::path::split_last(path).unwrap_or((b"/", path));
    let new = if suffix.contains(&b'*') {
        suffix.split(|&byte| byte == b'*').collect::<Vec<_>>().join_metered(name)
    } else {
        [name, suffix].concat_metered()
    };
    crate::vfs::path::join(directory, &new)
}
