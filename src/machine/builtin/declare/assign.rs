//! One operand of `declare` and its kin: `name`, `name=value`, `name+=value`, `name[subscript]=value`, `name=(...)`.

use super::super::context::Context;
use super::super::error::BuiltinError;
use super::Request;
use crate::machine::expansion::{ArrayLiteral, Subscript, Target};
use crate::machine::name::{self, NameId};
use crate::machine::option::ShellOption;
use crate::machine::variable::{Attributes, Value};
use crate::memory::{ToDecimal, Vec};
use crate::syntax::subscript::closing_bracket;
use crate::text::Text;

/// Attributes of both kinds of arrays.
const ARRAYS: Attributes = Attributes(Attributes::ARRAY.0 | Attributes::ASSOC.0);

/// An operand in its parts.
#[derive(Debug, PartialEq)]
struct Operand<'a> {
    name: &'a [u8],
    subscript: Option<&'a [u8]>,
    append: bool,
    value: Option<&'a [u8]>,
}

impl<'a> Operand<'a> {
    /// `None`: not a name.
    fn parse(text: &'a [u8]) -> Option<Self> {
        let end =
            text.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').unwrap_or(text.len());
        let (name, mut rest) = text.split_at(end);
        if !name::is_name(name) {
            return None;
        }
        let mut subscript = None;
        if rest.first() == Some(&b'[') {
            let close = closing_bracket(rest)?;
            subscript = Some(rest.get(1..close).filter(|subscript| !subscript.is_empty())?);
            rest = rest.get(close + 1..)?;
        }
        let (append, value) = match rest {
            [] => (false, None),
            [b'=', value @ ..] => (false, Some(value)),
            [b'+', b'=', value @ ..] => (true, Some(value)),
            _ => return None,
        };
        Some(Operand { name, subscript, append, value })
    }
}

/// What becomes of a variable.
struct Change<'a> {
    operand: Operand<'a>,
    literal: Option<ArrayLiteral>,
    request: Request,
}

impl Change<'_> {
    /// Whether it makes a name a reference, or no longer one.
    fn is_about_reference(&self) -> bool {
        self.request.on.has(Attributes::NAMEREF) || self.request.off.has(Attributes::NAMEREF)
    }

    fn has_value(&self) -> bool {
        self.operand.value.is_some() || self.literal.is_some()
    }

    fn name(&self) -> Text {
        Text::from(self.operand.name)
    }
}

/// Declares an operand, the argument at `index`. Texts that have to be read as commands after the builtin go to `texts`.
///
/// # Errors
/// What is wrong with it, or that this was said.
pub(super) fn declare(
    ctx: &mut Context<'_, '_>,
    index: usize,
    text: &Text,
    mut request: Request,
    texts: &mut Vec<u8>,
) -> Result<(), BuiltinError> {
    let literal = ctx.invocation.take_literal(index);
    let operand = Operand::parse(text)
        .filter(|operand| !request.by_name || operand.subscript.is_none())
        .ok_or_else(|| BuiltinError::InvalidName(text.clone()))?;
    let id = ctx.run.services.names.intern(operand.name);
    if request.by_name && operand.value.is_none() && literal.is_none() {
        // `readonly -a name` makes no array.
        request.on.remove(ARRAYS);
    }
    let change = Change { operand, literal, request };
    if request.on.has(Attributes::NAMEREF) {
        check_reference(ctx, &change)?;
        if change.operand.value.is_none() {
            check_referring(ctx, id, request)?;
        }
    }
    let swapped = request.global && ctx.process.shell.variables.swap_global(id);
    let done = declare_here(ctx, id, &change, texts);
    if swapped {
        ctx.process.shell.variables.swap_global(id);
    }
    done
}

/// Whether `declare -n` may make this reference.
fn check_reference(ctx: &mut Context<'_, '_>, change: &Change<'_>) -> Result<(), BuiltinError> {
    let operand = &change.operand;
    if change.literal.is_some() || operand.subscript.is_some() || change.request.on.has(ARRAYS) {
        return Err(BuiltinError::ArrayReference(change.name()));
    }
    let Some(value) = operand.value else { return Ok(()) };
    let base = value.iter().position(|&byte| byte == b'[').and_then(|at| value.get(..at)).unwrap_or(value);
    let is_element = base.len() < value.len() && value.last() == Some(&b']');
    if !name::is_name(base) || (base.len() < value.len() && !is_element) {
        return Err(BuiltinError::InvalidReference(Text::from(value)));
    }
    if value == operand.name {
        if ctx.process.shell.variables.scope() == 0 || change.request.global {
            return Err(BuiltinError::SelfReference(change.name()));
        }
        ctx.remark(BuiltinError::CircularReference(change.name()));
    }
    Ok(())
}

/// Whether what the variable has can be a reference.
fn check_referring(ctx: &Context<'_, '_>, id: NameId, request: Request) -> Result<(), BuiltinError> {
    let slot = ctx.process.shell.variables.slot(id);
    let is_hidden = request.local && slot.scope != ctx.process.shell.variables.scope();
    let Some(value) = slot.value.text().filter(|_| !is_hidden && !slot.value.is_array()) else {
        return Ok(());
    };
    if slot.attributes.has(Attributes::NAMEREF) || crate::machine::name::is_assignable(&value) {
        return Ok(());
    }
    Err(BuiltinError::InvalidReference(value))
}

fn declare_here(
    ctx: &mut Context<'_, '_>,
    id: NameId,
    change: &Change<'_>,
    texts: &mut Vec<u8>,
) -> Result<(), BuiltinError> {
    let request = change.request;
    if request.local {
        make_local(ctx, id, request)?;
    }
    let Some((id, subscript)) = target(ctx, id, change) else { return Err(BuiltinError::Reported(1)) };
    let before = ctx.process.shell.variables.slot(id).attributes;
    if before.has(Attributes::READONLY)
        && (change.has_value() || request.off.has(Attributes::READONLY) || changes_meaning(before, request))
    {
        let shown = ctx.run.services.names.text(id);
        if request.by_name {
            ctx.process.shell.report_fatal(BuiltinError::ReadOnlyVariable(shown))?;
            return Err(BuiltinError::Reported(1));
        }
        return Err(BuiltinError::ReadOnlyVariable(shown));
    }
    let has_elements = subscript.is_some() || change.literal.is_some();
    if has_elements || request.on != Attributes::default() || request.off != Attributes::default() {
        check_conversion(ctx, id, change)?;
        set_attributes(ctx, id, request, has_elements);
    }
    let done = match (&change.literal, change.operand.value) {
        (Some(literal), _) => {
            let append = change.operand.append;
            // No builtin is named before an error in an element.
            let prefix = ctx.process.shell.arithmetic.prefix.take();
            let done = ctx.process.shell.assign_array(ctx.run, id, literal, append);
            ctx.process.shell.arithmetic.prefix = prefix;
            done.map_err(BuiltinError::from)
        }
        (None, Some(value)) if subscript.is_none() && is_compound(ctx, id, value) => {
            add_text(ctx, id, change, value, texts);
            return Ok(());
        }
        (None, Some(value)) => {
            if request.by_name && ctx.process.shell.state.options.has(ShellOption::XTrace) {
                ctx.process.trace_assignment(ctx.run, id, value, change.operand.append);
            }
            assign_value(ctx, id, subscript, value, change)
        }
        (None, None) => Ok(()),
    };
    let slot = ctx.process.shell.variables.slot_mut(id);
    if request.on.has(Attributes::READONLY) {
        slot.attributes.insert(Attributes::READONLY);
    }
    if !change.has_value() && slot.value == Value::Unset && !request.by_name {
        slot.attributes.insert(Attributes::DECLARED);
    }
    if request.by_name {
        ctx.process.shell.variables.propagate(id);
    }
    done
}

/// The variable that is meant, behind references, and the element of it. `None`: there is none.
fn target(ctx: &mut Context<'_, '_>, id: NameId, change: &Change<'_>) -> Option<(NameId, Option<Text>)> {
    let subscript = change.operand.subscript.map(Text::from);
    let is_reference = ctx.process.shell.variables.slot(id).attributes.has(Attributes::NAMEREF);
    if change.is_about_reference() || !is_reference {
        return Some((id, subscript));
    }
    match ctx.process.shell.dereference(ctx.run, id) {
        Target::Variable(id) => Some((id, subscript)),
        Target::Index(id, index) => Some((id, Some(Text::from(index.to_decimal())))),
        Target::Key(id, key) => Some((id, Some(key))),
        _ => None,
    }
}

/// Whether attributes that change the value of later assignments are touched: not allowed for read-only variables.
fn changes_meaning(before: Attributes, request: Request) -> bool {
    let meaning = Attributes::INTEGER.0
        | Attributes::LOWER.0
        | Attributes::UPPER.0
        | Attributes::CAPITAL.0
        | Attributes::NAMEREF.0;
    (request.on.0 & !before.0 | request.off.0 & before.0) & meaning & Attributes::NAMEREF.0 != 0
}

/// Makes the name local, which a global read-only variable forbids.
fn make_local(ctx: &mut Context<'_, '_>, id: NameId, request: Request) -> Result<(), BuiltinError> {
    let variables = &mut ctx.process.shell.variables;
    let outer = variables.slot(id);
    let (scope, attributes) = (outer.scope, outer.attributes);
    if scope != variables.scope() && attributes.has(Attributes::READONLY) && scope == 0 {
        return Err(BuiltinError::ReadOnlyVariable(variables.names.text(id)));
    }
    let inherits = request.inherit || ctx.process.shell.state.options.has(ShellOption::LocalVarInherit);
    let inherited = (inherits && !attributes.has(Attributes::NAMEREF)).then(|| outer.value.clone());
    if variables.make_local(id) {
        let slot = variables.slot_mut(id);
        if let Some(value) = inherited {
            slot.value = value;
            slot.attributes = attributes;
        }
        slot.attributes.insert(Attributes::DECLARED);
        if attributes.has(Attributes::EXPORTED) {
            slot.attributes.insert(Attributes::EXPORTED);
            variables.exports += 1;
        }
    }
    Ok(())
}

/// Whether the kinds of array fit.
fn check_conversion(ctx: &Context<'_, '_>, id: NameId, change: &Change<'_>) -> Result<(), BuiltinError> {
    let Request { on, off, .. } = change.request;
    let slot = ctx.process.shell.variables.slot(id);
    let indexed = matches!(slot.value, Value::Array(_)) || slot.attributes.has(Attributes::ARRAY);
    let associative = matches!(slot.value, Value::Assoc(_)) || slot.attributes.has(Attributes::ASSOC);
    if on.has(Attributes::ARRAY) && on.has(Attributes::ASSOC) {
        return Err(BuiltinError::AssociativeToIndexed(change.name()));
    }
    if indexed && on.has(Attributes::ASSOC) {
        Err(BuiltinError::IndexedToAssociative(change.name()))
    } else if associative && on.has(Attributes::ARRAY) && !on.has(Attributes::ASSOC) {
        Err(BuiltinError::AssociativeToIndexed(change.name()))
    } else if (indexed && off.has(Attributes::ARRAY)) || (associative && off.has(Attributes::ASSOC)) {
        Err(BuiltinError::ArrayDestroyed(change.name()))
    } else if (indexed || associative) && on.has(Attributes::NAMEREF) {
        Err(BuiltinError::ArrayReference(change.name()))
    } else {
        Ok(())
    }
}

/// Changes attributes, `readonly` aside, which comes after the value; an array attribute, or an element or a list that is
/// assigned, makes the value an array.
fn set_attributes(ctx: &mut Context<'_, '_>, id: NameId, request: Request, has_elements: bool) {
    let is_associative = ctx.process.shell.variables.is_associative(id);
    let slot = ctx.process.shell.variables.slot_mut(id);
    let before = slot.attributes;
    let mut on = request.on;
    on.remove(Attributes::READONLY);
    if on.has(Attributes::ASSOC) {
        on.remove(Attributes::ARRAY);
    } else if has_elements && !is_associative {
        on.insert(Attributes::ARRAY);
    }
    let case = Attributes(Attributes::LOWER.0 | Attributes::UPPER.0 | Attributes::CAPITAL.0);
    if on.has(case) {
        slot.attributes.remove(case);
    }
    slot.attributes.insert(on);
    slot.attributes.remove(request.off);
    let exports_change = (before.0 ^ slot.attributes.0) & Attributes::EXPORTED.0 != 0;
    if on.has(ARRAYS) && !matches!(slot.value, Value::Unset | Value::Dynamic) {
        ctx.process.shell.variables.make_array(id, on.has(Attributes::ASSOC));
    }
    if exports_change {
        ctx.process.shell.variables.exports += 1;
    }
}

fn assign_value(
    ctx: &mut Context<'_, '_>,
    id: NameId,
    subscript: Option<Text>,
    value: &[u8],
    change: &Change<'_>,
) -> Result<(), BuiltinError> {
    let is_reference = ctx.process.shell.variables.slot(id).attributes.has(Attributes::NAMEREF);
    if change.is_about_reference() && is_reference {
        ctx.process.shell.variables.set_plain(id, Value::Text(Text::from(value)));
        return Ok(());
    }
    let (value, append) = (Text::from(value), change.operand.append);
    match subscript {
        None => ctx.process.shell.assign_variable(ctx.run, id, value, append)?,
        Some(subscript) => {
            let is_associative = ctx.process.shell.variables.is_associative(id);
            let key =
                if is_associative { ctx.process.shell.dequote_key(ctx.run, &subscript) } else { subscript };
            ctx.process.shell.assign_element(ctx.run, id, Subscript::Key(key), value, append)?;
        }
    }
    Ok(())
}

/// Whether the text of a value is an array in parentheses, for a variable that is an array.
fn is_compound(ctx: &Context<'_, '_>, id: NameId, value: &[u8]) -> bool {
    let slot = ctx.process.shell.variables.slot(id);
    let is_array = slot.value.is_array() || slot.attributes.has(ARRAYS);
    is_array && value.first() == Some(&b'(') && value.last() == Some(&b')')
}

/// Adds the assignment of a text in parentheses: it is parsed and expanded once more, as bash does.
fn add_text(ctx: &Context<'_, '_>, id: NameId, change: &Change<'_>, value: &[u8], texts: &mut Vec<u8>) {
    let name = ctx.run.services.names.text(id);
    texts.extend_from_slice(&name);
    texts.extend_from_slice(if change.operand.append { b"+=" } else { b"=" });
    texts.extend_from_slice(value);
    texts.push(b'\n');
    if change.request.on.has(Attributes::READONLY) {
        texts.extend_from_slice(b"readonly ");
        texts.extend_from_slice(&name);
        texts.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_have_parts() {
        let parse = Operand::parse;
        assert_eq!(parse(b"a-b"), None);
        assert_eq!(parse(b"1=2"), None);
        let operand = parse(b"a[b[1]]+=x=y").expect("an operand");
        assert_eq!((operand.name, operand.subscript, operand.append), (&b"a"[..], Some(&b"b[1]"[..]), true));
        assert_eq!(operand.value, Some(&b"x=y"[..]));
    }
}
