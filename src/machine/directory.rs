//! The working directory: `cwd` is its name as the shell tells it, a [`Place`] is the directory itself. Files are found from
//! the place, so that a shell stays in its directory when that is moved or removed; `cd` goes by the name first. Bash
//! manual 4.1, `cd`.

use super::halt::Step;
use super::name;
use super::run::Run;
use super::shell::{Shell, State};
use crate::memory::{JoinMetered, ToMetered, Vec};
use crate::text::Text;
use crate::vfs::{Errno, FileSystem, FsError, Place, of_process, path};

/// What a shell that was started in a removed directory calls it.
const UNREACHABLE: &[u8] = b"(unreachable)";

/// What is said of a working directory that was removed, after the name of the builtin.
pub(crate) const NO_DIRECTORY: &[u8] =
    b"error retrieving current directory: getcwd: cannot access parent directories: No such file or directory\n";

impl State {
    /// A path as the file system takes it.
    pub(crate) fn absolute(&self, files: &FileSystem, path: &[u8]) -> Vec<u8> {
        if !path.starts_with(b"/") {
            return path::join(&self.place.path(files), path);
        }
        of_process(path, [self.ids.own, self.ids.shell]).unwrap_or_else(|| path.to_metered())
    }

    /// The name and the place of the directory for a shell that is started here.
    pub(crate) fn directory_of_child(&self, files: &FileSystem) -> (Text, Place) {
        match self.place.moved(files) {
            Some(path) if !self.place.is_removed(files) => {
                let place = Place::new(files, &path);
                (path, place)
            }
            _ => (self.cwd.clone(), self.place.clone()),
        }
    }

    /// Where a new shell works.
    pub(crate) fn enter_directory(&mut self, files: &FileSystem, cwd: Text, place: Option<Place>) {
        self.place = place.unwrap_or_else(|| Place::new(files, &cwd));
        self.cwd = if memchr::memchr(0, &cwd).is_some() { Text::from_static(UNREACHABLE) } else { cwd };
    }
}

/// Whether a path leads to a directory that can be entered.
fn check(files: &FileSystem, path: &[u8]) -> Result<(), FsError> {
    if !files.metadata(path)?.is_directory() {
        return Err(Errno::NotDirectory.into());
    }
    files.access(path, false, false, true)
}

/// The path without links of a directory that can be entered.
fn physical(files: &FileSystem, path: &[u8]) -> Result<Vec<u8>, FsError> {
    check(files, path)?;
    files.canonicalize(path)
}

impl State {
    /// The directory's name after `cd TARGET` that goes by names: `..` takes back the name before it.
    fn logical(&self, files: &FileSystem, target: &[u8]) -> Result<Vec<u8>, FsError> {
        let joined = path::join(&self.cwd, target);
        // `a/..` is only taken back where `a` is a directory; from a directory that was removed, `..` still leads up.
        match check(files, &joined) {
            Err(FsError::Errno(Errno::NotFound)) if files.metadata(&self.cwd).is_err() => {}
            checked => checked?,
        }
        let normal = path::normalise(&joined);
        if !files.metadata(&normal).is_ok_and(|metadata| metadata.is_directory()) {
            return Err(Errno::NotFound.into());
        }
        // Exactly two slashes at the start stay two: POSIX XBD 4.13.
        let doubled = joined.starts_with(b"//") && !joined.starts_with(b"///");
        Ok(if doubled { [b"/", normal.as_slice()].concat_metered() } else { normal })
    }
}

impl Shell {
    /// Makes a directory the working directory and sets `PWD` and `OLDPWD`; the status is 1 where one of them is read-only.
    pub(crate) fn change_directory(
        &mut self,
        run: &mut Run,
        target: &Text,
        is_physical: bool,
    ) -> Step<Result<u8, Errno>> {
        let files = &run.services.session.fs;
        let found = if is_physical {
            physical(files, &self.state.absolute(files, target))
        } else {
            match self.state.logical(files, target) {
                // By its name the directory is not there any more: from where the shell is, the target may be.
                Err(FsError::Errno(Errno::NotFound)) if self.state.place.moved(files).is_some() => {
                    physical(files, &self.state.absolute(files, target))
                }
                found => found,
            }
        };
        let new = match found {
            Ok(new) => Text::from(new),
            Err(FsError::Limit(limit)) => return Err(limit.into()),
            Err(FsError::Errno(Errno::NotFound))
                if self.state.place.is_removed(files)
                    && path::components(target).all(|name| name == b".") =>
            {
                self.write_error(b"cd: ");
                self.write_error(NO_DIRECTORY);
                let old = self.scalar(run, name::PWD).unwrap_or_else(|| self.state.cwd.clone());
                let status = self.assign_variable(run, name::OLDPWD, old, false).is_err();
                return Ok(Ok(u8::from(status)));
            }
            Err(FsError::Errno(errno)) => return Ok(Err(errno)),
        };
        let real = files.canonicalize(&new).map_or_else(|_| new.clone(), Text::from);
        self.state.place = Place::new(files, &real);
        let old = self.scalar(run, name::PWD).unwrap_or_else(|| self.state.cwd.clone());
        self.state.cwd = new.clone();
        // What is read-only is reported; the directory has changed.
        let old = self.assign_variable(run, name::OLDPWD, old, false);
        let new = self.assign_variable(run, name::PWD, new, false);
        Ok(Ok(u8::from(old.is_err() || new.is_err())))
    }
}
