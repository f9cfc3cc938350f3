//! `expand`: converts tabs to spaces. GNU coreutils expand(1); like it, a column is a byte.

use super::format::tab_stops::TabStops;
use crate::utility::prelude::*;

options! {
    enum Opt {
        Initial = flag('i', "initial", "do not convert tabs after non blanks"),
        Tabs = value('t', "tabs", "LIST", "tab positions: N apart, or a list; the last may be /N or +N")
            | number("NUM", "the same as -t NUM"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "expand",
    summary: "convert tabs in each FILE to spaces",
    usage: "expand [OPTION]... [FILE]...",
    options: Opt::TABLE,
    examples: &[example("printf 'a\\tb\\n' | expand -t 4", "a   b\n")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    super::format::tab_stops::separate_lists(&mut ctx.args);
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let stops = TabStops::parse(options.values(Opt::Tabs))?;
    let mut status = ExitStatus::SUCCESS;
    for operand in ctx.inputs(&options.operands) {
        if let Err(error) = expand_operand(ctx, &stops, options.has(Opt::Initial), &operand).await {
            let errno = error.errno()?;
            status = ctx.warn(format_args!("{}: {}", quote_operand(&operand), errno.message()));
        }
    }
    Ok(status)
}

async fn expand_operand(
    ctx: &mut Context,
    stops: &TabStops,
    initial: bool,
    operand: &[u8],
) -> Result<(), OperandError> {
    let mut input = ctx.open_input(operand)?;
    let (mut column, mut converts) = (0_u64, true);
    loop {
        ctx.check().await?;
        let block = input.fill().await?;
        if block.is_empty() {
            return Ok(());
        }
        for &byte in block {
            match byte {
                b'\t' if converts => {
                    let next = stops.next(column).unwrap_or(column + 1);
                    // Far stops are reached in steps, so that the buffer stays small.
                    while column < next {
                        let step = (next - column).min(1024);
                        ctx.stdout.write([b' '; 1024].get(..step as usize).unwrap_or(b" ")).await?;
                        column += step;
                        ctx.tick().await?;
                    }
                    continue;
                }
                b'\n' => (column, converts) = (0, true),
                0x08 => column = column.saturating_sub(1),
                _ => column += 1,
            }
            converts = converts && (!initial || byte == b'\n' || byte == b' ' || byte == b'\t');
            ctx.stdout.push(&[byte]);
            ctx.stdout.flush_if_full().await?;
            ctx.tick_many(1);
        }
        let count = block.len();
        input.consume(count);
    }
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::run;

    #[test]
    fn tabs_become_spaces() {
        for (args, want) in [
            (&[][..], "        a       b\n"),
            (&["-t4"], "    a   b\n"),
            (&["-i"], "        a\tb\n"),
            (&["-t", "1,5"], " a   b\n"),
            (&["-t", "2,+3"], "  a  b\n"),
        ] {
            assert_eq!(run("expand", args, b"\ta\tb\n", &[]).stdout, want, "{args:?}");
        }
    }
}
