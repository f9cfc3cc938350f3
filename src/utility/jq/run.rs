//! Running a compiled filter over one input after another.

use super::compile::Compiled;
use super::context::{Context, Host};
use super::machine::{Interruption, Machine};
use super::read::ReadError;
use super::regex_engine::Regexes;
use super::text::text_of;
use super::value::Value;
use super::work::Work;
use crate::memory::{String, Vec};
use crate::utility::Environment;

/// A filter being run.
pub(crate) struct Run<'p, 'g> {
    machine: Machine<'p, 'g>,
    compiled: &'p Compiled,
}

impl Compiled {
    /// Gets ready to run; `globals` are the values of the variables given to `compile`.
    pub(crate) fn run<'p, 'g>(&'p self, globals: &[Value], host: Host, work: Work<'g>) -> Run<'p, 'g> {
        let environment =
            if self.uses_global(0) { environment_value(&host.environment) } else { Value::Null };
        let mut all = Vec::with_capacity(globals.len() + 1);
        all.push(environment);
        all.extend_from_slice(globals);
        let context = Context { work, host, regexes: Regexes::default(), globals: all };
        Run { machine: Machine::new(&self.program, context), compiled: self }
    }
}

impl<'g> Run<'_, 'g> {
    /// Starts over with another input; what is left of the outputs of the last one is dropped.
    pub(crate) fn start(&mut self, input: Value) {
        self.machine.start(self.compiled.main, input);
    }

    /// Goes on to the next output, or to a reason to stop.
    pub(crate) fn step(&mut self) -> Interruption {
        self.machine.run()
    }

    /// Answers [`Interruption::Input`]: `None` when there are no more inputs.
    pub(crate) fn supply(&mut self, input: Option<Result<Value, ReadError>>) {
        self.machine.supply(input);
    }

    /// Answers [`Interruption::Module`].
    pub(crate) fn describe(&mut self, metadata: Result<Value, String>) {
        self.machine.describe(metadata);
    }

    /// What the filter can reach.
    pub(crate) fn host(&mut self) -> &mut Host {
        &mut self.machine.context.host
    }

    /// Counts what is done, for reading inputs and printing outputs.
    pub(crate) fn work(&mut self) -> &mut Work<'g> {
        &mut self.machine.context.work
    }
}

/// The environment of the utility as an object, which is `$ENV`.
fn environment_value(environment: &Environment) -> Value {
    let variables = environment.iter();
    Value::Object(variables.map(|(name, value)| (text_of(name), Value::String(text_of(value)))).collect())
}
