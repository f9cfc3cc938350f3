//! Management calls, and what of the acceptance examples needs them: the stories of `tests/rows/goclaw-store.jsonl`.

use super::super::keeper::TokenBudget;
#[cfg(feature = "secrets")]
use super::super::key::SecretKey;
use super::*;
use crate::hook::scripted::{Scripted, block_on, rows};
use serde_json::json;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// What the host's keeper has and wrote.
#[derive(Default)]
struct Book {
    written: Mutex<Vec<(String, bool)>>,
    budget: Option<TokenBudget>,
    /// Nothing encrypts.
    no_key: bool,
    #[cfg(feature = "secrets")]
    key: Option<SecretKey>,
    fails: AtomicBool,
}

impl Book {
    fn write_down<T>(&self, written: T) -> Result<T, String> {
        if self.fails.load(Ordering::Relaxed) { Err("disk full".to_owned()) } else { Ok(written) }
    }
}

impl Keeper for Book {
    fn set_enabled(&self, hook: &HookId, enabled: bool) -> Result<(), String> {
        self.write_down(())?;
        lock(&self.written).push((hook.to_string(), enabled));
        Ok(())
    }
    fn encrypt(&self, secret: &str) -> Option<String> {
        #[cfg(feature = "secrets")]
        let secret = if self.key.is_some() { return None } else { secret };
        (!self.no_key).then(|| format!("enc({secret})"))
    }
    #[cfg(feature = "secrets")]
    fn key(&self) -> Option<&SecretKey> {
        self.key.as_ref()
    }
    fn write(&self, row: &Execution) -> Result<(), String> {
        let detail = row.error_detail.as_deref();
        assert!(detail.is_none_or(|text| text.starts_with("enc(") || text.starts_with("aes-")));
        assert!(!(self.no_key && detail.is_some()));
        self.write_down(())
    }
    fn budget(&self, _: &str, _: i16, _: i8) -> Result<Option<TokenBudget>, String> {
        self.write_down(self.budget)
    }
    fn spend(&self, tenant: &str, year: i16, month: i8, _: u64) -> Result<Option<TokenBudget>, String> {
        self.budget(tenant, year, month)
    }
}

fn store(records: &Value, book: Book) -> (Store, Arc<Book>) {
    let book = Arc::new(book);
    let clock = Arc::new(Clock::fixed(Duration::from_secs(1_779_971_696)));
    let text = records.to_string();
    let keeper: Arc<dyn Keeper> = book.clone();
    let random = Arc::new(Random::seeded(1));
    let store = Store::open(text.as_bytes(), LoadOptions::default(), clock, random, Some(keeper)).unwrap();
    (store, book)
}

/// The response to a step's call.
fn call(store: &Store, host: &Scripted, step: &Value) -> Value {
    let role = match step["as"].as_str() {
        Some("viewer") => Role::Viewer,
        Some("operator") => Role::Operator,
        Some("master") => Role::Master,
        _ => Role::Admin,
    };
    let who = Caller { tenant: step["tenant"].as_str().unwrap_or("t1").to_owned(), role };
    let request = json!({"type": "req", "id": "7", "method": step["call"], "params": step["params"]});
    let answer = match step["call"].as_str() {
        Some("hooks.test") => block_on(store.test(&who, host, &request)),
        _ => store.call(&who, &request),
    };
    assert_eq!((answer["type"].as_str(), answer["id"].as_str()), (Some("res"), Some("7")));
    assert_eq!(answer["ok"], json!(answer.get("error").is_none()));
    answer
}

/// The events of a step: the one that it gives, or calls at these times.
fn events(step: &Value) -> Vec<Value> {
    let at = |at: &Value| {
        json!({"moment": "tool_call_starting", "at_ms": at, "org_id": "t1", "tool_name": "exec", "tool_call_id": "c",
               "arguments": {"cmd": "ls"}, "facts": {"eventId": at.to_string()}})
    };
    let times = step["at"].as_array().into_iter().flatten().map(at);
    step.get("fire").cloned().into_iter().chain(times).collect()
}

#[test]
fn stories_of_data() {
    let mut wrong = Vec::new();
    for (line, story) in rows::filled(include_str!("../../../../../tests/rows/goclaw-store.jsonl")) {
        let list = |name: &str| story[name].as_array().cloned().unwrap_or_default();
        let budget = |of: &Value| Some(TokenBudget { left: of[0].as_u64()?, total: of[1].as_u64()? });
        let (no_key, budget) = (story["book"]["no_key"] == true, budget(&story["book"]["budget"]));
        let (store, book) = store(&story["rows"], Book { budget, no_key, ..Book::default() });
        let host = Scripted::new(list("out").iter().map(rows::outcome));
        lock(&host.answers).extend(list("answers").iter().map(rows::outcome));
        let (mut known, wrong) = (Map::new(), &mut wrong);
        for mut step in list("steps") {
            rows::fill(&mut step, &Value::Object(known.clone()));
            let members = [
                "as", "tenant", "call", "params", "at", "fire", "want", "keep", "fails", "written", "history",
            ];
            assert!(step.as_object().unwrap().keys().all(|name| members.contains(&name.as_str())), "{step}");
            let mut check = |member: &str, found: Value| {
                if !step.get(member).is_none_or(|wanted| rows::fits(wanted, &found)) {
                    wrong.push(format!("{line}\n{step}\nfound {found}"));
                }
            };
            if let Some(fails) = step["fails"].as_bool() {
                book.fails.store(fails, Ordering::Relaxed);
            }
            if step.get("call").is_some() {
                let answer = call(&store, &host, &step);
                known.extend(answer["payload"].as_object().cloned().unwrap_or_default());
                check("want", answer);
            }
            for event in events(&step) {
                let event = serde_json::from_value(event).unwrap();
                let outcome = block_on(store.hooks().fire(&host, &event));
                check("want", Value::Object(rows::found(&host, &outcome)));
                if step.get("keep").is_some() {
                    let kept = |record| store.keep(record).err().map_or(Value::Null, |log| log.to_json());
                    outcome.records.iter().for_each(|record| check("keep", kept(record)));
                }
            }
            check("written", json!(*lock(&book.written)));
            let history = lock(&store.inner).history.iter().map(|(_, row)| json!(row.hook_id)).collect();
            check("history", history);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[cfg(feature = "secrets")]
#[test]
fn a_key_seals_what_is_kept() {
    let key = SecretKey::new([3; 32]);
    let (store, _) = store(&json!([]), Book { key: Some(key.clone()), ..Book::default() });
    let host = Scripted::default();
    let headers = json!({"Authorization": "Bearer x"});
    let config = json!({"url": "https://example.com/", "headers": headers});
    let record = json!({"event": "stop", "handler_type": "http", "scope": "tenant", "config": config});
    call(&store, &host, &json!({"call": "hooks.create", "params": record}));
    let stop = serde_json::from_value(json!({"moment": "session_ended", "org_id": "t1"})).unwrap();
    let outcome = block_on(store.hooks().fire(&host, &stop));
    let sealed = &rows::found(&host, &outcome)["headers"][0][1];
    assert_eq!(sealed[0], "Authorization");
    assert_eq!(key.open(sealed[1].as_str().unwrap()).as_deref(), Some("Bearer x"));
}
