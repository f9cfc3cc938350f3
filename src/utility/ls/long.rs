//! `ls -l`.

use super::columns::{prefix_widths, push_linked};
use super::dired::Dired;
use super::entry::{Entry, indicator};
use super::style::{Indicator, Style, TimeField};
use crate::memory::{String, ToDecimal, ToMetered, ToMeteredString, Vec, format};
use crate::utility::file::is_recent;
use crate::utility::format::file_mode::mode_letters;
use crate::utility::prelude::*;
use crate::vfs::Metadata;
use std::fmt::Write as _;

/// One file's fields, before they are aligned.
struct Line {
    links: String,
    user: String,
    group: String,
    size: String,
}

/// Prints a line for each entry; columns are as wide as their widest field.
/// Fields of `others` count as
/// well, which are not printed: operands that are listed later. `dired` keeps where names stand.
pub(super) async fn print(
    ctx: &mut Context,
    style: &Style,
    entries: &[Entry],
    others: &[Entry],
    mut dired: Option<&mut Dired>,
) -> Result<(), UtilityError> {
    let mut lines = Vec::with_capacity(entries.len());
    let (mut links, mut user, mut group, mut size) = (0, 0, 0, 0);
    let minor_width = entries
        .iter()
        .chain(others)
        .filter_map(|entry| entry.metadata.device)
        .map(|(_, minor)| minor.to_decimal().len());
    let minor_width = minor_width.max().unwrap_or(0);
    for entry in entries.iter().chain(others) {
        ctx.tick().await?;
        let line = Line::of(ctx, style, &entry.metadata, minor_width);
        links = links.max(line.links.len());
        user = user.max(line.user.chars().count());
        group = group.max(line.group.chars().count());
        size = size.max(line.size.len());
        lines.push(line);
    }
    let widths = prefix_widths(style, entries, others);
    let now = ctx.session.clock.now();
    for (entry, line) in entries.iter().zip(&lines) {
        ctx.tick().await?;
        let mut text = widths.prefix(style, entry);
        text.push_str(&mode_letters(entry.metadata.kind, entry.metadata.mode));
        let _ = write!(text, " {:>links$} ", line.links);
        if style.owner {
            let _ = write!(text, "{:<user$} ", line.user);
        }
        if style.group {
            let _ = write!(text, "{:<group$} ", line.group);
        }
        if style.author {
            let _ = write!(text, "{:<user$} ", line.user);
        }
        if style.context {
            text.push_str("? ");
        }
        let _ = write!(text, "{:>size$} ", line.size);
        let moment = style.moment(&entry.metadata);
        let format = if is_recent(moment, now) { &style.recent_format } else { &style.old_format };
        let mut out = if dired.is_some() { b"  ".to_metered() } else { Vec::new() };
        out.extend_from_slice(text.as_bytes());
        let start_of_time = out.len();
        style.zone.format_into(format, &style.zone.since_epoch(moment), &mut out);
        if style.time == TimeField::Born {
            // A question mark, as wide as a time of the year 1970 is.
            let width = String::from_utf8_lossy(out.get(start_of_time..).unwrap_or_default()).chars().count();
            out.truncate(start_of_time);
            out.extend_from_slice(format!("{:>width$}", '?').as_bytes());
        }
        out.push(b' ');
        let name = style.shown_name(&entry.name);
        let start = out.len();
        super::columns::push_colored(style, entry, &name, &mut out);
        // Colors do not count.
        let uncounted = out.len() - start - name.len();
        match &entry.target {
            Some((target, found)) => {
                out.extend_from_slice(b" -> ");
                push_linked(entry.link.as_deref(), &style.shown_name(target), &mut out);
                if style.indicator > Indicator::None
                    && let Some(found) = found
                {
                    out.extend(indicator(style, found));
                }
            }
            None => out.extend(indicator(style, &entry.metadata)),
        }
        out.push(style.end);
        if let Some(dired) = &mut dired {
            dired.line(start, name.len(), out.len() - uncounted);
        }
        ctx.stdout.write(&out).await?;
    }
    Ok(())
}

impl Line {
    fn of(ctx: &Context, style: &Style, metadata: &Metadata, minor_width: usize) -> Self {
        let name = |name: Option<Text>, id: u32| match name.filter(|_| !style.numeric) {
            Some(name) => name.to_metered_string(),
            None => id.to_decimal(),
        };
        let size = match metadata.device {
            Some((major, minor)) => format!("{major}, {minor:>minor_width$}"),
            None => style.shown_size(metadata.size),
        };
        Self {
            links: metadata.links.to_decimal(),
            user: name(ctx.user_name(metadata.uid), metadata.uid),
            group: name(ctx.group_name(metadata.gid), metadata.gid),
            size,
        }
    }
}
