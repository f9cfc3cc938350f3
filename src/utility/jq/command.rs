//! `jq`: the utility over the language. jq(1), version 1.6, with `--raw-output0` of 1.7.
//!
//! Arguments (`arguments.rs`), then the variables they name, the filter (compiled once per session), and one round for
//! each input: read it (`source.rs`), run the filter, print its outputs. Reading, running and printing all stop when the
//! time slice is over and go on in the next one. A filter such as `.a.b` does not build its inputs (`member.rs`).
//!
//! Not there: modules (`-L`, `import`), `--seq`, the options that debug jq itself.

use super::arguments::{self, Given, Parsed, Request};
use super::compile::{Compiled, Member, Otherwise, compile};
use super::disposal::Disposal;
use super::error::JqError;
use super::machine::Step;
use super::member;
use super::print::{self, Printing};
use super::read::{self, ReadError};
use super::run::{Host, Run};
use super::source::{self, Source, SourceError, end_of_run};
use super::text::Text;
use super::value::Value;
use super::work::Work;
use crate::limit::{Limit, LimitError, Meter};
use crate::memory::{self, String, ToMeteredString, Vec, format};
use crate::utility::options;
use crate::utility::prelude::{Context, ExitStatus, Utility, UtilityError, example, flag, value};
use crate::vfs::FsError;
use std::sync::Arc;

pub(in crate::utility) const UTILITY: Utility = Utility {
    name: "jq",
    summary: "apply a filter to JSON values",
    usage: "jq [OPTION]... FILTER [FILE]...\njq [OPTION]... --args FILTER [TEXT]...\njq [OPTION]... --jsonargs FILTER [JSON]...",
    options: &[
        flag('n', "null-input", "run the filter once, over null; the inputs are left to input and inputs"),
        flag('R', "raw-input", "each line is an input, as a string"),
        flag('s', "slurp", "all inputs as one array; with -R, all text as one string"),
        flag('\0', "stream", "inputs as pairs of path and leaf"),
        flag('r', "raw-output", "print strings as they are"),
        flag('j', "join-output", "as -r, without newlines"),
        flag('\0', "raw-output0", "as -r, with NUL instead of newlines"),
        flag('a', "ascii-output", "print characters beyond ASCII as escapes"),
        flag('c', "compact-output", "each output on one line"),
        flag('C', "color-output", "print in colour"),
        flag('M', "monochrome-output", "print without colour"),
        flag('S', "sort-keys", "print keys in order"),
        flag('\0', "tab", "indent with tabs"),
        value('\0', "indent", "N", "indent with N spaces, 0 to 7"),
        flag('\0', "unbuffered", "print each output at once"),
        flag('e', "exit-status", "1 if the last output is false or null, 4 if there is none"),
        flag('f', "from-file", "the filter is in the file of that name"),
        value('\0', "arg", "NAME TEXT", "$NAME is the text"),
        value('\0', "argjson", "NAME JSON", "$NAME is the value"),
        value('\0', "slurpfile", "NAME FILE", "$NAME is the array of values in the file"),
        value('\0', "rawfile", "NAME FILE", "$NAME is the text of the file"),
        flag('\0', "args", "operands after the filter are strings in $ARGS.positional"),
        flag('\0', "jsonargs", "operands after the filter are values in $ARGS.positional"),
        flag('h', "help", "display this help and exit"),
        flag('V', "version", "print the version of the language and exit"),
    ],
    examples: &[
        example("echo '{\"tool\":\"Bash\"}' | jq -r .tool", "Bash\n"),
        example("jq -nc --arg x 1 '{x: $x, y: [range(3)]}'", "{\"x\":\"1\",\"y\":[0,1,2]}\n"),
    ],
    usage_status: 2,
    run: start!(run),
    ..Utility::BASE
};

/// Bytes of output that are printed before they are handed on.
const FULL: usize = 32 << 10;

/// Bytes of an input that is freed a part at a time.
const LARGE: usize = 256 << 10;

/// What the outputs so far mean for the exit status.
#[derive(Clone, Copy, PartialEq)]
enum Verdict {
    /// There was no input.
    Unasked,
    /// No output.
    Nothing,
    /// There were outputs.
    Output,
    /// The last input ended in an error.
    Error,
}

/// Exit status: 0; with `-e` 1 or 4 (see there); 2 for usage and files that could not be read; 3 for a filter that does
/// not compile; 4 for an input that is no JSON; 5 for an error of the filter over the last input.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let args = std::mem::take(&mut ctx.args);
    let request = match arguments::parse(&args) {
        Ok(Parsed::Run(request)) => request,
        Ok(Parsed::Help) => {
            ctx.stdout.push(options::help(&UTILITY).as_bytes());
            return Ok(ExitStatus::SUCCESS);
        }
        Ok(Parsed::Version) => {
            ctx.stdout.push(b"jq-1.6\n");
            return Ok(ExitStatus::SUCCESS);
        }
        Err(problem) => return Ok(usage(ctx, &problem)),
    };
    let meter = Arc::clone(&ctx.meter);
    let (names, values) = match variables(ctx, &request, &meter).await? {
        Ok(variables) => variables,
        Err(status) => return Ok(status),
    };
    let compiled = match filter(ctx, &request, &names).await? {
        Ok(compiled) => compiled,
        Err(status) => return Ok(status),
    };
    let source = Source::new(&request.files, request.kind);
    let host = Host::new(ctx.env.clone(), Arc::clone(&ctx.session.clock));
    let run = compiled.run(&values, host, Work::new(&meter));
    let mut evaluation = Evaluation {
        request: &request,
        member: compiled.member().filter(|_| request.is_plain_json()),
        meter: &meter,
        run,
        source,
        line: String::new(),
        verdict: Verdict::Unasked,
        last: true,
    };
    let ended = evaluation.over_all_inputs(ctx).await;
    if meter.failure().is_some() {
        return end_of_run().await;
    }
    ended
}

/// The limit that ended the run.
fn ended(meter: &Meter) -> LimitError {
    meter.failure().unwrap_or_else(|| meter.fail(Limit::Operations))
}

/// `jq: problem` and where help is to be found; status 2.
fn usage(ctx: &mut Context, problem: &str) -> ExitStatus {
    let text = format!(
        "jq: {problem}\nUse jq --help for help with command-line options,\n\
         or see the jq manpage, or online docs  at https://stedolan.github.io/jq\n"
    );
    ctx.stderr.push(text.as_bytes());
    ExitStatus(2)
}

/// A message without a hint; status 2.
fn refused(ctx: &mut Context, problem: &str) -> ExitStatus {
    ctx.stderr.push(format!("jq: {problem}\n").as_bytes());
    ExitStatus(2)
}

/// The bytes of a file, or why it could not be read.
async fn contents(ctx: &mut Context, name: &[u8]) -> Result<Result<Vec<u8>, String>, UtilityError> {
    let read = match ctx.open_input(name) {
        Ok(mut input) => input.read_to_end().await,
        Err(error) => Err(error),
    };
    match read {
        Ok(bytes) => Ok(Ok(bytes)),
        Err(FsError::Limit(limit)) => Err(limit.into()),
        Err(FsError::Errno(crate::vfs::Errno::IsDirectory)) => {
            Ok(Err(format!("Could not open {}: It's a directory", bstr::BStr::new(name))))
        }
        Err(FsError::Errno(errno)) => {
            Ok(Err(format!("Could not open {}: {}", bstr::BStr::new(name), errno.message())))
        }
    }
}

fn text(bytes: &[u8]) -> Text {
    Text::from(&*String::from_utf8_lossy(bytes))
}

type Variables = (Vec<String>, Vec<Value>);

/// Names and values of the variables that the arguments define, `$ARGS` first; or the exit status.
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
                    return Ok(Err(usage(ctx, "invalid JSON text passed to --argjson")));
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
                    return Ok(Err(usage(ctx, "invalid JSON text passed to --jsonargs")));
                }
            },
        });
    }
    names.push("ARGS".to_metered_string());
    values.push(if names.len() == 1 && positional.is_empty() {
        no_arguments()
    } else {
        let named = names.iter().zip(&values);
        Value::object([
            ("positional", Value::array(positional)),
            (
                "named",
                Value::Object(named.map(|(name, value)| (text(name.as_bytes()), value.clone())).collect()),
            ),
        ])
    });
    Ok(Ok((names, values)))
}

fn one_value(text: &[u8], work: &mut Work<'_>) -> Result<Value, ReadError> {
    let mut values = read::read_all(text, work)?;
    match (values.pop(), values.is_empty()) {
        (Some(value), true) => Ok(value),
        _ => Err(ReadError::Syntax(String::new())),
    }
}

fn no_arguments() -> Value {
    Value::object([("positional", Value::array(Vec::new())), ("named", Value::object([]))])
}

/// The compiled filter, or the exit status.
async fn filter(
    ctx: &mut Context,
    request: &Request<'_>,
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
    let caches = &ctx.session.caches.filters;
    if let Some(compiled) = caches.get(&bytes, names) {
        return Ok(Ok(compiled));
    }
    ctx.compiles(&bytes).await;
    let globals: Vec<&str> = names.iter().map(String::as_str).collect();
    match compile(&bytes.to_string_lossy(), &globals) {
        Ok(compiled) => {
            let compiled = memory::Arc::new(compiled);
            caches.insert(&bytes, names, &compiled);
            Ok(Ok(compiled))
        }
        Err(error) => {
            ctx.stderr.push(format!("{error}\n").as_bytes());
            Ok(Err(ExitStatus(3)))
        }
    }
}

/// Frees a value, with pauses.
async fn dispose(ctx: &mut Context, value: Option<Value>) -> Result<(), UtilityError> {
    let Some(value) = value else { return Ok(()) };
    let mut disposal = Disposal::new(value);
    while disposal.go_on() {
        ctx.check().await?;
    }
    Ok(())
}

/// One run over all its inputs.
struct Evaluation<'a> {
    request: &'a Request<'a>,
    /// The filter, where it is no more than a member of each input.
    member: Option<&'a Member>,
    meter: &'a Arc<Meter>,
    run: Run<'a, 'a>,
    source: Source,
    /// Where outputs are laid out.
    line: String,
    verdict: Verdict,
    /// Whether the last output was true.
    last: bool,
}

impl Evaluation<'_> {
    async fn over_all_inputs(&mut self, ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
        if self.request.null_input {
            self.run.start(Value::Null);
            if let Some(status) = self.evaluate(ctx).await? {
                return Ok(status);
            }
        } else {
            loop {
                if let Some(member) = self.member
                    && let Some((value, used)) =
                        member::member(self.source.bytes(), &member.path, self.run.work())
                {
                    self.source.consume(used);
                    self.verdict = Verdict::Nothing;
                    match &member.otherwise {
                        Otherwise::Value(other) if !value.is_true() => self.print(ctx, other.clone()).await?,
                        Otherwise::Nothing if !value.is_true() => {}
                        _ => self.print(ctx, value).await?,
                    }
                    ctx.tick().await?;
                    continue;
                }
                if self.member.is_some() && self.source.bytes().is_empty() && self.source.fill(ctx).await? {
                    continue;
                }
                let before = self.source.consumed();
                match self.source.next(ctx, self.run.work()).await {
                    Ok(Some(input)) => {
                        self.describe_input();
                        // The machine drops its input somewhere inside; a large one is not freed there, but here.
                        let large = (self.source.consumed() - before > LARGE).then(|| input.clone());
                        self.run.start(input);
                        if let Some(status) = self.evaluate(ctx).await? {
                            return Ok(status);
                        }
                        dispose(ctx, large).await?;
                        ctx.tick().await?;
                    }
                    Ok(None) => break,
                    Err(SourceError::Utility(error)) => return Err(error),
                    Err(SourceError::Stopped(_)) => return Err(ended(self.meter).into()),
                    Err(SourceError::Syntax(problem)) => {
                        ctx.stdout.flush().await?;
                        ctx.stderr.write(format!("parse error: {problem}\n").as_bytes()).await?;
                        return Ok(ExitStatus(4));
                    }
                }
            }
        }
        Ok(self.status())
    }

    fn status(&self) -> ExitStatus {
        match self.verdict {
            _ if self.source.has_failed => ExitStatus(2),
            Verdict::Error => ExitStatus(5),
            _ if !self.request.exit_status => ExitStatus(0),
            Verdict::Nothing => ExitStatus(4),
            Verdict::Unasked => ExitStatus(0),
            Verdict::Output => ExitStatus(u8::from(!self.last)),
        }
    }

    fn describe_input(&mut self) {
        let host = self.run.host();
        host.filename = self.source.filename();
        host.lines = self.source.lines();
    }

    /// The outputs over the current input; the exit status where the filter asks to halt.
    async fn evaluate(&mut self, ctx: &mut Context) -> Result<Option<ExitStatus>, UtilityError> {
        self.verdict = Verdict::Nothing;
        loop {
            let step = self.run.step();
            if !self.run.host().said.is_empty() {
                let said = std::mem::take(&mut self.run.host().said);
                ctx.stderr.write(said.as_bytes()).await?;
                ctx.stderr.flush().await?;
            }
            match step {
                Step::Output(value) => {
                    self.print(ctx, value).await?;
                }
                Step::Done => return Ok(None),
                Step::Pause => {
                    if ctx.check().await.is_err() {
                        return end_of_run().await;
                    }
                    self.run.work().go_on();
                }
                Step::Input => {
                    let input = match self.source.next(ctx, self.run.work()).await {
                        Ok(value) => value.map(Ok),
                        Err(SourceError::Syntax(problem)) => Some(Err(ReadError::Syntax(problem))),
                        Err(SourceError::Stopped(stop)) => Some(Err(ReadError::Stopped(stop))),
                        Err(SourceError::Utility(error)) => return Err(error),
                    };
                    self.describe_input();
                    self.run.supply(input);
                }
                Step::Failed(error) => return self.fail(ctx, &error).await,
            }
        }
    }

    async fn fail(&mut self, ctx: &mut Context, error: &JqError) -> Result<Option<ExitStatus>, UtilityError> {
        let said = match error {
            JqError::Stopped => return end_of_run().await,
            JqError::Halt(halt) => {
                let said = match &halt.message {
                    Some(Value::String(text)) => text.as_str().to_metered_string(),
                    Some(other) => format!("{}\n", print::compact(other)),
                    None => String::new(),
                };
                ctx.stderr.write(said.as_bytes()).await?;
                return Ok(Some(ExitStatus(halt.status as u8)));
            }
            JqError::Break => ": break".to_metered_string(),
            JqError::Uncaught(_) => error.to_metered_string(),
        };
        let place = match self.source.filename() {
            Some(name) => format!("{name}:{}", self.source.lines()),
            None => "<unknown>".to_metered_string(),
        };
        ctx.stderr.write(format!("jq: error (at {place}){said}\n").as_bytes()).await?;
        ctx.stderr.flush().await?;
        self.verdict = Verdict::Error;
        Ok(None)
    }

    async fn print(&mut self, ctx: &mut Context, value: Value) -> Result<(), UtilityError> {
        self.verdict = Verdict::Output;
        self.last = value.is_true();
        if let (true, Value::String(text)) = (self.request.raw_output, &value) {
            ctx.stdout.push(text.as_str().as_bytes());
        } else {
            let (owner, mut is_long) = (value.clone(), false);
            let mut printing = Printing::new(value);
            loop {
                self.line.clear();
                let work = self.run.work();
                let is_done = printing.go_on(self.request.layout, &mut self.line, FULL, work);
                let is_done = is_done.map_err(|_| UtilityError::from(ended(self.meter)))?;
                ctx.stdout.write(self.line.as_bytes()).await?;
                if is_done {
                    break;
                }
                is_long = true;
                ctx.check().await?;
                self.run.work().go_on();
            }
            drop(printing);
            if is_long {
                dispose(ctx, Some(owner)).await?;
            }
        }
        ctx.stdout.write(self.request.end).await
    }
}

#[cfg(test)]
mod tests {
    use crate::utility::testing::{Fixture, run};

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
            let problem = "syntax error, unexpected ')' (Unix shell quoting issues?) at <top-level>, line 1:";
            let expected =
                format!("jq: error: {problem}\n{filter}{}\njq: 1 compile error\n", " ".repeat(width));
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
