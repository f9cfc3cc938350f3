//! What nests costs as much more as it is deeper: nothing is compiled or expanded twice at each level. All pairs of ways in
//! which a word can stand inside another are tried, by the operations that a run counts.

#![allow(clippy::panic, reason = "a test")]

use hookbox::limit::{Limit, Limits};
use hookbox::sandbox::Sandbox;

/// What stands before and behind a word that is inside another.
const WORDS: &[(&str, &str)] = &[
    ("$(: ", ")"),
    ("\"$(: ", ")\""),
    ("{a,", "}"),
    ("{a,$(: ", "),b}"),
    ("${x:-", "}"),
    ("${a[", "]}"),
    ("${a[$(: ", ")]}"),
    ("${x/", "/}"),
    ("${x//y/", "}"),
    ("${x:", "}"),
    ("$((0+", "))"),
    ("$((a[", "]))"),
    ("<(: ", ")"),
    ("$(x=", ")"),
    ("$(x=(", "))"),
    ("$(x=([0]={a,", "}))"),
    ("$(x=([", "]=~))"),
    ("$(x[", "]=1)"),
    ("$(x[", "]+=(1))"),
    ("$(declare x=", ")"),
    ("$(declare x={a,", "})"),
    ("$(declare x[", "]=1)"),
    ("$(export x=~:", ")"),
    ("$(for i in ", "; do :; done)"),
    ("$(case ", " in a) ;; esac)"),
    ("$(case a in ", ") ;; esac)"),
    ("$([[ -v a[", "] ]])"),
    ("$([[ a == ", " ]])"),
    ("$([[ a[", "] -eq 1 ]])"),
    ("$(( a[", "] ))"),
    ("$(let ", ")"),
    ("$(unset a[", "])"),
    ("$(: <<<", ")"),
    ("$(: >&", ")"),
    ("$(f() { : ", "; }; f)"),
    ("$(if : ", "; then :; fi)"),
    ("$(while ! : ", "; do :; done)"),
    ("$(: | : ", ")"),
    ("$(: && : ", ")"),
    ("$(eval : ", ")"),
    ("$(x=1 : ", ")"),
];

fn operations(script: &str) -> u64 {
    let mut limits = Limits::default_profile();
    // A busy machine may be slow.
    limits.set(Limit::WallTime, 600_000);
    limits.set(Limit::ParseTime, 600_000);
    limits.set(Limit::Operations, 2_000_000);
    let sandbox = Sandbox::builder().limits(limits).build().expect("a sandbox");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    runtime.block_on(sandbox.run(script)).usage.operations
}

/// The innermost word is one that none of them takes amiss.
fn nested(depth: usize, pairs: [(&str, &str); 2]) -> String {
    let [(open, close), (inner_open, inner_close)] = pairs;
    let opened = format!("{open}{inner_open}").repeat(depth);
    let closed = format!("{inner_close}{close}").repeat(depth);
    format!(": {opened}0{closed}")
}

#[test]
fn words_in_words_cost_no_more_than_their_depth() {
    let mut wrong = Vec::new();
    for outer in WORDS {
        for inner in WORDS {
            let [small, large] = [5, 10].map(|depth| operations(&nested(depth, [*outer, *inner])));
            // Each level may cost a process; what doubles at each of ten levels costs thirty times as much.
            if large > 5 * small + 2_000 {
                wrong.push(format!("{small} and {large}: {}", nested(1, [*outer, *inner])));
            }
        }
    }
    assert!(wrong.is_empty(), "{} pairs\n{}", wrong.len(), wrong.join("\n"));
}
