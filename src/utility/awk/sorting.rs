//! Loops over subscripts, and the sorts that an operation waits for: each step does a portion.

use super::error::Fault;
use super::machine::Machine;
use super::op::{PROCINFO, Var};
use super::sort::{AT_ONCE, Entry, Job, Order, Purpose};
use super::value::Value;
use crate::memory::{Box, String, Vec, format};
use crate::text::Text;

/// A sort, and what is left to be done with its result.
#[derive(Debug)]
pub(super) struct Sorting {
    job: Job,
    sorted: Option<crate::memory::IntoIter<Entry>>,
    keys: Vec<Text>,
    count: usize,
}

impl Machine<'_> {
    pub(super) fn for_in(&mut self, array: Var) -> Result<bool, Fault> {
        let number = self.array(array)?;
        let order = self.sort_order()?;
        let Some(table) = self.arrays.get(number) else { return Ok(false) };
        if order.is_some() || table.len() > AT_ONCE {
            // Without an order the subscripts are gathered in portions all the same.
            self.start_job(number, Purpose::Loop, Order::named(order.as_deref().unwrap_or(b"")));
            return Ok(true);
        }
        let keys: Vec<Text> = table.iter().map(|(key, _)| key.clone()).collect();
        self.iterators.push(keys.into_iter());
        Ok(false)
    }

    /// Starts a sort; the next steps go on with it.
    pub(super) fn start_job(&mut self, source: u32, purpose: Purpose, order: Order) {
        let job = Job::new(source, purpose, order, self.settings.convfmt.clone());
        self.sorting = Some(Box::new(Sorting { job, sorted: None, keys: Vec::new(), count: 0 }));
    }

    /// Goes on with a sort, or with what is done with its result.
    pub(super) fn sort_on(&mut self, mut sorting: Box<Sorting>) {
        let Sorting { job, sorted, keys, count } = &mut *sorting;
        let Some(entries) = sorted else {
            if let Some(table) = self.arrays.get(job.source) {
                *sorted = job.go_on(table);
            }
            if let (Some(_), Purpose::Fill { target, .. }) = (&sorted, job.purpose) {
                self.arrays.clear(target);
            }
            self.sorting = Some(sorting);
            return;
        };
        for _ in 0..AT_ONCE {
            let Some(entry) = entries.next() else {
                self.sorted(sorting.into_inner());
                return;
            };
            *count += 1;
            match job.purpose {
                Purpose::Loop => keys.push(entry.key),
                Purpose::Fill { target, subscripts } => {
                    let value = if subscripts { Value::Text(entry.key) } else { entry.value };
                    if let Some(table) = self.arrays.get_mut(target) {
                        *table.entry(super::function::number_key(*count)) = value;
                    }
                }
            }
        }
        self.sorting = Some(sorting);
    }

    /// A sort is done: its operation goes on.
    fn sorted(&mut self, sorting: Sorting) {
        let Sorting { job, keys, count, .. } = sorting;
        match job.purpose {
            Purpose::Fill { .. } => self.push(Value::Number(count as f64)),
            Purpose::Loop => self.iterators.push(keys.into_iter()),
        }
    }

    /// `PROCINFO["sorted_in"]`
    fn sort_order(&self) -> Result<Option<Text>, Fault> {
        let Value::Array(number) = self.global(PROCINFO) else { return Ok(None) };
        let order = self.arrays.get(*number).and_then(|table| table.get(b"sorted_in"));
        let Some(Value::Text(text) | Value::Input(text)) = order else { return Ok(None) };
        self.known_order(text)
    }

    /// An order by its name; none for no order.
    pub(super) fn known_order(&self, text: &Text) -> Result<Option<Text>, Fault> {
        if text.is_empty() || **text == *b"@unsorted" {
            return Ok(None);
        }
        let shown = String::from_utf8_lossy(text);
        if Order::is_known(text) {
            Ok(Some(text.clone()))
        } else if self.program.functions.iter().any(|function| *function.name == **text) {
            Err(Fault::fatal(format!("sorting by function `{shown}' is not supported")))
        } else {
            Err(Fault::fatal(format!("sort comparison function `{shown}' is not defined")))
        }
    }
}
