//! `unexpand`: converts blanks to tabs. GNU coreutils unexpand(1); like it, a column is a byte.
//!
//! Spaces wait until it is known whether they reach a tab stop. A single space right before a stop stays one, unless more
//! blanks follow it.

use super::format::tab_stops::TabStops;
use crate::memory::Vec;
use crate::utility::prelude::*;

options! {
    enum Opt {
        All = flag('a', "all", "convert all blanks, instead of just initial blanks"),
        FirstOnly = flag('\0', "first-only", "convert only leading sequences of blanks (overrides -a)"),
        Tabs = value(
            't',
            "tabs",
            "LIST",
            "tab positions: N apart, or a list; the last may be /N or +N; enables -a",
        ),
        Digits = number("NUM", "tab positions as -t NUM, without -a"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "unexpand",
    summary: "convert blanks in each FILE to tabs",
    usage: "unexpand [OPTION]... [FILE]...",
    options: Opt::TABLE,
    examples: &[example("printf '        a   b\\n' | unexpand -t 4 | tr '\\t' T", "TTaTb\n")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    super::format::tab_stops::separate_lists(&mut ctx.args);
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    // The last number of `-NUM` is taken when all options were read.
    let is_list = |option: Opt| matches!(option, Opt::Tabs | Opt::Digits);
    let mut lists: Vec<(Opt, &Text)> = options
        .given()
        .filter_map(|(option, list)| list.filter(|_| is_list(option)).map(|list| (option, list)))
        .collect();
    if let Some(at) = lists.iter().rposition(|(option, _)| *option == Opt::Digits) {
        let last = lists.remove(at);
        lists.push(last);
    }
    let stops = TabStops::parse(lists.into_iter().map(|(_, list)| list))?;
    let whole = (options.has(Opt::All) || options.has(Opt::Tabs)) && !options.has(Opt::FirstOnly);
    let mut line = Line::new(stops, whole);
    let mut status = ExitStatus::SUCCESS;
    for operand in ctx.inputs(&options.operands) {
        if let Err(error) = unexpand_operand(ctx, &mut line, &operand).await {
            let errno = error.errno()?;
            status = ctx.warn(format_args!("{}: {}", quote_operand(&operand), errno.message()));
        }
    }
    line.release(ctx).await?;
    Ok(status)
}

async fn unexpand_operand(ctx: &mut Context, line: &mut Line, operand: &[u8]) -> Result<(), OperandError> {
    let mut input = ctx.open_input(operand)?;
    loop {
        ctx.check().await?;
        let block = input.fill().await?;
        if block.is_empty() {
            return Ok(());
        }
        for &byte in block {
            ctx.tick_many(1);
            line.take(ctx, byte).await?;
        }
        let count = block.len();
        input.consume(count);
    }
}

/// The line at hand; it goes on in the next file where one does not end in a newline.
struct Line {
    stops: TabStops,
    /// Blanks after the first other byte are converted too.
    whole: bool,
    converts: bool,
    column: u64,
    /// Spaces that are not written yet; the first of them may have become a tab.
    spaces: u64,
    starts_with_tab: bool,
    /// The first of them is right before a tab stop.
    space_before_stop: bool,
    blank_before: bool,
}

impl Line {
    const fn new(stops: TabStops, whole: bool) -> Self {
        Self {
            stops,
            whole,
            converts: true,
            column: 0,
            spaces: 0,
            starts_with_tab: false,
            space_before_stop: false,
            blank_before: true,
        }
    }

    async fn take(&mut self, ctx: &mut Context, byte: u8) -> Result<(), UtilityError> {
        let mut shown = byte;
        if self.converts {
            let is_blank = matches!(byte, b' ' | b'\t');
            if is_blank {
                match self.stops.next(self.column) {
                    None => self.converts = false,
                    Some(stop) => {
                        if byte == b'\t' {
                            self.column = stop;
                            self.starts_with_tab |= self.spaces > 0;
                        } else {
                            self.column += 1;
                            if !(self.blank_before && self.column == stop) {
                                self.space_before_stop |= self.column == stop;
                                self.spaces += 1;
                                self.blank_before = true;
                                return Ok(());
                            }
                            self.starts_with_tab = true;
                            shown = b'\t';
                        }
                        // The tab stands for them, but not for one that filled the stop before.
                        self.spaces = u64::from(self.space_before_stop);
                    }
                }
            } else if byte == 0x08 {
                self.column = self.column.saturating_sub(1);
            } else {
                self.column += 1;
            }
            self.release(ctx).await?;
            self.blank_before = is_blank;
            self.converts = self.converts && (self.whole || is_blank);
        }
        ctx.stdout.write(&[shown]).await?;
        if byte == b'\n' {
            (self.converts, self.column, self.blank_before) = (true, 0, true);
        }
        Ok(())
    }

    /// Writes the blanks that waited.
    async fn release(&mut self, ctx: &mut Context) -> Result<(), UtilityError> {
        if self.spaces > 1 && self.space_before_stop {
            self.starts_with_tab = true;
        }
        while self.spaces > 0 {
            let blank = if std::mem::take(&mut self.starts_with_tab) { b"\t" } else { b" " };
            ctx.stdout.write(blank).await?;
            ctx.tick().await?;
            self.spaces -= 1;
        }
        (self.starts_with_tab, self.space_before_stop) = (false, false);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::run;

    #[test]
    fn blanks_become_tabs() {
        for (args, input, want) in [
            (&[][..], "        a        b\n", "\ta        b\n"),
            (&["-a"], "        a        b\n", "\ta\t b\n"),
            (&["-t4"], "    a   b c\n", "\ta\tb c\n"),
            (&["-a"], "1234567 b\n1234567  b\n", "1234567 b\n1234567\t b\n"),
            (&["-t", "2,6"], "  a   b    c\n", "\ta\tb    c\n"),
            (&["--first-only", "-t4"], "    a   b\n", "\ta   b\n"),
            (&["-4"], "    a   b\n", "\ta   b\n"),
        ] {
            assert_eq!(run("unexpand", args, input.as_bytes(), &[]).stdout, want, "{args:?} {input:?}");
        }
    }
}
