//! `git show`: objects as people read them.

use super::log::{LogOpt, Printer, print_all};
use super::prelude::*;
use crate::utility::git::history::HistoryOpt;
use crate::utility::git::object::commit::Tag;
use crate::utility::git::walk::Item;

pub(super) static COMMAND: Command = Command {
    name: "show",
    usage: "git show [<options>] <object>...",
    options: LogOpt::TABLE,
    style: Style::Revisions,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<LogOpt>()?;
    if arguments.has(HistoryOpt::Graph) {
        return Err(fatal!("options '--no-walk' and '--graph' cannot be used together"));
    }
    if let Some(option) = arguments.first_of([
        HistoryOpt::Follow,
        HistoryOpt::WalkReflogs,
        HistoryOpt::Boundary,
        HistoryOpt::LeftRight,
        HistoryOpt::DoWalk,
    ]) {
        return Err(fatal!("show --{} is not supported", option.long()));
    }
    let mut history = git.history(&arguments.part(), Some("HEAD")).await?;
    let mut printer = Printer::new(git, &arguments, true).await?;
    printer.spec = history.walk.pathspec.clone();
    let is_range = history.walk.included().count() > 0
        && arguments.operands.iter().any(|word| memchr::memmem::find(word, b"..").is_some());
    if is_range {
        print_all(git, &mut history, &mut printer).await?;
        return Ok(0);
    }
    let objects = std::mem::take(&mut history.objects);
    for (name, id) in objects {
        show(git, &mut printer, &name, id).await?;
    }
    Ok(0)
}

async fn show(git: &mut Git, printer: &mut Printer, name: &Text, id: ObjectId) -> Result<()> {
    let mut id = id;
    loop {
        git.ctx.tick().await?;
        let (kind, bytes) = git.object(&id).await?;
        match kind {
            Kind::Blob => {
                git.print(&bytes).await?;
                printer.has_printed = true;
            }
            Kind::Tree => {
                if printer.has_printed {
                    git.print(b"\n").await?;
                }
                printer.has_printed = true;
                git.print(&[b"tree ", &name[..], b"\n\n"].concat_metered()).await?;
                for entry in git.tree(&id).await? {
                    let slash: &[u8] = if entry.is_tree() { b"/" } else { b"" };
                    git.print(&[&entry.name[..], slash, b"\n"].concat_metered()).await?;
                }
            }
            Kind::Tag => {
                printer.tag(git, &bytes).await?;
                let Some(tag) = Tag::parse(&bytes) else { return Err(fatal!("bad object {name}")) };
                id = tag.object;
                continue;
            }
            Kind::Commit => {
                let commit = git.commit(&id).await?;
                let item = Item { id, commit, is_left: false, is_boundary: false };
                printer.commit(git, &item, "", None).await?;
            }
        }
        return Ok(());
    }
}
