//! What a host adds to cases: who answers what neither a case nor its file answers, whom their sessions may ask, and another version
//! of the contract.

use crate::hook::answer::{Answer, Answers};
use crate::hook::runner::HookHost;
use crate::hook::version::ContractVersion;
use crate::network::Network;
use crate::vfs::FileSystem;
use std::sync::Arc;

/// Who is asked by one session, given its files.
type NextHost = dyn Fn(&Arc<FileSystem>) -> Arc<dyn HookHost> + Send + Sync;

/// See the module.
#[derive(Clone, Default)]
pub(crate) struct CaseHost {
    /// Holds for the cases of its dialect, whatever version they name.
    pub(crate) contract: Option<ContractVersion>,
    pub(crate) network: Option<Network>,
    /// Rows after those of the cases; what a row answered counts in each case anew.
    pub(crate) rows: Vec<Answer>,
    /// Who is asked what no row fits; shared by all cases, as are bounds of what asking may cost.
    pub(crate) next: Option<Arc<NextHost>>,
}

impl CaseHost {
    pub(super) fn contract(&self, own: ContractVersion) -> ContractVersion {
        self.contract.filter(|contract| contract.dialect() == own.dialect()).unwrap_or(own)
    }

    pub(super) fn answers<'r>(
        &self,
        own: impl Iterator<Item = &'r Answer>,
        files: &Arc<FileSystem>,
    ) -> Answers {
        let answers = Answers::new(own.cloned().chain(self.rows.iter().cloned()));
        match &self.next {
            Some(next) => answers.otherwise(next(files)),
            None => answers,
        }
    }
}
