//! Changing owners and groups, for `chown` and `chgrp`.

use super::join;
use super::walk::{Walk, WalkStep};
use crate::memory::{String, ToDecimal, ToMeteredString, format};
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
        NoDereference = flag('h', "no-dereference", "affect symbolic links instead of any referenced file"),
    }
}

/// An owner and a group; `None`: it stays.
pub(in crate::utility) type Ids = (Option<u32>, Option<u32>);

/// What is changed, and how it is told.
#[derive(Debug, Default)]
pub(in crate::utility) struct Ownership {
    user: Option<u32>,
    group: Option<u32>,
    /// `chgrp`
    pub(in crate::utility) is_group_only: bool,
    follow: bool,
    recursive: bool,
    silent: bool,
    verbose: bool,
    changes: bool,
    status: ExitStatus,
}

impl Ownership {
    pub(in crate::utility) fn of<O: OptionSet + From<OwnershipOpt>>(
        options: &Options<O>,
        recursive: bool,
    ) -> Self {
        Self {
            follow: !options.has(OwnershipOpt::NoDereference),
            recursive,
            silent: options.has(OwnershipOpt::Silent),
            verbose: options.has(OwnershipOpt::Verbose),
            changes: options.has(OwnershipOpt::Changes),
            ..Self::default()
        }
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
            self.user = (!self.is_group_only).then_some(metadata.uid);
            self.group = Some(metadata.gid);
            if operands.is_empty() {
                return Err(missing());
            }
            operands
        } else {
            let (first, files) = operands.split_first().ok_or_else(missing)?;
            if files.is_empty() {
                return Err(UtilityError::Usage(format!("missing operand after {}", quote(first))));
            }
            (self.user, self.group) = parse(ctx, first)?;
            files
        };
        for file in files {
            ctx.tick().await?;
            self.operand(ctx, file).await?;
        }
        Ok(self.status)
    }

    /// Changes an operand, with everything in it first where that was asked for.
    async fn operand(&mut self, ctx: &mut Context, operand: &[u8]) -> Result<(), UtilityError> {
        let follow = self.follow && !self.recursive;
        let metadata = match if follow { ctx.stat(operand) } else { ctx.lstat(operand) } {
            Ok(metadata) => metadata,
            Err(error) => {
                self.failed(ctx, "cannot access", operand, error)?;
                return self.tell_failure(ctx, operand, None).await;
            }
        };
        if !(self.recursive && metadata.is_directory()) {
            return self.change(ctx, operand, &metadata, self.follow).await;
        }
        let mut walk = Walk::default();
        if let Err(error) = walk.enter(ctx, operand) {
            self.failed(ctx, "cannot read directory", operand, error)?;
            return self.change(ctx, operand, &metadata, false).await;
        }
        while let Some(step) = walk.next(ctx).await? {
            let (path, is_left) = match step {
                WalkStep::Entry { path } => (path, false),
                WalkStep::Leave { path } => (join(&path, b""), true),
            };
            match ctx.lstat(&path) {
                Ok(metadata) if metadata.is_directory() && !is_left => {
                    if let Err(error) = walk.enter(ctx, &path) {
                        self.failed(ctx, "cannot read directory", &path, error)?;
                        self.change(ctx, &path, &metadata, false).await?;
                    }
                }
                Ok(metadata) => {
                    self.change(ctx, path.strip_suffix(b"/").unwrap_or(&path), &metadata, false).await?;
                }
                Err(error) => self.failed(ctx, "cannot access", &path, error)?,
            }
        }
        Ok(())
    }

    async fn change(
        &mut self,
        ctx: &mut Context,
        path: &[u8],
        old: &Metadata,
        follow: bool,
    ) -> Result<(), UtilityError> {
        let changed = ctx.fs().set_owner(&ctx.absolute(path), self.user, self.group, follow);
        if let Err(error) = changed {
            let what = if self.user.is_none() && (self.is_group_only || self.group.is_some()) {
                "changing group of"
            } else {
                "changing ownership of"
            };
            self.failed(ctx, what, path, error)?;
            return self.tell_failure(ctx, path, Some(old)).await;
        }
        let differs =
            self.user.is_some_and(|user| user != old.uid) || self.group.is_some_and(|group| group != old.gid);
        if self.verbose || (self.changes && differs) {
            let line = self.describe(ctx, path, old, differs);
            ctx.stdout.write(line.as_bytes()).await?;
        }
        Ok(())
    }

    /// With `-v`: what was not changed.
    async fn tell_failure(
        &self,
        ctx: &mut Context,
        path: &[u8],
        old: Option<&Metadata>,
    ) -> Result<(), UtilityError> {
        if !self.verbose {
            return Ok(());
        }
        let what = if self.is_group_only { "group" } else { "ownership" };
        let name = quote_name(path);
        let line = match (old, self.user, self.group) {
            (_, None, None) => format!("failed to change {what} of {name}\n"),
            (old, user, group) => {
                let new = self.pair(ctx, user, group);
                let from = match old {
                    Some(old) => format!(" from {}", self.pair(ctx, Some(old.uid), group.map(|_| old.gid))),
                    None => String::new(),
                };
                format!("failed to change {what} of {name}{from} to {new}\n")
            }
        };
        ctx.stdout.write(line.as_bytes()).await
    }

    /// Names of an owner and a group, as far as they are to be changed.
    fn pair(&self, ctx: &Context, user: Option<u32>, group: Option<u32>) -> String {
        let user =
            user.map(|id| ctx.user_name(id).map_or_else(|| id.to_decimal(), |name| name.to_metered_string()));
        let group = group
            .map(|id| ctx.group_name(id).map_or_else(|| id.to_decimal(), |name| name.to_metered_string()));
        match (user, group) {
            (_, Some(group)) if self.is_group_only => group,
            (Some(user), Some(group)) => format!("{user}:{group}"),
            (None, Some(group)) => format!(":{group}"),
            (user, None) => user.unwrap_or_default(),
        }
    }

    fn describe(&self, ctx: &Context, path: &[u8], old: &Metadata, differs: bool) -> String {
        let user =
            |id: u32| ctx.user_name(id).map_or_else(|| id.to_decimal(), |name| name.to_metered_string());
        let group =
            |id: u32| ctx.group_name(id).map_or_else(|| id.to_decimal(), |name| name.to_metered_string());
        let pair = |uid: u32, gid: u32| match (self.user, self.group) {
            _ if self.is_group_only => group(gid),
            (_, Some(_)) => format!("{}:{}", user(uid), group(gid)),
            _ => user(uid),
        };
        let what = if self.is_group_only { "group" } else { "ownership" };
        let name = quote_name(path);
        if self.user.is_none() && self.group.is_none() {
            return format!("{what} of {name} retained\n");
        }
        let new = pair(self.user.unwrap_or(old.uid), self.group.unwrap_or(old.gid));
        if differs {
            format!("changed {what} of {name} from {} to {new}\n", pair(old.uid, old.gid))
        } else {
            format!("{what} of {name} retained as {new}\n")
        }
    }

    fn failed(
        &mut self,
        ctx: &mut Context,
        what: &str,
        path: &[u8],
        error: FsError,
    ) -> Result<(), UtilityError> {
        self.status = ExitStatus::FAILURE;
        if !self.silent || matches!(error, FsError::Limit(_)) {
            ctx.complain(format_args!("{what} {}", quote_name(path)), error)?;
        }
        Ok(())
    }
}
