//! The walk: every starting point, every file below it, the expression for each.

use super::expression::{Batch, Follow, Instruction, Plan};
use crate::memory::{Arc, Vec};
use crate::text::Text;
use crate::utility::file::last_component;
use crate::utility::file::walk::{self, Walk, read_directory};
use crate::utility::format::quote::quote;
use crate::utility::format::time_format::Zone;
use crate::utility::{Context, ExitStatus, Output, UtilityError};
use crate::vfs::{Errno, FsError, Metadata};

/// A file for which the expression is run.
pub(super) struct Candidate<'f> {
    pub(super) path: &'f [u8],
    /// Length of the starting point in `path`.
    pub(super) start_length: usize,
    pub(super) depth: u64,
    pub(super) metadata: &'f Metadata,
    /// Whether `metadata` is that of a link's target.
    pub(super) followed: bool,
}

impl Candidate<'_> {
    /// The starting point that it was found from.
    pub(super) fn start(&self) -> &[u8] {
        self.path.get(..self.start_length).unwrap_or(self.path)
    }

    /// The path without the starting point.
    pub(super) fn below_start(&self) -> &[u8] {
        let rest = self.path.get(self.start_length..).unwrap_or(&[]);
        rest.strip_prefix(b"/").unwrap_or(rest)
    }
}

/// A search under way.
pub(super) struct FindSearch {
    pub(super) steps: Arc<Vec<Instruction>>,
    pub(super) files: Vec<(Text, Output)>,
    pub(super) batches: Vec<Batch>,
    pub(super) zone: Zone,
    pub(super) status: ExitStatus,
    pub(super) pruned: bool,
    pub(super) quit: bool,
    follow: Follow,
    min_depth: u64,
    max_depth: u64,
    depth_first: bool,
    same_file_system: bool,
}

/// A directory that was entered: it is visited when it is left, with `-depth`; its inode tells loops.
struct Entered {
    metadata: Metadata,
    followed: bool,
}

/// Runs a plan.
pub(super) async fn run(ctx: &mut Context, plan: Plan) -> Result<ExitStatus, UtilityError> {
    let mut search = FindSearch {
        steps: Arc::new(plan.steps),
        files: plan.files,
        batches: plan.batches,
        zone: Zone::of(&ctx.env),
        status: ExitStatus::SUCCESS,
        pruned: false,
        quit: false,
        follow: plan.follow,
        min_depth: plan.min_depth,
        max_depth: plan.max_depth,
        depth_first: plan.depth_first,
        same_file_system: plan.same_file_system,
    };
    for start in &plan.starts {
        search.tree(ctx, start).await?;
        if search.quit {
            break;
        }
    }
    for index in 0..search.batches.len() {
        search.run_batch(ctx, index).await?;
    }
    search.flush(ctx).await?;
    Ok(search.status)
}

impl FindSearch {
    async fn tree(&mut self, ctx: &mut Context, start: &[u8]) -> Result<(), UtilityError> {
        let (metadata, followed) = match self.look(ctx, start, 0) {
            Ok(found) => found,
            Err(error) => return self.failed(ctx, start, error),
        };
        let mut walk = Walk::default();
        let mut entered: Vec<Entered> = Vec::new();
        self.visit_and_enter(ctx, &mut walk, &mut entered, start, start.len(), metadata, followed).await?;
        while !self.quit
            && let Some(step) = walk.next(ctx).await?
        {
            match step {
                walk::WalkStep::Entry { path } => match self.look(ctx, &path, walk.depth() as u64) {
                    Ok((metadata, followed)) => {
                        self.visit_and_enter(
                            ctx,
                            &mut walk,
                            &mut entered,
                            &path,
                            start.len(),
                            metadata,
                            followed,
                        )
                        .await?;
                    }
                    // Somebody removed it since its directory was read.
                    Err(FsError::Errno(Errno::NotFound)) => {}
                    Err(error) => self.failed(ctx, &path, error)?,
                },
                walk::WalkStep::Leave { path } => {
                    if let Some(directory) = entered.pop()
                        && self.depth_first
                    {
                        let depth = walk.depth() as u64;
                        let file = Candidate {
                            path: &path,
                            start_length: start.len(),
                            depth,
                            metadata: &directory.metadata,
                            followed: directory.followed,
                        };
                        self.visit(ctx, &file).await?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Visits a file, and enters it when it is a directory.
    #[allow(clippy::too_many_arguments)]
    async fn visit_and_enter(
        &mut self,
        ctx: &mut Context,
        walk: &mut Walk,
        entered: &mut Vec<Entered>,
        path: &[u8],
        start_length: usize,
        metadata: Metadata,
        followed: bool,
    ) -> Result<(), UtilityError> {
        let depth = walk.depth() as u64;
        let file = Candidate { path, start_length, depth, metadata: &metadata, followed };
        let is_other = entered.first().is_some_and(|start| {
            self.same_file_system && start.metadata.file_system() != metadata.file_system()
        });
        let is_open = metadata.is_directory() && depth < self.max_depth && !is_other;
        if is_open && followed && entered.iter().any(|above| above.metadata.inode == metadata.inode) {
            let above = quote(last_component(path));
            let shown = quote(path);
            let message = "is part of the same file system loop as";
            self.status = ctx.warn(format_args!("File system loop detected; {shown} {message} {above}."));
            return Ok(());
        }
        self.pruned = false;
        if !(self.depth_first && is_open) {
            self.visit(ctx, &file).await?;
        }
        if !is_open || self.quit || (self.pruned && !self.depth_first) {
            return Ok(());
        }
        match read_directory(ctx, path) {
            Ok(entries) => {
                walk.enter_entries(path, entries);
                entered.push(Entered { metadata, followed });
                Ok(())
            }
            // It was deleted by its own visit.
            Err(FsError::Errno(Errno::NotFound)) => Ok(()),
            Err(error) => {
                if self.depth_first {
                    self.visit(ctx, &file).await?;
                }
                self.failed(ctx, path, error)
            }
        }
    }

    /// Metadata, of the target where links are followed and there is one.
    fn look(&self, ctx: &Context, path: &[u8], depth: u64) -> Result<(Metadata, bool), FsError> {
        let own = ctx.lstat(path)?;
        let follow = match self.follow {
            Follow::Never => false,
            Follow::CommandLine => depth == 0,
            Follow::Always => true,
        };
        if !follow || !own.is_symlink() {
            return Ok((own, false));
        }
        match ctx.stat(path) {
            Ok(target) => Ok((target, true)),
            Err(FsError::Errno(Errno::NotFound | Errno::NotDirectory)) => Ok((own, false)),
            Err(error) => Err(error),
        }
    }

    /// Runs the expression for one file.
    async fn visit(&mut self, ctx: &mut Context, file: &Candidate<'_>) -> Result<(), UtilityError> {
        if file.depth < self.min_depth {
            return Ok(());
        }
        let steps = Arc::clone(&self.steps);
        let mut truth = true;
        let mut at = 0;
        while let Some(step) = steps.get(at) {
            ctx.tick().await?;
            at += 1;
            match step {
                Instruction::Test(test) => match test.passes(ctx, file) {
                    Ok(passes) => truth = passes,
                    Err(error) => {
                        self.failed(ctx, file.path, error)?;
                        truth = false;
                    }
                },
                Instruction::Action(_) => {
                    truth = self.act(ctx, at - 1, file).await?;
                    if self.quit {
                        return Ok(());
                    }
                }
                Instruction::Not => truth = !truth,
                Instruction::JumpIfFalse(target) if !truth => at = *target,
                Instruction::JumpIfTrue(target) if truth => at = *target,
                Instruction::JumpIfFalse(_) | Instruction::JumpIfTrue(_) => {}
            }
        }
        Ok(())
    }
}
