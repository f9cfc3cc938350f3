//! The command stays in the folders that it was given: what a script, a seed, a fixture or a case holds leads neither a write
//! nor a read out of them, and nothing that lies in the way blocks it.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

#[path = "support/world.rs"]
mod world;

use std::os::unix::process::CommandExt as _;
use std::process::Command;
use world::World;

/// What must neither be read nor written.
const SECRET: &str = "f secret/key TOP SECRET\nd secret/folder\nf secret/folder/inner INNER\n";

/// One export: what lies in the target `out` before, what the script does in `/workspace`, and what comes of it.
struct Export {
    name: &'static str,
    layout: &'static str,
    /// `--seed out` first.
    seeded: bool,
    script: &'static str,
    /// With `$` for the folder of the host.
    to: &'static str,
    /// Exit status, and what standard error says.
    ends: (i32, &'static str),
    /// Parts of the listing of `out` afterwards; `-` means that there is no such thing.
    after: &'static [(&'static str, &'static str)],
}

const EXPORTS: &[Export] = &[
    Export {
        name: "a link to a folder outside becomes a folder",
        layout: "l out/l ../secret",
        seeded: true,
        script: "rm l; mkdir l; echo x > l/key; echo y > l/new",
        to: "/workspace:out",
        ends: (0, ""),
        after: &[("l", "dir"), ("l/key", "file x\n"), ("l/new", "file y\n")],
    },
    Export {
        name: "a link to a file outside becomes a file",
        layout: "l out/l ../secret/key",
        seeded: true,
        script: "rm l; echo x > l",
        to: "/workspace:out",
        ends: (0, ""),
        after: &[("l", "file x\n")],
    },
    Export {
        name: "an absolute link",
        layout: "l out/l $ROOT/secret/key",
        seeded: true,
        script: "rm -f l; printf x > l",
        to: "/workspace:out",
        ends: (0, ""),
        after: &[("l", "file x")],
    },
    Export {
        name: "a link to what is not there yet",
        layout: "l out/l ../secret/made",
        seeded: true,
        script: "rm l; printf x > l",
        to: "/workspace:out",
        ends: (0, ""),
        after: &[("l", "file x")],
    },
    Export {
        name: "a chain of links",
        layout: "l out/a b\nl out/b c\nl out/c ../secret",
        seeded: true,
        script: "rm a; mkdir a; printf x > a/key",
        to: "/workspace:out",
        ends: (0, ""),
        after: &[("a", "dir"), ("a/key", "file x"), ("b", "link c"), ("c", "link ../secret")],
    },
    Export {
        name: "a link among the folders above",
        layout: "d out/a\nl out/a/b ../../secret",
        seeded: true,
        script: "rm a/b; mkdir -p a/b/folder; printf x > a/b/folder/inner",
        to: "/workspace:out",
        ends: (0, ""),
        after: &[("a/b", "dir"), ("a/b/folder/inner", "file x")],
    },
    Export {
        name: "a link that was never in the session",
        layout: "l out/l ../secret\nl out/f ../secret/key",
        seeded: false,
        script: "mkdir l; printf x > l/key; printf y > f",
        to: "/workspace:out",
        ends: (0, ""),
        after: &[("l/key", "file x"), ("f", "file y")],
    },
    Export {
        name: "a file is moved over a link",
        layout: "l out/l ../secret/key",
        seeded: true,
        script: "printf x > new; mv -f new l",
        to: "/workspace:out",
        ends: (0, ""),
        after: &[("l", "file x"), ("new", "-")],
    },
    Export {
        name: "a link inside the folder is not written through either",
        layout: "f out/real old\nl out/l real",
        seeded: false,
        script: "printf x > l",
        to: "/workspace:out",
        ends: (0, ""),
        after: &[("l", "file x"), ("real", "file old")],
    },
    Export {
        name: "a link that leads round in circles",
        layout: "l out/l .\nl out/m m",
        seeded: true,
        script: "rm l m; mkdir -p l/l/l m; printf x > l/l/l/l",
        to: "/workspace:out",
        ends: (0, ""),
        after: &[("l/l/l/l", "file x"), ("m", "dir")],
    },
    Export {
        name: "a magic link of /proc",
        layout: "l out/l /proc/self/cwd/secret",
        seeded: true,
        script: "rm l; mkdir l; printf x > l/key",
        to: "/workspace:out",
        ends: (0, ""),
        after: &[("l/key", "file x")],
    },
    Export {
        name: "links of the session are neither made nor followed",
        layout: "d out",
        seeded: false,
        script: "ln -s ../secret l; ln -s /etc m; printf x > f",
        to: "/workspace:out",
        ends: (0, ""),
        after: &[("l", "-"), ("m", "-"), ("f", "file x")],
    },
    Export {
        name: "a hard link to a file outside",
        layout: "h out/h secret/key",
        seeded: true,
        script: "printf x > h",
        to: "/workspace:out",
        ends: (0, ""),
        after: &[("h", "file x")],
    },
    Export {
        name: "a hard link that the session did not change",
        layout: "h out/d/h secret/key",
        seeded: true,
        script: "printf x >> d/h",
        to: "/workspace/d:out/d",
        ends: (0, ""),
        after: &[("d/h", "file TOP SECRETx")],
    },
    Export {
        name: "a FIFO in the way",
        layout: "p out/p",
        seeded: false,
        script: "printf x > p; printf y > q",
        to: "/workspace:out",
        ends: (1, "out/p: neither a file nor a folder"),
        after: &[("p", "fifo")],
    },
    Export {
        name: "a FIFO in the way of a folder",
        layout: "p out/p",
        seeded: false,
        script: "mkdir p; printf x > p/f",
        to: "/workspace:out",
        ends: (1, "out/p: neither a file nor a folder"),
        after: &[("p", "fifo")],
    },
    Export {
        name: "a socket in the way",
        layout: "s out/s",
        seeded: false,
        script: "printf x > s",
        to: "/workspace:out",
        ends: (1, "out/s: neither a file nor a folder"),
        after: &[("s", "socket")],
    },
    Export {
        name: "a FIFO as the target",
        layout: "p out/p",
        seeded: false,
        script: "printf x > f",
        to: "/workspace/f:out/p",
        ends: (1, "out/p: neither a file nor a folder"),
        after: &[("p", "fifo")],
    },
    Export {
        name: "a folder in the way of a file",
        layout: "f out/x/old old",
        seeded: false,
        script: "printf x > x",
        to: "/workspace:out",
        ends: (1, "out/x: "),
        after: &[("x", "dir"), ("x/x", "-"), ("x/old", "file old")],
    },
    Export {
        name: "a file in the way of a folder",
        layout: "f out/x old",
        seeded: false,
        script: "mkdir x; printf x > x/x",
        to: "/workspace:out",
        ends: (1, "out/x: "),
        after: &[("x", "file old")],
    },
    Export {
        name: "one file, whose target is a link to a file",
        layout: "l out/l ../secret/key",
        seeded: false,
        script: "printf x > f",
        to: "/workspace/f:out/l",
        ends: (1, "out/l: a symbolic link, which is not followed"),
        after: &[("l", "link ../secret/key")],
    },
    Export {
        name: "one file, whose target is a link to nothing",
        layout: "l out/l ../secret/made",
        seeded: false,
        script: "printf x > f",
        to: "/workspace/f:out/l",
        ends: (1, "out/l: a symbolic link, which is not followed"),
        after: &[("l", "link ../secret/made")],
    },
    Export {
        name: "one file into a folder with a link of its name",
        layout: "l out/key ../secret/key",
        seeded: false,
        script: "printf x > key",
        to: "/workspace/key:out",
        ends: (0, ""),
        after: &[("key", "file x")],
    },
    Export {
        name: "one file into a folder with a folder of its name",
        layout: "f out/key/old old",
        seeded: false,
        script: "printf x > key",
        to: "/workspace/key:out",
        ends: (1, "out/key: "),
        after: &[("key/key", "-"), ("key/old", "file old")],
    },
    Export {
        name: "one file to a new name, with folders above",
        layout: "d out",
        seeded: false,
        script: "printf x > f",
        to: "/workspace/f:out/a/b",
        ends: (0, ""),
        after: &[("a/b", "file x")],
    },
    Export {
        name: "a folder to a new name",
        layout: "d out",
        seeded: false,
        script: "mkdir -p d/e; printf x > d/e/f",
        to: "/workspace/d:out/a/b",
        ends: (0, ""),
        after: &[("a/b/e/f", "file x")],
    },
    Export {
        name: "a link of the session as what is to be exported",
        layout: "d out",
        seeded: false,
        script: "ln -s /etc l",
        to: "/workspace/l:out/l",
        ends: (1, "/workspace/l: neither a file nor a folder"),
        after: &[("l", "-")],
    },
    Export {
        name: "a folder that nobody could enter",
        layout: "d out",
        seeded: false,
        script: "mkdir d; printf x > d/f; chmod 500 d",
        to: "/workspace:out",
        ends: (0, ""),
        after: &[("d/f", "file x")],
    },
];

#[test]
fn exports_stay_in_their_folder() {
    let mut wrong = Vec::new();
    for row in EXPORTS {
        let world = World::new(&format!("{SECRET}{}", row.layout));
        let secret = world.list("secret");
        let mut words = vec!["sh"];
        words.extend(row.seeded.then_some(["--seed", "out"]).into_iter().flatten());
        words.extend(["--export", row.to, "-c", row.script]);
        let ran = world.hookbox(&words);
        let after = world.list("out");
        let mut check = |holds: bool, what: &str| {
            if !holds {
                wrong.push(format!("{}: {what}: {ran:?}; {after:?}", row.name));
            }
        };
        check(world.list("secret") == secret, "the secret changed");
        check(ran.status == row.ends.0, "status");
        check(ran.stderr.contains(row.ends.1) && (row.ends.0 != 0 || ran.stderr.is_empty()), "message");
        for (name, what) in row.after {
            check(after.get(*name).map_or("-", String::as_str) == *what, name);
        }
        check(!after.keys().any(|name| name.contains(".hookbox")), "a temporary file is left");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn exported_modes_never_give_rights_away() {
    let world = World::new("f out/old old\nm out/old 640");
    let script = "printf x > old; printf x > new; printf x > tool; mkdir -m 700 own; printf x > own/f; \
        chmod 4777 old; chmod 6755 tool; chmod 600 new; chmod 1777 own";
    let mut command = Command::new("sh");
    command.args(["-c", "umask 022; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_hookbox")]);
    command.args(["sh", "--export", "/workspace:out", "-c", script]);
    let ran = world.run(&mut command, "");
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    let modes = ["old", "new", "tool", "own"].map(|name| world.mode(&format!("out/{name}")));
    assert_eq!(modes, [0o640, 0o600, 0o755, 0o755]);
}

#[test]
fn names_of_exported_files_keep_their_bytes() {
    use std::os::unix::ffi::OsStrExt as _;
    let world = World::new("d out");
    let script = r"printf 1 > $'a\xff'; printf 2 > $'a\xfe'; printf 3 > $'line\nbreak'; printf 4 > -n";
    let ran = world.hookbox(&["sh", "--export", "/workspace:out", "-c", script]);
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    for (name, content) in [(b"a\xff".as_slice(), "1"), (b"a\xfe", "2"), (b"line\nbreak", "3"), (b"-n", "4")]
    {
        let path = world.path("out").join(std::ffi::OsStr::from_bytes(name));
        assert_eq!(std::fs::read_to_string(path).unwrap(), content);
    }
}

#[test]
fn a_deep_folder_needs_few_descriptors() {
    let world = World::new("d out");
    let script = "d=.; for i in {1..300}; do d=$d/d; mkdir $d $d-; echo x > $d/f; echo x > $d-/f; done";
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -n 40; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_hookbox")]);
    command.args(["sh", "--export", "/workspace:out", "-c", script]);
    let ran = world.run(&mut command, "");
    assert_eq!((ran.status, ran.stderr.as_str()), (0, ""));
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -n 40; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_hookbox")]);
    command.args(["sh", "--seed", "out", "-c", "find . -type f | wc -l"]);
    let ran = world.run(&mut command, "");
    assert_eq!((ran.status, ran.stdout.trim(), ran.stderr.as_str()), (0, "600", ""));
}

/// One seed: the folder `seed`, the script, its standard output, the exit status, what standard error says.
struct Seed {
    name: &'static str,
    layout: &'static str,
    options: &'static [&'static str],
    script: &'static str,
    stdout: &'static str,
    ends: (i32, &'static str),
}

const SEEDS: &[Seed] = &[
    Seed {
        name: "modes are kept",
        layout: "d seed/d\nd seed/e\nf seed/a 1\nf seed/b 1\nf seed/c 1\nf seed/e/f 1\nm seed/d 700\nm seed/a 640\n\
            m seed/b 755\nm seed/c 444\nm seed/e/f 600\nm seed/e 555",
        options: &[],
        script: "stat -c '%n %a' d e a b c e/f",
        stdout: "d 700\ne 555\na 640\nb 755\nc 444\ne/f 600\n",
        ends: (0, ""),
    },
    Seed {
        name: "modes of nested folders that can not be written",
        layout: "f seed/a/b/c/f x\nm seed/a/b/c 500\nm seed/a/b 500\nm seed/a 500",
        options: &[],
        script: "stat -c '%n %a' a a/b a/b/c; cat a/b/c/f; touch a/new 2>&1",
        stdout: "a 500\na/b 500\na/b/c 500\nxtouch: cannot touch 'a/new': Permission denied\n",
        ends: (1, ""),
    },
    Seed {
        name: "links stay links",
        layout: "l seed/up ../secret/key\nl seed/abs $ROOT/secret/key\nl seed/none nowhere\nl seed/in f\nf seed/f x\nl seed/dir ../secret",
        options: &[],
        script: "readlink up none in dir; test -L abs; echo $?; cat in; cat up abs dir/key 2>&1 | grep -c 'No such file'",
        stdout: "../secret/key\nnowhere\nf\n../secret\n0\nx3\n",
        ends: (0, ""),
    },
    Seed {
        name: "a link among the folders of the session is not written through",
        layout: "f seed/f x",
        options: &["--fixture", "fix"],
        script: "cat f",
        stdout: "x",
        ends: (0, ""),
    },
    Seed {
        name: "a FIFO is left out",
        layout: "p seed/p\nf seed/f x",
        options: &[],
        script: "ls",
        stdout: "f\n",
        ends: (0, "seed/p: neither a file nor a folder: not copied"),
    },
    Seed {
        name: "a socket is left out",
        layout: "s seed/d/s\nf seed/f x",
        options: &[],
        script: "ls -R",
        stdout: ".:\nd\nf\n\n./d:\n",
        ends: (0, "seed/d/s: neither a file nor a folder: not copied"),
    },
    Seed {
        name: "a file larger than the file system",
        layout: "b seed/huge 1000000000000\nf seed/f x",
        options: &[],
        script: "ls",
        stdout: "",
        ends: (1, "file_system_bytes"),
    },
    Seed {
        name: "a file larger than a given limit",
        layout: "b seed/huge 1001",
        options: &["--limit", "file_system_bytes=1000"],
        script: "ls",
        stdout: "",
        ends: (1, "file_system_bytes limit of 1000 reached"),
    },
    Seed {
        name: "files that are too large together",
        layout: "b seed/a 600\nb seed/b 600",
        options: &["--limit", "file_system_bytes=1000"],
        script: "ls",
        stdout: "",
        ends: (1, "file_system_bytes limit of 1000 reached"),
    },
    Seed {
        name: "more files than allowed",
        layout: "f seed/a x\nf seed/b x\nf seed/c x\nf seed/d x",
        options: &["--limit", "files=3"],
        script: "ls",
        stdout: "",
        ends: (1, "files limit of 3 reached"),
    },
    Seed {
        name: "what just fits",
        layout: "b seed/a 60000\nb seed/b 40000",
        options: &["--limit", "file_system_bytes=110000", "--limit", "files=2"],
        script: "cat a b | wc -c",
        stdout: "100000\n",
        ends: (0, ""),
    },
    Seed {
        name: "a seed that is a file",
        layout: "f seed x",
        options: &[],
        script: "ls",
        stdout: "",
        ends: (1, "seed: Not a directory"),
    },
    Seed {
        name: "a seed that is a FIFO",
        layout: "p seed",
        options: &[],
        script: "ls",
        stdout: "",
        ends: (1, "seed: Not a directory"),
    },
    Seed {
        name: "a seed that is not there",
        layout: "d other",
        options: &[],
        script: "ls",
        stdout: "",
        ends: (1, "seed: No such file or directory"),
    },
    Seed {
        name: "the given folder may be reached through a link",
        layout: "f real/f x\nl seed real",
        options: &[],
        script: "cat f",
        stdout: "x",
        ends: (0, ""),
    },
];

#[test]
fn seeds_stay_in_their_folder() {
    let mut wrong = Vec::new();
    for row in SEEDS {
        let world = World::new(&format!("{SECRET}d fix/tree\n{}", row.layout));
        let mut words = vec!["sh", "--seed", "seed"];
        words.extend(row.options);
        words.extend(["-c", row.script]);
        let ran = world.hookbox(&words);
        if (ran.stdout.as_str(), ran.status) != (row.stdout, row.ends.0)
            || !ran.stderr.contains(row.ends.1)
            || (row.ends.1.is_empty() && !ran.stderr.is_empty())
        {
            wrong.push(format!("{}: {ran:?}", row.name));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_seed_lies_anywhere_and_keeps_its_modes() {
    let world = World::new(
        "f seed/a 1\nf seed/d/f 3\nf seed/r/s 4\np seed/p\nm seed/a 640\nm seed/d/f 600\nm seed/d 700\nm seed/r 555\nm seed 750",
    );
    let script = "cd /home/dev/app; stat -c '%a %U %n' . a d d/f r; touch new && touch r/new 2>&1";
    let wanted = "750 agent .\n640 agent a\n700 agent d\n600 agent d/f\n555 agent r\ntouch: cannot touch 'r/new': Permission denied\n";
    let ran = world.hookbox(&["sh", "--seed", "seed:/home/dev/app", "-c", script]);
    assert_eq!(ran.stdout, wanted, "{ran:?}");
    assert!(ran.stderr.ends_with("seed/p: neither a file nor a folder: not copied\n"), "{ran:?}");
    // The folder that is there is the user's, and takes the seed's mode.
    let ran = world.hookbox(&["sh", "--seed", "seed", "-c", "stat -c '%a %U' . /"]);
    assert_eq!(ran.stdout, "750 agent\n755 root\n", "{ran:?}");
    let config = serde_json::json!({"hooks": [{"event": "turn_end", "executor": {"type": "bash", "command": format!("{{ {script}; }} >&2")}}]});
    world.make(&format!("f hooks.json {config}"));
    world.make("f event.json {\"event\": \"turn_end\"}");
    let words =
        ["fire", "--hooks", "hooks.json", "--event", "event.json", "--seed", "seed:/home/dev/app", "--json"];
    let ran = world.hookbox(&words);
    let outcome: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let wanted = wanted.replace("agent", "everruns");
    assert_eq!(outcome["records"][0]["run"]["stderr"], wanted, "{ran:?}");
    assert!(ran.stderr.starts_with("hookbox: seed/p: "), "{ran:?}");
}

#[test]
fn what_can_not_be_read_is_left_out_with_a_warning() {
    let world = World::new(
        "f seed/a 1\nf seed/f 2\nf seed/d/f 3\nf seed/x/f 4\nm seed/a 000\nm seed/d 000\nm seed/x 600",
    );
    let root =
        std::fs::metadata("/proc/self").is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
    let mut command = Command::new(env!("CARGO_BIN_EXE_hookbox"));
    if root {
        // Root reads everything, so that somebody else has to try.
        let copy = world.path("hookbox");
        std::fs::copy(env!("CARGO_BIN_EXE_hookbox"), &copy).unwrap();
        command = Command::new(copy);
        command.uid(65534).gid(65534);
        for name in ["seed/a", "seed/d", "seed/x"] {
            std::os::unix::fs::chown(world.path(name), Some(65534), Some(65534)).unwrap();
        }
    }
    let ran = world.run(command.args(["sh", "--seed", "seed", "-c", "find 2> /dev/null | sort; cat f"]), "");
    // So that the folders can be removed.
    for name in ["d", "x"] {
        world.make(&format!("m seed/{name} 755"));
    }
    assert_eq!((ran.status, ran.stdout.as_str()), (0, ".\n./d\n./f\n./x\n2"), "{ran:?}");
    for name in ["a", "d", "x"] {
        assert!(ran.stderr.contains(&format!("seed/{name}: Permission denied")), "{ran:?}");
    }
    assert_eq!(ran.stderr.lines().count(), 3, "{ran:?}");
}

/// Cases that print what they can see of the file `key`.
const CASES: &str = r#"id: T-1\ndialect: everruns\n\
hooks: { hooks: [ { id: g, event: turn_end, executor: { type: bash, command: "cat /workspace/key >&2; exit 1" } } ] }\n\
cases:\n  - name: n\n    FIXTURE\n    event: { event: turn_end }\n    expect: { decision: proceed, ran: [] }\n"#;

fn cases(fixture: &str) -> String {
    CASES.replace("\\\n", "").replace("FIXTURE", fixture)
}

/// What lies in `set`, the arguments, and what the command must say; no secret may be seen, nothing outside may change.
const FIXTURES: &[(&str, &str, &[&str], &str)] = &[
    (
        "the tree is a link",
        "l set/a/tree ../../secret",
        &["sh", "--fixture", "set/a", "-c", "cat key"],
        "set/a/tree: a symbolic link, which is not followed",
    ),
    (
        "the tree is an absolute link",
        "l set/a/tree $ROOT/secret\nf set/a/fixture.yaml",
        &["sh", "--fixture", "set/a", "-c", "cat key"],
        "set/a/tree: a symbolic link, which is not followed",
    ),
    (
        "the tree is a link inside the fixture",
        "f set/a/real/key x\nl set/a/tree real",
        &["sh", "--fixture", "set/a", "-c", "cat key"],
        "set/a/tree: a symbolic link, which is not followed",
    ),
    (
        "the tree is a file",
        "f set/a/tree x\nf set/a/fixture.yaml",
        &["sh", "--fixture", "set/a", "-c", "cat key"],
        "set/a/tree: Not a directory",
    ),
    (
        "the tree is a FIFO",
        "p set/a/tree\nf set/a/fixture.yaml",
        &["sh", "--fixture", "set/a", "-c", "cat key"],
        "set/a/tree: Not a directory",
    ),
    (
        "a FIFO in the tree",
        "p set/a/tree/p",
        &["sh", "--fixture", "set/a", "-c", ":"],
        "set/a/tree/p: neither a file nor a folder",
    ),
    (
        "a link in the tree stays one",
        "l set/a/tree/key ../../../secret/key",
        &["sh", "--fixture", "set/a", "-c", "cat key; readlink key >&2; false"],
        "../../../secret/key",
    ),
    (
        "fixture.yaml is a link",
        "d set/a/tree\nl set/a/fixture.yaml ../../secret/key",
        &["sh", "--fixture", "set/a", "-c", ":"],
        "set/a/fixture.yaml: a symbolic link, which is not followed",
    ),
    (
        "fixture.yaml is a FIFO",
        "d set/a/tree\np set/a/fixture.yaml",
        &["sh", "--fixture", "set/a", "-c", ":"],
        "set/a/fixture.yaml: neither a file nor a folder",
    ),
    (
        "fixture.yaml is a folder",
        "d set/a/tree\nd set/a/fixture.yaml",
        &["sh", "--fixture", "set/a", "-c", ":"],
        "set/a/fixture.yaml: ",
    ),
    (
        "fixture.yaml is endless",
        "d set/a/tree\nb set/a/fixture.yaml 1000000000000",
        &["sh", "--fixture", "set/a", "-c", ":"],
        "set/a/fixture.yaml: larger than",
    ),
    (
        "a file of the tree is endless",
        "b set/a/tree/f 1000000000000",
        &["sh", "--fixture", "set/a", "-c", ":"],
        "file_system_bytes",
    ),
    (
        "extends a link",
        "f set/a/fixture.yaml extends: b\nl set/b ../secret\nf secret/fixture.yaml TOP SECRET",
        &["sh", "--fixture", "set/a", "-c", ":"],
        "set/b: a symbolic link, which is not followed",
    ),
    (
        "extends a path",
        "f set/a/fixture.yaml extends: ../secret",
        &["sh", "--fixture", "set/a", "-c", ":"],
        "extends: must be the name of a fixture beside this one",
    ),
    (
        "a case names a path upwards",
        "d set/a/tree\nf set/a/cases/c.yaml CASES fixture: ../../secret",
        &["test", "set/a"],
        "must be the name of a fixture beside this one",
    ),
    (
        "a case names an absolute path",
        "d set/a/tree\nf set/a/cases/c.yaml CASES fixture: $ROOT/secret",
        &["test", "set/a"],
        "must be the name of a fixture beside this one",
    ),
    (
        "a case names the folder above",
        "d set/a/tree\nf set/a/cases/c.yaml CASES fixture: \"..\"",
        &["test", "set/a"],
        "must be the name of a fixture beside this one",
    ),
    (
        "a case names the folder of all",
        "d set/a/tree\nf set/a/cases/c.yaml CASES fixture: .",
        &["test", "set/a"],
        "must be the name of a fixture beside this one",
    ),
    (
        "a case names nothing",
        "d set/a/tree\nf set/a/cases/c.yaml CASES fixture: \"\"",
        &["test", "set/a"],
        "must be the name of a fixture beside this one",
    ),
    (
        "a case names a folder below",
        "d set/a/tree\nd set/b/c/tree\nf set/a/cases/c.yaml CASES fixture: b/c",
        &["test", "set/a"],
        "must be the name of a fixture beside this one",
    ),
    (
        "a case names a link",
        "d set/a/tree\nl set/b ../fix\nl fix/tree ../secret\nf set/a/cases/c.yaml CASES fixture: b",
        &["test", "set/a"],
        "set/b: a symbolic link, which is not followed",
    ),
    (
        "a case is updated with what is outside",
        "d set/a/tree\nd secret/tree\nf secret/tree/key TOP SECRET\nf set/a/cases/c.yaml CASES fixture: ../secret",
        &["test", "--update", "set/a"],
        "must be the name of a fixture beside this one",
    ),
    (
        "a case's tree is a link",
        "l set/a/tree ../../secret\nf set/a/cases/c.yaml CASES",
        &["test", "--update", "set/a"],
        "set/a/tree: a symbolic link, which is not followed",
    ),
    (
        "a case is a link",
        "d set/a/tree\nl set/a/cases/c.yaml ../../../secret/key",
        &["test", "set/a"],
        "set/a/cases/c.yaml: a symbolic link, which is not followed",
    ),
    (
        "a case is a link and named",
        "d set/a/tree\nl set/a/cases/c.yaml ../../../secret/key",
        &["test", "set/a/cases/c.yaml"],
        "set/a/cases/c.yaml: a symbolic link, which is not followed",
    ),
    (
        "a case that is a link is updated",
        "d set/a/tree\nf secret/c.yaml CASES\nl set/a/cases/c.yaml ../../../secret/c.yaml",
        &["test", "--update", "set/a"],
        "set/a/cases/c.yaml: a symbolic link, which is not followed",
    ),
    (
        "a case that is a link is updated by name",
        "d set/a/tree\nf secret/c.yaml CASES\nl set/a/cases/c.yaml ../../../secret/c.yaml",
        &["test", "--update", "set/a/cases/c.yaml"],
        "set/a/cases/c.yaml: a symbolic link, which is not followed",
    ),
    (
        "the folder of cases is a link",
        "d set/a/tree\nf secret/c.yaml CASES\nl set/a/cases ../../secret",
        &["test", "--update", "set/a"],
        "set/a/cases: a symbolic link, which is not followed",
    ),
    (
        "a fixture of the set is a link",
        "d secret/tree\nf secret/cases/c.yaml CASES\nl set/a ../secret",
        &["test", "--update", "set"],
        "set/a: a symbolic link, which is not followed",
    ),
    (
        "a case is a FIFO",
        "d set/a/tree\np set/a/cases/c.yaml",
        &["test", "set/a"],
        "set/a/cases/c.yaml: neither a file nor a folder",
    ),
    (
        "a named case is a FIFO",
        "d set/a/tree\np set/a/cases/c.yaml",
        &["test", "set/a/cases/c.yaml"],
        "set/a/cases/c.yaml: neither a file nor a folder",
    ),
    (
        "a case is endless",
        "d set/a/tree\nb set/a/cases/c.yaml 1000000000000",
        &["test", "set/a"],
        "set/a/cases/c.yaml: larger than",
    ),
];

#[test]
fn fixtures_and_cases_stay_in_their_folder() {
    let mut wrong = Vec::new();
    for (name, layout, words, message) in FIXTURES {
        let world = World::new(SECRET);
        for line in layout.lines() {
            let (line, fixture) = line.split_once(" CASES").map_or((line, None), |(line, f)| (line, Some(f)));
            let root = world.path("").display().to_string();
            let text = fixture.map(|fixture| cases(&fixture.trim().replace("$ROOT/", &root)));
            world.make(format!("{line} {}", text.unwrap_or_default()).trim_end_matches(' '));
        }
        let (secret, set) = (world.list("secret"), world.list("set"));
        let ran = world.hookbox(words);
        let mut check = |holds: bool, what: &str| {
            if !holds {
                wrong.push(format!("{name}: {what}: {ran:?}"));
            }
        };
        check(ran.status == 1, "status");
        check(format!("{}{}", ran.stdout, ran.stderr).contains(message), message);
        check(!format!("{ran:?}").contains("TOP SECRET"), "the secret is shown");
        check(world.list("secret") == secret, "the secret changed");
        check(world.list("set") == set, "the fixtures changed");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_update_replaces_the_case_and_nothing_else() {
    let world = World::new("d set/a/tree\nd secret");
    world.make(&format!("f secret/c.yaml {}", cases("")));
    world.make("h set/a/cases/c.yaml secret/c.yaml");
    world.make("m set/a/cases/c.yaml 664");
    let secret = world.list("secret");
    let ran = world.hookbox(&["test", "--update", "set"]);
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.stdout.contains("\nupdated set/a/cases/c.yaml\n1 passed"), "{ran:?}");
    assert_eq!(world.list("secret"), secret);
    assert!(world.list("set")["a/cases/c.yaml"].contains("user:g"));
    assert_eq!((world.mode("set/a/cases/c.yaml"), world.list("set").len()), (0o664, 4));
}

#[test]
fn fire_stays_in_its_folders_too() {
    let world = World::new(SECRET);
    world.make("f hooks.json {\"hooks\": [{\"id\": \"g\", \"event\": \"turn_end\", \"executor\": {\"type\": \"bash\", \"command\": \"cat /workspace/key >&2; ls -l /workspace >&2\"}}]}");
    world.make("f event.json {\"event\": \"turn_end\"}");
    for (layout, options, message) in [
        ("l seed/key ../secret/key", ["--seed", "seed"], "key -> ../secret/key"),
        ("p seed2/p", ["--seed", "seed2"], "seed2/p: neither a file nor a folder: not copied"),
        ("b seed3/b 1000000000000", ["--seed", "seed3"], "file_system_bytes"),
        ("l fix/tree ../secret", ["--fixture", "fix"], "fix/tree: a symbolic link, which is not followed"),
    ] {
        world.make(layout);
        let words = ["fire", "--hooks", "hooks.json", "--event", "event.json", "--explain"];
        let ran = world.hookbox(&[words.as_slice(), &options].concat());
        let all = format!("{}{}", ran.stdout, ran.stderr);
        assert!(all.contains(message) && !all.contains("TOP SECRET"), "{layout}: {ran:?}");
    }
}

#[test]
fn files_that_are_named_are_read_up_to_a_bound() {
    let world = World::new("b huge 1000000000000\nf hooks.json {\"hooks\": []}\nf event {}");
    for words in [
        ["sh", "huge", "x", "y", "z"].as_slice(),
        &["sh", "/dev/zero"],
        &["check", "huge"],
        &["check", "/dev/zero"],
        &["convert", "huge", "--to", "infer"],
        &["convert", "/dev/zero", "--to", "infer"],
        &["fire", "--hooks", "huge", "--event", "event"],
        &["fire", "--hooks", "/dev/zero", "--event", "event"],
        &["fire", "--hooks", "hooks.json", "--event", "huge"],
        &["fire", "--hooks", "hooks.json", "--event", "/dev/zero"],
        &["sh", "--fixture", "/dev", "-c", ":"],
    ] {
        let mut command = Command::new("sh");
        command.args(["-c", "ulimit -v 4194304; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_hookbox")]);
        let ran = world.run(command.args(words), "");
        assert!([1, 2, 125].contains(&ran.status) && !ran.stderr.is_empty(), "{words:?}: {ran:?}");
    }
    // A pipe that the user names is read as any file.
    let mut command = Command::new("bash");
    let ran = world.run(command.args(["-c", "\"$0\" sh <(echo echo hi)", env!("CARGO_BIN_EXE_hookbox")]), "");
    assert_eq!((ran.status, ran.stdout.as_str()), (0, "hi\n"), "{ran:?}");
}

/// While the command works, somebody puts links in the place of its folders and files.
#[test]
fn a_race_leads_nowhere() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let world = World::new(&format!("{SECRET}d out/a/b\nf out/f x\nd other"));
    let secret = world.list("secret");
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let [a, aside, f] = ["out/a", "other/a", "out/f"].map(|name| world.path(name));
            let (link, new) = (world.path("other/link"), world.path("other/new"));
            // Each step fails now and then: the command puts things there too.
            while !ended.load(Ordering::Relaxed) {
                let _ = std::fs::remove_dir_all(&aside);
                let _ = std::fs::rename(&a, &aside);
                let _ = std::os::unix::fs::symlink("../secret", &a);
                let _ = std::os::unix::fs::symlink("../secret/key", &link);
                let _ = std::fs::rename(&link, &f);
                std::thread::yield_now();
                let _ = std::fs::remove_file(&a);
                let _ = std::fs::rename(&aside, &a);
                let _ = std::fs::write(&new, "x");
                let _ = std::fs::rename(&new, &f);
            }
        });
        let script = "cat f; mkdir -p a/folder; for i in {1..40}; do echo mine > a/folder/$i; echo mine > a/$i; done; \
            echo mine > a/key; echo mine > a/folder/inner; rm -f f; echo mine > f";
        for _ in 0..40 {
            let ran = world.hookbox(&["sh", "--seed", "out", "--export", "/workspace:out", "-c", script]);
            assert!(!format!("{ran:?}").contains("TOP SECRET"), "{ran:?}");
            assert_ne!(ran.status, -2, "{ran:?}");
        }
        ended.store(true, Ordering::Relaxed);
    });
    assert_eq!(world.list("secret"), secret);
}

/// Files of the host are opened in one place, whose functions know what they were given.
#[test]
fn one_place_opens_files_of_the_host() {
    let mut folders = vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))];
    let mut wrong = Vec::new();
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for item in std::fs::read_dir(folder).unwrap() {
            let path = item.unwrap().path();
            let is = |name: &str| path.ends_with(name);
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let is_test = path.components().any(|part| part.as_os_str() == "tests");
            if is_test || is("tests.rs") || is("testing.rs") || path.extension().is_none_or(|end| end != "rs")
            {
                continue;
            }
            seen += 1;
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
            for (number, line) in code.lines().enumerate() {
                let opens = ["std::fs", "cap_std", "cap_fs_ext", "ambient_authority", "OsStrExt"];
                let code = line.split("//").next().unwrap();
                if opens.iter().any(|word| code.contains(word)) && !is("vfs/fixture/host.rs") {
                    wrong.push(format!("{}:{}: {line}", path.display(), number + 1));
                }
            }
        }
    }
    assert!(seen > 100 && wrong.is_empty(), "{}", wrong.join("\n"));
}
