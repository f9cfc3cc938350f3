//! One operand of `declare` and its kin: `name`, `name=value`, `name+=value`, `name[subscript]=value`, `name=(...)`.

use crate::memory::{ToMeteredString, Vec};
use super::super::{Flow, Invocation};
use super::Request;
use crate::machine::assign::AssignError;
use crate::machine::frame::ScriptKind;
use crate::machine::name::{self, NameId};
use crate::machine::option::ShellOption;
use crate::machine::process::{ArrayLiteral, Process, Step, Subscript, Target};
use crate::machine::run::Run;
use crate::machine::variable::{Attributes, Value};
use crate::text::Text;
use std::sync::Arc;

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
        let end = text.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').unwrap_or(text.len());
        let (name, mut rest) = text.split_at(end);
        if !name::is_name(name) {
            return None;
        }
        let mut subscript = None;
        if rest.first() == Some(&b'[') {
            let close = closing_bracket(rest)?;
            subscript = Some(rest.get(1..close)?);
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

/// Where the `]` of the subscript at the start is.
fn closing_bracket(text: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'[' => depth += 1,
            b']' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// Declares the operand at `index`. Whether it went well; the message was printed. Texts that have to be read as
/// commands behind the builtin go to `texts`.
pub(super) fn declare(
    process: &mut Process,
    run: &mut Run,
    invocation: &mut Invocation,
    index: usize,
    request: Request,
    texts: &mut Vec<u8>,
) -> Step<bool> {
    let Some(text) = invocation.args.get(index).cloned() else { return Ok(true) };
    let command = invocation.name();
    let literal = invocation.arguments.iter().position(|(at, _)| *at == index);
    let literal = literal.map(|at| invocation.arguments.swap_remove(at).1);
    let Some(operand) = Operand::parse(&text) else {
        process.report_for(&command, format_args!("`{text}': not a valid identifier"));
        return Ok(false);
    };
    if request.by_name && operand.subscript.is_some() {
        process.report_for(&command, format_args!("`{text}': not a valid identifier"));
        return Ok(false);
    }
    let id = run.services.names.intern(operand.name);
    let mut request = request;
    if request.by_name && operand.value.is_none() && literal.is_none() {
        // `readonly -a name` makes no array.
        request.on.remove(Attributes(Attributes::ARRAY.0 | Attributes::ASSOC.0));
    }
    if request.on.has(Attributes::NAMEREF)
        && (!is_good_reference(process, &command, &operand, literal.is_some(), request)
            || operand.value.is_none() && !refers(process, &command, id, request))
    {
        return Ok(false);
    }
    let swapped = request.global && process.shell.variables.swap_global(id);
    let done = declare_here(process, run, &command, id, &operand, literal.as_ref(), request, texts);
    if swapped {
        process.shell.variables.swap_global(id);
    }
    done
}

/// Whether `declare -n` may make this reference.
fn is_good_reference(
    process: &mut Process,
    command: &[u8],
    operand: &Operand<'_>,
    is_literal: bool,
    request: Request,
) -> bool {
    let name = bstr::BStr::new(operand.name);
    if is_literal || operand.subscript.is_some() || request.on.has(Attributes(Attributes::ARRAY.0 | Attributes::ASSOC.0)) {
        process.report_for(command, format_args!("{name}: reference variable cannot be an array"));
        return false;
    }
    let Some(value) = operand.value else { return true };
    let base = value.iter().position(|&byte| byte == b'[').and_then(|at| value.get(..at)).unwrap_or(value);
    let is_element = base.len() < value.len() && value.last() == Some(&b']');
    if !name::is_name(base) || (base.len() < value.len() && !is_element) {
        let value = bstr::BStr::new(value);
        process.report_for(command, format_args!("`{value}': invalid variable name for name reference"));
        return false;
    }
    if value == operand.name {
        if process.shell.variables.scope() == 0 || request.global {
            process.report_for(command, format_args!("{name}: nameref variable self references not allowed"));
            return false;
        }
        process.report_for(command, format_args!("warning: {name}: circular name reference"));
    }
    true
}

/// Whether what the variable has can be a reference.
fn refers(process: &mut Process, command: &[u8], id: NameId, request: Request) -> bool {
    let slot = process.shell.variables.slot(id);
    let hidden = request.local && slot.scope != process.shell.variables.scope();
    let Some(value) = slot.value.text().filter(|_| !hidden && !slot.value.is_array()) else { return true };
    if slot.attributes.has(Attributes::NAMEREF) || Process::is_assignable(&value) {
        return true;
    }
    process.report_for(command, format_args!("`{value}': invalid variable name for name reference"));
    false
}

#[allow(clippy::too_many_arguments)]
fn declare_here(
    process: &mut Process,
    run: &mut Run,
    command: &[u8],
    id: NameId,
    operand: &Operand<'_>,
    literal: Option<&ArrayLiteral>,
    request: Request,
    texts: &mut Vec<u8>,
) -> Step<bool> {
    let name = bstr::BStr::new(operand.name);
    if request.local && !make_local(process, command, id, request) {
        return Ok(false);
    }
    let is_reference_change = request.on.has(Attributes::NAMEREF) || request.off.has(Attributes::NAMEREF);
    let mut subscript = operand.subscript.map(Text::from);
    let id = if is_reference_change || !process.shell.variables.slot(id).attributes.has(Attributes::NAMEREF) {
        id
    } else {
        match process.dereference(run, id) {
            Target::Variable(id) => id,
            Target::Index(id, index) => {
                subscript = Some(Text::from(index.to_metered_string()));
                id
            }
            Target::Key(id, key) => {
                subscript = Some(key);
                id
            }
            _ => return Ok(false),
        }
    };
    let before = process.shell.variables.slot(id).attributes;
    let changes_value = operand.value.is_some() || literal.is_some();
    if before.has(Attributes::READONLY)
        && (changes_value || request.off.has(Attributes::READONLY) || changes_meaning(before, request))
    {
        let shown = run.services.names.text(id);
        if request.by_name {
            process.report_fatal(format_args!("{shown}: readonly variable"))?;
        } else {
            process.report_for(command, format_args!("{shown}: readonly variable"));
        }
        return Ok(false);
    }
    if !can_convert(process, command, id, request, name) {
        return Ok(false);
    }
    let late = Attributes(Attributes::READONLY.0);
    set_attributes(process, run, id, request, late, subscript.is_some(), literal.is_some());
    let done = match (literal, operand.value) {
        (Some(literal), _) => assign_literal(process, run, command, id, literal, operand.append),
        (None, Some(value)) => {
            if is_compound(process, id, value) && subscript.is_none() {
                add_text(process, run, id, operand, value, request, texts);
                return Ok(true);
            }
            if request.by_name && process.shell.state.options.has(ShellOption::XTrace) {
                process.trace_assignment(run, id, value, operand.append);
            }
            assign_value(process, run, command, id, subscript, value, operand.append, is_reference_change)
        }
        (None, None) => Ok(true),
    };
    let slot = process.shell.variables.slot_mut(id);
    if request.on.has(Attributes::READONLY) {
        slot.attributes.insert(Attributes::READONLY);
    }
    if !changes_value && slot.value == Value::Unset && !request.by_name {
        slot.attributes.insert(Attributes::DECLARED);
    }
    if request.by_name {
        process.shell.variables.propagate(id);
    }
    done
}

/// Whether attributes that change the value of later assignments are touched: not allowed for read-only variables.
fn changes_meaning(before: Attributes, request: Request) -> bool {
    let meaning =
        Attributes::INTEGER.0 | Attributes::LOWER.0 | Attributes::UPPER.0 | Attributes::CAPITAL.0 | Attributes::NAMEREF.0;
    (request.on.0 & !before.0 | request.off.0 & before.0) & meaning & Attributes::NAMEREF.0 != 0
}

/// Makes the name local; `false`: a global read-only variable forbids it (said).
fn make_local(process: &mut Process, command: &[u8], id: NameId, request: Request) -> bool {
    let scope = process.shell.variables.scope();
    let outer = process.shell.variables.slot(id).clone();
    if outer.scope != scope && outer.attributes.has(Attributes::READONLY) && outer.scope == 0 {
        let shown = process.shell.variables.names.text(id);
        process.report_for(command, format_args!("{shown}: readonly variable"));
        return false;
    }
    let inherits = request.inherit || process.shell.state.options.has(ShellOption::LocalVarInherit);
    if process.shell.variables.make_local(id) {
        let exported = outer.attributes.has(Attributes::EXPORTED);
        let slot = process.shell.variables.slot_mut(id);
        if inherits && !outer.attributes.has(Attributes::NAMEREF) {
            slot.value = outer.value;
            slot.attributes = outer.attributes;
        }
        slot.attributes.insert(Attributes::DECLARED);
        if exported {
            slot.attributes.insert(Attributes::EXPORTED);
            process.shell.variables.exports += 1;
        }
    }
    true
}

/// Whether the kinds of array fit; the message was printed.
fn can_convert(process: &mut Process, command: &[u8], id: NameId, request: Request, name: &bstr::BStr) -> bool {
    let slot = process.shell.variables.slot(id);
    let indexed = matches!(slot.value, Value::Array(_)) || slot.attributes.has(Attributes::ARRAY);
    let associative = matches!(slot.value, Value::Assoc(_)) || slot.attributes.has(Attributes::ASSOC);
    let message = if indexed && request.on.has(Attributes::ASSOC) {
        "cannot convert indexed to associative array"
    } else if associative && request.on.has(Attributes::ARRAY) && !request.on.has(Attributes::ASSOC) {
        "cannot convert associative to indexed array"
    } else if (indexed && request.off.has(Attributes::ARRAY)) || (associative && request.off.has(Attributes::ASSOC)) {
        "cannot destroy array variables in this way"
    } else if (indexed || associative) && request.on.has(Attributes::NAMEREF) {
        "reference variable cannot be an array"
    } else {
        return true;
    };
    process.report_for(command, format_args!("{name}: {message}"));
    false
}

/// Changes attributes but those of `late`; an array attribute makes the value an array.
fn set_attributes(
    process: &mut Process,
    run: &mut Run,
    id: NameId,
    request: Request,
    late: Attributes,
    element: bool,
    literal: bool,
) {
    let associative = process.is_associative(id);
    let slot = process.shell.variables.slot_mut(id);
    let before = slot.attributes;
    let mut on = request.on;
    on.remove(late);
    if on.has(Attributes::ASSOC) {
        on.remove(Attributes::ARRAY);
    } else if (element || literal) && !associative {
        on.insert(Attributes::ARRAY);
    }
    let case = Attributes(Attributes::LOWER.0 | Attributes::UPPER.0 | Attributes::CAPITAL.0);
    if on.has(case) {
        slot.attributes.remove(case);
    }
    slot.attributes.insert(on);
    slot.attributes.remove(request.off);
    let exported = (before.0 ^ slot.attributes.0) & Attributes::EXPORTED.0 != 0;
    let is_array = on.has(Attributes(Attributes::ARRAY.0 | Attributes::ASSOC.0));
    if is_array && !matches!(slot.value, Value::Unset | Value::Dynamic) {
        process.make_array(id, on.has(Attributes::ASSOC));
    }
    if exported {
        process.shell.variables.exports += 1;
    }
    let _ = run;
}

fn assign_literal(
    process: &mut Process,
    run: &mut Run,
    command: &[u8],
    id: NameId,
    literal: &ArrayLiteral,
    append: bool,
) -> Step<bool> {
    let _ = command;
    outcome(process.assign_array(run, id, literal, append))
}

#[allow(clippy::too_many_arguments)]
fn assign_value(
    process: &mut Process,
    run: &mut Run,
    command: &[u8],
    id: NameId,
    subscript: Option<Text>,
    value: &[u8],
    append: bool,
    reference: bool,
) -> Step<bool> {
    let _ = command;
    if reference && process.shell.variables.slot(id).attributes.has(Attributes::NAMEREF) {
        process.set_plain(id, Value::Text(Text::from(value)));
        return Ok(true);
    }
    let value = Text::from(value);
    let Some(subscript) = subscript else { return outcome(process.assign_variable(run, id, value, append)) };
    let subscript = if process.is_associative(id) {
        Subscript::Key(process.dequote_key(run, &subscript))
    } else {
        Subscript::Key(subscript)
    };
    outcome(process.assign_element(run, id, subscript, value, append))
}

fn outcome(result: Result<(), AssignError>) -> Step<bool> {
    match result {
        Ok(()) => Ok(true),
        Err(AssignError::Halt(halt)) => Err(halt),
        Err(AssignError::ReadOnly | AssignError::Invalid) => Ok(false),
    }
}

/// Whether the text of a value is an array in parentheses, for a variable that is an array.
fn is_compound(process: &Process, id: NameId, value: &[u8]) -> bool {
    let slot = process.shell.variables.slot(id);
    let is_array = slot.value.is_array()
        || slot.attributes.has(Attributes(Attributes::ARRAY.0 | Attributes::ASSOC.0));
    is_array && value.first() == Some(&b'(') && value.last() == Some(&b')')
}

/// Adds the assignment of a text in parentheses: it is parsed and expanded once more, as bash does.
fn add_text(
    process: &mut Process,
    run: &mut Run,
    id: NameId,
    operand: &Operand<'_>,
    value: &[u8],
    request: Request,
    texts: &mut Vec<u8>,
) {
    let _ = process;
    let name = run.services.names.text(id);
    texts.extend_from_slice(&name);
    texts.extend_from_slice(if operand.append { b"+=" } else { b"=" });
    texts.extend_from_slice(value);
    texts.push(b'\n');
    if request.on.has(Attributes::READONLY) {
        texts.extend_from_slice(b"readonly ");
        texts.extend_from_slice(&name);
        texts.push(b'\n');
    }
}

/// Runs the assignments that were texts.
pub(super) fn run_texts(
    process: &mut Process,
    run: &mut Run,
    invocation: &mut Invocation,
    texts: &[u8],
) -> Step<Flow> {
    process.start_text(run, invocation, Arc::from(texts), ScriptKind::Eval, None)
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
