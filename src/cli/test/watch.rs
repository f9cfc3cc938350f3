//! `hookbox test --watch`: runs the cases, and again whenever something of the files that they use has changed.
//!
//! Files are looked at twice a second, by name, size and time of change: no service of the host is needed for that, and none
//! misses a change on a network or in a container.

use super::TestArguments;
use crate::cli::{CommandFailure, Streams};
use crate::hook::case::SessionSource;
use crate::vfs::fixture::host;
use std::time::Duration;

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(500);
/// Files and folders that are looked at.
const MOST_FILES: u64 = 100_000;

/// Runs until the process is ended, or its standard output is gone.
pub(super) fn watch(
    arguments: &TestArguments,
    sessions: &dyn SessionSource,
    streams: &mut Streams<'_>,
) -> Result<u8, CommandFailure> {
    loop {
        let stamp = stamp(arguments);
        // What is wrong now may be right after the next change.
        match super::test(arguments, sessions, streams) {
            Ok(_) => {}
            Err(error @ CommandFailure::Write(_)) => return Err(error),
            Err(failure) => streams.report(&format!("hookbox: {failure}\n"))?,
        }
        streams.print("waiting for changes (ctrl-c ends)\n")?;
        streams.stdout.flush().map_err(CommandFailure::Write)?;
        while self::stamp(arguments) == stamp {
            std::thread::sleep(PAUSE);
        }
    }
}

/// A number that changes with the files: what was named, and for a file of cases the fixture that it lies in.
fn stamp(arguments: &TestArguments) -> u64 {
    let mut stamp = host::Stamp::new(MOST_FILES);
    for path in &arguments.paths {
        let fixture = path.parent().filter(|above| above.ends_with("cases")).map(|cases| cases.join(".."));
        stamp.add(fixture.as_deref().unwrap_or(path));
    }
    stamp.finish()
}
