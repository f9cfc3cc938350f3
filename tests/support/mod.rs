//! Case files: `tests/cases/**/*.test`. CONTRIBUTING.md has the format.

#![allow(clippy::panic, reason = "a case that can not be read is a fault of the test")]

use std::path::{Path, PathBuf};

/// One case.
#[derive(Clone, Debug, Default)]
pub(crate) struct Case {
    pub(crate) file: PathBuf,
    pub(crate) name: String,
    pub(crate) line: usize,
    pub(crate) script: Vec<u8>,
    pub(crate) stdin: Vec<u8>,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Option<Vec<u8>>,
    pub(crate) status: u8,
    pub(crate) files: Vec<(String, Option<Vec<u8>>)>,
    pub(crate) shell_sh: bool,
    pub(crate) differs: Option<String>,
}

/// Every case below a folder, in order of file and line.
pub(crate) fn load(folder: &Path) -> Vec<Case> {
    let mut files = Vec::new();
    collect(folder, &mut files);
    files.sort();
    files.iter().flat_map(|file| parse(file)).collect()
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "test") {
            files.push(path);
        }
    }
}

fn parse(file: &Path) -> Vec<Case> {
    let text = std::fs::read(file).expect("a case file");
    let mut cases: Vec<Case> = Vec::new();
    let mut section = Section::Script;
    for (number, line) in text.split(|&byte| byte == b'\n').enumerate() {
        if let Some(name) = line.strip_prefix(b"#### ") {
            cases.push(Case {
                file: file.to_path_buf(),
                name: String::from_utf8_lossy(name).into_owned(),
                line: number + 1,
                ..Case::default()
            });
            section = Section::Script;
            continue;
        }
        let Some(case) = cases.last_mut() else { continue };
        if let Some(head) = line.strip_prefix(b"--- ") {
            section = Section::start(case, &String::from_utf8_lossy(head));
            continue;
        }
        section.line(case, line);
    }
    for case in &mut cases {
        while case.script.last() == Some(&b'\n') {
            case.script.pop();
        }
    }
    if let (Some(case), true) = (cases.last_mut(), text.ends_with(b"\n")) {
        // The piece behind the file's last newline is no line.
        section.drop_last_newline(case);
    }
    cases
}

#[derive(Clone, Copy, PartialEq)]
enum Section {
    Script,
    Stdin(bool),
    Stdout(bool),
    Stderr(bool),
    Files,
    Ignored,
}

impl Section {
    fn start(case: &mut Case, head: &str) -> Self {
        let (word, rest) = head.split_once(' ').unwrap_or((head, ""));
        let escaped = rest == "escaped";
        match word {
            "stdin" => Self::Stdin(escaped),
            "stdout" => Self::Stdout(escaped),
            "stderr" => {
                case.stderr = Some(Vec::new());
                Self::Stderr(escaped)
            }
            "status" => {
                case.status = rest.trim().parse().expect("a status");
                Self::Ignored
            }
            "files" => Self::Files,
            "shell" => {
                case.shell_sh = rest == "sh";
                Self::Ignored
            }
            "differs:" => {
                case.differs = Some(rest.to_owned());
                Self::Ignored
            }
            other => panic!("{}:{}: unknown section {other}", case.file.display(), case.line),
        }
    }

    fn line(self, case: &mut Case, line: &[u8]) {
        let (bytes, escaped) = match self {
            Self::Script => (&mut case.script, false),
            Self::Stdin(escaped) => (&mut case.stdin, escaped),
            Self::Stdout(escaped) => (&mut case.stdout, escaped),
            Self::Stderr(escaped) => (case.stderr.get_or_insert_default(), escaped),
            Self::Files => {
                let text = String::from_utf8_lossy(line).into_owned();
                if let Some(path) = text.strip_suffix('!') {
                    case.files.push((path.to_owned(), None));
                } else if let Some((path, content)) = text.split_once('=') {
                    case.files.push((path.to_owned(), Some(unescape(content.as_bytes()))));
                }
                return;
            }
            Self::Ignored => return,
        };
        if self != Self::Script && line == b"\\c" {
            bytes.pop();
            return;
        }
        if escaped {
            bytes.extend(unescape(line));
        } else {
            bytes.extend_from_slice(line);
        }
        bytes.push(b'\n');
    }

    fn drop_last_newline(self, case: &mut Case) {
        let bytes = match self {
            Self::Stdin(_) => &mut case.stdin,
            Self::Stdout(_) => &mut case.stdout,
            Self::Stderr(_) => case.stderr.get_or_insert_default(),
            _ => return,
        };
        if bytes.last() == Some(&b'\n') {
            bytes.pop();
        }
    }
}

fn unescape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < text.len() {
        if text[at] == b'\\' && at + 1 < text.len() {
            at += 1;
            match text[at] {
                b'n' => out.push(b'\n'),
                b't' => out.push(b'\t'),
                b'r' => out.push(b'\r'),
                b'\\' => out.push(b'\\'),
                b'x' if at + 2 < text.len() => {
                    let digits = std::str::from_utf8(&text[at + 1..at + 3]).expect("hex digits");
                    out.push(u8::from_str_radix(digits, 16).expect("hex digits"));
                    at += 2;
                }
                other => out.extend([b'\\', other]),
            }
        } else {
            out.push(text[at]);
        }
        at += 1;
    }
    out
}
