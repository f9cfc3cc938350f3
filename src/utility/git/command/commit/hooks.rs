//! The hooks of a commit (githooks(5)): `pre-commit` sees what will be committed and may change it, `prepare-commit-msg` and
//! `commit-msg` have the message in a file, `post-commit` and `post-rewrite` are told when it is done. A status that is not 0
//! of one of the first three ends the commit in silence with 1.

use super::message::tidied;
use super::{Index, Opt};
use crate::memory::{Arc, format};
use crate::utility::Environment;
use crate::utility::file::join;
use crate::utility::git::command::prelude::*;
use crate::utility::git::error::found;
use crate::utility::git::hook::{Hook, HookInput};
use crate::utility::git::object::commit::Signature;
use crate::utility::git::repository::read_file;

/// The file that the message is in.
const MESSAGE: &[u8] = b"COMMIT_EDITMSG";

/// What `pre-commit` says to what will be committed.
pub(super) enum Verdict {
    /// No hook was asked.
    Unchanged,
    /// It may be committed, as the hook left it.
    Left(Index),
    Refused,
}

/// How the hooks of one commit are run.
pub(super) struct CommitHooks {
    /// `--no-verify` was not given.
    verifies: bool,
    /// Other things are committed than what is in the index: the file in the repository that they are in for the hook.
    other_index: Option<&'static str>,
    /// The index keeps what is not committed.
    pub(super) is_partial: bool,
    /// Who writes the commit, as variables.
    author: Vec<(Text, Text)>,
}

impl CommitHooks {
    pub(super) fn new(git: &Git, arguments: &Arguments<Opt>, author: &[u8]) -> Self {
        let names_paths = !arguments.operands.is_empty();
        let is_partial = (names_paths && !arguments.has(Opt::Include)) || arguments.has(Opt::Only);
        let other_index = if is_partial {
            Some("next-index-1.lock")
        } else {
            (names_paths || arguments.has(Opt::All)).then_some("index.lock")
        };
        let signature = Signature::parse(author);
        let date = author.rsplit(|byte| *byte == b'>').next().unwrap_or_default().trim_ascii();
        let mut variables: Vec<(Text, Text)> = Vec::new();
        variables.push(("GIT_AUTHOR_NAME".into(), Text::from(signature.name)));
        variables.push(("GIT_AUTHOR_EMAIL".into(), Text::from(signature.email)));
        variables.push(("GIT_AUTHOR_DATE".into(), format!("@{}", bstr::BStr::new(date)).into()));
        variables.push(("GIT_EDITOR".into(), ":".into()));
        if git.variable("GIT_INDEX_FILE").is_none() {
            let index = git.shown_to_hooks(&git.repo.git_dir, b"index");
            variables.push(("GIT_INDEX_FILE".into(), index));
        }
        let verifies = arguments.last_of([Opt::NoVerify, Opt::Verify]) != Some(Opt::NoVerify);
        Self { verifies, other_index, is_partial, author: variables }
    }

    fn input(&self, arguments: &[Text]) -> HookInput {
        HookInput { arguments: arguments.into(), variables: self.author.clone(), text: Text::default() }
    }

    /// Lets `pre-commit` look at what will be committed.
    pub(super) async fn before(&self, git: &mut Git, committed: &Index) -> Result<Verdict> {
        let hook = if self.verifies { git.hook("pre-commit")? } else { None };
        let Some(hook) = hook else { return Ok(Verdict::Unchanged) };
        let Some(name) = self.other_index else {
            return Self::verdict(git, hook, self.input(&[])).await;
        };
        let path = join(&git.repo.git_dir, name.as_bytes());
        let before = Arc::clone(&git.ctx.env);
        let mut env = Environment::clone(&before);
        env.set("GIT_INDEX_FILE".into(), Text::from(path.as_slice()));
        git.ctx.env = Arc::new(env);
        let changed = self.on_other_index(git, hook, committed).await;
        git.ctx.env = before;
        found(git.fs().remove_file(&path))?;
        changed
    }

    async fn on_other_index(&self, git: &mut Git, hook: Hook, committed: &Index) -> Result<Verdict> {
        git.write_index(committed).await?;
        let mut input = self.input(&[]);
        input.variables.retain(|variable| &*variable.0 != b"GIT_INDEX_FILE");
        Self::verdict(git, hook, input).await
    }

    async fn verdict(git: &mut Git, hook: Hook, input: HookInput) -> Result<Verdict> {
        match git.run_found_hook(hook, input).await? {
            0 => git.read_index().await.map(Verdict::Left),
            _ => Ok(Verdict::Refused),
        }
    }

    /// Puts the message into its file and lets the hooks change it. `None`: one refuses.
    pub(super) async fn with_message(
        &self,
        git: &mut Git,
        arguments: &Arguments<Opt>,
        text: Vec<u8>,
    ) -> Result<Option<Vec<u8>>> {
        let path = join(&git.repo.git_dir, MESSAGE);
        git.fs().write(&path, &text, 0o644)?;
        let shown = git.shown_to_hooks(&git.repo.git_dir, MESSAGE);
        let mut words: Vec<Text> = Vec::new();
        words.push(shown.clone());
        let reused = arguments.value(Opt::ReuseMessage).or_else(|| arguments.value(Opt::ReeditMessage));
        if arguments.has_any([Opt::Message, Opt::File, Opt::Fixup, Opt::Squash]) {
            words.push("message".into());
        } else if let Some(commit) = reused {
            words.extend(["commit".into(), commit.clone()]);
        } else if arguments.has(Opt::Amend) {
            words.extend(["commit".into(), "HEAD".into()]);
        } else if git.is_merging() {
            words.push("merge".into());
        }
        let prepared = git.run_hook("prepare-commit-msg", self.input(&words)).await?;
        if prepared.is_some_and(|status| status != 0) {
            return Ok(None);
        }
        let verified =
            if self.verifies { git.run_hook("commit-msg", self.input(&[shown])).await? } else { None };
        if verified.is_some_and(|status| status != 0) {
            return Ok(None);
        }
        if prepared.is_none() && verified.is_none() {
            return Ok(Some(text));
        }
        let Some(text) = read_file(git.fs(), &path)? else {
            return Err(fatal!("could not read commit message: No such file or directory"));
        };
        tidied(git, arguments, text).map(Some)
    }

    /// Tells the hooks that a commit was made; `amended`: in the place of that one.
    pub(super) async fn after(
        &self,
        git: &mut Git,
        arguments: &Arguments<Opt>,
        amended: Option<ObjectId>,
        id: ObjectId,
    ) -> Result<()> {
        git.run_hook("post-commit", self.input(&[])).await?;
        if let Some(old) = amended
            && !arguments.has(Opt::NoPostRewrite)
        {
            let mut input = self.input(&["amend".into()]);
            input.text = format!("{old} {id}\n").into();
            git.run_hook("post-rewrite", input).await?;
        }
        Ok(())
    }
}
