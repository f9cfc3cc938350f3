//! What every dialect keeps while it loads a config: what the host said, the bounds of runs, the compiler of expressions, and what was
//! found wrong. Beside it stands what is the dialect's own.

use super::contract::{Bundle, LoadOptions, Loaded, Purpose};
use super::error::{ConfigError, ConfigProblem};
use super::fault_list::FaultList;
use super::id::HookId;
use super::matcher::RegexCompiler;
use super::notice::{Notice, NoticeKind};
use crate::limit::Limits;
use std::sync::Arc;

/// See the module.
pub(crate) struct Loading<'a> {
    pub(crate) options: &'a LoadOptions,
    /// What one run of each hook may use.
    pub(crate) limits: Arc<Limits>,
    pub(crate) regexes: RegexCompiler,
    /// What makes the config unusable.
    pub(crate) problems: FaultList<ConfigProblem>,
    /// What a person should know of it all the same.
    pub(crate) notices: FaultList<Notice>,
}

impl<'a> Loading<'a> {
    /// `usual` are the dialect's limits, where the host names none.
    pub(crate) fn new(options: &'a LoadOptions, usual: fn() -> Limits) -> Self {
        let limits = Arc::new(options.limits.clone().unwrap_or_else(usual));
        let regexes = RegexCompiler::new(limits.regex_bytes);
        Self { options, limits, regexes, problems: FaultList::default(), notices: FaultList::default() }
    }

    /// One more notice.
    pub(crate) fn notice(&mut self, kind: NoticeKind, hook: Option<HookId>, problem: ConfigProblem) {
        self.notices.push(Notice::new(kind, hook, problem));
    }

    /// What is faulty and left out: an error where the config is to be saved, a notice where it is to run.
    pub(crate) fn left_out(&mut self, hook: Option<HookId>, problem: ConfigProblem) {
        match self.options.purpose {
            Purpose::Save => self.problems.push(problem),
            Purpose::Run => self.notice(NoticeKind::Dropped, hook, problem),
        }
    }

    /// What loading comes to.
    ///
    /// # Errors
    /// There were problems.
    pub(crate) fn loaded(self, bundle: impl Bundle + 'static) -> Result<Loaded, ConfigError> {
        if self.problems.is_empty() {
            return Ok(Loaded { bundle: Box::new(bundle), notices: self.notices });
        }
        Err(self.problems.into())
    }
}
