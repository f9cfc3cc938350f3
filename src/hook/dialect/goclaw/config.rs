//! Reading and checking records (1 of the contract): one record, a list of them, or `{"hooks": [...]}` (R1).
//!
//! Every record is read (`raw.rs`) and checked (`record.rs`); the first fault of each is told, and one fault rejects the whole, to run
//! too: a blocking hook that is left out in silence would open what it guards. What remains is put in the order of
//! resolution (R6).

pub(super) mod builtin;
mod raw;
pub(super) mod record;
pub(super) mod settings;

use super::bundle::GoclawBundle;
use super::event::EventName;
use super::handler_kind::HandlerKind;
use super::shared::Shared;
use crate::document::{Node, Source};
use crate::hook::contract::{LoadOptions, Loaded, Purpose};
use crate::hook::error::{ConfigError, ConfigProblem};
use crate::hook::fault_list::FaultList;
use crate::hook::hooks::{Handler, Hook, Hooks};
use crate::hook::id::HookId;
use crate::hook::loading::Loading;
use crate::hook::notice::{Notice, NoticeKind};
use crate::hook::script::Capture;
use crate::limit::Limits;
use record::{HandlerConfig, OnTimeout, Row, Scope};
use rustc_hash::FxHashMap;
use settings::{BreakerMode, GoclawSettings};
use std::sync::Arc;
use std::time::Duration;

/// The records of a document, whichever shape it has.
pub(in crate::hook) fn records(node: &Node) -> &[Node] {
    // As a client asks the store: the record is what it is asked to make, or to try.
    let params = node.get("method").and_then(Node::as_str).and_then(|method| match method {
        "hooks.create" => node.get("params"),
        "hooks.test" => node.get("params")?.get("config"),
        _ => None,
    });
    if let Some(record) = params {
        return std::slice::from_ref(record);
    }
    if let Some(list) = node.as_array() {
        return list;
    }
    match node.get("hooks").and_then(Node::as_array) {
        Some(list) => list,
        None if node.is_object() => std::slice::from_ref(node),
        None => &[],
    }
}

pub(super) fn load(source: &Source<'_>, options: &LoadOptions) -> Result<Loaded, ConfigError> {
    let (bundle, notices) = read(source, options, Arc::default())?;
    Ok(Loaded { bundle: Box::new(bundle), notices })
}

/// As [`load`], over state that outlives the config.
pub(super) fn read(
    source: &Source<'_>,
    options: &LoadOptions,
    shared: Arc<Shared>,
) -> Result<(GoclawBundle, FaultList<Notice>), ConfigError> {
    let node = source.json("hook: ")?;
    let mut settings = GoclawSettings::read(&options.settings).map_err(|why| source.problem(None, why))?;
    // A breaker that takes a hook away would open what the host wants closed.
    if options.fail_closed || !options.fail_closed_hooks.is_empty() {
        settings.breaker_mode = BreakerMode::Hold;
    }
    if let Some(why) = node.get("resolve_error").and_then(Node::as_str) {
        return Ok(unresolved(options, why));
    }
    if !node.is_object() && node.as_array().is_none() {
        return Err(source
            .problem(node.at, format!("hook: expected a record, found {}", node.describe()))
            .into());
    }
    let mut reader =
        record::HookRecordReader { settings: &settings, loading: Loading::new(options, Limits::hook) };
    let (mut all, mut problems) = (Vec::new(), FaultList::default());
    let is_empty_list = node.get("hooks").is_some_and(|hooks| hooks.as_array().is_none());
    if is_empty_list {
        return Err(source.problem(node.at, "hook: hooks: expected a list").into());
    }
    for (index, node) in records(&node).iter().enumerate() {
        match reader.read(index, node) {
            Ok((hook, row, warnings)) => {
                for warning in warnings {
                    let problem = source.problem(node.at, warning);
                    reader.loading.notice(NoticeKind::Warning, Some(hook.id.clone()), problem);
                }
                all.push((hook, row));
            }
            Err(faults) => {
                let first = faults.into_iter().take(1);
                problems.extend(first.map(|fault| fault.of(source)));
            }
        }
    }
    if !problems.is_empty() && (options.purpose == Purpose::Save || all.is_empty() || problems.has_more()) {
        return Err(problems.into());
    }
    // One row that cannot be used does not keep the others from guarding.
    for problem in problems.into_kept() {
        let message = format!("{}; this row is left out", problem.message);
        reader.loading.notice(NoticeKind::Dropped, None, ConfigProblem { message, ..problem });
    }
    if settings.builtins && options.purpose == Purpose::Run {
        for node in builtin::records() {
            if let Ok((hook, mut row, _)) = reader.read(0, &node) {
                row.shipped = true;
                all.push((hook, row));
            }
        }
    }
    let mut notices = reader.loading.notices;
    unique(&mut all, &mut notices, source);
    Ok((bundle(all, settings, None, shared), notices))
}

/// What else is wrong with records than the one fault of each that the platform tells.
#[cfg_attr(not(feature = "tools"), allow(dead_code, reason = "the linter asks for them"))]
pub(in crate::hook) fn other_faults(source: &Source<'_>, options: &LoadOptions) -> Vec<ConfigProblem> {
    let (Ok(node), Ok(settings)) = (source.json(""), GoclawSettings::read(&options.settings)) else {
        return Vec::new();
    };
    let mut reader =
        record::HookRecordReader { settings: &settings, loading: Loading::new(options, Limits::hook) };
    let mut others = FaultList::default();
    for (index, node) in records(&node).iter().enumerate() {
        let faults = reader.read(index, node).err().unwrap_or_default();
        others.extend(faults.into_iter().skip(1).map(|fault| fault.of(source)));
    }
    others.into_kept()
}

/// Two rows cannot have one id: counters, caches and audit rows go by it. A builtin gives way to a row that has its id,
/// another double gets a number.
fn unique(all: &mut Vec<(Hook, Row)>, notices: &mut FaultList<Notice>, source: &Source<'_>) {
    let mut seen: FxHashMap<HookId, usize> = FxHashMap::default();
    let mut kept = Vec::with_capacity(all.len());
    for (mut hook, row) in all.drain(..) {
        let count = seen.entry(hook.id.clone()).or_default();
        *count += 1;
        if *count > 1 {
            if row.shipped {
                continue;
            }
            let id = HookId::from(format!("{}#{count}", hook.id));
            let text = format!("more than one hook has the id {}; this one is called {id}", hook.id);
            let problem = source.problem(None, text);
            notices.push(Notice::new(NoticeKind::Warning, Some(id.clone()), problem));
            hook.id = id;
        }
        kept.push((hook, row));
    }
    *all = kept;
}

/// The rows could not be read (R28): one hook stands for all of them, so that there is a record of it.
pub(super) fn unresolved(options: &LoadOptions, why: &str) -> (GoclawBundle, FaultList<Notice>) {
    let settings = GoclawSettings::read(&options.settings).unwrap_or_default();
    let limits = Arc::new(options.limits.clone().unwrap_or_else(Limits::hook));
    let (event, handler) = (EventName::PreToolUse.name(), Handler::Other("store"));
    let hook = Hook::new("goclaw:store".into(), event, handler, Duration::ZERO, &limits, Capture::of_each(0));
    let row = Row {
        scope: Scope::Global,
        tenant: None,
        agents: Vec::new(),
        matcher: None,
        condition: None,
        on_timeout: OnTimeout::Block,
        kind: HandlerKind::Command,
        handler: HandlerConfig::Command { environment: Vec::new() },
        version: 0,
        enabled: true,
        mutable: Vec::new(),
        shipped: false,
        priority: 0,
        created_at: None,
    };
    (bundle(vec![(hook, row)], settings, Some(why.to_owned()), Arc::default()), FaultList::default())
}

/// R6: higher priority first, then older first; rows without a time after those with one, in the order of the file.
fn bundle(
    mut all: Vec<(Hook, Row)>,
    settings: GoclawSettings,
    resolve_error: Option<String>,
    shared: Arc<Shared>,
) -> GoclawBundle {
    all.sort_by_key(|(_, row)| (std::cmp::Reverse(row.priority), row.created_at.is_none(), row.created_at));
    shared.adopt(all.iter().map(|(hook, row)| (&hook.id, row.enabled)));
    GoclawBundle { hooks: Hooks::new(all), settings, shared, resolve_error, dry: false }
}
