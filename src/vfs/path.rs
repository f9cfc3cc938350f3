//! Virtual paths: byte strings with `/` between components. Nothing here looks at a file system, the host's least of all.
//!
//! `.`, `..` and symbolic links are resolved by the walk in `resolve.rs`, component by component, as POSIX XBD 4.16
//! Pathname Resolution says; what is here only joins and splits.
use crate::memory::{ToMetered, Vec};

/// Longest path in bytes, its closing NUL on Linux counted: paths have to be shorter.
pub(super) const PATH_MAX: usize = 4096;
/// Longest component in bytes.
pub(super) const NAME_MAX: usize = 255;
/// Symbolic links followed in one resolution.
pub(super) const LINKS_MAX: usize = 40;

/// `path` as seen from the directory `cwd`: an absolute `path` stays, any other is appended. Resolves nothing.
pub(crate) fn join(cwd: &[u8], path: &[u8]) -> Vec<u8> {
    if path.starts_with(b"/") {
        return path.to_metered();
    }
    let mut joined = Vec::with_capacity(cwd.len() + path.len() + 1);
    joined.extend_from_slice(cwd);
    if !path.is_empty() && !cwd.ends_with(b"/") {
        joined.push(b'/');
    }
    joined.extend_from_slice(path);
    joined
}

/// The components of a path, without empty ones.
pub(crate) fn components(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.split(|&byte| byte == b'/').filter(|component| !component.is_empty())
}

/// Resolves `.` and `..` in the text alone (`cd -L`, POSIX XCU `cd` step 8): `/a/./b/../c` becomes `/a/c`. The result is
/// absolute and has no slash at its end unless it is `/`.
pub(crate) fn normalise(path: &[u8]) -> Vec<u8> {
    let mut kept: Vec<&[u8]> = Vec::new();
    for component in components(path) {
        match component {
            b"." => {}
            b".." => drop(kept.pop()),
            name => kept.push(name),
        }
    }
    let mut normal = Vec::with_capacity(path.len() + 1);
    for name in kept {
        normal.push(b'/');
        normal.extend_from_slice(name);
    }
    if normal.is_empty() { b"/".to_metered() } else { normal }
}

/// The text before the last component and the last component, slashes at the end left out: `/a/b/` is `/a` and `b`.
/// `None` for the root.
pub(crate) fn split_last(path: &[u8]) -> Option<(&[u8], &[u8])> {
    let end = path.iter().rposition(|&byte| byte != b'/')? + 1;
    let path = path.get(..end)?;
    let slash = path.iter().rposition(|&byte| byte == b'/');
    match slash {
        None => Some((b"", path)),
        Some(at) => {
            let (parent, name) = (path.get(..at)?, path.get(at + 1..)?);
            Some((if parent.is_empty() { b"/" } else { parent }, name))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins() {
        for (cwd, path, joined) in [
            ("/", "a", "/a"),
            ("/a", "b/../c", "/a/b/../c"),
            ("/a/", "b", "/a/b"),
            ("/a", "/b", "/b"),
            ("/a", "", "/a"),
        ] {
            assert_eq!(join(cwd.as_bytes(), path.as_bytes()), joined.as_bytes(), "{cwd} {path}");
        }
    }

    #[test]
    fn normalises() {
        for (path, normal) in
            [("", "/"), ("/..", "/"), ("/a/./b/../c/", "/a/c"), ("//a///b", "/a/b"), ("/a/..", "/")]
        {
            assert_eq!(normalise(path.as_bytes()), normal.as_bytes(), "{path}");
        }
    }

    #[test]
    fn splits() {
        assert_eq!(split_last(b"/"), None);
        assert_eq!(split_last(b""), None);
        assert_eq!(split_last(b"/a"), Some((&b"/"[..], &b"a"[..])));
        assert_eq!(split_last(b"/a/b//"), Some((&b"/a"[..], &b"b"[..])));
        assert_eq!(split_last(b"a"), Some((&b""[..], &b"a"[..])));
    }
}
