//! Random jq programs.

use super::random::Random;
use super::{Call, Tool};

pub(crate) const TOOL: Tool = Tool { name: "jq", generate, known: &[] };

fn generate(random: &mut Random) -> Call {
    let program = random.pick(&[".", ".a", ".a[]?", "keys", "length", "tojson", ".[0]", "map(.)", "add"]);
    let mut call =
        Call { stdin: random.pick(&["null", "[1,2]", "{\"a\":[1]}", "\"x\""]).into(), ..Call::default() };
    call.argument("-c").argument(program);
    call
}
