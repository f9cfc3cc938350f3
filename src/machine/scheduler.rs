//! The scheduler: one run is one future. It polls the processes that are ready until its slice is over, moves signals and
//! exit statuses between them, and wakes those whose timers are due.
//!
//! There are two ways to stop, and they do not mix. A *turn* ends when a process has used its fuel: the others come first.
//! What the processes of a run do to each other depends on turns alone, so it is the same in every run. A *slice* ends when
//! the run has kept its executor for long enough: the run goes on later in the middle of the turn that was under way.
//!
//! A fixed clock jumps to the next timer when all wait. While somebody computes it stands still, but for timers: a turn
//! counts as [`TURN_TIME`], so that `timeout` ends what computes for ever.

use super::process::Process;
use super::run::{Alive, Recipients, Run};
use super::trap::Signal;
use crate::clock::{RealSleep, lock};
use crate::io::DescriptorTable;
use crate::limit::{LimitError, Meter, dispose, live_bytes};
use crate::memory::{Arc, Box, HashMap, Held, Vec, VecDeque, shared, vec};
use crate::text::Text;
use crate::utility::{
    CommandRequest, CommandRunner, CommandState, DescriptorHandles, ExitStatus, ProcessQuery, QueryState,
    Reach, Relation, RunningCommand,
};
use std::pin::Pin;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

/// How the first process of a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RunEnd {
    /// With this status.
    Status(u8),
    /// By a limit.
    Limit(LimitError),
}

/// What a turn counts for on a clock that does not move while somebody computes.
const TURN_TIME: Duration = Duration::from_millis(1);

/// Who is ready, and the waker of the task that polls the run.
#[derive(Debug, Default)]
struct Ready {
    queue: Mutex<VecDeque<u32>>,
    outer: Mutex<Option<Waker>>,
    /// The run is being polled, and looks at the queue before it returns: nobody has to wake it.
    is_polled: AtomicBool,
}

impl Ready {
    fn push(&self, pid: u32) {
        let mut queue = lock(&self.queue);
        if !queue.contains(&pid) {
            queue.push_back(pid);
        }
        drop(queue);
        self.wake_run();
    }

    /// A process has only paused: it goes on before anybody else.
    fn push_first(&self, pid: u32) {
        let mut queue = lock(&self.queue);
        queue.retain(|&waiting| waiting != pid);
        queue.push_front(pid);
    }

    fn pop(&self) -> Option<u32> {
        lock(&self.queue).pop_front()
    }

    fn is_empty(&self) -> bool {
        lock(&self.queue).is_empty()
    }

    /// Wakes the task that polls the run. Where the run wakes itself, the executor's other tasks would have to wait.
    fn wake_run(&self) {
        if !self.is_polled.load(Ordering::SeqCst)
            && let Some(waker) = lock(&self.outer).as_ref()
        {
            waker.wake_by_ref();
        }
    }
}

struct ProcessWaker {
    pid: u32,
    ready: Arc<Ready>,
}

impl Wake for Held<ProcessWaker> {
    fn wake(self: std::sync::Arc<Self>) {
        self.ready.push(self.pid);
    }
    fn wake_by_ref(self: &std::sync::Arc<Self>) {
        self.ready.push(self.pid);
    }
}

pub(super) struct Entry {
    pub(super) process: Option<Box<Process>>,
    pub(super) parent: u32,
    waker: Waker,
    /// The utility that asked for it, and waits for its end.
    pub(super) requester: Option<Requester>,
}

/// The process of the utility that asked for a command, and what the two have of each other.
pub(super) struct Requester {
    pub(super) pid: u32,
    state: Arc<CommandState>,
}

struct Requested {
    request: CommandRequest,
    descriptors: DescriptorHandles,
    state: Arc<CommandState>,
}

/// The commands that utilities asked for: the scheduler starts them.
#[derive(Default)]
pub(crate) struct CommandQueue {
    requests: Mutex<VecDeque<Requested>>,
    pub(super) queries: Mutex<Vec<Arc<QueryState>>>,
    /// Signals that utilities send to processes.
    signals: Mutex<Vec<(u32, Signal)>>,
    ready: Mutex<Option<Arc<Ready>>>,
}

impl CommandRunner for CommandQueue {
    fn start(
        &self,
        request: CommandRequest,
        descriptors: DescriptorHandles,
        relation: Relation,
    ) -> RunningCommand {
        let (running, state) = RunningCommand::new(relation);
        lock(&self.requests).push_back(Requested { request, descriptors, state });
        if let Some(ready) = lock(&self.ready).as_ref() {
            ready.wake_run();
        }
        running
    }

    fn processes(&self, argv: Vec<Text>) -> ProcessQuery {
        let query = ProcessQuery::new(argv);
        lock(&self.queries).push(Arc::clone(&query.0));
        if let Some(ready) = lock(&self.ready).as_ref() {
            ready.wake_run();
        }
        query
    }

    fn signal(&self, pid: u32, signal: u8) {
        lock(&self.signals).push((pid, signal));
    }
}

/// See the module.
pub(crate) struct Scheduler {
    pub(super) run: Run,
    pub(super) entries: HashMap<u32, Entry>,
    ready: Arc<Ready>,
    pub(super) queue: std::sync::Arc<CommandQueue>,
    first: u32,
    first_status: Option<u8>,
    /// A wait of real time.
    timer: Option<RealSleep>,
    /// The process that goes on in the middle of its turn.
    paused: Option<u32>,
    /// What turns have counted for since a fixed clock moved.
    computed: Duration,
}

impl Scheduler {
    /// A run of `process`. The run's `services.commands` must be `queue`.
    pub(crate) fn new(run: Run, queue: std::sync::Arc<CommandQueue>, process: Box<Process>) -> Self {
        let ready = Arc::new(Ready::default());
        *lock(&queue.ready) = Some(Arc::clone(&ready));
        let first = process.shell.state.ids.own;
        let mut scheduler = Self {
            run,
            entries: HashMap::default(),
            ready,
            queue,
            first,
            first_status: None,
            timer: None,
            paused: None,
            computed: Duration::ZERO,
        };
        scheduler.run.alive.push(Alive::of(&process, &scheduler.run.services.session));
        scheduler.add_process(0, process, None);
        scheduler
    }

    fn add_process(&mut self, parent: u32, process: Box<Process>, requester: Option<Requester>) {
        let pid = process.shell.state.ids.own;
        let waker = Waker::from(shared(ProcessWaker { pid, ready: Arc::clone(&self.ready) }));
        self.entries.insert(pid, Entry { process: Some(process), parent, waker, requester });
        lock(&self.ready.queue).push_back(pid);
    }

    /// Whether a process can go on, though nothing that is waited for has come.
    pub(crate) fn is_at_work(&self) -> bool {
        !self.ready.is_empty()
    }

    /// Polls one process.
    fn step(&mut self, pid: u32) -> Result<(), LimitError> {
        let paused = self.paused.take();
        let Some(entry) = self.entries.get_mut(&pid) else { return Ok(()) };
        let Some(mut process) = entry.process.take() else { return Ok(()) };
        let waker = entry.waker.clone();
        if paused != Some(pid) {
            Meter::start_turn();
        }
        let result = process.poll(&mut self.run, &mut Context::from_waker(&waker));
        if self.run.services.meter.take_pause() && result.is_pending() {
            self.paused = Some(pid);
            self.ready.push_first(pid);
        } else if self.run.services.session.clock.is_virtual() {
            self.computed += Meter::turn_used(TURN_TIME);
        }
        match result {
            Poll::Pending => {
                if let Some(entry) = self.entries.get_mut(&pid) {
                    entry.process = Some(process);
                }
                // In the middle of a turn nothing happens that would not if the process had not paused.
                if self.paused.is_none() {
                    self.take_requests();
                    self.start_commands(pid);
                    self.answer_queries(pid);
                }
                Ok(())
            }
            Poll::Ready(Ok(status)) => {
                // Its descriptors are closed before anybody hears of its end.
                let killed = process.control.killed_by;
                drop(process);
                self.take_requests();
                self.start_commands(pid);
                self.ended(pid, status, killed);
                Ok(())
            }
            Poll::Ready(Err(error)) => {
                // It is dropped with the others: that may take long.
                if let Some(entry) = self.entries.get_mut(&pid) {
                    entry.process = Some(process);
                }
                Err(error)
            }
        }
    }

    fn take_requests(&mut self) {
        for (parent, process) in std::mem::take(&mut self.run.spawned) {
            self.add_process(parent, process, None);
        }
        for (target, signal) in std::mem::take(&mut self.run.signals) {
            self.signal(target, signal);
        }
        let signals = std::mem::take(&mut *lock(&self.queue.signals));
        for (pid, signal) in signals {
            self.signal(Recipients::Process(pid), signal);
        }
    }

    /// Delivers a signal.
    fn signal(&mut self, target: Recipients, signal: Signal) {
        let mut targets = vec![target];
        while let Some(target) = targets.pop() {
            let pids = match target {
                Recipients::Process(pid) => vec![pid],
                Recipients::Tree(root) => self.descendants(root),
                Recipients::Others(but) => self.pids(|_, pid| pid != but),
                Recipients::Group(group, but) => {
                    self.pids(|process, pid| process.shell.state.ids.group == group && Some(pid) != but)
                }
            };
            for pid in pids {
                if let Some(stand_in) = self.stand_in(pid, signal) {
                    let gets_it_too = match target {
                        Recipients::Process(_) => false,
                        Recipients::Group(..) => !matches!(stand_in, Recipients::Group(..)),
                        Recipients::Tree(_) | Recipients::Others(_) => true,
                    };
                    if !gets_it_too {
                        targets.push(stand_in);
                    }
                } else if let Some(process) = self.process(pid) {
                    if matches!(target, Recipients::Group(..)) {
                        process.deliver_to_group(signal);
                    } else {
                        process.deliver(pid, signal);
                    }
                    self.ready.push(pid);
                }
            }
        }
    }

    fn process(&mut self, pid: u32) -> Option<&mut Process> {
        self.entries.get_mut(&pid).and_then(|entry| entry.process.as_deref_mut())
    }

    /// The processes of which something holds, in the order in which they were started.
    fn pids(&self, holds: impl Fn(&Process, u32) -> bool) -> Vec<u32> {
        let is_chosen = |pid: u32| {
            self.entries
                .get(&pid)
                .and_then(|entry| entry.process.as_deref())
                .is_some_and(|process| holds(process, pid))
        };
        self.run.alive.iter().map(|alive| alive.pid).filter(|&pid| is_chosen(pid)).collect()
    }

    /// The command that gets a signal in place of the process in which `env` or `timeout` runs. One that dies of it at once
    /// dies with that process.
    fn stand_in(&self, pid: u32, signal: Signal) -> Option<Recipients> {
        self.entries.iter().find_map(|(&command, entry)| {
            let requester = entry.requester.as_ref().filter(|requester| requester.pid == pid)?;
            let process = entry.process.as_deref().filter(|process| !process.is_killed_at_once(signal))?;
            match requester.state.relation() {
                Relation::Child => None,
                Relation::Group if !is_forwarded(signal) => None,
                Relation::StandIn => Some(Recipients::Process(command)),
                Relation::Group => Some(Recipients::Group(process.shell.state.ids.group, None)),
            }
        })
    }

    fn ended(&mut self, pid: u32, status: u8, killed: Option<Signal>) {
        self.run.alive.retain(|alive| alive.pid != pid);
        let Some(entry) = self.entries.remove(&pid) else { return };
        if let Some(signal) = killed {
            self.leave_commands(pid, signal);
        }
        if pid == self.first {
            self.first_status = Some(status);
        }
        if let Some(requester) = entry.requester {
            requester.state.end(Ok(ExitStatus(status)), killed);
        }
        if let Some(process) =
            self.entries.get_mut(&entry.parent).and_then(|entry| entry.process.as_deref_mut())
        {
            process.control.child_ended(&mut process.shell, pid, status, killed);
            self.ready.push(entry.parent);
        }
    }

    /// The commands of a utility that a signal has killed go on without it, but for one that stands for the utility, and one
    /// to which the signal is sent on: those have died with it.
    fn leave_commands(&mut self, utility: u32, signal: Signal) {
        for entry in self.entries.values_mut() {
            let is_left = entry.requester.as_ref().is_some_and(|requester| {
                requester.pid == utility
                    && match requester.state.relation() {
                        Relation::Child => true,
                        Relation::Group => !is_forwarded(signal),
                        Relation::StandIn => false,
                    }
            });
            if is_left {
                entry.requester = None;
            }
        }
    }

    /// Starts the commands that the utility in a process asked for.
    fn start_commands(&mut self, by: u32) {
        loop {
            let next = lock(&self.queue.requests).pop_front();
            let Some(Requested { request, descriptors, state }) = next else { return };
            if state.is_abandoned() {
                continue;
            }
            let asking = self.run.alive.iter().find(|alive| alive.pid == by);
            let group = asking.map(|alive| alive.group).filter(|_| state.relation() != Relation::Group);
            let process = self.entries.get(&by).and_then(|entry| entry.process.as_deref());
            let ignored = process.map(|process| process.shell.state.traps.ignored()).unwrap_or_default();
            match Process::for_request(&mut self.run, request, descriptors, group, ignored) {
                Ok(process) => {
                    self.run.alive.push(Alive::of(&process, &self.run.services.session));
                    self.add_process(0, process, Some(Requester { pid: by, state }));
                }
                Err(error) => state.end(Err(error), None),
            }
        }
    }

    /// Sends the signals of utilities to their commands, and ends those commands for which nobody waits any more.
    fn signal_commands(&mut self) {
        let mut abandoned = Vec::new();
        let mut signals = Vec::new();
        for (&pid, entry) in &self.entries {
            let Some(requester) = &entry.requester else { continue };
            if requester.state.is_abandoned() {
                abandoned.push(pid);
                continue;
            }
            for (signal, reach) in requester.state.take_signals() {
                let group = entry.process.as_ref().map(|process| process.shell.state.ids.group);
                let target = match (reach, group) {
                    (Reach::Group, Some(group)) => Recipients::Group(group, None),
                    _ => Recipients::Process(pid),
                };
                signals.push((target, signal));
            }
        }
        for (target, signal) in signals {
            self.signal(target, signal);
        }
        for pid in abandoned {
            self.kill_tree(pid);
        }
    }

    /// A process and all that it started.
    fn descendants(&self, root: u32) -> Vec<u32> {
        let mut children: HashMap<u32, Vec<u32>> = HashMap::default();
        for (&pid, entry) in &self.entries {
            let parent = entry.requester.as_ref().map_or(entry.parent, |requester| requester.pid);
            if let Some(children) = children.get_or_default(parent) {
                children.push(pid);
            }
        }
        let mut found = vec![root];
        let mut at = 0;
        while let Some(pid) = found.get(at) {
            let more = children.remove(pid).unwrap_or_default();
            found.extend(more);
            at += 1;
        }
        found
    }

    /// Ends a process and all that it started.
    fn kill_tree(&mut self, root: u32) {
        for pid in self.descendants(root) {
            self.entries.remove(&pid);
            self.run.alive.retain(|alive| alive.pid != pid);
        }
    }

    /// Wakes those whose timers are due while others compute.
    fn fire_due(&mut self) {
        // In the middle of a turn nothing happens that would not if the run had not paused.
        if self.paused.is_some() {
            return;
        }
        let Some(earliest) = self.run.services.timers.earliest() else { return };
        let clock = &self.run.services.session.clock;
        if clock.is_virtual() {
            let now = clock.monotonic() + self.computed;
            if earliest > now {
                return;
            }
            self.computed = now.saturating_sub(earliest.max(clock.monotonic()));
            clock.advance_to(earliest);
        }
        self.run.services.timers.fire(clock.monotonic());
    }

    /// Nobody is ready: waits for the earliest timer or the deadline. `Ready`: somebody may be ready now.
    fn idle(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), LimitError>> {
        let clock = std::sync::Arc::clone(&self.run.services.session.clock);
        let deadline = self.run.services.meter.deadline();
        let earliest = self.run.services.timers.earliest();
        let next = match (earliest, deadline) {
            (Some(timer), Some(deadline)) => Some(timer.min(deadline)),
            (timer, deadline) => timer.or(deadline),
        };
        let Some(next) = next else { return Poll::Pending };
        if clock.is_virtual() {
            if earliest.is_none() {
                // Only somebody outside can wake a process, or nobody ever will.
                return self.wait_real(cx, real_rest(&self.run));
            }
            self.computed = Duration::ZERO;
            clock.advance_to(next);
        }
        let now = clock.monotonic();
        if now >= next {
            self.run.services.meter.check()?;
            self.run.services.timers.fire(now);
            return Poll::Ready(Ok(()));
        }
        self.wait_real(cx, Some(next.saturating_sub(now)))
    }

    fn wait_real(&mut self, cx: &mut Context<'_>, rest: Option<Duration>) -> Poll<Result<(), LimitError>> {
        let Some(rest) = rest else { return Poll::Pending };
        let timer = self.timer.insert(RealSleep::of(rest));
        match Pin::new(timer).poll(cx) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(()) => {
                self.timer = None;
                self.run.services.meter.check()?;
                Poll::Ready(Ok(()))
            }
        }
    }
}

fn real_rest(run: &Run) -> Option<Duration> {
    run.services.meter.real_time_left()
}

/// Lets the executor's other tasks go first. tokio's own way does so with its timers too, which it looks at only every 61
/// polls of a task that wakes itself.
fn yield_to_executor(cx: &mut Context<'_>) {
    let yielding = std::pin::pin!(tokio::task::yield_now());
    let _ = yielding.poll(cx);
}

impl Scheduler {
    /// One process, or one look at the timers. `Ready`: how the run ended.
    fn advance(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<u8>, LimitError>> {
        // Before anything is waited for: the process or the waker that it takes may be what was refused.
        if let Some(error) = self.run.services.meter.failure() {
            return Poll::Ready(Err(error));
        }
        self.fire_due();
        match self.ready.pop() {
            Some(pid) => self.step(pid)?,
            None => match self.idle(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(result) => result?,
            },
        }
        if self.paused.is_none() {
            self.signal_commands();
        }
        Poll::Ready(Ok(self.first_status))
    }

    /// The run is over. What the processes hold open is closed before the next run begins.
    fn drop_processes(&mut self) {
        let mut entries = std::mem::take(&mut self.entries);
        for process in entries.values_mut().filter_map(|entry| entry.process.as_mut()) {
            process.shell.state.descriptors = DescriptorTable::default();
        }
        dispose(&self.run.services.meter, live_bytes(), entries);
    }

    /// Runs until the end, or until somebody outside has to do something. `Pending` and work to do: the slice is over.
    fn run_slice(&mut self, cx: &mut Context<'_>) -> Poll<RunEnd> {
        self.run.services.meter.start_slice();
        loop {
            match self.advance(cx) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(Ok(None)) => {}
                Poll::Ready(Ok(Some(status))) => {
                    self.drop_processes();
                    return Poll::Ready(RunEnd::Status(status));
                }
                Poll::Ready(Err(error)) => {
                    let error = self.run.services.meter.failure().unwrap_or(error);
                    self.drop_processes();
                    return Poll::Ready(RunEnd::Limit(error));
                }
            }
            // With nobody ready it goes on until it waits for something that wakes it.
            let meter = &self.run.services.meter;
            let is_over = self.paused.is_some() || meter.wants_worker() || meter.slice_is_over();
            if is_over && !self.ready.is_empty() {
                return Poll::Pending;
            }
        }
    }
}

impl Future for Scheduler {
    type Output = RunEnd;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<RunEnd> {
        let this = &mut *self;
        {
            let mut outer = lock(&this.ready.outer);
            if !outer.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
                *outer = Some(cx.waker().clone());
            }
        }
        this.ready.is_polled.store(true, Ordering::SeqCst);
        let end = this.run_slice(cx);
        this.ready.is_polled.store(false, Ordering::SeqCst);
        let has_requests = !lock(&this.queue.requests).is_empty();
        if end.is_pending() && (has_requests || !this.ready.is_empty()) {
            yield_to_executor(cx);
        }
        end
    }
}

/// Whether `timeout` sends a signal that it gets to its command: `HUP`, `INT`, `QUIT`, `TERM`.
const fn is_forwarded(signal: Signal) -> bool {
    matches!(signal, 1 | 2 | 3 | 15)
}
