//! `sort -c` and `-C`: is the input sorted?

use super::order::compare_lines;
use super::settings::{Check, Settings};
use super::{read_failed, trouble};
use crate::utility::prelude::*;

/// Exit status: 0 sorted, 1 not.
pub(super) async fn run(
    ctx: &mut Context,
    settings: &Settings,
    inputs: &[Text],
) -> Result<ExitStatus, UtilityError> {
    let Some(operand) = inputs.first() else { return Ok(ExitStatus::SUCCESS) };
    let mut input = ctx.open_input(operand).map_err(|error| trouble("cannot read", operand, error))?;
    let mut previous = ChargedVec::new(&ctx.meter);
    let mut number = 0_u64;
    loop {
        ctx.tick().await?;
        let line = match input.next_line(settings.delimiter).await {
            Ok(None) => return Ok(ExitStatus::SUCCESS),
            Ok(Some(line)) => split_delimiter(line, settings.delimiter).0,
            Err(error) => return Err(read_failed(operand, error.into())),
        };
        number += 1;
        if number > 1 {
            let order = compare_lines(settings, &previous, line);
            if order.is_gt() || (settings.unique && order.is_eq()) {
                if settings.check == Check::Report {
                    let start = format!("{}: {}:{number}: disorder: ", ctx.name, quote_name(operand));
                    ctx.stderr.write(&[start.as_bytes(), line, b"\n"].concat()).await?;
                }
                return Ok(ExitStatus::FAILURE);
            }
        }
        previous.clear();
        previous.extend(line)?;
    }
}
