//! `column`: makes columns of lines (`list.rs`), or a table of fields (`table.rs`), which may be a tree or JSON. util-linux
//! column(1).
//!
//! | file | has |
//! |---|---|
//! | `settings.rs` | what the options say |
//! | `input.rs` | lines and their fields, measured |
//! | `list.rs` | lines in columns |
//! | `table.rs` | the columns of a table: names, flags, order |
//! | `tree.rs` | who is whose child |
//! | `layout.rs` | how wide columns are |
//! | `print.rs`, `json.rs` | what comes out |

mod input;
mod json;
mod layout;
mod list;
mod print;
mod settings;
mod table;
mod tree;

use crate::utility::prelude::*;
use input::Lines;
use settings::{Mode, Settings};

options! {
    enum Opt {
        Table = flag('t', "table", "create a table"),
        TableName = value('n', "table-name", "name", "table name for JSON output"),
        TableOrder = value('O', "table-order", "columns", "specify order of output columns"),
        TableColumns = value('N', "table-columns", "names", "comma separated columns names"),
        TableColumnsLimit = value('l', "table-columns-limit", "num", "maximal number of input columns"),
        TableNoextreme = value(
            'E',
            "table-noextreme",
            "columns",
            "don't count long text from the columns to column width",
        ),
        TableNoheadings = flag('d', "table-noheadings", "don't print header"),
        TableHeaderRepeat = flag('e', "table-header-repeat", "repeat header for each page"),
        TableHide = value('H', "table-hide", "columns", "don't print the columns"),
        TableRight = value('R', "table-right", "columns", "right align text in these columns"),
        TableTruncate = value('T', "table-truncate", "columns", "truncate text in the columns when necessary"),
        TableWrap = value('W', "table-wrap", "columns", "wrap text in the columns when necessary"),
        KeepEmptyLines = flag('L', "keep-empty-lines", "don't ignore empty lines")
            | flag('\0', "table-empty-lines", "the same as --keep-empty-lines"),
        Json = flag('J', "json", "use JSON output format for table"),
        Tree = value('r', "tree", "column", "column to use tree-like output for the table"),
        TreeId = value('i', "tree-id", "column", "line ID to specify child-parent relation"),
        TreeParent = value('p', "tree-parent", "column", "parent to specify child-parent relation"),
        OutputWidth = value('c', "output-width", "width", "width of output in number of characters")
            | value('\0', "columns", "width", "the same as --output-width"),
        OutputSeparator = value(
            'o',
            "output-separator",
            "string",
            "columns separator for table output (default is two spaces)",
        ),
        Separator = value('s', "separator", "string", "possible table delimiters"),
        Fillrows = flag('x', "fillrows", "fill rows before columns"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "column",
    summary: "columnate lists",
    usage: "column [options] [<file>...]",
    options: Opt::TABLE,
    examples: &[
        example("printf 'a b\\nccc d\\n' | column -t", "a    b\nccc  d\n"),
        example("printf '1 0 A\\n2 1 B\\n' | column -r 3 -i 1 -p 2 -H 1,2", "A\n\u{2514}\u{2500}B\n"),
    ],
    run: start!(run),
    help_letter: Some('h'),
    version_letter: Some('V'),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let settings = Settings::new(ctx, &options)?;
    let mut lines = Lines::default();
    let mut status = ExitStatus::SUCCESS;
    if options.operands.is_empty() {
        let input = ctx.standard_input();
        lines.read(ctx, input, &settings).await?;
    }
    for operand in &options.operands {
        match ctx.open(operand) {
            Ok(input) => lines.read(ctx, input, &settings).await?,
            Err(FsError::Errno(errno)) => {
                status = ctx.warn(format_args!("{operand}: {}", errno.message()));
            }
            Err(FsError::Limit(limit)) => return Err(limit.into()),
        }
    }
    match settings.mode {
        _ if lines.count() == 0 => {}
        Mode::Table => {
            table::print(ctx, &settings, &lines).await?;
            // The real program forgets here which files it could not open.
            status = ExitStatus::SUCCESS;
        }
        Mode::Columns => list::print(ctx, &lines, settings.width, false).await?,
        Mode::Rows => list::print(ctx, &lines, settings.width, true).await?,
    }
    Ok(status)
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::run;

    #[test]
    fn tables_and_lists() {
        let input = "a b  c\nlonger x\n\nz\n";
        assert_eq!(
            run("column", &["-t"], input.as_bytes(), &[]).stdout,
            "a       b  c\nlonger  x  \nz          \n"
        );
        let input = "a:b::c\nlong:x\n";
        let outcome = run("column", &["-t", "-s:", "-o|"], input.as_bytes(), &[]);
        assert_eq!(outcome.stdout, "a   |b||c\nlong|x||\n");
        assert_eq!(run("column", &["-c", "16"], b"1\n2\n3\n", &[]).stdout, "1\t3\n2\n");
    }
}
