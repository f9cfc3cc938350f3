//! The columns of a table: their names, what the options say of them, and their order.

use super::input::{Lines, measure};
use super::settings::{Settings, number_or_error, undefined, words};
use super::tree::Tree;
use super::{json, layout, print};
use crate::memory::{HashMap, ToMetered, Vec};
use crate::utility::prelude::*;

#[derive(Default)]
pub(super) struct Column {
    pub(super) name: Option<Text>,
    /// How many columns of the screen the name takes.
    pub(super) name_width: usize,
    pub(super) right: bool,
    pub(super) truncate: bool,
    pub(super) noextreme: bool,
    pub(super) wrap: bool,
    pub(super) hidden: bool,
    pub(super) tree: bool,
    pub(super) width: usize,
}

/// What is printed.
pub(super) struct Table<'l> {
    pub(super) lines: &'l Lines,
    pub(super) columns: Vec<Column>,
    /// The columns as they are printed, by their numbers in the input.
    pub(super) order: Vec<usize>,
    pub(super) tree: Option<Tree>,
    /// The place in `order` after which all is hidden.
    pub(super) last: usize,
}

/// One line in the order of printing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) line: usize,
    pub(super) depth: usize,
}

impl Table<'_> {
    pub(super) fn step(&self, index: usize) -> Option<Step> {
        match &self.tree {
            Some(tree) => tree.steps.get(index).copied(),
            None => (index < self.lines.count()).then_some(Step { line: index, depth: 0 }),
        }
    }
}

type Flag = fn(&mut Column) -> &mut bool;

pub(super) async fn print(ctx: &mut Context, settings: &Settings, lines: &Lines) -> Result<(), UtilityError> {
    let mut columns = Vec::new();
    let mut numbers: HashMap<Vec<u8>, usize> = HashMap::default();
    for (index, name) in settings.names.iter().flatten().enumerate() {
        let name_width = measure(&ctx.meter, name, false).await?;
        columns.push(Column { name: Some(name.clone()), name_width, ..Column::default() });
        let lower = lower(name);
        if !numbers.contains_key(&lower) {
            numbers.insert(lower, index);
        }
        ctx.tick().await?;
    }
    columns.resize_with(columns.len().max(lines.columns), Column::default);
    let flags: [(&Option<Text>, Flag); 5] = [
        (&settings.right, |column| &mut column.right),
        (&settings.truncate, |column| &mut column.truncate),
        (&settings.noextreme, |column| &mut column.noextreme),
        (&settings.wrap, |column| &mut column.wrap),
        (&settings.hide, |column| &mut column.hidden),
    ];
    for (index, (list, flag)) in flags.into_iter().enumerate() {
        if let Some(list) = list {
            mark(ctx, list, &mut columns, &numbers, flag, index == 4).await?;
        }
    }
    if settings.noextreme.is_none()
        && let Some(column) = columns.iter_mut().rev().find(|column| !column.hidden)
    {
        column.noextreme = true;
    }
    let mut tree = None;
    if let Some([of_tree, of_parent, of_id]) = &settings.tree {
        let of_tree = find(of_tree, &numbers)?;
        let of_parent = find(of_parent, &numbers)?;
        let of_id = find(of_id, &numbers)?;
        let count = columns.len();
        if let Some(column) = columns.get_mut(of_tree)
            && of_parent < count
            && of_id < count
        {
            column.tree = true;
            tree = Some(Tree::new(&ctx.meter, lines, of_id, of_parent).await?);
        }
    }
    let order = order(ctx, settings, columns.len(), &numbers).await?;
    let visible = |index: &usize| columns.get(*index).is_some_and(|column| !column.hidden);
    let last = order.iter().rposition(visible).unwrap_or(0);
    let mut table = Table { lines, columns, order, tree, last };
    if settings.json {
        return json::print(ctx, settings, &table).await;
    }
    layout::lay_out(ctx, settings, &mut table).await?;
    print::print(ctx, settings, &table).await
}

fn lower(name: &[u8]) -> Vec<u8> {
    let mut lower = name.to_metered();
    lower.make_ascii_lowercase();
    lower
}

/// The number, from 0, of the column that an option names; there need be none of that number.
fn find(name: &[u8], numbers: &HashMap<Vec<u8>, usize>) -> Result<usize, UtilityError> {
    if !name.is_empty() && name.iter().all(u8::is_ascii_digit) {
        let number = number_or_error(name, "failed to parse column")?;
        return Ok(number.checked_sub(1).unwrap_or(usize::MAX));
    }
    numbers.get(lower(name).as_slice()).copied().ok_or_else(|| undefined(name))
}

/// Sets a flag of the columns in a list.
async fn mark(
    ctx: &mut Context,
    list: &[u8],
    columns: &mut [Column],
    numbers: &HashMap<Vec<u8>, usize>,
    flag: Flag,
    knows_unnamed: bool,
) -> Result<(), UtilityError> {
    if list == b"0" {
        for column in columns.iter_mut() {
            *flag(column) = true;
        }
    }
    let mut unnamed = false;
    for word in words(list) {
        if knows_unnamed && word == b"-" {
            unnamed = true;
        } else if let Some(column) = columns.get_mut(find(word, numbers)?) {
            *flag(column) = true;
        }
        ctx.tick().await?;
    }
    if unnamed {
        columns.iter_mut().filter(|column| column.name.is_none()).for_each(|column| *flag(column) = true);
    }
    Ok(())
}

/// The columns as they are printed: each of `-O` is moved behind the one named before it, the first to the front.
async fn order(
    ctx: &mut Context,
    settings: &Settings,
    count: usize,
    numbers: &HashMap<Vec<u8>, usize>,
) -> Result<Vec<usize>, UtilityError> {
    let Some(list) = &settings.order else { return Ok((0..count).collect()) };
    // Links to the one before and the one after; the last, which is no column, is where all begins and ends.
    let mut links: Vec<(usize, usize)> =
        (0..=count).map(|index| (index.checked_sub(1).unwrap_or(count), (index + 1) % (count + 1))).collect();
    let mut before = count;
    for word in words(list) {
        let index = find(word, numbers)?;
        ctx.tick().await?;
        if index >= count || index == before {
            continue;
        }
        if let Some(&(previous, next)) = links.get(index) {
            link(&mut links, previous, next);
        }
        let next = links.get(before).map_or(count, |link| link.1);
        link(&mut links, before, index);
        link(&mut links, index, next);
        before = index;
    }
    let mut order = Vec::with_capacity(count);
    let mut at = links.get(count).map_or(count, |link| link.1);
    while at < count {
        order.push(at);
        at = links.get(at).map_or(count, |link| link.1);
    }
    Ok(order)
}

fn link(links: &mut [(usize, usize)], before: usize, after: usize) {
    if let Some(link) = links.get_mut(before) {
        link.1 = after;
    }
    if let Some(link) = links.get_mut(after) {
        link.0 = before;
    }
}
