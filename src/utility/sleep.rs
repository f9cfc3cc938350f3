//! `sleep`: waits. GNU coreutils sleep(1): several operands, fractions, units.

use super::format::quote::quote;
use super::format::time_interval;
use crate::memory::format;
use crate::utility::prelude::*;
use std::time::Duration;

pub(super) const UTILITY: Utility = Utility {
    name: "sleep",
    summary: "pause for NUMBER seconds, minutes (m), hours (h) or days (d), added up",
    usage: "sleep NUMBER[SUFFIX]...",
    examples: &[example("sleep 0 0.01s; echo awake", "awake\n")],
    run: start!(run),
    ..Utility::BASE
};

async fn run(ctx: &mut Context) -> Result<ExitStatus, UtilityError> {
    let options = ctx.parse_options::<NoOption>(&UTILITY)?;
    if options.operands.is_empty() {
        return Err(UtilityError::Usage("missing operand".into()));
    }
    let mut total = Duration::ZERO;
    let mut last_error = None;
    for operand in &options.operands {
        match time_interval::parse(operand) {
            Some(interval) => total = total.saturating_add(interval),
            None => {
                if let Some(message) = last_error.replace(format!("invalid time interval {}", quote(operand)))
                {
                    ctx.warn(message);
                }
            }
        }
    }
    if let Some(message) = last_error {
        return Err(UtilityError::Usage(message));
    }
    ctx.sleep(total).await;
    Ok(ExitStatus::SUCCESS)
}

#[cfg(test)]
mod tests {
    use crate::utility::context::testing::Fixture;
    use std::time::Duration;

    #[test]
    fn adds_up_its_operands() {
        let fixture = Fixture::new(&[]);
        let before = fixture.session.clock.now();
        assert_eq!(fixture.run("sleep", &["1m", "0.5"], b"").status, 0);
        assert_eq!(fixture.session.clock.now().checked_sub(before), Some(Duration::from_millis(60_500)));
    }

    #[test]
    fn every_wrong_operand_is_named() {
        let outcome = Fixture::new(&[]).run("sleep", &["1x", "2", "-"], b"");
        assert_eq!(
            outcome.stderr,
            "sleep: invalid time interval ‘1x’\nsleep: invalid time interval ‘-’\n\
             Try 'sleep --help' for more information.\n"
        );
    }
}
