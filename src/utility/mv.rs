//! `mv`: renames files; across file systems it copies and removes. POSIX XCU mv, GNU coreutils mv(1).

use super::file::copy::{Copier, FollowLinks, Overwrite};
use super::file::destination::{Placement, destinations};
use super::file::prompt::Prompt;
use super::file::walk::{Walk, WalkStep};
use super::format::quote::quote_name;
use crate::memory::{HashMap, JoinMetered, String, ToMetered, Vec, format};
use crate::utility::prelude::*;
use crate::vfs::Metadata;

options! {
    enum Opt {
        Backup = flag('b', "", "make a backup of each existing destination file"),
        Force = flag('f', "force", "do not prompt before overwriting"),
        Interactive = flag('i', "interactive", "prompt before overwrite"),
        NoClobber = flag('n', "no-clobber", "do not overwrite an existing file"),
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
    overwrite: Overwrite,
    update: bool,
    verbose: bool,
    backup: Option<Vec<u8>>,
    prompt: Prompt,
    status: ExitStatus,
}

/// Exit status: 0, or 1 when something could not be moved (the rest still is).
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let mut mover = Mover {
        overwrite: match options.last_of([Opt::Force, Opt::Interactive, Opt::NoClobber]) {
            Some(Opt::Interactive) => Overwrite::Ask,
            Some(Opt::NoClobber) => Overwrite::Never,
            _ => Overwrite::Always,
        },
        update: options.has(Opt::Update),
        verbose: options.has(Opt::Verbose),
        backup: (options.has(Opt::Backup) || options.has(Opt::Suffix)).then(|| {
            options.value(Opt::Suffix).map_or_else(|| b"~".to_metered(), |suffix| suffix.to_metered())
        }),
        prompt: Prompt::default(),
        status: ExitStatus::SUCCESS,
    };
    let placement = Placement {
        directory: options.value(Opt::TargetDirectory),
        whole: options.has(Opt::NoTargetDirectory),
        ..Placement::default()
    };
    for (source, destination) in destinations(ctx, &options.operands, placement)? {
        ctx.tick().await?;
        mover.operand(ctx, &source, &destination).await?;
    }
    Ok(mover.status)
}

impl Mover {
    async fn operand(&mut self, ctx: &mut Context, source: &[u8], target: &[u8]) -> Result<(), UtilityError> {
        let metadata = match ctx.lstat(source) {
            Ok(metadata) => metadata,
            Err(error) => {
                self.status = ctx.complain(format_args!("cannot stat {}", quote_name(source)), error)?;
                return Ok(());
            }
        };
        let mut backup = String::new();
        let existing = match ctx.lstat(target) {
            // Whether there is a file to be kept is not known.
            Err(error @ FsError::Errno(Errno::InputOutput)) => {
                self.status = ctx.complain(format_args!("cannot stat {}", quote_name(target)), error)?;
                return Ok(());
            }
            found => found.ok(),
        };
        if let Some(existing) = existing {
            if !self.may_replace(ctx, source, target, &metadata, &existing).await? {
                return Ok(());
            }
            if let Some(suffix) = self.backup.clone() {
                let name = [target, &suffix].concat_metered();
                let moved = ctx.fs().rename(&ctx.absolute(target), &ctx.absolute(&name));
                if let Err(error) = moved {
                    self.status =
                        ctx.complain(format_args!("cannot backup {}", quote_name(target)), error)?;
                    return Ok(());
                }
                backup = format!(" (backup: {})", quote_name(&name));
            }
        }
        let renamed = ctx.path(source).and_then(|from| ctx.fs().rename(&from, &ctx.path(target)?));
        match renamed {
            Ok(()) => {}
            Err(FsError::Errno(Errno::CrossDevice)) => return self.across(ctx, source, target).await,
            Err(error) => return self.failed(ctx, source, target, &metadata, error),
        }
        if self.verbose {
            let line = format!("renamed {} -> {}{backup}\n", quote_name(source), quote_name(target));
            ctx.stdout.write(line.as_bytes()).await?;
        }
        Ok(())
    }

    async fn may_replace(
        &mut self,
        ctx: &mut Context,
        source: &[u8],
        target: &[u8],
        metadata: &Metadata,
        existing: &Metadata,
    ) -> Result<bool, UtilityError> {
        if self.overwrite == Overwrite::Never {
            return Ok(false);
        }
        if existing.inode == metadata.inode && !metadata.is_directory() && self.backup.is_none() {
            let (source, target) = (quote_name(source), quote_name(target));
            self.status = ctx.warn(format_args!("{source} and {target} are the same file"));
            return Ok(false);
        }
        if self.update && existing.modified >= metadata.modified {
            return Ok(false);
        }
        let message = match (metadata.is_directory(), existing.is_directory()) {
            (true, false) => Some(format!(
                "cannot overwrite non-directory {} with directory {}",
                quote_name(target),
                quote_name(source)
            )),
            (false, true) => {
                Some(format!("cannot overwrite directory {} with non-directory", quote_name(target)))
            }
            _ => None,
        };
        if let Some(message) = message {
            self.status = ctx.warn(message);
            return Ok(false);
        }
        if self.overwrite == Overwrite::Ask {
            return self.prompt.ask(ctx, &format!("overwrite {}?", quote_name(target))).await;
        }
        Ok(true)
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
        self.status = if matches!(error, FsError::Errno(Errno::Invalid)) && metadata.is_directory() {
            ctx.warn(format_args!("cannot move {source} to a subdirectory of itself, {target}"))
        } else {
            ctx.complain(format_args!("cannot move {source} to {target}"), error)?
        };
        Ok(())
    }

    /// Copies everything, then removes the source.
    async fn across(&mut self, ctx: &mut Context, source: &[u8], target: &[u8]) -> Result<(), UtilityError> {
        let mut copier = Copier {
            recursive: true,
            follow: FollowLinks::Never,
            preserve_mode: true,
            preserve_owner: true,
            preserve_times: true,
            preserve_links: true,
            force: true,
            overwrite: Overwrite::Always,
            update: false,
            verbose: self.verbose,
            hard_link: false,
            symbolic_link: false,
            backup: None,
            prompt: Prompt::default(),
            status: ExitStatus::SUCCESS,
            seen: HashMap::default(),
        };
        copier.operand(ctx, source, target).await?;
        if copier.status.is_success() {
            self.remove(ctx, source).await
        } else {
            self.status = copier.status;
            Ok(())
        }
    }

    async fn remove(&mut self, ctx: &mut Context, path: &[u8]) -> Result<(), UtilityError> {
        let metadata = ctx.lstat(path);
        if !metadata.is_ok_and(|metadata| metadata.is_directory()) {
            return self.remove_one(ctx, path, false);
        }
        let mut walk = Walk::default();
        if let Err(error) = walk.enter(ctx, path) {
            self.status = ctx.complain(format_args!("cannot remove {}", quote_name(path)), error)?;
            return Ok(());
        }
        while let Some(step) = walk.next(ctx).await? {
            match step {
                WalkStep::Entry { path } => {
                    let is_directory = ctx.lstat(&path).is_ok_and(|metadata| metadata.is_directory());
                    if !is_directory {
                        self.remove_one(ctx, &path, false)?;
                    } else if let Err(error) = walk.enter(ctx, &path) {
                        self.status =
                            ctx.complain(format_args!("cannot remove {}", quote_name(&path)), error)?;
                    }
                }
                WalkStep::Leave { path } => self.remove_one(ctx, &path, true)?,
            }
        }
        Ok(())
    }

    fn remove_one(&mut self, ctx: &mut Context, path: &[u8], is_directory: bool) -> Result<(), UtilityError> {
        let absolute = ctx.absolute(path);
        let removed =
            if is_directory { ctx.fs().remove_dir(&absolute) } else { ctx.fs().remove_file(&absolute) };
        if let Err(error) = removed {
            self.status = ctx.complain(format_args!("cannot remove {}", quote_name(path)), error)?;
        }
        Ok(())
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
