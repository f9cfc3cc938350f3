//! `tsort`: a total order of what pairs order partially. POSIX XCU tsort, GNU coreutils tsort(1).

use super::format::quote::{quote, quote_input};
use crate::memory::{BTreeMap, Vec, VecDeque, format};
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "tsort",
    summary: "write totally ordered list consistent with the partial ordering in FILE",
    usage: "tsort [OPTION] [FILE]",
    examples: &[example("printf 'b c\\na b\\n' | tsort", "a\nb\nc\n")],
    run: start!(run),
    ..Utility::BASE
};

/// A name, what comes after it (the newest first), and how many that come before it are not printed yet.
#[derive(Debug, Default)]
struct Item {
    name: Text,
    after: Vec<usize>,
    before: usize,
    done: bool,
    /// The item from which the search for a loop came here.
    from: Option<usize>,
}

struct Graph {
    items: Vec<Item>,
    /// The items in the order of their names.
    order: Vec<usize>,
}

/// Exit status: 0, or 1 when there is a loop or the input cannot be read.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<NoOption>(&UTILITY)?;
    if let Some(extra) = options.operands.get(1) {
        return Err(UtilityError::Usage(format!("extra operand {}", quote(extra))));
    }
    let operand = options.operands.first().cloned().unwrap_or(Text::from_static(b"-"));
    let shown = if operand.as_bytes() == b"-" { "-".into() } else { quote_input(&operand) };
    let mut graph = match read(ctx, &operand).await {
        Ok(Some(graph)) => graph,
        Ok(None) => {
            return Err(UtilityError::failed(format!("{shown}: input contains an odd number of tokens")));
        }
        Err(error) => {
            let errno = error.errno()?;
            return Err(UtilityError::failed(format!("{shown}: {}", errno.message())));
        }
    };
    let mut left = graph.items.len();
    let mut status = ExitStatus::SUCCESS;
    while left > 0 {
        let mut ready: VecDeque<usize> = VecDeque::new();
        for &index in &graph.order {
            if graph.items.get(index).is_some_and(|item| item.before == 0 && !item.done) {
                ready.push_back(index);
            }
        }
        ctx.tick_many(u32::try_from(graph.order.len() / 8).unwrap_or(u32::MAX));
        ctx.tick().await?;
        while let Some(index) = ready.pop_front() {
            let Some(item) = graph.items.get_mut(index) else { continue };
            item.done = true;
            left -= 1;
            ctx.stdout.push(&item.name);
            ctx.stdout.write(b"\n").await?;
            for next in std::mem::take(&mut item.after) {
                ctx.tick().await?;
                if let Some(next_item) = graph.items.get_mut(next) {
                    next_item.before -= 1;
                    if next_item.before == 0 {
                        ready.push_back(next);
                    }
                }
            }
        }
        if left > 0 {
            ctx.stdout.flush().await?;
            status = ctx.warn(format_args!("{shown}: input contains a loop:"));
            graph.break_loop(ctx).await?;
        }
    }
    Ok(status)
}

/// The pairs; `None` when one lacks its second name.
async fn read(ctx: &mut Context, operand: &[u8]) -> Result<Option<Graph>, OperandError> {
    let mut input = ctx.open_input(operand)?;
    let mut items: Vec<Item> = Vec::new();
    let mut names: BTreeMap<Text, usize> = BTreeMap::default();
    let mut first: Option<usize> = None;
    while let Some(line) = input.next_line(b'\n').await? {
        let words = line.split(|byte| matches!(byte, b' ' | b'\t' | b'\n'));
        for word in words.filter(|word| !word.is_empty()) {
            ctx.tick().await?;
            let name = Text::from(word);
            let index = match names.get(&name) {
                Some(&index) => index,
                None => {
                    let index = items.add(Item { name: name.clone(), ..Item::default() });
                    names.insert(name, index);
                    index
                }
            };
            match first.take() {
                None => first = Some(index),
                Some(before) if before != index => {
                    if let Some(item) = items.get_mut(before) {
                        item.after.push(index);
                    }
                    if let Some(item) = items.get_mut(index) {
                        item.before += 1;
                    }
                }
                Some(_) => {}
            }
        }
    }
    for item in &mut items {
        item.after.reverse();
    }
    let order = names.iter().map(|(_, &index)| index).collect();
    Ok(first.is_none().then_some(Graph { items, order }))
}

impl Graph {
    /// Finds a loop, tells its names and takes one of its pairs out. The names are looked at in order, again and again: one
    /// that comes before the one that was found last is on the way back.
    async fn break_loop(&mut self, ctx: &mut Context) -> Result<(), UtilityError> {
        let mut last: Option<usize> = None;
        loop {
            for at in 0..self.order.len() {
                ctx.tick().await?;
                let Some(&index) = self.order.get(at) else { break };
                let Some(item) = self.items.get(index) else { break };
                if item.before == 0 || item.done {
                    continue;
                }
                let Some(end) = last else {
                    last = Some(index);
                    continue;
                };
                let Some(place) = item.after.iter().position(|&after| after == end) else { continue };
                ctx.tick_many(u32::try_from(place).unwrap_or(u32::MAX));
                if item.from.is_none() {
                    if let Some(item) = self.items.get_mut(index) {
                        item.from = last;
                    }
                    last = Some(index);
                    continue;
                }
                self.tell(ctx, end, index, place).await?;
                for item in &mut self.items {
                    item.from = None;
                }
                return Ok(());
            }
        }
    }

    /// Tells the names from `start` to `last`, and forgets that `start` comes after `last`.
    async fn tell(
        &mut self,
        ctx: &mut Context,
        start: usize,
        last: usize,
        place: usize,
    ) -> Result<(), UtilityError> {
        let mut at = Some(start);
        while let Some(index) = at {
            ctx.tick().await?;
            let Some(item) = self.items.get(index) else { break };
            let (name, next) = (item.name.clone(), item.from);
            ctx.warn(&name);
            if index == last {
                break;
            }
            at = next;
        }
        if let Some(item) = self.items.get_mut(last) {
            item.after.remove(place);
        }
        if let Some(item) = self.items.get_mut(start) {
            item.before -= 1;
        }
        Ok(())
    }
}
