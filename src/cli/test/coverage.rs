//! What no case came to: hooks that no case ran, and commands and branches of their scripts that no case took.
//!
//! Scripts are those of the hooks themselves and the shell scripts in the `tree` of a fixture that the hooks, or what they run,
//! name. What a script computes and evaluates, and what stubs do, is nobody's to cover.

use super::Ran;
use super::place::Loaded;
use crate::hook::Dialect;
use crate::hook::case::{Case, ConfigPlace, SeenConfig};
use crate::machine::points;
use crate::trace::{Hits, Noted, Point};
use crate::vfs::fixture::host::{HostFolder, HostKind};
use crate::visible;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Names that are looked at in the trees of fixtures.
const MOST_NAMES: u64 = 20_000;
/// Bytes of a script that is looked at.
const MOST_SCRIPT: u64 = 1 << 20;

/// See the module.
#[derive(Default)]
pub(super) struct Coverage {
    configs: BTreeMap<String, Vec<HookCoverage>>,
    pub(super) scripts: Vec<ScriptCoverage>,
    /// There was more than is kept.
    is_cut: bool,
}

struct HookCoverage {
    id: String,
    event: &'static str,
    ran: bool,
}

/// A script and how often each of its points was passed.
pub(super) struct ScriptCoverage {
    /// For people: its file, or its config and hook.
    pub(super) name: String,
    /// Its file on the host, if it has one, or that of its config.
    pub(super) file: Option<PathBuf>,
    /// The config that it stands in, and its dialect.
    pub(super) config: Option<(Dialect, String)>,
    pub(super) text: Vec<u8>,
    pub(super) points: Vec<((u32, Point), Hits)>,
}

/// How many there are and how many a case came to.
#[derive(Clone, Copy, Default)]
pub(super) struct Count {
    pub(super) all: usize,
    pub(super) hit: usize,
}

impl Coverage {
    /// Takes what the runs noted.
    pub(super) fn of(jobs: &[(&Loaded, &Case)], results: &mut [Ran]) -> Self {
        let mut coverage = Self::default();
        let mut noted = Noted::default();
        let mut texts: Vec<Vec<u8>> = Vec::new();
        let mut trees: Vec<PathBuf> = Vec::new();
        for ((loaded, case), ran) in jobs.iter().zip(results) {
            noted.add(std::mem::take(&mut ran.noted));
            let Some(seen) = ran.result.as_ref().ok().and_then(|result| result.seen.as_ref()) else {
                continue;
            };
            let own = loaded.place.fixture.own_path();
            let beside = match &seen.place {
                ConfigPlace::Session { fixture: Some(name), .. } => {
                    own.parent().map(|above| above.join(name))
                }
                _ => None,
            };
            let tree = beside.as_deref().unwrap_or(own).join("tree");
            coverage.config(loaded, case, seen, &tree);
            texts.push(seen.text.clone().into_bytes());
            if !trees.contains(&tree) {
                trees.push(tree);
            }
        }
        texts.dedup();
        texts.extend(noted.scripts.iter().map(|script| script.text.clone()));
        for tree in trees {
            coverage.files(&tree, &texts);
        }
        for script in &mut coverage.scripts {
            let passed = noted.scripts.iter().find(|notes| notes.text == script.text);
            for (point, hits) in &mut script.points {
                *hits = passed.and_then(|notes| notes.points.get(point)).copied().unwrap_or_default();
            }
        }
        coverage.is_cut = noted.is_cut;
        coverage
    }

    /// Adds a config that a case has loaded.
    fn config(&mut self, loaded: &Loaded, case: &Case, seen: &SeenConfig, tree: &Path) {
        let (name, file) = match &seen.place {
            ConfigPlace::Session { name, .. } => {
                let file = tree.join(name.trim_start_matches("/workspace/"));
                (file.display().to_string(), Some(file))
            }
            ConfigPlace::CaseFile => (loaded.path.display().to_string(), None),
            ConfigPlace::Case => (format!("{}: {}", loaded.path.display(), case.name), None),
        };
        let hooks = self.configs.entry(name.clone()).or_default();
        for (index, hook) in seen.hooks.iter().enumerate() {
            match hooks.get_mut(index).filter(|known| known.id == hook.id) {
                Some(known) => known.ran |= hook.ran,
                None => hooks.push(HookCoverage { id: hook.id.clone(), event: hook.event, ran: hook.ran }),
            }
            let Some(text) = &hook.script else { continue };
            if self.scripts.iter().all(|known| known.text != *text) {
                self.scripts.push(ScriptCoverage {
                    name: format!("{name}: {}", hook.id),
                    file: file.clone(),
                    config: Some((seen.dialect, seen.text.clone())),
                    points: unpassed(text),
                    text: text.clone(),
                });
            }
        }
    }

    /// Adds the shell scripts below a folder that one of the texts names.
    fn files(&mut self, tree: &Path, texts: &[Vec<u8>]) {
        let mut left = MOST_NAMES;
        let mut folders: Vec<HostFolder> = HostFolder::open(tree).into_iter().collect();
        while let Some(folder) = folders.pop() {
            for name in folder.names(left).unwrap_or_default() {
                left = left.saturating_sub(1);
                match folder.kind(&name) {
                    Ok(Some(HostKind::Folder)) => folders.extend(folder.folder(&name)),
                    Ok(Some(HostKind::File)) => {
                        let named = name.to_str().is_some_and(|name| {
                            texts.iter().any(|text| memchr::memmem::find(text, name.as_bytes()).is_some())
                        });
                        let read = if named { folder.read(&name, MOST_SCRIPT).ok() } else { None };
                        if let Some(file) = read.filter(|file| is_shell(Path::new(&name), &file.content)) {
                            let path = folder.path(&name);
                            self.scripts.push(ScriptCoverage {
                                name: path.display().to_string(),
                                file: Some(path),
                                config: None,
                                points: unpassed(&file.content),
                                text: file.content,
                            });
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// The figures, and a line for each thing that no case came to.
    pub(super) fn text(&self) -> String {
        let mut missing = String::new();
        let mut hooks = Count::default();
        for (name, of_config) in &self.configs {
            for hook in of_config {
                hooks.add(hook.ran);
                if !hook.ran {
                    let line = format!("{name}: no case ran {} on {}", hook.id, hook.event);
                    let _ = writeln!(missing, "{}", visible::line(&line));
                }
            }
        }
        let (mut commands, mut branches) = (Count::default(), Count::default());
        for script in &self.scripts {
            let (own_commands, own_branches) = script.counts();
            commands = commands.plus(own_commands);
            branches = branches.plus(own_branches);
            let gaps = script.gaps();
            if gaps.is_empty() {
                continue;
            }
            let name = visible::line(&script.name);
            let _ = writeln!(missing, "{name}: {own_commands} commands, {own_branches} branches");
            for gap in gaps {
                let _ = writeln!(missing, "  {:>4}  {:<14} {}", gap.line, gap.what, visible::line(&gap.text));
            }
        }
        let cut =
            if self.is_cut { "\nthere was more than a trace keeps: the figures are too low" } else { "" };
        format!("{missing}coverage: {hooks} hooks, {commands} commands, {branches} branches{cut}\n")
    }

    /// The same as a document.
    pub(super) fn json(&self) -> Value {
        let hooks = self.configs.iter().flat_map(|(name, hooks)| {
            hooks.iter().map(
                move |hook| json!({"config": name, "hook": hook.id, "event": hook.event, "ran": hook.ran}),
            )
        });
        let scripts = self.scripts.iter().map(|script| {
            let (commands, branches) = script.counts();
            let missing = script.gaps().into_iter().map(|gap| {
                json!({"line": gap.line, "column": gap.column, "what": gap.what, "text": gap.text})
            });
            let (name, missing) = (&script.name, missing.collect::<Vec<_>>());
            json!({"script": name, "commands": commands.json(), "branches": branches.json(), "missing": missing})
        });
        json!({"hooks": hooks.collect::<Vec<_>>(), "scripts": scripts.collect::<Vec<_>>(), "is_cut": self.is_cut})
    }
}

/// Something that no case came to.
struct Gap {
    line: usize,
    column: usize,
    what: &'static str,
    /// What stands there.
    text: String,
}

impl ScriptCoverage {
    /// Commands, and outcomes of decisions.
    pub(super) fn counts(&self) -> (Count, Count) {
        let (mut commands, mut branches) = (Count::default(), Count::default());
        for ((_, point), [yes, no]) in &self.points {
            match point {
                Point::Command => commands.add(yes + no > 0),
                Point::Condition => {
                    branches.add(*yes > 0);
                    branches.add(*no > 0);
                }
                Point::Arm | Point::NoArm => branches.add(yes + no > 0),
            }
        }
        (commands, branches)
    }

    /// Line and column, from 1.
    pub(super) fn place(&self, at: u32) -> (usize, usize) {
        let before = self.text.get(..at as usize).unwrap_or(&self.text);
        let line = memchr::memchr_iter(b'\n', before).count() + 1;
        let begin = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        (line, before.len() - begin + 1)
    }

    fn gaps(&self) -> Vec<Gap> {
        let mut gaps = Vec::new();
        for ((at, point), [yes, no]) in &self.points {
            let what = match (point, *yes, *no) {
                (Point::Command, 0, 0) => "never ran",
                // Of a decision that nobody came to, its command is told.
                (Point::Condition, 0, 0) => continue,
                (Point::Condition, 0, _) => "never true",
                (Point::Condition, _, 0) => "never false",
                (Point::Arm, 0, 0) => "never taken",
                (Point::NoArm, 0, 0) => "always an arm",
                _ => continue,
            };
            let (line, column) = self.place(*at);
            let rest = self.text.get(*at as usize..).unwrap_or_default();
            let text = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
            let text = visible::cut(&String::from_utf8_lossy(text), 70).trim_end().to_owned();
            gaps.push(Gap { line, column, what, text });
        }
        gaps
    }
}

impl Count {
    fn add(&mut self, is_hit: bool) {
        self.all += 1;
        self.hit += usize::from(is_hit);
    }

    const fn plus(self, other: Self) -> Self {
        Self { all: self.all + other.all, hit: self.hit + other.hit }
    }

    fn json(self) -> Value {
        json!({"all": self.all, "hit": self.hit})
    }
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {}", self.hit, self.all)
    }
}

/// All points of a script, in its order.
fn unpassed(text: &[u8]) -> Vec<((u32, Point), Hits)> {
    let mut points: Vec<_> = points(text).into_iter().map(|point| (point, [0, 0])).collect();
    points.sort_by_key(|(point, _)| *point);
    points.dedup_by_key(|(point, _)| *point);
    points
}

/// By its name, or by its first line.
fn is_shell(name: &Path, text: &[u8]) -> bool {
    let first = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_called = |shell: &[u8]| {
        first.ends_with(shell) || memchr::memmem::find(first, &[shell, b" "].concat()).is_some()
    };
    name.extension().is_some_and(|end| end == "sh" || end == "bash")
        || first.starts_with(b"#!")
            && [b"/sh".as_slice(), b"/bash", b"env bash", b"env sh"].iter().any(|shell| is_called(shell))
}
