//! What goes over the network, against real servers on loopback that the tests start: `curl` and `wget` by cases whose answers
//! are the real programs', hooks that ask, credentials, and servers that mean harm.

#[path = "network/harm.rs"]
mod harm;
#[path = "network/hooks.rs"]
mod hooks;
#[path = "network/policy.rs"]
mod policy;
#[path = "network/program.rs"]
mod program;
#[path = "support/server.rs"]
mod server;
mod support;

use hookbox::network::{AllowedHost, EgressPolicy, HttpClient, HttpPolicy, Network};
use std::sync::Arc;

/// The crate's client.
fn client() -> Arc<HttpClient> {
    Arc::new(HttpClient::new(HttpPolicy::default()).expect("a client"))
}

/// A policy that allows these hosts.
fn policy(hosts: &[&str]) -> EgressPolicy {
    hosts
        .iter()
        .fold(EgressPolicy::none(), |policy, host| policy.allow(AllowedHost::parse(host).expect("a host")))
}

fn network(hosts: &[&str]) -> Network {
    Network::new(policy(hosts), client())
}

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(work)
}
