//! The names of the arguments and of `-T`, exclusions, and `-C`: what counts is their order.

use super::error::{Result, TarError, fatal};
use super::options::Opt;
use super::select::{BACKUPS, Matching, Selector, VERSION_CONTROL};
use super::settings::{Operation, TarOptions, end};
use crate::memory::{String, ToMetered, Vec, format};
use crate::text::Text;
use crate::utility::{Context, Options};

impl TarOptions {
    /// Names, exclusions and how they are compared, in their order.
    pub(super) async fn take_names(&mut self, ctx: &mut Context, options: &Options<Opt>) -> Result<()> {
        let mut excluding = Matching { wildcards: true, anchored: false, ignore_case: false, slash: true };
        let mut including = Matching { wildcards: false, anchored: true, ignore_case: false, slash: true };
        let (mut null, mut verbatim, mut unquotes) = (false, false, true);
        let mut directory: Option<Text> = None;
        let reads = matches!(
            self.operation,
            Operation::Extract | Operation::List | Operation::Diff | Operation::Delete
        );
        // What stands after the last name.
        let mut late: Vec<String> = Vec::new();
        let mut tells_wildcards = true;
        for (option, value) in options.given() {
            let value = value.cloned().unwrap_or_default();
            match option {
                Opt::AddFile | Opt::FilesFrom => late.clear(),
                Opt::Exclude => {
                    late.push(format!("--exclude {}", crate::utility::format::quote::quote(&value)));
                }
                Opt::NoRecursion => late.push("--no-recursion".into()),
                Opt::Wildcards | Opt::NoWildcards => tells_wildcards = false,
                _ => {}
            }
            let mut both = |change: &dyn Fn(&mut Matching)| {
                change(&mut excluding);
                change(&mut including);
            };
            match option {
                Opt::Anchored => both(&|matching| matching.anchored = true),
                Opt::NoAnchored => both(&|matching| matching.anchored = false),
                Opt::IgnoreCase => both(&|matching| matching.ignore_case = true),
                Opt::NoIgnoreCase => both(&|matching| matching.ignore_case = false),
                Opt::Wildcards => both(&|matching| matching.wildcards = true),
                Opt::NoWildcards => both(&|matching| matching.wildcards = false),
                Opt::WildcardsMatchSlash => both(&|matching| matching.slash = true),
                Opt::NoWildcardsMatchSlash => both(&|matching| matching.slash = false),
                Opt::Null => (null, verbatim) = (true, true),
                Opt::NoNull => null = false,
                Opt::Verbatim => verbatim = true,
                Opt::NoVerbatim => verbatim = false,
                Opt::Unquote => unquotes = true,
                Opt::NoUnquote => unquotes = false,
                Opt::Recursion => self.recurses = true,
                Opt::NoRecursion => self.recurses = false,
                Opt::Exclude => self.excludes.push(Selector::new(&value, excluding)),
                Opt::ExcludeBackups => {
                    self.excludes.extend(BACKUPS.iter().map(|name| Selector::new(name, excluding)));
                }
                Opt::ExcludeVcs => {
                    self.excludes.extend(VERSION_CONTROL.iter().map(|name| Selector::new(name, excluding)));
                }
                Opt::ExcludeFrom => {
                    for line in lines(ctx, &value, b'\n').await? {
                        self.excludes.push(Selector::new(&line, excluding));
                    }
                }
                Opt::Directory => {
                    directory = Some(match &directory {
                        Some(before) => Text::from(crate::vfs::path::join(before, &value)),
                        None => Text::from(ctx.absolute(&value)),
                    });
                    Self::enter(ctx, directory.clone(), &value)?;
                }
                Opt::AddFile => {
                    if reads && tells_wildcards && value.iter().any(|byte| matches!(byte, b'*' | b'?' | b'['))
                    {
                        tells_wildcards = false;
                        ctx.warn("Pattern matching characters used in file names");
                        ctx.warn("Use --wildcards to enable pattern matching, or --no-wildcards to suppress this warning");
                    }
                    self.add(&value, including, directory.as_ref());
                }
                Opt::FilesFrom => {
                    let end = if null { 0 } else { b'\n' };
                    for line in lines(ctx, &value, end).await? {
                        if !verbatim && line.starts_with(b"-") {
                            let shown = super::shown::shown_name(&line);
                            return end_files_from(&shown);
                        }
                        let name = if unquotes && !null { unquote(&line) } else { line };
                        self.add(&name, including, directory.as_ref());
                    }
                }
                _ => {}
            }
        }
        self.late_options(ctx, &late, reads);
        // What comes after the last name is where members are extracted to.
        if let Some(directory) = directory
            && self.names.is_empty()
        {
            ctx.cwd = directory;
        }
        Ok(())
    }

    /// Options that only affect what follows them, and that nothing follows.
    fn late_options(&mut self, ctx: &mut Context, late: &[String], reads: bool) {
        if reads || self.names.is_empty() || late.is_empty() {
            return;
        }
        self.has_late_options = true;
        ctx.warn(
            "The following options were used after any non-optional arguments in archive create or update mode.  \
             These options are positional and affect only arguments that follow them.  Please, rearrange them properly.",
        );
        for option in late {
            ctx.warn(format_args!("{option} has no effect"));
        }
    }

    fn add(&mut self, name: &[u8], matching: Matching, directory: Option<&Text>) {
        let mut selector = Selector::new(name, matching);
        selector.directory = directory.cloned();
        selector.recurses = self.recurses;
        selector.excludes = self.excludes.len();
        if selector.is_exact() && !self.exact.contains_key(selector.text()) {
            self.exact.insert(selector.text().to_metered(), self.names.len());
        }
        self.names.push(selector);
    }

    fn enter(ctx: &Context, directory: Option<Text>, shown: &[u8]) -> Result<()> {
        let Some(directory) = directory else { return Ok(()) };
        let errno = match ctx.stat(&directory) {
            Ok(metadata) if metadata.is_directory() => return Ok(()),
            Ok(_) => crate::vfs::Errno::NotDirectory,
            Err(crate::vfs::FsError::Errno(errno)) => errno,
            Err(crate::vfs::FsError::Limit(limit)) => return Err(limit.into()),
        };
        fatal(format!("{}: Cannot open: {}", super::shown::shown_name(shown), errno.message()))
    }
}

fn end_files_from<T>(line: &str) -> Result<T> {
    end(format_args!("an option in a file of -T is not supported: {line}"))
}

/// The lines of a file of names, without empty ones.
async fn lines(ctx: &mut Context, file: &[u8], delimiter: u8) -> Result<Vec<Vec<u8>>> {
    let cannot = |error: crate::vfs::FsError| match error {
        crate::vfs::FsError::Errno(errno) => {
            TarError::Fatal(format!("{}: Cannot open: {}", super::shown::shown_name(file), errno.message()))
        }
        crate::vfs::FsError::Limit(limit) => limit.into(),
    };
    let mut input = ctx.open_input(file).map_err(cannot)?;
    let mut lines = Vec::new();
    loop {
        ctx.tick().await?;
        let Some(line) = input.next_line(delimiter).await.map_err(cannot)? else { return Ok(lines) };
        let line = line.strip_suffix(&[delimiter]).unwrap_or(line);
        if !line.is_empty() {
            lines.push(line.to_metered());
        }
    }
}

/// A name in which C's escapes are what they stand for.
fn unquote(name: &[u8]) -> Vec<u8> {
    let mut out: Vec<u8> = Vec::new();
    let mut rest = name;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let Some((&letter, tail)) = rest.split_first() else {
            out.push(b'\\');
            break;
        };
        rest = tail;
        let plain = match letter {
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 11,
            b'?' => 127,
            b'\\' => b'\\',
            b'0'..=b'7' => {
                let mut value = u32::from(letter - b'0');
                for _ in 0..2 {
                    let Some((&digit @ b'0'..=b'7', tail)) = rest.split_first() else { break };
                    value = value * 8 + u32::from(digit - b'0');
                    rest = tail;
                }
                value as u8
            }
            other => {
                out.extend_from_slice(&[b'\\', other]);
                continue;
            }
        };
        out.push(plain);
    }
    out
}
