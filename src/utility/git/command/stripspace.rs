//! `git stripspace`: a text without needless blanks and, if asked for, comments.

use super::prelude::*;

options! {
    enum Opt {
        StripComments = flag('s', "strip-comments", "skip and remove all lines starting with comment character"),
        CommentLines = flag('c', "comment-lines", "prepend comment character and space to each line"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "stripspace",
    usage: "git stripspace [-s | --strip-comments]\ngit stripspace [-c | --comment-lines]",
    options: Opt::TABLE,
    needs: Needs::Perhaps,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    let text = git.ctx.standard_input().read_to_end().await?;
    if !arguments.has(Opt::CommentLines) {
        let text = super::commit::cleaned(&text, arguments.has(Opt::StripComments));
        git.print(&text).await?;
        return Ok(0);
    }
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let body = line.strip_suffix(b"\n").unwrap_or(line);
        let front: &[u8] = if body.is_empty() || body.starts_with(b"\t") { b"#" } else { b"# " };
        git.print(&[front, body, b"\n"].concat_metered()).await?;
    }
    Ok(0)
}
