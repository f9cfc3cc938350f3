//! Random calls of awk: a program from a grammar that knows numbers, texts, regular expressions and arrays, options,
//! assignments among the operands, data with several shapes.

mod expression;
mod statement;
mod table;

use super::random::Random;
use super::{Call, Known, Tool};
use crate::host_run::Outcome;
use statement::program;

pub(crate) const TOOL: Tool = Tool { name: "awk", generate, known: KNOWN };

const KNOWN: &[Known] = &[
    Known {
        reason: "the usage is shorter",
        explains: |_, theirs, ours| {
            let text = String::from_utf8_lossy(&theirs.stderr).into_owned();
            let message = text.split_once("POSIX options:\t\tGNU long options: (standard)\n");
            theirs.status == ours.status
                && theirs.stdout == ours.stdout
                && message.is_some_and(|(message, _)| message.as_bytes() == ours.stderr)
        },
    },
    Known {
        reason: "gawk cuts the expression that it shows to the length that it has without escapes",
        explains: |call, theirs, ours| {
            let [theirs_text, mine] = [theirs, ours].map(|outcome| String::from_utf8_lossy(&outcome.stderr));
            let before = theirs_text.trim_end().strip_suffix('/').unwrap_or_default();
            theirs.status == 1
                && ours.status == 1
                && theirs_text.contains(" error: ")
                && mine.starts_with(before)
                && mine.lines().count() == theirs_text.lines().count()
                && call.says(b"\\")
        },
    },
    Known {
        reason: "behind a token that cannot stand where it does, gawk looks for a place to read on and may find more",
        explains: |_, theirs, ours| {
            let mine = String::from_utf8_lossy(&ours.stderr).into_owned();
            let is_token = mine.lines().last().is_some_and(|line| line.contains(" ^ "));
            theirs.status == 1 && ours.status == 1 && is_token && theirs.stderr.starts_with(&ours.stderr)
        },
    },
    Known {
        reason: "a file that cannot be opened is told with the line of the rule's last token, in gawk with that of what ran last",
        explains: |call, theirs, ours| {
            let place = |outcome: &Outcome| {
                let text = String::from_utf8_lossy(&outcome.stderr).into_owned();
                let (before, message) = text.split_once(" fatal: cannot open file `")?;
                let start = before.rfind("line:").map_or(before.len(), |at| at + 5);
                let (before, line) = before.split_at(start);
                let line = line.trim_start_matches(|digit: char| digit.is_ascii_digit());
                Some((before.to_owned(), line.to_owned(), message.to_owned()))
            };
            theirs.stdout == ours.stdout
                && theirs.status == ours.status
                && place(theirs).is_some()
                && place(theirs) == place(ours)
                && call.arguments.iter().any(|text| text.contains(&b'\n'))
        },
    },
    Known {
        reason: "after a fatal error gawk does not wait for the commands it has written to",
        explains: |call, theirs, ours| {
            let text = String::from_utf8_lossy(&call.arguments.concat()).into_owned();
            let files = call.files.iter().map(|(_, content)| String::from_utf8_lossy(content).into_owned());
            let mut mine = ours.stdout.iter();
            theirs.status == 2
                && theirs.stderr == ours.stderr
                && String::from_utf8_lossy(&theirs.stderr).contains("fatal: ")
                && std::iter::once(text).chain(files).any(|text| text.contains('|'))
                && theirs.stdout.iter().all(|byte| mine.any(|mine| mine == byte))
        },
    },
    Known {
        reason: "gawk shows rubbish for a field that is set to an infinity or to what is not a number",
        explains: |_, theirs, ours| {
            let mine = String::from_utf8_lossy(&ours.stdout).into_owned();
            theirs.stderr == ours.stderr
                && theirs.status == ours.status
                && theirs.stdout.len() == ours.stdout.len()
                && (mine.contains("nan") || mine.contains("inf"))
        },
    },
    Known {
        reason: "indirect calls are not supported",
        explains: |call, _, ours| {
            let text = String::from_utf8_lossy(&call.arguments.concat()).into_owned();
            let files = call.files.iter().map(|(_, content)| String::from_utf8_lossy(content).into_owned());
            std::iter::once(text).chain(files).any(|text| text.contains('@'))
                && String::from_utf8_lossy(&ours.stderr).contains("syntax error")
                && ours.status == 1
        },
    },
    Known {
        reason: "to gawk what is left of a text that is split begins anew, also for \\< and \\y",
        explains: |call, theirs, ours| {
            let text = String::from_utf8_lossy(&call.arguments.concat()).into_owned();
            theirs.status == ours.status
                && theirs.stderr == ours.stderr
                && ["\\<", "\\y", "\\B"].iter().any(|look| text.contains(look))
                && ["split(", "FS", "-F"].iter().any(|place| text.contains(place))
        },
    },
    Known {
        reason: "an empty match of gsub cuts characters into bytes in gawk",
        explains: |call, theirs, ours| {
            let whole = |outcome: &Outcome| std::str::from_utf8(&outcome.stdout).is_ok();
            let text = String::from_utf8_lossy(&call.arguments.concat()).into_owned();
            theirs.status == ours.status && !whole(theirs) && whole(ours) && text.contains("gsub(")
        },
    },
    Known {
        reason: "a character that no token begins with is shown by its first byte",
        explains: |_, theirs, ours| {
            theirs.status == 1
                && ours.status == 1
                && String::from_utf8_lossy(&theirs.stderr).contains("invalid char '")
        },
    },
    Known {
        reason: "with IGNORECASE gawk orders characters beyond ASCII by the sign of their bytes",
        explains: |call, theirs, ours| {
            let orders = call.says(b"<") || call.says(b">") || call.says(b"sort");
            let is_ascii = call.texts().all(|text| text.is_ascii());
            call.says(b"IGNORECASE")
                && !is_ascii
                && orders
                && theirs.stderr == ours.stderr
                && theirs.status == ours.status
        },
    },
];

const DATA: &[&str] = &[
    "a b c\n",
    "1 2 3\n4 5 6\n7 8 9\n",
    "one:two:three\nfour::six\n:\n",
    "  lead and trail  \n\tx\ty\n",
    "foo 10 1e2\nbar 0x1A 010\nbaz -5 +7\nqux .5 5.\n",
    "",
    "\n\n\n",
    "no newline",
    "p1 l1\np1 l2\n\n\np2 l1\n",
    "é日 ñ x\nüber straße\n",
    "a,b;c,d;e",
    "k=v k2=v2\nk=w\n",
    "10\n9\n2\n33\n2\n",
    "x\r\ny z\r\n",
    "aaa bbb aaa\nabcabc\nAbC\n",
    "1,5 2.5 nan inf -inf +nan\n0 00 0.0 -0\n",
    "start\nmid 1\nmid 2\nend\nafter\nstart\nlast\n",
    "\"q\" 'r' \\back $d &and\n",
    "12345678901234567890 1e308 1e400 0.1\n",
    "a  b\tc\n\nd e\n",
];

fn generate(random: &mut Random) -> Call {
    let mut call = Call { stdin: random.pick(DATA).as_bytes().to_vec(), ..Call::default() };
    call.file("f1", random.pick(DATA)).file("f2", random.pick(DATA));
    if random.once_in(5) {
        let separator = random.pick(&[
            ":", ",", "t", "\\t", " ", "[:,]", "b", "", "|", "\\|", "[ ]", "a+", ";", "=", "^a", "\\\\",
            "(,|;)", ".", "\t", "x y",
        ]);
        if random.once_in(3) {
            call.argument("-F").argument(separator);
        } else {
            call.argument(format!("-F{separator}"));
        }
    }
    for _ in 0..random.below(5).saturating_sub(2) {
        let variable = random.pick(&[
            "x=1",
            "y=abc",
            "OFS=-",
            "RS=",
            "n=010",
            "x=a\\tb",
            "ORS=|\\n",
            "z=1e3",
            "FS=:",
            "RS=;",
            "s=",
            "CONVFMT=%.2g",
            "OFMT=%.3f",
            "x= 5 ",
            "IGNORECASE=1",
            "1x=2",
            "x",
            "SUBSEP=:",
            "x=\\x41",
            "x=a\\",
            "NR=5",
            "FIELDWIDTHS=1 2",
            "BEGIN=1",
        ]);
        call.argument("-v").argument(variable);
    }
    let mut text = program(random);
    if random.once_in(25) {
        text = damaged(random, &text);
    }
    if random.once_in(30) {
        call.file("p.awk", format!("{text}\n")).argument("-f").argument("p.awk");
    } else if random.once_in(40) {
        call.argument("--").argument(text);
    } else if random.once_in(60) {
        call.argument("-e").argument(text);
    } else {
        call.argument(text);
    }
    if random.once_in(3) {
        for _ in 0..=random.below(3) {
            call.argument(random.pick(&[
                "f1", "f2", "f1", "-", "x=7", "FS=:", "nope", "y=a b", "", "OFS=+", "RS=", "./f1", "RS=a",
                "f1", "n=3", "x=\\n",
            ]));
        }
    }
    call
}

/// The program with a token taken out or put in.
fn damaged(random: &mut Random, program: &str) -> String {
    let mut characters: Vec<char> = program.chars().collect();
    let at = random.below(characters.len().max(1)).min(characters.len().saturating_sub(1));
    match random.below(3) {
        0 if !characters.is_empty() => {
            characters.remove(at);
        }
        1 => characters.truncate(at),
        _ => {
            let token = random.pick(&[
                "(",
                ")",
                "{",
                "}",
                "[",
                "]",
                ";",
                "\n",
                "\"",
                "/",
                "$",
                "!",
                "~",
                "=",
                "+",
                "++",
                ",",
                "|",
                "&",
                "if",
                "else ",
                "while",
                " in ",
                "function ",
                "BEGIN",
                "getline",
                "\\",
                "@",
                "%",
                "^",
                "?",
                ":",
                "delete ",
                "print ",
                "next",
                "`",
                ">",
                "\\\n",
                "return",
                "break",
                "1",
                "a",
                "''",
                "**",
            ]);
            characters.splice(at..at, token.chars());
        }
    }
    characters.into_iter().collect()
}
