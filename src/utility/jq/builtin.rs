//! The table of builtins: functions over values, forms that become terms, and definitions in the language itself.
//!
//! A definition is parsed when a filter first uses it, and only then.

use super::binding::Id;
use super::operator::Operator;
use super::term::{NativeFunction, Operation, Program, Term};
use super::value::Value;
use super::{collection, containment, conversion, deletion, math, regex, sorting, string, system, time};
use crate::memory::{String, Vec, format};

/// How a builtin is made.
#[derive(Clone, Copy)]
pub(crate) enum Builtin {
    /// A function over input and arguments.
    Native(NativeFunction),
    /// A term built from the arguments.
    Form(fn(&mut Program, &[Id]) -> Id),
    /// A definition.
    Definition(&'static str),
}

use Builtin::{Definition, Form, Native};

type Row = (&'static str, usize, Builtin);

/// The builtin `name` with so many arguments.
pub(crate) fn find(name: &str, arity: usize) -> Option<(&'static str, Builtin)> {
    let row = TABLE.iter().find(|row| row.1 == arity && row.0 == name)?;
    Some((row.0, row.2))
}

/// `name/arity` of all that a filter can use.
pub(crate) fn names() -> impl Iterator<Item = String> {
    // `null` and its kin are literals to jq.
    let literals = ["null", "true", "false"];
    let shown = TABLE.iter().filter(move |row| !row.0.starts_with('_') && !literals.contains(&row.0));
    shown.map(|(name, arity, _)| format!("{name}/{arity}"))
}

fn identity(program: &mut Program) -> Id {
    program.add(Term::Identity)
}

fn constant(program: &mut Program, value: Value) -> Id {
    program.add(Term::Constant(value))
}

fn each(program: &mut Program, inner: &[Id]) -> Id {
    let input = identity(program);
    let members = program.add(Term::Each(input));
    match inner.first() {
        Some(inner) => program.add(Term::Pipe(members, *inner)),
        None => members,
    }
}

/// `select(f)` as `if f then . else empty end`.
fn select(program: &mut Program, arguments: &[Id]) -> Id {
    let input = identity(program);
    let nothing = program.add(Term::Empty);
    let condition = arguments.first().copied().unwrap_or(input);
    program.add(Term::If(condition, input, nothing))
}

fn map(program: &mut Program, arguments: &[Id]) -> Id {
    let members = each(program, arguments);
    program.add(Term::Collect(members))
}

/// A native of the input and the array of `f`'s outputs for each item: `[.[] | [f]]`.
fn keyed(program: &mut Program, arguments: &[Id], function: NativeFunction) -> Id {
    let keys = keys_of_items(program, arguments);
    program.add(Term::Apply(Operation::Native(function), Vec::from([keys])))
}

/// `[.[] | [f]]`
fn keys_of_items(program: &mut Program, arguments: &[Id]) -> Id {
    let key = arguments.first().map(|key| program.add(Term::Collect(*key)));
    let keys: Vec<Id> = key.into_iter().collect();
    map(program, &keys)
}

fn limit(program: &mut Program, count: Id, inner: Option<&Id>) -> Id {
    let inner = inner.copied().unwrap_or(count);
    program.add(Term::Apply(Operation::Limit(inner), Vec::from([count])))
}

fn error(program: &mut Program, arguments: &[Id]) -> Id {
    let value = arguments.first().copied().unwrap_or_else(|| identity(program));
    program.add(Term::Apply(Operation::Error, Vec::from([value])))
}

fn index_at(program: &mut Program, at: f64) -> Id {
    let (input, key) = (identity(program), constant(program, Value::number(at)));
    program.add(Term::Index(input, key))
}

/// `if type OP name then . else empty end`
fn of_kind(program: &mut Program, operator: Operator, name: &str) -> Id {
    let kind = program.add(Term::Apply(Operation::Native(system::kind), Vec::new()));
    let name = constant(program, Value::text(name));
    let same = program.add(Term::Binary(operator, kind, name));
    select(program, &[same])
}

const TABLE: &[Row] = &[
    // Forms.
    ("empty", 0, Form(|program, _| program.add(Term::Empty))),
    ("error", 0, Form(error)),
    ("error", 1, Form(error)),
    ("path", 1, Form(|program, f| f.first().copied().map_or(0, |f| program.add(Term::Path(f))))),
    ("select", 1, Form(select)),
    ("map", 1, Form(map)),
    ("recurse", 0, Form(|program, _| program.add(Term::Recurse))),
    ("getpath", 1, Form(|program, f| program.add(Term::Apply(Operation::GetPath, f.into())))),
    (
        "range",
        1,
        Form(|program, f| {
            let zero = constant(program, Value::number(0.0));
            let upto = f.first().copied().unwrap_or(zero);
            program.add(Term::Apply(Operation::Range, Vec::from([zero, upto])))
        }),
    ),
    ("range", 2, Form(|program, f| program.add(Term::Apply(Operation::Range, f.into())))),
    ("limit", 2, Form(|program, f| limit(program, f.first().copied().unwrap_or(0), f.get(1)))),
    (
        "first",
        1,
        Form(|program, f| {
            let one = constant(program, Value::number(1.0));
            limit(program, one, f.first())
        }),
    ),
    ("first", 0, Form(|program, _| index_at(program, 0.0))),
    ("last", 0, Form(|program, _| index_at(program, -1.0))),
    (
        "nth",
        1,
        Form(|program, f| {
            let input = identity(program);
            program.add(Term::Index(input, f.first().copied().unwrap_or(input)))
        }),
    ),
    ("true", 0, Form(|program, _| constant(program, Value::Bool(true)))),
    ("false", 0, Form(|program, _| constant(program, Value::Bool(false)))),
    ("null", 0, Form(|program, _| constant(program, Value::Null))),
    ("sort_by", 1, Form(|program, f| keyed(program, f, sorting::sort))),
    ("group_by", 1, Form(|program, f| keyed(program, f, sorting::group))),
    ("unique_by", 1, Form(|program, f| keyed(program, f, sorting::unique))),
    ("min_by", 1, Form(|program, f| keyed(program, f, collection::min))),
    ("max_by", 1, Form(|program, f| keyed(program, f, collection::max))),
    ("nulls", 0, Form(|program, _| of_kind(program, Operator::Equal, "null"))),
    ("values", 0, Form(|program, _| of_kind(program, Operator::NotEqual, "null"))),
    ("booleans", 0, Form(|program, _| of_kind(program, Operator::Equal, "boolean"))),
    ("numbers", 0, Form(|program, _| of_kind(program, Operator::Equal, "number"))),
    ("strings", 0, Form(|program, _| of_kind(program, Operator::Equal, "string"))),
    ("arrays", 0, Form(|program, _| of_kind(program, Operator::Equal, "array"))),
    ("objects", 0, Form(|program, _| of_kind(program, Operator::Equal, "object"))),
    // Values.
    ("not", 0, Native(system::not)),
    ("type", 0, Native(system::kind)),
    ("length", 0, Native(collection::length)),
    ("keys", 0, Native(collection::keys)),
    ("keys_unsorted", 0, Native(collection::keys_unsorted)),
    ("has", 1, Native(collection::has)),
    ("contains", 1, Native(containment::contains)),
    ("add", 0, Native(collection::add)),
    ("any", 0, Native(collection::any)),
    ("all", 0, Native(collection::all)),
    ("flatten", 0, Native(collection::flatten)),
    ("flatten", 1, Native(collection::flatten)),
    ("reverse", 0, Native(collection::reverse)),
    ("sort", 0, Native(sorting::sort)),
    ("unique", 0, Native(sorting::unique)),
    ("min", 0, Native(collection::min)),
    ("max", 0, Native(collection::max)),
    ("to_entries", 0, Native(collection::to_entries)),
    ("from_entries", 0, Native(collection::from_entries)),
    ("indices", 1, Native(collection::indices)),
    ("bsearch", 1, Native(collection::bsearch)),
    ("transpose", 0, Native(collection::transpose)),
    ("setpath", 2, Native(collection::set_path)),
    ("delpaths", 1, Native(deletion::delete_argument_paths)),
    // Strings.
    ("split", 1, Native(string::split)),
    ("join", 1, Native(string::join)),
    ("startswith", 1, Native(string::starts_with)),
    ("endswith", 1, Native(string::ends_with)),
    ("ltrimstr", 1, Native(string::trim_prefix)),
    ("rtrimstr", 1, Native(string::trim_suffix)),
    ("trimstr", 1, Definition("def trimstr($part): ltrimstr($part) | rtrimstr($part);")),
    ("trim", 0, Native(string::trim)),
    ("ltrim", 0, Native(string::ltrim)),
    ("rtrim", 0, Native(string::rtrim)),
    ("ascii_downcase", 0, Native(string::downcase)),
    ("ascii_upcase", 0, Native(string::upcase)),
    ("explode", 0, Native(string::explode)),
    ("implode", 0, Native(string::implode)),
    ("utf8bytelength", 0, Native(string::utf8_byte_length)),
    ("tostring", 0, Native(string::to_string)),
    ("tojson", 0, Native(conversion::to_json)),
    ("fromjson", 0, Native(conversion::from_json)),
    ("tonumber", 0, Native(string::to_number)),
    ("toboolean", 0, Native(string::to_boolean)),
    ("format", 1, Native(string::format)),
    // Regular expressions.
    ("test", 1, Native(regex::test)),
    ("test", 2, Native(regex::test)),
    ("_matches", 1, Native(regex::matches)),
    ("_matches", 2, Native(regex::matches)),
    ("_pieces", 2, Native(regex::pieces)),
    ("split", 2, Native(regex::split)),
    // Outside.
    ("input", 0, Form(|program, _| program.add(Term::Apply(Operation::Input(false), Vec::new())))),
    ("_next_input", 0, Form(|program, _| program.add(Term::Apply(Operation::Input(true), Vec::new())))),
    ("input_filename", 0, Native(system::input_filename)),
    ("input_line_number", 0, Native(system::input_line_number)),
    ("env", 0, Form(|program, _| program.add(Term::Global(0)))),
    ("_say", 1, Native(system::keep_message)),
    ("modulemeta", 0, Form(|program, _| program.add(Term::Apply(Operation::ModuleMeta, Vec::new())))),
    ("get_search_list", 0, Native(system::search_list)),
    ("get_prog_origin", 0, Native(system::program_origin)),
    ("get_jq_origin", 0, Native(system::jq_origin)),
    ("halt", 0, Native(system::halt)),
    ("halt_error", 0, Native(system::halt_error)),
    ("halt_error", 1, Native(system::halt_error)),
    ("builtins", 0, Native(system::builtins)),
    // Time.
    ("now", 0, Native(time::now)),
    ("gmtime", 0, Native(time::gmtime)),
    ("localtime", 0, Native(time::localtime)),
    ("mktime", 0, Native(time::mktime)),
    ("strftime", 1, Native(time::strftime)),
    ("strflocaltime", 1, Native(time::strflocaltime)),
    ("strptime", 1, Native(time::strptime)),
    // Numbers.
    ("infinite", 0, Native(math::infinite)),
    ("nan", 0, Native(math::nan)),
    ("isinfinite", 0, Native(math::is_infinite)),
    ("isnan", 0, Native(math::is_nan)),
    ("isnormal", 0, Native(math::is_normal)),
    ("floor", 0, Native(math::floor)),
    ("ceil", 0, Native(math::ceil)),
    ("round", 0, Native(math::round)),
    ("trunc", 0, Native(math::trunc)),
    ("rint", 0, Native(math::nearbyint)),
    ("nearbyint", 0, Native(math::nearbyint)),
    ("fabs", 0, Native(math::fabs)),
    ("sqrt", 0, Native(math::sqrt)),
    ("cbrt", 0, Native(math::cbrt)),
    ("exp", 0, Native(math::exp)),
    ("exp2", 0, Native(math::exp2)),
    ("exp10", 0, Native(math::exp10)),
    ("expm1", 0, Native(math::expm1)),
    ("log", 0, Native(math::log)),
    ("log2", 0, Native(math::log2)),
    ("log10", 0, Native(math::log10)),
    ("log1p", 0, Native(math::log1p)),
    ("logb", 0, Native(math::logb)),
    ("significand", 0, Native(math::significand)),
    ("sin", 0, Native(math::sin)),
    ("cos", 0, Native(math::cos)),
    ("tan", 0, Native(math::tan)),
    ("asin", 0, Native(math::asin)),
    ("acos", 0, Native(math::acos)),
    ("atan", 0, Native(math::atan)),
    ("sinh", 0, Native(math::sinh)),
    ("cosh", 0, Native(math::cosh)),
    ("tanh", 0, Native(math::tanh)),
    ("asinh", 0, Native(math::asinh)),
    ("acosh", 0, Native(math::acosh)),
    ("atanh", 0, Native(math::atanh)),
    ("frexp", 0, Native(math::frexp)),
    ("modf", 0, Native(math::modf)),
    ("pow", 2, Native(math::pow)),
    ("atan2", 2, Native(math::atan2)),
    ("fmin", 2, Native(math::fmin)),
    ("fmax", 2, Native(math::fmax)),
    ("fmod", 2, Native(math::fmod)),
    ("fdim", 2, Native(math::fdim)),
    ("nextafter", 2, Native(math::nextafter)),
    ("nexttoward", 2, Native(math::nextafter)),
    ("hypot", 2, Native(math::hypot)),
    ("copysign", 2, Native(math::copysign)),
    ("drem", 2, Native(math::drem)),
    ("remainder", 2, Native(math::drem)),
    ("ldexp", 2, Native(math::ldexp)),
    ("scalb", 2, Native(math::ldexp)),
    ("scalbln", 2, Native(math::ldexp)),
    ("fma", 3, Native(math::fma)),
    // No literals: they cannot be told from one where a literal is refused.
    ("have_literal_numbers", 0, Definition("def have_literal_numbers: true;")),
    ("have_decnum", 0, Definition("def have_decnum: true;")),
    // Definitions.
    ("abs", 0, Definition("def abs: if . < 0 then -. else . end;")),
    ("recurse", 1, Definition("def recurse(f): def r: ., (f | r); r;")),
    ("recurse", 2, Definition("def recurse(f; cond): def r: ., (f | select(cond) | r); r;")),
    ("iterables", 0, Definition("def iterables: select(type | . == \"array\" or . == \"object\");")),
    ("scalars", 0, Definition("def scalars: select(type | . != \"array\" and . != \"object\");")),
    ("isfinite", 0, Definition("def isfinite: type == \"number\" and (isinfinite | not);")),
    ("finites", 0, Definition("def finites: select(isfinite);")),
    ("normals", 0, Definition("def normals: select(isnormal);")),
    ("map_values", 1, Definition("def map_values(f): .[] |= f;")),
    ("del", 1, Definition("def del(f): delpaths([path(f)]);")),
    (
        "pick",
        1,
        Definition("def pick(f): . as $top | reduce path(f) as $p (null; setpath($p; $top | getpath($p)));"),
    ),
    ("paths", 0, Definition("def paths: path(..) | select(length > 0);")),
    ("paths", 1, Definition("def paths(f): path(.. | select(f)) | select(length > 0);")),
    ("with_entries", 1, Definition("def with_entries(f): to_entries | map(f) | from_entries;")),
    (
        "walk",
        1,
        Definition(
            "def walk(f): def w: if type == \"object\" then map_values(w) elif type == \"array\" then map(w) \
         else . end | f; w;",
        ),
    ),
    ("in", 1, Definition("def in(xs): . as $x | xs | has($x);")),
    ("inside", 1, Definition("def inside(xs): . as $x | xs | contains($x);")),
    ("isempty", 1, Definition("def isempty(g): first((g | false), true);")),
    ("any", 1, Definition("def any(f): any(.[]; f);")),
    ("all", 1, Definition("def all(f): all(.[]; f);")),
    ("any", 2, Definition("def any(g; cond): isempty(first(g | cond | select(.))) | not;")),
    ("all", 2, Definition("def all(g; cond): isempty(first(g | cond | select(. | not)));")),
    (
        "last",
        1,
        Definition(
            "def last(f): (reduce f as $x ([]; [$x])) as $all | if $all == [] then empty else $all[0] as $x | $x end;",
        ),
    ),
    (
        "nth",
        2,
        Definition(
            "def nth($n; f): if $n < 0 then error(\"nth doesn't support negative indices\") \
         else first(skip($n; f)) end;",
        ),
    ),
    (
        "skip",
        2,
        Definition(
            "def skip($n; f): if $n == 0 then f elif $n > 0 then foreach f as $x ($n; . - 1; select(. < 0) | $x) \
         else error(\"skip doesn't support negative count\") end;",
        ),
    ),
    ("until", 2, Definition("def until(cond; update): def u: if cond then . else (update | u) end; u;")),
    (
        "while",
        2,
        Definition("def while(cond; update): def w: if cond then ., (update | w) else empty end; w;"),
    ),
    ("repeat", 1, Definition("def repeat(f): def r: f, r; r;")),
    (
        "range",
        3,
        Definition(
            "def range($from; $upto; $by): def r: if ($by > 0 and . < $upto) or ($by < 0 and . > $upto) \
         then ., (. + $by | r) else empty end; $from | r;",
        ),
    ),
    (
        "inputs",
        0,
        Definition("def inputs: def r: _next_input | if length == 0 then empty else min, r end; r;"),
    ),
    ("debug", 0, Native(system::debug)),
    ("debug", 1, Definition("def debug(messages): (messages | debug | empty), .;")),
    ("stderr", 0, Definition("def stderr: _say(tostring);")),
    ("index", 1, Definition("def index($i): indices($i) | .[0];")),
    ("rindex", 1, Definition("def rindex($i): indices($i) | .[-1:][0];")),
    (
        "combinations",
        0,
        Definition(
            "def combinations: if length == 0 then [] else .[0][] as $x | (.[1:] | combinations) as $w | [$x] + $w end;",
        ),
    ),
    (
        "combinations",
        1,
        Definition("def combinations(n): . as $dot | [range(n)] | map($dot) | combinations;"),
    ),
    (
        "tostream",
        0,
        Definition(
            "def tostream: path(def r: (.[]? | r), .; r) as $p | getpath($p) \
         | reduce path(.[]?) as $q ([$p, .]; [$p + $q]);",
        ),
    ),
    (
        "fromstream",
        1,
        Definition(
            "def fromstream(f): {x: null, e: false} as $init | foreach f as $i ($init; \
         if .e then $init else . end | if $i | length == 2 \
         then setpath([\"e\"]; $i[0] | length == 0) | setpath([\"x\"] + $i[0]; $i[1]) \
         else setpath([\"e\"]; $i[0] | length == 1) end; if .e then .x else empty end);",
        ),
    ),
    (
        "truncate_stream",
        1,
        Definition(
            "def truncate_stream(stream): . as $n | null | stream | . as $input \
         | if (.[0] | length) > $n then setpath([0]; .[0][$n:]) else empty end;",
        ),
    ),
    ("todate", 0, Definition("def todate: strftime(\"%Y-%m-%dT%H:%M:%SZ\");")),
    ("todateiso8601", 0, Definition("def todateiso8601: strftime(\"%Y-%m-%dT%H:%M:%SZ\");")),
    ("fromdateiso8601", 0, Definition("def fromdateiso8601: strptime(\"%Y-%m-%dT%H:%M:%SZ\") | mktime;")),
    ("fromdate", 0, Definition("def fromdate: fromdateiso8601;")),
    ("match", 1, Definition("def match($re): _matches($re) | .[];")),
    ("match", 2, Definition("def match($re; $flags): _matches($re; $flags) | .[];")),
    (
        "_named",
        0,
        Definition(
            "def _named: [.captures[] | select(.name != null) | {key: .name, value: .string}] | from_entries;",
        ),
    ),
    ("capture", 1, Definition("def capture($re): match($re) | _named;")),
    ("capture", 2, Definition("def capture($re; $flags): match($re; $flags) | _named;")),
    (
        "scan",
        1,
        Definition(
            "def scan($re): match($re; \"g\") | if (.captures | length) > 0 then [.captures[].string] else .string end;",
        ),
    ),
    (
        "scan",
        2,
        Definition(
            "def scan($re; $flags): match($re; \"g\" + $flags) \
         | if (.captures | length) > 0 then [.captures[].string] else .string end;",
        ),
    ),
    ("splits", 1, Definition("def splits($re): splits($re; null);")),
    ("splits", 2, Definition("def splits($re; $flags): split($re; $flags) | .[];")),
    ("sub", 2, Definition("def sub($re; str): sub($re; str; \"\");")),
    (
        "sub",
        3,
        Definition(
            "def sub($re; str; $flags): . as $in | [_pieces($re; $flags)[] | [.[0]], (select(length > 1) | [.[1] | str])] \
         | if all(.[]; length == 1) then map(.[0]) | add else . as $parts \
         | (reduce range(1; length; 2) as $at ([]; reduce range($parts[$at] | length) as $branch \
         (.; .[$branch] += $parts[$at - 1][0] + $parts[$at][$branch])) | .[] + $parts[-1][0]) // $in end;",
        ),
    ),
    ("gsub", 2, Definition("def gsub($re; str): sub($re; str; \"g\");")),
    ("gsub", 3, Definition("def gsub($re; str; $flags): sub($re; str; $flags + \"g\");")),
    ("IN", 1, Definition("def IN(s): any(s == .; .);")),
    ("IN", 2, Definition("def IN(src; s): any(src == s; .);")),
    ("INDEX", 1, Definition("def INDEX(f): INDEX(.[]; f);")),
    (
        "INDEX",
        2,
        Definition("def INDEX(stream; f): reduce stream as $row ({}; .[$row | f | tostring] |= $row);"),
    ),
    ("JOIN", 2, Definition("def JOIN($idx; f): [.[] | [., $idx[f]]];")),
    ("JOIN", 3, Definition("def JOIN($idx; stream; f): stream | [., $idx[f]];")),
    ("JOIN", 4, Definition("def JOIN($idx; stream; f; join): stream | [., $idx[f]] | join;")),
    ("add", 1, Definition("def add(f): reduce f as $x (null; . + $x);")),
];

#[cfg(test)]
mod tests {
    use super::super::compile::compile;
    use super::*;
    use crate::memory::format;

    #[test]
    fn every_definition_compiles() {
        for (name, arity, _) in TABLE {
            let arguments = vec!["."; *arity].join(";");
            let call = if *arity == 0 { String::from(*name) } else { format!("{name}({arguments})") };
            assert!(compile(&call, &[]).is_ok(), "{name}/{arity}");
        }
    }
}
