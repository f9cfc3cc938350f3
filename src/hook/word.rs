//! Words of contracts: a type whose values are spelt in one way in configs, settings and records. [`words!`] declares the type
//! and its spellings together.

/// A value that has a spelling.
pub(crate) trait Word: Copy + PartialEq + 'static {
    /// Every value with its spelling, in order.
    const WORDS: &'static [(Self, &'static str)];
    /// The spellings.
    const NAMES: &'static [&'static str];

    /// The spelling.
    fn name(self) -> &'static str {
        Self::WORDS.iter().find(|(value, _)| *value == self).map_or("", |(_, name)| name)
    }

    /// The value that is spelt so.
    fn from_name(name: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(_, known)| *known == name).map(|(value, _)| *value)
    }
}

/// Declares a type with a spelling for each value.
macro_rules! words {
    ($(#[$meta:meta])* $vis:vis enum $Name:ident { $($(#[$doc:meta])* $Value:ident $name:literal,)* }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        $vis enum $Name { $($(#[$doc])* $Value,)* }

        impl $crate::hook::word::Word for $Name {
            const WORDS: &'static [(Self, &'static str)] = &[$((Self::$Value, $name),)*];
            const NAMES: &'static [&'static str] = &[$($name,)*];
        }
    };
}
pub(in crate::hook) use words;
