//! The files that `hookbox check` reads beside a config: scripts of its project, of its plug-in, and of the folders that
//! `--seed` names.
//!
//! - A config in `.claude` belongs to the folder above it; so does one in the `hooks` or `.claude-plugin` folder of a plug-in. What
//!   is no file of settings belongs to the plug-in whose manifest lies beside it or a folder or two above, wherever its hooks
//!   lie there. Any other is taken for a file of its project's top folder, which is a guess, as it is for templates: there a file
//!   counts as missing only if the folder that it should be in is there, and files of a template as executable: who copies them
//!   sets that.
//! - Files are found from an open folder. Links are followed by what they say, name by name, as far as they stay in the folder;
//!   nothing above it is read.

use super::fire::split_seed;
use crate::hook::lint::{Found, Root, ScriptFile, ScriptFiles, ScriptPath};
use crate::vfs::fixture::host::{HostFolder, HostKind, MOST_TEXT};
use serde_json::Value;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

/// Bytes of a script that is read.
const MOST_SCRIPT: u64 = 1 << 20;
/// Links behind links that are followed.
const MOST_LINKS: u32 = 8;
/// Where a plug-in has its manifest.
pub(super) const MANIFESTS: &str = ".claude-plugin";
/// Its name.
const MANIFEST: &str = "plugin.json";
/// The list of plug-ins that a repository has.
pub(super) const LIST: &str = "marketplace.json";
/// Where a project lies in the session.
const PROJECT: &str = "/workspace";

/// See the module.
pub(super) struct HostScripts {
    project: Option<HostFolder>,
    /// Whether the project's folder is certain.
    is_certain: bool,
    /// Whether what is made of the files gets its modes then.
    is_pattern: bool,
    plugin: Option<HostFolder>,
    /// Path in the session, without a `/` at its end, and the folder that lies there.
    seeds: Vec<(String, HostFolder)>,
}

impl HostScripts {
    /// What a config may call. A folder of `--seed` that cannot be opened is an error.
    pub(super) fn new(config: &Path, seeds: &[String]) -> io::Result<Self> {
        let folder = config.parent().unwrap_or(Path::new(""));
        let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or("");
        let above = || folder.parent().and_then(|above| HostFolder::open(above).ok());
        let here = || HostFolder::open(folder).ok();
        let in_project = name == ".claude";
        let plugin = plugin_of(config);
        let in_plugin =
            plugin.is_some() || matches!(name, "hooks" | ".claude-plugin") && top_of(folder).is_none();
        // Agents and skills lie a folder or two below.
        let project = if in_project {
            above()
        } else if let Some(top) = top_of(folder) {
            HostFolder::open(top).ok()
        } else {
            here()
        };
        let seeds = seeds.iter().map(|text| {
            let (folder, path) = split_seed(text);
            Ok((path.trim_end_matches('/').to_owned(), HostFolder::open(Path::new(folder))?))
        });
        Ok(Self {
            project: project.filter(|_| !in_plugin),
            is_certain: (in_project || top_of(folder).is_some()) && !is_pattern(folder),
            is_pattern: is_pattern(folder),
            plugin: match plugin {
                Some(plugin) => HostFolder::open(&plugin).ok(),
                None if matches!(name, "hooks" | ".claude-plugin") => above(),
                None => here(),
            },
            seeds: seeds.collect::<io::Result<_>>()?,
        })
    }

    /// A path of the session in the folders of `--seed`.
    fn seeded(&self, path: &str) -> Option<Found> {
        let mut fitting: Vec<(&str, &HostFolder)> = self
            .seeds
            .iter()
            .filter_map(|(at, folder)| Some((path.strip_prefix(at.as_str())?.strip_prefix('/')?, folder)))
            .collect();
        // The deepest folder first: it lies over the others.
        fitting.sort_by_key(|(rest, _)| rest.len());
        fitting.first().map(|(rest, folder)| look(folder, rest, true))
    }
}

/// The plug-in that a config is of: by its manifest, beside the config or up to two folders above, or by a list of plug-ins there
/// that names the folder. The deepest folder counts.
pub(super) fn plugin_of(config: &Path) -> Option<PathBuf> {
    let name = config.file_name().and_then(|name| name.to_str()).unwrap_or("");
    if name.starts_with("settings") {
        return None;
    }
    let mut found: Vec<PathBuf> = Vec::new();
    for folder in config.ancestors().skip(1).take(3) {
        let Ok(manifests) = HostFolder::open(folder).and_then(|folder| folder.folder(MANIFESTS)) else {
            continue;
        };
        let manifest = manifests.read(MANIFEST, MOST_TEXT).ok();
        if manifest.is_some_and(|manifest| has(folder, &manifest.content, config)) {
            found.push(folder.to_owned());
        }
        let Ok(list) = manifests.read(LIST, MOST_TEXT) else { continue };
        let list: Value = serde_json::from_slice(&list.content).unwrap_or_default();
        let plugins = list.get("plugins").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let sources = plugins.iter().filter_map(|plugin| plugin.get("source")?.as_str());
        let sources = sources.map(|source| source.trim_start_matches("./").trim_end_matches('/'));
        let named =
            sources.map(|source| if source.is_empty() { folder.to_owned() } else { folder.join(source) });
        found.extend(named.filter(|plugin| config.starts_with(plugin)));
    }
    found.into_iter().max_by_key(|folder| folder.components().count())
}

/// Whether a plug-in with this manifest has the config: hooks in the project's `.claude` are another matter, unless it names them.
fn has(plugin: &Path, manifest: &[u8], config: &Path) -> bool {
    let Ok(place) = config.strip_prefix(plugin) else { return false };
    !place.starts_with(".claude") || names(manifest, place)
}

/// Whether a manifest names the file of hooks at a place of its plug-in.
fn names(manifest: &[u8], place: &Path) -> bool {
    let Ok(manifest) = serde_json::from_slice::<Value>(manifest) else { return false };
    let hooks = manifest.get("hooks").unwrap_or(&Value::Null);
    let paths = hooks.as_array().map_or(std::slice::from_ref(hooks), Vec::as_slice);
    let bare = |path: &str| path.trim_start_matches(['.', '/']).to_owned();
    let Some(place) = place.to_str().map(bare) else { return false };
    paths.iter().filter_map(Value::as_str).any(|path| bare(path) == place)
}

/// Whether a folder is one that others are made from: what its hooks call may lie in those only.
fn is_pattern(folder: &Path) -> bool {
    const PATTERNS: &[&str] =
        &["template", "example", "adapters", "skeleton", "fixture", "scaffold", "boilerplate"];
    let is_one = |name: &str| PATTERNS.iter().any(|pattern| name.contains(pattern));
    folder.iter().any(|name| name.to_str().is_some_and(is_one))
}

/// The project of a folder below its `.claude`.
fn top_of(folder: &Path) -> Option<&Path> {
    folder
        .ancestors()
        .skip(1)
        .take(3)
        .find(|above| above.file_name().is_some_and(|name| name == ".claude"))?
        .parent()
}

impl ScriptFiles for HostScripts {
    fn find(&self, path: &ScriptPath) -> Found {
        let in_folder = |folder: &Option<HostFolder>, is_certain| {
            folder.as_ref().map_or(Found::Unknown, |folder| look(folder, &path.path, is_certain))
        };
        let mut found = match path.root {
            Root::Project => {
                let seeded = self.seeded(&format!("{PROJECT}/{}", path.path));
                seeded.unwrap_or_else(|| in_folder(&self.project, self.is_certain))
            }
            Root::Plugin => in_folder(&self.plugin, self.project.is_none()),
            Root::Session => self.seeded(&format!("/{}", path.path)).unwrap_or(Found::Unknown),
        };
        if let Found::File(file) = &mut found {
            file.is_executable |= self.is_pattern;
        }
        found
    }
}

/// What lies at a path below a folder.
fn look(folder: &HostFolder, path: &str, is_certain: bool) -> Found {
    match read(folder, path) {
        Ok(found) => found,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // A folder is found as no file.
            let is_there = path
                .rsplit_once('/')
                .is_some_and(|(above, _)| matches!(read(folder, above), Ok(Found::Missing)));
            if is_certain || is_there { Found::Missing } else { Found::Unknown }
        }
        Err(_) => Found::Unknown,
    }
}

fn read(folder: &HostFolder, path: &str) -> io::Result<Found> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match walk(folder, &path)? {
            PathOutcome::Found(found) => return Ok(found),
            PathOutcome::Link(next) => path = next,
        }
    }
    Ok(Found::Unknown)
}

/// What a path came to.
enum PathOutcome {
    Found(Found),
    /// A link that stays in the folder: the path that it stands for.
    Link(String),
}

fn walk(top: &HostFolder, path: &str) -> io::Result<PathOutcome> {
    let mut folder = top.again()?;
    let names: Vec<&str> = path.split('/').collect();
    for (index, name) in names.iter().enumerate() {
        let rest = names.get(index + 1..).unwrap_or(&[]);
        match folder.kind(name)? {
            None => return Err(io::ErrorKind::NotFound.into()),
            Some(HostKind::Folder) if rest.is_empty() => return Ok(PathOutcome::Found(Found::Missing)),
            Some(HostKind::Folder) => folder = folder.folder(name)?,
            Some(HostKind::Other) => return Ok(PathOutcome::Found(Found::Unknown)),
            Some(HostKind::Link) => {
                let target = folder.read_link(OsStr::new(name))?;
                let next = target
                    .to_str()
                    .and_then(|target| led_on(names.get(..index).unwrap_or(&[]), target, rest));
                return Ok(next.map_or(PathOutcome::Found(Found::Unknown), PathOutcome::Link));
            }
            Some(HostKind::File) if !rest.is_empty() => return Err(io::ErrorKind::NotFound.into()),
            Some(HostKind::File) => {
                let file = folder.read(name, MOST_SCRIPT)?;
                let name = folder.path(name).display().to_string();
                let is_executable = file.mode & 0o111 != 0;
                return Ok(PathOutcome::Found(Found::File(ScriptFile {
                    name,
                    content: file.content,
                    is_executable,
                })));
            }
        }
    }
    Ok(PathOutcome::Found(Found::Unknown))
}

/// Where a link leads that lies below `before`; `None`: out of the folder.
fn led_on(before: &[&str], target: &str, rest: &[&str]) -> Option<String> {
    if target.starts_with('/') {
        return None;
    }
    let mut names = before.to_vec();
    for name in target.split('/').chain(rest.iter().copied()) {
        match name {
            "" | "." => {}
            ".." => {
                names.pop()?;
            }
            name => names.push(name),
        }
    }
    (!names.is_empty()).then(|| names.join("/"))
}
