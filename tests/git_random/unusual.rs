//! Repositories with something unusual in them: odd names, links, modes, binary files, submodules, attributes, ignored
//! files, packs, borrowed objects, cut off histories, linked work trees, operations that were not finished and configuration.

use crate::history::{Numbers, PATHS, build as build_history, git, write_file};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

/// Where commands are asked from.
pub(crate) struct View {
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    pub(crate) environment: Vec<(String, String)>,
}

impl View {
    pub(crate) fn of(folder: PathBuf) -> Self {
        Self { name: String::new(), folder, environment: Vec::new() }
    }

    fn new(name: &str, folder: PathBuf, environment: &[(&str, &str)]) -> Self {
        let environment = environment.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        Self { name: format!(" [{name}]"), folder, environment }
    }
}

const NAMES: [&str; 14] = [
    "q\"uote",
    "it's",
    "new\nline",
    "tab\tt",
    "日本/語",
    "back\\slash",
    " lead",
    "trail ",
    "-dash",
    "st*r",
    "br[ck]",
    "x => y",
    "caf\u{e9}.txt",
    "bell\u{7}",
];

const ATTRIBUTES: [&str; 9] = [
    "*.dat binary\n",
    "*.txt -diff\nd/* text\n",
    "a -text linguist-x=val\n",
    "[attr]odd diff -text\n*.rs odd\n",
    "lib/** -diff\n/a diff\n",
    "* text=auto\n",
    "*.c !diff whitespace=tab-in-indent\n",
    "\"sp ace\" -diff\n",
    "d/e/ x\nd/** y=z\n",
];

const IGNORES: [(&str, &str); 8] = [
    ("d/.gitignore", "*\n!*.rs\n!.gitignore\n"),
    ("lib/.gitignore", "one.rs\n/two.rs\n"),
    ("new/.gitignore", "inner/*\n!inner/file\n"),
    (".gitignore", "*.log\n/build/*\n!/build/deep\n"),
    (".gitignore", "**/deep/\n\\!x\n\\#y\ntrail\\ \n# no\n[a-c].tmp\n"),
    (".gitignore", "*\n!*/\n!*.txt\n!.gitignore\n"),
    ("build/.gitignore", "*\n"),
    (".gitignore", "new/\n!new/inner\nx?log\n*.[lo]og\n"),
];

const SETTINGS: [(&str, &str); 30] = [
    ("core.quotepath", "false"),
    ("core.abbrev", "12"),
    ("core.abbrev", "no"),
    ("core.filemode", "false"),
    ("core.ignorecase", "true"),
    ("core.excludesfile", "../excludes"),
    ("core.attributesfile", "../attributes"),
    ("core.commentchar", ";"),
    ("core.logallrefupdates", "false"),
    ("status.short", "true"),
    ("status.branch", "true"),
    ("status.showuntrackedfiles", "all"),
    ("status.showuntrackedfiles", "no"),
    ("status.showstash", "true"),
    ("status.relativepaths", "false"),
    ("status.renames", "copies"),
    ("diff.renames", "copies"),
    ("diff.renames", "false"),
    ("diff.noprefix", "true"),
    ("diff.mnemonicprefix", "true"),
    ("diff.context", "1"),
    ("diff.interhunkcontext", "4"),
    ("log.date", "iso"),
    ("log.decorate", "full"),
    ("log.abbrevcommit", "true"),
    ("format.pretty", "fuller"),
    ("tag.sort", "-version:refname"),
    ("branch.sort", "-committerdate"),
    ("advice.statushints", "false"),
    ("grep.linenumber", "true"),
];

fn put(folder: &Path, path: &str, bytes: &[u8]) {
    let full = folder.join(path);
    if full.is_symlink() {
        drop(std::fs::remove_file(&full));
    }
    if full.is_dir() || std::fs::create_dir_all(full.parent().unwrap()).is_err() {
        return;
    }
    drop(std::fs::write(full, bytes));
}

/// Does something unusual to the work tree.
fn disturb(folder: &Path, date: u64, numbers: &mut Numbers) {
    match numbers.below(11) {
        0 => {
            let path = numbers.pick(&NAMES);
            if numbers.below(3) == 0 {
                drop(std::fs::remove_file(folder.join(path)));
            } else {
                write_file(folder, numbers, path);
            }
        }
        1 => {
            let mut bytes: Vec<u8> = (0..400_u32).map(|n| (n * n % 251) as u8).collect();
            for _ in 0..numbers.below(60) {
                let at = numbers.below(400) as usize;
                bytes[at] = numbers.below(256) as u8;
            }
            put(folder, numbers.pick(&["bin.dat", "d/img.png", "other.dat", "a"]), &bytes);
        }
        2 => {
            let path = folder.join(numbers.pick(&["link", "d/link", "a", "b.txt"]));
            if !path.is_dir() || path.is_symlink() {
                drop(std::fs::remove_file(&path));
            }
            drop(symlink(numbers.pick(&["a", "../lib", "nowhere", "d/x"]), path));
        }
        3 | 4 => {
            let path = folder.join(numbers.pick(&PATHS));
            if path.is_file() && !path.is_symlink() {
                let mode =
                    if path.metadata().unwrap().permissions().mode() & 0o100 == 0 { 0o755 } else { 0o644 };
                std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
            }
        }
        5 => {
            // Long enough to be found again when it is changed and moved.
            let old = numbers.pick(&["long.txt", "far/long.txt", "far/off/it.txt"]);
            let new = numbers.pick(&["long.txt", "far/long.txt", "far/off/it.txt"]);
            let text = std::fs::read_to_string(folder.join(old)).unwrap_or_else(|_| {
                (0..30).fold(String::new(), |text, line| text + &format!("{line} {}\n", numbers.below(100)))
            });
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            for _ in 0..numbers.below(12) {
                let at = numbers.below(lines.len().max(1) as u64) as usize;
                if let Some(line) = lines.get_mut(at) {
                    *line = format!("changed {}", numbers.below(1000));
                }
            }
            if numbers.below(3) > 0 {
                drop(std::fs::remove_file(folder.join(old)));
            }
            put(folder, new, (lines.join("\n") + "\n").as_bytes());
        }
        6 => {
            let id = format!("{:040x}", 1 + numbers.below(1000));
            let path = numbers.pick(&["sub", "d/sub"]);
            git(folder, date, &["update-index", "--add", "--cacheinfo", &format!("160000,{id},{path}")]);
            if numbers.below(2) == 0 {
                drop(std::fs::create_dir_all(folder.join(path)));
            }
        }
        7 => put(
            folder,
            numbers.pick(&[".gitattributes", "d/.gitattributes"]),
            numbers.pick(&ATTRIBUTES).as_bytes(),
        ),
        8 => {
            let (path, text) = IGNORES[numbers.below(IGNORES.len() as u64) as usize];
            put(folder, path, text.as_bytes());
        }
        9 => put(folder, numbers.pick(&["crlf.txt", "b.txt"]), b"one\r\ntwo\r\nalpha\nthree\r\n"),
        _ => match numbers.below(5) {
            0 => drop(git(folder, date, &["repack", "-q", "-d"])),
            1 => drop(git(folder, date, &["repack", "-q", "-a", "-d"])),
            2 => drop(git(folder, date, &["pack-refs", "--all"])),
            3 => drop(git(folder, date, &["gc", "-q", "--prune=now"])),
            _ => drop(git(folder, date, &["commit-graph", "write", "--reachable"])),
        },
    }
}

/// Leaves an operation unfinished.
fn interrupt(folder: &Path, date: u64, numbers: &mut Numbers, told: &mut Vec<String>) {
    let (branches, _) = git(folder, date, &["for-each-ref", "--format=%(refname:short)", "refs/heads"]);
    let branches = String::from_utf8(branches).unwrap();
    let all: Vec<&str> = branches.lines().collect();
    let other = if all.is_empty() { "HEAD~2" } else { numbers.pick(&all) };
    let operations: [&[&str]; 7] = [
        &["merge", "-q", other],
        &["cherry-pick", other],
        &["cherry-pick", "-n", other],
        &["revert", "--no-edit", "HEAD~2"],
        &["rebase", "-q", other],
        &["bisect", "start", "HEAD", "HEAD~4"],
        &["stash", "apply", "-q"],
    ];
    let operation = operations[numbers.below(7) as usize];
    told.push(operation.join(" "));
    git(folder, date, &["reset", "-q", "--hard"]);
    git(folder, date, operation);
}

/// What may be done to the index.
fn index(folder: &Path, date: u64, numbers: &mut Numbers, told: &mut Vec<String>) {
    let path = numbers.pick(&PATHS);
    let operations: [&[&str]; 6] = [
        &["update-index", "--index-version", "4"],
        &["update-index", "--assume-unchanged", path],
        &["update-index", "--skip-worktree", path],
        &["update-index", "--chmod=+x", path],
        &["add", "-N", "."],
        &["rm", "-q", "--cached", path],
    ];
    let operation = operations[numbers.below(6) as usize];
    told.push(operation.join(" "));
    git(folder, date, operation);
}

/// Makes a repository `main` in a folder, and what belongs to it beside it; the places from where it is asked and what
/// is unusual.
pub(crate) fn build(folder: &Path, number: u64) -> (Vec<View>, Vec<String>) {
    let main = folder.join("main");
    let mut numbers = Numbers(number ^ 0x5eed);
    let mut told: Vec<String> = Vec::new();
    let frequency = 1 + numbers.below(3);
    build_history(&main, number, |folder, date| {
        for _ in 0..frequency {
            if numbers.below(2) == 0 {
                disturb(folder, date, &mut numbers);
            }
        }
    });
    let date = 1_700_100_000 + number * 1000;
    put(folder, "excludes", b"*.tmp\nnew\n");
    put(folder, "attributes", b"*.rs -diff\n");
    for _ in 0..numbers.below(3) {
        let (name, value) = SETTINGS[numbers.below(SETTINGS.len() as u64) as usize];
        told.push(format!("{name}={value}"));
        git(&main, date, &["config", name, value]);
    }
    match numbers.below(6) {
        0 => {
            told.push("detached".into());
            git(&main, date, &["checkout", "-q", "--detach", numbers.pick(&["HEAD", "HEAD~1", "v2"])]);
        }
        1 if numbers.below(2) == 0 => {
            told.push("unborn".into());
            git(&main, date, &["checkout", "-q", "--orphan", "fresh"]);
            if numbers.below(2) == 0 {
                git(&main, date, &["rm", "-q", "-r", "-f", "--cached", "."]);
            }
        }
        2 | 3 => interrupt(&main, date, &mut numbers, &mut told),
        _ => {}
    }
    for _ in 0..numbers.below(3) {
        disturb(&main, date, &mut numbers);
        if numbers.below(3) == 0 {
            git(&main, date, &["add", "-A"]);
        }
    }
    if numbers.below(3) == 0 {
        index(&main, date, &mut numbers, &mut told);
    }
    if numbers.below(4) == 0 {
        let module = main.join("module");
        drop(std::fs::create_dir(&module));
        git(&module, date, &["init", "-q", "-b", "main"]);
        git(&module, date, &["commit", "-q", "--allow-empty", "-m", "inner"]);
        told.push("a repository inside".into());
        if numbers.below(2) == 0 {
            git(&main, date, &["add", "module"]);
            if numbers.below(2) == 0 {
                git(&module, date, &["commit", "-q", "--allow-empty", "-m", "inner again"]);
            }
        }
    }
    (views(folder, &main, date, &mut numbers), told)
}

fn views(folder: &Path, main: &Path, date: u64, numbers: &mut Numbers) -> Vec<View> {
    let mut views = vec![View::of(main.to_owned())];
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let git_dir = text(&main.join(".git"));
    if numbers.below(2) == 0 && main.join("d").is_dir() {
        views.push(View::new("a folder", main.join("d"), &[]));
    }
    match numbers.below(8) {
        0 => {
            git(main, date, &["worktree", "add", "-q", "-f", "../linked", "HEAD~1"]);
            put(&folder.join("linked"), "a", b"changed\n");
            views.push(View::new("a linked work tree", folder.join("linked"), &[]));
        }
        1 => {
            git(main, date, &["worktree", "add", "-q", "-b", "linked", "../linked"]);
            git(main, date, &["worktree", "lock", "--reason", "why not", "../linked"]);
            views.push(View::new("a linked work tree", folder.join("linked"), &[]));
        }
        2 => {
            git(main, date, &["clone", "-q", "--shared", ".", "../shared"]);
            views.push(View::new("a clone that borrows", folder.join("shared"), &[]));
        }
        3 => {
            let source = format!("file://{}", text(main));
            git(folder, date, &["clone", "-q", "--depth=3", "--no-single-branch", &source, "shallow"]);
            views.push(View::new("a shallow clone", folder.join("shallow"), &[]));
        }
        4 => {
            git(main, date, &["clone", "-q", "--bare", ".", "../bare.git"]);
            views.push(View::new("a bare clone", folder.join("bare.git"), &[]));
        }
        5 => {
            let tree = text(main);
            let variables = [("GIT_DIR", git_dir.as_str()), ("GIT_WORK_TREE", tree.as_str())];
            views.push(View::new("variables", folder.to_owned(), &variables));
            views.push(View::new("inside with variables", main.join("d"), &variables));
        }
        6 => {
            std::fs::copy(main.join(".git/index"), folder.join("index")).unwrap();
            let other = text(&folder.join("index"));
            git(main, date, &["read-tree", "HEAD~2"]);
            views.push(View::new("another index", main.to_owned(), &[("GIT_INDEX_FILE", other.as_str())]));
        }
        _ => views.push(View::new("inside of .git", main.join(".git"), &[])),
    }
    views
}
