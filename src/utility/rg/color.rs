//! The colours of `rg`: `--colors`, and how a terminal is told.

use super::arguments::told;
use crate::memory::{Vec, format};
use crate::utility::UtilityError;

/// A colour as its sequence has it, after the 3 or 4 that tells what it is the colour of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Color {
    Named(u8),
    Palette(u8),
    True(u8, u8, u8),
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Style {
    foreground: Option<Color>,
    background: Option<Color>,
    is_bold: bool,
    is_intense: bool,
    is_underlined: bool,
}

/// The parts of the output that have colours.
#[derive(Clone, Copy, Debug)]
pub(super) struct Colors {
    pub(super) path: Style,
    pub(super) line: Style,
    pub(super) column: Style,
    pub(super) matched: Style,
}

const NAMES: [&str; 8] = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];

impl Default for Colors {
    fn default() -> Self {
        let of = |color| Style { foreground: Some(Color::Named(color)), ..Style::default() };
        Self { path: of(5), line: of(2), column: Style::default(), matched: Style { is_bold: true, ..of(1) } }
    }
}

impl Colors {
    /// Takes a `TYPE:ATTRIBUTE:VALUE` or `TYPE:none`.
    pub(super) fn set(&mut self, specification: &[u8]) -> Result<(), UtilityError> {
        let shown = bstr::BStr::new(specification);
        let wrong = || {
            told(&format!(
                "invalid color spec format: '{shown}'. Valid format is '(path|line|column|match):(fg|bg|style):(value)'.\n"
            ))
        };
        let text = std::str::from_utf8(specification).map_err(|_| wrong())?;
        let mut parts = text.split(':');
        let (Some(kind), Some(attribute), value, None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(wrong());
        };
        let is = |one: &str, two: &str| one.eq_ignore_ascii_case(two);
        let style = match kind {
            kind if is(kind, "path") => &mut self.path,
            kind if is(kind, "line") => &mut self.line,
            kind if is(kind, "column") => &mut self.column,
            kind if is(kind, "match") => &mut self.matched,
            _ => {
                let message =
                    format!("unrecognized output type '{kind}'. Choose from: path, line, column, match.\n");
                return Err(told(&message));
            }
        };
        if is(attribute, "none") {
            if value.is_some() {
                return Err(wrong());
            }
            *style = Style::default();
            return Ok(());
        }
        let is_known = ["fg", "bg", "style"].iter().any(|known| is(attribute, known));
        if !is_known {
            let message =
                format!("unrecognized spec type '{attribute}'. Choose from: fg, bg, style, none.\n");
            return Err(told(&message));
        }
        let value = value.ok_or_else(wrong)?;
        if is(attribute, "fg") {
            style.foreground = Some(color(value)?);
        } else if is(attribute, "bg") {
            style.background = Some(color(value)?);
        } else {
            style.set(value)?;
        }
        Ok(())
    }
}

impl Style {
    fn set(&mut self, value: &str) -> Result<(), UtilityError> {
        let is = |word: &str| value.eq_ignore_ascii_case(word);
        match () {
            () if is("bold") || is("nobold") => self.is_bold = is("bold"),
            () if is("intense") || is("nointense") => self.is_intense = is("intense"),
            () if is("underline") || is("nounderline") => self.is_underlined = is("underline"),
            () => {
                let message = format!(
                    "unrecognized style attribute '{value}'. Choose from: nobold, bold, nointense, intense, nounderline, underline.\n"
                );
                return Err(told(&message));
            }
        }
        Ok(())
    }

    /// Whether it changes anything.
    pub(super) const fn is_some(&self) -> bool {
        self.foreground.is_some()
            || self.background.is_some()
            || self.is_bold
            || self.is_intense
            || self.is_underlined
    }

    /// Begins the style; [`END`] ends it.
    pub(super) fn begin(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(END);
        if self.is_bold {
            out.extend_from_slice(b"\x1b[1m");
        }
        if self.is_underlined {
            out.extend_from_slice(b"\x1b[4m");
        }
        for (layer, color) in [(3, self.foreground), (4, self.background)] {
            let text = match color {
                None => continue,
                Some(Color::Named(number)) if self.is_intense => {
                    format!("\x1b[{layer}8;5;{}m", number + 8)
                }
                Some(Color::Named(number)) => format!("\x1b[{layer}{number}m"),
                Some(Color::Palette(number)) => format!("\x1b[{layer}8;5;{number}m"),
                Some(Color::True(red, green, blue)) => format!("\x1b[{layer}8;2;{red};{green};{blue}m"),
            };
            out.extend_from_slice(text.as_bytes());
        }
    }
}

/// Ends a style.
pub(super) const END: &[u8] = b"\x1b[0m";

fn color(value: &str) -> Result<Color, UtilityError> {
    if let Some(number) = NAMES.iter().position(|name| value.eq_ignore_ascii_case(name)) {
        return Ok(Color::Named(number as u8));
    }
    let numbers: Vec<Option<u8>> = value
        .split(',')
        .map(|number| match number.strip_prefix("0x") {
            Some(digits) => u8::from_str_radix(digits, 16).ok(),
            None => number.parse().ok(),
        })
        .collect();
    match numbers.as_slice() {
        [Some(number)] => Ok(Color::Palette(*number)),
        [Some(red), Some(green), Some(blue)] => Ok(Color::True(*red, *green, *blue)),
        numbers if numbers.len() > 1 || value.starts_with(|first: char| first.is_ascii_digit()) => {
            let kind = if numbers.len() > 1 { "RGB color triple" } else { "ansi256 color number" };
            let format = if numbers.len() > 1 {
                "'[0-255],[0-255],[0-255]' (or a hex triple)"
            } else {
                "'[0-255]' (or a hex number)"
            };
            Err(told(&format!("unrecognized {kind}, should be {format}, but is '{value}'\n")))
        }
        _ => {
            let message = format!(
                "unrecognized color name '{value}'. Choose from: black, blue, green, red, cyan, magenta, yellow, white\n"
            );
            Err(told(&message))
        }
    }
}
