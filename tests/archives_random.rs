//! Random trees and bytes: `tar` makes the same archive as the real one of the same tree, each extracts what the other made (so do
//! `bzip2`, `xz`, `lzma`, `zstd` and `zip`), and `gzip`, `base32`, `basenc`, `xxd`, `iconv` and the digests agree with the real programs. `ARCHIVES_RANDOM=200 cargo test --test
//! archives_random` makes more of them. What the host lacks is skipped.

#![allow(clippy::unwrap_used, reason = "a test")]

use hookbox::sandbox::{Sandbox, Script};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};

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

/// A script that makes a tree: everything in it is a function of the number.
fn tree(numbers: &mut Numbers) -> String {
    let long = "n".repeat(60);
    let names = ["a", "b.txt", "d/x", "d/y.rs", "d/e/z.c", "sp ace", "ümlaut", "d/e/f/g"];
    let mut script = String::from("mkdir -p t/d/e/f; cd t; umask 022\n{\n");
    for _ in 0..3 + numbers.below(8) {
        let mut name = numbers.pick(&names).to_owned();
        if numbers.below(4) == 0 {
            name = format!("{name}{long}");
        }
        if numbers.below(8) == 0 {
            let _ = writeln!(script, "mkdir -p '{name}{long}'");
            name = format!("{name}{long}/{long}");
        }
        // A FIFO that nobody reads would keep the script.
        let _ = writeln!(script, "test -p '{name}' && rm '{name}'");
        let (count, step) = (numbers.below(3000), 1 + numbers.below(9));
        match numbers.below(8) {
            0 => drop(writeln!(script, "ln -sfn '{}' '{name}'", numbers.pick(&names))),
            1 => drop(writeln!(script, "ln -f b.txt '{name}'")),
            2 => drop(writeln!(script, "mkfifo '{name}'")),
            3 => drop(writeln!(script, ": >'{name}'")),
            _ => drop(writeln!(script, "seq 1 {step} {count} >'{name}'")),
        }
        let mode = numbers.pick(&["644", "600", "755"]);
        let _ = writeln!(script, "test -f '{name}' && chmod {mode} '{name}'");
    }
    script.push_str("} 2>/dev/null\nfind . -exec touch -h -d '2024-01-02 03:04:05' {} +; cd ..\n");
    script
}

/// What the host's bash prints, in a folder of its own.
fn host(script: &str, folder: &Path) -> String {
    let output = Command::new("bash")
        .args(["-c", script])
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .envs([("LC_ALL", "C.UTF-8"), ("TZ", "UTC"), ("HOME", "/nonexistent")])
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn ours(script: &str) -> String {
    let sandbox = Sandbox::builder().env("LC_ALL", "C.UTF-8").env("TZ", "UTC").build().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let output = runtime.block_on(sandbox.start(Script::command(script)));
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn has(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success())
}

fn count() -> u64 {
    std::env::var("ARCHIVES_RANDOM").ok().and_then(|text| text.parse().ok()).unwrap_or(8)
}

/// Runs the script on both sides and compares what they print.
fn compare(name: &str, number: u64, script: &str) -> bool {
    let folder = std::env::temp_dir().join(format!("hookbox-{name}-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let want = host(script, &folder);
    let _ = Command::new("rm").arg("-rf").arg(&folder).status();
    let got = ours(script);
    if want != got {
        eprintln!("{name} {number}:\n{script}\n--- host\n{want}\n--- ours\n{got}");
    }
    want == got
}

#[test]
fn archives_of_random_trees_are_the_same() {
    if !has("tar") || !has("bash") {
        return;
    }
    let mut failed = 0;
    for number in 0..count() {
        let mut numbers = Numbers(number);
        let mut script = tree(&mut numbers);
        script.push_str("S='--sort=name --owner=root:0 --group=root:0'\n");
        for format in ["gnu", "ustar", "oldgnu", "pax --pax-option=delete=atime,delete=ctime"] {
            let _ = writeln!(script, "tar cf x.tar $S --format={format} t; md5sum <x.tar; tar tvf x.tar");
        }
        script.push_str(
            "tar czf x.tgz $S t; mkdir o; tar xf x.tgz -C o; tar cf y.tar $S -C o t; md5sum <y.tar\n",
        );
        script.push_str("tar tvf x.tgz --exclude='*e*'; tar xOf x.tgz --wildcards '*d*' | md5sum\n");
        failed += u64::from(!compare("tar", number, &script));
    }
    assert_eq!(failed, 0, "archives differ");
}

#[test]
fn random_bytes_are_dumped_and_encoded_alike() {
    if !has("bash") || !has("b2sum") {
        return;
    }
    let mut failed = 0;
    for number in 0..count() {
        let mut numbers = Numbers(number ^ 0xabcd);
        let mut bytes = String::new();
        for _ in 0..4 * numbers.below(200) {
            let byte = if numbers.below(6) == 0 { 0 } else { numbers.below(256) };
            let _ = write!(bytes, "\\x{byte:02x}");
        }
        let mut script = format!("printf '{bytes}' >f\n");
        for command in [
            "base32 f",
            "basenc --base64url f",
            "basenc --base32hex -w 7 f",
            "basenc --base16 f",
            "basenc --base2lsbf f",
            "basenc --z85 f",
            "sum f; sum -s f",
            "b2sum -l 200 f",
            "sha224sum f; sha384sum f",
            "cksum -a sm3 f; cksum -a blake2b f",
            "gzip -c f | gzip -dc | md5sum",
        ] {
            let _ = writeln!(script, "{command}");
        }
        if has("iconv") {
            for from in ["latin1", "cp1252", "koi8-r", "utf-16le"] {
                let _ = writeln!(script, "iconv -c -f {from} -t utf-8 f | md5sum");
            }
        }
        if Command::new("xxd").arg("-v").output().is_ok() {
            let (columns, group) = (1 + numbers.below(40), numbers.below(9));
            let _ =
                writeln!(script, "xxd -a -c {columns} -g {group} f; xxd -b f; xxd -e f; xxd -i <f; xxd -p f");
            let _ = writeln!(script, "xxd -c {columns} f | xxd -r -c {columns} | cmp - f");
        }
        if has("strings") {
            script.push_str("strings -n 2 -t x f; strings -e S -n 3 f; strings -e l -n 1 f\n");
        }
        failed += u64::from(!compare("bytes", number, &script));
    }
    assert_eq!(failed, 0, "outputs differ");
}

/// Writes down bytes that repeat in some ways: runs, text, what stood before, and noise.
fn bytes(numbers: &mut Numbers) -> Vec<u8> {
    let mut bytes: Vec<u8> = Vec::new();
    for _ in 0..numbers.below(60) {
        let most = 1 << numbers.below(14);
        let count = 1 + numbers.below(most) as usize;
        match numbers.below(4) {
            0 => bytes.extend(std::iter::repeat_n(numbers.below(256) as u8, count)),
            1 => bytes.extend((0..count as u64).flat_map(|number| number.to_string().into_bytes())),
            2 if !bytes.is_empty() => {
                let from = numbers.below(bytes.len() as u64) as usize;
                let to = bytes.len().min(from + count);
                bytes.extend_from_within(from..to);
            }
            _ => bytes.extend((0..count).map(|_| numbers.below(256) as u8)),
        }
    }
    bytes
}

/// Packs with one side and unpacks with the other, both ways.
#[test]
fn each_side_unpacks_what_the_other_packed() {
    let programs = [
        ("bzip2", &["-1", "-9"][..], "bzip2 -dc"),
        ("xz", &["-0", "-6", "--check=sha256", "--block-size=20000"], "xz -dc"),
        ("lzma", &["-0", "-6"], "lzma -dc"),
        ("zstd", &["-1", "-3", "-19"], "zstd -dc"),
        ("gzip", &["-1", "-9"], "gzip -dc"),
    ];
    let mut failed = 0;
    for number in 0..count() {
        let mut numbers = Numbers(number ^ 0x5eed);
        let plain = bytes(&mut numbers);
        for (program, levels, unpack) in programs.iter().filter(|(program, ..)| has(program)) {
            for level in *levels {
                let pack = format!("{program} {level} -c");
                let ours = filter_ours(&pack, &plain);
                let theirs = filter_host(&pack, &plain);
                for (which, result) in [
                    ("ours by the host", filter_host(unpack, &ours)),
                    ("theirs by us", filter_ours(unpack, &theirs)),
                    ("ours by us", filter_ours(unpack, &ours)),
                ] {
                    if result != plain {
                        eprintln!("{pack} of {number}, {which}: {} bytes of {}", result.len(), plain.len());
                        failed += 1;
                    }
                }
            }
        }
    }
    assert_eq!(failed, 0, "bytes differ");
}

/// Zip archives of a tree, made by one side and extracted by the other.
#[test]
fn each_side_extracts_the_zip_archives_of_the_other() {
    if !has("zip") || !has("unzip") {
        return;
    }
    let mut failed = 0;
    let list = "find t | sort; find t -type f | sort | xargs -d '\\n' cksum; find t -type f | sort | xargs -d '\\n' stat -c '%a %Y %n'";
    for number in 0..count() {
        let mut numbers = Numbers(number ^ 0x21b);
        let plain = tree(&mut numbers) + "find t -type p -delete\n";
        let pack = format!("{{ {plain}\nzip -qry z.zip t; }} >/dev/null 2>&1; cat z.zip");
        let want = host(&format!("{{ {plain}\n}} >/dev/null 2>&1; {list}"), &folder("zip-tree", number));
        let (ours, theirs) = (filter_ours(&pack, b""), filter_host(&pack, b""));
        let unpack = format!("cat >z.zip; unzip -q z.zip; {list}");
        for (which, result) in [
            ("ours by the host", filter_host(&unpack, &ours)),
            ("theirs by us", filter_ours(&unpack, &theirs)),
        ] {
            if result != want.as_bytes() {
                eprintln!("{number}, {which}:\n{plain}\n{}\n---\n{want}", String::from_utf8_lossy(&result));
                failed += 1;
            }
        }
    }
    assert_eq!(failed, 0, "trees differ");
}

fn folder(name: &str, number: u64) -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("hookbox-{name}-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// What a script of the host makes of standard input.
fn filter_host(script: &str, input: &[u8]) -> Vec<u8> {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let folder = folder("filter", NEXT.fetch_add(1, Ordering::Relaxed));
    std::fs::write(folder.join(".input"), input).unwrap();
    let output = Command::new("bash")
        .args(["-c", script])
        .current_dir(&folder)
        .stdin(std::fs::File::open(folder.join(".input")).unwrap())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .envs([("LC_ALL", "C.UTF-8"), ("TZ", "UTC"), ("HOME", "/nonexistent")])
        .output()
        .unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    output.stdout
}

/// What a script of ours makes of standard input.
fn filter_ours(script: &str, input: &[u8]) -> Vec<u8> {
    let sandbox = Sandbox::builder().env("LC_ALL", "C.UTF-8").env("TZ", "UTC").build().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(sandbox.start(Script::command(script).stdin(input.to_vec()))).stdout
}
