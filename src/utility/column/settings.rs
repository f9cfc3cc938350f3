//! What the options say.

use super::Opt;
use crate::memory::{HashSet, String, Vec, format};
use crate::utility::prelude::*;
use bstr::ByteSlice as _;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Columns,
    Rows,
    Table,
}

/// The characters between fields.
pub(super) struct Separators {
    /// A bit for each of ASCII.
    ascii: u128,
    others: HashSet<char>,
    /// Blanks, of which several are as one.
    pub(super) greedy: bool,
}

impl Separators {
    fn new(text: &[u8], greedy: bool) -> Self {
        let mut separators = Self { ascii: 0, others: HashSet::default(), greedy };
        for character in text.chars() {
            match u32::from(character) {
                code @ 0..0x80 => separators.ascii |= 1 << code,
                _ => {
                    separators.others.insert(character);
                }
            }
        }
        separators
    }

    /// The length of the character at the start of `text`, and whether it separates fields.
    pub(super) fn look(&self, text: &[u8]) -> (usize, bool) {
        match text.first() {
            None => (0, false),
            Some(byte) if byte.is_ascii() => (1, self.ascii >> byte & 1 != 0),
            Some(_) => {
                let (character, length) = bstr::decode_utf8(text);
                (length.max(1), character.is_some_and(|character| self.others.contains(&character)))
            }
        }
    }
}

pub(super) struct Settings {
    pub(super) mode: Mode,
    pub(super) json: bool,
    pub(super) width: usize,
    /// Lines of a page.
    pub(super) height: usize,
    pub(super) limit: Option<usize>,
    pub(super) separators: Separators,
    pub(super) gap: Text,
    pub(super) keep_empty: bool,
    pub(super) names: Option<Vec<Text>>,
    pub(super) table_name: Option<Text>,
    pub(super) order: Option<Text>,
    pub(super) right: Option<Text>,
    pub(super) truncate: Option<Text>,
    pub(super) noextreme: Option<Text>,
    pub(super) wrap: Option<Text>,
    pub(super) hide: Option<Text>,
    /// The columns of the tree, of the parents and of the ids.
    pub(super) tree: Option<[Text; 3]>,
    pub(super) headings: bool,
    pub(super) repeat_header: bool,
}

/// A number as the C library reads it; `Err(true)` if it does not fit.
pub(super) fn number(text: &[u8]) -> Result<u32, bool> {
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t'..=b'\r');
    let start = text.iter().position(|byte| !blank(byte)).unwrap_or(text.len());
    let text = text.get(start..).unwrap_or(&[]);
    let (digits, negative) = match text {
        [b'-', digits @ ..] => (digits, true),
        [b'+', digits @ ..] => (digits, false),
        digits => (digits, false),
    };
    let length = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let value = digits
        .iter()
        .take(length)
        .fold(0_u64, |value, digit| value.saturating_mul(10).saturating_add(u64::from(digit - b'0')));
    if length > 0 && (negative && value > 0 || value == u64::MAX) {
        return Err(true);
    }
    if length == 0 || length < digits.len() {
        return Err(false);
    }
    u32::try_from(value).map_err(|_| true)
}

/// As [`number`], with the error that ends the program.
pub(super) fn number_or_error(text: &[u8], what: &str) -> Result<usize, UtilityError> {
    number(text).map(|value| value as usize).map_err(|range| {
        let reason = if range { ": Numerical result out of range" } else { "" };
        UtilityError::failed(format!("{what}: '{}'{reason}", bstr::BStr::new(text)))
    })
}

/// The words of a list; what is empty is none.
pub(super) fn words(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    list.split(|byte| *byte == b',').filter(|word| !word.is_empty())
}

/// A positive number of the environment.
fn variable(ctx: &Context, name: &[u8]) -> Option<usize> {
    let value = number(ctx.env.get(name)?.as_bytes()).ok()?;
    (value > 0 && i32::try_from(value).is_ok()).then_some(value as usize)
}

impl Settings {
    pub(super) fn new(ctx: &Context, options: &Options<Opt>) -> Result<Self, UtilityError> {
        let mut mode = Mode::Columns;
        let mut width = None;
        let mut limit = None;
        let mut separators = Separators::new(b"\t ", true);
        let (mut table, mut json, mut rows) = (false, false, false);
        for (option, value) in options.given() {
            let value = value.map_or(b"".as_slice(), Text::as_bytes);
            match option {
                Opt::Table => (table, mode) = (true, Mode::Table),
                Opt::Json => (json, mode) = (true, Mode::Table),
                Opt::Fillrows => (rows, mode) = (true, Mode::Rows),
                Opt::OutputWidth => width = Some(number_or_error(value, "invalid columns argument")?),
                Opt::TableColumnsLimit => {
                    let number = number_or_error(value, "invalid columns limit argument")?;
                    if number == 0 {
                        return Err(UtilityError::failed("columns limit must be greater than zero"));
                    }
                    limit = Some(number);
                }
                Opt::Separator => {
                    if value.to_str().is_err() {
                        return Err(UtilityError::failed(
                            "failed to use input separator: Invalid or incomplete multibyte or wide character",
                        ));
                    }
                    separators = Separators::new(value, false);
                }
                _ => {}
            }
            for (given, name) in [(json, "--json"), (table, "--table")] {
                if given && rows {
                    return Err(UtilityError::failed(format!(
                        "mutually exclusive arguments: {name} --fillrows"
                    )));
                }
            }
        }
        let value = |option: Opt| options.value(option).cloned();
        let mut tree = None;
        if let Some(column) = value(Opt::Tree) {
            mode = Mode::Table;
            let (Some(id), Some(parent)) = (value(Opt::TreeId), value(Opt::TreeParent)) else {
                return Err(UtilityError::failed(
                    "options --tree-id and --tree-parent are required for tree formatting",
                ));
            };
            tree = Some([column, parent, id]);
        }
        let of_tables = [
            Opt::TableOrder,
            Opt::TableName,
            Opt::TableWrap,
            Opt::TableHide,
            Opt::TableTruncate,
            Opt::TableNoextreme,
            Opt::TableRight,
            Opt::TableColumns,
        ];
        if mode != Mode::Table && options.has_any(of_tables) {
            return Err(UtilityError::failed("option --table required for all --table-*"));
        }
        if json && !options.has(Opt::TableColumns) {
            return Err(UtilityError::failed("option --table-columns required for --json"));
        }
        let names = options.value(Opt::TableColumns).map(|names| words(names).map(Text::from).collect());
        Ok(Self {
            mode,
            json,
            width: width.or_else(|| variable(ctx, b"COLUMNS")).unwrap_or(80),
            height: variable(ctx, b"LINES").unwrap_or(24),
            limit,
            separators,
            gap: value(Opt::OutputSeparator).unwrap_or(Text::from_static(b"  ")),
            keep_empty: options.has(Opt::KeepEmptyLines),
            names,
            table_name: value(Opt::TableName),
            order: value(Opt::TableOrder),
            right: value(Opt::TableRight),
            truncate: value(Opt::TableTruncate),
            noextreme: value(Opt::TableNoextreme),
            wrap: value(Opt::TableWrap),
            hide: value(Opt::TableHide),
            tree,
            headings: !options.has(Opt::TableNoheadings),
            repeat_header: options.has(Opt::TableHeaderRepeat),
        })
    }
}

/// A failure about the name of a column.
pub(super) fn undefined(name: &[u8]) -> UtilityError {
    let message: String = format!("undefined column name '{}'", bstr::BStr::new(name));
    UtilityError::failed(message)
}
