//! Commands that run others, as data: a row tells how to find the command in the arguments.

/// How the arguments of a wrapper read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wrapper {
    pub(super) name: &'static str,
    /// Letters of options with an option-argument, attached or in the next word.
    pub(super) valued: &'static str,
    /// Letters of options whose option-argument can only be attached.
    pub(super) attached: &'static str,
    /// Long options with an option-argument.
    pub(super) long: &'static [&'static str],
    /// Operands before the command; [`ALL`]: every one, and options stand among them.
    pub(super) operands: usize,
    /// `name=value` operands before the command.
    pub(super) assignments: bool,
    /// Options (a letter each) with which no command is run.
    pub(super) idle: &'static str,
    /// The option whose argument is a text for a shell.
    pub(super) script: Option<(char, &'static str)>,
    /// The rest is joined by blanks and given to a shell.
    pub(super) joined: bool,
    /// What is run when there is no command.
    pub(super) alone: Alone,
}

/// What a wrapper does without a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alone {
    /// Nothing that runs a command.
    Nothing,
    /// A shell that reads its standard input.
    Shell,
}

/// A wrapper that takes its command from an option only.
pub(super) const ALL: usize = usize::MAX;

const BASE: Wrapper = Wrapper {
    name: "",
    valued: "",
    attached: "",
    long: &[],
    operands: 0,
    assignments: false,
    idle: "",
    script: None,
    joined: false,
    alone: Alone::Nothing,
};

/// Sorted by name.
static WRAPPERS: &[Wrapper] = &[
    Wrapper { name: "builtin", ..BASE },
    Wrapper { name: "busybox", ..BASE },
    Wrapper { name: "caffeinate", valued: "tw", ..BASE },
    Wrapper { name: "chroot", long: &["userspec", "groups"], operands: 1, alone: Alone::Shell, ..BASE },
    Wrapper {
        name: "chrt",
        valued: "TPD",
        long: &["sched-runtime", "sched-period", "sched-deadline"],
        operands: 1,
        idle: "p",
        ..BASE
    },
    Wrapper { name: "command", idle: "vV", ..BASE },
    Wrapper { name: "dbus-run-session", long: &["config-file", "dbus-daemon"], ..BASE },
    Wrapper { name: "doas", valued: "uC", idle: "L", alone: Alone::Shell, ..BASE },
    Wrapper { name: "env", valued: "uC", long: &["unset", "chdir"], assignments: true, ..BASE },
    Wrapper { name: "exec", valued: "a", ..BASE },
    Wrapper { name: "fakeroot", valued: "lsib", long: &["lib", "faked"], alone: Alone::Shell, ..BASE },
    Wrapper {
        name: "flock",
        valued: "wE",
        long: &["timeout", "wait", "conflict-exit-code"],
        operands: 1,
        script: Some(('c', "command")),
        ..BASE
    },
    Wrapper { name: "gosu", operands: 1, ..BASE },
    Wrapper { name: "ionice", valued: "cnuP", long: &["class", "classdata"], idle: "p", ..BASE },
    Wrapper { name: "ld.so", long: &["library-path", "preload", "argv0", "audit", "inhibit-rpath"], ..BASE },
    Wrapper { name: "linux32", ..BASE },
    Wrapper { name: "linux64", ..BASE },
    Wrapper { name: "nice", valued: "n", long: &["adjustment"], ..BASE },
    Wrapper { name: "nohup", ..BASE },
    Wrapper {
        name: "nsenter",
        valued: "t",
        attached: "miunpUCTrw",
        long: &["target"],
        alone: Alone::Shell,
        ..BASE
    },
    Wrapper {
        name: "parallel",
        valued: "jaINLnsSdEC",
        long: &[
            "jobs",
            "arg-file",
            "max-args",
            "delay",
            "timeout",
            "retries",
            "joblog",
            "results",
            "colsep",
            "delimiter",
            "tmpdir",
            "workdir",
        ],
        joined: true,
        alone: Alone::Shell,
        ..BASE
    },
    Wrapper { name: "pkexec", long: &["user"], alone: Alone::Shell, ..BASE },
    Wrapper { name: "proxychains", valued: "f", ..BASE },
    Wrapper { name: "proxychains4", valued: "f", ..BASE },
    Wrapper {
        name: "runuser",
        valued: "ugGsw",
        long: &["user", "group", "supp-group", "shell", "whitelist-environment"],
        script: Some(('c', "command")),
        alone: Alone::Shell,
        ..BASE
    },
    Wrapper {
        name: "script",
        valued: "EIOBTmot",
        long: &["echo", "log-in", "log-out", "log-io", "log-timing", "logging-format", "output-limit"],
        operands: ALL,
        script: Some(('c', "command")),
        alone: Alone::Shell,
        ..BASE
    },
    Wrapper { name: "setsid", ..BASE },
    Wrapper {
        name: "ssh",
        valued: "BbcDEeFIiJLlmOopQRSWw",
        operands: 1,
        joined: true,
        alone: Alone::Shell,
        ..BASE
    },
    Wrapper { name: "stdbuf", valued: "ioe", long: &["input", "output", "error"], ..BASE },
    Wrapper {
        name: "strace",
        valued: "aAbeEIoOPpsSuUX",
        long: &["output", "trace", "attach", "user"],
        ..BASE
    },
    Wrapper {
        name: "su",
        valued: "gGsw",
        long: &["group", "supp-group", "shell", "whitelist-environment"],
        operands: ALL,
        script: Some(('c', "command")),
        alone: Alone::Shell,
        ..BASE
    },
    Wrapper { name: "su-exec", operands: 1, ..BASE },
    Wrapper {
        name: "sudo",
        valued: "ugpChrtTUDRa",
        long: &[
            "user",
            "group",
            "prompt",
            "close-from",
            "host",
            "role",
            "type",
            "command-timeout",
            "other-user",
            "chdir",
            "chroot",
            "auth-type",
        ],
        assignments: true,
        idle: "elvV",
        alone: Alone::Shell,
        ..BASE
    },
    Wrapper {
        name: "systemd-run",
        valued: "EptuHMC",
        long: &[
            "property",
            "unit",
            "description",
            "slice",
            "uid",
            "gid",
            "nice",
            "setenv",
            "working-directory",
            "host",
            "machine",
        ],
        alone: Alone::Shell,
        ..BASE
    },
    Wrapper { name: "taskset", operands: 1, idle: "p", ..BASE },
    Wrapper { name: "time", valued: "fo", long: &["format", "output"], ..BASE },
    Wrapper { name: "timeout", valued: "ks", long: &["kill-after", "signal"], operands: 1, ..BASE },
    Wrapper { name: "toybox", ..BASE },
    Wrapper { name: "unbuffer", ..BASE },
    Wrapper {
        name: "unshare",
        valued: "SGRw",
        attached: "miunpUCT",
        long: &["setuid", "setgid", "root", "wd", "map-user", "map-group", "propagation", "setgroups"],
        alone: Alone::Shell,
        ..BASE
    },
    Wrapper { name: "watch", valued: "nq", long: &["interval", "equexit"], joined: true, ..BASE },
    Wrapper {
        name: "xargs",
        valued: "adEILnPs",
        attached: "eil",
        long: &["arg-file", "delimiter", "max-args", "max-procs", "max-chars", "process-slot-var"],
        ..BASE
    },
];

/// The row for a command of that name.
pub(super) fn find(name: &str) -> Option<&'static Wrapper> {
    let name = if name.starts_with("ld-linux") || name.starts_with("ld-musl") { "ld.so" } else { name };
    let index = WRAPPERS.binary_search_by(|row| row.name.cmp(name)).ok()?;
    WRAPPERS.get(index)
}

/// Shells whose language is near enough to be read.
pub(super) fn is_shell(name: &str) -> bool {
    matches!(name, "sh" | "bash" | "rbash" | "dash" | "ash" | "zsh" | "ksh" | "ksh93" | "mksh" | "hush")
}

/// Letters of the options with which a program of another language takes its text from an argument.
pub(super) fn language_options(name: &str) -> Option<&'static str> {
    let name = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    Some(match name {
        "python" | "pypy" => "c",
        "perl" => "eE",
        "ruby" | "lua" | "luajit" | "Rscript" | "R" | "julia" => "e",
        "node" | "nodejs" | "bun" => "ep",
        "php" => "rRBE",
        "fish" | "tcsh" | "csh" | "pwsh" | "powershell" | "nu" | "elvish" => "c",
        _ => return None,
    })
}

/// Whether a variable decides which programs run, or what they load first.
pub(super) fn is_loading_variable(name: &str) -> bool {
    matches!(
        name,
        "PATH"
            | "BASH_ENV"
            | "ENV"
            | "PROMPT_COMMAND"
            | "PS4"
            | "LD_PRELOAD"
            | "LD_AUDIT"
            | "LD_LIBRARY_PATH"
            | "ZDOTDIR"
    ) || name.starts_with("BASH_FUNC_")
}

#[cfg(test)]
mod tests {
    use super::WRAPPERS;

    #[test]
    fn rows_are_sorted() {
        for pair in WRAPPERS.windows(2) {
            assert!(pair[0].name < pair[1].name, "{} before {}", pair[0].name, pair[1].name);
        }
    }
}
