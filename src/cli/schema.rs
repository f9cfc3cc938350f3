//! `hookbox schema`: prints the JSON Schema of a dialect's config, payload or output.
//!
//! Exit status: 0.

use super::{Streams, finish};
use crate::hook::Dialect;
use crate::hook::schema::{SchemaKind, schema};

/// Arguments of `hookbox schema`.
#[derive(Clone, Debug, clap::Args)]
pub struct SchemaArguments {
    /// The dialect
    #[arg(value_name = "NAME")]
    pub dialect: Dialect,
    /// What the schema describes: config, payload or output
    #[arg(long, value_name = "KIND", default_value = "config")]
    pub kind: SchemaKind,
}

/// Runs the command.
pub fn run(arguments: &SchemaArguments, streams: &mut Streams<'_>) -> u8 {
    let text = schema(arguments.dialect, arguments.kind);
    let result = streams.print(text);
    finish(result.map(|()| 0), streams)
}
