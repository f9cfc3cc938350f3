//! What a policy lets through, and what stays hidden.

use crate::server::{Server, reply};
use crate::{client, network, policy, run};
use hookbox::network::{Credential, Network, Secret};
use hookbox::sandbox::{Output, Sandbox};
use std::io::Write as _;
use std::time::Duration;

fn sh(network: Network, script: &str) -> (String, String, u8) {
    let sandbox = Sandbox::builder().network(network).build().expect("a sandbox");
    let Output { stdout, stderr, status, .. } = run(sandbox.run(script));
    (String::from_utf8_lossy(&stdout).into_owned(), String::from_utf8_lossy(&stderr).into_owned(), status)
}

/// Shows all that it was sent.
fn mirror() -> Server {
    Server::new(|asked| {
        let lines: Vec<String> =
            asked.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        let shown = asked.header("authorization").unwrap_or_default();
        reply("200 OK", &format!("X-Seen: {shown}\r\n"), lines.join("\n"))
    })
}

#[test]
fn a_credential_is_the_hosts_alone() {
    let server = mirror();
    let secret = Secret::new("a-token-that-nobody-sees");
    let policy = policy(&[&server.host()]).credential(Credential::bearer("127.0.0.1", &secret));
    let network = Network::new(policy, client());
    assert!(!format!("{network:?}").contains("nobody-sees"));
    let script = format!(
        "curl -sSvi -H 'Authorization: mine' {0}; env; cat /proc/self/environ; wget -qSO- {0}",
        server.url()
    );
    let (stdout, stderr, _) = sh(network, &script);
    assert!(
        server
            .asked()
            .iter()
            .all(|asked| asked.header("authorization") == Some("Bearer a-token-that-nobody-sees"))
    );
    assert!(!stdout.contains("nobody-sees") && !stderr.contains("nobody-sees"), "{stdout}{stderr}");
    assert!(stdout.contains("X-Seen: Bearer ************************\r\n"), "{stdout}");
    assert!(stdout.contains("Authorization: Bearer ************************"), "{stdout}");
}

#[test]
fn a_credential_does_not_come_back_in_another_place() {
    let server = Server::raw(|asked, stream| {
        let seen = asked.header("authorization").unwrap_or_default();
        let encoded = if asked.target == "/gzip" { "Content-Encoding: gzip\r\n" } else { "" };
        let body = "{\"p\": \"a-\\\"pass\"}";
        let answer = format!(
            "HTTP/1.1 200 {seen}\r\n{}: x\r\n{encoded}Content-Length: {}\r\n\r\n{body}",
            seen.replace(' ', "-"),
            body.len(),
        );
        let _ = stream.write_all(answer.as_bytes());
    });
    let secret = Secret::new("a-\"pass");
    let policy = policy(&[&server.host()]).credential(Credential::basic("127.0.0.1", "user", &secret));
    let network = Network::new(policy, client());
    let (stdout, stderr, _) = sh(network.clone(), &format!("curl -sSvi {0}; wget -qSO- {0}", server.url()));
    assert!(!stdout.contains("pass") && !stderr.contains("pass"), "{stdout}{stderr}");
    assert!(!stdout.contains("dXNlcjp") && !stderr.contains("dXNlcjp"), "{stdout}{stderr}");
    assert!(stdout.contains("HTTP/1.1 200 Basic ****************\r\n"), "{stdout}");
    let (stdout, stderr, status) = sh(network, &format!("curl -sS --compressed {}/gzip", server.url()));
    assert_eq!((stdout.as_str(), status), ("", 7), "{stderr}");
    assert!(server.asked().iter().all(|asked| asked.header("accept-encoding") == Some("identity")));
}

#[test]
fn a_redirect_is_judged_as_a_request_is() {
    let there = mirror();
    let elsewhere = there.url();
    let server = Server::new(move |asked| match asked.target.as_str() {
        "/away" => reply("302 Found", &format!("Location: {elsewhere}/x\r\n"), ""),
        "/private" => reply("302 Found", "Location: http://169.254.169.254/latest/meta-data\r\n", ""),
        "/path" => reply("307 Moved", "Location: /secret\r\n", ""),
        _ => reply("200 OK", "", "here\n"),
    });
    let rules = [
        format!("{}/away", server.host()),
        format!("{}/private", server.host()),
        format!("{}/path", server.host()),
    ];
    let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
    for (path, wanted) in [
        ("away", "is not among the hosts"),
        ("private", "http://169.254.169.254 is not among the hosts"),
        ("path", "this path of 127.0.0.1 is not among those"),
    ] {
        let (stdout, stderr, status) = sh(network(&rules), &format!("curl -sSL {}/{path}", server.url()));
        assert_eq!((stdout.as_str(), status), ("", 7), "{path}");
        assert!(stderr.contains(wanted), "{stderr}");
    }
    assert!(there.asked().is_empty());
    // Where both may be asked, what is for one does not go to the other.
    let secret = Secret::new("for-the-first-alone");
    let policy = policy(&[&server.host(), &there.host()])
        .credential(Credential::bearer("127.0.0.1", &secret).port(server.port));
    let script = format!("curl -sSL -u me:mine -b a=b -H 'X: y' {}/away", server.url());
    let (stdout, ..) = sh(Network::new(policy, client()), &script);
    assert!(stdout.contains("X: y") && !stdout.to_lowercase().contains("authorization"), "{stdout}");
    assert!(!stdout.contains("a=b"), "{stdout}");
}

#[test]
fn caps_hold() {
    let server = Server::new(|_| reply("200 OK", "", "x".repeat(100_000)));
    let mut policy = policy(&[&server.host()]);
    policy.max_response_bytes = 50_000;
    policy.max_request_bytes = 10;
    policy.max_requests = 3;
    let network = Network::new(policy, client());
    let url = server.url();
    let script = format!(
        "curl -sS {url} | wc -c; curl -sS -d 12345678901 {url}; curl -sS {url} >/dev/null; curl -sS {url} >/dev/null; curl -sS {url}; curl -sS {url}"
    );
    let (stdout, stderr, status) = sh(network.clone(), &script);
    assert!(stdout.trim().parse::<u32>().expect("a number") <= 50_000, "{stdout}");
    assert_eq!((status, server.asked().len(), network.sent()), (7, 3, 3));
    for wanted in [
        "(63) the answer is longer than this session may read",
        "the request has 11 bytes, this session may send 10",
        "this session may send no more than 3 requests",
    ] {
        assert!(stderr.contains(wanted), "{wanted}: {stderr}");
    }
}

#[test]
fn names_of_private_addresses_are_refused() {
    struct Names;
    impl hookbox::network::Resolve for Names {
        fn resolve<'a>(
            &'a self,
            _: &'a str,
        ) -> hookbox::network::NetworkFuture<'a, hookbox::network::Resolved> {
            Box::pin(std::future::ready(Ok(vec!["127.0.0.1".parse().expect("an address")])))
        }
    }
    let server = mirror();
    let client =
        hookbox::network::HttpClient::new(hookbox::network::HttpPolicy::default()).expect("a client");
    let client = client.with_resolver(std::sync::Arc::new(Names));
    let host = format!("rebound.example:{}", server.port);
    let script = format!("curl -sS http://{host}/");
    let (_, stderr, status) = sh(Network::new(policy(&[&host]), client.clone()), &script);
    assert_eq!(status, 7);
    assert!(stderr.contains("blocked_ip"), "{stderr}");
    // The address is named as well.
    let (_, stderr, status) = sh(Network::new(policy(&[&host, "127.0.0.1"]), client), &script);
    assert_eq!((status, server.asked().len()), (0, 1), "{stderr}");
}

#[test]
fn without_a_runtime_for_it_a_request_fails() {
    let sandbox = Sandbox::builder().network(network(&["127.0.0.1:1"])).build().expect("a sandbox");
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let output = runtime.block_on(sandbox.run("curl -sS http://127.0.0.1:1/; echo $?"));
    assert_eq!(output.stdout, b"7\n");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.contains("(7) the client of this session's network crashed"), "{stderr}");
}

#[test]
fn a_session_that_ends_drops_its_requests() {
    let server = Server::raw(|_, _| std::thread::sleep(Duration::from_secs(30)));
    let sandbox = Sandbox::builder().network(network(&[&server.host()])).build().expect("a sandbox");
    let started = std::time::Instant::now();
    run(async {
        let running = sandbox.run(format!("curl -sS {} & curl -sS {}", server.url(), server.url()));
        assert!(tokio::time::timeout(Duration::from_millis(300), running).await.is_err());
    });
    assert!(started.elapsed() < Duration::from_secs(5));
}
