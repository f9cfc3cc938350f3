//! The small languages inside the shell: regular expressions, patterns, arithmetic, formats. They get in by variables, which
//! no script can tell from code of its own.

use super::parts;
use super::session::Trial;

fn check(script: &[u8], arguments: Vec<&[u8]>) {
    let ran = Trial { script, arguments, stdin: b"", files: &[] }.run_twice();
    if ran.exited() {
        ran.found_nothing();
    }
}

/// Arguments end at a NUL, as everywhere in a shell.
fn word(part: &[u8]) -> &[u8] {
    part.split(|&byte| byte == 0).next().unwrap_or_default()
}

/// A regular expression and a text, in `[[ =~ ]]`, expr, awk, jq, grep and find.
pub fn regex(data: &[u8]) {
    const SCRIPT: &[u8] = include_bytes!("scripts/regex.sh");
    let [pattern, text] = parts(data).map(word);
    check(SCRIPT, vec![pattern, text]);
}

/// A pattern and a text, in `case`, `[[ ]]`, the operators of parameters and file names.
pub fn pattern(data: &[u8]) {
    const SCRIPT: &[u8] = include_bytes!("scripts/pattern.sh");
    let [pattern, text] = parts(data).map(word);
    check(SCRIPT, vec![pattern, text]);
}

/// An expression: its value does not depend on how it is asked for.
pub fn arithmetic(data: &[u8]) {
    const SCRIPT: &[u8] = include_bytes!("scripts/arithmetic.sh");
    let [expression] = parts(data).map(word);
    // Names in capitals may be of variables that differ each time, and `_` does.
    check(SCRIPT, vec![expression]);
}

/// A format and arguments, in printf, date and others; what is quoted is read back as it was.
pub fn format(data: &[u8]) {
    const SCRIPT: &[u8] = include_bytes!("scripts/format.sh");
    let [format, one, two] = parts(data).map(word);
    check(SCRIPT, vec![format, one, two]);
}
