//! [`Events`]: a value as the events of `--stream`: `[path, leaf]` for each leaf, `[path]` at the end of a container.

use super::value::Value;
use super::work::{Stop, Work};
use crate::memory::{Vec, vec};

/// The events of one value that are left.
#[derive(Debug)]
pub(super) struct Events {
    /// A top-level leaf.
    leaf: Option<Value>,
    /// Open containers, and where to go on in them.
    open: Vec<(Value, usize)>,
    /// The key of the last member taken from each of them.
    path: Vec<Value>,
}

impl Events {
    /// Starts at a value.
    pub(super) fn new(value: Value) -> Self {
        let (leaf, open) = if is_leaf(&value) { (Some(value), Vec::new()) } else { (None, vec![(value, 0)]) };
        Events { leaf, open, path: Vec::new() }
    }

    /// The next event.
    ///
    /// # Errors
    /// `Stop`: the run is over.
    pub(super) fn next(&mut self, work: &mut Work<'_>) -> Result<Option<Value>, Stop> {
        work.step()?;
        if let Some(leaf) = self.leaf.take() {
            return Ok(Some(self.event(Some(leaf))));
        }
        while let Some((container, at)) = self.open.last_mut() {
            let Some((key, value, after)) = super::value::member_at(container, *at) else {
                self.path.truncate(self.open.len());
                let event = self.event(None);
                self.open.pop();
                return Ok(Some(event));
            };
            *at = after;
            self.path.truncate(self.open.len() - 1);
            self.path.push(key);
            if is_leaf(&value) {
                return Ok(Some(self.event(Some(value))));
            }
            self.open.push((value, 0));
        }
        Ok(None)
    }

    fn event(&self, leaf: Option<Value>) -> Value {
        let path = Value::array(self.path.clone());
        Value::array(std::iter::once(path).chain(leaf).collect())
    }
}

fn is_leaf(value: &Value) -> bool {
    match value {
        Value::Array(array) => array.len() == 0,
        Value::Object(object) => object.len() == 0,
        _ => true,
    }
}
