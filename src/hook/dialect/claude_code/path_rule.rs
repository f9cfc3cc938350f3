//! The pattern of an `if` rule on a file (R14): a path glob.
//!
//! `*` and `?` stay inside a segment, `**` crosses segments, `[...]` is a set. `//x` and `/x` are absolute, `~/x` is below the
//! home directory, anything else with a slash is anchored at the working directory. A single segment fits the base name of
//! a file anywhere, or a file or directory right in the working directory. What fits a directory fits all below it.

use crate::hook::matcher::{Regex, RegexCompiler};
use crate::vfs::path;

/// See the module.
#[derive(Debug)]
pub(super) struct PathPattern {
    anchor: Anchor,
    regex: Regex,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Anchor {
    Root,
    Home,
    Directory,
    /// A single segment.
    Anywhere,
}

impl PathPattern {
    /// # Errors
    /// Why it cannot be used.
    pub(super) fn read(pattern: &str, compiler: &mut RegexCompiler) -> Result<Self, String> {
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
        let (anchor, rest) = if let Some(rest) = pattern.strip_prefix("~/") {
            (Anchor::Home, rest)
        } else if let Some(rest) = pattern.strip_prefix('/') {
            (Anchor::Root, rest.trim_start_matches('/'))
        } else if pattern.contains('/') {
            (Anchor::Directory, pattern)
        } else {
            (Anchor::Anywhere, pattern)
        };
        let rest = rest.trim_end_matches('/');
        let regex = compiler.compile(&format!("^(?s:{})(?:/.*)?$", translate(rest)))?;
        Ok(Self { anchor, regex })
    }

    /// Whether `file`, relative to `cwd` unless it is absolute, fits.
    pub(super) fn matches(&self, file: &str, cwd: &str, home: &str) -> bool {
        let file = path::normalise(&path::join(cwd.as_bytes(), file.as_bytes()));
        let file = String::from_utf8_lossy(&file);
        let below = |folder: &str| {
            let rest = file.strip_prefix(folder.trim_end_matches('/'))?;
            rest.strip_prefix('/')
        };
        let fits = |text: Option<&str>| text.is_some_and(|text| self.regex.is_match(text));
        match self.anchor {
            Anchor::Root => fits(file.strip_prefix('/')),
            Anchor::Home => fits(below(home)),
            Anchor::Directory => fits(below(cwd)),
            Anchor::Anywhere => fits(file.rsplit('/').next()) || fits(below(cwd)),
        }
    }
}

/// Wildcards with their expressions, longer ones first.
const WILDCARDS: [(&str, &str); 4] = [("**/", "(?:.*/)?"), ("**", ".*"), ("*", "[^/]*"), ("?", "[^/]")];

fn translate(glob: &str) -> String {
    let mut out = String::with_capacity(glob.len() + 16);
    let mut rest = glob;
    let mut has_sets = true;
    while let Some(letter) = rest.chars().next() {
        let found = WILDCARDS.iter().find_map(|(glob, regex)| Some((regex, rest.strip_prefix(glob)?)));
        if let Some((regex, tail)) = found {
            out.push_str(regex);
            rest = tail;
            continue;
        }
        if letter == '[' && has_sets {
            match rest.get(1..).and_then(|inner| inner.split_once(']')) {
                Some((set, tail)) if !set.is_empty() => {
                    push_set(set, &mut out);
                    rest = tail;
                    continue;
                }
                Some(_) => {}
                None => has_sets = false,
            }
        }
        out.push_str(&escaped(letter));
        rest = rest.get(letter.len_utf8()..).unwrap_or("");
    }
    out
}

fn push_set(set: &str, out: &mut String) {
    let (start, set) = set.strip_prefix(['!', '^']).map_or(("[", set), |set| ("[^/", set));
    out.push_str(start);
    for letter in set.chars() {
        if letter == '-' { out.push('-') } else { out.push_str(&escaped(letter)) }
    }
    out.push(']');
}

fn escaped(letter: char) -> String {
    regex::escape(letter.encode_utf8(&mut [0; 4]))
}
