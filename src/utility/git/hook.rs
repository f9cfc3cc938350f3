//! Hooks of the repository (githooks(5)): programs of the session in `core.hooksPath`, or in `hooks` of the repository, that a
//! command runs at its places. What they print goes where errors go.

use super::Git;
use super::error::{Result, found};
use super::object::id::ObjectId;
use crate::io::Description;
use crate::memory::{Arc, JoinMetered, Vec, format};
use crate::text::Text;
use crate::utility::file::join;
use crate::utility::{CommandError, CommandRequest, Environment, ExitStatus};

/// A hook that can be run, as it is called.
#[derive(Debug)]
pub(crate) struct Hook {
    path: Text,
    is_folder: bool,
}

/// What a hook is run with beside its name.
#[derive(Debug, Default)]
pub(crate) struct HookInput {
    pub(crate) arguments: Vec<Text>,
    /// Variables beside those of the command.
    pub(crate) variables: Vec<(Text, Text)>,
    /// Its standard input; nothing else is read there.
    pub(crate) text: Text,
}

impl HookInput {
    /// Nothing but arguments.
    pub(crate) fn of(arguments: impl IntoIterator<Item = Text>) -> Self {
        Self { arguments: arguments.into_iter().collect(), ..Self::default() }
    }
}

impl Git {
    /// Tells `post-checkout` what was checked out before and is now, and whether that is a branch or files. The status of the
    /// command.
    pub(crate) async fn checked_out(
        &mut self,
        old: Option<ObjectId>,
        new: Option<ObjectId>,
        is_branch: bool,
    ) -> Result<u8> {
        let name = |id: Option<ObjectId>| Text::from(id.unwrap_or(ObjectId::ZERO).hex());
        let flag = if is_branch { "1" } else { "0" };
        let status =
            self.run_hook("post-checkout", HookInput::of([name(old), name(new), flag.into()])).await?;
        let status = status.unwrap_or(0);
        Ok(if is_branch { u8::from(status != 0) } else { status })
    }

    /// A path of the repository as commands that run in the topmost folder of the work tree are told of it.
    pub(crate) fn shown_to_hooks(&self, folder: &[u8], name: &[u8]) -> Text {
        let full = join(folder, name);
        let top = self.repo.work_tree.as_deref().unwrap_or_default();
        let inner = full.strip_prefix(top).and_then(|rest| rest.strip_prefix(b"/"));
        Text::from(inner.filter(|rest| rest.starts_with(b".git/")).unwrap_or(&full))
    }

    /// The hook of that name; `None`: there is none that can be run, which is told of a file that is not executable.
    pub(crate) fn hook(&mut self, name: &str) -> Result<Option<Hook>> {
        let path = match self.config.get("core.hookspath") {
            Some(folder) => {
                Text::from([&self.expand_home(folder), &b"/"[..], name.as_bytes()].concat_metered())
            }
            None => self.shown_to_hooks(&self.repo.common_dir, format!("hooks/{name}").as_bytes()),
        };
        let Some(metadata) = found(self.fs().metadata(&crate::vfs::path::join(self.top(), &path)))? else {
            return Ok(None);
        };
        if metadata.mode & 0o111 != 0 {
            return Ok(Some(Hook { path, is_folder: metadata.is_directory() }));
        }
        if self.config.truth("advice.ignoredhook") != Some(false) {
            self.say(&format!(
                "hint: The '{path}' hook was ignored because it's not set as executable.\n\
                 hint: You can disable this warning with `git config advice.ignoredHook false`."
            ));
        }
        Ok(None)
    }

    /// The folder that hooks and aliases run in.
    fn top(&self) -> &[u8] {
        self.repo.work_tree.as_ref().unwrap_or(&self.repo.git_dir)
    }

    /// A request for a command in the topmost folder of the work tree, which is told where git was called.
    pub(crate) fn command_at_top(&self, argv: Vec<Text>) -> CommandRequest {
        let mut request = self.ctx.command(argv);
        let mut env = Environment::clone(&request.environment);
        env.set("GIT_PREFIX".into(), Text::from(self.repo.prefix.as_slice()));
        request.environment = Arc::new(env);
        if let Some(top) = &self.repo.work_tree {
            request.cwd = Text::from(top.as_slice());
        }
        request
    }

    /// Runs a hook, if there is one: its exit status.
    pub(crate) async fn run_hook(&mut self, name: &str, input: HookInput) -> Result<Option<u8>> {
        match self.hook(name)? {
            Some(hook) => self.run_found_hook(hook, input).await.map(Some),
            None => Ok(None),
        }
    }

    /// Runs a hook that was found.
    pub(crate) async fn run_found_hook(&mut self, hook: Hook, input: HookInput) -> Result<u8> {
        let Hook { path, is_folder } = hook;
        if is_folder {
            self.say(&format!("fatal: cannot exec '{path}': Permission denied"));
            return Ok(1);
        }
        let mut argv: Vec<Text> = Vec::new();
        argv.push(path.clone());
        argv.extend(input.arguments);
        let mut request = self.command_at_top(argv);
        let env = Arc::make_mut(&mut request.environment);
        for (name, value) in input.variables {
            env.set(name, value);
        }
        request.stdin =
            Some(if input.text.is_empty() { Description::null() } else { Description::memory(input.text) });
        request.stdout = self.ctx.descriptors.get(2).cloned();
        self.ctx.stdout.flush().await?;
        self.ctx.stderr.flush().await?;
        match self.ctx.run_command(request).await {
            Ok(ExitStatus(status)) => Ok(status),
            Err(CommandError::Limit(limit)) => Err(limit.into()),
            Err(_) => {
                self.say(&format!("fatal: cannot exec '{path}': No such file or directory"));
                Ok(1)
            }
        }
    }
}
