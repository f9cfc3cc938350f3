//! Pathname expansion. Bash manual 3.5.8.
//!
//! The pattern is cut at its slashes. A list of directories is carried from piece to piece: a literal piece is appended,
//! a pattern piece is matched against what a directory lists, `**` (with `globstar`) stands for every directory below.

use super::super::builder::Field;
use super::super::expansion::Expansion;
use super::super::halt::Step;
use super::super::name;
use super::super::option::ShellOption;
use super::super::run::Run;
use super::super::shell::{Shell, State};
use super::field::stopped;
use crate::limit::Limit;
use crate::machine::error::ExpansionError;
use crate::memory::{ToMetered, Vec, vec};
use crate::pattern::{Pattern, PatternOptions, Ticker as _};
use crate::text::Text;
use crate::utility::context::ticker::MeterTicker;
use crate::vfs::{DirEntry, FileKind, FsError};

/// A piece of the pattern between slashes.
enum Piece {
    /// The name without quoting.
    Literal(Vec<u8>),
    Match(Pattern, bool),
    /// One slash more.
    Slash,
    /// `**`
    Recursive,
}

/// What pathname expansion looks at.
struct Globbing<'g> {
    state: &'g State,
    run: &'g Run,
    /// `GLOBIGNORE`, unless it is empty.
    ignore: Option<Text>,
}

impl Globbing<'_> {
    fn exists(&self, path: &[u8], directory: bool) -> bool {
        let fs = &self.run.services.session.fs;
        let absolute = self.state.absolute(fs, path);
        if directory {
            fs.metadata(&absolute).is_ok_and(|metadata| metadata.is_directory())
        } else {
            fs.symlink_metadata(&absolute).is_ok()
        }
    }

    fn entries(&self, directory: &[u8]) -> Result<Vec<DirEntry>, FsError> {
        let fs = &self.run.services.session.fs;
        let descriptors = self.state.descriptors.iter().map(|(number, _)| number);
        fs.read_dir_for(&self.state.absolute(fs, directory), descriptors)
    }

    /// `**`: the directory itself and all directories below; at the end all files too.
    fn below(&self, path: &[u8], last: bool, out: &mut Vec<Vec<u8>>) -> Step {
        if last && !path.is_empty() {
            let mut own = path.to_metered();
            if own.last() != Some(&b'/') {
                own.push(b'/');
            }
            out.push(own);
        } else if !last {
            out.push(path.to_metered());
        }
        let mut pending = vec![path.to_metered()];
        while let Some(current) = pending.pop() {
            let shown: &[u8] = if current.is_empty() { b"." } else { &current };
            let Ok(entries) = self.entries(shown) else { continue };
            self.run.services.meter.tick(entries.len() as u64 + 1)?;
            for entry in entries {
                if entry.name.first() == Some(&b'.') && !self.state.options.has(ShellOption::DotGlob) {
                    continue;
                }
                let joined = join(&current, &entry.name);
                let is_directory = entry.kind == FileKind::Directory;
                if is_directory {
                    pending.push(joined.clone());
                }
                if is_directory || last {
                    out.push(joined);
                }
                if out.len() as u64 > self.run.services.meter.limits().expansion_results {
                    return Err(self.run.services.meter.fail(Limit::ExpansionResults).into());
                }
            }
        }
        Ok(())
    }
    fn walk(&self, pieces: &[Piece], absolute: bool) -> Step<Vec<Vec<u8>>> {
        let mut paths: Vec<Vec<u8>> = vec![if absolute { b"/".to_metered() } else { Vec::new() }];
        for (number, piece) in pieces.iter().enumerate() {
            let last = number + 1 == pieces.len();
            let mut next: Vec<Vec<u8>> = Vec::new();
            for path in &paths {
                match piece {
                    Piece::Literal(name) => {
                        let joined = join(path, name);
                        if joined.is_empty() {
                            // `**/` is not the working directory itself.
                        } else if name.is_empty() || self.exists(&joined, !last) {
                            next.push(joined);
                        }
                    }
                    Piece::Slash => {
                        let mut joined = join(path, b"");
                        joined.push(b'/');
                        next.push(joined);
                    }
                    Piece::Match(pattern, dots) => {
                        self.matching(path, pattern, *dots, last, &mut next)?;
                    }
                    Piece::Recursive => self.below(path, last, &mut next)?,
                }
                if next.len() as u64 > self.run.services.meter.limits().expansion_results {
                    return Err(self.run.services.meter.fail(Limit::ExpansionResults).into());
                }
            }
            paths = next;
        }
        Ok(paths)
    }

    /// Names in the directory `path` that match.
    fn matching(
        &self,
        path: &[u8],
        pattern: &Pattern,
        dots: bool,
        last: bool,
        out: &mut Vec<Vec<u8>>,
    ) -> Step {
        let directory = if path.is_empty() { b"." } else { path };
        let Ok(entries) = self.entries(directory) else { return Ok(()) };
        self.run.services.meter.tick(entries.len() as u64)?;
        let all = self.state.options.has(ShellOption::DotGlob) || self.ignore.is_some();
        let mut ticker = MeterTicker::new(&self.run.services.meter);
        let mut specials: Vec<&[u8]> = Vec::new();
        if dots && !self.state.options.has(ShellOption::GlobSkipDots) {
            specials.extend([b".".as_slice(), b".."]);
        }
        for name in specials {
            if pattern.matches(name, &mut ticker).map_err(|_| stopped(self.run))? {
                out.push(join(path, name));
            }
        }
        for entry in &entries {
            if entry.name.first() == Some(&b'.') && !all && !dots {
                continue;
            }
            if !pattern.matches(&entry.name, &mut ticker).map_err(|_| stopped(self.run))? {
                continue;
            }
            let joined = join(path, &entry.name);
            let is_directory = match entry.kind {
                FileKind::Directory => true,
                FileKind::Symlink => !last && self.exists(&joined, true),
                _ => false,
            };
            if last || is_directory {
                out.push(joined);
            }
        }
        Ok(())
    }

    /// `GLOBIGNORE`: drops what it names, and `.` and `..`.
    fn drop_ignored(&self, found: &mut Vec<Vec<u8>>) -> Step {
        let Some(ignore) = &self.ignore else { return Ok(()) };
        let options = PatternOptions {
            extglob: self.state.options.has(ShellOption::ExtGlob),
            pathname: true,
            bytes: self.state.locale.bytes,
            ..PatternOptions::default()
        };
        let patterns: Vec<Pattern> =
            ignore.split(|&byte| byte == b':').map(|pattern| Pattern::parse(pattern, options)).collect();
        self.run.services.meter.check()?;
        let mut error = None;
        let mut ticker = MeterTicker::new(&self.run.services.meter);
        found.retain(|path| {
            let base = path.rsplit(|&byte| byte == b'/').next().unwrap_or(path);
            error.is_none()
                && !matches!(base, b"." | b"..")
                // The call counts too, however short the match.
                && !patterns.iter().any(|pattern| match ticker.tick(4).and_then(|()| pattern.matches(path, &mut ticker)) {
                    Ok(matched) => matched,
                    Err(_) => {
                        error = Some(stopped(self.run));
                        false
                    }
                })
        });
        error.map_or(Ok(()), Err)
    }
}

impl Expansion {
    /// Adds the pathnames that match, or the field itself when none does.
    pub(crate) fn expand_pathname(&mut self, shell: &mut Shell, run: &mut Run, field: &Field) -> Step {
        let options = shell.state.options;
        let pattern_options = PatternOptions {
            extglob: options.has(ShellOption::ExtGlob),
            ignore_case: options.has(ShellOption::NoCaseGlob),
            bytes: shell.state.locale.bytes,
            ..PatternOptions::default()
        };
        let mask = field.mask();
        let pieces = pieces(&field.bytes, &mask, pattern_options, options.has(ShellOption::GlobStar));
        if pieces.iter().all(|piece| matches!(piece, Piece::Literal(_) | Piece::Slash)) {
            self.fields.push(Text::from(field.bytes.as_slice()));
            return Ok(());
        }
        let ignore = shell.scalar(run, name::GLOBIGNORE).filter(|text| !text.is_empty());
        let globbing = Globbing { state: &shell.state, run, ignore };
        let mut found = globbing.walk(&pieces, field.bytes.first() == Some(&b'/'))?;
        globbing.drop_ignored(&mut found)?;
        if found.is_empty() {
            if options.has(ShellOption::FailGlob) {
                shell.report(ExpansionError::NoMatch(Text::from(field.bytes.as_slice())));
                return Err(shell.state.discarded());
            }
            if !options.has(ShellOption::NullGlob) {
                self.fields.push(Text::from(field.bytes.as_slice()));
            }
            return Ok(());
        }
        found.sort_unstable();
        self.fields.extend(found.into_iter().map(Text::from));
        Ok(())
    }
}

fn join(path: &[u8], name: &[u8]) -> Vec<u8> {
    let mut joined = Vec::with_capacity(path.len() + name.len() + 1);
    joined.extend_from_slice(path);
    if !path.is_empty() && path.last() != Some(&b'/') {
        joined.push(b'/');
    }
    joined.extend_from_slice(name);
    joined
}

/// Cuts a pattern at its slashes. Slashes in a row stay in the literal pieces.
fn pieces(bytes: &[u8], mask: &[bool], options: PatternOptions, globstar: bool) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut bounds: Vec<(usize, usize)> = Vec::new();
    for (at, &byte) in bytes.iter().enumerate() {
        if byte == b'/' {
            bounds.push((start, at));
            start = at + 1;
        }
    }
    bounds.push((start, bytes.len()));
    let count = bounds.len();
    // Of the slashes at the end one is left.
    let last = bounds.iter().rposition(|(from, to)| from < to).unwrap_or(count);
    for (number, (from, to)) in bounds.into_iter().enumerate() {
        let text = bytes.get(from..to).unwrap_or(&[]);
        let quoted = mask.get(from..to).unwrap_or(&[]);
        if text.is_empty() {
            if number + 1 == count && number > 0 {
                pieces.push(Piece::Literal(Vec::new()));
            } else if number > 0 && number < last {
                pieces.push(Piece::Slash);
            }
            continue;
        }
        if globstar && text == b"**" && quoted == [false, false] {
            if !matches!(pieces.last(), Some(Piece::Recursive)) {
                pieces.push(Piece::Recursive);
            }
            continue;
        }
        let pattern = Pattern::new(text, quoted, options);
        if pattern.is_special() {
            // The period may stand after a backslash that an expansion made.
            let dots =
                text.first() == Some(&b'.') || text.starts_with(b"\\.") && quoted.first() == Some(&false);
            pieces.push(Piece::Match(pattern, dots));
        } else {
            pieces.push(Piece::Literal(
                pattern.literal().map_or_else(|| text.to_metered(), <[u8]>::to_metered),
            ));
        }
    }
    pieces
}
