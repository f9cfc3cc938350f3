//! The points at which hooks run: their names, and which of our events each is.

use crate::hook::event::Moment;
use crate::hook::event_table::{EventRow, event_table};

event_table! {
    /// The eight points, in loop order (2).
    enum Point: EventRow {
        PreSession EventRow::new("pre_session", "session_started");
        PreStream EventRow::new("pre_stream", "model_call_starting");
        PostStream EventRow::new("post_stream", "model_call_ended");
        PreTool EventRow::new("pre_tool", "tool_batch_starting");
        PostTool EventRow::new("post_tool", "tool_batch_ended");
        PreQueueDrain EventRow::new("pre_queue_drain", "queue_drain_starting");
        PostQueueDrain EventRow::new("post_queue_drain", "queue_drain_ended");
        PostSession EventRow::new("post_session", "session_ended");
    }
}

impl Point {
    pub(super) fn of(moment: &Moment) -> Option<Self> {
        match moment {
            // What a payload says of a batch is only that there is one.
            Moment::Other { name } => Self::from_name(name),
            moment => Self::at(moment),
        }
    }
}
