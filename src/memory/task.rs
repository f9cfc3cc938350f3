//! Work that is waited for: a boxed future, which is charged while it lives.

use crate::limit::gauge;
use std::pin::Pin;
use std::task::{Context, Poll};

type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// See the module.
pub struct Task<T>(BoxFuture<T>);

impl<T> Task<T> {
    /// Charges the size of a future that was boxed. A refusal does not keep it from being waited for: the run ends.
    pub fn new(future: BoxFuture<T>) -> Self {
        let bytes = size_of_val(&*future);
        if !gauge::charge(bytes) {
            gauge::force(bytes);
        }
        Self(future)
    }

    /// Boxes a future.
    pub fn of(future: impl Future<Output = T> + Send + 'static) -> Self {
        Self::new(Box::pin(future))
    }
}

impl<T> Future for Task<T> {
    type Output = T;
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        self.0.as_mut().poll(cx)
    }
}

impl<T> Drop for Task<T> {
    fn drop(&mut self) {
        gauge::release(size_of_val(&*self.0));
    }
}
