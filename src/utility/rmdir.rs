//! `rmdir`: removes empty directories. POSIX XCU rmdir, GNU coreutils rmdir(1).

use super::format::quote::quote_name;
use crate::memory::format;
use crate::utility::prelude::*;

options! {
    enum Opt {
        IgnoreFailOnNonEmpty = flag(
            '\0',
            "ignore-fail-on-non-empty",
            "ignore each failure because a directory is not empty",
        ),
        Parents = flag(
            'p',
            "parents",
            "remove DIRECTORY and its ancestors; 'rmdir -p a/b' is similar to 'rmdir a/b a'",
        ),
        Verbose = flag('v', "verbose", "output a diagnostic for every directory processed"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "rmdir",
    summary: "remove the DIRECTORY(ies), if they are empty",
    usage: "rmdir [OPTION]... DIRECTORY...",
    options: Opt::TABLE,
    examples: &[example("mkdir -p a/b; rmdir -p a/b; echo a*", "a*\n")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    if options.operands.is_empty() {
        return Err(UtilityError::Usage("missing operand".into()));
    }
    let ignore = options.has(Opt::IgnoreFailOnNonEmpty);
    let verbose = options.has(Opt::Verbose);
    let mut status = ExitStatus::SUCCESS;
    for operand in &options.operands {
        let mut path: &[u8] = operand;
        let mut what = "failed to remove";
        loop {
            ctx.tick().await?;
            if verbose {
                let line = format!("{}: removing directory, {}\n", ctx.name, quote_name(path));
                ctx.stdout.write(line.as_bytes()).await?;
            }
            let removed = ctx.path(path).and_then(|absolute| ctx.fs().remove_dir(&absolute));
            match removed {
                Err(FsError::Errno(Errno::NotEmpty | Errno::Exists)) if ignore => break,
                Err(error) => {
                    status = ctx.complain(format_args!("{what} {}", quote_name(path)), error)?;
                    break;
                }
                Ok(()) => {}
            }
            match options.has(Opt::Parents).then(|| above(path)).flatten() {
                Some(parent) => path = parent,
                None => break,
            }
            what = "failed to remove directory";
        }
    }
    Ok(status)
}

/// The path without its last component; `None` when there is no other.
fn above(path: &[u8]) -> Option<&[u8]> {
    let end = path.iter().rposition(|&byte| byte != b'/')? + 1;
    let slash = path.get(..end)?.iter().rposition(|&byte| byte == b'/')?;
    let end = path.get(..slash)?.iter().rposition(|&byte| byte != b'/')? + 1;
    path.get(..end)
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::Fixture;

    #[test]
    fn removes_empty_directories_only() {
        let fixture = Fixture::new(&[("d/x", ""), ("e/f/.keep", "")]);
        let outcome = fixture.run("rmdir", &["d", "nope"], b"");
        assert_eq!(
            outcome.stderr,
            "rmdir: failed to remove 'd': Directory not empty\n\
             rmdir: failed to remove 'nope': No such file or directory\n"
        );
        assert_eq!(fixture.run("rmdir", &["--ignore-fail-on-non-empty", "d"], b"").status, 0);
        fixture.run("mkdir", &["-p", "a/b"], b"");
        let outcome = fixture.run("rmdir", &["-pv", "a/b"], b"");
        assert_eq!(outcome.stdout, "rmdir: removing directory, 'a/b'\nrmdir: removing directory, 'a'\n");
    }
}
