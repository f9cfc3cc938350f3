//! Lengths of prefix codes that are not longer than a format allows.

use crate::memory::{Vec, vec};

/// The length of the code of each symbol, `limit` at most; 0 where it does not occur. A single symbol gets one bit.
///
/// The two rarest nodes are joined again and again, from two queues that are in order: that of the symbols and that of the
/// nodes. Where a code becomes too long, the counts are made more alike and it begins anew.
pub(crate) fn code_lengths(counts: &[u32], limit: u8) -> Vec<u8> {
    let mut symbols: Vec<(u32, usize)> = counts
        .iter()
        .enumerate()
        .filter(|(_, count)| **count > 0)
        .map(|(symbol, count)| (*count, symbol))
        .collect();
    let mut lengths = vec![0u8; counts.len()];
    if symbols.len() < 2 {
        for (_, symbol) in &symbols {
            if let Some(length) = lengths.get_mut(*symbol) {
                *length = 1;
            }
        }
        return lengths;
    }
    loop {
        symbols.sort_unstable();
        let depths = depths(&symbols);
        if depths.iter().all(|depth| *depth <= limit) {
            for ((_, symbol), depth) in symbols.iter().zip(&depths) {
                if let Some(length) = lengths.get_mut(*symbol) {
                    *length = *depth;
                }
            }
            return lengths;
        }
        for (count, _) in &mut symbols {
            *count = *count / 2 + 1;
        }
    }
}

/// How deep each of the leaves lies, whose weights are in order.
fn depths(leaves: &[(u32, usize)]) -> Vec<u8> {
    let count = leaves.len();
    let total = 2 * count - 1;
    let mut weights: Vec<u64> = leaves.iter().map(|(weight, _)| u64::from(*weight)).collect();
    let mut above = vec![0usize; total];
    let (mut leaf, mut node) = (0, count);
    for parent in count..total {
        let mut sum = 0;
        for _ in 0..2 {
            let leaf_weight = if leaf < count { weights.get(leaf).copied() } else { None };
            let node_weight = if node < parent { weights.get(node).copied() } else { None };
            let takes_leaf = match (leaf_weight, node_weight) {
                (Some(one), Some(two)) => one <= two,
                (one, _) => one.is_some(),
            };
            let taken = if takes_leaf { &mut leaf } else { &mut node };
            sum += weights.get(*taken).copied().unwrap_or(0);
            if let Some(slot) = above.get_mut(*taken) {
                *slot = parent;
            }
            *taken += 1;
        }
        weights.push(sum);
    }
    // A parent stands behind its children, so that its depth is known before theirs.
    let mut depths = vec![0u8; total];
    for index in (0..total.saturating_sub(1)).rev() {
        let parent = above.get(index).and_then(|parent| depths.get(*parent)).copied().unwrap_or(0);
        if let Some(depth) = depths.get_mut(index) {
            *depth = parent.saturating_add(1);
        }
    }
    depths.truncate(count);
    depths
}

#[cfg(test)]
mod tests {
    use super::code_lengths;

    #[test]
    fn lengths_are_those_of_a_full_tree_within_the_limit() {
        let fibonacci: Vec<u32> = (0..30)
            .scan((1u32, 1u32), |state, _| {
                *state = (state.1, state.0 + state.1);
                Some(state.0)
            })
            .collect();
        for (counts, limit) in [(&[5, 1, 1, 0, 9][..], 20), (&fibonacci, 11), (&fibonacci, 17), (&[7, 7], 1)]
        {
            let lengths = code_lengths(counts, limit);
            let sum: f64 =
                lengths.iter().filter(|length| **length > 0).map(|n| 0.5f64.powi((*n).into())).sum();
            assert!((sum - 1.0).abs() < 1e-12 && lengths.iter().all(|n| *n <= limit), "{lengths:?}");
        }
        assert_eq!(code_lengths(&[0, 3, 0], 9), [0, 1, 0]);
    }
}
