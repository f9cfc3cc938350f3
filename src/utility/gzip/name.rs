//! Names of compressed files: which suffixes `gzip` knows, and what a name becomes.

use crate::memory::{JoinMetered, ToMetered, Vec};

const KNOWN: [&[u8]; 7] = [b".gz", b".z", b".taz", b".tgz", b"-gz", b"-z", b"_z"];

/// What is tried after a name that is not there.
pub(super) const TRIED: [&[u8]; 4] = [b".gz", b".z", b"-z", b".Z"];

/// The suffix of `name` that says it is compressed: the one of the option, or a known one.
pub(super) fn suffix<'n>(name: &'n [u8], own: &[u8]) -> Option<&'n [u8]> {
    let base = name.rsplit(|&byte| byte == b'/').next().unwrap_or(name);
    let found = |suffix: &[u8], folds: bool| {
        let at = base.len().checked_sub(suffix.len()).filter(|at| *at > 0)?;
        let end = base.get(at..)?;
        let same = if folds { end.eq_ignore_ascii_case(suffix) } else { end == suffix };
        (same && base.get(at - 1) != Some(&b'/')).then_some(end)
    };
    found(own, false).or_else(|| KNOWN.iter().find_map(|known| found(known, true)))
}

/// The name of what is compressed in `name`.
pub(super) fn plain(name: &[u8], suffix: &[u8]) -> Vec<u8> {
    let stem = name.strip_suffix(suffix).unwrap_or(name);
    if suffix.eq_ignore_ascii_case(b".tgz") || suffix.eq_ignore_ascii_case(b".taz") {
        return [stem, b".tar"].concat_metered();
    }
    stem.to_metered()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_and_names() {
        for (name, want) in [
            ("a.gz", Some("a")),
            ("d.gz/a.TGZ", Some("d.gz/a.tar")),
            ("a-z", Some("a")),
            (".gz", None),
            ("d/.gz", None),
            ("a", None),
        ] {
            let found = suffix(name.as_bytes(), b".gz").map(|end| plain(name.as_bytes(), end));
            assert_eq!(found.as_deref(), want.map(str::as_bytes), "{name}");
        }
    }
}
