//! `tree --fromfile`: a listing of paths, as `find` prints them, in place of directories that are read.

use super::options::{Opt, Settings};
use super::read::{Entry, Listing, sort};
use crate::memory::{HashMap, Vec};
use crate::utility::prelude::*;
use crate::vfs::FileKind;

/// Reads the files that are named; `.` is standard input.
pub(super) async fn read(ctx: &mut Context, settings: &Settings) -> Result<Listing, UtilityError> {
    let mut listing = Listing::default();
    for operand in settings.roots() {
        let input = if operand.as_bytes() == b"." { Ok(ctx.standard_input()) } else { ctx.open(&operand) };
        // It is told as what it is, and holds what it names.
        let kind = ctx.lstat(&operand).map_or(FileKind::Regular, |metadata| metadata.kind);
        let mut entry = Entry::new(operand.clone(), operand.clone(), kind);
        entry.is_directory = true;
        let root = listing.add(entry, None);
        match input {
            Ok(input) => read_paths(ctx, settings, &mut listing, root, input).await?,
            Err(FsError::Limit(limit)) => return Err(limit.into()),
            Err(FsError::Errno(_)) => {
                listing.has_failed = true;
                if let Some(entry) = listing.entries.get_mut(root) {
                    entry.error = Some("error opening dir".into());
                }
            }
        }
    }
    Ok(listing)
}

/// A directory or file of the paths, by its name in its directory.
#[derive(Default)]
struct Node {
    children: HashMap<Text, usize>,
    is_directory: bool,
    target: Option<Text>,
}

async fn read_paths(
    ctx: &mut Context,
    settings: &Settings,
    listing: &mut Listing,
    root: usize,
    mut input: Input,
) -> Result<(), UtilityError> {
    let mut nodes: Vec<Node> = Vec::new();
    nodes.push(Node { is_directory: true, ..Node::default() });
    loop {
        ctx.tick().await?;
        let line = match input.next_line(b'\n').await {
            Ok(Some(line)) => line,
            Ok(None) => break,
            Err(FsError::Limit(limit)) => return Err(limit.into()),
            Err(FsError::Errno(_)) => break,
        };
        let line = line.strip_suffix(b"\n").unwrap_or(line);
        let (path, target) = match memchr::memmem::find(line, b" -> ") {
            Some(at) if settings.has(Opt::LinksOfFile) => {
                (line.get(..at).unwrap_or_default(), line.get(at + 4..).map(Text::from))
            }
            _ => (line, None),
        };
        let mut at = 0;
        let ends_in_slash = path.ends_with(b"/");
        let parts: Vec<&[u8]> = path.split(|&byte| byte == b'/').filter(|part| !part.is_empty()).collect();
        ctx.tick_many(parts.len() as u32);
        for (index, &part) in parts.iter().enumerate() {
            if part == b"." && at == 0 {
                continue;
            }
            let known = nodes.get(at).and_then(|node| node.children.get(part)).copied();
            let next = known.unwrap_or_else(|| {
                let next = nodes.add(Node::default());
                if let Some(node) = nodes.get_mut(at) {
                    node.children.insert(Text::from(part), next);
                }
                next
            });
            let is_last = index + 1 == parts.len();
            if let Some(node) = nodes.get_mut(next) {
                node.is_directory |= !is_last || ends_in_slash;
                if is_last && target.is_some() {
                    node.target.clone_from(&target);
                }
            }
            at = next;
        }
    }
    add_all(ctx, settings, listing, root, &nodes).await
}

/// Puts the paths into the listing, in order.
async fn add_all(
    ctx: &mut Context,
    settings: &Settings,
    listing: &mut Listing,
    root: usize,
    nodes: &[Node],
) -> Result<(), UtilityError> {
    let mut waiting = crate::memory::vec![(root, 0_usize, 0_usize)];
    while let Some((id, number, depth)) = waiting.pop() {
        ctx.tick().await?;
        let (Some(node), true) = (nodes.get(number), depth < settings.level) else { continue };
        let path = listing.get(id).map(|entry| entry.path.clone()).unwrap_or_default();
        let mut entries = Vec::new();
        ctx.tick_many(node.children.len() as u32);
        for (name, &child) in &node.children {
            let Some(of) = nodes.get(child) else { continue };
            if settings.has(Opt::DirectoriesOnly) && !of.is_directory {
                continue;
            }
            let kind = match &of.target {
                Some(_) => FileKind::Symlink,
                None if of.is_directory => FileKind::Directory,
                None => FileKind::Regular,
            };
            let mut entry =
                Entry::new(name.clone(), Text::from(crate::utility::file::join(&path, name)), kind);
            entry.target.clone_from(&of.target);
            if super::read::is_named(settings, &mut entry) {
                entries.push(entry);
            }
        }
        sort(settings, &mut entries);
        if let Some(entry) = listing.entries.get_mut(id) {
            entry.is_open = !entries.is_empty();
        }
        let mut below = Vec::new();
        for entry in entries {
            let child = node.children.get(&entry.name).copied().unwrap_or_default();
            below.push((listing.add(entry, Some(id)), child, depth + 1));
        }
        waiting.extend(below.into_iter().rev());
    }
    Ok(())
}
