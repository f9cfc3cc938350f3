//! Random awk programs.

use super::random::Random;
use super::{Call, Tool};

pub(crate) const TOOL: Tool = Tool { name: "awk", generate, known: &[] };

fn generate(random: &mut Random) -> Call {
    let program =
        random.pick(&["{ print $1 }", "NF", "END { print NR }", "{ $3 = \"x\"; print NF, $0 }", "/a/"]);
    let mut call = Call { stdin: random.pick(&["", "a b c\n", "1 2\n3 4\n"]).into(), ..Call::default() };
    call.argument(program);
    if random.once_in(3) {
        call.file("f", "a\nb c\n").argument("f");
    }
    call
}
