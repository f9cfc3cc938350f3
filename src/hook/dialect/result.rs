//! What a chain came to, in each dialect's own shape.

use crate::hook::dialect::agentao::result::AgentaoResult;
use crate::hook::dialect::claude_code::result::ClaudeCodeResult;
use crate::hook::dialect::docker_agent::result::DockerAgentResult;
use crate::hook::dialect::everruns::result::EverrunsResult;
use crate::hook::dialect::goclaw::result::GoclawResult;
use crate::hook::dialect::infer::result::InferResult;
use serde::Serialize;

/// The result in the shape of the dialect's contract.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DialectResult {
    /// [`everruns`](super::everruns), 5.1.
    Everruns(EverrunsResult),
    /// [`docker_agent`](super::docker_agent).
    DockerAgent(Box<DockerAgentResult>),
    /// [`claude_code`](super::claude_code).
    ClaudeCode(Box<ClaudeCodeResult>),
    /// [`agentao`](super::agentao).
    Agentao(AgentaoResult),
    /// [`infer`](super::infer).
    Infer(InferResult),
    /// [`goclaw`](super::goclaw).
    Goclaw(GoclawResult),
}
