//! `declare`, `typeset`, `local`, `export`, `readonly`: variables and functions with attributes. Bash manual 4.1, 4.2.

mod assign;
mod function;
mod print;

use super::context::Context;
use super::error::BuiltinError;
use super::options::{OptionRow, Options, flag, signed};
use super::row::{Act, Builtin, Flow};
use crate::machine::frame::{Frame, ScriptKind};
use crate::machine::variable::Attributes;
use crate::memory::{Bytes, Vec};
use crate::text::Text;
pub(super) use print::all_values;

const DECLARE_SYNOPSIS: &str =
    "declare [-aAfFgiIlnrtux] [name[=value] ...] or declare -p [-aAfFilnrtux] [name ...]";

/// The options of `declare`, `typeset` and `local`.
const OPTIONS: &[OptionRow] = &[
    signed(b'a', "an indexed array"),
    signed(b'A', "an associative array"),
    signed(b'c', "values are capitalised"),
    flag(b'f', "functions and their definitions"),
    flag(b'F', "names of functions"),
    flag(b'g', "global variables, also in a function"),
    signed(b'i', "values are evaluated as arithmetic expressions"),
    flag(b'I', "a local variable takes over the value and the attributes of the one that it hides"),
    signed(b'l', "values become lower case"),
    signed(b'n', "a reference to the variable that the value names"),
    flag(b'p', "show attributes and values"),
    signed(b'r', "can not be changed"),
    signed(b't', "functions inherit the DEBUG and RETURN traps"),
    signed(b'u', "values become upper case"),
    signed(b'x', "exported to commands"),
];

pub(super) static DECLARE: Builtin = Builtin {
    name: "declare",
    special: false,
    synopsis: DECLARE_SYNOPSIS,
    help: "Set variable values and attributes.",
    options: OPTIONS,
    act: Act::Machine(|ctx| declare(ctx, false)),
};

pub(super) static TYPESET: Builtin = Builtin {
    name: "typeset",
    special: false,
    synopsis: "typeset [-aAfFgiIlnrtux] name[=value] ... or typeset -p [-aAfFilnrtux] [name ...]",
    help: "Set variable values and attributes.",
    options: OPTIONS,
    act: Act::Machine(|ctx| declare(ctx, false)),
};

pub(super) static LOCAL: Builtin = Builtin {
    name: "local",
    special: false,
    synopsis: "local [option] name[=value] ...",
    help: "Define local variables.",
    options: OPTIONS,
    act: Act::Machine(|ctx| declare(ctx, true)),
};

pub(super) static EXPORT: Builtin = Builtin {
    name: "export",
    special: true,
    synopsis: "export [-fn] [name[=value] ...] or export -p",
    help: "Set export attribute for shell variables.",
    options: &[
        flag(b'f', "the names are those of functions"),
        flag(b'n', "no longer export them"),
        flag(b'p', "show what is exported"),
    ],
    act: Act::Machine(export),
};

pub(super) static READONLY: Builtin = Builtin {
    name: "readonly",
    special: true,
    synopsis: "readonly [-aAf] [name[=value] ...] or readonly -p",
    help: "Mark shell variables as unchangeable.",
    options: &[
        flag(b'a', "indexed arrays"),
        flag(b'A', "associative arrays"),
        flag(b'f', "the names are those of functions"),
        flag(b'p', "show what can not be changed"),
    ],
    act: Act::Machine(readonly),
};

/// What is asked for each name.
#[derive(Clone, Copy, Debug, Default)]
struct Request {
    on: Attributes,
    off: Attributes,
    /// `-g`
    global: bool,
    /// `-I`
    inherit: bool,
    /// In a function the variables become local.
    local: bool,
    /// `export`, `readonly`: a name without a value stays unset, an existing nameref is followed.
    by_name: bool,
}

/// The attribute of an option letter.
const fn attribute(letter: u8) -> Option<Attributes> {
    Some(match letter {
        b'a' => Attributes::ARRAY,
        b'A' => Attributes::ASSOC,
        b'c' => Attributes::CAPITAL,
        b'i' => Attributes::INTEGER,
        b'l' => Attributes::LOWER,
        b'n' => Attributes::NAMEREF,
        b'r' => Attributes::READONLY,
        b't' => Attributes::TRACE,
        b'u' => Attributes::UPPER,
        b'x' => Attributes::EXPORTED,
        _ => return None,
    })
}

fn request(options: &Options) -> Request {
    let mut request = Request::default();
    for given in options.given() {
        if let Some(attribute) = attribute(given.letter) {
            if given.plus { request.off.insert(attribute) } else { request.on.insert(attribute) }
        }
    }
    // Several changes of case at once cancel each other.
    let case = Attributes(Attributes::LOWER.0 | Attributes::UPPER.0 | Attributes::CAPITAL.0);
    if (request.on.0 & case.0).count_ones() > 1 {
        request.on.remove(case);
        request.off.insert(case);
    }
    request
}

fn declare(ctx: &mut Context<'_, '_>, is_local: bool) -> Result<Flow, BuiltinError> {
    let in_function = ctx.process.shell.variables.scope() > 0;
    if is_local && !in_function {
        return Err(BuiltinError::NotInFunction);
    }
    let options = ctx.options()?;
    let mut request = request(&options);
    request.global = options.has(b'g');
    request.inherit = options.has(b'I');
    request.local = in_function && !request.global;
    let operands = ctx.operands(&options);
    if options.has(b'f') || options.has(b'F') {
        return Ok(function::declare(ctx, &options, request));
    }
    if options.has(b'p') || operands.is_empty() {
        return Ok(print::declare(ctx, &options, request, is_local));
    }
    // A reference to an element leads to whatever its subscript reads, each time that it is used.
    if options.has(b'n') && operands.iter().any(|operand| operand.contains(&b'[')) && !ctx.may_take_long() {
        return Ok(Flow::Wait);
    }
    match operands {
        [dash, rest @ ..] if is_local && dash.as_bytes() == b"-" => {
            save_options(ctx);
            declare_all(ctx, rest, request)
        }
        _ => declare_all(ctx, operands, request),
    }
}

/// `local -`: the function's end puts the options back.
fn save_options(ctx: &mut Context<'_, '_>) {
    let options = ctx.process.shell.state.options;
    for frame in ctx.process.control.frames.iter_mut().rev() {
        if let Frame::Function(frame) = frame {
            frame.options.get_or_insert(options);
            return;
        }
    }
}

/// Texts that have to be read as commands after the builtin: arrays in parentheses that were not literals.
#[derive(Default)]
struct Texts(Vec<u8>);

/// Declares every one of the operands, which are the last arguments.
fn declare_all(ctx: &mut Context<'_, '_>, operands: &[Text], request: Request) -> Result<Flow, BuiltinError> {
    let mut texts = ctx.resumed::<Texts>().unwrap_or_default();
    let prefix = ctx.process.shell.arithmetic.prefix.replace(ctx.builtin.name);
    let mut result = Ok(());
    while let Some((at, operand)) = ctx.next_at(operands) {
        // An operand's number among the arguments is that of its array literal.
        let index = ctx.args.len().saturating_sub(operands.len()).saturating_add(at);
        result = match assign::declare(ctx, index, operand, request, &mut texts.0) {
            Ok(()) => Ok(()),
            Err(error @ BuiltinError::Halt(_)) => Err(error),
            Err(BuiltinError::Reported(status)) => {
                ctx.raise(status);
                Ok(())
            }
            Err(error) => {
                ctx.complain(error);
                Ok(())
            }
        };
        if result.is_err() {
            break;
        }
    }
    ctx.process.shell.arithmetic.prefix = prefix;
    result?;
    match ctx.flow() {
        Flow::Again => {
            ctx.keep(texts);
            Ok(Flow::Again)
        }
        flow if texts.0.is_empty() => Ok(flow),
        _ => {
            let text = Bytes::from(texts.into_inner().0);
            Ok(ctx.process.control.start_text(
                &mut ctx.process.shell,
                ctx.run,
                ctx.invocation,
                &text,
                ScriptKind::Eval,
                None,
            )?)
        }
    }
}

fn export(ctx: &mut Context<'_, '_>) -> Result<Flow, BuiltinError> {
    let options = ctx.options()?;
    let mut request = Request { by_name: true, ..Request::default() };
    if options.has(b'n') {
        request.off = Attributes::EXPORTED;
    } else {
        request.on = Attributes::EXPORTED;
    }
    by_name(ctx, &options, request)
}

fn readonly(ctx: &mut Context<'_, '_>) -> Result<Flow, BuiltinError> {
    let options = ctx.options()?;
    let mut on = Attributes::READONLY;
    if options.has(b'A') {
        on.insert(Attributes::ASSOC);
    } else if options.has(b'a') {
        on.insert(Attributes::ARRAY);
    }
    by_name(ctx, &options, Request { on, by_name: true, ..Request::default() })
}

/// What `export` and `readonly` have in common.
fn by_name(ctx: &mut Context<'_, '_>, options: &Options, request: Request) -> Result<Flow, BuiltinError> {
    let operands = ctx.operands(options);
    if !operands.is_empty() {
        if options.has(b'f') {
            return Ok(function::mark(ctx, operands, request));
        }
        return declare_all(ctx, operands, request);
    }
    let shown = if request.on.0 == 0 { Attributes::EXPORTED } else { request.on };
    if options.has(b'f') {
        function::print_marked(ctx, shown);
    } else {
        let word = print::posix_word(ctx);
        print::all(ctx, shown, word);
    }
    Ok(Flow::Status(0))
}
