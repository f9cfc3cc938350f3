//! The files of modules: `import`, `include`, `modulemeta`, `~/.jq`. jq manual, Modules.
//!
//! A text is checked and its modules are searched before anything is compiled, those of a module after the module itself, the
//! last import of a text first, as jq reports what is wrong. What is loaded is then compiled together (`compile.rs`), modules
//! before those that use them.

use super::compile::{CompileError, Compiled, Fault, Link, Module, Target, compile, link};
use super::import::{Head, Import};
use super::parse::{Library, Parser, Shared};
use super::read;
use super::source;
use super::system::ORIGIN;
use super::text::Text;
use super::value::Value;
use super::work::Work;
use crate::memory::{BTreeMap, JoinMetered, String, ToMetered, ToMeteredString, Vec, format};
use crate::utility::file;
use crate::utility::prelude::{Context, UtilityError};
use crate::vfs::{Errno, FsError};
use memchr::memmem;

/// Where a filter and its modules are searched.
pub(super) struct Places {
    /// `-L`, or where jq searches without it.
    pub(super) library: Vec<String>,
    /// The directory of the filter's file, or the working directory.
    pub(super) origin: Vec<u8>,
}

/// The bytes of a file, or why it could not be read.
pub(super) async fn contents(
    ctx: &mut Context,
    name: &[u8],
) -> Result<Result<Vec<u8>, String>, UtilityError> {
    let read = match ctx.open_input(name) {
        Ok(mut input) => input.read_to_end().await,
        Err(error) => Err(error),
    };
    match read {
        Ok(bytes) => Ok(Ok(bytes)),
        Err(FsError::Limit(limit)) => Err(limit.into()),
        Err(FsError::Errno(Errno::IsDirectory)) => {
            Ok(Err(format!("Could not open {}: It's a directory", bstr::BStr::new(name))))
        }
        Err(FsError::Errno(errno)) => {
            Ok(Err(format!("Could not open {}: {}", bstr::BStr::new(name), errno.message())))
        }
    }
}

/// Whether the user has definitions for every filter: `~/.jq`, if it is a file.
pub(super) fn has_definitions_of_user(ctx: &Context) -> bool {
    let home = ctx.env.get(b"HOME").filter(|home| !home.is_empty());
    home.is_some_and(|home| is_file(ctx, &file::join(home, b".jq")))
}

/// Whether a filter can have modules, so that it is not the text alone that says what it does.
pub(super) fn may_import(filter: &[u8]) -> bool {
    [b"import".as_slice(), b"include"].iter().any(|word| memmem::find(filter, word).is_some())
}

/// Compiles a filter with its modules.
pub(super) async fn compile_with_modules(
    ctx: &mut Context,
    places: &Places,
    filter: &str,
    globals: &[&str],
) -> Result<Result<Compiled, CompileError>, UtilityError> {
    let mut shared = Shared { globals, ..Shared::default() };
    // What is wrong with it is told when it is compiled, which needs no modules then.
    let head = Parser::new(filter, &mut shared).only_head().unwrap_or_default();
    let mut imports = head.imports;
    if has_definitions_of_user(ctx) {
        imports.insert(0, Import::of_user(&ctx.env.get(b"HOME").map(source::shown).unwrap_or_default()));
    }
    if imports.is_empty() || Parser::new(filter, &mut shared).filter().is_err() {
        return Ok(compile(filter, globals));
    }
    let mut loading = Loading { places, modules: Vec::new(), found: BTreeMap::new(), faults: Vec::new() };
    let links = loading.load(ctx, imports).await?;
    if !loading.faults.is_empty() {
        return Ok(Err(CompileError(loading.faults)));
    }
    // Names are as many as modules times what each defines.
    ctx.may_take_long().await;
    Ok(link(&loading.modules, filter, &links, globals))
}

/// What `modulemeta` gives for a module, or the error that it raises.
pub(super) async fn metadata(
    ctx: &mut Context,
    places: &Places,
    name: &str,
) -> Result<Result<Value, String>, UtilityError> {
    let path = match search(ctx, places, &places.origin, None, name, b".jq") {
        Ok(path) => path,
        Err(problem) => return Ok(Err(problem.trim_end().to_metered_string())),
    };
    let text = match contents(ctx, &path).await? {
        Ok(bytes) => String::from_utf8_lossy(&bytes),
        Err(problem) => return Ok(Err(problem)),
    };
    let source = String::from_utf8_lossy(&path);
    match checked(ctx, &text, &source).await {
        Ok(Library { head: Head { metadata, imports }, definitions }) => {
            let mut shown = metadata.unwrap_or_default();
            let defined = definitions.iter().map(|one| Value::from(format!("{}/{}", one.name, one.arity)));
            let defined = Value::array(defined.collect());
            shown.insert(Text::Static("deps"), Value::array(imports.iter().map(Import::described).collect()));
            shown.insert(Text::Static("defs"), defined);
            Ok(Ok(Value::Object(shown)))
        }
        Err(error) => {
            for fault in error.0 {
                let said = format!("{}", CompileError(Vec::from([fault])));
                // The number of errors is not told here.
                let said = said.rsplit_once('\n').map_or("", |(said, _)| said);
                ctx.stderr.write(said.as_bytes()).await?;
                ctx.stderr.write(b"\n").await?;
                ctx.stderr.flush().await?;
            }
            Ok(Ok(Value::Null))
        }
    }
}

/// The syntax of a module.
async fn checked(ctx: &mut Context, text: &str, source: &str) -> Result<Library, CompileError> {
    ctx.compiles(text.as_bytes()).await;
    let mut shared = Shared::default();
    Parser::of(text, source, &[], &mut shared).library()
}

/// What stands at a file that was come to.
#[derive(Clone, Copy)]
enum Found {
    /// It is being loaded, so its imports lead back to it.
    Open,
    /// The module with that number.
    Module(usize),
}

/// A text whose imports are being loaded.
struct Visit {
    path: Vec<u8>,
    text: String,
    /// Those that are left; the last one comes first.
    imports: Vec<Import>,
    /// Those that are loaded, the last one first.
    links: Vec<Link>,
    /// The name under which the text that imports it has it.
    alias: Option<String>,
}

struct Loading<'p> {
    places: &'p Places,
    modules: Vec<Module>,
    found: BTreeMap<Vec<u8>, Found>,
    faults: Vec<Fault>,
}

impl Loading<'_> {
    /// Loads what the filter imports, and what that imports.
    async fn load(&mut self, ctx: &mut Context, imports: Vec<Import>) -> Result<Vec<Link>, UtilityError> {
        let main = Visit { path: Vec::new(), text: String::new(), imports, links: Vec::new(), alias: None };
        let mut open = Vec::from([main]);
        loop {
            ctx.tick().await?;
            let Some(mut visit) = open.pop() else { return Ok(Vec::new()) };
            if let Some(import) = visit.imports.pop() {
                let inner = self.import(ctx, &mut visit, import).await?;
                open.push(visit);
                open.extend(inner);
                continue;
            }
            visit.links.reverse();
            let Some(outer) = open.last_mut() else { return Ok(visit.links) };
            let number = self.modules.len();
            outer.links.push(Link { alias: visit.alias, target: Target::Module(number) });
            let source = String::from_utf8_lossy(&visit.path);
            self.found.insert(visit.path, Found::Module(number));
            self.modules.push(Module { source, text: visit.text, links: visit.links });
        }
    }

    /// One import of a text: a module that was not loaded before is given back.
    async fn import(
        &mut self,
        ctx: &mut Context,
        visit: &mut Visit,
        import: Import,
    ) -> Result<Option<Visit>, UtilityError> {
        let origin = if visit.path.is_empty() {
            self.places.origin.clone()
        } else {
            file::parent(&visit.path).to_metered()
        };
        let suffix: &[u8] = if import.is_data { b".json" } else { b".jq" };
        let path =
            match search(ctx, self.places, &origin, import.search().as_deref(), import.path.as_str(), suffix)
            {
                Ok(path) => path,
                Err(_) if import.says("optional") => return Ok(None),
                Err(problem) => {
                    self.faults.push(Fault::of_all(&problem));
                    // What this text imports besides is not looked at.
                    visit.imports.clear();
                    return Ok(None);
                }
            };
        if import.is_data {
            match data(ctx, &path, import.says("raw")).await? {
                Ok(value) => visit.links.push(Link { alias: import.alias, target: Target::Data(value) }),
                Err(problem) => {
                    let path = bstr::BStr::new(&path);
                    let problem = format!("loading data file {path}: {problem}\n");
                    self.faults.push(Fault::of_loading(&problem));
                }
            }
            return Ok(None);
        }
        match self.found.get(&path) {
            Some(Found::Module(number)) => {
                let target = Target::Module(*number);
                visit.links.push(Link { alias: import.alias, target });
                return Ok(None);
            }
            Some(Found::Open) => {
                let problem = format!("circular import of {}\n", bstr::BStr::new(&path));
                self.faults.push(Fault::of_all(&problem));
                return Ok(None);
            }
            None => {}
        }
        let text = match contents(ctx, &path).await? {
            Ok(bytes) => String::from_utf8_lossy(&bytes),
            Err(problem) => {
                self.faults.push(Fault::of_all(&format!("{problem}\n")));
                return Ok(None);
            }
        };
        match checked(ctx, &text, &String::from_utf8_lossy(&path)).await {
            Ok(library) => {
                self.found.insert(path.clone(), Found::Open);
                let imports = library.head.imports;
                Ok(Some(Visit { path, text, imports, links: Vec::new(), alias: import.alias }))
            }
            Err(error) => {
                self.faults.extend(error.0);
                Ok(None)
            }
        }
    }
}

/// The values of a JSON file as an array, or its text.
async fn data(ctx: &mut Context, path: &[u8], is_raw: bool) -> Result<Result<Value, String>, UtilityError> {
    let bytes = match contents(ctx, path).await? {
        Ok(bytes) => bytes,
        Err(problem) => return Ok(Err(problem)),
    };
    if is_raw {
        return Ok(Ok(Value::String(source::text(&bytes).await)));
    }
    let meter = std::sync::Arc::clone(&ctx.meter);
    let mut work = Work::new(&meter);
    match read::read_all(&bytes, &mut work) {
        Ok(values) => Ok(Ok(Value::array(values))),
        Err(read::ReadError::Stopped(_)) => Err(source::ended(&meter).into()),
        Err(read::ReadError::Syntax(problem)) => Ok(Err(problem)),
    }
}

/// The file of a module, without links in its path; or jq's words for why there is none.
fn search(
    ctx: &Context,
    places: &Places,
    origin: &[u8],
    given: Option<&[Text]>,
    name: &str,
    suffix: &[u8],
) -> Result<Vec<u8>, String> {
    let parts = || name.split('/');
    if parts().any(|part| part == "..") {
        return Err(format!("Relative paths to modules may not traverse to parent directories ({name})\n"));
    }
    if parts().zip(parts().skip(1)).any(|(one, next)| one == next) {
        return Err(format!("module names must not have equal consecutive components: {name}\n"));
    }
    let directories: Vec<Vec<u8>> = match given {
        Some(given) => given.iter().map(|one| directory(ctx, one.as_str(), origin)).collect(),
        None => places.library.iter().map(|one| directory(ctx, one, origin)).collect(),
    };
    let last = parts().next_back().unwrap_or_default();
    for directory in directories {
        let file = file::join(&directory, name.as_bytes());
        let within = file::join(&file, last.as_bytes());
        for candidate in [file, within] {
            let candidate = [candidate.as_slice(), suffix].concat_metered();
            if is_file(ctx, &candidate) {
                let resolved = ctx.path(&candidate).and_then(|path| ctx.fs().canonicalize(&path));
                return Ok(resolved.unwrap_or(candidate));
            }
        }
    }
    Err(format!("module not found: {name}\n"))
}

/// A directory of a search list as a path.
fn directory(ctx: &Context, name: &str, origin: &[u8]) -> Vec<u8> {
    let home = || ctx.env.get(b"HOME");
    if name == "." {
        ctx.absolute(b".")
    } else if let Some(rest) = name.strip_prefix("$ORIGIN/") {
        file::join(ORIGIN.as_bytes(), rest.as_bytes())
    } else if let (Some(rest), Some(home)) = (name.strip_prefix("~/"), home()) {
        file::join(home, rest.as_bytes())
    } else {
        crate::vfs::path::join(origin, name.as_bytes())
    }
}

fn is_file(ctx: &Context, path: &[u8]) -> bool {
    ctx.stat(path).is_ok_and(|found| !found.is_directory())
}
