//! Open file description: what is open, its offset and its access mode. Descriptors that were duplicated share one.
//! POSIX XBD 3.258.

use super::capture::Capture;
use super::fifo::FifoTable;
use super::file_lock::FileLock;
use super::pipe::{Pipe, PipeReader, PipeWriter};
use crate::clock::{Random, lock};
use crate::memory::Arc;
use crate::text::Text;
use crate::vfs::{Device, Errno, FileSystem, FsError, Metadata, OpenFile, OpenOptions, Opened};
use std::fmt;
use std::sync::Mutex;
use std::task::{Context, Poll};

/// A host's input for a run: standard input that arrives while the run goes on.
pub trait InputStream: Send {
    /// Shows what has arrived to `consume`, which says how much it took; an empty slice is end-of-file.
    fn poll_read(
        &mut self,
        cx: &mut Context<'_>,
        consume: &mut dyn FnMut(&[u8]) -> usize,
    ) -> Poll<Result<usize, FsError>>;
}

/// A host's sink for a run's output, as it is written.
pub trait OutputStream: Send {
    /// Takes some of `bytes`, at least one, or waits.
    fn poll_write(&mut self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize, FsError>>;
}

/// See the module.
pub struct Description {
    kind: Kind,
    readable: bool,
    writable: bool,
    append: bool,
    offset: Mutex<u64>,
    /// The lock that `flock` took by it.
    lock: Mutex<Option<FileLock>>,
}

enum Kind {
    Null,
    Zero,
    Full,
    Random(std::sync::Arc<Random>),
    File(OpenFile),
    Directory,
    Memory(Text),
    PipeReader(PipeReader),
    PipeWriter(PipeWriter),
    /// A FIFO opened for reading and writing.
    PipeBoth(PipeReader, PipeWriter),
    Capture(Arc<Capture>),
    Input(Mutex<std::boxed::Box<dyn InputStream>>),
    Output(Mutex<std::boxed::Box<dyn OutputStream>>),
}

/// What opening a path returns: a new description, or the descriptor that a name such as `/dev/stdin` stands for.
pub(crate) enum OpenedPath {
    Description(Arc<Description>),
    Descriptor(u32),
}

impl Description {
    fn of(kind: Kind, readable: bool, writable: bool) -> Arc<Self> {
        Arc::new(Self {
            kind,
            readable,
            writable,
            append: false,
            offset: Mutex::new(0),
            lock: Mutex::default(),
        })
    }

    /// Reads nothing, takes everything.
    pub fn null() -> Arc<Self> {
        Self::of(Kind::Null, true, true)
    }

    /// Can neither be read nor written: stands for a descriptor that is closed.
    pub(crate) fn closed() -> Arc<Self> {
        Self::of(Kind::Null, false, false)
    }

    /// Reads `bytes`.
    pub fn memory(bytes: impl Into<Text>) -> Arc<Self> {
        Self::of(Kind::Memory(bytes.into()), true, false)
    }

    /// Writes into `capture`.
    pub fn capture(capture: Arc<Capture>) -> Arc<Self> {
        Self::of(Kind::Capture(capture), false, true)
    }

    /// Reads from a host's stream.
    pub fn input(stream: std::boxed::Box<dyn InputStream>) -> Arc<Self> {
        Self::of(Kind::Input(Mutex::new(stream)), true, false)
    }

    /// Writes to a host's stream.
    pub fn output(stream: std::boxed::Box<dyn OutputStream>) -> Arc<Self> {
        Self::of(Kind::Output(Mutex::new(stream)), false, true)
    }

    pub(crate) fn pipe_reader(end: PipeReader) -> Arc<Self> {
        Self::of(Kind::PipeReader(end), true, false)
    }

    pub(crate) fn pipe_writer(end: PipeWriter) -> Arc<Self> {
        Self::of(Kind::PipeWriter(end), false, true)
    }

    /// Opens `path` (absolute) on the session's file system.
    pub(crate) fn open(
        fs: &FileSystem,
        fifos: &FifoTable,
        random: &std::sync::Arc<Random>,
        path: &[u8],
        options: &OpenOptions,
    ) -> Result<OpenedPath, FsError> {
        let kind = match fs.open(path, options)? {
            Opened::File(file) => {
                let (readable, writable, append) =
                    (options.read, options.write || options.append, options.append);
                let description = Self {
                    kind: Kind::File(file),
                    readable,
                    writable,
                    append,
                    offset: Mutex::new(0),
                    lock: Mutex::default(),
                };
                return Ok(OpenedPath::Description(Arc::new(description)));
            }
            Opened::Directory => Kind::Directory,
            Opened::Fifo(inode) => {
                let pipe = fifos.pipe(inode);
                match (options.read, options.write || options.append) {
                    (true, true) => Kind::PipeBoth(Pipe::reader(&pipe), Pipe::writer(&pipe)),
                    (true, false) => Kind::PipeReader(Pipe::reader(&pipe)),
                    _ => Kind::PipeWriter(Pipe::writer(&pipe)),
                }
            }
            Opened::Device(Device::Null) => Kind::Null,
            Opened::Device(Device::Zero) => Kind::Zero,
            Opened::Device(Device::Full) => Kind::Full,
            Opened::Device(Device::Random) => Kind::Random(std::sync::Arc::clone(random)),
            Opened::Device(Device::Tty) => return Err(Errno::NoDeviceOrAddress.into()),
            Opened::Device(Device::Descriptor(number)) => return Ok(OpenedPath::Descriptor(number)),
        };
        Ok(OpenedPath::Description(Self::of(kind, options.read, options.write || options.append)))
    }

    /// Both ends of the pipe of which this is one: what opening `/dev/fd/N` for reading and writing gives. `None`: it is
    /// something else.
    pub(crate) fn with_both_ends(&self) -> Option<Arc<Self>> {
        let (reader, writer) = match &self.kind {
            Kind::PipeReader(end) => end.both_ends(),
            Kind::PipeWriter(end) => end.both_ends(),
            _ => return None,
        };
        Some(Self::of(Kind::PipeBoth(reader, writer), true, true))
    }

    /// Waits until what was opened is open: a FIFO is once both of its sides are.
    pub(crate) fn poll_opened(&self, cx: &Context<'_>) -> Poll<()> {
        match &self.kind {
            Kind::PipeReader(end) => end.poll_opened(cx),
            Kind::PipeWriter(end) => end.poll_opened(cx),
            _ => Poll::Ready(()),
        }
    }

    /// Whether it is a FIFO, or another pipe, of which one side was opened.
    pub(crate) const fn has_sides(&self) -> bool {
        matches!(self.kind, Kind::PipeReader(_) | Kind::PipeWriter(_))
    }

    /// Shows the bytes that can be read now to `consume`, which says how many it took. An empty slice is end-of-file.
    pub fn poll_read(
        &self,
        cx: &mut Context<'_>,
        consume: &mut dyn FnMut(&[u8]) -> usize,
    ) -> Poll<Result<usize, FsError>> {
        if !self.readable {
            return Poll::Ready(Err(Errno::BadDescriptor.into()));
        }
        match &self.kind {
            Kind::Null => Poll::Ready(Ok(consume(&[]))),
            Kind::Zero | Kind::Full => Poll::Ready(Ok(consume(&[0; 4096]))),
            Kind::Random(random) => {
                let mut block = [0; 4096];
                for chunk in block.chunks_mut(8) {
                    chunk.copy_from_slice(&random.next_u64().to_le_bytes());
                }
                Poll::Ready(Ok(consume(&block)))
            }
            Kind::File(file) => {
                let mut offset = lock(&self.offset);
                let taken = file.read_at(*offset, consume)?;
                *offset += taken as u64;
                Poll::Ready(Ok(taken))
            }
            Kind::Memory(bytes) => {
                let mut offset = lock(&self.offset);
                let rest = bytes.get(*offset as usize..).unwrap_or(&[]);
                let taken = consume(rest).min(rest.len());
                *offset += taken as u64;
                Poll::Ready(Ok(taken))
            }
            Kind::PipeReader(end) | Kind::PipeBoth(end, _) => end.poll_read(cx, consume),
            Kind::Input(stream) => lock(stream).poll_read(cx, consume),
            Kind::Directory => Poll::Ready(Err(Errno::IsDirectory.into())),
            Kind::PipeWriter(_) | Kind::Capture(_) | Kind::Output(_) => {
                Poll::Ready(Err(Errno::BadDescriptor.into()))
            }
        }
    }

    /// Writes some of `bytes`: at least one byte, or it waits.
    pub fn poll_write(&self, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize, FsError>> {
        if !self.writable {
            return Poll::Ready(Err(Errno::BadDescriptor.into()));
        }
        match &self.kind {
            Kind::Null | Kind::Zero | Kind::Random(_) => Poll::Ready(Ok(bytes.len())),
            Kind::Full => Poll::Ready(Err(Errno::NoSpace.into())),
            Kind::File(file) => {
                let mut offset = lock(&self.offset);
                if self.append {
                    *offset = file.append(bytes)?;
                } else {
                    file.write_at(*offset, bytes)?;
                    *offset += bytes.len() as u64;
                }
                Poll::Ready(Ok(bytes.len()))
            }
            Kind::PipeWriter(end) | Kind::PipeBoth(_, end) => end.poll_write(cx, bytes),
            Kind::Capture(capture) => {
                capture.write(bytes)?;
                Poll::Ready(Ok(bytes.len()))
            }
            Kind::Output(stream) => lock(stream).poll_write(cx, bytes),
            Kind::Directory => Poll::Ready(Err(Errno::IsDirectory.into())),
            Kind::Memory(_) | Kind::PipeReader(_) | Kind::Input(_) => {
                Poll::Ready(Err(Errno::BadDescriptor.into()))
            }
        }
    }

    /// Moves the offset back by `count` bytes that were read but not used. Nothing happens where one cannot seek.
    pub(crate) fn unread(&self, count: u64) {
        if self.is_seekable() {
            let mut offset = lock(&self.offset);
            *offset = offset.saturating_sub(count);
        }
    }

    /// Whether reading moves an offset that can be moved back.
    pub(crate) const fn is_seekable(&self) -> bool {
        matches!(self.kind, Kind::File(_) | Kind::Memory(_))
    }

    /// The offset, for files and memory.
    pub(crate) fn offset(&self) -> u64 {
        *lock(&self.offset)
    }

    /// Moves the offset to `offset`, for files and memory.
    pub(crate) fn seek(&self, offset: u64) {
        *lock(&self.offset) = offset;
    }

    /// The regular file behind this description.
    pub(crate) const fn file(&self) -> Option<&OpenFile> {
        match &self.kind {
            Kind::File(file) => Some(file),
            _ => None,
        }
    }

    /// Metadata of the file behind this description, where there is one.
    pub(crate) fn metadata(&self) -> Option<Metadata> {
        self.file().and_then(|file| file.metadata().ok())
    }

    /// Whether this is a pipe or FIFO (`[ -p /dev/stdin ]`).
    pub(crate) const fn is_pipe(&self) -> bool {
        matches!(self.kind, Kind::PipeReader(_) | Kind::PipeWriter(_) | Kind::PipeBoth(..))
    }

    /// Holds `lock` until it is closed, in the place of the one that it held.
    pub(crate) fn set_lock(&self, lock: Option<FileLock>) {
        let before = std::mem::replace(&mut *crate::clock::lock(&self.lock), lock);
        drop(before);
    }

    /// Whether it was opened for reading.
    pub const fn is_readable(&self) -> bool {
        self.readable
    }

    /// Whether it was opened for writing.
    pub const fn is_writable(&self) -> bool {
        self.writable
    }

    /// The capture behind this description.
    pub(crate) const fn as_capture(&self) -> Option<&Arc<Capture>> {
        match &self.kind {
            Kind::Capture(capture) => Some(capture),
            _ => None,
        }
    }
}

impl fmt::Debug for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match &self.kind {
            Kind::Null => "null",
            Kind::Zero => "zero",
            Kind::Full => "full",
            Kind::Random(_) => "random",
            Kind::File(_) => "file",
            Kind::Directory => "directory",
            Kind::Memory(_) => "memory",
            Kind::PipeReader(_) => "pipe reader",
            Kind::PipeWriter(_) => "pipe writer",
            Kind::PipeBoth(..) => "fifo",
            Kind::Capture(_) => "capture",
            Kind::Input(_) => "input stream",
            Kind::Output(_) => "output stream",
        };
        write!(f, "Description({kind})")
    }
}
