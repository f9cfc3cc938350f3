//! Writes patched files, their backups and what was rejected.

use super::apply::Session;
use super::fatal;
use super::name::time_of;
use super::parse::{Hunk, Kind, Patch};
use crate::memory::{JoinMetered, String, ToMetered, Vec, format};
use crate::text::Text;
use crate::utility::file::{last_component, parent};
use crate::utility::{Context, UtilityError};
use crate::vfs::{Errno, FsError};

/// A patched file.
pub(super) struct Written<'a> {
    pub(super) content: &'a [u8],
    /// It is removed, with the folders that get empty.
    pub(super) removes: bool,
    pub(super) mode: u32,
    /// What it was; `None`: it was not there.
    pub(super) original: Option<&'a [u8]>,
}

/// The hunks that were not applied.
pub(super) struct Reject {
    kind: Kind,
    /// The form of the difference that they come from.
    from: Kind,
    text: Vec<u8>,
}

impl Reject {
    pub(super) fn new(kind: Kind, from: Kind) -> Self {
        Self { kind: if kind == Kind::Normal { Kind::Context } else { kind }, from, text: Vec::new() }
    }

    /// Adds a hunk, whose lines are counted with those that were added before it.
    pub(super) fn add(&mut self, hunk: &Hunk<'_>, shift: isize) {
        let shifted = |range: (usize, usize)| (range.0.saturating_add_signed(shift), range.1);
        let (old, new) = (shifted(hunk.old), shifted(hunk.new));
        if self.kind == Kind::Unified {
            let range = |(first, count): (usize, usize)| {
                if count == 1 { format!("{first}") } else { format!("{first},{count}") }
            };
            let head = format!("@@ -{} +{} @@", range(old), range(new));
            self.text.extend_from_slice(head.as_bytes());
            self.text.extend_from_slice(hunk.label);
            self.text.push(b'\n');
            for line in &hunk.lines {
                self.push(&[line.mark], line.text);
            }
            return;
        }
        let is_normal = self.from == Kind::Normal;
        self.text.extend_from_slice(b"***************");
        self.text.extend_from_slice(hunk.label);
        self.text.push(b'\n');
        let range = |(first, count): (usize, usize)| match count {
            0 => String::from("0"),
            1 => format!("{first}"),
            count => format!("{first},{}", first + count - 1),
        };
        for (mark, own, lead, end) in [
            (b'-', old, "*** ", if is_normal { "" } else { " ****" }),
            (b'+', new, "--- ", if is_normal { " -----" } else { " ----" }),
        ] {
            self.text.extend_from_slice(format!("{lead}{}{end}\n", range(own)).as_bytes());
            for (index, line) in hunk.lines.iter().enumerate() {
                if line.mark == b' ' {
                    self.push(b"  ", line.text);
                } else if line.mark == mark {
                    let change = if !is_normal && is_change(hunk, index) { b'!' } else { mark };
                    self.push(&[change, b' '], line.text);
                }
            }
        }
    }

    fn push(&mut self, lead: &[u8], text: &[u8]) {
        self.text.extend_from_slice(lead);
        self.text.extend_from_slice(text);
    }
}

/// Whether a line is of a change: lines that are taken away with lines that come in their place.
fn is_change(hunk: &Hunk<'_>, index: usize) -> bool {
    let lines = hunk.lines.as_slice();
    let (before, after) = lines.split_at_checked(index).unwrap_or((lines, &[]));
    let near = before
        .iter()
        .rev()
        .take_while(|line| line.mark != b' ')
        .chain(after.iter().take_while(|line| line.mark != b' '));
    let mut marks = [false; 2];
    for line in near {
        marks[usize::from(line.mark == b'+')] = true;
    }
    marks == [true, true]
}

impl Session<'_> {
    pub(super) fn reject_name(&self, target: &[u8]) -> Vec<u8> {
        match &self.settings.reject {
            Some(name) => name.as_bytes().to_metered(),
            None => match &self.settings.output {
                Some(output) => [output.as_bytes(), b".rej"].concat_metered(),
                None => [target, b".rej"].concat_metered(),
            },
        }
    }

    pub(super) async fn write_rejects(
        &mut self,
        ctx: &mut Context,
        patch: &Patch<'_>,
        target: &[u8],
        reject: &Reject,
        reverse: bool,
    ) -> Result<(), UtilityError> {
        let name = self.reject_name(target);
        if self.settings.dry || name.as_slice() == b"-" {
            return Ok(());
        }
        let missing: &[u8] = b"/dev/null";
        let (mut old, mut new) = (patch.names.old.unwrap_or(missing), patch.names.new.unwrap_or(missing));
        if reverse {
            std::mem::swap(&mut old, &mut new);
        }
        let (first, second): (&[u8], &[u8]) =
            if reject.kind == Kind::Unified { (b"--- ", b"+++ ") } else { (b"*** ", b"--- ") };
        let mut head: Vec<u8> = Vec::new();
        if let Some(git) = patch.names.git.filter(|_| reject.kind == Kind::Unified) {
            head.extend_from_slice(&[b"diff --git ", git, b"\n"].concat_metered());
        }
        head.extend_from_slice(&[first, old, b"\n", second, new, b"\n"].concat_metered());
        let appends = self.settings.reject.is_some() && self.reject_begun;
        self.reject_begun = true;
        let failed = |error: FsError| match error {
            FsError::Limit(limit) => limit.into(),
            FsError::Errno(errno) => {
                fatal(format_args!("Can't create file {} : {}", bstr::BStr::new(&name), errno.message()))
            }
        };
        let mut file = ctx.create(&name, appends).map_err(failed)?;
        file.write(&head).await?;
        file.write(&reject.text).await?;
        file.flush().await
    }

    pub(super) async fn write_file(
        &mut self,
        ctx: &mut Context,
        patch: &Patch<'_>,
        source: &[u8],
        target: &[u8],
        written: Written<'_>,
        backs_up: bool,
    ) -> Result<(), UtilityError> {
        let named = |what: &'static str, name: &[u8], error: FsError| match error {
            FsError::Limit(limit) => limit.into(),
            FsError::Errno(errno) => {
                fatal(format_args!("{what} {} : {}", bstr::BStr::new(name), errno.message()))
            }
        };
        if backs_up && !self.backed_up.iter().any(|name| name.as_slice() == target) {
            let backup = self.backup_name(ctx, target);
            make_parents(ctx, &backup)?;
            let mode = if written.original.is_some() { written.mode } else { 0o666 & !ctx.umask };
            let path = ctx.absolute(&backup);
            let original = written.original.unwrap_or(&[]);
            ctx.fs()
                .write(&path, original, mode)
                .map_err(|error| named("Can't create file", &backup, error))?;
            self.backed_up.push(target.to_metered());
        }
        let before = ctx.lstat(source).ok().map(|metadata| metadata.modified);
        let path = ctx.absolute(target);
        let moves = source != target && !patch.names.copies;
        if written.removes || moves {
            let old = ctx.absolute(source);
            match ctx.fs().remove_file(&old) {
                Ok(()) | Err(FsError::Errno(Errno::NotFound)) => {}
                Err(error) => return Err(named("Can't remove file", source, error)),
            }
            remove_parents(ctx, source)?;
        }
        if written.removes {
            return Ok(());
        }
        make_parents(ctx, target)?;
        // A link, or a file that may only be read, is replaced.
        match ctx.fs().remove_file(&path) {
            Ok(()) | Err(FsError::Errno(Errno::NotFound)) => {}
            Err(error) => return Err(named("Can't remove file", target, error)),
        }
        let written_all = ctx.fs().write(&path, written.content, written.mode);
        written_all
            .and_then(|()| ctx.fs().set_mode(&path, written.mode))
            .map_err(|error| named("Can't create file", target, error))?;
        if let Some(is_utc) = self.settings.set_time {
            let header = if self.settings.reverse { patch.names.old } else { patch.names.new };
            let other = if self.settings.reverse { patch.names.new } else { patch.names.old };
            let expected = other.and_then(|header| time_of(header, is_utc));
            let is_other = before.is_some_and(|time| i64::try_from(time.as_secs()).ok() != expected);
            if is_other && !self.settings.force {
                let shown = self.settings.shown(target);
                self.say(ctx, &format!("Not setting time of file {shown} (time mismatch)\n")).await?;
                return Ok(());
            }
            if let Some(seconds) = header
                .and_then(|header| time_of(header, is_utc))
                .and_then(|seconds| u64::try_from(seconds).ok())
            {
                let time = std::time::Duration::from_secs(seconds);
                ctx.fs()
                    .set_times(&path, Some(time), Some(time), true)
                    .map_err(|error| named("Can't set timestamp on file", target, error))?;
            }
        }
        Ok(())
    }

    fn backup_name(&self, ctx: &Context, target: &[u8]) -> Vec<u8> {
        let settings = self.settings;
        let control = settings.control.as_ref().map_or(&b"existing"[..], Text::as_bytes);
        let is_named =
            settings.prefix.is_some() || settings.base_prefix.is_some() || settings.suffix.is_some();
        let numbers = !matches!(control, b"simple" | b"never") && (settings.control.is_some() || !is_named);
        if numbers {
            let highest = (1..).take_while(|number| {
                let name: String = format!(".~{number}~");
                ctx.lstat(&[target, name.as_bytes()].concat_metered()).is_ok()
            });
            let next = highest.count() + 1;
            if next > 1 || matches!(control, b"numbered" | b"t") {
                return [target, format!(".~{next}~").as_bytes()].concat_metered();
            }
        }
        let (base, directory) = (last_component(target), target.len() - last_component(target).len());
        let directory = target.get(..directory).unwrap_or(&[]);
        let prefix = settings.prefix.as_ref().map_or(&b""[..], Text::as_bytes);
        let base_prefix = settings.base_prefix.as_ref().map_or(&b""[..], Text::as_bytes);
        let no_prefix = prefix.is_empty() && base_prefix.is_empty();
        let suffix =
            settings.suffix.as_ref().map_or(if no_prefix { &b".orig"[..] } else { b"" }, Text::as_bytes);
        [prefix, directory, base_prefix, base, suffix].concat_metered()
    }
}

fn make_parents(ctx: &Context, name: &[u8]) -> Result<(), UtilityError> {
    let path = ctx.absolute(name);
    if let Some((directory, _)) = crate::vfs::path::split_last(&path) {
        ctx.fs()
            .create_dir_all(directory, 0o777 & !ctx.umask)
            .map_err(|error| UtilityError::operand(name, error))?;
    }
    Ok(())
}

/// Folders that a removed file leaves empty go too.
fn remove_parents(ctx: &Context, name: &[u8]) -> Result<(), UtilityError> {
    let mut rest = parent(name);
    while !matches!(rest, b"." | b"/" | b"") {
        match ctx.fs().remove_dir(&ctx.absolute(rest)) {
            Ok(()) => rest = parent(rest),
            Err(FsError::Limit(limit)) => return Err(limit.into()),
            Err(_) => break,
        }
    }
    Ok(())
}
