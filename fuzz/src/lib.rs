//! What the fuzzer runs: one function over bytes for each target, and nothing of the fuzzer itself. `fuzz_targets/` hands
//! each to the fuzzer; `tests/fuzz_targets.rs` of the parent runs all of them over the seeds, on any toolchain.

pub mod target;
