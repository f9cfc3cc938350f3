//! Random inputs and sets of options: the programs that work on bytes and lines agree with the real ones. `BYTES_RANDOM=500 cargo
//! test --test bytes_random` makes more of them for each program, `BYTES_TOOL=od` of one. What the host lacks is skipped.

#![allow(clippy::unwrap_used, reason = "a test")]

use hookbox::sandbox::{Sandbox, Script};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// A program: what is run before it, options of which some are given, and operands of which one set is.
struct Tool {
    name: &'static str,
    before: &'static str,
    options: &'static [&'static str],
    operands: &'static [&'static str],
    /// Its input are bytes of all kinds, and not lines of words.
    takes_bytes: bool,
}

const SHOW_FILES: &str = "; echo $?; for x in xx* p*; do [ -f \"$x\" ] && { echo \"$x\"; cat \"$x\"; }; done";

const TOOLS: &[Tool] = &[
    Tool {
        name: "od",
        before: "",
        options: &[
            "-Ad",
            "-Ao",
            "-Ax",
            "-An",
            "-j0",
            "-j1",
            "-j3",
            "-j0x4",
            "-j010",
            "-N0",
            "-N5",
            "-N0x10",
            "-N33",
            "-v",
            "-w",
            "-w1",
            "-w4",
            "-w8",
            "-w24",
            "-w3",
            "-ta",
            "-tc",
            "-td1",
            "-tuS",
            "-tx4z",
            "-toL",
            "-tfF",
            "-tf8z",
            "-tx2c",
            "-tx1za",
            "-a",
            "-b",
            "-c",
            "-d",
            "-f",
            "-i",
            "-l",
            "-o",
            "-s",
            "-x",
            "-D",
            "-F",
            "-X",
            "-O",
            "--endian=big",
            "--endian=little",
            "-S1",
            "-S3",
        ],
        operands: &[
            "f",
            "f g",
            "<f",
            "f +3",
            "--traditional f 3",
            "--traditional f 3 20",
            "- f <g",
            "f nope",
        ],
        takes_bytes: true,
    },
    Tool {
        name: "hexdump",
        before: "",
        options: &[
            "-b",
            "-c",
            "-C",
            "-d",
            "-o",
            "-x",
            "-v",
            "-n 0",
            "-n 5",
            "-n 0x10",
            "-n 33",
            "-s 1",
            "-s 16",
            "-s 100",
            "-e '\"%08_ax \" 4/4 \"%08x \" \"\\n\"'",
            "-e '16/1 \"%_p\" \"\\n\"'",
            "-e '2/2 \"%-6d|\" 3/1 \" %_c\" \"\\n\"'",
            "-e '1/4 \"%+d \" \"%_Ad\\n\"'",
            "-e '\"%u\"'",
            "-e '4/1 \"%_u,\"'",
            "-e '1/8 \"%e \"'",
            "-e '1/4 \"%g\\n\"'",
            "-e '\"%.3s|\"'",
            "-e '3/3 \"%s|\" \"\\n\"'",
            "-e '/2 \"%#o \"'",
            "-e '2/1 \"%.4x|%_ax \"'",
        ],
        operands: &["f", "f g", "<f", "f nope g", "nope"],
        takes_bytes: true,
    },
    Tool {
        name: "cmp",
        before: "",
        options: &["-b", "-l", "-s", "-bl", "-i 1", "-i 1:2", "-i 0:3", "-n 1", "-n 5", "-n 100"],
        operands: &["f g", "f h", "f h", "f g 1", "f h 1 2", "f <g", "f f", "- g <f", "f nope"],
        takes_bytes: true,
    },
    Tool {
        name: "pr",
        before: "",
        options: &[
            "-1", "-2", "-3", "-a", "-d", "-c", "-v", "-m", "-J", "-t", "-T", "-t", "-f", "-e", "-e4",
            "-ex3", "-i", "-i4", "-h head", "-l10", "-l11", "-l12", "-l15", "-l20", "-n", "-n3", "-n:",
            "-n.4", "-N5", "-N-3", "-o2", "-o9", "-s", "-sx", "-s:", "-S", "-Sx", "-S' | '", "-S'ab '",
            "-w20", "-w40", "-W20", "-W30", "+1", "+2", "+1:2",
        ],
        operands: &["-D x f", "-D x f g", "-D x f g h", "-D x -h h <f", "-D x -h h - g <f", "-D x nope f"],
        takes_bytes: false,
    },
    Tool {
        name: "csplit",
        before: "",
        options: &[
            "-k",
            "-s",
            "-z",
            "--suppress-matched",
            "-n1",
            "-n3",
            "-fp",
            "-b%03x.t",
            "-b'%-3d|'",
            "-k",
        ],
        operands: &[
            "f 3",
            "f 30",
            "f 2 5",
            "f 2 '{1}'",
            "f 2 '{*}'",
            "f /a/",
            "f '/a/+1'",
            "f '/b/-1'",
            "f %a%",
            "f '/a/' '{*}'",
            "f '/^$/' '{1}'",
            "f '%b%+1' 9",
            "f '/a/' '/b/'",
            "f 2 '/a/-1' '{*}'",
            "f '/[ab]/+2' '{*}'",
        ],
        takes_bytes: false,
    },
    Tool {
        name: "nl",
        before: "",
        options: &[
            "-ba", "-bt", "-bn", "-bpa", "-b'p^$'", "-ha", "-hpb", "-fa", "-ft", "-d:", "-dxy", "-d ''",
            "-i2", "-i-3", "-i0", "-l2", "-l3", "-nln", "-nrn", "-nrz", "-p", "-s:", "-s ''", "-v0", "-v-5",
            "-v999999", "-w1", "-w10",
        ],
        operands: &["f", "s", "s", "f g", "<f", "s f"],
        takes_bytes: false,
    },
    Tool {
        name: "comm",
        before: "sort f >a; sort g >b",
        options: &[
            "-1",
            "-2",
            "-3",
            "-12",
            "--total",
            "-z",
            "--check-order",
            "--nocheck-order",
            "--output-delimiter=",
            "--output-delimiter=::",
        ],
        operands: &["a b", "a b", "f g", "- b <a"],
        takes_bytes: false,
    },
    Tool {
        name: "cut",
        before: "",
        options: &["-s", "-d,", "-d' '", "-d:", "--complement", "--output-delimiter=ab", "-z"],
        operands: &["-f1 f", "-f2- f", "-f1,3 f g", "-f-2 <f", "-f2-3,5 f", "-f'1 4-' f"],
        takes_bytes: false,
    },
    Tool {
        name: "cut",
        before: "",
        options: &["-n", "--complement", "--output-delimiter=x", "-z"],
        operands: &["-b1 f", "-b2- f", "-c1,3 f g", "-c-2 <f", "-b2-3,5 f", "-c'1 4-' f"],
        takes_bytes: false,
    },
    Tool {
        name: "paste",
        before: "",
        options: &["-s", "-z", "-d,", "-d'\\0'", "-dab", "-d'\\n'", "-d'\\t,'", "-d'\\\\'"],
        operands: &["f", "f g", "- - <f", "f - <g", "- - - <f", "f g h"],
        takes_bytes: false,
    },
    Tool {
        name: "join",
        before: "LC_ALL=C sort f >a; LC_ALL=C sort g >b",
        options: &[
            "-a1",
            "-a2",
            "-e E",
            "-i",
            "-j1",
            "-j2",
            "-o 0,1.1,2.1",
            "-o auto",
            "-o 1.2,2.2",
            "-t:",
            "-t,",
            "-t' '",
            "-v1",
            "-v2",
            "-1 2",
            "-2 3",
            "--check-order",
            "--nocheck-order",
            "--header",
            "-z",
        ],
        operands: &["a b", "a b", "f g", "- b <a"],
        takes_bytes: false,
    },
    Tool {
        name: "fold",
        before: "",
        options: &["-b", "-s", "-w1", "-w2", "-w5", "-w10", "-w40", "-20"],
        operands: &["f", "f g", "<f"],
        takes_bytes: false,
    },
    Tool {
        name: "fmt",
        before: "",
        options: &["-c", "-s", "-t", "-u", "-w10", "-w20", "-w40", "-w1", "-pa", "-p'> '", "-g10", "-g20"],
        operands: &["f", "f g", "<f"],
        takes_bytes: false,
    },
    Tool {
        name: "expand",
        before: "",
        options: &["-i", "-t1", "-t4", "-t2,5,9", "-t3,+4", "-t1,/3", "-t'4 8'", "-3", "-2,6"],
        operands: &["f", "f g", "<f"],
        takes_bytes: false,
    },
    Tool {
        name: "unexpand",
        before: "",
        options: &["-a", "--first-only", "-t1", "-t4", "-t2,5,9", "-t3,+4", "-t1,/3", "-3", "-2,6"],
        operands: &["f", "f g", "<f"],
        takes_bytes: false,
    },
    Tool {
        name: "tr",
        before: "",
        options: &["-s", "-c", "-t"],
        operands: &[
            "a-z A-Z <f",
            "'[:lower:]' '[:upper:]' <f",
            "abc x <f",
            "'\\n' ' ' <f",
            "'[:space:]' '[_*]' <f",
            "a-c '[x*2]y' <f",
            "-d abc <f",
            "-ds a-z ' ' <f",
            "-d '[:punct:]' <f",
            "'\\141-\\143' '\\\\' <f",
            "'[:alnum:]' - <f",
        ],
        takes_bytes: false,
    },
    Tool {
        name: "uniq",
        before: "sort f >a",
        options: &[
            "-c",
            "-d",
            "-D",
            "-u",
            "-i",
            "-z",
            "-f1",
            "-s1",
            "-w1",
            "-w4",
            "--all-repeated=separate",
            "--group",
            "--group=both",
        ],
        operands: &["a", "f", "<a", "- <f"],
        takes_bytes: false,
    },
    Tool {
        name: "head",
        before: "",
        options: &["-n0", "-n3", "-n-1", "-n-3", "-c0", "-c10", "-c-10", "-q", "-v", "-z"],
        operands: &["f", "f g", "<f", "f nope g"],
        takes_bytes: false,
    },
    Tool {
        name: "tail",
        before: "",
        options: &["-n0", "-n3", "-n+1", "-n+3", "-c0", "-c10", "-c+10", "-q", "-v", "-z"],
        operands: &["f", "f g", "<f", "f nope g"],
        takes_bytes: false,
    },
];

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

/// Bytes of all kinds, many of them alike.
fn bytes(numbers: &mut Numbers) -> Vec<u8> {
    let lengths = [0, 1, 3, 7, 15, 16, 17, 31, 32, 33, 48, 100, 200];
    let length = lengths[numbers.below(lengths.len() as u64) as usize];
    let kind = numbers.below(4);
    let make = |at: u64, numbers: &mut Numbers| match kind {
        0 => [0, 0, 0, b'A'][numbers.below(4) as usize],
        1 => b"abc\n\0 "[numbers.below(6) as usize],
        2 => (at % 16) as u8,
        _ => numbers.below(256) as u8,
    };
    (0..length).map(|at| make(at, numbers)).collect()
}

/// Lines of words.
fn lines(numbers: &mut Numbers) -> Vec<u8> {
    let words = [
        "a",
        "b",
        "ab",
        "x y",
        "  z",
        "\t",
        "a\tb",
        "foo:bar",
        "1",
        "2",
        "10",
        "-5",
        "A",
        "",
        "word word word",
        "é",
        "日本",
        "\u{1}",
        "a\u{8}b",
        "\u{c}",
        ":",
        " lead",
        "trail ",
        "\\",
        ".",
        "\r",
        "a,b,c",
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    ];
    let counts = [0, 1, 2, 3, 5, 8, 20, 70];
    let count = counts[numbers.below(counts.len() as u64) as usize];
    let mut text = String::new();
    for line in 0..count {
        if line > 0 {
            text.push('\n');
        }
        for word in 0..=numbers.below(4) {
            if word > 0 {
                text.push_str(numbers.pick(&[" ", "\t", ":", ",", "  "]));
            }
            text.push_str(numbers.pick(&words));
        }
    }
    if count > 0 && numbers.below(6) > 0 {
        text.push('\n');
    }
    text.into_bytes()
}

/// A command that writes a file.
fn write_file(script: &mut String, name: &str, bytes: &[u8]) {
    if bytes.is_empty() {
        let _ = writeln!(script, ": >{name}");
        return;
    }
    script.push_str("printf '");
    for byte in bytes {
        let _ = write!(script, "\\x{byte:02x}");
    }
    let _ = writeln!(script, "' >{name}");
}

fn script(tool: &Tool, numbers: &mut Numbers) -> String {
    let mut script = String::new();
    let make = if tool.takes_bytes && numbers.below(5) > 0 { bytes } else { lines };
    let first = make(numbers);
    let mut changed = first.clone();
    if !changed.is_empty() {
        let at = numbers.below(changed.len() as u64) as usize;
        changed[at] = numbers.below(256) as u8;
    }
    write_file(&mut script, "f", &first);
    write_file(&mut script, "g", &make(numbers));
    write_file(&mut script, "h", &changed);
    script.push_str("printf '\\\\:\\\\:\\\\:\\nhead\\n\\\\:\\\\:\\nbody\\n\\n\\nx\\n\\\\:\\nfoot\\n' >s\n");
    let _ = writeln!(script, "{}", tool.before);
    script.push_str(tool.name);
    for _ in 0..numbers.below(5) {
        let _ = write!(script, " {}", numbers.pick(tool.options));
    }
    let after = if tool.name == "csplit" { SHOW_FILES } else { "; echo $?" };
    let _ = writeln!(script, " {}{after}", numbers.pick(tool.operands));
    script
}

/// What the host's bash prints, in a folder of its own.
fn host(script: &str, folder: &Path) -> (Vec<u8>, Vec<u8>) {
    let _ = std::fs::remove_dir_all(folder);
    std::fs::create_dir_all(folder).unwrap();
    let output = Command::new("bash")
        .args(["-c", script])
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .envs([("LC_ALL", "C.UTF-8"), ("TZ", "UTC"), ("HOME", "/nonexistent")])
        .stdin(std::process::Stdio::null())
        .output()
        .unwrap();
    (output.stdout, output.stderr)
}

fn ours(script: &str) -> (Vec<u8>, Vec<u8>) {
    let sandbox = Sandbox::builder().env("LC_ALL", "C.UTF-8").env("TZ", "UTC").build().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let output = runtime.block_on(sandbox.start(Script::command(script)));
    (output.stdout, output.stderr)
}

#[test]
fn programs_on_bytes_agree_with_the_real_ones() {
    let count: u64 = std::env::var("BYTES_RANDOM").ok().and_then(|text| text.parse().ok()).unwrap_or(12);
    let only = std::env::var("BYTES_TOOL").unwrap_or_default();
    let has =
        |name: &str| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
    if !has("bash") {
        return;
    }
    let folder = std::env::temp_dir().join(format!("hookbox-bytes-{}", std::process::id()));
    let mut failed = 0;
    for (index, tool) in TOOLS.iter().enumerate() {
        if !tool.name.contains(&only) || !has(tool.name) {
            continue;
        }
        for number in 0..count {
            let script = script(tool, &mut Numbers(number << 8 | index as u64));
            let (want, got) = (host(&script, &folder), ours(&script));
            if want != got {
                failed += 1;
                let show = |(stdout, stderr): &(Vec<u8>, Vec<u8>)| {
                    format!("{}\n--- stderr\n{}", stdout.escape_ascii(), stderr.escape_ascii())
                        .replace("\\n", "\n")
                };
                eprintln!(
                    "{} {number}:\n{script}--- host\n{}\n--- ours\n{}",
                    tool.name,
                    show(&want),
                    show(&got)
                );
            }
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    assert_eq!(failed, 0, "programs differ");
}
