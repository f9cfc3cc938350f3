//! Whether a source and a destination that exists are one file, and when that matters: a copy must not destroy its source.

use super::super::link::is_same_entry;
use super::{Copier, FollowLinks};
use crate::utility::Context;
use crate::vfs::Metadata;

/// What follows for a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sameness {
    /// The destination may be replaced.
    Differ,
    /// They are one file, and that is as it should be: nothing is to be done.
    Done,
    /// They are one file: an error.
    Same,
}

/// Two files: as they are copied, and the names themselves.
struct Pair<'p> {
    source: &'p [u8],
    target: &'p [u8],
    /// As the copy sees them.
    from: &'p Metadata,
    to: &'p Metadata,
    /// Links not followed.
    own_from: Metadata,
    own_to: Metadata,
}

impl Copier {
    pub(super) fn sameness(
        &self,
        ctx: &Context,
        source: &[u8],
        target: &[u8],
        from: &Metadata,
        to: &Metadata,
    ) -> Sameness {
        let options = &self.options;
        let is_same = from.inode == to.inode;
        if is_same && options.hard_link {
            return Sameness::Done;
        }
        if options.follow == FollowLinks::Never {
            if from.is_symlink() && to.is_symlink() {
                return self.between_links(ctx, source, target, is_same);
            }
            let (own_from, own_to) = (from.clone(), to.clone());
            return self.one_file(ctx, &Pair { source, target, from, to, own_from, own_to });
        }
        if !is_same {
            return Sameness::Differ;
        }
        let (Ok(own_from), Ok(own_to)) = (ctx.lstat(source), ctx.lstat(target)) else {
            return Sameness::Differ;
        };
        if own_from.is_symlink() && own_to.is_symlink() && options.removes_first {
            return Sameness::Differ;
        }
        self.one_file(ctx, &Pair { source, target, from, to, own_from, own_to })
    }

    /// Both are symbolic links that are copied themselves.
    fn between_links(&self, ctx: &Context, source: &[u8], target: &[u8], is_same: bool) -> Sameness {
        if is_same_entry(ctx, source, target) {
            Sameness::Same
        } else if self.options.backups.is_none() && is_same {
            // Two names of one link: renaming would do nothing.
            if self.options.moves { Sameness::Same } else { Sameness::Done }
        } else {
            Sameness::Differ
        }
    }

    fn one_file(&self, ctx: &Context, pair: &Pair<'_>) -> Sameness {
        let options = &self.options;
        let Pair { source, target, from, own_from, own_to, .. } = pair;
        let is_same_link = own_from.inode == own_to.inode;
        let differ_if = |differ: bool| if differ { Sameness::Differ } else { Sameness::Same };
        if options.backups.is_some() {
            if is_same_link {
                return differ_if(!is_same_entry(ctx, source, target));
            }
            // Moved aside, the destination would leave a link that leads nowhere to be read.
            let would_dangle = !options.moves
                && options.follow != FollowLinks::Never
                && own_from.is_symlink()
                && !own_to.is_symlink();
            return differ_if(!would_dangle);
        }
        if options.moves || options.removes_first {
            if own_to.is_symlink() {
                return Sameness::Differ;
            }
            if is_same_link && own_to.links > 1 && !is_same_entry(ctx, source, target) {
                return differ_if(!options.moves);
            }
        }
        if !own_from.is_symlink() && !own_to.is_symlink() {
            if !is_same_link {
                return Sameness::Differ;
            }
            if options.hard_link {
                return Sameness::Done;
            }
        }
        if options.moves && from.is_symlink() && own_to.links > 1 {
            // Of a file with other names, one may give way to a link to another.
            if let Ok(real) = ctx.fs().canonicalize(&ctx.absolute(source)) {
                return differ_if(!is_same_entry(ctx, &real, target));
            }
        }
        if options.symbolic_link && own_to.is_symlink() {
            return Sameness::Differ;
        }
        if options.follow == FollowLinks::Never { self.behind_links(ctx, pair) } else { Sameness::Same }
    }

    /// Links are copied themselves; what they lead to decides.
    fn behind_links(&self, ctx: &Context, pair: &Pair<'_>) -> Sameness {
        let (Ok(from), Ok(to)) = (ctx.stat(pair.source), ctx.stat(pair.target)) else {
            return Sameness::Differ;
        };
        if from.inode != to.inode {
            Sameness::Differ
        } else if !self.options.hard_link {
            Sameness::Same
        } else if pair.to.is_symlink() {
            Sameness::Differ
        } else {
            Sameness::Done
        }
    }
}
