//! Oddities of bash that are not worth having, as reasons why a random script does something else in a sandbox.
//!
//! A reason is one of two. Either the script in other words, which do not show the oddity, has to do the same in both; or
//! only lines differ that the oddity explains. Both look at the script and at what bash printed; all else has to be the same.

use super::host_run::Outcome;
use bstr::ByteSlice as _;

/// A script and what it did.
pub(crate) struct Both<'a> {
    pub(crate) script: &'a str,
    pub(crate) bash: &'a Outcome,
    pub(crate) mine: &'a Outcome,
}

struct Oddity {
    name: &'static str,
    explains: Explains,
}

/// `Option`: of another script, or another line, there is nothing to be said.
enum Explains {
    /// The script in other words.
    Reworded(fn(&Both<'_>) -> Option<String>),
    /// What has to be the same of a line that only one of both has.
    Line(fn(&Both<'_>, &str) -> Option<String>),
}

use Explains::{Line, Reworded};

const ODDITIES: &[Oddity] = &[
    Oddity {
        name: "after an error that gave a command up, the next loop's `< <( )` reads nothing",
        explains: Reworded(|both| {
            let errors =
                ["(error token is", "substring expression < 0", "bad substitution", "bad array subscript"];
            let fails = errors.iter().any(|error| both.bash.says(error));
            let lines = both.script.lines().map(|line| match line.split_once("< <(") {
                Some((head, rest)) if rest.ends_with(')') => format!("{head}<<< \"$({rest}\"\n"),
                _ => format!("{line}\n"),
            });
            fails.then(|| lines.collect())
        }),
    },
    Oddity {
        name: "lines are counted on from the `)` of a subshell that writes into a pipe inside of a compound command",
        explains: Reworded(|both| Some(with_groups(both.script))),
    },
    Oddity {
        name: "an error in a here-document of a stage has the line where the stage ends",
        explains: Line(|both, line| {
            let is_stage = ["done |", "esac |", "fi |", "} |", ") |"];
            let has_stage = both.script.lines().any(|line| is_stage.iter().any(|end| line.starts_with(end)));
            let has_document = both.script.contains("<<-E") || both.script.contains("<<E");
            (has_stage && has_document && line.contains(": line ")).then(|| without_number(line))
        }),
    },
    Oddity {
        name: "`@a` and `@A` look at a subscript twice",
        explains: Reworded(|both| without_subscripts(both.script)),
    },
    Oddity {
        name: "an error of expansion in a stage of a pipeline runs the shell's `EXIT` trap there too",
        explains: Reworded(|both| {
            let errors = [
                "(error token is",
                "substring expression < 0",
                "bad substitution",
                "bad array subscript",
                "unbound variable",
            ];
            let fails = errors.iter().any(|error| both.bash.says(error));
            let is_trap = |line: &str| {
                line.starts_with("trap '") && (line.ends_with("' EXIT") || line.ends_with("' 0"))
            };
            let lines = both.script.lines().filter(|line| !is_trap(line)).map(|line| format!("{line}\n"));
            (fails && both.script.contains('|')).then(|| lines.collect())
        }),
    },
    Oddity {
        name: "a session has other folders in `/` than the host",
        explains: Reworded(|both| both.bash.says("/usr").then(|| both.script.replace("/*", "/us*"))),
    },
    Oddity {
        name: "what starts in the background says something before the next command does",
        explains: Reworded(|both| {
            (both.script.contains("typeset -i gi=")).then(|| both.script.replace(" n&7;", " n;"))
        }),
    },
    Oddity {
        name: "a newline that `$'...'` makes in a command substitution counts as a line",
        explains: Reworded(|both| {
            both.script.contains("PS4='+$LINENO '").then(|| both.script.replace("\\n'", "'"))
        }),
    },
    Oddity {
        name: "a process that is killed before it is a program runs the shell's `EXIT` trap",
        explains: Reworded(|both| {
            let killed = "sleep 5 & kill $!";
            both.script
                .contains("trap '")
                .then(|| both.script.replace(killed, "sleep 5 & sleep 0.1; kill $!"))
        }),
    },
    Oddity {
        name: "the shell has neither a debugger nor a pretty printer",
        explains: Line(|both, line| {
            let rows = ["\t--debug", "\t--debugger", "\t--pretty-print"];
            (both.bash.says("GNU long options:") && rows.contains(&line)).then(String::new)
        }),
    },
    Oddity {
        name: "with an empty `IFS`, where `${x[*]}` puts blanks depends on what it stands in",
        explains: Reworded(|both| {
            let lists = [("[*]", "[@]"), ("${*", "${@"), ("$*", "$@"), ("${!arr[*]", "${!arr[@]")];
            let reworded =
                lists.iter().fold(both.script.to_owned(), |script, (star, at)| script.replace(star, at));
            both.script.contains("IFS=''").then_some(reworded)
        }),
    },
    Oddity {
        name: "with an empty `IFS`, bash lets marks of its own through",
        explains: Line(|both, line| {
            let is_mark = |letter: &char| matches!(letter, '\u{1}' | '\u{7f}');
            both.script.contains("IFS=''").then(|| line.chars().filter(|letter| !is_mark(letter)).collect())
        }),
    },
    Oddity {
        name: "a bad substitution shows its word as its braces were expanded",
        explains: Line(|both, line| {
            let has_braces =
                both.script.contains('{') && (both.script.contains(',') || both.script.contains(".."));
            (has_braces && line.ends_with(": bad substitution"))
                .then(|| without_subject(line, ": bad substitution"))
        }),
    },
    Oddity {
        name: "which of the expressions that name each other is the one too many is a matter of counting",
        explains: Line(|_, line| {
            let message = ": expression recursion level exceeded";
            line.contains(message).then(|| without_subject(line, message))
        }),
    },
    Oddity {
        name: "a brace or a backquote that is not closed in a here-document is another error",
        explains: Reworded(|both| {
            let reworded = both.script.replace("\\}", "}").replace("'`'", "''");
            (both.script.contains("<<") && both.bash.says("bad substitution: no closing")).then_some(reworded)
        }),
    },
    Oddity {
        name: "braces between the inner quotes of `\"${u:-\"...\"}\"` are expanded",
        explains: Reworded(|both| both.script.contains(":-\"").then(|| both.script.replace("{1,2}", "1,2"))),
    },
    Oddity {
        name: "after a quote in `[[ ]]` that is not closed, lines of messages are those before it",
        explains: Line(|both, line| {
            let is_message = line.contains("in conditional command") || line.ends_with(": expected `)'");
            (both.bash.says("unexpected EOF while looking for matching") && is_message)
                .then(|| without_number(line))
        }),
    },
    Oddity {
        name: "a substring that ends before it begins fails in a redirection without giving the line up",
        explains: Reworded(|both| {
            let fails = both.bash.says("substring expression < 0");
            let positive = both.script.replace(": -2}", ":2}").replace(":-1}", ":1}");
            (fails && both.script.contains("<<<")).then_some(positive)
        }),
    },
    Oddity {
        name: "of variables that the shell computes, a list of all shows values only once they were asked for",
        explains: Line(|both, line| {
            let names = ["BASH_ARGC", "BASH_ARGV", "DIRSTACK", "FUNCNAME", "GROUPS"];
            let is_row = names
                .iter()
                .any(|name| line.strip_prefix("declare -a ").is_some_and(|row| row.starts_with(name)));
            (is_row && both.bash.says("declare -ar BASH_VERSINFO")).then(String::new)
        }),
    },
];

/// A script whose subshells before a pipe stand in groups.
fn with_groups(script: &str) -> String {
    let mut lines: Vec<String> = script.lines().map(str::to_owned).collect();
    let mut open = Vec::new();
    for at in 0..lines.len() {
        if lines[at] == "(" {
            open.push(at);
        } else if let Some(rest) = lines[at].strip_prefix(')')
            && let Some(begin) = open.pop()
            && rest.starts_with(" |")
            && !rest.starts_with(" ||")
        {
            lines[at] = format!("); }}{rest}");
            "{ (".clone_into(&mut lines[begin]);
        }
    }
    lines.push(String::new());
    lines.join("\n")
}

/// A script whose subscripts before `@a` and `@A` have no effect.
fn without_subscripts(script: &str) -> Option<String> {
    let mut out = script.to_owned();
    for operator in ["]@a", "]@A"] {
        let mut from = 0;
        while let Some(end) = out.get(from..)?.find(operator).map(|at| at + from) {
            let start = out.get(..end)?.rfind(['[', '{'])?;
            from = end + operator.len();
            if out.as_bytes().get(start) == Some(&b'[')
                && !matches!(out.get(start + 1..end)?, "@" | "*" | "1")
            {
                out.replace_range(start + 1..end, "1");
                from = start + 1;
            }
        }
    }
    Some(out)
}

/// `bash: line 12: text` without the number.
fn without_number(line: &str) -> String {
    match line.split_once("line ") {
        Some((head, rest)) => {
            format!("{head}{}", rest.trim_start_matches(|digit: char| digit.is_ascii_digit()))
        }
        None => line.to_owned(),
    }
}

/// A message without what stands between the line's number and `message`, and without what follows that.
fn without_subject(line: &str, message: &str) -> String {
    let (head, _) = line.split_once(": line ").unwrap_or(("", ""));
    format!("{head}{message}")
}

/// The lines that only one of two texts has, in their order.
fn only(left: &[u8], right: &[u8]) -> [Vec<String>; 2] {
    let [left, right] =
        [left, right].map(|text| text.lines().map(|line| line.to_str_lossy().into_owned()).collect());
    let (left, right): (Vec<String>, Vec<String>) = (left, right);
    let head = left.iter().zip(&right).take_while(|(one, two)| one == two).count();
    let (left, right) = (&left[head..], &right[head..]);
    // Lengths of the longest common subsequences of what is left.
    let mut common = vec![vec![0_usize; right.len() + 1]; left.len() + 1];
    for one in (0..left.len()).rev() {
        for two in (0..right.len()).rev() {
            common[one][two] = if left[one] == right[two] {
                common[one + 1][two + 1] + 1
            } else {
                common[one + 1][two].max(common[one][two + 1])
            };
        }
    }
    let (mut one, mut two) = (0, 0);
    let mut only = [Vec::new(), Vec::new()];
    while one < left.len() || two < right.len() {
        if one < left.len() && two < right.len() && left[one] == right[two] {
            (one, two) = (one + 1, two + 1);
        } else if two == right.len() || (one < left.len() && common[one + 1][two] >= common[one][two + 1]) {
            only[0].push(left[one].clone());
            one += 1;
        } else {
            only[1].push(right[two].clone());
            two += 1;
        }
    }
    only
}

/// The lines that differ, after what `oddities` say of them.
fn left_over(both: &Both<'_>, oddities: &[&Oddity]) -> bool {
    let reworded = |line: &String| {
        oddities.iter().fold(line.clone(), |line, oddity| match oddity.explains {
            Line(explain) if !line.is_empty() => explain(both, &line).unwrap_or(line),
            _ => line,
        })
    };
    let texts = |outcome: &Outcome| {
        let files: Vec<Vec<u8>> = outcome.files.values().cloned().collect();
        [files, vec![outcome.stdout.clone(), outcome.stderr.clone()]].concat()
    };
    texts(both.bash).iter().zip(&texts(both.mine)).any(|(theirs, mine)| {
        let [theirs, mine] = only(theirs, mine).map(|lines| {
            let lines = lines.iter().map(reworded);
            lines.filter(|line| !line.is_empty()).collect::<Vec<String>>()
        });
        theirs != mine
    })
}

fn same_but_for(both: &Both<'_>, oddities: &[&Oddity]) -> bool {
    both.bash.status == both.mine.status
        && both.bash.files.keys().eq(both.mine.files.keys())
        && !left_over(both, oddities)
}

/// The names of the oddities that explain why both differ: as few as do; `None`: they do not. `run` runs another script.
pub(crate) fn explain(
    both: &Both<'_>,
    run: &mut dyn FnMut(&str) -> Option<(Outcome, Outcome)>,
) -> Option<Vec<&'static str>> {
    let all: Vec<&Oddity> = ODDITIES.iter().collect();
    // One alone is enough for most.
    let alone = all.iter().map(|oddity| vec![*oddity]);
    alone.chain([all.clone()]).find_map(|oddities| {
        let mut script = both.script.to_owned();
        let mut names = Vec::new();
        for oddity in &oddities {
            match oddity.explains {
                Reworded(reword) => {
                    let now = Both { script: &script, bash: both.bash, mine: both.mine };
                    let Some(other) = reword(&now).filter(|other| other.trim_end() != script.trim_end())
                    else {
                        continue;
                    };
                    script = other;
                    names.push(oddity.name);
                }
                Line(_) => names.push(oddity.name),
            }
        }
        let explained = if script == both.script {
            same_but_for(both, &oddities)
        } else {
            let (bash, mine) = run(&script)?;
            same_but_for(&Both { script: &script, bash: &bash, mine: &mine }, &oddities)
        };
        if oddities.len() > 1 {
            names = vec!["several of them"];
        }
        explained.then_some(names)
    })
}
