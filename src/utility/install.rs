//! `install`: copies files and sets their modes; makes directories. GNU coreutils install(1).

use super::file::copy::{Copier, FollowLinks, Overwrite};
use super::file::destination::{Placement, destinations};
use super::file::parent;
use super::file::prompt::Prompt;
use super::format::file_mode::ModeChange;
use super::format::quote::{quote, quote_name};
use crate::memory::{HashMap, ToMetered, Vec, format};
use crate::utility::prelude::*;

options! {
    enum Opt {
        Copy = flag('c', "", "(the default: copy)"),
        Directory = flag('d', "directory", "treat all arguments as directory names; create all components"),
        CreateParents = flag(
            'D',
            "",
            "create all leading components of DEST except the last, then copy SOURCE to DEST",
        ),
        Mode = value('m', "mode", "MODE", "set permission mode (as in chmod), instead of rwxr-xr-x"),
        PreserveTimestamps = flag(
            'p',
            "preserve-timestamps",
            "apply access/modification times of SOURCE files",
        ),
        TargetDirectory = value(
            't',
            "target-directory",
            "DIRECTORY",
            "copy all SOURCE arguments into DIRECTORY",
        ),
        NoTargetDirectory = flag('T', "no-target-directory", "treat DEST as a normal file"),
        Verbose = flag('v', "verbose", "print the name of each created file or directory"),
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

/// Exit status: 0, or 1 when something failed (the rest is still done).
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let change = match options.value(Opt::Mode) {
        Some(text) => {
            let change = ModeChange::parse(text);
            Some(change.ok_or_else(|| UtilityError::failed(format!("invalid mode {}", quote(text))))?)
        }
        None => None,
    };
    let mode = |is_directory| change.as_ref().map_or(0o755, |change| change.apply(0, is_directory, 0));
    let verbose = options.has(Opt::Verbose);
    let mut status = ExitStatus::SUCCESS;
    if options.has(Opt::Directory) {
        if options.operands.is_empty() {
            return Err(UtilityError::Usage("missing file operand".into()));
        }
        for operand in &options.operands {
            if let Err((path, error)) = make_directories(ctx, operand, mode(true), verbose).await? {
                status = ctx.complain(format_args!("cannot create directory {}", quote(&path)), error)?;
            }
        }
        return Ok(status);
    }
    if options.has(Opt::CreateParents) {
        let directory = match (options.value(Opt::TargetDirectory), options.operands.as_slice()) {
            (Some(directory), _) => Some(directory.to_metered()),
            (None, [_, destination]) => Some(parent(destination).to_metered()),
            _ => None,
        };
        if let Some(directory) = directory
            && ctx.stat(&directory).is_err()
            && let Err((path, error)) = make_directories(ctx, &directory, 0o755, verbose).await?
        {
            return ctx.complain(format_args!("cannot create directory {}", quote(&path)), error);
        }
    }
    let placement = Placement {
        directory: options.value(Opt::TargetDirectory),
        whole: options.has(Opt::NoTargetDirectory),
        ..Placement::default()
    };
    for (source, destination) in destinations(ctx, &options.operands, placement)? {
        if !file(ctx, &source, &destination, mode(false), &options).await? {
            status = ExitStatus::FAILURE;
        }
    }
    Ok(status)
}

/// Makes a directory and those above it; the inner error names the one that failed.
async fn make_directories(
    ctx: &mut Context,
    path: &[u8],
    mode: u32,
    verbose: bool,
) -> Result<Result<(), (Vec<u8>, FsError)>, UtilityError> {
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
            Err(_) if ctx.stat(prefix).is_ok_and(|metadata| metadata.is_directory()) => {
                if is_last && let Err(error) = ctx.fs().set_mode(&absolute, mode) {
                    return Ok(Err((prefix.to_metered(), error)));
                }
            }
            Err(error) => return Ok(Err((prefix.to_metered(), error))),
        }
    }
    Ok(Ok(()))
}

/// Copies one file; false when that failed, which is reported.
async fn file(
    ctx: &mut Context,
    source: &[u8],
    destination: &[u8],
    mode: u32,
    options: &Options<Opt>,
) -> Result<bool, UtilityError> {
    ctx.tick().await?;
    if ctx.stat(source).is_ok_and(|metadata| metadata.is_directory()) {
        ctx.warn(format_args!("omitting directory {}", quote_name(source)));
        return Ok(false);
    }
    let verbose = options.has(Opt::Verbose);
    if let (Ok(from), Ok(to)) = (ctx.stat(source), ctx.lstat(destination))
        && from.inode != to.inode
        && !to.is_directory()
    {
        let removed = ctx.fs().remove_file(&ctx.absolute(destination));
        if let Err(error) = removed {
            ctx.complain(format_args!("cannot remove {}", quote_name(destination)), error)?;
            return Ok(false);
        }
        if verbose {
            ctx.stdout.write(format!("removed {}\n", quote_name(destination)).as_bytes()).await?;
        }
    }
    let mut copier = Copier {
        recursive: false,
        follow: FollowLinks::Always,
        preserve_mode: false,
        preserve_owner: false,
        preserve_times: options.has(Opt::PreserveTimestamps),
        preserve_links: false,
        force: false,
        overwrite: Overwrite::Always,
        update: false,
        verbose,
        hard_link: false,
        symbolic_link: false,
        backup: None,
        prompt: Prompt::default(),
        status: ExitStatus::SUCCESS,
        seen: HashMap::default(),
    };
    copier.operand(ctx, source, destination).await?;
    if !copier.status.is_success() {
        return Ok(false);
    }
    let changed = ctx.fs().set_mode(&ctx.absolute(destination), mode);
    if let Err(error) = changed {
        ctx.complain(format_args!("cannot change permissions of {}", quote_name(destination)), error)?;
        return Ok(false);
    }
    Ok(true)
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
