//! Running a compiled filter over one input after another.

use super::compile::Compiled;
use super::machine::{Context, Machine, Step};
use super::print::{COMPACT, Layout};
use super::read::ReadError;
use super::regex::Regexes;
use super::value::Value;
use super::work::Work;
use crate::clock::Clock;
use crate::memory::{Arc, String, Vec};
use crate::utility::Environment;
use std::sync::{Mutex, PoisonError};

/// What a filter can reach outside of its input.
#[derive(Debug)]
pub(crate) struct Host {
    /// For `env`, `$ENV` and the time zone.
    pub(crate) environment: Arc<Environment>,
    /// For `now`.
    pub(crate) clock: std::sync::Arc<Clock>,
    /// The file being read, as it was named, for `input_filename`.
    pub(crate) filename: Option<crate::text::Text>,
    /// Newlines read so far, for `input_line_number`.
    pub(crate) lines: usize,
    /// Text for standard error, from `debug` and `stderr`.
    pub(crate) said: std::sync::Arc<Said>,
    /// How outputs are printed; `debug` prints so as well.
    pub(crate) layout: Layout,
    /// Where modules are searched.
    pub(crate) library: Vec<String>,
    /// The directory of the filter.
    pub(crate) origin: crate::text::Text,
}

/// Text that waits to be written to standard error.
#[derive(Debug, Default)]
pub(crate) struct Said(Mutex<String>);

impl Said {
    /// Appends a text.
    pub(crate) fn push(&self, text: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push_str(text);
    }

    /// The texts since the last call.
    pub(crate) fn take(&self) -> String {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Host {
    /// A host that has read and said nothing.
    pub(crate) fn new(environment: Arc<Environment>, clock: std::sync::Arc<Clock>) -> Self {
        Host {
            environment,
            clock,
            filename: None,
            lines: 0,
            said: std::sync::Arc::default(),
            layout: COMPACT,
            library: Vec::new(),
            origin: crate::text::Text::default(),
        }
    }

    fn environment_value(&self) -> Value {
        let text = super::format::text_of;
        let variables = self.environment.iter();
        Value::Object(variables.map(|(name, value)| (text(name), Value::String(text(value)))).collect())
    }
}

/// A filter being run.
pub(crate) struct Run<'p, 'g> {
    machine: Machine<'p, 'g>,
    compiled: &'p Compiled,
}

impl Compiled {
    /// Gets ready to run; `globals` are the values of the variables given to `compile`.
    pub(crate) fn run<'p, 'g>(&'p self, globals: &[Value], host: Host, work: Work<'g>) -> Run<'p, 'g> {
        let environment = if self.uses_global(0) { host.environment_value() } else { Value::Null };
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
    pub(crate) fn step(&mut self) -> Step {
        self.machine.run()
    }

    /// Answers [`Step::Input`]: `None` when there are no more inputs.
    pub(crate) fn supply(&mut self, input: Option<Result<Value, ReadError>>) {
        self.machine.supply(input);
    }

    /// Answers [`Step::Module`].
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
