//! `groups`: prints the groups that a user is in. GNU coreutils groups(1). A user has one group.

use super::format::quote::quote;
use crate::memory::{ToDecimal, ToMeteredString, format};
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "groups",
    summary: "print group memberships for each USERNAME, or for the current process",
    usage: "groups [OPTION]... [USERNAME]...",
    examples: &[example("groups", "agent\n")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<NoOption>(&UTILITY)?;
    let identity = ctx.session.identity.clone();
    let group = |ctx: &Context, gid: u32| match ctx.group_name(gid) {
        Some(name) => name.to_metered_string(),
        None => gid.to_decimal(),
    };
    if options.operands.is_empty() {
        let line = format!("{}\n", group(ctx, identity.gid));
        ctx.stdout.write(line.as_bytes()).await?;
    }
    let mut status = ExitStatus::SUCCESS;
    for name in &options.operands {
        match ctx.user_id(name).filter(|&uid| ctx.user_name(uid).as_ref() == Some(name)) {
            Some(uid) => {
                let gid = if uid == identity.uid { identity.gid } else { uid };
                let line = format!("{name} : {}\n", group(ctx, gid));
                ctx.stdout.write(line.as_bytes()).await?;
            }
            None => status = ctx.warn(format_args!("{}: no such user", quote(name))),
        }
    }
    Ok(status)
}
