//! The table of a dialect's events: one row for each event ([`EventRow`]), from which matching, conversion, schemas, lint rules and
//! the documentation take what they need. [`event_table!`] declares the names and the rows together.

use super::event::Moment;
use super::unread::Members;

/// An event of a dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EventRow {
    pub(crate) name: &'static str,
    /// The neutral moment ([`Moment::name`]); empty when no other dialect knows it.
    pub(crate) moment: &'static str,
    /// Which outcomes of the moment it is about.
    pub(crate) part: Part,
    /// Whether another event of the dialect stands for the moment.
    pub(crate) is_aside: bool,
    /// Whether a hook can stop what is about to happen.
    pub(crate) blocks: bool,
    /// Whether it is about one call of a tool.
    pub(crate) tool: bool,
    /// What a failed hook does.
    pub(crate) failure: Failure,
    /// Members of the payload that are the event's own, in order.
    pub(crate) payload: &'static [&'static str],
    /// What is read of the object that a hook prints; empty where nothing is.
    pub(crate) output: Members,
    /// Whether its names are read without regard to case.
    pub(crate) any_case: bool,
    /// The member of the payload that a matcher tests, where that is not the tool's name; empty where there is none.
    pub(crate) matched: &'static str,
    /// The values that the member can have, or the one by which other dialects' matchers tell such events apart, where they are
    /// known.
    pub(crate) values: &'static [&'static str],
    marks: u16,
}

/// What an event takes of an answer, and what else holds of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// A person can be asked.
    Ask,
    /// What it is about can be allowed without asking.
    Allow,
    /// A call's arguments can be rewritten.
    Arguments,
    /// The user's message can be rewritten.
    Message,
    /// A call's result can be rewritten.
    Result,
    /// Text reaches the model.
    Context,
    /// Plain text on standard output does.
    PlainText,
    /// Exit status 2 blocks nothing, but its text reaches the model or the user.
    Feedback,
    /// Any exit status other than 0 is an answer, not a failure.
    AnyStatus,
    /// A hook can stop a step of the platform, which guards nothing that a model or a user does.
    PlatformStep,
    /// A byte order mark before an output is white space.
    BlankBom,
}

/// Which outcomes of a moment an event is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    All,
    Success,
    Failure,
}

/// What a failed hook does to a blocking event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// Nothing.
    Open,
    /// It blocks.
    Closed,
    /// Open unless the hook says otherwise.
    Choice,
}

impl EventRow {
    pub(crate) const fn new(name: &'static str, moment: &'static str) -> Self {
        let failure = Failure::Open;
        Self {
            name,
            moment,
            part: Part::All,
            is_aside: false,
            blocks: false,
            tool: false,
            failure,
            payload: &[],
            output: &[],
            any_case: false,
            matched: "",
            values: &[],
            marks: 0,
        }
    }

    /// What holds of it.
    pub(crate) const fn marks<const N: usize>(self, marks: [Mark; N]) -> Self {
        let mut row = self;
        let mut place = 0;
        while place < N {
            row.marks |= 1 << marks[place] as u16;
            place += 1;
        }
        row
    }

    /// What holds of it under a condition.
    pub(crate) const fn mark_if(self, mark: Mark, holds: bool) -> Self {
        if holds { self.marks([mark]) } else { self }
    }

    #[cfg_attr(not(feature = "tools"), allow(dead_code, reason = "conversion asks for it"))]
    pub(crate) const fn has(&self, mark: Mark) -> bool {
        self.marks & 1 << mark as u16 != 0
    }

    /// What a matcher tests beside a tool's name.
    pub(crate) const fn matched(self, member: &'static str) -> Self {
        Self { matched: member, ..self }
    }

    /// The values that a matcher can meet.
    pub(crate) const fn values(self, values: &'static [&'static str]) -> Self {
        Self { values, ..self }
    }

    /// What is read of a hook's output.
    pub(crate) const fn output(self, output: Members) -> Self {
        Self { output, ..self }
    }

    /// The same, whatever the case of names.
    pub(crate) const fn output_in_any_case(self, output: Members) -> Self {
        Self { output, any_case: true, ..self }
    }

    /// What its payload has beside the members that all have.
    pub(crate) const fn payload(self, payload: &'static [&'static str]) -> Self {
        Self { payload, ..self }
    }

    /// It is about a call of a tool.
    pub(crate) const fn tool(self) -> Self {
        Self { tool: true, ..self }
    }

    /// It is about some outcomes of its moment.
    pub(crate) const fn part(self, part: Part) -> Self {
        Self { part, ..self }
    }

    /// Another event stands for the moment.
    pub(crate) const fn aside(self) -> Self {
        Self { is_aside: true, ..self }
    }

    /// A hook can stop what is about to happen.
    pub(crate) const fn blocks(self, failure: Failure) -> Self {
        Self { blocks: true, failure, ..self }
    }

    /// The row, for tables whose rows hold more.
    pub(crate) const fn event(&self) -> &Self {
        self
    }

    /// Whether this is the event of what happened. Where a dialect has one event for every outcome and one for failures, both are.
    fn fits(&self, moment: &Moment) -> bool {
        let is_of_part = match self.part {
            Part::All => true,
            part => moment.part() == Some(part),
        };
        is_of_part && !self.is_aside && moment.name() == Some(self.moment)
    }
}

/// The place of the event of what happened: one for its outcome before one for every outcome.
pub(crate) fn place_of(rows: &[EventRow], moment: &Moment) -> Option<usize> {
    let is_of_part =
        |part: bool| rows.iter().position(|row| (row.part != Part::All) == part && row.fits(moment));
    is_of_part(true).or_else(|| is_of_part(false))
}

impl Moment {
    /// Its name in the neutral form; `None` for what one dialect alone knows.
    pub(crate) const fn name(&self) -> Option<&'static str> {
        Some(match self {
            Self::SessionStarted { .. } => "session_started",
            Self::SessionEnded { .. } => "session_ended",
            Self::PromptSubmitted { .. } => "prompt_submitted",
            Self::TurnStarted => "turn_started",
            Self::TurnEnded { .. } => "turn_ended",
            Self::ModelCallStarting { .. } => "model_call_starting",
            Self::ModelCallEnded { .. } => "model_call_ended",
            Self::ToolCallStarting(_) => "tool_call_starting",
            Self::ToolCallEnded { .. } => "tool_call_ended",
            Self::ToolBatchStarting { .. } => "tool_batch_starting",
            Self::ToolBatchEnded { .. } => "tool_batch_ended",
            Self::PermissionRequested(_) => "permission_requested",
            Self::PermissionDecided { .. } => "permission_decided",
            Self::QueueDrainStarting => "queue_drain_starting",
            Self::QueueDrainEnded => "queue_drain_ended",
            Self::CompactionStarting { .. } => "compaction_starting",
            Self::CompactionEnded { .. } => "compaction_ended",
            Self::SubagentStarted => "subagent_started",
            Self::SubagentEnded { .. } => "subagent_ended",
            Self::Notified { .. } => "notified",
            Self::Other { .. } => return None,
        })
    }

    /// How what ended has ended; `None` where that is not told.
    const fn part(&self) -> Option<Part> {
        match self {
            Self::ToolCallEnded { error: None, .. } | Self::TurnEnded { success: true, .. } => {
                Some(Part::Success)
            }
            Self::ToolCallEnded { .. } | Self::TurnEnded { .. } => Some(Part::Failure),
            _ => None,
        }
    }
}

/// Declares the events of a dialect: a type with a name for each, and the table `EVENTS` of their rows, in the contract's
/// order. A row is an [`EventRow`], or a type of the dialect's own that has one (`event`).
macro_rules! event_table {
    ($(#[$doc:meta])* enum $Name:ident: $Row:ty { $($Event:ident $row:expr;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(super) enum $Name { $($Event,)* }

        impl $Name {
            /// Every event, in the contract's order.
            pub(super) const ALL: &'static [Self] = &[$(Self::$Event,)*];

            pub(super) const fn row(self) -> &'static $Row {
                match self {
                    $(Self::$Event => &const { $row },)*
                }
            }

            pub(super) const fn name(self) -> &'static str {
                self.row().event().name
            }

            pub(super) fn from_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|event| event.name() == name)
            }

            /// The event that a payload names.
            pub(super) fn read(name: String) -> Result<Self, $crate::hook::error::EventError> {
                let found = Self::from_name(&name);
                let unknown = || $crate::hook::error::EventError::Unknown { name, known: Self::all_names() };
                found.ok_or_else(unknown)
            }

            /// The names, for messages.
            pub(super) fn all_names() -> String {
                Self::ALL.iter().map(|event| event.name()).collect::<Vec<_>>().join(", ")
            }

            /// The event of what happened, by the table.
            pub(super) fn at(moment: &$crate::hook::event::Moment) -> Option<Self> {
                let place = $crate::hook::event_table::place_of(EVENTS, moment)?;
                Self::ALL.get(place).copied()
            }
        }

        /// What every dialect says of its events.
        pub(in crate::hook) const EVENTS: &[$crate::hook::event_table::EventRow] =
            &[$(*$Name::$Event.row().event(),)*];
    };
}
pub(in crate::hook) use event_table;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hook::dialect::list::Dialect;
    use crate::hook::portable;

    /// An event of each moment with what it must have.
    fn of(moment: &str) -> Option<Moment> {
        let value = serde_json::json!({
            "moment": moment, "message": "", "success": true, "tool_name": "t", "tool_call_id": "c", "calls": [],
            "decision": "deny", "level": "", "name": "",
        });
        serde_json::from_value(value).ok()
    }

    #[test]
    fn moments_are_those_of_the_neutral_form() {
        for dialect in Dialect::ALL {
            for row in portable::facts(*dialect).events.iter().filter(|row| !row.moment.is_empty()) {
                let moment = of(row.moment).unwrap_or_else(|| panic!("{dialect} {}", row.moment));
                assert_eq!(moment.name(), Some(row.moment), "{dialect}");
            }
        }
        assert_eq!(of("other").and_then(|other| other.name()), None);
    }

    #[test]
    fn an_event_for_an_outcome_comes_before_one_for_every_outcome() {
        let rows = [
            EventRow::new("beside", "turn_ended").aside(),
            EventRow::new("all", "turn_ended"),
            EventRow::new("failed", "turn_ended").part(Part::Failure),
        ];
        let turn =
            |success| Moment::TurnEnded { success, tool_calls: Vec::new(), reason: None, last_message: None };
        assert_eq!(place_of(&rows, &turn(true)), Some(1));
        assert_eq!(place_of(&rows, &turn(false)), Some(2));
        assert_eq!(place_of(&rows, &Moment::TurnStarted), None);
        assert_eq!(place_of(&[EventRow::new("own", "")], &Moment::Other { name: "own".to_owned() }), None);
    }
}
