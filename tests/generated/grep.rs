//! Random calls of grep.

use super::random::Random;
use super::{Call, Tool};

pub(crate) const TOOL: Tool = Tool { name: "grep", generate, known: &[] };

fn generate(random: &mut Random) -> Call {
    let pattern = random.pick(&["a", "^b", "c$", "a*", "[ab]", "\\(a\\)b"]);
    let mut call = Call { stdin: random.pick(&["", "a b c\n", "a\nb\nc"]).into(), ..Call::default() };
    call.argument(random.pick(&["-n", "-o", "-c", "-v"])).argument(pattern);
    call
}
