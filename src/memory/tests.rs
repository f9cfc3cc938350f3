//! What the containers charge is what they hold.

use super::hash_map::HashMap;
use super::held::Held;
use super::ordered::BTreeMap;
use super::queue::VecDeque;
use super::string::String;
use super::vec::Vec;
use crate::clock::Clock;
use crate::limit::limits::{Limit, Limits};
use crate::limit::{Meter, gauge};
use std::sync::Arc;
use std::time::Duration;

fn meter(live_bytes: u64) -> Arc<Meter> {
    let limits = Limits { live_bytes, ..Limits::default() };
    Meter::new(limits, Arc::new(Clock::fixed(Duration::ZERO)))
}

/// Bytes held by what `make` makes, while it lives; nothing may be held afterwards.
fn held<T>(make: impl FnOnce() -> T) -> i64 {
    let meter = meter(u64::MAX);
    let _entered = meter.enter();
    let value = make();
    let (held, _) = gauge::live();
    drop(value);
    assert_eq!(gauge::live().0, 0, "all is given back");
    held
}

#[test]
fn containers_charge_their_capacity_and_give_it_back() {
    assert_eq!(held(|| Vec::<u64>::with_capacity(10)), 80);
    assert_eq!(held(|| (0..100_u32).collect::<Vec<_>>()), 400);
    assert_eq!(held(|| Vec::from(b"abc")), 3);
    assert_eq!(held(|| String::from("abc")), 3);
    assert_eq!(held(|| super::format!("{:>20}", 1)), 32);
    assert!(held(|| (0..5_u64).collect::<VecDeque<_>>()) >= 40);
    assert!(held(|| (0..100).map(|n| (n, n)).collect::<HashMap<u64, u64>>()) >= 1700);
    assert!(held(|| (0..100).map(|n| (n, n)).collect::<BTreeMap<u64, u64>>()) >= 1600);
    assert_eq!(held(|| Arc::new(Held::new([0_u8; 100]))), 116);
}

#[test]
fn what_lives_alone_on_the_heap_is_charged() {
    assert_eq!(held(|| super::Box::new([0_u8; 100])), 116);
    assert_eq!(held(|| super::Box::new([0_u8; 100]).into_inner()), 0);
    assert_eq!(
        held(|| super::Box::downcast(super::Box::new(1_u64).into_any()) as Option<super::Box<u64>>),
        24
    );
    assert!(held(|| super::Box::downcast(super::Box::new(1_u32).into_any()) as Option<super::Box<u64>>) == 0);
    let shared = || super::Arc::new([0_u8; 100]);
    assert_eq!(held(|| (shared(), 0)), 116);
    assert_eq!(held(|| [(); 3].map(|()| shared())), 348);
    assert_eq!(held(|| super::Arc::unwrap_or_clone(shared())), 0);
    assert_eq!(held(|| super::Arc::into_inner(shared())), 0);
    held(|| {
        let first = shared();
        let mut second = first.clone();
        super::Arc::make_mut(&mut second)[0] = 1;
        (first, second)
    });
    assert!(held(|| super::Bytes::from(&[0_u8; 100])) >= 100);
    assert!(held(|| super::Bytes::from(Arc::<[u8]>::from([0_u8; 100]))) >= 100);
    assert_eq!(held(super::Bytes::default), 0);
    let kept = [0_u8; 100];
    assert!(
        held(move || super::Task::of(async move {
            std::future::ready(()).await;
            kept
        })) >= 100
    );
}

#[test]
fn a_list_of_one_item_holds_nothing() {
    let few = |count: u64| (0..count).collect::<super::Few<_>>();
    assert_eq!([0, 1].map(|count| held(|| few(count))), [0, 0]);
    assert!(held(|| few(2)) >= 16);
    for count in 0..5 {
        let all: std::vec::Vec<u64> = (0..count).collect();
        assert_eq!(few(count).as_slice(), all);
        assert!(few(count).into_iter().eq(all.iter().copied()));
        let mut popped = few(count);
        assert_eq!(popped.pop(), all.last().copied());
        assert_eq!(popped.len(), all.len().saturating_sub(1));
    }
}

#[test]
fn what_is_taken_apart_is_given_back() {
    held(|| (0..100_u32).collect::<Vec<_>>().into_iter().take(3).collect::<Vec<_>>());
    held(|| (0..100_u32).collect::<VecDeque<_>>().into_iter().skip(90).collect::<Vec<_>>());
    held(|| (0..100_u32).map(|n| (n, n)).collect::<HashMap<_, _>>().into_iter().collect::<Vec<_>>());
    held(|| {
        let mut map: BTreeMap<_, _> = (0..100_u32).map(|n| (n, n)).collect();
        map.retain(|n, _| n % 2 == 0);
        map.remove(&2);
        map
    });
    held(|| Vec::from([1, 2, 3]).split_off(1));
    held(|| String::from_utf8(Vec::from(b"abcdef")).map(String::into_bytes));
}

#[test]
fn a_refusal_leaves_the_container_and_ends_the_run() {
    let meter = meter(1 << 20);
    {
        let _entered = meter.enter();
        let mut bytes = Vec::from(b"abc");
        bytes.resize(2 << 20, 0);
        assert_eq!(bytes, b"abc");
        let mut text = String::from("abc");
        text.push_str(&"x".repeat(2 << 20));
        assert_eq!(text, "abc");
        assert!(gauge::burn(1), "the next operation looks at the meter");
    }
    assert_eq!(meter.failure().map(|error| error.limit), Some(Limit::LiveBytes));
    assert!(meter.usage().peak_live_bytes <= 1 << 20);
}

#[test]
fn small_requests_are_granted_a_little_past_the_limit() {
    let meter = meter(0);
    {
        let _entered = meter.enter();
        let mut items = Vec::new();
        items.push(1_u64);
        assert_eq!(items, [1]);
        for n in 0..1_000_000_u64 {
            items.push(n);
        }
        assert!(items.len() < 2000);
    }
    assert_eq!(meter.failure().map(|error| error.limit), Some(Limit::LiveBytes));
}

#[test]
fn a_meter_that_is_entered_again_keeps_one_account() {
    let (outer, inner) = (meter(u64::MAX), meter(u64::MAX));
    let _entered = outer.enter();
    let bytes = Vec::<u8>::with_capacity(100);
    {
        let _again = outer.enter();
        let _entered = inner.enter();
        let _more = Vec::<u8>::with_capacity(1000);
    }
    // The peak is raised in steps.
    let step = gauge::PEAK_STEP as u64;
    assert_eq!((outer.usage().peak_live_bytes, inner.usage().peak_live_bytes), (100 + step, 1000 + step));
    drop(bytes);
    assert_eq!(gauge::live().0, 0);
}
