//! Names of variables and functions as numbers, shared by every run of a session, so that a program is linked once.

use crate::clock::lock;
use crate::memory::{HashMap, Vec};
use crate::text::Text;
use crate::utility::Environment;
use std::sync::{LazyLock, Mutex};

/// A name's number; an index into a shell's variables.
pub(crate) type NameId = u32;

macro_rules! well_known {
    ($($name:ident)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[repr(u32)]
        enum WellKnown { $($name,)* }
        $(#[doc = "The number of this name, the same in every session."] pub(crate) const $name: NameId = WellKnown::$name as u32;)*
        const WELL_KNOWN: &[&str] = &[$(stringify!($name)),*];
    };
}

well_known! {
IFS PATH HOME PWD OLDPWD CDPATH OPTIND OPTARG OPTERR REPLY PS4 LINENO RANDOM SRANDOM SECONDS EPOCHSECONDS
EPOCHREALTIME BASHPID FUNCNAME BASH_SOURCE BASH_LINENO BASH_COMMAND BASH_SUBSHELL BASH_ARGV0 PIPESTATUS DIRSTACK GROUPS
BASH_VERSION BASH_VERSINFO BASH BASHOPTS SHELLOPTS EUID UID PPID HOSTNAME HOSTTYPE MACHTYPE OSTYPE SHLVL
POSIXLY_CORRECT TZ GLOBIGNORE BASH_REMATCH MAPFILE TMOUT PS3 TIMEFORMAT
BASH_ALIASES BASH_CMDS BASH_EXECUTION_STRING FUNCNEST COLUMNS BASH_XTRACEFD
PS1 PS2 PROMPT_COMMAND HISTFILE HISTSIZE HISTFILESIZE HISTCONTROL HISTIGNORE HISTTIMEFORMAT BASH_ENV EXECIGNORE BASH_COMPAT BASH_ARGC BASH_ARGV
LANG LC_ALL LC_CTYPE LC_COLLATE LC_MESSAGES LC_NUMERIC LC_TIME
IGNOREEOF PROMPT_DIRTRIM }

/// What a name has for which there was no memory: the run is over, and no variable is behind it.
pub(crate) const NONE: NameId = NameId::MAX;

/// `$_`
pub(crate) const UNDERSCORE: NameId = WELL_KNOWN.len() as NameId;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Names {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    numbers: HashMap<Text, NameId>,
    texts: Vec<Text>,
    /// What the texts hold on the heap.
    bytes: usize,
}

/// What a name takes in both tables, its text on the heap aside; tables are up to half empty.
const ENTRY_BYTES: usize = 2 * (size_of::<(Text, NameId)>() + size_of::<Text>() + 1);

/// The names that every session has, with their numbers; the same for all, so it is made once.
static COMMON: LazyLock<Inner> = LazyLock::new(|| {
    let mut inner = Inner::default();
    for name in WELL_KNOWN {
        inner.add(name.as_bytes());
    }
    inner.add(b"_");
    inner
});

/// The number of a name that every session has. None of them begins with a small letter, as most names of scripts do.
fn common(name: &[u8]) -> Option<NameId> {
    if name.first().is_some_and(u8::is_ascii_lowercase) { None } else { COMMON.numbers.get(name).copied() }
}

impl Names {
    /// The number of a name, which is given one if it has none.
    pub(crate) fn intern(&self, name: &[u8]) -> NameId {
        lock(&self.inner).intern(name)
    }

    /// The numbers of a program's names.
    pub(crate) fn link(&self, names: &[Text]) -> Vec<NameId> {
        let mut inner = lock(&self.inner);
        names.iter().map(|name| inner.intern(name)).collect()
    }

    /// The numbers of the variables of an environment; `None` for what is not a name.
    pub(crate) fn of_environment(&self, environment: &Environment) -> Vec<Option<NameId>> {
        let mut inner = lock(&self.inner);
        environment.iter().map(|(name, _)| is_name(name).then(|| inner.intern(name))).collect()
    }

    /// The number of a name that has one.
    pub(crate) fn find(&self, name: &[u8]) -> Option<NameId> {
        common(name).or_else(|| lock(&self.inner).numbers.get(name).copied())
    }

    /// The name behind a number.
    pub(crate) fn text(&self, id: NameId) -> Text {
        match COMMON.texts.get(id as usize) {
            Some(text) => text.clone(),
            None => {
                lock(&self.inner).texts.get(id as usize - COMMON.texts.len()).cloned().unwrap_or_default()
            }
        }
    }

    /// What the session's own names hold.
    pub(crate) fn bytes(&self) -> usize {
        let inner = lock(&self.inner);
        inner.bytes + inner.texts.len() * ENTRY_BYTES
    }
}

impl Inner {
    /// The number of a session's name; common ones have theirs.
    fn intern(&mut self, name: &[u8]) -> NameId {
        if let Some(id) = common(name).or_else(|| self.numbers.get(name).copied()) {
            return id;
        }
        let id = (COMMON.texts.len() + self.texts.len()) as NameId;
        let text = Text::from(name);
        // A name stands in both tables or in none.
        if *text != *name || !self.numbers.make_room(1) {
            return NONE;
        }
        let before = self.texts.len();
        self.texts.push(text.clone());
        if self.texts.len() == before {
            return NONE;
        }
        self.bytes += text.heap_size();
        self.numbers.insert(text, id);
        id
    }

    fn add(&mut self, name: &[u8]) {
        let id = self.texts.len() as NameId;
        let text = Text::from(name);
        self.texts.push(text.clone());
        self.numbers.insert(text, id);
    }
}

/// Whether a text is a valid variable name: POSIX XBD 3.235.
pub(crate) fn is_name(text: &[u8]) -> bool {
    match text {
        [first, rest @ ..] => {
            (first.is_ascii_alphabetic() || *first == b'_')
                && rest.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
        }
        [] => false,
    }
}

/// Whether a text is a name, or a name with a subscript.
pub(crate) fn is_assignable(text: &[u8]) -> bool {
    if is_name(text) {
        return true;
    }
    let Some(open) = memchr::memchr(b'[', text) else { return false };
    let (base, subscript) = text.split_at(open);
    is_name(base) && subscript.len() > 2 && subscript.ends_with(b"]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn well_known_names_have_their_constants() {
        let names = Names::default();
        assert_eq!(names.find(b"IFS"), Some(IFS));
        assert_eq!(names.find(b"_"), Some(UNDERSCORE));
        assert_eq!(names.intern(b"x"), names.intern(b"x"));
    }

    #[test]
    fn no_well_known_name_begins_with_a_small_letter() {
        for name in WELL_KNOWN {
            assert!(common(name.as_bytes()).is_some(), "{name}");
        }
    }
}
