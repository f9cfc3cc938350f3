//! The inputs of `head` and `tail`, each below a heading with its name where there are several.

use super::operands::OperandError;
use super::options::options;
use crate::memory::{IntoIter, JoinMetered};
use crate::text::Text;
use crate::utility::format::quote::quote_name;
use crate::utility::{Context, ExitStatus, Input, OptionSet, Options, UtilityError};

options! {
    pub(in crate::utility) enum HeadingOpt {
        Quiet = flag('q', "quiet", "never print headers giving file names")
            | flag('\0', "silent", "the same as --quiet"),
        Verbose = flag('v', "verbose", "always print headers giving file names"),
    }
}

/// The operands that are left.
pub(in crate::utility) struct Headings {
    operands: IntoIter<Text>,
    are_shown: bool,
    is_first: bool,
    /// 1 when an input could not be read.
    pub(in crate::utility) status: ExitStatus,
}

impl Headings {
    pub(in crate::utility) fn new<O: OptionSet + From<HeadingOpt>>(
        ctx: &Context,
        options: &Options<O>,
    ) -> Self {
        let operands = ctx.inputs(&options.operands);
        let are_shown = match options.last_of([HeadingOpt::Quiet, HeadingOpt::Verbose]) {
            Some(option) => option == HeadingOpt::Verbose,
            None => operands.len() > 1,
        };
        Self { operands: operands.into_iter(), are_shown, is_first: true, status: ExitStatus::SUCCESS }
    }

    /// The next input that can be opened, and its name; its heading is printed. Those that cannot be are reported.
    pub(in crate::utility) async fn next(
        &mut self,
        ctx: &mut Context,
    ) -> Result<Option<(Text, Input)>, UtilityError> {
        for operand in self.operands.by_ref() {
            let input = ctx.open_input(&operand);
            let is_standard_input = operand.as_bytes() == b"-";
            let name = if is_standard_input { Text::from_static(b"standard input") } else { operand };
            match input {
                Ok(input) => {
                    if self.are_shown {
                        let gap: &[u8] = if self.is_first { b"" } else { b"\n" };
                        ctx.stdout.write(&[gap, b"==> ", &name, b" <==\n"].concat_metered()).await?;
                    }
                    self.is_first = false;
                    return Ok(Some((name, input)));
                }
                Err(error) => {
                    let errno = OperandError::from(error).errno()?;
                    let shown = quote_name(&name);
                    self.status =
                        ctx.warn(format_args!("cannot open {shown} for reading: {}", errno.message()));
                }
            }
        }
        Ok(None)
    }

    /// Reports that an input could not be read to its end.
    pub(in crate::utility) fn failed(
        &mut self,
        ctx: &mut Context,
        name: &[u8],
        error: OperandError,
    ) -> Result<(), UtilityError> {
        let errno = error.errno()?;
        self.status = ctx.warn(format_args!("error reading {}: {}", quote_name(name), errno.message()));
        Ok(())
    }
}
