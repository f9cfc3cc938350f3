//! Random scripts from a grammar of bash, as trees of statements so that a failing one can be cut down.
//!
//! A script is bounded in time and output by its grammar: loops run over words or count to a small number, functions
//! call only those of a lower number. It reads and writes files of its working directory alone.

#![allow(dead_code, clippy::format_push_string, reason = "not every test uses all of it")]

mod command;
mod construct;
pub(crate) mod mutation;
pub(crate) mod random;
mod word;

use random::Random;

/// A statement, or a compound one with statements inside.
#[derive(Clone, Debug)]
pub(crate) enum Statement {
    /// A command, on lines of its own.
    Line(String),
    /// `head`, the statements, `tail`, each on its own line.
    Block { head: String, body: Vec<Statement>, tail: String },
}

/// The script's text.
pub(crate) fn render(statements: &[Statement]) -> String {
    let mut out = String::new();
    put(statements, &mut out);
    out
}

fn put(statements: &[Statement], out: &mut String) {
    for statement in statements {
        match statement {
            Statement::Line(line) => out.push_str(line),
            Statement::Block { head, body, tail } => {
                out.push_str(head);
                out.push('\n');
                put(body, out);
                if body.is_empty() {
                    out.push_str(":\n");
                }
                out.push_str(tail);
            }
        }
        out.push('\n');
    }
}

/// The random script of a seed.
pub(crate) fn script(seed: u64) -> Vec<Statement> {
    let random = &mut Random::new(seed);
    let mut statements = command::prelude(random);
    for _ in 0..3 + random.below(8) {
        statements.push(command::statement(random, 2));
    }
    statements.extend(command::epilogue());
    statements
}

/// As [`script`], with more of the constructs that the manual has.
pub(crate) fn wide_script(seed: u64) -> Vec<Statement> {
    let random = &mut Random::new(seed);
    let mut statements = command::prelude(random);
    for _ in 0..=random.below(3) {
        statements.extend(construct::statements(random));
        if random.once_in(2) {
            statements.push(command::statement(random, 2));
        }
    }
    statements.extend(command::epilogue());
    statements
}

/// The script whose options come from `options` and whose statements come from a number each: it is cut down by leaving
/// numbers out.
pub(crate) fn script_of(options: u64, statements: &[u64]) -> Vec<Statement> {
    let mut script = command::prelude(&mut Random::new(options));
    script.extend(statements.iter().map(|&seed| command::statement(&mut Random::new(seed), 2)));
    script.extend(command::epilogue());
    script
}

/// The smallest script, by leaving out statements and unwrapping blocks, for which `fails` still holds. `tries` bounds
/// the calls.
pub(crate) fn shrink(
    mut statements: Vec<Statement>,
    mut tries: usize,
    fails: &mut dyn FnMut(&[Statement]) -> bool,
) -> Vec<Statement> {
    loop {
        let count = size(&statements);
        let mut smaller = false;
        let mut at = 0;
        while at < size(&statements) {
            let candidates = [without(&statements, at, false), without(&statements, at, true)];
            let Some(better) = candidates.into_iter().flatten().find(|candidate| {
                tries = tries.saturating_sub(1);
                tries > 0 && fails(candidate)
            }) else {
                at += 1;
                continue;
            };
            statements = better;
            smaller = true;
        }
        if !smaller || tries == 0 || size(&statements) >= count {
            return statements;
        }
    }
}

fn size(statements: &[Statement]) -> usize {
    statements
        .iter()
        .map(|statement| match statement {
            Statement::Line(_) => 1,
            Statement::Block { body, .. } => 1 + size(body),
        })
        .sum()
}

/// The script without its statement number `at` (in preorder), or with the body in its place (`None` for a line).
fn without(statements: &[Statement], at: usize, keep_body: bool) -> Option<Vec<Statement>> {
    let mut left = at;
    let mut out = Vec::new();
    let mut done = false;
    for statement in statements {
        let mine = size(std::slice::from_ref(statement));
        if done || left >= mine {
            left = left.wrapping_sub(if done { 0 } else { mine });
            out.push(statement.clone());
            continue;
        }
        done = true;
        match statement {
            Statement::Line(_) if keep_body => return None,
            Statement::Line(_) => {}
            Statement::Block { body, .. } if left == 0 => {
                if keep_body {
                    out.extend(body.iter().cloned());
                }
            }
            Statement::Block { head, body, tail } => {
                let body = without(body, left - 1, keep_body)?;
                out.push(Statement::Block { head: head.clone(), body, tail: tail.clone() });
            }
        }
    }
    done.then_some(out)
}
