//! `Held`: a value of fixed size that lives on the heap behind an `Arc` or a `Box`, charged while it lives.

use crate::limit::gauge;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// What an allocation behind an `Arc` has beside the value: two counters.
const COUNTERS: usize = 16;

/// A value whose size is charged. What the value itself owns is charged by its own containers.
#[derive(Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Held<T> {
    value: T,
    weight: Weight<T>,
}

/// Gives the size of a `T` back when it is dropped.
#[derive(Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Weight<T>(PhantomData<fn() -> T>);

impl<T> Held<T> {
    const BYTES: usize = size_of::<T>() + COUNTERS;

    /// Charges the size of `value`. A refusal does not keep it from being made: it is small, and the run ends.
    // A copy less. Without optimisation it would take stack from whoever makes a box.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[cfg_attr(debug_assertions, inline)]
    pub fn new(value: T) -> Self {
        if !gauge::charge(Self::BYTES) {
            // Drop gives back what is charged here.
            gauge::force(Self::BYTES);
        }
        Self { value, weight: Weight(PhantomData) }
    }
}

impl<T> Held<T> {
    /// The value, which is no longer held.
    #[inline]
    pub fn into_inner(self) -> T {
        let Self { value, weight: _ } = self;
        value
    }
}

impl<T: Default> Held<T> {
    /// Takes the value out.
    pub fn take(mut self) -> T {
        std::mem::take(&mut self.value)
    }
}

impl<T: Default> Default for Held<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: Clone> Clone for Held<T> {
    fn clone(&self) -> Self {
        Self::new(self.value.clone())
    }
}

impl<T> From<T> for Held<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T> Deref for Held<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T> DerefMut for Held<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.value
    }
}

impl<T> Drop for Weight<T> {
    #[inline]
    fn drop(&mut self) {
        gauge::release(Held::<T>::BYTES);
    }
}

/// A value behind `std`'s `Arc`, which may be shared with what is not part of a run.
pub fn shared<T>(value: T) -> Arc<Held<T>> {
    Arc::new(Held::new(value))
}

/// A value in `std`'s `Box`.
pub fn boxed<T>(value: T) -> Box<Held<T>> {
    Box::new(Held::new(value))
}
