//! A session that is traced does what it does without: all scripts of the shell's cases, run both ways.

use super::Sandbox;
use crate::limit::Limits;
use crate::trace::Trace;
use std::sync::Arc;

/// Scripts of a file of cases.
fn scripts(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split("\n#### ").skip(1).map(|case| {
        let lines = case.lines().skip(1).take_while(|line| !line.starts_with("--- "));
        lines.flat_map(|line| [line, "\n"]).collect()
    })
}

/// Standard output, standard error, status.
fn run(runtime: &tokio::runtime::Runtime, script: &str, trace: Option<Arc<Trace>>) -> (String, String, u8) {
    // Without an end by time: both ways have the same limits, and one of them has more to do.
    let limits = Limits { wall_time_ms: 20_000, ..Limits::default_profile() };
    let mut builder = Sandbox::builder().deterministic().limits(limits).threads(false);
    builder.trace = trace;
    let sandbox = builder.build().unwrap();
    let output = runtime.block_on(sandbox.run(script));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr), output.status)
}

#[test]
fn a_traced_script_does_what_it_does_untraced() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases/shell");
    let (mut compared, mut noted) = (0, 0);
    let mut differences = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        for script in scripts(&text) {
            let trace = Arc::new(Trace::default());
            let (plain, traced) =
                (run(&runtime, &script, None), run(&runtime, &script, Some(Arc::clone(&trace))));
            noted += trace.take().scripts.len();
            compared += 1;
            if plain != traced {
                differences.push(format!("{script}\nplain {plain:?}\ntraced {traced:?}"));
            }
        }
    }
    assert!(compared > 1000 && noted > compared / 2, "{compared} {noted}");
    assert!(differences.is_empty(), "{} of {compared}:\n{}", differences.len(), differences.join("\n\n"));
}
