//! What was measured of a run: the bounds, and the tables that show it.

use crate::known::{Criterion, Failure};
use crate::rows::Want;
use std::time::Duration;

const MIB: u64 = 1 << 20;
/// The longest that a run may keep its thread in one go, and the goal.
const POLL: Duration = Duration::from_millis(5);
const POLL_GOAL: Duration = Duration::from_millis(1);
/// What each MiB of an event that the host itself fires may take more: its payload is written in one go.
const POLL_PER_MIB: Duration = Duration::from_micros(1500);
/// The longest that the host may wait for a config that it loads, which is no poll.
const LOAD: Duration = Duration::from_millis(500);
/// The longest that a run may go on after its time limit.
const LATE: Duration = Duration::from_millis(10);
/// What a session may keep of a run, its files apart.
const KEPT: u64 = MIB;
/// Rows in a table of the worst.
const WORST: usize = 30;

/// What a run cost.
#[derive(Clone, Debug, Default)]
pub(crate) struct Figures {
    /// `status N` or `limit NAME`
    pub(crate) end: String,
    pub(crate) taken: Duration,
    /// Bytes of the heap, at most.
    pub(crate) heap: u64,
    /// Bytes charged, at most, and bytes of files.
    pub(crate) charged: u64,
    /// Bytes that the session holds more than before.
    pub(crate) kept: i64,
    /// The longest time in one go, and in what.
    pub(crate) poll: Duration,
    pub(crate) place: String,
    /// How long the run went on after its time limit.
    pub(crate) late: Duration,
    /// The longest time between two looks at the clock; zero where the crate was built without the feature `faults`.
    pub(crate) step: Duration,
    /// How long loading the config took.
    pub(crate) load: Duration,
    /// Bytes of the event that the host fired.
    pub(crate) event: u64,
}

impl Figures {
    pub(crate) fn to_line(&self) -> String {
        format!(
            "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}",
            self.end,
            self.taken.as_micros(),
            self.heap,
            self.charged,
            self.kept,
            self.poll.as_micros(),
            self.place,
            self.late.as_micros(),
            self.load.as_micros(),
            self.event,
            self.step.as_micros()
        )
    }

    pub(crate) fn from_line(line: &str) -> Self {
        let parts: Vec<&str> = line.split('\t').collect();
        let &[end, taken, heap, charged, kept, poll, place, late, load, event, step] = parts.as_slice()
        else {
            unreachable!("a child says all: {line}")
        };
        let number = |text: &str| text.parse().expect("a number");
        let time = |text: &str| Duration::from_micros(number(text));
        Self {
            end: end.to_owned(),
            taken: time(taken),
            heap: number(heap),
            charged: number(charged),
            kept: kept.parse().expect("a number"),
            poll: time(poll),
            place: place.to_owned(),
            late: time(late),
            load: time(load),
            event: number(event),
            step: time(step),
        }
    }

    /// Adds another run of the same session; the default is none yet.
    pub(crate) fn add(&mut self, other: Self) {
        if self.end.is_empty() || other.heap_over() >= self.heap_over() {
            (self.heap, self.charged) = (other.heap, other.charged);
        }
        if other.poll >= self.poll {
            (self.poll, self.place) = (other.poll, other.place);
        }
        self.taken += other.taken;
        self.kept += other.kept;
        self.late = self.late.max(other.late);
        self.step = self.step.max(other.step);
        self.load = self.load.max(other.load);
        self.event = self.event.max(other.event);
        self.end = other.end;
    }

    fn poll_allowed(&self) -> Duration {
        POLL + POLL_PER_MIB.mul_f64(self.event as f64 / MIB as f64)
    }

    fn heap_allowed(&self) -> u64 {
        self.charged + self.charged / 10 + MIB
    }

    /// Bytes of the heap over what is allowed; negative below it.
    fn heap_over(&self) -> i64 {
        self.heap as i64 - self.heap_allowed() as i64
    }

    fn ratio(&self) -> f64 {
        self.heap.saturating_sub(MIB) as f64 / self.charged.max(1) as f64
    }
}

/// A row and what was measured, or how the child ended that should have.
pub(crate) struct Measured {
    pub(crate) row: String,
    pub(crate) want: Want,
    pub(crate) outcome: Result<Figures, String>,
}

impl Measured {
    /// What is wrong, by some criteria.
    pub(crate) fn failures(&self, criteria: &[Criterion]) -> Vec<Failure> {
        let figures = match &self.outcome {
            Ok(figures) => figures,
            Err(fault) => return vec![self.failure(Criterion::End, fault.clone())],
        };
        let fails = |criterion: Criterion| match criterion {
            Criterion::End => (!self.want.accepts(&figures.end))
                .then(|| format!("want {:?}, got {}", self.want, figures.end)),
            Criterion::Heap => (figures.heap_over() > 0)
                .then(|| format!("heap {}, charged {}", mib(figures.heap), mib(figures.charged))),
            Criterion::Kept => (figures.kept > KEPT as i64)
                .then(|| format!("the session keeps {}", mib(figures.kept as u64))),
            Criterion::Poll => (figures.poll > figures.poll_allowed())
                .then(|| format!("{} {}", figures.place, ms(figures.poll))),
            Criterion::Load => (figures.load > LOAD).then(|| format!("loaded in {}", ms(figures.load))),
            // Other tests measure these.
            Criterion::Differs | Criterion::Wait => None,
            Criterion::Late => (figures.late > LATE).then(|| format!("{} after the limit", ms(figures.late))),
        };
        criteria.iter().filter_map(|&criterion| Some(self.failure(criterion, fails(criterion)?))).collect()
    }

    fn failure(&self, criterion: Criterion, detail: String) -> Failure {
        Failure { criterion, row: self.row.clone(), detail }
    }

    /// Takes the better times of another measurement.
    pub(crate) fn improve(&mut self, other: Self) {
        let (Ok(figures), Ok(other)) = (&mut self.outcome, other.outcome) else { return };
        if other.poll < figures.poll {
            (figures.poll, figures.place) = (other.poll, other.place);
        }
        figures.late = figures.late.min(other.late);
        figures.step = figures.step.min(other.step);
    }
}

fn mib(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / MIB as f64)
}

fn ms(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

fn line(row: &str, figures: &Figures) -> String {
    format!(
        "{:<22} {:>9} {:>11} {:>11} {:>6.2} {:>10.0} {:>10} {:<5} {:>9} {:>8}  {row}",
        figures.end,
        ms(figures.taken),
        mib(figures.heap),
        mib(figures.charged),
        figures.ratio(),
        figures.kept as f64 / 1024.0,
        ms(figures.poll),
        figures.place,
        ms(figures.late),
        ms(figures.step),
    )
}

/// Every row, the worst by each criterion, and what the README says in sum.
pub(crate) fn print(measured: &[Measured]) {
    let head = format!(
        "{:<22} {:>9} {:>11} {:>11} {:>6} {:>10} {:>10} {:<5} {:>9} {:>8}  row",
        "end", "taken", "heap", "charged", "ratio", "kept KiB", "longest", "in", "late", "step"
    );
    println!("{head}");
    let mut known: Vec<(&str, &Figures)> = Vec::new();
    for measured in measured {
        match &measured.outcome {
            Ok(figures) => {
                println!("{}", line(&measured.row, figures));
                known.push((&measured.row, figures));
            }
            Err(fault) => println!("DIED  {}  {fault}", measured.row),
        }
    }
    if measured.len() < 2 {
        return;
    }
    let mut worst = |what: &str, is_over: fn(&Figures) -> bool, key: fn(&Figures) -> i64| {
        known.sort_by_key(|(_, figures)| std::cmp::Reverse(key(figures)));
        let over = known.iter().filter(|(_, figures)| is_over(figures)).count();
        println!("\n{what}: {over} rows over the bound; the worst:\n{head}");
        for (row, figures) in known.iter().take(WORST).take_while(|(_, figures)| key(figures) > 0) {
            println!("{}", line(row, figures));
        }
        (over, known.first().map(|(_, figures)| (*figures).clone()).unwrap_or_default())
    };
    let (heap, heap_worst) =
        worst("heap over 1.1 x charged + 1 MiB", |f| f.heap_over() > 0, Figures::heap_over);
    let (kept, kept_worst) = worst("kept over 1 MiB", |f| f.kept > KEPT as i64, |f| f.kept);
    let (poll, poll_worst) =
        worst("longest over 5 ms", |f| f.poll > f.poll_allowed(), |f| f.poll.as_micros() as i64);
    let (late, late_worst) = worst("late over 10 ms", |f| f.late > LATE, |f| f.late.as_micros() as i64);
    let (step, step_worst) =
        worst("steps over 10 ms, for which nobody waits", |f| f.step > LATE, |f| f.step.as_micros() as i64);
    let goal = known.iter().filter(|(_, figures)| figures.poll > POLL_GOAL).count();
    let died = measured.len() - known.len();
    println!("\n{} rows; {died} ended the process", measured.len());
    println!("heap over its bound: {heap}; worst {} for {}", mib(heap_worst.heap), mib(heap_worst.charged));
    println!("kept over its bound: {kept}; most {}", mib(kept_worst.kept.max(0) as u64));
    println!("longest poll over 5 ms: {poll}, over 1 ms: {goal}; longest {}", ms(poll_worst.poll));
    let load = known.iter().map(|(_, figures)| figures.load).max().unwrap_or_default();
    println!("longest load of a config: {}", ms(load));
    println!("late over 10 ms: {late}; latest {}", ms(late_worst.late));
    println!("steps over 10 ms, for which nobody waits: {step}; longest {}", ms(step_worst.step));
}
