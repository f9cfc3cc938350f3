//! `realpath`: prints paths without links, `.` and `..`. GNU coreutils realpath(1).

use super::file::real_path::{Missing, resolve};
use super::file::relative_path;
use super::format::quote::quote_if_needed;
use crate::memory::{JoinMetered, ToMetered, Vec};
use crate::utility::prelude::*;
use crate::vfs::path::normalise;

options! {
    enum Opt {
        CanonicalizeExisting = flag('e', "canonicalize-existing", "all components of the path must exist"),
        CanonicalizeMissing = flag(
            'm',
            "canonicalize-missing",
            "no path components need exist or be a directory",
        ),
        Logical = flag('L', "logical", "resolve '..' components before symlinks"),
        Physical = flag('P', "physical", "resolve symlinks as encountered (default)"),
        Quiet = flag('q', "quiet", "suppress most error messages"),
        RelativeTo = value('\0', "relative-to", "DIR", "print the resolved path relative to DIR"),
        RelativeBase = value('\0', "relative-base", "DIR", "print absolute paths unless paths below DIR"),
        Strip = flag('s', "strip", "don't expand symlinks")
            | flag('\0', "no-symlinks", "don't expand symlinks"),
        Zero = flag('z', "zero", "end each output line with NUL, not newline"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "realpath",
    summary: "print the resolved absolute file name",
    usage: "realpath [OPTION]... FILE...",
    options: Opt::TABLE,
    examples: &[
        example("realpath -m /a/../b/./c", "/b/c\n"),
        example("realpath -m --relative-to=/a/b /a/c", "../c\n"),
    ],
    run: start!(run),
    ..Utility::BASE
};

/// How a path is resolved.
struct Way {
    missing: Missing,
    logical: bool,
    keep_links: bool,
}

impl Way {
    fn resolve(&self, ctx: &Context, path: &[u8]) -> Result<Vec<u8>, FsError> {
        if self.keep_links {
            let absolute = normalise(&ctx.path(path)?);
            if self.missing != Missing::Any {
                let parent = super::file::parent(&absolute).to_metered();
                ctx.fs().metadata(if self.missing == Missing::None { &absolute } else { &parent })?;
            }
            return Ok(absolute);
        }
        if self.logical {
            return resolve(ctx, &normalise(&ctx.path(path)?), self.missing);
        }
        resolve(ctx, path, self.missing)
    }
}

/// Exit status: 0, or 1 when a path could not be resolved (the others still are).
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    if options.operands.is_empty() {
        return Err(UtilityError::Usage("missing operand".into()));
    }
    let keep_links = options.has(Opt::Strip);
    let way = Way {
        missing: match options.last_of([Opt::CanonicalizeExisting, Opt::CanonicalizeMissing]) {
            Some(Opt::CanonicalizeExisting) => Missing::None,
            Some(_) => Missing::Any,
            None => Missing::Last,
        },
        logical: options.has(Opt::Logical),
        keep_links,
    };
    let directory = |option: Opt| match options.value(option) {
        Some(path) => way
            .resolve(ctx, path)
            .map(Some)
            .map_err(|error| UtilityError::operand(quote_if_needed(path).as_bytes(), error)),
        None => Ok(None),
    };
    let (relative_to, relative_base) = (directory(Opt::RelativeTo)?, directory(Opt::RelativeBase)?);
    let end: &[u8] = if options.has(Opt::Zero) { b"\0" } else { b"\n" };
    let mut status = ExitStatus::SUCCESS;
    for operand in &options.operands {
        ctx.tick().await?;
        match way.resolve(ctx, operand) {
            Ok(path) => {
                let shown = shown(path, relative_to.as_deref(), relative_base.as_deref());
                ctx.stdout.write(&[&shown, end].concat_metered()).await?;
            }
            Err(FsError::Limit(limit)) => return Err(limit.into()),
            Err(_) if options.has(Opt::Quiet) => status = ExitStatus::FAILURE,
            Err(error) => status = ctx.complain(quote_if_needed(operand), error)?,
        }
    }
    Ok(status)
}

/// The path, relative when it was asked for and it is below the base.
fn shown(path: Vec<u8>, relative_to: Option<&[u8]>, base: Option<&[u8]>) -> Vec<u8> {
    let below = |path: &[u8], directory: &[u8]| {
        path == directory
            || directory == b"/"
            || path.strip_prefix(directory).is_some_and(|rest| rest.starts_with(b"/"))
    };
    match (relative_to, base) {
        (None, None) => path,
        (Some(to), None) => relative_path(to, &path),
        (to, Some(base)) => {
            let to = to.unwrap_or(base);
            if below(&path, base) && below(to, base) { relative_path(to, &path) } else { path }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::Fixture;

    #[test]
    fn paths_are_resolved() {
        let fixture = Fixture::new(&[("d/x", "")]);
        fixture.run("ln", &["-s", "d", "l"], b"");
        let rows: [(&[&str], &str, &str); 9] = [
            (&["l/x", "."], "/work/d/x\n/work\n", ""),
            (&["l/../y"], "/work/y\n", ""),
            (&["-s", "l/x"], "/work/l/x\n", ""),
            (&["no/x"], "", "realpath: no/x: No such file or directory\n"),
            (&["-e", "no"], "", "realpath: no: No such file or directory\n"),
            (&["-m", "no/x/../y"], "/work/no/y\n", ""),
            (&["--relative-to=d", "l/x", "/tmp"], "x\n../../tmp\n", ""),
            (&["--relative-base=/work", "l/x", "/tmp"], "d/x\n/tmp\n", ""),
            (&["-q", "no/x"], "", ""),
        ];
        for (args, stdout, stderr) in rows {
            let outcome = fixture.run("realpath", args, b"");
            assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), (stdout, stderr), "{args:?}");
        }
    }
}
