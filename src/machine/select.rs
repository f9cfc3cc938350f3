//! `select`: prints a menu on standard error and reads a choice from standard input. Bash manual 3.2.5.2.

use super::control::Control;
use super::frame::Frame;
use super::halt::Step;
use super::name::{COLUMNS, NameId, PS3, REPLY};
use super::process::Process;
use super::run::Run;
use super::shell::Shell;
use super::variable::Value;
use super::wait::Wait;
use crate::memory::{JoinMetered, ToDecimal, Vec, format};
use crate::program::Pc;
use crate::text::Text;
use std::task::{Context, Poll};

impl Shell {
    /// The menu in columns, as bash lays it out for `COLUMNS` (80 if it is unset), then `PS3`.
    fn show_menu(&mut self, run: &mut Run, menu: &[Text], whole: bool) {
        let mut text = Vec::new();
        if whole {
            let widest = menu.iter().map(|item| crate::character::count(item)).max().unwrap_or(0);
            let digits = menu.len().to_decimal().len();
            let column_width = widest + digits + 4;
            let terminal = self.scalar(run, COLUMNS).and_then(|text| super::variable::plain_integer(&text));
            let terminal = terminal.and_then(|width| usize::try_from(width).ok()).filter(|width| *width > 0);
            let columns = (terminal.unwrap_or(80) / column_width).max(1);
            let mut rows = menu.len().div_ceil(columns);
            if rows == 1 {
                rows = menu.len();
            }
            for row in 0..rows {
                let mut at = row;
                let mut position = 0;
                while let Some(item) = menu.get(at) {
                    let digits = if at < rows { rows.to_decimal().len() } else { digits };
                    text.extend_from_slice(format!("{:>digits$}) ", at + 1).as_bytes());
                    text.extend_from_slice(item);
                    at += rows;
                    if at < menu.len() {
                        let used = position + digits + 2 + crate::character::count(item);
                        position += column_width;
                        indent(&mut text, used, position);
                    }
                }
                text.push(b'\n');
            }
        }
        let prompt = self.scalar(run, PS3).unwrap_or_else(|| Text::from_static(b"#? "));
        text.extend_from_slice(&prompt);
        self.write_error(&text);
    }
}

impl Control {
    pub(crate) fn begin_select(
        &mut self,
        shell: &mut Shell,
        break_to: Pc,
        continue_to: Pc,
        fields: Vec<Text>,
    ) {
        self.begin_loop(shell, break_to, continue_to, Vec::new());
        if let Some(Frame::Loop(frame)) = self.frames.last_mut() {
            frame.menu = fields;
        }
        self.select_line = None;
    }
}

impl Process {
    /// Reads a choice. `false`: it has to wait; the operation runs again.
    pub(crate) fn select_next(
        &mut self,
        run: &mut Run,
        cx: &mut Context<'_>,
        id: NameId,
        end: Pc,
    ) -> Step<bool> {
        let (menu, shown) = match self.control.frames.last_mut() {
            Some(Frame::Loop(frame)) => (frame.menu.clone(), std::mem::replace(&mut frame.menu_shown, true)),
            _ => (Vec::new(), false),
        };
        if menu.is_empty() {
            self.shell.code.pc = end;
            return Ok(true);
        }
        if self.control.select_line.is_none() {
            if !shown && self.shell.state.options.has(super::option::ShellOption::XTrace) {
                let mut line = [b"select ", run.services.names.text(id).as_bytes(), b" in"].concat_metered();
                for item in &menu {
                    line.push(b' ');
                    line.extend_from_slice(item);
                }
                self.trace_line(run, &line);
            }
            self.shell.show_menu(run, &menu, !shown);
            self.control.select_line = Some(Vec::new());
        }
        loop {
            let Some(mut line) = self.control.select_line.take() else { return Ok(true) };
            let Some(description) = self.shell.state.descriptors.get(0).cloned() else {
                self.shell.code.pc = end;
                return Ok(true);
            };
            let mut complete = false;
            let read = description.poll_read(cx, &mut |bytes| match memchr::memchr(b'\n', bytes) {
                Some(at) => {
                    line.extend_from_slice(bytes.get(..at).unwrap_or(&[]));
                    complete = true;
                    at + 1
                }
                None => {
                    line.extend_from_slice(bytes);
                    bytes.len()
                }
            });
            match read {
                Poll::Pending => {
                    self.control.select_line = Some(line);
                    self.shell.code.pc = self.shell.code.pc.saturating_sub(1);
                    self.control.wait = Wait::Input;
                    return Ok(false);
                }
                Poll::Ready(Ok(0) | Err(_)) if !complete => {
                    if let Some(output) = self.shell.state.descriptors.get(1).cloned() {
                        self.shell.outputs.write(output, b"\n");
                    }
                    self.shell.variables.set_plain(REPLY, Value::Text(Text::from(line)));
                    self.shell.state.set_status(1);
                    if let Some(Frame::Loop(frame)) = self.control.frames.last_mut() {
                        frame.status = 1;
                    }
                    self.shell.code.pc = end;
                    return Ok(true);
                }
                Poll::Ready(_) => {}
            }
            if !complete {
                self.control.select_line = Some(line);
                continue;
            }
            let text = Text::from(line);
            self.shell.variables.set_plain(REPLY, Value::Text(text.clone()));
            if text.trim_ascii().is_empty() {
                self.shell.show_menu(run, &menu, true);
                self.control.select_line = Some(Vec::new());
                continue;
            }
            let chosen = std::str::from_utf8(text.trim_ascii())
                .ok()
                .and_then(|text| text.parse::<usize>().ok())
                .and_then(|number| menu.get(number.checked_sub(1)?))
                .cloned()
                .unwrap_or_default();
            if self.shell.assign_variable(run, id, chosen, false).is_err() {
                self.shell.state.set_status(1);
                if let Some(Frame::Loop(frame)) = self.control.frames.last_mut() {
                    frame.status = 1;
                }
                self.shell.code.pc = end;
            }
            return Ok(true);
        }
    }
}

/// Goes from one column to another, with tabs as far as they lead there.
fn indent(text: &mut Vec<u8>, mut from: usize, to: usize) {
    while from < to {
        if to / 8 > from / 8 {
            text.push(b'\t');
            from += 8 - from % 8;
        } else {
            text.push(b' ');
            from += 1;
        }
    }
}
