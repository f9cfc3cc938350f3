//! Random `sed` programs: options, scripts of all commands in all their forms, inputs; one in five has a fault.
//!
//! A script ends by its grammar: `b` and `t` go forward, or back where something was taken away before, and `D` does
//! not stand beside what puts newlines into the pattern space. A fault may break that: such a program is stopped.

use super::expression::{Grammar, break_at_random, expression, groups, line, lines};
use super::random::Random;
use super::{Call, Known, Tool};
use crate::host_run::Outcome;
use bstr::ByteSlice;

pub(crate) const TOOL: Tool = Tool { name: "sed", generate, known: KNOWN };

const KNOWN: &[Known] = &[
    Known {
        reason: "the usage is told in words of its own",
        explains: |_, theirs, ours| {
            let before = |text: &[u8]| text.find(b"Usage: sed [OPTION]...").map(|at| text[..at].to_vec());
            let both = (before(&theirs.stderr), before(&ours.stderr));
            both.0.is_some() && both.0 == both.1 && all_but_stderr(theirs) == all_but_stderr(ours)
        },
    },
    Known {
        reason: "a range in brackets may end in a character that is not ASCII",
        explains: |call, theirs, _| {
            theirs.stderr.ends_with(b": Invalid collation character\n") && call.has_wide_range()
        },
    },
    Known {
        reason: "where an expression matches nothing, no character is cut into its bytes",
        explains: |_, theirs, ours| {
            let is_cut = |theirs: &[u8], ours: &[u8]| {
                theirs == ours || (std::str::from_utf8(theirs).is_err() && std::str::from_utf8(ours).is_ok())
            };
            let files = theirs.files.len() == ours.files.len()
                && theirs.files.iter().zip(&ours.files).all(|((_, theirs), (_, ours))| is_cut(theirs, ours));
            theirs.status == ours.status && files && is_cut(&theirs.stdout, &ours.stdout)
        },
    },
    Known {
        reason: "where a byte that is no character stands, no word begins or ends for glibc",
        explains: |call, theirs, ours| {
            !call.is_text()
                && call.says(b"\\B")
                && theirs.stderr == ours.stderr
                && theirs.status == ours.status
        },
    },
    Known {
        reason: "with --posix the real tool opens /dev/stdout anew, with a place of its own in it",
        explains: |call, theirs, ours| {
            call.says(b"--posix") && call.says(b"/dev/stdout") && theirs.stderr == ours.stderr
        },
    },
    Known {
        reason: "the sh that runs commands is bash",
        explains: |_, theirs, ours| {
            theirs.stderr.starts_with(b"sh: 1: ")
                && ours.stderr.starts_with(b"sh: line 1: ")
                && theirs.status == ours.status
        },
    },
    Known {
        reason: "the real tool reads a command `L`, which is in no manual and makes it panic",
        explains: |_, _, ours| ours.stderr.ends_with(b": unknown command: `L'\n"),
    },
    Known {
        reason: "the real tool may write beside the directory",
        explains: |_, _, ours| {
            let stderr = String::from_utf8_lossy(&ours.stderr);
            stderr.lines().any(|line| {
                line.starts_with("sed: couldn't open file /") && line.ends_with(": Permission denied")
            })
        },
    },
];

fn all_but_stderr(outcome: &Outcome) -> Outcome {
    Outcome { stderr: Vec::new(), ..outcome.clone() }
}

fn generate(random: &mut Random) -> Call {
    let mut call = Call::default();
    let grammar = if random.once_in(2) { Grammar::Extended } else { Grammar::Basic };
    if grammar == Grammar::Extended {
        call.argument(random.pick(&["-E", "-r", "--regexp-extended", "-E"]));
    }
    if random.once_in(3) {
        call.argument(random.pick(&["-n", "-n", "--quiet", "--silent"]));
    }
    options(random, &mut call);
    scripts(random, grammar, &mut call);
    let has_bytes = random.once_in(6);
    call.stdin = lines(random, 6, has_bytes);
    for name in ["f1", "f2"] {
        let content = lines(random, 5, has_bytes);
        call.file(name, content);
    }
    call.file("d/x", "x\n");
    let edits =
        call.arguments.iter().any(|argument| argument.starts_with(b"-i") || argument.starts_with(b"--in"));
    let operands: &[&str] = match random.below(16) {
        0..=4 if edits && !random.once_in(6) => &["f1"],
        0..=4 => &[],
        5..=7 => &["f1"],
        8..=10 => &["f1", "f2"],
        11 => &["f2", "-", "f1"],
        12 if random.once_in(3) => &["f1", "nope", "f2"],
        13 if random.once_in(4) => &["d", "f1"],
        14 if random.once_in(4) => &["nope"],
        _ => &["f1", "f1"],
    };
    for operand in operands {
        call.argument(*operand);
    }
    call
}

fn options(random: &mut Random, call: &mut Call) {
    let rare: &[&[&str]] = &[
        &["-s"],
        &["--separate"],
        &["-i"],
        &["-i.bak"],
        &["--in-place=.old"],
        &["-i", "-s"],
        &["-ib_*"],
        &["-z"],
        &["--null-data"],
        &["-u"],
        &["-l", "5"],
        &["-l7"],
        &["--line-length=12"],
        &["-l", "1"],
        &["--posix"],
        &["--posix"],
        &["--sandbox"],
        &["-nz"],
        &["-ns"],
        &["--follow-symlinks"],
        &["-l", "x"],
        &["--nope"],
        &["-k"],
        &["--line-length"],
        &["-l"],
        &["--qui"],
        &["--s"],
        &["--null-data=1"],
    ];
    const FAULTS: usize = 9;
    let count = rare.len() - if random.once_in(8) { 0 } else { FAULTS };
    if random.once_in(3) {
        for option in rare[random.below(count)] {
            call.argument(*option);
        }
    }
}

/// The script as one operand, or in several parts.
fn scripts(random: &mut Random, grammar: Grammar, call: &mut Call) {
    let is_wrong = random.once_in(5);
    let mut text = script(random, grammar);
    if is_wrong {
        text = break_at_random(random, &text);
    }
    match random.below(12) {
        0 => {
            let other = script(random, grammar);
            call.argument("-e").argument(text).argument(random.pick(&["-e", "--expression"])).argument(other);
        }
        1 => {
            let end = random.pick(&["\n", ""]);
            call.argument("-f").argument("script").file("script", format!("{text}{end}"));
        }
        2 => {
            let other = script(random, grammar);
            call.argument("-e").argument(text).argument("-fscript").file("script", format!("{other}\n"));
        }
        3 => {
            call.argument(format!("--expression={text}"));
        }
        4 => {
            // Each line is a part of its own.
            for line in text.split('\n') {
                call.argument("-e").argument(line);
            }
        }
        5 if random.once_in(6) => {
            call.argument("-f").argument("nope").argument(text);
        }
        _ if text.starts_with('-') => {
            call.argument("-e").argument(text);
        }
        _ => {
            call.argument(text);
        }
    }
}

struct Script<'r> {
    random: &'r mut Random,
    grammar: Grammar,
    /// Labels that are still to be set.
    wanted: Vec<String>,
    labels: usize,
    /// `D` is allowed, and nothing puts a newline in.
    restarts: bool,
}

/// The text of a random script.
fn script(random: &mut Random, grammar: Grammar) -> String {
    let restarts = random.once_in(3);
    let mut script = Script { random, grammar, wanted: Vec::new(), labels: 0, restarts };
    let mut text = String::new();
    if script.random.once_in(25) {
        text.push_str(script.random.pick(&["#n\n", "#n", "#no\n", "# comment\n", "#\n", "#n p\n"]));
    }
    for _ in 0..=script.random.below(5) {
        script.statement(&mut text, 2);
    }
    for label in std::mem::take(&mut script.wanted) {
        if !script.random.once_in(40) {
            text.push_str(&format!(":{label}\n"));
        }
        if script.random.once_in(2) {
            script.statement(&mut text, 1);
        }
    }
    if text.ends_with(['\n', ';']) && !script.random.once_in(4) && !text.ends_with("\\\n") {
        text.pop();
    }
    text
}

impl Script<'_> {
    fn blanks(&mut self) -> &'static str {
        if self.random.once_in(6) { [" ", "  ", "\t"][self.random.below(3)] } else { "" }
    }

    fn number(&mut self) -> &'static str {
        ["1", "2", "3", "4", "5", "1", "7", "10", "02"][self.random.below(9)]
    }

    /// A command with its addresses, and what separates it from the next.
    fn statement(&mut self, out: &mut String, depth: usize) {
        out.push_str(self.blanks());
        let start = out.len();
        let has_address = !self.random.once_in(3);
        if has_address {
            self.addresses(out);
        }
        out.push_str(self.blanks());
        if self.random.once_in(if has_address { 7 } else { 60 }) {
            out.push('!');
            out.push_str(self.blanks());
        }
        let addressed = out.len();
        self.command(out, depth);
        // These take no address.
        if out.get(addressed..).is_some_and(|text| text.starts_with([':', '#'])) && !self.random.once_in(12) {
            out.replace_range(start..addressed, "");
        }
    }

    fn addresses(&mut self, out: &mut String) {
        let zero = self.random.once_in(15);
        if zero {
            out.push('0');
            if !self.random.once_in(12) {
                out.push(',');
                return self.pattern(out);
            }
        } else {
            self.address(out);
        }
        if zero || self.random.once_in(3) {
            out.push_str(self.blanks());
            out.push(',');
            out.push_str(self.blanks());
            match self.random.below(9) {
                0 | 1 => out.push_str(&format!("+{}", self.number())),
                2 => out.push_str(&format!("~{}", self.number())),
                3 | 4 => out.push_str(self.number()),
                5 => out.push('$'),
                6 => self.address(out),
                _ => self.pattern(out),
            }
        }
    }

    fn address(&mut self, out: &mut String) {
        match self.random.below(12) {
            0..=2 => out.push_str(self.number()),
            3 | 4 => out.push('$'),
            5 | 6 => {
                let (first, step) =
                    (self.random.pick(&["0", "1", "2", "3"]), self.random.pick(&["0", "1", "2", "3"]));
                out.push_str(&format!("{first}~{step}"));
            }
            _ => self.pattern(out),
        }
    }

    fn pattern(&mut self, out: &mut String) {
        let delimiter = if self.random.once_in(8) {
            out.push('\\');
            self.random.pick(&["|", ",", "#", "a", "x", ":", "%", ".", "*", "n", ";"])
        } else {
            "/"
        };
        out.push_str(delimiter);
        let text = self.delimited(delimiter);
        out.push_str(&text);
        out.push_str(delimiter);
        if self.random.once_in(8) {
            out.push_str(self.random.pick(&["I", "M", "IM", "MI", " I", "I"]));
        }
    }

    /// An expression in which delimiters are escaped.
    fn delimited(&mut self, delimiter: &str) -> String {
        if self.random.once_in(30) {
            return String::new();
        }
        let mut text = expression(self.random, self.grammar);
        if self.random.once_in(12) {
            let escape = self.random.pick(&[
                "\\n", "\\t", "\\x41", "\\x5e", "\\o101", "\\d065", "\\cA", "\\d", "\\x26", "\\f", "[\\n]",
                "\\x5b", "\\a",
            ]);
            text.push_str(escape);
        }
        if self.random.once_in(30) { text } else { text.replace(delimiter, &format!("\\{delimiter}")) }
    }

    fn command(&mut self, out: &mut String, depth: usize) {
        match self.random.below(46) {
            0..=11 => {
                self.substitute(out);
                self.end(out);
            }
            12 | 13 => {
                self.translate(out);
                self.end(out);
            }
            14..=16 => self.text(out),
            17 | 18 if depth > 0 => {
                out.push('{');
                for _ in 0..=self.random.below(3) {
                    self.statement(out, depth - 1);
                }
                if !out.ends_with(['\n', ';']) {
                    out.push('\n');
                }
                out.push('}');
                self.end(out);
            }
            19 | 20 => {
                let letter = self.random.pick(&["b", "t", "T", "t"]);
                out.push_str(letter);
                out.push_str(self.blanks());
                if !self.random.once_in(3) {
                    self.labels += 1;
                    let label = format!("{}{}", self.random.pick(&["a", "x", "end", "l_", "é"]), self.labels);
                    out.push_str(&label);
                    self.wanted.push(label);
                }
                out.push_str(self.random.pick(&["\n", "\n", ";", " ;", "; ", "\n\n"]));
            }
            21 if depth == 2 => {
                self.labels += 1;
                let label = self.labels;
                let looped =
                    self.random.pick(&["s/a//", "s/o//2", "s/[0-9]//", "s/^ //", "s/b$//", "$!N;s/\\n//"]);
                let back = if looped.starts_with('$') { "$!b" } else { "t" };
                let space = self.blanks();
                out.push_str(&format!(":{space}L{label}\n{looped}\n{back}{space}L{label}\n"));
            }
            22 => {
                out.push_str(self.random.pick(&["r", "r", "R", "w", "W"]));
                out.push_str(self.random.pick(&[" ", "", "  "]));
                out.push_str(self.random.pick(&[
                    "f1",
                    "f2",
                    "nope",
                    "out1",
                    "out2",
                    "/dev/stdout",
                    "/dev/stderr",
                    "d",
                    "f1 ",
                ]));
                out.push_str(if self.random.once_in(20) { "" } else { "\n" });
            }
            23 => {
                out.push_str(self.random.pick(&["q", "Q", "q5", "Q3", "q 2", "Q 0", "q256", "q1 "]));
                self.end(out);
            }
            24 => {
                out.push_str(self.random.pick(&["l", "l 5", "l1", "l 0", "l 20", "l2"]));
                self.end(out);
            }
            25 => out.push_str(self.random.pick(&[
                "# comment\n",
                "#\n",
                "#n\n",
                "v\n",
                "v 4.2\n",
                "v 9.0\n",
                "v 4.9;",
                "F\n",
                "z;",
            ])),
            26 => {
                out.push_str(if self.restarts { "D" } else { "G" });
                self.end(out);
            }
            _ => {
                let letters: &[&str] = if self.restarts {
                    &[
                        "d", "D", "g", "h", "H", "n", "p", "P", "x", "=", "l", "n", "h", "z", "$!N", "N",
                        "F", "P",
                    ]
                } else {
                    &[
                        "d", "g", "G", "h", "H", "n", "N", "p", "P", "x", "=", "l", "G", "x", "z", "F", "N",
                        "p",
                    ]
                };
                let letter = self.random.pick(letters);
                let letter = if out.ends_with('!') { letter.trim_start_matches("$!") } else { letter };
                out.push_str(letter);
                self.end(out);
            }
        }
    }

    fn end(&mut self, out: &mut String) {
        let end = self
            .random
            .pick(&["\n", ";", "\n", ";", " ; ", ";;", "\n\n", ";", " # c\n", "}\n{", "\n  ", ";\n"]);
        out.push_str(if end.starts_with('}') { "\n" } else { end });
    }

    fn substitute(&mut self, out: &mut String) {
        let delimiter = if self.random.once_in(6) {
            self.random.pick(&["|", ",", "#", ":", "%", ".", "*", "x", "(", "&", "1", "[", ";", "}", " "])
        } else {
            "/"
        };
        let regex = self.delimited(delimiter);
        let count = groups(&regex, self.grammar);
        let replacement = self.replacement(count, delimiter);
        out.push_str(&format!("s{delimiter}{regex}{delimiter}{replacement}{delimiter}"));
        for _ in 0..2 {
            match self.random.below(14) {
                0..=3 if !out.ends_with('g') => out.push('g'),
                4 if !out.ends_with('p') => out.push('p'),
                5 => out.push_str(self.random.pick(&["1", "2", "3"])),
                6 => out.push_str(self.random.pick(&["I", "i", "M", "m"])),
                7 if self.random.once_in(5) => {
                    out.push_str(self.random.pick(&[
                        "w out1\n",
                        "wout2\n",
                        "w /dev/stdout\n",
                        "w",
                        "0",
                        "e",
                        "x",
                        "gg",
                        "pp",
                    ]));
                }
                _ => {}
            }
        }
    }

    fn replacement(&mut self, groups: usize, delimiter: &str) -> String {
        let mut text = String::new();
        for _ in 0..self.random.below(5) {
            match self.random.below(16) {
                0..=2 => text.push('&'),
                3 | 4 if groups > 0 => text.push_str(&format!("\\{}", 1 + self.random.below(groups))),
                5 => {
                    text.push_str(self.random.pick(&["\\U", "\\L", "\\u", "\\l", "\\E", "\\u\\L", "\\l\\U"]));
                }
                6 => {
                    text.push_str(self.random.pick(&[
                        "\\t", "\\&", "\\\\", "\\x26", "\\o46", "\\d038", "\\x5c", "\\a", "\\0", "\\q",
                    ]));
                }
                7 if !self.restarts => text.push_str(self.random.pick(&["\\n", "\\\n", "\\x0a"])),
                8 if self.random.once_in(6) => {
                    text.push_str(self.random.pick(&["\\1", "\\2", "\\9", "\\cA", "\\c\\", "\\c\\\\"]));
                }
                _ => text.push_str(
                    self.random
                        .pick(&["x", "Y", "-", "foo", " ", "é", "ab", "[", "]", "<", ">", "$", "^", "."]),
                ),
            }
        }
        text.replace(delimiter, &format!("\\{delimiter}"))
    }

    fn translate(&mut self, out: &mut String) {
        let units = [
            "a", "b", "c", "o", "f", "1", "é", "A", " ", "\\\\", "\\/", "x", "日", "-", ".", "\\t", "[", "&",
        ];
        let count = 1 + self.random.below(4);
        let side =
            |random: &mut Random, count: usize| (0..count).map(|_| random.pick(&units)).collect::<String>();
        let from = side(self.random, count);
        let extra = usize::from(self.random.once_in(20));
        let to = side(self.random, count + extra);
        out.push_str(&format!("y/{from}/{to}/"));
    }

    fn text(&mut self, out: &mut String) {
        let letter = self.random.pick(&["a", "i", "c"]);
        let body = line(self.random).replace('\\', self.random.pick(&["\\\\", "\\"]));
        let body = body.trim_end_matches('\\');
        match self.random.below(9) {
            0..=3 => {
                let space = self.random.pick(&[" ", "", "  ", "\t"]);
                out.push_str(&format!("{letter}{space}{body}\n"));
            }
            4 | 5 => {
                let space = self.random.pick(&["", "  ", "\\  ", "\t"]);
                out.push_str(&format!("{letter}\\\n{space}{body}\n"));
            }
            6 => out.push_str(&format!("{letter}\\\n{body}\\\nmore\\\n\n")),
            7 => out.push_str(&format!("{letter}\\{body}\n")),
            _ => out.push_str(&format!(
                "{letter}{}",
                self.random.pick(&["\n", "\\\n", "", " \n", "\\", "\\\n\n", " a\\", "\\\n\\\n"])
            )),
        }
    }
}
