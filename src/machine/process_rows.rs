//! What `ps` and its like are told of a run's processes.

use super::scheduler::Scheduler;
use crate::clock::lock;
use crate::memory::{ToMetered, Vec, vec};
use crate::text::Text;
use crate::utility::ProcessRow;

impl Scheduler {
    /// Tells the utility in a process what processes there are.
    pub(super) fn answer_queries(&mut self, by: u32) {
        let queries = std::mem::take(&mut *lock(&self.queue.queries));
        for query in queries {
            let rows = self.process_rows(by, &query.argv);
            query.answer(rows);
        }
    }

    /// The processes of the run. A utility in the foreground of a shell is run by the shell's own process here; the one that
    /// asks is shown as the child that it is elsewhere.
    fn process_rows(&mut self, by: u32, argv: &[Text]) -> Vec<ProcessRow> {
        let mut rows = Vec::new();
        let mut asks_itself = false;
        for alive in &self.run.alive {
            let Some(entry) = self.entries.get(&alive.pid) else { continue };
            let Some(process) = entry.process.as_deref() else { continue };
            let control = &process.control;
            let utility = control.utility.as_ref().filter(|_| control.frames.is_empty());
            let asks = alive.pid == by && utility.is_some();
            asks_itself |= asks;
            let shell = || match control.argv.as_slice() {
                [] => vec![Text::from_static(b"bash")],
                argv => argv.to_metered(),
            };
            rows.push(ProcessRow {
                pid: alive.pid,
                parent: entry.requester.as_ref().map_or(entry.parent, |requester| requester.pid),
                group: alive.group,
                argv: utility.cloned().unwrap_or_else(shell),
                started: alive.started,
                asks,
            });
        }
        if !asks_itself {
            let group = rows.iter().find(|row| row.pid == by).map_or(by, |row| row.group);
            let started = self.run.services.session.clock.monotonic();
            let (pid, argv) = (self.run.new_pid(), argv.to_metered());
            rows.push(ProcessRow { pid, parent: by, group, argv, started, asks: true });
        }
        rows
    }
}
