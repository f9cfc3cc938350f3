//! Random scripts in the host's bash and in a sandbox: both must print the same, end with the same status and leave the
//! same files. Scripts are a function of their number: `HOST_BASH=5000 cargo test --test host_bash` runs more of them,
//! `HOST_BASH_FROM=17` begins at another number,

#![allow(clippy::unwrap_used, clippy::format_push_string, reason = "a test")]

mod generated;

use bstr::ByteSlice;
use generated::{Statement, render, script, shrink, wide_script};
use hookbox::limit::Limits;
use hookbox::sandbox::{End, Sandbox, Script};
use hookbox::text::Text;
use hookbox::vfs::{FileKind, FileSystem};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What every script finds in its directory.
const TREE: &[(&str, &str)] = &[
    ("a1", "one\n"),
    ("a2", ""),
    ("b.txt", "first line\nsecond:  x\\y \n last"),
    (".hid", "h\n"),
    ("d/x", "x\n"),
    ("d/y.txt", "y\n"),
    ("sp ace", "s\n"),
];
const ENVIRONMENT: &[(&str, &str)] = &[
    ("HOME", "/home/agent"),
    ("PATH", "/usr/local/bin:/usr/bin:/bin"),
    ("LANG", "C.UTF-8"),
    ("LC_ALL", "C.UTF-8"),
    ("TZ", "UTC"),
];
const TIMEOUT: Duration = Duration::from_secs(10);

/// A reason why the same script may print something else: an oddity of bash that is not worth having.
struct Known {
    /// What the reason is, for the reader.
    #[expect(dead_code, reason = "for the reader")]
    reason: &'static str,
    /// Whether a script can show it, by its text and by what bash did.
    applies: fn(&str, &Outcome) -> bool,
    /// A text without what differs then; of both the same has to be left. It may keep nothing.
    without: fn(&str) -> String,
}

const KNOWN: &[Known] = &[
    Known {
        reason: "the root directory is the host's",
        applies: |script, bash| script.contains('/') && (bash.says("/boot") || bash.says("/lib64")),
        without: |_| String::new(),
    },
    Known {
        reason: "after an error that gave a command up, the next loop's `< <( )` reads nothing in bash",
        applies: |script, bash| {
            let errors =
                ["(error token is", "substring expression < 0", "bad substitution", "bad array subscript"];
            script.contains("< <(") && errors.iter().any(|error| bash.says(error))
        },
        without: |_| String::new(),
    },
    Known {
        reason: "bash counts the lines after a command in which a subshell of several lines writes into a pipe from where \
                 that was closed, and gives here-documents of a stage another line",
        applies: |script, _| script.lines().any(|line| END_OF_STAGE.iter().any(|end| line.starts_with(end))),
        without: |text| without_numbers(text),
    },
    Known {
        reason: "`@a` and `@A` look at a subscript twice",
        applies: |script, _| script.contains("]@a") || script.contains("]@A"),
        without: |text| {
            let mut lines: Vec<&str> = text.lines().collect();
            lines.dedup();
            lines.join("\n").chars().filter(|digit| !digit.is_ascii_digit()).collect()
        },
    },
    Known {
        reason: "an error of expansion in a simple command that is a stage of a pipeline runs the shell's `EXIT` trap",
        applies: |script, _| script.contains("trap '") && script.contains('|'),
        without: |text| {
            let lines: std::collections::BTreeSet<&str> = text.lines().collect();
            lines.into_iter().collect::<Vec<_>>().join("\n")
        },
    },
    Known {
        reason: "with `set -e`, assigning a read-only variable runs the `EXIT` trap before redirections are undone",
        applies: |script, bash| {
            script.contains("trap '") && script.contains("set -e") && bash.says("readonly variable")
        },
        without: |_| String::new(),
    },
    Known {
        reason: "the shell has neither a debugger nor a pretty printer",
        applies: |_, bash| bash.says("GNU long options:"),
        without: |text| without_lines(&without_lines(text, "\t--debug"), "\t--pretty-print"),
    },
    Known {
        reason: "with an empty `IFS`, where `$*` puts blanks and where fields end depends on what it stands in, and bash \
                 lets marks of its own through",
        applies: |script, _| script.contains("IFS=''"),
        without: |text| {
            let text = without_lines(text, "(error token is");
            text.chars().filter(|letter| letter.is_alphabetic()).collect()
        },
    },
    Known {
        reason: "bash does not find a pattern that begins with `*` and ends with a quoted one",
        applies: |script, _| script.contains("*\"*\"/"),
        without: |_| String::new(),
    },
    Known {
        reason: "bash shows the word of a bad substitution as its braces were expanded, with a declaration's name and an \
                 element's subscript",
        applies: |script, bash| script.contains("${") && bash.says("bad substitution"),
        without: |text| without_subject(text, ": bad substitution"),
    },
    Known {
        reason: "which of the expressions that name each other is the one too many is a matter of counting",
        applies: |_, bash| bash.says("expression recursion level exceeded"),
        without: |text| without_subject(text, ": expression recursion level exceeded"),
    },
    Known {
        reason: "what bash says of a brace that is not closed in a here-document is another thing",
        applies: |script, bash| script.contains("<<") && bash.says("no closing `}'"),
        without: |_| String::new(),
    },
    Known {
        reason: "braces in quotes in `${u:-\"...\"}` are expanded at times",
        applies: |script, _| script.contains(":-\"") && script.contains("{1,2}"),
        without: |_| String::new(),
    },
    Known {
        reason: "bash shows a byte of its own after a quote in `[[ ]]` that is not closed",
        applies: |script, bash| {
            script.contains("[[") && bash.says("unexpected EOF while looking for matching")
        },
        without: |text| without_lines(text, "in conditional command"),
    },
    Known {
        reason: "stages of a pipeline that write the same file take turns as the system likes",
        applies: |script, _| script.contains("| cat") && script.contains("2>&1"),
        without: |text| {
            let mut lines: Vec<&str> = text.lines().collect();
            lines.sort_unstable();
            lines.join("\n")
        },
    },
];

/// The ends of compound commands that are stages of a pipeline.
const END_OF_STAGE: &[&str] = &[") |", "done |", "esac |", "fi |", "} |"];

/// A text without the numbers of lines.
fn without_numbers(text: &str) -> String {
    text.split("line ").map(|part| part.trim_start_matches(|digit: char| digit.is_ascii_digit())).collect()
}

/// A text without what stands between the line's number and `message`, and without what follows that.
fn without_subject(text: &str, message: &str) -> String {
    let line = |line: &str| match line.split_once(": line ") {
        Some((name, rest)) if rest.contains(message) => format!("{name}{message}\n"),
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// A text without the lines that have `message`.
fn without_lines(text: &str, message: &str) -> String {
    text.lines().filter(|line| !line.contains(message)).collect::<Vec<_>>().join("\n")
}

/// Whether both did the same but for what has a reason.
fn is_explained(script: &str, bash: &Outcome, mine: &Outcome) -> bool {
    let reasons: Vec<&Known> = KNOWN.iter().filter(|known| (known.applies)(script, bash)).collect();
    let left = |outcome: &Outcome| {
        let texts = outcome.files.values().chain([&outcome.stdout, &outcome.stderr]);
        let mut texts: Vec<String> = texts.map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect();
        for reason in &reasons {
            texts = texts.iter().map(|text| (reason.without)(text)).collect();
        }
        texts
    };
    let nothing_left = |texts: &[String]| texts.iter().all(String::is_empty);
    let (theirs, ours) = (left(bash), left(mine));
    nothing_left(&theirs) && !reasons.is_empty()
        || theirs == ours && bash.status == mine.status && bash.files.keys().eq(mine.files.keys())
}

/// What came out of a script.
#[derive(Clone, Debug, PartialEq)]
struct Outcome {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    status: i32,
    files: BTreeMap<String, Vec<u8>>,
}

impl Outcome {
    fn same(&self, other: &Self) -> bool {
        self.stdout == other.stdout
            && self.status == other.status
            && self.files == other.files
            && self.stderr == other.stderr
    }

    fn says(&self, text: &str) -> bool {
        self.files.values().chain([&self.stdout, &self.stderr]).any(|bytes| bytes.contains_str(text))
    }

    fn show(&self) -> String {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut out = format!("status {}\n{}", self.status, text(&self.stdout));
        out.push_str(&format!("--- stderr\n{}", text(&self.stderr)));
        let tree: BTreeMap<&str, &str> = TREE.iter().copied().collect();
        for (path, content) in &self.files {
            if tree.get(path.as_str()).is_none_or(|before| before.as_bytes() != content) {
                out.push_str(&format!("--- {path} {:?}\n", text(content)));
            }
        }
        for (path, _) in TREE {
            if !self.files.contains_key(*path) {
                out.push_str(&format!("--- {path} is gone\n"));
            }
        }
        out
    }
}

/// A directory of the host that goes when it is dropped.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("hookbox-bash-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

/// The script in the host's bash; `None` when it did not end in time.
fn host(text: &str, place: &Place) -> Option<Outcome> {
    let work = place.0.join("w");
    fs::remove_dir_all(&work).ok();
    fs::create_dir_all(work.join("d")).unwrap();
    for (path, content) in TREE {
        fs::write(work.join(path), content).unwrap();
    }
    let (out, err) = (place.0.join("out"), place.0.join("err"));
    let mut child = Command::new("bash")
        .args(["-c", text, "bash"])
        .current_dir(&work)
        .env_clear()
        .envs(ENVIRONMENT.iter().copied())
        .stdin(Stdio::null())
        .stdout(File::create(&out).unwrap())
        .stderr(File::create(&err).unwrap())
        .spawn()
        .unwrap();
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        if started.elapsed() > TIMEOUT {
            child.kill().ok();
            child.wait().ok();
            return None;
        }
        std::thread::sleep(Duration::from_micros(300));
    };
    let mut files = BTreeMap::new();
    host_files(&work, "", &mut files);
    let status = status.code().unwrap_or(-1);
    Some(Outcome { stdout: fs::read(out).unwrap(), stderr: fs::read(err).unwrap(), status, files })
}

fn host_files(folder: &Path, prefix: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type().unwrap().is_dir() {
            host_files(&entry.path(), &format!("{name}/"), files);
            files.insert(format!("{name}/"), Vec::new());
        } else {
            files.insert(name, fs::read(entry.path()).unwrap_or_default());
        }
    }
}

/// The script in a sandbox.
fn ours(text: &str, place: &Place) -> Outcome {
    let work = place.0.join("w").to_string_lossy().into_owned();
    let mut limits = Limits::default_profile();
    limits.wall_time_ms = 10_000;
    let mut builder = Sandbox::builder().limits(limits).cwd(work.as_str());
    for (path, content) in TREE {
        builder = builder.file(format!("{work}/{path}"), *content);
    }
    let sandbox = builder.build().unwrap();
    let mut script = Script::command(text);
    script.bare_environment = true;
    for (name, value) in ENVIRONMENT {
        script.environment.set(Text::from(*name), Text::from(*value));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let output = runtime.block_on(sandbox.start(script));
    let mut files = BTreeMap::new();
    our_files(sandbox.fs(), &work, "", &mut files);
    let mut stderr = output.stderr;
    if let End::Limit(error) = output.end {
        stderr.extend_from_slice(format!("limit: {error}\n").as_bytes());
    }
    Outcome { stdout: output.stdout, stderr, status: i32::from(output.status), files }
}

fn our_files(fs: &FileSystem, folder: &str, prefix: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs.read_dir(folder.as_bytes()).unwrap() {
        let name = String::from_utf8_lossy(entry.name.as_bytes()).into_owned();
        let path = format!("{folder}/{name}");
        if entry.kind == FileKind::Directory {
            our_files(fs, &path, &format!("{prefix}{name}/"), files);
            files.insert(format!("{prefix}{name}/"), Vec::new());
        } else {
            let content = fs.read(path.as_bytes()).map(|content| content.as_bytes().to_vec());
            files.insert(format!("{prefix}{name}"), content.unwrap_or_default());
        }
    }
}

/// Whether both differ, and bash itself does the same each time.
fn differs(text: &str, place: &Place) -> Option<(Outcome, Outcome)> {
    let theirs = host(text, place)?;
    let mine = ours(text, place);
    if theirs.same(&mine) || is_explained(text, &theirs, &mine) {
        return None;
    }
    let steady = (0..3).all(|_| host(text, place).is_some_and(|again| again.same(&theirs)));
    steady.then_some((theirs, mine))
}

fn report(number: u64, statements: Vec<Statement>, place: &Place) -> String {
    let whole = render(&statements);
    let small =
        render(&shrink(statements, 400, &mut |candidate| differs(&render(candidate), place).is_some()));
    let shown = differs(&small, place);
    let both = shown.map_or_else(String::new, |(theirs, mine)| {
        format!("=== bash: {}\n=== here: {}", theirs.show(), mine.show())
    });
    let whole = if std::env::var_os("HOST_BASH_WHOLE").is_some() { whole } else { String::new() };
    format!("##### script {number}\n{small}{both}\n{whole}")
}

#[test]
fn random_scripts_do_as_in_the_hosts_bash() {
    let version = Command::new("bash").args(["-c", "echo $BASH_VERSION"]).output();
    let version =
        version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    if !version.starts_with("5.2.") {
        println!("SKIP: there is no bash 5.2 here to compare with (found {:?})", version.trim());
        return;
    }
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (count, from) = (number("HOST_BASH").unwrap_or(300), number("HOST_BASH_FROM").unwrap_or(0));
    let next = AtomicU64::new(from);
    let found = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for worker in 0..3 {
            let (next, found) = (&next, &found);
            scope.spawn(move || {
                let place = Place::new(&worker.to_string());
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= from + count {
                        break;
                    }
                    let statements = if number % 2 == 0 { script(number / 2) } else { wide_script(number) };
                    if differs(&render(&statements), &place).is_some() {
                        let text = report(number, statements, &place);
                        found.lock().unwrap().push((number, text));
                    }
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap();
    found.sort();
    for (_, text) in &found {
        println!("{text}");
    }
    println!("{count} scripts from {from}, {} differ", found.len());
    assert!(found.is_empty(), "{} of {count} scripts differ", found.len());
}
