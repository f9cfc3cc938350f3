//! The targets, by name. Each takes the fuzzer's bytes and panics when something that must hold does not; what a script says
//! and with which status it ends is its own affair.
//!
//! An input of several parts has lines `%%` between them, so that seeds are texts that a person can read and write.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a finding is a panic")]
#![allow(unreachable_pub, reason = "a test of the parent includes this as a module of its own")]

mod archive;
mod event;
mod expression;
mod fixture;
mod git;
mod hook;
mod network;
mod session;
mod shell;
mod tool;

pub use archive::archive;
pub use event::{output, payload};
pub use expression::{arithmetic, format, pattern, regex};
pub use fixture::fixture;
pub use git::git;
pub use hook::{cel, config, template};
pub use network::network;
pub use shell::{run, shell_parser};
pub use tool::{awk, grep, jq, sed, utility};

/// A target: its name and what it does with an input.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: &[Target] = &[
    ("shell_parser", shell_parser),
    ("run", run),
    ("utility", utility),
    ("jq", jq),
    ("awk", awk),
    ("sed", sed),
    ("grep", grep),
    ("regex", regex),
    ("pattern", pattern),
    ("arithmetic", arithmetic),
    ("format", format),
    ("cel", cel),
    ("template", template),
    ("config", config),
    ("payload", payload),
    ("output", output),
    ("fixture", fixture),
    ("git", git),
    ("archive", archive),
    ("network", network),
];

/// Longest input that a target looks at, in bytes. More of the same finds nothing new.
const LONGEST: usize = 8 << 10;

/// The parts of an input; those that it does not have are empty.
fn parts<const N: usize>(data: &[u8]) -> [&[u8]; N] {
    const LINE: &[u8] = b"\n%%\n";
    let mut rest = data.get(..LONGEST).unwrap_or(data);
    // What a script of ours says when it finds something is not for an input to say.
    if rest.windows(6).any(|window| window == b"wrong:") {
        rest = &[];
    }
    std::array::from_fn(|_| match rest.windows(LINE.len()).position(|window| window == LINE) {
        Some(at) => {
            let (part, after) = rest.split_at(at);
            rest = &after[LINE.len()..];
            part
        }
        None => std::mem::take(&mut rest),
    })
}
