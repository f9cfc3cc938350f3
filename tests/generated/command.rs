//! Random statements.

use super::Statement;
use super::random::Random;
use super::word::{arithmetic, double, parameter, pattern, word};

/// Values, as they stand in an assignment.
const VALUES: &[&str] = &[
    "abc",
    "'a b c'",
    "''",
    "'*'",
    "'a:b::c'",
    "'  lead and trail  '",
    "5",
    "-2",
    "'x\\y'",
    "$'l1\\nl2\\n'",
    "foo.tar.gz",
    "usr/local/bin",
    "'$a'",
    "'a\"b'",
    "\"it's\"",
    "'[a]*'",
    "héllo",
    "Foo",
    "'1 2 3'",
    "'?1'",
    "'\\*'",
    "'a,b;c'",
    "$'t\\tt'",
    "0",
    "12",
];
const NAMES: &[&str] = &["a", "b", "c", "v"];
const FILES: &[&str] = &["o1", "o2", "d/o3", "a1"];

/// What every script begins with: variables, a function, options at times.
pub(super) fn prelude(random: &mut Random) -> Vec<Statement> {
    let mut lines = vec![
        "show() { printf '<%s>' \"$#\" \"$@\"; echo; }".to_owned(),
        "f1() { local lo=$1; lo=${lo}!; printf '%s\\n' \"$lo\"; return $((${#lo} % 3)); }".to_owned(),
        format!("a={} b={} c={}", random.pick(VALUES), random.pick(VALUES), random.pick(VALUES)),
        format!("n={} r={}", random.pick(&["0", "1", "2", "3"]), random.pick(&["a", "b", "u", "n"])),
        format!("arr=({} {} {})", random.pick(VALUES), random.pick(VALUES), random.pick(VALUES)),
        format!("declare -A m=([k]={} [k2]={})", random.pick(VALUES), random.pick(VALUES)),
        format!("set -- {} {}", random.pick(VALUES), random.pick(VALUES)),
    ];
    if random.once_in(3) {
        lines.push("shopt -s extglob".to_owned());
    }
    if random.once_in(3) {
        let option = random.pick(&[
            "set -e",
            "set -u",
            "set -o pipefail",
            "set -f",
            "shopt -s nullglob",
            "shopt -s dotglob",
            "shopt -s nocasematch",
            "shopt -s globstar",
            "set -eu",
            "set -C",
            "shopt -s inherit_errexit",
            "shopt -s lastpipe",
            "set -eE",
        ]);
        lines.push(option.to_owned());
    }
    if random.once_in(4) {
        lines.push(format!("IFS={}", random.pick(&["' '", "''", "$'\\n '", "$' \\t'"])));
    }
    if random.once_in(5) {
        lines.push(format!(
            "trap {} {}",
            random.pick(&["'echo bye $?'", "'show \"$a\" $?'", "'echo x; exit 3'", "'f1 t'"]),
            random.pick(&["EXIT", "EXIT", "ERR", "RETURN", "0"])
        ));
    }
    lines.into_iter().map(Statement::Line).collect()
}

/// What every script ends with: its state.
pub(super) fn epilogue() -> Vec<Statement> {
    [
        "echo \"st $?\"",
        "printf '[%s]' \"$a\" \"$b\" \"$c\" \"${v-unset}\" \"$n\" \"${u-unset}\" \"${!arr[@]}\" \"${arr[@]}\" \"${m[k]}\" \"$@\"",
        "echo",
        "declare -p a arr m n",
    ]
    .into_iter()
    .map(|line| Statement::Line(line.to_owned()))
    .collect()
}

fn block(head: impl Into<String>, body: Vec<Statement>, tail: impl Into<String>) -> Statement {
    Statement::Block { head: head.into(), body, tail: tail.into() }
}

fn body(random: &mut Random, depth: usize) -> Vec<Statement> {
    (0..=random.below(2)).map(|_| statement(random, depth - 1)).collect()
}

/// A statement; `depth` bounds how deep compound commands nest.
pub(super) fn statement(random: &mut Random, depth: usize) -> Statement {
    if depth == 0 || random.below(3) > 0 {
        return Statement::Line(line(random));
    }
    let tail = |random: &mut Random, end: &str| match random.below(8) {
        0 => format!("{end} >{}", random.pick(FILES)),
        1 => format!("{end} | cat"),
        2 => format!("{end} 2>&1"),
        3 => format!("{end} || echo failed"),
        4 => format!("{end} < b.txt"),
        _ => end.to_owned(),
    };
    match random.below(11) {
        0 => {
            let mut inner = body(random, depth);
            if random.once_in(2) {
                inner.push(Statement::Line(format!("elif {}; then", condition(random))));
                inner.push(statement(random, 0));
            } else {
                inner.push(Statement::Line("else".to_owned()));
                inner.push(Statement::Line(line(random)));
            }
            block(format!("if {}; then", condition(random)), inner, tail(random, "fi"))
        }
        1 => {
            let mut inner = body(random, depth);
            if random.once_in(3) {
                inner.push(Statement::Line(format!(
                    "[[ $v == {} ]] && {}",
                    pattern(random),
                    random.pick(&["break", "continue"])
                )));
            }
            block(
                format!("for v in {} {}; do", word(random, 2), word(random, 1)),
                inner,
                tail(random, "done"),
            )
        }
        2 => {
            let mut inner = vec![Statement::Line("((++i > 3)) && break".to_owned())];
            inner.extend(body(random, depth));
            block(
                format!("i=0; {} {}; do", random.pick(&["while", "until"]), condition(random)),
                inner,
                tail(random, "done"),
            )
        }
        3 => block(
            format!("for ((j = 0; j < {}; j++)); do", random.pick(&["1", "2", "3"])),
            body(random, depth),
            tail(random, "done"),
        ),
        4 => block("(", body(random, depth), tail(random, ")")),
        5 => block("{", body(random, depth), tail(random, "}")),
        6 => {
            let mut inner = vec![Statement::Line(format!("local v={} lo", word(random, 1)))];
            inner.extend(body(random, depth));
            if random.once_in(2) {
                inner.push(Statement::Line(format!("return {}", random.pick(&["0", "1", "7", "$n", ""]))));
            }
            block("f2() {", inner, format!("}}\nf2 {} {}", word(random, 1), word(random, 1)))
        }
        7 | 8 => {
            let mut inner = Vec::new();
            for _ in 0..=random.below(3) {
                let arm = format!("{}{})", pattern(random), if random.once_in(3) { " | \"\"" } else { "" });
                inner.push(Statement::Line(format!(
                    "{arm} {} {}",
                    line(random),
                    random.pick(&["\n;;", "\n;;", "\n;&", "\n;;&"])
                )));
            }
            block(format!("case {} in", word(random, 1)), vec![], "").with(inner, tail(random, "esac"))
        }
        9 => {
            let source = random.pick(&[
                "b.txt",
                "<(printf '1 2\\n3:4 5\\n')",
                "<<<\"$a\"",
                "<(printf '%s\\n' \"${arr[@]}\")",
            ]);
            let source = if source.starts_with("<<<") { source.to_owned() } else { format!("< {source}") };
            let flags = random.pick(&["-r", "", "-r", "-n 2", "-d :", "-ra"]);
            let names = if flags == "-ra" { "w" } else { random.pick(&["v w", "v", "", "v w x"]) };
            let mut inner = vec![Statement::Line("show \"$v\" \"${w[@]}\" \"$REPLY\"".to_owned())];
            inner.extend(body(random, depth));
            block(format!("while read {flags} {names}; do"), inner, format!("done {source}"))
        }
        _ => {
            let mut inner = body(random, depth);
            inner.push(Statement::Line("echo end".to_owned()));
            block("{", inner, "} | while read -r v; do show \"$v\"; done")
        }
    }
}

impl Statement {
    /// A `case` whose arms stand in the head, so that it stays whole when it is cut down.
    #[expect(clippy::needless_pass_by_value, reason = "a step of a strategy: it gets what was generated")]
    fn with(self, arms: Vec<Statement>, tail: String) -> Statement {
        let Statement::Block { head, .. } = self else { return self };
        Statement::Line(format!("{head}\n{}{tail}", super::render(&arms)))
    }
}

fn condition(random: &mut Random) -> String {
    match random.below(12) {
        0 => format!("(({}))", arithmetic(random, 2)),
        1..=3 => format!(
            "[[ {} {} {} ]]",
            double(random, 1),
            random.pick(&["==", "!=", "=", "=="]),
            pattern(random)
        ),
        4 => format!(
            "[[ {} ]]",
            random.pick(&[
                "-n $a",
                "-z $u",
                "-v u",
                "-v arr[1]",
                "-v m[k]",
                "-f a1",
                "-d d",
                "-e nope",
                "! -s b.txt",
                "$a",
                "-o errexit",
                "a1 -ef ./a1"
            ])
        ),
        5 => format!(
            "[[ $a =~ {} {} -n ${{BASH_REMATCH[1]}} ]]",
            random.pick(&[
                "^(.)(.*)$",
                "([a-c]+)",
                "[0-9]+",
                "\"*\"",
                "^$",
                "a|b",
                "(.)\\.(.)",
                "([[:alpha:]]+)[[:space:]]",
                "$b"
            ]),
            random.pick(&["&&", "||"])
        ),
        6 => format!(
            "[ {} {} {} ]",
            double(random, 1),
            random.pick(&["=", "!=", "<", "\\>", "-a", "-o"]).replace('<', "\\<"),
            double(random, 1)
        ),
        7 => format!(
            "test {} {} {}",
            random.pick(&["$n", "1", "0"]),
            random.pick(&["-eq", "-ne", "-lt", "-ge"]),
            random.pick(&["$n", "2", "3"])
        ),
        8 => format!(
            "[[ {} {} {} ]]",
            arithmetic(random, 0),
            random.pick(&["-eq", "-lt", "-gt", "-ne"]),
            arithmetic(random, 1)
        ),
        9 => format!("! {}", condition(random)),
        10 => format!(
            "{} {} {}",
            condition(random),
            random.pick(&["&&", "||"]),
            random.pick(&["true", "false", "((n))"])
        ),
        _ => random.pick(&["true", "false", "f1 x", "(exit 3)", "echo cond"]).to_owned(),
    }
}

/// A command on a line.
pub(super) fn line(random: &mut Random) -> String {
    match random.below(34) {
        0..=3 => format!("show {} {}", word(random, 2), word(random, 2)),
        4 => format!("echo {}", word(random, 2)),
        5 => format!("{}={}", random.pick(NAMES), word(random, 2)),
        6 => format!("{}+={}", random.pick(&["a", "n", "arr", "m[k]", "arr[1]"]), word(random, 1)),
        7 => format!("arr=({} {})", word(random, 2), word(random, 1)),
        8 => format!("arr[{}]={}", random.pick(&["0", "3", "n", "-1", "n+1"]), word(random, 1)),
        9 => format!("m[{}]={}", random.pick(&["k", "a b", "$a", "new", "\"x y\""]), word(random, 1)),
        10 => format!("arr+=({} [{}]={})", word(random, 1), random.pick(&["5", "n"]), word(random, 1)),
        11 => format!("(({})); echo $?", arithmetic(random, 2)),
        12 => format!("show $(({}))", arithmetic(random, 3)),
        13 => format!("{} && echo yes || echo no", condition(random)),
        14 => format!(
            "printf '{}\\n' {} {}",
            random.pick(&[
                "%s", "<%s>", "%d", "%5s|", "%-4s|", "%q", "%b", "%x", "%03d", "%.2s", "%c", "%%%s", "%s=%d",
                "%+d", "%o", "%5.1f", "%*s"
            ]),
            word(random, 1),
            word(random, 1)
        ),
        15 => format!("printf -v {} '%s-%s' {} x", random.pick(&["v", "arr[1]", "a"]), word(random, 1)),
        16 => format!(
            "read {} {} <<<{}; show \"$v\" \"$w\" \"$x\"",
            random.pick(&["-r", "", "-d ,", "-n 3", "-r -N 2"]),
            random.pick(&["v", "v w", "v w x"]),
            word(random, 2)
        ),
        17 => format!(
            "IFS={} read -ra w <<<{}; show \"${{w[@]}}\"",
            random.pick(&[":", "', '", "''", "' '", "a", "'\\'"]),
            word(random, 2)
        ),
        18 => here_document(random),
        19 => format!(
            "{} | {}",
            output(random),
            random.pick(&[
                "cat",
                "sort",
                "tr a-c A-C",
                "wc -l",
                "head -n 1",
                "while read x; do show $x; done",
                "sed 's/a/[&]/g'",
                "grep -c a",
                "{ read v; echo \"$v\"; cat; }"
            ])
        ),
        20 => format!(
            "{} {} {}",
            output(random),
            random.pick(&[">", ">>", ">|", "2>", "&>"]),
            random.pick(FILES)
        ),
        21 => format!("unset {}", random.pick(&["u", "a", "'arr[1]'", "'m[k]'", "v", "-f f2", "'arr[-1]'"])),
        22 => format!(
            "{} {}={}",
            random.pick(&[
                "export",
                "declare -i",
                "declare -u",
                "declare -l",
                "readonly",
                "declare",
                "declare -x",
                "typeset -a"
            ]),
            random.pick(&["v", "q", "lo"]),
            word(random, 1)
        ),
        23 => format!("set -- {} {}; show \"$@\" $* \"$*\"", word(random, 2), word(random, 1)),
        24 => format!(
            "eval {}",
            random.pick(&["'show \"$a\"'", "\"echo $n\"", "show \\$a", "'v=$(echo \"$b\")'", "'echo )'"])
        ),
        25 => format!(
            "( {}; {} ); echo \"sub $?\"",
            line_simple(random),
            random.pick(&["exit 4", "false", "true", "n=9"])
        ),
        26 => format!("f1 {}; echo \"f $?\"", word(random, 2)),
        27 => format!(
            "v=$({}; {}); show \"$v\" $?",
            output(random),
            random.pick(&["false", "true", "exit 5", "echo"])
        ),
        28 => random
            .pick(&[
                "shift",
                "shift 5",
                "cd d",
                "cd nope",
                "set +e",
                "set +f",
                "trap - EXIT",
                "false || true",
                "exec 3>o2; echo three >&3; exec 3>&-",
                "mapfile -t w < b.txt; show \"${w[@]}\"",
                "mkdir -p e/f; echo x > e/f/g",
                "rm -f a1",
                "getopts ab: v -a -b x; show $v $OPTIND",
                "let n+=2",
                "wait",
                "type -t f1 echo if nope",
                "local q=1",
                "true & wait $!; echo $?",
                "echo \"${PIPESTATUS[@]}\"",
                "echo $LINENO",
                "declare -f f2",
                "declare -n ref=a; ref=Z",
                "pwd | grep -c /",
                "mv b.txt b2",
                "unset IFS",
                "exit 6",
                "return 2",
                "shopt -s extglob",
                "set -o | grep -c on",
            ])
            .to_owned(),
        29 => format!("show {} <<<x 2>&1", parameter(random, 2, false)),
        30 => format!(
            "show {}",
            (0..3)
                .map(|_| parameter(random, 1, true))
                .map(|text| format!("\"{text}\""))
                .collect::<Vec<_>>()
                .join(" ")
        ),
        31 => format!(
            "v={} {}",
            word(random, 1),
            random.pick(&["f1 $v", "eval 'show \"$v\"'", "show \"$v\"", "bash -c 'echo \"$v\"'"])
        ),
        32 => format!("{{ {}; }} 2>&1", line_simple(random)),
        _ => format!("show \"{}\"", parameter(random, 2, true)),
    }
}

fn line_simple(random: &mut Random) -> String {
    match random.below(4) {
        0 => format!("a={}", word(random, 1)),
        1 => format!("show {}", word(random, 1)),
        2 => format!("echo $(({}))", arithmetic(random, 1)),
        _ => format!("show \"{}\"", parameter(random, 1, true)),
    }
}

fn output(random: &mut Random) -> String {
    match random.below(4) {
        0 => format!("echo {}", word(random, 1)),
        1 => "printf '%s\\n' \"${arr[@]}\"".to_owned(),
        2 => format!("printf '%s\\n' {}", word(random, 2)),
        _ => "cat b.txt".to_owned(),
    }
}

fn here_document(random: &mut Random) -> String {
    let operator = random.pick(&["<<E", "<<'E'", "<<-E", "<<\\E"]);
    let mut text = format!("{{ cat; }} {operator}{}\n", random.pick(&["", " | sort", " >o1", " && echo ok"]));
    for _ in 0..random.below(4) {
        if operator == "<<-E" {
            text.push_str(random.pick(&["\t", "", "\t\t"]));
        }
        match random.below(5) {
            0 => text.push_str(random.pick(&[
                "plain",
                "a 'b' \"c\"",
                "\\$a \\\\ \\x",
                "a \\",
                "  two",
                "\"${a:-\"q\"}\"",
            ])),
            1 => text.push_str(&format!("${{{}}} text", random.pick(NAMES))),
            2 => text.push_str(&parameter(random, 1, true)),
            3 => text.push_str("$(echo \"sub $a\") `echo b`"),
            _ => text.push_str(&format!("$(({}))", arithmetic(random, 1))),
        }
        text.push('\n');
    }
    text.push('E');
    text
}
