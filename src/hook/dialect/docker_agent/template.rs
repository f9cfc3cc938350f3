//! Templates of model prompts (R37): text with `{{ ... }}` actions, each a pipeline over the payload.
//!
//! An action is a field (`.ToolInput`, with members of an object after further dots), a text in quotes, a number, or a
//! function with arguments, and pipes put a result behind the arguments of the next function. Functions: `toJSON` (compact)
//! and `truncate N`. `{{-` and `-}}` trim the blanks beside them, `{{/* */}}` is a comment. Everything else that the
//! template language of Go has is an error when the config is loaded.

use crate::hook::dialect::docker_agent::event::EventName;
use crate::hook::dialect::docker_agent::payload;
use rustc_hash::FxHashMap;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::LazyLock;

/// Longest rendered prompt in bytes; what is too long is an error, not cut.
const MOST_BYTES: usize = 1 << 20;

/// A template, read.
#[derive(Clone, Debug)]
pub(super) struct Template(Vec<Part>);

#[derive(Clone, Debug)]
enum Part {
    Text(String),
    Action(Vec<Stage>),
}

/// One command of a pipeline.
#[derive(Clone, Debug)]
enum Stage {
    Value(Operand),
    ToJson(Option<Operand>),
    Truncate(usize, Option<Operand>),
}

#[derive(Clone, Debug)]
enum Operand {
    /// The payload itself.
    Payload,
    /// A field of it, then keys.
    Field(&'static str, Vec<String>),
    Literal(Value),
}

impl Template {
    /// Reads a template; the error is what is wrong with it, in a line.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut rest = text;
        let mut trim = false;
        loop {
            let (before, after) = match rest.split_once("{{") {
                Some((before, after)) => (before, Some(after)),
                None => (rest, None),
            };
            let mut literal = if trim { before.trim_start() } else { before };
            let Some(after) = after else {
                push_text(&mut parts, literal);
                return Ok(Self(parts));
            };
            let mut inside = after;
            if let Some(trimmed) = after.strip_prefix("- ") {
                (literal, inside) = (literal.trim_end(), trimmed);
            }
            push_text(&mut parts, literal);
            let (action, left) = action_end(inside).ok_or("`{{` is not closed by `}}`")?;
            trim = action.ends_with(" -");
            let action = if trim { action.strip_suffix('-').unwrap_or(action) } else { action }.trim();
            if !(action.starts_with("/*") && action.ends_with("*/")) {
                parts.push(Part::Action(pipeline(action)?));
            }
            rest = left;
        }
    }

    /// The prompt for a payload; the error says what could not be rendered.
    pub(super) fn render(&self, payload: &Map<String, Value>) -> Result<String, String> {
        let mut out = String::new();
        for part in &self.0 {
            match part {
                Part::Text(text) => out.push_str(text),
                Part::Action(stages) => {
                    let mut value: Option<Cow<'_, Value>> = None;
                    for stage in stages {
                        value = Some(stage.run(value.as_ref(), payload)?);
                    }
                    append_printed(&mut out, value.as_deref().unwrap_or(&Value::Null));
                }
            }
            if out.len() > MOST_BYTES {
                return Err(format!("the prompt is longer than {MOST_BYTES} bytes"));
            }
        }
        Ok(out)
    }
}

fn push_text(parts: &mut Vec<Part>, text: &str) {
    if !text.is_empty() {
        parts.push(Part::Text(text.to_owned()));
    }
}

/// Splits at the `}}` that is in no quotes.
fn action_end(text: &str) -> Option<(&str, &str)> {
    let mut quote = None;
    let mut escaped = false;
    for (at, character) in text.char_indices() {
        match quote {
            Some('"') if escaped => escaped = false,
            Some('"') if character == '\\' => escaped = true,
            Some(open) if character == open => quote = None,
            Some(_) => {}
            None if matches!(character, '"' | '`') => quote = Some(character),
            None if text.get(at..).is_some_and(|rest| rest.starts_with("}}")) => {
                return Some((text.get(..at)?, text.get(at + 2..)?));
            }
            None => {}
        }
    }
    None
}

/// A word of an action.
#[derive(Debug, PartialEq)]
enum Token {
    Pipe,
    Word(String),
    Quoted(String),
}

fn tokens(action: &str) -> Result<Vec<Token>, String> {
    let mut all = Vec::new();
    let mut rest = action.trim_start();
    while let Some(first) = rest.chars().next() {
        match first {
            '|' => {
                all.push(Token::Pipe);
                rest = rest.get(1..).unwrap_or("");
            }
            '"' => {
                let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<String>();
                let text = stream.next().and_then(Result::ok).ok_or("a text in quotes is malformed")?;
                rest = rest.get(stream.byte_offset()..).unwrap_or("");
                all.push(Token::Quoted(text));
            }
            '`' => {
                let inside = rest.get(1..).unwrap_or("");
                let (text, left) = inside.split_once('`').ok_or("a text in quotes is not closed")?;
                all.push(Token::Quoted(text.to_owned()));
                rest = left;
            }
            _ => {
                let end = rest.find(|character: char| {
                    character.is_whitespace() || matches!(character, '|' | '"' | '`')
                });
                let (word, left) = rest.split_at_checked(end.unwrap_or(rest.len())).unwrap_or((rest, ""));
                all.push(Token::Word(word.to_owned()));
                rest = left;
            }
        }
        rest = rest.trim_start();
    }
    Ok(all)
}

fn pipeline(action: &str) -> Result<Vec<Stage>, String> {
    let tokens = tokens(action)?;
    if tokens.is_empty() {
        return Err("an action is empty".to_owned());
    }
    let mut stages = Vec::new();
    for command in tokens.split(|token| *token == Token::Pipe) {
        stages.push(stage(command, stages.is_empty())?);
    }
    Ok(stages)
}

/// One command; all but the first get a value from before.
fn stage(command: &[Token], is_first: bool) -> Result<Stage, String> {
    let (function, arguments) = command.split_first().ok_or("a pipe has nothing beside it")?;
    let name = match function {
        Token::Word(word) => word.as_str(),
        _ => "",
    };
    match name {
        "toJSON" => Ok(Stage::ToJson(subject(name, arguments, is_first)?)),
        "truncate" => {
            let (count, rest) = arguments.split_first().ok_or("truncate needs a number of characters")?;
            let count = match count {
                Token::Word(word) => word.parse().ok(),
                _ => None,
            };
            let count = count.ok_or("truncate needs a number of characters")?;
            Ok(Stage::Truncate(count, subject(name, rest, is_first)?))
        }
        _ if !arguments.is_empty() => Err(format!("`{name}` is not supported here")),
        _ if !is_first => Err(format!("`{name}` is not a function")),
        _ => Ok(Stage::Value(operand(function)?)),
    }
}

/// What a function works on: its last argument, or what the pipe brings.
fn subject(name: &str, arguments: &[Token], is_first: bool) -> Result<Option<Operand>, String> {
    match (arguments, is_first) {
        ([], true) => Err(format!("{name} needs something to work on")),
        ([], false) => Ok(None),
        ([one], true) => Ok(Some(operand(one)?)),
        _ => Err(format!("{name} has too many arguments")),
    }
}

fn operand(token: &Token) -> Result<Operand, String> {
    let word = match token {
        Token::Quoted(text) => return Ok(Operand::Literal(text.as_str().into())),
        Token::Pipe => return Err("a pipe has nothing beside it".to_owned()),
        Token::Word(word) => word.as_str(),
    };
    if word == "." {
        return Ok(Operand::Payload);
    }
    if let Some(path) = word.strip_prefix('.') {
        let mut names = path.split('.');
        let first = names.next().unwrap_or("");
        let field = field(first).ok_or_else(|| format!("there is no field `.{first}`"))?;
        let keys: Vec<_> = names.map(str::to_owned).collect();
        if keys.iter().any(String::is_empty) {
            return Err(format!("`{word}` is not a field"));
        }
        return Ok(Operand::Field(field, keys));
    }
    match serde_json::from_str::<Value>(word) {
        Ok(value) if value.is_number() || value.is_boolean() => Ok(Operand::Literal(value)),
        _ => Err(format!("`{word}` is not supported here")),
    }
}

/// The payload's key of a field's name in Go's spelling.
fn field(name: &str) -> Option<&'static str> {
    static FIELDS: LazyLock<FxHashMap<String, &'static str>> = LazyLock::new(|| {
        let common = ["session_id", "cwd", "hook_event_name"];
        let all = EventName::ALL.iter().copied().flat_map(payload::fields).chain(common);
        all.map(|key| (go_name(key), key)).collect()
    });
    FIELDS.get(name).copied()
}

/// `tool_use_id` → `ToolUseID`.
fn go_name(key: &str) -> String {
    let mut name = String::new();
    for word in key.split('_') {
        if matches!(word, "id" | "llm" | "url" | "api") {
            name.push_str(&word.to_ascii_uppercase());
            continue;
        }
        let mut characters = word.chars();
        name.extend(characters.next().map(|first| first.to_ascii_uppercase()));
        name.push_str(characters.as_str());
    }
    name
}

impl Stage {
    fn run<'v>(
        &self,
        piped: Option<&Cow<'v, Value>>,
        payload: &'v Map<String, Value>,
    ) -> Result<Cow<'v, Value>, String> {
        let subject = |operand: &Option<Operand>| match operand {
            Some(operand) => operand.value(payload),
            None => Ok(piped.cloned().unwrap_or(Cow::Owned(Value::Null))),
        };
        Ok(match self {
            Self::Value(operand) => operand.value(payload)?,
            Self::ToJson(operand) => Cow::Owned(subject(operand)?.to_string().into()),
            Self::Truncate(count, operand) => {
                let mut text = String::new();
                append_printed(&mut text, &*subject(operand)?);
                if let Some((end, _)) = text.char_indices().nth(*count) {
                    text.truncate(end);
                    text.push('…');
                }
                Cow::Owned(text.into())
            }
        })
    }
}

impl Operand {
    fn value<'v>(&self, payload: &'v Map<String, Value>) -> Result<Cow<'v, Value>, String> {
        match self {
            Self::Payload => Ok(Cow::Owned(Value::Object(payload.clone()))),
            Self::Literal(value) => Ok(Cow::Owned(value.clone())),
            Self::Field(field, keys) => {
                // A field that this event has not is an empty text, as a field of a structure would be.
                let Some(mut value) = payload.get(*field) else { return Ok(Cow::Owned("".into())) };
                for key in keys {
                    match value {
                        Value::Object(object) => match object.get(key) {
                            Some(member) => value = member,
                            None => return Ok(Cow::Owned(Value::Null)),
                        },
                        _ => return Err(format!("`.{key}`: there is no such member")),
                    }
                }
                Ok(Cow::Borrowed(value))
            }
        }
    }
}

/// A value as Go prints it: texts as they are, objects as `map[k:v]` sorted by key. Depth is that of a parsed payload.
fn append_printed(out: &mut String, value: &Value) {
    match value {
        Value::Null => out.push_str("<no value>"),
        Value::String(text) => out.push_str(text),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { " " } else { "" });
                append_printed(out, item);
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_by_key(|(key, _)| key.as_str());
            out.push_str("map[");
            for (index, (key, value)) in sorted.into_iter().enumerate() {
                let _ = write!(out, "{}{key}:", if index > 0 { " " } else { "" });
                append_printed(out, value);
            }
            out.push(']');
        }
        other => {
            let _ = write!(out, "{other}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn render(template: &str) -> Result<String, String> {
        let payload = json!({"session_id": "s", "tool_name": "shell", "tool_use_id": "c",
            "tool_input": {"cmd": "ls é", "b": [1, true]}, "tool_error": true});
        Template::parse(template)?.render(payload.as_object().unwrap())
    }

    #[test]
    fn fields_pipes_and_functions() {
        for (template, expected) in [
            (
                "Tool: {{ .ToolName }} Args: {{ .ToolInput | toJSON }}",
                r#"Tool: shell Args: {"cmd":"ls é","b":[1,true]}"#,
            ),
            ("{{.SessionID}}/{{.ToolUseID}}/{{.Prompt}}.", "s/c/."),
            (
                "{{ toJSON .ToolInput.cmd }} {{ .ToolInput.b }} {{ .ToolInput.none }}",
                "\"ls é\" [1 true] <no value>",
            ),
            ("{{ .ToolInput }}", "map[b:[1 true] cmd:ls é]"),
            ("{{ .ToolInput.cmd | truncate 4 }} {{ truncate 3 .ToolInput.cmd }}", "ls é ls …"),
            ("{{ .ToolInput | toJSON | truncate 6 }}", "{\"cmd\"…"),
            ("a  {{- .ToolName -}}  b{{/* no */}}", "ashellb"),
            ("{{ \"}}\" }}{{ `\"` }}{{ 5 }}", "}}\"5"),
            ("no action } }}", "no action } }}"),
        ] {
            assert_eq!(render(template).as_deref(), Ok(expected), "{template}");
        }
        assert!(render("{{ .ToolName.x }}").is_err());
        assert!(render("{{ . | toJSON }}").unwrap().starts_with("{\"session_id\""));
    }

    #[test]
    fn what_is_not_supported_is_an_error() {
        for (template, why) in [
            ("{{ .Tool }}", "there is no field `.Tool`"),
            ("{{ .ToolName", "`{{` is not closed by `}}`"),
            ("{{ if .ToolName }}x{{ end }}", "`if` is not supported here"),
            ("{{ end }}", "`end` is not supported here"),
            ("{{}}", "an action is empty"),
            ("{{ .ToolName | upper }}", "`upper` is not a function"),
            ("{{ .ToolName | truncate x }}", "truncate needs a number of characters"),
            ("{{ toJSON }}", "toJSON needs something to work on"),
            ("{{ .ToolName | }}", "a pipe has nothing beside it"),
        ] {
            assert_eq!(Template::parse(template).err().as_deref(), Some(why), "{template}");
        }
    }
}
