//! Random calls of jq: a filter from a grammar that knows the kinds of values, options, variables, inputs that are JSON or
//! nearly so, files.

mod filter;
mod input;
mod table;

use super::random::Random;
use super::{Call, Known, Tool};
use crate::host_run::Outcome;
use filter::Maker;

pub(crate) const TOOL: Tool = Tool { name: "jq", generate, known: KNOWN };

const KNOWN: &[Known] = &[
    Known {
        reason: "after a syntax error jq goes on with the text and may find more of them",
        explains: |_, theirs, ours| {
            theirs.status == 3
                && ours.status == 3
                && first_problem(&theirs.stderr) == first_problem(&ours.stderr)
                && first_problem(&theirs.stderr).contains("syntax error")
                && !theirs.stderr.ends_with(b"jq: 1 compile error\n")
        },
    },
    Known {
        reason: "the environment's variables are in another order",
        explains: |_, theirs, ours| {
            // The texts are cut after thirty bytes.
            [theirs, ours].iter().all(|outcome| {
                let text = String::from_utf8_lossy(&outcome.stderr);
                text.contains("Invalid path expression ")
                    && [" {\"HOME\":", " {\"PATH\":"].iter().any(|start| text.contains(start))
            })
        },
    },
    Known {
        reason: "where a path is followed through a builtin that jq writes in its own language, both fail, at another place in it",
        explains: |_, theirs, ours| {
            let lost = |outcome: &Outcome| {
                String::from_utf8_lossy(&outcome.stderr).contains("Invalid path expression")
            };
            // As many errors, each of them while a filter runs.
            let errors = |outcome: &Outcome| {
                let text = String::from_utf8_lossy(&outcome.stderr).into_owned();
                text.lines().all(|line| line.starts_with("jq: error (at ")).then(|| text.lines().count())
            };
            theirs.status == ours.status
                && theirs.stdout == ours.stdout
                && errors(theirs).is_some()
                && errors(theirs) == errors(ours)
                && (lost(theirs) || lost(ours))
        },
    },
    Known {
        reason: "an error or a break that comes after the body of a binding with ?// goes back to its next pattern in jq",
        explains: |call, theirs, ours| {
            let text = String::from_utf8_lossy(&call.arguments.concat()).into_owned();
            let runs = |outcome: &Outcome| {
                outcome.status != 3 && !String::from_utf8_lossy(&outcome.stderr).contains("compile error")
            };
            let wrong_inputs = |outcome: &Outcome| {
                let text = String::from_utf8_lossy(&outcome.stderr).into_owned();
                text.lines()
                    .filter(|line| line.contains("parse error"))
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            };
            let leaves = [
                "error", "try", "break", "first(", "limit(", "until(", "any(", "all(", "isempty(", "nth(",
                "IN(", "?",
            ];
            call.says(b"?//")
                && runs(theirs)
                && runs(ours)
                && wrong_inputs(theirs) == wrong_inputs(ours)
                && (!theirs.stderr.is_empty()
                    || !ours.stderr.is_empty()
                    || leaves.iter().any(|word| text.replace("?//", "").contains(word)))
        },
    },
    Known {
        reason: "all names that are not defined are told, in jq those that it comes to",
        explains: |_, theirs, ours| {
            let told = |outcome: &Outcome| {
                let text = String::from_utf8_lossy(&outcome.stderr).into_owned();
                text.lines()
                    .filter(|line| line.contains(" is not defined at "))
                    .map(str::to_owned)
                    .collect::<Vec<_>>()
            };
            let (theirs_told, mine) = (told(theirs), told(ours));
            theirs.status == 3
                && ours.status == 3
                && !theirs_told.is_empty()
                && theirs_told.iter().all(|line| mine.contains(line))
        },
    },
    Known {
        reason: "\\X and other rare parts of regular expressions are refused",
        explains: |call, theirs, ours| {
            let refuses = |outcome: &Outcome| {
                String::from_utf8_lossy(&outcome.stderr)
                    .lines()
                    .any(|line| line.contains("): Regex failure: ") && line.ends_with(" is not supported"))
            };
            refuses(ours) && !refuses(theirs) && call.says(b"\\")
        },
    },
    Known {
        reason: "the flag l of a regular expression is refused",
        explains: |_, _, ours| {
            String::from_utf8_lossy(&ours.stderr).contains("the flag l (longest match) is not supported")
        },
    },
    Known {
        reason: "--stream tells the events of whole values, jq those of a value that turns out to be wrong too, and of each \
                 of two keys that are the same",
        explains: |call, theirs, ours| {
            // All of ours stands in theirs, in this order.
            let holds = |theirs: &[u8], mine: &[u8]| {
                let mut theirs = theirs.iter();
                mine.iter().all(|byte| theirs.any(|their| their == byte))
            };
            call.arguments.contains(&b"--stream".to_vec())
                && (holds(&theirs.stdout, &ours.stdout) && holds(&theirs.stderr, &ours.stderr)
                    || [theirs, ours]
                        .iter()
                        .any(|outcome| String::from_utf8_lossy(&outcome.stderr).contains("parse error")))
        },
    },
    Known {
        reason: "a pattern that takes the value of a path expression apart leads its path astray in jq",
        explains: |call, theirs, _| {
            let text = String::from_utf8_lossy(&call.arguments.concat()).replace(' ', "");
            let files =
                call.files.iter().map(|(_, content)| String::from_utf8_lossy(content).replace(' ', ""));
            let takes_apart = |text: &str| text.contains("as[") || text.contains("as{");
            String::from_utf8_lossy(&theirs.stderr).contains("Invalid path expression")
                && (takes_apart(&text) || files.into_iter().any(|text| takes_apart(&text)))
        },
    },
    Known {
        reason: "an update at the places of an array in another fails before its value is computed",
        explains: |_, theirs, ours| {
            theirs.status == ours.status
                && String::from_utf8_lossy(&ours.stderr)
                    .contains("Cannot update field at array index of array")
        },
    },
    Known {
        reason: "last(f) forgives an access in f that has no path",
        explains: |call, theirs, _| {
            String::from_utf8_lossy(&call.arguments.concat()).contains("last(")
                && String::from_utf8_lossy(&theirs.stderr).contains("Invalid path expression")
        },
    },
    Known {
        reason: "of several paths that cannot be deleted another one is told",
        explains: |call, theirs, ours| {
            let text = String::from_utf8_lossy(&call.arguments.concat()).into_owned();
            let told = |outcome: &Outcome| {
                let text = String::from_utf8_lossy(&outcome.stderr).into_owned();
                text.lines().all(|line| line.contains("): Cannot ")) && !text.is_empty()
            };
            theirs.status == ours.status
                && theirs.stdout == ours.stdout
                && (text.contains("delpaths") || text.contains("del("))
                && told(theirs)
                && told(ours)
        },
    },
    Known {
        reason: "the last digits of exp10, which is the C library's in jq",
        explains: |call, theirs, ours| {
            let text = String::from_utf8_lossy(&call.arguments.concat()).into_owned();
            theirs.stderr == ours.stderr && theirs.status == ours.status && text.contains("exp10")
        },
    },
    Known {
        reason: "where the path of an event of --stream is enlarged, jq fills it with what stood there before",
        explains: |call, theirs, ours| {
            let lines = |outcome: &Outcome| String::from_utf8_lossy(&outcome.stdout).lines().count();
            call.arguments.contains(&b"--stream".to_vec())
                && theirs.stderr == ours.stderr
                && theirs.status == ours.status
                && lines(theirs) == lines(ours)
                && String::from_utf8_lossy(&ours.stdout).contains("null")
        },
    },
    Known {
        reason: "whether a zero was written down or computed is seen from the filter, which decides on the sign of `-.`",
        explains: |_, theirs, ours| {
            let unsigned = |outcome: &Outcome| {
                let text = String::from_utf8_lossy(&outcome.stdout).into_owned();
                ["\n", ",", "]", "}", "\"", "\x1b"]
                    .iter()
                    .fold(text, |text, end| text.replace(&format!("-0{end}"), &format!("0{end}")))
            };
            theirs.stderr == ours.stderr && unsigned(theirs) == unsigned(ours)
        },
    },
];

/// The first message, with the place that it shows.
fn first_problem(stderr: &[u8]) -> String {
    String::from_utf8_lossy(stderr).lines().take(3).collect::<Vec<_>>().join("\n")
}

/// Options that change nothing but how values are printed, or the status.
const PRINTING: &[&str] = &[
    "-c",
    "-r",
    "-j",
    "-a",
    "-S",
    "--tab",
    "--indent 3",
    "--indent 0",
    "--indent 7",
    "-e",
    "--seq",
    "-C",
    "-cS",
    "-rj",
    "--raw-output0",
    "-M",
    "--unbuffered",
    "--ascii-output",
    "--sort-keys",
    "--indent 8",
    "--indent x",
];

fn generate(random: &mut Random) -> Call {
    let mut call = Call::default();
    let (mut before, mut after): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    if !random.once_in(4) {
        before.push("-c".to_owned());
    }
    if random.once_in(4) {
        let of = if random.once_in(12) { PRINTING.len() } else { 14 };
        before.extend(random.pick(&PRINTING[..of]).split(' ').map(str::to_owned));
    }
    let mut variables = Vec::new();
    let mut named = |random: &mut Random, option: &str, value: &str| {
        let name = random.pick(&["v", "w", "some", "v"]).to_owned();
        variables.push(name.clone());
        vec![option.to_owned(), name, value.to_owned()]
    };
    if random.once_in(8) {
        let value = random.pick(&["x", "", "1", "é\t", "a b"]);
        before.extend(named(random, "--arg", value));
    }
    if random.once_in(8) {
        let value = if random.once_in(8) { input::broken(random) } else { input::value(random, 2) };
        before.extend(named(random, "--argjson", &value));
    }
    if random.once_in(12) {
        let option = random.pick(&["--slurpfile", "--rawfile"]);
        let file = random_file(random);
        before.extend(named(random, option, file));
    }
    if random.once_in(12) {
        after.push(random.pick(&["--args", "--jsonargs"]).to_owned());
        after.extend((0..random.below(3)).map(|_| input::value(random, 1)));
    }
    let mut take = |random: &mut Random, once: usize, option: &str| {
        let taken = random.once_in(once);
        if taken {
            before.push(option.to_owned());
        }
        taken
    };
    let null = take(random, 6, "-n");
    let slurp = take(random, 10, "-s");
    let raw = take(random, 14, "-R");
    let stream = !raw && take(random, 14, "--stream");
    let sequence = take(random, 60, "--seq");
    let kind = match (null, raw, slurp, stream) {
        (true, ..) => 'z',
        (_, true, ..) => 's',
        (_, _, true, _) | (.., true) => 'a',
        _ => '*',
    };
    let (stdin, kind) = input::stream(random, kind, raw, sequence);
    call.stdin = stdin;
    let mut maker = Maker::new(random, variables);
    let mut program = maker.program(kind);
    if random.once_in(25) {
        program = filter::damaged(random, &program);
    }
    if random.once_in(30) {
        call.file("p.jq", format!("# a comment\n{program}\n"));
        before.push("-f".to_owned());
        "p.jq".clone_into(&mut program);
    }
    call.file("f.json", input::file(random)).file("t.txt", "one\ntwo \"q\"\nthree");
    for argument in before {
        call.argument(argument);
    }
    call.argument(program);
    if after.is_empty() && random.once_in(8) {
        for _ in 0..=random.below(2) {
            after.push(random_file(random).to_owned());
        }
    }
    for argument in after {
        call.argument(argument);
    }
    call
}

fn random_file(random: &mut Random) -> &'static str {
    random.pick(&["f.json", "f.json", "f.json", "t.txt", "nope"])
}
