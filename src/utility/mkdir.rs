//! `mkdir`: makes directories. POSIX XCU mkdir, GNU coreutils mkdir(1).

use super::format::file_mode::ModeChange;
use super::format::quote::{quote, quote_name};
use crate::memory::{ToMetered, Vec, format};
use crate::utility::prelude::*;

options! {
    enum Opt {
        Mode = value('m', "mode", "MODE", "set file mode (as in chmod), not a=rwx - umask"),
        Parents = flag('p', "parents", "no error if existing, make parent directories as needed"),
        Verbose = flag('v', "verbose", "print a message for each created directory"),
        SecurityContext = flag('Z', "", "set the SELinux security context of what is made to the default type"),
        Context = optional('\0', "context", "CTX", "like -Z, or set the SELinux or SMACK context to CTX"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "mkdir",
    summary: "create the DIRECTORY(ies), if they do not already exist",
    usage: "mkdir [OPTION]... DIRECTORY...",
    options: Opt::TABLE,
    examples: &[example("mkdir -pv a/b", "mkdir: created directory 'a'\nmkdir: created directory 'a/b'\n")],
    run: start!(run),
    ..Utility::BASE
};

/// Exit status: 0, or 1 when a directory could not be made (the others still are).
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    for _ in options.values(Opt::Context) {
        ctx.warn("warning: ignoring --context; it requires an SELinux/SMACK-enabled kernel");
    }
    if options.operands.is_empty() {
        return Err(UtilityError::Usage("missing operand".into()));
    }
    let mode = match options.value(Opt::Mode) {
        Some(text) => {
            let change = ModeChange::parse(text);
            let change =
                change.ok_or_else(|| UtilityError::failed(format!("invalid mode {}", quote(text))))?;
            Some(change.apply(0o777, true, ctx.umask))
        }
        None => None,
    };
    let verbose = options.has(Opt::Verbose);
    let mut status = ExitStatus::SUCCESS;
    for operand in &options.operands {
        ctx.tick().await?;
        let made = if options.has(Opt::Parents) {
            make_with_parents(ctx, operand, mode, verbose).await?
        } else {
            make(ctx, operand, mode, verbose).await?.map_err(|error| (operand.to_metered(), error))
        };
        if let Err((path, error)) = made {
            status = ctx.complain(format_args!("cannot create directory {}", quote(&path)), error)?;
        }
    }
    Ok(status)
}

/// Makes one directory; the inner error is the operand's.
async fn make(
    ctx: &mut Context,
    path: &[u8],
    mode: Option<u32>,
    verbose: bool,
) -> Result<Result<(), FsError>, UtilityError> {
    let absolute = match ctx.path(path) {
        Ok(absolute) => absolute,
        Err(error) => return Ok(Err(error)),
    };
    if let Err(error) = ctx.fs().create_dir(&absolute, mode.unwrap_or(0o777 & !ctx.umask)) {
        return Ok(Err(error));
    }
    if verbose {
        let line = format!("{}: created directory {}\n", ctx.name, quote_name(path));
        ctx.stdout.write(line.as_bytes()).await?;
    }
    Ok(Ok(()))
}

/// Makes a directory and those above it; the inner error names the one that failed.
async fn make_with_parents(
    ctx: &mut Context,
    path: &[u8],
    mode: Option<u32>,
    verbose: bool,
) -> Result<Result<(), (Vec<u8>, FsError)>, UtilityError> {
    let length = path.iter().rposition(|&byte| byte != b'/').map_or(path.len(), |last| last + 1);
    let mut end = 0;
    loop {
        ctx.tick().await?;
        // The prefix of `path` that ends with its next component.
        let rest = path.get(end..length).unwrap_or(&[]);
        let start = rest.iter().position(|&byte| byte != b'/').unwrap_or(rest.len());
        let component = rest.get(start..).unwrap_or(&[]);
        end += start + component.iter().position(|&byte| byte == b'/').unwrap_or(component.len());
        let prefix = path.get(..end).unwrap_or(path);
        let is_last = end >= length;
        // Those above can be written by their owner, whatever the mask says.
        let prefix_mode = if is_last { mode } else { Some((0o777 & !ctx.umask) | 0o300) };
        let Err(error) = make(ctx, prefix, prefix_mode, verbose).await? else {
            if is_last {
                return Ok(Ok(()));
            }
            continue;
        };
        match ctx.stat(prefix) {
            Ok(metadata) if metadata.is_directory() && is_last => return Ok(Ok(())),
            Ok(metadata) if metadata.is_directory() => {}
            Ok(_) if !is_last => return Ok(Err((prefix.to_metered(), Errno::NotDirectory.into()))),
            _ => return Ok(Err((prefix.to_metered(), error))),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::Fixture;

    #[test]
    fn parents_are_made_and_the_failing_one_is_named() {
        let fixture = Fixture::new(&[("file", "")]);
        assert_eq!(fixture.run("mkdir", &["-p", "/work/a/b/", "a/b"], b"").status, 0);
        let outcome = fixture.run("mkdir", &["-p", "file/x"], b"");
        assert_eq!(outcome.stderr, "mkdir: cannot create directory ‘file’: Not a directory\n");
        let outcome = fixture.run("mkdir", &["x/y", "a"], b"");
        assert_eq!(
            (outcome.stderr.as_str(), outcome.status),
            (
                "mkdir: cannot create directory ‘x/y’: No such file or directory\n\
                 mkdir: cannot create directory ‘a’: File exists\n",
                1
            )
        );
    }

    #[test]
    fn modes() {
        let fixture = Fixture::new(&[]);
        fixture.run("mkdir", &["-m", "u=rwx,go=", "a"], b"");
        fixture.run("mkdir", &["-p", "-m", "700", "b/c"], b"");
        let outcome = fixture.run("stat", &["-c", "%a", "a", "b", "b/c"], b"");
        assert_eq!(outcome.stdout, "700\n755\n700\n");
    }
}
