//! What is known of a transfer when it is over: for `-w`.

use crate::memory::{String, Vec};
use crate::network::Moments;
use std::net::SocketAddr;
use std::time::Duration;

/// See the module.
#[derive(Clone, Debug, Default)]
pub(super) struct Report {
    pub(super) url: Vec<u8>,
    pub(super) effective: Vec<u8>,
    pub(super) number: u64,
    pub(super) method: Vec<u8>,
    pub(super) scheme: &'static str,
    pub(super) version: &'static str,
    pub(super) status: u16,
    /// Of the last answer.
    pub(super) headers: Vec<(String, Vec<u8>)>,
    pub(super) content_type: Option<Vec<u8>>,
    pub(super) file_name: Option<Vec<u8>>,
    pub(super) redirect_url: Option<Vec<u8>>,
    pub(super) referer: Option<Vec<u8>>,
    pub(super) redirects: u64,
    pub(super) connects: u64,
    pub(super) downloaded: u64,
    pub(super) uploaded: u64,
    pub(super) header_bytes: u64,
    pub(super) request_bytes: u64,
    pub(super) address: Option<SocketAddr>,
    pub(super) moments: Moments,
    pub(super) redirect_time: Duration,
    pub(super) total: Duration,
    pub(super) code: u8,
    pub(super) error: Option<Vec<u8>>,
}
