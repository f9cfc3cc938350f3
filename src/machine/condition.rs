//! What keeps a failure from counting (`set -e`, the `ERR` trap): the conditions around the command that runs.
//!
//! `if`, `while`, `&&` and `||` always are one. `!` is one only if `set -e` was on when it began, as in bash: `set -e`
//! in a function after `!` ends the shell. So the ends of negations must know what their beginnings did.

/// See the module.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Conditions {
    /// How many there are.
    count: u32,
    /// How many negations are open.
    negations: u32,
    /// Whether each of the first 64 of them counts; all others do.
    counted: u64,
}

impl Conditions {
    /// Whether failures count.
    pub(crate) fn is_empty(self) -> bool {
        self.count == 0
    }

    /// A condition begins.
    pub(crate) fn begin(&mut self) {
        self.count = self.count.saturating_add(1);
    }

    /// The last condition is over.
    pub(crate) fn end(&mut self) {
        self.count = self.count.saturating_sub(1);
    }

    /// A negation begins.
    pub(crate) fn begin_negation(&mut self, errexit: bool) {
        let bit = 1_u64.checked_shl(self.negations).unwrap_or(0);
        self.counted = if errexit { self.counted | bit } else { self.counted & !bit };
        self.negations = self.negations.saturating_add(1);
        if errexit || bit == 0 {
            self.begin();
        }
    }

    /// The last negation is over.
    pub(crate) fn end_negation(&mut self) {
        self.negations = self.negations.saturating_sub(1);
        let bit = 1_u64.checked_shl(self.negations).unwrap_or(0);
        if bit == 0 || self.counted & bit != 0 {
            self.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Conditions;

    #[test]
    fn negations_end_as_they_began() {
        let mut conditions = Conditions::default();
        let errexit = |depth: u32| depth.is_multiple_of(3);
        for depth in 0..200 {
            conditions.begin_negation(errexit(depth));
        }
        assert!(!conditions.is_empty());
        for _ in 0..199 {
            conditions.end_negation();
        }
        assert!(!conditions.is_empty());
        conditions.end_negation();
        assert_eq!(conditions, Conditions { counted: conditions.counted, ..Conditions::default() });
        conditions.begin_negation(false);
        assert!(conditions.is_empty());
    }
}
