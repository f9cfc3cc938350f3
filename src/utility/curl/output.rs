//! Where a body goes: standard output, or a file that is made when its first byte comes.

use super::config::{Config, Destination};
use super::failure::{Failure, Stop};
use super::glob::fill;
use crate::memory::{ToMetered, Vec, format};
use crate::network::Url;
use crate::utility::prelude::*;

/// Copies that `--no-clobber` looks for a free name among.
const MOST_COPIES: u32 = 100;

/// See the module.
pub(super) struct Sink {
    /// None is standard output.
    pub(super) path: Option<Vec<u8>>,
    file: Option<Output>,
    appends: bool,
    /// The name came from the server: what is there is not written over.
    is_given: bool,
}

/// The last segment of a URL's path.
fn remote_name(url: &Url) -> Option<Vec<u8>> {
    let path = url.target.split('?').next().unwrap_or_default();
    let name = path.rsplit('/').next().unwrap_or_default();
    let is_name = !name.is_empty() && name != "." && name != "..";
    is_name.then(|| name.as_bytes().to_metered())
}

impl Sink {
    /// Of what the command line says.
    pub(super) fn new(
        config: &Config,
        destination: &Destination,
        chosen: &[Vec<u8>],
        url: Option<&Url>,
    ) -> Result<Self, Failure> {
        let name = match destination {
            Destination::Unsaid if !config.remote_all => None,
            Destination::File(name) if name.as_bytes() == b"-" => None,
            Destination::File(name) => Some(fill(name, chosen)),
            Destination::Unsaid | Destination::Remote => match url.and_then(remote_name) {
                Some(name) => Some(name),
                None => return Err(Failure::new(23, "Failed writing received data to disk/application")),
            },
        };
        let path = name.map(|name| in_folder(config, &name));
        Ok(Self { path, file: None, appends: false, is_given: false })
    }

    /// Takes the name that the server gave (`-J`).
    pub(super) fn rename(&mut self, config: &Config, disposition: &[u8]) {
        if let Some(name) = disposition_name(disposition) {
            self.path = Some(in_folder(config, &name));
            self.is_given = true;
        }
    }

    /// What is there already stays, and what comes goes to its end.
    pub(super) fn append(&mut self) {
        self.appends = true;
    }

    /// How much is there already.
    pub(super) fn present(&self, ctx: &Context) -> u64 {
        let path = self.path.as_ref().map(|path| ctx.absolute(path));
        path.and_then(|path| ctx.session.fs.metadata(&path).ok()).map_or(0, |stat| stat.size)
    }

    fn open(&mut self, ctx: &mut Context, config: &Config) -> Result<(), Stop> {
        let Some(path) = &self.path else { return Ok(()) };
        if self.file.is_some() {
            return Ok(());
        }
        let mut path = path.clone();
        let exists = |ctx: &Context, path: &[u8]| ctx.session.fs.metadata(&ctx.absolute(path)).is_ok();
        if self.is_given && exists(ctx, &path) {
            note(ctx, config, format_args!("Refusing to overwrite {}: File exists", bstr::BStr::new(&path)));
            return Err(Failure::new(23, "Failed writing header").into());
        }
        if config.no_clobber && exists(ctx, &path) {
            let base = path.clone();
            let free = (1..MOST_COPIES).map(|number| {
                let mut name = base.clone();
                name.extend_from_slice(format!(".{number}").as_bytes());
                name
            });
            match free.into_iter().find(|name| !exists(ctx, name)) {
                Some(name) => path = name,
                None => return Err(Failure::write().into()),
            }
        }
        if config.create_dirs
            && let Some(at) = memchr::memrchr(b'/', &path).filter(|at| *at > 0)
        {
            let folder = ctx.absolute(path.get(..at).unwrap_or_default());
            // Where it cannot be made, the file cannot either, which is told.
            let _ = ctx.session.fs.create_dir_all(&folder, 0o750);
        }
        match ctx.create(&path, self.appends) {
            Ok(file) => {
                self.file = Some(file);
                self.path = Some(path);
                Ok(())
            }
            Err(FsError::Limit(limit)) => Err(limit.into()),
            Err(FsError::Errno(errno)) => {
                let name = bstr::BStr::new(&path);
                note(ctx, config, format_args!("Failed to open the file {name}: {}", errno.message()));
                Err(Failure::write().into())
            }
        }
    }

    /// Writes a piece.
    pub(super) async fn write(
        &mut self,
        ctx: &mut Context,
        config: &Config,
        bytes: &[u8],
    ) -> Result<(), Stop> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.open(ctx, config)?;
        match &mut self.file {
            Some(file) => file.write(bytes).await?,
            None => {
                ctx.stdout.write(bytes).await?;
                if config.unbuffered {
                    ctx.stdout.flush().await?;
                }
            }
        }
        Ok(())
    }

    /// Everything came; a file without content is made too.
    pub(super) async fn finish(&mut self, ctx: &mut Context, config: &Config) -> Result<(), Stop> {
        self.open(ctx, config)?;
        self.close(ctx).await
    }

    /// Hands on what is buffered.
    pub(super) async fn close(&mut self, ctx: &mut Context) -> Result<(), Stop> {
        match &mut self.file {
            Some(file) => file.flush().await?,
            None => ctx.stdout.flush().await?,
        }
        self.file = None;
        Ok(())
    }

    /// `--remove-on-error`.
    pub(super) fn remove(&self, ctx: &Context) {
        if let Some(path) = &self.path {
            // There may be none.
            let _ = ctx.session.fs.remove_file(&ctx.absolute(path));
        }
    }
}

/// A warning, which `-s` keeps quiet.
pub(super) fn note(ctx: &mut Context, config: &Config, text: std::fmt::Arguments<'_>) {
    if !config.silent {
        warn(ctx, &format!("{text}"));
    }
}

/// A warning in lines of 79 characters, as curl breaks them.
pub(super) fn warn(ctx: &mut Context, text: &str) {
    const WIDTH: usize = 70;
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        let mut end = rest.len();
        if end > WIDTH {
            let line = rest.get(..WIDTH).unwrap_or(rest);
            end = line
                .iter()
                .rposition(|byte| matches!(byte, b' ' | b'\t'))
                .filter(|at| *at > 0)
                .map_or(WIDTH, |at| at + 1);
        }
        let (line, after) = rest.split_at_checked(end).unwrap_or((rest, &[]));
        ctx.stderr.push(b"Warning: ");
        ctx.stderr.push(line);
        ctx.stderr.push(b"\n");
        rest = after;
    }
    ctx.stderr.flush_now();
}

fn in_folder(config: &Config, name: &[u8]) -> Vec<u8> {
    match &config.output_dir {
        Some(folder) => {
            let mut path = folder.as_bytes().to_metered();
            path.push(b'/');
            path.extend_from_slice(name);
            path
        }
        None => name.to_metered(),
    }
}

/// The name in a `Content-Disposition`, without folders.
pub(in crate::utility) fn disposition_name(header: &[u8]) -> Option<Vec<u8>> {
    let value = header.split(|byte| *byte == b';').map(<[u8]>::trim_ascii).find_map(|part| {
        let (key, value) = part.split_at_checked(memchr::memchr(b'=', part)?)?;
        key.trim_ascii().eq_ignore_ascii_case(b"filename").then(|| value.get(1..).unwrap_or_default())
    })?;
    let value = value.trim_ascii();
    let value = match value.strip_prefix(b"\"") {
        Some(quoted) => quoted.split(|byte| *byte == b'"').next().unwrap_or_default(),
        None => value,
    };
    let name = value.rsplit(|byte| matches!(byte, b'/' | b'\\')).next().unwrap_or_default();
    (!name.is_empty() && name != b"." && name != b"..").then(|| name.to_metered())
}
