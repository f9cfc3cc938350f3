//! `printenv`: prints variables of the environment. GNU coreutils printenv(1).

use crate::memory::JoinMetered;
use crate::utility::prelude::*;

options! {
    enum Opt {
        Null = flag('0', "null", "end each output line with NUL, not newline"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "printenv",
    summary: "print the values of the specified environment VARIABLE(s), or all",
    usage: "printenv [OPTION]... [VARIABLE]...",
    options: Opt::TABLE,
    examples: &[example("X=1 printenv X", "1\n")],
    usage_status: 2,
    operands_end_options: true,
    run: start!(run),
    ..Utility::BASE
};

/// Exit status: 0, or 1 when a variable is not set.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let end: &[u8] = if options.has(Opt::Null) { b"\0" } else { b"\n" };
    let environment = ctx.env.clone();
    if options.operands.is_empty() {
        for (name, value) in environment.iter() {
            ctx.tick().await?;
            ctx.stdout.write(&[name.as_bytes(), b"=", value.as_bytes(), end].concat_metered()).await?;
        }
        return Ok(ExitStatus::SUCCESS);
    }
    let mut status = ExitStatus::SUCCESS;
    for name in &options.operands {
        match environment.get(name) {
            Some(value) => ctx.stdout.write(&[value.as_bytes(), end].concat_metered()).await?,
            None => status = ExitStatus::FAILURE,
        }
    }
    Ok(status)
}
