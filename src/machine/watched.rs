//! What a run tells its trace ([`crate::trace`]), and all that a script could tell.

use super::link::Link;
use super::process::Process;
use super::run::Run;
use super::variable::Attributes;
use crate::clock::Clock;
use crate::limit::{Limits, Meter};
use crate::memory::Bytes;
use crate::program::{CompileOptions, Index, Note, Program, compile_source};
use crate::syntax::ParseOptions;
use crate::trace::{Point, Used};

impl Process {
    /// Tells the trace what the program says here. Of variables it is told of those that came from outside, and of those
    /// that are not set: what a script fills itself is its own.
    pub(crate) fn tell_trace(&self, run: &Run, program: &Program, link: &Link, note: Index) {
        let Some(trace) = &run.services.trace else { return };
        match program.notes.get(note as usize) {
            Some(Note::Passed(point, at)) => {
                trace.passed(&program.source, *at, *point, self.shell.state.status == 0);
            }
            Some(Note::Expands(name)) => {
                let slot = self.shell.variables.slot(link.name(*name));
                if !slot.exists() || slot.attributes.has(Attributes::EXPORTED) {
                    let name = program.names.get(*name as usize);
                    trace.used(Used::Variable, name.map_or(&[], |name| name));
                }
            }
            None => {}
        }
    }
}

/// All points of a script, by the byte where they stand; of one that does not parse those before the error.
#[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "only the command reports coverage"))]
#[expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the host asks for it, outside of runs"
)]
pub(crate) fn points(script: &[u8]) -> std::vec::Vec<(u32, Point)> {
    let parse = ParseOptions::default();
    let options = CompileOptions { parse, incremental: false, stepwise: false, traced: true };
    let meter = Meter::new(Limits::interactive(), std::sync::Arc::new(Clock::system()));
    let compiled = compile_source(&Bytes::from(script), (0, 1), &options, &crate::syntax::NoAliases, &meter);
    let Ok(program) = compiled else { return std::vec::Vec::new() };
    let passed = |note: &Note| match note {
        Note::Passed(point, at) => Some((*at, *point)),
        Note::Expands(_) => None,
    };
    program.notes.iter().filter_map(passed).collect()
}
