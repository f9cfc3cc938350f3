//! What a chain came to, in each dialect's own shape.

use super::agentao::AgentaoResult;
use super::claude_code::ClaudeCodeResult;
use super::docker_agent::DockerAgentResult;
use super::everruns::EverrunsResult;
use super::goclaw::GoclawResult;
use super::infer::InferResult;
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
