//! `mktemp`: makes a file or directory with a new name. GNU coreutils mktemp(1).

use super::file::join;
use super::format::quote::quote;
use crate::memory::{JoinMetered, ToMetered, Vec, format, vec};
use crate::utility::prelude::*;
use crate::vfs::OpenOptions;

options! {
    enum Opt {
        Directory = flag('d', "directory", "create a directory, not a file"),
        DryRun = flag('u', "dry-run", "do not create anything; merely print a name (unsafe)"),
        Quiet = flag('q', "quiet", "suppress diagnostics about file/dir-creation failure"),
        Suffix = value('\0', "suffix", "SUFF", "append SUFF to TEMPLATE; SUFF must not contain a slash"),
        Parent = value('p', "", "DIR", "as --tmpdir, with an argument"),
        Tmpdir = optional(
            '\0',
            "tmpdir",
            "DIR",
            "interpret TEMPLATE relative to DIR, else to $TMPDIR, else to /tmp",
        ),
        UnderTmpdir = flag(
            't',
            "",
            "interpret TEMPLATE as a single file name component, relative to $TMPDIR, -p or /tmp",
        ),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "mktemp",
    summary: "create a temporary file or directory, safely, and print its name",
    usage: "mktemp [OPTION]... [TEMPLATE]",
    options: Opt::TABLE,
    examples: &[example("name=$(mktemp x.XXXX); echo ${#name}", "6\n")],
    run: start!(run),
    ..Utility::BASE
};

/// Tries until every name seems to be taken.
const ATTEMPTS: usize = 1000;
const LETTERS: &[u8; 62] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/// A name with a run of X in it.
struct Template {
    prefix: Vec<u8>,
    count: usize,
    suffix: Vec<u8>,
}

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    if options.operands.len() > 1 {
        return Err(UtilityError::Usage("too many templates".into()));
    }
    let template = template(ctx, &options)?;
    let directory = options.has(Opt::Directory);
    for _ in 0..ATTEMPTS {
        ctx.tick().await?;
        let path = template.fill(ctx);
        match create(ctx, &path, directory, options.has(Opt::DryRun)) {
            Ok(()) => {
                ctx.stdout.write(&path).await?;
                ctx.stdout.write(b"\n").await?;
                return Ok(ExitStatus::SUCCESS);
            }
            Err(FsError::Errno(Errno::Exists)) => {}
            Err(FsError::Errno(_)) if options.has(Opt::Quiet) => return Ok(ExitStatus::FAILURE),
            Err(error) => return failed(ctx, &template, directory, error),
        }
    }
    failed(ctx, &template, directory, Errno::Exists.into())
}

fn failed(
    ctx: &mut Context,
    template: &Template,
    directory: bool,
    error: FsError,
) -> Result<ExitStatus, UtilityError> {
    let kind = if directory { "directory" } else { "file" };
    let shown = [&template.prefix, vec![b'X'; template.count].as_slice(), &template.suffix].concat_metered();
    ctx.complain(format_args!("failed to create {kind} via template {}", quote(&shown)), error)
}

fn create(ctx: &Context, path: &[u8], directory: bool, dry_run: bool) -> Result<(), FsError> {
    let absolute = ctx.path(path)?;
    if dry_run {
        return match ctx.fs().symlink_metadata(&absolute) {
            Ok(_) => Err(Errno::Exists.into()),
            Err(FsError::Limit(limit)) => Err(limit.into()),
            Err(FsError::Errno(_)) => Ok(()),
        };
    }
    if directory {
        return ctx.fs().create_dir(&absolute, 0o700);
    }
    let how =
        OpenOptions { write: true, create: true, create_new: true, mode: 0o600, ..OpenOptions::default() };
    ctx.fs().open(&absolute, &how).map(drop)
}

impl Template {
    fn fill(&self, ctx: &Context) -> Vec<u8> {
        let mut path = self.prefix.clone();
        for _ in 0..self.count {
            let index = (ctx.session.random.next_u64() % LETTERS.len() as u64) as usize;
            path.extend(LETTERS.get(index));
        }
        path.extend_from_slice(&self.suffix);
        path
    }
}

fn template(ctx: &Context, options: &Options<Opt>) -> Result<Template, UtilityError> {
    let given = options.operands.first();
    let name = given.map_or(&b"tmp.XXXXXXXXXX"[..], |text| text.as_bytes());
    let suffix = options.value(Opt::Suffix);
    let (name, suffix) = if let Some(suffix) = suffix {
        if !name.ends_with(b"X") {
            return Err(UtilityError::failed(format!(
                "with --suffix, template {} must end in X",
                quote(name)
            )));
        }
        (name, suffix.to_metered())
    } else {
        let end = name.iter().rposition(|&byte| byte == b'X').map_or(0, |last| last + 1);
        let (name, suffix) = name.split_at_checked(end).unwrap_or((name, &[]));
        (name, suffix.to_metered())
    };
    if suffix.contains(&b'/') {
        let message = format!("invalid suffix {}, contains directory separator", quote(&suffix));
        return Err(UtilityError::failed(message));
    }
    let count = name.iter().rev().take_while(|&&byte| byte == b'X').count();
    if count < 3 {
        let shown = [name, &suffix].concat_metered();
        return Err(UtilityError::failed(format!("too few X's in template {}", quote(&shown))));
    }
    let prefix = name.get(..name.len() - count).unwrap_or(&[]);
    let prefix = match directory(ctx, options) {
        None => prefix.to_metered(),
        Some(directory) => {
            let shown = given.map_or(&b""[..], |text| text.as_bytes());
            if options.has(Opt::UnderTmpdir) {
                if prefix.contains(&b'/') {
                    let message = "contains directory separator";
                    return Err(UtilityError::failed(format!(
                        "invalid template, {}, {message}",
                        quote(shown)
                    )));
                }
            } else if prefix.starts_with(b"/") {
                let message = "with --tmpdir, it may not be absolute";
                return Err(UtilityError::failed(format!("invalid template, {}; {message}", quote(shown))));
            }
            join(&directory, prefix)
        }
    };
    Ok(Template { prefix, count, suffix })
}

/// The directory that the template is relative to; `None`: the working directory.
fn directory(ctx: &Context, options: &Options<Opt>) -> Option<Vec<u8>> {
    let environment = ctx.env.get(b"TMPDIR").filter(|value| !value.is_empty());
    let last = options.last_of([Opt::Parent, Opt::Tmpdir]).and_then(|name| options.value(name));
    let named = last.filter(|value| !value.is_empty());
    let relative = options.operands.is_empty() || options.has(Opt::Parent) || options.has(Opt::Tmpdir);
    let chosen = if options.has(Opt::UnderTmpdir) {
        environment.or(named)
    } else if relative {
        named.or(environment)
    } else {
        return None;
    };
    Some(chosen.map_or_else(|| b"/tmp".to_metered(), |text| text.to_metered()))
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::Fixture;

    #[test]
    fn names_follow_the_template() {
        let fixture = Fixture::new(&[]);
        let made = fixture.run("mktemp", &["a.XXXX.txt"], b"").stdout;
        assert!(made.starts_with("a.") && made.ends_with(".txt\n") && made.len() == 11, "{made}");
        let made = fixture.run("mktemp", &["-d"], b"").stdout;
        assert!(made.starts_with("/tmp/tmp.") && made.len() == 20, "{made}");
        assert_eq!(fixture.run("stat", &["-c", "%A", made.trim()], b"").stdout, "drwx------\n");
        let made = fixture.run("mktemp", &["-u", "--suffix=.x", "-p", "d", "yXXX"], b"").stdout;
        assert!(made.starts_with("d/y") && made.ends_with(".x\n"), "{made}");
    }

    #[test]
    fn errors() {
        let fixture = Fixture::new(&[]);
        let rows: [(&[&str], &str); 6] = [
            (&["foo"], "mktemp: too few X's in template ‘foo’\n"),
            (&["foo.XXX/x"], "mktemp: invalid suffix ‘/x’, contains directory separator\n"),
            (&["-t", "a/bXXX"], "mktemp: invalid template, ‘a/bXXX’, contains directory separator\n"),
            (&["--suffix=.x", "axx"], "mktemp: with --suffix, template ‘axx’ must end in X\n"),
            (
                &["-p", "/nope"],
                "mktemp: failed to create file via template ‘/nope/tmp.XXXXXXXXXX’: No such file or directory\n",
            ),
            (
                &["--tmpdir", "/x.XXX"],
                "mktemp: invalid template, ‘/x.XXX’; with --tmpdir, it may not be absolute\n",
            ),
        ];
        for (args, want) in rows {
            let outcome = fixture.run("mktemp", args, b"");
            assert_eq!((outcome.stderr.as_str(), outcome.status), (want, 1), "{args:?}");
        }
    }
}
