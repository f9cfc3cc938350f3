//! `transform_json NAME...`: of a result that is a JSON object the members of these names are left, by name. Names are taken as they
//! are: a point in one leads nowhere.

use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::BTreeMap;

pub(super) fn only(result: &str, names: &[String]) -> Result<String, String> {
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(result)
        .map_err(|why| format!("transform_json: the result is no JSON object: {why}"))?;
    let mut text = String::from("{");
    for (name, value) in members.iter().filter(|(name, _)| names.contains(name)) {
        if text.len() > 1 {
            text.push(',');
        }
        append_compact(&mut text, &Value::from(name.as_str()).to_string());
        text.push(':');
        append_compact(&mut text, value.get());
    }
    text.push('}');
    Ok(text)
}

/// A value as it is written, numbers with all their digits, without blanks between its parts. What HTML would act on is escaped, as Go
/// writes JSON.
fn append_compact(out: &mut String, json: &str) {
    let (mut is_text, mut is_escaped) = (false, false);
    for character in json.chars() {
        match character {
            ' ' | '\t' | '\n' | '\r' if !is_text => {}
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            other => out.push(other),
        }
        is_text ^= character == '"' && !is_escaped;
        is_escaped = is_text && character == '\\' && !is_escaped;
    }
}
