//! `shift`. Bash manual 4.1.

use super::context::ShellContext;
use super::error::BuiltinError;
use super::options;
use super::row::{Act, Builtin, Flow};
use crate::machine::halt::Halt;
use crate::machine::option::ShellOption;

pub(super) static SHIFT: Builtin = Builtin {
    name: "shift",
    special: true,
    synopsis: "shift [n]",
    help: "Shift positional parameters.",
    options: &[],
    act: Act::Shell(shift),
};

fn shift(ctx: &mut ShellContext<'_>) -> Result<Flow, BuiltinError> {
    let operands = ctx.plain_operands();
    let count = match operands {
        [] => 1,
        [count] => options::number(count).ok_or_else(|| BuiltinError::NumberRequired(count.clone()))?,
        _ => {
            ctx.complain(BuiltinError::TooManyArguments);
            return Err(Halt::Abandon(1).into());
        }
    };
    let shown = operands.first().cloned().unwrap_or_default();
    let Ok(count) = usize::try_from(count) else { return Err(BuiltinError::ShiftCount(shown)) };
    if ctx.shell.state.positional.shift(count) {
        return Ok(Flow::Status(0));
    }
    if ctx.shell.state.options.has(ShellOption::ShiftVerbose) {
        return Err(BuiltinError::ShiftCount(shown));
    }
    Ok(Flow::Status(1))
}

#[cfg(test)]
mod tests {
    use super::super::context::testing::TestShell;
    use crate::machine::shell::Positional;
    use crate::memory::Vec;
    use crate::text::Text;

    #[test]
    fn parameters_are_shifted_or_none_is() {
        let mut shell = TestShell::new();
        let args: Vec<Text> = ["a", "b", "c"].iter().map(|arg| Text::from(*arg)).collect();
        shell.shell.state.positional = Positional::new(args);
        assert_eq!(shell.run(&["shift", "2"]), (String::new(), 0));
        assert_eq!(shell.shell.state.positional.as_slice(), [Text::from("c")]);
        // bash 5.2: shift 2 with one parameter says nothing and gives 1.
        assert_eq!(shell.run(&["shift", "2"]), (String::new(), 1));
        assert_eq!(shell.run(&["shift", "-1"]), ("shift: -1: shift count out of range\n".into(), 1));
        assert_eq!(shell.run(&["shift", "x"]), ("shift: x: numeric argument required\n".into(), 1));
    }
}
