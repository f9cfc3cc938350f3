//! `yq`: `jq` over YAML, as the `yq` of Debian 12 is: kislyuk's 3.1.0, which reads YAML, runs `jq` over it as JSON, and prints
//! JSON, or with `-y` YAML. `tomlq` and `xq` are the same over TOML and XML.
//!
//! There is another program of this name, mikefarah's, written in Go, and scripts mean that one when they use what only it has:
//! `eval`, `e`, `eval-all`, `ea` as the first word, `-o` and `--output-format`, `-p` and `--input-format`, `-P`, `-N`, `-I`. A call
//! with one of these behaves as that yq 4 does (`go.rs`): it prints YAML, texts without quotes. Its expressions are those of
//! jq, with `env(NAME)` and `strenv(NAME)`; where its language differs from jq's, it is jq's. All other calls are Debian's, so
//! `yq .a file` prints JSON.
//!
//! Comments are not kept, as neither keeps them in JSON; the styles of scalars with `-Y` alone. `tree.rs` is what documents are
//! read into; `yaml_read.rs` and `yaml_write.rs` (with `yaml_scalar.rs`) are YAML, `toml_read.rs`, `toml_write.rs`, `xml_read.rs`
//! and `xml_write.rs` the other notations, `python.rs` what XML has no form for. Lengths are charged, and aliases that make a document much longer end the call.

mod arguments;
mod go;
mod python;
mod toml_read;
mod toml_write;
mod tree;
mod xml_read;
mod xml_write;
mod yaml_read;
mod yaml_scalar;
mod yaml_write;

use crate::io::{Capture, Description, OnExcess};
use crate::limit::Limit;
use crate::memory::{String, Vec, format, vec};
use crate::utility::context::options::help;
use crate::utility::prelude::*;
use arguments::{Format, Opt, Request};
use tree::{Id, Tree, Unwritten};
use yaml_read::Document;
use yaml_write::Writer;

/// Their options are those of `yq`.
pub(super) const OPTIONS: &[super::OptionSpec] = Opt::TABLE;

pub(super) const UTILITY: Utility = Utility {
    name: "yq",
    summary: "apply a jq filter to YAML",
    usage: "yq [options] <jq filter> [input file...]",
    options: Opt::TABLE,
    examples: &[
        example("printf 'a:\\n  - 1\\n' | yq -c .", "{\"a\":[1]}\n"),
        example("echo '{\"a\":{\"b\":[1,\"2\"]}}' | yq -y .", "a:\n  b:\n    - 1\n    - '2'\n"),
        example("echo 'name: x' | yq eval .name", "x\n"),
    ],
    usage_status: 2,
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    run_over(ctx, &UTILITY, Format::Yaml).await
}

pub(super) async fn start_tomlq(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    run_over(ctx, &super::tomlq::UTILITY, Format::Toml).await
}

pub(super) async fn start_xq(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    run_over(ctx, &super::xq::UTILITY, Format::Xml).await
}

/// Exit status: that of `jq`; 1 for an input that cannot be read as what it should be, 2 for usage and files that are not there.
async fn run_over(
    ctx: &mut Context,
    utility: &'static Utility,
    input: Format,
) -> Result<ExitStatus, UtilityError> {
    ctx.utility = Some(utility);
    let words = std::mem::take(&mut ctx.args);
    if input == Format::Yaml && go::is_meant(&words) {
        return go::run(ctx, words).await;
    }
    let request = Request::parse(words, input)?;
    if request.help {
        ctx.stdout.push(help(utility, utility.options).as_bytes());
        return Ok(ExitStatus::SUCCESS);
    }
    if request.version {
        // What Debian's says of itself.
        ctx.stdout.push(format!("{} 0.0.0\n", ctx.name).as_bytes());
        return Ok(ExitStatus::SUCCESS);
    }
    for file in &request.files {
        if let Err(error) = ctx.open_input(file) {
            return match error {
                FsError::Limit(limit) => Err(limit.into()),
                FsError::Errno(errno) => {
                    let (number, words) = (errno.number(), errno.message());
                    let message =
                        format!("argument files: can't open '{file}': [Errno {number}] {words}: '{file}'");
                    Err(arguments::usage(&message))
                }
            };
        }
    }
    if !request.in_place {
        let files =
            if request.files.is_empty() { vec![Text::from_static(b"-")] } else { request.files.clone() };
        let files = if request.null_input && request.files.is_empty() { Vec::new() } else { files };
        return filter(ctx, &request, &files, None).await;
    }
    if request.output != Format::Yaml {
        return Err(UtilityError::failed("-i/--in-place can only be used with -y/-Y"));
    }
    if request.files.is_empty() {
        let message = "-i/--in-place can only be used with filename arguments, not on standard input";
        return Err(UtilityError::failed(message));
    }
    let mut status = ExitStatus::SUCCESS;
    for file in &request.files {
        let one = [file.clone()];
        status = filter(ctx, &request, &one, Some(file)).await?;
        if !status.is_success() {
            break;
        }
    }
    Ok(status)
}

/// What went wrong with an input, as the program that starts `jq` tells it.
fn failed(message: &str) -> UtilityError {
    UtilityError::failed(format!("Error running jq: {message}."))
}

/// Runs the filter over files and prints what comes out, or writes it to a file.
async fn filter(
    ctx: &mut Context,
    request: &Request,
    files: &[Text],
    target: Option<&Text>,
) -> Result<ExitStatus, UtilityError> {
    let mut json = Vec::new();
    let mut fault = None;
    for file in files {
        let text = text_of(ctx, file).await?;
        if let Err(error) = convert(ctx, request, &text, &mut json).await? {
            fault = Some(error);
            break;
        }
    }
    if let (Some(fault), true) = (&fault, request.output != Format::Json) {
        return Err(UtilityError::failed(fault.clone()));
    }
    let (status, output) = run_jq(ctx, &request.jq, json, request.output != Format::Json).await?;
    if let Some(fault) = fault {
        return Err(UtilityError::failed(fault));
    }
    if request.output == Format::Json {
        return Ok(status);
    }
    let mut tree = Tree::default();
    let roots = match tree::read_json(ctx, &output, &mut tree).await? {
        Ok(roots) => roots,
        Err(place) => {
            let message =
                format!("JSONDecodeError: Expecting value: line 1 column {} (char {place})", place + 1);
            return Err(failed(&message));
        }
    };
    drop(output);
    let text = print(ctx, request, &tree, &roots).await?;
    match target {
        None => ctx.stdout.write(&text).await?,
        Some(_) if roots.is_empty() => {}
        Some(file) => {
            let mut output = ctx.create(file, false).map_err(|error| UtilityError::operand(file, error))?;
            output.write(&text).await?;
            output.flush().await?;
        }
    }
    Ok(status)
}

/// All of a file.
async fn text_of(ctx: &mut Context, file: &[u8]) -> Result<Vec<u8>, UtilityError> {
    let mut input = ctx.open_input(file).map_err(|error| UtilityError::operand(file, error))?;
    input.read_to_end().await.map_err(|error| UtilityError::operand(file, error))
}

/// Appends the documents of a text as JSON; the inner error is what is wrong with it.
async fn convert(
    ctx: &mut Context,
    request: &Request,
    text: &[u8],
    json: &mut Vec<u8>,
) -> Result<Result<(), String>, UtilityError> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let Ok(text) = std::str::from_utf8(text) else {
        return Ok(Err("Error running jq: UnicodeDecodeError: the input is not UTF-8.".into()));
    };
    let mut tree = Tree::default();
    let whole = |read: Result<Id, String>| match read {
        Ok(root) => (vec![Document { root, length: usize::MAX }], None),
        Err(fault) => (Vec::new(), Some(fault)),
    };
    let (documents, fault) = match request.input {
        Format::Yaml | Format::Json => {
            yaml_read::read(ctx, text, request.layout.annotated, &mut tree).await?
        }
        Format::Toml => whole(toml_read::read(ctx, text, &mut tree).await?),
        Format::Xml => whole(xml_read::read(ctx, text, &request.xml_lists, &mut tree).await?),
    };
    for document in documents {
        let start = json.len();
        let most = document.length.saturating_mul(request.max_expansion);
        match tree.write_json(ctx, document.root, most, json).await {
            Ok(()) => json.push(b'\n'),
            Err(Unwritten::End(error)) => return Err(error),
            Err(Unwritten::Expansion) => {
                json.truncate(start);
                return Ok(Err("Error: detected unsafe YAML entity expansion".into()));
            }
        }
    }
    Ok(fault.map_or(Ok(()), |fault| Err(format!("Error running jq: {fault}."))))
}

/// Runs `jq` over JSON; what it printed, if that is asked for.
async fn run_jq(
    ctx: &mut Context,
    words: &[Text],
    json: Vec<u8>,
    captures: bool,
) -> Result<(ExitStatus, Vec<u8>), UtilityError> {
    ctx.stdout.flush().await?;
    let mut argv = vec![Text::from_static(b"jq")];
    argv.extend(words.iter().cloned());
    let capture = Capture::new(&ctx.meter, Limit::LiveBytes, OnExcess::Fail);
    let mut request = ctx.command(argv);
    request.stdin = Some(Description::memory(json));
    if captures {
        request.stdout = Some(Description::capture(crate::memory::Arc::clone(&capture)));
    }
    let status = match ctx.run_command(request).await {
        Ok(status) => status,
        Err(super::CommandError::Limit(limit)) => return Err(limit.into()),
        Err(error) => {
            let message = format!("Error starting jq: {error}. Is jq installed and available on PATH?");
            return Err(UtilityError::failed(message));
        }
    };
    Ok((status, capture.take()))
}

/// The output in the notation that is asked for.
async fn print(
    ctx: &mut Context,
    request: &Request,
    tree: &Tree,
    roots: &[Id],
) -> Result<Vec<u8>, UtilityError> {
    let mut out = Vec::new();
    match request.output {
        Format::Yaml | Format::Json => {
            let mut writer = Writer::new(&request.layout);
            writer.documents(ctx, tree, roots).await?;
            return Ok(writer.out);
        }
        Format::Toml => {
            for index in 0..roots.len() {
                let Some(&root) = roots.get(index) else { break };
                if tree::members(tree, root).is_none() {
                    ctx.stdout.write(&out).await?;
                    let message =
                        "Error converting JSON to TOML: cannot represent non-object types at top level.";
                    return Err(UtilityError::failed(message));
                }
                toml_write::write(ctx, tree, root, &mut out).await?;
            }
        }
        Format::Xml => {
            for index in 0..roots.len() {
                let Some(&root) = roots.get(index) else { break };
                let members = match &request.xml_root {
                    Some(name) => Some(vec![(name.clone(), root)]),
                    None => tree::members(tree, root),
                };
                let Some(members) = members else {
                    ctx.stdout.write(&out).await?;
                    let message = "Error converting JSON to XML: cannot represent non-object types at top level. Use --xml-root=name to envelope your output with a root element.";
                    return Err(UtilityError::failed(message));
                };
                if request.xml_declaration {
                    out.extend_from_slice(b"<?xml version=\"1.0\" encoding=\"utf-8\"?>\n");
                }
                xml_write::write(ctx, tree, &members, &mut out).await?;
                out.push(b'\n');
            }
        }
    }
    Ok(out)
}
