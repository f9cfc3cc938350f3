//! How wide the columns of a table are.

use super::settings::Settings;
use super::table::{Column, Table};
use crate::memory::{Vec, vec};
use crate::utility::prelude::*;

/// What is known of a column's width.
#[derive(Clone, Copy, Default)]
struct Extent {
    /// Never narrower.
    least: usize,
    /// Of the widest cell.
    most: usize,
    average: usize,
    /// Some cells are more than twice as wide as the average.
    extreme: bool,
    /// The widest drawing of the tree.
    drawing: usize,
}

/// Columns that the drawing of one level of a tree takes.
pub(super) const LEVEL: usize = 2;

pub(super) async fn lay_out(
    ctx: &mut Context,
    settings: &Settings,
    table: &mut Table<'_>,
) -> Result<(), UtilityError> {
    let gap = super::input::measure(&ctx.meter, &settings.gap, false).await?;
    let mut extents: Vec<Extent> = vec![Extent::default(); table.columns.len()];
    let mut total = 0_usize;
    let mut extremes = 0_usize;
    let order = table.order.clone();
    for (place, &index) in order.iter().enumerate() {
        if !is_visible(table, index) {
            continue;
        }
        count_width(ctx, table, index, &mut extents).await?;
        let width = table.columns.get(index).map_or(0, |column| column.width);
        total = total.saturating_add(width).saturating_add(if place < table.last { gap } else { 0 });
        extremes += usize::from(extents.get(index).is_some_and(|extent| extent.extreme));
    }
    if total > settings.width && extremes > 0 {
        for &index in &order {
            if !is_visible(table, index) || !extents.get(index).is_some_and(|extent| extent.extreme) {
                continue;
            }
            let old = table.columns.get(index).map_or(0, |column| column.width);
            count_width(ctx, table, index, &mut extents).await?;
            let new = table.columns.get(index).map_or(0, |column| column.width);
            if old > new {
                total -= old - new;
            } else {
                extremes -= 1;
            }
        }
    }
    if total < settings.width {
        if extremes > 0 {
            total = widen_extremes(settings.width, &mut table.columns, &order, &extents, total);
        }
        // Even a hidden one takes what is left.
        if let Some(column) = order.last().and_then(|last| table.columns.get_mut(*last))
            && !column.right
        {
            column.width += settings.width - total;
            total = settings.width;
        }
    }
    while total > settings.width {
        let reduced = narrow(ctx, settings.width, &mut table.columns, &order, &extents, total).await?;
        if reduced == total {
            break;
        }
        total = reduced;
    }
    Ok(())
}

fn is_visible(table: &Table<'_>, index: usize) -> bool {
    table.columns.get(index).is_some_and(|column| !column.hidden)
}

/// Gives a column the width of its cells; once it is known to have extreme ones, these do not count.
async fn count_width(
    ctx: &mut Context,
    table: &mut Table<'_>,
    index: usize,
    extents: &mut [Extent],
) -> Result<(), UtilityError> {
    let (lines, tree) = (table.lines, &table.tree);
    let (Some(column), Some(extent)) = (table.columns.get_mut(index), extents.get_mut(index)) else {
        return Ok(());
    };
    let first = extent.least == 0;
    if first {
        extent.least = column.name_width.max(1);
    }
    let unnamed = first && column.name.is_none();
    let (mut width, mut sum, mut count) = (0, 0_usize, 0);
    let steps = tree.as_ref().map_or(lines.count(), |tree| tree.steps.len());
    for step in 0..steps {
        let (line, depth) = match tree {
            Some(tree) => tree.steps.get(step).map_or((0, 0), |step| (step.line, step.depth)),
            None => (step, 0),
        };
        let drawing = if column.tree { depth * LEVEL } else { 0 };
        let columns = lines.fields(line).get(index).map_or(0, |field| field.columns) + drawing;
        extent.most = extent.most.max(columns);
        ctx.tick().await?;
        if extent.extreme && extent.average > 0 && columns > extent.average * 2 {
            continue;
        }
        if column.noextreme {
            sum += columns;
            count += 1;
        }
        width = columns.max(width);
        extent.drawing = extent.drawing.max(drawing);
    }
    if count > 0 && extent.average == 0 {
        extent.average = sum / count;
        extent.extreme = extent.average > 0 && extent.most > extent.average * 2;
    }
    column.width = width.max(extent.least);
    if extent.most == 0 && unnamed && extent.least == 1 && column.width <= 1 {
        (column.width, extent.least) = (0, 0);
    }
    Ok(())
}

/// What is left of the width goes to the columns with extreme cells, first to the first.
fn widen_extremes(
    limit: usize,
    columns: &mut [Column],
    order: &[usize],
    extents: &[Extent],
    mut total: usize,
) -> usize {
    for &index in order {
        let (Some(column), Some(extent)) = (columns.get_mut(index), extents.get(index)) else { continue };
        if !extent.extreme || column.hidden {
            continue;
        }
        let more = (limit - total).min(extent.most.saturating_sub(column.width));
        column.width += more;
        total += more;
        if total == limit {
            break;
        }
    }
    total
}

/// Takes from the columns that may be cut, one of each in turn until the table fits: as many whole turns as leave it too
/// wide, then one turn that may stop within. Gives the new width.
async fn narrow(
    ctx: &mut Context,
    limit: usize,
    columns: &mut [Column],
    order: &[usize],
    extents: &[Extent],
    mut total: usize,
) -> Result<usize, UtilityError> {
    // A tree stops being cut when the table is as narrow as its drawing.
    let may_cut = |column: &Column, extent: &Extent, total: usize| {
        !column.hidden
            && (column.truncate || column.wrap)
            && column.width > extent.least
            && !(column.tree && total <= extent.drawing)
    };
    let least = columns
        .iter()
        .zip(extents)
        .filter(|(column, extent)| column.tree && may_cut(column, extent, total))
        .map(|(_, extent)| extent.drawing)
        .max()
        .map_or(limit, |drawing| drawing.max(limit));
    let cut_by = |turns: usize| {
        columns
            .iter()
            .zip(extents)
            .filter(|(column, extent)| may_cut(column, extent, total))
            .map(|(column, extent)| turns.min(column.width - extent.least))
            .sum::<usize>()
    };
    let (mut fits, mut fails) = (0, total);
    while fails - fits > 1 {
        let turns = fits + (fails - fits) / 2;
        if total - cut_by(turns).min(total) > least {
            fits = turns;
        } else {
            fails = turns;
        }
        ctx.tick_many(u32::try_from(columns.len() / 8).unwrap_or(u32::MAX));
        ctx.tick().await?;
    }
    let whole = cut_by(fits);
    for (column, extent) in columns.iter_mut().zip(extents) {
        if may_cut(column, extent, total) {
            column.width -= fits.min(column.width - extent.least);
        }
    }
    total -= whole;
    for &index in order {
        if total <= limit {
            break;
        }
        if let (Some(column), Some(extent)) = (columns.get_mut(index), extents.get(index))
            && may_cut(column, extent, total)
        {
            column.width -= 1;
            total -= 1;
        }
    }
    Ok(total)
}
