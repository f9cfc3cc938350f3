//! Applies the hunks of one file after another, and tells how that went.

use super::locate::{HunkSearch, Lines, first, locate};
use super::name::{best, existing, is_safe, stripped};
use super::output::{Reject, Written};
use super::parse::{Hunk, Kind, Line, Patch, PatchReader};
use super::{PatchOptions, ReadOnly, fatal};
use crate::memory::{String, ToMetered, Vec, format};
use crate::text::Text;
use crate::utility::{Context, UtilityError};
use crate::vfs::{Errno, FsError};

/// See the module.
pub(super) struct Session<'s> {
    pub(super) settings: &'s PatchOptions,
    operand: Option<Text>,
    pub(super) failed: bool,
    /// What `-o` has got so far.
    output: Option<Vec<u8>>,
    /// Files that have a backup of this run.
    pub(super) backed_up: Vec<Vec<u8>>,
    /// The reject file of all, `-r`, was begun.
    pub(super) reject_begun: bool,
}

/// The state of one file's patch.
struct Progress {
    reverse: bool,
    skip: bool,
    anyway: bool,
    mismatch: bool,
    offset: isize,
    frozen: usize,
    /// Lines that the output has more than the input so far.
    shift: isize,
    hunks: usize,
    failed: usize,
    output: Vec<u8>,
    reject: Reject,
}

/// Whether a side of a difference is there: it has lines, it is empty, or there is no such file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    There,
    Empty,
    Missing,
}

impl<'s> Session<'s> {
    pub(super) const fn new(settings: &'s PatchOptions, operand: Option<Text>) -> Self {
        Self { settings, operand, failed: false, output: None, backed_up: Vec::new(), reject_begun: false }
    }

    pub(super) async fn say(&self, ctx: &mut Context, text: &str) -> Result<(), UtilityError> {
        ctx.stdout.write(text.as_bytes()).await
    }

    /// Applies the difference that comes next.
    pub(super) async fn patch(
        &mut self,
        ctx: &mut Context,
        reader: &mut PatchReader<'_>,
        patch: Patch<'_>,
    ) -> Result<(), UtilityError> {
        let settings = self.settings;
        if settings.verbose {
            let kind = match patch.kind {
                Kind::Unified => "a unified diff",
                Kind::Context => "a new-style context diff",
                Kind::Normal => "a normal diff",
                Kind::Ed => "an ed script",
            };
            self.say(ctx, &format!("Hmm...  Looks like {kind} to me...\n")).await?;
            if !patch.lead.is_empty() {
                self.show_lead(ctx, &patch).await?;
            }
        }
        let mut hunk = match reader.next_hunk(ctx, patch.kind).await {
            _ if patch.is_bare => None,
            Ok(hunk) => hunk,
            Err(error) => {
                if let Some(name) = self.choose(ctx, &patch, Side::There)
                    && !settings.silent
                {
                    self.announce(ctx, &patch, &name, &name).await?;
                    ctx.stdout.flush().await?;
                }
                return Err(error);
            }
        };
        let side = |count: Option<usize>, is_new: bool| match count {
            _ if patch.names.is_missing(is_new) && count.is_none_or(|count| count == 0) => Side::Missing,
            Some(0) => Side::Empty,
            _ => Side::There,
        };
        let (old_count, new_count) =
            (hunk.as_ref().map(|hunk| hunk.old.1), hunk.as_ref().map(|hunk| hunk.new.1));
        // A hunk that begins at line 0 is of a file without lines.
        let whole = |range: Option<(usize, usize)>| range.filter(|range| range.0 == 0).map(|range| range.1);
        let (old_count, new_count) = (
            old_count.and(whole(hunk.as_ref().map(|hunk| hunk.old))),
            new_count.and(whole(hunk.as_ref().map(|hunk| hunk.new))),
        );
        let mut sides = [
            if patch.is_bare && patch.names.creates {
                Side::Missing
            } else {
                side(old_count.or(if patch.is_bare { None } else { Some(1) }), false)
            },
            if patch.is_bare && patch.names.deletes {
                Side::Missing
            } else {
                side(new_count.or(if patch.is_bare { None } else { Some(1) }), true)
            },
        ];
        if settings.reverse {
            sides.swap(0, 1);
        }
        let Some(name) = self.choose(ctx, &patch, sides[0]) else {
            return self.skip_all(ctx, reader, &patch, hunk).await;
        };
        let (source, target) = self.source_and_target(&patch, &name);
        let read = self.read(ctx, &source).await?;
        let is_refused = read.is_none();
        let (content, exists, mode) = read.unwrap_or((Vec::new(), true, 0o644));
        let is_empty = content.is_empty();
        let mut progress = Progress {
            reverse: settings.reverse,
            skip: is_refused,
            anyway: false,
            mismatch: false,
            offset: 0,
            frozen: 0,
            shift: 0,
            hunks: 0,
            failed: 0,
            output: Vec::new(),
            reject: Reject::new(settings.reject_format.unwrap_or(patch.kind), patch.kind),
        };
        let looks_reversed = if is_empty {
            sides[0] == Side::There && sides[1] != Side::There
        } else {
            sides[0] == Side::Missing
        };
        let mut saves_rejects = true;
        if looks_reversed && !is_refused && !(is_empty && exists) {
            let when = if progress.reverse { ", when reversed," } else { "" };
            let (does, is) = if exists { ("create", "already exists") } else { ("delete", "does not exist") };
            let message = format!(
                "The next patch{when} would {does} the file {},\nwhich {is}!",
                settings.shown(&source)
            );
            if self.may_reverse(ctx, &message, &mut progress).await? {
                progress.reverse = !progress.reverse;
                sides.swap(0, 1);
            }
            saves_rejects = !progress.skip;
        }
        // Of a script, it is not told which file it is for.
        if !settings.silent && !progress.skip && patch.kind != Kind::Ed {
            self.announce(ctx, &patch, &source, &target).await?;
        }
        if exists
            && !progress.skip
            && settings.read_only != ReadOnly::Ignore
            && mode & 0o222 == 0
            && ctx.session.identity.uid != 0
        {
            let shown = settings.shown(&source);
            if settings.read_only == ReadOnly::Fail {
                self.say(ctx, &format!("File {shown} is read-only; refusing to patch\n")).await?;
                progress.skip = true;
            } else {
                self.say(ctx, &format!("File {shown} is read-only; trying to patch anyway\n")).await?;
            }
        }
        if settings.verbose && !progress.skip {
            self.say(ctx, "Using Plan A...\n").await?;
        }
        if patch.kind == Kind::Ed {
            let script = reader.script(ctx).await?;
            if !progress.skip && !settings.dry {
                progress.output = super::script::edit(ctx, &content, script).await?;
            }
            let lines = Lines::whole(content);
            let place = PatchedFile { source, target, exists, mode, saves_rejects };
            return self.finish(ctx, &patch, progress, sides, place, lines).await;
        }
        let lines = Lines::of(ctx, content).await?;
        while let Some(mut one) = hunk.take() {
            ctx.tick().await?;
            self.hunk(ctx, &lines, &mut one, &mut progress).await?;
            hunk = reader.next_hunk(ctx, patch.kind).await?;
        }
        progress.output.extend_from_slice(lines.range(progress.frozen + 1, lines.len() + 2));
        if progress.skip && progress.hunks == 0 {
            progress.failed = 0;
            self.failed = true;
        }
        self.finish(
            ctx,
            &patch,
            progress,
            sides,
            PatchedFile { source, target, exists, mode, saves_rejects },
            lines,
        )
        .await
    }

    /// One hunk.
    async fn hunk(
        &self,
        ctx: &mut Context,
        lines: &Lines,
        hunk: &mut Hunk<'_>,
        progress: &mut Progress,
    ) -> Result<(), UtilityError> {
        let settings = self.settings;
        progress.hunks += 1;
        if progress.reverse {
            hunk.swap();
        }
        let context = hunk.leading().max(hunk.trailing());
        let most = settings.fuzz.min(context);
        let mut place = None;
        let mut fuzz = 0;
        while !progress.skip {
            let search = HunkSearch {
                offset: progress.offset,
                frozen: progress.frozen,
                fuzz,
                ignore_blanks: settings.ignore_blanks,
            };
            place = locate(ctx, lines, hunk, search).await?;
            if place.is_some() {
                break;
            }
            progress.mismatch = true;
            let may_be_reversed = progress.hunks == 1
                && !settings.force
                && !progress.anyway
                && progress.reverse == settings.reverse;
            if may_be_reversed {
                hunk.swap();
                let found = locate(ctx, lines, hunk, search).await?;
                if found.is_some() {
                    let which =
                        if progress.reverse { "Unreversed" } else { "Reversed (or previously applied)" };
                    if self.may_reverse(ctx, &format!("{which} patch detected!"), progress).await? {
                        progress.reverse = !progress.reverse;
                        place = found;
                        break;
                    }
                    hunk.swap();
                    progress.anyway = true;
                    continue;
                }
                hunk.swap();
            }
            fuzz += 1;
            if fuzz > most {
                break;
            }
        }
        let number = progress.hunks;
        let at = (place.unwrap_or(first(hunk)) as isize + progress.shift).to_metered_text();
        let Some(place) = place else {
            progress.failed += 1;
            progress.reject.add(hunk, progress.shift);
            if progress.skip {
                if settings.verbose {
                    self.say(ctx, &format!("Hunk #{number} ignored at {at}.\n")).await?;
                }
            } else if !settings.silent {
                self.say(ctx, &format!("Hunk #{number} FAILED at {at}.\n")).await?;
            }
            return Ok(());
        };
        let offset = place as isize - first(hunk) as isize;
        let moved = offset - progress.offset;
        progress.offset = offset;
        progress.mismatch |= moved != 0 || fuzz > 0;
        apply(ctx, lines, hunk, place, progress, settings.macro_name.as_ref()).await?;
        if settings.verbose || (!settings.silent && (fuzz > 0 || offset != 0)) {
            let mut line = format!("Hunk #{number} succeeded at {at}");
            if fuzz > 0 {
                line.push_str(&format!(" with fuzz {fuzz}"));
            }
            if offset != 0 {
                let plural = if offset == 1 { "" } else { "s" };
                line.push_str(&format!(" (offset {offset} line{plural})"));
            }
            self.say(ctx, &format!("{line}.\n")).await?;
        }
        Ok(())
    }

    /// Tells that a patch looks reversed, and whether it is to be reversed. There is no one to ask: a question has no answer.
    async fn may_reverse(
        &self,
        ctx: &mut Context,
        message: &str,
        progress: &mut Progress,
    ) -> Result<bool, UtilityError> {
        let settings = self.settings;
        if settings.forward {
            if !settings.silent {
                self.say(ctx, &format!("{message}  Skipping patch.\n")).await?;
            }
            progress.skip = true;
            return Ok(false);
        }
        if settings.force {
            if !settings.silent {
                self.say(ctx, &format!("{message}  Applying it anyway.\n")).await?;
            }
            return Ok(false);
        }
        if settings.batch {
            let done = if progress.reverse { "Ignoring -R." } else { "Assuming -R." };
            self.say(ctx, &format!("{message}  {done}\n")).await?;
            return Ok(true);
        }
        let question = if progress.reverse { "Ignore" } else { "Assume" };
        self.say(ctx, &format!("{message}  {question} -R? [n] \nApply anyway? [n] \n")).await?;
        if !settings.silent {
            self.say(ctx, "Skipping patch.\n").await?;
        }
        progress.skip = true;
        Ok(false)
    }

    /// The file to patch: the operand, else the best of the names in the header that is there.
    fn choose(&self, ctx: &Context, patch: &Patch<'_>, old: Side) -> Option<Vec<u8>> {
        if let Some(operand) = &self.operand {
            return Some(operand.as_bytes().to_metered());
        }
        let mut names: Vec<Vec<u8>> = Vec::new();
        for name in patch.names.candidates(self.settings.strip) {
            if is_safe(&name) {
                names.push(name);
            }
        }
        let there = existing(ctx, &names);
        let chosen = if self.settings.posix { there.first() } else { best(&there) };
        if let Some(name) = chosen {
            return Some(name.clone());
        }
        if old != Side::There || patch.is_bare {
            return best(&names).cloned();
        }
        None
    }

    /// Nobody says which file is meant: the hunks are left out.
    async fn skip_all<'t>(
        &mut self,
        ctx: &mut Context,
        reader: &mut PatchReader<'t>,
        patch: &Patch<'_>,
        hunk: Option<Hunk<'t>>,
    ) -> Result<(), UtilityError> {
        let hint = match self.settings.strip {
            None => "Perhaps you should have used the -p or --strip option?",
            Some(_) => "Perhaps you used the wrong -p or --strip option?",
        };
        self.say(ctx, &format!("can't find file to patch at input line {}\n{hint}\n", patch.line)).await?;
        self.show_lead(ctx, patch).await?;
        if self.settings.force || self.settings.batch {
            self.say(ctx, "No file to patch.  Skipping patch.\n").await?;
        } else {
            self.say(ctx, "File to patch: \nSkip this patch? [y] \nSkipping patch.\n").await?;
        }
        let mut count = usize::from(hunk.is_some());
        drop(hunk);
        while reader.next_hunk(ctx, patch.kind).await?.is_some() {
            count += 1;
        }
        let plural = if count == 1 { "" } else { "s" };
        if !self.settings.silent {
            self.say(ctx, &format!("{count} out of {count} hunk{plural} ignored\n")).await?;
        }
        self.failed = true;
        Ok(())
    }

    async fn show_lead(&self, ctx: &mut Context, patch: &Patch<'_>) -> Result<(), UtilityError> {
        self.say(ctx, "The text leading up to this was:\n--------------------------\n").await?;
        for line in patch.lead.split_inclusive(|&byte| byte == b'\n') {
            ctx.tick().await?;
            ctx.stdout.write(b"|").await?;
            ctx.stdout.write(line).await?;
        }
        self.say(ctx, "--------------------------\n").await
    }

    /// The file that is read and the one that is written: git's differences rename.
    fn source_and_target(&self, patch: &Patch<'_>, name: &[u8]) -> (Vec<u8>, Vec<u8>) {
        let strip = self.settings.strip;
        let (mut from, mut to) = (patch.names.rename_from, patch.names.rename_to);
        if self.settings.reverse && !patch.names.copies {
            std::mem::swap(&mut from, &mut to);
        }
        if self.operand.is_none()
            && let (Some(from), Some(to)) = (from, to)
        {
            // The names of these lines have no first part that `-p1` takes away.
            let less = strip.map(|count| count.saturating_sub(1));
            if let (Some(from), Some(to)) = (stripped(from, less), stripped(to, less)) {
                return (from, to);
            }
        }
        (name.to_metered(), name.to_metered())
    }

    async fn announce(
        &self,
        ctx: &mut Context,
        patch: &Patch<'_>,
        source: &[u8],
        target: &[u8],
    ) -> Result<(), UtilityError> {
        let settings = self.settings;
        let doing = if settings.dry { "checking" } else { "patching" };
        let line = match &settings.output {
            Some(output) => {
                format!("{doing} file {} (read from {})\n", settings.shown(output), settings.shown(source))
            }
            None if source != target => {
                let how = if patch.names.copies { "copied" } else { "renamed" };
                format!("{doing} file {} ({how} from {})\n", settings.shown(target), settings.shown(source))
            }
            None => format!("{doing} file {}\n", settings.shown(target)),
        };
        self.say(ctx, &line).await
    }

    /// The content of a file, whether it is there, and its mode; `None` for what is not a file.
    async fn read(
        &self,
        ctx: &mut Context,
        name: &[u8],
    ) -> Result<Option<(Vec<u8>, bool, u32)>, UtilityError> {
        match ctx.lstat(name) {
            Ok(metadata) if !metadata.is_regular() => {
                let shown = self.settings.shown(name);
                self.say(ctx, &format!("File {shown} is not a regular file -- refusing to patch\n")).await?;
                Ok(None)
            }
            Ok(metadata) => {
                let named = |error: FsError| match error {
                    FsError::Limit(limit) => limit.into(),
                    FsError::Errno(errno) => fatal(format_args!(
                        "Can't open file {} : {}",
                        self.settings.shown(name),
                        errno.message()
                    )),
                };
                let mut input = ctx.open(name).map_err(named)?;
                Ok(Some((input.read_to_end().await.map_err(named)?, true, metadata.mode)))
            }
            Err(FsError::Limit(limit)) => Err(limit.into()),
            Err(FsError::Errno(Errno::NotFound | Errno::NotDirectory)) => {
                Ok(Some((Vec::new(), false, 0o666 & !ctx.umask)))
            }
            Err(FsError::Errno(errno)) => Err(fatal(format_args!(
                "Can't find file {} : {}",
                self.settings.shown(name),
                errno.message()
            ))),
        }
    }

    /// Writes the file, its backup and its rejects.
    async fn finish(
        &mut self,
        ctx: &mut Context,
        patch: &Patch<'_>,
        progress: Progress,
        sides: [Side; 2],
        place: PatchedFile,
        lines: Lines,
    ) -> Result<(), UtilityError> {
        let settings = self.settings;
        let Progress { skip, mismatch, hunks, failed, output, reject, reverse, .. } = progress;
        let new_missing = sides[1] == Side::Missing;
        let removes = output.is_empty() && !skip && (new_missing || settings.remove_empty);
        if !skip && failed == 0 && new_missing && !output.is_empty() {
            if !settings.silent {
                self.say(
                    ctx,
                    &format!(
                        "Not deleting file {} as content differs from patch\n",
                        settings.shown(&place.target)
                    ),
                )
                .await?;
            }
            self.failed = true;
        }
        if !skip && !settings.dry {
            if settings.output.is_some() {
                self.output.get_or_insert_default().extend_from_slice(&output);
            } else if hunks != failed || patch.is_bare || hunks == 0 || place.exists {
                let mode = if reverse { patch.names.old_mode } else { patch.names.new_mode };
                let backs_up = settings.backup || (settings.backup_mismatch && mismatch);
                let written = Written {
                    content: &output,
                    removes,
                    mode: mode.unwrap_or(place.mode),
                    original: place.exists.then_some(lines.text.as_slice()),
                };
                self.write_file(ctx, patch, &place.source, &place.target, written, backs_up).await?;
            }
        }
        if failed == 0 {
            return Ok(());
        }
        self.failed = true;
        if settings.silent && skip {
            return self.write_rejects(ctx, patch, &place.target, &reject, reverse).await;
        }
        let plural = if hunks == 1 { "" } else { "s" };
        let what = if skip { "ignored" } else { "FAILED" };
        let mut line: String = format!("{failed} out of {hunks} hunk{plural} {what}");
        let saves =
            place.saves_rejects && settings.reject.as_ref().is_none_or(|name| name.as_bytes() != b"-");
        if saves && !settings.dry {
            let name = self.reject_name(&place.target);
            line.push_str(&format!(" -- saving rejects to file {}", settings.shown(&name)));
        }
        self.say(ctx, &format!("{line}\n")).await?;
        if !saves {
            return Ok(());
        }
        self.write_rejects(ctx, patch, &place.target, &reject, reverse).await
    }

    /// What `-o` asked for.
    pub(super) async fn write_output(&mut self, ctx: &mut Context) -> Result<(), UtilityError> {
        let (Some(name), Some(content)) = (&self.settings.output, self.output.take()) else { return Ok(()) };
        if name.as_bytes() == b"-" {
            return ctx.stdout.write(&content).await;
        }
        let mut file = ctx.create(name, false).map_err(|error| UtilityError::operand(name, error))?;
        file.write(&content).await?;
        file.flush().await
    }
}

/// The file of a patch.
struct PatchedFile {
    source: Vec<u8>,
    target: Vec<u8>,
    exists: bool,
    mode: u32,
    /// It was found out that it has to be left alone only after it was opened.
    saves_rejects: bool,
}

/// Puts a hunk at its place: the lines before it, the file's own context, and what it adds. With the name of a macro, old and
/// new lines both stay, and the preprocessor of C chooses.
async fn apply(
    ctx: &mut Context,
    lines: &Lines,
    hunk: &Hunk<'_>,
    place: usize,
    progress: &mut Progress,
    macro_name: Option<&Text>,
) -> Result<(), UtilityError> {
    progress.output.extend_from_slice(lines.range(progress.frozen + 1, place));
    let mut at = place;
    for (index, line) in hunk.lines.iter().enumerate() {
        ctx.tick().await?;
        if let Some(name) = macro_name {
            let before = index.checked_sub(1).and_then(|index| hunk.lines.get(index));
            if line.mark != b' ' && before.is_none_or(|before| before.mark == b' ') {
                conditional(ctx, hunk.lines.get(index..).unwrap_or_default(), name, &mut progress.output)
                    .await?;
            }
        }
        match line.mark {
            b'+' => {
                if macro_name.is_none() {
                    // What is added after a line without a newline begins a line of its own.
                    begin_line(&mut progress.output);
                    progress.output.extend_from_slice(line.text);
                }
                progress.shift += 1;
            }
            b'-' => {
                at += 1;
                progress.shift -= 1;
            }
            _ => {
                progress.output.extend_from_slice(lines.get(at).unwrap_or(&[]));
                at += 1;
            }
        }
    }
    progress.frozen = (at - 1).min(lines.len()).max(progress.frozen);
    Ok(())
}

/// The change at the front of `lines`: old lines if the macro is not defined, new ones if it is.
async fn conditional(
    ctx: &mut Context,
    lines: &[Line<'_>],
    name: &Text,
    output: &mut Vec<u8>,
) -> Result<(), UtilityError> {
    let length = lines.iter().position(|line| line.mark == b' ').unwrap_or(lines.len());
    let change = lines.get(..length).unwrap_or_default();
    let has_old = change.iter().any(|line| line.mark == b'-');
    for (mark, directive) in [(b'-', b"#ifndef ".as_slice()), (b'+', b"#ifdef ")] {
        let mut is_first = true;
        for line in change {
            ctx.tick().await?;
            if line.mark != mark {
                continue;
            }
            if std::mem::take(&mut is_first) {
                begin_line(output);
                if mark == b'+' && has_old {
                    output.extend_from_slice(b"#else\n");
                } else {
                    output.extend_from_slice(directive);
                    output.extend_from_slice(name);
                    output.push(b'\n');
                }
            }
            output.extend_from_slice(line.text);
        }
    }
    begin_line(output);
    output.extend_from_slice(b"#endif\n");
    Ok(())
}

/// Ends a line that has no newline.
fn begin_line(output: &mut Vec<u8>) {
    if output.last().is_some_and(|&byte| byte != b'\n') {
        output.push(b'\n');
    }
}

/// A number as text.
trait ToText {
    fn to_metered_text(self) -> String;
}

impl ToText for isize {
    fn to_metered_text(self) -> String {
        format!("{self}")
    }
}
