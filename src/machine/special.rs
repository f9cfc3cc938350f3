//! Variables that the shell computes or looks at: bash manual 5.2.

use super::array::{Array, Assoc};
use super::builder::Separators;
use super::error::AssignmentError;
use super::name::{self, NameId};
use super::option::{OPTIONS, ShellOption, ShellOptions};
use super::run::Run;
use super::shell::{Calls, Counters, Positional, Shell};
use super::variable::{Attributes, Value, Variables, decimal};
use crate::memory::{Arc, JoinText, Vec, format};
use crate::text::Text;

/// Variables that are computed when they are read.
const DYNAMIC: &[NameId] = &[
    name::LINENO,
    name::RANDOM,
    name::SRANDOM,
    name::SECONDS,
    name::EPOCHSECONDS,
    name::EPOCHREALTIME,
    name::BASHPID,
    name::FUNCNAME,
    name::BASH_SOURCE,
    name::BASH_LINENO,
    name::BASH_ARGC,
    name::BASH_ARGV,
    name::BASH_SUBSHELL,
    name::PIPESTATUS,
    name::DIRSTACK,
    name::GROUPS,
    name::BASHOPTS,
    name::SHELLOPTS,
    name::BASH_ARGV0,
    name::BASH_ALIASES,
    name::BASH_CMDS,
    name::UNDERSCORE,
    name::BASH_COMMAND,
];

/// Variables whose assignment changes the shell.
const WATCHED: &[NameId] = &[
    name::IFS,
    name::PATH,
    name::POSIXLY_CORRECT,
    name::OPTIND,
    name::HISTSIZE,
    name::HISTFILESIZE,
    name::BASH_COMPAT,
    name::BASH_XTRACEFD,
    name::IGNOREEOF,
    name::LANG,
    name::LC_ALL,
    name::LC_CTYPE,
    name::LC_COLLATE,
    name::LC_MESSAGES,
    name::LC_NUMERIC,
    name::LC_TIME,
];

impl Counters {
    /// The next number of `RANDOM`: bash's generator.
    fn next_random(&mut self) -> u32 {
        loop {
            let last = self.random;
            // The "minimal standard" generator of Park and Miller, by Schrage's method.
            let seed = if last == 0 { 123_459_876 } else { i64::from(last) };
            let (high, low) = (seed / 127_773, seed % 127_773);
            let mut next = 16_807 * low - 2_836 * high;
            if next < 0 {
                next += 0x7fff_ffff;
            }
            self.random = next as u32;
            let number = (self.random >> 16 ^ self.random & 0xffff) & 0x7fff;
            if self.random != last {
                return number;
            }
        }
    }
}

impl Calls {
    /// `BASH_ARGC` and `BASH_ARGV`: how many arguments each call has, and all of them, the last first.
    fn arguments(&self, id: NameId, bottom: &Positional) -> Value {
        let mut array = Array::default();
        let mut call = self.innermost.as_ref();
        let mut add = |args: &Positional| {
            if id == name::BASH_ARGC {
                array.push(decimal(args.len() as i64));
            } else {
                args.as_slice().iter().rev().for_each(|arg| array.push(arg.clone()));
            }
        };
        while let Some(entry) = call {
            if let Some(args) = &entry.args {
                add(args);
            }
            call = entry.parent.as_ref();
        }
        add(bottom);
        Value::Array(Arc::new(array))
    }

    /// `FUNCNAME`, `BASH_SOURCE`, `BASH_LINENO`. `script`: the main one; empty for a command string.
    fn stack(&self, id: NameId, script: &Text) -> Value {
        let mut array = Array::default();
        let mut call = self.innermost.as_ref();
        if id == name::FUNCNAME && call.is_none_or(|call| call.functions == 0) {
            return Value::Unset;
        }
        if call.is_none() && id == name::BASH_LINENO {
            if !self.source.is_empty() {
                array.push(Text::from_static(b"0"));
            }
            return Value::Array(Arc::new(array));
        }
        while let Some(entry) = call {
            array.push(match id {
                name::FUNCNAME => entry.name.clone(),
                name::BASH_SOURCE => entry.source.clone(),
                _ => decimal(i64::from(entry.line)),
            });
            call = entry.parent.as_ref();
        }
        if !script.is_empty() {
            array.push(match id {
                name::FUNCNAME => Text::from_static(b"main"),
                name::BASH_SOURCE => script.clone(),
                _ => Text::from_static(b"0"),
            });
        }
        Value::Array(Arc::new(array))
    }
}

impl Variables {
    /// Gives a new shell its computed variables.
    pub(crate) fn install_special(&mut self) {
        for &id in DYNAMIC {
            let slot = self.slot_mut(id);
            slot.value = Value::Dynamic;
            slot.attributes.insert(Attributes::SPECIAL);
        }
        for &id in WATCHED {
            self.slot_mut(id).attributes.insert(Attributes::SPECIAL);
        }
        for id in [name::BASHOPTS, name::SHELLOPTS] {
            self.slot_mut(id).attributes.insert(Attributes::READONLY);
        }
        for id in [
            name::FUNCNAME,
            name::BASH_SOURCE,
            name::BASH_LINENO,
            name::BASH_ARGC,
            name::BASH_ARGV,
            name::PIPESTATUS,
            name::DIRSTACK,
            name::GROUPS,
        ] {
            self.slot_mut(id).attributes.insert(Attributes::ARRAY);
        }
        for id in [name::BASH_ALIASES, name::BASH_CMDS] {
            self.slot_mut(id).attributes.insert(Attributes::ASSOC);
        }
    }
}

impl Shell {
    /// The value of a computed variable.
    pub(crate) fn dynamic(&mut self, run: &mut Run, id: NameId) -> Option<Value> {
        let state = &self.state;
        let clock = &run.services.session.clock;
        let text = |text: Text| Some(Value::Text(text));
        match id {
            name::LINENO => Some(Value::Integer(i64::from(self.line()))),
            name::RANDOM => {
                let number = self.state.counters.next_random();
                Some(Value::Integer(i64::from(number)))
            }
            name::SRANDOM => Some(Value::Integer((run.services.session.random.next_u64() >> 32) as i64)),
            name::SECONDS => {
                let elapsed = clock.monotonic().saturating_sub(state.counters.started);
                Some(Value::Integer(
                    (elapsed.as_secs() as i64).saturating_add(self.state.counters.seconds_offset),
                ))
            }
            name::EPOCHSECONDS => Some(Value::Integer(clock.now().as_secs() as i64)),
            name::EPOCHREALTIME => {
                let now = clock.now();
                text(Text::from(format!("{}.{:06}", now.as_secs(), now.subsec_micros())))
            }
            name::BASHPID => Some(Value::Integer(i64::from(state.ids.own))),
            name::BASH_SUBSHELL => Some(Value::Integer(i64::from(state.ids.level))),
            name::PIPESTATUS => {
                let statuses = state.pipe_status.iter().map(|status| decimal(i64::from(*status)));
                Some(Value::Array(Arc::new(statuses.collect())))
            }
            name::FUNCNAME | name::BASH_SOURCE | name::BASH_LINENO => {
                Some(self.state.calls.stack(id, &self.main_script))
            }
            name::BASH_ARGC | name::BASH_ARGV => {
                Some(self.state.calls.arguments(id, &self.state.invoked.args))
            }
            name::DIRSTACK => {
                let stack = std::iter::once(state.cwd.clone()).chain(state.directories.iter().cloned());
                Some(Value::Array(Arc::new(stack.collect())))
            }
            name::GROUPS => {
                let gid = decimal(i64::from(run.services.session.identity.gid));
                Some(Value::Array(Arc::new(std::iter::once(gid).collect())))
            }
            name::SHELLOPTS | name::BASHOPTS => {
                let set = id == name::SHELLOPTS;
                let names: Vec<&str> = OPTIONS
                    .iter()
                    .filter(|row| row.in_set == set && state.options.has(row.option))
                    .map(|row| row.name)
                    .collect();
                text(Text::from(names.join_text(":")))
            }
            name::BASH_ARGV0 => text(state.invoked.arg0.clone()),
            name::BASH_COMMAND => text(self.current_command(run)),
            name::UNDERSCORE => text(state.last_argument.clone()),
            name::BASH_ALIASES => {
                let mut assoc = Assoc::default();
                for (key, value) in state.commands.aliases.iter() {
                    assoc.set(key.clone(), value.clone());
                }
                Some(Value::Assoc(Arc::new(assoc)))
            }
            name::BASH_CMDS => {
                let mut assoc = Assoc::default();
                for (key, (path, _)) in state.commands.hashed.iter() {
                    assoc.set(key.clone(), path.clone());
                }
                Some(Value::Assoc(Arc::new(assoc)))
            }
            _ => None,
        }
    }

    /// Assignment to a computed variable. Whether it was dealt with.
    pub(crate) fn assign_dynamic(&mut self, run: &mut Run, id: NameId, value: &Text) -> bool {
        if self.variables.slot(id).value != Value::Dynamic {
            return false;
        }
        match id {
            name::RANDOM => {
                let seed = super::variable::plain_integer(value).unwrap_or(0);
                self.state.counters.random = seed as u32;
            }
            name::SECONDS => {
                self.state.counters.seconds_offset = super::variable::plain_integer(value).unwrap_or(0);
                self.state.counters.started = run.services.session.clock.monotonic();
            }
            name::BASH_ARGV0 => {
                self.state.invoked.arg0 = value.clone();
                self.state.invoked.report_name = value.clone();
            }
            // The next command sets `LINENO` again.
            _ => {}
        }
        true
    }

    /// A variable that the shell looks at was changed.
    pub(crate) fn after_special(&mut self, run: &mut Run, id: NameId) {
        match id {
            name::IFS => self.refresh_separators(),
            name::PATH => self.state.commands.hashed = Arc::default(),
            name::POSIXLY_CORRECT => {
                let is_set = self.variables.slot(id).value != Value::Unset;
                self.state.options.set(ShellOption::Posix, is_set);
                self.state.commands.parser_changed = true;
            }
            name::BASH_COMPAT => {
                let value = self.variables.slot(name::BASH_COMPAT).value.text().unwrap_or_default();
                if !self.state.options.set_compatibility(&value) {
                    self.report(AssignmentError::NoSuchCompatibility(value));
                }
            }
            name::IGNOREEOF => {
                let is_set = self.variables.slot(id).value != Value::Unset;
                self.state.options.set(ShellOption::IgnoreEof, is_set);
            }
            name::BASH_XTRACEFD => {
                let value = self.variables.slot(id).value.text().unwrap_or_default();
                let number =
                    super::variable::plain_integer(&value).and_then(|number| u32::try_from(number).ok());
                let is_open = |number| self.state.descriptors.get(number).is_some();
                if !value.is_empty() && !number.is_some_and(is_open) {
                    self.report(AssignmentError::NoTraceDescriptor(value));
                }
            }
            name::HISTSIZE => self.history(run).limit(),
            name::HISTFILESIZE => self.history(run).limit_file(),
            name::LANG
            | name::LC_ALL
            | name::LC_CTYPE
            | name::LC_COLLATE
            | name::LC_MESSAGES
            | name::LC_NUMERIC
            | name::LC_TIME => {
                if let Err(error) = self.state.locale.change(&self.variables, id) {
                    self.report(error);
                }
            }
            name::OPTIND => self.state.getopts = super::shell::GetoptsState::default(),
            _ => {}
        }
    }

    /// An element of such a variable was changed.
    pub(crate) fn after_special_element(&mut self, run: &mut Run, id: NameId) {
        match (id, self.variables.slot(id).value.clone()) {
            (name::DIRSTACK, Value::Array(array)) => {
                let rest = array.iter().skip(1).map(|(_, directory)| directory.clone()).collect();
                self.state.directories = Arc::new(rest);
                self.variables.set_plain(id, Value::Dynamic);
            }
            (name::BASH_ALIASES, Value::Assoc(assoc)) => {
                self.state.commands.parser_changed = true;
                let aliases = Arc::make_mut(&mut self.state.commands.aliases);
                for (key, value) in assoc.sorted() {
                    aliases.insert(key.clone(), value.clone());
                }
                self.variables.set_plain(id, Value::Dynamic);
            }
            (name::BASH_CMDS, Value::Assoc(assoc)) => {
                let hashed = Arc::make_mut(&mut self.state.commands.hashed);
                for (key, value) in assoc.sorted() {
                    hashed.insert(key.clone(), (value.clone(), 0));
                }
                self.variables.set_plain(id, Value::Dynamic);
            }
            (name::FUNCNAME | name::BASH_SOURCE | name::BASH_LINENO | name::GROUPS | name::PIPESTATUS, _) => {
                self.variables.set_plain(id, Value::Dynamic);
            }
            _ => self.after_special(run, id),
        }
    }

    /// Variables may have been put back as a whole: the shell looks at those that it watches.
    pub(crate) fn refresh_special(&mut self) {
        self.refresh_separators();
        self.state.locale.refresh(&self.variables);
    }

    fn refresh_separators(&mut self) {
        let value = &self.variables.slot(name::IFS).value;
        if *value == self.ifs {
            return;
        }
        self.ifs = value.clone();
        self.state.separators = Arc::new(Separators::new(value.text().as_deref()));
    }
}

impl Variables {
    /// `set -o ignoreeof` and `IGNOREEOF` go together.
    pub(crate) fn show_ignore_eof(&mut self, on: bool) {
        let value = if on { Value::Text(Text::from_static(b"10")) } else { Value::Unset };
        self.set_plain(name::IGNOREEOF, value);
    }

    /// `shopt -s compat44` shows in `BASH_COMPAT`.
    pub(crate) fn show_compatibility(&mut self, options: ShellOptions) {
        self.set_plain(name::BASH_COMPAT, Value::Text(Text::from_static(options.compatibility())));
    }

    /// POSIX mode and `POSIXLY_CORRECT` go together.
    pub(crate) fn show_posix(&mut self, on: bool) {
        let is_set = self.slot(name::POSIXLY_CORRECT).value != Value::Unset;
        if is_set != on {
            let value = if on { Value::Text(Text::from_static(b"y")) } else { Value::Unset };
            self.set_plain(name::POSIXLY_CORRECT, value);
        }
    }
}
