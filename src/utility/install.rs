//! `install`: copies files and sets their modes; makes directories. GNU coreutils install(1).

use super::file::backup::{BackupOpt, Backups};
use super::file::copy::{Copier, CopyOptions, FollowLinks, Preserved};
use super::file::destination::{Placement, destinations, target_directory};
use super::file::parent;
use super::format::file_mode::ModeChange;
use crate::memory::{String, ToMetered, format, vec};
use crate::utility::context::CommandError;
use crate::utility::prelude::*;

options! {
    enum Opt {
        Backups(BackupOpt),
        Copy = flag('c', "", "(the default: copy)"),
        Compare = flag('C', "compare", "if the destination has the content and attributes already, do not copy"),
        Directory = flag('d', "directory", "treat all arguments as directory names; create all components"),
        CreateParents = flag(
            'D',
            "",
            "create all leading components of DEST except the last, then copy SOURCE to DEST",
        ),
        Group = value('g', "group", "GROUP", "set group ownership, instead of the user's current group"),
        Mode = value('m', "mode", "MODE", "set permission mode (as in chmod), instead of rwxr-xr-x"),
        Owner = value('o', "owner", "OWNER", "set ownership"),
        PreserveTimestamps = flag(
            'p',
            "preserve-timestamps",
            "apply access/modification times of SOURCE files",
        ),
        Strip = flag('s', "strip", "run the program strip on each file (there is none unless PATH has one)"),
        StripProgram = value('\0', "strip-program", "PROGRAM", "program used to strip binaries"),
        Suffix = value('S', "suffix", "SUFFIX", "override the usual backup suffix; implies -b"),
        TargetDirectory = value(
            't',
            "target-directory",
            "DIRECTORY",
            "copy all SOURCE arguments into DIRECTORY",
        ),
        NoTargetDirectory = flag('T', "no-target-directory", "treat DEST as a normal file"),
        Verbose = flag('v', "verbose", "print the name of each created file or directory"),
        PreserveContext = flag('\0', "preserve-context", "preserve SELinux security context"),
        SecurityContext = flag('Z', "", "set SELinux security context of each created file to default type"),
        Context = optional('\0', "context", "CTX", "like -Z, or set the SELinux security context to CTX"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "install",
    summary: "copy files and set attributes",
    usage: "install [OPTION]... [-T] SOURCE DEST\ninstall [OPTION]... SOURCE... DIRECTORY\n\
            install [OPTION]... -t DIRECTORY SOURCE...\ninstall [OPTION]... -d DIRECTORY...",
    options: Opt::TABLE,
    examples: &[example("printf x > a; install -D -m 600 a b/c; stat -c %a b/c", "600\n")],
    run: start!(run),
    ..Utility::BASE
};

/// What all files are installed with.
struct Installer {
    copier: Copier,
    mode: u32,
    /// The bits that directories get, and those of them that are not left as they are.
    directory_mode: (u32, u32),
    user: Option<u32>,
    group: Option<u32>,
    compares: bool,
    /// The program that strips.
    strip: Option<Text>,
    verbose: bool,
}

/// Exit status: 0, or 1 when something failed (the rest is still done).
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    check_operands(ctx, &options)?;
    let mut installer = installer(ctx, &options)?;
    if options.has(Opt::Directory) {
        return installer.directories(ctx, &options.operands).await;
    }
    if options.has(Opt::CreateParents) {
        let directory = match (target_directory(&options, Opt::TargetDirectory)?, options.operands.as_slice())
        {
            (Some(directory), _) => Some(directory.to_metered()),
            (None, [_, destination]) => Some(parent(destination).to_metered()),
            _ => None,
        };
        if let Some(directory) = directory
            && ctx.directory_error(&directory).is_some()
            && let Err((what, error)) =
                make_directories(ctx, &directory, (0o755, 0), installer.verbose).await?
        {
            return ctx.complain(what, error);
        }
    }
    let placement = Placement {
        directory: target_directory(&options, Opt::TargetDirectory)?,
        whole: options.has(Opt::NoTargetDirectory),
        ..Placement::default()
    };
    let pairs = destinations(ctx, &options.operands, placement)?;
    installer.copier.several = pairs.len() > 1;
    let mut status = ExitStatus::SUCCESS;
    for (source, destination) in pairs {
        ctx.tick().await?;
        if !installer.file(ctx, &source, &destination).await? {
            status = ExitStatus::FAILURE;
        }
    }
    Ok(status)
}

/// Tells what is wrong with operands, which comes before what is wrong with modes and owners.
fn check_operands(ctx: &mut Context, options: &Options<Opt>) -> Result<(), UtilityError> {
    let makes_directories = options.has(Opt::Directory);
    if options.has(Opt::PreserveContext) {
        ctx.warn("WARNING: ignoring --preserve-context; this kernel is not SELinux-enabled");
    }
    let context = options.given().filter(|(option, _)| *option == Opt::Context);
    for _ in context.filter(|(_, value)| value.is_some()) {
        ctx.warn("warning: ignoring --context; it requires an SELinux-enabled kernel");
    }
    if makes_directories && options.has(Opt::Strip) {
        return Err(UtilityError::failed("the strip option may not be used when installing a directory"));
    }
    let directory = target_directory(options, Opt::TargetDirectory)?;
    if makes_directories && directory.is_some() {
        return Err(UtilityError::failed("target directory not allowed when installing a directory"));
    }
    let operands = options.operands.as_slice();
    let usage = |message: String| Err(UtilityError::Usage(message));
    match operands {
        [] => return usage("missing file operand".into()),
        [only] if !makes_directories && directory.is_none() => {
            return usage(format!("missing destination file operand after {}", quote_name(only)));
        }
        _ => {}
    }
    if options.has(Opt::NoTargetDirectory) {
        if directory.is_some() {
            let message = "cannot combine --target-directory (-t) and --no-target-directory (-T)";
            return Err(UtilityError::failed(message));
        }
        if let Some(extra) = operands.get(2) {
            return usage(format!("extra operand {}", quote_name(extra)));
        }
        return Ok(());
    }
    let failure = |what: String, error| Err(UtilityError::operand(what.as_bytes(), error));
    match (directory, operands) {
        (Some(directory), _) => match ctx.directory_error(directory) {
            Some(FsError::Errno(Errno::NotFound)) if options.has(Opt::CreateParents) => Ok(()),
            Some(error) => failure(format!("failed to access {}", quote_name(directory)), error),
            None => Ok(()),
        },
        (None, [_, _, .., last]) if !makes_directories => match ctx.directory_error(last) {
            Some(error) => failure(format!("target {}", quote_name(last)), error),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

/// Reads the options; those that exclude each other are refused.
fn installer(ctx: &mut Context, options: &Options<Opt>) -> Result<Installer, UtilityError> {
    let strips = options.has(Opt::Strip);
    let times = options.has(Opt::PreserveTimestamps);
    let backups = Backups::of(ctx, options, Opt::Suffix)?;
    let change = match options.value(Opt::Mode) {
        Some(text) => {
            let change = ModeChange::parse(text);
            Some(change.ok_or_else(|| UtilityError::failed(format!("invalid mode {}", quote(text))))?)
        }
        None => None,
    };
    if !strips && options.has(Opt::StripProgram) {
        ctx.warn("WARNING: ignoring --strip-program option as -s option was not specified");
    }
    for (excludes, name) in [(times, "--preserve-timestamps"), (strips, "--strip")] {
        if options.has(Opt::Compare) && excludes {
            let message = format!("options --compare (-C) and {name} are mutually exclusive");
            return Err(UtilityError::Usage(message));
        }
    }
    let mode = change.as_ref().map_or(0o755, |change| change.apply(0, false, 0));
    if options.has(Opt::Compare) && mode & 0o7000 != 0 {
        ctx.warn("the --compare (-C) option is ignored when you specify a mode with non-permission bits");
    }
    let id = |option: Opt, what: &str, find: fn(&Context, &[u8]) -> Option<u32>| match options.value(option) {
        Some(name) => match find(ctx, name) {
            Some(id) => Ok(Some(id)),
            None => Err(UtilityError::failed(format!("invalid {what} {}", quote(name)))),
        },
        None => Ok(None),
    };
    let (user, group) =
        (id(Opt::Owner, "user", Context::user_id)?, id(Opt::Group, "group", Context::group_id)?);
    let verbose = options.has(Opt::Verbose);
    let copy = CopyOptions {
        follow: FollowLinks::Always,
        preserved: Preserved { times, ..Preserved::default() },
        mode: Some(0o600),
        removes_first: true,
        verbose,
        backups,
        as_regular: true,
        ..CopyOptions::default()
    };
    let strip = options.value(Opt::StripProgram).cloned().unwrap_or_else(|| Text::from_static(b"strip"));
    Ok(Installer {
        copier: Copier::new(copy),
        mode,
        directory_mode: change.map_or((0o755, 0o7777), |change| change.of_directory()),
        user,
        group,
        compares: options.has(Opt::Compare),
        strip: strips.then_some(strip),
        verbose,
    })
}

/// Makes a directory and those above it; one that is there gets the bits of `mode` that are in `touched`. The inner error tells
/// what failed.
async fn make_directories(
    ctx: &mut Context,
    path: &[u8],
    (mode, touched): (u32, u32),
    verbose: bool,
) -> Result<Result<(), (String, FsError)>, UtilityError> {
    let ends = path.iter().enumerate().filter(|&(at, &byte)| byte == b'/' && at > 0).map(|(at, _)| at);
    for end in ends.chain([path.len()]) {
        ctx.tick().await?;
        let prefix = path.get(..end).unwrap_or(path);
        let is_last = end == path.len();
        let absolute = ctx.absolute(prefix);
        let made = ctx.fs().create_dir(&absolute, if is_last { mode } else { 0o755 });
        match made {
            Ok(()) if verbose => {
                let line = format!("{}: creating directory {}\n", ctx.name, quote_name(prefix));
                ctx.stdout.write(line.as_bytes()).await?;
            }
            Ok(()) => {}
            // What is there stays as it is.
            Err(error) if !is_last || touched == 0 => {
                let Some(reason) = ctx.directory_error(prefix) else { continue };
                // What is no directory is told as that; a link that leads nowhere is there already.
                let is_file = matches!(reason, FsError::Errno(Errno::NotDirectory));
                let error = if is_file { reason } else { error };
                return Ok(Err((format!("cannot create directory {}", quote(prefix)), error)));
            }
            Err(error) => {
                let changed = match ctx.stat(prefix) {
                    Ok(found) if found.is_directory() => {
                        ctx.fs().set_mode(&absolute, (found.mode & !touched) | mode)
                    }
                    Ok(_) => Err(Errno::NotDirectory.into()),
                    Err(error) => Err(error),
                };
                let is_created = matches!(changed, Err(FsError::Errno(Errno::NotDirectory)))
                    || matches!(error, FsError::Errno(Errno::NotFound));
                match changed {
                    Ok(()) => {}
                    Err(_) if is_created => {
                        return Ok(Err((format!("cannot create directory {}", quote(prefix)), error)));
                    }
                    Err(changed) => {
                        return Ok(Err((format!("cannot change permissions of {}", quote(prefix)), changed)));
                    }
                }
            }
        }
    }
    Ok(Ok(()))
}

impl Installer {
    /// Makes directories.
    async fn directories(
        &mut self,
        ctx: &mut Context,
        operands: &[Text],
    ) -> Result<ExitStatus, UtilityError> {
        let mut status = ExitStatus::SUCCESS;
        for operand in operands {
            let made = make_directories(ctx, operand, self.directory_mode, self.verbose).await?;
            if let Err((what, error)) = made {
                status = ctx.complain(what, error)?;
            } else if !self.give_owner(ctx, operand)? {
                status = ExitStatus::FAILURE;
            }
        }
        Ok(status)
    }

    /// Copies one file; false when that failed, which is reported.
    async fn file(
        &mut self,
        ctx: &mut Context,
        source: &[u8],
        destination: &[u8],
    ) -> Result<bool, UtilityError> {
        if !self.compares || !self.is_installed(ctx, source, destination).await? {
            self.copier.status = ExitStatus::SUCCESS;
            let before = self.copier.status;
            self.copier.operand(ctx, source, destination).await?;
            if self.copier.status != before {
                return Ok(false);
            }
        }
        if !self.strip(ctx, destination).await? {
            if let Err(error) = ctx.fs().remove_file(&ctx.absolute(destination)) {
                ctx.complain(format_args!("cannot unlink {}", quote_name(destination)), error)?;
            }
            return Ok(false);
        }
        if !self.give_owner(ctx, destination)? {
            return Ok(false);
        }
        if let Err(error) = ctx.fs().set_mode(&ctx.absolute(destination), self.mode) {
            ctx.complain(format_args!("cannot change permissions of {}", quote_name(destination)), error)?;
            return Ok(false);
        }
        if self.strip.is_some()
            && self.copier.options.preserved.times
            && let Ok(from) = ctx.stat(source)
            && let Err(error) =
                ctx.fs().set_times(&ctx.absolute(destination), Some(from.accessed), Some(from.modified), true)
        {
            ctx.complain(format_args!("cannot set timestamps for {}", quote_name(destination)), error)?;
            return Ok(false);
        }
        Ok(true)
    }

    fn give_owner(&self, ctx: &mut Context, path: &[u8]) -> Result<bool, UtilityError> {
        if self.user.is_none() && self.group.is_none() {
            return Ok(true);
        }
        match ctx.fs().set_owner(&ctx.absolute(path), self.user, self.group, false) {
            Ok(()) => Ok(true),
            Err(error) => {
                ctx.complain(format_args!("cannot change ownership of {}", quote_name(path)), error)?;
                Ok(false)
            }
        }
    }

    /// Whether the destination has the content, owner and mode that it would be given.
    async fn is_installed(
        &self,
        ctx: &mut Context,
        source: &[u8],
        destination: &[u8],
    ) -> Result<bool, UtilityError> {
        let (Ok(from), Ok(to)) = (ctx.lstat(source), ctx.lstat(destination)) else { return Ok(false) };
        let identity = &ctx.session.identity;
        let (user, group) = (self.user.unwrap_or(identity.uid), self.group.unwrap_or(identity.gid));
        let alike = from.is_regular()
            && to.is_regular()
            && self.mode & 0o7000 == 0
            && from.mode & 0o7000 == 0
            && from.size == to.size
            && to.mode == self.mode
            && (to.uid, to.gid) == (user, group);
        if !alike {
            return Ok(false);
        }
        let (Ok(mut from), Ok(mut to)) = (ctx.open(source), ctx.open(destination)) else { return Ok(false) };
        loop {
            ctx.check().await?;
            let (Ok(left), Ok(right)) = (from.fill().await, to.fill().await) else { return Ok(false) };
            let count = left.len().min(right.len());
            if left.get(..count) != right.get(..count) {
                return Ok(false);
            }
            if count == 0 {
                return Ok(left.len() == right.len());
            }
            from.consume(count);
            to.consume(count);
        }
    }

    /// Runs the program that strips, if that was asked for; false when it failed, which is reported.
    async fn strip(&self, ctx: &mut Context, file: &[u8]) -> Result<bool, UtilityError> {
        let Some(program) = &self.strip else { return Ok(true) };
        ctx.stdout.flush().await?;
        let request = ctx.command(vec![program.clone(), Text::from(file)]);
        match ctx.run_command(request).await {
            Ok(status) if status.is_success() => return Ok(true),
            Ok(_) => {}
            Err(CommandError::Limit(limit)) => return Err(limit.into()),
            Err(error) => {
                ctx.warn(format_args!("cannot run {}: {error}", quote_name(program)));
            }
        }
        ctx.warn("strip process terminated abnormally");
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::Fixture;

    #[test]
    fn files_and_directories() {
        let fixture = Fixture::new(&[("f", "x"), ("d/k", "")]);
        let rows: [(&[&str], &str); 4] = [
            (&["-v", "-m", "600", "f", "h"], "'f' -> 'h'\n"),
            (
                &["-D", "-v", "f", "z/y/x"],
                "install: creating directory 'z'\ninstall: creating directory 'z/y'\n'f' -> 'z/y/x'\n",
            ),
            (&["-dv", "a/b"], "install: creating directory 'a'\ninstall: creating directory 'a/b'\n"),
            (&["-v", "f", "h"], "removed 'h'\n'f' -> 'h'\n"),
        ];
        for (args, want) in rows {
            let outcome = fixture.run("install", args, b"");
            assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), (want, ""), "{args:?}");
        }
        assert_eq!(fixture.run("stat", &["-c", "%a", "h", "z/y/x"], b"").stdout, "755\n755\n");
        assert_eq!(fixture.run("install", &["d", "k"], b"").stderr, "install: omitting directory 'd'\n");
    }
}
