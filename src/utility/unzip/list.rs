//! `unzip -l` and `-v`.

use super::settings::UnzipOptions;
use super::{NOT_FOUND, place, selected};
use crate::memory::{JoinMetered, String, format};
use crate::utility::compress::zip::{DosTime, ENCRYPTED, Entry, Method};
use crate::utility::format::time_format::Zone;
use crate::utility::prelude::*;

/// By how much entries shrank, in percent.
fn share(size: u64, packed: u64) -> String {
    let factor = per_mille(size, packed);
    if factor == 1000 || factor == -1000 {
        return format!("{}%", factor / 10);
    }
    format!("{}%", (factor.abs() + 5) / 10 * factor.signum())
}

/// By how much data shrank, in tenths of a percent.
pub(super) fn per_mille(size: u64, packed: u64) -> i64 {
    let (size, packed) = (i128::from(size), i128::from(packed));
    if size == 0 {
        return 0;
    }
    let saved = size - packed;
    let rounded = (1000 * saved.abs() + size / 2) / size;
    i64::try_from(if saved < 0 { -rounded } else { rounded }).unwrap_or(0)
}

/// The method in six letters.
pub(super) fn method(entry: &Entry) -> String {
    match entry.method() {
        Method::Stored => "Stored".into(),
        Method::Deflated => {
            let kind = ["N", "X", "F", "S"].get(usize::from(entry.flags >> 1 & 3)).copied().unwrap_or("N");
            format!("Defl:{kind}")
        }
        Method::Bzip2 => "BZip2".into(),
        Method::Other(number) => format!("Unk:{number:03}"),
    }
}

fn date(time: DosTime) -> String {
    let [year, month, day, hour, minute, _] = time.parts();
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}")
}

pub(super) async fn list(
    ctx: &mut Context,
    settings: &mut UnzipOptions,
    entries: &[Entry],
) -> Result<ExitStatus, UtilityError> {
    let zone = Zone::of(&ctx.env);
    let has_frame = settings.quiet < 2;
    if has_frame {
        let title = match (settings.is_verbose, settings.lowercase > 0) {
            (true, false) => {
                " Length   Method    Size  Cmpr    Date    Time   CRC-32   Name\n\
                 --------  ------  ------- ---- ---------- ----- --------  ----\n"
            }
            (true, true) => {
                " Length   Method    Size  Cmpr    Date    Time   CRC-32   Name (\"^\" ==> case\n\
                 --------  ------  ------- ---- ---------- ----- --------  ----   conversion)\n"
            }
            (false, false) => "  Length      Date    Time    Name\n---------  ---------- -----   ----\n",
            (false, true) => {
                "  Length      Date    Time    Name (\"^\" ==> case\n\
                 ---------  ---------- -----   ----   conversion)\n"
            }
        };
        ctx.stdout.write(title.as_bytes()).await?;
    }
    let (mut files, mut size, mut packed) = (0u64, 0u64, 0u64);
    for index in selected(ctx, settings, entries).await? {
        let Some(entry) = entries.get(index) else { continue };
        files += 1;
        size = size.saturating_add(entry.size);
        // The header of an encrypted entry is not part of its data.
        let held = entry.packed.saturating_sub(if entry.flags & ENCRYPTED != 0 { 12 } else { 0 });
        packed = packed.saturating_add(held);
        let date = date(DosTime::of_entry(entry, &zone));
        let (shown, mark) = place::shown(settings, entry);
        let line = if settings.is_verbose {
            let (method, share, crc) = (method(entry), share(entry.size, held), entry.crc);
            format!("{:8}  {method:<6} {held:8} {share:>4} {date} {crc:08x} {mark}", entry.size)
        } else {
            format!("{:9}  {date}  {mark}", entry.size)
        };
        let line = [line.as_bytes(), &shown, b"\n"].concat_metered();
        ctx.stdout.write(&line).await?;
        ctx.tick().await?;
    }
    if has_frame {
        let plural = if files == 1 { "" } else { "s" };
        let line = if settings.is_verbose {
            let share = share(size, packed);
            format!(
                "--------          -------  ---                            -------\n\
                 {size:8}         {packed:8} {share:>4}                            {files} file{plural}\n"
            )
        } else {
            format!(
                "---------                     -------\n{size:9}                     {files} file{plural}\n"
            )
        };
        ctx.stdout.write(line.as_bytes()).await?;
    }
    ctx.stdout.flush().await?;
    Ok(if files == 0 { NOT_FOUND } else { ExitStatus::SUCCESS })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares() {
        for (size, packed, want) in
            [(8893, 4200, "53%"), (0, 0, "0%"), (3, 3, "0%"), (1000, 0, "100%"), (2, 4, "-100%")]
        {
            assert_eq!(&*share(size, packed), want);
        }
    }
}
