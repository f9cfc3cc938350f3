//! Which processes `pgrep` and `pkill` choose.

use crate::memory::{JoinMetered, String, Vec, format};
use crate::text::Text;
use crate::utility::context::options::options;
use crate::utility::context::ticker::{MeterTicker, regex_options, search_error};
use crate::utility::regex::{Regex, Syntax};
use crate::utility::{Context, ExitStatus, OptionSet, Options, ProcessRow, UtilityError};
use std::time::Duration;

options! {
    /// Options of both.
    pub(in crate::utility) enum SelectOpt {
        Count = flag('c', "count", "count of matching processes"),
        Full = flag('f', "full", "use full process name to match"),
        Group = value('g', "pgroup", "PGID,...", "match listed process group IDs"),
        Gid = value('G', "group", "GID,...", "match real group IDs"),
        IgnoreCase = flag('i', "ignore-case", "match case insensitively"),
        Newest = flag('n', "newest", "select most recently started"),
        Oldest = flag('o', "oldest", "select least recently started"),
        Older = value('O', "older", "seconds", "select where older than seconds"),
        Parent = value('P', "parent", "PPID,...", "match only child processes of the given parent"),
        Session = value('s', "session", "SID,...", "match session IDs"),
        Terminal = value('t', "terminal", "tty,...", "match by controlling terminal"),
        Euid = value('u', "euid", "ID,...", "match by effective IDs"),
        Uid = value('U', "uid", "ID,...", "match by real IDs"),
        Exact = flag('x', "exact", "match exactly with the command name"),
        PidFile = value('F', "pidfile", "file", "read PIDs from file"),
        RunStates = value('r', "runstates", "state", "match runstates [D,S,Z,...]"),
        IgnoreAncestors = flag('A', "ignore-ancestors", "exclude our ancestors from results"),
    }
}

/// Those that choose processes without a pattern.
const CRITERIA: [SelectOpt; 10] = [
    SelectOpt::Group,
    SelectOpt::Gid,
    SelectOpt::Parent,
    SelectOpt::Session,
    SelectOpt::Terminal,
    SelectOpt::Euid,
    SelectOpt::Uid,
    SelectOpt::Older,
    SelectOpt::PidFile,
    SelectOpt::RunStates,
];

/// See the module.
#[derive(Debug, Default)]
pub(in crate::utility) struct Criteria {
    regex: Option<Regex>,
    full: bool,
    inverse: bool,
    newest: bool,
    oldest: bool,
    ignore_ancestors: bool,
    pids: Option<Vec<u32>>,
    groups: Option<Vec<u32>>,
    gids: Option<Vec<u32>>,
    parents: Option<Vec<u32>>,
    sessions: Option<Vec<u32>>,
    terminals: Option<Vec<Text>>,
    uids: Option<Vec<u32>>,
    older: Option<Duration>,
    states: Option<Text>,
}

fn failed(message: String) -> UtilityError {
    UtilityError::Failed { message, status: 2 }
}

impl Criteria {
    /// What the options and the operand, a pattern, ask for; `inverse` is an option that each has in its own way.
    pub(in crate::utility) async fn read<O: OptionSet + From<SelectOpt>>(
        ctx: &mut Context,
        options: &Options<O>,
        inverse: bool,
    ) -> Result<Self, UtilityError> {
        let given = |option: SelectOpt| options.value(option).cloned();
        let pattern = match options.operands.as_slice() {
            [] if !options.has_any(CRITERIA) => {
                return Err(usage(ctx, "no matching criteria specified"));
            }
            [] => None,
            [pattern] => Some(pattern),
            _ => return Err(usage(ctx, "only one pattern can be provided")),
        };
        let mut read = Self {
            full: options.has(SelectOpt::Full),
            inverse,
            newest: options.has(SelectOpt::Newest),
            oldest: options.has(SelectOpt::Oldest),
            ignore_ancestors: options.has(SelectOpt::IgnoreAncestors),
            ..Self::default()
        };
        if u8::from(read.newest) + u8::from(read.oldest) + u8::from(read.inverse) > 1
            && !(read.inverse && !read.newest && !read.oldest)
        {
            return Err(usage(ctx, "-v, -n and -o cannot be combined"));
        }
        if let Some(pattern) = pattern {
            let source: Vec<u8> = if options.has(SelectOpt::Exact) {
                [b"^(", pattern.as_bytes(), b")$"].concat_metered()
            } else {
                pattern.as_bytes().into()
            };
            ctx.compiles(&source).await;
            let mut regex = regex_options(&ctx.meter);
            regex.ignore_case = options.has(SelectOpt::IgnoreCase);
            let compiled = Regex::new(&source, Syntax::Extended, &regex);
            read.regex = Some(compiled.map_err(|error| match search_error(&ctx.meter, &error, 2) {
                UtilityError::Failed { message, .. } => failed(format!("regex error: {message}")),
                error => error,
            })?);
        }
        read.groups = numbers(given(SelectOpt::Group))?;
        read.parents = numbers(given(SelectOpt::Parent))?;
        read.sessions = numbers(given(SelectOpt::Session))?;
        for (option, is_user) in [(SelectOpt::Euid, true), (SelectOpt::Uid, true), (SelectOpt::Gid, false)] {
            let Some(list) = given(option) else { continue };
            let mut ids = Vec::new();
            for item in list.split(|&byte| byte == b',') {
                let id = if is_user { ctx.user_id(item) } else { ctx.group_id(item) };
                let what = if is_user { "user" } else { "group" };
                ids.push(
                    id.ok_or_else(|| failed(format!("invalid {what} name: {}", bstr::BStr::new(item))))?,
                );
            }
            if is_user { read.uids = Some(ids) } else { read.gids = Some(ids) }
        }
        read.terminals =
            given(SelectOpt::Terminal).map(|list| list.split(|&byte| byte == b',').map(Text::from).collect());
        read.states = given(SelectOpt::RunStates);
        if let Some(text) = given(SelectOpt::Older) {
            let seconds = super::super::format::count::parse_digits(&text);
            read.older =
                Some(Duration::from_secs(seconds.ok_or_else(|| failed(format!("not a number: {text}")))?));
        }
        if let Some(file) = given(SelectOpt::PidFile) {
            read.pids = Some(read_pids(ctx, &file).await?);
        }
        Ok(read)
    }

    /// The processes, in the order in which they were started. The one that asks is never among them.
    pub(in crate::utility) async fn select(
        &self,
        ctx: &mut Context,
        args: &[Text],
    ) -> Result<Vec<ProcessRow>, UtilityError> {
        let rows = ctx.processes(args).await;
        let session = rows.first().map_or(0, |row| row.pid);
        let mut ancestors: Vec<u32> = Vec::new();
        let mut child = rows.iter().find(|row| row.asks);
        while let Some(parent) = child.and_then(|row| rows.iter().find(|other| other.pid == row.parent)) {
            ancestors.push(parent.pid);
            child = (ancestors.len() < rows.len()).then_some(parent);
        }
        let mut chosen: Vec<ProcessRow> = Vec::new();
        for row in rows {
            ctx.tick().await?;
            if row.asks || (self.ignore_ancestors && ancestors.contains(&row.pid)) {
                continue;
            }
            let is_match = self.has_attributes(ctx, &row, session) && self.has_name(ctx, &row)?;
            if is_match != self.inverse {
                chosen.push(row);
            }
        }
        if self.newest || self.oldest {
            let found = if self.newest { chosen.pop() } else { chosen.into_iter().next() };
            return Ok(found.into_iter().collect());
        }
        Ok(chosen)
    }

    fn has_name(&self, ctx: &Context, row: &ProcessRow) -> Result<bool, UtilityError> {
        let Some(regex) = &self.regex else { return Ok(true) };
        let text: Vec<u8> = if self.full {
            let parts: Vec<&[u8]> = row.argv.iter().map(Text::as_bytes).collect();
            parts.join_metered(&b" "[..])
        } else {
            row.name().bytes().take(15).collect()
        };
        let mut groups = Vec::new();
        let mut ticker = MeterTicker::new(&ctx.meter);
        regex
            .captures_at_ticked(&text, 0, &mut groups, &mut ticker)
            .map_err(|error| search_error(&ctx.meter, &error, 2))
    }

    fn has_attributes(&self, ctx: &Context, row: &ProcessRow, session: u32) -> bool {
        let within =
            |list: &Option<Vec<u32>>, number: u32| list.as_ref().is_none_or(|list| list.contains(&number));
        let age = ctx.session.clock.monotonic().saturating_sub(row.started);
        let state = if row.asks { b'R' } else { b'S' };
        within(&self.pids, row.pid)
            && self
                .groups
                .as_ref()
                .is_none_or(|list| list.contains(&row.group) || (list.contains(&0) && row.group == session))
            && within(&self.gids, ctx.session.identity.gid)
            && within(&self.parents, row.parent)
            && self.sessions.as_ref().is_none_or(|list| list.contains(&session) || list.contains(&0))
            && within(&self.uids, ctx.session.identity.uid)
            && self
                .terminals
                .as_ref()
                .is_none_or(|list| list.iter().any(|name| matches!(name.as_bytes(), b"?" | b"-")))
            && self.older.is_none_or(|least| age >= least)
            && self.states.as_ref().is_none_or(|states| states.contains(&state))
    }
}

/// 0 as a process group or session is the own one.
fn numbers(list: Option<Text>) -> Result<Option<Vec<u32>>, UtilityError> {
    let Some(list) = list else { return Ok(None) };
    let mut numbers = Vec::new();
    for item in list.split(|&byte| byte == b',') {
        let number = std::str::from_utf8(item).ok().and_then(|text| text.parse().ok());
        numbers.push(number.ok_or_else(|| failed(format!("not a number: {}", bstr::BStr::new(item))))?);
    }
    Ok(Some(numbers))
}

async fn read_pids(ctx: &mut Context, file: &Text) -> Result<Vec<u32>, UtilityError> {
    let bad = || failed("pidfile not valid\nTry `pgrep --help' for more information.".into());
    let mut input = match ctx.open_input(file) {
        Ok(input) => input,
        Err(crate::vfs::FsError::Limit(limit)) => return Err(limit.into()),
        Err(_) => return Err(bad()),
    };
    let line = match input.next_line(b'\n').await {
        Ok(line) => line.unwrap_or(&[]),
        Err(crate::vfs::FsError::Limit(limit)) => return Err(limit.into()),
        Err(_) => return Err(bad()),
    };
    let text = std::str::from_utf8(line).ok().and_then(|text| text.trim().parse().ok());
    Ok(crate::memory::vec![text.ok_or_else(bad)?])
}

/// procps quotes its own way.
pub(in crate::utility) fn usage(ctx: &mut Context, message: &str) -> UtilityError {
    ctx.warn(message);
    let hint = format!("Try `{} --help' for more information.\n", ctx.name);
    ctx.stderr.push(hint.as_bytes());
    UtilityError::Exit(ExitStatus(2))
}
