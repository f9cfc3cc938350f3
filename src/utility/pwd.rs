//! `pwd`: prints the working directory. POSIX XCU pwd, GNU coreutils pwd(1).

use crate::memory::{JoinMetered, ToMetered};
use crate::utility::prelude::*;

options! {
    enum Opt {
        Logical = flag('L', "logical", "use PWD from environment, even if it contains symlinks"),
        Physical = flag('P', "physical", "avoid all symlinks"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "pwd",
    summary: "print the full filename of the current working directory",
    usage: "pwd [OPTION]...",
    options: Opt::TABLE,
    examples: &[example("cd /tmp; env pwd", "/tmp\n")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    if !options.operands.is_empty() {
        ctx.warn("ignoring non-option arguments");
    }
    let physical = ctx.fs().canonicalize(&ctx.cwd);
    let physical =
        physical.map_err(|error| UtilityError::operand(b"couldn't find directory entry", error))?;
    let logical =
        ctx.env.get(b"PWD").filter(|_| options.last_of([Opt::Logical, Opt::Physical]) == Some(Opt::Logical));
    let shown = match logical {
        Some(path)
            if path.starts_with(b"/") && ctx.fs().canonicalize(path).is_ok_and(|real| real == physical) =>
        {
            path.to_metered()
        }
        _ => physical,
    };
    ctx.stdout.write(&[shown.as_slice(), b"\n"].concat_metered()).await?;
    Ok(ExitStatus::SUCCESS)
}
