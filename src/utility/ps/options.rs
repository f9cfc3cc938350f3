//! The options of `ps`: those of UNIX after a dash, those of BSD without one, long ones.

use super::column::Column;
use super::{Headings, Order, PsOptions};
use crate::memory::{Vec, format};
use crate::text::Text;
use crate::utility::Context;
use crate::utility::UtilityError;
use crate::utility::format::count::parse_digits;
use bstr::ByteSlice as _;

const DEFAULT: &str = "pid,tname,time,ucmd";
const FULL: &str = "user,pid,ppid,c,stime,tname,time,cmd";
const EXTRA_FULL: &str = "user,pid,ppid,c,sz,rss,psr,stime,tname,time,cmd";
const LONG: &str = "f,s,uid,pid,ppid,c,opri,ni,addr,sz,wchan,tname,time,ucmd";
const LONG_Y: &str = "s,uid,pid,ppid,c,opri,ni,rss,sz,wchan,tname,time,ucmd";
const JOBS: &str = "pid,pgid,sid,tname,time,ucmd";
/// Each format of UNIX and what `-c`, the scheduling classes, makes of it.
const CLASSES: [(&str, &str); 6] = [
    (DEFAULT, "pid,class,pri,tname,time,ucmd"),
    (FULL, "user,pid,ppid,class,pri,stime,tname,time,cmd"),
    (EXTRA_FULL, "user,pid,ppid,class,pri,sz,rss,psr,stime,tname,time,cmd"),
    (LONG, "f,s,uid,pid,ppid,class,pri,addr,sz,wchan,tname,time,ucmd"),
    (LONG_Y, "s,uid,pid,ppid,class,pri,rss,sz,wchan,tname,time,ucmd"),
    (JOBS, "pid,pgid,sid,class,pri,tname,time,ucmd"),
];
const BSD: &str = "pid,tname,stat,bsdtime,args";
const BSD_USER: &str = "user,pid,pcpu,pmem,vsz,rss,tname,stat,start_time,bsdtime,args";
const BSD_JOBS: &str = "ppid,pid,pgid,sid,tname,tpgid,stat,uid,bsdtime,args";
const BSD_LONG: &str = "f,uid,pid,ppid,opri,ni,vsz,rss,wchan,stat,tname,bsdtime,args";
const BSD_SIGNALS: &str = "uid,pid,pending,blocked,ignored,caught,stat,tname,bsdtime,args";
const BSD_MEMORY: &str = "pid,tname,stat,bsdtime,maj_flt,trs,drs,rss,pmem,args";

/// Reads the arguments one after another.
pub(super) struct OptionReader<'a> {
    args: &'a [Text],
    settings: PsOptions,
    format: Option<&'static str>,
    bsd: bool,
    /// A dash before letters means nothing: they are BSD's.
    ignores_dashes: bool,
    long_y: bool,
    classes: bool,
    numeric: bool,
}

pub(super) fn wrong(message: crate::memory::String) -> UtilityError {
    UtilityError::Failed { message, status: 1 }
}

impl<'a> OptionReader<'a> {
    fn new(args: &'a [Text]) -> Self {
        Self {
            args,
            settings: PsOptions::default(),
            format: None,
            bsd: false,
            ignores_dashes: false,
            long_y: false,
            classes: false,
            numeric: false,
        }
    }

    /// The settings, once all arguments were read. What cannot be read as options of UNIX may be those of BSD behind a dash:
    /// `ps -aux`.
    pub(super) fn read(ctx: &Context, args: &'a [Text]) -> Result<PsOptions, UtilityError> {
        Self::new(args).read_all(ctx).or_else(|error| {
            let mut again = Self::new(args);
            (again.bsd, again.ignores_dashes) = (true, true);
            again.read_all(ctx).map_err(|_| error)
        })
    }

    fn read_all(mut self, ctx: &Context) -> Result<PsOptions, UtilityError> {
        while let Some((arg, rest)) = self.args.split_first() {
            self.args = rest;
            match arg.as_bytes() {
                [b'-', b'-', long @ ..] => self.long(ctx, long)?,
                [b'-', letters @ ..] if letters.first().is_some_and(u8::is_ascii_digit) => {
                    self.pids(letters)?;
                }
                [b'-', letters @ ..] => self.letters(ctx, letters, !self.ignores_dashes)?,
                [first, ..] if first.is_ascii_digit() => {
                    self.bsd = true;
                    self.pids(arg)?;
                }
                letters => {
                    self.bsd = true;
                    self.letters(ctx, letters, false)?;
                }
            }
        }
        if self.long_y && self.format != Some(LONG) {
            return Err(wrong("modifier -y without format -l makes no sense".into()));
        }
        if self.settings.columns.is_empty() {
            let names = match self.format {
                Some(LONG) if self.long_y => LONG_Y,
                Some(format) => format,
                None if self.bsd => BSD,
                None => DEFAULT,
            };
            let classes = CLASSES.iter().find(|(format, _)| self.classes && *format == names);
            let shown = classes.map_or(names, |(_, classes)| *classes);
            for name in shown.split(',') {
                self.settings.columns.extend(Column::named(name.as_bytes()));
            }
            for column in &mut self.settings.columns {
                // In the full format the user is called UID, in the default one a command CMD.
                if matches!(self.format, Some(FULL | EXTRA_FULL)) && column.heading == "USER" {
                    column.heading = "UID".into();
                }
                if matches!(names, DEFAULT | LONG | LONG_Y | JOBS) && column.heading == "COMMAND" {
                    column.heading = "CMD".into();
                }
            }
        }
        if self.numeric {
            self.settings.columns.iter_mut().for_each(Column::make_numeric);
        }
        Ok(self.settings)
    }

    fn letters(&mut self, ctx: &Context, letters: &[u8], is_unix: bool) -> Result<(), UtilityError> {
        let mut rest = letters;
        while let Some((&letter, tail)) = rest.split_first() {
            rest = tail;
            let takes_list =
                if is_unix { b"CGgOopqstUu".contains(&letter) } else { b"kOopqtU".contains(&letter) };
            if takes_list {
                let attached = Some(Text::from(tail)).filter(|tail| !tail.is_empty());
                let list = attached.or_else(|| {
                    let (list, args) = self.args.split_first()?;
                    self.args = args;
                    Some(list.clone())
                });
                let list = list.filter(|list| !list.is_empty());
                let missing = || {
                    let dash = if is_unix { "-" } else { "" };
                    let what =
                        format!("{} must follow {dash}{}", list_name(letter, is_unix), char::from(letter));
                    wrong(match letter {
                        b'q' => format!("{what}."),
                        b'k' => "long sort specification must follow 'k'".into(),
                        _ => what,
                    })
                };
                return self.list(ctx, letter, &list.ok_or_else(missing)?, is_unix);
            }
            match (is_unix, letter) {
                (true, b'A' | b'e' | b'a' | b'd') | (false, b'a' | b'x' | b'g' | b'T') => {
                    self.settings.all = true;
                }
                (true, b'f') => {
                    self.format = Some(if self.format == Some(EXTRA_FULL) { EXTRA_FULL } else { FULL });
                }
                (true, b'F') => self.format = Some(EXTRA_FULL),
                (true, b'l') => self.format = Some(LONG),
                (true, b'j') => self.format = Some(JOBS),
                (true, b'y') => self.long_y = true,
                (true, b'c') => self.classes = true,
                (_, b'n') => self.numeric = true,
                (true, b'H') => self.settings.order = Order::Indented,
                (true, b'N') => self.settings.negated = true,
                (_, b'V') => self.settings.version = true,
                (_, b'w') => self.settings.wide = self.settings.wide.saturating_add(1),
                (false, b'c') => self.settings.names_alone = true,
                // Times of children are 0, as all times are.
                (_, b'S') => {}
                (false, b'u') => self.format = Some(BSD_USER),
                (false, b'j') => self.format = Some(BSD_JOBS),
                (false, b'l') => self.format = Some(BSD_LONG),
                (false, b's') => self.format = Some(BSD_SIGNALS),
                (false, b'v') => self.format = Some(BSD_MEMORY),
                (false, b'f') => self.settings.order = Order::Forest,
                (false, b'h') => self.headings(Headings::None)?,
                (false, b'r') => self.settings.running = true,
                (true, _) => return Err(wrong("unsupported SysV option".into())),
                (false, _) => return Err(wrong("unsupported option (BSD syntax)".into())),
            }
        }
        Ok(())
    }

    fn list(&mut self, ctx: &Context, letter: u8, list: &Text, is_unix: bool) -> Result<(), UtilityError> {
        match letter {
            b'o' => self.format_list(list),
            b'O' => {
                let before = Column::named(b"pid");
                self.settings.columns.extend(before);
                self.format_list(list)?;
                for name in ["s", "tname", "time", "args"] {
                    self.settings.columns.extend(Column::named(name.as_bytes()));
                }
                Ok(())
            }
            b'k' => self.sort(list),
            b'p' | b'q' => self.pids(list),
            b'C' => {
                self.settings.names.extend(items(list)?.into_iter().map(Text::from));
                Ok(())
            }
            b't' => self.terminals(list),
            b'g' | b's' if is_unix => self.numbers(list, |settings| &mut settings.sessions),
            b'G' => self.users(ctx, list, false),
            _ => self.users(ctx, list, true),
        }
    }

    fn long(&mut self, ctx: &Context, long: &[u8]) -> Result<(), UtilityError> {
        let (name, attached) = match long.split_once_str("=") {
            Some((name, value)) => (name, Some(Text::from(value))),
            None => (long, None),
        };
        let takes_none = |canonical: &str| match &attached {
            Some(_) => Err(wrong(format!("option --{canonical} does not take an argument"))),
            None => Ok(()),
        };
        match name {
            b"no-headers" | b"no-heading" | b"noheaders" | b"noheading" | b"no-header" | b"noheader" => {
                takes_none("no-heading")?;
                self.headings(Headings::None)?;
            }
            b"headers" | b"heading" => {
                takes_none("heading")?;
                self.headings(Headings::EachPage)?;
            }
            b"forest" => {
                takes_none("forest")?;
                self.settings.order = Order::Forest;
            }
            b"deselect" => {
                takes_none("deselect")?;
                self.settings.negated = true;
            }
            b"cumulative" => takes_none("cumulative")?,
            b"columns" | b"cols" | b"width" => {
                let what = "number of columns must follow --cols, --width, or --columns";
                self.settings.columns_shown = Some(self.count(attached, what)?);
            }
            b"rows" | b"lines" => {
                let what = "number of rows must follow --rows or --lines";
                self.settings.lines = self.count(attached, what)?;
            }
            b"version" => self.settings.version = true,
            _ => return self.long_list(ctx, name, attached),
        }
        Ok(())
    }

    /// The long options that have a list.
    fn long_list(&mut self, ctx: &Context, name: &[u8], attached: Option<Text>) -> Result<(), UtilityError> {
        let what = match name {
            b"format" => "format specification",
            b"sort" => "long sort specification",
            b"pid" | b"ppid" => "list of process IDs",
            b"quick-pid" => "List of process IDs",
            b"sid" => "some sid thing(s)",
            b"tty" => "list of ttys",
            b"user" => "list of effective users",
            b"User" => "list of real users",
            b"group" => "list of effective groups",
            b"Group" => "list of real groups",
            _ => return Err(wrong("unknown gnu long option".into())),
        };
        let list = self.value(attached).filter(|list| !list.is_empty());
        let end = if name == b"quick-pid" { "." } else { "" };
        let missing = || wrong(format!("{what} must follow --{}{end}", bstr::BStr::new(name)));
        let list = list.ok_or_else(missing)?;
        match name {
            b"format" => self.format_list(&list),
            b"sort" => self.sort(&list),
            b"pid" | b"quick-pid" => self.pids(&list),
            b"ppid" => self.numbers(&list, |settings| &mut settings.parents),
            b"sid" => self.numbers(&list, |settings| &mut settings.sessions),
            b"tty" => self.terminals(&list),
            b"user" | b"User" => self.users(ctx, &list, true),
            _ => self.users(ctx, &list, false),
        }
    }

    /// A session has no terminal: only those are found that stand for none.
    fn terminals(&mut self, list: &[u8]) -> Result<(), UtilityError> {
        for item in items(list)? {
            if !matches!(item, b"?" | b"-") {
                return Err(wrong("TTY could not be found".into()));
            }
            self.settings.terminals.push(Text::from(item));
        }
        Ok(())
    }

    fn value(&mut self, attached: Option<Text>) -> Option<Text> {
        attached.or_else(|| {
            let (value, rest) = self.args.split_first()?;
            self.args = rest;
            Some(value.clone())
        })
    }

    fn headings(&mut self, headings: Headings) -> Result<(), UtilityError> {
        if self.settings.headings != Headings::Once {
            return Err(wrong("only one heading option may be specified".into()));
        }
        self.settings.headings = headings;
        Ok(())
    }

    /// A number of lines or columns, at least 1.
    fn count(&mut self, attached: Option<Text>, what: &str) -> Result<usize, UtilityError> {
        let number = self.value(attached).and_then(|value| parse_digits(&value));
        let number = number.and_then(|number| usize::try_from(number).ok()).filter(|&number| number > 0);
        number.ok_or_else(|| wrong(what.into()))
    }

    fn pids(&mut self, list: &[u8]) -> Result<(), UtilityError> {
        self.numbers(list, |settings| &mut settings.pids)
    }

    fn numbers(&mut self, list: &[u8], of: fn(&mut PsOptions) -> &mut Vec<u32>) -> Result<(), UtilityError> {
        for item in items(list)? {
            let digits = item.strip_prefix(b"-").unwrap_or(item);
            if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
                return Err(wrong("process ID list syntax error".into()));
            }
            let number = std::str::from_utf8(item).ok().and_then(|text| text.parse::<i32>().ok());
            let number = number.and_then(|number| u32::try_from(number).ok()).filter(|&number| number > 0);
            of(&mut self.settings).push(number.ok_or_else(|| wrong("process ID out of range".into()))?);
        }
        Ok(())
    }

    /// Users, or groups.
    fn users(&mut self, ctx: &Context, list: &[u8], is_user: bool) -> Result<(), UtilityError> {
        for item in items(list)? {
            let id = if is_user { ctx.user_id(item) } else { ctx.group_id(item) };
            let what = if is_user { "user" } else { "group" };
            let id = match id.or_else(|| parse_digits(item).and_then(|id| u32::try_from(id).ok())) {
                Some(id) => id,
                None if parse_digits(item).is_some() => {
                    return Err(wrong(format!("{what} ID out of range")));
                }
                None => return Err(wrong(format!("{what} name does not exist"))),
            };
            if is_user {
                self.settings.users.push(id);
            } else {
                self.settings.groups.push(id);
            }
        }
        Ok(())
    }

    /// `pid,user:9=NAME,args`: names, each with a width and a heading.
    fn format_list(&mut self, list: &[u8]) -> Result<(), UtilityError> {
        let list = list.strip_suffix(b",").unwrap_or(list);
        for item in list.split(|&byte| matches!(byte, b',' | b' ' | b'\t')) {
            let (name, heading) = match item.split_once_str("=") {
                Some((name, heading)) => (name, Some(heading)),
                None => (item, None),
            };
            let (name, width) = match name.split_once_str(":") {
                Some((name, width)) => (name, Some(width)),
                None => (name, None),
            };
            if name.is_empty() {
                return Err(wrong("improper format list".into()));
            }
            let unknown =
                || wrong(format!("unknown user-defined format specifier \"{}\"", bstr::BStr::new(name)));
            let mut column = Column::named(name).ok_or_else(unknown)?;
            if let Some(width) = width {
                let number = parse_digits(width).filter(|&number| number > 0);
                let number =
                    number.ok_or_else(|| wrong("column widths must be unsigned decimal numbers".into()))?;
                column.width = usize::try_from(number).unwrap_or(usize::MAX).min(WIDEST);
                column.is_fixed = true;
            }
            if let Some(heading) = heading {
                column.heading = crate::memory::String::from_utf8_lossy(heading);
            }
            self.settings.columns.push(column);
        }
        Ok(())
    }

    fn sort(&mut self, list: &[u8]) -> Result<(), UtilityError> {
        let list = list.strip_suffix(b",").unwrap_or(list);
        for item in items(list)? {
            let (descends, name) = match item {
                [b'-', name @ ..] => (true, name),
                [b'+', name @ ..] => (false, name),
                name => (false, name),
            };
            let column = Column::named(name).ok_or_else(|| wrong("unknown sort specifier".into()))?;
            self.settings.keys.push((column, descends));
        }
        Ok(())
    }
}

/// The most columns of a value.
const WIDEST: usize = 4096;

/// The items of a list: between commas and blanks, none of them empty.
fn items(list: &[u8]) -> Result<Vec<&[u8]>, UtilityError> {
    let mut items = Vec::new();
    for item in list.split(|&byte| matches!(byte, b',' | b' ' | b'\t')) {
        if item.is_empty() {
            return Err(wrong("improper list".into()));
        }
        items.push(item);
    }
    Ok(items)
}

/// What has to follow a letter.
fn list_name(letter: u8, is_unix: bool) -> &'static str {
    match letter {
        b'C' => "list of command names",
        b'G' => "list of real groups",
        b'O' => "format or sort specification",
        b'U' if is_unix => "list of real users",
        b'g' => "list of session leaders OR effective group IDs",
        b'k' => "long sort specification",
        b'o' => "format specification",
        b'q' => "List of process IDs",
        b's' => "list of session IDs",
        b't' => "list of terminals (pty, tty...)",
        b'U' | b'u' => "list of users",
        _ => "list of process IDs",
    }
}

/// A complaint, and how to get help.
pub(super) fn usage(message: &str) -> crate::memory::String {
    format!(
        "error: {message}\n\nUsage:\n ps [options]\n\n Try 'ps --help <simple|list|output|threads|misc|all>'\n  or 'ps --help <s|l|o|t|m|a>'\n for additional help text.\n\nFor more details see ps(1).\n"
    )
}
