//! `ln`: makes links. POSIX XCU ln, GNU coreutils ln(1).

use super::file::backup::{BackupOpt, Backups};
use super::file::destination::{require_directory, target_directory};
use super::file::link::is_same_entry;
use super::file::prompt::Prompt;
use super::file::real_path::{Missing, resolve};
use super::file::{join, last_component, parent};
use super::format::quote::quote_if_needed;
use crate::memory::{HashSet, ToMetered, Vec, format, vec};
use crate::utility::prelude::*;
use crate::vfs::Metadata;
use crate::vfs::path::normalise;

options! {
    enum Opt {
        Backups(BackupOpt),
        Directory = flag('d', "directory", "try to hard link directories") | flag('F', "", "same as -d"),
        Force = flag('f', "force", "remove existing destination files"),
        Interactive = flag('i', "interactive", "prompt whether to remove destinations"),
        Logical = flag('L', "logical", "dereference TARGETs that are symbolic links"),
        NoDereference = flag(
            'n',
            "no-dereference",
            "treat LINK_NAME as a normal file if it is a symbolic link to a directory",
        ),
        Physical = flag('P', "physical", "make hard links directly to symbolic links"),
        Relative = flag('r', "relative", "with -s, create links relative to link location"),
        Suffix = value('S', "suffix", "SUFFIX", "override the usual backup suffix; implies -b"),
        Symbolic = flag('s', "symbolic", "make symbolic links instead of hard links"),
        TargetDirectory = value(
            't',
            "target-directory",
            "DIRECTORY",
            "specify the DIRECTORY in which to create the links",
        ),
        NoTargetDirectory = flag('T', "no-target-directory", "treat LINK_NAME as a normal file always"),
        Verbose = flag('v', "verbose", "print name of each linked file"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "ln",
    summary: "make links between files",
    usage: "ln [OPTION]... [-T] TARGET LINK_NAME\nln [OPTION]... TARGET\nln [OPTION]... TARGET... DIRECTORY\n\
            ln [OPTION]... -t DIRECTORY TARGET...",
    options: Opt::TABLE,
    examples: &[example("touch a; ln -s a b; readlink b", "a\n")],
    run: start!(run),
    ..Utility::BASE
};

/// Whether what has a link's name gives way.
enum Answer {
    Yes,
    /// The user says no.
    No,
    /// It cannot.
    Refused,
}

struct Linker {
    symbolic: bool,
    relative: bool,
    follow: bool,
    force: bool,
    verbose: bool,
    interactive: bool,
    /// Hard links to directories are tried.
    directories: bool,
    backups: Option<Backups>,
    /// Of several operands, the hard links that were made, by name and inode.
    made: Option<HashSet<(Vec<u8>, u64)>>,
    prompt: Prompt,
}

/// Exit status: 0, or 1 when a link could not be made (the others still are).
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    if let Some(directory) = target_directory(&options, Opt::TargetDirectory)? {
        require_accessible(ctx, directory)?;
    }
    let last = options.last_of([Opt::Force, Opt::Interactive]);
    let mut linker = Linker {
        symbolic: options.has(Opt::Symbolic),
        relative: options.has(Opt::Relative),
        follow: options.last_of([Opt::Logical, Opt::Physical]) == Some(Opt::Logical),
        force: last == Some(Opt::Force),
        verbose: options.has(Opt::Verbose),
        interactive: last == Some(Opt::Interactive),
        directories: options.has(Opt::Directory),
        backups: Backups::of(ctx, &options, Opt::Suffix)?,
        made: None,
        prompt: Prompt::default(),
    };
    if linker.relative && !linker.symbolic {
        return Err(UtilityError::failed("cannot do --relative without --symbolic"));
    }
    let mut status = ExitStatus::SUCCESS;
    let pairs = pairs(ctx, &options)?;
    if pairs.len() > 1
        && linker.force
        && !linker.symbolic
        && !linker.backups.as_ref().is_some_and(Backups::are_numbered)
    {
        linker.made = Some(HashSet::default());
    }
    for (target, link) in pairs {
        ctx.tick().await?;
        if !linker.link(ctx, &target, &link).await? {
            status = ExitStatus::FAILURE;
        }
    }
    Ok(status)
}

/// Targets with the names of their links.
fn pairs(ctx: &Context, options: &Options<Opt>) -> Result<Vec<(Text, Vec<u8>)>, UtilityError> {
    let operands = &options.operands;
    let whole = options.has(Opt::NoTargetDirectory);
    let directory = target_directory(options, Opt::TargetDirectory)?;
    if operands.is_empty() {
        return Err(UtilityError::Usage("missing file operand".into()));
    }
    if whole {
        if directory.is_some() {
            return Err(UtilityError::failed("cannot combine --target-directory and --no-target-directory"));
        }
        return match operands.as_slice() {
            [target, link] => Ok(vec![(target.clone(), link.to_metered())]),
            [target] => Err(UtilityError::Usage(format!(
                "missing destination file operand after {}",
                quote_name(target)
            ))),
            [_, _, extra, ..] => Err(UtilityError::Usage(format!("extra operand {}", quote_name(extra)))),
            [] => Ok(Vec::new()),
        };
    }
    let into = |directory: &[u8], targets: &[Text]| {
        targets.iter().map(|target| (target.clone(), join(directory, last_component(target)))).collect()
    };
    if let Some(directory) = directory {
        return Ok(into(directory, operands));
    }
    match operands.as_slice() {
        [target] => Ok(into(b".", std::slice::from_ref(target))),
        [target, link] => {
            let is_link =
                options.has(Opt::NoDereference) && ctx.lstat(link).is_ok_and(|own| own.is_symlink());
            if !is_link && ctx.stat(link).is_ok_and(|metadata| metadata.is_directory()) {
                Ok(into(link, std::slice::from_ref(target)))
            } else {
                Ok(vec![(target.clone(), link.to_metered())])
            }
        }
        [targets @ .., directory] => {
            require_directory(ctx, directory, "target")?;
            Ok(into(directory, targets))
        }
        [] => Ok(Vec::new()),
    }
}

/// The directory of `-t` is looked at before all else.
fn require_accessible(ctx: &Context, path: &[u8]) -> Result<(), UtilityError> {
    let name = quote_name(path);
    match ctx.stat(path) {
        Ok(metadata) if metadata.is_directory() => Ok(()),
        Ok(_) => Err(UtilityError::failed(format!("target {name} is not a directory"))),
        Err(error) => Err(UtilityError::operand(format!("failed to access {name}").as_bytes(), error)),
    }
}

impl Linker {
    /// Makes one link; false when that failed, which is reported.
    async fn link(&mut self, ctx: &mut Context, target: &[u8], link: &[u8]) -> Result<bool, UtilityError> {
        let source = if self.symbolic {
            None
        } else {
            let found = if self.follow { ctx.stat(target) } else { ctx.lstat(target) };
            match found {
                Ok(metadata) if metadata.is_directory() && !self.directories => {
                    let shown = quote_if_needed(target);
                    ctx.warn(format_args!("{shown}: hard link not allowed for directory"));
                    return Ok(false);
                }
                Ok(metadata) => Some(metadata),
                Err(error) => {
                    ctx.complain(format_args!("failed to access {}", quote_name(target)), error)?;
                    return Ok(false);
                }
            }
        };
        let mut backup = None;
        let removes = self.force || self.interactive || self.backups.is_some();
        if removes && let Ok(existing) = ctx.lstat(link) {
            match self.may_give_way(ctx, target, link, source.as_ref(), &existing).await? {
                Answer::Yes => {}
                // A link that the user does not want is no failure.
                Answer::No => return Ok(true),
                Answer::Refused => return Ok(false),
            }
            if let Some(backups) = &self.backups {
                match backups.make(ctx, link) {
                    Ok(name) => backup = name,
                    Err(error) => {
                        ctx.complain(format_args!("cannot backup {}", quote_name(link)), error)?;
                        return Ok(false);
                    }
                }
            }
        }
        let text = if self.relative { relative_target(ctx, target, link) } else { target.to_metered() };
        if let Err(error) = self.make(ctx, &text, link) {
            self.failed(ctx, &text, link, error)?;
            if let Some(backup) = backup
                && let Err(error) = ctx.fs().rename(&ctx.absolute(&backup), &ctx.absolute(link))
            {
                ctx.complain(format_args!("cannot un-backup {}", quote_name(link)), error)?;
            }
            return Ok(false);
        }
        if let (Some(made), Some(source)) = (&mut self.made, &source) {
            made.insert((link.to_metered(), source.inode));
        }
        if self.verbose {
            let backup = backup.map(|name| format!("{} ~ ", quote_name(&name))).unwrap_or_default();
            let arrow = if self.symbolic { "->" } else { "=>" };
            let line = format!("{backup}{} {arrow} {}\n", quote_name(link), quote_name(&text));
            ctx.stdout.write(line.as_bytes()).await?;
        }
        Ok(true)
    }

    /// Whether what has the link's name gives way to it; what speaks against that is reported.
    async fn may_give_way(
        &mut self,
        ctx: &mut Context,
        target: &[u8],
        link: &[u8],
        source: Option<&Metadata>,
        existing: &Metadata,
    ) -> Result<Answer, UtilityError> {
        if existing.is_directory() {
            ctx.warn(format_args!("{}: cannot overwrite directory", quote_if_needed(link)));
            return Ok(Answer::Refused);
        }
        let was_made = |made: &HashSet<_>| made.contains(&(link.to_metered(), existing.inode));
        if self.made.as_ref().is_some_and(was_made) {
            let (link, target) = (quote_name(link), quote_name(target));
            ctx.warn(format_args!("will not overwrite just-created {link} with {target}"));
            return Ok(Answer::Refused);
        }
        let found = match source {
            Some(source) => Some(source.clone()),
            None => ctx.stat(target).ok(),
        };
        let checks = self.force || (self.backups.is_some() && !self.symbolic);
        let is_same = |source: Metadata| {
            source.inode == existing.inode && (source.links == 1 || is_same_entry(ctx, target, link))
        };
        if checks && found.is_some_and(is_same) {
            let (target, link) = (quote_name(target), quote_name(link));
            ctx.warn(format_args!("{target} and {link} are the same file"));
            return Ok(Answer::Refused);
        }
        if self.interactive {
            let agrees = self.prompt.ask(ctx, &format!("replace {}?", quote_name(link))).await?;
            return Ok(if agrees { Answer::Yes } else { Answer::No });
        }
        Ok(Answer::Yes)
    }

    fn make(&self, ctx: &Context, text: &[u8], link: &[u8]) -> Result<(), FsError> {
        let path = ctx.path(link)?;
        let fs = ctx.fs();
        let source = if self.symbolic {
            if text.is_empty() {
                return Err(Errno::NotFound.into());
            }
            text.to_metered()
        } else if self.follow {
            fs.canonicalize(&ctx.path(text)?)?
        } else {
            ctx.path(text)?
        };
        let link_at =
            |path: &[u8]| if self.symbolic { fs.symlink(&source, path) } else { fs.hard_link(&source, path) };
        super::file::link::link(ctx, &path, self.force || self.interactive, link_at).map(drop)
    }

    fn failed(
        &self,
        ctx: &mut Context,
        text: &[u8],
        link: &[u8],
        error: FsError,
    ) -> Result<(), UtilityError> {
        let link = quote_name(link);
        let kind = if self.symbolic { "symbolic" } else { "hard" };
        let shown = match error {
            FsError::Errno(Errno::Exists) => link,
            FsError::Errno(_) if self.symbolic && !text.is_empty() => link,
            FsError::Errno(_) if self.symbolic => format!("{link} -> {}", quote_name(text)),
            _ => format!("{link} => {}", quote_name(text)),
        };
        ctx.complain(format_args!("failed to create {kind} link {shown}"), error).map(drop)
    }
}

/// `target` as seen from the directory of `link`.
fn relative_target(ctx: &Context, target: &[u8], link: &[u8]) -> Vec<u8> {
    let real =
        |path: &[u8]| resolve(ctx, path, Missing::Any).unwrap_or_else(|_| normalise(&ctx.absolute(path)));
    super::file::relative_path(&real(parent(link)), &real(target))
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::Fixture;

    #[test]
    fn links_are_made_replaced_and_refused() {
        let fixture = Fixture::new(&[("a", "1"), ("d/e/.keep", "")]);
        assert_eq!(fixture.run("ln", &["-sv", "a", "l"], b"").stdout, "'l' -> 'a'\n");
        assert_eq!(fixture.run("ln", &["-v", "a", "h"], b"").stdout, "'h' => 'a'\n");
        let outcome = fixture.run("ln", &["-s", "a", "l"], b"");
        assert_eq!(outcome.stderr, "ln: failed to create symbolic link 'l': File exists\n");
        assert_eq!(fixture.run("ln", &["-sfv", "b", "l"], b"").stdout, "'l' -> 'b'\n");
        assert_eq!(fixture.run("ln", &["-srv", "a", "d/e/r"], b"").stdout, "'d/e/r' -> '../../a'\n");
        let rows: [(&[&str], &str); 5] = [
            (&["d", "q"], "ln: d: hard link not allowed for directory\n"),
            (&["nope", "q"], "ln: failed to access 'nope': No such file or directory\n"),
            (&["-f", "a", "a"], "ln: 'a' and 'a' are the same file\n"),
            (&["-s", "a", "b", "c"], "ln: target 'c': No such file or directory\n"),
            (&["-s", "", "q"], "ln: failed to create symbolic link 'q' -> '': No such file or directory\n"),
        ];
        for (args, want) in rows {
            let outcome = fixture.run("ln", args, b"");
            assert_eq!((outcome.stderr.as_str(), outcome.status), (want, 1), "{args:?}");
        }
    }
}
