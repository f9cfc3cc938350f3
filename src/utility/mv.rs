//! `mv`: renames files; across file systems it copies and removes. POSIX XCU mv, GNU coreutils mv(1).

use super::file::backup::{BackupOpt, Backups, are_asked_for};
use super::file::copy::{Copier, CopyOptions, FollowLinks, Overwrite, Place, Preserved};
use super::file::destination::{Placement, destinations, strip_slashes, target_directory};
use super::file::walk::{Walk, WalkStep};
use crate::memory::format;
use crate::utility::prelude::*;
use crate::vfs::Metadata;

options! {
    enum Opt {
        Backups(BackupOpt),
        Force = flag('f', "force", "do not prompt before overwriting"),
        Interactive = flag('i', "interactive", "prompt before overwrite"),
        NoClobber = flag('n', "no-clobber", "do not overwrite an existing file"),
        StripTrailingSlashes = flag(
            '\0',
            "strip-trailing-slashes",
            "remove any trailing slashes from each SOURCE argument",
        ),
        Suffix = value('S', "suffix", "SUFFIX", "override the usual backup suffix; implies -b"),
        TargetDirectory = value(
            't',
            "target-directory",
            "DIRECTORY",
            "move all SOURCE arguments into DIRECTORY",
        ),
        NoTargetDirectory = flag('T', "no-target-directory", "treat DEST as a normal file"),
        Update = flag('u', "update", "move only when the SOURCE file is newer than the destination file"),
        Verbose = flag('v', "verbose", "explain what is being done"),
        SecurityContext = flag(
            'Z',
            "context",
            "set SELinux security context of destination file to default type",
        ),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "mv",
    summary: "rename SOURCE to DEST, or move SOURCE(s) to DIRECTORY",
    usage: "mv [OPTION]... [-T] SOURCE DEST\nmv [OPTION]... SOURCE... DIRECTORY\n\
            mv [OPTION]... -t DIRECTORY SOURCE...",
    options: Opt::TABLE,
    examples: &[example("touch a; mv -v a b", "renamed 'a' -> 'b'\n")],
    run: start!(run),
    ..Utility::BASE
};

struct Mover {
    /// Settles what becomes of destinations; copies across file systems.
    copier: Copier,
}

/// Exit status: 0, or 1 when something could not be moved (the rest still is).
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let overwrite = match options.last_of([Opt::Force, Opt::Interactive, Opt::NoClobber]) {
        Some(Opt::Interactive) => Overwrite::Ask,
        Some(Opt::NoClobber) => Overwrite::Never,
        _ => Overwrite::Always,
    };
    let copy = CopyOptions {
        recursive: true,
        follow: FollowLinks::Never,
        preserved: Preserved { mode: true, owner: true, times: true, links: true, fresh_mode: false },
        overwrite,
        update: options.has(Opt::Update),
        verbose: options.has(Opt::Verbose),
        backups: Backups::of(ctx, &options, Opt::Suffix)?,
        moves: true,
        ..CopyOptions::default()
    };
    let mut mover = Mover { copier: Copier::new(copy) };
    let mut operands = options.operands.clone();
    if options.has(Opt::StripTrailingSlashes) {
        strip_slashes(&mut operands);
    }
    let placement = Placement {
        directory: target_directory(&options, Opt::TargetDirectory)?,
        whole: options.has(Opt::NoTargetDirectory),
        ..Placement::default()
    };
    let pairs = destinations(ctx, &operands, placement)?;
    if overwrite == Overwrite::Never && are_asked_for(&options, Opt::Suffix) {
        return Err(UtilityError::Usage("options --backup and --no-clobber are mutually exclusive".into()));
    }
    mover.copier.several = pairs.len() > 1;
    for (source, destination) in pairs {
        ctx.tick().await?;
        mover.operand(ctx, &source, &destination).await?;
    }
    Ok(mover.copier.status)
}

impl Mover {
    async fn operand(&mut self, ctx: &mut Context, source: &[u8], target: &[u8]) -> Result<(), UtilityError> {
        let metadata = match ctx.lstat(source) {
            Ok(metadata) => metadata,
            Err(error) => {
                return self.copier.failed(ctx, format!("cannot stat {}", quote_name(source)), error);
            }
        };
        let Some(place) = self.copier.settle(ctx, source, target, &metadata, true).await? else {
            return Ok(());
        };
        let renamed = ctx.path(source).and_then(|from| ctx.fs().rename(&from, &ctx.path(target)?));
        match renamed {
            Ok(()) => {}
            Err(FsError::Errno(Errno::CrossDevice)) => return self.across(ctx, source, target, place).await,
            // What was moved aside keeps its new name.
            Err(error) => return self.failed(ctx, source, target, &metadata, error),
        }
        if self.copier.several {
            self.copier.remember(ctx, target);
        }
        if self.copier.options.verbose {
            let backup = place.backup.map(|name| format!(" (backup: {})", quote_name(&name)));
            let backup = backup.unwrap_or_default();
            let line = format!("renamed {} -> {}{backup}\n", quote_name(source), quote_name(target));
            ctx.stdout.write(line.as_bytes()).await?;
        }
        Ok(())
    }

    fn failed(
        &mut self,
        ctx: &mut Context,
        source: &[u8],
        target: &[u8],
        metadata: &Metadata,
        error: FsError,
    ) -> Result<(), UtilityError> {
        let (source, target) = (quote_name(source), quote_name(target));
        self.copier.status = if matches!(error, FsError::Errno(Errno::Invalid)) && metadata.is_directory() {
            ctx.warn(format_args!("cannot move {source} to a subdirectory of itself, {target}"))
        } else {
            ctx.complain(format_args!("cannot move {source} to {target}"), error)?
        };
        Ok(())
    }

    /// Copies everything, then removes the source.
    async fn across(
        &mut self,
        ctx: &mut Context,
        source: &[u8],
        target: &[u8],
        place: Place,
    ) -> Result<(), UtilityError> {
        if let Some(existing) = &place.existing {
            let path = ctx.absolute(target);
            let is_directory = existing.is_directory();
            let removed = if is_directory { ctx.fs().remove_dir(&path) } else { ctx.fs().remove_file(&path) };
            if let Err(error) = removed {
                let what = "inter-device move failed:";
                let shown = format!("{what} {} to {}", quote_name(source), quote_name(target));
                return self.copier.failed(ctx, format!("{shown}; unable to remove target"), error);
            }
        }
        let before = std::mem::take(&mut self.copier.status);
        // What is there gave way already.
        let backups = self.copier.options.backups.take();
        self.copier.operand(ctx, source, target).await?;
        self.copier.options.backups = backups;
        if self.copier.status.is_success() {
            self.copier.status = before;
            return self.remove(ctx, source).await;
        }
        self.copier.undo(ctx, target, place).await
    }

    async fn remove(&mut self, ctx: &mut Context, path: &[u8]) -> Result<(), UtilityError> {
        let metadata = ctx.lstat(path);
        if !metadata.is_ok_and(|metadata| metadata.is_directory()) {
            return self.remove_one(ctx, path, false).await;
        }
        let mut walk = Walk::default();
        if let Err(error) = walk.enter(ctx, path) {
            return self.copier.failed(ctx, format!("cannot remove {}", quote_name(path)), error);
        }
        while let Some(step) = walk.next(ctx).await? {
            match step {
                WalkStep::Entry { path } => {
                    let is_directory = ctx.lstat(&path).is_ok_and(|metadata| metadata.is_directory());
                    if !is_directory {
                        self.remove_one(ctx, &path, false).await?;
                    } else if let Err(error) = walk.enter(ctx, &path) {
                        self.copier.failed(ctx, format!("cannot remove {}", quote_name(&path)), error)?;
                    }
                }
                WalkStep::Leave { path } => self.remove_one(ctx, &path, true).await?,
            }
        }
        Ok(())
    }

    async fn remove_one(
        &mut self,
        ctx: &mut Context,
        path: &[u8],
        is_directory: bool,
    ) -> Result<(), UtilityError> {
        let absolute = ctx.absolute(path);
        let removed =
            if is_directory { ctx.fs().remove_dir(&absolute) } else { ctx.fs().remove_file(&absolute) };
        match removed {
            Ok(()) if self.copier.options.verbose => {
                let kind = if is_directory { "directory " } else { "" };
                ctx.stdout.write(format!("removed {kind}{}\n", quote_name(path)).as_bytes()).await
            }
            Ok(()) => Ok(()),
            Err(error) => self.copier.failed(ctx, format!("cannot remove {}", quote_name(path)), error),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::Fixture;

    #[test]
    fn files_are_moved_and_replaced() {
        let fixture = Fixture::new(&[("a", "1"), ("b", "2"), ("d/x", ""), ("e/d/y", "")]);
        assert_eq!(fixture.run("mv", &["-v", "a", "c"], b"").stdout, "renamed 'a' -> 'c'\n");
        assert_eq!(fixture.run("mv", &["-v", "c", "d"], b"").stdout, "renamed 'c' -> 'd/c'\n");
        assert_eq!(fixture.run("mv", &["-n", "b", "d/c"], b"").status, 0);
        let outcome = fixture.run("mv", &["-iv", "b", "d/c"], b"y\n");
        assert_eq!(
            (outcome.stderr.as_str(), outcome.stdout.as_str()),
            ("mv: overwrite 'd/c'? ", "renamed 'b' -> 'd/c'\n")
        );
    }

    #[test]
    fn errors() {
        let fixture = Fixture::new(&[("b", "2"), ("d/x", ""), ("e/d/y", "")]);
        let rows: [(&[&str], &str); 9] = [
            (&["b", "nope/x"], "mv: cannot move 'b' to 'nope/x': No such file or directory\n"),
            (&["d", "e"], "mv: cannot move 'd' to 'e/d': Directory not empty\n"),
            (&["nope", "d"], "mv: cannot stat 'nope': No such file or directory\n"),
            (&["b", "b"], "mv: 'b' and 'b' are the same file\n"),
            (&["b", "d", "zz"], "mv: target 'zz': No such file or directory\n"),
            (&["d", "d/sub"], "mv: cannot move 'd' to a subdirectory of itself, 'd/sub'\n"),
            (&["d", "d"], "mv: cannot move 'd' to a subdirectory of itself, 'd/d'\n"),
            (&["-T", "b", "d"], "mv: cannot overwrite directory 'd' with non-directory\n"),
            (&["d", "b"], "mv: cannot overwrite non-directory 'b' with directory 'd'\n"),
        ];
        for (args, want) in rows {
            let outcome = fixture.run("mv", args, b"");
            assert_eq!((outcome.stderr.as_str(), outcome.status), (want, 1), "{args:?}");
        }
    }
}
