//! The entries that `ls` lists, and their order.

use super::style::{FollowOperands, Hidden, Indicator, Sort, Style};
use crate::memory::{ToMetered, Vec, format};
use crate::utility::file::join;
use crate::utility::file::real_path::{Missing, resolve};
use crate::utility::prelude::*;
use crate::vfs::{DirEntry, FileKind, Metadata};
use std::cmp::Ordering;

/// A file to be listed.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) name: Text,
    pub(super) path: Vec<u8>,
    pub(super) metadata: Metadata,
    /// A link's text, and what it leads to.
    pub(super) target: Option<(Text, Option<Metadata>)>,
    /// Where a terminal leads to from its name.
    pub(super) link: Option<Vec<u8>>,
}

/// The address of a file on the style's host, if names lead to files.
pub(super) fn address(ctx: &Context, style: &Style, path: &[u8]) -> Option<Vec<u8>> {
    let host = style.hyperlink.as_ref()?;
    let path = resolve(ctx, path, Missing::Any).unwrap_or_else(|_| ctx.absolute(path));
    let mut address = b"file://".to_metered();
    escape_into(host, &mut address);
    escape_into(&path, &mut address);
    Some(address)
}

/// Percent signs stand for what an address cannot have.
fn escape_into(text: &[u8], out: &mut Vec<u8>) {
    for byte in text {
        if byte.is_ascii_alphanumeric() || b"/~-._".contains(byte) {
            out.push(*byte);
        } else {
            out.extend_from_slice(format!("%{byte:02x}").as_bytes());
        }
    }
}

impl Entry {
    /// An operand: links are followed as the style says.
    pub(super) fn of_operand(ctx: &Context, style: &Style, operand: &Text) -> Result<Self, FsError> {
        let own = ctx.lstat(operand)?;
        if own.is_symlink() && style.follow_operands != FollowOperands::None {
            match ctx.stat(operand) {
                Ok(target) if style.follow_operands == FollowOperands::All || target.is_directory() => {
                    return Ok(Self {
                        name: operand.clone(),
                        path: operand.to_metered(),
                        metadata: target,
                        target: None,
                        link: address(ctx, style, operand),
                    });
                }
                Err(error)
                    if style.follow_operands == FollowOperands::All
                        || !matches!(error, FsError::Errno(Errno::NotFound)) =>
                {
                    return Err(error);
                }
                _ => {}
            }
        }
        Self::new(ctx, style, operand.clone(), operand.to_metered(), own)
    }

    fn new(ctx: &Context, style: &Style, name: Text, path: Vec<u8>, own: Metadata) -> Result<Self, FsError> {
        let link = address(ctx, style, &path);
        if !own.is_symlink() {
            return Ok(Self { name, path, metadata: own, target: None, link });
        }
        let found = match ctx.stat(&path) {
            Ok(metadata) => Some(metadata),
            Err(error @ FsError::Limit(_)) => return Err(error),
            Err(FsError::Errno(errno)) if style.follow => return Err(errno.into()),
            Err(FsError::Errno(_)) => None,
        };
        if let (true, Some(metadata)) = (style.follow, &found) {
            let metadata = metadata.clone();
            return Ok(Self { name, path, metadata, target: None, link });
        }
        let text = ctx.fs().read_link(&ctx.absolute(&path))?;
        Ok(Self { name, path, metadata: own, target: Some((text, found)), link })
    }

    /// Whether it, or what it leads to, is a directory.
    fn leads_to_directory(&self) -> bool {
        let target = self.target.as_ref().and_then(|(_, metadata)| metadata.as_ref());
        self.metadata.is_directory() || target.is_some_and(Metadata::is_directory)
    }
}

/// The character after a name.
pub(super) fn indicator(style: &Style, metadata: &Metadata) -> Option<u8> {
    match metadata.kind {
        FileKind::Directory if style.indicator >= Indicator::Slash => Some(b'/'),
        FileKind::Symlink if style.indicator >= Indicator::FileType => Some(b'@'),
        FileKind::Fifo if style.indicator >= Indicator::FileType => Some(b'|'),
        FileKind::Regular if style.indicator == Indicator::Classify && metadata.mode & 0o111 != 0 => {
            Some(b'*')
        }
        _ => None,
    }
}

/// Paths that could not be looked at.
type Failures = Vec<(Vec<u8>, FsError)>;

/// The entries of a directory that are shown.
pub(super) async fn gather(
    ctx: &mut Context,
    style: &Style,
    directory: &[u8],
    names: Vec<DirEntry>,
) -> Result<(Vec<Entry>, Failures), UtilityError> {
    let mut entries = Vec::new();
    let mut failures = Vec::new();
    let dots = [Text::from_static(b"."), Text::from_static(b"..")];
    let dots = dots.into_iter().filter(|_| style.hidden == Hidden::All);
    for name in dots.chain(names.into_iter().map(|entry| entry.name)) {
        ctx.tick().await?;
        if !style.shows(&name) {
            continue;
        }
        let path = join(directory, &name);
        let entry = ctx.lstat(&path).and_then(|own| Entry::new(ctx, style, name, path.clone(), own));
        match entry {
            Ok(entry) => entries.push(entry),
            Err(FsError::Limit(limit)) => return Err(limit.into()),
            Err(error) => failures.push((path, error)),
        }
    }
    Ok((entries, failures))
}

/// Sorts as the style says.
pub(super) fn sort(style: &Style, entries: &mut Vec<Entry>) {
    if style.sort == Sort::None {
        return;
    }
    entries.sort_by(|a, b| {
        let by_key = match style.sort {
            Sort::Time => style.moment(&b.metadata).cmp(&style.moment(&a.metadata)),
            Sort::Size => b.metadata.size.cmp(&a.metadata.size),
            Sort::Extension => extension(&a.name).cmp(extension(&b.name)),
            Sort::Version => compare_versions(&a.name, &b.name),
            Sort::Width => style.shown_name(&a.name).len().cmp(&style.shown_name(&b.name).len()),
            Sort::Name | Sort::None => Ordering::Equal,
        };
        let order = by_key.then_with(|| a.name.cmp(&b.name));
        let order = if style.reverse { order.reverse() } else { order };
        let first = if style.directories_first {
            b.leads_to_directory().cmp(&a.leads_to_directory())
        } else {
            Ordering::Equal
        };
        first.then(order)
    });
}

/// From the last dot on; nothing without one.
fn extension(name: &[u8]) -> &[u8] {
    name.iter().rposition(|&byte| byte == b'.').and_then(|dot| name.get(dot..)).unwrap_or(&[])
}

/// Numbers in names by their value: GNU's version order. Names are compared without their file suffix first.
pub(in crate::utility) fn compare_versions(a: &[u8], b: &[u8]) -> Ordering {
    let hidden = |name: &[u8]| name.starts_with(b".");
    let special = |name: &[u8]| match name {
        b"." => 0,
        b".." => 1,
        _ if hidden(name) => 2,
        _ => 3,
    };
    special(a)
        .cmp(&special(b))
        .then_with(|| compare_runs(without_suffix(a), without_suffix(b)))
        .then_with(|| compare_runs(a, b))
}

/// The name without the suffixes `(\.[A-Za-z~][A-Za-z0-9~]*)*` at its end.
fn without_suffix(name: &[u8]) -> &[u8] {
    let mut end = name.len();
    loop {
        let head = name.get(..end).unwrap_or(name);
        let Some(dot) = head.iter().rposition(|&byte| byte == b'.') else { return head };
        let suffix = head.get(dot + 1..).unwrap_or(&[]);
        let starts = suffix.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'~');
        if dot == 0 || !starts || !suffix.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'~') {
            return head;
        }
        end = dot;
    }
}

fn compare_runs(mut a: &[u8], mut b: &[u8]) -> Ordering {
    // Letters sort before other characters, `~` before everything.
    let weight = |byte: Option<&u8>| match byte {
        None => 0,
        Some(b'~') => -1,
        Some(byte) if byte.is_ascii_digit() => 0,
        Some(byte) if byte.is_ascii_alphabetic() => i32::from(*byte),
        Some(byte) => i32::from(*byte) + 256,
    };
    while !a.is_empty() || !b.is_empty() {
        while a.first().is_some_and(|byte| !byte.is_ascii_digit())
            || b.first().is_some_and(|byte| !byte.is_ascii_digit())
        {
            let order = weight(a.first()).cmp(&weight(b.first()));
            if order != Ordering::Equal {
                return order;
            }
            a = a.get(1..).unwrap_or(&[]);
            b = b.get(1..).unwrap_or(&[]);
        }
        let (left, rest_a) = digits(a);
        let (right, rest_b) = digits(b);
        let order = left.len().cmp(&right.len()).then_with(|| left.cmp(right));
        if order != Ordering::Equal {
            return order;
        }
        (a, b) = (rest_a, rest_b);
    }
    Ordering::Equal
}

/// The number at the start, without leading zeros, and the rest.
fn digits(text: &[u8]) -> (&[u8], &[u8]) {
    let zeros = text.iter().take_while(|&&byte| byte == b'0').count();
    let text = text.get(zeros..).unwrap_or(&[]);
    let count = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    text.split_at_checked(count).unwrap_or((text, &[]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_order() {
        let mut names: [&[u8]; 7] = [b"z10", b"z9", b"a-1.10.tar", b"a-1.9.tar", b".x", b"z1.txt", b"z01"];
        names.sort_by(|a, b| compare_versions(a, b).then_with(|| a.cmp(b)));
        let want: [&[u8]; 7] = [b".x", b"a-1.9.tar", b"a-1.10.tar", b"z01", b"z1.txt", b"z9", b"z10"];
        assert_eq!(names, want);
    }
}
