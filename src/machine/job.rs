//! Background jobs of a shell: their processes and what became of them.

use super::trap::{INT, PIPE, Signal, TERM};
use crate::memory::{Arc, Vec, VecDeque};
use crate::text::Text;
use std::ops::{Deref, DerefMut};

/// How a process stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JobStatus {
    Running,
    /// Ended with this status.
    Done(u8),
}

/// A process that was started with `&`, as a coprocess, or for a process substitution.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    /// `%number`; 0: not in the table of jobs (a process substitution).
    pub(crate) number: u32,
    pub(crate) pid: u32,
    pub(crate) status: JobStatus,
    /// The command as `jobs` shows it.
    pub(crate) text: Text,
    /// `jobs` has shown that it is done, or `wait` has taken its status.
    pub(crate) reported: bool,
    /// `disown -h`
    pub(crate) no_hangup: bool,
    /// Which in the order of the ends it was.
    pub(crate) order: u64,
    /// The signal that ended it.
    pub(crate) killed: Option<Signal>,
}

impl Job {
    /// Whether `wait` without operands waits for it.
    pub(crate) const fn is_waited_for(&self) -> bool {
        self.number != 0
    }
}

/// The jobs of a shell. A copy shares the table until one of the two changes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Jobs(Arc<Table>);

/// See [`Jobs`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    pub(crate) list: Vec<Job>,
    /// In a command substitution and in a stage of a pipeline: those of the shell around it, for `jobs` to show.
    pub(crate) inherited: Vec<Job>,
    /// Processes that were waited for or disowned: their numbers with their statuses, for another `wait`.
    remembered: VecDeque<(u32, JobStatus)>,
    ends: u64,
    /// Jobs that were ended by a signal, which is to be told.
    killed: Vec<Job>,
}

/// Most finished jobs that are remembered.
const MAX_REMEMBERED: usize = 1024;

impl Deref for Jobs {
    type Target = Table;

    fn deref(&self) -> &Table {
        &self.0
    }
}

impl DerefMut for Jobs {
    fn deref_mut(&mut self) -> &mut Table {
        Arc::make_mut(&mut self.0)
    }
}

impl Jobs {
    /// What a command substitution or a stage of a pipeline sees of these.
    pub(crate) fn for_child(&self) -> Self {
        if self.is_new() {
            return self.clone();
        }
        let inherited = if self.list.is_empty() { self.inherited.clone() } else { self.list.clone() };
        Self(Arc::new(Table { inherited, ..Table::default() }))
    }

    /// Jobs that start over; without any so far, those are as good.
    pub(crate) fn restart(&mut self) {
        if !self.is_new() {
            *self = Self::default();
        }
    }

    fn is_new(&self) -> bool {
        let Table { list, inherited, remembered, ends, killed } = &**self;
        *ends == 0 && list.is_empty() && inherited.is_empty() && remembered.is_empty() && killed.is_empty()
    }

    /// A child in the foreground was waited for: what has ended in the meantime is forgotten.
    pub(crate) fn notice_ended(&mut self) {
        if !self.list.is_empty() {
            self.deref_mut().forget_ended();
        }
    }
}

impl Table {
    /// Adds a running job and returns its number.
    pub(crate) fn add(&mut self, pid: u32, text: &Text, numbered: bool) -> u32 {
        let number = if numbered { self.list.iter().map(|job| job.number).max().unwrap_or(0) + 1 } else { 0 };
        if self.list.len() >= MAX_REMEMBERED
            && let Some(at) = self.list.iter().position(|job| job.status != JobStatus::Running)
        {
            self.list.remove(at);
        }
        self.list.push(Job {
            number,
            pid,
            status: JobStatus::Running,
            text: Text::from(text.trim_ascii_end()),
            reported: false,
            no_hangup: false,
            order: 0,
            killed: None,
        });
        number
    }

    /// How many jobs `jobs` would show.
    pub(crate) fn shown(&self) -> usize {
        let jobs = if self.list.is_empty() { &self.inherited } else { &self.list };
        jobs.iter().filter(|job| job.number != 0).count()
    }

    /// Before `jobs` looks: those of the shell around this one if it has none.
    pub(crate) fn show_inherited(&mut self) {
        if self.list.is_empty() {
            self.list = std::mem::take(&mut self.inherited);
        }
    }

    /// Notes that a process has ended, and by which signal if it was one.
    pub(crate) fn ended(&mut self, pid: u32, status: u8, killed: Option<Signal>) {
        self.ends += 1;
        let order = self.ends;
        if let Some(job) = self.list.iter_mut().find(|job| job.pid == pid) {
            job.status = JobStatus::Done(status);
            job.order = order;
            job.killed = killed;
            // `kill`, an interrupt and a broken pipe make no noise.
            let loud = killed.is_some_and(|signal| !matches!(signal, INT | PIPE | TERM));
            if loud && job.number != 0 && self.killed.len() < MAX_REMEMBERED {
                self.killed.push(job.clone());
            }
        }
        if let Some(entry) = self.remembered.iter_mut().find(|entry| entry.0 == pid) {
            entry.1 = JobStatus::Done(status);
        }
    }

    /// The jobs that signals ended and that were not told of; they leave the table.
    pub(crate) fn take_killed(&mut self) -> Vec<Job> {
        let killed = std::mem::take(&mut self.killed);
        for job in &killed {
            self.take(job.pid);
        }
        killed
    }

    /// How a process stands that is or was in the table.
    pub(crate) fn status_of(&self, pid: u32) -> Option<JobStatus> {
        let job = self.list.iter().find(|job| job.pid == pid).map(|job| job.status);
        job.or_else(|| self.remembered.iter().find(|entry| entry.0 == pid).map(|entry| entry.1))
    }

    /// Whether a process is or was a child.
    pub(crate) fn knows(&self, pid: u32) -> bool {
        self.status_of(pid).is_some()
    }

    /// Whether a child has ended and nobody took its status.
    pub(crate) fn is_zombie(&self, pid: u32) -> bool {
        self.list.iter().any(|job| job.pid == pid && job.status != JobStatus::Running)
    }

    /// Takes a job out of the table; its status can still be asked for.
    pub(crate) fn take(&mut self, pid: u32) {
        if let Some(at) = self.list.iter().position(|job| job.pid == pid) {
            let job = self.list.remove(at);
            if self.remembered.len() >= MAX_REMEMBERED {
                self.remembered.pop_front();
            }
            self.remembered.push_back((job.pid, job.status));
        }
    }

    /// `wait` without operands: what has ended is forgotten.
    pub(crate) fn forget_all(&mut self) {
        self.list.retain(|job| job.status == JobStatus::Running);
        self.remembered.clear();
    }

    /// `disown -h`
    pub(crate) fn keep_on_hangup(&mut self, pid: u32) {
        if let Some(job) = self.list.iter_mut().find(|job| job.pid == pid) {
            job.no_hangup = true;
        }
    }

    /// `+` for the current job, `-` for the one before it.
    pub(crate) fn mark(&self, pid: u32) -> char {
        let is = |spec: &[u8]| self.find(spec).is_some_and(|job| job.pid == pid);
        if is(b"%+") {
            '+'
        } else if is(b"%-") {
            '-'
        } else {
            ' '
        }
    }

    pub(crate) fn by_pid(&self, pid: u32) -> Option<&Job> {
        self.list.iter().find(|job| job.pid == pid)
    }

    /// `%text`, `%?text` (without the `%`). `Err`: several jobs have it.
    fn by_text(&self, spec: &[u8]) -> Result<Option<&Job>, ()> {
        let has = |job: &&Job| match spec.strip_prefix(b"?") {
            Some(text) => memchr::memmem::find(&job.text, text).is_some(),
            None => job.text.starts_with(spec),
        };
        let mut found = self.list.iter().filter(|job| job.number != 0).filter(has);
        match (found.next(), found.next()) {
            (_, Some(_)) => Err(()),
            (found, None) => Ok(found),
        }
    }

    /// Whether more than one job is named by `%text` or `%?text`.
    pub(crate) fn is_ambiguous(&self, spec: &[u8]) -> bool {
        let spec = spec.strip_prefix(b"%").unwrap_or(spec);
        let by_place = matches!(spec, b"" | b"%" | b"+" | b"-") || spec.iter().all(u8::is_ascii_digit);
        !by_place && self.by_text(spec).is_err()
    }

    fn forget_ended(&mut self) {
        let ended: Vec<u32> = self
            .list
            .iter()
            .filter(|job| job.number != 0 && job.status != JobStatus::Running)
            .map(|job| job.pid)
            .collect();
        for pid in ended {
            self.take(pid);
        }
    }

    /// The job that `%spec` names (with the `%`): `%n`, `%%`, `%+`, `%-`, `%text`, `%?text`.
    pub(crate) fn find(&self, spec: &[u8]) -> Option<&Job> {
        let spec = spec.strip_prefix(b"%").unwrap_or(spec);
        let numbered = || self.list.iter().filter(|job| job.number != 0);
        let mut current = numbered().rev();
        match spec {
            b"" | b"%" | b"+" => current.next(),
            b"-" => {
                let last = current.next();
                current.next().or(last)
            }
            digits if digits.iter().all(u8::is_ascii_digit) => {
                let number: u32 = std::str::from_utf8(digits).ok()?.parse().ok()?;
                numbered().find(|job| job.number == number)
            }
            _ => self.by_text(spec).ok().flatten(),
        }
    }
}
