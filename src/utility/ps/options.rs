//! The options of `ps`: those of UNIX after a dash, those of BSD without one, long ones.

use super::column::Column;
use super::{Headings, Order, Settings};
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
const BSD: &str = "pid,tname,stat,bsdtime,args";
const BSD_USER: &str = "user,pid,pcpu,pmem,vsz,rss,tname,stat,start_time,bsdtime,args";
const BSD_JOBS: &str = "ppid,pid,pgid,sid,tname,tpgid,stat,uid,bsdtime,args";
const BSD_LONG: &str = "f,uid,pid,ppid,opri,ni,vsz,rss,wchan,stat,tname,bsdtime,args";
const BSD_SIGNALS: &str = "uid,pid,pending,blocked,ignored,caught,stat,tname,bsdtime,args";
const BSD_MEMORY: &str = "pid,tname,stat,bsdtime,maj_flt,trs,drs,rss,pmem,args";

/// Reads the arguments one after another.
pub(super) struct Reader<'a> {
    pub(super) args: &'a [Text],
    pub(super) settings: Settings,
    format: Option<&'static str>,
    bsd: bool,
    long_y: bool,
}

pub(super) fn wrong(message: crate::memory::String) -> UtilityError {
    UtilityError::Failed { message, status: 1 }
}

impl<'a> Reader<'a> {
    pub(super) fn new(args: &'a [Text]) -> Self {
        Self { args, settings: Settings::default(), format: None, bsd: false, long_y: false }
    }

    /// The settings, once all arguments were read.
    pub(super) fn read(mut self, ctx: &Context) -> Result<Settings, UtilityError> {
        while let Some((arg, rest)) = self.args.split_first() {
            self.args = rest;
            match arg.as_bytes() {
                [b'-', b'-', long @ ..] => self.long(ctx, long)?,
                [b'-', letters @ ..] if letters.first().is_some_and(u8::is_ascii_digit) => {
                    self.pids(letters)?;
                }
                [b'-', letters @ ..] => self.letters(ctx, letters, true)?,
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
            for name in names.split(',') {
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
        Ok(self.settings)
    }

    fn letters(&mut self, ctx: &Context, letters: &[u8], is_unix: bool) -> Result<(), UtilityError> {
        let mut rest = letters;
        while let Some((&letter, tail)) = rest.split_first() {
            rest = tail;
            let takes_list =
                if is_unix { b"CGgOopqstUu".contains(&letter) } else { b"kOopqtU".contains(&letter) };
            if takes_list {
                let list = if tail.is_empty() {
                    let Some((list, args)) = self.args.split_first() else {
                        return Err(wrong(match letter {
                            b'o' | b'O' => {
                                format!("format specification must follow -{}", char::from(letter))
                            }
                            _ => format!("list of {} must follow -{}", list_name(letter), char::from(letter)),
                        }));
                    };
                    self.args = args;
                    list.clone()
                } else {
                    Text::from(tail)
                };
                return self.list(ctx, letter, &list, is_unix);
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
                (true, b'H') => self.settings.order = Order::Indented,
                (true, b'N') => self.settings.negated = true,
                (_, b'V') => self.settings.version = true,
                (_, b'w') => self.settings.wide = self.settings.wide.saturating_add(1),
                (false, b'c') => self.settings.names_alone = true,
                // Times of children are 0, as all times are.
                (false, b'S') => {}
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
                self.settings.names.extend(items(list).map(Text::from));
                Ok(())
            }
            b't' => {
                self.settings.terminals.extend(items(list).map(Text::from));
                Ok(())
            }
            b'g' | b's' if is_unix => self.numbers(list, |settings| &mut settings.sessions, "session"),
            b'G' => self.users(ctx, list, false),
            _ => self.users(ctx, list, true),
        }
    }

    fn long(&mut self, ctx: &Context, long: &[u8]) -> Result<(), UtilityError> {
        let (name, attached) = match long.split_once_str("=") {
            Some((name, value)) => (name, Some(Text::from(value))),
            None => (long, None),
        };
        match name {
            b"no-headers" | b"no-heading" | b"noheaders" | b"noheading" | b"no-header" | b"noheader" => {
                self.headings(Headings::None)?;
            }
            b"headers" | b"heading" => self.headings(Headings::EachPage)?,
            b"forest" => self.settings.order = Order::Forest,
            b"deselect" => self.settings.negated = true,
            b"cumulative" => {}
            b"columns" | b"cols" | b"width" => {
                let what = "number of columns must follow --cols, --width, or --columns";
                self.settings.columns_shown = Some(self.count(name, attached, what)?);
            }
            b"rows" | b"lines" => {
                let what = "number of rows must follow --rows or --lines";
                self.settings.lines = self.count(name, attached, what)?;
            }
            b"version" => self.settings.version = true,
            b"format" => {
                let list = self.value(name, attached)?;
                self.format_list(&list)?;
            }
            b"sort" => {
                let list = self.value(name, attached)?;
                self.sort(&list)?;
            }
            b"pid" | b"quick-pid" => {
                let list = self.value(name, attached)?;
                self.pids(&list)?;
            }
            b"ppid" => {
                let list = self.value(name, attached)?;
                self.numbers(&list, |settings| &mut settings.parents, "process ID")?;
            }
            b"sid" => {
                let list = self.value(name, attached)?;
                self.numbers(&list, |settings| &mut settings.sessions, "session")?;
            }
            b"tty" => {
                let list = self.value(name, attached)?;
                self.settings.terminals.extend(items(&list).map(Text::from));
            }
            b"user" | b"User" => {
                let list = self.value(name, attached)?;
                self.users(ctx, &list, true)?;
            }
            b"group" | b"Group" => {
                let list = self.value(name, attached)?;
                self.users(ctx, &list, false)?;
            }
            _ => return Err(wrong("unknown gnu long option".into())),
        }
        Ok(())
    }

    fn value(&mut self, name: &[u8], attached: Option<Text>) -> Result<Text, UtilityError> {
        if let Some(value) = attached {
            return Ok(value);
        }
        let missing = || wrong(format!("list must follow --{}", bstr::BStr::new(name)));
        let (value, rest) = self.args.split_first().ok_or_else(missing)?;
        self.args = rest;
        Ok(value.clone())
    }

    fn headings(&mut self, headings: Headings) -> Result<(), UtilityError> {
        if self.settings.headings != Headings::Once {
            return Err(wrong("only one heading option may be specified".into()));
        }
        self.settings.headings = headings;
        Ok(())
    }

    /// A number of lines or columns, at least 1.
    fn count(&mut self, name: &[u8], attached: Option<Text>, what: &str) -> Result<usize, UtilityError> {
        let number = self.value(name, attached).ok().and_then(|value| parse_digits(&value));
        let number = number.and_then(|number| usize::try_from(number).ok()).filter(|&number| number > 0);
        number.ok_or_else(|| wrong(what.into()))
    }

    fn pids(&mut self, list: &[u8]) -> Result<(), UtilityError> {
        self.numbers(list, |settings| &mut settings.pids, "process ID")
    }

    fn numbers(
        &mut self,
        list: &[u8],
        of: fn(&mut Settings) -> &mut Vec<u32>,
        what: &str,
    ) -> Result<(), UtilityError> {
        for item in items(list) {
            let number = std::str::from_utf8(item)
                .ok()
                .and_then(|text| text.parse().ok())
                .filter(|&number| number > 0);
            let number = number.ok_or_else(|| wrong(format!("{what} list syntax error")))?;
            of(&mut self.settings).push(number);
        }
        Ok(())
    }

    /// Users, or groups.
    fn users(&mut self, ctx: &Context, list: &[u8], is_user: bool) -> Result<(), UtilityError> {
        for item in items(list) {
            let id = if is_user { ctx.user_id(item) } else { ctx.group_id(item) };
            let what = if is_user { "user" } else { "group" };
            let id = id.ok_or_else(|| wrong(format!("{what} name does not exist")))?;
            if is_user {
                self.settings.users.push(id);
            } else {
                self.settings.groups.push(id);
            }
        }
        Ok(())
    }

    /// `pid,user=NAME,args`: a heading reaches to the end of the argument.
    fn format_list(&mut self, list: &[u8]) -> Result<(), UtilityError> {
        let (names, heading) = match list.split_once_str("=") {
            Some((names, heading)) => (names, Some(heading)),
            None => (list, None),
        };
        // A heading ends where the next one begins: `pid=,comm=`.
        if let Some(heading) = heading
            && let Some(comma) = heading.find_byte(b',')
            && heading.contains(&b'=')
        {
            let (own, rest) = heading.split_at_checked(comma).unwrap_or((heading, b""));
            self.format_names(names, Some(own))?;
            return self.format_rest(rest.get(1..).unwrap_or(b""));
        }
        self.format_names(names, heading)
    }

    fn format_rest(&mut self, mut rest: &[u8]) -> Result<(), UtilityError> {
        while let Some((names, after)) = rest.split_once_str("=") {
            let own_end = if after.contains(&b'=') {
                after.find_byte(b',').unwrap_or(after.len())
            } else {
                after.len()
            };
            self.format_names(names, after.get(..own_end))?;
            rest = after.get(own_end + 1..).unwrap_or(b"");
        }
        if rest.is_empty() { Ok(()) } else { self.format_names(rest, None) }
    }

    fn format_names(&mut self, names: &[u8], heading: Option<&[u8]>) -> Result<(), UtilityError> {
        let count = items(names).count();
        for (index, name) in items(names).enumerate() {
            let (name, width) = match name.split_once_str(":") {
                Some((name, width)) => {
                    (name, std::str::from_utf8(width).ok().and_then(|text| text.parse().ok()))
                }
                None => (name, None),
            };
            let unknown =
                || wrong(format!("unknown user-defined format specifier \"{}\"", bstr::BStr::new(name)));
            let mut column = Column::named(name).ok_or_else(unknown)?;
            if let Some(width) = width {
                column.width = width;
            }
            if index + 1 == count
                && let Some(heading) = heading
            {
                column.heading = crate::memory::String::from_utf8_lossy(heading);
            }
            self.settings.columns.push(column);
        }
        Ok(())
    }

    fn sort(&mut self, list: &[u8]) -> Result<(), UtilityError> {
        for item in items(list) {
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

/// The items of a list: between commas and blanks.
fn items(list: &[u8]) -> impl Iterator<Item = &[u8]> {
    list.split(|&byte| matches!(byte, b',' | b' ' | b'\t')).filter(|item| !item.is_empty())
}

fn list_name(letter: u8) -> &'static str {
    match letter {
        b'C' => "command names",
        b'G' => "real groups",
        b'g' => "session leaders OR effective group IDs",
        b's' => "session IDs",
        b't' => "terminals (pty, tty...)",
        b'U' => "real users",
        b'u' => "users",
        _ => "process IDs",
    }
}

/// A complaint, and how to get help.
pub(super) fn usage(message: &str) -> crate::memory::String {
    format!(
        "error: {message}\n\nUsage:\n ps [options]\n\n Try 'ps --help <simple|list|output|threads|misc|all>'\n  or 'ps --help <s|l|o|t|m|a>'\n for additional help text.\n\nFor more details see ps(1).\n"
    )
}
