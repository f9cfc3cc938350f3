//! The shell execution environment: all that a subshell copies. POSIX XCU 2.12.

use super::builder::Separators;
use super::condition::Conditions;
use super::job::Jobs;
use super::link::Link;
use super::name::NameId;
use super::option::Options;
use super::trap::Traps;
use super::variable::Variables;
use crate::io::DescriptorTable;
use crate::memory::{BTreeMap, HashMap, Vec};
use crate::program::{Pc, Program};
use crate::syntax::ast::FunctionDefinition;
use crate::text::Text;
use crate::utility::Environment;
use std::sync::Arc;
use std::time::Duration;

/// A position in a program that was linked to the session's names.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    /// Lines that bash counts less than there are: see [`super::process::Process::line`].
    pub(crate) shift: u32,
    pub(crate) program: Arc<Program>,
    pub(crate) link: Arc<Link>,
    pub(crate) pc: Pc,
}

/// A function that was defined.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    /// Where its body starts.
    pub(crate) code: Code,
    pub(crate) definition: Arc<FunctionDefinition>,
    pub(crate) exported: bool,
    /// `BASH_SOURCE` of its body.
    pub(crate) source: Text,
}

/// A function call, `source` or `eval` in progress: what `FUNCNAME`, `BASH_SOURCE` and `BASH_LINENO` show.
#[derive(Debug)]
pub(crate) struct Call {
    /// `FUNCNAME`; `source` for a sourced file.
    pub(crate) name: Text,
    /// `BASH_SOURCE`
    pub(crate) source: Text,
    /// Line of the call.
    pub(crate) line: u32,
    /// Its arguments, under `extdebug`.
    pub(crate) args: Option<Positional>,
    /// Functions among it and its parents.
    pub(crate) functions: u32,
    pub(crate) parent: Option<Arc<Call>>,
}

impl Drop for Call {
    /// A long chain is dropped link by link, not by recursion.
    fn drop(&mut self) {
        let mut next = self.parent.take();
        while let Some(call) = next {
            next = Arc::into_inner(call).and_then(|mut call| call.parent.take());
        }
    }
}

/// Positional parameters; `shift` moves the start.
#[derive(Clone, Debug, Default)]
pub(crate) struct Positional {
    items: Arc<Vec<Text>>,
    start: usize,
}

impl Positional {
    pub(crate) fn new(items: Vec<Text>) -> Self {
        Self { items: Arc::new(items), start: 0 }
    }

    /// All of them, from `$1`.
    pub(crate) fn as_slice(&self) -> &[Text] {
        self.items.get(self.start..).unwrap_or(&[])
    }

    /// `$number`, from 1.
    pub(crate) fn get(&self, number: u32) -> Option<&Text> {
        self.as_slice().get((number as usize).checked_sub(1)?)
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len().saturating_sub(self.start)
    }

    /// Whether they are those of `other`, shifted or not.
    pub(crate) fn is_shifted(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.items, &other.items)
    }

    /// Drops the first `count`; false when there are not so many.
    pub(crate) fn shift(&mut self, count: usize) -> bool {
        if count > self.len() {
            return false;
        }
        self.start += count;
        true
    }
}

/// State of `getopts` beside `OPTIND`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct GetoptsState {
    /// `OPTIND` as `getopts` left it: a change from outside starts over.
    pub(crate) index: i64,
    /// Position within a cluster of letters; 0: at a new argument.
    pub(crate) offset: usize,
}

/// All of the environment but the variables.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) functions: Arc<HashMap<NameId, Function>>,
    pub(crate) options: Options,
    pub(crate) positional: Positional,
    /// `$0`
    pub(crate) arg0: Text,
    /// Name at the start of messages: `$0` of the shell, or the script.
    pub(crate) report_name: Text,
    /// `$?`
    pub(crate) status: u8,
    /// `PIPESTATUS`, when the last pipeline had more than one stage or was a simple command.
    pub(crate) pipe_status: Arc<Vec<u8>>,
    pub(crate) descriptors: DescriptorTable,
    pub(crate) cwd: Text,
    pub(crate) umask: u32,
    pub(crate) separators: Arc<Separators>,
    pub(crate) traps: Arc<Traps>,
    pub(crate) aliases: Arc<HashMap<Text, Text>>,
    /// Builtins that `enable -n` turned off.
    pub(crate) disabled: Arc<Vec<&'static str>>,
    /// Remembered paths of commands with the number of uses.
    pub(crate) hashed: Arc<HashMap<Text, (Text, u32)>>,
    /// What `complete` defined: its options as they are shown, by name.
    pub(crate) completions: Arc<BTreeMap<Text, Vec<Vec<u8>>>>,
    /// What `ulimit` lowered.
    pub(crate) resource_limits: Arc<Vec<super::builtin::Lowered>>,
    /// Directory stack below the working directory.
    pub(crate) directories: Arc<Vec<Text>>,
    /// `$$`
    pub(crate) shell_pid: u32,
    /// `$BASHPID`
    pub(crate) pid: u32,
    pub(crate) parent_pid: u32,
    /// `$!`
    pub(crate) background_pid: Option<u32>,
    pub(crate) jobs: Jobs,
    pub(crate) getopts: GetoptsState,
    /// What surrounds the command that runs and keeps failures from counting.
    pub(crate) conditions: Conditions,
    /// `BASH_SUBSHELL`
    pub(crate) subshell_level: u32,
    /// Runs a command string (`-c`).
    pub(crate) command_string: bool,
    /// Seed of `RANDOM` and the last number.
    pub(crate) random: u32,
    /// Session clock when `SECONDS` was 0.
    pub(crate) started: Duration,
    /// Environment of commands, made when a variable changes.
    pub(crate) environment: Option<(u64, Arc<Environment>)>,
    /// Calls in progress, the innermost first.
    pub(crate) calls: Option<Arc<Call>>,
    /// `BASH_SOURCE` of the code that runs.
    pub(crate) source_name: Text,
    /// `$_`
    pub(crate) last_argument: Text,
    /// `bash -i`
    pub(crate) interactive: bool,
    /// What `bind` changed.
    pub(crate) bindings: Arc<super::builtin::Bindings>,
    /// Variables of the environment whose names are none for a shell: commands get them as they came.
    pub(crate) foreign: Arc<Vec<(Text, Text)>>,
    /// Reads its script from standard input.
    pub(crate) reads_input: bool,
    pub(crate) locale: super::locale::Locale,
    /// What `history` shows.
    pub(crate) history: Arc<super::history::History>,
}

impl State {
    /// The state of a shell that runs a script, before it is told which.
    pub(crate) fn new() -> Self {
        Self {
            functions: Arc::default(),
            options: Options::SCRIPT,
            positional: Positional::default(),
            arg0: Text::EMPTY,
            report_name: Text::EMPTY,
            status: 0,
            pipe_status: Arc::default(),
            descriptors: DescriptorTable::default(),
            cwd: Text::EMPTY,
            umask: 0o022,
            separators: Arc::new(Separators::new(None)),
            traps: Arc::default(),
            aliases: Arc::default(),
            disabled: Arc::default(),
            hashed: Arc::default(),
            completions: Arc::default(),
            resource_limits: Arc::default(),
            directories: Arc::default(),
            shell_pid: 0,
            pid: 0,
            parent_pid: 0,
            background_pid: None,
            jobs: Jobs::default(),
            getopts: GetoptsState::default(),
            conditions: Conditions::default(),
            subshell_level: 0,
            command_string: false,
            random: 1,
            started: Duration::ZERO,
            environment: None,
            calls: None,
            source_name: Text::EMPTY,
            last_argument: Text::EMPTY,
            interactive: false,
            foreign: Arc::default(),
            reads_input: false,
            bindings: Arc::default(),
            locale: super::locale::Locale::default(),
            history: Arc::default(),
        }
    }
}

/// State and variables of a shell process.
#[derive(Debug)]
pub(crate) struct Shell {
    pub(crate) variables: Variables,
    pub(crate) state: State,
}
