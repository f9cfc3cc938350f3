//! `df`: the space of the session's file system. POSIX XCU df, GNU coreutils df(1).

use super::format::human_size::human_size;
use super::format::quote::quote_if_needed;
use crate::memory::{ToDecimal, format};
use crate::utility::prelude::*;
use std::fmt::Write as _;

options! {
    enum Opt {
        HumanReadable = flag('h', "human-readable", "print sizes in powers of 1024 (e.g., 1023M)"),
        Si = flag('H', "si", "print sizes in powers of 1000 (e.g., 1.1G)"),
        Kibibytes = flag('k', "", "print sizes in units of 1024 bytes"),
        Portability = flag('P', "portability", "use the POSIX output format"),
        PrintType = flag('T', "print-type", "print file system type"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "df",
    summary: "show information about the file system on which each FILE resides",
    usage: "df [OPTION]... [FILE]...",
    options: Opt::TABLE,
    examples: &[example("df -P . | wc -l", "2\n")],
    run: start!(run),
    ..Utility::BASE
};

/// Exit status: 0, or 1 when an operand does not exist.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let mut status = ExitStatus::SUCCESS;
    let mut rows = u32::from(options.operands.is_empty());
    for operand in &options.operands {
        ctx.tick().await?;
        match ctx.stat(operand) {
            Ok(_) => rows += 1,
            Err(error) => status = ctx.complain(quote_if_needed(operand), error)?,
        }
    }
    if rows == 0 {
        return Ok(status);
    }
    let (limits, usage) = (ctx.meter.limits(), ctx.fs().usage());
    let total = limits.file_system_bytes;
    let used = usage.bytes.min(total);
    // Names, inodes and folders take room, too.
    let free = total.saturating_sub(usage.memory);
    let human = match options.last_of([Opt::HumanReadable, Opt::Si, Opt::Kibibytes]) {
        Some(Opt::HumanReadable) => Some(1024),
        Some(Opt::Si) => Some(1000),
        _ => None,
    };
    let size =
        |bytes: u64| human.map_or_else(|| bytes.div_ceil(1024).to_decimal(), |base| human_size(bytes, base));
    let percent = (u128::from(used) * 100).div_ceil(u128::from(total.max(1)));
    let (blocks, share) = match (options.has(Opt::Portability), human) {
        (true, None) => ("1024-blocks", "Capacity"),
        (_, Some(_)) => ("Size", "Use%"),
        _ => ("1K-blocks", "Use%"),
    };
    let available = if human.is_some() { "Avail" } else { "Available" };
    let kinds = options.has(Opt::PrintType).then_some(("Type", "tmpfs"));
    let fields = [
        (blocks, size(total)),
        ("Used", size(used)),
        (available, size(free)),
        (share, format!("{percent}%")),
    ];
    let (mut heading, mut line) = (format!("{:<14}", "Filesystem"), format!("{:<14}", "tmpfs"));
    if let Some((name, kind)) = kinds {
        let _ = write!(heading, " {name:<5}");
        let _ = write!(line, " {kind:<5}");
    }
    for (name, value) in fields {
        let least = if name == "Used" || name == "Size" || name == "Avail" { 5 } else { 0 };
        let width = name.len().max(value.len()).max(least);
        let _ = write!(heading, " {name:>width$}");
        let _ = write!(line, " {value:>width$}");
    }
    let heading = format!("{heading} Mounted on\n");
    ctx.stdout.write(heading.as_bytes()).await?;
    for _ in 0..rows {
        ctx.stdout.write(format!("{line} /\n").as_bytes()).await?;
    }
    Ok(status)
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::run;

    #[test]
    fn one_file_system() {
        let outcome = run("df", &["-h"], b"", &[]);
        assert_eq!(
            outcome.stdout,
            "Filesystem      Size  Used Avail Use% Mounted on\ntmpfs           256M     0  256M   0% /\n"
        );
        assert_eq!(run("df", &["nope"], b"", &[]).stderr, "df: nope: No such file or directory\n");
    }
}
