//! The cases of `tests/cases/utility/jq_filters.txt`, recorded from jq 1.8, and bombs that must end.
//!
//! A case is `F` filter, `I` input, `O` for each output, `E` for the error that ends it.

use super::compile::compile;
use super::context::Host;
use super::diagnose;
use super::error::JqError;
use super::machine::Interruption;
use super::print;
use super::read::{JsonReader, Progress, ReadError};
use super::run::Run;
use super::value::Value;
use super::work::Work;
use crate::clock::Clock;
use crate::limit::{Limits, Meter};
use crate::utility::Environment;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

fn host() -> Host {
    let environment = Environment::new(crate::memory::vec![("HOME".into(), "/root".into())]);
    Host::new(environment.into(), Arc::new(Clock::fixed(Duration::from_millis(1_700_000_000_500))))
}

/// Outputs as lines, and the error that ended them.
fn run(filter: &str, input: &str, work: Work<'_>) -> (Vec<String>, Option<String>) {
    let compiled = match compile(filter, &[]) {
        Ok(compiled) => compiled,
        Err(error) => {
            let problems: Vec<_> = error.0.iter().map(|fault| fault.problem.as_str()).collect();
            return (Vec::new(), Some(problems.join("; ")));
        }
    };
    let mut run = compiled.run(&[], host(), work);
    let mut inputs = Inputs { rest: input.as_bytes(), base: (0, 0), reader: JsonReader::steady() };
    let mut lines = Vec::new();
    loop {
        match inputs.next(run.work()) {
            None => return (lines, None),
            Some(Err(ReadError::Syntax(problem))) => return (lines, Some(format!("parse error: {problem}"))),
            Some(Err(ReadError::Stopped(_))) => return (lines, Some("stopped".into())),
            Some(Ok(input)) => run.start(input),
        }
        loop {
            match run.step() {
                Interruption::Output(value) => {
                    let mut line = crate::memory::String::new();
                    if print::write(&value, &print::COMPACT, &mut line, run.work()).is_err() {
                        return (lines, Some("stopped".into()));
                    }
                    lines.push(line.into());
                }
                Interruption::Input => {
                    let input = inputs.next(run.work());
                    run.supply(input);
                }
                Interruption::Module(name) => run.describe(Err(name.as_str().into())),
                Interruption::Pause => run.work().go_on(),
                Interruption::Done => break,
                Interruption::Failed(error @ JqError::Uncaught(_)) => {
                    let text = error.to_string();
                    let shown = text.strip_prefix(": ").unwrap_or(&text);
                    return (lines, Some(shown.to_string()));
                }
                Interruption::Failed(error) => return (lines, Some(error.to_string())),
            }
        }
    }
}

struct Inputs<'t> {
    rest: &'t [u8],
    base: (usize, usize),
    reader: JsonReader,
}

impl Inputs<'_> {
    fn next(&mut self, work: &mut Work<'_>) -> Option<Result<Value, ReadError>> {
        match self.reader.read(self.rest, true, self.base, work) {
            Ok(Progress::Value(value, used)) => {
                self.base = diagnose::moved(self.base, &self.rest[..used]);
                self.rest = &self.rest[used..];
                Some(Ok(value))
            }
            Ok(_) => None,
            Err(error) => {
                self.rest = &[];
                Some(Err(error))
            }
        }
    }
}

/// As [`run`], without limits.
pub(super) fn run_unlimited(filter: &str, input: &str) -> (Vec<String>, Option<String>) {
    run(filter, input, Work::unbounded())
}

#[derive(Default)]
struct Case<'t> {
    filter: &'t str,
    input: &'t str,
    outputs: Vec<&'t str>,
    error: Option<&'t str>,
}

fn cases(text: &str) -> Vec<Case<'_>> {
    let mut cases: Vec<Case<'_>> = Vec::new();
    for line in text.lines() {
        let (mark, rest) = line.split_once(' ').unwrap_or((line, ""));
        match (mark, cases.last_mut()) {
            ("F", _) => cases.push(Case { filter: rest, ..Case::default() }),
            ("I", Some(case)) => case.input = rest,
            ("O", Some(case)) => case.outputs.push(rest),
            ("E", Some(case)) => case.error = Some(rest),
            _ => {}
        }
    }
    cases
}

#[test]
fn recorded_cases() {
    let text = include_str!("../../../tests/cases/utility/jq_filters.txt");
    let mut failures = String::new();
    let all = cases(text);
    for case in &all {
        // Without a meter every step is the last of its turn.
        let (outputs, error) = run(case.filter, case.input, Work::unbounded());
        assert_eq!(run_bounded(case.filter, case.input), (outputs.clone(), error.clone()), "{}", case.filter);
        if outputs != case.outputs || error.as_deref() != case.error {
            let expected = (&case.outputs, case.error);
            let got = (outputs, error);
            let _ = writeln!(
                failures,
                "{}  <<< {}\n  expected {expected:?}\n  got      {got:?}",
                case.filter, case.input
            );
        }
    }
    assert!(failures.is_empty(), "{failures}");
    assert!(all.len() >= 400, "{}", all.len());
}

/// As [`run`], with bounds and in turns.
fn run_bounded(filter: &str, input: &str) -> (Vec<String>, Option<String>) {
    let limits = Limits { operations: 4_000_000, live_bytes: 32 << 20, ..Limits::default() };
    let meter = Meter::new(limits, Arc::new(Clock::fixed(Duration::ZERO)));
    let _entered = meter.enter();
    run(filter, input, Work::new(&meter))
}

/// On a thread with the stack that a test or a worker has, and with bounds.
fn on_a_small_stack(filter: String, input: String) -> (Vec<String>, Option<String>) {
    let body = move || run_bounded(&filter, &input);
    std::thread::Builder::new().stack_size(2 << 20).spawn(body).unwrap().join().unwrap()
}

#[test]
fn bombs_are_stopped() {
    let bombs = [
        "def f: f; f",
        "def f: [f]; f",
        "def f: 1 + f; f",
        "def f(g): f(g | g); f(.)",
        "def f(g): f(def h: g; h); f(1)",
        "def f(g): f(g, g); f(1)",
        "def f(g): f(g + 1) | g; f(.)",
        "def f: try f catch f; f",
        "def f: reduce f as $x (0; f); f",
        "[range(1e9)] | length",
        "[repeat(1)]",
        "[limit(1e9; repeat(1))]",
        "last(range(1e12))",
        "\"x\" * 1e9",
        "reduce range(1e9) as $x (\"\"; . + \"xxxxxxxxxxxxxxxx\")",
        "try repeat(\"a\" | error) catch 1 | repeat(.) | select(. == 2)",
        "try error(def f: f; f) catch 1",
        "(def f: f; f)?",
        "(def f: f; f) // 1",
        "reduce range(100) as $i ([1]; [., .]) | tojson | length",
        "reduce range(100) as $i ([1]; [., .]) | flatten | length",
        "reduce range(100) as $i ([1]; [., .]) as $x | ($x | tojson | fromjson) == $x",
        "reduce range(100) as $i ([1]; [., .]) | map(.) as $x | reduce range(100) as $i ([1]; [., .]) | . == $x",
        "reduce range(60) as $i ([1]; [., .]) | walk(.) | length",
        "[range(40)] | [combinations(40)]",
        "null | until(false; .)",
        "[recurse(.)]",
        "path(def f: .a | f; f)",
        "def f: .a |= f; f",
    ];
    for bomb in bombs {
        let started = Instant::now();
        let (_, error) = on_a_small_stack(bomb.into(), "null".into());
        assert_eq!(error.as_deref(), Some("stopped"), "{bomb}");
        assert!(started.elapsed().as_secs() < 20, "{bomb}: {:?}", started.elapsed());
    }
}

#[test]
fn what_is_dropped_is_given_back() {
    for filter in [
        "reduce range(5000) as $i (0; \"x\" * 1000 | length)",
        "last(range(20000) | [., .])",
        "last(range(20000) | {a: .})",
        "last(range(5000) | tojson)",
        "last(range(2000) | [range(100)])",
        "last(range(2000) | \"a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p\" | split(\",\"))",
        "last(range(5000) | [1, 2, 3, 4, 5, 6, 7, 8] | sort)",
        "last(range(2000) | \"\\(.) and a text\" | explode | implode)",
        "last(range(2000) | \"abababab\" | [match(\"a\"; \"g\")])",
        "last(range(20000) | {a: 1, b: 2} | to_entries | from_entries)",
        "last(range(200) | . as $i | [range(100)] | map(. + $i) | add)",
    ] {
        let limits = Limits { live_bytes: 512 << 10, wall_time_ms: u64::MAX, ..Limits::default() };
        let meter = Meter::new(limits, Arc::new(Clock::fixed(Duration::ZERO)));
        let entered = meter.enter();
        let (outputs, error) = run(filter, "null", Work::new(&meter));
        assert_eq!((outputs.len(), error), (1, None), "{filter}");
        drop(entered);
    }
}

#[test]
fn long_steps_pause() {
    let trees =
        "def t: reduce range(40) as $i ([1]; [., .]); def o: reduce range(40) as $i ({}; {a: ., b: .}); ";
    for filter in [
        "t == t",
        "t != t",
        "t < t",
        "o == o",
        "o >= o",
        "t | contains(t)",
        "o | inside(o)",
        "[t, t] | index([t])",
        "[t, t] | sort",
        "[t, t] | unique",
        "[t, t] | max",
        "[t] | bsearch(t)",
        "[t] - [t]",
        "t | flatten",
        "t | tojson",
        "t | tostring",
        "t | @json",
        "t | \"\\(.)\"",
        "o * o",
        "{a: t} | .a |= (. == t)",
        "{a: t} | .a += [1] | .a[:2] == t",
        "[1] | map([t == t])",
        "{} | .[t == t | tostring] = 1",
        "[1] | .[] += (t == t | length)",
        "if t == t then 1 else 2 end",
        "[.[]?] | (t == t) // 1",
        "try (t == t) catch .",
        "reduce range(9) as $i (0; t == t)",
    ] {
        let compiled = compile(&format!("{trees}{filter}"), &[]).unwrap();
        let meter = Meter::new(Limits::default(), Arc::new(Clock::fixed(Duration::ZERO)));
        let _entered = meter.enter();
        let mut run = compiled.run(&[], host(), Work::new(&meter));
        run.start(Value::Null);
        for _ in 0..50 {
            match run.step() {
                Interruption::Pause => run.work().go_on(),
                other => panic!("{filter}: {other:?}"),
            }
        }
    }
}

#[test]
fn deep_nesting_is_an_error() {
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("{a:", "}"),
        ("\"\\(", ")\""),
        ("-", ""),
        ("try ", ""),
        ("1 as $x|", "1"),
        ("1 + (", ")"),
        ("if 1 then ", " end"),
        ("def f: ", "f;"),
        ("reduce ", ""),
        (". as [", "$a]|1"),
        ("1 as [$x] ?// $x | ", "1"),
    ] {
        let filter = format!("{}1{}", open.repeat(100_000), close.repeat(100_000));
        let (_, error) = on_a_small_stack(filter, "null".into());
        assert!(error.is_some(), "{open}");
        let filter = format!("{}1{}", open.repeat(159), close.repeat(159));
        on_a_small_stack(filter, "null".into());
    }
    let (_, error) = on_a_small_stack(".".into(), "[".repeat(100_000));
    assert!(error.unwrap().contains("Exceeds depth limit for parsing"));
    let deepen = "reduce range(100000) as $i (0; [.]) | tojson".to_string();
    assert_eq!(on_a_small_stack(deepen, "1".into()).1.unwrap(), "Value nests too deeply");
    let deep = "reduce range(250) as $i (0; {a: [.]}) | [., tojson] | (.[1] | length), ([..] | length), ([.[0], .[0]] | unique | length)";
    let (outputs, error) = on_a_small_stack(deep.into(), "1".into());
    assert_eq!((outputs, error), (vec!["2001".to_string(), "503".into(), "1".into()], None));
}

#[test]
fn long_filters_take_linear_room() {
    for (part, expected) in
        [("1 | ", "1"), ("1, ", "1"), ("1 + ", "3001"), ("null // ", "1"), (".a? | ", "1")]
    {
        let filter = format!("{}1", part.repeat(3000));
        let (outputs, error) = on_a_small_stack(filter, "null".into());
        assert_eq!((outputs.first().map(String::as_str), error), (Some(expected), None), "{part}");
    }
}

#[test]
fn evaluations_can_move_to_another_thread() {
    fn is_send<T: Send>(_: &T) {}
    let compiled = compile(".", &[]).unwrap();
    let run = compiled.run(&[], host(), Work::unbounded());
    is_send(&run);
    is_send(&compiled);
}

/// The next step that is not a pause.
fn next(run: &mut Run<'_, '_>) -> Interruption {
    loop {
        match run.step() {
            Interruption::Pause => run.work().go_on(),
            other => return other,
        }
    }
}

#[test]
fn messages_and_halts() {
    let compiled = compile("debug, (\"a\" | stderr), ({} | halt_error(3))", &[]).unwrap();
    let mut run = compiled.run(&[], host(), Work::unbounded());
    run.start(Value::number(1.0));
    assert!(matches!(next(&mut run), Interruption::Output(_)));
    assert!(matches!(next(&mut run), Interruption::Output(_)));
    match next(&mut run) {
        Interruption::Failed(JqError::Halt(halt)) => assert_eq!(halt.status, 3),
        other => panic!("{other:?}"),
    }
    assert!(matches!(next(&mut run), Interruption::Done));
    assert_eq!(run.host().messages.take(), "[\"DEBUG:\",1]\na");
}

#[test]
fn variables_are_given_by_name() {
    let compiled = compile("[$x, $ENV.HOME, $y]", &["x", "y"]).unwrap();
    let mut run = compiled.run(&[Value::text("1"), Value::Null], host(), Work::unbounded());
    run.start(Value::Null);
    match next(&mut run) {
        Interruption::Output(value) => assert_eq!(print::compact(&value), "[\"1\",\"/root\",null]"),
        other => panic!("{other:?}"),
    }
}

#[test]
#[ignore = "a measurement, for release builds"]
fn measure() {
    let input = format!(
        "{{\"session_id\":\"abc123\",\"cwd\":\"/workspace\",\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\"data\":{{\"tool_name\":\"Bash\",\"message\":\"hello world\"}},\"tool_input\":{{\"command\":\"ls -la /workspace/src\",\"description\":\"{}\",\"timeout\":120000}}}}",
        "x".repeat(40)
    );
    let time = |name: &str, rounds: u32, body: &mut dyn FnMut()| {
        let started = Instant::now();
        for _ in 0..rounds {
            body();
        }
        println!("{name}: {:?}", started.elapsed() / rounds);
    };
    for filter in [
        ".data.tool_name",
        "{decision:\"mutate\",patch:{message:(\"x\\n\" + .data.message)}}",
        ".data | to_entries | map(select(.value | test(\"a\"))) | from_entries",
        "[paths]",
        "gsub(\"a\";\"b\")",
        "with_entries(.value |= tostring) | walk(.)",
    ] {
        time(&format!("compile {filter}"), 10_000, &mut || drop(compile(filter, &[])));
    }
    for filter in [
        ".tool_input.command",
        "{decision:\"mutate\",patch:{message:(\"x\\n\" + .data.message)}}",
        "[.data[] | ascii_downcase]",
        "[paths]",
    ] {
        let compiled = compile(filter, &[]).unwrap();
        time(&format!("read, run, print {filter}"), 100_000, &mut || {
            let mut run = compiled.run(&[], host(), Work::unbounded());
            let mut inputs = Inputs { rest: input.as_bytes(), base: (0, 0), reader: JsonReader::default() };
            let value = inputs.next(run.work()).unwrap().unwrap();
            run.start(value);
            let Interruption::Output(output) = next(&mut run) else { return };
            let mut line = crate::memory::String::new();
            print::write(&output, &print::COMPACT, &mut line, run.work()).unwrap();
        });
    }
    let compiled = compile(".tool_input.command", &[]).unwrap();
    let path = &compiled.member().unwrap().path;
    time("member .tool_input.command", 100_000, &mut || {
        let mut work = Work::unbounded();
        let value = super::member::member(input.as_bytes(), path, &mut work).unwrap();
        let mut line = crate::memory::String::new();
        print::write(&value.0, &print::COMPACT, &mut line, &mut work).unwrap();
    });
    let lines = format!("{input}\n").repeat((10 << 20) / (input.len() + 1));
    for filter in
        [".", ".tool_input.command", "{a: .tool_name, b: (.tool_input | keys)}", "[.. | strings] | length"]
    {
        time(&format!("10 MB {filter}"), 1, &mut || drop(run(filter, &lines, Work::unbounded())));
    }
    for filter in [
        "reduce range(1000000) as $i (0; . + $i)",
        "reduce range(300000) as $i ([]; .[$i] = $i) | length",
        "reduce range(300000) as $i (\"\"; . + \"x\") | length",
        "[range(1000000) | select(. % 2 == 0)] | map(. + 1) | add",
        "def f: if . > 300000 then . else . + 1 | f end; 0 | f",
        "reduce range(300000) as $i ({}; .[\"k\\($i % 1000)\"] += 1) | length",
        "[range(300000) | tostring] | sort | length",
    ] {
        time(filter, 1, &mut || drop(run(filter, "null", Work::unbounded())));
    }
}
