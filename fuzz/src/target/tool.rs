//! Utilities with languages of their own, and every other with its options.

use super::parts;
use super::session::{Trial, sum};

/// A filter, its input, and options. What is printed reads back as what was printed.
pub fn jq(data: &[u8]) {
    const SCRIPT: &[u8] = include_bytes!("scripts/jq.sh");
    let [filter, input, options] = parts(data);
    let files = [("filter", filter), ("input", input), ("options", options)];
    let ran = Trial { script: SCRIPT, arguments: vec![], stdin: b"", files: &files }.run_twice();
    if ran.exited() {
        ran.found_nothing();
    }
}

/// A program, its input, and options.
pub fn awk(data: &[u8]) {
    const SCRIPT: &[u8] = b"set -f; awk $(cat options) -f program input - <<< standard";
    language(SCRIPT, data);
}

/// A script, its input, and options.
pub fn sed(data: &[u8]) {
    const SCRIPT: &[u8] = b"set -f; sed $(cat options) -f program input - <<< standard";
    language(SCRIPT, data);
}

fn language(script: &[u8], data: &[u8]) {
    let [program, input, options] = parts(data);
    let files = [("program", program), ("input", input), ("options", options)];
    Trial { script, arguments: vec![], stdin: b"", files: &files }.run_twice();
}

/// A pattern and texts: a basic, extended, fixed or Perl's pattern, as the bytes say. Each line is selected or it is not, numbered or not, and what
/// grep selects sed selects too.
pub fn grep(data: &[u8]) {
    const SCRIPT: &[u8] = include_bytes!("scripts/grep.sh");
    const AGREES: &[u8] = include_bytes!("scripts/grep_and_sed.sh");
    let [pattern, text, options] = parts(data);
    // sed leaves a last line without its newline as it is, grep does not.
    let text = &[text, b"\n"].concat();
    // A file of no bytes has no pattern, a newline parts two, and an empty expression of sed is the last one.
    let files = [("pattern", pattern), ("text", text), ("options", options)];
    let script = |script, mode| Trial { script, arguments: vec![mode], stdin: b"", files: &files };
    let modes: [&[u8]; 4] = [b"-G", b"-E", b"-F", b"-P"];
    let mode = modes[sum(data) % 4];
    let ran = script(SCRIPT, mode).run_twice();
    let is_text = !text.contains(&0);
    if ran.exited() && is_text && !pattern.is_empty() {
        ran.found_nothing();
    }
    // What sed reads into an expression before it compiles it: the delimiter and escapes.
    let has_sed = matches!(mode, b"-G" | b"-E");
    if has_sed && is_text && !pattern.is_empty() && !pattern.iter().any(|byte| b"\n/\\\0".contains(byte)) {
        let ran = script(AGREES, mode).run();
        if ran.exited() {
            ran.found_nothing();
        }
    }
}

/// A command of words, its standard input and a file.
pub fn utility(data: &[u8]) {
    let [words, stdin, file] = parts(data);
    let words: Vec<_> = words.split(|byte| b" \n".contains(byte)).filter(|word| !word.is_empty()).collect();
    let files = [("file", file), ("other", b"a 1\nb 2\n")];
    Trial { script: b"\"$@\"", arguments: words, stdin, files: &files }.run_twice();
}
