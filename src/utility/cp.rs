//! `cp`: copies files and trees. POSIX XCU cp, GNU coreutils cp(1). The work is in `copy.rs`.

mod parents;

use super::copy::{Copier, FollowLinks, Overwrite};
use super::destination::destinations;
use super::prompt::Prompt;
use super::quote::{quote, quote_name};
use crate::memory::{HashMap, HashSet, ToMetered, Vec, format};
use crate::utility::prelude::*;

pub(super) const UTILITY: Utility = Utility {
    name: "cp",
    summary: "copy SOURCE to DEST, or multiple SOURCE(s) to DIRECTORY",
    usage: "cp [OPTION]... [-T] SOURCE DEST\ncp [OPTION]... SOURCE... DIRECTORY\n\
            cp [OPTION]... -t DIRECTORY SOURCE...",
    options: &[
        flag('a', "archive", "same as -dR --preserve=all"),
        flag('b', "", "make a backup of each existing destination file"),
        flag('d', "", "same as --no-dereference --preserve=links"),
        flag('f', "force", "if an existing destination file cannot be opened, remove it and try again"),
        flag('i', "interactive", "prompt before overwrite (overrides a previous -n option)"),
        flag('H', "", "follow command-line symbolic links in SOURCE"),
        flag('l', "link", "hard link files instead of copying"),
        flag('L', "dereference", "always follow symbolic links in SOURCE"),
        flag('n', "no-clobber", "do not overwrite an existing file (overrides a previous -i option)"),
        flag('P', "no-dereference", "never follow symbolic links in SOURCE"),
        flag('p', "", "same as --preserve=mode,ownership,timestamps"),
        optional(
            '\0',
            "preserve",
            "ATTR_LIST",
            "preserve attributes: mode, ownership, timestamps, links, all",
        ),
        flag('\0', "parents", "use full source file name under DIRECTORY"),
        flag('r', "recursive", "copy directories recursively"),
        flag('R', "", "same as -r"),
        flag(
            '\0',
            "remove-destination",
            "remove each existing destination file before attempting to open it",
        ),
        flag('s', "symbolic-link", "make symbolic links instead of copying"),
        value('S', "suffix", "SUFFIX", "override the usual backup suffix; implies -b"),
        value('t', "target-directory", "DIRECTORY", "copy all SOURCE arguments into DIRECTORY"),
        flag('T', "no-target-directory", "treat DEST as a normal file"),
        flag('u', "update", "copy only when the SOURCE file is newer than the destination file"),
        flag('v', "verbose", "explain what is being done"),
    ],
    examples: &[example("printf hi > a; cp -v a b; cat b", "'a' -> 'b'\nhi")],
    run: start!(run),
    ..Utility::BASE
};

/// Exit status: 0, or 1 when something could not be copied (the rest still is).
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options(&UTILITY)?;
    let pairs = destinations(ctx, &options)?;
    let mut copier = copier(&options)?;
    let remove = options.has("remove-destination");
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
        let made = if options.has("parents") {
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

fn copier(options: &Options) -> Result<Copier, UtilityError> {
    let any = |names: &[&str]| names.iter().any(|name| options.has(name));
    let recursive = any(&["r", "R", "a"]);
    let follow = match options.last_of(&["a", "d", "H", "L", "P"]) {
        Some("a" | "d" | "P") => FollowLinks::Never,
        Some("H") => FollowLinks::Operands,
        Some(_) => FollowLinks::Always,
        None if recursive => FollowLinks::Never,
        None if options.has("s") || options.has("l") => FollowLinks::Never,
        None => FollowLinks::Always,
    };
    let mut copier = Copier {
        recursive,
        follow,
        preserve_mode: any(&["a", "p"]),
        preserve_owner: any(&["a", "p"]),
        preserve_times: any(&["a", "p"]),
        preserve_links: any(&["a", "d"]),
        force: options.has("f"),
        overwrite: match options.last_of(&["i", "n"]) {
            Some("i") => Overwrite::Ask,
            Some(_) => Overwrite::Never,
            None => Overwrite::Always,
        },
        update: options.has("u"),
        verbose: options.has("v"),
        hard_link: options.has("l"),
        symbolic_link: options.has("s"),
        backup: any(&["b", "S"])
            .then(|| options.value("S").map_or_else(|| b"~".to_metered(), |suffix| suffix.to_metered())),
        prompt: Prompt::default(),
        status: ExitStatus::SUCCESS,
        seen: HashMap::default(),
    };
    for (spec, list) in options.given().filter(|(spec, _)| spec.long == "preserve") {
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
                        "invalid argument {} for ‘--{}’\nValid arguments are:\n  - ‘mode’\n  - ‘timestamps’\n  - \
                         ‘ownership’\n  - ‘links’\n  - ‘context’\n  - ‘xattr’\n  - ‘all’",
                        quote(word),
                        spec.long
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
    use crate::utility::testing::Fixture;

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
