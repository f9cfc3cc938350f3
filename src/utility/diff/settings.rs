//! What the options ask for, and their arguments. GNU diff(1).

use super::color::ColorWhen;
use super::ignored::Ignored;
use super::lines::Normal;
use super::merged::Formats;
use super::{Opt, trouble};
use crate::limit::Meter;
use crate::memory::{String, Vec, format};
use crate::pattern::{Pattern, PatternOptions};
use crate::utility::context::ticker::{regex_options, stopped};
use crate::utility::format::count::{parse_digits, parse_unsigned};
use crate::utility::prelude::*;
use crate::utility::regex::{Regex, RegexError, Syntax};
use std::sync::Arc;

/// The output formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Normal,
    Context,
    Unified,
    Ed,
    /// As `Ed`, in the order of the file.
    ForwardEd,
    Rcs,
    SideBySide,
    /// One text from both files, with what `-D` and the formats say around the groups.
    Merged,
}

impl Style {
    /// Whether a missing newline at the end of a file can be told in this format.
    pub(super) fn tells_missing_newline(self) -> bool {
        !matches!(self, Self::Ed | Self::ForwardEd)
    }
}

/// The columns of the side by side format.
#[derive(Clone, Copy, Debug)]
pub(super) struct Columns {
    /// How wide a half is.
    pub(super) half: usize,
    /// Where the right half begins.
    pub(super) second: usize,
    pub(super) left_column: bool,
    pub(super) suppress_common: bool,
}

impl Columns {
    fn new(width: usize, tab: usize, options: &Options<Opt>) -> Self {
        /// The least distance between the halves.
        const GUTTER: usize = 3;
        let tab = if options.has(Opt::ExpandTabs) { 1 } else { tab };
        let gap = tab.saturating_add(GUTTER);
        let middle = (width / 2).saturating_add(gap / 2).saturating_add(width & gap & 1);
        let second = middle - middle % tab.max(1);
        let half = second.saturating_sub(GUTTER).min(width.saturating_sub(second));
        Self {
            half,
            second: if half > 0 { second } else { width },
            left_column: options.has(Opt::LeftColumn),
            suppress_common: options.has(Opt::SuppressCommonLines),
        }
    }
}

pub(super) struct Settings {
    pub(super) style: Style,
    /// Lines of context.
    pub(super) context: usize,
    /// Lines before and after the changes that are looked at, too.
    pub(super) horizon: usize,
    pub(super) brief: bool,
    pub(super) report_identical: bool,
    pub(super) labels: Vec<Text>,
    pub(super) recursive: bool,
    pub(super) new_file: bool,
    /// As `new_file`, for files that the second directory alone has.
    pub(super) new_second_file: bool,
    pub(super) follows: bool,
    pub(super) ignored: Ignored,
    pub(super) text: bool,
    pub(super) minimal: bool,
    pub(super) speed: bool,
    pub(super) normal: Normal,
    pub(super) strips: bool,
    pub(super) function: Vec<Regex>,
    pub(super) expand_tabs: bool,
    pub(super) initial_tab: bool,
    pub(super) tab_size: usize,
    pub(super) suppress_blank_empty: bool,
    pub(super) paginate: bool,
    pub(super) columns: Columns,
    pub(super) formats: Formats,
    pub(super) color: ColorWhen,
    pub(super) palette: Option<Text>,
    pub(super) fold_names: bool,
    pub(super) exclude: Vec<Pattern>,
    pub(super) starting: Option<Text>,
    pub(super) from: Option<Text>,
    pub(super) to: Option<Text>,
    /// The options as given, for the line before each pair of files of two directories.
    pub(super) command: String,
}

/// What is known of the options that stand in a relation to others, while they are taken in order.
#[derive(Default)]
struct Taken {
    style: Option<Style>,
    context: Option<usize>,
    /// Whether `context` comes from an option with an argument of its own.
    is_explicit: bool,
    digits: Option<usize>,
    width: Option<usize>,
    tab_size: Option<usize>,
    horizon: usize,
    starting: Option<Text>,
    from: Option<Text>,
    to: Option<Text>,
    fold_names: bool,
    exclude: Vec<Pattern>,
    formats: Formats,
    color: ColorWhen,
}

impl Taken {
    fn style(&mut self, style: Style) -> Result<(), UtilityError> {
        if self.style.is_some_and(|taken| taken != style) {
            return Err(UtilityError::Usage("conflicting output style options".into()));
        }
        self.style = Some(style);
        Ok(())
    }

    async fn take(
        &mut self,
        ctx: &mut Context,
        option: Opt,
        argument: Option<&Text>,
    ) -> Result<(), UtilityError> {
        let text = argument.cloned().unwrap_or_default();
        match option {
            Opt::Normal => self.style(Style::Normal)?,
            Opt::Ed => self.style(Style::Ed)?,
            Opt::ForwardEd => self.style(Style::ForwardEd)?,
            Opt::Rcs => self.style(Style::Rcs)?,
            Opt::SideBySide => self.style(Style::SideBySide)?,
            Opt::Context | Opt::Unified => {
                let style = if option == Opt::Context { Style::Context } else { Style::Unified };
                let lines = match argument {
                    Some(text) if text.is_empty() => 0,
                    Some(text) => number(text, "context length", 0)?,
                    None => 3,
                };
                self.style(style)?;
                self.context = self.context.max(Some(lines));
                self.is_explicit |= argument.is_some();
            }
            Opt::Digits => self.digits = parse_digits(&text).map(saturated),
            Opt::Width => only(&mut self.width, number(&text, "width", 1)?, "width")?,
            Opt::TabSize => only(&mut self.tab_size, number(&text, "tabsize", 1)?, "tabsize")?,
            Opt::HorizonLines => self.horizon = self.horizon.max(number(&text, "horizon length", 0)?),
            Opt::StartingFile => agree(&mut self.starting, text, "-S")?,
            Opt::FromFile => agree(&mut self.from, text, "--from-file")?,
            Opt::ToFile => agree(&mut self.to, text, "--to-file")?,
            Opt::IgnoreFileNameCase => self.fold_names = true,
            Opt::NoIgnoreFileNameCase => self.fold_names = false,
            Opt::Exclude => self.exclude(&text),
            Opt::ExcludeFrom => self.exclude_from(ctx, &text).await?,
            Opt::IfDef => {
                self.style(Style::Merged)?;
                self.formats.take_name(&text)?;
            }
            Opt::LineFormat
            | Opt::OldLineFormat
            | Opt::NewLineFormat
            | Opt::UnchangedLineFormat
            | Opt::OldGroupFormat
            | Opt::NewGroupFormat
            | Opt::UnchangedGroupFormat
            | Opt::ChangedGroupFormat => {
                self.style(Style::Merged)?;
                self.formats.take(option, &text)?;
            }
            Opt::Color => self.color = ColorWhen::of(argument)?,
            _ => {}
        }
        Ok(())
    }

    fn exclude(&mut self, pattern: &[u8]) {
        let options = PatternOptions { ignore_case: self.fold_names, ..PatternOptions::default() };
        self.exclude.push(Pattern::parse(pattern, options));
    }

    /// The patterns that are the lines of a file; blanks at their ends do not count.
    async fn exclude_from(&mut self, ctx: &mut Context, name: &[u8]) -> Result<(), UtilityError> {
        let opened = ctx.open_input(name);
        let text = match opened {
            Ok(mut input) => input.read_to_end().await,
            Err(error) => Err(error),
        };
        let text = match text {
            Ok(text) => text,
            Err(FsError::Errno(errno)) => {
                return Err(trouble(format!("{}: {}", String::from_utf8_lossy(name), errno.message())));
            }
            Err(FsError::Limit(limit)) => return Err(limit.into()),
        };
        for line in text.split(|byte| *byte == b'\n') {
            ctx.tick().await?;
            let end = line.iter().rposition(|byte| !super::lines::is_space(*byte)).map_or(0, |last| last + 1);
            if let Some(pattern) = line.get(..end).filter(|pattern| !pattern.is_empty()) {
                self.exclude(pattern);
            }
        }
        Ok(())
    }
}

fn saturated(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX / 4).min(usize::MAX / 4)
}

/// A number as `strtoimax` reads it, of at least `least`.
fn number(text: &[u8], what: &str, least: usize) -> Result<usize, UtilityError> {
    parse_unsigned(text)
        .map(saturated)
        .filter(|number| *number >= least)
        .ok_or_else(|| UtilityError::Usage(format!("invalid {what} '{}'", String::from_utf8_lossy(text))))
}

/// A number that cannot be given twice with different values.
fn only(slot: &mut Option<usize>, number: usize, what: &str) -> Result<(), UtilityError> {
    if slot.is_some_and(|taken| taken != number) {
        return Err(trouble(format!("conflicting {what} options")));
    }
    *slot = Some(number);
    Ok(())
}

/// A text that cannot be given twice with different values.
pub(super) fn agree(slot: &mut Option<Text>, text: Text, option: &str) -> Result<(), UtilityError> {
    if slot.as_ref().is_some_and(|taken| *taken != text) {
        let shown = String::from_utf8_lossy(&text);
        return Err(UtilityError::Failed {
            message: format!(
                "conflicting {option} option value '{shown}'\ndiff: Try 'diff --help' for more information."
            ),
            status: super::TROUBLE.0,
        });
    }
    *slot = Some(text);
    Ok(())
}

/// The expressions of `-I` or `-F`.
pub(super) fn expressions<'t>(
    sources: impl Iterator<Item = &'t Text>,
    meter: &Arc<Meter>,
) -> Result<Vec<Regex>, UtilityError> {
    let mut expressions = Vec::new();
    for source in sources {
        let regex = Regex::new(source, Syntax::Basic, &regex_options(meter));
        expressions.push(regex.map_err(|error| match error {
            RegexError::Stopped(_) => UtilityError::from(stopped(meter)),
            error => trouble(format!("{source}: {error}")),
        })?);
    }
    Ok(expressions)
}

impl Settings {
    pub(super) async fn of(
        ctx: &mut Context,
        options: &Options<Opt>,
        args: &[Text],
    ) -> Result<Self, UtilityError> {
        let mut taken = Taken::default();
        for (option, argument) in options.given() {
            taken.take(ctx, option, argument).await?;
        }
        let shows_function = options.has(Opt::ShowCFunction);
        let style = taken.style.unwrap_or(if shows_function { Style::Context } else { Style::Normal });
        let is_context = matches!(style, Style::Context | Style::Unified);
        let mut context = match (taken.context, taken.style) {
            (Some(lines), _) => lines,
            (None, None) if shows_function && taken.digits.is_none() => 3,
            _ => 0,
        };
        if let Some(digits) = taken.digits
            && is_context
            && (context < digits || !taken.is_explicit)
        {
            context = digits;
        }
        let tab_size = taken.tab_size.unwrap_or(8);
        let meter = Arc::clone(&ctx.meter);
        // The expression of -p is one among those of -F.
        let of_function = Text::from_static(b"^[[:alpha:]$_]");
        let sources = options.given().filter_map(|(option, argument)| match option {
            Opt::ShowCFunction => Some(&of_function),
            Opt::ShowFunctionLine => argument,
            _ => None,
        });
        let function = expressions(sources, &meter)?;
        let ignored = Ignored::of(options, &meter)?;
        let ignores_spaces =
            options.has_any([Opt::IgnoreTrailingSpace, Opt::IgnoreSpaceChange, Opt::IgnoreAllSpace]);
        Ok(Self {
            style,
            context,
            horizon: taken.horizon.max(context),
            brief: options.has(Opt::Brief),
            report_identical: options.has(Opt::ReportIdenticalFiles),
            labels: options.values(Opt::Label).cloned().collect(),
            recursive: options.has(Opt::Recursive),
            new_file: options.has(Opt::NewFile),
            new_second_file: options.has(Opt::UnidirectionalNewFile),
            follows: !options.has(Opt::NoDereference),
            ignored,
            text: options.has(Opt::Text),
            minimal: options.has(Opt::Minimal),
            speed: options.has(Opt::SpeedLargeFiles),
            normal: Normal {
                case: options.has(Opt::IgnoreCase),
                all_space: options.has(Opt::IgnoreAllSpace),
                space_change: options.has(Opt::IgnoreSpaceChange),
                trailing_space: options.has(Opt::IgnoreTrailingSpace),
                // GNU diff does not expand tabs where blanks at the end of lines are ignored.
                expansion: (options.has(Opt::IgnoreTabExpansion) && !ignores_spaces).then_some(tab_size),
                missing_newline: !style.tells_missing_newline(),
            },
            strips: options.has(Opt::StripTrailingCr),
            function,
            expand_tabs: options.has(Opt::ExpandTabs),
            initial_tab: options.has(Opt::InitialTab),
            tab_size,
            suppress_blank_empty: options.has(Opt::SuppressBlankEmpty),
            paginate: options.has(Opt::Paginate),
            columns: Columns::new(taken.width.unwrap_or(130), tab_size, options),
            formats: taken.formats.completed(),
            color: taken.color,
            palette: options.value(Opt::Palette).cloned(),
            fold_names: taken.fold_names,
            exclude: taken.exclude,
            starting: taken.starting,
            from: taken.from,
            to: taken.to,
            command: command(options, args),
        })
    }

    /// Whether something is printed of files that are the same.
    pub(super) fn shows_identical(&self) -> bool {
        match self.style {
            Style::SideBySide => !self.columns.suppress_common,
            Style::Merged => self.formats.shows_unchanged(),
            _ => false,
        }
    }

    /// Whether files that differ in a byte may count as the same.
    pub(super) fn ignores_something(&self) -> bool {
        let Normal { case, all_space, space_change, trailing_space, expansion, .. } = self.normal;
        case || all_space || space_change || trailing_space || expansion.is_some() || !self.ignored.is_empty()
    }
}

/// `diff` with its options as they were given.
fn command(options: &Options<Opt>, args: &[Text]) -> String {
    let mut operands = options.operands.iter().peekable();
    let mut command = String::from("diff");
    for arg in args {
        if operands.peek() == Some(&arg) {
            operands.next();
        } else {
            command.push(' ');
            command.push_str(&quote_operand(arg));
        }
    }
    command
}
