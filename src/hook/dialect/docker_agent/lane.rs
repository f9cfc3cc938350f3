//! The lanes of `pre_tool_use` (5.4 of the contract).
//!
//! Stage 0, the hooks of `preempt_yolo` entries, comes before the platform's own rules, the default lane after them. A host
//! that keeps to this fires each lane by itself (fact `lane`); the other lane's hooks are then not selected. Where it fires
//! the event once, both lanes run: stage 0; the default lane, unless stage 0 denied or asked or something allowed the call
//! already (fact `approved_by`); stage 0 again when the default lane rewrote the arguments (R32).

use super::event::EventName;
use super::result::Permission;
use crate::hook::event::Event;
use serde_json::Value;

/// A part of a firing within which equal hooks run once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Pass {
    StageZero,
    Default,
    /// Stage 0 over the rewritten arguments.
    Again,
}

/// Where a firing of `pre_tool_use` stands.
#[derive(Debug)]
pub(super) struct Lanes {
    /// The lane that the host fires; `None` is both.
    wanted: Option<Pass>,
    /// Something allowed the call before (R29).
    approved: bool,
    /// What stage 0 came to so far.
    pub(super) stage_zero: Option<Permission>,
    default_seen: bool,
}

impl Lanes {
    pub(super) fn new(event: &Event, name: EventName) -> Self {
        let fact = |key: &str| {
            let text = event.facts.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
            text.filter(|_| name == EventName::PreToolUse)
        };
        let wanted = match fact("lane") {
            Some("preempt") => Some(Pass::StageZero),
            Some("default") => Some(Pass::Default),
            _ => None,
        };
        Self { wanted, approved: fact("approved_by").is_some(), stage_zero: None, default_seen: false }
    }

    /// The pass in which a hook comes up; hooks come in the order of the lanes. `rewritten`: the default lane changed the
    /// arguments; `blocked`: some hook blocked.
    ///
    /// # Errors
    /// Why it does not run.
    pub(super) const fn enter(
        &mut self,
        preempt: bool,
        rewritten: bool,
        blocked: bool,
    ) -> Result<Pass, &'static str> {
        if !preempt {
            self.default_seen = true;
            return self.default_lane();
        }
        match (self.wanted, self.default_seen) {
            (Some(Pass::Default), _) => Err("5.4: preempt_yolo entries run in the preempt lane"),
            (_, false) => Ok(Pass::StageZero),
            (Some(_), true) => Err("5.4: it ran in the preempt lane"),
            (None, true) if blocked => Err("R32: the call is denied already"),
            (None, true) if !rewritten => Err("R32: stage 0 runs again over rewritten arguments only"),
            (None, true) => Ok(Pass::Again),
        }
    }

    const fn default_lane(&self) -> Result<Pass, &'static str> {
        if matches!(self.wanted, Some(Pass::StageZero)) {
            return Err("5.4: this entry runs in the default lane");
        }
        if self.approved {
            return Err("R29: the call was allowed already, the default lane is skipped");
        }
        match self.stage_zero {
            Some(Permission::Deny) => Err("R30: stage 0 denied the call"),
            Some(Permission::Ask) => Err("R30: stage 0 asks the user, the default lane is skipped"),
            _ => Ok(Pass::Default),
        }
    }
}
