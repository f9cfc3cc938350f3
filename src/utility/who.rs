//! `who`: prints who is logged in: nobody. GNU coreutils who(1).

use super::format::quote::quote;
use super::users::no_records;
use crate::memory::format;
use crate::utility::prelude::*;

options! {
    enum Opt {
        All = flag('a', "all", "same as -b -d --login -p -r -t -T -u"),
        Boot = flag('b', "boot", "time of last system boot"),
        Dead = flag('d', "dead", "print dead processes"),
        Heading = flag('H', "heading", "print line of column headings"),
        Ips = flag('\0', "ips", "print ips instead of hostnames"),
        Login = flag('l', "login", "print system login processes"),
        Lookup = flag('\0', "lookup", "attempt to canonicalize hostnames via DNS"),
        Own = flag('m', "", "only hostname and user associated with stdin"),
        Process = flag('p', "process", "print active processes spawned by init"),
        Count = flag('q', "count", "all login names and number of users logged on"),
        Runlevel = flag('r', "runlevel", "print current runlevel"),
        Short = flag('s', "short", "print only name, line, and time (default)"),
        Time = flag('t', "time", "print last system clock change"),
        Mesg = flag('T', "mesg", "add user's message status as +, - or ?")
            | flag('w', "", "same as -T")
            | flag('\0', "message", "same as -T")
            | flag('\0', "writable", "same as -T"),
        Users = flag('u', "users", "list users logged in"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "who",
    summary: "print information about users who are currently logged in",
    usage: "who [OPTION]... [ FILE | ARG1 ARG2 ]",
    options: Opt::TABLE,
    examples: &[example("who -q", "\n# users=0\n")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    if let Some(extra) = options.operands.get(2) {
        return Err(UtilityError::Usage(format!("extra operand {}", quote(extra))));
    }
    if let [file] = options.operands.as_slice() {
        no_records(ctx, file).await?;
    }
    if options.has(Opt::Count) {
        ctx.stdout.write(b"\n# users=0\n").await?;
        return Ok(ExitStatus::SUCCESS);
    }
    if options.has(Opt::Heading) {
        let all = options.has(Opt::All);
        let has = |list: &[Opt]| all || list.iter().any(|option| options.has(*option));
        let has_idle = has(&[Opt::Users, Opt::Login, Opt::Dead, Opt::Runlevel]);
        let is_long = has_idle || has(&[Opt::Boot, Opt::Process, Opt::Time]);
        let name: &[u8] = if has(&[Opt::Mesg]) { b"NAME       " } else { b"NAME     " };
        ctx.stdout.push(name);
        ctx.stdout.push(b"LINE         TIME            ");
        // Statuses are told with all that is about a process.
        if is_long && (has(&[Opt::Dead]) || !options.has(Opt::Short)) {
            let idle: &[u8] = if has_idle { b" IDLE  " } else { b"" };
            ctx.stdout.push(idle);
            ctx.stdout.push(b"        PID");
        }
        ctx.stdout.push(b" COMMENT");
        if has(&[Opt::Dead]) {
            ctx.stdout.push(b"  EXIT");
        }
        ctx.stdout.write(b"\n").await?;
    }
    Ok(ExitStatus::SUCCESS)
}
