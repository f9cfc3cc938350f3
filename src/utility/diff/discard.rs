//! Which lines are left out before two files are compared: those that the other file does not have, and those that it has
//! often, where they stand among such. GNU diff does the same, so that what is compared is shorter and changes are not torn
//! apart by lines that mean little.

use crate::limit::LimitError;
use crate::memory::Vec;
use crate::utility::prelude::*;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Likelihood {
    /// It is compared.
    Kept,
    /// The other file does not have it.
    Alone,
    /// The other file has it often.
    Frequent,
}
use Likelihood::{Alone, Frequent, Kept};

/// Whether each line is left out; `others` says how often the other file has a number.
pub(super) async fn unlikely(
    ctx: &mut Context,
    sequence: &[u32],
    others: &[u32],
) -> Result<Vec<bool>, LimitError> {
    let mut often = 5_u32;
    let mut rest = sequence.len() / 64 / 4;
    while rest > 0 {
        often = often.saturating_mul(2);
        rest /= 4;
    }
    let mut lines: Vec<Likelihood> = Vec::with_capacity(sequence.len());
    for number in sequence {
        lines.push(match others.get(*number as usize).copied().unwrap_or(0) {
            0 => Alone,
            count if count > often => Frequent,
            _ => Kept,
        });
        ctx.tick().await?;
    }
    let mut at = 0;
    while at < lines.len() {
        ctx.tick().await?;
        match lines.get(at) {
            Some(Alone) => {
                let rest = lines.get_mut(at..).unwrap_or_default();
                let length = run_length(rest);
                ctx.tick_many((length / 8) as u32);
                at += keep_in_run(rest.get_mut(..length).unwrap_or_default()).max(1);
            }
            Some(Frequent) => {
                keep(&mut lines, at);
                at += 1;
            }
            _ => at += 1,
        }
    }
    Ok(lines.iter().map(|line| *line != Kept).collect())
}

fn keep(lines: &mut [Likelihood], at: usize) {
    if let Some(line) = lines.get_mut(at) {
        *line = Kept;
    }
}

/// How long a run of lines is that might be left out, with a line at its end that the other file does not have. The frequent
/// ones after it are kept by who comes to them.
fn run_length(lines: &[Likelihood]) -> usize {
    let end = lines.iter().position(|line| *line == Kept).unwrap_or(lines.len());
    let run = lines.get(..end).unwrap_or(lines);
    run.iter().rposition(|line| *line == Alone).map_or(0, |last| last + 1)
}

/// Keeps those frequent lines of a run that are too many, too many together, or near its ends. How many lines are done.
fn keep_in_run(run: &mut [Likelihood]) -> usize {
    let frequent = run.iter().filter(|line| **line == Frequent).count();
    if frequent * 4 > run.len() {
        for line in run.iter_mut().filter(|line| **line == Frequent) {
            *line = Kept;
        }
        return run.len();
    }
    // About the square root of a quarter of the run.
    let mut most = 1;
    let mut rest = run.len() / 4 / 4;
    while rest > 0 {
        most *= 2;
        rest /= 4;
    }
    for part in run.chunk_by_mut(|one, two| one == two) {
        if part.first() == Some(&Frequent) && part.len() > most {
            part.fill(Kept);
        }
    }
    keep_at_end(run.iter_mut());
    keep_at_end(run.iter_mut().rev());
    run.len()
}

/// Keeps the frequent lines up to three others in a row, or to the first other after eight.
fn keep_at_end<'l>(lines: impl Iterator<Item = &'l mut Likelihood>) {
    let mut together = 0;
    for (index, line) in lines.enumerate() {
        if index >= 8 && *line == Alone {
            break;
        }
        if *line == Alone {
            together += 1;
        } else {
            *line = Kept;
            together = 0;
        }
        if together == 3 {
            break;
        }
    }
}
