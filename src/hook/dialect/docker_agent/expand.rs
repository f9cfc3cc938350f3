//! References to the session's environment in a config: `${env.NAME}` in values of `env`; `~`, `$V`, `${V}` and `${env.V}`
//! in `working_dir`. What is not set is empty; a `$` before anything else is itself.

use crate::hook::runner::HookRunner;
use crate::vfs::path;

/// Which references are known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    /// `${env.NAME}`
    Env,
    /// That, `${NAME}` and `$NAME`.
    All,
}

/// A value of `env`.
pub(super) fn value(text: &str, host: &dyn HookRunner) -> Vec<u8> {
    expand(text, Known::Env, host)
}

/// The directory that `working_dir` names; a relative one is below `base`.
pub(super) fn directory(text: &str, base: &[u8], host: &dyn HookRunner) -> Vec<u8> {
    let home = || host.variable(b"HOME").map(|home| home.to_vec()).unwrap_or_default();
    let expanded = match text.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => {
            let mut path = home();
            path.extend(expand(rest, Known::All, host));
            path
        }
        _ => expand(text, Known::All, host),
    };
    path::normalise(&path::join(base, &expanded)).into_std()
}

fn expand(text: &str, known: Known, host: &dyn HookRunner) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        out.extend_from_slice(before.as_bytes());
        let Some((name, left)) = reference(after, known) else {
            out.push(b'$');
            rest = after;
            continue;
        };
        out.extend_from_slice(host.variable(name.as_bytes()).map_or(&[][..], |value| value));
        rest = left;
    }
    out.extend_from_slice(rest.as_bytes());
    out
}

/// The name of a reference, and what follows it; `text` is what follows the `$`.
fn reference(text: &str, known: Known) -> Option<(&str, &str)> {
    if let Some(inside) = text.strip_prefix('{') {
        let name = match inside.strip_prefix("env.") {
            Some(name) => name,
            None if known == Known::All => inside,
            None => return None,
        };
        let (name, left) = leading_name(name)?;
        return Some((name, left.strip_prefix('}')?));
    }
    if known == Known::All { leading_name(text) } else { None }
}

/// A name at the start of `text`, and what follows it.
fn leading_name(text: &str) -> Option<(&str, &str)> {
    let end = text.find(|character: char| !is_name_character(character)).unwrap_or(text.len());
    text.split_at_checked(end).filter(|(name, _)| name.starts_with(|first: char| !first.is_ascii_digit()))
}

fn is_name_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}
