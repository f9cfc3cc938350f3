//! Subscripts in a text that only comes at run time: `unset 'a[$i]'`, `read 'a[$i]'`, `${!x}` and arithmetic where x is
//! `a[$i]`. Bash expands them as if in double quotes before it evaluates them.
//!
//! `$name`, `${name}`, `${#name}`, `$1` and `$((expression))` are expanded here. A command substitution is not run, by design: what
//! is data stays data. It, and operators inside `${}`, are left as they are, and so an error of the arithmetic.

use super::MAX_DEPTH;
use crate::limit::gauge;
use crate::machine::expansion::Target;
use crate::machine::halt::{Halt, Step};
use crate::machine::name::is_name;
use crate::machine::run::Run;
use crate::machine::shell::Shell;
use crate::memory::{ToDecimal, Vec};

/// A parameter in a text.
struct Reference<'a> {
    name: &'a [u8],
    /// `${#name}`
    is_length: bool,
    /// What follows.
    rest: &'a [u8],
}

impl Shell {
    /// Evaluates a subscript of a text, which is expanded first.
    pub(crate) fn evaluate_subscript(&mut self, run: &mut Run, text: &[u8], depth: u32) -> Step<i64> {
        // No builtin is named before an error in a subscript.
        let prefix = self.arithmetic.prefix.take();
        let index = match expanded(self, run, text, depth) {
            Ok(Some(expanded)) => self.evaluate_text(run, &expanded, depth),
            Ok(None) => self.evaluate_text(run, text, depth),
            Err(halt) => Err(halt),
        };
        self.arithmetic.prefix = prefix;
        index
    }
}

/// The text with its expansions made; `None`: there are none, or some that are not made.
fn expanded(shell: &mut Shell, run: &mut Run, text: &[u8], depth: u32) -> Step<Option<Vec<u8>>> {
    if depth > MAX_DEPTH || memchr::memchr2(b'$', b'"', text).is_none() {
        return Ok(None);
    }
    gauge::spend_bytes(text.len());
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(at) = memchr::memchr3(b'$', b'"', b'`', rest) {
        let (plain, found) = rest.split_at_checked(at).unwrap_or((rest, &[]));
        out.extend_from_slice(plain);
        if let Some(behind) = found.strip_prefix(b"\"") {
            rest = behind;
        } else if let Some(behind) = found.strip_prefix(b"$((") {
            let Some((inner, behind)) = arithmetic(behind) else { return Ok(None) };
            let number = shell.evaluate_subscript(run, inner, depth + 1)?;
            out.extend_from_slice(number.to_decimal().as_bytes());
            rest = behind;
        } else if let Some(reference) = reference(found) {
            let target = shell.parse_reference_at(run, reference.name, depth + 1)?;
            // It was said what is wrong with it.
            let Some(target) = target else { return Err(Halt::Discard(1)) };
            match shell.target_text(run, &target) {
                value if reference.is_length => {
                    let count = match target {
                        Target::Elements(..) => shell.target_values(run, &target).len(),
                        _ => crate::character::count(&value.unwrap_or_default()),
                    };
                    out.extend_from_slice(count.to_decimal().as_bytes());
                }
                Some(value) => out.extend_from_slice(&value),
                None => shell.check_unset(run, &target)?,
            }
            rest = reference.rest;
        } else {
            return Ok(None);
        }
    }
    out.extend_from_slice(rest);
    Ok(Some(out))
}

/// What is inside `$((` and `))`, and what follows.
fn arithmetic(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let mut open = 0_usize;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'(' => open += 1,
            b')' if open > 0 => open -= 1,
            b')' => return Some((text.get(..at)?, text.get(at..)?.strip_prefix(b"))")?)),
            _ => {}
        }
    }
    None
}

/// The parameter at the start of a text that begins with `$`.
fn reference(text: &[u8]) -> Option<Reference<'_>> {
    let text = text.strip_prefix(b"$")?;
    if let Some(braced) = text.strip_prefix(b"{") {
        let end = memchr::memchr(b'}', braced)?;
        let (name, rest) = (braced.get(..end)?, braced.get(end + 1..)?);
        let is_length = name.len() > 1 && name.first() == Some(&b'#');
        let name = name.get(usize::from(is_length)..)?;
        let base = name.split(|&byte| byte == b'[').next().unwrap_or(name);
        let plain = is_name(base) || name.iter().all(u8::is_ascii_digit) || name.len() == 1;
        return plain.then_some(Reference { name, is_length, rest });
    }
    let length = match text.first()? {
        b'0'..=b'9' | b'#' | b'?' | b'$' | b'!' | b'-' | b'@' | b'*' => 1,
        _ => text.iter().take_while(|&&byte| byte.is_ascii_alphanumeric() || byte == b'_').count(),
    };
    let (name, rest) = text.split_at_checked(length)?;
    (length > 0).then_some(Reference { name, is_length: false, rest })
}
