//! Random sed scripts.

use super::random::Random;
use super::{Call, Tool};

pub(crate) const TOOL: Tool = Tool { name: "sed", generate, known: &[] };

fn generate(random: &mut Random) -> Call {
    let program = random.pick(&["p", "s/a/b/", "1d", "$!N;P;D", "/a/,/b/d", "y/ab/ba/"]);
    let mut call = Call { stdin: random.pick(&["", "a b c\n", "a\nb\nc"]).into(), ..Call::default() };
    call.argument(program);
    call
}
