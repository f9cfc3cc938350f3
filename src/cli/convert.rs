//! `hookbox convert`: ports the hooks of a config to another dialect.
//!
//! The converted config goes to standard output (or `--output`), what is lost or changed to standard error; `--json` puts
//! both into one document on standard output. With `--output` the adapters stand in one file beside the config, `hookbox-adapter.sh`, which
//! its hooks call; else, and with `--inline`, each hook has its own.
//!
//! Exit status: 0 everything has a counterpart, 1 something is lost or the config cannot be used.

use super::dialect_parser::DialectParser;
use super::{CommandFailure, Streams, finish};
use crate::document::to_yaml;
use crate::hook::convert::{Converted, RemarkKind, convert_beside};
use crate::hook::{Dialect, HookSet, LoadOptions};
use crate::vfs::fixture::host::write_named;
use crate::visible;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;

/// Arguments of `hookbox convert`.
#[derive(Clone, Debug, clap::Args)]
pub struct ConvertArguments {
    /// The config
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Its dialect; found from the content when not given
    #[arg(long, value_name = "NAME", value_parser = DialectParser)]
    pub from: Option<Dialect>,
    /// The dialect to port it to
    #[arg(long, value_name = "NAME", value_parser = DialectParser)]
    pub to: Dialect,
    /// Where to write the converted config; its hooks call hookbox-adapter.sh, which is written beside it, by this path
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Put its adapter into each hook; none is written beside the config
    #[arg(long)]
    pub inline: bool,
    /// Print config and report as one JSON document
    #[arg(long)]
    pub json: bool,
}

/// The file of adapters, beside the config.
const ADAPTER: &str = "hookbox-adapter.sh";

/// Runs the command.
pub fn run(arguments: &ConvertArguments, streams: &mut Streams<'_>) -> u8 {
    let result = port(arguments, streams);
    finish(result, streams)
}

fn port(arguments: &ConvertArguments, streams: &mut Streams<'_>) -> Result<u8, CommandFailure> {
    let name = arguments.file.display().to_string();
    let text = super::read_text(&arguments.file)?;
    let from = match arguments.from {
        Some(dialect) => dialect,
        None => Dialect::detect(&name, &text)?,
    };
    // A config that its own platform refuses is not worth porting.
    HookSet::load(from, &text, &LoadOptions { name: name.clone(), ..LoadOptions::default() })?;
    let beside =
        arguments.output.as_ref().filter(|_| !arguments.inline).map(|path| path.with_file_name(ADAPTER));
    let called = beside.as_ref().map(|path| path.display().to_string());
    let converted = convert_beside(from, arguments.to, &name, &text, called.as_deref())
        .map_err(|problem| CommandFailure::Config(problem.into()))?;
    let config = to_text(arguments.to, &converted.config);
    // What is printed is what counts, not what was meant to be.
    let options = LoadOptions { name: "the converted config".to_owned(), ..LoadOptions::default() };
    HookSet::load(arguments.to, config.as_bytes(), &options)?;
    let write = |path: &PathBuf, text: &str| {
        write_named(path, text.as_bytes()).map_err(CommandFailure::host(path.display().to_string()))
    };
    if let Some(path) = &arguments.output {
        write(path, &config)?;
    }
    if let (Some(path), Some(adapter)) = (&beside, &converted.adapter) {
        write(path, adapter)?;
    }
    if arguments.json {
        streams.print_json(&report_json(arguments, from, &converted))?;
    } else {
        if arguments.output.is_none() {
            streams.stdout.write_all(config.as_bytes()).map_err(CommandFailure::Write)?;
        }
        streams.report(&report_text(arguments, from, &converted))?;
    }
    Ok(u8::from(converted.remarks.iter().any(|remark| remark.kind == RemarkKind::Lost)))
}

/// YAML for the dialects whose files are YAML. Where a terminal would act on it, JSON, which is YAML too and has escapes.
fn to_text(dialect: Dialect, config: &Value) -> String {
    if matches!(dialect, Dialect::DockerAgent | Dialect::Infer) {
        let text = to_yaml(config);
        if visible::is_plain(&text) {
            return text;
        }
    }
    visible::json(config)
}

fn report_text(arguments: &ConvertArguments, from: Dialect, converted: &Converted) -> String {
    let mut remarks: Vec<_> = converted.remarks.iter().collect();
    remarks.sort_by_key(|remark| remark.kind);
    let mut text = String::new();
    for remark in remarks {
        let _ = writeln!(text, "{}", remark.show());
    }
    let (all, carried) = converted.hooks;
    let _ = writeln!(text, "{carried} of {all} hooks ported from {from} to {}", arguments.to);
    text
}

fn report_json(arguments: &ConvertArguments, from: Dialect, converted: &Converted) -> Value {
    let remarks: Vec<Value> = converted.remarks.iter().map(crate::hook::convert::Remark::to_json).collect();
    json!({
        "from": from.name(),
        "to": arguments.to.name(),
        "hooks": converted.hooks.0,
        "ported": converted.hooks.1,
        "config": converted.config,
        "adapter": converted.adapter,
        "remarks": remarks,
    })
}
