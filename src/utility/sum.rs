//! `sum`: prints the checksums of BSD and System V. GNU coreutils sum(1).

use super::cksum::print_sums;
use super::digest::Sum;
use crate::utility::prelude::*;

options! {
    enum Opt {
        Bsd = flag('r', "", "use BSD sum algorithm (the default), use 1K blocks"),
        SystemV = flag('s', "sysv", "use System V sum algorithm, use 512 bytes blocks"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "sum",
    summary: "print checksums and block counts of files",
    usage: "sum [OPTION]... [FILE]...",
    options: Opt::TABLE,
    examples: &[example("printf abc | sum", "16556     1\n")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let is_system_v = options.last_of([Opt::Bsd, Opt::SystemV]) == Some(Opt::SystemV);
    let sum = if is_system_v { Sum::SystemV(0) } else { Sum::Bsd(0) };
    print_sums(ctx, &options.operands, b"\n", sum).await
}
