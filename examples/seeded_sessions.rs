//! An embedder's test suite: hooks are tried on sessions whose files, clock and random numbers are given, so that each run
//! is the same. First by hand, then by the case files of a folder.
//!
//! `cargo run --example seeded_sessions [FOLDER]`, a folder with `cases/*.yaml` (default: `examples/bundle`)

use hookbox::hook::case::CaseFile;
use hookbox::hook::{Dialect, HookSet, LoadOptions};
use hookbox::sandbox::{Sandbox, SandboxSource};
use hookbox::vfs::fixture::Fixture;
use serde_json::json;
use std::path::{Path, PathBuf};

const HOOKS: &[u8] =
    br#"{"hooks": [{"id": "audit", "event": "turn_end", "executor": {"type": "bash", "command":
    "echo \"$(date -u +%FT%TZ) $RANDOM $(grep -c TODO src/*.rs | tr '\\n' ' ')\" >> audit.log"}}]}"#;

/// The same files, clock and random numbers give the same log.
async fn by_hand() -> Result<String, Box<dyn std::error::Error>> {
    let hooks = HookSet::load(Dialect::Everruns, HOOKS, &LoadOptions::default())?;
    let session = Sandbox::builder()
        .deterministic()
        .file("/workspace/src/a.rs", "// TODO: one\n// TODO: two\n")
        .file("/workspace/src/b.rs", "fn b() {}\n")
        .build()?;
    let event = hooks.read_event(&json!({"moment": "turn_ended", "session_id": "s", "success": true}))?;
    let before = session.fs().snapshot();
    hooks.fire(&session, &event).await;
    let changed = session.diff(&before);
    assert!(changed.iter().any(|change| change.path.ends_with(b"/audit.log")), "{changed:?}");
    Ok(String::from_utf8_lossy(session.fs().read(b"/workspace/audit.log")?.as_bytes()).into_owned())
}

/// Runs every case below `folder`; gives how many failed.
async fn by_cases(folder: &Path) -> Result<usize, Box<dyn std::error::Error>> {
    let own = folder.to_owned();
    // A case's fixture is the folder itself, or one beside it.
    let fixtures = move |name: Option<&str>| match name {
        None => Fixture::load(&own),
        Some(name) => Fixture::load_beside(&own, name),
    };
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(folder.join("cases"))? {
        files.push(entry?.path());
    }
    files.sort();
    let mut failed = 0;
    for path in files {
        let file = CaseFile::parse(&std::fs::read_to_string(&path)?)?;
        for case in &file.cases {
            let result = file.run(case, &SandboxSource, &fixtures).await?;
            println!(
                "{} {}: {}",
                if result.differences.is_empty() { "ok  " } else { "FAIL" },
                file.id,
                case.name
            );
            for difference in &result.differences {
                print!("{difference}");
            }
            failed += usize::from(!result.differences.is_empty());
        }
    }
    Ok(failed)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let first = by_hand().await?;
    assert_eq!(first, by_hand().await?);
    print!("twice the same: {first}");
    let folder = std::env::args().nth(1).unwrap_or_else(|| "examples/bundle".to_owned());
    match by_cases(Path::new(&folder)).await? {
        0 => Ok(()),
        failed => Err(format!("{failed} cases failed").into()),
    }
}
