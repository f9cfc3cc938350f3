//! `declare`, `typeset`, `local`, `export`, `readonly`: variables and functions with attributes. Bash manual 4.1, 4.2.

mod assign;
mod function;
mod print;

use crate::memory::Vec;
use super::{Builtin, Flow, Invocation, letters};
use crate::machine::frame::Frame;
use crate::machine::process::{Process, Step};
use crate::machine::run::Run;
use crate::machine::variable::Attributes;
use letters::Letters;
use std::task::Context;

const DECLARE_SYNOPSIS: &str =
    "declare [-aAfFgiIlnrtux] [name[=value] ...] or declare -p [-aAfFilnrtux] [name ...]";

pub(super) static DECLARE: Builtin = Builtin {
    name: "declare",
    special: false,
    synopsis: DECLARE_SYNOPSIS,
    help: "Set variable values and attributes.",
    run: declare,
};

pub(super) static TYPESET: Builtin = Builtin {
    name: "typeset",
    special: false,
    synopsis: "typeset [-aAfFgiIlnrtux] name[=value] ... or typeset -p [-aAfFilnrtux] [name ...]",
    help: "Set variable values and attributes.",
    run: declare,
};

pub(super) static LOCAL: Builtin = Builtin {
    name: "local",
    special: false,
    synopsis: "local [option] name[=value] ...",
    help: "Define local variables.",
    run: declare,
};

pub(super) static EXPORT: Builtin = Builtin {
    name: "export",
    special: true,
    synopsis: "export [-fn] [name[=value] ...] or export -p",
    help: "Set export attribute for shell variables.",
    run: export,
};

pub(super) static READONLY: Builtin = Builtin {
    name: "readonly",
    special: true,
    synopsis: "readonly [-aAf] [name[=value] ...] or readonly -p",
    help: "Mark shell variables as unchangeable.",
    run: readonly,
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

fn request(letters: &Letters) -> Request {
    let mut request = Request::default();
    for given in &letters.given {
        if let Some(attribute) = attribute(given.name) {
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

fn declare(process: &mut Process, run: &mut Run, _: &mut Context<'_>, invocation: &mut Invocation) -> Step<Flow> {
    let is_local = invocation.builtin.name == "local";
    let in_function = process.shell.variables.scope() > 0;
    if is_local && !in_function {
        process.report_for(b"local", "can only be used in a function");
        return Ok(Flow::Status(1));
    }
    let letters = match letters::parse(process, invocation, b"+aAcfFgiIlnprtux") {
        Ok(letters) => letters,
        Err(flow) => return Ok(flow),
    };
    let mut request = request(&letters);
    request.global = letters.has(b'g');
    request.inherit = letters.has(b'I');
    request.local = in_function && !request.global;
    let operands = invocation.args.len() > letters.first;
    if letters.has(b'f') || letters.has(b'F') {
        return function::declare(process, run, invocation, &letters, request);
    }
    if letters.has(b'p') || !operands {
        return print::declare(process, run, invocation, &letters, request, is_local);
    }
    if is_local && invocation.args.get(letters.first).is_some_and(|arg| arg.as_bytes() == b"-") {
        save_options(process);
        return rest(process, run, invocation, letters.first + 1, request);
    }
    rest(process, run, invocation, letters.first, request)
}

/// `local -`: the function's end puts the options back.
fn save_options(process: &mut Process) {
    let options = process.shell.state.options;
    for frame in process.frames.iter_mut().rev() {
        if let Frame::Function(frame) = frame {
            frame.options.get_or_insert(options);
            return;
        }
    }
}

/// Declares every operand from `first` on.
fn rest(
    process: &mut Process,
    run: &mut Run,
    invocation: &mut Invocation,
    first: usize,
    request: Request,
) -> Step<Flow> {
    let mut status = 0;
    let mut texts = Vec::new();
    let prefix = process.arithmetic_prefix.replace(invocation.builtin.name);
    for index in first..invocation.args.len() {
        let declared = assign::declare(process, run, invocation, index, request, &mut texts);
        if declared.is_err() {
            process.arithmetic_prefix = prefix;
        }
        if !declared? {
            status = 1;
        }
    }
    process.arithmetic_prefix = prefix;
    if texts.is_empty() { Ok(Flow::Status(status)) } else { assign::run_texts(process, run, invocation, &texts) }
}

fn export(process: &mut Process, run: &mut Run, _: &mut Context<'_>, invocation: &mut Invocation) -> Step<Flow> {
    let letters = match letters::parse(process, invocation, b"fnp") {
        Ok(letters) => letters,
        Err(flow) => return Ok(flow),
    };
    let mut request = Request { by_name: true, ..Request::default() };
    if letters.has(b'n') {
        request.off = Attributes::EXPORTED;
    } else {
        request.on = Attributes::EXPORTED;
    }
    by_name(process, run, invocation, &letters, request)
}

fn readonly(
    process: &mut Process,
    run: &mut Run,
    _: &mut Context<'_>,
    invocation: &mut Invocation,
) -> Step<Flow> {
    let letters = match letters::parse(process, invocation, b"aAfp") {
        Ok(letters) => letters,
        Err(flow) => return Ok(flow),
    };
    let mut on = Attributes::READONLY;
    if letters.has(b'A') {
        on.insert(Attributes::ASSOC);
    } else if letters.has(b'a') {
        on.insert(Attributes::ARRAY);
    }
    by_name(process, run, invocation, &letters, Request { on, by_name: true, ..Request::default() })
}

/// What `export` and `readonly` have in common.
fn by_name(
    process: &mut Process,
    run: &mut Run,
    invocation: &mut Invocation,
    letters: &Letters,
    request: Request,
) -> Step<Flow> {
    if invocation.args.len() > letters.first {
        if letters.has(b'f') {
            return Ok(function::mark(process, run, invocation, letters.first, request));
        }
        return rest(process, run, invocation, letters.first, request);
    }
    let shown = if request.on.0 == 0 { Attributes::EXPORTED } else { request.on };
    if letters.has(b'f') {
        function::print_marked(process, run, shown);
    } else {
        print::all(process, run, shown, print::posix_word(process, invocation));
    }
    Ok(Flow::Status(0))
}
