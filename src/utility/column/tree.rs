//! Who is whose child: a line is a child of the line whose id is its parent. What would make a line its own ancestor is left
//! out. All is links between lines, so that nothing is as deep as the tree.

use super::input::Lines;
use super::table::Step;
use crate::limit::{LimitError, Meter};
use crate::memory::{HashMap, Vec, vec};
use crate::utility::context::pace::tick_bytes;

/// No line.
const NONE: usize = usize::MAX;

/// The links of a line.
#[derive(Clone, Copy)]
struct Node {
    parent: usize,
    first: usize,
    last: usize,
    next: usize,
    previous: usize,
    /// The line for which this was last seen as an ancestor.
    seen: usize,
}

pub(super) struct Tree {
    nodes: Vec<Node>,
    /// Parents before their children, in the order of printing.
    pub(super) steps: Vec<Step>,
}

impl Tree {
    pub(super) async fn new(
        meter: &Meter,
        lines: &Lines,
        of_id: usize,
        of_parent: usize,
    ) -> Result<Self, LimitError> {
        let count = lines.count();
        let node = Node { parent: NONE, first: NONE, last: NONE, next: NONE, previous: NONE, seen: NONE };
        let mut tree = Self { nodes: vec![node; count], steps: Vec::new() };
        let mut children: HashMap<&[u8], Vec<usize>> = HashMap::new();
        for line in 0..count {
            if let Some(parent) = lines.field(line, of_parent)
                && let Some(lines) = children.get_or_default(parent)
            {
                lines.push(line);
            }
            tick_bytes(meter, 64).await?;
        }
        for line in 0..count {
            let of_this = lines.field(line, of_id).and_then(|id| children.get(id));
            for &child in of_this.into_iter().flatten() {
                tick_bytes(meter, 16).await?;
                if child != line && !tree.is_ancestor(meter, child, line).await? {
                    tree.add_child(line, child);
                }
            }
        }
        drop(children);
        tree.walk(meter).await?;
        Ok(tree)
    }

    fn get(&self, line: usize) -> Option<&Node> {
        self.nodes.get(line)
    }

    fn change(&mut self, line: usize, change: impl FnOnce(&mut Node)) {
        if let Some(node) = self.nodes.get_mut(line) {
            change(node);
        }
    }

    /// Whether `above` is an ancestor of `line`, whose ancestors are looked through once.
    async fn is_ancestor(&mut self, meter: &Meter, above: usize, line: usize) -> Result<bool, LimitError> {
        if !self.has_children(above) {
            return Ok(false);
        }
        let mut at = line;
        while let Some(node) = self.nodes.get_mut(at).filter(|node| node.seen != line) {
            node.seen = line;
            at = node.parent;
            tick_bytes(meter, 1).await?;
        }
        Ok(self.get(above).is_some_and(|node| node.seen == line))
    }

    /// Makes `child` the last child of `parent` and of nobody else.
    fn add_child(&mut self, parent: usize, child: usize) {
        let Some(&old) = self.get(child) else { return };
        if old.parent != NONE {
            match old.previous {
                NONE => self.change(old.parent, |node| node.first = old.next),
                previous => self.change(previous, |node| node.next = old.next),
            }
            match old.next {
                NONE => self.change(old.parent, |node| node.last = old.previous),
                next => self.change(next, |node| node.previous = old.previous),
            }
        }
        let last = self.get(parent).map_or(NONE, |node| node.last);
        match last {
            NONE => self.change(parent, |node| node.first = child),
            last => self.change(last, |node| node.next = child),
        }
        self.change(parent, |node| node.last = child);
        self.change(child, |node| {
            (node.parent, node.previous, node.next) = (parent, last, NONE);
        });
    }

    async fn walk(&mut self, meter: &Meter) -> Result<(), LimitError> {
        for root in 0..self.nodes.len() {
            if self.parent(root).is_some() {
                continue;
            }
            let (mut line, mut depth) = (root, 0);
            'tree: loop {
                self.steps.push(Step { line, depth });
                tick_bytes(meter, 16).await?;
                let first = self.get(line).map_or(NONE, |node| node.first);
                if first != NONE {
                    (line, depth) = (first, depth + 1);
                    continue;
                }
                loop {
                    let Some(node) = self.get(line).filter(|_| line != root) else { break 'tree };
                    if node.next != NONE {
                        line = node.next;
                        break;
                    }
                    (line, depth) = (node.parent, depth - 1);
                    tick_bytes(meter, 1).await?;
                }
            }
        }
        Ok(())
    }

    pub(super) fn parent(&self, line: usize) -> Option<usize> {
        self.get(line).map(|node| node.parent).filter(|parent| *parent != NONE)
    }

    pub(super) fn has_children(&self, line: usize) -> bool {
        self.get(line).is_some_and(|node| node.first != NONE)
    }

    pub(super) fn is_last_child(&self, line: usize) -> bool {
        self.get(line).is_some_and(|node| node.parent != NONE && node.next == NONE)
    }
}
