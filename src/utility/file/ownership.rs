//! Changing owners and groups, for `chown` and `chgrp`.

use super::root::{is_root, refuse_root};
use super::walk::{Walk, WalkStep, comes_back};
use crate::memory::{String, ToDecimal, ToMeteredString, Vec, format};
use crate::text::Text;
use crate::utility::context::options::options;
use crate::utility::format::quote::{quote, quote_name};
use crate::utility::{Context, ExitStatus, OptionSet, Options, UtilityError};
use crate::vfs::{FsError, Metadata};

options! {
    pub(in crate::utility) enum OwnershipOpt {
        Changes = flag('c', "changes", "like verbose but report only when a change is made"),
        Silent = flag('f', "silent", "suppress most error messages") | flag('\0', "quiet", "as -f"),
        Verbose = flag('v', "verbose", "output a diagnostic for every file processed"),
        Dereference = flag('\0', "dereference", "affect the referent of each symbolic link (the default)"),
        NoDereference = flag('h', "no-dereference", "affect symbolic links instead of any referenced file"),
        NoPreserveRoot = flag('\0', "no-preserve-root", "do not treat '/' specially (the default)"),
        PreserveRoot = flag('\0', "preserve-root", "fail to operate recursively on '/'"),
        FollowOperands = flag('H', "", "with -R, traverse operands that are symbolic links to directories"),
        FollowAll = flag('L', "", "with -R, traverse every symbolic link to a directory encountered"),
        FollowNone = flag('P', "", "with -R, do not traverse any symbolic links (default)"),
    }
}

/// An owner and a group, as they are shown and by their numbers; `None`: it stays.
#[derive(Clone, Debug, Default)]
pub(in crate::utility) struct Ids {
    pub(in crate::utility) user: Option<(String, u32)>,
    pub(in crate::utility) group: Option<(String, u32)>,
}

/// Which links a recursive change walks through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Follow {
    #[default]
    Never,
    Operands,
    Always,
}

/// What is changed, and how it is told.
#[derive(Debug, Default)]
pub(in crate::utility) struct Ownership {
    ids: Ids,
    /// Only files of this owner and group are changed.
    from: (Option<u32>, Option<u32>),
    /// `chgrp`
    is_group_only: bool,
    /// What a link leads to is changed.
    dereferences: bool,
    follow: Follow,
    recursive: bool,
    preserves_root: bool,
    silent: bool,
    verbose: bool,
    changes: bool,
    status: ExitStatus,
}

impl Ownership {
    pub(in crate::utility) fn of<O: OptionSet + From<OwnershipOpt>>(
        options: &Options<O>,
        recursive: bool,
        is_group_only: bool,
    ) -> Result<Self, UtilityError> {
        use OwnershipOpt as Opt;
        let follow = match options.last_of([Opt::FollowOperands, Opt::FollowAll, Opt::FollowNone]) {
            Some(Opt::FollowOperands) => Follow::Operands,
            Some(Opt::FollowAll) => Follow::Always,
            _ => Follow::Never,
        };
        let asked = options.last_of([Opt::Dereference, Opt::NoDereference]);
        let walks_no_links = recursive && follow == Follow::Never;
        if walks_no_links && asked == Some(Opt::Dereference) {
            return Err(UtilityError::failed("-R --dereference requires either -H or -L"));
        }
        Ok(Self {
            dereferences: asked != Some(Opt::NoDereference) && !walks_no_links,
            follow: if recursive { follow } else { Follow::Never },
            recursive,
            preserves_root: options.last_of([Opt::PreserveRoot, Opt::NoPreserveRoot])
                == Some(Opt::PreserveRoot),
            silent: options.has(Opt::Silent),
            verbose: options.has(Opt::Verbose),
            changes: options.has(Opt::Changes),
            is_group_only,
            ..Self::default()
        })
    }

    /// Only files that have this owner and group are changed.
    pub(in crate::utility) fn require(&mut self, from: &Ids) {
        let id = |id: &Option<(String, u32)>| id.as_ref().map(|(_, id)| *id);
        self.from = (id(&from.user), id(&from.group));
    }

    /// Changes the operands to the ids of `reference`, or to those that the first operand names, as `parse` reads it.
    pub(in crate::utility) async fn run(
        mut self,
        ctx: &mut Context,
        operands: &[Text],
        reference: Option<&Text>,
        parse: fn(&Context, &[u8]) -> Result<Ids, UtilityError>,
    ) -> Result<ExitStatus, UtilityError> {
        let missing = || UtilityError::Usage("missing operand".into());
        let files = if let Some(reference) = reference {
            let metadata = ctx.stat(reference).map_err(|error| {
                let what = format!("failed to get attributes of {}", quote_name(reference));
                UtilityError::operand(what.as_bytes(), error)
            })?;
            let user = (user_name(ctx, metadata.uid), metadata.uid);
            self.ids.user = (!self.is_group_only).then_some(user);
            self.ids.group = Some((group_name(ctx, metadata.gid), metadata.gid));
            if operands.is_empty() {
                return Err(missing());
            }
            operands
        } else {
            let (first, files) = operands.split_first().ok_or_else(missing)?;
            if files.is_empty() {
                return Err(UtilityError::Usage(format!("missing operand after {}", quote(first))));
            }
            self.ids = parse(ctx, first)?;
            files
        };
        for file in files {
            ctx.tick().await?;
            self.operand(ctx, file).await?;
        }
        Ok(self.status)
    }

    /// Metadata of what is walked: a link's own, unless links are walked through. One that leads nowhere stands for itself.
    fn look(ctx: &Context, path: &[u8], follow: bool) -> Result<Metadata, FsError> {
        match if follow { ctx.stat(path) } else { ctx.lstat(path) } {
            Err(FsError::Errno(_)) if follow => ctx.lstat(path),
            found => found,
        }
    }

    /// Changes an operand, with everything in it first where that was asked for.
    async fn operand(&mut self, ctx: &mut Context, operand: &[u8]) -> Result<(), UtilityError> {
        let mut walk = Walk::default();
        let mut above: Vec<Metadata> = Vec::new();
        self.visit(ctx, &mut walk, &mut above, operand).await?;
        while let Some(step) = walk.next(ctx).await? {
            match step {
                WalkStep::Entry { path } => self.visit(ctx, &mut walk, &mut above, &path).await?,
                WalkStep::Leave { path } => {
                    let Some(metadata) = above.pop() else { continue };
                    self.change(ctx, &path, &metadata).await?;
                }
            }
        }
        Ok(())
    }

    /// Enters a directory, or changes what is none.
    async fn visit(
        &mut self,
        ctx: &mut Context,
        walk: &mut Walk,
        above: &mut Vec<Metadata>,
        path: &[u8],
    ) -> Result<(), UtilityError> {
        let is_operand = above.is_empty();
        let follow = self.follow == Follow::Always || (is_operand && self.follow == Follow::Operands);
        let metadata = match Self::look(ctx, path, follow) {
            Ok(metadata) => metadata,
            Err(error) => {
                self.failed(ctx, "cannot access", path, error)?;
                if self.verbose {
                    let line = self.describe(ctx, path, None, false, true);
                    ctx.stdout.write(line.as_bytes()).await?;
                }
                return Ok(());
            }
        };
        // A link to a directory above it is not walked again.
        let is_cycle = self.follow == Follow::Always
            && metadata.is_directory()
            && comes_back(ctx, above.iter().map(|directory| directory.inode), metadata.inode);
        if !self.recursive || !metadata.is_directory() || is_cycle {
            return self.change(ctx, path, &metadata).await;
        }
        if self.preserves_root && is_root(ctx, path) {
            self.status = refuse_root(ctx, path);
            return Ok(());
        }
        match walk.enter(ctx, path) {
            Ok(()) => above.push(metadata),
            Err(error) => {
                self.failed(ctx, "cannot read directory", path, error)?;
                self.change(ctx, path, &metadata).await?;
            }
        }
        Ok(())
    }

    async fn change(&mut self, ctx: &mut Context, path: &[u8], own: &Metadata) -> Result<(), UtilityError> {
        let behind = if self.dereferences && own.is_symlink() { Some(ctx.stat(path)) } else { None };
        let mut old = own.clone();
        let mut failed = false;
        match behind {
            Some(Ok(metadata)) => old = metadata,
            Some(Err(error)) => {
                self.failed(ctx, "cannot dereference", path, error)?;
                failed = true;
            }
            None => {}
        }
        let differs = |wanted: Option<u32>, id: u32| wanted.is_some_and(|wanted| wanted != id);
        let is_chosen = !failed && !differs(self.from.0, old.uid) && !differs(self.from.1, old.gid);
        let id = |id: &Option<(String, u32)>| id.as_ref().map(|(_, id)| *id);
        let (user, group) = (id(&self.ids.user), id(&self.ids.group));
        if is_chosen {
            let changed = ctx.fs().set_owner(&ctx.absolute(path), user, group, self.dereferences);
            if let Err(error) = changed {
                let what = if user.is_none() && group.is_some() { "group" } else { "ownership" };
                self.failed(ctx, &format!("changing {what} of"), path, error)?;
                failed = true;
            }
        }
        let changes = is_chosen && !failed && (differs(user, old.uid) || differs(group, old.gid));
        if self.verbose || (self.changes && changes) {
            let line = self.describe(ctx, path, Some(&old), changes, failed);
            ctx.stdout.write(line.as_bytes()).await?;
        }
        Ok(())
    }

    fn describe(
        &self,
        ctx: &Context,
        path: &[u8],
        old: Option<&Metadata>,
        changes: bool,
        failed: bool,
    ) -> String {
        let name = quote_name(path);
        let Ids { user, group } = &self.ids;
        if user.is_none() && group.is_none() {
            return if failed {
                format!("failed to change ownership of {name}\n")
            } else {
                format!("ownership of {name} retained\n")
            };
        }
        // `chown` shows a group alone with its colon.
        let shows_user = user.is_some() || !self.is_group_only;
        let pair = |user: String, group: Option<String>| match group {
            Some(group) if shows_user => format!("{user}:{group}"),
            Some(group) => group,
            None => user,
        };
        let what = if shows_user { "ownership" } else { "group" };
        let shown = |id: &Option<(String, u32)>| id.as_ref().map(|(shown, _)| shown.clone());
        let new = pair(shown(user).unwrap_or_default(), shown(group));
        let old =
            old.map(|old| pair(user_name(ctx, old.uid), group.is_some().then(|| group_name(ctx, old.gid))));
        match old {
            Some(old) if failed => format!("failed to change {what} of {name} from {old} to {new}\n"),
            None => format!("failed to change {what} of {name} to {new}\n"),
            Some(old) if changes => format!("changed {what} of {name} from {old} to {new}\n"),
            Some(old) => format!("{what} of {name} retained as {old}\n"),
        }
    }

    fn failed(
        &mut self,
        ctx: &mut Context,
        what: &str,
        path: &[u8],
        error: FsError,
    ) -> Result<(), UtilityError> {
        self.status = ctx.complain_unless(self.silent, format_args!("{what} {}", quote_name(path)), error)?;
        Ok(())
    }
}

fn user_name(ctx: &Context, id: u32) -> String {
    ctx.user_name(id).map_or_else(|| id.to_decimal(), |name| name.to_metered_string())
}

pub(in crate::utility) fn group_name(ctx: &Context, id: u32) -> String {
    ctx.group_name(id).map_or_else(|| id.to_decimal(), |name| name.to_metered_string())
}
