//! [`Context`]: what a builtin can reach besides its input and arguments.

use super::error::Raise;
use super::job::{Job, Output};
use super::print::{COMPACT, Layout};
use super::regex_engine::Regexes;
use super::suspension::Suspension;
use super::value::Value;
use super::work::Work;
use crate::clock::Clock;
use crate::memory::{Arc, Box, String, Vec};
use crate::utility::Environment;
use std::sync::{Mutex, PoisonError};

/// What builtins can reach.
pub(crate) struct Context<'c> {
    /// Counts steps and bytes.
    pub(crate) work: Work<'c>,
    /// Inputs, clock, environment, standard error.
    pub(crate) host: Host,
    /// Compiled regular expressions.
    pub(crate) regexes: Regexes,
    /// Variables given from outside.
    pub(crate) globals: Vec<Value>,
}

impl Context<'_> {
    /// The output of a task.
    ///
    /// # Errors
    /// What it raises; [`Raise::Suspended`] when the turn is over before the task is.
    pub(crate) fn job(&mut self, task: impl Future<Output = Output> + Send + 'static) -> Output {
        let mut job = Job::new(task);
        match job.go_on(&mut self.work)? {
            Some(value) => Ok(value),
            None => Err(Raise::Suspended(Box::new(Suspension { job, rest: Vec::new() }))),
        }
    }
}

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
    pub(crate) messages: std::sync::Arc<Messages>,
    /// How outputs are printed; `debug` prints so as well.
    pub(crate) layout: Layout,
    /// Where modules are searched.
    pub(crate) library: Vec<String>,
    /// The directory of the filter.
    pub(crate) origin: crate::text::Text,
}

impl Host {
    /// A host that has read and said nothing.
    pub(crate) fn new(environment: Arc<Environment>, clock: std::sync::Arc<Clock>) -> Self {
        Host {
            environment,
            clock,
            filename: None,
            lines: 0,
            messages: std::sync::Arc::default(),
            layout: COMPACT,
            library: Vec::new(),
            origin: crate::text::Text::default(),
        }
    }
}

/// Text that waits to be written to standard error.
#[derive(Debug, Default)]
pub(crate) struct Messages(Mutex<String>);

impl Messages {
    /// Appends a text.
    pub(crate) fn push(&self, text: &str) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push_str(text);
    }

    /// The texts since the last call.
    pub(crate) fn take(&self) -> String {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
