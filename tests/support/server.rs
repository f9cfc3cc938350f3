//! Servers on loopback: each connection is answered by a function, on a thread of its own.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A request as it came.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    pub(crate) method: String,
    pub(crate) target: String,
    /// Names as they came.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }
}

/// See the module.
pub(crate) struct Server {
    pub(crate) port: u16,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    /// Answers by writing to the stream.
    pub(crate) fn raw(answer: impl Fn(&Asked, &mut TcpStream) + Send + Sync + 'static) -> Self {
        Self::on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port"), answer)
    }

    /// As [`Server::raw`], on a port of four digits: lengths in answers do not depend on it.
    pub(crate) fn of_four_digits(answer: impl Fn(&Asked, &mut TcpStream) + Send + Sync + 'static) -> Self {
        let mut ports = 4000..10_000;
        let listener = ports.find_map(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, port)).ok());
        Self::on(listener.expect("a port"), answer)
    }

    fn on(listener: TcpListener, answer: impl Fn(&Asked, &mut TcpStream) + Send + Sync + 'static) -> Self {
        let port = listener.local_addr().expect("an address").port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let (kept, answer) = (Arc::clone(&asked), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { return };
                let (kept, answer) = (Arc::clone(&kept), Arc::clone(&answer));
                std::thread::spawn(move || {
                    if let Some(request) = read(&mut stream) {
                        kept.lock().expect("a lock").push(request.clone());
                        answer(&request, &mut stream);
                    }
                });
            }
        });
        Self { port, asked }
    }

    /// Answers with bytes.
    pub(crate) fn new(answer: impl Fn(&Asked) -> Vec<u8> + Send + Sync + 'static) -> Self {
        Self::raw(move |asked, stream| {
            // Who asked may have gone.
            let _ = stream.write_all(&answer(asked));
        })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// A rule that allows it.
    pub(crate) fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().expect("a lock").clone()
    }
}

/// An answer of a length.
pub(crate) fn reply(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    let body = body.as_ref();
    let mut all =
        format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    all.extend_from_slice(body);
    all
}

pub(crate) fn json(body: &serde_json::Value) -> Vec<u8> {
    reply("200 OK", "Content-Type: application/json\r\n", body.to_string())
}

fn read(stream: &mut TcpStream) -> Option<Asked> {
    let mut all = Vec::new();
    let mut block = [0; 4096];
    let head = loop {
        if let Some(at) = all.windows(4).position(|window| window == b"\r\n\r\n") {
            break at;
        }
        match stream.read(&mut block) {
            Ok(0) | Err(_) => return None,
            Ok(count) => all.extend_from_slice(&block[..count]),
        }
    };
    let text = String::from_utf8_lossy(&all[..head]).into_owned();
    let mut lines = text.split("\r\n");
    let mut first = lines.next()?.split(' ');
    let (method, target) = (first.next()?.to_owned(), first.next()?.to_owned());
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_owned(), value.strip_prefix(' ').unwrap_or(value).to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let length: usize = length.and_then(|(_, value)| value.parse().ok()).unwrap_or(0);
    let mut body = all[head + 4..].to_vec();
    while body.len() < length {
        match stream.read(&mut block) {
            Ok(0) | Err(_) => return None,
            Ok(count) => body.extend_from_slice(&block[..count]),
        }
    }
    Some(Asked { method, target, headers, body })
}
