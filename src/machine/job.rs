//! Background jobs of a shell: their processes and what became of them.

use crate::text::Text;

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
}

/// The jobs of a shell.
#[derive(Clone, Debug, Default)]
pub(crate) struct Jobs {
    pub(crate) list: Vec<Job>,
}

/// Most finished jobs that are remembered.
const MAX_REMEMBERED: usize = 1024;

impl Jobs {
    /// Adds a running job and returns its number.
    pub(crate) fn add(&mut self, pid: u32, text: Text, numbered: bool) -> u32 {
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
            text,
            reported: false,
            no_hangup: false,
        });
        number
    }

    /// Notes that a process has ended.
    pub(crate) fn ended(&mut self, pid: u32, status: u8) {
        if let Some(job) = self.list.iter_mut().find(|job| job.pid == pid) {
            job.status = JobStatus::Done(status);
        }
    }

    pub(crate) fn by_pid(&self, pid: u32) -> Option<&Job> {
        self.list.iter().find(|job| job.pid == pid)
    }

    /// Forgets a job.
    pub(crate) fn remove(&mut self, pid: u32) {
        self.list.retain(|job| job.pid != pid);
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
            [b'?', text @ ..] => numbered().find(|job| memchr::memmem::find(&job.text, text).is_some()),
            prefix => numbered().find(|job| job.text.starts_with(prefix)),
        }
    }
}
