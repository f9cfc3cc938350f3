//! The pages before the first that is wanted are passed over.

use super::{Printer, State};
use crate::utility::prelude::*;

impl Printer {
    /// Passes over the pages before the first one; whether something is left.
    pub(super) async fn skip_pages(&mut self, ctx: &mut Context) -> Result<bool, UtilityError> {
        for page in 1..self.settings.first_page {
            for line in 1..=self.body {
                self.is_last_skipped = line == self.body;
                for at in 0..self.columns.len() {
                    if self.columns.get(at).is_some_and(|column| column.state == State::Open) {
                        self.skip_whole_line(ctx, at).await?;
                    }
                }
                ctx.tick().await?;
            }
            if self.stores {
                for column in self.columns.iter_mut().filter(|column| column.state != State::Closed) {
                    column.state = State::Held;
                }
            }
            self.reset_states();
            self.is_last_skipped = false;
            if self.ready == 0 {
                let first = self.settings.first_page;
                ctx.warn(format_args!("starting page number {first} exceeds page count {page}"));
                break;
            }
        }
        Ok(self.ready > 0)
    }

    async fn skip_whole_line(&mut self, ctx: &mut Context, at: usize) -> Result<(), UtilityError> {
        let mut byte = self.next_byte(ctx, at).await?;
        if byte == Some(0x0c) && self.is_full_page(at) {
            byte = self.next_byte(ctx, at).await?;
            if byte == Some(b'\n') {
                byte = self.next_byte(ctx, at).await?;
            }
        }
        self.set_full_page(at, self.is_last_skipped);
        let is_form_feed = byte == Some(0x0c);
        loop {
            match byte {
                Some(b'\n') => break,
                Some(0x0c) => {
                    if self.is_last_skipped {
                        if self.settings.is_parallel {
                            self.set_full_page(at, false);
                        } else {
                            self.columns.iter_mut().for_each(|column| column.is_full_page = false);
                        }
                    }
                    self.skip_newline(ctx, at).await?;
                    self.hold(at);
                    break;
                }
                None => {
                    self.close(at);
                    break;
                }
                Some(_) => byte = self.next_byte(ctx, at).await?,
            }
        }
        if self.settings.first_number.is_none() && (!self.settings.is_parallel || at == 0) && !is_form_feed {
            self.line_count = self.line_count.wrapping_add(1);
        }
        Ok(())
    }
}
