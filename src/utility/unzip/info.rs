//! `zipinfo`: lists entries as `ls -l` does.

use super::list::per_mille;
use super::settings::{Format, UnzipOptions};
use super::{Found, NOT_FOUND, place, selected, tell_unmatched};
use crate::memory::{JoinMetered, String, format};
use crate::utility::compress::zip::{DosTime, ENCRYPTED, Entry, Method, SIZES_FOLLOW};
use crate::utility::format::time_format::Zone;
use crate::utility::prelude::*;

pub(super) async fn list(
    ctx: &mut Context,
    settings: &mut UnzipOptions,
    found: &Found,
) -> Result<ExitStatus, UtilityError> {
    let entries = &found.archive.entries;
    let is_partial = settings.is_partial();
    let only_more = settings.shows_header.is_some() || settings.shows_totals.is_some();
    let names = settings.format == Format::Names;
    // With -h or -t alone nothing is listed unless a format is asked for too.
    let by_default = !names && settings.format != Format::NamesWithMore && !is_partial && !only_more;
    let shows_header = (settings.shows_header.unwrap_or(by_default)) && !names;
    let shows_totals = (settings.shows_totals.unwrap_or(by_default)) && !names;
    let lists = !only_more || is_partial || settings.format != Format::Short;
    if shows_header {
        ctx.stdout.write(format!("Archive:  {}\n", found.name).as_bytes()).await?;
    }
    if settings.shows_comment && !names && !found.archive.comment.is_empty() {
        ctx.stdout.write(&[&found.archive.comment[..], b"\n"].concat_metered()).await?;
    }
    if shows_header {
        let (size, count) = (found.archive.size, entries.len());
        let line = format!("Zip file size: {size} bytes, number of entries: {count}\n");
        ctx.stdout.write(line.as_bytes()).await?;
    }
    let zone = Zone::of(&ctx.env);
    let (mut files, mut size, mut packed) = (0u64, 0u64, 0u64);
    for index in selected(ctx, settings, entries).await? {
        let Some(entry) = entries.get(index) else { continue };
        files += 1;
        size = size.saturating_add(entry.size);
        let held = entry.packed.saturating_sub(if entry.flags & ENCRYPTED != 0 { 12 } else { 0 });
        packed = packed.saturating_add(held);
        if lists {
            let (shown, _) = place::shown(settings, entry);
            let row = row(settings, entry, held, &zone);
            ctx.stdout.write(&[row.as_bytes(), &shown, b"\n"].concat_metered()).await?;
        }
        ctx.tick().await?;
    }
    if shows_totals {
        let plural = if files == 1 { "" } else { "s" };
        let factor = per_mille(size, packed);
        let sign = if factor < 0 { "-" } else { "" };
        let (whole, tenth) = (factor.abs() / 10, factor.abs() % 10);
        let line = format!(
            "{files} file{plural}, {size} bytes uncompressed, {packed} bytes compressed:  {sign}{whole}.{tenth}%\n"
        );
        ctx.stdout.write(line.as_bytes()).await?;
    }
    ctx.stdout.flush().await?;
    tell_unmatched(ctx, settings);
    Ok(if files == 0 && is_partial { NOT_FOUND } else { ExitStatus::SUCCESS })
}

/// What stands before the name.
fn row(settings: &UnzipOptions, entry: &Entry, packed: u64, zone: &Zone) -> String {
    if matches!(settings.format, Format::Names | Format::NamesWithMore) {
        return String::new();
    }
    let version = (entry.made_by & 0xff, entry.made_by >> 8);
    let host = match version.1 {
        0 => "fat",
        2 => "vms",
        3 => "unx",
        11 => "ntf",
        19 => "mac",
        _ => "???",
    };
    let is_text = entry.internal & 1 == 1;
    let is_encrypted = entry.flags & ENCRYPTED != 0;
    let kind = match (is_text, is_encrypted) {
        (true, false) => 't',
        (true, true) => 'T',
        (false, false) => 'b',
        (false, true) => 'B',
    };
    let has_extra = !entry.extra.is_empty();
    let follows = entry.flags & SIZES_FOLLOW != 0;
    let more = match (has_extra, follows) {
        (true, true) => 'X',
        (true, false) => 'x',
        (false, true) => 'l',
        (false, false) => '-',
    };
    let method = match entry.method() {
        Method::Stored => "stor".into(),
        Method::Deflated => {
            let kind = ["N", "X", "F", "S"].get(usize::from(entry.flags >> 1 & 3)).copied().unwrap_or("N");
            format!("def{kind}")
        }
        Method::Bzip2 => "bzp2".into(),
        Method::Other(number) => format!("u{number:03}"),
    };
    let between = match settings.format {
        Format::Medium => {
            let factor = per_mille(entry.size, packed);
            format!(" {:2}%", (factor.abs() + 5) / 10 * factor.signum())
        }
        Format::Long => format!(" {packed:8}"),
        _ => String::new(),
    };
    let [year, month, day, hour, minute, second] = DosTime::of_entry(entry, zone).parts();
    let date = if settings.decimal_times {
        format!("{year:04}{month:02}{day:02}.{hour:02}{minute:02}{second:02}")
    } else {
        let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
        let name = names.get((month as usize).wrapping_sub(1)).copied().unwrap_or("???");
        format!("{:02}-{name}-{day:02} {hour:02}:{minute:02}", year % 100)
    };
    let (mode, size) = (mode(entry), entry.size);
    format!(
        "{mode}  {}.{} {host} {size:8} {kind}{more}{between} {method} {date} ",
        version.0 / 10,
        version.0 % 10
    )
}

/// The mode in ten letters, of hosts that have none in six.
fn mode(entry: &Entry) -> String {
    let Some(mode) = entry.mode() else {
        let bit = |bit: u32, letter: char| if entry.external & bit != 0 { letter } else { '-' };
        let write = if entry.external & 1 == 0 { 'w' } else { '-' };
        return format!(
            "{}r{write}{}{}{}    ",
            bit(0x10, 'd'),
            if entry.external & 0x10 != 0 { 'x' } else { bit(0x20, 'a') },
            bit(2, 'h'),
            bit(4, 's')
        );
    };
    let kind = match mode & 0o170_000 {
        0o040_000 => 'd',
        0o120_000 => 'l',
        0o020_000 => 'c',
        0o060_000 => 'b',
        0o010_000 => 'p',
        0o140_000 => 's',
        0o100_000 => '-',
        _ => '?',
    };
    let mut text = format!("{kind}");
    for (shift, special, set, unset) in [(6, 0o4000, 's', 'S'), (3, 0o2000, 's', 'S'), (0, 0o1000, 't', 'T')]
    {
        let bits = mode >> shift & 7;
        text.push(if bits & 4 != 0 { 'r' } else { '-' });
        text.push(if bits & 2 != 0 { 'w' } else { '-' });
        text.push(match (bits & 1 != 0, mode & special != 0) {
            (true, true) => set,
            (false, true) => unset,
            (true, false) => 'x',
            (false, false) => '-',
        });
    }
    text
}
