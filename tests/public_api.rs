//! The public interface, a line for each item: `tests/public_api.txt` is compared with what rustdoc says, so that a change of
//! the face is seen in review. `.ci/run` makes rustdoc's JSON and names it in `PUBLIC_API`; without it nothing is compared.
//! `PUBLIC_API_UPDATE=1` writes the list anew.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

/// Walks what rustdoc says from the root module; hidden items are left out by rustdoc itself.
struct Face<'a> {
    index: &'a Value,
    lines: BTreeSet<String>,
}

impl<'a> Face<'a> {
    fn item(&self, id: &Value) -> Option<&'a Value> {
        self.index.get(id.to_string())
    }

    fn ids<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
        value[name].as_array().into_iter().flatten()
    }

    /// The item with that id under `path`; `name` is that of a re-export.
    fn walk(&mut self, id: &Value, path: &str, name: Option<&str>, depth: u32) {
        let Some(item) = self.item(id) else { return };
        let Some((kind, inner)) = item["inner"].as_object().and_then(|inner| inner.iter().next()) else {
            return;
        };
        let is_public = item["visibility"] == "public" || item["visibility"] == "default";
        if !is_public || depth > 16 {
            return;
        }
        let name = name.or(item["name"].as_str()).unwrap_or_default();
        let at = if path.is_empty() { name.to_owned() } else { format!("{path}::{name}") };
        match kind.as_str() {
            "module" => {
                self.lines.insert(format!("mod {at}"));
                for id in Self::ids(inner, "items") {
                    self.walk(id, &at, None, depth + 1);
                }
            }
            "use" if inner["is_glob"] == true => {
                let Some(target) = self.item(&inner["id"]) else { return };
                for id in Self::ids(&target["inner"]["module"], "items") {
                    self.walk(id, path, None, depth + 1);
                }
            }
            "use" => match self.item(&inner["id"]) {
                Some(_) => self.walk(&inner["id"], path, inner["name"].as_str(), depth + 1),
                None => {
                    self.lines.insert(format!("use {path}::{}", inner["name"].as_str().unwrap_or_default()));
                }
            },
            "struct" => {
                self.lines.insert(format!("struct {at}{}", open(item)));
                for field in Self::ids(&inner["kind"]["plain"], "fields") {
                    self.walk(field, &at, None, depth + 1);
                }
                self.methods(inner, &at, depth);
            }
            "enum" => {
                self.lines.insert(format!("enum {at}{}", open(item)));
                for variant in Self::ids(inner, "variants") {
                    self.walk(variant, &at, None, depth + 1);
                }
                self.methods(inner, &at, depth);
            }
            "variant" => {
                self.lines.insert(format!("variant {at}"));
                for field in Self::ids(&inner["kind"]["struct"], "fields") {
                    self.walk(field, &at, None, depth + 1);
                }
            }
            "trait" => {
                self.lines.insert(format!("trait {at}"));
                for id in Self::ids(inner, "items") {
                    self.walk(id, &at, None, depth + 1);
                }
            }
            "struct_field" => {
                self.lines.insert(format!("field {at}: {}", kind_of(inner)));
            }
            "function" => {
                self.lines.insert(format!("fn {at}{}", signature(inner)));
            }
            "constant" | "assoc_const" => {
                self.lines.insert(format!("const {at}: {}", kind_of(&inner["type"])));
            }
            "static" => {
                self.lines.insert(format!("static {at}: {}", kind_of(&inner["type"])));
            }
            "type_alias" => {
                self.lines.insert(format!("type {at} = {}", kind_of(&inner["type"])));
            }
            "assoc_type" => {}
            other => {
                self.lines.insert(format!("{other} {at}"));
            }
        }
    }

    /// The methods of a type, and the traits that it implements by hand or by derive.
    fn methods(&mut self, inner: &Value, at: &str, depth: u32) {
        for id in Self::ids(inner, "impls") {
            let Some(found) = self.item(id).map(|item| &item["inner"]["impl"]) else { continue };
            if found["is_synthetic"] == true || !found["blanket_impl"].is_null() {
                continue;
            }
            match found["trait"]["path"].as_str() {
                Some(name) => {
                    let name = name.rsplit("::").next().unwrap_or(name);
                    self.lines.insert(format!("impl {name}{} for {at}", arguments(&found["trait"]["args"])));
                }
                None => {
                    for id in Self::ids(found, "items") {
                        self.walk(id, at, None, depth + 1);
                    }
                }
            }
        }
    }
}

/// Whether more may come.
fn open(item: &Value) -> &'static str {
    if item["attrs"].to_string().contains("non_exhaustive") { " (non-exhaustive)" } else { "" }
}

fn signature(function: &Value) -> String {
    let (signature, header) = (&function["sig"], &function["header"]);
    let inputs: Vec<String> = Face::ids(signature, "inputs")
        .map(|input| format!("{}: {}", input[0].as_str().unwrap_or_default(), kind_of(&input[1])))
        .collect();
    let output = match &signature["output"] {
        Value::Null => String::new(),
        output => format!(" -> {}", kind_of(output)),
    };
    let is_async = if header["is_async"] == true { " async" } else { "" };
    format!("({}){output}{is_async}", inputs.join(", "))
}

/// A type in words; paths without their modules.
fn kind_of(kind: &Value) -> String {
    let Some((name, inner)) = kind.as_object().and_then(|kind| kind.iter().next()) else {
        return kind.as_str().unwrap_or("?").to_owned();
    };
    let list = |values: &Value, separator: &str| -> String {
        let all: Vec<String> = values.as_array().into_iter().flatten().map(kind_of).collect();
        all.join(separator)
    };
    match name.as_str() {
        "resolved_path" => {
            let path = inner["path"].as_str().unwrap_or_default();
            format!("{}{}", path.rsplit("::").next().unwrap_or(path), arguments(&inner["args"]))
        }
        "primitive" | "generic" => inner.as_str().unwrap_or_default().to_owned(),
        "borrowed_ref" => {
            let mutable = if inner["is_mutable"] == true { "mut " } else { "" };
            format!("&{mutable}{}", kind_of(&inner["type"]))
        }
        "slice" => format!("[{}]", kind_of(inner)),
        "array" => format!("[{}; {}]", kind_of(&inner["type"]), inner["len"].as_str().unwrap_or_default()),
        "tuple" => format!("({})", list(inner, ", ")),
        "impl_trait" => format!("impl {}", bounds(inner)),
        "dyn_trait" => {
            let traits = inner["traits"].as_array().into_iter().flatten();
            let names: Vec<String> = traits.map(|bound| trait_name(&bound["trait"])).collect();
            format!("dyn {}", names.join(" + "))
        }
        "qualified_path" => {
            format!("{}::{}", kind_of(&inner["self_type"]), inner["name"].as_str().unwrap_or_default())
        }
        "function_pointer" => format!("fn{}", signature(inner)),
        other => other.to_owned(),
    }
}

fn bounds(bounds: &Value) -> String {
    let all: Vec<String> = bounds
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|bound| bound.get("trait_bound"))
        .map(|bound| trait_name(&bound["trait"]))
        .collect();
    all.join(" + ")
}

fn trait_name(name: &Value) -> String {
    let path = name["path"].as_str().unwrap_or_default();
    format!("{}{}", path.rsplit("::").next().unwrap_or(path), arguments(&name["args"]))
}

fn arguments(args: &Value) -> String {
    let Some(args) = args.get("angle_bracketed") else {
        return args.get("parenthesized").map_or_else(String::new, |call| {
            let inputs: Vec<String> = Face::ids(call, "inputs").map(kind_of).collect();
            let output = if call["output"].is_null() {
                String::new()
            } else {
                format!(" -> {}", kind_of(&call["output"]))
            };
            format!("({}){output}", inputs.join(", "))
        });
    };
    let kinds = Face::ids(args, "args").filter_map(|arg| arg.get("type")).map(kind_of);
    let named = Face::ids(args, "constraints").filter_map(|constraint| {
        let kind = constraint["binding"]["equality"].get("type")?;
        Some(format!("{} = {}", constraint["name"].as_str()?, kind_of(kind)))
    });
    let all: Vec<String> = kinds.chain(named).collect();
    if all.is_empty() { String::new() } else { format!("<{}>", all.join(", ")) }
}

#[test]
fn the_public_interface_is_the_one_that_was_reviewed() {
    let Ok(path) = std::env::var("PUBLIC_API") else { return };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join(path)).expect("rustdoc's JSON");
    let document: Value = serde_json::from_str(&text).expect("JSON");
    let mut face = Face { index: &document["index"], lines: BTreeSet::new() };
    face.walk(&document["root"], "", None, 0);
    assert!(face.lines.len() > 100, "the format of rustdoc's JSON has changed: {} lines", face.lines.len());
    let mut now = String::new();
    for line in &face.lines {
        now.push_str(line);
        now.push('\n');
    }
    let file = root.join("tests/public_api.txt");
    if std::env::var_os("PUBLIC_API_UPDATE").is_some() {
        std::fs::write(file, now).expect("the list");
        return;
    }
    let reviewed = std::fs::read_to_string(file).expect("the list");
    let old: BTreeSet<&str> = reviewed.lines().collect();
    let new: BTreeSet<&str> = now.lines().collect();
    let gone = old.difference(&new).map(|line| format!("- {line}\n"));
    let come = new.difference(&old).map(|line| format!("+ {line}\n"));
    let difference: String = gone.chain(come).collect();
    assert!(
        difference.is_empty(),
        "the public interface changed (PUBLIC_API_UPDATE=1 takes it):\n{difference}"
    );
}
