//! The body of an answer, on its way to where it goes, decoded where that was asked for; an `ETag` that is kept; and what
//! comes from a file of the session (`file://`).

use super::config::{Config, UrlEntry};
use super::decode::Decoder;
use super::failure::{Failure, Stop};
use super::output::Sink;
use super::report::Report;
use crate::clock::real_monotonic;
use crate::memory::{ToMetered, Vec, format};
use crate::network::{NetworkResponse, Url};
use crate::utility::prelude::*;
use std::time::Duration;

/// Reads the body of the last answer.
pub(super) async fn body(
    ctx: &mut Context,
    config: &Config,
    started: Duration,
    answer: &mut NetworkResponse,
    sink: &mut Sink,
    report: &mut Report,
    url: &Url,
) -> Result<(), Stop> {
    let length = answer
        .header("content-length")
        .and_then(|value| std::str::from_utf8(value).ok()?.parse::<u64>().ok());
    let most = config.max_filesize.unwrap_or(u64::MAX);
    if length.is_some_and(|length| length > most) && report.method != b"HEAD" {
        return Err(Failure::too_large().into());
    }
    let coding = answer.header("content-encoding").filter(|_| config.compressed).map(ToMetered::to_metered);
    let mut decoder = match &coding {
        Some(coding) => Decoder::of(coding)?,
        None => None,
    };
    let allowed = ctx.session.network.as_ref().map_or(0, |network| network.policy().max_response_bytes);
    let mut decoded = 0_u64;
    let mut output = Vec::new();
    loop {
        let piece = answer.piece().await.map_err(|error| {
            let took = real_monotonic().saturating_sub(started);
            Failure::of(&error, url, took, report.downloaded, length)
        })?;
        let Some(piece) = piece else { break };
        report.downloaded = report.downloaded.saturating_add(piece.len() as u64);
        if report.downloaded > most {
            return Err(Failure::too_large().into());
        }
        ctx.tick_many(u32::try_from(piece.len() / 64).unwrap_or(u32::MAX));
        ctx.check().await?;
        let Some(decoder) = &mut decoder else {
            sink.write(ctx, config, &piece).await?;
            continue;
        };
        let mut rest = piece.as_slice();
        loop {
            decoder.take(&mut rest, &mut output)?;
            decoded = decoded.saturating_add(output.len() as u64);
            if decoded > allowed || decoded > most {
                return Err(Failure::too_large().into());
            }
            ctx.tick_many(u32::try_from(output.len() / 16).unwrap_or(u32::MAX));
            ctx.check().await?;
            sink.write(ctx, config, &output).await?;
            if rest.is_empty() && output.is_empty() {
                break;
            }
        }
    }
    if let Some(decoder) = &decoder {
        decoder.end()?;
    }
    Ok(())
}

/// `--etag-save`.
pub(super) async fn save_etag(ctx: &mut Context, config: &Config, etag: Option<Vec<u8>>) -> Result<(), Stop> {
    let Some(name) = &config.etag_save else { return Ok(()) };
    match ctx.create(name, false) {
        Ok(mut file) => {
            if let Some(etag) = etag {
                file.write(&etag).await?;
                file.write(b"\n").await?;
            }
            file.flush().await?;
            Ok(())
        }
        Err(FsError::Limit(limit)) => Err(limit.into()),
        Err(FsError::Errno(_)) => Err(Failure::write().into()),
    }
}

/// `file://`: a file of the session.
pub(super) async fn copy_file(
    ctx: &mut Context,
    config: &Config,
    entry: &UrlEntry,
    chosen: &[Vec<u8>],
    path: &Text,
    report: &mut Report,
) -> Result<(), Stop> {
    if entry.upload.is_some() || config.head || config.range.is_some() || config.continue_at.is_some() {
        return Err(Failure::protocol("file").into());
    }
    let mut sink = Sink::new(config, &entry.destination, chosen, None)?;
    let couldnt = || Failure::new(37, format!("Couldn't open file {path}"));
    let mut input = match ctx.open(path) {
        Ok(input) => input,
        Err(FsError::Limit(limit)) => return Err(limit.into()),
        Err(FsError::Errno(_)) => return Err(couldnt().into()),
    };
    report.scheme = "FILE";
    loop {
        ctx.check().await?;
        let block = input.fill().await.map_err(|_| couldnt())?;
        if block.is_empty() {
            return sink.finish(ctx, config).await;
        }
        let length = block.len();
        report.downloaded = report.downloaded.saturating_add(length as u64);
        sink.write(ctx, config, block).await?;
        input.consume(length);
    }
}
