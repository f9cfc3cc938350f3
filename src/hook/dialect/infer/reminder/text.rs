//! The text of a reminder, taken apart at its placeholders when it is read: what they bring is not looked at again.

use std::ops::Range;

/// What is filled in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Placeholder {
    PreviousMode,
    NewMode,
    Guidance,
    ToolName,
    Count,
    TodoList,
}

impl Placeholder {
    const ALL: [(&'static str, Self); 6] = [
        ("{prev_mode}", Self::PreviousMode),
        ("{new_mode}", Self::NewMode),
        ("{guidance}", Self::Guidance),
        ("{tool_name}", Self::ToolName),
        ("{count}", Self::Count),
        ("{todo_list}", Self::TodoList),
    ];
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
            let found = Placeholder::ALL.iter().find(|(name, _)| rest.starts_with(name));
            at = brace + found.map_or(1, |(name, _)| name.len());
            if let Some((_, placeholder)) = found {
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
