//! `git commit-tree`: a commit of a tree, without an index or a branch.

use super::prelude::*;
use crate::memory::format;
use crate::utility::git::identity::Who;

options! {
    enum Opt {
        Parent = value('p', "", "parent", "id of a parent commit object"),
        Message = value('m', "", "message", "commit message"),
        File = value('F', "", "file", "read commit log message from file"),
        GpgSign = optional('S', "gpg-sign", "key-id", "not supported"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "commit-tree",
    usage: "git commit-tree <tree> [(-p <parent>)...]\ngit commit-tree [(-p <parent>)...] [-S[<keyid>]] [(-m <message>)...] \
[(-F <file>)...] <tree>",
    options: Opt::TABLE,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    if arguments.has(Opt::GpgSign) {
        return Err(fatal!("signatures are not supported"));
    }
    let [name] = arguments.operands.as_slice() else { return Err(fatal!("must give exactly one tree")) };
    let Some(id) = git.resolve(name).await? else { return Err(fatal!("not a valid object name {name}")) };
    let header = git.object_header(&id).await?;
    let tree = match header {
        Some((Kind::Tree, _)) => id,
        Some((Kind::Commit, _)) => git.commit(&id).await?.tree,
        _ => return Err(fatal!("{id} is not a valid 'tree' object")),
    };
    let mut parents: Vec<ObjectId> = Vec::new();
    for name in arguments.values(Opt::Parent).cloned().collect::<Vec<_>>() {
        let Some(parent) = git.resolve_commit(&name).await? else {
            return Err(fatal!("not a valid object name {name}"));
        };
        if parents.contains(&parent) {
            git.say(&format!("error: duplicate parent {parent} ignored"));
        } else {
            parents.push(parent);
        }
    }
    let mut message: Option<Vec<u8>> = None;
    for (option, given) in arguments.in_order() {
        let Some(given) = given else { continue };
        let text = match option {
            Opt::Message => {
                let mut text = given.to_metered();
                if !text.ends_with(b"\n") {
                    text.push(b'\n');
                }
                text
            }
            Opt::File if **given == *b"-" => git.ctx.standard_input().read_to_end().await?,
            Opt::File => match git.read_named(given).await? {
                Some(text) => text,
                None => {
                    return Err(fatal!("could not open '{given}' for reading: No such file or directory"));
                }
            },
            _ => continue,
        };
        let message = message.get_or_insert_with(Vec::new);
        if !message.is_empty() {
            message.push(b'\n');
        }
        message.extend_from_slice(&text);
    }
    let message = match message {
        Some(message) => message,
        None => git.ctx.standard_input().read_to_end().await?,
    };
    let author = git.who(Who::Author)?;
    let id = git.write_commit(tree, &parents, &author, &message).await?;
    git.print(format!("{id}\n").as_bytes()).await?;
    Ok(0)
}
