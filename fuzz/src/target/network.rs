//! `curl` and `wget` against a server on loopback that answers with the fuzzer's bytes.

use super::parts;
use super::session::{Ran, limits};
use hookbox::network::{AllowedHost, Credential, EgressPolicy, HttpClient, HttpPolicy, Network, Secret};
use hookbox::sandbox::{Sandbox, Script};
use hookbox::vfs::diff;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

/// What the host attaches to requests for the server; a server that tells it back is not heard.
const SECRET: &str = "5ecret-0f-the-h0st";

/// The bytes that the server answers with, and its port.
struct Server {
    port: u16,
    answer: Arc<Mutex<Vec<u8>>>,
}

static SERVER: LazyLock<Server> = LazyLock::new(|| {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let answer = Arc::new(Mutex::new(Vec::new()));
    let served = Arc::clone(&answer);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let bytes = served.lock().unwrap_or_else(PoisonError::into_inner).clone();
            reply(stream, &bytes);
        }
    });
    Server { port, answer }
});

/// Reading the certificates that it trusts takes as long as a hundred inputs.
static CLIENT: LazyLock<Arc<HttpClient>> =
    LazyLock::new(|| Arc::new(HttpClient::new(HttpPolicy::default()).unwrap()));

/// Answers the first piece of a request. Who asked may have gone.
fn reply(mut stream: TcpStream, bytes: &[u8]) {
    let _ = stream.set_read_timeout(Some(Duration::from_millis(20)));
    let _ = stream.read(&mut [0; 16 << 10]);
    let _ = stream.write_all(bytes);
}

/// The words of `curl` or, behind `wget`, of `wget`; the bytes of the answer; a file of settings of curl. `PORT` in them is the
/// server's, `SECRET` what the host attached: no way leads it to the script.
pub fn network(data: &[u8]) {
    let [words, answer, settings] = parts(data);
    let port = SERVER.port.to_string();
    let filled =
        |text: &[u8]| replaced(&replaced(text, b"PORT", port.as_bytes()), b"SECRET", SECRET.as_bytes());
    *SERVER.answer.lock().unwrap_or_else(PoisonError::into_inner) = filled(answer);
    let host = format!("http://127.0.0.1:{port}");
    let mut policy = EgressPolicy::none()
        .allow(AllowedHost::parse(&host).unwrap())
        .credential(Credential::bearer("127.0.0.1", &Secret::new(SECRET)));
    policy.max_requests = 8;
    policy.max_response_bytes = 64 << 10;
    policy.max_time = Duration::from_millis(100);
    let sandbox = Sandbox::builder()
        .limits(limits())
        .network(Network::new(policy, Arc::clone(&CLIENT)))
        .file("/workspace/words", filled(words))
        .file("/workspace/settings", filled(settings))
        .build()
        .unwrap();
    let script = format!(
        "mkdir out; cd out; set -f; set -- $(cat ../words)
        case ${{1-}} in
            wget) shift; wget -q \"$@\" {host}/w ;;
            *) curl -sS \"$@\" -K ../settings {host}/c ;;
        esac"
    );
    let before = sandbox.fs().snapshot();
    let ran = Ran::of(sandbox, Script::command(script.as_bytes()));
    ran.session_lives();
    if words.windows(6).chain(settings.windows(6)).any(|window| window == b"SECRET") {
        return;
    }
    let is_told = |text: &[u8]| text.windows(SECRET.len()).any(|window| window == SECRET.as_bytes());
    assert!(!is_told(&ran.output.stdout) && !is_told(&ran.output.stderr), "the secret is printed");
    for change in diff(&before, &ran.files) {
        let content = ran.sandbox.fs().read(&change.path);
        assert!(
            !content.is_ok_and(|content| is_told(content.as_bytes())),
            "the secret is written: {change:?}"
        );
    }
}

fn replaced(text: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.windows(old.len()).position(|window| window == old) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(new);
        rest = &rest[at + old.len()..];
    }
    out.extend_from_slice(rest);
    out
}
