//! `git show-ref`.

use super::prelude::*;
use crate::memory::format;

options! {
    enum Opt {
        Tags = flag('\0', "tags", "only show tags (can be combined with --branches)"),
        Branches = flag('\0', "branches", "only show branches (can be combined with --tags)"),
        Heads = flag('\0', "heads", "only show branches"),
        Exists = flag('\0', "exists", "check for reference existence without resolving"),
        Verify = flag('\0', "verify", "stricter reference checking, requires exact ref path"),
        Head = flag('h', "head", "show the HEAD reference, even if it would be filtered out"),
        Dereference = flag('d', "dereference", "dereference tags into object IDs"),
        Hash = optional('s', "hash", "n", "only show SHA1 hash using <n> digits"),
        Abbrev = optional('\0', "abbrev", "n", "use <n> digits to display object names"),
        Quiet = flag('q', "quiet", "do not print results to stdout (useful with --verify)"),
    }
}

pub(super) static COMMAND: Command = Command {
    name: "show-ref",
    usage: "git show-ref [--head] [-d | --dereference] [-s | --hash[=<n>]] [--abbrev[=<n>]] [--branches] [--tags] [--] \
[<pattern>...]\ngit show-ref --verify [-q | --quiet] [-d | --dereference] [-s | --hash[=<n>]] [--abbrev[=<n>]] [--] \
[<ref>...]\ngit show-ref --exists <ref>",
    options: Opt::TABLE,
    run: command!(run),
    ..Command::BASE
};

async fn run(git: &mut Git) -> Result<u8> {
    let arguments = git.arguments::<Opt>()?;
    if arguments.has(Opt::Exists) && arguments.has(Opt::Verify) {
        return Err(fatal!("options '--verify' and '--exists' cannot be used together"));
    }
    if arguments.has(Opt::Exists) {
        if arguments.operands.is_empty() {
            return Err(fatal!("--exists requires a reference"));
        }
        let [name] = arguments.operands.as_slice() else {
            return Err(fatal!("--exists requires exactly one reference"));
        };
        let name = name.clone();
        if git.read_ref(&name)?.is_none() {
            return Err(GitError::Error("reference does not exist".into(), 2));
        }
        return Ok(0);
    }
    if arguments.has(Opt::Verify) {
        if arguments.operands.is_empty() {
            return Err(fatal!("--verify requires a reference"));
        }
        for name in arguments.operands.clone() {
            let is_full = name.starts_with(b"refs/") || &*name == b"HEAD";
            match git.ref_id(&name)?.filter(|_| is_full) {
                Some(id) => show(git, &arguments, &name, id).await?,
                None if arguments.has(Opt::Quiet) => return Ok(1),
                None => return Err(fatal!("'{name}' - not a valid ref")),
            }
        }
        return Ok(0);
    }
    let mut shown = 0;
    if arguments.has(Opt::Head)
        && let Some(id) = git.head_id()?
    {
        show(git, &arguments, b"HEAD", id).await?;
        shown += 1;
    }
    let (heads, tags) = (arguments.has(Opt::Branches) || arguments.has(Opt::Heads), arguments.has(Opt::Tags));
    for (name, id) in git.refs(b"refs/").await? {
        let is_kind = (!heads && !tags)
            || (heads && name.starts_with(b"refs/heads/"))
            || (tags && name.starts_with(b"refs/tags/"));
        let is_meant = arguments.operands.is_empty()
            || arguments.operands.iter().any(|pattern| {
                name.strip_suffix(&pattern[..]).is_some_and(|front| front.is_empty() || front.ends_with(b"/"))
            });
        if is_kind && is_meant {
            show(git, &arguments, &name, id).await?;
            shown += 1;
        }
    }
    Ok(u8::from(shown == 0))
}

async fn show(git: &mut Git, arguments: &Arguments<Opt>, name: &[u8], id: ObjectId) -> Result<()> {
    if arguments.has(Opt::Quiet) {
        return Ok(());
    }
    let digits = arguments
        .number(Opt::Hash)?
        .or(arguments.number(Opt::Abbrev)?)
        .map(|digits| digits.clamp(4, 40) as usize);
    let abbreviates = arguments.has(Opt::Abbrev) || arguments.value(Opt::Hash).is_some();
    let mut lines = Vec::from([(id, &b""[..])]);
    if arguments.has(Opt::Dereference)
        && let Some(peeled) = git.peel_tags(id).await?
        && peeled != id
    {
        lines.push((peeled, b"^{}"));
    }
    for (id, suffix) in lines {
        let id = if abbreviates { git.abbreviate(&id, digits)? } else { id.hex().into() };
        let line = if arguments.has(Opt::Hash) && suffix.is_empty() {
            format!("{id}\n")
        } else {
            format!("{id} {}{}\n", bstr::BStr::new(name), bstr::BStr::new(suffix))
        };
        git.print(line.as_bytes()).await?;
    }
    Ok(())
}
