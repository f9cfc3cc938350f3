//! What a session may ask over the network: `--allow-host`, `--credential` and the caps of a policy, for `sh` and `fire`.

use super::CommandFailure;
use crate::network::{AllowedHost, Credential, EgressPolicy, HttpClient, HttpPolicy, Network, Secret};
use std::sync::Arc;
use std::time::Duration;

/// Above them in the help.
const NETWORK: &str = "Network (off without --allow-host)";

/// See the module.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct EgressArguments {
    /// Let the session ask a host over HTTP (repeatable): a name, *.NAME, an address; without a port that of the scheme, with
    /// :* every port; METHODS are separated by commas
    #[arg(long, value_name = "[METHODS ][SCHEME://]HOST[:PORT][/PATH]", help_heading = NETWORK)]
    pub allow_host: Vec<String>,
    /// Attach a header to requests for a host (repeatable), whose value is read from a variable of your environment:
    /// `Authorization: Bearer VALUE` where no header is named. The session does not see it
    #[arg(long, value_name = "HOST[:PORT]=[HEADER:]VARIABLE", help_heading = NETWORK)]
    pub credential: Vec<String>,
    /// Longest time for one request, in milliseconds (60000)
    #[arg(long, value_name = "MS", help_heading = NETWORK)]
    pub max_request_time: Option<u64>,
    /// Longest answer in bytes (67108864)
    #[arg(long, value_name = "BYTES", help_heading = NETWORK)]
    pub max_response_bytes: Option<u64>,
    /// Longest body that is sent, in bytes (16777216)
    #[arg(long, value_name = "BYTES", help_heading = NETWORK)]
    pub max_request_bytes: Option<u64>,
    /// Most requests of the session (1000)
    #[arg(long, value_name = "NUMBER", help_heading = NETWORK)]
    pub max_requests: Option<u64>,
}

fn wrong(option: &str, text: &str, why: &str) -> CommandFailure {
    CommandFailure::Other(format!("{option} {text}: {why}"))
}

/// The value of a variable of the user's environment.
pub(super) fn key(option: &str, variable: &str) -> Result<Secret, CommandFailure> {
    match std::env::var(variable) {
        Ok(value) if !value.trim().is_empty() => Ok(Secret::new(value.trim())),
        _ => Err(wrong(option, variable, "this variable of the environment is not set, or is empty")),
    }
}

/// The client of the command.
pub(super) fn client() -> Result<Arc<HttpClient>, CommandFailure> {
    let client = HttpClient::new(HttpPolicy::default());
    client.map(Arc::new).map_err(|error| CommandFailure::Other(error.to_string()))
}

fn credential(text: &str) -> Result<Credential, CommandFailure> {
    const OPTION: &str = "--credential";
    let Some((place, what)) = text.split_once('=') else {
        return Err(wrong(OPTION, text, "HOST=VARIABLE or HOST=HEADER:VARIABLE is wanted"));
    };
    let (host, port) = match place.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => match port.parse() {
            Ok(port) => (host, Some(port)),
            Err(_) => return Err(wrong(OPTION, text, "the port is a number")),
        },
        _ => (place, None),
    };
    let credential = match what.rsplit_once(':') {
        Some((header, variable)) => Credential::header(host, header.trim(), &key(OPTION, variable)?),
        None => Credential::bearer(host, &key(OPTION, what)?),
    };
    Ok(match port {
        Some(port) => credential.port(port),
        None => credential,
    })
}

impl EgressArguments {
    /// The session's network, if there is one.
    pub(super) fn network(&self) -> Result<Option<Network>, CommandFailure> {
        if self.allow_host.is_empty() {
            return match self.credential.first() {
                Some(text) => {
                    Err(wrong("--credential", text, "no host may be asked; --allow-host names one"))
                }
                None => Ok(None),
            };
        }
        let mut policy = EgressPolicy::none();
        for text in &self.allow_host {
            let host = AllowedHost::parse(text)
                .map_err(|error| CommandFailure::Other(format!("--allow-host {error}")))?;
            policy = policy.allow(host);
        }
        for text in &self.credential {
            policy = policy.credential(credential(text)?);
        }
        if let Some(time) = self.max_request_time {
            policy.max_time = Duration::from_millis(time);
        }
        policy.max_response_bytes = self.max_response_bytes.unwrap_or(policy.max_response_bytes);
        policy.max_request_bytes = self.max_request_bytes.unwrap_or(policy.max_request_bytes);
        policy.max_requests = self.max_requests.unwrap_or(policy.max_requests);
        Ok(Some(Network::new(policy, client()?)))
    }
}
