//! The colours of `tree -C`: those of `TREE_COLORS` or `LS_COLORS`, else its own.

use crate::memory::{ToMetered as _, Vec};
use crate::utility::ignore::wildmatch;
use crate::vfs::FileKind;

/// What the program has built in.
const DEFAULT: &str = ":no=00:rs=0:fi=00:di=01;34:ln=01;36:pi=40;33:so=01;35:bd=40;33;01:cd=40;33;01:or=40;31;01:ex=01;32\
:*.bat=01;32:*.BAT=01;32:*.btm=01;32:*.BTM=01;32:*.cmd=01;32:*.CMD=01;32:*.com=01;32:*.COM=01;32:*.dll=01;32\
:*.DLL=01;32:*.exe=01;32:*.EXE=01;32:*.arj=01;31:*.bz2=01;31:*.deb=01;31:*.gz=01;31:*.lzh=01;31:*.rpm=01;31\
:*.tar=01;31:*.taz=01;31:*.tb2=01;31:*.tbz2=01;31:*.tbz=01;31:*.tgz=01;31:*.tz2=01;31:*.z=01;31:*.Z=01;31\
:*.zip=01;31:*.ZIP=01;31:*.zoo=01;31:*.asf=01;35:*.ASF=01;35:*.avi=01;35:*.AVI=01;35:*.bmp=01;35:*.BMP=01;35\
:*.flac=01;35:*.FLAC=01;35:*.gif=01;35:*.GIF=01;35:*.jpg=01;35:*.JPG=01;35:*.jpeg=01;35:*.JPEG=01;35:*.m2a=01;35\
:*.M2a=01;35:*.m2v=01;35:*.M2V=01;35:*.mov=01;35:*.MOV=01;35:*.mp3=01;35:*.MP3=01;35:*.mpeg=01;35:*.MPEG=01;35\
:*.mpg=01;35:*.MPG=01;35:*.ogg=01;35:*.OGG=01;35:*.ppm=01;35:*.rm=01;35:*.RM=01;35:*.tga=01;35:*.TGA=01;35\
:*.tif=01;35:*.TIF=01;35:*.wav=01;35:*.WAV=01;35:*.wmv=01;35:*.WMV=01;35:*.xbm=01;35:*.xpm=01;35:";

/// Codes by what they are for: two letters, or a pattern of names.
#[derive(Debug)]
pub(super) struct Palette {
    codes: Vec<(Vec<u8>, Vec<u8>)>,
    patterns: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Palette {
    pub(super) fn new(given: Option<&[u8]>) -> Self {
        let text = given.filter(|text| !text.is_empty()).unwrap_or(DEFAULT.as_bytes());
        let mut palette = Self { codes: Vec::new(), patterns: Vec::new() };
        for item in text.split(|&byte| byte == b':') {
            let mut parts = item.splitn(2, |&byte| byte == b'=');
            if let (Some(name), Some(code)) = (parts.next(), parts.next()) {
                let row = (name.to_metered(), code.to_metered());
                if name.starts_with(b"*") {
                    palette.patterns.push(row);
                } else {
                    palette.codes.push(row);
                }
            }
        }
        palette
    }

    fn code(&self, name: &[u8]) -> Option<&[u8]> {
        self.codes.iter().rev().find(|(known, _)| known == name).map(|(_, code)| code.as_slice())
    }

    /// The code for a file; `target` is what a link leads to.
    pub(super) fn of(&self, name: &[u8], kind: FileKind, mode: u32, is_orphan: bool) -> Option<&[u8]> {
        let code = match kind {
            FileKind::Symlink if is_orphan => self.code(b"or").or_else(|| self.code(b"ln")),
            FileKind::Symlink => self.code(b"ln"),
            FileKind::Fifo => self.code(b"pi"),
            FileKind::CharDevice => self.code(b"cd"),
            FileKind::Directory => {
                let is_sticky = mode & 0o1000 != 0;
                let is_open = mode & 0o002 != 0;
                let special = match (is_sticky, is_open) {
                    (true, true) => self.code(b"tw"),
                    (true, false) => self.code(b"st"),
                    (false, true) => self.code(b"ow"),
                    (false, false) => None,
                };
                special.or_else(|| self.code(b"di"))
            }
            FileKind::Regular => {
                let set_user = (mode & 0o4000 != 0).then(|| self.code(b"su")).flatten();
                let set_group = || (mode & 0o2000 != 0).then(|| self.code(b"sg")).flatten();
                let runs = || (mode & 0o111 != 0).then(|| self.code(b"ex")).flatten();
                let by_name = || {
                    let found = self
                        .patterns
                        .iter()
                        .find(|(pattern, _)| wildmatch::matches(pattern, name, false, false));
                    found.map(|(_, code)| code.as_slice())
                };
                set_user.or_else(set_group).or_else(runs).or_else(by_name).or_else(|| self.code(b"fi"))
            }
        };
        code.or_else(|| self.code(b"no"))
    }
}
