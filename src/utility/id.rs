//! `id`: prints user and group ids. POSIX XCU id, GNU coreutils id(1). A user has one group.

use super::format::quote::quote;
use crate::memory::{ToDecimal, ToMeteredString, Vec, format};
use crate::utility::prelude::*;

options! {
    enum Opt {
        All = flag('a', "", "ignored, for compatibility with other versions"),
        Context = flag('Z', "context", "refused: a session has no security contexts"),
        Group = flag('g', "group", "print only the effective group ID"),
        Groups = flag('G', "groups", "print all group IDs"),
        Name = flag('n', "name", "print a name instead of a number, for -ugG"),
        Real = flag('r', "real", "print the real ID instead of the effective ID, with -ugG"),
        User = flag('u', "user", "print only the effective user ID"),
        Zero = flag('z', "zero", "delimit entries with NUL characters, not whitespace"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "id",
    summary: "print user and group information for each specified USER, or the current user",
    usage: "id [OPTION]... [USER]...",
    options: Opt::TABLE,
    examples: &[example("id -un", "agent\n")],
    run: start!(run),
    ..Utility::BASE
};

/// Exit status: 0, or 1 when a user is not known.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    if options.has(Opt::Context) {
        return Err(UtilityError::failed("--context (-Z) works only on an SELinux-enabled kernel"));
    }
    let choices = [Opt::User, Opt::Group, Opt::Groups];
    let chosen: Vec<Opt> = choices.into_iter().filter(|choice| options.has(*choice)).collect();
    let named = options.has(Opt::Name);
    if chosen.len() > 1 {
        return Err(UtilityError::failed("cannot print \"only\" of more than one choice"));
    }
    if chosen.is_empty() && (named || options.has(Opt::Real)) {
        return Err(UtilityError::failed("cannot print only names or real IDs in default format"));
    }
    if chosen.is_empty() && options.has(Opt::Zero) {
        return Err(UtilityError::failed("option --zero not permitted in default format"));
    }
    let identity = ctx.session.identity.clone();
    let mut users = Vec::new();
    let mut status = ExitStatus::SUCCESS;
    for operand in &options.operands {
        match ctx.user_id(operand).filter(|&uid| ctx.user_name(uid).is_some()) {
            Some(uid) => users.push((uid, if uid == identity.uid { identity.gid } else { uid })),
            None => status = ctx.warn(format_args!("{}: no such user", quote(operand))),
        }
    }
    if options.operands.is_empty() {
        users.push((identity.uid, identity.gid));
    }
    let end = if options.has(Opt::Zero) { '\0' } else { '\n' };
    for (uid, gid) in users {
        let show = |id: u32, name: Option<Text>| match name.filter(|_| named) {
            Some(name) => name.to_metered_string(),
            None => id.to_decimal(),
        };
        let line = match chosen.first() {
            Some(Opt::User) => show(uid, ctx.user_name(uid)),
            Some(_) => show(gid, ctx.group_name(gid)),
            None => {
                let with = |id: u32, name: Option<Text>| match name {
                    Some(name) => format!("{id}({name})"),
                    None => id.to_decimal(),
                };
                let group = with(gid, ctx.group_name(gid));
                format!("uid={} gid={group} groups={group}", with(uid, ctx.user_name(uid)))
            }
        };
        ctx.stdout.write(format!("{line}{end}").as_bytes()).await?;
    }
    Ok(status)
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::run;

    #[test]
    fn ids_and_names() {
        assert_eq!(run("id", &[], b"", &[]).stdout, "uid=1000(agent) gid=1000(agent) groups=1000(agent)\n");
        assert_eq!(run("id", &["-un"], b"", &[]).stdout, "agent\n");
        assert_eq!(run("id", &["-u", "root"], b"", &[]).stdout, "0\n");
        let outcome = run("id", &["nope"], b"", &[]);
        assert_eq!((outcome.stderr.as_str(), outcome.status), ("id: ‘nope’: no such user\n", 1));
    }
}
