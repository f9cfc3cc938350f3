//! [`Bindings`]: what `bind` changed of Readline's key bindings and variables. Bash manual 8.3.

use crate::memory::{BTreeMap, Vec};
use crate::text::Text;

/// Most bindings that a script can make.
const MOST: usize = 4096;

/// What a key sequence does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Function(&'static str),
    Macro(Text),
    Command(Text),
    Nothing,
}

/// What a script changed: bindings by keymap and key sequence, and variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bindings {
    pub(crate) keys: BTreeMap<(usize, Vec<u8>), Action>,
    pub(crate) variables: BTreeMap<&'static str, Text>,
}

impl Bindings {
    pub(crate) fn set(&mut self, map: usize, keys: Vec<u8>, action: Action) {
        if self.keys.len() < MOST || self.keys.contains_key(&(map, keys.clone())) {
            self.keys.insert((map, keys), action);
        }
    }

    pub(crate) fn value(&self, name: &'static str, default: &'static str) -> Text {
        self.variables.get(name).cloned().unwrap_or_else(|| Text::from_static(default.as_bytes()))
    }
}
