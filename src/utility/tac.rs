//! `tac`: prints lines in reverse order. GNU coreutils tac(1).

use crate::memory::Vec;
use crate::utility::prelude::*;

options! {
    enum Opt {
        Before = flag('b', "before", "attach the separator before instead of after"),
        Separator = value('s', "separator", "STRING", "use STRING as the separator instead of newline"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "tac",
    summary: "write each FILE to standard output, last line first",
    usage: "tac [OPTION]... [FILE]...",
    options: Opt::TABLE,
    examples: &[example("seq 3 | tac", "3\n2\n1\n")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let before = options.has(Opt::Before);
    let separator = match options.value(Opt::Separator).map(Text::as_bytes) {
        None => b"\n",
        Some([]) => b"\0".as_slice(),
        Some(separator) => separator,
    };
    let mut status = ExitStatus::SUCCESS;
    for operand in ctx.inputs(&options.operands) {
        let input = match ctx.open_input(&operand) {
            Ok(input) => input,
            Err(error) => {
                let (errno, name) = (OperandError::from(error).errno()?, quote_name(&operand));
                status = ctx.warn(format_args!("failed to open {name} for reading: {}", errno.message()));
                continue;
            }
        };
        if let Err(error) = reverse(ctx, input, separator, before).await {
            let errno = match error.errno()? {
                Errno::IsDirectory => Errno::Invalid,
                errno => errno,
            };
            status = ctx.warn(format_args!("{}: read error: {}", quote_input(&operand), errno.message()));
        }
    }
    Ok(status)
}

async fn reverse(
    ctx: &mut Context,
    mut input: Input,
    separator: &[u8],
    before: bool,
) -> Result<(), OperandError> {
    let mut text = Vec::new();
    loop {
        ctx.check().await?;
        let block = input.fill().await?;
        if block.is_empty() {
            break;
        }
        text.extend_from_slice(block);
        let count = block.len();
        input.consume(count);
    }
    let finder = memchr::memmem::FinderRev::new(separator);
    // `end`: where the record that is looked for ends; `from`: where the next separator has to end at the latest.
    let (mut end, mut from) = (text.len(), text.len());
    if !before && text.ends_with(separator) {
        from -= separator.len();
    }
    while let Some(at) = finder.rfind(text.get(..from).unwrap_or(&[])) {
        let start = if before { at } else { at + separator.len() };
        ctx.stdout.write(text.get(start..end).unwrap_or(&[])).await?;
        (end, from) = (start, at);
        ctx.tick_many((end.saturating_sub(from) / 64) as u32);
        ctx.tick().await?;
    }
    ctx.stdout.write(text.get(..end).unwrap_or(&[])).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::run;

    #[test]
    fn records_come_last_first() {
        for (args, input, want) in [
            (&[][..], "a\nb\nc\n", "c\nb\na\n"),
            (&[], "a\nb", "ba\n"),
            (&["-b"], "\na\nb", "\nb\na"),
            (&["-s:"], "a:b:c", "cb:a:"),
            (&["-s", "--"], "a--b--", "b--a--"),
            (&[], "", ""),
        ] {
            assert_eq!(run("tac", args, input.as_bytes(), &[]).stdout, want, "{args:?}");
        }
    }
}
