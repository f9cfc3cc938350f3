//! `curl` and `wget`: the cases of `tests/network/*.test`, in the format of `tests/cases`. Their answers were written down from
//! curl 7.88.1 and wget 1.21.3 of Debian 12, which asked a server with the answers below; `$U` is its URL. In what is
//! compared, its port is `PORT`, times are `N`, boundaries of forms are `BOUND`.

use crate::server::{Asked, Server, reply};
use crate::support::{Case, load};
use crate::{network, run};
use hookbox::sandbox::{Sandbox, Script, Source};
use hookbox::text::Text;
use std::fmt::Write as _;
use std::io::Write as _;
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

/// The request with its header lines in order, without what the connection is.
fn shown(asked: &Asked) -> Vec<u8> {
    let mut lines: Vec<String> = asked
        .headers
        .iter()
        .filter(|(name, _)| name != "Expect" && name != "Connection")
        .map(|(name, value)| if value.is_empty() { format!("{name}:") } else { format!("{name}: {value}") })
        .collect();
    lines.sort();
    lines.insert(0, format!("{} {} HTTP/1.1", asked.method, asked.target));
    let mut text = lines.join("\n").into_bytes();
    text.extend_from_slice(b"\n\n");
    text.extend_from_slice(&asked.body);
    text
}

const GZIP: &[u8] =
    b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xab\xca\x2c\x28\x48\x4d\xe1\x02\x00\xac\x00\x3a\xc7\x07\x00\x00\x00";
const DEFLATE: &[u8] = b"\x78\x9c\x4b\x49\x4d\xcb\x49\x2c\x49\x4d\xe1\x02\x00\x11\xbd\x03\x44";

fn answer(asked: &Asked, stream: &mut TcpStream) {
    let path = asked.target.split('?').next().unwrap_or_default();
    let plain = |text: &str| text.as_bytes().to_vec();
    let bytes = match path {
        path if path.starts_with("/echo") => reply("200 OK", "Content-Type: text/plain\r\n", shown(asked)),
        "/404" => reply("404 Not Found", "", "nope\n"),
        "/500" => reply("500 Oops", "", "err\n"),
        "/redir" => reply("302 Found", "Location: /echo?x=1\r\n", "moved\n"),
        "/redir301" => reply("301 Moved", "Location: /echo\r\n", "moved\n"),
        "/redirname" => reply("302 Found", "Location: /other?q=1\r\n", "moved\n"),
        // The same server, by another name.
        "/toother" => {
            let port = asked.header("host").and_then(|host| host.rsplit(':').next()).unwrap_or_default();
            reply("302 Found", &format!("Location: http://localhost:{port}/echo\r\n"), "")
        }
        "/redir307" => reply("307 Temporary", "Location: echo\r\n", "moved\n"),
        "/redir303" => reply("303 See Other", "Location: /echo\r\n", "moved\n"),
        "/toftp" => reply("302 Found", "Location: ftp2://x/\r\n", ""),
        "/tofile" => reply("302 Found", "Location: file:///etc/passwd\r\n", ""),
        "/loop" => reply("302 Found", "Location: /loop\r\n", ""),
        "/empty" => Vec::new(),
        "/short" => plain("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"),
        "/badchunk" => plain("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
        "/shortchunk" => plain("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"),
        "/chunks" => plain(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nd\n\r\n0\r\nTrailer: x\r\n\r\n",
        ),
        "/close" => plain("HTTP/1.0 200 OK\r\n\r\nuntil the end\n"),
        "/weird" => plain("HELLO\r\n"),
        "/headcut" => plain("HTTP/1.1 200 OK\r\nA: b\r\n"),
        "/badlength" => plain("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nabc"),
        "/slow" => {
            std::thread::sleep(Duration::from_secs(3));
            Vec::new()
        }
        "/gzip" => reply("200 OK", "Content-Encoding: gzip\r\n", GZIP),
        "/deflate" => reply("200 OK", "Content-Encoding: deflate\r\n", DEFLATE),
        "/badgzip" => reply("200 OK", "Content-Encoding: gzip\r\n", "no gzip"),
        "/odd" => reply("200 OK", "Content-Encoding: odd\r\n", "x"),
        "/cd" => reply("200 OK", "Content-Disposition: attachment; filename=\"a b.txt\"\r\n", "cd\n"),
        "/cookie" => reply(
            "200 OK",
            "Set-Cookie: a=1; Path=/\r\nSet-Cookie: b=2; Path=/sub\r\nSet-Cookie: c=3; Domain=other.example\r\n\
             Set-Cookie: d=4; Max-Age=0\r\nSet-Cookie: e=5; HttpOnly\r\n",
            "ok\n",
        ),
        "/auth" if asked.header("authorization").is_some() => reply("200 OK", "", "in\n"),
        "/auth" => reply("401 Unauthorized", "WWW-Authenticate: Basic realm=\"x\"\r\n", "out\n"),
        "/etag" if asked.header("if-none-match") == Some("\"v1\"") => {
            plain("HTTP/1.1 304 Not Modified\r\nETag: \"v1\"\r\n\r\n")
        }
        "/etag" => reply("200 OK", "ETag: \"v1\"\r\n", "tagged\n"),
        "/range" => {
            let first = asked
                .header("range")
                .and_then(|range| range.strip_prefix("bytes=")?.split('-').next()?.parse().ok());
            match first {
                Some(first) => {
                    let range = format!("Content-Range: bytes {first}-10/11\r\n");
                    reply("206 Partial Content", &range, &b"0123456789\n"[first..])
                }
                None => reply("200 OK", "", "0123456789\n"),
            }
        }
        "/dated" => reply("200 OK", "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT\r\n", "old\n"),
        path => reply("200 OK", &format!("X-Path: {path}\r\n"), "hello\n"),
    };
    let end =
        if asked.method == "HEAD" { bytes.windows(4).position(|window| window == b"\r\n\r\n") } else { None };
    // Who asked may have gone.
    let _ = stream.write_all(end.and_then(|end| bytes.get(..end + 4)).unwrap_or(&bytes));
}

/// What is compared of a text.
fn normal(text: &[u8], port: u16) -> String {
    let mut text = String::from_utf8_lossy(text)
        .replace(&format!("127.0.0.1:{port}"), "127.0.0.1:PORT")
        .replace(&format!("localhost:{port}"), "localhost:PORT");
    for before in [" after ", "boundary=------------------------", "--------------------------"] {
        let mut from = 0;
        while let Some(at) = text.get(from..).and_then(|rest| rest.find(before)) {
            let start = from + at + before.len();
            let is_time = before == " after ";
            let is_of = |byte: u8| if is_time { byte.is_ascii_digit() } else { byte.is_ascii_hexdigit() };
            let end = text.bytes().skip(start).take_while(|byte| is_of(*byte)).count();
            if end > 0 && (is_time || end == 16) {
                text.replace_range(start..start + end, if is_time { "N" } else { "BOUND" });
            }
            from = start;
        }
    }
    text
}

fn differences(case: &Case, server: &Server) -> String {
    let mut limits = hookbox::limit::Limits::default_profile();
    limits.wall_time_ms = 20_000;
    let sandbox = Sandbox::builder()
        .limits(limits)
        .network(network(&[
            &server.host(),
            &format!("localhost:{}", server.port),
            "127.0.0.1:1",
            "nope.invalid",
        ]))
        .file("/workspace/f.txt", "A\nB\n")
        .build()
        .expect("a sandbox");
    let mut script = Script::command(&case.script).env("U", server.url().as_str()).env("TZ", "UTC");
    script.stdin = Source::Bytes(Text::from(case.stdin.clone()));
    let output = run(sandbox.start(script));
    let mut wrong = String::new();
    let mut compare = |what: &str, want: &[u8], got: &[u8]| {
        let (want, got) = (String::from_utf8_lossy(want).into_owned(), normal(got, server.port));
        if want != got {
            let _ = writeln!(wrong, "  {what}: want {want:?}\n  {}   got {got:?}", " ".repeat(what.len()));
        }
    };
    compare("stdout", &case.stdout, &output.stdout);
    if let Some(stderr) = &case.stderr {
        compare("stderr", stderr, &output.stderr);
    }
    compare("status", case.status.to_string().as_bytes(), output.status.to_string().as_bytes());
    wrong
}

#[test]
fn curl_and_wget_do_as_the_real_ones() {
    let server = Server::of_four_digits(answer);
    let cases = load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/network"));
    assert!(cases.len() > 150, "{} cases", cases.len());
    let filter = std::env::var("CASES").unwrap_or_default();
    let wrong: Vec<String> = cases
        .iter()
        .filter(|case| case.name.contains(&filter))
        .filter_map(|case| {
            let wrong = differences(case, &server);
            (!wrong.is_empty())
                .then(|| format!("{}:{} {}\n{wrong}", case.file.display(), case.line, case.name))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {} cases\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}
