//! Work on long values. An operation on more than [`LONG`] bytes is a future that pauses when its fuel is gone; the process
//! waits for it, and then does with the result what the operation does with a short value at once.

use super::expand::ListOf;
use super::process::{Process, Step, Wait};
use super::run::Run;
use crate::character;
use crate::limit::{Meter, Turn, gauge};
use crate::memory::Vec;
use crate::pattern::{Pace, Stopped};
use crate::program::{Pc, Quoting};
use crate::syntax::ast::AllElements;
use crate::text::Text;
use crate::utility::{BoxFuture, yield_now};
use std::sync::Arc;
use std::task::{Context, Poll};

/// Values of more bytes than this are long.
pub(crate) const LONG: usize = 64 * 1024;

/// The future of such work.
pub(crate) type Work = BoxFuture<Result<Done, Stopped>>;

/// What is done with its result.
pub(crate) enum Done {
    /// The text joins the word.
    Text(Text, Quoting),
    /// The values join the word.
    List { values: Vec<Text>, kind: AllElements, quoting: Quoting, list: ListOf },
    /// The arm of a `case` is run if its pattern matched.
    Arm(bool, Pc),
    /// A test of `[[ ]]` is true or false.
    Test(bool),
}

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

impl Process {
    /// Waits for long work.
    pub(crate) fn start_work(
        &mut self,
        work: impl Future<Output = Result<Done, Stopped>> + Send + 'static,
    ) -> Step {
        self.wait = Wait::Work(Box::pin(work));
        Ok(())
    }

    /// Does with a result what the operation is for.
    pub(super) fn finish_work(&mut self, run: &mut Run, done: Result<Done, Stopped>) -> Step {
        self.wait = Wait::Nothing;
        match done {
            Ok(Done::Text(text, quoting)) => self.append_value(&text, quoting),
            Ok(Done::List { values, kind, quoting, list }) => {
                return self.append_list(run, &values, kind, quoting, list);
            }
            Ok(Done::Arm(matched, arm)) => {
                if matched {
                    self.code.pc = arm;
                }
            }
            Ok(Done::Test(holds)) => self.set_status(u8::from(!holds)),
            Err(Stopped) => return Err(crate::utility::ticker::stopped(&run.services.meter).into()),
        }
        Ok(())
    }

    /// Appends a text as one value; a long one in stretches, between which the process waits.
    pub(crate) fn append_value(&mut self, text: &Text, quoting: Quoting) {
        if text.len() > LONG {
            self.wait = Wait::Append { text: text.clone(), at: 0, quoting };
        } else {
            self.append_text(text, quoting);
        }
    }

    /// Goes on appending a long value.
    pub(super) fn resume_append(&mut self, run: &mut Run, cx: &mut Context<'_>) -> Poll<Step> {
        let Wait::Append { text, mut at, quoting } = std::mem::replace(&mut self.wait, Wait::Nothing) else {
            return Poll::Ready(Ok(()));
        };
        while at < text.len() {
            let end = character::stretch_end(&text, at, LONG / 4);
            self.append_text(text.get(at..end).unwrap_or(&[]), quoting);
            at = end;
            if gauge::burn(0) && run.services.meter.refuel()? != Turn::Continues {
                self.wait = Wait::Append { text, at, quoting };
                cx.waker().wake_by_ref();
                return Poll::Pending;
            }
        }
        Poll::Ready(Ok(()))
    }
}
