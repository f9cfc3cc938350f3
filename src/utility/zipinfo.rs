//! `zipinfo`: `unzip -Z`. zipinfo(1).

use super::unzip;
use crate::utility::prelude::*;

options! {
    enum Opt {
        Names = flag('1', "", "list filenames only, one per line"),
        NamesWithMore = flag('2', "", "list filenames only, and allow headers, trailers and comments"),
        Short = flag('s', "", "list in short Unix \"ls -l\" format: the default"),
        Medium = flag('m', "", "list in medium format: with the compression in percent"),
        Long = flag('l', "", "list in long format: with the compressed size"),
        Verbose = flag('v', "", "list in verbose, multi-page format: not supported"),
        Header = flag('h', "", "list header line"),
        Totals = flag('t', "", "list totals for files listed or for all files"),
        Decimal = flag('T', "", "print times in sortable decimal format"),
        Comment = flag('z', "", "include the archive comment"),
        IgnoreCase = flag('C', "", "match filenames case-insensitively"),
        Escapes = flag('U', "", "names are bytes here: no escapes for Unicode are made"),
        StopAtSlash = flag('W', "", "* and ? do not match a slash, ** does"),
        Pager = flag('M', "", "pipe through a pager: not supported"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "zipinfo",
    summary: "list detailed information about a ZIP archive",
    usage: "zipinfo [-12smlhtTzCUW] file[.zip] [list] [-x xlist]",
    options: Opt::TABLE,
    examples: &[example("echo hi >f; zip -q f.zip f; zipinfo -1 f.zip", "f\n")],
    run: start!(run),
    usage_status: 10,
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    unzip::run(ctx, &UTILITY, true).await
}
