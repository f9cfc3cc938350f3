//! Which files of cases a path stands for: a file, a folder `cases`, a fixture, or a folder of fixtures.

use crate::cli::CommandFailure;
use crate::document::Source;
use crate::hook::Dialect;
use crate::hook::case::{Case, CaseFile};
use crate::vfs::fixture::host::{HostFolder, HostKind, MOST_TEXT, kind_named};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Names that are looked at in one folder.
const MOST_NAMES: u64 = 100_000;

/// A file of cases on the host.
pub(in crate::cli) struct Place {
    pub(super) folder: Arc<HostFolder>,
    pub(super) name: OsString,
    /// The folder above: the fixture that the cases lie in.
    pub(in crate::cli) fixture: Arc<HostFolder>,
}

pub(in crate::cli) struct Loaded {
    pub(in crate::cli) path: PathBuf,
    pub(in crate::cli) place: Place,
    pub(super) text: String,
    pub(in crate::cli) file: CaseFile,
}

impl Loaded {
    /// `FILE:LINE` of one of its cases.
    pub(super) fn place_of(&self, case: &Case) -> String {
        let name = self.path.display().to_string();
        let source = Source::new(&name, self.text.as_bytes());
        let index = self.file.cases.iter().position(|other| std::ptr::eq(other, case));
        let at = index.and_then(|index| source.yaml("").ok()?.get("cases")?.as_array()?.get(index)?.at);
        match at {
            Some(at) => format!("{name}:{}", source.place(at).line),
            None => name,
        }
    }
}

/// What is said of a file that lies in no fixture.
pub(super) const ASTRAY: &str = "the file lies in no fixture: a file of cases is FIXTURE/cases/NAME.yaml, and beside `cases` lies the session's \
folder `tree` or a `fixture.yaml`, which may be empty (`hookbox init` makes one)";

/// Whether a file of cases that wants the fixture it lies in lies in none.
pub(super) fn is_astray(place: &Place) -> bool {
    let has = |name: &str| matches!(place.fixture.kind(name), Ok(Some(_)));
    !has("tree") && !has("fixture.yaml")
}

/// Reads all files of cases below the paths, sorted within each path.
pub(in crate::cli) fn load(paths: &[PathBuf]) -> Result<Vec<Loaded>, CommandFailure> {
    let mut files = Vec::new();
    for path in paths {
        for place in case_files(path)? {
            let path = place.folder.path(&place.name);
            let name = path.display().to_string();
            let read = place.folder.read(&place.name, MOST_TEXT).and_then(|read| {
                String::from_utf8(read.content)
                    .map_err(|error| std::io::Error::new(std::io::ErrorKind::InvalidData, error.utf8_error()))
            });
            let text = read.map_err(CommandFailure::host(name.as_str()))?;
            let file = CaseFile::parse(&text).map_err(|error| {
                let hint = what_else(&name, &text);
                CommandFailure::Other(format!("{name}: not a file of cases: {error}{hint}"))
            })?;
            files.push(Loaded { path, place, text, file });
        }
    }
    Ok(files)
}

/// The files of cases that a path stands for. What the user named may be reached through links; what lies in it may not.
fn case_files(path: &Path) -> Result<Vec<Place>, CommandFailure> {
    let kind = kind_named(path);
    if kind.is_none() {
        let message = format!(
            "{}: no such file or folder; name a file of cases (FIXTURE/cases/NAME.yaml), a fixture, or a folder of fixtures \
             (`hookbox init DIALECT DIR` writes one to begin with)",
            path.display()
        );
        return Err(CommandFailure::Other(message));
    }
    if kind != Some(HostKind::Folder) {
        let folder = HostFolder::open(path.parent().unwrap_or(Path::new(""))).map_err(at(path))?;
        let name = path.file_name().unwrap_or(OsStr::new(".")).to_owned();
        let fixture = Arc::new(folder.above().map_err(at(path))?);
        return Ok(vec![Place { folder: Arc::new(folder), name, fixture }]);
    }
    let folder = HostFolder::open(path).map_err(at(path))?;
    if path.file_name().is_some_and(|name| name == "cases") {
        let fixture = folder.above().map_err(at(path))?;
        return yaml_files(folder, fixture);
    }
    if let Some(cases) = cases_of(&folder)? {
        return yaml_files(cases, folder);
    }
    let mut files = Vec::new();
    for name in folder.names(MOST_NAMES).map_err(at(path))? {
        let below = folder.path(&name);
        // A link to a folder may be meant as a fixture, one to a file not.
        let is_fixture = match folder.kind(&name).map_err(at(&below))? {
            Some(HostKind::Folder) => true,
            Some(HostKind::Link) => kind_named(&below) == Some(HostKind::Folder),
            _ => false,
        };
        if is_fixture {
            let fixture = folder.folder(&name).map_err(at(&below))?;
            if let Some(cases) = cases_of(&fixture)? {
                files.extend(yaml_files(cases, fixture)?);
            }
        }
    }
    Ok(files)
}

/// The folder `cases` of a fixture, if it has one.
fn cases_of(fixture: &HostFolder) -> Result<Option<HostFolder>, CommandFailure> {
    let failed = |cause| at(&fixture.path("cases"))(cause);
    match fixture.kind("cases").map_err(failed)? {
        Some(HostKind::Folder | HostKind::Link) => fixture.folder("cases").map(Some).map_err(failed),
        _ => Ok(None),
    }
}

fn yaml_files(cases: HostFolder, fixture: HostFolder) -> Result<Vec<Place>, CommandFailure> {
    let names = cases.names(MOST_NAMES).map_err(at(cases.own_path()))?;
    let (folder, fixture) = (Arc::new(cases), Arc::new(fixture));
    let is_yaml =
        |name: &OsString| Path::new(name).extension().is_some_and(|end| end == "yaml" || end == "yml");
    let place = |name| Place { folder: Arc::clone(&folder), name, fixture: Arc::clone(&fixture) };
    Ok(names.into_iter().filter(is_yaml).map(place).collect())
}

pub(super) fn at(path: &Path) -> impl FnOnce(std::io::Error) -> CommandFailure {
    CommandFailure::host(path.display().to_string())
}

/// What a file is that is not one of cases, and what can be done with it.
fn what_else(name: &str, text: &str) -> String {
    match Dialect::detect(name, text.as_bytes()) {
        Ok(dialect) => format!("\n  it is a config of {dialect}: `hookbox check {name}` looks at it"),
        Err(_) => String::new(),
    }
}
