//! `readlink`: prints the target of a link, or a path without links. GNU coreutils readlink(1).

use super::file::real_path::{Missing, resolve};
use super::format::quote::quote_if_needed;
use crate::memory::{JoinMetered, ToMetered};
use crate::utility::prelude::*;

options! {
    enum Opt {
        Canonicalize = flag('f', "canonicalize", "canonicalize; all but the last component must exist"),
        CanonicalizeExisting = flag('e', "canonicalize-existing", "canonicalize; all components must exist"),
        CanonicalizeMissing = flag(
            'm',
            "canonicalize-missing",
            "canonicalize, without requirements on components existence",
        ),
        NoNewline = flag('n', "no-newline", "do not output the trailing delimiter"),
        Quiet = flag('q', "quiet", "suppress most error messages (the default)")
            | flag('s', "silent", "suppress most error messages (the default)"),
        Verbose = flag('v', "verbose", "report error messages"),
        Zero = flag('z', "zero", "end each output line with NUL, not newline"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "readlink",
    summary: "print value of a symbolic link or canonical file name",
    usage: "readlink [OPTION]... FILE...",
    options: Opt::TABLE,
    examples: &[
        example("ln -s /tmp l; readlink l", "/tmp\n"),
        example("readlink -f /tmp/../tmp/x", "/tmp/x\n"),
    ],
    run: start!(run),
    ..Utility::BASE
};

/// Exit status: 0, or 1 when an operand is not a link or does not exist.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    if options.operands.is_empty() {
        return Err(UtilityError::Usage("missing operand".into()));
    }
    let missing = options
        .last_of([Opt::Canonicalize, Opt::CanonicalizeExisting, Opt::CanonicalizeMissing])
        .map(|option| match option {
            Opt::Canonicalize => Missing::Last,
            Opt::CanonicalizeExisting => Missing::None,
            _ => Missing::Any,
        });
    let end: &[u8] =
        match (options.has(Opt::NoNewline) && options.operands.len() == 1, options.has(Opt::Zero)) {
            (true, _) => b"",
            (false, true) => b"\0",
            (false, false) => b"\n",
        };
    if options.has(Opt::NoNewline) && options.operands.len() > 1 {
        ctx.warn("ignoring --no-newline with multiple arguments");
    }
    let verbose = options.last_of([Opt::Quiet, Opt::Verbose]) == Some(Opt::Verbose);
    let mut status = ExitStatus::SUCCESS;
    for operand in &options.operands {
        ctx.tick().await?;
        let found = match missing {
            Some(missing) => resolve(ctx, operand, missing),
            None => {
                ctx.path(operand).and_then(|path| ctx.fs().read_link(&path)).map(|link| link.to_metered())
            }
        };
        match found {
            Ok(path) => ctx.stdout.write(&[&path, end].concat_metered()).await?,
            Err(FsError::Limit(limit)) => return Err(limit.into()),
            Err(error) if verbose => status = ctx.complain(quote_if_needed(operand), error)?,
            Err(_) => status = ExitStatus::FAILURE,
        }
    }
    Ok(status)
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::Fixture;

    #[test]
    fn targets_and_canonical_paths() {
        let fixture = Fixture::new(&[("d/x", "")]);
        fixture.run("ln", &["-s", "d", "l"], b"");
        let rows: [(&[&str], &str, u8); 8] = [
            (&["l"], "d\n", 0),
            (&["-n", "l"], "d", 0),
            (&["d"], "", 1),
            (&["-f", "l/x"], "/work/d/x\n", 0),
            (&["-f", "l/new"], "/work/d/new\n", 0),
            (&["-f", "no/new"], "", 1),
            (&["-m", "no/../l/new/y"], "/work/d/new/y\n", 0),
            (&["-e", "l/new"], "", 1),
        ];
        for (args, want, status) in rows {
            let outcome = fixture.run("readlink", args, b"");
            assert_eq!((outcome.stdout.as_str(), outcome.status), (want, status), "{args:?}");
        }
    }
}
