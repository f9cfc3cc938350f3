//! Random regular expressions, as `sed` and `grep` take them, and texts in which they find something.

use super::random::Random;

/// How an expression is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grammar {
    Basic,
    Extended,
    Perl,
}

/// Texts that lines and expressions are made of.
pub(crate) const WORDS: &[&str] = &[
    "a", "b", "c", "ab", "abc", "ba", "aa", "aab", "foo", "bar", "foobar", "Foo", "BAR", "x1", "12", "345",
    "7", "_", "a_b", "é", "É", "日本", " ", "  ", "\t", ",", ".", "*", "+", "?", "[", "]", "(", ")", "{",
    "}", "|", "^", "$", "\\", "-", "/", "&", "#", ";", ":", "=", "!", "'", "\"", "%", "a.b", "x=1", "end",
    "one two", "a-b", "a/b", "f(x)", "[0]", "{2}", "\\n", "\\1",
];

/// Texts without a special character.
const PLAIN: &[&str] =
    &["a", "b", "c", "ab", "foo", "bar", "o", "x", "1", "2", "é", " ", "f", "F", "A", "_", ",", "="];

/// Single characters that stand for themselves nearly everywhere.
const CHARACTERS: &[&str] = &["a", "b", "o", "f", "1", "x", "é", " ", "-"];

const ITEMS: &[&str] = &[
    "a",
    "b",
    "ab",
    "abc",
    "a-c",
    "0-9",
    "a-z",
    "A-Z",
    "fo",
    "x1",
    ".",
    "*",
    "$",
    "|",
    "(",
    "é",
    "é-ü",
    "_",
    " ",
    ",",
    "/",
    "[:alpha:]",
    "[:digit:]",
    "[:space:]",
    "[:upper:]",
    "[:lower:]",
    "[:punct:]",
    "[:alnum:]",
    "[:blank:]",
    "[=a=]",
    "[.-.]",
    "[:xdigit:]",
    "[:print:]",
    "[:graph:]",
    "[:cntrl:]",
    "\\",
    "\\n",
    "\\w",
    "\\]",
    "&",
];

/// A random expression.
pub(crate) fn expression(random: &mut Random, grammar: Grammar) -> String {
    let mut writer = Writer { random, grammar, groups: 0, complete: 0 };
    let mut out = String::new();
    if writer.random.once_in(60) {
        return out;
    }
    if writer.random.once_in(7) {
        out.push('^');
    }
    writer.alternatives(&mut out, 2);
    if writer.random.once_in(8) {
        out.push('$');
    }
    out
}

/// The number of groups of an expression, about.
pub(crate) fn groups(text: &str, grammar: Grammar) -> usize {
    let open =
        if grammar == Grammar::Basic { text.matches("\\(").count() } else { text.matches('(').count() };
    open.min(9)
}

struct Writer<'r> {
    random: &'r mut Random,
    grammar: Grammar,
    groups: usize,
    /// Groups that are closed, so that they can be referred to.
    complete: usize,
}

impl Writer<'_> {
    fn special(&self, text: &str) -> String {
        if self.grammar == Grammar::Basic { format!("\\{text}") } else { text.to_owned() }
    }

    fn alternatives(&mut self, out: &mut String, depth: usize) {
        self.sequence(out, depth);
        while self.random.once_in(7) {
            out.push_str(&self.special("|"));
            if !self.random.once_in(12) {
                self.sequence(out, depth);
            }
        }
    }

    fn sequence(&mut self, out: &mut String, depth: usize) {
        for _ in 0..=self.random.below(3) {
            self.piece(out, depth);
        }
    }

    fn piece(&mut self, out: &mut String, depth: usize) {
        match self.random.below(40) {
            0..=15 => out.push_str(self.random.pick(PLAIN)),
            16..=18 => out.push('.'),
            19..=22 => self.bracket(out),
            23..=26 if depth > 0 => self.group(out, depth),
            27 if self.complete > 0 => {
                out.push_str(&format!("\\{}", 1 + self.random.below(self.complete.min(9))));
            }
            28 | 29 => out.push_str(self.random.pick(&["\\w", "\\W", "\\s", "\\S", "\\w", "\\s"])),
            30 => out.push_str(self.random.pick(&["\\b", "\\B", "\\<", "\\>", "\\`", "\\'", "^", "$"])),
            31 => out.push_str(
                self.random.pick(&["\\.", "\\*", "\\[", "\\]", "\\\\", "\\$", "\\^", "\\/", "\\-"]),
            ),
            32 if self.grammar == Grammar::Perl => self.perl(out, depth),
            33 if self.random.once_in(4) => {
                out.push_str(
                    self.random
                        .pick(&["*", "+", "?", "|", "{", "}", "(", ")", "{1", "{,2}", "{2,1}", "\\{", "\\}"]),
                );
            }
            _ => out.push_str(self.random.pick(CHARACTERS)),
        }
        let is_repeatable = !out.ends_with(['^', '$', '|', '(', '*', '?', '+', '}', '{']);
        if self.random.once_in(if is_repeatable { 4 } else { 40 }) {
            self.repetition(out);
            if self.random.once_in(25) {
                self.repetition(out);
            }
        }
    }

    fn repetition(&mut self, out: &mut String) {
        match self.random.below(8) {
            0..=2 => out.push('*'),
            3 => out.push_str(&self.special("+")),
            4 => out.push_str(&self.special("?")),
            _ => {
                let interval = self.random.pick(&["2", "1,2", "0,1", ",2", "1,", "0", "2,3", ",", "3", "0,"]);
                let (open, close) = (self.special("{"), self.special("}"));
                out.push_str(&format!("{open}{interval}{close}"));
            }
        }
        if self.grammar == Grammar::Perl && self.random.once_in(5) {
            out.push_str(self.random.pick(&["?", "+"]));
        }
    }

    fn group(&mut self, out: &mut String, depth: usize) {
        out.push_str(&self.special("("));
        self.groups += 1;
        if !self.random.once_in(30) {
            self.alternatives(out, depth - 1);
        }
        out.push_str(&self.special(")"));
        self.complete = self.groups;
    }

    fn bracket(&mut self, out: &mut String) {
        out.push('[');
        if self.random.once_in(4) {
            out.push('^');
        }
        if self.random.once_in(20) {
            out.push(']');
        }
        // A class alone between brackets is refused.
        if out.ends_with('[') && self.random.once_in(2) {
            out.push_str(self.random.pick(PLAIN));
        }
        for _ in 0..=self.random.below(3) {
            out.push_str(self.random.pick(ITEMS));
        }
        if self.random.once_in(12) && !out.ends_with('-') {
            out.push('-');
        }
        if !self.random.once_in(80) {
            out.push(']');
        }
    }

    fn perl(&mut self, out: &mut String, depth: usize) {
        let head = self.random.pick(&[
            "(?:",
            "(?=",
            "(?!",
            "(?<=",
            "(?<!",
            "(?>",
            "(?i:",
            "(?<n>",
            "(?i)",
            "\\d",
            "\\D",
            "\\K",
            "\\h",
            "\\R",
            "\\x41",
            "\\x{e9}",
            "\\Qa.b\\E",
            "\\A",
            "\\z",
            "\\Z",
            "\\pL",
            "\\p{Lu}",
            "\\t",
            "\\N",
            "\\G",
            "(?#c)",
            "(?s).",
            "(?-i)",
        ]);
        out.push_str(head);
        let opens = head.starts_with('(') && !head.ends_with(')') && !head.ends_with('.');
        if head == "(?<n>" {
            self.groups += 1;
        }
        if opens {
            if head.contains('<') && head != "(?<n>" {
                out.push_str(self.random.pick(PLAIN));
            } else if depth > 0 {
                self.alternatives(out, depth - 1);
            } else {
                out.push_str(self.random.pick(PLAIN));
            }
            out.push(')');
        }
        if head == "(?<n>" {
            self.complete = self.groups;
        }
    }
}

/// A random line, without its newline.
pub(crate) fn line(random: &mut Random) -> String {
    let mut line = String::new();
    if random.once_in(12) {
        return line;
    }
    for _ in 0..=random.below(6) {
        line.push_str(random.pick(WORDS));
        if random.once_in(3) {
            line.push(' ');
        }
    }
    line
}

/// Random lines; bytes that are no text, and a missing newline at the end, at times.
pub(crate) fn lines(random: &mut Random, most: usize, has_bytes: bool) -> Vec<u8> {
    let mut text = Vec::new();
    for _ in 0..random.below(most + 1) {
        text.extend_from_slice(line(random).as_bytes());
        if has_bytes && random.once_in(12) {
            let bytes: [&[u8]; 6] = [b"\0", b"\xff", b"\xc3", b"a\x80b", b"\r", b"\x1b[1m"];
            text.extend_from_slice(bytes[random.below(bytes.len())]);
        }
        text.push(b'\n');
    }
    if random.once_in(5) {
        text.pop();
    }
    text
}

/// A text with a fault: a character deleted, doubled, exchanged with another, or put in.
pub(crate) fn break_at_random(random: &mut Random, text: &str) -> String {
    const PUT_IN: &[&str] = &[
        "/",
        "\\",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "*",
        ",",
        ";",
        "\n",
        "!",
        "~",
        "+",
        "0",
        "1",
        "$",
        "s",
        "y",
        "a",
        "b",
        "t",
        "x",
        "w",
        "&",
        "\\(",
        "\\{",
        "\\1",
        ":",
        " ",
        "I",
        "q",
        "k",
        "é",
        "#",
        "=",
        "?",
        "|",
        "[:",
        "[[:foo:]]",
        "b-a",
    ];
    let mut characters: Vec<String> = text.chars().map(String::from).collect();
    let at = random.below(characters.len() + 1);
    match random.below(4) {
        0 if at < characters.len() => {
            characters.remove(at);
        }
        1 if at < characters.len() => random.pick(PUT_IN).clone_into(&mut characters[at]),
        2 if at < characters.len() => characters.insert(at, characters[at].clone()),
        _ => characters.insert(at, random.pick(PUT_IN).to_owned()),
    }
    characters.concat()
}
