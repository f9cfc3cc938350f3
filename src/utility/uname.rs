//! `uname`: prints system information: fixed values, and the session's host name. GNU coreutils uname(1).

use super::format::quote::quote;
use crate::memory::{JoinText, ToMeteredString, Vec, format};
use crate::utility::prelude::*;

options! {
    enum Opt {
        All = flag('a', "all", "print all information, except omit -p and -i if unknown"),
        KernelName = flag('s', "kernel-name", "print the kernel name"),
        Nodename = flag('n', "nodename", "print the network node hostname"),
        KernelRelease = flag('r', "kernel-release", "print the kernel release"),
        KernelVersion = flag('v', "kernel-version", "print the kernel version"),
        Machine = flag('m', "machine", "print the machine hardware name"),
        Processor = flag('p', "processor", "print the processor type (non-portable)"),
        HardwarePlatform = flag('i', "hardware-platform", "print the hardware platform (non-portable)"),
        OperatingSystem = flag('o', "operating-system", "print the operating system"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "uname",
    summary: "print certain system information",
    usage: "uname [OPTION]...",
    options: Opt::TABLE,
    examples: &[example("uname", "Linux\n"), example("uname -m", "x86_64\n")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    if let Some(extra) = options.operands.first() {
        return Err(UtilityError::Usage(format!("extra operand {}", quote(extra))));
    }
    let host = ctx.session.identity.host.to_metered_string();
    let rows = [
        (Opt::KernelName, "Linux"),
        (Opt::Nodename, host.as_str()),
        (Opt::KernelRelease, "6.1.0"),
        (Opt::KernelVersion, "#1 SMP PREEMPT_DYNAMIC"),
        (Opt::Machine, "x86_64"),
        (Opt::Processor, "unknown"),
        (Opt::HardwarePlatform, "unknown"),
        (Opt::OperatingSystem, "GNU/Linux"),
    ];
    let all = options.has(Opt::All);
    let none = options.given().next().is_none();
    let chosen: Vec<&str> = rows
        .iter()
        .filter(|(option, value)| {
            options.has(*option) || (all && *value != "unknown") || (none && *option == Opt::KernelName)
        })
        .map(|(_, value)| *value)
        .collect();
    ctx.stdout.write(format!("{}\n", chosen.join_text(" ")).as_bytes()).await?;
    Ok(ExitStatus::SUCCESS)
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::run;

    #[test]
    fn values_come_in_a_fixed_order() {
        assert_eq!(run("uname", &["-ms"], b"", &[]).stdout, "Linux x86_64\n");
        assert_eq!(
            run("uname", &["-a"], b"", &[]).stdout,
            "Linux hookbox 6.1.0 #1 SMP PREEMPT_DYNAMIC x86_64 GNU/Linux\n"
        );
    }
}
