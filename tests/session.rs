//! Runs of one session share its files and nothing else, though what they start with is kept between them.

#![allow(clippy::unwrap_used, reason = "a test")]

use hookbox::sandbox::{Entry, Sandbox, Script};

async fn output(sandbox: &Sandbox, script: &str) -> String {
    let output = sandbox.start(Script::command(script)).await;
    String::from_utf8(output.stdout).unwrap()
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap()
}

/// All that a run can leave in its variables.
const LEAVES: &str = "a=1; export B=2; readonly C=3; declare -A D=([x]=y); unset HOME; IFS=:; declare -i E=4
    f() { local a=2 g=3; readonly -f f; exit_now; }; PATH=/nowhere; OPTIND=7; (x=1; y=2; exit)
    h() { local a=5; local -n r=a; r=6; kill -9 $$; }; h";

/// All that a run can see of it.
const SEES: &str = r#"echo "$a|$B|$C|${D[x]}|$HOME|$IFS|$E|$PATH|$OPTIND|$x|$y|$g|$r"; declare -F; C=new; echo "$C"
    declare -p a B D E g r 2>/dev/null; env | sort"#;

#[test]
fn variables_of_a_run_end_with_it() {
    runtime().block_on(async {
        let fresh = Sandbox::builder().build().unwrap();
        let expected = output(&fresh, SEES).await;
        assert!(
            expected.starts_with("||||/home/agent| \t\n||/usr/local/bin:/usr/bin:/bin|1||||\nnew\n"),
            "{expected}"
        );
        let kept = Sandbox::builder().build().unwrap();
        for _ in 0..6 {
            output(&kept, LEAVES).await;
            assert_eq!(output(&kept, SEES).await, expected);
        }
    });
}

/// A script with an environment of its own.
async fn output_with(sandbox: &Sandbox, environment: &[(&str, &str)], script: &str) -> String {
    let mut script = Script::command(script);
    for (name, value) in environment {
        script.environment.set((*name).into(), (*value).into());
    }
    String::from_utf8(sandbox.start(script).await.stdout).unwrap()
}

#[test]
fn the_environment_of_a_run_ends_with_it() {
    let long = "x".repeat(1000);
    let environments: &[&[(&str, &str)]] = &[
        &[],
        &[("P", "1"), ("Q", "2")],
        &[("P", "1"), ("Q", "2")],
        &[("P", "1"), ("Q", "3")],
        &[("Q", "1"), ("P", "2")],
        &[("P", &long), ("Q", "")],
        &[("P", "1")],
        &[("P", "1"), ("HOME", "/"), ("PATH", "/bin"), ("a", "0")],
        &[("P", "1"), ("HOME", "/x"), ("PATH", "/bin"), ("a", "0")],
        &[("P", "1"), ("IFS", ":"), ("PWD", "/tmp")],
        &[("P", "1"), ("SHELLOPTS", "noglob")],
        &[("UID", "7"), ("Q", "8")],
        &[],
        &[("P", "1"), ("Q", "2")],
    ];
    let sees = format!("{SEES}; echo \"$P|$Q|$-\"");
    runtime().block_on(async {
        let kept = Sandbox::builder().build().unwrap();
        for round in 0..3 {
            for environment in environments {
                let fresh = Sandbox::builder().build().unwrap();
                let expected = output_with(&fresh, environment, &sees).await;
                assert!(expected.ends_with("B\n") || expected.ends_with("c\n"), "{expected}");
                assert_eq!(output_with(&kept, environment, &sees).await, expected, "{round} {environment:?}");
                let leaves = format!("unset P; Q=9; export P=8; {LEAVES}");
                output_with(&kept, environment, &leaves).await;
                assert_eq!(output_with(&kept, environment, &sees).await, expected, "{round} {environment:?}");
            }
        }
    });
}

#[test]
fn runs_side_by_side_do_not_see_each_other() {
    runtime().block_on(async {
        let sandbox = Sandbox::builder().build().unwrap();
        for _ in 0..3 {
            let mut runs = Vec::new();
            for number in 0..8 {
                let text = format!("x={number}; sleep 0.00{number}; y+=$x; echo $x$y");
                runs.push(sandbox.start(Script::command(&text)));
            }
            for (number, run) in runs.into_iter().enumerate() {
                assert_eq!(run.await.stdout, format!("{number}{number}\n").into_bytes());
            }
        }
    });
}

#[test]
fn a_command_is_found_where_it_is_now() {
    runtime().block_on(async {
        let sandbox = Sandbox::builder().build().unwrap();
        let steps = [
            ("PATH=/workspace/bin:$PATH; x=$(basename /a/b); echo $x", "b\n"),
            ("mkdir bin; printf '%s\\n' '#!/bin/sh' 'echo mine' > bin/basename", ""),
            ("PATH=/workspace/bin:$PATH; x=$(basename /a/b); echo $x", "b\n"),
            ("chmod +x bin/basename", ""),
            ("PATH=/workspace/bin:$PATH; x=$(basename /a/b); echo $x", "mine\n"),
            (
                "PATH=/workspace/bin:$PATH; mv bin/basename bin/other; x=$(basename /a/b; other); echo $x",
                "b mine\n",
            ),
            ("cd bin; PATH=:$PATH; x=$(other); cd ..; y=$(other 2>/dev/null); echo $x.$y", "mine.\n"),
            ("x=$(other 2>/dev/null); echo $x.", ".\n"),
        ];
        for (script, expected) in steps {
            assert_eq!(output(&sandbox, script).await, expected, "{script}");
        }
    });
}

/// What could not be run is in the report, whatever the script does with the message.
#[test]
fn a_report_names_what_was_not_there() {
    let sandbox = Sandbox::builder()
        .script("/workspace/plain", "no interpreter line but text\n")
        .script("/workspace/asks", "#!/opt/none/python3\nprint()\n")
        .script("/workspace/env", "#!/usr/bin/env ruby\nputs\n")
        .file("/workspace/closed", "exit 2\n")
        .script("/workspace/binary", b"\x7fELF\0\0".to_vec())
        .build()
        .unwrap();
    for (script, wanted) in [
        ("gitleaks 2>/dev/null; true", "command gitleaks"),
        ("gitleaks detect >/dev/null 2>&1 || true", "command gitleaks"),
        ("x=$(gitleaks | cat) || :", "command gitleaks"),
        ("(gitleaks; gitleaks) 2>&- & wait; true", "command gitleaks"),
        ("{ exec gitleaks; } 2>/dev/null || true", "command gitleaks"),
        ("command gitleaks 2>/dev/null; command -p leaks 2>/dev/null; :", "command gitleaks, command leaks"),
        ("if ! gitleaks 2>/dev/null; then exit 0; fi", "command gitleaks"),
        ("echo x | xargs gitleaks 2>/dev/null; env leaks 2>/dev/null; :", "command gitleaks, command leaks"),
        (
            "timeout 1 gitleaks 2>/dev/null; find . -maxdepth 0 -exec leaks \\; 2>/dev/null; :",
            "command gitleaks, command leaks",
        ),
        ("PATH=/nowhere; jq . 2>/dev/null; :", "command jq"),
        ("command_not_found_handle() { :; }; gitleaks", "command gitleaks"),
        ("bash -c 'sh -c gitleaks' 2>/dev/null; :", "command gitleaks"),
        (
            "./guard.sh 2>/dev/null; bash hooks/guard.sh 2>/dev/null; :",
            "file ./guard.sh, file hooks/guard.sh",
        ),
        (". ./lib.sh 2>/dev/null; source lib2.sh 2>/dev/null; :", "file ./lib.sh, file lib2.sh"),
        ("sh -c '. ./lib.sh' 2>/dev/null; :", "file ./lib.sh"),
        ("exec ./guard.sh 2>/dev/null", "file ./guard.sh"),
        ("env ./guard.sh 2>/dev/null; :", "file ./guard.sh"),
        ("./asks 2>/dev/null; :", "file /opt/none/python3"),
        ("./env 2>/dev/null; :", "command ruby"),
        ("./closed 2>/dev/null; xargs ./closed </dev/null 2>/dev/null; :", "not_executable ./closed"),
        (
            "./binary 2>/dev/null; bash binary 2>/dev/null; :",
            "not_executable ./binary, not_executable binary",
        ),
        ("bash /workspace 2>/dev/null; /workspace 2>/dev/null; :", "not_executable /workspace"),
        // Who asks first knows already, and what is no script is an operand.
        ("command -v gitleaks || type gitleaks 2>/dev/null || hash gitleaks 2>/dev/null || true", ""),
        ("cat none 2>/dev/null; grep x < none 2>/dev/null; [ -x none ] || true; bash ./closed; :", ""),
    ] {
        let output = runtime().block_on(async { sandbox.start(Script::command(script)).await });
        let missing: Vec<_> =
            output.missing.iter().map(|it| format!("{} {}", it.kind.name(), it.name)).collect();
        assert_eq!(missing.join(", "), wanted, "{script}");
    }
}

#[test]
fn a_report_stays_small() {
    let sandbox = Sandbox::builder().build().unwrap();
    let script = "for i in {1..5000}; do c$i; done 2>/dev/null; l=$(printf '%0999d' 1); $l 2>/dev/null; :";
    let output = runtime().block_on(async { sandbox.start(Script::command(script)).await });
    assert_eq!((output.status, output.missing.len()), (0, 32));
    assert_eq!((output.missing[0].name.as_str(), output.missing[31].name.as_str()), ("c1", "c32"));
}

#[test]
fn entries_lie_anywhere_with_their_owner_and_mode() {
    let sandbox = Sandbox::builder()
        .file("/home/dev/project/src/a.rs", "fn a() {}\n")
        .script("Users/dev/guard", "#!/bin/bash\necho guarded\n")
        .folder("/data/in")
        .link("/data/latest", "in")
        .link("/data/latest", "/home/dev")
        .entry("/etc/secret", Entry::file("key\n").mode(0o600).owner(0, 0))
        .entry("/etc/shared", Entry::file("key\n").mode(0o640).owner(0, 1000))
        .entry("/srv/deep/drop", Entry::folder().mode(0o1777).owner(0, 0))
        .entry("/workspace", Entry::folder().mode(0o750))
        .file("/usr/bin/over", "first")
        .entry("/usr/bin/over", Entry::file("second").mode(0o4711))
        .build()
        .unwrap();
    for (script, wanted) in [
        ("cat /home/dev/project/src/a.rs; cd /home/dev/project && touch new && ls", "fn a() {}\nnew\nsrc\n"),
        (
            "/Users/dev/guard; stat -c '%a %u %g' /Users /Users/dev/guard",
            "guarded\n755 1000 1000\n755 1000 1000\n",
        ),
        ("readlink /data/latest; cd /data/latest; ls", "/home/dev\nproject\n"),
        (
            "cat /etc/secret 2>&1; cat /etc/shared; echo x 2> /dev/null >> /etc/shared",
            "cat: /etc/secret: Permission denied\nkey\n",
        ),
        ("stat -c '%a %u %g' /srv/deep /srv/deep/drop /etc/shared", "755 0 0\n1777 0 0\n640 0 1000\n"),
        ("touch /srv/deep/drop/mine && touch /srv/deep/mine || echo no", "no\n"),
        ("stat -c %a /workspace; echo x > /workspace/x; cat /usr/bin/over", "750\nsecond"),
    ] {
        assert_eq!(runtime().block_on(output(&sandbox, script)), wanted, "{script}");
    }
    assert!(sandbox.fs().usage().files > 5, "entries count");
    for builder in [
        Sandbox::builder().file("/etc/passwd/x", ""),
        Sandbox::builder().folder("/a").link("/a", "b"),
        Sandbox::builder().file("/a", "x").folder("/a"),
        Sandbox::builder().file("/", "x"),
    ] {
        let error = builder.build().err().unwrap().to_string();
        assert!(error.starts_with('/'), "{error}");
    }
    let mut limits = hookbox::limit::Limits::default_profile();
    limits.files = 2;
    let error = Sandbox::builder().limits(limits).file("/a/b/c", "x").build().err().unwrap().to_string();
    assert!(error.contains("files"), "{error}");
}
