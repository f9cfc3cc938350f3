//! A command that takes the place of the utility that was asked to run it: `nice`, `setsid`, `flock`.

use crate::memory::{String, format};
use crate::text::Text;
use crate::utility::{CommandError, CommandRequest, Context, ExitStatus, Relation, UtilityError};

impl Context {
    /// Runs a command in this utility's place, and gives its status. Where it cannot be run, `words` says so of its name,
    /// and the status is 126, or 127 where there is none.
    pub(in crate::utility) async fn stand_in(
        &mut self,
        request: CommandRequest,
        words: impl FnOnce(&[u8]) -> String,
    ) -> Result<ExitStatus, UtilityError> {
        let name = request.argv.first().cloned().unwrap_or(Text::EMPTY);
        self.stdout.flush().await?;
        match self.start_command(request, Relation::StandIn).await {
            Ok(status) => Ok(status),
            Err(CommandError::Limit(limit)) => Err(limit.into()),
            Err(error) => {
                let status = if error == CommandError::NotFound { 127 } else { 126 };
                Err(UtilityError::Failed { message: format!("{}: {error}", words(&name)), status })
            }
        }
    }
}
