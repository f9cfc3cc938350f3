//! `uname`: prints system information: fixed values, and the session's host name. GNU coreutils uname(1).

use super::quote::quote;
use crate::memory::{JoinText, ToMeteredString, Vec, format};
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "uname",
    summary: "print certain system information",
    usage: "uname [OPTION]...",
    options: &[
        flag('a', "all", "print all information, except omit -p and -i if unknown"),
        flag('s', "kernel-name", "print the kernel name"),
        flag('n', "nodename", "print the network node hostname"),
        flag('r', "kernel-release", "print the kernel release"),
        flag('v', "kernel-version", "print the kernel version"),
        flag('m', "machine", "print the machine hardware name"),
        flag('p', "processor", "print the processor type (non-portable)"),
        flag('i', "hardware-platform", "print the hardware platform (non-portable)"),
        flag('o', "operating-system", "print the operating system"),
    ],
    examples: &[example("uname", "Linux\n"), example("uname -m", "x86_64\n")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options(&UTILITY)?;
    if let Some(extra) = options.operands.first() {
        return Err(UtilityError::Usage(format!("extra operand {}", quote(extra))));
    }
    let host = ctx.session.identity.host.to_metered_string();
    let rows = [
        ("s", "Linux"),
        ("n", host.as_str()),
        ("r", "6.1.0"),
        ("v", "#1 SMP PREEMPT_DYNAMIC"),
        ("m", "x86_64"),
        ("p", "unknown"),
        ("i", "unknown"),
        ("o", "GNU/Linux"),
    ];
    let all = options.has("a");
    let none = options.given().next().is_none();
    let chosen: Vec<&str> = rows
        .iter()
        .filter(|(name, value)| options.has(name) || (all && *value != "unknown") || (none && *name == "s"))
        .map(|(_, value)| *value)
        .collect();
    ctx.stdout.write(format!("{}\n", chosen.join_text(" ")).as_bytes()).await?;
    Ok(ExitStatus::SUCCESS)
}

#[cfg(test)]
mod tests {
    use crate::utility::testing::run;

    #[test]
    fn values_come_in_a_fixed_order() {
        assert_eq!(run("uname", &["-ms"], b"", &[]).stdout, "Linux x86_64\n");
        assert_eq!(
            run("uname", &["-a"], b"", &[]).stdout,
            "Linux hookbox 6.1.0 #1 SMP PREEMPT_DYNAMIC x86_64 GNU/Linux\n"
        );
    }
}
