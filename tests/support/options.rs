//! A hostile row for each option of each utility: the option, with values that are small, huge, long and wrong, on one long line, on
//! many lines and on random bytes. The options are those that `--help` shows, `-h` of git's subcommands.

use crate::rows::Row;
use hookbox::sandbox::{Sandbox, Script};
use std::path::Path;

/// What the rows find in their session.
const FILES: &str = "head -c 1000000 /dev/zero | tr '\\0' a >long; seq 100000 >lines; head -c 200000 /dev/urandom >bytes
    git init -q . && git add long lines && git -c user.name=a -c user.email=a@example.com commit -qm x && seq 100001 >lines";

/// Values of an option that takes one; `$x` has a million characters.
const VALUES: &[&str] = &["3", "99999999999999999999", "a,b", "$x"];

/// Prints a line `NAME` and what `--help` says of each utility.
const ASK: &str = "for name in $(compgen -c | sort -u); do
        [[ $(type -t \"$name\") == file ]] || continue
        printf '=%s\\n' \"$name\"; timeout 1 \"$name\" --help </dev/null 2>/dev/null
    done
    git init -q .
    for name in $SUBCOMMANDS; do printf '=git %s\\n' \"$name\"; git $name -h 2>/dev/null; done";

/// All rows, in the order of the utilities' names.
pub(crate) fn load() -> Vec<Row> {
    let mut rows = Vec::new();
    let mut name = String::new();
    for line in help().lines() {
        match line.strip_prefix('=') {
            Some(next) => {
                next.clone_into(&mut name);
                rows.push(row(&name, "", false));
            }
            None => rows.extend(option(line).map(|(option, takes_value)| row(&name, &option, takes_value))),
        }
    }
    rows.sort_by(|one, other| one.name.cmp(&other.name));
    rows.dedup_by(|one, other| one.name == other.name);
    rows
}

fn help() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/utility/git/command");
    let files = std::fs::read_dir(folder).expect("the subcommands of git");
    let names = files.filter_map(|file| {
        let name = file.expect("a file").file_name().into_string().expect("UTF-8");
        Some(name.strip_suffix(".rs")?.trim_end_matches('_').replace('_', "-")).filter(|name| name != "mod")
    });
    let mut names: Vec<String> = names.collect();
    names.sort();
    let script = format!("SUBCOMMANDS='{}'; {ASK}", names.join(" "));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
    let mut limits = hookbox::limit::Limits::interactive();
    limits.output_bytes = 16 << 20;
    let sandbox = Sandbox::builder().limits(limits).build().expect("a sandbox");
    let output = runtime.block_on(sandbox.start(Script::command(script.as_bytes())));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The option that a line of help shows, the long name where it has one, and whether it takes a value.
fn option(line: &str) -> Option<(String, bool)> {
    let shown = line.strip_prefix("  ")?.trim_start();
    let shown = shown.split("  ").next().filter(|shown| shown.starts_with('-'))?;
    let last = shown.split(", ").last()?;
    let end = last.find(['=', ' ', '[']).unwrap_or(last.len());
    let name = last.get(..end)?;
    Some((name.to_owned(), end < last.len() && !name.is_empty()))
}

fn row(name: &str, option: &str, takes_value: bool) -> Row {
    let values = if takes_value { VALUES } else { &[""] };
    let mut script = String::from("printf -v x %01000000d 0\n{\n");
    for value in values {
        let given = match (takes_value, option.starts_with("--")) {
            (false, _) => option.to_owned(),
            (true, true) => format!("{option}={value}"),
            (true, false) => format!("{option} {value}"),
        };
        for operands in ["long", "a lines", "<bytes", "lines long bytes", "9 </dev/null"] {
            script.extend([name, " ", &given, " ", operands, "\n"]);
        }
    }
    script += "} >/dev/null 2>&1 </dev/null";
    let mut row = Row::of_script(&format!("options: {name} {option}"), &script);
    FILES.clone_into(&mut row.before);
    row.together = true;
    row
}
