//! Texts that are put together: concatenation, `print` and `printf`.

use super::error::Fault;
use super::machine::{Machine, Pause};
use super::op::{Redirect, Var};
use super::value::Value;
use crate::memory::Vec;
use crate::text::Text;
use crate::utility::Output;

/// Output that is handed on at once.
const OUTPUT_BYTES: usize = 32 * 1024;

impl Machine<'_> {
    pub(super) fn append(&mut self, variable: Var, count: usize) -> Result<(), Fault> {
        let first = self.stack.len().saturating_sub(count);
        let mut more = std::mem::take(&mut self.output);
        more.clear();
        for value in self.stack.iter().skip(first) {
            value.push_text(&self.settings.convfmt, &mut more);
        }
        self.stack.truncate(first);
        let old = self.load(variable)?;
        let mut text = self.text(&old);
        drop(old);
        // Nobody else may hold the text while it grows.
        self.set_slot(variable, Value::Unset);
        text.push_bytes(&more);
        self.keep_buffer(more);
        // The value is dropped at once, as a rule: then the variable alone holds the text.
        if !self.is_dropped() {
            self.push(Value::Text(text.clone()));
        }
        self.set_slot(variable, Value::Text(text));
        Ok(())
    }

    pub(super) fn join(&mut self, count: usize, with_separator: bool) {
        let first = self.stack.len().saturating_sub(count);
        let mut text = std::mem::take(&mut self.output);
        text.clear();
        for (index, value) in self.stack.iter().skip(first).enumerate() {
            if with_separator && index > 0 {
                text.extend_from_slice(&self.settings.subsep);
            }
            value.push_text(&self.settings.convfmt, &mut text);
        }
        self.stack.truncate(first);
        // What is long is handed over, not copied.
        let joined = if text.len() > OUTPUT_BYTES {
            Text::from(std::mem::take(&mut text))
        } else {
            Text::from(text.as_slice())
        };
        self.keep_buffer(text);
        self.push(Value::Text(joined));
    }

    /// Keeps a buffer for the next text, unless it is large.
    fn keep_buffer(&mut self, mut buffer: Vec<u8>) {
        buffer.clear();
        buffer.shrink_to(OUTPUT_BYTES);
        self.output = buffer;
    }

    pub(super) fn print(
        &mut self,
        count: usize,
        redirect: Redirect,
        stdout: &mut Output,
    ) -> Result<Option<Pause>, Fault> {
        let target = if redirect == Redirect::Stdout { None } else { Some(self.pop_text()) };
        if target.is_none()
            && let Some(texts) = self.long_texts(count)?
        {
            return Ok(Some(Pause::Print(texts)));
        }
        let mut text = std::mem::take(&mut self.output);
        text.clear();
        if count == 0 {
            self.rebuild_record()?;
            text.extend_from_slice(self.record.text());
        }
        let first = self.stack.len().saturating_sub(count);
        for (index, value) in self.stack.iter().skip(first).enumerate() {
            if index > 0 {
                text.extend_from_slice(&self.settings.ofs);
            }
            value.push_text(&self.settings.ofmt, &mut text);
        }
        text.extend_from_slice(&self.settings.ors);
        self.stack.truncate(first);
        self.output = text;
        Ok(self.write(target, redirect, stdout))
    }

    /// What `print` writes, where there is a long text in it: those are not put together first.
    fn long_texts(&mut self, count: usize) -> Result<Option<Vec<Text>>, Fault> {
        let first = self.stack.len().saturating_sub(count);
        let is_long = |value: &Value| matches!(value, Value::Text(text) | Value::Input(text) if text.len() > OUTPUT_BYTES);
        let values = self.stack.get(first..).unwrap_or(&[]);
        let long = if count == 0 { self.record.is_large() } else { values.iter().any(is_long) };
        if !long {
            return Ok(None);
        }
        let mut texts = Vec::new();
        if count == 0 {
            self.rebuild_record()?;
            texts.push(self.record.whole());
        }
        for (index, value) in self.stack.iter().skip(first).enumerate() {
            if index > 0 {
                texts.push(self.settings.ofs.clone());
            }
            texts.push(match value {
                Value::Text(text) | Value::Input(text) => text.clone(),
                value => {
                    let mut shown = Vec::new();
                    value.push_text(&self.settings.ofmt, &mut shown);
                    Text::from(shown)
                }
            });
        }
        texts.push(self.settings.ors.clone());
        self.stack.truncate(first);
        Ok(Some(texts))
    }

    pub(super) fn printf(
        &mut self,
        count: usize,
        redirect: Redirect,
        stdout: &mut Output,
    ) -> Result<Option<Pause>, Fault> {
        let target = if redirect == Redirect::Stdout { None } else { Some(self.pop_text()) };
        let mut text = std::mem::take(&mut self.output);
        text.clear();
        let arguments = self.take_arguments(count);
        self.format_at_once(&arguments, &mut text)?;
        self.output = text;
        Ok(self.write(target, redirect, stdout))
    }

    pub(super) fn write(
        &mut self,
        target: Option<Text>,
        redirect: Redirect,
        stdout: &mut Output,
    ) -> Option<Pause> {
        match target {
            None => {
                stdout.push(&self.output);
                let text = std::mem::take(&mut self.output);
                self.keep_buffer(text);
                (stdout.buffered() >= OUTPUT_BYTES).then_some(Pause::Flush)
            }
            Some(name) => Some(Pause::Write(redirect, name)),
        }
    }
}
