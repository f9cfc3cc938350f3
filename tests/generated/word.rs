//! Random words: quotes, expansions, patterns, arithmetic.

use super::random::Random;

/// Plain pieces of a word, as they stand unquoted in a script.
const LITERALS: &[&str] = &[
    "a", "b", "c", "ab", "abc", "x1", "12", "-3", "0", "foo", "bar", "a.b", "a:b", "=", "a=b", "é", "%", "+",
    "-", "-n", "d/x", ",", "^", "@", "a/b/c", "A", "Foo", "\\$", "\\\\", "\\ ", "\\*", "\\'", "\\\"", "]",
    "{", "}", "~", "a~", "%s", "\\n", "x\\y",
];
/// What may stand between single quotes.
const SINGLE: &[&str] = &[
    "",
    " ",
    "a b",
    " x  y ",
    "*",
    "a*",
    "?",
    "[ab]",
    "a:b:c",
    ":x::y:",
    "\\",
    "a\\b",
    "\"",
    "-e",
    "$a",
    "`",
    "\\n",
    "tab\there",
    "l1\nl2",
    "l1\n\nl3\n",
    "é ü",
    "#",
    "{p,q}",
    "~",
    "%d",
    "!",
    "\\\\",
    "&",
    "a&b",
    "1,2;3",
];
/// What may stand between double quotes besides expansions.
const DOUBLE: &[&str] = &[
    "", " ", "a b", "x", "'", "\\\"", "\\$", "\\\\", "\\`", "*", "[x]", "\\n", "  ", "a'b", "{1,2}", "~",
    "\\a", "!", "é", ":", "/", "}",
];
/// What may stand between `$'` and `'`.
const ANSI: &[&str] = &[
    "\\n", "a\\tb", "\\x41", "\\101", "\\'", "\\\\", "x", "\\u00e9", "\\e[0m", " ", "\\\"", "\\q", "*", "\\a",
];
/// Pieces that select files of the tree.
const GLOBS: &[&str] = &[
    "*",
    "?",
    "a*",
    "*.txt",
    "[ab]*",
    "[!a]*",
    "d/*",
    "*/",
    "a?",
    "nope*",
    "[a-c]1",
    "*[0-9]",
    ".h*",
    "*/*.txt",
    "[[:alpha:]]1",
    "d/?",
    "[]a]1",
    "**",
    "./*1",
    "\\a*",
    "[b.]*",
];
/// Brace expansions.
const BRACES: &[&str] = &[
    "{a,b}",
    "{1..3}",
    "{3..1}",
    "{a..d}",
    "{a,b}{1,2}",
    "x{,y}z",
    "{01..03}",
    "{1..7..3}",
    "{a}",
    "{,}",
    "{a,{b,c}}",
    "{a,b",
    "{$a,x}",
    "{\"a b\",c}",
    "a{b,c}d{e,f}",
    "{-1..1}",
    "{z..x..2}",
    "{1..}",
    "{'',q}",
];
/// Patterns of `case`, `[[ == ]]` and `${name#pattern}`.
const PATTERNS: &[&str] = &[
    "*",
    "?",
    "a",
    "a*",
    "*b",
    "*a*",
    "[ab]",
    "[!a]",
    "[^a-c]",
    "??",
    "*:",
    ":*",
    "*/",
    "x",
    "\"*\"",
    "'?'",
    "\\*",
    "[[:digit:]]",
    "[[:space:]]",
    "[[:upper:]]*",
    "$a",
    "\"$a\"",
    "$b*",
    "?*",
    "[a-",
    "[",
    "*[!0-9]",
    "a|b",
    "''",
    "[]]",
    "\\\\",
    "*\\",
    "l1*",
    " ",
    "\" \"",
    "é",
    "[é]",
    ".",
    "~",
];
const SCALARS: &[&str] = &["a", "b", "c", "v", "n", "u", "IFS", "1", "2", "3", "#", "?", "lo", "r"];
const SETTABLE: &[&str] = &["a", "b", "c", "v", "n", "u"];

/// A random word that is not quoted as a whole.
pub(crate) fn word(random: &mut Random, depth: usize) -> String {
    let pieces = 1 + random.below(if depth > 1 { 3 } else { 2 });
    (0..pieces).map(|_| piece(random, depth)).collect()
}

fn piece(random: &mut Random, depth: usize) -> String {
    match random.below(if depth == 0 { 8 } else { 17 }) {
        0..=2 => random.pick(LITERALS).to_owned(),
        3 => format!("'{}'", random.pick(SINGLE)),
        4 => format!("$'{}{}'", random.pick(ANSI), random.pick(ANSI)),
        5 => random.pick(GLOBS).to_owned(),
        6 => random.pick(BRACES).to_owned(),
        7 => format!("${}", variable(random)),
        8 | 9 => double(random, depth - 1),
        10..=12 => parameter(random, depth - 1, false),
        13 => list_parameter(random, depth - 1),
        14 => format!("\"{}\"", list_parameter(random, depth - 1)),
        15 => format!("$(({}))", arithmetic(random, depth - 1)),
        _ => substitution(random, depth - 1),
    }
}

/// A word in double quotes.
pub(crate) fn double(random: &mut Random, depth: usize) -> String {
    let mut text = String::from("\"");
    for _ in 0..=random.below(3) {
        match random.below(6) {
            0 | 1 => text.push_str(random.pick(DOUBLE)),
            2 => text.push_str(&format!("${{{}}}", variable(random))),
            3 | 4 if depth > 0 => text.push_str(&parameter(random, depth - 1, true)),
            5 if depth > 0 => text.push_str(&substitution(random, depth - 1)),
            _ => text.push_str(&format!("$(({}))", arithmetic(random, 0))),
        }
    }
    text.push('"');
    text
}

fn variable(random: &mut Random) -> &'static str {
    random.pick(SCALARS)
}

fn substitution(random: &mut Random, depth: usize) -> String {
    let command = match random.below(6) {
        0 => "echo hi".to_owned(),
        1 => format!("echo {}", word(random, depth.min(1))),
        2 => "printf 'p q\\n\\n'".to_owned(),
        3 => format!("printf '%s ' {}", word(random, depth.min(1))),
        4 => "false".to_owned(),
        _ => format!("f1 {}", word(random, 0)),
    };
    if random.once_in(6) && !command.contains(['`', '\\', '"', '\'']) {
        format!("`{command}`")
    } else {
        format!("$({command})")
    }
}

/// A parameter that holds one value: `name`, `name[subscript]`.
fn single(random: &mut Random, depth: usize) -> String {
    match random.below(8) {
        0..=4 => variable(random).to_owned(),
        5 => format!("arr[{}]", random.pick(&["0", "1", "-1", "n", "7", "n-1", "$n"])),
        6 => format!("m[{}]", random.pick(&["k", "k2", "a b", "$a", "no", "'k'"])),
        _ if depth > 0 => format!("arr[{}]", arithmetic(random, 0)),
        _ => "arr".to_owned(),
    }
}

/// `${...}` of one value.
pub(crate) fn parameter(random: &mut Random, depth: usize, quoted: bool) -> String {
    let name = single(random, depth);
    format!("${{{}}}", operation(random, &name, depth, quoted))
}

/// `${...}` of a list: `@`, `*`, arrays.
fn list_parameter(random: &mut Random, depth: usize) -> String {
    let name = random.pick(&["@", "*", "arr[@]", "arr[*]", "m[@]", "arr[@]", "arr[*]"]);
    match random.below(7) {
        0..=2 => format!("${{{name}}}"),
        3 if name.len() > 1 => format!("${{!{name}}}"),
        4 if !name.starts_with('m') => format!(
            "${{{name}:{}{}}}",
            random.pick(&["0", "1", "2", " -1", " -2", "n"]),
            random.pick(&["", ":1", ":2", ":0", ":n"])
        ),
        _ => format!("${{{}}}", operation(random, name, depth, true)),
    }
}

fn operation(random: &mut Random, name: &str, depth: usize, quoted: bool) -> String {
    let inner = |random: &mut Random| {
        if quoted || depth == 0 {
            match random.below(4) {
                0 => format!("${}", variable(random)),
                1 => random.pick(&["x", "y z", "*", "'q'", "\"q r\"", "\\}", "~", "a:b", ""]).to_owned(),
                2 => format!("${{{}}}", variable(random)),
                _ => random.pick(&["def", "1", "\\\\", "\"$a\""]).to_owned(),
            }
        } else {
            word(random, 0)
        }
    };
    match random.below(17) {
        0 | 1 => format!("{name}{}{}", random.pick(&["-", ":-", "+", ":+", ":-", ":+"]), inner(random)),
        2 if SETTABLE.contains(&name) => format!("{name}{}{}", random.pick(&["=", ":="]), inner(random)),
        3 | 4 => format!("{name}{}{}", random.pick(&["#", "##", "%", "%%"]), pattern(random)),
        5..=7 => {
            let operator = random.pick(&["/", "//", "/#", "/%"]);
            let pattern = pattern(random).replace('/', "\\/");
            if random.once_in(5) {
                format!("{name}{operator}{pattern}")
            } else {
                format!("{name}{operator}{pattern}/{}", inner(random))
            }
        }
        8 => format!(
            "{name}{}",
            random.pick(&["^", "^^", ",", ",,", "~", "~~", "^[a-c]", "^^[a-c]", ",,[A-F]", "^^?"])
        ),
        9 if name != "@" && name != "*" => format!("#{name}"),
        10 | 11 if name != "@" && name != "*" && !name.ends_with("@]") && !name.ends_with("*]") => format!(
            "{name}:{}{}",
            random.pick(&["0", "1", "2", " -1", " -2", "n", "(1)", "10", "0-1", "n+1"]),
            random.pick(&["", ":1", ":2", ":-1", ":0", ":n", ": -2"])
        ),
        12 | 13 => format!("{name}@{}", random.pick(&["Q", "U", "u", "L", "E", "A", "a", "K", "k"])),
        14 if name == "r" => "!r".to_owned(),
        _ => name.to_owned(),
    }
}

/// A pattern.
pub(crate) fn pattern(random: &mut Random) -> String {
    match random.below(10) {
        0..=6 => random.pick(PATTERNS).replace('|', ""),
        7 => format!("{}{}", random.pick(&["a", "*", "?"]), random.pick(PATTERNS).replace('|', "")),
        8 => random
            .pick(&["@(a|b)", "+(a)", "*(ab|c)", "?(x)a", "!(a*)", "+([0-9])", "@(a|b*)c", "!(x)"])
            .to_owned(),
        _ => format!("${}", variable(random)),
    }
}

/// An arithmetic expression.
pub(crate) fn arithmetic(random: &mut Random, depth: usize) -> String {
    if depth == 0 {
        return random
            .pick(&[
                "0",
                "1",
                "2",
                "7",
                "n",
                "$n",
                "-1",
                "0x1f",
                "010",
                "2#101",
                "16#ff",
                "u",
                "${#a}",
                "arr[1]",
                "n++",
                "--n",
                "arr[n]",
                "${#arr[@]}",
                "99",
                "3",
                "!n",
                "~n",
                "$#",
                "${n}0",
            ])
            .to_owned();
    }
    let (left, right) = (arithmetic(random, depth - 1), arithmetic(random, depth - 1));
    match random.below(9) {
        0 => format!("({left})"),
        1 => format!("{left} ? {right} : {}", arithmetic(random, depth - 1)),
        2 => format!("(n {} {right})", random.pick(&["=", "+=", "-=", "*=", "|=", "<<="])),
        3 => format!("{left}, {right}"),
        4 => format!("(arr[{}] = {right})", random.pick(&["0", "2", "n & 3"])),
        5 => format!("(m[k] {} {right})", random.pick(&["=", "+="])),
        6 => format!("{left} {} {}", random.pick(&["<<", ">>", "**"]), random.pick(&["0", "1", "3", "n&7"])),
        _ => format!(
            "{left} {} {right}",
            random.pick(&[
                "+", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "!=", "&", "|", "^", "&&", "||", "+",
                "-"
            ])
        ),
    }
}
