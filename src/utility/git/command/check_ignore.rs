//! `git check-ignore`: which paths are ignored, and why.

use super::prelude::*;
use crate::memory::format;
use crate::utility::git::unquoting::listed_names;

options! {
    enum Opt {
        Quiet = flag('q', "quiet", "suppress progress reporting"),
        Verbose = flag('v', "verbose", "be verbose"),
        Stdin = flag('\0', "stdin", "read file names from stdin"),
        Nul = flag('z', "", "terminate input and output records by a NUL character"),
        NonMatching = flag('n', "non-matching", "show non-matching input paths"),
        NoIndex = flag('\0', "no-index", "ignore index when checking"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "check-ignore",
    usage: "git check-ignore [<options>] <pathname>...\ngit check-ignore [<options>] --stdin",
    options: Opt::TABLE,
    needs: Needs::WorkTree,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    let quiet = arguments.has(Opt::Quiet);
    let mut paths = arguments.operands.clone();
    if arguments.has(Opt::Nul) && !arguments.has(Opt::Stdin) {
        return Err(fatal!("-z only makes sense with --stdin"));
    }
    if arguments.has(Opt::NonMatching) && !arguments.has(Opt::Verbose) {
        return Err(fatal!("--non-matching is only valid with --verbose"));
    }
    let end = if arguments.has(Opt::Nul) { 0 } else { b'\n' };
    if arguments.has(Opt::Stdin) {
        if !paths.is_empty() {
            return Err(fatal!("cannot specify pathnames with --stdin"));
        }
        let bytes = git.ctx.standard_input().read_to_end().await?;
        paths.extend(listed_names(&bytes, arguments.has(Opt::Nul)));
    } else if paths.is_empty() {
        return Err(fatal!("no path specified"));
    }
    if quiet && arguments.has(Opt::Verbose) {
        return Err(fatal!("cannot have both --quiet and --verbose"));
    }
    if quiet && paths.len() != 1 && !arguments.has(Opt::Stdin) {
        return Err(fatal!("--quiet is only valid with a single pathname"));
    }
    let index = git.read_index().await?;
    let mut status = 1;
    for path in &paths {
        git.ctx.tick().await?;
        let relative = git.relative(path)?;
        let is_tracked = arguments.truth(Opt::NoIndex) != Some(true)
            && (index.get(&relative).is_some() || !index.folder(&relative).is_empty());
        let is_folder = path.ends_with(b"/")
            || git.work_metadata(&relative)?.is_some_and(|metadata| metadata.is_directory());
        let decided = if is_tracked || relative.is_empty() {
            None
        } else {
            git.deciding_pattern(&relative, is_folder).await?
        };
        let shown = match &decided {
            Some((_, pattern)) => arguments.has(Opt::Verbose) || !pattern.is_negated,
            None => false,
        };
        if shown {
            status = 0;
        }
        if quiet || !(shown || (arguments.has(Opt::Verbose) && arguments.has(Opt::NonMatching))) {
            continue;
        }
        let mut line: Vec<u8> = Vec::new();
        if arguments.has(Opt::Verbose) {
            let (source, number, text) = match &decided {
                Some((list, pattern)) => {
                    (list.source.clone(), format!("{}", pattern.line), pattern.text.clone())
                }
                None => (Text::EMPTY, String::new(), Text::EMPTY),
            };
            let between: [&[u8]; 2] = if end == 0 { [b"\0", b"\0"] } else { [b":", b"\t"] };
            let [colon, tab] = between;
            line.extend_from_slice(
                &[&source[..], colon, number.as_bytes(), colon, &text, tab].concat_metered(),
            );
        }
        line.extend_from_slice(&if end == 0 { path.to_metered() } else { git.quoted(path) });
        line.push(end);
        git.print(&line).await?;
    }
    Ok(status)
}
