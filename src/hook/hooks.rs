//! The hooks of a config: what the engine knows of each ([`Hook`]), what its dialect keeps beside that, and which of them an
//! event has.

use super::id::HookId;
use super::script::{Capture, Ended, HookIdentity, HookScript, Shell};
use crate::limit::Limits;
use crate::text::Text;
use std::sync::Arc;
use std::time::Duration;

/// A hook, as far as all dialects agree.
#[derive(Debug)]
pub struct Hook {
    /// Its resolved name.
    pub id: HookId,
    /// The event, by its name in the dialect.
    pub event: &'static str,
    /// What it runs.
    pub handler: Handler,
    /// Wall time of one run.
    pub timeout: Duration,
    /// The other bounds of one run; hooks of a config share them.
    pub limits: Arc<Limits>,
    /// How much of its output is kept.
    pub capture: Capture,
    /// Working directory; `None` is the session's.
    pub cwd: Option<Text>,
    /// Whether the session's environment is below the hook's.
    pub inherit_environment: bool,
    /// User and host names; `None` is the session's.
    pub identity: Option<HookIdentity>,
    /// For display.
    pub description: Option<String>,
}

impl Hook {
    /// A hook that runs as the session's user, in its directory and environment.
    pub(crate) fn new(
        id: HookId,
        event: &'static str,
        handler: Handler,
        timeout: Duration,
        limits: &Arc<Limits>,
        capture: Capture,
    ) -> Self {
        Self {
            id,
            event,
            handler,
            timeout,
            limits: Arc::clone(limits),
            capture,
            cwd: None,
            inherit_environment: true,
            identity: None,
            description: None,
        }
    }

    /// Whether its script is as short as its limits want.
    ///
    /// # Errors
    /// It is longer; this is how its run ends.
    pub(crate) fn check_size(&self) -> Result<(), Ended> {
        match &self.handler {
            Handler::Script { script, .. } if script.source().len() as u64 > self.limits.script_bytes => {
                let message = format!("command is longer than {} bytes", self.limits.script_bytes);
                Err(Ended::NotStarted(message))
            }
            _ => Ok(()),
        }
    }
}

/// What a hook runs.
#[derive(Debug)]
#[non_exhaustive]
pub enum Handler {
    /// A script in the built-in shell.
    Script {
        /// Its text, and its compiled form once there is one.
        script: HookScript,
        /// Which shell.
        shell: Shell,
    },
    /// A program by name or path, without a shell between.
    Program {
        /// Name or path.
        name: Text,
        /// Without the name.
        arguments: Vec<Text>,
    },
    /// A request, a question to a model, a tool, a built-in: `Delivery::work` has it, made
    /// when the event is known. The text is the dialect's word for it.
    Other(&'static str),
}

impl Handler {
    /// A script that was not compiled yet.
    pub(crate) fn script(text: impl Into<Text>, shell: Shell) -> Self {
        Self::Script { script: HookScript::new(text), shell }
    }
}

/// One hook with what its dialect keeps of it.
#[derive(Debug)]
pub(crate) struct HookOf<'a, E> {
    /// Its place among the config's hooks; ids need not be unique.
    pub(crate) index: usize,
    /// What the engine knows.
    pub(crate) hook: &'a Hook,
    /// What the dialect knows.
    pub(crate) extra: &'a E,
}

// Derived, these would ask the same of `E`.
impl<E> Clone for HookOf<'_, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for HookOf<'_, E> {}

/// All hooks of a config, in chain order, with the table of those that each event has.
#[derive(Debug)]
pub(crate) struct Hooks<E> {
    all: Vec<Hook>,
    /// As many as there are hooks.
    extras: Vec<E>,
    due: Due,
}

impl<E> Hooks<E> {
    /// Each hook is due at its own event.
    pub(crate) fn new(hooks: impl IntoIterator<Item = (Hook, E)>) -> Self {
        let (all, extras): (Vec<_>, Vec<_>) = hooks.into_iter().unzip();
        Self { due: Due::of(&all), all, extras }
    }

    /// The same, with a table of its own.
    #[must_use]
    pub(crate) fn with_due(self, due: Due) -> Self {
        Self { due, ..self }
    }

    /// What the engine knows of each.
    pub(crate) fn all(&self) -> &[Hook] {
        &self.all
    }

    /// The hook at `index`.
    pub(crate) fn get(&self, index: usize) -> Option<HookOf<'_, E>> {
        let (hook, extra) = self.all.get(index).zip(self.extras.get(index))?;
        Some(HookOf { index, hook, extra })
    }

    /// All hooks, in chain order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = HookOf<'_, E>> {
        let pairs = self.all.iter().zip(&self.extras).enumerate();
        pairs.map(|(index, (hook, extra))| HookOf { index, hook, extra })
    }

    /// Indexes of the hooks of an event, in chain order; none for a name that is not an event.
    pub(crate) fn due(&self, event: &str) -> &[usize] {
        self.due.at(event)
    }
}

/// Indexes of hooks by event, in chain order. Only events that have hooks are in it, and a config has hooks for few: a name
/// is found by comparing.
#[derive(Debug, Default)]
pub(crate) struct Due(Vec<(&'static str, Vec<usize>)>);

impl Due {
    /// Each hook under its own event, in the order of the config.
    pub(crate) fn of(hooks: &[Hook]) -> Self {
        let mut due = Self::default();
        for (index, hook) in hooks.iter().enumerate() {
            due.add(hook.event, index);
        }
        due
    }

    /// One more hook, after those that the event has already.
    pub(crate) fn add(&mut self, event: &'static str, hook: usize) {
        match self.0.iter_mut().find(|(name, _)| *name == event) {
            Some((_, hooks)) => hooks.push(hook),
            None => self.0.push((event, vec![hook])),
        }
    }

    /// The hooks of an event, none for a name that is not an event.
    pub(crate) fn at(&self, event: &str) -> &[usize] {
        let found = self.0.iter().find(|(name, _)| *name == event);
        found.map_or(&[], |(_, hooks)| hooks)
    }
}

#[cfg(test)]
mod tests {
    use super::Due;

    #[test]
    fn hooks_stay_in_the_order_in_which_they_were_added() {
        let mut due = Due::default();
        for (event, hook) in [("stop", 2), ("start", 0), ("stop", 1), ("stop", 2)] {
            due.add(event, hook);
        }
        assert_eq!((due.at("stop"), due.at("start"), due.at("sto")), (&[2, 1, 2][..], &[0][..], &[][..]));
    }
}
