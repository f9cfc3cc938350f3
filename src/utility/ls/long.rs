//! `ls -l`.

use super::columns::prefix_widths;
use super::entry::{Entry, indicator};
use super::style::{Indicator, Style};
use crate::memory::{String, ToDecimal, ToMeteredString, Vec, format};
use crate::utility::file::is_recent;
use crate::utility::format::file_mode::mode_letters;
use crate::utility::format::human_size::human_size;
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
pub(super) async fn print(ctx: &mut Context, style: &Style, entries: &[Entry]) -> Result<(), UtilityError> {
    let mut lines = Vec::with_capacity(entries.len());
    let (mut links, mut user, mut group, mut size) = (0, 0, 0, 0);
    let minor_width =
        entries.iter().filter_map(|entry| entry.metadata.device).map(|(_, minor)| minor.to_decimal().len());
    let minor_width = minor_width.max().unwrap_or(0);
    for entry in entries {
        ctx.tick().await?;
        let line = Line::of(ctx, style, &entry.metadata, minor_width);
        links = links.max(line.links.len());
        user = user.max(line.user.chars().count());
        group = group.max(line.group.chars().count());
        size = size.max(line.size.len());
        lines.push(line);
    }
    let widths = prefix_widths(style, entries);
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
        let _ = write!(text, "{:>size$} ", line.size);
        let moment = style.moment(&entry.metadata);
        let format = if is_recent(moment, now) { &style.recent_format } else { &style.old_format };
        let mut out = text.into_bytes();
        style.zone.format_into(format, &style.zone.since_epoch(moment), &mut out);
        out.push(b' ');
        super::columns::push_colored(style, entry, &style.shown_name(&entry.name), &mut out);
        match &entry.target {
            Some((target, found)) => {
                out.extend_from_slice(b" -> ");
                out.extend_from_slice(&style.shown_name(target));
                if style.indicator > Indicator::None
                    && let Some(found) = found
                {
                    out.extend(indicator(style, found));
                }
            }
            None => out.extend(indicator(style, &entry.metadata)),
        }
        out.push(style.end);
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
        let size = match (metadata.device, style.human) {
            (Some((major, minor)), _) => format!("{major}, {minor:>minor_width$}"),
            (None, Some(base)) => human_size(metadata.size, base),
            (None, None) => metadata.size.to_decimal(),
        };
        Self {
            links: metadata.links.to_decimal(),
            user: name(ctx.user_name(metadata.uid), metadata.uid),
            group: name(ctx.group_name(metadata.gid), metadata.gid),
            size,
        }
    }
}
