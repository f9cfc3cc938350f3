//! Random programs: rules, functions, statements. Loops count to a small number or run over fields and arrays; a function
//! calls only those of a lower number.

use super::super::random::Random;
use super::expression::{Scope, array, lvalue, number, regex, scalar, text, value};
use super::table::{FORMATS, ORDERS};

/// A whole program.
pub(super) fn program(random: &mut Random) -> String {
    let mut scope =
        Scope { functions: Vec::new(), scalars: vec!["x", "y", "z", "n", "s"], arrays: vec!["a", "b", "c"] };
    let mut items = Vec::new();
    if random.once_in(3) {
        for number in 0..=random.below(2) {
            items.push(function(random, &mut scope, number));
        }
    }
    // The order of `for (k in a)` is gawk's own without this.
    let sorted = random.pick(ORDERS);
    let mut begin = vec![format!("PROCINFO[\"sorted_in\"] = \"{sorted}\"")];
    if random.once_in(2) {
        begin.push(setting(random));
    }
    for _ in 0..random.below(3) {
        begin.push(statement(random, &scope, 2, Place::Begin));
    }
    items.push(format!("BEGIN {}", block(&begin)));
    for _ in 0..random.below(4) {
        items.push(rule(random, &scope));
    }
    if random.once_in(2) {
        let body: Vec<String> =
            (0..=random.below(2)).map(|_| statement(random, &scope, 2, Place::End)).collect();
        items.push(format!("END {}", block(&body)));
    }
    items.join(random.pick(&["\n", "\n", "; ", "\n\n"]))
}

fn block(statements: &[String]) -> String {
    format!("{{ {} }}", statements.join("; "))
}

fn setting(random: &mut Random) -> String {
    random
        .pick(&[
            "FS = \":\"",
            "FS = \",\"",
            "FS = \"\"",
            "FS = \"[ :]\"",
            "FS = \"\\t\"",
            "OFS = \"-\"",
            "ORS = \"|\\n\"",
            "RS = \"\"",
            "RS = \";\"",
            "RS = \"[,;]\"",
            "RS = \"a\"",
            "SUBSEP = \":\"",
            "CONVFMT = \"%.2g\"",
            "OFMT = \"%.2f\"",
            "FIELDWIDTHS = \"1 2 3\"",
            "FIELDWIDTHS = \"2 1:3 *\"",
            "FPAT = \"[a-z]+\"",
            "FPAT = \"([^,]*)|(\\\"[^\\\"]+\\\")\"",
            "IGNORECASE = 1",
            "$0 = \"x y z\"",
            "split(\"c a b\", a)",
            "a[1] = 1; a[\"k\"] = \"v\"; a[10] = 2; a[9] = 3",
            "b[\"x\", 1] = 5",
            "n = split(\"3 1 2\", b)",
            "RS = \"\\n|x\"",
            "RS = \"^a\"",
            "NF = 3",
            "$3 = \"new\"",
            "ARGV[1] = \"\"",
            "ARGV[ARGC++] = \"f2\"",
            "FS = \"|\"",
            "RS = \"\\0\"",
            "FS = \"a+\"",
            "RS = \"b\"; FS = \"\\n\"",
            "OFS = \":\"; $1 = $1",
            "s = \"10\"; n = 9",
        ])
        .to_owned()
}

/// Where a statement stands.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Begin,
    Rule,
    End,
    Function,
}

fn rule(random: &mut Random, scope: &Scope) -> String {
    let pattern = match random.below(12) {
        0 => "NR == 2".to_owned(),
        1 => format!("NR == {}, NR == {}", 1 + random.below(3), random.below(4)),
        2 => format!("{}, {}", regex(random, 0, scope), regex(random, 0, scope)),
        3 | 4 => regex(random, 0, scope),
        5 => format!("!{}", regex(random, 0, scope)),
        6 => number(random, 1, scope),
        7 => format!("{} ~ {}", text(random, 0, scope), regex(random, 0, scope)),
        8 => format!(
            "{} {} {}",
            value(random, 0, scope),
            random.pick(&["==", "<", ">=", "!="]),
            value(random, 0, scope)
        ),
        9 => "END".to_owned(),
        _ => String::new(),
    };
    if !pattern.is_empty() && pattern != "END" && random.once_in(4) {
        return pattern;
    }
    let place = if pattern == "END" { Place::End } else { Place::Rule };
    let body: Vec<String> = (0..=random.below(3)).map(|_| statement(random, scope, 2, place)).collect();
    format!("{pattern} {}", block(&body))
}

fn function(random: &mut Random, scope: &mut Scope, number: usize) -> String {
    let name = format!("f{number}");
    let inner = Scope {
        functions: scope.functions.clone(),
        scalars: vec!["p", "x", "q"],
        arrays: if random.once_in(2) { vec!["l"] } else { vec!["a"] },
    };
    let mut body: Vec<String> =
        (0..=random.below(2)).map(|_| statement(random, &inner, 1, Place::Function)).collect();
    if random.once_in(2) {
        body.push(format!("return {}", value(random, 1, &inner)));
    }
    scope.functions.push((name.clone(), 2));
    let keyword = random.pick(&["function", "function", "func"]);
    format!("{keyword} {name}(p, q, l) {}", block(&body))
}

fn statement(random: &mut Random, scope: &Scope, depth: usize, place: Place) -> String {
    if depth > 0 && random.once_in(4) {
        return compound(random, scope, depth, place);
    }
    match random.below(24) {
        0..=4 => print(random, scope),
        5..=7 => printf(random, scope),
        8..=10 => format!("{} = {}", lvalue(random, scope), value(random, 2, scope)),
        11 => format!(
            "{} {}= {}",
            lvalue(random, scope),
            random.pick(&["+", "-", "*", "%", "^"]),
            number(random, 1, scope)
        ),
        12 => format!("{}[{}]++", array(random, scope), value(random, 0, scope)),
        13 => number(random, 2, scope),
        14 => format!("delete {}[{}]", array(random, scope), value(random, 0, scope)),
        15 if random.once_in(2) => format!("delete {}", array(random, scope)),
        16 => format!("gsub({}, {})", regex(random, 0, scope), text(random, 1, scope)),
        17 => format!(
            "n = split({}, {}, {}); print n, {0}",
            text(random, 1, scope),
            array(random, scope),
            regex(random, 0, scope)
        )
        .replace(", a[", ", "),
        18 => match place {
            Place::Rule => random
                .pick(&["next", "next", "nextfile", "exit", "exit 3", "getline", "getline x"])
                .to_owned(),
            Place::Function => format!("return {}", value(random, 1, scope)),
            _ => random
                .pick(&["exit", "exit 2", "getline", "while ((getline s < \"f1\") > 0) n++", "close(\"f1\")"])
                .to_owned(),
        },
        19 => output(random, scope),
        20 => input(random, scope),
        21 => random
            .pick(&[
                "$1 = $1",
                "NF = 2",
                "$0 = $2",
                "NF++",
                "$(NF + 1) = \"e\"",
                "$2 = \"\"",
                "print length(a)",
                "print typeof(x), typeof(u), typeof(a[5])",
                "print NR, NF, $0",
                "print -x, +s, !y",
                "print x < y, s == 10, $1 == 1",
                "print substr($0, 2, 3)",
                "print > \"/dev/stderr\"",
                "print 1, 2 > \"/dev/stdout\"",
                "printf \"%s\", $0 \"\\n\"",
                "print (1, 2)",
                "print(1)(2)",
                "print 1 \" \" -1",
                "print 1 - 1",
                "print $1, $NF",
                "print 1==1",
                "print (1 2) > \"o1\"",
                "system(\"echo sys\")",
                "print length()",
                "{ ; }",
                ";",
                "print toupper($0)",
                "print 1e6, 1e5 + 0.5, 100000000, 0.1, 1/3, 1e20, -0",
                "print index($0, \"b\")",
                "print $(-1)",
                "print 1/0",
                "print 5 % 0",
                "print substr(\"hello\", 0, 2), substr(\"hello\", 4, 10)",
                "print RT",
                "x = x $1",
                "s = s \",\" $0",
                "a[NR] = $0",
                "c[$1] = c[$1] \" \" $2",
            ])
            .to_owned(),
        22 => format!("{} = {}", scalar(random, scope), value(random, 2, scope)),
        _ => print(random, scope),
    }
}

fn compound(random: &mut Random, scope: &Scope, depth: usize, place: Place) -> String {
    let inner = |random: &mut Random| statement(random, scope, depth - 1, place);
    match random.below(11) {
        0 | 1 => {
            let condition = value(random, 1, scope);
            let then = inner(random);
            if random.once_in(2) {
                format!("if ({condition}) {{ {then} }} else {}", inner(random))
            } else {
                format!("if ({condition}) {{ {then} }}")
            }
        }
        2 => format!("for (i = 1; i <= {}; i++) {{ {} }}", random.pick(&["2", "3", "NF"]), inner(random)),
        3 => {
            let name = array(random, scope);
            format!(
                "for (k in {name}) {}",
                random
                    .pick(&["print k", "print k, NAME[k]", "n++", "s = s k", "print (k in NAME)"])
                    .replace("NAME", &name)
            )
        }
        4 => format!(
            "i = 0; while (i++ < {}) {{ {}; {} }}",
            random.pick(&["2", "3"]),
            inner(random),
            leave(random)
        ),
        5 => format!("i = 0; do {{ {} }} while (++i < {})", inner(random), random.pick(&["2", "0", "3"])),
        6 => {
            let mut arms = String::new();
            for _ in 0..=random.below(2) {
                let label = match random.below(4) {
                    0 => regex(random, 0, scope),
                    1 => "1".to_owned(),
                    2 => "\"a\"".to_owned(),
                    _ => random.pick(&["-1", "2", "\"10\"", "10"]).to_owned(),
                };
                let label = if label.starts_with(['/', '"', '-']) || label.starts_with(char::is_numeric) {
                    label
                } else {
                    "3".to_owned()
                };
                let end = if random.once_in(3) { "" } else { "; break" };
                arms.push_str(&format!("case {label}: {}{end}\n", inner(random)));
            }
            if random.once_in(2) {
                arms.push_str(&format!("default: {}\n", inner(random)));
            }
            format!("switch ({}) {{ {arms} }}", value(random, 1, scope))
        }
        7 => "for (i = NF; i > 0; i--) printf \"%s%s\", $i, (i > 1 ? OFS : ORS)".to_owned(),
        8 => format!("for (;;) {{ if (++z > {}) break; {} }}", random.pick(&["2", "4"]), inner(random)),
        9 => format!("{{ {}; {} }}", inner(random), inner(random)),
        _ => format!(
            "if ({}) {}; else if ({}) {}",
            number(random, 1, scope),
            print(random, scope),
            value(random, 0, scope),
            print(random, scope)
        ),
    }
}

fn leave(random: &mut Random) -> &'static str {
    random.pick(&["break", "continue", "n++", "if (i > 1) break", "if (i == 1) continue"])
}

fn print(random: &mut Random, scope: &Scope) -> String {
    match random.below(8) {
        0 => "print".to_owned(),
        1 => format!("print {}", value(random, 2, scope)),
        2 => format!("print({}, {})", value(random, 1, scope), value(random, 1, scope)),
        3 => format!("print {} {}", value(random, 1, scope), value(random, 1, scope)),
        _ => format!("print {}, {}", value(random, 2, scope), value(random, 1, scope)),
    }
    .replace(" > ", " < ")
}

fn printf(random: &mut Random, scope: &Scope) -> String {
    let arguments: Vec<String> =
        (0..random.below(4)).map(|_| value(random, 1, scope).replace(" > ", " < ")).collect();
    let list = format!(
        "\"{}\"{}{}",
        random.pick(FORMATS),
        if arguments.is_empty() { "" } else { ", " },
        arguments.join(", ")
    );
    if random.once_in(3) { format!("printf({list})") } else { format!("printf {list}") }
}

fn output(random: &mut Random, scope: &Scope) -> String {
    let what = format!("print {}", value(random, 1, scope).replace(" > ", " < "));
    match random.below(9) {
        0 => format!("{what} > \"o1\""),
        1 => format!("{what} >> \"o1\""),
        2 => format!("{what} | \"sort\""),
        3 => format!("{what} | \"cat\"; close(\"cat\")"),
        4 => format!("{what} > \"/dev/stderr\""),
        5 => format!(
            "{what} > \"o2\"; close(\"o2\"); while ((getline s < \"o2\") > 0) print \"got\", s; close(\"o2\")"
        ),
        6 => "printf \"%s\\n\", $1 > \"o\" NR".to_owned(),
        7 => format!("{what} | \"sort -r\""),
        _ => format!("{what} > \"d/none\""),
    }
}

fn input(random: &mut Random, scope: &Scope) -> String {
    match random.below(8) {
        0 => "while ((getline line < \"f1\") > 0) print \"<\" line \">\"; close(\"f1\")".to_owned(),
        1 => "\"echo x y\" | getline; print $2, NF, NR".to_owned(),
        2 => format!("\"echo 5\" | getline {}; print NR", lvalue(random, scope)),
        3 => "if ((getline x < \"nope\") < 0) print \"none\"".to_owned(),
        4 => "getline; print NR, $0".to_owned(),
        5 => "getline x; print x, NR, FNR".to_owned(),
        6 => "cmd = \"printf '1 2\\\\n3\\\\n'\"; while ((cmd | getline) > 0) print $1; print close(cmd)"
            .to_owned(),
        _ => "getline < \"f2\"; print $0, NF, NR".to_owned(),
    }
}
