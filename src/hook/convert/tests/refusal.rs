//! No config is printed that the target refuses: those of all fixtures, to all dialects.

use super::*;
use crate::document::from_yaml;
use crate::hook::ContractVersion;
use crate::hook::contract::{LoadOptions, Purpose};
use crate::hook::hook_set::HookSet;

/// Configs of the fixtures, each with its dialect.
fn configs() -> Vec<(Dialect, String)> {
    let mut found = Vec::new();
    let mut folders = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("vfs-fixtures")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.parent().is_some_and(|above| above.ends_with("cases")) {
                let text = std::fs::read_to_string(&path).unwrap();
                let file: Value = from_yaml(&text).unwrap();
                let cases = file["cases"].as_array().unwrap().iter().chain([&file]);
                for case in cases {
                    let name = case["dialect"].as_str().or_else(|| file["dialect"].as_str());
                    let text = match (&case["hooks"], case["hooks_text"].as_str()) {
                        (Value::Null, None) => continue,
                        (Value::Null, Some(text)) => text.to_owned(),
                        (hooks, _) => hooks.to_string(),
                    };
                    let dialect = match name {
                        Some(name) => name.parse::<ContractVersion>().unwrap().dialect(),
                        None => Dialect::detect("hooks", text.as_bytes()).unwrap(),
                    };
                    found.push((dialect, text));
                }
            }
        }
    }
    found.sort_by(|one: &(Dialect, String), other| (one.0.name(), &one.1).cmp(&(other.0.name(), &other.1)));
    found.dedup();
    found
}

#[test]
fn nothing_is_ported_that_the_target_refuses() {
    let (mut ported, mut refused) = (0, 0);
    // Some take long: `CONVERT_ALL=1` ports all.
    let step = if std::env::var_os("CONVERT_ALL").is_some() { 1 } else { 8 };
    for (index, (from, text)) in configs().into_iter().enumerate().step_by(step) {
        if HookSet::load(from, text.as_bytes(), &LoadOptions::default()).is_err() {
            continue;
        }
        for &to in Dialect::ALL {
            // A file of adapters makes the same hooks of other scripts: some are enough.
            let adapters = [None, Some("hookbox-adapter.sh")];
            for adapter in adapters.into_iter().take(if index % 16 == 0 { 2 } else { 1 }) {
                let Ok(converted) = convert_beside(from, to, "f", text.as_bytes(), adapter) else {
                    refused += 1;
                    continue;
                };
                let options = LoadOptions { purpose: Purpose::Save, ..LoadOptions::default() };
                let config = converted.config.to_string();
                if let Err(error) = HookSet::load(to, config.as_bytes(), &options) {
                    panic!("{from} to {to}: {error}\n{text}\n{config}");
                }
                ported += 1;
            }
        }
    }
    assert!(ported * step > 1000 && refused * 20 < ported, "{ported} ported, {refused} refused as a whole");
}
