//! `rename`: POSIX XSH rename, with the error numbers of Linux in the order in which Linux checks.

use super::errno::Errno;
use super::errno::Result;
use super::file_system::FileSystem;
use super::inode::Body;
use super::location::Location;
use super::resolve::{Follow, Last, WRITE};
use super::stored::Name;
use super::tree::TreeState;
use crate::trace::Used;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// What a rename moves where.
struct Move {
    from: (Location, Name),
    to: (Location, Name),
    source: Location,
    victim: Option<Location>,
}

impl FileSystem {
    /// Gives a file another name in one step; what had that name before is replaced.
    pub fn rename(&self, from: &[u8], to: &[u8]) -> Result<()> {
        let mut live = self.shared.operate()?;
        self.shared.tell_trace(Used::Write, from);
        self.shared.tell_trace(Used::Write, to);
        let old_foreign = live.state.foreign(from, Follow::Never);
        let new_foreign = live.state.foreign(to, Follow::Never);
        if old_foreign.is_some() || new_foreign.is_some() {
            drop(live);
            return match (old_foreign, new_foreign) {
                (Some(old), Some(new)) if Arc::ptr_eq(&old.foreign, &new.foreign) => old.rename(&new),
                _ => Err(Errno::CrossDevice.into()),
            };
        }
        let Some(plan) = plan(&live.state, from, to)? else { return Ok(()) };
        if live.state.inode(plan.source)?.is_directory() {
            self.shared.moves.fetch_add(1, Relaxed);
        }
        let now = self.shared.now();
        if plan.victim.is_some() {
            let (at, is_gone) = live.state.unlink(plan.to.0, &plan.to.1, now)?;
            if is_gone {
                live.release(at);
            }
        }
        live.state.move_entry(&plan, now)
    }
}

/// Checks a rename. `None` where both names are the same file already.
fn plan(state: &TreeState, from: &[u8], to: &[u8]) -> Result<Option<Move>> {
    let (old, new) = (state.walk(from, Follow::Never)?, state.walk(to, Follow::Never)?);
    if old.parent.tree() != new.parent.tree() {
        return Err(Errno::CrossDevice.into());
    }
    if old.last != Last::Name || new.last != Last::Name {
        return Err(Errno::Busy.into());
    }
    let source = old.existing()?;
    if source.tree() != old.parent.tree() {
        return Err(if source.descriptor().is_some() { Errno::NotPermitted } else { Errno::Busy }.into());
    }
    let is_directory = state.inode(source)?.is_directory();
    if !is_directory && (old.slash || new.slash) {
        return Err(Errno::NotDirectory.into());
    }
    if is_directory && is_in(state, new.parent, source) {
        return Err(Errno::Invalid.into());
    }
    if let Some(victim) = new.target {
        if is_in(state, old.parent, victim) {
            return Err(Errno::NotEmpty.into());
        }
        if victim == source {
            return Ok(None);
        }
        if victim.tree() != new.parent.tree() {
            return Err(if victim.descriptor().is_some() { Errno::NotPermitted } else { Errno::Busy }.into());
        }
    }
    state.check_removal(old.parent, source)?;
    match new.target {
        None => state.check_parent(new.parent)?,
        Some(victim) => {
            state.check_removal(new.parent, victim)?;
            match (is_directory, &state.inode(victim)?.body) {
                (true, Body::Directory(directory)) if directory.len() > 0 => {
                    return Err(Errno::NotEmpty.into());
                }
                (true, Body::Directory(_)) => {}
                (true, _) => return Err(Errno::NotDirectory.into()),
                (false, Body::Directory(_)) => return Err(Errno::IsDirectory.into()),
                (false, _) => {}
            }
            if state.is_mount_point(victim) {
                return Err(Errno::Busy.into());
            }
        }
    }
    if is_directory && old.parent != new.parent {
        // Its `..` changes.
        state.check(state.inode(source)?, WRITE)?;
    }
    if state.is_mount_point(source) {
        return Err(Errno::Busy.into());
    }
    Ok(Some(Move {
        from: (old.parent, Name::from(old.name)),
        to: (new.parent, Name::from(new.name)),
        source,
        victim: new.target,
    }))
}

/// Whether `at` is `ancestor` or below it, in the same tree.
fn is_in(state: &TreeState, at: Location, ancestor: Location) -> bool {
    let mut here = at;
    loop {
        if here == ancestor {
            return true;
        }
        let Ok(directory) = state.inode(here).and_then(|inode| inode.directory()) else { return false };
        if state.is_root(here) {
            return false;
        }
        here = here.sibling(directory.parent);
    }
}

impl TreeState {
    fn move_entry(&mut self, plan: &Move, now: u64) -> Result<()> {
        let Move { from: (from, old), to: (to, new), source, .. } = plan;
        let mut holder = self.inode_mut(*from)?;
        holder.directory_mut()?.remove(old);
        holder.touch(now);
        drop(holder);
        let mut inode = self.inode_mut(*source)?;
        inode.changed = now;
        inode.parents.replace(from.id(), to.id());
        let is_directory = inode.is_directory();
        if let Body::Directory(directory) = &mut inode.body {
            directory.parent = to.id();
            directory.name = new.clone();
        }
        drop(inode);
        let mut holder = self.inode_mut(*to)?;
        holder.directory_mut()?.insert(new.clone(), source.id());
        holder.touch(now);
        if is_directory && from != to {
            holder.links = holder.links.saturating_add(1);
            drop(holder);
            let mut holder = self.inode_mut(*from)?;
            holder.links = holder.links.saturating_sub(1);
        }
        Ok(())
    }
}
