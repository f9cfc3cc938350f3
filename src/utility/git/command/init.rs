//! `git init`.

mod shared;
mod template;

use super::prelude::*;
use crate::memory::format;
use crate::utility::file::join;
use crate::utility::git::repository::read_file;
use crate::vfs::path::normalise;
use shared::Shared;

options! {
    enum Opt {
        Template = value('\0', "template", "directory", "directory from which templates will be used"),
        Bare = flag('\0', "bare", "create a bare repository"),
        Shared = optional('\0', "shared", "permissions", "specify that the git repository is to be shared amongst several users"),
        Quiet = flag('q', "quiet", "be quiet"),
        SeparateGitDir = value('\0', "separate-git-dir", "gitdir", "not supported"),
        InitialBranch = value('b', "initial-branch", "name", "override the name of the initial branch"),
        ObjectFormat = value('\0', "object-format", "hash", "specify the hash algorithm to use"),
        RefFormat = value('\0', "ref-format", "format", "specify the reference format to use"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "init",
    usage: "git init [-q | --quiet] [--bare] [-b <branch-name> | --initial-branch=<branch-name>] [<directory>]",
    options: Opt::TABLE,
    needs: Needs::Nothing,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    if arguments.value(Opt::SeparateGitDir).is_some() {
        return Err(fatal!("--separate-git-dir is not supported"));
    }
    for (option, known) in [(Opt::ObjectFormat, &b"sha1"[..]), (Opt::RefFormat, b"files")] {
        if arguments.value(option).is_some_and(|value| **value != *known) {
            let name = option.long();
            return Err(fatal!("--{name} other than '{}' is not supported", bstr::BStr::new(known)));
        }
    }
    let shared = if arguments.has(Opt::Shared) { Shared::read(arguments.value(Opt::Shared))? } else { None };
    let cwd = git.ctx.cwd.clone();
    let folder = match arguments.operands.as_slice() {
        [] => cwd.to_metered(),
        [folder] => normalise(&crate::vfs::path::join(&cwd, folder)),
        _ => return Err(COMMAND.usage_error()),
    };
    let is_bare = arguments.has(Opt::Bare);
    git.fs().create_dir_all(&folder, 0o755)?;
    let folder = git.fs().canonicalize(&folder)?;
    let dir = match git.variable("GIT_DIR").cloned() {
        Some(dir) => normalise(&crate::vfs::path::join(&cwd, &dir)),
        None if is_bare => folder.clone(),
        None => join(&folder, b".git"),
    };
    git.read_config()?;
    let is_new = git.fs().metadata(&join(&dir, b"HEAD")).is_err();
    let branch = match arguments.value(Opt::InitialBranch) {
        Some(name) => name.to_metered(),
        None => git.config.get("init.defaultbranch").unwrap_or(b"master").to_metered(),
    };
    let template = arguments
        .value(Opt::Template)
        .cloned()
        .or_else(|| git.ctx.env.get(b"GIT_TEMPLATE_DIR").cloned())
        .or_else(|| git.config.get("init.templatedir").map(|path| Text::from(git.expand_home(path))));
    match &template {
        Some(template) if template.is_empty() => git.fs().create_dir_all(&dir, 0o755)?,
        Some(template) => {
            git.fs().create_dir_all(&dir, 0o755)?;
            let template = crate::vfs::path::join(&cwd, template);
            template::copy(git, &template, &dir).await?;
        }
        None => {
            for name in ["info", "hooks", "branches"] {
                git.fs().create_dir_all(&join(&dir, name.as_bytes()), 0o755)?;
            }
        }
    }
    for name in ["objects/info", "objects/pack", "refs/heads", "refs/tags"] {
        git.fs().create_dir_all(&join(&dir, name.as_bytes()), 0o755)?;
    }
    if is_new {
        if !crate::utility::git::refs::is_valid_name(&join(b"refs/heads", &branch)) {
            return Err(fatal!("invalid initial branch name: '{}'", bstr::BStr::new(&branch)));
        }
        let bare = if is_bare { "true" } else { "false" };
        let more = if is_bare { "" } else { "\tlogallrefupdates = true\n" };
        let shared = shared.map(|shared| {
            format!("\tsharedrepository = {}\n[receive]\n\tdenyNonFastforwards = true\n", shared.value())
        });
        let shared = shared.unwrap_or_default();
        let core = format!(
            "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = {bare}\n{more}{shared}"
        );
        let mut config = read_file(git.fs(), &join(&dir, b"config"))?.unwrap_or_default();
        config.extend_from_slice(core.as_bytes());
        git.fs().write(&join(&dir, b"config"), &config, 0o644)?;
        git.fs().write(
            &join(&dir, b"HEAD"),
            &[b"ref: refs/heads/", &branch[..], b"\n"].concat_metered(),
            0o644,
        )?;
        if template.is_none() {
            write_default_files(git, &dir)?;
        }
    } else if let Some(shared) = shared {
        git.repo.common_dir.clone_from(&dir);
        git.set_local(b"core.sharedrepository", shared.value().as_bytes())?;
        git.set_local(b"receive.denyNonFastforwards", b"true")?;
    }
    if !is_new && arguments.value(Opt::InitialBranch).is_some() {
        git.say(&format!("warning: re-init: ignored --initial-branch={}", bstr::BStr::new(&branch)));
    }
    if let Some(shared) = shared {
        shared.apply(git, &dir).await?;
    }
    if !arguments.has(Opt::Quiet) {
        let word = if is_new { "Initialized empty" } else { "Reinitialized existing" };
        let kind = if shared.is_some() { " shared" } else { "" };
        git.print(format!("{word}{kind} Git repository in {}/\n", bstr::BStr::new(&dir)).as_bytes()).await?;
    }
    Ok(0)
}

/// The files that every repository has where no template says otherwise.
fn write_default_files(git: &Git, dir: &[u8]) -> Result<()> {
    let description = b"Unnamed repository; edit this file 'description' to name the repository.\n";
    git.fs().write(&join(dir, b"description"), description, 0o644)?;
    git.fs().write(&join(dir, b"info/exclude"), EXCLUDE.as_bytes(), 0o644)?;
    Ok(())
}

const EXCLUDE: &str =
    "# git ls-files --others --exclude-from=.git/info/exclude\n# Lines that start with '#' are comments.\n";
