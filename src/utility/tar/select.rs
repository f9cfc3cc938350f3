//! Which files and members are meant: names with everything below them, and patterns that leave files out.

use super::error::{Result, TarError};
use super::settings::TarOptions;
use crate::memory::{ToMetered, Vec};
use crate::pattern::{Pattern, PatternOptions, Stopped};
use crate::text::Text;
use crate::utility::Context;
use crate::utility::context::pace::Pace;
use crate::utility::context::ticker::stopped;

/// How names and patterns are compared.
#[derive(Clone, Copy, Debug)]
pub(super) struct Matching {
    pub(super) wildcards: bool,
    /// A pattern matches from the start of the name only.
    pub(super) anchored: bool,
    pub(super) ignore_case: bool,
    /// `*` and `?` match a slash.
    pub(super) slash: bool,
}

/// A name or pattern.
#[derive(Clone, Debug)]
pub(super) struct Selector {
    text: Vec<u8>,
    pattern: Option<Pattern>,
    matching: Matching,
    /// Whether something was found that it selects.
    pub(super) is_found: bool,
    /// The directory that was named before it by `-C`.
    pub(super) directory: Option<Text>,
    /// Whether what is below it is taken.
    pub(super) recurses: bool,
    /// How many exclusions stand before it.
    pub(super) excludes: usize,
}

impl Selector {
    pub(super) fn new(text: &[u8], matching: Matching) -> Self {
        let options = PatternOptions {
            ignore_case: matching.ignore_case,
            pathname: !matching.slash,
            ..PatternOptions::default()
        };
        let trimmed = if text.len() > 1 { trim_slashes(text) } else { text };
        let is_pattern =
            matching.wildcards && trimmed.iter().any(|byte| matches!(byte, b'*' | b'?' | b'[' | b'\\'));
        let pattern = (is_pattern || matching.ignore_case).then(|| Pattern::parse(trimmed, options));
        Self {
            text: trimmed.to_metered(),
            pattern,
            matching,
            is_found: false,
            directory: None,
            recurses: true,
            excludes: 0,
        }
    }

    /// Its text, without slashes at its end.
    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    /// Whether it is compared from the start, as it is.
    pub(super) fn is_exact(&self) -> bool {
        self.pattern.is_none() && self.matching.anchored
    }

    /// Whether it is the name, a directory above it, or (where it is not anchored) the end of one of these.
    pub(super) async fn matches(&self, ctx: &Context, name: &[u8]) -> Result<bool> {
        let name = trim_slashes(name);
        let mut pace = Pace::Shared(&ctx.meter);
        let over = |_: Stopped| TarError::from(stopped(&ctx.meter));
        let mut start = 0;
        loop {
            let rest = name.get(start..).unwrap_or(&[]);
            match &self.pattern {
                None => {
                    let tail = rest.strip_prefix(self.text.as_slice());
                    if tail.is_some_and(|tail| tail.is_empty() || tail.starts_with(b"/")) {
                        return Ok(true);
                    }
                }
                // Each directory above the name is tried, and the name.
                Some(pattern) => {
                    for end in memchr::memchr_iter(b'/', rest).chain([rest.len()]) {
                        let head = rest.get(..end).unwrap_or(rest);
                        if pattern.matches_paced(head, &mut pace).await.map_err(over)? {
                            return Ok(true);
                        }
                    }
                }
            }
            pace.tick(8).await.map_err(over)?;
            if self.matching.anchored {
                return Ok(false);
            }
            match memchr::memchr(b'/', rest) {
                Some(slash) => start += slash + 1,
                None => return Ok(false),
            }
        }
    }
}

/// Without the slashes at the end.
pub(super) fn trim_slashes(name: &[u8]) -> &[u8] {
    let end = name.iter().rposition(|byte| *byte != b'/').map_or(name.len().min(1), |last| last + 1);
    name.get(..end).unwrap_or(name)
}

/// Whether one of the patterns leaves the name out.
pub(super) async fn is_excluded(ctx: &Context, patterns: &[Selector], name: &[u8]) -> Result<bool> {
    for pattern in patterns {
        if pattern.matches(ctx, name).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The selector of a member, which is marked as found; the inner `None`: there are none, so all are selected.
pub(super) async fn find_selector(
    ctx: &Context,
    settings: &mut TarOptions,
    name: &[u8],
) -> Result<Option<Option<Text>>> {
    if settings.names.is_empty() {
        return Ok(Some(None));
    }
    let name = trim_slashes(name);
    let mut found = None;
    // Names are looked up: those of a long list are not compared one by one.
    let above = memchr::memchr_iter(b'/', name).filter(|_| settings.recurses);
    for end in above.chain([name.len()]) {
        if let Some(index) = settings.exact.get(name.get(..end).unwrap_or(name)) {
            found = Some(*index);
            break;
        }
    }
    if found.is_none() && settings.exact.len() < settings.names.len() {
        for (index, selector) in settings.names.iter().enumerate() {
            if !selector.is_exact() && selector.matches(ctx, name).await? {
                found = Some(index);
                break;
            }
        }
    }
    let selector = found.and_then(|index| settings.names.get_mut(index));
    Ok(selector.map(|selector| {
        selector.is_found = true;
        selector.directory.clone()
    }))
}

/// What GNU tar leaves out with `--exclude-vcs`.
pub(super) const VERSION_CONTROL: [&[u8]; 20] = [
    b"CVS",
    b".cvsignore",
    b"RCS",
    b"SCCS",
    b".git",
    b".gitignore",
    b".gitattributes",
    b".gitmodules",
    b".svn",
    b".arch-ids",
    b"{arch}",
    b"=RELEASE-ID",
    b"=meta-update",
    b"=update",
    b".bzr",
    b".bzrignore",
    b".bzrtags",
    b".hg",
    b".hgignore",
    b".hgtags",
];

/// And with `--exclude-backups`.
pub(super) const BACKUPS: [&[u8]; 3] = [b".#*", b"*~", b"#*#"];
