//! A plug-in of Claude Code: its folder on the host, its name, the hooks that it declares, and where it lies in the session.
//!
//! Hooks are in `hooks/hooks.json` and in what `hooks` of `.claude-plugin/plugin.json` names: a file, a list of files and
//! objects, or an object. All files are read from the open folder: a link or `..` in a manifest leads nowhere else.

use super::CommandFailure;
use crate::hook::{Contribution, LoadOptions};
use crate::vfs::FileSystem;
use crate::vfs::fixture::host::{HostFolder, HostKind, MOST_TEXT};
use crate::vfs::fixture::{Skipped, seed_anywhere};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

const MANIFEST: &str = ".claude-plugin/plugin.json";
const USUAL: &str = "hooks/hooks.json";

/// See the module.
pub(super) struct Plugin {
    path: PathBuf,
    folder: HostFolder,
    name: String,
    manifest: Map<String, Value>,
    /// Where it is in the session, and the folder that it may write.
    root: String,
    data: String,
}

impl Plugin {
    /// Opens the folder and reads the manifest, if there is one.
    pub(super) fn open(path: &Path, options: &LoadOptions) -> Result<Self, CommandFailure> {
        let folder = HostFolder::open(path).map_err(CommandFailure::host(path.display().to_string()))?;
        let manifest = match read_json(&folder, MANIFEST)? {
            Some(Value::Object(manifest)) => manifest,
            Some(_) => return Err(wrong(&folder, MANIFEST, "an object is wanted")),
            None => Map::new(),
        };
        let own = path.file_name().map(|name| name.to_string_lossy().into_owned());
        let name = manifest.get("name").and_then(Value::as_str).map(str::to_owned).or(own);
        let is_name = |name: &String| !name.is_empty() && !name.starts_with('.') && !name.contains('/');
        let name = name.filter(is_name).unwrap_or_else(|| "plugin".to_owned());
        let setting = |setting: &str| options.settings.get(setting).and_then(Value::as_str);
        let home = setting("home").unwrap_or("/home/agent");
        let given = |member: &str| {
            let path = options.settings.get("plugins")?.get(&name)?.get(member)?.as_str()?;
            Some(path.to_owned())
        };
        let root = given("root").unwrap_or_else(|| format!("{home}/.claude/plugins/{name}"));
        let data = given("data").unwrap_or_else(|| format!("{home}/.claude/plugins/data/{name}"));
        Ok(Self { path: path.to_owned(), folder, name, manifest, root, data })
    }

    /// Tells the dialect of the plug-in, and of its hooks beyond the first text, which is the config.
    pub(super) fn declare(
        &self,
        config: Option<Vec<u8>>,
        options: &mut LoadOptions,
    ) -> Result<Vec<u8>, CommandFailure> {
        let origin = format!("plugin:{}", self.name);
        options.settings.entry("source").or_insert_with(|| origin.as_str().into());
        let plugins = options.settings.entry("plugins").or_insert_with(|| json!({}));
        if !plugins[&self.name].is_object() {
            plugins[&self.name] = json!({});
        }
        plugins[&self.name]["root"] = self.root.as_str().into();
        plugins[&self.name]["data"] = self.data.as_str().into();
        if let Some(config) = config {
            return Ok(config);
        }
        let mut texts = Vec::new();
        if let Some(text) = read(&self.folder, USUAL)? {
            texts.push((USUAL.to_owned(), text));
        }
        match self.manifest.get("hooks") {
            None => {}
            Some(Value::Array(declared)) => {
                declared.iter().try_for_each(|declared| self.declared(declared, &mut texts))?;
            }
            Some(declared) => self.declared(declared, &mut texts)?,
        }
        let mut texts = texts.into_iter();
        let Some((name, text)) = texts.next() else {
            let message = format!("no hooks: neither {USUAL} nor `hooks` of {MANIFEST} is there");
            return Err(CommandFailure::Other(format!("{}: {message}", self.path.display())));
        };
        options.name = self.folder.path(&name).display().to_string();
        for (name, text) in texts {
            let hooks = serde_json::from_slice(&text)
                .map_err(|error| wrong(&self.folder, &name, &error.to_string()))?;
            options.contributions.push(Contribution { origin: origin.clone(), hooks: vec![hooks] });
        }
        Ok(text)
    }

    /// One declaration of the manifest.
    fn declared(&self, declared: &Value, texts: &mut Vec<(String, Vec<u8>)>) -> Result<(), CommandFailure> {
        match declared {
            Value::Object(members) => {
                // The manifest may have the events themselves; a file has them under `hooks`.
                let is_file = members.get("hooks").is_some_and(Value::is_object);
                let text = if is_file {
                    declared.to_string()
                } else {
                    serde_json::json!({"hooks": declared}).to_string()
                };
                texts.push((MANIFEST.to_owned(), text.into_bytes()));
            }
            Value::String(name) => {
                let name = name.trim_start_matches("./");
                // The usual file counts once, whether it is named or not.
                if texts.iter().all(|(known, _)| known != name) {
                    let text = read(&self.folder, name)?.ok_or_else(|| {
                        wrong(&self.folder, MANIFEST, &format!("`hooks`: there is no {name}"))
                    })?;
                    texts.push((name.to_owned(), text));
                }
            }
            _ => {
                let why = "`hooks` must be a path, an object, or a list of those";
                return Err(wrong(&self.folder, MANIFEST, why));
            }
        }
        Ok(())
    }

    /// Copies the folder into the session; says what was left out.
    pub(super) fn seed(&self, files: &FileSystem) -> Result<Vec<Skipped>, CommandFailure> {
        // Before the seed, which makes missing folders as root. Where the user may not make it, the plug-in cannot either; that
        // is its hook's to say.
        let _ = files.create_dir_all(self.data.as_bytes(), 0o755);
        Ok(seed_anywhere(files, &self.path, self.root.as_bytes())?)
    }
}

fn wrong(folder: &HostFolder, name: &str, why: &str) -> CommandFailure {
    CommandFailure::Other(format!("{}: {why}", folder.path(name).display()))
}

/// A file of the folder; `None` where nothing is.
fn read(folder: &HostFolder, name: &str) -> Result<Option<Vec<u8>>, CommandFailure> {
    let failed = |cause| CommandFailure::host(folder.path(name).display().to_string())(cause);
    match folder.kind(name) {
        Ok(Some(HostKind::Folder)) => Err(wrong(folder, name, "is a folder")),
        Ok(Some(_)) => folder.read(name, MOST_TEXT).map(|file| Some(file.content)).map_err(failed),
        Ok(None) => Ok(None),
        Err(error) => Err(failed(error)),
    }
}

fn read_json(folder: &HostFolder, name: &str) -> Result<Option<Value>, CommandFailure> {
    let Some(text) = read(folder, name)? else { return Ok(None) };
    serde_json::from_slice(&text).map(Some).map_err(|error| wrong(folder, name, &error.to_string()))
}
