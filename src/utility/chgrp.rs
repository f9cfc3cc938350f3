//! `chgrp`: changes the group. POSIX XCU chgrp, GNU coreutils chgrp(1).

use super::file::ownership::{Ids, Ownership, OwnershipOpt};
use crate::memory::{String, format};
use crate::utility::prelude::*;

options! {
    enum Opt {
        Ownership(OwnershipOpt),
        Reference = value(
            '\0',
            "reference",
            "RFILE",
            "use RFILE's group rather than specifying a GROUP value",
        ),
        Recursive = flag('R', "recursive", "operate on files and directories recursively"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "chgrp",
    summary: "change the group of each FILE to GROUP",
    usage: "chgrp [OPTION]... GROUP FILE...\nchgrp [OPTION]... --reference=RFILE FILE...",
    options: Opt::TABLE,
    examples: &[example("touch f; chgrp agent f; stat -c %G f", "agent\n")],
    run: start!(run),
    ..Utility::BASE
};

/// Exit status: 0, or 1 when a group could not be changed (the others still are).
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let ownership = Ownership::of(&options, options.has(Opt::Recursive), true)?;
    ownership.run(ctx, &options.operands, options.value(Opt::Reference), parse).await
}

/// `GROUP`, by its name or number; nothing stays as it is.
fn parse(ctx: &Context, text: &[u8]) -> Result<Ids, UtilityError> {
    let name = text.strip_prefix(b"+").unwrap_or(text);
    if name.is_empty() {
        return Ok(Ids::default());
    }
    let invalid = || UtilityError::failed(format!("invalid group: {}", quote(text)));
    let gid = ctx.group_id(name).ok_or_else(invalid)?;
    Ok(Ids { user: None, group: Some((String::from_utf8_lossy(text), gid)) })
}
