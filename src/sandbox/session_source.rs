//! Sessions for fixture cases: [`SandboxSource`].

use super::Sandbox;
use crate::hook::HookRunner;
use crate::hook::case::{SessionSetup, SessionSource};
use crate::utility::{Environment, Identity};
use crate::vfs::Base;

/// Sessions of cases and of `hookbox fire`.
#[derive(Clone, Copy, Debug, Default)]
pub struct SandboxSource;

impl SessionSource for SandboxSource {
    fn base(&self) -> &Base {
        super::builder::base()
    }

    fn session(&self, setup: SessionSetup) -> Result<Box<dyn HookRunner>, String> {
        let SessionSetup {
            files,
            clock,
            random,
            user,
            uid,
            gid,
            host,
            environment,
            cwd,
            hook_host,
            trace,
            network,
        } = setup;
        if let Some(trace) = &trace {
            files.trace_to(std::sync::Arc::clone(trace));
        }
        let mut variables = Environment::default();
        for (name, value) in environment {
            variables.set(name, value);
        }
        let mut builder = Sandbox::builder().identity(Identity { user, uid, gid, host }).cwd(cwd);
        for (name, value) in variables.iter() {
            builder = builder.env(name.clone(), value.clone());
        }
        (builder.clock, builder.random, builder.hook_host) = (Some(clock), Some(random), hook_host);
        builder.trace = trace;
        builder.network = network;
        builder
            .file_system(files)
            .build()
            .map(|sandbox| Box::new(sandbox) as _)
            .map_err(|error| error.to_string())
    }
}
