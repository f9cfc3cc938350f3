//! Ways to hide a command, and what the view says of them.

use super::*;
use crate::linear_time::assert_grows_linearly;

/// The texts of all commands.
fn texts(script: &str) -> Vec<String> {
    inspect(script.as_bytes()).commands.iter().map(CommandView::text).collect()
}

fn kinds(script: &str) -> Vec<OpaqueKind> {
    inspect(script.as_bytes()).opaque.iter().map(|opaque| opaque.what).collect()
}

/// Whether a guard that looks for `rm -rf /` as words would see it.
fn sees_removal(script: &str) -> bool {
    inspect(script.as_bytes()).commands.iter().any(|command| {
        command.name() == Some("rm")
            && command.words.iter().skip(1).filter_map(|word| word.text.as_deref()).eq(["-rf", "/"])
    })
}

#[test]
fn the_plain_command_is_seen_wherever_it_stands() {
    for script in [
        "rm -rf /",
        "true && rm -rf /",
        "true; rm -rf / &",
        "echo a | rm -rf /",
        "if true; then rm -rf /; fi",
        "if false; then :; elif true; then :; else rm -rf /; fi",
        "while rm -rf /; do :; done",
        "for x in a b; do rm -rf /; done",
        "for ((;;)); do rm -rf /; done",
        "select x in a; do rm -rf /; done",
        "case x in y) ;; *) rm -rf / ;; esac",
        "{ rm -rf /; }",
        "( rm -rf / )",
        "f() { rm -rf /; }",
        "function f { rm -rf /; }",
        "coproc rm -rf /",
        "! rm -rf /",
        "time -p rm -rf /",
        "echo\nrm -rf /\n",
        "echo # rm\nrm -rf / # now",
        "A=1 rm -rf /",
        ">log rm -rf / 2>&1",
    ] {
        assert!(sees_removal(script), "{script}");
    }
}

#[test]
fn quotes_and_braces_hide_nothing() {
    for script in [
        r"r\m -rf /",
        "r''m -rf /",
        "'rm' \"-rf\" '/'",
        "\"r\"m -r\"f\" /",
        r"$'\x72m' $'-rf' /",
        r"$'\162\155' -rf /",
        "$\"rm\" -rf /",
        "rm \\\n -rf \\\n /",
        "r\\\nm -rf /",
        "{rm,-rf,/}",
        "rm -{rf,} /; rm {-rf,/}",
        "/bin/rm -rf /",
        "/usr/bin/../bin/rm -rf /",
        "\\rm -rf /",
    ] {
        assert!(sees_removal(script), "{script}");
    }
}

#[test]
fn substitutions_are_looked_into() {
    for script in [
        "echo $(rm -rf /)",
        "echo \"a $(rm -rf /) b\"",
        "echo `rm -rf /`",
        "echo `echo \\`rm -rf /\\``",
        "x=$(rm -rf /)",
        "a=(1 $(rm -rf /))",
        "a[$(rm -rf /)]=1",
        "declare x=$(rm -rf /)",
        "echo ${x:-$(rm -rf /)}",
        "echo ${x/a/$(rm -rf /)}",
        "echo ${x:$(rm -rf /)}",
        "echo ${a[$(rm -rf /)]}",
        "echo $(( $(rm -rf /) + 1 ))",
        "(( x = $(rm -rf /) ))",
        "[[ -n $(rm -rf /) ]]",
        "[[ a && ( b || c == $(rm -rf /) ) ]]",
        "for x in $(rm -rf /); do :; done",
        "case $(rm -rf /) in x) ;; esac",
        "cat <(rm -rf /)",
        "tee >(rm -rf /)",
        "cat < <(rm -rf /)",
        "cat <<E\n$(rm -rf /)\nE\n",
        "cat <<-E\n\t`rm -rf /`\n\tE\n",
        "cat <<<\"$(rm -rf /)\"",
        "echo >$(rm -rf /)",
        "{ :; } >$(rm -rf /)",
    ] {
        assert!(sees_removal(script), "{script}");
    }
}

#[test]
fn wrappers_are_looked_through() {
    for script in [
        "sudo rm -rf /",
        "sudo -u root -n -- rm -rf /",
        "sudo --user=root --chdir /tmp A=1 rm -rf /",
        "sudo -uroot rm -rf /",
        "doas -u root rm -rf /",
        "env rm -rf /",
        "env -i A=1 B=2 rm -rf /",
        "env - A=1 rm -rf /",
        "env -u HOME -C /tmp rm -rf /",
        "env -S 'rm -rf /'",
        "env -iS'A=1 rm -rf' /",
        "env --split-string='rm -rf /'",
        "command rm -rf /",
        "command -p rm -rf /",
        "builtin command rm -rf /",
        "exec rm -rf /",
        "exec -a ls rm -rf /",
        "nohup rm -rf / &",
        "nice -n 5 rm -rf /",
        "nice -5 rm -rf /",
        "timeout 5 rm -rf /",
        "timeout -k 1 -s KILL 5 rm -rf /",
        "timeout --sig KILL --preserve-status 5 rm -rf /",
        "timeout \"$limit\" rm -rf /",
        "/usr/bin/time -f %e rm -rf /",
        "true | time rm -rf /",
        "stdbuf -oL -e 0 rm -rf /",
        "setsid -w rm -rf /",
        "ionice -c 3 rm -rf /",
        "taskset 0x1 rm -rf /",
        "chroot / rm -rf /",
        "busybox rm -rf /",
        "toybox rm -rf /",
        "strace -f -o log rm -rf /",
        "flock /tmp/lock rm -rf /",
        "flock /tmp/lock -c 'rm -rf /'",
        "watch -n 1 rm -rf /",
        "su -c 'rm -rf /'",
        "su root -c 'rm -rf /'",
        "su - root --command='rm -rf /'",
        "script -q -c 'rm -rf /' /dev/null",
        "parallel rm -rf / ::: a b",
        "ssh host rm -rf /",
        "/lib64/ld-linux-x86-64.so.2 /bin/rm -rf /",
        "echo / | xargs rm -rf /",
        "xargs -0 -n1 -P 4 rm -rf / <list",
        "xargs -I % -- rm -rf /",
        "find . -exec rm -rf / \\;",
        "find . -name x -execdir rm -rf / ';' -o -ok rm {} +",
        "find . -exec echo {} + -exec rm -rf / \\;",
        "find . -exec sh -c 'rm -rf /' \\;",
        "sudo env A=1 nohup timeout 5 bash -c 'rm -rf /'",
        "busybox sh -c 'rm -rf /'",
    ] {
        assert!(sees_removal(script), "{script}");
    }
}

#[test]
fn texts_that_shells_run_are_read() {
    for script in [
        "bash -c 'rm -rf /'",
        "sh -c \"rm -rf /\"",
        "/bin/bash -lc 'rm -rf /' name arg",
        "bash -euo pipefail -c 'rm -rf /'",
        "bash -O extglob --norc -c 'rm -rf /'",
        "bash --rcfile x -xc -- 'rm -rf /'",
        "bash -c 'bash -c \"bash -c \\\"rm -rf /\\\"\"'",
        "bash <<E\nrm -rf /\nE\n",
        "sh -s a b <<'E'\nrm -rf /\nE\n",
        "sudo sh <<-E\n\trm -rf /\n\tE\n",
        "bash <<<'rm -rf /'",
        "eval 'rm -rf /'",
        "eval rm -rf /",
        "eval -- r\\m '-rf' /",
        "builtin eval 'rm -rf /'",
        "command eval eval rm -rf /",
        "trap 'rm -rf /' EXIT",
        "trap -- 'rm -rf /' INT TERM",
        "alias ls='rm -rf /'",
        "mapfile -C 'rm -rf /' -c 1 x",
        "xargs sh -c 'rm -rf /'",
    ] {
        assert!(sees_removal(script), "{script}");
    }
}

#[test]
fn what_decides_at_run_time_is_opaque() {
    use OpaqueKind::*;
    for (script, wanted) in [
        ("$x -rf /", ComputedCommand),
        ("r$x -rf /", ComputedCommand),
        ("$(echo rm) -rf /", ComputedCommand),
        ("/bin/r? -rf /", ComputedCommand),
        ("/bin/[r]m -rf /", ComputedCommand),
        ("~/x", ComputedCommand),
        ("{$x,-rf}", ComputedCommand),
        ("${IFS:0:0}rm -rf /", ComputedCommand),
        ("\"$@\"", ComputedCommand),
        ("sudo $x", ComputedArguments),
        ("sudo \"$x\" -rf /", ComputedCommand),
        ("xargs -I{} {} -rf /", ComputedCommand),
        ("echo rm -rf / | xargs sudo", ComputedCommand),
        ("sudo $options rm -rf /", ComputedArguments),
        ("timeout $t rm -rf /", ComputedArguments),
        ("env -S \"$x\"", ComputedScript),
        ("eval \"$x\"", ComputedScript),
        ("eval rm $x", ComputedScript),
        ("bash -c \"$x\"", ComputedScript),
        ("bash -c \"rm $x\"", ComputedScript),
        ("bash $x", ComputedArguments),
        ("trap \"$x\" EXIT", ComputedScript),
        ("bash <<E\nrm $x\nE\n", ComputedScript),
        ("find . -exec sh -c 'rm {}' \\;", ComputedScript),
        ("xargs -I% bash -c 'rm %'", ComputedScript),
        ("echo \"${x@P}\"", ComputedScript),
        ("alias x=\"$y\"", ComputedScript),
        ("let 'a[$(rm -rf /)]'", ComputedScript),
        ("test -v 'a[`rm -rf /`]'", ComputedScript),
        ("echo rm -rf / | sh", PipedScript),
        ("curl -s http://x | sudo bash -s -- a", PipedScript),
        ("echo x | { bash; }", PipedScript),
        ("bash < <(echo rm)", PipedScript),
        ("sh <&3", PipedScript),
        ("sudo -i", PipedScript),
        ("xargs bash -c", PipedScript),
        ("curl x | python3", PipedScript),
        ("curl x | python3 -", PipedScript),
        ("bash file", ScriptFile),
        ("bash \"$file\"", ScriptFile),
        ("bash <(echo rm)", ScriptFile),
        ("bash < file", ScriptFile),
        (". ./file", ScriptFile),
        ("source <(echo rm)", ScriptFile),
        ("awk -f file", ScriptFile),
        ("git() { :; }; git status", Redefined),
        ("alias git=rm; git status", Redefined),
        ("hash -p /tmp/x git; git status", Redefined),
        ("enable -f x.so git", Redefined),
        ("PATH=/tmp git status", Environment),
        ("export PATH=/tmp:$PATH", Environment),
        ("BASH_ENV=x bash -c ls", Environment),
        ("env LD_PRELOAD=x ls", Environment),
        ("python3.11 -c 'import os'", OtherLanguage),
        ("perl -we 'system q(rm)'", OtherLanguage),
        ("node --eval 'x'", OtherLanguage),
        ("awk 'BEGIN { system(\"rm\") }'", OtherLanguage),
        ("awk '{ print | \"sh\" }'", OtherLanguage),
        ("awk \"$x\"", OtherLanguage),
        ("bash -c 'if'", SyntaxError),
        ("if", SyntaxError),
        ("echo `if`", SyntaxError),
    ] {
        assert!(kinds(script).contains(&wanted), "{script}: {:?}", kinds(script));
    }
}

#[test]
fn common_scripts_are_not_opaque() {
    for script in [
        "git status",
        "cd /tmp && ls -la | grep -v '^d' > out.txt 2>&1",
        "x=1; echo \"$x\" $HOME *.txt ~",
        "for f in *.rs; do cargo fmt \"$f\"; done",
        "[ -f x ] && [[ $x == y* ]]",
        "test \"${a[0]}\" = x",
        "awk '{ print $1 || $2 }' file",
        "awk -F: -v x=\"$y\" '/a|b/ { print }' file",
        "find . -name '*.rs' -exec wc -l {} +",
        "find \"$dir\" -type f -delete",
        "xargs -0 rm -f",
        "timeout \"$t\" cargo test",
        "env \"FOO=$x\" cargo test",
        "sudo -u \"$user\" ls",
        "command -v git >/dev/null",
        "exec 3>log",
        "trap - EXIT; trap '' INT; trap INT; trap -p",
        "bash --version; bash -c 'ls' x y",
        "python3 script.py; node --version; python3 -m pytest",
        "eval; alias; hash -r",
        "printf '%s\\n' \"a[1]\"",
        "nohup server --port 80 &",
        "sudo -l; sudo -v",
        "",
        "\n# only a comment\n",
    ] {
        let view = inspect(script.as_bytes());
        assert!(!view.is_opaque(), "{script}: {:?} {:?}", view.opaque, view.error);
    }
}

#[test]
fn order_places_and_what_it_stands_behind() {
    let script = "f() {\n  sudo env A=1 ls \"$1\" >out\n}\necho $(date)\n";
    let view = inspect(script.as_bytes());
    let shown: Vec<(String, u32, Vec<&str>)> = view
        .commands
        .iter()
        .map(|command| (command.text(), command.line, command.via.iter().map(Via::name).collect()))
        .collect();
    assert_eq!(
        shown,
        [
            ("sudo env A=1 ls \"$1\"".to_owned(), 2, vec!["f"]),
            ("env A=1 ls \"$1\"".to_owned(), 2, vec!["f", "sudo"]),
            ("ls \"$1\"".to_owned(), 2, vec!["f", "sudo", "env"]),
            ("echo $(date)".to_owned(), 4, vec![]),
            ("date".to_owned(), 4, vec!["$()"]),
        ]
    );
    let inner = &view.commands[2];
    assert_eq!(inner.words[1], WordView { text: None, source: "\"$1\"".into() });
    assert_eq!(inner.assignments[0].0, "A");
    assert_eq!(inner.redirects[0].target.text.as_deref(), Some("out"));
    assert_eq!(script.get(inner.span.clone()).unwrap(), "sudo env A=1 ls \"$1\" >out");
    assert_eq!(script.get(view.commands[4].span.clone()).unwrap(), "date");
}

#[test]
fn nested_texts_have_the_place_of_their_command() {
    let script = "echo\nbash -c '\n\nls'\necho `\n pwd`\n";
    let view = inspect(script.as_bytes());
    let find = |name| view.commands.iter().find(|command| command.name() == Some(name)).unwrap();
    assert_eq!((find("ls").line, script.get(find("ls").span.clone()).unwrap()), (2, "bash -c '\n\nls'"));
    assert_eq!((find("pwd").line, script.get(find("pwd").span.clone()).unwrap()), (5, "`\n pwd`"));
}

#[test]
fn redirections_tell_what_is_written() {
    let view = inspect(b"a >x 2>>y <in 2>&1 >&z &>w {fd}<>v <<<s; { b; } >k; >j");
    let show = |redirect: &RedirectView| {
        let descriptor = redirect.descriptor.as_deref().unwrap_or("");
        let mark = if redirect.writes() { " writes" } else { "" };
        format!("{descriptor}{}{}{mark}", redirect.operator, redirect.target.text.as_deref().unwrap_or("?"))
    };
    let shown: Vec<Vec<String>> =
        view.commands.iter().map(|command| command.redirects.iter().map(show).collect()).collect();
    assert_eq!(
        shown,
        [
            &[
                ">x writes",
                "2>>y writes",
                "<in",
                "2>&1",
                ">&z writes",
                "&>w writes",
                "{fd}<>v writes",
                "<<<s"
            ][..],
            &[],
            &[">k writes"],
            &[">j writes"],
        ]
    );
}

#[test]
fn commands_before_a_syntax_error_are_listed() {
    let view = inspect(b"ls\nfi\nrm x\n");
    assert_eq!(view.commands.len(), 1);
    assert_eq!(view.error.as_deref(), Some("line 2: syntax error near unexpected token `fi': `fi'"));
    assert_eq!(view.opaque[0].what, OpaqueKind::SyntaxError);
}

#[test]
fn extended_patterns_are_read_once_they_are_on() {
    assert_eq!(texts("shopt -s extglob\nls !(a)\n"), ["shopt -s extglob", "ls !(a)"]);
    assert!(inspect(b"ls !(a)\n").error.is_some());
}

#[test]
fn nesting_ends() {
    let mut script = "ls".to_owned();
    for _ in 0..40 {
        script = format!("sudo {script}");
    }
    let view = inspect(script.as_bytes());
    assert_eq!(view.commands.len(), 17);
    assert_eq!(view.opaque[0].what, OpaqueKind::TooLarge);
    let deep = "echo $(".repeat(300) + &")".repeat(300);
    assert!(inspect(deep.as_bytes()).error.is_some());
}

#[test]
fn time_grows_with_length_alone() {
    for (before, unit, count) in [
        ("", "sudo ", 4000),
        ("", "env ", 4000),
        ("", "eval ", 4000),
        ("", "env -S ", 4000),
        ("", "xargs -I{} {} ", 2000),
        ("find ", "-exec ", 4000),
        ("find ", "-exec sh -c a {} ; ", 2000),
        ("su ", "x -c ", 4000),
        ("", "a>b ", 4000),
        ("", "{a,b}{c,d}{e,f}{g,h} ", 1500),
        ("", "eval {'{eval,b}','{c,d}'}; ", 800),
        ("", "f() { f; }; ", 2000),
        ("", "bash -c 'a;b;c;d'; ", 1500),
        ("", "alias a=b; a; ", 2000),
        ("", "echo $(echo `a`)\n", 1500),
        ("", "[[ a && b ]] && ", 1500),
        ("", "x", 100_000),
    ] {
        assert_grows_linearly(unit, count, |count| {
            let view = inspect([before, &unit.repeat(count)].concat().as_bytes());
            assert!(view.commands.len() <= BUDGET_OF_COMMANDS);
        });
    }
}

#[test]
fn what_is_too_long_for_a_brief_look_is_opaque() {
    let many = |text: &str| text.repeat(20_000);
    for script in [
        many("a; "),
        many("a\n"),
        many("a | ") + "b",
        many("a "),
        many("\"$a\""),
        many("$(a) "),
        many("`a` "),
        many("[[ a ]] && "),
        many("case a in b) c;; esac; "),
        many(">a "),
        many("a=b "),
        many("sudo "),
        many("{a,b}{c,d} "),
        many("cat <<E\nx\nE\n"),
        format!("bash -c '{}'", many("a;")),
        format!("a=({})", many("x ")),
        format!("a $(({}1))", many("1+$a+")),
        format!("f() {{ {} }}", many("a;")),
    ] {
        let view = super::inspect_briefly(script.as_bytes());
        let is_too_large = view.opaque.iter().any(|opaque| opaque.what == OpaqueKind::TooLarge);
        assert!(is_too_large && view.error.is_none(), "{}", script.get(..20).unwrap_or(""));
    }
    // Text alone is not a reason.
    let view = super::inspect_briefly(format!("cat > f <<'E'\n{}E\nrm x\n", many("text\n")).as_bytes());
    assert!(!view.is_opaque());
    assert_eq!(view.commands.last().and_then(CommandView::name), Some("rm"));
}

#[test]
fn steps_see_what_one_look_sees() {
    let script = b"a; b\nc | d\nbash -c 'e\nf'\nshopt -s extglob\nls !(x)\nif";
    let mut steps = super::Inspection::new(script);
    let mut count = 1;
    while steps.step() {
        count += 1;
    }
    assert_eq!(count, 6);
    assert_eq!(steps.finish(), inspect(script));
}

/// No more commands than the budget has units.
const BUDGET_OF_COMMANDS: usize = 400_000;

#[test]
fn no_prefix_panics() {
    let script = "A=1 sudo -u \"$x\" env -S 'a b' xargs -I{} bash -c '{}' <<E | (f() { eval \"$(ls)\"; }; trap 'x' EXIT)\n`a`\nE\nfind . -exec {a,b} {} \\; ; su -c; timeout; env -; awk; bash -o";
    for end in 0..=script.len() {
        inspect(&script.as_bytes()[..end]);
    }
    inspect(b"\xff\xfe \x00 $'\\xff'");
}
