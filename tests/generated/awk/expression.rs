//! Random expressions: numbers, texts, regular expressions, lvalues.

use super::super::random::Random;
use super::table::{NUMBERS, ORDERS, REGEXES, STRINGS, TEXTS, TIME_FORMATS};

/// What can be named where an expression stands.
pub(super) struct Scope {
    pub(super) functions: Vec<(String, usize)>,
    pub(super) scalars: Vec<&'static str>,
    pub(super) arrays: Vec<&'static str>,
}

pub(super) fn lvalue(random: &mut Random, scope: &Scope) -> String {
    match random.below(12) {
        0 => "$1".to_owned(),
        1 => "$2".to_owned(),
        2 => random.pick(&["$0", "$NF", "$3", "$(NF + 2)", "NF", "NR", "$(1 + 1)"]).to_owned(),
        3 | 4 => format!("{}[{}]", array(random, scope), subscript(random, scope)),
        5 if random.once_in(4) => {
            random.pick(&["OFS", "FS", "CONVFMT", "SUBSEP", "RSTART", "FNR"]).to_owned()
        }
        _ => scalar(random, scope),
    }
}

pub(super) fn scalar(random: &mut Random, scope: &Scope) -> String {
    scope.scalars[random.below(scope.scalars.len())].to_owned()
}

pub(super) fn array(random: &mut Random, scope: &Scope) -> String {
    scope.arrays[random.below(scope.arrays.len())].to_owned()
}

fn subscript(random: &mut Random, scope: &Scope) -> String {
    match random.below(9) {
        0 => "1".to_owned(),
        1 => "\"k\"".to_owned(),
        2 => "$1".to_owned(),
        3 => "NR".to_owned(),
        4 => format!("{}, {}", number(random, 0, scope), text(random, 0, scope)),
        5 => "0.1 + 0.2".to_owned(),
        6 => "01".to_owned(),
        _ => value(random, 0, scope),
    }
}

pub(super) fn value(random: &mut Random, depth: usize, scope: &Scope) -> String {
    match random.below(5) {
        0 => scalar(random, scope),
        1 | 2 => number(random, depth, scope),
        _ => text(random, depth, scope),
    }
}

pub(super) fn number(random: &mut Random, depth: usize, scope: &Scope) -> String {
    if depth == 0 || random.once_in(3) {
        return match random.below(9) {
            0 => "NR".to_owned(),
            1 => "NF".to_owned(),
            2 => scalar(random, scope),
            3 => "$1".to_owned(),
            4 => random
                .pick(&[
                    "1.5",
                    "-1",
                    "0.1",
                    "1e3",
                    "100",
                    "3.0",
                    "65",
                    "-2.5",
                    "256",
                    "1e6",
                    "2147483648",
                    "0",
                ])
                .to_owned(),
            _ => random.pick(&["1", "2", "3", "0", "5", "10"]).to_owned(),
        };
    }
    match random.below(6) {
        0 => {
            let (left, right) = (number(random, depth - 1, scope), number(random, depth - 1, scope));
            format!("({left} {} {right})", random.pick(&["+", "-", "*", "/", "%", "+", "-"]))
        }
        1 => call(random, depth, scope),
        _ => {
            let template = random.pick(NUMBERS);
            fill(random, template, depth - 1, scope)
        }
    }
}

pub(super) fn text(random: &mut Random, depth: usize, scope: &Scope) -> String {
    if depth == 0 || random.once_in(3) {
        return match random.below(6) {
            0 => random.pick(&["$0", "$1", "$2", "$NF"]).to_owned(),
            1 => scalar(random, scope),
            _ => format!("\"{}\"", random.pick(STRINGS)),
        };
    }
    if random.once_in(8) {
        return call(random, depth, scope);
    }
    let template = random.pick(TEXTS);
    fill(random, template, depth - 1, scope)
}

fn call(random: &mut Random, depth: usize, scope: &Scope) -> String {
    let Some(at) = scope.functions.len().checked_sub(1) else { return number(random, depth - 1, scope) };
    let (name, parameters) = scope.functions[random.below(at + 1)].clone();
    let mut arguments: Vec<String> =
        (0..random.below(parameters + 1)).map(|_| value(random, depth - 1, scope)).collect();
    if !arguments.is_empty() && random.once_in(3) {
        let last = arguments.len() - 1;
        // The function uses its last parameter as an array.
        arguments[last] = array(random, scope);
    }
    format!("{name}({})", arguments.join(", "))
}

pub(super) fn regex(random: &mut Random, depth: usize, scope: &Scope) -> String {
    match random.below(8) {
        0 => format!("\"{}\"", random.pick(REGEXES)),
        1 if depth > 0 => text(random, depth - 1, scope),
        _ => {
            let of = if random.once_in(6) { REGEXES.len() } else { 33 };
            format!("/{}/", random.pick(&REGEXES[..of]).replace("\\\\", "\\"))
        }
    }
}

/// The template with its holes filled; the table says what they are.
pub(super) fn fill(random: &mut Random, template: &str, depth: usize, scope: &Scope) -> String {
    let mut out = String::new();
    let mut characters = template.chars().peekable();
    while let Some(character) = characters.next() {
        // `$NF` and `$1` stand for themselves.
        let name = characters.peek().copied().unwrap_or(' ');
        let is_hole = character == '$' && "NSXRALTO".contains(name);
        if !is_hole {
            out.push(character);
            continue;
        }
        characters.next();
        if name == 'N' && characters.peek() == Some(&'F') {
            out.push_str("$N");
            continue;
        }
        out.push_str(&match name {
            'N' => number(random, depth, scope),
            'S' => text(random, depth, scope),
            'X' => value(random, depth, scope),
            'R' => regex(random, depth, scope),
            'A' => array(random, scope),
            'T' => random.pick(TIME_FORMATS).to_owned(),
            'O' => random.pick(ORDERS).to_owned(),
            _ => lvalue(random, scope),
        });
    }
    out
}
