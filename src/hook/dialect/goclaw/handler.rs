//! What each handler gets (3 of the contract), and what is settled before anything runs: editions, the breaker, the SSRF
//! guard, caps, remembered decisions and budgets end here as answers that are known already.

use super::chain::GoclawChain;
use super::flight::Flight;
use super::handler_kind::HandlerKind;
use super::output::{self, Decided, GoclawAnswer, Way};
use super::prompt;
use super::redact::redact;
use super::shared::{Gate, ScriptPlace};
use crate::hook::contract::{Delivery, Work};
use crate::hook::dialect::goclaw::config::record::{HandlerConfig, Native, Row};
use crate::hook::dialect::goclaw::config::settings::Edition;
use crate::hook::hooks::Hook;
use crate::hook::request::{BuiltinRequest, HttpRequest, Request};
use crate::hook::script::{Ended, ScriptOutcome};
use crate::hook::word::Word;
use crate::network::{AddressPolicy, Refusal, Url};
use crate::text::Text;
use crate::utility::Environment;
use crate::vfs::{FileKind, path};
use serde_json::json;

/// First part of an HTTP answer that is read, in bytes.
const BODY_CAP: u64 = 1 << 20;

/// How a hook starts.
struct Start {
    way: Way,
    work: Work,
    stdin: Text,
    place: Option<ScriptPlace>,
}

impl Start {
    fn known(answer: GoclawAnswer) -> Self {
        let work = Work::Known(Box::new(ScriptOutcome::exited(0, "", "")));
        Self { way: Way::Known(Box::new(answer)), work, stdin: Text::default(), place: None }
    }

    fn ask(way: Way, request: Request) -> Self {
        Self { way, work: Work::Ask(request), stdin: Text::default(), place: None }
    }
}

impl GoclawChain<'_> {
    /// Starts a hook; its time is what is left of the chain's, where the chain has a bound.
    pub(super) fn start(&mut self, index: usize, hook: &Hook, row: &Row) -> Result<Delivery, Ended> {
        let timeout = self.time_left().map_or(hook.timeout, |left| left.min(hook.timeout));
        let start = self.prepare(hook, row);
        let no_directory = matches!(start.way, Way::Command).then(|| self.missing_directory(hook)).flatten();
        self.flights.insert(index, Flight { timeout, way: start.way, _place: start.place });
        if let Some(why) = no_directory {
            return Err(Ended::NotStarted(why));
        }
        Ok(Delivery {
            environment: match &row.handler {
                HandlerConfig::Command { environment } => {
                    crate::memory::Vec::from(environment.clone()).into()
                }
                _ => Environment::default(),
            },
            stdin: start.stdin,
            timeout: Some(timeout),
            work: start.work,
            ..Delivery::default()
        })
    }

    /// R11: a missing `cwd` is an error.
    fn missing_directory(&self, hook: &Hook) -> Option<String> {
        let (cwd, files) = (hook.cwd.as_ref()?, self.host.files()?);
        let at = path::join(b"/workspace", cwd);
        let is_there = files.metadata(&at).is_ok_and(|found| found.kind == FileKind::Directory);
        (!is_there).then(|| format!("cwd {cwd} is not a directory"))
    }

    fn prepare(&mut self, hook: &Hook, row: &Row) -> Start {
        if !self.bundle.dry && self.bundle.shared.gate(&hook.id) == Gate::Tripped {
            return Start::known(GoclawAnswer::of(Decided::Block, "circuit breaker open", "R32: tripped"));
        }
        match &row.handler {
            HandlerConfig::Command { .. } if self.bundle.settings.edition == Edition::Standard => {
                let message = "hook: command handler not allowed: hook.command_disabled_standard";
                Start::known(GoclawAnswer::error(message, "R50: edition"))
            }
            HandlerConfig::Command { .. } => {
                Start { way: Way::Command, work: Work::Run, stdin: self.encoded(), place: None }
            }
            HandlerConfig::Http { url, headers } => self.http(url, headers),
            HandlerConfig::Prompt { template, model, most_in_turn } => {
                self.prompt(hook, row, template, model, *most_in_turn)
            }
            HandlerConfig::Script { source, native } => self.script(source, *native),
        }
    }

    /// R13 and R41 to R43, as far as the URL tells.
    fn http(&mut self, url: &str, headers: &[(String, String)]) -> Start {
        if let Err(refusal) = self.guard(url) {
            return Start::known(output::refused(refusal, url));
        }
        let is_type = |name: &str| name.eq_ignore_ascii_case("content-type");
        let mut all = Vec::with_capacity(headers.len().saturating_add(1));
        if !headers.iter().any(|(name, _)| is_type(name)) {
            all.push(("Content-Type".to_owned(), "application/json".to_owned()));
        }
        all.extend_from_slice(headers);
        let request = HttpRequest {
            url: url.to_owned(),
            headers: all,
            body: self.encoded().as_bytes().to_vec(),
            max_bytes: BODY_CAP,
            retries: 1,
        };
        Start::ask(Way::Http, Request::Http(request))
    }

    fn guard(&self, url: &str) -> Result<(), Refusal> {
        let policy = if self.bundle.settings.allow_loopback {
            AddressPolicy::with_loopback()
        } else {
            AddressPolicy::default()
        };
        Url::parse(url)?.check(policy)
    }

    /// R38 to R40, then the question.
    fn prompt(&mut self, hook: &Hook, row: &Row, template: &str, model: &str, most: u64) -> Start {
        if !self.bundle.dry && prompt::count(self.host) > most {
            let message = format!("hook: more than {most} prompt evaluations in one turn");
            return Start::known(GoclawAnswer::error(message, "R38: cap of a turn"));
        }
        let key = prompt::cache_key(hook.id.as_str(), row.version, &self.payload);
        if let Some(reply) = self.bundle.shared.remembered(&key, self.now())
            && let Ok(arguments) = serde_json::from_str(&reply)
            && let Some(mut answer) = output::decide(&arguments)
        {
            answer.reply = None;
            answer.rule = "R39: remembered decision";
            return Start::known(answer);
        }
        let mut warning = None;
        if let Some((tenant, month, total)) = self.budget() {
            match self.bundle.shared.budget(tenant, month, total) {
                Ok(budget) if budget.left == 0 => {
                    return Start::known(GoclawAnswer::of(Decided::Block, "budget exceeded", "R40: budget"));
                }
                Ok(_) => {}
                Err(why) => warning = Some(why),
            }
        }
        let request = prompt::request(template, model, &self.payload);
        Start::ask(Way::Prompt { key, warning }, Request::Model(request))
    }

    /// R14 and R54.
    fn script(&mut self, source: &str, native: Option<Native>) -> Start {
        if native == Some(Native::Redactor) {
            let clean = redact(&self.payload.raw_input);
            let decision = if clean == *self.payload.raw_input {
                json!({"decision": "allow"})
            } else {
                json!({"decision": "allow", "updatedInput": {"rawInput": clean}})
            };
            let outcome = ScriptOutcome::exited(0, decision.to_string(), "");
            let work = Work::Known(Box::new(outcome));
            return Start { way: Way::Script, work, stdin: Text::default(), place: None };
        }
        let tenant = self.payload.context.org_id.as_deref().unwrap_or("");
        let Some(place) = self.bundle.shared.script_place(tenant) else {
            return Start::known(GoclawAnswer::error(
                "hook: too many scripts run at once",
                "R54: scripts at once",
            ));
        };
        let request = BuiltinRequest {
            name: HandlerKind::Script.name().to_owned(),
            arguments: vec![source.to_owned()],
            payload: self.payload.for_script(),
        };
        Start { place: Some(place), ..Start::ask(Way::Script, Request::Builtin(request)) }
    }
}
