//! What a name refers to: namerefs, `${!parameter}`, and parameters that a text names at run time.

use super::unset::indirect_name;
use crate::limit::gauge;
use crate::machine::error::ExpansionError;
use crate::machine::expansion::{Subscript, Target};
use crate::machine::halt::{Halt, Step};
use crate::machine::name;
use crate::machine::name::NameId;
use crate::machine::option::ShellOption;
use crate::machine::run::Run;
use crate::machine::shell::Shell;
use crate::machine::variable::{Attributes, Value, Variables};
use crate::syntax::ast::AllElements;
use crate::syntax::subscript::closing_bracket;
use crate::text::Text;

/// Namerefs that are followed.
const MAX_NAMEREFS: u32 = 8;

/// References to elements inside the subscripts of others: `declare -n r='a[r]'` would never end.
const MAX_REFERENCES: u32 = 16;

impl Variables {
    /// Whether a variable is a nameref to `name[@]` or `name[*]`.
    pub(super) fn is_list_reference(&self, id: NameId) -> bool {
        let slot = self.slot(id);
        slot.attributes.has(Attributes::NAMEREF)
            && matches!(&slot.value, Value::Text(text) if text.ends_with(b"[@]") || text.ends_with(b"[*]"))
    }

    pub(crate) fn is_associative(&mut self, id: NameId) -> bool {
        let slot = self.slot(id);
        if slot.attributes.has(Attributes::NAMEREF)
            && let Value::Text(target) = &slot.value
        {
            return match self.names.find(target) {
                Some(found) if found != id => {
                    let slot = self.slot(found);
                    matches!(slot.value, Value::Assoc(_)) || slot.attributes.has(Attributes::ASSOC)
                }
                _ => false,
            };
        }
        matches!(slot.value, Value::Assoc(_))
            || slot.attributes.has(Attributes::ASSOC)
            || (slot.value == Value::Dynamic && matches!(id, name::BASH_ALIASES | name::BASH_CMDS))
    }
}

impl Shell {
    /// Where a variable's value is: namerefs are followed.
    pub(crate) fn dereference(&mut self, run: &mut Run, id: NameId) -> Target {
        let first = id;
        let mut id = id;
        for _ in 0..=MAX_NAMEREFS {
            let slot = self.variables.slot(id);
            if !slot.attributes.has(Attributes::NAMEREF) {
                return Target::Variable(id);
            }
            let Value::Text(target) = &slot.value else { return Target::Variable(id) };
            let target = target.clone();
            match memchr::memchr(b'[', &target) {
                Some(_) => {
                    return self.parse_reference(run, &target).ok().flatten().unwrap_or(Target::Nothing);
                }
                None => id = run.services.names.intern(&target),
            }
        }
        let text = run.services.names.text(first);
        self.report(ExpansionError::CircularReference(text));
        Target::Nothing
    }

    /// `${!parameter}`: what its value names.
    pub(super) fn follow(&mut self, run: &mut Run, target: &Target, source: &Text) -> Step<Target> {
        if let Target::Variable(id) = target
            && self.variables.slot(*id).attributes.has(Attributes::NAMEREF)
        {
            // `${!ref}` of a nameref is the name that it refers to in the end.
            let mut text = self.variables.slot(*id).value.text().unwrap_or_default();
            for _ in 0..MAX_NAMEREFS {
                let next = self.variables.names.find(&text).map(|id| self.variables.slot(id));
                match next.filter(|slot| slot.attributes.has(Attributes::NAMEREF)).map(|slot| &slot.value) {
                    Some(Value::Text(next)) => text = next.clone(),
                    _ => break,
                }
            }
            return Ok(Target::Referent(text));
        }
        let is_known = match target {
            Target::Elements(id, _) => self.variables.slot(*id).exists(),
            _ => target.list_kind().is_some(),
        };
        if is_known && self.target_values(run, target).is_empty() {
            // `${!array[@]-word}` of a variable that was declared, and `${!@}`
            return Ok(Target::Nothing);
        }
        let Some(text) = self.target_text(run, target) else {
            if self.state.options.has(ShellOption::NoUnset) || !matches!(target, Target::Positional(_)) {
                if let Target::Variable(id) = target
                    && self.value_of(run, *id).is_array()
                {
                    return Ok(Target::Nothing);
                }
                self.report(ExpansionError::InvalidIndirection(indirect_name(source)));
                return Err(self.state.discarded());
            }
            return Ok(Target::Nothing);
        };
        match self.parse_reference(run, &text)? {
            Some(target) => Ok(target),
            None => {
                self.report(ExpansionError::InvalidName(text));
                Err(self.state.discarded())
            }
        }
    }

    /// A parameter named by a text at run time: `x`, `1`, `@`, `a[2]`, `a[@]`.
    ///
    /// # Errors
    /// An error in the subscript, after which the command is not run.
    pub(crate) fn parse_reference(&mut self, run: &mut Run, text: &[u8]) -> Step<Option<Target>> {
        self.parse_reference_at(run, text, 1)
    }

    /// The same inside a text whose values are nested so deep.
    pub(crate) fn parse_reference_at(
        &mut self,
        run: &mut Run,
        text: &[u8],
        depth: u32,
    ) -> Step<Option<Target>> {
        if name::is_name(text) {
            let id = run.services.names.intern(text);
            return Ok(Some(self.dereference(run, id)));
        }
        if !text.is_empty() && text.iter().all(u8::is_ascii_digit) {
            let number = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
            return Ok(number.map(Target::Positional));
        }
        if let [special @ (b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!')] = text {
            return Ok(Some(Target::Special(*special)));
        }
        let Some((base, subscript)) = element(text) else { return Ok(None) };
        let id = run.services.names.intern(base);
        let id = match self.dereference(run, id) {
            Target::Variable(id) => id,
            _ => id,
        };
        // Each may lead to many others, as deep as is allowed.
        if gauge::burn(1) {
            run.services.meter.check()?;
        }
        match subscript {
            b"@" => Ok(Some(Target::Elements(id, AllElements::At))),
            b"*" => Ok(Some(Target::Elements(id, AllElements::Star))),
            _ if self.references >= MAX_REFERENCES => {
                self.report(ExpansionError::TooManyReferences(Text::from(text)));
                Ok(None)
            }
            _ => {
                self.references += 1;
                let target = self.subscript_target(run, id, subscript, depth);
                self.references -= 1;
                target
            }
        }
    }

    fn subscript_target(
        &mut self,
        run: &mut Run,
        id: NameId,
        subscript: &[u8],
        depth: u32,
    ) -> Step<Option<Target>> {
        if self.variables.is_associative(id) {
            return Ok(Some(Target::Key(id, self.dequote_key(run, subscript))));
        }
        let index = self.evaluate_subscript(run, subscript, depth).map_err(Halt::abandoned)?;
        Ok(self.array_index(run, id, index).map(|index| Target::Index(id, index)))
    }

    /// A key written in a text: quotes around it are removed, `$name` is expanded.
    pub(crate) fn dequote_key(&mut self, run: &mut Run, key: &[u8]) -> Text {
        let mut text = Text::EMPTY;
        let mut rest = key;
        while let Some((&first, tail)) = rest.split_first() {
            if gauge::is_refused() {
                break;
            }
            match first {
                b'\'' => {
                    let end = memchr::memchr(b'\'', tail).unwrap_or(tail.len());
                    text.push_bytes(tail.get(..end).unwrap_or(tail));
                    rest = tail.get(end + 1..).unwrap_or(&[]);
                }
                b'"' => rest = tail,
                b'\\' => {
                    text.push_bytes(tail.get(..1).unwrap_or(&[]));
                    rest = tail.get(1..).unwrap_or(&[]);
                }
                b'$' => {
                    let braced = tail.strip_prefix(b"{");
                    let tail = braced.unwrap_or(tail);
                    let is_special = |byte: &u8| matches!(byte, b'#' | b'?' | b'$' | b'!' | b'-');
                    let length = match tail {
                        [first, rest @ ..] if is_special(first) => {
                            usize::from(braced.is_none() || rest.starts_with(b"}"))
                        }
                        _ => tail
                            .iter()
                            .position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_')
                            .unwrap_or(tail.len()),
                    };
                    let (name, after) = tail.split_at(length);
                    if name.is_empty() {
                        text.push_bytes(b"$");
                    } else if let Ok(Some(target)) = self.parse_reference(run, name) {
                        let value = self.target_text(run, &target).unwrap_or_default();
                        text.push_bytes(&value);
                    }
                    rest = after.strip_prefix(b"}").unwrap_or(after);
                }
                _ => {
                    let is_special = |byte: &u8| matches!(byte, b'\'' | b'"' | b'\\' | b'$');
                    let end = rest.iter().position(is_special).unwrap_or(rest.len());
                    let (plain, after) = rest.split_at(end);
                    text.push_bytes(plain);
                    rest = after;
                }
            }
        }
        text
    }

    /// `name[subscript]`; a negative index counts from the end.
    pub(crate) fn element_target(&mut self, run: &mut Run, id: NameId, subscript: Subscript) -> Step<Target> {
        let id = match self.dereference(run, id) {
            Target::Variable(id) => id,
            other => return Ok(other),
        };
        Ok(match subscript {
            Subscript::Key(key) if key.is_empty() => {
                let text = run.services.names.text(id);
                self.report_fatal(ExpansionError::BadSubscript(text))?;
                Target::Nothing
            }
            Subscript::Key(key) => Target::Key(id, key),
            Subscript::Index(index) => match self.array_index(run, id, index) {
                Some(position) if index >= 0 || self.value_of(run, id).is_array() => {
                    Target::Index(id, position)
                }
                _ => {
                    let text = run.services.names.text(id);
                    self.report_fatal(ExpansionError::BadSubscript(text))?;
                    Target::Nothing
                }
            },
        })
    }

    /// An index of an array, negative ones resolved; `None`: before the start.
    pub(crate) fn array_index(&mut self, run: &mut Run, id: NameId, index: i64) -> Option<u64> {
        if index >= 0 {
            return Some(index as u64);
        }
        let end = match self.value_of(run, id) {
            Value::Array(array) => array.end() as i64,
            Value::Unset => 0,
            _ => 1,
        };
        u64::try_from(end.checked_add(index)?).ok()
    }
}

/// `name[subscript]`, in two.
fn element(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let (base, rest) = text.split_at_checked(memchr::memchr(b'[', text)?)?;
    let subscript = rest.strip_prefix(b"[")?.strip_suffix(b"]")?;
    let is_whole = closing_bracket(rest)? + 1 == rest.len();
    (is_whole && name::is_name(base)).then_some((base, subscript))
}
