//! Management calls, and what of the acceptance examples needs them: GC-2, GC-7, GC-19, GC-22.

use super::super::keeper::TokenBudget;
#[cfg(feature = "secrets")]
use super::super::key::SecretKey;
use super::*;
use crate::hook::event::Event;
use crate::hook::outcome::Outcome;
use crate::hook::request::Request;
use crate::hook::script::ScriptOutcome;
use crate::hook::scripted::Scripted;
use serde_json::json;
use std::time::Duration;

#[derive(Default)]
struct Book {
    written: Mutex<Vec<(String, bool)>>,
    budget: Option<TokenBudget>,
    has_no_key: bool,
    /// It does not encrypt itself.
    leaves_it_to_the_key: bool,
    #[cfg(feature = "secrets")]
    key: Option<SecretKey>,
    fails: std::sync::atomic::AtomicBool,
}

impl Keeper for Book {
    fn set_enabled(&self, hook: &HookId, enabled: bool) -> Result<(), String> {
        if self.fails.load(std::sync::atomic::Ordering::Relaxed) {
            return Err("disk full".to_owned());
        }
        lock(&self.written).push((hook.to_string(), enabled));
        Ok(())
    }
    fn encrypt(&self, secret: &str) -> Option<String> {
        (!self.has_no_key && !self.leaves_it_to_the_key).then(|| format!("enc({secret})"))
    }
    #[cfg(feature = "secrets")]
    fn key(&self) -> Option<&SecretKey> {
        self.key.as_ref()
    }
    fn write(&self, row: &Execution) -> Result<(), String> {
        let is_sealed = row
            .error_detail
            .as_deref()
            .is_none_or(|text| text.starts_with("enc(") || text.starts_with("aes-"));
        assert!(is_sealed && !(self.has_no_key && row.error_detail.is_some()));
        if self.fails.load(std::sync::atomic::Ordering::Relaxed) {
            Err("disk full".to_owned())
        } else {
            Ok(())
        }
    }
    fn budget(&self, _: &str, _: i16, _: i8) -> Result<Option<TokenBudget>, String> {
        if self.fails.load(std::sync::atomic::Ordering::Relaxed) {
            Err("disk full".to_owned())
        } else {
            Ok(self.budget)
        }
    }
    fn spend(&self, tenant: &str, year: i16, month: i8, _: u64) -> Result<Option<TokenBudget>, String> {
        self.budget(tenant, year, month)
    }
}

fn store(records: &Value) -> (Store, Arc<Book>) {
    store_with(records, Book::default())
}

fn store_with(records: &Value, book: Book) -> (Store, Arc<Book>) {
    let book = Arc::new(book);
    let clock = Arc::new(Clock::fixed(Duration::from_secs(1_779_971_696)));
    let random = Arc::new(Random::seeded(1));
    let text = records.to_string();
    let keeper: Arc<dyn Keeper> = book.clone();
    let store = Store::open(text.as_bytes(), LoadOptions::default(), clock, random, Some(keeper)).unwrap();
    (store, book)
}

fn caller(tenant: &str, role: Role) -> Caller {
    Caller { tenant: tenant.to_owned(), role }
}

/// The payload, or the error's message as a text.
#[expect(clippy::needless_pass_by_value, reason = "parameters are made where the method is called")]
fn call(store: &Store, who: &Caller, method: &str, params: Value) -> Value {
    let answer = store.call(who, &json!({"type": "req", "id": "7", "method": method, "params": params}));
    assert_eq!((answer["type"].as_str(), answer["id"].as_str()), (Some("res"), Some("7")));
    if answer["ok"] == json!(true) { answer["payload"].clone() } else { answer["error"]["message"].clone() }
}

fn ids(listed: &Value) -> Vec<&str> {
    listed["hooks"].as_array().unwrap().iter().filter_map(|hook| hook["id"].as_str()).collect()
}

fn fire(store: &Store, host: &Scripted, at_ms: u64) -> Outcome {
    let event = json!({"moment": "tool_call_starting", "at_ms": at_ms, "org_id": "t1", "tool_name": "exec",
                       "tool_call_id": "c", "arguments": {"cmd": "ls"}, "facts": {"eventId": at_ms.to_string()}});
    let event: Event = serde_json::from_value(event).unwrap();
    block_on(store.hooks().fire(host, &event))
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

fn command(id: &str, tenant: &str) -> Value {
    json!({"id": id, "event": "pre_tool_use", "handler_type": "command", "scope": "tenant", "tenant_id": tenant,
           "config": {"command": "x"}})
}

#[cfg(feature = "secrets")]
#[test]
fn a_key_seals_what_is_kept() {
    let key = SecretKey::new([3; 32]);
    let (store, _) = store_with(
        &json!([]),
        Book { key: Some(key.clone()), leaves_it_to_the_key: true, ..Book::default() },
    );
    let record = json!({"event": "stop", "handler_type": "http", "scope": "tenant", "config": {"url": "https://example.com/", "headers": {"Authorization": "Bearer x"}}});
    call(&store, &caller("t1", Role::Admin), "hooks.create", record);
    let host = Scripted::default();
    let stop: Event = serde_json::from_value(json!({"moment": "session_ended", "org_id": "t1"})).unwrap();
    block_on(store.hooks().fire(&host, &stop));
    let Request::Http(request) = lock(&host.requests)[0].clone() else { panic!() };
    let (_, sealed) = request.headers.iter().find(|(name, _)| name == "Authorization").unwrap();
    assert_eq!(key.open(sealed).as_deref(), Some("Bearer x"));
}

#[test]
fn without_a_key_nothing_secret_is_kept() {
    let (store, _) = store_with(&json!([]), Book { has_no_key: true, ..Book::default() });
    let record = |headers: Value| json!({"event": "stop", "handler_type": "http", "scope": "tenant", "config": {"url": "https://example.com/", "headers": headers}});
    let admin = caller("t1", Role::Admin);
    let refused = call(&store, &admin, "hooks.create", record(json!({"authorization": "Bearer x"})));
    assert_eq!(refused, "hook: an Authorization header can not be kept without a key");
    let made = call(&store, &admin, "hooks.create", record(json!({"A": "b"})));
    let (id, updates) =
        (made["hookId"].clone(), json!({"config": record(json!({"Authorization": "x"}))["config"]}));
    assert_eq!(call(&store, &admin, "hooks.update", json!({"hookId": id, "updates": updates})), refused);
}

#[test]
fn create_strips_validates_and_lists() {
    let (store, _) = store(&json!([]));
    let admin = caller("t1", Role::Admin);
    let record = json!({
        "id": "mine", "tenant_id": "t2", "version": 9, "source": "builtin", "event": "stop", "handler_type": "http",
        "scope": "tenant", "config": {"url": "https://example.com/", "headers": {"Authorization": "Bearer x", "A": "b"}},
    });
    let created = call(&store, &admin, "hooks.create", record.clone());
    let id = created["hookId"].as_str().unwrap().to_owned();
    assert_ne!(id, "mine");
    let listed = call(&store, &admin, "hooks.list", json!({"event": "stop"}));
    assert_eq!(ids(&listed), [id.as_str()]);
    let shown = &listed["hooks"][0];
    assert_eq!(shown["tenant_id"], "t1");
    assert_eq!(shown["source"], "api");
    assert_eq!(shown["version"], 1);
    assert_eq!(shown["created_at"], "2026-05-28T12:34:56Z");
    assert_eq!(shown["config"]["headers"], json!({"Authorization": "***", "A": "b"}));
    // What is stored is encrypted, and stays so when the list comes back as an update.
    let mut config = shown["config"].clone();
    config["url"] = "https://example.com/2".into();
    assert_eq!(
        call(&store, &admin, "hooks.update", json!({"hookId": id, "updates": {"config": config}}))["hookId"],
        id
    );
    let host = Scripted::default();
    let stop: Event = serde_json::from_value(json!({"moment": "session_ended", "org_id": "t1"})).unwrap();
    block_on(store.hooks().fire(&host, &stop));
    let Request::Http(request) = lock(&host.requests)[0].clone() else { panic!() };
    assert_eq!(request.url, "https://example.com/2");
    assert!(request.headers.contains(&("Authorization".to_owned(), "enc(Bearer x)".to_owned())));
    for (change, message) in [
        (json!({"event": "x"}), "hook: unknown event \"x\""),
        (json!({"timeout_ms": 10_001}), "hook: timeout_ms 10001 exceeds max 10000"),
        (json!({"scope": "global"}), "hook: global scope requires master scope"),
    ] {
        let mut record = record.clone();
        record.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        assert_eq!(call(&store, &admin, "hooks.create", record), message);
    }
}

#[test]
fn tenants_and_roles_are_apart() {
    let (store, _) = store(&json!([
        command("a", "t1"),
        command("b", "t2"),
        {"id": "g", "event": "pre_tool_use", "handler_type": "command", "scope": "global", "config": {"command": "x"}},
    ]));
    let admin = caller("t1", Role::Admin);
    assert_eq!(ids(&call(&store, &admin, "hooks.list", json!({}))), ["a", "g", "pii-redactor"]);
    assert_eq!(ids(&call(&store, &admin, "hooks.list", json!({"scope": "tenant", "enabled": true}))), ["a"]);
    assert_eq!(
        ids(&call(&store, &caller("t3", Role::Viewer), "hooks.list", json!({"enabled": true}))),
        ["g"]
    );
    for (method, params) in [
        ("hooks.update", json!({"hookId": "b", "updates": {"priority": 1}})),
        ("hooks.delete", json!({"hookId": "b"})),
        ("hooks.toggle", json!({"hookId": "b", "enabled": false})),
        ("hooks.history", json!({"hookId": "b"})),
    ] {
        assert_eq!(call(&store, &admin, method, params), "hook not found", "{method}");
    }
    let toggle = json!({"hookId": "g", "enabled": false});
    assert_eq!(call(&store, &admin, "hooks.toggle", toggle.clone()), "permission denied");
    assert_eq!(call(&store, &caller("t1", Role::Master), "hooks.toggle", toggle), json!({}));
    let viewer = caller("t1", Role::Viewer);
    for method in ["hooks.create", "hooks.update", "hooks.delete", "hooks.toggle"] {
        assert_eq!(call(&store, &viewer, method, json!({})), "permission denied", "{method}");
    }
    assert_eq!(
        call(&store, &admin, "hooks.update", json!({"hookId": "a", "updates": {}})),
        "updates must not be empty"
    );
    assert_eq!(call(&store, &admin, "hooks.nope", json!({})), "unknown method");
    let builtin = json!({"hookId": "pii-redactor", "updates": {"priority": 1}});
    let master = caller("t1", Role::Master);
    assert_eq!(call(&store, &master, "hooks.update", builtin), "builtin hooks are read-only except enabled");
    assert_eq!(call(&store, &admin, "hooks.delete", json!({"hookId": "a"})), json!({}));
    assert_eq!(ids(&call(&store, &admin, "hooks.list", json!({}))), ["g", "pii-redactor"]);
}

#[test]
fn the_redactor_works_once_it_is_on() {
    let (store, book) = store(&json!([]));
    let prompt = json!({"moment": "prompt_submitted", "message": "mail a@b.co"});
    let prompt: Event = serde_json::from_value(prompt).unwrap();
    assert_eq!(block_on(store.hooks().fire(&Scripted::default(), &prompt)).decision.message, None);
    call(
        &store,
        &caller("t1", Role::Master),
        "hooks.toggle",
        json!({"hookId": "pii-redactor", "enabled": true}),
    );
    let outcome = block_on(store.hooks().fire(&Scripted::default(), &prompt));
    assert_eq!(outcome.decision.message.as_deref(), Some("mail [REDACTED]"));
    assert_eq!(lock(&book.written)[..], [("pii-redactor".to_owned(), true)]);
}

/// GC-22: five blocks trip the hook; turned on again it blocks again.
#[test]
fn a_tripped_hook_can_be_turned_on_again() {
    let (store, book) = store(&json!([command("h", "t1")]));
    let blocking = || Scripted::new((0..9).map(|_| ScriptOutcome::exited(2, "", "no")));
    let host = blocking();
    let blocks = |at: u64| !fire(&store, &host, at).decision.proceeds();
    assert!((0..5).all(|turn| blocks(1_000_000 + turn)));
    assert!(!blocks(1_000_005));
    let admin = caller("t1", Role::Admin);
    assert_eq!(call(&store, &admin, "hooks.list", json!({"scope": "tenant"}))["hooks"][0]["enabled"], false);
    call(&store, &admin, "hooks.toggle", json!({"hookId": "h", "enabled": true}));
    assert!((6..10).all(|turn| blocks(1_000_000 + turn)));
    assert_eq!(lock(&book.written)[..], [("h".to_owned(), false), ("h".to_owned(), true)]);
}

/// R32: what cannot be written down holds in memory.
#[test]
fn a_trip_that_is_not_written_blocks() {
    let (store, book) = store(&json!([command("h", "t1")]));
    book.fails.store(true, std::sync::atomic::Ordering::Relaxed);
    let host = Scripted::new((0..5).map(|_| ScriptOutcome::exited(2, "", "no")));
    for turn in 0..5 {
        assert_eq!(fire(&store, &host, 1_000_000 + turn).decision.blocked.unwrap().reason, "no");
    }
    let outcome = fire(&store, &host, 1_200_000);
    assert_eq!(outcome.decision.blocked.unwrap().reason, "circuit breaker open");
    let admin = caller("t1", Role::Admin);
    let toggle = json!({"hookId": "h", "enabled": true});
    assert_eq!(call(&store, &admin, "hooks.toggle", toggle.clone()), "disk full");
    book.fails.store(false, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(call(&store, &admin, "hooks.toggle", toggle), json!({}));
    assert!(fire(&store, &host, 1_200_001).decision.proceeds());
}

/// GC-19: an update is a new version, whose decisions are not known yet.
#[test]
fn an_update_forgets_remembered_decisions() {
    let (store, _) = store(&json!({
        "id": "p", "event": "pre_tool_use", "handler_type": "prompt", "scope": "tenant", "tenant_id": "t1",
        "matcher": "exec", "config": {"prompt_template": "x"},
    }));
    let host = Scripted::default();
    let answer = r#"{"tool_calls":[{"name":"decide","arguments":{"decision":"allow","reason":""}}]}"#;
    lock(&host.answers).extend([0, 1].map(|_| ScriptOutcome::exited(0, answer, "")));
    let asked = || lock(&host.requests).len();
    assert!(fire(&store, &host, 1_000_000).decision.proceeds());
    assert!(fire(&store, &host, 1_000_001).decision.proceeds());
    assert_eq!(asked(), 1);
    let update = json!({"hookId": "p", "updates": {"priority": 2, "version": 1}});
    call(&store, &caller("t1", Role::Admin), "hooks.update", update);
    assert!(fire(&store, &host, 1_000_002).decision.proceeds());
    assert_eq!(asked(), 2);
}

/// GC-2: a trial shows the event and writes no row.
#[test]
fn a_trial_runs_once_without_a_row() {
    let (store, _) = store(&json!([]));
    let event = r#"{"eventId":"","sessionId":"","tenantId":"","agentId":"","toolName":"exec","toolInput":{"cmd":"ls"},"#;
    let host = Scripted::new([ScriptOutcome::exited(0, event, ""), ScriptOutcome::exited(2, "", "no\n")]);
    let config = json!({"event": "pre_tool_use", "handler_type": "command", "scope": "tenant", "enabled": false,
                        "matcher": "^never$", "config": {"command": "cat"}});
    let request = json!({"type": "req", "id": 1, "method": "hooks.test", "params": {
        "config": config, "sampleEvent": {"eventId": "", "toolName": "exec", "toolInput": {"cmd": "ls"}}}});
    let operator = caller("t1", Role::Operator);
    let answer = block_on(store.test(&operator, &host, &request));
    assert_eq!(
        answer["payload"],
        json!({"decision": "allow", "reason": "", "durationMs": 0, "stdout": event, "stderr": "", "statusCode": 0,
               "error": null, "updatedInput": null})
    );
    assert!(lock(&host.asked)[0].stdin.starts_with(event));
    let answer = block_on(store.test(&operator, &host, &request));
    assert_eq!(
        (answer["payload"]["decision"].as_str(), answer["payload"]["reason"].as_str()),
        (Some("block"), Some("no"))
    );
    assert!(lock(&host.logs).iter().all(|log| log.name != "hook_executions"));
    let answer = block_on(store.test(&caller("t1", Role::Viewer), &host, &request));
    assert_eq!(answer["error"]["code"], "UNAUTHORIZED");
}

#[test]
fn history_is_paged_and_outlives_its_hook() {
    let (store, _) = store(&json!([command("h", "t1")]));
    let host = Scripted::default();
    for turn in 0..3 {
        for record in &fire(&store, &host, 1_000_000 + turn).records {
            store.keep(record).unwrap();
        }
    }
    let admin = caller("t1", Role::Admin);
    let page = call(&store, &admin, "hooks.history", json!({"hookId": "h", "limit": 2}));
    assert_eq!(page["rows"].as_array().unwrap().len(), 2);
    assert_eq!(page["rows"][0]["decision"], "allow");
    let page = call(
        &store,
        &admin,
        "hooks.history",
        json!({"hookId": "h", "limit": 2, "cursor": page["nextCursor"]}),
    );
    assert_eq!((page["rows"].as_array().unwrap().len(), &page["nextCursor"]), (1, &Value::Null));
    call(&store, &admin, "hooks.delete", json!({"hookId": "h"}));
    assert!(lock(&store.inner).history.iter().all(|(_, row)| row.hook_id.is_none()));
}

fn prompt() -> Value {
    json!({"id": "p", "event": "pre_tool_use", "handler_type": "prompt", "scope": "tenant", "tenant_id": "t1",
           "matcher": "exec", "config": {"prompt_template": "x"}})
}

fn logged(host: &Scripted) -> Vec<String> {
    lock(&host.logs)
        .iter()
        .map(|log| log.name.to_string())
        .filter(|name| name.starts_with("security."))
        .collect()
}

/// R40 and 7: a store that fails is logged, and the decision stands.
#[test]
fn a_budget_store_that_fails_changes_no_decision() {
    let (store, book) = store(&prompt());
    book.fails.store(true, std::sync::atomic::Ordering::Relaxed);
    let host = Scripted::default();
    let answer = r#"{"tool_calls":[{"name":"decide","arguments":{"decision":"allow"}}],"tokens":9}"#;
    lock(&host.answers).push_back(ScriptOutcome::exited(0, answer, ""));
    let outcome = fire(&store, &host, 1_000_000);
    assert!(outcome.decision.proceeds());
    assert_eq!(logged(&host), ["security.hook.budget_precheck_failed", "security.hook.budget_deduct_failed"]);
    let failure = store.keep(&outcome.records[0]).unwrap_err();
    assert_eq!(
        (&*failure.name, failure.fields["message"].as_str()),
        ("security.hook.audit_write_failed", Some("disk full"))
    );
}

#[test]
fn a_keeper_may_have_the_budgets() {
    let book = Book { budget: Some(TokenBudget { left: 0, total: 10 }), ..Book::default() };
    let (store, _) = store_with(&prompt(), book);
    let host = Scripted::default();
    let outcome = fire(&store, &host, 1_000_000);
    assert_eq!(outcome.decision.blocked.unwrap().reason, "budget exceeded");
    assert!(lock(&host.requests).is_empty());
}
