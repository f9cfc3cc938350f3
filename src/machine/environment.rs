//! The variables of a new shell, from the environment that it is given; and the environment of its commands.

use super::control::Control;
use super::halt::Step;
use super::name;
use super::option::{self, ShellOption};
use super::pool::Pool;
use super::process::Process;
use super::run::Run;
use super::shell::{Shell, State};
use super::variable::{Attributes, Value, Variables, decimal};
use crate::io::DescriptorTable;
use crate::memory::{Arc, JoinMetered, ToMetered, format};
use crate::text::Text;
use crate::utility::Environment;

/// The variables of a new shell, made once for a session whose runs start with the same environment.
#[derive(Debug)]
pub(crate) struct Template {
    pub(crate) variables: Variables,
    pub(crate) pool: std::sync::Arc<Pool>,
    pub(crate) state: State,
    pub(crate) ifs: Value,
    pub(crate) environment: Arc<Environment>,
}

impl Template {
    /// The variables that `process` starts with. `None`: its environment changes more than variables.
    pub(crate) fn of(process: &mut Process, run: &mut Run, environment: &Environment) -> Option<Arc<Self>> {
        let plain = environment.iter().all(|(name, _)| {
            !matches!(name.as_bytes(), b"POSIXLY_CORRECT" | b"SHELLOPTS" | b"BASHOPTS")
                && !name.starts_with(b"BASH_FUNC_")
        });
        plain.then(|| {
            let environment = process.shell.environment(run);
            Arc::new(Self {
                variables: process.shell.variables.fork(),
                pool: std::sync::Arc::default(),
                state: State { descriptors: DescriptorTable::default(), ..process.shell.state.clone() },
                ifs: process.shell.ifs.clone(),
                environment,
            })
        })
    }
}

/// Whether a name is that of a list of options.
fn versinfo() -> Arc<super::array::Array> {
    let parts = ["5", "2", "15", "1", "release", "x86_64-pc-linux-gnu"];
    Arc::new(parts.iter().map(|part| Text::from(*part)).collect())
}

impl State {
    /// Options that were exported with `SHELLOPTS` or `BASHOPTS`.
    fn import_options(&mut self, key: &[u8], value: &[u8]) {
        for name in value.split(|&byte| byte == b':') {
            if let Some(option) = option::find(name, key == b"SHELLOPTS") {
                self.options.set(option, true);
            }
        }
    }
}

impl Shell {
    /// The locale of the environment that the shell starts with.
    fn start_locale(&mut self) {
        if let Some(all) = self.state.locale.start(&self.variables) {
            let name = &self.state.invoked.report_name;
            let warning = format!("{name}: warning: setlocale: LC_ALL: cannot change locale ({all})\n");
            self.write_error(warning.as_bytes());
        }
    }

    /// Without `PWD` in its environment a shell knows its directory by the path without links only.
    pub(crate) fn take_physical_directory(&mut self, run: &mut Run) {
        let Ok(path) = run.services.session.fs.canonicalize(&self.state.cwd) else { return };
        let path = Text::from(path);
        self.variables.set_plain(name::PWD, Value::Text(path.clone()));
        self.state.cwd = path;
        self.variables.exports += 1;
    }

    /// Exported variables and functions.
    pub(crate) fn environment(&mut self, run: &mut Run) -> Arc<Environment> {
        let version = self.variables.exports;
        // The values of these two change without an assignment.
        let computed = [super::name::SHELLOPTS, super::name::BASHOPTS]
            .map(|id| self.variables.slot(id).attributes.has(Attributes::EXPORTED).then_some(id));
        if let Some((kept, environment)) = &self.state.environment
            && *kept == version
            && computed == [None, None]
        {
            return Arc::clone(environment);
        }
        let mut variables = self.state.foreign.to_metered();
        for id in computed.into_iter().flatten() {
            if let Some(value) = self.dynamic(run, id).and_then(|value| value.text()) {
                variables.push((run.services.names.text(id), value));
            }
        }
        for (name, slot) in self.variables.existing() {
            if slot.attributes.has(Attributes::EXPORTED)
                && !slot.value.is_array()
                && let Some(value) = slot.value.text()
            {
                variables.push((run.services.names.text(name), value));
            }
        }
        for (name, function) in self.state.commands.functions.iter().filter(|(_, function)| function.exported)
        {
            let name = run.services.names.text(*name);
            let variable = [b"BASH_FUNC_", name.as_bytes(), b"%%"].concat_metered();
            variables
                .push((Text::from(variable), super::function_export::exported_text(&function.definition)));
        }
        let environment = Arc::new(Environment::new(variables));
        self.state.environment = Some((version, Arc::clone(&environment)));
        environment
    }
}

impl Control {
    /// Variables of the environment over those of a template.
    pub(crate) fn install_over(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        template: &Template,
        mut environment: Environment,
    ) -> Step {
        let exports = shell.variables.exports;
        shell.state.environment = Some((exports, Arc::clone(&template.environment)));
        if !shell.variables.put_environment(&mut environment) {
            self.import_environment(shell, run, &environment)?;
        }
        let cwd = shell.state.cwd.clone();
        let pwd = shell.variables.slot_mut(name::PWD);
        if pwd.value != Value::Text(cwd.clone()) {
            pwd.value = Value::Text(cwd);
            shell.variables.exports += 1;
        }
        shell.refresh_special();
        shell.start_locale();
        Ok(())
    }

    /// Variables of a new shell: the environment, then what bash sets itself.
    pub(crate) fn install_variables(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        environment: &Environment,
    ) -> Step {
        let set = |shell: &mut Shell, id: u32, value: Text| {
            shell.variables.slot_mut(id).value = Value::Text(value);
        };
        set(shell, name::IFS, Text::from_static(b" \t\n"));
        set(shell, name::PS4, Text::from_static(b"+ "));
        shell.variables.slot_mut(name::OPTIND).value = Value::Integer(1);
        set(shell, name::OPTERR, Text::from_static(b"1"));
        set(shell, name::BASH_VERSION, Text::from_static(b"5.2.15(1)-release"));
        set(shell, name::HOSTTYPE, Text::from_static(b"x86_64"));
        set(shell, name::MACHTYPE, Text::from_static(b"x86_64-pc-linux-gnu"));
        set(shell, name::OSTYPE, Text::from_static(b"linux-gnu"));
        set(shell, name::BASH, Text::from_static(b"/usr/bin/bash"));
        let identity = &run.services.session.identity;
        set(shell, name::HOSTNAME, identity.host.clone());
        let uid = i64::from(identity.uid);
        for id in [name::UID, name::EUID] {
            let slot = shell.variables.slot_mut(id);
            slot.value = Value::Integer(uid);
            slot.attributes.insert(Attributes(Attributes::READONLY.0 | Attributes::INTEGER.0));
        }
        let slot = shell.variables.slot_mut(name::PPID);
        slot.value = Value::Integer(i64::from(shell.state.ids.parent));
        slot.attributes.insert(Attributes(Attributes::READONLY.0 | Attributes::INTEGER.0));
        shell.variables.slot_mut(name::BASH_VERSINFO).value = Value::Array(versinfo());
        shell.variables.slot_mut(name::BASH_VERSINFO).attributes.insert(Attributes::READONLY);
        self.import_environment(shell, run, environment)?;
        let exported = |shell: &mut Shell, id: u32, value: Text| {
            let slot = shell.variables.slot_mut(id);
            slot.value = Value::Text(value);
            slot.attributes.insert(Attributes::EXPORTED);
        };
        let cwd = shell.state.cwd.clone();
        exported(shell, name::PWD, cwd);
        let level =
            environment.get(b"SHLVL").and_then(|text| super::variable::plain_integer(text)).unwrap_or(0);
        // As bash: a level that is not sensible starts over.
        let level = level.saturating_add(1).max(0);
        exported(shell, name::SHLVL, decimal(if level < 1000 { level } else { 1 }));
        let old = shell.variables.slot_mut(name::OLDPWD);
        if old.value == Value::Unset {
            old.attributes.insert(Attributes::EXPORTED);
        }
        let terminal = run.services.names.intern(b"TERM");
        if shell.variables.slot(terminal).value == Value::Unset {
            set(shell, terminal, Text::from_static(b"dumb"));
        }
        let path = run.services.names.intern(b"SHELL");
        if shell.variables.slot(path).value == Value::Unset {
            set(shell, path, Text::from_static(b"/bin/bash"));
        }
        if shell.variables.slot(name::PATH).value == Value::Unset {
            let path = Text::from_static(b"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
            shell.variables.slot_mut(name::PATH).value = Value::Text(path);
        }
        shell.variables.exports += 1;
        shell.refresh_special();
        shell.start_locale();
        Ok(())
    }

    /// Variables, functions and options that an environment brings.
    fn import_environment(&mut self, shell: &mut Shell, run: &mut Run, environment: &Environment) -> Step {
        let numbers = run.services.names.of_environment(environment);
        for ((key, value), number) in environment.iter().zip(numbers) {
            let Some(id) = number else {
                if !key.starts_with(b"BASH_FUNC_") {
                    Arc::make_mut(&mut shell.state.foreign).push((key.clone(), value.clone()));
                }
                self.import_function(shell, run, key, value)?;
                continue;
            };
            if id == name::SHELLOPTS || id == name::BASHOPTS {
                shell.state.import_options(key, value);
                shell.variables.slot_mut(id).attributes.insert(Attributes::EXPORTED);
            }
            let slot = shell.variables.slot_mut(id);
            if matches!(slot.value, Value::Dynamic)
                || slot.attributes.has(Attributes::READONLY)
                || id == name::IFS
            {
                continue;
            }
            slot.value = Value::Text(value.clone());
            slot.attributes.insert(Attributes::EXPORTED);
            shell.variables.exports += 1;
            if id == name::POSIXLY_CORRECT {
                shell.state.options.set(ShellOption::Posix, true);
            }
        }
        Ok(())
    }
}
