//! Regular expressions of the utilities, `[[ =~ ]]` and `expr`: POSIX basic and extended ones with GNU's extensions
//! (leftmost-longest), and Perl's for `grep -P` (leftmost-first, in `perl`).
//!
//! Compiling must cost next to nothing, for a hook compiles in each run and matches a short text. So there is one small
//! compiler (`parse`, `bracket` → `program`), which takes 0.2 to 2 µs, and machines that need no preparation:
//!
//! 1. A literal, and text without a literal that every match contains, is settled by `memmem`.
//! 2. A short text is matched by `simulate`.
//! 3. Once an expression has seen some text, `automaton` tells where a match ends. If none begins at the last place before
//!    it where nothing was under way, the simulation runs from there to where the start of the match is certain. The
//!    automaton finds the longest end.
//! 4. Lines of a large text are found by `dense`, which takes longer to compile.
//! 5. Groups are found over the match alone; back-references need `backtrack`, which has a limit on its steps.
//!
//! 1–4 cost at most text times program, and both machines give the same answers. The alternative, the `regex-automata`
//! engines for all, takes tens of microseconds to compile, and its leftmost-longest search must be put together from
//! three automata. `.` and brackets match whole UTF-8 characters; a byte that is part of none is matched by itself alone.

mod automaton;
mod backtrack;
pub(crate) mod backtracking;
mod bracket;
pub(crate) mod dense;
mod error;
pub(crate) mod leftmost;
mod options;
mod parse;
mod perl;
mod program;
mod simulate;

use crate::memory::{Held, Vec, shared};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

use memchr::memmem;

use crate::limit::Charge;
use crate::pattern::{Stopped, Ticker};
use crate::utility::context::pace::yield_now;
use crate::utility::context::pace::{Pace, in_place};
use automaton::Automaton;
use options::span;
use perl::Perl;
use program::Program;
use simulate::{Simulation, Wanted};
use std::pin::pin;

pub(crate) use bracket::{bracket_end, has_bare_class};
pub(crate) use error::RegexError;
pub(crate) use options::{BYTES_PER_INSTRUCTION, Dialect, RegexOptions, Span, Syntax};
pub(crate) use parse::simple_escape;
pub(crate) use perl::building_bytes;

/// A compiled regular expression; a clone shares it.
#[derive(Clone, Debug)]
pub(crate) struct Regex {
    engine: Arc<Held<Engine>>,
}

#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one for each expression, and it is in an `Arc`")]
enum Engine {
    Posix(Posix),
    Perl(Perl, #[expect(dead_code, reason = "gives the bytes back when it is dropped")] Option<Charge>),
}

#[derive(Debug)]
struct Posix {
    program: Program,
    backtrack_limit: u64,
    /// Finds the text that every match contains; made for the first text that is not short.
    finder: OnceLock<memmem::Finder<'static>>,
    /// Bytes of text given so far, to tell when the automaton pays.
    seen: AtomicUsize,
    /// Memory of the machines; a search takes it, and one that finds it taken makes its own.
    memory: Mutex<Option<Box<Held<Memory>>>>,
}

#[derive(Debug, Default)]
struct Memory {
    simulation: Simulation,
    automaton: Automaton,
}

impl Memory {
    /// About what it holds.
    fn bytes(&self, program: &Program) -> usize {
        usize::try_from(program.bytes()).unwrap_or(usize::MAX).saturating_add(self.automaton.bytes())
    }
}

/// Bytes that an expression which is kept may hold beside itself.
const KEPT_MEMORY: usize = 16 << 10;

/// A text of fewer bytes is looked through without a finder.
const SHORT_TEXT: usize = 64;
/// The longest text that a finder is kept of.
const LONGEST_KEPT: usize = 64;

/// From so many bytes of text on, the automaton is built.
const LONG_TEXT: usize = 1500;

impl Regex {
    /// Compiles an expression.
    ///
    /// # Errors
    ///
    /// What is wrong with it, in glibc's words.
    pub(crate) fn new(source: &[u8], syntax: Syntax, options: &RegexOptions) -> Result<Self, RegexError> {
        Self::compile(source, syntax, options).map_err(|error| options.refusal(error))
    }

    fn compile(source: &[u8], syntax: Syntax, options: &RegexOptions) -> Result<Self, RegexError> {
        let engine = if matches!(syntax, Syntax::Perl | Syntax::Texts | Syntax::Rust) {
            let (perl, charge) = Perl::new(source, syntax, options)?;
            Engine::Perl(perl, charge)
        } else {
            let program = parse::parse(source, syntax, options)?;
            if program.bytes() > (options.size_limit as u64).saturating_mul(BYTES_PER_INSTRUCTION) {
                return Err(RegexError::Size);
            }
            Engine::Posix(Posix {
                program,
                backtrack_limit: options.backtrack_limit,
                finder: OnceLock::new(),
                seen: AtomicUsize::new(0),
                memory: Mutex::new(None),
            })
        };
        Ok(Self { engine: shared(engine) })
    }

    fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Forgets what its machines have learnt if that is more than a session keeps.
    pub(crate) fn trim(&self) {
        if let Engine::Posix(posix) = self.engine()
            && let Ok(mut memory) = posix.memory.try_lock()
            && memory.as_ref().is_some_and(|memory| memory.bytes(&posix.program) > KEPT_MEMORY)
        {
            *memory = None;
        }
    }

    /// The number of groups, the whole match not counted.
    pub(crate) fn group_count(&self) -> usize {
        match self.engine() {
            Engine::Posix(posix) => posix.program.groups,
            Engine::Perl(perl, _) => perl.group_count(),
        }
    }

    /// The number of the group with this name, where groups have names.
    #[cfg(feature = "programs")]
    pub(crate) fn group_number(&self, name: &str) -> Option<usize> {
        match self.engine() {
            Engine::Posix(_) => None,
            Engine::Perl(perl, _) => perl.group_number(name),
        }
    }

    /// Whether a search goes back and forth in the text, so that no more of it should be given than is needed.
    pub(crate) fn goes_back(&self) -> bool {
        match self.engine() {
            Engine::Posix(posix) => posix.program.has_back_references,
            Engine::Perl(perl, _) => perl.goes_back(),
        }
    }

    /// The text that the whole expression is, when it is one without any special character and case matters.
    pub(crate) fn literal(&self) -> Option<&[u8]> {
        match self.engine() {
            Engine::Posix(posix) => posix.program.hints.literal.as_deref(),
            Engine::Perl(..) => None,
        }
    }

    /// The longest text that is known to be in every match; empty when there is none.
    pub(crate) fn required(&self) -> &[u8] {
        match self.engine() {
            Engine::Posix(posix) => &posix.program.hints.required,
            Engine::Perl(..) => &[],
        }
    }

    /// A place after which, up to the next newline, the match lies that ends first of all matches at or after `start`, if
    /// no match holds a newline: what tells the next line of a buffer that matches, for less than a full search.
    pub(crate) async fn locate(
        &self,
        text: &[u8],
        start: usize,
        pace: &mut Pace<'_>,
    ) -> Result<Option<usize>, RegexError> {
        match self.engine() {
            Engine::Posix(posix) if posix.program.has_back_references => {
                Ok(posix.find(text, start, Wanted::Longest, pace).await?.map(|found| found.0))
            }
            Engine::Posix(posix) => {
                Ok(posix.find(text, start, Wanted::Any, pace).await?.map(|found| found.1))
            }
            Engine::Perl(perl, _) => Ok(perl.find_at(text, start, pace).await?.map(|found| found.0)),
        }
    }

    /// Whether there is a match.
    pub(crate) async fn is_match(&self, text: &[u8], pace: &mut Pace<'_>) -> Result<bool, RegexError> {
        let look = self.look(text, 0, pace)?;
        self.is_match_after(look, text, pace).await
    }

    /// As [`Regex::is_match`] after a look from the start on.
    pub(crate) async fn is_match_after(
        &self,
        look: Look,
        text: &[u8],
        pace: &mut Pace<'_>,
    ) -> Result<bool, RegexError> {
        match (self.engine(), look) {
            (_, Look::Known(found)) => Ok(found.is_some()),
            (Engine::Posix(posix), look) => {
                Ok(posix.search(look, text, 0, Wanted::Any, pace).await?.is_some())
            }
            (Engine::Perl(perl, _), _) => perl.is_match(text, pace).await,
        }
    }

    /// The first match at or after `start`. What is before `start` is seen by `^` and `\b`.
    pub(crate) async fn find_at(
        &self,
        text: &[u8],
        start: usize,
        pace: &mut Pace<'_>,
    ) -> Result<Option<Span>, RegexError> {
        match self.engine() {
            Engine::Posix(posix) => match posix.look(text, start, pace)? {
                Look::Known(found) => Ok(found),
                look => posix.search(look, text, start, Wanted::Longest, pace).await,
            },
            Engine::Perl(perl, _) => perl.find_at(text, start, pace).await,
        }
    }

    /// What a look tells of the first match at or after `start`.
    pub(crate) fn look(&self, text: &[u8], start: usize, pace: &mut Pace<'_>) -> Result<Look, Stopped> {
        match self.engine() {
            Engine::Posix(posix) => posix.look(text, start, pace),
            Engine::Perl(..) => Ok(Look::Nothing),
        }
    }

    /// As [`Regex::find_at`] after a look from `start` on.
    pub(crate) async fn find_from(
        &self,
        look: Look,
        text: &[u8],
        start: usize,
        pace: &mut Pace<'_>,
    ) -> Result<Option<Span>, RegexError> {
        match (self.engine(), look) {
            (_, Look::Known(found)) => Ok(found),
            (Engine::Posix(posix), look) => posix.search(look, text, start, Wanted::Longest, pace).await,
            (Engine::Perl(perl, _), _) => perl.find_at(text, start, pace).await,
        }
    }

    /// The first match at or after `start`: its span and those of its groups, which replace what `groups` holds. Without
    /// a match, `groups` is empty.
    pub(crate) async fn captures_at(
        &self,
        text: &[u8],
        start: usize,
        groups: &mut Vec<Option<Span>>,
        pace: &mut Pace<'_>,
    ) -> Result<bool, RegexError> {
        match self.engine() {
            Engine::Posix(posix) => posix.captures(text, start, groups, pace).await,
            Engine::Perl(perl, _) => perl.captures_at(text, start, groups, pace).await,
        }
    }

    /// As [`Regex::captures_at`] where nobody can wait.
    pub(crate) fn captures_at_ticked(
        &self,
        text: &[u8],
        start: usize,
        groups: &mut Vec<Option<Span>>,
        ticker: &mut (dyn Ticker + Send),
    ) -> Result<bool, RegexError> {
        in_place(pin!(self.captures_at(text, start, groups, &mut Pace::Alone(ticker))))
            .unwrap_or(Err(Stopped.into()))
    }
}

/// What a short text tells at once: most searches end here, and need no future.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Look {
    Known(Option<Span>),
    /// What the expression requires is there; the machine has to search.
    Required,
    /// Nothing: the text is long, or others have their turn first.
    Nothing,
}

impl Posix {
    fn look(&self, text: &[u8], start: usize, pace: &mut Pace<'_>) -> Result<Look, Stopped> {
        let Some(rest) = text.get(start..) else { return Ok(Look::Known(None)) };
        let hints = &self.program.hints;
        if hints.is_anchored && start > 0 {
            return Ok(Look::Known(None));
        }
        let wanted = hints.literal.as_deref().unwrap_or(&hints.required);
        if hints.literal.is_none() && wanted.is_empty() {
            return Ok(Look::Required);
        }
        if rest.len() > BLOCK || pace.count(1 + rest.len() as u64 / STEP_BYTES)? {
            return Ok(Look::Nothing);
        }
        Ok(match self.find_wanted(rest, wanted).map(|at| start + at) {
            None => Look::Known(None),
            Some(at) if hints.literal.is_some() => Look::Known(Some((at, at + wanted.len()))),
            Some(_) => Look::Required,
        })
    }

    /// Where the text is that every match contains.
    fn find_wanted(&self, text: &[u8], wanted: &[u8]) -> Option<usize> {
        // Of a short text less is looked at than of what a finder is made of, and of a long one a finder has a copy.
        if text.len() < SHORT_TEXT || wanted.len() > LONGEST_KEPT {
            return memmem::find(text, wanted);
        }
        self.finder.get_or_init(|| memmem::Finder::new(wanted).into_owned()).find(text)
    }

    async fn find(
        &self,
        text: &[u8],
        start: usize,
        wanted: Wanted,
        pace: &mut Pace<'_>,
    ) -> Result<Option<Span>, RegexError> {
        let look = self.look(text, start, pace)?;
        self.search(look, text, start, wanted, pace).await
    }

    /// Goes on after a look at the text.
    async fn search(
        &self,
        look: Look,
        text: &[u8],
        start: usize,
        wanted: Wanted,
        pace: &mut Pace<'_>,
    ) -> Result<Option<Span>, RegexError> {
        let rest = text.get(start..).unwrap_or(&[]);
        let hints = &self.program.hints;
        if matches!(look, Look::Nothing) && rest.len() <= BLOCK {
            yield_now().await;
        }
        match (look, &hints.literal) {
            (Look::Known(found), _) => return Ok(found),
            (Look::Required, _) => {}
            (Look::Nothing, Some(literal)) => {
                let found = find_text(rest, literal, pace).await?.map(|offset| start + offset);
                return Ok(found.map(|at| (at, at + literal.len())));
            }
            (Look::Nothing, None) => {
                if find_text(rest, &hints.required, pace).await?.is_none() {
                    return Ok(None);
                }
            }
        }
        if self.program.has_back_references {
            let slots = backtrack::find(&self.program, text, start, self.backtrack_limit, pace).await?;
            return Ok(slots.and_then(|slots| span(&slots, 0)));
        }
        let memory = self.memory.try_lock().ok().and_then(|mut memory| memory.take());
        let mut memory = memory.unwrap_or_default();
        let seen = self.seen.load(Ordering::Relaxed);
        let found = if seen.saturating_add(rest.len()) < LONG_TEXT {
            self.seen.store(seen + rest.len(), Ordering::Relaxed);
            memory.simulation.find(&self.program, text, start, wanted, pace).await
        } else {
            self.search_long(&mut memory, text, start, wanted, pace).await
        };
        if let Ok(mut place) = self.memory.try_lock() {
            *place = Some(memory);
        }
        Ok(found?)
    }

    async fn search_long(
        &self,
        memory: &mut Memory,
        text: &[u8],
        start: usize,
        wanted: Wanted,
        pace: &mut Pace<'_>,
    ) -> Result<Option<Span>, Stopped> {
        let program = &self.program;
        let Some(first_end) = memory.automaton.first_end(program, text, start, pace).await? else {
            return Ok(None);
        };
        if wanted == Wanted::Any {
            return Ok(Some((first_end.from, first_end.end)));
        }
        // As a rule the match begins where the first one can.
        if let Some(end) = memory.automaton.longest(program, text, first_end.from, pace).await? {
            return Ok(Some((first_end.from, end)));
        }
        let found = memory.simulation.find(program, text, first_end.from, Wanted::Start, pace).await?;
        let Some((from, end)) = found else { return Ok(None) };
        let end = memory.automaton.longest(program, text, from, pace).await?.unwrap_or(end);
        Ok(Some((from, end)))
    }

    async fn captures(
        &self,
        text: &[u8],
        start: usize,
        groups: &mut Vec<Option<Span>>,
        pace: &mut Pace<'_>,
    ) -> Result<bool, RegexError> {
        groups.clear();
        if self.program.has_back_references {
            let found = backtrack::find(&self.program, text, start, self.backtrack_limit, pace).await?;
            let Some(slots) = found else { return Ok(false) };
            groups.extend((0..=self.program.groups).map(|group| span(&slots, group)));
            return Ok(true);
        }
        let Some(whole) = self.find(text, start, Wanted::Longest, pace).await? else { return Ok(false) };
        groups.push(Some(whole));
        if self.program.groups > 0 {
            let slots = simulate::slots(&self.program, text, whole, pace).await?;
            groups.extend((1..=self.program.groups).map(|group| span(&slots, group)));
        }
        Ok(true)
    }
}

/// The first place of a text in another one.
pub(crate) async fn find_text(
    text: &[u8],
    wanted: &[u8],
    pace: &mut Pace<'_>,
) -> Result<Option<usize>, Stopped> {
    if text.len() <= BLOCK {
        if pace.count(1 + text.len() as u64 / STEP_BYTES)? {
            yield_now().await;
        }
        return Ok(memmem::find(text, wanted));
    }
    let finder = memmem::Finder::new(wanted);
    let mut from = 0;
    while let Some(rest) = text.get(from..) {
        // A block holds what begins in its first bytes.
        let block = rest.get(..BLOCK.saturating_add(wanted.len())).unwrap_or(rest);
        if let Some(at) = finder.find(block) {
            return Ok(Some(from + at));
        }
        if block.len() == rest.len() {
            break;
        }
        if pace.count(block.len() as u64 / STEP_BYTES)? {
            yield_now().await;
        }
        from += BLOCK;
    }
    Ok(None)
}

/// Bytes that are searched for a text at once.
const BLOCK: usize = 1 << 16;
/// Bytes of a block that count as a step.
const STEP_BYTES: u64 = 32;

#[cfg(test)]
mod tests;
