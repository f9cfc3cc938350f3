//! Lines in columns, with tabs between them.

use super::input::Lines;
use crate::utility::prelude::*;

/// Tab stops are eight columns apart.
const TAB: usize = 8;

pub(super) async fn print(
    ctx: &mut Context,
    lines: &Lines,
    total: usize,
    rows_first: bool,
) -> Result<(), UtilityError> {
    let items = lines.count();
    let mut widest = 0;
    for index in 0..items {
        widest = widest.max(width(lines, index));
        ctx.tick().await?;
    }
    let column = (widest + TAB) / TAB * TAB;
    let simple = widest >= total;
    let columns = match total / column {
        _ if simple => 1,
        // As in the real program: rows that are too narrow for a column never end.
        0 if rows_first => items,
        0 => 1,
        columns => columns,
    };
    let rows = items.div_ceil(columns.max(1));
    for row in 0..rows {
        let mut used = false;
        for place in 0..columns {
            let index = if rows_first { row * columns + place } else { place * rows + row };
            if index >= items {
                break;
            }
            let width = width(lines, index);
            ctx.stdout.write(lines.first_field(index)).await?;
            used |= width > 0;
            let next = if rows_first { index + 1 } else { index + rows };
            if place + 1 < columns && next < items {
                let tabs = column.saturating_sub(width).div_ceil(TAB);
                used |= tabs > 0;
                ctx.write_repeated(b'\t', tabs).await?;
            }
            ctx.tick().await?;
        }
        // The real program ends the last row only if something is in it.
        if used || simple || !rows_first || row + 1 < rows {
            ctx.stdout.write(b"\n").await?;
        }
    }
    Ok(())
}

fn width(lines: &Lines, index: usize) -> usize {
    lines.fields(index).first().map_or(0, |field| field.columns)
}
