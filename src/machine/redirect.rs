//! Redirections: the descriptor table is changed, and what was there before is kept to be put back. Bash manual 3.6.

use super::expansion::{Expansion, SavedDescriptor};
use super::frame::Frame;
use super::halt::Step;
use super::option::ShellOption;
use super::pending::Pending;
use super::process::Process;
use super::run::Run;
use super::shell::{Shell, State};
use crate::io::{Description, OpenedPath};
use crate::memory::{Arc, ToDecimal, Vec};
use crate::program::{Index, Pc, Program, RedirectionOperator, RedirectionReference};
use crate::syntax::ast::RedirectionDescriptor;
use crate::text::Text;
use crate::vfs::{Errno, FsError, OpenOptions};

/// Why a redirection failed; the command is not run, its status is 1.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum RedirectionError {
    #[error("{}: {}", .0, .1.message())]
    File(Text, Errno),
    #[error("{0}: ambiguous redirect")]
    Ambiguous(Text),
    #[error("{0}: cannot overwrite existing file")]
    NoClobber(Text),
    #[error("{0}: Bad file descriptor")]
    BadDescriptor(Text),
    #[error("{0}: cannot assign fd to variable")]
    Variable(Text),
    #[error("{0}: restricted: cannot redirect output")]
    Restricted(Text),
    #[error(transparent)]
    Limit(#[from] crate::limit::LimitError),
}

impl super::error::Message for RedirectionError {}

impl RedirectionError {
    /// What the shell itself refuses is told with the name of `{name}>file`.
    fn of_variable(self, descriptor: &RedirectionDescriptor) -> Self {
        match (self, descriptor) {
            (Self::NoClobber(_), RedirectionDescriptor::Variable(name)) => Self::NoClobber(name.clone()),
            (Self::Restricted(_), RedirectionDescriptor::Variable(name)) => Self::Restricted(name.clone()),
            (Self::Ambiguous(_), RedirectionDescriptor::Variable(name)) => Self::Ambiguous(name.clone()),
            (error, _) => error,
        }
    }
}

impl State {
    /// Puts descriptors back, the last change first.
    pub(crate) fn restore_descriptors(&mut self, saved: Vec<SavedDescriptor>) {
        for (number, description) in saved.into_iter().rev() {
            let _ = self.descriptors.replace(number, description);
        }
    }

    fn open_for(
        &mut self,
        run: &mut Run,
        path: &Text,
        operator: RedirectionOperator,
    ) -> Result<Arc<Description>, RedirectionError> {
        if operator != RedirectionOperator::Read && self.options.has(ShellOption::RestrictedShell) {
            return Err(RedirectionError::Restricted(path.clone()));
        }
        let mode = 0o666 & !self.umask;
        let options = match operator {
            RedirectionOperator::Read => OpenOptions { read: true, ..OpenOptions::default() },
            RedirectionOperator::ReadWrite => {
                OpenOptions { read: true, write: true, create: true, mode, ..OpenOptions::default() }
            }
            RedirectionOperator::Append | RedirectionOperator::BothAppend => {
                OpenOptions { write: true, append: true, create: true, mode, ..OpenOptions::default() }
            }
            _ => OpenOptions { write: true, create: true, truncate: true, mode, ..OpenOptions::default() },
        };
        if matches!(operator, RedirectionOperator::Write | RedirectionOperator::BothWrite)
            && self.options.has(ShellOption::NoClobber)
        {
            let absolute = self.absolute(&run.services.session.fs, path);
            if run.services.session.fs.metadata(&absolute).is_ok_and(|metadata| metadata.is_regular()) {
                return Err(RedirectionError::NoClobber(path.clone()));
            }
        }
        if self.descriptors.lowest_for_script(0).is_none() {
            return Err(RedirectionError::File(path.clone(), Errno::TooManyOpen));
        }
        self.open_path(run, path, &options).map_err(|error| match error {
            FsError::Errno(errno) => RedirectionError::File(path.clone(), errno),
            FsError::Limit(limit) => {
                RedirectionError::Limit(run.services.meter.fail_with(limit.limit, limit.allowed))
            }
        })
    }

    /// Opens a path as the shell sees it: `/dev/fd/N` is descriptor N.
    pub(crate) fn open_path(
        &self,
        run: &Run,
        path: &[u8],
        options: &OpenOptions,
    ) -> Result<Arc<Description>, FsError> {
        if path.is_empty() {
            return Err(Errno::NotFound.into());
        }
        let session = &run.services.session;
        let absolute = self.absolute(&session.fs, path);
        match Description::open(&session.fs, &session.fifos, &session.random, &absolute, options)? {
            OpenedPath::Description(description) => Ok(description),
            OpenedPath::Descriptor(number) => {
                let description = self.descriptors.get(number).cloned().ok_or(Errno::NotFound)?;
                // `read -t 1 <> <(:)` waits for what nobody writes.
                let both = (options.read && options.write).then(|| description.with_both_ends()).flatten();
                Ok(both.unwrap_or(description))
            }
        }
    }
}

impl Expansion {
    /// Makes one redirection. After a failure the others are not made, and the command is not run.
    pub(crate) fn redirect(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        program: &Program,
        index: Index,
    ) -> Step {
        let Some(reference) = program.redirections.get(index as usize) else { return Ok(()) };
        if self.failed {
            self.builder.take_fields();
            return Ok(());
        }
        match self.make_redirection(shell, run, reference)? {
            Ok(()) => {}
            Err(RedirectionError::Limit(limit)) => return Err(limit.into()),
            Err(error) => {
                shell.report(error.of_variable(&reference.descriptor));
                self.failed = true;
            }
        }
        Ok(())
    }

    fn make_redirection(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        reference: &RedirectionReference,
    ) -> Step<Result<(), RedirectionError>> {
        use RedirectionOperator as Operator;
        let target = match reference.operator {
            Operator::Ambiguous => return Ok(Err(RedirectionError::Ambiguous(reference.source.clone()))),
            Operator::HereDocument => {
                let text = self.builder.take_text();
                return Ok(self.install(shell, run, reference, 0, Description::memory(text)));
            }
            Operator::HereString => {
                let mut text = self.builder.take_text();
                text.push_bytes(b"\n");
                return Ok(self.install(shell, run, reference, 0, Description::memory(text)));
            }
            _ => match self.redirection_target(shell, run, &reference.source)? {
                Ok(target) => target,
                Err(error) => return Ok(Err(error)),
            },
        };
        Ok(match reference.operator {
            Operator::DuplicateInput | Operator::DuplicateOutput => {
                self.duplicate(shell, run, reference, &target)
            }
            Operator::BothWrite | Operator::BothAppend => {
                self.redirect_both(shell, run, &target, reference.operator == Operator::BothAppend)
            }
            operator => {
                let default = u32::from(!matches!(operator, Operator::Read | Operator::ReadWrite));
                match shell.state.open_for(run, &target, operator) {
                    Ok(description) => {
                        self.await_other_side(&description);
                        self.install(shell, run, reference, default, description)
                    }
                    Err(error) => Err(error),
                }
            }
        })
    }

    /// A FIFO is open once its other side is: the command waits for that.
    fn await_other_side(&mut self, description: &Arc<Description>) {
        if description.has_sides() {
            self.pending = Some(Pending::Open(Arc::clone(description)));
        }
    }

    /// The one field that a target must expand to.
    fn redirection_target(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        source: &Text,
    ) -> Step<Result<Text, RedirectionError>> {
        let fields = std::mem::take(&mut self.fields);
        let step = self.end_field(shell, run);
        let mut target = std::mem::replace(&mut self.fields, fields);
        step?;
        Ok(match (target.pop(), target.is_empty()) {
            (Some(field), true) => Ok(field),
            _ => Err(RedirectionError::Ambiguous(source.clone())),
        })
    }

    /// Puts a description at the redirection's descriptor.
    fn install(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        reference: &RedirectionReference,
        default: u32,
        description: Arc<Description>,
    ) -> Result<(), RedirectionError> {
        match &reference.descriptor {
            RedirectionDescriptor::Default => self.put(shell, default, Some(description)),
            RedirectionDescriptor::Number(number) => self.put(shell, *number, Some(description)),
            RedirectionDescriptor::Variable(name) => {
                let Some(number) = shell.state.descriptors.lowest_for_script(10) else {
                    return Err(RedirectionError::Variable(name.clone()));
                };
                // It stays open after the command.
                let replaced = shell.state.descriptors.replace(number, Some(description));
                if replaced.is_err() || shell.set_descriptor_variable(run, name, number).is_err() {
                    let _ = shell.state.descriptors.replace(number, None);
                    return Err(RedirectionError::Variable(name.clone()));
                }
                if shell.state.options.has(ShellOption::VarRedirClose) {
                    self.redirections.push((number, None));
                }
                Ok(())
            }
        }
    }

    fn put(
        &mut self,
        shell: &mut Shell,
        number: u32,
        description: Option<Arc<Description>>,
    ) -> Result<(), RedirectionError> {
        let bad = || RedirectionError::BadDescriptor(Text::from(number.to_decimal()));
        if description.is_some() && !shell.state.descriptors.can_open(number) {
            return Err(bad());
        }
        match shell.state.descriptors.replace(number, description) {
            Ok(before) => {
                self.redirections.push((number, before));
                Ok(())
            }
            Err(()) => Err(bad()),
        }
    }

    fn redirect_both(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        target: &Text,
        append: bool,
    ) -> Result<(), RedirectionError> {
        let operator = if append { RedirectionOperator::BothAppend } else { RedirectionOperator::BothWrite };
        let description = shell.state.open_for(run, target, operator)?;
        self.await_other_side(&description);
        self.put(shell, 1, Some(Arc::clone(&description)))?;
        self.put(shell, 2, Some(description))
    }

    /// `n<&word`, `n>&word`.
    fn duplicate(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        reference: &RedirectionReference,
        target: &Text,
    ) -> Result<(), RedirectionError> {
        let output = reference.operator == RedirectionOperator::DuplicateOutput;
        let default = u32::from(output);
        if target.as_bytes() == b"-" {
            return self.close(shell, run, reference, default);
        }
        if target.is_empty() {
            return Err(RedirectionError::BadDescriptor(match reference.descriptor {
                RedirectionDescriptor::Number(number) if number != default => Text::from(number.to_decimal()),
                _ => reference.source.clone(),
            }));
        }
        let (digits, moves) = match target.as_bytes() {
            [digits @ .., b'-'] if !digits.is_empty() => (digits, true),
            digits => (digits, false),
        };
        let number: Option<u32> = std::str::from_utf8(digits)
            .ok()
            .filter(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
            .and_then(|digits| digits.parse().ok());
        let Some(number) = number else {
            if output
                && matches!(
                    reference.descriptor,
                    RedirectionDescriptor::Default | RedirectionDescriptor::Number(1)
                )
            {
                return self.redirect_both(shell, run, target, false);
            }
            return Err(RedirectionError::Ambiguous(target.clone()));
        };
        let Some(description) = shell.state.descriptors.get(number).cloned() else {
            return Err(RedirectionError::BadDescriptor(reference.source.clone()));
        };
        self.install(shell, run, reference, default, description)?;
        if moves {
            // Bash does not put this one back after the command.
            let _ = shell.state.descriptors.replace(number, None);
        }
        Ok(())
    }

    fn close(
        &mut self,
        shell: &mut Shell,
        run: &mut Run,
        reference: &RedirectionReference,
        default: u32,
    ) -> Result<(), RedirectionError> {
        let number = match &reference.descriptor {
            RedirectionDescriptor::Default => default,
            RedirectionDescriptor::Number(number) => *number,
            RedirectionDescriptor::Variable(name) => {
                let target = shell.parse_reference(run, name).ok().flatten();
                let text = target.and_then(|target| shell.target_text(run, &target));
                let value = text.and_then(|text| super::variable::plain_integer(&text));
                let Some(number) = value.and_then(|value| u32::try_from(value).ok()) else {
                    return Err(RedirectionError::Ambiguous(name.clone()));
                };
                let _ = shell.state.descriptors.replace(number, None);
                return Ok(());
            }
        };
        self.put(shell, number, None)
    }
}

impl Process {
    /// A compound command's redirections are made, or one failed.
    pub(crate) fn redirections_ready(&mut self, end: Pc) {
        let saved = std::mem::take(&mut self.x.redirections);
        if std::mem::take(&mut self.x.failed) {
            self.shell.state.restore_descriptors(saved);
            self.shell.state.set_status(1);
            self.shell.code.pc = end;
        } else {
            self.control.frames.push(Frame::Redirections(saved));
        }
    }

    /// The compound command is over.
    pub(crate) fn end_redirections(&mut self) {
        if let Some(frame) = self.control.frames.pop() {
            self.undo(frame);
        }
    }
}
