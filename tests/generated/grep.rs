//! Random calls of `grep`: patterns of all kinds, all options, files and folders, text and what is none; one in six has a
//! fault.

use super::expression::{Grammar, WORDS, break_at_random, expression, lines};
use super::random::Random;
use super::{Call, Known, Tool};
use crate::host_run::Outcome;

pub(crate) const TOOL: Tool = Tool { name: "grep", generate, known: KNOWN };

const KNOWN: &[Known] = &[
    Known {
        reason: "the help is told in words of its own",
        explains: |_, theirs, ours| {
            let is_help = |text: &[u8]| text.starts_with(b"Usage: grep [OPTION]... PATTERNS [FILE]...\n");
            is_help(&theirs.stdout) && is_help(&ours.stdout) && theirs.status == ours.status
        },
    },
    Known {
        reason: "a range in brackets may end in a character that is not ASCII",
        explains: |call, theirs, _| theirs.says(": Invalid collation character\n") && call.has_wide_range(),
    },
    Known {
        reason: "behind a line that is not text, the real tool's context is made of lines before that line",
        explains: |call, theirs, mine| {
            let has_context = [(b'A', "--after-context"), (b'B', "--before-context"), (b'C', "--context")]
                .iter()
                .any(|(letter, name)| has_option(call, *letter, name));
            let has_number = (b'1'..=b'9').any(|digit| has_option(call, digit, "--"));
            (has_context || has_number)
                && !call.is_text()
                && theirs.says(": binary file matches\n")
                && is_alike(theirs, mine)
        },
    },
    Known {
        reason: "PCRE2 10.42 finds no character beyond ASCII by \\D, \\S and \\W where it makes machine code",
        explains: |call, theirs, mine| {
            let has_negated_class = [&b"\\D"[..], b"\\S", b"\\W"].iter().any(|text| call.says(text));
            has_option(call, b'P', "--perl-regexp")
                && has_negated_class
                && call.texts().any(|text| !text.is_ascii())
                && theirs.stderr == mine.stderr
        },
    },
    Known {
        reason: "with -w, the real tool looks for a shorter match in a text that is cut by what was printed before",
        explains: |call, theirs, mine| {
            let prints_matches = has_option(call, b'o', "--only-matching")
                || call.arguments.iter().any(|argument| argument.starts_with(b"--col"));
            has_option(call, b'w', "--word-regexp") && prints_matches && is_alike(theirs, mine)
        },
    },
    Known {
        reason: "with -w, the real tool takes an empty match only where no other begins",
        explains: |call, theirs, mine| {
            let may_be_empty = call.texts().any(|text| text.iter().any(|byte| b"*?{|".contains(byte)));
            has_option(call, b'w', "--word-regexp") && may_be_empty && theirs.stderr == mine.stderr
        },
    },
    Known {
        reason: "with -w or -x, a `)` too many closes the group that the real tool puts around the expression",
        explains: |call, theirs, mine| {
            let is_whole = has_option(call, b'x', "--line-regexp") || has_option(call, b'w', "--word-regexp");
            is_whole
                && has_option(call, b'E', "--extended-regexp")
                && call.patterns().any(closes_too_much)
                && theirs.stderr == mine.stderr
        },
    },
    Known {
        reason: "the two engines of the real tool disagree on a `{` at the start of an expression",
        explains: |call, theirs, mine| {
            has_option(call, b'E', "--extended-regexp")
                && call.patterns().any(begins_with_brace)
                && theirs.stderr == mine.stderr
        },
    },
    Known {
        reason: "the two engines of the real tool disagree on a repeated \\` or \\' before or behind a range",
        explains: |call, theirs, mine| {
            let repeats_end = |pattern: &[u8]| {
                pattern.windows(3).any(|window| matches!(window, [b'\\', b'`' | b'\'', b'*' | b'\\']))
                    && pattern.windows(3).any(|window| matches!(window, [_, b'-', _]))
            };
            call.patterns().any(repeats_end) && theirs.stderr == mine.stderr
        },
    },
    Known {
        reason: "with -v, a negative -m selects nothing in the real tool, against its manual",
        explains: |call, theirs, mine| {
            has_option(call, b'v', "--invert-match")
                && call.says(b"-m-1")
                && theirs.status == 1
                && theirs.stderr == mine.stderr
        },
    },
    Known {
        reason: "in which order a folder's files come is a matter of the file system",
        explains: |call, theirs, mine| {
            let recurses = |argument: &Vec<u8>| {
                let is_long = argument.starts_with(b"--") && argument.ends_with(b"recurse")
                    || argument.ends_with(b"recursive");
                let is_short =
                    argument.starts_with(b"-") && argument.iter().any(|byte| b"rRd".contains(byte));
                is_long || is_short
            };
            // Where groups of context are parted depends on what came before.
            let texts = |outcome: &Outcome| {
                sorted(outcome).map(|lines| {
                    lines
                        .into_iter()
                        .filter(|line| !matches!(line.as_slice(), b"--" | b"##"))
                        .collect::<Vec<_>>()
                })
            };
            call.arguments.iter().any(recurses)
                && theirs.status == mine.status
                && texts(theirs) == texts(mine)
        },
    },
];

fn is_alike(theirs: &Outcome, mine: &Outcome) -> bool {
    theirs.status == mine.status && theirs.stderr == mine.stderr
}

/// Whether an argument is, or begins with, an option: alone, among others after one hyphen, or abbreviated.
fn has_option(call: &Call, letter: u8, name: &str) -> bool {
    call.arguments.iter().any(|argument| match argument.strip_prefix(b"--") {
        Some(rest) => {
            let rest = rest.split(|byte| *byte == b'=').next().unwrap_or_default();
            rest.len() > 2 && name.as_bytes().get(2..).is_some_and(|name| name.starts_with(rest))
        }
        None => argument.starts_with(b"-") && argument.contains(&letter),
    })
}

/// Whether a `)` of an extended expression has no `(`.
fn closes_too_much(pattern: &[u8]) -> bool {
    let mut depth = 0;
    let mut bytes = pattern.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b'(' => depth += 1,
            b')' if depth == 0 => return true,
            b')' => depth -= 1,
            _ => {}
        }
    }
    false
}

/// Whether a `{` stands where an extended expression or a part of it begins, maybe behind other repetitions of nothing.
fn begins_with_brace(pattern: &[u8]) -> bool {
    let starts = [&b""[..], b"(", b"|", b"^", b"$", b"\\<", b"\\>", b"\\b", b"\\B", b"\\`", b"\\'"];
    braces(pattern).any(|at| {
        let repetitions = pattern[..at].iter().rev().take_while(|byte| b"*+?".contains(byte)).count();
        let before = &pattern[..at - repetitions];
        starts.iter().any(|start| if start.is_empty() { before.is_empty() } else { before.ends_with(start) })
    })
}

fn braces(pattern: &[u8]) -> impl Iterator<Item = usize> {
    pattern.iter().enumerate().filter(|(_, byte)| **byte == b'{').map(|(at, _)| at)
}

fn sorted(outcome: &Outcome) -> [Vec<Vec<u8>>; 2] {
    [&outcome.stdout, &outcome.stderr].map(|text| {
        let mut lines: Vec<Vec<u8>> =
            text.split(|&byte| byte == b'\n' || byte == 0).map(<[u8]>::to_vec).collect();
        lines.sort();
        lines
    })
}

fn generate(random: &mut Random) -> Call {
    let mut call = Call::default();
    let (grammar, is_fixed) = match random.below(16) {
        0..=4 => (Grammar::Basic, false),
        5..=9 => (Grammar::Extended, false),
        10 | 11 => (Grammar::Basic, true),
        _ => (Grammar::Perl, false),
    };
    match (grammar, is_fixed) {
        (Grammar::Perl, _) => call.argument(random.pick(&["-P", "-P", "--perl-regexp"])),
        (Grammar::Extended, _) => call.argument(random.pick(&["-E", "-E", "--extended-regexp"])),
        (_, true) => call.argument(random.pick(&["-F", "--fixed-strings"])),
        _ if random.once_in(10) => call.argument("-G"),
        _ => &mut call,
    };
    for _ in 0..random.below(4) {
        option(random, &mut call);
    }
    let is_recursive = random.once_in(6);
    if is_recursive {
        call.argument(random.pick(&["-r", "-R", "--recursive", "-r", "--directories=recurse"]));
        if random.once_in(2) {
            call.argument(random.pick(&[
                "--include=*.txt",
                "--exclude=*.txt",
                "--exclude-dir=e",
                "--include=f*",
                "--exclude=f*",
                "--exclude-dir=d",
                "--include=g",
                "--exclude-dir=d/e",
                "--exclude=d/*",
                "--exclude-dir=*",
                "--exclude-dir=e/",
                "--exclude-from=f1",
            ]));
        }
    }
    patterns(random, grammar, is_fixed, &mut call);
    let has_bytes = random.once_in(5);
    call.stdin = lines(random, 8, has_bytes);
    for name in ["f1", "f2", "d/g", "d/h.txt", "d/e/f3"] {
        let content = lines(random, 7, has_bytes);
        call.file(name, content);
    }
    let operands: &[&str] = match random.below(18) {
        _ if is_recursive && random.once_in(2) => [&["d"][..], &["."], &[], &["d", "f1"]][random.below(4)],
        0..=3 => &[],
        4..=8 => &["f1"],
        9..=12 => &["f1", "f2"],
        13 => &["f2", "-", "f1"],
        14 if random.once_in(3) => &["f1", "nope"],
        15 if random.once_in(3) => &["d", "f1"],
        16 if random.once_in(3) => &["nope"],
        _ => &["f1", "f2", "d/g"],
    };
    for operand in operands {
        call.argument(*operand);
    }
    call
}

fn option(random: &mut Random, call: &mut Call) {
    let options: &[&str] = &[
        "-i",
        "-v",
        "-w",
        "-x",
        "-c",
        "-l",
        "-L",
        "-o",
        "-q",
        "-s",
        "-n",
        "-b",
        "-H",
        "-h",
        "-Z",
        "-z",
        "-m1",
        "-m2",
        "-m0",
        "-A1",
        "-B1",
        "-C1",
        "-A2",
        "-B2",
        "-1",
        "-2",
        "--no-group-separator",
        "--group-separator=##",
        "-a",
        "-I",
        "-y",
        "-T",
        "--color=always",
        "--colour=always",
        "--binary-files=text",
        "--binary-files=without-match",
        "--label=in",
        "-U",
        "--line-buffered",
        "--no-ignore-case",
        "-in",
        "-on",
        "-vn",
        "-ob",
        "-nb",
        "-wo",
        "-xv",
        "-cv",
        "-lv",
        "-Lv",
        "-iw",
        "-nH",
        "-c",
        "-o",
        "-n",
        "-i",
        "-v",
        "-w",
        "-x",
        "-nA1",
        "--color=never",
        "--color=auto",
        "--null",
        "--count",
        "--only-matching",
        "--invert-match",
        "--word-regexp",
        "--line-regexp",
        "--max-count=3",
        "--context=1",
        "-dskip",
        "-dread",
        "--directories=skip",
        "-Dskip",
        "--with-filename",
        "--no-filename",
        "--color",
        "-ho",
        "-HZ",
        "--byte-offset",
        "--initial-tab",
        "--files-with-matches",
        "--files-without-match",
        "--ignore-case",
        "--text",
        "-lZ",
        "-cZ",
        "--quiet",
        "--silent",
        "--no-messages",
        "-m",
        "-A",
        "-A1B",
        "--after-context=1",
        "--before-context=2",
    ];
    let wrong: &[&str] = &[
        "-d",
        "-u",
        "-E",
        "-F",
        "-P",
        "-G",
        "-m-1",
        "-Ax",
        "-mx",
        "-A",
        "-m",
        "--binary-files=x",
        "--nope",
        "-k",
        "--color=x",
        "--in",
        "--no",
        "-dx",
        "-Dx",
        "--context",
        "-C-1",
        "-m1k",
        "-A99999999999999999999",
        "--label",
        "--count=1",
    ];
    let options = if random.once_in(20) { wrong } else { options };
    let option = options[random.below(options.len())];
    call.argument(option);
    if option == "-A1B" || ((option == "-A" || option == "-m") && !random.once_in(12)) {
        call.argument(random.pick(&["1", "2", "0"]));
    }
}

fn pattern(random: &mut Random, grammar: Grammar, is_fixed: bool) -> String {
    let mut text = if is_fixed {
        (0..=random.below(2)).map(|_| random.pick(WORDS)).collect()
    } else {
        expression(random, grammar)
    };
    if random.once_in(8) {
        text = break_at_random(random, &text);
    }
    if random.once_in(if grammar == Grammar::Perl { 200 } else { 25 }) {
        text = format!("{text}\n{}", random.pick(WORDS));
    }
    text
}

fn patterns(random: &mut Random, grammar: Grammar, is_fixed: bool, call: &mut Call) {
    match random.below(14) {
        0 | 1 if grammar != Grammar::Perl || random.once_in(10) => {
            for _ in 0..2 + random.below(3) {
                let text = pattern(random, grammar, is_fixed);
                call.argument("-e").argument(text);
            }
        }
        2 => {
            let mut text = String::new();
            for _ in 0..random.below(4) {
                text.push_str(&pattern(random, grammar, is_fixed));
                text.push('\n');
            }
            if random.once_in(3) {
                text.pop();
            }
            call.argument(random.pick(&["-f", "--file"])).argument("patterns").file("patterns", text);
        }
        3 => {
            let text = pattern(random, grammar, is_fixed);
            call.argument(format!("--regexp={text}"));
        }
        4 if random.once_in(8) => {
            call.argument("-f").argument("nope");
        }
        _ => {
            let text = pattern(random, grammar, is_fixed);
            if text.starts_with('-') {
                call.argument("-e");
            }
            call.argument(text);
        }
    }
}
