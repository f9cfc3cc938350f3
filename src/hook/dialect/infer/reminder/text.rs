//! The text of a reminder, taken apart at its placeholders when it is read: what they bring is not looked at again.

use crate::hook::word::{Word as _, words};
use std::ops::Range;

words! {
    /// What is filled in.
    pub(super) enum Placeholder {
        PreviousMode "{prev_mode}",
        NewMode "{new_mode}",
        Guidance "{guidance}",
        ToolName "{tool_name}",
        Count "{count}",
        TodoList "{todo_list}",
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Plain(Range<usize>),
    Filled(Placeholder),
}

/// A text with placeholders. Another name in braces is text.
#[derive(Clone, Debug)]
pub(in crate::hook::dialect::infer) struct ReminderText {
    text: String,
    parts: Vec<Part>,
}

impl ReminderText {
    pub(super) fn new(text: String) -> Self {
        let mut parts = Vec::new();
        let (mut from, mut at) = (0, 0);
        while let Some(brace) = text.get(at..).and_then(|rest| rest.find('{')).map(|found| at + found) {
            let rest = text.get(brace..).unwrap_or("");
            let found = Placeholder::WORDS.iter().find(|(_, name)| rest.starts_with(name));
            at = brace + found.map_or(1, |(_, name)| name.len());
            if let Some((placeholder, _)) = found {
                parts.extend((from < brace).then_some(Part::Plain(from..brace)));
                parts.push(Part::Filled(*placeholder));
                from = at;
            }
        }
        parts.extend((from < text.len()).then_some(Part::Plain(from..text.len())));
        Self { text, parts }
    }

    /// The pieces of which it consists, with what stands in for the placeholders.
    pub(super) fn parts<'a>(
        &'a self,
        value: impl Fn(Placeholder) -> &'a str,
    ) -> impl Iterator<Item = &'a str> {
        self.parts.iter().map(move |part| match part {
            Part::Plain(range) => self.text.get(range.clone()).unwrap_or(""),
            Part::Filled(placeholder) => value(*placeholder),
        })
    }
}
