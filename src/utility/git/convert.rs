//! Line ends of text files: in objects they are newlines, in the work tree what the attributes `text` and `eol` and
//! `core.autocrlf` and `core.eol` say (gitattributes(5)).

use super::Git;
use super::error::Result;
use super::object::id::Kind;
use crate::memory::{Arc, HashMap, ToMetered, Vec};
use crate::utility::context::pace::tick_bytes;

/// Whether a file is a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Text {
    No,
    Yes,
    /// As its content looks.
    Auto,
}

/// What a file's content looks like.
#[derive(Default)]
struct Looks {
    has_crlf: bool,
    has_newline: bool,
    is_binary: bool,
}

/// Whether a carriage return stands before a newline.
fn has_crlf(bytes: &[u8]) -> bool {
    memchr::memmem::find(bytes, b"\r\n").is_some()
}

/// Looks at the bytes of a file, as git tells texts from other files: a return alone, a NUL, or more than one byte of 128 that is
/// not printed make it no text.
fn looks(bytes: &[u8]) -> Looks {
    let mut looks = Looks::default();
    let (mut printed, mut others) = (0_usize, 0_usize);
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'\r' if bytes.get(at + 1) == Some(&b'\n') => looks.has_crlf = true,
            b'\r' | 0 => looks.is_binary = true,
            b'\n' => looks.has_newline |= at == 0 || bytes.get(at - 1) != Some(&b'\r'),
            0x08 | b'\t' | 0x1b | 0x0c => printed += 1,
            0x7f | 0..0x20 => others += 1,
            _ => printed += 1,
        }
    }
    // An end of file of DOS does not count.
    if bytes.last() == Some(&0x1a) {
        others = others.saturating_sub(1);
    }
    looks.is_binary |= (printed >> 7) < others;
    looks
}

impl Git {
    fn text_of(&mut self, path: &[u8]) -> Result<Text> {
        let text = self.attribute(path, b"text")?;
        let is_automatic = self.config.get("core.autocrlf").is_some_and(|value| {
            value.eq_ignore_ascii_case(b"input") || super::config::truth(value) == Some(true)
        });
        Ok(match text.as_ref().map(crate::text::Text::as_bytes) {
            Some(b"+") => Text::Yes,
            Some(b"-") => Text::No,
            Some(b"auto") => Text::Auto,
            _ if self.line_end(path)?.is_some() => Text::Yes,
            _ if is_automatic => Text::Auto,
            _ => Text::No,
        })
    }

    /// Whether the attribute `eol` asks for returns before newlines.
    fn line_end(&mut self, path: &[u8]) -> Result<Option<bool>> {
        Ok(match self.attribute(path, b"eol")?.as_ref().map(crate::text::Text::as_bytes) {
            Some(b"crlf") => Some(true),
            Some(b"lf") => Some(false),
            _ => None,
        })
    }

    /// The content of a file of the work tree as it is in an object.
    pub(crate) async fn cleaned(&mut self, path: &[u8], bytes: Vec<u8>) -> Result<Vec<u8>> {
        if !has_crlf(&bytes) {
            return Ok(bytes);
        }
        let text = self.text_of(path)?;
        if text == Text::No
            || (text == Text::Auto && (looks(&bytes).is_binary || self.keeps_crlf(path).await?))
        {
            return Ok(bytes);
        }
        let mut out: Vec<u8> = Vec::with_capacity(bytes.len());
        let mut rest = bytes.as_slice();
        while let Some(at) = memchr::memmem::find(rest, b"\r\n") {
            out.extend_from_slice(rest.get(..at).unwrap_or(&[]));
            rest = rest.get(at + 1..).unwrap_or(&[]);
            self.ctx.tick().await?;
        }
        out.extend_from_slice(rest);
        Ok(out)
    }

    /// Whether the file of the index has returns before newlines: they stay then.
    async fn keeps_crlf(&mut self, path: &[u8]) -> Result<bool> {
        let files = match &self.known_files {
            Some(files) => Arc::clone(files),
            None => {
                let mut files = HashMap::new();
                for entry in &self.read_index().await?.entries {
                    self.ctx.tick().await?;
                    files.insert(entry.path.clone(), entry.id);
                }
                let files = Arc::new(files);
                self.known_files = Some(Arc::clone(&files));
                files
            }
        };
        let Some(id) = files.get(path) else { return Ok(false) };
        let known = self.object_of(id, Kind::Blob).await?;
        Ok(known.is_some_and(|bytes| has_crlf(&bytes) && !looks(&bytes).is_binary))
    }

    /// Whether newlines get returns before them in the work tree.
    fn writes_returns(&mut self, path: &[u8]) -> Result<bool> {
        let configured = self.config.get("core.autocrlf").map(ToMetered::to_metered);
        Ok(match (self.line_end(path)?, configured.as_deref()) {
            (Some(with_returns), _) => with_returns,
            (None, Some(value)) if super::config::truth(value) == Some(true) => true,
            (None, Some(value)) if value.eq_ignore_ascii_case(b"input") => false,
            _ => self.config.get("core.eol").is_some_and(|value| value.eq_ignore_ascii_case(b"crlf")),
        })
    }

    /// Warns where the line ends of a file would not be the same once it is stored and written again.
    pub(crate) async fn warn_of_ends(&mut self, path: &[u8], bytes: &[u8]) -> Result<()> {
        let safe = self.config.get("core.safecrlf").map(super::config::truth);
        if safe == Some(Some(false)) || memchr::memchr(b'\n', bytes).is_none() {
            return Ok(());
        }
        let text = self.text_of(path)?;
        if text == Text::No {
            return Ok(());
        }
        tick_bytes(&self.ctx.meter, bytes.len()).await?;
        let is_auto = text == Text::Auto;
        let looks = looks(bytes);
        if is_auto && looks.is_binary {
            return Ok(());
        }
        let is_converted = looks.has_crlf && !(is_auto && self.keeps_crlf(path).await?);
        let (mut crlf, mut newline) = (looks.has_crlf && !is_converted, looks.has_newline || is_converted);
        if newline && self.writes_returns(path)? && !(is_auto && crlf) {
            (crlf, newline) = (true, false);
        }
        let (from, to) = match (looks.has_crlf && !crlf, looks.has_newline && !newline) {
            (true, _) => ("CRLF", "LF"),
            (false, true) => ("LF", "CRLF"),
            (false, false) => return Ok(()),
        };
        let (name, path) = (crate::text::Text::from(path), bstr::BStr::new(path));
        if safe == Some(Some(true)) {
            return Err(super::error::fatal!("{from} would be replaced by {to} in {path}"));
        }
        if self.warned.insert(name, ()).is_none() {
            self.say(&crate::memory::format!(
                "warning: in the working copy of '{path}', {from} will be replaced by {to} the next time Git touches it"
            ));
        }
        Ok(())
    }

    /// The content of an object as it stands in the work tree.
    pub(crate) async fn smudged(&mut self, path: &[u8], bytes: Vec<u8>) -> Result<Vec<u8>> {
        let text = self.text_of(path)?;
        if text == Text::No {
            return Ok(bytes);
        }
        if !self.writes_returns(path)? {
            return Ok(bytes);
        }
        tick_bytes(&self.ctx.meter, bytes.len()).await?;
        let looks = looks(&bytes);
        if !looks.has_newline || (text == Text::Auto && (looks.is_binary || looks.has_crlf)) {
            return Ok(bytes);
        }
        let mut out: Vec<u8> = Vec::with_capacity(bytes.len());
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.ctx.tick().await?;
            match line.strip_suffix(b"\n") {
                Some(body) if !body.ends_with(b"\r") => {
                    out.extend_from_slice(body);
                    out.extend_from_slice(b"\r\n");
                }
                _ => out.extend_from_slice(line),
            }
        }
        Ok(out)
    }
}
