//! Running a compiled filter over one input after another.

use super::compile::Compiled;
use super::error::{Guard, JqError};
use super::machine::{Context, Machine};
use super::read::ReadError;
use super::regex::Regexes;
use super::text::Text;
use super::value::Value;
use super::work::Work;

/// What a filter can reach outside of its input.
pub(crate) trait Host: Send {
    /// The session's environment, for `env` and `$ENV`.
    fn environment(&self) -> Vec<(String, String)>;

    /// The session's clock: seconds since the epoch.
    fn now(&self) -> f64;

    /// The session's `TZ`.
    fn time_zone(&self) -> Option<String>;

    /// The next input, for `input` and `inputs`; `None` after the last.
    fn next_input(&mut self, work: &mut Work<'_>) -> Option<Result<Value, ReadError>>;

    /// The name of the file being read, for `input_filename`.
    fn input_filename(&self) -> Option<String>;

    /// Newlines read so far, for `input_line_number`.
    fn input_line_number(&self) -> u64;

    /// Text for standard error, from `debug` and `stderr`.
    fn report(&mut self, text: &str);
}

/// A filter being run.
pub(crate) struct Run<'p, 'c> {
    machine: Machine<'p, 'c>,
    compiled: &'p Compiled,
}

impl Compiled {
    /// Gets ready to run; `globals` are the values of the variables given to `compile`.
    pub(crate) fn run<'p, 'c>(
        &'p self,
        globals: &[Value],
        host: &'c mut dyn Host,
        guard: &'c dyn Guard,
    ) -> Run<'p, 'c> {
        let environment = host.environment();
        let variables = environment.into_iter().map(|(name, value)| (Text::from(name), Value::from(value)));
        let mut all = vec![Value::Object(variables.collect())];
        all.extend_from_slice(globals);
        let context = Context { work: Work::new(guard), host, regexes: Regexes::default(), globals: all };
        Run { machine: Machine::new(&self.program, context), compiled: self }
    }
}

impl<'c> Run<'_, 'c> {
    /// Starts over with another input; what is left of the outputs of the last one is dropped.
    pub(crate) fn start(&mut self, input: Value) {
        self.machine.start(self.compiled.main, input);
    }

    /// The next input of the host, to be given to [`Run::start`].
    pub(crate) fn next_input(&mut self) -> Option<Result<Value, ReadError>> {
        let context = &mut self.machine.context;
        context.host.next_input(&mut context.work)
    }

    /// Counts what is done, for printing outputs.
    pub(crate) fn work(&mut self) -> &mut Work<'c> {
        &mut self.machine.context.work
    }
}

impl Iterator for Run<'_, '_> {
    type Item = Result<Value, JqError>;

    /// The next output; an error is the last one for this input.
    fn next(&mut self) -> Option<Self::Item> {
        self.machine.next()
    }
}
