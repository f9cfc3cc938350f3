//! The colours of `grep --color`: what `GREP_COLORS` says, and the obsolete `GREP_COLOR`.

use crate::memory::{Arc, ToMetered, Vec};
use crate::utility::prelude::*;

/// The parameters of the terminal's "select graphic rendition" for each part of the output; an empty one leaves the part as
/// it is.
#[derive(Debug)]
pub(super) struct Colors {
    /// A match in a selected line (`ms`) and in a context line (`mc`), which with `-v` is one that matches.
    selected_match: Vec<u8>,
    context_match: Vec<u8>,
    /// The rest of a selected line (`sl`) and of a context line (`cx`).
    selected_line: Vec<u8>,
    context_line: Vec<u8>,
    /// With `-v`, `sl` and `cx` change places (`rv`).
    is_reversed: bool,
    pub(super) name: Vec<u8>,
    pub(super) line_number: Vec<u8>,
    pub(super) byte_offset: Vec<u8>,
    pub(super) separator: Vec<u8>,
    /// What ends the sequences that begin and end a colour: the rest of the line is erased in its background, unless `ne`
    /// says otherwise.
    erasing: &'static [u8],
}

impl Default for Colors {
    fn default() -> Self {
        let code = |text: &str| text.as_bytes().to_metered();
        Self {
            selected_match: code("01;31"),
            context_match: code("01;31"),
            selected_line: Vec::new(),
            context_line: Vec::new(),
            is_reversed: false,
            name: code("35"),
            line_number: code("32"),
            byte_offset: code("32"),
            separator: code("36"),
            erasing: b"\x1b[K",
        }
    }
}

fn is_code(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b';'
}

impl Colors {
    /// The colours that the environment asks for.
    pub(super) fn of_environment(ctx: &mut Context) -> Self {
        let mut colors = Self::default();
        let environment = Arc::clone(&ctx.env);
        let obsolete = environment.get(b"GREP_COLOR").map(Text::as_bytes).unwrap_or_default();
        if !obsolete.is_empty() && obsolete.iter().copied().all(is_code) {
            let code = bstr::BStr::new(obsolete);
            ctx.warn(format_args!("warning: GREP_COLOR='{code}' is deprecated; use GREP_COLORS='mt={code}'"));
            colors.set(b"mt", Some(obsolete));
        }
        colors.read(environment.get(b"GREP_COLORS").map(Text::as_bytes).unwrap_or_default());
        colors
    }

    /// Reads capabilities, `name=code` or `name`, between colons. What is unknown is passed over; what is malformed ends the
    /// reading.
    fn read(&mut self, text: &[u8]) {
        for capability in text.split(|&byte| byte == b':') {
            match memchr::memchr(b'=', capability) {
                None => self.set(capability, None),
                Some(at) => {
                    let (name, code) = capability.split_at(at);
                    let code = code.get(1..).unwrap_or_default();
                    if name.is_empty() || !code.iter().copied().all(is_code) {
                        return;
                    }
                    self.set(name, Some(code));
                }
            }
        }
    }

    fn set(&mut self, name: &[u8], code: Option<&[u8]>) {
        match (name, code) {
            (b"rv", _) => self.is_reversed = true,
            (b"ne", _) => self.erasing = b"",
            (b"mt", Some(code)) => {
                self.selected_match = code.to_metered();
                self.context_match = code.to_metered();
            }
            (b"ms", Some(code)) => self.selected_match = code.to_metered(),
            (b"mc", Some(code)) => self.context_match = code.to_metered(),
            (b"sl", Some(code)) => self.selected_line = code.to_metered(),
            (b"cx", Some(code)) => self.context_line = code.to_metered(),
            (b"fn", Some(code)) => self.name = code.to_metered(),
            (b"ln", Some(code)) => self.line_number = code.to_metered(),
            (b"bn", Some(code)) => self.byte_offset = code.to_metered(),
            (b"se", Some(code)) => self.separator = code.to_metered(),
            _ => {}
        }
    }

    /// The colours of a line's matches and of its rest.
    pub(super) fn of_line(&self, is_selected: bool, is_inverted: bool) -> (&[u8], &[u8]) {
        let of_match = if is_selected { &self.selected_match } else { &self.context_match };
        let is_reversed = self.is_reversed && is_inverted;
        let of_rest = if is_selected == is_reversed { &self.context_line } else { &self.selected_line };
        (of_match, of_rest)
    }

    /// Begins a colour.
    pub(super) fn start(&self, code: &[u8], out: &mut Vec<u8>) {
        if !code.is_empty() {
            for part in [b"\x1b[", code, b"m", self.erasing] {
                out.extend_from_slice(part);
            }
        }
    }

    /// Ends a colour.
    pub(super) fn end(&self, code: &[u8], out: &mut Vec<u8>) {
        if !code.is_empty() {
            out.extend_from_slice(b"\x1b[m");
            out.extend_from_slice(self.erasing);
        }
    }

    /// A text in a colour.
    pub(super) fn paint(&self, code: &[u8], text: &[u8], out: &mut Vec<u8>) {
        self.start(code, out);
        out.extend_from_slice(text);
        self.end(code, out);
    }
}
