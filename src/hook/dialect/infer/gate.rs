//! The gate (6 of the contract): which commands may run in which mode.
//!
//! A mode's list is the baseline and then its own (R10). A list with an entry like `.*` lets everything run (R26); otherwise
//! the command's text must pass the guard (`gate/guard.rs`), and what is left of it must match an entry whole (R28).

mod guard;

use crate::hook::matcher::{Regex, RegexCompiler};
use crate::hook::re2;
use serde_json::Value;

pub(super) use guard::{GuardVerdict, judge};

/// `mode.all.allow` where nothing else is said.
const DEFAULT_BASELINE: [&str; 26] = [
    "echo( .*)?",
    "ls( .*)?",
    "pwd( .*)?",
    "tree( .*)?",
    "wc( .*)?",
    "sort( .*)?",
    "uniq( .*)?",
    "head( .*)?",
    "tail( .*)?",
    "task( .*)?",
    "make( .*)?",
    "find( .*)?",
    "sleep( .*)?",
    "mkdir( .*)?",
    "ln( .*)?",
    "git status( .*)?",
    "git branch( --show-current)?( -[alrvd])?",
    "git log( .*)?",
    "git diff( .*)?",
    "git remote( -v)?",
    "git show( .*)?",
    "gh (issue|pr|repo|release|run|workflow) (list|view|status|diff|checks)( .*)?",
    "gh auth status( .*)?",
    "gh search (issues|code|prs|repos|commits)( .*)?",
    "gh project (list|view|item-list|field-list)( .*)?",
    "gh api repos/[^ ]+/contents/[^ ]+",
];
/// R26.
const SENTINELS: [&str; 8] = [".*", "^.*$", "^.*", ".*$", ".+", "^.+$", "^.+", ".+$"];
/// Modes with a list of their own.
const MODES: [&str; 3] = ["standard", "plan", "auto"];

/// Memory for the expressions of a list made by [`AllowList::new`], in bytes each.
const REGEX_BYTES: u64 = 1 << 20;

/// The allow-list of the tool `bash`, compiled.
#[derive(Debug)]
pub struct AllowList {
    baseline: Entries,
    modes: [Entries; 3],
}

#[derive(Debug, Default)]
struct Entries {
    is_unrestricted: bool,
    expressions: Vec<Regex>,
}

impl AllowList {
    /// Reads the object `tools` of the platform's config (`{"bash": {"mode": {"all": {"allow": [...]}}}}`); `append` has more
    /// entries of the baseline, separated by commas or newlines. Entries that are not valid expressions are left out.
    ///
    /// # Errors
    /// Something in it has the wrong type; a line.
    pub fn new(tools: Option<&Value>, append: Option<&str>) -> Result<Self, String> {
        Self::compile(tools, append, &mut RegexCompiler::new(REGEX_BYTES)).map(|(list, _)| list)
    }

    /// As [`Self::new`]; also a warning for each entry left out.
    pub(super) fn compile(
        tools: Option<&Value>,
        append: Option<&str>,
        regexes: &mut RegexCompiler,
    ) -> Result<(Self, Vec<String>), String> {
        let modes = member(member(tools, "tools", "bash")?, "tools.bash", "mode")?;
        let mut warnings = Vec::new();
        let mut compile = |entries: Vec<String>| Entries::compile(&entries, regexes, &mut warnings);
        let mut baseline =
            entries(modes, "all")?.unwrap_or_else(|| DEFAULT_BASELINE.map(str::to_owned).into());
        let appended = append.unwrap_or_default().split([',', '\n']).map(str::trim);
        baseline.extend(appended.filter(|entry| !entry.is_empty()).map(str::to_owned));
        let baseline = compile(baseline);
        let [standard, plan, auto] = MODES.map(|mode| entries(modes, mode));
        let auto = auto?.unwrap_or_else(|| vec![".*".to_owned()]);
        let modes = [standard?.unwrap_or_default(), plan?.unwrap_or_default(), auto].map(&mut compile);
        Ok((Self { baseline, modes }, warnings))
    }

    /// Whether `command` may run in `mode` (`standard`, `plan`, `auto`; any other has the baseline).
    ///
    /// # Errors
    /// It may not; the hint, empty when the command is clean but not listed (R29).
    pub fn check(&self, command: &str, mode: &str) -> Result<(), String> {
        self.check_verdict(&judge(command), mode)
    }

    /// Whether everything may run in `mode`.
    pub fn is_unrestricted(&self, mode: &str) -> bool {
        self.effective(mode).any(|entries| entries.is_unrestricted)
    }

    pub(super) fn check_verdict(&self, verdict: &GuardVerdict, mode: &str) -> Result<(), String> {
        match verdict {
            GuardVerdict::Empty => Err(String::new()),
            _ if self.is_unrestricted(mode) => Ok(()),
            GuardVerdict::Refused(hint) => Err(hint.clone()),
            GuardVerdict::Clean(text) if self.effective(mode).any(|entries| entries.match_whole(text)) => {
                Ok(())
            }
            GuardVerdict::Clean(_) => Err(String::new()),
        }
    }

    /// R10.
    fn effective<'a>(&'a self, mode: &'a str) -> impl Iterator<Item = &'a Entries> {
        let own = MODES.iter().zip(&self.modes).filter(move |(name, _)| **name == mode);
        std::iter::once(&self.baseline).chain(own.map(|(_, entries)| entries))
    }
}

impl Entries {
    fn compile(entries: &[String], regexes: &mut RegexCompiler, warnings: &mut Vec<String>) -> Self {
        let mut all = Self::default();
        for entry in entries {
            if SENTINELS.contains(&entry.trim()) {
                all.is_unrestricted = true;
                continue;
            }
            if entry.trim().is_empty() {
                continue;
            }
            // Alone first: `a)|(b` must not become valid by what is put around it.
            let compiled = re2::rewrite(entry).and_then(|entry| {
                regexes.compile(&entry)?;
                regexes.compile(&format!(r"\A(?s:{entry})\z"))
            });
            match compiled {
                Ok(regex) => all.expressions.push(regex),
                Err(why) => {
                    let entry = crate::hook::json::cut(entry, 120);
                    warnings.push(format!(
                        "allow-list entry `{entry}` is not a valid regex and is skipped: {why}"
                    ));
                }
            }
        }
        all
    }

    fn match_whole(&self, text: &str) -> bool {
        self.expressions.iter().any(|regex| regex.is_match(text))
    }
}

/// `parent.name`, an object; `null` counts as absent.
fn member<'v>(parent: Option<&'v Value>, path: &str, name: &str) -> Result<Option<&'v Value>, String> {
    match parent {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Object(object)) => Ok(object.get(name)),
        Some(_) => Err(format!("`{path}` must be an object")),
    }
}

/// The list of a mode.
fn entries(modes: Option<&Value>, mode: &str) -> Result<Option<Vec<String>>, String> {
    let list = member(member(modes, "tools.bash.mode", mode)?, &format!("tools.bash.mode.{mode}"), "allow")?;
    let Some(list) = list.filter(|list| !list.is_null()) else { return Ok(None) };
    let texts = list.as_array().and_then(|items| {
        items.iter().map(|item| item.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
    });
    texts.map(Some).ok_or_else(|| format!("`tools.bash.mode.{mode}.allow` must be a list of strings"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blank_command_is_refused_under_any_list() {
        let list = AllowList::new(None, Some(".*")).unwrap();
        assert!(list.is_unrestricted("x") && list.check("a | b", "x").is_ok());
        assert_eq!(list.check("  ", "x"), Err(String::new()));
    }
}
