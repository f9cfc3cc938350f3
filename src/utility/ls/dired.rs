//! `ls --dired`: at the end of a long listing it is told where in it the names stand, in bytes.

use crate::memory::{String, Vec, format};
use crate::utility::prelude::*;
use std::fmt::Write as _;

/// What was printed so far.
#[derive(Debug, Default)]
pub(super) struct Dired {
    position: u64,
    /// `[start, end)` of each name.
    names: Vec<(u64, u64)>,
    /// The same of the directories' headings.
    directories: Vec<(u64, u64)>,
}

impl Dired {
    /// A line of `length` bytes was printed, with a name of `name` bytes at `start` in it.
    pub(super) fn line(&mut self, start: usize, name: usize, length: usize) {
        let at = self.position.saturating_add(start as u64);
        self.names.push((at, at.saturating_add(name as u64)));
        self.text(length);
    }

    /// The same for the heading of a directory.
    pub(super) fn heading(&mut self, start: usize, name: usize, length: usize) {
        let at = self.position.saturating_add(start as u64);
        self.directories.push((at, at.saturating_add(name as u64)));
        self.text(length);
    }

    /// Other bytes were printed.
    pub(super) fn text(&mut self, length: usize) {
        self.position = self.position.saturating_add(length as u64);
    }

    /// Prints where names stand.
    pub(super) async fn print(&self, ctx: &mut Context, quoting: &str) -> Result<(), UtilityError> {
        for (title, places) in [("//DIRED//", &self.names), ("//SUBDIRED//", &self.directories)] {
            if places.is_empty() {
                continue;
            }
            ctx.stdout.write(title.as_bytes()).await?;
            for (start, end) in places {
                ctx.tick().await?;
                let mut text = String::new();
                let _ = write!(text, " {start} {end}");
                ctx.stdout.write(text.as_bytes()).await?;
            }
            ctx.stdout.write(b"\n").await?;
        }
        ctx.stdout.write(format!("//DIRED-OPTIONS// --quoting-style={quoting}\n").as_bytes()).await
    }
}
