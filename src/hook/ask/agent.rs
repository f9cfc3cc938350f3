//! A question to a model, and for `agent` hooks the turns in which it looks around in the session's files, reading only.

use super::NoAnswer;
use super::endpoint::ModelClient;
use super::reply::{Call, Reply, Tool, Turn, forced_tool};
use crate::hook::request::ModelRequest;
use crate::hook::script::ScriptOutcome;
use crate::vfs::FileSystem;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// Most turns of an agent.
const MOST_TURNS: usize = 50;
/// Calls that are answered in one turn.
const MOST_CALLS: usize = 16;
/// What of a file, or of a folder's names, is shown at once, in bytes.
const MOST_SHOWN: usize = 32 << 10;

/// What an agent may do.
#[derive(Clone, Copy, Debug)]
pub(super) enum OwnTool {
    ReadFile,
    ListFolder,
}

/// All of it.
pub(super) const TOOLS: [OwnTool; 2] = [OwnTool::ReadFile, OwnTool::ListFolder];

impl OwnTool {
    const fn name(self) -> &'static str {
        match self {
            Self::ReadFile => "read_file",
            Self::ListFolder => "list_folder",
        }
    }

    pub(super) fn tool(self) -> Tool {
        let (description, more) = match self {
            Self::ReadFile => {
                ("Reads a file, 32 KiB from `offset` on.", json!({"type": "integer", "minimum": 0}))
            }
            Self::ListFolder => ("Lists the names in a folder; folders end in a slash.", Value::Null),
        };
        let mut properties = json!({"path": {"type": "string", "description": "absolute path"}});
        if !more.is_null() {
            properties["offset"] = more;
        }
        let parameters = json!({"type": "object", "properties": properties, "required": ["path"]});
        Tool { name: self.name().to_owned(), description: description.to_owned(), parameters }
    }

    fn run(self, files: &FileSystem, arguments: &Value) -> String {
        let Some(path) = arguments.get("path").and_then(Value::as_str) else {
            return "error: `path` is wanted".to_owned();
        };
        let failed = |error: &dyn std::fmt::Display| format!("error: {path}: {error}");
        match self {
            Self::ReadFile => match files.read(path.as_bytes()) {
                Ok(content) => {
                    let offset = arguments.get("offset").and_then(Value::as_u64).unwrap_or(0);
                    let rest = usize::try_from(offset).ok().and_then(|at| content.as_bytes().get(at..));
                    let rest = rest.unwrap_or_default();
                    String::from_utf8_lossy(rest.get(..MOST_SHOWN).unwrap_or(rest)).into_owned()
                }
                Err(error) => failed(&error),
            },
            Self::ListFolder => match files.read_dir(path.as_bytes()) {
                Ok(entries) => {
                    let mut names = String::new();
                    for entry in &entries {
                        if names.len() > MOST_SHOWN {
                            names.push_str("...\n");
                            break;
                        }
                        names.push_str(&String::from_utf8_lossy(&entry.name));
                        names.push_str(if entry.kind == crate::vfs::FileKind::Directory {
                            "/\n"
                        } else {
                            "\n"
                        });
                    }
                    names
                }
                Err(error) => failed(&error),
            },
        }
    }
}

fn call(files: &FileSystem, call: &Call) -> String {
    match TOOLS.iter().find(|own| own.name() == call.name) {
        Some(own) => own.run(files, &call.arguments),
        None => format!("error: there is no tool `{}`", call.name),
    }
}

/// Asks, and gives the reply as the dialects read it: the text, or for a tool that must be called an object with its calls
/// and the tokens.
pub(super) async fn ask(
    model: &ModelClient,
    request: &ModelRequest,
    files: Option<&Arc<FileSystem>>,
    timeout: Duration,
) -> Result<ScriptOutcome, NoAnswer> {
    let request = &ModelRequest { agent: request.agent && files.is_some(), ..request.clone() };
    let started = crate::clock::real_monotonic();
    let mut turns: Vec<Turn> = Vec::new();
    let mut tokens = 0_u64;
    for _ in 0..MOST_TURNS {
        let passed = crate::clock::real_monotonic().saturating_sub(started);
        let left = timeout.checked_sub(passed).ok_or(NoAnswer::TimedOut)?;
        let reply = model.ask(request, &turns, left).await?;
        tokens = tokens.saturating_add(reply.input_tokens).saturating_add(reply.output_tokens);
        match files {
            Some(files) if request.agent && !reply.calls.is_empty() => {
                let results = reply.calls.iter().take(MOST_CALLS).map(|wanted| call(files, wanted)).collect();
                let calls = reply.calls.iter().take(MOST_CALLS).cloned().collect();
                turns.push(Turn { reply: Reply { calls, ..reply }, results });
            }
            _ => return Ok(ScriptOutcome::exited(0, shown(request, reply, tokens), "")),
        }
    }
    Err(NoAnswer::Failed(format!("the agent did not end in {MOST_TURNS} turns")))
}

fn shown(request: &ModelRequest, reply: Reply, tokens: u64) -> String {
    if forced_tool(request.schema.as_ref()).is_none() {
        return reply.text;
    }
    let calls: Vec<Value> =
        reply.calls.into_iter().map(|call| json!({"name": call.name, "arguments": call.arguments})).collect();
    json!({"tool_calls": calls, "tokens": tokens}).to_string()
}
