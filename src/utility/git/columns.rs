//! Lists in columns, as `--column` and `column.*` of the configuration ask for them.

use super::Git;
use super::arguments::Arguments;
use super::config::{Entry, told};
use super::diff::columns;
use super::error::{GitError, Result};
use crate::memory::{String, Vec, format};

/// In which order the cells of a table are filled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Filling {
    #[default]
    Columns,
    Rows,
    /// One item a line.
    Plain,
}

/// How a list is laid out.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ColumnMode {
    /// There may be several items in a line.
    pub(crate) is_active: bool,
    /// The command line says so.
    pub(crate) is_asked_for: bool,
    filling: Filling,
    /// Columns are as narrow as their own items.
    is_dense: bool,
}

impl ColumnMode {
    /// Takes words like `row,dense`. Where none says when, a layout means always.
    fn take(&mut self, words: &[u8]) -> std::result::Result<(), String> {
        let (mut says_when, mut says_how) = (false, false);
        let is_between = |byte: &u8| b" ,".contains(byte);
        let mut rest = words;
        while let Some(start) = rest.iter().position(|byte| !is_between(byte)) {
            rest = rest.get(start..).unwrap_or(&[]);
            let end = rest.iter().position(is_between).unwrap_or(rest.len());
            let word = rest.get(..end).unwrap_or(rest);
            match word {
                b"always" | b"never" | b"auto" => {
                    says_when = true;
                    // Standard output is no terminal.
                    self.is_active = word == b"always";
                }
                b"plain" | b"column" | b"row" => {
                    says_how = true;
                    self.filling = match word {
                        b"plain" => Filling::Plain,
                        b"row" => Filling::Rows,
                        _ => Filling::Columns,
                    };
                }
                b"dense" | b"nodense" => self.is_dense = word == b"dense",
                // Git shows all that follows.
                _ => return Err(format!("unsupported option '{}'", bstr::BStr::new(rest))),
            }
            rest = rest.get(end..).unwrap_or(&[]);
        }
        self.is_active |= says_how && !says_when;
        Ok(())
    }

    /// The lines of a list.
    pub(crate) fn lay_out(self, items: &[Vec<u8>], indent: &[u8], padding: usize, width: usize) -> Vec<u8> {
        let mut out = Vec::new();
        if !self.is_active || self.filling == Filling::Plain {
            for item in items {
                out.extend_from_slice(indent);
                out.extend_from_slice(item);
                out.push(b'\n');
            }
            return out;
        }
        let mut table = Table::new(items, self.filling, indent.len(), padding, width.saturating_sub(1));
        if self.is_dense {
            table.shrink();
        }
        for row in 0..table.rows {
            for column in 0..table.columns {
                let at = table.place(column, row);
                let Some(item) = items.get(at) else { break };
                if column == 0 {
                    out.extend_from_slice(indent);
                }
                out.extend_from_slice(item);
                let is_last = match self.filling {
                    Filling::Columns => at + table.rows >= items.len(),
                    _ => column + 1 == table.columns || at + 1 == items.len(),
                };
                if is_last {
                    out.push(b'\n');
                } else {
                    let blanks = table.cell(column).saturating_sub(table.width(at));
                    out.resize_by(blanks, b' ');
                }
            }
        }
        out
    }
}

/// The greatest of a range of numbers, found in one step: `levels[n]` has the greatest of each `2^n` that follow each other.
struct Maxima {
    levels: Vec<Vec<usize>>,
}

impl Maxima {
    fn new(numbers: &[usize]) -> Self {
        let mut levels: Vec<Vec<usize>> = Vec::new();
        let mut level: Vec<usize> = Vec::from(numbers);
        let mut reach = 1;
        while !level.is_empty() {
            let pairs = level.iter().zip(level.iter().skip(reach));
            let next = pairs.map(|(one, other)| *one.max(other)).collect();
            levels.push(std::mem::replace(&mut level, next));
            reach *= 2;
        }
        Self { levels }
    }

    fn of(&self, from: usize, to: usize) -> usize {
        let Some(order) = to.saturating_sub(from).checked_ilog2() else { return 0 };
        let Some(level) = self.levels.get(order as usize) else { return 0 };
        let second = to.saturating_sub(1 << order);
        let at = |index: usize| level.get(index).copied().unwrap_or(0);
        at(from).max(at(second))
    }
}

/// A table that is being laid out.
struct Table {
    widths: Vec<usize>,
    filling: Filling,
    indent: usize,
    padding: usize,
    /// Columns of the terminal that may be used.
    room: usize,
    rows: usize,
    columns: usize,
    /// The width of a cell, with its padding.
    widest: usize,
    /// The widths of dense columns, without padding.
    dense: Vec<usize>,
}

impl Table {
    fn new(items: &[Vec<u8>], filling: Filling, indent: usize, padding: usize, room: usize) -> Self {
        let widths: Vec<usize> = items.iter().map(|item| columns(item)).collect();
        let widest = widths.iter().copied().max().unwrap_or(0) + padding;
        let count = (room.saturating_sub(indent) / widest.max(1)).max(1);
        let rows = widths.len().div_ceil(count);
        Self { widths, filling, indent, padding, room, rows, columns: count, widest, dense: Vec::new() }
    }

    /// Which item stands in a cell.
    const fn place(&self, column: usize, row: usize) -> usize {
        match self.filling {
            Filling::Columns => column * self.rows + row,
            _ => row * self.columns + column,
        }
    }

    fn width(&self, item: usize) -> usize {
        self.widths.get(item).copied().unwrap_or(0)
    }

    /// The width that a cell of a column takes.
    fn cell(&self, column: usize) -> usize {
        self.dense.get(column).map_or(self.widest, |width| width + self.padding)
    }

    /// Takes as few rows as the terminal has room for.
    fn shrink(&mut self) {
        let maxima = Maxima::new(&self.widths);
        while self.rows > 1 {
            let before = (self.rows, self.columns);
            self.rows -= 1;
            self.columns = self.widths.len().div_ceil(self.rows);
            // All items stand in as many columns as before, by rows in the same ones.
            if self.filling == Filling::Rows && self.columns == before.1 {
                continue;
            }
            let total: usize = self.own_widths(&maxima).iter().map(|width| width + self.padding).sum();
            if total + self.indent > self.room {
                (self.rows, self.columns) = before;
                break;
            }
        }
        self.dense = self.own_widths(&maxima);
    }

    /// The width of the widest item of each column.
    fn own_widths(&self, maxima: &Maxima) -> Vec<usize> {
        let count = self.widths.len();
        let columns = self.columns.min(count);
        if self.filling == Filling::Columns {
            let of = |column: usize| maxima.of(column * self.rows, count.min((column + 1) * self.rows));
            return (0..columns).map(of).collect();
        }
        let mut widest = Vec::of_copies(0, columns);
        for (at, width) in self.widths.iter().enumerate() {
            if let Some(slot) = widest.get_mut(at % columns.max(1)) {
                *slot = (*width).max(*slot);
            }
        }
        widest
    }
}

impl Git {
    /// How a command lays out its list: by `column.ui`, `column.COMMAND` and its option.
    pub(crate) fn column_mode<O: Copy + PartialEq>(
        &self,
        arguments: &Arguments<O>,
        option: O,
        command: &str,
    ) -> Result<ColumnMode> {
        let mut mode = ColumnMode::default();
        for entry in &self.config.entries {
            let key = entry.name.strip_prefix(b"column.").unwrap_or(&[]);
            if (key == b"ui" || key == command.as_bytes())
                && let Some(value) = &entry.value
                && let Err(words) = mode.take(value)
            {
                return Err(bad_value(
                    entry,
                    &format!("{words}\nerror: invalid {} mode {value}", entry.name),
                ));
            }
        }
        for (given, value, is_negated) in arguments.all_in_order() {
            if given != option {
                continue;
            }
            mode.is_active = !is_negated;
            mode.is_asked_for = true;
            if let Some(value) = value
                && let Err(words) = mode.take(value)
            {
                return Err(GitError::Error(words, 129));
            }
        }
        mode.is_asked_for &= mode.is_active;
        Ok(mode)
    }

    /// The columns of the terminal that there would be.
    pub(crate) fn terminal_columns(&self) -> usize {
        let given = self.variable("COLUMNS").and_then(|text| std::str::from_utf8(text).ok()?.parse().ok());
        given.filter(|columns| *columns > 0).unwrap_or(80)
    }
}

/// What is said of an entry of the configuration whose value cannot be taken, after the words that say why.
fn bad_value(entry: &Entry, words: &str) -> GitError {
    let name = &entry.name;
    let text = match told(&entry.origin) {
        None => format!("unable to parse '{name}' from command-line config"),
        Some(_) => {
            let at = memchr::memchr(b':', &entry.origin).map_or(0, |colon| colon + 1);
            let file = bstr::BStr::new(entry.origin.get(at..).unwrap_or(&[]));
            format!("bad config variable '{name}' in file '{file}' at line {}", entry.line)
        }
    };
    GitError::Plain(format!("error: {words}\nfatal: {text}\n"), 128)
}
