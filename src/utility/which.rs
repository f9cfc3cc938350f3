//! `which`: finds commands in PATH. Debian's which(1).

use super::file::join;
use crate::memory::{JoinMetered, ToMetered, Vec, format, vec};
use crate::utility::prelude::*;

options! {
    enum Opt {
        All = flag('a', "", "print all matching pathnames of each argument"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "which",
    summary: "locate a command",
    usage: "which [-a] args",
    options: Opt::TABLE,
    examples: &[example("which -a no-such-command; echo $?", "1\n")],
    usage_status: 2,
    run: start!(run),
    ..Utility::BASE
};

/// Exit status: 0, or 1 when a command was not found, 2 for a wrong option.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    if let Some(letter) = wrong_option(&ctx.args) {
        ctx.stderr.push(format!("Illegal option -{letter}\n").as_bytes());
        ctx.stdout.write(b"Usage: /usr/bin/which [-a] args\n").await?;
        return Ok(ExitStatus(2));
    }
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let path = ctx.env.get(b"PATH").cloned().unwrap_or_default();
    let mut status = if options.operands.is_empty() { ExitStatus::FAILURE } else { ExitStatus::SUCCESS };
    for name in &options.operands {
        let mut found = false;
        let candidates: Vec<Vec<u8>> = if name.contains(&b'/') {
            vec![name.to_metered()]
        } else {
            let directory = |directory| if <[u8]>::is_empty(directory) { &b"."[..] } else { directory };
            path.split(|&byte| byte == b':').map(|part| join(directory(part), name)).collect()
        };
        for candidate in candidates {
            ctx.tick().await?;
            if is_executable(ctx, &candidate)? {
                ctx.stdout.write(&[candidate.as_slice(), b"\n"].concat_metered()).await?;
                found = true;
                if !options.has(Opt::All) {
                    break;
                }
            }
        }
        if !found {
            status = ExitStatus::FAILURE;
        }
    }
    Ok(status)
}

fn wrong_option(args: &[Text]) -> Option<char> {
    let cluster =
        args.iter().take_while(|arg| arg.len() > 1 && arg.starts_with(b"-") && arg.as_bytes() != b"--");
    let mut letters = cluster.flat_map(|arg| arg.iter().skip(1));
    letters.find(|&&byte| byte != b'a').map(|&byte| char::from(byte))
}

fn is_executable(ctx: &Context, path: &[u8]) -> Result<bool, UtilityError> {
    if path.is_empty() {
        return Ok(false);
    }
    let is_file = ctx.stat(path).is_ok_and(|metadata| metadata.is_regular());
    match ctx.fs().access(&ctx.absolute(path), false, false, true) {
        Ok(()) => Ok(is_file),
        Err(FsError::Errno(_)) => Ok(false),
        Err(FsError::Limit(limit)) => Err(limit.into()),
    }
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::Fixture;

    #[test]
    fn commands_are_found_in_path() {
        let mut fixture = Fixture::new(&[("bin/x", ""), ("b2/x", ""), ("b2/y", "")]);
        fixture.run("chmod", &["+x", "bin/x", "b2/x"], b"");
        fixture.env.set("PATH".into(), "/work/bin:/work/b2".into());
        assert_eq!(fixture.run("which", &["x"], b"").stdout, "/work/bin/x\n");
        assert_eq!(fixture.run("which", &["-a", "x"], b"").stdout, "/work/bin/x\n/work/b2/x\n");
        assert_eq!(fixture.run("which", &["y", "bin/x"], b"").status, 1);
        assert_eq!(fixture.run("which", &["-z"], b"").stderr, "Illegal option -z\n");
    }
}
