//! Colors as configuration names them, `bold red #ff8000`, and the sequences of a terminal that they stand for.

use super::place::Loaded;
use crate::memory::format;
use crate::utility::git::command::prelude::*;
use crate::utility::git::config::{bad_entry, truth};

/// Names of colors, in the order of their numbers.
const COLORS: [&[u8]; 8] = [b"black", b"red", b"green", b"yellow", b"blue", b"magenta", b"cyan", b"white"];

/// Attributes, with the numbers that set and take them back.
const ATTRIBUTES: [(&[u8], u8, u8); 7] = [
    (b"bold", 1, 22),
    (b"dim", 2, 22),
    (b"italic", 3, 23),
    (b"ul", 4, 24),
    (b"blink", 5, 25),
    (b"reverse", 7, 27),
    (b"strike", 9, 29),
];

/// A color of the foreground or of the background.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Color {
    /// It is left as it is.
    Normal,
    /// One of the first eight and the default, by the last digit of its number.
    Basic(u8),
    Bright(u8),
    Number(u8),
    Mixed([u8; 3]),
}

impl Color {
    fn named(word: &[u8]) -> Option<Self> {
        let is = |name: &[u8]| word.eq_ignore_ascii_case(name);
        if is(b"normal") {
            return Some(Self::Normal);
        }
        if is(b"default") {
            return Some(Self::Basic(9));
        }
        if let Some(digits) = word.strip_prefix(b"#") {
            return mixed(digits);
        }
        let of = |name: &[u8]| COLORS.iter().position(|color| name.eq_ignore_ascii_case(color));
        let of = |name: &[u8]| of(name).and_then(|number| u8::try_from(number).ok());
        if let Some(number) = of(word) {
            return Some(Self::Basic(number));
        }
        if let Some((front, name)) = word.split_at_checked(b"bright".len())
            && front.eq_ignore_ascii_case(b"bright")
            && let Some(number) = of(name)
        {
            return Some(Self::Bright(number));
        }
        let number: i64 = std::str::from_utf8(word).ok()?.parse().ok()?;
        match u8::try_from(number) {
            Ok(number @ 0..8) => Some(Self::Basic(number)),
            Ok(number @ 8..16) => Some(Self::Bright(number - 8)),
            Ok(number) => Some(Self::Number(number)),
            Err(_) if number == -1 => Some(Self::Normal),
            Err(_) => None,
        }
    }

    /// Adds its codes; `base` is 30 for the foreground, 40 for the background.
    fn push(self, base: u8, codes: &mut Vec<u8>) {
        let code = match self {
            Self::Normal => return,
            Self::Basic(number) => format!("{}", base + number),
            Self::Bright(number) => format!("{}", base + 60 + number),
            Self::Number(number) => format!("{};5;{number}", base + 8),
            Self::Mixed([red, green, blue]) => format!("{};2;{red};{green};{blue}", base + 8),
        };
        push_code(code.as_bytes(), codes);
    }
}

/// `#rrggbb` or `#rgb`, without the sign.
fn mixed(digits: &[u8]) -> Option<Color> {
    let digit = |at: usize| {
        let digit = char::from(*digits.get(at)?).to_digit(16)?;
        u8::try_from(digit).ok()
    };
    let part = |index: usize| match digits.len() {
        3 => Some(digit(index)? * 17),
        6 => Some(digit(2 * index)? * 16 + digit(2 * index + 1)?),
        _ => None,
    };
    Some(Color::Mixed([part(0)?, part(1)?, part(2)?]))
}

/// Codes are parted by semicolons; one that is empty takes everything back.
fn push_code(code: &[u8], codes: &mut Vec<u8>) {
    if !codes.is_empty() {
        codes.push(b';');
    }
    codes.extend_from_slice(code);
}

fn attribute(word: &[u8]) -> Option<u8> {
    let (name, is_negated) = match word.strip_prefix(b"no") {
        Some(rest) => (rest.strip_prefix(b"-").unwrap_or(rest), true),
        None => (word, false),
    };
    let (_, set, unset) = ATTRIBUTES.iter().find(|(known, ..)| *known == name)?;
    Some(if is_negated { *unset } else { *set })
}

/// The sequence that a color stands for, empty where it changes nothing; `None`: it is no color.
pub(super) fn escape(text: &[u8]) -> Option<Vec<u8>> {
    let (mut colors, mut attributes, mut is_reset) = ([None; 2], 0_u32, false);
    for word in text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()) {
        if word.eq_ignore_ascii_case(b"reset") {
            is_reset = true;
        } else if let Some(color) = Color::named(word) {
            *colors.iter_mut().find(|color| color.is_none())? = Some(color);
        } else {
            attributes |= 1 << attribute(word)?;
        }
    }
    let mut codes: Vec<u8> = Vec::new();
    for number in (0..32).filter(|number| attributes & (1 << number) != 0) {
        push_code(format!("{number}").as_bytes(), &mut codes);
    }
    for (color, base) in colors.into_iter().zip([30, 40]) {
        color.unwrap_or(Color::Normal).push(base, &mut codes);
    }
    if codes.is_empty() && !is_reset {
        return Some(codes);
    }
    let front: &[u8] = if is_reset && !codes.is_empty() { b"\x1b[;" } else { b"\x1b[" };
    Some([front, &codes, b"m"].concat_metered())
}

/// `--get-color`: the sequence of a color, or of the default.
pub(super) async fn get_color(
    git: &mut Git,
    loaded: Loaded,
    slot: &Text,
    default: Option<&Text>,
) -> Result<u8> {
    let mut found = None;
    for entry in loaded.config.all(slot) {
        let Some(value) = &entry.value else {
            return Err(bad_entry(&format!("missing value for '{slot}'"), entry));
        };
        let known = escape(value);
        found = Some(known.ok_or_else(|| bad_entry(&format!("invalid color value: {value}"), entry))?);
    }
    if let Some(fault) = loaded.fault {
        return Err(fault);
    }
    let sequence = match (found, default) {
        (Some(found), _) => found,
        (None, None) => Vec::new(),
        (None, Some(default)) => escape(default).ok_or_else(|| {
            let text = "fatal: unable to parse default color value";
            GitError::Plain(format!("error: invalid color value: {default}\n{text}\n"), 128)
        })?,
    };
    git.print(&sequence).await?;
    Ok(0)
}

/// When colors are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    Never,
    Always,
    /// Where standard output is a terminal.
    Auto,
}

fn when(name: &[u8], value: Option<&Text>) -> Result<When> {
    let Some(value) = value else { return Ok(When::Auto) };
    let is = |word: &[u8]| value.eq_ignore_ascii_case(word);
    if is(b"never") {
        return Ok(When::Never);
    }
    if is(b"always") {
        return Ok(When::Always);
    }
    match truth(value) {
        _ if is(b"auto") => Ok(When::Auto),
        Some(true) => Ok(When::Auto),
        Some(false) => Ok(When::Never),
        None => Err(fatal!("bad boolean config value '{value}' for '{}'", bstr::BStr::new(name))),
    }
}

/// `--get-colorbool`: whether output is colored, printed where it is said if standard output is a terminal.
pub(super) async fn get_colorbool(
    git: &mut Git,
    loaded: Loaded,
    slot: &Text,
    is_terminal: Option<&Text>,
) -> Result<u8> {
    let given = match is_terminal {
        None => None,
        Some(value) => Some(
            truth(value).ok_or_else(|| fatal!("bad boolean config value '{value}' for 'command line'"))?,
        ),
    };
    let (mut own, mut diff, mut all) = (None, None, None);
    for entry in &loaded.config.entries {
        git.ctx.tick().await?;
        if entry.name == *slot {
            own = Some(when(&entry.name, entry.value.as_ref())?);
        } else if entry.name == b"diff.color" {
            diff = Some(when(&entry.name, entry.value.as_ref())?);
        } else if entry.name == b"color.ui" {
            all = Some(when(&entry.name, entry.value.as_ref())?);
        }
    }
    if let Some(fault) = loaded.fault {
        return Err(fault);
    }
    let old = if *slot == b"color.diff" { diff } else { None };
    let is_colored = match own.or(old).or(all).unwrap_or(When::Auto) {
        When::Never => false,
        When::Always => true,
        // Standard output of a session is no terminal.
        When::Auto => {
            let terminal = git.ctx.env.get(b"TERM");
            given == Some(true) && terminal.is_some_and(|terminal| *terminal != b"dumb")
        }
    };
    if given.is_none() {
        return Ok(u8::from(!is_colored));
    }
    git.print(if is_colored { b"true\n" } else { b"false\n" }).await?;
    Ok(0)
}
