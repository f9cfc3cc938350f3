//! Tilde expansion. Bash manual 3.5.2.

use super::super::name;
use super::super::run::Run;
use super::super::shell::{Shell, State};
use crate::memory::JoinMetered;
use crate::text::Text;

impl State {
    /// `~N`, `~+N`, `~-N`: an entry of the directory stack.
    fn stack_directory(&self, prefix: &[u8]) -> Option<Text> {
        let (from_end, digits) = match prefix {
            [b'-', digits @ ..] => (true, digits),
            [b'+', digits @ ..] => (false, digits),
            digits => (false, digits),
        };
        let number: usize = std::str::from_utf8(digits).ok()?.parse().ok()?;
        let count = self.directories.len() + 1;
        let index = if from_end { count.checked_sub(number + 1)? } else { number };
        match index {
            0 => Some(self.cwd.clone()),
            index => self.directories.get(index - 1).cloned(),
        }
    }
}

impl Shell {
    /// The directory that `~prefix` stands for, or the text unchanged.
    pub(crate) fn tilde(&mut self, run: &mut Run, prefix: &[u8]) -> Text {
        let found = match prefix {
            b"" => match self.scalar(run, name::HOME) {
                Some(home) => Some(home),
                None => home_of(run, &run.services.session.identity.user),
            },
            b"+" => self.scalar(run, name::PWD),
            b"-" => self.scalar(run, name::OLDPWD),
            [sign, digits @ ..]
                if (matches!(sign, b'+' | b'-') || sign.is_ascii_digit())
                    && digits.iter().all(u8::is_ascii_digit) =>
            {
                self.state.stack_directory(prefix)
            }
            user => home_of(run, user),
        };
        found.unwrap_or_else(|| Text::from([b"~".as_slice(), prefix].concat_metered()))
    }
}

/// The home directory of a user in the session's `/etc/passwd`.
fn home_of(run: &Run, user: &[u8]) -> Option<Text> {
    let passwd = run.services.session.fs.read(b"/etc/passwd").ok()?;
    let line = passwd
        .as_bytes()
        .split(|&byte| byte == b'\n')
        .find(|line| line.strip_prefix(user).is_some_and(|rest| rest.first() == Some(&b':')))?;
    line.split(|&byte| byte == b':').nth(5).map(Text::from)
}
