//! `[`: `test` with a closing bracket. GNU test(1).

use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "[",
    summary: "check file types and compare values",
    usage: "[ EXPRESSION ]",
    examples: &[example("env [ 3 -gt 2 ] && echo more", "more\n")],
    usage_status: 2,
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let mut args = std::mem::take(&mut ctx.args);
    if args.pop().is_none_or(|last| last.as_bytes() != b"]") {
        return Err(UtilityError::Failed { message: "missing ‘]’".into(), status: 2 });
    }
    super::test::answer(ctx, &args)
}
