//! `chown`: changes owner and group. POSIX XCU chown, GNU coreutils chown(1). Only root may give files away.

use super::file::ownership::{Ids, Ownership, OwnershipOpt, group_name};
use crate::memory::{String, ToMetered, format};
use crate::utility::prelude::*;

options! {
    enum Opt {
        Ownership(OwnershipOpt),
        From = value(
            '\0',
            "from",
            "CURRENT_OWNER:CURRENT_GROUP",
            "change the ownership of a file only if its current owner and/or group match",
        ),
        Reference = value(
            '\0',
            "reference",
            "RFILE",
            "use RFILE's owner and group rather than specifying OWNER:GROUP values",
        ),
        Recursive = flag('R', "recursive", "operate on files and directories recursively"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "chown",
    summary: "change the owner and/or group of each FILE to OWNER and/or GROUP",
    usage: "chown [OPTION]... [OWNER][:[GROUP]] FILE...\nchown [OPTION]... --reference=RFILE FILE...",
    options: Opt::TABLE,
    examples: &[example("touch f; chown -v agent f", "ownership of 'f' retained as agent\n")],
    run: start!(run),
    ..Utility::BASE
};

/// Exit status: 0, or 1 when an owner could not be changed (the others still are).
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let mut ownership = Ownership::of(&options, options.has(Opt::Recursive), false)?;
    if let Some(from) = options.value(Opt::From) {
        ownership.require(&parse(ctx, from)?);
    }
    ownership.run(ctx, &options.operands, options.value(Opt::Reference), parse).await
}

/// `OWNER`, `OWNER:GROUP`, `OWNER:` (its login group), `:GROUP`.
fn parse(ctx: &Context, text: &[u8]) -> Result<Ids, UtilityError> {
    let (user, group) = match text.iter().position(|&byte| byte == b':') {
        Some(colon) => (text.get(..colon).unwrap_or(text), text.get(colon + 1..)),
        None => (text, None),
    };
    let invalid = |kind: &str| UtilityError::failed(format!("invalid {kind}: {}", quote(text)));
    let number = |name: &[u8]| name.strip_prefix(b"+").map(<[u8]>::to_metered);
    let shown = |name: &[u8]| String::from_utf8_lossy(name);
    let user = match user {
        b"" => None,
        name => {
            let uid = ctx.user_id(number(name).as_deref().unwrap_or(name)).ok_or_else(|| invalid("user"))?;
            Some((shown(name), uid))
        }
    };
    let group = match group {
        None => None,
        Some(b"") => user.as_ref().map(|(_, uid)| {
            let identity = &ctx.session.identity;
            let gid = if *uid == identity.uid { identity.gid } else { *uid };
            (group_name(ctx, gid), gid)
        }),
        Some(name) => {
            let gid =
                ctx.group_id(number(name).as_deref().unwrap_or(name)).ok_or_else(|| invalid("group"))?;
            Some((shown(name), gid))
        }
    };
    Ok(Ids { user, group })
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::Fixture;

    #[test]
    fn owners_and_groups() {
        let fixture = Fixture::new(&[("f", ""), ("d/x", "")]);
        let rows: [(&[&str], &str); 5] = [
            (&["-v", "agent:agent", "f"], "changed ownership of 'f' from root:root to agent:agent\n"),
            (&["-v", "agent", "f"], "ownership of 'f' retained as agent\n"),
            (&["-c", "root", "f"], "changed ownership of 'f' from agent to root\n"),
            (
                &["-Rv", "5", "d"],
                "changed ownership of 'd/x' from root to 5\nchanged ownership of 'd' from root to 5\n",
            ),
            (&["-v", ":", "f"], "ownership of 'f' retained\n"),
        ];
        for (args, want) in rows {
            let outcome = fixture.run("chown", args, b"");
            assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), (want, ""), "{args:?}");
        }
        assert_eq!(fixture.run("chown", &["zork:x", "f"], b"").stderr, "chown: invalid user: ‘zork:x’\n");
        assert_eq!(fixture.run("chown", &[":zork", "f"], b"").stderr, "chown: invalid group: ‘:zork’\n");
        assert_eq!(
            fixture.run("chgrp", &["-v", "agent", "d"], b"").stdout,
            "changed group of 'd' from root to agent\n"
        );
    }
}
