//! `basename`: strips directory and suffix from names. GNU coreutils basename(1).

use crate::memory::format;
use crate::utility::prelude::*;

options! {
    enum Opt {
        Multiple = flag('a', "multiple", "support multiple arguments and treat each as a NAME"),
        Suffix = value('s', "suffix", "SUFFIX", "remove a trailing SUFFIX; implies -a"),
        Zero = flag('z', "zero", "end each output line with NUL, not newline"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "basename",
    summary: "print NAME with any leading directory components removed",
    usage: "basename NAME [SUFFIX]\nbasename OPTION... NAME...",
    options: Opt::TABLE,
    examples: &[example("basename /a/b.txt .txt", "b\n"), example("basename -s .h a/x.h y.h", "x\ny\n")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let end: &[u8] = if options.has(Opt::Zero) { b"\0" } else { b"\n" };
    let mut suffix = options.value(Opt::Suffix).cloned().unwrap_or_default();
    let names = if options.has_any([Opt::Multiple, Opt::Suffix]) {
        options.operands.as_slice()
    } else {
        if let Some(extra) = options.operands.get(2) {
            return Err(UtilityError::Usage(format!("extra operand {}", quote(extra))));
        }
        suffix = options.operands.get(1).cloned().unwrap_or_default();
        options.operands.get(..1).unwrap_or(&[])
    };
    if names.is_empty() {
        return Err(UtilityError::Usage("missing operand".into()));
    }
    for name in names {
        ctx.stdout.write(base_name(name, &suffix)).await?;
        ctx.stdout.write(end).await?;
    }
    Ok(ExitStatus::SUCCESS)
}

/// The last component of `name` without `suffix`, which is kept when it is all there is. POSIX XCU basename.
fn base_name<'n>(name: &'n [u8], suffix: &[u8]) -> &'n [u8] {
    let end = name.iter().rposition(|&byte| byte != b'/').map_or(0, |last| last + 1);
    let trimmed = name.get(..end).unwrap_or(name);
    if trimmed.is_empty() {
        return name.get(..1).unwrap_or(name);
    }
    let base = trimmed.rsplit(|&byte| byte == b'/').next().unwrap_or(trimmed);
    base.strip_suffix(suffix).filter(|rest| !rest.is_empty()).unwrap_or(base)
}

#[cfg(test)]
mod tests {
    use super::base_name;

    #[test]
    fn strips_directories_and_suffix() {
        let rows: [(&[u8], &[u8], &[u8]); 6] = [
            (b"/a/b.txt", b".txt", b"b"),
            (b"a/b/", b"", b"b"),
            (b"///", b"", b"/"),
            (b"", b"", b""),
            (b".txt", b".txt", b".txt"),
            (b"ab", b"b", b"a"),
        ];
        for (name, suffix, want) in rows {
            assert_eq!(base_name(name, suffix), want);
        }
    }
}
