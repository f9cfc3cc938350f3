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
    /// `dialects/everruns.md` 5.1.
    Everruns(EverrunsResult),
    /// `dialects/docker-agent.md`.
    DockerAgent(Box<DockerAgentResult>),
    /// `dialects/claude-code.md`.
    ClaudeCode(Box<ClaudeCodeResult>),
    /// `dialects/claude-code.md`, part II.
    Agentao(AgentaoResult),
    /// `dialects/infer.md`.
    Infer(InferResult),
    /// `dialects/goclaw.md`.
    Goclaw(GoclawResult),
}
