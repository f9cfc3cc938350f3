//! Hooks that no list of the file has: those of command-line flags, and built-ins that are there without being written.

use super::{Group, Loader, Origin, Spec};
use crate::document::Node;
use crate::hook::dialect::docker_agent::bundle::Action;
use crate::hook::dialect::docker_agent::event::EventName;
use std::collections::BTreeSet;

/// The built-in that leaves repeated results out.
const ELIDES: &str = "elide_repeated_tool_results";

/// Events with a hook that is always there.
pub(super) const ALWAYS: [EventName; 2] = [EventName::ToolResponseTransform, EventName::SessionEnd];

impl Loader<'_> {
    /// R4.
    pub(super) fn flags(&mut self) {
        let settings = self.settings.clone();
        for (event, commands) in settings.flags() {
            let origin = Origin { prefix: "--hook:".to_owned(), ..Origin::default() };
            let hook = |command: &String| serde_json::json!({"type": "command", "command": command});
            let hooks: Vec<_> = commands.iter().map(hook).collect();
            let group = Group { event, matcher: None, preempt: false, origin, id: None };
            self.hooks(&group, event.name(), &Node::from_value(&hooks.into()));
        }
    }

    /// R45: who has repeated results left out forgets them when the context is made anew, without more hooks in the config.
    pub(super) fn forgetting(&mut self) {
        let repeats = |spec: &&Spec| {
            let is_it = |action: &Action| matches!(action, Action::Builtin { name, .. } if &**name == ELIDES);
            is_it(&spec.extra.action) && spec.hook.event == EventName::ToolResponseTransform.name()
        };
        let agents: BTreeSet<_> =
            self.specs.iter().filter(repeats).map(|spec| spec.extra.agent.clone()).collect();
        for agent in agents {
            let origin = Origin { agent, ..Origin::default() };
            for event in [EventName::SessionStart, EventName::SessionEnd, EventName::AfterCompaction] {
                self.builtin(event, false, ELIDES, &[], &origin);
            }
        }
    }

    /// R5, R34.
    pub(super) fn always(&mut self) {
        for event in ALWAYS {
            self.builtin(event, false, "limit_large_tool_results", &[], &Origin::default());
        }
    }
}
