//! `dirname`: strips the last component from names. GNU coreutils dirname(1).

use crate::utility::prelude::*;

options! {
    enum Opt {
        Zero = flag('z', "zero", "end each output line with NUL, not newline"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "dirname",
    summary: "print each NAME with its last non-slash component and trailing slashes removed",
    usage: "dirname [OPTION] NAME...",
    options: Opt::TABLE,
    examples: &[example("dirname /usr/bin/ x", "/usr\n.\n")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let end: &[u8] = if options.has(Opt::Zero) { b"\0" } else { b"\n" };
    if options.operands.is_empty() {
        return Err(UtilityError::Usage("missing operand".into()));
    }
    for name in &options.operands {
        ctx.stdout.write(directory_name(name)).await?;
        ctx.stdout.write(end).await?;
    }
    Ok(ExitStatus::SUCCESS)
}

/// POSIX XCU dirname.
fn directory_name(name: &[u8]) -> &[u8] {
    let trim = |text: &[u8]| text.iter().rposition(|&byte| byte != b'/').map_or(0, |last| last + 1);
    let name_end = trim(name);
    let Some(slash) = name.get(..name_end).and_then(|text| memchr::memrchr(b'/', text)) else {
        return if name_end == 0 && !name.is_empty() { b"/" } else { b"." };
    };
    match name.get(..slash).map(trim) {
        Some(0) | None => b"/",
        Some(end) => name.get(..end).unwrap_or(name),
    }
}

#[cfg(test)]
mod tests {
    use super::directory_name;

    #[test]
    fn strips_the_last_component() {
        let rows: [(&[u8], &[u8]); 6] = [
            (b"/usr/bin/", b"/usr"),
            (b"x", b"."),
            (b"/x", b"/"),
            (b"//", b"/"),
            (b"a//b", b"a"),
            (b"", b"."),
        ];
        for (name, want) in rows {
            assert_eq!(directory_name(name), want);
        }
    }
}
