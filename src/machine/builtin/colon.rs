//! `:`, `true`, `false`. Bash manual 4.1.

use super::{Builtin, Flow};

pub(super) static COLON: Builtin = Builtin {
    name: ":",
    special: true,
    synopsis: ":",
    help: "Null command.",
    run: |_, _, _, _| Ok(Flow::Status(0)),
};

pub(super) static TRUE: Builtin = Builtin {
    name: "true",
    special: false,
    synopsis: "true",
    help: "Return a successful result.",
    run: |_, _, _, _| Ok(Flow::Status(0)),
};

pub(super) static FALSE: Builtin = Builtin {
    name: "false",
    special: false,
    synopsis: "false",
    help: "Return an unsuccessful result.",
    run: |_, _, _, _| Ok(Flow::Status(1)),
};
