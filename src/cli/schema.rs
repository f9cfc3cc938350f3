//! `hookbox schema`: prints the JSON Schema of a dialect's config, payload or output.
//!
//! Exit status: 0.

use super::{Streams, finish};
use crate::hook::ContractVersion;
use crate::hook::schema::{SchemaKind, schema_of};

/// Arguments of `hookbox schema`.
#[derive(Clone, Debug, clap::Args)]
pub struct SchemaArguments {
    /// The dialect, or a version of its contract; the newest without one
    #[arg(value_name = "NAME[@VERSION]")]
    pub contract: ContractVersion,
    /// What the schema describes: config, payload or output
    #[arg(long, value_name = "KIND", default_value = "config")]
    pub kind: SchemaKind,
}

/// Runs the command.
pub fn run(arguments: &SchemaArguments, streams: &mut Streams<'_>) -> u8 {
    let text = schema_of(arguments.contract, arguments.kind);
    let result = streams.print(&text);
    finish(result.map(|()| 0), streams)
}
