//! Inputs of the benchmark of utilities, each the same in every run: lines of a log, numbers, tables, JSON.

use std::io::Write;
use std::process::{Command, Stdio};

/// A file of about `size` bytes.
pub(crate) fn make(kind: &str, size: usize) -> Vec<u8> {
    let line: fn(&mut Random, &mut Vec<u8>) = match kind {
        "numbers" => number,
        "table" => table,
        "comma" => comma,
        "sorted" => return sorted(size),
        "json" => object,
        "array" => return array(size),
        "gz" => return filtered("gzip", &make("text", size)),
        "base64" => return filtered("base64", &make("text", size)),
        _ => entry,
    };
    let mut random = Random(1);
    let mut bytes = Vec::with_capacity(size + 400);
    while bytes.len() < size {
        line(&mut random, &mut bytes);
    }
    bytes
}

/// A repeatable sequence: Knuth's multiplier, of which the upper bits are used.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }

    fn of<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len() as u64) as usize]
    }
}

const USERS: &[&str] =
    &["anna", "bert", "chloe", "dmitri", "emil", "fatima", "george", "hana", "ivan", "joão"];
const WORDS: &[&str] = &[
    "request",
    "served",
    "from",
    "cache",
    "after",
    "a",
    "retry",
    "of",
    "the",
    "upstream",
    "connection",
    "was",
    "closed",
    "by",
    "peer",
    "queue",
    "is",
    "empty",
    "worker",
    "started",
    "naïve",
    "lookup",
    "took",
    "longer",
    "than",
    "expected",
    "session",
    "token",
    "expired",
    "for",
    "this",
    "client",
];
const METHODS: &[&str] = &["GET", "GET", "GET", "POST", "PUT", "DELETE"];

/// A line of a log: one in fifty tells of an error, one in two hundred of a connection that was refused.
fn entry(random: &mut Random, out: &mut Vec<u8>) {
    let level = match random.below(50) {
        0 => "ERROR",
        1..=5 => "WARN",
        _ => "INFO",
    };
    let (day, second) = (random.below(28) + 1, random.below(86_400));
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let (host, path, user) = (random.below(20), random.below(900), random.of(USERS));
    let (method, time) = (random.of(METHODS), random.below(2000));
    let status = [200, 200, 200, 204, 301, 404, 500, 503][random.below(8) as usize];
    let _ = write!(
        out,
        "2024-05-{day:02}T{hour:02}:{minute:02}:{second:02}Z web-{host:02} {level} {method} /api/v1/items/{path} status={status} time={time}ms user={user}",
    );
    for _ in 0..random.below(12) {
        out.push(b' ');
        out.extend_from_slice(random.of(WORDS).as_bytes());
    }
    if random.below(200) == 0 {
        out.extend_from_slice(b": connection refused");
    }
    out.push(b'\n');
}

/// A number with two decimals.
fn number(random: &mut Random, out: &mut Vec<u8>) {
    let sign = if random.below(5) == 0 { "-" } else { "" };
    let _ = writeln!(out, "{sign}{}.{:02}", random.below(1_000_000), random.below(100));
}

/// A key of a thousand, a word, a number and another word, with tabs between them.
fn table(random: &mut Random, out: &mut Vec<u8>) {
    let key = random.below(1000);
    let (word, count, last) = (random.of(WORDS), random.below(100_000), random.of(WORDS));
    let _ = writeln!(out, "key{key}\t{word}\t{count}\t{last}");
}

/// A name, two numbers and a word, with commas between them.
fn comma(random: &mut Random, out: &mut Vec<u8>) {
    let (name, small, large) = (random.of(USERS), random.below(1000), random.below(1_000_000_000));
    let _ = writeln!(out, "{name}{large},{small},{large},{}", random.of(WORDS));
}

/// Sorted lines, each one to four times.
fn sorted(size: usize) -> Vec<u8> {
    let mut random = Random(1);
    let mut bytes = Vec::with_capacity(size + 400);
    let mut number = 0;
    while bytes.len() < size {
        number += 1 + random.below(5);
        let word = random.of(WORDS);
        for _ in 0..=random.below(4) {
            let _ = writeln!(bytes, "{number:09} {word} and what belongs to it");
        }
    }
    bytes
}

/// An object on a line.
fn object(random: &mut Random, out: &mut Vec<u8>) {
    let (id, user, status) = (random.below(1_000_000_000), random.of(USERS), random.below(500) + 100);
    // jq 1.6 writes no zeros at the end of a fraction.
    let (whole, tenths, last) = (random.below(1000), random.below(100), random.below(9) + 1);
    let _ = write!(
        out,
        r#"{{"id":{id},"user":"{user}","status":{status},"time":{whole}.{tenths:02}{last},"tags":["#
    );
    for turn in 0..random.below(5) {
        let _ = write!(out, "{}\"{}\"", if turn > 0 { "," } else { "" }, random.of(WORDS));
    }
    let (path, ok) = (random.below(900), random.below(2) == 0);
    let _ = writeln!(out, r#"],"request":{{"path":"/api/v1/items/{path}","ok":{ok},"note":null}}}}"#);
}

/// An array of objects.
fn array(size: usize) -> Vec<u8> {
    let mut bytes = make("json", size);
    bytes.pop();
    let lines = bytes.split(|&byte| byte == b'\n').collect::<Vec<_>>();
    [b"[".as_slice(), &lines.join(&b",\n"[..]), b"]\n"].concat()
}

/// What `program` makes of `bytes`.
fn filtered(program: &str, bytes: &[u8]) -> Vec<u8> {
    let mut child =
        Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program");
    let mut stdin = child.stdin.take().expect("its input");
    std::thread::scope(|scope| {
        scope.spawn(move || stdin.write_all(bytes).expect("what it reads"));
        child.wait_with_output().expect("what it writes").stdout
    })
}
