//! Work on long values. An operation on more than [`LONG`] bytes is a future that pauses when its fuel is gone; the process
//! waits for it, and then does with the result what the operation does with a short value at once.

use super::error::ExpansionError;
use super::expansion::Expansion;
use super::halt::Step;
use super::pending::{Done, Pending, Reading};
use super::process::Process;
use super::run::Run;
use super::shell::Shell;
use crate::character;
use crate::limit::{Meter, Turn, gauge};
use crate::memory::Task;
use crate::pattern::{Pace, Stopped};
use crate::program::Quoting;
use crate::text::Text;
use crate::utility::yield_now;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// Values of more bytes than this are long.
pub(crate) const LONG: usize = 64 * 1024;

/// The pace of work that lets others go first when its fuel is gone.
pub(crate) struct Paced(Arc<Meter>);

impl Paced {
    pub(crate) fn new(run: &Run) -> Self {
        Self(Arc::clone(&run.services.meter))
    }
}

impl Pace for Paced {
    async fn tick(&mut self, n: u64) -> Result<(), Stopped> {
        if gauge::burn(i64::try_from(n).unwrap_or(i64::MAX))
            && self.0.refuel().map_err(|_| Stopped)? != Turn::Continues
        {
            yield_now().await;
        }
        Ok(())
    }
}

impl Expansion {
    /// Waits for long work.
    pub(crate) fn start_work(&mut self, work: impl Future<Output = Result<Done, Stopped>> + Send + 'static) {
        self.pending = Some(Pending::Work(Task::of(work)));
    }

    /// Does with a result what the operation is for.
    fn finish_work(&mut self, shell: &mut Shell, run: &mut Run, done: Result<Done, Stopped>) -> Step {
        match done {
            Ok(Done::Text(text, quoting)) => self.append_value(shell, &text, quoting),
            Ok(Done::List { values, kind, quoting, list }) => {
                return self.append_list(shell, run, &values, kind, quoting, list);
            }
            Ok(Done::Arm(matched, arm)) => {
                if matched {
                    shell.code.pc = arm;
                }
            }
            Ok(Done::Test(holds)) => shell.state.set_status(u8::from(!holds)),
            Err(Stopped) => return Err(crate::utility::context::ticker::stopped(&run.services.meter).into()),
        }
        Ok(())
    }

    /// Reads a file to its end; `Pending`: the process has to wait for it, or has read for long enough.
    pub(crate) fn read_on(
        &mut self,
        shell: &mut Shell,
        run: &Run,
        cx: &mut Context<'_>,
        mut reading: Reading,
    ) -> Poll<Step> {
        loop {
            let read = reading.description.poll_read(cx, &mut |more| {
                reading.bytes.extend_from_slice(more);
                more.len()
            });
            match read {
                Poll::Ready(Ok(count)) if count > 0 => {}
                Poll::Ready(_) => break,
                Poll::Pending => {
                    self.pending = Some(Pending::Read(reading));
                    return Poll::Pending;
                }
            }
            if gauge::burn(1) && run.services.meter.refuel()? != Turn::Continues {
                cx.waker().wake_by_ref();
                self.pending = Some(Pending::Read(reading));
                return Poll::Pending;
            }
        }
        if let Some(error) = run.services.meter.failure() {
            return Poll::Ready(Err(error.into()));
        }
        let Reading { mut bytes, quoting, .. } = reading;
        while bytes.last() == Some(&b'\n') {
            bytes.pop();
        }
        if memchr::memchr(0, &bytes).is_some() {
            bytes.retain(|&byte| byte != 0);
            shell.report(ExpansionError::NullByte);
        }
        shell.state.status = 0;
        self.append_value(shell, &Text::from(bytes), quoting);
        Poll::Ready(Ok(()))
    }

    /// Appends a text as one value; a long one in stretches, between which the process waits.
    pub(crate) fn append_value(&mut self, shell: &mut Shell, text: &Text, quoting: Quoting) {
        if text.len() > LONG {
            self.pending = Some(Pending::Append { text: text.clone(), at: 0, quoting });
        } else {
            self.append_text(shell, text, quoting);
        }
    }

    /// Goes on appending a long value.
    fn append_stretches(
        &mut self,
        shell: &mut Shell,
        run: &Run,
        (text, mut at, quoting): (Text, usize, Quoting),
    ) -> Poll<Step> {
        while at < text.len() {
            let end = character::stretch_end(&text, at, LONG / 4);
            self.append_text(shell, text.get(at..end).unwrap_or(&[]), quoting);
            at = end;
            if gauge::burn(0) && run.services.meter.refuel()? != Turn::Continues {
                self.pending = Some(Pending::Append { text, at, quoting });
                return Poll::Pending;
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl Process {
    /// Goes on with the work that is not done yet. Only a signal that ends the process is looked at meanwhile.
    pub(super) fn resume_pending(&mut self, run: &mut Run, cx: &mut Context<'_>) -> Poll<Step> {
        while let Some(pending) = self.x.pending.take() {
            match pending {
                Pending::Open(description) => {
                    if description.poll_opened(cx).is_pending() {
                        if self.control.has_fatal_signal(&self.shell) {
                            return Poll::Ready(self.take_signals(run));
                        }
                        self.x.pending = Some(Pending::Open(description));
                        return Poll::Pending;
                    }
                }
                Pending::Work(mut work) => {
                    let Poll::Ready(done) = Pin::new(&mut work).poll(cx) else {
                        if self.control.has_fatal_signal(&self.shell) {
                            return Poll::Ready(self.take_signals(run));
                        }
                        self.x.pending = Some(Pending::Work(work));
                        return Poll::Pending;
                    };
                    self.x.finish_work(&mut self.shell, run, done)?;
                }
                Pending::Read(reading) => {
                    if self.x.read_on(&mut self.shell, run, cx, reading)?.is_pending() {
                        if self.control.has_fatal_signal(&self.shell) {
                            return Poll::Ready(self.take_signals(run));
                        }
                        return Poll::Pending;
                    }
                }
                Pending::Append { text, at, quoting } => {
                    let appended = self.x.append_stretches(&mut self.shell, run, (text, at, quoting))?;
                    if appended.is_pending() {
                        cx.waker().wake_by_ref();
                        return Poll::Pending;
                    }
                }
            }
        }
        Poll::Ready(Ok(()))
    }
}
