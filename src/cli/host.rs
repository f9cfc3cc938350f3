//! Whom the hooks of a run may ask, and who answers: what `fire` and `test` have in common.

use super::CommandFailure;
use super::ask::{AskArguments, NextHost};
use super::egress::EgressArguments;
use crate::hook::answer::{Answer, Answers};
use crate::hook::case::CaseHost;
use crate::hook::{ContractVersion, HookHost};
use crate::network::Network;
use crate::vfs::FileSystem;
use std::sync::Arc;

/// See the module.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct HostArguments {
    /// Whom sessions may ask.
    #[command(flatten)]
    pub egress: EgressArguments,
    /// Who answers what hooks ask.
    #[command(flatten)]
    pub ask: AskArguments,
}

/// Who answers, opened.
pub(super) struct Host {
    pub(super) network: Option<Network>,
    rows: Vec<Answer>,
    next: Option<NextHost>,
}

impl HostArguments {
    pub(super) fn open(&self) -> Result<Host, CommandFailure> {
        let network = self.egress.network()?;
        Ok(Host { rows: self.ask.rows()?, next: self.ask.next(network.clone())?, network })
    }
}

impl Host {
    /// The answers to what one session asks.
    pub(super) fn answers(&self, files: &Arc<FileSystem>) -> Answers {
        let answers = Answers::new(self.rows.iter().cloned());
        match &self.next {
            Some(next) => answers.otherwise(next.of(files)),
            None => answers,
        }
    }

    /// What cases are given.
    pub(super) fn for_cases(self, contract: Option<ContractVersion>) -> CaseHost {
        let next = self.next.map(|next| {
            Arc::new(move |files: &Arc<FileSystem>| -> Arc<dyn HookHost> { next.of(files) }) as _
        });
        CaseHost { contract, network: self.network, rows: self.rows, next }
    }
}
