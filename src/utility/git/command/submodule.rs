//! `git submodule`: what needs no network: which submodules there are, and a command in each.

use super::prelude::*;
use crate::memory::{Arc, format};
use crate::utility::git::config::{Config, Scope};
use crate::utility::git::object::tree::SUBMODULE;
use crate::utility::{CommandError, Environment};

options! {
    enum Opt {
        Quiet = flag('q', "quiet", "only print error messages"),
        Cached = flag('\0', "cached", "use the commit stored in the index"),
        Recursive = flag('\0', "recursive", "not supported"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "submodule",
    usage: "git submodule [--quiet] [--cached]\ngit submodule [--quiet] status [--cached] [--] [<path>...]\n\
git submodule [--quiet] foreach <command>",
    options: Opt::TABLE,
    operands_end_options: true,
    needs: Needs::WorkTree,
    run: command!(run),
    ..Command::BASE
};

/// A submodule that the index has.
struct Link {
    path: Text,
    id: ObjectId,
    /// Its name in `.gitmodules`.
    name: Option<Text>,
}

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    let word = arguments.operands.first().cloned().unwrap_or_else(|| Text::from_static(b"status"));
    let rest: Vec<Text> = arguments.operands.iter().skip(1).cloned().collect();
    let recurses = arguments.has(Opt::Recursive) || rest.iter().any(|word| &**word == b"--recursive");
    if recurses && !links(git, &[]).await?.is_empty() {
        return Err(fatal!("submodule --recursive is not supported"));
    }
    match word.as_bytes() {
        b"status" => {
            let paths: Vec<Text> = rest.into_iter().filter(|word| !word.starts_with(b"-")).collect();
            status(git, &paths, arguments.has(Opt::Cached)).await
        }
        b"foreach" => foreach(git, &rest, arguments.has(Opt::Quiet)).await,
        // Without submodules there is nothing to do.
        b"init" | b"update" | b"deinit" | b"sync" | b"summary" | b"absorbgitdirs"
            if links(git, &[]).await?.is_empty() =>
        {
            Ok(0)
        }
        b"add" | b"init" | b"update" | b"deinit" | b"sync" | b"summary" | b"absorbgitdirs" | b"set-url"
        | b"set-branch" => Err(fatal!("'submodule {word}' needs a network, which is not there")),
        _ => Err(COMMAND.usage_error()),
    }
}

async fn links(git: &mut Git, paths: &[Text]) -> Result<Vec<Link>> {
    let spec = git.pathspec(paths)?;
    let file = git.in_work_tree(b".gitmodules");
    let text = crate::utility::git::repository::read_file(git.fs(), &file)?.unwrap_or_default();
    let mut modules = Config::default();
    modules.add_text(&text, Scope::Local, &Text::from_static(b"file:.gitmodules"), &mut |_, _| Ok(()))?;
    let index = git.read_index().await?;
    let mut links = Vec::new();
    for entry in index.entries.iter().filter(|entry| entry.mode == SUBMODULE && spec.matches(&entry.path)) {
        git.ctx.tick().await?;
        let named = modules.entries.iter().find(|known| {
            known.name.starts_with(b"submodule.")
                && known.name.ends_with(b".path")
                && known.value.as_ref() == Some(&entry.path)
        });
        let name = named.and_then(|known| known.name.strip_prefix(b"submodule.")?.strip_suffix(b".path"));
        links.push(Link { path: entry.path.clone(), id: entry.id, name: name.map(Text::from) });
    }
    Ok(links)
}

async fn status(git: &mut Git, paths: &[Text], is_cached: bool) -> Result<u8> {
    for link in links(git, paths).await? {
        let Link { path, id, name } = link;
        if name.is_none() {
            return Err(fatal!("no submodule mapping found in .gitmodules for path '{path}'"));
        }
        let Some(head) = git.submodule_head(&path)? else {
            git.print(format!("-{id} {path}\n").as_bytes()).await?;
            continue;
        };
        let sign = if head == id { ' ' } else { '+' };
        let shown = if is_cached { id } else { head };
        git.print(format!("{sign}{shown} {path}\n").as_bytes()).await?;
    }
    Ok(0)
}

async fn foreach(git: &mut Git, words: &[Text], is_quiet: bool) -> Result<u8> {
    let words = words.strip_prefix(&[Text::from_static(b"--")][..]).unwrap_or(words);
    for link in links(git, &[]).await? {
        let Link { path, id, name } = link;
        let Some(name) = name else {
            return Err(fatal!("No url found for submodule path '{path}' in .gitmodules"));
        };
        if git.submodule_head(&path)?.is_none() {
            continue;
        }
        if !is_quiet {
            git.print(format!("Entering '{path}'\n").as_bytes()).await?;
        }
        git.ctx.stdout.flush().await?;
        let script = words.join_metered(b" ");
        let mut argv: Vec<Text> = Vec::new();
        argv.extend([Text::from_static(b"sh"), Text::from_static(b"-c"), Text::from(script)]);
        let mut request = git.ctx.command(argv);
        let mut env = Environment::clone(&request.environment);
        let top = Text::from(git.work_tree()?);
        for (variable, value) in [
            ("name", name),
            ("sm_path", path.clone()),
            ("displaypath", path.clone()),
            ("sha1", id.hex().into()),
            ("toplevel", top),
        ] {
            env.set(variable.into(), value);
        }
        for place in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
            env.remove(place.as_bytes());
        }
        request.environment = Arc::new(env);
        request.cwd = Text::from(git.in_work_tree(&path));
        match git.ctx.run_command(request).await {
            Ok(status) if status.0 == 0 => {}
            Ok(_) => {
                return Err(fatal!("run_command returned non-zero status for {path}\n."));
            }
            Err(CommandError::Limit(limit)) => return Err(limit.into()),
            Err(error) => return Err(fatal!("cannot run sh: {error}")),
        }
    }
    Ok(0)
}
