//! Versions of the dialects' contracts by name, and what one means for how a config is loaded.

use super::list::Dialect;
use crate::hook::contract::LoadOptions;
use crate::hook::version::ContractVersion;
use std::fmt::Write as _;
use std::str::FromStr;

impl Dialect {
    /// The versions of its contract, the oldest first.
    pub fn versions(self) -> impl Iterator<Item = ContractVersion> {
        let rows = self.contract().versions;
        (0..rows.len()).map(move |place| ContractVersion { of: self.name(), rows, place })
    }
}

impl ContractVersion {
    /// The newest version of a dialect's contract, which holds where no other is asked for.
    pub const fn newest(dialect: Dialect) -> Self {
        Self::last(dialect.name(), dialect.contract().versions)
    }

    /// Whose contract it is.
    pub fn dialect(&self) -> Dialect {
        let of = Dialect::ALL.iter().copied().find(|dialect| dialect.name() == self.of);
        of.unwrap_or(Dialect::Everruns)
    }
}

/// `NAME@VERSION`, or `NAME` alone for the newest.
impl FromStr for ContractVersion {
    type Err = UnknownVersion;
    fn from_str(text: &str) -> Result<Self, UnknownVersion> {
        let (name, version) =
            text.split_once('@').map_or((text, None), |(name, version)| (name, Some(version)));
        let dialect: Dialect =
            name.parse().map_err(|error: super::list::UnknownDialect| UnknownVersion(error.to_string()))?;
        let Some(version) = version else { return Ok(Self::newest(dialect)) };
        Self::find(dialect.name(), dialect.contract().versions, version).ok_or_else(|| {
            let known: Vec<_> = dialect.versions().map(|version| version.name()).collect();
            UnknownVersion(format!("{dialect} has no version `{version}` (known: {})", known.join(", ")))
        })
    }
}

/// No dialect, or no version of it, has this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnknownVersion(String);

/// The options with the version that holds, and with its settings where the host set none.
///
/// # Errors
/// The version is another dialect's.
pub(in crate::hook) fn settle(dialect: Dialect, options: &LoadOptions) -> Result<LoadOptions, String> {
    let version = options.contract.unwrap_or_else(|| ContractVersion::newest(dialect));
    if version.of != dialect.name() {
        return Err(format!("the contract {version} is not one of {dialect}"));
    }
    let given: Vec<String> = options.settings.keys().cloned().collect();
    let mut settled = LoadOptions { contract: Some(version), ..options.clone() };
    for (name, value) in version.settings().filter(|(name, _)| !given.iter().any(|given| given == name)) {
        settled.set(dialect, name, value).map_err(|error| error.to_string())?;
    }
    Ok(settled)
}

/// All versions, for people.
#[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "the command shows it"))]
pub(crate) fn list() -> String {
    let mut text = String::new();
    for dialect in Dialect::ALL {
        for version in dialect.versions() {
            let newest = if version.is_newest() { " (newest)" } else { "" };
            let _ = writeln!(text, "{version}{newest}\n    {}", version.summary());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::event_table::EventRow;
    use crate::hook::version::Part;

    #[test]
    fn names() {
        let shown = |text: &str| match text.parse::<ContractVersion>() {
            Ok(version) => version.to_string(),
            Err(error) => error.to_string(),
        };
        assert_eq!(shown("docker-agent@manual"), "docker-agent@manual");
        assert_eq!(shown("docker-agent"), "docker-agent@1.149");
        assert_eq!(shown("docker-agent@1.149.0"), "docker-agent@1.149");
        assert_eq!(shown("docker-agent@2"), "docker-agent has no version `2` (known: manual, 1.149)");
        assert_eq!(shown("claude-code@2.1.84"), "claude-code@2.1.84");
        assert_eq!(shown("claude-code@2.1.62"), "claude-code@2.1.50");
        assert!(shown("claude-code@1.0.1").contains("has no version `1.0.1`"));
        assert!(shown("cursor@1").contains("unknown dialect `cursor`"));
    }

    #[test]
    fn rows_name_events_and_settings_of_the_dialect() {
        for &dialect in Dialect::ALL {
            let events: &[EventRow] = dialect.contract().events;
            assert!(!dialect.contract().versions.is_empty(), "{dialect}");
            for row in dialect.contract().versions {
                for addition in row.adds {
                    let of_part = addition.names.iter().filter(|_| addition.part == Part::Event);
                    for event in of_part.chain((!addition.event.is_empty()).then_some(&addition.event)) {
                        assert!(events.iter().any(|row| row.name == *event), "{dialect}: {event}");
                    }
                }
                for (name, value) in row.settings {
                    LoadOptions::default().set(dialect, name, value).unwrap();
                }
            }
        }
    }
}
