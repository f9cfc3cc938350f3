//! Random JSON texts, and texts that are nearly JSON.

use super::super::random::Random;

const NUMBERS: &[&str] = &[
    "0",
    "1",
    "2",
    "-1",
    "3",
    "10",
    "1.5",
    "-0",
    "0.1",
    "1.0",
    "1e3",
    "100",
    "1000",
    "-2.50",
    "1E-5",
    "1e17",
    "123456789012",
    "100000000000000000001",
    "0.00001",
    "1e1000",
    "-1e1000",
    "5e-324",
    "1.7976931348623157e308",
    "3.141592653589793238",
    "9007199254740993",
    "1425599621",
    "1.000",
    "nan",
    "12345678901234567890.125",
];
pub(super) const STRINGS: &[&str] = &[
    "a",
    "b",
    "abc",
    "",
    "a,b",
    "é",
    "1",
    "x y",
    "aXbX",
    "A-b_C",
    "2015-03-05T23:51:47Z",
    " lead",
    "trail\\n",
    "日本",
    "\\u0000",
    "\\ud83d\\ude00",
    "a\\\"q\\\"",
    "<&'>",
    "1.50",
    "null",
    "[1,2]",
    "{\\\"a\\\":1}",
    "YWJj",
    "%41+b",
    "foo bar foo",
    "\\t",
    "\\ud800",
    "test",
    "aaa",
    "10:20",
    "é\\u0301",
    "-1",
    "nan",
    "0x1",
    "ab\\u007f",
    "MFRGG===",
];
const KEYS: &[&str] = &["a", "b", "c", "a", "b", "key", "value", "name", "id", "é", "", "a b"];

/// A value as JSON.
pub(super) fn value(random: &mut Random, depth: usize) -> String {
    let leaf = depth == 0 || random.once_in(3);
    match random.below(if leaf { 9 } else { 13 }) {
        0 => "null".to_owned(),
        1 => "true".to_owned(),
        2 => "false".to_owned(),
        3..=5 => random.pick(NUMBERS).to_owned(),
        6..=8 => format!("\"{}\"", random.pick(STRINGS)),
        9 => object(random, depth - 1),
        10 => uniform(random, depth - 1),
        11 => array(random, depth - 1),
        _ => object(random, depth - 1),
    }
}

pub(super) fn object(random: &mut Random, depth: usize) -> String {
    let members: Vec<String> =
        (0..random.below(4)).map(|_| format!("\"{}\":{}", random.pick(KEYS), value(random, depth))).collect();
    format!("{{{}}}", members.join(","))
}

pub(super) fn array(random: &mut Random, depth: usize) -> String {
    let elements: Vec<String> = (0..random.below(4)).map(|_| value(random, depth)).collect();
    format!("[{}]", elements.join(","))
}

/// An array of values of one kind.
pub(super) fn uniform(random: &mut Random, depth: usize) -> String {
    let kind = random.below(4);
    let elements: Vec<String> = (0..=random.below(4))
        .map(|_| match kind {
            0 => random.pick(&["1", "2", "3", "1", "0.5", "-4", "10"]).to_owned(),
            1 => format!("\"{}\"", random.pick(&["a", "b", "ab", "c", "B", "é", ""])),
            2 => {
                format!("{{\"a\":{},\"b\":{}}}", random.pick(&["1", "2", "null", "\"x\""]), value(random, 0))
            }
            _ => array(random, depth.saturating_sub(1)),
        })
        .collect();
    format!("[{}]", elements.join(","))
}

/// A value of a kind of the filters' table.
pub(super) fn of_kind(random: &mut Random, kind: char) -> String {
    match kind {
        'n' => random.pick(NUMBERS).to_owned(),
        's' => format!("\"{}\"", random.pick(STRINGS)),
        'a' if random.once_in(2) => uniform(random, 1),
        'a' => array(random, 2),
        'o' => object(random, 2),
        'b' => random.pick(&["true", "false"]).to_owned(),
        'z' => "null".to_owned(),
        _ => value(random, 2),
    }
}

/// A text that is not quite JSON.
pub(super) fn broken(random: &mut Random) -> String {
    let mut text: Vec<char> = value(random, 2).chars().collect();
    for _ in 0..=random.below(2) {
        let at = random.below(text.len() + 1);
        match random.below(5) {
            0 if at < text.len() => {
                text.remove(at);
            }
            1 if at < text.len() => text.truncate(at),
            2 if at < text.len() => text.insert(at, text[at]),
            _ => {
                let token = random.pick(&[
                    ",", ":", "[", "]", "{", "}", "\"", "'", "\\", "nul", "NaN", "-", "+", ".", "1e", "x",
                    "\u{1}", " ", "\n", "#", "//", "\\u12", "Infinity", "tru", "e", "00", "-nan", "\u{feff}",
                    "\\x", "1.2.3", "\r", "\u{1e}",
                ]);
                let token: Vec<char> = token.chars().collect();
                text.splice(at..at, token);
            }
        }
    }
    text.into_iter().collect()
}

/// What stands on standard input, and the kind of its values.
pub(super) fn stream(random: &mut Random, kind: char, raw: bool, sequence: bool) -> (Vec<u8>, char) {
    if raw || random.once_in(30) {
        let text =
            random.pick(&["one\ntwo\n", "a b", "", "\n\n", "x\r\ny\n", "é\n1,2\n", "\"q\"\n", "1\n2\n3"]);
        return (text.as_bytes().to_vec(), kind);
    }
    let mut text = String::new();
    let kind = match kind {
        '*' => ['n', 's', 'a', 'o', 'a', 'o', 'a', 'o', '*'][random.below(9)],
        other => other,
    };
    for _ in 0..random.below(4).max(usize::from(!random.once_in(10))) {
        if sequence && !random.once_in(5) {
            text.push('\u{1e}');
        }
        let element = if kind == 'z' { '*' } else { kind };
        text.push_str(&if random.once_in(25) { broken(random) } else { of_kind(random, element) });
        text.push_str(random.pick(&["\n", "\n", "\n", " ", "", "\t\n", "\r\n"]));
    }
    let mut bytes = text.into_bytes();
    if random.once_in(40) {
        let at = random.below(bytes.len() + 1);
        let odd: &[u8] = [b"\xff".as_slice(), b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"][random.below(4)];
        bytes.splice(at..at, odd.iter().copied());
    }
    (bytes, kind)
}

/// What stands in the file.
pub(super) fn file(random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..random.below(3) {
        text.push_str(&value(random, 2));
        text.push('\n');
    }
    text
}
