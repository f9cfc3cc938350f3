//! `chgrp`: changes the group. POSIX XCU chgrp, GNU coreutils chgrp(1).

use super::file::ownership::Ownership;
use super::format::quote::{quote, quote_name};
use crate::memory::format;
use crate::utility::prelude::*;

options! {
    enum Opt {
        Changes = flag('c', "changes", "like verbose but report only when a change is made"),
        Silent = flag('f', "silent", "suppress most error messages") | flag('\0', "quiet", "as -f"),
        Verbose = flag('v', "verbose", "output a diagnostic for every file processed"),
        NoDereference = flag('h', "no-dereference", "affect symbolic links instead of any referenced file"),
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
    let mut ownership = Ownership {
        is_group_only: true,
        follow: !options.has(Opt::NoDereference),
        recursive: options.has(Opt::Recursive),
        silent: options.has(Opt::Silent),
        verbose: options.has(Opt::Verbose),
        changes: options.has(Opt::Changes),
        ..Ownership::default()
    };
    let mut operands = options.operands.as_slice();
    if let Some(reference) = options.value(Opt::Reference) {
        let metadata = ctx.stat(reference).map_err(|error| {
            UtilityError::operand(
                format!("failed to get attributes of {}", quote_name(reference)).as_bytes(),
                error,
            )
        })?;
        ownership.group = Some(metadata.gid);
        if operands.is_empty() {
            return Err(UtilityError::Usage("missing operand".into()));
        }
    } else {
        let Some((group, files)) = operands.split_first() else {
            return Err(UtilityError::Usage("missing operand".into()));
        };
        if files.is_empty() {
            return Err(UtilityError::Usage(format!("missing operand after {}", quote(group))));
        }
        let name = group.strip_prefix(b"+").unwrap_or(group);
        if !name.is_empty() {
            let known = ctx.group_id(name);
            let known =
                known.ok_or_else(|| UtilityError::failed(format!("invalid group: {}", quote(group))))?;
            ownership.group = Some(known);
        }
        operands = files;
    }
    for operand in operands {
        ctx.tick().await?;
        ownership.operand(ctx, operand).await?;
    }
    Ok(ownership.status)
}
