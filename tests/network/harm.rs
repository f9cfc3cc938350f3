//! Servers that mean harm: whatever they do, a request ends in the time that its session has, and takes no more room than its
//! policy says.

use crate::server::{Asked, Server, reply};
use crate::{client, policy, run};
use hookbox::hook::{Dialect, HookSet, LoadOptions};
use hookbox::limit::Limits;
use hookbox::network::Network;
use hookbox::sandbox::{End, Sandbox};
use serde_json::json;
use std::io::Write as _;
use std::net::TcpStream;
use std::time::{Duration, Instant};

fn write_for_ever(stream: &mut TcpStream, head: &str, piece: &[u8], pause: Duration) {
    let mut sent = stream.write_all(head.as_bytes());
    while sent.is_ok() {
        sent = stream.write_all(piece);
        std::thread::sleep(pause);
    }
}

/// What gzip makes of 64 MiB of zeros, a thousandth of it: stored blocks would not be a bomb.
fn bomb() -> Vec<u8> {
    let mut bytes = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03".to_vec();
    bytes.extend(miniz_oxide::deflate::compress_to_vec(&vec![0; 64 << 20], 9));
    bytes
}

fn answer(asked: &Asked, stream: &mut TcpStream) {
    let none = Duration::ZERO;
    let ok = "HTTP/1.1 200 OK\r\n";
    match asked.target.as_str() {
        "/body" => write_for_ever(stream, &format!("{ok}\r\n"), &vec![b'x'; 65536], none),
        "/length" => {
            write_for_ever(
                stream,
                &format!("{ok}Content-Length: 99999999999\r\n\r\n"),
                &vec![b'x'; 65536],
                none,
            );
        }
        "/headers" => write_for_ever(stream, ok, b"X: y\r\n", none),
        "/header" => write_for_ever(stream, &format!("{ok}X: "), &vec![b'x'; 65536], none),
        "/status" => write_for_ever(stream, "", b"HTTP/1.1 100 Continue\r\n\r\n", none),
        "/chunks" => {
            write_for_ever(stream, &format!("{ok}Transfer-Encoding: chunked\r\n\r\n"), b"1\r\nx\r\n", none);
        }
        "/chunk" => {
            write_for_ever(stream, &format!("{ok}Transfer-Encoding: chunked\r\n\r\n1;"), &[b'x'; 4096], none);
        }
        "/trailers" => {
            write_for_ever(
                stream,
                &format!("{ok}Transfer-Encoding: chunked\r\n\r\n0\r\n"),
                b"X: y\r\n",
                none,
            );
        }
        "/drip" => write_for_ever(
            stream,
            &format!("{ok}Content-Length: 1000\r\n\r\n"),
            b"x",
            Duration::from_millis(50),
        ),
        "/silent" => std::thread::sleep(Duration::from_secs(20)),
        "/bomb" => {
            let _ = stream.write_all(&reply("200 OK", "Content-Encoding: gzip\r\n", bomb()));
        }
        _ => {
            let _ = stream.write_all(&reply("302 Found", "Location: /loop\r\n", "x".repeat(1000)));
        }
    }
}

#[test]
fn every_request_ends() {
    let server = Server::raw(answer);
    for (path, options, codes) in [
        ("body", "", &[63][..]),
        ("length", "", &[63]),
        ("headers", "", &[56]),
        ("header", "", &[56]),
        ("status", "", &[8, 56]),
        ("chunks", "-m 1", &[28, 63]),
        ("chunk", "", &[56]),
        ("trailers", "", &[56]),
        ("drip", "-m 0.4", &[28]),
        ("silent", "-m 0.4", &[28]),
        ("bomb", "--compressed", &[63]),
        ("bomb", "--compressed --max-filesize 100000", &[63]),
        ("loop", "-L", &[47]),
        ("loop", "-L --max-redirs -1", &[7]),
        ("body", "-r 0-10", &[63]),
    ] {
        let mut policy = policy(&[&server.host()]);
        policy.max_response_bytes = 1 << 20;
        policy.max_requests = 200;
        let mut limits = Limits::default_profile();
        limits.wall_time_ms = 10_000;
        let sandbox = Sandbox::builder()
            .limits(limits)
            .network(Network::new(policy, client()))
            .build()
            .expect("a sandbox");
        let started = Instant::now();
        let output = run(sandbox
            .run(format!("curl -sS {options} {}/{path} | wc -c; exit ${{PIPESTATUS[0]}}", server.url())));
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(codes.contains(&output.status), "{path} {options}: {} {stderr}", output.status);
        assert!(started.elapsed() < Duration::from_secs(8), "{path} {options}: {:?}", started.elapsed());
        let read: u64 = String::from_utf8_lossy(&output.stdout).trim().parse().expect("a number");
        assert!(read <= 1 << 20, "{path}: {read}");
    }
}

#[test]
fn the_time_limit_of_a_run_holds() {
    let server = Server::raw(answer);
    for path in ["silent", "drip", "body", "chunks", "loop"] {
        for program in ["curl -sSL --max-redirs -1 -o /dev/null", "wget -qO /dev/null --max-redirect=1000000"]
        {
            let mut policy = policy(&[&server.host()]);
            policy.max_response_bytes = u64::MAX;
            policy.max_requests = u64::MAX;
            let mut limits = Limits::hook();
            limits.wall_time_ms = 300;
            let sandbox = Sandbox::builder()
                .limits(limits)
                .network(Network::new(policy, client()))
                .build()
                .expect("a sandbox");
            let started = Instant::now();
            let output = run(sandbox.run(format!("{program} {}/{path}; echo on", server.url())));
            let took = started.elapsed();
            assert!(
                matches!(output.end, End::Limit(_)),
                "{program} {path}: {:?} {}",
                output.end,
                String::from_utf8_lossy(&output.stderr)
            );
            assert!(took < Duration::from_millis(1500), "{program} {path}: {took:?}");
        }
    }
}

#[test]
fn a_hook_over_http_gives_up_in_time() {
    let server = Server::raw(answer);
    for path in ["silent", "drip", "headers", "body", "chunks", "trailers"] {
        let hook = json!({"type": "http", "url": format!("{}/{path}", server.url()), "timeout": 0.4});
        let config = json!({"hooks": {"PreToolUse": [{"hooks": [hook]}]}});
        let hooks =
            HookSet::load(Dialect::ClaudeCode, config.to_string().as_bytes(), &LoadOptions::default())
                .expect("hooks");
        let event = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}});
        let event = hooks.read_event(&event).expect("an event");
        let sandbox = Sandbox::builder()
            .network(Network::new(policy(&[&server.host()]), client()))
            .build()
            .expect("a sandbox");
        let started = Instant::now();
        let outcome = run(hooks.fire(&sandbox, &event));
        assert!(outcome.decision.proceeds());
        assert!(started.elapsed() < Duration::from_millis(1500), "{path}: {:?}", started.elapsed());
    }
}

#[test]
fn a_model_and_a_server_of_tools_are_given_up_in_time() {
    use hookbox::hook::ask::{LiveHost, ModelEndpoint, ToolServer};
    let server = Server::raw(|_, stream| {
        write_for_ever(
            stream,
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n",
            b"data: x\n\n",
            Duration::ZERO,
        );
    });
    let endpoint = ModelEndpoint::open_ai(&server.url()).expect("a URL").model("m");
    let tools = ToolServer::http(&server.url(), None, client()).expect("a URL");
    let host = std::sync::Arc::new(LiveHost::default().model(endpoint, client()).tools("t", tools));
    for hook in [
        json!({"type": "prompt", "prompt": "Safe?", "timeout": 0.4}),
        json!({"type": "mcp_tool", "server": "t", "tool": "x", "input": {}, "timeout": 0.4}),
    ] {
        let config = json!({"hooks": {"PreToolUse": [{"hooks": [hook]}]}});
        let hooks =
            HookSet::load(Dialect::ClaudeCode, config.to_string().as_bytes(), &LoadOptions::default())
                .expect("hooks");
        let event = json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {}});
        let event = hooks.read_event(&event).expect("an event");
        let sandbox = Sandbox::builder().hook_host(host.clone()).build().expect("a sandbox");
        let started = Instant::now();
        run(hooks.fire(&sandbox, &event));
        assert!(started.elapsed() < Duration::from_millis(2500), "{:?}", started.elapsed());
    }
}
