//! What writes down what the engine and the store decide: the host's durable storage ([`Keeper`]).

use super::audit::Execution;
#[cfg(feature = "secrets")]
use super::key::SecretKey;
use crate::hook::id::HookId;

/// Writes down what a store decides; the default of each call does nothing.
pub trait Keeper: Send + Sync {
    /// A hook was turned on or off, by a call or by the circuit breaker.
    ///
    /// # Errors
    /// It could not be written; a tripped hook then blocks (R32).
    fn set_enabled(&self, hook: &HookId, enabled: bool) -> Result<(), String> {
        let _ = (hook, enabled);
        Ok(())
    }

    /// Keeps an audit row; its `error_detail` is encrypted already.
    ///
    /// # Errors
    /// It could not be written, which changes nothing but the log.
    fn write(&self, row: &Execution) -> Result<(), String> {
        let _ = row;
        Ok(())
    }

    /// The token budget of a tenant in a month (UTC); `None` leaves the count to the engine.
    ///
    /// # Errors
    /// It could not be read; the model is asked all the same (R40).
    fn budget(&self, tenant: &str, year: i16, month: i8) -> Result<Option<TokenBudget>, String> {
        let _ = (tenant, year, month);
        Ok(None)
    }

    /// Takes `tokens` off; the budget before that, or `None` as for [`Keeper::budget`].
    ///
    /// # Errors
    /// It could not be written; the decision stands (R40).
    fn spend(&self, tenant: &str, year: i16, month: i8, tokens: u64) -> Result<Option<TokenBudget>, String> {
        let _ = (tenant, year, month, tokens);
        Ok(None)
    }

    /// The key that encrypts what is secret before it is kept: the value of an `Authorization` header, the whole text of an
    /// error. Without one nothing of the kind is kept: a record with such a header is refused, and audit rows are without
    /// `error_detail`. A host opens what it needs by [`SecretKey::open`], as before it sends a request.
    #[cfg(feature = "secrets")]
    fn key(&self) -> Option<&SecretKey> {
        None
    }

    /// Encrypts in the host's own way what is secret before it is kept. `None` leaves it to the key, which a host has with the
    /// feature `secrets` alone; without either nothing secret is kept.
    fn encrypt(&self, secret: &str) -> Option<String> {
        let _ = secret;
        None
    }
}

/// A tenant's tokens in a month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenBudget {
    /// What is left.
    pub left: u64,
    /// What there was at first.
    pub total: u64,
}
