//! The locale as the shell sees it: whether characters are bytes (C) or UTF-8. Bash manual 5.2 on `LANG` and `LC_*`.
//!
//! `LC_ALL` decides, then `LC_CTYPE`, then `LANG`; with none of them set characters are UTF-8 as in a session's own
//! environment (in bash the locale were that of C). A locale exists when it is `C` or `POSIX`, or a language's with
//! UTF-8, `C.UTF-8` and `en_US.utf8` alike: people's machines have their own. Every one collates as `C.UTF-8` does. One
//! that does not exist gives bash's warning, and changes nothing.

use super::name::{self, NameId};
use super::variable::{Value, Variables};
use crate::text::Text;

/// See the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Locale {
    /// Every byte is a character.
    pub(crate) bytes: bool,
    /// The last that was not found, and its variable: it is warned of in fewer words when it is asked for again, as the
    /// C library does not look for its file any more.
    missing: Option<(NameId, Text)>,
}

/// The categories a variable each sets.
const CATEGORIES: &[NameId] =
    &[name::LC_CTYPE, name::LC_COLLATE, name::LC_MESSAGES, name::LC_NUMERIC, name::LC_TIME];

/// Whether characters are bytes in the locale of that name; `None`: there is no such locale.
fn bytes_in(name: &[u8]) -> Option<bool> {
    if matches!(name, b"C" | b"POSIX") {
        return Some(true);
    }
    let name = name.split(|&byte| byte == b'@').next().unwrap_or(name);
    let dot = memchr::memchr(b'.', name)?;
    let (language, codeset) = (name.get(..dot)?, name.get(dot + 1..)?);
    let is_utf8 = codeset.eq_ignore_ascii_case(b"UTF-8") || codeset.eq_ignore_ascii_case(b"utf8");
    let (language, territory) = language.split_at(memchr::memchr(b'_', language).unwrap_or(language.len()));
    let is_language = language == b"C"
        || (matches!(language.len(), 2 | 3)
            && language.iter().all(u8::is_ascii_lowercase)
            && (territory.is_empty()
                || (territory.len() == 3 && territory.iter().skip(1).all(u8::is_ascii_uppercase))));
    (is_utf8 && is_language).then_some(false)
}

impl Variables {
    /// The value of a variable that names a locale; `None`: unset or empty.
    fn locale_value(&self, id: NameId) -> Option<Text> {
        self.slot(id).value.text().filter(|value| !value.is_empty())
    }

    /// Whether none of these is set and `LANG` is a session's own: looked at after every call of a function.
    fn has_own_locale(&self, categories: &[NameId]) -> bool {
        let value = |id: NameId| &self.slot(id).value;
        let own = match value(name::LANG) {
            Value::Unset => true,
            Value::Text(text) => **text == *b"C.UTF-8",
            _ => false,
        };
        own && matches!(value(name::LC_ALL), Value::Unset)
            && categories.iter().all(|&id| matches!(value(id), Value::Unset))
    }
}

impl Locale {
    /// The locale in force, unless it does not exist: then all stays as it is.
    pub(crate) fn refresh(&mut self, variables: &Variables) {
        if variables.has_own_locale(&[name::LC_CTYPE]) {
            self.bytes = false;
            return;
        }
        let name =
            [name::LC_ALL, name::LC_CTYPE, name::LANG].into_iter().find_map(|id| variables.locale_value(id));
        if let Some(bytes) = name.map_or(Some(false), |name| bytes_in(&name)) {
            self.bytes = bytes;
        }
    }

    /// The locale of a shell that starts with the environment it now has: C, if a category's does not exist. Gives the
    /// value of `LC_ALL` if that does not exist.
    pub(crate) fn start(&mut self, variables: &Variables) -> Option<Text> {
        if variables.has_own_locale(CATEGORIES) {
            self.bytes = false;
            return None;
        }
        if let Some(all) = variables.locale_value(name::LC_ALL) {
            let bytes = bytes_in(&all);
            self.bytes = bytes.unwrap_or(true);
            let missing = bytes.is_none().then_some(all);
            self.missing = missing.clone().map(|all| (name::LC_ALL, all)).or(self.missing.take());
            return missing;
        }
        let mut named = CATEGORIES.iter().chain([&name::LANG]).filter_map(|&id| variables.locale_value(id));
        if named.any(|name| bytes_in(&name).is_none()) {
            self.bytes = true;
        } else {
            self.refresh(variables);
        }
        None
    }

    /// One of the locale's variables was set or unset.
    pub(crate) fn change(&mut self, variables: &Variables, id: NameId) -> Result<(), LocaleError> {
        let value = variables.locale_value(id);
        let decides = id == name::LC_ALL || variables.locale_value(name::LC_ALL).is_none();
        if decides
            && id != name::LANG
            && let Some(value) = value
            && bytes_in(&value).is_none()
        {
            let variable = match id {
                name::LC_ALL => "LC_ALL",
                name::LC_CTYPE => "LC_CTYPE",
                name::LC_COLLATE => "LC_COLLATE",
                name::LC_MESSAGES => "LC_MESSAGES",
                name::LC_NUMERIC => "LC_NUMERIC",
                _ => "LC_TIME",
            };
            let missing = Some((id, value.clone()));
            let is_known = missing == self.missing;
            self.missing = missing;
            return Err(LocaleError { variable, value, is_known });
        }
        self.refresh(variables);
        Ok(())
    }
}

/// There is no such locale.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "warning: setlocale: {variable}: cannot change locale ({value}){}",
    if *is_known { "" } else { ": No such file or directory" }
)]
pub(crate) struct LocaleError {
    variable: &'static str,
    value: Text,
    /// It was warned of it.
    is_known: bool,
}

impl super::error::Message for LocaleError {}

#[cfg(test)]
mod tests {
    use super::bytes_in;

    #[test]
    fn locales_exist_in_c_and_utf8() {
        for (name, want) in [
            ("C", Some(true)),
            ("POSIX", Some(true)),
            ("C.UTF-8", Some(false)),
            ("C.utf8", Some(false)),
            ("en_US.UTF-8", Some(false)),
            ("de.utf8@euro", Some(false)),
            ("en_US", None),
            ("en_US.ISO-8859-1", None),
            ("invalid", None),
            ("invalid.UTF-8", None),
            ("c.utf8", None),
            (".UTF-8", None),
            ("", None),
        ] {
            assert_eq!(bytes_in(name.as_bytes()), want, "{name}");
        }
    }
}
