//! Real servers on loopback; a server answers what it is told, connection by connection, and keeps what it read.

use super::*;
use crate::hook::contract::LoadOptions;
use crate::hook::dialect::list::Dialect;
use crate::hook::event::Event;
use crate::hook::hook_set::HookSet;
use crate::hook::state::SessionState;
use crate::network::{AddressPolicy, HttpPolicy, Refusal, Resolve, Resolved};
use serde_json::json;
use std::io::{Read as _, Write as _};
use std::net::IpAddr;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::sync::Mutex;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

const LONG: Duration = Duration::from_secs(20);

struct Server {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// One connection for each answer; an empty answer closes it.
    fn new(answers: &[&str]) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (kept, answers) =
            (Arc::clone(&asked), answers.iter().map(|answer| (*answer).to_owned()).collect::<Vec<_>>());
        std::thread::spawn(move || {
            for answer in answers {
                let Ok((mut stream, _)) = listener.accept() else { return };
                crate::clock::lock(&kept).push(request(&mut stream));
                if answer == "hang" {
                    std::thread::sleep(LONG);
                }
                let _ = stream.write_all(answer.as_bytes());
            }
        });
        Self { port, asked }
    }

    fn url(&self, host: &str) -> String {
        format!("http://{host}:{}/hook?a=b", self.port)
    }

    fn asked(&self) -> Vec<String> {
        crate::clock::lock(&self.asked).clone()
    }
}

/// Head and body of a request.
fn request(stream: &mut std::net::TcpStream) -> String {
    let mut all = Vec::new();
    let mut bytes = [0; 1024];
    loop {
        let text = String::from_utf8_lossy(&all).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
            if body.len() >= length.unwrap_or(0) {
                return text;
            }
        }
        match stream.read(&mut bytes) {
            Ok(0) | Err(_) => return text,
            Ok(count) => all.extend_from_slice(&bytes[..count]),
        }
    }
}

fn ok(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

const UNAVAILABLE: &str = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n";

/// Each call gives the next list of addresses, and the last one for ever.
struct Names(Mutex<Vec<Vec<IpAddr>>>);

impl Names {
    fn new(lists: &[&[&str]]) -> Arc<Self> {
        let lists = lists.iter().map(|list| list.iter().map(|text| text.parse().unwrap()).collect());
        Arc::new(Self(Mutex::new(lists.collect())))
    }
}

impl Resolve for Names {
    fn resolve<'a>(&'a self, _: &'a str) -> HookFuture<'a, Resolved> {
        let mut lists = crate::clock::lock(&self.0);
        let list = if lists.len() > 1 { lists.remove(0) } else { lists[0].clone() };
        Box::pin(std::future::ready(Ok(list)))
    }
}

fn on_loopback() -> HttpPolicy {
    HttpPolicy { addresses: AddressPolicy::with_loopback(), ..HttpPolicy::default() }
}

fn post(url: &str) -> HttpRequest {
    HttpRequest {
        url: url.to_owned(),
        headers: vec![
            ("Content-Type".to_owned(), "application/json".to_owned()),
            ("Authorization".to_owned(), "Bearer x".to_owned()),
        ],
        body: b"{\"a\":1}".to_vec(),
        max_bytes: 1 << 20,
        retries: 0,
    }
}

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

fn send(policy: HttpPolicy, request: &HttpRequest, timeout: Duration) -> ScriptOutcome {
    run(HttpClient::new(policy).unwrap().send(request, timeout))
}

#[test]
fn a_request_is_a_post_of_the_payload() {
    let server = Server::new(&[&ok("{\"decision\":\"allow\"}")]);
    let outcome = send(on_loopback(), &post(&server.url("127.0.0.1")), LONG);
    assert_eq!((outcome.status, outcome.end), (200, Ended::Exited));
    assert_eq!(outcome.stdout, b"{\"decision\":\"allow\"}");
    let asked = server.asked().remove(0);
    let (head, body) = asked.split_once("\r\n\r\n").unwrap();
    assert_eq!(body, "{\"a\":1}");
    let mut lines: Vec<_> = head.lines().map(str::to_lowercase).collect();
    assert_eq!(lines.remove(0), "post /hook?a=b http/1.1");
    lines.sort();
    let wanted = [
        "authorization: bearer x".to_owned(),
        "connection: close".to_owned(),
        "content-length: 7".to_owned(),
        "content-type: application/json".to_owned(),
        format!("host: 127.0.0.1:{}", server.port),
        format!("user-agent: hookbox/{}", env!("CARGO_PKG_VERSION")),
    ];
    assert_eq!(lines, wanted);
}

#[test]
fn answers_of_all_framings_are_read() {
    for (answer, body) in [
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n",
            "abcde",
        ),
        ("HTTP/1.1 200 OK\r\n\r\nuntil the end", "until the end"),
        ("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok", "ok"),
        ("HTTP/1.1 204 No Content\r\n\r\n", ""),
    ] {
        let server = Server::new(&[answer]);
        let outcome = send(on_loopback(), &post(&server.url("127.0.0.1")), LONG);
        assert_eq!((outcome.end, outcome.stdout.as_slice()), (Ended::Exited, body.as_bytes()), "{answer}");
    }
}

#[test]
fn a_body_is_cut_at_its_bound() {
    let body = "x".repeat(100_000);
    let server = Server::new(&[&ok(&body)]);
    let request = HttpRequest { max_bytes: 1_000, ..post(&server.url("127.0.0.1")) };
    let outcome = send(on_loopback(), &request, LONG);
    assert_eq!((outcome.status, outcome.end, outcome.stdout.len()), (200, Ended::OutputExceeded, 1_000));
    let server = Server::new(&[&ok(&"x".repeat(1_000))]);
    let request = HttpRequest { max_bytes: 1_000, ..post(&server.url("127.0.0.1")) };
    assert_eq!(send(on_loopback(), &request, LONG).end, Ended::Exited);
}

#[test]
fn too_many_headers_are_an_error() {
    let server = Server::new(&[&format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\n", "x".repeat(200_000))]);
    let outcome = send(on_loopback(), &post(&server.url("127.0.0.1")), LONG);
    assert!(matches!(&outcome.end, Ended::NotStarted(why) if why.starts_with("HTTP: ")), "{:?}", outcome.end);
}

/// GC-13: a second request about a second later, for 5xx and for the transport, not for 4xx.
#[test]
fn failures_are_tried_again() {
    let server = Server::new(&[UNAVAILABLE, &ok("ok")]);
    let request = HttpRequest { retries: 1, ..post(&server.url("127.0.0.1")) };
    let started = Instant::now();
    assert_eq!(send(on_loopback(), &request, LONG).status, 200);
    let took = started.elapsed();
    assert!((1.0..3.0).contains(&took.as_secs_f64()), "{took:?}");
    assert_eq!(server.asked().len(), 2);

    let quick = HttpPolicy { retry_delay: Duration::from_millis(1), ..on_loopback() };
    for (answers, status, requests) in [
        ([UNAVAILABLE, UNAVAILABLE], 503, 2),
        (["", UNAVAILABLE], 503, 2),
        (["HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", UNAVAILABLE], 404, 1),
        (
            ["HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\nContent-Length: 0\r\n\r\n", UNAVAILABLE],
            302,
            1,
        ),
    ] {
        let server = Server::new(&answers);
        let request = HttpRequest { retries: 1, ..post(&server.url("127.0.0.1")) };
        assert_eq!(send(quick.clone(), &request, LONG).status, status);
        assert_eq!(server.asked().len(), requests, "{status}");
    }
}

/// GC-13: the wait counts.
#[test]
fn one_time_bounds_all() {
    let server = Server::new(&[UNAVAILABLE, &ok("ok")]);
    let request = HttpRequest { retries: 1, ..post(&server.url("127.0.0.1")) };
    let started = Instant::now();
    assert_eq!(send(on_loopback(), &request, Duration::from_millis(300)).end, Ended::TimedOut);
    assert!(started.elapsed() < Duration::from_millis(900));
    let server = Server::new(&["hang"]);
    assert_eq!(
        send(on_loopback(), &post(&server.url("127.0.0.1")), Duration::from_millis(100)).end,
        Ended::TimedOut
    );
}

/// GC-15.
#[test]
fn what_must_not_be_reached_is_not_asked() {
    let server = Server::new(&[&ok("secret")]);
    for (url, refusal) in [
        (server.url("127.0.0.1"), Refusal::BlockedIp),
        (server.url("[::1]"), Refusal::BlockedIp),
        (server.url("[::ffff:127.0.0.1]"), Refusal::BlockedIp),
        (server.url("localhost"), Refusal::BlockedIp),
        ("http://169.254.169.254/".to_owned(), Refusal::BlockedIp),
        ("file:///x".to_owned(), Refusal::NonHttpScheme),
        ("http://".to_owned(), Refusal::EmptyHost),
    ] {
        let request = HttpRequest { retries: 1, ..post(&url) };
        let outcome = send(HttpPolicy::default(), &request, LONG);
        assert_eq!(outcome.end, Ended::NotStarted(refusal.to_string()), "{url}");
    }
    // Other spellings of loopback, which the resolver understands.
    for host in ["127.1", "2130706433", "0x7f000001", "0177.0.0.1"] {
        let outcome = send(HttpPolicy::default(), &post(&server.url(host)), LONG);
        assert!(matches!(outcome.end, Ended::NotStarted(_)), "{host}");
    }
    assert!(server.asked().is_empty());
}

/// GC-15: one private address among public ones is enough.
#[test]
fn all_addresses_of_a_name_must_pass() {
    for list in [["1.1.1.1", "10.0.0.1"], ["127.0.0.1", "10.0.0.1"], ["127.0.0.1", "64:ff9b::a00:1"]] {
        let server = Server::new(&[&ok("secret")]);
        let client = HttpClient::new(on_loopback()).unwrap().with_resolver(Names::new(&[&list]));
        let outcome = run(client.send(&post(&server.url("example.com")), LONG));
        assert_eq!(outcome.end, Ended::NotStarted(Refusal::BlockedIp.to_string()), "{list:?}");
        assert!(server.asked().is_empty());
    }
}

/// GC-15: the second try goes to the address that was checked, whatever the name says by then.
#[test]
fn a_name_is_resolved_once() {
    let server = Server::new(&[UNAVAILABLE, &ok("ok")]);
    let names = Names::new(&[&["127.0.0.1"], &["10.0.0.1"]]);
    let quick = HttpPolicy { retry_delay: Duration::from_millis(1), ..on_loopback() };
    let client = HttpClient::new(quick).unwrap().with_resolver(names);
    let request = HttpRequest { retries: 1, ..post(&server.url("Example.com")) };
    assert_eq!(run(client.send(&request, LONG)).status, 200);
    let host = format!("host: example.com:{}", server.port);
    assert!(server.asked().iter().all(|asked| asked.to_lowercase().contains(&host)));
}

#[test]
fn another_address_is_tried_when_one_does_not_answer() {
    let server = Server::new(&[&ok("ok")]);
    let client =
        HttpClient::new(on_loopback()).unwrap().with_resolver(Names::new(&[&["127.99.0.1", "127.0.0.1"]]));
    assert_eq!(run(client.send(&post(&server.url("example.com")), LONG)).status, 200);
    let nobody = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
    let outcome = send(on_loopback(), &post(&format!("http://127.0.0.1:{nobody}/")), LONG);
    assert!(
        matches!(&outcome.end, Ended::NotStarted(why) if why.starts_with("connect: ")),
        "{:?}",
        outcome.end
    );
}

#[test]
fn headers_of_the_connection_are_the_clients() {
    for (name, value) in [
        ("Host", "x"),
        ("content-length", "0"),
        ("Transfer-Encoding", "chunked"),
        ("Connection", "keep-alive, x-secret"),
        ("Upgrade", "h2c"),
        ("Expect", "100-continue"),
        ("EXPECT", "x"),
        ("TE", "trailers"),
        ("te", "gzip"),
        ("Trailer", "X-Sum"),
        ("Trailers", "X-Sum"),
        ("Proxy-Connection", "keep-alive"),
        ("Proxy-Authorization", "Basic eDp5"),
        ("Keep-Alive", "timeout=5"),
        ("keep-alive", ""),
        ("HTTP2-Settings", "AAMAAABkAAQCAAAAAAIAAAAA"),
        ("Proxy-Authenticate", "Basic"),
        ("a b", "c"),
        ("a", "b\nc"),
    ] {
        let mut request = post("http://127.0.0.1:1/");
        request.headers.push((name.to_owned(), value.to_owned()));
        let outcome = send(on_loopback(), &request, LONG);
        assert_eq!(outcome.end, Ended::NotStarted(format!("header `{name}` can not be set")));
    }
}

/// The whole way: a hook's request through the client of its host.
#[test]
fn a_hook_asks_through_the_client_of_its_host() {
    struct Session(HttpHost, SessionState);
    impl crate::hook::runner::HookRunner for Session {
        fn run<'a>(&'a self, _: crate::hook::script::ScriptRequest<'a>) -> HookFuture<'a, ScriptOutcome> {
            Box::pin(std::future::ready(ScriptOutcome::exited(0, "", "")))
        }
        fn write_file(&self, _: &[u8], _: &crate::text::Text) -> Result<(), crate::vfs::FsError> {
            Ok(())
        }
        fn remove_file(&self, _: &[u8]) -> Result<(), crate::vfs::FsError> {
            Ok(())
        }
        fn now(&self) -> Duration {
            crate::clock::real_monotonic()
        }
        fn random_u64(&self) -> u64 {
            0
        }
        fn request(&self, request: Request, timeout: Duration) -> HookFuture<'_, ScriptOutcome> {
            self.0.request(request, timeout)
        }
        fn state(&self) -> &SessionState {
            &self.1
        }
    }
    let server = Server::new(&[&ok("{\"decision\":\"block\",\"reason\":\"no\"}")]);
    let config = json!({"event": "pre_tool_use", "handler_type": "http", "scope": "tenant", "name": "h",
                        "config": {"url": server.url("127.0.0.1")}});
    let mut options = LoadOptions::default();
    options.settings.insert("allow_loopback".to_owned(), true.into());
    let hooks = HookSet::load(Dialect::Goclaw, config.to_string().as_bytes(), &options).unwrap();
    let event = json!({"moment": "tool_call_starting", "tool_name": "exec", "tool_call_id": "c"});
    let event: Event = serde_json::from_value(event).unwrap();
    let session = Session(HttpHost::new(HttpClient::new(on_loopback()).unwrap()), SessionState::default());
    let outcome = run(hooks.fire(&session, &event));
    assert_eq!(outcome.decision.blocked.unwrap().reason, "no");
    assert!(server.asked().remove(0).contains("\"hookEvent\":\"pre_tool_use\""));
}

/// A server of `hooks.example.com` and 127.0.0.1 with a certificate of an authority made for these tests.
fn tls_server() -> u16 {
    use tokio_rustls::rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
    use tokio_rustls::rustls::{ServerConfig, ServerConnection, StreamOwned};
    let certificate =
        CertificateDer::from(include_bytes!("../../../../network/client/certificate/server.der").as_slice());
    let key = PrivatePkcs8KeyDer::from(
        include_bytes!("../../../../network/client/certificate/server-key.der").as_slice(),
    );
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key.into())
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        while let Ok((stream, _)) = listener.accept() {
            let mut stream = StreamOwned::new(ServerConnection::new(Arc::clone(&config)).unwrap(), stream);
            let mut bytes = [0; 4096];
            if stream.read(&mut bytes).is_ok() {
                let _ = stream.write_all(ok("over TLS").as_bytes());
                stream.conn.send_close_notify();
                let _ = stream.flush();
            }
        }
    });
    port
}

#[test]
fn certificates_are_checked_against_the_name_of_the_url() {
    let port = tls_server();
    let names = || Names::new(&[&["127.0.0.1"]]);
    let mut roots = RootCertStore::empty();
    roots
        .add(include_bytes!("../../../../network/client/certificate/authority.der").as_slice().into())
        .unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    let client = HttpClient::new(on_loopback()).unwrap().with_resolver(names()).with_tls(Arc::new(config));
    for host in ["hooks.example.com", "127.0.0.1"] {
        let outcome = run(client.send(&post(&format!("https://{host}:{port}/")), LONG));
        assert_eq!(
            (outcome.status, outcome.stdout.as_slice()),
            (200, b"over TLS".as_slice()),
            "{:?}",
            outcome.end
        );
    }
    let stranger = HttpClient::new(on_loopback()).unwrap().with_resolver(names());
    for (client, host) in [(&client, "other.example.com"), (&stranger, "hooks.example.com")] {
        let outcome = run(client.send(&post(&format!("https://{host}:{port}/")), LONG));
        assert!(
            matches!(&outcome.end, Ended::NotStarted(why) if why.starts_with("TLS: ")),
            "{:?}",
            outcome.end
        );
    }
}
