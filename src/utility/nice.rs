//! `nice`: runs a command with another niceness. POSIX XCU nice, GNU coreutils nice(1). All of a run's processes have their turns
//! one after another: niceness is checked and changes nothing.

use super::format::quote::quote;
use crate::memory::{Vec, format};
use crate::utility::prelude::*;

options! {
    enum Opt {
        Adjustment = value('n', "adjustment", "N", "add integer N to the niceness (default 10)"),
    }
}

pub(super) const UTILITY: Utility = Utility {
    name: "nice",
    summary: "run COMMAND with an adjusted niceness",
    usage: "nice [OPTION] [COMMAND [ARG]...]",
    options: Opt::TABLE,
    examples: &[example("nice -n 5 echo a", "a\n"), example("nice", "0\n")],
    usage_status: 125,
    operands_end_options: true,
    run: start!(run),
    ..Utility::BASE
};

/// Exit status: the command's; 125 when `nice` fails, 126 when the command cannot be run, 127 when there is none.
async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let args = std::mem::take(&mut ctx.args);
    ctx.args = with_letters(args);
    let options = ctx.parse_options::<Opt>(&UTILITY)?;
    if let Some(text) = options.value(Opt::Adjustment) {
        let digits = text.strip_prefix(b"-").or_else(|| text.strip_prefix(b"+")).unwrap_or(text);
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
            let message = format!("invalid adjustment {}", quote(text));
            return Err(UtilityError::Failed { message, status: 125 });
        }
        if options.operands.is_empty() {
            return Err(UtilityError::Usage("a command must be given with an adjustment".into()));
        }
    }
    if options.operands.is_empty() {
        ctx.stdout.write(b"0\n").await?;
        return Ok(ExitStatus::SUCCESS);
    }
    let request = ctx.command(options.operands);
    ctx.stand_in(request, quote).await
}

/// `-5`, `--5` and `-+5` are the old forms of `-n 5`, `-n -5` and `-n 5`.
fn with_letters(args: Vec<Text>) -> Vec<Text> {
    let mut out = Vec::with_capacity(args.len());
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        let is_old = match arg.as_bytes() {
            [b'-', b'-' | b'+', digit, ..] => digit.is_ascii_digit(),
            [b'-', digit, ..] => digit.is_ascii_digit(),
            _ => false,
        };
        if is_old {
            out.push(Text::from_static(b"-n"));
            out.push(Text::from(arg.get(1..).unwrap_or(&[])));
            continue;
        }
        let takes_argument = matches!(arg.as_bytes(), b"-n" | b"--adjustment");
        let is_operand = !arg.starts_with(b"-");
        out.push(arg);
        if takes_argument {
            out.extend(args.next());
        }
        if is_operand {
            break;
        }
    }
    out.extend(args);
    out
}
