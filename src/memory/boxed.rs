//! A `Box` and an `Arc` whose value is charged while it lives.

use super::held::Held;
use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::{Deref, DerefMut};

/// As `std::boxed::Box`, of a value that is charged.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct Box<T>(std::boxed::Box<Held<T>>);

impl<T> Box<T> {
    // A copy less. Without optimisation it would take stack from whoever makes a box.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[cfg_attr(debug_assertions, inline)]
    pub fn new(value: T) -> Self {
        Self(std::boxed::Box::new(Held::new(value)))
    }

    /// The value, moved out of the box.
    #[inline]
    pub fn into_inner(self) -> T {
        self.0.into_inner()
    }
}

impl<T: Any + Send> Box<T> {
    /// The box as one whose type is forgotten.
    pub fn into_any(self) -> std::boxed::Box<dyn Any + Send> {
        self.0
    }

    /// A box whose type was forgotten, if it holds a `T`.
    pub fn downcast(any: std::boxed::Box<dyn Any + Send>) -> Option<Self> {
        any.downcast().ok().map(Self)
    }
}

impl<T> Deref for Box<T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> AsRef<T> for Box<T> {
    fn as_ref(&self) -> &T {
        self
    }
}

impl<T> DerefMut for Box<T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T: fmt::Debug> fmt::Debug for Box<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<T: fmt::Display> fmt::Display for Box<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// As `std::sync::Arc`, of a value that is charged to who makes it and given back by who drops it last.
pub struct Arc<T>(std::sync::Arc<Held<T>>);

impl<T> Arc<T> {
    // A copy less. Without optimisation it would take stack from whoever makes a box.
    #[cfg_attr(not(debug_assertions), inline(always))]
    #[cfg_attr(debug_assertions, inline)]
    pub fn new(value: T) -> Self {
        Self(std::sync::Arc::new(Held::new(value)))
    }

    pub fn downgrade(this: &Self) -> Weak<T> {
        Weak(std::sync::Arc::downgrade(&this.0))
    }

    pub fn ptr_eq(this: &Self, other: &Self) -> bool {
        std::sync::Arc::ptr_eq(&this.0, &other.0)
    }

    pub fn as_ptr(this: &Self) -> *const T {
        std::ptr::from_ref(&**this)
    }

    pub fn strong_count(this: &Self) -> usize {
        std::sync::Arc::strong_count(&this.0)
    }

    pub fn get_mut(this: &mut Self) -> Option<&mut T> {
        std::sync::Arc::get_mut(&mut this.0).map(|held| &mut **held)
    }

    pub fn into_inner(this: Self) -> Option<T> {
        std::sync::Arc::into_inner(this.0).map(Held::into_inner)
    }
}

impl<T: Clone> Arc<T> {
    #[inline]
    pub fn make_mut(this: &mut Self) -> &mut T {
        std::sync::Arc::make_mut(&mut this.0) as &mut Held<T>
    }

    pub fn unwrap_or_clone(this: Self) -> T {
        std::sync::Arc::try_unwrap(this.0).map_or_else(|shared| T::clone(&shared), Held::into_inner)
    }
}

impl<T> Clone for Arc<T> {
    #[inline]
    fn clone(&self) -> Self {
        Self(std::sync::Arc::clone(&self.0))
    }
}

impl<T: Default> Default for Arc<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> From<T> for Arc<T> {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

impl<T> Deref for Arc<T> {
    type Target = T;
    #[inline]
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> AsRef<T> for Arc<T> {
    fn as_ref(&self) -> &T {
        self
    }
}

impl<T: PartialEq> PartialEq for Arc<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T: Eq> Eq for Arc<T> {}

impl<T: Hash> Hash for Arc<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl<T: fmt::Debug> fmt::Debug for Arc<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// As `std::sync::Weak`.
pub struct Weak<T>(std::sync::Weak<Held<T>>);

impl<T> Weak<T> {
    pub fn upgrade(&self) -> Option<Arc<T>> {
        self.0.upgrade().map(Arc)
    }

    pub fn strong_count(&self) -> usize {
        self.0.strong_count()
    }
}

impl<T> fmt::Debug for Weak<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Weak")
    }
}
