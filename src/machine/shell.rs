//! The shell execution environment: all that a subshell copies. POSIX XCU 2.12.

use super::builder::Separators;
use super::condition::Conditions;
use super::job::Jobs;
use super::link::Code;
use super::name::NameId;
use super::option::ShellOptions;
use super::outputs::Outputs;
use super::trap::Traps;
use super::variable::{Value, Variables};
use crate::io::DescriptorTable;
use crate::memory::{Arc, BTreeMap, HashMap, Vec, vec};
use crate::program::{ArithmeticContext, Pc, Program};
use crate::syntax::ast::FunctionDefinition;
use crate::text::Text;
use crate::utility::Environment;
use std::time::Duration;

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

/// Process numbers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ProcessIds {
    /// `$$`
    pub(crate) shell: u32,
    /// `$BASHPID`
    pub(crate) own: u32,
    pub(crate) parent: u32,
    /// The process group.
    pub(crate) group: u32,
    /// `$!`
    pub(crate) background: Option<u32>,
    /// `BASH_SUBSHELL`
    pub(crate) level: u32,
}

/// How the shell was invoked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Invoked {
    /// `$0`
    pub(crate) arg0: Text,
    /// The arguments that it was started with.
    pub(crate) args: Positional,
    /// Name at the start of messages: `$0` of the shell, or the script.
    pub(crate) report_name: Text,
    /// Runs a command string (`-c`).
    pub(crate) command_string: bool,
    /// `bash -i`
    pub(crate) interactive: bool,
    /// Reads its script from standard input.
    pub(crate) reads_input: bool,
}

/// What the names of commands stand for, beside builtins and files.
#[derive(Clone, Debug, Default)]
pub(crate) struct Commands {
    pub(crate) functions: Arc<HashMap<NameId, Function>>,
    pub(crate) aliases: Arc<HashMap<Text, Text>>,
    /// An alias or an option at which the parser looks was changed since the text that runs was parsed.
    pub(crate) parser_changed: bool,
    /// How often the rest of a text was parsed anew for that.
    pub(crate) reparsed: u32,
    /// Builtins that `enable -n` turned off.
    pub(crate) disabled: Arc<Vec<&'static str>>,
    /// Remembered paths of commands with the number of uses.
    pub(crate) hashed: Arc<HashMap<Text, (Text, u32)>>,
}

/// Settings of the line editor.
#[derive(Clone, Debug, Default)]
pub(crate) struct Editor {
    /// What `complete` defined: its options as they are shown, by name.
    pub(crate) completions: Arc<BTreeMap<Text, Vec<Vec<u8>>>>,
    /// What `bind` changed.
    pub(crate) bindings: Arc<super::key_binding::Bindings>,
    /// What `history` shows.
    pub(crate) history: Arc<super::history::History>,
}

/// Calls in progress.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calls {
    pub(crate) innermost: Option<Arc<Call>>,
    /// `BASH_SOURCE` of the code that runs.
    pub(crate) source: Text,
}

/// What `RANDOM` and `SECONDS` count on from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counters {
    /// Seed of `RANDOM` and the last number.
    pub(crate) random: u32,
    /// Session clock when `SECONDS` was 0.
    pub(crate) started: Duration,
    /// Added to `SECONDS`.
    pub(crate) seconds_offset: i64,
}

/// A limit of a shell that was lowered: letter, soft, hard.
pub(crate) type Lowered = (u8, Option<u64>, Option<u64>);

/// All of the environment but the variables.
#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) options: ShellOptions,
    pub(crate) positional: Positional,
    /// `$?`
    pub(crate) status: u8,
    /// `PIPESTATUS`, when the last pipeline had more than one stage or was a simple command.
    pub(crate) pipe_status: Arc<Vec<u8>>,
    /// `$_`
    pub(crate) last_argument: Text,
    pub(crate) separators: Arc<Separators>,
    /// What surrounds the command that runs and keeps failures from counting.
    pub(crate) conditions: Conditions,
    pub(crate) calls: Calls,
    pub(crate) commands: Commands,
    pub(crate) traps: Arc<Traps>,
    pub(crate) descriptors: DescriptorTable,
    /// The working directory as the shell tells it, and the directory itself.
    pub(crate) cwd: Text,
    pub(crate) place: crate::vfs::Place,
    pub(crate) umask: u32,
    /// What `ulimit` lowered.
    pub(crate) resource_limits: Arc<Vec<Lowered>>,
    /// Directory stack below the working directory.
    pub(crate) directories: Arc<Vec<Text>>,
    pub(crate) invoked: Invoked,
    pub(crate) ids: ProcessIds,
    pub(crate) jobs: Jobs,
    pub(crate) getopts: GetoptsState,
    pub(crate) counters: Counters,
    /// Environment of commands, made when a variable changes.
    pub(crate) environment: Option<(u64, Arc<Environment>)>,
    /// Variables of the environment whose names are none for a shell: commands get them as they came.
    pub(crate) foreign: Arc<Vec<(Text, Text)>>,
    pub(crate) locale: super::locale::Locale,
    pub(crate) editor: Editor,
}

impl State {
    /// The state of a shell that runs a script, before it is told which.
    pub(crate) fn new() -> Self {
        Self {
            options: ShellOptions::SCRIPT,
            positional: Positional::default(),
            status: 0,
            pipe_status: Arc::default(),
            last_argument: Text::EMPTY,
            separators: Arc::new(Separators::new(None)),
            conditions: Conditions::default(),
            calls: Calls::default(),
            commands: Commands::default(),
            traps: Arc::default(),
            descriptors: DescriptorTable::default(),
            cwd: Text::EMPTY,
            place: crate::vfs::Place::default(),
            umask: 0o022,
            resource_limits: Arc::default(),
            directories: Arc::default(),
            invoked: Invoked::default(),
            ids: ProcessIds::default(),
            jobs: Jobs::default(),
            getopts: GetoptsState::default(),
            counters: Counters { random: 1, started: Duration::ZERO, seconds_offset: 0 },
            environment: None,
            foreign: Arc::default(),
            locale: super::locale::Locale::default(),
            editor: Editor::default(),
        }
    }

    /// `$_` is empty after an assignment.
    #[inline]
    pub(crate) fn forget_last_argument(&mut self) {
        if !self.last_argument.is_empty() {
            self.last_argument = Text::EMPTY;
        }
    }

    /// Sets `$?` and, as for a pipeline of one command, `PIPESTATUS`.
    pub(crate) fn set_status(&mut self, status: u8) {
        self.status = status;
        let statuses = &mut self.pipe_status;
        if statuses.as_slice() != [status] {
            match Arc::get_mut(statuses) {
                Some(statuses) => {
                    statuses.clear();
                    statuses.push(status);
                }
                None => *statuses = Arc::new(vec![status]),
            }
        }
    }
}

/// State and variables of a shell process, the code that it runs, and what it has printed.
#[derive(Debug)]
pub(crate) struct Shell {
    pub(crate) variables: Variables,
    pub(crate) state: State,
    pub(crate) code: Code,
    /// The program changed: the loop over operations must look at `code` again.
    pub(crate) switched: bool,
    pub(crate) outputs: Outputs,
    pub(crate) arithmetic: ArithmeticState,
    /// The value of `IFS` that `separators` was made from.
    pub(crate) ifs: Value,
    /// The script's path; empty for a command string.
    pub(crate) main_script: Text,
    /// Is no shell of its own but a stage of a pipeline, an asynchronous list or the like.
    pub(crate) is_forked: bool,
    /// How many references to elements are being looked up, each inside the one before.
    pub(crate) references: u32,
    /// A trap's action runs: `DEBUG` and `ERR` are not run for its commands.
    pub(crate) in_trap: u32,
    /// Where the command stands that the outermost trap interrupted, for `BASH_COMMAND`.
    pub(crate) trap_command: Option<(Arc<Program>, Pc)>,
}

/// What is known of the arithmetic expression that is evaluated.
#[derive(Debug)]
pub(crate) struct ArithmeticState {
    /// What stands before the message of an error: `((`, `let`, `[[`.
    pub(crate) prefix: Option<&'static str>,
    /// What the expression is part of.
    pub(crate) context: ArithmeticContext,
    /// The evaluation of an arithmetic command failed.
    pub(crate) failed: bool,
    /// Bytes of text that were read for the expression.
    pub(crate) bytes: u64,
}

impl Default for ArithmeticState {
    fn default() -> Self {
        Self { prefix: None, context: ArithmeticContext::Plain, failed: false, bytes: 0 }
    }
}

impl Shell {
    /// A shell that goes on at `code`.
    pub(crate) fn new(variables: Variables, state: State, code: Code) -> Self {
        Self {
            variables,
            state,
            code,
            switched: false,
            outputs: Outputs::default(),
            arithmetic: ArithmeticState::default(),
            ifs: Value::Unset,
            main_script: Text::EMPTY,
            is_forked: false,
            references: 0,
            in_trap: 0,
            trap_command: None,
        }
    }

    /// The line of the operation that runs. After an error that abandoned a command of several lines bash goes on counting
    /// from the line of the error.
    pub(crate) fn line(&self) -> u32 {
        self.code.program.line(self.code.pc.saturating_sub(1)).saturating_sub(self.code.shift)
    }

    /// Goes on at another place.
    pub(crate) fn switch(&mut self, code: Code) {
        self.exchange(code);
    }

    /// As [`Shell::switch`]; where it was until now.
    pub(crate) fn exchange(&mut self, code: Code) -> Code {
        self.switched = true;
        std::mem::replace(&mut self.code, code)
    }

    /// The code at `pc` of the program that runs.
    pub(crate) fn code_at(&self, pc: Pc) -> Code {
        Code { pc, ..self.code.clone() }
    }
}
