//! `chmod`: changes file modes. POSIX XCU chmod, GNU coreutils chmod(1).

use super::file::root::{is_root, refuse_root};
use super::file::walk::{Walk, WalkStep};
use super::format::file_mode::{ModeChange, permission_letters};
use super::format::quote::{quote, quote_if_needed, quote_name};
use crate::memory::{ToMetered, Vec, format};
use crate::utility::prelude::*;
use crate::vfs::Metadata;

options! {
    enum Opt {
        Changes = flag('c', "changes", "like verbose but report only when a change is made"),
        Silent = flag('f', "silent", "suppress most error messages") | flag('\0', "quiet", "as -f"),
        Verbose = flag('v', "verbose", "output a diagnostic for every file processed"),
        NoPreserveRoot = flag('\0', "no-preserve-root", "do not treat '/' specially (the default)"),
        PreserveRoot = flag('\0', "preserve-root", "fail to operate recursively on '/'"),
        Reference = value('\0', "reference", "RFILE", "use RFILE's mode instead of MODE values"),
        Recursive = flag('R', "recursive", "change files and directories recursively"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "chmod",
    summary: "change the mode of each FILE to MODE",
    usage: "chmod [OPTION]... MODE[,MODE]... FILE...\nchmod [OPTION]... OCTAL-MODE FILE...\n\
            chmod [OPTION]... --reference=RFILE FILE...",
    options: Opt::TABLE,
    examples: &[example("touch f; chmod u=rwx,go=r f; stat -c %a f", "744\n")],
    run: start!(run),
    ..Utility::BASE
};

struct Change {
    mode: ModeChange,
    /// The mode was given like an option (`-w`): a surprise by the umask is an error.
    diagnoses: bool,
    recursive: bool,
    preserves_root: bool,
    silent: bool,
    verbose: bool,
    changes: bool,
    status: ExitStatus,
}

/// Exit status: 0, or 1 when a mode could not be changed (the others still are).
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let given = take_option_mode(&mut ctx.args);
    let mut options = ctx.parse_options::<Opt>(&UTILITY)?;
    let diagnoses = given.is_some();
    let mode = if let Some(reference) = options.value(Opt::Reference) {
        let metadata = ctx.stat(reference).map_err(|error| {
            UtilityError::operand(
                format!("failed to get attributes of {}", quote_name(reference)).as_bytes(),
                error,
            )
        })?;
        Text::from(format!("{:05o}", metadata.mode))
    } else if let Some(given) = given {
        Text::from(given)
    } else if options.operands.is_empty() {
        return Err(UtilityError::Usage("missing operand".into()));
    } else {
        options.operands.remove(0)
    };
    if options.operands.is_empty() {
        return Err(UtilityError::Usage(if options.has(Opt::Reference) {
            "missing operand".into()
        } else {
            format!("missing operand after {}", quote(&mode))
        }));
    }
    let Some(parsed) = ModeChange::parse(&mode) else {
        return Err(UtilityError::Usage(format!("invalid mode: {}", quote(&mode))));
    };
    let mut change = Change {
        mode: parsed,
        diagnoses,
        recursive: options.has(Opt::Recursive),
        preserves_root: options.last_of([Opt::PreserveRoot, Opt::NoPreserveRoot]) == Some(Opt::PreserveRoot),
        silent: options.has(Opt::Silent),
        verbose: options.has(Opt::Verbose),
        changes: options.has(Opt::Changes),
        status: ExitStatus::SUCCESS,
    };
    for operand in &options.operands {
        change.operand(ctx, operand).await?;
    }
    Ok(change.status)
}

/// Takes modes that look like options (`-w`, `-x,g+r`) out of the arguments.
fn take_option_mode(args: &mut Vec<Text>) -> Option<Vec<u8>> {
    let end = args.iter().position(|arg| arg.as_bytes() == b"--").unwrap_or(args.len());
    let mut mode: Option<Vec<u8>> = None;
    let mut index = 0;
    args.retain(|arg| {
        let is_mode = index < end
            && matches!(arg.as_bytes(), [b'-', first, ..] if b"rwxXstugoa,+=01234567".contains(first));
        index += 1;
        if is_mode {
            match &mut mode {
                Some(mode) => {
                    mode.push(b',');
                    mode.extend_from_slice(arg);
                }
                None => mode = Some(arg.to_metered()),
            }
        }
        !is_mode
    });
    mode
}

impl Change {
    async fn operand(&mut self, ctx: &mut Context, operand: &[u8]) -> Result<(), UtilityError> {
        ctx.tick().await?;
        let metadata = match ctx.stat(operand) {
            Ok(metadata) => metadata,
            Err(FsError::Errno(Errno::NotFound)) if ctx.lstat(operand).is_ok() => {
                self.status = ExitStatus::FAILURE;
                if !self.silent {
                    ctx.warn(format_args!("cannot operate on dangling symlink {}", quote_name(operand)));
                }
                return Ok(());
            }
            Err(error) => return self.failed(ctx, "cannot access", operand, error),
        };
        if self.recursive && self.preserves_root && metadata.is_directory() && is_root(ctx, operand) {
            self.status = refuse_root(ctx, operand);
            return Ok(());
        }
        let is_open = self.change(ctx, operand, &metadata).await?;
        let own = ctx.lstat(operand).is_ok_and(|own| own.is_directory());
        if !(self.recursive && metadata.is_directory() && is_open && own) {
            return Ok(());
        }
        let mut walk = Walk::default();
        if let Err(error) = walk.enter(ctx, operand) {
            return self.failed(ctx, "cannot read directory", operand, error);
        }
        while let Some(step) = walk.next(ctx).await? {
            let WalkStep::Entry { path } = step else { continue };
            match ctx.lstat(&path) {
                // Links are neither followed nor changed.
                Ok(metadata) if metadata.is_symlink() => {}
                Ok(metadata) => {
                    self.change(ctx, &path, &metadata).await?;
                    if metadata.is_directory()
                        && let Err(error) = walk.enter(ctx, &path)
                    {
                        self.failed(ctx, "cannot read directory", &path, error)?;
                    }
                }
                Err(error) => self.failed(ctx, "cannot access", &path, error)?,
            }
        }
        Ok(())
    }

    /// Changes one file; false when that failed.
    async fn change(
        &mut self,
        ctx: &mut Context,
        path: &[u8],
        metadata: &Metadata,
    ) -> Result<bool, UtilityError> {
        let old = metadata.mode;
        let new = self.mode.apply(old, metadata.is_directory(), ctx.umask);
        let changed = ctx.fs().set_mode(&ctx.absolute(path), new);
        if let Err(error) = changed {
            self.failed(ctx, "changing permissions of", path, error)?;
            return Ok(false);
        }
        if self.verbose || (self.changes && old != new) {
            let name = quote_name(path);
            let line = if old == new {
                format!("mode of {name} retained as {new:04o} ({})\n", permission_letters(new))
            } else {
                let (from, to) = (permission_letters(old), permission_letters(new));
                format!("mode of {name} changed from {old:04o} ({from}) to {new:04o} ({to})\n")
            };
            ctx.stdout.write(line.as_bytes()).await?;
        }
        let naive = self.mode.apply(old, metadata.is_directory(), 0);
        if self.diagnoses && new & !naive != 0 {
            let (new, naive) = (permission_letters(new), permission_letters(naive));
            self.status =
                ctx.warn(format_args!("{}: new permissions are {new}, not {naive}", quote_if_needed(path)));
        }
        Ok(true)
    }

    fn failed(
        &mut self,
        ctx: &mut Context,
        what: &str,
        path: &[u8],
        error: FsError,
    ) -> Result<(), UtilityError> {
        self.status = ctx.complain_unless(self.silent, format_args!("{what} {}", quote_name(path)), error)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::Fixture;

    #[test]
    fn modes_are_changed() {
        let fixture = Fixture::new(&[("f", ""), ("d/x", "")]);
        assert_eq!(
            fixture.run("chmod", &["-v", "+x", "f"], b"").stdout,
            "mode of 'f' changed from 0644 (rw-r--r--) to 0755 (rwxr-xr-x)\n"
        );
        assert_eq!(
            fixture.run("chmod", &["-v", "755", "f"], b"").stdout,
            "mode of 'f' retained as 0755 (rwxr-xr-x)\n"
        );
        fixture.run("chmod", &["-x", "f"], b"");
        fixture.run("chmod", &["-R", "go=,u+X", "d"], b"");
        assert_eq!(fixture.run("stat", &["-c", "%a", "f", "d", "d/x"], b"").stdout, "644\n700\n600\n");
        fixture.run("chmod", &["--reference=d", "f"], b"");
        assert_eq!(fixture.run("stat", &["-c", "%a", "f"], b"").stdout, "700\n");
    }

    #[test]
    fn errors() {
        let fixture = Fixture::new(&[("f", "")]);
        fixture.run("ln", &["-s", "nope", "dang"], b"");
        fixture.run("chmod", &["666", "f"], b"");
        let hint = "Try 'chmod --help' for more information.\n";
        let rows: [(&[&str], String); 6] = [
            (&["zz", "f"], format!("chmod: invalid mode: ‘zz’\n{hint}")),
            (&["777"], format!("chmod: missing operand after ‘777’\n{hint}")),
            (&[], format!("chmod: missing operand\n{hint}")),
            (&["+x", "nope"], "chmod: cannot access 'nope': No such file or directory\n".into()),
            (&["+x", "dang"], "chmod: cannot operate on dangling symlink 'dang'\n".into()),
            (&["-w", "f"], "chmod: f: new permissions are r--rw-rw-, not r--r--r--\n".into()),
        ];
        for (args, want) in rows {
            let outcome = fixture.run("chmod", args, b"");
            assert_eq!((outcome.stderr, outcome.status), (want, 1), "{args:?}");
        }
    }
}
