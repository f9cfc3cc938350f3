//! Variables: values, attributes, scopes.
//!
//! A variable lives in a slot whose number is its name's. Binding is shallow: `local` saves the old slot on a stack and
//! the function's end puts it back. A subshell that runs in its shell's process (`( )`, `$( )`) keeps a journal of the
//! slots that it changes, so that starting one copies nothing and ending one costs what it changed. The first shell of a
//! run keeps such a journal too: its variables come from the session's [`Pool`] and go back as they were.

use super::array::{Array, Assoc};
use super::name::{self, NameId, Names};
use super::pool::{Layer, Pool};
use crate::memory::{Arc, Vec};
use crate::text::Text;

/// A variable's value.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Value {
    /// No value.
    #[default]
    Unset,
    /// A text.
    Text(Text),
    /// A text that is this number in decimal.
    Integer(i64),
    /// An indexed array.
    Array(Arc<Array>),
    /// An associative array.
    Assoc(Arc<Assoc>),
    /// Computed when it is read (`RANDOM`, `LINENO` ...).
    Dynamic,
}

/// Attributes of a variable: bash manual 4.2, `declare`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Attributes(pub(crate) u16);

impl Attributes {
    pub(crate) const EXPORTED: Self = Self(1);
    pub(crate) const READONLY: Self = Self(2);
    pub(crate) const INTEGER: Self = Self(4);
    pub(crate) const LOWER: Self = Self(8);
    pub(crate) const UPPER: Self = Self(16);
    pub(crate) const NAMEREF: Self = Self(32);
    pub(crate) const TRACE: Self = Self(64);
    /// `declare -a` was given (the value may still be unset).
    pub(crate) const ARRAY: Self = Self(128);
    /// `declare -A`.
    pub(crate) const ASSOC: Self = Self(256);
    /// The shell looks at it when it is assigned (`IFS`, `PATH`, `OPTIND` ...).
    pub(crate) const SPECIAL: Self = Self(512);
    /// `declare -c`: capitalise.
    pub(crate) const CAPITAL: Self = Self(1024);
    /// Was declared without a value.
    pub(crate) const DECLARED: Self = Self(4096);
    /// Was assigned before a call of the function that runs.
    pub(crate) const TEMPORARY: Self = Self(8192);
    /// Was made local with the value of a temporary assignment: a function that is called takes it too.
    pub(crate) const INHERITED: Self = Self(16384);
    /// Those that slow down an assignment.
    pub(crate) const ASSIGN_MASK: Self = Self(2 | 4 | 8 | 16 | 32 | 512 | 1024 | 1);

    pub(crate) const fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    pub(crate) fn insert(&mut self, other: Self) {
        self.0 |= other.0;
    }

    pub(crate) fn remove(&mut self, other: Self) {
        self.0 &= !other.0;
    }
}

/// A variable. One that has no value and no attributes does not exist.
#[derive(Clone, Debug, Default)]
pub(crate) struct Slot {
    pub(crate) value: Value,
    pub(crate) attributes: Attributes,
    /// Depth of the innermost subshell whose journal has this slot's old state.
    journaled: u32,
    /// Function depth at which it was made local; 0: global.
    pub(crate) scope: u32,
}

impl Slot {
    /// Whether the variable is known at all.
    pub(crate) fn exists(&self) -> bool {
        self.value != Value::Unset || self.attributes.0 & !Attributes::SPECIAL.0 != 0
    }
}

/// A slot's state to be put back.
#[derive(Clone, Debug)]
pub(super) struct Saved {
    name: NameId,
    slot: Slot,
    /// The number of the temporary assignment that hides it; 0: it was made local.
    token: u32,
}

/// The variables of one shell.
#[derive(Debug)]
pub(crate) struct Variables {
    pub(crate) names: std::sync::Arc<Names>,
    pub(super) slots: Vec<Slot>,
    /// Stands for a slot that there was no memory for: the run is over.
    refused: Slot,
    pub(super) locals: Vec<Saved>,
    pub(super) journal: Vec<Saved>,
    pub(super) subshell_depth: u32,
    /// The last number of a temporary assignment.
    tokens: u32,
    /// Stacks of local variables as subshells found them, with the subshell's depth.
    pub(super) kept_locals: Vec<(u32, Vec<Saved>)>,
    /// Depth of function scopes.
    pub(super) scope: u32,
    /// Changes whenever an exported variable does.
    pub(crate) exports: u64,
    /// Functions that `readonly -f` fixed.
    pub(crate) readonly_functions: Vec<NameId>,
    /// Where they go to when the shell ends.
    pub(super) pool: Option<std::sync::Arc<Pool>>,
    /// The environment under the shell: see [`super::pool`].
    pub(super) layer: Layer,
    /// Functions that inherit the `DEBUG` and `RETURN` traps: `declare -ft`.
    pub(crate) traced_functions: Vec<NameId>,
}

/// Marks to go back to: see [`Variables::enter_subshell`] and [`Variables::enter_function`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    pub(super) locals: usize,
    pub(super) journal: usize,
    pub(super) scope: u32,
    /// What [`Variables::exports`] was.
    pub(super) exports: u64,
}

/// Assignments before a builtin, to be undone after it without undoing what the builtin made local.
#[derive(Clone, Debug, Default)]
pub(crate) struct Temporary {
    saved: Vec<(NameId, Value, Attributes)>,
    /// Those on the stack of scopes.
    tokens: Vec<u32>,
    persistent: bool,
}

impl Temporary {
    /// No assignments yet.
    pub(crate) fn new(kind: Binding) -> Self {
        Self { persistent: kind == Binding::Persistent, ..Self::default() }
    }
}

/// How assignments before a builtin are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Binding {
    /// Put back after it.
    Plain,
    /// As a scope of its own, which `unset` and `local` see: `eval`, `source`.
    Scoped,
    /// As `Scoped`; what is left of it stays (special builtins in POSIX mode).
    Persistent,
}

static NO_SLOT: Slot = Slot { value: Value::Unset, attributes: Attributes(0), journaled: 0, scope: 0 };

impl Variables {
    pub(crate) fn new(names: std::sync::Arc<Names>) -> Self {
        let mut variables = Self::empty(names);
        variables.slots.reserve_exact(96);
        variables
    }

    pub(super) fn empty(names: std::sync::Arc<Names>) -> Self {
        Self {
            names,
            slots: Vec::new(),
            refused: Slot::default(),
            locals: Vec::new(),
            journal: Vec::new(),
            subshell_depth: 0,
            kept_locals: Vec::new(),
            tokens: 0,
            scope: 0,
            exports: 0,
            readonly_functions: Vec::new(),
            pool: None,
            layer: Layer::default(),
            traced_functions: Vec::new(),
        }
    }

    /// The slot of a name.
    #[inline]
    pub(crate) fn slot(&self, name: NameId) -> &Slot {
        self.slots.get(name as usize).unwrap_or(&NO_SLOT)
    }

    /// The slot of a name, to be changed; its old state goes to the journal of a subshell.
    #[inline]
    pub(crate) fn slot_mut(&mut self, name: NameId) -> &mut Slot {
        let index = name as usize;
        match self.slots.get(index) {
            Some(slot) if slot.journaled >= self.subshell_depth => {}
            _ => self.prepare(name),
        }
        self.slots.get_mut(index).unwrap_or(&mut self.refused)
    }

    #[cold]
    fn prepare(&mut self, name: NameId) {
        let index = name as usize;
        if name == super::name::NONE {
            return;
        }
        if index >= self.slots.len() {
            self.slots.resize_with(index + 1, Slot::default);
        }
        if let Some(slot) = self.slots.get_mut(index)
            && slot.journaled < self.subshell_depth
        {
            self.journal.push(Saved { name, slot: slot.clone(), token: 0 });
            slot.journaled = self.subshell_depth;
        }
    }

    /// Names with a slot that exists.
    pub(crate) fn existing(&self) -> impl Iterator<Item = (NameId, &Slot)> {
        self.slots
            .iter()
            .enumerate()
            .filter(|(_, slot)| slot.exists())
            .map(|(index, slot)| (index as NameId, slot))
    }

    /// Makes a name local to the function that runs, if it is not yet. Returns whether it was made now.
    pub(crate) fn make_local(&mut self, name: NameId) -> bool {
        let scope = self.scope;
        let slot = self.slot(name);
        if slot.scope == scope {
            if slot.attributes.has(Attributes::TEMPORARY) {
                // What was assigned before the call becomes the local variable.
                let slot = self.slot_mut(name);
                slot.attributes.remove(Attributes::TEMPORARY);
                slot.attributes.insert(Attributes::INHERITED);
            }
            return false;
        }
        let slot = self.slot_mut(name);
        // A local variable starts with what was assigned before a call.
        let starts_bound = slot.attributes.has(Attributes(Attributes::TEMPORARY.0 | Attributes::INHERITED.0));
        let value =
            if starts_bound { slot.value.clone() } else { std::mem::replace(&mut slot.value, Value::Unset) };
        let saved = Saved { name, slot: Slot { value, ..*slot }, token: 0 };
        if starts_bound {
            slot.attributes.remove(Attributes::TEMPORARY);
            slot.attributes.insert(Attributes::INHERITED);
        } else {
            // It is exported when the one that it hides is.
            slot.attributes =
                Attributes(slot.attributes.0 & (Attributes::SPECIAL.0 | Attributes::EXPORTED.0));
        }
        slot.scope = scope;
        self.locals.push(saved);
        true
    }

    /// What the name was before it was made local in the scope that runs.
    pub(crate) fn saved(&self, name: NameId) -> Option<&Slot> {
        self.locals.iter().rev().find(|saved| saved.name == name).map(|saved| &saved.slot)
    }

    /// Removes the innermost binding of a local variable of an outer function, so that the one below shows again.
    pub(crate) fn pop_local(&mut self, name: NameId) {
        if let Some(at) = self.locals.iter().rposition(|saved| saved.name == name) {
            self.keep_locals();
            let saved = self.locals.remove(at);
            let journaled = self.slot(name).journaled;
            let slot = self.slot_mut(name);
            let now = slot.journaled;
            *slot = saved.slot;
            slot.journaled = now.max(journaled);
        }
    }

    /// Depth of function scopes: 0 outside of functions.
    pub(crate) const fn scope(&self) -> u32 {
        self.scope
    }

    /// Exchanges the innermost slot of a name with the global one. Whether there are two: then it has to be called again.
    pub(crate) fn swap_global(&mut self, name: NameId) -> bool {
        if self.slot(name).scope == 0 {
            return false;
        }
        let Some(at) = self.locals.iter().position(|saved| saved.name == name) else { return false };
        self.keep_locals();
        let slot = self.slot_mut(name);
        let journaled = slot.journaled;
        let mut inner = slot.clone();
        if let Some(saved) = self.locals.get_mut(at) {
            std::mem::swap(&mut saved.slot, &mut inner);
        }
        let slot = self.slot_mut(name);
        // The slot keeps its place on the stack of scopes.
        let mut scope = std::mem::replace(slot, inner).scope;
        std::mem::swap(&mut slot.scope, &mut scope);
        slot.journaled = journaled;
        if let Some(saved) = self.locals.get_mut(at) {
            saved.slot.scope = scope;
        }
        true
    }

    /// Keeps the stack of local variables before a subshell changes an entry that is not its own.
    fn keep_locals(&mut self) {
        let depth = self.subshell_depth;
        // The journal of a run's first shell needs none: locals are empty where it goes back to.
        if depth <= u32::from(self.pool.is_some())
            || self.kept_locals.last().is_some_and(|(kept, _)| *kept == depth)
        {
            return;
        }
        self.kept_locals.push((depth, self.locals.clone()));
    }

    /// Starts a function's scope.
    pub(crate) fn enter_function(&mut self) -> Mark {
        let mark = self.mark();
        self.scope += 1;
        mark
    }

    /// Ends it: what it made local is as it was before. Whether words are split or read in another way now.
    pub(crate) fn leave_function(&mut self, mark: Mark) -> bool {
        let mut changes_reading = false;
        while self.locals.len() > mark.locals {
            let Some(saved) = self.locals.pop() else { break };
            changes_reading |= matches!(saved.name, name::IFS | name::LC_ALL | name::LC_CTYPE | name::LANG);
            let slot = self.slot_mut(saved.name);
            let journaled = slot.journaled;
            let exported =
                slot.attributes.has(Attributes::EXPORTED) || saved.slot.attributes.has(Attributes::EXPORTED);
            *slot = saved.slot;
            slot.journaled = journaled;
            if exported {
                self.exports += 1;
            }
        }
        self.scope = mark.scope;
        changes_reading
    }

    /// Keeps the state of a name that is about to be assigned temporarily.
    pub(crate) fn bind_temporary(&mut self, bound: &mut Temporary, name: NameId, kind: Binding) {
        if kind == Binding::Plain {
            let slot = self.slot_mut(name);
            bound.saved.push((name, slot.value.clone(), slot.attributes));
            return;
        }
        self.tokens = self.tokens.wrapping_add(1).max(1);
        let token = self.tokens;
        let scope = self.scope;
        let slot = self.slot_mut(name);
        let saved = Saved { name, slot: slot.clone(), token };
        slot.scope = scope;
        slot.attributes.insert(Attributes::TEMPORARY);
        self.locals.push(saved);
        bound.tokens.push(token);
    }

    /// Ends temporary assignments.
    pub(crate) fn leave_temporary(&mut self, bound: Temporary) {
        for (name, value, attributes) in bound.saved.into_iter().rev() {
            let slot = self.slot_mut(name);
            slot.value = value;
            slot.attributes = attributes;
            self.exports += 1;
        }
        for token in bound.tokens.into_iter().rev() {
            // `unset` may have taken it away.
            let Some(at) = self.locals.iter().rposition(|saved| saved.token == token) else { continue };
            self.keep_locals();
            let saved = self.locals.remove(at);
            self.exports += 1;
            if let Some(above) = self.locals.iter_mut().skip(at).find(|above| above.name == saved.name) {
                above.slot = saved.slot;
                continue;
            }
            let slot = self.slot_mut(saved.name);
            if bound.persistent {
                slot.scope = saved.slot.scope;
                slot.attributes.remove(Attributes::TEMPORARY);
                continue;
            }
            let journaled = slot.journaled;
            *slot = saved.slot;
            slot.journaled = journaled;
        }
    }

    /// `export` and `readonly` of a variable that was assigned before a call: the one below is changed too.
    pub(crate) fn propagate(&mut self, name: NameId) {
        let slot = self.slot(name);
        if !slot.attributes.has(Attributes::TEMPORARY) {
            return;
        }
        let (value, mut attributes) = (slot.value.clone(), slot.attributes);
        attributes.remove(Attributes::TEMPORARY);
        if let Some(at) = self.locals.iter().rposition(|saved| saved.name == name) {
            self.keep_locals();
            if let Some(saved) = self.locals.get_mut(at) {
                saved.slot.value = value;
                saved.slot.attributes = attributes;
            }
        }
    }

    /// Whether the function of that name is read-only (`readonly -f`).
    pub(crate) fn is_readonly_function(&self, name: NameId) -> bool {
        self.readonly_functions.contains(&name)
    }

    /// Starts a subshell in this process.
    pub(crate) fn enter_subshell(&mut self) -> Mark {
        let mark = self.mark();
        self.subshell_depth += 1;
        mark
    }

    /// Ends it: every variable is as it was before.
    pub(crate) fn leave_subshell(&mut self, mark: Mark) {
        while self.journal.len() > mark.journal {
            let Some(saved) = self.journal.pop() else { break };
            if let Some(slot) = self.slots.get_mut(saved.name as usize) {
                if slot.attributes.has(Attributes::EXPORTED)
                    || saved.slot.attributes.has(Attributes::EXPORTED)
                {
                    self.exports += 1;
                }
                *slot = saved.slot;
            }
        }
        if self.kept_locals.last().is_some_and(|(kept, _)| *kept == self.subshell_depth)
            && let Some((_, locals)) = self.kept_locals.pop()
        {
            self.locals = locals;
        }
        self.subshell_depth = self.subshell_depth.saturating_sub(1);
        self.locals.truncate(mark.locals);
        self.scope = mark.scope;
    }

    fn mark(&self) -> Mark {
        Mark {
            locals: self.locals.len(),
            journal: self.journal.len(),
            scope: self.scope,
            exports: self.exports,
        }
    }

    /// The variables of a process that is started from this one: a copy without what only this one can go back to.
    pub(crate) fn fork(&self) -> Self {
        let mut slots = self.slots.clone();
        for slot in &mut slots {
            slot.journaled = 0;
        }
        Self {
            names: std::sync::Arc::clone(&self.names),
            slots,
            refused: Slot::default(),
            locals: self.locals.clone(),
            journal: Vec::new(),
            subshell_depth: 0,
            kept_locals: Vec::new(),
            tokens: self.tokens,
            scope: self.scope,
            exports: self.exports,
            readonly_functions: self.readonly_functions.clone(),
            pool: None,
            layer: Layer::default(),
            traced_functions: self.traced_functions.clone(),
        }
    }
}

/// Formats an integer value as bash prints it.
pub(crate) fn decimal(number: i64) -> Text {
    Text::from(itoa::Buffer::new().format(number))
}

/// The value of a plain decimal integer (`-?[0-9]+` without a leading zero), as texts of integer variables are.
pub(crate) fn plain_integer(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    match digits {
        [] => None,
        [b'0', _, ..] => None,
        digits if digits.len() > 18 || !digits.iter().all(u8::is_ascii_digit) => None,
        digits => {
            let value = digits.iter().fold(0_i64, |value, digit| value * 10 + i64::from(digit - b'0'));
            Some(if negative { -value } else { value })
        }
    }
}

impl Value {
    /// The text of a scalar; of an array its element 0 (key "0").
    pub(crate) fn text(&self) -> Option<Text> {
        match self {
            Self::Unset | Self::Dynamic => None,
            Self::Text(text) => Some(text.clone()),
            Self::Integer(number) => Some(decimal(*number)),
            Self::Array(array) => array.get(0).cloned(),
            Self::Assoc(assoc) => assoc.get(b"0").cloned(),
        }
    }

    /// Whether it is an array of either kind.
    pub(crate) const fn is_array(&self) -> bool {
        matches!(self, Self::Array(_) | Self::Assoc(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(variables: &mut Variables, name: NameId, text: &str) {
        variables.slot_mut(name).value = Value::Text(Text::from(text));
    }

    fn get(variables: &Variables, name: NameId) -> String {
        variables.slot(name).value.text().map(|text| text.to_string()).unwrap_or_default()
    }

    #[test]
    fn a_subshell_is_undone_and_its_functions_locals_too() {
        let mut variables = Variables::new(std::sync::Arc::default());
        set(&mut variables, 1, "a");
        let outer = variables.enter_subshell();
        set(&mut variables, 1, "b");
        let function = variables.enter_function();
        variables.make_local(1);
        set(&mut variables, 1, "local");
        let inner = variables.enter_subshell();
        set(&mut variables, 1, "inner");
        set(&mut variables, 200, "new");
        variables.leave_subshell(inner);
        assert_eq!((get(&variables, 1), get(&variables, 200)), ("local".into(), String::new()));
        variables.leave_function(function);
        assert_eq!(get(&variables, 1), "b");
        variables.leave_subshell(outer);
        assert_eq!(get(&variables, 1), "a");
    }

    #[test]
    fn numbers_round_trip() {
        for number in [0, 7, -1, 123_456, i64::MAX, i64::MIN] {
            assert_eq!(decimal(number).to_string(), number.to_string());
        }
        assert_eq!(plain_integer(b"-12"), Some(-12));
        for text in ["", "-", "08", "1x", "+1", "99999999999999999999"] {
            assert_eq!(plain_integer(text.as_bytes()), None, "{text}");
        }
    }
}
