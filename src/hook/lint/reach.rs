//! Whether an expression can be found in any name at all.
//!
//! The expression becomes an automaton, which is walked with two facts beside its state: whether a byte was read, and
//! whether the end of the name was asked for. After a byte the start is out of reach (`a^b`), after the end every byte is
//! (`a$b`), and a name has at least one byte (`^$`). Word boundaries count as possible.

use regex_automata::nfa::thompson::{NFA, State};
use regex_automata::util::look::Look;
use regex_automata::util::primitives::StateID;
use regex_automata::util::syntax;

/// Bytes that an automaton may take; what is larger counts as possible.
const MOST_BYTES: usize = 1 << 20;

/// A state of the walk.
#[derive(Clone, Copy)]
struct Walked {
    state: StateID,
    read: bool,
    ended: bool,
}

impl Walked {
    const fn to(self, state: StateID) -> Self {
        Self { state, ..self }
    }

    const fn mark(self) -> usize {
        self.state.as_usize() * 4 + self.read as usize * 2 + self.ended as usize
    }
}

/// Whether some name has the expression in it; also when the expression does not compile, which is not said here.
pub(super) fn is_found_in_a_name(expression: &str) -> bool {
    let config = NFA::config().nfa_size_limit(Some(MOST_BYTES));
    let built =
        NFA::compiler().configure(config).syntax(syntax::Config::new().nest_limit(64)).build(expression);
    built.map_or(true, |nfa| walk(&nfa))
}

fn walk(nfa: &NFA) -> bool {
    let mut seen = vec![false; nfa.states().len().saturating_mul(4)];
    let mut open = vec![Walked { state: nfa.start_unanchored(), read: false, ended: false }];
    while let Some(step) = open.pop() {
        match seen.get_mut(step.mark()) {
            Some(seen) if !*seen => *seen = true,
            _ => continue,
        }
        let byte = |state: StateID| (!step.ended).then_some(Walked { read: true, ..step.to(state) });
        match nfa.state(step.state) {
            State::Match { .. } if step.read || !step.ended => return true,
            State::Match { .. } | State::Fail => {}
            State::ByteRange { trans } => open.extend(byte(trans.next)),
            State::Sparse(several) => {
                open.extend(several.transitions.iter().filter_map(|one| byte(one.next)));
            }
            // State 0 is where nothing leads on.
            State::Dense(all) => {
                let some = all.transitions.iter().filter(|next| next.as_usize() != 0);
                open.extend(some.filter_map(|next| byte(*next)));
            }
            State::Look { look: Look::Start, next } => {
                open.extend((!step.read).then_some(step.to(*next)));
            }
            State::Look { look: Look::End, next } => open.push(Walked { ended: true, ..step.to(*next) }),
            State::Look { next, .. } | State::Capture { next, .. } => open.push(step.to(*next)),
            State::Union { alternates } => open.extend(alternates.iter().map(|next| step.to(*next))),
            State::BinaryUnion { alt1, alt2 } => open.extend([step.to(*alt1), step.to(*alt2)]),
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::is_found_in_a_name;

    #[test]
    fn anchors_in_the_wrong_place_keep_every_name_out() {
        for never in ["a^b", "$x", "x$y", "^$", "$^", "^(?:a^|b$c)$", "[^\\s\\S]", "(a|b)^", "\\z.", ".+\\A"]
        {
            assert!(!is_found_in_a_name(never), "{never}");
        }
        for found in
            ["", "a", "^a$", "^a?$", "(^|x)a($|y)", "a|x^", "^", "$", "\\bx\\b", "(?m)a$^b", ".*", "("]
        {
            assert!(is_found_in_a_name(found), "{found}");
        }
    }
}
