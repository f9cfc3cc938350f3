//! The scripts that hooks call: found, read, and looked at as what they are to the hook.
//!
//! 1. [`Follow::hook`] notes which files a hook's text calls, and [`Follow::read`] what those call in their turn. A file that is
//!    not there, or not executable, is a finding where it is called.
//! 2. [`Follow::findings`] looks at each file once for each event that leads to it. What is wrong only for one of several events is
//!    not told: such a script asks for the event itself.
//!
//! Files are found by the caller of the linter ([`ScriptFiles`]); here nothing is opened.

use super::calls::{FileCall, How, calls, interpreter_of};
use super::place::{Root, Scope, ScriptPath};
use super::rule::{COMMAND_MISSING, SCRIPT_MISSING, SCRIPT_NOT_EXECUTABLE};
use super::{Finding, Fix, HookLint, LintOptions};
use crate::document::Source;
use crate::hook::dialect::list::Dialect;
use crate::hook::portable::{self, PortableHandler, PortableHook};
use crate::inspect::{CommandView, LostExit, View, WordView};
use rustc_hash::{FxHashMap, FxHashSet};

/// Files of one config that are read.
const MOST_FILES: usize = 300;
/// Files that a file calls that a file calls.
const MOST_NESTING: u32 = 6;
/// Events for which one file is looked at.
const MOST_EVENTS: usize = 8;

/// Where the linter finds the files that hooks call.
pub trait ScriptFiles {
    /// What is at a place.
    fn find(&self, path: &ScriptPath) -> Found;
}

/// What is at a place.
#[derive(Clone, Debug)]
pub enum Found {
    /// A file.
    File(ScriptFile),
    /// Nothing, or a folder.
    Missing,
    /// It cannot be told: the place is not among what may be read.
    Unknown,
}

/// A file that a hook calls.
#[derive(Clone, Debug)]
pub struct ScriptFile {
    /// How messages name it.
    pub name: String,
    /// Its bytes.
    pub content: Vec<u8>,
    /// Whether it may be called by its path.
    pub is_executable: bool,
}

/// What a file is to the hook that leads to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Role {
    /// Its output and status are the hook's: the config's own text, or a script called as the hook.
    Hook,
    /// It runs in the shell of a hook's script: functions, settings.
    Library,
    /// A program of a script.
    Helper,
}

/// Names that the files of a config define.
pub(super) struct Beside<'s> {
    pub(super) functions: FxHashSet<&'s str>,
    pub(super) variables: FxHashSet<&'s str>,
}

/// A way to a file.
#[derive(Clone, Copy)]
struct Use {
    hook: usize,
    role: Role,
    /// Whether its arguments have text of the payload in them.
    has_payload: bool,
    /// Whether it has arguments, or may have.
    has_arguments: bool,
}

/// A file that was read.
struct FollowedScript {
    name: String,
    text: String,
    view: View,
    lost_exits: Vec<LostExit>,
    uses: Vec<Use>,
}

/// See the module.
pub(super) struct Follow<'h> {
    files: &'h dyn ScriptFiles,
    options: &'h LintOptions<'h>,
    dialect: Dialect,
    scripts: Vec<FollowedScript>,
    places: FxHashMap<ScriptPath, usize>,
    findings: Vec<Finding>,
    reported: FxHashSet<(ScriptPath, Option<usize>)>,
}

impl<'h> Follow<'h> {
    pub(super) fn new(files: &'h dyn ScriptFiles, options: &'h LintOptions<'h>, dialect: Dialect) -> Self {
        Self {
            files,
            options,
            dialect,
            scripts: Vec::new(),
            places: FxHashMap::default(),
            findings: Vec::new(),
            reported: FxHashSet::default(),
        }
    }

    /// Notes what a hook's text, or the program that it names, calls.
    pub(super) fn hook(&mut self, index: usize, lint: &mut HookLint<'_>) {
        let hook = lint.hook;
        let (text, view) = match &hook.handler {
            PortableHandler::Script(text) => {
                let (text, _) = super::reached(text);
                (text, crate::inspect::inspect(text.as_bytes()))
            }
            PortableHandler::Program { name, arguments } => ("", program_view(name, arguments)),
            PortableHandler::Other(_) => return,
        };
        let has_payload = |arguments: &[WordView]| {
            arguments.iter().any(|word| word.source.contains("$(") && word.source.contains("jq"))
        };
        for call in calls(text, &view, &mut Scope::default()) {
            let role = if call.is_answer { Role::Hook } else { Role::Helper };
            let way = Use {
                hook: index,
                role,
                has_payload: has_payload(call.arguments),
                has_arguments: !call.arguments.is_empty(),
            };
            self.call(&call, way, lint, 0);
        }
    }

    /// Notes one call, and reads the file where that has not been done.
    fn call(&mut self, call: &FileCall<'_>, way: Use, lint: &mut HookLint<'_>, depth: u32) {
        if is_made(&call.path) {
            return;
        }
        let file = match self.files.find(&call.path) {
            Found::Unknown => return,
            Found::Missing => {
                // What else a script calls depends on the project that it is in.
                let counts =
                    depth == 0 || call.how == How::Sourced || super::calls::is_shell_name(&call.path.path);
                if counts && !call.is_optional && self.reported.insert((call.path.clone(), None)) {
                    let message = format!("`{}` is not there", shown(call));
                    lint.report_in_script(&SCRIPT_MISSING, call.offset, message);
                }
                return;
            }
            Found::File(file) => file,
        };
        let interpreter = match call.how {
            How::Shell | How::Sourced => None,
            How::Interpreter => return,
            How::Direct => interpreter_of(&call.path.path, &file.content),
        };
        if call.how == How::Direct
            && !file.is_executable
            && !call.asks_mode
            && self.reported.insert((call.path.clone(), Some(way.hook)))
        {
            let message = format!("`{}` is called by its path and is not executable", shown(call));
            lint.report_in_script(&SCRIPT_NOT_EXECUTABLE, call.offset, message);
            lint.mended_by(Fix::Executable { file: file.name.clone() });
        }
        if let Some(name) = interpreter {
            if !(self.options.has_command)(&name) {
                let message = format!("`{}` is run by `{name}`, which the sandbox lacks", shown(call));
                lint.report_in_script(&COMMAND_MISSING, call.offset, message);
            }
            return;
        }
        self.read(call, file, way, depth);
    }

    fn read(&mut self, call: &FileCall<'_>, file: ScriptFile, way: Use, depth: u32) {
        if let Some(script) = self.places.get(&call.path).and_then(|index| self.scripts.get_mut(*index)) {
            let is_known = script.uses.iter().any(|known| known.hook == way.hook && known.role <= way.role);
            if is_known {
                return;
            }
            script.uses.push(way);
            // What it calls is known, but not from this hook.
            if script.uses.len() > MOST_EVENTS {
                return;
            }
        } else {
            if self.scripts.len() >= MOST_FILES {
                return;
            }
            let Ok(text) = String::from_utf8(file.content) else { return };
            let (reached, lost_exits) = super::reached(&text);
            let view = crate::inspect::inspect(reached.as_bytes());
            self.places.insert(call.path.clone(), self.scripts.len());
            self.scripts.push(FollowedScript { name: file.name, text, view, lost_exits, uses: vec![way] });
        }
        if depth >= MOST_NESTING {
            return;
        }
        let Some(script) = self.places.get(&call.path).and_then(|index| self.scripts.get(*index)) else {
            return;
        };
        let (name, text, view) = (script.name.clone(), script.text.clone(), script.view.clone());
        let source = Source::new(&name, text.as_bytes());
        let hook = script_hook(&PortableHook::of_event(portable::facts(self.dialect), ""), &text);
        let options = self.options;
        let mut lint = HookLint {
            source: &source,
            file: Some(&source),
            dialect: self.dialect,
            facts: portable::facts(self.dialect),
            hook: &hook,
            options,
            role: way.role,
            beside: None,
            has_payload: false,
            has_arguments: true,
            lost_exits: Vec::new(),
            findings: Vec::new(),
        };
        for inner in calls(&text, &view, &mut Scope::of_file(&call.path, &call.texts)) {
            let role = match inner.how {
                How::Sourced => Role::Library,
                // `exec FILE`: the file takes the script's place.
                _ if inner.is_answer && is_replaced(&view, inner.offset) => way.role,
                _ => Role::Helper,
            };
            self.call(&inner, Use { role, has_arguments: true, ..way }, &mut lint, depth + 1);
        }
        for mut finding in lint.findings {
            finding.hook = None;
            self.findings.push(finding);
        }
    }

    /// Looks at each file that was read.
    pub(super) fn findings(mut self, hooks: &[PortableHook], config: &Source<'_>) -> Vec<Finding> {
        let beside = Beside {
            functions: self.scripts.iter().flat_map(|script| super::texts::functions(&script.view)).collect(),
            variables: self.scripts.iter().flat_map(|script| super::texts::assigned(&script.view)).collect(),
        };
        let mut all = std::mem::take(&mut self.findings);
        for script in &self.scripts {
            let source = Source::new(&script.name, script.text.as_bytes());
            let mut events: Vec<(&str, Role)> = Vec::new();
            let mut kept: Option<Vec<Finding>> = None;
            for way in &script.uses {
                let Some(hook) = hooks.get(way.hook) else { continue };
                // A file that is a hook for one caller is judged as that.
                if script.uses.iter().any(|other| other.role < way.role)
                    || events.contains(&(hook.event.as_str(), way.role))
                    || events.len() >= MOST_EVENTS
                {
                    continue;
                }
                events.push((&hook.event, way.role));
                let copy = script_hook(hook, &script.text);
                let mut lint = HookLint {
                    source: config,
                    file: Some(&source),
                    dialect: self.dialect,
                    facts: portable::facts(self.dialect),
                    hook: &copy,
                    options: self.options,
                    role: way.role,
                    beside: Some(&beside),
                    has_payload: way.has_payload,
                    has_arguments: script.uses.iter().any(|way| way.has_arguments),
                    lost_exits: script.lost_exits.clone(),
                    findings: Vec::new(),
                };
                lint.script(super::reached(&script.text).0, &script.view);
                kept = Some(match kept {
                    None => lint.findings,
                    Some(before) => before
                        .into_iter()
                        .filter(|one| lint.findings.iter().any(|other| is_same(one, other)))
                        .collect(),
                });
            }
            all.extend(kept.unwrap_or_default());
        }
        all
    }
}

/// Whether two findings are of one rule at one place.
fn is_same(one: &Finding, other: &Finding) -> bool {
    let offset = |finding: &Finding| finding.problem.place.as_ref().map(|place| place.offset);
    one.rule.id == other.rule.id && one.problem.file == other.problem.file && offset(one) == offset(other)
}

/// The hook as if it had the file's text.
fn script_hook(hook: &PortableHook, text: &str) -> PortableHook {
    let mut copy = hook.clone();
    copy.handler = PortableHandler::Script(text.to_owned());
    copy
}

/// A program and its arguments as a command.
fn program_view(name: &str, arguments: &[String]) -> View {
    let word = |text: &String| WordView {
        text: (!text.contains('$')).then(|| text.clone()),
        // Blanks in it are part of the word.
        source: format!("\"{}\"", text.replace('"', "\\\"")),
    };
    let words = std::iter::once(&name.to_owned()).chain(arguments).map(word).collect();
    View { commands: vec![CommandView { words, ..CommandView::default() }], ..View::default() }
}

/// Whether the command there is run by `exec`.
fn is_replaced(view: &View, offset: usize) -> bool {
    view.commands.iter().any(|command| command.span.start == offset && command.name() == Some("exec"))
}

/// Files that are not in a repository: what is installed or built.
fn is_made(path: &ScriptPath) -> bool {
    const MADE: &[&str] =
        &["node_modules", ".venv", "venv", "dist", "build", "target", "vendor", ".git", "tmp"];
    path.path.split('/').any(|name| MADE.contains(&name))
}

fn shown(call: &FileCall<'_>) -> String {
    match call.path.root {
        Root::Session => format!("/{}", call.path.path),
        Root::Project | Root::Plugin => call.path.path.clone(),
    }
}
