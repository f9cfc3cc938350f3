//! Files that import each other in a circle can only be understood together. No circle of the crate's files has more than
//! [`MOST`]; what has more today is named below with its size, which may only go down.
//!
//! An import is a path (`use` or in the code) from a file to what another file of the crate defines or passes on; a test's
//! imports and links in comments do not count. Paths are followed as far as they name modules.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Files in a circle.
const MOST: usize = 9;

/// A file of each circle that is larger, the first by its name, with the size.
const EXCEPTIONS: &[(&str, usize)] = &[("utility/git/arguments.rs", 10), ("utility/git/diff/change.rs", 11)];

/// The files below a folder by module path (`["hook", "chain"]`), each with its name and text.
fn modules(folder: &Path) -> BTreeMap<Vec<String>, (String, String)> {
    let mut modules = BTreeMap::new();
    for (name, text) in super::sources(folder) {
        let Some(stem) = name.strip_suffix(".rs") else { continue };
        let mut parts: Vec<String> = stem.split('/').map(str::to_owned).collect();
        if parts.last().is_some_and(|last| last == "mod") {
            parts.pop();
        }
        let is_test = parts.iter().any(|part| part == "tests") || stem == "main";
        if !is_test && stem != "lib" {
            modules.insert(parts, (name, text));
        }
    }
    modules
}

/// The code of a file without comments, text in quotes and test modules at its foot. Inside another module of the same file,
/// `super` is that file.
fn code(text: &str) -> String {
    let mut code = String::new();
    let (mut skips, mut within) = (false, None);
    for line in text.lines() {
        let bare = line.trim_start();
        let indent = line.len() - bare.len();
        if let Some(at) = within
            && indent == at
            && bare == "}"
        {
            (skips, within) = (false, None);
        }
        if bare == "#[cfg(test)]" {
            skips = true;
            continue;
        }
        let is_module = super::bare(bare).starts_with("mod ");
        if is_module && bare.ends_with('{') {
            within = Some(indent);
            continue;
        }
        if skips {
            skips = within.is_some() || bare.starts_with('#');
            continue;
        }
        let mut in_text = false;
        let mut previous = ' ';
        let mut kept = String::new();
        for character in bare.chars() {
            match character {
                '"' if previous != '\\' && previous != '\'' => in_text = !in_text,
                '/' if !in_text && previous == '/' => {
                    kept.pop();
                    break;
                }
                _ if in_text => {}
                _ => kept.push(character),
            }
            previous = character;
        }
        code.push_str(&if within.is_some() { kept.replacen("super::", "", 1) } else { kept });
        code.push('\n');
    }
    code
}

/// The paths of a `use` without the braces: `a::{b, c::{d}}` is `a::b`, `a::c::d`.
fn flatten(prefix: &[String], tree: &str, paths: &mut Vec<Vec<String>>) {
    let tree = tree.trim();
    if let Some(inner) = tree.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        let mut depth = 0_usize;
        let is_end = |character: char| {
            depth = depth + usize::from(character == '{') - usize::from(character == '}');
            character == ',' && depth == 0
        };
        for part in inner.split(is_end) {
            flatten(prefix, part, paths);
        }
        return;
    }
    let (first, rest) = tree.split_once("::").map_or((tree, None), |(first, rest)| (first, Some(rest)));
    let name = first.split_whitespace().next().unwrap_or("").to_owned();
    let mut path = prefix.to_vec();
    if name != "self" || prefix.is_empty() {
        path.push(name);
    }
    match rest {
        Some(rest) => flatten(&path, rest, paths),
        None => paths.push(path),
    }
}

/// All paths of a file's code.
fn paths(code: &str) -> Vec<Vec<String>> {
    let mut all = Vec::new();
    let mut rest = String::new();
    let mut statement: Option<String> = None;
    for line in code.lines() {
        let bare = line.strip_prefix("pub").map_or(line, |after| {
            let after = after.trim_start();
            if after.starts_with('(') {
                after.split_once(") ").map_or(after, |(_, after)| after)
            } else {
                after
            }
        });
        match &mut statement {
            Some(open) => open.push_str(bare),
            None => match bare.strip_prefix("use ") {
                Some(first) => statement = Some(first.to_owned()),
                None => {
                    rest.push_str(line);
                    rest.push('\n');
                }
            },
        }
        if let Some(whole) = statement.take_if(|open| open.ends_with(';')) {
            flatten(&[], whole.trim_end_matches(';'), &mut all);
        }
    }
    for word in rest.split(|character: char| !(character.is_alphanumeric() || "_:".contains(character))) {
        let parts: Vec<String> = word.split("::").map(str::to_owned).collect();
        if parts.len() > 1 && parts.iter().all(|part| !part.is_empty() && !part.contains(':')) {
            all.push(parts);
        }
    }
    all
}

/// Which files each file imports.
fn imports(modules: &BTreeMap<Vec<String>, (String, String)>) -> BTreeMap<&str, BTreeSet<&str>> {
    let folders: BTreeSet<&[String]> =
        modules.keys().flat_map(|module| (1..=module.len()).map(|end| &module[..end])).collect();
    let mut edges: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (module, (name, text)) in modules {
        let mut known: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for path in paths(&code(text)) {
            let ups = path.iter().take_while(|part| *part == "super").count();
            let (mut base, mut rest): (Vec<String>, &[String]) = match path[0].as_str() {
                "crate" => (Vec::new(), &path[1..]),
                "self" => (module.clone(), &path[1..]),
                "super" => (module[..module.len().saturating_sub(ups)].to_vec(), &path[ups..]),
                first => match known.get(first) {
                    Some(base) => (base.clone(), &path[1..]),
                    None => (module.clone(), &path[..]),
                },
            };
            while let Some(next) = rest.first() {
                let below: Vec<String> = base.iter().cloned().chain([next.clone()]).collect();
                if !folders.contains(below.as_slice()) {
                    break;
                }
                (base, rest) = (below, &rest[1..]);
            }
            if rest.is_empty() {
                known.insert(path.last().cloned().unwrap_or_default(), base);
            } else if let Some((other, _)) = modules.get(&base)
                && other != name
            {
                edges.entry(name).or_default().insert(other);
            }
        }
    }
    edges
}

/// What can be reached from a file.
fn reached<'a>(edges: &BTreeMap<&'a str, BTreeSet<&'a str>>, from: &'a str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut pending = vec![from];
    while let Some(next) = pending.pop() {
        for other in edges.get(next).into_iter().flatten() {
            if reached.insert(*other) {
                pending.push(other);
            }
        }
    }
    reached
}

/// The circles, each in the order of its files' names.
fn circles<'a>(edges: &BTreeMap<&'a str, BTreeSet<&'a str>>) -> Vec<Vec<&'a str>> {
    let all: BTreeMap<&str, BTreeSet<&str>> =
        edges.keys().map(|file| (*file, reached(edges, file))).collect();
    let mut circles = Vec::new();
    let mut seen = BTreeSet::new();
    for (file, reaches) in &all {
        if reaches.contains(file) && !seen.contains(file) {
            let is_with = |other: &&&str| all.get(**other).is_some_and(|reaches| reaches.contains(file));
            let circle: Vec<&str> = reaches.iter().filter(is_with).copied().collect();
            seen.extend(circle.iter().copied());
            circles.push(circle);
        }
    }
    circles
}

#[test]
fn files_that_import_each_other_are_few() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let modules = modules(&folder);
    let edges = imports(&modules);
    let mut faults = Vec::new();
    let mut known: BTreeMap<&str, usize> = EXCEPTIONS.iter().copied().collect();
    for circle in circles(&edges) {
        let exception = circle.iter().find_map(|file| known.remove(file));
        let limit = exception.unwrap_or(MOST);
        if circle.len() > limit {
            faults.push(format!("{} files, more than {limit}: {}", circle.len(), circle.join(" ")));
        } else if exception.is_some() && circle.len() <= MOST {
            faults.push(format!("{}: no exception is needed any more", circle[0]));
        }
    }
    faults.extend(known.keys().map(|file| format!("{file}: no exception is needed any more")));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_circle_is_found_through_every_kind_of_path() {
    let files = [
        ("a", "use super::b::{self, X, c::{Y}};\n/// [`D`](crate::d::D)\nfn f() {}\n"),
        ("b", "pub use crate::c::Z;\n"),
        (
            "c",
            "fn f() { let text = \"crate::d::D\"; super::a::f() }\n#[cfg(test)]\nmod tests {\n    use crate::d::D;\n}\n",
        ),
        ("d", "mod inner {\n    use super::super::a::f;\n}\n"),
    ];
    let modules: BTreeMap<Vec<String>, (String, String)> = files
        .iter()
        .map(|(name, text)| (vec![(*name).to_owned()], ((*name).to_owned(), (*text).to_owned())))
        .collect();
    let edges = imports(&modules);
    assert_eq!(circles(&edges), [vec!["a", "b", "c"]]);
    assert_eq!(edges["d"], BTreeSet::from(["a"]));
}
