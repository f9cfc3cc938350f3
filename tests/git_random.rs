//! Random histories and work trees, made by the real git in a temporary folder and seeded into a sandbox: every command
//! that reads must print the same there and end with the same status. `GIT_RANDOM=200 cargo test --test git_random` makes more
//! of them, `GIT_RANDOM_FROM=17` begins at another number, `GIT_RANDOM_SHOW=1` shows each difference.
//! Combined diffs of merges are a known gap, so `show` is asked for the first parent.

#![allow(clippy::unwrap_used, clippy::format_push_string, reason = "a test")]

use hookbox::sandbox::Sandbox;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A reproducible sequence of numbers.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit
    }

    fn pick<'p>(&mut self, list: &[&'p str]) -> &'p str {
        list[self.below(list.len() as u64) as usize]
    }
}

const PATHS: [&str; 10] =
    ["a", "b.txt", "d/x", "d/y.rs", "d/e/z.c", "sp ace", "d-e", "lib/one.rs", "lib/two.rs", "ümlaut"];
const LINES: [&str; 14] = [
    "fn main() {",
    "}",
    "",
    "    let x = 1;",
    "    let y = 2;",
    "one",
    "two",
    "three",
    "int f(void)",
    "{",
    "\treturn 0;",
    "alpha",
    "beta",
    "    if x {",
];

fn git(folder: &Path, date: u64, args: &[&str]) -> (Vec<u8>, i32) {
    let stamp = format!("{date} +0130");
    let output = Command::new("git")
        .args(args)
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .envs([("HOME", "/nonexistent"), ("TZ", "UTC"), ("LC_ALL", "C.UTF-8"), ("GIT_CONFIG_NOSYSTEM", "1")])
        .envs([("GIT_AUTHOR_NAME", "A U Thor"), ("GIT_AUTHOR_EMAIL", "author@example.com")])
        .envs([("GIT_COMMITTER_NAME", "C O Mitter"), ("GIT_COMMITTER_EMAIL", "committer@example.com")])
        .envs([("GIT_AUTHOR_DATE", &stamp), ("GIT_COMMITTER_DATE", &stamp)])
        .stdin(Stdio::null())
        .output()
        .unwrap();
    (output.stdout, output.status.code().unwrap_or(-1))
}

fn write_file(folder: &Path, numbers: &mut Numbers, path: &str) {
    let full = folder.join(path);
    if full.is_dir() || std::fs::create_dir_all(full.parent().unwrap()).is_err() {
        return;
    }
    let old = std::fs::read_to_string(&full).unwrap_or_default();
    let mut lines: Vec<String> = old.lines().map(str::to_owned).collect();
    for _ in 0..=numbers.below(6) {
        let at = numbers.below(lines.len() as u64 + 1) as usize;
        match numbers.below(4) {
            0 if !lines.is_empty() => drop(lines.remove(at.min(lines.len() - 1))),
            1 if !lines.is_empty() => {
                let last = lines.len() - 1;
                numbers.pick(&LINES).clone_into(&mut lines[at.min(last)]);
            }
            _ => {
                for _ in 0..=numbers.below(8) {
                    lines.insert(at, numbers.pick(&LINES).to_owned());
                }
            }
        }
    }
    let mut text = lines.join("\n");
    if numbers.below(8) > 0 && !text.is_empty() {
        text.push('\n');
    }
    if numbers.below(40) == 0 {
        text.push('\0');
    }
    std::fs::write(&full, text).unwrap();
}

/// Makes a repository; everything in it is a function of the number.
fn build(folder: &Path, number: u64) {
    let mut numbers = Numbers(number);
    let mut date = 1_700_000_000 + number * 1000;
    git(folder, date, &["init", "-q", "-b", "main"]);
    std::fs::write(folder.join(".gitignore"), "*.log\n/build/\n!keep.log\n").unwrap();
    for step in 0..12 + numbers.below(14) {
        date += numbers.below(3) * 60;
        for _ in 0..=numbers.below(3) {
            let path = numbers.pick(&PATHS);
            match numbers.below(10) {
                0 => drop(std::fs::remove_file(folder.join(path))),
                1 => {
                    let to = format!(
                        "moved{}/{}",
                        numbers.below(3),
                        Path::new(path).file_name().unwrap().to_str().unwrap()
                    );
                    std::fs::create_dir_all(folder.join(&to).parent().unwrap()).unwrap();
                    drop(std::fs::rename(folder.join(path), folder.join(to)));
                }
                _ => write_file(folder, &mut numbers, path),
            }
        }
        git(folder, date, &["add", "-A"]);
        let message = format!("step {step}\n\nbody of {step}\n\nRefs: {step}\n");
        git(folder, date, &["commit", "-q", "--allow-empty", "-m", &message]);
        match numbers.below(8) {
            0 => drop(git(folder, date, &["checkout", "-q", "-b", &format!("side{step}")])),
            1 => drop(git(folder, date, &["checkout", "-q", "main"])),
            2 => drop(git(folder, date, &["tag", "-a", "-m", "a tag", &format!("v{step}")])),
            3 => drop(git(folder, date, &["tag", &format!("light{step}")])),
            4 => {
                let (branches, _) =
                    git(folder, date, &["for-each-ref", "--format=%(refname:short)", "refs/heads"]);
                let branches = String::from_utf8(branches).unwrap();
                let all: Vec<&str> = branches.lines().collect();
                if !all.is_empty() {
                    let other = numbers.pick(&all);
                    git(folder, date, &["merge", "-q", "-X", "theirs", "-m", "merged", other]);
                    git(folder, date, &["add", "-A"]);
                    git(folder, date, &["commit", "-q", "-m", "merged by hand"]);
                }
            }
            5 if numbers.below(3) == 0 => drop(git(folder, date, &["gc", "-q"])),
            _ => {}
        }
    }
    // The work tree is left as one finds it in the middle of work.
    for _ in 0..numbers.below(4) {
        let path = numbers.pick(&PATHS);
        write_file(folder, &mut numbers, path);
        if numbers.below(2) == 0 {
            git(folder, date, &["add", "-A"]);
        }
    }
    if numbers.below(3) == 0 {
        drop(std::fs::remove_file(folder.join(numbers.pick(&PATHS))));
    }
    if numbers.below(2) == 0 {
        std::fs::create_dir_all(folder.join("build/deep")).unwrap();
        std::fs::write(folder.join("build/deep/out"), "x").unwrap();
        std::fs::write(folder.join("x.log"), "x").unwrap();
        std::fs::create_dir_all(folder.join("new/inner")).unwrap();
        std::fs::write(folder.join("new/inner/file"), "x").unwrap();
    }
}

/// What is asked of each repository.
const COMMANDS: &str = "
rev-parse --show-toplevel --git-dir --show-prefix --is-inside-work-tree --abbrev-ref HEAD
rev-parse HEAD HEAD~1 HEAD^{tree} --short HEAD
rev-parse --verify -q nope
branch --show-current
branch
branch -a -v
symbolic-ref -q --short HEAD
status
status --porcelain
status --porcelain -b -uall
status --porcelain=v2 --branch
status -s --ignored
status --porcelain -z
diff
diff --cached
diff HEAD
diff --stat
diff --name-only HEAD~3
diff --name-status HEAD~4 HEAD
diff --numstat HEAD~3 HEAD
diff --shortstat HEAD~5
diff -U0 HEAD~6 HEAD
diff -w HEAD~6 HEAD
diff --summary HEAD~5 HEAD
diff -M --raw HEAD~7 HEAD
diff --quiet
diff --cached --quiet
diff --diff-filter=d --name-only HEAD~5
diff main...HEAD --stat
log
log --oneline --decorate
log -1 --format=%H%n%h%n%an%n%ae%n%at%n%ad%n%s%n%b
log --format=%h:%p:%t:%s:%ci:%cI:%cs --date=iso
log --format=fuller -3
log --stat -4
log -p -3
log -p --stat -2
log --name-status -5
log --oneline main..HEAD
log --oneline --all
log --oneline --topo-order --all
log --oneline --date-order --all
log --oneline --reverse
log --oneline --no-merges -5 --skip=2
log --oneline --first-parent
log --oneline -- d
log --oneline -- a b.txt
log --oneline --all -- lib
log --grep=step.1 --oneline
log --oneline --since=2023-11-14T22:20:00
log -3 --format=raw
log --oneline -S alpha
show --first-parent
show --stat HEAD~1
show --name-only --format= HEAD~2
show HEAD:a
show HEAD:d
ls-files
ls-files -s
ls-files -m -d
ls-files -o --exclude-standard
ls-files -o --exclude-standard --directory
ls-tree HEAD
ls-tree -r HEAD
ls-tree -r --name-only HEAD d
ls-tree -l -t -r HEAD
cat-file -p HEAD
cat-file -p HEAD^{tree}
cat-file -t HEAD
cat-file -s HEAD:.gitignore
show-ref
show-ref -d --tags
for-each-ref
for-each-ref --sort=-committerdate --format=%(refname:short)|%(objectname:short)|%(committerdate:iso)|%(subject)
rev-list HEAD
rev-list --count HEAD
rev-list --count --all
rev-list --left-right --count main...HEAD
rev-list --parents -5 HEAD
rev-list --all --topo-order
merge-base main HEAD
merge-base --all main HEAD~2
describe
describe --tags --always
describe --tags --long --always
tag
tag -n
tag --contains HEAD~3
config --list --local
config user.name
check-ignore -v x.log build/deep/out a
reflog -5
blame .gitignore
blame HEAD a
grep -n alpha
grep -c one HEAD
shortlog -s HEAD
diff-tree --no-commit-id --name-only -r HEAD
diff-index --name-only HEAD
diff-files --name-status
stash list
worktree list
bogus
log nope
diff nope
show nope
";

fn commands() -> impl Iterator<Item = &'static str> {
    COMMANDS.lines().filter(|line| !line.is_empty())
}

fn scratch(number: u64) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("git-random-{}-{number}", std::process::id()));
    drop(std::fs::remove_dir_all(&folder));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// What differs, a text for each command.
async fn compare(number: u64) -> Vec<String> {
    let folder = scratch(number);
    build(&folder, number);
    let sandbox = Sandbox::builder().seed_dir("/workspace", &folder).build().unwrap();
    let mut faults = Vec::new();
    let here = folder.canonicalize().unwrap().to_string_lossy().into_owned();
    for command in commands() {
        let args: Vec<&str> = command.split(' ').collect();
        let (stdout, status) = git(&folder, 1_800_000_000, &args);
        let expected = String::from_utf8_lossy(&stdout).replace(&here, "/workspace");
        let quoted: Vec<String> = args.iter().map(|arg| format!("'{arg}'")).collect();
        let script = format!(
            "export HOME=/nonexistent TZ=UTC GIT_CONFIG_NOSYSTEM=1; cd /workspace && git {}",
            quoted.join(" ")
        );
        let output = sandbox.run(&script).await;
        let found = String::from_utf8_lossy(&output.stdout).into_owned();
        let same_status = i32::from(output.status) == status;
        if found != expected || !same_status {
            let mut fault = format!("#{number} git {command}: status {status}, ours {}", output.status);
            if std::env::var_os("GIT_RANDOM_SHOW").is_some() {
                let at = expected.bytes().zip(found.bytes()).take_while(|(one, other)| one == other).count();
                let around = |text: &str| {
                    let start = text.floor_char_boundary(at.saturating_sub(120));
                    let end = text.floor_char_boundary((at + 200).min(text.len()));
                    text.get(start..end).unwrap_or_default().to_owned()
                };
                fault.push_str(&format!(
                    "\n--- git\n{}\n--- ours\n{}\n--- stderr\n{}",
                    around(&expected),
                    around(&found),
                    String::from_utf8_lossy(&output.stderr)
                ));
            }
            faults.push(fault);
        }
    }
    drop(std::fs::remove_dir_all(&folder));
    faults
}

#[tokio::test]
async fn random_repositories_read_as_git_reads_them() {
    if Command::new("git").arg("--version").output().is_err() {
        println!("skipped: there is no git");
        return;
    }
    let number =
        |name: &str, usual: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let (first, count) = (number("GIT_RANDOM_FROM", 0), number("GIT_RANDOM", 3));
    let mut faults = Vec::new();
    let mut clean = 0;
    for seed in first..first + count {
        let found = compare(seed).await;
        clean += u64::from(found.is_empty());
        faults.extend(found);
    }
    println!("{clean} of {count} repositories are the same in all {} commands", commands().count());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
