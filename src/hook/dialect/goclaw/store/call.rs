//! `hooks.list`, `create`, `update`, `delete`, `toggle` and `history`: who may, what is stripped, what is checked.

use super::{Row, Store, id_of};
use crate::clock::lock;
use crate::hook::contract::{LoadOptions, Purpose};
use crate::hook::dialect::list::Dialect;
use crate::hook::hook_set::HookSet;
use serde_json::{Map, Value, json};

/// Who calls.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The caller's tenant; no row of another one is seen.
    pub tenant: String,
    /// What the caller may do.
    pub role: Role,
}

/// What a caller may do; each may all that those before it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Look.
    Viewer,
    /// Try hooks.
    Operator,
    /// Change those of the tenant.
    Admin,
    /// Change those of all tenants.
    Master,
}

/// Why a call is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refused {
    code: &'static str,
    message: String,
}

pub(super) type Answered<T> = Result<T, Refused>;

pub(super) fn invalid<T>(message: impl Into<String>) -> Answered<T> {
    Err(Refused { code: "INVALID_REQUEST", message: message.into() })
}

impl Role {
    pub(super) fn needs(self, wanted: Self) -> Answered<()> {
        if self >= wanted {
            return Ok(());
        }
        Err(Refused { code: "UNAUTHORIZED", message: "permission denied".to_owned() })
    }
}

/// Set by the store alone; `created_at` and `updated_at` too.
const FIXED: [&str; 7] = ["id", "tenant_id", "version", "source", "created_by", "created_at", "updated_at"];
/// What a list shows of a secret; an update that sends it back leaves the secret as it is.
const HIDDEN: &str = "***";
const DEFAULT_LIMIT: u64 = 50;
const LARGEST_LIMIT: u64 = 200;

impl Store {
    /// Answers `{type: "req", id, method, params}` with `{type: "res", id, ok, payload}`, or `error` in the place of
    /// `payload` with `code` and `message`. `hooks.test` is [`Store::test`].
    pub fn call(&self, caller: &Caller, request: &Value) -> Value {
        respond(request, self.answer(caller, request))
    }

    fn answer(&self, caller: &Caller, request: &Value) -> Answered<Value> {
        let params = request.get("params").unwrap_or(&Value::Null);
        match request.get("method").and_then(Value::as_str) {
            Some("hooks.list") => self.list(caller, params),
            Some("hooks.create") => self.create(caller, params),
            Some("hooks.update") => self.update(caller, params),
            Some("hooks.delete") => self.delete(caller, params),
            Some("hooks.toggle") => self.toggle(caller, params),
            Some("hooks.history") => self.history(caller, params),
            Some("hooks.test") => invalid("hooks.test needs a session"),
            _ => invalid("unknown method"),
        }
    }

    fn list(&self, caller: &Caller, params: &Value) -> Answered<Value> {
        caller.role.needs(Role::Viewer)?;
        let inner = lock(&self.inner);
        let wanted = |row: &&Row| {
            let same = |param: &str, field: &str| {
                params
                    .get(param)
                    .filter(|value| !value.is_null())
                    .is_none_or(|value| row.get(field) == Some(value))
            };
            let agent = params.get("agentId").filter(|value| !value.is_null());
            let listed = |agent: &Value| {
                let agents = row.get("agent_ids").and_then(Value::as_array);
                agents.is_some_and(|agents| agents.contains(agent)) || row.get("agent_id") == Some(agent)
            };
            let enabled = params.get("enabled").and_then(Value::as_bool);
            self.is_visible(caller, row)
                && same("event", "event")
                && same("scope", "scope")
                && agent.is_none_or(listed)
                && enabled.is_none_or(|enabled| self.shared.is_enabled(&id_of(row)) == enabled)
        };
        let shown: Vec<_> = inner.rows.iter().filter(wanted).map(|row| self.shown(row)).collect();
        Ok(json!({"hooks": shown}))
    }

    fn create(&self, caller: &Caller, params: &Value) -> Answered<Value> {
        caller.role.needs(Role::Admin)?;
        let Value::Object(mut row) = params.clone() else { return invalid("params must be a record") };
        row.retain(|name, _| !FIXED.contains(&name.as_str()));
        let (id, now) = (self.uuid(), self.time());
        belongs_to(&mut row, caller);
        self.check(caller, &row)?;
        self.seal(&mut row, None)?;
        let fixed = [
            ("id", Value::from(id.as_str())),
            ("version", 1.into()),
            ("source", "api".into()),
            ("created_at", now.as_str().into()),
            ("updated_at", now.as_str().into()),
        ];
        row.extend(fixed.map(|(name, value)| (name.to_owned(), value)));
        let mut inner = lock(&self.inner);
        inner.rows.push(row);
        inner.hooks = None;
        Ok(json!({"hookId": id}))
    }

    fn update(&self, caller: &Caller, params: &Value) -> Answered<Value> {
        caller.role.needs(Role::Admin)?;
        let updates = params.get("updates").and_then(Value::as_object).filter(|updates| !updates.is_empty());
        let Some(updates) = updates else { return invalid("updates must not be empty") };
        let mut inner = lock(&self.inner);
        let (place, old) = self.find(caller, &inner.rows, params, true)?;
        if is_builtin(old) && updates.keys().any(|name| name != "enabled") {
            return invalid("builtin hooks are read-only except enabled");
        }
        let mut row = old.clone();
        let changed = updates.iter().filter(|(name, _)| !FIXED.contains(&name.as_str()));
        row.extend(changed.map(|(name, value)| (name.clone(), value.clone())));
        self.check(caller, &row)?;
        self.seal(&mut row, Some(old))?;
        let version = old.get("version").and_then(Value::as_u64).unwrap_or(1).saturating_add(1);
        row.insert("version".to_owned(), version.into());
        row.insert("updated_at".to_owned(), self.time().into());
        let id = id_of(&row);
        if let Some(enabled) = updates.get("enabled").and_then(Value::as_bool) {
            self.set_enabled(&id, enabled)?;
        }
        if let Some(place) = inner.rows.get_mut(place) {
            *place = row;
        }
        inner.hooks = None;
        Ok(json!({"hookId": id}))
    }

    fn delete(&self, caller: &Caller, params: &Value) -> Answered<Value> {
        caller.role.needs(Role::Admin)?;
        let mut inner = lock(&self.inner);
        let (place, row) = self.find(caller, &inner.rows, params, true)?;
        if is_builtin(row) {
            return invalid("builtin hooks are read-only except enabled");
        }
        let id = id_of(&inner.rows.remove(place));
        self.shared.forget(&id);
        for (_, row) in &mut inner.history {
            row.hook_id.take_if(|hook| hook == id.as_str());
        }
        inner.hooks = None;
        Ok(json!({}))
    }

    fn toggle(&self, caller: &Caller, params: &Value) -> Answered<Value> {
        caller.role.needs(Role::Admin)?;
        let Some(enabled) = params.get("enabled").and_then(Value::as_bool) else {
            return invalid("enabled must be a boolean");
        };
        let inner = lock(&self.inner);
        let (_, row) = self.find(caller, &inner.rows, params, true)?;
        self.set_enabled(&id_of(row), enabled)?;
        Ok(json!({}))
    }

    fn history(&self, caller: &Caller, params: &Value) -> Answered<Value> {
        caller.role.needs(Role::Viewer)?;
        let limit = params.get("limit").and_then(Value::as_u64).unwrap_or(DEFAULT_LIMIT);
        let limit = usize::try_from(limit.clamp(1, LARGEST_LIMIT)).unwrap_or(1);
        let before = match params.get("cursor").and_then(Value::as_str) {
            None | Some("") => u64::MAX,
            Some(cursor) => cursor.parse().or_else(|_| invalid("cursor is not valid"))?,
        };
        let inner = lock(&self.inner);
        let id = id_of(self.find(caller, &inner.rows, params, false)?.1);
        let of_hook = |(number, row): &&(u64, super::Execution)| {
            *number < before && row.hook_id.as_deref() == Some(id.as_str())
        };
        let rows: Vec<_> = inner.history.iter().rev().filter(of_hook).take(limit).collect();
        let cursor = (rows.len() == limit).then(|| rows.last().map(|(number, _)| number.to_string()));
        let rows: Vec<_> = rows.into_iter().map(|(_, row)| row).collect();
        Ok(json!({"rows": rows, "nextCursor": cursor.flatten()}))
    }

    fn set_enabled(&self, id: &crate::hook::id::HookId, enabled: bool) -> Answered<()> {
        if let Some(keeper) = &self.keeper
            && let Err(why) = keeper.set_enabled(id, enabled)
        {
            return Err(Refused { code: "INTERNAL", message: why });
        }
        self.shared.set_enabled(id, enabled);
        Ok(())
    }

    /// A row that the caller may see, and change where `change` asks for that; its place is before it.
    fn find<'r>(
        &self,
        caller: &Caller,
        rows: &'r [Row],
        params: &Value,
        change: bool,
    ) -> Answered<(usize, &'r Row)> {
        let Some(id) = params.get("hookId").and_then(Value::as_str) else {
            return invalid("hookId is required");
        };
        let found = rows.iter().enumerate().find(|(_, row)| id_of(row).as_str() == id);
        let Some(found) = found.filter(|(_, row)| self.is_visible(caller, row)) else {
            return Err(Refused { code: "NOT_FOUND", message: "hook not found".to_owned() });
        };
        if change && is_global(found.1) {
            caller.role.needs(Role::Master)?;
        }
        Ok(found)
    }

    fn is_visible(&self, caller: &Caller, row: &Row) -> bool {
        let owner = row.get("tenant_id").and_then(Value::as_str);
        let owner = owner.or_else(|| self.options.settings.get("tenant_id").and_then(Value::as_str));
        is_global(row) || owner.is_none_or(|owner| owner == caller.tenant)
    }

    /// As a record that is about to be saved (1.2 of the contract).
    pub(super) fn check(&self, caller: &Caller, row: &Row) -> Answered<()> {
        let mut options = self.options_for(caller);
        options.purpose = Purpose::Save;
        let text = Value::Object(row.clone()).to_string();
        match HookSet::load(Dialect::Goclaw, text.as_bytes(), &options) {
            Ok(_) => Ok(()),
            Err(error) => {
                invalid(error.problems.into_iter().next().map(|problem| problem.message).unwrap_or_default())
            }
        }
    }

    pub(super) fn options_for(&self, caller: &Caller) -> LoadOptions {
        let mut options = self.options.clone();
        options.may_assign_high_risk = caller.role >= Role::Master;
        options.settings.insert("tenant_id".to_owned(), caller.tenant.as_str().into());
        options
    }

    /// Encrypts secrets that are new, keeps those that came back hidden.
    fn seal(&self, row: &mut Row, old: Option<&Row>) -> Answered<()> {
        let kept = old.and_then(|old| secrets(old).map(|(_, value)| value.clone()).next());
        for (_, value) in secrets_mut(row) {
            let Some(secret) = value.as_str() else { continue };
            let is_old = kept.as_ref().and_then(Value::as_str) == Some(secret);
            match &kept {
                Some(kept) if secret == HIDDEN => *value = kept.clone(),
                _ if is_old => {}
                _ => match self.encrypt(secret) {
                    Some(sealed) => *value = sealed.into(),
                    None => return invalid("hook: an Authorization header can not be kept without a key"),
                },
            }
        }
        Ok(())
    }

    /// `None` without a key.
    pub(super) fn encrypt(&self, secret: &str) -> Option<String> {
        let keeper = self.keeper.as_ref()?;
        let encrypted = keeper.encrypt(secret);
        #[cfg(feature = "secrets")]
        let encrypted = encrypted.or_else(|| keeper.key()?.seal(secret, self.random.next_u64()));
        encrypted
    }

    fn shown(&self, row: &Row) -> Value {
        let mut row = row.clone();
        for (_, value) in secrets_mut(&mut row) {
            *value = HIDDEN.into();
        }
        row.insert("enabled".to_owned(), self.shared.is_enabled(&id_of(&row)).into());
        Value::Object(row)
    }
}

pub(super) fn respond(request: &Value, answer: Answered<Value>) -> Value {
    let id = request.get("id").cloned().unwrap_or_default();
    match answer {
        Ok(payload) => json!({"type": "res", "id": id, "ok": true, "payload": payload}),
        Err(Refused { code, message }) => {
            json!({"type": "res", "id": id, "ok": false, "error": {"code": code, "message": message}})
        }
    }
}

/// Makes a row one of the caller's tenant, unless it is for all.
pub(super) fn belongs_to(row: &mut Row, caller: &Caller) {
    if !is_global(row) {
        row.insert("tenant_id".to_owned(), caller.tenant.as_str().into());
    }
}

fn is_global(row: &Row) -> bool {
    row.get("scope").and_then(Value::as_str) == Some("global")
}

fn is_builtin(row: &Row) -> bool {
    row.get("source").and_then(Value::as_str) == Some("builtin")
}

fn is_secret(name: &str) -> bool {
    name.eq_ignore_ascii_case("authorization")
}

fn secrets(row: &Row) -> impl Iterator<Item = (&String, &Value)> {
    let headers = row.get("config").and_then(|config| config.get("headers")).and_then(Value::as_object);
    headers.into_iter().flat_map(Map::iter).filter(|(name, _)| is_secret(name))
}

fn secrets_mut(row: &mut Row) -> impl Iterator<Item = (&String, &mut Value)> {
    let headers = row.get_mut("config").and_then(|config| config.get_mut("headers"));
    let headers = headers.and_then(Value::as_object_mut);
    headers.into_iter().flat_map(Map::iter_mut).filter(|(name, _)| is_secret(name))
}
