//! `rm`: removes files and trees. POSIX XCU rm, GNU coreutils rm(1). Trees are walked with an explicit stack.

use super::file::prompt::Prompt;
use super::file::root::{is_root, refuse_root};
use super::file::walk::{Walk, WalkStep, read_directory};
use super::file::{last_component, parent};
use super::format::file_mode::kind_name;
use super::format::keyword::keyword;
use crate::memory::{Vec, format};
use crate::utility::prelude::*;
use crate::vfs::Metadata;

options! {
    enum Opt {
        Force = flag('f', "force", "ignore nonexistent files and arguments, never prompt"),
        Interactive = flag('i', "", "prompt before every removal"),
        InteractiveOnce = flag(
            'I',
            "",
            "prompt once before removing more than three files, or when removing recursively",
        ),
        InteractiveWhen = optional(
            '\0',
            "interactive",
            "WHEN",
            "prompt according to WHEN: never, once (-I), or always (-i)",
        ),
        OneFileSystem = flag(
            '\0',
            "one-file-system",
            "skip any directory that is on a file system different from that of the operand",
        ),
        NoPreserveRoot = flag('\0', "no-preserve-root", "do not treat '/' specially"),
        PreserveRoot = optional(
            '\0',
            "preserve-root",
            "all",
            "do not remove '/' (default); with all, reject operands on another device than their parent",
        ),
        Recursive = flag('r', "recursive", "remove directories and their contents recursively")
            | flag('R', "", "same as -r"),
        Dir = flag('d', "dir", "remove empty directories"),
        Verbose = flag('v', "verbose", "explain what is being done"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "rm",
    summary: "remove (unlink) the FILE(s)",
    usage: "rm [OPTION]... [FILE]...",
    options: Opt::TABLE,
    examples: &[example("mkdir d; touch d/x; rm -rv d", "removed 'd/x'\nremoved directory 'd'\n")],
    run: start!(run),
    ..Utility::BASE
};

/// When the user is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asks {
    Never,
    Once,
    Always,
}

struct Removal {
    force: bool,
    one_file_system: bool,
    preserves_root: bool,
    /// Operands on another file system than their parent are refused.
    preserves_all: bool,
    recursive: bool,
    directories: bool,
    verbose: bool,
    interactive: bool,
    prompt: Prompt,
    status: ExitStatus,
}

/// Exit status: 0, or 1 when something could not be removed (the rest still is).
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let is_abbreviated =
        |arg: &Text| arg.starts_with(b"--n") && b"--no-preserve-roo".starts_with(arg.as_bytes());
    let abbreviated = ctx.args.iter().take_while(|arg| arg.as_bytes() != b"--").any(is_abbreviated);
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    if abbreviated {
        return Err(UtilityError::failed("you may not abbreviate the --no-preserve-root option"));
    }
    let (asks, force) = confirmation(&options)?;
    let mut removal = Removal {
        force,
        one_file_system: options.has(Opt::OneFileSystem),
        preserves_root: options.last_of([Opt::PreserveRoot, Opt::NoPreserveRoot])
            != Some(Opt::NoPreserveRoot),
        preserves_all: preserves_all(&options)?,
        recursive: options.has(Opt::Recursive),
        directories: options.has(Opt::Dir),
        verbose: options.has(Opt::Verbose),
        interactive: asks == Some(Asks::Always),
        prompt: Prompt::default(),
        status: ExitStatus::SUCCESS,
    };
    let count = options.operands.len();
    if count == 0 {
        return if removal.force {
            Ok(ExitStatus::SUCCESS)
        } else {
            Err(UtilityError::Usage("missing operand".into()))
        };
    }
    if asks == Some(Asks::Once) && (removal.recursive || count > 3) {
        let plural = if count == 1 { "" } else { "s" };
        let how = if removal.recursive { " recursively" } else { "" };
        if !removal.prompt.ask(ctx, &format!("remove {count} argument{plural}{how}?")).await? {
            return Ok(ExitStatus::SUCCESS);
        }
    }
    for operand in &options.operands {
        removal.operand(ctx, operand).await?;
    }
    Ok(removal.status)
}

/// When the user is asked, and whether files that are not there are passed over.
fn confirmation(options: &Options<Opt>) -> Result<(Option<Asks>, bool), UtilityError> {
    let words: [(&[&str], Asks); 3] = [
        (&["never", "no", "none"], Asks::Never),
        (&["once"], Asks::Once),
        (&["always", "yes"], Asks::Always),
    ];
    let (mut asks, mut force) = (None, false);
    for (option, word) in options.given() {
        let given = match (option, word) {
            (Opt::Force, _) => {
                force = true;
                Asks::Never
            }
            (Opt::Interactive, _) | (Opt::InteractiveWhen, None) => Asks::Always,
            (Opt::InteractiveOnce, _) => Asks::Once,
            (Opt::InteractiveWhen, Some(word)) => keyword("--interactive", &words, word)?,
            _ => continue,
        };
        force &= given == Asks::Never;
        asks = Some(given);
    }
    Ok((asks, force))
}

fn preserves_all(options: &Options<Opt>) -> Result<bool, UtilityError> {
    match options.values(Opt::PreserveRoot).find(|word| word.as_bytes() != b"all") {
        Some(word) => {
            let message = format!("unrecognized --preserve-root argument: {}", quote_name(word));
            Err(UtilityError::failed(message))
        }
        None => Ok(options.values(Opt::PreserveRoot).next().is_some()),
    }
}

impl Removal {
    async fn operand(&mut self, ctx: &mut Context, operand: &[u8]) -> Result<(), UtilityError> {
        ctx.tick().await?;
        let metadata = match ctx.lstat(operand) {
            Ok(metadata) => metadata,
            Err(FsError::Errno(Errno::NotFound | Errno::NotDirectory | Errno::Invalid)) if self.force => {
                return Ok(());
            }
            Err(error) => return self.failed(ctx, operand, error),
        };
        if metadata.is_directory() && self.recursive {
            if matches!(last_component(operand), b"." | b"..") {
                let shown = quote_name(operand);
                let message = "refusing to remove '.' or '..' directory: skipping";
                self.status = ctx.warn(format_args!("{message} {shown}"));
                return Ok(());
            }
            if self.preserves_root && is_root(ctx, operand) {
                self.status = refuse_root(ctx, operand);
                return Ok(());
            }
            let above = ctx.lstat(parent(operand));
            if self.preserves_all && above.is_ok_and(|above| above.file_system() != metadata.file_system()) {
                self.skip(ctx, operand);
                self.status = ctx.warn("and --preserve-root=all is in effect");
                return Ok(());
            }
            return self.tree(ctx, operand, &metadata).await;
        }
        if metadata.is_directory() && !self.directories {
            return self.failed(ctx, operand, Errno::IsDirectory.into());
        }
        self.one(ctx, operand, &metadata).await.map(drop)
    }

    /// Removes a directory with everything in it. A directory in which something stays is not tried.
    async fn tree(
        &mut self,
        ctx: &mut Context,
        top: &[u8],
        top_metadata: &Metadata,
    ) -> Result<(), UtilityError> {
        let mut walk = Walk::default();
        // One flag for each directory under way: whether something in it stays.
        let mut stays: Vec<bool> = Vec::new();
        if !self.enter(ctx, &mut walk, top, top_metadata).await? {
            return Ok(());
        }
        stays.push(false);
        while let Some(step) = walk.next(ctx).await? {
            let gone = match step {
                WalkStep::Entry { path } => {
                    let metadata = match ctx.lstat(&path) {
                        Ok(metadata) => metadata,
                        Err(error) => {
                            self.failed(ctx, &path, error)?;
                            continue;
                        }
                    };
                    if self.one_file_system
                        && metadata.is_directory()
                        && metadata.file_system() != top_metadata.file_system()
                    {
                        self.skip(ctx, &path);
                        false
                    } else if metadata.is_directory() {
                        if self.enter(ctx, &mut walk, &path, &metadata).await? {
                            stays.push(false);
                            true
                        } else {
                            ctx.lstat(&path).is_err()
                        }
                    } else {
                        self.one(ctx, &path, &metadata).await?
                    }
                }
                WalkStep::Leave { path } => {
                    if stays.pop() == Some(true) {
                        false
                    } else {
                        let metadata = ctx.lstat(&path);
                        match metadata {
                            Ok(metadata) => self.one(ctx, &path, &metadata).await?,
                            Err(error) => {
                                self.failed(ctx, &path, error)?;
                                false
                            }
                        }
                    }
                }
            };
            if !gone && let Some(flag) = stays.last_mut() {
                *flag = true;
            }
        }
        Ok(())
    }

    fn skip(&mut self, ctx: &mut Context, path: &[u8]) {
        let shown = quote_name(path);
        self.status = ctx.warn(format_args!("skipping {shown}, since it's on a different device"));
    }

    /// Begins with a directory's entries; false when there is nothing to walk: it was empty, is refused or unreadable.
    async fn enter(
        &mut self,
        ctx: &mut Context,
        walk: &mut Walk,
        path: &[u8],
        metadata: &Metadata,
    ) -> Result<bool, UtilityError> {
        let entries = match read_directory(ctx, path) {
            Ok(entries) => entries,
            Err(error) => {
                self.failed(ctx, path, error)?;
                return Ok(false);
            }
        };
        if entries.is_empty() {
            self.one(ctx, path, metadata).await?;
            return Ok(false);
        }
        if self.interactive
            && !self.prompt.ask(ctx, &format!("descend into directory {}?", quote_name(path))).await?
        {
            return Ok(false);
        }
        walk.enter_entries(path, entries);
        Ok(true)
    }

    /// Removes a file or an empty directory; whether it is gone.
    async fn one(
        &mut self,
        ctx: &mut Context,
        path: &[u8],
        metadata: &Metadata,
    ) -> Result<bool, UtilityError> {
        if self.interactive {
            let kind = kind_name(metadata.kind, metadata.size);
            if !self.prompt.ask(ctx, &format!("remove {kind} {}?", quote_name(path))).await? {
                return Ok(false);
            }
        }
        let absolute = ctx.absolute(path);
        let removed = if metadata.is_directory() {
            ctx.fs().remove_dir(&absolute)
        } else {
            ctx.fs().remove_file(&absolute)
        };
        match removed {
            Ok(()) => {
                if self.verbose {
                    let kind = if metadata.is_directory() { "directory " } else { "" };
                    let line = format!("removed {kind}{}\n", quote_name(path));
                    ctx.stdout.write(line.as_bytes()).await?;
                }
                Ok(true)
            }
            Err(FsError::Errno(Errno::NotFound)) if self.force => Ok(true),
            Err(error) => {
                self.failed(ctx, path, error)?;
                Ok(false)
            }
        }
    }

    fn failed(&mut self, ctx: &mut Context, path: &[u8], error: FsError) -> Result<(), UtilityError> {
        self.status = ctx.complain(format_args!("cannot remove {}", quote_name(path)), error)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::Fixture;

    #[test]
    fn errors_name_what_stays() {
        let fixture = Fixture::new(&[("d/x", "1"), ("f", "")]);
        let outcome = fixture.run("rm", &["d", "nope", "f"], b"");
        assert_eq!(
            outcome.stderr,
            "rm: cannot remove 'd': Is a directory\nrm: cannot remove 'nope': No such file or directory\n"
        );
        assert_eq!(fixture.run("rm", &["-f", "nope", "f/x"], b"").status, 0);
        let outcome = fixture.run("rm", &["-rf", "/"], b"");
        assert_eq!(
            outcome.stderr,
            "rm: it is dangerous to operate recursively on '/'\n\
             rm: use --no-preserve-root to override this failsafe\n"
        );
        let outcome = fixture.run("rm", &["-rf", "."], b"");
        assert_eq!(outcome.stderr, "rm: refusing to remove '.' or '..' directory: skipping '.'\n");
    }

    #[test]
    fn asks_before_each_step() {
        let fixture = Fixture::new(&[("d/x", "1"), ("d/y", "")]);
        let outcome = fixture.run("rm", &["-ri", "d"], b"y\ny\nn\ny\n");
        assert_eq!(
            outcome.stderr,
            "rm: descend into directory 'd'? rm: remove regular file 'd/x'? \
             rm: remove regular empty file 'd/y'? "
        );
        assert_eq!(fixture.run("rm", &["-rv", "d"], b"").stdout, "removed 'd/y'\nremoved directory 'd'\n");
    }

    #[test]
    fn a_deep_tree_is_no_recursion() {
        let fixture = Fixture::new(&[]);
        let path = vec!["d"; 1500].join("/");
        fixture.run("mkdir", &["-p", &path], b"");
        assert_eq!(fixture.run("rm", &["-r", "d"], b"").status, 0);
        assert_eq!(fixture.run("rm", &["d"], b"").status, 1);
    }
}
