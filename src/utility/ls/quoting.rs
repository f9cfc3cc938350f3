//! How `ls` shows names: `--quoting-style`, the options that are short for one, and `QUOTING_STYLE`.

use super::option::Opt;
use crate::memory::{String, ToMetered, Vec};
use crate::utility::format::keyword::keyword;
use crate::utility::format::quote::{
    escape_name, quote, quote_c, quote_if_needed, quote_literally, quote_name,
};
use crate::utility::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Literal,
    C,
    /// As `C`, but only where something has to be escaped.
    CMaybe,
    Escape,
    /// What is not printable stays as it is.
    Shell,
    ShellAlways,
    ShellEscape,
    ShellEscapeAlways,
    Locale,
    /// The same as `Locale` by another name.
    LocaleOfC,
}

/// The styles by their names, in the order in which messages have them.
const STYLES: [(&[&str], Style); 10] = [
    (&["literal"], Style::Literal),
    (&["shell"], Style::Shell),
    (&["shell-always"], Style::ShellAlways),
    (&["shell-escape"], Style::ShellEscape),
    (&["shell-escape-always"], Style::ShellEscapeAlways),
    (&["c"], Style::C),
    (&["c-maybe"], Style::CMaybe),
    (&["escape"], Style::Escape),
    (&["locale"], Style::Locale),
    (&["clocale"], Style::LocaleOfC),
];

#[derive(Clone, Copy, Debug)]
pub(super) struct Quoting {
    style: Style,
    /// `?` stands for what is not printable.
    hides: bool,
}

impl Quoting {
    pub(super) fn of(ctx: &mut Context, options: &Options<Opt>) -> Result<Self, UtilityError> {
        let mut style = None;
        for (option, argument) in options.given() {
            match option {
                Opt::Escape => style = Some(Style::Escape),
                Opt::Literal | Opt::Zero => style = Some(Style::Literal),
                Opt::QuoteName => style = Some(Style::C),
                Opt::QuotingStyle => {
                    let word = argument.map_or(b"".as_slice(), Text::as_bytes);
                    style = Some(keyword("--quoting-style", &STYLES, word)?);
                }
                _ => {}
            }
        }
        if style.is_none()
            && let Some(word) = ctx.env.get(b"QUOTING_STYLE").cloned()
        {
            style = keyword("QUOTING_STYLE", &STYLES, &word).ok();
            if style.is_none() {
                let word = quote(&word);
                ctx.warn(format_args!(
                    "ignoring invalid value of environment variable QUOTING_STYLE: {word}"
                ));
            }
        }
        let hides =
            options.last_of([Opt::HideControlChars, Opt::ShowControlChars]) == Some(Opt::HideControlChars);
        Ok(Self { style: style.unwrap_or(Style::Literal), hides })
    }

    /// The name of the style.
    pub(super) fn name(self) -> &'static str {
        let row = STYLES.iter().find(|(_, style)| *style == self.style);
        row.and_then(|(names, _)| names.first()).copied().unwrap_or_default()
    }

    pub(super) fn show(self, name: &[u8]) -> Vec<u8> {
        let mut shown = String::new();
        match self.style {
            Style::Literal if self.hides => shown = hide_control(name),
            Style::Literal => return name.to_metered(),
            Style::Shell | Style::ShellAlways => {
                let quoted = quote_literally(name, self.style == Style::ShellAlways);
                if !self.hides {
                    return quoted;
                }
                shown = hide_control(&quoted);
            }
            Style::C => quote_c(name, &mut shown),
            Style::CMaybe => {
                quote_c(name, &mut shown);
                // A backslash alone does not ask for quotes.
                let plain = shown.as_bytes().get(1..shown.len().saturating_sub(1)).unwrap_or_default();
                let backslashes = memchr::memchr_iter(b'\\', name).count();
                if plain.len() == name.len() + backslashes {
                    return name.to_metered();
                }
            }
            Style::Escape => escape_name(name, &mut shown),
            Style::ShellEscape => shown = quote_if_needed(name),
            Style::ShellEscapeAlways => shown = quote_name(name),
            Style::Locale | Style::LocaleOfC => shown = quote(name),
        }
        shown.into_bytes()
    }
}

/// `?` for each character that is not printable, and for each byte that is part of none.
fn hide_control(name: &[u8]) -> String {
    let hide = |c: char| if c.is_control() || c == '\u{fffd}' { '?' } else { c };
    String::from_utf8_lossy(name).chars().map(hide).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn styles_differ_in_what_they_escape() {
        for (style, hides, name, want) in [
            (Style::CMaybe, false, "a b\\", "a b\\"),
            (Style::CMaybe, false, "a\"b\\", "\"a\\\"b\\\\\""),
            (Style::Locale, false, "a\n", "\u{2018}a\\n\u{2019}"),
            (Style::Shell, false, "a\nb", "'a\nb'"),
            (Style::Shell, true, "a\nb", "'a?b'"),
            (Style::Shell, false, "a\u{1}b", "a\u{1}b"),
            (Style::ShellAlways, false, "it's", "\"it's\""),
            (Style::ShellAlways, false, "a'$b", "'a'\\''$b'"),
            (Style::ShellEscape, false, "a\nb", "'a'$'\\n''b'"),
            (Style::Literal, true, "a\tb", "a?b"),
        ] {
            let shown = Quoting { style, hides }.show(name.as_bytes());
            assert_eq!(shown.as_slice(), want.as_bytes(), "{style:?} {name}");
        }
    }
}
