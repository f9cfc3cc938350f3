//! Histories and work trees that are a function of a number, made by the real git.

use std::path::Path;
use std::process::{Command, Stdio};

/// A reproducible sequence of numbers.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit
    }

    pub(crate) fn pick<'p>(&mut self, list: &[&'p str]) -> &'p str {
        list[self.below(list.len() as u64) as usize]
    }
}

pub(crate) const PATHS: [&str; 10] =
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

/// Runs git with more variables; what it prints and its status.
pub(crate) fn ask(
    folder: &Path,
    date: u64,
    environment: &[(String, String)],
    args: &[&str],
) -> (Vec<u8>, i32) {
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
        .envs([("GIT_EDITOR", "true"), ("GIT_ALLOW_PROTOCOL", "file")])
        .envs(environment.iter().cloned())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    (output.stdout, output.status.code().unwrap_or(-1))
}

pub(crate) fn git(folder: &Path, date: u64, args: &[&str]) -> (Vec<u8>, i32) {
    ask(folder, date, &[], args)
}

pub(crate) fn write_file(folder: &Path, numbers: &mut Numbers, path: &str) {
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
    drop(std::fs::write(&full, text));
}

/// Makes a repository; everything in it is a function of the number.
pub(crate) fn build(folder: &Path, number: u64, mut between: impl FnMut(&Path, u64)) {
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
        between(folder, date);
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
    if numbers.below(3) == 0 {
        git(folder, date, &["remote", "add", "origin", "https://example.com/x.git"]);
        git(folder, date, &["update-ref", "refs/remotes/origin/main", "HEAD~2"]);
        git(folder, date, &["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"]);
        git(folder, date, &["branch", "-q", "-u", "origin/main"]);
        git(folder, date, &["config", "x.sub.key", "some value"]);
    }
    if numbers.below(4) == 0 {
        let path = numbers.pick(&PATHS);
        write_file(folder, &mut numbers, path);
        git(folder, date, &["stash", "-q"]);
        write_file(folder, &mut numbers, path);
        git(folder, date, &["stash", "push", "-q", "-m", "put aside"]);
    }
    if numbers.below(6) == 0 {
        std::fs::write(folder.join(".gitattributes"), "*.txt -diff\nd/* text\na binary\n").unwrap();
    }
    if numbers.below(4) == 0 {
        // A merge that was not finished.
        let (branches, _) = git(folder, date, &["for-each-ref", "--format=%(refname:short)", "refs/heads"]);
        let branches = String::from_utf8(branches).unwrap();
        let all: Vec<&str> = branches.lines().collect();
        if !all.is_empty() {
            git(folder, date, &["merge", "-q", "--no-commit", numbers.pick(&all)]);
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
