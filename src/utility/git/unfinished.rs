//! Operations that were not finished, as the long status tells them: merges, rebases, cherry-picks, reverts, `am` and bisections.

use super::Git;
use super::error::Result;
use super::object::id::ObjectId;
use super::repository::read_file;
use crate::memory::{JoinMetered, String, Vec, format};
use crate::text::Text;
use crate::utility::file::join;

/// Commands of a rebase that are shown on each side.
const SHOWN_COMMANDS: usize = 2;

/// What of the index and the work tree decides about the words.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Condition {
    pub(crate) is_unmerged: bool,
    pub(crate) is_dirty: bool,
}

impl Git {
    fn state_path(&self, name: &[u8]) -> Vec<u8> {
        join(&self.repo.git_dir, name)
    }

    pub(crate) fn has_state(&self, name: &[u8]) -> bool {
        self.fs().metadata(&self.state_path(name)).is_ok()
    }

    /// The first line of a file of the repository.
    fn state_line(&self, name: &[u8]) -> Result<Option<Text>> {
        let text = read_file(self.fs(), &self.state_path(name))?;
        Ok(text.map(|text| Text::from(text.split(|byte| *byte == b'\n').next().unwrap_or(&[]).trim_ascii())))
    }

    /// A branch that a file names; a commit is abbreviated.
    fn state_branch(&mut self, name: &[u8]) -> Result<Option<Text>> {
        let Some(line) = self.state_line(name)?.filter(|line| !line.is_empty()) else { return Ok(None) };
        if let Some(branch) = line.strip_prefix(b"refs/heads/") {
            return Ok(Some(Text::from(branch)));
        }
        if line.starts_with(b"refs/") {
            return Ok(Some(line));
        }
        if let Some(id) = ObjectId::from_hex(&line) {
            return self.abbreviate(&id, None).map(Some);
        }
        Ok(Some(line).filter(|line| **line != *b"detached HEAD"))
    }

    /// Whether a merge is not finished.
    pub(crate) fn is_merging(&self) -> bool {
        self.has_state(b"MERGE_HEAD")
    }

    /// Whether the next commit concludes a merge or a cherry-pick.
    pub(crate) fn is_concluding(&self) -> bool {
        self.is_merging() || self.has_state(b"CHERRY_PICK_HEAD")
    }

    /// The folder of a rebase, and whether it is an interactive one.
    fn rebase(&self) -> Option<(&'static [u8], bool)> {
        if self.has_state(b"rebase-apply") {
            return (!self.has_state(b"rebase-apply/applying")).then_some((&b"rebase-apply"[..], false));
        }
        self.has_state(b"rebase-merge")
            .then(|| (&b"rebase-merge"[..], self.has_state(b"rebase-merge/interactive")))
    }

    /// What the heading says of a detached `HEAD` in a rebase.
    pub(crate) fn rebase_heading(&mut self) -> Result<Option<String>> {
        let Some((folder, is_interactive)) = self.rebase() else { return Ok(None) };
        let onto = self.state_branch(&join(folder, b"onto"))?.unwrap_or_default();
        let kind = if is_interactive { "interactive rebase" } else { "rebase" };
        Ok(Some(format!("{kind} in progress; onto {onto}\n")))
    }

    /// What is going on, as the long status tells it; empty when nothing is.
    pub(crate) async fn unfinished(&mut self, condition: Condition) -> Result<String> {
        let mut out = String::new();
        if self.is_merging() {
            out.push_str(if condition.is_unmerged {
                "You have unmerged paths.\n  (fix conflicts and run \"git commit\")\n  (use \"git merge --abort\" to abort the merge)\n\n"
            } else {
                "All conflicts fixed but you are still merging.\n  (use \"git commit\" to conclude merge)\n\n"
            });
        } else if self.has_state(b"rebase-apply/applying") {
            let patch = read_file(self.fs(), &self.state_path(b"rebase-apply/patch"))?;
            let is_empty = patch.is_some_and(|patch| patch.is_empty());
            out.push_str("You are in the middle of an am session.\n");
            out.push_str(if is_empty {
                "The current patch is empty.\n"
            } else {
                "  (fix conflicts and then run \"git am --continue\")\n"
            });
            out.push_str("  (use \"git am --skip\" to skip this patch)\n");
            if is_empty {
                out.push_str("  (use \"git am --allow-empty\" to record this patch as an empty commit)\n");
            }
            out.push_str("  (use \"git am --abort\" to restore the original branch)\n\n");
        } else if let Some((folder, is_interactive)) = self.rebase() {
            self.tell_rebase(folder, is_interactive, condition, &mut out).await?;
        } else if let Some(id) = self.state_branch(b"CHERRY_PICK_HEAD")? {
            out.push_str(&picking(condition, &format!("cherry-picking commit {id}"), "cherry-pick"));
        } else if let Some(id) = self.state_branch(b"REVERT_HEAD")? {
            out.push_str(&picking(condition, &format!("reverting commit {id}"), "revert"));
        }
        if self.has_state(b"BISECT_LOG") {
            out.push_str("You are currently bisecting");
            if let Some(branch) = self.state_branch(b"BISECT_START")? {
                out.push_str(&format!(", started from branch '{branch}'"));
            }
            out.push_str(".\n  (use \"git bisect reset\" to get back to the original branch)\n\n");
        }
        Ok(out)
    }

    async fn tell_rebase(
        &mut self,
        folder: &[u8],
        is_interactive: bool,
        condition: Condition,
        out: &mut String,
    ) -> Result<()> {
        if is_interactive {
            self.tell_commands(out).await?;
        }
        let branch = self.state_branch(&join(folder, b"head-name"))?;
        let onto = self.state_branch(&join(folder, b"onto"))?.unwrap_or_default();
        let on = branch.map(|branch| format!("branch '{branch}' on '{onto}'"));
        let rebasing = match &on {
            Some(on) => format!("You are currently rebasing {on}.\n"),
            None => "You are currently rebasing.\n".into(),
        };
        if condition.is_unmerged {
            out.push_str(&rebasing);
            out.push_str("  (fix conflicts and then run \"git rebase --continue\")\n");
            out.push_str("  (use \"git rebase --skip\" to skip this patch)\n");
            out.push_str("  (use \"git rebase --abort\" to check out the original branch)\n\n");
            return Ok(());
        }
        if !is_interactive || self.has_state(b"MERGE_MSG") {
            out.push_str(&rebasing);
            out.push_str("  (all conflicts fixed: run \"git rebase --continue\")\n\n");
            return Ok(());
        }
        let is_split = condition.is_dirty && self.is_split()?;
        let doing = if is_split { "splitting" } else { "editing" };
        out.push_str(&match &on {
            Some(on) => format!("You are currently {doing} a commit while rebasing {on}.\n"),
            None => format!("You are currently {doing} a commit during a rebase.\n"),
        });
        out.push_str(if is_split {
            "  (Once your working directory is clean, run \"git rebase --continue\")\n\n"
        } else {
            "  (use \"git commit --amend\" to amend the current commit)\n  \
(use \"git rebase --continue\" once you are satisfied with your changes)\n\n"
        });
        Ok(())
    }

    /// Whether the commit that is edited was taken apart.
    fn is_split(&mut self) -> Result<bool> {
        let (Some(amended), Some(original)) =
            (self.state_line(b"rebase-merge/amend")?, self.state_line(b"rebase-merge/orig-head")?)
        else {
            return Ok(false);
        };
        if amended == original {
            return Ok(self.head_id()? != ObjectId::from_hex(&amended));
        }
        Ok(self.state_line(b"ORIG_HEAD")?.is_some_and(|head| head != original))
    }

    /// The commands of an interactive rebase that are done and those that are to come.
    async fn tell_commands(&mut self, out: &mut String) -> Result<()> {
        let done = self.commands(b"rebase-merge/done").await?;
        let plural = |count: usize| if count == 1 { "" } else { "s" };
        if done.is_empty() {
            out.push_str("No commands done.\n");
        } else {
            let (count, s) = (done.len(), plural(done.len()));
            out.push_str(&format!("Last command{s} done ({count} command{s} done):\n"));
            for line in done.get(count.saturating_sub(SHOWN_COMMANDS)..).unwrap_or(&[]) {
                out.push_str(&format!("   {}\n", bstr::BStr::new(line)));
            }
            if count > SHOWN_COMMANDS {
                let folder = bstr::BStr::new(&self.repo.shown_git_dir);
                out.push_str(&format!("  (see more in file {folder}/rebase-merge/done)\n"));
            }
        }
        let next = self.commands(b"rebase-merge/git-rebase-todo").await?;
        if next.is_empty() {
            out.push_str("No commands remaining.\n");
            return Ok(());
        }
        let (count, s) = (next.len(), plural(next.len()));
        out.push_str(&format!("Next command{s} to do ({count} remaining command{s}):\n"));
        for line in next.iter().take(SHOWN_COMMANDS) {
            out.push_str(&format!("   {}\n", bstr::BStr::new(line)));
        }
        out.push_str("  (use \"git rebase --edit-todo\" to view and edit)\n");
        Ok(())
    }

    async fn commands(&mut self, name: &[u8]) -> Result<Vec<Vec<u8>>> {
        let text = read_file(self.fs(), &self.state_path(name))?.unwrap_or_default();
        let mut commands: Vec<Vec<u8>> = Vec::new();
        for line in text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii) {
            self.ctx.tick().await?;
            if line.is_empty() || line.starts_with(b"#") {
                continue;
            }
            let mut words = line.splitn(3, |byte| *byte == b' ');
            let (command, name, rest) = (words.next().unwrap_or(&[]), words.next(), words.next());
            let id = match (command, name) {
                (b"exec" | b"x" | b"label" | b"l", _) | (_, None) => None,
                (_, Some(name)) => ObjectId::from_hex(name),
            };
            let Some(id) = id else {
                commands.push(Vec::from(line));
                continue;
            };
            let short = self.abbreviate(&id, None)?;
            let mut shown = [command, b" ", &short].concat_metered();
            if let Some(rest) = rest {
                shown.extend_from_slice(&[b" ", rest].concat_metered());
            }
            commands.push(shown);
        }
        Ok(commands)
    }
}

/// A cherry-pick or revert that was not finished.
fn picking(condition: Condition, doing: &str, command: &str) -> String {
    let next = if condition.is_unmerged { "fix conflicts and run" } else { "all conflicts fixed: run" };
    format!(
        "You are currently {doing}.\n  ({next} \"git {command} --continue\")\n  (use \"git {command} --skip\" to skip this \
patch)\n  (use \"git {command} --abort\" to cancel the {command} operation)\n\n"
    )
}
