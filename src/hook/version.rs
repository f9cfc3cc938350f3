//! Versions of a dialect's contract: platforms add events, fields, kinds of handlers and built-ins with their releases. A dialect has
//! a table of its versions, the oldest first; a row says what the version brought and which settings hold in it. What no row brings
//! was there from the start.
//!
//! The dialect's code knows the newest; where an older version is asked for, [`ContractVersion::since`] tells what it lacks. The table
//! is read when a config is loaded, when a payload is read, by `hookbox check --target`, and for the schemas.

use crate::document::{Member, Node, NodeKind};
use std::borrow::Cow;
use std::fmt;

/// What one version of a contract brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct VersionRow {
    /// Its name, a release of the platform where it has such.
    pub(crate) name: &'static str,
    /// What it is, in a line.
    pub(crate) summary: &'static str,
    pub(crate) adds: &'static [Additions],
    /// Names of settings with the values, as text, that hold in this version and in later ones, until another row says otherwise.
    pub(crate) settings: &'static [(&'static str, &'static str)],
}

/// Things of one kind that a version brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Additions {
    pub(crate) part: Part,
    /// The event of members of payloads or outputs; empty where they came for all.
    pub(crate) event: &'static str,
    pub(crate) names: &'static [&'static str],
}

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Addition {
    pub(crate) part: Part,
    pub(crate) event: &'static str,
    pub(crate) name: &'static str,
    /// The version that brought it.
    pub(crate) since: &'static str,
}

/// What kind of thing a version can bring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Event,
    /// The `type` of a hook.
    Kind,
    Builtin,
    /// A member of a hook.
    Field,
    /// The `schema` of a question to a model.
    Schema,
    /// A member of payloads.
    Payload,
    /// A member of outputs, at any depth.
    Output,
    /// How something is done, under a name that the dialect's code asks for.
    Way,
}

impl Part {
    /// For messages.
    #[cfg_attr(not(feature = "tools"), allow(dead_code, reason = "the linter says it"))]
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Event => "event",
            Self::Kind => "hook type",
            Self::Builtin => "built-in",
            Self::Field => "field",
            Self::Schema => "schema",
            Self::Payload => "member of the payload",
            Self::Output => "member of the output",
            Self::Way => "way",
        }
    }
}

/// A version with nothing before it.
pub(crate) const fn first(name: &'static str, summary: &'static str) -> VersionRow {
    VersionRow { name, summary, adds: &[], settings: &[] }
}

/// Declares a table of versions: a row is a name, what it is, the settings that hold from it on, and what it brought, as
/// `Part name name ... [of Event];`.
macro_rules! versions {
    ($($name:literal $summary:literal [$($setting:ident = $value:literal),*] {$($part:ident $(of $event:ident)?: $($added:literal)+;)*})*) => {
        /// The versions of the contract, the oldest first.
        pub(super) const VERSIONS: &[$crate::hook::version::VersionRow] = &[$($crate::hook::version::VersionRow {
            name: $name,
            summary: $summary,
            adds: &[$($crate::hook::version::Additions {
                part: $crate::hook::version::Part::$part,
                event: concat!("" $(, stringify!($event))?),
                names: &[$($added),+],
            },)*],
            settings: &[$((stringify!($setting), $value),)*],
        },)*];
    };
}
pub(in crate::hook) use versions;

/// A version of a dialect's contract: `docker-agent@1.149`.
///
/// ```
/// use hookbox::hook::{ContractVersion, Dialect};
///
/// let version: ContractVersion = "claude-code@2.1.60".parse()?;
/// assert_eq!(version.dialect(), Dialect::ClaudeCode);
/// assert_eq!(version.to_string(), "claude-code@2.1.50"); // what release 2.1.50 brought still held
/// assert_eq!("infer".parse(), Ok(ContractVersion::newest(Dialect::Infer)));
/// # Ok::<(), hookbox::hook::UnknownVersion>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ContractVersion {
    /// The dialect's name.
    pub(super) of: &'static str,
    /// The dialect's table.
    pub(super) rows: &'static [VersionRow],
    pub(super) place: usize,
}

impl ContractVersion {
    /// The newest of a table, which is not empty.
    pub(super) const fn last(of: &'static str, rows: &'static [VersionRow]) -> Self {
        Self { of, rows, place: rows.len().saturating_sub(1) }
    }

    fn row(&self) -> Option<&'static VersionRow> {
        self.rows.get(self.place)
    }

    /// Its name, without the dialect's.
    pub fn name(&self) -> &'static str {
        self.row().map_or("", |row| row.name)
    }

    /// What it is, in a line.
    pub fn summary(&self) -> &'static str {
        self.row().map_or("", |row| row.summary)
    }

    /// Whether the dialect has none after it.
    pub const fn is_newest(&self) -> bool {
        self.place.saturating_add(1) >= self.rows.len()
    }

    /// What came later.
    pub(crate) fn lacking(&self) -> impl Iterator<Item = Addition> + use<> {
        let later = self.rows.get(self.place.saturating_add(1)..).unwrap_or_default();
        let each = |row: &'static VersionRow| row.adds.iter().map(|additions| (row.name, additions));
        later.iter().flat_map(each).flat_map(|(since, Additions { part, event, names })| {
            names.iter().map(move |name| Addition { part: *part, event, name, since })
        })
    }

    /// The version that brought something, where this one lacks it.
    pub(crate) fn since(&self, part: Part, name: &str) -> Option<&'static str> {
        let found = self.lacking().find(|addition| addition.part == part && addition.name == name);
        found.map(|addition| addition.since)
    }

    /// Names of the members of payloads or outputs that came later, for all events or for this one.
    pub(crate) fn lacking_members(&self, part: Part, event: &str) -> Vec<&'static str> {
        let of_it = |addition: &Addition| {
            addition.part == part && (addition.event.is_empty() || addition.event == event)
        };
        self.lacking().filter(of_it).map(|addition| addition.name).collect()
    }

    /// A hook without the members that came later, and these with the version that brought them.
    pub(crate) fn without_later<'n>(
        &self,
        hook: &'n Node,
    ) -> (Cow<'n, Node>, Vec<(&'n Member, &'static str)>) {
        let since = |member: &'n Member| Some((member, self.since(Part::Field, &member.name)?));
        let later: Vec<_> = hook.members().iter().filter_map(since).collect();
        if later.is_empty() {
            return (Cow::Borrowed(hook), later);
        }
        let is_known = |member: &&Member| self.since(Part::Field, &member.name).is_none();
        let known = hook.members().iter().filter(is_known).cloned().collect();
        (Cow::Owned(Node { at: hook.at, kind: NodeKind::Object(known) }), later)
    }

    /// The settings that hold in it, as texts; a later one of a name takes the place of an earlier one.
    pub(crate) fn settings(&self) -> impl Iterator<Item = (&'static str, &'static str)> + use<> {
        let rows = self.rows.get(..=self.place).unwrap_or_default();
        rows.iter().flat_map(|row| row.settings.iter().copied())
    }

    /// The version of a table that a text names: a row's name, or a release between two rows, which has what the row before it
    /// has.
    pub(super) fn find(of: &'static str, rows: &'static [VersionRow], name: &str) -> Option<Self> {
        let at = |place: usize| Self { of, rows, place };
        if let Some(place) = rows.iter().position(|row| row.name == name) {
            return Some(at(place));
        }
        let wanted = release(name)?;
        let newest = release(rows.last()?.name)?;
        let place =
            rows.iter().rposition(|row| release(row.name).is_some_and(|release| release <= wanted))?;
        (wanted <= newest).then(|| at(place))
    }
}

/// A release as numbers, most three.
fn release(name: &str) -> Option<[u32; 3]> {
    let mut numbers = [0; 3];
    let mut parts = name.split('.');
    for (number, part) in numbers.iter_mut().zip(parts.by_ref()) {
        *number = part.parse().ok()?;
    }
    parts.next().is_none().then_some(numbers)
}

impl fmt::Display for ContractVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.of, self.name())
    }
}

impl fmt::Debug for ContractVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
