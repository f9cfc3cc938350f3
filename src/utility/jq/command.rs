//! `jq`: the utility over the language. jq(1), version 1.8.
//!
//! Arguments (`arguments.rs`), then the variables they name, the filter (compiled once per session), and one round for
//! each input: read it (`source.rs`), run the filter, print its outputs. Reading, running and printing all stop when the
//! time slice is over and go on in the next one. A filter such as `.a.b` does not build its inputs (`member.rs`).
//!
//! Not there: `--stream-errors`, the options that debug jq itself.

mod evaluation;

use super::arguments::{self, Given, Opt, Parsed, Request};
use super::cache::Filters;
use super::compile::{CompileError, Compiled, compile};
use super::context::Host;
use super::library::{self, Places, contents};
use super::print::{Layout, Palette};
use super::read::{self, ReadError};
use super::source::{self, Source, end_of_run, ended};
use super::system::LIBRARY;
use super::text::{Text, text_of};
use super::value::Value;
use super::work::Work;
use crate::limit::Meter;
use crate::memory::{self, String, ToMetered, ToMeteredString, Vec, format};
use crate::utility::context::options;
use crate::utility::file;
use crate::utility::prelude::{Context, ExitStatus, OptionSet as _, Utility, UtilityError, example};
use evaluation::{Evaluation, Verdict};
use std::sync::Arc;

pub(in crate::utility) const UTILITY: Utility = Utility {
    name: "jq",
    summary: "apply a filter to JSON values",
    usage: "jq [OPTION]... FILTER [FILE]...\njq [OPTION]... --args FILTER [TEXT]...\njq [OPTION]... --jsonargs FILTER [JSON]...",
    options: Opt::TABLE,
    examples: &[
        example("echo '{\"tool\":\"Bash\"}' | jq -r .tool", "Bash\n"),
        example("jq -nc --arg x 1 '{x: $x, y: [range(3)]}'", "{\"x\":\"1\",\"y\":[0,1,2]}\n"),
    ],
    usage_status: 2,
    run: start!(run),
    ..Utility::BASE
};

/// What `--build-configuration` and `$JQ_BUILD_CONFIGURATION` say.
const CONFIGURATION: &str = "hookbox";
const BUILD: &str = "JQ_BUILD_CONFIGURATION";

/// Exit status: 0; with `-e` 1 or 4 (see there); 2 for usage and files that could not be read; 3 for a filter that does
/// not compile; 5 for an input that is not JSON, or for an error of the filter over the last input.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let args = std::mem::take(&mut ctx.args);
    let request = match arguments::parse(&args) {
        Ok(Parsed::Help) => {
            ctx.stdout.push(options::help(&UTILITY, UTILITY.options).as_bytes());
            return Ok(ExitStatus::SUCCESS);
        }
        Ok(Parsed::Version) => {
            ctx.stdout.push(b"jq-1.8.2\n");
            return Ok(ExitStatus::SUCCESS);
        }
        Ok(Parsed::Configuration) => {
            ctx.stdout.push(format!("{CONFIGURATION}\n").as_bytes());
            return Ok(ExitStatus::SUCCESS);
        }
        Ok(Parsed::Run(request)) if request.from_file && request.filter.is_none() => {
            ctx.stderr.push(format!("usage: {}\n", UTILITY.usage).as_bytes());
            return Ok(ExitStatus(2));
        }
        Ok(Parsed::Run(request)) => request,
        Err(problem) => return Ok(usage(ctx, &problem)),
    };
    let meter = Arc::clone(&ctx.meter);
    let variables = match variables(ctx, &request, &meter).await? {
        Ok(variables) => variables,
        Err(status) => return Ok(status),
    };
    let places = places(ctx, &request);
    let compiled = match filter(ctx, &request, &places, &variables.names).await? {
        Ok(compiled) => compiled,
        Err(status) => return Ok(status),
    };
    let values = variables.into_values(&compiled);
    let source = Source::new(&request.files, request.kind);
    let mut host = Host::new(ctx.env.clone(), Arc::clone(&ctx.session.clock));
    let layout = layout(ctx, &request).await?;
    host.layout = layout.clone();
    host.library.clone_from(&places.library);
    host.origin = places.origin.as_slice().into();
    let run = compiled.run(&values, host, Work::new(&meter));
    let mut evaluation = Evaluation {
        request: &request,
        places: &places,
        layout,
        member: compiled.member().filter(|_| request.is_plain_json()),
        meter: &meter,
        run,
        source,
        line: String::new(),
        verdict: Verdict::Nothing,
        last: None,
    };
    let ended = evaluation.over_all_inputs(ctx).await;
    if meter.failure().is_some() {
        return end_of_run().await;
    }
    ended
}

/// How outputs are printed: `-C` takes its colours from `JQ_COLORS`.
async fn layout(ctx: &mut Context, request: &Request<'_>) -> Result<Layout, UtilityError> {
    let given = match ctx.env.get(b"JQ_COLORS") {
        Some(text) => Palette::parse(&text.to_string_lossy()),
        None => Some(Palette::default()),
    };
    if given.is_none() {
        ctx.stderr.write(b"Failed to set $JQ_COLORS\n").await?;
    }
    let colours = request.colour.then(|| memory::Arc::new(given.unwrap_or_default()));
    Ok(Layout { colours, ..request.layout.clone() })
}

/// Where modules are searched.
fn places(ctx: &Context, request: &Request<'_>) -> Places {
    let known = |name: &crate::text::Text| {
        let path = ctx.absolute(name.as_bytes());
        let found = ctx.fs().canonicalize(&path);
        lossy(found.as_deref().unwrap_or(name.as_bytes()))
    };
    let library = match &request.library {
        Some(given) => given.iter().map(known).collect(),
        None => LIBRARY.into_iter().map(ToMeteredString::to_metered_string).collect(),
    };
    let file = request.filter.filter(|_| request.from_file);
    let origin = match file {
        Some(name) => file::parent(&ctx.absolute(name)).to_metered(),
        None => ctx.cwd.to_metered(),
    };
    Places { library, origin }
}

/// The problem and where help is to be found; status 2.
fn usage(ctx: &mut Context, problem: &str) -> ExitStatus {
    let text = format!(
        "{problem}\nUse jq --help for help with command-line options,\n\
         or see the jq manpage, or online docs at https://jqlang.org\n"
    );
    ctx.stderr.push(text.as_bytes());
    ExitStatus(2)
}

/// A message without a hint; status 2.
fn refused(ctx: &mut Context, problem: &str) -> ExitStatus {
    ctx.stderr.push(format!("jq: {problem}\n").as_bytes());
    ExitStatus(2)
}

fn text(bytes: &[u8]) -> Text {
    text_of(bytes)
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes)
}

/// The variables that the arguments define.
struct Variables {
    /// The names that were given, and a value for each.
    names: Vec<String>,
    values: Vec<Value>,
    /// What follows `--args` and `--jsonargs`.
    positional: Vec<Value>,
}

impl Variables {
    /// The values in the order of [`globals`]; one that the filter does not use is not built.
    fn into_values(self, compiled: &Compiled) -> Vec<Value> {
        let Variables { names, mut values, positional } = self;
        let uses = |number: usize| compiled.uses_global(1 + number);
        let arguments = if uses(names.len()) {
            let named = names.iter().zip(&values);
            let named = named.map(|(name, value)| (text(name.as_bytes()), value.clone())).collect();
            Value::object([("positional", Value::array(positional)), ("named", Value::Object(named))])
        } else {
            Value::Null
        };
        values.push(arguments);
        values.push(if uses(names.len() + 1) { Value::text(CONFIGURATION) } else { Value::Null });
        values
    }
}

/// The variables of a filter besides `$ENV`: those that were given, `$ARGS`, and how the program was built.
fn globals(names: &[String]) -> Vec<&str> {
    let mut all: Vec<&str> = names.iter().map(String::as_str).collect();
    all.push("ARGS");
    if !all.contains(&BUILD) {
        all.push(BUILD);
    }
    all
}

/// The variables that the arguments define; or the exit status.
async fn variables(
    ctx: &mut Context,
    request: &Request<'_>,
    meter: &Arc<Meter>,
) -> Result<Result<Variables, ExitStatus>, UtilityError> {
    let mut work = Work::new(meter);
    let mut names = Vec::new();
    let mut values = Vec::new();
    for (name, given_text, given) in &request.named {
        let value = match given {
            Given::Text => Value::String(text(given_text)),
            Given::Json => match one_value(given_text, &mut work) {
                Ok(value) => value,
                Err(ReadError::Stopped(_)) => return Err(ended(meter).into()),
                Err(ReadError::Syntax(_)) => {
                    return Ok(Err(usage(ctx, "jq: invalid JSON text passed to --argjson")));
                }
            },
            Given::Values | Given::File => {
                let option = if *given == Given::File { "rawfile" } else { "slurpfile" };
                let read = match contents(ctx, given_text).await? {
                    Ok(bytes) if *given == Given::File => Ok(Value::String(source::text(&bytes).await)),
                    Ok(bytes) => match read::read_all(&bytes, &mut work) {
                        Ok(values) => Ok(Value::array(values)),
                        Err(ReadError::Stopped(_)) => return Err(ended(meter).into()),
                        Err(ReadError::Syntax(problem)) => Err(problem),
                    },
                    Err(problem) => Err(problem),
                };
                match read {
                    Ok(value) => value,
                    Err(problem) => {
                        let (name, file) = (bstr::BStr::new(name), bstr::BStr::new(given_text));
                        let problem = format!("Bad JSON in --{option} {name} {file}: {problem}");
                        return Ok(Err(refused(ctx, &problem)));
                    }
                }
            }
        };
        names.push(String::from(name.to_string_lossy()));
        values.push(value);
    }
    let mut positional = Vec::new();
    for (given_text, is_json) in &request.positional {
        positional.push(match is_json {
            false => Value::String(text(given_text)),
            true => match one_value(given_text, &mut work) {
                Ok(value) => value,
                Err(ReadError::Stopped(_)) => return Err(ended(meter).into()),
                Err(ReadError::Syntax(_)) => {
                    return Ok(Err(usage(ctx, "jq: invalid JSON text passed to --jsonargs")));
                }
            },
        });
    }
    Ok(Ok(Variables { names, values, positional }))
}

fn one_value(text: &[u8], work: &mut Work<'_>) -> Result<Value, ReadError> {
    let mut values = read::read_all(text, work)?;
    match (values.pop(), values.is_empty()) {
        (Some(value), true) => Ok(value),
        _ => Err(ReadError::Syntax(String::new())),
    }
}

/// The compiled filter, or the exit status.
async fn filter(
    ctx: &mut Context,
    request: &Request<'_>,
    places: &Places,
    names: &[String],
) -> Result<Result<memory::Arc<Compiled>, ExitStatus>, UtilityError> {
    let bytes = match request.filter {
        Some(file) if request.from_file => match contents(ctx, file).await? {
            Ok(bytes) => crate::text::Text::from(bytes),
            Err(problem) => return Ok(Err(refused(ctx, &problem))),
        },
        Some(text) => text.clone(),
        None => crate::text::Text::from_static(b"."),
    };
    // A filter that is kept is known by its text, so none that has modules is.
    if library::may_import(&bytes) || library::has_definitions_of_user(ctx) {
        ctx.compiles(&bytes).await;
        let text = bytes.to_string_lossy();
        let compiled = library::compile_with_modules(ctx, places, &text, &globals(names)).await?;
        return Ok(compiled.map(memory::Arc::new).map_err(|error| refused_filter(ctx, &error)));
    }
    let filters = ctx.session.kept::<Filters>();
    if let Some(compiled) = filters.and_then(|filters| filters.get(&bytes, names)) {
        return Ok(Ok(compiled));
    }
    ctx.compiles(&bytes).await;
    match compile(&bytes.to_string_lossy(), &globals(names)) {
        Ok(compiled) => {
            let compiled = memory::Arc::new(compiled);
            if let Some(filters) = filters {
                filters.insert(&bytes, names, &compiled);
            }
            Ok(Ok(compiled))
        }
        Err(error) => Ok(Err(refused_filter(ctx, &error))),
    }
}

/// Says what is wrong with a filter; status 3.
fn refused_filter(ctx: &mut Context, error: &CompileError) -> ExitStatus {
    ctx.stderr.push(format!("{error}\n").as_bytes());
    ExitStatus(3)
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::{Fixture, run};

    #[test]
    fn a_field_of_standard_input() {
        let outcome = run("jq", &["-r", ".tool_input.command"], br#"{"tool_input":{"command":"ls"}}"#, &[]);
        assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str(), outcome.status), ("ls\n", "", 0));
    }

    #[test]
    fn an_error_far_behind_on_a_line_is_reported_in_its_column() {
        for width in [10, 65_534, 65_535, 65_536, 200_000] {
            let filter = format!("{})", " ".repeat(width));
            let outcome = run("jq", &["-n", &filter], b"", &[]);
            let problem = "syntax error, unexpected INVALID_CHARACTER, expecting end of file";
            let place = format!("<top-level>, line 1, column {}", width + 1);
            let expected = format!(
                "jq: error: {problem} at {place}:\n    {filter}\n    {}^\njq: 1 compile error\n",
                " ".repeat(width)
            );
            assert!(outcome.stderr == expected, "{width}");
            assert_eq!(outcome.status, 3);
        }
    }

    #[test]
    #[ignore = "a measurement, for release builds"]
    fn measure() {
        let fixture = Fixture::new(&[]);
        let input = format!(
            r#"{{"session_id":"abc123","cwd":"/workspace","hook_event_name":"PreToolUse","tool_name":"Bash","data":{{"tool_name":"Bash","message":"hello world"}},"tool_input":{{"command":"ls -la /workspace/src","description":"{}","timeout":120000}}}}"#,
            "x".repeat(40)
        );
        for filter in [".tool_name", ".tool_input.command", ".tool_input.command // \"x\"", "{a:.tool_name}"]
        {
            let started = std::time::Instant::now();
            for _ in 0..100_000 {
                fixture.run("jq", &["-r", filter], input.as_bytes());
            }
            println!("{filter}: {:?}", started.elapsed() / 100_000);
        }
        let started = std::time::Instant::now();
        for _ in 0..100_000 {
            fixture.run("true", &[], input.as_bytes());
        }
        println!("true: {:?}", started.elapsed() / 100_000);
    }
}
