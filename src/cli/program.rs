//! Programs of the user's that answer: one that is started for each request (`--answer-with`), and servers of tools that speak
//! on their standard streams (`--mcp`). They run on the host, as the user, and are the user's own to trust.

use super::CommandFailure;
use crate::clock::lock;
use crate::hook::ask::McpChannel;
use crate::hook::{Ended, HookFuture, HookHost, Request, ScriptOutcome};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::oneshot;

/// Longest answer of a program, in bytes.
const LONGEST: u64 = 4 << 20;

/// A command line: words between blanks.
#[derive(Clone, Debug)]
struct CommandLine {
    program: String,
    arguments: Vec<String>,
}

impl CommandLine {
    fn parse(text: &str) -> Result<Self, CommandFailure> {
        let mut words = text.split_whitespace().map(str::to_owned);
        match words.next() {
            Some(program) => Ok(Self { program, arguments: words.collect() }),
            None => Err(CommandFailure::Other("a program is wanted".to_owned())),
        }
    }

    fn start(&self) -> Result<Child, String> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        command.spawn().map_err(|error| format!("{}: {error}", self.program))
    }
}

/// Ends a program when nobody waits for it any more.
#[derive(Clone)]
struct Running(Arc<Mutex<Child>>);

impl Running {
    fn end(&self) {
        let mut child = lock(&self.0);
        // It may have ended by itself.
        let _ = child.kill();
        let _ = child.wait();
    }
}

/// Ends it when dropped.
struct EndsWith(Running);

impl Drop for EndsWith {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// A program that answers all that hooks ask.
#[derive(Clone, Debug)]
pub(super) struct AnswerProgram(CommandLine);

impl AnswerProgram {
    pub(super) fn new(text: &str) -> Result<Self, CommandFailure> {
        CommandLine::parse(text).map(Self)
    }

    async fn ask(&self, request: &Request, timeout: Duration) -> Result<ScriptOutcome, String> {
        let mut question = request.to_json();
        question["timeout_ms"] = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX).into();
        let mut child = self.0.start()?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let running = Running(Arc::new(Mutex::new(child)));
        let _ends = EndsWith(running);
        let (sender, receiver) = oneshot::channel();
        // One writes while the other reads, as the program may.
        std::thread::spawn(move || {
            if let Some(mut stdin) = stdin {
                // A program that does not read its question can still answer.
                let _ = stdin.write_all(format!("{question}\n").as_bytes());
            }
        });
        std::thread::spawn(move || {
            let mut all = Vec::new();
            let read = stdout.map(|stdout| stdout.take(LONGEST.saturating_add(1)).read_to_end(&mut all));
            let _ = sender.send(match read {
                Some(Ok(count)) if count as u64 > LONGEST => Err("its answer is too long".to_owned()),
                Some(Ok(_)) => Ok(all),
                Some(Err(error)) => Err(error.to_string()),
                None => Ok(all),
            });
        });
        let all = receiver.await.unwrap_or_else(|_| Err("it gave no answer".to_owned()));
        let named = |why: String| format!("{}: {why}", self.0.program);
        let all = all.map_err(named)?;
        let answer: Value = serde_json::from_slice(&all)
            .map_err(|error| named(format!("its answer is not JSON: {error}")))?;
        outcome(&answer, matches!(request, Request::Http(_))).map_err(named)
    }
}

/// An answer as an outcome.
fn outcome(answer: &Value, is_http: bool) -> Result<ScriptOutcome, String> {
    let Some(members) = answer.as_object() else { return Err("its answer is not an object".to_owned()) };
    const KNOWN: [&str; 5] = ["status", "body", "error", "timeout", "stderr"];
    if let Some(name) = members.keys().find(|name| !KNOWN.contains(&name.as_str())) {
        return Err(format!("its answer has a member `{name}` (known: {})", KNOWN.join(", ")));
    }
    if members.get("timeout") == Some(&Value::Bool(true)) {
        return Ok(ScriptOutcome::ended(Ended::TimedOut));
    }
    if let Some(error) = members.get("error").filter(|error| !error.is_null()) {
        let text = error.as_str().map_or_else(|| error.to_string(), str::to_owned);
        return Ok(ScriptOutcome::ended(Ended::NotStarted(text)));
    }
    let status = match members.get("status") {
        None | Some(Value::Null) => i64::from(if is_http { 200 } else { 0 }),
        Some(status) => status.as_i64().ok_or("its `status` is not a number")?,
    };
    let text = |name: &str| match members.get(name) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    let status = i32::try_from(status).map_err(|_| "its `status` is too large")?;
    Ok(ScriptOutcome::exited(status, text("body"), text("stderr")))
}

impl HookHost for AnswerProgram {
    fn request(&self, request: Request, timeout: Duration) -> HookFuture<'_, ScriptOutcome> {
        Box::pin(async move {
            match tokio::time::timeout(timeout, self.ask(&request, timeout)).await {
                Ok(Ok(outcome)) => outcome,
                Ok(Err(why)) => ScriptOutcome::ended(Ended::NotStarted(why)),
                Err(_) => ScriptOutcome::ended(Ended::TimedOut),
            }
        })
    }
}

/// A message for a server, and who waits for the answer.
type Asked = (Value, oneshot::Sender<Result<Option<Value>, String>>);

/// A server of tools on its standard streams, started when it is first asked.
pub(super) struct McpProgram {
    command: CommandLine,
    server: Mutex<Option<Server>>,
}

struct Server {
    asks: std::sync::mpsc::Sender<Asked>,
    running: Running,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.running.end();
    }
}

impl McpProgram {
    pub(super) fn new(text: &str) -> Result<Self, CommandFailure> {
        Ok(Self { command: CommandLine::parse(text)?, server: Mutex::new(None) })
    }

    /// Hands a message to the server's thread.
    fn send(&self, asked: Asked) -> Result<(), String> {
        let mut server = lock(&self.server);
        let server = match &mut *server {
            Some(server) => server,
            none => none.insert(Server::start(&self.command)?),
        };
        server.asks.send(asked).map_err(|_| format!("{} has ended", self.command.program))
    }
}

impl Server {
    fn start(command: &CommandLine) -> Result<Self, String> {
        let mut child = command.start()?;
        let (Some(mut stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(format!("{}: it has no standard streams", command.program));
        };
        let (asks, asked) = std::sync::mpsc::channel::<Asked>();
        let name = command.program.clone();
        std::thread::spawn(move || {
            let mut lines = BufReader::new(stdout);
            for (message, answer) in asked {
                let sent = stdin.write_all(format!("{message}\n").as_bytes()).and_then(|()| stdin.flush());
                let result = match (sent, message.get("id")) {
                    (Err(_), _) => Err(format!("{name}: it has ended")),
                    (Ok(()), None) => Ok(None),
                    (Ok(()), Some(id)) => answer_with(&mut lines, &mut stdin, id)
                        .map(Some)
                        .map_err(|why| format!("{name}: {why}")),
                };
                let _ = answer.send(result);
            }
        });
        Ok(Self { asks, running: Running(Arc::new(Mutex::new(child))) })
    }
}

/// The line that answers the message with this `id`. What the server asks for itself is refused.
fn answer_with(
    lines: &mut impl std::io::BufRead,
    stdin: &mut impl std::io::Write,
    id: &Value,
) -> Result<Value, String> {
    loop {
        let mut line = Vec::new();
        let count =
            lines.by_ref().take(LONGEST).read_until(b'\n', &mut line).map_err(|error| error.to_string())?;
        if count == 0 {
            return Err("it ended without an answer".to_owned());
        }
        if line.last() != Some(&b'\n') && count as u64 >= LONGEST {
            return Err("its answer is too long".to_owned());
        }
        let Ok(message) = serde_json::from_slice::<Value>(&line) else { continue };
        match (message.get("method"), message.get("id")) {
            (None, Some(own)) if own == id => return Ok(message),
            (Some(method), Some(own)) => {
                let reply = match method.as_str() {
                    Some("ping") => json!({"jsonrpc": "2.0", "id": own, "result": {}}),
                    _ => {
                        json!({"jsonrpc": "2.0", "id": own, "error": {"code": -32601, "message": "not supported"}})
                    }
                };
                stdin.write_all(format!("{reply}\n").as_bytes()).map_err(|error| error.to_string())?;
            }
            _ => {}
        }
    }
}

impl McpChannel for McpProgram {
    fn exchange(&self, message: Value, timeout: Duration) -> HookFuture<'_, Result<Option<Value>, String>> {
        Box::pin(async move {
            let (sender, receiver) = oneshot::channel();
            self.send((message, sender))?;
            let gives_up = GivesUp(Some(self));
            match tokio::time::timeout(timeout, receiver).await {
                Ok(Ok(answer)) => {
                    gives_up.answered();
                    answer
                }
                Ok(Err(_)) => Err(format!("{} has ended", self.command.program)),
                Err(_) => Err("timed out".to_owned()),
            }
        })
    }

    fn reset(&self) {
        lock(&self.server).take();
    }
}

/// A server that did not answer is ended, for its thread waits for it: the next message starts another.
struct GivesUp<'a>(Option<&'a McpProgram>);

impl GivesUp<'_> {
    fn answered(mut self) {
        self.0 = None;
    }
}

impl Drop for GivesUp<'_> {
    fn drop(&mut self) {
        if let Some(program) = self.0 {
            program.reset();
        }
    }
}
