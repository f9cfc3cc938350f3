//! The guard against changing all files there are: `--preserve-root` of `rm`, `chmod`, `chown` and `chgrp`.

use crate::utility::format::quote::quote_name;
use crate::utility::{Context, ExitStatus};

/// Whether a directory is `/`.
pub(crate) fn is_root(ctx: &Context, path: &[u8]) -> bool {
    let inode = |path: &[u8]| ctx.stat(path).map(|metadata| metadata.inode).ok();
    inode(path).is_some() && inode(path) == inode(b"/")
}

/// Says that nothing was done to `/`, and why; gives status 1.
pub(crate) fn refuse_root(ctx: &mut Context, path: &[u8]) -> ExitStatus {
    let shown = quote_name(path);
    let same = if path == b"/" { "" } else { " (same as '/')" };
    ctx.warn(format_args!("it is dangerous to operate recursively on {shown}{same}"));
    ctx.warn("use --no-preserve-root to override this failsafe")
}
