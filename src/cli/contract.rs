//! `--contract`: which version of a dialect's contract holds.

use crate::hook::dialect::version;
use crate::hook::{ContractVersion, UnknownVersion};

/// See the module.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct ContractArguments {
    /// The version of the dialect's contract; the newest when not given, of cases the one that they name. `--contract help` lists
    /// them
    #[arg(long, value_name = "NAME@VERSION")]
    pub contract: Option<ContractArgument>,
}

impl ContractArguments {
    pub(super) fn version(&self) -> Option<ContractVersion> {
        self.contract.and_then(ContractArgument::version)
    }

    /// The list of versions, where that is all that is asked for.
    pub(super) fn help(&self) -> Option<String> {
        (self.contract == Some(ContractArgument::Help)).then(version::list)
    }
}

/// What `--contract` is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContractArgument {
    /// `help`: the versions are listed.
    Help,
    /// A version.
    Of(ContractVersion),
}

impl ContractArgument {
    pub(super) const fn version(self) -> Option<ContractVersion> {
        match self {
            Self::Help => None,
            Self::Of(version) => Some(version),
        }
    }
}

impl std::str::FromStr for ContractArgument {
    type Err = UnknownVersion;
    fn from_str(text: &str) -> Result<Self, UnknownVersion> {
        if text == "help" { Ok(Self::Help) } else { text.parse().map(Self::Of) }
    }
}
