//! `sort -c` and `-C`: is the input sorted?

use super::option::{TROUBLE, read_failed, trouble};
use super::order::compare_lines_paced;
use super::settings::{Check, SortOptions};
use crate::memory::{JoinMetered, String, Vec, format};
use crate::utility::context::pace::append;
use crate::utility::prelude::*;

/// Exit status: 0 sorted, 1 not.
pub(super) async fn run(
    ctx: &mut Context,
    settings: &SortOptions,
    inputs: &[Text],
) -> Result<ExitStatus, UtilityError> {
    let Some(operand) = inputs.first() else { return Ok(ExitStatus::SUCCESS) };
    if let Some(extra) = inputs.get(1) {
        let letter = if settings.check == Check::Report { 'c' } else { 'C' };
        let message = format!("extra operand {} not allowed with -{letter}", quote_operand(extra));
        return Err(UtilityError::Failed { message, status: TROUBLE });
    }
    let mut input = ctx.open_input(operand).map_err(|error| trouble("open failed", operand, error))?;
    let mut previous = Vec::new();
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
            let order = compare_lines_paced(&ctx.meter, settings, &previous, line).await?;
            if order.is_gt() || (settings.unique && order.is_eq()) {
                if settings.check == Check::Report {
                    let start =
                        format!("{}: {}:{number}: disorder: ", ctx.name, String::from_utf8_lossy(operand));
                    ctx.stderr.write(&[start.as_bytes(), line, b"\n"].concat_metered()).await?;
                }
                return Ok(ExitStatus::FAILURE);
            }
        }
        previous.clear();
        append(&ctx.meter, &mut previous, line).await?;
    }
}
