//! The subcommands over scripted sessions: flags in, bytes and exit status out.

use super::{Streams, check, convert, fire, schema, test};
use crate::hook::HookRunner;
use crate::hook::case::{SessionSetup, SessionSource};
use crate::hook::scripted::Scripted;
use crate::vfs::Base;
use clap::{Parser, Subcommand};
use std::path::{Path, PathBuf};

#[derive(Parser)]
struct Line {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
#[expect(clippy::large_enum_variant, reason = "there is one")]
enum Command {
    Check(check::CheckArguments),
    Convert(convert::ConvertArguments),
    Fire(Box<fire::FireArguments>),
    Schema(schema::SchemaArguments),
    Test(test::TestArguments),
}

struct Source {
    base: Base,
    prints: &'static str,
}

impl SessionSource for Source {
    fn base(&self) -> &Base {
        &self.base
    }

    fn session(&self, setup: SessionSetup) -> Result<Box<dyn HookRunner>, String> {
        let _ = setup.files.write(b"/workspace/made", b"x", 0o644);
        Ok(Box::new(Scripted::printing([self.prints])))
    }
}

/// A folder that is removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("hookbox-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

/// Status, standard output, standard error.
fn run(words: &[&str], stdin: &str, prints: &'static str) -> (u8, String, String) {
    let line = Line::try_parse_from([&["hookbox"], words].concat()).unwrap();
    let (mut input, mut out, mut err) = (stdin.as_bytes(), Vec::new(), Vec::new());
    let mut streams = Streams { stdin: &mut input, stdout: &mut out, stderr: &mut err, is_coloured: false };
    let source = Source { base: Base::new(&[]), prints };
    let status = match &line.command {
        Command::Check(arguments) => check::run(arguments, &source, &mut streams),
        Command::Convert(arguments) => convert::run(arguments, &mut streams),
        Command::Fire(arguments) => fire::run(arguments, &source, &mut streams),
        Command::Schema(arguments) => schema::run(arguments, &mut streams),
        Command::Test(arguments) => test::run(arguments, &source, &mut streams),
    };
    (status, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

const HOOKS: &str = r#"{"hooks": [{"id": "guard", "event": "pre_tool_use",
    "executor": {"type": "bash", "command": "x"}}]}"#;
const EVENT: &str = r#"{"event": "pre_tool_use", "data": {"tool_name": "bash", "arguments": {"a": 1}}}"#;
const BLOCK: &str = r#"{"decision":"block","reason":"no","user_message":"sorry"}"#;

#[test]
fn fire_says_what_was_decided() {
    let folder = Folder::new("fire");
    let hooks = folder.write("hooks.json", HOOKS);
    let (status, out, err) = run(&["fire", "--hooks", &hooks, "--event", "-"], EVENT, "{}");
    let out: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((status, err.as_str(), &out["proceed"]), (0, "", &serde_json::json!(true)));
    assert_eq!(out["result"]["everruns"]["tool"]["proceed"]["arguments"], serde_json::json!({"a": 1}));
    let event = folder.write("event.json", EVENT);
    let words =
        ["fire", "--hooks", &hooks, "--dialect", "everruns", "--event", &event, "--explain", "--diff"];
    let (status, out, _) = run(&words, "", BLOCK);
    assert_eq!(status, 2);
    for part in [
        "user:guard on pre_tool_use\n  matcher   passed\n  ran       exit status 0",
        "  by rule   4.1, R35: decision block\n  effect    blocked: no\n",
        "blocked by user:guard: no\n  for the user: sorry\n+ /workspace/made\n",
    ] {
        assert!(out.contains(part), "{out}");
    }
    let (_, out, err) = run(&[&words[..], &["--json"]].concat(), "", BLOCK);
    let out: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(out["changes"], serde_json::json!(["+ /workspace/made"]));
    assert_eq!(out["log"].as_array().unwrap().len(), 3);
    assert!(err.contains("blocked by user:guard"));
}

#[test]
fn fire_fails_closed_when_it_is_told_to() {
    let folder = Folder::new("fail-closed");
    let hooks = folder.write("hooks.json", HOOKS);
    let words = ["fire", "--hooks", &hooks, "--event", "-"];
    let (status, ..) = run(&words, EVENT, "{oops");
    assert_eq!(status, 0);
    let (status, out, _) = run(&[&words[..], &["--fail-closed"]].concat(), EVENT, "{oops");
    let out: serde_json::Value = serde_json::from_str(&out).unwrap();
    let reason = out["decision"]["blocked"]["reason"].as_str().unwrap();
    assert!(status == 2 && reason.starts_with("fail_closed: the hook failed: "), "{reason}");
}

#[test]
fn fire_takes_a_version_of_the_contract() {
    let folder = Folder::new("contract");
    let hooks = folder.write("agent.yaml", "hooks: {skill_content_guard: [{type: command, command: x}]}");
    let event = r#"{"hook_event_name": "skill_content_guard"}"#;
    let words = ["fire", "--hooks", &hooks, "--event", "-", "--contract"];
    let (status, ..) = run(&[&words[..], &["docker-agent@1.149"]].concat(), event, "{}");
    assert_eq!(status, 2);
    let (status, _, err) = run(&[&words[..], &["docker-agent@manual"]].concat(), event, "{}");
    assert!(
        status == 1 && err.contains("unknown event 'skill_content_guard', which came with 1.149"),
        "{err}"
    );
    let (status, out, _) = run(&["check", "--contract", "help"], "", "");
    assert!(status == 0 && out.contains("docker-agent@1.149 (newest)\n"), "{out}");
    let (status, out, _) = run(&["check", &hooks, "--target", "docker-agent@manual"], "", "");
    assert!(status == 1 && out.contains("[version-unknown]"), "{out}");
    let (status, out, _) = run(&["schema", "docker-agent@manual"], "", "");
    assert!(status == 0 && !out.contains("skill_content_guard"), "{out}");
}

#[test]
fn fire_in_shadow_mode_proceeds_and_says_what_would_have_been() {
    let folder = Folder::new("shadow");
    let hooks = folder.write("hooks.json", HOOKS);
    let words = ["fire", "--shadow", "--hooks", &hooks, "--event", "-", "--json", "--explain"];
    let (status, out, err) = run(&words, EVENT, BLOCK);
    let out: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((status, &out["proceed"], &out["result"]), (0, &true.into(), &serde_json::Value::Null));
    assert_eq!(out["shadow"]["proceed"], false);
    assert_eq!(out["shadow"]["decision"]["blocked"]["reason"], "no");
    assert_eq!((&out["records"][0]["shadow"], &out["log"][0]["shadow"]), (&true.into(), &true.into()));
    assert!(err.contains("effect    would be blocked: no"), "{err}");
    assert!(err.contains("enforces nothing; it would have been:\nblocked by user:guard: no\n"), "{err}");
}

#[test]
fn what_can_not_be_done_is_one_clear_message_and_status_1() {
    let folder = Folder::new("faults");
    let hooks = folder.write("hooks.json", HOOKS);
    let broken = folder.write("broken.json", "{\"hooks\": [\n  {]}");
    let nowhere = folder.0.join("nowhere").display().to_string();
    let faults = [
        (vec!["--hooks", nowhere.as_str(), "--event", "-"], EVENT, "nowhere: No such file or directory"),
        (vec!["--hooks", &broken, "--event", "-"], EVENT, "broken.json:2:4: not a hook config: "),
        (
            vec!["--hooks", &broken, "--dialect", "everruns", "--event", "-"],
            EVENT,
            ":2:4: user_hooks config parse failed: ",
        ),
        (vec!["--hooks", &hooks, "--event", "-"], "{", "standard input: EOF while parsing"),
        (
            vec!["--hooks", &hooks, "--event", "-"],
            r#"{"event": "boo"}"#,
            "unknown event `boo` (known: session_start",
        ),
        (vec!["--hooks", &hooks, "--event", "-", "--fixture", &nowhere], EVENT, "nowhere"),
        (vec!["--hooks", &hooks, "--event", "-", "--seed", &nowhere], EVENT, "nowhere"),
    ];
    for (words, stdin, message) in faults {
        let (status, out, err) = run(&[&["fire"], words.as_slice()].concat(), stdin, "{}");
        assert_eq!((status, out.as_str()), (1, ""), "{err}");
        assert!(err.starts_with("hookbox: ") && err.contains(message), "{err}");
    }
    let (_, _, err) = run(&["fire", "--hooks", &broken, "--event", "-"], EVENT, "{}");
    assert!(err.ends_with("  |   {]}\n  |    ^\n"), "{err}");
    let unknown =
        Line::try_parse_from(["hookbox", "fire", "--hooks", "x", "--event", "-", "--dialect", "nope"]);
    assert!(unknown.err().unwrap().to_string().contains("unknown dialect `nope`"));
}

#[test]
fn a_seed_names_its_place_after_the_last_colon() {
    assert_eq!(fire::split_seed("a:b"), ("a:b", "/workspace"));
    assert_eq!(fire::split_seed("a:/srv"), ("a", "/srv"));
    assert_eq!(fire::split_seed("C:\\x:/srv"), ("C:\\x", "/srv"));
    assert_eq!(fire::split_seed("."), (".", "/workspace"));
}

const CASES: &str = "\
id: T-1
title: guard
dialect: everruns
hooks: { hooks: [ { id: g, event: turn_end, executor: { type: bash, command: x } } ] }
cases:
  - name: good
    event: { event: turn_end }
    expect: { decision: proceed }
  - name: bad
    event: { event: turn_end }
    expect:
      ran: []
";

#[test]
fn test_reports_failures_and_can_update() {
    let folder = Folder::new("test");
    let file = folder.write("one/cases/a.yaml", CASES);
    folder.write("one/fixture.yaml", "");
    folder.write("two/fixture.yaml", "");
    let root = folder.0.display().to_string();
    let (status, out, _) = run(&["test", &root], "", "{}");
    assert_eq!(status, 1);
    let expected =
        format!("FAIL T-1 guard: bad\n  {file}:9\n  expect: ran\n    + \"user:g\"\n\n1 passed, 1 failed in ");
    assert!(out.starts_with(&expected), "{out}");
    let (status, out, _) = run(&["test", &root, "--filter", "good"], "", "{}");
    assert!(status == 0 && out.starts_with("1 passed, 0 failed in "), "{out}");
    let (status, _, err) = run(&["test", &root, "--filter", "nothing"], "", "{}");
    assert_eq!(
        (status, err.as_str()),
        (
            1,
            "hookbox: no case has `nothing` in its id, title, name or path: --filter TEXT wants a part of one\n"
        )
    );
    let (status, out, _) = run(&["test", &file, "--json"], "", "{}");
    let out: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((status, &out["passed"], &out["total"]), (1, &serde_json::json!(1), &serde_json::json!(2)));
    assert_eq!(out["cases"][1]["differences"][0]["actual"], serde_json::json!(["user:g"]));
    let (status, out, _) = run(&["test", &file, "--update"], "", "{}");
    assert!(status == 0 && out.contains(&format!("\nupdated {file}\n2 passed")), "{out}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), CASES.replace("ran: []", "ran: [\"user:g\"]"));
    let broken = folder.write("one/cases/b.yaml", "id: x\ncases: 5\n");
    let (status, _, err) = run(&["test", &root], "", "{}");
    assert!(status == 1 && err.starts_with(&format!("hookbox: {broken}: ")), "{err}");
}

#[test]
fn the_repositorys_cases_are_found() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("vfs-fixtures");
    let (_, out, _) = run(&["test", root.to_str().unwrap(), "--filter", "EV-25"], "", "{}");
    assert!(out.ends_with(" s\n") && out.contains("15 passed, 0 failed in "), "{out}");
}

#[test]
fn check_tells_places_and_status() {
    let folder = Folder::new("check");
    let good = folder.write(
        "good.json",
        r#"{"hooks": [{"event": "turn_end", "executor": {"type": "bash", "command": "echo '{}'"}}]}"#,
    );
    let bad = folder.write(
        "bad.json",
        "{\"hooks\": [{\"event\": \"pre_tool_use\", \"on_error\": \"block\",\n  \"executor\": {\"type\": \"bash\", \"command\": \"echo '{\\\"decision\\\": \\\"deny\\\"}'; cargo x\"}}]}",
    );
    assert_eq!(
        run(&["check", &good], "", ""),
        (0, format!("{good}: everruns: 0 errors, 0 warnings\n"), String::new())
    );
    let (status, out, _) = run(&["check", &bad, &good, "--stub", "cargo"], "", "");
    assert_eq!(status, 1);
    assert!(out.starts_with(&format!("{bad}:2:44: error: pre_tool_use: decision `deny`; everruns knows allow, mutate, block [output-decision]\n")), "{out}");
    assert!(out.ends_with("1 error, 0 warnings\n"), "{out}");
    let (status, out, err) = run(&["check", "--json", &bad, "/nope"], "", "");
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["files"][0]["findings"][0]["rule"], "output-decision");
    assert_eq!(report["files"][0]["findings"][1]["rule"], "command-missing");
    assert!(report["files"][1]["error"].is_string());
    assert_eq!((status, err.starts_with("hookbox: /nope: ")), (2, true));
    let (status, out, _) = run(&["check", "--rules"], "", "");
    assert!(status == 0 && out.contains("json-by-hand"));
}

#[test]
fn what_a_template_lacks_is_missing_only_beside_its_kin() {
    let folder = Folder::new("check-kin");
    let call = |path: &str| {
        let command = format!("bash \\\"$CLAUDE_PROJECT_DIR\\\"/{path}");
        format!(r#"{{"hooks": {{"Stop": [{{"hooks": [{{"type": "command", "command": "{command}"}}]}}]}}}}"#)
    };
    folder.write("templates/.claude/lib/there.sh", "true\n");
    for (path, status) in [(".claude/hooks/x.sh", 0), ("scripts/x.sh", 0), (".claude/lib/x.sh", 1)] {
        // What stands elsewhere is copied beside it later.
        let config = folder.write("templates/.claude/settings.json", &call(path));
        assert_eq!(run(&["check", &config], "", "").0, status, "{path}");
    }
    let config = folder.write("p/.claude/settings.json", &call(".claude/hooks/x.sh"));
    assert_eq!(run(&["check", &config], "", "").0, 1);
}

#[test]
fn check_reads_the_scripts_that_hooks_call() {
    let folder = Folder::new("check-scripts");
    let config = folder.write(
        "project/.claude/settings.json",
        r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [
            {"type": "command", "command": "$CLAUDE_PROJECT_DIR/.claude/a.sh"},
            {"type": "command", "command": "bash .claude/a.sh"},
            {"type": "command", "command": "bash gone.sh"},
            {"type": "command", "command": "bash ../outside.sh; bash link.sh; bash linked.sh"},
            {"type": "command", "command": "bash /opt/tools/b.sh"}]}]}}"#,
    );
    folder.write("project/.claude/a.sh", "cat >/dev/null\nif true; then\n");
    folder.write("outside.sh", "if");
    folder.write("tools/b.sh", "fi");
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("../outside.sh", folder.0.join("project/link.sh")).unwrap();
        std::os::unix::fs::symlink("./.claude/../inner.sh", folder.0.join("project/linked.sh")).unwrap();
    }
    folder.write("project/inner.sh", "done");
    let places = |words: &[&str]| {
        let (status, out, _) = run(words, "", "");
        let report: serde_json::Value = serde_json::from_str(&out).unwrap();
        let findings = report["files"][0]["findings"].as_array().unwrap().clone();
        let shown = |finding: &serde_json::Value| {
            let name = finding["file"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
            format!("{} {name}:{}", finding["rule"].as_str().unwrap(), finding["line"])
        };
        (status, findings.iter().map(shown).collect::<Vec<_>>())
    };
    let mut wanted = vec![
        "script-not-executable settings.json:2",
        "script-missing settings.json:4",
        "script-syntax a.sh:2",
    ];
    if cfg!(unix) {
        wanted.push("script-syntax inner.sh:1");
    }
    assert_eq!(places(&["check", "--json", &config]), (1, wanted.iter().map(ToString::to_string).collect()));
    wanted.push("script-syntax b.sh:1");
    let tools = format!("{}:/opt/tools", folder.0.join("tools").display());
    assert_eq!(
        places(&["check", "--json", "--seed", &tools, &config]),
        (1, wanted.iter().map(ToString::to_string).collect())
    );
}

#[test]
fn convert_writes_a_config_and_a_report() {
    let folder = Folder::new("convert");
    let path = folder.write("hooks.json", HOOKS);
    let (status, out, err) = run(&["convert", &path, "--to", "claude-code"], "", "");
    let config: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert!(
        config["hooks"]["PreToolUse"][0]["hooks"][0]["command"].as_str().unwrap().contains("hookbox adapter")
    );
    assert!(status == 0 && err.ends_with("1 of 1 hooks ported from everruns to claude-code\n"), "{err}");
    let (status, out, err) = run(&["convert", "--from", "everruns", &path, "--to", "infer"], "", "");
    assert!(out.contains("pre_tool"), "{out}");
    assert!(status == 1 && err.starts_with("lost: "), "{err}");
    let (_, out, _) = run(&["convert", &path, "--to", "docker-agent", "--json"], "", "");
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((report["ported"].as_u64(), report["to"].as_str()), (Some(1), Some("docker-agent")));
    assert_eq!(run(&["convert", "/nope", "--to", "infer"], "", "").0, 1);
}

#[test]
fn schema_prints_a_schema() {
    let (status, out, _) = run(&["schema", "everruns"], "", "");
    assert!(status == 0 && out.contains("executor"));
    assert!(run(&["schema", "claude-code", "--kind", "output"], "", "").1.contains("hookSpecificOutput"));
}

#[test]
fn a_byte_order_mark_is_named() {
    let folder = Folder::new("mark");
    let config = r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#;
    let path = folder.write("settings.json", &format!("\u{feff}{config}"));
    let (status, out, err) = run(&["check", &path, "--dialect", "claude-code"], "", "");
    assert!(status != 0 && format!("{out}{err}").contains("byte order mark (U+FEFF)"), "{out}{err}");
    let path = folder.write("plain.json", config);
    let event = folder.write("event.json", "\u{feff}{}");
    let (status, _, err) = run(&["fire", "--hooks", &path, "--event", &event], "", "");
    assert!(status == 1 && err.contains("byte order mark (U+FEFF)"), "{err}");
}

#[test]
fn an_unknown_event_has_a_nearest_name() {
    let folder = Folder::new("nearest");
    let path = folder.write(
        "settings.json",
        r#"{"hooks": {"PreToolUsed": [], "Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}"#,
    );
    let (_, out, _) = run(&["check", &path], "", "");
    assert!(out.contains("hooks.PreToolUsed: unknown event; skipped: did you mean `PreToolUse`?"), "{out}");
    let event = folder.write("event.json", r#"{"hook_event_name": "preToolUse"}"#);
    let (_, _, err) = run(&["fire", "--hooks", &path, "--event", &event], "", "");
    assert!(
        err.contains("unknown event `preToolUse`") && err.contains("did you mean `PreToolUse`?"),
        "{err}"
    );
}

#[test]
fn every_fault_of_a_config_is_told() {
    let folder = Folder::new("faults");
    let handler = r#"{"type": "command", "command": "a=1", "timeout": "5", "async": "x", "if": 5}"#;
    let config = format!(
        r#"{{"hooks": {{"PreToolUse": [{{"hooks": [{handler}]}}, {{"matcher": 5, "hooks": [{{"type": "x"}}]}}, {{"type": "command"}}]}}}}"#
    );
    let path = folder.write("settings.json", &config);
    let (_, out, _) = run(&["check", &path], "", "");
    for part in [
        "hooks[0].timeout: expected a number",
        "hooks[0].async: expected a boolean",
        "hooks[0].if: expected a string",
        "[1].matcher: expected a string",
        "[1].hooks[0].type: `x` is not one of",
        "hooks.PreToolUse[2].hooks: missing: a handler stands in the list `hooks` of a group",
    ] {
        assert_eq!(out.matches(part).count(), 1, "{part}: {out}");
    }
    let row = |more: &str| {
        format!(
            r#"{{"event": "pre_tool_use", "handler_type": "command", "scope": "global", "config": {{"command": "true"}}, {more}}}"#
        )
    };
    let rows = [
        row(r#""matcher": "(", "timeout_ms": 99999"#),
        row(r#""foo": 1"#),
        row(r#""name": 5, "priority": "x""#),
    ];
    let path = folder.write("goclaw.json", &format!("[{}]", rows.join(", ")));
    let (_, out, _) = run(&["check", &path], "", "");
    for part in [
        "timeout_ms 99999 exceeds max",
        "matcher invalid",
        "unknown field \"foo\"",
        "hook: name: expected a string",
        "hook: priority: expected an integer",
    ] {
        assert_eq!(out.matches(part).count(), 1, "{part}: {out}");
    }
}

#[test]
fn a_finding_names_its_hook_once() {
    let folder = Folder::new("once");
    let config = r#"{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "true", "foo": 1}]}]}}"#;
    let path = folder.write("settings.json", config);
    let (_, out, _) = run(&["check", &path], "", "");
    assert_eq!(out.matches("user:PreToolUse_0_0").count(), 1, "{out}");
}
