//! Who makes commits: `GIT_AUTHOR_*`, `GIT_COMMITTER_*`, `user.name` and `user.email`; and when.

use super::Git;
use super::error::{GitError, Result, fatal};
use crate::memory::{JoinMetered, ToMetered, Vec, format};
use crate::utility::format::time_format::{Zone, timestamp};

/// In which role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Who {
    Author,
    Committer,
}

/// Bytes that names and addresses do not begin or end with.
fn is_crud(byte: u8) -> bool {
    byte <= 32 || b".,:;<>\"\\'".contains(&byte)
}

fn cleaned(text: &[u8]) -> Vec<u8> {
    let start = text.iter().position(|byte| !is_crud(*byte)).unwrap_or(text.len());
    let end = text.iter().rposition(|byte| !is_crud(*byte)).map_or(start, |last| last + 1);
    let kept = text.get(start..end).unwrap_or(&[]);
    kept.iter().copied().filter(|byte| !b"\n<>".contains(byte)).collect()
}

const ADVICE: &str = "\n*** Please tell me who you are.\n\nRun\n\n  git config --global user.email \"you@example.com\"\n  \
git config --global user.name \"Your Name\"\n\nto set your account's default identity.\nOmit --global to set the identity \
only in this repository.\n\n";

impl Git {
    /// Seconds since the epoch, by the session's clock.
    pub(crate) fn now(&self) -> i64 {
        self.ctx.session.clock.now().as_secs() as i64
    }

    pub(crate) fn zone(&self) -> Zone {
        Zone::of(&self.ctx.env)
    }

    /// The local time zone at a moment, as `+hhmm`.
    pub(crate) fn zone_at(&self, seconds: i64) -> i32 {
        let moment =
            jiff::Timestamp::from_second(seconds).unwrap_or_else(|_| timestamp(std::time::Duration::ZERO));
        let minutes = self.zone().at(moment).offset().seconds() / 60;
        minutes / 60 * 100 + minutes % 60
    }

    /// `Name <email> seconds zone`
    ///
    /// # Errors
    /// Git's words where nobody said who it is.
    pub(crate) fn who(&self, who: Who) -> Result<Vec<u8>> {
        let (role, upper) = match who {
            Who::Author => ("author", "AUTHOR"),
            Who::Committer => ("committer", "COMMITTER"),
        };
        let get = |what: &str| {
            let variable = format!("GIT_{upper}_{what}");
            let key = if what == "NAME" { "name" } else { "email" };
            let own = self.ctx.env.get(variable.as_bytes()).filter(|value| !value.is_empty());
            own.map(|value| value.to_metered())
                .or_else(|| self.config.get(&format!("{role}.{key}")).map(ToMetered::to_metered))
                .or_else(|| self.config.get(&format!("user.{key}")).map(ToMetered::to_metered))
        };
        let email = get("EMAIL").or_else(|| self.variable("EMAIL").map(|email| email.to_metered()));
        let user = &self.ctx.session.identity.user;
        let host = &self.ctx.session.identity.host;
        let Some(email) = email else {
            let shown = bstr::BStr::new(user.as_bytes());
            return Err(GitError::Plain(
                format!(
                    "{}{ADVICE}fatal: unable to auto-detect email address (got '{shown}@{host}.(none)')\n",
                    if who == Who::Author {
                        "Author identity unknown\n"
                    } else {
                        "Committer identity unknown\n"
                    }
                ),
                128,
            ));
        };
        let name = get("NAME").unwrap_or_else(|| user.to_metered());
        let (name, email) = (cleaned(&name), cleaned(&email));
        if name.is_empty() {
            return Err(fatal!("empty ident name (for <{}>) not allowed", bstr::BStr::new(&email)));
        }
        let (seconds, zone) = match self.variable(&format!("GIT_{upper}_DATE")) {
            Some(text) => match super::date::parse_exact(text, self) {
                Some(moment) => moment,
                None => return Err(fatal!("invalid date format: {text}")),
            },
            None => (self.now(), self.zone_at(self.now())),
        };
        let when = format!("> {seconds} {}{:04}", if zone < 0 { '-' } else { '+' }, zone.abs());
        Ok([&name[..], b" <", &email, when.as_bytes()].concat_metered())
    }
}
