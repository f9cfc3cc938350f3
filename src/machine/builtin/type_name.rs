//! `type`. Bash manual 4.2.

use super::context::Context;
use super::describe::{self, CommandSearch, Meaning};
use super::error::BuiltinError;
use super::options::flag;
use super::row::{Act, Builtin, Flow};

pub(super) static TYPE: Builtin = Builtin {
    name: "type",
    special: false,
    synopsis: "type [-afptP] name [name ...]",
    help: "Display information about command type.",
    options: &[
        flag(b'a', "show every meaning of a name, not the first only"),
        flag(b'f', "do not look for functions"),
        flag(b'p', "show the path of the file that would be run"),
        flag(b't', "show the kind of command in a word"),
        flag(b'P', "look for files only, and show their paths"),
    ],
    act: Act::Machine(type_),
};

fn type_(ctx: &mut Context<'_, '_>) -> Result<Flow, BuiltinError> {
    let options = ctx.options()?;
    let search = CommandSearch {
        all: options.has(b'a'),
        no_functions: options.has(b'f'),
        files_only: options.has(b'P'),
        default_path: false,
    };
    let shape = options.last_of(b"tpP");
    let names = ctx.operands(&options);
    while let Some(name) = ctx.next(names) {
        let found = describe::meanings(ctx, name, search);
        match (found.is_empty(), shape) {
            (true, None) => ctx.complain(BuiltinError::NotFound(name.clone())),
            (true, Some(_)) => ctx.raise(1),
            (false, _) => {}
        }
        for meaning in &found {
            match (shape, meaning) {
                (Some(b't'), meaning) => {
                    ctx.out.bytes(meaning.word().as_bytes());
                    ctx.out.bytes(b"\n");
                }
                (Some(_), Meaning::File(_) | Meaning::Hashed(_)) => meaning.reuse(name, ctx.out),
                (Some(_), _) => {}
                (None, meaning) => meaning.describe(name, ctx.out),
            }
        }
    }
    Ok(ctx.flow())
}
