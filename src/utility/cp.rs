//! `cp`: copies files and trees. POSIX XCU cp, GNU coreutils cp(1). The work is in `file/copy.rs`.

mod parents;

use super::file::copy::{Copier, FollowLinks, Overwrite};
use super::file::destination::{Placement, destinations};
use super::file::prompt::Prompt;
use super::format::quote::{quote, quote_name};
use crate::memory::{HashMap, HashSet, ToMetered, Vec, format};
use crate::utility::prelude::*;

options! {
    enum Opt {
        Archive = flag('a', "archive", "same as -dR --preserve=all"),
        Backup = flag('b', "", "make a backup of each existing destination file"),
        KeepLinks = flag('d', "", "same as --no-dereference --preserve=links"),
        Force = flag(
            'f',
            "force",
            "if an existing destination file cannot be opened, remove it and try again",
        ),
        Interactive = flag('i', "interactive", "prompt before overwrite (overrides a previous -n option)"),
        DereferenceOperands = flag('H', "", "follow command-line symbolic links in SOURCE"),
        Link = flag('l', "link", "hard link files instead of copying"),
        Dereference = flag('L', "dereference", "always follow symbolic links in SOURCE"),
        NoClobber = flag(
            'n',
            "no-clobber",
            "do not overwrite an existing file (overrides a previous -i option)",
        ),
        NoDereference = flag('P', "no-dereference", "never follow symbolic links in SOURCE"),
        PreserveDefault = flag('p', "", "same as --preserve=mode,ownership,timestamps"),
        Preserve = optional(
            '\0',
            "preserve",
            "ATTR_LIST",
            "preserve attributes: mode, ownership, timestamps, links, all",
        ),
        Parents = flag('\0', "parents", "use full source file name under DIRECTORY"),
        Recursive = flag('r', "recursive", "copy directories recursively") | flag('R', "", "same as -r"),
        RemoveDestination = flag(
            '\0',
            "remove-destination",
            "remove each existing destination file before attempting to open it",
        ),
        SymbolicLink = flag('s', "symbolic-link", "make symbolic links instead of copying"),
        Suffix = value('S', "suffix", "SUFFIX", "override the usual backup suffix; implies -b"),
        TargetDirectory = value(
            't',
            "target-directory",
            "DIRECTORY",
            "copy all SOURCE arguments into DIRECTORY",
        ),
        NoTargetDirectory = flag('T', "no-target-directory", "treat DEST as a normal file"),
        Update = flag('u', "update", "copy only when the SOURCE file is newer than the destination file"),
        Verbose = flag('v', "verbose", "explain what is being done"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "cp",
    summary: "copy SOURCE to DEST, or multiple SOURCE(s) to DIRECTORY",
    usage: "cp [OPTION]... [-T] SOURCE DEST\ncp [OPTION]... SOURCE... DIRECTORY\n\
            cp [OPTION]... -t DIRECTORY SOURCE...",
    options: Opt::TABLE,
    examples: &[example("printf hi > a; cp -v a b; cat b", "'a' -> 'b'\nhi")],
    run: start!(run),
    ..Utility::BASE
};

/// Exit status: 0, or 1 when something could not be copied (the rest still is).
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    let placement = Placement {
        directory: options.value(Opt::TargetDirectory),
        whole: options.has(Opt::NoTargetDirectory),
        parents: options.has(Opt::Parents),
    };
    let pairs = destinations(ctx, &options.operands, placement)?;
    let mut copier = copier(&options)?;
    let remove = options.has(Opt::RemoveDestination);
    let several = pairs.len() > 1;
    let mut names = HashSet::default();
    for (source, destination) in pairs {
        ctx.tick().await?;
        if several && !names.insert(source.clone()) {
            let kind = if ctx.stat(&source).is_ok_and(|metadata| metadata.is_directory()) {
                "directory"
            } else {
                "file"
            };
            ctx.warn(format_args!("warning: source {kind} {} specified more than once", quote_name(&source)));
            continue;
        }
        let made = if options.has(Opt::Parents) {
            match parents::make(ctx, &mut copier, &source, &destination).await? {
                Some(made) => made,
                None => continue,
            }
        } else {
            Vec::new()
        };
        if remove && let Ok(existing) = ctx.lstat(&destination) {
            let same = ctx.stat(&source).is_ok_and(|metadata| metadata.inode == existing.inode);
            if !existing.is_directory() && !same {
                let removed = ctx.fs().remove_file(&ctx.absolute(&destination));
                if let Err(error) = removed {
                    copier.status =
                        ctx.complain(format_args!("cannot remove {}", quote_name(&destination)), error)?;
                    continue;
                }
            }
        }
        copier.operand(ctx, &source, &destination).await?;
        parents::finish(ctx, &mut copier, &made)?;
    }
    Ok(copier.status)
}

fn copier(options: &Options<Opt>) -> Result<Copier, UtilityError> {
    let recursive = options.has_any([Opt::Recursive, Opt::Archive]);
    let follow = match options.last_of([
        Opt::Archive,
        Opt::KeepLinks,
        Opt::DereferenceOperands,
        Opt::Dereference,
        Opt::NoDereference,
    ]) {
        Some(Opt::Archive | Opt::KeepLinks | Opt::NoDereference) => FollowLinks::Never,
        Some(Opt::DereferenceOperands) => FollowLinks::Operands,
        Some(_) => FollowLinks::Always,
        None if recursive => FollowLinks::Never,
        None if options.has(Opt::SymbolicLink) || options.has(Opt::Link) => FollowLinks::Never,
        None => FollowLinks::Always,
    };
    let mut copier = Copier {
        recursive,
        follow,
        preserve_mode: options.has_any([Opt::Archive, Opt::PreserveDefault]),
        preserve_owner: options.has_any([Opt::Archive, Opt::PreserveDefault]),
        preserve_times: options.has_any([Opt::Archive, Opt::PreserveDefault]),
        preserve_links: options.has_any([Opt::Archive, Opt::KeepLinks]),
        force: options.has(Opt::Force),
        overwrite: match options.last_of([Opt::Interactive, Opt::NoClobber]) {
            Some(Opt::Interactive) => Overwrite::Ask,
            Some(_) => Overwrite::Never,
            None => Overwrite::Always,
        },
        update: options.has(Opt::Update),
        verbose: options.has(Opt::Verbose),
        hard_link: options.has(Opt::Link),
        symbolic_link: options.has(Opt::SymbolicLink),
        backup: options.has_any([Opt::Backup, Opt::Suffix]).then(|| {
            options.value(Opt::Suffix).map_or_else(|| b"~".to_metered(), |suffix| suffix.to_metered())
        }),
        prompt: Prompt::default(),
        status: ExitStatus::SUCCESS,
        seen: HashMap::default(),
    };
    for (_, list) in options.given().filter(|(option, _)| *option == Opt::Preserve) {
        let list = list.map_or(&b"mode,ownership,timestamps"[..], |text| text.as_bytes());
        for word in list.split(|&byte| byte == b',') {
            match word {
                b"mode" => copier.preserve_mode = true,
                b"ownership" => copier.preserve_owner = true,
                b"timestamps" => copier.preserve_times = true,
                b"links" => copier.preserve_links = true,
                b"all" => {
                    (copier.preserve_mode, copier.preserve_owner) = (true, true);
                    (copier.preserve_times, copier.preserve_links) = (true, true);
                }
                _ => {
                    return Err(UtilityError::Usage(format!(
                        "invalid argument {} for ‘--preserve’\nValid arguments are:\n  - ‘mode’\n  - ‘timestamps’\n  - \
                         ‘ownership’\n  - ‘links’\n  - ‘context’\n  - ‘xattr’\n  - ‘all’",
                        quote(word)
                    )));
                }
            }
        }
    }
    if copier.hard_link && copier.symbolic_link {
        return Err(UtilityError::Usage("cannot make both hard and symbolic links".into()));
    }
    Ok(copier)
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::Fixture;

    fn fixture() -> Fixture {
        let fixture = Fixture::new(&[("a", "1\n"), ("b", "2\n"), ("t/u/f", "x"), ("d/k", "")]);
        fixture.run("ln", &["-s", "a", "l"], b"");
        fixture
    }

    #[test]
    fn files_trees_and_links() {
        let fixture = fixture();
        let rows: [(&[&str], &str); 8] = [
            (&["-v", "a", "c"], "'a' -> 'c'\n"),
            (&["-rv", "t", "t2"], "'t' -> 't2'\n't/u' -> 't2/u'\n't/u/f' -> 't2/u/f'\n"),
            (&["-rv", "t/.", "new"], "'t/.' -> 'new'\n't/./u' -> 'new/u'\n't/./u/f' -> 'new/u/f'\n"),
            (&["-v", "a", "b", "d"], "'a' -> 'd/a'\n'b' -> 'd/b'\n"),
            (&["-bv", "a", "c"], "'a' -> 'c' (backup: 'c~')\n"),
            (&["--parents", "-v", "t/u/f", "d"], "t -> d/t\nt/u -> d/t/u\n't/u/f' -> 'd/t/u/f'\n"),
            (&["-uv", "a", "b"], ""),
            (&["-av", "l", "l2"], "'l' -> 'l2'\n"),
        ];
        for (args, want) in rows {
            let outcome = fixture.run("cp", args, b"");
            assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), (want, ""), "{args:?}");
        }
        assert_eq!(fixture.run("readlink", &["l2"], b"").stdout, "a\n");
    }

    #[test]
    fn errors() {
        let fixture = fixture();
        let rows: [(&[&str], &str); 13] = [
            (&["t", "z"], "cp: -r not specified; omitting directory 't'\n"),
            (&["-r", "t", "t/u/in"], "cp: cannot copy a directory, 't', into itself, 't/u/in'\n"),
            (&["-r", "t", "t"], "cp: cannot copy a directory, 't', into itself, 't/t'\n"),
            (&["a", "a"], "cp: 'a' and 'a' are the same file\n"),
            (&["l", "a"], "cp: 'l' and 'a' are the same file\n"),
            (&["a", "l"], "cp: 'a' and 'l' are the same file\n"),
            (&["a", "b", "c"], "cp: target 'c': No such file or directory\n"),
            (&["a", "nope/x"], "cp: cannot create regular file 'nope/x': No such file or directory\n"),
            (&["-T", "a", "d"], "cp: cannot overwrite directory 'd' with non-directory\n"),
            (&["-r", "d", "a"], "cp: cannot overwrite non-directory 'a' with directory 'd'\n"),
            (&["nope", "x"], "cp: cannot stat 'nope': No such file or directory\n"),
            (&["a", "q/"], "cp: cannot create regular file 'q/': Not a directory\n"),
            (
                &["a"],
                "cp: missing destination file operand after 'a'\nTry 'cp --help' for more information.\n",
            ),
        ];
        for (args, want) in rows {
            let outcome = fixture.run("cp", args, b"");
            assert_eq!((outcome.stderr.as_str(), outcome.status), (want, 1), "{args:?}");
        }
    }

    #[test]
    fn asks_before_it_overwrites() {
        let fixture = fixture();
        let outcome = fixture.run("cp", &["-i", "a", "b"], b"n\n");
        assert_eq!((outcome.stderr.as_str(), outcome.status), ("cp: overwrite 'b'? ", 0));
        fixture.run("cp", &["-n", "a", "b"], b"");
        assert_eq!(fixture.run("cat", &["b"], b"").stdout, "2\n");
        fixture.run("cp", &["-i", "a", "b"], b"y\n");
        assert_eq!(fixture.run("cat", &["b"], b"").stdout, "1\n");
    }
}
