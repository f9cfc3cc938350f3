//! `tojson` and `fromjson`: a text of a value and a value of a text, some of it at a time.

use crate::memory::String;
use super::error::Raise;
use super::frame::{Choice, Frames, Item, Next, Track};
use super::machine::Machine;
use super::print::{COMPACT, Printing};
use super::read::{Progress, ReadError, Reader, while_parsing};
use super::text::Text;
use super::value::Value;
use super::work::Work;

/// What is made of what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `tojson`
    ToJson,
    /// `fromjson`
    FromJson,
}

/// A conversion in progress.
#[derive(Debug)]
pub(crate) struct Conversion {
    state: State,
    track: Track,
    frames: Frames,
}

#[derive(Debug)]
enum State {
    Printing(Printing, String),
    Reading(Reading),
}

#[derive(Debug)]
struct Reading {
    text: Text,
    reader: Reader,
    /// Bytes read, and the line and column behind them.
    at: usize,
    base: (usize, usize),
    found: Option<Value>,
}

impl Machine<'_, '_> {
    /// Starts to convert a value.
    pub(super) fn start_conversion(&mut self, kind: Kind, input: Item, frames: Frames) -> Next {
        let state = match (kind, input.value) {
            (Kind::ToJson, value) => State::Printing(Printing::new(value), String::new()),
            (Kind::FromJson, Value::String(text)) => {
                State::Reading(Reading { text, reader: Reader::default(), at: 0, base: (0, 0), found: None })
            }
            (Kind::FromJson, other) => {
                return Next::Fail(Raise::about(&other, "only strings can be parsed"), frames);
            }
        };
        self.convert(Box::new(Conversion { state, track: input.track.lost(), frames }))
    }

    /// Goes on with a conversion.
    pub(super) fn convert(&mut self, mut conversion: Box<Conversion>) -> Next {
        let work = &mut self.context.work;
        let done = match &mut conversion.state {
            State::Printing(printing, out) => match printing.go_on(COMPACT, out, usize::MAX, work) {
                Ok(true) => Ok(Some(Value::from(std::mem::take(out)))),
                Ok(false) => Ok(None),
                Err(stop) => Err(Raise::Stop(stop)),
            },
            State::Reading(reading) => reading.go_on(work).map_err(|error| match error {
                ReadError::Syntax(problem) => Raise::message(problem),
                ReadError::Stopped(stop) => Raise::Stop(stop),
            }),
        };
        match done {
            Ok(None) => {
                self.choices.push(Choice::Convert(conversion));
                Next::Back
            }
            Ok(Some(value)) => match value.checked() {
                Ok(value) => Next::Give(Item { value, track: conversion.track }, conversion.frames),
                Err(raise) => Next::Fail(raise, conversion.frames),
            },
            Err(raise) => Next::Fail(raise, conversion.frames),
        }
    }
}

impl Reading {
    /// The one value of the text, when all of it was read.
    fn go_on(&mut self, work: &mut Work<'_>) -> Result<Option<Value>, ReadError> {
        let text = self.text.as_str();
        let wrong = |error| match error {
            ReadError::Syntax(problem) => while_parsing(&problem, text),
            stopped @ ReadError::Stopped(_) => stopped,
        };
        loop {
            let rest = text.as_bytes().get(self.at..).unwrap_or_default();
            match self.reader.read(rest, true, self.base, work).map_err(wrong)? {
                Progress::Value(value, used) => {
                    if self.found.replace(value).is_some() {
                        return Err(while_parsing("Unexpected extra JSON values", text));
                    }
                    self.base = super::diagnose::moved(self.base, rest.get(..used).unwrap_or_default());
                    self.at += used;
                }
                Progress::Paused => return Ok(None),
                Progress::Blank(_) | Progress::More => {
                    let found = self.found.take();
                    return found.map(Some).ok_or_else(|| while_parsing("Expected JSON value", text));
                }
            }
        }
    }
}
