//! Whether the time of some work grows with its size alone: for tests. The thread's processor time counts, so that other tests
//! and a busy machine do not.

use nix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// How much larger the larger size is.
const LARGER: usize = 8;
/// How many times longer it may take. Quadratic work takes 64 times as long.
const LONGER: u32 = 2 * LARGER as u32;
/// Times below this are not compared.
const SHORT: Duration = Duration::from_millis(20);
const TRIES: usize = 3;

/// Asserts that `work` of eight times the size takes at most sixteen times as long, in one of three tries.
pub(crate) fn assert_grows_linearly(name: &str, size: usize, mut work: impl FnMut(usize)) {
    let mut times = Vec::new();
    for _ in 0..TRIES {
        let (small, large) = (taken(|| work(size)), taken(|| work(size * LARGER)));
        if large <= small.max(SHORT) * LONGER {
            return;
        }
        times.push((small, large));
    }
    panic!("{name}: {size} and {LARGER} times that took {times:?}");
}

fn taken(work: impl FnOnce()) -> Duration {
    let start = processor_time();
    work();
    processor_time().saturating_sub(start)
}

fn processor_time() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).unwrap().into()
}

mod tests {
    use super::*;

    /// Compares each of `size` numbers with every other.
    fn in_pairs(size: usize) {
        let all: Vec<usize> = (0..size).collect();
        for one in &all {
            std::hint::black_box(all.iter().filter(|other| *other == one).count());
        }
    }

    #[test]
    fn what_goes_over_its_input_once_passes() {
        assert_grows_linearly("once", 1 << 16, |size| {
            std::hint::black_box((0..size).map(std::hint::black_box).sum::<usize>());
        });
    }

    #[test]
    #[should_panic = "pairs"]
    fn what_compares_all_pairs_fails() {
        assert_grows_linearly("pairs", 1024, in_pairs);
    }
}
