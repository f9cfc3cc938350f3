//! `hostname`: prints the session's host name, which cannot be set. Debian's hostname(1).

use crate::memory::JoinMetered;
use crate::utility::prelude::*;

options! {
    enum Opt {
        Fqdn = flag('f', "fqdn", "long host name") | flag('\0', "long", "long host name"),
        Short = flag('s', "short", "short host name"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "hostname",
    summary: "show the system's host name",
    usage: "hostname [-f|-s]",
    options: Opt::TABLE,
    examples: &[example("hostname", "hookbox\n")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    if !options.operands.is_empty() {
        return Err(UtilityError::failed("you must be root to change the host name"));
    }
    let host = ctx.session.identity.host.clone();
    let mut shown = host.as_bytes();
    if options.has(Opt::Short) {
        shown = shown.split(|&byte| byte == b'.').next().unwrap_or(shown);
    }
    ctx.stdout.write(&[shown, b"\n"].concat_metered()).await?;
    Ok(ExitStatus::SUCCESS)
}
