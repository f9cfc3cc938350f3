//! A case of `tests/cases`, ready to run: its sandbox and its script.

use crate::support::Case;
use hookbox::limit::Limits;
use hookbox::sandbox::{Sandbox, Script, Source};
use hookbox::text::Text;

pub(crate) fn sandbox(case: &Case) -> (Sandbox, Script) {
    let mut limits = Limits::default_profile();
    // Cases are not about time: even an unoptimised build on a busy machine is far from it.
    limits.wall_time_ms = 60_000;
    let sandbox =
        Sandbox::builder().limits(limits).cwd("/work").file("/tmp/.keep", "").build().expect("a sandbox");
    sandbox.fs().create_dir(b"/tmp/work", 0o755).ok();
    let mut script = Script::command(&case.script);
    script.cwd = Some(Text::from("/tmp/work"));
    script.bare_environment = true;
    for (name, value) in [
        ("HOME", "/home/agent"),
        ("PATH", "/usr/local/bin:/usr/bin:/bin"),
        ("LANG", "C.UTF-8"),
        ("LC_ALL", "C.UTF-8"),
        ("TZ", "UTC"),
    ] {
        script.environment.set(Text::from(name), Text::from(value));
    }
    script.stdin = Source::Bytes(Text::from(case.stdin.clone()));
    script.posix = case.shell_sh;
    if case.shell_sh {
        script.name = Text::from("sh");
    }
    (sandbox, script)
}
