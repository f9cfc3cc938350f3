//! `pr`: paginates files, in columns or side by side, with headers. GNU coreutils pr(1).
//!
//! A page is made line by line, and a line column by column. Columns that go down are stored for a page first; others are read
//! as they are printed. Blanks are not printed before it is known what follows them: they may become tabs, or nothing.
//! `settings.rs` reads options, `page.rs` has the way of pages and headers, `line.rs` that of a line's characters, `source.rs`
//! what is read.

mod line;
mod page;
mod settings;
mod source;

use crate::utility::prelude::*;
use page::Printer;
use settings::PrOptions;

options! {
    enum Opt {
        Pages = value('\0', "pages", "FIRST[:LAST]", "begin printing with page FIRST, end with page LAST"),
        Columns = value('\0', "columns", "COLUMN", "output COLUMN columns and print columns down"),
        Digits = number("COLUMN", "the same as --columns=COLUMN"),
        Across = flag('a', "across", "print columns across rather than down"),
        Balance = flag('b', "", "columns of the last page have one length (always so)"),
        ShowControl = flag('c', "show-control-chars", "use hat notation (^G) and octal backslash notation"),
        DoubleSpace = flag('d', "double-space", "double space the output"),
        DateFormat = value('D', "date-format", "FORMAT", "use FORMAT for the header date"),
        ExpandTabs = optional('e', "expand-tabs", "CHAR[WIDTH]", "expand input CHARs (TABs) to tab WIDTH (8)"),
        FormFeed = flag('f', "form-feed", "use form feeds instead of newlines to separate pages")
            | flag('F', "", "the same as -f"),
        Header = value('h', "header", "HEADER", "use a centered HEADER instead of filename in page header"),
        OutputTabs = optional('i', "output-tabs", "CHAR[WIDTH]", "replace spaces with CHARs (TABs) to tab WIDTH (8)"),
        JoinLines = flag('J', "join-lines", "merge full lines: no truncation, no column alignment"),
        Length = value('l', "length", "PAGE_LENGTH", "set the page length to PAGE_LENGTH (66) lines"),
        Merge = flag('m', "merge", "print all files in parallel, one in each column"),
        NumberLines = optional('n', "number-lines", "SEP[DIGITS]", "number lines, use DIGITS (5) digits, then SEP (TAB)"),
        FirstLineNumber = value('N', "first-line-number", "NUMBER", "start counting with NUMBER at the first line printed"),
        Indent = value('o', "indent", "MARGIN", "offset each line with MARGIN (zero) spaces"),
        NoFileWarnings = flag('r', "no-file-warnings", "omit warning when a file cannot be opened"),
        Separator = optional('s', "separator", "CHAR", "separate columns by a single character; TAB without -w"),
        SepString = optional('S', "sep-string", "STRING", "separate columns by STRING"),
        OmitHeader = flag('t', "omit-header", "omit page headers and trailers"),
        OmitPagination = flag('T', "omit-pagination", "omit headers and trailers, eliminate form feeds of the input"),
        ShowNonprinting = flag('v', "show-nonprinting", "use octal backslash notation"),
        Width = value('w', "width", "PAGE_WIDTH", "set page width to PAGE_WIDTH (72) for multiple columns only"),
        PageWidth = value('W', "page-width", "PAGE_WIDTH", "set page width to PAGE_WIDTH (72) always, truncate lines"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "pr",
    summary: "convert text files for printing",
    usage: "pr [OPTION]... [FILE]...",
    options: Opt::TABLE,
    examples: &[example("seq 6 | pr -3 -t -w 12", "1   3\t5\n2   4\t6\n")],
    run: start!(run),
    ..Utility::BASE
};

/// Exit status: 0, or 1 when a file could not be read.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    settings::take_pages(&mut ctx.args);
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let files = options.operands.clone();
    let settings = PrOptions::read(&options)?;
    let mut printer = Printer::new(settings, files.len());
    if files.is_empty() {
        printer.print_files(ctx, &[]).await?;
    } else if printer.settings.is_parallel {
        printer.print_files(ctx, &files).await?;
    } else {
        for file in &files {
            printer.print_files(ctx, std::slice::from_ref(file)).await?;
        }
    }
    Ok(printer.status)
}
