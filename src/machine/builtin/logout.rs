//! `logout`: there are no login shells here. Bash manual 4.2.

use super::error::BuiltinError;
use super::row::{Act, Builtin};

pub(super) static LOGOUT: Builtin = Builtin {
    name: "logout",
    special: false,
    synopsis: "logout [n]",
    help: "Exit a login shell.",
    options: &[],
    act: Act::Shell(|ctx| {
        ctx.options()?;
        Err(BuiltinError::NotALoginShell)
    }),
};
