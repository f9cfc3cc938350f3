//! `cp`: copies files and trees. POSIX XCU cp, GNU coreutils cp(1). The work is in `file/copy.rs`.

mod parents;

use super::file::backup::{BackupOpt, Backups, are_asked_for};
use super::file::copy::{Copier, CopyOptions, FollowLinks, Overwrite, Preserved};
use super::file::destination::{Placement, destinations, strip_slashes, target_directory};
use super::format::keyword::keyword;
use crate::memory::Vec;
use crate::utility::prelude::*;

options! {
    enum Opt {
        Archive = flag('a', "archive", "same as -dR --preserve=all"),
        AttributesOnly = flag('\0', "attributes-only", "don't copy the file data, just the attributes"),
        Backups(BackupOpt),
        CopyContents = flag('\0', "copy-contents", "copy contents of special files when recursive"),
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
            "preserve attributes: mode, ownership, timestamps, links, xattr, all",
        ),
        NoPreserve = value('\0', "no-preserve", "ATTR_LIST", "don't preserve the specified attributes"),
        Parents = flag('\0', "parents", "use full source file name under DIRECTORY"),
        Recursive = flag('r', "recursive", "copy directories recursively") | flag('R', "", "same as -r"),
        RemoveDestination = flag(
            '\0',
            "remove-destination",
            "remove each existing destination file before attempting to open it",
        ),
        Reflink = optional('\0', "reflink", "WHEN", "share the file's bytes: auto, always, never"),
        Sparse = value('\0', "sparse", "WHEN", "control creation of sparse files: auto, always, never"),
        StripTrailingSlashes = flag(
            '\0',
            "strip-trailing-slashes",
            "remove any trailing slashes from each SOURCE argument",
        ),
        Suffix = value('S', "suffix", "SUFFIX", "override the usual backup suffix; implies -b"),
        SymbolicLink = flag('s', "symbolic-link", "make symbolic links instead of copying"),
        TargetDirectory = value(
            't',
            "target-directory",
            "DIRECTORY",
            "copy all SOURCE arguments into DIRECTORY",
        ),
        NoTargetDirectory = flag('T', "no-target-directory", "treat DEST as a normal file"),
        Update = flag('u', "update", "copy only when the SOURCE file is newer than the destination file"),
        Verbose = flag('v', "verbose", "explain what is being done"),
        OneFileSystem = flag('x', "one-file-system", "stay on this file system"),
        SecurityContext = flag('Z', "", "set SELinux security context of destination file to default type"),
        Context = optional('\0', "context", "CTX", "like -Z, or set the SELinux security context to CTX"),
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
    let mut copier = Copier::new(copy_options(ctx, &options)?);
    let mut operands = options.operands.clone();
    let placement = Placement {
        directory: target_directory(&options, Opt::TargetDirectory)?,
        whole: options.has(Opt::NoTargetDirectory),
        parents: options.has(Opt::Parents),
    };
    // The real program leaves a single source alone whose copy has another name.
    let renames = placement.directory.is_none()
        && !operands.last().is_some_and(|last| ctx.stat(last).is_ok_and(|last| last.is_directory()));
    if options.has(Opt::StripTrailingSlashes) && !renames {
        strip_slashes(&mut operands);
    }
    let pairs = destinations(ctx, &operands, placement)?;
    copier.several = pairs.len() > 1;
    for (source, mut destination) in pairs {
        ctx.tick().await?;
        let made = if options.has(Opt::Parents) {
            match parents::make(ctx, &mut copier, &source, &destination).await? {
                Some(made) => made,
                None => continue,
            }
        } else {
            Vec::new()
        };
        let backups = copier.options.backups.clone();
        if let Some(name) = own_backup(ctx, &copier, &source, &destination)? {
            destination = name;
            copier.options.backups = None;
        }
        copier.operand(ctx, &source, &destination).await?;
        copier.options.backups = backups;
        parents::finish(ctx, &mut copier, &made)?;
    }
    Ok(copier.status)
}

/// `cp -f -b file file` copies the file to its backup's name.
fn own_backup(
    ctx: &Context,
    copier: &Copier,
    source: &[u8],
    destination: &[u8],
) -> Result<Option<Vec<u8>>, UtilityError> {
    let Some(backups) = &copier.options.backups else { return Ok(None) };
    let is_own = copier.options.force && source == destination;
    if !is_own || !ctx.stat(source).is_ok_and(|metadata| metadata.is_regular()) {
        return Ok(None);
    }
    match backups.name(ctx, destination) {
        Ok(name) => Ok(Some(name)),
        Err(error) => Err(UtilityError::operand(destination, error)),
    }
}

fn copy_options(ctx: &mut Context, options: &Options<Opt>) -> Result<CopyOptions, UtilityError> {
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
        None if recursive && !options.has(Opt::Link) => FollowLinks::Never,
        None => FollowLinks::Always,
    };
    let (hard_link, symbolic_link) = (options.has(Opt::Link), options.has(Opt::SymbolicLink));
    let preserved = preserved(options)?;
    let overwrite = match options.last_of([Opt::Interactive, Opt::NoClobber]) {
        Some(Opt::Interactive) => Overwrite::Ask,
        Some(_) => Overwrite::Never,
        None => Overwrite::Always,
    };
    let is_shared = is_always_shared(options)?;
    if let Some(Some(_)) =
        options.given().filter(|(option, _)| *option == Opt::Context).map(|(_, value)| value).last()
    {
        ctx.warn("warning: ignoring --context; it requires an SELinux-enabled kernel");
    }
    if hard_link && symbolic_link {
        return Err(UtilityError::Usage("cannot make both hard and symbolic links".into()));
    }
    if are_asked_for(options, Opt::Suffix) && overwrite == Overwrite::Never {
        return Err(UtilityError::Usage("options --backup and --no-clobber are mutually exclusive".into()));
    }
    if let Some(false) = is_shared {
        return Err(UtilityError::Usage("--reflink can be used only with --sparse=auto".into()));
    }
    Ok(CopyOptions {
        recursive,
        follow,
        preserved,
        force: options.has(Opt::Force),
        removes_first: options.has(Opt::RemoveDestination)
            || (options.has(Opt::Force) && (hard_link || symbolic_link)),
        overwrite,
        update: options.has(Opt::Update),
        verbose: options.has(Opt::Verbose),
        hard_link,
        symbolic_link,
        backups: Backups::of(ctx, options, Opt::Suffix)?,
        attributes_only: options.has(Opt::AttributesOnly),
        one_file_system: options.has(Opt::OneFileSystem),
        as_regular: !recursive || options.has(Opt::CopyContents),
        ..CopyOptions::default()
    })
}

/// What `--reflink` and `--sparse` ask for together: files always share their bytes here until one of them is written, and
/// none has holes, so nothing is left to be done. `Some(false)`: they contradict each other.
fn is_always_shared(options: &Options<Opt>) -> Result<Option<bool>, UtilityError> {
    let (mut always, mut auto) = (false, true);
    for (option, word) in options.given() {
        let word = word.map(Text::as_bytes);
        if option == Opt::Reflink {
            let rows = [(&["auto"][..], false), (&["always"], true), (&["never"], false)];
            always = word.map_or(Ok(true), |word| keyword("--reflink", &rows, word))?;
        } else if option == Opt::Sparse {
            let rows = [(&["never"][..], false), (&["auto"], true), (&["always"], false)];
            auto = keyword("--sparse", &rows, word.unwrap_or_default())?;
        }
    }
    Ok(always.then_some(auto))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Attribute {
    Mode,
    Times,
    Owner,
    Links,
    Context,
    Extended,
    All,
}

fn preserved(options: &Options<Opt>) -> Result<Preserved, UtilityError> {
    let rows: [(&[&str], Attribute); 7] = [
        (&["mode"], Attribute::Mode),
        (&["timestamps"], Attribute::Times),
        (&["ownership"], Attribute::Owner),
        (&["links"], Attribute::Links),
        (&["context"], Attribute::Context),
        (&["xattr"], Attribute::Extended),
        (&["all"], Attribute::All),
    ];
    let mut preserved = Preserved::default();
    let mut context = false;
    let mut set = |attribute: Attribute, on: bool| {
        let is = |one: Attribute| attribute == one || attribute == Attribute::All;
        if is(Attribute::Mode) {
            (preserved.mode, preserved.fresh_mode) = (on, !on);
        }
        if is(Attribute::Times) {
            preserved.times = on;
        }
        if is(Attribute::Owner) {
            preserved.owner = on;
        }
        if is(Attribute::Links) {
            preserved.links = on;
        }
        // Files have no extended attributes here.
        if attribute == Attribute::Context {
            context = on;
        }
    };
    for (option, list) in options.given() {
        let list = list.map(Text::as_bytes);
        match (option, list) {
            (Opt::Archive, _) => set(Attribute::All, true),
            (Opt::KeepLinks, _) => set(Attribute::Links, true),
            (Opt::PreserveDefault, _) | (Opt::Preserve, None) => {
                for attribute in [Attribute::Mode, Attribute::Owner, Attribute::Times] {
                    set(attribute, true);
                }
            }
            (Opt::Preserve | Opt::NoPreserve, Some(list)) => {
                let name = if option == Opt::Preserve { "--preserve" } else { "--no-preserve" };
                for word in list.split(|&byte| byte == b',') {
                    set(keyword(name, &rows, word)?, option == Opt::Preserve);
                }
            }
            _ => {}
        }
    }
    if context {
        let message = "cannot preserve security context without an SELinux-enabled kernel";
        return Err(UtilityError::failed(message));
    }
    Ok(preserved)
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
