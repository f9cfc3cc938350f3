//! Runs of one session share its files and nothing else, though what they start with is kept between them.

#![allow(clippy::unwrap_used, reason = "a test")]

use hookbox::sandbox::{Sandbox, Script};

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
