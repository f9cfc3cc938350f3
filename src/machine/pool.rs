//! Variables of shells that ended, kept as the next shell of the session starts with them.
//!
//! A shell's changes are a subshell's: they are in the journal, and undone when the shell ends. Between what all shells of
//! the session start with and the shell lies the environment of the run, a layer of its own: hooks of one kind bring the same
//! names and mostly the same values each time, so it stays, and only what differs is set ([`Variables::put_environment`]).

use super::name::{self, NameId};
use super::variable::{Attributes, Mark, Value, Variables};
use crate::clock::lock;
use crate::memory::Vec;
use crate::text::Text;
use crate::utility::Environment;
use std::sync::{Arc, Mutex};

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Pool(Mutex<Vec<Variables>>);

/// Most sets of variables that a pool keeps.
const MOST_KEPT: usize = 4;
/// Most slots of a set that is kept: a script that made up many names leaves nothing behind.
const MOST_SLOTS: usize = 1024;
/// Room for entries of the journal and of the stack of local variables that is kept.
const MOST_ENTRIES: usize = 128;
/// Values longer than this are not kept.
const LONGEST_KEPT: usize = 256;

impl Pool {
    /// Variables like `first`, which go back to the pool when they are dropped.
    pub(crate) fn take(this: &Arc<Self>, first: &Variables) -> Variables {
        let mut variables = lock(&this.0).pop().unwrap_or_else(|| first.fork());
        variables.subshell_depth = 1;
        variables.pool = Some(Arc::clone(this));
        variables
    }
}

impl Drop for Variables {
    fn drop(&mut self) {
        let Some(pool) = self.pool.take() else { return };
        if self.slots.len() > MOST_SLOTS {
            return;
        }
        self.kept_locals.clear();
        self.leave_subshell(Mark { locals: 0, journal: self.layer.journal, scope: 0, exports: self.exports });
        self.readonly_functions.clear();
        self.traced_functions.clear();
        self.forget_long_values();
        // What grew while the shell ran is not kept for the next.
        self.journal.shrink_to(MOST_ENTRIES);
        self.locals.shrink_to(MOST_ENTRIES);
        let mut kept = lock(&pool.0);
        if kept.len() < MOST_KEPT {
            kept.push(std::mem::replace(self, Self::empty(Arc::clone(&self.names))));
        }
    }
}

/// The environment under a shell that came from a pool.
#[derive(Debug, Default)]
pub(super) struct Layer {
    /// Its variables; empty: there is none.
    names: Vec<(Text, NameId)>,
    /// What the first of them were set from, when all of it is still there.
    shared: Option<Arc<Vec<(Text, Text)>>>,
    /// Entries of the journal that undo it.
    journal: usize,
    /// Those with values that are not kept.
    long: Vec<NameId>,
}

impl Layer {
    /// How many of the first variables of `environment` are set already.
    fn kept(&self, environment: &Environment) -> usize {
        match (&self.shared, environment.shared()) {
            (Some(before), Some(now)) if Arc::ptr_eq(before, now) => now.len(),
            _ => 0,
        }
    }
}

fn is_long(value: &Text) -> bool {
    value.heap_size() > LONGEST_KEPT
}

impl Variables {
    /// Makes `environment` the layer under the shell, which begins with the next change. False: it holds more than plain
    /// variables, or the shell has no place for a layer, and nothing was done.
    ///
    /// The values that are the environment's own are taken out of it.
    pub(super) fn put_environment(&mut self, environment: &mut Environment) -> bool {
        if self.pool.is_none() {
            return false;
        }
        let mut kept = self.layer.kept(environment);
        let names = self.layer.names.get(kept..).unwrap_or_default();
        let same = self.layer.names.len() == environment.len()
            && environment.iter_from(kept).zip(names).all(|((name, _), (before, _))| name == before);
        if !same {
            if !self.new_layer(environment) {
                return environment.is_empty();
            }
            kept = 0;
        }
        let Self { layer, slots, .. } = self;
        let shared = environment.len() - environment.own_mut().len();
        let mut ids = layer.names.iter().map(|(_, id)| *id).skip(kept);
        for ((_, value), id) in environment.iter_from(kept).take(shared - kept).zip(&mut ids) {
            let Some(slot) = slots.get_mut(id as usize) else { continue };
            if !matches!(&slot.value, Value::Text(old) if old == value) {
                slot.value = Value::Text(value.clone());
            }
            if is_long(value) {
                layer.long.push(id);
            }
        }
        for ((_, value), id) in environment.own_mut().iter_mut().zip(ids) {
            let Some(slot) = slots.get_mut(id as usize) else { continue };
            if is_long(value) {
                layer.long.push(id);
            }
            slot.value = Value::Text(std::mem::take(value));
        }
        if kept == 0 {
            let stays = |shared: &&Arc<Vec<(Text, Text)>>| !shared.iter().any(|(_, value)| is_long(value));
            layer.shared = environment.shared().filter(stays).cloned();
        }
        if !layer.names.is_empty() {
            self.exports += 1;
            self.subshell_depth = 2;
        }
        true
    }

    /// Takes the old layer away and makes a new one, with no values yet. False: there is none now.
    fn new_layer(&mut self, environment: &Environment) -> bool {
        self.leave_subshell(Mark { locals: 0, journal: 0, scope: 0, exports: self.exports });
        self.subshell_depth = 1;
        self.layer = Layer::default();
        let names = Arc::clone(&self.names);
        let mut known = Vec::with_capacity(environment.len());
        for ((name, _), number) in environment.iter().zip(names.of_environment(environment)) {
            match number {
                Some(id) if self.is_plain(id) => known.push((name.clone(), id)),
                _ => return false,
            }
        }
        for (_, id) in &known {
            let slot = self.slot_mut(*id);
            slot.attributes.insert(Attributes::EXPORTED);
        }
        self.layer = Layer { names: known, shared: None, journal: self.journal.len(), long: Vec::new() };
        !self.layer.names.is_empty()
    }

    /// Whether a variable of the environment does nothing but be there.
    fn is_plain(&self, id: NameId) -> bool {
        let slot = self.slot(id);
        !matches!(id, name::IFS | name::PWD | name::SHELLOPTS | name::BASHOPTS | name::POSIXLY_CORRECT)
            && !matches!(slot.value, Value::Dynamic)
            && !slot.attributes.has(Attributes::READONLY)
    }

    /// A payload is not kept for a session that does nothing.
    fn forget_long_values(&mut self) {
        let Self { layer, slots, .. } = self;
        for id in layer.long.drain(..) {
            if let Some(slot) = slots.get_mut(id as usize) {
                slot.value = Value::Text(Text::EMPTY);
            }
        }
    }
}
