//! `ps`: shows the processes of the run. procps ps(1). A session has no terminal and counts no processor time: `TTY` is `?`, times
//! and sizes are 0.
//!
//! `options.rs` reads the arguments, `column.rs` has the columns.

mod column;
mod options;

use super::context::options::help;
use crate::memory::{JoinText, String, ToMetered, ToMeteredString, Vec};
use crate::utility::ProcessRow;
use crate::utility::format::count::parse_digits;
use crate::utility::prelude::*;
use column::Column;
use options::{OptionReader, usage};
use std::cmp::Ordering;
use std::time::Duration;

options! {
    enum Opt {
        All = flag('A', "", "all processes") | flag('e', "", "all processes"),
        Names = value('C', "", "command", "command name"),
        Pid = value('p', "pid", "PID", "process id"),
        Parent = value('\0', "ppid", "PID", "parent process id"),
        Session = value('s', "sid", "session", "session id"),
        User = value('u', "user", "UID", "effective user id or name"),
        Group = value('G', "Group", "GID", "real group id or name"),
        Terminal = value('t', "tty", "tty", "terminal"),
        Deselect = flag('N', "deselect", "negate selection"),
        Format = value('o', "format", "format", "user-defined format"),
        Full = flag('f', "", "full-format, including command lines"),
        ExtraFull = flag('F', "", "extra full"),
        Jobs = flag('j', "", "jobs format"),
        Long = flag('l', "", "long format"),
        NoFlags = flag('y', "", "do not show flags, show rss vs. addr (used with -l)"),
        Hierarchy = flag('H', "", "show process hierarchy"),
        Forest = flag('\0', "forest", "ascii art process tree"),
        Sort = value('\0', "sort", "spec", "specify sort order as: [+|-]key[,...]"),
        Headers = flag('\0', "headers", "repeat header lines, one per page"),
        NoHeaders = flag('\0', "no-headers", "do not print header at all"),
        Lines = value('\0', "rows", "num", "set screen height"),
        Width = value('\0', "cols", "num", "set screen width"),
        Wide = flag('w', "", "unlimited output width (twice)"),
        Version = flag('V', "version", "display version information and exit"),
        Classes = flag('c', "", "show scheduling classes"),
        Numeric = flag('n', "", "display numeric uid and gid"),
        Children = flag('S', "cumulative", "include some dead child process data"),
        Bsd = flag('\0', "", "BSD's options without a dash: a x g T r u j l s v f h k n o O p q t U w c S V"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "ps",
    summary: "report a snapshot of the current processes",
    usage: "ps [options]",
    options: Opt::TABLE,
    examples: &[example("sleep 9 & ps -o comm= -p $!; kill $!", "sleep\n")],
    run: start!(run),
    ..Utility::BASE
};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Order {
    #[default]
    Plain,
    Indented,
    Forest,
}

/// Where the names of the columns stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Headings {
    None,
    #[default]
    Once,
    EachPage,
}

/// What is shown, and how.
#[derive(Debug, Default)]
struct PsOptions {
    all: bool,
    running: bool,
    negated: bool,
    headings: Headings,
    /// Lines of a page; 0 is a page of 24.
    lines: usize,
    columns_shown: Option<usize>,
    /// How often `w` was given.
    wide: u8,
    /// Commands without their arguments.
    names_alone: bool,
    version: bool,
    pids: Vec<u32>,
    parents: Vec<u32>,
    sessions: Vec<u32>,
    users: Vec<u32>,
    groups: Vec<u32>,
    names: Vec<Text>,
    terminals: Vec<Text>,
    columns: Vec<Column>,
    keys: Vec<(Column, bool)>,
    order: Order,
}

/// A process with what is told beside its row.
#[derive(Clone, Debug)]
struct Shown {
    row: ProcessRow,
    session: u32,
    age: Duration,
    depth: usize,
    art: &'static str,
}

impl Shown {
    fn state(&self) -> &'static str {
        if self.row.asks { "R" } else { "S" }
    }

    /// The kernel's name of the process: the last part of the program's path, 15 bytes of it.
    fn name(&self) -> String {
        let mut name = self.row.name();
        while name.len() > 15 {
            name.pop();
        }
        self.lead(name)
    }

    fn command(&self) -> String {
        let parts: Vec<String> = self.row.argv.iter().map(ToMeteredString::to_metered_string).collect();
        self.lead(parts.iter().map(String::as_str).collect::<Vec<&str>>().join_text(" "))
    }

    fn lead(&self, text: String) -> String {
        if self.depth == 0 {
            return text;
        }
        let mut lead = crate::memory::repeat_text(
            if self.art.is_empty() { "  " } else { "    " },
            self.depth - usize::from(!self.art.is_empty()),
        );
        lead.push_str(self.art);
        lead.push_str(&text);
        lead
    }
}

impl ProcessRow {
    /// The last part of the program's path.
    pub(super) fn name(&self) -> String {
        let path = self.argv.first().cloned().unwrap_or(Text::EMPTY);
        let base = path.rsplit(|&byte| byte == b'/').next().unwrap_or(&path);
        String::from_utf8_lossy(base.strip_prefix(b"-").unwrap_or(base))
    }
}

/// Exit status: 0, or 1 when nothing was found.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let args = std::mem::take(&mut ctx.args);
    if args.iter().any(|arg| arg.as_bytes() == b"--help") {
        ctx.stdout.push(help(&UTILITY, UTILITY.options).as_bytes());
        return Ok(ExitStatus::SUCCESS);
    }
    let settings = match OptionReader::read(ctx, &args) {
        Ok(settings) => settings,
        Err(UtilityError::Failed { message, .. }) => {
            ctx.stderr.push(usage(&message).as_bytes());
            return Ok(ExitStatus::FAILURE);
        }
        Err(error) => return Err(error),
    };
    if settings.version {
        ctx.stdout.push(b"ps from procps-ng 4.0.2\n");
        return Ok(ExitStatus::SUCCESS);
    }
    let rows = ctx.processes(&args).await;
    let session = rows.first().map_or(0, |row| row.pid);
    let mut shown: Vec<Shown> = Vec::new();
    for row in rows {
        ctx.tick().await?;
        let age = column::age(ctx, row.started);
        let shown_row = Shown { row, session, age, depth: 0, art: "" };
        if settings.selects(ctx, &shown_row) != settings.negated {
            shown.push(shown_row);
        }
    }
    settings.sort(ctx, &mut shown);
    let found = !shown.is_empty();
    print(ctx, &settings, &shown).await?;
    Ok(if found { ExitStatus::SUCCESS } else { ExitStatus::FAILURE })
}

impl Context {
    /// The processes of the run, as the machine knows them.
    pub(super) async fn processes(&self, args: &[Text]) -> Vec<ProcessRow> {
        let mut argv: Vec<Text> = crate::memory::vec![self.name.clone()];
        argv.extend(args.iter().cloned());
        // What was started just before is a program only after its first turn.
        for _ in 0..6 {
            crate::utility::yield_now().await;
        }
        self.commands.processes(argv).await
    }
}

impl PsOptions {
    fn selects(&self, ctx: &Context, shown: &Shown) -> bool {
        let Shown { row, session, .. } = shown;
        if self.running && !row.asks {
            return false;
        }
        let nothing_asked = [&self.pids, &self.parents, &self.sessions, &self.users, &self.groups]
            .iter()
            .all(|list| list.is_empty())
            && self.names.is_empty()
            && self.terminals.is_empty();
        self.all
            || nothing_asked
            || self.pids.contains(&row.pid)
            || self.parents.contains(&row.parent)
            || self.sessions.contains(session)
            || self.users.contains(&ctx.session.identity.uid)
            || self.groups.contains(&ctx.session.identity.gid)
            || self.terminals.iter().any(|terminal| matches!(terminal.as_bytes(), b"?" | b"-"))
            || self.names.iter().any(|name| shown.name().as_bytes() == name.as_bytes())
    }

    fn sort(&self, ctx: &Context, shown: &mut Vec<Shown>) {
        for (column, descends) in self.keys.iter().rev() {
            shown.sort_by(|one, two| {
                let values = [column.value(ctx, one), column.value(ctx, two)];
                let numbers = values.each_ref().map(|value| value.parse::<f64>().ok());
                let order = match numbers {
                    [Some(one), Some(two)] => one.partial_cmp(&two).unwrap_or(Ordering::Equal),
                    _ => values[0].cmp(&values[1]),
                };
                if *descends { order.reverse() } else { order }
            });
        }
        if self.order == Order::Plain {
            return;
        }
        let mut rest = std::mem::take(shown);
        let known: Vec<u32> = rest.iter().map(|item| item.row.pid).collect();
        let mut path: Vec<u32> = Vec::new();
        // Each time the first that is a child of the innermost process on the way, or of none.
        while !rest.is_empty() {
            let next = rest.iter().position(|item| match path.last() {
                Some(parent) => item.row.parent == *parent,
                None => !known.contains(&item.row.parent),
            });
            match next {
                Some(at) => {
                    let mut item = rest.remove(at);
                    item.depth = path.len();
                    item.art = if self.order == Order::Forest { " \\_ " } else { "" };
                    path.push(item.row.pid);
                    shown.push(item);
                }
                None if path.is_empty() => shown.append(&mut rest),
                None => {
                    path.pop();
                }
            }
        }
    }
}

/// Lines of a page where nothing says it.
const PAGE: usize = 24;
/// Columns of one `w`.
const WIDE: usize = 132;
/// The last column has at least so many.
const LEAST_LAST: usize = 3;

async fn print(ctx: &mut Context, settings: &PsOptions, shown: &[Shown]) -> Result<(), UtilityError> {
    let headings: Vec<String> = settings.columns.iter().map(|column| column.heading.clone()).collect();
    let has_headings = match settings.headings {
        Headings::None => false,
        Headings::Once => headings.iter().any(|heading| !heading.is_empty()),
        Headings::EachPage => true,
    };
    let page = match settings.headings {
        Headings::EachPage => {
            if settings.lines == 0 {
                PAGE
            } else {
                settings.lines
            }
        }
        _ => 0,
    };
    let rows_of_page = if page > 1 { page - 1 } else { usize::MAX };
    let width = settings.width(ctx);
    for (index, row) in shown.iter().enumerate() {
        if has_headings && index % rows_of_page == 0 {
            line(ctx, settings, &headings, None, true).await?;
        }
        let mut values: Vec<String> = Vec::new();
        let last = settings.columns.len().saturating_sub(1);
        for (at, column) in settings.columns.iter().enumerate() {
            // The last one has as much room as it needs.
            let wide = column::Column { width: usize::MAX, ..column.clone() };
            let column = if at == last { &wide } else { column };
            values.push(if settings.names_alone && column.kind == column::Kind::Command {
                row.name()
            } else {
                column.value(ctx, row)
            });
        }
        line(ctx, settings, &values, width, false).await?;
    }
    if has_headings && shown.is_empty() {
        line(ctx, settings, &headings, None, true).await?;
    }
    Ok(())
}

impl PsOptions {
    /// Columns of a line, if they are bounded.
    fn width(&self, ctx: &Context) -> Option<usize> {
        let of_screen = || {
            let text = ctx.env.get(b"COLUMNS")?;
            parse_digits(text).and_then(|number| usize::try_from(number).ok()).filter(|&number| number > 0)
        };
        let width = self.columns_shown.or_else(of_screen)?;
        match self.wide {
            0 => Some(width),
            1 => Some(width.max(WIDE)),
            _ => None,
        }
    }
}

/// One line: each value in the width of its column. The last one ends where the screen does; where the others leave it no
/// room, it ends a whole number of screens further on.
async fn line(
    ctx: &mut Context,
    settings: &PsOptions,
    values: &[String],
    screen: Option<usize>,
    is_heading: bool,
) -> Result<(), UtilityError> {
    let last = values.len().saturating_sub(1);
    let mut used: usize = 0;
    for (index, (column, value)) in settings.columns.iter().zip(values).enumerate() {
        ctx.tick().await?;
        let width =
            if column.is_fixed { column.width } else { column.width.max(column.heading.chars().count()) };
        let length = value.chars().count();
        let padding = crate::memory::repeat_text(" ", width.saturating_sub(length));
        if column.right {
            ctx.stdout.push(padding.as_bytes());
            ctx.stdout.push(value.as_bytes());
        } else if index == last {
            let room = screen.map_or(usize::MAX, |screen| {
                used.saturating_add(LEAST_LAST).next_multiple_of(screen).saturating_sub(used)
            });
            let end = value.char_indices().nth(room).map_or(value.len(), |(at, _)| at);
            ctx.stdout.push(value.as_bytes().get(..end).unwrap_or_default());
        } else {
            let is_cut = !is_heading
                && matches!(column.kind, column::Kind::Command | column::Kind::Name)
                && length > width;
            let shown: String =
                if is_cut { value.chars().take(width).collect() } else { value.as_str().to_metered() };
            ctx.stdout.push(shown.as_bytes());
            ctx.stdout.push(padding.as_bytes());
        }
        used = used.saturating_add(width.max(length)).saturating_add(1);
        ctx.stdout.write(if index == last { b"\n" } else { b" " }).await?;
    }
    Ok(())
}
