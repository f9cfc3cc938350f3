//! Hostile rows: `tests/hostile/CLASS.test`, a file for each class. CONTRIBUTING.md has the format.
//!
//! A file opens with what its class is and with the sections that hold for all of its rows; `#### NAME` begins a row. Most
//! rows are one script. A file whose head says `--- made KIND` has short descriptions instead, of which each makes several
//! rows ([`made`]).

#![allow(clippy::panic, reason = "a row that can not be read is a fault of the test")]

use hookbox::hook::Dialect;
use hookbox::limit::{Limit, Limits};
use hookbox::sandbox::{End, Sandbox, Script};
use std::path::Path;
use std::time::Duration;

/// How a run may end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Want {
    /// A limit, whichever is met first.
    Limit,
    /// An ordinary end with this status, which is bash's.
    Status(u8),
    /// An ordinary end, with any status.
    Exit,
    /// Either; what counts is that it ends.
    Any,
}

impl Want {
    fn parse(text: &str) -> Self {
        match text.split_once(' ') {
            Some(("status", status)) => Self::Status(status.parse().expect("a status")),
            None if text == "limit" => Self::Limit,
            None if text == "exit" => Self::Exit,
            None if text == "any" => Self::Any,
            _ => panic!("unknown end {text}"),
        }
    }

    /// Whether a run that ended so, `status N` or `limit NAME`, did as wanted.
    pub(crate) fn accepts(self, end: &str) -> bool {
        match self {
            Self::Limit => end.starts_with("limit"),
            Self::Status(status) => end == format!("status {status}"),
            Self::Exit => end.starts_with("status"),
            Self::Any => true,
        }
    }
}

/// One hostile row.
#[derive(Clone)]
pub(crate) struct Row {
    /// `CLASS: NAME`
    pub(crate) name: String,
    pub(crate) limits: Limits,
    pub(crate) want: Want,
    /// How often the script runs in one session; `§` in it is the number of the run.
    pub(crate) runs: usize,
    /// A script that runs before in the same session, and is not looked at.
    pub(crate) before: String,
    /// The script prepares hooks of this dialect; see the head of `hooks.test`.
    pub(crate) hooks: Option<Dialect>,
    /// The class runs by default.
    pub(crate) quick: bool,
    /// The row is small: it may share a child process with others.
    pub(crate) together: bool,
    /// The first row of its class.
    pub(crate) specimen: bool,
    script: Made,
}

#[derive(Clone)]
enum Made {
    Text(String),
    Nested { open: String, middle: String, close: String, depth: usize, quoted: bool },
    Repeated(String),
}

impl Row {
    /// A row for a script that stands in no file.
    pub(crate) fn of_script(name: &str, script: &str) -> Self {
        let mut limits = Limits::hook();
        limits.wall_time_ms = WALL_TIME_MS;
        Self {
            name: name.to_owned(),
            limits,
            want: Want::Any,
            runs: 1,
            before: String::new(),
            hooks: None,
            quick: false,
            together: false,
            specimen: false,
            script: Made::Text(script.to_owned()),
        }
    }

    /// The script of run `number`, from 0.
    pub(crate) fn script(&self, number: usize) -> String {
        match &self.script {
            Made::Text(text) if self.runs > 1 => text.replace('§', &number.to_string()),
            Made::Text(text) => text.clone(),
            Made::Repeated(text) => text.repeat((1 << 20) / text.len()),
            Made::Nested { open, middle, close, depth, quoted } => {
                let text = [&open.repeat(*depth), middle.as_str(), &close.repeat(*depth)].concat();
                if *quoted { format!("eval '{}'", text.replace('\'', "'\\''")) } else { text }
            }
        }
    }

    /// A session for the row.
    pub(crate) fn sandbox(&self) -> Sandbox {
        Sandbox::builder().limits(self.limits.clone()).build().expect("a sandbox")
    }

    /// How long all its runs may take; hooks have no limit in common.
    pub(crate) fn allowed(&self) -> Duration {
        if self.hooks.is_some() {
            return Duration::from_mins(1);
        }
        Duration::from_millis(self.limits.wall_time_ms) * (self.runs as u32 + 1)
    }
}

/// Runs what is to be there before a row, which must end well.
pub(crate) async fn run_before(sandbox: &Sandbox, text: &str) {
    let mut script = Script::command(text);
    script.limits = Some(Limits::interactive());
    let output = sandbox.start(script).await;
    assert_eq!((output.status, &output.end), (0, &End::Exited), "{text}");
}

/// Time limit of each run, in milliseconds.
pub(crate) const WALL_TIME_MS: u64 = 1_000;

/// All rows, in the order of their files' names.
pub(crate) fn load() -> Vec<Row> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile");
    let entries = std::fs::read_dir(folder).expect("the folder of hostile rows");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "test"));
    files.sort();
    let rows: Vec<Row> = files.iter().flat_map(|file| read(file)).collect();
    let mut names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
    names.sort_unstable();
    for pair in names.windows(2) {
        assert_ne!(pair[0], pair[1], "two rows of one name");
    }
    rows
}

/// A row as its file has it: its own name, its text and its sections.
#[derive(Clone, Default)]
struct Entry {
    name: String,
    lines: Vec<String>,
    sections: Vec<(String, String)>,
}

fn read(file: &Path) -> Vec<Row> {
    let text = std::fs::read_to_string(file).expect("a file of hostile rows");
    let class = file.file_stem().expect("a name").to_string_lossy().into_owned();
    let mut entries = vec![Entry::default()];
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("#### ") {
            entries.push(Entry { name: name.to_owned(), ..Entry::default() });
            continue;
        }
        let entry = entries.last_mut().expect("the head");
        if let Some(section) = line.strip_prefix("--- ") {
            let (word, rest) = section.split_once(' ').unwrap_or((section, ""));
            entry.sections.push((word.to_owned(), rest.to_owned()));
        } else {
            entry.lines.push(line.to_owned());
        }
    }
    let head = entries.remove(0);
    let mut rows: Vec<Row> = entries
        .into_iter()
        .flat_map(|mut entry| {
            entry.sections.splice(0..0, head.sections.iter().cloned());
            made(&class, &entry)
        })
        .collect();
    if let Some(first) = rows.first_mut() {
        first.specimen = true;
    }
    rows
}

impl Entry {
    /// The row that the sections describe, with the entry's text as its script.
    fn row(&self, class: &str) -> Row {
        let text = self.lines.join("\n");
        let mut row = Row::of_script(&format!("{class}: {}", self.name), "");
        let mut prelude = Vec::new();
        for (word, rest) in &self.sections {
            match word.as_str() {
                "prelude" => prelude.extend([rest.as_str(), "\n"]),
                "hooks" => {
                    row.hooks =
                        Some(rest.parse().unwrap_or_else(|_| panic!("{}: no dialect {rest}", row.name)));
                }
                "profile" => {
                    row.limits =
                        Limits::profile(rest).unwrap_or_else(|| panic!("{}: no profile {rest}", row.name));
                    row.limits.wall_time_ms = WALL_TIME_MS;
                }
                "limit" => {
                    let (name, value) = rest.split_once('=').expect("NAME=VALUE");
                    let limit =
                        Limit::from_name(name).unwrap_or_else(|| panic!("{}: no limit {name}", row.name));
                    row.limits.set(limit, value.parse().expect("a number"));
                }
                "end" => row.want = Want::parse(rest),
                "runs" => row.runs = rest.parse().expect("a number"),
                "before" => row.before.clone_from(rest),
                "quick" => row.quick = true,
                "together" => row.together = true,
                "made" => {}
                other => panic!("{}: unknown section {other}", row.name),
            }
        }
        row.script = Made::Text(prelude.concat() + text.trim_end_matches('\n'));
        row
    }
}

/// The rows that an entry stands for.
fn made(class: &str, entry: &Entry) -> Vec<Row> {
    let row = entry.row(class);
    let kind = entry.sections.iter().find(|(word, _)| word == "made").map_or("", |(_, kind)| kind.as_str());
    let lines = || entry.lines.iter().filter(|line| !line.is_empty());
    let variant = |name: String, script: Made| Row { name, script, ..row.clone() };
    match kind {
        "" => vec![row],
        // `§` in what runs before is a hundredth of the size.
        "scaled" => [("", "100"), (" just not large", "10")]
            .map(|(what, scale)| Row {
                name: format!("{}{what}", row.name),
                before: row.before.replace('§', scale),
                ..row.clone()
            })
            .into(),
        "nested" => {
            let text = unescape(lines().next().expect("OPEN§MIDDLE§CLOSE"));
            let parts: Vec<&str> = text.split('§').collect();
            let &[open, middle, close] = parts.as_slice() else { panic!("{}: not three parts", row.name) };
            let nested = |what: &str, depth: usize, quoted: bool, opened: bool| {
                let (middle, close) = if opened { ("", "") } else { (middle, close) };
                let script = Made::Nested {
                    open: open.to_owned(),
                    middle: middle.to_owned(),
                    close: close.to_owned(),
                    depth,
                    quoted,
                };
                variant(format!("{} {what}", row.name), script)
            };
            let depths = [10, 90, 350, 10_000, 100_000, 1_000_000];
            let closed = depths.map(|depth| nested(&depth.to_string(), depth, false, false));
            closed
                .into_iter()
                .chain([nested("open", 10_000, false, true), nested("in eval", 10_000, true, false)])
                .collect()
        }
        "unterminated" => lines()
            .flat_map(|line| {
                let text = unescape(line);
                [("", "", ""), (" after a line", "echo\n", ""), (" before lines", "", "\necho\n")].map(
                    |(place, before, after)| {
                        let name = format!("{class}: {line}{place}");
                        variant(name, Made::Text([before, &text, after].concat()))
                    },
                )
            })
            .collect(),
        "repeated" => {
            lines().map(|line| variant(format!("{class}: {line}"), Made::Repeated(unescape(line)))).collect()
        }
        "fed" => ["a", "(", "[", "*", "\\\\", "9", ".", "\"", "{"]
            .iter()
            .map(|filling| {
                let text = format!("\"$(printf -v x %1000000s; echo \"${{x// /'{filling}'}}\")\"");
                let script = lines().next().expect("a script").replace('§', &text);
                variant(format!("{} {filling}", row.name), Made::Text(script))
            })
            .collect(),
        other => panic!("{}: unknown kind {other}", row.name),
    }
}

/// `\n`, `\t`, `\r`, `\\` and `\xHH`.
fn unescape(text: &str) -> String {
    let mut out = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match (byte, after) {
            (b'\\', [b'n', ..]) => out.push(b'\n'),
            (b'\\', [b't', ..]) => out.push(b'\t'),
            (b'\\', [b'r', ..]) => out.push(b'\r'),
            (b'\\', [b'\\', ..]) => out.push(b'\\'),
            (b'\\', [b'x', high, low, ..]) => {
                let digits = [*high, *low];
                let digits = std::str::from_utf8(&digits).expect("hexadecimal digits");
                out.push(u8::from_str_radix(digits, 16).expect("hexadecimal digits"));
                rest = &rest[2..];
            }
            (byte, _) => {
                out.push(byte);
                continue;
            }
        }
        rest = &rest[1..];
    }
    String::from_utf8(out).expect("UTF-8")
}
