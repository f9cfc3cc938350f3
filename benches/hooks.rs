//! What a hook costs, against host bash and against plain Rust, in CPU time and in the same run.
//!
//! `cargo bench --bench hooks` prints tables: microseconds of CPU a run for ours, for `bash -c`, the ratio, and for the
//! guard the same work in plain Rust; growth exponents from n to 8n. `cargo bench --bench hooks -- GROUP [NAME]` runs one
//! group (`hooks`, `session`, `language`, `growth`), and of that the rows whose name contains NAME.

mod measure;

use hookbox::hook::{Dialect, HookSet, LoadOptions};
use hookbox::limit::{Limit, Limits};
use hookbox::sandbox::{Sandbox, Script};
use measure::{children_time, cpu_time, runtime, since};
use std::hint::black_box;
use std::process::Command;
use std::time::Duration;

const PAYLOAD: &str = r#"{"event":"pre_tool_use","hook_id":"user:guard","session_id":"ses_01","turn_id":"trn_07","org_id":"org_01","agent_id":"agt_01","ts":"2026-05-28T12:34:56.789Z","data":{"tool_name":"bash","tool_call_id":"call_01","arguments":{"command":"ls -la /workspace && git status","timeout":30}}}"#;

const GUARD: &str = r#"tool=$(echo "$PAYLOAD" | jq -r '.data.tool_name')
cmd=$(echo "$PAYLOAD" | jq -r '.data.arguments.command')
if [[ $tool == bash && $cmd =~ (^|;|&&)[[:space:]]*rm[[:space:]]+-rf ]]; then
  echo '{"decision":"block","reason":"rm -rf is not allowed"}'
else
  echo '{}'
fi"#;

/// Scripts for the language: name, script, and how much of it a run does.
const LANGUAGE: &[(&str, &str)] = &[
    ("arithmetic loop", "for ((i = 0; i < 100000; i++)); do ((x += i * 2)); done"),
    ("while loop", "i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done"),
    ("for loop", "for i in {1..50000}; do x=$i; done"),
    ("function calls", "f() { x=$1; }; for ((i = 0; i < 30000; i++)); do f $i; done"),
    (
        "recursion",
        "fib() { local n=$1; if ((n < 2)); then r=$n; return; fi; local a; fib $((n - 1)); a=$r; fib $((n - 2)); r=$((a + r)); }; fib 16",
    ),
    ("string append", "s=; for ((i = 0; i < 20000; i++)); do s+=abc; done"),
    (
        "string operators",
        "p=/usr/local/lib/file.tar.gz; for ((i = 0; i < 20000; i++)); do b=${p##*/}; d=${p%/*}; u=${p//\\//:}; done",
    ),
    ("array append", "a=(); for ((i = 0; i < 30000; i++)); do a+=(\"$i\"); done; echo ${#a[@]}"),
    ("case", "for ((i = 0; i < 30000; i++)); do case $i in *1*) ;; 2?) ;; *) ;; esac; done"),
    ("regex", "for ((i = 0; i < 20000; i++)); do [[ abc$i =~ ^[a-z]+([0-9]+)$ ]]; done"),
    ("read loop", "while read -r line; do x=$line; done < <(seq 20000)"),
    ("printf", "for ((i = 0; i < 20000; i++)); do printf '%05d %s\\n' $i x; done > /dev/null"),
    ("word splitting", "s=$(seq 100000); set -- $s; echo $#"),
    ("substitutions", "for ((i = 0; i < 3000; i++)); do x=$(echo $i); done"),
    ("pipes", "for ((i = 0; i < 300; i++)); do echo $i | cat > /dev/null; done"),
];

/// A group of rows; its argument selects them by name.
type Group = fn(&str);

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if arguments.iter().any(|argument| argument == "--test") {
        return;
    }
    let groups: [(&str, Group); 4] =
        [("hooks", hooks), ("session", session), ("language", language), ("growth", growth)];
    let group = arguments.first().and_then(|name| groups.iter().find(|(known, _)| known == name));
    match group {
        Some((_, run)) => run(arguments.get(1).map_or("", String::as_str)),
        None => groups.iter().for_each(|(_, run)| run("")),
    }
}

/// CPU time of a call of `work`, the median of several batches.
fn cpu(mut work: impl FnMut()) -> Duration {
    let mut batch = 1;
    loop {
        let start = cpu_time();
        for _ in 0..batch {
            work();
        }
        if since(start) > Duration::from_millis(20) || batch > 1 << 20 {
            break;
        }
        batch *= 2;
    }
    let mut times: Vec<Duration> = (0..7)
        .map(|_| {
            let start = cpu_time();
            for _ in 0..batch {
                work();
            }
            since(start) / batch
        })
        .collect();
    times.sort();
    times[3]
}

fn bash(script: &str, payload: &str, runs: u32) -> Duration {
    let before = children_time();
    for _ in 0..runs {
        let output = Command::new("bash").arg("-c").arg(script).env("PAYLOAD", payload).output();
        black_box(output.expect("bash on this machine"));
    }
    children_time().saturating_sub(before) / runs
}

fn sandbox() -> Sandbox {
    let mut limits = Limits::default_profile();
    limits.set(Limit::WallTime, u64::MAX);
    Sandbox::builder().limits(limits).env("PAYLOAD", PAYLOAD).build().expect("a sandbox")
}

fn row(name: &str, ours: Duration, bash: Duration) {
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    println!(
        "{name:32} {:>12.2} µs  bash {:>12.1} µs  {:>8.1}x",
        micros(ours),
        micros(bash),
        micros(bash) / micros(ours)
    );
}

fn hooks(filter: &str) {
    let runtime = runtime();
    let kept = sandbox();
    for (name, script, runs) in [("echo '{}'", "echo '{}'", 400), ("guard with two jq calls", GUARD, 100)] {
        if !name.contains(filter) {
            continue;
        }
        let text: std::sync::Arc<[u8]> = std::sync::Arc::from(script.as_bytes());
        let ours = cpu(|| {
            let script = Script::shared(std::sync::Arc::clone(&text));
            black_box(runtime.block_on(kept.start(script)));
        });
        let theirs = bash(script, PAYLOAD, runs);
        row(&format!("{name}, kept session"), ours, theirs);
        let ours = cpu(|| {
            let sandbox = sandbox();
            black_box(runtime.block_on(sandbox.start(Script::shared(std::sync::Arc::clone(&text)))));
        });
        row(&format!("{name}, new session"), ours, theirs);
    }
    if "chain of three warm hooks".contains(filter) {
        chain(&runtime);
    }
    let regex = regex::Regex::new(r"(^|;|&&)[[:space:]]*rm[[:space:]]+-rf").expect("a regex");
    let floor = cpu(|| {
        let tool: serde_json::Value = serde_json::from_str(PAYLOAD).expect("JSON");
        let command: serde_json::Value = serde_json::from_str(PAYLOAD).expect("JSON");
        let blocked = tool["data"]["tool_name"] == "bash"
            && regex.is_match(command["data"]["arguments"]["command"].as_str().unwrap_or(""));
        black_box(if blocked { "block" } else { "{}" });
    });
    println!("{:32} {:>12.2} µs", "the guard in plain Rust", floor.as_secs_f64() * 1e6);
}

/// A firing of three hooks against their three scripts alone, in one kept session: what the engine of hooks adds.
fn chain(runtime: &tokio::runtime::Runtime) {
    let hook = |id: &str| serde_json::json!({"id": id, "event": "pre_tool_use", "executor": {"type": "bash", "command": "echo '{}'"}});
    let config = serde_json::json!({"hooks": [hook("a"), hook("b"), hook("c")]}).to_string();
    let hooks = HookSet::load(Dialect::Everruns, config.as_bytes(), &LoadOptions::default());
    let hooks = hooks.expect("a config");
    let payload = serde_json::from_str(PAYLOAD).expect("JSON");
    let event = hooks.read_event(&payload).expect("an event");
    let kept = sandbox();
    let text: std::sync::Arc<[u8]> = std::sync::Arc::from(b"echo '{}'".as_slice());
    let mut fire = || {
        let outcome = runtime.block_on(hooks.fire(&kept, &event));
        assert!(outcome.decision.proceeds() && outcome.records.len() == 3);
        black_box(outcome);
    };
    let mut alone = || {
        for _ in 0..3 {
            let mut script = Script::shared(std::sync::Arc::clone(&text));
            script.limits = Some(Limits::everruns());
            black_box(runtime.block_on(kept.start(script)));
        }
    };
    // A machine's speed changes from second to second: both are measured in turns, and the differences are sorted.
    let batch = |run: &mut dyn FnMut()| {
        let before = cpu_time();
        (0..CHAIN_BATCH).for_each(|_| run());
        since(before).as_secs_f64() * 1e6 / f64::from(CHAIN_BATCH)
    };
    let rounds = (0..=CHAIN_ROUNDS).map(|_| (batch(&mut fire), batch(&mut alone))).skip(1);
    let (mut fired, mut scripts, mut added) = (Vec::new(), Vec::new(), Vec::new());
    for (chain, alone) in rounds {
        fired.push(chain);
        scripts.push(alone);
        added.push(chain - alone);
    }
    let at = |times: &mut Vec<f64>, tenths: usize| {
        times.sort_by(f64::total_cmp);
        times[(times.len() - 1) * tenths / 10]
    };
    println!(
        "{:32} {:>12.2} µs, the three scripts alone {:.2} µs: the chain adds {:.2} µs (a tenth below {:.2}, a tenth above {:.2}; goal 3.00 µs)",
        "chain of three warm hooks",
        at(&mut fired, 5),
        at(&mut scripts, 5),
        at(&mut added, 5),
        at(&mut added, 1),
        at(&mut added, 9),
    );
}

/// Firings between two readings of the time, and how often they are measured.
const CHAIN_BATCH: u32 = 1_000;
const CHAIN_ROUNDS: u32 = 100;

fn session(_: &str) {
    let make = || {
        let sandbox = Sandbox::builder()
            .file("/workspace/a", "1")
            .file("/workspace/b", "2")
            .file("/workspace/c", "3")
            .file("/workspace/d", "4")
            .build();
        sandbox.expect("a sandbox")
    };
    let ours = cpu(|| {
        black_box(make());
    });
    println!("{:32} {:>12.2} µs", "new session with four files", ours.as_secs_f64() * 1e6);
    const SESSIONS: usize = 20_000;
    let mut sessions = Vec::with_capacity(SESSIONS);
    let before = resident();
    sessions.extend((0..SESSIONS).map(|_| make()));
    let each = (resident() - before) / SESSIONS as f64;
    println!("{:32} {:>12.2} KiB resident, idle", "", each / 1024.0);
    drop(sessions);
}

/// Bytes of this process in memory.
fn resident() -> f64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split_whitespace().nth(1).and_then(|word| word.parse::<u32>().ok()).unwrap_or(0);
    f64::from(pages) * 4096.0
}

fn language(filter: &str) {
    let runtime = runtime();
    let kept = sandbox();
    let least = |run: &mut dyn FnMut()| {
        run();
        let times = (0..5).map(|_| {
            let before = cpu_time();
            run();
            since(before)
        });
        times.min().unwrap_or_default()
    };
    let go = |name: &str, text: &str| {
        let output = runtime.block_on(kept.start(Script::command(text)));
        assert!(matches!(output.end, hookbox::sandbox::End::Exited), "{name}: {:?}", output.end);
    };
    for (name, script) in LANGUAGE.iter().filter(|(name, _)| name.contains(filter)) {
        row(name, least(&mut || go(name, script)), bash(script, PAYLOAD, 3));
    }
    if "globbing".contains(filter) {
        let folder = std::env::temp_dir().join(format!("hookbox-bench-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let make = "for ((i = 0; i < 10000; i++)); do : > file$i; done";
        go("globbing", &format!("mkdir globbing; cd globbing; {make}"));
        let theirs = format!("cd {}; {make}; ", folder.display());
        bash(&theirs, PAYLOAD, 1);
        let script = "for i in 1 2 3 4 5; do set -- file*5 file[0-3]*; done; echo $#";
        let theirs = bash(&format!("cd {}; {script}", folder.display()), PAYLOAD, 3);
        row("globbing", least(&mut || go("globbing", &format!("cd globbing; {script}"))), theirs);
        std::fs::remove_dir_all(&folder).expect("the folder goes");
    }
    for (name, script) in parsing() {
        if !name.contains(filter) {
            continue;
        }
        let mut number = 0;
        // A text that was run before is not parsed again.
        let ours = least(&mut || {
            number += 1;
            go(name, &format!("{script}# {number}\n"));
        });
        let file = std::env::temp_dir().join(format!("hookbox-bench-{}.sh", std::process::id()));
        std::fs::write(&file, &script).expect("a file");
        row(name, ours, bash(&format!(". {}", file.display()), PAYLOAD, 3));
        std::fs::remove_file(&file).expect("the file goes");
    }
}

/// Scripts of 5,000 lines.
fn parsing() -> [(&'static str, String); 5] {
    let line = "if [[ $1 == a* && -n ${2:-x} ]]; then echo \"$1: $((x + 1))\" | cat > /dev/null; fi";
    let mixed = "name=\"value $x\"\nif [ -n \"$name\" ]; then\n  count=$((count + 1))\n  : \"${name%%e*}\" and words\nfi\n\
        for i in 1 2; do\n  list=(\"$i\")\ndone\ncase $name in v*) kind=v ;; *) kind=other ;; esac\n\
        [[ $kind == v && $count -gt 3 ]] && flag=yes\n";
    let called = |number| {
        format!(
            "f{number}() {{ if [[ $1 == a* && -n ${{2:-x}} ]]; then y=\"$1: $((x += 1))\"; fi; }}; f{number} ab\n"
        )
    };
    [
        ("parsing functions", format!("f() {{ {line}; }}\n").repeat(5000)),
        ("parsing a branch not taken", format!("if false; then\n{}fi\n", format!("{line}\n").repeat(5000))),
        ("parsing under set -n", format!("set -n\n{}", format!("{line}\n").repeat(5000))),
        ("parsing, each function called", (0..5000).map(called).collect()),
        ("parsing and running each line", mixed.repeat(500)),
    ]
}

/// Time at n and at 8n: the exponent of growth is log8 of the ratio.
fn growth(filter: &str) {
    let runtime = runtime();
    let kept = sandbox();
    let cases: &[(&str, &str, u32)] = &[
        ("loop", "for ((i = 0; i < N; i++)); do :; done", 400_000),
        ("string append", "for ((i = 0; i < N; i++)); do s+=x; done", 100_000),
        ("string append by copy", "for ((i = 0; i < N; i++)); do s=\"${s}x\"; done", 2_000),
        ("array append", "for ((i = 0; i < N; i++)); do a+=(x); done", 100_000),
        ("file append", "for ((i = 0; i < N; i++)); do echo x >> f; done; rm f", 20_000),
        ("read loop", "while read -r x; do :; done < <(seq N)", 40_000),
        ("pipe", "seq N | cat | wc -l", 500_000),
        ("substitution", "for ((i = 0; i < N; i++)); do x=$(echo y); done", 10_000),
        (
            "variables with substitutions",
            "for ((i = 0; i < N; i++)); do printf -v \"v$i\" %s \"$(echo y)\"; done",
            5_000,
        ),
        ("files", "for ((i = 0; i < N; i++)); do : > f$i; done; rm f*", 4_000),
    ];
    for (name, script, n) in cases.iter().filter(|(name, ..)| name.contains(filter)) {
        let time = |n: u32| {
            let script = script.replace('N', &n.to_string());
            let once = || {
                let before = cpu_time();
                let output = runtime.block_on(kept.start(Script::command(&script)));
                assert!(matches!(output.end, hookbox::sandbox::End::Exited), "{name}: {:?}", output.end);
                since(before)
            };
            (0..3).map(|_| once()).min().unwrap_or_default()
        };
        let (small, large) = (time(*n), time(*n * 8));
        let exponent = (large.as_secs_f64() / small.as_secs_f64()).log2() / 3.0;
        println!("{name:32} {small:>12.2?} at n, {large:>12.2?} at 8n: exponent {exponent:.2}");
    }
}
