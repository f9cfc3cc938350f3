//! Lists members: by name, or as `ls -l` does.

use super::error::Result;
use super::header::{Kind, Member};
use super::settings::TarOptions;
use super::shown::shown_name;
use crate::memory::{String, ToDecimal, Vec, format};
use crate::utility::Context;
use crate::utility::format::file_mode::permission_letters;
use crate::utility::format::time_format::Zone;

/// How wide owners and sizes have been so far.
pub(super) struct Lister {
    width: usize,
    zone: Zone,
}

impl Lister {
    pub(super) fn new(ctx: &Context, settings: &TarOptions) -> Self {
        let zone = if settings.utc { Zone::UTC } else { Zone::of(&ctx.env) };
        Self { width: 19, zone }
    }

    /// The line of a member whose name is shown as `name`.
    fn line(&mut self, settings: &TarOptions, member: &Member, name: &[u8], link: &[u8]) -> String {
        let letter = match member.kind {
            Kind::Regular => '-',
            Kind::HardLink => 'h',
            Kind::Symlink => 'l',
            Kind::CharDevice => 'c',
            Kind::BlockDevice => 'b',
            Kind::Directory => 'd',
            Kind::Fifo => 'p',
            Kind::Other(b'V') => 'V',
            Kind::Other(b'M') => 'M',
            Kind::Other(b'S') => '-',
            Kind::Other(b'D') => 'd',
            Kind::Other(_) => '?',
        };
        let owner = |name: &[u8], id: u64| {
            if name.is_empty() || settings.numeric_owner { id.to_decimal() } else { shown_name(name) }
        };
        let (user, group) = (owner(&member.user, member.uid), owner(&member.group, member.gid));
        let size = match member.kind {
            Kind::CharDevice | Kind::BlockDevice => format!("{},{}", member.device.0, member.device.1),
            Kind::HardLink | Kind::Symlink | Kind::Directory | Kind::Fifo => "0".into(),
            _ => member.size.to_decimal(),
        };
        let wanted = user.len() + group.len() + size.len() + 2;
        self.width = self.width.max(wanted);
        let pad = self.width - wanted + size.len();
        let zoned = self.zone.since_epoch(member.time);
        let time = if settings.full_time {
            format!("{}.{:09}", zoned.strftime("%Y-%m-%d %H:%M:%S"), member.time.subsec_nanos())
        } else {
            format!("{}", zoned.strftime("%Y-%m-%d %H:%M"))
        };
        let time = if settings.full_time {
            let short = time.trim_end_matches('0').trim_end_matches('.');
            String::from(short)
        } else {
            time
        };
        let mut line =
            format!("{letter}{} {user}/{group} {size:>pad$} {time} ", permission_letters(member.mode));
        line.push_str(&shown_name(name));
        match member.kind {
            Kind::Symlink => line.push_str(&format!(" -> {}", shown_name(link))),
            Kind::HardLink => line.push_str(&format!(" link to {}", shown_name(link))),
            Kind::Other(b'V') => line.push_str("--Volume Header--"),
            Kind::Other(b'M') => line.push_str("--Continued at byte 0--"),
            Kind::Other(letter) if !matches!(letter, b'S' | b'D') => {
                line.push_str(&format!(" unknown file type '{}'", char::from(letter)));
            }
            _ => {}
        }
        line
    }

    /// Shows a member: `detail` 1 is its name, 2 its line.
    pub(super) async fn show(
        &mut self,
        ctx: &mut Context,
        settings: &TarOptions,
        detail: usize,
        member: &Member,
        name: &[u8],
        link: &[u8],
    ) -> Result<()> {
        let mut text = match detail {
            0 => return Ok(()),
            1 => shown_name(name),
            _ => self.line(settings, member, name, link),
        };
        text.push('\n');
        let bytes: Vec<u8> = text.into_bytes();
        if settings.lists_on_stderr {
            ctx.stderr.write(&bytes).await?;
        } else {
            // What is said on standard error comes in its place.
            ctx.stdout.write(&bytes).await?;
            ctx.stdout.flush().await?;
        }
        Ok(())
    }
}
