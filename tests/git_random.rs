//! Random histories and work trees, made by the real git in a temporary folder and seeded into a sandbox: every command
//! that reads must print the same there and end with the same status. `GIT_RANDOM=200 cargo test --test git_random` makes more
//! of them, `GIT_RANDOM_FROM=17` begins at another number, `GIT_RANDOM_SHOW=1` shows each difference.
//! What is asked are the lines of [`COMMANDS`] and, for each repository, some more that are drawn.

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
show
show -c
show --cc --raw HEAD~1
show -m HEAD~2
show -U1 HEAD~3
show --name-status HEAD
show --cc --stat -p HEAD
show --format=%h%x09%s --no-patch HEAD~1 HEAD~2
show v1 light2
log --cc -p --all
log -c --raw --all
log -m --stat --all
log --merges -c --name-status --all
log --cc --stat --all
log --cc -U0 --all
log --graph --oneline --all
log --graph --all
log --graph --stat -5
log --graph -p -3 --all
log --graph --format=%h%x20%s --all
log --graph --oneline -- d
log --graph --oneline --all -- a lib
log --graph --oneline --date-order --all
log --graph --oneline --decorate --no-merges
log --graph --oneline --first-parent
log --graph --pretty=format:%h%n%s --all
log --graph --left-right --oneline main...HEAD
log --oneline --left-right main...HEAD
log --oneline --boundary main..HEAD
log --format=format:%s --stat -3
log --pretty=short -4
log --pretty=full -2
log --pretty=reference -3
log --pretty=oneline --abbrev=9 -3
log -z --format=%H -3
log --format=%h%d%n%D --all
log --format=%an|%ae|%cn|%ce|%at|%ct|%aI|%as|%ar -2 --date=iso-strict
log --format=%(trailers:key=Refs,valueonly) -3
log --format=%<(20,trunc)%s|%>(8)%h -4
log --date=short --format=%ad -2
log --date=unix --format=%ad%x20%cd -2
log --date=rfc --format=%ad -2
log --date=format:%Y/%m/%d-%H:%M --format=%ad -2
log --diff-filter=A --name-only --format=%h
log --diff-filter=D --summary --oneline
log --until=2023-11-14T22:30:00 --oneline
log --author=Thor --oneline -3
log --author=nobody --oneline
log --invert-grep --grep=step --oneline
log -i --grep=STEP --oneline -2
log -E --grep=step.(1|2)$ --oneline
log -G beta --oneline
log --follow --oneline -- a
log --follow --name-status --format=%h -- lib/one.rs
log --full-history --oneline -- d/x
log --parents --oneline -3
log --oneline -- nowhere
log --oneline HEAD~5..HEAD~2
log --oneline ^HEAD~3 HEAD
log --oneline HEAD --not HEAD~2
log --oneline --branches
log --oneline --tags
log --oneline --max-count=2
log --oneline -3 --reverse
log -p -w -2 --all
log --shortstat -3
log --numstat --format=%h -3
log --raw -2
log --raw --abbrev=12 -1
log -p --full-index -1
log -g --oneline -3
log --no-abbrev-commit --oneline -2
log --merges --oneline --all
show --stat HEAD~1
show --name-only --format= HEAD~2
show HEAD:a
show HEAD:d
diff HEAD~2 HEAD~1 -- d
diff --name-status -M90% HEAD~6
diff --name-status --no-renames HEAD~6
diff --name-status -C HEAD~6 HEAD
diff --stat=60 HEAD~6
diff --stat=40,20 HEAD~6
diff --stat --summary HEAD~6
diff --compact-summary HEAD~6
diff --numstat -z HEAD~4
diff --name-only -z HEAD~4
diff --name-status -z HEAD~6
diff -U5 HEAD~4
diff -U1 HEAD~2
diff -b HEAD~5
diff --ignore-space-at-eol HEAD~5
diff -R HEAD~2
diff --no-prefix HEAD~2
diff --src-prefix=x/ --dst-prefix=y/ HEAD~1
diff --full-index HEAD~3
diff --minimal HEAD~5
diff --text HEAD~5
diff --exit-code HEAD~1 HEAD
diff --check HEAD~5
diff HEAD HEAD
diff HEAD:a HEAD~3:a
diff --cached --stat
diff --cached --name-status HEAD~2
diff --staged
diff -p --stat HEAD~1
diff --patch-with-raw HEAD~1
diff -S one --name-only HEAD~5
diff -G alpha --stat HEAD~5
diff --relative=d HEAD~4
diff --diff-filter=AM --name-status HEAD~5
diff -- a b.txt
diff HEAD~3..HEAD --shortstat
diff --merge-base main
diff main HEAD~1 HEAD
diff --color=never HEAD~1
diff --inter-hunk-context=3 HEAD~5
status -s
status -sb
status -s -uno
status -s -uall
status --porcelain=v1 --ignored -uall
status --porcelain=v2 -z
status --porcelain=v2 --ignored
status --porcelain=v2 --branch --show-stash
status --short --branch --ahead-behind
status --untracked-files=no
status -v
status --long
status -s -- d
status --ignored
status --no-renames -s
ls-files -t
ls-files -v
ls-files --stage -z
ls-files -u
ls-files -c -o --exclude-standard
ls-files -i -o --exclude-standard
ls-files --others
ls-files --others --directory --no-empty-directory
ls-files --deleted
ls-files --modified
ls-files -- d lib
ls-files *.rs
ls-files --error-unmatch a
ls-files --error-unmatch nowhere
ls-files --full-name d
ls-files --format=%(objectname)|%(path)|%(objectmode)
ls-files
ls-files -s
ls-files -m -d
ls-files -o --exclude-standard
ls-files -o --exclude-standard --directory
ls-tree HEAD
ls-tree -r HEAD
ls-tree -r --name-only HEAD d
ls-tree -l -t -r HEAD
ls-tree -d HEAD
ls-tree HEAD d/
ls-tree HEAD d
ls-tree -z HEAD
ls-tree --abbrev=8 HEAD
ls-tree --object-only HEAD
ls-tree -r --format=%(objectname)%x09%(path) HEAD
ls-tree HEAD:d
ls-tree nope
cat-file -p HEAD:a
cat-file blob HEAD:.gitignore
cat-file -e HEAD
cat-file -e nope
cat-file -p v2
cat-file tag v2
cat-file commit HEAD
cat-file tree HEAD:d
cat-file -t HEAD:d
cat-file -p HEAD
cat-file -p HEAD^{tree}
cat-file -t HEAD
cat-file -s HEAD:.gitignore
show-ref
show-ref -d --tags
show-ref --heads
show-ref --tags
show-ref --head
show-ref -s main
show-ref --verify refs/heads/main
show-ref --verify -q refs/heads/nope
show-ref --hash=8
show-ref --exists refs/heads/main
for-each-ref
for-each-ref --count=2 refs/tags
for-each-ref --points-at=HEAD
for-each-ref --contains HEAD~2 refs/heads
for-each-ref --merged=main
for-each-ref --no-merged=main
for-each-ref --sort=refname --format=%(refname)|%(objecttype)|%(*objectname)|%(upstream:short)|%(HEAD)
for-each-ref --format=%(authorname)|%(authoremail)|%(authordate:short)|%(contents:subject)|%(upstream:track) refs/heads
for-each-ref --format=%(if)%(HEAD)%(then)*%(else)-%(end)%(refname:lstrip=2) refs/heads
for-each-ref --format=%(taggername)|%(taggerdate:unix)|%(creatordate:iso)|%(tag) refs/tags
for-each-ref --sort=-v:refname refs/tags
for-each-ref --sort=creatordate --format=%(refname:short) refs/tags
for-each-ref --sort=-committerdate --format=%(refname:short)|%(objectname:short)|%(committerdate:iso)|%(subject)
rev-list HEAD
rev-list --count HEAD
rev-list --count --all
rev-list --left-right --count main...HEAD
rev-list --parents -5 HEAD
rev-list --all --topo-order
rev-list --max-parents=0 HEAD
rev-list --merges --all
rev-list -1 HEAD
rev-list --reverse HEAD
rev-list --oneline -3 HEAD
rev-list --pretty=%s -2 HEAD
rev-list --no-commit-header --format=%h%x20%s -2 HEAD
rev-list --count main..HEAD
rev-list --count HEAD -- a
rev-list --left-right main...HEAD
rev-list --timestamp -2 HEAD
rev-list --abbrev-commit -3 HEAD
rev-list --boundary main..HEAD
rev-list --parents --all -- d
rev-list --since=2023-11-14T22:20:00 HEAD
rev-list --first-parent HEAD
rev-list --tags --no-walk
rev-list -n1 --before=2023-11-14T22:25:00 HEAD
rev-list nope
merge-base --is-ancestor HEAD~1 HEAD
merge-base --is-ancestor HEAD HEAD~1
merge-base --fork-point main
merge-base HEAD
merge-base nope HEAD
name-rev HEAD HEAD~3
name-rev --name-only HEAD~1
name-rev --tags HEAD~2
describe --contains HEAD~3
describe --all
describe --all --long HEAD~2
describe --abbrev=0 --tags
describe --exact-match
describe --dirty --always
describe --first-parent --always HEAD~1
describe --match v* --always
describe --exclude v* --tags --always
describe --candidates=1 --tags --always
describe HEAD~4 --tags --always
merge-base main HEAD
merge-base --all main HEAD~2
describe
describe --tags --always
describe --tags --long --always
tag
tag -n
tag --contains HEAD~3
tag -l v*
tag --points-at HEAD
tag --merged main
tag --no-merged main
tag --sort=-creatordate
tag --sort=version:refname
tag -n3
tag --format=%(refname:short)|%(objecttype)
tag -l nope
branch -r
branch -v
branch -vv
branch --list side*
branch --contains HEAD~3
branch --no-contains HEAD
branch --merged
branch --no-merged main
branch --points-at HEAD
branch --format=%(refname:short)|%(HEAD)|%(upstream:short)
branch --sort=-committerdate
branch -a
config --list --local
config user.name
config --get core.bare
config --get-all remote.origin.fetch
config --get-regexp ^x
config --bool core.bare
config --type=bool core.filemode
config -l --show-origin --local
config --name-only --list --local
config --default=none nope.nope
config get core.bare
config list --local
config x.sub.key
config --get nope.nope
remote
remote -v
remote get-url origin
remote get-url nope
check-ignore -v x.log build/deep/out a
check-ignore x.log
check-ignore a
check-ignore -v -n a x.log
check-ignore -q build
check-attr -a a b.txt
check-attr diff text -- b.txt d/x a
reflog -5
reflog show main
reflog exists HEAD
blame .gitignore
blame HEAD a
blame HEAD b.txt
blame a
blame -s HEAD a
blame -e HEAD~1 -- lib/one.rs
blame -l -t HEAD lib/two.rs
blame -f -n HEAD d/x
blame -p HEAD d/y.rs
blame --line-porcelain HEAD a
blame -w HEAD d/e/z.c
blame -L 2,4 HEAD a
blame -L 3,+2 HEAD a
blame -L 2, HEAD b.txt
blame -L /one/,+3 HEAD a
blame -L 1,2 -L 4,5 HEAD a
blame -c HEAD a
blame -b HEAD a
blame --root HEAD a
blame --date=short HEAD a
blame --abbrev=12 HEAD a
blame HEAD~3..HEAD -- a
blame --first-parent HEAD b.txt
blame moved1/a
blame moved0/one.rs
blame -p moved2/b.txt
blame -L 99999 HEAD a
blame nowhere
grep -n alpha
grep -c one HEAD
grep alpha
grep -l one
grep -L one
grep -i ALPHA HEAD
grep -w one
grep -v -n one -- a
grep -e alpha -e beta
grep -E (alpha|beta)
grep -F x;
grep -h one
grep -q alpha
grep --cached one
grep --untracked one
grep -o alph
grep -m 1 one
grep --count one -- d
grep -z -l one
grep nothing-like-this
grep -P o(n)e
shortlog -s HEAD
diff-tree --no-commit-id --name-only -r HEAD
diff-index --name-only HEAD
diff-files --name-status
diff-tree HEAD
diff-tree -r HEAD~1 HEAD
diff-tree -p HEAD
diff-tree --stat HEAD~2 HEAD
diff-tree --cc HEAD
diff-tree -c HEAD
diff-tree -m -r HEAD
diff-tree --root -r HEAD
diff-tree -t -r HEAD~2 HEAD
diff-tree -r -M --name-status HEAD~5 HEAD
diff-tree --no-commit-id -r --diff-filter=M --name-only HEAD
diff-index HEAD
diff-index --cached HEAD
diff-index -p HEAD
diff-index --quiet HEAD
diff-index --cached --name-status HEAD~1
diff-files
diff-files -p
diff-files --quiet
diff-files --stat
stash list
stash list --format=%gd|%gs
stash show
stash show -p
stash show --stat stash@{1}
stash show stash@{7}
worktree list
rev-parse HEAD^ HEAD^1 HEAD~2 HEAD@{0}
rev-parse HEAD@{1}
rev-parse main@{upstream}
rev-parse --abbrev-ref @{u}
rev-parse --abbrev-ref main HEAD~0
rev-parse --symbolic-full-name HEAD
rev-parse --symbolic HEAD main
rev-parse --verify HEAD
rev-parse --verify nope
rev-parse --quiet --verify main^{commit}
rev-parse --short=10 HEAD
rev-parse --short HEAD~1
rev-parse --git-common-dir --absolute-git-dir
rev-parse --is-bare-repository --is-inside-git-dir --is-shallow-repository
rev-parse --show-cdup
rev-parse --git-path hooks
rev-parse --all
rev-parse --branches
rev-parse --tags
rev-parse --remotes
rev-parse --show-object-format
rev-parse --not HEAD
rev-parse HEAD~3..HEAD
rev-parse HEAD~3...HEAD
rev-parse --revs-only HEAD x
rev-parse --no-revs HEAD -- x
rev-parse --flags -p HEAD
rev-parse --default HEAD
rev-parse --local-env-vars
rev-parse HEAD:a :a
rev-parse HEAD:nowhere
rev-parse HEAD^{/step.2}
rev-parse HEAD^@ HEAD^!
rev-parse --is-inside-work-tree
rev-parse --show-superproject-working-tree
symbolic-ref HEAD
symbolic-ref --short HEAD
symbolic-ref refs/heads/main
symbolic-ref refs/remotes/origin/HEAD
var GIT_AUTHOR_IDENT
var GIT_DEFAULT_BRANCH
hash-object a
write-tree
shortlog -sn HEAD
shortlog -sne --all
shortlog HEAD~3..HEAD
shortlog -s --no-merges HEAD
version
worktree list --porcelain
stripspace
check-ref-format --branch main
check-ref-format refs/heads/x..y
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

/// What is not committed is dated now.
fn without_now(text: &str) -> String {
    let mark = "Not Committed Yet ";
    let mut out = String::new();
    for (index, part) in text.split(mark).enumerate() {
        if index == 0 {
            out.push_str(part);
            continue;
        }
        out.push_str(mark);
        let blanks = part.len() - part.trim_start().len();
        out.push_str(part.get(blanks + "2026-01-01 00:00:00".len()..).unwrap_or(part));
    }
    out
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
            "export HOME=/nonexistent TZ=UTC GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME='A U Thor' GIT_AUTHOR_EMAIL=author@example.com \
GIT_AUTHOR_DATE='1800000000 +0130'; cd /workspace && git {}",
            quoted.join(" ")
        );
        let output = sandbox.run(&script).await;
        let found = without_now(&String::from_utf8_lossy(&output.stdout));
        let expected = without_now(&expected);
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
