//! `--export VPATH:HOSTDIR`: copies a file or folder of a session to the host.
//!
//! The session is what a script made of it, so nothing that it holds may lead out of the folder that the user named: each
//! file is written from an open folder of the host ([`HostFolder`]). A link, or a hard link, of the host in the place of
//! what is written is replaced, not written through; a FIFO, socket or device is left alone, and the export fails. Links of
//! the session are not made. New files have the session's permission bits, files that are there keep theirs.

use super::CommandFailure;
use crate::vfs::fixture::HostRefusal;
use crate::vfs::fixture::host::{self, HostFolder, HostKind};
use crate::vfs::{FileKind, FileSystem, FsError, path};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Permission bits that are copied; what gives rights to who runs a file is not.
const PERMISSIONS: u32 = 0o777;
/// What the user needs in a folder to write into it.
const OWN: u32 = 0o700;

/// Copies what is at `from` in the session to `to` on the host.
///
/// # Errors
/// Either side does not give or take a file; what was copied before stands.
pub(super) fn export(fs: &FileSystem, from: &[u8], to: &Path) -> Result<(), CommandFailure> {
    let metadata = fs.symlink_metadata(from).map_err(session(from))?;
    match metadata.kind {
        FileKind::Directory => export_folder(fs, from, &HostFolder::create(to).map_err(named(to))?),
        FileKind::Regular => export_file(fs, from, metadata.mode, to),
        _ => Err(CommandFailure::Other(format!("{}: {}", bstr::BStr::new(from), HostRefusal::Kind))),
    }
}

/// One file: into the folder that `to` names, or as `to` itself.
fn export_file(fs: &FileSystem, from: &[u8], mode: u32, to: &Path) -> Result<(), CommandFailure> {
    let content = fs.read(from).map_err(session(from))?;
    let is_folder = host::kind_named(to) == Some(HostKind::Folder);
    let (folder, name) = match to.file_name() {
        Some(name) if !is_folder => {
            (HostFolder::create(to.parent().unwrap_or(Path::new(""))).map_err(named(to))?, name.to_owned())
        }
        _ => {
            let name = path::split_last(from).map_or(from, |(_, name)| name);
            (HostFolder::open(to).map_err(named(to))?, host::from_bytes(name))
        }
    };
    let path = folder.path(&name);
    if !is_folder && folder.kind(&name).map_err(named(&path))? == Some(HostKind::Link) {
        // The user named the link: it may be wanted.
        return Err(named(&path)(HostRefusal::Link.into()));
    }
    folder.replace(&name, content.as_bytes(), mode & PERMISSIONS).map_err(named(&path))
}

/// All that is below `from`; folders are a work list, not a recursion, and one at a time is open.
fn export_folder(fs: &FileSystem, from: &[u8], root: &HostFolder) -> Result<(), CommandFailure> {
    let mut pending = vec![(from.to_vec(), PathBuf::new(), 0)];
    while let Some((at, place, mode)) = pending.pop() {
        let is_root = place.as_os_str().is_empty();
        let made = if is_root { None } else { Some(root.make_folder(&place, mode & PERMISSIONS | OWN)) };
        let made = made.transpose().map_err(named(&root.path(&place)))?;
        let folder = made.as_ref().unwrap_or(root);
        for entry in fs.read_dir(&at).map_err(session(&at))? {
            let (path, name): (_, OsString) =
                (path::join(&at, &entry.name).into_std(), host::from_bytes(&entry.name));
            let metadata = fs.symlink_metadata(&path).map_err(session(&path))?;
            match metadata.kind {
                FileKind::Directory => pending.push((path, place.join(name), metadata.mode)),
                FileKind::Regular => {
                    let content = fs.read(&path).map_err(session(&path))?;
                    let written = folder.replace(&name, content.as_bytes(), metadata.mode & PERMISSIONS);
                    written.map_err(named(&folder.path(&name)))?;
                }
                _ => {}
            }
        }
    }
    Ok(())
}

fn session(path: &[u8]) -> impl FnOnce(FsError) -> CommandFailure {
    let path = path.to_vec();
    move |error| CommandFailure::Other(format!("{}: {error}", bstr::BStr::new(&path)))
}

fn named(path: &Path) -> impl FnOnce(std::io::Error) -> CommandFailure {
    CommandFailure::host(path.display().to_string())
}
