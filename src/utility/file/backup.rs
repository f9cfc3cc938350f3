//! Backups of files that are about to be replaced, for `cp`, `mv`, `ln` and `install`: `name~`, or `name.~N~` with a number
//! that counts up.

use super::walk::read_directory;
use super::{last_component, parent};
use crate::memory::{JoinMetered, ToMetered, Vec, format};
use crate::text::Text;
use crate::utility::context::options::options;
use crate::utility::format::keyword::keyword;
use crate::utility::{Context, OptionSet, Options, UtilityError};
use crate::vfs::{Errno, FsError};

options! {
    pub(in crate::utility) enum BackupOpt {
        Backup = optional('\0', "backup", "CONTROL", "make a backup of each existing destination file: none (off), numbered (t), existing (nil), simple (never)"),
        Simple = flag('b', "", "like --backup but does not accept an argument"),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Naming {
    /// `name` and the suffix.
    Simple,
    /// Numbered where the file has numbered backups, else simple.
    Existing,
    /// `name.~N~`
    Numbered,
}

/// How backups are named.
#[derive(Clone, Debug)]
pub(crate) struct Backups {
    naming: Naming,
    suffix: Vec<u8>,
}

/// Whether an option is given that asks for backups, or says how they are named; `suffix` is the utility's `-S`.
pub(in crate::utility) fn are_asked_for<O: OptionSet + From<BackupOpt>>(
    options: &Options<O>,
    suffix: O,
) -> bool {
    options.has_any([BackupOpt::Backup, BackupOpt::Simple]) || options.has(suffix)
}

impl Backups {
    /// What the options and the environment ask for; `None`: no backups. `suffix` is the utility's `-S`.
    pub(in crate::utility) fn of<O: OptionSet + From<BackupOpt>>(
        ctx: &Context,
        options: &Options<O>,
        suffix: O,
    ) -> Result<Option<Self>, UtilityError> {
        if !are_asked_for(options, suffix) {
            return Ok(None);
        }
        let rows: [(&[&str], Option<Naming>); 4] = [
            (&["none", "off"], None),
            (&["simple", "never"], Some(Naming::Simple)),
            (&["existing", "nil"], Some(Naming::Existing)),
            (&["numbered", "t"], Some(Naming::Numbered)),
        ];
        let given = options.value(BackupOpt::Backup).filter(|word| !word.is_empty());
        let naming = match given {
            Some(word) => keyword("backup type", &rows, word)?,
            None => match ctx.env.get(b"VERSION_CONTROL").filter(|word| !word.is_empty()) {
                Some(word) => keyword("$VERSION_CONTROL", &rows, word)?,
                None => Some(Naming::Existing),
            },
        };
        let suffix = options.value(suffix).or_else(|| ctx.env.get(b"SIMPLE_BACKUP_SUFFIX"));
        let suffix = suffix.filter(|suffix| !suffix.is_empty() && !suffix.contains(&b'/'));
        let suffix = suffix.map_or_else(|| b"~".to_metered(), |suffix| suffix.to_metered());
        Ok(naming.map(|naming| Self { naming, suffix }))
    }

    /// Whether no backup takes the place of another.
    pub(crate) fn are_numbered(&self) -> bool {
        self.naming == Naming::Numbered
    }

    /// The name that a simple backup of `path` has.
    pub(crate) fn simple_name(&self, path: &[u8]) -> Vec<u8> {
        [path, &self.suffix].concat_metered()
    }

    /// The name of the next backup of `path`.
    pub(crate) fn name(&self, ctx: &Context, path: &[u8]) -> Result<Vec<u8>, FsError> {
        if self.naming == Naming::Simple {
            return Ok(self.simple_name(path));
        }
        let end = path.iter().rposition(|&byte| byte != b'/').map_or(0, |last| last + 1);
        let path = path.get(..end).unwrap_or(path);
        let base = last_component(path);
        let highest = match read_directory(ctx, parent(path)) {
            Ok(entries) => entries.iter().filter_map(|entry| number(&entry.name, base)).max(),
            Err(error @ FsError::Limit(_)) => return Err(error),
            Err(FsError::Errno(_)) => None,
        };
        match highest {
            None if self.naming == Naming::Existing => Ok(self.simple_name(path)),
            highest => {
                let next = highest.unwrap_or(0).checked_add(1).ok_or(Errno::FileTooBig)?;
                Ok([path, format!(".~{next}~").as_bytes()].concat_metered())
            }
        }
    }

    /// Moves `path` aside and gives the backup's name; `None` where there was nothing.
    pub(crate) fn make(&self, ctx: &Context, path: &[u8]) -> Result<Option<Vec<u8>>, FsError> {
        let name = self.name(ctx, path)?;
        match ctx.fs().rename(&ctx.absolute(path), &ctx.absolute(&name)) {
            Ok(()) => Ok(Some(name)),
            Err(FsError::Errno(Errno::NotFound)) => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// The number of a numbered backup of `base`.
fn number(name: &Text, base: &[u8]) -> Option<u64> {
    let digits = name.strip_prefix(base)?.strip_prefix(b".~")?.strip_suffix(b"~")?;
    let counts = matches!(digits, [b'1'..=b'9', rest @ ..] if rest.iter().all(u8::is_ascii_digit));
    if counts { std::str::from_utf8(digits).ok()?.parse().ok() } else { None }
}
