//! What `pr` is asked for. Options of older programs (`-s`, `-w`) stand for several of the newer ones, which `settle` works out.

use super::Opt;
use crate::memory::{JoinMetered, ToMetered, Vec, format};
use crate::utility::prelude::*;

/// A tab: the character that stands for it, and how far apart its stops are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tab {
    pub(super) letter: u8,
    pub(super) width: usize,
}

impl Tab {
    /// Columns from a position to the next stop.
    pub(super) const fn from(self, position: usize) -> usize {
        self.width - position % self.width
    }
}

#[derive(Debug)]
pub(super) struct PrOptions {
    pub(super) first_page: u64,
    pub(super) last_page: u64,
    pub(super) columns: usize,
    pub(super) is_across: bool,
    pub(super) is_parallel: bool,
    pub(super) shows_control: bool,
    pub(super) shows_octal: bool,
    pub(super) double_space: bool,
    pub(super) date_format: Vec<u8>,
    pub(super) header: Option<Text>,
    /// Tabs of the input are expanded.
    pub(super) expands: bool,
    pub(super) input_tab: Tab,
    /// Blanks of the output become tabs.
    pub(super) tabifies: bool,
    pub(super) output_tab: Tab,
    pub(super) form_feeds: bool,
    pub(super) joins: bool,
    pub(super) page_length: usize,
    /// The character after the number of a line, and its digits.
    pub(super) numbers: Option<(u8, usize)>,
    pub(super) first_number: Option<i64>,
    pub(super) margin: usize,
    pub(super) no_warnings: bool,
    pub(super) separator: Vec<u8>,
    pub(super) has_separator: bool,
    /// Headers and trailers.
    pub(super) extremities: bool,
    /// Form feeds of the input are kept where there are no headers.
    pub(super) keeps_form_feeds: bool,
    pub(super) truncates: bool,
    pub(super) width: usize,
}

/// Lines of a header, and of a trailer.
const EXTREMITY: usize = 5;

impl PrOptions {
    /// Reads the options.
    pub(super) fn read(options: &Options<Opt>) -> Result<Self, UtilityError> {
        let mut settings = Self {
            first_page: 0,
            last_page: u64::MAX,
            columns: 1,
            is_across: options.has(Opt::Across),
            is_parallel: options.has(Opt::Merge),
            shows_control: options.has(Opt::ShowControl),
            shows_octal: options.has(Opt::ShowNonprinting),
            double_space: options.has(Opt::DoubleSpace),
            date_format: options
                .value(Opt::DateFormat)
                .map_or(&b"%Y-%m-%d %H:%M"[..], |text| text)
                .to_metered(),
            header: options.value(Opt::Header).cloned(),
            expands: options.has(Opt::ExpandTabs),
            input_tab: Tab { letter: b'\t', width: 8 },
            tabifies: options.has(Opt::OutputTabs),
            output_tab: Tab { letter: b'\t', width: 8 },
            form_feeds: options.has(Opt::FormFeed),
            joins: options.has(Opt::JoinLines),
            page_length: 66,
            numbers: None,
            first_number: None,
            margin: 0,
            no_warnings: options.has(Opt::NoFileWarnings),
            separator: Vec::new(),
            has_separator: options.has(Opt::SepString),
            extremities: !options.has_any([Opt::OmitHeader, Opt::OmitPagination]),
            keeps_form_feeds: options.last_of([Opt::OmitHeader, Opt::OmitPagination])
                == Some(Opt::OmitHeader),
            truncates: options.has(Opt::PageWidth),
            width: 72,
        };
        let mut has_columns = false;
        // Digits of several options in a row are one number: `-1 -2` are twelve columns.
        let mut digits: Vec<u8> = Vec::new();
        let mut follows_digits = false;
        for (option, argument) in options.given() {
            let text = argument.map_or(&b""[..], |text| text);
            let is_digits = option == Opt::Digits;
            if is_digits || option == Opt::Columns {
                if !(is_digits && follows_digits) {
                    digits.clear();
                }
                digits.extend_from_slice(text);
                settings.columns = positive(&digits, "invalid number of columns")?;
                has_columns = true;
            } else {
                settings.take(option, text, argument.is_some())?;
            }
            follows_digits = is_digits;
        }
        settings.first_page = settings.first_page.max(1);
        if settings.is_parallel && has_columns {
            return Err(UtilityError::failed("cannot specify number of columns when printing in parallel"));
        }
        if settings.is_parallel && settings.is_across {
            return Err(UtilityError::failed("cannot specify both printing across and printing in parallel"));
        }
        settings.settle(options, has_columns);
        Ok(settings)
    }

    fn take(&mut self, option: Opt, text: &[u8], is_given: bool) -> Result<(), UtilityError> {
        match option {
            Opt::Pages => {
                let pages = pages(text);
                (self.first_page, self.last_page) = pages
                    .ok_or_else(|| UtilityError::failed(format!("invalid page range {}", quote(text))))?;
            }
            Opt::ExpandTabs if is_given => {
                let tab = letter_and_number(b'e', text, self.input_tab.letter, self.input_tab.width)?;
                self.input_tab = Tab { letter: tab.0, width: tab.1 };
            }
            Opt::OutputTabs if is_given => {
                let tab = letter_and_number(b'i', text, self.output_tab.letter, self.output_tab.width)?;
                self.output_tab = Tab { letter: tab.0, width: tab.1 };
            }
            Opt::Length => self.page_length = positive(text, "'-l PAGE_LENGTH' invalid number of lines")?,
            Opt::NumberLines => {
                let (separator, digits) = self.numbers.unwrap_or((b'\t', 5));
                self.numbers = Some(if is_given {
                    letter_and_number(b'n', text, separator, digits)?
                } else {
                    (separator, digits)
                });
            }
            Opt::FirstLineNumber => {
                let number = integer(text, i64::from(i32::MIN), "'-N NUMBER' invalid starting line number")?;
                self.first_number = Some(number);
            }
            Opt::Indent => {
                self.margin = integer(text, 0, "'-o MARGIN' invalid line offset")? as usize;
            }
            Opt::Separator if is_given && !self.has_separator => self.separator = text.to_metered(),
            Opt::SepString => self.separator = text.to_metered(),
            Opt::Width => self.width = positive(text, "'-w PAGE_WIDTH' invalid number of characters")?,
            Opt::PageWidth => self.width = positive(text, "'-W PAGE_WIDTH' invalid number of characters")?,
            _ => {}
        }
        Ok(())
    }

    /// `-s` and `-w` of older programs are brought into the newer options.
    fn settle(&mut self, options: &Options<Opt>, has_columns: bool) {
        let in_columns = self.is_parallel || has_columns;
        let has_old_separator = options.last_of([Opt::Separator, Opt::SepString]) == Some(Opt::Separator);
        let has_old_width = options.last_of([Opt::Width, Opt::PageWidth]) == Some(Opt::Width);
        if !options.has_any([Opt::Separator, Opt::Width]) {
            return;
        }
        if has_old_width {
            if in_columns {
                self.truncates = true;
                if has_old_separator {
                    self.has_separator = true;
                }
            } else {
                self.joins = true;
            }
        } else if !self.has_separator && has_old_separator && in_columns {
            if self.truncates {
                self.has_separator = true;
            } else {
                self.joins = true;
                if !self.separator.is_empty() {
                    self.has_separator = true;
                }
            }
        }
    }

    /// Lines of text on a page, once headers and double space are taken off.
    pub(super) fn body(&mut self) -> usize {
        let body = self.page_length.saturating_sub(2 * EXTREMITY);
        if body == 0 {
            self.extremities = false;
            self.keeps_form_feeds = true;
        }
        let lines = if self.extremities { body } else { self.page_length };
        if self.double_space { lines / 2 } else { lines }
    }

    /// Lines after the text of a page.
    pub(super) const fn trailer() -> usize {
        EXTREMITY
    }
}

/// Makes `--pages=2:3` of an operand `+2:3`, where no pages were asked for before.
pub(super) fn take_pages(args: &mut [Text]) {
    let mut is_value = false;
    for arg in args {
        if arg.as_bytes() == b"--" || arg.starts_with(b"--pages") {
            return;
        }
        if let Some(range) = arg.strip_prefix(b"+").filter(|range| !is_value && pages(range).is_some()) {
            *arg = Text::from([b"--pages=", range].concat_metered());
            return;
        }
        is_value = matches!(arg.as_bytes(), b"-D" | b"-h" | b"-l" | b"-N" | b"-o" | b"-w" | b"-W");
    }
}

/// `FIRST[:LAST]`
fn pages(text: &[u8]) -> Option<(u64, u64)> {
    let number = |text: &[u8]| {
        let text = std::str::from_utf8(text).ok()?.trim_start();
        text.strip_prefix('+').unwrap_or(text).parse::<u64>().ok().filter(|&number| number > 0)
    };
    let end = memchr::memchr(b':', text).unwrap_or(text.len());
    let (first, rest) = text.split_at_checked(end)?;
    let first = number(first)?;
    match rest.get(1..) {
        None => Some((first, u64::MAX)),
        Some(last) => number(last).filter(|&last| last >= first).map(|last| (first, last)),
    }
}

fn integer(text: &[u8], least: i64, what: &str) -> Result<i64, UtilityError> {
    let digits = std::str::from_utf8(text).ok().map(str::trim_start);
    let number = digits.and_then(|digits| digits.parse::<i128>().ok());
    let invalid = |reason: &str| UtilityError::failed(format!("{what}: {}{reason}", quote(text)));
    let number = number.ok_or_else(|| invalid(""))?;
    if number > i128::from(i32::MAX) || number < i128::from(i32::MIN) {
        return Err(invalid(": Value too large for defined data type"));
    }
    if number < i128::from(least) {
        return Err(invalid(": Numerical result out of range"));
    }
    Ok(number as i64)
}

fn positive(text: &[u8], what: &str) -> Result<usize, UtilityError> {
    integer(text, 1, what).map(|number| number as usize)
}

/// `[CHAR][NUMBER]`
fn letter_and_number(
    option: u8,
    text: &[u8],
    letter: u8,
    number: usize,
) -> Result<(u8, usize), UtilityError> {
    let (letter, digits) = match text.split_first() {
        Some((&first, rest)) if !first.is_ascii_digit() => (first, rest),
        _ => (letter, text),
    };
    if digits.is_empty() {
        return Ok((letter, number));
    }
    let found = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse::<i32>().ok());
    match found.filter(|&number| number > 0) {
        Some(number) => Ok((letter, number as usize)),
        None => Err(UtilityError::Usage(format!(
            "'-{}' extra characters or invalid number in the argument: {}",
            char::from(option),
            quote(digits)
        ))),
    }
}
