//! Changes archives as they are: takes members out (`--delete`), and appends other archives (`-A`). The new archive is written
//! over the old one; it is never longer, so that the writing stays before what is still to be read.

use super::archive::{cannot_open, open_for_reading};
use super::error::{Faults, Result, fatal};
use super::reader::ArchiveReader;
use super::select::{find_selector, is_excluded};
use super::settings::TarOptions;
use super::shown::shown_name;
use super::writer::Writer;
use crate::io::Description;
use crate::memory::Arc;
use crate::utility::compress::{Decoder, Encoder, Unpacker};
use crate::utility::prelude::*;
use crate::vfs::OpenOptions;

/// The archive for writing, from `end` on.
fn open_at(ctx: &mut Context, settings: &TarOptions, end: u64) -> Result<(Writer, Arc<Description>)> {
    let options = OpenOptions { write: true, ..OpenOptions::default() };
    let description = ctx
        .open_description(&settings.archive_path, &options)
        .map_err(|error| cannot_open(&settings.archive, error))?;
    description.seek(end);
    let output = Some(Output::new(Some(Arc::clone(&description))));
    let mut writer = Writer::new(output, Encoder::Plain, settings.format, settings.record, false);
    writer.base = end;
    Ok((writer, description))
}

async fn copy_member(
    ctx: &mut Context,
    reader: &mut ArchiveReader,
    writer: &mut Writer,
    size: u64,
) -> Result<()> {
    let raw = std::mem::take(&mut reader.raw);
    writer.bytes(ctx, &raw).await?;
    loop {
        let piece = reader.data(ctx).await?;
        if piece.is_empty() {
            break;
        }
        let count = piece.len();
        writer.bytes(ctx, piece).await?;
        reader.consume(count);
    }
    writer.pad(ctx, size).await?;
    Ok(())
}

/// `--delete`
pub(super) async fn delete(ctx: &mut Context, settings: &mut TarOptions, faults: &mut Faults) -> Result<()> {
    let mut reader = open_for_reading(ctx, settings).await?;
    if super::settings::is_filtered(reader.program) {
        return fatal("Cannot update compressed archives");
    }
    reader.keeps_raw = true;
    let (mut writer, description) = open_at(ctx, settings, 0)?;
    while let Some(member) = reader.next(ctx).await? {
        let is_named =
            !settings.names.is_empty() && find_selector(ctx, settings, &member.name).await?.is_some();
        if is_named && !is_excluded(ctx, &settings.excludes, &member.name).await? {
            continue;
        }
        let size = reader.data_left();
        copy_member(ctx, &mut reader, &mut writer, size).await?;
    }
    writer.finish(ctx).await?;
    if let Some(file) = description.file() {
        file.set_len(writer.written)?;
    }
    for selector in settings.names.iter().filter(|selector| !selector.is_found) {
        faults.report(ctx, format_args!("{}: Not found in archive", shown_name(selector.text())));
    }
    Ok(())
}

/// `-A`
pub(super) async fn catenate(
    ctx: &mut Context,
    settings: &mut TarOptions,
    faults: &mut Faults,
) -> Result<()> {
    let mut reader = open_for_reading(ctx, settings).await?;
    if super::settings::is_filtered(reader.program) {
        return fatal("Cannot update compressed archives");
    }
    while reader.next(ctx).await?.is_some() {}
    let (mut writer, _) = open_at(ctx, settings, reader.start)?;
    for selector in &settings.names {
        let name = selector.text();
        let path = super::settings::in_directory(selector.directory.as_ref(), name);
        let input = match ctx.open(&path) {
            Ok(input) => input,
            Err(error) => {
                faults.cannot(ctx, name, "open", error)?;
                continue;
            }
        };
        let mut other = ArchiveReader::new(Unpacker::new(input, Decoder::plain()), "", settings.ignore_zeros);
        other.keeps_raw = true;
        while other.next(ctx).await?.is_some() {
            let size = other.data_left();
            copy_member(ctx, &mut other, &mut writer, size).await?;
        }
    }
    writer.finish(ctx).await?;
    Ok(())
}
