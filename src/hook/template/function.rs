//! The functions of templates: those of Go that compare, count, pick and print, and `toJSON` and `truncate`.

use super::print;
use super::value::GoValue;
use serde_json::Value;
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt::Write as _;

/// Longest text that one call makes, in bytes.
pub(super) const MOST_BYTES: usize = 1 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    And,
    Or,
    Not,
    Len,
    Index,
    Slice,
    Print,
    Printf,
    Println,
    Compare(Comparison),
    ToJson,
    Truncate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// The function of a name.
pub(super) fn find(name: &str) -> Result<Function, String> {
    Ok(match name {
        "and" => Function::And,
        "or" => Function::Or,
        "not" => Function::Not,
        "len" => Function::Len,
        "index" => Function::Index,
        "slice" => Function::Slice,
        "print" => Function::Print,
        "printf" => Function::Printf,
        "println" => Function::Println,
        "eq" => Function::Compare(Comparison::Equal),
        "ne" => Function::Compare(Comparison::NotEqual),
        "lt" => Function::Compare(Comparison::Less),
        "le" => Function::Compare(Comparison::LessOrEqual),
        "gt" => Function::Compare(Comparison::Greater),
        "ge" => Function::Compare(Comparison::GreaterOrEqual),
        "toJSON" => Function::ToJson,
        "truncate" => Function::Truncate,
        _ => return Err(format!("function `{name}` is not defined")),
    })
}

impl Function {
    /// What a call gives. `and` and `or` are not called: they look at one argument after the other.
    pub(super) fn call<'v>(self, arguments: &[GoValue<'v>]) -> Result<GoValue<'v>, String> {
        match (self, arguments) {
            (Self::Not, [one]) => Ok(GoValue::Bool(!one.is_true())),
            (Self::Len, [one]) => length(one),
            (Self::Index, [tree, keys @ ..]) => {
                keys.iter().try_fold(tree.clone(), |tree, key| index(&tree, key))
            }
            (Self::Slice, [whole, bounds @ ..]) if bounds.len() <= 2 => slice(whole, bounds),
            (Self::Print, all) => Ok(GoValue::text(printed(all)?)),
            (Self::Println, all) => {
                let mut text = String::new();
                for (place, value) in all.iter().enumerate() {
                    text.push_str(if place > 0 { " " } else { "" });
                    print::append_argument(&mut text, value);
                    bounded(&text)?;
                }
                text.push('\n');
                Ok(GoValue::text(text))
            }
            (Self::Printf, [GoValue::Text(format), values @ ..]) => {
                formatted(format, values).map(GoValue::text)
            }
            (Self::Compare(comparison), [first, others @ ..]) => {
                comparison.holds(first, others).map(GoValue::Bool)
            }
            (Self::ToJson, [one]) => Ok(GoValue::text(print::json(one))),
            (Self::Truncate, [count, GoValue::Text(text)]) => {
                let count = whole_number(count).ok_or("truncate needs a number of characters")?;
                Ok(GoValue::text(truncated(text, count)))
            }
            (Self::Truncate, [_, other]) => {
                Err(format!("truncate needs a text, and not a value of type {}", other.type_name()))
            }
            (function, arguments) => {
                Err(format!("{} can not be called with {} arguments", function.name(), arguments.len()))
            }
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::And => "and",
            Self::Or => "or",
            Self::Not => "not",
            Self::Len => "len",
            Self::Index => "index",
            Self::Slice => "slice",
            Self::Print => "print",
            Self::Printf => "printf",
            Self::Println => "println",
            Self::Compare(_) => "a comparison",
            Self::ToJson => "toJSON",
            Self::Truncate => "truncate",
        }
    }
}

fn bounded(text: &str) -> Result<(), String> {
    if text.len() > MOST_BYTES { Err(format!("a text is longer than {MOST_BYTES} bytes")) } else { Ok(()) }
}

const fn whole_number(value: &GoValue<'_>) -> Option<i64> {
    match value {
        GoValue::Integer(integer) => Some(*integer),
        _ => None,
    }
}

/// The first characters, and a mark where there were more; no bound below one.
fn truncated(text: &str, count: i64) -> String {
    let count = usize::try_from(count).unwrap_or(0);
    match text.char_indices().nth(count) {
        Some((end, _)) if count > 0 => format!("{}…", text.get(..end).unwrap_or_default()),
        _ => text.to_owned(),
    }
}

fn length(value: &GoValue<'_>) -> Result<GoValue<'static>, String> {
    let count = match value {
        GoValue::Text(text) => text.len(),
        GoValue::Tree(tree) => match tree.as_ref() {
            Value::Array(items) => items.len(),
            Value::Object(members) => members.len(),
            _ => 0,
        },
        GoValue::Record(Value::Array(items), _) => items.len(),
        other => return Err(format!("len of a value of type {}", other.type_name())),
    };
    Ok(GoValue::Integer(i64::try_from(count).unwrap_or(i64::MAX)))
}

/// A place in something of this length; one past its end where `at_end` allows.
fn place(key: &GoValue<'_>, length: usize, at_end: bool) -> Result<usize, String> {
    let number =
        whole_number(key).ok_or_else(|| format!("can not index with a value of type {}", key.type_name()))?;
    let place = usize::try_from(number).ok().filter(|place| *place < length || at_end && *place == length);
    place.ok_or_else(|| format!("index out of range: {number}"))
}

fn index<'v>(tree: &GoValue<'v>, key: &GoValue<'_>) -> Result<GoValue<'v>, String> {
    match (tree, key) {
        (GoValue::Tree(object), GoValue::Text(key)) if object.is_object() => {
            Ok(tree.item(|tree| tree.get(key.as_ref())).unwrap_or(GoValue::Nil))
        }
        (GoValue::Tree(list), key) if list.is_array() => {
            let place = place(key, list.as_array().map_or(0, Vec::len), false)?;
            Ok(tree.item(|tree| tree.get(place)).unwrap_or(GoValue::Nil))
        }
        (GoValue::Record(Value::Array(items), _), key) => {
            let place = place(key, items.len(), false)?;
            Ok(tree.item(|tree| tree.get(place)).unwrap_or(GoValue::Nil))
        }
        (GoValue::Text(text), key) => {
            let place = place(key, text.len(), false)?;
            Ok(GoValue::Integer(text.as_bytes().get(place).copied().map_or(0, i64::from)))
        }
        (other, _) => Err(format!("can not index a value of type {}", other.type_name())),
    }
}

fn slice<'v>(whole: &GoValue<'v>, bounds: &[GoValue<'v>]) -> Result<GoValue<'v>, String> {
    let range = |length: usize| -> Result<std::ops::Range<usize>, String> {
        let start = bounds.first().map_or(Ok(0), |key| place(key, length, true))?;
        let end = bounds.get(1).map_or(Ok(length), |key| place(key, length, true))?;
        if start > end { Err(format!("invalid slice: {start} > {end}")) } else { Ok(start..end) }
    };
    match whole {
        GoValue::Text(text) => {
            let part = text.get(range(text.len())?).ok_or("a slice cuts a character")?;
            Ok(GoValue::text(part.to_owned()))
        }
        GoValue::Tree(tree) if tree.is_array() => {
            let items = tree.as_array().map_or(&[][..], Vec::as_slice);
            let part = items.get(range(items.len())?).unwrap_or_default().to_vec();
            Ok(GoValue::Tree(Cow::Owned(Value::Array(part))))
        }
        other => Err(format!("can not slice a value of type {}", other.type_name())),
    }
}

impl Comparison {
    fn holds(self, first: &GoValue<'_>, others: &[GoValue<'_>]) -> Result<bool, String> {
        match (self, others) {
            (_, []) => Err("missing argument for comparison".to_owned()),
            (Self::Equal, others) => {
                for other in others {
                    if equal(first, other)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            (Self::NotEqual, [other]) => equal(first, other).map(|is_equal| !is_equal),
            (comparison, [other]) => {
                let order = order(first, other)?;
                Ok(order.is_some_and(|order| match comparison {
                    Self::Less => order == Ordering::Less,
                    Self::LessOrEqual => order != Ordering::Greater,
                    Self::Greater => order == Ordering::Greater,
                    _ => order != Ordering::Less,
                }))
            }
            _ => Err("a comparison has too many arguments".to_owned()),
        }
    }
}

fn incompatible(first: &GoValue<'_>, other: &GoValue<'_>) -> String {
    format!("incompatible types for comparison: {} and {}", first.type_name(), other.type_name())
}

fn equal(first: &GoValue<'_>, other: &GoValue<'_>) -> Result<bool, String> {
    match (first, other) {
        (GoValue::Nil, GoValue::Nil) => Ok(true),
        (GoValue::Nil, _) | (_, GoValue::Nil) => Ok(false),
        (GoValue::Bool(first), GoValue::Bool(other)) => Ok(first == other),
        (GoValue::Tree(_), GoValue::Tree(_)) => Err("non-comparable types".to_owned()),
        (first, other) => Ok(order(first, other)? == Some(Ordering::Equal)),
    }
}

/// Of two numbers of one type, or of two texts.
fn order(first: &GoValue<'_>, other: &GoValue<'_>) -> Result<Option<Ordering>, String> {
    match (first, other) {
        (GoValue::Integer(first), GoValue::Integer(other)) => Ok(Some(first.cmp(other))),
        (GoValue::Float(first), GoValue::Float(other)) => Ok(first.partial_cmp(other)),
        (GoValue::Text(first), GoValue::Text(other)) => Ok(Some(first.as_bytes().cmp(other.as_bytes()))),
        (GoValue::Bool(_), GoValue::Bool(_)) | (GoValue::Tree(_), GoValue::Tree(_)) => {
            Err("invalid type for comparison".to_owned())
        }
        (first, other) => Err(incompatible(first, other)),
    }
}

/// As `fmt.Sprint`: a blank between two of which neither is a text.
fn printed(all: &[GoValue<'_>]) -> Result<String, String> {
    let mut text = String::new();
    let mut was_text = true;
    for value in all {
        let is_text = matches!(value, GoValue::Text(_));
        if !is_text && !was_text {
            text.push(' ');
        }
        print::append_argument(&mut text, value);
        bounded(&text)?;
        was_text = is_text;
    }
    Ok(text)
}

/// What stands between `%` and the verb.
#[derive(Default)]
struct Flags {
    left: bool,
    zeros: bool,
    plus: bool,
    width: usize,
    precision: Option<usize>,
}

/// As `fmt.Sprintf`, with the verbs that texts, numbers and truth values have.
fn formatted(format: &str, values: &[GoValue<'_>]) -> Result<String, String> {
    let mut text = String::new();
    let mut values = values.iter();
    let mut letters = format.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter != '%' {
            text.push(letter);
            continue;
        }
        let flags = flags(&mut letters);
        match letters.next() {
            None => text.push_str("%!(NOVERB)"),
            Some('%') => text.push('%'),
            Some(verb) => match values.next() {
                None => {
                    let _ = write!(text, "%!{verb}(MISSING)");
                }
                Some(value) => append_padded(&mut text, &verbed(verb, value, &flags), &flags),
            },
        }
        bounded(&text)?;
    }
    let left: Vec<_> = values
        .map(|value| {
            let mut one = format!("{}=", value.type_name());
            print::append_argument(&mut one, value);
            one
        })
        .collect();
    if !left.is_empty() {
        let _ = write!(text, "%!(EXTRA {})", left.join(", "));
    }
    bounded(&text)?;
    Ok(text)
}

/// Widths and precisions are cut: nobody pads a prompt with more.
fn flags(letters: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Flags {
    const WIDEST: usize = 1000;
    let mut flags = Flags::default();
    while let Some(flag) = letters.next_if(|letter| matches!(letter, '-' | '0' | '+' | ' ' | '#')) {
        match flag {
            '-' => flags.left = true,
            '0' => flags.zeros = true,
            '+' => flags.plus = true,
            _ => {}
        }
    }
    let number = |letters: &mut std::iter::Peekable<std::str::Chars<'_>>| {
        let mut number = 0_usize;
        while let Some(digit) = letters.next_if(char::is_ascii_digit).and_then(|digit| digit.to_digit(10)) {
            number = number.saturating_mul(10).saturating_add(digit as usize).min(WIDEST);
        }
        number
    };
    flags.width = number(letters);
    if letters.next_if_eq(&'.').is_some() {
        flags.precision = Some(number(letters));
    }
    flags
}

fn verbed(verb: char, value: &GoValue<'_>, flags: &Flags) -> String {
    let sign = |is_negative: bool| if flags.plus && !is_negative { "+" } else { "" };
    match (verb, value) {
        ('v', value) => {
            let mut text = String::new();
            print::append_argument(&mut text, value);
            text
        }
        ('s', GoValue::Text(text)) => match flags.precision {
            Some(most) => text.chars().take(most).collect(),
            None => text.to_string(),
        },
        ('s', GoValue::Tree(_) | GoValue::Record(..) | GoValue::Payload(..)) | ('t', GoValue::Bool(_)) => {
            verbed('v', value, flags)
        }
        ('q', GoValue::Text(text)) => Value::from(text.as_ref()).to_string(),
        ('d', GoValue::Integer(number)) => format!("{}{number}", sign(*number < 0)),
        ('x', GoValue::Integer(number)) => {
            format!("{}{:x}", if *number < 0 { "-" } else { "" }, number.unsigned_abs())
        }
        ('x', GoValue::Text(text)) => text.bytes().fold(String::new(), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        }),
        ('f' | 'F', GoValue::Float(number)) => {
            format!("{}{number:.*}", sign(*number < 0.0), flags.precision.unwrap_or(6))
        }
        ('g', GoValue::Float(_)) => verbed('v', value, flags),
        ('T', value) => value.type_name().to_owned(),
        (verb, GoValue::Nil) => format!("%!{verb}(<nil>)"),
        (verb, value) => {
            let mut text = format!("%!{verb}({}=", value.type_name());
            print::append_argument(&mut text, value);
            text.push(')');
            text
        }
    }
}

fn append_padded(out: &mut String, text: &str, flags: &Flags) {
    let missing = flags.width.saturating_sub(text.chars().count());
    let pad = |with: &str| with.repeat(missing);
    if flags.left {
        out.push_str(text);
        out.push_str(&pad(" "));
    } else if flags.zeros {
        let (sign, digits) =
            text.split_at_checked(usize::from(text.starts_with(['-', '+']))).unwrap_or(("", text));
        out.push_str(sign);
        out.push_str(&pad("0"));
        out.push_str(digits);
    } else {
        out.push_str(&pad(" "));
        out.push_str(text);
    }
}
