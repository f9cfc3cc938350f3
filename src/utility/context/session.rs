//! What belongs to a session and is shared by its runs: the file system, the clock, random numbers, who the user is.

use crate::clock::{Clock, Random};
use crate::io::{FifoTable, FileLocks};
use crate::network::Network;
use crate::text::Text;
use crate::vfs::FileSystem;
use std::any::Any;
use std::sync::{Arc, OnceLock};

/// Who a session's scripts run as, and on what host, as they see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Login name.
    pub user: Text,
    /// Numeric user id; 0 passes every permission check.
    pub uid: u32,
    /// Numeric group id.
    pub gid: u32,
    /// Host name.
    pub host: Text,
}

impl Default for Identity {
    fn default() -> Self {
        Self { user: Text::from_static(b"agent"), uid: 1000, gid: 1000, host: Text::from_static(b"hookbox") }
    }
}

/// One agent session.
#[derive(Debug)]
pub struct Session {
    /// Its files.
    pub fs: Arc<FileSystem>,
    /// Its clock.
    pub clock: Arc<Clock>,
    /// Its random numbers.
    pub random: Arc<Random>,
    /// Its user and host.
    pub identity: Identity,
    /// Whom it may ask over the network; `None` is nobody.
    pub(crate) network: Option<Network>,
    pub(crate) fifos: Arc<FifoTable>,
    pub(crate) locks: Arc<FileLocks>,
    kept: Arc<OnceLock<Arc<dyn Any + Send + Sync>>>,
}

impl Session {
    /// A session over a file system.
    pub(crate) fn new(
        fs: Arc<FileSystem>,
        clock: Arc<Clock>,
        random: Arc<Random>,
        identity: Identity,
    ) -> Self {
        Self {
            fs,
            clock,
            random,
            identity,
            network: None,
            fifos: Arc::default(),
            locks: Arc::default(),
            kept: Arc::default(),
        }
    }

    /// With a network.
    #[must_use]
    pub(crate) fn with_network(mut self, network: Option<Network>) -> Self {
        self.network = network;
        self
    }

    /// The session as one run sees it: with its own clock where time is fixed.
    #[expect(clippy::disallowed_methods, reason = "one for each run")]
    pub(crate) fn of_run(self: &Arc<Self>) -> Arc<Self> {
        if !self.clock.is_virtual() {
            return Arc::clone(self);
        }
        Arc::new(Self {
            fs: Arc::clone(&self.fs),
            clock: self.clock.of_run(),
            random: Arc::clone(&self.random),
            identity: self.identity.clone(),
            network: self.network.clone(),
            fifos: Arc::clone(&self.fifos),
            locks: Arc::clone(&self.locks),
            kept: Arc::clone(&self.kept),
        })
    }

    /// What a utility keeps from one run of the session to the next, made when it is first asked for. There is room for one
    /// kind, which is what `jq` has compiled.
    #[expect(clippy::disallowed_methods, reason = "one for each session")]
    pub(crate) fn kept<T: Any + Default + Send + Sync>(&self) -> Option<&T> {
        self.kept.get_or_init(|| Arc::new(T::default())).downcast_ref()
    }
}
