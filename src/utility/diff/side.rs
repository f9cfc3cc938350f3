//! The side by side format (`-y`). GNU diff(1).

use super::change::{Change, Extent, Kind};
use super::color::Part;
use super::lines::File;
use super::printer::Printer;
use crate::character::{character, unit_at};
use crate::utility::format::width::width;
use crate::utility::prelude::*;

pub(super) async fn print(printer: &mut Printer<'_>, changes: &[Change]) -> Result<(), UtilityError> {
    let [left, right] = printer.files;
    printer.begin().await?;
    let mut next = [0, 0];
    for change in changes.chunks(1) {
        printer.ctx.tick().await?;
        let Some(Extent { start, end: [x_end, y_end], kind }) = Extent::of(change) else { continue };
        common(printer, next, start).await?;
        let [mut x, mut y] = start;
        if kind == Kind::Change {
            while x < x_end && y < y_end {
                line(printer, Some(left.line(x)), b'|', Some(right.line(y))).await?;
                x += 1;
                y += 1;
            }
        }
        for index in y..y_end {
            line(printer, None, b'>', Some(right.line(index))).await?;
        }
        for index in x..x_end {
            line(printer, Some(left.line(index)), b'<', None).await?;
        }
        next = [x_end, y_end];
    }
    common(printer, next, printer.files.map(File::line_count)).await
}

/// Lines that are not told to differ.
async fn common(printer: &mut Printer<'_>, from: [usize; 2], to: [usize; 2]) -> Result<(), UtilityError> {
    let columns = printer.settings.columns;
    let [left, right] = printer.files;
    let ([mut x, mut y], [x_end, y_end]) = (from, to);
    if columns.suppress_common {
        return Ok(());
    }
    if !columns.left_column {
        while x < x_end && y < y_end {
            line(printer, Some(left.line(x)), b' ', Some(right.line(y))).await?;
            x += 1;
            y += 1;
        }
        for index in y..y_end {
            line(printer, None, b')', Some(right.line(index))).await?;
        }
    }
    for index in x..x_end {
        line(printer, Some(left.line(index)), b'(', None).await?;
    }
    Ok(())
}

/// One line of the output.
async fn line(
    printer: &mut Printer<'_>,
    left: Option<&[u8]>,
    mark: u8,
    right: Option<&[u8]>,
) -> Result<(), UtilityError> {
    printer.ctx.tick().await?;
    let columns = printer.settings.columns;
    let ends = |line: Option<&[u8]>| line.is_some_and(|line| line.ends_with(b"\n"));
    match mark {
        b'<' => printer.color(Part::Deleted).await?,
        b'>' => printer.color(Part::Added).await?,
        _ => {}
    }
    let mut column = 0;
    if let Some(left) = left {
        column = half(printer, left, 0).await?;
    }
    if mark != b' ' {
        let place = columns.half.saturating_add(columns.second).saturating_sub(1) / 2;
        column = blanks(printer, column, place).await?.saturating_add(1);
        let mark = match (mark, ends(left), ends(right)) {
            (b'|', true, false) => b'/',
            (b'|', false, true) => b'\\',
            _ => mark,
        };
        printer.write(&[mark]).await?;
    }
    if let Some(right) = right
        && right != b"\n"
    {
        column = blanks(printer, column, columns.second).await?;
        half(printer, right, column).await?;
    }
    if ends(left) || ends(right) {
        printer.write(b"\n").await?;
    }
    printer.color(Part::Plain).await
}

/// Goes from a column to another; where that one is reached.
async fn blanks(printer: &mut Printer<'_>, from: usize, to: usize) -> Result<usize, UtilityError> {
    let mut at = from;
    if !printer.settings.expand_tabs {
        let size = printer.settings.tab_size.max(1);
        let mut stop = at.saturating_add(size - at % size);
        while stop <= to {
            printer.write(b"\t").await?;
            printer.ctx.tick().await?;
            at = stop;
            stop = stop.saturating_add(size);
        }
    }
    printer.repeat(b' ', to.saturating_sub(at)).await?;
    Ok(to)
}

/// The part of a line that fits into a half which begins at a column; how many columns it takes.
async fn half(printer: &mut Printer<'_>, line: &[u8], indent: usize) -> Result<usize, UtilityError> {
    let bound = printer.settings.columns.half;
    let size = printer.settings.tab_size.max(1);
    let (line, _) = split_delimiter(line, b'\n');
    // Where the line is, and where what was printed is: the same until something does not fit.
    let (mut inner, mut outer) = (0_usize, 0_usize);
    let mut at = 0;
    while let Some((unit, length)) = unit_at(line, at) {
        printer.ctx.tick().await?;
        let bytes = line.get(at..at + length).unwrap_or(&[]);
        at += length;
        match bytes {
            b"\t" => {
                let distance = size - inner % size;
                if inner == outer {
                    let stop = outer.saturating_add(distance);
                    if printer.settings.expand_tabs {
                        let stop = stop.min(bound);
                        printer.repeat(b' ', stop.saturating_sub(outer)).await?;
                        outer = outer.max(stop);
                    } else if stop < bound {
                        outer = stop;
                        printer.write(b"\t").await?;
                    }
                }
                inner = inner.saturating_add(distance);
            }
            b"\r" => {
                printer.write(b"\r").await?;
                blanks(printer, 0, indent).await?;
                (inner, outer) = (0, 0);
            }
            b"\x08" => {
                if inner > 0 {
                    inner -= 1;
                    if inner < bound {
                        if outer <= inner {
                            // Blanks for a tab that did not fit.
                            printer.repeat(b' ', inner - outer).await?;
                        } else {
                            printer.write(b"\x08").await?;
                        }
                        outer = inner;
                    }
                }
            }
            b"\x0b" | b"\x0c" => {
                if inner < bound {
                    printer.write(bytes).await?;
                }
            }
            _ => {
                let columns = character(unit).map_or(1, |letter| width(letter).unwrap_or(0));
                inner = inner.saturating_add(columns);
                if inner <= bound {
                    outer = inner;
                    printer.write(bytes).await?;
                }
            }
        }
    }
    Ok(outer)
}
