//! `:`, `true`, `false`. Bash manual 4.1.

use super::row::{Act, Builtin, Flow};

pub(super) static COLON: Builtin = Builtin {
    name: ":",
    special: true,
    synopsis: ":",
    help: "Null command.",
    options: &[],
    act: Act::Shell(|_| Ok(Flow::Status(0))),
};

pub(super) static TRUE: Builtin = Builtin {
    name: "true",
    special: false,
    synopsis: "true",
    help: "Return a successful result.",
    options: &[],
    act: Act::Shell(|_| Ok(Flow::Status(0))),
};

pub(super) static FALSE: Builtin = Builtin {
    name: "false",
    special: false,
    synopsis: "false",
    help: "Return an unsuccessful result.",
    options: &[],
    act: Act::Shell(|_| Ok(Flow::Status(1))),
};
