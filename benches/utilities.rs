//! What a utility costs on a large file, against the real program, in CPU time and in the same run.
//!
//! `cargo bench --bench utilities -- [MEGABYTES] [TEXT]` prints a Markdown table: for each row whose command contains TEXT, the
//! CPU time of ours, of the real program, their ratio (below 1: ours is faster), and the most live bytes that our run had.
//! Both read a file of so many million bytes (10 without the operand) and write into a file; ours in a session, the other in a
//! temporary folder. They run in turns, so that both see the same machine; each figure is the median of five. What they write
//! must be equal, but for compressed data. Both have `LC_ALL=C.UTF-8`. `awk` means `gawk`.

mod input;
mod measure;

use hookbox::limit::{Limit, Limits};
use hookbox::sandbox::{End, Sandbox, Script};
use measure::{children_time, cpu_time, runtime, since};
use std::fs::File;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Input and command. `FILE` stands for the input, `HALF` for half of its lines.
const ROWS: &[(&str, &[&str])] = &[
    ("text", &["grep", "ERROR", "FILE"]),
    ("text", &["grep", "nowhere at all", "FILE"]),
    ("text", &["grep", "-i", "error", "FILE"]),
    ("text", &["grep", "-E", "ERROR|refused|timeout", "FILE"]),
    ("text", &["grep", "-iE", "error|refused|timeout", "FILE"]),
    ("text", &["grep", "-E", "status=5[0-9]+ .*time=[0-9]{4}ms", "FILE"]),
    ("text", &["grep", "-c", "GET", "FILE"]),
    ("text", &["grep", "-v", "INFO", "FILE"]),
    ("text", &["grep", "-n", "INFO", "FILE"]),
    ("text", &["grep", "-o", "user=[a-z]*", "FILE"]),
    ("text", &["grep", "-w", "cache", "FILE"]),
    ("text", &["sed", "s/status/code/g", "FILE"]),
    ("text", &["sed", "s/[0-9][0-9]*/N/g", "FILE"]),
    ("text", &["sed", "s/e/E/g", "FILE"]),
    ("text", &["sed", "-E", "s/(user)=([a-z]+)/\\2=\\1/g", "FILE"]),
    ("text", &["sed", "-n", "/ERROR/p", "FILE"]),
    ("numbers", &["awk", "{ s += $1 } END { print s }", "FILE"]),
    ("table", &["awk", "{ s += $3 } END { print s }", "FILE"]),
    ("table", &["awk", "{ n[$1]++ } END { for (k in n) print k, n[k] | \"sort\" }", "FILE"]),
    ("table", &["awk", "{ print $1, $3 }", "FILE"]),
    ("text", &["awk", "{ print $3 }", "FILE"]),
    ("text", &["awk", "/ERROR/ { n++ } END { print n }", "FILE"]),
    ("text", &["awk", "{ n += length($0) } END { print n }", "FILE"]),
    ("comma", &["awk", "-F,", "$2 > 500 { print $1 }", "FILE"]),
    ("table", &["sort", "FILE"]),
    ("text", &["sort", "FILE"]),
    ("text", &["sort", "-r", "FILE"]),
    ("numbers", &["sort", "-n", "FILE"]),
    ("table", &["sort", "-k2,2", "FILE"]),
    ("table", &["sort", "-k3,3n", "FILE"]),
    ("comma", &["sort", "-t,", "-k2,2nr", "-k1,1", "FILE"]),
    ("sorted", &["sort", "-u", "FILE"]),
    ("sorted", &["uniq", "FILE"]),
    ("sorted", &["uniq", "-c", "FILE"]),
    ("text", &["wc", "FILE"]),
    ("text", &["wc", "-l", "FILE"]),
    ("text", &["wc", "-w", "FILE"]),
    ("text", &["wc", "-m", "FILE"]),
    ("comma", &["cut", "-d,", "-f2", "FILE"]),
    ("table", &["cut", "-f1,3", "FILE"]),
    ("text", &["cut", "-c1-20", "FILE"]),
    ("text", &["cut", "-d ", "-f3-", "FILE"]),
    ("text", &["tr", "a-z", "A-Z"]),
    ("text", &["tr", "-d", "aeiou"]),
    ("text", &["tr", "-s", " "]),
    ("text", &["head", "-n", "HALF", "FILE"]),
    ("text", &["head", "-c", "-1000", "FILE"]),
    ("text", &["tail", "-n", "HALF", "FILE"]),
    ("text", &["tail", "-n", "10", "FILE"]),
    ("text", &["tail", "-n", "+HALF", "FILE"]),
    ("text", &["cat", "FILE"]),
    ("text", &["cat", "-n", "FILE"]),
    ("text", &["tac", "FILE"]),
    ("json", &["jq", "-c", ".user", "FILE"]),
    ("json", &["jq", "-c", "select(.status >= 500) | {id, tags: (.tags | length)}", "FILE"]),
    ("array", &["jq", "length", "FILE"]),
    ("array", &["jq", "-r", ".[].user", "FILE"]),
    ("array", &["jq", ".", "FILE"]),
    ("text", &["gzip", "-c", "FILE"]),
    ("gz", &["gzip", "-dc", "FILE"]),
    ("text", &["sha256sum", "FILE"]),
    ("text", &["md5sum", "FILE"]),
    ("text", &["base64", "FILE"]),
    ("base64", &["base64", "-d", "FILE"]),
];

const RUNS: usize = 5;

fn main() {
    let mut arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if arguments.iter().any(|argument| argument == "--test") {
        return;
    }
    let given = arguments.first().and_then(|size| size.parse::<usize>().ok());
    if given.is_some() {
        arguments.remove(0);
    }
    let size = given.unwrap_or(10) * 1_000_000;
    let filter = arguments.join(" ");
    let folder = std::env::temp_dir().join(format!("hookbox-utilities-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    println!("| what, {} MB | ours, ms | real, ms | ratio | peak live bytes |", size / 1_000_000);
    println!("|---|---:|---:|---:|---:|");
    let mut ratios = Vec::new();
    let mut last = (String::new(), Vec::new());
    for &(kind, words) in ROWS {
        let name = shown(words);
        if !name.contains(&filter) {
            continue;
        }
        if last.0 != kind {
            last = (kind.to_owned(), input::make(kind, size));
            std::fs::write(folder.join("in"), &last.1).expect("an input");
        }
        let half = (memchr::memchr_iter(b'\n', &last.1).count() / 2).to_string();
        ratios.push(row(&format!("`{name}`, {kind}"), words, &half, &last.1, &folder));
    }
    std::fs::remove_dir_all(&folder).expect("the folder goes");
    let slower = ratios.iter().filter(|&&ratio| ratio > 1.0).count();
    let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len().max(1) as f64).exp();
    println!(
        "\n{} of {} rows above 1.0; the geometric mean of the ratios is {mean:.2}",
        slower,
        ratios.len()
    );
}

/// The words without the operand, as a shell reads them.
fn shown(words: &[&str]) -> String {
    words.iter().filter(|&&word| word != "FILE").map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_./,+=".contains(&byte);
    if word.bytes().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

/// Runs both in turns and prints the row; the ratio.
fn row(name: &str, words: &[&str], half: &str, input: &[u8], folder: &Path) -> f64 {
    let mut limits = Limits::interactive();
    for limit in [Limit::LiveBytes, Limit::FileSystemBytes, Limit::ValueBytes] {
        limits.set(limit, u64::MAX);
    }
    let sandbox = Sandbox::builder()
        .limits(limits)
        .env("LC_ALL", "C.UTF-8")
        .file("/workspace/in", input)
        .cwd("/workspace")
        .build()
        .expect("a sandbox");
    let runtime = runtime();
    let words: Vec<String> = words.iter().map(|word| word.replace("HALF", half)).collect();
    let has_operand = words.iter().any(|word| word == "FILE");
    let of_file = |word: &String| if word == "FILE" { "in".to_owned() } else { word.clone() };
    let words: Vec<String> = words.iter().map(of_file).collect();
    let script = words.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ");
    let script = format!("{script} {} > out", if has_operand { "" } else { "< in" });
    let mut peak = 0;
    let mut ours = || {
        let before = cpu_time();
        let output = runtime.block_on(sandbox.start(Script::command(&script)));
        let time = since(before);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(matches!(output.end, End::Exited) && errors.is_empty(), "{name}: {:?} {errors}", output.end);
        peak = peak.max(output.usage.peak_live_bytes);
        (time, output.status)
    };
    let program = if words[0] == "awk" { "gawk" } else { &words[0] };
    let real = || {
        let stdin = File::open(folder.join("in")).expect("the input");
        let stdout = File::create(folder.join("out")).expect("an output");
        let mut command = Command::new(program);
        command.args(&words[1..]).current_dir(folder).env("LC_ALL", "C.UTF-8").stdin(stdin).stdout(stdout);
        let before = children_time();
        let status = command.status().expect("the real program");
        (children_time().saturating_sub(before), status.code().map_or(255, |code| code as u8))
    };
    let (mut our_times, mut real_times) = (Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let ((our_time, our_status), (real_time, real_status)) = (ours(), real());
        assert_eq!(our_status, real_status, "{name}: status");
        our_times.push(our_time);
        real_times.push(real_time);
    }
    if words[0] != "gzip" || words[1] == "-dc" {
        let expected = std::fs::read(folder.join("out")).expect("an output");
        let found = sandbox.fs().read(b"/workspace/out").expect("our output");
        assert!(*found == *expected, "{name}: {} bytes, not {}", found.len(), expected.len());
    }
    let median = |times: &mut Vec<Duration>| {
        times.sort();
        times[RUNS / 2].as_secs_f64() * 1e3
    };
    let (ours, real) = (median(&mut our_times), median(&mut real_times));
    println!("| {} | {ours:.1} | {real:.1} | {:.2} | {peak} |", name.replace('|', "\\|"), ours / real);
    ours / real
}
