//! Child processes: the test's binary again, with the names of rows in its environment. The parent sees how a child ended,
//! whatever a row did to it.

use nix::sys::resource::{Resource, setrlimit};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Names the rows in a child.
const ROWS_VARIABLE: &str = "HOSTILE_CHILD";
/// Separates them, and follows a line's mark.
const SEPARATOR: char = '\x1f';
/// Address space of a child: a host with little memory.
const ADDRESS_SPACE: u64 = 2_000_000 << 10;
/// What a child may take longer than its runs are allowed together. Generous: a debug build on a busy machine.
const HANG: Duration = Duration::from_secs(20);

/// The rows that this process is to run; `None` in the parent. Bounds the process.
pub(crate) fn rows_to_run() -> Option<Vec<String>> {
    let names = std::env::var(ROWS_VARIABLE).ok()?;
    setrlimit(Resource::RLIMIT_AS, ADDRESS_SPACE, ADDRESS_SPACE).expect("a bound on the address space");
    setrlimit(Resource::RLIMIT_CORE, 0, 0).expect("no core dumps");
    Some(names.split(SEPARATOR).map(str::to_owned).collect())
}

/// In a child: tells the parent how the next of its rows went.
pub(crate) fn report(line: &str) {
    println!("\n{SEPARATOR}{line}");
}

/// Runs rows in children, `allowed` being the time for all of them: for each its report, or how its child ended. A child that
/// dies leaves the rows after to the next one.
pub(crate) fn run(names: &[&str], allowed: Duration) -> Vec<Result<String, String>> {
    let mut results = Vec::new();
    while results.len() < names.len() {
        let rest = &names[results.len()..];
        let (reports, fault) = run_once(rest, allowed);
        let finished = reports.len();
        results.extend(reports.into_iter().map(Ok));
        if finished < rest.len() {
            results.push(Err(fault.unwrap_or_else(|| "it said nothing".to_owned())));
        } else if let (Some(fault), Some(last)) = (fault, results.last_mut()) {
            *last = Err(fault);
        }
    }
    results
}

/// Runs rows in one child, the test named `child` of this binary: a report for each row that it finished, in order, and how
/// the child ended if not well.
fn run_once(names: &[&str], allowed: Duration) -> (Vec<String>, Option<String>) {
    let mut child = Command::new(std::env::current_exe().expect("this binary"))
        .args(["--exact", "child", "--nocapture", "--test-threads=1"])
        .env(ROWS_VARIABLE, names.join(&SEPARATOR.to_string()))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a child");
    let stdout = reader(child.stdout.take().expect("a pipe"));
    let stderr = reader(child.stderr.take().expect("a pipe"));
    let deadline = Instant::now() + HANG + allowed;
    let status = loop {
        if let Some(status) = child.try_wait().expect("a status") {
            break Some(status);
        }
        if Instant::now() > deadline {
            child.kill().ok();
            child.wait().ok();
            break None;
        }
        std::thread::sleep(Duration::from_millis(2));
    };
    let (stdout, stderr) = (stdout.join().expect("a reader"), stderr.join().expect("a reader"));
    let reports = stdout.lines().filter_map(|line| line.strip_prefix(SEPARATOR)).map(str::to_owned).collect();
    let fault = status.is_none_or(|status| !status.success()).then(|| {
        let how = status.map_or("killed: it hung".to_owned(), |status: ExitStatus| status.to_string());
        let lines: Vec<&str> = stderr.lines().filter(|line| !line.is_empty()).take(3).collect();
        format!("{how}: {}", lines.join(" | ").chars().take(300).collect::<String>())
    });
    (reports, fault)
}

fn reader(mut stream: impl std::io::Read + Send + 'static) -> std::thread::JoinHandle<String> {
    std::thread::spawn(move || {
        let mut text = Vec::new();
        stream.read_to_end(&mut text).ok();
        String::from_utf8_lossy(&text).into_owned()
    })
}

/// Does `work` for each item, two at a time; the results are in the items' order.
pub(crate) fn two_at_a_time<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(index) else { break };
                    let result = work(item);
                    results.lock().expect("results").push((index, result));
                }
            });
        }
    });
    let mut results = results.into_inner().expect("results");
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}

/// Rows in batches: one alone, unless all of a batch are small.
pub(crate) fn batches<T: Copy>(rows: &[T], together: impl Fn(T) -> bool) -> Vec<Vec<T>> {
    let (small, alone): (Vec<T>, Vec<T>) = rows.iter().partition(|row| together(**row));
    alone.into_iter().map(|row| vec![row]).chain(small.chunks(20).map(<[T]>::to_vec)).collect()
}
